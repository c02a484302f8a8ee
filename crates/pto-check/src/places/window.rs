//! The part of a memory that a tile occupies.

use super::linear::Linear;
use super::runs::Runs;
use pto_ir::ValueId;
use pto_isa::{BLayout, Loc, TileType};

/// The memory in which the bytes of a tile are counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum TileHome {
    /// A memory of the core, by address.
    At(Loc),
    /// A tile without an address; different ones share nothing.
    Tile(ValueId),
    /// A tile at an unknown address.
    Unknown(ValueId),
}

/// A tile, as a window of its home: lines of elements or boxes at equal distances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Window {
    pub(crate) home: TileHome,
    /// First byte.
    pub(crate) start: Linear,
    /// Bytes from one line to the next.
    pitch: u64,
    ty: TileType,
    /// Only the valid region is in the window: it has the type of its source.
    valid_only: bool,
}

/// How a window shares memory with another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Overlap {
    None,
    /// They start at the same byte.
    Same,
    /// They share this many bytes, but at different offsets.
    Partial(u64),
    /// One is a part of the other, of this many bytes, at an unknown offset.
    Somewhere(u64),
    /// Unknown.
    Unknown,
}

/// Which bytes of a window are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TileExtent {
    /// Those that hold data.
    Valid,
    /// All.
    Physical,
}

impl Window {
    /// A whole tile.
    pub(crate) fn whole(home: TileHome, start: Linear, ty: TileType) -> Self {
        Self { home, start, pitch: pitch(&ty), ty, valid_only: false }
    }

    /// The same bytes under another type.
    pub(crate) fn retyped(&self, ty: TileType) -> Self {
        Self { pitch: pitch(&ty), ty, ..self.clone() }
    }

    /// A window of a type that starts at a row and a column of this one; `None` if elements are smaller than a byte.
    pub(crate) fn part(&self, row: &Linear, col: &Linear, ty: TileType, valid_only: bool) -> Option<Self> {
        let (line, along) = match self.ty.blayout {
            BLayout::RowMajor => (row, col),
            BLayout::ColMajor => (col, row),
        };
        let (line_unit, along_unit) = units(&self.ty);
        let mut start = self.start.clone();
        start.add(&scaled(line, line_unit)?, i64::try_from(self.pitch).ok()?);
        start.add(&scaled(along, along_unit)?, i64::try_from(box_bytes(&self.ty)?).ok()?);
        Some(Self { home: self.home, start, pitch: self.pitch, ty, valid_only })
    }

    /// Bytes from one line to the next.
    pub(crate) fn pitch(&self) -> u64 {
        self.pitch
    }

    /// The same tile at an unknown address.
    pub(crate) fn lost(value: ValueId, ty: TileType) -> Self {
        Self::whole(TileHome::Unknown(value), Linear::default(), ty)
    }

    /// The bytes, relative to the unknown part of the start.
    pub(crate) fn runs(&self, extent: TileExtent) -> Runs {
        let ty = &self.ty;
        let (mut rows, mut cols) = (ty.rows, ty.cols);
        if extent == TileExtent::Valid || self.valid_only {
            rows = ty.valid_rows.fixed().unwrap_or(rows).min(rows);
            cols = ty.valid_cols.fixed().unwrap_or(cols).min(cols);
        }
        let start = self.start.constant;
        let Some(bytes) = box_bytes(ty) else { return Runs::new(start, ty.bytes(), 1, 0) };
        let (lines, along) = if ty.blayout == BLayout::RowMajor { (rows, cols) } else { (cols, rows) };
        let (line_unit, along_unit) = units(ty);
        // Boxes are lower if the rows of the tile do not fill them.
        let length = along.div_ceil(along_unit).saturating_mul(bytes).min(self.pitch).min(ty.bytes());
        Runs::new(start, length, lines.div_ceil(line_unit), self.pitch)
    }

    /// True when both are relative to the same, possibly unknown, byte.
    pub(crate) fn comparable(&self, other: &Self) -> bool {
        self.home == other.home && self.start.unknown == other.start.unknown
    }

    /// How this window shares memory with another one.
    pub(crate) fn overlap(&self, extent: TileExtent, other: &Self) -> Overlap {
        let (own, theirs) = (self.runs(extent), other.runs(TileExtent::Valid));
        if !self.comparable(other) {
            return match (self.home, other.home) {
                (a, b) if a == b => self.somewhere(other),
                (TileHome::Unknown(_), _) | (_, TileHome::Unknown(_)) => Overlap::Unknown,
                _ => Overlap::None,
            };
        }
        match own.shared(&theirs) {
            0 => Overlap::None,
            _ if own.start == theirs.start => Overlap::Same,
            bytes => Overlap::Partial(bytes),
        }
    }

