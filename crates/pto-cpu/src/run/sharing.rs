//! Whether threads may share the iterations of the loops of a block.
//!
//! The program is followed once with its arguments, without data. It may be shared if no iteration reads or overwrites what another one
//! writes, in global memory, and if none reads what another has left in a tile. What is found is kept for the next run with the same
//! arguments.

use super::arguments::BoundArguments;
use super::core::Core;
use super::launch::Launch;
use super::observe::{Access, Action, AddressSpace, Atomic, DEVICE, Event, Watch, WatchMode};
use super::touched::{GlobalTouches, Iteration, LocalWriters};
use crate::kernels::WrittenPart;
use crate::prepared::{GeometryId, KernelStep, Plan, SharingProof, Step, StepId};
use crate::printed::CoreCounts;
use pto_isa::SLayout;
use std::borrow::Cow;
use std::sync::Arc;

/// Instructions that access less on average are not worth the time to follow them.
const LEAST_ACCESS: u64 = 4 << 10;

/// The same for runs of bytes, once there are some.
const LEAST_RUN: u64 = 256;
const SOME_BYTES: u64 = 1 << 20;

/// Instructions after which that is asked, and the most that are followed.
const FIRST_LOOK: u64 = 1 << 10;
const MOST_FOLLOWED: u64 = 1 << 20;

/// Follows a program, and notes what each iteration touches.
struct Dependences<'p> {
    plan: &'p Plan,
    local: LocalWriters,
    global: GlobalTouches,
    /// How many iterations of each loop had instructions, counted to the last of them.
    iterations: Vec<u64>,
    inside: u64,
    outside: u64,
    followed: u64,
    /// Runs of bytes that are contiguous.
    runs: u64,
    /// Small programs count as well.
    any_size: bool,
    /// Iterations depend on each other, or there is too much to follow.
    failed: bool,
}

impl Watch for Dependences<'_> {
    fn mode(&self) -> WatchMode {
        WatchMode { observes: true, computes: false, follows_writes: false, ..WatchMode::PLAIN }
    }

    fn report_every(&self) -> u64 {
        16
    }

    fn progress(&mut self, _: u64) -> bool {
        !self.failed
    }

    fn event(&mut self, event: &Event<'_>) {
        let plan = self.plan;
        let Step::Kernel(which) = plan.code.steps[StepId(event.step)] else { return };
        self.failed |= !matches!(event.action, Action::Work) || !self.follow(event, &plan.calls.kernels[which]);
    }
}

impl Dependences<'_> {
    /// False if the instruction depends on another iteration.
    fn follow(&mut self, event: &Event<'_>, step: &KernelStep) -> bool {
        let by = self.iteration(event);
        // A source that counts as valid where another tile is says not what is read.
        if step.wide.is_some() {
            return false;
        }
        let is_real = |access: &&Access| !access.is_work_space() && access.tile != Some(DEVICE);
        let accesses = || event.accesses.iter().filter(is_real);
        let bytes: u64 = accesses().map(|access| access.rows.saturating_mul(access.row_bytes)).sum();
        *(if by == Iteration::OUTSIDE { &mut self.outside } else { &mut self.inside }) += bytes;
        self.followed += 1;
        let is_partial = !writes_all(event, step);
        let (reads, writes) = (accesses().filter(|a| !a.write), accesses().filter(|a| a.write));
        reads.chain(writes).all(|access| self.touch(by, access, is_partial)) && self.is_worthwhile()
    }

    fn is_worthwhile(&self) -> bool {
        let bytes = self.inside + self.outside;
        let is_small = self.followed == FIRST_LOOK && bytes / FIRST_LOOK < LEAST_ACCESS;
        let is_scattered = bytes + SOME_BYTES < self.runs * LEAST_RUN;
        (self.any_size || !is_small && !is_scattered) && self.followed <= MOST_FOLLOWED && self.global.are_few()
    }

    fn iteration(&mut self, event: &Event<'_>) -> Iteration {
        let outermost = self.plan.code.loops.outermost(StepId(event.step));
        let shared = outermost.and_then(|id| self.plan.sharing.loops.iter().position(|of| of.id == id));
        let Some(at) = shared else { return Iteration::OUTSIDE };
        let number = event.iterations.from_inside().last().map_or(0, |of| of.number);
        self.iterations[at] = self.iterations[at].max(number + 1);
        Iteration::new(at, number)
    }

    fn touch(&mut self, by: Iteration, access: &Access, is_partial: bool) -> bool {
        match access.place {
            AddressSpace::Global(buffer) => self.touch_global(by, buffer, access),
            AddressSpace::Core(_) => self.touch_local(by, access, is_partial),
        }
    }

    fn touch_global(&mut self, by: Iteration, buffer: usize, access: &Access) -> bool {
        if access.write && (by == Iteration::OUTSIDE || access.atomic != Atomic::No) {
            return false;
        }
        if !access.write && self.plan.source.only_loaded.get(buffer) == Some(&true) {
            return true;
        }
        each_run(access, |start, length| {
            self.global.add(by, buffer, (start, start.saturating_add(length as i64)), access.write);
            self.global.are_few()
        })
    }

    fn touch_local(&mut self, by: Iteration, access: &Access, is_partial: bool) -> bool {
        let AddressSpace::Core(loc) = access.place else { return false };
        let ty = &self.plan.tiles.geometries[GeometryId(access.geometry)];
        if !ty.column_bits().is_multiple_of(8) {
            return false;
        }
        let space = self.plan.memory.spaces.start(loc) as i64;
        // Bytes of a tile that are not valid may be written, too.
        let is_whole = u64::from(access.valid.0) == ty.rows && u64::from(access.valid.1) == ty.cols;
        if access.write && access.start == access.origin && !is_whole {
            let start = (space + access.start) as u64;
            self.local.write(by, start, ty.bytes(), true);
        }
        let mut touch = |start: i64, length: u64| {
            let Ok(start) = u64::try_from(space + start) else { return false };
            if access.write {
                self.local.write(by, start, length, is_partial);
                return true;
            }
            self.local.may_read(by, start, length)
        };
        let (high, wide) = ty.box_shape();
        let (rows, cols) = (u64::from(access.valid.0), u64::from(access.valid.1));
        // Where the last boxes are lower, the place of an element depends on where the part begins that is accessed.
        if ty.rows > high && !ty.rows.is_multiple_of(high) {
            return false;
        }
        if !ty.is_boxed() || rows.is_multiple_of(high.min(ty.rows)) && cols.is_multiple_of(wide) {
            self.runs += access.rows;
            return each_run(access, touch);
        }
        // The access has whole boxes. The instruction touches those elements of them that are valid.
        self.runs += rows * cols / high.min(wide);
        let bytes = u64::from(ty.column_bits()) / 8;
        let mut touch = |row, col, length| touch(access.start + (ty.offset(row, col) * bytes) as i64, length * bytes);
        if ty.slayout == SLayout::RowMajor {
            (0..rows).all(|row| (0..cols).step_by(wide as usize).all(|col| touch(row, col, wide.min(cols - col))))
        } else {
            (0..cols).all(|col| (0..rows).step_by(high as usize).all(|row| touch(row, col, high.min(rows - row))))
        }
    }
}

