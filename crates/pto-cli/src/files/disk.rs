//! Files of the system.
//!
//! A regular file is replaced in one step: a reader sees the old content or the new, never a part, and a process that is
//! killed leaves nothing behind. Symbolic links are followed, mode and owner are kept, and a read-only file is an error.
//! What is no regular file (a device, a FIFO, standard output) is written to as it is.

use super::{Content, Failure, directory, failed};
use pto::isa::text;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;

/// What a path leads to.
enum Destination {
    Stdout,
    Stderr,
    /// A device, a FIFO or a descriptor of this process: opened and written to.
    Stream(PathBuf),
    /// A regular file behind all links; with what is there now, if anything is.
    Regular(PathBuf, Option<Metadata>),
}

impl Destination {
    fn find(path: &Path) -> io::Result<Self> {
        let mut path = path.to_path_buf();
        for _ in 0..MAX_LINKS {
            if let Some(stream) = Self::standard(&path) {
                return Ok(stream);
            }
            match path.symlink_metadata() {
                Ok(found) if found.is_symlink() && is_descriptor(&path) => return Ok(Self::Stream(path)),
                Ok(found) if found.is_symlink() => path = directory(&path).join(path.read_link()?),
                Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
                Ok(found) if found.is_file() => {
                    may_be_written(&path, &found)?;
                    return Ok(Self::Regular(path, Some(found)));
                }
                Ok(_) => return Ok(Self::Stream(path)),
                Err(e) if e.kind() == io::ErrorKind::NotFound => {
                    directory(&path).metadata()?;
                    return Ok(Self::Regular(path, None));
                }
                Err(e) => return Err(e),
            }
        }
        Err(io::Error::other(text!("too many levels of symbolic links")))
    }

    /// Standard output and error under any of their names. Opening these again would truncate a file they are redirected to.
    fn standard(path: &Path) -> Option<Self> {
        match path.to_str()? {
            "-" | "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => Some(Self::Stdout),
            "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => Some(Self::Stderr),
            _ => None,
        }
    }
}

/// True for entries such as `/dev/fd/63`: they look like links, but opening one opens what the descriptor refers to.
fn is_descriptor(path: &Path) -> bool {
    directory(path).canonicalize().is_ok_and(|dir| dir.starts_with("/proc"))
}

/// Replacing a file requires only permissions on its directory; those of the file must count too. Root may open anything, so the mode
/// is checked as well.
fn may_be_written(path: &Path, found: &Metadata) -> io::Result<()> {
    if found.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text!("it is read-only")));
    }
    OpenOptions::new().write(true).open(path).map(drop)
}

/// Content that is complete but not yet at its destination. Dropped, it is gone.
pub(crate) struct DiskFile {
    content: NewFile,
    to: Destination,
    path: PathBuf,
}

enum NewFile {
    /// Has no name in any directory, so nothing is left behind if the process is killed.
    Unnamed(File),
    /// Where the system has no files without names.
    Named(NamedTempFile),
}

impl NewFile {
    /// Beside a regular destination, so that giving it its name is one step.
    fn beside(to: &Destination) -> io::Result<Self> {
        match to {
            Destination::Regular(path, _) => {
                let dir = directory(path);
                match unnamed_in(dir) {
                    Ok(file) => Ok(Self::Unnamed(file)),
                    Err(_) => named_in(dir).map(Self::Named),
                }
            }
            _ => tempfile::tempfile().map(Self::Unnamed),
        }
    }

    fn file(&mut self) -> &mut File {
        match self {
            Self::Unnamed(file) => file,
            Self::Named(named) => named.as_file_mut(),
        }
    }

    fn copy_to(&mut self, to: &mut impl Write) -> io::Result<()> {
        self.file().rewind()?;
        io::copy(self.file(), to)?;
        to.flush()
    }

