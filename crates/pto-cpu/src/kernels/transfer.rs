//! Copies between a window of global memory and a tile.
//!
//! Element `[r, c]` of the tile is element `map(r, c)` of the window, where the map follows from the window's layout; the
//! tile's layout says where it lies on chip. Bits are copied.

use pto_vector::{Call, Fault, Kernel, Prepared, Site, TileRef, ViewRef};

use pto_isa::{GlobalLayout, Type, dot};

/// From global memory into a tile.
pub(super) const LOAD: Kernel = Kernel::new(&["dst"], |site| prepare(site, "dst", "src", load)).views(&["src"]);

/// From a tile to global memory.
pub(super) const STORE: Kernel = Kernel::new(&["src"], prepare_store).views(&["dst"]);

/// Stores that only copy: not through the fix pipe, and not adding to what is there.
fn prepare_store(site: &Site) -> Option<Prepared> {
    let copies = site.tile("src")?.loc != pto_isa::Loc::Acc
        && !site.instance.given("pre_quant")
        && !site.instance.given("fp")
        && site.attr("atomicType").is_none_or(|a| a == "atomic_none");
    if copies { prepare(site, "src", "dst", store) } else { None }
}

fn prepare(site: &Site, tile: &str, view: &str, run: super::KernelFn) -> Option<Prepared> {
    let bits = site.tile(tile)?.dtype.column_bits();
    let same_size = site.instance.ty(view).and_then(Type::elem).is_some_and(|d| d.column_bits() == bits);
    // The layout that the transfer itself states comes before that of its window.
    let layout = match site.instance.attr("layout").and_then(|a| a.enum_name()) {
        Some(name) => GlobalLayout::ALL.iter().position(|l| l.name().eq_ignore_ascii_case(name))? as u64 + 1,
        None => 0,
    };
    same_size.then_some(Prepared { run, imm: [u64::from(bits), layout] })
}

unsafe fn load(call: &Call) -> Result<(), Fault> {
    transfer::<true>(call)
}

unsafe fn store(call: &Call) -> Result<(), Fault> {
    transfer::<false>(call)
}

unsafe fn transfer<const LOAD: bool>(call: &Call) -> Result<(), Fault> {
    let ([tile], [view]) = (call.tiles, call.views) else { return Ok(()) };
    let mut view = *view;
    if let Some(layout) = (call.imm[1] as usize).checked_sub(1) {
        view.layout = GlobalLayout::ALL[layout];
    }
    let bits = call.imm[0] as usize;
    if tile.rows == 0 || tile.cols == 0 {
        return Ok(());
    }
    check(tile, &view, bits)?;
    match bits {
        8 => copy::<u8, LOAD>(tile, &view),
        16 => copy::<u16, LOAD>(tile, &view),
        32 => copy::<u32, LOAD>(tile, &view),
        64 => copy::<u64, LOAD>(tile, &view),
        _ => copy_nibbles::<LOAD>(tile, &view),
    }
    Ok(())
}

/// Rows and columns of the matrix in a window.
fn size(view: &ViewRef) -> (u64, u64) {
    let [a, b, c, d, e] = view.shape;
    match view.layout {
        GlobalLayout::Nd => (a * b * c * d, e),
        GlobalLayout::Dn => (d, a * b * c * e),
        GlobalLayout::Nz => (c * d, a * b * e),
        GlobalLayout::MxAZz => (b * d, c * e),
        GlobalLayout::MxAnd => (c, d * e),
        GlobalLayout::MxAdn => (d, c * e),
        GlobalLayout::MxBnn => (c * e, b * d),
        GlobalLayout::MxBnd => (c * e, d),
        GlobalLayout::MxBdn => (d * e, c),
        GlobalLayout::Nc1hwc0 => (a * c * d, b * e),
    }
}

/// The valid region lies in the window, and the window in its buffer.
fn check(tile: &TileRef, view: &ViewRef, bits: usize) -> Result<(), Fault> {
    let window = size(view);
    if tile.rows as u64 > window.0 || tile.cols as u64 > window.1 {
        return Err(Fault::WindowMismatch { tile: (tile.rows, tile.cols), window });
    }
    let whole = (tile.rows as u64, tile.cols as u64) == window;
    let last = if whole || !is_plain(view) {
        extent(&view.shape, &view.strides)
    } else {
        extent(&[1, 1, 1, tile.rows as u64, tile.cols as u64], &view.strides)
    };
    let first = i128::from(view.first);
    let end = first + ((last + 1) * bits as i128).div_euclid(8) + i128::from((last + 1) * bits as i128 % 8 != 0);
    if first < 0 || end > view.bytes as i128 {
        return Err(Fault::OutsideBuffer { first, end, bytes: view.bytes });
    }
    Ok(())
}

