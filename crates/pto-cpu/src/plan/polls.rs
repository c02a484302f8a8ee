//! Loops that may wait for another block to write global memory.

use crate::prepared::{Id, Plan, Step, StepId};
use pto_ir::{BlockId, Def, Module, OpId, ValueId};
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::{Arith, Control, Meaning, Movement};
use pto_isa::{Family, Op};

impl Plan {
    /// True when a loop without a fixed bound reads global memory into a scalar, directly or through a tile, or one with a bound
    /// tries to find a word changed.
    pub(super) fn polls(&self) -> bool {
        self.roles().any(Self::has_polling_loop) || tries(self.module())
    }

    fn has_polling_loop(&self) -> bool {
        let back = |(at, step): (StepId, &Step)| match *step {
            Step::NextIteration { head, .. } => Some((head, at)),
            Step::Jump(head) if head <= at => Some((head, at)),
            Step::Branch { yes, no, .. } if yes.min(no) <= at => Some((yes.min(no), at)),
            _ => None,
        };
        let loops: Vec<(StepId, StepId)> = self.code.steps.entries().filter_map(back).collect();
        if loops.is_empty() {
            return false;
        }
        let scalars = self.counted(|s| matches!(s, Step::LoadScalar(_)));
        let elements = self.counted(|s| matches!(s, Step::TileGet { .. }));
        let loads =
            self.counted(|s| matches!(s, Step::Kernel(k) if self.calls.kernels[*k].views.iter().any(|v| v.reads)));
        let has = |count: &[u32], (head, at): (StepId, StepId)| count[at.index() + 1] > count[head.index()];
        loops.into_iter().any(|body| has(&scalars, body) || has(&elements, body) && has(&loads, body))
    }

    /// How many steps of a kind come before each step.
    fn counted(&self, is_meant: impl Fn(&Step) -> bool) -> Vec<u32> {
        let mut count = vec![0];
        count.extend(self.code.steps.iter().scan(0, |sum, step| {
            *sum += u32::from(is_meant(step));
            Some(*sum)
        }));
        count
    }
}

/// True when a counted loop tries to find a word changed.
fn tries(module: &Module) -> bool {
    let (mut loops, mut asks) = (Vec::new(), false);
    module.walk(module.top, &mut |id| match module.meaning(id) {
        Meaning::Control(Control::For) => loops.push(id),
        Meaning::Arith(Arith::CompareInt) => {
            asks |= module.operands(id).iter().any(|o| !sources(module, o.value).is_empty());
        }
        _ => {}
    });
    asks && loops.into_iter().any(|id| !asked_again(module, id).is_empty())
}

/// What a counted loop reads from the same place in every iteration and compares: `load_scalar`, and `tgetval` of a tile that the
/// loop loads.
pub fn asked_again(module: &Module, id: OpId) -> OrdSet<OpId> {
    let mut ops = Vec::new();
    module.walk_inside(id, &mut |inner| ops.push(inner));
    let blocks = module.op_regions(id).iter().flat_map(|r| module.region(*r).blocks.iter().copied()).collect();
    asked_again_in(module, &ops, &blocks)
}

/// The same for a loop that consists of these operations, and whose values change with the parameters of these blocks.
pub fn asked_again_in(module: &Module, ops: &[OpId], blocks: &OrdSet<BlockId>) -> OrdSet<OpId> {
    let body = PollBody { module, inside: ops.iter().copied().collect(), args: blocks.clone() };
    let (mut compared, mut loaded) = (Vec::new(), OrdMap::new());
    for &inner in ops {
        match module.meaning(inner) {
            Meaning::Arith(Arith::CompareInt) => compared.extend(module.operands(inner).iter().map(|o| o.value)),
            Meaning::Movement(Movement::Load) => loaded.extend(loaded_tile(module, inner).map(|tile| (tile, inner))),
            _ => {}
        }
    }
    let asks = |at: &OpId| {
        let first = module.operands(*at).first().map(|o| o.value);
        body.inside.contains(at)
            && match module.movement(*at) {
                Some(Movement::LoadScalar) => module.operands(*at).iter().all(|o| body.is_fixed(o.value, DEEP)),
                _ => first.and_then(|tile| loaded.get(&tile)).is_some_and(|load| {
                    module.operands(*load).first().is_some_and(|view| body.is_fixed(view.value, DEEP))
                }),
            }
    };
    compared.into_iter().flat_map(|value| sources(module, value)).filter(asks).collect()
}

/// Limit of operations between an address and its base.
const DEEP: u32 = 8;

/// Limit of operations that a number is computed from.
const MANY: usize = 64;

/// The operations in a loop.
struct PollBody<'a> {
    module: &'a Module,
    inside: OrdSet<OpId>,
    args: OrdSet<BlockId>,
}

impl PollBody<'_> {
    /// True when a value is the same in every iteration, as far as the text shows.
    fn is_fixed(&self, value: ValueId, deep: u32) -> bool {
        match self.module.value(value).def {
            Def::Result(at, _) if self.inside.contains(&at) => {
                let computed = matches!(self.module.op(at).op.row().family, Family::Arith | Family::View);
                let mut operands = self.module.operands(at).iter();
                let reads = self.module.movement(at) == Some(Movement::LoadScalar);
                computed && !reads && deep > 0 && operands.all(|o| self.is_fixed(o.value, deep - 1))
            }
            Def::Arg(block, _) => !self.args.contains(&block),
            _ => true,
        }
    }
}

/// The tile that a load fills.
pub fn loaded_tile(module: &Module, load: OpId) -> Option<ValueId> {
    module.operands(load).get(1).map(|o| o.value).or_else(|| module.results(load).next())
}

/// True for an operation that takes an element of a tile into a scalar.
pub fn reads_element(code: Op) -> bool {
    code.movement() == Some(Movement::GetElement)
}

/// The loads whose numbers a value is computed from, as far as that is scalar arithmetic.
pub fn sources(module: &Module, value: ValueId) -> OrdSet<OpId> {
    let (mut loads, mut seen, mut open) = (OrdSet::new(), OrdSet::new(), vec![value]);
    while let Some(value) = open.pop() {
        let Def::Result(id, _) = module.value(value).def else { continue };
        if seen.len() == MANY || !seen.insert(id) {
            continue;
        }
        match module.movement(id) {
            Some(Movement::LoadScalar | Movement::GetElement) => drop(loads.insert(id)),
            _ if module.op(id).op.row().family == Family::Arith => {
                open.extend(module.operands(id).iter().map(|o| o.value));
            }
            _ => {}
        }
    }
    loads
}
