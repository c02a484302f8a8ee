//! The pattern forms of gather and scatter: of every four neighbours, the marked ones.

use super::gather::bits_of;
use pto_isa::rules::AttrValue;
use pto_vector::elem::{Elem, by_type};
use pto_vector::{Call, Fault, KernelFn, Prepared, Site, read, write};
use std::marker::PhantomData;

/// Which of four neighbours are marked, and whether they stand in a column.
struct Pattern {
    marks: u64,
    down: bool,
}

impl Pattern {
    /// `P0101`: the last digit is the first element. Patterns of two are patterns of four.
    fn new(site: &Site) -> Option<Self> {
        let marks = u64::from_str_radix(site.attr("maskPattern")?.strip_prefix('P')?, 2).ok()?;
        Some(Self { marks, down: site.instance.attr("axis") == Some(AttrValue::Str("col")) })
    }
}

#[inline(always)]
fn is_marked(marks: u64, at: usize) -> bool {
    marks >> (at % 4) & 1 == 1
}

pub(super) fn prepare_gather(site: &Site) -> Option<Prepared<4, 0, 1>> {
    let Pattern { marks, down } = Pattern::new(site)?;
    let run = by_type!(bits_of(site.tile("src")?)?, E in [U8 U16 U32 U64] => match down {
        true => GatherRows::<E>::run as KernelFn<4, 0, 1>,
        false => GatherColumns::<E>::run as KernelFn<4, 0, 1>,
    })?;
    Some(Prepared::of(run, [marks, 0]))
}

pub(super) fn prepare_scatter(site: &Site) -> Option<Prepared<3>> {
    let Pattern { marks, down } = Pattern::new(site)?;
    let run = by_type!(bits_of(site.tile("src")?)?, E in [U8 U16 U32 U64] => Scatter::<E>::run as KernelFn<3>)?;
    Some(Prepared::of(run, [marks, u64::from(down)]))
}

/// The marked elements of all rows, one after the other, fill `dst` row by row.
struct GatherColumns<E>(PhantomData<E>);

impl<E: Elem> GatherColumns<E> {
    /// # Safety
    /// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
    unsafe fn run(call: &Call<4, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, _, dst, _] = call.tiles;
            let mut free = (0..dst.rows()).flat_map(|r| (0..dst.cols()).map(move |c| (r, c)));
            for r in 0..src.rows() {
                for c in (0..src.cols()).filter(|c| is_marked(call.imm[0], *c)) {
                    let Some((to_row, to_col)) = free.next() else { return Ok(()) };
                    write(dst, to_row, to_col, read::<E>(src, r, c));
                }
            }
            Ok(())
        }
    }
}

/// The marked rows.
struct GatherRows<E>(PhantomData<E>);

impl<E: Elem> GatherRows<E> {
    /// # Safety
    /// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
    unsafe fn run(call: &Call<4, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, _, dst, _] = call.tiles;
            let marked = (0..src.rows()).filter(|r| is_marked(call.imm[0], *r));
            for (to, r) in (0..dst.rows()).zip(marked) {
                for c in 0..src.cols().min(dst.cols()) {
                    write(dst, to, c, read::<E>(src, r, c));
                }
            }
            Ok(())
        }
    }
}

/// The marked places of `dst` get the elements of `src` in order, the others zero.
struct Scatter<E>(PhantomData<E>);

impl<E: Elem> Scatter<E> {
    /// # Safety
    /// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
    unsafe fn run(call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, dst, _] = call.tiles;
            let [marks, down] = call.imm;
            let down = down == 1;
            let mut row = 0;
            for r in 0..dst.rows() {
                let mut col = 0;
                for c in 0..dst.cols() {
                    let marked = is_marked(marks, if down { r } else { c });
                    let inside = row < src.rows() && col < src.cols();
                    write(dst, r, c, if marked && inside { read::<E>(src, row, col) } else { E::scalar(0) });
                    col += usize::from(down || marked);
                }
                row += usize::from(!down || is_marked(marks, r));
            }
            Ok(())
        }
    }
}
