//! Tile types: the eleven parameters, the rules a type must keep, and where each element lies.
//!
//! A tile is a rectangle of `rows × cols` elements in one memory space. Its *layout* is two-level:
//! boxes in row- or column-major order ([`BLayout`]), elements inside a box in row- or column-major
//! order ([`SLayout`]), or no boxes at all. Only the *valid* prefix rectangle holds data; it may be
//! part of the type or state of the tile object ([`Dim::Dynamic`]).

use crate::DType;
use std::fmt;

/// Which on-chip memory a tile lives in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Loc {
    /// Unified buffer of a vector core.
    Vec,
    /// L1 of a cube core.
    Mat,
    /// L0A, the left matmul operand.
    Left,
    /// L0B, the right matmul operand.
    Right,
    /// L0C, the accumulator.
    Acc,
    /// Bias table of the cube core.
    Bias,
    /// Fix-pipe buffer with quantisation parameters.
    Scaling,
    /// Block scales of the left operand (A5).
    ScaleLeft,
    /// Block scales of the right operand (A5).
    ScaleRight,
    /// Control words of the scalar unit.
    Ctrl,
}

impl Loc {
    /// Every location.
    pub const ALL: [Self; 10] = [
        Self::Vec,
        Self::Mat,
        Self::Left,
        Self::Right,
        Self::Acc,
        Self::Bias,
        Self::Scaling,
        Self::ScaleLeft,
        Self::ScaleRight,
        Self::Ctrl,
    ];

    /// The dialect spelling.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vec => "vec",
            Self::Mat => "mat",
            Self::Left => "left",
            Self::Right => "right",
            Self::Acc => "acc",
            Self::Bias => "bias",
            Self::Scaling => "scaling",
            Self::ScaleLeft => "scale_left",
            Self::ScaleRight => "scale_right",
            Self::Ctrl => "ctrl",
        }
    }

    /// The name of the memory itself: `UB`, `L1`, `L0A`.
    pub const fn memory(self) -> &'static str {
        match self {
            Self::Vec => "UB",
            Self::Mat => "L1",
            Self::Left => "L0A",
            Self::Right => "L0B",
            Self::Acc => "L0C",
            Self::Bias => "bias table",
            Self::Scaling => "fix-pipe buffer",
            Self::ScaleLeft => "L0A scale",
            Self::ScaleRight => "L0B scale",
            Self::Ctrl => "control words",
        }
    }

    /// Both names, as reports show them: `UB (vec)`.
    ///
    /// ```
    /// assert_eq!(pto_isa::Loc::Left.memory_and_name(), "L0A (left)");
    /// ```
    pub fn memory_and_name(self) -> String {
        format!("{} ({})", self.memory(), self.name())
    }

    /// The enumerator of the C++ headers, `Vec` for example.
    pub const fn cpp(self) -> &'static str {
        match self {
            Self::Vec => "Vec",
            Self::Mat => "Mat",
            Self::Left => "Left",
            Self::Right => "Right",
            Self::Acc => "Acc",
            Self::Bias => "Bias",
            Self::Scaling => "Scaling",
            Self::ScaleLeft => "ScaleLeft",
            Self::ScaleRight => "ScaleRight",
            Self::Ctrl => "Ctrl",
        }
    }

    /// Reads a location, in the dialect's or the headers' spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|l| l.name() == text || l.cpp() == text)
    }
}

impl fmt::Display for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of locations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Locs(u16);

impl Locs {
    /// Every location.
    pub const ANY: Self = Self(u16::MAX);

    /// The set of the listed locations.
    pub const fn of(list: &[Loc]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i] as u16;
            i += 1;
        }
        Self(bits)
    }

    /// True when `l` is in the set.
    pub const fn contains(self, l: Loc) -> bool {
        self.0 >> l as u16 & 1 == 1
    }

    /// The members.
    pub fn iter(self) -> impl Iterator<Item = Loc> {
        Loc::ALL.into_iter().filter(move |&l| self.contains(l))
    }
}

impl fmt::Display for Locs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, l) in self.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            f.write_str(l.name())?;
        }
        Ok(())
    }
}

