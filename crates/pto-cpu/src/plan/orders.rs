//! Synchronisation of the pipes of a core. The engine executes in program order, so these steps only notify observers.

use super::build::{PlanBuilder, PlanResult};
use crate::prepared::*;
use pto_ir::{Attr, OpId};
use pto_isa::row::{Effect, Meaning, SyncOp};
use pto_isa::text;

impl PlanBuilder<'_> {
    pub fn order(&mut self, order: PipeOrder) -> PlanResult<()> {
        let at = self.plan.calls.orders.push(order);
        let target = self.plan.source.checked.info().target;
        self.plan.calls.order_pipes.push(pto_check::pipe_of(self.module, self.at, target));
        self.push(Step::Order(at)).map(drop)
    }

    pub fn sync_op(&mut self, id: OpId) -> PlanResult<()> {
        let code = self.module.op(id).op;
        match code.row().meaning {
            Meaning::Local(_) => return self.event_ids_op(id),
            Meaning::Sync(is) if is.is_signal() || is == SyncOp::AllCores => return self.signal_op(id, is),
            _ if code.row().effect != Effect::Sync => return Err(self.unsupported(text!("this instruction"))),
            _ => {}
        }
        for value in self.module.results(id) {
            self.define(value)?;
        }
        self.rule_check(id)?;
        let order = match code.sync() {
            Some(SyncOp::SetFlag(_)) => self.flag(id, true)?,
            Some(SyncOp::WaitFlag(_)) => self.flag(id, false)?,
            Some(SyncOp::Barrier | SyncOp::BarrierOf) => PipeOrder::Barrier,
            Some(SyncOp::Acquire(_)) => PipeOrder::GetToken(self.number_of(id, "buf_id")?),
            Some(SyncOp::Release(_)) => PipeOrder::ReleaseToken(self.number_of(id, "buf_id")?),
            Some(SyncOp::Tiles) => PipeOrder::Sync(self.tiles_of(id)),
            Some(SyncOp::Fence) if self.module.choice(id, "scope") != Some("local_memory") => PipeOrder::Fence,
            _ => PipeOrder::Other,
        };
        self.order(order)
    }

    /// A line of the data cache, or all of it.
    pub fn clean_op(&mut self, id: OpId) -> PlanResult<()> {
        let address = self.module.operand(id, "addr").map(|value| self.pointer(value)).transpose()?;
        self.order(PipeOrder::Clean(address))
    }

    fn flag(&mut self, id: OpId, set: bool) -> PlanResult<PipeOrder> {
        let Some((src, dst, _)) = pto_check::flag_of(self.module, id) else { return Ok(PipeOrder::Other) };
        let id = self.number_of(id, "event_id")?;
        Ok(if set { PipeOrder::SetFlag { src, dst, id } } else { PipeOrder::WaitFlag { src, dst, id } })
    }

    /// A number that is an operand or an attribute.
    fn number_of(&mut self, id: OpId, name: &str) -> PlanResult<Reg> {
        if self.module.operand(id, name).is_some() {
            return self.operand_reg(id, name);
        }
        let value = match self.module.attr(id, name) {
            Some(Attr::Enum(_, at)) => u64::from(*at),
            other => other.and_then(Attr::int).unwrap_or(0) as u64,
        };
        Ok(self.constant(value))
    }

    fn tiles_of(&self, id: OpId) -> Vec<TileId> {
        let slots = self.module.operands(id).iter().map(|o| self.slot(o.value));
        slots.filter_map(|slot| if let ValueStorage::Tile(tile) = slot { Some(tile) } else { None }).collect()
    }
}
