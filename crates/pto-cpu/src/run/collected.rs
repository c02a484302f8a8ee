//! Instructions whose operands are known and that are executed together, later.

#![expect(unsafe_code, reason = "kernels are called later than they were prepared")]

use super::core::Core;
use super::fail::Fail;
use super::strips::StripDivision;
use crate::guard::{Guards, Touched};
use crate::kernels::{TileRef, ViewRef};
use crate::prepared::{Id, KernelId, KernelStep, MAX_VIEWS, Plan, StepId, StripRole};
use std::ops::Range;

/// Instructions in their order, and all their operands one after the other.
#[derive(Default)]
pub(super) struct Collected<'p> {
    pub calls: Vec<CollectedCall>,
    pub tiles: Vec<TileRef<'p>>,
    pub views: Vec<ViewRef>,
    pub scalars: Vec<u64>,
    /// Somebody looks at the tiles after the run.
    pub keeps_tiles: bool,
    /// How the instructions of each group were divided last, by the last of them.
    divisions: Vec<(KernelId, StripDivision<'p>)>,
}

/// An instruction, and where its operands are.
pub(super) struct CollectedCall {
    pub which: KernelId,
    pub at: StepId,
    pub tiles: Range<usize>,
    pub views: Range<usize>,
    pub scalars: Range<usize>,
    /// The buffer of its first window.
    pub buffer: Option<usize>,
    pub touched: [Option<Touched>; MAX_VIEWS],
}

impl<'p> Core<'p> {
    /// Keeps an instruction until the last one of its group is there. The operands have been resolved.
    pub fn collect(&mut self, which: KernelId, at: StepId) -> Result<(), Fail> {
        let step = &self.plan.calls.kernels[which];
        let buffer = self.first_buffer(step);
        let touched = if self.global.guards.is_some() { self.touched(step) } else { [None; MAX_VIEWS] };
        let (tiles, views, scalars) = self.issue.operands(step);
        let (tiles, views, scalars) = (tiles.len(), views.len(), scalars.len());
        let all = &mut self.issue.collected;
        let call = CollectedCall {
            which,
            at,
            tiles: all.tiles.len()..all.tiles.len() + tiles,
            views: all.views.len()..all.views.len() + views,
            scalars: all.scalars.len()..all.scalars.len() + scalars,
            buffer,
            touched,
        };
        all.calls.push(call);
        all.tiles.extend_from_slice(&self.issue.tiles[..tiles]);
        all.views.extend_from_slice(&self.issue.views[..views]);
        all.scalars.extend_from_slice(&self.issue.scalars[..scalars]);
        if step.strips == StripRole::Last { self.execute_collected() } else { Ok(()) }
    }

    fn execute_collected(&mut self) -> Result<(), Fail> {
        let all = &mut self.issue.collected;
        let (plan, guards) = (self.plan, self.global.guards);
        let mut divisions = std::mem::take(&mut all.divisions);
        let division = division_of(&mut divisions, all.calls.last().map(|call| call.which));
        let done = if division.divide(plan, all) {
            division.execute(plan, all, guards)
        } else {
            all.calls.iter().try_for_each(|call| all.execute(plan, call, guards))
        };
        all.divisions = divisions;
        all.clear();
        done.map_err(|(at, fail)| {
            self.issue.pipes.failed_at = Some(at);
            fail
        })
    }
}

/// The division of a group, new if it is executed for the first time.
fn division_of<'a, 'p>(
    all: &'a mut Vec<(KernelId, StripDivision<'p>)>,
    last: Option<KernelId>,
) -> &'a mut StripDivision<'p> {
    let last = last.unwrap_or(KernelId::new(0));
    let at = all.iter().position(|(which, _)| *which == last).unwrap_or_else(|| {
        all.push((last, StripDivision::default()));
        all.len() - 1
    });
    &mut all[at].1
}

/// What went wrong, and at which step.
pub(super) type FailAt = (StepId, Fail);

impl Collected<'_> {
    pub fn clear(&mut self) {
        self.calls.clear();
        self.tiles.clear();
        self.views.clear();
        self.scalars.clear();
    }

    /// Executes one instruction as a whole.
    fn execute(&self, plan: &Plan, call: &CollectedCall, guards: Option<&Guards<'_>>) -> Result<(), FailAt> {
        let step: &KernelStep = &plan.calls.kernels[call.which];
        let (tiles, views) = (&self.tiles[call.tiles.clone()], &self.views[call.views.clone()]);
        let _held = guards.filter(|_| !views.is_empty()).map(|guards| guards.hold(call.touched));
        // SAFETY: the operands were checked when the instruction was collected. The memory they lie in is neither moved nor freed
        // before all that is collected has been executed, no other thread touches the windows now, and the kernel checks them
        // against their buffers.
        unsafe { step.code.call(tiles, views, &self.scalars[call.scalars.clone()]) }
            .map_err(|fault| (call.at, Fail::Fault(Box::new(fault), call.buffer)))
    }
}
