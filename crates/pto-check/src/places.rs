//! Where tiles lie, as far as the program says it with constants.

use crate::Info;
use crate::info::definition;
use crate::memory::addresses;
use pto_ir::{BlockId, Module, OpId, ValueId};
use pto_isa::Loc;
use pto_isa::row::{Effect, HiddenMemory};
use pto_isa::table::op;
use std::collections::HashMap;

/// Where a tile lies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    pub(crate) loc: Loc,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Place {
    /// Of a tile that an operation allocates or assigns.
    pub(crate) fn of(module: &Module, info: &Info, tile: ValueId) -> Option<Self> {
        let id = definition(module, tile)?;
        matches!(module.op(id).op, op::alloc_tile | op::tassign).then(|| Self::given(module, info, id, tile)).flatten()
    }

    /// The place that an operation gives a tile.
    fn given(module: &Module, info: &Info, id: OpId, tile: ValueId) -> Option<Self> {
        let (address, _) = *addresses(module, info, id).first()?;
        let start = u64::try_from(address?).ok()?;
        let tile = module.tile(tile)?;
        Some(Self { loc: tile.loc, start, end: start.saturating_add(tile.bytes()) })
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.loc == other.loc && self.start < other.end && other.start < self.end
    }
}

impl From<HiddenMemory> for Place {
    fn from(memory: HiddenMemory) -> Self {
        Self { loc: memory.loc, start: memory.start, end: memory.end }
    }
}

/// How two tiles share memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Overlap {
    None,
    /// They start at the same byte.
    Same,
    /// They share this many bytes and start at different ones.
    Partial(u64),
    /// One is a window, and nobody knows which bytes.
    Unknown,
}

/// Views of views deeper than this are not followed.
const MAX_VIEWS: usize = 100;

/// The tiles of a program and their places.
pub(crate) struct Places<'a> {
    module: &'a Module,
    info: &'a Info,
    /// Where `tassign` puts a tile, in text order; nothing where the address is computed.
    assigned: HashMap<ValueId, Vec<(OpId, Option<Place>)>>,
    /// The block and the position of operations; only where a tile has several places.
    stands: HashMap<OpId, (BlockId, usize)>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(module: &'a Module, order: &[OpId], info: &'a Info) -> Self {
        let mut this = Self { module, info, assigned: HashMap::new(), stands: HashMap::new() };
        for &id in order.iter().filter(|id| module.op(**id).op == op::tassign) {
            let Some(tile) = module.operands(id).first().map(|o| o.value) else { continue };
            // The assembler's form gives the place a name of its own.
            let tile = module.results(id).next().unwrap_or(tile);
            let place = Place::given(module, info, id, tile);
            this.assigned.entry(tile).or_default().push((id, place));
        }
        if this.assigned.values().any(|list| !is_one_place(list)) {
            for block in module.all_blocks() {
                let ops = module.block(block).ops.iter().enumerate();
                this.stands.extend(ops.map(|(at, id)| (*id, (block, at))));
            }
        }
        this
    }

    /// Where a tile that is allocated or assigned lies when an operation is executed.
    pub(crate) fn of(&self, tile: ValueId, at: OpId) -> Option<Place> {
        match self.assigned.get(&tile) {
            Some(list) if is_one_place(list) => list[0].1,
            Some(list) => self.last_before(list, at),
            None => Place::of(self.module, self.info, tile),
        }
    }

    /// The last place that is given in the same list of operations; before that, other turns and branches may have given any.
    fn last_before(&self, list: &[(OpId, Option<Place>)], at: OpId) -> Option<Place> {
        let (block, position) = *self.stands.get(&at)?;
        let before = |id: &OpId| self.stands.get(id).is_some_and(|(b, p)| *b == block && *p < position);
        list.iter().rev().find(|(id, _)| before(id))?.1
    }

    /// The places that tiles are given with constants.
    pub(crate) fn all(&self, order: &[OpId]) -> Vec<Place> {
        let allocated = order.iter().filter(|id| self.module.op(**id).op == op::alloc_tile);
        let allocated = allocated.filter_map(|id| Place::of(self.module, self.info, self.module.results(*id).next()?));
        let assigned = self.assigned.values().flatten().filter_map(|(_, place)| *place);
        allocated.chain(assigned).collect()
    }

    /// Follows views back to the tile they show; false when the view may start elsewhere. A wrong program can
    /// define a view by itself, so the chain has a limit.
    pub(crate) fn root(&self, mut value: ValueId) -> (ValueId, bool) {
        let mut whole = true;
        for _ in 0..MAX_VIEWS {
            let Some(id) = definition(self.module, value) else { break };
            let code = self.module.op(id).op;
            let source = self.module.operands(id).first().map(|o| o.value);
            match source {
                Some(s) if code != op::tassign && is_view(self.module, id) && self.module.tile(s).is_some() => {
                    whole &= self.module.operands(id).len() == 1;
                    value = s;
                }
                _ => break,
            }
        }
        (value, whole)
    }

    /// How two tiles share memory when an operation is executed.
    pub(crate) fn overlap(&self, a: ValueId, b: ValueId, at: OpId) -> Overlap {
        let ((a, a_whole), (b, b_whole)) = (self.root(a), self.root(b));
        if a == b {
            return if a_whole && b_whole { Overlap::Same } else { Overlap::Unknown };
        }
        match (self.of(a, at), self.of(b, at)) {
            (Some(x), Some(y)) if x.overlaps(&y) => {
                if !(a_whole && b_whole) {
                    Overlap::Unknown
                } else if x.start == y.start {
                    Overlap::Same
                } else {
                    Overlap::Partial(x.end.min(y.end) - x.start.max(y.start))
                }
            }
            _ => Overlap::None,
        }
    }
}

fn is_view(module: &Module, id: OpId) -> bool {
    module.op(id).op.row().effect == Effect::View
}

fn is_one_place(list: &[(OpId, Option<Place>)]) -> bool {
    list.iter().all(|(_, place)| place.is_some() && *place == list[0].1)
}
