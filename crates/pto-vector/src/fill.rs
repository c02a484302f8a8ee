//! Tiles filled by a rule.

use super::call::{Body, Call, Fault, OpKernel, TileRef};
use super::elem::{Elem, by_bits, modular, prepare};
use super::map::write;
use pto_isa::Loc;
use pto_isa::rules::AttrValue;
use pto_num::{Bf16, F16, Level};
use std::marker::PhantomData;

const DST: &[&str; 1] = &["dst"];

/// `dst = scalar`
pub(super) const SCALAR: OpKernel = OpKernel::taking(DST, &[], &["scalar"], |site| {
    let dst = site.tile("dst")?;
    // Cube memory is filled as a whole; in vector memory, the valid region.
    let extent = if dst.loc == Loc::Mat { [dst.rows, dst.cols] } else { [0, 0] };
    prepare!(site, DST, by_bits(dst.dtype), E in [U8 U16 U32 U64 F16 Bf16;] => Scalar<E>).map(|p| p.with(extent))
});

/// `dst[0,k] = start + k`, or minus.
pub const IOTA: OpKernel = OpKernel::taking(DST, &[], &["start"], |site| {
    let down = site.instance.attr("descending") == Some(AttrValue::Bool(true));
    prepare!(site, DST, modular(site.tile("dst")?.dtype), E in [I16 I32 F16 Bf16 F32; I8 I64] => Iota<E>)
        .map(|p| p.with([u64::from(down), 0]))
});

/// Ones on one side of a diagonal, zeros on the other.
pub const TRIANGLE: OpKernel = OpKernel::taking(DST, &[], &["diagonal"], |site| {
    let upper = site.instance.attr("upperOrLower") == Some(AttrValue::Int(1));
    prepare!(site, DST, modular(site.tile("dst")?.dtype), E in [I8 I16 I32 F16 Bf16 F32; I64] => Triangle<E>)
        .map(|p| p.with([u64::from(upper), 0]))
});

/// Elements written at once.
const CHUNK: usize = 64;

/// Writes `n` elements of a row.
///
/// # Safety
/// All elements that the other arguments count must be writable at `dst`.
#[inline(always)]
unsafe fn fill<E: Elem>(dst: *mut E, n: usize, value: E) {
    // SAFETY: the caller answers for the elements at `dst`.
    unsafe {
        series(dst, 0, n, |_| value);
    }
}

/// Writes `f(k)` for the elements from `at` to `end` of a row.
///
/// # Safety
/// All elements that the other arguments count must be writable at `dst`.
#[inline(always)]
unsafe fn series<E: Elem>(dst: *mut E, at: usize, end: usize, f: impl Fn(usize) -> E) {
    // SAFETY: the caller answers for the elements at `dst`.
    unsafe {
        let mut at = at;
        while at + CHUNK <= end {
            let mut chunk = [f(at); CHUNK];
            for (i, element) in chunk.iter_mut().enumerate() {
                *element = f(at + i);
            }
            dst.add(at).cast::<[E; CHUNK]>().write_unaligned(chunk);
            at += CHUNK;
        }
        while at < end {
            dst.add(at).write_unaligned(f(at));
            at += 1;
        }
    }
}

struct Scalar<E>(PhantomData<E>);

/// Rows and columns to fill: `imm` has them when they are not the valid ones.
#[inline(always)]
fn extent(imm: [u64; 2], dst: &TileRef) -> (usize, usize) {
    if imm[0] == 0 { (dst.rows(), dst.cols()) } else { (imm[0] as usize, imm[1] as usize) }
}

impl<E: Elem> Body<1, 0, 1> for Scalar<E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<1, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let ([dst], [scalar]) = (call.tiles, call.scalars);
            let (rows, cols) = extent(call.imm, dst);
            let (rows, cols) = if dst.row_stride() == cols { (rows.min(1), rows * cols) } else { (rows, cols) };
            for r in 0..rows {
                fill(dst.row(r), cols, E::scalar(*scalar));
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<1, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let ([dst], [scalar]) = (call.tiles, call.scalars);
            let (rows, cols) = extent(call.imm, dst);
            for r in 0..rows {
                for c in 0..cols {
                    write(dst, r, c, E::scalar(*scalar));
                }
            }
            Ok(())
        }
    }
}

/// A number `k` steps away.
trait Steps: Elem {
    fn step(self, k: usize, down: bool) -> Self;
}

macro_rules! integer_steps {
    ($($type:ty)+) => {$(
        impl Steps for $type {
            #[inline(always)]
            fn step(self, k: usize, down: bool) -> Self {
                if down { self.wrapping_sub(k as Self) } else { self.wrapping_add(k as Self) }
            }
        }
    )+};
}
integer_steps!(i8 u8 i16 u16 i32 u32 i64 u64);

macro_rules! float_steps {
    ($($type:ty)+) => {$(
        impl Steps for $type {
            #[inline(always)]
            fn step(self, k: usize, down: bool) -> Self {
                let k = k as u32 as f32;
                Self::narrow(if down { self.widen() - k } else { self.widen() + k })
            }
        }
    )+};
}
float_steps!(f32 F16 Bf16);

struct Iota<E>(PhantomData<E>);

impl<E: Steps> Body<1, 0, 1> for Iota<E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<1, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let ([dst], [start]) = (call.tiles, call.scalars);
            let (start, down) = (E::scalar(*start), call.imm[0] == 1);
            if dst.rows() > 0 {
                series(dst.row::<E>(0), 0, dst.cols(), |k| start.step(k, down));
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<1, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let ([dst], [start]) = (call.tiles, call.scalars);
            for k in 0..if dst.rows() == 0 { 0 } else { dst.cols() } {
                write(dst, 0, k, E::scalar(*start).step(k, call.imm[0] == 1));
            }
            Ok(())
        }
    }
}

struct Triangle<E>(PhantomData<E>);

/// One and zero.
#[inline(always)]
fn one_and_zero<E: Elem>() -> (E, E) {
    let one = if E::DTYPE.is_float() { u64::from(1f32.to_bits()) } else { 1 };
    (E::scalar(one), E::scalar(0))
}

impl<E: Elem> Body<1, 0, 1> for Triangle<E> {
    /// The diagonal cuts each row in two.
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<1, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let ([dst], [diagonal]) = (call.tiles, call.scalars);
            let upper = call.imm[0] == 1;
            let (one, zero) = one_and_zero::<E>();
            let (left, right) = if upper { (zero, one) } else { (one, zero) };
            for r in 0..dst.rows() {
                let edge = (*diagonal as i64).saturating_add(r as i64).saturating_add(i64::from(!upper));
                let edge = edge.clamp(0, dst.cols() as i64) as usize;
                fill(dst.row(r), edge, left);
                series(dst.row(r), edge, dst.cols(), |_| right);
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<1, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let ([dst], [diagonal]) = (call.tiles, call.scalars);
            let (one, zero) = one_and_zero::<E>();
            for r in 0..dst.rows() {
                for c in 0..dst.cols() {
                    let (c_at, edge) = (c as i128, r as i128 + i128::from(*diagonal as i64));
                    let inside = if call.imm[0] == 1 { c_at >= edge } else { c_at <= edge };
                    write(dst, r, c, if inside { one } else { zero });
                }
            }
            Ok(())
        }
    }
}
