//! Collects what a page shows of a recording: moments, where their operands lie, and the bytes that they found and wrote.

use super::PageSelection;
use super::store::{ByteStore, Mirror, Numbered};
use pto::cost::pipe_name;
use pto::cpu::{Access, AddressSpace, CoreId, DEVICE, ElementNumber, TilePlace, ViewPlace, numbers_of};
use pto::ir::ValueId;
use pto::isa::{Class, DType, TileType, Type};
use pto::trace::{
    AxisMap, AxisStart, ContentsKind, Deed, MemoryId, Moment, OperandPlace, Player, Recording, SourceMap,
};
use serde::Serialize;

/// Reads of more bytes than this are not shown: tables that single elements are taken from.
const MOST_FOUND: u64 = 1 << 20;
/// Bytes of text for a moment beside what it wrote, roughly.
const MOMENT_TEXT: usize = 60;

/// All that a page shows; see `model.js` for what the numbers stand for.
#[derive(Default, Serialize)]
pub(super) struct PageData {
    pub moments: Vec<PageMoment>,
    ops: Numbered<PageOp>,
    uses: Numbered<PageUse>,
    maps: Numbered<Vec<PageMap>>,
    loops: Numbered<String>,
    values: Numbered<(String,)>,
    places: Numbered<(usize, i64, usize, u32, u32)>,
    shapes: Numbered<PageShape>,
    types: Numbered<PageType>,
    rects: Numbered<(usize, i64, u64, u64, i64)>,
    blobs: Vec<(usize, usize)>,
    memories: Vec<(String, i64, u64)>,
}

/// Core, operation, operands, iterations, bytes that it found, bytes that it wrote, numbers among its operands.
type PageMoment = (usize, usize, usize, usize, Vec<usize>, Vec<usize>, Vec<(usize, String)>);
type PageAxis = (u8, u64, u64, u64, i64, u64);
/// An operand by its position (a scalar: -1), its value, rows, columns, where they end, whether nothing else matters, and whether it counts
/// only where no other operand has an element.
type PageMap = (i64, i64, PageAxis, PageAxis, (u64, u64), bool, bool);

#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
struct PageOp {
    name: &'static str,
    line: u32,
    text: String,
    pipe: &'static str,
    deed: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
struct PageUse {
    /// What is read: value and place.
    r: Vec<(i64, usize)>,
    /// What is written: value, place and what it comes from.
    w: Vec<(i64, usize, usize)>,
}

/// Rows, columns, element type, bits of an element, offsets of rows and columns in bits, a description; a table of all offsets if rows and
/// columns do not add up.
#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
struct PageShape(u64, u64, usize, u32, Offsets, Offsets, String, Vec<i64>);

#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
enum Offsets {
    Stride(i64),
    List(Vec<i64>),
}

#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
struct PageType {
    name: &'static str,
    bits: u32,
    signed: bool,
    /// Two numbers lie in a byte.
    pairs: bool,
    /// All numbers of a small format.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    table: Vec<String>,
}

/// Collects moments until the page is full.
pub(super) struct Collector<'r> {
    player: Player<'r>,
    recording: &'r Recording,
    lines: Vec<&'r str>,
    memories: Numbered<MemoryId>,
    store: ByteStore,
    mirror: Mirror,
    text: usize,
    data: PageData,
}

impl<'r> Collector<'r> {
    pub fn new(recording: &'r Recording) -> Self {
        Self {
            player: Player::new(recording),
            recording,
            lines: recording.source().text.lines().collect(),
            memories: Numbered::default(),
            store: ByteStore::default(),
            mirror: Mirror::default(),
            text: 0,
            data: PageData::default(),
        }
    }

    /// Collects the moments of a selection, as many as fit into so many bytes; gives the data, the bytes, and how many moments there
    /// would be.
    pub fn collect(mut self, selection: &PageSelection, most: u64) -> (PageData, Vec<u8>, usize) {
        let is_wanted = |at: &usize| {
            let touches = |a: &Access| a.value.is_some_and(|v| selection.only.contains(&v));
            selection.only.is_empty() || self.recording.moment(*at).accesses.iter().any(touches)
        };
        let wanted: Vec<usize> = selection.moments.clone().filter(is_wanted).collect();
        for at in &wanted {
            let (bytes, parts) = (self.store.bytes.len(), self.store.parts.len());
            let moment = self.moment(*at);
            if (self.store.bytes.len().div_ceil(3) * 4 + self.text) as u64 > most {
                self.store.bytes.truncate(bytes);
                self.store.parts.truncate(parts);
                break;
            }
            self.data.moments.push(moment);
        }
        self.data.blobs = self.store.parts;
        let memories = self.memories.items().iter().map(|m| memory_entry(self.recording, *m));
        self.data.memories = memories.collect();
        (self.data, self.store.bytes, wanted.len())
    }