    /// How a destination shares memory with a source. Of lines that start at the same byte, those of the destination must not be
    /// longer.
    pub(crate) fn in_place(&self, source: &Self) -> Overlap {
        match self.overlap(TileExtent::Valid, source) {
            Overlap::Same if self.outruns(source) => Overlap::Partial(self.shared(source)),
            overlap => overlap,
        }
    }

    /// The same window of another tile; `None` if that has another pitch.
    pub(crate) fn based_on(&self, tile: &Self) -> Option<Self> {
        let mut window = Self { home: tile.home, ..self.clone() };
        window.start.add(&tile.start, 1);
        (tile.pitch == pitch(&tile.ty)).then_some(window)
    }

    /// The number of data bytes that both contain.
    pub(crate) fn shared(&self, other: &Self) -> u64 {
        self.runs(TileExtent::Valid).shared(&other.runs(TileExtent::Valid))
    }

    /// A window at an unknown offset lies somewhere in its source.
    fn somewhere(&self, other: &Self) -> Overlap {
        let is_all = |w: &Self| matches!(w.home, TileHome::Tile(_)) && w.start == Linear::default() && !w.valid_only;
        let holds = |all: &Self, part: &Self| {
            let (all, part) = (all.runs(TileExtent::Physical), part.runs(TileExtent::Valid));
            all.count == 1 && part.size() > 0 && part.end() - part.start <= all.bytes
        };
        for (all, part) in [(self, other), (other, self)] {
            if is_all(all) && holds(all, part) {
                return Overlap::Somewhere(part.runs(TileExtent::Valid).size() as u64);
            }
        }
        Overlap::Unknown
    }

    /// True when lines of this destination overlap lines of the source that are read later, although both start at the same
    /// byte.
    pub(crate) fn outruns(&self, source: &Self) -> bool {
        let (own, theirs) = (self.runs(TileExtent::Valid), source.runs(TileExtent::Valid));
        let alike = self.ty.blayout == source.ty.blayout && box_bytes(&self.ty) == box_bytes(&source.ty);
        let lines = |w: &Self| {
            let dim = |d: pto_isa::Dim, all: u64| d.fixed().unwrap_or(all).min(all);
            match w.ty.blayout {
                BLayout::RowMajor => dim(w.ty.valid_rows, w.ty.rows),
                BLayout::ColMajor => dim(w.ty.valid_cols, w.ty.cols),
            }
        };
        let several = |w: &Self| lines(w) > 1;
        let (near, far) = (source.pitch as i64, self.pitch as i64);
        alike
            && several(self)
            && several(source)
            && near < far
            && !self.ty.is_boxed()
            && own.start == theirs.start
            // The second line against what follows the second line of the source.
            && own.start.saturating_add(far) < theirs.end()
            && Runs::one(own.start.saturating_add(far), own.bytes.min(far)).shared(&theirs) > 0
    }
}

/// Offsets in boxes.
fn scaled(offset: &Linear, unit: u64) -> Option<Linear> {
    let unit = i64::try_from(unit).ok()?;
    let whole = |n: i64| (n % unit == 0).then(|| n / unit);
    let unknown = offset.unknown.iter().map(|(v, n)| Some((*v, whole(*n)?))).collect::<Option<_>>()?;
    Some(Linear { constant: whole(offset.constant)?, unknown })
}

/// Rows and columns of a box: across lines and along them.
fn units(ty: &TileType) -> (u64, u64) {
    let (rows, cols) = ty.box_shape();
    match ty.blayout {
        BLayout::RowMajor => (rows, cols),
        BLayout::ColMajor => (cols, rows),
    }
}

/// Bytes of a box, or of an element where there are no boxes.
fn box_bytes(ty: &TileType) -> Option<u64> {
    let (rows, cols) = ty.box_shape();
    let bits = rows * cols * u64::from(ty.column_bits());
    (bits.is_multiple_of(8) && ty.dtype.bits() >= 8).then_some(bits / 8)
}

/// Bytes of a line of a whole tile.
fn pitch(ty: &TileType) -> u64 {
    let (line_unit, _) = units(ty);
    let along = if ty.blayout == BLayout::RowMajor { ty.cols } else { ty.rows };
    match box_bytes(ty) {
        // The last row of boxes may be lower, and the tile ends there.
        Some(_) => along.saturating_mul(line_unit).saturating_mul(u64::from(ty.dtype.unit_bytes())),
        None => ty.bytes(),
    }
}
