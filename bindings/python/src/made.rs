//! Memory that is made up: `pto.rand()` and its like, and parameters without an argument. Sizes come from the program, numbers from
//! the generators of the command line.

use crate::arrays::numpy_name;
use crate::errors;
use pto::cpu::{Extent, Measure, Param, ParamKind};
use pto::data::{AnyNumber, Array, DataError};
use pto::isa::DType;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// What is asked for: the fields of `pto.arrays.Made`.
#[derive(FromPyObject, Default)]
pub(crate) struct MadeUp {
    kind: String,
    integer: Option<i128>,
    number: Option<f64>,
    shape: Option<Vec<u64>>,
    seed: Option<u64>,
}

impl MadeUp {
    /// What an object asks for, if it is one of `pto.rand()`, `pto.zeros()`, ….
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> Option<Self> {
        let is_made = object.get_type().hasattr("_pto_made").unwrap_or(false);
        if is_made { object.extract().ok() } else { None }
    }

    /// An array for a parameter, by its position. Without a wish: random where the program reads it, zero where it only writes.
    pub(crate) fn array<'py>(
        &self,
        py: Python<'py>,
        (at, param): (usize, &Param),
        measure: &Measure,
        seed: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let dtype = param.kind.elem().unwrap_or(DType::U8);
        let shape = self.shape.clone().unwrap_or_else(|| usual_shape(param, measure.extents[at].as_ref()));
        // Every parameter gets different random numbers, those that the command line gives it.
        let seed = self.seed.unwrap_or(seed).wrapping_add((at as u64) << 32);
        let array = py.detach(|| self.numbers(dtype, &shape, measure.reads[at], seed));
        let array = array.map_err(|e| errors::argument(py, &format!("argument `{}`: {e}", param.name)))?;
        let name = numpy_name(dtype).unwrap_or("uint8");
        let bytes = PyByteArray::new(py, array.bytes());
        py.import("pto.arrays")?.call_method1("_made", (bytes, name, in_bytes(dtype, &shape)))
    }

    fn numbers(&self, dtype: DType, shape: &[u64], is_read: bool, seed: u64) -> Result<Array, DataError> {
        let value = self.integer.map(AnyNumber::Int).or(self.number.map(AnyNumber::Float)).unwrap_or(AnyNumber::Int(0));
        match &*self.kind {
            "rand" => Array::random(dtype, shape, seed),
            "iota" => Array::iota(dtype, shape),
            "fill" => Array::filled(dtype, shape, value),
            "zeros" => Array::zeros(dtype, shape),
            _ if is_read => Array::random(dtype, shape, seed),
            _ => Array::zeros(dtype, shape),
        }
    }
}

/// The extents that the program needs; none that it shows are an empty array.
fn usual_shape(param: &Param, needed: Option<&Extent>) -> Vec<u64> {
    match (&param.kind, needed) {
        (ParamKind::Tile(tile), _) => vec![tile.rows, tile.cols * param.per_column],
        (_, Some(extent)) => extent.shape.clone(),
        (ParamKind::Tensor(_, dims), None) => dims.iter().map(|d| d.unwrap_or(0)).collect(),
        _ => vec![0],
    }
}

/// The extents of the array that holds such numbers: two of 4 bits are one byte.
fn in_bytes(dtype: DType, shape: &[u64]) -> Vec<u64> {
    let per_byte = u64::from(dtype.per_byte());
    match shape.split_last() {
        Some((last, first)) if last.is_multiple_of(per_byte) => [first, &[last / per_byte]].concat(),
        _ => vec![shape.iter().product::<u64>().div_ceil(per_byte)],
    }
}
