//! Tiles that have several names.

use crate::shadow::Stamp;
use pto_ir::{BlockId, Def, Module, OpId, ValueId};
use pto_isa::table::op;
use std::collections::BTreeMap;

/// Generators of level-3 programs give every value a tile of its own and put those that are one variable at one address.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    module: &'a Module,
    /// The operation around each operation.
    parents: BTreeMap<OpId, OpId>,
}

impl<'a> Names<'a> {
    pub fn new(module: &'a Module) -> Self {
        let inside = |(block, owner): (BlockId, OpId)| module.block(block).ops.iter().map(move |op| (*op, owner));
        let parents = module.owners().into_iter().flat_map(inside).collect();
        Self { module, parents }
    }

    /// A tile that was written, a write over it, and a read of the first. They are one variable when both tiles have one
    /// type and one address, and the value comes from another turn of a loop; in a straight line the first is lost.
    pub fn are_one_tile(&self, written: &Stamp, over: &Stamp, read: OpId) -> bool {
        let (Some(a), Some(b)) = (written.value, over.value) else { return false };
        let position = |id: OpId| self.module.op(id).span.start;
        let line = position(written.op) < position(over.op) && position(over.op) < position(read);
        let straight = line && self.loops(over.op).all(|l| self.loops(read).any(|m| m == l));
        self.same_place(a, b) && !straight
    }

    fn loops(&self, id: OpId) -> impl Iterator<Item = OpId> {
        let outer = |id: &OpId| self.parents.get(id).copied();
        std::iter::successors(outer(&id), outer).filter(|id| crate::paths::is_loop(self.module.op(*id).op))
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
