//! What reductions give, and that the fast kernels give the same as the plain ones.

use crate::probe::{FILLER, Numbers, Probe, Sample, Tile};
use pto_isa::DType::{self, F32, I16, I32};
use pto_isa::Op;
use pto_isa::table::op;
use pto_num::{Bf16, F16};

const ROW_OPS: [Op; 4] = [op::trowsum, op::trowprod, op::trowmax, op::trowmin];
const COL_OPS: [Op; 4] = [op::tcolsum, op::tcolprod, op::tcolmax, op::tcolmin];
const ROW_ARGS: [Op; 2] = [op::trowargmax, op::trowargmin];
const COL_ARGS: [Op; 2] = [op::tcolargmax, op::tcolargmin];

/// Rows, columns, and blocks between rows.
const SHAPES: [(usize, usize, usize); 18] = [
    (64, 64, 0),
    (33, 128, 1),
    (67, 192, 0),
    (9, 320, 0),
    (16, 64, 0),
    (5, 128, 0),
    (40, 64, 1),
    (3, 192, 0),
    (7, 100, 0),
    (1, 257, 1),
    (17, 1, 0),
    (1, 1, 0),
    (33, 16, 0),
    (19, 31, 2),
    (4, 33, 0),
    (64, 7, 0),
    (35, 80, 0),
    (2, 300, 3),
];

fn run(op: Op, src: &Tile, dst: &Tile, plain: bool) -> Tile {
    let (mut src, mut dst) = (src.clone(), dst.clone());
    Probe::new(op).tile("src", &mut src).tile("dst", &mut dst).plain(plain).run().expect("a kernel");
    dst
}

fn row_result(op: Op, row: &[f32]) -> f32 {
    let src = Tile::from_fn(1, row.len(), |_, c| row[c]);
    run(op, &src, &Tile::new(F32, 1, 1, 0), false).get(0, 0)
}

fn agree<E: Sample>(op: Op, src: &Tile, dst: &Tile) {
    let (fast, plain) = (run(op, src, dst, false), run(op, src, dst, true));
    let same = fast.values::<E>().iter().zip(plain.values::<E>()).all(|(a, b)| a.same(b));
    assert!(same, "{} {:?}: {:?} is not {:?}", op.row().name, src.ty, &fast.bytes, &plain.bytes);
    let untouched =
        |t: &Tile| t.bytes.iter().filter(|b| **b == FILLER).count() + t.values::<E>().len() * size_of::<E>();
    assert!(untouched(&fast) >= fast.bytes.len(), "{} wrote outside of the valid region", op.row().name);
}

fn agree_all<E: Sample>() {
    let mut numbers = Numbers::new(E::DTYPE as u64);
    for (rows, cols, gap) in SHAPES {
        for round in 0..3 {
            let src = Tile::new(E::DTYPE, rows, cols, gap).filled(|_, _| E::sample(&mut numbers));
            for op in ROW_OPS {
                agree::<E>(op, &src, &Tile::new(E::DTYPE, rows, 1, round));
                agree::<E>(op, &src, &Tile::column(E::DTYPE, rows));
            }
            for op in COL_OPS {
                agree::<E>(op, &src, &Tile::new(E::DTYPE, 1, cols, round));
            }
            agree::<E>(op::tpairreducesum, &src, &Tile::new(E::DTYPE, rows, cols, round));
            for (op, like) in ROW_ARGS.map(|op| (op, (rows, 1))).into_iter().chain(COL_ARGS.map(|op| (op, (1, cols)))) {
                args_agree::<E>(op, &src, like);
            }
        }
    }
}

fn run_arg(op: Op, src: &Tile, like: (usize, usize), index: DType, plain: bool) -> (Tile, Tile) {
    let mut src = src.clone();
    let mut val = Tile::new(src.ty.dtype, like.0, like.1, 0);
    let mut idx = Tile::new(index, like.0, like.1, 0);
    let probe = Probe::new(op).tile("src", &mut src).tile("dst_val", &mut val).tile("dst_idx", &mut idx);
    probe.plain(plain).run().expect("a kernel");
    (val, idx)
}

fn args_agree<E: Sample>(op: Op, src: &Tile, like: (usize, usize)) {
    for index in [I16, I32] {
        let (fast, plain) = (run_arg(op, src, like, index, false), run_arg(op, src, like, index, true));
        assert_eq!(fast.1, plain.1, "{} {:?}", op.row().name, src.ty);
        let same = fast.0.values::<E>().iter().zip(plain.0.values::<E>()).all(|(a, b)| a.same(b));
        assert!(same, "{} {:?}", op.row().name, src.ty);
    }
}

#[test]
fn fast_and_plain_agree_on_integers() {
    agree_all::<i8>();
    agree_all::<u8>();
    agree_all::<i16>();
    agree_all::<u16>();
    agree_all::<i32>();
    agree_all::<u32>();
    agree_all::<i64>();
    agree_all::<u64>();
}

