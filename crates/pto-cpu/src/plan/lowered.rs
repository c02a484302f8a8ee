//! Buffers of lowered programs. They are tiles here; these are the operations that treat them as buffers.

use super::build::{PlanBuilder, PlanResult};
use crate::prepared::*;
use pto_ir::OpId;
use pto_isa::Order;
use pto_isa::text;

impl PlanBuilder<'_> {
    /// `bind_tile`: the same bytes with a layout and a valid region.
    pub fn rebind(&mut self, id: OpId) -> PlanResult<()> {
        let Some(source) = self.module.operand(id, "source") else {
            return Err(self.unsupported(text!("it without a source")));
        };
        if let ValueStorage::View(view) = self.slot(source) {
            let value = self.result(id)?;
            self.keep_in(value, ValueStorage::View(view));
            return Ok(());
        }
        let to = self.retyped(id, source)?;
        match (self.module.operand(id, "valid_row"), self.module.operand(id, "valid_col")) {
            (Some(rows), Some(cols)) => {
                let (rows, cols) = (self.scalar(rows)?, self.scalar(cols)?);
                self.push(Step::SetValid { tile: to, rows, cols }).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// `memref.subview` of a buffer of the core: a window of a tile.
    pub fn buffer_window(&mut self, id: OpId) -> PlanResult<()> {
        let from = self.operand_tile(id, "source")?;
        let (offsets, steps) =
            (self.mixed(id, "offsets", "static_offsets")?, self.mixed(id, "strides", "static_strides")?);
        let [row, col] = offsets[..] else { return Err(self.unsupported(text!("this number of offsets"))) };
        if steps.iter().any(|s| self.plan.start.scalars[*s] != 1) {
            return Err(self.unsupported(text!("a window of a tile that leaves rows or columns out")));
        }
        let value = self.result(id)?;
        let Some(ty) = self.module.tile(value).copied() else { return Err(self.unsupported(text!("this result"))) };
        let ValueStorage::Tile(to) = self.define_handle(value)? else {
            return Err(self.unsupported(text!("this result")));
        };
        let size = (ty.rows as u32, ty.cols as u32);
        let valid = WindowValid::Given(ExtentValue::Fixed(size.0), ExtentValue::Fixed(size.1));
        self.push_window(TileWindow { from, to, row, col, size, valid })
    }

    /// `memref.load`, `memref.store`: one element of a tile whose rows lie one after another, or of a window of one.
    pub fn buffer_element(&mut self, id: OpId, tile: TileId) -> PlanResult<()> {
        let Some(ty) = self.module.operand(id, "memref").and_then(|v| self.module.tile(v)).copied() else {
            return Err(self.unsupported(text!("this buffer")));
        };
        let indices = self.operands(id, "indices");
        let [row, col] = indices[..] else { return Err(self.unsupported(text!("this number of indices"))) };
        if ty.is_boxed() || ty.order() != Order::Nd {
            let why = if ty.is_boxed() { text!("has boxes") } else { text!("is bound column by column") };
            return Err(self.unsupported(&text!("elements of a buffer that {why}", why)));
        }
        let (row, col) = (self.scalar(row)?, self.scalar(col)?);
        // Only when the program runs it is known how far apart the rows of a window are.
        let element = self.handle();
        let valid = WindowValid::Given(ExtentValue::Fixed(1), ExtentValue::Fixed(1));
        self.push_window(TileWindow { from: tile, to: element, row, col, size: (1, 1), valid })?;
        self.is_inside(row, col, [ty.rows, ty.cols])?;
        let (tile, offset) = (element, self.constant(0));
        match self.module.operand(id, "value") {
            Some(value) => {
                let value = self.scalar(value)?;
                self.push(Step::TileSet { tile, offset, value }).map(drop)
            }
            None => {
                let out = self.result_reg(id)?;
                self.push(Step::TileGet { tile, offset, out }).map(drop)
            }
        }
    }

    /// Checks the place of an element against the extents of a window: the tile around it has others.
    fn is_inside(&mut self, row: Reg, col: Reg, extents: [u64; 2]) -> PlanResult<()> {
        let (from, to, one) = (self.fixed_view(extents), self.new_view(), self.constant(1));
        let (offsets, sizes) = (vec![row, col], vec![one, one]);
        let partition =
            Partition { from, to, offsets, sizes, steps: Vec::new(), bits: 8, reinterpret: false, layout: None };
        self.push_partition(partition)
    }

    /// A view that only says how large something is.
    pub fn fixed_view(&mut self, shape: [u64; 2]) -> ViewId {
        let view = self.new_view();
        self.plan.start.views[view].shape[3..].copy_from_slice(&shape);
        view
    }
}
