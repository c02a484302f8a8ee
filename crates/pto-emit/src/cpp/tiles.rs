//! Tiles: variables, addresses, windows.

use super::{EmitResult, Writer};
use pto_ir::{Def, OpId, ValueId};
use pto_isa::row::{Arith, EntryAction, Fifo, Meaning, Storage};
use pto_isa::text;
use pto_isa::{BLayout, Dim, TileType, Type};

impl Writer<'_> {
    /// A tile with its address, or several in a row, of which only the address is kept.
    pub(super) fn alloc(&mut self, id: OpId) -> EmitResult<()> {
        let value = self.result(id)?;
        let address = match self.module.operand(id, "addr") {
            Some(address) => self.text(address)?,
            None => match self.module.value_type(value) {
                // Its function places its tiles itself.
                Type::MultiTile(..) => "0".to_string(),
                // It gets its address later, or nothing touches it.
                Type::Tile(_) | Type::TileBuf(_) => return self.declare_tile(value, self.valid_operands(id)),
                _ => return Err(self.unsupported(text!("a buffer that is no tile"))),
            },
        };
        if matches!(self.module.value_type(value), Type::MultiTile(..)) {
            self.values.texts[value.index()] = Some(address);
            return Ok(());
        }
        self.place_tile(id, value, &address)
    }

    /// The variable of a tile, and where it lies.
    fn place_tile(&mut self, id: OpId, value: ValueId, address: &str) -> EmitResult<()> {
        let valid = self.valid_operands(id);
        self.fix_valid(value, valid);
        self.declare_tile(value, valid)?;
        let name = self.text(value)?;
        self.line(&format!("TASSIGN({name}, {address});"));
        Ok(())
    }

    fn valid_operands(&self, id: OpId) -> [Option<ValueId>; 2] {
        [self.module.operand(id, "valid_row"), self.module.operand(id, "valid_col")]
    }

    // ---- buffers of lowered programs ---------------------------------------------------------------------------

    /// A lowered buffer at an address.
    pub(super) fn buffer_at(&mut self, id: OpId) -> EmitResult<()> {
        let value = self.result(id)?;
        self.lowered_tile(id, value)?;
        let [address] = self.operands(id, "addrs")[..] else {
            return Err(self.unsupported(text!("a buffer with several addresses")));
        };
        let address = self.text(address)?;
        self.place_tile(id, value, &address)
    }

    /// A lowered buffer under another type: a view of global memory stays what it is, a tile gets a configuration.
    pub(super) fn rebound(&mut self, id: OpId) -> EmitResult<()> {
        let Some(source) = self.module.operands(id).first().map(|o| o.value) else {
            return Err(self.unsupported(text!("it without a source")));
        };
        let value = self.result(id)?;
        if let Some(view) = self.values.views.get(&source).cloned() {
            self.define_view(value, view);
            return Ok(());
        }
        let from = self.text(source)?;
        self.lowered_tile(id, value)?;
        self.place_tile(id, value, &format!("(uint64_t){from}.data()"))
    }

    /// A lowered buffer that gets its memory later.
    pub(super) fn open_buffer(&mut self, id: OpId) -> EmitResult<()> {
        let value = self.result(id)?;
        self.lowered_tile(id, value)?;
        self.declare_tile(value, [None, None])
    }

    /// Notes the tile that a lowered buffer is: its type, its configuration, and its valid region.
    fn lowered_tile(&mut self, id: OpId, value: ValueId) -> EmitResult<()> {
        if self.module.value_type(value).local_space().is_none() {
            return Err(self.unsupported(text!("a buffer that is no tile")));
        }
        let Some(tile) = self.module.buffer_tile(id, value) else {
            return Err(self.unsupported(text!("this configuration of a tile")));
        };
        self.values.tiles.insert(value, tile);
        Ok(())
    }

    /// An extent that the type leaves open is fixed in C++ when it is a constant and nothing changes it.
    fn fix_valid(&mut self, value: ValueId, valid: [Option<ValueId>; 2]) {
        let changes = |id: &OpId| {
            matches!(
                self.module.meaning(*id),
                Meaning::Control(_)
                    | Meaning::Storage(Storage::SetValid)
                    | Meaning::Fifo(Fifo::Entry(EntryAction::Pop, None))
                    | Meaning::Arith(Arith::Select)
            )
        };
        let Some(tile) = self.tile_of(value) else { return };
        if self.facts.uses[value.index()].iter().any(changes) {
            return;
        }
        let extent = |open: Dim, given: Option<ValueId>, most: u64| {
            let known = given.and_then(|v| self.input.info.constant(v)).and_then(|n| u64::try_from(n).ok());
            if open == Dim::Dynamic { known.filter(|n| *n <= most).map_or(open, Dim::Fixed) } else { open }
        };
        let valid_rows = extent(tile.valid_rows, valid[0], tile.rows);
        let valid_cols = extent(tile.valid_cols, valid[1], tile.cols);
        self.values.tiles.insert(value, TileType { valid_rows, valid_cols, ..tile });
    }

    /// The variable of a tile; open extents go to its constructor.
    pub(super) fn declare_tile(&mut self, value: ValueId, valid: [Option<ValueId>; 2]) -> EmitResult<()> {
        let texts = valid.map(|v| v.map(|v| self.text(v)));
        let [rows, cols] = texts.map(Option::transpose);
        self.declare_tile_with(value, [rows?, cols?])
    }

    pub(super) fn declare_tile_with(&mut self, value: ValueId, valid: [Option<String>; 2]) -> EmitResult<()> {
        let Some(tile) = self.tile_of(value) else { return Err(self.unsupported("a tile of this type")) };
        let ty = self.tile_type(&tile);
        let mut open = Vec::new();
        for (extent, text) in [tile.valid_rows, tile.valid_cols].into_iter().zip(valid) {
            match (extent, text) {
                (Dim::Fixed(_), _) => {}
                (Dim::Dynamic, Some(text)) => open.push(text),
                (Dim::Dynamic, None) => return Err(self.unsupported("a valid region that nothing gives")),
            }
        }
        if open.is_empty() {
            self.declare(value, &ty, "", false);
            return Ok(());
        }
        let arguments = open.join(", ");
        if self.flow.hoisted.is_some() {
            self.declare(value, &ty, &format!("{ty}({arguments})"), false);
            return Ok(());
        }
        let name = self.values.names.fresh(self.module.value_name(value));
        self.line(&format!("{ty} {name}({arguments});"));
        self.values.texts[value.index()] = Some(name);
        Ok(())
    }

    /// The variable of a tile that a statement places; an open valid region is that of the tile it is made from.
    pub(super) fn declare_tile_like(&mut self, value: ValueId) -> EmitResult<()> {
        let source = self.module.operands(self.at).iter().map(|o| o.value).find(|v| self.module.tile(*v).is_some());
        let source = source.map(|v| self.text(v)).transpose()?;
        let query = |part: &str| source.as_ref().map(|s| format!("{s}.GetValid{part}()"));
        self.declare_tile_with(value, [query("Row"), query("Col")])
    }

    /// One of the tiles of a multi-buffered one.
    pub(super) fn pick(&mut self, id: OpId) -> EmitResult<()> {
        let (Some(source), Some(slot)) = (self.module.operand(id, "source"), self.module.operand(id, "slot")) else {
            return Err(self.unsupported(text!("it without its operands")));
        };
        let Type::MultiTile(tile, _) = *self.module.value_type(source) else {
            return Err(self.unsupported(text!("this source")));
        };
        let align = self.input.target.profile().space(tile.loc).map_or(1, |s| s.align.max(1));
        let bytes = tile.bytes().next_multiple_of(align);
        let base = self.text(source)?;
        let index = self.text(slot)?;
        let address = match (base.parse::<u64>(), index.parse::<u64>()) {
            (Ok(base), Ok(index)) => (base + index * bytes).to_string(),
            (Ok(0), _) => format!("{index} * {bytes}"),
            _ => format!("{base} + {index} * {bytes}"),
        };
        let value = self.result(id)?;
        let valid = match self.module.value(source).def {
            Def::Result(alloc, _) => [self.module.operand(alloc, "valid_row"), self.module.operand(alloc, "valid_col")],
            Def::Arg(..) | Def::Missing => [None, None],
        };
        self.declare_tile(value, valid)?;
        let name = self.text(value)?;
        self.line(&format!("TASSIGN({name}, {address});"));
        Ok(())
    }

    /// A tile gets another address. The result is the same variable, unless the tile is also used where it was.
    pub(super) fn assign(&mut self, id: OpId) -> EmitResult<()> {
        let Some(tile) = self.module.operand(id, "tile") else {
            return Err(self.unsupported(text!("it without a tile")));
        };
        let name = self.text(tile)?;
        let address = match (self.module.operand(id, "address"), self.module.given_int(id, "addr")) {
            (Some(value), _) => self.text(value)?,
            (None, Some(n)) => n.to_string(),
            _ => return Err(self.unsupported(text!("it without an address"))),
        };
        for result in self.module.results(id) {
            self.values.texts[result.index()] = Some(name.clone());
            if let Some(tile) = self.tile_of(tile) {
                self.values.tiles.insert(result, tile);
            }
        }
        let name = match self.module.results(id).next().filter(|_| self.facts.kept.contains(&id)) {
            Some(result) => {
                self.declare_tile_like(result)?;
                self.text(result)?
            }
            None => name,
        };
        self.line(&format!("TASSIGN({name}, {address});"));
        Ok(())
    }

    /// A window of a tile: the tile's own shape and strides, another start, and a smaller valid region.
    pub(super) fn window(&mut self, id: OpId) -> EmitResult<()> {
        let Some(source) = self.module.operand(id, "source") else {
            return Err(self.unsupported(text!("it without a source")));
        };
        let value = self.result(id)?;
        let (Some(whole), Some(&part)) = (self.tile_of(source), self.module.tile(value)) else {
            return Err(self.unsupported(text!("a window of this type")));
        };
        let valid = [self.module.operand(id, "valid_row"), self.module.operand(id, "valid_col")];
        self.values.tiles.insert(value, TileType { valid_rows: part.valid_rows, valid_cols: part.valid_cols, ..whole });
        let offset = self.window_offset(id, &whole)?;
        self.declare_tile(value, valid)?;
        let (name, from) = (self.text(value)?, self.text(source)?);
        let start = if offset == "0" { format!("{from}.data()") } else { format!("({from}.data() + {offset})") };
        self.line(&format!("TASSIGN({name}, (uint64_t){start});"));
        Ok(())
    }

    /// Elements from the start of a tile to the start of a window. With boxes, windows start at boxes.
    fn window_offset(&self, id: OpId, whole: &TileType) -> EmitResult<String> {
        let [row, col] = self.operands(id, "offsets")[..] else { return Err(self.unsupported(text!("these offsets"))) };
        if let (Some(r), Some(c)) = (self.input.info.constant(row), self.input.info.constant(col)) {
            return Ok(whole.offset(r.max(0) as u64, c.max(0) as u64).to_string());
        }
        let (row, col) = (self.text(row)?, self.text(col)?);
        let (box_rows, box_cols) = whole.box_shape();
        Ok(match (whole.is_boxed(), whole.blayout) {
            (false, BLayout::RowMajor) => format!("{row} * {} + {col}", whole.cols),
            (false, BLayout::ColMajor) => format!("{col} * {} + {row}", whole.rows),
            (true, BLayout::RowMajor) => format!("{row} * {} + {col} * {box_rows}", whole.cols),
            (true, BLayout::ColMajor) => format!("{col} * {} + {row} * {box_cols}", whole.rows),
        })
    }
}
