//! Conversions against the exact arithmetic, and against numbers written out.

use crate::probe::{FILLER, Numbers, Probe, Tile};
use pto_isa::DType::{self, Bf16, F4E1M2, F4E2M1, F8E4M3, F8E5M2, F16, F32, Hif8, I4, I8, I16, I32, I64, U8, U16, U32};
use pto_isa::table::op;
use pto_vector::Numerics;

const MODES: [&str; 7] = ["NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD"];

/// Every pair of the devices, and some that only the host has.
const PAIRS: &[(DType, &[DType])] = &[
    (F32, &[F32, F16, Bf16, I64, I32, I16, I8, U8, F8E4M3, F8E5M2, Hif8]),
    (F16, &[F32, I32, I16, I8, U8, I4, Hif8, Bf16]),
    (Bf16, &[F32, F16, I32, F4E1M2, F4E2M1]),
    (I64, &[F32, I32]),
    (I32, &[F32, F16, I64, I16, U8, U16, I8]),
    (U32, &[I16, U8, U16]),
    (I16, &[F32, F16, I32, U32, U8, I8]),
    (I8, &[F16, I32, I16, F32]),
    (U8, &[F16, U16, I32, F32]),
    (I4, &[F16]),
    (F8E4M3, &[F32]),
    (F8E5M2, &[F32]),
    (Hif8, &[F32]),
    (F4E1M2, &[Bf16]),
    (F4E2M1, &[Bf16]),
];

fn is_pair(dtype: DType) -> bool {
    matches!(dtype, F4E1M2 | F4E2M1)
}

/// A tile of one row with `n` numbers.
fn tile(dtype: DType, rows: usize, numbers: usize, gap: usize) -> Tile {
    Tile::new(dtype, rows, if is_pair(dtype) { numbers / 2 } else { numbers }, gap)
}

struct Convert {
    mode: &'static str,
    saturate: Option<&'static str>,
    numerics: Numerics,
    plain: bool,
}

impl Convert {
    fn run(&self, src: &Tile, dst: &Tile) -> Tile {
        let (mut src, mut dst) = (src.clone(), dst.clone());
        let mut probe = Probe::new(op::tcvt).tile("src", &mut src).tile("dst", &mut dst);
        probe = probe.value("rmode", "round_mode", self.mode).numerics(self.numerics).plain(self.plain);
        if let Some(saturate) = self.saturate {
            probe = probe.value("sat_mode", "saturation_mode", saturate);
        }
        probe.run().expect("a kernel");
        dst
    }
}

fn convert(mode: &'static str, saturate: Option<&'static str>) -> Convert {
    Convert { mode, saturate, numerics: Numerics::Reference, plain: false }
}

/// Bits with many specials, ties and values near the limits of the types.
fn bits(dtype: DType, numbers: &mut Numbers) -> u64 {
    let n = numbers.next();
    let value = |x: f32| match dtype {
        F32 => u64::from(x.to_bits()),
        Bf16 => u64::from(x.to_bits() >> 16),
        _ => u64::from(pto_num::F16::from_f32(x).0),
    };
    let sign = if n & 1 == 0 { 1.0 } else { -1.0 };
    match (dtype, n >> 1 & 7) {
        (F32 | Bf16 | F16, 0) => value(sign * ((n >> 8 & 0x3ff) as f32 + 0.5)),
        (F32 | Bf16 | F16, 1) => value(sign * (n >> 8 & 0xff) as f32 / 16.0),
        (F32 | Bf16 | F16, 2) => value(sign * f32::exp2((n >> 8 & 0xff) as f32 / 4.0)),
        (F32 | Bf16 | F16, 3) => value(sign * [0.0, f32::INFINITY, f32::NAN, 2_147_483_520.0][(n >> 8) as usize & 3]),
        (F32 | Bf16 | F16, 4) => value(sign * (1u64 << (n >> 8 & 63)) as f32),
        (I64 | I32 | U32 | I16 | U16, 0..=3) => (n >> 8) as i64 as u64 >> (n >> 4 & 63),
        (I64 | I32 | U32 | I16 | U16, 4) => (n >> 8 & 0xff).wrapping_neg(),
        _ => n >> 8,
    }
}

