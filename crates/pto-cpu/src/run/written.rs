//! Which bytes of a core's memory have been written, so that a read of others can be noticed.
//!
//! Bytes are only ever added, so an instruction whose tiles lie where they lay before has nothing new to say: it is looked at once for each
//! placement of its operands, and costs a comparison after that.

use super::core::Core;
use super::fail::Fail;
use super::observe::{Access, Place};
use crate::plan::{KernelStep, TileId};
use pto_ir::ValueId;
use pto_isa::{Diagnostic, Order, codes};

/// Placements of the operands of an instruction that are remembered.
const KNOWN: usize = 8;

/// The bytes that were written, and the placements that were looked at.
#[derive(Default)]
pub(super) struct Written {
    /// A bit for each byte.
    bits: Vec<u64>,
    /// For each instruction, when its tiles were compared last.
    seen: Vec<u64>,
    /// For each instruction, some placements of its operands.
    known: Vec<[u64; KNOWN]>,
    /// Grows when a tile register changes, or other memory comes.
    pub version: u64,
    /// Another number for each block.
    block: u64,
}

impl Written {
    pub fn new(bytes: u64, instructions: usize) -> Self {
        let bits = vec![0; bytes.div_ceil(64) as usize + 1];
        Self { bits, seen: vec![0; instructions], known: vec![[0; KNOWN]; instructions], version: 1, block: 1 }
    }

    /// Bytes hold nothing any more.
    pub fn clear(&mut self, start: u64, length: u64) {
        // Spaces and tiles start at lines of 64 bytes.
        let (first, last) = ((start / 64) as usize, (start + length).div_ceil(64) as usize);
        self.bits[first..last.max(first)].fill(0);
    }

    pub fn next_block(&mut self) {
        self.version += 1;
        self.block += 1;
    }

    pub fn add(&mut self, start: u64, length: u64) {
        let (first, last) = (start.div_ceil(64), (start + length) / 64);
        if first >= last {
            return each_word(start, length, |word, mask| self.bits[word] |= mask);
        }
        self.bits[first as usize..last as usize].fill(u64::MAX);
        each_word(start, first * 64 - start, |word, mask| self.bits[word] |= mask);
        each_word(last * 64, start + length - last * 64, |word, mask| self.bits[word] |= mask);
    }

    /// Whether a range was written as a whole. Nearly every read is of such bytes, so the words in between go through a loop without branches.
    fn has_all(&self, start: u64, length: u64) -> bool {
        let (first, last) = (start.div_ceil(64), (start + length) / 64);
        let mut open = 0;
        if first >= last {
            each_word(start, length, |word, mask| open |= mask & !self.bits[word]);
            return open == 0;
        }
        each_word(start, first * 64 - start, |word, mask| open |= mask & !self.bits[word]);
        each_word(last * 64, start + length - last * 64, |word, mask| open |= mask & !self.bits[word]);
        self.bits[first as usize..last as usize].iter().fold(open, |open, word| open | !word) == 0
    }

    /// The first byte of a range that was not written.
    fn first_missing(&self, start: u64, length: u64) -> Option<u64> {
        if self.has_all(start, length) {
            return None;
        }
        let mut missing = None;
        each_word(start, length, |word, mask| {
            let open = mask & !self.bits[word];
            if missing.is_none() && open != 0 {
                missing = Some(word as u64 * 64 + u64::from(open.trailing_zeros()));
            }
        });
        missing
    }

    fn has_any(&self, start: u64, length: u64) -> bool {
        let mut any = false;
        each_word(start, length, |word, mask| any |= self.bits[word] & mask != 0);
        any
    }
}

