//! Global tensors: shape, strides and the layouts that map a tile's rows and columns onto them.

use crate::{DType, Dim, Loc, Order, ScalarType, TileType};
use std::fmt;

/// The most dimensions a global tensor can have.
pub const MAX_RANK: usize = 5;

/// A view of global memory as the type system sees it: extents and element type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ViewType {
    /// Extents, outermost first.
    pub dims: Box<[Dim]>,
    /// Element type.
    pub elem: ScalarType,
}

impl ViewType {
    /// The number of elements, when every extent is part of the type.
    ///
    /// ```
    /// use pto_isa::{DType, Dim, ScalarType, ViewType};
    /// let v = ViewType { dims: [Dim::Fixed(16), Dim::Fixed(8)].into(), elem: ScalarType::Elem(DType::F32) };
    /// assert_eq!(v.elements(), Some(128));
    /// ```
    pub fn elements(&self) -> Option<u64> {
        self.dims.iter().try_fold(1u64, |n, d| n.checked_mul(d.fixed()?))
    }

    /// True when the extents in the type give fewer than 2^63 bytes: more cannot be addressed.
    ///
    /// ```
    /// use pto_isa::{DType, Dim, ScalarType, ViewType};
    /// let square = |n| ViewType { dims: [Dim::Fixed(n), Dim::Fixed(n)].into(), elem: ScalarType::Elem(DType::F32) };
    /// assert!(square(1 << 30).is_addressable());
    /// assert!(!square(1 << 32).is_addressable());
    /// ```
    pub fn is_addressable(&self) -> bool {
        let fixed = || self.dims.iter().filter_map(|d| d.fixed());
        let bits = u128::from(self.elem.elem().map_or(64, DType::bits));
        let bytes = fixed().try_fold(bits, |n, extent| n.checked_mul(extent.into())).map(|bits| bits / 8);
        fixed().any(|extent| extent == 0) || bytes.is_some_and(|bytes| i64::try_from(bytes).is_ok())
    }
}

impl fmt::Display for ViewType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for d in &self.dims {
            write!(f, "{d}x")?;
        }
        write!(f, "{}", self.elem)
    }
}

/// How the elements of a matrix lie in global memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are those of the device headers")]
pub enum GlobalLayout {
    Nd,
    Dn,
    Nz,
    MxAZz,
    MxAnd,
    MxAdn,
    MxBnn,
    MxBnd,
    MxBdn,
    Nc1hwc0,
}

/// Five extents or strides, outermost first; strides count elements.
pub type Five = [u64; MAX_RANK];

impl GlobalLayout {
    /// Every layout.
    pub const ALL: [Self; 10] = [
        Self::Nd,
        Self::Dn,
        Self::Nz,
        Self::MxAZz,
        Self::MxAnd,
        Self::MxAdn,
        Self::MxBnn,
        Self::MxBnd,
        Self::MxBdn,
        Self::Nc1hwc0,
    ];

