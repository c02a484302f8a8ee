//! What a device's implementation does beyond what the instruction means.
//!
//! Instructions are functions of the device headers. Some of them write a destination before they have read a source, use
//! memory of a source or implicit memory as scratch, or compute something else for some operands. A row lists these
//! hazards; everything that places, orders or checks instructions reads them from there.

use super::Row;
use crate::rules::{Instance, RuleArg};
use crate::text;
use crate::{Loc, Target, Targets, TileType, Type};

/// Decides whether a hazard applies to a use of an instruction.
pub type Condition = fn(&Instance) -> bool;

/// A hazard of an instruction on some devices.
#[derive(Clone, Copy, Debug)]
pub struct Hazard {
    /// Where.
    pub targets: Targets,
    /// When, in words and as a function; always where there is none.
    pub when: Option<(&'static str, Condition)>,
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
    /// With the first operand on the second, it computes something else; what, as a sentence about the device.
    Differs(&'static str, &'static str, &'static str),
    /// The second operand is used where the first is named: they must be the same memory.
    Ignores(&'static str, &'static str),
    /// What depends on data or on state of the core, and what a type does not show; in words.
    Limit(&'static str),
}

impl Harm {
    /// What respects it: diagnostics and passes.
    pub fn respected_by(&self) -> &'static str {
        match self {
            Self::WritesEarly(..) => text!("check and race (E0221), planning"),
            Self::Destroys(_) => text!("check (E0226), race, order, planning, lowering"),
            Self::Hidden(_) => text!("check (E0227), race, order, plan, lowering"),
            Self::Fault(_) => text!("check and run (E0228)"),
            Self::Differs(..) => text!("check and run (E0228), planning"),
            Self::Ignores(..) => text!("check and run (E0228), planning"),
            Self::Limit(_) => text!("the author"),
        }
    }
}

/// Memory that an implementation uses implicitly.
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

/// Uses implicit memory.
pub const fn hidden(memory: HiddenMemory) -> Hazard {
    Hazard { targets: Targets::A2A3, when: None, harm: Harm::Hidden(memory) }
}

/// Computes something else.
pub const fn fault(text: &'static str) -> Hazard {
    Hazard { targets: Targets::A2A3, when: None, harm: Harm::Fault(text) }
}

/// In place, computes something else.
pub const fn differs(dst: &'static str, src: &'static str, text: &'static str) -> Hazard {
    Hazard { targets: Targets::A2A3, when: None, harm: Harm::Differs(dst, src, text) }
}

/// Takes the second operand for the first.
pub const fn ignores(src: &'static str, dst: &'static str) -> Hazard {
    Hazard { targets: Targets::A2A3, when: None, harm: Harm::Ignores(src, dst) }
}

/// Depends on data or on state.
pub const fn limit(text: &'static str) -> Hazard {
    Hazard { targets: Targets::A2A3, when: None, harm: Harm::Limit(text) }
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
    pub const fn when(mut self, words: &'static str, holds: Condition) -> Self {
        self.when = Some((words, holds));
        self
    }

    /// What happens and when, as a phrase.
    pub fn describe(&self) -> String {
        let what = match self.harm {
            Harm::WritesEarly(dst, src) => {
                text!("`{dst}` is written before `{src}` has been read: they must not share memory", dst, src)
            }
            Harm::Destroys(src) => text!("`{src}` is scratch memory: its content is destroyed", src),
            Harm::Hidden(memory) => text!("works in {memory}, which no operand names", memory),
            Harm::Differs(dst, src, text) => {
                text!("`{dst}` on `{src}`: {text}", dst, src, text = text::translate(text))
            }
            Harm::Ignores(src, dst) => {
                text!("`{dst}` is read in place of `{src}`: they must be the same memory", dst, src)
            }
            Harm::Fault(text) | Harm::Limit(text) => text::translate(text).to_string(),
        };
        match self.when {
            Some((words, _)) => text!("{words}: {what}", words = text::translate(words), what),
            None => what,
        }
    }
}

impl std::fmt::Display for HiddenMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = text!(
            "bytes {start} to {end} of `{loc}` ({first} to {last} KiB)",
            start = format_args!("{:#x}", self.start),
            end = format_args!("{:#x}", self.end),
            loc = self.loc,
            first = self.start / 1024,
            last = self.end / 1024
        );
        f.write_str(&words)
    }
}

impl Row {
    /// The hazards of a use of the instruction.
    pub fn hazards_of<'a>(&'static self, instance: &'a Instance<'a>) -> impl Iterator<Item = &'static Hazard> + 'a {
        let applies =
            |h: &&Hazard| h.targets.contains(instance.target) && h.when.is_none_or(|(_, holds)| holds(instance));
        self.hazards.iter().filter(applies)
    }

    /// True when a destination of this type may not lie on a source of this type, on one of these targets.
    pub(super) fn harms_in_place(&self, targets: Targets, from: (usize, &TileType), to: (usize, &TileType)) -> bool {
        let name = |slot: usize| self.slots.get(slot).map_or("", |s| s.name);
        let (src, dst) = (name(from.0), name(to.0));
        let is_about = |h: &&Hazard| match h.harm {
            Harm::WritesEarly(d, s) | Harm::Differs(d, s, _) => (d, s) == (dst, src),
            _ => false,
        };
        let types = [(from.0, Type::TileBuf(*from.1)), (to.0, Type::TileBuf(*to.1))];
        let args = types.each_ref().map(|(slot, ty)| RuleArg { slot: *slot as u8, ty, value: None });
        let applies = |h: &Hazard, row: &'static Self, target: Target| {
            let instance = Instance { row, target, manual: false, args: &args, attrs: &[] };
            h.targets.contains(target) && h.when.is_none_or(|(_, holds)| holds(&instance))
        };
        let Some(row) = crate::table::find(self.name).map(|op| op.row()) else { return false };
        row.hazards.iter().filter(is_about).any(|h| targets.iter().any(|target| applies(h, row, target)))
    }

    /// The operand that must share its memory with another, and that other, on one of these targets.
    pub fn ignored_operand(&self, target: Target) -> Option<(&'static str, &'static str)> {
        self.hazards.iter().filter(|h| h.targets.contains(target)).find_map(|h| match h.harm {
            Harm::Ignores(src, dst) => Some((src, dst)),
            _ => None,
        })
    }

    /// The memory that some use of an instruction of the table works in on a target without naming it.
    pub fn hidden_memory(&self, target: Target) -> impl Iterator<Item = HiddenMemory> {
        self.hazards.iter().filter(move |h| h.targets.contains(target)).filter_map(|h| match h.harm {
            Harm::Hidden(memory) => Some(memory),
            _ => None,
        })
    }
}
