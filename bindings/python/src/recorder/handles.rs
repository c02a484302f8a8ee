//! Values of a kernel as Python objects, and what a call can be given.

use super::types::{CoreDType, CoreTileType};
use pto::ir::{OpId, ValueId};
use pto::isa::Type;
use pto::record::CallArg;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use std::sync::OnceLock;

/// A value of one kernel; scalars, tiles, views, pointers and tokens of the package are made of it.
#[pyclass(subclass, frozen, module = "pto._core")]
pub(crate) struct Handle {
    pub(super) kernel: u32,
    /// Empty while an addition waits to be recorded.
    pub(super) value: OnceLock<ValueId>,
}

impl Handle {
    pub(super) fn new(kernel: u32, value: ValueId) -> Self {
        Self { kernel, value: OnceLock::from(value) }
    }

    pub(super) fn waiting(kernel: u32) -> Self {
        Self { kernel, value: OnceLock::new() }
    }
}

#[pymethods]
impl Handle {
    /// The same value as an object of a subclass.
    #[new]
    fn of(other: PyRef<'_, Self>) -> Self {
        Self { kernel: other.kernel, value: other.value.clone() }
    }
}

/// An instruction that was recorded: later ones can wait for it.
#[pyclass(frozen, module = "pto")]
pub(crate) struct Issued {
    pub(super) kernel: u32,
    pub(super) op: OpId,
}

/// The classes of the package that values become.
pub(super) struct Classes {
    scalar: Py<PyType>,
    tile: Py<PyType>,
    view: Py<PyType>,
    pointer: Py<PyType>,
    token: Py<PyType>,
}

static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();

/// Names the classes of the package that values become.
#[pyfunction]
pub(crate) fn set_handle_classes(
    py: Python<'_>,
    scalar: Py<PyType>,
    tile: Py<PyType>,
    view: Py<PyType>,
    pointer: Py<PyType>,
    token: Py<PyType>,
) {
    let _ = CLASSES.set(py, Classes { scalar, tile, view, pointer, token });
}

/// A value as an object of its class.
pub(super) fn object<'py>(py: Python<'py>, handle: Handle, ty: &Type) -> PyResult<Bound<'py, PyAny>> {
    let classes = CLASSES.get(py).ok_or_else(|| PyRuntimeError::new_err("import pto, not pto._core"))?;
    let class = match ty {
        Type::Scalar(_) => &classes.scalar,
        Type::Tile(_) | Type::TileBuf(_) => &classes.tile,
        Type::TensorView(_) | Type::PartitionView(_) => &classes.view,
        Type::Ptr(..) => &classes.pointer,
        _ => &classes.token,
    };
    class.bind(py).call1((handle,))
}

/// The value of a handle, which must belong to this kernel.
pub(super) fn value_in(kernel: u32, handle: &Handle) -> PyResult<ValueId> {
    if handle.kernel != kernel {
        return Err(another_kernel());
    }
    handle.value.get().copied().ok_or_else(|| PyRuntimeError::new_err("an addition was not recorded"))
}

pub(super) fn another_kernel() -> PyErr {
    PyRuntimeError::new_err(
        "this value belongs to another kernel, or is used after its kernel was traced: values exist only in the call of \
         the kernel that made them",
    )
}

/// What a call is given.
pub(super) fn argument(kernel: u32, given: &Bound<'_, PyAny>) -> PyResult<CallArg> {
    if let Ok(handle) = given.cast::<Handle>() {
        return value_in(kernel, handle.get()).map(CallArg::Value);
    }
    if given.is_none() {
        return Ok(CallArg::Nothing);
    }
    // Text first: members of the enumerations are texts.
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(CallArg::Text(text.to_str()?.to_string()));
    }
    if given.is_instance_of::<PyBool>() {
        return Ok(CallArg::Bool(given.is_truthy()?));
    }
    if given.is_instance_of::<PyInt>() {
        return Ok(CallArg::Int(given.extract()?));
    }
    if let Ok(number) = given.cast::<PyFloat>() {
        return Ok(CallArg::Float(number.value()));
    }
    if given.is_instance_of::<PyTuple>() || given.is_instance_of::<PyList>() {
        let list = given.try_iter()?.map(|one| argument(kernel, &one?)).collect::<PyResult<_>>()?;
        return Ok(CallArg::List(list));
    }
    if let Ok(ty) = given.cast::<CoreTileType>() {
        return Ok(CallArg::Type(Type::TileBuf(ty.get().tile)));
    }
    if let Ok(ty) = given.cast::<CoreDType>() {
        return Ok(CallArg::Type(Type::Scalar(ty.get().scalar)));
    }
    // Element types of the package are classes.
    if let Ok(class) = given.cast::<PyType>()
        && let Ok(ty) = class.getattr(pyo3::intern!(given.py(), "_core"))
        && let Ok(ty) = ty.cast::<CoreDType>()
    {
        return Ok(CallArg::Type(Type::Scalar(ty.get().scalar)));
    }
    // Numbers of NumPy and others.
    if let Ok(number) = given.call_method0(pyo3::intern!(given.py(), "__index__")) {
        return Ok(CallArg::Int(number.extract()?));
    }
    if let Ok(number) = given.call_method0(pyo3::intern!(given.py(), "__float__")) {
        return Ok(CallArg::Float(number.extract()?));
    }
    let class = given.get_type().name()?.to_string();
    Err(PyTypeError::new_err(format!(
        "a kernel cannot use {class} here: it takes tiles, views, pointers, scalars and numbers"
    )))
}
