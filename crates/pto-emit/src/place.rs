//! Where reserved buffers and the buffers of lowered programs lie.
//!
//! Tiles have addresses when a program gets here: their own, or those of the planner, which also places what pipes reserve. A lowered
//! program allocates plain buffers instead of tiles; those of a function lie one after another, and it may not
//! have tiles besides them.

use crate::cpp::lowered_tile;
use pto_ir::{Attr, Module, OpId};
use pto_isa::table::op;
use pto_isa::{Loc, Target};
use std::collections::HashMap;

/// Addresses by the operation that allocates or reserves.
#[derive(Default)]
pub(crate) struct Places {
    address: HashMap<OpId, u64>,
}

impl Places {
    /// The address of what an operation allocates or reserves.
    pub(crate) fn of(&self, id: OpId) -> Option<u64> {
        self.address.get(&id).copied()
    }

    pub(crate) fn new(module: &Module, target: Target) -> Self {
        let mut places = Self::default();
        for function in module.functions() {
            places.function(module, target, function);
        }
        places
    }

    fn function(&mut self, module: &Module, target: Target, function: OpId) {
        let inside = inside(module, function);
        let has_tiles = inside.iter().any(|id| matches!(module.op(*id).op, op::alloc_tile | op::alloc_multi_tile));
        let mut used = [0u64; Loc::ALL.len()];
        for id in inside {
            match module.op(id).op {
                op::reserve_buffer => {
                    let base = module.attr(id, "base").and_then(Attr::int).and_then(|n| u64::try_from(n).ok());
                    self.address.extend(base.map(|base| (id, base)));
                }
                op::memref_alloc if !has_tiles => {
                    let Some(result) = module.results(id).next() else { continue };
                    let Some(tile) = lowered_tile(module.value_type(result)) else { continue };
                    let Some(space) = target.profile().space(tile.loc) else { continue };
                    let start = used[tile.loc as usize].next_multiple_of(space.align.max(1));
                    used[tile.loc as usize] = start.saturating_add(tile.bytes());
                    if used[tile.loc as usize] <= space.bytes {
                        self.address.insert(id, start);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Every operation of a function, in text order.
pub(crate) fn inside(module: &Module, function: OpId) -> Vec<OpId> {
    let mut inside = Vec::new();
    for &region in module.op_regions(function) {
        for &block in &module.region(region).blocks {
            module.walk(block, &mut |id| inside.push(id));
        }
    }
    inside
}

/// The names a function calls, in order.
pub(crate) fn called(module: &Module, function: OpId) -> Vec<&str> {
    inside(module, function).iter().filter_map(|id| module.callee(*id)).map(|s| module.names.text(s)).collect()
}
