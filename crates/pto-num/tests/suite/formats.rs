//! Every code of every format.

use pto_num::{Bf16, Exact, F4E1M2, F4E2M1, F8E4M3, F8E5M2, F8E8M0, F16, Float, Format, Hif8, I4, Round, Saturate};

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn codes<F: Float>() -> impl Iterator<Item = F> {
    (0..1u32 << F::FORMAT.bits()).map(F::from_bits)
}

/// Decoding by fields and by bit tricks agree, and every value encodes to its own code in every mode.
fn round_trip<F: Float>() {
    for code in codes::<F>() {
        let (bits, value) = (code.to_bits(), code.to_f32());
        assert!(same(value, code.exact().to_f32()), "{bits:#x}: {value}");
        if value.is_nan() {
            continue;
        }
        for round in Round::ALL {
            assert_eq!(F::round(value, round, Saturate::Off).to_bits(), bits, "{value} {round:?}");
            if value.is_finite() {
                assert_eq!(F::round(value as f64, round, Saturate::On).to_bits(), bits, "{value} {round:?}");
            }
        }
    }
}

#[test]
fn every_value_has_its_code() {
    round_trip::<F16>();
    round_trip::<Bf16>();
    round_trip::<F8E4M3>();
    round_trip::<F8E5M2>();
    round_trip::<F8E8M0>();
    round_trip::<Hif8>();
    round_trip::<F4E2M1>();
    round_trip::<F4E1M2>();
}

