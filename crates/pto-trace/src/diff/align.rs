//! Which result of one run is which of the other.
//!
//! Cores are paired by block, role and rank. On a core, a store is paired with one to the same elements; a tile with the tile of the same name, write
//! by write; if the other program has no such name, with what the same instruction on the same line writes; what is left, by position:
//! both sequences are followed, and instructions that only one of them has are skipped.

use super::report::UnmatchedLine;
use crate::moment::Deed;
use crate::player::Player;
use crate::recording::Recording;
use crate::writes::is_result;
use pto_cpu::{AddressSpace, CoreId, RegisterChange, ViewPlace};
use pto_ir::{OpId, ValueId};
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::sort::SharedSort;
use pto_isa::{DType, Op};
use std::hash::Hash;

/// What an instruction wrote through an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ResultAt {
    pub at: usize,
    /// The position among the accesses of the moment.
    pub access: usize,
    pub value: ValueId,
}

/// A result of the first run, and what it is in the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResultPair {
    pub core: CoreId,
    pub a: ResultAt,
    pub b: ResultAt,
}

/// Which results belong together.
pub(super) struct Alignment {
    /// Core by core, in order.
    pub pairs: Vec<ResultPair>,
    /// For results of each run, the moment of the other.
    partners: [FastMap<(usize, ValueId), usize>; 2],
    unmatched: [Vec<ResultAt>; 2],
    /// Pairs that store to different elements.
    elsewhere: FastSet<(usize, ValueId)>,
    pub params: ParamMap,
}

/// Which parameter of the second program is which of the first.
pub(super) struct ParamMap {
    /// For each parameter of the first program, that of the second, and the other way round.
    maps: [Vec<Option<usize>>; 2],
}

impl ParamMap {
    /// By name, and what is left by position.
    pub fn of(a: &Recording, b: &Recording) -> Self {
        let names = |r: &Recording| r.plan().params().iter().map(|p| p.name.clone()).collect::<Vec<_>>();
        let (names_a, names_b) = (names(a), names(b));
        let mut to_b: Vec<Option<usize>> = names_a.iter().map(|n| names_b.iter().position(|m| m == n)).collect();
        for at in 0..to_b.len() {
            if to_b[at].is_none() && at < names_b.len() && !to_b.contains(&Some(at)) {
                to_b[at] = Some(at);
            }
        }
        let to_a = (0..names_b.len()).map(|q| to_b.iter().position(|p| *p == Some(q))).collect();
        Self { maps: [to_b, to_a] }
    }

    /// The buffer of the second run for one of the first.
    pub fn in_second(&self, buffer: usize) -> Option<usize> {
        self.mapped(0, buffer)
    }

    fn in_first(&self, buffer: usize) -> Option<usize> {
        self.mapped(1, buffer)
    }

    fn mapped(&self, side: usize, buffer: usize) -> Option<usize> {
        let (from, to) = (&self.maps[side], &self.maps[1 - side]);
        let rank = buffer.checked_div(from.len())?;
        Some(rank * to.len() + from[buffer % from.len()]?)
    }

    /// True when every parameter is at the same position in both.
    pub fn is_identity(&self) -> bool {
        self.maps[0].iter().enumerate().all(|(at, to)| *to == Some(at))
    }
}

/// Results of a core that are not paired yet.
struct CoreResults {
    list: Vec<ResultAt>,
    ops: Vec<Op>,
    lines: Vec<u32>,
    names: Vec<String>,
    /// Where stores go, in terms of the first run.
    stored: Vec<Option<ViewPlace>>,
    open: Vec<bool>,
}

impl CoreResults {
    fn of(player: &mut Player<'_>, core: CoreId, to_first: impl Fn(usize) -> Option<usize>) -> Self {
        let recording = player.recording();
        let module = recording.module();
        let mut found = Self {
            list: Vec::new(),
            ops: Vec::new(),
            lines: Vec::new(),
            names: Vec::new(),
            stored: Vec::new(),
            open: Vec::new(),
        };
        for &at in recording.moments_of(core) {
            let at = at as usize;
            let moment = recording.moment(at);
            if moment.deed == Deed::Copy {
                continue;
            }
            let mut seen: Vec<ValueId> = Vec::new();
            for (access, written) in moment.accesses.iter().enumerate().filter(|(_, a)| is_result(a)) {
                let Some(value) = written.value.filter(|v| !seen.contains(v)) else { continue };
                seen.push(value);
                let stored = match player.place(core, value, Some(at)) {
                    Some(RegisterChange::View(_, place)) => in_first(place, &to_first),
                    _ => None,
                };
                found.list.push(ResultAt { at, access, value });
                found.ops.push(module.op(moment.op).op);
                found.lines.push(moment.line);
                found.names.push(module.value_name(value).to_string());
                found.stored.push(stored);
                found.open.push(true);
            }
        }
        found
    }

