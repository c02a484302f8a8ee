//! Signals in global memory, and transfers between ranks.

use super::super::build::{PlanBuilder, PlanResult};
use crate::kernels::Code;
use crate::prepared::*;
use pto_ir::OpId;
use pto_isa::row::{Combine, CommOp, Movement};
use pto_isa::rules::AttrValue;
use pto_isa::text;
use pto_isa::{Loc, Op, TileType, Type, enums};

impl PlanBuilder<'_> {
    pub(super) fn comm_op(&mut self, id: OpId) -> PlanResult<()> {
        let Some(is) = self.module.comm(id) else { return Err(self.unsupported(text!("this instruction"))) };
        match is {
            CommOp::Notify => {
                let (signal, value) = (self.operand_view(id, "signal")?, self.operand_reg(id, "value")?);
                let add = self.module.choice(id, "notifyOp") != Some("set");
                self.link(Link::Notify { signal, value, add })
            }
            CommOp::Wait | CommOp::Test => {
                let (signal, value) = (self.operand_view(id, "signal")?, self.operand_reg(id, "cmp_value")?);
                let name = self.module.choice(id, "cmp").unwrap_or("eq");
                let cmp = enums::WAIT_CMP.find(name).unwrap_or(0) as u8;
                if is == CommOp::Wait {
                    return self.link(Link::WaitSignal { signal, value, cmp });
                }
                let out = self.result_reg(id)?;
                self.link(Link::TestSignal { signal, value, cmp, out })
            }
            CommOp::WaitAsync | CommOp::TestAsync => {
                // Transfers are complete as soon as they are started.
                let out = self.result_reg(id)?;
                self.plan.start.scalars[out] = 1;
                let background = Background {
                    event: self.operand_reg(id, "event").ok(),
                    session: self.operand_reg(id, "session").ok(),
                };
                let asks = is == CommOp::TestAsync;
                self.order(PipeOrder::AwaitBackground(Await { background, asks, out }))
            }
            CommOp::OpenSession | CommOp::PrefetchSession => {
                let out = self.result_reg(id)?;
                self.order(PipeOrder::Session(out))
            }
            CommOp::PrefetchContext => self.order(PipeOrder::Other),
            CommOp::Put => self.transfer_op(id, TransferKind::Put, ("src", "dst", "ping")),
            CommOp::Get => self.transfer_op(id, TransferKind::Get, ("dst", "src", "ping")),
            CommOp::Gather => self.transfer_op(id, TransferKind::Gather, ("dst", "group", "ping")),
            CommOp::Scatter => self.transfer_op(id, TransferKind::Scatter, ("src", "group", "ping")),
            CommOp::Broadcast => self.transfer_op(id, TransferKind::Broadcast, ("src", "group", "ping")),
            CommOp::Reduce => self.transfer_op(id, TransferKind::Reduce, ("dst", "group", "recv_ping")),
            CommOp::PutAsync | CommOp::GetAsync => self.transfer_op(id, TransferKind::Copy, ("src", "dst", "")),
        }
    }

    fn operand_view(&self, id: OpId, name: &str) -> PlanResult<ViewId> {
        match self.module.operand(id, name) {
            Some(value) => self.view(value),
            None => Err(self.unsupported(&text!("it without `{name}`", name))),
        }
    }

    /// A transfer: the slots of the own memory, of that of others, and of the tile between them.
    fn transfer_op(&mut self, id: OpId, kind: TransferKind, (own, other, stage): (&str, &str, &str)) -> PlanResult<()> {
        let others = self.operands(id, other).iter().map(|v| self.view(*v)).collect::<PlanResult<Vec<_>>>()?;
        let stage_value = self.module.operand(id, stage);
        let elem = self.module.operand(id, own).and_then(|v| self.module.value_type(v).elem());
        let Some(dtype) = elem else { return Err(self.unsupported(text!("this element type"))) };
        let ty = match stage_value.and_then(|v| self.module.tile(v)) {
            Some(ty) => self.tile_type(&ty.clone()),
            None => TileType::new(Loc::Vec, dtype, 1, 256),
        };
        let mut stages = Vec::new();
        for value in self.module.operand(id, "acc").into_iter().chain(stage_value) {
            stages.push(self.tile(value)?);
        }
        let adds = self.module.choice(id, "atomicType") == Some("atomic_add");
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
            root: self.module.given_int(id, "root").unwrap_or(0) as u32,
            stages,
            load: self.mover(Movement::Load, &ty, &[])?,
            store: self.mover(Movement::Store, &ty, if adds { &atomic } else { &[] })?,
            combine: if kind == TransferKind::Reduce { Some(self.combiner(id, &ty)?) } else { None },
            bits: dtype.column_bits(),
            atomic: adds,
        };
        self.link(Link::Transfer(transfer))
    }

    /// The code that combines a tile into another.
    fn combiner(&self, id: OpId, ty: &TileType) -> PlanResult<Code> {
        let how = self.module.choice(id, "reduceOp").and_then(Combine::parse).unwrap_or(Combine::Add);
        let Some(code) = Op::combining(how) else { return Err(self.unsupported(text!("this reduction"))) };
        let tile = Type::TileBuf(*ty);
        self.code_for(code, &[("src0", &tile), ("src1", &tile), ("dst", &tile)], &[])
    }
}
