//! Results in files.

use super::inside::{self, InsideReport, ValueAt};
use super::{Failure, memory_named};
use crate::files::{self, Staged, directory};
use crate::host;
use crate::npz;
use crate::program::BoundParam;
use crate::program::spec;
use pto::data::{Array, DataError, npy};
use pto::isa::ordered::OrdMap;
use pto::isa::text;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Files to write, by path, with the parameters that go into each.
pub(super) struct Outputs {
    files: OrdMap<PathBuf, Vec<usize>>,
    /// Values inside the run: which of those that were asked for, how it is called, and its file.
    inside: Vec<(usize, String, PathBuf)>,
}

impl Outputs {
    /// Parses `NAME=FILE` arguments. All errors are found here, before the program runs.
    pub(super) fn new(texts: &[String], bound: &[BoundParam], values: &mut Vec<ValueAt>) -> Result<Self, Failure> {
        let mut inside = Vec::new();
        let mut files: OrdMap<PathBuf, Vec<usize>> = OrdMap::new();
        for text in texts {
            if ValueAt::is_meant(text) {
                let (value, rest) = ValueAt::parse_first(text)?;
                let path = rest.strip_prefix('=').filter(|path| !path.is_empty());
                let path = Path::new(path.ok_or_else(|| Failure(text!("`--out {text}` is not NAME=FILE", text)))?);
                if legal(path)? == "npz" {
                    return Err(Failure(
                        text!("--out: a value inside the run goes into a .npy or .bin file").to_string(),
                    ));
                }
                inside.push((values.len(), value.text.clone(), path.to_path_buf()));
                values.push(value);
                continue;
            }
            let wrong = || Failure(text!("`--out {text}` is not NAME=FILE", text));
            let (name, path) = spec::named(text).filter(|(_, path)| !path.is_empty()).ok_or_else(wrong)?;
            let (param, path) = (memory_named(bound, name)?, Path::new(path));
            let is_archive = legal(path)? == "npz";
            let inside = files.entry(path.to_path_buf()).or_default();
            if inside.contains(&param) {
                return Err(Failure(text!("`--out {text}` is given twice", text)));
            }
            if !inside.is_empty() && !is_archive {
                let help = text!("write each to a separate file, or all to one .npz file");
                return Err(Failure(text!(
                    "--out: {display} can hold only one of them\n  help: {help}",
                    display = path.display(),
                    help
                )));
            }
            inside.push(param);
        }
        Ok(Self { files, inside })
    }

    /// Writes all files; none of them appears if one cannot be written.
    pub(super) fn write(&self, bound: &[BoundParam], report: &InsideReport) -> Result<(), Failure> {
        let stage = |(path, params): (&PathBuf, &Vec<usize>)| {
            let arrays = params.iter().map(|&i| Ok((&*bound[i].name, data(&bound[i])?)));
            let arrays: Vec<_> = arrays.collect::<Result<_, DataError>>().map_err(|e| Failure(e.to_string()))?;
            stage(path, &arrays)
        };
        let mut staged = self.files.iter().map(stage).collect::<Result<Vec<_>, _>>()?;
        for (asked, name, path) in &self.inside {
            staged.push(self::stage(path, &[(name, Cow::Owned(stacked(report, *asked, name)?))])?);
        }
        staged.into_iter().try_for_each(Staged::commit)
    }

    /// Values inside the run and their files.
    pub(super) fn values(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.inside.iter().map(|(_, name, path)| (&**name, &**path))
    }

    /// Parameters and their files.
    pub(super) fn list(&self) -> impl Iterator<Item = (usize, &Path)> {
        self.files.iter().flat_map(|(path, params)| params.iter().map(|&i| (i, &**path)))
    }
}

/// What a value held, as one array; if at several times, one after the other.
fn stacked(report: &InsideReport, asked: usize, name: &str) -> Result<Array, Failure> {
    let times = report.values.iter().filter(|v| v.asked == asked).map(|v| inside::array(&v.contents));
    let times = times.collect::<Result<Vec<_>, _>>()?;
    if report.more.get(asked).is_some_and(|more| *more > 0) {
        return Err(Failure(text!("`{name}` was there too often for one file; choose an iteration or a block", name)));
    }
    match &times[..] {
        [one] => Ok(one.clone()),
        [first, rest @ ..] if rest.iter().all(|a| a.shape() == first.shape()) => {
            let shape: Vec<u64> = std::iter::once(times.len() as u64).chain(first.shape().iter().copied()).collect();
            let bytes = times.iter().flat_map(|a| a.bytes()).copied().collect();
            Array::new(first.dtype(), &shape, bytes).map_err(|e| Failure(e.to_string()))
        }
        _ => Err(Failure(text!("`{name}` has several shapes; choose an iteration or a block", name))),
    }
}

fn data(bound: &BoundParam) -> Result<Cow<'_, Array>, DataError> {
    bound.data()?.ok_or_else(|| DataError::new(text!("`{name}` is not memory", name = bound.name)))
}

/// The extension of a file that can be written.
fn legal(path: &Path) -> Result<&'static str, Failure> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let Some(legal) = ["npy", "npz", "bin"].into_iter().find(|e| *e == extension) else {
        return Err(Failure(text!("cannot write {display}: legal: .npy, .npz, .bin", display = path.display())));
    };
    let dir = directory(path);
    if !host::is_directory(dir) {
        return Err(Failure(text!(
            "cannot write {display}: there is no directory {dir}",
            display = path.display(),
            dir = dir.display()
        )));
    }
    files::check(path)?;
    Ok(legal)
}

fn stage(path: &Path, arrays: &[(&str, Cow<'_, Array>)]) -> Result<Staged, Failure> {
    Staged::write(path, |mut file| match (legal(path), arrays) {
        (Ok("npz"), _) => {
            let arrays: Vec<(&str, &Array)> = arrays.iter().map(|(name, array)| (*name, &**array)).collect();
            npz::write(&arrays, file)
        }
        (Ok("npy"), [(_, array)]) => npy::write(array, &mut file),
        (_, arrays) => arrays.iter().try_for_each(|(_, array)| file.write_all(array.bytes())),
    })
}
