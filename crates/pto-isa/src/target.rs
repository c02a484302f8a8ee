//! Targets as data: memory capacities, pipes, limits.
//!
//! A new target is a new [`Profile`] value; code reads profile fields instead of testing for a target.

use crate::{BLayout, Loc};
use std::fmt;

/// A machine a program can be checked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Target {
    /// Ascend 910B and 910C class devices.
    A2A3,
    /// Ascend 950 class devices.
    A5,
    /// The permissive host machine: the union of what the devices accept.
    Cpu,
}

impl Target {
    /// Every target.
    pub const ALL: [Self; 3] = [Self::A2A3, Self::A5, Self::Cpu];

    /// The name on the command line and in messages.
    pub const fn name(self) -> &'static str {
        self.profile().name
    }

    /// Other names of the target.
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            Self::A2A3 => &["a2", "a3", "a2/a3", "910b", "910c"],
            Self::A5 => &["950"],
            Self::Cpu => &[],
        }
    }

    /// Reads a target name or alias, in any case.
    ///
    /// ```
    /// use pto_isa::Target;
    /// assert_eq!(Target::parse("A3"), Some(Target::A2A3));
    /// assert_eq!(Target::parse("a7"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        Self::ALL.into_iter().find(|t| t.name() == text || t.aliases().contains(&text.as_str()))
    }

    /// The facts about this target.
    pub const fn profile(self) -> &'static Profile {
        &PROFILES[self as usize]
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of targets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Targets(u8);

impl Targets {
    /// Every target.
    pub const ALL: Self = Self(0b111);
    /// No target.
    pub const NONE: Self = Self(0);
    /// Only A2A3.
    pub const A2A3: Self = Self::of(&[Target::A2A3]);
    /// Only A5.
    pub const A5: Self = Self::of(&[Target::A5]);
    /// Both devices, not the permissive host.
    pub const DEVICES: Self = Self::of(&[Target::A2A3, Target::A5]);
    /// A5 and the permissive host.
    pub const A5_CPU: Self = Self::of(&[Target::A5, Target::Cpu]);
    /// A2A3 and the permissive host.
    pub const A2A3_CPU: Self = Self::of(&[Target::A2A3, Target::Cpu]);
    /// Only the permissive host.
    pub const CPU: Self = Self::of(&[Target::Cpu]);

    /// The set of the listed targets.
    pub const fn of(list: &[Target]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i] as u8;
            i += 1;
        }
        Self(bits)
    }

    /// True when `t` is in the set.
    pub const fn contains(self, t: Target) -> bool {
        self.0 >> t as u8 & 1 == 1
    }

    /// The members.
    pub fn iter(self) -> impl Iterator<Item = Target> {
        Target::ALL.into_iter().filter(move |&t| self.contains(t))
    }
}

/// An on-chip memory of one target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Space {
    /// The tiles that live there.
    pub loc: Loc,
    /// The name of the memory.
    pub name: &'static str,
    /// Bytes; 0 when the target has no such memory.
    pub bytes: u64,
    /// Alignment of a tile's address in bytes.
    pub align: u64,
}

/// Everything about a target that is a number or a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Profile {
    /// Name.
    pub name: &'static str,
    /// One line for `pto doc` and help texts.
    pub summary: &'static str,
    /// On-chip memories.
    pub spaces: [Space; 9],
    /// Box order of the left matmul operand.
    pub left_order: BLayout,
    /// Pipes that `pipe_barrier` may name.
    pub barrier_pipes: &'static [Pipe],
    /// Pipes that start an instruction before the one before it is done: what depends on it needs a barrier.
    pub overlapping_pipes: &'static [Pipe],
    /// Event ids per ordered pair of pipes.
    pub event_ids: u32,
    /// Buffer tokens shared by all pipes.
    pub buffer_ids: u32,
    /// Cross-core signal ids.
    pub cross_core_ids: u32,
}

impl Profile {
    /// The memory that holds tiles of this location, if the target has it.
    pub fn space(&self, loc: Loc) -> Option<&Space> {
        self.spaces.iter().find(|s| s.loc == loc && s.bytes > 0)
    }
}

const KIB: u64 = 1024;

const fn spaces(kib: [u64; 9]) -> [Space; 9] {
    let mut out = [Space { loc: Loc::Vec, name: "", bytes: 0, align: 32 }; 9];
    let mut i = 0;
    while i < 9 {
        let loc = Loc::ALL[i];
        out[i] = Space { loc, name: loc.memory(), bytes: kib[i] * KIB, align: 32 };
        i += 1;
    }
    out
}

