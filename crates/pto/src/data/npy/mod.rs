//! NumPy's `.npy` files: a short header and the numbers.
//!
//! Written by hand because the header is one dictionary with three known keys, and general-purpose readers reject types
//! that NumPy does not have (`bf16`, the 8- and 4-bit ones).

mod header;
mod write;

pub use header::{NpyKind, NpyType};
pub use write::write;

use super::array::{byte_size, reserve, shape_text};
use super::value::{AnyNumber, read_doubles};
use super::{Array, DataError, Numbers};
use crate::isa::DType;
use header::Header;
use pto_isa::text;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// Numbers as a file holds them, in row-major order, the low byte first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    ty: NpyType,
    shape: Vec<u64>,
    bytes: Vec<u8>,
}

/// Reads a file.
///
/// # Errors
/// When the file cannot be read, or is not what it should be; the message names the file.
pub fn read_file(path: &Path) -> Result<Stored, DataError> {
    let file = File::open(path)
        .map_err(|e| DataError::new(text!("cannot read {display}: {e}", display = path.display(), e)))?;
    read(&mut BufReader::new(file)).map_err(|e| e.about(path.display()))
}

/// Reads the contents of a file. Column-major and big-endian numbers are turned around.
///
/// # Errors
/// When the bytes are not an array of plain numbers, or fewer than the header says.
pub fn read(from: &mut impl Read) -> Result<Stored, DataError> {
    let header = Header::read(from)?;
    let size = byte_size(header.ty.size * 8, &header.shape)?;
    let mut bytes = read_bytes(from, size, &header)?;
    if header.big_endian {
        bytes.chunks_exact_mut(header.ty.size as usize).for_each(<[u8]>::reverse);
    }
    if header.fortran {
        bytes = row_major(&bytes, &header.shape, header.ty.size as usize)?;
    }
    Ok(Stored { ty: header.ty, shape: header.shape, bytes })
}

/// Reads in steps, so that a header that promises too much costs no more memory than the file has.
fn read_bytes(from: &mut impl Read, size: usize, header: &Header) -> Result<Vec<u8>, DataError> {
    const STEP: usize = 64 << 20;
    let mut bytes = Vec::new();
    while bytes.len() < size {
        let step = STEP.min(size - bytes.len());
        bytes.try_reserve(step).map_err(|_| DataError::new(text!("not enough memory for {size} bytes", size)))?;
        let got = from
            .take(step as u64)
            .read_to_end(&mut bytes)
            .map_err(|e| DataError::new(text!("cannot be read: {e}", e)))?;
        if got < step {
            let (ty, shape, found) = (header.ty, shape_text(&header.shape), bytes.len());
            return Err(DataError::new(text!(
                "the header says {ty} {shape}, {size} bytes, but {found} follow",
                ty,
                shape,
                size,
                found
            ))
            .help(text!("the file was cut off; write it again")));
        }
    }
    Ok(bytes)
}

/// The same elements in row-major order.
fn row_major(bytes: &[u8], shape: &[u64], size: usize) -> Result<Vec<u8>, DataError> {
    let mut out = reserve(bytes.len())?;
    let mut index = vec![0u64; shape.len()];
    for _ in 0..bytes.len() / size {
        let at = index.iter().zip(shape).rev().fold(0, |at, (i, n)| at * n + i) as usize;
        out.extend_from_slice(&bytes[at * size..][..size]);
        for (i, n) in index.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < *n {
                break;
            }
            *i = 0;
        }
    }
    Ok(out)
}

impl Stored {
    /// What each number is.
    pub fn ty(&self) -> NpyType {
        self.ty
    }

    /// Extents, outermost first.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// True when the file states the meaning of its bits, which it does not for types that NumPy does not have.
    pub fn is_numeric(&self) -> bool {
        self.ty.kind != NpyKind::Void
    }

    /// The numbers as an array of an element type, unchanged.
    ///
    /// # Errors
    /// When they are of another type.
    pub fn into_array(self, dtype: DType) -> Result<Array, DataError> {
        if !self.ty.holds(dtype) {
            let legal: Vec<String> = NpyType::all_for(dtype).iter().map(NpyType::to_string).collect();
            let message = text!(
                "the numbers are {ty}, and {dtype} is needed ({legal})",
                ty = self.ty,
                dtype,
                legal = legal.join(" or ")
            );
            return Err(DataError::new(message).help(header::conversion(dtype)));
        }
        let mut shape = self.shape;
        match shape.last_mut() {
            // A byte holds two numbers.
            Some(last) => *last = last.saturating_mul(dtype.per_byte().into()),
            None if dtype.per_byte() > 1 => shape.push(dtype.per_byte().into()),
            None => {}
        }
        Array::new(dtype, &shape, self.bytes)
    }
}

impl Numbers for Stored {
    fn count(&self) -> usize {
        self.bytes.len() / self.ty.size.max(1) as usize
    }

    fn number(&self, index: usize) -> AnyNumber {
        let size = self.ty.size as usize;
        let mut word = [0; 8];
        word[..size].copy_from_slice(&self.bytes[index * size..][..size]);
        let word = u64::from_le_bytes(word);
        let shift = 64 - 8 * self.ty.size;
        match (self.ty.kind, size) {
            (NpyKind::Float, 8) => AnyNumber::Float(f64::from_bits(word)),
            (NpyKind::Float, 4) => AnyNumber::Float(f64::from(f32::from_bits(word as u32))),
            (NpyKind::Float, _) => AnyNumber::Float(f64::from(pto_num::F16(word as u16).to_f32())),
            (NpyKind::Int, _) => AnyNumber::Int(i128::from((word << shift) as i64 >> shift)),
            _ => AnyNumber::Int(i128::from(word)),
        }
    }

    fn doubles(&self, first: usize, into: &mut [f64]) -> bool {
        match (self.ty.kind, self.ty.size) {
            (NpyKind::Float, 8) => read_doubles(&self.bytes, first, into, f64::from_le_bytes),
            (NpyKind::Float, 4) => read_doubles(&self.bytes, first, into, |w| f32::from_le_bytes(w).into()),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
