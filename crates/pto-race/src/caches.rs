//! The data caches of scalar units: stores that are not written back, and copies that are stale.

use crate::clock::{Clock, PIPES, pipe_index};
use crate::detector::Detector;
use crate::findings::{Conflict, Findings, InstrSite};
use crate::memory::Memories;
use crate::now::Now;
use crate::shadow::{NO_TILE, Stamp};
use crate::words::Word;
use pto_cpu::{Access, AddressSpace, Atomic, CACHE_LINE};
use pto_ir::OpId;
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::text;
use pto_isa::{Diagnostic, Edit, Pipe, codes};
use std::sync::Arc;

/// Bytes that a scalar unit has stored into a line, and when it has written the line back.
#[derive(Clone, Debug)]
struct CachedStore {
    stamp: Stamp,
    bytes: Mask,
    back: Option<Stamp>,
    /// Bytes of other writers that the copy of the line lacks.
    lacks: Vec<(Stamp, Mask)>,
}

/// Bytes of a line, a bit each.
type Mask = u64;

fn mask(line: i64, (first, end): (i64, i64)) -> Mask {
    let start = line * CACHE_LINE;
    let below = |at: i64| match (at - start).clamp(0, CACHE_LINE) {
        CACHE_LINE => Mask::MAX,
        bits => (1 << bits) - 1,
    };
    below(end) & !below(first)
}

/// A copy of a line in the cache of a core, and the clock when it was made.
#[derive(Clone, Debug)]
struct CachedCopy {
    team: u32,
    thread: u32,
    known: Arc<Clock>,
}

impl CachedCopy {
    /// True when a write was done before the copy was made.
    fn has(&self, write: &Stamp) -> bool {
        write.team == self.team && (write.thread == self.thread || write.time <= self.known.get(write.thread as usize))
    }
}

#[derive(Default, Debug)]
struct CacheLine {
    stores: Vec<CachedStore>,
    copies: Vec<CachedCopy>,
}

/// A buffer, and the number of a line in it.
type LineKey = (usize, i64);

/// The lines that scalar units have touched.
#[derive(Default, Debug)]
pub(crate) struct Caches {
    lines: OrdMap<LineKey, CacheLine>,
    /// The lines that each scalar unit of the team holds.
    held: OrdMap<u32, OrdSet<LineKey>>,
    /// The last value that a polling loop found, by core and word.
    asked: OrdMap<(usize, Word), i64>,
    /// The clock of the last copy: the next copy often has the same.
    known: Option<Arc<Clock>>,
}

impl Caches {
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Resets the state for the next team: polls of earlier cores do not matter to it.
    pub fn next_team(&mut self) {
        self.asked.clear();
        self.held.clear();
    }

    /// A core writes lines back and invalidates them.
    fn clean(&mut self, access: Option<&Access>, back: &Stamp) -> Vec<Undone> {
        let held = self.held.entry(back.thread).or_default();
        let keys = match access {
            None => std::mem::take(held),
            Some(Access { place: AddressSpace::Global(buffer), start, .. }) => {
                held.take(&(*buffer, start.div_euclid(CACHE_LINE))).into_iter().collect()
            }
            Some(_) => OrdSet::new(),
        };
        let mut undone = Vec::new();
        for (buffer, line) in keys {
            let Some(state) = self.lines.get_mut(&(buffer, line)) else { continue };
            let mine = |store: &&mut CachedStore| (store.stamp.team, store.stamp.thread) == (back.team, back.thread);
            for store in state.stores.iter_mut().filter(mine).filter(|s| s.back.is_none()) {
                store.back = Some(*back);
                undone.extend(store.undone(buffer, line));
            }
            state.copies.retain(|c| (c.team, c.thread) != (back.team, back.thread));
        }
        undone
    }

