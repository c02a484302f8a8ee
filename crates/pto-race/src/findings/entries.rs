//! Edits that let every entry of a FIFO pipe be popped once and freed once.

use super::fixes::Repair;
use super::*;
use pto_ir::TypeStyle;
use pto_ir::print::{attributes_text, type_text};
use pto_isa::row::{EntryAction, Fifo, FlagForm, SyncOp};
use pto_isa::text;

impl Findings<'_> {
    fn pops(&self, id: OpId) -> bool {
        matches!(self.module.fifo(id), Some(Fifo::Entry(EntryAction::Pop, _)))
    }

    fn pushes(&self, id: OpId) -> bool {
        matches!(self.module.fifo(id), Some(Fifo::Entry(EntryAction::Push, _)))
    }

    /// The tile or view that a pop returns.
    fn popped(&self, pop: OpId) -> Option<ValueId> {
        self.in_named_slot(pop, "tile").or_else(|| self.module.results(pop).next())
    }

    /// The text of a `tfree` for a pop, or like another `tfree`.
    fn free_text(&self, like: OpId) -> Option<String> {
        let Some(Fifo::Entry(EntryAction::Pop | EntryAction::Free, direction)) = self.module.fifo(like) else {
            return None;
        };
        let name = Op::of(Fifo::Entry(EntryAction::Free, direction)).row().name;
        let entry = if self.pops(like) {
            self.popped(like).filter(|v| self.module.value_type(*v).tile().is_none())
        } else {
            self.in_named_slot(like, "entry")
        };
        let pipe = self.in_named_slot(like, "pipe_handle");
        let values: Vec<ValueId> = entry.into_iter().chain(pipe).collect();
        if values.iter().any(|v| self.module.value_name(*v).is_empty()) {
            return None;
        }
        let names: Vec<String> = values.iter().map(|v| format!("%{}", self.module.value_name(*v))).collect();
        let types = values.iter().map(|v| type_text(self.module.value_type(*v), TypeStyle::Compact));
        let types: Vec<String> = types.collect();
        let operands =
            if names.is_empty() { String::new() } else { format!("({} : {})", names.join(", "), types.join(", ")) };
        let mut rest = attributes_text(self.module, like, &["operandSegmentSizes"]);
        if let Some(at) = rest.find("operandSegmentSizes") {
            // The form with operands in brackets omits them.
            let end = rest[at..].find(", ").map_or(rest.len() - 1, |n| at + n + 2);
            rest.replace_range(at..end, "");
        }
        Some(format!("pto.{name}{operands} {rest}").trim_end().to_string())
    }

    /// The last statement of the block after `from` that uses a value or one derived from it, including the flags that wait for it.
    fn last_use(&self, value: ValueId, from: OpId) -> OpId {
        let rest = self.rest_of_block(from);
        let (mut values, mut last) = (OrdSet::from([value]), None);
        for (at, statement) in rest.iter().enumerate() {
            if self.pops(*statement) && self.popped(*statement) == Some(value) {
                break;
            }
            let mut used = self.uses_any(*statement, &values);
            self.module.walk_inside(*statement, &mut |id| used |= self.uses_any(id, &values));
            if used {
                last = Some(at);
                values.extend(self.module.results(*statement));
            }
        }
        let Some(mut at) = last else { return from };
        let orders = |id: &OpId| {
            matches!(
                self.module.sync(*id),
                Some(SyncOp::SetFlag(FlagForm::Fixed) | SyncOp::WaitFlag(FlagForm::Fixed) | SyncOp::Barrier)
            )
        };
        while rest.get(at + 1).is_some_and(orders) {
            at += 1;
        }
        rest[at]
    }

    fn uses_any(&self, id: OpId, values: &OrdSet<ValueId>) -> bool {
        let frees = matches!(self.module.fifo(id), Some(Fifo::Entry(EntryAction::Free, _)));
        !frees && self.module.operands(id).iter().any(|o| values.contains(&o.value))
    }

    /// The fix for an entry whose slot is never freed.
    pub(super) fn freed(&self, pop: OpId) -> Option<Repair> {
        let (text, value) = (self.free_text(pop)?, self.popped(pop)?);
        let edit = Edit::after(self.span(self.last_use(value, pop)), text);
        Some(Repair::new("").help(text!("after the last use of the entry")).edits(vec![edit]))
    }

    /// The fix for an entry that is used after its slot was freed: free it after the last use.
    pub(super) fn freed_later(&self, free: OpId, used: Option<ValueId>) -> Option<Repair> {
        let last = self.last_use(used?, free);
        let edits = vec![Edit::remove(self.span(free)), Edit::after(self.span(last), self.free_text(free)?)];
        (last != free).then(|| Repair::new("").help(text!("after the last use of the entry")).edits(edits))
    }

    /// The fix for entries that are never popped, or pops without an entry: give the popping loop the bounds of the pushing loop.
    pub(super) fn as_often_as_pushed(&self, at: OpId) -> Option<Repair> {
        let (mut pushes, mut pops) = (Vec::new(), Vec::new());
        self.module.walk(self.module.top, &mut |id| {
            pushes.extend(Some(id).filter(|id| self.pushes(*id)));
            pops.extend(Some(id).filter(|id| self.pops(*id)));
        });
        let ([push], [pop]) = (&pushes[..], &pops[..]) else { return None };
        let text = self.text();
        let loops = |id: OpId| text.around(id).into_iter().filter(|at| text.is_loop(*at)).collect::<Vec<_>>();
        let ([from], [to]) = (&loops(*push)[..], &loops(*pop)[..]) else { return None };
        let involved = at == *push || at == *pop;
        if !involved || text.same_loops(*from, *to) || self.module.results(*to).len() > 0 {
            return None;
        }
        let bounds = self.module.operands(*from).iter().take(3);
        let known = bounds.clone().all(|o| text.is_known_at(o.value, *to)) && self.module.operands(*to).len() == 3;
        let ([_, first, end, step], [counter, ..]) = (self.loop_names(*from)?, self.loop_names(*to)?);
        let header = format!("scf.for %{counter} = %{first} to %{end} step %{step} {{");
        let line = Span { end: self.span(*to).start + 1, ..self.span(*to) };
        let edits = vec![Edit::before(line, header), Edit::remove(line)];
        known.then(|| Repair::new("").help(text!("the loop that pops is as long as the one that pushes")).edits(edits))
    }
}
