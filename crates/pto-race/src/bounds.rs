//! Limits of a check, and its progress counter.

use crate::detector::Detector;
use pto_cpu::{Answer, CoreId, Event, Formula, Observer, SignalWord, StopWhen};
use pto_ir::OpId;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bounds of a check.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Bounds<'a> {
    /// Stop after this many instructions and loop iterations, over all paths.
    pub limit: Option<u64>,
    /// Incremented for each of them.
    pub progress: Option<&'a AtomicU64>,
    /// Stop when asked to.
    pub stop: Option<StopWhen<'a>>,
    /// Numbers that decide nothing are not computed.
    pub without_results: bool,
}

/// Counts executed instructions over all paths and stops at the limit.
#[derive(Debug)]
pub(crate) struct Meter<'a> {
    bounds: Bounds<'a>,
    pub work: u64,
    is_stopped: bool,
}

impl<'a> Meter<'a> {
    pub fn new(bounds: Bounds<'a>) -> Self {
        Self { bounds, work: 0, is_stopped: false }
    }

    /// A meter for a repeated run: it has the remaining budget and does not report progress.
    pub fn aside(&self) -> Self {
        let limit = self.bounds.limit.map(|limit| limit.saturating_sub(self.work));
        Self::new(Bounds { limit, progress: None, ..self.bounds })
    }

    pub fn needs_results(&self) -> bool {
        !self.bounds.without_results
    }

    pub fn is_spent(&self) -> bool {
        self.is_stopped || self.bounds.limit.is_some_and(|limit| self.work >= limit)
    }

    fn add(&mut self, work: u64) {
        self.work += work;
        self.is_stopped = self.is_stopped || self.bounds.stop.is_some_and(StopWhen::is_asked_to);
        if let Some(counter) = self.bounds.progress {
            counter.fetch_add(work, Ordering::Relaxed);
        }
    }
}

/// A detector with a limit.
pub(crate) struct Metered<'d, 'a, 'm> {
    pub detector: &'d mut Detector<'a>,
    pub meter: &'d mut Meter<'m>,
}

impl Observer for Metered<'_, '_, '_> {
    fn event(&mut self, event: &Event<'_>) {
        self.detector.event(event);
    }

    fn worked(&mut self, work: u64) -> bool {
        self.meter.add(work);
        !self.meter.is_spent()
    }

    fn answer(&mut self, event: &Event<'_>, holds: bool) -> Answer {
        self.detector.answer(event, holds)
    }

    fn branch(&mut self, core: CoreId, op: OpId, taken: bool) -> bool {
        self.detector.branch(core, op, taken)
    }

    fn number(&mut self, op: OpId, value: u64) -> u64 {
        self.detector.number(op, value)
    }

    fn follows(&mut self, core: CoreId, op: OpId, value: u64) -> Option<u32> {
        self.detector.follows(core, op, value)
    }

    fn compared(&mut self, core: CoreId, op: OpId, holds: bool, formula: &Arc<Formula>) -> bool {
        self.detector.compared(core, op, holds, formula)
    }

    fn decided(&mut self, core: CoreId, op: OpId, taken: bool, formula: &Arc<Formula>) {
        self.detector.decided(core, op, taken, formula);
    }

    fn switched(&mut self, core: CoreId, op: OpId, way: u32, leads: &Arc<Formula>) -> bool {
        self.detector.switched(core, op, way, leads)
    }

    fn stuck(&mut self, core: CoreId, op: OpId, word: Option<SignalWord>) {
        self.detector.stuck(core, op, word);
    }
}