#[test]
fn published_values() {
    let e4m3 = |code| F8E4M3(code).to_f32();
    assert_eq!([e4m3(0x7e), e4m3(0x08), e4m3(0x01), e4m3(0x78)], [448.0, 0.015625, 0.001953125, 256.0]);
    assert!(e4m3(0x7f).is_nan() && e4m3(0xff).is_nan());
    let e5m2 = |code| F8E5M2(code).to_f32();
    assert_eq!([e5m2(0x7b), e5m2(0x7c), e5m2(0x01)], [57344.0, f32::INFINITY, 2f32.powi(-16)]);
    assert!(e5m2(0x7d).is_nan());
    assert_eq!(F8E8M0(0).to_f32(), 2f32.powi(-127));
    assert_eq!(F8E8M0(254).to_f32(), 2f32.powi(127));
    assert!(F8E8M0(255).to_f32().is_nan());
    let e2m1: Vec<f32> = (0..8).map(|c| F4E2M1(c).to_f32()).collect();
    assert_eq!(e2m1, [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
    let e1m2: Vec<f32> = (8..16).map(|c| F4E1M2(c).to_f32()).collect();
    assert_eq!(e1m2, [-0.0, -0.25, -0.5, -0.75, -1.0, -1.25, -1.5, -1.75]);
    let i4: Vec<i8> = (0..16).map(|c| I4(c).to_i8()).collect();
    assert_eq!(i4, [0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1]);
}

#[test]
fn hifloat8_values() {
    let value = |code| Hif8(code).to_f32();
    assert_eq!([value(0x00), value(0x01), value(0x07)], [0.0, 2f32.powi(-22), 2f32.powi(-16)]);
    assert_eq!([value(0x08), value(0x09), value(0x0f)], [1.0, 1.125, 1.875]);
    assert_eq!([value(0x10), value(0x18), value(0x1f)], [2.0, 0.5, 0.9375]);
    assert_eq!([value(0x20), value(0x28), value(0x30), value(0x3f)], [4.0, 8.0, 0.25, 0.234375]);
    assert_eq!([value(0x40), value(0x5f)], [16.0, 1.75 / 128.0]);
    assert_eq!([value(0x60), value(0x6e), value(0x7f)], [256.0, 32768.0, 1.5 / 32768.0]);
    assert_eq!([value(0x6f), value(0xef), value(0x88)], [f32::INFINITY, f32::NEG_INFINITY, -1.0]);
    assert!(value(0x80).is_nan());
    // All finite values are different, and there are 253 of them: one zero, one NaN, two infinities.
    let mut all: Vec<f32> = (0..=255).map(value).filter(|v| v.is_finite()).collect();
    all.sort_by(f32::total_cmp);
    all.dedup();
    assert_eq!(all.len(), 253);
}

/// The two codes around a value, found by trying all, and the rule of each mode applied to them.
fn by_search<F: Float>(x: f64, round: Round) -> Option<u32> {
    let finite = |c: &F| c.to_f32().is_finite() && c.to_f32().is_sign_positive();
    let value = |bits: u32| F::from_bits(bits).to_f32() as f64;
    let mut positive: Vec<u32> = codes::<F>().filter(finite).map(F::to_bits).collect();
    positive.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
    let size = x.abs();
    let below = *positive.iter().rfind(|&&c| value(c) <= size)?;
    let above = *positive.iter().find(|&&c| value(c) >= size)?;
    if above == below {
        return Some(below);
    }
    let middle = (value(below) + value(above)) / 2.0;
    // Where powers of two are neighbours, the last bit of each is its only one.
    let odd = below & 1 == 1 || value(above) == 2.0 * value(below);
    let up = match round {
        Round::Rint => size > middle || (size == middle && odd),
        Round::Round => size >= middle,
        Round::Floor => x < 0.0,
        Round::Ceil => x > 0.0,
        Round::Trunc => false,
        Round::Odd => !odd,
    };
    Some(if up { above } else { below })
}

fn encodes_as_searched<F: Float>() {
    let values: Vec<f64> = codes::<F>().map(|c| c.to_f32() as f64).filter(|v| v.is_finite()).collect();
    for v in values {
        for factor in [0.9, 1.0 - 1e-12, 1.0, 1.0 + 1e-12, 1.0625, 1.125, 1.1875, 1.25, 1.375, 1.5, 1.75] {
            let x = v * factor;
            for round in Round::ALL {
                let Some(code) = by_search::<F>(x, round) else { continue };
                let found = F::round(x, round, Saturate::On);
                let negative = x.is_sign_negative() && (code != 0 || F::FORMAT != Format::HIF8);
                let code = code | if negative { F::FORMAT.sign() } else { 0 };
                assert_eq!(found.to_bits(), code, "{x:e} {round:?}: {}", found.to_f32());
            }
        }
    }
}

#[test]
fn rounding_is_that_of_the_neighbours() {
    encodes_as_searched::<F8E4M3>();
    encodes_as_searched::<F8E5M2>();
    encodes_as_searched::<F8E8M0>();
    encodes_as_searched::<Hif8>();
    encodes_as_searched::<F4E2M1>();
    encodes_as_searched::<F4E1M2>();
}

#[test]
fn out_of_range() {
    use Saturate::{Off, On};
    let code = |x: f64, format, round, saturate| Exact::from(x).encode(format, round, saturate);
    let inf = f64::INFINITY;
    assert_eq!(code(465.0, Format::F8E4M3, Round::Rint, On), 0x7e);
    assert_eq!(code(464.0, Format::F8E4M3, Round::Rint, Off), 0x7e);
    assert_eq!(code(464.1, Format::F8E4M3, Round::Rint, Off), 0x7f);
    assert_eq!(code(-1e9, Format::F8E4M3, Round::Trunc, Off), 0xfe);
    assert_eq!(code(-inf, Format::F8E4M3, Round::Trunc, Off), 0xff);
    assert_eq!(code(-inf, Format::F16, Round::Rint, On), 0xfbff);
    assert_eq!(code(65519.0, Format::F16, Round::Rint, Off), 0x7bff);
    assert_eq!(code(65520.0, Format::F16, Round::Rint, Off), 0x7c00);
    assert_eq!(code(1e300, Format::F16, Round::Floor, Off), 0x7bff);
    assert_eq!(code(-1e300, Format::F16, Round::Floor, Off), 0xfc00);
    assert_eq!(code(1e300, Format::F16, Round::Odd, Off), 0x7bff);
    assert_eq!(code(40959.0, Format::HIF8, Round::Round, Off), 0x6e);
    assert_eq!(code(40960.0, Format::HIF8, Round::Round, Off), 0x6f);
    assert_eq!(code(-40960.0, Format::HIF8, Round::Round, On), 0xee);
    assert_eq!(code(-1e-9, Format::HIF8, Round::Round, Off), 0);
    assert_eq!(code(inf, Format::F4E2M1, Round::Rint, Off), 7);
    assert_eq!(code(f64::NAN, Format::F4E2M1, Round::Rint, Off), 0);
    assert_eq!(code(f64::NAN, Format::HIF8, Round::Rint, On), 0x80);
    assert_eq!(code(-2.0, Format::F8E8M0, Round::Rint, On), 0);
    assert_eq!(code(-2.0, Format::F8E8M0, Round::Rint, Off), 0xff);
    assert_eq!(code(1e39, Format::F8E8M0, Round::Rint, On), 0xfe);
    assert_eq!(code(0.0, Format::F8E8M0, Round::Rint, Off), 0);
}

#[test]
fn single_precision_from_wider() {
    let mut bits = 0x3ff0_0000_0000_0001u64;
    for _ in 0..200_000 {
        bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        // Exponents in and around the range of single precision.
        let exponent = 1023 - 160 + (bits >> 40) % 320;
        let x = f64::from_bits(bits & 0x800f_ffff_ffff_ffff | exponent << 52);
        assert!(same(x as f32, Exact::from(x).to_f32()), "{x:e}");
        assert!(same(bits as i64 as f32, Exact::from(bits as i64).to_f32()), "{bits}");
        assert!(same(bits as f32, Exact::from(bits).to_f32()), "{bits}");
    }
}

#[test]
fn integers() {
    use Saturate::{Off, On};
    let int = |x: f64, round, saturate, bits, signed| Exact::from(x).to_int(round, saturate, bits, signed);
    assert_eq!(int(2.5, Round::Rint, On, 8, true), 2);
    assert_eq!(int(-2.5, Round::Round, On, 8, true), -3);
    assert_eq!(int(-2.1, Round::Floor, On, 8, true), -3);
    assert_eq!(int(2.1, Round::Odd, On, 8, true), 3);
    assert_eq!(int(4e9, Round::Trunc, On, 32, true), i32::MAX as i64);
    assert_eq!(int(-1.0, Round::Trunc, On, 32, false), 0);
    assert_eq!(int(-1.0, Round::Trunc, Off, 8, false), 255);
    assert_eq!(int(300.0, Round::Trunc, Off, 8, true), 44);
    assert_eq!(int(1e30, Round::Trunc, On, 64, false) as u64, u64::MAX);
    assert_eq!(int(f64::NEG_INFINITY, Round::Trunc, On, 16, true), i16::MIN as i64);
    assert_eq!(int(f64::NEG_INFINITY, Round::Trunc, Off, 16, true), 0);
    assert_eq!(int(f64::NAN, Round::Trunc, On, 16, true), 0);
    assert_eq!(Exact::from(u64::MAX).to_int(Round::Rint, On, 64, true), i64::MAX);
    assert_eq!(Exact::from(i64::MIN).to_int(Round::Rint, On, 64, true), i64::MIN);
    assert_eq!(Exact::from(-1i8).to_int(Round::Rint, Off, 64, false) as u64, u64::MAX);
}
