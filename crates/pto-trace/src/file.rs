//! Recordings as files.
//!
//! `docs/recording.md` describes the format. After the signature and the version, everything is one LZ4 frame with checksums.

use crate::bytes::Chunks;
use crate::checkpoint::Checkpoint;
use crate::moment::Deed;
use crate::record::{RecordOptions, RecordedSource};
use crate::recording::{Facts, Recording, role_index};
use crate::streams::{CoreStream, FirstBytes, Interned, KeptMoment, StoredBytes, Streams};
use lz4_flex::frame::{FrameDecoder, FrameEncoder, FrameInfo};
use pto_cpu::{
    Access, AddressSpace, Atomic, CoreId, Flag, Numerics, Options, Registers, Role, Set, TilePlace, Uninitialised,
    ViewPlace,
};
use pto_ir::ValueId;
use pto_isa::{Diagnostic, Error, GlobalLayout, Loc, Pipe, Span, Target, codes, text};
use std::io::{self, Read, Write};

/// The first bytes of a recording.
const SIGNATURE: &[u8; 8] = b"PTOTRACE";
/// The version of the format.
const VERSION: u32 = 1;

impl Recording {
    /// True for bytes that begin as a recording does.
    pub fn is_recording(bytes: &[u8]) -> bool {
        bytes.starts_with(SIGNATURE)
    }

    /// Writes the recording; the function is told how many bytes of how many are done.
    ///
    /// # Errors
    /// If the bytes cannot be written.
    pub fn save(&self, mut to: impl Write, progress: &mut dyn FnMut(u64, u64)) -> io::Result<()> {
        to.write_all(SIGNATURE)?;
        to.write_all(&VERSION.to_le_bytes())?;
        let info = FrameInfo::new().content_checksum(true).block_checksums(true);
        let inputs: u64 = self.streams.buffers.iter().map(FirstBytes::kept).sum();
        let mut out =
            Out { to: FrameEncoder::with_frame_info(info, to), done: 0, all: self.bytes() + inputs, progress };
        self.write(&mut out)?;
        out.to.finish().map_err(io::Error::other)?.flush()
    }

    /// Reads a recording.
    ///
    /// # Errors
    /// If the bytes are no recording, are damaged or cut off, or come from another version; if the program cannot be prepared again.
    pub fn load(bytes: &[u8]) -> Result<Self, Error> {
        let Some(rest) = bytes.strip_prefix(SIGNATURE) else {
            return Err(unreadable(text!("it does not begin as a recording does").to_string()));
        };
        let Some((version, rest)) = rest.split_first_chunk::<4>() else { return Err(cut_off()) };
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return Err(other_version(version));
        }
        let mut all = Vec::new();
        if let Err(problem) = FrameDecoder::new(rest).read_to_end(&mut all) {
            let is_cut = problem.kind() == io::ErrorKind::UnexpectedEof;
            return Err(if is_cut { cut_off() } else { unreadable(text!("its checksum is wrong").to_string()) });
        }
        read(&mut In { bytes: &all })
    }

    fn write(&self, out: &mut Out<'_, impl Write>) -> io::Result<()> {
        let (source, streams) = (&self.source, &self.streams);
        out.text(env!("CARGO_PKG_VERSION"))?;
        out.text(&source.name)?;
        out.text(&source.text)?;
        out.text(source.target.name())?;
        out.text(source.entry.as_deref().unwrap_or(""))?;
        let o = &source.options;
        let bits = [o.plain, o.strict, o.open_windows, o.uninitialised == Uninitialised::Nan];
        out.number(bits.iter().rev().fold(0, |all, bit| all << 1 | u64::from(*bit)))?;
        out.number(o.numerics as u64)?;
        out.number(self.fingerprint())?;
        out.number(self.options.only.len() as u64)?;
        self.options.only.iter().try_for_each(|name| out.text(name))?;
        let lines = self.options.lines.clone().map_or((1, 0), |l| (*l.start(), *l.end()));
        out.numbers([lines.0.into(), lines.1.into(), self.options.limit])?;
        out.numbers([self.blocks.into(), self.beyond_limit, self.not_selected])?;
        out.text(&self.outcome.as_ref().map_or(String::new(), |d| d.code.id()))?;
        out.text(self.outcome.as_ref().map_or("", |d| &d.message))?;
        let span = self.outcome.as_ref().map_or(Span::default(), |d| d.primary.span);
        out.numbers([span.start.into(), span.end.into()])?;
        write_streams(streams, out)
    }

    /// A number that changes when the program would be prepared differently.
    fn fingerprint(&self) -> u64 {
        fingerprint(&self.facts)
    }
}