    fn replace(mut self, path: &Path, old: Option<&Metadata>) -> io::Result<()> {
        if let Some(old) = old {
            keep_owner_and_mode(self.file(), old)?;
        }
        let result = match self {
            Self::Named(named) => named.persist(path).map(drop).map_err(|e| e.error),
            Self::Unnamed(file) => link_over(file, path, old.is_none()),
        };
        result.map_err(|e| match e.kind() {
            io::ErrorKind::ResourceBusy => {
                io::Error::new(e.kind(), text!("it is a mount point, which cannot be replaced"))
            }
            _ => e,
        })
    }
}

/// Finds out whether the path can be written to, and writes the content somewhere else.
pub(super) fn stage(path: &Path, write: impl FnOnce(&mut dyn Content) -> io::Result<()>) -> Result<DiskFile, Failure> {
    let stage = || {
        let to = Destination::find(path)?;
        let mut content = NewFile::beside(&to)?;
        write(content.file())?;
        Ok(DiskFile { content, to, path: path.to_path_buf() })
    };
    stage().map_err(|e| failed(path, &e))
}

/// Puts the content at its destination.
pub(super) fn commit(mut file: DiskFile) -> Result<(), Failure> {
    let result = match &file.to {
        Destination::Stdout => until_closed(file.content.copy_to(&mut io::stdout())),
        Destination::Stderr => file.content.copy_to(&mut io::stderr()),
        Destination::Stream(path) => {
            OpenOptions::new().write(true).open(path).and_then(|mut to| file.content.copy_to(&mut to))
        }
        Destination::Regular(path, old) => file.content.replace(path, old.as_ref()),
    };
    result.map_err(|e| failed(&file.path, &e))
}

/// Says whether a path can be written to, without doing it.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    Destination::find(path).map(drop).map_err(|e| failed(path, &e))
}

/// True if the path means standard output.
pub(super) fn is_stdout(path: &Path) -> bool {
    matches!(Destination::find(path), Ok(Destination::Stdout))
}

/// Writes exactly these bytes: to a file, a device, a FIFO, or to standard output if the path is `-`.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let to = Destination::find(path).map_err(|e| failed(path, &e))?;
    if let Destination::Stdout = to {
        let mut stdout = io::stdout();
        return until_closed(stdout.write_all(bytes).and_then(|()| stdout.flush())).map_err(|e| failed(path, &e));
    }
    commit(stage(path, |file| file.write_all(bytes))?)
}

/// A reader of standard output that has seen enough ends the command quietly.
fn until_closed(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        other => other,
    }
}

fn named_in(dir: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    // Temporary files are private by default; results are as public as the umask allows.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.prefix(".pto-").tempfile_in(dir)
}

#[cfg(target_os = "linux")]
fn unnamed_in(dir: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let mode = Mode::from_raw_mode(0o666);
    Ok(rustix::fs::open(dir, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode)?.into())
}

#[cfg(not(target_os = "linux"))]
fn unnamed_in(_: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Gives a file without a name the name of the destination. A name cannot be taken over in one step, so an existing file is
/// replaced by way of a second name that exists for a moment.
#[cfg(target_os = "linux")]
fn link_over(mut file: File, path: &Path, is_new: bool) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
    let link = |to: &Path| Ok(linkat(CWD, &*descriptor, CWD, to, AtFlags::SYMLINK_FOLLOW)?);
    if is_new && link(path).is_ok() {
        return Ok(());
    }
    match tempfile::Builder::new().prefix(".pto-").make_in(directory(path), link) {
        Ok(named) => named.persist(path).map(drop).map_err(|e| e.error),
        // Without /proc there is no way to name it.
        Err(_) => {
            let mut named = named_in(directory(path))?;
            file.rewind()?;
            io::copy(&mut file, &mut named)?;
            named.as_file().set_permissions(file.metadata()?.permissions())?;
            named.persist(path).map(drop).map_err(|e| e.error)
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn link_over(_: File, _: &Path, _: bool) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // Only root may change the owner; otherwise the file keeps the current user, as with any other tool.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
    file.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
