//! Operations in another spelling of the source, which the formatter keeps: `pto.divi %a, %b signed : i32`.

use super::Printer;
use crate::{Module, OpId};
use pto_isa::Op;
use pto_isa::row::{Arith, Twin};

impl Printer<'_> {
    /// The row that the source uses, unless another form is requested.
    pub(super) fn written(&self, op: OpId) -> Option<Op> {
        if self.style.form.is_some() { None } else { self.spelling(op)?.written }
    }

    /// ` signed` or ` unsigned`, if the spelling has it.
    pub(super) fn signedness(&mut self, op: OpId) {
        let unsigned = match self.written(op).and_then(|written| written.row().twin) {
            Some(Twin::Signed(_, unsigned)) => self.module.arith(op) == Some(unsigned),
            Some(Twin::CompareInt) => self.module.choice(op, "predicate").is_some_and(|word| word.starts_with('u')),
            _ => return,
        };
        self.put(if unsigned { " unsigned" } else { " signed" });
    }
}

/// A predicate without its signedness.
pub(super) fn predicate<'w>(module: &Module, op: OpId, word: &'w str) -> &'w str {
    match module.arith(op) {
        Some(Arith::CompareInt) if word.len() == 3 => &word[1..],
        _ => word,
    }
}

/// True for `pto.exp %x : f32 -> f32`.
pub(super) fn states_result(module: &Module, op: OpId) -> bool {
    matches!(module.arith(op), Some(Arith::Exp | Arith::Log | Arith::Sqrt))
}
