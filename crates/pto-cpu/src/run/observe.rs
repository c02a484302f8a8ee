//! The events of a run, for observers.

use super::done::StepDone;
use super::formula::Formula;
use super::spin::PATIENCE;
use crate::kernels::Combine;
pub use crate::prepared::CoreId;
use crate::prepared::{LoopIterations, Set};
use crate::stop::StopWhen;
use pto_ir::{OpId, ValueId};
use pto_isa::{Loc, Pipe, Span};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Called for every instruction that moves data or orders pipes. The instructions of a core come in program order; if
/// cores wait for each other, the awaited one comes first.
pub trait Observer {
    /// An instruction was executed.
    fn event(&mut self, event: &Event<'_>);

    /// Asked now and then; false stops the run.
    fn goes_on(&mut self) -> bool {
        true
    }

    /// Instructions and iterations of loops since the last call; false stops the run.
    fn worked(&mut self, _work: u64) -> bool {
        self.goes_on()
    }

    /// A scalar is taken from memory, as a register holds it: an integer as 64 bits, a float as an `f32`. The answer is what the
    /// program sees.
    fn number(&mut self, _op: OpId, value: u64) -> u64 {
        value
    }

    /// A program tests a condition once and continues with the answer. `event` is the test; `holds` is its current result.
    fn answer(&mut self, _event: &Event<'_>, _holds: bool) -> Answer {
        Answer::AsItIs
    }

    /// A value of the program is about to decide a branch, or whether a loop has another iteration. The answer is the decision.
    fn branch(&mut self, _core: CoreId, _op: OpId, taken: bool) -> bool {
        taken
    }

    /// A number was taken from memory. The id under which formulas name it, where it matters what becomes of it.
    fn follows(&mut self, _core: CoreId, _op: OpId, _value: u64) -> Option<u32> {
        None
    }

    /// Two integers are compared that depend on numbers that are followed. The answer is what the program sees.
    fn compared(&mut self, _core: CoreId, _op: OpId, holds: bool, _formula: &Arc<Formula>) -> bool {
        holds
    }

    /// A core is deadlocked: the operation, and the signal word that it waits for.
    fn stuck(&mut self, _core: CoreId, _op: OpId, _word: Option<SignalWord>) {}

    /// Numbers that are followed are about to decide a branch or a loop.
    fn decided(&mut self, _core: CoreId, _op: OpId, _taken: bool, _formula: &Arc<Formula>) {}

    /// Whether [`Observer::stepped`] is called.
    fn wants_steps(&self) -> bool {
        false
    }

    /// Whether that includes steps that change nothing: jumps, branches, tests of loops, checks.
    fn wants_idle_steps(&self) -> bool {
        false
    }

    /// A core has finished a step, also one that only computes a scalar; its events came before.
    fn stepped(&mut self, _done: &mut StepDone<'_, '_>) {}

    /// Numbers that are followed are about to decide a switch: which of its successors or regions is next, the first of those that
    /// lead to the same place, and whether the numbers lead there. False makes the program take the default.
    fn switched(&mut self, _core: CoreId, _op: OpId, _way: u32, _leads: &Arc<Formula>) -> bool {
        true
    }
}

/// A word of a signal that a core waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignalWord {
    /// How it is compared, by the position in `WAIT_CMP`, and with what.
    pub cmp: u8,
    /// The number that is awaited.
    pub value: i32,
    /// What it holds, where it can be read.
    pub number: Option<i32>,
}

/// The answer to a test of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// What is true now.
    AsItIs,
    /// Yes, as soon as that is true; the final result if it never is.
    WhenItIs,
    /// Always no.
    No,
}

/// An instruction that is executed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The operation.
    pub op: OpId,
    /// Its position among the steps of its core, which are in program order. Calls are expanded in place, so an operation of a
    /// function has one for each call.
    pub step: u32,
    /// Where it stands.
    pub span: Span,
    /// The pipe that executes it. [`Pipe::All`] with [`Action::Work`] is an engine that works in the background.
    pub pipe: Option<Pipe>,
    /// The core it belongs to.
    pub core: CoreId,
    /// What it does besides reading and writing.
    pub action: Action<'a>,
    /// What it reads and writes.
    pub accesses: &'a [Access],
    /// These are the accesses of its last execution on this core.
    pub repeats: bool,
    /// The numbers, where they decide what is known about other cores.
    pub detail: Detail<'a>,
    /// The iterations of the loops around it.
    pub iterations: LoopIterations<'a>,
}

