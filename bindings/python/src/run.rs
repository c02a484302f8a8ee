//! A run on arrays: the GIL is released, Ctrl-C stops it, and what it prints goes to `sys.stdout`.

#![expect(unsafe_code, reason = "the memory of arrays is lent to a run")]

use crate::bind::{BindOptions, BoundCall};
use crate::diagnostics::{self, Diagnostic};
use crate::errors;
use crate::interrupt::{Interrupt, interruptible};
use crate::printed::PrintedText;
use crate::program::Prepared;
use crate::stored;
use crate::tiles::{self, wanted_tiles};
use pto::cpu::{ParamKind, Printed, RunReport, StopWhen};
use pyo3::exceptions::{PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// What a run did: `result["y"]` is the array of a parameter after it.
#[pyclass(frozen, module = "pto")]
pub(crate) struct RunResult {
    prepared: Arc<Prepared>,
    objects: Vec<Py<PyAny>>,
    report: RunReport,
    blocks: u32,
    /// What tiles hold, if that was asked for.
    tiles: Option<Py<PyAny>>,
    /// How long the run itself took, in seconds.
    #[pyo3(get)]
    seconds: f64,
}

/// Runs a program once.
pub(crate) fn run(
    prepared: &Arc<Prepared>,
    args: &Bound<'_, PyTuple>,
    named: Option<&Bound<'_, PyDict>>,
    options: BindOptions,
    threads: usize,
    tiles: &Bound<'_, PyAny>,
) -> PyResult<RunResult> {
    let (py, plan) = (args.py(), &prepared.plan);
    let call = BoundCall::new(plan, args, named, options)?;
    let remains = wanted_tiles(tiles)?;
    let (keeps_tiles, remains) = (remains.is_some(), remains.unwrap_or_default());
    // SAFETY: `call` keeps the arrays alive until the end of the function, and NumPy refuses to resize arrays that others refer to.
    let mut arguments = unsafe { call.args(plan) };
    let (outcome, seconds, interrupt) = py.detach(|| {
        let interrupt = Interrupt::new();
        let asked = || interrupt.is_raised();
        let launch = plan.launch().blocks(options.blocks).threads(threads);
        let outcome = launch.stop_when(StopWhen::new(&asked)).keep(&remains).run(&mut arguments);
        let seconds = interrupt.seconds();
        (outcome, seconds, interrupt)
    });
    drop(arguments);
    let mut kept = remains.finish();
    let printed = std::mem::take(&mut kept.printed);
    let tiles = if keeps_tiles { Some(tiles::list(py, kept)?) } else { None };
    if let Some(exception) = interrupt.take_exception() {
        show_printed(py, &printed)?;
        return Err(exception);
    }
    let report = match outcome {
        Ok(report) => report,
        Err(e) => {
            show_printed(py, &printed)?;
            let exception = errors::of_run(py, &e);
            if let Some(tiles) = tiles {
                exception.value(py).setattr("tiles", tiles)?;
            }
            return Err(exception);
        }
    };
    call.copy_back(py, &report.written)?;
    show_printed(py, &report.printed)?;
    Ok(RunResult { prepared: prepared.clone(), objects: call.objects, report, blocks: options.blocks, tiles, seconds })
}

/// What was printed, in the order of the blocks.
fn show_printed(py: Python<'_>, all: &[Printed]) -> PyResult<()> {
    if all.is_empty() {
        return Ok(());
    }
    let stdout = py.import("sys")?.getattr("stdout")?;
    if stdout.is_none() {
        return Ok(());
    }
    for printed in all {
        stdout.call_method1("write", (printed.to_string(),))?;
    }
    Ok(())
}

impl RunResult {
    /// The parameters that are memory: name, array, whether it was written.
    fn memory(&self) -> impl Iterator<Item = (&str, &Py<PyAny>, bool)> {
        let params = self.prepared.plan.params().iter().zip(&self.objects).enumerate();
        let memory = params.filter(|(_, (param, _))| !matches!(param.kind, ParamKind::Scalar(_)));
        memory
            .map(|(at, (param, object))| (&*param.name, object, self.report.written.get(at).copied().unwrap_or(false)))
    }
}

#[pymethods]
impl RunResult {
    /// Instructions that were executed, over all blocks.
    #[getter]
    fn instructions(&self) -> u64 {
        self.report.instructions
    }

    /// The target it ran for.
    #[getter]
    fn target(&self) -> &'static str {
        self.prepared.plan.checked().info().target.name()
    }

    /// The function that was run.
    #[getter]
    fn entry(&self) -> &str {
        self.prepared.plan.name()
    }

    /// The arrays that the program wrote, by parameter.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, array, _) in self.memory().filter(|(.., written)| *written) {
            all.set_item(name, array)?;
        }
        Ok(all)
    }

    /// What was printed, in the order of the blocks, each with its `line`, `iteration`, `block`, `core`, `rank`, `title` and `text`.
    #[getter]
    fn printed(&self) -> Vec<PrintedText> {
        self.report.printed.iter().cloned().map(PrintedText).collect()
    }

    /// What tiles hold at the end, for each core that wrote them: a list that a notebook shows as pictures. The run must be asked
    /// to keep them, with `tiles=True` or their names.
    #[getter]
    fn tiles(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let none =
            || PyRuntimeError::new_err("the run did not keep its tiles: run(..., tiles=True) does, or tiles=\"t\"");
        self.tiles.as_ref().map(|tiles| tiles.clone_ref(py)).ok_or_else(none)
    }

    /// One of `tiles`, by name. Where several cores have it, the first one, or that of a block (`block=3`) or of a core (`core="cube"`,
    /// `core="vector 1"`).
    #[pyo3(signature = (name, *, block=None, core=None))]
    fn tile<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        block: Option<u32>,
        core: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.tiles(py)?.into_bound(py).call_method1("find", (name, block, core))
    }

    /// Warnings of the checks and of the run.
    #[getter]
    fn warnings(&self) -> Vec<Diagnostic> {
        let plan = &self.prepared.plan;
        let all: Vec<_> = plan.checked().warnings().iter().chain(&self.report.notes).cloned().collect();
        diagnostics::of_error(&plan.checked().module().error(all))
    }

    /// The statement that last stored a byte of an array, as `file:line: text`, or `None`. The program is run once more for it, on
    /// copies of the arrays as they are now.
    fn stored_by(&self, py: Python<'_>, name: &str, byte: i64) -> PyResult<Option<String>> {
        let plan = &self.prepared.plan;
        let Some(at) = plan.params().iter().position(|p| p.name == name) else {
            return Err(PyKeyError::new_err(name.to_string()));
        };
        let args = PyTuple::new(py, &self.objects)?;
        let call = BoundCall::new(plan, &args, None, BindOptions { blocks: self.blocks, seed: 0, copy: true })?;
        interruptible(py, || stored::stored_by(plan, &call, self.blocks, at, byte))
    }

    /// The names of the parameters that are memory.
    fn keys(&self) -> Vec<String> {
        self.memory().map(|(name, ..)| name.to_string()).collect()
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let found = self.memory().find(|(n, ..)| *n == name).map(|(_, array, _)| array.clone_ref(py));
        found.ok_or_else(|| PyKeyError::new_err(name.to_string()))
    }

    fn __contains__(&self, name: &str) -> bool {
        self.memory().any(|(n, ..)| n == name)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.keys().into_pyobject(py)?.call_method0("__iter__")
    }

    fn __len__(&self) -> usize {
        self.memory().count()
    }

    fn __repr__(&self) -> String {
        let names = |wanted: bool| {
            let some = self.memory().filter(|(.., written)| *written == wanted);
            some.map(|(name, ..)| name).collect::<Vec<_>>().join(", ")
        };
        format!(
            "<{} on {}: {} instructions in {:.6} s; wrote {}>",
            self.entry(),
            self.target(),
            self.report.instructions,
            self.seconds,
            if self.memory().any(|(.., written)| written) { names(true) } else { "nothing".into() }
        )
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pto.reports")?.call_method1("_run_html", (slf,))
    }
}
