//! Packed bits: one per element, least significant first.

use pto_num::Level;

/// Bits made at once.
pub const WORD: usize = 64;

/// 64 answers as 64 bits.
#[inline(always)]
pub fn of<L: Level>(answers: [bool; WORD]) -> u64 {
    let mut word = 0;
    let bytes = answers.map(u8::from);
    for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        word |= pack(u64::from_le_bytes(*eight)) << (8 * i);
    }
    word
}

/// The lowest bits of eight bytes as one byte: the product brings each to a place of its own in the top byte.
#[inline(always)]
fn pack(bytes: u64) -> u64 {
    bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
}
