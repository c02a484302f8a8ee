//! Copies between a window of global memory and a tile.
//!
//! Element `[r, c]` of the tile is element `map(r, c)` of the window, where the map follows from the window's layout; the
//! tile's layout says where it lies on chip. Bits are copied.

use super::combine::{Combine, combiner, exclusive};
use super::place::ElementMap;
use super::stream::Cache;
use super::window::{map, operands, stated_layout};
use super::{blocks, nibbles, packed, padding};
use pto_isa::{DType, Type};
use pto_num::Level;
use pto_vector::{Body, Call, FactorUse, Fault, KernelCut, OpKernel, Prepared, Site, TileRef, ViewRef};

/// From global memory into a tile.
pub(super) const LOAD: OpKernel =
    OpKernel::taking(&["dst"], &["src"], &[], prepare_load).cut(KernelCut::ELEMENTS).factors(FactorUse::Loads);

/// A hint: values stay as they are, but the window must exist.
pub(super) const PREFETCH: OpKernel = OpKernel::taking(&[], &["src"], &[], prepare_prefetch);

fn prepare_load(site: &Site) -> Option<Prepared<1, 1>> {
    if packed::is_of_numbers(site.tile("dst")?) {
        return Some(nibbles::prepare_load(site, stated_layout(site)?));
    }
    let imm = immediates(site, "dst", "src")?;
    Some(match site.tile("dst")?.dtype.column_bits() {
        4 => Prepared::of(nibbles::load, imm),
        _ => Prepared::new::<LoadKernel>(site, true).with(imm),
    })
}

/// Stores that only copy, or combine with what is there; those through the fix pipe convert.
pub(super) fn prepare_store(site: &Site) -> Option<Prepared<2, 1, 2>> {
    let src = site.tile("src")?;
    if src.loc == pto_isa::Loc::Acc || site.instance.given("pre_quant") || site.instance.given("fp") {
        return None;
    }
    let combine = site.attr("atomicType").and_then(Combine::parse);
    if packed::is_of_numbers(src) && combine.is_none() {
        return Some(nibbles::prepare_store(site, stated_layout(site)?));
    }
    let [layout, _] = immediates(site, "src", "dst")?;
    let to = site.instance.ty("dst").and_then(Type::elem)?;
    if combine.is_some_and(|how| combiner(to, how).is_none()) {
        return None;
    }
    let imm = [layout, combine.map_or(0, Combine::code) << 8 | DType::ALL.iter().position(|d| *d == to)? as u64];
    Some(match src.dtype.column_bits() {
        4 => Prepared::of(nibbles::store, imm),
        _ => Prepared::new::<StoreKernel>(site, true).with(imm),
    })
}

fn prepare_prefetch(site: &Site) -> Option<Prepared<0, 1>> {
    let bits = site.instance.ty("src").and_then(Type::elem)?.column_bits();
    Some(Prepared::of(prefetch, [u64::from(bits), 0]))
}

/// Immediates of a transfer: the layout that it states, which takes precedence over that of its window, counted from 1;
/// and the bytes of an element.
fn immediates(site: &Site, tile: &str, view: &str) -> Option<[u64; 2]> {
    let tile = site.tile(tile)?;
    let bits = tile.dtype.column_bits();
    let same_size = site.instance.ty(view).and_then(Type::elem).is_some_and(|d| d.column_bits() == bits);
    same_size.then_some([stated_layout(site)? | u64::from(bits / 8) << 8, 0])
}

/// Every element of the tile with its counterpart outside.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn each(tile: &TileRef, view: &ViewRef, size: usize, work: impl Fn(*mut u8, *mut u8)) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        let global = view.start();
        for r in 0..tile.rows() {
            for c in 0..tile.cols() {
                work(tile.ptr().add(tile.index(r, c) * size), global.add(map(view, r, c) * size));
            }
        }
    }
}

struct LoadKernel;

impl Body<1, 1> for LoadKernel {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<1, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let size = (call.imm[0] >> 8) as usize;
            let [tile] = call.tiles;
            if let Some(view) = operands(tile, &call.views[0], call.imm[0], 8 * size)? {
                let Some(to) = ElementMap::of_tile(tile) else { return Self::plain(call) };
                blocks::copy::<L>(
                    &ElementMap::of_view(&view),
                    &to,
                    tile.rows(),
                    tile.cols(),
                    size,
                    Cache::of_load(view.bytes()),
                );
                padding::after_load(tile, view.layout());
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<1, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let size = (call.imm[0] >> 8) as usize;
            let [tile] = call.tiles;
            if let Some(view) = operands(tile, &call.views[0], call.imm[0], 8 * size)? {
                each(tile, &view, size, |on_chip, outside| std::ptr::copy_nonoverlapping(outside, on_chip, size));
                padding::after_load(tile, view.layout());
            }
            Ok(())
        }
    }
}

struct StoreKernel;

impl Body<2, 1, 2> for StoreKernel {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<2, 1, 2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let size = (call.imm[0] >> 8) as usize;
            let [tile, _] = call.tiles;
            let Some(view) = operands(tile, &call.views[0], call.imm[0], 8 * size)? else { return Ok(()) };
            if let Some(how) = how_to_combine(call) {
                return combine(tile, &view, size, call.imm[1], how);
            }
            let Some(from) = ElementMap::of_tile(tile) else { return Self::plain(call) };
            blocks::copy::<L>(
                &from,
                &ElementMap::of_view(&view),
                tile.rows(),
                tile.cols(),
                size,
                Cache::of_store(&view),
            );
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<2, 1, 2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let size = (call.imm[0] >> 8) as usize;
            let [tile, _] = call.tiles;
            let Some(view) = operands(tile, &call.views[0], call.imm[0], 8 * size)? else { return Ok(()) };
            if let Some(how) = how_to_combine(call) {
                return combine(tile, &view, size, call.imm[1], how);
            }
            each(tile, &view, size, |on_chip, outside| std::ptr::copy_nonoverlapping(on_chip, outside, size));
            Ok(())
        }
    }
}

/// The attribute of the store, or else the state of the core.
#[inline(always)]
fn how_to_combine(call: &Call<2, 1, 2>) -> Option<Combine> {
    let [state, _] = *call.scalars;
    if call.imm[1] >> 8 == 0 && state == 0 {
        return None;
    }
    Combine::from_code(call.imm[1] >> 8).or_else(|| Combine::from_code(state))
}

/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
#[inline(never)]
unsafe fn combine(tile: &TileRef, view: &ViewRef, size: usize, imm: u64, how: Combine) -> Result<(), Fault> {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        let run = combiner(DType::ALL[(imm & 0xff) as usize], how);
        let _lock = exclusive();
        each(tile, view, size, |on_chip, outside| match run {
            Some(run) => run(on_chip, outside),
            // The state of the core concerns stores of numbers; others only have bits.
            None => std::ptr::copy_nonoverlapping(on_chip, outside, size),
        });
        Ok(())
    }
}

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn prefetch(call: &Call<0, 1>) -> Result<(), Fault> {
    let [view] = call.views;
    if view.shape().contains(&0) {
        return Ok(());
    }
    let last = view.shape().iter().zip(view.strides()).map(|(n, s)| (i128::from(*n) - 1) * i128::from(s)).sum::<i128>();
    let first = i128::from(view.first());
    let end = first + ((last + 1) * i128::from(call.imm[0])).unsigned_abs().div_ceil(8) as i128;
    if first < 0 || end > view.bytes() as i128 {
        return Err(Fault::OutsideBuffer { first, end, bytes: view.bytes() });
    }
    Ok(())
}