    /// Names that say what a value is; numbers do not.
    fn name(&self, at: usize) -> Option<&str> {
        let name = &*self.names[at];
        (!name.bytes().all(|b| b.is_ascii_digit())).then_some(name)
    }

    fn name_set(&self) -> FastSet<String> {
        (0..self.list.len()).filter_map(|at| self.name(at)).map(str::to_string).collect()
    }
}

/// The place of a view in global memory, with the buffer of the first run.
fn in_first(place: ViewPlace, to_first: &impl Fn(usize) -> Option<usize>) -> Option<ViewPlace> {
    match place.place {
        AddressSpace::Global(buffer) => Some(ViewPlace { place: AddressSpace::Global(to_first(buffer)?), ..place }),
        AddressSpace::Core(_) => None,
    }
}

impl Alignment {
    pub fn of(pa: &mut Player<'_>, pb: &mut Player<'_>) -> Self {
        let (a, b) = (pa.recording(), pb.recording());
        let mut all = Self {
            pairs: Vec::new(),
            partners: [FastMap::default(), FastMap::default()],
            unmatched: [Vec::new(), Vec::new()],
            elsewhere: FastSet::default(),
            params: ParamMap::of(a, b),
        };
        let mut cores: Vec<CoreId> = a.cores().to_vec();
        cores.extend(b.cores().iter().filter(|c| !a.cores().contains(c)));
        for core in cores {
            let in_a = CoreResults::of(pa, core, Some);
            let in_b = CoreResults::of(pb, core, |buffer| all.params.in_first(buffer));
            all.add(core, in_a, in_b, [pa, pb]);
        }
        all
    }

    fn add(&mut self, core: CoreId, mut a: CoreResults, mut b: CoreResults, players: [&Player<'_>; 2]) {
        let mut found: Vec<(usize, usize)> = Vec::new();
        let groups = grouped(&a, &b, |side, at| side.stored[at]);
        pair_up(&mut found, groups, &mut a, &mut b);
        let groups = grouped(&a, &b, |side, at| side.name(at).map(str::to_string));
        pair_up(&mut found, groups, &mut a, &mut b);
        // A name that both programs have means the same in both.
        let (names_a, names_b) = (a.name_set(), b.name_set());
        let shared: FastSet<&String> = names_a.intersection(&names_b).collect();
        let is_free = |side: &CoreResults, at: usize| !side.name(at).is_some_and(|n| shared.contains(&n.to_string()));
        let by_line = |side: &CoreResults, at: usize| {
            let line = Some(side.lines[at]).filter(|line| *line > 0 && is_free(side, at))?;
            Some((line, side.ops[at], side.list[at].access))
        };
        let groups = grouped(&a, &b, by_line);
        pair_up(&mut found, groups, &mut a, &mut b);
        let free = |side: &CoreResults| -> Vec<usize> {
            (0..side.list.len()).filter(|at| side.open[*at] && is_free(side, *at)).collect()
        };
        let shapes = |side: &CoreResults, player: &Player<'_>, free: &[usize]| -> Vec<(Op, Option<ResultShape>)> {
            free.iter().map(|at| (side.ops[*at], shape(player.recording(), side.list[*at].value))).collect()
        };
        let (free_a, free_b) = (free(&a), free(&b));
        for (i, j) in follow(&shapes(&a, players[0], &free_a), &shapes(&b, players[1], &free_b)) {
            found.push((free_a[i], free_b[j]));
            (a.open[free_a[i]], b.open[free_b[j]]) = (false, false);
        }
        found.shared_sort();
        for (i, j) in found {
            let pair = ResultPair { core, a: a.list[i], b: b.list[j] };
            self.partners[0].insert((pair.a.at, pair.a.value), pair.b.at);
            self.partners[1].insert((pair.b.at, pair.b.value), pair.a.at);
            if a.stored[i] != b.stored[j] {
                self.elsewhere.insert((pair.a.at, pair.a.value));
            }
            self.pairs.push(pair);
        }
        for (unmatched, side) in self.unmatched.iter_mut().zip([a, b]) {
            unmatched.extend(side.list.iter().zip(&side.open).filter(|(_, open)| **open).map(|(r, _)| *r));
        }
    }

    /// True for stores to different elements.
    pub fn is_elsewhere(&self, pair: &ResultPair) -> bool {
        self.elsewhere.contains(&(pair.a.at, pair.a.value))
    }

