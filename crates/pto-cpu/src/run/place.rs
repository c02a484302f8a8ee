//! Tiles get their places, windows and valid regions.

use super::core::Core;
use super::fail::Fail;
use super::observe::Watch;
use crate::plan::{Address, Bind, Extent, OpenExtent, OpenRegion, Step, Tile, TileId, Window, WindowValid};
use pto_isa::row::Measure;
use pto_isa::{Loc, Order, TileType};

/// From the address of an operand to that of its scales.
const SCALE_SHIFT: u32 = 4;

impl Core<'_> {
    /// Steps that place tiles; everything else concerns data.
    pub fn place_or_data<W: Watch>(&mut self, step: Step, at: usize, watch: &mut W) -> Result<(), Fail> {
        let Some(tile) = self.placed_by(step) else { return self.place_tile(step, at, watch) };
        let before = self.tiles[tile as usize];
        self.place_tile(step, at, watch)?;
        self.bytes.version += u64::from(self.tiles[tile as usize] != before);
        Ok(())
    }

    /// The tile register that a step sets.
    fn placed_by(&self, step: Step) -> Option<TileId> {
        Some(match step {
            Step::Bind(which) => self.plan.binds[which as usize].tile,
            Step::Window(which) => self.plan.windows[which as usize].to,
            Step::Assign { out, .. } => out,
            Step::ScaleAddress { scale, .. } => scale,
            Step::Retype { to, .. } | Step::Pick { to, .. } => to,
            Step::SetValid { tile, .. } | Step::ValidFromTile { tile, .. } | Step::ValidFromView { tile, .. } => tile,
            Step::ValidFromTiles(which) => self.plan.regions[which as usize].tile,
            _ => return None,
        })
    }

    fn place_tile<W: Watch>(&mut self, step: Step, at: usize, watch: &mut W) -> Result<(), Fail> {
        let plan = self.plan;
        match step {
            Step::Bind(which) => self.bind(&plan.binds[which as usize]),
            Step::Assign { tile, address, out } => self.assign(tile, self.int(address), out),
            Step::ScaleAddress { operand, scale } => self.scale_address(operand, scale),
            Step::Window(which) => self.window(&plan.windows[which as usize]),
            Step::Retype { from, to, geometry } => self.retype(from, to, geometry),
            Step::Pick { from, slot, count, to } => self.pick(from, self.int(slot), count, to),
            Step::SetValid { tile, rows, cols } => {
                let (rows, cols) = (self.int(rows), self.int(cols));
                self.set_valid(tile, rows, cols)
            }
            Step::ValidFromTile { tile, from } => {
                let Tile { rows, cols, .. } = self.tiles[from as usize];
                self.set_valid(tile, rows.into(), cols.into())
            }
            Step::ValidFromTiles(which) => {
                let OpenRegion { tile, rows, cols } = plan.regions[which as usize];
                self.set_valid(tile, self.open_extent(rows), self.open_extent(cols))
            }
            Step::ValidFromView { tile, view } => {
                let view = &self.views[view as usize];
                let (rows, cols) = super::data::window_size(view);
                self.set_valid(tile, rows as i64, cols as i64)
            }
            Step::GetValid { tile, rows, cols } => {
                let tile = self.tiles[tile as usize];
                self.regs[rows as usize] = tile.rows.into();
                self.regs[cols as usize] = tile.cols.into();
                Ok(())
            }
            other => self.data(other, at, watch),
        }
    }

    fn geometry(&self, tile: TileId) -> &'_ TileType {
        &self.plan.geometries[self.tiles[tile as usize].geometry as usize]
    }

    fn open_extent(&self, open: OpenExtent) -> i64 {
        let [a, b, ..] = open.tiles;
        let rows = |t: TileId| i64::from(self.tiles[t as usize].rows);
        let cols = |t: TileId| i64::from(self.tiles[t as usize].cols);
        let measure = match open.extent.measure {
            Measure::Fixed(n) => n as i64,
            Measure::Rows(_) => rows(a),
            Measure::Cols(_) => cols(a),
            Measure::Sum(slots) => slots.iter().flatten().zip(open.tiles).map(|(_, t)| cols(t)).sum(),
            Measure::MaxRows(..) => rows(a).max(rows(b)),
            Measure::MaxCols(..) => cols(a).max(cols(b)),
            Measure::RowsAfter(..) => rows(a).saturating_sub(self.int(open.index)),
            Measure::ColsAfter(..) => cols(a).saturating_sub(self.int(open.index)),
        };
        open.extent.scaled(measure.max(0) as u64) as i64
    }

    fn extent(&self, extent: Extent) -> i64 {
        match extent {
            Extent::Fixed(n) => n.into(),
            Extent::Reg(reg) => self.int(reg),
        }
    }

    fn bind(&mut self, bind: &Bind) -> Result<(), Fail> {
        let ty = &self.plan.geometries[bind.geometry as usize];
        let base = match bind.address {
            Address::Own(at) => at,
            Address::Free { first, size, held } => self.free_place(first, size, &self.plan.held[held as usize]),
            Address::At(reg) => self.stated_address(ty, self.int(reg), bind.count)?,
        };
        self.tiles[bind.tile as usize] = Tile { root: bind.tile, ..Tile::new(ty, bind.geometry, base) };
        let (rows, cols) = (self.extent(bind.rows), self.extent(bind.cols));
        self.set_valid(bind.tile, rows, cols)
    }

    /// There is one place more than registers, so one is free.
    fn free_place(&self, first: u64, size: u64, held: &[TileId]) -> u64 {
        let is_free = |place: &u64| {
            let inside = |tile: &TileId| (*place..place + size).contains(&self.tiles[*tile as usize].base);
            !held.iter().any(inside)
        };
        let mut places = (0..=held.len() as u64).map(|k| first + k * size);
        places.find(is_free).unwrap_or(first)
    }

    /// An address that the program gives to a tile.
    fn stated_address(&mut self, ty: &TileType, address: i64, count: u64) -> Result<u64, Fail> {
        let place = self.space_address(ty, address, count)?;
        match self.plan.checked.info().target.profile().space(ty.loc) {
            Some(space) if !(address as u64).is_multiple_of(space.align) => {
                Err(Fail::Misaligned { loc: ty.loc, address, align: space.align })
            }
            _ => Ok(place),
        }
    }

    /// An address in the space of a tile, as a place in the core's memory.
    fn space_address(&mut self, ty: &TileType, address: i64, count: u64) -> Result<u64, Fail> {
        let size = self.plan.spaces.size(ty.loc);
        let bytes = ty.bytes().saturating_mul(count);
        let end = u64::try_from(address).ok().map(|a| a.saturating_add(bytes));
        match end {
            Some(end) if end <= size => {
                let used = &mut self.used[ty.loc as usize];
                *used = (*used).max(end);
                Ok(self.plan.spaces.start(ty.loc) + address as u64)
            }
            _ => Err(Fail::Address { loc: ty.loc, address, bytes, size }),
        }
    }

    fn assign(&mut self, tile: TileId, address: i64, out: TileId) -> Result<(), Fail> {
        let ty = *self.geometry(tile);
        let base = self.stated_address(&ty, address, 1)?;
        self.tiles[out as usize] = Tile { base, origin: base, ..self.tiles[tile as usize] };
        Ok(())
    }

    /// Scales take a sixteenth of the bytes of their operand. An operand without an address leaves its scales where they are.
    fn scale_address(&mut self, operand: TileId, scale: TileId) -> Result<(), Fail> {
        let (from, to) = (*self.geometry(operand), *self.geometry(scale));
        let loc = if from.loc == Loc::Left { Loc::ScaleLeft } else { Loc::ScaleRight };
        let spaces = &self.plan.spaces;
        let base = self.tiles[operand as usize].base;
        let Some(address) = base.checked_sub(spaces.start(from.loc)).filter(|at| *at < spaces.size(from.loc)) else {
            return Ok(());
        };
        let at = TileType { loc, ..to };
        let base = self.space_address(&at, (address >> SCALE_SHIFT) as i64, 1)?;
        let register = &mut self.tiles[scale as usize];
        (register.base, register.origin) = (base, base);
        Ok(())
    }

    fn window(&mut self, window: &Window) -> Result<(), Fail> {
        let from = self.tiles[window.from as usize];
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
        self.tiles[window.to as usize] = Tile { base: from.base + bits / 8, ..from };
        let (rows, cols) = match window.valid {
            WindowValid::Given(rows, cols) => (self.extent(rows), self.extent(cols)),
            WindowValid::Inherited => {
                ((i64::from(from.rows) - row).clamp(0, height), (i64::from(from.cols) - col).clamp(0, width))
            }
        };
        if !(0..=height).contains(&rows) || !(0..=width).contains(&cols) {
            return Err(Fail::Valid { rows, cols, tile: (height as u64, width as u64) });
        }
        let to = &mut self.tiles[window.to as usize];
        (to.rows, to.cols) = (rows as u32, cols as u32);
        Ok(())
    }

    fn retype(&mut self, from: TileId, to: TileId, geometry: u32) -> Result<(), Fail> {
        let source = self.tiles[from as usize];
        let ty = &self.plan.geometries[geometry as usize];
        if source.base + ty.bytes() > self.memory.size() {
            return Err(Fail::Address {
                loc: ty.loc,
                address: source.base.wrapping_sub(self.plan.spaces.start(ty.loc)) as i64,
                bytes: ty.bytes(),
                size: self.plan.spaces.size(ty.loc),
            });
        }
        let mut tile = Tile { root: source.root, ..Tile::new(ty, geometry, source.base) };
        if ty.valid_rows.fixed().is_none() {
            tile.rows = source.rows.min(ty.rows as u32);
        }
        if ty.valid_cols.fixed().is_none() {
            tile.cols = source.cols.min(ty.cols as u32);
        }
        self.tiles[to as usize] = tile;
        Ok(())
    }

    fn pick(&mut self, from: TileId, slot: i64, count: u32, to: TileId) -> Result<(), Fail> {
        if !(0..i64::from(count)).contains(&slot) {
            return Err(Fail::Slot { slot, count });
        }
        let bytes = self.geometry(from).bytes();
        let tile = self.tiles[from as usize];
        self.tiles[to as usize] = Tile { base: tile.base + slot as u64 * bytes, ..tile };
        Ok(())
    }

    pub fn set_valid(&mut self, tile: TileId, rows: i64, cols: i64) -> Result<(), Fail> {
        let ty = self.geometry(tile);
        let (height, width) = (ty.rows, ty.cols);
        if !(0..=height as i64).contains(&rows) || !(0..=width as i64).contains(&cols) {
            return Err(Fail::Valid { rows, cols, tile: (height, width) });
        }
        let tile = &mut self.tiles[tile as usize];
        (tile.rows, tile.cols) = (rows as u32, cols as u32);
        Ok(())
    }
}
