//! Memory for parameters: where the numbers come from, and whether they are enough.

use super::bind::{ArgContent, BoundParam};
use super::spec::{DataSource, LEGAL, NumberGenerator, Spec, Wish};
use crate::{Failure, host, npz, warn};
use pto::cpu::{Extent, Param, ParamKind};
use pto::data::{Array, DataError, npy, shape_text};
use pto::isa::text;
use pto::isa::{DType, Dim, TileType};
use std::path::Path;

/// What the program shows about a parameter's memory.
pub(crate) struct MemoryNeed<'a> {
    /// How large it must be.
    pub extent: Option<&'a Extent>,
    /// Whether it is read.
    pub read: bool,
    /// The extent is all that the program needs, not only what could be found out.
    pub is_complete: bool,
    /// The program was changed, so it may need less than it is given: more is not mentioned, and only the first rows and columns of an array are taken.
    pub quiet: bool,
}

/// Gives a parameter memory: what is written for it, or as many numbers as the program needs, random where it reads them and
/// zero where it only writes. The seed is its own; the report says the one that was asked for.
pub(crate) fn memory(
    param: &Param,
    spec: Option<&Spec>,
    need: &MemoryNeed,
    seed: u64,
    stated_seed: u64,
) -> Result<BoundParam, Failure> {
    let source = match spec {
        Some(spec) => DataSource::parse(&spec.text)?,
        None => {
            DataSource::Made(if need.read { NumberGenerator::Random } else { NumberGenerator::Zeros }, Wish::default())
        }
    };
    let needed = need.extent;
    let (name, dtype) = (&param.name, param.kind.elem().unwrap_or(DType::U8));
    if let (DataSource::Number(_), Some(Spec { text: value, .. })) = (&source, spec) {
        let help = text!(
            "for memory full of it write {name}=fill:{value}\n  {legal}",
            name,
            value,
            legal = text::translate(LEGAL)
        );
        return Err(Failure(text!("`{name}` is memory ({dtype}), not a number\n  help: {help}", name, dtype, help)));
    }
    let origin = match (&source, spec) {
        // A number is echoed as it was written.
        (DataSource::Made(NumberGenerator::Fill(_), _), Some(Spec { text, .. })) => {
            text!("{value} everywhere", value = text.split(':').nth(1).unwrap_or_default())
        }
        (DataSource::Made(maker, _), _) => maker.text(stated_seed),
        (_, spec) => spec.map(|s| s.text.clone()).unwrap_or_default(),
    };
    let inferred = matches!(&source, DataSource::Made(_, Wish { shape: None, .. }));
    let array = load(param, dtype, &source, needed, seed)
        .map_err(|e| Failure(e.about(format_args!("`{name}`")).to_string()))?;
    let array = match needed {
        Some(extent) if need.quiet && need.is_complete && !inferred => cropped(array, &extent.shape),
        _ => array,
    };
    let text = spec.map_or(&*origin, |s| &s.text);
    let content = fit(param, array, need, text)?;
    Ok(BoundParam { name: name.clone(), content, origin, inferred, per_column: param.per_column })
}

/// The first numbers along each dimension, if an array has as many dimensions and at least as many numbers along each.
fn cropped(array: Array, wanted: &[u64]) -> Array {
    let shape = array.shape();
    let larger = shape.len() == wanted.len() && shape.iter().zip(wanted).all(|(n, least)| n >= least);
    let bits = array.dtype().bits() as usize;
    if !larger || shape == wanted || wanted.is_empty() || wanted.contains(&0) || bits < 8 {
        return array;
    }
    let row = *wanted.last().unwrap_or(&1) as usize * (bits / 8);
    let rows: u64 = wanted[..wanted.len() - 1].iter().product();
    let mut bytes = Vec::with_capacity(rows as usize * row);
    for number in 0..rows {
        // Where the row starts, from the innermost of the outer dimensions outwards.
        let (mut rest, mut at, mut distance) = (number, 0, shape[shape.len() - 1]);
        for (extent, least) in shape.iter().zip(wanted).rev().skip(1) {
            at += rest % least * distance;
            rest /= least;
            distance *= extent;
        }
        let start = at as usize * (bits / 8);
        bytes.extend_from_slice(&array.bytes()[start..start + row]);
    }
    Array::new(array.dtype(), wanted, bytes).unwrap_or(array)
}