/// The words of a range of bits, with the bits of each.
fn each_word(start: u64, length: u64, mut each: impl FnMut(usize, u64)) {
    let end = start + length;
    let mut at = start;
    while at < end {
        let word = at / 64;
        let stop = end.min((word + 1) * 64);
        let ones = if stop - at == 64 { u64::MAX } else { ((1 << (stop - at)) - 1) << (at % 64) };
        each(word as usize, ones);
        at = stop;
    }
}

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
    pub fn follow_written(&mut self, which: usize, at: usize) -> Result<(), Fail> {
        let step = &self.plan.kernels[which];
        if self.bytes.seen[which] == self.bytes.version && step.part.is_none() {
            return Ok(());
        }
        self.follow_placement(which, at)
    }

    fn follow_placement(&mut self, which: usize, at: usize) -> Result<(), Fail> {
        let plan = self.plan;
        let step = &plan.kernels[which];
        self.bytes.seen[which] = self.bytes.version;
        let key = self.placement(step);
        let slot = key as usize % KNOWN;
        if std::mem::replace(&mut self.bytes.known[which][slot], key) == key {
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
        let mut key = mix(0x517c_c1b7_2722_0a95, self.bytes.block);
        for register in step.tiles.iter().filter_map(|o| o.register) {
            let tile = &self.tiles[register as usize];
            key = mix(key, tile.base);
            key = mix(key, u64::from(tile.rows) << 32 | u64::from(tile.cols));
            key = mix(key, u64::from(tile.row_stride) << 32 | u64::from(tile.geometry));
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
            let mut tile = self.tiles[register as usize];
            let wide = step.wide.as_ref().filter(|w| w.sources.contains(&at));
            if let Some(dst) = wide.and_then(|w| step.tiles[w.dst].register) {
                (tile.rows, tile.cols) = (self.tiles[dst as usize].rows, self.tiles[dst as usize].cols);
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
        let Place::Core(loc) = access.place else { return };
        let start = self.plan.spaces.start(loc) as i64 + access.start;
        let whole = access.stride == access.row_bytes as i64;
        let (rows, length) = if whole { (1, access.rows * access.row_bytes) } else { (access.rows, access.row_bytes) };
        for row in 0..rows {
            let first = start + row as i64 * access.stride;
            let inside = first >= 0 && first as u64 + length <= self.memory.size();
            if inside && length > 0 {
                each(first as u64, length);
            }
        }
    }

    fn add_access(&mut self, access: &Access) {
        let mut bytes = std::mem::take(&mut self.bytes);
        self.each_run(access, |start, length| bytes.add(start, length));
        self.bytes = bytes;
    }

    fn missing(&self, access: &Access) -> Option<Unwritten> {
        let (mut first, mut any) = (None, false);
        self.each_run(access, |start, length| first = first.or_else(|| self.bytes.first_missing(start, length)));
        let at = self.element_at(access, first?);
        self.each_run(access, |start, length| any |= self.bytes.has_any(start, length));
        Some(Unwritten { value: access.value, whole: !any, at })
    }

    /// Row and column of a byte, where a tile has no boxes.
    fn element_at(&self, access: &Access, byte: u64) -> Option<(u64, u64)> {
        let Place::Core(loc) = access.place else { return None };
        let ty = &self.plan.geometries[access.geometry as usize];
        if access.tile.is_none() || ty.is_boxed() || access.stride <= 0 {
            return None;
        }
        let offset = (byte as i64 - self.plan.spaces.start(loc) as i64 - access.start) as u64;
        let (run, inside) =
            (offset / access.stride as u64, offset % access.stride as u64 * 8 / u64::from(ty.column_bits()));
        Some(if ty.order() == Order::Nd { (run, inside) } else { (inside, run) })
    }

    /// An element of a tile, or of a space, is read.
    pub fn follow_scalar_read(&mut self, tile: Option<TileId>, start: u64, bytes: u64, at: usize) -> Result<(), Fail> {
        if self.bytes.first_missing(start, bytes).is_none() {
            return Ok(());
        }
        let value = tile.and_then(|_| self.plan.module().operands(self.plan.origins[at]).first().map(|o| o.value));
        self.say_unwritten(Unwritten { value, whole: true, at: None }, at)
    }

    /// A tile that goes into a pipe is read.
    pub fn follow_tile_read(&mut self, tile: TileId, at: usize) -> Result<(), Fail> {
        let access = self.entry_access(tile, false, at);
        self.missing(&access).map_or(Ok(()), |missing| self.say_unwritten(missing, at))
    }

    /// A tile is written as far as it is valid.
    pub fn follow_tile_write(&mut self, tile: TileId) {
        let access = self.plain_access(tile, true);
        self.add_access(&access);
        self.bytes.version += 1;
    }

    /// All bytes of a tile have content: it is an argument, or a copy of another.
    pub fn whole_tile_written(&mut self, tile: TileId) {
        let tile = self.tiles[tile as usize];
        let length = self.plan.geometries[tile.geometry as usize].bytes();
        let length = length.min(self.memory.size().saturating_sub(tile.base));
        self.bytes.add(tile.base, length);
        self.bytes.version += 1;
    }

    /// A tile is copied, with all its bytes. Only what has content is copied as such.
    pub fn follow_copy(&mut self, from: TileId, to: TileId) {
        let (source, target) = (self.tiles[from as usize], self.tiles[to as usize]);
        let length = self.plan.geometries[target.geometry as usize].bytes();
        let is_done = |core: &Self| core.bytes.first_missing(target.base, length).is_none();
        if source.geometry == target.geometry && self.bytes.first_missing(source.base, length).is_none() {
            return self.bytes.add(target.base, length);
        }
        if !is_done(self) && self.missing(&self.plain_access(from, false)).is_none() {
            let access = self.plain_access(to, true);
            self.add_access(&access);
        }
    }

    fn say_unwritten(&mut self, missing: Unwritten, at: usize) -> Result<(), Fail> {
        if self.plan.strict {
            return Err(Fail::Unwritten(missing.text(self)));
        }
        let module = self.plan.module();
        let op = self.plan.origins[at];
        let message = format!("`{}`: {}", module.op(op).op.row().full_name(), missing.text(self));
        self.note(unwritten(Diagnostic::new(codes::RUN_UNWRITTEN, module.op(op).name_span, message).warning()));
        Ok(())
    }
}

/// What is said in any case about memory that nothing wrote.
pub(super) fn unwritten(d: Diagnostic) -> Diagnostic {
    d.legal("memory of a core holds nothing at the start; a load, a fill or a computation has to write it")
        .help("write the tile before, or make its valid region no larger than what was written; --uninitialised nan shows what depends on it")
}

impl Unwritten {
    fn text(&self, core: &Core) -> String {
        let name = self.value.map_or("", |v| core.plan.module().value_name(v));
        let name = if name.is_empty() { "memory".to_string() } else { format!("`%{name}`") };
        match (self.whole, self.at) {
            (true, _) => format!("{name} is read, and nothing has written it"),
            (false, Some((row, col))) => format!("{name} is read at [{row}, {col}], where nothing has written it"),
            (false, None) => format!("{name} is read, and nothing has written a part of it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_known_one_by_one() {
        let mut written = Written::new(1000, 1);
        written.add(60, 100);
        assert_eq!(written.first_missing(60, 100), None);
        assert_eq!(written.first_missing(59, 2), Some(59));
        assert_eq!(written.first_missing(100, 61), Some(160));
        assert!(written.has_any(0, 61) && !written.has_any(0, 60));
        written.clear(64, 64);
        assert_eq!(written.first_missing(60, 100), Some(64));
        assert_eq!(written.first_missing(128, 32), None);
    }
}
