//! Tensors by DLPack, on the CPU. The capsule is kept and not consumed: its destructor gives the tensor back.

use super::{ArrayMemory, Element};
use crate::errors;
use pto::isa::DType;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi::{PyCapsule_GetPointer, PyCapsule_IsValid};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyCapsule};
use std::ffi::{CStr, c_void};

/// `DLTensor`.
#[repr(C)]
struct Tensor {
    data: *mut u8,
    device: (i32, i32),
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *const i64,
    strides: *const i64,
    byte_offset: u64,
}

/// `DLManagedTensorVersioned`, up to its tensor.
#[repr(C)]
struct Versioned {
    version: (u32, u32),
    manager: *mut c_void,
    deleter: *const c_void,
    flags: u64,
    tensor: Tensor,
}

const CPU: i32 = 1;
const READ_ONLY: u64 = 1;
const PLAIN: &CStr = c"dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";

/// The memory of an object with `__dlpack__`. Tensors of producers that cannot say whether they may be written are read only.
pub(super) fn memory(object: &Bound<'_, PyAny>) -> PyResult<ArrayMemory> {
    let py = object.py();
    let (device, _): (i32, i64) = object.call_method0("__dlpack_device__")?.extract()?;
    if device != CPU {
        return Err(errors::argument(
            py,
            &format!("a tensor of DLPack device {device}: programs run on tensors of the CPU"),
        ));
    }
    let newest = [("max_version", (1, 0))].into_py_dict(py)?;
    let capsule = match object.call_method("__dlpack__", (), Some(&newest)) {
        Err(e) if e.is_instance_of::<PyTypeError>(py) => object.call_method0("__dlpack__")?,
        other => other?,
    };
    let capsule = capsule.cast_into::<PyCapsule>()?;
    // SAFETY: the names are C texts; the calls only look at the capsule.
    let is = |name: &CStr| unsafe { PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) != 0 };
    let name = if is(VERSIONED) { VERSIONED } else { PLAIN };
    // SAFETY: as above; a capsule of another name gives null and an exception.
    let pointer = unsafe { PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()) };
    if pointer.is_null() {
        return Err(PyErr::fetch(py));
    }
    // SAFETY: DLPack says that a capsule of this name holds this structure; it lives as long as the capsule, which we keep.
    let (tensor, is_writable) = unsafe {
        if name == VERSIONED {
            let versioned = &*pointer.cast::<Versioned>();
            if versioned.version.0 != 1 {
                return Err(errors::argument(py, "a tensor of another major version of DLPack"));
            }
            (&versioned.tensor, versioned.flags & READ_ONLY == 0)
        } else {
            (&*pointer.cast::<Tensor>(), false)
        }
    };
    let nd = usize::try_from(tensor.ndim).unwrap_or(0);
    let list = |from: *const i64| {
        // SAFETY: shape and strides have `ndim` entries, or are null.
        if nd == 0 || from.is_null() { &[][..] } else { unsafe { std::slice::from_raw_parts(from, nd) } }
    };
    let item = usize::from(tensor.bits.div_ceil(8));
    let shape: Vec<u64> = list(tensor.shape).iter().map(|n| u64::try_from(*n).unwrap_or(0)).collect();
    let strides: Vec<i64> = list(tensor.strides).iter().map(|n| n * item as i64).collect();
    let strides = (!tensor.strides.is_null() && !is_contiguous(&shape, &strides, item)).then_some(strides);
    Ok(ArrayMemory {
        ptr: tensor.data.wrapping_add(tensor.byte_offset as usize),
        item,
        element: element(tensor),
        is_writable,
        shape,
        strides,
        _owner: Some(capsule.into_any().unbind()),
    })
}

/// True if elements follow each other in row-major order; of an empty tensor, strides mean nothing.
fn is_contiguous(shape: &[u64], strides: &[i64], item: usize) -> bool {
    let mut next = item as i64;
    shape.contains(&0)
        || shape.iter().zip(strides).rev().all(|(n, stride)| {
            let fits = *n == 1 || *stride == next;
            next *= *n as i64;
            fits
        })
}

fn element(tensor: &Tensor) -> Element {
    let known = match (tensor.code, tensor.bits, tensor.lanes) {
        (0, 8, 1) => DType::I8,
        (0, 16, 1) => DType::I16,
        (0, 32, 1) => DType::I32,
        (0, 64, 1) => DType::I64,
        (1, 8, 1) => DType::U8,
        (1, 16, 1) => DType::U16,
        (1, 32, 1) => DType::U32,
        (1, 64, 1) => DType::U64,
        (2, 16, 1) => DType::F16,
        (2, 32, 1) => DType::F32,
        (4, 16, 1) => DType::Bf16,
        (10, 8, 1) => DType::F8E4M3,
        (12, 8, 1) => DType::F8E5M2,
        (14, 8, 1) => DType::F8E8M0,
        (6, 8, 1) => return Element::Bool,
        (code, bits, lanes) => return Element::Other(format!("DLPack type {code} of {bits} bits, {lanes} lanes")),
    };
    Element::Known(known)
}
