//! How the sources of an instruction lie over its destination.

use super::call::{Fault, TileRef};
use super::elem::Elem;
use super::element::read;
use super::pairwise::Side;

/// Bytes that one row of a source repeats along a row of the destination.
pub const BLOCK_BYTES: usize = 32;

/// Which element of a source belongs to an element of the destination. Kernels get it as their first immediate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Cover {
    /// The element at the same row and column.
    Same,
    /// One source has a single row, which belongs to every row; the other covers the destination.
    Row,
    /// One source has 32 bytes in each row, which repeat along it; the other covers the destination.
    Block,
    /// The first source has one value for each row.
    FirstValues,
    /// The second source has one value for each row.
    SecondValues,
    /// Each source covers a part of the destination, at the same rows and columns.
    Part,
}

impl Cover {
    /// What the kernel was prepared for.
    #[inline(always)]
    pub fn of(imm: [u64; 2]) -> Self {
        const ALL: [Cover; 6] =
            [Cover::Same, Cover::Row, Cover::Block, Cover::FirstValues, Cover::SecondValues, Cover::Part];
        ALL.get(imm[0] as usize).copied().unwrap_or(Self::Same)
    }

    /// The immediates that say so.
    pub fn imm(self) -> [u64; 2] {
        [self as u64, 0]
    }

    /// The source that is repeated. Which of the two that is may be known only now.
    #[inline(always)]
    pub fn repeated(self, a: &TileRef, b: &TileRef, dst: &TileRef) -> Option<Side> {
        match self {
            Self::Same | Self::Part => None,
            Self::FirstValues => Some(Side::First),
            Self::SecondValues => Some(Side::Second),
            Self::Row | Self::Block if !same_region(a, dst) && same_region(b, dst) => Some(Side::First),
            Self::Row | Self::Block => Some(Side::Second),
        }
    }

    /// True when a source has one value for each row.
    pub fn is_values(self) -> bool {
        matches!(self, Self::FirstValues | Self::SecondValues)
    }

    /// The position, in a repeated source, of the element for this position of the destination; elements have `size` bytes.
    #[inline(always)]
    pub fn place(self, size: usize, row: usize, col: usize) -> (usize, usize) {
        match self {
            Self::Same | Self::Part => (row, col),
            Self::Row => (0, col),
            Self::Block => (row, col % (BLOCK_BYTES / size)),
            Self::FirstValues | Self::SecondValues => (row, 0),
        }
    }
}

/// Elements that are repeated along a row.
#[inline(always)]
pub const fn block<E>() -> usize {
    BLOCK_BYTES / size_of::<E>()
}

#[inline(always)]
fn same_region(a: &TileRef, b: &TileRef) -> bool {
    (a.rows(), a.cols()) == (b.rows(), b.cols())
}

/// Finds a zero among the divisors, in row-major order of the destination. Nothing may be written before.
///
/// # Safety
/// The divisor must have the elements that the destination asks for.
pub unsafe fn no_zero<E: Elem>(divisor: &TileRef, cover: Cover, dst: &TileRef) -> Result<(), Fault> {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        let is_zero = |e: E| e.widen() == E::Wide::default();
        for row in 0..dst.rows() {
            if cover == Cover::Same && divisor.col_stride() == 1 && !divisor.geometry().is_boxed() {
                // Without an early end, this is vector code.
                let elements = divisor.row::<E>(row);
                if !(0..dst.cols()).fold(false, |any, c| any | is_zero(elements.add(c).read_unaligned())) {
                    continue;
                }
            }
            // One value for a row is looked at once.
            let cols = if cover.is_values() { dst.cols().min(1) } else { dst.cols() };
            for col in 0..cols {
                let (r, c) = cover.place(size_of::<E>(), row, col);
                if is_zero(read::<E>(divisor, r, c)) {
                    return Err(Fault::DivisionByZero { row, col });
                }
            }
        }
        Ok(())
    }
}
