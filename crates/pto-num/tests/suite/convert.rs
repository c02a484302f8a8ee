//! The fast conversions give what the exact ones give.

use crate::common::{Random, sample, sweep};
use pto_num::convert::{Int, cast, int_to_f32, integral, narrow, to_hif8, to_int};
use pto_num::{Bf16, Exact, F4E1M2, F4E2M1, F8E4M3, F8E5M2, F16, Float, Format, Hif8, Round, Saturate};

const SATURATE: [Saturate; 2] = [Saturate::On, Saturate::Off];

fn narrows<F: Float>(x: f32, round: Round, saturate: Saturate) {
    let fast: F = narrow(x, round, saturate);
    let exact = Exact::from(x).encode(F::FORMAT, round, saturate);
    let nan = x.is_nan() && (fast.to_f32().is_nan() || F::FORMAT.nan().is_none());
    assert!(nan || fast.to_bits() == exact, "{x:e} {round:?} {saturate:?}: {:#x}, exact {exact:#x}", fast.to_bits());
}

fn narrows_to_all(x: f32, round: Round, saturate: Saturate) {
    narrows::<F16>(x, round, saturate);
    narrows::<Bf16>(x, round, saturate);
    narrows::<F8E4M3>(x, round, saturate);
    narrows::<F8E5M2>(x, round, saturate);
    narrows::<F4E2M1>(x, round, saturate);
    narrows::<F4E1M2>(x, round, saturate);
}

fn narrows_to_hif8(x: f32, saturate: Saturate) {
    let (fast, exact) = (to_hif8(x, saturate), Hif8::round(x, Round::Round, saturate));
    assert_eq!(fast, exact, "{x:e} {saturate:?}");
}

fn is_int<T: Int + Copy>(x: f32, round: Round, saturate: Saturate) {
    let fast = to_int::<T>(x, round, saturate).extended();
    let exact = Exact::from(x).to_int(round, saturate, T::BITS, T::SIGNED);
    assert_eq!(fast, exact, "{x:e} {round:?} {saturate:?} {} bits", T::BITS);
}

fn becomes_all(x: f32, round: Round, saturate: Saturate) {
    is_int::<i8>(x, round, saturate);
    is_int::<u8>(x, round, saturate);
    is_int::<i16>(x, round, saturate);
    is_int::<u16>(x, round, saturate);
    is_int::<i32>(x, round, saturate);
    is_int::<u32>(x, round, saturate);
    is_int::<i64>(x, round, saturate);
    is_int::<u64>(x, round, saturate);
}

fn is_integral(x: f32, round: Round) {
    let fast = integral(x, round);
    if !x.is_finite() || x.abs() >= 8_388_608.0 {
        assert!(fast.to_bits() == x.to_bits() || x.is_nan());
        return;
    }
    let exact = Exact::from(x).to_int(round, Saturate::On, 32, true) as f32;
    assert_eq!(fast.to_bits(), exact.copysign(x).to_bits(), "{x:e} {round:?}");
}

/// One target for each value, so that a run tries many values.
fn one_format(x: f32, round: Round, saturate: Saturate) {
    match x.to_bits().wrapping_mul(0x85eb_ca6b) >> 24 & 7 {
        0 | 1 => narrows::<F16>(x, round, saturate),
        2 | 3 => narrows::<Bf16>(x, round, saturate),
        4 => narrows::<F8E4M3>(x, round, saturate),
        5 => narrows::<F8E5M2>(x, round, saturate),
        6 => narrows_to_hif8(x, saturate),
        _ => narrows::<F4E2M1>(x, round, saturate),
    }
}

fn one_integer(x: f32, round: Round, saturate: Saturate) {
    match x.to_bits().wrapping_mul(0x85eb_ca6b) >> 24 & 3 {
        0 => is_int::<i32>(x, round, saturate),
        1 => is_int::<i16>(x, round, saturate),
        2 => is_int::<i8>(x, round, saturate),
        _ => is_int::<u8>(x, round, saturate),
    }
}

/// One mode for each value, so that a run tries many values; all modes where they meet boundaries.
fn one_mode(x: f32, check: impl Fn(f32, Round, Saturate)) {
    let pick = (x.to_bits().wrapping_mul(0x9e37_79b9) >> 16) as usize;
    check(x, Round::ALL[pick % 6], SATURATE[pick / 6 % 2]);
}

fn every_mode(x: f32, check: impl Fn(f32, Round, Saturate)) {
    for round in Round::ALL {
        SATURATE.into_iter().for_each(|saturate| check(x, round, saturate));
    }
}

