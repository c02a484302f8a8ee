//! Buffers of lowered programs as tiles.
//!
//! A lowered program keeps its tiles in plain buffers (`memref`) of a memory of the core. The type of a buffer and the operation that
//! creates it determine the tile; casts, windows, branches and loops pass it on.

use crate::{Attr, Def, Module, OpId, ValueId};
use pto_isa::row::{Meaning, Movement, SlotKind, Storage};
use pto_isa::text;
use pto_isa::{Diagnostic, Dim, Error, Family, FnType, PtrSpace, TileType, Type, codes};

impl Module {
    /// The tile that an operation makes of a lowered buffer: that of the type, with the configuration and valid region of the
    /// operation. `None` if the buffer is not a tile, or its configuration cannot be read.
    pub fn buffer_tile(&self, id: OpId, value: ValueId) -> Option<TileType> {
        let tile = self.configured_tile(id, value)?;
        if matches!(self.value_type(value), Type::Memref(m) if !m.has_strides_of(&tile)) {
            return None;
        }
        let row = self.op(id).op.row();
        let open = row.slot("valid_row").is_some_and(|slot| self.in_slot(id, slot).next().is_some());
        Some(if open { tile.valid(Dim::Dynamic, Dim::Dynamic) } else { tile })
    }

    /// The tile by extents and configuration, regardless of the strides of the type.
    pub fn configured_tile(&self, id: OpId, value: ValueId) -> Option<TileType> {
        let plain = match self.value_type(value) {
            Type::Memref(m) => m.whole_tile()?,
            ty => ty.local_tile()?,
        };
        match self.attr(id, "config") {
            None => Some(plain),
            Some(Attr::Raw(text)) => plain.configured(self.names.text(*text)),
            Some(_) => None,
        }
    }

    /// The program with tiles in place of the buffers that instructions use as tiles. `None` if it has none.
    ///
    /// Only types change: operations that create and cast buffers now do so with tiles.
    ///
    /// ```
    /// assert!(matches!(pto_ir::Module::default().with_tiles(), Ok(None)), "nothing is a buffer");
    /// ```
    ///
    /// # Errors
    /// A buffer that may be one of several different tiles, or that is used in a way that a tile does not support.
    pub fn with_tiles(&self) -> Result<Option<Self>, Error> {
        if !self.types().iter().any(is_local) {
            return Ok(None);
        }
        let mut ways = self.ways();
        ways.retain(|(from, to)| self.is_local_buffer(*from) && self.is_local_buffer(*to));
        let taken = self.taken_as_tiles(&ways);
        let mut tiles: Vec<Option<TileType>> = vec![None; self.value_count()];
        for value in (0..self.value_count()).map(ValueId::from_index).filter(|v| taken[v.index()]) {
            tiles[value.index()] = match self.value(value).def {
                Def::Result(id, _) => makes_buffers(self.op(id).op).then(|| self.buffer_tile(id, value)).flatten(),
                _ => None,
            };
        }
        spread(&ways, |from, to| {
            let found = tiles[to.index()].is_none().then(|| self.handed_on(tiles[from.index()]?, to)).flatten();
            tiles[to.index()] = tiles[to.index()].or(found);
            found.is_some()
        });
        if !taken.contains(&true) {
            return Ok(None);
        }
        self.are_one_tile(&ways, &tiles).map_err(|problem| self.error(problem))?;
        self.have_two_dimensions(&taken).map_err(|problem| self.error(problem))?;
        let mut out = self.clone();
        for value in (0..self.value_count()).map(ValueId::from_index).filter(|v| taken[v.index()]) {
            // The type determines the rest: parameters, for example.
            if let Some(tile) = tiles[value.index()].or_else(|| self.value_type(value).local_tile()) {
                out.value_mut(value).ty = out.intern_type(Type::TileBuf(tile));
            }
        }
        for function in self.functions() {
            out.retype_function(function);
        }
        Ok(Some(out))
    }

    /// Buffers that meet in one value are the same tile.
    fn are_one_tile(&self, ways: &[(ValueId, ValueId)], tiles: &[Option<TileType>]) -> Result<(), Box<Diagnostic>> {
        for (from, to) in ways {
            let (Some(from), Some(have)) = (tiles[from.index()], tiles[to.index()]) else { continue };
            if let Some(other) = self.handed_on(from, *to).filter(|other| !other.same_object(&have)) {
                let message =
                    text!("a buffer that may be {have} or {other}: the engine needs to know which", have, other);
                let problem = Diagnostic::new(codes::RUN_UNSUPPORTED, self.value(*to).span, message);
                return Err(Box::new(problem.legal(text!("buffers of one configuration"))));
            }
        }
        Ok(())
    }

