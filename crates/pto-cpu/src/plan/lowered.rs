//! Buffers of lowered programs. They are tiles here; what is left are the operations that look at them as buffers.

use super::build::{Builder, Built};
use super::*;
use pto_isa::Order as ElementOrder;

const INDEX: Int = Int { bits: 64, unsigned: false };

impl Builder<'_> {
    /// `bind_tile`: the same bytes with a layout and a valid region.
    pub fn rebind(&mut self, id: OpId) -> Built<()> {
        let Some(source) = self.operand(id, "source") else { return Err(self.unsupported("it without a source")) };
        if let Slot::View(view) = self.slot(source) {
            let value = self.result(id)?;
            self.slots[value.index()] = Slot::View(view);
            return Ok(());
        }
        let to = self.retyped(id, source)?;
        match (self.operand(id, "valid_row"), self.operand(id, "valid_col")) {
            (Some(rows), Some(cols)) => {
                let (rows, cols) = (self.scalar(rows)?, self.scalar(cols)?);
                self.push(Step::SetValid { tile: to, rows, cols }).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// `memref.subview` of a buffer of the core: a window of a tile.
    pub fn buffer_window(&mut self, id: OpId) -> Built<()> {
        let from = self.operand_tile(id, "source")?;
        let (offsets, steps) =
            (self.mixed(id, "offsets", "static_offsets")?, self.mixed(id, "strides", "static_strides")?);
        let [row, col] = offsets[..] else { return Err(self.unsupported("this number of offsets")) };
        if steps.iter().any(|s| self.plan.regs[*s as usize] != 1) {
            return Err(self.unsupported("a window of a tile that leaves rows or columns out"));
        }
        let value = self.result(id)?;
        let Some(ty) = self.module.tile(value).copied() else { return Err(self.unsupported("this result")) };
        let Slot::Tile(to) = self.define_handle(value)? else { return Err(self.unsupported("this result")) };
        let size = (ty.rows as u32, ty.cols as u32);
        let valid = WindowValid::Given(Extent::Fixed(size.0), Extent::Fixed(size.1));
        self.push_window(Window { from, to, row, col, size, valid })
    }

    /// `memref.load`, `memref.store`: one element of a tile whose rows lie one after another.
    pub fn buffer_element(&mut self, id: OpId, tile: TileId) -> Built<()> {
        let Some(ty) = self.operand(id, "memref").and_then(|v| self.module.tile(v)).copied() else {
            return Err(self.unsupported("this buffer"));
        };
        let indices = self.operands(id, "indices");
        let ([row, col], ElementOrder::Nd) = (&indices[..], ty.order()) else {
            return Err(self.unsupported("elements of a buffer that has boxes, or not two dimensions"));
        };
        let (row, col, width) = (self.scalar(*row)?, self.scalar(*col)?, self.constant(ty.cols));
        let (start, offset) = (self.reg(), self.reg());
        self.push(Step::Int { op: IntOp::Mul, kind: INDEX, a: row, b: width, out: start })?;
        self.push(Step::Int { op: IntOp::Add, kind: INDEX, a: start, b: col, out: offset })?;
        match self.operand(id, "value") {
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

    /// A view that only says how large something is.
    pub fn fixed_view(&mut self, shape: [u64; 2]) -> ViewId {
        let view = self.new_view();
        self.plan.views[view as usize].shape[3..].copy_from_slice(&shape);
        view
    }
}
