//! Flags that are set and waited for under different conditions, in loops with different bounds, or with different ids.

use super::draft::Draft;
use pto_ir::{OpId, ValueId};
use pto_isa::row::{Arith, Control, FlagForm, SyncOp};
use pto_isa::sort::SharedSort;
use pto_isa::{Op, codes};

const SAME_CONDITION: &str = pto_isa::text_key!("set the flag and wait for it under the same condition");
const SAME_BOUNDS: &str = pto_isa::text_key!("set the flag and wait for it in loops with the same bounds");
const OWN_ID: &str = pto_isa::text_key!("use the id that the other side computes");

impl Draft<'_> {
    pub(super) fn flags(&mut self) {
        if ![codes::FLAG_UNSET, codes::FLAG_LEFT, codes::FLAG_TWICE].contains(&self.code) {
            return;
        }
        let pipes = |id: OpId| pto_check::flag_of(self.module, id).map(|(src, dst, _)| (src, dst));
        let Some(own) = self.ops.iter().find_map(|id| pipes(*id)) else { return };
        let flags = self.all(|id| self.module.sync(id).is_some_and(SyncOp::is_flag) && pipes(id) == Some(own));
        let mut flags = self.nearest(flags);
        flags.shared_sort();
        self.computed_ids(&flags);
        self.same_loops(&flags);
        self.same_branches(&flags);
        self.same_numbers(&flags);
    }

    fn kinds_around(&self, flags: &[OpId], kind: Control) -> Vec<OpId> {
        let mut all: Vec<OpId> = flags.iter().flat_map(|id| self.around(*id, kind)).collect();
        all.shared_sort();
        all.dedup();
        all
    }

    /// A fixed id where the other side computes it.
    fn computed_ids(&mut self, flags: &[OpId]) {
        let form = |id: OpId| match self.module.sync(id) {
            Some(SyncOp::SetFlag(form) | SyncOp::WaitFlag(form)) => Some(form),
            _ => None,
        };
        let (fixed, rest): (Vec<OpId>, Vec<OpId>) = flags.iter().partition(|id| form(**id) == Some(FlagForm::Fixed));
        let ids: Vec<ValueId> =
            rest.iter().filter_map(|id| self.module.operands(*id).first()).map(|o| o.value).collect();
        for flag in fixed {
            let Some((src, dst, _)) = pto_check::flag_of(self.module, flag) else { continue };
            let is_set = matches!(self.module.sync(flag), Some(SyncOp::SetFlag(_)));
            let computed = FlagForm::Computed;
            let op = if is_set { SyncOp::SetFlag(computed) } else { SyncOp::WaitFlag(computed) };
            // A helper has its own name for the id of its caller.
            let named = ids.iter().flat_map(|id| std::iter::once(*id).chain(self.alike(*id, flag)));
            let named: Vec<ValueId> =
                named.filter(|v| self.is_known_at(*v, flag) && self.module.literal(*v).is_none()).collect();
            for value in named {
                let Some(name) = self.name(value) else { continue };
                let text = format!("pto.{}[<{src}>, <{dst}>, {name}]", Op::of(op).row().name);
                let edits = self.rewritten(&[(self.module.op(flag).span, text)]);
                self.put(OWN_ID, edits);
            }
        }
    }

    /// The loop around one side gets the bounds of the loop around the other.
    fn same_loops(&mut self, flags: &[OpId]) {
        let loops = self.kinds_around(flags, Control::For);
        let bounds = |id: OpId| self.module.operands(id).iter().take(3).map(|o| o.value).collect::<Vec<_>>();
        for (a, b) in loops.iter().rev().flat_map(|a| loops.iter().map(move |b| (*a, *b))).filter(|(a, b)| a != b) {
            let (own, other) = (bounds(a), bounds(b));
            let known = other.iter().all(|v| self.is_known_at(*v, a));
            let pieces: Vec<_> = (0..own.len()).filter_map(|at| self.operand(a, at, other[at])).collect();
            let edits = (known && !pieces.is_empty()).then(|| self.rewritten(&pieces)).flatten();
            self.put(SAME_BOUNDS, edits);
        }
    }

    /// The branch around one side gets the condition of another, or one that is computed before.
    fn same_branches(&mut self, flags: &[OpId]) {
        let branches = self.kinds_around(flags, Control::If);
        let on = |id: &OpId| self.module.operands(*id).first().map(|o| o.value);
        let stated: Vec<ValueId> = branches.iter().filter_map(on).collect();
        for branch in branches.iter().rev() {
            let Some(own) = on(branch) else { continue };
            let mut others: Vec<ValueId> = self.alike(own, *branch);
            others.retain(|v| self.module.definition(*v).and_then(|id| self.module.arith(id)) != Some(Arith::Constant));
            others.shared_sort_by_key(|v| (!stated.contains(v), *v));
            for other in others {
                let edits = self.operand(*branch, 0, other).and_then(|p| self.rewritten(&[p]));
                self.put(SAME_CONDITION, edits);
            }
        }
    }

    /// The condition around one side compares the bound of the loop around the other.
    fn same_numbers(&mut self, flags: &[OpId]) {
        let bounds = self.kinds_around(flags, Control::For);
        let bounds: Vec<ValueId> =
            bounds.iter().filter_map(|id| Some(self.module.operands(*id).get(1)?.value)).collect();
        for branch in self.kinds_around(flags, Control::If) {
            let compare = self.module.operands(branch).first().and_then(|o| self.module.definition(o.value));
            let Some(compare) = compare.filter(|id| self.module.arith(*id) == Some(Arith::CompareInt)) else {
                continue;
            };
            for at in 0..2 {
                let own = self.module.operands(compare).get(at).map(|o| o.value);
                let Some(own) = own.filter(|v| self.module.literal(*v).is_none()) else { continue };
                let alike = self.alike(own, compare);
                for bound in bounds.iter().filter(|b| alike.contains(b)) {
                    let edits = self.operand(compare, at, *bound).and_then(|p| self.rewritten(&[p]));
                    self.put(SAME_CONDITION, edits);
                }
            }
        }
    }
}
