//! Memory of Python's arrays: NumPy (and what has `__array_struct__`), torch tensors on the CPU, DLPack. Nothing is copied.

#![expect(unsafe_code, reason = "array protocols hand out structures behind pointers")]

mod dlpack;

use crate::errors;
use pto::Arg;
use pto::isa::DType;
use pyo3::exceptions::PyAttributeError;
use pyo3::ffi::PyCapsule_GetPointer;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{c_char, c_int, c_void};

/// What the elements of an array are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Element {
    /// An element type of PTO.
    Known(DType),
    /// Truth values, a byte each.
    Bool,
    /// Something else, by name.
    Other(String),
}

/// An array as it lies in memory.
#[derive(Debug)]
pub(crate) struct ArrayMemory {
    ptr: *mut u8,
    item: usize,
    pub(crate) element: Element,
    pub(crate) is_writable: bool,
    pub(crate) shape: Vec<u64>,
    /// Bytes from one element to the next; `None` if it is contiguous, in row-major order.
    pub(crate) strides: Option<Vec<i64>>,
    /// Keeps the memory alive, where the array itself does not.
    _owner: Option<Py<PyAny>>,
}

// SAFETY: the address is only used by `to_vec` and `arg`, which say what must hold; threads do not matter to it.
unsafe impl Send for ArrayMemory {}
// SAFETY: as above.
unsafe impl Sync for ArrayMemory {}

/// `PyArrayInterface` of NumPy's array protocol, version 3: what `__array_struct__` leads to.
#[repr(C)]
struct ArrayInterface {
    two: c_int,
    nd: c_int,
    kind: c_char,
    item: c_int,
    flags: c_int,
    shape: *const isize,
    strides: *const isize,
    data: *mut c_void,
}

const CONTIGUOUS: c_int = 1;
const NATIVE_ORDER: c_int = 0x200;
const WRITABLE: c_int = 0x400;

impl ArrayMemory {
    /// The memory of an object, if it has any: arrays, tensors, buffers.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let py = object.py();
        match object.getattr(intern!(py, "__array_struct__")) {
            Ok(capsule) => return Self::of_interface(object, &capsule).map(Some),
            Err(e) if e.is_instance_of::<PyAttributeError>(py) => {}
            Err(e) => return Err(e),
        }
        if object.hasattr(intern!(py, "data_ptr"))? {
            return Self::of_tensor(object).map(Some);
        }
        if object.hasattr(intern!(py, "__dlpack__"))? {
            return dlpack::memory(object).map(Some);
        }
        let viewed = py.import("pto.arrays")?.call_method1("_view", (object,))?;
        if viewed.is_none() {
            return Ok(None);
        }
        let mut memory = Self::of_interface(&viewed, &viewed.getattr(intern!(py, "__array_struct__"))?)?;
        memory._owner = Some(viewed.unbind());
        Ok(Some(memory))
    }

    fn of_interface(object: &Bound<'_, PyAny>, capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let capsule = capsule.cast::<PyCapsule>()?;
        // SAFETY: a capsule without a name, as the protocol says; a wrong one gives null and an exception.
        let pointer = unsafe { PyCapsule_GetPointer(capsule.as_ptr(), std::ptr::null()) };
        if pointer.is_null() {
            return Err(PyErr::fetch(py));
        }
        // SAFETY: the protocol says that this is what the capsule holds, and the capsule lives until the end of the function.
        let array = unsafe { &*pointer.cast::<ArrayInterface>() };
        let nd = usize::try_from(array.nd).unwrap_or(0);
        let list = |from: *const isize| {
            // SAFETY: shape and strides have `nd` entries; they may be null only if there are none.
            if nd == 0 || from.is_null() { &[][..] } else { unsafe { std::slice::from_raw_parts(from, nd) } }
        };
        if array.two != 2 {
            return Err(errors::argument(py, "an `__array_struct__` of another version of the array protocol"));
        }
        let shape: Vec<u64> = list(array.shape).iter().map(|n| u64::try_from(*n).unwrap_or(0)).collect();
        let contiguous = array.flags & CONTIGUOUS != 0;
        let strides = (!contiguous).then(|| list(array.strides).iter().map(|n| *n as i64).collect());
        let item = usize::try_from(array.item).unwrap_or(0);
        let element = if item > 1 && array.flags & NATIVE_ORDER == 0 {
            Element::Other("of the other byte order".into())
        } else {
            element_of_kind(object, array.kind as u8, item)?
        };
        let is_writable = array.flags & WRITABLE != 0;
        Ok(Self { ptr: array.data.cast(), item, element, is_writable, shape, strides, _owner: None })
    }

    fn of_tensor(tensor: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = tensor.py();
        let device: String = tensor.getattr(intern!(py, "device"))?.getattr(intern!(py, "type"))?.extract()?;
        if device != "cpu" {
            return Err(errors::argument(
                py,
                &format!("a tensor on {device}: programs run on tensors of the CPU (`.cpu()`)"),
            ));
        }
        let name = tensor.getattr(intern!(py, "dtype"))?.str()?;
        let element = named(name.to_str()?.trim_start_matches("torch."));
        let shape: Vec<u64> = tensor.getattr(intern!(py, "shape"))?.extract()?;
        let item: usize = tensor.call_method0(intern!(py, "element_size"))?.extract()?;
        let contiguous: bool = tensor.call_method0(intern!(py, "is_contiguous"))?.extract()?;
        let strides = if contiguous {
            None
        } else {
            let elements: Vec<i64> = tensor.call_method0(intern!(py, "stride"))?.extract()?;
            Some(elements.into_iter().map(|n| n * item as i64).collect())
        };
        let address: usize = tensor.call_method0(intern!(py, "data_ptr"))?.extract()?;
        let ptr = std::ptr::with_exposed_provenance_mut(address);
        Ok(Self { ptr, item, element, is_writable: true, shape, strides, _owner: None })
    }

    /// The number of its elements.
    fn count(&self) -> u64 {
        self.shape.iter().product()
    }

    /// Bytes from its first element to the end of its last: all of it, if it is contiguous. `None` if it runs backwards.
    pub(crate) fn span(&self) -> Option<usize> {
        if self.count() == 0 {
            return Some(0);
        }
        let Some(strides) = &self.strides else { return Some(self.count() as usize * self.item) };
        let last = self
            .shape
            .iter()
            .zip(strides)
            .try_fold(0i64, |sum, (n, stride)| (*stride >= 0 || *n <= 1).then(|| sum + (*n as i64 - 1) * stride))?;
        Some(last as usize + self.item)
    }

    /// Its first address, for tests of what is copied.
    pub(crate) fn address(&self) -> usize {
        self.ptr.addr()
    }

    /// Its bytes, from the first element to the last.
    pub(crate) fn to_vec(&self) -> Vec<u8> {
        match self.span() {
            // SAFETY: the array protocol says that these bytes are there; the caller has the GIL, so nobody changes them now.
            Some(bytes) if bytes > 0 => unsafe { std::slice::from_raw_parts(self.ptr, bytes) }.to_vec(),
            _ => Vec::new(),
        }
    }

    /// The argument of a run, with elements of a type.
    ///
    /// # Safety
    /// Until the argument is dropped, the array is alive and is not resized; other threads of Python that access it while the
    /// program runs are a data race, as they are with NumPy's own functions.
    pub(crate) unsafe fn arg(&self, element: DType) -> Arg<'static> {
        let bytes = self.span().unwrap_or(0);
        // SAFETY: the span is the memory of the array; the rest is our caller's.
        unsafe { Arg::held(self.ptr, bytes, self.is_writable) }.of(element)
    }
}

