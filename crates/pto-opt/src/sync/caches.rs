//! Scalar stores that must leave the data cache of their core.

use crate::effects::{CoreSet, OrderEffect, effect};
use crate::places::{Home, ValueMemory};
use pto_check::Checked;
use pto_ir::{Module, OpId};
use pto_isa::Pipe;
use pto_isa::row::SyncOp;
use std::collections::BTreeSet;

/// The scalar stores to global memory that other pipes access too. Flags do not write the cache back, and a line that is written
/// back late undoes what other pipes have stored into it.
pub(super) fn stores_to_write_back(
    checked: &Checked,
    places: &mut ValueMemory<'_>,
    functions: &[OpId],
) -> BTreeSet<OpId> {
    let module = checked.module();
    let all: Vec<GlobalAccesses> = functions.iter().map(|f| GlobalAccesses::of(checked, places, *f)).collect();
    // Behind a call, a pointer has another name.
    let may_be_passed = !places.calls.is_empty() && all.iter().any(|a| !a.others.is_empty());
    let stores = all.iter().flat_map(|accesses| {
        let is_shared = |home: &Home| {
            let any = accesses.others.contains(&Home::AnyGlobal) || *home == Home::AnyGlobal;
            may_be_passed || accesses.others.contains(home) || (any && !accesses.others.is_empty())
        };
        accesses.stores.iter().filter(move |(_, home)| is_shared(home)).map(|(op, _)| *op)
    });
    let written_back = written_back(module);
    stores.filter(|op| !written_back.contains(op)).collect()
}

/// What a function does with global memory.
#[derive(Default)]
struct GlobalAccesses {
    /// Scalar stores.
    stores: Vec<(OpId, Home)>,
    /// The memory that other pipes access.
    others: BTreeSet<Home>,
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
            for touch in touches {
                match (touch.region.home, touch.pipe) {
                    (home @ (Home::Global(_) | Home::AnyGlobal), Pipe::S) if touch.write => {
                        accesses.stores.push((id, home));
                    }
                    (Home::Global(_) | Home::AnyGlobal, Pipe::S) => {}
                    (home @ (Home::Global(_) | Home::AnyGlobal), _) => _ = accesses.others.insert(home),
                    _ => {}
                }
            }
        });
        accesses
    }
}

/// The operations after which the program itself writes the cache back.
fn written_back(module: &Module) -> BTreeSet<OpId> {
    let blocks = module.all_blocks();
    let pairs = blocks.iter().flat_map(|block| module.block(*block).ops.windows(2));
    let cleans = |id: OpId| module.sync(id) == Some(SyncOp::CleanCache);
    pairs.filter(|pair| cleans(pair[1])).map(|pair| pair[0]).collect()
}

#[cfg(test)]
mod tests {
    use crate::{SyncMode, insert_sync};

    const STORE_AND_LOAD: &str = include_str!("store_and_load.pto");

    fn write_backs(text: &str) -> usize {
        let (module, problems) = pto_syntax::parse(text);
        assert!(problems.is_empty(), "{problems:?}");
        let checked = pto_check::check(module, pto_isa::Target::A2A3).expect("legal");
        let module = insert_sync(&checked, SyncMode::Minimal).module;
        let mut count = 0;
        module.walk(module.top, &mut |id| {
            count += usize::from(module.sync(id) == Some(pto_isa::row::SyncOp::CleanCache));
        });
        count
    }

    #[test]
    fn a_store_that_a_tile_load_reads_is_written_back() {
        assert_eq!(write_backs(STORE_AND_LOAD), 1);
    }

    #[test]
    fn a_store_to_other_memory_is_not() {
        assert_eq!(write_backs(&STORE_AND_LOAD.replace("%value, %p[", "%value, %q[")), 0);
    }

    #[test]
    fn a_write_back_of_the_program_is_enough() {
        let store = "pto.store_scalar %value, %p[%c0] : !pto.ptr<i32>, i32\n";
        let both = format!("{store}    pto.cmo.cacheinvalid all #pto.address_space<gm>\n");
        assert_eq!(write_backs(&STORE_AND_LOAD.replace(store, &both)), 1);
    }
}