    /// The writes that lines in the caches of a finished team undo.
    fn left(&mut self, team: u32) -> Vec<Undone> {
        let held: OrdSet<LineKey> = std::mem::take(&mut self.held).into_values().flatten().collect();
        let mut undone = Vec::new();
        for (buffer, line) in held {
            let Some(state) = self.lines.get_mut(&(buffer, line)) else { continue };
            for store in state.stores.iter_mut().filter(|s| s.stamp.team == team && s.back.is_none()) {
                undone.extend(store.undone(buffer, line));
            }
        }
        undone
    }

    /// The lines that an access touches, each with its number and the bytes of it.
    fn touched(&mut self, access: &Access, mut each: impl FnMut(i64, (i64, i64), &mut CacheLine)) {
        let AddressSpace::Global(buffer) = access.place else { return };
        for row in 0..access.rows as i64 {
            let first = access.start.saturating_add(row.saturating_mul(access.stride));
            let end = first.saturating_add(access.row_bytes as i64);
            let lines = (buffer, first.div_euclid(CACHE_LINE))..=(buffer, (end - 1).div_euclid(CACHE_LINE));
            if first < end {
                self.lines.range_mut(lines).for_each(|((_, at), line)| each(*at, (first, end), line));
            }
        }
    }

    /// The current clock of a core, shared with its last copy if it is the same.
    fn known(&mut self, now: &Now<'_>) -> Arc<Clock> {
        match &self.known {
            Some(known) if **known == *now.clock => known.clone(),
            _ => self.known.insert(Arc::new(now.clock.clone())).clone(),
        }
    }

    /// An access, through the cache of a scalar unit or past it.
    pub fn access(
        &mut self,
        memories: &mut Memories,
        (access, is_scalar): (&Access, bool),
        now: &Now<'_>,
        findings: &mut Findings<'_>,
    ) {
        let AddressSpace::Global(buffer) = access.place else { return };
        let stamp = &now.stamp(access);
        let (mut written, mut known) = (Vec::new(), None);
        if is_scalar {
            let line = access.start.div_euclid(CACHE_LINE);
            self.lines.entry((buffer, line)).or_default();
            self.held.entry(stamp.thread).or_default().insert((buffer, line));
            written = memories.writes_of_line(buffer, line * CACHE_LINE, CACHE_LINE as u64);
            known = Some(self.known(now));
        }
        // A core that found a word as another core stored it knows that the line was written back.
        let asked = std::mem::take(&mut self.asked);
        self.touched(access, |at, bytes, line| {
            let own =
                |store: &CachedStore| is_scalar && (store.stamp.team, store.stamp.thread) == (stamp.team, stamp.thread);
            let conflict = |other: &Stamp| now.conflict(access, (bytes.0 as u64, (bytes.1 - bytes.0) as u64), other);
            let touched = mask(at, bytes);
            let is_seen = |store: &CachedStore| {
                let holds = |word: &Word| word.0 == buffer && store.bytes & mask(at, (word.1, word.1 + 1)) != 0;
                now.is_after(&store.stamp) && asked.keys().any(|(_, word)| holds(word))
            };
            let is_back = |store: &CachedStore| store.back.is_some_and(|back| now.is_after(&back) || is_seen(store));
            for store in line.stores.iter().filter(|s| !own(s) && !is_back(s)) {
                let (ordered, overlaps) = (now.is_after(&store.stamp), store.bytes & touched != 0);
                if !access.write && overlaps && ordered {
                    findings.held_in_cache(&conflict(&store.stamp));
                } else if access.write && (ordered || !overlaps) {
                    findings.line_shared(&conflict(&store.stamp), stamp, ordered);
                }
            }
            let Some(known) = known.clone() else {
                // The bytes were overwritten past the cache.
                line.stores.retain(|s| !(access.write && s.bytes & !touched == 0));
                return;
            };
            let copy = line.copy(stamp, known);
            let lacks = written.iter().map(|(write, bytes)| (*write, mask(at, *bytes)));
            let lacks = lacks.filter(|(write, _)| (write.team, write.thread) != (stamp.team, stamp.thread));
            if !access.write {
                // A store that was not written back is reported separately.
                let is_there = |write: &Stamp| line.store_of(write).is_none_or(is_back);
                let is_old = |write: &Stamp| now.is_after(write) && is_there(write) && !line.has(&copy, write, is_seen);
                for (write, _) in lacks.filter(|(write, bytes)| bytes & touched != 0 && is_old(write)) {
                    findings.old_copy(&conflict(&write));
                }
                return;
            }
            // Unordered stores of scalar units were reported above.
            let is_open = |write: &Stamp| now.is_after(write) || !is_scalar_unit(write);
            let lacks = lacks.filter(|(write, _)| is_open(write) && !line.has(&copy, write, is_seen)).collect();
            line.store(CachedStore { stamp: *stamp, bytes: touched, back: None, lacks });
        });
        self.asked = asked;
    }
}

