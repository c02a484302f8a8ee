//! Random programs that can be run, and what to run them with.
//!
//! As [`random_program`](super::random_program), with pointers for parameters: tiles are loaded, computed with, and
//! stored. Nothing that is undefined reaches the memory behind the pointers: every buffer is filled before it is read,
//! operands overlap only where the row allows it, and the bits of floats are never read as integers, because those of
//! a NaN are anybody's guess. What is left depends on nothing but the seed.

mod control;
mod graph;
mod memory;
mod scalars;
mod shapes;
mod tiles;
mod windows;

use crate::programs::is_plain;
use crate::random::Random;
use pto::ir::{Attr, BlockId, Style, ValueId, print};
use pto::ir::{Builder, OpExtras};
use pto::isa::fill::{self, Filling};
use pto::isa::table::{self, op};
use pto::isa::{DType, Family, FnType, Op, PtrSpace, ScalarType, Target, TileType, Type};
use shapes::SizeClass;
use std::collections::HashMap;
use tiles::TileVar;

/// Combinations tried for the uses of an instruction.
const TRIES: usize = 300;
/// Uses of an instruction for one element type.
const USES: usize = 4;
/// Elements behind a pointer that is read.
const INPUT_ELEMENTS: u64 = 8192;

/// A program and what it is run with.
#[derive(Clone, Debug)]
pub struct Runnable {
    /// The program.
    pub text: String,
    /// Blocks to launch.
    pub blocks: u32,
    /// The arguments of its entry, in order.
    pub params: Vec<RunParam>,
}

/// An argument of a [`Runnable`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum RunParam {
    /// This many read-only elements of any value.
    Input(DType, u64),
    /// This many elements that are written.
    Output(DType, u64),
    /// This integer.
    Int(i64),
    /// This number.
    Float(f64),
    /// A matrix in memory that is only read.
    Tensor(DType, [u64; 2]),
    /// A tile, with the extents that its type leaves open.
    Tile(TileType, (u64, u64)),
}

/// Makes [`Runnable`] programs for one target.
pub struct Runnables {
    target: Target,
    /// Whether the engine takes a use of an instruction.
    accepts: Box<dyn Fn(&Filling) -> bool>,
    pool: Vec<Op>,
    fillings: HashMap<(Op, DType), Vec<Filling>>,
}

impl Runnables {
    /// Programs of instructions in uses that `accepts` holds for.
    pub fn new(target: Target, runs: impl Fn(Op) -> bool, accepts: impl Fn(&Filling) -> bool + 'static) -> Self {
        // Operations that name memory are made with more care.
        let computes = |op: &Op| op.row().family != Family::View;
        let fits = |op: &Op| is_plain(op.row(), target) || shapes::takes_either(op.row(), target);
        let pool = table::isa().filter(|op| fits(op) && computes(op) && runs(*op)).collect();
        Self { target, accepts: Box::new(accepts), pool, fillings: HashMap::new() }
    }

    /// A program of about `length` statements.
    pub fn program(&mut self, seed: u64, length: usize) -> Runnable {
        let mut maker = ProgramMaker::new(self, seed);
        for at in 0..maker.rng.below(3) {
            maker.helper(&format!("helper{at}"), length / 4);
        }
        maker.main(length);
        maker.finish()
    }

    /// Uses of an instruction on elements of a type.
    fn uses(&mut self, op: Op, data: DType) -> &[Filling] {
        let (target, accepts) = (self.target, &self.accepts);
        self.fillings.entry((op, data)).or_insert_with(|| {
            let mut list = fill::several(op, target, data, TRIES, USES);
            list.retain(accepts);
            list
        })
    }
}

/// What a parameter of a function is for.
#[derive(Clone, PartialEq, Debug)]
enum Purpose {
    Input(DType),
    Output(DType),
    /// Elements each block has in the memory behind an output.
    PerBlock(DType),
    Number(Type),
    /// A parameter with this value, for any use.
    Known(i64),
    /// A matrix of this size.
    Tensor(DType, [u64; 2]),
    /// A tile of this type, with these extents where the type leaves them open.
    Tile(TileType, (u64, u64)),
}