/// Bytes that the memory of a parameter will take.
pub(crate) fn bytes(param: &Param, spec: Option<&Spec>, needed: Option<&Extent>) -> u64 {
    let shape = match spec.map(|s| DataSource::parse(&s.text)) {
        None | Some(Ok(DataSource::Made(_, Wish { shape: None, .. }) | DataSource::Number(_))) => {
            usual_shape(&param.kind, needed)
        }
        Some(Ok(DataSource::Made(_, Wish { shape: Some(shape), .. }))) => shape,
        Some(Ok(DataSource::Npy(path) | DataSource::Npz(path, _) | DataSource::Raw(path))) => {
            return host::file_size(&path);
        }
        // It is reported where it is read.
        Some(Err(_)) => return 0,
    };
    let bits = u64::from(param.kind.elem().unwrap_or(DType::U8).bits());
    // A number of elements that no number holds is reported where the array is made.
    let count = shape.iter().try_fold(bits, |all, n| all.checked_mul(*n));
    count.map_or(0, |bits| bits.div_ceil(8))
}

fn load(
    param: &Param,
    dtype: DType,
    source: &DataSource,
    needed: Option<&Extent>,
    seed: u64,
) -> Result<Array, DataError> {
    match source {
        DataSource::Number(value) => NumberGenerator::Fill(*value).make(dtype, &usual_shape(&param.kind, needed), seed),
        DataSource::Made(maker, wish) => {
            let shape = wish.shape.clone().unwrap_or_else(|| usual_shape(&param.kind, needed));
            wish.allows(dtype)?;
            maker.make(dtype, &shape, seed)
        }
        DataSource::Npy(path) => npy_file(path)?.into_array(dtype).map_err(|e| e.about(path.display())),
        DataSource::Npz(path, key) => {
            let stored = npz::read_file(path, npz_key(path, key.as_deref(), &param.name))?;
            stored.into_array(dtype).map_err(|e| e.about(path.display()))
        }
        DataSource::Raw(path) => raw(path, dtype, &usual_shape(&param.kind, needed)),
    }
}

/// Reads a `.npy` file.
pub(crate) fn npy_file(path: &Path) -> Result<npy::Stored, DataError> {
    let failed = |e| DataError::new(text!("cannot read {display}: {e}", display = path.display(), e));
    match host::read_memory(path) {
        Some(bytes) => npy::read(&mut &*bytes.map_err(failed)?).map_err(|e| e.about(path.display())),
        None => npy::read_file(path),
    }
}

/// Without a key, the array with the name of the parameter is taken from an archive.
pub(crate) fn npz_key<'a>(path: &Path, key: Option<&'a str>, name: &'a str) -> Option<&'a str> {
    key.or_else(|| npz::keys(path).is_ok_and(|keys| keys.iter().any(|k| k == name)).then_some(name))
}

/// The default extents of a parameter's memory. Memory without a view is empty: if
/// it is accessed anyway, the engine reports it.
fn usual_shape(kind: &ParamKind, needed: Option<&Extent>) -> Vec<u64> {
    match (kind, needed) {
        (ParamKind::Tensor(_, dims), None) => dims.iter().map(|d| d.unwrap_or(0)).collect(),
        (_, Some(extent)) => extent.shape.clone(),
        _ => vec![0],
    }
}

/// A file of nothing but numbers takes the extents that the program needs, if it has as many.
pub(crate) fn raw(path: &Path, dtype: DType, wanted: &[u64]) -> Result<Array, DataError> {
    let bytes = host::read(path)
        .map_err(|e| DataError::new(text!("cannot read {display}: {e}", display = path.display(), e)))?;
    let unit = dtype.unit_bytes() as usize;
    if !bytes.len().is_multiple_of(unit) {
        let text = text!(
            "{display} has {bytes} bytes, not a multiple of {unit} ({dtype})",
            display = path.display(),
            bytes = bytes.len(),
            unit,
            dtype
        );
        return Err(DataError::new(text));
    }
    let count = (bytes.len() / unit) as u64 * u64::from(dtype.per_byte());
    let as_wanted = wanted.iter().product::<u64>() == count;
    Array::new(dtype, if as_wanted { wanted } else { std::slice::from_ref(&count) }, bytes)
}

