//! Paths that the data does not take: branches are made to go the other way, loops to be skipped or entered.

use pto_check::Checked;
use pto_cpu::CoreId;
use pto_ir::{BlockId, Def, Module, OpId, ValueId};
use pto_isa::table::op;
use pto_isa::{Family, Op};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Which ways a branch went.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Way {
    /// It was not taken, or the loop was skipped.
    No,
    /// It was taken, or the loop was entered.
    Yes,
    /// The loop went round again.
    Again,
}

/// Branches of a run: which way they went, and which of them are made to go another way.
#[derive(Clone, Default, Debug)]
pub(crate) struct Branches {
    seen: BTreeMap<OpId, BTreeSet<Way>>,
    /// How often the loops that a core is in went round.
    turns: BTreeMap<(CoreId, OpId), u64>,
    forced: BTreeMap<OpId, Way>,
}

impl Branches {
    /// Decides a branch.
    pub fn branch(&mut self, op: OpId, taken: bool) -> bool {
        let taken = self.forced.get(&op).map_or(taken, |way| *way != Way::No);
        self.note(op, if taken { Way::Yes } else { Way::No });
        taken
    }

    /// Decides whether a loop goes round again. A loop that is made to be entered goes round once, or twice.
    pub fn turn(&mut self, core: CoreId, op: OpId, goes_on: bool) -> bool {
        let turns = self.turns.get(&(core, op)).copied().unwrap_or(0);
        let goes_on = self.forced.get(&op).map_or(goes_on, |way| turns < *way as u64);
        match (goes_on, turns) {
            (false, 0) => self.note(op, Way::No),
            (true, 0) => self.note(op, Way::Yes),
            (true, 1) => self.note(op, Way::Again),
            _ => {}
        }
        if goes_on {
            self.turns.insert((core, op), turns + 1);
        } else {
            self.turns.remove(&(core, op));
        }
        goes_on
    }

    fn note(&mut self, op: OpId, way: Way) {
        self.seen.entry(op).or_default().insert(way);
    }
}

/// True for operations that go round.
pub(crate) fn is_loop(code: Op) -> bool {
    matches!(code, op::scf_for | op::scf_while)
}

/// Another path: branches with one condition, and the way they have not gone.
#[derive(Clone, Debug)]
pub(crate) struct Detour {
    pub at: OpId,
    pub way: Way,
    pub branches: Branches,
}

impl Detour {
    /// What is different on it.
    pub fn text(&self, module: &Module) -> String {
        let when = match (is_loop(module.op(self.at).op), self.way) {
            (true, Way::No) => "the loop is skipped",
            (true, Way::Yes) => "the loop is entered",
            (_, Way::Again) => "the loop goes round again",
            (false, Way::Yes) => "the condition holds",
            (false, Way::No) => "the condition does not hold",
        };
        format!("this happens when {when}")
    }
}

/// What decides a branch: branches with the same condition go together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Condition {
    Value(ValueId),
    Bounds(ValueId, ValueId),
    Own(OpId),
}

/// The ways that a run has not gone and another one with other data could.
pub(crate) fn detours(checked: &Checked, seen: &Branches) -> Vec<Detour> {
    let values = Values::new(checked);
    let mut groups: BTreeMap<Condition, (Vec<OpId>, BTreeSet<Way>)> = BTreeMap::new();
    for (&op, ways) in &seen.seen {
        if let Some(condition) = values.condition(op) {
            let group = groups.entry(condition).or_default();
            group.0.push(op);
            group.1.extend(ways);
        }
    }
    let mut all = Vec::new();
    for (ops, ways) in groups.into_values() {
        let loops = is_loop(checked.module().op(ops[0]).op);
        let possible = [Way::No, Way::Yes, Way::Again].into_iter().filter(|way| loops || *way != Way::Again);
        for way in possible.filter(|way| !ways.contains(way)) {
            let forced = ops.iter().map(|op| (*op, way)).collect();
            all.push(Detour { at: ops[0], way, branches: Branches { forced, ..Branches::default() } });
        }
    }
    all.sort_by_key(|d| (checked.module().op(d.at).span, d.way));
    all
}

/// Branches with several ways, or to anywhere, which are not explored: they might never end.
pub(crate) fn unexplored(checked: &Checked) -> Vec<OpId> {
    let module = checked.module();
    let values = Values::new(checked);
    let mut all = Vec::new();
    module.walk(module.top, &mut |id| {
        let several = matches!(module.op(id).op, op::scf_index_switch | op::cf_switch | op::cf_cond_br);
        if several && module.operands(id).first().is_some_and(|o| values.is_open(o.value)) {
            all.push(id);
        }
    });
    all
}

/// What the values of a program depend on.
struct Values<'a> {
    module: &'a Module,
    owners: HashMap<BlockId, OpId>,
}

impl<'a> Values<'a> {
    fn new(checked: &'a Checked) -> Self {
        let module = checked.module();
        Self { module, owners: module.owners() }
    }

    /// What decides a branch, where data does.
    fn condition(&self, id: OpId) -> Option<Condition> {
        let code = self.module.op(id).op;
        let operand = |name: &str| {
            let slot = code.row().slot(name)?;
            self.module.in_slot(id, slot).next().map(|o| o.value)
        };
        let condition = match code {
            op::scf_for => Condition::Bounds(operand("lower")?, operand("upper")?),
            op::scf_while => return Some(Condition::Own(id)),
            op::scf_if => Condition::Value(operand("condition")?),
            _ => return None,
        };
        let open = match condition {
            Condition::Bounds(lower, upper) => self.is_open(lower) || self.is_open(upper),
            Condition::Value(value) => self.is_open(value),
            Condition::Own(_) => true,
        };
        open.then_some(condition)
    }

    /// True when a value depends on arguments, on memory or on the block; false when the text fixes what values it takes.
    fn is_open(&self, value: ValueId) -> bool {
        match self.module.value(value).def {
            Def::Result(id, _) if self.module.op(id).op.row().family == Family::Arith => {
                self.module.operands(id).iter().any(|o| self.is_open(o.value))
            }
            Def::Arg(block, 0) => match self.owners.get(&block) {
                Some(&id) if self.module.op(id).op == op::scf_for => {
                    self.module.operands(id).iter().take(3).any(|o| self.is_open(o.value))
                }
                _ => true,
            },
            _ => true,
        }
    }
}