/// Order of the boxes (or of the elements, when there are no boxes).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum BLayout {
    RowMajor,
    ColMajor,
}

impl BLayout {
    /// The dialect spelling.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RowMajor => "row_major",
            Self::ColMajor => "col_major",
        }
    }

    /// Reads a box order.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "row_major" | "RowMajor" => Some(Self::RowMajor),
            "col_major" | "ColMajor" => Some(Self::ColMajor),
            _ => None,
        }
    }
}

/// Order of the elements inside a box.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum SLayout {
    NoneBox,
    RowMajor,
    ColMajor,
}

impl SLayout {
    /// The dialect spelling.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoneBox => "none_box",
            Self::RowMajor => "row_major",
            Self::ColMajor => "col_major",
        }
    }

    /// Reads an element order.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "none_box" | "NoneBox" => Some(Self::NoneBox),
            "row_major" | "RowMajor" => Some(Self::RowMajor),
            "col_major" | "ColMajor" => Some(Self::ColMajor),
            _ => None,
        }
    }
}

/// What fills a tile outside its valid region when something fills it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
#[repr(u8)]
pub enum Pad {
    Null,
    Zero,
    Max,
    Min,
}

impl Pad {
    /// Every pad value, by its number in the dialect.
    pub const ALL: [Self; 4] = [Self::Null, Self::Zero, Self::Max, Self::Min];

    /// The mnemonic.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Zero => "zero",
            Self::Max => "max",
            Self::Min => "min",
        }
    }
}

/// How a tile is packed when its valid region is smaller than its extent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
#[repr(u8)]
pub enum Compact {
    Null,
    Normal,
    RowPlusOne,
    RowAlignedPadding,
}

impl Compact {
    /// Every mode, by its number in the dialect.
    pub const ALL: [Self; 4] = [Self::Null, Self::Normal, Self::RowPlusOne, Self::RowAlignedPadding];

    /// The mnemonic.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Normal => "normal",
            Self::RowPlusOne => "row_plus_one",
            Self::RowAlignedPadding => "row_aligned_padding",
        }
    }
}

/// An extent that is part of the type, or known only when the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Dim {
    /// Part of the type.
    Fixed(u64),
    /// State of the object at run time, written `?`.
    Dynamic,
}

impl Dim {
    /// The value, when it is part of the type.
    pub const fn fixed(self) -> Option<u64> {
        match self {
            Self::Fixed(n) => Some(n),
            Self::Dynamic => None,
        }
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(n) => write!(f, "{n}"),
            Self::Dynamic => f.write_str("?"),
        }
    }
}

/// The combination of box order and element order, under its usual name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Order {
    Nd,
    Dn,
    Nz,
    Zn,
    Zz,
    Nn,
}

impl Order {
    /// The usual name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nd => "ND",
            Self::Dn => "DN",
            Self::Nz => "NZ",
            Self::Zn => "ZN",
            Self::Zz => "ZZ",
            Self::Nn => "NN",
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The full type of a tile.
///
/// ```
/// use pto_isa::{DType, Loc, TileType};
/// let t = TileType::new(Loc::Vec, DType::F32, 16, 16);
/// assert_eq!(t.to_string(), "vec 16x16 f32");
/// assert_eq!(t.offset(2, 3), 35);
/// assert!(t.broken_rules().is_empty());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TileType {
    /// Memory space.
    pub loc: Loc,
    /// Element type.
    pub dtype: DType,
    /// Physical rows.
    pub rows: u64,
    /// Physical columns.
    pub cols: u64,
    /// Rows that hold data.
    pub valid_rows: Dim,
    /// Columns that hold data.
    pub valid_cols: Dim,
    /// Order of the boxes.
    pub blayout: BLayout,
    /// Order inside a box.
    pub slayout: SLayout,
    /// Bytes of a box: 512, 1024 or 32 (16 is read, and rejected by the rules).
    pub fractal: u32,
    /// Pad value.
    pub pad: Pad,
    /// Packing mode.
    pub compact: Compact,
}

/// Bytes in one block: the unit every row of a tile must be a multiple of.
pub const BLOCK_BYTES: u64 = 32;