/// A function that can be called.
#[derive(Clone)]
struct Helper {
    name: String,
    params: Vec<Purpose>,
    /// Types, and the extents that they leave open.
    results: Vec<(Type, (u64, u64))>,
}

/// The function being made.
#[derive(Default)]
struct Frame {
    params: Vec<(Purpose, ValueId)>,
    /// Operations at its start that were needed later.
    prologue: usize,
    scalars: Vec<ValueId>,
    tiles: Vec<TileVar>,
    /// The first of them that the innermost block made.
    block_start: usize,
    /// Tiles that are parameters, so visible everywhere.
    tile_params: Vec<TileVar>,
    /// Pointers to this block's part of the outputs.
    outputs: HashMap<DType, ValueId>,
    main: bool,
}

struct ProgramMaker<'a> {
    rng: Random,
    set: &'a mut Runnables,
    builder: Builder,
    /// Sizes that tiles have.
    classes: Vec<SizeClass>,
    /// Element types that most instructions work on.
    favoured: Vec<DType>,
    /// Tiles have addresses.
    manual: bool,
    /// First free byte of vector memory, and what lies at which addresses.
    free: u64,
    placed: Vec<(u64, u64, DType)>,
    frame: Frame,
    entry: BlockId,
    helpers: Vec<Helper>,
    /// Elements that stores use, by type.
    used: HashMap<DType, u64>,
    names: usize,
    roots: usize,
    left: usize,
    /// Loops around the current position; functions may be called from one.
    loops: usize,
}

const INDEX: Type = Type::Scalar(ScalarType::Index);
const I1: Type = Type::Scalar(ScalarType::I1);
const I64: Type = Type::Scalar(ScalarType::Elem(DType::I64));

impl<'a> ProgramMaker<'a> {
    fn new(set: &'a mut Runnables, seed: u64) -> Self {
        let mut rng = Random(seed);
        let builder = Builder::new();
        let classes = (0..1 + rng.below(2)).map(|_| SizeClass::random(&mut rng)).collect();
        let common = [DType::F32, DType::F32, DType::F16, DType::I32, DType::I16, DType::Bf16, DType::U8, DType::I8];
        let favoured = (0..1 + rng.below(3)).filter_map(|_| rng.choose(&common).copied()).collect();
        let manual = rng.chance(30);
        let entry = builder.innermost();
        Self {
            rng,
            set,
            builder,
            classes,
            favoured,
            manual,
            free: 0,
            placed: Vec::new(),
            frame: Frame::default(),
            entry,
            helpers: Vec::new(),
            used: HashMap::new(),
            names: 0,
            roots: 0,
            left: 0,
            loops: 0,
        }
    }

    // ---- functions ------------------------------------------------------------------------------------------------

    fn begin(&mut self, main: bool) {
        self.frame = Frame { main, ..Frame::default() };
        self.entry = self.builder.module.new_block();
        self.builder.open.push(self.entry);
        // The functions of a program share the memory of a core.
        self.placed.clear();
    }

    fn helper(&mut self, name: &str, length: usize) {
        self.begin(false);
        // A function may be called in a loop, and then its tiles hold what they held before.
        self.loops = 1;
        self.left = length.max(2);
        while self.left > 0 {
            self.statement(1);
        }
        let mut results = Vec::new();
        for _ in 0..self.rng.below(3) {
            let tiles: Vec<TileVar> = self.frame.tiles.iter().filter(|t| t.is_value).cloned().collect();
            match self.rng.choose(&tiles) {
                Some(tile) => results.push((tile.value, tile.extents)),
                None => results.extend(self.rng.choose(&self.frame.scalars).map(|v| (*v, (0, 0)))),
            }
        }
        let values: Vec<ValueId> = results.iter().map(|(v, _)| *v).collect();
        let results: Vec<(Type, (u64, u64))> =
            results.into_iter().map(|(v, extents)| (self.builder.value_type(v).clone(), extents)).collect();
        let blocks = if self.rng.chance(40) { self.two_returns(&values) } else { self.one_return(&values) };
        let types: Vec<Type> = results.iter().map(|(ty, _)| ty.clone()).collect();
        self.end(name, &types, false, blocks);
        let params = self.frame.params.iter().map(|(purpose, _)| purpose.clone()).collect();
        self.helpers.push(Helper { name: name.to_string(), params, results });
        self.loops = 0;
    }

