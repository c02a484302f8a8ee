//! Memory planning: gives every tile an address.

pub(crate) mod fixed;
mod jumps;
mod live;
pub mod pack;

use crate::order::OpPositions;
use live::LiveTile;
use pack::Piece;
use pto_check::Checked;
use pto_ir::{Attr, Module, Names, NewOp, OpId, Operand, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::ordered::OrdMap;
use pto_isa::row::{Fifo, HiddenMemory, Storage};
use pto_isa::sort::SharedSort;
use pto_isa::text;
use pto_isa::{DType, Diagnostic, Error, Loc, Op, ScalarType, Span, Type, codes};

/// Alignment of FIFO buffers.
const RESERVE_ALIGN: u64 = 256;

/// A tile and its address.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlacedTile {
    /// The tile, in the original program.
    pub value: ValueId,
    /// Its name.
    pub name: String,
    /// Its memory.
    pub loc: Loc,
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
    /// The first and the last operation that touch it.
    pub first: OpId,
    /// See above.
    pub last: OpId,
    /// Its live range, in positions of the text.
    pub live: (u32, u32),
    /// The operations at the two ends of its live range. A range may end where a loop ends, after the last access.
    pub live_ops: (OpId, OpId),
    /// The tile whose bytes it reuses.
    pub takes_over: Option<ValueId>,
}

/// A memory and the tiles in it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlannedSpace {
    /// Which.
    pub loc: Loc,
    /// Its bytes.
    pub capacity: u64,
    /// The end of the highest tile.
    pub peak: u64,
    /// The peak of live bytes.
    pub needed: u64,
    /// Bytes that the program reserves for FIFO pipes, at the start.
    pub reserved: u64,
    /// Tiles share bytes because they do not fit side by side.
    pub shared: bool,
    /// The tiles, by name.
    pub tiles: Vec<PlacedTile>,
}

/// Memory that instructions use implicitly.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Used {
    /// Which.
    pub memory: HiddenMemory,
    /// The first instruction that uses it.
    pub by: OpId,
}

/// A program whose tiles have addresses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Planned {
    /// The program.
    pub module: Module,
    /// The memories that are used.
    pub spaces: Vec<PlannedSpace>,
    /// Memory that instructions use implicitly: no tile is placed there.
    pub used: Vec<Used>,
}

/// Options of memory planning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Share bytes as far as possible, even if everything fits side by side.
    pub tight: bool,
    /// Tiles have their own bytes while they fit side by side, even if a result could reuse those of an operand: a program that
    /// synchronises itself relies on that.
    pub apart: bool,
}

/// Gives an address to every tile that has none.
///
/// # Errors
/// When they do not fit: which tiles are needed at the worst moment, and how much is missing.
pub fn plan_memory(checked: &Checked, options: Options) -> Result<Planned, Error> {
    let order = OpPositions::new(checked.module());
    let returned = live::returned_anew(checked, &order);
    if !returned.is_empty() {
        return Err(checked.module().error(returned));
    }
    let tiles = live::tiles(checked, &order);
    let used = used(checked);
    let mut spaces = Vec::new();
    let mut problems = Vec::new();
    for loc in Loc::ALL {
        let here: Vec<&LiveTile> = tiles.iter().filter(|t| t.loc == loc).collect();
        if here.is_empty() {
            continue;
        }
        match place(checked, loc, &here, &used, options) {
            Ok(mut space) => {
                space.tiles.iter_mut().for_each(|t| t.live_ops = (order.at(t.live.0), order.at(t.live.1)));
                spaces.push(space);
            }
            Err(problem) => problems.push(*problem),
        }
    }
    if !problems.is_empty() {
        return Err(checked.module().error(problems));
    }
    let module = apply(checked.module(), &spaces);
    Ok(Planned { module, spaces, used })
}

/// The memory that the instructions of a program use implicitly.
pub(crate) fn used(checked: &Checked) -> Vec<Used> {
    let mut all: OrdMap<HiddenMemory, OpId> = OrdMap::new();
    for id in checked.module().order() {
        for memory in pto_check::work_space(checked, id).hidden {
            all.entry(memory).or_insert(id);
        }
    }
    all.into_iter().map(|(memory, by)| Used { memory, by }).collect()
}

/// Which tiles reuse the bytes of others.
#[derive(Clone, Copy, PartialEq)]
enum TakeOver {
    /// None.
    Never,
    /// Those that add no wait.
    ForFree,
    /// All that may.
    All,
}

