//! Tiles that loops exchange: which outer tile a parameter of a loop is, in each iteration.

use pto_ir::{Module, OpId, ValueId};
use pto_isa::hash::FastSet;
use pto_isa::row::Control;

/// Limit of iterations until the tiles of a loop are back at their start.
const MANY_ITERATIONS: usize = 17;

/// The tiles that a loop carries.
pub(crate) struct CarriedTiles {
    pub(crate) counter: ValueId,
    pub(crate) args: Vec<ValueId>,
    /// The tiles in the first iterations; `None` for tiles that are created inside.
    pub(crate) iterations: Vec<Vec<Option<ValueId>>>,
    /// The iteration that follows the last of these.
    again: Option<usize>,
}

impl CarriedTiles {
    /// `None` for other operations, and for loops that carry no tiles.
    pub(super) fn of(module: &Module, id: OpId) -> Option<Self> {
        let body = module.op_regions(id).first().filter(|_| module.control(id) == Some(Control::For))?;
        let block = module.block(*module.region(*body).blocks.first()?);
        let (&counter, args) = block.args.split_first()?;
        if !args.iter().any(|arg| module.tile(*arg).is_some()) {
            return None;
        }
        let handed: Vec<ValueId> = module.operands(*block.ops.last()?).iter().map(|o| o.value).collect();
        let first = module.operands(id).iter().skip(3).map(|o| Some(o.value)).collect::<Vec<_>>();
        if handed.len() != args.len() || first.len() != args.len() {
            return None;
        }
        let mut inside = FastSet::default();
        module.walk_inside(id, &mut |inner| inside.extend(module.results(inner)));
        let (mut iterations, mut again) = (vec![first], None);
        while again.is_none() && iterations.len() < MANY_ITERATIONS {
            let last = &iterations[iterations.len() - 1];
            let next = |value: &ValueId| match args.iter().position(|arg| arg == value) {
                Some(at) => last[at],
                None => Some(*value).filter(|v| !inside.contains(v)),
            };
            let next: Vec<Option<ValueId>> = handed.iter().map(next).collect();
            again = iterations.iter().position(|known| *known == next);
            iterations.extend(again.is_none().then_some(next));
        }
        Some(Self { counter, args: args.to_vec(), iterations, again })
    }

    /// The parameters in an iteration; `None` if unknown.
    pub(crate) fn at(&self, iteration: usize) -> Option<&[Option<ValueId>]> {
        let count = self.iterations.len();
        let at = match self.again {
            Some(again) if iteration >= count => again + (iteration - again) % (count - again),
            _ => iteration,
        };
        self.iterations.get(at).map(Vec::as_slice)
    }
}