fn is_scalar_unit(stamp: &Stamp) -> bool {
    stamp.thread as usize % PIPES == pipe_index(Pipe::S)
}

impl CacheLine {
    /// The copy of a core; a new one if it has none.
    fn copy(&mut self, stamp: &Stamp, known: Arc<Clock>) -> CachedCopy {
        if let Some(copy) = self.copies.iter().find(|c| (c.team, c.thread) == (stamp.team, stamp.thread)) {
            return copy.clone();
        }
        let copy = CachedCopy { team: stamp.team, thread: stamp.thread, known };
        self.copies.retain(|c| c.team == stamp.team);
        self.copies.push(copy.clone());
        copy
    }

    /// The cached store of a write of a scalar unit.
    fn store_of(&self, write: &Stamp) -> Option<&CachedStore> {
        let who = (write.team, write.thread);
        self.stores.iter().find(|s| (s.stamp.team, s.stamp.thread) == who && write.time <= s.stamp.time)
    }

    /// True when a copy contains a write. A scalar store is in memory once it is written back; if it never is, that is reported at
    /// the read.
    fn has(&self, copy: &CachedCopy, write: &Stamp, is_seen: impl Fn(&CachedStore) -> bool) -> bool {
        let store = self.store_of(write);
        copy.has(write) && store.is_none_or(|s| s.back.is_none_or(|back| copy.has(&back)) || is_seen(s))
    }

    /// A scalar unit has stored into its copy.
    fn store(&mut self, mut new: CachedStore) {
        let mut gone = false;
        self.stores.retain(|s| {
            if (s.stamp.team, s.stamp.thread) == (new.stamp.team, new.stamp.thread) {
                if s.back.is_none() {
                    new.bytes |= s.bytes;
                    new.lacks
                        .extend(s.lacks.iter().filter(|lack| !new.lacks.contains(lack)).copied().collect::<Vec<_>>());
                }
                return false;
            }
            // One store of earlier teams is enough.
            s.stamp.team == new.stamp.team || !std::mem::replace(&mut gone, true)
        });
        self.stores.push(new);
    }
}

/// A write that the write-back of a line replaces with the old bytes.
struct Undone {
    buffer: usize,
    first: u64,
    write: Stamp,
    store: Stamp,
}

impl CachedStore {
    /// The writes that are undone when the line is written back.
    fn undone(&mut self, buffer: usize, line: i64) -> Vec<Undone> {
        let lost = std::mem::take(&mut self.lacks).into_iter().filter(|(_, bytes)| bytes & !self.bytes != 0);
        let first = (line * CACHE_LINE) as u64;
        lost.map(|(write, _)| Undone { buffer, first, write, store: self.stamp }).collect()
    }
}

