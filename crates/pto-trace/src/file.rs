//! Recordings as files.
//!
//! `docs/recording.md` describes the format. After the signature and the version, everything is one LZ4 frame with checksums.

use crate::bytes::DataChunks;
use crate::codec::{
    FileReader, FileWriter, VERSION, cut_off, damaged, deed_words, other_program, other_version, unreadable,
};
use crate::moments::{KeptMoment, MomentKind};
use crate::options::{RecordOptions, RecordedSource};
use crate::recording::{PlanFacts, Recording, role_index};
use crate::streams::{CoreStream, FirstBytes, Interned, NONE, StoredBytes, Streams};
use lz4_flex::frame::{FrameDecoder, FrameEncoder, FrameInfo};
use pto_cpu::{Numerics, Options, Uninitialised};
use pto_isa::hash::FastMap;
use pto_isa::{Diagnostic, Error, Span, Target, text};
use std::io::{self, Read, Write};

/// The first bytes of a recording.
const SIGNATURE: &[u8; 8] = b"PTOTRACE";

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
            FileWriter { to: FrameEncoder::with_frame_info(info, to), done: 0, all: self.bytes() + inputs, progress };
        self.write(&mut out)?;
        out.to.finish().map_err(io::Error::other)?.flush()
    }

    /// Reads a recording.
    ///
    /// # Errors
    /// If the bytes are no recording, are damaged or cut off, or come from another version; if the program cannot be prepared again.
    pub fn load(bytes: &[u8]) -> Result<Self, Error> {
        let Some(rest) = bytes.strip_prefix(SIGNATURE) else {
            return Err(unreadable(text!("it does not begin as a recording does")));
        };
        let Some((version, rest)) = rest.split_first_chunk::<4>() else { return Err(cut_off()) };
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return Err(other_version(version));
        }
        let mut all = Vec::new();
        if let Err(problem) = FrameDecoder::new(rest).read_to_end(&mut all) {
            let is_cut = problem.kind() == io::ErrorKind::UnexpectedEof;
            return Err(if is_cut { cut_off() } else { unreadable(text!("its checksum is wrong")) });
        }
        read(&mut FileReader { bytes: &all })
    }

    fn write(&self, out: &mut FileWriter<'_, impl Write>) -> io::Result<()> {
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

fn fingerprint(facts: &PlanFacts) -> u64 {
    let step = |hash: u64, number: u64| (hash ^ number).wrapping_mul(0x0100_0000_01b3);
    let steps = |hash: u64, of_role: &Vec<pto_ir::OpId>| {
        of_role.iter().fold(step(hash, of_role.len() as u64), |hash, op| step(hash, op.index() as u64))
    };
    facts.origins.iter().fold(0xcbf2_9ce4_8422_2325, steps)
}

fn write_streams(streams: &Streams, out: &mut FileWriter<'_, impl Write>) -> io::Result<()> {
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
    let column = |pick: fn(KeptMoment) -> u32| streams.moments.iter().map(pick).collect::<Vec<u32>>();
    // Column by column: numbers of the same kind compress well.
    for pick in MOMENT_COLUMNS {
        out.words(&column(pick))?;
    }
    out.number(streams.stored.len() as u64)?;
    for kept in &streams.stored {
        out.numbers([kept.moment.into(), kept.access.into()])?;
        let list = &streams.lists[streams.moments.at(kept.moment).kind.list as usize];
        let access = &list[kept.access as usize];
        out.bytes(streams.data.get(kept.at, (access.rows * access.row_bytes) as usize))?;
    }
    Ok(())
}

const MOMENT_COLUMNS: [fn(KeptMoment) -> u32; 7] = [
    |m| m.kind.core,
    |m| m.kind.step,
    |m| m.kind.list,
    |m| m.changes,
    |m| m.iterations,
    |m| m.kind.pipe.into(),
    |m| m.kind.deed,
];

fn read(from: &mut FileReader<'_>) -> Result<Recording, Error> {
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
    let facts = PlanFacts::of(&plan, &streams);
    if fingerprint(&facts) != fingerprint_then {
        return Err(other_program(&made_by));
    }
    let recording = Recording { plan, source, options, blocks, streams, outcome, beyond_limit, not_selected, facts };
    if !recording.is_consistent() {
        return Err(damaged());
    }
    Ok(recording)
}

fn read_streams(from: &mut FileReader<'_>, plan: &pto_cpu::Plan) -> Result<Streams, Error> {
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
        columns.push(from.words()?.into_iter());
    }
    let count = columns[0].len();
    let mut last_kinds: FastMap<(u32, u32), u32> = FastMap::default();
    for at in 0..count as u32 {
        let [core, step, list, changes, iterations, pipe, deed] = std::array::from_fn(|k| columns[k].next());
        let moment = || {
            let pipe = u8::try_from(pipe?).ok()?;
            let kind = MomentKind { core: core?, step: step?, list: list?, deed: deed?, pipe };
            Some(KeptMoment { kind, changes: changes?, iterations: iterations? })
        };
        let KeptMoment { kind, changes, iterations } = moment().ok_or_else(damaged)?;
        streams.cores.get_mut(kind.core as usize).ok_or_else(damaged)?.moments.push(at);
        let known = last_kinds.entry((kind.core, kind.step)).or_insert(NONE);
        if streams.moments.kind(*known) != Some(&kind) {
            *known = streams.moments.add_kind(kind);
        }
        streams.moments.push(*known, changes, iterations);
    }
    if columns.iter().any(|column| column.len() > 0) {
        return Err(damaged());
    }
    read_stored(from, &mut streams)?;
    Ok(streams)
}

fn read_stored(from: &mut FileReader<'_>, streams: &mut Streams) -> Result<(), Error> {
    let mut data = DataChunks::default();
    for _ in 0..from.count(16)? {
        let (moment, access) = (from.number()? as u32, from.number()? as u32);
        let list = streams.moments.get(moment).and_then(|m| streams.lists.get(m.kind.list as usize));
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
        let good = |m: KeptMoment| {
            let core = &streams.cores[m.kind.core as usize];
            let role = role_index(core.id.role);
            (m.kind.step as usize) < self.facts.origins[role].len()
                && (m.kind.list == NONE || (m.kind.list as usize) < streams.lists.len())
                && m.changes as usize <= core.registers.len()
                && streams.iterations(&m).is_some()
                && (m.kind.deed as usize) < streams.deeds.len()
        };
        let good_core = |c: &CoreStream| {
            c.registers.len() == c.values.len() && c.checkpoints.is_sorted_by_key(|c| (c.moments, c.changes))
        };
        is_sorted && streams.moments.iter().all(good) && streams.cores.iter().all(good_core)
    }
}
