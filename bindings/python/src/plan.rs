//! `Program.plan`: the addresses and lifetimes of tiles.

use pto::{Error, Program, Target};
use pto_cli::reports::MemoryPlan;
use pyo3::prelude::*;

/// The addresses and lifetimes of tiles.
#[pyclass(frozen, module = "pto._core")]
pub(crate) struct PlanResult {
    plan: MemoryPlan,
}

impl PlanResult {
    pub(crate) fn new(
        (name, text): &(String, String),
        program: &Program,
        target: Target,
        tight: bool,
    ) -> Result<Self, Error> {
        MemoryPlan::new(name, text, program, target, tight).map(|plan| Self { plan })
    }
}

#[pymethods]
impl PlanResult {
    fn text(&self) -> String {
        self.plan.text()
    }

    fn json(&self) -> String {
        self.plan.json()
    }

    fn page(&self) -> String {
        self.plan.page()
    }
}
