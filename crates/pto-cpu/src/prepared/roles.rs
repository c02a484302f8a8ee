//! What a core of a block executes.

use pto_isa::row::CoreKind;

/// What a core executes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// Everything: the block is one core.
    Whole,
    /// What is for the cube core.
    Cube,
    /// What is for vector cores.
    Vector,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Whole, Self::Cube, Self::Vector];

    /// True when this core executes code for cores of a kind.
    pub(crate) fn executes(self, kind: CoreKind) -> bool {
        match self {
            Self::Whole => true,
            Self::Cube => kind != CoreKind::Vector,
            Self::Vector => kind != CoreKind::Cube,
        }
    }
}

/// A core of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CoreId {
    /// Its rank.
    pub rank: u32,
    /// Its block.
    pub block: u32,
    /// Which of the cores of the block it is.
    pub role: Role,
    /// Its number among the vector cores of the block.
    pub sub: u32,
}

impl CoreId {
    /// The name of the core in its block: `cube`, `vector 0`; none if the block has one.
    pub fn name(self) -> Option<String> {
        match self.role {
            Role::Whole => None,
            Role::Cube => Some("cube".to_string()),
            Role::Vector => Some(format!("vector {}", self.sub)),
        }
    }
}