/// The last element, counted from the first; strides are never negative.
fn extent(shape: &[u64; 5], strides: &[i64; 5]) -> i128 {
    shape.iter().zip(strides).map(|(n, s)| (i128::from(*n) - 1) * i128::from(*s)).sum()
}

/// A matrix in the two innermost dimensions.
fn is_plain(view: &ViewRef) -> bool {
    view.shape[..3] == [1, 1, 1] && matches!(view.layout, GlobalLayout::Nd | GlobalLayout::Dn)
}

unsafe fn copy<T: Copy, const LOAD: bool>(tile: &TileRef, view: &ViewRef) {
    // SAFETY of the geometry: the engine keeps it alive during the call.
    let boxed = (*tile.geometry).is_boxed();
    let global = view.base.offset(view.first as isize).cast::<T>();
    let (down, right) = (view.strides[3] as usize, view.strides[4] as usize);
    let plain = is_plain(view);
    if plain && !boxed && tile.col_stride == 1 && (right == 1 || tile.cols == 1) {
        runs::<T, LOAD>(tile.ptr.cast(), tile.row_stride, global, down, tile.rows, tile.cols);
    } else if plain && !boxed && tile.row_stride == 1 && (down == 1 || tile.rows == 1) {
        runs::<T, LOAD>(tile.ptr.cast(), tile.col_stride, global, right, tile.cols, tile.rows);
    } else {
        for r in 0..tile.rows {
            for c in 0..tile.cols {
                let at = if plain { r * down + c * right } else { map(view, r, c) };
                let (on_chip, outside) = (tile.ptr.cast::<T>().add(tile.index(r, c)), global.add(at));
                if LOAD {
                    on_chip.write_unaligned(outside.read_unaligned());
                } else {
                    outside.write_unaligned(on_chip.read_unaligned());
                }
            }
        }
    }
}

/// `count` runs of `length` elements.
unsafe fn runs<T: Copy, const LOAD: bool>(
    tile: *mut T,
    tile_stride: usize,
    global: *mut T,
    global_stride: usize,
    count: usize,
    length: usize,
) {
    let (count, length) =
        if tile_stride == length && global_stride == length { (1, count * length) } else { (count, length) };
    let bytes = length * size_of::<T>();
    for run in 0..count {
        let on_chip = tile.add(run * tile_stride).cast::<u8>();
        let outside = global.add(run * global_stride).cast::<u8>();
        if LOAD {
            std::ptr::copy_nonoverlapping(outside, on_chip, bytes);
        } else {
            std::ptr::copy_nonoverlapping(on_chip, outside, bytes);
        }
    }
}

/// The place of element `[r, c]` in the window, in elements.
fn map(view: &ViewRef, r: usize, c: usize) -> usize {
    let index = view.layout.index(r as u64, c as u64, view.shape);
    dot(index, view.strides.map(|s| s as u64)) as usize
}

/// Elements of four bits, two in a byte, the lower half first.
unsafe fn copy_nibbles<const LOAD: bool>(tile: &TileRef, view: &ViewRef) {
    let global = view.base.offset(view.first as isize);
    for r in 0..tile.rows {
        for c in 0..tile.cols {
            // Every row starts at a byte of its own, as many bytes after the one before as there are columns.
            let (inside, outside) = (2 * r * tile.row_stride + c, map(view, r, c));
            if LOAD {
                put(tile.ptr, inside, get(global, outside));
            } else {
                put(global, outside, get(tile.ptr, inside));
            }
        }
    }
}

unsafe fn get(base: *const u8, element: usize) -> u8 {
    *base.add(element / 2) >> (element % 2 * 4) & 15
}

unsafe fn put(base: *mut u8, element: usize, value: u8) {
    let byte = base.add(element / 2);
    let shift = element % 2 * 4;
    *byte = *byte & !(15 << shift) | value << shift;
}
