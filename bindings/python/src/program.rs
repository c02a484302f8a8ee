//! A program, as `pto.Program` holds it.

use crate::bind::{BindOptions, BoundCall};
use crate::diagnostics::{self, Diagnostic};
use crate::errors::{self, Exception};
use crate::interrupt::interruptible;
use crate::options;
use crate::perf::{self, PerfResult};
use crate::plan::PlanResult;
use crate::race::{self, RaceResult};
use crate::run::{self, RunResult};
use pto::cpu::{Known, Options, ParamKind, Plan};
use pto::opt::{self, plan::Options as PlaceOptions};
use pto::{Error, Form, Program, Target};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::sync::{Arc, Mutex, PoisonError};

/// A program that was read, or made from another.
#[pyclass(frozen, name = "Program", module = "pto._core")]
pub(crate) struct CoreProgram {
    pub(crate) program: Program,
    /// The text that was read, with its name: what reports show.
    text: Option<Arc<(String, String)>>,
    /// The target of calls that name none.
    default_target: Target,
    /// It was made from the program of the text.
    is_derived: bool,
    /// Prepared once for each way to run it. The lock is held only with the GIL, so that a fork never finds it taken.
    plans: Mutex<Vec<(PlanKey, Arc<Prepared>)>>,
}

/// What a plan was prepared for.
#[derive(Clone, PartialEq, Eq)]
struct PlanKey {
    target: Target,
    entry: Option<String>,
    options: Options,
}

/// A parameter: name, kind, type, extents.
type ParamText = (String, &'static str, String, Vec<Option<u64>>);

/// Memory that a parameter needs: elements, shape, whether no other shape covers it.
type ExtentText = (u64, Vec<u64>, bool);

/// A program that is ready to run.
pub(crate) struct Prepared {
    pub(crate) plan: Plan,
}

impl CoreProgram {
    /// A program that was not read from a text, such as a traced kernel.
    pub(crate) fn of(program: Program) -> Self {
        let default_target = program.stated_target().unwrap_or(Target::A2A3);
        Self { program, text: None, default_target, is_derived: false, plans: Mutex::default() }
    }

    fn derived(&self, module: pto::Module) -> Self {
        Self { text: self.text.clone(), is_derived: true, ..Self::of(Program::of_module(module)) }
    }

    /// The target by name, else the one that the program states, else `a2a3`.
    fn target(&self, name: Option<&str>) -> PyResult<Target> {
        name.map_or(Ok(self.default_target), options::target)
    }

    /// The prepared program, from the cache if it was prepared before.
    fn prepared(
        &self,
        py: Python<'_>,
        target: Option<&str>,
        entry: Option<&str>,
        options: Options,
    ) -> PyResult<Arc<Prepared>> {
        let target = self.target(target)?;
        let is_key = |key: &PlanKey| key.target == target && key.options == options && key.entry.as_deref() == entry;
        let list = || self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, prepared)) = list().iter().find(|(key, _)| is_key(key)) {
            return Ok(prepared.clone());
        }
        let plan = interruptible(py, || self.program.plan(target, entry, options))?;
        let plan = plan.map_err(|e| errors::raise(py, Exception::Check, &e))?;
        let prepared = Arc::new(Prepared { plan });
        list().push((PlanKey { target, entry: entry.map(str::to_string), options }, prepared.clone()));
        Ok(prepared)
    }

    /// A program whose spans are those of a text, and that text with its name: itself if it was read, the lines of Python if it was
    /// traced, else what it prints.
    fn in_text(&self) -> (Program, Arc<(String, String)>) {
        match &self.text {
            Some(text) => (self.program.clone(), text.clone()),
            None => {
                if let Some((program, name, text)) = self.program.in_source() {
                    return (program, Arc::new((name, text)));
                }
                let text = self.program.to_text(None);
                (Program::parse_named("<kernel>", &text), Arc::new(("<kernel>".into(), text)))
            }
        }
    }

    fn checked<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<T> {
        interruptible(py, work)?.map_err(|e| errors::raise(py, Exception::Check, &e))
    }
}

#[pymethods]
impl CoreProgram {
    /// Reads a text; `name` is the file that diagnostics name.
    #[new]
    fn new(py: Python<'_>, text: String, name: String) -> PyResult<Self> {
        let program = interruptible(py, || Program::parse_named(&name, &text))?;
        Ok(Self { text: Some(Arc::new((name, text))), ..Self::of(program) })
    }

