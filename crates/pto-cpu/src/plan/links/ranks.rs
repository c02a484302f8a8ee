//! Signals in global memory, and transfers between ranks.

use super::super::build::{Builder, Built};
use crate::kernels::Code;
use crate::prepared::*;
use pto_ir::OpId;
use pto_isa::rules::AttrValue;
use pto_isa::table::op;
use pto_isa::{Loc, TileType, Type, enums};

impl Builder<'_> {
    pub(super) fn comm_op(&mut self, id: OpId) -> Built<()> {
        let code = self.module.op(id).op;
        match code {
            op::comm_tnotify => {
                let (signal, value) = (self.operand_view(id, "signal")?, self.operand_reg(id, "value")?);
                let add = self.choice(id, "notifyOp") != Some("set");
                self.link(Link::Notify { signal, value, add })
            }
            op::comm_twait | op::comm_ttest => {
                let (signal, value) = (self.operand_view(id, "signal")?, self.operand_reg(id, "cmp_value")?);
                let name = self.choice(id, "cmp").unwrap_or("eq");
                let cmp = enums::WAIT_CMP.find(name).unwrap_or(0) as u8;
                if code == op::comm_twait {
                    return self.link(Link::WaitSignal { signal, value, cmp });
                }
                let out = self.result_reg(id)?;
                self.link(Link::TestSignal { signal, value, cmp, out })
            }
            op::comm_wait_async_event | op::comm_test_async_event => {
                // Transfers are complete as soon as they are started.
                let out = self.result_reg(id)?;
                self.plan.start.scalars[out] = 1;
                let background = Background {
                    event: self.operand_reg(id, "event").ok(),
                    session: self.operand_reg(id, "session").ok(),
                };
                let asks = code == op::comm_test_async_event;
                self.order(PipeOrder::AwaitBackground(Await { background, asks, out }))
            }
            op::comm_build_async_session | op::get_prefetch_async_session => {
                let out = self.result_reg(id)?;
                self.order(PipeOrder::Session(out))
            }
            op::make_prefetch_async_context => self.order(PipeOrder::Other),
            _ => self.transfer_op(id),
        }
    }

    fn operand_view(&self, id: OpId, name: &str) -> Built<ViewId> {
        match self.operand(id, name) {
            Some(value) => self.view(value),
            None => Err(self.unsupported(&format!("it without `{name}`"))),
        }
    }

    fn transfer_op(&mut self, id: OpId) -> Built<()> {
        let code = self.module.op(id).op;
        let (kind, own, other, stage) = match code {
            op::comm_tput => (TransferKind::Put, "src", "dst", "ping"),
            op::comm_tget => (TransferKind::Get, "dst", "src", "ping"),
            op::comm_tgather => (TransferKind::Gather, "dst", "group", "ping"),
            op::comm_tscatter => (TransferKind::Scatter, "src", "group", "ping"),
            op::comm_tbroadcast => (TransferKind::Broadcast, "src", "group", "ping"),
            op::comm_treduce => (TransferKind::Reduce, "dst", "group", "recv_ping"),
            op::comm_tput_async => (TransferKind::Copy, "src", "dst", ""),
            op::comm_tget_async => (TransferKind::Copy, "src", "dst", ""),
            _ => return Err(self.unsupported("this instruction")),
        };
        let others = self.operands(id, other).iter().map(|v| self.view(*v)).collect::<Built<Vec<_>>>()?;
        let stage_value = self.operand(id, stage);
        let elem = self.operand(id, own).and_then(|v| self.module.value_type(v).elem());
        let Some(dtype) = elem else { return Err(self.unsupported("this element type")) };
        let ty = match stage_value.and_then(|v| self.module.tile(v)) {
            Some(ty) => self.tile_type(&ty.clone()),
            None => TileType::new(Loc::Vec, dtype, 1, 256),
        };
        let mut stages = Vec::new();
        for value in self.operand(id, "acc").into_iter().chain(stage_value) {
            stages.push(self.tile(value)?);
        }
        let adds = self.choice(id, "atomicType") == Some("atomic_add");
        let atomic = AttrValue::Enum(&enums::ATOMIC_TYPE, enums::ATOMIC_TYPE.find("atomic_add").unwrap_or(0));
        let atomic = [("atomicType", atomic)];
        let background = match kind {
            TransferKind::Copy => {
                Some(Background { session: self.operand_reg(id, "session").ok(), event: self.result_reg(id).ok() })
            }
            _ => None,
        };
        let transfer = Transfer {
            kind,
            background,
            own: self.operand_view(id, own)?,
            others,
            root: self.int_attr(id, "root").unwrap_or(0) as u32,
            stages,
            load: self.mover(op::tload, &ty, &[])?,
            store: self.mover(op::tstore, &ty, if adds { &atomic } else { &[] })?,
            combine: if kind == TransferKind::Reduce { Some(self.combiner(id, &ty)?) } else { None },
            bits: dtype.column_bits(),
            atomic: adds,
        };
        self.link(Link::Transfer(transfer))
    }

    /// The code that combines a tile into another.
    fn combiner(&self, id: OpId, ty: &TileType) -> Built<Code> {
        let code = match self.choice(id, "reduceOp") {
            Some("max") => op::tmax,
            Some("min") => op::tmin,
            _ => op::tadd,
        };
        let tile = Type::TileBuf(*ty);
        self.code_for(code, &[("src0", &tile), ("src1", &tile), ("dst", &tile)], &[])
    }
}