fn fingerprint(facts: &Facts) -> u64 {
    let step = |hash: u64, number: u64| (hash ^ number).wrapping_mul(0x0100_0000_01b3);
    let steps = |hash: u64, of_role: &Vec<pto_ir::OpId>| {
        of_role.iter().fold(step(hash, of_role.len() as u64), |hash, op| step(hash, op.index() as u64))
    };
    facts.origins.iter().fold(0xcbf2_9ce4_8422_2325, steps)
}

fn write_streams(streams: &Streams, out: &mut Out<'_, impl Write>) -> io::Result<()> {
    out.number(streams.buffers.len() as u64)?;
    for buffer in &streams.buffers {
        match buffer {
            FirstBytes::Zero(n) => out.numbers([0, *n])?,
            FirstBytes::Unknown(n) => out.numbers([2, *n])?,
            FirstBytes::Bytes(bytes) => {
                out.numbers([1, bytes.len() as u64])?;
                out.bytes(bytes)?;
            }
        }
    }
    out.number(streams.lists.len() as u64)?;
    for list in &streams.lists {
        out.number(list.len() as u64)?;
        list.iter().try_for_each(|access| out.access(access))?;
    }
    out.number(streams.deeds.len() as u64)?;
    streams.deeds.iter().try_for_each(|deed| out.numbers(deed_words(deed)))?;
    out.words(&streams.iterations)?;
    out.number(streams.tiles.list.len() as u64)?;
    for t in &streams.tiles.list {
        out.numbers([t.loc as u64, t.start as u64, t.origin as u64, t.valid.0.into(), t.valid.1.into()])?;
        out.numbers([t.strides.0.into(), t.strides.1.into(), t.geometry.into(), t.root.into()])?;
    }
    out.number(streams.views.list.len() as u64)?;
    for v in &streams.views.list {
        out.place(v.place)?;
        out.numbers([v.start as u64, v.layout as u64])?;
        out.numbers(v.shape)?;
        out.numbers(v.strides.map(|s| s as u64))?;
    }
    out.number(streams.cores.len() as u64)?;
    for core in &streams.cores {
        let id = core.id;
        out.numbers([id.rank.into(), id.block.into(), role_index(id.role) as u64, id.sub.into()])?;
        out.words(&core.registers)?;
        out.long_words(&core.values)?;
        out.number(core.checkpoints.len() as u64)?;
        for c in &core.checkpoints {
            out.numbers([c.moments.into(), c.time.into(), c.changes.into()])?;
            out.long_words(&c.registers.to_words())?;
            out.number(c.memory.len() as u64)?;
            for (start, bytes) in &c.memory {
                out.numbers([*start, bytes.len() as u64])?;
                out.bytes(bytes)?;
            }
        }
    }
    let column = |pick: fn(&KeptMoment) -> u32| streams.moments.iter().map(pick).collect::<Vec<u32>>();
    // Column by column: numbers of the same kind compress well.
    for pick in MOMENT_COLUMNS {
        out.words(&column(pick))?;
    }
    out.number(streams.stored.len() as u64)?;
    for kept in &streams.stored {
        out.numbers([kept.moment.into(), kept.access.into()])?;
        let list = &streams.lists[streams.moments[kept.moment as usize].list as usize];
        let access = &list[kept.access as usize];
        out.bytes(streams.data.get(kept.at, (access.rows * access.row_bytes) as usize))?;
    }
    Ok(())
}

const MOMENT_COLUMNS: [fn(&KeptMoment) -> u32; 7] =
    [|m| m.core, |m| m.step, |m| m.list, |m| m.changes, |m| m.iterations, |m| m.pipe.into(), |m| m.deed];

