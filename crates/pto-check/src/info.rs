//! Facts that the checks compute.

use pto_ir::{Attr, Module, OpId, ValueId, ViewLayouts};
use pto_isa::row::{Arith, Control, Pipes, Storage};
use pto_isa::{Dir, Loc, Pipe, Target};

/// Facts about a checked program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Info {
    /// The target it was checked for.
    pub target: Target,
    /// The constant value of each value, if the program determines it.
    pub constants: Vec<Option<i64>>,
    /// As `constants`, with sums, differences and products of them.
    computed: Vec<Option<i64>>,
    /// Operations with a rule that only run time can decide.
    pub dynamic: Vec<OpId>,
    /// The function each operation is in places its tiles by address (level 3).
    pub manual: Vec<bool>,
    /// The layouts of views of global memory.
    pub layouts: ViewLayouts,
}

impl Info {
    pub(crate) fn new(module: &Module, order: &[OpId], target: Target) -> Self {
        let constants = constants(module, order);
        let computed = computed(module, order, constants.clone());
        let (manual, layouts) = (manual_ops(module, order), ViewLayouts::new(module));
        Self { target, constants, computed, dynamic: Vec::new(), manual, layouts }
    }

    /// The constant behind a value.
    pub fn constant(&self, value: ValueId) -> Option<i64> {
        self.constants[value.index()]
    }

    /// The constant value of a value, or one that is computed from constants alone.
    pub(crate) fn computed(&self, value: ValueId) -> Option<i64> {
        self.computed[value.index()]
    }
}

/// Adds sums, differences, products and casts of constants.
fn computed(module: &Module, order: &[OpId], mut known: Vec<Option<i64>>) -> Vec<Option<i64>> {
    for &id in order {
        let Some(result) = module.results(id).next().filter(|r| known[r.index()].is_none()) else { continue };
        let operands = module.operands(id);
        let operand = |n: usize| operands.get(n).and_then(|o| known[o.value.index()]);
        let exact = match (module.arith(id), operand(0), operand(1)) {
            (Some(Arith::Add), Some(a), Some(b)) => a.checked_add(b),
            (Some(Arith::Sub), Some(a), Some(b)) => a.checked_sub(b),
            (Some(Arith::Mul), Some(a), Some(b)) => a.checked_mul(b),
            (Some(Arith::IndexCast | Arith::ExtendSigned | Arith::Truncate), Some(a), None) => Some(a),
            _ => None,
        };
        let kept = |n: i64| module.value_type(result).scalar().map_or(n.into(), |s| s.wrapped(n.into()));
        known[result.index()] = exact.and_then(|n| i64::try_from(kept(n)).ok());
    }
    known
}

/// The integer constants: literals, and casts of them.
pub(crate) fn constants(module: &Module, order: &[OpId]) -> Vec<Option<i64>> {
    let mut known = vec![None; module.value_count()];
    for &id in order {
        let value = match module.arith(id) {
            Some(Arith::Constant) => match module.attr(id, "value") {
                Some(Attr::Bool(b)) => Some(i64::from(*b)),
                Some(a) => a.int(),
                None => None,
            },
            Some(Arith::IndexCast | Arith::ExtendSigned | Arith::Truncate) => {
                module.operands(id).first().and_then(|o| known[o.value.index()])
            }
            _ => None,
        };
        if let Some(result) = module.results(id).next() {
            // A cast keeps the bits of its result type.
            let kept = |n: i64| module.value_type(result).scalar().map_or(n.into(), |s| s.wrapped(n.into()));
            known[result.index()] = value.and_then(|n| i64::try_from(kept(n)).ok());
        }
    }
    known
}

/// For each operation, whether its function gives tiles addresses. Statements outside of functions count as one function.
fn manual_ops(module: &Module, order: &[OpId]) -> Vec<bool> {
    // A function and its body are consecutive in the list.
    let mut manual = vec![false; module.op_count()];
    let mut rest = order;
    while let [_, after @ ..] = rest {
        let length = after.iter().position(|&id| module.control(id) == Some(Control::Function)).unwrap_or(after.len());
        let body = &rest[..=length];
        if body.iter().any(|&id| gives_address(module, id)) {
            body.iter().for_each(|id| manual[id.index()] = true);
        }
        rest = &after[length..];
    }
    manual
}

fn gives_address(module: &Module, id: OpId) -> bool {
    match module.storage(id) {
        Some(Storage::Assign) => true,
        Some(Storage::Tile | Storage::Tiles) => module.operand(id, "addr").is_some(),
        _ => false,
    }
}

/// The pipe that an operation runs on, if any.
pub fn pipe_of(module: &Module, id: OpId, target: Target) -> Option<Pipe> {
    let row = module.op(id).op.row();
    match row.pipe {
        Pipes::None => None,
        Pipes::One(pipe) => Some(pipe),
        Pipes::Attr(name) => match module.attr(id, name) {
            Some(Attr::Enum(def, at)) => named_pipe(def.value(usize::from(*at))),
            _ => None,
        },
        Pipes::Cases(cases) => {
            let src = first_loc(module, id, |d| d == Dir::In);
            let dst = first_loc(module, id, |d| d != Dir::In);
            let fits = |want: Option<Loc>, have: Option<Loc>| want.is_none() || want == have;
            cases.iter().find(|c| c.targets.contains(target) && fits(c.src, src) && fits(c.dst, dst)).map(|c| c.pipe)
        }
    }
}

/// A pipe, by its own name or by that of the operations it executes.
fn named_pipe(name: &str) -> Option<Pipe> {
    Pipe::parse(name).or_else(|| Pipe::of_class(name))
}

/// A flag or event that an operation sets or waits for: the pipe whose work must be done, the one that waits, and the id
/// if it is constant.
pub fn flag_of(module: &Module, id: OpId) -> Option<(Pipe, Pipe, Option<u8>)> {
    let pipe = |names: [&str; 2]| match names.into_iter().find_map(|name| module.attr(id, name))? {
        Attr::Enum(def, at) => named_pipe(def.value(usize::from(*at))),
        _ => None,
    };
    let number = match module.attr(id, "event_id") {
        Some(Attr::Enum(_, at)) => Some(*at),
        _ => None,
    };
    Some((pipe(["src_pipe", "src_op"])?, pipe(["dst_pipe", "dst_op"])?, number))
}

/// The memory of the first tile that is read, or written.
fn first_loc(module: &Module, id: OpId, wanted: impl Fn(Dir) -> bool) -> Option<Loc> {
    let row = module.op(id).op.row();
    let tile = |v: ValueId| module.value_type(v).local_tile().map(|t| t.loc);
    let operands = module.operands(id).iter().map(|o| (usize::from(o.slot), o.value));
    let results = module.results(id).map(|v| (usize::from(module.value(v).slot), v));
    operands
        .chain(results)
        .filter(|(slot, _)| *slot < row.slots.len() && wanted(row.slots[*slot].dir))
        .find_map(|(_, v)| tile(v))
}
