//! NumPy's `.npz` files: an archive with a `.npy` file for each array.

use super::{Array, DataError, npy};
use pto_isa::text;
use std::fs::File;
use std::io::{self, BufReader, Seek, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

type Archive = ZipArchive<BufReader<File>>;

/// Opens a file; the keys are in the order of its arrays.
fn open(path: &Path) -> Result<(Archive, Vec<String>), DataError> {
    let file = File::open(path)
        .map_err(|e| DataError::new(text!("cannot read {display}: {e}", display = path.display(), e)))?;
    let archive = ZipArchive::new(BufReader::new(file)).map_err(|e| unreadable(&e).about(path.display()))?;
    let keys = archive.file_names().map(|n| n.map(|n| key_of(&n)).unwrap_or_default()).collect();
    Ok((archive, keys))
}

/// The keys of the arrays in a file.
///
/// # Errors
/// When the file cannot be read.
pub fn keys(path: &Path) -> Result<Vec<String>, DataError> {
    open(path).map(|(_, keys)| keys)
}

/// Reads one array of a file: the one with this key or, without a key, the only one.
///
/// # Errors
/// When the file cannot be read, there is no such key, or the array is not one of plain numbers.
pub fn read_file(path: &Path, key: Option<&str>) -> Result<npy::Stored, DataError> {
    let (mut archive, keys) = open(path)?;
    let key = choose(key, &keys).map_err(|e| e.about(path.display()))?;
    let about = |e: DataError| e.about(format_args!("{}:{key}", path.display()));
    let position = keys.iter().position(|k| k == key).unwrap_or(0);
    let mut entry = archive.by_index(position).map_err(|e| about(unreadable(&e)))?;
    let stored = npy::read(&mut entry).map_err(about)?;
    // The checksum is verified at the end.
    match io::copy(&mut entry, &mut io::sink()) {
        Ok(_) => Ok(stored),
        Err(e) => Err(about(DataError::new(text!("the array is damaged: {e}", e)))),
    }
}

fn key_of(name: &str) -> String {
    name.strip_suffix(".npy").unwrap_or(name).to_string()
}

fn choose<'a>(key: Option<&'a str>, keys: &'a [String]) -> Result<&'a str, DataError> {
    match (key, keys) {
        (Some(key), _) if keys.iter().any(|k| k == key) => Ok(key),
        (None, [only]) => Ok(only),
        (None, []) => Err(DataError::new(text!("the archive is empty"))),
        (Some(key), _) => Err(DataError::new(text!("there is no array `{key}`", key)).help(listed(keys))),
        (None, _) => Err(DataError::new(text!("there are several arrays; say which one")).help(text!(
            "{listed}; write FILE.npz:{keys}",
            listed = listed(keys),
            keys = keys[0]
        ))),
    }
}

fn listed(keys: &[String]) -> String {
    let more = if keys.len() > 12 { ", …" } else { "" };
    text!("it has {keys}{more}", keys = keys.iter().take(12).map(String::as_str).collect::<Vec<_>>().join(", "), more)
}

fn unreadable(error: &zip::result::ZipError) -> DataError {
    DataError::new(text!("this is not a readable .npz file: {error}", error))
        .help(text!("save it with np.savez(file, name=a)"))
}

/// Writes arrays under their keys.
///
/// # Errors
/// Those of the destination.
pub fn write<W: Write + Seek>(arrays: &[(&str, &Array)], to: W) -> io::Result<()> {
    let mut archive = ZipWriter::new(to);
    for (key, array) in arrays {
        // As NumPy writes them; the date is always the same, so that equal arrays give equal files.
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
        archive.start_file(format!("{key}.npy"), options)?;
        npy::write(array, &mut archive)?;
    }
    archive.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::DType;

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(bytes).expect("room");
        file
    }

    #[test]
    fn arrays_come_back_under_their_keys() {
        let x = Array::iota(DType::F32, &[2, 3]).expect("small");
        let y = Array::iota(DType::Bf16, &[4]).expect("small");
        let mut bytes = io::Cursor::new(Vec::new());
        write(&[("x", &x), ("y", &y)], &mut bytes).expect("written");
        let file = file(bytes.get_ref());
        let read = |key, dtype| read_file(file.path(), key).and_then(|s| s.into_array(dtype));
        assert_eq!(read(Some("x"), DType::F32), Ok(x));
        assert_eq!(read(Some("y"), DType::Bf16), Ok(y));
        assert!(read(None, DType::F32).is_err_and(|e| e.help.is_some_and(|h| h.contains("it has x, y"))));
        assert!(read(Some("z"), DType::F32).is_err_and(|e| e.message.contains("no array `z`")));
    }

    /// Written by `np.savez_compressed(file, a=np.arange(6, dtype=np.int16))`.
    #[test]
    fn compressed_archives_are_read() {
        let file = file(include_bytes!("testdata/compressed.npz"));
        let a = read_file(file.path(), None).and_then(|s| s.into_array(DType::I16));
        assert_eq!(a, Array::iota(DType::I16, &[6]));
    }

    /// Any bytes give a result or an error.
    #[test]
    fn random_changes_never_panic() {
        let good = include_bytes!("testdata/compressed.npz");
        let mut rng = pto_testkit::random::Random(5);
        for _ in 0..1000 {
            let mut bytes = good.to_vec();
            for _ in 0..1 + rng.below(3) {
                let at = rng.below(bytes.len());
                bytes[at] = rng.below(256) as u8;
            }
            bytes.truncate(bytes.len() - rng.below(30));
            // Mostly an error; a change in the numbers themselves is found by the archive's own checksum.
            let read = read_file(file(&bytes).path(), None).and_then(|s| s.into_array(DType::I16));
            assert!(read.is_err() || read == Array::iota(DType::I16, &[6]));
        }
    }

    #[test]
    fn other_files_are_named() {
        assert!(read_file(file(b"nothing").path(), None).is_err_and(|e| e.message.contains("not a readable .npz")));
        assert!(read_file(Path::new("nowhere.npz"), None).is_err_and(|e| e.message.contains("nowhere.npz")));
    }
}
