//! Changes of a program that every pass is made of. Each gives a new module, or nothing where the change is not possible.

use crate::scope::ScopeMap;
use pto_ir::{Attr, BlockId, Module, OpId, Operand, Sym, ValueId};
use pto_isa::Span;
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::row::Control;

/// What takes the place of the results of operations that are removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instead {
    /// An operand of the same type, else another value of that type; else, users are removed too.
    Operand,
    /// The nearest earlier value of the same type; else, users are removed too.
    Nearest,
    /// Nothing: users are removed too.
    Nothing,
}

/// True for an operation that ends a block.
pub(crate) fn is_terminator(module: &Module, id: OpId) -> bool {
    module.control(id).is_some_and(Control::is_terminator)
}

/// The values that an operation uses, those that branches hand on included.
pub(crate) fn used(module: &Module, id: OpId) -> impl Iterator<Item = ValueId> {
    let passed = module.successors(id).iter().flat_map(|s| s.args.iter().copied());
    module.operands(id).iter().map(|o| o.value).chain(passed)
}

/// How often each value is used.
pub(crate) fn use_counts(module: &Module) -> FastMap<ValueId, usize> {
    let mut counts = FastMap::default();
    for id in module.order() {
        used(module, id).for_each(|v| *counts.entry(v).or_default() += 1);
    }
    counts
}

/// Removes operations and everything inside them.
pub(crate) fn without(module: &Module, ops: &[OpId], instead: Instead) -> Option<Module> {
    let mut removal =
        Removal { module, scope: ScopeMap::new(module), gone: FastSet::default(), map: FastMap::default() };
    ops.iter().for_each(|op| removal.remove(*op));
    removal.remove_calls();
    removal.close(instead)?;
    Some(removal.applied())
}

struct Removal<'m> {
    module: &'m Module,
    scope: ScopeMap,
    gone: FastSet<OpId>,
    map: FastMap<ValueId, ValueId>,
}

impl Removal<'_> {
    fn remove(&mut self, op: OpId) {
        self.gone.insert(op);
        self.module.walk_inside(op, &mut |id| {
            self.gone.insert(id);
        });
    }

    /// Calls go with the function.
    fn remove_calls(&mut self) {
        let module = self.module;
        if !self.gone.iter().any(|id| module.control(*id) == Some(Control::Function)) {
            return;
        }
        let calls: Vec<OpId> =
            module.calls().into_iter().filter(|(_, f)| self.gone.contains(f)).map(|(call, _)| call).collect();
        calls.into_iter().for_each(|call| self.remove(call));
    }

    /// Finds other values for what is still used, or removes the users.
    fn close(&mut self, instead: Instead) -> Option<()> {
        let order = self.module.order();
        loop {
            let before = self.gone.len();
            for &id in order.iter().filter(|id| !is_module_part(self.module, **id)) {
                if self.gone.contains(&id) {
                    continue;
                }
                let lost: Vec<ValueId> = used(self.module, id).filter(|v| self.is_gone(*v)).collect();
                for value in lost {
                    if self.map.contains_key(&value) {
                        continue;
                    }
                    let terminates = is_terminator(self.module, id);
                    let instead = if terminates && instead == Instead::Nothing { Instead::Operand } else { instead };
                    match self.other(value, instead, 8) {
                        Some(other) => {
                            self.map.insert(value, other);
                        }
                        None if terminates => return None,
                        None => {
                            self.remove(id);
                            break;
                        }
                    }
                }
            }
            // What was removed later may have been chosen before.
            let stale: Vec<ValueId> = self.map.iter().filter(|(_, to)| self.is_gone(**to)).map(|(v, _)| *v).collect();
            self.map.retain(|v, _| !stale.contains(v));
            if self.gone.len() == before && stale.is_empty() {
                return Some(());
            }
        }
    }

    fn is_gone(&self, value: ValueId) -> bool {
        self.module.definition(value).is_some_and(|op| self.gone.contains(&op))
    }

    /// A value that can be used in place of a result of a removed operation.
    fn other(&self, value: ValueId, instead: Instead, depth: u32) -> Option<ValueId> {
        let (op, ty) = (self.module.definition(value)?, self.module.value(value).ty);
        if depth == 0 || instead == Instead::Nothing {
            return None;
        }
        if instead == Instead::Operand {
            let alike = self.module.operands(op).iter().map(|o| o.value).filter(|v| self.module.value(*v).ty == ty);
            for operand in alike {
                if !self.is_gone(operand) {
                    return Some(operand);
                }
                if let Some(other) = self.other(operand, instead, depth - 1) {
                    return Some(other);
                }
            }
        }
        self.scope.nearest(ty, op, &|v| !self.is_gone(v))
    }

    fn applied(self) -> Module {
        let mut out = self.module.clone();
        for block in self.module.all_blocks() {
            if self.module.block(block).ops.iter().any(|op| self.gone.contains(op)) {
                out.block_mut(block).ops.retain(|op| !self.gone.contains(op));
            }
        }
        out.resolve_uses(&self.map);
        out
    }
}

/// Functions and modules use no values.
fn is_module_part(module: &Module, id: OpId) -> bool {
    matches!(module.control(id), Some(Control::Function | Control::Module))
}

/// Puts the operations of a block, but for its terminator, in the place of an operation.
pub(crate) fn splice(module: &mut Module, place: (BlockId, OpId), body: BlockId) -> Option<()> {
    let (block, op) = place;
    let mut inner = module.block(body).ops.clone();
    inner.pop()?;
    let ops = &mut module.block_mut(block).ops;
    let at = ops.iter().position(|o| *o == op)?;
    ops.splice(at..=at, inner);
    Some(())
}

/// Replaces uses of values by others, in order.
pub(crate) fn replace_uses(module: &mut Module, from: &[ValueId], to: &[ValueId]) -> Option<()> {
    if from.len() != to.len() {
        return None;
    }
    module.resolve_uses(&from.iter().copied().zip(to.iter().copied()).collect());
    Some(())
}

/// Sets an attribute. A number is printed as it stands in the source, so that place is forgotten.
pub(crate) fn set_attr(module: &mut Module, id: OpId, name: Sym, value: Attr) {
    let end = module.op(id).span.end;
    module.set_name_span(id, Span::new(end, end));
    module.set_attr(id, name, value);
}

/// The values among operands.
pub(crate) fn values(operands: &[Operand]) -> Vec<ValueId> {
    operands.iter().map(|o| o.value).collect()
}
