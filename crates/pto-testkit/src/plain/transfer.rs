//! Copies between windows of global memory and tiles.

use super::memory::PlainAddress;
use super::value::{PlainTile, PlainView};
use super::{PlainMachine, PlainResult};
use pto::ir::{Attr, OpId};
use pto::isa::{GlobalLayout, codes};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TransferDirection {
    Load,
    Store,
}

impl PlainMachine<'_> {
    /// Rows and columns of the matrix in a window.
    pub fn matrix_size(view: &PlainView) -> (u64, u64) {
        let [a, b, c, d, e] = five(&view.shape, 1);
        match view.layout {
            GlobalLayout::Nd => (a * b * c * d, e),
            GlobalLayout::Dn => (d, a * b * c * e),
            GlobalLayout::Nz => (c * d, a * b * e),
            other => panic!("layout {}", other.name()),
        }
    }

    pub fn layout(&self, id: OpId) -> Option<GlobalLayout> {
        let Some(Attr::Enum(def, at)) = self.module.attr(id, "layout") else { return None };
        let name = def.value(usize::from(*at));
        GlobalLayout::ALL.into_iter().find(|l| l.name().eq_ignore_ascii_case(name))
    }

    pub fn transfer(&mut self, id: OpId, direction: TransferDirection) -> PlainResult<()> {
        let (tile_slot, view_slot) = if direction == TransferDirection::Load { ("dst", "src") } else { ("src", "dst") };
        let result = self.module.results(id).next();
        let tile = *match result {
            Some(result) => self.get(result).tile(),
            None => self.need(id, tile_slot).tile(),
        }
        .borrow();
        let mut view = self.need(id, view_slot).view();
        view.layout = self.layout(id).unwrap_or(view.layout);
        if direction == TransferDirection::Store && !self.memories[view.place.memory].writable {
            return Err(codes::RUN_ARGUMENT);
        }
        let (rows, cols) = tile.valid;
        if rows == 0 || cols == 0 {
            return Ok(());
        }
        let size = Self::matrix_size(&view);
        if rows > size.0 || cols > size.1 {
            return Err(codes::RUN_VALID);
        }
        self.copy_window(&tile, &view, direction)
    }

    /// Nothing is copied when a single element lies outside.
    fn copy_window(&mut self, tile: &PlainTile, view: &PlainView, direction: TransferDirection) -> PlainResult<()> {
        let bits = tile.ty.dtype.bits();
        let (rows, cols) = tile.valid;
        let start = PlainAddress { byte: 0, ..view.place };
        let mut places = Vec::new();
        for (row, col) in (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))) {
            let index = view.layout.index(row, col, five(&view.shape, 1));
            let element: i64 = index.iter().zip(five(&view.strides, 0)).map(|(i, s)| *i as i64 * s).sum();
            let bit = view.place.byte * 8 + element * i64::from(bits);
            self.range(start.moved(bit.div_euclid(8)), u64::from(bits.div_ceil(8)))?;
            places.push((Self::bit(tile, row, col), bit as u64));
        }
        for (inside, outside) in places {
            if direction == TransferDirection::Load {
                let element = self.peek(start, outside, bits);
                self.poke(tile.place, inside, bits, element);
            } else {
                let element = self.peek(tile.place, inside, bits);
                self.poke(start, outside, bits, element);
            }
        }
        Ok(())
    }
}

/// Extents or strides with leading ones that were left out.
fn five<T: Copy>(list: &[T], missing: T) -> [T; 5] {
    let mut all = [missing; 5];
    all[5 - list.len()..].copy_from_slice(list);
    all
}
