//! Global tensors: shape, strides and the layouts that map a tile's rows and columns onto them.

use crate::{DType, Dim, ScalarType};
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
}