/// True if an instruction writes all valid elements of its results.
fn writes_all(event: &Event<'_>, step: &KernelStep) -> bool {
    let regs = event.iterations.registers();
    let extents = |at: Option<usize>| {
        let register = step.tiles.get(at?)?.register?;
        let tile = &regs.tiles[register];
        Some((u64::from(tile.rows), u64::from(tile.cols)))
    };
    let (source, result) = (extents(Some(0)), extents(step.tiles.iter().position(|o| o.writes)));
    let (Some(source), Some(result)) = (source, result) else { return step.writes == WrittenPart::All };
    let (row, col) = step.part.map_or((0, 0), |part| (regs.scalars[part.row], regs.scalars[part.col]));
    match step.writes {
        WrittenPart::All => true,
        WrittenPart::WhereSource => {
            let covers = |first: u64, length, of| first.checked_add(length).is_some_and(|end| end <= of);
            covers(row, result.0, source.0) && covers(col, result.1, source.1)
        }
        WrittenPart::WhereTransposed => source == (result.1, result.0),
        WrittenPart::Some => false,
    }
}

/// Each run of an access, as long as the answer is yes.
fn each_run(access: &Access, mut each: impl FnMut(i64, u64) -> bool) -> bool {
    if access.stride == access.row_bytes as i64 {
        return each(access.start, access.rows * access.row_bytes);
    }
    (0..access.rows)
        .all(|row| each(access.start.wrapping_add(access.stride.wrapping_mul(row as i64)), access.row_bytes))
}

impl Launch<'_> {
    /// What following the program with these arguments shows; `None` if threads must not share its loops.
    pub(super) fn sharing(&self, bound: &BoundArguments) -> Option<Arc<SharingProof>> {
        let plan = self.plan();
        let mut arguments = bound.numbers();
        arguments.push(self.shares_any_size.into());
        plan.sharing.latest.get(arguments, || self.follow_loops(bound))
    }

    fn follow_loops(&self, bound: &BoundArguments) -> Option<SharingProof> {
        let plan = self.plan();
        let mut follow = Dependences {
            plan,
            local: LocalWriters::default(),
            global: GlobalTouches::default(),
            iterations: vec![0; plan.sharing.loops.len()],
            inside: 0,
            outside: 0,
            followed: 0,
            runs: 0,
            any_size: self.shares_any_size,
            failed: false,
        };
        let mut core = Core::new(plan, Cow::Borrowed(&bound.buffers), None, CoreCounts::of_blocks(1)).ok()?;
        core.reset(0);
        bound.enter_scalars(0, &mut core);
        let watch: &mut (dyn Watch + '_) = &mut follow;
        let done = core.execute(watch);
        let instructions = core.progress.deeds.instructions;
        core.retire();
        let Dependences { global, iterations, inside, outside, failed, .. } = follow;
        let proved = done.is_ok() && !failed && global.are_apart();
        proved.then_some(SharingProof { iterations, inside, outside, instructions })
    }
}
