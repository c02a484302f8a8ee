//! Tiles that have several names.

use crate::findings::Site;
use crate::shadow::Stamp;
use pto_cpu::{Plan, Role};
use pto_ir::{Def, Module, ValueId};
use pto_isa::table::op;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Generators of level-3 programs give every value a tile of its own and put those that are one variable at one address.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    module: &'a Module,
    /// What goes round on cores of each role.
    loops: BTreeMap<Role, Vec<RangeInclusive<u32>>>,
}

impl<'a> Names<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        let loops = [Role::Whole, Role::Cube, Role::Vector].map(|role| (role, plan.loops(role)));
        Self { module: plan.checked().module(), loops: loops.into() }
    }

    /// A tile that was written, a write over it, and a read of the first. They are one variable when both tiles have one
    /// type and one address, and the value comes from another turn of a loop; in a straight line the first is lost.
    pub fn are_one_tile(&self, written: &Stamp, over: &Stamp, read: Site) -> bool {
        let (Some(a), Some(b)) = (written.value, over.value) else { return false };
        self.same_place(a, b) && !self.in_a_line(written, over, read)
    }

    fn in_a_line(&self, written: &Stamp, over: &Stamp, read: Site) -> bool {
        let mut around = self.loops[&read.core.role].iter().filter(|turn| turn.contains(&over.step));
        written.step < over.step && over.step < read.step && around.all(|turn| turn.contains(&read.step))
    }

    fn same_place(&self, a: ValueId, b: ValueId) -> bool {
        let (x, y) = (self.address(a), self.address(b));
        x.is_some() && x == y && self.module.value_type(a) == self.module.value_type(b)
    }

    fn address(&self, tile: ValueId) -> Option<Address> {
        let Def::Result(id, _) = self.module.value(tile).def else { return None };
        if self.module.op(id).op != op::alloc_tile {
            return None;
        }
        let slot = self.module.op(id).op.row().slot("addr")?;
        let value = self.module.in_slot(id, slot).next()?.value;
        Some(self.constant(value).map_or(Address::Value(value), Address::Constant))
    }

    fn constant(&self, value: ValueId) -> Option<i64> {
        let Def::Result(id, _) = self.module.value(value).def else { return None };
        if self.module.op(id).op != op::arith_constant {
            return None;
        }
        self.module.attr(id, "value").and_then(pto_ir::Attr::int)
    }
}

/// What the text says about the address of a tile.
#[derive(PartialEq, Eq)]
enum Address {
    /// A number, whatever its name.
    Constant(i64),
    Value(ValueId),
}