#[test]
fn halves_to_everything() {
    for code in 0..=u16::MAX {
        for x in [F16(code).to_f32(), Bf16(code).to_f32()] {
            every_mode(x, narrows_to_all);
            every_mode(x, becomes_all);
            SATURATE.into_iter().for_each(|saturate| narrows_to_hif8(x, saturate));
            Round::ALL.into_iter().for_each(|round| is_integral(x, round));
        }
    }
}

#[test]
fn singles_to_floats() {
    crate::common::boundaries().step_by(5).for_each(|x| every_mode(x, narrows_to_all));
    crate::common::boundaries().for_each(|x| every_mode(x, narrows::<F16>));
    crate::common::boundaries().for_each(|x| SATURATE.into_iter().for_each(|saturate| narrows_to_hif8(x, saturate)));
    sample(1 << 24, |x| one_mode(x, one_format));
}

#[test]
fn singles_to_integers() {
    crate::common::near_integers().for_each(|x| every_mode(x, becomes_all));
    crate::common::near_integers().for_each(|x| Round::ALL.into_iter().for_each(|round| is_integral(x, round)));
    sample(1 << 24, |x| one_mode(x, one_integer));
    sample(1 << 24, |x| one_mode(x, |x, round, _| is_integral(x, round)));
}

/// The conversions to half precision that kernels use most, on as many values as a short run allows.
#[test]
fn singles_to_halves() {
    sample(1 << 25, |x| {
        let fast = F16::from_f32(x);
        assert!(x.is_nan() || fast == narrow(x, Round::Rint, Saturate::Off), "{x:e}");
        assert_eq!(x.is_nan(), fast.to_f32().is_nan());
    });
    sample(1 << 25, |x| {
        let fast = Bf16::from_f32(x);
        assert!(x.is_nan() || fast == narrow(x, Round::Rint, Saturate::Off), "{x:e}");
        assert_eq!(x.is_nan(), fast.to_f32().is_nan());
    });
}

#[test]
fn integers_to_singles() {
    let mut random = Random(3);
    let edges = (0..32).flat_map(|e| (-200..200).map(move |n| (1i64 << e).wrapping_add(n) as i32));
    for x in edges.chain((0..1 << 21).map(|_| random.next() as i32)) {
        for (x, round) in Round::ALL.into_iter().flat_map(|round| [(x, round), (x.wrapping_neg(), round)]) {
            let exact = Exact::from(x).encode(Format::F32, round, Saturate::Off);
            assert_eq!(int_to_f32(x, round).to_bits(), exact, "{x} {round:?}");
        }
    }
}

fn casts<A: Int + Into<Exact>, B: Int>(x: i64) {
    for saturate in SATURATE {
        let from = A::truncated(x);
        let exact = from.into().to_int(Round::Rint, saturate, B::BITS, B::SIGNED);
        assert_eq!(cast::<A, B>(from, saturate).extended(), exact, "{x} {saturate:?} {} {}", A::BITS, B::BITS);
    }
}

#[test]
fn integers_to_integers() {
    macro_rules! pairs {
        ($x:expr, $($a:ty),*) => { $( casts::<$a, i8>($x); casts::<$a, u8>($x); casts::<$a, i16>($x);
            casts::<$a, u16>($x); casts::<$a, i32>($x); casts::<$a, u32>($x); casts::<$a, i64>($x); casts::<$a, u64>($x); )* };
    }
    let mut random = Random(4);
    let edges =
        (0..64).flat_map(|e| (-3..3).flat_map(move |n| [(1i64 << e).wrapping_add(n), (-1i64 << e).wrapping_add(n)]));
    for x in edges.chain((0..1 << 14).map(|_| random.next() as i64 >> (random.0 & 63))) {
        pairs!(x, i8, u8, i16, u16, i32, u32, i64, u64);
    }
}

/// Values all over, to the nearest half.
#[test]
fn halves_all_over() {
    sweep(|x| assert!(x.is_nan() || F16::from_f32(x) == narrow(x, Round::Rint, Saturate::Off)));
    sweep(|x| assert!(x.is_nan() || Bf16::from_f32(x) == narrow(x, Round::Rint, Saturate::Off)));
    sweep(|x| narrows::<F16>(x, Round::Rint, Saturate::Off));
    sweep(|x| narrows::<Bf16>(x, Round::Rint, Saturate::Off));
}

/// Values all over, each in one of the modes.
#[test]
fn floats_all_over() {
    sweep(|x| one_mode(x, narrows_to_all));
    sweep(|x| one_mode(x, |x, _, saturate| narrows_to_hif8(x, saturate)));
}

/// Values all over, each in one of the modes.
#[test]
fn integers_all_over() {
    sweep(|x| one_mode(x, |x, round, _| is_integral(x, round)));
    sweep(|x| one_mode(x, becomes_all));
}
