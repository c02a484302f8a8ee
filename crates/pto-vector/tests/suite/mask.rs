//! Masks to the bit, and selection by them.

use crate::probe::{FILLER, Numbers, Probe, Sample, Tile};
use pto_isa::DType::{self, F32, I32, U8, U32};
use pto_isa::table::op;
use pto_num::{Bf16, F16};
use pto_vector::Numerics;

const MODES: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];

/// Rows, columns, and blocks between rows.
const SHAPES: [(usize, usize, usize); 9] =
    [(16, 64, 0), (3, 128, 0), (5, 192, 1), (7, 100, 0), (17, 1, 0), (1, 7, 0), (9, 16, 2), (4, 33, 0), (2, 257, 1)];

fn holds<W: PartialOrd + Copy>(mode: &str, a: W, b: W) -> bool {
    match mode {
        "eq" => a == b,
        "ne" => a != b,
        "lt" => a < b,
        "le" => a <= b,
        "gt" => a > b,
        _ => a >= b,
    }
}

fn compare(mode: &str, a: &Tile, b: &Tile, mask: &Tile, plain: bool) -> Tile {
    let (mut a, mut b, mut mask) = (a.clone(), b.clone(), mask.clone());
    let probe = Probe::new(op::tcmp).tile("src0", &mut a).tile("src1", &mut b).tile("dst", &mut mask);
    probe.value("cmpMode", "cmp", mode).plain(plain).run().expect("a kernel");
    mask
}

fn compare_scalar(mode: &str, a: &Tile, bits: u64, mask: &Tile, plain: bool, numerics: Numerics) -> Tile {
    let (mut a, mut mask) = (a.clone(), mask.clone());
    let dtype = a.ty.dtype;
    let probe = Probe::new(op::tcmps).tile("src", &mut a).scalar("scalar", dtype, bits).tile("dst", &mut mask);
    probe.value("cmpMode", "cmp", mode).plain(plain).numerics(numerics).run().expect("a kernel");
    mask
}

fn compare_first(mode: &str, a: &Tile, b: &Tile, mask: &Tile, plain: bool, numerics: Numerics) -> Tile {
    let (mut a, mut b, mut mask) = (a.clone(), b.clone(), mask.clone());
    let probe = Probe::new(op::tcmps).tile("src", &mut a).tile("scalar", &mut b).tile("dst", &mut mask);
    probe.value("cmpMode", "cmp", mode).plain(plain).numerics(numerics).run().expect("a kernel");
    mask
}

/// The mask that the answers give, on top of what was there.
fn expected(mask: &Tile, rows: usize, cols: usize, answer: impl Fn(usize, usize) -> bool) -> Tile {
    let mut mask = mask.clone();
    let stride = mask.ty.cols as usize * mask.ty.dtype.unit_bytes() as usize;
    for r in 0..rows {
        for byte in 0..cols.div_ceil(8) {
            let bits = (8 * byte..cols.min(8 * byte + 8)).map(|c| u8::from(answer(r, c)) << (c % 8));
            mask.bytes[r * stride + byte] = bits.sum();
        }
    }
    mask
}

fn compares<E: Sample>(scalar_bits: impl Fn(E) -> u64) {
    let mut numbers = Numbers::new(E::DTYPE as u64 + 77);
    for (rows, cols, gap) in SHAPES {
        let mut draw = || Tile::new(E::DTYPE, rows, cols, gap).filled(|_, _| E::sample(&mut numbers));
        let (a, b) = (draw(), draw());
        let scalar: E = b.get(0, 0);
        for dtype in [U8, U32, DType::I64] {
            let mask = Tile::new(dtype, rows, cols.div_ceil(8 * dtype.unit_bytes() as usize), gap);
            for mode in MODES {
                let tiles =
                    expected(&mask, rows, cols, |r, c| holds(mode, a.get::<E>(r, c).widen(), b.get::<E>(r, c).widen()));
                let values = expected(&mask, rows, cols, |r, c| holds(mode, a.get::<E>(r, c).widen(), scalar.widen()));
                for plain in [false, true] {
                    assert_eq!(compare(mode, &a, &b, &mask, plain), tiles, "{mode} {:?}", a.ty);
                    let got = compare_scalar(mode, &a, scalar_bits(scalar), &mask, plain, Numerics::Reference);
                    assert_eq!(got, values, "{mode} {:?} {plain}", a.ty);
                    let got = compare_first(mode, &a, &b, &mask, plain, Numerics::Reference);
                    assert_eq!(got, values, "{mode} {:?} {plain}, a tile", a.ty);
                }
            }
        }
    }
}

