//! The Python lines that calls come from.

use pto::record::{CallSite, Recorder};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::collections::HashMap;

/// What is known about code objects.
#[derive(Default)]
pub(super) struct CodeFiles {
    /// By address: the code, so that the address stays its own, and its file; none for code of the package itself.
    known: HashMap<usize, (Py<PyAny>, Option<u32>)>,
}

/// `sys._getframe`, `linecache.getlines`, and the folder of the package.
struct Python3 {
    getframe: Py<PyAny>,
    getlines: Py<PyAny>,
    package: String,
}

fn python3(py: Python<'_>) -> PyResult<&'static Python3> {
    static FOUND: PyOnceLock<Python3> = PyOnceLock::new();
    FOUND.get_or_try_init(py, || {
        let getframe = py.import("sys")?.getattr("_getframe")?.unbind();
        let getlines = py.import("linecache")?.getattr("getlines")?.unbind();
        let file: String = py.import("pto")?.getattr("__file__")?.extract()?;
        let package = file.rsplit_once(['/', '\\']).map_or(file.as_str(), |(folder, _)| folder).to_string();
        Ok(Python3 { getframe, getlines, package })
    })
}

/// The number of the file of the kernel: the first that the recorder is told.
const MAIN: u32 = 0;

fn line_of(frame: &Bound<'_, PyAny>) -> PyResult<u32> {
    Ok(frame.getattr(intern!(frame.py(), "f_lineno"))?.extract().unwrap_or(0))
}

impl CodeFiles {
    /// The innermost line that is not part of the package.
    pub fn site(&mut self, py: Python<'_>, recorder: &mut Recorder) -> PyResult<CallSite> {
        let python = python3(py)?;
        // Frame 0 is the function of the package that was called.
        let mut frame = match python.getframe.bind(py).call1((1,)) {
            Ok(frame) => frame,
            Err(_) => python.getframe.bind(py).call1((0,))?,
        };
        loop {
            let code = frame.getattr(intern!(py, "f_code"))?;
            if let Some(file) = self.file(&frame, &code, recorder, python)? {
                let line = line_of(&frame)?;
                let caller = if file == MAIN { 0 } else { self.caller(&frame, recorder, python)? };
                return Ok(CallSite { file, line, column: 1, caller });
            }
            let back = frame.getattr(intern!(py, "f_back"))?;
            if back.is_none() {
                let file = recorder.file("<python>", None);
                return Ok(CallSite { file, line: 1, column: 1, caller: 0 });
            }
            frame = back;
        }
    }

    /// The innermost line of the kernel's own file that led to a frame of another one.
    fn caller(&mut self, frame: &Bound<'_, PyAny>, recorder: &mut Recorder, python: &Python3) -> PyResult<u32> {
        let mut frame = frame.clone();
        loop {
            frame = frame.getattr(intern!(frame.py(), "f_back"))?;
            if frame.is_none() {
                return Ok(0);
            }
            let code = frame.getattr(intern!(frame.py(), "f_code"))?;
            if self.file(&frame, &code, recorder, python)? == Some(MAIN) {
                return line_of(&frame);
            }
        }
    }

    /// The file of a code object; none for code of the package.
    fn file(
        &mut self,
        frame: &Bound<'_, PyAny>,
        code: &Bound<'_, PyAny>,
        recorder: &mut Recorder,
        python: &Python3,
    ) -> PyResult<Option<u32>> {
        let address = code.as_ptr() as usize;
        if let Some((_, file)) = self.known.get(&address) {
            return Ok(*file);
        }
        let py = code.py();
        let name: String = code.getattr(intern!(py, "co_filename"))?.extract()?;
        let inside = name.strip_prefix(&python.package).is_some_and(|rest| rest.starts_with(['/', '\\']));
        let file = if inside {
            None
        } else {
            // What notebooks and interactive sessions know is here too, and only here.
            let globals = frame.getattr(intern!(py, "f_globals"))?;
            let lines: Vec<String> = python.getlines.bind(py).call1((&name, globals))?.extract().unwrap_or_default();
            let text = (!lines.is_empty()).then(|| lines.concat().into());
            Some(recorder.file(&name, text))
        };
        self.known.insert(address, (code.clone().unbind(), file));
        Ok(file)
    }
}