fn filled(mut tile: Tile, numbers: &mut Numbers) -> Tile {
    let unit = tile.ty.dtype.unit_bytes() as usize;
    for place in tile.bytes.chunks_exact_mut(unit) {
        place.copy_from_slice(&bits(tile.ty.dtype, numbers).to_le_bytes()[..unit]);
    }
    tile
}

/// True when the numbers agree; every NaN is like every other.
fn same(a: &Tile, b: &Tile) -> bool {
    let is_nan = |bits: u64| match a.ty.dtype {
        F32 => f32::from_bits(bits as u32).is_nan(),
        Bf16 => pto_num::Bf16(bits as u16).to_f32().is_nan(),
        F16 => pto_num::F16(bits as u16).to_f32().is_nan(),
        F8E4M3 => pto_num::F8E4M3(bits as u8).to_f32().is_nan(),
        F8E5M2 => pto_num::F8E5M2(bits as u8).to_f32().is_nan(),
        _ => false,
    };
    let unit = a.ty.dtype.unit_bytes() as usize;
    a.bytes.chunks_exact(unit).zip(b.bytes.chunks_exact(unit)).all(|(x, y)| {
        let bits = |x: &[u8]| x.iter().rev().fold(0, |all, b| all << 8 | u64::from(*b));
        x == y || (is_nan(bits(x)) && is_nan(bits(y)))
    })
}

#[test]
fn fast_conversions_equal_the_exact_ones() {
    let mut numbers = Numbers::new(1);
    for &(src_type, targets) in PAIRS {
        for &dst_type in targets {
            for (rows, cols, gap) in [(8, 64, 0), (3, 200, 1), (5, 6, 0), (2, 130, 0)] {
                let src = filled(tile(src_type, rows, cols, gap), &mut numbers);
                let dst = tile(dst_type, rows, cols, 2 - gap);
                for mode in MODES {
                    for saturate in [None, Some("ON"), Some("OFF")] {
                        let fast = convert(mode, saturate).run(&src, &dst);
                        let plain = Convert { plain: true, ..convert(mode, saturate) }.run(&src, &dst);
                        assert!(same(&fast, &plain), "{src_type} to {dst_type} {mode} {saturate:?} {rows}x{cols}");
                    }
                }
            }
        }
    }
}

/// One number through the kernel.
fn one(src: DType, bits: u64, dst: DType, how: &Convert) -> u64 {
    let mut from = tile(src, 1, 2, 0);
    let unit = src.unit_bytes() as usize;
    from.bytes[..unit].copy_from_slice(&bits.to_le_bytes()[..unit]);
    from.bytes[unit..2 * unit].copy_from_slice(&bits.to_le_bytes()[..unit]);
    let to = how.run(&from, &tile(dst, 1, 2, 0));
    let mut bytes = [0; 8];
    let unit = dst.unit_bytes() as usize;
    bytes[..unit].copy_from_slice(&to.bytes[..unit]);
    u64::from_le_bytes(bytes)
}

fn f32_to(dst: DType, x: f32, mode: &'static str, saturate: Option<&'static str>) -> i64 {
    let spare = 64 - dst.bits();
    let bits = one(F32, u64::from(x.to_bits()), dst, &convert(mode, saturate)) << spare;
    if dst == U8 { (bits >> spare) as i64 } else { bits as i64 >> spare }
}

#[test]
fn rounding_at_halves() {
    let halves = [-2.5f32, -1.5, -0.5, 0.5, 1.5, 2.5, 1.25, -1.75];
    let rounded = |mode| halves.map(|x| f32_to(I32, x, mode, None));
    assert_eq!(rounded("RINT"), [-2, -2, 0, 0, 2, 2, 1, -2]);
    assert_eq!(rounded("ROUND"), [-3, -2, -1, 1, 2, 3, 1, -2]);
    assert_eq!(rounded("FLOOR"), [-3, -2, -1, 0, 1, 2, 1, -2]);
    assert_eq!(rounded("CEIL"), [-2, -1, 0, 1, 2, 3, 2, -1]);
    assert_eq!(rounded("TRUNC"), [-2, -1, 0, 0, 1, 2, 1, -1]);
    assert_eq!(rounded("NONE"), rounded("TRUNC"));
}

