//! Numbers of one type with extents.

use super::parts;
use super::random::RandomNumbers;
use super::value::{AnyNumber, bits, decode, encode, int_range, read_doubles, set_bits};
use super::{DataError, Numbers};
use crate::isa::DType;
use pto_isa::text;
use pto_num::{Bf16, F16};
use std::fmt;

/// Numbers of one element type in row-major order, as bytes, the low byte first. Those of 4 bits lie two in a byte, the
/// first in the low half.
#[derive(Clone, PartialEq, Eq)]
pub struct Array {
    dtype: DType,
    shape: Vec<u64>,
    bytes: Vec<u8>,
}

impl Array {
    /// Takes bytes as an array.
    ///
    /// # Errors
    /// When the number of bytes is not the one that type and extents need.
    pub fn new(dtype: DType, shape: &[u64], bytes: Vec<u8>) -> Result<Self, DataError> {
        let needed = byte_size(dtype.bits(), shape)?;
        if bytes.len() != needed {
            let shape = shape_text(shape);
            return Err(DataError::new(text!(
                "{dtype} {shape} has {needed} bytes, not {bytes}",
                dtype,
                shape,
                needed,
                bytes = bytes.len()
            )));
        }
        Ok(Self { dtype, shape: shape.to_vec(), bytes })
    }

    /// All bits zero.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn zeros(dtype: DType, shape: &[u64]) -> Result<Self, DataError> {
        let size = byte_size(dtype.bits(), shape)?;
        // Memory that the system gives is zero, and whoever writes to it first takes it: often several threads.
        drop(reserve(size)?);
        let bytes = vec![0; size];
        pto_cpu::prefer_large_pages(&bytes);
        Ok(Self { dtype, shape: shape.to_vec(), bytes })
    }

    /// The same number everywhere.
    ///
    /// # Errors
    /// When the type cannot hold the number, or there is not enough memory.
    pub fn filled(dtype: DType, shape: &[u64], value: AnyNumber) -> Result<Self, DataError> {
        let value = held(dtype, value)?;
        Self::with(dtype, shape, |_| encode(dtype, value))
    }

    /// 0, 1, 2, … in row-major order; integers wrap around, floats round.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn iota(dtype: DType, shape: &[u64]) -> Result<Self, DataError> {
        Self::with(dtype, shape, |i| encode(dtype, AnyNumber::Int(i as i128)))
    }

    /// Random numbers: floats nearly normally distributed around zero, integers from 0 to 99, those of 8 and 4 bits
    /// from their whole range. The same seed gives the same numbers everywhere.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn random(dtype: DType, shape: &[u64], seed: u64) -> Result<Self, DataError> {
        let mut array = Self::zeros(dtype, shape)?;
        let bits = dtype.bits() as usize;
        parts::fill(&mut array.bytes, |first, part| RandomNumbers::from(dtype, seed, first / bits * 8).fill(part));
        let half_used = bits < 8 && !array.count().is_multiple_of(8 / bits);
        if let Some(last) = array.bytes.last_mut().filter(|_| half_used) {
            *last &= 15;
        }
        Ok(array)
    }

    /// An array made of the bits of each number.
    fn with(dtype: DType, shape: &[u64], mut number: impl FnMut(usize) -> u64) -> Result<Self, DataError> {
        let mut array = Self::zeros(dtype, shape)?;
        for i in 0..array.count() {
            set_bits(dtype, &mut array.bytes, i, number(i));
        }
        Ok(array)
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Extents, outermost first.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The numbers as they lie in memory.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The numbers as they lie in memory, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// What each few megabytes come to, in order. Several cores work on them.
    ///
    /// ```
    /// use pto::data::Array;
    /// let zeros = Array::zeros(pto::isa::DType::F32, &[3_000_000])?;
    /// assert_eq!(zeros.in_parts(<[u8]>::len).iter().sum::<usize>(), 12_000_000);
    /// # Ok::<(), pto::data::DataError>(())
    /// ```
    pub fn in_parts<T: Send>(&self, each: impl Fn(&[u8]) -> T + Sync) -> Vec<T> {
        parts::map(&self.bytes, each)
    }

    /// The bytes and the extents, for an argument that borrows both.
    pub fn parts_mut(&mut self) -> (&mut [u8], &[u64]) {
        (&mut self.bytes, &self.shape)
    }

    /// The same numbers with other extents.
    ///
    /// # Errors
    /// When the extents are not for as many elements.
    pub fn reshaped(self, shape: &[u64]) -> Result<Self, DataError> {
        Self::new(self.dtype, shape, self.bytes)
    }

    /// The first rows and columns of a matrix.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn corner(&self, rows: u64, cols: u64) -> Result<Self, DataError> {
        let mut part = Self::zeros(self.dtype, &[rows, cols])?;
        let (width, inner) = (self.width(), part.width().max(1));
        for at in 0..part.count() {
            set_bits(self.dtype, &mut part.bytes, at, self.bits(at / inner * width + at % inner));
        }
        Ok(part)
    }

    /// Puts a matrix into the first rows and columns of this one, which is at least as large.
    pub fn set_corner(&mut self, part: &Self) {
        let (dtype, width, inner) = (self.dtype, self.width(), part.width().max(1));
        for at in 0..part.count() {
            set_bits(dtype, &mut self.bytes, at / inner * width + at % inner, part.bits(at));
        }
    }

    fn bits(&self, index: usize) -> u64 {
        bits(self.dtype, &self.bytes, index)
    }

    /// Numbers in a row.
    fn width(&self) -> usize {
        self.shape.last().copied().unwrap_or(1) as usize
    }
}

