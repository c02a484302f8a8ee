//! Tiles with several names.

use crate::findings::InstrSite;
use crate::shadow::Stamp;
use pto_cpu::{Plan, Role};
use pto_ir::{BlockId, Def, Module, OpId, ValueId};
use pto_isa::Family;
use pto_isa::hash::FastMap;
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::{Arith, Control, Storage};
use std::ops::RangeInclusive;

/// Generators of level-3 programs declare a tile per value and give those of one variable the same address.
#[derive(Debug)]
pub(crate) struct TileNames<'a> {
    module: &'a Module,
    owners: FastMap<BlockId, OpId>,
    /// Tiles that `tassign` moves.
    moved: OrdSet<ValueId>,
    /// The ranges of steps that are loops, for each role.
    loops: OrdMap<Role, Vec<RangeInclusive<u32>>>,
}

impl<'a> TileNames<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        let loops = Role::ALL.map(|role| (role, plan.loops(role)));
        let module = plan.checked().module();
        let mut moved = OrdSet::new();
        module.walk(module.top, &mut |id| {
            if module.storage(id) == Some(Storage::Assign) {
                moved.extend(module.operands(id).first().map(|o| o.value));
            }
        });
        Self { module, owners: module.owners(), moved, loops: loops.into() }
    }

    /// A write to a tile, a later write over it, and a read of the first. Both tiles are one variable when they have the
    /// same type and address and the value comes from another iteration of a loop; in straight-line code the first value is
    /// lost. The address is the same if the text gives it to both, or if one of them rotates between buffers and starts at
    /// the same byte: in a software pipeline, one name loads what another name uses in the next iteration.
    pub fn are_one_tile(&self, written: &Stamp, over: &Stamp, read: InstrSite) -> bool {
        let (Some(a), Some(b)) = (written.value, over.value) else { return false };
        let met = written.origin == over.origin && (self.rotates(a) || self.rotates(b));
        self.module.value_type(a) == self.module.value_type(b)
            && (met || self.same_address(a, b))
            && !self.in_a_line(written, over, read)
    }

    /// True for a tile whose address another iteration of a loop may change.
    fn rotates(&self, tile: ValueId) -> bool {
        self.moved.contains(&tile) || self.address_value(tile).is_some_and(|address| self.varies(address))
    }

    fn varies(&self, value: ValueId) -> bool {
        match self.module.value(value).def {
            Def::Result(id, _) if self.module.op(id).op.row().family == Family::Arith => {
                self.module.operands(id).iter().any(|o| self.varies(o.value))
            }
            Def::Result(..) | Def::Missing => true,
            Def::Arg(block, _) => {
                self.owners.get(&block).is_some_and(|id| self.module.control(*id) != Some(Control::Function))
            }
        }
    }

    fn in_a_line(&self, written: &Stamp, over: &Stamp, read: InstrSite) -> bool {
        let mut around = self.loops[&read.core.role].iter().filter(|range| range.contains(&over.step));
        written.step < over.step && over.step < read.step && around.all(|range| range.contains(&read.step))
    }

    fn same_address(&self, a: ValueId, b: ValueId) -> bool {
        let (x, y) = (self.address(a), self.address(b));
        x.is_some() && x == y
    }

    fn address(&self, tile: ValueId) -> Option<StatedAddress> {
        let value = self.address_value(tile)?;
        Some(self.constant(value).map_or(StatedAddress::Value(value), StatedAddress::Constant))
    }

    /// The address that the text gives to a tile.
    fn address_value(&self, tile: ValueId) -> Option<ValueId> {
        let Def::Result(id, _) = self.module.value(tile).def else { return None };
        let name = match self.module.storage(id) {
            Some(Storage::Tile) => "addr",
            Some(Storage::Assign) => "address",
            _ => return None,
        };
        let slot = self.module.op(id).op.row().slot(name)?;
        self.module.in_slot(id, slot).next().map(|o| o.value)
    }

    fn constant(&self, value: ValueId) -> Option<i64> {
        let Def::Result(id, _) = self.module.value(value).def else { return None };
        if self.module.arith(id) != Some(Arith::Constant) {
            return None;
        }
        self.module.attr(id, "value").and_then(pto_ir::Attr::int)
    }
}

/// What the text says about the address of a tile.
#[derive(PartialEq, Eq)]
enum StatedAddress {
    /// A constant, under any name.
    Constant(i64),
    Value(ValueId),
}
