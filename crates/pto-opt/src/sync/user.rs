//! Synchronisation that the program has itself.

use pto_ir::{Module, OpId};
use pto_isa::hash::FastMap;
use pto_isa::ordered::OrdSet;
use pto_isa::row::{FlagForm, SyncOp};

/// Flags and barriers of the program itself.
pub(super) fn is_user_sync(module: &Module, id: OpId) -> bool {
    module.sync(id).is_some_and(|sync| sync.is_flag() || sync.is_barrier())
}

/// True when a program synchronises pipes anywhere: flags, events, barriers, or buffer tokens.
///
/// Signals and FIFO pipes between cores do not order the pipes of one core.
///
/// ```
/// let (module, _) = pto_syntax::parse("func.func @f() { pto.barrier <PIPE_ALL> return }");
/// assert!(pto_opt::sync::states_order(&module));
/// ```
pub fn states_order(module: &Module) -> bool {
    !stated(module).is_empty()
}

/// The functions that synchronise pipes, with their callees and callers: a kernel synchronises itself as a whole or not at all.
pub(crate) fn stated(module: &Module) -> OrdSet<OpId> {
    let calls = module.calls();
    let mut near: FastMap<OpId, Vec<OpId>> = FastMap::default();
    let mut open = Vec::new();
    for function in module.functions() {
        let mut own = false;
        module.walk_inside(function, &mut |id| {
            own |= orders_pipes(module, id);
            if let Some(callee) = calls.get(&id) {
                near.entry(function).or_default().push(*callee);
                near.entry(*callee).or_default().push(function);
            }
        });
        open.extend(own.then_some(function));
    }
    let mut stated = OrdSet::new();
    while let Some(function) = open.pop() {
        if stated.insert(function) {
            open.extend(near.get(&function).into_iter().flatten());
        }
    }
    stated
}

/// True for what orders the pipes of a core.
pub(super) fn orders_pipes(module: &Module, id: OpId) -> bool {
    is_user_sync(module, id) || is_token(module, id)
}

fn is_token(module: &Module, id: OpId) -> bool {
    module.sync(id).is_some_and(SyncOp::is_token)
}

/// True for functions whose flags cannot be analysed: they compute the ids, or use buffer tokens.
pub(super) fn orders_itself(module: &Module, function: OpId) -> bool {
    let mut found = false;
    module.walk_inside(function, &mut |id| {
        found |= is_token(module, id)
            || matches!(
                module.sync(id),
                Some(SyncOp::SetFlag(FlagForm::Computed) | SyncOp::WaitFlag(FlagForm::Computed))
            );
    });
    found
}
