//! Fused multiply-add without the instruction.

use crate::common::Random;
use pto_num::math::{fma, fma_f16, fma_odd};
use pto_num::{Bf16, Exact, F16, Float, Format, Round, Saturate};

/// A sign, a magnitude and a power of two.
type Parts = (bool, u128, i32);

fn parts(x: f32) -> Option<Parts> {
    match Exact::from(x) {
        Exact::Finite { negative, magnitude, exponent } => Some((negative, magnitude as u128, exponent)),
        _ => None,
    }
}

/// `a * b + c`, exact but for bits so far down that only their presence matters. Nothing if the sum is zero.
fn exact(a: f32, b: f32, c: f32) -> Option<Exact> {
    let ((a, b), c) = ((parts(a)?, parts(b)?), parts(c)?);
    let product = (a.0 != b.0, a.1 * b.1, a.2 + b.2);
    let top = |p: Parts| if p.1 == 0 { i32::MIN } else { p.2 + p.1.ilog2() as i32 };
    let last = top(product).max(top(c)).max(-1000) - 110;
    let aligned = |p: Parts| {
        let magnitude = match p.2 - last {
            left @ 0.. if p.1 != 0 => (p.1 << left) as i128,
            0.. => 0,
            right => {
                let right = right.unsigned_abs().min(127);
                (p.1 >> right) as i128 | (p.1 & ((1 << right) - 1) != 0) as i128
            }
        };
        if p.0 { -magnitude } else { magnitude }
    };
    let sum = aligned(product) + aligned(c);
    let wide = sum.unsigned_abs();
    let cut = 64u32.saturating_sub(wide.leading_zeros());
    let magnitude = (wide >> cut) as u64 | (wide & ((1 << cut) - 1) != 0) as u64;
    (sum != 0).then_some(Exact::Finite { negative: sum < 0, magnitude, exponent: last + cut as i32 })
}

/// Random operands whose product and addend often are of similar size, and often far apart.
fn operands(random: &mut Random, narrow: impl Fn(f32) -> f32) -> [f32; 3] {
    let [a, b, c] = [(); 3].map(|()| random.next() as u32);
    let wild = [a, b, c].map(|bits| narrow(f32::from_bits(bits)));
    let mild = |bits: u32| narrow(f32::from_bits(bits & 0x83ff_ffff | 0x3c00_0000));
    match random.next() % 4 {
        0 => wild,
        1 => [mild(a), mild(b), mild(c)],
        // The sum nearly cancels.
        2 => [mild(a), mild(b), narrow(-mild(a) * mild(b))],
        // The sum is near the end of the range, or the product is tiny.
        _ => [wild[0], mild(b), narrow(wild[0] * f32::from_bits(c & 0x01ff_ffff | 0x3f00_0000))],
    }
}

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

#[test]
fn rounded_once() {
    let mut random = Random(21);
    let special = [0.0, -0.0, 1.0, -1.0, f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1), f32::INFINITY, f32::NAN];
    for (a, b, c) in special.into_iter().flat_map(|a| {
        special
            .into_iter()
            .flat_map(move |b| special.into_iter().flat_map(move |c| [(a, b, c), (-a, b, c), (a, b, -c)]))
    }) {
        assert!(same(fma(a, b, c), a.mul_add(b, c)), "{a:e} {b:e} {c:e}");
    }
    for _ in 0..1 << 21 {
        let [a, b, c] = operands(&mut random, |x| x);
        assert!(same(fma(a, b, c), a.mul_add(b, c)), "{a:e} {b:e} {c:e}");
    }
}

#[test]
fn rounded_to_odd() {
    let mut random = Random(22);
    for _ in 0..1 << 20 {
        let [a, b, c] = operands(&mut random, |x| x);
        let Some(truth) = exact(a, b, c) else { continue };
        let odd = truth.encode(Format::F32, Round::Odd, Saturate::Off);
        assert_eq!(fma_odd(a, b, c).to_bits(), odd, "{a:e} {b:e} {c:e}");
    }
}

/// One more rounding gives the format's own fused result.
fn then_narrow<F: Float + PartialEq + std::fmt::Debug>(
    seed: u64,
    widen: fn(f32) -> f32,
    fused: fn(f32, f32, f32) -> f32,
    narrow: fn(f32) -> F,
) {
    let mut random = Random(seed);
    for _ in 0..1 << 20 {
        let [a, b, c] = operands(&mut random, widen);
        let found = narrow(fused(a, b, c));
        match exact(a, b, c) {
            Some(truth) => assert_eq!(found, F::round(truth, Round::Rint, Saturate::Off), "{a:e} {b:e} {c:e}"),
            None => assert!(same(found.to_f32(), narrow(a.mul_add(b, c)).to_f32()), "{a:e} {b:e} {c:e}"),
        }
    }
}

#[test]
fn narrow_formats() {
    then_narrow(23, |x| F16::from_f32(x).to_f32(), fma_f16, F16::from_f32);
    then_narrow(24, |x| F16::from_f32(x).to_f32(), fma_odd, F16::from_f32);
    then_narrow(25, |x| Bf16::from_f32(x).to_f32(), fma_odd, Bf16::from_f32);
}
