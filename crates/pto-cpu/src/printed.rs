//! What a run printed, and where.

use crate::prepared::CoreId;
use pto_isa::{Location, Span, text};
use std::fmt;

/// What an instruction printed: a tile, a window of memory, or a number.
///
/// As text, it starts with the line, the iterations of the loops around it and the core, as far as there are several:
///
/// ```text
/// softmax.pto:33  %t  vec f32 2x3  iteration 2.0  block 1 vector 0
///   1.0000   2.0000   3.0000
///   4.0000   5.0000   6.0000
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Printed {
    /// The core.
    pub core: CoreId,
    /// How many cores there are.
    pub among: CoreCounts,
    /// The instruction.
    pub span: Span,
    /// Where that stands, if the program has a source.
    pub location: Option<Location>,
    /// The iterations of the loops around it, from the outside in, each from 0.
    pub iterations: Vec<u64>,
    /// Of memory, its name, type and extents; empty for numbers.
    pub title: String,
    /// Of memory, a line for each row; of a number, what its format makes of it.
    pub text: String,
}

/// How many cores take part in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CoreCounts {
    /// Ranks.
    pub ranks: u32,
    /// Blocks of a rank.
    pub blocks: u32,
    /// Cores of a block.
    pub cores: u32,
}

impl CoreCounts {
    /// Blocks of one core.
    pub(crate) fn of_blocks(blocks: u32) -> Self {
        Self { ranks: 1, blocks, cores: 1 }
    }
}

impl Printed {
    /// Where it was printed: `softmax.pto:33`, without the directory.
    fn line(&self) -> Option<String> {
        let place = self.location.as_ref()?;
        let file = place.file.rsplit(['/', '\\']).next().unwrap_or_default();
        Some(format!("{file}:{}", place.line))
    }

    fn iteration(&self) -> Option<String> {
        let numbers: Vec<String> = self.iterations.iter().map(u64::to_string).collect();
        let numbers = Some(numbers.join(".")).filter(|n| !n.is_empty())?;
        Some(text!("iteration {numbers}", numbers))
    }

    /// The core, as far as there are others.
    fn on_core(&self) -> Option<String> {
        let CoreCounts { ranks, blocks, cores } = self.among;
        let rank = (ranks > 1).then(|| text!("rank {rank}", rank = self.core.rank));
        let block = (blocks > 1).then(|| text!("block {block}", block = self.core.block));
        let core = self.core.name().filter(|_| cores > 1);
        let parts: Vec<String> = [rank, block, core].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = Some(self.title.clone()).filter(|title| !title.is_empty());
        let is_number = title.is_none();
        let parts = [self.line(), title, self.iteration(), self.on_core()];
        let head = parts.into_iter().flatten().collect::<Vec<_>>().join("  ");
        if !is_number {
            return write!(f, "{head}\n{}", self.text);
        }
        // The head of a number is on its line.
        let space = if head.is_empty() { "" } else { "  " };
        writeln!(f, "{head}{space}{}", self.text.trim_end_matches('\n'))
    }
}
