//! Events for observers: the bytes that an instruction accesses, and what it orders.

use super::core::Core;
use super::data::ScalarAddress;
use super::observe::{Access, Action, AddressSpace, Answer, Atomic, DEVICE, Detail, Event, Flag, StoredWord, Watch};
use crate::kernels::Combine;
use crate::memory::split_address;
use crate::prepared::{
    Await, Background, CallOperand, KernelStep, OperandPart, OrderId, PipeOrder, Pointer, Reg, StepId, TileId,
    TileState, Transfer, TransferKind, ViewId, ViewState,
};
use pto_ir::ValueId;
use pto_isa::{Loc, Order, Pipe};

/// Bytes of a line of the data cache.
pub const CACHE_LINE: i64 = pto_isa::CACHE_LINE_BYTES as i64;

impl Core<'_> {
    /// Reports a step to the observer. By default, the pipe is that of the operation.
    pub fn say<W: Watch>(
        &self,
        at: StepId,
        pipe: Option<Pipe>,
        action: Action<'_>,
        accesses: &[Access],
        watch: &mut W,
    ) {
        self.say_more(at, pipe, action, (accesses, Detail::None), watch);
    }

    fn say_more<W: Watch>(
        &self,
        at: StepId,
        pipe: Option<Pipe>,
        action: Action<'_>,
        (accesses, detail): (&[Access], Detail<'_>),
        watch: &mut W,
    ) {
        watch.event(&self.made(at, pipe, action, (accesses, detail)));
    }

    fn made<'a>(
        &self,
        at: StepId,
        pipe: Option<Pipe>,
        action: Action<'a>,
        (accesses, detail): (&'a [Access], Detail<'a>),
    ) -> Event<'a> {
        let op = self.plan.code.origins[at];
        let span = self.plan.module().op(op).span;
        let target = self.plan.source.checked.info().target;
        let pipe = pipe.or_else(|| pto_check::pipe_of(self.plan.module(), op, target));
        Event { op, step: at.0, span, pipe, core: self.id(), action, accesses, detail }
    }

    /// The same, if there is an observer.
    pub fn tell<W: Watch>(&self, at: StepId, action: Action<'_>, accesses: &[Access], watch: &mut W) {
        if W::OBSERVES {
            self.say(at, None, action, accesses, watch);
        }
    }

    pub fn say_order<W: Watch>(&mut self, which: OrderId, at: StepId, watch: &mut W) {
        let plan = self.plan;
        let flag = |src: Pipe, dst: Pipe, id: Reg| Flag { src, dst, id: self.int(id) };
        let mut accesses = Vec::new();
        let action = match &plan.calls.orders[which] {
            PipeOrder::SetFlag { src, dst, id } => Action::SetFlag(flag(*src, *dst, *id)),
            PipeOrder::WaitFlag { src, dst, id } => Action::WaitFlag(flag(*src, *dst, *id)),
            PipeOrder::Barrier => Action::Barrier,
            PipeOrder::GetToken(id) => Action::GetToken(self.int(*id)),
            PipeOrder::ReleaseToken(id) => Action::ReleaseToken(self.int(*id)),
            PipeOrder::Sync(tiles) => {
                accesses.extend(tiles.iter().map(|t| self.plain_access(*t, false)));
                Action::Sync
            }
            PipeOrder::Session(out) => return self.number_background(*out),
            PipeOrder::AwaitBackground(wait) => return self.say_await(wait, at, watch),
            PipeOrder::Fence => return self.say(at, Some(Pipe::All), Action::Barrier, &[], watch),
            PipeOrder::Clean(address) => {
                accesses.extend(address.and_then(|at| self.cache_line(at)));
                if address.is_some() && accesses.is_empty() { Action::Other } else { Action::Clean }
            }
            PipeOrder::Other => Action::Other,
        };
        self.say(at, None, action, &accesses, watch);
    }

    /// A core waits for a background transfer, or tests whether it is done. Here it always is, unless an observer says otherwise.
    fn say_await<W: Watch>(&mut self, wait: &Await, at: StepId, watch: &mut W) {
        let detail = self.background(wait.background);
        let event = self.made(at, None, Action::AwaitBackground, (&[], detail));
        let done = !wait.asks || watch.answer(&event, true) != Answer::No;
        if done {
            watch.event(&event);
        }
        self.regs.scalars[wait.out] = done.into();
    }

    fn background(&self, which: Background) -> Detail<'static> {
        let number = |reg: Option<Reg>| reg.map_or(0, |reg| self.reg(reg));
        Detail::Transfer { event: number(which.event), session: number(which.session) }
    }

    /// The next number of a session or of a transfer in the background.
    pub fn number_background(&mut self, out: Reg) {
        self.outside.background += 1;
        self.regs.scalars[out] = self.outside.background;
    }

    /// The cache line of an address in global memory.
    fn cache_line(&self, address: Pointer) -> Option<Access> {
        let address = match address {
            Pointer::Scalar(_, Some(_)) => return None,
            Pointer::Scalar(reg, None) => self.reg(reg),
            Pointer::View(view) => self.regs.views[view].address,
        };
        let (buffer, first) = split_address(address);
        Some(run(AddressSpace::Global(buffer), first - first.rem_euclid(CACHE_LINE), CACHE_LINE as u64, None))
    }

    /// A scalar access: its size, and the number.
    pub fn say_scalar<W: Watch>(
        &self,
        place: &ScalarAddress,
        (bytes, raw): (usize, u64),
        write: bool,
        at: StepId,
        watch: &mut W,
    ) {
        let (place, start) = match *place {
            ScalarAddress::Space(loc, first) => (AddressSpace::Core(loc), first),
            ScalarAddress::Buffer(buffer, first) => (AddressSpace::Global(buffer), first),
        };
        let access = Access { write, ..run(place, start, bytes as u64, None) };
        self.say_more(at, Some(Pipe::S), Action::Work, (&[access], Detail::Number(raw)), watch);
    }

    /// An element of a tile, by its first byte in the core's memory.
    pub fn say_element<W: Watch>(
        &self,
        tile: TileId,
        first: u64,
        bytes: usize,
        write: bool,
        at: StepId,
        watch: &mut W,
    ) {
        let whole = self.tile_access(&self.regs.tiles[tile], None);
        let start = whole.start + (first - self.regs.tiles[tile].base) as i64;
        let access = Access { start, row_bytes: bytes as u64, rows: 1, stride: 0, write, ..whole };
        self.say(at, Some(Pipe::S), Action::Work, &[access], watch);
    }

    /// A change or an inspection of a signal word.
    fn say_signal<W: Watch>(&self, signal: ViewId, action: Action<'_>, detail: Detail<'_>, at: StepId, watch: &mut W) {
        let mut accesses = Vec::new();
        view_accesses(&self.regs.views[signal], 32, None, &mut |a| accesses.push(a));
        self.say_more(at, None, action, (&accesses, detail), watch);
    }

    /// A signal word is about to change.
    pub fn tell_change<W: Watch>(&mut self, signal: ViewId, value: i64, add: bool, at: StepId, watch: &mut W) {
        if W::OBSERVES {
            let (buffer, first) = split_address(self.regs.views[signal].address);
            let before = if W::COMPUTES { self.read_global(buffer, first, 4).unwrap_or(0) as i32 } else { 0 };
            let detail = Detail::Change { add, value: value as i32, before };
            self.say_signal(signal, Action::Notify, detail, at, watch);
        }
    }

    /// Signal words are as they were asked for.
    pub fn tell_seen<W: Watch>(&mut self, signal: ViewId, (value, cmp): (i64, u8), at: StepId, watch: &mut W) {
        if W::OBSERVES {
            self.with_words::<W, _>(signal, (value, cmp), |core, accesses, detail| {
                core.say_more(at, None, Action::Noticed, (accesses, detail), watch);
            });
        }
    }

    /// The answer to a test of signal words, as far as an observer decides it.
    pub fn answer_words<W: Watch>(
        &mut self,
        signal: ViewId,
        (value, cmp): (i64, u8),
        holds: bool,
        at: StepId,
        watch: &mut W,
    ) -> Answer {
        self.with_words::<W, _>(signal, (value, cmp), |core, accesses, detail| {
            let event = core.made(at, None, Action::Noticed, (accesses, detail));
            let answer = watch.answer(&event, holds);
            if answer == Answer::No || answer == Answer::AsItIs && !holds {
                watch.event(&Event { action: Action::Missed, ..event });
            }
            answer
        })
    }

    /// Reads the words of a signal.
    fn with_words<W: Watch, R>(
        &mut self,
        signal: ViewId,
        (value, cmp): (i64, u8),
        then: impl FnOnce(&Self, &[Access], Detail<'_>) -> R,
    ) -> R {
        let view = self.regs.views[signal];
        let (buffer, first) = split_address(view.address);
        let word = |k| {
            let place = first + view.element_offset(k) * 4;
            let value = if W::COMPUTES { self.read_global(buffer, place, 4).unwrap_or(0) as i32 } else { 0 };
            (place, value)
        };
        let words: Vec<(i64, i32)> = (0..view.shape.iter().product()).map(word).collect();
        let mut accesses = Vec::new();
        view_accesses(&view, 32, None, &mut |a| accesses.push(a));
        then(self, &accesses, Detail::Seen { cmp, value: value as i32, words: &words })
    }

    /// A transfer uses several pipes: it loads pieces, possibly combines them, and stores them, each after the other. Only
    /// the next load waits for the last store.
    pub fn say_transfer<W: Watch>(&self, t: &Transfer, at: StepId, watch: &mut W) {
        let window = |view: ViewId, write: bool, list: &mut Vec<Access>| {
            let view = &self.regs.views[view];
            let atomic = if write && t.atomic { Atomic::Add } else { Atomic::No };
            view_accesses(view, t.bits, None, &mut |a| list.push(Access { write, atomic, ..a }));
        };
        let stages = |write: bool| t.stages.iter().map(move |s| self.plain_access(*s, write));
        let sources = t.sources();
        let mut loads = Vec::new();
        sources.iter().for_each(|v| window(*v, false, &mut loads));
        let mut stores = Vec::new();
        let written = if sources.contains(&t.own) { t.others.clone() } else { vec![t.own] };
        written.iter().for_each(|v| window(*v, true, &mut stores));
        if t.kind == TransferKind::Copy {
            loads.append(&mut stores);
            let detail = t.background.map_or(Detail::None, |which| self.background(which));
            return self.say_more(at, Some(Pipe::All), Action::Work, (&loads, detail), watch);
        }
        loads.extend(stages(true));
        stores.extend(stages(false));
        self.say(at, Some(Pipe::Mte2), Action::Work, &loads, watch);
        if t.combine.is_some() {
            let combined: Vec<Access> = stages(false).chain(stages(true)).collect();
            self.say(at, Some(Pipe::V), Action::Then(Pipe::Mte2, Pipe::V), &[], watch);
            self.say(at, Some(Pipe::V), Action::Work, &combined, watch);
        }
        self.say(at, Some(Pipe::All), Action::Barrier, &[], watch);
        self.say(at, Some(Pipe::Mte3), Action::Work, &stores, watch);
        self.say(at, Some(Pipe::Mte2), Action::Then(Pipe::Mte3, Pipe::Mte2), &[], watch);
    }

    // ---- words ----------------------------------------------------------------------------------------------------

    /// The integers of global memory that an instruction is about to write, where they are a few.
    pub fn words_to_store(&mut self, step: &KernelStep) -> Vec<StoredWord> {
        let Some(operand) = step.views.iter().find(|o| o.writes) else { return Vec::new() };
        let elem = operand.value.and_then(|v| self.plan.module().value_type(v).elem());
        let (Some(register), Some(elem)) = (operand.register, elem.filter(|e| e.is_int() && e.bits() >= 8)) else {
            return Vec::new();
        };
        let view = self.regs.views[register];
        let count = view.shape.iter().fold(1, |n: u64, extent| n.saturating_mul(*extent));
        if count > FEW_WORDS {
            return Vec::new();
        }
        let (buffer, start) = split_address(view.address);
        let bytes = elem.bits() as usize / 8;
        let word = |k| {
            let offset = view.element_offset(k).wrapping_mul(bytes as i64);
            let first = start.wrapping_add(offset);
            // One that is not there stops the instruction.
            let before = signed(self.read_global(buffer, first, bytes).ok()?, bytes);
            Some(StoredWord { first, bytes: bytes as u64, before, after: before })
        };
        (0..count).filter_map(word).collect()
    }

    /// An instruction has been executed, and has changed these words.
    pub fn say_work<W: Watch>(&mut self, step: &KernelStep, mut words: Vec<StoredWord>, at: StepId, watch: &mut W) {
        let accesses = self.accesses(step);
        let written = accesses.iter().find(|a| a.write && matches!(a.place, AddressSpace::Global(_)));
        if let Some(Access { place: AddressSpace::Global(buffer), .. }) = written {
            let elem =
                step.views.iter().find(|o| o.writes).and_then(|o| self.plan.module().value_type(o.value?).elem());
            let bytes = elem.map_or(4, |e| e.bits() as usize / 8);
            for word in &mut words {
                word.after = self.read_global(*buffer, word.first, bytes).map_or(word.before, |raw| signed(raw, bytes));
            }
        }
        let detail = if words.is_empty() { Detail::None } else { Detail::Stored(&words) };
        self.say_more(at, step.pipe, Action::Work, (&accesses, detail), watch);
    }

    // ---- bytes ----------------------------------------------------------------------------------------------------

    pub fn accesses(&self, step: &KernelStep) -> Vec<Access> {
        let mut list = Vec::new();
        for (at, operand) in step.tiles.iter().enumerate() {
            let Some(register) = operand.register else { continue };
            let tile = self.regs.tiles[register];
            match step.part.filter(|p| p.of == at).and_then(|p| self.part(step, &p, &tile)) {
                // What is changed in part is not read.
                Some(part) => list.push(Access { write: operand.writes, ..self.tile_access(&part, operand.value) }),
                None => push_both(&mut list, self.tile_access(&tile, operand.value), operand),
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
        let state = || step.combines.and_then(|reg| Combine::from_code(self.reg(reg)));
        let atomic = step.atomic.or_else(state).map_or(Atomic::No, Atomic::from);
        for operand in &step.views {
            if let Some(register) = operand.register {
                let elem = operand.value.and_then(|v| self.plan.module().value_type(v).elem());
                let bits = elem.map_or(8, |d| d.column_bits());
                let view = self.regs.views[register];
                view_accesses(&view, bits, operand.value, &mut |a| {
                    push_both(&mut list, Access { atomic, ..a }, operand);
                });
            }
        }
        list
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

/// Limit of integers that a store reports one by one: a cache line.
const FEW_WORDS: u64 = 16;

/// A number of this many bytes, sign-extended.
fn signed(raw: u64, bytes: usize) -> i64 {
    let unused = 64_u32.saturating_sub(8 * bytes as u32).min(63);
    (raw << unused) as i64 >> unused
}

/// One run that is read.
fn run(place: AddressSpace, start: i64, row_bytes: u64, value: Option<ValueId>) -> Access {
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
fn view_accesses(view: &ViewState, bits: u32, value: Option<ValueId>, push: &mut impl FnMut(Access)) {
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
        let (i, j, k) = (outer / (b * c), outer / c % b, outer % c);
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
