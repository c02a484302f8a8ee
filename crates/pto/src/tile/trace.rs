//! The recording of a kernel: every call while a kernel is traced becomes an operation.

use super::attrs::AttrArg;
use super::events::Events;
use super::issued::Issued;
use crate::ir::{Attr, BlockId, Module, OpId, Operand, Sym, ValueId};
use crate::ir::{Builder, OpExtras};
use crate::isa::row::{Arith, Control};
use crate::isa::{DType, Diagnostic, Op, ScalarType, Span, Type};
use pto_isa::sort::SharedSort;
use pto_isa::text;
use pto_num::{Bf16, F8E4M3, F8E5M2, F16, Float, Hif8, Round, Saturate};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};

/// A place in the Rust source.
pub(super) type CallSite = &'static Location<'static>;

thread_local! {
    static CURRENT: RefCell<Option<KernelTrace>> = const { RefCell::new(None) };
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

/// A kernel while it is recorded.
pub(super) struct KernelTrace {
    pub builder: Builder,
    /// Functions that are open, outermost first.
    functions: Vec<OpenFunction>,
    /// Integers that are known now.
    numbers: HashMap<ValueId, i64>,
    /// Where calls come from, in order; an operation's span is a position in this list. So spans are in the order of the
    /// program, as they are in a text, also where one line is called many times.
    places: Vec<CallSite>,
    pub problems: Vec<Diagnostic>,
    pub events: Events,
    names: HashMap<String, u32>,
}

/// A function that is open.
struct OpenFunction {
    entry: BlockId,
    /// Constants stand at its start, each once.
    constants: Vec<OpId>,
    known: HashMap<(ScalarType, u64), ValueId>,
}

impl OpenFunction {
    fn new(entry: BlockId) -> Self {
        Self { entry, constants: Vec::new(), known: HashMap::new() }
    }
}

/// Records what `body` calls; gives the program, the places it comes from and what was wrong already.
pub(super) fn record(place: CallSite, body: impl FnOnce()) -> (Module, Vec<CallSite>, Vec<Diagnostic>) {
    let builder = Builder::new();
    let entry = builder.innermost();
    let mut trace = KernelTrace {
        builder,
        functions: vec![OpenFunction::new(entry)],
        numbers: HashMap::new(),
        places: Vec::new(),
        problems: Vec::new(),
        events: Events::default(),
        names: HashMap::new(),
    };
    trace.go_to(place);
    let restore = Restore(CURRENT.replace(Some(trace)), KERNEL.replace(KERNELS.fetch_add(1, Ordering::Relaxed)));
    body();
    let trace = CURRENT.take().expect("it was put there, and everything that takes it puts it back");
    drop(restore);
    (trace.builder.module, trace.places, trace.problems)
}

/// Puts an outer recording back, also when a kernel panics.
struct Restore(Option<KernelTrace>, u32);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
        KERNEL.set(self.1);
    }
}

/// Works on the recording; what is recorded comes from the same place as before.
#[track_caller]
pub(super) fn with<R>(work: impl FnOnce(&mut KernelTrace) -> R) -> R {
    CURRENT.with_borrow_mut(|current| work(current.as_mut().expect(NOT_TRACED)))
}

/// Works on the recording; what is recorded comes from this place.
#[track_caller]
pub(super) fn at<R>(place: CallSite, work: impl FnOnce(&mut KernelTrace) -> R) -> R {
    with(|trace| {
        trace.go_to(place);
        work(trace)
    })
}

const NOT_TRACED: &str = "tiles and their instructions exist while a kernel is traced: use them in a function with \
                          `#[pto::kernel]`, or in a closure given to `Kernel::trace`";

impl KernelTrace {
    /// What follows comes from this place.
    fn go_to(&mut self, place: CallSite) {
        let at = self.places.len() as u32;
        self.places.push(place);
        self.builder.span = Span::new(at, at);
    }

    /// An unused name: `t`, `t_1`, `t_2`, ….
    pub fn fresh(&mut self, stem: &str) -> String {
        let seen = self.names.entry(stem.to_string()).or_insert(0);
        *seen += 1;
        if *seen == 1 { stem.to_string() } else { format!("{stem}_{}", *seen - 1) }
    }

