//! Writing.

use super::super::Array;
use super::header::NpyType;
use pto_isa::text;
use std::io::{self, Write};

/// Writes an array as a `.npy` file, as NumPy itself would: types of `ml_dtypes` as bits to be viewed, the packed types
/// as bytes.
///
/// # Errors
/// Those of the destination.
pub fn write(array: &Array, to: &mut impl Write) -> io::Result<()> {
    let ty = NpyType::all_for(array.dtype())[0];
    let shape = byte_shape(array);
    let extents: Vec<String> = shape.iter().map(|n| format!("{n},")).collect();
    let mut header = extents.join(" ");
    if shape.len() > 1 {
        header.pop();
    }
    header = text!("{{'descr': '{ty}', 'fortran_order': False, 'shape': ({header}), }}", ty = ty.descr(), header);
    // The numbers start at a multiple of 64 bytes; the header ends with a line break.
    let length = (10 + header.len() + 1).next_multiple_of(64) - 10;
    to.write_all(b"\x93NUMPY\x01\x00")?;
    to.write_all(&(length as u16).to_le_bytes())?;
    to.write_all(format!("{header:<width$}\n", width = length - 1).as_bytes())?;
    to.write_all(array.bytes())
}

/// Extents in the file: bytes instead of numbers for packed types, flat where rows do not end with a byte.
fn byte_shape(array: &Array) -> Vec<u64> {
    let mut shape = array.shape().to_vec();
    let per_byte = u64::from(array.dtype().per_byte());
    match shape.last_mut() {
        _ if per_byte == 1 => shape,
        Some(last) if last.is_multiple_of(per_byte) => {
            *last /= per_byte;
            shape
        }
        _ => vec![array.bytes().len() as u64],
    }
}
