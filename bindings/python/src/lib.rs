//! The module `pto._core`: what the Python package `pto` is built on. Names and behaviour that users see are in `python/pto`.

mod arrays;
mod bind;
mod command;
mod copies;
mod diagnostics;
mod errors;
mod interrupt;
mod made;
mod options;
mod perf;
mod plan;
mod printed;
mod program;
mod race;
mod recorder;
mod run;
mod stored;
mod table;
mod tiles;

use pyo3::prelude::*;

/// The native part of `pto`; not an interface for others.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::command::{address, command, is_bytecode};
    #[pymodule_export]
    use super::diagnostics::Diagnostic;
    #[pymodule_export]
    use super::options::targets;
    #[pymodule_export]
    use super::perf::PerfResult;
    #[pymodule_export]
    use super::plan::PlanResult;
    #[pymodule_export]
    use super::printed::PrintedText;
    #[pymodule_export]
    use super::program::CoreProgram;
    #[pymodule_export]
    use super::race::RaceResult;
    #[pymodule_export]
    use super::recorder::{
        Branch, binary, call_function, cast, close_function, close_loop, close_otherwise, close_section, close_then,
        compare, open_function, open_loop, open_otherwise, open_section, open_then, open_while, open_while_body,
        row_major, select, unary, window,
    };
    #[pymodule_export]
    use super::recorder::{
        CoreDType, CoreTileType, Handle, Instruction, Issued, Recorder, current, issue, set_handle_classes,
    };
    #[pymodule_export]
    use super::run::RunResult;
    #[pymodule_export]
    use super::table::instruction_table;
    #[pymodule_export]
    use super::tiles::CoreTileContents;
}
