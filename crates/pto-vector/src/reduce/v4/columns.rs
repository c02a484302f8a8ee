//! Columns, 64 at a time, for folds that are watched.

use super::Registers;
use super::tree::take;
use crate::bits::WORD;
use crate::call::TileRef;
use crate::elem::Elem;

/// Results for 64 columns from `at` on; false when there are none, because they cannot be had this way.
///
/// # Safety
/// The columns must lie in the tile, and `to` must have room for them; the processor must have level `v4`.
#[inline(always)]
pub unsafe fn columns<F: Registers<E>, E: Elem>(src: &TileRef, at: usize, to: *mut E) -> bool {
    match F::SIDE {
        4 => side::<F, E, 4>(src, at, to),
        _ => side::<F, E, 2>(src, at, to),
    }
}

/// Rows two by two, so that the registers they go to are waited for half as often. The order must not matter.
#[inline(always)]
unsafe fn side<F: Registers<E>, E: Elem, const SIDE: usize>(src: &TileRef, at: usize, to: *mut E) -> bool {
    let lanes = WORD / SIDE;
    let row = src.row::<E>(0).cast_const().add(at);
    let mut seen = [F::NOTHING; SIDE];
    let mut all = take::<F, E, SIDE>(row, !0, &mut seen[0]);
    if !F::is_promising(all[0]) {
        return false;
    }
    let mut r = 1;
    while r < src.rows {
        let (a, b) = (row.add(r * src.row_stride), row.add((r + 1).min(src.rows - 1) * src.row_stride));
        for i in 0..SIDE {
            let (x, y) = (F::load(a.add(i * lanes), !0), F::load(b.add(i * lanes), !0));
            seen[i] = F::watch(seen[i], x, y);
            all[i] = F::merge(all[i], F::merge(x, y));
        }
        r += 2;
    }
    let mut is_settled = true;
    for i in 0..SIDE {
        is_settled &= seen[i] == F::NOTHING && F::is_settled(all[i]);
    }
    if is_settled {
        for (i, all) in all.into_iter().enumerate() {
            F::put(all, to.add(i * lanes));
        }
    }
    is_settled
}