impl Detector<'_> {
    /// A core writes its cache back.
    pub fn clean_cache(&mut self, core: usize, site: InstrSite, accesses: &[Access]) {
        let moment = self.word_moment(core);
        let back = Stamp {
            team: self.team(),
            thread: self.scalar_thread(core),
            time: moment.time,
            issued: moment.time,
            op: site.op,
            step: site.step,
            value: None,
            tile: NO_TILE,
            origin: 0,
            atomic: Atomic::No,
        };
        for undone in self.caches.clean(accesses.first(), &back) {
            self.undoes(&undone, Some(&moment.clock));
        }
    }

    /// Lines that are still in the caches when cores finish are written back later.
    pub fn leave_caches(&mut self) {
        for undone in self.caches.left(self.team()) {
            self.undoes(&undone, None);
        }
    }

    /// A line is written back, including bytes that others have written since it was read.
    fn undoes(&mut self, Undone { buffer, first, write, store }: &Undone, known: Option<&Clock>) {
        let same = write.team == store.team;
        let site = InstrSite { op: store.op, step: store.step, core: self.core_at(store.thread) };
        let conflict = Conflict {
            place: AddressSpace::Global(*buffer),
            first: *first,
            bytes: CACHE_LINE as u64,
            other: *write,
            other_core: same.then(|| self.core_at(write.thread)),
            site,
        };
        let ordered = same && known.is_some_and(|known| write.time <= known.get(write.thread as usize));
        self.findings.line_undone(&conflict, store, ordered);
    }

    /// A loop has loaded a value from a word, directly or through a tile. Reports what keeps it from seeing a new value.
    pub fn finds_number(&mut self, core: usize, (word, number): (Word, i64), site: InstrSite, forgets: bool) {
        let is_new = self.caches.asked.insert((core, word), number) != Some(number);
        if is_new {
            let line = self.caches.lines.get(&(word.0, word.1.div_euclid(CACHE_LINE)));
            let thread = self.scalar_thread(core);
            let held = line.into_iter().flat_map(|l| &l.stores).find(|s| s.stamp.thread != thread && s.back.is_none());
            let byte = mask(word.1.div_euclid(CACHE_LINE), (word.1, word.1 + 1));
            let held = held.filter(|s| s.bytes & byte != 0).map(|s| s.stamp.op);
            if !forgets {
                self.findings.asks_cache(site);
            }
            if let Some(store) = held {
                self.findings.kept_from_loop(store, site);
            }
        }
    }
}

const WRITE_BACK: &str = pto_isa::text_key!("pto.cmo.cacheinvalid of the address, then pto.fence.barrier_all <gm>");
/// Writes all lines back and invalidates them.
const CLEAN: &str = "pto.cmo.cacheinvalid all <gm>";

