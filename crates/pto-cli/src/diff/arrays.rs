//! Arrays to compare with.

use crate::{Failure, npz};
use pto::data::Numbers;
use pto::isa::text;
use pto::trace::{ArrayName, NamedArray};
use std::path::Path;

/// The arrays of a file.
pub(super) fn read(path: &Path) -> Result<Vec<NamedArray>, Failure> {
    let failed = |e: pto::data::DataError| Failure(e.to_string());
    let keys = npz::keys(path).map_err(failed)?;
    if keys.is_empty() {
        return Err(Failure(text!("there are no arrays in {path}", path = path.display())));
    }
    let mut arrays = Vec::new();
    for key in keys {
        let stored = npz::read_file(path, Some(&key)).map_err(failed)?;
        let name = ArrayName::parse(&key).map_err(|e| Failure(format!("{}: {e}", path.display())))?;
        if !stored.is_numeric() {
            let file = path.display();
            return Err(Failure(text!(
                "{file}: `{key}` does not say what its numbers are; save it as float32",
                file,
                key
            )));
        }
        let numbers = (0..stored.count()).map(|i| stored.number(i).to_f64()).collect();
        arrays.push(NamedArray { name, shape: stored.shape().to_vec(), numbers });
    }
    Ok(arrays)
}