impl<'a> Event<'a> {
    /// The same on another core and with other accesses, for observers that follow one core in place of another.
    pub fn moved<'b>(&'b self, core: CoreId, accesses: &'b [Access]) -> Event<'b>
    where
        'a: 'b,
    {
        Event { core, accesses, ..*self }
    }
}

/// Numbers in global memory by which cores communicate.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Detail<'a> {
    /// None.
    #[default]
    None,
    /// The number that a scalar load or store moves, as it lies in memory.
    Number(u64),
    /// The integers that a store of a few of them changes.
    Stored(&'a [StoredWord]),
    /// A transfer in the background: which one, and which session runs it. Both count within a core, from 1; 0 is unknown.
    Transfer {
        /// Which one.
        event: u64,
        /// Its session.
        session: u64,
    },
    /// How a signal word changes, and what it was before.
    Change {
        /// It is added to; otherwise it is replaced.
        add: bool,
        /// By this.
        value: i32,
        /// What it was.
        before: i32,
    },
    /// What the words of a signal were asked for, and what they are.
    Seen {
        /// How they compare, by the position in `wait_cmp`.
        cmp: u8,
        /// With this.
        value: i32,
        /// The first byte of each word, and its value.
        words: &'a [(i64, i32)],
    },
}

/// An integer in global memory that an instruction writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoredWord {
    /// Its first byte in the buffer of the access.
    pub first: i64,
    /// How many bytes it has.
    pub bytes: u64,
    /// What it was.
    pub before: i64,
    /// The new value.
    pub after: i64,
}

/// What an instruction does to the order of pipes and cores.
#[derive(Clone, Copy, Debug)]
pub enum Action<'a> {
    /// It works on memory.
    Work,
    /// Raises a flag once the pipe has done what it was given before.
    SetFlag(Flag),
    /// The pipe stops until the flag is up, and takes it down.
    WaitFlag(Flag),
    /// The pipe finishes what it has; [`Pipe::All`]: all pipes do, and the core waits.
    Barrier,
    /// Takes a buffer token for the pipe.
    GetToken(i64),
    /// Gives a buffer token back.
    ReleaseToken(i64),
    /// The core waits for all writers of the operands.
    Sync,
    /// Inside one instruction, the second pipe starts when the first is done.
    Then(Pipe, Pipe),
    /// The core waits for what works in the background.
    AwaitBackground,
    /// Sends a signal to other cores.
    Signal(&'a Signal),
    /// Waits for a signal: the id on this core.
    Await(i64),
    /// Arrives at a barrier of several cores: the cores, and how often this core has arrived.
    Arrive(Set, u64),
    /// Continues after it.
    Leave(Set, u64),
    /// Opens an end of a pipe between cores.
    Open(Ring),
    /// Takes a slot to fill.
    Alloc(Ring),
    /// Fills a slot, or hands over one that was filled.
    Push(Ring),
    /// Takes an entry.
    Pop(Ring),
    /// Gives the slot of an entry back.
    Free(Ring),
    /// Changes a signal word in global memory.
    Notify,
    /// Found a signal word in global memory as it should be.
    Noticed,
    /// The test failed, or the observer said so.
    Missed,
    /// The scalar unit writes lines of its data cache back and forgets them: those of the access, or all where there is none.
    Clean,
    /// It changes the state of the core, or nothing.
    Other,
}

/// A flag between two pipes of a core.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Flag {
    /// The pipe whose work must be done.
    pub src: Pipe,
    /// The pipe that waits.
    pub dst: Pipe,
    /// Which of the flags of this pair.
    pub id: i64,
}

/// A signal to other cores.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Signal {
    /// The id of the sender.
    pub id: i64,
    /// The cores that it reaches now; none while others must send it too.
    pub to: Vec<CoreId>,
    /// The id on those cores.
    pub id_there: i64,
    /// The senders; each of them once for every arrival.
    pub from: Vec<CoreId>,
}

/// A position in a pipe between cores, in one direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Ring {
    /// The same on both sides.
    pub key: u32,
    /// From the cube core to the vector cores.
    pub to_vector: bool,
    /// How many entries this side has had before, counted for each kind of step.
    pub count: u64,
    /// Slots.
    pub slots: u32,
    /// The first of the signals it uses, where that is stated.
    pub flag_base: Option<i64>,
    /// Data flows both ways, so it uses four signals.
    pub both_ways: bool,
    /// The entry is a tile that is copied to memory of the consumer, not a slot that stays where it is.
    pub copies: bool,
}

