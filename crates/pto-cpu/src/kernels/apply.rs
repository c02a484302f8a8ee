//! One instruction on memory of the caller's, without a plan: slow, checked, for comparisons.

use super::find;
use pto_isa::{Loc, Op, Order, TileType};
use pto_vector::{Fault, OpKernel, Site, TileRef};

/// Where the tile in a slot starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotStart {
    /// The slot of the row.
    pub slot: u8,
    /// Its first byte in the memory.
    pub start: usize,
}

/// Executes an instruction on tiles that lie in `memory`. Scalars come by slot, in the form of [`Call::scalars`](pto_vector::Call::scalars).
///
/// The tile types of the site say where elements lie and which are valid, so their extents must be fixed. `None` when
/// nothing is executed: there is no kernel for these operands, one is missing or does not lie in the memory, or a rule of
/// the row is broken.
pub fn apply(
    op: Op,
    site: &Site,
    memory: &mut [u8],
    tiles: &[SlotStart],
    scalars: &[(u8, u64)],
) -> Option<Result<(), Fault>> {
    let kernel = find(op).filter(|k| k.views.is_empty() && site.instance.row.name == op.row().name)?;
    let (broken, undecided) = site.instance.check();
    if !broken.is_empty() || undecided {
        return None;
    }
    let prepared = kernel.prepare(site)?;
    let geometries = geometries(kernel, site);
    let slot = |name: &str| op.row().slot(name);
    let mut refs = Vec::new();
    for (name, geometry) in kernel.tiles.iter().zip(&geometries) {
        refs.push(match geometry {
            Some(ty) => {
                let placed = tiles.iter().find(|p| Some(usize::from(p.slot)) == slot(name))?;
                tile_ref(memory, ty, placed.start)?
            }
            None => TileRef::ABSENT,
        });
    }
    let scalar = |name: &&str| scalars.iter().find(|(s, _)| Some(usize::from(*s)) == slot(name)).map_or(0, |s| s.1);
    let values: Vec<u64> = kernel.scalars.iter().map(scalar).collect();
    // SAFETY: `tile_ref` checked that every tile lies in the memory, which is borrowed for the call; the kernel was
    // prepared for these types; and the rules that relate valid regions to each other hold.
    Some(unsafe { prepared.call(&refs, &[], &values) })
}

/// The types of the tiles of a kernel. The box order of left operands is that of the target, regardless of the text.
fn geometries(kernel: &OpKernel, site: &Site) -> Vec<Option<TileType>> {
    let left = site.instance.target.profile().left_order;
    let seen = |ty: &TileType| match ty.loc {
        Loc::Left if ty.is_boxed() => TileType { blayout: left, ..*ty },
        _ => *ty,
    };
    kernel.tiles.iter().map(|name| site.tile(name).map(seen)).collect()
}

fn tile_ref<'a>(memory: &mut [u8], ty: &'a TileType, start: usize) -> Option<TileRef<'a>> {
    let (rows, cols) = (ty.valid_rows.fixed()?, ty.valid_cols.fixed()?);
    let end = start.checked_add(usize::try_from(ty.bytes()).ok()?)?;
    if rows > ty.rows || cols > ty.cols || end > memory.len() {
        return None;
    }
    let (row_stride, col_stride) = match ty.order() {
        Order::Dn => (1, ty.rows as usize),
        _ => (ty.cols as usize, 1),
    };
    let ptr = memory.as_mut_ptr().wrapping_add(start);
    // SAFETY: all bytes of the tile lie in the memory, and its region in the tile. The caller borrows the memory until the call
    // is over.
    Some(unsafe { TileRef::new(ptr, ty, (rows as usize, cols as usize), (row_stride, col_stride)) })
}