#[test]
fn fast_and_plain_agree_on_floats() {
    agree_all::<f32>();
    agree_all::<F16>();
    agree_all::<Bf16>();
}

/// Extremes have shortcuts for numbers of the sign that usually wins.
fn agree_by_sign<E: Sample>(sign: fn(E) -> E) {
    let mut numbers = Numbers::new(77);
    for (rows, cols) in [(64, 64), (32, 128), (16, 64), (40, 70)] {
        for special in [false, true] {
            let odd = (numbers.next() as usize % rows, numbers.next() as usize % cols);
            let src = Tile::new(E::DTYPE, rows, cols, 0).filled(|r, c| match E::sample(&mut numbers) {
                x if special && (r, c) == odd => x,
                x => sign(x),
            });
            for (op, like) in
                [(op::trowmax, (rows, 1)), (op::trowmin, (rows, 1)), (op::tcolmax, (1, cols)), (op::tcolmin, (1, cols))]
            {
                agree::<E>(op, &src, &Tile::new(E::DTYPE, like.0, like.1, 0));
            }
            for (op, like) in ROW_ARGS.map(|op| (op, (rows, 1))).into_iter().chain(COL_ARGS.map(|op| (op, (1, cols)))) {
                args_agree::<E>(op, &src, like);
            }
        }
    }
}

#[test]
fn fast_and_plain_agree_on_floats_of_one_sign() {
    fn number(x: f32) -> f32 {
        if x.is_nan() { 3.0 } else { x.abs() + 0.5 }
    }
    agree_by_sign::<f32>(number);
    agree_by_sign::<f32>(|x| -number(x));
    agree_by_sign::<f32>(|x| if x.is_nan() { -1.0 } else { x });
    agree_by_sign::<F16>(|x| F16::from_f32(number(x.to_f32())));
    agree_by_sign::<F16>(|x| F16::from_f32(-number(x.to_f32())));
    agree_by_sign::<F16>(|x| if x.to_f32().is_nan() { F16(0x8000) } else { x });
    agree_by_sign::<Bf16>(|x| Bf16::from_f32(number(x.to_f32())));
    agree_by_sign::<Bf16>(|x| Bf16::from_f32(-number(x.to_f32())));
    agree_by_sign::<Bf16>(|x| if x.to_f32().is_nan() { Bf16(0x8000) } else { x });
}

#[test]
fn one_nan_of_either_sign_is_found_anywhere() {
    for (r, c) in [(0, 0), (63, 63), (17, 40), (1, 127), (40, 64)] {
        for nan in [0x7e00u16, 0xfe00, 0x7c01, 0xffff] {
            let src =
                Tile::from_fn(
                    64,
                    128,
                    |i, k| if (i, k) == (r, c) { F16(nan) } else { F16(0x3c00 ^ (k as u16 & 1) << 15) },
                );
            for op in [op::trowmax, op::trowmin] {
                let dst = run(op, &src, &Tile::new(DType::F16, 64, 1, 0), false);
                let found = (0..64).filter(|i| dst.get::<F16>(*i, 0).to_f32().is_nan());
                assert_eq!(found.collect::<Vec<_>>(), [r], "{}", op.row().name);
            }
            for op in [op::tcolmax, op::tcolmin] {
                let dst = run(op, &src, &Tile::new(DType::F16, 1, 128, 0), false);
                let found = (0..128).filter(|k| dst.get::<F16>(0, *k).to_f32().is_nan());
                assert_eq!(found.collect::<Vec<_>>(), [c], "{}", op.row().name);
            }
        }
    }
}

#[test]
fn sums_keep_the_sign_of_zero_and_follow_the_lanes() {
    assert_eq!(row_result(op::trowsum, &[-0.0, -0.0]).to_bits(), (-0.0f32).to_bits());
    assert_eq!(row_result(op::trowsum, &[-0.0, 0.0]).to_bits(), 0);
    // Elements 0 and 64 share a lane, so they cancel before the small ones come in.
    let mut row = [0.0f32; 65];
    (row[0], row[32], row[64]) = (1e20, 1.0, -1e20);
    assert_eq!(row_result(op::trowsum, &row), 1.0);
    // In lanes 0 and 32 the large one swallows the small one.
    let mut row = [0.0f32; 64];
    (row[0], row[32], row[16]) = (1.0, 1e20, -1e20);
    assert_eq!(row_result(op::trowsum, &row), 0.0);
}

#[test]
fn half_precision_accumulates_in_single_precision() {
    let src = Tile::from_fn(1, 4096, |_, _| F16::from_f32(1.0));
    let dst = run(op::trowsum, &src, &Tile::new(DType::F16, 1, 1, 0), false);
    assert_eq!(dst.get::<F16>(0, 0).to_f32(), 4096.0);
    let src = Tile::from_fn(4096, 1, |_, _| F16::from_f32(1.0));
    let dst = run(op::tcolsum, &src, &Tile::new(DType::F16, 1, 1, 0), false);
    assert_eq!(dst.get::<F16>(0, 0).to_f32(), 4096.0);
}

