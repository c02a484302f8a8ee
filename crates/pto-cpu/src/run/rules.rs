//! Rules that only the values at run time decide.

use super::core::Core;
use super::fail::Fail;
use crate::Numerics;
use crate::prepared::{CheckId, StepId, ValueStorage};
use pto_isa::text;
use pto_isa::{Diagnostic, Dim, Type};

/// Sets of values for which the rules of an instruction are remembered to hold.
const KNOWN_FACTS: usize = 8;

impl Core<'_> {
    /// Rules that the values at run time decide. What held before holds again; loops come back to the same few regions.
    #[inline(never)]
    pub fn check_rules(&mut self, which: CheckId, at: StepId) -> Result<(), Fail> {
        let plan = self.plan;
        let check = &plan.calls.checks[which];
        let mut facts = std::mem::take(&mut self.issue.facts);
        facts.clear();
        // One fact at least, so that there is something to find.
        facts.push(0);
        check.values.iter().for_each(|(_, slot)| self.facts(*slot, |fact| facts.push(fact)));
        let known = &mut self.issue.checked[which];
        let is_new = !known.chunks_exact(facts.len()).any(|k| k == facts);
        if is_new {
            if known.len() >= KNOWN_FACTS * facts.len() {
                known.drain(..facts.len());
            }
            known.extend_from_slice(&facts);
        }
        self.issue.facts = facts;
        if !is_new {
            return Ok(());
        }
        let op = plan.code.origins[at];
        let mut facts: Vec<(Type, Option<i64>)> =
            check.values.iter().map(|(v, slot)| self.runtime_type(plan.module().value_type(*v), *slot)).collect();
        let Some(problem) = pto_check::recheck(&plan.source.checked, op, &facts) else { return Ok(()) };
        if !problem.is_error() {
            self.note(problem);
            return Ok(());
        }
        let as_devices_do = plan.source.options.numerics != Numerics::Reference
            && pto_check::widen(&plan.source.checked, op, &mut facts)
            && pto_check::recheck(&plan.source.checked, op, &facts).is_none();
        if !as_devices_do {
            return Err(Fail::Rule(Box::new(problem)));
        }
        self.note_wide(problem);
        Ok(())
    }

    fn note_wide(&mut self, problem: Diagnostic) {
        let why = text!(
            "as on devices, the sources were read wherever the destination is valid; what lies there may be anything"
        );
        self.note(problem.warning().help(why));
    }

    /// The numbers of a value that rules may read.
    fn facts(&self, slot: ValueStorage, mut fact: impl FnMut(u64)) {
        match slot {
            ValueStorage::Scalar(reg) => fact(self.reg(reg)),
            ValueStorage::Tile(tile) => {
                let tile = &self.regs.tiles[tile];
                fact(u64::from(tile.rows) << 32 | u64::from(tile.cols));
            }
            ValueStorage::View(view) => self.regs.views[view].shape.iter().for_each(|n| fact(*n)),
            ValueStorage::Nothing | ValueStorage::Multi(..) | ValueStorage::Array(_) | ValueStorage::End(_) => {}
        }
    }

    /// A type with the extents it has now, and the value of a number.
    fn runtime_type(&self, ty: &Type, slot: ValueStorage) -> (Type, Option<i64>) {
        let mut ty = ty.clone();
        let mut value = None;
        match (&mut ty, slot) {
            (Type::Tile(t) | Type::TileBuf(t), ValueStorage::Tile(tile)) => {
                let tile = &self.regs.tiles[tile];
                t.valid_rows = Dim::Fixed(tile.rows.into());
                t.valid_cols = Dim::Fixed(tile.cols.into());
            }
            (Type::TensorView(v) | Type::PartitionView(v), ValueStorage::View(view)) => {
                let shape = self.regs.views[view].shape;
                let skip = 5 - v.dims.len().min(5);
                v.dims.iter_mut().zip(&shape[skip..]).for_each(|(d, n)| *d = Dim::Fixed(*n));
            }
            (Type::Scalar(s), ValueStorage::Scalar(reg)) if s.is_int() => value = Some(self.int(reg)),
            _ => {}
        }
        (ty, value)
    }
}
