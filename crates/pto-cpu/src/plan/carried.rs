//! Values that loops carry from one iteration to the next.
//!
//! Scalars and views are moved. A tile value is its contents: they are copied, because the next iteration overwrites their memory.
//! A buffer is the same buffer in the next iteration. A buffer that an iteration allocates and yields must not lie where the next
//! iteration allocates, so allocations in loops have several addresses and take one that no carried buffer occupies.

use super::build::{PlanBuilder, PlanResult};
use crate::prepared::*;
use pto_ir::{RegionId, ValueId};
use pto_isa::Type;
use pto_isa::row::Control;

/// The carried values of a loop.
pub(super) struct CarriedSlots {
    slots: Vec<ValueStorage>,
    /// The contents are copied, by position.
    copied: Vec<bool>,
}

impl PlanBuilder<'_> {
    /// Gives the parameters of a loop their places and first values.
    pub fn enter_carried(
        &mut self,
        body: RegionId,
        params: &[ValueId],
        inits: &[ValueStorage],
    ) -> PlanResult<CarriedSlots> {
        let mut carried = CarriedSlots { slots: Vec::new(), copied: Vec::new() };
        for (at, &param) in params.iter().enumerate() {
            let copied = self.makes_tiles(body, param, at);
            let slot = if copied { self.define(param)? } else { self.define_handle(param)? };
            carried.slots.push(slot);
            carried.copied.push(copied && matches!(slot, ValueStorage::Tile(_)));
        }
        self.hold(params);
        self.next_carried(&carried, inits)?;
        Ok(carried)
    }

    /// Passes the values of an iteration to the next.
    pub fn next_carried(&mut self, carried: &CarriedSlots, values: &[ValueStorage]) -> PlanResult<()> {
        let mut copies = Vec::new();
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for ((value, slot), copied) in values.iter().zip(&carried.slots).zip(&carried.copied) {
            match (value, slot, copied) {
                (ValueStorage::Tile(f), ValueStorage::Tile(t), true) => copies.push((*f, *t)),
                _ => {
                    from.push(*value);
                    to.push(*slot);
                }
            }
        }
        self.copy_tiles(&copies)?;
        self.move_values(&from, &to)
    }

    /// Notes the registers that keep buffers from one iteration to the next.
    pub fn hold(&mut self, values: &[ValueId]) {
        for &value in values {
            if let (Type::TileBuf(_), ValueStorage::Tile(tile)) = (self.module.value_type(value), self.slot(value)) {
                self.held.push(tile);
            }
        }
    }

    /// A place for a new buffer that no register has kept from an earlier iteration.
    pub fn free_place(&mut self, bytes: u64) -> PlanResult<TileAddress> {
        let size = bytes.next_multiple_of(64);
        let first = self.own_bytes(size.saturating_mul(self.held.len() as u64 + 1))?;
        if self.held.is_empty() {
            return Ok(TileAddress::Own(first));
        }
        let held = self.plan.tiles.held.push(self.held.clone());
        Ok(TileAddress::Free { first, size, held })
    }

    /// True when the tile carried at this position must be copied.
    fn makes_tiles(&self, body: RegionId, param: ValueId, at: usize) -> bool {
        let is_value = |v: ValueId| matches!(self.module.value_type(v), Type::Tile(_));
        let last = self.module.region(body).blocks.iter().filter_map(|b| self.module.block(*b).ops.last());
        let mut yields = last.filter(|&&o| self.module.control(o) == Some(Control::Yield));
        is_value(param) || yields.any(|&o| self.module.operands(o).get(at).is_some_and(|o| is_value(o.value)))
    }
}
