//! Copies of the state of a core.

use pto_cpu::{RegisterSnapshot, StepDone};

/// The state of a core right after a moment.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoint {
    /// The number of moments of the core before it.
    pub moments: u32,
    /// The number of moments of all cores before it.
    pub time: u32,
    /// The number of register changes of the core before it.
    pub changes: u32,
    pub registers: RegisterSnapshot,
    /// Parts of its memory: the first byte and the bytes.
    pub memory: Vec<(u64, Vec<u8>)>,
}

impl Checkpoint {
    pub fn take(done: &mut StepDone<'_, '_>, moments: usize, time: usize, changes: usize) -> Self {
        let mut memory = Vec::new();
        done.memory_in_use(&mut |start, bytes| memory.push((start, bytes.to_vec())));
        let registers = done.registers();
        Self { moments: moments as u32, time: time as u32, changes: changes as u32, registers, memory }
    }

    pub fn bytes(&self) -> u64 {
        // RegisterSnapshot are a few hundred words.
        4096 + self.memory.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>()
    }
}
