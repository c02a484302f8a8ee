//! Looks at a recording at any moment.

use crate::contents::{Contents, ContentsKind};
use crate::recording::{Recording, role_index};
use crate::streams::{FirstBytes, RegisterKey};
use crate::writes::{MemoryId, runs_of};
use pto_cpu::{AddressSpace, CoreId, KeptIn, RegisterChange, Replay, ReplayMemory, TilePlace, ViewPlace};
use pto_ir::ValueId;
use pto_isa::hash::FastMap;
use pto_isa::{DType, Loc, TileType, Type};
use std::ops::Range;

/// Looks at a recording at any moment. It remembers where it looked last, so that a moment nearby is found at once.
pub struct Player<'r> {
    recording: &'r Recording,
    /// Global memory after so many moments.
    memory: Option<(ReplayMemory, usize)>,
    cores: FastMap<usize, ReplayedCore<'r>>,
    /// The positions at which a register of a core changed.
    changes: FastMap<(usize, RegisterKey), Vec<u32>>,
}

/// A core after so many of its moments.
struct ReplayedCore<'r> {
    replay: Replay<'r>,
    moments: usize,
    changes: usize,
}

/// Cores whose memory is kept.
const MOST_CORES: usize = 6;
/// Elements of a value that are read if nobody says which.
const MOST_ELEMENTS: usize = 1 << 22;

impl<'r> Player<'r> {
    /// Looks at this recording.
    pub fn new(recording: &'r Recording) -> Self {
        Self { recording, memory: None, cores: FastMap::default(), changes: FastMap::default() }
    }

