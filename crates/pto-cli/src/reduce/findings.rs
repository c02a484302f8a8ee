//! What tells one fault from another.

use pto::Diagnostic;
use pto::Module;
use pto::isa::ordered::OrdSet;
use pto::isa::{Code, codes};

/// What stays the same about a finding while the program around it changes: its id, its instruction, and of a race what it says but for
/// names and numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct FaultKey {
    pub(super) code: Code,
    instruction: &'static str,
    message: String,
}

impl FaultKey {
    /// A read of memory that nothing writes: what is left when the writer is removed, and no wrong order.
    pub(super) fn is_left_over(&self) -> bool {
        [codes::RACE_UNWRITTEN, codes::RACE_FOREIGN].contains(&self.code)
    }
}

/// The keys of diagnostics about a program.
pub(super) fn keys(module: &Module, found: &[Diagnostic]) -> OrdSet<FaultKey> {
    let order = module.order();
    let key = |d: &Diagnostic| {
        let (start, end) = (d.primary.span.start, d.primary.span.end);
        let spans = order.iter().map(|id| module.op(*id)).filter(|op| op.span.start <= start && end <= op.span.end);
        let instruction = spans.min_by_key(|op| op.span.end - op.span.start).map_or("", |op| op.op.row().name);
        let is_race = d.code.number() / 100 == 8;
        FaultKey { code: d.code, instruction, message: if is_race { gist(&d.message) } else { String::new() } }
    };
    found.iter().map(key).collect()
}

/// A message without numbers and without what is in backquotes.
fn gist(message: &str) -> String {
    let outside = message.split('`').step_by(2);
    outside.flat_map(str::chars).filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_do_not_matter() {
        assert_eq!(gist("PIPE_V may read `%t` 16 times"), "PIPE_V may read   times");
    }
}
