//! The bytes that an instruction accesses, for observers.

use super::core::Core;
use super::issue::Told;
use super::observe::{Access, AddressSpace, Atomic, DEVICE};
use crate::kernels::Combine;
use crate::memory::split_address;
use crate::prepared::{CallOperand, KernelStep, OperandPart, StepId, TileId, TileState, ViewId, ViewState};
use pto_ir::ValueId;
use pto_isa::{Loc, Order};

impl Core<'_> {
    /// True when an instruction accesses what it accessed last time.
    #[inline]
    pub fn repeats(&self, step: &KernelStep, told: &Told) -> bool {
        let is_same = |(operand, known): (&CallOperand<ViewId>, &Option<ViewState>)| {
            operand.register.map(|register| &self.regs.views[register]) == known.as_ref()
        };
        self.has_same_tiles(step, told)
            && told.atomic == self.combination(step)
            && step.views.iter().zip(&told.views).all(is_same)
    }

    #[inline]
    fn has_same_tiles(&self, step: &KernelStep, told: &Told) -> bool {
        told.version == self.local.written.version && step.part.is_none()
    }

    /// True if its stores combine with what is in memory.
    pub fn combines(&self, step: &KernelStep) -> bool {
        self.combination(step) != Atomic::No
    }

    /// Bits of an element of a view.
    pub fn column_bits_of(&self, value: Option<ValueId>) -> u32 {
        value.and_then(|v| self.plan.module().value_type(v).elem()).map_or(8, |d| d.column_bits())
    }

    #[inline]
    fn combination(&self, step: &KernelStep) -> Atomic {
        let state = || step.combines.and_then(|reg| Combine::from_code(self.reg(reg)));
        step.atomic.or_else(state).map_or(Atomic::No, Atomic::from)
    }

    /// Brings the accesses of an instruction up to date: those to tiles where a register has changed, and those to views.
    pub fn recall(&self, step: &KernelStep, told: &mut Told) {
        if !self.has_same_tiles(step, told) {
            told.version = self.local.written.version;
            told.accesses.clear();
            self.tile_accesses(step, &mut told.accesses);
            told.tiles = told.accesses.len();
        }
        told.atomic = self.combination(step);
        told.views.clear();
        told.views.extend(step.views.iter().map(|o| o.register.map(|register| self.regs.views[register])));
        told.accesses.truncate(told.tiles);
        self.view_operands(step, told.atomic, &mut told.accesses);
    }

    fn tile_accesses(&self, step: &KernelStep, list: &mut Vec<Access>) {
        for (at, operand) in step.tiles.iter().enumerate() {
            let Some(register) = operand.register else { continue };
            let tile = self.regs.tiles[register];
            match step.part.filter(|p| p.of == at).and_then(|p| self.part(step, &p, &tile)) {
                // What is changed in part is not read.
                Some(part) => list.push(Access { write: operand.writes, ..self.tile_access(&part, operand.value) }),
                None => push_both(list, self.tile_access(&tile, operand.value), operand),
            }
        }
        if let Some((tile, value)) = step.scratch.and_then(|s| Some((self.regs.tiles[s.register?], s.value))) {
            // Its content does not matter: several instructions may have it in any order.
            let scratch = Access { write: true, atomic: Atomic::Scratch, ..self.tile_access(&tile, value) };
            // One that is not needed for these operands may be any tile.
            if !(step.idle_scratch && list.iter().any(|a| a.tile == scratch.tile || a.start == scratch.start)) {
                list.push(scratch);
            }
        }
        for at in &step.lost {
            let operand = step.tiles[*at];
            if let Some(register) = operand.register {
                let access = self.tile_access(&self.regs.tiles[register], operand.value);
                list.push(Access { write: true, tile: Some(DEVICE), ..access });
            }
        }
        for memory in &step.hidden {
            let bytes = run(AddressSpace::Core(memory.loc), memory.start as i64, memory.end - memory.start, None);
            list.push(Access { write: true, atomic: Atomic::Scratch, tile: Some(DEVICE), ..bytes });
        }
    }

    fn view_operands(&self, step: &KernelStep, atomic: Atomic, list: &mut Vec<Access>) {
        for operand in &step.views {
            if let Some(register) = operand.register {
                let bits = self.column_bits_of(operand.value);
                let view = self.regs.views[register];
                view_accesses(&view, bits, operand.value, &mut |a| {
                    push_both(list, Access { atomic, ..a }, operand);
                });
            }
        }
    }

    /// A part of a tile, where it is one that starts at a box.
    pub fn part(&self, step: &KernelStep, part: &OperandPart, tile: &TileState) -> Option<TileState> {
        let like = self.regs.tiles[step.tiles[part.like].register?];
        let (row, col) = (u64::try_from(self.int(part.row)).ok()?, u64::try_from(self.int(part.col)).ok()?);
        let ty = &self.plan.tiles.geometries[tile.geometry];
        let (high, wide) = ty.box_shape();
        let inside = row + u64::from(like.rows) <= ty.rows && col + u64::from(like.cols) <= ty.cols;
        if !inside || ty.is_boxed() && !(row.is_multiple_of(high) && col.is_multiple_of(wide)) {
            return None;
        }
        let elements = if ty.is_boxed() {
            ty.offset(row, col)
        } else {
            row * u64::from(tile.row_stride) + col * u64::from(tile.col_stride)
        };
        let base = tile.base + elements * u64::from(ty.column_bits()) / 8;
        Some(TileState { base, rows: like.rows, cols: like.cols, ..*tile })
    }

    /// The tile that is pushed or popped.
    pub fn entry_access(&self, tile: TileId, write: bool, at: StepId) -> Access {
        let module = self.plan.module();
        let op = self.plan.code.origins[at];
        let value = module.results(op).next().or_else(|| module.operands(op).first().map(|o| o.value));
        Access { write, ..self.tile_access(&self.regs.tiles[tile], value) }
    }

    pub fn plain_access(&self, tile: TileId, write: bool) -> Access {
        Access { write, ..self.tile_access(&self.regs.tiles[tile], None) }
    }

    /// The valid region of a tile. Where it has boxes: whole ones where the cube core works, and elsewhere the rows of boxes, of 32
    /// bytes each, that hold something valid.
    pub fn tile_access(&self, tile: &TileState, value: Option<ValueId>) -> Access {
        let ty = &self.plan.tiles.geometries[tile.geometry];
        let bits = u64::from(ty.column_bits());
        let start = tile.base as i64 - self.plan.memory.spaces.start(ty.loc) as i64;
        let (rows, cols) = (u64::from(tile.rows), u64::from(tile.cols));
        // Runs, elements of a run, and elements from one run to the next.
        let (runs, length, stride) = if ty.is_boxed() {
            let (high, wide) = ty.box_shape();
            // A tile with fewer rows than a box has low boxes.
            let high = high.min(ty.rows);
            let (down, right) = (rows.div_ceil(high), cols.div_ceil(wide));
            let moved = matches!(ty.loc, Loc::Mat | Loc::Vec);
            match ty.order() {
                Order::Nz if moved => (right, rows.min(ty.rows) * wide, ty.rows * wide),
                Order::Zn if moved => (down, cols.min(ty.cols) * high, ty.cols * high),
                Order::Zn | Order::Zz => (down, right * high * wide, ty.cols * high),
                _ => (right, down.min(ty.rows.div_ceil(high)) * high * wide, ty.rows * wide),
            }
        } else if tile.col_stride == 1 {
            (rows, cols, tile.row_stride.into())
        } else {
            (cols, rows, tile.col_stride.into())
        };
        let (row_bytes, stride) = ((length * bits).div_ceil(8), (stride * bits / 8) as i64);
        Access {
            rows: if row_bytes == 0 { 0 } else { runs },
            row_bytes,
            stride,
            value,
            tile: Some(tile.root.0),
            origin: tile.origin as i64 - self.plan.memory.spaces.start(ty.loc) as i64,
            geometry: tile.geometry.0,
            valid: (tile.rows, tile.cols),
            ..run(AddressSpace::Core(ty.loc), start, 0, None)
        }
    }
}