    fn moment(&mut self, at: usize) -> PageMoment {
        let moment = self.recording.moment(at);
        let core = self.recording.cores().iter().position(|c| *c == moment.core).unwrap_or(0);
        let op = self.op(&moment);
        let found = self.found(&moment);
        let written = self.written(&moment);
        let usage = self.usage(&moment);
        let iterations: Vec<String> = moment.iterations.iter().map(u32::to_string).collect();
        let loops = self.data.loops.number(iterations.join(", "));
        let numbers = self.numbers(&moment);
        self.text += MOMENT_TEXT + 12 * (found.len() + written.len()) + 24 * numbers.len();
        (core, op, usage, loops, found, written, numbers)
    }

    fn op(&mut self, moment: &Moment<'_>) -> usize {
        let row = self.recording.module().op(moment.op).op.row();
        let line = self.lines.get((moment.line as usize).wrapping_sub(1));
        let op = PageOp {
            name: row.name,
            line: moment.line,
            text: line.map_or(String::new(), |line| line.trim().to_string()),
            pipe: moment.pipe.map_or("", |pipe| pipe_name(Some(pipe))),
            deed: moment.deed.describe(),
        };
        let (before, size) = (self.data.ops.items().len(), op.text.len());
        let number = self.data.ops.number(op);
        self.text += if number == before { size + 80 } else { 0 };
        number
    }

    /// Bytes that the moment reads and that the page does not know.
    fn found(&mut self, moment: &Moment<'_>) -> Vec<usize> {
        let mut list = Vec::new();
        let before = moment.at.checked_sub(1);
        for access in moment.accesses.iter().filter(|a| !a.write && a.rows > 0 && a.row_bytes > 0) {
            if access.rows.saturating_mul(access.row_bytes) > MOST_FOUND {
                continue;
            }
            let memory = memory_of(moment.core, access.place);
            let bytes = self.bytes(memory, access, before);
            if self.is_known(memory, access, &bytes) || !self.has_content(memory, access, &bytes, before) {
                continue;
            }
            self.note(memory, access, &bytes, &mut list);
        }
        list
    }

    /// Bytes that the moment wrote.
    fn written(&mut self, moment: &Moment<'_>) -> Vec<usize> {
        let mut list = Vec::new();
        for access in moment.accesses.iter().filter(|a| leaves_result(a)) {
            let memory = memory_of(moment.core, access.place);
            let bytes = self.bytes(memory, access, Some(moment.at));
            self.note(memory, access, &bytes, &mut list);
        }
        list
    }

    fn note(&mut self, memory: MemoryId, access: &Access, bytes: &[u8], list: &mut Vec<usize>) {
        let number = self.memories.number(memory);
        for (first, run) in runs(access, bytes) {
            self.mirror.write(number, first, run);
        }
        let before = self.data.rects.items().len();
        let rect = if access.stride == access.row_bytes as i64 || access.rows == 1 {
            (number, access.start, 1, access.rows * access.row_bytes, 0)
        } else {
            (number, access.start, access.rows, access.row_bytes, access.stride)
        };
        let rect = self.data.rects.number(rect);
        self.text += if rect == before { 40 } else { 0 };
        list.extend([rect, self.store.number(bytes)]);
    }

    /// The bytes of an access after a moment, run after run.
    fn bytes(&mut self, memory: MemoryId, access: &Access, at: Option<usize>) -> Vec<u8> {
        let (rows, length, stride) = (access.rows as i64, access.row_bytes as i64, access.stride);
        if rows == 1 || stride == length {
            return self.player.memory(memory, access.start..access.start + rows * length, at);
        }
        if stride > length && stride <= 8 * length {
            let span = self.player.memory(memory, access.start..access.start + (rows - 1) * stride + length, at);
            return (0..rows).flat_map(|row| span[(row * stride) as usize..][..length as usize].to_vec()).collect();
        }
        let run = |row: i64| access.start + row * stride..access.start + row * stride + length;
        (0..rows).flat_map(|row| self.player.memory(memory, run(row), at)).collect()
    }

    fn is_known(&mut self, memory: MemoryId, access: &Access, bytes: &[u8]) -> bool {
        let number = self.memories.number(memory);
        runs(access, bytes).all(|(first, run)| self.mirror.knows(number, first, run))
    }

    /// False for memory that nothing wrote, and for inputs that were not recorded.
    fn has_content(&self, memory: MemoryId, access: &Access, bytes: &[u8], before: Option<usize>) -> bool {
        let span =
            access.start..access.start + (access.rows as i64 - 1) * access.stride.max(0) + access.row_bytes as i64;
        let was_written = || before.is_some_and(|at| self.recording.last_write(at, memory, span).is_some());
        let is_input = matches!(memory, MemoryId::Global(_)) && !self.recording.is_selective();
        is_input || bytes.iter().any(|b| *b != 0) || was_written()
    }

