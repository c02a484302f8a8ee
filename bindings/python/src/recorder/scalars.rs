//! Arithmetic on scalars in the kernel that is traced.

use super::handles::{Handle, another_kernel, argument};
use super::types::CoreDType;
use super::{Recording, current, scalar};
use pto::ir::ValueId;
use pto::isa::{ScalarType, Type};
use pto::record::{BinaryScalarOp, CompareOp, NumberLiteral};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// An operation on two scalars; either may be a number. `swapped` exchanges them.
#[pyfunction]
pub(crate) fn binary<'py>(
    py: Python<'py>,
    op: &str,
    left: &Bound<'py, Handle>,
    right: &Bound<'py, PyAny>,
    swapped: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let recorder = current(py)?;
    let mut this = recorder.bind(py).borrow_mut();
    let op = binary_op(op)?;
    if op == BinaryScalarOp::Add
        && !swapped
        && let Some(sum) = this.postpone(py, left, right)?
    {
        return Ok(sum);
    }
    this.here(py)?;
    let (left, given) = (this.value(left)?, argument(this.kernel, right)?);
    let recording = this.recording.as_mut().ok_or_else(another_kernel)?;
    let ty = scalar_type(recording, left)?;
    let right = scalar(recording, ty, &given)?;
    let (a, b) = if swapped { (right, left) } else { (left, right) };
    let value = recording.binary(op, a, b);
    this.object(py, value)
}

/// Whether a comparison holds.
#[pyfunction]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    op: &str,
    left: &Bound<'py, Handle>,
    right: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let recorder = current(py)?;
    let mut this = recorder.bind(py).borrow_mut();
    let op = match op {
        "eq" => CompareOp::Eq,
        "ne" => CompareOp::Ne,
        "lt" => CompareOp::Lt,
        "le" => CompareOp::Le,
        "gt" => CompareOp::Gt,
        _ => CompareOp::Ge,
    };
    this.here(py)?;
    let (left, given) = (this.value(left)?, argument(this.kernel, right)?);
    let recording = this.recording.as_mut().ok_or_else(another_kernel)?;
    let ty = scalar_type(recording, left)?;
    let right = scalar(recording, ty, &given)?;
    let value = recording.compare(op, left, right);
    this.object(py, value)
}

/// The negative number, or the other truth value.
#[pyfunction]
pub(crate) fn unary<'py>(py: Python<'py>, op: &str, value: &Bound<'py, Handle>) -> PyResult<Bound<'py, PyAny>> {
    let recorder = current(py)?;
    let mut this = recorder.bind(py).borrow_mut();
    this.here(py)?;
    let value = this.value(value)?;
    let recording = this.recording.as_mut().ok_or_else(another_kernel)?;
    let ty = scalar_type(recording, value)?;
    let value = match op {
        "neg" => recording.negate(value),
        _ if ty == ScalarType::I1 => recording.invert(value),
        _ => {
            let ones = recording.constant(ty, NumberLiteral::Int(-1));
            recording.binary(BinaryScalarOp::Xor, value, ones)
        }
    };
    this.object(py, value)
}

/// The scalar as another type.
#[pyfunction]
pub(crate) fn cast<'py>(
    py: Python<'py>,
    value: &Bound<'py, Handle>,
    dtype: PyRef<'py, CoreDType>,
) -> PyResult<Bound<'py, PyAny>> {
    let recorder = current(py)?;
    let mut this = recorder.bind(py).borrow_mut();
    this.here(py)?;
    let value = this.value(value)?;
    let recording = this.recording.as_mut().ok_or_else(another_kernel)?;
    scalar_type(recording, value)?;
    let value = recording.cast(value, dtype.scalar);
    this.object(py, value)
}

/// The first where the condition holds, else the second.
#[pyfunction]
pub(crate) fn select<'py>(
    py: Python<'py>,
    condition: &Bound<'py, PyAny>,
    yes: &Bound<'py, PyAny>,
    no: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let recorder = current(py)?;
    let mut this = recorder.bind(py).borrow_mut();
    this.here(py)?;
    let condition = this.scalar(ScalarType::I1, condition)?;
    let types = [yes, no].map(|side| side.cast::<Handle>().ok().map(|h| this.value(h)));
    let known = types.into_iter().flatten().next();
    let recording = this.recording.as_mut().ok_or_else(another_kernel)?;
    let ty = match known {
        Some(value) => scalar_type(recording, value?)?,
        None => return Err(PyTypeError::new_err("one side of a selection must be a scalar of the kernel")),
    };
    let (yes, no) = (this.scalar(ty, yes)?, this.scalar(ty, no)?);
    let value = this.recording.as_mut().ok_or_else(another_kernel)?.select(condition, yes, no);
    this.object(py, value)
}

fn scalar_type(recording: &Recording, value: ValueId) -> PyResult<ScalarType> {
    match recording.type_of(value) {
        Type::Scalar(ty) => Ok(*ty),
        other => Err(PyTypeError::new_err(format!("a scalar is needed here, and this is {other}"))),
    }
}

fn binary_op(name: &str) -> PyResult<BinaryScalarOp> {
    Ok(match name {
        "add" => BinaryScalarOp::Add,
        "sub" => BinaryScalarOp::Sub,
        "mul" => BinaryScalarOp::Mul,
        "div" => BinaryScalarOp::Div,
        "rem" => BinaryScalarOp::Rem,
        "min" => BinaryScalarOp::Min,
        "max" => BinaryScalarOp::Max,
        "and" => BinaryScalarOp::And,
        "or" => BinaryScalarOp::Or,
        "xor" => BinaryScalarOp::Xor,
        "shl" => BinaryScalarOp::Shl,
        "shr" => BinaryScalarOp::Shr,
        _ => return Err(PyValueError::new_err(format!("there is no operation {name:?}"))),
    })
}
