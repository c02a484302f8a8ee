//! The happens-before relation from the view of one access.

use crate::clock::{Clock, PIPES, pipe_index};
use crate::findings::{Conflict, InstrSite};
use crate::shadow::{NO_TILE, Stamp};
use pto_cpu::{Access, CoreId};
use pto_isa::Pipe;

/// The time of an access, and the work that is done by then.
pub(crate) struct Now<'a> {
    pub team: u32,
    pub thread: u32,
    pub time: u32,
    /// The time of the scalar unit when it was issued.
    pub issued: u32,
    pub site: InstrSite,
    pub clock: &'a Clock,
    /// The pipe may start an instruction before the previous one is done.
    pub overlaps: bool,
    /// The cores of the team.
    pub names: &'a [CoreId],
    /// Tiles that are arguments: the caller has written them.
    pub given: &'a [u32],
}

impl Now<'_> {
    /// What is remembered of an access, made where it is kept: a copy of what was written a moment ago would wait for it.
    #[inline(always)]
    pub fn stamp(&self, access: &Access) -> Stamp {
        self.stamp_as(access, access.tile.unwrap_or(NO_TILE))
    }

    /// The same for an access that counts as one of another tile.
    #[inline(always)]
    pub fn stamp_as(&self, access: &Access, tile: u32) -> Stamp {
        Stamp {
            team: self.team,
            thread: self.thread,
            time: self.time,
            issued: self.issued,
            op: self.site.op,
            step: self.site.step,
            value: access.value,
            tile,
            origin: access.origin as u32,
            atomic: access.atomic,
        }
    }

    /// The core of an access; `None` if it belongs to another team.
    fn core_of(&self, stamp: &Stamp) -> Option<CoreId> {
        let same = stamp.team == self.team;
        same.then(|| self.names.get(stamp.thread as usize / PIPES).copied()).flatten()
    }

    /// True when another core of the same team made an access.
    pub fn is_another_core(&self, stamp: &Stamp) -> bool {
        let core = |thread: u32| self.names.get(thread as usize / PIPES);
        stamp.team == self.team && core(stamp.thread) != core(self.thread)
    }

    /// The conflict of an earlier access to the same bytes with this one.
    pub fn conflict(&self, access: &Access, (first, bytes): (u64, u64), other: &Stamp) -> Conflict {
        Conflict { place: access.place, first, bytes, other: *other, other_core: self.core_of(other), site: self.site }
    }

    /// True when a core wrote again before this one has read the write that it was signalled. The engine lets cores run
    /// ahead, so the later write may come first here. A core that was signalled after the later write wants that one.
    pub fn missed(&self, write: &Stamp, earlier: Option<&Stamp>) -> bool {
        let scalar = write.thread as usize / PIPES * PIPES + pipe_index(Pipe::S);
        let another = self.is_another_core(write) && self.clock.get(scalar) <= write.issued;
        another && !self.is_after(write) && earlier.is_some_and(|e| e.thread == write.thread && self.is_after(e))
    }

    /// True when an access is known to be done.
    pub fn is_after(&self, stamp: &Stamp) -> bool {
        if stamp.team != self.team {
            return false;
        }
        if stamp.thread == self.thread && (!self.overlaps || stamp.time == self.time) {
            return true;
        }
        stamp.time <= self.clock.get(stamp.thread as usize)
    }
}