impl TakeOver {
    fn source(self, tile: &LiveTile) -> Option<ValueId> {
        tile.takes_over.filter(|_| match self {
            Self::Never => false,
            Self::ForFree => tile.for_free,
            Self::All => true,
        })
    }
}

/// Tiles that reuse each other's bytes, or exclude each other, are one piece.
fn pieces(tiles: &[&LiveTile], align: u64, which: TakeOver) -> (Vec<Piece>, Vec<usize>) {
    let at: OrdMap<ValueId, usize> = tiles.iter().enumerate().map(|(k, t)| (t.value, k)).collect();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut of = vec![usize::MAX; tiles.len()];
    let mut order: Vec<usize> = (0..tiles.len()).collect();
    order.shared_sort_by_key(|k| tiles[*k].start);
    for k in order {
        let tile = tiles[k];
        let source = which.source(tile).or(tile.other_side);
        let source = source.and_then(|v| at.get(&v)).map(|s| of[*s]).filter(|p| *p != usize::MAX);
        match source {
            Some(piece) => {
                pieces[piece].end = pieces[piece].end.max(tile.end);
                of[k] = piece;
            }
            None => {
                of[k] = pieces.len();
                let bytes = tile.bytes.next_multiple_of(align);
                pieces.push(Piece { bytes, start: tile.start, end: tile.end });
            }
        }
    }
    (pieces, of)
}

fn place(
    checked: &Checked,
    loc: Loc,
    tiles: &[&LiveTile],
    used: &[Used],
    options: Options,
) -> Result<PlannedSpace, Box<Diagnostic>> {
    let module = checked.module();
    let target = checked.info().target;
    let Some(space) = target.profile().space(loc) else {
        let message = text!("there is no memory for tiles of `{loc}` on {target}", loc, target);
        return Err(Box::new(Diagnostic::new(codes::OUT_OF_MEMORY, module.op(tiles[0].alloc).span, message)));
    };
    // Memory that devices reserve is at the start or at the end.
    let kept = || used.iter().map(|u| u.memory).filter(|m| m.loc == loc);
    let capacity = kept().map(|m| m.start).filter(|start| *start > 0).min().unwrap_or(space.bytes).min(space.bytes);
    let taken = kept().filter(|m| m.start == 0).map(|m| m.end).max().unwrap_or(0);
    let reserved = reserved(module, loc).max(taken).max(fixed::end(checked, loc, tiles)?).next_multiple_of(space.align);
    let apart = |which: TakeOver| {
        let (pieces, of) = pieces(tiles, space.align, which);
        let places = pack::side_by_side(&pieces, reserved);
        let fits = !options.tight && pack::peak(&pieces, &places) <= capacity;
        (which, pieces, of, places, fits)
    };
    let (which, pieces, of, mut places, fits) =
        Some(apart(if options.apart { TakeOver::Never } else { TakeOver::ForFree }))
            .filter(|(.., fits)| *fits)
            .unwrap_or_else(|| apart(TakeOver::All));
    let shared = !fits;
    let needed = pack::lower_bound(&pieces) + reserved;
    // If no packing can succeed, trying many pieces would take long.
    let hopeless = needed > capacity && pieces.len() > MANY;
    if shared && !hopeless {
        places = pack::pack(&pieces, reserved);
    }
    let peak = if hopeless { needed } else { pack::peak(&pieces, &places) };
    if peak > capacity {
        let problem = overflow(checked, loc, tiles, (peak, needed, capacity));
        let kept = text!(
            "{capacity} bytes at the end are used implicitly by an instruction",
            capacity = space.bytes - capacity
        );
        return Err(Box::new(if capacity < space.bytes { problem.legal(kept) } else { problem }));
    }
    let placed = |(k, tile): (usize, &&LiveTile)| PlacedTile {
        value: tile.value,
        name: module.value_name(tile.value).to_string(),
        loc,
        address: places[of[k]],
        bytes: tile.bytes,
        first: tile.first,
        last: tile.last,
        live: (tile.start, tile.end),
        live_ops: (tile.first, tile.last),
        takes_over: which.source(tile),
    };
    let tiles = tiles.iter().enumerate().map(placed).collect();
    Ok(PlannedSpace { loc, capacity: space.bytes, peak, needed, reserved, shared, tiles })
}