    /// The integer, when it is known now.
    pub fn number(&self, value: ValueId) -> Option<i64> {
        self.numbers.get(&value).copied()
    }

    /// A constant at the start of the function.
    pub fn constant(&mut self, ty: ScalarType, value: NumberLiteral) -> ValueId {
        let function = self.functions.len() - 1;
        let key = (ty, value.bits());
        if let Some(known) = self.functions[function].known.get(&key) {
            return *known;
        }
        let ir = Type::Scalar(ty);
        let (stem, attr) = match value {
            NumberLiteral::Int(n) if ty == ScalarType::I1 => (format!("c{n}_i1"), Attr::Bool(n != 0)),
            NumberLiteral::Int(n) if ty == ScalarType::Index => (format!("c{n}"), self.builder.int(n, &ir)),
            NumberLiteral::Int(n) => (format!("c{n}_{}", ty.mlir()), self.builder.int(n, &ir)),
            NumberLiteral::Float(x) if x.is_finite() => ("cst".to_string(), self.builder.float(x, &ir)),
            // Text has no word for these: they are written as bits.
            NumberLiteral::Float(x) => {
                let id = self.builder.module.intern_type(ir.clone());
                ("cst".to_string(), Attr::FloatBits(bits_of(ty, x), id))
            }
        };
        let stem = stem.replace('-', "m").replace(['!', '.'], "");
        let name = self.fresh(&stem);
        let attrs = vec![self.builder.attr("value", attr)];
        let results =
            self.builder.op(Op::of(Arith::Constant), &[], &[(0, &name, ir)], OpExtras { attrs, ..OpExtras::default() });
        // It was put at the end; it belongs to the start.
        let block = self.builder.innermost();
        let id = self.builder.module.block_mut(block).ops.pop().expect("it was just put there");
        self.functions[function].constants.push(id);
        self.functions[function].known.insert(key, results[0]);
        if let NumberLiteral::Int(n) = value {
            self.numbers.insert(results[0], n);
        }
        results[0]
    }

    /// Opens a function: what follows goes there.
    pub fn open_function(&mut self) {
        self.builder.open_block();
        self.functions.push(OpenFunction::new(self.builder.innermost()));
    }

    /// Ends the innermost function: constants, `return`, and the function itself at the top of the program.
    pub fn close_function(&mut self, name: &str, extra: Vec<(&str, Attr)>) {
        self.builder.op(Op::of(Control::Return), &[], &[], OpExtras::default());
        let function = self.functions.pop().expect("a function is open");
        let block = self.builder.module.block_mut(function.entry);
        block.ops.splice(0..0, function.constants);
        let inputs = block.args.clone();
        let inputs = inputs.iter().map(|a| self.builder.value_type(*a).clone()).collect();
        let ty = crate::isa::FnType { inputs, results: Box::new([]) };
        let ty = self.builder.module.intern_type(Type::Function(Box::new(ty)));
        let name = Attr::Str(self.builder.module.names.intern(name));
        let mut attrs = vec![self.builder.attr("sym_name", name), self.builder.attr("function_type", Attr::Type(ty))];
        attrs.extend(extra.into_iter().map(|(name, value)| self.builder.attr(name, value)));
        let regions = vec![self.builder.close_block()];
        let outer = std::mem::replace(&mut self.builder.open, vec![self.builder.module.top]);
        self.builder.op(Op::of(Control::Function), &[], &[], OpExtras { attrs, regions, ..OpExtras::default() });
        self.builder.open = outer;
    }

    /// Puts an operation that is at the end of the innermost block to another place in it.
    pub fn move_last_before(&mut self, block: BlockId, other: OpId, after: bool) {
        let innermost = self.builder.innermost();
        let last = self.builder.module.block_mut(innermost).ops.pop().expect("it was just put there");
        let ops = &mut self.builder.module.block_mut(block).ops;
        let at = ops.iter().rposition(|op| *op == other).expect("it is in its block");
        ops.insert(at + usize::from(after), last);
    }
}