    /// The enumerator of the headers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nd => "ND",
            Self::Dn => "DN",
            Self::Nz => "NZ",
            Self::MxAZz => "MX_A_ZZ",
            Self::MxAnd => "MX_A_ND",
            Self::MxAdn => "MX_A_DN",
            Self::MxBnn => "MX_B_NN",
            Self::MxBnd => "MX_B_ND",
            Self::MxBdn => "MX_B_DN",
            Self::Nc1hwc0 => "NC1HWC0",
        }
    }

    /// The five indices of element `(r, c)` of the matrix in a tensor of this shape.
    ///
    /// ```
    /// use pto_isa::GlobalLayout;
    /// assert_eq!(GlobalLayout::Nd.index(3, 5, [1, 1, 1, 16, 16]), [0, 0, 0, 3, 5]);
    /// assert_eq!(GlobalLayout::Nz.index(17, 9, [1, 2, 2, 16, 8]), [0, 1, 1, 1, 1]);
    /// ```
    pub const fn index(self, r: u64, c: u64, s: Five) -> Five {
        match self {
            Self::Nd => [r / (s[1] * s[2] * s[3]), r / (s[2] * s[3]) % s[1], r / s[3] % s[2], r % s[3], c],
            Self::Dn => [c / (s[1] * s[2] * s[4]), c / (s[2] * s[4]) % s[1], c / s[4] % s[2], r, c % s[4]],
            Self::Nz => [c / s[4] / s[1], c / s[4] % s[1], r / s[3], r % s[3], c % s[4]],
            Self::MxAZz => [0, r / 16, c / 2, r % 16, c % 2],
            Self::MxAnd => [0, 0, r, c / 2, c % 2],
            Self::MxAdn => [0, 0, c / 2, r, c % 2],
            Self::MxBnn => [0, c / 16, r / 2, c % 16, r % 2],
            Self::MxBnd => [0, 0, r / 2, c, r % 2],
            Self::MxBdn => [0, 0, c, r / 2, r % 2],
            Self::Nc1hwc0 => [r / (s[2] * s[3]), c / s[4], r / s[3] % s[2], r % s[3], c % s[4]],
        }
    }

    /// The layout of a view whose maker does not state one: the rule of runs, passes, checks and emitted programs.
    ///
    /// `shape` and `strides` are outermost first, and `None` where nothing before the run gives the number. `accepted` is what the tiles
    /// allow that are moved through the view ([`TileType::window_layouts`]), `bits` the size of an element. Of the layouts that the strides
    /// do not rule out, the first counts that the tiles accept, or simply the first if they accept none:
    ///
    /// 1. NZ if the last two of five dimensions are packed boxes of 16 rows and 32 bytes;
    /// 2. ND if the last dimension is contiguous, DN if the one before it is;
    /// 3. ND for one column, DN for one row: their stride does not matter;
    /// 4. NZ if rows have 32 contiguous bytes.
    ///
    /// If the strides rule out all of them, it is ND. Boxes need extents that are known before the run, as in the device headers. If it
    /// depends on a stride that is not known which layout is first, and the layouts name different elements, the answer is `None`.
    ///
    /// ```
    /// use pto_isa::{GlobalLayout::{self, Dn, Nd}, GlobalLayouts};
    /// let layout = |strides: [Option<i64>; 3], tiles| GlobalLayout::unstated(&[Some(4), Some(8), Some(1)], &strides, 32, tiles);
    /// assert_eq!(layout([Some(8), Some(1), Some(1)], GlobalLayouts::ALL), Some(Nd));
    /// assert_eq!(layout([Some(8), Some(1), Some(1)], GlobalLayouts::of(&[Dn])), Some(Dn));
    /// assert_eq!(layout([Some(8), None, Some(8)], GlobalLayouts::ALL), None);
    /// ```
    pub fn unstated(
        shape: &[Option<u64>],
        strides: &[Option<i64>],
        bits: u32,
        accepted: GlobalLayouts,
    ) -> Option<Self> {
        // Without outer dimensions all layouts name the same elements, and the one counts that compiles.
        let is_flat = shape.iter().rev().skip(2).all(|extent| *extent == Some(1));
        let possible = possible_layouts(shape, strides, bits);
        let taken = possible.into_iter().filter(|(_, layout)| accepted.contains(*layout));
        let default = (Some(true), Self::Nd);
        first_layout(taken, is_flat).or_else(|| first_layout(possible.into_iter().chain([default]), is_flat)).flatten()
    }

    /// Shape and strides of a packed `rows × cols` matrix in this layout, or `None` where the size does not divide.
    pub const fn packed(self, rows: u64, cols: u64, dtype: DType) -> Option<(Five, Five)> {
        let area = rows * cols;
        let c0 = 32 / dtype.unit_bytes() as u64;
        let fits = match self {
            Self::Nd | Self::Dn => true,
            Self::Nz => rows.is_multiple_of(16) && cols.is_multiple_of(c0),
            Self::MxAZz => rows.is_multiple_of(16) && cols.is_multiple_of(2),
            Self::MxAnd | Self::MxAdn => cols.is_multiple_of(2),
            Self::MxBnn => cols.is_multiple_of(16) && rows.is_multiple_of(2),
            Self::MxBnd | Self::MxBdn => rows.is_multiple_of(2),
            Self::Nc1hwc0 => cols.is_multiple_of(c0),
        };
        if !fits {
            return None;
        }
        Some(match self {
            Self::Nd => ([1, 1, 1, rows, cols], [area, area, area, cols, 1]),
            Self::Dn => ([1, 1, 1, rows, cols], [area, area, area, 1, rows]),
            Self::Nz => ([1, cols / c0, rows / 16, 16, c0], [area, rows * c0, 16 * c0, c0, 1]),
            Self::MxAZz => ([1, rows / 16, cols / 2, 16, 2], [area, cols * 16, 32, 2, 1]),
            Self::MxAnd => ([1, 1, rows, cols / 2, 2], [area, area, cols, 2, 1]),
            Self::MxAdn => ([1, 1, cols / 2, rows, 2], [area, area, rows * 2, 2, 1]),
            Self::MxBnn => ([1, cols / 16, rows / 2, 16, 2], [area, rows * 16, 32, 2, 1]),
            Self::MxBnd => ([1, 1, rows / 2, cols, 2], [area, area, cols * 2, 2, 1]),
            Self::MxBdn => ([1, 1, cols, rows / 2, 2], [area, area, rows, 2, 1]),
            Self::Nc1hwc0 => ([1, cols / c0, 1, rows, c0], [area, rows * c0, rows * c0, c0, 1]),
        })
    }
}

