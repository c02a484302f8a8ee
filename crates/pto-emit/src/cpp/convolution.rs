//! Convolutions.
//!
//! In C++ a feature map is a tile of its own kind that carries all about the convolution; in a program its extents and margins are state that
//! `setfmatrix` and `set_img2col_padding` set, and the filter is stated by `timg2col`. So each of them makes such a tile over the same memory. `timg2col` fills
//! the registers itself from its tile, which needs nothing that the program does not say.

use super::types::scalar_type;
use super::{EmitResult, Own, Writer};
use crate::place;
use pto_ir::{Attr, OpId};
use pto_isa::table::op;
use pto_isa::text;
use pto_isa::{BLOCK_BYTES, Op, ScalarType, Target, TileType};

/// The extents of a feature map.
#[derive(Clone, Copy)]
struct FeatureMap {
    images: u64,
    groups: u64,
    rows: u64,
    cols: u64,
    per_group: u64,
}

/// Fields of the tile that `setfmatrix` states: its attributes with their setters.
const MAP: [(&str, &str); 6] = [
    ("fmapH", "SetFmapH("),
    ("fmapW", "SetFmapW("),
    ("padLeft", "SetPadList(0, "),
    ("padRight", "SetPadList(1, "),
    ("padTop", "SetPadList(2, "),
    ("padBottom", "SetPadList(3, "),
];

/// Fields that `timg2col` states.
const FILTER: [(&str, &str); 6] = [
    ("filterH", "SetFilterH("),
    ("filterW", "SetFilterW("),
    ("strideH", "SetStrideH("),
    ("strideW", "SetStrideW("),
    ("dilationH", "SetDilationH("),
    ("dilationW", "SetDilationW("),
];

/// What writes the operations of a convolution.
pub(super) fn own<'a>(code: Op) -> Option<Own<'a>> {
    match code {
        op::setfmatrix | op::set_img2col_rpt | op::set_img2col_padding => Some(Writer::convolution_register),
        op::timg2col => Some(Writer::image_to_columns),
        _ => None,
    }
}