/// A number of the program's text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum NumberLiteral {
    /// An integer.
    Int(i64),
    /// A number with a point.
    Float(f64),
}

impl NumberLiteral {
    fn bits(self) -> u64 {
        match self {
            Self::Int(n) => n as u64,
            Self::Float(x) => x.to_bits(),
        }
    }
}

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
    place: CallSite,
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
    pub fn record(mut self, results: &[Type]) -> (OpId, Vec<ValueId>) {
        let row = self.op.row();
        let written = |slot: &u8| row.slot_at(usize::from(*slot)).dir != crate::isa::Dir::In;
        let first = self.operands.iter().find(|(slot, value)| written(slot) && value.is_some()).and_then(|o| o.1);
        self.operands.shared_sort_by_key(|(slot, _)| *slot);
        let operands: Vec<(u8, ValueId)> =
            self.operands.iter().filter_map(|(slot, value)| Some((*slot, value.or(first)?))).collect();
        at(self.place, |trace| {
            let named: Vec<(u8, String, Type)> = results
                .iter()
                .enumerate()
                .map(|(i, ty)| ((row.slots.len() + i) as u8, trace.fresh(stem(ty)), ty.clone()))
                .collect();
            let results: Vec<(u8, &str, Type)> =
                named.iter().map(|(slot, name, ty)| (*slot, name.as_str(), ty.clone())).collect();
            let attrs = self.attrs.into_iter().map(|(name, value)| trace.builder.attr(name, value)).collect();
            let values = trace.builder.op(self.op, &operands, &results, OpExtras { attrs, ..OpExtras::default() });
            let block = trace.builder.innermost();
            (*trace.builder.module.block(block).ops.last().expect("it was just put there"), values)
        })
    }
}

/// What values of a type are called.
fn stem(ty: &Type) -> &'static str {
    match ty {
        Type::Tile(_) | Type::TileBuf(_) => "t",
        Type::TensorView(_) => "view",
        Type::PartitionView(_) => "part",
        Type::Ptr(..) => "p",
        Type::Scalar(_) => "s",
        _ => "v",
    }
}

/// Adds an operand to an operation that is recorded already.
pub(super) fn add_operand(id: OpId, slot: u8, value: Option<ValueId>) {
    with(|trace| {
        let module = &mut trace.builder.module;
        let row = module.op(id).op.row();
        let written = |o: &&Operand| row.slot_at(usize::from(o.slot)).dir != crate::isa::Dir::In;
        let Some(value) = value.or_else(|| module.operands(id).iter().find(written).map(|o| o.value)) else { return };
        let span = module.op(id).span;
        module.add_operand(id, Operand { value, slot, span });
    });
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
    with(|trace| {
        let stem: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let starts_well = stem.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let stem = if starts_well { stem } else { format!("v{stem}") };
        let is_number =
            |rest: &str| rest.is_empty() || rest.strip_prefix('_').is_some_and(|n| n.parse::<u32>().is_ok());
        if trace.builder.module.value_name(value).strip_prefix(stem.as_str()).is_some_and(is_number) {
            return;
        }
        let name = trace.fresh(&stem);
        let name = trace.builder.module.names.intern(&name);
        trace.builder.module.value_mut(value).name = name;
    });
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

/// The bits of a number that is infinite or none.
fn bits_of(ty: ScalarType, x: f64) -> u64 {
    fn of<F: Float>(x: f64) -> u64 {
        F::round(x as f32, Round::Rint, Saturate::Off).to_bits().into()
    }
    match ty {
        ScalarType::F64 => x.to_bits(),
        ScalarType::Elem(DType::F16) => of::<F16>(x),
        ScalarType::Elem(DType::Bf16) => of::<Bf16>(x),
        ScalarType::Elem(DType::F8E4M3) => of::<F8E4M3>(x),
        ScalarType::Elem(DType::F8E5M2) => of::<F8E5M2>(x),
        ScalarType::Elem(DType::Hif8) => of::<Hif8>(x),
        _ => (x as f32).to_bits().into(),
    }
}
