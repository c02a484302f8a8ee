//! Fixes for cores that write the same bytes with one statement: one core after the other.

use super::fixes::Repair;
use super::*;
use pto_isa::row::{Control, Meaning, SignalForm, SyncOp};
use pto_isa::text;

impl Findings<'_> {
    /// Lets the cores execute a statement one after the other, in the order of their numbers. `None` if not every core executes it equally
    /// often, or if it waits for another core.
    pub(super) fn in_turns(&self, op: OpId, conflict: &Conflict) -> Option<Vec<Edit>> {
        let statement = self.uniform_statement(op)?;
        if self.module.results(statement).len() > 0 || self.waits_inside(statement) || self.tells_behind(statement) {
            return None;
        }
        let at = self.text().span(statement);
        let [turn, zero, one, mine] = ["turn", "first_turn", "next_turn", "my_turn"].map(|n| self.fresh_name(n));
        let (mut before, own, all) = self.numbering(conflict);
        before.extend([
            format!("%{zero} = arith.constant 0 : index"),
            format!("%{one} = arith.constant 1 : index"),
            format!("scf.for %{turn} = %{zero} to %{all} step %{one} {{"),
            format!("%{mine} = arith.cmpi eq, %{turn}, %{own} : index"),
            format!("scf.if %{mine} {{"),
        ]);
        let barrier = format!("pto.syncall() mode = <hard>, core_type = <{}>", self.cores_of(conflict));
        let mut edits: Vec<Edit> = before.into_iter().map(|text| Edit::before(at, text)).collect();
        edits.extend(["}", &barrier, "}"].map(|text| Edit::after(at, text)));
        Some(edits)
    }

    /// The index of a core among all that take part, and their number: the statements, and the two names.
    fn numbering(&self, conflict: &Conflict) -> (Vec<String>, String, String) {
        let queries: &[(&str, &str)] = if conflict.site.core.role == Role::Vector && self.vectors > 1 {
            &[("block", "idx"), ("block", "num"), ("subblock", "idx"), ("subblock", "num")]
        } else {
            &[("block", "idx"), ("block", "num")]
        };
        let (mut lines, mut names) = (Vec::new(), Vec::new());
        for (what, which) in queries {
            let [raw, name] = ["i64", "index"].map(|ty| self.fresh_name(&format!("{what}_{which}_{ty}")));
            lines.push(format!("%{raw} = pto.get_{what}_{which}"));
            lines.push(format!("%{name} = arith.index_cast %{raw} : i64 to index"));
            names.push(name);
        }
        let [block, blocks, sub, subs] = &names[..] else { return (lines, names[0].clone(), names[1].clone()) };
        let [before, own, all] = ["cores_before", "own_core", "all_cores"].map(|n| self.fresh_name(n));
        lines.push(format!("%{before} = arith.muli %{block}, %{subs} : index"));
        lines.push(format!("%{own} = arith.addi %{before}, %{sub} : index"));
        lines.push(format!("%{all} = arith.muli %{blocks}, %{subs} : index"));
        (lines, own, all)
    }

    /// The innermost statement around another that every core executes equally often.
    fn uniform_statement(&self, op: OpId) -> Option<OpId> {
        let text = self.text();
        text.around(op).into_iter().find(|at| text.block_of(*at).is_some_and(|block| text.is_uniform(block)))
    }

    pub(super) fn waits_inside(&self, statement: OpId) -> bool {
        let waits = |id: OpId| {
            let code = self.module.op(id).op;
            let talks = matches!(code.row().family, Family::Fifo | Family::Comm);
            talks
                || matches!(
                    code.row().meaning,
                    Meaning::Sync(SyncOp::AllCores | SyncOp::Await(SignalForm::Cores))
                        | Meaning::Control(Control::While | Control::Call)
                )
        };
        let mut found = waits(statement);
        self.module.walk_inside(statement, &mut |id| found |= waits(id));
        found
    }

    /// A barrier of all cores at the end of every iteration, if the second access belongs to the next one.
    pub(super) fn between_iterations(&self, statement: OpId, conflict: &Conflict) -> Option<Vec<Edit>> {
        let text = self.text();
        let block = text.block_of(statement)?;
        text.loop_around(block).filter(|_| text.is_uniform(block))?;
        let barrier = format!("pto.syncall() mode = <hard>, core_type = <{}>", self.cores_of(conflict));
        Some(vec![Edit::after(text.span(statement), barrier)])
    }

    /// The fix for cores that write the same bytes with one statement.
    pub(super) fn order_one_statement(&self, repair: Repair, own: &str, who: &str, conflict: &Conflict) -> Repair {
        match self.in_turns(conflict.site.op, conflict) {
            Some(edits) => repair.help(text!("{own}, or let one {who} store after the other", own, who)).edits(edits),
            None => repair.help(text!("{own}, or let one {who} store after the other, with a `pto.syncall` after each, where every {who} executes it equally often", own, who)),
        }
    }
}