/// Bytes of a line of the data cache of a scalar unit.
pub const CACHE_LINE_BYTES: u64 = 64;

impl TileType {
    /// A tile with the default parameters: row-major, no boxes, fully valid, no padding.
    pub const fn new(loc: Loc, dtype: DType, rows: u64, cols: u64) -> Self {
        Self {
            loc,
            dtype,
            rows,
            cols,
            valid_rows: Dim::Fixed(rows),
            valid_cols: Dim::Fixed(cols),
            blayout: BLayout::RowMajor,
            slayout: SLayout::NoneBox,
            fractal: 512,
            pad: Pad::Null,
            compact: Compact::Null,
        }
    }

    /// The same tile with another layout.
    #[must_use]
    pub const fn layout(mut self, blayout: BLayout, slayout: SLayout, fractal: u32) -> Self {
        self.blayout = blayout;
        self.slayout = slayout;
        self.fractal = fractal;
        self
    }

    /// The same tile with another valid region.
    #[must_use]
    pub const fn valid(mut self, rows: Dim, cols: Dim) -> Self {
        self.valid_rows = rows;
        self.valid_cols = cols;
        self
    }

    /// The name of the layout.
    pub const fn order(&self) -> Order {
        match (self.blayout, self.slayout) {
            (BLayout::RowMajor, SLayout::NoneBox) => Order::Nd,
            (BLayout::ColMajor, SLayout::NoneBox) => Order::Dn,
            (BLayout::ColMajor, SLayout::RowMajor) => Order::Nz,
            (BLayout::RowMajor, SLayout::ColMajor) => Order::Zn,
            (BLayout::RowMajor, SLayout::RowMajor) => Order::Zz,
            (BLayout::ColMajor, SLayout::ColMajor) => Order::Nn,
        }
    }

    /// True when the tile is cut into boxes.
    pub const fn is_boxed(&self) -> bool {
        !matches!(self.slayout, SLayout::NoneBox)
    }

    /// Rows and columns of one box; `(1, 1)` for a tile without boxes.
    ///
    /// ```
    /// use pto_isa::{BLayout, DType, Loc, SLayout, TileType};
    /// let nz = TileType::new(Loc::Mat, DType::F16, 32, 32).layout(BLayout::ColMajor, SLayout::RowMajor, 512);
    /// assert_eq!(nz.box_shape(), (16, 16));
    /// ```
    pub const fn box_shape(&self) -> (u64, u64) {
        // Sizes of elements are powers of two, for which the processor need not divide.
        let unit = BLOCK_BYTES >> self.dtype.unit_bytes().trailing_zeros();
        match (self.slayout, self.fractal) {
            (SLayout::NoneBox, _) => (1, 1),
            (_, 1024) => (16, 16),
            (SLayout::RowMajor, 32) => (16, 2),
            (SLayout::ColMajor, 32) => (2, 16),
            (SLayout::RowMajor, _) => (16, unit),
            (SLayout::ColMajor, _) => (unit, 16),
        }
    }

    /// Where element `(row, col)` lies, in elements from the start of the tile.
    ///
    /// One formula serves all six layouts: the place of the box, then the place inside the box. Boxes of the last rows are
    /// lower where the rows do not fill them, so that no element lies outside the tile.
    pub const fn offset(&self, row: u64, col: u64) -> u64 {
        let (box_rows, box_cols) = self.box_shape();
        let (block_row, block_col) = (row / box_rows, col / box_cols);
        let (r, c) = (row % box_rows, col % box_cols);
        let left = self.rows.saturating_sub(block_row * box_rows);
        let height = if left < box_rows && left > 0 { left } else { box_rows };
        let outer = match self.blayout {
            BLayout::RowMajor => block_row * self.cols * box_rows + block_col * height * box_cols,
            BLayout::ColMajor => block_col * self.rows * box_cols + block_row * box_rows * box_cols,
        };
        let inner = match self.slayout {
            SLayout::NoneBox => 0,
            SLayout::RowMajor => r * box_cols + c,
            SLayout::ColMajor => c * height + r,
        };
        outer + inner
    }

