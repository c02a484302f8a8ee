//! Loops, branches, sections and functions of a kernel in Python.
//!
//! What is opened must be closed in its order. A loop that was left with `break` or `return` is noticed when something around it
//! is closed.

use super::Recorder;
use super::handles::{Handle, another_kernel};
use pto::ir::ValueId;
use pto::isa::row::CoreKind;
use pto::isa::{ScalarType, Type};
use pto::record::{OpenBranch, OpenWhile};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Something that is open.
pub(super) struct OpenRegion {
    id: usize,
    /// Where it was opened.
    line: u32,
    kind: RegionKind,
}

enum RegionKind {
    Loop { bounds: [ValueId; 3], init: Vec<ValueId> },
    WhileCondition { init: Vec<ValueId>, state: Vec<ValueId> },
    While { open: OpenWhile, init: Vec<ValueId> },
    Then { condition: ValueId },
    Otherwise { branch: OpenBranch, types: Vec<Type> },
    Section { core: CoreKind },
    Function,
}

impl RegionKind {
    const fn noun(&self) -> &'static str {
        match self {
            Self::Loop { .. } | Self::WhileCondition { .. } | Self::While { .. } => "loop",
            Self::Then { .. } | Self::Otherwise { .. } => "branch",
            Self::Section { .. } => "section",
            Self::Function => "function",
        }
    }
}

impl OpenRegion {
    /// The error about something that was not closed.
    pub fn left_early(&self) -> PyErr {
        PyRuntimeError::new_err(format!(
            "the {} of line {} was left before its end: `break`, `return` and `continue` are Python's and cannot become part \
             of the program; use pto.when, or pto.while_loop with a condition",
            self.kind.noun(),
            self.line
        ))
    }
}

/// A branch with one side, which may get another.
#[pyclass(frozen, module = "pto._core")]
pub(crate) struct Branch {
    kernel: u32,
    branch: OpenBranch,
    types: Vec<Type>,
}

impl Recorder {
    fn open(&mut self, py: Python<'_>, kind: RegionKind) -> PyResult<usize> {
        let recording = self.recording.as_mut().ok_or_else(another_kernel)?;
        let line = self.codes.site(py, recording)?.line;
        let id = self.regions.len();
        self.regions.push(OpenRegion { id, line, kind });
        Ok(id)
    }

    /// Takes the innermost open region, which must be this one.
    fn close(&mut self, py: Python<'_>, id: usize) -> PyResult<RegionKind> {
        self.settle(py)?;
        match self.regions.pop() {
            Some(open) if open.id == id => Ok(open.kind),
            Some(open) => {
                let error = open.left_early();
                self.regions.push(open);
                Err(error)
            }
            None => Err(PyRuntimeError::new_err("nothing is open here")),
        }
    }

    fn values(&mut self, given: &[Bound<'_, PyAny>]) -> PyResult<Vec<ValueId>> {
        let handle = |one: &Bound<'_, PyAny>| match one.cast::<Handle>() {
            Ok(handle) => self.value(handle),
            Err(_) => Err(PyTypeError::new_err(
                "loops carry scalars and pointers of the kernel; a number needs a type: pto.f32(0.0)",
            )),
        };
        given.iter().map(handle).collect()
    }

