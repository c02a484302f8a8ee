//! What a run printed: `RunResult.printed`.

use pto::cpu::Printed;
use pyo3::prelude::*;

/// What an instruction printed: a tile, a window of memory, or a number. `str()` is all of it, as it went to `sys.stdout`.
#[pyclass(frozen, name = "Printed", module = "pto._core")]
pub(crate) struct PrintedText(pub(crate) Printed);

#[pymethods]
impl PrintedText {
    /// The file that the instruction stands in, if there is one.
    #[getter]
    fn file(&self) -> Option<&str> {
        self.0.location.as_ref().map(|place| &*place.file)
    }

    /// The line of that file.
    #[getter]
    fn line(&self) -> Option<u32> {
        self.0.location.as_ref().map(|place| place.line)
    }

    /// The iterations of the loops around it, from the outside in, each from 0.
    #[getter]
    fn iteration(&self) -> Vec<u64> {
        self.0.iterations.clone()
    }

    /// The rank.
    #[getter]
    fn rank(&self) -> u32 {
        self.0.core.rank
    }

    /// The block.
    #[getter]
    fn block(&self) -> u32 {
        self.0.core.block
    }

    /// The core of the block: `None` if it has one, else `cube`, `vector 0`, `vector 1`.
    #[getter]
    fn core(&self) -> Option<String> {
        self.0.core.name()
    }

    /// Of memory, its name, type and extents; empty for numbers.
    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    /// Of memory, a line for each row; of a number, what its format makes of it.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let line = self.0.to_string();
        format!("<Printed {:?}>", line.lines().next().unwrap_or_default())
    }
}
