//! The last touches of all bytes, and the dependences of a later touch on them.

use super::DependenceKind;
use super::known::{KnownPositions, OrderedTouch, PIPES, PipeSet};
use crate::effects::CoreSet;
use crate::places::Home;
use crate::ranges::Ranges;
use pto_isa::ordered::OrdMap;

/// A recorded touch, with the position of its item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RememberedTouch {
    pub item: u32,
    pub part: OrderedTouch,
}

impl RememberedTouch {
    /// True when a pipe continues only after the touch is done.
    fn known_to(&self, pipe: usize, known: &KnownPositions) -> bool {
        let told = |by: usize| known[pipe][by] > self.item;
        known[pipe][self.part.pipe()] >= self.item || self.part.done.has(pipe) || self.part.done.iter().any(told)
    }

    /// True when a later touch is already ordered after this one.
    pub fn comes_before(&self, later: &OrderedTouch, known: &KnownPositions) -> bool {
        let through = |pipe: usize| pipe == self.part.pipe() || self.known_to(pipe, known);
        self.known_to(later.pipe(), known) || later.after.iter().any(through)
    }
}

/// A dependence of an item on an earlier touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    pub from: RememberedTouch,
    pub part: OrderedTouch,
    pub hazard: DependenceKind,
}

/// The touches of a piece of memory, by pipe.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Cell {
    writes: [Option<RememberedTouch>; PIPES],
    reads: [Option<RememberedTouch>; PIPES],
}

impl Cell {
    /// Merges the touches of another cell. On each pipe the later one represents both.
    fn add(&mut self, other: &Self, known: &KnownPositions) {
        let slots = self.writes.iter_mut().chain(&mut self.reads);
        for (slot, other) in slots.zip(other.writes.iter().chain(&other.reads)) {
            *slot = match (*slot, *other) {
                (Some(a), Some(b)) => {
                    let (first, last) = if a.item < b.item { (a, b) } else { (b, a) };
                    let older = if first.item < last.item { known_by(&first, known) } else { first.part.done };
                    Some(RememberedTouch {
                        part: OrderedTouch { done: last.part.done.both(older), ..last.part },
                        ..last
                    })
                }
                (a, b) => a.or(b),
            };
        }
    }
}

/// Memory that one touch may cover and that has more cells than this becomes one cell. More may be ordered than necessary.
const MANY_CELLS: usize = 64;

/// The memories of both cores.
#[derive(Default)]
pub(super) struct TouchHistory(OrdMap<(Home, bool), Ranges<Cell>>);

impl TouchHistory {
    pub fn forget(&mut self) {
        self.0.clear();
    }

    /// Unordered dependences of parts on earlier touches: the latest of those that become known together.
    pub fn needs(&mut self, parts: &[OrderedTouch], known: &KnownPositions) -> Vec<Need> {
        let mut found: OrdMap<_, Need> = OrdMap::new();
        for part in parts {
            let touch = &part.touch;
            for side in sides(touch.core) {
                let Some(ranges) = self.0.get_mut(&(touch.region.home, side)) else { continue };
                ranges.visit(touch.region.start, touch.region.end, |cell| {
                    let write =
                        if touch.write { DependenceKind::WriteAfterWrite } else { DependenceKind::ReadAfterWrite };
                    let writes = cell.writes.iter().map(|m| (m, write));
                    let reads = cell.reads.iter().filter(|_| touch.write).map(|m| (m, DependenceKind::WriteAfterRead));
                    for (mark, hazard) in writes.chain(reads) {
                        let Some(from) = mark.filter(|m| !m.comes_before(part, known)) else { continue };
                        let need = Need { from, part: *part, hazard };
                        let key = (from.part.pipe(), from.part.done, part.pipe(), part.after);
                        let entry = found.entry(key).or_insert(need);
                        if entry.from.item < from.item {
                            *entry = need;
                        }
                    }
                });
            }
        }
        found.into_values().collect()
    }

    /// Records the touches of an item. A touch represents earlier ones that its pipe knows of, and those of its own pipe.
    pub fn remember(&mut self, parts: &[OrderedTouch], position: u32, known: &KnownPositions, is_leaf: bool) {
        for part in parts {
            let (touch, pipe) = (&part.touch, part.pipe());
            for side in sides(touch.core) {
                let ranges = self.0.entry((touch.region.home, side)).or_default();
                ranges.visit(touch.region.start, touch.region.end, |cell| {
                    let mut done = part.done;
                    // The item may be skipped: knowing that it is done does not imply that what it represents is done.
                    let mut stands_for = |old: &RememberedTouch| done = done.both(known_by(old, known));
                    if touch.write {
                        for slot in cell.writes.iter_mut().chain(&mut cell.reads) {
                            // A pipe that knows that the item is done must know what it would represent, because the item may be skipped.
                            let known_with_it = |m: &RememberedTouch| {
                                (0..PIPES).all(|l| l == pipe || known[l][pipe] < position || m.known_to(l, known))
                            };
                            let settled = |m: &RememberedTouch| {
                                m.item < position && (is_leaf || m.known_to(pipe, known) && known_with_it(m))
                            };
                            if let Some(old) = slot.take_if(|m| settled(m)) {
                                stands_for(&old);
                            }
                        }
                    }
                    let slot = if touch.write { &mut cell.writes[pipe] } else { &mut cell.reads[pipe] };
                    match slot {
                        Some(old) if old.item < position => stands_for(old),
                        Some(old) => done = done.both(old.part.done),
                        None => {}
                    }
                    *slot = Some(RememberedTouch { item: position, part: OrderedTouch { done, ..*part } });
                });
                let (start, end) = (touch.region.start, touch.region.end);
                if ranges.join(start, end) > MANY_CELLS {
                    ranges.fold(start, end, |all, next| all.add(&next, known));
                }
            }
        }
    }
}

fn known_by(mark: &RememberedTouch, known: &KnownPositions) -> PipeSet {
    PipeSet::collect(|pipe| mark.known_to(pipe, known))
}

/// The memories of the cores that execute something: of the cube core, of the vector core.
fn sides(core: CoreSet) -> impl Iterator<Item = bool> {
    [false, true].into_iter().filter(move |vector| match core {
        CoreSet::Any => true,
        CoreSet::Cube => !vector,
        CoreSet::Vector => *vector,
    })
}