    /// The recording.
    pub fn recording(&self) -> &'r Recording {
        self.recording
    }

    /// What a value held on a core right after a moment, or before the first. `None` if it is not known there: it has no value yet, or
    /// was not recorded. Of very large values, the first rows.
    pub fn value(&mut self, core: CoreId, value: ValueId, at: Option<usize>) -> Option<Contents> {
        self.part(core, value, at, 0..usize::MAX, 0..usize::MAX)
    }

    /// As [`Player::value`], some rows and columns of it.
    pub fn part(
        &mut self,
        core: CoreId,
        value: ValueId,
        at: Option<usize>,
        rows: Range<usize>,
        cols: Range<usize>,
    ) -> Option<Contents> {
        let time = at.map_or(0, |at| at + 1);
        self.contents(core, value, (time, time), rows, cols)
    }

    /// What an operand of a moment held right before it.
    pub fn operand(&mut self, at: usize, value: ValueId) -> Option<Contents> {
        let core = self.recording.moment(at).core;
        self.contents(core, value, (at + 1, at), 0..usize::MAX, 0..usize::MAX)
    }

    /// What a value held: where it was at one time, what was there at another.
    fn contents(
        &mut self,
        core: CoreId,
        value: ValueId,
        (placed, time): (usize, usize),
        rows: Range<usize>,
        cols: Range<usize>,
    ) -> Option<Contents> {
        let k = self.recording.core_index(core)?;
        let module = self.recording.module();
        let name = module.value_name(value).to_string();
        match self.kept_in(k, value, placed)? {
            KeptIn::Scalar(reg) => {
                let kind = match module.value_type(value) {
                    Type::Scalar(ty) => ContentsKind::Scalar(*ty),
                    _ => ContentsKind::Address,
                };
                Some(Contents::scalar(name, kind, self.scalar(k, reg, placed)?))
            }
            KeptIn::Tile(reg) | KeptIn::Tiles(reg, _) => {
                let place = self.tile_place(k, reg, placed)?;
                let ty = *self.recording.plan.tile_type(core.role, place.geometry)?;
                self.tile(core, name, ty, place, time, rows, cols)
            }
            KeptIn::View(reg) => {
                let place = self.view_place(k, reg, placed)?;
                let dtype = module.value_type(value).elem()?;
                self.view(core, name, dtype, place, time, rows, cols)
            }
            _ => None,
        }
    }

    /// A tile at a place, right after a moment.
    pub fn tile_at(&mut self, core: CoreId, place: TilePlace, at: Option<usize>) -> Option<Contents> {
        let ty = *self.recording.plan.tile_type(core.role, place.geometry)?;
        let all = 0..usize::MAX;
        self.tile(core, String::new(), ty, place, at.map_or(0, |at| at + 1), all.clone(), all)
    }

    /// Where a tile or view lies right after a moment.
    pub fn place(&mut self, core: CoreId, value: ValueId, at: Option<usize>) -> Option<RegisterChange> {
        let (k, time) = (self.recording.core_index(core)?, at.map_or(0, |at| at + 1));
        match self.kept_in(k, value, time)? {
            KeptIn::Tile(reg) | KeptIn::Tiles(reg, _) => {
                Some(RegisterChange::Tile(reg, self.tile_place(k, reg, time)?))
            }
            KeptIn::View(reg) => Some(RegisterChange::View(reg, self.view_place(k, reg, time)?)),
            KeptIn::Scalar(reg) => Some(RegisterChange::Scalar(reg, self.scalar(k, reg, time)?)),
            _ => None,
        }
    }

    /// Bytes of a memory right after a moment; those that are not known are zero.
    pub fn memory(&mut self, memory: MemoryId, bytes: Range<i64>, at: Option<usize>) -> Vec<u8> {
        self.bytes(memory, &bytes, at.map_or(0, |at| at + 1)).0
    }

    // ---- registers ---------------------------------------------------------------------------------------------------

    /// The step that a core did last before a time, and how many of its registers had changed.
    fn position(&self, core: usize, time: usize) -> Option<(u32, usize)> {
        let moments = &self.recording.streams.cores[core].moments;
        let done = moments.partition_point(|m| (*m as usize) < time);
        let last = self.recording.streams.moments.at(*moments.get(done.checked_sub(1)?)?);
        Some((last.kind.step, last.changes as usize))
    }

    fn kept_in(&self, core: usize, value: ValueId, time: usize) -> Option<KeptIn> {
        let role = self.recording.facts.ids[core].role;
        let kept = &self.recording.facts.kept[role_index(role)];
        let places = kept.get(&value)?;
        let step = self.position(core, time).map_or(0, |(step, _)| step);
        // Of a function that was expanded several times, the expansion that the core is in.
        places.iter().rev().find(|(since, _)| *since <= step).or_else(|| places.first()).map(|(_, kept)| *kept)
    }

    fn last_change(&mut self, core: usize, key: RegisterKey, time: usize) -> Option<RegisterChange> {
        let (_, changes) = self.position(core, time).or_else(|| self.start_of(core))?;
        let streams = &self.recording.streams;
        let registers = &streams.cores[core].registers;
        let list = self.changes.entry((core, key)).or_insert_with(|| {
            (0u32..).zip(registers).filter(|(_, register)| **register == key.0).map(|(at, _)| at).collect()
        });
        let end = list.partition_point(|at| (*at as usize) < changes);
        streams.change(core, list[end.checked_sub(1)?] as usize)
    }

    /// Before the first moment, the parameters are known.
    fn start_of(&self, core: usize) -> Option<(u32, usize)> {
        Some((0, self.recording.plan.params().len().min(self.recording.streams.cores[core].registers.len())))
    }

    fn scalar(&mut self, core: usize, reg: u32, time: usize) -> Option<u64> {
        match self.last_change(core, RegisterKey::scalar(reg), time) {
            Some(RegisterChange::Scalar(_, bits)) => Some(bits),
            _ => {
                // One that never changes is a constant.
                let never = self.changes.get(&(core, RegisterKey::scalar(reg))).is_none_or(Vec::is_empty);
                let role = role_index(self.recording.facts.ids[core].role);
                if never { self.recording.facts.scalars[role].get(reg as usize).copied() } else { None }
            }
        }
    }

    fn tile_place(&mut self, core: usize, reg: u32, time: usize) -> Option<TilePlace> {
        match self.last_change(core, RegisterKey::tile(reg), time) {
            Some(RegisterChange::Tile(_, place)) => Some(place),
            _ => self.first_places(core, RegisterKey::tile(reg))?.0.get(reg as usize).copied(),
        }
    }

    fn view_place(&mut self, core: usize, reg: u32, time: usize) -> Option<ViewPlace> {
        match self.last_change(core, RegisterKey::view(reg), time) {
            Some(RegisterChange::View(_, place)) => Some(place),
            _ => self.first_places(core, RegisterKey::view(reg))?.1.get(reg as usize).copied(),
        }
    }

    /// Places at the start, if a register never changes: tile values whose place the plan chose.
    fn first_places(&self, core: usize, key: RegisterKey) -> Option<&'r (Vec<TilePlace>, Vec<ViewPlace>)> {
        let never = self.changes.get(&(core, key)).is_none_or(Vec::is_empty);
        let role = role_index(self.recording.facts.ids[core].role);
        never.then(|| &self.recording.facts.places[role])
    }

    // ---- contents ----------------------------------------------------------------------------------------------------

    #[expect(clippy::too_many_arguments, reason = "a tile, a time and a part of it")]
    fn tile(
        &mut self,
        core: CoreId,
        name: String,
        ty: TileType,
        place: TilePlace,
        time: usize,
        rows: Range<usize>,
        cols: Range<usize>,
    ) -> Option<Contents> {
        let (rows, cols) = clip((ty.rows as usize, ty.cols as usize), rows, cols);
        let (mut first_byte, mut end) = (i64::MAX, i64::MIN);
        for r in [rows.start, rows.end.saturating_sub(1)] {
            for c in [cols.start, cols.end.saturating_sub(1)] {
                let (first, bytes, _) = place.element(&ty, r as u64, c as u64);
                (first_byte, end) = (first_byte.min(first), end.max(first + bytes as i64));
            }
        }
        let mut span = first_byte..end;
        if ty.is_boxed() {
            span = place.start..place.start + ty.bytes() as i64;
        }
        let memory = MemoryId::Core(core, place.loc);
        let (bytes, known) = self.bytes(memory, &span, time);
        let mut contents = Contents::new(name, ContentsKind::Tile(ty, place), ty.dtype, &rows, &cols);
        (contents.rows, contents.cols) = (ty.rows as usize, ty.cols as usize);
        contents.valid = (place.valid.0 as usize, place.valid.1 as usize);
        for r in rows {
            for c in cols.clone() {
                let (first, size, shift) = place.element(&ty, r as u64, c as u64);
                let at = (first - span.start) as usize;
                let raw = read(bytes.get(at..at + size as usize).unwrap_or(&[]));
                contents.raw.push(if ty.column_bits() < 8 { raw >> shift & 15 } else { raw });
                contents.written.push(known.get(at).is_some_and(|known| *known));
            }
        }
        Some(contents)
    }

    #[expect(clippy::too_many_arguments, reason = "a view, a time and a part of it")]
    fn view(
        &mut self,
        core: CoreId,
        name: String,
        dtype: DType,
        place: ViewPlace,
        time: usize,
        rows: Range<usize>,
        cols: Range<usize>,
    ) -> Option<Contents> {
        let (all_rows, all_cols) = place.matrix_size();
        let all = (all_rows as usize, all_cols as usize);
        let (rows, cols) = clip(all, rows, cols);
        let memory = match place.place {
            AddressSpace::Core(loc) => MemoryId::Core(core, loc),
            AddressSpace::Global(buffer) => MemoryId::Global(buffer),
        };
        let mut contents = Contents::new(name, ContentsKind::View(place), dtype, &rows, &cols);
        (contents.rows, contents.cols, contents.valid) = (all.0, all.1, all);
        let (bits, size) = (dtype.column_bits(), i64::from(dtype.column_bits().div_ceil(8)));
        for r in rows {
            if cols.is_empty() {
                break;
            }
            let (first, last) = (
                place.element(bits, r as u64, cols.start as u64).0,
                place.element(bits, r as u64, cols.end as u64 - 1).0,
            );
            let span = first.min(last)..first.max(last) + size;
            // Columns that lie far apart are read one by one.
            let is_dense = span.end - span.start <= 4 * size * cols.len() as i64;
            let whole = is_dense.then(|| self.bytes(memory, &span, time));
            for c in cols.clone() {
                let (at, shift) = place.element(bits, r as u64, c as u64);
                let (raw, known) = match &whole {
                    Some((bytes, known)) => {
                        let at = (at - span.start) as usize;
                        (read(bytes.get(at..at + size as usize).unwrap_or(&[])), known.get(at).copied())
                    }
                    None => {
                        let (bytes, known) = self.bytes(memory, &(at..at + size), time);
                        (read(&bytes), known.first().copied())
                    }
                };
                contents.raw.push(if bits < 8 { raw >> shift & 15 } else { raw });
                contents.written.push(known == Some(true));
            }
        }
        Some(contents)
    }

    /// Bytes of a memory after so many moments, and for each whether something is known to have written it.
    fn bytes(&mut self, memory: MemoryId, bytes: &Range<i64>, time: usize) -> (Vec<u8>, Vec<bool>) {
        let mut into = vec![0; (bytes.end - bytes.start).max(0) as usize];
        match memory {
            MemoryId::Core(core, loc) if !self.recording.is_selective() => {
                let written = self.recording.was_written(time, memory, bytes);
                if let Some(k) = self.recording.core_index(core) {
                    self.on_core(k, time, loc, bytes, &mut into);
                }
                (into, written)
            }
            _ => {
                let known = self.recording.kept_bytes(time, memory, bytes, &mut into);
                (into, known)
            }
        }
    }

    fn on_core(&mut self, core: usize, time: usize, loc: Loc, bytes: &Range<i64>, into: &mut [u8]) -> Option<()> {
        self.seek(core, time)?;
        let replay = &mut self.cores.get_mut(&core)?.replay;
        into.copy_from_slice(replay.read(loc, bytes.start, into.len() as u64)?);
        Some(())
    }

    // ---- replay ------------------------------------------------------------------------------------------------------

    /// Brings a core to where it was after so many moments of the run.
    fn seek(&mut self, core: usize, time: usize) -> Option<()> {
        let stream = &self.recording.streams.cores[core];
        let target = stream.moments.partition_point(|m| (*m as usize) < time);
        let before = stream.checkpoints.partition_point(|c| c.moments as usize <= target);
        let checkpoint = stream.checkpoints.get(before.checked_sub(1)?)?;
        let position = self.cores.get(&core).map(|c| c.moments);
        if position.is_none_or(|at| at > target || at < checkpoint.moments as usize) {
            self.restore(core, before - 1)?;
        }
        for at in self.cores[&core].moments..target {
            self.redo(core, stream.moments[at]);
        }
        Some(())
    }

    fn restore(&mut self, core: usize, checkpoint: usize) -> Option<()> {
        let recording = self.recording;
        let checkpoint = &recording.streams.cores[core].checkpoints[checkpoint];
        if !self.cores.contains_key(&core) {
            if self.cores.len() >= MOST_CORES {
                self.cores.clear();
            }
            let replay = Replay::new(&recording.plan, recording.facts.ids[core], recording.blocks).ok()?;
            self.cores.insert(core, ReplayedCore { replay, moments: 0, changes: 0 });
        }
        let replayed = self.cores.get_mut(&core)?;
        replayed.replay.restore(&checkpoint.registers, checkpoint.memory.iter().map(|(at, bytes)| (*at, &bytes[..])));
        (replayed.moments, replayed.changes) = (checkpoint.moments as usize, checkpoint.changes as usize);
        Some(())
    }

    /// Executes a moment of a core again.
    fn redo(&mut self, core: usize, moment: u32) {
        let recording = self.recording;
        let kept = recording.streams.moments.at(moment);
        let is_replayed = recording.plan.replays(recording.facts.ids[core].role, kept.kind.step);
        let touches_global =
            recording.streams.accesses(&kept).iter().any(|a| matches!(a.place, AddressSpace::Global(_)));
        if is_replayed && touches_global {
            self.move_memory(moment as usize);
        }
        let Some(replayed) = self.cores.get_mut(&core) else { return };
        for at in replayed.changes..kept.changes as usize {
            if let Some(change) = recording.streams.change(core, at) {
                replayed.replay.set(&change);
            }
        }
        replayed.changes = replayed.changes.max(kept.changes as usize);
        replayed.moments += 1;
        if is_replayed {
            let mut none = ReplayMemory::default();
            let memory = self.memory.as_mut().map_or(&mut none, |(memory, _)| memory);
            // An instruction that fails is the last of its run.
            let _ = replayed.replay.execute(kept.kind.step, memory);
        } else {
            for (at, access) in recording.streams.accesses(&kept).iter().enumerate() {
                if let (AddressSpace::Core(_), Some((_, bytes))) = (access.place, recording.stored(moment, at as u32)) {
                    replayed.replay.write(access, bytes);
                }
            }
        }
        if is_replayed && touches_global {
            self.move_memory(moment as usize + 1);
        }
    }

    /// Brings global memory to where it was after so many moments.
    fn move_memory(&mut self, time: usize) {
        let recording = self.recording;
        let (memory, at) = self.memory.get_or_insert_with(|| (first_memory(recording), 0));
        let stored = &recording.streams.stored;
        let (first, last) = (time.min(*at), time.max(*at));
        let begin = stored.partition_point(|s| (s.moment as usize) < first);
        for kept in stored[begin..].iter().take_while(|s| (s.moment as usize) < last) {
            let Some((access, data)) = recording.stored(kept.moment, kept.access) else { continue };
            let AddressSpace::Global(buffer) = access.place else { continue };
            let bytes = memory.bytes_mut(buffer);
            for (run, new) in runs_of(&access).zip(data.chunks(access.row_bytes.max(1) as usize)) {
                let Some(old) = bytes.get_mut(run.start as usize..run.end as usize) else { continue };
                if time >= *at {
                    old.copy_from_slice(new);
                } else {
                    recording.kept_bytes(time, MemoryId::Global(buffer), &run, old);
                }
            }
        }
        *at = time;
    }
}

/// Global memory at the start.
fn first_memory(recording: &Recording) -> ReplayMemory {
    let mut memory = ReplayMemory::default();
    for buffer in &recording.streams.buffers {
        match buffer {
            FirstBytes::Bytes(bytes) => memory.add(bytes),
            FirstBytes::Zero(n) | FirstBytes::Unknown(n) => memory.add(&vec![0; *n as usize]),
        }
    }
    memory
}

/// A part of a matrix that has this many rows and columns, and at most so many elements.
fn clip(
    (rows, cols): (usize, usize),
    wanted_rows: Range<usize>,
    wanted_cols: Range<usize>,
) -> (Range<usize>, Range<usize>) {
    let within =
        |wanted: Range<usize>, size: usize| wanted.start.min(size)..wanted.end.min(size).max(wanted.start.min(size));
    let (mut rows, mut cols) = (within(wanted_rows, rows), within(wanted_cols, cols));
    cols.end = cols.end.min(cols.start + MOST_ELEMENTS);
    rows.end = rows.end.min(rows.start + MOST_ELEMENTS / cols.len().max(1));
    (rows, cols)
}

fn read(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
