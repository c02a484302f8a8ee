//! The header of a `.npy` file: a Python dictionary with three keys.

use super::super::DataError;
use crate::isa::DType;
use pto_isa::text;
use std::fmt;
use std::io::Read;

/// The kinds of numbers NumPy writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NpyKind {
    /// One byte, zero or one.
    Bool,
    /// Two's complement.
    Int,
    /// Without sign.
    Uint,
    /// IEEE 754.
    Float,
    /// Bits that mean nothing to NumPy: how types of `ml_dtypes` are written.
    Void,
}

/// The type of the numbers in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NpyType {
    /// What the bits mean.
    pub kind: NpyKind,
    /// Bytes of a number: 1, 2, 4 or 8.
    pub size: u32,
}

/// A list of types, known when this is compiled.
macro_rules! types {
    ($($kind:ident $size:literal),+) => { &[$(NpyType { kind: $kind, size: $size }),+] };
}

impl NpyType {
    /// The types that can hold an element type; the first is the one that is written.
    pub(super) fn all_for(dtype: DType) -> &'static [Self] {
        use NpyKind::{Bool, Float, Int, Uint, Void};
        match dtype {
            DType::I8 => types!(Int 1, Bool 1),
            DType::I16 => types!(Int 2),
            DType::I32 => types!(Int 4),
            DType::I64 => types!(Int 8),
            DType::U8 => types!(Uint 1, Bool 1),
            DType::U16 => types!(Uint 2),
            DType::U32 => types!(Uint 4),
            DType::U64 => types!(Uint 8),
            DType::F16 => types!(Float 2),
            DType::F32 => types!(Float 4),
            DType::Bf16 => types!(Void 2, Uint 2),
            DType::F8E4M3 | DType::F8E5M2 | DType::F8E8M0 => types!(Void 1, Uint 1),
            // `ml_dtypes` does not have the first, and stores one number per byte for the others.
            DType::Hif8 | DType::I4 | DType::F4E1M2 | DType::F4E2M1 => types!(Uint 1),
        }
    }

    /// True when numbers of this type are numbers of the element type, bit for bit.
    pub fn holds(self, dtype: DType) -> bool {
        Self::all_for(dtype).contains(&self)
    }

    /// The spelling in a header.
    pub(super) fn descr(self) -> String {
        let order = if self.size == 1 && self.kind != NpyKind::Void { '|' } else { '<' };
        let letter = match self.kind {
            NpyKind::Bool => 'b',
            NpyKind::Int => 'i',
            NpyKind::Uint => 'u',
            NpyKind::Float => 'f',
            NpyKind::Void => 'V',
        };
        format!("{order}{letter}{}", self.size)
    }

    /// Reads a spelling: the type, and whether the high byte comes first.
    fn parse(text: &str) -> Option<(Self, bool)> {
        if text == "bfloat16" {
            return Some((Self { kind: NpyKind::Void, size: 2 }, false));
        }
        let (big_endian, rest) = match text.as_bytes().first()? {
            b'>' => (true, &text[1..]),
            b'<' | b'|' | b'=' => (false, &text[1..]),
            _ => (false, text),
        };
        let mut letters = rest.chars();
        let kind = match letters.next()? {
            'b' => NpyKind::Bool,
            'i' => NpyKind::Int,
            'u' => NpyKind::Uint,
            'f' => NpyKind::Float,
            'V' => NpyKind::Void,
            _ => return None,
        };
        let size = letters.as_str().parse().ok()?;
        let sizes: &[u32] = match kind {
            NpyKind::Bool => &[1],
            NpyKind::Int | NpyKind::Uint => &[1, 2, 4, 8],
            NpyKind::Float => &[2, 4, 8],
            NpyKind::Void => &[1, 2],
        };
        sizes.contains(&size).then_some((Self { kind, size }, big_endian))
    }
}

impl fmt::Display for NpyType {
    /// NumPy's name of the type.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.size * 8;
        match self.kind {
            NpyKind::Bool => f.write_str("bool"),
            NpyKind::Int => write!(f, "int{bits}"),
            NpyKind::Uint => write!(f, "uint{bits}"),
            NpyKind::Float => write!(f, "float{bits}"),
            NpyKind::Void => write!(f, "V{}", self.size),
        }
    }
}

/// How to make data of an element type in NumPy.
pub(super) fn conversion(dtype: DType) -> String {
    let small = match dtype {
        DType::Bf16 => "bfloat16",
        DType::F8E4M3 => "float8_e4m3fn",
        DType::F8E5M2 => "float8_e5m2",
        DType::F8E8M0 => "float8_e8m0fnu",
        DType::Hif8 => return text!("save the bits of the numbers as np.uint8").to_string(),
        DType::I4 | DType::F4E1M2 | DType::F4E2M1 => {
            return text!("save np.uint8 with two numbers in a byte, the first in the low half").to_string();
        }
        _ => {
            return text!(
                "convert them in NumPy: np.save(file, a.astype(np.{all_for}))",
                all_for = NpyType::all_for(dtype)[0]
            );
        }
    };
    text!("convert them in NumPy: np.save(file, a.astype(ml_dtypes.{small}))", small)
}

