//! The data caches of scalar units: what they hold back from others, and what they have not noticed.

use crate::detector::Detector;
use crate::findings::{Conflict, Findings, InstrSite};
use crate::now::Now;
use crate::shadow::{NO_TILE, Stamp};
use crate::words::Word;
use pto_cpu::{Access, AddressSpace, Atomic, CACHE_LINE};
use pto_ir::OpId;
use pto_isa::{Diagnostic, Edit, Pipe, codes};
use std::collections::BTreeMap;

/// Bytes that a scalar unit has stored into a line, and when it has written the line back.
#[derive(Clone, Copy, Debug)]
struct CachedStore {
    stamp: Stamp,
    first: i64,
    end: i64,
    back: Option<Stamp>,
}

/// A copy of a line in the cache of a core, and the write it does not know of.
#[derive(Clone, Copy, Debug)]
struct CachedCopy {
    team: u32,
    thread: u32,
    stale: Option<Stamp>,
}

#[derive(Default, Debug)]
struct CacheLine {
    stores: Vec<CachedStore>,
    copies: Vec<CachedCopy>,
}

/// The lines that scalar units have touched.
#[derive(Default, Debug)]
pub(crate) struct Caches {
    lines: BTreeMap<(usize, i64), CacheLine>,
    /// The last number that a loop has found, by core and word.
    asked: BTreeMap<(usize, Word), i64>,
}

impl Caches {
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Other cores come: what those before have asked for is no concern of theirs.
    pub fn next_team(&mut self) {
        self.asked.clear();
    }

    /// A core writes lines back and forgets them.
    fn clean(&mut self, access: Option<&Access>, back: &Stamp) {
        let own = |line: &mut CacheLine| {
            let mine = |store: &&mut CachedStore| (store.stamp.team, store.stamp.thread) == (back.team, back.thread);
            line.stores.iter_mut().filter(mine).filter(|s| s.back.is_none()).for_each(|s| s.back = Some(*back));
            line.copies.retain(|c| (c.team, c.thread) != (back.team, back.thread));
        };
        match access {
            None => self.lines.values_mut().for_each(own),
            Some(Access { place: AddressSpace::Global(buffer), start, .. }) => {
                self.lines.get_mut(&(*buffer, start.div_euclid(CACHE_LINE))).into_iter().for_each(own);
            }
            Some(_) => {}
        }
    }

    /// The lines that an access touches, each with the bytes of it.
    fn touched(&mut self, access: &Access, mut each: impl FnMut((i64, i64), &mut CacheLine)) {
        let AddressSpace::Global(buffer) = access.place else { return };
        for row in 0..access.rows as i64 {
            let first = access.start.saturating_add(row.saturating_mul(access.stride));
            let end = first.saturating_add(access.row_bytes as i64);
            let lines = (buffer, first.div_euclid(CACHE_LINE))..=(buffer, (end - 1).div_euclid(CACHE_LINE));
            if first < end {
                self.lines.range_mut(lines).for_each(|(_, line)| each((first, end), line));
            }
        }
    }

    /// An access that does not go through the cache of a scalar unit, or one that does.
    pub fn access(
        &mut self,
        (access, stamp, is_scalar): (&Access, &Stamp, bool),
        now: &Now<'_>,
        site: InstrSite,
        findings: &mut Findings<'_>,
    ) {
        let AddressSpace::Global(buffer) = access.place else { return };
        if is_scalar {
            self.lines.entry((buffer, access.start.div_euclid(CACHE_LINE))).or_default();
        }
        // Whoever has found a word as another core stored it knows that the line was written back.
        let asked = std::mem::take(&mut self.asked);
        self.touched(access, |bytes, line| {
            let own = |team: u32, thread: u32| is_scalar && (team, thread) == (stamp.team, stamp.thread);
            let conflict =
                |other: &Stamp| now.conflict(access, (bytes.0 as u64, (bytes.1 - bytes.0) as u64), other, site);
            if access.write {
                line.copies.iter_mut().filter(|c| !own(c.team, c.thread)).for_each(|c| c.stale = Some(*stamp));
            }
            let is_seen = |store: &CachedStore| {
                now.is_after(&store.stamp) && asked.keys().any(|(_, word)| *word == (buffer, store.first))
            };
            let is_back = |store: &CachedStore| store.back.is_some_and(|back| now.is_after(&back) || is_seen(store));
            let overlaps = |store: &CachedStore| store.first < bytes.1 && bytes.0 < store.end;
            for store in line.stores.iter().filter(|s| !own(s.stamp.team, s.stamp.thread) && !is_back(s)) {
                let ordered = now.is_after(&store.stamp);
                if !access.write && overlaps(store) && ordered {
                    findings.held_in_cache(&conflict(&store.stamp));
                } else if access.write && is_scalar && (ordered || !overlaps(store)) {
                    findings.line_shared(&conflict(&store.stamp), stamp, ordered);
                }
            }
            if !is_scalar {
                // What lies there now was not stored by a scalar unit.
                line.stores.retain(|s| !(access.write && bytes.0 <= s.first && s.end <= bytes.1));
                return;
            }
            line.keep(access, bytes, stamp, |write| findings.old_copy(&conflict(write)));
        });
        self.asked = asked;
    }
}

