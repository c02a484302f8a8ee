//! What pipes know about the progress of other pipes, along a list of items.
//!
//! Position 2i: item i has completed; items of a second iteration count on. Position 2i+1: everything known at that point is also
//! known. [`ENTRY`] is the position before the first item.

use crate::effects::{OrderEffect, PipeTouch};
use crate::tree::{TreeNode, TreeNodeKind};
use pto_isa::Pipe;
use pto_isa::ordered::OrdMap;
use std::collections::VecDeque;

pub(super) const PIPES: usize = Pipe::REAL.len();
/// Everything that came before the list.
pub(super) const ENTRY: u32 = 1;

/// A set of pipes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) struct PipeSet(u16);

impl PipeSet {
    pub fn collect(mut fits: impl FnMut(usize) -> bool) -> Self {
        Self((0..PIPES).filter(|pipe| fits(*pipe)).fold(0, |all, pipe| all | 1 << pipe))
    }

    pub fn has(self, pipe: usize) -> bool {
        self.0 >> pipe & 1 == 1
    }

    pub fn both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..PIPES).filter(move |pipe| self.has(*pipe))
    }
}

/// A touch of an item, with the order that the item itself provides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OrderedTouch {
    pub touch: PipeTouch,
    /// Pipes whose work before the item is done when it happens.
    pub after: PipeSet,
    /// Pipes that know, after the item, that it is done.
    pub done: PipeSet,
}

impl OrderedTouch {
    /// A touch without any order.
    pub fn plain(touch: PipeTouch) -> Self {
        Self { touch, after: PipeSet::default(), done: PipeSet::default() }
    }

    pub fn pipe(&self) -> usize {
        self.touch.pipe as usize
    }
}

/// The order that an item provides for what is around it.
#[derive(Clone, Default, Debug)]
pub(super) struct OrderSummary {
    pub parts: Vec<OrderedTouch>,
    /// For each pipe, those whose work before the item is done after it, on every path.
    pub through: [PipeSet; PIPES],
    /// The same for their work inside.
    pub exit: [PipeSet; PIPES],
}

/// A flag between items of a list: its pipes, and the index of the item after which it is set.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlagLink {
    pub src: Pipe,
    pub dst: Pipe,
    pub from: usize,
    /// How many iterations ago it was set.
    pub iterations: usize,
}

/// What is inserted before an item.
#[derive(Clone, Default, Debug)]
pub(super) struct Inserted {
    /// Waits for flags of this iteration.
    pub ends: Vec<FlagLink>,
    /// Waits for flags of earlier iterations.
    pub carried: Vec<FlagLink>,
    /// Pipes that finish.
    pub barriers: Vec<Pipe>,
}

/// For each pipe, the position up to which the work of each other pipe is done.
pub(super) type KnownPositions = [[u32; PIPES]; PIPES];

/// Set flags of the program, by pair and id: what was known at each set, oldest first.
type RaisedFlags = OrdMap<(Pipe, Pipe, u8), VecDeque<[u32; PIPES]>>;

/// The current knowledge, and that after each item.
pub(super) struct Knowledge {
    pub now: KnownPositions,
    /// After each item.
    behind: Vec<KnownPositions>,
    raised: RaisedFlags,
}

impl Knowledge {
    pub fn new(items: usize) -> Self {
        Self { now: [[0; PIPES]; PIPES], behind: Vec::with_capacity(items), raised: RaisedFlags::new() }
    }

    /// A pipe has waited for another to complete the item at a position.
    pub fn learn(&mut self, src: Pipe, dst: Pipe, position: u32) {
        let mut theirs = self.behind[index(position)][src as usize];
        theirs[src as usize] = theirs[src as usize].max(position + 1);
        self.hear(dst as usize, theirs);
    }

    /// All later work waits for what the scalar unit waits for.
    fn hear(&mut self, dst: usize, theirs: [u32; PIPES]) {
        for (pipe, mine) in self.now.iter_mut().enumerate() {
            if dst == Pipe::S as usize || pipe == dst {
                mine.iter_mut().zip(theirs).for_each(|(a, b)| *a = (*a).max(b));
            }
        }
    }

    /// A carried flag is set when the loop is entered.
    pub fn primed(&mut self, src: Pipe, dst: Pipe) {
        let mut theirs = [0; PIPES];
        theirs[src as usize] = ENTRY;
        self.hear(dst as usize, theirs);
    }

    pub fn finish(&mut self, pipe: Pipe, position: u32) {
        let own = &mut self.now[pipe as usize][pipe as usize];
        *own = (*own).max(position);
    }

    pub fn finish_all(&mut self, position: u32) {
        self.now = [[position; PIPES]; PIPES];
    }

    /// Applies what was inserted before an item, in the iteration that starts after `shift` items.
    pub fn enter(&mut self, inserted: &Inserted, at: usize, shift: usize, per_iteration: usize) {
        for link in &inserted.carried {
            match shift.checked_sub(link.iterations * per_iteration) {
                Some(before) => self.learn(link.src, link.dst, position(before + link.from)),
                None => self.primed(link.src, link.dst),
            }
        }
        for link in &inserted.ends {
            self.learn(link.src, link.dst, position(shift + link.from));
        }
        for pipe in &inserted.barriers {
            self.finish(*pipe, position(shift + at) - 1);
        }
    }

    /// Passes an item that synchronises pipes itself.
    pub fn pass(&mut self, item: &TreeNode, summary: &OrderSummary, position: u32) {
        match &item.kind {
            TreeNodeKind::Leaf(OrderEffect::BarrierAll) => self.finish_all(position - 1),
            TreeNodeKind::Leaf(OrderEffect::Barrier(pipe)) => self.finish(*pipe, position - 1),
            TreeNodeKind::Leaf(OrderEffect::Set(src, dst, id)) => {
                let mut known = self.now[*src as usize];
                known[*src as usize] = position - 1;
                // The wait for a computed id is unknown.
                if let Some(id) = *id {
                    self.raised.entry((*src, *dst, id)).or_default().push_back(known);
                }
            }
            TreeNodeKind::Leaf(OrderEffect::Wait(src, dst, id)) => self.wait(*src, *dst, *id),
            // All pipes finish after it.
            TreeNodeKind::Leaf(OrderEffect::Call(_)) => self.finish_all(position + 1),
            _ => self.leave(summary, position),
        }
    }

    /// Records the knowledge after an item.
    pub fn record(&mut self) {
        self.behind.push(self.now);
    }

    /// A wait of the program takes the oldest set of its pair and id.
    fn wait(&mut self, src: Pipe, dst: Pipe, id: Option<u8>) {
        let raised = id.and_then(|id| self.raised.get_mut(&(src, dst, id)));
        if let Some(known) = raised.and_then(VecDeque::pop_front) {
            self.hear(dst as usize, known);
        }
    }

    /// The knowledge after an item with an inside.
    fn leave(&mut self, summary: &OrderSummary, position: u32) {
        let before = self.now;
        for (dst, through) in summary.through.iter().enumerate() {
            for src in through.iter() {
                let mut theirs = before[src];
                theirs[src] = theirs[src].max(position - 1);
                self.hear(dst, theirs);
            }
        }
        for (pipe, exit) in summary.exit.iter().enumerate() {
            exit.iter().for_each(|done| self.now[pipe][done] = position);
        }
    }
}

/// The position of an item, counted over all iterations.
pub(super) fn position(index: usize) -> u32 {
    2 * index as u32 + ENTRY + 1
}

/// The item at a position.
pub(super) fn index(position: u32) -> usize {
    ((position - ENTRY - 1) / 2) as usize
}