/// What a header says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub(super) ty: NpyType,
    pub(super) big_endian: bool,
    /// The first index changes fastest.
    pub(super) fortran: bool,
    pub(super) shape: Vec<u64>,
}

/// Longer headers are nonsense: one line with a type, a word and a few numbers.
const LONGEST: usize = 1 << 16;

impl Header {
    /// Reads everything before the numbers.
    pub(super) fn read(from: &mut impl Read) -> Result<Self, DataError> {
        let start: [u8; 8] = take(from)?;
        if &start[..6] != b"\x93NUMPY" {
            return Err(DataError::new(text!("this is not a .npy file: it does not start with \\x93NUMPY"))
                .help(text!("save it with np.save(file, a); raw numbers go into a .bin file")));
        }
        let length = match start[6] {
            1 => u16::from_le_bytes(take(from)?) as usize,
            2 | 3 => u32::from_le_bytes(take(from)?) as usize,
            version => {
                return Err(DataError::new(text!("format version {version} is not known; 1, 2 and 3 are", version)));
            }
        };
        if length > LONGEST {
            return Err(broken(&text!("a header of {length} bytes", length)));
        }
        let mut text = vec![0; length];
        from.read_exact(&mut text).map_err(|e| cut(&e))?;
        Self::parse(&String::from_utf8_lossy(&text))
    }

    /// Reads the dictionary.
    pub(super) fn parse(text: &str) -> Result<Self, DataError> {
        let (mut ty, mut fortran, mut shape) = (None, None, None);
        let mut scan = Scan { rest: text };
        scan.expect("{")?;
        while !scan.eat("}") {
            let key = scan.quoted()?;
            scan.expect(":")?;
            match key {
                "descr" => ty = Some(scan.ty()?),
                "fortran_order" => fortran = Some(scan.truth()?),
                "shape" => shape = Some(scan.tuple()?),
                _ => return Err(broken(&text!("the key `{key}`", key))),
            }
            if !scan.eat(",") {
                scan.expect("}")?;
                break;
            }
        }
        match (ty, fortran, shape) {
            (Some((ty, big_endian)), Some(fortran), Some(shape)) => Ok(Self { ty, big_endian, fortran, shape }),
            _ => Err(broken(text!("not all of descr, fortran_order and shape"))),
        }
    }
}

fn take<const N: usize>(from: &mut impl Read) -> Result<[u8; N], DataError> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes).map_err(|e| cut(&e))?;
    Ok(bytes)
}

fn cut(error: &std::io::Error) -> DataError {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => {
            DataError::new(text!("this is not a .npy file: it ends inside its header"))
        }
        _ => DataError::new(text!("cannot be read: {error}", error)),
    }
}

fn broken(what: &str) -> DataError {
    DataError::new(text!("the .npy header has {what}", what))
        .help(text!("a header looks like {'descr': '<f4', 'fortran_order': False, 'shape': (16, 64), }"))
}

/// The rest of a header.
struct Scan<'a> {
    rest: &'a str,
}

impl<'a> Scan<'a> {
    fn eat(&mut self, word: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, word: &str) -> Result<(), DataError> {
        if self.eat(word) {
            Ok(())
        } else {
            Err(broken(&text!("{found} where `{word}` should be", found = self.found(), word)))
        }
    }

    /// The next few characters, for messages.
    fn found(&self) -> String {
        match self.rest.trim() {
            "" => text!("its end").to_string(),
            rest => format!("`{}`", rest.chars().take(12).collect::<String>().escape_debug()),
        }
    }

    fn quoted(&mut self) -> Result<&'a str, DataError> {
        let quote = if self.eat("'") { '\'' } else { self.expect("\"").map(|()| '"')? };
        let Some((text, rest)) = self.rest.split_once(quote) else {
            return Err(broken(text!("a text without an end")));
        };
        self.rest = rest;
        Ok(text)
    }

    fn ty(&mut self) -> Result<(NpyType, bool), DataError> {
        if self.eat("[") {
            return Err(
                DataError::new(text!("the array has fields")).help(text!("save one field: np.save(file, a['name'])"))
            );
        }
        let text = self.quoted()?;
        NpyType::parse(text).ok_or_else(|| {
            DataError::new(text!(
                "numbers of NumPy type '{escape_debug}' cannot be used",
                escape_debug = text.escape_debug()
            ))
            .help(text!("legal: bool, int8 to int64, uint8 to uint64, float16 to float64, and V1 and V2 of ml_dtypes"))
        })
    }

    fn truth(&mut self) -> Result<bool, DataError> {
        if self.eat("True") {
            return Ok(true);
        }
        self.expect("False").map(|()| false)
    }

    fn tuple(&mut self) -> Result<Vec<u64>, DataError> {
        let mut numbers = Vec::new();
        self.expect("(")?;
        while !self.eat(")") {
            numbers.push(self.number()?);
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(numbers)
    }

    fn number(&mut self) -> Result<u64, DataError> {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        let number = digits.parse().map_err(|_| broken(&text!("{found} as an extent", found = self.found())))?;
        // Python 2 wrote long integers with a letter.
        self.rest = rest.strip_prefix('L').unwrap_or(rest);
        Ok(number)
    }
}
