//! What tiles hold at the end of a run: `Program.run(tiles=…)`.

use crate::arrays::numpy_name;
use pto::cpu::{Kept, Remains, TileContents};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyString};

/// What `run(tiles=…)` asks for: `True` for all tiles, a name, or several names.
pub(crate) fn wanted_tiles(wanted: &Bound<'_, PyAny>) -> PyResult<Option<Remains>> {
    if let Ok(all) = wanted.cast::<PyBool>() {
        return Ok(all.is_true().then(|| Remains::of_tiles(|_| true)));
    }
    let names: Vec<String> = match wanted.cast::<PyString>() {
        Ok(one) => vec![one.to_str()?.to_string()],
        Err(_) => wanted
            .try_iter()
            .and_then(|all| all.map(|one| one?.extract()).collect())
            .map_err(|_| PyTypeError::new_err("tiles= is True, the name of a tile, or several names"))?,
    };
    let names: Vec<String> = names.into_iter().map(|name| name.trim_start_matches('%').to_string()).collect();
    Ok(Some(Remains::of_tiles(move |name| names.iter().any(|n| n == name))))
}

/// What a core holds of a tile.
#[pyclass(frozen, name = "TileContents", module = "pto._core")]
pub(crate) struct CoreTileContents(TileContents);

#[pymethods]
impl CoreTileContents {
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn block(&self) -> u32 {
        self.0.core.block
    }

    /// The core of the block: `None` if it has one, else `cube`, `vector 0`, `vector 1`.
    #[getter]
    fn core(&self) -> Option<String> {
        self.0.core.name()
    }

    #[getter]
    fn memory(&self) -> &'static str {
        self.0.ty.loc.name()
    }

    #[getter]
    fn element(&self) -> &'static str {
        self.0.ty.dtype.name()
    }

    #[getter]
    fn shape(&self) -> (u64, u64) {
        (self.0.ty.rows, self.0.ty.cols)
    }

    #[getter]
    fn valid(&self) -> (u32, u32) {
        self.0.valid
    }

    #[getter]
    fn address(&self) -> Option<u64> {
        self.0.address
    }

    /// The bytes of all elements, row by row, and the NumPy name of their type.
    fn elements<'py>(&self, py: Python<'py>) -> (Bound<'py, PyByteArray>, &'static str) {
        let name = if self.0.ty.dtype.bits() < 8 { None } else { numpy_name(self.0.ty.dtype) };
        (PyByteArray::new(py, &self.0.elements), name.unwrap_or("uint8"))
    }

    /// The bytes of all numbers as `float64`, row by row.
    fn numbers<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes: Vec<u8> = self.0.numbers().into_iter().flat_map(f64::to_ne_bytes).collect();
        PyBytes::new(py, &bytes)
    }

    /// A byte for each element: 1 where something wrote it.
    fn written<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes: Vec<u8> = self.0.written.iter().map(|w| u8::from(*w)).collect();
        PyBytes::new(py, &bytes)
    }
}

/// The tiles as a list of the package.
pub(crate) fn list(py: Python<'_>, kept: Kept) -> PyResult<Py<PyAny>> {
    let all: Vec<CoreTileContents> = kept.tiles.into_iter().map(CoreTileContents).collect();
    Ok(py.import("pto.pictures")?.call_method1("_kept", (all, kept.left_out))?.unbind())
}