impl CacheLine {
    /// The scalar unit of a core has touched the line.
    fn keep(&mut self, access: &Access, bytes: (i64, i64), stamp: &Stamp, mut old: impl FnMut(&Stamp)) {
        let who = (stamp.team, stamp.thread);
        let copy = self.copies.iter().position(|c| (c.team, c.thread) == who);
        if let Some(write) = copy.and_then(|at| self.copies[at].stale).filter(|_| !access.write) {
            old(&write);
        }
        if copy.is_none() {
            self.copies.retain(|c| c.team == stamp.team);
            self.copies.push(CachedCopy { team: who.0, thread: who.1, stale: None });
        }
        if !access.write {
            return;
        }
        let mut store = CachedStore { stamp: *stamp, first: bytes.0, end: bytes.1, back: None };
        let mut gone = false;
        self.stores.retain(|s| {
            if (s.stamp.team, s.stamp.thread) == who {
                if s.back.is_none() {
                    (store.first, store.end) = (store.first.min(s.first), store.end.max(s.end));
                }
                return false;
            }
            // Of cores that are gone one store is enough.
            s.stamp.team == stamp.team || !std::mem::replace(&mut gone, true)
        });
        self.stores.push(store);
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
        self.caches.clean(accesses.first(), &back);
    }

    /// A loop has found a number in a word, directly or in a tile. Says what keeps it from finding another one.
    pub fn finds_number(&mut self, core: usize, (word, number): (Word, i64), site: InstrSite, forgets: bool) {
        let is_new = self.caches.asked.insert((core, word), number) != Some(number);
        if is_new {
            let line = self.caches.lines.get(&(word.0, word.1.div_euclid(CACHE_LINE)));
            let thread = self.scalar_thread(core);
            let held = line.into_iter().flat_map(|l| &l.stores).find(|s| s.stamp.thread != thread && s.back.is_none());
            let held = held.filter(|s| s.first <= word.1 && word.1 < s.end).map(|s| s.stamp.op);
            if !forgets {
                self.findings.asks_cache(site);
            }
            if let Some(store) = held {
                self.findings.kept_from_loop(store, site);
            }
        }
    }
}

const WRITE_BACK: &str = "pto.cmo.cacheinvalid of the address, then pto.fence.barrier_all #pto.fence_scope<gm>";
/// Writes all lines back and forgets them.
const CLEAN: &str = "pto.cmo.cacheinvalid all #pto.address_space<gm>";

impl Findings<'_> {
    /// A scalar store that has not left its cache when its bytes are read elsewhere.
    fn held_in_cache(&mut self, conflict: &Conflict) {
        self.note(codes::CACHE_HELD, conflict.site.op, Some(conflict.other.op), |all| {
            let reader = pto_check::pipe_of(all.module(), conflict.site.op, all.target).unwrap_or(Pipe::S);
            let message = format!("{reader} reads memory before the data cache has written a scalar store back");
            Diagnostic::new(codes::CACHE_HELD, all.span(conflict.site.op), message)
                .label(all.span(conflict.other.op), "stored here, into the data cache")
                .legal("write the line back before you notify others; flags, barriers and signals do not write it back")
                .edits(vec![Edit::after(all.span(conflict.other.op), CLEAN)])
        });
    }

    /// Two cores have stored into one line.
    fn line_shared(&mut self, conflict: &Conflict, stamp: &Stamp, ordered: bool) {
        self.note(codes::CACHE_SHARED, conflict.site.op, Some(conflict.other.op), |all| {
            let line = conflict.first - conflict.first % CACHE_LINE as u64;
            let message = format!("two cores store into one cache line, at byte {line}: the last write-back wins");
            let d = Diagnostic::new(codes::CACHE_SHARED, all.span(conflict.site.op), message);
            let d = match conflict.other.op == conflict.site.op {
                true => d.remark("other cores also store here"),
                false => d.label(all.span(conflict.other.op), "another core stores into it here"),
            };
            let d = d.legal("the data cache of a core writes back whole lines of 64 bytes");
            let first = Edit::after(all.span(conflict.other.op), CLEAN);
            let edits = if ordered { vec![first] } else { all.one_after_the_other(conflict, stamp, first) };
            match edits.is_empty() {
                true => d.help(format!(
                    "keep the stores of different cores 64 bytes apart; or after the first store: {WRITE_BACK}, and let the second core wait for it"
                )),
                false => d.help("keep the stores of different cores 64 bytes apart; or write the line back before the next core stores").edits(edits),
            }
        });
    }

    /// A load of what a core has read before, and others have written since.
    fn old_copy(&mut self, conflict: &Conflict) {
        self.note(codes::CACHE_STALE, conflict.site.op, Some(conflict.other.op), |all| {
            let message = "the scalar unit reads a stale copy of the line";
            Diagnostic::new(codes::CACHE_STALE, all.span(conflict.site.op), message)
                .label(all.span(conflict.other.op), "written here")
                .legal("invalidate the line before reading what others have written")
                .edits(vec![Edit::before(all.span(conflict.site.op), CLEAN)])
        });
    }

    /// A loop that asks its own cache.
    fn asks_cache(&mut self, site: InstrSite) {
        self.note(codes::CACHE_POLL, site.op, None, |all| {
            let message = "the loop may read its own data cache forever";
            Diagnostic::new(codes::CACHE_POLL, all.span(site.op), message)
                .warning()
                .legal("invalidate the line before each load that polls for a store of another core")
                .edits(vec![Edit::before(all.span(site.op), CLEAN)])
        });
    }

    /// A word that a loop of another core asks for, and that is not written back.
    fn kept_from_loop(&mut self, store: OpId, load: InstrSite) {
        self.note(codes::CACHE_POLL, store, Some(load.op), |all| {
            let message = "another core waits for this word, which may stay in the data cache";
            Diagnostic::new(codes::CACHE_POLL, all.span(store), message)
                .warning()
                .label(all.span(load.op), "a loop polls it here")
                .legal("write a polled word back after the store")
                .edits(vec![Edit::after(all.span(store), CLEAN)])
        });
    }
}
