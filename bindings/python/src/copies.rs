//! Copies of the memory of arrays, for runs that must not change them: `race`, `perf`, and the question what stored an element.

#![expect(unsafe_code, reason = "arrays that overlap are arguments that overlap")]

use crate::arrays::ArrayMemory;
use pto::Arg;
use pto::isa::DType;

/// The bytes of arrays. Those that overlap have one copy, so that a run sees what they share.
#[derive(Clone)]
pub(crate) struct Copies {
    blocks: Vec<Vec<u8>>,
    /// For each argument, its part of a block.
    parts: Vec<Option<CopyPart>>,
}

#[derive(Clone, Copy)]
struct CopyPart {
    block: usize,
    first: usize,
    bytes: usize,
}

impl Copies {
    /// Copies of arrays; `None` for arguments that are numbers.
    pub(crate) fn new(arrays: &[Option<&ArrayMemory>]) -> Self {
        let mut copies = Self { blocks: Vec::new(), parts: vec![None; arrays.len()] };
        let copied = |(at, array): (usize, &Option<&ArrayMemory>)| array.map(|a| (a.address(), at, a.to_vec()));
        let mut order: Vec<(usize, usize, Vec<u8>)> = arrays.iter().enumerate().filter_map(copied).collect();
        // Empty ones first: they overlap nothing.
        order.sort_unstable_by_key(|(address, at, bytes)| (!bytes.is_empty(), *address, *at));
        let mut start = 0;
        for (address, at, bytes) in order {
            let end = copies.blocks.last().map_or(0, |block| start + block.len());
            if copies.blocks.is_empty() || address >= end || bytes.is_empty() {
                start = address;
                copies.blocks.push(Vec::new());
            }
            let block = copies.blocks.len() - 1;
            let (first, known) = (address - start, copies.blocks[block].len());
            if first + bytes.len() > known {
                copies.blocks[block].extend_from_slice(&bytes[known - first..]);
            }
            copies.parts[at] = Some(CopyPart { block, first, bytes: bytes.len() });
        }
        copies
    }

    /// The first argument that shares the bytes of an argument, and where they start in the bytes they share.
    pub(crate) fn home(&self, at: usize) -> (usize, usize) {
        let Some(part) = self.parts[at] else { return (at, 0) };
        let is_same = |other: &Option<CopyPart>| other.is_some_and(|o| o.block == part.block);
        (self.parts.iter().position(is_same).unwrap_or(at), part.first)
    }

    /// The copy of an array as an argument.
    pub(crate) fn arg(&mut self, at: usize, element: DType) -> Arg<'static> {
        let Some(CopyPart { block, first, bytes }) = self.parts[at] else { return Arg::Int(0) };
        let ptr = self.blocks[block].as_mut_ptr().wrapping_add(first);
        // SAFETY: `BoundCall::args_on` borrows the copies for as long as their arguments live; the pointer is that of the whole block.
        unsafe { Arg::held(ptr, bytes, true) }.of(element)
    }
}