/// A set of layouts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GlobalLayouts(u16);

impl GlobalLayouts {
    /// Every layout.
    pub const ALL: Self = Self::of(&GlobalLayout::ALL);

    /// The set of the listed layouts.
    pub const fn of(list: &[GlobalLayout]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i] as u16;
            i += 1;
        }
        Self(bits)
    }

    /// True when `layout` is in the set.
    pub const fn contains(self, layout: GlobalLayout) -> bool {
        self.0 >> layout as u16 & 1 == 1
    }

    /// The layouts that are in both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The layouts that are in one of the sets.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True when no layout is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for GlobalLayouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = GlobalLayout::ALL.iter().filter(|l| self.contains(**l)).map(|l| l.name()).collect();
        f.write_str(&names.join(", "))
    }
}

impl TileType {
    /// The layouts of windows that all devices load into such a tile, or store it to. What is legal on one device alone, and for
    /// tiles of one row or column, is not among them: this says which layout is meant, not which ones compile.
    ///
    /// ```
    /// use pto_isa::{DType, GlobalLayout, Loc, TileType};
    /// let tile = TileType::new(Loc::Vec, DType::F32, 16, 16);
    /// assert!(tile.window_layouts(false).contains(GlobalLayout::Nd));
    /// assert!(!tile.window_layouts(false).contains(GlobalLayout::Dn));
    /// ```
    pub const fn window_layouts(&self, stores: bool) -> GlobalLayouts {
        use GlobalLayout::{Dn, Nd, Nz};
        match (self.loc, self.order()) {
            (Loc::Vec | Loc::Mat, Order::Nd) => GlobalLayouts::of(&[Nd]),
            (Loc::Vec | Loc::Mat, Order::Dn) | (Loc::Mat, Order::Zn) => GlobalLayouts::of(&[Dn]),
            (Loc::Vec, Order::Nz) => GlobalLayouts::of(&[Nz]),
            (Loc::Mat, Order::Nz) if stores => GlobalLayouts::of(&[Nz]),
            (Loc::Mat | Loc::Acc, Order::Nz) => GlobalLayouts::of(&[Nd, Nz]),
            _ => GlobalLayouts::ALL,
        }
    }
}

