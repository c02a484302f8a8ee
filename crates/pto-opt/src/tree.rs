//! A function as nested lists of items: instructions, loops, branches.

use crate::effects::{CoreSet, OrderEffect, PipeTouch, effect};
use crate::places::ValueMemory;
use pto_check::Checked;
use pto_ir::{BlockId, OpId};
use pto_isa::row::Control;
use pto_isa::sort::SharedSort;

/// An operation that matters for the order of pipes.
#[derive(Debug)]
pub(crate) struct TreeNode {
    pub op: OpId,
    pub kind: TreeNodeKind,
    /// Its touches, including everything inside.
    pub touches: Vec<PipeTouch>,
}

#[derive(Debug)]
pub(crate) enum TreeNodeKind {
    Leaf(OrderEffect),
    /// A loop: its body, and whether it has at least one iteration.
    Loop(Vec<TreeNode>, bool),
    /// A loop with its exit in the middle: the items of both parts, and how many are in the first, which is executed once more.
    Conditional(Vec<TreeNode>, usize),
    /// One of several lists; an empty one if it may be none, or not on every core.
    Branches(Vec<Vec<TreeNode>>),
    /// Blocks with unstructured control flow.
    Tangle(Vec<(BlockId, Vec<TreeNode>)>),
}

impl TreeNode {
    /// The items directly inside.
    pub fn inner(&self) -> impl Iterator<Item = &TreeNode> {
        let lists: Vec<&[TreeNode]> = match &self.kind {
            TreeNodeKind::Leaf(_) => Vec::new(),
            TreeNodeKind::Loop(list, _) | TreeNodeKind::Conditional(list, _) => vec![list],
            TreeNodeKind::Branches(lists) => lists.iter().map(Vec::as_slice).collect(),
            TreeNodeKind::Tangle(lists) => lists.iter().map(|(_, list)| list.as_slice()).collect(),
        };
        lists.into_iter().flatten()
    }
}

/// The items of a block.
pub(crate) fn items(checked: &Checked, places: &mut ValueMemory<'_>, block: BlockId, core: CoreSet) -> Vec<TreeNode> {
    let module = checked.module();
    let mut list = Vec::new();
    for &id in &module.block(block).ops {
        let kind = kind(checked, places, id, core);
        let touches = touches(&kind).into_iter().map(|t| t.in_any_iteration(id)).collect();
        if !matches!(kind, TreeNodeKind::Leaf(OrderEffect::None)) && !is_empty(&kind) {
            list.push(TreeNode { op: id, kind, touches });
        }
    }
    list
}

fn kind(checked: &Checked, places: &mut ValueMemory<'_>, id: OpId, core: CoreSet) -> TreeNodeKind {
    let module = checked.module();
    let regions = module.op_regions(id);
    if regions.is_empty() {
        return TreeNodeKind::Leaf(effect(checked, places, id, core));
    }
    let core = CoreSet::of_section(module, id).unwrap_or(core);
    let blocks: Vec<BlockId> = regions.iter().flat_map(|r| module.region(*r).blocks.clone()).collect();
    let single = regions.iter().all(|r| module.region(*r).blocks.len() == 1);
    let mut lists: Vec<(BlockId, Vec<TreeNode>)> = Vec::new();
    for block in blocks {
        lists.push((block, items(checked, places, block, core)));
    }
    match module.control(id) {
        Some(Control::For) if single => {
            let bound = |k: usize| module.operands(id).get(k).and_then(|o| checked.info().constant(o.value));
            let iterations = bound(0).zip(bound(1)).map(|(lower, upper)| lower < upper);
            let body = lists.pop().map(|(_, list)| list).unwrap_or_default();
            match iterations {
                // Dead code needs no order.
                Some(false) => TreeNodeKind::Leaf(OrderEffect::None),
                iterations => TreeNodeKind::Loop(body, iterations == Some(true)),
            }
        }
        // If the condition touches no memory, the body is the whole loop.
        Some(Control::While) if single && lists.first().is_some_and(|(_, condition)| condition.is_empty()) => {
            TreeNodeKind::Loop(lists.pop().map(|(_, list)| list).unwrap_or_default(), false)
        }
        Some(Control::While) if single && lists.len() == 2 => {
            let first = lists[0].1.len();
            TreeNodeKind::Conditional(lists.into_iter().flat_map(|(_, list)| list).collect(), first)
        }
        code if single => {
            let has_all = code == Some(Control::If) && lists.len() == 2;
            let lists = lists.into_iter().map(|(_, list)| list);
            TreeNodeKind::Branches(lists.chain((!has_all).then(Vec::new)).collect())
        }
        _ => TreeNodeKind::Tangle(lists),
    }
}

fn is_empty(kind: &TreeNodeKind) -> bool {
    match kind {
        TreeNodeKind::Leaf(_) => false,
        TreeNodeKind::Loop(list, _) | TreeNodeKind::Conditional(list, _) => list.is_empty(),
        TreeNodeKind::Branches(lists) => lists.iter().all(Vec::is_empty),
        TreeNodeKind::Tangle(lists) => lists.iter().all(|(_, list)| list.is_empty()),
    }
}

fn touches(kind: &TreeNodeKind) -> Vec<PipeTouch> {
    let mut all: Vec<PipeTouch> = match kind {
        TreeNodeKind::Leaf(OrderEffect::Touches(list)) => return list.clone(),
        TreeNodeKind::Leaf(_) => return Vec::new(),
        TreeNodeKind::Loop(list, _) | TreeNodeKind::Conditional(list, _) => {
            list.iter().flat_map(|i| i.touches.iter().copied()).collect()
        }
        TreeNodeKind::Branches(lists) => lists.iter().flatten().flat_map(|i| i.touches.iter().copied()).collect(),
        TreeNodeKind::Tangle(lists) => {
            lists.iter().flat_map(|(_, l)| l).flat_map(|i| i.touches.iter().copied()).collect()
        }
    };
    // One touch of each kind is enough.
    all.shared_sort_by_key(|t| (t.region, t.slot, t.pipe, t.core, t.write, t.op));
    all.dedup_by_key(|t| (t.region, t.slot, t.pipe, t.core, t.write));
    all
}
