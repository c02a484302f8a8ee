//! Values that loops carry from one turn to the next.
//!
//! Scalars and views are moved. A tile is carried in one of two ways. Where the program hands on tiles that exist outside
//! the loop (two buffers that swap roles, for example), the loop carries which tile it is. Where the body makes a new tile
//! in every turn, its contents are copied: the body's tile has one place, and the next turn writes it again.

use super::build::{Builder, Built};
use super::*;
use pto_ir::{Def, RegionId, ValueId};
use pto_isa::Type;
use pto_isa::table::op;

/// The carried values of a loop.
pub(super) struct Carried {
    slots: Vec<Slot>,
    /// The contents are copied, by position.
    copied: Vec<bool>,
}

impl Builder<'_> {
    /// Gives the parameters of a loop their places and first values.
    pub fn enter_carried(&mut self, body: RegionId, params: &[ValueId], inits: &[Slot]) -> Built<Carried> {
        let mut carried = Carried { slots: Vec::new(), copied: Vec::new() };
        for (at, &param) in params.iter().enumerate() {
            let copied = self.makes_tiles(body, param, at);
            let slot = if copied { self.define(param)? } else { self.define_handle(param)? };
            carried.slots.push(slot);
            carried.copied.push(copied && matches!(slot, Slot::Tile(_)));
        }
        self.next_carried(&carried, inits)?;
        Ok(carried)
    }

    /// Hands on the values of a turn.
    pub fn next_carried(&mut self, carried: &Carried, values: &[Slot]) -> Built<()> {
        let mut copies = Vec::new();
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for ((value, slot), copied) in values.iter().zip(&carried.slots).zip(&carried.copied) {
            match (value, slot, copied) {
                (Slot::Tile(f), Slot::Tile(t), true) => copies.push((*f, *t)),
                _ => {
                    from.push(*value);
                    to.push(*slot);
                }
            }
        }
        self.copy_tiles(&copies)?;
        self.move_values(&from, &to)
    }

    /// True when the tile carried at this position must be copied.
    fn makes_tiles(&self, body: RegionId, param: ValueId, at: usize) -> bool {
        match self.module.value_type(param) {
            Type::Tile(_) => true,
            Type::TileBuf(_) => {
                let last = self.module.region(body).blocks.iter().filter_map(|b| self.module.block(*b).ops.last());
                let yields = last.filter(|&&o| self.module.op(o).op == op::scf_yield);
                yields
                    .filter_map(|&o| self.module.operands(o).get(at))
                    .any(|o| self.is_made_in(o.value, body, &mut Vec::new()))
            }
            _ => false,
        }
    }

    /// True when the memory of a tile belongs to an operation inside the region.
    fn is_made_in(&self, value: ValueId, region: RegionId, seen: &mut Vec<ValueId>) -> bool {
        if seen.contains(&value) {
            return false;
        }
        seen.push(value);
        let Def::Result(id, at) = self.module.value(value).def else { return false };
        if !self.contains(region, id) {
            return false;
        }
        let code = self.module.op(id).op;
        match code {
            op::alloc_tile => self.operand(id, "addr").is_none(),
            op::subview | op::subset | op::treshape | op::bitcast | op::multi_tile_get | op::arith_select => {
                let tiles = self.module.operands(id).iter().map(|o| o.value);
                tiles.filter(|v| self.module.tile(*v).is_some()).any(|v| self.is_made_in(v, region, seen))
            }
            op::tassign => false,
            _ if !self.module.op_regions(id).is_empty() => {
                let blocks: Vec<_> = self
                    .module
                    .op_regions(id)
                    .iter()
                    .flat_map(|r| self.module.region(*r).blocks.iter().copied())
                    .filter_map(|b| self.module.block(b).ops.last().copied())
                    .collect();
                blocks
                    .into_iter()
                    .filter_map(|o| self.module.operands(o).get(usize::from(at)))
                    .any(|o| self.is_made_in(o.value, region, seen))
            }
            _ => true,
        }
    }

    fn contains(&self, region: RegionId, id: OpId) -> bool {
        let mut found = false;
        for &block in &self.module.region(region).blocks {
            self.module.walk(block, &mut |o| found |= o == id);
        }
        found
    }
}