#[test]
fn extremes_know_zeros_and_nan() {
    for (op, of_zeros) in [(op::trowmax, 0.0f32), (op::trowmin, -0.0)] {
        assert_eq!(row_result(op, &[0.0, -0.0]).to_bits(), of_zeros.to_bits());
        assert_eq!(row_result(op, &[-0.0, 0.0]).to_bits(), of_zeros.to_bits());
        for nan in [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001), f32::from_bits(0xffff_ffff)] {
            assert!(row_result(op, &[1.0, nan, f32::INFINITY, f32::NEG_INFINITY]).is_nan());
            let src = Tile::from_fn(3, 20, |r, c| if (r, c) == (1, 19) { nan } else { 2.0 });
            let col = if op == op::trowmax { op::tcolmax } else { op::tcolmin };
            let dst = run(col, &src, &Tile::new(F32, 1, 20, 0), false);
            assert!(dst.get::<f32>(0, 19).is_nan() && dst.get::<f32>(0, 18) == 2.0);
        }
    }
    assert_eq!(row_result(op::trowmax, &[f32::NEG_INFINITY; 70]), f32::NEG_INFINITY);
    let tiny = f32::from_bits;
    assert_eq!(row_result(op::trowmin, &[-tiny(1), -tiny(2), tiny(3)]), -tiny(2));
}

#[test]
fn integers_wrap() {
    let src = Tile::from_fn(1, 3, |_, _| i16::MAX);
    assert_eq!(run(op::trowsum, &src, &Tile::new(I16, 1, 1, 0), false).get::<i16>(0, 0), i16::MAX.wrapping_mul(3));
    let src = Tile::from_fn(1, 4, |_, _| 200i16);
    assert_eq!(run(op::trowprod, &src, &Tile::new(I16, 1, 1, 0), false).get::<i16>(0, 0), 200i16.wrapping_pow(4));
}

#[test]
fn the_first_of_equal_elements_and_the_first_nan_win() {
    let row = [1.0, 3.0, -0.0, 3.0, f32::INFINITY, f32::INFINITY];
    let index = |op, row: &[f32]| {
        let src = Tile::from_fn(1, row.len(), |_, c| row[c]);
        let by_row = run_arg(op, &src, (1, 1), I32, false).1.get::<i32>(0, 0);
        let turned = Tile::from_fn(row.len(), 9, |r, _| row[r]);
        let col = if op == op::trowargmax { op::tcolargmax } else { op::tcolargmin };
        let by_col = run_arg(col, &turned, (1, 9), I32, false).1.get::<i32>(0, 8);
        assert_eq!(by_row, by_col);
        by_row
    };
    assert_eq!(index(op::trowargmax, &row), 4);
    assert_eq!(index(op::trowargmin, &row), 2);
    assert_eq!(index(op::trowargmax, &[0.0, -0.0, 0.0]), 0);
    assert_eq!(index(op::trowargmax, &[-0.0, 0.0]), 0);
    assert_eq!(index(op::trowargmin, &[0.0, -0.0]), 0);
    for nan in [f32::NAN, -f32::NAN] {
        let row = [f32::INFINITY, f32::NEG_INFINITY, nan, -nan, f32::NAN];
        assert_eq!(index(op::trowargmax, &row), 2);
        assert_eq!(index(op::trowargmin, &row), 2);
    }
}

#[test]
fn an_index_may_come_without_the_value() {
    let mut src = Tile::from_fn(3, 70, |r, c| if c == 60 + r { 9i32 } else { -1 });
    let mut idx = Tile::column(I32, 3);
    Probe::new(op::trowargmax).tile("src", &mut src).tile("dst_idx", &mut idx).run().expect("a kernel");
    assert_eq!(idx.values::<i32>(), [60, 61, 62]);
}

#[test]
fn pairs_copy_an_odd_last_element_and_clear_the_rest() {
    let src = Tile::from_fn(1, 5, |_, c| c as f32 + 1.0);
    let dst = run(op::tpairreducesum, &src, &Tile::new(F32, 1, 5, 0), false);
    assert_eq!(dst.values::<f32>(), [3.0, 7.0, 5.0, 0.0, 0.0]);
}

#[test]
fn empty_regions_do_nothing() {
    let src = Tile::new(F32, 0, 0, 0);
    for (op, dst) in [(op::trowsum, Tile::new(F32, 0, 0, 0)), (op::tcolmax, Tile::new(F32, 1, 0, 0))] {
        for plain in [false, true] {
            assert_eq!(run(op, &src, &dst, plain), dst);
        }
    }
}