#[test]
fn integers_saturate_or_wrap() {
    assert_eq!(f32_to(I32, 3e9, "RINT", None), i64::from(i32::MAX));
    assert_eq!(f32_to(I32, -3e9, "RINT", None), i64::from(i32::MIN));
    assert_eq!(f32_to(I32, 3e9, "RINT", Some("OFF")), i64::from(3_000_000_000u32 as i32));
    assert_eq!(f32_to(I16, 40000.0, "RINT", None), i64::from(40000u16 as i16));
    assert_eq!(f32_to(I16, 40000.0, "RINT", Some("ON")), 32767);
    assert_eq!(f32_to(U8, -1.0, "RINT", None), 0);
    assert_eq!(f32_to(U8, -1.0, "RINT", Some("OFF")), 255);
    for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(f32_to(I16, x, "RINT", None), 0);
    }
    assert_eq!(f32_to(I16, f32::NAN, "RINT", Some("ON")), 0);
    assert_eq!(f32_to(I16, f32::INFINITY, "RINT", Some("ON")), 32767);
    // The low bits of a number that 32 bits do not hold.
    assert_eq!(f32_to(I16, 4_294_968_320.0, "RINT", None), 1024);
}

#[test]
fn floats_overflow_or_saturate() {
    let half = |x: f32, mode, saturate| one(F32, u64::from(x.to_bits()), F16, &convert(mode, saturate));
    assert_eq!(half(1e6, "RINT", None), 0x7bff);
    assert_eq!(half(f32::NEG_INFINITY, "RINT", None), 0xfbff);
    assert_eq!(half(1e6, "RINT", Some("OFF")), 0x7c00);
    assert_eq!(half(1e6, "TRUNC", Some("OFF")), 0x7bff);
    assert_eq!(half(1.0 + f32::EPSILON, "ODD", None), 0x3c01);
    assert_eq!(half(2049.0, "ROUND", None), 0x6801);
    assert!(pto_num::F16(half(f32::NAN, "RINT", None) as u16).to_f32().is_nan());
    let single = |half: u64| f32::from_bits(one(F16, half, F32, &convert("RINT", Some("ON"))) as u32);
    assert_eq!(single(0x7c00), f32::INFINITY);
    let e4m3 = |x: f32, saturate| one(F32, u64::from(x.to_bits()), F8E4M3, &convert("RINT", saturate));
    assert_eq!((e4m3(1e6, None), e4m3(1e6, Some("OFF"))), (0x7e, 0x7f));
    let whole = |x: f32| f32::from_bits(one(F32, u64::from(x.to_bits()), F32, &convert("RINT", None)) as u32);
    assert_eq!((whole(2.5), whole(-0.25).to_bits()), (2.0, 1 << 31));
}

/// Every half-precision number to eight bits, and every number of eight or four bits to a float.
#[test]
fn all_codes() {
    let every = |dtype: DType, rows: usize, cols: usize| {
        let mut tile = Tile::new(dtype, rows, cols, 0);
        let unit = dtype.unit_bytes() as usize;
        for (i, place) in tile.bytes.chunks_exact_mut(unit).enumerate() {
            place.copy_from_slice(&i.to_le_bytes()[..unit]);
        }
        tile
    };
    let halves = every(F16, 256, 256);
    for dst in [I8, U8] {
        for mode in MODES {
            for saturate in ["ON", "OFF"] {
                let got = convert(mode, Some(saturate)).run(&halves, &Tile::new(dst, 256, 256, 0));
                let plain = Convert { plain: true, ..convert(mode, Some(saturate)) };
                assert_eq!(got, plain.run(&halves, &Tile::new(dst, 256, 256, 0)), "{dst} {mode} {saturate}");
            }
        }
    }
    for src in [F8E4M3, F8E5M2, Hif8, I8, U8] {
        let codes = every(src, 1, 256);
        let plain = Convert { plain: true, ..convert("RINT", None) };
        let dst = Tile::new(F32, 1, 256, 0);
        assert!(same(&convert("RINT", None).run(&codes, &dst), &plain.run(&codes, &dst)), "{src}");
    }
}

