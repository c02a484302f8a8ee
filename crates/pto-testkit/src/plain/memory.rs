//! Memories: arrays of bytes that addresses lead into.

use super::{PlainMachine, PlainResult};
use pto::isa::{Loc, codes};

/// A piece of memory: a buffer, a memory of the core, or a separate tile.
#[derive(Default)]
pub struct PlainMemory {
    pub bytes: Vec<u8>,
    pub writable: bool,
    /// The space of the core that this is.
    pub space: Option<Loc>,
}

impl PlainMemory {
    /// The memory of an argument, while the program runs.
    pub fn lent(bytes: &mut Vec<u8>, writable: bool) -> Self {
        Self { bytes: std::mem::take(bytes), writable, space: None }
    }
}

/// A byte of a memory. It may lie outside as long as nothing is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlainAddress {
    pub memory: usize,
    pub byte: i64,
}

impl PlainAddress {
    pub fn moved(self, bytes: i64) -> Self {
        Self { byte: self.byte.wrapping_add(bytes), ..self }
    }
}

/// Pointers as integers have the memory above this bit.
const MEMORY_SHIFT: u32 = 36;

impl PlainMachine<'_> {
    /// New memory filled with garbage: no program may rely on its content.
    pub fn new_memory(&mut self, bytes: u64) -> PlainAddress {
        let garbage = (0x91 + 37 * self.memories.len()) as u8 | 1;
        self.memories.push(PlainMemory { bytes: vec![garbage; bytes as usize], writable: true, space: None });
        PlainAddress { memory: self.memories.len() - 1, byte: 0 }
    }

    /// A space of the core; zero at first.
    pub fn space(&mut self, loc: Loc) -> usize {
        if let Some(&known) = self.spaces.get(&loc) {
            return known;
        }
        let bytes = self.checked.info().target.profile().space(loc).map_or(0, |s| s.bytes);
        self.memories.push(PlainMemory { bytes: vec![0; bytes as usize], writable: true, space: Some(loc) });
        self.spaces.insert(loc, self.memories.len() - 1);
        self.memories.len() - 1
    }

    /// A pointer as an integer: an address of the core is the number a program would write.
    pub fn number(&self, address: PlainAddress) -> i64 {
        match self.memories[address.memory].space {
            Some(_) => address.byte,
            None => (((address.memory as i64) + 1) << MEMORY_SHIFT).wrapping_add(address.byte),
        }
    }

    /// The pointer that an integer encodes; `on` selects the memory of the core for small numbers.
    pub fn pointer(&mut self, number: i64, on: Option<Loc>) -> PlainResult<PlainAddress> {
        let half = 1 << (MEMORY_SHIFT - 1);
        let memory = number.wrapping_add(half) >> MEMORY_SHIFT;
        match (memory, on) {
            (0, Some(loc)) => Ok(PlainAddress { memory: self.space(loc), byte: number }),
            (1.., _) if (memory as usize) <= self.memories.len() => {
                Ok(PlainAddress { memory: memory as usize - 1, byte: number - (memory << MEMORY_SHIFT) })
            }
            _ => Err(codes::RUN_OUTSIDE),
        }
    }

    /// Where some bytes lie in their memory.
    pub fn range(&self, at: PlainAddress, count: u64) -> PlainResult<std::ops::Range<usize>> {
        let end = i128::from(at.byte) + i128::from(count);
        if at.byte < 0 || end > self.memories[at.memory].bytes.len() as i128 {
            return Err(codes::RUN_OUTSIDE);
        }
        Ok(at.byte as usize..end as usize)
    }

    pub fn read(&self, at: PlainAddress, count: u64) -> PlainResult<Vec<u8>> {
        let range = self.range(at, count)?;
        Ok(self.memories[at.memory].bytes[range].to_vec())
    }

    pub fn write(&mut self, at: PlainAddress, bytes: &[u8]) -> PlainResult<()> {
        let range = self.range(at, bytes.len() as u64)?;
        if !self.memories[at.memory].writable {
            return Err(codes::RUN_ARGUMENT);
        }
        self.memories[at.memory].bytes[range].copy_from_slice(bytes);
        Ok(())
    }

    /// The bits of an element that starts at a bit.
    pub fn peek(&self, at: PlainAddress, bit: u64, bits: u32) -> u64 {
        let memory = &self.memories[at.memory].bytes;
        let first = at.byte as usize + (bit / 8) as usize;
        if bits < 8 {
            return u64::from(memory[first] >> (bit % 8)) & ((1 << bits) - 1);
        }
        let bytes = (bits / 8) as usize;
        memory[first..first + bytes].iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
    }

    pub fn poke(&mut self, at: PlainAddress, bit: u64, bits: u32, value: u64) {
        let memory = &mut self.memories[at.memory].bytes;
        let first = at.byte as usize + (bit / 8) as usize;
        if bits < 8 {
            let mask = ((1u8 << bits) - 1) << (bit % 8);
            memory[first] = memory[first] & !mask | (value as u8) << (bit % 8) & mask;
            return;
        }
        let bytes = (bits / 8) as usize;
        memory[first..first + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
}
