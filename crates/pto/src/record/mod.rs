//! Records programs, one call after the other, for front ends of any language.
//!
//! A [`Recorder`] holds a program while it is described. It knows values only by their number and their type in the program:
//! kernels in Rust ([`tile`](crate::tile)) put their own types over it, and other languages theirs. Names, constants, events, loops
//! and functions come from here, so the same kernel is the same program in every language.
//!
//! ```
//! use pto::isa::{PtrSpace, DType, ScalarType, Type, table::op};
//! use pto::record::{BinaryScalarOp, CallArg, CallSite, Recorder};
//!
//! let mut recorder = Recorder::new();
//! let file = recorder.file("twice.py", Some("x[0] = x[0] + x[0]".into()));
//! recorder.go_to(CallSite { file, line: 1, column: 1, caller: 0 });
//! let x = recorder.param("x", &Type::Ptr(ScalarType::Elem(DType::F32), PtrSpace::Default));
//! let load = recorder.call(op::load_scalar, &[CallArg::Value(x), CallArg::Int(0)], &[]).expect("it fits");
//! let sum = recorder.binary(BinaryScalarOp::Add, load.results[0], load.results[0]);
//! recorder.call(op::store_scalar, &[CallArg::Value(x), CallArg::Value(sum), CallArg::Int(0)], &[]).expect("it fits");
//! let program = recorder.finish("twice");
//!
//! let mut x = [1.5f32];
//! program.run(pto::Target::A5, &mut [pto::Arg::write(&mut x)]).expect("it runs");
//! assert_eq!(x, [3.0]);
//! ```

mod call;
mod control;
mod events;
mod scalars;
mod sites;

pub use call::{CallArg, CallError, RecordedCall};
pub use control::{OpenBranch, OpenWhile};
pub use scalars::{BinaryScalarOp, CompareOp};
pub use sites::CallSite;

