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
