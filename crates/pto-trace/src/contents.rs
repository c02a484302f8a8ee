//! What a value held.

use pto_cpu::{ElementNumber, TilePlace, ViewPlace, numbers_of};
use pto_isa::{Class, DType, ScalarType, TileType};
use std::ops::Range;

/// What a value held at some moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Contents {
    /// The name of the value, without `%`.
    pub name: String,
    /// What it is.
    pub kind: ContentsKind,
    /// The type of its elements.
    pub dtype: DType,
    /// Rows of the whole value.
    pub rows: usize,
    /// Columns of the whole value.
    pub cols: usize,
    /// The rows that were read.
    pub row_range: Range<usize>,
    /// The columns that were read.
    pub col_range: Range<usize>,
    /// Valid rows and columns.
    pub valid: (usize, usize),
    /// The bits of each element that was read, row by row.
    pub raw: Vec<u64>,
    /// For each element, whether something is known to have written it.
    pub written: Vec<bool>,
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum ContentsKind {
    /// A number.
    Scalar(ScalarType),
    /// An address: the position of the parameter and the byte.
    Address,
    /// A tile.
    Tile(TileType, TilePlace),
    /// A window of memory.
    View(ViewPlace),
}

impl Contents {
    pub(crate) fn new(
        name: String,
        kind: ContentsKind,
        dtype: DType,
        rows: &Range<usize>,
        cols: &Range<usize>,
    ) -> Self {
        let (row_range, col_range) = (rows.clone(), cols.clone());
        let count = row_range.len() * col_range.len();
        let (raw, written) = (Vec::with_capacity(count), Vec::with_capacity(count));
        Self { name, kind, dtype, rows: 0, cols: 0, row_range, col_range, valid: (0, 0), raw, written }
    }

    pub(crate) fn scalar(name: String, kind: ContentsKind, bits: u64) -> Self {
        let dtype = match kind {
            ContentsKind::Scalar(ScalarType::Elem(dtype)) => dtype,
            _ => DType::I64,
        };
        let one = Self::new(name, kind, dtype, &(0..1), &(0..1));
        Self { rows: 1, cols: 1, valid: (1, 1), raw: vec![bits], written: vec![true], ..one }
    }

    /// The type of its elements as the program writes it.
    pub fn type_name(&self) -> String {
        match self.kind {
            ContentsKind::Scalar(ty) => ty.mlir().to_string(),
            ContentsKind::Address => "ptr".to_string(),
            ContentsKind::Tile(..) | ContentsKind::View(_) => self.dtype.to_string(),
        }
    }

    /// The position of an element among those that were read.
    fn position(&self, row: usize, col: usize) -> Option<usize> {
        let inside = self.row_range.contains(&row) && self.col_range.contains(&col);
        inside.then(|| (row - self.row_range.start) * self.col_range.len() + col - self.col_range.start)
    }

    /// The bits of an element; `None` if it was not read.
    pub fn bits(&self, row: usize, col: usize) -> Option<u64> {
        self.raw.get(self.position(row, col)?).copied()
    }

    /// Whether something is known to have written an element.
    pub fn is_written(&self, row: usize, col: usize) -> bool {
        self.position(row, col).is_some_and(|at| self.written[at])
    }

    /// An element exactly; `None` if it was not read. Of packed numbers of four bits, the first.
    pub fn element(&self, row: usize, col: usize) -> Option<ElementNumber> {
        let raw = self.bits(row, col)?;
        Some(match self.kind {
            ContentsKind::Scalar(ScalarType::F64) => ElementNumber::Float(f64::from_bits(raw) as f32),
            // RegisterSnapshot hold every other float as an `f32`.
            ContentsKind::Scalar(ScalarType::Elem(d)) if d.class() == Class::Float => {
                ElementNumber::Float(f32::from_bits(raw as u32))
            }
            ContentsKind::Scalar(ScalarType::Elem(d)) => numbers_of(d, raw).next()?,
            ContentsKind::Scalar(_) | ContentsKind::Address => ElementNumber::Int((raw as i64).into()),
            ContentsKind::Tile(..) | ContentsKind::View(_) => numbers_of(self.dtype, raw).next()?,
        })
    }

    /// An element, as near as `f64` has it; NaN if it was not read.
    pub fn number(&self, row: usize, col: usize) -> f64 {
        match self.element(row, col) {
            Some(ElementNumber::Float(x)) => x.into(),
            Some(ElementNumber::Int(n)) => n as f64,
            None => f64::NAN,
        }
    }

    /// An element as text, as short as it can be read back.
    pub fn text(&self, row: usize, col: usize) -> String {
        match self.element(row, col) {
            Some(ElementNumber::Float(x)) if x != 0.0 && (x.abs() >= 1e7 || x.abs() < 1e-4) => format!("{x:e}"),
            Some(ElementNumber::Float(x)) => x.to_string(),
            Some(ElementNumber::Int(n)) => n.to_string(),
            None => String::new(),
        }
    }

    /// Every element that was read, row by row.
    pub fn numbers(&self) -> Vec<f64> {
        let cols = self.col_range.clone();
        self.row_range.clone().flat_map(|r| cols.clone().map(move |c| (r, c))).map(|(r, c)| self.number(r, c)).collect()
    }

    /// The elements of the valid region that were read and that something wrote: row, column and number.
    pub fn valid_numbers(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let rows = self.row_range.start..self.row_range.end.min(self.valid.0);
        let cols = self.col_range.start..self.col_range.end.min(self.valid.1);
        let all = rows.flat_map(move |r| cols.clone().map(move |c| (r, c)));
        all.filter(|(r, c)| self.is_written(*r, *c)).map(|(r, c)| (r, c, self.number(r, c)))
    }
}
