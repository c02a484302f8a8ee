//! Global memory as a core sees it.

use super::fail::Fail;
use super::peers::FarMemory;
use crate::guard::{GuardLock, Guards, Touched};
use crate::memory::Buffer;
use crate::prepared::{Allocate, AllocationId, Id, Table};
use std::borrow::Cow;

/// The buffers that a core reaches, and what it did to them.
pub(super) struct GlobalMemory<'p> {
    /// By parameter.
    pub buffers: Cow<'p, [Buffer]>,
    /// Locks of those buffers, if other threads have them too.
    pub guards: Option<&'p Guards<'p>>,
    /// Memory of other ranks, if they are other processes.
    pub far: Option<FarMemory<'p>>,
    /// Memory the program allocated.
    pub allocated: Table<AllocationId, Vec<u64>>,
    /// Which parameters were written to.
    pub written: Vec<bool>,
}

impl<'p> GlobalMemory<'p> {
    pub fn new(
        buffers: Cow<'p, [Buffer]>,
        guards: Option<&'p Guards<'p>>,
        allocations: &Table<AllocationId, Allocate>,
    ) -> Self {
        let (allocated, written) = (Table::like(allocations, Vec::new()), vec![false; buffers.len()]);
        Self { buffers, guards, far: None, allocated, written }
    }

    /// A buffer: of a parameter, or allocated by the program.
    pub fn buffer(&mut self, at: usize, address: u64) -> Result<Buffer, Fail> {
        if let Some(buffer) = self.buffers.get(at) {
            return Ok(*buffer);
        }
        let allocation = at.wrapping_sub(self.buffers.len());
        if allocation >= self.allocated.len() {
            return Err(Fail::NoBuffer(address));
        }
        let words = &mut self.allocated[AllocationId::new(allocation)];
        Ok(Buffer { ptr: words.as_mut_ptr().cast(), bytes: words.len() * 8, writable: true, is_fixed: false })
    }

    /// A few bytes of a buffer, checked.
    pub fn bytes(&mut self, at: usize, first: i64, bytes: usize) -> Result<*mut u8, Fail> {
        let buffer = self.buffer(at, first as u64)?;
        let end = first.wrapping_add(bytes as i64);
        if first < 0 || end < first || end as usize > buffer.bytes {
            return Err(Fail::Bytes { buffer: at, first, end, bytes: buffer.bytes });
        }
        Ok(buffer.ptr.wrapping_add(first as usize))
    }

    /// Waits until no other thread touches the bytes. `None` on one thread.
    pub fn hold_bytes(&self, buffer: usize, first: i64, bytes: usize, writes: bool) -> Option<GuardLock<'p>> {
        let bytes = (first, first.saturating_add(bytes as i64));
        Some(self.guards?.hold([Some(Touched { buffer, bytes, writes }), None]))
    }

    /// Notes that the memory of a parameter was written.
    pub fn mark_written(&mut self, buffer: usize) {
        if let Some(written) = self.written.get_mut(buffer) {
            *written = true;
        }
    }
}
