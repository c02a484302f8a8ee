//! The module `pto._core`: what the Python package `pto` is built on. Names and behaviour that users see are in `python/pto`.

mod diagnostics;
mod program;
mod table;

use pyo3::prelude::*;

/// The native part of `pto`; not an interface for others.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::diagnostics::Diagnostic;
    #[pymodule_export]
    use super::program::CoreProgram;
    #[pymodule_export]
    use super::table::instruction_table;
}
