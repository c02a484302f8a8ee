//! Errors as the exceptions of `pto.errors`.

use crate::diagnostics::{self, Diagnostic};
use pto::Error;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Which exception.
#[derive(Clone, Copy)]
pub(crate) enum Exception {
    /// The program is not legal, or cannot be lowered or emitted.
    Check,
    /// What stopped a run.
    Run,
    /// An argument that does not fit.
    Argument,
}

impl Exception {
    fn name(self) -> &'static str {
        match self {
            Self::Check => "CheckError",
            Self::Run => "RunError",
            Self::Argument => "ArgumentError",
        }
    }
}

/// An attribute of `pto.errors`.
fn class<'py>(py: Python<'py>, which: Exception) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("pto.errors").map(Bound::unbind))?;
    module.bind(py).getattr(which.name())
}

/// An exception with the diagnostics of an error.
pub(crate) fn raise(py: Python<'_>, which: Exception, error: &Error) -> PyErr {
    made(py, which, &diagnostics::rendered(error), diagnostics::of_error(error))
}

/// An exception about the call, not the program: no diagnostics.
pub(crate) fn argument(py: Python<'_>, message: &str) -> PyErr {
    made(py, Exception::Argument, message, Vec::new())
}

fn made(py: Python<'_>, which: Exception, message: &str, list: Vec<Diagnostic>) -> PyErr {
    let exception = class(py, which).and_then(|class| class.call1((message, list)));
    exception.map_or_else(|failed| failed, PyErr::from_value)
}

/// The exception for what stopped a run: about an argument, or about the program.
pub(crate) fn of_run(py: Python<'_>, error: &Error) -> PyErr {
    let code = error.first().map(|d| d.code);
    let which = if code == Some(pto::isa::codes::RUN_ARGUMENT) { Exception::Argument } else { Exception::Run };
    raise(py, which, error)
}
