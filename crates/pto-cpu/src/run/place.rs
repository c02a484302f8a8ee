//! Tiles get their places, windows and valid regions.

use super::core::Core;
use super::fail::Fail;
use crate::prepared::{
    Bind, ExtentValue, GeometryId, OpenExtent, OpenRegion, TileAddress, TileId, TileState, TileWindow, ViewId,
    WindowValid,
};
use pto_isa::row::OperandExtent;
use pto_isa::{Loc, Order, TileType};

/// From the address of an operand to that of its scales.
const SCALE_SHIFT: u32 = 4;

impl Core<'_> {
    /// Executes a step that sets a tile register.
    #[inline(never)]
    pub fn place(&mut self, tile: TileId, set: impl FnOnce(&mut Self) -> Result<(), Fail>) -> Result<(), Fail> {
        let before = self.regs.tiles[tile];
        set(self)?;
        self.local.written.version += u64::from(self.regs.tiles[tile] != before);
        Ok(())
    }

    pub fn valid_from_view(&mut self, tile: TileId, view: ViewId) -> Result<(), Fail> {
        let (rows, cols) = self.regs.views[view].matrix_size();
        self.set_valid(tile, rows as i64, cols as i64)
    }

    pub fn valid_from_tile(&mut self, tile: TileId, from: TileId) -> Result<(), Fail> {
        let TileState { rows, cols, .. } = self.regs.tiles[from];
        self.set_valid(tile, rows.into(), cols.into())
    }

    pub fn valid_from_tiles(&mut self, region: &OpenRegion) -> Result<(), Fail> {
        let OpenRegion { tile, rows, cols } = *region;
        self.set_valid(tile, self.open_extent(rows), self.open_extent(cols))
    }

    fn geometry(&self, tile: TileId) -> &'_ TileType {
        &self.plan.tiles.geometries[self.regs.tiles[tile].geometry]
    }

    fn open_extent(&self, open: OpenExtent) -> i64 {
        let [a, b, ..] = open.tiles;
        let rows = |t: TileId| i64::from(self.regs.tiles[t].rows);
        let cols = |t: TileId| i64::from(self.regs.tiles[t].cols);
        let measure = match open.extent.measure {
            OperandExtent::Fixed(n) => n as i64,
            OperandExtent::Rows(_) => rows(a),
            OperandExtent::Cols(_) => cols(a),
            OperandExtent::Sum(slots) => slots.iter().flatten().zip(open.tiles).map(|(_, t)| cols(t)).sum(),
            OperandExtent::MaxRows(..) => rows(a).max(rows(b)),
            OperandExtent::MaxCols(..) => cols(a).max(cols(b)),
            OperandExtent::RowsAfter(..) => rows(a).saturating_sub(self.int(open.index)),
            OperandExtent::ColsAfter(..) => cols(a).saturating_sub(self.int(open.index)),
        };
        open.extent.scaled(measure.max(0) as u64) as i64
    }

    fn extent(&self, extent: ExtentValue) -> i64 {
        match extent {
            ExtentValue::Fixed(n) => n.into(),
            ExtentValue::Reg(reg) => self.int(reg),
        }
    }

    pub fn bind(&mut self, bind: &Bind) -> Result<(), Fail> {
        let ty = &self.plan.tiles.geometries[bind.geometry];
        let base = match bind.address {
            TileAddress::Own(at) => at,
            TileAddress::Free { first, size, held } => self.free_place(first, size, &self.plan.tiles.held[held]),
            TileAddress::At(reg) => self.stated_address(ty, self.int(reg), bind.count)?,
        };
        self.regs.tiles[bind.tile] = TileState { root: bind.tile, ..TileState::new(ty, bind.geometry, base) };
        let (rows, cols) = (self.extent(bind.rows), self.extent(bind.cols));
        self.set_valid(bind.tile, rows, cols)
    }

    /// There is one place more than registers, so one is free.
    fn free_place(&self, first: u64, size: u64, held: &[TileId]) -> u64 {
        let is_free = |place: &u64| {
            let inside = |tile: &TileId| (*place..place + size).contains(&self.regs.tiles[*tile].base);
            !held.iter().any(inside)
        };
        let mut places = (0..=held.len() as u64).map(|k| first + k * size);
        places.find(is_free).unwrap_or(first)
    }

    /// An address that the program gives to a tile.
    fn stated_address(&mut self, ty: &TileType, address: i64, count: u64) -> Result<u64, Fail> {
        let place = self.space_address(ty, address, count)?;
        match self.plan.source.checked.info().target.profile().space(ty.loc) {
            Some(space) if !(address as u64).is_multiple_of(space.align) => {
                Err(Fail::Misaligned { loc: ty.loc, address, align: space.align })
            }
            _ => Ok(place),
        }
    }

    /// An address in the space of a tile, as a place in the core's memory.
    fn space_address(&mut self, ty: &TileType, address: i64, count: u64) -> Result<u64, Fail> {
        let size = self.plan.memory.spaces.size(ty.loc);
        let bytes = ty.bytes().saturating_mul(count);
        let end = u64::try_from(address).ok().map(|a| a.saturating_add(bytes));
        match end {
            Some(end) if end <= size => {
                self.local.use_up_to(ty.loc, end);
                Ok(self.plan.memory.spaces.start(ty.loc) + address as u64)
            }
            _ => Err(Fail::Address { loc: ty.loc, address, bytes, size }),
        }
    }

    pub fn assign(&mut self, tile: TileId, address: i64, out: TileId) -> Result<(), Fail> {
        let ty = *self.geometry(tile);
        let base = self.stated_address(&ty, address, 1)?;
        self.regs.tiles[out] = TileState { base, origin: base, ..self.regs.tiles[tile] };
        Ok(())
    }

    /// Scales take a sixteenth of the bytes of their operand. An operand without an address leaves its scales where they are.
    pub fn scale_address(&mut self, operand: TileId, scale: TileId) -> Result<(), Fail> {
        let (from, to) = (*self.geometry(operand), *self.geometry(scale));
        let loc = if from.loc == Loc::Left { Loc::ScaleLeft } else { Loc::ScaleRight };
        let spaces = &self.plan.memory.spaces;
        let base = self.regs.tiles[operand].base;
        let Some(address) = base.checked_sub(spaces.start(from.loc)).filter(|at| *at < spaces.size(from.loc)) else {
            return Ok(());
        };
        let at = TileType { loc, ..to };
        let base = self.space_address(&at, (address >> SCALE_SHIFT) as i64, 1)?;
        let register = &mut self.regs.tiles[scale];
        (register.base, register.origin) = (base, base);
        Ok(())
    }

    pub fn window(&mut self, window: &TileWindow) -> Result<(), Fail> {
        let from = self.regs.tiles[window.from];
        let ty = self.geometry(window.from);
        let (row, col) = (self.int(window.row), self.int(window.col));
        let (height, width) = (i64::from(window.size.0), i64::from(window.size.1));
        let inside = |start: i64, size: i64, extent: u64| start >= 0 && start.saturating_add(size) <= extent as i64;
        if !inside(row, height, ty.rows) || !inside(col, width, ty.cols) {
            return Err(Fail::Window { at: (row, col), size: window.size, tile: (ty.rows, ty.cols) });
        }
        let (box_rows, box_cols) = ty.box_shape();
        // Low boxes at the end look like high ones to a window that starts above them.
        let low_boxes = row > 0 && ty.is_boxed() && ty.order() != Order::Nz && !ty.rows.is_multiple_of(box_rows);
        if low_boxes || !(row as u64).is_multiple_of(box_rows) || !(col as u64).is_multiple_of(box_cols) {
            return Err(Fail::WindowBoxes { at: (row, col), unit: (box_rows, box_cols) });
        }
        let column = u64::from(ty.column_bits());
        // Rows of 4-bit integers lie as far apart as rows of bytes.
        let unit = if ty.dtype.is_float() { column } else { u64::from(ty.dtype.unit_bytes()) * 8 };
        let bits = if ty.is_boxed() {
            ty.offset(row as u64, col as u64) * column
        } else {
            row as u64 * u64::from(from.row_stride) * unit + col as u64 * u64::from(from.col_stride) * column
        };
        if !bits.is_multiple_of(8) {
            return Err(Fail::WindowBoxes { at: (row, col), unit: (1, 2) });
        }
        self.regs.tiles[window.to] = TileState { base: from.base + bits / 8, ..from };
        let (rows, cols) = match window.valid {
            WindowValid::Given(rows, cols) => (self.extent(rows), self.extent(cols)),
            WindowValid::Inherited => {
                ((i64::from(from.rows) - row).clamp(0, height), (i64::from(from.cols) - col).clamp(0, width))
            }
        };
        if !(0..=height).contains(&rows) || !(0..=width).contains(&cols) {
            return Err(Fail::Valid { rows, cols, tile: (height as u64, width as u64) });
        }
        let to = &mut self.regs.tiles[window.to];
        (to.rows, to.cols) = (rows as u32, cols as u32);
        Ok(())
    }

    pub fn retype(&mut self, from: TileId, to: TileId, geometry: GeometryId) -> Result<(), Fail> {
        let source = self.regs.tiles[from];
        let ty = &self.plan.tiles.geometries[geometry];
        if source.base + ty.bytes() > self.local.memory.size() {
            return Err(Fail::Address {
                loc: ty.loc,
                address: source.base.wrapping_sub(self.plan.memory.spaces.start(ty.loc)) as i64,
                bytes: ty.bytes(),
                size: self.plan.memory.spaces.size(ty.loc),
            });
        }
        let mut tile = TileState { root: source.root, ..TileState::new(ty, geometry, source.base) };
        if ty.valid_rows.fixed().is_none() {
            tile.rows = source.rows.min(ty.rows as u32);
        }
        if ty.valid_cols.fixed().is_none() {
            tile.cols = source.cols.min(ty.cols as u32);
        }
        self.regs.tiles[to] = tile;
        Ok(())
    }

    pub fn pick(&mut self, from: TileId, slot: i64, count: u32, to: TileId) -> Result<(), Fail> {
        if !(0..i64::from(count)).contains(&slot) {
            return Err(Fail::Slot { slot, count });
        }
        let bytes = self.geometry(from).bytes();
        let tile = self.regs.tiles[from];
        self.regs.tiles[to] = TileState { base: tile.base + slot as u64 * bytes, ..tile };
        Ok(())
    }

    pub fn set_valid(&mut self, tile: TileId, rows: i64, cols: i64) -> Result<(), Fail> {
        let ty = self.geometry(tile);
        let (height, width) = (ty.rows, ty.cols);
        if !(0..=height as i64).contains(&rows) || !(0..=width as i64).contains(&cols) {
            return Err(Fail::Valid { rows, cols, tile: (height, width) });
        }
        let tile = &mut self.regs.tiles[tile];
        (tile.rows, tile.cols) = (rows as u32, cols as u32);
        Ok(())
    }
}
