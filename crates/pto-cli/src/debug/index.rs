//! What a debugger looks up about a recording, found once: moments by line, by pipe and by what orders cores. Every question after that
//! is a binary search.

use pto::cpu::{CoreId, Flag, Role};
use pto::isa::Pipe;
use pto::isa::ordered::OrdMap;
use pto::trace::{Deed, Moment, Recording};
use std::ops::RangeInclusive;

pub(crate) struct RunIndex {
    /// The moments of each line.
    lines: Vec<Vec<u32>>,
    pipes: OrdMap<(CoreId, Pipe), Vec<u32>>,
    sync: OrdMap<SyncKey, SyncHistory>,
    /// The loops of each role, the outer one of two first.
    loops: [Vec<RangeInclusive<u32>>; 3],
}

/// Something that orders pipes or cores.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum SyncKey {
    Flag(CoreId, Flag),
    Token(CoreId, i64),
    /// Of a rank and a block.
    Fifo(u32, u32, u32),
    Signal(i64),
}

/// The moments that give and those that take.
#[derive(Default)]
pub(crate) struct SyncHistory {
    given: Vec<u32>,
    taken: Vec<u32>,
}

impl SyncHistory {
    /// How often it was given and taken before a position.
    pub(crate) fn counts(&self, position: usize) -> (usize, usize) {
        (before(&self.given, position), before(&self.taken, position))
    }

    /// The last moment before a position that gave or took it.
    pub(crate) fn last(&self, position: usize) -> Option<usize> {
        [&self.given, &self.taken].into_iter().filter_map(|list| last_before(list, position)).max()
    }
}

/// How many of the moments of a list come before a position.
pub(crate) fn before(list: &[u32], position: usize) -> usize {
    list.partition_point(|m| (*m as usize) < position)
}

/// The last moment of a list before a position.
pub(crate) fn last_before(list: &[u32], position: usize) -> Option<usize> {
    before(list, position).checked_sub(1).map(|at| list[at] as usize)
}

impl RunIndex {
    pub(crate) fn new(recording: &Recording) -> Self {
        let loops = Role::ALL.map(|role| {
            let mut loops = recording.plan().loops(role);
            loops.sort_by_key(|r| (*r.start(), u32::MAX - *r.end()));
            loops.dedup_by_key(|r| *r.start());
            loops
        });
        let mut index = Self { lines: Vec::new(), pipes: OrdMap::new(), sync: OrdMap::new(), loops };
        for core in recording.cores() {
            index.add_core(recording, *core);
        }
        // Moments of several cores come in turn.
        index.lines.iter_mut().for_each(|list| list.sort_unstable());
        for history in index.sync.values_mut() {
            history.given.sort_unstable();
            history.taken.sort_unstable();
        }
        index
    }

    fn add_core(&mut self, recording: &Recording, core: CoreId) {
        let mut pipes: [Vec<u32>; Pipe::REAL.len()] = Default::default();
        for &at in recording.moments_of(core) {
            let moment = recording.moment(at as usize);
            let line = moment.line as usize;
            if self.lines.len() <= line {
                self.lines.resize_with(line + 1, Vec::new);
            }
            self.lines[line].push(at);
            if let Some(pipe) = moment.pipe {
                pipes[pipe as usize].push(at);
            }
            if let Some((key, is_given)) = sync_of(&moment) {
                let history = self.sync.entry(key).or_default();
                if is_given { history.given.push(at) } else { history.taken.push(at) }
            }
        }
        let used = Pipe::REAL.into_iter().zip(pipes).filter(|(_, list)| !list.is_empty());
        self.pipes.extend(used.map(|(pipe, list)| ((core, pipe), list)));
    }

    /// The moments of a line.
    pub(crate) fn line(&self, line: u32) -> &[u32] {
        self.lines.get(line as usize).map_or(&[], Vec::as_slice)
    }

    /// The first line from this one on that was executed.
    pub(crate) fn executed_line(&self, line: u32) -> Option<u32> {
        let from = line.max(1) as usize;
        let found = self.lines.get(from..)?.iter().position(|list| !list.is_empty())?;
        Some((from + found) as u32)
    }

    /// The pipes that a core uses, and the moments of each.
    pub(crate) fn pipes(&self, core: CoreId) -> impl Iterator<Item = (Pipe, &[u32])> {
        let of_core = self.pipes.range((core, Pipe::S)..=(core, Pipe::All));
        of_core.map(|((_, pipe), list)| (*pipe, list.as_slice()))
    }

    /// What orders pipes and cores: flags and tokens of a core, and what all cores share.
    pub(crate) fn sync(&self, core: CoreId) -> impl Iterator<Item = (SyncKey, &SyncHistory)> {
        let is_of_core = move |key: &SyncKey| match key {
            SyncKey::Flag(of, _) | SyncKey::Token(of, _) => *of == core,
            SyncKey::Fifo(rank, block, _) => (*rank, *block) == (core.rank, core.block),
            SyncKey::Signal(_) => true,
        };
        self.sync.iter().filter(move |(key, _)| is_of_core(key)).map(|(key, history)| (*key, history))
    }

    /// The loops around a step of a core, the outermost first.
    pub(crate) fn loops(&self, core: CoreId, step: u32) -> impl Iterator<Item = &RangeInclusive<u32>> {
        self.loops[core.role as usize].iter().filter(move |r| r.contains(&step))
    }
}

/// What a moment gives or takes; true if it gives.
fn sync_of(moment: &Moment<'_>) -> Option<(SyncKey, bool)> {
    let core = moment.core;
    Some(match moment.deed {
        Deed::SetFlag(flag) => (SyncKey::Flag(core, flag), true),
        Deed::WaitFlag(flag) => (SyncKey::Flag(core, flag), false),
        Deed::GetToken(id) => (SyncKey::Token(core, id), true),
        Deed::ReleaseToken(id) => (SyncKey::Token(core, id), false),
        Deed::Push(key) => (SyncKey::Fifo(core.rank, core.block, key), true),
        Deed::Pop(key) => (SyncKey::Fifo(core.rank, core.block, key), false),
        Deed::Signal(id) => (SyncKey::Signal(id), true),
        Deed::Await(id) => (SyncKey::Signal(id), false),
        _ => return None,
    })
}
