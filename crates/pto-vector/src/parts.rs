//! Loops over tiles whose sources cover different parts of the destination.

use super::call::{Body, Call, Fault, Numerics, Site, TileRef};
use super::cover::Cover;
use super::elem::Elem;
use super::element::{read, write};
use super::map::each;
use super::rows::{CHUNK, SMALL, load_some, long_spans, store_some};
use pto_num::Level;
use std::marker::PhantomData;
use std::ops::Range;

/// A rectangle of elements that only one source has.
struct Rest {
    rows: Range<usize>,
    cols: Range<usize>,
}

/// The two rectangles of `dst` that `this` has and `other` has not: beside it, and below it.
fn rests(this: &TileRef, other: &TileRef, dst: &TileRef) -> [Rest; 2] {
    let (rows, cols) = (this.rows().min(dst.rows()), this.cols().min(dst.cols()));
    let beside = Rest { rows: 0..rows.min(other.rows()), cols: other.cols().min(cols)..cols };
    let below = Rest { rows: other.rows().min(rows)..rows, cols: 0..cols };
    [beside, below]
}

/// Copies what only one source has, after a call that [covers parts](Cover::Part); elements have `size` bytes.
///
/// # Safety
/// As [`KernelFn`](super::KernelFn); all rows are contiguous.
#[inline(always)]
pub unsafe fn copy_rest(call: &Call<3>, size: usize) {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        if Cover::of(call.imm) == Cover::Part {
            let [a, b, dst] = call.tiles;
            copy_uncovered(a, b, dst, size);
        }
    }
}

/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them.
#[inline(never)]
unsafe fn copy_uncovered(a: &TileRef, b: &TileRef, dst: &TileRef, size: usize) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        for (this, other) in [(a, b), (b, a)] {
            // A destination in place of the source has its elements already.
            if (this.ptr(), this.row_stride()) == (dst.ptr(), dst.row_stride()) {
                continue;
            }
            for Rest { rows, cols } in rests(this, other, dst) {
                for r in rows {
                    let place = |t: &TileRef| t.ptr().add((r * t.row_stride() + cols.start) * size);
                    std::ptr::copy(place(this), place(dst), cols.len() * size);
                }
            }
        }
    }
}

/// Copies what only one source has, in any layout; elements have `size` bytes.
///
/// # Safety
/// As [`KernelFn`](super::KernelFn).
pub unsafe fn plain_rest(a: &TileRef, b: &TileRef, dst: &TileRef, size: usize) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        let inside = |t: &TileRef, r, c| r < t.rows() && c < t.cols();
        let place = |t: &TileRef, r, c| t.ptr().add(t.index(r, c) * size);
        each(dst, |r, c| match (inside(a, r, c), inside(b, r, c)) {
            (true, false) => std::ptr::copy(place(a, r, c), place(dst, r, c), size),
            (false, true) => std::ptr::copy(place(b, r, c), place(dst, r, c), size),
            _ => {}
        });
    }
}

/// Which value of two wins.
pub trait Better {
    /// True when the first does.
    fn better(a: f32, b: f32) -> bool;
}

/// The larger one.
pub struct Larger;
impl Better for Larger {
    #[inline(always)]
    fn better(a: f32, b: f32) -> bool {
        a > b
    }
}

/// The smaller one.
pub struct Smaller;
impl Better for Smaller {
    #[inline(always)]
    fn better(a: f32, b: f32) -> bool {
        a < b
    }
}

/// When the first of two values wins without being better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Doubt {
    /// When they are equal.
    equal: bool,
    /// When one of them is NaN.
    nan: bool,
}

impl Doubt {
    /// The rule of the numerics that are followed.
    pub fn of(site: &Site) -> Self {
        match site.numerics {
            Numerics::Reference => Self { equal: false, nan: false },
            Numerics::A2A3 => Self { equal: true, nan: false },
            Numerics::A5 => Self { equal: true, nan: true },
        }
    }

    /// As the immediates of a kernel.
    pub fn imm(self) -> [u64; 2] {
        [self.equal.into(), self.nan.into()]
    }

