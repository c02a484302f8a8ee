//! `--all-paths`: executes a program again with other values, once for each path that they lead to.

use crate::bounds::Meter;
use crate::cone::Sources;
use crate::paths::{Branches, Way, way_text};
use crate::snapshot::Snapshot;
use crate::worlds::{World, Worlds};
use crate::{OrderedBy, RaceReport, Undecided, follow};
use pto_cpu::{Arg, Launch, Plan};
use pto_ir::{Module, OpId};
use pto_isa::codes::{self, Code};
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::{CommOp, Control, Meaning, Movement};
use pto_isa::text;
use pto_isa::{Diagnostic, Span};

pub(crate) type ReportKey = (Code, Span, Option<Span>);

/// Limit of executed paths.
const PATHS: usize = 64;

pub(crate) fn all_paths(
    meter: &mut Meter<'_>,
    sync: OrderedBy,
    plan: &Plan,
    ranks: &mut [Vec<Arg<'_>>],
    launch: Launch<'_>,
) -> RaceReport {
    let memory = Snapshot::of(ranks);
    let (report, first) = follow(sync, plan, ranks, launch, meter, Branches::traced());
    let known = report.findings.iter().map(key).collect();
    let mut explorer = Explorer { sync, plan, launch, memory, first, report, known, paths: 0 };
    explorer.other_data(meter, ranks);
    explorer.other_iterations(meter, ranks);
    explorer.memory.restore(ranks);
    explorer.report
}

struct Explorer<'a> {
    sync: OrderedBy,
    plan: &'a Plan,
    launch: Launch<'a>,
    memory: Snapshot,
    /// The path that the given data takes.
    first: Branches,
    report: RaceReport,
    known: OrdSet<ReportKey>,
    paths: usize,
}

