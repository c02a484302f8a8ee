//! Kernels in Python: calls of the package's functions become operations of a program.
//!
//! A [`Recorder`] is entered while a kernel is traced; instructions go to the innermost one of the thread. Everything that is
//! recorded has the line of Python that asked for it.

mod control;
mod handles;
mod scalars;
mod sites;
mod types;
mod windows;

pub(crate) use control::*;
pub(crate) use handles::{Handle, Issued, set_handle_classes};
pub(crate) use scalars::*;
pub(crate) use types::{CoreDType, CoreTileType};
pub(crate) use windows::*;

use crate::program::CoreProgram;
use control::OpenRegion;
use handles::{another_kernel, argument, object, value_in};
use pto::ir::{OpId, ValueId};
use pto::isa::{Op, PtrSpace, ScalarType, Type, table};
use pto::record::{CallArg, CallError, CallSite, NumberLiteral, Recorder as Recording};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use sites::CodeFiles;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

thread_local! {
    /// The kernels that this thread traces, innermost last.
    static CURRENT: RefCell<Vec<Py<Recorder>>> = const { RefCell::new(Vec::new()) };
}

/// Numbers of kernels, over all threads.
static KERNELS: AtomicU32 = AtomicU32::new(1);

/// A kernel while it is traced.
#[pyclass(module = "pto._core")]
pub(crate) struct Recorder {
    /// None when it is finished.
    recording: Option<Recording>,
    kernel: u32,
    codes: CodeFiles,
    waiting: Vec<Waiting>,
    regions: Vec<OpenRegion>,
}

/// An instruction of the table.
#[pyclass(frozen, module = "pto._core")]
pub(crate) struct Instruction {
    op: Op,
}

#[pymethods]
impl Instruction {
    /// The instruction of this name, without the prefix of its dialect.
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        let unknown = || PyValueError::new_err(format!("there is no instruction {name:?}"));
        table::find(name).map(|op| Self { op }).ok_or_else(unknown)
    }
}

/// The kernel that is traced on this thread.
#[pyfunction]
pub(crate) fn current(py: Python<'_>) -> PyResult<Py<Recorder>> {
    let innermost = CURRENT.with_borrow(|all| all.last().map(|one| one.clone_ref(py)));
    innermost.ok_or_else(|| {
        PyRuntimeError::new_err(
            "tiles and their instructions exist while a kernel is traced: use them in a function with @pto.kernel",
        )
    })
}

/// Records an instruction; `args` are its parts in order, None for what is left out.
#[pyfunction]
#[pyo3(signature = (instruction, after, *args))]
pub(crate) fn issue<'py>(
    py: Python<'py>,
    instruction: PyRef<'py, Instruction>,
    after: Option<Bound<'py, PyAny>>,
    args: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let recorder = current(py)?;
    recorder.bind(py).borrow_mut().issue(py, instruction.op, after, args)
}

impl Recorder {
    /// The recording, at the line that calls, with everything before recorded.
    fn here(&mut self, py: Python<'_>) -> PyResult<&mut Recording> {
        self.settle(py)?;
        let recording = self.recording.as_mut().ok_or_else(another_kernel)?;
        let site = self.codes.site(py, recording)?;
        recording.go_to(site);
        Ok(recording)
    }