fn read(from: &mut In<'_>) -> Result<Recording, Error> {
    let made_by = from.text()?;
    let mut source = RecordedSource::new(from.text()?, from.text()?, Target::A2A3);
    source.target = Target::parse(&from.text()?).ok_or_else(damaged)?;
    source.entry = Some(from.text()?).filter(|name| !name.is_empty());
    let bits = from.number()?;
    let numerics = match from.number()? {
        0 => Numerics::Reference,
        1 => Numerics::A2A3,
        2 => Numerics::A5,
        _ => return Err(damaged()),
    };
    let fill = if bits & 8 != 0 { Uninitialised::Nan } else { Uninitialised::Zero };
    source.options = Options::default()
        .numerics(numerics)
        .plain(bits & 1 != 0)
        .uninitialised(fill)
        .strict(bits & 2 != 0)
        .open_windows(bits & 4 != 0);
    let fingerprint_then = from.number()?;
    let count = from.count(1)?;
    let only = (0..count).map(|_| from.text()).collect::<Result<Vec<_>, _>>()?;
    let (first, last, limit) = (from.number()? as u32, from.number()? as u32, from.number()?);
    let mut options = RecordOptions::default().only(only).limit(limit);
    options.lines = (first <= last).then_some(first..=last);
    let (blocks, beyond_limit, not_selected) = (from.number()? as u32, from.number()?, from.number()?);
    let (code, message) = (from.text()?, from.text()?);
    let span = Span { start: from.number()? as u32, end: from.number()? as u32 };
    let outcome = pto_isa::Code::parse(&code).map(|code| Diagnostic::new(code, span, message));
    let plan = source.plan()?;
    let streams = read_streams(from, &plan)?;
    let facts = Facts::of(&plan, &streams);
    if fingerprint(&facts) != fingerprint_then {
        return Err(other_program(&made_by));
    }
    let recording = Recording { plan, source, options, blocks, streams, outcome, beyond_limit, not_selected, facts };
    if !recording.is_consistent() {
        return Err(damaged());
    }
    Ok(recording)
}

fn read_streams(from: &mut In<'_>, plan: &pto_cpu::Plan) -> Result<Streams, Error> {
    let mut streams = Streams::default();
    for _ in 0..from.count(16)? {
        let (kind, length) = (from.number()?, from.number()?);
        streams.buffers.push(match kind {
            0 => FirstBytes::Zero(length),
            1 => FirstBytes::Bytes(from.bytes(length)?.to_vec()),
            2 => FirstBytes::Unknown(length),
            _ => return Err(damaged()),
        });
    }
    for _ in 0..from.count(8)? {
        let count = from.count(8)?;
        streams.lists.push((0..count).map(|_| from.access()).collect::<Result<_, _>>()?);
    }
    let count = from.count(40)?;
    streams.deeds = (0..count).map(|_| from.deed()).collect::<Result<_, _>>()?;
    streams.iterations = from.words()?;
    let count = from.count(72)?;
    let tiles = (0..count).map(|_| from.tile_place()).collect::<Result<_, _>>()?;
    streams.tiles = Interned::of(tiles);
    let count = from.count(96)?;
    let views = (0..count).map(|_| from.view_place()).collect::<Result<_, _>>()?;
    streams.views = Interned::of(views);
    for _ in 0..from.count(32)? {
        let id = from.core()?;
        let (registers, values) = (from.words()?, from.long_words()?);
        let mut core = CoreStream { id, moments: Vec::new(), registers, values, checkpoints: Vec::new() };
        for _ in 0..from.count(24)? {
            core.checkpoints.push(from.checkpoint(plan, id.role)?);
        }
        streams.cores.push(core);
    }
    let mut columns = Vec::new();
    for _ in MOMENT_COLUMNS {
        columns.push(from.words()?);
    }
    if columns.iter().any(|c| c.len() != columns[0].len()) {
        return Err(damaged());
    }
    for at in 0..columns[0].len() {
        let [core, step, list, changes, iterations, pipe, deed] = std::array::from_fn(|k| columns[k][at]);
        let pipe = u8::try_from(pipe).map_err(|_| damaged())?;
        streams.moments.push(KeptMoment { core, step, list, changes, iterations, pipe, deed });
        streams.cores.get_mut(core as usize).ok_or_else(damaged)?.moments.push(at as u32);
    }
    read_stored(from, &mut streams)?;
    Ok(streams)
}