    fn main(&mut self, length: usize) {
        self.begin(true);
        self.left = length;
        while self.left > 0 {
            self.statement(0);
        }
        self.store_everything();
        let blocks = self.one_return(&[]);
        self.end("main", &[], true, blocks);
    }

    /// Ends a function that has more blocks than its first.
    fn end(&mut self, name: &str, results: &[Type], entry: bool, blocks: Vec<BlockId>) {
        let body = self.entry;
        let module = &mut self.builder.module;
        let inputs = module.block(body).args.iter().map(|&a| module.value_type(a).clone()).collect();
        let ty = Type::Function(Box::new(FnType { inputs, results: results.into() }));
        let ty = module.intern_type(ty);
        let name = Attr::Str(module.names.intern(name));
        let mut attrs = vec![self.builder.attr("sym_name", name), self.builder.attr("function_type", Attr::Type(ty))];
        if entry {
            attrs.push(self.builder.attr("pto.entry", Attr::Unit));
        }
        self.builder.open.pop();
        let all = std::iter::once(body).chain(blocks).collect();
        let regions = vec![self.builder.module.new_region(all)];
        self.builder.op(op::func_func, &[], &[], OpExtras { attrs, regions, ..OpExtras::default() });
    }

    fn finish(mut self) -> Runnable {
        let blocks = 1 + self.rng.below(3) as u32;
        let mut params = Vec::new();
        for (purpose, value) in &self.frame.params {
            params.push(match purpose {
                Purpose::Input(d) => RunParam::Input(*d, INPUT_ELEMENTS),
                Purpose::Output(d) => RunParam::Output(*d, self.used.get(d).copied().unwrap_or(0) * u64::from(blocks)),
                Purpose::PerBlock(d) => RunParam::Int(self.used.get(d).copied().unwrap_or(0) as i64),
                Purpose::Known(n) => RunParam::Int(*n),
                Purpose::Number(_) => scalars::argument(&mut self.rng, self.builder.value_type(*value)),
                Purpose::Tensor(d, shape) => RunParam::Tensor(*d, *shape),
                Purpose::Tile(ty, extents) => RunParam::Tile(*ty, *extents),
            });
        }
        let body = self.builder.close_block();
        self.builder.open = vec![self.builder.module.top];
        let arch = Attr::Str(self.builder.module.names.intern(self.set.target.name()));
        let attrs = vec![self.builder.attr("pto.target_arch", arch)];
        self.builder.op(op::builtin_module, &[], &[], OpExtras { attrs, regions: vec![body], ..OpExtras::default() });
        Runnable { text: print(&self.builder.module, Style::default()), blocks, params }
    }

    // ---- parameters -------------------------------------------------------------------------------------------------

    /// The parameter for a purpose; the function gets one when it has none.
    fn param(&mut self, purpose: Purpose, ty: &Type) -> ValueId {
        if let Some((_, value)) = self.frame.params.iter().find(|(p, _)| *p == purpose) {
            return *value;
        }
        self.new_param(purpose, ty)
    }

    fn new_param(&mut self, purpose: Purpose, ty: &Type) -> ValueId {
        let module = &mut self.builder.module;
        let name = module.names.intern(&format!("p{}", self.frame.params.len()));
        let ty = module.intern_type(ty.clone());
        let value = module.add_arg(self.entry, ty, name, pto::isa::Span::new(0, 0));
        self.frame.params.push((purpose, value));
        value
    }

