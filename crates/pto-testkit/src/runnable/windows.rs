//! Tiles that are parts or other readings of tiles.

use super::tiles::{Root, RootPart, TileVar};
use super::{I64, ProgramMaker};
use pto::ir::{Attr, Def, TypeId, ValueId};
use pto::isa::fill::Filling;
use pto::isa::row::{Dir, SlotKind};
use pto::isa::table::op;
use pto::isa::{DType, Dim, Loc, Op, TileType, Type};

impl ProgramMaker<'_> {
    pub(super) fn tile_view(&mut self) {
        match self.rng.below(10) {
            0..4 => self.subview(),
            4..6 => self.retype(),
            6 => self.multi_tile(),
            7 if self.manual => self.rebind(),
            7 => self.rebind_window(),
            8 => self.tile_select(),
            _ => self.change_valid(),
        }
    }

    /// A whole tile: one that is there, or a new one.
    fn whole_tile(&mut self, solid: bool) -> Option<TileVar> {
        let fits = |t: &&TileVar| t.defined && (t.solid || !solid) && !t.is_value;
        let fit: Vec<TileVar> = self.visible().filter(fits).cloned().collect();
        match self.rng.choose(&fit).cloned() {
            Some(tile) if self.rng.chance(60) => Some(tile),
            _ => {
                let dtype = *self.rng.choose(&self.favoured)?;
                let ty = self.solid(dtype);
                self.loaded(&ty, (0, 0))
            }
        }
    }

    /// A window of a tile.
    fn subview(&mut self) {
        let Some(tile) = self.whole_tile(false) else { return };
        let (box_rows, box_cols) = tile.ty.box_shape();
        let block = 32 / u64::from(tile.ty.dtype.unit_bytes());
        // The window has its own tile type, so its rows (or columns) are whole blocks.
        let (row_unit, col_unit) = match (tile.ty.is_boxed(), tile.ty.blayout) {
            (true, _) => (box_rows, box_cols),
            (false, pto::isa::BLayout::RowMajor) => (1, block),
            (false, pto::isa::BLayout::ColMajor) => (block, 1),
        };
        let (rows, cols) = (self.multiple(tile.ty.rows, row_unit), self.multiple(tile.ty.cols, col_unit));
        let row = self.multiple_up_to(tile.ty.rows - rows, box_rows);
        let col = self.multiple_up_to(tile.ty.cols - cols, box_cols);
        let offsets = [self.offset(row), self.offset(col)];
        let constant = [self.is_constant(offsets[0]), self.is_constant(offsets[1])];
        let sizes = Attr::Array([rows, cols].iter().map(|n| Attr::Int((*n).into(), TypeId::UNKNOWN)).collect());
        let mut operands = vec![("source", tile.value), ("offsets", offsets[0]), ("offsets", offsets[1])];
        let mut ty = TileType { rows, cols, valid_rows: Dim::Fixed(rows), valid_cols: Dim::Fixed(cols), ..tile.ty };
        let (mut code, mut extents) = (op::subview, (rows, cols));
        match self.rng.below(4) {
            0 => {
                code = op::subset;
                let open = |known: bool, from: Dim, n: u64| match from {
                    Dim::Fixed(_) if known => Dim::Fixed(n),
                    _ => Dim::Dynamic,
                };
                ty.valid_rows = open(constant[0], tile.ty.valid_rows, rows);
                ty.valid_cols = open(constant[1], tile.ty.valid_cols, cols);
            }
            1 => {
                extents = (self.rng.below(rows as usize + 1) as u64, self.rng.below(cols as usize + 1) as u64);
                (ty.valid_rows, ty.valid_cols) = (Dim::Dynamic, Dim::Dynamic);
                operands.push(("valid_row", self.known(extents.0 as i64)));
                operands.push(("valid_col", self.known(extents.1 as i64)));
            }
            2 => {
                extents = (1 + self.rng.below(rows as usize) as u64, 1 + self.rng.below(cols as usize) as u64);
                (ty.valid_rows, ty.valid_cols) = (Dim::Fixed(extents.0), Dim::Fixed(extents.1));
            }
            _ => {}
        }
        let value = self.emit_with(code, &operands, ("result", Type::TileBuf(ty)), vec![("sizes", sizes)]);
        let roots = tile.roots.iter().map(|root| part_of(root, [row, col, rows, cols])).collect();
        let exposed = tile.exposed;
        self.frame.tiles.push(TileVar { defined: true, exposed, ..TileVar::new(value, ty, roots, extents) });
    }

    /// Something between a unit and all.
    fn multiple(&mut self, all: u64, unit: u64) -> u64 {
        let units = all / unit;
        if units == 0 { all } else { (1 + self.rng.below(units as usize) as u64) * unit }
    }

    fn multiple_up_to(&mut self, most: u64, unit: u64) -> u64 {
        self.rng.below((most / unit) as usize + 1) as u64 * unit
    }

    fn offset(&mut self, n: u64) -> ValueId {
        if self.rng.chance(50) { self.index_constant(n as i64) } else { self.known(n as i64) }
    }

    fn is_constant(&self, value: ValueId) -> bool {
        let module = &self.builder.module;
        matches!(module.value(value).def, Def::Result(id, _) if module.op(id).op == op::arith_constant)
    }

    /// The bytes of a tile under another type.
    fn retype(&mut self) {
        let Some(tile) = self.whole_tile(true) else { return };
        let exposed = tile.exposed || tile.ty.dtype.is_int();
        let whole = |t: TileType| t.valid(Dim::Fixed(t.rows), Dim::Fixed(t.cols));
        let mut ty = whole(tile.ty);
        let code = if self.rng.chance(50) { op::treshape } else { op::bitcast };
        // Floats are not read as integers.
        if tile.ty.dtype.is_int() {
            let bits = tile.ty.dtype.bits();
            let readings =
                [DType::I8, DType::U8, DType::I16, DType::F16, DType::Bf16, DType::I32, DType::U32, DType::F32];
            let fit: Vec<DType> = readings.into_iter().filter(|d| d.bits() == bits).collect();
            ty.dtype = *self.rng.choose(&fit).unwrap_or(&ty.dtype);
        }
        if code == op::treshape && !ty.is_boxed() {
            (ty.rows, ty.cols) = match self.rng.below(3) {
                0 => (ty.rows * 2, ty.cols / 2),
                1 => (ty.rows / 2, ty.cols * 2),
                _ => (1, ty.rows * ty.cols),
            };
            ty = whole(ty);
        }
        let used =
            Filling { op: code, types: vec![(0, Type::TileBuf(tile.ty)), (1, Type::TileBuf(ty))], attrs: vec![] };
        if !ty.broken_rules().is_empty() || ty.bytes() > tile.ty.bytes() || !used.is_legal(self.set.target) {
            return;
        }
        let value = self.emit(code, &[("src", tile.value)], ("result", Type::TileBuf(ty)));
        let whole = ty.bytes() == tile.ty.bytes();
        // Rows of one are not rows of the other.
        let blur =
            |r: &Root| if matches!(r.part, RootPart::Bytes(..)) { *r } else { Root { part: RootPart::Whole, ..*r } };
        let roots = tile.roots.iter().map(blur).collect();
        self.frame.tiles.push(TileVar {
            defined: true,
            solid: whole,
            exposed: exposed && ty.dtype.is_float(),
            ..TileVar::new(value, ty, roots, (0, 0))
        });
    }

    /// One of several equal buffers.
    fn multi_tile(&mut self) {
        let Some(dtype) = self.rng.choose(&self.favoured).copied() else { return };
        let ty = self.solid(dtype);
        if self.manual || !self.can_load(&ty) {
            return;
        }
        let count = 2 + self.rng.below(3) as u64;
        let all = self.emit(op::alloc_multi_tile, &[], ("result", Type::MultiTile(ty, count)));
        let roots = self.new_root();
        for _ in 0..2 {
            let slot = self.small_index(count);
            let value =
                self.emit(op::multi_tile_get, &[("source", all), ("slot", slot)], ("result", Type::TileBuf(ty)));
            let roots = roots.clone();
            let var = TileVar { defined: true, solid: true, ..TileVar::new(value, ty, roots, (0, 0)) };
            self.load(&var);
            self.frame.tiles.push(var);
        }
    }

    /// A tile at another address.
    fn rebind(&mut self) {
        let buffers: Vec<TileVar> =
            self.frame.tiles.iter().filter(|t| !t.is_value && t.single && t.ty.loc == Loc::Vec).cloned().collect();
        let Some(tile) = self.rng.choose(&buffers).cloned().filter(|_| self.manual) else { return };
        let Some(start) = self.address(&tile.ty) else { return };
        let number = self.builder.int(start as i64, &I64);
        let at = self.emit_with(op::arith_constant, &[], ("result", I64), vec![("value", number)]);
        let value =
            self.emit(op::tassign, &[("tile", tile.value), ("address", at)], ("result", Type::TileBuf(tile.ty)));
        let roots = self.addressed(start, &tile.ty);
        let var = TileVar { value, roots, single: false, ..tile };
        self.load(&var);
        self.frame.tiles.push(var);
    }

    /// A tile that becomes the first rows of another.
    fn rebind_window(&mut self) {
        let Some(tile) = self.whole_tile(false).filter(|t| t.roots.len() == 1) else { return };
        let rows = self.multiple(tile.ty.rows, tile.ty.box_shape().0);
        let ty = TileType { rows, valid_rows: Dim::Fixed(rows), valid_cols: Dim::Fixed(tile.ty.cols), ..tile.ty };
        if !ty.broken_rules().is_empty() {
            return;
        }
        let Some(window) = self.allocate(&ty, (0, 0)) else { return };
        let first = self.multiple_up_to(tile.ty.rows - rows, tile.ty.box_shape().0);
        let (row, col) = (self.offset(first), self.offset(0));
        let operands = [("src", tile.value), ("row_idx", row), ("col_idx", col), ("dst", window.value)];
        self.emit_plain(op::tsubview, &operands);
        let rect = [first, 0, rows, ty.cols];
        let roots = tile.roots.iter().map(|root| part_of(root, rect)).collect();
        self.frame.tiles.push(TileVar { roots, solid: false, single: false, exposed: tile.exposed, ..window });
    }

    /// One of two tiles, chosen by a condition.
    fn tile_select(&mut self) {
        let all: Vec<TileVar> = self.visible().cloned().collect();
        let Some(first) = self.rng.choose(&all).cloned() else { return };
        let alike: Vec<TileVar> =
            all.into_iter().filter(|t| t.full_type() == first.full_type() && t.valid() == first.valid()).collect();
        let Some(second) = self.rng.choose(&alike).cloned() else { return };
        let condition = self.condition();
        let operands = [("condition", condition), ("true_value", first.value), ("false_value", second.value)];
        let value = self.emit(op::arith_select, &operands, ("result", first.full_type()));
        let roots = [first.roots.clone(), second.roots].concat();
        let (defined, solid) = (first.defined && second.defined, first.solid && second.solid);
        let exposed = first.exposed || second.exposed;
        self.frame.tiles.push(TileVar { value, roots, defined, solid, exposed, single: false, ..first });
    }

    /// Makes the valid region of a tile smaller, works on what is left, and restores it.
    fn change_valid(&mut self) {
        let open = |t: &&TileVar| {
            t.single && !t.is_value && t.ty.valid_rows == Dim::Dynamic && t.ty.valid_cols == Dim::Dynamic
        };
        let tiles: Vec<TileVar> = self.frame.tiles.iter().filter(open).cloned().collect();
        let Some(tile) = self.rng.choose(&tiles).cloned() else { return };
        let (rows, cols) = tile.valid();
        let least = usize::from(self.rng.chance(90));
        let less =
            |rng: &mut crate::random::Random, n: u64| rng.below(n as usize + 1).max(least.min(n as usize)) as u64;
        let less = (less(&mut self.rng, rows), less(&mut self.rng, cols));
        self.set_valid(&tile, less);
        self.in_place(&tile);
        let smaller = TileVar { extents: less, ..tile.clone() };
        self.store(&smaller);
        let queries = [op::tile_valid_rows, op::tile_valid_cols];
        let query = queries[self.rng.below(2)];
        let value = self.emit(query, &[("src", tile.value)], ("result", super::INDEX));
        self.frame.scalars.push(value);
        let names = [self.name("v"), self.name("v")];
        let results = [(1, names[0].as_str(), super::INDEX), (2, names[1].as_str(), super::INDEX)];
        let both = self.builder.op(op::get_validshape, &[(0, tile.value)], &results, Default::default());
        self.frame.scalars.extend(both);
        self.set_valid(&tile, (rows, cols));
    }

    fn set_valid(&mut self, tile: &TileVar, (rows, cols): (u64, u64)) {
        let (rows, cols) = (self.offset(rows), self.offset(cols));
        self.emit_plain(op::set_validshape, &[("source", tile.value), ("valid_row", rows), ("valid_col", cols)]);
    }

    /// An instruction whose tiles are all the same.
    fn in_place(&mut self, tile: &TileVar) {
        let candidates: Vec<Op> = self.set.pool.clone();
        for _ in 0..8 {
            let Some(&op) = self.rng.choose(&candidates) else { return };
            let row = op.row();
            let simple = row.alias == pto::isa::row::Aliasing::InPlace
                && row.scratch.is_none()
                && row.slots.iter().all(|s| s.kind != SlotKind::Tile || s.dir != Dir::InOut);
            let types = row.slots.iter().enumerate().map(|(at, slot)| {
                let ty = if slot.kind == SlotKind::Tile { Type::TileBuf(tile.ty) } else { scalar_like(tile.ty.dtype) };
                (at as u8, ty)
            });
            let filling = Filling { op, types: types.collect(), attrs: Vec::new() };
            if !simple || !filling.is_legal_in(self.set.target, self.manual) || !(self.set.accepts)(&filling) {
                continue;
            }
            let operands: Vec<(u8, ValueId)> = filling
                .types
                .iter()
                .map(|(slot, ty)| (*slot, if ty.tile().is_some() { tile.value } else { self.operand_scalar(ty) }))
                .collect();
            self.builder.filling(&filling, &operands, &[]);
            return;
        }
    }
}

/// A rectangle of a root: first row and column, rows and columns.
fn part_of(root: &Root, [row, col, rows, cols]: [u64; 4]) -> Root {
    match root.part {
        RootPart::Whole => Root { part: RootPart::Rect([row, col, rows, cols]), ..*root },
        RootPart::Rect([r, c, ..]) => Root { part: RootPart::Rect([r + row, c + col, rows, cols]), ..*root },
        RootPart::Bytes(..) => *root,
    }
}

fn scalar_like(d: DType) -> Type {
    Type::Scalar(pto::isa::ScalarType::Elem(d))
}
