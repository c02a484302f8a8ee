//! A core as observers look at it.

#![expect(unsafe_code, reason = "global memory is read through the pointers it was lent with")]

use super::core::Core;
use super::done::LookedAt;
use super::observe::{Access, CoreId};
use crate::prepared::{AllocationId, Plan, RegisterFile, Table, TileId};
use pto_isa::Loc;

impl LookedAt for Core<'_> {
    fn id(&self) -> CoreId {
        self.who.id
    }

    fn plan(&self) -> &Plan {
        self.plan
    }

    fn iterations_begun(&self) -> u64 {
        self.progress.iterations.count()
    }

    fn regs(&self) -> &RegisterFile {
        &self.regs
    }

    fn allocated(&self) -> &Table<AllocationId, Vec<u64>> {
        &self.global.allocated
    }

    fn used(&self) -> &[u64; Loc::ALL.len()] {
        &self.local.used
    }

    fn access(&self, tile: TileId) -> Access {
        self.tile_access(&self.regs.tiles[tile], None)
    }

    fn memory(&mut self, first: u64, bytes: u64) -> Option<&[u8]> {
        let is_inside = first.checked_add(bytes).is_some_and(|end| end <= self.local.memory.size());
        is_inside.then(|| &*self.local.memory.part(first, bytes))
    }

    fn global(&mut self, buffer: usize, first: i64, bytes: usize) -> Option<&[u8]> {
        let ptr = self.global.bytes(buffer, first, bytes).ok()?;
        // SAFETY: `GlobalMemory::bytes` checked that the bytes lie in a buffer that is lent for the run. Runs with observers have one
        // thread, so nobody writes them while the core is borrowed.
        Some(unsafe { std::slice::from_raw_parts(ptr, bytes) })
    }
}
