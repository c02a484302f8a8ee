//! Events for observers: what an instruction does, and what it orders.

use super::accesses::{run, view_accesses};
use super::core::Core;
use super::data::ScalarAddress;
use super::observe::{Access, Action, AddressSpace, Answer, Atomic, Detail, Event, Flag, StoredWord, Watched};
use crate::memory::split_address;
use crate::prepared::{
    Await, Background, KernelId, KernelStep, LoopIterations, OrderId, PipeOrder, Pointer, Reg, StepId, TileId,
    Transfer, TransferKind, ViewId,
};
use pto_isa::Pipe;

/// Bytes of a line of the data cache.
pub const CACHE_LINE: i64 = pto_isa::CACHE_LINE_BYTES as i64;

impl Core<'_> {
    /// Reports a step to the observer. By default, the pipe is that of the operation.
    pub fn say<W: Watched + ?Sized>(
        &self,
        at: StepId,
        pipe: Option<Pipe>,
        action: Action<'_>,
        accesses: &[Access],
        watch: &mut W,
    ) {
        self.say_more(at, pipe, action, (accesses, Detail::None), watch);
    }

    fn say_more<W: Watched + ?Sized>(
        &self,
        at: StepId,
        pipe: Option<Pipe>,
        action: Action<'_>,
        (accesses, detail): (&[Access], Detail<'_>),
        watch: &mut W,
    ) {
        watch.event(&self.made(at, pipe, action, (accesses, detail)));
    }

    // Inlined: an action is a byte or two, and copying it whole right after it was written stalls.
    #[inline(always)]
    fn made<'a>(
        &'a self,
        at: StepId,
        pipe: Option<Pipe>,
        action: Action<'a>,
        (accesses, detail): (&'a [Access], Detail<'a>),
    ) -> Event<'a> {
        let op = self.plan.code.origins[at];
        let target = self.plan.source.checked.info().target;
        let pipe = pipe.or_else(|| pto_check::pipe_of(self.plan.module(), op, target));
        self.on_pipe(at, pipe, action, (accesses, detail))
    }

    #[inline(always)]
    fn on_pipe<'a>(
        &'a self,
        at: StepId,
        pipe: Option<Pipe>,
        action: Action<'a>,
        (accesses, detail): (&'a [Access], Detail<'a>),
    ) -> Event<'a> {
        let op = self.plan.code.origins[at];
        let span = self.plan.module().op(op).span;
        let iterations = self.loop_iterations(at);
        Event { op, step: at.0, span, pipe, core: self.id(), action, accesses, repeats: false, detail, iterations }
    }

    /// The iterations of the loops around a step.
    #[inline(always)]
    pub fn loop_iterations(&self, at: StepId) -> LoopIterations<'_> {
        LoopIterations::new(self.plan, &self.regs, at, self.progress.iterations.count())
    }

    /// The same, if there is an observer.
    pub fn tell<W: Watched + ?Sized>(&self, at: StepId, action: Action<'_>, accesses: &[Access], watch: &mut W) {
        if self.mode::<W>().observes {
            self.say(at, None, action, accesses, watch);
        }
    }

    pub fn say_order<W: Watched + ?Sized>(&mut self, which: OrderId, at: StepId, watch: &mut W) {
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
        watch.event(&self.on_pipe(at, plan.calls.order_pipes[which], action, (&accesses, Detail::None)));
    }

    /// A core waits for a background transfer, or tests whether it is done. Here it always is, unless an observer says otherwise.
    fn say_await<W: Watched + ?Sized>(&mut self, wait: &Await, at: StepId, watch: &mut W) {
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
    pub fn say_scalar<W: Watched + ?Sized>(
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
    pub fn say_element<W: Watched + ?Sized>(
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
    fn say_signal<W: Watched + ?Sized>(
        &self,
        signal: ViewId,
        action: Action<'_>,
        detail: Detail<'_>,
        at: StepId,
        watch: &mut W,
    ) {
        let mut accesses = Vec::new();
        view_accesses(&self.regs.views[signal], 32, None, &mut |a| accesses.push(a));
        self.say_more(at, None, action, (&accesses, detail), watch);
    }

    /// A signal word is about to change.
    pub fn tell_change<W: Watched + ?Sized>(
        &mut self,
        signal: ViewId,
        value: i64,
        add: bool,
        at: StepId,
        watch: &mut W,
    ) {
        if self.mode::<W>().observes {
            let (buffer, first) = split_address(self.regs.views[signal].address);
            let before =
                if self.mode::<W>().computes { self.read_global(buffer, first, 4).unwrap_or(0) as i32 } else { 0 };
            let detail = Detail::Change { add, value: value as i32, before };
            self.say_signal(signal, Action::Notify, detail, at, watch);
        }
    }

    /// Signal words are as they were asked for.
    pub fn tell_seen<W: Watched + ?Sized>(
        &mut self,
        signal: ViewId,
        (value, cmp): (i64, u8),
        at: StepId,
        watch: &mut W,
    ) {
        if self.mode::<W>().observes {
            self.with_words::<W, _>(signal, (value, cmp), |core, accesses, detail| {
                core.say_more(at, None, Action::Noticed, (accesses, detail), watch);
            });
        }
    }

    /// The answer to a test of signal words, as far as an observer decides it.
    pub fn answer_words<W: Watched + ?Sized>(
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
    fn with_words<W: Watched + ?Sized, R>(
        &mut self,
        signal: ViewId,
        (value, cmp): (i64, u8),
        then: impl FnOnce(&Self, &[Access], Detail<'_>) -> R,
    ) -> R {
        let view = self.regs.views[signal];
        let (buffer, first) = split_address(view.address);
        let word = |k| {
            let place = first + view.element_offset(k) * 4;
            let value =
                if self.mode::<W>().computes { self.read_global(buffer, place, 4).unwrap_or(0) as i32 } else { 0 };
            (place, value)
        };
        let words: Vec<(i64, i32)> = (0..view.shape.iter().product()).map(word).collect();
        let mut accesses = Vec::new();
        view_accesses(&view, 32, None, &mut |a| accesses.push(a));
        then(self, &accesses, Detail::Seen { cmp, value: value as i32, words: &words })
    }

    /// A transfer uses several pipes: it loads pieces, possibly combines them, and stores them, each after the other. Only
    /// the next load waits for the last store.
    pub fn say_transfer<W: Watched + ?Sized>(&self, t: &Transfer, at: StepId, watch: &mut W) {
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
    pub fn say_work<W: Watched + ?Sized>(
        &mut self,
        which: KernelId,
        mut words: Vec<StoredWord>,
        at: StepId,
        watch: &mut W,
    ) {
        let plan = self.plan;
        let step = &plan.calls.kernels[which];
        let repeats = self.issue.told[which].as_ref().is_some_and(|told| self.repeats(step, told));
        if !repeats {
            let mut told = self.issue.told[which].take().unwrap_or_default();
            self.recall(step, &mut told);
            self.issue.told[which] = Some(told);
        }
        if !words.is_empty()
            && let Some(register) = step.views.iter().find(|o| o.writes).and_then(|o| o.register)
        {
            let (buffer, _) = split_address(self.regs.views[register].address);
            for word in &mut words {
                let bytes = word.bytes as usize;
                word.after = self.read_global(buffer, word.first, bytes).map_or(word.before, |raw| signed(raw, bytes));
            }
        }
        let detail = if words.is_empty() { Detail::None } else { Detail::Stored(&words) };
        let accesses = self.issue.told[which].as_ref().map_or(&[][..], |told| &told.accesses);
        let mut event = self.made(at, step.pipe, Action::Work, (accesses, detail));
        event.repeats = repeats;
        watch.event(&event);
    }
}

/// Limit of integers that a store reports one by one: a cache line.
const FEW_WORDS: u64 = 16;

/// A number of this many bytes, sign-extended.
fn signed(raw: u64, bytes: usize) -> i64 {
    let unused = 64_u32.saturating_sub(8 * bytes as u32).min(63);
    (raw << unused) as i64 >> unused
}
