//! What is written for a parameter: `NAME=VALUE`, and the values.

use crate::Failure;
use pto::data::{AnyNumber, Array, DataError};
use pto::isa::DType;
use pto::isa::text;
use std::path::PathBuf;

/// What values of memory look like, for messages.
pub(crate) const LEGAL: &str = pto::isa::text_key!(
    "legal: FILE.npy, FILE.npz:KEY, FILE.bin, rand, zeros, ones, iota, fill:1.5, or with a shape: rand:[64x128]"
);

/// An argument as written: for the named parameter, or for the next one.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    pub(crate) name: Option<String>,
    /// As written, for messages.
    pub(crate) text: String,
}

impl Spec {
    /// `NAME=VALUE` or `VALUE`.
    pub(crate) fn parse(text: &str) -> Self {
        match named(text) {
            Some((name, value)) => Self { name: Some(name.to_string()), text: value.to_string() },
            None => Self { name: None, text: text.to_string() },
        }
    }
}

/// `NAME=REST`, with or without `%` in front.
pub(crate) fn named(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('=')?;
    Some((name.strip_prefix('%').unwrap_or(name), rest))
}

/// Where the numbers of a parameter come from.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum DataSource {
    Number(AnyNumber),
    Npy(PathBuf),
    Npz(PathBuf, Option<String>),
    Raw(PathBuf),
    Made(NumberGenerator, Wish),
}

/// How numbers are generated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum NumberGenerator {
    Random,
    Zeros,
    Ones,
    Iota,
    Fill(AnyNumber),
}

/// Type and extents that were asked for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Wish {
    pub(crate) dtype: Option<DType>,
    pub(crate) shape: Option<Vec<u64>>,
}

impl DataSource {
    /// Reads a value.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        if let Some(value) = AnyNumber::parse(text) {
            return Ok(Self::Number(value));
        }
        if text.ends_with(".npy") {
            return Ok(Self::Npy(text.into()));
        }
        if text.ends_with(".bin") {
            return Ok(Self::Raw(text.into()));
        }
        if text.ends_with(".npz") {
            return Ok(Self::Npz(text.into(), None));
        }
        if let Some((file, key)) = text.rsplit_once(".npz:") {
            return Ok(Self::Npz(format!("{file}.npz").into(), Some(key.to_string())));
        }
        made(text).unwrap_or_else(|| {
            Err(Failure(text!("`{text}` is not a value\n  {legal}", text, legal = text::translate(LEGAL))))
        })
    }
}

/// `rand`, `zeros:f16[4x8]`, `fill:1.5:[64]`; nothing if the first word is none of these.
fn made(text: &str) -> Option<Result<DataSource, Failure>> {
    let (word, rest) = text.split_once(':').map_or((text, None), |(word, rest)| (word, Some(rest)));
    let (maker, rest) = match word {
        "rand" => (NumberGenerator::Random, rest),
        "zeros" => (NumberGenerator::Zeros, rest),
        "ones" => (NumberGenerator::Ones, rest),
        "iota" => (NumberGenerator::Iota, rest),
        "fill" => {
            let (number, rest) = rest?.split_once(':').map_or((rest?, None), |(number, rest)| (number, Some(rest)));
            (NumberGenerator::Fill(AnyNumber::parse(number)?), rest)
        }
        _ => return None,
    };
    let wish = rest.map_or(Ok(Wish::default()), Wish::parse);
    Some(wish.map(|wish| DataSource::Made(maker, wish)))
}

impl Wish {
    /// Refuses another type than the parameter's.
    pub(crate) fn allows(&self, dtype: DType) -> Result<(), DataError> {
        match self.dtype {
            Some(other) if other != dtype => {
                Err(DataError::new(text!("its numbers are {dtype}, not {other}", dtype, other))
                    .help(text!("leave the type out")))
            }
            _ => Ok(()),
        }
    }

    /// `f16`, `[64x128]`, `f16[64x128]`.
    fn parse(text: &str) -> Result<Self, Failure> {
        let wrong = || Failure(text!("`{text}` is not a type and a shape\n  legal: f16, [64x128], f16[64x128]", text));
        let (ty, shape) = match text.split_once('[') {
            Some((ty, rest)) => (ty, Some(rest.strip_suffix(']').ok_or_else(wrong)?)),
            None => (text, None),
        };
        let dtype = match ty {
            "" => None,
            name => Some(DType::parse(name).ok_or_else(wrong)?),
        };
        let extents = |s: &str| s.split(['x', ',']).map(|n| n.trim().parse()).collect::<Result<Vec<u64>, _>>();
        Ok(Self { dtype, shape: shape.map(extents).transpose().map_err(|_| wrong())? })
    }
}

impl NumberGenerator {
    /// The numbers.
    pub(crate) fn make(self, dtype: DType, shape: &[u64], seed: u64) -> Result<Array, DataError> {
        match self {
            Self::Random => Array::random(dtype, shape, seed),
            Self::Zeros => Array::zeros(dtype, shape),
            Self::Ones => Array::filled(dtype, shape, AnyNumber::Int(1)),
            Self::Iota => Array::iota(dtype, shape),
            Self::Fill(value) => Array::filled(dtype, shape, value),
        }
    }

    /// In words, for reports.
    pub(crate) fn text(self, seed: u64) -> String {
        match self {
            Self::Random => text!("random, seed {seed}", seed),
            Self::Zeros => "zeros".to_string(),
            Self::Ones => "ones".to_string(),
            Self::Iota => "0, 1, 2, …".to_string(),
            Self::Fill(value) => text!("{value} everywhere", value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Option<DataSource> {
        DataSource::parse(text).ok()
    }

    #[test]
    fn values_are_told_apart() {
        assert_eq!(source("-1.5e3"), Some(DataSource::Number(AnyNumber::Float(-1500.0))));
        assert_eq!(source("a/b.npy"), Some(DataSource::Npy("a/b.npy".into())));
        assert_eq!(source("C:\\d.npz:k"), Some(DataSource::Npz("C:\\d.npz".into(), Some("k".to_string()))));
        assert_eq!(source("x.npz"), Some(DataSource::Npz("x.npz".into(), None)));
        assert_eq!(source("rand"), Some(DataSource::Made(NumberGenerator::Random, Wish::default())));
        let wish = Wish { dtype: Some(DType::F16), shape: Some(vec![64, 128]) };
        assert_eq!(source("zeros:f16[64x128]"), Some(DataSource::Made(NumberGenerator::Zeros, wish)));
        let wish = Wish { dtype: None, shape: Some(vec![7]) };
        assert_eq!(source("fill:-2:[7]"), Some(DataSource::Made(NumberGenerator::Fill(AnyNumber::Int(-2)), wish)));
        for bad in ["", "data.txt", "rand:f17", "rand:[3", "rand:[3xx4]", "rand:[-1]", "fill", "fill:x", "random"] {
            assert_eq!(source(bad), None, "{bad}");
        }
    }
}
