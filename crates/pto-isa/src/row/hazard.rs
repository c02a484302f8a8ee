//! What a device's implementation does beyond what the instruction means.
//!
//! Instructions are functions of the device headers, and some of them write a destination before they have read a source,
//! work in memory of a source or in memory that nobody names, or compute something else for some operands. A row lists
//! that, and everything that places, orders or judges instructions reads it from there.

use super::Row;
use crate::rules::Instance;
use crate::{Loc, Target, Targets};

/// A hazard of an instruction on some devices.
#[derive(Clone, Copy, Debug)]
pub struct Hazard {
    /// Where.
    pub targets: Targets,
    /// When, in words and as a function; always where there is none.
    pub when: Option<(&'static str, fn(&Instance) -> bool)>,
    /// What happens.
    pub harm: Harm,
}

/// What an implementation does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Harm {
    /// The first operand is written before the second has been read: they must not share memory.
    WritesEarly(&'static str, &'static str),
    /// This source is memory to work in, and holds something else afterwards.
    Destroys(&'static str),
    /// It works in memory that no operand names.
    Hidden(HiddenMemory),
    /// It computes something else; what, as a sentence about the device.
    Fault(&'static str),
    /// State of the core that it changes or relies on, in words.
    State(&'static str),
}

impl Harm {
    /// What respects it: diagnostics and passes.
    pub const fn respected_by(&self) -> &'static str {
        match self {
            Self::WritesEarly(..) => "check (E0221), planning",
            Self::Destroys(_) => "check (E0226), race, order, planning, lowering",
            Self::Hidden(_) => "check (E0227), race, order, plan, lowering",
            Self::Fault(_) => "check and run (E0228)",
            Self::State(_) => "the author",
        }
    }
}

/// Bytes that an implementation uses without being given them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HiddenMemory {
    /// The memory.
    pub loc: Loc,
    /// First byte.
    pub start: u64,
    /// One past the last.
    pub end: u64,
}

/// The first operand is written before the second has been read.
pub const fn writes_early(dst: &'static str, src: &'static str) -> Hazard {
    Hazard { targets: Targets::A2A3, when: None, harm: Harm::WritesEarly(dst, src) }
}

/// The source is lost.
pub const fn destroys(src: &'static str) -> Hazard {
    Hazard { targets: Targets::A2A3, when: None, harm: Harm::Destroys(src) }
}

/// Works in memory of its own.
pub const fn hidden(memory: HiddenMemory) -> Hazard {
    Hazard { targets: Targets::A2A3, when: None, harm: Harm::Hidden(memory) }
}

/// Computes something else.
pub const fn fault(text: &'static str) -> Hazard {
    Hazard { targets: Targets::A2A3, when: None, harm: Harm::Fault(text) }
}

/// Changes or relies on state.
pub const fn state(text: &'static str) -> Hazard {
    Hazard { targets: Targets::A2A3, when: None, harm: Harm::State(text) }
}

impl Hazard {
    /// On these targets, instead of a2a3.
    #[must_use]
    pub const fn on(mut self, targets: Targets) -> Self {
        self.targets = targets;
        self
    }

    /// Only then.
    #[must_use]
    pub const fn when(mut self, words: &'static str, holds: fn(&Instance) -> bool) -> Self {
        self.when = Some((words, holds));
        self
    }

    /// What happens and when, as a phrase.
    pub fn describe(&self) -> String {
        let what = match self.harm {
            Harm::WritesEarly(dst, src) => {
                format!("`{dst}` is written before `{src}` has been read: they must not share memory")
            }
            Harm::Destroys(src) => format!("`{src}` is work space: its content is lost"),
            Harm::Hidden(memory) => format!("works in {memory}, which no operand names"),
            Harm::Fault(text) | Harm::State(text) => text.to_string(),
        };
        match self.when {
            Some((words, _)) => format!("{words}: {what}"),
            None => what,
        }
    }
}

impl std::fmt::Display for HiddenMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "bytes {:#x} to {:#x} of `{}` ({} to {} KiB)",
            self.start,
            self.end,
            self.loc,
            self.start / 1024,
            self.end / 1024
        )
    }
}

impl Row {
    /// The hazards of a use of the instruction.
    pub fn hazards_of<'a>(&'static self, instance: &'a Instance<'a>) -> impl Iterator<Item = &'static Hazard> + 'a {
        let applies =
            |h: &&Hazard| h.targets.contains(instance.target) && h.when.is_none_or(|(_, holds)| holds(instance));
        self.hazards.iter().filter(applies)
    }

    /// True when some use of the instruction writes one operand before it has read another, on one of these targets.
    pub(super) fn may_write_early(&self, targets: Targets, dst: usize, src: usize) -> bool {
        let name = |slot: usize| self.slots.get(slot).map_or("", |s| s.name);
        let on = |h: &Hazard| targets.iter().any(|target| h.targets.contains(target));
        self.hazards.iter().any(|h| on(h) && h.harm == Harm::WritesEarly(name(dst), name(src)))
    }

    /// The memory that some use of an instruction of the table works in on a target without naming it.
    pub fn hidden_memory(&self, target: Target) -> impl Iterator<Item = HiddenMemory> {
        self.hazards.iter().filter(move |h| h.targets.contains(target)).filter_map(|h| match h.harm {
            Harm::Hidden(memory) => Some(memory),
            _ => None,
        })
    }
}