fn read_stored(from: &mut In<'_>, streams: &mut Streams) -> Result<(), Error> {
    let mut data = Chunks::default();
    for _ in 0..from.count(16)? {
        let (moment, access) = (from.number()? as u32, from.number()? as u32);
        let list = streams.moments.get(moment as usize).and_then(|m| streams.lists.get(m.list as usize));
        let written = list.and_then(|l| l.get(access as usize)).ok_or_else(damaged)?;
        let bytes = from.bytes(written.rows.saturating_mul(written.row_bytes))?;
        let at = data.add(bytes.len(), |into| into.extend_from_slice(bytes));
        streams.stored.push(StoredBytes { moment, access, at });
    }
    streams.data = data;
    Ok(())
}

impl Recording {
    /// Checks that every position in the streams leads somewhere.
    fn is_consistent(&self) -> bool {
        let streams = &self.streams;
        let is_sorted = streams.stored.is_sorted_by_key(|s| (s.moment, s.access));
        let good = |m: &KeptMoment| {
            let core = &streams.cores[m.core as usize];
            let role = role_index(core.id.role);
            let depth = self.facts.nests[role].path(m.step).len() as u64;
            (m.step as usize) < self.facts.origins[role].len()
                && (m.list == crate::nest::NONE || (m.list as usize) < streams.lists.len())
                && m.changes as usize <= core.registers.len()
                && (m.iterations == crate::nest::NONE && depth == 0
                    || u64::from(m.iterations) + depth <= streams.iterations.len() as u64)
                && (m.deed as usize) < streams.deeds.len()
        };
        let good_core = |c: &CoreStream| {
            c.registers.len() == c.values.len() && c.checkpoints.is_sorted_by_key(|c| (c.moments, c.changes))
        };
        is_sorted && streams.moments.iter().all(good) && streams.cores.iter().all(good_core)
    }
}

fn deed_words(deed: &Deed) -> [u64; 5] {
    let flag = |kind: u64, f: &Flag| [kind, f.src as u64, f.dst as u64, f.id as u64, 0];
    let number = |kind: u64, n: u64| [kind, n, 0, 0, 0];
    match deed {
        Deed::Work => number(0, 0),
        Deed::SetFlag(f) => flag(1, f),
        Deed::WaitFlag(f) => flag(2, f),
        Deed::Barrier => number(3, 0),
        Deed::GetToken(id) => number(4, *id as u64),
        Deed::ReleaseToken(id) => number(5, *id as u64),
        Deed::Signal(id) => number(6, *id as u64),
        Deed::Await(id) => number(7, *id as u64),
        Deed::Arrive(set) => number(8, set_number(*set)),
        Deed::Leave(set) => number(9, set_number(*set)),
        Deed::Open(key) => number(10, (*key).into()),
        Deed::Alloc(key) => number(11, (*key).into()),
        Deed::Push(key) => number(12, (*key).into()),
        Deed::Pop(key) => number(13, (*key).into()),
        Deed::Free(key) => number(14, (*key).into()),
        Deed::Notify => number(15, 0),
        Deed::Noticed => number(16, 0),
        Deed::Missed => number(17, 0),
        Deed::Copy => number(18, 0),
        Deed::Other => number(19, 0),
    }
}

fn set_number(set: Set) -> u64 {
    match set {
        Set::Vector => 0,
        Set::Cube => 1,
        Set::All => 2,
    }
}

/// Writes numbers as eight bytes, the lowest first, and texts as their length and UTF-8.
struct Out<'a, W: Write> {
    to: FrameEncoder<W>,
    done: u64,
    all: u64,
    progress: &'a mut dyn FnMut(u64, u64),
}

