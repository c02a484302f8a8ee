//! Files that appear whole or not at all.

use super::Failure;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that is written but does not have its name yet. Dropped, it is gone.
pub(crate) struct Staged {
    file: NamedTempFile,
    path: PathBuf,
}

impl Staged {
    /// Writes beside the final place, so that giving it its name is one step.
    pub(crate) fn write(
        path: &Path,
        write: impl FnOnce(&mut NamedTempFile) -> io::Result<()>,
    ) -> Result<Self, Failure> {
        let stage = || {
            let mut file = NamedTempFile::new_in(directory(path))?;
            write(&mut file)?;
            make_readable(file.as_file())?;
            Ok(file)
        };
        let file = stage().map_err(|e| failed(path, &e))?;
        Ok(Self { file, path: path.to_path_buf() })
    }

    /// Gives the file its name. A reader sees the old file or the new one, never a part.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        self.file.persist(&self.path).map(|_| ()).map_err(|e| failed(&self.path, &e.error))
    }
}

/// Writes a file, whole or not at all.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Staged::write(path, |file| file.write_all(bytes))?.commit()
}

/// Writes a file, or to standard output where it is called `-`: exactly these bytes, whatever they are.
pub(crate) fn write_or_show(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if path != Path::new("-") {
        return write(path, bytes);
    }
    match io::stdout().write_all(bytes) {
        // Whoever read has seen enough.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        other => Ok(other?),
    }
}

/// The directory a file is in.
pub(crate) fn directory(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub(crate) fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure(format!("cannot write {}: {error}", path.display()))
}

/// Temporary files are private; results are for everyone.
#[cfg(unix)]
fn make_readable(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &std::fs::File) -> io::Result<()> {
    Ok(())
}