/// A rectangle of bytes that an instruction touches: `rows` runs of `row_bytes`, each `stride` after the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The memory.
    pub place: AddressSpace,
    /// First byte.
    pub start: i64,
    /// Bytes of a run.
    pub row_bytes: u64,
    /// Runs.
    pub rows: u64,
    /// Bytes from one run to the next.
    pub stride: i64,
    /// The bytes change.
    pub write: bool,
    /// How the change goes together with changes that others make at the same time.
    pub atomic: Atomic,
    /// The operand.
    pub value: Option<ValueId>,
    /// The tile, for any window or view of it.
    pub tile: Option<u32>,
    /// Of a tile, the first byte of that whole tile.
    pub origin: i64,
    /// For a tile, its type in this use (see [`Plan::tile_type`](crate::Plan::tile_type)).
    pub geometry: u32,
    /// Of a tile, its valid rows and columns.
    pub valid: (u32, u32),
}

/// How a change goes together with others of the same bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Atomic {
    /// It replaces what was there.
    #[default]
    No,
    /// It leaves data that nothing reads: scratch of an instruction.
    Scratch,
    /// It adds to what is there.
    Add,
    /// It keeps the larger number.
    Max,
    /// It keeps the smaller number.
    Min,
}

impl From<Combine> for Atomic {
    fn from(how: Combine) -> Self {
        match how {
            Combine::Add => Self::Add,
            Combine::Max => Self::Max,
            Combine::Min => Self::Min,
        }
    }
}

/// The tile of bytes that a device writes for itself: what they held before is lost, and what they hold now means nothing.
pub const DEVICE: u32 = u32::MAX - 8;

impl Access {
    /// True for memory that an instruction works in: a scratch tile, or bytes that no operand names.
    pub fn is_work_space(&self) -> bool {
        self.write && self.atomic == Atomic::Scratch
    }
}

/// The memory that an access touches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AddressSpace {
    /// A space of the core; tiles without an address lie after its end.
    Core(Loc),
    /// A buffer of global memory, by parameter.
    Global(usize),
}

/// What a run does besides computing.
#[derive(Clone, Copy)]
pub(crate) struct WatchMode {
    pub observes: bool,
    /// Unchanged reads in a row after which a core yields to the others.
    pub patience: u32,
    /// Nothing is computed, and nothing waits; only control flow and addresses are followed.
    pub measures: bool,
    /// Data is computed and moved; otherwise the run is followed as it would go.
    pub computes: bool,
    pub times: bool,
    /// Reads of memory that nothing wrote are noticed.
    pub follows_writes: bool,
    /// The pipes of a core execute in random order.
    pub reorders: bool,
}

impl WatchMode {
    /// It computes, and notices reads of memory that nothing wrote.
    pub const PLAIN: Self = Self {
        observes: false,
        patience: PATIENCE,
        measures: false,
        computes: true,
        times: false,
        follows_writes: true,
        reorders: false,
    };
}

/// What the engine is compiled for: a run that nothing looks at, and one that is told what it does by its [`WatchMode`].
pub(crate) trait Watched: Watch {
    /// The mode is [`WatchMode::PLAIN`], which the compiler knows.
    const IS_PLAIN: bool;
}

impl Watched for Unwatched<'_> {
    const IS_PLAIN: bool = true;
}

impl Watched for dyn Watch + '_ {
    const IS_PLAIN: bool = false;
}