impl Explorer<'_> {
    fn module(&self) -> &Module {
        self.plan.checked().module()
    }

    /// Other arguments and other scalars in memory.
    fn other_data(&mut self, meter: &mut Meter<'_>, ranks: &mut [Vec<Arg<'_>>]) {
        let worlds = Worlds::new(self.plan, ranks, &self.first);
        let (all, mut more) = worlds.all();
        // Without words shared between cores, a cheap run without memory shows where values lead.
        let looks = ranks.len() == 1 && !self.plan.uses_words() && !worlds.computed;
        let mut seen = OrdSet::new();
        if looks {
            let look = worlds.look(ranks, self.launch, &World::new());
            seen.insert((look.branches.steps, look.executed));
        }
        for world in &all {
            let mut leads = None;
            if looks {
                let look = worlds.look(ranks, self.launch, world);
                if !seen.insert((look.branches.steps.clone(), look.executed)) {
                    continue;
                }
                leads = Some(look.branches);
            }
            if self.paths >= PATHS || meter.is_spent() {
                more = true;
                break;
            }
            self.choose((&worlds, world), leads, meter, ranks);
        }
        if meter.is_spent() {
            self.report.stopped = Some(meter.work);
        }
        if more {
            let reason = text!(
                "more than {PATHS} combinations of scalars lead to different paths; the others were not checked",
                PATHS
            );
            let span = self.module().functions().first().map_or_else(Span::default, |f| self.module().op(*f).name_span);
            self.report.undecided.push(Undecided { span, reason });
        }
        self.list_undecided(looks);
    }

    /// Tries one choice of values. If the program fails because it has less memory than they need, its branches are forced the
    /// same way with the original values.
    fn choose(
        &mut self,
        (worlds, world): (&Worlds, &World),
        leads: Option<Branches>,
        meter: &mut Meter<'_>,
        ranks: &mut [Vec<Arg<'_>>],
    ) {
        self.paths += 1;
        self.memory.restore(ranks);
        let before = worlds.apply(world, ranks);
        let branches = Branches { numbers: worlds.numbers(world), ..Branches::traced() };
        let (report, branches) = follow(self.sync, self.plan, ranks, self.launch, meter, branches);
        for (rank, param, arg) in before {
            ranks[rank][param] = arg;
        }
        let text = worlds.text(world);
        if self.take(report, &branches, &text, true).is_none() {
            return;
        }
        let forced = leads.unwrap_or(branches).other_ways(&self.first);
        // If the values fail before the path differs, the program does not accept them.
        if !forced.is_empty() {
            self.lead(forced, &text, meter, ranks);
        }
    }

    /// Forces branches another way, regardless of their conditions.
    fn lead(&mut self, forced: OrdMap<OpId, Way>, text: &str, meter: &mut Meter<'_>, ranks: &mut [Vec<Arg<'_>>]) {
        self.memory.restore(ranks);
        let branches = Branches { forced, ..Branches::traced() };
        let (report, branches) = follow(self.sync, self.plan, ranks, self.launch, meter, branches);
        if let Some((at, problem)) = self.take(report, &branches, text, false) {
            self.give_up(at, text, &problem);
        }
    }

    fn give_up(&mut self, at: Span, text: &str, problem: &Diagnostic) {
        let when = if text.is_empty() { String::new() } else { text!(" when {text}", text) };
        let reason = text!("it can be followed{when}, but then it stops: {message}", when, message = problem.message);
        self.report.undecided.push(Undecided { span: at, reason });
    }

    /// Merges the findings of a path, with the branch where it leaves the path of the data. Returns the error that stopped it.
    fn take(
        &mut self,
        report: RaceReport,
        branches: &Branches,
        text: &str,
        chosen: bool,
    ) -> Option<(Span, Diagnostic)> {
        let module = self.plan.checked().module();
        let branch = branches.first_difference(&self.first, module);
        let span = branch.map_or_else(Span::default, |(op, _)| module.op(op).name_span);
        let when = match branch {
            Some(branch) if text.is_empty() => {
                text!("this happens when {way_text}", way_text = way_text(module, branch))
            }
            Some(branch) => text!("this happens when {way_text}: {text}", way_text = way_text(module, branch), text),
            None => text!("this happens when {text}", text),
        };
        let mut stopped = None;
        for finding in report.findings {
            let is_deadlock = chosen && finding.code == codes::RUN_DEADLOCK;
            if finding.code.is_run_error() && !is_deadlock {
                stopped = Some((span, finding));
            } else if self.known.insert(key(&finding)) {
                let finding = if branch.is_some() { finding.label(span, &when) } else { finding.legal(&when) };
                self.report.findings.push(finding);
            }
        }
        stopped
    }

    /// Loops that memory of the core decides, with values that change between iterations: they are forced.
    fn other_iterations(&mut self, meter: &mut Meter<'_>, ranks: &mut [Vec<Arg<'_>>]) {
        let loops: Vec<(OpId, OrdSet<Way>)> = self.first.seen.iter().map(|(op, ways)| (*op, ways.clone())).collect();
        let sources = Sources::new(self.plan.checked().module());
        for (id, ways) in loops {
            if self.module().control(id) != Some(Control::While) || !is_led(self.module(), &sources, id) {
                continue;
            }
            for way in [Way::No, Way::Yes, Way::Again].into_iter().filter(|way| !ways.contains(way)) {
                if !meter.is_spent() {
                    self.lead([(id, way)].into(), "", meter, ranks);
                }
            }
        }
    }

    /// Branches with several ways that no chosen value decides.
    fn list_undecided(&mut self, looks: bool) {
        let module = self.plan.checked().module();
        let sources = Sources::new(module);
        module.walk(module.top, &mut |id| {
            let several =
                matches!(module.control(id), Some(Control::IndexSwitch | Control::Switch | Control::CondBranch));
            let first = module.operands(id).first();
            if several && first.is_some_and(|o| sources.is_open(o.value) && !(looks && sources.is_decided(o.value))) {
                let (span, reason) =
                    (module.op(id).name_span, text!("only the path that this data takes was checked").into());
                self.report.undecided.push(Undecided { span, reason });
            }
        });
    }
}

/// A loop whose condition depends on memory of its own core. A loop that polls words of other cores is not forced: it ends when they have
/// written.
fn is_led(module: &Module, sources: &Sources<'_>, id: OpId) -> bool {
    let Some(region) = module.op_regions(id).first() else { return false };
    let (mut asks, mut decided) = (false, false);
    for block in &module.region(*region).blocks {
        module.walk(*block, &mut |inner| {
            let code = module.op(inner).op;
            asks |= matches!(
                code.row().meaning,
                Meaning::Movement(Movement::LoadScalar | Movement::Load) | Meaning::Comm(CommOp::Test)
            );
            let condition = module.operands(inner).first().filter(|_| code.control() == Some(Control::Condition));
            decided |= condition.is_some_and(|o| sources.has_params(o.value));
        });
    }
    !asks && !decided
}

/// Identifies equal findings of different paths.
pub(crate) fn key(d: &Diagnostic) -> ReportKey {
    (d.code, d.primary.span, d.labels.first().map(|l| l.span))
}