    /// True when what a moment of a run wrote has a counterpart.
    pub fn has_partner(&self, side: usize, at: usize, value: ValueId) -> bool {
        self.partners[side].contains_key(&(at, value))
    }

    /// The moments of an operation of a run that have a counterpart.
    pub fn paired_moments<'s>(
        &'s self,
        side: usize,
        recording: &'s Recording,
        op: OpId,
    ) -> impl Iterator<Item = usize> + 's {
        self.partners[side].keys().map(|(at, _)| *at).filter(move |at| recording.moment(*at).op == op)
    }

    /// The instructions of each run that have no counterpart.
    pub fn unmatched_lines(&self, a: &Recording, b: &Recording) -> [Vec<UnmatchedLine>; 2] {
        let lines = |recording: &Recording, list: &[ResultAt]| {
            let mut found: Vec<((OpId, ValueId), UnmatchedLine)> = Vec::new();
            let mut positions: FastMap<(OpId, ValueId), usize> = FastMap::default();
            for result in list {
                let moment = recording.moment(result.at);
                let module = recording.module();
                let key = (moment.op, result.value);
                let at = *positions.entry(key).or_insert_with(|| {
                    let line = UnmatchedLine {
                        line: moment.line,
                        name: module.op(moment.op).op.row().name,
                        result: module.value_name(result.value).to_string(),
                        executions: 0,
                    };
                    found.push((key, line));
                    found.len() - 1
                });
                found[at].1.executions += 1;
            }
            found.shared_sort_by_key(|(_, line)| line.line);
            found.into_iter().map(|(_, line)| line).collect()
        };
        [lines(a, &self.unmatched[0]), lines(b, &self.unmatched[1])]
    }
}

type ResultShape = (u64, u64, DType);

fn shape(recording: &Recording, value: ValueId) -> Option<ResultShape> {
    recording.module().tile(value).map(|t| (t.rows, t.cols, t.dtype))
}

/// Open results of both sides that have the same key.
fn grouped<K: Hash + Eq>(
    a: &CoreResults,
    b: &CoreResults,
    key: impl Fn(&CoreResults, usize) -> Option<K>,
) -> Vec<[Vec<usize>; 2]> {
    let mut groups: FastMap<K, [Vec<usize>; 2]> = FastMap::default();
    for (which, side) in [a, b].into_iter().enumerate() {
        for at in (0..side.list.len()).filter(|at| side.open[*at]) {
            if let Some(key) = key(side, at) {
                groups.entry(key).or_default()[which].push(at);
            }
        }
    }
    groups.into_values().collect()
}

/// Pairs the results of each group, one by one. If one side has more, those are skipped that the other does not have.
fn pair_up(found: &mut Vec<(usize, usize)>, groups: Vec<[Vec<usize>; 2]>, a: &mut CoreResults, b: &mut CoreResults) {
    for [in_a, in_b] in groups {
        let pairs: Vec<(usize, usize)> = if in_a.len() == in_b.len() {
            in_a.into_iter().zip(in_b).collect()
        } else {
            let ops = |side: &CoreResults, list: &[usize]| list.iter().map(|at| side.ops[*at]).collect::<Vec<_>>();
            let steps = follow(&ops(a, &in_a), &ops(b, &in_b));
            steps.into_iter().map(|(i, j)| (in_a[i], in_b[j])).collect()
        };
        for (i, j) in pairs {
            (a.open[i], b.open[j]) = (false, false);
            found.push((i, j));
        }
    }
}

/// Items that may be skipped at once.
const MOST_SKIPPED: usize = 128;

/// Follows two sequences; what only one of them has is skipped.
fn follow<K: PartialEq>(a: &[K], b: &[K]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let fits =
            |skip: &(usize, usize)| matches!((a.get(i + skip.0), b.get(j + skip.1)), (Some(x), Some(y)) if x == y);
        let skips = (1..=MOST_SKIPPED).flat_map(|all| (0..=all).map(move |in_a| (in_a, all - in_a)));
        let (in_a, in_b) = skips.into_iter().find(fits).unwrap_or((1, 1));
        (i, j) = (i + in_a, j + in_b);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_one_sequence_has_is_skipped() {
        assert_eq!(follow(b"abc", b"abc"), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(follow(b"abc", b"xabyc"), [(0, 1), (1, 2), (2, 4)]);
        assert_eq!(follow(b"iabab", b"abab"), [(1, 0), (2, 1), (3, 2), (4, 3)]);
        assert_eq!(follow(b"aaaa", b"aaa"), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(follow(b"abc", b"xyz"), []);
    }
}
