//! The effects of an instruction on memories and caches.

use crate::clock::{PIPES, pipe_index};
use crate::core::PipeStep;
use crate::detector::Detector;
use crate::findings::InstrSite;
use crate::now::Now;
use crate::shadow::{ANY_TILE, NO_TILE, Stamp};
use pto_cpu::{Access, AddressSpace, Atomic, DEVICE};
use pto_isa::Pipe;

impl Detector<'_> {
    /// Records the reads and writes of an instruction.
    // Not inlined: steps that only order pipes need none of its variables.
    #[inline(never)]
    pub fn work(&mut self, (core, pipe_at): (usize, usize), site: InstrSite, accesses: &[Access], step: PipeStep) {
        let is_scalar = step == PipeStep::Scalar;
        let team = self.team();
        let state = &mut self.cores[core];
        state.pipes[pipe_at].time += 1;
        let overlaps = self.overlapping[pipe_at];
        let now = Now {
            team,
            thread: (core * PIPES + pipe_at) as u32,
            time: state.pipes[pipe_at].time,
            issued: state.pipes[pipe_index(Pipe::S)].time,
            site,
            clock: &state.pipes[pipe_at].clock,
            overlaps,
            names: &self.names,
            given: &self.given[site.core.role as usize],
        };
        self.findings.check_operands(accesses, site, step == PipeStep::Work { repeats: true });
        if is_scalar || !self.caches.is_empty() {
            for access in accesses {
                self.caches.access(&mut self.memories, (access, is_scalar), &now, &mut self.findings);
            }
        }
        let polls = !is_scalar && self.setting.joint && self.polls.loads.contains_key(&site.op);
        for access in accesses.iter().filter(|a| !a.write) {
            if polls && matches!(access.place, AddressSpace::Global(_)) {
                let tells = |write: &Stamp| self.asked.tells(write.op);
                self.memories.ask(core, access, &now, tells, &mut self.findings);
            } else {
                self.memories.read(core, access, &now, &mut self.findings);
            }
        }
        for access in accesses.iter().filter(|a| a.write) {
            let in_place = accesses.iter().find(|r| !r.write && r.place == access.place && r.start == access.start);
            let loses = access.is_work_space() || access.tile == Some(DEVICE);
            let under_two_names = in_place.is_some_and(|read| read.tile != access.tile && !loses);
            let tile = if under_two_names { ANY_TILE } else { access.tile.unwrap_or(NO_TILE) };
            self.memories.write(core, (access, tile), &now, &mut self.findings);
        }
        self.changes_words((core, pipe_at), site, accesses, overlaps);
    }

    /// A FIFO step that moves a tile: the pipe, and the bytes it accesses.
    pub fn moves(&mut self, core: usize, pipe: Option<Pipe>, site: InstrSite, accesses: &[Access]) {
        self.issue(core, self.index_of(pipe), PipeStep::Work { repeats: false }, site, accesses);
    }

    /// Frees the memory of a popped tile.
    pub fn give_back(&mut self, core: usize, access: &Access, site: InstrSite) {
        let stamp = Stamp {
            team: self.team(),
            thread: (core * PIPES) as u32,
            time: 0,
            issued: 0,
            op: site.op,
            step: site.step,
            value: access.value,
            tile: crate::shadow::FREED,
            origin: access.origin as u32,
            atomic: Atomic::No,
        };
        self.memories.visit(core, access, |_, _, segment| {
            // When the ring has wrapped around, another entry lies there.
            if segment.write.is_none_or(|w| Some(w.tile) == access.tile) {
                segment.lost = segment.write.into_iter().collect();
                segment.write = Some(stamp);
                segment.reads.clear();
            }
        });
    }
}