#[test]
fn every_comparison_of_every_type() {
    compares::<i8>(|x| x as i64 as u64);
    compares::<u8>(u64::from);
    compares::<i16>(|x| x as i64 as u64);
    compares::<u16>(u64::from);
    compares::<i32>(|x| x as i64 as u64);
    compares::<u32>(u64::from);
    compares::<i64>(|x| x as u64);
    compares::<u64>(|x| x);
    compares::<f32>(|x| x.to_bits().into());
    compares::<F16>(|x| x.to_f32().to_bits().into());
    compares::<Bf16>(|x| x.to_f32().to_bits().into());
}

/// The example of the page: 16x16 f32 against 0, a 16x32 u8 mask with 2 valid columns.
#[test]
fn sixteen_columns_take_two_bytes() {
    let src = Tile::from_fn(16, 16, |r, c| if c > r { 1.0f32 } else { -1.0 });
    let mask = Tile::new(U8, 16, 2, 0);
    assert_eq!(mask.ty.cols, 32);
    let mask = compare_scalar("gt", &src, 0, &mask, false, Numerics::Reference);
    for r in 0..16 {
        let row = &mask.bytes[32 * r..32 * r + 32];
        assert_eq!(u16::from_le_bytes([row[0], row[1]]), !((2u32 << r) - 1) as u16);
        assert!(row[2..].iter().all(|b| *b == FILLER));
    }
}

#[test]
fn bits_behind_the_columns_are_zero_and_bytes_behind_them_stay() {
    let src = Tile::from_fn(2, 13, |_, _| 1i32);
    for mode in ["eq", "ne"] {
        for plain in [false, true] {
            let mask = compare_scalar(mode, &src, 1, &Tile::new(U8, 2, 13, 0), plain, Numerics::Reference);
            let want = if mode == "eq" { [0xff, 0x1f, FILLER] } else { [0, 0, FILLER] };
            assert_eq!(mask.bytes[..3], want);
            assert_eq!(mask.bytes[32..35], want);
        }
    }
}

#[test]
fn a_mask_that_is_too_small_keeps_the_bits_it_has_room_for() {
    let src = Tile::from_fn(3, 100, |_, _| 1i32);
    for plain in [false, true] {
        let mask = compare_scalar("eq", &src, 1, &Tile::new(U8, 2, 9, 0), plain, Numerics::Reference);
        assert_eq!(mask.bytes[..9], [0xff; 9]);
        assert_eq!(mask.bytes[32..41], [0xff; 9]);
        assert_eq!(mask.bytes.iter().filter(|b| **b == FILLER).count(), 64 - 18);
    }
}

#[test]
fn nan_is_only_unequal_and_zeros_are_equal() {
    let src = Tile::from_fn(1, 4, |_, c| [f32::NAN, -0.0, 0.0, f32::INFINITY][c]);
    let bits = |mode, scalar: f32| {
        compare_scalar(mode, &src, scalar.to_bits().into(), &Tile::new(U8, 1, 1, 0), false, Numerics::Reference).bytes
            [0]
    };
    assert_eq!(MODES.map(|m| bits(m, f32::NAN)), [0, 0b1111, 0, 0, 0, 0]);
    assert_eq!(MODES.map(|m| bits(m, 0.0)), [0b0110, 0b1001, 0, 0b0110, 0b1000, 0b1110]);
}

#[test]
fn a2a3_compares_some_integers_differently() {
    let mask = Tile::new(U8, 1, 1, 0);
    let src = Tile::from_fn(1, 3, |_, c| [1, 2, 3][c]);
    for mode in MODES {
        let got = compare_scalar(mode, &src, 2, &mask, false, Numerics::A2A3).bytes[0];
        assert_eq!(got, if mode == "ne" { 0b101 } else { 0b010 });
    }
    // As f16, every negative number above −1024 is NaN and −32768 is −0.
    let src = Tile::from_fn(1, 4, |_, c| [-1i16, 5, i16::MIN, 0][c]);
    let bits = |mode, scalar: i16| compare_scalar(mode, &src, scalar as u64, &mask, false, Numerics::A2A3).bytes[0];
    assert_eq!(bits("lt", 3), 0b1100);
    assert_eq!(bits("eq", -1), 0);
    assert_eq!(bits("eq", 0), 0b1100);
    let three = Tile::from_fn(1, 1, |_, _| 3i16);
    assert_eq!(compare_first("lt", &src, &three, &mask, false, Numerics::A2A3).bytes[0], 0b1100);
}

