//! The data cache of the scalar unit: which scalar accesses need it written back or emptied.
//!
//! Scalar accesses to global memory go through this cache; all other pipes access memory itself. Flags order instructions, but they
//! neither write the cache back nor drop old copies.

use crate::effects::{CoreSet, OrderEffect, effect};
use crate::places::{Home, ValueMemory};
use pto_check::Checked;
use pto_ir::{BlockId, Module, OpId, Operand};
use pto_isa::Pipe;
use pto_isa::ordered::OrdSet;
use pto_isa::row::{Meaning, SyncOp};

/// Where the cache is written back and emptied.
#[derive(Default)]
pub(super) struct CacheCleans {
    /// Before these scalar accesses: the cache may hold old copies of what other pipes have stored.
    pub before: OrdSet<OpId>,
    /// After these scalar stores: other pipes access the memory. A clean of the program itself may come after the flag that is set
    /// for them.
    pub after: OrdSet<OpId>,
}

/// The cleans that functions lack.
pub(super) fn missing_cleans(checked: &Checked, places: &mut ValueMemory<'_>, functions: &[OpId]) -> CacheCleans {
    let module = checked.module();
    let mut cleans = CacheCleans::default();
    // Few programs do: the others need no second look at every operation.
    if !functions.iter().any(|f| has_scalar_accesses(checked, *f)) {
        return cleans;
    }
    let all: Vec<GlobalAccesses> = functions.iter().map(|f| GlobalAccesses::of(checked, places, *f)).collect();
    // Behind a call, a pointer has another name. A function that states its own order may be called, too.
    let has_calls = !places.calls.is_empty();
    let rest: Vec<OpId> = module.functions().into_iter().filter(|f| has_calls && !functions.contains(f)).collect();
    let rest: Vec<GlobalAccesses> = rest.iter().map(|f| GlobalAccesses::of(checked, places, *f)).collect();
    let shared = OtherPipes::join(all.iter().chain(&rest).map(|a| &a.others));
    for (accesses, function) in all.iter().zip(functions) {
        let others = if has_calls { &shared } else { &accesses.others };
        let is_in = |homes: &OrdSet<Home>, home: Home| match home {
            Home::AnyGlobal => !homes.is_empty(),
            _ => homes.contains(&home) || homes.contains(&Home::AnyGlobal) || (has_calls && !homes.is_empty()),
        };
        let scalar = || accesses.scalar.iter();
        cleans.after.extend(scalar().filter(|a| a.write && is_in(&others.touched, a.home)).map(|a| a.op));
        let stale: OrdSet<OpId> = scalar().filter(|a| is_in(&others.written, a.home)).map(|a| a.op).collect();
        for block in blocks_of(module, *function) {
            let starts_empty = !has_calls && module.op_regions(*function).iter().any(|r| is_first(module, *r, block));
            let mut scan = BlockScan { checked, stale: &stale, cleaned_after: &cleans.after, is_fresh: starts_empty };
            scan.block(places, block, &mut cleans.before);
        }
    }
    cleans
}

/// True when the scalar unit may access memory.
fn has_scalar_accesses(checked: &Checked, function: OpId) -> bool {
    let (module, mut found) = (checked.module(), false);
    let is_memory = |operand: &Operand| crate::effects::is_memory(module.value_type(operand.value));
    module.walk_inside(function, &mut |id| {
        found = found
            || (module.operands(id).iter().any(is_memory)
                && pto_check::pipe_of(module, id, checked.info().target) == Some(Pipe::S));
    });
    found
}

/// A scalar access to global memory, which goes through the cache.
struct CachedAccess {
    op: OpId,
    home: Home,
    write: bool,
}

/// The global memory that pipes without the cache access.
#[derive(Default)]
struct OtherPipes {
    touched: OrdSet<Home>,
    written: OrdSet<Home>,
}

impl OtherPipes {
    fn join<'a>(all: impl Iterator<Item = &'a Self>) -> Self {
        all.fold(Self::default(), |mut joined, one| {
            joined.touched.extend(&one.touched);
            joined.written.extend(&one.written);
            joined
        })
    }
}

/// What a function does with global memory.
#[derive(Default)]
struct GlobalAccesses {
    scalar: Vec<CachedAccess>,
    others: OtherPipes,
}

impl GlobalAccesses {
    fn of(checked: &Checked, places: &mut ValueMemory<'_>, function: OpId) -> Self {
        let module = checked.module();
        let mut accesses = Self::default();
        module.walk_inside(function, &mut |id| {
            if !module.op_regions(id).is_empty() || places.calls.contains_key(&id) {
                return;
            }
            let OrderEffect::Touches(touches) = effect(checked, places, id, CoreSet::Any) else { return };
            for touch in touches.into_iter().filter(|t| t.region.is_global()) {
                let home = touch.region.home;
                if touch.is_cached() {
                    // Signals do not use the cache.
                    if !is_comm(module, id) {
                        accesses.scalar.push(CachedAccess { op: id, home, write: touch.write });
                    }
                    continue;
                }
                accesses.others.touched.insert(home);
                if touch.write {
                    accesses.others.written.insert(home);
                }
            }
        });
        accesses
    }
}

/// Goes through a block and keeps track of whether the cache may hold old copies.
struct BlockScan<'a> {
    checked: &'a Checked,
    /// Scalar accesses of memory that other pipes store to.
    stale: &'a OrdSet<OpId>,
    /// Scalar stores after which the cache is cleaned.
    cleaned_after: &'a OrdSet<OpId>,
    is_fresh: bool,
}

impl BlockScan<'_> {
    fn block(&mut self, places: &mut ValueMemory<'_>, block: BlockId, before: &mut OrdSet<OpId>) {
        let module = self.checked.module();
        for &id in &module.block(block).ops {
            if self.stale.contains(&id) && !self.is_fresh {
                before.insert(id);
                self.is_fresh = true;
            }
            self.is_fresh = cleans_all(module, id)
                || self.cleaned_after.contains(&id)
                || (self.is_fresh && self.keeps_memory(places, id));
        }
    }

    /// True when copies in the cache stay what is in memory: no other pipe stores there, on this core or on others.
    fn keeps_memory(&self, places: &mut ValueMemory<'_>, id: OpId) -> bool {
        let module = self.checked.module();
        // After a signal, other cores have stored.
        if !module.op_regions(id).is_empty() || is_comm(module, id) {
            return false;
        }
        match effect(self.checked, places, id, CoreSet::Any) {
            OrderEffect::None => module.sync(id).is_none(),
            OrderEffect::Touches(touches) => !touches.iter().any(|t| t.region.is_global() && t.write && !t.is_cached()),
            _ => false,
        }
    }
}

fn is_comm(module: &Module, id: OpId) -> bool {
    matches!(module.op(id).op.row().meaning, Meaning::Comm(_))
}

fn cleans_all(module: &Module, id: OpId) -> bool {
    module.sync(id) == Some(SyncOp::CleanCache) && module.operands(id).is_empty()
}

fn is_first(module: &Module, region: pto_ir::RegionId, block: BlockId) -> bool {
    module.region(region).blocks.first() == Some(&block)
}

fn blocks_of(module: &Module, function: OpId) -> Vec<BlockId> {
    let inside = |id: OpId| module.op_regions(id).iter().flat_map(|r| module.region(*r).blocks.iter().copied());
    let mut blocks: Vec<BlockId> = inside(function).collect();
    module.walk_inside(function, &mut |id| blocks.extend(inside(id)));
    blocks
}
