//! Synchronises the pipes of a core: flags between pipes, barriers within a pipe.
//!
//! Every list of operations is analysed on its own, with loops and branches as single items. Dependences of an item on earlier ones
//! are awaited before it, so nothing outside matters inside it. A dependence of an iteration on the previous one is a flag that is
//! set once before the loop and awaited once after it: sets and waits match on every path.

mod apply;
mod barriers;
mod caches;
mod calls;
mod history;
mod ids;
mod known;
mod lists;
mod summary;
mod unordered;
mod user;

pub(crate) use apply::barrier as barrier_on;
pub use unordered::{Unordered, unordered};
pub(crate) use user::stated;
pub use user::states_order;

use crate::Blanket;
use crate::effects::CoreSet;
use crate::places::ValueMemory;
use crate::tree;
use pto_check::Checked;
use pto_ir::{Module, OpId, ValueId};
use pto_isa::Pipe;
use pto_isa::ordered::OrdSet;
use pto_isa::sort::SharedSort;

/// How pipes are synchronised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyncMode {
    /// As few flags as possible.
    Minimal,
    /// A barrier over all pipes for every dependence: slow, but shows whether synchronisation is the problem.
    Barriers,
    /// As few flags as possible, in kernels without synchronisation. The others stay as they are.
    Unstated,
    /// Not at all.
    None,
}

/// The kind of a dependence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DependenceKind {
    /// The second reads what the first writes.
    ReadAfterWrite,
    /// The second overwrites what the first reads.
    WriteAfterRead,
    /// Both write.
    WriteAfterWrite,
}

/// Two instructions that must stay in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct Reason {
    /// The earlier instruction.
    pub first: OpId,
    /// The later one.
    pub second: OpId,
    /// The value that they share, as the second names it.
    pub value: ValueId,
    /// How.
    pub hazard: DependenceKind,
}

/// What orders pipes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Means {
    /// A flag from one pipe to another.
    Flag {
        /// The pipe that sets it.
        src: Pipe,
        /// The pipe that waits.
        dst: Pipe,
        /// Which flag of this pair.
        id: u8,
    },
    /// One pipe finishes its work.
    Barrier(Pipe),
    /// All pipes finish, because nothing better is known; the text says why.
    All(&'static str),
}

/// Flags of one edge, one for each of several tiles that a loop uses alternately.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NumberedFlags {
    /// The loop.
    pub around: OpId,
    /// How many flags there are. The id of the edge is that of the first.
    pub count: u8,
    /// The tile index where a flag is set.
    pub set: ValueId,
    /// The same index where it is awaited.
    pub wait: ValueId,
}

/// An inserted flag or barrier.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Edge {
    /// What.
    pub means: Means,
    /// The operation after which a flag is set.
    pub after: OpId,
    /// The operation before which it is awaited.
    pub before: OpId,
    /// The loop that carries it to the next iteration: the flag is set before the loop.
    pub carried_by: Option<OpId>,
    /// The loop that may end while the flag is set: it is awaited after the loop.
    pub drained_by: Option<OpId>,
    /// There is a flag for every tile that a loop uses alternately.
    pub numbered: Option<NumberedFlags>,
    /// The dependences that need it.
    pub reasons: Vec<Reason>,
}

/// A program with synchronised pipes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Synced {
    /// The program.
    pub module: Module,
    /// The insertions. Operations are those of the original program.
    pub edges: Vec<Edge>,
    /// Flags and barriers that the program already had.
    pub kept: usize,
    /// Functions that are left unchanged: they compute flag ids, or use tokens.
    pub left: Vec<OpId>,
}

impl Synced {
    /// Flag pairs and barriers that were inserted.
    pub fn counts(&self) -> (usize, usize) {
        let flags = self.edges.iter().filter(|e| matches!(e.means, Means::Flag { .. })).count();
        (flags, self.edges.len() - flags)
    }

    /// Points at which all pipes wait for each other, and why; `before` is the original program.
    pub fn blanket(&self, before: &Module) -> Vec<Blanket> {
        let all = self.edges.iter().filter_map(|edge| match edge.means {
            Means::All(reason) => Some(Blanket { span: before.op(edge.before).span, reason }),
            _ => None,
        });
        all.collect()
    }
}

/// Synchronises the pipes of every function.
pub fn insert_sync(checked: &Checked, mode: SyncMode) -> Synced {
    let module = checked.module();
    let mut kept = 0;
    module.walk(module.top, &mut |id| kept += usize::from(user::is_user_sync(module, id)));
    let kept_out: OrdSet<OpId> = as_they_are(module, mode).into_iter().collect();
    let functions: Vec<OpId> = module.functions().into_iter().filter(|f| !kept_out.contains(f)).collect();
    let mut places = ValueMemory::new(checked);
    let (mut edges, left) = needed(checked, &mut places, &functions, mode != SyncMode::Barriers);
    if mode == SyncMode::Barriers {
        edges = lists::as_barriers(edges);
    }
    ids::assign(checked, &mut edges);
    edges.shared_sort_by_key(|edge| module.op(edge.before).span.start);
    let synchronised: Vec<OpId> = functions.into_iter().filter(|f| !left.contains(f)).collect();
    let cleans = caches::missing_cleans(checked, &mut places, &synchronised);
    let module = apply::insert(module, &edges, &cleans);
    Synced { module, edges, kept, left }
}

/// The functions into which nothing is inserted.
pub(crate) fn as_they_are(module: &Module, mode: SyncMode) -> Vec<OpId> {
    match mode {
        SyncMode::Minimal | SyncMode::Barriers => Vec::new(),
        SyncMode::Unstated => stated(module).into_iter().collect(),
        SyncMode::None => module.functions(),
    }
}

/// The missing edges of functions, and the functions that are not analysed.
fn needed(
    checked: &Checked,
    places: &mut ValueMemory<'_>,
    functions: &[OpId],
    with_flags: bool,
) -> (Vec<Edge>, Vec<OpId>) {
    let module = checked.module();
    let (mut edges, mut left) = (Vec::new(), Vec::new());
    for &function in functions {
        if user::orders_itself(module, function) {
            left.push(function);
            continue;
        }
        let core = CoreSet::of_function(module, function);
        for region in module.op_regions(function) {
            let blocks = &module.region(*region).blocks;
            for &block in blocks {
                let items = tree::items(checked, places, block, core);
                let mut lists = lists::ListOrder::new(checked.info().target, &mut edges, with_flags);
                lists.block(&items, block_end(module, blocks, block));
            }
        }
    }
    (edges, left)
}

/// The last operation of a block whose successors are not analysed.
fn block_end(module: &Module, blocks: &[pto_ir::BlockId], block: pto_ir::BlockId) -> Option<OpId> {
    (blocks.len() > 1).then(|| module.block(block).ops.last().copied()).flatten()
}