fn select<E: Sample>(scalar_bits: impl Fn(E) -> u64) {
    let mut numbers = Numbers::new(E::DTYPE as u64 + 5);
    for (rows, cols, gap) in SHAPES {
        let mut draw = |rows, cols, gap| Tile::new(E::DTYPE, rows, cols, gap).filled(|_, _| E::sample(&mut numbers));
        let (a, b) = (draw(rows, cols, gap), draw(rows, cols, 0));
        let scalar: E = a.get(0, 0);
        let mut bytes = Numbers::new(3);
        let mask = Tile::new(U8, rows, cols.div_ceil(8), gap).filled(|_, _| bytes.next() as u8);
        let bit = |r: usize, c: usize| mask.get::<u8>(r, c / 8) >> (c % 8) & 1 == 1;
        for plain in [false, true] {
            let (mut m, mut x, mut y) = (mask.clone(), a.clone(), b.clone());
            let mut dst = Tile::new(E::DTYPE, rows, cols, 1);
            let probe = Probe::new(op::tsel).tile("mask", &mut m).tile("src0", &mut x).tile("src1", &mut y);
            probe.tile("dst", &mut dst).plain(plain).run().expect("a kernel");
            let mut want = Tile::new(E::DTYPE, rows, cols, 1);
            want = want.filled(|r, c| if bit(r, c) { a.get::<E>(r, c) } else { b.get(r, c) });
            assert_eq!(dst, want, "{:?} {plain}", a.ty);

            let mut dst = Tile::new(E::DTYPE, rows, cols, 1);
            let probe = Probe::new(op::tsels).tile("mask", &mut m).tile("src", &mut x).tile("dst", &mut dst);
            probe.scalar("scalar", E::DTYPE, scalar_bits(scalar)).plain(plain).run().expect("a kernel");
            let mut want = Tile::new(E::DTYPE, rows, cols, 1);
            want = want.filled(|r, c| if bit(r, c) { a.get::<E>(r, c) } else { scalar });
            assert_eq!(dst, want, "{:?} {plain}", a.ty);
        }
    }
}

#[test]
fn selection_copies_bits_of_every_type() {
    select::<i8>(|x| x as i64 as u64);
    select::<u16>(u64::from);
    select::<i32>(|x| x as i64 as u64);
    select::<i64>(|x| x as u64);
    select::<f32>(|x| x.to_bits().into());
    select::<F16>(|x| x.to_f32().to_bits().into());
    select::<Bf16>(|x| x.to_f32().to_bits().into());
}

#[test]
fn selection_keeps_the_payload_of_nan() {
    let payload = f32::from_bits(0x7f80_0123);
    let mut a = Tile::from_fn(1, 70, |_, _| payload);
    let mut b = Tile::from_fn(1, 70, |_, _| 1.0f32);
    let mut mask = Tile::new(U8, 1, 9, 0).filled(|_, _| 0xffu8);
    let mut dst = Tile::new(F32, 1, 70, 0);
    let probe = Probe::new(op::tsel).tile("mask", &mut mask).tile("src0", &mut a).tile("src1", &mut b);
    probe.tile("dst", &mut dst).run().expect("a kernel");
    assert!(dst.values::<f32>().iter().all(|x| x.to_bits() == 0x7f80_0123));
}

#[test]
fn the_destination_may_be_where_the_mask_is() {
    for (rows, cols) in [(3, 200), (2, 64), (1, 7)] {
        for plain in [false, true] {
            let mut bytes = Numbers::new(8);
            let mask = Tile::new(U8, rows, cols, 0).filled(|_, _| bytes.next() as u8);
            let mut memory = mask.bytes.clone();
            let (mut m, mut dst) = (mask.clone(), Tile::new(U8, rows, cols, 0));
            // The source lies there as well: bytes of the mask are selected by its bits.
            let mut src = mask.clone();
            let probe = Probe::new(op::tsels).tile("mask", &mut m).tile("src", &mut src).tile("dst", &mut dst);
            probe.scalar("scalar", U8, 0).plain(plain).run_in(&mut memory).expect("a kernel");
            let bit = |r: usize, c: usize| mask.get::<u8>(r, c / 8) >> (c % 8) & 1 == 1;
            let want = mask.clone().filled(|r, c| if bit(r, c) { mask.get::<u8>(r, c) } else { 0 });
            assert_eq!(memory, want.bytes);
        }
    }
}

#[test]
fn bits_that_a_mask_lacks_are_zero() {
    for plain in [false, true] {
        let mut a = Tile::from_fn(2, 20, |_, _| 1i32);
        let mut b = Tile::from_fn(2, 20, |_, _| 2i32);
        let mut mask = Tile::new(U8, 1, 1, 0).filled(|_, _| 0xffu8);
        let mut dst = Tile::new(I32, 2, 20, 0);
        let probe = Probe::new(op::tsel).tile("mask", &mut mask).tile("src0", &mut a).tile("src1", &mut b);
        probe.tile("dst", &mut dst).plain(plain).run().expect("a kernel");
        let want: Vec<i32> = (0..40).map(|i| if i < 8 { 1 } else { 2 }).collect();
        assert_eq!(dst.values::<i32>(), want);
    }
}