    fn usage(&mut self, moment: &Moment<'_>) -> usize {
        let mut usage = PageUse { r: Vec::new(), w: Vec::new() };
        // Where each operand stands in the list of the page, by access.
        let mut reads: Vec<(usize, usize)> = Vec::new();
        for (at, access) in moment.accesses.iter().enumerate().filter(|(_, a)| !a.write) {
            let Some(entry) = self.operand(moment, access) else { continue };
            let position = usage.r.iter().position(|known| *known == entry).unwrap_or_else(|| {
                usage.r.push(entry);
                usage.r.len() - 1
            });
            reads.push((at, position));
        }
        let written: Vec<(usize, &Access)> =
            moment.accesses.iter().enumerate().filter(|(_, a)| leaves_result(a)).collect();
        for (at, access) in written {
            let Some((value, place)) = self.operand(moment, access) else { continue };
            if usage.w.iter().any(|w| (w.0, w.1) == (value, place)) {
                continue;
            }
            let own = (at, usage.r.len() + usage.w.len());
            let maps = self.player.source_maps(moment.at, at);
            let maps = maps.iter().filter_map(|map| self.map(map, &reads, own)).collect();
            let before = self.data.maps.items().len();
            let maps = self.data.maps.number(maps);
            self.text += if maps == before { 120 } else { 0 };
            usage.w.push((value, place, maps));
        }
        let (before, size) = (self.data.uses.items().len(), 30 + 16 * (usage.r.len() + usage.w.len()));
        let number = self.data.uses.number(usage);
        self.text += if number == before { size } else { 0 };
        number
    }

    fn map(&mut self, map: &SourceMap, reads: &[(usize, usize)], own: (usize, usize)) -> Option<PageMap> {
        let index = match map.access {
            None => -1,
            Some(access) => reads.iter().chain([&own]).find(|(at, _)| *at == access)?.1 as i64,
        };
        let value = map.value.map_or(-1, |value| self.value(value) as i64);
        Some((index, value, axis(&map.rows), axis(&map.cols), map.size, map.exact, map.otherwise))
    }

    fn value(&mut self, value: ValueId) -> usize {
        let name = self.recording.module().value_name(value);
        self.data.values.number((if name.is_empty() { format!("%{}", value.index()) } else { format!("%{name}") },))
    }

    /// An operand in the list of the page: value and place.
    fn operand(&mut self, moment: &Moment<'_>, access: &Access) -> Option<(i64, usize)> {
        let place = self.player.access_place(moment.at, access)?;
        let place = self.place(moment.core, access, &place);
        Some((access.value.map_or(-1, |value| self.value(value) as i64), place))
    }

    fn place(&mut self, core: CoreId, access: &Access, place: &OperandPlace) -> usize {
        let (memory, start, shape, valid) = match place {
            OperandPlace::Tile(ty, tile) => {
                let shape = self.tile_shape(ty, tile);
                (MemoryId::Core(core, tile.loc), tile.start, shape, tile.valid)
            }
            OperandPlace::View(_, view) => {
                let (rows, cols) = view.matrix_size();
                let shape = self.view_shape(access.value, view, (rows, cols));
                (memory_of(core, view.place), view.start, shape, (rows as u32, cols as u32))
            }
        };
        let memory = self.memories.number(memory);
        let before = self.data.places.items().len();
        let number = self.data.places.number((memory, start, shape, valid.0, valid.1));
        self.text += if number == before { 36 } else { 0 };
        number
    }

    fn tile_shape(&mut self, ty: &TileType, place: &TilePlace) -> usize {
        let bit = |r: u64, c: u64| {
            let (first, _, shift) = place.element(ty, r, c);
            (first - place.start) * 8 + shift as i64
        };
        let text =
            TileType { valid_rows: pto::isa::Dim::Fixed(ty.rows), valid_cols: pto::isa::Dim::Fixed(ty.cols), ..*ty }
                .to_string();
        self.shape((ty.rows, ty.cols), ty.dtype, ty.column_bits(), text, &bit)
    }

    fn view_shape(&mut self, value: Option<ValueId>, place: &ViewPlace, size: (u64, u64)) -> usize {
        let ty = value.map(|v| self.recording.module().value_type(v));
        let dtype = ty.and_then(Type::elem).unwrap_or(DType::U8);
        let bits = dtype.column_bits();
        let bit = |r: u64, c: u64| {
            let (first, shift) = place.element(bits, r, c);
            (first - place.start) * 8 + shift as i64
        };
        let text = format!("{}x{} {} {}", size.0, size.1, dtype.name(), place.layout.name());
        self.shape(size, dtype, bits, text, &bit)
    }

