//! The recording of a kernel: every call while a kernel is traced becomes an operation.

use super::attrs::AttrArg;
use super::issued::Issued;
use crate::ir::{Attr, OpId, Sym, ValueId};
use crate::isa::{Diagnostic, Op, Type};
use crate::record::{CallSite, Recorder};
use pto_isa::text;
use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};

thread_local! {
    static CURRENT: RefCell<Option<Recorder>> = const { RefCell::new(None) };
    /// The number of the kernel that is traced; 0 is none.
    static KERNEL: Cell<u32> = const { Cell::new(0) };
}

/// Numbers of kernels, over all threads.
static KERNELS: AtomicU32 = AtomicU32::new(1);

/// Something of one kernel, which means nothing in another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ref<T> {
    thing: T,
    kernel: u32,
}

impl<T: Copy> Ref<T> {
    /// Of the kernel that is traced.
    pub fn new(thing: T) -> Self {
        Self { thing, kernel: KERNEL.get() }
    }

    /// In the same kernel.
    #[track_caller]
    pub fn get(self) -> T {
        assert!(self.kernel == KERNEL.get(), "what belongs to one kernel is used in another, or after it was traced");
        self.thing
    }
}

/// Records what `body` calls.
pub(super) fn record(place: &Location<'_>, body: impl FnOnce()) -> Recorder {
    let mut recorder = Recorder::new();
    go_to(&mut recorder, place);
    let restore = Restore(CURRENT.replace(Some(recorder)), KERNEL.replace(KERNELS.fetch_add(1, Ordering::Relaxed)));
    body();
    let recorder = CURRENT.take().expect("it was put there, and everything that takes it puts it back");
    drop(restore);
    recorder
}

/// What follows comes from this place.
fn go_to(recorder: &mut Recorder, place: &Location<'_>) {
    let file = recorder.file(place.file(), None);
    recorder.go_to(CallSite { file, line: place.line(), column: place.column(), caller: 0 });
}

/// Puts an outer recording back, also when a kernel panics.
struct Restore(Option<Recorder>, u32);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
        KERNEL.set(self.1);
    }
}

/// Works on the recording; what is recorded comes from the same place as before.
#[track_caller]
pub(super) fn with<R>(work: impl FnOnce(&mut Recorder) -> R) -> R {
    CURRENT.with_borrow_mut(|current| work(current.as_mut().expect(NOT_TRACED)))
}

/// Works on the recording; what is recorded comes from this place.
#[track_caller]
pub(super) fn at<R>(place: &Location<'_>, work: impl FnOnce(&mut Recorder) -> R) -> R {
    with(|trace| {
        go_to(trace, place);
        work(trace)
    })
}

const NOT_TRACED: &str = "tiles and their instructions exist while a kernel is traced: use them in a function with \
                          `#[pto::kernel]`, or in a closure given to `Kernel::trace`";

/// Something a kernel has: a tile, a view, a scalar, a pointer, a token.
#[diagnostic::on_unimplemented(
    message = "an instruction cannot take `{Self}`",
    note = "instructions take tiles, views, pointers and scalars of the kernel"
)]
pub trait Handle {
    #[doc(hidden)]
    fn value(&self) -> ValueId;
}

/// Something an instruction can give back whose type is part of the Rust type.
#[diagnostic::on_unimplemented(
    message = "an instruction cannot give back `{Self}`",
    note = "say which tile, scalar or pointer it is: `let t: Tile<Vector, f32, 16, 16> = …`"
)]
pub trait ResultHandle {
    #[doc(hidden)]
    fn ir_type() -> Type;
    #[doc(hidden)]
    fn from_result(value: ValueId) -> Self;
}

/// A use of an instruction that is being put together.
pub(super) struct InstrCall {
    op: Op,
    place: &'static Location<'static>,
    /// `None` is the first operand that is written.
    operands: Vec<(u8, Option<ValueId>)>,
    attrs: Vec<(&'static str, Attr)>,
}

impl InstrCall {
    #[track_caller]
    pub fn new(op: Op) -> Self {
        Self { op, place: Location::caller(), operands: Vec::new(), attrs: Vec::new() }
    }

    pub fn operand(mut self, slot: u8, value: ValueId) -> Self {
        self.operands.push((slot, Some(value)));
        self
    }

    pub fn operands(self, slot: u8, values: impl IntoIterator<Item = ValueId>) -> Self {
        values.into_iter().fold(self, |call, value| call.operand(slot, value))
    }

    /// A tile that is read; none is [`Same`].
    pub fn source(mut self, slot: u8, value: Option<ValueId>) -> Self {
        self.operands.push((slot, value));
        self
    }

    pub fn named(self, slot: &str, value: ValueId) -> Self {
        let at = self.op.row().slot(slot).expect("a slot of the row");
        self.operand(at as u8, value)
    }

    pub fn attr(mut self, name: &'static str, value: impl AttrArg) -> Self {
        let value = at(self.place, |trace| value.attr(&mut trace.builder.module));
        self.attrs.push((name, value));
        self
    }

    /// Records it.
    pub fn issue<I>(self) -> Issued<I> {
        Issued::new(self.record(&[]).0, ())
    }

    /// Records it; the one result has this type.
    pub fn result(self, ty: Type) -> ValueId {
        self.record(&[ty]).1[0]
    }

    /// Records it; its results have these types.
    pub fn record(self, results: &[Type]) -> (OpId, Vec<ValueId>) {
        at(self.place, |trace| trace.issue(self.op, self.operands, self.attrs, results))
    }
}

/// Adds an operand to an operation that is recorded already.
pub(super) fn add_operand(id: OpId, slot: u8, value: Option<ValueId>) {
    with(|trace| trace.add_operand(id, slot, value));
}

/// Adds an attribute to an operation that is recorded already.
pub(super) fn add_attr(id: OpId, name: &str, value: impl AttrArg) {
    with(|trace| {
        let module = &mut trace.builder.module;
        let value = value.attr(module);
        let name: Sym = module.names.intern(name);
        module.set_attr(id, name, value);
    });
}

/// Gives a value another name, as near to the wanted one as the text allows.
#[track_caller]
pub(super) fn rename(value: ValueId, wanted: &str) {
    with(|trace| trace.rename(value, wanted));
}

/// A type as the text writes it; what cannot be read is a problem of the kernel.
pub(super) fn type_of(text: &str) -> Type {
    pto_syntax::read_type(text).unwrap_or_else(|| {
        with(|trace| {
            let message = text!("`{text}` is not a type", text);
            let problem = Diagnostic::new(crate::isa::codes::UNKNOWN_TYPE, trace.builder.span, message)
                .help(text!("write it as in the text, `!pto.eventid_array<2>` for example"));
            trace.problems.push(problem);
        });
        Type::Unknown
    })
}