    /// Bits that one column takes in a row of memory.
    ///
    /// Packed 4-bit floats count pairs in the vector memory and single numbers in the memories of the cube, as the headers
    /// do.
    pub const fn column_bits(&self) -> u32 {
        match self.loc {
            Loc::Vec => self.dtype.column_bits(),
            _ => self.dtype.bits(),
        }
    }

    /// Elements of the physical rectangle; saturates instead of wrapping on absurd sizes.
    pub const fn elements(&self) -> u64 {
        self.rows.saturating_mul(self.cols)
    }

    /// Bytes of the physical rectangle as the headers charge it (a packed 4-bit element counts as a byte).
    pub const fn bytes(&self) -> u64 {
        self.elements().saturating_mul(self.dtype.unit_bytes() as u64)
    }

    /// Two types describe the same tile for a use and its definition.
    ///
    /// The box order of a left operand follows from the target, regardless of the text, so it is not compared.
    pub fn same_object(&self, other: &Self) -> bool {
        if self.loc != Loc::Left || other.loc != Loc::Left {
            return self == other;
        }
        Self { blayout: other.blayout, ..*self } == *other
    }

    /// The static rules this type breaks, all of them, in a fixed order.
    pub fn broken_rules(&self) -> Vec<TileRule> {
        TileRule::ALL.into_iter().filter(|rule| self.breaks(*rule)).collect()
    }

    /// True when this type breaks a static rule. A rule that makes no sense because another one is broken is kept.
    pub const fn breaks(&self, rule: TileRule) -> bool {
        let empty = self.rows == 0 || self.cols == 0;
        let known_box = matches!(self.fractal, 32 | 512 | 1024);
        let (box_rows, box_cols) = self.box_shape();
        match rule {
            TileRule::Empty => empty,
            _ if empty => false,
            TileRule::ValidExceeds => exceeds(self.valid_rows, self.rows) || exceeds(self.valid_cols, self.cols),
            TileRule::Fractal => !known_box,
            _ if !known_box => false,
            TileRule::RowBytes => !self.is_boxed() && !self.major_bytes().is_multiple_of(BLOCK_BYTES),
            TileRule::BoxCols => self.is_boxed() && !self.cols.is_multiple_of(box_cols),
            TileRule::BoxRows => {
                let free = matches!(self.loc, Loc::Vec) || self.fractal == 32 || self.rows == 1;
                self.is_boxed() && !free && !self.rows.is_multiple_of(box_rows)
            }
        }
    }

    /// Bytes of one row of a row-major tile, or of one column of a column-major one.
    pub const fn major_bytes(&self) -> u64 {
        let extent = match self.blayout {
            BLayout::RowMajor => self.cols,
            BLayout::ColMajor => self.rows,
        };
        extent.saturating_mul(self.dtype.unit_bytes() as u64)
    }
}

const fn exceeds(valid: Dim, extent: u64) -> bool {
    matches!(valid, Dim::Fixed(n) if n > extent)
}

impl fmt::Display for TileType {
    /// A short form for messages: `vec 16x16 f32`, with layout and valid region where they are not the default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}x{} {}", self.loc, self.rows, self.cols, self.dtype)?;
        if self.order() != Order::Nd {
            write!(f, " {}", self.order())?;
        }
        let full = (Dim::Fixed(self.rows), Dim::Fixed(self.cols));
        if (self.valid_rows, self.valid_cols) != full {
            write!(f, " valid {}x{}", self.valid_rows, self.valid_cols)?;
        }
        Ok(())
    }
}

/// A static rule of tile types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TileRule {
    /// Rows and columns must be positive.
    Empty,
    /// The valid region must lie inside the tile.
    ValidExceeds,
    /// The box size must be 512, 1024 or 32 bytes.
    Fractal,
    /// Without boxes, a row (a column, when column-major) must be a multiple of 32 bytes.
    RowBytes,
    /// With boxes, the columns must be a multiple of the box's columns.
    BoxCols,
    /// With boxes, the rows must be a multiple of the box's rows.
    BoxRows,
}

