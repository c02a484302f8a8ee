//! Balances the sets and waits of a flag: if a branch or a loop skips one of them, the fix moves both.

use super::fixes::Repair;
use super::flags::FlagEnds;
use super::*;
use pto_isa::row::Control;
use pto_isa::text;

impl Findings<'_> {
    /// One set and one wait, one of which a branch or a loop may skip or repeat: both move to the innermost common block.
    pub(super) fn equally_often(&self, ends: &FlagEnds) -> Option<Repair> {
        let ([set], [wait]) = (&ends.sets[..], &ends.waits[..]) else { return None };
        let text = self.text();
        let pair = text.pair(*set, *wait)?;
        let (a, b) = pair.ends();
        let outer = |list: &[OpId]| list[..list.len() - 1].iter().any(|id| text.is_section(*id));
        if a == b || outer(&pair.first) || outer(&pair.second) {
            return None;
        }
        let (set_text, wait_text) = (self.flag_text(*set, true, None)?, self.flag_text(*wait, false, None)?);
        let around = text.loop_around(pair.block);
        let mut edits = Vec::new();
        if text.position(a) > text.position(b) {
            // The set comes after the wait.
            return match around {
                None if (a, b) == (*set, *wait) && self.is_worked_ahead(*set, *wait) => {
                    edits.extend([Edit::before(self.span(*wait), set_text), Edit::remove(self.span(*set))]);
                    let help = text!("set it before the wait; or wait after the set");
                    Some(Repair::new("").help(help).edits(edits))
                }
                None if (a, b) == (*set, *wait) => {
                    edits.extend([Edit::remove(self.span(*wait)), Edit::after(self.span(*set), wait_text)]);
                    let help = text!("wait after the set; or remove both if nothing after the wait needs them");
                    Some(Repair::new("").help(help).edits(edits))
                }
                Some(around) if (a, b) != (*set, *wait) => {
                    self.move_out(&mut edits, (*set, a), (*wait, b), &set_text, &wait_text);
                    edits.push(Edit::before(self.span(around), set_text));
                    edits.push(Edit::after(self.span(around), wait_text));
                    Some(Repair::new("").help(text!("once in each iteration")).edits(edits))
                }
                _ => None,
            };
        }
        if (a, b) == (*set, *wait) {
            return None;
        }
        let dst = pto_check::flag_of(self.module, *wait)?.1;
        if b == *wait && text.is_loop(a) && self.works_on(a, dst) {
            // The next iteration uses the pipe that waits.
            edits.extend([Edit::after(self.span(*set), wait_text), Edit::remove(self.span(*wait))]);
            return Some(Repair::new("").help(text!("wait in each iteration")).edits(edits));
        }
        self.move_out(&mut edits, (*set, a), (*wait, b), &set_text, &wait_text);
        Some(Repair::new("").help(text!("set it and wait for it on every path, equally often")).edits(edits))
    }

    /// A set before a loop, a wait after it, and inside the wait and the set for the next iteration, one of which a branch or a loop may
    /// skip or repeat.
    pub(super) fn carried_evenly(&self, ends: &FlagEnds) -> Option<Repair> {
        let text = self.text();
        let pick = |a: &[OpId]| <[OpId; 2]>::try_from(a).ok();
        let ([first, set], [wait, last]) = (pick(&ends.sets)?, pick(&ends.waits)?);
        let pair = text.pair(wait, set)?;
        let (b, a) = pair.ends();
        let around = text.owner(pair.block).filter(|id| text.is_loop(*id))?;
        let outside = [first, last].iter().all(|id| text.block_of(*id) == text.block_of(around));
        let in_order = text.position(first) < text.position(around) && text.position(around) < text.position(last);
        if !outside || !in_order || text.position(b) >= text.position(a) || (b, a) == (wait, set) {
            return None;
        }
        let (set_text, wait_text) = (self.flag_text(set, true, None)?, self.flag_text(wait, false, None)?);
        let mut edits = Vec::new();
        self.move_out(&mut edits, (set, a), (wait, b), &set_text, &wait_text);
        Some(Repair::new("").help(text!("once in each iteration")).edits(edits))
    }

    /// True when the pipe that sets a flag has work before a wait.
    fn is_worked_ahead(&self, set: OpId, wait: OpId) -> bool {
        let src = pto_check::flag_of(self.module, set).map(|(src, ..)| src);
        let ahead = self.text().ahead(wait);
        src.is_some_and(|src| ahead.iter().any(|id| self.works_on(*id, src)))
    }

    /// Moves a set after the statement that contains it, and a wait before the one that contains it.
    fn move_out(
        &self,
        edits: &mut Vec<Edit>,
        (set, behind): (OpId, OpId),
        (wait, before): (OpId, OpId),
        set_text: &str,
        wait_text: &str,
    ) {
        if set != behind {
            edits.extend([Edit::remove(self.span(set)), Edit::after(self.span(behind), set_text)]);
        }
        if wait != before {
            edits.extend([Edit::before(self.span(before), wait_text), Edit::remove(self.span(wait))]);
        }
    }

    /// The names of the counter and the bounds of a loop that counts with `index`.
    pub(super) fn loop_names(&self, id: OpId) -> Option<[String; 4]> {
        let module = self.module;
        if module.control(id) != Some(Control::For) {
            return None;
        }
        let body = module.region(*module.op_regions(id).first()?).blocks.first().copied()?;
        let counter = *module.block(body).args.first()?;
        let operands = module.operands(id);
        let values = [counter, operands.first()?.value, operands.get(1)?.value, operands.get(2)?.value];
        let index = |v: &ValueId| matches!(module.value_type(*v), pto_isa::Type::Scalar(pto_isa::ScalarType::Index));
        let fits = |v: &ValueId| !module.value_name(*v).is_empty() && index(v);
        values.iter().all(fits).then(|| values.map(|v| module.value_name(v).to_string()))
    }
}