impl<W: Write> Out<'_, W> {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        for part in bytes.chunks(1 << 20) {
            self.to.write_all(part)?;
            self.done += part.len() as u64;
            (self.progress)(self.done.min(self.all), self.all);
        }
        Ok(())
    }

    fn number(&mut self, number: u64) -> io::Result<()> {
        self.to.write_all(&number.to_le_bytes())
    }

    fn numbers<const N: usize>(&mut self, numbers: [u64; N]) -> io::Result<()> {
        numbers.iter().try_for_each(|n| self.number(*n))
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.number(text.len() as u64)?;
        self.to.write_all(text.as_bytes())
    }

    fn words(&mut self, words: &[u32]) -> io::Result<()> {
        self.number(words.len() as u64)?;
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.bytes(&bytes)
    }

    fn long_words(&mut self, words: &[u64]) -> io::Result<()> {
        self.number(words.len() as u64)?;
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.bytes(&bytes)
    }

    fn place(&mut self, place: AddressSpace) -> io::Result<()> {
        match place {
            AddressSpace::Core(loc) => self.numbers([0, loc as u64]),
            AddressSpace::Global(buffer) => self.numbers([1, buffer as u64]),
        }
    }

    fn access(&mut self, a: &Access) -> io::Result<()> {
        self.place(a.place)?;
        self.numbers([a.start as u64, a.row_bytes, a.rows, a.stride as u64, a.write.into(), a.atomic as u64])?;
        let optional = |n: Option<u64>| n.map_or(0, |n| n + 1);
        self.numbers([optional(a.value.map(|v| v.index() as u64)), optional(a.tile.map(Into::into))])?;
        self.numbers([a.origin as u64, a.geometry.into(), a.valid.0.into(), a.valid.1.into()])
    }
}

/// Reads what [`Out`] writes.
struct In<'a> {
    bytes: &'a [u8],
}

