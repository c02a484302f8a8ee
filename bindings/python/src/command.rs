//! The command line in this process, and what tests ask for.

use crate::arrays::ArrayMemory;
use pyo3::prelude::*;
use std::ffi::OsString;

/// Executes the command `pto` with arguments; returns its exit code. Its output goes to the standard streams of the process.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, args: Vec<OsString>) -> u8 {
    let named = std::iter::once(OsString::from("pto")).chain(args);
    py.detach(|| pto_cli::execute(named))
}

/// True for the first bytes of the public bytecode container.
#[pyfunction]
pub(crate) fn is_bytecode(bytes: &[u8]) -> bool {
    pto::bytecode::is_bytecode(bytes)
}

/// The address of the memory that a program would be given for an array; `None` if it has none.
#[pyfunction]
pub(crate) fn address(object: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    Ok(ArrayMemory::of(object)?.map(|memory| memory.address()))
}
