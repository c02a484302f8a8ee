//! HiFloat4: groups of 64 numbers with scales for 64, 8 and 4 of them.

use pto_num::convert::narrow;
use pto_num::{Bf16, F4E1M2, Round, Saturate};
use pto_vector::{Call, Fault, OpKernel, Prepared, TileRef, WrittenPart, read, write};

pub(super) const QUANTISE: OpKernel =
    OpKernel::new(&["src", "dst", "exp"], |_| Some(Prepared::of(run, [0; 2]))).writing(WrittenPart::Some);

/// Numbers of a group.
const GROUP: usize = 64;
/// Rows whose scales lie together in a cell.
const CELL: usize = 16;
/// Bytes of scales for a row of a group.
const SCALES: usize = 4;

/// Rounds to bf16: so does every step here.
fn bf16(x: f32) -> f32 {
    Bf16::from_f32(x).to_f32()
}

/// The largest magnitude; NaN if there is one.
fn largest(numbers: &[f32]) -> f32 {
    f32::from_bits(numbers.iter().map(|x| x.to_bits() & 0x7fff_ffff).max().unwrap_or(0))
}

/// The unsigned number with six bits of exponent and two of fraction that is nearest to `x`, ties to even. 0xff is NaN.
fn e6m2(x: f32) -> u8 {
    if x.is_nan() {
        return 0xff;
    }
    // The field of 2^-48 becomes 0. A carry of the fraction goes into the exponent, as it should.
    let bits = x.to_bits();
    let rounded = (bits + 0xf_ffff + (bits >> 21 & 1)) >> 21;
    rounded.saturating_sub((127 - 48) << 2).min(0xfe) as u8
}

/// What numbers are multiplied with for a code; nothing is left of them for code 0.
fn reciprocal(code: u8) -> f32 {
    match code {
        0 => 0.0,
        0xff => f32::NAN,
        _ => {
            let value = f32::from_bits((u32::from(code) + ((127 - 48) << 2)) << 21);
            bf16(1.0 / value)
        }
    }
}

/// The scales of a group and its codes.
struct Hif4Group {
    /// Ea, Eb, and two bytes of Ec.
    scales: [u8; SCALES],
    codes: [u8; GROUP],
}

impl Hif4Group {
    fn new(numbers: &[f32; GROUP]) -> Self {
        let ea = e6m2(bf16(largest(numbers) * bf16(1.0 / 7.0)));
        let inverse = reciprocal(ea);
        let (mut eb, mut ec) = (0u8, 0u16);
        let mut codes = [0; GROUP];
        for (i, eight) in numbers.chunks_exact(8).enumerate() {
            let halved = bf16(largest(eight) * inverse) >= 4.0;
            eb |= u8::from(halved) << i;
            let by_eight = if halved { 0.5 } else { 1.0 };
            for (j, four) in eight.chunks_exact(4).enumerate() {
                let halved = bf16(bf16(largest(four) * inverse) * by_eight) >= 2.0;
                ec |= u16::from(halved) << (2 * i + j);
                let scale = bf16(inverse * (by_eight * if halved { 0.5 } else { 1.0 }));
                for (k, x) in four.iter().enumerate() {
                    codes[8 * i + 4 * j + k] = narrow::<F4E1M2>(bf16(x * scale), Round::Rint, Saturate::On).0 & 15;
                }
            }
        }
        let [low, high] = ec.to_le_bytes();
        Self { scales: [ea, eb, low, high], codes }
    }
}

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn run(call: &Call<3>) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let [src, dst, exp] = call.tiles;
        let groups = src.cols() / GROUP;
        for r in 0..src.rows() {
            for g in 0..groups {
                let numbers = std::array::from_fn(|k| read::<Bf16>(src, r, g * GROUP + k).to_f32());
                let group = Hif4Group::new(&numbers);
                for (k, pair) in group.codes.chunks_exact(2).enumerate() {
                    let col = g * GROUP / 2 + k;
                    if r < dst.rows() && col < dst.cols() {
                        write(dst, r, col, pair[0] | pair[1] << 4);
                    }
                }
                // A cell has 16 pairs of Ea and Eb, then 16 pairs of Ec.
                let cell = (r / CELL * groups + g) * CELL * SCALES;
                for (k, scale) in group.scales.into_iter().enumerate() {
                    put_byte(exp, cell + k / 2 * 2 * CELL + r % CELL * 2 + k % 2, scale);
                }
            }
        }
        Ok(())
    }
}

/// Writes a byte of the valid region, counted row by row.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn put_byte(tile: &TileRef, number: usize, byte: u8) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        if number < tile.rows() * tile.cols() {
            write(tile, number / tile.cols(), number % tile.cols(), byte);
        }
    }
}
