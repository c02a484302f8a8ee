//! The ways in which a program becomes smaller, and their order.

mod blocks;
mod details;
mod operations;
mod parameters;
mod regions;
mod sizes;

use crate::search::Shrinking;

/// Repeats all passes until none of them helps.
pub(crate) fn run(s: &mut Shrinking<'_>) {
    const PASSES: &[fn(&mut Shrinking<'_>)] = &[
        operations::functions,
        operations::nested,
        regions::unwrap,
        operations::groups,
        operations::merge,
        operations::constants,
        regions::carried,
        parameters::unused,
        blocks::straighten,
        sizes::shared,
        sizes::single,
        sizes::inputs,
        details::attributes,
        details::operands,
        details::aliases,
    ];
    loop {
        let before = s.base.best.after;
        for pass in PASSES {
            s.read_again();
            pass(s);
        }
        if s.base.best.after == before {
            // Only what two operations do together is left.
            s.read_again();
            operations::any_two(s);
        }
        if s.base.best.after == before || s.is_stopped() {
            return;
        }
    }
}
