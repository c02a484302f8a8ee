//! Memory divided into pieces that are always used together.
//!
//! Two bytes are in the same atom when every window that contains one of them contains the other. So a window is a list of
//! atoms, however many runs it has, and an effect on a window is an effect on its atoms.

use crate::places::{Runs, TileHome, Window};
use pto_ir::ValueId;
use pto_isa::hash::FastMap;
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::sort::SharedSort;

/// A piece of memory.
pub(super) type Atom = u32;

/// The base of byte offsets: a home, and multiples of unknown numbers.
pub(super) type AtomBase = (TileHome, OrdMap<ValueId, i64>);

/// Memory with more runs than this is not tracked, nor is memory whose windows have more atoms.
const MANY: usize = 1 << 20;

/// The windows of a program, and then their atoms.
#[derive(Default)]
pub(super) struct Atoms {
    groups: FastMap<AtomBase, OrdSet<Runs>>,
    atoms: FastMap<(AtomBase, Runs), Box<[Atom]>>,
    next: Atom,
    is_closed: bool,
}

pub(super) fn group(window: &Window) -> AtomBase {
    (window.home, window.start.unknown.clone())
}

impl Atoms {
    /// Adds a window, unless it is of no interest.
    pub(super) fn add(&mut self, group: AtomBase, runs: Runs) {
        if !self.is_closed {
            self.groups.entry(group).or_default().insert(runs);
        } else if let Some(windows) = self.groups.get_mut(&group) {
            windows.insert(runs);
        }
    }

    /// From here on, only windows of the groups that are there are of interest.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// The windows of a group.
    pub(super) fn windows(&self, group: &AtomBase) -> Vec<Runs> {
        self.groups.get(group).into_iter().flatten().copied().collect()
    }

    /// The atoms of a window that was added.
    pub(super) fn of(&self, group: AtomBase, runs: Runs) -> &[Atom] {
        self.atoms.get(&(group, runs)).map_or(&[], |atoms| atoms)
    }

    /// Divides everything that was added into atoms.
    pub(super) fn cut(&mut self) {
        for (group, windows) in &self.groups {
            let windows: Vec<Runs> = windows.iter().copied().collect();
            let lists = cut(&windows, &mut self.next);
            let lists = windows.iter().zip(lists).map(|(runs, list)| ((group.clone(), *runs), list.into()));
            self.atoms.extend(lists);
        }
    }
}

/// The atoms of windows; none if there would be too many.
fn cut(windows: &[Runs], next: &mut Atom) -> Vec<Vec<Atom>> {
    let none = vec![Vec::new(); windows.len()];
    if windows.iter().map(|w| w.count as usize).fold(0, usize::saturating_add) > MANY {
        return none;
    }
    let mut ends: Vec<(i64, usize)> = Vec::new();
    for (n, window) in windows.iter().enumerate() {
        ends.extend(window.each().flat_map(|(from, to)| [(from, n), (to, n)]));
    }
    ends.shared_sort();
    let mut lists = none.clone();
    let mut known: FastMap<u64, Atom> = FastMap::default();
    // The windows that contain the current byte, and a hash of that set.
    let (mut open, mut sign, mut parts) = (OrdSet::new(), 0, 0);
    for (n, (at, window)) in ends.iter().enumerate() {
        if !open.remove(window) {
            open.insert(*window);
        }
        sign ^= mixed(*window as u64 + 1);
        let ends_here = ends.get(n + 1).is_none_or(|(then, _)| then != at);
        if !ends_here || open.is_empty() || known.contains_key(&sign) {
            continue;
        }
        known.insert(sign, *next);
        open.iter().for_each(|w| lists[*w].push(*next));
        *next += 1;
        parts += open.len();
        if parts > MANY {
            return none;
        }
    }
    lists
}

/// Mixes a number over 64 bits, so that sums of a few are practically unique.
fn mixed(n: u64) -> u64 {
    let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_and_their_whole() {
        let windows = [Runs::one(0, 256), Runs::new(0, 32, 4, 64), Runs::new(32, 32, 4, 64), Runs::one(256, 32)];
        let lists = cut(&windows, &mut 0);
        assert_eq!(lists, [vec![0, 1], vec![0], vec![1], vec![2]]);
    }
}