/// One run that is read.
pub(super) fn run(place: AddressSpace, start: i64, row_bytes: u64, value: Option<ValueId>) -> Access {
    Access {
        place,
        start,
        row_bytes,
        rows: 1,
        stride: 0,
        write: false,
        atomic: Atomic::No,
        value,
        tile: None,
        origin: 0,
        geometry: 0,
        valid: (0, 0),
    }
}

fn push_both<R>(list: &mut Vec<Access>, access: Access, operand: &CallOperand<R>) {
    if operand.reads {
        list.push(Access { atomic: Atomic::No, ..access });
    }
    if operand.writes {
        list.push(Access { write: true, ..access });
    }
}

/// A window with more runs than this is reported as one; no memory has as many.
const MOST_RUNS: u64 = 1 << 24;

/// The runs of a window: its two innermost dimensions as rectangles, one for each index of the outer ones. Without memory, extents
/// and strides may be any numbers.
pub(super) fn view_accesses(view: &ViewState, bits: u32, value: Option<ValueId>, push: &mut impl FnMut(Access)) {
    let (buffer, first) = split_address(view.address);
    let bytes = |elements: i64| elements.wrapping_mul(i64::from(bits)) / 8;
    let along = |index: u64, stride: i64| (index as i64).wrapping_mul(stride);
    let [a, b, c, d, e] = view.shape;
    let [sa, sb, sc, sd, se] = view.strides;
    let outer_places = a.saturating_mul(b).saturating_mul(c);
    if outer_places.saturating_mul(d) > MOST_RUNS {
        let elements = outer_places.saturating_mul(d).saturating_mul(e);
        let length = elements.saturating_mul(u64::from(bits)).min(i64::MAX as u64) / 8;
        return push(run(AddressSpace::Global(buffer), first, length, value));
    }
    for outer in 0..outer_places {
        let (i, j, k) = if outer == 0 { (0, 0, 0) } else { (outer / (b * c), outer / c % b, outer % c) };
        let start = first.wrapping_add(bytes(along(i, sa).wrapping_add(along(j, sb)).wrapping_add(along(k, sc))));
        let place = AddressSpace::Global(buffer);
        let (rows, stride, length) = if se == 1 || e == 1 {
            (d, bytes(sd), e)
        } else if sd == 1 || d == 1 {
            (e, bytes(se), d)
        } else {
            // Neither dimension is contiguous: every element is a separate run, per row.
            for row in 0..d {
                let start = start.wrapping_add(bytes(along(row, sd)));
                let element = run(place, start, u64::from(bits).div_ceil(8), value);
                push(Access { rows: e, stride: bytes(se), ..element });
            }
            continue;
        };
        let row_bytes = length.saturating_mul(u64::from(bits)).div_ceil(8);
        push(Access { rows: if row_bytes == 0 { 0 } else { rows }, stride, ..run(place, start, row_bytes, value) });
    }
}
