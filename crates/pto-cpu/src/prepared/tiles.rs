//! Tiles: what a register holds of one, and how steps place them.

use super::ids::{BindId, GeometryId, HeldId, OpenRegionId, Reg, Table, TileId, WindowId};
use pto_ir::ValueId;
use pto_isa::row::RegionExtent;
use pto_isa::{Dim, Order, TileType};

/// The state of a tile register.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct TileState {
    /// First byte in the core's memory.
    pub base: u64,
    /// The first byte of the whole tile of which this is a window.
    pub origin: u64,
    pub rows: u32,
    pub cols: u32,
    pub row_stride: u32,
    pub col_stride: u32,
    /// The layout of its memory: a tile type of the plan.
    pub geometry: GeometryId,
    /// The tile that this is a window or view of.
    pub root: TileId,
}

impl TileState {
    /// A tile of this type at this place, valid as far as the type says.
    pub fn new(ty: &TileType, geometry: GeometryId, base: u64) -> Self {
        let (row_stride, col_stride) = match ty.order() {
            Order::Dn => (1, ty.rows as u32),
            _ => (ty.cols as u32, 1),
        };
        let extent = |d: Dim, physical: u64| d.fixed().unwrap_or(physical) as u32;
        let (rows, cols) = (extent(ty.valid_rows, ty.rows), extent(ty.valid_cols, ty.cols));
        Self { base, origin: base, rows, cols, row_stride, col_stride, geometry, root: TileId(0) }
    }

    /// Where an element lies: first byte, bytes, and the bit in the byte where numbers of four bits start.
    pub fn element_bytes(&self, ty: &TileType, r: u64, c: u64) -> (u64, u64, u64) {
        let bits = u64::from(ty.column_bits());
        let (down, right) = (u64::from(self.row_stride), u64::from(self.col_stride));
        if bits < 8 {
            // Outside of boxes, every row starts at a byte.
            let number = if ty.is_boxed() { ty.offset(r, c) } else { 2 * r * down + c };
            return (self.base + number / 2, 1, number % 2 * 4);
        }
        let index = if ty.is_boxed() { ty.offset(r, c) } else { r * down + c * right };
        (self.base + index * bits / 8, bits / 8, 0)
    }
}

/// What the steps that place tiles refer to.
#[derive(Clone, Default, Debug)]
pub(crate) struct TileTables {
    /// The types of the tiles.
    pub geometries: Table<GeometryId, TileType>,
    pub binds: Table<BindId, Bind>,
    /// Registers that keep buffers while others are placed.
    pub held: Table<HeldId, Vec<TileId>>,
    pub windows: Table<WindowId, TileWindow>,
    pub regions: Table<OpenRegionId, OpenRegion>,
    /// Values of the program that are tiles, with how many tiles each has. Of a function that is expanded several times, those
    /// of the last one.
    pub values: Vec<(ValueId, TileId, u64)>,
}

/// A tile that gets its place and valid region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bind {
    pub tile: TileId,
    pub address: TileAddress,
    pub geometry: GeometryId,
    pub rows: ExtentValue,
    pub cols: ExtentValue,
    /// How many tiles of this size lie there.
    pub count: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum TileAddress {
    /// Its own bytes in the memory of the core.
    Own(u64),
    /// The first of several places that none of the registers of a list is in.
    Free { first: u64, size: u64, held: HeldId },
    /// An address in its space.
    At(Reg),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ExtentValue {
    Fixed(u32),
    Reg(Reg),
}

/// A window of a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileWindow {
    pub from: TileId,
    pub to: TileId,
    pub row: Reg,
    pub col: Reg,
    /// Physical rows and columns of the window.
    pub size: (u32, u32),
    pub valid: WindowValid,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum WindowValid {
    Given(ExtentValue, ExtentValue),
    /// What of the source's valid region lies in the window.
    Inherited,
}

/// A tile whose valid region follows from other tiles, each extent in its own way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenRegion {
    /// The tile.
    pub tile: TileId,
    /// Its valid rows.
    pub rows: OpenExtent,
    /// Its valid columns.
    pub cols: OpenExtent,
}

/// An extent as the row of an instruction gives it, with tiles for its slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenExtent {
    /// What the row says.
    pub extent: RegionExtent,
    /// The tiles of its slots, in order.
    pub tiles: [TileId; 4],
    /// The index that it starts at, if any.
    pub index: Reg,
}
