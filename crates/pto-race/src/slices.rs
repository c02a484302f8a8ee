//! Backward slices of scalar values: the loads they are computed from, through arithmetic, branches and loops.

use crate::rounds::Jumps;
use pto_ir::{BlockId, Def, Module, OpId, RegionId, ValueId};
use pto_isa::Family;
use pto_isa::hash::FastMap;
use pto_isa::ordered::OrdSet;
use pto_isa::row::{Control, Meaning, Movement};

/// The values that some values are computed from.
#[derive(Default, Debug)]
pub(crate) struct Slice {
    pub values: OrdSet<ValueId>,
    /// Operations that take scalars from memory.
    pub loads: OrdSet<OpId>,
}

/// Follows values to their operands, through the matching position of loops and branches.
pub(crate) struct Slices<'a> {
    pub module: &'a Module,
    pub jumps: Jumps<'a>,
    owners: FastMap<BlockId, OpId>,
}

/// Limit of values in a slice.
const MANY: usize = 4096;

impl<'a> Slices<'a> {
    pub fn new(module: &'a Module) -> Self {
        Self { module, jumps: Jumps::new(module), owners: module.owners() }
    }

    pub fn of(&self, roots: impl IntoIterator<Item = ValueId>) -> Slice {
        let mut slice = Slice::default();
        let mut open: Vec<ValueId> = roots.into_iter().collect();
        while let Some(value) = open.pop() {
            if slice.values.len() < MANY && slice.values.insert(value) {
                match self.module.value(value).def {
                    Def::Result(id, at) => self.result(id, at as usize, &mut slice, &mut open),
                    Def::Arg(block, at) => self.argument(block, at as usize, &mut open),
                    Def::Missing => {}
                }
            }
        }
        slice
    }

    fn result(&self, id: OpId, at: usize, slice: &mut Slice, open: &mut Vec<ValueId>) {
        let code = self.module.op(id).op;
        match code.row().meaning {
            Meaning::Movement(Movement::LoadScalar | Movement::GetElement) => drop(slice.loads.insert(id)),
            Meaning::Control(Control::If | Control::IndexSwitch) => {
                open.extend(self.operand(id, 0));
                open.extend(self.module.op_regions(id).iter().filter_map(|r| self.handed(*r, at)));
            }
            Meaning::Control(Control::For) => self.carried(id, at, open),
            Meaning::Control(Control::While) => open.extend(self.region(id, 0).and_then(|r| self.handed(r, at + 1))),
            _ if code.row().family == Family::Arith => {
                open.extend(self.module.operands(id).iter().map(|o| o.value));
            }
            _ => {}
        }
    }

    fn argument(&self, block: BlockId, at: usize, open: &mut Vec<ValueId>) {
        open.extend(self.jumps.given(block, at));
        let Some(&id) = self.owners.get(&block) else { return };
        match self.module.control(id) {
            Some(Control::For) if at > 0 => self.carried(id, at - 1, open),
            Some(Control::For) => open.extend((0..3).filter_map(|k| self.operand(id, k))),
            Some(Control::While) => {
                let is_before = self.region(id, 0).is_some_and(|r| self.module.region(r).blocks.contains(&block));
                if is_before {
                    open.extend(self.operand(id, at));
                    open.extend(self.region(id, 1).and_then(|r| self.handed(r, at)));
                } else {
                    open.extend(self.region(id, 0).and_then(|r| self.handed(r, at + 1)));
                }
            }
            _ => {}
        }
    }

    /// A value that a counted loop carries from iteration to iteration.
    fn carried(&self, id: OpId, at: usize, open: &mut Vec<ValueId>) {
        open.extend(self.operand(id, at + 3));
        open.extend(self.region(id, 0).and_then(|r| self.handed(r, at)));
    }

    fn operand(&self, id: OpId, at: usize) -> Option<ValueId> {
        self.module.operands(id).get(at).map(|o| o.value)
    }

    fn region(&self, id: OpId, at: usize) -> Option<RegionId> {
        self.module.op_regions(id).get(at).copied()
    }

    /// The value that the terminator of a region yields.
    fn handed(&self, region: RegionId, at: usize) -> Option<ValueId> {
        let last = self.module.region(region).blocks.last().and_then(|b| self.module.block(*b).ops.last())?;
        self.operand(*last, at)
    }
}

/// The operation that a value is a result of.
pub(crate) fn definition(module: &Module, value: ValueId) -> Option<OpId> {
    match module.value(value).def {
        Def::Result(id, _) => Some(id),
        _ => None,
    }
}
