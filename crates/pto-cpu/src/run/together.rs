//! Instructions that wait for their neighbours, to be executed together.

use super::collected::{CollectedCall, FailAt};
use super::core::Core;
use super::fail::Fail;
use crate::prepared::{KernelId, StepId, StripRole};

impl Core<'_> {
    /// Keeps an instruction until the last one of its group is there. The operands have been resolved.
    pub fn collect(&mut self, which: KernelId, at: StepId) -> Result<(), Fail> {
        let step = &self.plan.calls.kernels[which];
        let buffer = self.first_buffer(step);
        if self.global.guards.is_some() {
            let touched = self.touched(step);
            self.issue.collected.touched.extend_from_slice(&touched[..step.views.len()]);
        }
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
        };
        all.calls.push(call);
        // One by one, in the parts that were written: a longer copy would wait for all of them.
        self.issue.tiles[..tiles].iter().for_each(|tile| all.tiles.push(*tile));
        self.issue.views[..views].iter().for_each(|view| all.views.push(*view));
        all.scalars.extend_from_slice(&self.issue.scalars[..scalars]);
        if step.strips == StripRole::Last { self.execute_collected() } else { Ok(()) }
    }

    /// Executes what waits, although the rest of its group does not come.
    pub fn execute_each_collected(&mut self) -> Result<(), Fail> {
        let (all, plan, guards) = (&mut self.issue.collected, self.plan, self.global.guards);
        let done = all.calls.iter().try_for_each(|call| all.execute(plan, call, guards));
        all.clear();
        self.note_place(done)
    }

    fn execute_collected(&mut self) -> Result<(), Fail> {
        let all = &mut self.issue.collected;
        let (plan, guards) = (self.plan, self.global.guards);
        let Some(last) = all.calls.last().map(|call| call.which) else { return Ok(()) };
        all.is_shared = guards.is_some();
        let division = self.issue.divisions[last].get_or_insert_default();
        let done = if division.divide(plan, all) {
            division.execute(plan, all, guards)
        } else {
            all.calls.iter().try_for_each(|call| all.execute(plan, call, guards))
        };
        all.clear();
        self.note_place(done)
    }

    fn note_place(&mut self, done: Result<(), FailAt>) -> Result<(), Fail> {
        done.map_err(|(at, fail)| {
            self.issue.pipes.failed_at = Some(at);
            fail
        })
    }
}
