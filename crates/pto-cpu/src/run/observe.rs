//! What an observer of a run is told.

use pto_ir::{OpId, ValueId};
use pto_isa::{Loc, Pipe, Span};

/// Told about every instruction that moves data or orders pipes, in program order.
pub trait Observer {
    /// An instruction is about to be executed.
    fn event(&mut self, event: &Event<'_>);
}

/// An instruction that is executed.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The operation.
    pub op: OpId,
    /// Where it stands.
    pub span: Span,
    /// The pipe that executes it.
    pub pipe: Option<Pipe>,
    /// The block it belongs to.
    pub block: u32,
    /// What it reads and writes.
    pub accesses: &'a [Access],
}

/// A rectangle of bytes that an instruction touches: `rows` runs of `row_bytes`, each `stride` after the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The memory.
    pub place: Place,
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
    /// The operand.
    pub value: Option<ValueId>,
}

/// A memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// A space of the core; tiles without an address lie behind its end.
    Core(Loc),
    /// A buffer of global memory, by parameter.
    Global(usize),
}

/// How much a run tells, known when the engine is compiled.
pub(crate) trait Watch {
    const OBSERVES: bool = false;
    /// Nothing is computed; only control flow and addresses are followed.
    const MEASURES: bool = false;
    const TIMES: bool = false;
    fn event(&mut self, _: &Event<'_>) {}
    fn read(&mut self, _buffer: usize) {}
    fn view(&mut self, _buffer: usize, _first: i64, _end: i64, _shape: &[u64]) {}
    fn time(&mut self, _op: OpId, _nanos: u64) {}
    /// Instructions executed since the last call; false stops the run.
    fn progress(&mut self, _instructions: u64) -> bool {
        true
    }
}

/// Nobody listens.
pub(crate) struct Silent;
impl Watch for Silent {}

/// Passes everything on.
pub(crate) struct Observing<'a, O: Observer + ?Sized>(pub &'a mut O);
impl<O: Observer + ?Sized> Watch for Observing<'_, O> {
    const OBSERVES: bool = true;
    fn event(&mut self, event: &Event<'_>) {
        self.0.event(event);
    }
}
