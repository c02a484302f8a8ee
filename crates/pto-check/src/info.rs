//! What the checks find out on the way.

use pto_ir::{Attr, Def, Module, OpId, ValueId};
use pto_isa::row::Pipes;
use pto_isa::table::op;
use pto_isa::{Dir, Loc, Pipe, Target, Type};

/// Facts about a checked program.
#[derive(Clone, Debug)]
pub struct Info {
    /// The target it was checked for.
    pub target: Target,
    /// The constant behind each value, where the program fixes it.
    pub constants: Vec<Option<i64>>,
    /// Operations with a rule that only run time can decide.
    pub dynamic: Vec<OpId>,
    /// The function each operation is in places its tiles by address (level 3).
    pub manual: Vec<bool>,
}

impl Info {
    pub(crate) fn new(module: &Module, target: Target) -> Self {
        Self { target, constants: constants(module), dynamic: Vec::new(), manual: manual_ops(module) }
    }

    /// The constant behind a value.
    pub fn constant(&self, value: ValueId) -> Option<i64> {
        self.constants[value.index()]
    }
}

/// The integer constant behind each value: literals, and casts of them.
pub fn constants(module: &Module) -> Vec<Option<i64>> {
    let mut known = vec![None; module.value_count()];
    module.walk(module.top, &mut |id| {
        let code = module.op(id).op;
        let value = if code == op::arith_constant {
            match module.attr(id, "value") {
                Some(Attr::Bool(b)) => Some(i64::from(*b)),
                Some(a) => a.int(),
                None => None,
            }
        } else if code == op::arith_index_cast || code == op::arith_extsi || code == op::arith_trunci {
            module.operands(id).first().and_then(|o| known[o.value.index()])
        } else {
            None
        };
        if let Some(result) = module.results(id).next() {
            known[result.index()] = value;
        }
    });
    known
}

/// For each operation, whether its function gives tiles addresses.
fn manual_ops(module: &Module) -> Vec<bool> {
    let mut manual = vec![false; module.op_count()];
    let mut scopes: Vec<pto_ir::BlockId> = vec![module.top];
    for function in module.functions() {
        for &region in module.op_regions(function) {
            scopes.extend(&module.region(region).blocks);
        }
    }
    for block in scopes {
        let mut places = false;
        module.walk(block, &mut |id| places |= gives_address(module, id));
        if places {
            module.walk(block, &mut |id| manual[id.index()] = true);
        }
    }
    manual
}

fn gives_address(module: &Module, id: OpId) -> bool {
    let code = module.op(id).op;
    if code == op::tassign {
        return true;
    }
    let allocates = code == op::alloc_tile || code == op::alloc_multi_tile;
    allocates && code.row().slot("addr").is_some_and(|slot| module.in_slot(id, slot).next().is_some())
}

/// The pipe an operation runs on, when it runs on one.
pub fn pipe_of(module: &Module, id: OpId, target: Target) -> Option<Pipe> {
    let row = module.op(id).op.row();
    match row.pipe {
        Pipes::None => None,
        Pipes::One(pipe) => Some(pipe),
        Pipes::Attr(name) => match module.attr(id, name) {
            Some(Attr::Enum(def, at)) => Pipe::parse(def.value(usize::from(*at))),
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

/// The memory of the first tile that is read, or written.
fn first_loc(module: &Module, id: OpId, wanted: impl Fn(Dir) -> bool) -> Option<Loc> {
    let row = module.op(id).op.row();
    let tile = |v: ValueId| match module.value_type(v) {
        Type::Tile(t) | Type::TileBuf(t) => Some(t.loc),
        _ => None,
    };
    let operands = module.operands(id).iter().map(|o| (usize::from(o.slot), o.value));
    let results = module.results(id).map(|v| (usize::from(module.value(v).slot), v));
    operands
        .chain(results)
        .filter(|(slot, _)| *slot < row.slots.len() && wanted(row.slots[*slot].dir))
        .find_map(|(_, v)| tile(v))
}

/// The operation that defines a value.
pub(crate) fn definition(module: &Module, value: ValueId) -> Option<OpId> {
    match module.value(value).def {
        Def::Result(op, _) => Some(op),
        Def::Arg(..) | Def::Missing => None,
    }
}
