//! Source files from paths, directories and standard input.

use super::{Failure, host};
use pto::bytecode;
use pto::isa::sort::SharedSort;
use pto::isa::text;
use pto::isa::{Diagnostic, Location, Span, codes};
use pto::syntax::StatedLocations;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A source text under the name it is reported with.
pub(crate) struct InputText {
    pub(crate) name: String,
    /// `None` for standard input.
    pub(crate) path: Option<PathBuf>,
    pub(crate) text: String,
    /// The file is bytecode; the text is what it says.
    pub(crate) is_bytecode: bool,
    /// Set when the bytes are no text at all; nothing else is said about the file then.
    pub(crate) unreadable: Option<Diagnostic>,
    /// What `loc(…)` says; read when the first diagnostic is shown.
    origins: OnceLock<StatedLocations>,
}

impl InputText {
    /// A text that no file holds.
    pub(crate) fn of_text(name: String, text: String) -> Self {
        Self { name, path: None, text, is_bytecode: false, unreadable: None, origins: OnceLock::new() }
    }

    /// Where the statement at a span was made, if the text says so.
    pub(crate) fn origin(&self, span: Span) -> Option<Location> {
        self.origins.get_or_init(|| StatedLocations::new(&self.text)).find(&self.text, span)
    }
}

/// A line of a file that a program names, from 1, if it can be read. Only plain files of a sensible size are.
pub(crate) fn line_of_file(file: &str, line: u32) -> Option<String> {
    const LARGEST: u64 = 16 << 20;
    let about = std::fs::metadata(file).ok().filter(|m| m.is_file() && m.len() <= LARGEST);
    let text = about.and_then(|_| std::fs::read_to_string(file).ok())?;
    text.lines().nth(line.checked_sub(1)? as usize).map(str::to_string)
}

/// The files that arguments name: files as they are, directories with every `.pto` and `.ptobc` file below them, `-` for
/// standard input. Sorted within a directory.
pub(crate) fn expand(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in arguments {
        if path.is_dir() {
            let before = files.len();
            walk(path, &mut files, 0)?;
            if files.len() == before {
                return Err(Failure(text!("no .pto or .ptobc file below {display}", display = path.display())));
            }
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn walk(dir: &Path, files: &mut Vec<PathBuf>, depth: u32) -> Result<(), Failure> {
    let failed = |e: std::io::Error| Failure(text!("cannot read {dir}: {e}", dir = dir.display(), e));
    let mut entries = std::fs::read_dir(dir).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    entries.shared_sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let kind = entry.file_type().map_err(failed)?;
        // Links are not followed: they could lead in circles.
        if kind.is_dir() && depth < 64 {
            walk(&path, files, depth + 1)?;
        } else if kind.is_file() && path.extension().is_some_and(|e| e == "pto" || e == "ptobc") {
            files.push(path);
        }
    }
    Ok(())
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<InputText, Failure> {
    let stdin = path == Path::new("-");
    let name = if stdin { "<stdin>".to_string() } else { path.display().to_string() };
    let bytes = host::read(path).map_err(|e| Failure(text!("cannot read {name}: {e}", name, e)))?;
    Ok(decode(name, (!stdin).then(|| path.to_path_buf()), bytes))
}

fn decode(name: String, path: Option<PathBuf>, bytes: Vec<u8>) -> InputText {
    if bytecode::is_bytecode(&bytes) {
        let (text, unreadable) = match pto::text_of_bytecode(&bytes) {
            Ok(text) => (text, None),
            Err(error) => (String::new(), error.into_diagnostics().pop()),
        };
        return InputText { name, path, text, is_bytecode: true, unreadable, origins: OnceLock::new() };
    }
    match String::from_utf8(bytes) {
        Ok(text) => InputText { path, ..InputText::of_text(name, text) },
        Err(e) => {
            let at = e.utf8_error().valid_up_to() as u32;
            let text = String::from_utf8_lossy(e.as_bytes()).into_owned();
            let message = text!("byte {at} is not UTF-8", at);
            let d = Diagnostic::new(codes::BAD_CHARACTER, Span::new(at, at), message);
            InputText {
                name,
                path,
                text,
                is_bytecode: false,
                unreadable: Some(d.help(text!("save the file as UTF-8"))),
                origins: OnceLock::new(),
            }
        }
    }
}