#[test]
fn two_numbers_of_four_bits_share_a_byte() {
    let halves = Tile::from_fn(2, 5, |r, c| pto_num::F16::from_f32(c as f32 - 8.0 + 10.0 * r as f32));
    let packed = convert("RINT", None).run(&halves, &Tile::new(I4, 2, 5, 0));
    // −8 −7 −6 −5 −4, then 2 3 4 5 6; the last half byte is not a number and stays.
    assert_eq!(packed.bytes[..4], [0x98, 0xba, FILLER & 0xf0 | 0xc, FILLER]);
    assert_eq!(packed.bytes[32..36], [0x32, 0x54, FILLER & 0xf0 | 6, FILLER]);
    let back = convert("RINT", None).run(&packed, &Tile::new(F16, 2, 5, 0));
    assert_eq!(back.values::<pto_num::F16>(), halves.values::<pto_num::F16>());

    let wide = Tile::from_fn(1, 4, |_, c| pto_num::Bf16::from_f32([0.5, -6.0, 1.5, 100.0][c]));
    let packed = convert("RINT", None).run(&wide, &Tile::new(F4E2M1, 1, 2, 0));
    assert_eq!(packed.bytes[..3], [0xf1, 0x73, FILLER]);
    let back = convert("RINT", None).run(&packed, &Tile::new(Bf16, 1, 4, 0));
    let values: Vec<f32> = back.values::<pto_num::Bf16>().into_iter().map(pto_num::Bf16::to_f32).collect();
    assert_eq!(values, [0.5, -6.0, 1.5, 6.0]);
}

#[test]
fn devices_differ_in_places() {
    let with = |numerics, mode, saturate| Convert { numerics, ..convert(mode, saturate) };
    let minus_five = (-5i16) as u16 as u64;
    assert_eq!(one(I16, minus_five, U32, &with(Numerics::Reference, "RINT", None)), 0);
    assert_eq!(one(I16, minus_five, U32, &with(Numerics::A5, "RINT", None)), u64::from(-5i32 as u32));
    let big = u64::from(3e9f32.to_bits());
    assert_eq!(one(F32, big, I32, &with(Numerics::A2A3, "RINT", Some("OFF"))), u64::from(i32::MAX as u32));
    let tie = u64::from(1.0625f32.to_bits());
    assert_eq!(one(F32, tie, Hif8, &with(Numerics::Reference, "RINT", None)), 0x08);
    assert_eq!(one(F32, tie, Hif8, &with(Numerics::A5, "RINT", None)), 0x09);
    assert_eq!(one(F32, u64::from(1.5f32.to_bits()), I32, &with(Numerics::A5, "ODD", None)), 1);
}

#[test]
fn conversions_work_in_place() {
    for (src, dst) in [(F32, F16), (F32, I32), (F16, F32), (I8, I32)] {
        let (rows, cols) = (4, 128);
        for plain in [false, true] {
            let from = filled(Tile::new(src, rows, cols, 0), &mut Numbers::new(9));
            let how = Convert { plain, ..convert("RINT", None) };
            let want = how.run(&from, &Tile::new(dst, rows, cols, 0));
            let mut memory = from.bytes.clone();
            memory.resize(from.bytes.len().max(want.bytes.len()), 0);
            let (mut a, mut b) = (from.clone(), want.clone());
            let probe = Probe::new(op::tcvt).tile("src", &mut a).tile("dst", &mut b).plain(plain);
            probe.run_in(&mut memory).expect("a kernel");
            assert_eq!(memory[..want.bytes.len()], want.bytes, "{src} to {dst}");
        }
    }
}