use crate::Program;
use crate::ir::{Attr, BlockId, OpId, Operand, ValueId};
use crate::ir::{Builder, OpExtras};
use crate::isa::row::Arith;
use crate::isa::{DType, Diagnostic, Dim, Op, ScalarType, Type, ViewType};
use events::Events;
use pto_isa::sort::SharedSort;
use pto_num::{Bf16, F8E4M3, F8E5M2, F16, Float, Hif8, Round, Saturate};
use sites::CallSites;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A program while it is recorded.
pub struct Recorder {
    pub(crate) builder: Builder,
    /// Functions that are open, outermost first.
    functions: Vec<OpenFunction>,
    /// Integers that are known now.
    numbers: HashMap<ValueId, i64>,
    sites: CallSites,
    pub(crate) problems: Vec<Diagnostic>,
    events: Events,
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

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("open_functions", &self.functions.len()).finish_non_exhaustive()
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl Recorder {
    /// A function without parameters and operations.
    pub fn new() -> Self {
        let builder = Builder::new();
        let entry = builder.innermost();
        Self {
            builder,
            functions: vec![OpenFunction::new(entry)],
            numbers: HashMap::new(),
            sites: CallSites::default(),
            problems: Vec::new(),
            events: Events::default(),
            names: HashMap::new(),
        }
    }

    /// The number of a source file. Without its text, the file is read when a line of it is shown.
    pub fn file(&mut self, name: &str, text: Option<Arc<str>>) -> u32 {
        self.sites.file(name, text)
    }

    /// What follows comes from this place.
    pub fn go_to(&mut self, site: CallSite) {
        self.builder.span = self.sites.push(site);
    }

    /// A parameter of the innermost function.
    pub fn param(&mut self, stem: &str, ty: &Type) -> ValueId {
        let name = self.fresh(stem);
        self.builder.param(&name, ty)
    }

    /// The type of a value.
    pub fn type_of(&self, value: ValueId) -> &Type {
        self.builder.value_type(value)
    }

    /// The name of a value.
    pub fn name_of(&self, value: ValueId) -> &str {
        self.builder.module.value_name(value)
    }

    /// The operation that a value is the result of.
    pub fn defined_by(&self, value: ValueId) -> Option<OpId> {
        match self.builder.module.value(value).def {
            crate::ir::Def::Result(id, _) => Some(id),
            _ => None,
        }
    }

    /// The integer, when it is known now.
    pub fn number(&self, value: ValueId) -> Option<i64> {
        self.numbers.get(&value).copied()
    }

    /// Ends the program: `name` is its entry function.
    ///
    /// # Panics
    /// When a loop, a branch, a section or a function is still open.
    pub fn finish(mut self, name: &str) -> Program {
        assert!(self.builder.open.len() == 1, "everything that was opened must be closed");
        self.end_function(name, vec![("pto.entry", Attr::Unit)]);
        let mut module = self.builder.module;
        module.source = Some(Arc::new(self.sites));
        Program::from_parts(module, self.problems)
    }

    /// An unused name: `t`, `t_1`, `t_2`, ….
    fn fresh(&mut self, stem: &str) -> String {
        if let Some(seen) = self.names.get_mut(stem) {
            *seen += 1;
            return format!("{stem}_{}", *seen - 1);
        }
        self.names.insert(stem.to_string(), 1);
        stem.to_string()
    }

    /// Gives a value another name, as near to the wanted one as the text allows.
    pub fn rename(&mut self, value: ValueId, wanted: &str) {
        let stem: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let starts_well = stem.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let stem = if starts_well { stem } else { format!("v{stem}") };
        let is_number =
            |rest: &str| rest.is_empty() || rest.strip_prefix('_').is_some_and(|n| n.parse::<u32>().is_ok());
        if self.name_of(value).strip_prefix(stem.as_str()).is_some_and(is_number) {
            return;
        }
        let name = self.fresh(&stem);
        let name = self.builder.module.names.intern(&name);
        self.builder.module.value_mut(value).name = name;
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

    /// Records an instruction. Operands come with their slots; `None` is the first operand that is written.
    pub(crate) fn issue(
        &mut self,
        op: Op,
        mut operands: Vec<(u8, Option<ValueId>)>,
        attrs: Vec<(&'static str, Attr)>,
        results: &[Type],
    ) -> (OpId, Vec<ValueId>) {
        let row = op.row();
        let written = |slot: &u8| row.slot_at(usize::from(*slot)).dir != crate::isa::Dir::In;
        let first = operands.iter().find(|(slot, value)| written(slot) && value.is_some()).and_then(|o| o.1);
        operands.shared_sort_by_key(|(slot, _)| *slot);
        let operands: Vec<(u8, ValueId)> =
            operands.iter().filter_map(|(slot, value)| Some((*slot, value.or(first)?))).collect();
        let named: Vec<(u8, String, Type)> = results
            .iter()
            .enumerate()
            .map(|(i, ty)| ((row.slots.len() + i) as u8, self.fresh(stem(ty)), ty.clone()))
            .collect();
        let results: Vec<(u8, &str, Type)> =
            named.iter().map(|(slot, name, ty)| (*slot, name.as_str(), ty.clone())).collect();
        let attrs = attrs.into_iter().map(|(name, value)| self.builder.attr(name, value)).collect();
        let values = self.builder.op(op, &operands, &results, OpExtras { attrs, ..OpExtras::default() });
        let block = self.builder.innermost();
        (*self.builder.module.block(block).ops.last().expect("it was just put there"), values)
    }

    /// Adds an operand to an operation that is recorded already; `None` is the first one that is written.
    pub(crate) fn add_operand(&mut self, id: OpId, slot: u8, value: Option<ValueId>) {
        let module = &mut self.builder.module;
        let row = module.op(id).op.row();
        let written = |o: &&Operand| row.slot_at(usize::from(o.slot)).dir != crate::isa::Dir::In;
        let Some(value) = value.or_else(|| module.operands(id).iter().find(written).map(|o| o.value)) else { return };
        let span = module.op(id).span;
        module.add_operand(id, Operand { value, slot, span });
    }

    /// The distances between elements of a tensor of this shape, along each dimension, when its rows follow each other.
    pub fn row_major_strides(&mut self, shape: &[ValueId]) -> Vec<ValueId> {
        let mut strides = vec![self.constant(ScalarType::Index, NumberLiteral::Int(1))];
        for extent in shape.iter().skip(1).rev() {
            let last = strides[strides.len() - 1];
            strides.push(self.binary(BinaryScalarOp::Mul, last, *extent));
        }
        strides.reverse();
        strides
    }

    /// The type of a view with these extents: part of the type where they are known now.
    pub(crate) fn view_type(&self, kind: ViewKind, elem: ScalarType, extents: &[ValueId]) -> Type {
        let known = |i: &ValueId| self.number(*i).and_then(|n| u64::try_from(n).ok());
        let dims = extents.iter().map(|i| known(i).map_or(Dim::Dynamic, Dim::Fixed)).collect();
        let view = ViewType { dims, elem };
        match kind {
            ViewKind::Tensor => Type::TensorView(view),
            ViewKind::Partition => Type::PartitionView(view),
        }
    }
}

/// What kind of view an instruction makes.
#[derive(Clone, Copy)]
pub(crate) enum ViewKind {
    Tensor,
    Partition,
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
