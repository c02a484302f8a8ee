//! `Program.perf`: predicted cycles.

use crate::bind::BoundCall;
use crate::errors;
use crate::interrupt::interruptible;
use crate::program::Prepared;
use pto::Error;
use pto::cost::{
    Advice, Laws, Machine, Model, Options, PerfReport, Timeline, Trace, advise, record, record_run, simulate, view,
};
use pto::cpu::{Param, ParamKind};
use pto_cli::reports;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Items beyond which changes are not tried: each costs a simulation.
const MOST_FOR_ADVICE: usize = 2_000_000;

/// What is asked for.
pub(crate) struct Asked {
    pub(crate) blocks: u32,
    pub(crate) cores: Option<u32>,
    pub(crate) model: Model,
    pub(crate) advice: bool,
}

/// The cost model of a name.
pub(crate) fn model(name: Option<&str>) -> PyResult<Model> {
    match name {
        None | Some("calibrated") => Ok(Model::Calibrated),
        Some("documented") => Ok(Model::Documented),
        Some(other) => Err(PyValueError::new_err(format!("model is {other:?}; legal: \"calibrated\", \"documented\""))),
    }
}

/// A predicted run.
#[pyclass(frozen, module = "pto._core")]
pub(crate) struct PerfResult {
    prepared: Arc<Prepared>,
    text: Arc<(String, String)>,
    trace: Trace,
    line: Timeline,
    report: PerfReport,
    advice: Vec<Advice>,
}

/// Predicts a program; if its control flow depends on data, by a run on copies of the arrays.
pub(crate) fn perf(
    py: Python<'_>,
    prepared: &Arc<Prepared>,
    call: &BoundCall,
    text: Arc<(String, String)>,
    asked: &Asked,
) -> PyResult<PerfResult> {
    let plan = &prepared.plan;
    let open = |p: &Param| matches!(&p.kind, ParamKind::Tensor(_, dims) if dims.contains(&None));
    let runs = plan.depends_on_data() || plan.params().iter().any(open);
    let copies = runs.then(|| call.copied());
    let known = call.known();
    let recorded = |options: Options, blocks: Option<u32>| -> Result<Trace, Error> {
        let launch = plan.launch().blocks(blocks.unwrap_or(asked.blocks));
        let Some(mut copies) = copies.clone() else { return record(launch, &known, options) };
        record_run(launch.threads(1), &mut call.args_on(plan, &mut copies), options)
    };
    let predicted = interruptible(py, || -> Result<_, Error> {
        let options = Options { model: asked.model, cores: asked.cores, touches: asked.advice, ..Options::default() };
        let trace = recorded(options, None)?;
        let laws = Laws::of(plan.checked().info().target);
        let line = simulate(&trace, &trace.charges, &Machine::of(laws));
        let line = line.map_err(|stuck| stuck.error(plan.checked().module(), &trace))?;
        let report = PerfReport::new(&trace, &line, laws);
        let wanted = asked.advice && trace.items.len() <= MOST_FOR_ADVICE;
        let quiet = Options { touches: false, ..options };
        let again = |options: Options, blocks: Option<u32>| recorded(options, blocks).ok();
        let advice = if wanted { advise(&trace, &report, laws, quiet, &again) } else { Vec::new() };
        Ok((trace, line, report, advice))
    })?;
    let (trace, line, report, advice) = predicted.map_err(|e| errors::of_run(py, &e))?;
    Ok(PerfResult { prepared: prepared.clone(), text, trace, line, report, advice })
}

impl PerfResult {
    fn shown<T>(&self, show: impl FnOnce(&view::Shown<'_>) -> T) -> T {
        let module = self.prepared.plan.checked().module();
        let names = view::OpNames::new(&self.text.0, &self.text.1, module);
        show(&view::Shown {
            names: &names,
            trace: &self.trace,
            line: &self.line,
            report: &self.report,
            advice: &self.advice,
        })
    }
}

#[pymethods]
impl PerfResult {
    fn cycles(&self) -> f64 {
        self.report.cycles
    }

    fn microseconds(&self) -> f64 {
        self.report.micros
    }

    fn instructions(&self) -> u64 {
        self.report.instructions
    }

    fn entry(&self) -> String {
        self.prepared.plan.name().to_string()
    }

    fn target(&self) -> &'static str {
        self.prepared.plan.checked().info().target.name()
    }

    /// The summary of the command line.
    fn text(&self) -> String {
        self.shown(view::summary)
    }

    fn timeline(&self, width: usize) -> String {
        self.shown(|shown| view::swimlanes(shown, width))
    }

    fn json(&self) -> String {
        reports::with_version(&self.shown(view::data))
    }

    fn page(&self) -> String {
        self.shown(view::page)
    }

    /// A trace that Perfetto and Chrome open.
    fn chrome_trace(&self) -> String {
        self.shown(view::chrome_trace)
    }
}