/// Buffers of FIFO pipes and their addresses. Those without an address lie after those that have one.
fn reserves(module: &Module) -> OrdMap<OpId, (Loc, u64, u64)> {
    let mut all = Vec::new();
    module.walk(module.top, &mut |id| {
        if module.fifo(id) == Some(Fifo::Reserve) {
            let mat = matches!(module.attr(id, "location"), Some(Attr::Enum(def, at)) if def.value(usize::from(*at)) == Loc::Mat.name());
            let number = |name| module.given_int(id, name).map(|n| n.max(0) as u64);
            all.push((id, if mat { Loc::Mat } else { Loc::Vec }, number("base"), number("size").unwrap_or(0)));
        }
    });
    let end = |loc: Loc| {
        let fixed = all.iter().filter(|(_, l, base, _)| *l == loc && base.is_some());
        fixed.map(|(_, _, base, size)| base.unwrap_or(0) + size).max().unwrap_or(0)
    };
    let mut next: OrdMap<Loc, u64> = [Loc::Vec, Loc::Mat].into_iter().map(|loc| (loc, end(loc))).collect();
    let mut places = OrdMap::new();
    for (id, loc, base, size) in &all {
        let free = next.entry(*loc).or_default();
        let at = base.unwrap_or_else(|| {
            let at = free.next_multiple_of(RESERVE_ALIGN);
            *free = at + size;
            at
        });
        places.insert(*id, (*loc, at, *size));
    }
    places
}

pub(crate) fn reserved(module: &Module, loc: Loc) -> u64 {
    let here = reserves(module).into_values().filter(|(l, ..)| *l == loc);
    here.map(|(_, at, size)| at + size).max().unwrap_or(0)
}

/// Limit of tiles that an overflow message names; the rest is counted.
const MOST_NAMED: usize = 32;

/// Limit of pieces that are packed if packing cannot succeed.
const MANY: usize = 500;

/// The position with the most live bytes.
fn worst_moment(tiles: &[&LiveTile]) -> u32 {
    // Bytes allocated and bytes freed up to each time.
    let sums = |mut times: Vec<(u32, u64)>| {
        times.shared_sort();
        let mut sum = 0;
        for (_, bytes) in &mut times {
            sum += *bytes;
            *bytes = sum;
        }
        times
    };
    let begun = sums(tiles.iter().map(|t| (t.start, t.bytes)).collect());
    let over = sums(tiles.iter().map(|t| (t.end.saturating_add(1), t.bytes)).collect());
    let until = |sums: &[(u32, u64)], time: u32| match sums.partition_point(|(at, _)| *at <= time) {
        0 => 0,
        n => sums[n - 1].1,
    };
    tiles.iter().map(|t| t.start).max_by_key(|t| until(&begun, *t) - until(&over, *t)).unwrap_or(0)
}

/// The tiles that are live at the worst moment, and what would help.
fn overflow(checked: &Checked, loc: Loc, tiles: &[&LiveTile], (peak, needed, capacity): (u64, u64, u64)) -> Diagnostic {
    let module = checked.module();
    let worst = worst_moment(tiles);
    let mut crowd: Vec<&&LiveTile> = tiles.iter().filter(|t| t.start <= worst && worst <= t.end).collect();
    crowd.shared_sort_by_key(|t| std::cmp::Reverse(t.bytes));
    let missing = peak.max(needed) - capacity;
    let message = text!(
        "tiles of `{loc}` need {peak} bytes, {missing} more than {checked} has",
        loc,
        peak = peak.max(needed),
        missing,
        checked = checked.info().target
    );
    let mut d = Diagnostic::new(codes::OUT_OF_MEMORY, module.op(crowd[0].alloc).span, message);
    for tile in crowd.iter().take(8) {
        d = d.label(
            module.op(tile.alloc).span,
            text!("`%{module}`: {bytes} bytes", module = module.value_name(tile.value), bytes = tile.bytes),
        );
    }
    let shown = if crowd.len() > MOST_NAMED { MOST_NAMED - 1 } else { crowd.len() };
    let mut names: Vec<String> =
        crowd.iter().take(shown).map(|t| format!("%{} {}", module.value_name(t.value), t.bytes)).collect();
    if let [_, ..] = &crowd[shown..] {
        let bytes: u64 = crowd[shown..].iter().map(|t| t.bytes).sum();
        names.push(text!("and {crowd} more with {bytes} bytes together", crowd = crowd.len() - shown, bytes));
    }
    let largest = crowd[0];
    let help = if needed <= capacity {
        text!("they would fit if they could be packed without gaps: make their sizes equal, or give them addresses")
            .to_string()
    } else {
        text!(
            "use smaller tiles (half of `%{module}` saves {bytes} bytes), finish using a tile before loading the next, or store one to global memory",
            module = module.value_name(largest.value),
            bytes = largest.bytes / 2
        )
    };
    let kept = reserved(module, loc);
    if kept > 0 {
        d = d.legal(text!("{kept} bytes are kept for pipes between cores", kept));
    }
    d.legal(text!("`{loc}` has {capacity} bytes", loc, capacity))
        .legal(text!("needed at the same time: {names}", names = names.join(", ")))
        .help(help)
}

