//! What a program prints: tiles, windows of memory, and numbers.

use super::core::Core;
use super::data::read_bytes;
use super::fail::Fail;
use super::number_rows::NumberRows;
use super::observe::{Action, Watched};
use super::printf;
use crate::memory::split_address;
use crate::prepared::{NumberStyle, Print, PrintId, StepId, TileId, TileState, ViewId, ViewState};
use crate::printed::Printed;
use pto_isa::{DType, Loc, TileType, dot};
use std::fmt::Write;

impl Core<'_> {
    #[inline(never)]
    pub fn print<W: Watched + ?Sized>(&mut self, which: PrintId, at: StepId, watch: &mut W) -> Result<(), Fail> {
        let plan = self.plan;
        if self.mode::<W>().measures {
            if let Print::View { view, .. } = plan.calls.prints[which] {
                watch.read(split_address(self.regs.views[view].address).0);
            }
            return Ok(());
        }
        self.progress.deeds.instructions += 1;
        if self.mode::<W>().observes {
            self.say(at, None, Action::Other, &[], watch);
        }
        if !self.mode::<W>().computes {
            return Ok(());
        }
        let (title, text) = match &plan.calls.prints[which] {
            Print::Tile { tile, name, style } => self.tile_text(*tile, name, *style),
            Print::View { view, dtype, name, style } => self.view_text(*view, *dtype, name, *style)?,
            Print::Scalar { value, kind, format } => (String::new(), printf::format(format, *kind, self.reg(*value))),
        };
        let op = plan.module().op(plan.code.origins[at]);
        let source = plan.module().source.as_ref();
        let printed = Printed {
            core: self.id(),
            among: self.who.among,
            span: op.name_span,
            location: source.and_then(|source| source.location(op.name_span)),
            iterations: self.loop_iterations(at).numbers(),
            title,
            text,
        };
        self.outside.printed.push(printed);
        Ok(())
    }

    /// The valid region of a tile, row by row, whatever its layout is.
    fn tile_text(&mut self, tile: TileId, name: &str, style: NumberStyle) -> (String, String) {
        let tile = self.regs.tiles[tile];
        let ty = self.plan.tiles.geometries[tile.geometry];
        let mut title = format!("{}{} {} {}x{}", named(name), ty.loc, ty.dtype, ty.rows, ty.cols);
        if (u64::from(tile.rows), u64::from(tile.cols)) != (ty.rows, ty.cols) {
            let _ = write!(title, ", valid {}x{}", tile.rows, tile.cols);
        }
        // A column of packed numbers is one of them, or both.
        let per_column = if ty.column_bits() < 8 { 1 } else { 2 };
        let mut rows = NumberRows::new(style);
        for r in 0..u64::from(tile.rows) {
            for c in 0..u64::from(tile.cols) {
                rows.push(ty.dtype, self.tile_bits(&tile, &ty, r, c), per_column);
            }
            rows.end_row();
        }
        (title, rows.text())
    }

    fn tile_bits(&mut self, tile: &TileState, ty: &TileType, r: u64, c: u64) -> u64 {
        let (first, bytes, shift) = tile.element_bytes(ty, r, c);
        let raw = read_bytes(self.local.memory.part(first, bytes));
        if ty.column_bits() < 8 { raw >> shift & 15 } else { raw }
    }

    /// The matrix in a window of memory.
    fn view_text(
        &mut self,
        view: ViewId,
        dtype: DType,
        name: &str,
        style: NumberStyle,
    ) -> Result<(String, String), Fail> {
        let view: ViewState = self.regs.views[view];
        let (rows, cols) = view.matrix_size();
        let memory = view.space.map_or("gm", Loc::name);
        let title = format!("{}{memory} {dtype} {rows}x{cols}", named(name));
        let bits = u64::from(dtype.column_bits());
        let mut text = NumberRows::new(style);
        for r in 0..rows {
            for c in 0..cols {
                let place = dot(view.layout.index(r, c, view.shape), view.strides.map(|s| s as u64)) * bits;
                let raw = self.view_bits(&view, place / 8, (bits / 8).max(1) as usize)?;
                text.push(dtype, raw >> (place % 8), 2);
            }
            text.end_row();
        }
        Ok((title, text.text()))
    }

    /// Bytes of a window.
    fn view_bits(&mut self, view: &ViewState, offset: u64, bytes: usize) -> Result<u64, Fail> {
        if let Some(space) = view.space {
            let start = self.space_bytes(space, (view.address as i64).saturating_add_unsigned(offset), bytes)?;
            return Ok(read_bytes(self.local.memory.part(start, bytes as u64)));
        }
        let (buffer, first) = split_address(view.address);
        self.read_global(buffer, first.saturating_add_unsigned(offset), bytes)
    }

    /// What the core printed, for the report.
    pub fn take_printed(&mut self) -> Vec<Printed> {
        std::mem::take(&mut self.outside.printed)
    }
}

/// The name of a value before what it is; results of expressions have none.
fn named(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!("%{name}  ") }
}
