//! Quotients that are computed without a division of their type.

use crate::probe::{Numbers, Probe, Tile};
use pto_isa::table::op;
use pto_num::{CpuLevel, cpu_level};
use pto_vector::elem::Elem;

/// Divides every row of 16 numbers by a number of its own, at every level.
fn check_floats(rows: &[([f32; 16], f32)]) {
    let mut numbers = Tile::from_fn(rows.len(), 16, |r, c| rows[r].0[c]);
    let mut divisors = Tile::column(pto_isa::DType::F32, rows.len()).filled(|r, _| rows[r].1);
    for level in CpuLevel::ALL.into_iter().filter(|l| *l <= cpu_level()) {
        let mut dst = Tile::new(pto_isa::DType::F32, rows.len(), 16, 0);
        let probe = Probe::new(op::trowexpanddiv).tile("src0", &mut numbers).tile("src1", &mut divisors);
        probe.tile("dst", &mut dst).level(level).run().expect("a kernel");
        for (found, (r, c)) in
            dst.values::<f32>().into_iter().zip((0..rows.len()).flat_map(|r| (0..16).map(move |c| (r, c))))
        {
            let (a, b) = (rows[r].0[c], rows[r].1);
            let is_same = found.to_bits() == (a / b).to_bits() || found.is_nan() && (a / b).is_nan();
            assert!(is_same, "{a:e} / {b:e}: {found:e} at {}", level.name());
        }
    }
}

/// Mantissas near the ends of their range are where a rounding more or less would show.
#[test]
fn quotients_are_those_of_a_division() {
    let mut numbers = Numbers::new(1);
    let mut next = || (numbers.next() >> 20) as u32;
    let mut rows = Vec::new();
    for round in 0..200_000u32 {
        let near = round / 4 % 128;
        let mantissa = [next() & 0x7f_ffff, near, 0x7f_ffff - near, next() & 0x7f_ffff][round as usize % 4];
        let exponent = if round % 4 == 3 { next() & 0xff } else { 127 };
        let b = f32::from_bits(mantissa | exponent << 23 | next() & 1 << 31);
        let any = round % 8 == 7;
        let a = std::array::from_fn(|_| {
            let exponent = if any { next() & 0xff } else { 120 + next() % 16 };
            f32::from_bits(next() & 0x807f_ffff | exponent << 23)
        });
        rows.push((a, b));
    }
    for b in [0.0, -0.0, 1.0, f32::INFINITY, f32::NAN, f32::MIN_POSITIVE, 1e-45, f32::MAX] {
        let mut a = [1.5; 16];
        a[..8].copy_from_slice(&[0.0, -0.0, f32::INFINITY, f32::NAN, 1e-45, f32::MAX, -1.0, 3.0]);
        rows.push((a, b));
    }
    rows.chunks(4096).for_each(check_floats);
}

/// Quotients and remainders of pairs; a divisor of 0 is an error of the instruction and left out.
fn check_integers<E: Elem + PartialEq + std::fmt::Debug>(
    pairs: &[(u64, u64)],
    of: fn(u64) -> E,
    exact: fn(E, E) -> [E; 2],
) {
    let pairs: Vec<(E, E)> = pairs.iter().map(|(a, b)| (of(*a), of(*b))).filter(|(_, b)| *b != of(0)).collect();
    for pairs in pairs.chunks(4096) {
        let mut a = Tile::from_fn(1, pairs.len(), |_, c| pairs[c].0);
        let mut b = Tile::from_fn(1, pairs.len(), |_, c| pairs[c].1);
        for (at, op) in [op::tdiv, op::tfmod].into_iter().enumerate() {
            let levels = CpuLevel::ALL.into_iter().filter(|l| *l <= cpu_level());
            for level in levels.map(Some).chain([None]) {
                let mut dst = Tile::new(E::DTYPE, 1, pairs.len(), 0);
                let probe = Probe::new(op).tile("src0", &mut a).tile("src1", &mut b).tile("dst", &mut dst);
                let probe = match level {
                    Some(level) => probe.level(level),
                    None => probe.plain(true),
                };
                probe.run().expect("a kernel");
                for (found, &(a, b)) in dst.values::<E>().into_iter().zip(pairs) {
                    assert_eq!(found, exact(a, b)[at], "{} of {a:?} and {b:?}, {level:?}", op.row().name);
                }
            }
        }
    }
}

macro_rules! check {
    ($pairs:expr, $($type:ty)+) => {$(
        check_integers::<$type>($pairs, |x| x as $type, |a, b| [a.wrapping_div(b), a.wrapping_rem(b)]);
    )+};
}

#[test]
fn quotients_and_remainders_of_small_integers() {
    let pairs: Vec<(u64, u64)> = (0..=255).flat_map(|a| (0..=255).map(move |b| (a, b))).collect();
    check!(&pairs, u8 i8);
}

/// Dividends next to multiples of the divisor are where a rounding would show.
#[test]
fn quotients_and_remainders_next_to_multiples() {
    let mut state = 88_172_645_463_325_252u64;
    let mut next = |bits: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) >> (state % u64::from(bits))
    };
    let edges = [0, 1, 2, 3, u64::MAX, u64::MAX - 1, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
    let mut pairs: Vec<(u64, u64)> = edges.iter().flat_map(|a| edges.map(|b| (*a, b))).collect();
    for _ in 0..20_000 {
        let (quotient, b) = (next(32), next(32));
        let multiple = quotient.wrapping_mul(b);
        pairs.extend([(multiple, b), (multiple.wrapping_sub(1), b), (multiple.wrapping_add(1), b), (next(16), b)]);
        pairs.extend([
            (multiple, b.wrapping_neg()),
            (u64::MAX - next(40), b),
            ((1 << 31) - 1 - next(44) % 64, b % 512),
        ]);
    }
    check!(&pairs, i16 u16 i32 u32 i64 u64);
}