/// The element type of NumPy's kind and size; extension types are asked for their name.
fn element_of_kind(object: &Bound<'_, PyAny>, kind: u8, item: usize) -> PyResult<Element> {
    Ok(Element::Known(match (kind, item) {
        (b'f', 4) => DType::F32,
        (b'f', 2) => DType::F16,
        (b'i', 1) => DType::I8,
        (b'i', 2) => DType::I16,
        (b'i', 4) => DType::I32,
        (b'i', 8) => DType::I64,
        (b'u', 1) => DType::U8,
        (b'u', 2) => DType::U16,
        (b'u', 4) => DType::U32,
        (b'u', 8) => DType::U64,
        (b'b', 1) => return Ok(Element::Bool),
        _ => {
            let name: String = object.getattr("dtype")?.getattr("name")?.extract()?;
            return Ok(named(&name));
        }
    }))
}

/// The element type of a name of NumPy, ml_dtypes or torch.
fn named(name: &str) -> Element {
    Element::Known(match name {
        "float32" => DType::F32,
        "float16" => DType::F16,
        "bfloat16" => DType::Bf16,
        "float8_e4m3fn" => DType::F8E4M3,
        "float8_e5m2" => DType::F8E5M2,
        "float8_e8m0fnu" => DType::F8E8M0,
        "int8" => DType::I8,
        "int16" => DType::I16,
        "int32" => DType::I32,
        "int64" => DType::I64,
        "uint8" => DType::U8,
        "uint16" => DType::U16,
        "uint32" => DType::U32,
        "uint64" => DType::U64,
        "bool" => return Element::Bool,
        other => return Element::Other(other.into()),
    })
}

impl Element {
    /// True if elements of this kind can be given for a parameter: they are the same, or plain bits of a type that arrays do not have.
    pub(crate) fn fits(&self, wanted: DType) -> bool {
        match self {
            Self::Known(found) if *found == wanted => true,
            Self::Known(DType::U8) => wanted.bits() <= 8 && (wanted.is_float() || wanted.bits() < 8),
            Self::Known(DType::U16) => matches!(wanted, DType::Bf16 | DType::F16),
            Self::Bool => matches!(wanted, DType::I8 | DType::U8),
            Self::Known(_) | Self::Other(_) => false,
        }
    }

    /// Its name, for messages.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Known(dtype) => numpy_name(*dtype).unwrap_or(dtype.name()),
            Self::Bool => "bool",
            Self::Other(name) => name,
        }
    }
}

/// The name of an element type in NumPy or ml_dtypes, where it has one.
pub(crate) fn numpy_name(dtype: DType) -> Option<&'static str> {
    Some(match dtype {
        DType::F32 => "float32",
        DType::F16 => "float16",
        DType::Bf16 => "bfloat16",
        DType::F8E4M3 => "float8_e4m3fn",
        DType::F8E5M2 => "float8_e5m2",
        DType::F8E8M0 => "float8_e8m0fnu",
        DType::I8 => "int8",
        DType::I16 => "int16",
        DType::I32 => "int32",
        DType::I64 => "int64",
        DType::U8 => "uint8",
        DType::U16 => "uint16",
        DType::U32 => "uint32",
        DType::U64 => "uint64",
        DType::Hif8 | DType::I4 | DType::F4E1M2 | DType::F4E2M1 => return None,
    })
}