const PROFILES: [Profile; 3] = [
    Profile {
        name: "a2a3",
        summary: crate::text_key!("Ascend A2/A3: 192 KiB UB, cube and vector data meet in global memory"),
        spaces: spaces([192, 512, 64, 64, 128, 1, 2, 0, 0]),
        left_order: BLayout::RowMajor,
        barrier_pipes: &Pipe::REAL,
        overlapping_pipes: &[Pipe::V, Pipe::Mte1, Pipe::Mte2, Pipe::Mte3, Pipe::Fix],
        event_ids: 8,
        buffer_ids: 32,
        cross_core_ids: 16,
    },
    Profile {
        name: "a5",
        summary: crate::text_key!("Ascend A5: 256 KiB UB, fp8/fp4 and block scales, direct cube-vector paths"),
        spaces: spaces([256, 512, 64, 64, 256, 4, 4, 4, 4]),
        left_order: BLayout::ColMajor,
        barrier_pipes: &Pipe::REAL,
        overlapping_pipes: &[Pipe::Mte2, Pipe::Mte3],
        event_ids: 8,
        buffer_ids: 32,
        cross_core_ids: 32,
    },
    Profile {
        name: "cpu",
        summary: crate::text_key!("the host: accepts what either device accepts, with the larger of their memories"),
        spaces: spaces([512, 512, 64, 64, 256, 64, 64, 4, 4]),
        left_order: BLayout::ColMajor,
        barrier_pipes: &Pipe::REAL,
        overlapping_pipes: &[Pipe::Mte2, Pipe::Mte3],
        event_ids: 8,
        buffer_ids: 32,
        cross_core_ids: 32,
    },
];

/// An execution pipe of a core. Pipes run asynchronously and are ordered only by synchronisation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Pipe {
    /// Scalar unit.
    S,
    /// Vector unit.
    V,
    /// Cube unit.
    M,
    /// L1 to L0A, L0B, bias.
    Mte1,
    /// Global memory to UB, L1.
    Mte2,
    /// UB, L1 to global memory.
    Mte3,
    /// L0C to global memory, L1, UB.
    Fix,
    /// Every pipe: barriers only.
    All,
}

impl Pipe {
    /// The pipes that execute, and the barrier over all of them.
    pub const REAL: [Self; 8] = [Self::S, Self::V, Self::M, Self::Mte1, Self::Mte2, Self::Mte3, Self::Fix, Self::All];

    /// The dialect spelling, `PIPE_V` for example.
    pub const fn name(self) -> &'static str {
        match self {
            Self::S => "PIPE_S",
            Self::V => "PIPE_V",
            Self::M => "PIPE_M",
            Self::Mte1 => "PIPE_MTE1",
            Self::Mte2 => "PIPE_MTE2",
            Self::Mte3 => "PIPE_MTE3",
            Self::Fix => "PIPE_FIX",
            Self::All => "PIPE_ALL",
        }
    }

    /// Reads a pipe name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::REAL.into_iter().find(|p| p.name() == text)
    }

    /// The pipe that a class of operations runs on, as events name them.
    ///
    /// ```
    /// use pto_isa::Pipe;
    /// assert_eq!(Pipe::of_class("TLOAD"), Some(Pipe::Mte2));
    /// assert_eq!(Pipe::of_class("PIPE_V"), None);
    /// ```
    pub fn of_class(text: &str) -> Option<Self> {
        Some(match text {
            "TLOAD" => Self::Mte2,
            "TSTORE_VEC" => Self::Mte3,
            "TSTORE_ACC" | "TMOV_M2S" | "TMOV_V2M" => Self::Fix,
            "TMOV_M2L" | "TMOV_M2B" => Self::Mte1,
            "TMATMUL" => Self::M,
            "TVEC" | "TMOV_M2V" | "TVECWAIT_EVENT" => Self::V,
            _ => return None,
        })
    }
}

impl fmt::Display for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacities_are_the_headers() {
        let kib = |t: Target, l| t.profile().space(l).map(|s| s.bytes / KIB);
        assert_eq!(kib(Target::A2A3, Loc::Vec), Some(192));
        assert_eq!(kib(Target::A5, Loc::Vec), Some(256));
        assert_eq!(kib(Target::A2A3, Loc::ScaleLeft), None);
        assert_eq!(kib(Target::A5, Loc::Acc), Some(256));
    }

    #[test]
    fn names_read_back() {
        for t in Target::ALL {
            assert_eq!(Target::parse(t.name()), Some(t));
        }
        for p in Pipe::REAL {
            assert_eq!(Pipe::parse(p.name()), Some(p));
        }
    }
}