    fn from_imm(imm: [u64; 2]) -> Self {
        Self { equal: imm[0] != 0, nan: imm[1] != 0 }
    }

    #[inline(always)]
    fn first<B: Better>(self, a: f32, b: f32) -> bool {
        B::better(a, b) | (self.equal & (a == b)) | (self.nan & (a.is_nan() | b.is_nan()))
    }
}

/// The better value with its index; tiles: values, indices, and results, in pairs. The immediates are a [`Doubt`].
pub struct PartArg<B, V, I>(PhantomData<(B, V, I)>);

/// A row of everything.
struct Pairs<V, I> {
    values: (*const V, *const V, *mut V),
    indices: (*const I, *const I, *mut I),
    doubt: Doubt,
}

impl<V: Elem<Wide = f32>, I: Elem> Pairs<V, I> {
    /// # Safety
    /// The processor must have the instructions of this level.
    #[inline(always)]
    unsafe fn span<L: Level, B: Better, const N: usize>(&self, at: usize, count: usize) {
        // SAFETY: the processor has the instructions of this level.
        unsafe {
            let (v0, v1, v) = self.values;
            let (i0, i1, i) = self.indices;
            let mut values = load_some::<L, V, N>(v1.add(at), count);
            let mut indices = load_some::<L, I, N>(i1.add(at), count);
            let (firsts, first_indices) =
                (load_some::<L, V, N>(v0.add(at), count), load_some::<L, I, N>(i0.add(at), count));
            let (x, y) = (V::load::<L, N>(&firsts), V::load::<L, N>(&values));
            for k in 0..N {
                let first = self.doubt.first::<B>(x[k], y[k]);
                values[k] = if first { firsts[k] } else { values[k] };
                indices[k] = if first { first_indices[k] } else { indices[k] };
            }
            store_some::<L, V, N>(v.add(at), &values, count);
            store_some::<L, I, N>(i.add(at), &indices, count);
        }
    }

    /// # Safety
    /// The processor must have the instructions of this level.
    #[inline(always)]
    unsafe fn row<L: Level, B: Better>(&self, n: usize) {
        // SAFETY: the processor has the instructions of this level.
        unsafe {
            let mut at = 0;
            if const { long_spans::<L>() } {
                while at + CHUNK <= n {
                    self.span::<L, B, CHUNK>(at, CHUNK);
                    at += CHUNK;
                }
            }
            while at < n {
                let count = SMALL.min(n - at);
                self.span::<L, B, SMALL>(at, count);
                at += count;
            }
        }
    }
}

impl<B: Better, V: Elem<Wide = f32>, I: Elem> Body<6> for PartArg<B, V, I> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<6>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [v0, v1, i0, i1, v, i] = call.tiles;
            let doubt = Doubt::from_imm(call.imm);
            for r in 0..v.rows().min(v0.rows()).min(v1.rows()) {
                let values = (v0.row::<V>(r).cast_const(), v1.row::<V>(r).cast_const(), v.row::<V>(r));
                let indices = (i0.row::<I>(r).cast_const(), i1.row::<I>(r).cast_const(), i.row::<I>(r));
                Pairs { values, indices, doubt }.row::<L, B>(v.cols().min(v0.cols()).min(v1.cols()));
            }
            copy_uncovered(v0, v1, v, size_of::<V>());
            copy_uncovered(i0, i1, i, size_of::<I>());
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<6>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [v0, v1, i0, i1, v, i] = call.tiles;
            let doubt = Doubt::from_imm(call.imm);
            let both = v.clipped(v0.rows().min(v1.rows()), v0.cols().min(v1.cols()));
            each(&both, |r, c| {
                let (x, y) = (read::<V>(v0, r, c), read::<V>(v1, r, c));
                let first = doubt.first::<B>(x.widen(), y.widen());
                let index = if first { read::<I>(i0, r, c) } else { read::<I>(i1, r, c) };
                write(v, r, c, if first { x } else { y });
                write(i, r, c, index);
            });
            plain_rest(v0, v1, v, size_of::<V>());
            plain_rest(i0, i1, i, size_of::<I>());
            Ok(())
        }
    }
}
