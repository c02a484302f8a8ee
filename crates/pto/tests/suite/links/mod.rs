//! Random programs whose cores, blocks and ranks talk to each other, and what must become of them.

pub mod blocks;
pub mod changes;
pub mod pipes;
mod pipes_text;
pub mod ranks;

use pto::Target;
use pto::cpu::Arg;

/// A program, how it is started, and what it does.
#[derive(Clone)]
pub struct Case {
    pub text: String,
    pub target: Target,
    pub blocks: u32,
    /// The arguments of each rank.
    pub ranks: Vec<Vec<Given>>,
    pub expected: Expected,
}

/// An argument.
#[derive(Clone)]
pub enum Given {
    Int(i64),
    Memory(Vec<u8>),
    Remote { rank: usize, param: usize },
}

impl Given {
    pub fn floats(numbers: impl IntoIterator<Item = f32>) -> Self {
        Self::Memory(numbers.into_iter().flat_map(f32::to_le_bytes).collect())
    }

    pub fn words(count: usize) -> Self {
        Self::Memory(vec![0; 4 * count])
    }

    pub fn arg(&mut self) -> Arg<'_> {
        match self {
            Self::Int(n) => Arg::Int(*n),
            Self::Memory(bytes) => Arg::write_bytes(bytes),
            Self::Remote { rank, param } => Arg::Remote { rank: *rank, param: *param },
        }
    }
}

/// What must become of a program.
#[derive(Clone)]
pub enum Expected {
    /// It ends, and this parameter of each rank holds these bytes.
    Values(usize, Vec<Vec<u8>>),
    /// Nobody can go on.
    Deadlock,
    /// Anything but a hang or a panic, and the same every time.
    Anything,
}

/// Bytes of numbers.
pub fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}
