//! Instructions whose operands are known and that are executed together, later.

#![expect(unsafe_code, reason = "kernels are called later than they were prepared")]

use super::fail::Fail;
use crate::guard::{Guards, Touched};
use crate::kernels::{TileRef, ViewRef};
use crate::prepared::{KernelId, KernelStep, MAX_VIEWS, Plan, StepId};
use std::ops::Range;

/// Instructions in their order, and all their operands one after the other.
#[derive(Default)]
pub(super) struct Collected<'p> {
    pub calls: Vec<CollectedCall>,
    pub tiles: Vec<TileRef<'p>>,
    pub views: Vec<ViewRef>,
    pub scalars: Vec<u64>,
    /// What each view touches of global memory, where other threads execute other blocks.
    pub touched: Vec<Option<Touched>>,
    /// Somebody looks at the tiles after the run.
    pub keeps_tiles: bool,
    /// Other threads execute other blocks.
    pub is_shared: bool,
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
}

/// What went wrong, and at which step.
pub(super) type FailAt = (StepId, Fail);

impl Collected<'_> {
    pub fn clear(&mut self) {
        self.calls.clear();
        self.tiles.clear();
        self.views.clear();
        self.scalars.clear();
        self.touched.clear();
    }

    fn touched_by(&self, call: &CollectedCall) -> [Option<Touched>; MAX_VIEWS] {
        let mut all = [None; MAX_VIEWS];
        all.iter_mut().zip(&self.touched[call.views.clone()]).for_each(|(one, touched)| *one = *touched);
        all
    }

    /// Executes one instruction as a whole.
    pub fn execute(&self, plan: &Plan, call: &CollectedCall, guards: Option<&Guards<'_>>) -> Result<(), FailAt> {
        let step: &KernelStep = &plan.calls.kernels[call.which];
        let (tiles, views) = (&self.tiles[call.tiles.clone()], &self.views[call.views.clone()]);
        let _held = guards.filter(|_| !views.is_empty()).map(|guards| guards.hold(self.touched_by(call)));
        // SAFETY: the operands were checked when the instruction was collected. The memory they lie in is neither moved nor freed
        // before all that is collected has been executed, no other thread touches the windows now, and the kernel checks them
        // against their buffers.
        unsafe { step.code.call(tiles, views, &self.scalars[call.scalars.clone()]) }
            .map_err(|fault| (call.at, Fail::Fault(Box::new(fault), call.buffer)))
    }
}