impl TileRule {
    /// Every rule, in the order in which they are reported.
    pub const ALL: [Self; 6] =
        [Self::Empty, Self::ValidExceeds, Self::Fractal, Self::RowBytes, Self::BoxCols, Self::BoxRows];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxed(blayout: BLayout, slayout: SLayout, fractal: u32, dtype: DType) -> TileType {
        TileType::new(Loc::Mat, dtype, 64, 64).layout(blayout, slayout, fractal)
    }

    /// Every layout is a bijection between coordinates and offsets.
    #[test]
    fn offsets_cover_the_tile_exactly_once() {
        use BLayout::{ColMajor as BCol, RowMajor as BRow};
        use SLayout::{ColMajor as SCol, NoneBox, RowMajor as SRow};
        for blayout in [BRow, BCol] {
            for slayout in [NoneBox, SRow, SCol] {
                for fractal in [32, 512, 1024] {
                    for dtype in [DType::I8, DType::F16, DType::F32] {
                        let t = boxed(blayout, slayout, fractal, dtype);
                        let mut seen = vec![false; t.elements() as usize];
                        for r in 0..t.rows {
                            for c in 0..t.cols {
                                let at = t.offset(r, c) as usize;
                                assert!(!std::mem::replace(&mut seen[at], true), "{t:?} ({r},{c})");
                            }
                        }
                    }
                }
            }
        }
    }

    /// Also where the rows do not fill the last boxes.
    #[test]
    fn offsets_stay_inside_low_tiles() {
        use BLayout::{ColMajor as BCol, RowMajor as BRow};
        use SLayout::{ColMajor as SCol, RowMajor as SRow};
        for (blayout, slayout) in [(BRow, SRow), (BRow, SCol), (BCol, SRow), (BCol, SCol)] {
            for rows in [1, 3, 17, 20] {
                let t = TileType { rows, ..boxed(blayout, slayout, 32, DType::F8E8M0) };
                let mut seen = vec![false; t.elements() as usize];
                for (r, c) in (0..rows).flat_map(|r| (0..t.cols).map(move |c| (r, c))) {
                    assert!(!std::mem::replace(&mut seen[t.offset(r, c) as usize], true), "{t:?} ({r},{c})");
                }
            }
        }
    }

    #[test]
    fn offsets_match_hand_computed_points() {
        let nz = boxed(BLayout::ColMajor, SLayout::RowMajor, 512, DType::F16);
        assert_eq!(nz.offset(16, 0), 256);
        assert_eq!(nz.offset(0, 16), 64 * 16);
        assert_eq!(nz.offset(1, 1), 17);
        let zn = boxed(BLayout::RowMajor, SLayout::ColMajor, 512, DType::F16);
        assert_eq!(zn.offset(16, 0), 64 * 16);
        assert_eq!(zn.offset(1, 1), 17);
        let zz = boxed(BLayout::RowMajor, SLayout::RowMajor, 512, DType::I8);
        assert_eq!(zz.box_shape(), (16, 32));
        assert_eq!(zz.offset(0, 32), 512);
        let dn = TileType::new(Loc::Vec, DType::F32, 16, 4).layout(BLayout::ColMajor, SLayout::NoneBox, 512);
        assert_eq!(dn.offset(3, 2), 35);
    }

    #[test]
    fn each_rule_is_reported_under_its_own_name() {
        let t = TileType::new(Loc::Vec, DType::F16, 16, 12);
        assert_eq!(t.broken_rules(), [TileRule::RowBytes]);
        let t = TileType::new(Loc::Vec, DType::F32, 16, 16).valid(Dim::Fixed(17), Dim::Dynamic);
        assert_eq!(t.broken_rules(), [TileRule::ValidExceeds]);
        let t = TileType::new(Loc::Mat, DType::F16, 24, 24).layout(BLayout::ColMajor, SLayout::RowMajor, 512);
        assert_eq!(t.broken_rules(), [TileRule::BoxCols, TileRule::BoxRows]);
        assert_eq!(TileType { fractal: 16, ..t }.broken_rules(), [TileRule::Fractal]);
        assert_eq!(TileType::new(Loc::Vec, DType::F32, 0, 8).broken_rules(), [TileRule::Empty]);
    }
}