/// Checks that the numbers are enough for the parameter.
fn fit(param: &Param, array: Array, need: &MemoryNeed, text: &str) -> Result<ArgContent, Failure> {
    let needed = need.extent;
    let (name, found) = (&param.name, shape_text(array.shape()));
    match &param.kind {
        ParamKind::Tile(tile) => tile_content(name, &in_numbers(tile, param.per_column), array, text),
        ParamKind::Tensor(_, columns) => {
            let mut dims = columns.clone();
            dims.iter_mut().last().into_iter().flatten().for_each(|n| *n = n.saturating_mul(param.per_column));
            let fits = |(n, dim): (&u64, &Option<u64>)| dim.is_none_or(|d| d == *n);
            if array.shape().len() != dims.len() || !array.shape().iter().zip(&dims).all(fits) {
                let wanted: Vec<String> = dims.iter().map(|d| d.map_or("?".to_string(), |n| n.to_string())).collect();
                return Err(Failure(text!(
                    "`{name}` is a tensor of {wanted}, and {text} is {found}",
                    name,
                    wanted = wanted.join("x"),
                    text,
                    found
                )));
            }
            if array.shape().contains(&0) && dims.contains(&None) {
                let shape: Vec<u64> = dims.iter().map(|d| d.unwrap_or(64)).collect();
                let help = text!("give a shape: {name}=rand:[{shape_text}]", name, shape_text = shape_text(&shape));
                return Err(Failure(text!("the size of `{name}` cannot be determined\n  help: {help}", name, help)));
            }
            Ok(ArgContent::Tensor(array))
        }
        _ => {
            let count: u64 = array.shape().iter().product();
            if let Some(extent) = needed.filter(|e| e.is_clear && !has_rows_of(array.shape(), &e.shape)) {
                let wanted = shape_text(&extent.shape);
                let help = text!(
                    "give an array of {wanted}, or a flat one with the memory layout that the program expects",
                    wanted
                );
                return Err(Failure(text!(
                    "the program sees `{name}` as {wanted}, and {text} is {found}\n  help: {help}",
                    name,
                    wanted,
                    text,
                    found,
                    help
                )));
            }
            let Some(extent) = needed.filter(|extent| extent.elements > count) else {
                if let Some(extent) =
                    needed.filter(|e| e.is_clear && e.elements < count && need.is_complete && !need.quiet)
                {
                    let used = shape_text(&extent.shape);
                    let mark = "\u{1b}[1;33mwarning\u{1b}[0m";
                    warn(&text!(
                        "{mark}: the program sees `{name}` as {used}, and {text} is {found}: the rest is unused",
                        mark,
                        name,
                        used,
                        text,
                        found
                    ));
                }
                return Ok(ArgContent::Memory(array));
            };
            let (wanted, dtype) = (shape_text(&extent.shape), array.dtype());
            let wanted = text!(
                "`{name}` needs {elements} numbers of {dtype} ({wanted})",
                name,
                elements = extent.elements,
                dtype,
                wanted
            );
            Err(Failure(text!("{wanted}, and {text} has {count} ({found})", wanted, text, count, found)))
        }
    }
}

/// True when an array is of this shape, or has more along the first dimension, or is flat: extents of 1 do not matter. Shapes
/// with the same number of elements are not enough, because a transposed array has that too.
pub(crate) fn has_rows_of(found: &[u64], wanted: &[u64]) -> bool {
    let essential = |shape: &[u64]| shape.iter().copied().filter(|n| *n != 1).collect::<Vec<_>>();
    let (found, wanted) = (essential(found), essential(wanted));
    found.len() <= 1 || wanted.len() <= 1 || found.len() == wanted.len() && found[1..] == wanted[1..]
}

/// The same tile with a column for every number.
fn in_numbers(tile: &TileType, per_column: u64) -> TileType {
    let valid_cols = tile.valid_cols.fixed().map_or(Dim::Dynamic, |n| Dim::Fixed(n.saturating_mul(per_column)));
    TileType { cols: tile.cols.saturating_mul(per_column), valid_cols, ..*tile }
}

/// A tile is given as a whole or as the part that holds data.
fn tile_content(name: &str, tile: &TileType, array: Array, text: &str) -> Result<ArgContent, Failure> {
    let stated = |dim: Dim, extent: u64| dim.fixed().unwrap_or(extent);
    let valid = (stated(tile.valid_rows, tile.rows), stated(tile.valid_cols, tile.cols));
    let fits = |n: u64, dim: Dim, extent: u64| dim.fixed().map_or(n <= extent, |d| d == n);
    match *array.shape() {
        [rows, cols] if (rows, cols) == (tile.rows, tile.cols) => Ok(ArgContent::Tile(array, valid)),
        [rows, cols] if fits(rows, tile.valid_rows, tile.rows) && fits(cols, tile.valid_cols, tile.cols) => {
            let mut whole = Array::zeros(tile.dtype, &[tile.rows, tile.cols]).map_err(|e| Failure(e.to_string()))?;
            whole.set_corner(&array);
            Ok(ArgContent::Tile(whole, (rows, cols)))
        }
        _ => {
            let found = shape_text(array.shape());
            let help = text!("give the whole tile, or the part that is valid");
            Err(Failure(text!(
                "`{name}` is a tile ({tile}), and {text} is {found}\n  help: {help}",
                name,
                tile,
                text,
                found,
                help
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rows_and_columns_are_taken() {
        let array = Array::iota(DType::I32, &[2, 3, 4]).expect("small");
        let bytes: Vec<u8> = [0i32, 1, 4, 5, 12, 13, 16, 17].iter().flat_map(|n| n.to_le_bytes()).collect();
        assert_eq!(cropped(array.clone(), &[2, 2, 2]).bytes(), bytes);
        assert_eq!(cropped(array.clone(), &[24]), array);
        assert_eq!(cropped(array.clone(), &[2, 3, 5]), array);
    }
}