    fn object<'py>(&self, py: Python<'py>, value: ValueId) -> PyResult<Bound<'py, PyAny>> {
        let recording = self.recording.as_ref().ok_or_else(another_kernel)?;
        object(py, Handle::new(self.kernel, value), recording.type_of(value))
    }

    fn objects<'py>(&self, py: Python<'py>, values: &[ValueId]) -> PyResult<Bound<'py, PyList>> {
        let list = values.iter().map(|v| self.object(py, *v)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, list)
    }

    fn issue<'py>(
        &mut self,
        py: Python<'py>,
        op: Op,
        after: Option<Bound<'py, PyAny>>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kernel = self.kernel;
        self.here(py)?;
        let given = args.iter().map(|one| argument(kernel, &one)).collect::<PyResult<Vec<_>>>()?;
        let mut events = Vec::new();
        if let Some(after) = after {
            self.events(&after, &mut events)?;
        }
        let recording = self.recording.as_mut().ok_or_else(another_kernel)?;
        let made = recording.call(op, &given, &events).map_err(|error| call_error(op, error))?;
        match made.results[..] {
            [] => Ok(Bound::new(py, Issued { kernel, op: made.op })?.into_any()),
            [one] => self.object(py, one),
            _ => {
                let list = made.results.iter().map(|v| self.object(py, *v)).collect::<PyResult<Vec<_>>>()?;
                Ok(PyTuple::new(py, list)?.into_any())
            }
        }
    }

    /// The instructions to wait for: events, or what an instruction gave.
    fn events(&self, after: &Bound<'_, PyAny>, events: &mut Vec<OpId>) -> PyResult<()> {
        if let Ok(event) = after.cast::<Issued>() {
            if event.get().kernel != self.kernel {
                return Err(another_kernel());
            }
            events.push(event.get().op);
            return Ok(());
        }
        if let Ok(handle) = after.cast::<Handle>() {
            let recording = self.recording.as_ref().ok_or_else(another_kernel)?;
            let value = value_in(self.kernel, handle.get())?;
            events.extend(recording.defined_by(value));
            return Ok(());
        }
        let Ok(several) = after.try_iter() else {
            return Err(PyTypeError::new_err("`after` is what an instruction returned, or a list of these"));
        };
        several.into_iter().try_for_each(|one| self.events(&one?, events))
    }

    /// A value, or a number as a scalar of a type.
    fn scalar(&mut self, ty: ScalarType, given: &Bound<'_, PyAny>) -> PyResult<ValueId> {
        let given = argument(self.kernel, given)?;
        let recording = self.recording.as_mut().ok_or_else(another_kernel)?;
        scalar(recording, ty, &given)
    }

    fn indices(&mut self, list: &[Bound<'_, PyAny>]) -> PyResult<Vec<ValueId>> {
        list.iter().map(|one| self.scalar(ScalarType::Index, one)).collect()
    }

    fn value(&self, handle: &Bound<'_, Handle>) -> PyResult<ValueId> {
        value_in(self.kernel, handle.get())
    }
}

/// A value of this type, or a number as a constant.
fn scalar(recording: &mut Recording, ty: ScalarType, given: &CallArg) -> PyResult<ValueId> {
    let number = match given {
        CallArg::Value(value) => {
            let found = recording.type_of(*value);
            if *found == Type::Scalar(ty) {
                return Ok(*value);
            }
            let advice = if matches!(found, Type::Scalar(_)) { "; .cast(...) changes the type" } else { "" };
            return Err(PyTypeError::new_err(format!("{} is needed here, and this is {found}{advice}", ty.mlir())));
        }
        CallArg::Int(n) => NumberLiteral::Int(*n),
        CallArg::Float(x) => NumberLiteral::Float(*x),
        CallArg::Bool(b) if ty == ScalarType::I1 => NumberLiteral::Int((*b).into()),
        _ => return Err(PyTypeError::new_err(format!("a number or a scalar of {} is needed here", ty.mlir()))),
    };
    recording.literal(ty, number).ok_or_else(|| {
        PyTypeError::new_err(format!("{} is needed here, and this number has a fraction or an exponent", ty.mlir()))
    })
}

fn call_error(op: Op, error: CallError) -> PyErr {
    let row = op.row();
    let (must, may) = pto::isa::call::parts(row);
    let name = pto::isa::call::function_name(op);
    let part = must.iter().chain(&may).nth(error.arg).map(|p| pto::isa::call::argument_name(p.name(row)));
    let of = part.map_or_else(String::new, |part| format!("`{part}`: "));
    PyTypeError::new_err(format!("{name}: {of}{}", error.message))
}

#[pymethods]
impl Recorder {
    #[new]
    fn new() -> Self {
        let kernel = KERNELS.fetch_add(1, Ordering::Relaxed);
        Self {
            recording: Some(Recording::new()),
            kernel,
            codes: CodeFiles::default(),
            waiting: Vec::new(),
            regions: Vec::new(),
        }
    }

    fn __enter__(slf: Py<Self>, py: Python<'_>) -> Py<Self> {
        CURRENT.with_borrow_mut(|all| all.push(slf.clone_ref(py)));
        slf
    }

