//! Types of scalars and tiles as Python objects.

use pto::ir::TypeStyle;
use pto::ir::print::type_text;
use pto::isa::{BLayout, Compact, Dim, Loc, Pad, SLayout, ScalarType, TileType, Type};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The type of a scalar or an element; `pto.DType` is made of it.
#[pyclass(subclass, frozen, eq, hash, name = "DType", module = "pto._core")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct CoreDType {
    pub(super) scalar: ScalarType,
}

#[pymethods]
impl CoreDType {
    /// The type of this name: `f32`, `bf16`, `index`, `i1`, ….
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        let unknown = || PyValueError::new_err(format!("there is no type {name:?}"));
        let scalar = ScalarType::parse(name).ok_or_else(unknown)?;
        Ok(Self { scalar })
    }

    /// Its name.
    #[getter]
    fn name(&self) -> String {
        match self.scalar {
            ScalarType::Elem(d) => d.name().to_string(),
            other => other.mlir().to_string(),
        }
    }

    /// Bits of a number; 64 for an index.
    #[getter]
    fn bits(&self) -> u32 {
        match self.scalar {
            ScalarType::Elem(d) => d.bits(),
            ScalarType::I1 => 1,
            ScalarType::Index | ScalarType::F64 => 64,
        }
    }

    /// True for numbers with a point.
    #[getter]
    fn is_float(&self) -> bool {
        self.scalar.is_float()
    }
}

/// The type of a tile; `pto.TileType` is made of it.
#[pyclass(subclass, frozen, eq, hash, name = "TileType", module = "pto._core")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct CoreTileType {
    pub(super) tile: TileType,
}

#[pymethods]
impl CoreTileType {
    /// Words are those of the text; -1 is a valid extent that is known only when the program runs.
    #[new]
    #[pyo3(signature = (rows, cols, dtype, memory, valid_rows, valid_cols, layout, r#box, fractal, pad, compact))]
    #[expect(clippy::too_many_arguments, reason = "a tile type has as many parts")]
    fn new(
        rows: u64,
        cols: u64,
        dtype: PyRef<'_, CoreDType>,
        memory: &str,
        valid_rows: i64,
        valid_cols: i64,
        layout: &str,
        r#box: &str,
        fractal: u32,
        pad: &str,
        compact: &str,
    ) -> PyResult<Self> {
        let ScalarType::Elem(dtype) = dtype.scalar else {
            return Err(PyValueError::new_err(format!("a tile cannot have elements of {}", dtype.name())));
        };
        let valid = |n: i64| u64::try_from(n).map_or(Dim::Dynamic, Dim::Fixed);
        let tile = TileType {
            loc: word("memory", memory, &Loc::ALL, Loc::name)?,
            dtype,
            rows,
            cols,
            valid_rows: valid(valid_rows),
            valid_cols: valid(valid_cols),
            blayout: word("layout", layout, &[BLayout::RowMajor, BLayout::ColMajor], |l| &l.name()[..3])?,
            slayout: word("box", r#box, &[SLayout::NoneBox, SLayout::RowMajor, SLayout::ColMajor], |s| match s {
                SLayout::NoneBox => "none",
                SLayout::RowMajor => "row",
                SLayout::ColMajor => "col",
            })?,
            fractal,
            pad: word("pad", pad, &Pad::ALL, Pad::name)?,
            compact: word("compact", compact, &Compact::ALL, Compact::name)?,
        };
        Ok(Self { tile })
    }

    /// Rows of the tile.
    #[getter]
    fn rows(&self) -> u64 {
        self.tile.rows
    }

    /// Columns of the tile.
    #[getter]
    fn cols(&self) -> u64 {
        self.tile.cols
    }

    /// The name of the element type.
    #[getter]
    fn element(&self) -> &'static str {
        self.tile.dtype.name()
    }

    /// The memory it lies in.
    #[getter]
    fn memory(&self) -> &'static str {
        self.tile.loc.name()
    }

    /// Valid rows and columns; -1 if they are known only when the program runs.
    #[getter]
    fn valid(&self) -> (i64, i64) {
        let extent = |d: Dim| d.fixed().map_or(-1, |n| n as i64);
        (extent(self.tile.valid_rows), extent(self.tile.valid_cols))
    }

    /// Which valid extents, rows and columns, are known only when the program runs.
    #[getter]
    fn open(&self) -> (bool, bool) {
        (self.tile.valid_rows == Dim::Dynamic, self.tile.valid_cols == Dim::Dynamic)
    }

    fn __repr__(&self) -> String {
        type_text(&Type::TileBuf(self.tile), TypeStyle::Compact)
    }
}

/// The value whose name this is, in any case and without underscores.
fn word<T: Copy>(what: &str, given: &str, all: &[T], name: impl Fn(T) -> &'static str) -> PyResult<T> {
    let plain = |text: &str| text.replace('_', "").to_ascii_lowercase();
    let found = all.iter().find(|value| plain(name(**value)) == plain(given));
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|value| name(*value)).collect();
        PyValueError::new_err(format!("{what} is {given:?}; it is one of {}", names.join(", ")))
    })
}
