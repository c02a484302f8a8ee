//! What orders the pipes of a core. Everything is in order here; observers of a run are told.

use super::build::{Builder, Built};
use super::*;
use pto_ir::Attr;
use pto_isa::Pipe;
use pto_isa::row::Effect;
use pto_isa::table::op;

/// A core waits for a transfer in the background, or asks whether it is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Await {
    pub background: Background,
    /// It only asks.
    pub asks: bool,
    /// The answer.
    pub out: Reg,
}

/// The registers of a transfer in the background: which one it is, and its session. They are numbers that only observers need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Background {
    pub event: Option<Reg>,
    pub session: Option<Reg>,
}

/// An instruction that orders pipes.
#[derive(Clone, Debug)]
pub(crate) enum Order {
    SetFlag {
        src: Pipe,
        dst: Pipe,
        id: Reg,
    },
    WaitFlag {
        src: Pipe,
        dst: Pipe,
        id: Reg,
    },
    Barrier,
    GetToken(Reg),
    ReleaseToken(Reg),
    /// Waits for what writes these tiles.
    Sync(Vec<TileId>),
    AwaitBackground(Await),
    /// A session of transfers in the background begins; its number goes to a register.
    Session(Reg),
    /// The scalar unit writes a line of its data cache back and forgets it; without an address, all of them.
    Clean(Option<Pointer>),
    /// All pipes finish, and what they wrote can be seen.
    Fence,
    /// Nothing that an observer could use.
    Other,
}

impl Builder<'_> {
    pub fn order(&mut self, order: Order) -> Built<()> {
        self.plan.orders.push(order);
        self.push(Step::Order(self.plan.orders.len() as u32 - 1)).map(drop)
    }

    pub fn sync_op(&mut self, id: OpId) -> Built<()> {
        let code = self.module.op(id).op;
        match code {
            op::declare_eventid_array | op::eventid_array_get | op::eventid_array_set => return self.event_ids_op(id),
            _ if links::is_signal(code) => return self.signal_op(id),
            _ if code.row().effect != Effect::Sync => return Err(self.unsupported("this instruction")),
            _ => {}
        }
        for value in self.module.results(id) {
            self.define(value)?;
        }
        self.rule_check(id)?;
        let order = match code {
            op::set_flag | op::set_flag_dyn | op::record_event => self.flag(id, true)?,
            op::wait_flag | op::wait_flag_dyn | op::wait_event => self.flag(id, false)?,
            op::barrier | op::barrier_sync => Order::Barrier,
            op::get_buf | op::get_buf_dyn => Order::GetToken(self.number_of(id, "buf_id")?),
            op::rls_buf | op::rls_buf_dyn => Order::ReleaseToken(self.number_of(id, "buf_id")?),
            op::tsync => Order::Sync(self.tiles_of(id)),
            op::fence_barrier_all if self.choice(id, "scope") != Some("local_memory") => Order::Fence,
            _ => Order::Other,
        };
        self.order(order)
    }

    /// A line of the data cache, or all of it.
    pub fn clean_op(&mut self, id: OpId) -> Built<()> {
        let address = self.operand(id, "addr").map(|value| self.pointer(value)).transpose()?;
        self.order(Order::Clean(address))
    }

    fn flag(&mut self, id: OpId, set: bool) -> Built<Order> {
        let Some((src, dst, _)) = pto_check::flag_of(self.module, id) else { return Ok(Order::Other) };
        let id = self.number_of(id, "event_id")?;
        Ok(if set { Order::SetFlag { src, dst, id } } else { Order::WaitFlag { src, dst, id } })
    }

    /// A number that is an operand or an attribute.
    fn number_of(&mut self, id: OpId, name: &str) -> Built<Reg> {
        if self.operand(id, name).is_some() {
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
        slots.filter_map(|slot| if let Slot::Tile(tile) = slot { Some(tile) } else { None }).collect()
    }
}