impl<'a> In<'a> {
    fn bytes(&mut self, count: u64) -> Result<&'a [u8], Error> {
        let count = usize::try_from(count).map_err(|_| damaged())?;
        let (found, rest) = self.bytes.split_at_checked(count).ok_or_else(damaged)?;
        self.bytes = rest;
        Ok(found)
    }

    fn number(&mut self) -> Result<u64, Error> {
        let bytes = self.bytes(8)?;
        Ok(bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b)))
    }

    /// A number of items of which each takes at least so many bytes.
    fn count(&mut self, each: usize) -> Result<usize, Error> {
        let count = self.number()?;
        let fits = usize::try_from(count).ok().filter(|n| n.saturating_mul(each) <= self.bytes.len());
        fits.ok_or_else(damaged)
    }

    fn text(&mut self) -> Result<String, Error> {
        let count = self.number()?;
        String::from_utf8(self.bytes(count)?.to_vec()).map_err(|_| damaged())
    }

    fn words(&mut self) -> Result<Vec<u32>, Error> {
        let count = self.count(4)?;
        let bytes = self.bytes(4 * count as u64)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
    }

    fn long_words(&mut self) -> Result<Vec<u64>, Error> {
        let count = self.count(8)?;
        let bytes = self.bytes(8 * count as u64)?;
        Ok(bytes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect())
    }

    fn loc(&mut self) -> Result<Loc, Error> {
        Loc::ALL.get(self.number()? as usize).copied().ok_or_else(damaged)
    }

    fn pipe(number: u64) -> Result<Pipe, Error> {
        let all = Pipe::REAL.iter().copied().chain([Pipe::All]);
        all.into_iter().find(|p| *p as u64 == number).ok_or_else(damaged)
    }

    fn place(&mut self) -> Result<AddressSpace, Error> {
        match self.number()? {
            0 => Ok(AddressSpace::Core(self.loc()?)),
            1 => Ok(AddressSpace::Global(self.number()? as usize)),
            _ => Err(damaged()),
        }
    }

    fn access(&mut self) -> Result<Access, Error> {
        let place = self.place()?;
        let (start, row_bytes, rows) = (self.number()? as i64, self.number()?, self.number()?);
        let (stride, write) = (self.number()? as i64, self.number()? != 0);
        let atomic = match self.number()? {
            0 => Atomic::No,
            1 => Atomic::Scratch,
            2 => Atomic::Add,
            3 => Atomic::Max,
            4 => Atomic::Min,
            _ => return Err(damaged()),
        };
        let optional = |n: u64| n.checked_sub(1);
        let value = optional(self.number()?).map(|v| ValueId::from_index(v as usize));
        let tile = optional(self.number()?).map(|t| t as u32);
        let (origin, geometry) = (self.number()? as i64, self.number()? as u32);
        let valid = (self.number()? as u32, self.number()? as u32);
        Ok(Access { place, start, row_bytes, rows, stride, write, atomic, value, tile, origin, geometry, valid })
    }

    fn tile_place(&mut self) -> Result<TilePlace, Error> {
        let (loc, start, origin) = (self.loc()?, self.number()? as i64, self.number()? as i64);
        let (valid, strides) =
            ((self.number()? as u32, self.number()? as u32), (self.number()? as u32, self.number()? as u32));
        Ok(TilePlace {
            loc,
            start,
            origin,
            valid,
            strides,
            geometry: self.number()? as u32,
            root: self.number()? as u32,
        })
    }

    fn view_place(&mut self) -> Result<ViewPlace, Error> {
        let (place, start, layout) = (self.place()?, self.number()? as i64, self.number()?);
        let layout = GlobalLayout::ALL.iter().copied().find(|l| *l as u64 == layout).ok_or_else(damaged)?;
        let (mut shape, mut strides) = ([0; 5], [0; 5]);
        for extent in &mut shape {
            *extent = self.number()?;
        }
        for stride in &mut strides {
            *stride = self.number()? as i64;
        }
        Ok(ViewPlace { place, start, shape, strides, layout })
    }

    fn core(&mut self) -> Result<CoreId, Error> {
        let (rank, block) = (self.number()? as u32, self.number()? as u32);
        let role = [Role::Whole, Role::Cube, Role::Vector].get(self.number()? as usize).copied().ok_or_else(damaged)?;
        Ok(CoreId { rank, block, role, sub: self.number()? as u32 })
    }

    fn checkpoint(&mut self, plan: &pto_cpu::Plan, role: Role) -> Result<Checkpoint, Error> {
        let (moments, time, changes) = (self.number()? as u32, self.number()? as u32, self.number()? as u32);
        let words = self.long_words()?;
        let registers = Registers::from_words(plan, role, &words).ok_or_else(damaged)?;
        let mut memory = Vec::new();
        for _ in 0..self.count(16)? {
            let (start, length) = (self.number()?, self.number()?);
            memory.push((start, self.bytes(length)?.to_vec()));
        }
        Ok(Checkpoint { moments, time, changes, registers, memory })
    }

    fn deed(&mut self) -> Result<Deed, Error> {
        let [kind, a, b, c, _] = [self.number()?, self.number()?, self.number()?, self.number()?, self.number()?];
        let flag = || Ok::<_, Error>(Flag { src: Self::pipe(a)?, dst: Self::pipe(b)?, id: c as i64 });
        let set = || [Set::Vector, Set::Cube, Set::All].get(a as usize).copied().ok_or_else(damaged);
        Ok(match kind {
            0 => Deed::Work,
            1 => Deed::SetFlag(flag()?),
            2 => Deed::WaitFlag(flag()?),
            3 => Deed::Barrier,
            4 => Deed::GetToken(a as i64),
            5 => Deed::ReleaseToken(a as i64),
            6 => Deed::Signal(a as i64),
            7 => Deed::Await(a as i64),
            8 => Deed::Arrive(set()?),
            9 => Deed::Leave(set()?),
            10 => Deed::Open(a as u32),
            11 => Deed::Alloc(a as u32),
            12 => Deed::Push(a as u32),
            13 => Deed::Pop(a as u32),
            14 => Deed::Free(a as u32),
            15 => Deed::Notify,
            16 => Deed::Noticed,
            17 => Deed::Missed,
            18 => Deed::Copy,
            19 => Deed::Other,
            _ => return Err(damaged()),
        })
    }
}

fn unreadable(why: String) -> Error {
    let message = text!("the file is no recording that can be read: {why}", why);
    Diagnostic::new(codes::RECORDING_DAMAGED, Span::default(), message)
        .help(text!("`pto trace` makes recordings"))
        .into()
}

fn cut_off() -> Error {
    unreadable(text!("it is cut off").to_string())
}

fn damaged() -> Error {
    unreadable(text!("its contents contradict each other").to_string())
}

fn other_version(version: u32) -> Error {
    let message =
        text!("the recording has version {version} of the format, and this is version {VERSION}", version, VERSION);
    Diagnostic::new(codes::RECORDING_VERSION, Span::default(), message)
        .help(text!("record the program again with this version of `pto`"))
        .into()
}

fn other_program(made_by: &str) -> Error {
    let message = text!("version {made_by} of `pto` prepared the recorded program differently", made_by);
    Diagnostic::new(codes::RECORDING_VERSION, Span::default(), message)
        .help(text!("record the program again with this version of `pto`"))
        .into()
}