impl Numbers for Array {
    fn count(&self) -> usize {
        self.shape.iter().product::<u64>() as usize
    }

    fn number(&self, index: usize) -> AnyNumber {
        decode(self.dtype, self.bits(index))
    }

    fn doubles(&self, first: usize, into: &mut [f64]) -> bool {
        let bytes = &self.bytes;
        match self.dtype {
            DType::F32 => read_doubles(bytes, first, into, |w| f32::from_le_bytes(w).into()),
            DType::F16 => read_doubles(bytes, first, into, |w| F16(u16::from_le_bytes(w)).to_f32().into()),
            DType::Bf16 => read_doubles(bytes, first, into, |w| Bf16(u16::from_le_bytes(w)).to_f32().into()),
            DType::I32 => read_doubles(bytes, first, into, |w| i32::from_le_bytes(w).into()),
            DType::I8 => read_doubles(bytes, first, into, |w| i8::from_le_bytes(w).into()),
            _ => false,
        }
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.dtype, shape_text(&self.shape), super::show(self, 100))
    }
}

/// Extents as text, `16x1024`; `()` for a single number.
pub fn shape_text(shape: &[u64]) -> String {
    if shape.is_empty() {
        return "()".to_string();
    }
    shape.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

/// Bytes for numbers of this many bits.
pub(super) fn byte_size(bits: u32, shape: &[u64]) -> Result<usize, DataError> {
    // An extent of zero makes the rest meaningless, but it must not hide an overflow that others would trip over.
    let count = shape.iter().try_fold(1u64, |n, &d| n.checked_mul(d.max(1)));
    let bytes = count.and_then(|n| n.checked_mul(u64::from(bits))).map(|n| n.div_ceil(8));
    match bytes.and_then(|n| usize::try_from(n).ok()).filter(|&n| n <= isize::MAX as usize) {
        Some(_) if shape.contains(&0) => Ok(0),
        Some(n) => Ok(n),
        None => Err(DataError::new(text!(
            "{shape_text} numbers of {bits} bits are more than memory can hold",
            shape_text = shape_text(shape),
            bits
        ))),
    }
}

/// An empty buffer with this capacity.
pub(super) fn reserve(bytes: usize) -> Result<Vec<u8>, DataError> {
    let mut room = Vec::new();
    room.try_reserve_exact(bytes).map_err(|_| DataError::new(text!("not enough memory for {bytes} bytes", bytes)))?;
    pto_cpu::prefer_large_pages(&room);
    Ok(room)
}

/// The number, if the type can hold it.
fn held(dtype: DType, value: AnyNumber) -> Result<AnyNumber, DataError> {
    let Some((low, high)) = int_range(dtype) else { return Ok(value) };
    match value.to_int().filter(|i| (low..=high).contains(i)) {
        Some(i) => Ok(AnyNumber::Int(i)),
        None => Err(DataError::new(text!("{dtype} cannot hold {value}", dtype, value)).help(text!(
            "integers from {low} to {high}",
            low,
            high
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_checked() {
        assert!(Array::new(DType::F32, &[2, 2], vec![0; 15]).is_err());
        assert!(Array::zeros(DType::F32, &[u64::MAX, 2]).is_err());
        assert!(Array::zeros(DType::F32, &[u64::MAX, 0, u64::MAX]).is_err());
        assert_eq!(Array::zeros(DType::F32, &[3, 0]).map(|a| a.count()), Ok(0));
        assert_eq!(Array::zeros(DType::F4E2M1, &[3, 5]).map(|a| (a.count(), a.bytes().len())), Ok((15, 8)));
    }

    #[test]
    fn corners_come_out_as_they_went_in() {
        for dtype in [DType::I16, DType::I4] {
            let mut whole = Array::zeros(dtype, &[4, 8]).expect("small");
            let part = Array::iota(dtype, &[2, 3]).expect("small");
            whole.set_corner(&part);
            assert_eq!((whole.number(8), whole.number(9)), (AnyNumber::Int(3), AnyNumber::Int(4)));
            assert_eq!(whole.corner(2, 3), Ok(part));
        }
    }

    #[test]
    fn a_type_refuses_what_it_cannot_hold() {
        assert!(Array::filled(DType::I8, &[1], AnyNumber::Float(1.5)).is_err());
        assert!(Array::filled(DType::U8, &[1], AnyNumber::Int(-1)).is_err());
        assert_eq!(Array::filled(DType::U8, &[2], AnyNumber::Float(3.0)).map(|a| a.bytes().to_vec()), Ok(vec![3, 3]));
    }
}