/// The program with an address for every tile.
fn apply(module: &Module, spaces: &[PlannedSpace]) -> Module {
    let mut out = module.clone();
    let places: OrdMap<ValueId, u64> = spaces.iter().flat_map(|s| &s.tiles).map(|t| (t.value, t.address)).collect();
    let mut names = Names::new(module);
    let buffers = reserves(module);
    let mut replaced = FastMap::default();
    for block in module.all_blocks() {
        let mut ops = Vec::new();
        for id in module.block(block).ops.clone() {
            let place = module.results(id).next().and_then(|v| places.get(&v).map(|at| (v, *at)));
            match place {
                Some((value, at)) => {
                    let address = constant(&mut out, at, id, &mut names);
                    ops.push(address);
                    let new = with_address(&mut out, id, address);
                    ops.push(new);
                    if let Some(fresh) = out.results(new).next() {
                        replaced.insert(value, fresh);
                    }
                }
                _ => match buffers.get(&id) {
                    Some((_, at, _)) => ops.push(with_base(&mut out, id, *at, &mut replaced)),
                    None => ops.push(id),
                },
            }
        }
        out.block_mut(block).ops = ops;
    }
    out.resolve_uses(&replaced);
    out
}

fn constant(out: &mut Module, number: u64, before: OpId, names: &mut Names) -> OpId {
    let ty = out.intern_type(Type::Scalar(ScalarType::Elem(DType::I64)));
    // Names of tiles are unique, so a free name is found at once.
    let tile = out.results(before).next().map_or("tile", |v| out.value_name(v));
    let base = format!("{tile}_at");
    let name = names.fresh(out, &base);
    let start = out.op(before).span.start;
    let span = Span::new(start, start);
    out.new_constant(number.into(), ty, name, span)
}

/// A tile with an address; a lowered buffer is cast from an address.
fn with_address(out: &mut Module, id: OpId, address: OpId) -> OpId {
    let data = out.op(id).clone();
    let lowered = data.op.storage() == Some(Storage::Buffer);
    let (code, slot) = if lowered { (Op::of(Storage::BufferAt), "addrs") } else { (data.op, "addr") };
    let mut operands: Vec<Operand> = if lowered { Vec::new() } else { out.operands(id).to_vec() };
    let slot = code.row().slot(slot).unwrap_or(0) as u8;
    if let Some(value) = out.results(address).next() {
        operands.push(Operand { value, slot, span: Span::new(data.span.start, data.span.start) });
    }
    operands.shared_sort_by_key(|o| o.slot);
    let results_start = code.row().slots.len() as u8;
    let result = |v: pto_ir::Value| (v.ty, v.name, if lowered { results_start } else { v.slot }, v.span);
    let results = out.results(id).map(|v| out.value(v).clone()).map(result).collect();
    let attrs = if lowered { Vec::new() } else { out.attrs(id).to_vec() };
    let new = NewOp { operands, attrs, results, span: data.span, name_span: data.name_span, ..NewOp::default() };
    out.new_op(code, new)
}

/// A FIFO buffer with an address.
fn with_base(out: &mut Module, id: OpId, at: u64, replaced: &mut FastMap<ValueId, ValueId>) -> OpId {
    let data = out.op(id).clone();
    let (auto, base) = (out.names.intern("auto"), out.names.intern("base"));
    let ty = out.intern_type(Type::Scalar(ScalarType::Elem(DType::I32)));
    let mut attrs: Vec<_> = out.attrs(id).iter().filter(|(name, _)| *name != auto && *name != base).cloned().collect();
    attrs.push((auto, Attr::Bool(false)));
    attrs.push((base, Attr::Int(i128::from(at), ty)));
    let results = out.results(id).map(|v| out.value(v).clone()).map(|v| (v.ty, v.name, v.slot, v.span)).collect();
    let operands = out.operands(id).to_vec();
    let new = NewOp { operands, attrs, results, span: data.span, name_span: data.name_span, ..NewOp::default() };
    let new = out.new_op(data.op, new);
    replaced.extend(out.results(id).zip(out.results(new)));
    new
}