    fn shape(
        &mut self,
        (rows, cols): (u64, u64),
        dtype: DType,
        bits: u32,
        text: String,
        bit: &dyn Fn(u64, u64) -> i64,
    ) -> usize {
        let down: Vec<i64> = (0..rows).map(|r| bit(r, 0)).collect();
        let right: Vec<i64> = (0..cols).map(|c| bit(0, c)).collect();
        // Low boxes at the end of a tile make columns depend on rows.
        let last = rows.saturating_sub(1);
        let adds_up = (0..cols).all(|c| bit(last, c) == down[last as usize] + right[c as usize]);
        let table = if adds_up { Vec::new() } else { (0..rows * cols).map(|k| bit(k / cols, k % cols)).collect() };
        let types = self.data.types.number(page_type(dtype));
        let before = self.data.shapes.items().len();
        let shape = PageShape(rows, cols, types, bits, offsets(down), offsets(right), text, table);
        let number = self.data.shapes.number(shape);
        self.text += if number == before { 80 + 8 * (rows + cols) as usize } else { 0 };
        number
    }

    /// Scalars among the operands.
    fn numbers(&mut self, moment: &Moment<'_>) -> Vec<(usize, String)> {
        let module = self.recording.module();
        let mut list = Vec::new();
        if moment.deed == Deed::Copy {
            return list;
        }
        for operand in module.operands(moment.op) {
            if !matches!(module.value_type(operand.value), Type::Scalar(_)) {
                continue;
            }
            let held = self.player.value(moment.core, operand.value, Some(moment.at));
            if let Some(held) = held.filter(|h| matches!(h.kind, ContentsKind::Scalar(_))) {
                list.push((self.value(operand.value), held.text(0, 0)));
            }
        }
        list
    }
}

fn page_type(dtype: DType) -> PageType {
    let has_table = dtype.is_float() && dtype.bits() <= 8;
    let number = |raw: u64| match numbers_of(dtype, raw).next() {
        Some(ElementNumber::Float(x)) if x.is_nan() => "NaN".to_string(),
        Some(ElementNumber::Float(x)) if x.is_infinite() => if x > 0.0 { "Infinity" } else { "-Infinity" }.to_string(),
        Some(ElementNumber::Float(x)) => x.to_string(),
        Some(ElementNumber::Int(n)) => n.to_string(),
        None => "0".to_string(),
    };
    PageType {
        name: dtype.name(),
        bits: dtype.bits(),
        signed: dtype.class() == Class::Signed,
        pairs: dtype.column_bits() > dtype.bits(),
        table: if has_table { (0..1 << dtype.bits()).map(number).collect() } else { Vec::new() },
    }
}

fn offsets(list: Vec<i64>) -> Offsets {
    let stride = list.get(1).copied().unwrap_or(0);
    let is_regular = list.iter().enumerate().all(|(at, offset)| *offset == at as i64 * stride);
    if is_regular { Offsets::Stride(stride) } else { Offsets::List(list) }
}

fn axis(map: &AxisMap) -> PageAxis {
    let start = match map.start {
        AxisStart::Zero => 0,
        AxisStart::Row => 1,
        AxisStart::Col => 2,
    };
    (start, map.times, map.per, map.modulo, map.add, map.len)
}

fn runs<'b>(access: &Access, bytes: &'b [u8]) -> impl Iterator<Item = (i64, &'b [u8])> + use<'b> {
    let (start, stride) = (access.start, access.stride);
    bytes
        .chunks((access.row_bytes as usize).max(1))
        .enumerate()
        .map(move |(row, run)| (start + row as i64 * stride, run))
}

/// True for an access that leaves a result; scratch is not one.
fn leaves_result(access: &Access) -> bool {
    access.write && access.tile != Some(DEVICE) && !access.is_work_space() && access.rows > 0 && access.row_bytes > 0
}

fn memory_of(core: CoreId, place: AddressSpace) -> MemoryId {
    match place {
        AddressSpace::Core(loc) => MemoryId::Core(core, loc),
        AddressSpace::Global(buffer) => MemoryId::Global(buffer),
    }
}

/// Name, owner and size of a memory.
fn memory_entry(recording: &Recording, memory: MemoryId) -> (String, i64, u64) {
    match memory {
        MemoryId::Core(core, loc) => {
            let owner = recording.cores().iter().position(|c| *c == core).map_or(0, |k| k as i64);
            let size = recording.source().target.profile().space(loc).map_or(0, |s| s.bytes);
            (loc.memory_and_name(), owner, size)
        }
        MemoryId::Global(buffer) => {
            let params = recording.plan().params();
            let name = params.get(buffer % params.len().max(1)).map_or_else(|| buffer.to_string(), |p| p.name.clone());
            let rank = buffer / params.len().max(1);
            (if rank == 0 { name } else { format!("{name}@{rank}") }, -1, 0)
        }
    }
}