    #[pyo3(signature = (*_args))]
    fn __exit__(&self, _args: &Bound<'_, PyTuple>) {
        let last = CURRENT.with_borrow_mut(Vec::pop);
        drop(last);
    }

    /// The beginning of the kernel: what concerns it as a whole is shown at this line.
    fn begin(&mut self, file: &str, text: Option<String>, line: u32) -> PyResult<()> {
        let recording = self.recording.as_mut().ok_or_else(another_kernel)?;
        let file = recording.file(file, text.map(Into::into));
        recording.go_to(CallSite { file, line, column: 1, caller: 0 });
        Ok(())
    }

    /// A parameter: a pointer to elements of a type, or a scalar.
    fn param<'py>(
        &mut self,
        py: Python<'py>,
        name: &str,
        dtype: PyRef<'py, CoreDType>,
        pointer: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let recording = self.recording.as_mut().ok_or_else(another_kernel)?;
        let ty = if pointer { Type::Ptr(dtype.scalar, PtrSpace::Default) } else { Type::Scalar(dtype.scalar) };
        let value = recording.param(name, &ty);
        self.object(py, value)
    }

    /// Ends the kernel.
    fn finish(&mut self, py: Python<'_>, name: &str) -> PyResult<CoreProgram> {
        self.settle(py)?;
        if let Some(open) = self.regions.last() {
            return Err(open.left_early());
        }
        let recording = self.recording.take().ok_or_else(another_kernel)?;
        Ok(CoreProgram::of(recording.finish(name)))
    }

    /// A constant.
    fn constant<'py>(
        &mut self,
        py: Python<'py>,
        dtype: PyRef<'py, CoreDType>,
        number: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.here(py)?;
        let ty = dtype.scalar;
        let value = match argument(self.kernel, &number)? {
            CallArg::Value(value) => self.here(py)?.cast(value, ty),
            _ => self.scalar(ty, &number)?,
        };
        self.object(py, value)
    }

    /// The integer, when it is known while the kernel is traced.
    fn number(&mut self, py: Python<'_>, value: &Bound<'_, Handle>) -> PyResult<Option<i64>> {
        self.settle(py)?;
        let value = self.value(value)?;
        Ok(self.recording.as_ref().and_then(|r| r.number(value)))
    }

    /// The name of the element type of a value.
    fn element(&mut self, py: Python<'_>, value: &Bound<'_, Handle>) -> PyResult<Option<String>> {
        self.settle(py)?;
        let value = self.value(value)?;
        let recording = self.recording.as_ref().ok_or_else(another_kernel)?;
        let name = |s: &ScalarType| s.elem().map_or_else(|| s.mlir().to_string(), |d| d.name().to_string());
        Ok(match recording.type_of(value) {
            Type::Scalar(s) | Type::Ptr(s, _) => Some(name(s)),
            Type::TensorView(v) | Type::PartitionView(v) => Some(name(&v.elem)),
            Type::Tile(t) | Type::TileBuf(t) => Some(t.dtype.name().to_string()),
            _ => None,
        })
    }

    /// The type of a tile.
    fn tile_type(&mut self, py: Python<'_>, value: &Bound<'_, Handle>) -> PyResult<CoreTileType> {
        self.settle(py)?;
        let value = self.value(value)?;
        match self.recording.as_ref().map(|r| r.type_of(value)) {
            Some(Type::Tile(tile) | Type::TileBuf(tile)) => Ok(CoreTileType { tile: *tile }),
            _ => Err(PyTypeError::new_err("this is not a tile")),
        }
    }

    /// The name of a value in the text of the program, if it was given one.
    fn name_of(&mut self, py: Python<'_>, value: &Bound<'_, Handle>) -> PyResult<Option<String>> {
        self.settle(py)?;
        let value = self.value(value)?;
        let recording = self.recording.as_ref().ok_or_else(another_kernel)?;
        Ok(Some(recording.name_of(value).to_string()).filter(|name| !name.is_empty()))
    }

    /// Gives a value a name in the text of the program.
    fn rename(&mut self, py: Python<'_>, value: &Bound<'_, Handle>, name: &str) -> PyResult<()> {
        self.settle(py)?;
        let value = self.value(value)?;
        if let Some(recording) = &mut self.recording {
            recording.rename(value, name);
        }
        Ok(())
    }
}
