//! Facts about a program that the emitter needs repeatedly.

use pto_ir::{BlockId, Def, Module, OpId};
use pto_isa::row::{Control, Storage};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

pub(super) struct Facts {
    /// The operations that use each value.
    pub uses: Vec<Vec<OpId>>,
    /// The loop that each body belongs to.
    pub loops: HashMap<BlockId, OpId>,
    /// Assignments of addresses after which the tile is used under its old name, too.
    pub kept: HashSet<OpId>,
    /// How many functions have a body, once that was asked for.
    pub bodies: OnceCell<usize>,
    /// The first operation of the top level that states a kind of core.
    pub first_kind: OnceCell<Option<OpId>>,
}

impl Facts {
    pub fn new(module: &Module) -> Self {
        let mut uses = vec![Vec::new(); module.value_count()];
        let mut loops = HashMap::new();
        for id in module.order() {
            for operand in module.operands(id) {
                uses[operand.value.index()].push(id);
            }
            if module.control(id) == Some(Control::For) {
                let bodies = module.op_regions(id).iter().flat_map(|r| &module.region(*r).blocks);
                loops.extend(bodies.map(|b| (*b, id)));
            }
        }
        let kept = kept(module, &uses);
        Self { uses, loops, kept, bodies: OnceCell::new(), first_kind: OnceCell::new() }
    }
}

/// In its own block, a tile is used after an assignment only further down. Elsewhere a loop may come back to other uses.
fn kept(module: &Module, uses: &[Vec<OpId>]) -> HashSet<OpId> {
    let mut kept = HashSet::new();
    let mut home: HashMap<OpId, BlockId> = HashMap::new();
    for block in module.all_blocks() {
        home.extend(module.block(block).ops.iter().map(|id| (*id, block)));
    }
    for (id, block) in home.iter().filter(|(id, _)| module.storage(**id) == Some(Storage::Assign)) {
        let Some(tile) = module.operand(*id, "tile") else { continue };
        let defined_in = match module.value(tile).def {
            Def::Result(by, _) => home.get(&by).copied(),
            Def::Arg(block, _) => Some(block),
            Def::Missing => None,
        };
        let end = module.block(*block).ops.last().copied();
        let handed_on = end.is_some_and(|end| module.successors(end).iter().any(|s| s.args.contains(&tile)));
        let others = &uses[tile.index()];
        let used = others.last() != Some(id) || handed_on || (defined_in != Some(*block) && others.len() > 1);
        if used && module.results(*id).next().is_some() {
            kept.insert(*id);
        }
    }
    kept
}
