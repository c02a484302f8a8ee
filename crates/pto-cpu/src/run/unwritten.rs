//! Reads of memory that nothing wrote.

use super::core::Core;
use super::fail::{Fail, unwritten};
use super::observe::{Access, AddressSpace};
use crate::prepared::{GeometryId, KernelId, KernelStep, StepId, TileId};
use pto_ir::ValueId;
use pto_isa::text;
use pto_isa::{Diagnostic, Order, codes};

/// A read of bytes that nothing wrote.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unwritten {
    value: Option<ValueId>,
    /// Whether nothing at all was written there, and else where the first byte is: row and column, if the layout shows it.
    whole: bool,
    at: Option<(u64, u64)>,
}

impl Core<'_> {
    /// Notices an instruction that reads what nothing wrote, and adds what it writes.
    #[inline]
    pub fn follow_written(&mut self, which: KernelId, at: StepId) -> Result<(), Fail> {
        let step = &self.plan.calls.kernels[which];
        if self.local.written.seen[which] == self.local.written.version && step.part.is_none() {
            return Ok(());
        }
        self.follow_placement(which, at)
    }

    fn follow_placement(&mut self, which: KernelId, at: StepId) -> Result<(), Fail> {
        let plan = self.plan;
        let step = &plan.calls.kernels[which];
        self.local.written.seen[which] = self.local.written.version;
        let key = self.placement(step);
        if self.local.written.is_known(which, key) {
            return Ok(());
        }
        let mut missing = None;
        self.each_access(step, |core, access| {
            if !access.write && missing.is_none() {
                missing = core.missing(&access);
            }
        });
        self.each_access(step, |core, access| {
            if access.write {
                core.add_access(&access);
            }
        });
        missing.map_or(Ok(()), |missing| self.say_unwritten(missing, at))
    }

    /// A number for where the operands of an instruction lie.
    fn placement(&self, step: &KernelStep) -> u64 {
        let mix = |key: u64, n: u64| (key ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let mut key = mix(0x517c_c1b7_2722_0a95, self.local.written.block);
        for register in step.tiles.iter().filter_map(|o| o.register) {
            let tile = &self.regs.tiles[register];
            key = mix(key, tile.base);
            key = mix(key, u64::from(tile.rows) << 32 | u64::from(tile.cols));
            key = mix(key, u64::from(tile.row_stride) << 32 | u64::from(tile.geometry.0));
        }
        if let Some(part) = &step.part {
            key = mix(mix(key, self.reg(part.row)), self.reg(part.col));
        }
        // Zero is no placement.
        key | 1 << 63
    }

    /// The bytes of tiles that an instruction touches.
    fn each_access(&mut self, step: &KernelStep, mut each: impl FnMut(&mut Self, Access)) {
        for (at, operand) in step.tiles.iter().enumerate() {
            let Some(register) = operand.register else { continue };
            let mut tile = self.regs.tiles[register];
            let wide = step.wide.as_ref().filter(|w| w.sources.contains(&at));
            if let Some(dst) = wide.and_then(|w| step.tiles[w.dst].register) {
                (tile.rows, tile.cols) = (self.regs.tiles[dst].rows, self.regs.tiles[dst].cols);
            }
            let part = step.part.filter(|p| p.of == at).and_then(|p| self.part(step, &p, &tile));
            let access = self.tile_access(part.as_ref().unwrap_or(&tile), operand.value);
            // What is changed in part is not read.
            if operand.reads && !(part.is_some() && operand.writes) {
                each(self, access);
            }
            if operand.writes {
                each(self, Access { write: true, ..access });
            }
        }
    }

    /// Each run of an access, as bytes of the core's memory.
    fn each_run(&self, access: &Access, mut each: impl FnMut(u64, u64)) {
        let AddressSpace::Core(loc) = access.place else { return };
        let start = self.plan.memory.spaces.start(loc) as i64 + access.start;
        let whole = access.stride == access.row_bytes as i64;
        let (rows, length) = if whole { (1, access.rows * access.row_bytes) } else { (access.rows, access.row_bytes) };
        for row in 0..rows {
            let first = start + row as i64 * access.stride;
            let inside = first >= 0 && first as u64 + length <= self.local.memory.size();
            if inside && length > 0 {
                each(first as u64, length);
            }
        }
    }

    fn add_access(&mut self, access: &Access) {
        let mut bytes = std::mem::take(&mut self.local.written.bytes);
        self.each_run(access, |start, length| bytes.add(start, length));
        self.local.written.bytes = bytes;
    }

    fn missing(&self, access: &Access) -> Option<Unwritten> {
        let (mut first, mut any) = (None, false);
        self.each_run(access, |start, length| {
            first = first.or_else(|| self.local.written.bytes.first_missing(start, length));
        });
        let at = self.element_at(access, first?);
        self.each_run(access, |start, length| any |= self.local.written.bytes.has_any(start, length));
        Some(Unwritten { value: access.value, whole: !any, at })
    }

    /// Row and column of a byte, where a tile has no boxes.
    fn element_at(&self, access: &Access, byte: u64) -> Option<(u64, u64)> {
        let AddressSpace::Core(loc) = access.place else { return None };
        let ty = &self.plan.tiles.geometries[GeometryId(access.geometry)];
        if access.tile.is_none() || ty.is_boxed() || access.stride <= 0 {
            return None;
        }
        let offset = (byte as i64 - self.plan.memory.spaces.start(loc) as i64 - access.start) as u64;
        let (run, inside) =
            (offset / access.stride as u64, offset % access.stride as u64 * 8 / u64::from(ty.column_bits()));
        Some(if ty.order() == Order::Nd { (run, inside) } else { (inside, run) })
    }

    /// An element of a tile, or of a space, is read.
    pub fn follow_scalar_read(&mut self, tile: Option<TileId>, start: u64, bytes: u64, at: StepId) -> Result<(), Fail> {
        if self.local.written.bytes.first_missing(start, bytes).is_none() {
            return Ok(());
        }
        let value = tile.and_then(|_| self.plan.module().operands(self.plan.code.origins[at]).first().map(|o| o.value));
        self.say_unwritten(Unwritten { value, whole: true, at: None }, at)
    }

    /// A tile that goes into a pipe is read.
    pub fn follow_tile_read(&mut self, tile: TileId, at: StepId) -> Result<(), Fail> {
        let access = self.entry_access(tile, false, at);
        self.missing(&access).map_or(Ok(()), |missing| self.say_unwritten(missing, at))
    }

    /// The valid region of a tile is written.
    pub fn follow_tile_write(&mut self, tile: TileId) {
        let access = self.plain_access(tile, true);
        self.add_access(&access);
        self.local.written.version += 1;
    }

    /// All bytes of a tile have content: it is an argument, or a copy of another.
    pub fn whole_tile_written(&mut self, tile: TileId) {
        let tile = self.regs.tiles[tile];
        let length = self.plan.tiles.geometries[tile.geometry].bytes();
        let length = length.min(self.local.memory.size().saturating_sub(tile.base));
        self.local.written.bytes.add(tile.base, length);
        self.local.written.version += 1;
    }

    /// A tile is copied, with all its bytes. Only what has content is copied as such.
    pub fn follow_copy(&mut self, from: TileId, to: TileId) {
        let (source, target) = (self.regs.tiles[from], self.regs.tiles[to]);
        let length = self.plan.tiles.geometries[target.geometry].bytes();
        let is_done = |core: &Self| core.local.written.bytes.first_missing(target.base, length).is_none();
        if source.geometry == target.geometry && self.local.written.bytes.first_missing(source.base, length).is_none() {
            return self.local.written.bytes.add(target.base, length);
        }
        if !is_done(self) && self.missing(&self.plain_access(from, false)).is_none() {
            let access = self.plain_access(to, true);
            self.add_access(&access);
        }
    }

    fn say_unwritten(&mut self, missing: Unwritten, at: StepId) -> Result<(), Fail> {
        if self.plan.source.options.strict {
            return Err(Fail::Unwritten(missing.text(self)));
        }
        let module = self.plan.module();
        let op = self.plan.code.origins[at];
        let message = format!("`{}`: {}", module.op(op).op.row().full_name(), missing.text(self));
        self.note(unwritten(Diagnostic::new(codes::RUN_UNWRITTEN, module.op(op).name_span, message).warning()));
        Ok(())
    }
}

impl Unwritten {
    fn text(&self, core: &Core) -> String {
        let name = self.value.map_or("", |v| core.plan.module().value_name(v));
        let name = if name.is_empty() { "memory".to_string() } else { format!("`%{name}`") };
        match (self.whole, self.at) {
            (true, _) => text!("{name} is read, but uninitialised", name),
            (false, Some((row, col))) => {
                text!("{name} is read at [{row}, {col}], where it is uninitialised", name, row, col)
            }
            (false, None) => text!("{name} is read, but partly uninitialised", name),
        }
    }
}