    fn input(&mut self, dtype: DType) -> ValueId {
        self.param(Purpose::Input(dtype), &Type::Ptr(ScalarType::Elem(dtype), PtrSpace::Default))
    }

    /// An index that is unknown to the checker, with this value.
    fn known(&mut self, n: i64) -> ValueId {
        self.param(Purpose::Known(n), &INDEX)
    }

    /// Operations at the start of the function.
    fn at_start(&mut self, make: impl FnOnce(&mut Self) -> ValueId) -> ValueId {
        let block = self.builder.module.new_block();
        self.builder.open.push(block);
        let value = make(self);
        self.builder.open.pop();
        let ops = std::mem::take(&mut self.builder.module.block_mut(block).ops);
        let (at, count) = (self.frame.prologue, ops.len());
        self.builder.module.block_mut(self.entry).ops.splice(at..at, ops);
        self.frame.prologue += count;
        value
    }

    /// This block's part of the memory that elements of a type are stored to.
    fn output(&mut self, dtype: DType) -> ValueId {
        if let Some(known) = self.frame.outputs.get(&dtype) {
            return *known;
        }
        let ptr = Type::Ptr(ScalarType::Elem(dtype), PtrSpace::Default);
        let base = self.param(Purpose::Output(dtype), &ptr);
        let each = self.param(Purpose::PerBlock(dtype), &INDEX);
        let part = self.at_start(|m| {
            let block = m.emit(op::get_block_idx, &[], ("result", I64));
            let block = m.emit(op::arith_index_cast, &[("in", block)], ("result", INDEX));
            let offset = m.emit(op::arith_muli, &[("lhs", block), ("rhs", each)], ("result", INDEX));
            m.emit(op::addptr, &[("ptr", base), ("offset", offset)], ("result", ptr))
        });
        self.frame.outputs.insert(dtype, part);
        part
    }

    // ---- operations -------------------------------------------------------------------------------------------------

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// Appends an operation with one result; operands come by slot name.
    fn emit(&mut self, op: Op, operands: &[(&str, ValueId)], result: (&str, Type)) -> ValueId {
        self.emit_with(op, operands, result, Vec::new())
    }

    fn emit_with(
        &mut self,
        op: Op,
        operands: &[(&str, ValueId)],
        (slot, ty): (&str, Type),
        attrs: Vec<(&str, Attr)>,
    ) -> ValueId {
        let name = self.name("v");
        let result = (self.slot(op, slot), name.as_str(), ty);
        let operands: Vec<(u8, ValueId)> = operands.iter().map(|(s, v)| (self.slot(op, s), *v)).collect();
        let attrs = attrs.into_iter().map(|(n, a)| self.builder.attr(n, a)).collect();
        self.builder.op(op, &operands, &[result], OpExtras { attrs, ..OpExtras::default() })[0]
    }

    /// Appends an operation without results.
    fn emit_plain(&mut self, op: Op, operands: &[(&str, ValueId)]) {
        let operands: Vec<(u8, ValueId)> = operands.iter().map(|(s, v)| (self.slot(op, s), *v)).collect();
        self.builder.op(op, &operands, &[], OpExtras::default());
    }

    fn slot(&self, op: Op, name: &str) -> u8 {
        let row = op.row();
        row.slot(name).unwrap_or_else(|| panic!("{} has no slot {name}", row.name)) as u8
    }

    fn statement(&mut self, depth: usize) {
        self.left = self.left.saturating_sub(1);
        match self.rng.below(100) {
            0..46 => self.instruction(),
            46..58 => self.scalar_statement(),
            58..66 => self.tile_view(),
            66..73 => self.memory_statement(),
            73..78 => self.store_something(),
            78..96 if depth < 3 => self.control_flow(depth),
            96.. => self.call(),
            _ => self.scalar_statement(),
        }
    }
}