    /// A tile has rows and columns only: further extents of a buffer would be lost.
    fn have_two_dimensions(&self, taken: &[bool]) -> Result<(), Box<Diagnostic>> {
        let rank = |value: ValueId| match self.value_type(value) {
            Type::Memref(m) => m.view.dims.len(),
            _ => 2,
        };
        let asks = |id: &OpId| {
            matches!(
                self.meaning(*id),
                Meaning::Storage(Storage::BufferExtent)
                    | Meaning::Movement(Movement::LoadElement | Movement::StoreElement)
            )
        };
        for id in self.order().into_iter().filter(asks) {
            let mut buffers = self.operands(id).iter().map(|o| o.value).filter(|v| taken[v.index()]);
            if let Some(value) = buffers.find(|v| rank(*v) != 2) {
                let (name, rank) = (self.op(id).op.row().full_name(), rank(value));
                let message =
                    text!("`{name}`: the engine does not run it on a tile that has {rank} dimensions", name, rank);
                let problem = Diagnostic::new(codes::RUN_UNSUPPORTED, self.op(id).name_span, message);
                return Err(Box::new(problem.legal(text!("a buffer of two dimensions, rows and columns"))));
            }
        }
        Ok(())
    }

    /// Updates the type of a function with the tiles of its parameters and results.
    fn retype_function(&mut self, function: OpId) {
        let Some(&body) = self.op_regions(function).first() else { return };
        let (name, Some(Attr::Type(old))) = (self.names.intern("function_type"), self.attr(function, "function_type"))
        else {
            return;
        };
        let Type::Function(old) = self.ty(*old) else { return };
        let types = |values: Vec<ValueId>| values.into_iter().map(|v| self.value_type(v).clone()).collect::<Box<[_]>>();
        let inputs = types(self.starts(body, 0));
        let results = self.ends(body).into_iter().next().map_or_else(|| old.results.clone(), types);
        if inputs.len() == old.inputs.len() && results.len() == old.results.len() {
            let ty = self.intern_type(Type::Function(Box::new(FnType { inputs, results })));
            self.set_attr(function, name, Attr::Type(ty));
        }
    }

    /// The tile under an alias: a window has its own extents.
    fn handed_on(&self, tile: TileType, to: ValueId) -> Option<TileType> {
        let Def::Result(id, _) = self.value(to).def else { return Some(tile) };
        if self.storage(id) != Some(Storage::BufferWindow) {
            return Some(tile);
        }
        let Some(Attr::Array(sizes)) = self.attr(id, "static_sizes") else { return None };
        let sizes: Vec<u64> = sizes.iter().map(|n| u64::try_from(n.int()?).ok()).collect::<Option<_>>()?;
        let [rows, cols] = sizes[..] else { return None };
        Some(TileType { rows, cols, valid_rows: Dim::Fixed(rows), valid_cols: Dim::Fixed(cols), ..tile })
    }

    /// Which buffers are, under any name, operands that an instruction uses as tiles.
    fn taken_as_tiles(&self, ways: &[(ValueId, ValueId)]) -> Vec<bool> {
        let mut taken = vec![false; self.value_count()];
        for id in self.order() {
            let row = self.op(id).op.row();
            if matches!(row.family, Family::Control | Family::Arith) {
                continue;
            }
            if makes_buffers(self.op(id).op) {
                let all = self.operands(id).iter().map(|o| o.value).chain(self.results(id));
                all.filter(|v| self.is_local_buffer(*v)).for_each(|v| taken[v.index()] = true);
            }
            for operand in self.operands(id).iter().filter(|o| self.is_local_buffer(o.value)) {
                let kind = row.slots.get(usize::from(operand.slot)).map(|s| s.kind);
                taken[operand.value.index()] |=
                    matches!(kind, Some(SlotKind::Tile | SlotKind::TileOrView | SlotKind::TileOrScalar));
            }
        }
        spread(ways, |from, to| {
            let (a, b) = (taken[from.index()], taken[to.index()]);
            taken[from.index()] = a || b;
            taken[to.index()] = a || b;
            a != b
        });
        taken
    }

    pub(crate) fn is_local_buffer(&self, value: ValueId) -> bool {
        is_local(self.value_type(value))
    }
}

/// A buffer in a memory of the core.
fn is_local(ty: &Type) -> bool {
    matches!(ty, Type::Memref(m) if matches!(m.space(), Some(PtrSpace::On(_))))
}

/// Operations whose result determines its own tile.
fn makes_buffers(code: pto_isa::Op) -> bool {
    code.storage().is_some_and(Storage::makes_buffer)
}

/// Propagates along all pairs until nothing changes.
fn spread(ways: &[(ValueId, ValueId)], mut step: impl FnMut(ValueId, ValueId) -> bool) {
    while ways.iter().fold(false, |changed, (from, to)| step(*from, *to) || changed) {}
}