/// What is told about a run.
pub(crate) trait Watch {
    fn mode(&self) -> WatchMode {
        WatchMode::PLAIN
    }
    /// Instructions between two reports of progress.
    fn report_every(&self) -> u64 {
        1024
    }
    /// An instruction that repeats is reported, not executed: no number decides what the program does.
    fn skips_repeats(&self) -> bool {
        false
    }
    fn event(&mut self, _: &Event<'_>) {}
    fn branch(&mut self, _core: CoreId, _op: OpId, taken: bool) -> bool {
        taken
    }
    fn number(&mut self, _op: OpId, value: u64) -> u64 {
        value
    }
    fn follows(&mut self, _core: CoreId, _op: OpId, _value: u64) -> Option<u32> {
        None
    }
    fn compared(&mut self, _core: CoreId, _op: OpId, holds: bool, _formula: &Arc<Formula>) -> bool {
        holds
    }
    fn decided(&mut self, _core: CoreId, _op: OpId, _taken: bool, _formula: &Arc<Formula>) {}
    fn switched(&mut self, _core: CoreId, _op: OpId, _way: u32, _leads: &Arc<Formula>) -> bool {
        true
    }
    fn stuck(&mut self, _core: CoreId, _op: OpId, _word: Option<SignalWord>) {}
    fn wants_steps(&self) -> bool {
        false
    }
    fn wants_idle_steps(&self) -> bool {
        false
    }
    fn stepped(&mut self, _done: &mut StepDone<'_, '_>) {}
    fn answer(&mut self, _event: &Event<'_>, _holds: bool) -> Answer {
        Answer::AsItIs
    }
    fn read(&mut self, _buffer: usize) {}
    fn view(&mut self, _buffer: usize, _first: i64, _end: i64, _shape: &[u64], _strides: &[i64]) {}
    /// A result at an address adds up terms, on top of those it had if it continues a sum.
    fn sum(&mut self, _to: u64, _terms: u64, _continues: bool) {}
    fn time(&mut self, _op: OpId, _nanos: u64) {}
    /// Instructions executed since the last call; false stops the run.
    fn progress(&mut self, _instructions: u64) -> bool {
        true
    }
}

/// The pipes of a core execute in random order.
pub(crate) struct Reordering;
impl Watch for Reordering {
    fn mode(&self) -> WatchMode {
        WatchMode { reorders: true, follows_writes: false, ..WatchMode::PLAIN }
    }
}

/// No observer.
#[derive(Clone, Copy, Default)]
pub(crate) struct Unwatched<'a> {
    /// Counts executed instructions.
    pub counter: Option<&'a AtomicU64>,
    /// Says when to stop.
    pub stop: Option<StopWhen<'a>>,
}
impl Watch for Unwatched<'_> {
    fn report_every(&self) -> u64 {
        if self.stop.is_some() { 16 } else { 1024 }
    }
    fn progress(&mut self, instructions: u64) -> bool {
        if let Some(counter) = self.counter {
            counter.fetch_add(instructions, Ordering::Relaxed);
        }
        self.stop.is_none_or(|stop| !stop.is_asked_to())
    }
}

/// Passes everything on.
pub(crate) struct Observing<'a> {
    pub observer: &'a mut dyn Observer,
    pub skips_repeats: bool,
    pub computes: bool,
}
impl Watch for Observing<'_> {
    fn mode(&self) -> WatchMode {
        // A loop that tries a few times sees what others do about it.
        let patience = if self.computes { 1 } else { PATIENCE };
        WatchMode { observes: true, patience, computes: self.computes, follows_writes: false, ..WatchMode::PLAIN }
    }
    fn report_every(&self) -> u64 {
        16
    }
    fn skips_repeats(&self) -> bool {
        self.skips_repeats
    }
    fn wants_steps(&self) -> bool {
        self.observer.wants_steps()
    }
    fn wants_idle_steps(&self) -> bool {
        self.observer.wants_idle_steps()
    }
    fn stepped(&mut self, done: &mut StepDone<'_, '_>) {
        self.observer.stepped(done);
    }
    fn event(&mut self, event: &Event<'_>) {
        self.observer.event(event);
    }
    fn branch(&mut self, core: CoreId, op: OpId, taken: bool) -> bool {
        self.observer.branch(core, op, taken)
    }
    fn number(&mut self, op: OpId, value: u64) -> u64 {
        self.observer.number(op, value)
    }
    fn follows(&mut self, core: CoreId, op: OpId, value: u64) -> Option<u32> {
        self.observer.follows(core, op, value)
    }
    fn compared(&mut self, core: CoreId, op: OpId, holds: bool, formula: &Arc<Formula>) -> bool {
        self.observer.compared(core, op, holds, formula)
    }
    fn decided(&mut self, core: CoreId, op: OpId, taken: bool, formula: &Arc<Formula>) {
        self.observer.decided(core, op, taken, formula);
    }
    fn switched(&mut self, core: CoreId, op: OpId, way: u32, leads: &Arc<Formula>) -> bool {
        self.observer.switched(core, op, way, leads)
    }
    fn stuck(&mut self, core: CoreId, op: OpId, word: Option<SignalWord>) {
        self.observer.stuck(core, op, word);
    }
    fn answer(&mut self, event: &Event<'_>, holds: bool) -> Answer {
        self.observer.answer(event, holds)
    }
    fn progress(&mut self, work: u64) -> bool {
        self.observer.worked(work)
    }
}
