//! `Program.race`: unordered accesses.

use crate::bind::BoundCall;
use crate::diagnostics::{self, Diagnostic};
use crate::interrupt::Interrupt;
use crate::program::Prepared;
use pto::cpu::StopWhen;
use pto::isa::Span;
use pto::race::{Check, OrderedBy, RaceReport};
use pto::{Error, Options, Plan, Program};
use pto_cli::reports;
use pyo3::prelude::*;
use std::sync::Arc;

/// What is asked for.
pub(crate) struct Asked {
    pub(crate) blocks: u32,
    pub(crate) all_paths: bool,
    pub(crate) sync: Option<OrderedBy>,
    pub(crate) limit: Option<u64>,
}

impl Asked {
    fn check<'a>(&self, plan: &'a Plan, limit: Option<u64>, stop: StopWhen<'a>) -> Check<'a> {
        let check = Check::new(plan.launch().blocks(self.blocks)).without_results().stop_when(stop);
        let check = if self.all_paths { check.all_paths() } else { check };
        let check = self.sync.into_iter().fold(check, Check::sync);
        limit.into_iter().fold(check, Check::limit)
    }
}

/// What a check found.
#[pyclass(frozen, module = "pto._core")]
pub(crate) struct RaceResult {
    prepared: Arc<Prepared>,
    report: RaceReport,
    text: Option<Arc<(String, String)>>,
}

/// Checks a run on copies of the arrays; fixes are tried where the text is known.
pub(crate) fn race(
    py: Python<'_>,
    prepared: &Arc<Prepared>,
    call: &BoundCall,
    asked: &Asked,
    text: Option<Arc<(String, String)>>,
) -> PyResult<RaceResult> {
    let copies = call.copied();
    let (report, interrupt) = py.detach(|| {
        let interrupt = Interrupt::new();
        let stop = || interrupt.is_raised();
        let stop = StopWhen::new(&stop);
        let run = |plan: &Plan, limit: Option<u64>| {
            let mut copies = copies.clone();
            asked.check(plan, limit, stop).run(&mut call.args_on(plan, &mut copies))
        };
        let report = run(&prepared.plan, asked.limit);
        let report = match &text {
            Some(text) => {
                let module = prepared.plan.checked().module();
                let target = prepared.plan.checked().info().target;
                report.with_tried_fixes(module, &text.1, |changed, limit| {
                    let plan =
                        Program::parse(changed).plan(target, Some(prepared.plan.name()), Options::default()).ok()?;
                    Some(run(&plan, Some(limit)))
                })
            }
            None => report,
        };
        (report, interrupt)
    });
    match interrupt.take_exception() {
        Some(exception) => Err(exception),
        None => Ok(RaceResult { prepared: prepared.clone(), report, text }),
    }
}

impl RaceResult {
    fn error(&self) -> Error {
        self.prepared.plan.checked().module().error(self.report.findings.clone())
    }

    /// The report with spans in a text, and that text: what was read, the lines of Python, else what the program prints.
    fn in_text(&self) -> (RaceReport, Arc<(String, String)>) {
        let mut report = self.report.clone();
        if let Some(text) = &self.text {
            return (report, text.clone());
        }
        let module = self.prepared.plan.checked().module();
        let Some((source, (name, text))) = module.source.as_ref().and_then(|s| Some((s, s.recorded_text()?))) else {
            let text = pto::ir::print(module, pto::ir::Style::default());
            return (report, Arc::new(("<kernel>".into(), text)));
        };
        let moved = |span: &mut Span| *span = source.recorded_span(*span).unwrap_or_default();
        for finding in &mut report.findings {
            // Edits are about the text of the program, which is another one.
            finding.edits.clear();
            moved(&mut finding.primary.span);
            finding.labels.iter_mut().for_each(|label| moved(&mut label.span));
        }
        report.undecided.iter_mut().for_each(|one| moved(&mut one.span));
        (report, Arc::new((name.to_string(), text.to_string())))
    }
}

#[pymethods]
impl RaceResult {
    /// What was found, worst first.
    fn findings(&self) -> Vec<Diagnostic> {
        diagnostics::of_error(&self.error())
    }

    fn rendered(&self) -> String {
        diagnostics::rendered(&self.error())
    }

    fn instructions(&self) -> u64 {
        self.report.instructions
    }

    /// After how many instructions the limit stopped it.
    fn stopped(&self) -> Option<u64> {
        self.report.stopped
    }

    /// `manual`: the program orders its pipes; `auto`: the toolchain will.
    fn sync(&self) -> &'static str {
        if self.report.sync == OrderedBy::Auto { "auto" } else { "manual" }
    }

    fn target(&self) -> &'static str {
        self.prepared.plan.checked().info().target.name()
    }

    fn json(&self) -> String {
        let (report, text) = self.in_text();
        reports::race_json(&text.0, &text.1, self.prepared.plan.checked().info().target, &report)
    }

    fn page(&self) -> String {
        let (report, text) = self.in_text();
        reports::race_page(&text.0, &text.1, self.prepared.plan.checked().info().target, &report)
    }
}
