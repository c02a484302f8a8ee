//! `.npz` files, where there is a disk: the reader of archives brings more than a page in a browser should load.

#[cfg(target_family = "wasm")]
pub(crate) use absent::{keys, read_file, write};
#[cfg(not(target_family = "wasm"))]
pub(crate) use pto::data::npz::{keys, read_file, write};

#[cfg(target_family = "wasm")]
mod absent {
    use pto::data::{Array, DataError, npy};
    use pto::isa::text;
    use std::io;
    use std::path::Path;

    fn unsupported(path: &Path) -> DataError {
        let e = io::Error::from(io::ErrorKind::Unsupported);
        DataError::new(text!("cannot read {display}: {e}", display = path.display(), e))
    }

    pub(crate) fn keys(path: &Path) -> Result<Vec<String>, DataError> {
        Err(unsupported(path))
    }

    pub(crate) fn read_file(path: &Path, _: Option<&str>) -> Result<npy::Stored, DataError> {
        Err(unsupported(path))
    }

    pub(crate) fn write<W: io::Write>(_: &[(&str, &Array)], _: W) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