    /// Values of these types; numbers become constants.
    fn values_like(&mut self, types: &[Type], given: &[Bound<'_, PyAny>]) -> PyResult<Vec<ValueId>> {
        if types.len() != given.len() {
            return Err(PyTypeError::new_err(format!("{} values are needed here, not {}", types.len(), given.len())));
        }
        let mut values = Vec::new();
        for (ty, one) in types.iter().zip(given) {
            values.push(match (ty, one.cast::<Handle>()) {
                (Type::Scalar(ty), _) => self.scalar(*ty, one)?,
                (ty, Ok(handle)) => {
                    let value = self.value(handle)?;
                    let recording = self.recording.as_ref().ok_or_else(another_kernel)?;
                    if recording.type_of(value) != ty {
                        return Err(PyTypeError::new_err(format!("{ty} is needed, not {}", recording.type_of(value))));
                    }
                    value
                }
                (ty, Err(_)) => return Err(PyTypeError::new_err(format!("{ty} is needed here"))),
            });
        }
        Ok(values)
    }
}

/// Opens a loop: its number, the counter, and the carried values of this iteration.
#[pyfunction]
pub(crate) fn open_loop<'py>(
    py: Python<'py>,
    mut this: PyRefMut<'py, Recorder>,
    bounds: [Bound<'py, PyAny>; 3],
    carry: Vec<Bound<'py, PyAny>>,
) -> PyResult<(usize, Bound<'py, PyAny>, Bound<'py, PyList>)> {
    this.here(py)?;
    let init = this.values(&carry)?;
    let bounds = this.indices(&bounds)?;
    let bounds = [bounds[0], bounds[1], bounds[2]];
    let recording = this.here(py)?;
    let types = recording.types_of(&init);
    let (counter, args) = recording.open_loop(&types);
    let id = this.open(py, RegionKind::Loop { bounds, init })?;
    Ok((id, this.object(py, counter)?, this.objects(py, &args)?))
}

/// Ends a loop with the values of the next iteration; gives those of the end.
#[pyfunction]
pub(crate) fn close_loop<'py>(
    py: Python<'py>,
    mut this: PyRefMut<'py, Recorder>,
    id: usize,
    next: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let kind = this.close(py, id)?;
    this.here(py)?;
    let init = match &kind {
        RegionKind::Loop { init, .. } | RegionKind::While { init, .. } => init.clone(),
        _ => return Err(PyRuntimeError::new_err("this is not a loop")),
    };
    let types = this.recording.as_ref().ok_or_else(another_kernel)?.types_of(&init);
    let next = this.values_like(&types, &next)?;
    let recording = this.recording.as_mut().ok_or_else(another_kernel)?;
    let results = match kind {
        RegionKind::Loop { bounds, .. } => recording.close_loop(bounds, &init, &next),
        RegionKind::While { open, .. } => recording.close_while(open, &init, &next),
        _ => Vec::new(),
    };
    this.objects(py, &results)
}

/// Opens the condition of a loop: its number and the carried values.
#[pyfunction]
pub(crate) fn open_while<'py>(
    py: Python<'py>,
    mut this: PyRefMut<'py, Recorder>,
    carry: Vec<Bound<'py, PyAny>>,
) -> PyResult<(usize, Bound<'py, PyList>)> {
    this.here(py)?;
    let init = this.values(&carry)?;
    let recording = this.recording.as_mut().ok_or_else(another_kernel)?;
    let types = recording.types_of(&init);
    let state = recording.open_while(&types);
    let id = this.open(py, RegionKind::WhileCondition { init, state: state.clone() })?;
    Ok((id, this.objects(py, &state)?))
}

/// Ends the condition of a loop and opens its body; it has the same number.
#[pyfunction]
pub(crate) fn open_while_body<'py>(
    py: Python<'py>,
    mut this: PyRefMut<'py, Recorder>,
    id: usize,
    condition: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let RegionKind::WhileCondition { init, state } = this.close(py, id)? else {
        return Err(PyRuntimeError::new_err("this is not the condition of a loop"));
    };
    this.here(py)?;
    let condition = this.scalar(ScalarType::I1, &condition)?;
    let recording = this.recording.as_mut().ok_or_else(another_kernel)?;
    let (open, args) = recording.open_while_body(condition, &state);
    this.open(py, RegionKind::While { open, init })?;
    this.objects(py, &args)
}

/// Opens the first side of a branch.
#[pyfunction]
pub(crate) fn open_then(
    py: Python<'_>,
    mut this: PyRefMut<'_, Recorder>,
    condition: Bound<'_, PyAny>,
) -> PyResult<usize> {
    this.here(py)?;
    let condition = this.scalar(ScalarType::I1, &condition)?;
    this.here(py)?.open_block();
    this.open(py, RegionKind::Then { condition })
}

/// Ends the first side of a branch, which gives these values.
#[pyfunction]
pub(crate) fn close_then(
    py: Python<'_>,
    mut this: PyRefMut<'_, Recorder>,
    id: usize,
    given: Vec<Bound<'_, PyAny>>,
) -> PyResult<Branch> {
    let RegionKind::Then { condition } = this.close(py, id)? else {
        return Err(PyRuntimeError::new_err("this is not the first side of a branch"));
    };
    this.here(py)?;
    let given = this.values(&given)?;
    let recording = this.recording.as_mut().ok_or_else(another_kernel)?;
    let types = recording.types_of(&given);
    let branch = recording.close_then(condition, &given);
    Ok(Branch { kernel: this.kernel, branch, types })
}