impl Writer<'_> {
    /// A register that is filled from a feature map.
    pub(super) fn convolution_register(&mut self, id: OpId) -> EmitResult<()> {
        let code = self.module.op(id).op;
        let described = if code == op::setfmatrix { id } else { self.described(id)? };
        let map = self.open_map(id, described, None)?;
        match code {
            op::setfmatrix => self.fields(&map, id, &MAP),
            op::set_img2col_padding => self.pad_value(&map, id)?,
            _ => {}
        }
        let mode = match self.module.attr(id, "mode") {
            Some(Attr::Str(s)) => self.module.names.text(*s).to_string(),
            _ => "FMATRIX_A_MANUAL".to_string(),
        };
        let call = code.row().cpp.name;
        self.line(&format!("{call}<decltype({map}), SetFmatrixMode::{mode}>({map});"));
        self.output.text.close("}");
        Ok(())
    }

    /// A window of the matrix of a convolution.
    pub(super) fn image_to_columns(&mut self, id: OpId) -> EmitResult<()> {
        let described = self.described(id)?;
        let channels = self.module.given_int(id, "channels").and_then(|n| u64::try_from(n).ok());
        let Some(dst) = self.module.operand(id, "dst") else {
            return Err(self.unsupported(text!("it without a destination")));
        };
        let (name, ty) = (self.text(dst)?, self.type_of(dst)?);
        let at = |w: &Self, slot: &str| w.module.operand(id, slot).map_or(Ok("0".to_string()), |v| w.text(v));
        let (m, k) = (at(self, "pos_m")?, at(self, "pos_k")?);
        let padding = self.governing(id, op::set_img2col_padding)?;
        let map = self.open_map(id, described, channels)?;
        self.fields(&map, described, &MAP);
        self.fields(&map, id, &FILTER);
        if let Some(tile) = self.tile_of(dst).filter(|_| self.input.target == Target::A5) {
            self.line(&format!("{map}.SetDstStride({});", tile.rows.div_ceil(16)));
        }
        self.line(&format!("{map}.SetChannelSize({map}.GetShape(1) * {map}.GetShape(4));"));
        if let Some(padding) = padding {
            self.pad_value(&map, padding)?;
        }
        let call = self.module.op(id).op.row().cpp.name;
        self.line(&format!("{call}<{ty}, decltype({map}), SetFmatrixMode::FMATRIX_A_AUTO>({name}, {map}, {m}, {k});"));
        self.output.text.close("}");
        Ok(())
    }

    /// Opens a block with the feature map over the memory of the source.
    fn open_map(&mut self, id: OpId, described: OpId, channels: Option<u64>) -> EmitResult<String> {
        let source = self.module.operand(id, "src");
        let Some((source, tile)) = source.and_then(|v| Some((v, self.tile_of(v)?))) else {
            return Err(self.unsupported(text!("a configuration value, where C++ takes the feature map")));
        };
        let FeatureMap { images, groups, rows, cols, per_group } = self.extents_of(described, &tile, channels)?;
        let (from, elem) = (self.text(source)?, scalar_type(ScalarType::Elem(tile.dtype)));
        let map = self.values.names.fresh("map");
        self.open("{");
        self.line(&format!("ConvTile<TileType::Mat, {elem}, {cols2}, Layout::NC1HWC0, ConvTileShape<{images}, {groups}, {rows}, {cols}, {per_group}>> {map};", cols2 = tile.rows * tile.cols));
        self.line(&format!("TASSIGN({map}, (uint64_t){from}.data());"));
        Ok(map)
    }

    /// A row of the tile is a point of the map with 32 bytes of channels.
    fn extents_of(&self, described: OpId, tile: &TileType, channels: Option<u64>) -> EmitResult<FeatureMap> {
        let number = |name: &str| self.module.given_int(described, name).unwrap_or(0).max(0) as u64;
        let (rows, cols) = (number("fmapH"), number("fmapW"));
        let per_group = BLOCK_BYTES * 8 / u64::from(tile.dtype.bits());
        let planes = tile.rows.checked_div(rows * cols).unwrap_or(0);
        let groups = channels.map_or(planes, |c| c.div_ceil(per_group));
        if groups == 0 || planes % groups != 0 {
            return Err(
                self.unsupported(text!("a feature map without `fmapH` and `fmapW`, or that is no part of its tile"))
            );
        }
        Ok(FeatureMap { images: planes / groups, groups, rows, cols, per_group })
    }

    fn fields(&mut self, map: &str, id: OpId, fields: &[(&str, &str)]) {
        for (name, setter) in fields {
            let spec = self.module.op(id).op.row().attr(name);
            let usual = spec.and_then(|s| s.default.parse().ok()).unwrap_or(0);
            let number = self.module.given_int(id, name).unwrap_or(usual);
            // The tile is made with what is usual.
            if number != usual {
                self.line(&format!("{map}.{setter}{number});"));
            }
        }
    }

    /// The pad value is given by its bits.
    fn pad_value(&mut self, map: &str, id: OpId) -> EmitResult<()> {
        let bits = self.module.given_int(id, "padValue").unwrap_or(0);
        if bits == 0 {
            return Ok(());
        }
        let source = self.module.operand(id, "src").and_then(|v| self.tile_of(v));
        let Some(width) = source.map(|t| t.dtype.bits()) else {
            return Err(self.unsupported(text!("a configuration value, where C++ takes the feature map")));
        };
        let ty = format!("decltype({map}.GetPadValue())");
        self.line(&format!("{map}.SetPadValue(__builtin_bit_cast({ty}, static_cast<uint{width}_t>({bits})));"));
        Ok(())
    }

    /// The `setfmatrix` that describes the feature map of an operation.
    fn described(&self, id: OpId) -> EmitResult<OpId> {
        self.governing(id, op::setfmatrix)?
            .ok_or_else(|| self.unsupported(text!("a feature map that no `setfmatrix` of the function describes")))
    }

    /// The operation of this kind in force at another: if those of the function agree, any of them; else the last before it in its block.
    fn governing(&self, id: OpId, code: Op) -> EmitResult<Option<OpId>> {
        let function = place::function_of(self.module, id);
        let right = |o: OpId| matches!(self.module.attr(o, "mode"), Some(Attr::Str(s)) if self.module.names.text(*s).contains("_B_"));
        let inside = function.map_or_else(Vec::new, |f| place::inside(self.module, f));
        let all: Vec<OpId> = inside.into_iter().filter(|o| self.module.op(*o).op == code && !right(*o)).collect();
        let Some((first, rest)) = all.split_first() else { return Ok(None) };
        if rest.iter().all(|o| self.module.attrs(*o) == self.module.attrs(*first)) {
            return Ok(Some(*first));
        }
        let block = self.module.all_blocks().into_iter().find(|b| self.module.block(*b).ops.contains(&id));
        let ops = block.map_or(&[][..], |b| &self.module.block(b).ops);
        let before = ops.iter().take_while(|o| **o != id);
        let last = before.copied().filter(|o| all.contains(o)).last();
        last.map(Some)
            .ok_or_else(|| self.unsupported(text!("a feature map that several operations describe differently")))
    }
}
