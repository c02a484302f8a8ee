//! A program, as `pto.Program` holds it.

use crate::diagnostics::{self, Diagnostic};
use pto::{Program, Target};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A program that was read.
#[pyclass(frozen, name = "Program", module = "pto._core")]
pub(crate) struct CoreProgram {
    pub(crate) program: Program,
}

#[pymethods]
impl CoreProgram {
    /// Reads a text; `name` is the file that diagnostics name.
    #[new]
    fn new(py: Python<'_>, text: &str, name: &str) -> Self {
        Self { program: py.detach(|| Program::parse_named(name, text)) }
    }

    /// Every problem for a target: errors and warnings, in source order.
    fn check(&self, py: Python<'_>, target: &str) -> PyResult<Vec<Diagnostic>> {
        let target = target_named(target)?;
        Ok(py.detach(|| diagnostics::of_error(&self.program.error(self.program.inspect(target)))))
    }
}

/// The target of a name.
pub(crate) fn target_named(name: &str) -> PyResult<Target> {
    let known = || Target::ALL.iter().map(|t| t.name()).collect::<Vec<_>>().join(", ");
    Target::parse(name)
        .ok_or_else(|| PyValueError::new_err(format!("there is no target {name:?}; the targets are {}", known())))
}
