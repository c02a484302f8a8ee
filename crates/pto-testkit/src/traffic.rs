//! The least that memory allows: bytes are read and written, once each, and nothing is computed.

#![expect(unsafe_code, reason = "no safe function stores past the caches")]

use std::hint::black_box;

/// How bytes are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoreKind {
    /// Into the caches, by the C library, in pieces that the nearest ones hold.
    Pieces,
    /// Into the caches, while another part of the input is read.
    Plain,
    /// Past the caches, so that the lines that are overwritten need not be read.
    PastCaches,
}

impl StoreKind {
    pub const ALL: [Self; 3] = [Self::Pieces, Self::Plain, Self::PastCaches];
}

const PIECE: usize = 256 << 10;
const LINE: usize = 64;

/// Reads all of one and writes all of the other, shared by threads.
pub fn pass_on(from: &[u8], to: &mut [u8], threads: usize, kind: StoreKind) {
    let share = |bytes: usize| bytes.div_ceil(threads).next_multiple_of(LINE).max(LINE);
    let (read, written) = (share(from.len()), share(to.len()));
    let (mut from, mut to) = (from.chunks(read), to.chunks_mut(written));
    let mut part = move || (from.next().unwrap_or_default(), to.next().unwrap_or_default());
    let own = part();
    std::thread::scope(|scope| {
        for _ in 1..threads {
            let (from, to) = part();
            scope.spawn(move || pass(from, to, kind));
        }
        pass(own.0, own.1, kind);
    });
}

/// Copies as much as there is on both sides. What the input has beyond that is read meanwhile; what the output has is filled.
fn pass(from: &[u8], to: &mut [u8], kind: StoreKind) {
    let both = from.len().min(to.len());
    let (copied, beyond) = from.split_at(both);
    let (target, filled) = black_box(to).split_at_mut(both);
    if kind == StoreKind::Pieces {
        copied.chunks(PIECE).zip(target.chunks_mut(PIECE)).for_each(|(from, to)| to.copy_from_slice(from));
        look_at(beyond);
    } else {
        // As many bytes of the rest as are copied are read with them, so that both come at the same time.
        let (with, rest) = beyond.split_at(beyond.len().min(both));
        let (paired, alone) = copied.split_at(with.len());
        let (pair_target, alone_target) = target.split_at_mut(with.len());
        let past = kind == StoreKind::PastCaches;
        write(paired, with, pair_target, past);
        write(alone, alone, alone_target, past);
        look_at(rest);
    }
    filled.fill(2);
}

/// Writes one or the other byte, which differ in no bit that is known before. All have the same length.
fn write(one: &[u8], other: &[u8], to: &mut [u8], past: bool) {
    #[cfg(target_arch = "x86_64")]
    if past {
        return write_past(one, other, to);
    }
    let _ = past;
    for ((to, one), other) in to.iter_mut().zip(one).zip(other) {
        *to = one | other;
    }
}

fn look_at(bytes: &[u8]) {
    black_box(bytes.as_chunks::<8>().0.iter().fold(0, |sum, word| sum ^ u64::from_le_bytes(*word)));
}

#[cfg(target_arch = "x86_64")]
fn write_past(one: &[u8], other: &[u8], to: &mut [u8]) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_or_si128, _mm_sfence, _mm_stream_si128};
    const STEP: usize = size_of::<__m128i>();
    let head = to.as_ptr().align_offset(LINE).min(to.len());
    write(&one[..head], &other[..head], &mut to[..head], false);
    let (one, other, to) = (&one[head..], &other[head..], &mut to[head..]);
    let lines = to.len() / LINE * LINE;
    for ((one, other), to) in one.chunks_exact(LINE).zip(other.chunks_exact(LINE)).zip(to.chunks_exact_mut(LINE)) {
        for at in (0..LINE).step_by(STEP) {
            // SAFETY: the lines are as long as the steps, the one that is written is aligned, and every x86-64 processor has these
            // instructions.
            unsafe {
                let one = _mm_loadu_si128(one.as_ptr().add(at).cast());
                let other = _mm_loadu_si128(other.as_ptr().add(at).cast());
                _mm_stream_si128(to.as_mut_ptr().add(at).cast(), _mm_or_si128(one, other));
            }
        }
    }
    // SAFETY: every x86-64 processor has this instruction.
    unsafe { _mm_sfence() };
    write(&one[lines..], &other[lines..], &mut to[lines..], false);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_are_written() {
        for (read, written) in [(1000, 1000), (5000, 1001), (100, 4000), (0, 300), (300, 0)] {
            for kind in StoreKind::ALL {
                let mut to = vec![0; written];
                pass_on(&vec![1; read], &mut to, 3, kind);
                assert!(to.iter().all(|byte| *byte != 0), "{kind:?} {read} {written}");
            }
        }
    }
}
