//! Calls. Callees are not analysed, so all pipes of a core finish before and after a call.

use crate::effects::{CoreSet, OrderEffect};
use crate::tree::{TreeNode, TreeNodeKind};

/// Why all pipes wait for each other.
pub(super) const WHY: &str = pto_isa::text_key!("calls are not analysed");

/// Work that may be unfinished at a point in a function: its own, and that of callees.
#[derive(Default)]
pub(super) struct UnderWay {
    own: CoreKinds,
    called: CoreKinds,
}

impl UnderWay {
    /// Advances to an item; true when all pipes must finish before it.
    pub fn has_to_finish(&mut self, item: &TreeNode) -> bool {
        let cores = CoreKinds::of(item);
        let is_call = matches!(item.kind, TreeNodeKind::Leaf(OrderEffect::Call(_)));
        let is_barrier = matches!(item.kind, TreeNodeKind::Leaf(OrderEffect::BarrierAll));
        if is_barrier {
            *self = Self::default();
            return false;
        }
        let meets = self.called.meet(cores) || is_call && self.own.meet(cores);
        if meets {
            *self = Self::default();
        }
        let under_way = if is_call { &mut self.called } else { &mut self.own };
        under_way.add(cores);
        meets
    }
}

/// The kinds of cores that have work.
#[derive(Clone, Copy, Default)]
struct CoreKinds {
    cube: bool,
    vector: bool,
}

impl CoreKinds {
    /// Those of an item: both if it synchronises pipes itself.
    fn of(item: &TreeNode) -> Self {
        let mut all = Self::default();
        match &item.kind {
            TreeNodeKind::Leaf(OrderEffect::None) => {}
            TreeNodeKind::Leaf(OrderEffect::Call(core)) => all.add(Self::from(*core)),
            TreeNodeKind::Leaf(OrderEffect::Touches(touches)) => {
                touches.iter().for_each(|t| all.add(Self::from(t.core)));
            }
            TreeNodeKind::Leaf(_) => all.add(Self::from(CoreSet::Any)),
            _ => item.inner().for_each(|inner| all.add(Self::of(inner))),
        }
        all
    }

    fn add(&mut self, other: Self) {
        self.cube |= other.cube;
        self.vector |= other.vector;
    }

    fn meet(self, other: Self) -> bool {
        self.cube && other.cube || self.vector && other.vector
    }
}

impl From<CoreSet> for CoreKinds {
    fn from(core: CoreSet) -> Self {
        Self { cube: core != CoreSet::Vector, vector: core != CoreSet::Cube }
    }
}