impl Findings<'_> {
    /// A scalar store that is still in its cache when another core or pipe reads the bytes.
    fn held_in_cache(&mut self, conflict: &Conflict) {
        self.note(codes::CACHE_HELD, conflict.site.op, Some(conflict.other.op), |all| {
            let reader = pto_check::pipe_of(all.module(), conflict.site.op, all.target).unwrap_or(Pipe::S);
            let message = text!("{reader} reads memory before the data cache has written a scalar store back", reader);
            Diagnostic::new(codes::CACHE_HELD, all.span(conflict.site.op), message)
                .label(all.span(conflict.other.op), text!("stored here, into the data cache"))
                .legal(text!(
                    "write the line back before you notify others; flags, barriers and signals do not write it back"
                ))
                .edits(vec![Edit::after(all.span(conflict.other.op), CLEAN)])
        });
    }

    /// A line is written back that lacks the write of another core. A copy that is older than an ordered write must be invalidated.
    fn line_undone(&mut self, conflict: &Conflict, stamp: &Stamp, ordered: bool) {
        if self.has(codes::CACHE_SHARED, conflict.other.op, conflict.site.op) {
            return;
        }
        self.note(codes::CACHE_SHARED, conflict.site.op, Some(conflict.other.op), |all| {
            let message = text!("a scalar store keeps an old copy of a cache line, at byte {first}: its write-back undoes what {all} writes there", first = conflict.first, all = all.writer(conflict));
            let d = Diagnostic::new(codes::CACHE_SHARED, all.span(conflict.site.op), message)
                .label(all.span(conflict.other.op), text!("written here"))
                .legal(text!("the data cache of a core writes back whole lines of 64 bytes"));
            let edits = match ordered {
                true => vec![Edit::before(all.span(conflict.site.op), CLEAN)],
                false => all.ordered_writes(conflict, stamp),
            };
            d.help(text!("keep scalar stores 64 bytes apart from what others write; or read the line after they have written")).edits(edits)
        });
    }

    /// The writer next to a scalar store.
    fn writer(&self, conflict: &Conflict) -> String {
        let pipe = pto_check::pipe_of(self.module(), conflict.other.op, self.target).unwrap_or(Pipe::S);
        match conflict.other_core {
            Some(core) if core == conflict.site.core => pipe.to_string(),
            Some(_) => text!("{pipe} of another core", pipe),
            None => text!("{pipe} of another block", pipe),
        }
    }

    /// Two cores have stored into one line, or a tile is stored into a line that a scalar unit holds.
    fn line_shared(&mut self, conflict: &Conflict, stamp: &Stamp, ordered: bool) {
        let by_scalars = is_scalar_unit(stamp);
        self.note(codes::CACHE_SHARED, conflict.site.op, Some(conflict.other.op), |all| {
            let line = conflict.first - conflict.first % CACHE_LINE as u64;
            let message = match by_scalars {
                true => text!("two cores store into one cache line, at byte {line}: the last write-back wins", line),
                false => text!("the cache line at byte {line} is written before a scalar store into it was written back", line),
            };
            let d = Diagnostic::new(codes::CACHE_SHARED, all.span(conflict.site.op), message);
            let d = match conflict.other.op == conflict.site.op {
                true => d.remark(text!("other cores also store here")),
                false if by_scalars => d.label(all.span(conflict.other.op), text!("another core stores into it here")),
                false => d.label(all.span(conflict.other.op), text!("stored here, into the data cache")),
            };
            let d = d.legal(text!("the data cache of a core writes back whole lines of 64 bytes"));
            let first = Edit::after(all.span(conflict.other.op), CLEAN);
            let forget = Edit::before(all.span(conflict.site.op), CLEAN);
            let edits = if ordered { vec![first] } else { all.one_after_the_other(conflict, stamp, [first, forget]) };
            match edits.is_empty() {
                true => d.help(text!("keep the stores of different cores 64 bytes apart; or after the first store: {write_back}, and let the second core wait for it", write_back = text::translate(WRITE_BACK))),
                false => d.help(text!("keep the stores of different cores 64 bytes apart; or write the line back before the next core stores")).edits(edits),
            }
        });
    }

    /// A load of a stale copy: the core has read the line before, and others have written it since.
    fn old_copy(&mut self, conflict: &Conflict) {
        self.note(codes::CACHE_STALE, conflict.site.op, Some(conflict.other.op), |all| {
            let message = text!("the scalar unit reads a stale copy of the line");
            Diagnostic::new(codes::CACHE_STALE, all.span(conflict.site.op), message)
                .label(all.span(conflict.other.op), text!("written here"))
                .legal(text!("invalidate the line before reading what others have written"))
                .edits(vec![Edit::before(all.span(conflict.site.op), CLEAN)])
        });
    }

    /// A loop that polls its own cache.
    fn asks_cache(&mut self, site: InstrSite) {
        self.note(codes::CACHE_POLL, site.op, None, |all| {
            let message = text!("the loop may read its own data cache forever");
            Diagnostic::new(codes::CACHE_POLL, all.span(site.op), message)
                .warning()
                .legal(text!("invalidate the line before each load that polls for a store of another core"))
                .edits(vec![Edit::before(all.span(site.op), CLEAN)])
        });
    }

    /// A word that a loop of another core polls and that is not written back.
    fn kept_from_loop(&mut self, store: OpId, load: InstrSite) {
        self.note(codes::CACHE_POLL, store, Some(load.op), |all| {
            let message = text!("another core waits for this word, which may stay in the data cache");
            Diagnostic::new(codes::CACHE_POLL, all.span(store), message)
                .warning()
                .label(all.span(load.op), text!("a loop polls it here"))
                .legal(text!("write a polled word back after the store"))
                .edits(vec![Edit::after(all.span(store), CLEAN)])
        });
    }
}