/// Opens the other side of a branch.
#[pyfunction]
pub(crate) fn open_otherwise(
    py: Python<'_>,
    mut this: PyRefMut<'_, Recorder>,
    branch: PyRef<'_, Branch>,
) -> PyResult<usize> {
    this.settle(py)?;
    if branch.kernel != this.kernel {
        return Err(another_kernel());
    }
    if !this.here(py)?.open_otherwise(branch.branch) {
        return Err(PyRuntimeError::new_err(
            "pto.otherwise must follow its pto.when at once: something was recorded between them",
        ));
    }
    this.open(py, RegionKind::Otherwise { branch: branch.branch, types: branch.types.clone() })
}

/// Ends the other side of a branch; gives what the branch gives.
#[pyfunction]
pub(crate) fn close_otherwise<'py>(
    py: Python<'py>,
    mut this: PyRefMut<'py, Recorder>,
    id: usize,
    given: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let RegionKind::Otherwise { branch, types } = this.close(py, id)? else {
        return Err(PyRuntimeError::new_err("this is not the other side of a branch"));
    };
    this.here(py)?;
    let given = this.values_like(&types, &given)?;
    let recording = this.recording.as_mut().ok_or_else(another_kernel)?;
    let results = recording.close_otherwise(branch, &given);
    this.objects(py, &results)
}

/// Opens a section for one kind of core.
#[pyfunction]
pub(crate) fn open_section(py: Python<'_>, mut this: PyRefMut<'_, Recorder>, core: &str) -> PyResult<usize> {
    let core = core_named(core)?;
    this.here(py)?.open_block();
    this.open(py, RegionKind::Section { core })
}

/// Ends a section.
#[pyfunction]
pub(crate) fn close_section(py: Python<'_>, mut this: PyRefMut<'_, Recorder>, id: usize) -> PyResult<()> {
    let RegionKind::Section { core } = this.close(py, id)? else {
        return Err(PyRuntimeError::new_err("this is not a section"));
    };
    this.here(py)?.close_section(core);
    Ok(())
}

/// Opens a function with parameters like these values.
#[pyfunction]
pub(crate) fn open_function<'py>(
    py: Python<'py>,
    mut this: PyRefMut<'py, Recorder>,
    args: Vec<Bound<'py, PyAny>>,
) -> PyResult<(usize, Bound<'py, PyList>)> {
    this.here(py)?;
    let args = this.values(&args)?;
    let recording = this.recording.as_mut().ok_or_else(another_kernel)?;
    let types = recording.types_of(&args);
    let params = recording.open_function(&types);
    let id = this.open(py, RegionKind::Function)?;
    Ok((id, this.objects(py, &params)?))
}

/// Ends a function, which runs on one kind of core.
#[pyfunction]
pub(crate) fn close_function(
    py: Python<'_>,
    mut this: PyRefMut<'_, Recorder>,
    id: usize,
    name: &str,
    core: &str,
) -> PyResult<()> {
    let RegionKind::Function = this.close(py, id)? else {
        return Err(PyRuntimeError::new_err("this is not a function"));
    };
    let core = core_named(core)?;
    this.here(py)?.close_function(name, core);
    Ok(())
}

/// Calls a function of the program.
#[pyfunction]
pub(crate) fn call_function(
    py: Python<'_>,
    mut this: PyRefMut<'_, Recorder>,
    name: &str,
    args: Vec<Bound<'_, PyAny>>,
) -> PyResult<()> {
    this.here(py)?;
    let args = this.values(&args)?;
    let recording = this.recording.as_mut().ok_or_else(another_kernel)?;
    recording.call_function(name, &args);
    Ok(())
}

fn core_named(name: &str) -> PyResult<CoreKind> {
    match name {
        "cube" => Ok(CoreKind::Cube),
        "vector" => Ok(CoreKind::Vector),
        _ => Err(PyTypeError::new_err(format!("core is {name:?}; it is \"cube\" or \"vector\""))),
    }
}