/// The element offset of five indices under five strides.
pub const fn dot(index: Five, strides: Five) -> u64 {
    let mut sum = 0;
    let mut d = 0;
    while d < MAX_RANK {
        sum += index[d] * strides[d];
        d += 1;
    }
    sum
}

/// Layouts in their order, each with whether the strides allow it, if that is known.
fn possible_layouts(shape: &[Option<u64>], strides: &[Option<i64>], bits: u32) -> [(Option<bool>, GlobalLayout); 6] {
    use GlobalLayout::{Dn, Nd, Nz};
    let rank = shape.len();
    // From the last dimension on. What is no dimension of the view is not contiguous either.
    let extent = |back: usize| shape.iter().rev().nth(back).copied().flatten();
    let stride = |back: usize| strides.iter().rev().nth(back).copied().unwrap_or(Some(0));
    let stride_is = |back: usize, n: u64| stride(back).map(|s| u64::try_from(s) == Ok(n));
    let all = |conditions: &[Option<bool>]| match conditions {
        list if list.contains(&Some(false)) => Some(false),
        list if list.contains(&None) => None,
        _ => Some(true),
    };
    let cols = extent(0).unwrap_or(0);
    let block = all(&[Some(cols.saturating_mul(bits.into()) == 256), stride_is(0, 1)]);
    let has_boxes = Some(rank == MAX_RANK && extent(1) == Some(16));
    let boxes = all(&[block, has_boxes, stride_is(1, cols), stride_is(2, cols.saturating_mul(16))]);
    let one = |back: usize| Some(rank >= 2 && extent(back) == Some(1));
    // Of two dimensions longer than 1 only one is contiguous: elements do not overlap.
    let is_matrix = extent(0) != Some(1) && extent(1) != Some(1);
    let contiguous = |back: usize, other: usize| match stride(back) {
        None if is_matrix && stride(other) == Some(1) => Some(false),
        _ => stride_is(back, 1),
    };
    [(boxes, Nz), (contiguous(0, 1), Nd), (contiguous(1, 0), Dn), (one(0), Nd), (one(1), Dn), (block, Nz)]
}

