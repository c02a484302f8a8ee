//! Homes that count as one because a value may be any of very many.
//!
//! A value that loops and branches choose may be any tile of the program. Listing the candidates for every such value would be quadratic, so beyond a
//! limit they count as one piece of memory: an access to one of them counts as an access to all.

use super::{ALL, Home, MemoryRegion};
use pto_isa::hash::FastMap;
use pto_isa::sort::SharedSort;

/// A value that may be more tiles than this, or more pieces of global memory, may be any of those merged with them.
pub(super) const MANY_HOMES: usize = 64;

/// Homes that count as one.
#[derive(Default)]
pub(super) struct Merged {
    /// The parent of a home in the union-find forest; roots are absent.
    parents: FastMap<Home, Home>,
    /// The largest end of the merged homes, by root.
    ends: FastMap<Home, u64>,
}

impl Merged {
    pub(super) fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The root of a home.
    pub(super) fn root(&mut self, home: Home) -> Home {
        let mut root = home;
        while let Some(next) = self.parents.get(&root) {
            root = *next;
        }
        let mut at = home;
        while let Some(next) = self.parents.get(&at).copied().filter(|next| *next != root) {
            self.parents.insert(at, root);
            at = next;
        }
        root
    }

    /// True when a home is merged with others.
    pub(super) fn contains(&self, home: Home) -> bool {
        self.parents.contains_key(&home) || self.ends.contains_key(&home)
    }

    pub(super) fn join(&mut self, a: MemoryRegion, b: MemoryRegion) {
        let (to, from) = (self.root(a.home), self.root(b.home));
        let ends = [a.end, b.end, self.ends.remove(&to).unwrap_or(0), self.ends.remove(&from).unwrap_or(0)];
        if to != from {
            self.parents.insert(from, to);
        }
        // The whole of a home may be as small as that of the others.
        self.ends.insert(to, ends.into_iter().filter(|end| *end != ALL).max().unwrap_or(0));
    }

    /// Merges the homes of a list of regions, in order, if there are very many. The list then has their root.
    pub(super) fn limit(&mut self, regions: &mut Vec<MemoryRegion>) {
        for kind in [HomeKind::Tile, HomeKind::Global] {
            let of_kind = |r: &MemoryRegion| HomeKind::of(r.home) == Some(kind);
            let count = regions
                .iter()
                .filter(|r| of_kind(r))
                .map(|r| r.home)
                .fold((0, None), |(count, last), home| (count + usize::from(last != Some(home)), Some(home)));
            if count.0 <= MANY_HOMES {
                continue;
            }
            let Some(first) = regions.iter().copied().find(of_kind) else { continue };
            regions.iter().filter(|r| of_kind(r)).for_each(|r| self.join(first, *r));
            regions.retain(|r| !of_kind(r) || *r == first);
        }
    }

    /// The regions with merged homes replaced by their roots.
    pub(super) fn replaced(&mut self, regions: &[MemoryRegion]) -> Vec<MemoryRegion> {
        let mut all: Vec<MemoryRegion> = regions.iter().map(|r| self.whole(*r)).collect();
        all.shared_sort();
        all.dedup();
        all
    }

    fn whole(&mut self, region: MemoryRegion) -> MemoryRegion {
        let home = self.root(region.home);
        match self.ends.get(&home) {
            Some(0) => MemoryRegion { home, start: 0, end: ALL },
            Some(end) => MemoryRegion { home, start: 0, end: *end },
            None => region,
        }
    }
}

/// Kinds of homes that can be merged.
#[derive(Clone, Copy, PartialEq)]
enum HomeKind {
    Tile,
    Global,
}

impl HomeKind {
    fn of(home: Home) -> Option<Self> {
        match home {
            Home::Tile(_) => Some(Self::Tile),
            Home::Global(_) => Some(Self::Global),
            _ => None,
        }
    }
}

/// Of a value with more regions than this, touching ones are joined.
const SEVERAL_PIECES: usize = 64;

/// A value with more regions than this has one for each home, from the first byte to the last.
const MANY_PIECES: usize = 256;

/// Sorted regions, limited in number.
pub(super) fn few(regions: Vec<MemoryRegion>) -> Vec<MemoryRegion> {
    if regions.len() <= SEVERAL_PIECES {
        return regions;
    }
    let joined = joined(&regions, |hull, next| next.start <= hull.end);
    if joined.len() > MANY_PIECES { self::joined(&regions, |_, _| true) } else { joined }
}

/// Joins regions of one home that belong together.
fn joined(regions: &[MemoryRegion], belong: impl Fn(&MemoryRegion, &MemoryRegion) -> bool) -> Vec<MemoryRegion> {
    let mut all: Vec<MemoryRegion> = Vec::new();
    for region in regions {
        match all.last_mut() {
            Some(hull) if hull.home == region.home && belong(hull, region) => hull.end = hull.end.max(region.end),
            _ => all.push(*region),
        }
    }
    all
}
