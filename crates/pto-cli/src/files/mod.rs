//! The one way to write a file, for every command: on [`disk`], or in the memory of a caller that has no disk.

#[cfg_attr(target_family = "wasm", path = "no_disk.rs")]
mod disk;

use super::{Failure, host};
use disk::DiskFile;
use pto::isa::text;
use std::io::{self, Cursor, Seek, Write};
use std::path::{Path, PathBuf};

/// What content is written to.
pub(crate) trait Content: Write + Seek {}

impl<T: Write + Seek> Content for T {}

/// Content that is complete but not yet at its destination. Dropped, it is gone.
pub(crate) enum Staged {
    Disk(Box<DiskFile>),
    Memory(PathBuf, Vec<u8>),
}

impl Staged {
    /// Finds out whether the path can be written to, and writes the content somewhere else.
    pub(crate) fn write(path: &Path, write: impl FnOnce(&mut dyn Content) -> io::Result<()>) -> Result<Self, Failure> {
        if !host::is_memory() {
            return disk::stage(path, write).map(|file| Self::Disk(Box::new(file)));
        }
        let mut content = Cursor::new(Vec::new());
        write(&mut content).map_err(|e| failed(path, &e))?;
        Ok(Self::Memory(path.to_path_buf(), content.into_inner()))
    }

    /// Puts the content at its destination.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        match self {
            Self::Disk(file) => disk::commit(*file),
            Self::Memory(path, bytes) => write(&path, &bytes),
        }
    }
}

/// Says whether a path can be written to, without doing it.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    if host::is_memory() { Ok(()) } else { disk::check(path) }
}

/// True if the path means standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    if host::is_memory() { path == Path::new("-") } else { disk::is_stdout(path) }
}

/// Writes exactly these bytes: to a file, a device, a FIFO, or to standard output if the path is `-`.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if !host::is_memory() {
        return disk::write(path, bytes);
    }
    if is_stdout(path) {
        return host::stdout().write_all(bytes).map_err(|e| failed(path, &e));
    }
    host::write_memory(path, bytes.to_vec());
    Ok(())
}

/// Writes a file, and creates the directories it is in.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn write_below(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = directory(path);
    if !host::is_memory() {
        std::fs::create_dir_all(folder).map_err(|e| failed(folder, &e))?;
    }
    write(path, bytes)
}

/// Writes a report and says so on standard error: `wrote report.html (123 KB)`.
pub(crate) fn write_report(path: &Path, text: &str) -> Result<(), Failure> {
    write(path, text.as_bytes())?;
    if !is_stdout(path) {
        super::warn(&text!("wrote {display} ({size})", display = path.display(), size = size(text.len())));
    }
    Ok(())
}

/// `870 bytes`, `123 KB`, `4.2 MB`
pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => text!("{bytes} bytes", bytes),
        1_000..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// The directory a file is in.
pub(crate) fn directory(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub(crate) fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure(text!("cannot write {display}: {cause}", display = path.display(), cause = cause(error)))
}

/// The error of the system alone: wrappers name temporary paths, which tell a user nothing.
fn cause(error: &io::Error) -> String {
    let mut inner: Option<&dyn std::error::Error> = error.get_ref().map(|e| e as _);
    while let Some(e) = inner {
        if let Some(system) = e.downcast_ref::<io::Error>() {
            return cause(system);
        }
        inner = e.source();
    }
    error.to_string()
}
