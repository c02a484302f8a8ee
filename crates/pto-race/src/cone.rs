//! What decides the branches of a program: arguments, scalars from memory, and the numbers they are compared with.

use crate::paths::Branches;
use crate::rounds::{Jumps, rounds};
use pto_ir::{Attr, BlockId, Def, Module, OpId, RegionId, ValueId};
use pto_isa::Family;
use pto_isa::hash::FastMap;
use pto_isa::ordered::OrdSet;
use pto_isa::row::{Arith, Control, Meaning, Movement};

/// What values depend on.
#[derive(Default, Debug)]
pub(crate) struct Cone {
    /// Parameters of functions that are not called.
    pub params: OrdSet<ValueId>,
    /// Operations that take scalars from memory.
    pub loads: OrdSet<OpId>,
    pub ints: OrdSet<i64>,
    pub floats: Vec<f64>,
    /// Numbers that the program stores decide something.
    pub computed: bool,
    seen: OrdSet<ValueId>,
}

/// Follows values to what they depend on.
pub(crate) struct Sources<'a> {
    module: &'a Module,
    jumps: Jumps<'a>,
    owners: FastMap<BlockId, OpId>,
    /// The calls of each function.
    callers: FastMap<OpId, Vec<OpId>>,
}

impl<'a> Sources<'a> {
    pub fn new(module: &'a Module) -> Self {
        let mut callers: FastMap<OpId, Vec<OpId>> = FastMap::default();
        for (call, function) in module.calls() {
            callers.entry(function).or_default().push(call);
        }
        Self { module, jumps: Jumps::new(module), owners: module.owners(), callers }
    }

    /// Everything that decides a branch or a loop of the program.
    pub fn of_branches(&self, first: &Branches) -> Cone {
        let mut cone = Cone::default();
        self.module.walk(self.module.top, &mut |id| {
            let operands = self.module.operands(id);
            let deciding = match self.module.control(id) {
                Some(Control::For) => &operands[..operands.len().min(3)],
                Some(
                    Control::If | Control::Condition | Control::IndexSwitch | Control::CondBranch | Control::Switch,
                ) => &operands[..operands.len().min(1)],
                _ => return,
            };
            deciding.iter().for_each(|o| self.follow(o.value, &mut cone));
            if self.module.control(id) != Some(Control::For) {
                self.module.attrs(id).iter().for_each(|(_, attr)| ints_of(attr, &mut cone.ints));
            }
        });
        self.follow_stores(&mut cone, first);
        // A scalar that a loop polls may change between iterations, so it is not fixed to one value.
        let inside = self.in_whiles();
        cone.loads.retain(|load| !inside.contains(load));
        cone
    }

    /// A scalar that the program stores itself is not chosen: it is what the stored number depends on.
    fn follow_stores(&self, cone: &mut Cone, first: &Branches) {
        let mut known = OrdSet::new();
        while let Some((load, stores)) = cone.loads.iter().find_map(|load| Some((*load, first.writers_of(*load)?))) {
            cone.loads.remove(&load);
            cone.computed = true;
            if known.insert(load) {
                let stored = stores.flat_map(|store| self.module.operands(store)).map(|o| o.value);
                let is_scalar = |value: &ValueId| self.module.value_type(*value).scalar().is_some();
                stored.filter(is_scalar).for_each(|value| self.follow(value, cone));
            }
        }
    }

    /// True when a branch depends on something that can be chosen.
    pub fn is_decided(&self, value: ValueId) -> bool {
        let mut cone = Cone::default();
        self.follow(value, &mut cone);
        !cone.params.is_empty() || !cone.loads.is_empty()
    }

    /// True when an argument is among what a value depends on.
    pub fn has_params(&self, value: ValueId) -> bool {
        let mut cone = Cone::default();
        self.follow(value, &mut cone);
        !cone.params.is_empty()
    }

