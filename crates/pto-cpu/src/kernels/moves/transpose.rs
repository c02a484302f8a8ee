//! Transposed blocks.

/// An element of 1, 2, 4 or 8 bytes.
pub trait Unit: Copy + 'static {}

impl Unit for u8 {}
impl Unit for u16 {}
impl Unit for u32 {}
impl Unit for u64 {}

/// `dst[c * to + r] = src[r * from + c]`.
///
/// # Safety
/// All elements must lie in memory that can be read and written; source and destination must not overlap.
pub unsafe fn block<T: Unit>(src: *const T, from: usize, dst: *mut T, to: usize, rows: usize, cols: usize) {
    for c in 0..cols {
        for r in 0..rows {
            dst.add(c * to + r).write_unaligned(src.add(r * from + c).read_unaligned());
        }
    }
}
