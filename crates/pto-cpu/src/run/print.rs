//! Text that a program prints: tiles, windows of global memory, and numbers.

use super::core::Core;
use super::data::read_bytes;
use super::fail::Fail;
use super::observe::{Action, Watch};
use super::printf;
use crate::args::Printed;
use crate::memory::split_address;
use crate::prepared::{NumberStyle, Print, PrintId, StepId, TileId, TileState, ViewId, ViewState};
use pto_isa::{Class, DType, TileType, dot};
use pto_num::{Bf16, Exact, F16, Format};
use std::fmt::Write;

impl Core<'_> {
    #[inline(never)]
    pub fn print<W: Watch>(&mut self, which: PrintId, at: StepId, watch: &mut W) -> Result<(), Fail> {
        let plan = self.plan;
        if W::MEASURES {
            if let Print::View { view, .. } = plan.calls.prints[which] {
                watch.read(split_address(self.regs.views[view].address).0);
            }
            return Ok(());
        }
        self.progress.deeds.instructions += 1;
        if W::OBSERVES {
            self.say(at, None, Action::Other, &[], watch);
        }
        if !W::COMPUTES {
            return Ok(());
        }
        match &plan.calls.prints[which] {
            Print::Tile { tile, name, style } => self.print_tile(*tile, name, *style),
            Print::View { view, dtype, name, style } => self.print_view(*view, *dtype, name, *style)?,
            Print::Scalar { value, kind, format } => {
                let text = printf::format(format, *kind, self.reg(*value));
                self.outside.printed.push_str(&text);
            }
        }
        Ok(())
    }

    /// The valid region, a line for each row.
    fn print_tile(&mut self, tile: TileId, name: &str, style: NumberStyle) {
        let tile = self.regs.tiles[tile];
        let ty = self.plan.tiles.geometries[tile.geometry];
        let mut head = format!("%{name}: {} {}x{} {}", ty.loc, ty.rows, ty.cols, ty.dtype);
        if (u64::from(tile.rows), u64::from(tile.cols)) != (ty.rows, ty.cols) {
            let _ = write!(head, ", valid {}x{}", tile.rows, tile.cols);
        }
        self.line(&head);
        for r in 0..u64::from(tile.rows) {
            let mut line = String::new();
            for c in 0..u64::from(tile.cols) {
                let raw = self.tile_bits(&tile, &ty, r, c);
                push_element(&mut line, ty.dtype, raw, style);
            }
            self.line(&line);
        }
    }

    fn tile_bits(&mut self, tile: &TileState, ty: &TileType, r: u64, c: u64) -> u64 {
        let (first, bytes, shift) = tile.element_bytes(ty, r, c);
        let raw = read_bytes(self.local.memory.part(first, bytes));
        if ty.column_bits() < 8 { raw >> shift & 15 } else { raw }
    }

    /// The matrix in a window of global memory.
    fn print_view(&mut self, view: ViewId, dtype: DType, name: &str, style: NumberStyle) -> Result<(), Fail> {
        let view: ViewState = self.regs.views[view];
        if view.space.is_some() {
            return Err(Fail::OnChipView);
        }
        let (rows, cols) = view.matrix_size();
        self.line(&format!("%{name}: {rows}x{cols} {dtype}"));
        let (buffer, first) = split_address(view.address);
        let bits = u64::from(dtype.column_bits());
        for r in 0..rows {
            let mut line = String::new();
            for c in 0..cols {
                let place = dot(view.layout.index(r, c, view.shape), view.strides.map(|s| s as u64)) * bits;
                let byte = first.saturating_add_unsigned(place / 8);
                let raw = self.read_global(buffer, byte, (bits / 8).max(1) as usize)?;
                push_element(&mut line, dtype, raw >> (place % 8), style);
            }
            self.line(&line);
        }
        Ok(())
    }

    fn line(&mut self, text: &str) {
        self.outside.printed.push_str(text);
        self.outside.printed.push('\n');
    }

    /// What the block printed, for the report.
    pub fn take_printed(&mut self) -> Option<Printed> {
        let text = std::mem::take(&mut self.outside.printed);
        (!text.is_empty()).then_some(Printed { block: self.who.id.block, text })
    }
}

/// An element: packed ones of four bits are two numbers.
fn push_element(line: &mut String, dtype: DType, raw: u64, style: NumberStyle) {
    let NumberStyle { width, digits } = style;
    let mut push = |text: String| {
        let space = if line.is_empty() { "" } else { " " };
        let _ = write!(line, "{space}{text:>width$}");
    };
    for number in numbers_of(dtype, raw) {
        push(match number {
            ElementNumber::Float(x) => printf::fixed(x.into(), digits),
            ElementNumber::Int(n) => n.to_string(),
        });
    }
}

/// A number of a tile, exactly.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ElementNumber {
    /// A floating-point number; every format of a tile fits.
    Float(f32),
    /// An integer.
    Int(i128),
}

/// The numbers of an element; packed ones of four bits are two.
pub fn numbers_of(dtype: DType, raw: u64) -> impl Iterator<Item = ElementNumber> {
    let float = |format: Format, bits: u64| ElementNumber::Float(Exact::decode(bits as u32, format).to_f32());
    let pair = |format: Format| [Some(float(format, raw & 15)), Some(float(format, raw >> 4 & 15))];
    let found = match dtype {
        DType::F4E1M2 => pair(Format::F4E1M2),
        DType::F4E2M1 => pair(Format::F4E2M1),
        _ => {
            let one = match dtype {
                DType::F32 => ElementNumber::Float(f32::from_bits(raw as u32)),
                DType::F16 => ElementNumber::Float(F16(raw as u16).to_f32()),
                DType::Bf16 => ElementNumber::Float(Bf16(raw as u16).to_f32()),
                DType::F8E4M3 => float(Format::F8E4M3, raw & 0xff),
                DType::F8E5M2 => float(Format::F8E5M2, raw & 0xff),
                DType::F8E8M0 => float(Format::F8E8M0, raw & 0xff),
                DType::Hif8 => float(Format::HIF8, raw & 0xff),
                _ => {
                    let unused = 64 - dtype.bits();
                    let bits = raw << unused;
                    let signed = dtype.class() == Class::Signed;
                    ElementNumber::Int(if signed { (bits as i64 >> unused).into() } else { (bits >> unused).into() })
                }
            };
            [Some(one), None]
        }
    };
    found.into_iter().flatten()
}