    /// True when the text does not determine a value.
    pub fn is_open(&self, value: ValueId) -> bool {
        match self.module.value(value).def {
            Def::Result(id, _) if self.module.op(id).op.row().family == Family::Arith => {
                self.module.operands(id).iter().any(|o| self.is_open(o.value))
            }
            Def::Arg(block, 0) => match self.owners.get(&block) {
                Some(&id) if self.module.control(id) == Some(Control::For) => {
                    self.module.operands(id).iter().take(3).any(|o| self.is_open(o.value))
                }
                _ => true,
            },
            _ => true,
        }
    }

    fn in_whiles(&self) -> OrdSet<OpId> {
        let mut inside = OrdSet::new();
        self.module.walk(self.module.top, &mut |id| {
            if self.module.control(id) == Some(Control::While) {
                self.module.walk_inside(id, &mut |inner| {
                    inside.insert(inner);
                });
            }
        });
        inside.extend(rounds(&self.jumps).iter().flat_map(|round| round.ops(self.module)));
        inside
    }

    fn follow(&self, value: ValueId, cone: &mut Cone) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if cone.seen.insert(value) {
                self.step(value, cone, &mut open);
            }
        }
    }

    fn step(&self, value: ValueId, cone: &mut Cone, open: &mut Vec<ValueId>) {
        match self.module.value(value).def {
            Def::Result(id, _) => match self.module.meaning(id) {
                Meaning::Arith(Arith::Constant) => match self.module.attr(id, "value") {
                    Some(Attr::Float(x, _)) => cone.floats.push(*x),
                    Some(attr) => ints_of(attr, &mut cone.ints),
                    None => {}
                },
                _ if self.is_load(id) => {
                    cone.loads.insert(id);
                }
                _ if self.module.op(id).op.row().family == Family::Arith => {
                    open.extend(self.module.operands(id).iter().map(|o| o.value));
                }
                Meaning::Control(Control::If | Control::IndexSwitch | Control::For | Control::While) => {
                    self.around(id, open);
                }
                _ => {}
            },
            Def::Arg(block, at) if !self.is_entry(block) => open.extend(self.jumps.given(block, at as usize)),
            Def::Arg(block, at) => match self.owners.get(&block) {
                Some(owner) if self.module.control(*owner) == Some(Control::Function) => {
                    match self.callers.get(owner) {
                        Some(calls) => {
                            let given = calls.iter().filter_map(|call| self.module.operands(*call).get(at as usize));
                            open.extend(given.map(|o| o.value));
                        }
                        None => {
                            cone.params.insert(value);
                        }
                    }
                }
                Some(owner) => self.around(*owner, open),
                None => {}
            },
            Def::Missing => {}
        }
    }

    /// True for the first block of a region: the owner of the region gives its parameters.
    fn is_entry(&self, block: BlockId) -> bool {
        let regions = self.owners.get(&block).map_or(&[][..], |owner| self.module.op_regions(*owner));
        regions.iter().any(|r| self.module.region(*r).blocks.first() == Some(&block))
    }

    /// True for operations that load a scalar from memory: through a pointer, or from a tile.
    fn is_load(&self, id: OpId) -> bool {
        let is_scalar = |v: ValueId| self.module.value_type(v).scalar().is_some();
        let from_tile = || self.module.operands(id).first().is_some_and(|o| self.module.tile(o.value).is_some());
        self.module.movement(id) == Some(Movement::LoadScalar) || from_tile() && self.module.results(id).all(is_scalar)
    }

    /// The operands of an operation with regions, and the values that its regions yield.
    fn around(&self, id: OpId, open: &mut Vec<ValueId>) {
        open.extend(self.module.operands(id).iter().map(|o| o.value));
        let last = |region: &RegionId| {
            let blocks = self.module.region(*region).blocks.iter();
            blocks.filter_map(|b| self.module.block(*b).ops.last().copied()).collect::<Vec<_>>()
        };
        let ends = self.module.op_regions(id).iter().flat_map(last);
        open.extend(ends.flat_map(|end| self.module.operands(end)).map(|o| o.value));
    }
}

fn ints_of(attr: &Attr, ints: &mut OrdSet<i64>) {
    match attr {
        Attr::Int(..) => ints.extend(attr.int()),
        Attr::Array(all) => all.iter().for_each(|a| ints_of(a, ints)),
        _ => {}
    }
}