/// The first layout of a list: `None` if there is none, `Some(None)` if it depends on what is not known.
fn first_layout(
    layouts: impl Iterator<Item = (Option<bool>, GlobalLayout)>,
    is_flat: bool,
) -> Option<Option<GlobalLayout>> {
    let mut first = None;
    for (is, layout) in layouts.filter(|(is, _)| *is != Some(false)) {
        let before = *first.get_or_insert(layout);
        if is == Some(true) && (is_flat || before == layout) {
            return Some(Some(layout));
        }
        if before != layout && !is_flat {
            return Some(None);
        }
    }
    first.map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_layouts_are_bijections() {
        for layout in GlobalLayout::ALL {
            let (rows, cols) = (32, 32);
            let (shape, strides) = layout.packed(rows, cols, DType::F16).expect("divides");
            assert_eq!(shape.iter().product::<u64>(), rows * cols, "{layout:?}");
            let mut seen = vec![false; (rows * cols) as usize];
            for r in 0..rows {
                for c in 0..cols {
                    let at = dot(layout.index(r, c, shape), strides) as usize;
                    assert!(!std::mem::replace(&mut seen[at], true), "{layout:?} ({r},{c})");
                }
            }
        }
    }

    #[test]
    fn sizes_that_do_not_divide_have_no_packed_form() {
        assert_eq!(GlobalLayout::Nz.packed(24, 16, DType::F16), None);
        assert_eq!(GlobalLayout::MxAnd.packed(4, 3, DType::F8E8M0), None);
    }

    fn inferred(shape: &[u64], strides: &[i64], accepted: &[GlobalLayout]) -> Option<GlobalLayout> {
        // A negative number stands for one that is not known.
        let shape: Vec<Option<u64>> = shape.iter().map(|n| Some(*n)).collect();
        let strides: Vec<Option<i64>> = strides.iter().map(|n| Some(*n).filter(|n| *n >= 0)).collect();
        let accepted = if accepted.is_empty() { GlobalLayouts::ALL } else { GlobalLayouts::of(accepted) };
        GlobalLayout::unstated(&shape, &strides, 32, accepted)
    }

    #[test]
    fn strides_decide_and_tiles_where_strides_allow_more() {
        use GlobalLayout::{Dn, Nd};
        assert_eq!(inferred(&[16, 8], &[8, 1], &[]), Some(Nd));
        assert_eq!(inferred(&[16, 8], &[1, 16], &[]), Some(Dn));
        assert_eq!(
            inferred(&[16, 8], &[1, 16], &[Nd]),
            Some(Dn),
            "not what the tile accepts, but ND would be other numbers"
        );
        assert_eq!(inferred(&[16, 8], &[16, 2], &[Dn]), Some(Nd));
        assert_eq!(inferred(&[16, 1], &[1, 1], &[]), Some(Nd));
        assert_eq!(inferred(&[16, 1], &[1, 1], &[Dn]), Some(Dn));
        assert_eq!(inferred(&[16, 1], &[1, 16], &[Nd]), Some(Nd), "one column has no stride");
        assert_eq!(inferred(&[1, 16], &[16, 1], &[Dn]), Some(Dn), "nor has one row");
        assert_eq!(inferred(&[16], &[1], &[Dn]), Some(Nd));
    }

    #[test]
    fn outer_dimensions_are_rows_or_columns_as_tiles_say() {
        use GlobalLayout::{Dn, Nd, Nz};
        assert_eq!(inferred(&[2, 8, 1], &[11, 1, 1], &[]), Some(Nd));
        assert_eq!(inferred(&[2, 8, 1], &[11, 1, 1], &[Dn]), Some(Dn));
        let packed = [512, 256, 128, 8, 1];
        assert_eq!(inferred(&[1, 2, 2, 16, 8], &packed, &[]), Some(Nz));
        assert_eq!(inferred(&[1, 2, 2, 16, 8], &packed, &[Nd, Nz]), Some(Nz));
        assert_eq!(inferred(&[1, 2, 2, 16, 8], &packed, &[Nd]), Some(Nd));
        assert_eq!(inferred(&[1, 2, 1, 32, 8], &[512, 256, 256, 8, 1], &[]), Some(Nd));
        assert_eq!(inferred(&[1, 2, 1, 32, 8], &[512, 256, 256, 8, 1], &[Nz]), Some(Nz));
    }

    #[test]
    fn unknown_strides_leave_a_layout_open_only_if_it_matters() {
        use GlobalLayout::{Dn, Nd, Nz};
        assert_eq!(inferred(&[16, 8], &[-1, -1], &[]), Some(Nd));
        assert_eq!(inferred(&[16, 8], &[-1, -1], &[Dn]), Some(Dn));
        assert_eq!(inferred(&[2, 16, 8], &[-1, -1, -1], &[]), None);
        assert_eq!(inferred(&[2, 16, 8], &[-1, -1, -1], &[Nd]), Some(Nd));
        assert_eq!(inferred(&[2, 16, 8], &[-1, -1, 1], &[]), Some(Nd));
        assert_eq!(inferred(&[16, 8], &[-1, 1], &[Dn]), Some(Nd));
        assert_eq!(inferred(&[16, 1], &[-1, 1], &[Dn]), Some(Dn));
        assert_eq!(inferred(&[1, 1, 1, 16, 8], &[-1, -1, -1, -1, 1], &[Nd, Nz]), Some(Nd));
        assert_eq!(inferred(&[1, 2, 2, 16, 8], &[-1, -1, -1, -1, 1], &[Nd, Nz]), None);
    }
}