    /// Reads bytecode.
    #[staticmethod]
    fn from_bytecode(py: Python<'_>, bytes: &[u8], name: &str) -> PyResult<Self> {
        let text = pto::text_of_bytecode(bytes).map_err(|e| errors::raise(py, Exception::Check, &e))?;
        Self::new(py, text, name.into())
    }

    /// The text and its name for pickling: what was read, or what the program prints.
    fn state(&self) -> (String, String) {
        match &self.text {
            Some(text) if !self.is_derived => (text.1.clone(), text.0.clone()),
            Some(text) => (self.program.to_text(None), text.0.clone()),
            None => (self.program.to_text(None), "<kernel>".into()),
        }
    }

    /// The target that the program states.
    #[getter]
    fn stated_target(&self) -> Option<&'static str> {
        self.program.stated_target().map(Target::name)
    }

    /// Every problem for a target: errors and warnings, in source order.
    #[pyo3(signature = (target=None))]
    fn check(&self, py: Python<'_>, target: Option<&str>) -> PyResult<Vec<Diagnostic>> {
        let target = self.target(target)?;
        interruptible(py, || diagnostics::of_error(&self.program.error(self.program.inspect(target))))
    }

    /// The same as JSON.
    fn check_json(&self, py: Python<'_>, target: Option<&str>) -> PyResult<String> {
        let target = self.target(target)?;
        let (program, text) = self.in_text();
        interruptible(py, || pto_cli::reports::diagnostics_json(&text.0, &text.1, target, &program.inspect(target)))
    }

    /// The parameters of the entry function: name, kind (`pointer`, `tensor`, `scalar`, `tile`, `other`), type, extents.
    #[pyo3(signature = (target=None, entry=None))]
    fn params(&self, py: Python<'_>, target: Option<&str>, entry: Option<&str>) -> PyResult<Vec<ParamText>> {
        let prepared = self.prepared(py, target, entry, Options::default())?;
        let one = |param: &pto::cpu::Param| {
            let (kind, ty, shape) = match &param.kind {
                ParamKind::Pointer(dtype) => ("pointer", dtype.name().to_string(), Vec::new()),
                ParamKind::Tensor(dtype, dims) => ("tensor", dtype.name().to_string(), dims.clone()),
                ParamKind::Scalar(ty) => ("scalar", ty.mlir().to_string(), Vec::new()),
                ParamKind::Tile(tile) => {
                    ("tile", tile.dtype.name().to_string(), vec![Some(tile.rows), Some(tile.cols)])
                }
                other => ("other", format!("{other:?}"), Vec::new()),
            };
            (param.name.clone(), kind, ty, shape)
        };
        Ok(prepared.plan.params().iter().map(one).collect())
    }

    /// For each parameter the memory that it needs, given the scalars: elements, shape, whether the shape is the only one.
    fn extents(
        &self,
        py: Python<'_>,
        scalars: Vec<Option<f64>>,
        target: Option<&str>,
        entry: Option<&str>,
        blocks: u32,
    ) -> PyResult<Vec<Option<ExtentText>>> {
        let prepared = self.prepared(py, target, entry, Options::default())?;
        let known = |(value, param): (Option<f64>, &pto::cpu::Param)| match (&param.kind, value) {
            (ParamKind::Scalar(s), Some(x)) if s.is_float() => Known::Float(x),
            (ParamKind::Scalar(_), Some(x)) => Known::Int(x as i64),
            _ => Known::Nothing,
        };
        let known: Vec<Known> = scalars.into_iter().zip(prepared.plan.params()).map(known).collect();
        let measure = interruptible(py, || prepared.plan.launch().blocks(blocks).measure(&known))?;
        let measure = measure.map_err(|e| errors::of_run(py, &e))?;
        Ok(measure.extents.into_iter().map(|e| e.map(|e| (e.elements, e.shape, e.is_clear))).collect())
    }

    /// Runs the entry function on arrays.
    #[expect(
        clippy::too_many_arguments,
        reason = "the keywords of `Program.run`; a structure would cost a call its microsecond"
    )]
    fn run(
        &self,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
        target: Option<&str>,
        entry: Option<&str>,
        blocks: u32,
        threads: usize,
        seed: u64,
        copy: bool,
        numerics: Option<&str>,
        uninitialised: Option<&str>,
        strict: bool,
        open_windows: bool,
        tiles: &Bound<'_, PyAny>,
    ) -> PyResult<RunResult> {
        let options = options::prepared(numerics, uninitialised, strict, open_windows)?;
        let prepared = self.prepared(args.py(), target, entry, options)?;
        run::run(&prepared, args, named, BindOptions { blocks, seed, copy }, threads, tiles)
    }

    /// Runs the entry function on copies of the arrays and looks for unordered accesses.
    #[expect(clippy::too_many_arguments, reason = "the keywords of `Program.race`")]
    fn race(
        &self,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
        target: Option<&str>,
        entry: Option<&str>,
        blocks: u32,
        seed: u64,
        all_paths: bool,
        sync: Option<&str>,
        limit: Option<u64>,
    ) -> PyResult<RaceResult> {
        let py = args.py();
        let sync = sync.map(options::ordered_by).transpose()?;
        let prepared = self.prepared(py, target, entry, Options::default())?;
        let call = BoundCall::new(&prepared.plan, args, named, BindOptions { blocks, seed, copy: true })?;
        let asked = race::Asked { blocks, all_paths, sync, limit };
        let text = (self.text.is_some() && !self.is_derived).then(|| self.in_text().1);
        race::race(py, &prepared, &call, &asked, text)
    }

    /// Predicts cycles.
    #[expect(clippy::too_many_arguments, reason = "the keywords of `Program.perf`")]
    fn perf(
        &self,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
        target: Option<&str>,
        entry: Option<&str>,
        blocks: u32,
        seed: u64,
        cores: Option<u32>,
        model: Option<&str>,
        advice: bool,
    ) -> PyResult<PerfResult> {
        let py = args.py();
        let (program, text) = self.in_text();
        let shown = Self { text: Some(text.clone()), ..Self::of(program) };
        let prepared =
            if self.text.is_some() { self } else { &shown }.prepared(py, target, entry, Options::default())?;
        let call = BoundCall::new(&prepared.plan, args, named, BindOptions { blocks, seed, copy: true })?;
        perf::perf(py, &prepared, &call, text, &perf::Asked { blocks, cores, model: perf::model(model)?, advice })
    }

    /// The addresses and lifetimes of tiles.
    fn plan(&self, py: Python<'_>, target: Option<&str>, tight: bool) -> PyResult<PlanResult> {
        let target = self.target(target)?;
        let (program, text) = self.in_text();
        self.checked(py, || PlanResult::new(&text, &program, target, tight))
    }

    /// The program with an address for every tile, and its flags; or with buffers only.
    fn lower(&self, py: Python<'_>, target: Option<&str>, to: &str, mode: &str, tight: bool) -> PyResult<Self> {
        let (target, mode) = (self.target(target)?, options::sync_mode(mode)?);
        let lowered = self.checked(py, || {
            let checked = self.program.check(target)?;
            if to == "level2" {
                return opt::to_buffers(&checked);
            }
            Ok(opt::lower(&checked, PlaceOptions { tight, ..Default::default() }, mode)?.program.into_module())
        })?;
        Ok(self.derived(lowered))
    }

    /// The program with the flags and barriers that it needs.
    fn sync(&self, py: Python<'_>, target: Option<&str>, mode: &str) -> PyResult<Self> {
        let (target, mode) = (self.target(target)?, options::sync_mode(mode)?);
        let module = self.checked(py, || Ok(opt::insert_sync(&self.program.check(target)?, mode).module))?;
        Ok(self.derived(module))
    }

    /// C++ for the device compiler.
    fn emit_cpp(&self, py: Python<'_>, target: Option<&str>, sync: &str) -> PyResult<String> {
        let (target, sync) = (self.target(target)?, options::insert_sync(sync)?);
        self.checked(py, || self.program.emit(target, sync).map(|emitted| emitted.text))
    }

    /// The public bytecode container.
    fn emit_bytecode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.checked(py, || self.program.to_bytecode())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The program as text.
    #[pyo3(signature = (form=None))]
    fn to_text(&self, py: Python<'_>, form: Option<&str>) -> PyResult<String> {
        let form: Option<Form> = form.map(options::form).transpose()?;
        interruptible(py, || self.program.to_text(form))
    }
}
