//! Elements by index: counted row by row over the whole tile, regardless of its layout.

use pto_isa::TileType;
use pto_vector::elem::Elem;
use pto_vector::{Fault, TileRef, read};

/// Physical rows and columns of an operand, in one word for a kernel. Those of a window are its own, so that every element
/// a number below `rows * cols` stands for lies in memory.
pub(super) fn extent(ty: &TileType) -> u64 {
    ty.rows << 32 | ty.cols
}

/// A tile whose elements go by number.
pub(super) struct NumberedTile<'a> {
    tile: &'a TileRef<'a>,
    rows: usize,
    cols: usize,
    /// Numbers are places.
    packed: bool,
}

impl<'a> NumberedTile<'a> {
    /// # Safety
    /// The geometry of the tile must be alive, and the extent that of the operand.
    pub unsafe fn new(tile: &'a TileRef<'a>, extent: u64) -> Self {
        let (rows, cols) = ((extent >> 32) as usize, extent as u32 as usize);
        let packed = !tile.geometry().is_boxed() && tile.col_stride() == 1 && tile.row_stride() == cols;
        Self { tile, rows, cols, packed }
    }

    pub fn count(&self) -> usize {
        self.rows * self.cols
    }

    /// The place of an element; it must be one.
    #[inline(always)]
    pub fn place(&self, number: usize) -> usize {
        if self.packed { number } else { self.tile.index(number / self.cols, number % self.cols) }
    }

    /// Bytes from the first element to the end of the last, in a tile without boxes.
    pub fn bytes(&self, size: usize) -> usize {
        match self.count() {
            0 => 0,
            n if self.packed => n * size,
            _ => (self.tile.index(self.rows - 1, self.cols - 1) + 1) * size,
        }
    }
}

/// An element type that counts.
pub(super) trait IndexElem: Elem {
    fn number(self) -> i64;
}

macro_rules! index {
    ($($type:ty)+) => {$(
        impl IndexElem for $type {
            #[inline(always)]
            fn number(self) -> i64 {
                self.into()
            }
        }
    )+};
}
index!(i16 u16 i32 u32);

/// Every index of the region names one of `limit` elements.
///
/// # Safety
/// The region must lie in the tile.
pub(super) unsafe fn in_range<I: IndexElem>(
    indices: &TileRef,
    (rows, cols): (usize, usize),
    limit: usize,
) -> Result<(), Fault> {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        for row in 0..rows {
            for col in 0..cols {
                let index = read::<I>(indices, row, col).number();
                if index < 0 || index as usize >= limit {
                    return Err(Fault::IndexOutOfRange { row, col, index, limit: limit as u64 });
                }
            }
        }
        Ok(())
    }
}

/// What two tiles have in common.
pub(super) fn common(a: &TileRef, b: &TileRef) -> (usize, usize) {
    (a.rows().min(b.rows()), a.cols().min(b.cols()))
}
