//! The moments of a recording, in little memory: most instructions are executed often, and differ only in their iterations.

use crate::streams::make_room;

/// A moment as it is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptMoment {
    /// What it shares with others.
    pub kind: MomentKind,
    /// The number of register changes of its core up to and including it.
    pub changes: u32,
    /// Where its iterations lie: their number, then they, the outermost first.
    pub iterations: u32,
}

/// What moments of the same instruction have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MomentKind {
    pub core: u32,
    pub step: u32,
    /// The list of accesses.
    pub list: u32,
    /// The deed; 0 is work.
    pub deed: u32,
    pub pipe: u8,
}

/// Moments, in order.
#[derive(Clone, Default, Debug)]
pub(crate) struct MomentTable {
    kinds: Vec<MomentKind>,
    moments: Vec<PackedMoment>,
}

#[derive(Clone, Copy, Debug)]
struct PackedMoment {
    kind: u32,
    changes: u32,
    iterations: u32,
}

impl MomentTable {
    /// Bytes that a moment takes whose kind is known.
    pub const MOMENT_BYTES: u64 = size_of::<PackedMoment>() as u64;
    /// Bytes that a kind takes.
    pub const KIND_BYTES: u64 = size_of::<MomentKind>() as u64;

    #[inline]
    pub fn len(&self) -> usize {
        self.moments.len()
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        Self::KIND_BYTES * self.kinds.len() as u64 + Self::MOMENT_BYTES * self.moments.len() as u64
    }

    /// Adds a kind.
    pub fn add_kind(&mut self, kind: MomentKind) -> u32 {
        make_room(&mut self.kinds);
        self.kinds.push(kind);
        self.kinds.len() as u32 - 1
    }

    /// A kind, if there are so many.
    pub fn kind(&self, at: u32) -> Option<&MomentKind> {
        self.kinds.get(at as usize)
    }

    /// Adds a moment of a kind; its position.
    #[inline]
    pub fn push(&mut self, kind: u32, changes: u32, iterations: u32) -> u32 {
        make_room(&mut self.moments);
        self.moments.push(PackedMoment { kind, changes, iterations });
        self.moments.len() as u32 - 1
    }

    /// Sets the number of changes of a moment that is complete.
    #[inline]
    pub fn set_changes(&mut self, at: u32, changes: u32) {
        self.moments[at as usize].changes = changes;
    }

    pub fn get(&self, at: u32) -> Option<KeptMoment> {
        self.moments.get(at as usize).map(|packed| self.unpack(packed))
    }

    /// A moment that is there.
    #[inline]
    pub fn at(&self, at: u32) -> KeptMoment {
        self.unpack(&self.moments[at as usize])
    }

    pub fn iter(&self) -> impl Iterator<Item = KeptMoment> + '_ {
        self.moments.iter().map(|packed| self.unpack(packed))
    }

    #[inline]
    fn unpack(&self, packed: &PackedMoment) -> KeptMoment {
        let &PackedMoment { kind, changes, iterations } = packed;
        KeptMoment { kind: self.kinds[kind as usize], changes, iterations }
    }
}
