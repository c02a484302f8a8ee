//! Where there is no disk, every path is an error. Commands in memory do not come here.

use super::{Content, Failure, failed};
use std::io;
use std::path::Path;

/// There is no file.
pub(super) use std::convert::Infallible as DiskFile;

pub(super) fn stage(path: &Path, _: impl FnOnce(&mut dyn Content) -> io::Result<()>) -> Result<DiskFile, Failure> {
    Err(unsupported(path))
}

pub(super) fn commit(file: DiskFile) -> Result<(), Failure> {
    match file {}
}

pub(super) fn check(path: &Path) -> Result<(), Failure> {
    Err(unsupported(path))
}

pub(super) fn is_stdout(_: &Path) -> bool {
    false
}

pub(super) fn write(path: &Path, _: &[u8]) -> Result<(), Failure> {
    Err(unsupported(path))
}

fn unsupported(path: &Path) -> Failure {
    failed(path, &io::ErrorKind::Unsupported.into())
}
