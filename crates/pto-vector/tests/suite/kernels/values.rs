//! Values that are easy to get wrong, instruction by instruction.

use super::legal::{Operand, Operands, Shape};
use super::tile::{Tile, from_number};
use super::{Bound, Fault, Numerics, levels};
use pto_isa::DType::{Bf16, F16, F32, I8, I16, I32, I64, U8, U16, U32};
use pto_isa::{BLayout, DType, Dim, Loc, Op, SLayout, TileType, table::op};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// An operand of a test.
enum Given {
    Tile(Tile),
    Scalar(DType, f64),
}

/// Runs an instruction in all versions; operands stand in the order of its slots, the last is the destination. All
/// versions must agree, and the destination comes back.
fn run_as(op: Op, numerics: Numerics, given: Vec<(&str, Given)>) -> Result<Tile, Fault> {
    let slot = |name: &str| op.row().slot(name).expect("a slot of this name");
    let shape = Shape { rows: 0, cols: 0, stored: 0, gap: 0 };
    let mut bound = Bound {
        op,
        operands: Operands { list: Vec::new(), attrs: Vec::new(), shape },
        memory: Vec::new(),
        tiles: Vec::new(),
        scalars: Vec::new(),
    };
    for (name, given) in given {
        match given {
            Given::Tile(tile) => {
                bound.operands.list.push((slot(name), Operand::Tile(tile.ty)));
                bound.tiles.push((slot(name), bound.memory.len()));
                bound.memory.push(tile);
            }
            Given::Scalar(dtype, number) => {
                bound.operands.list.push((slot(name), Operand::Scalar(dtype)));
                let bits = if dtype.is_float() { u64::from((number as f32).to_bits()) } else { number as i64 as u64 };
                bound.scalars.push((slot(name), bits));
            }
        }
    }
    let mut results = Vec::new();
    for level in [None].into_iter().chain(levels().map(Some)) {
        let mut bound = bound.clone();
        let prepared = bound.prepare(numerics, level).expect("code for these types");
        results.push(bound.run(prepared).map(|()| bound.memory.pop().expect("a destination")));
    }
    let first = results.swap_remove(0);
    for other in results {
        match (&first, &other) {
            (Ok(a), Ok(b)) => assert_eq!(a.differs(b, &a.ty), None, "{op:?}"),
            (a, b) => assert_eq!(a.as_ref().err(), b.as_ref().err(), "{op:?}"),
        }
    }
    first
}

fn run(op: Op, given: Vec<(&str, Given)>) -> Result<Tile, Fault> {
    run_as(op, Numerics::Reference, given)
}

fn tile(dtype: DType, numbers: &[f64]) -> Given {
    Given::Tile(Tile::of(dtype, 1, numbers.len(), numbers))
}

fn rows(dtype: DType, count: usize, numbers: &[f64]) -> Given {
    Given::Tile(Tile::of(dtype, count, numbers.len() / count, numbers))
}

/// One value for each row, in a column.
fn column(dtype: DType, numbers: &[f64]) -> Given {
    let stored = (numbers.len() as u64).next_multiple_of(32 / u64::from(dtype.unit_bytes()));
    let ty = TileType::new(Loc::Vec, dtype, stored, 1)
        .layout(BLayout::ColMajor, SLayout::NoneBox, 512)
        .valid(Dim::Fixed(numbers.len() as u64), Dim::Fixed(1));
    let mut tile = Tile::zeros(ty, 0);
    numbers.iter().enumerate().for_each(|(r, n)| tile.set(r, 0, from_number(dtype, *n)));
    Given::Tile(tile)
}

/// `f(a, b)` for one row.
fn binary(op: Op, dtype: DType, a: &[f64], b: &[f64]) -> Vec<f64> {
    let (s0, s1) = (op.row().slots[0].name, op.row().slots[1].name);
    let dst = tile(dtype, &vec![0.0; a.len()]);
    run(op, vec![(s0, tile(dtype, a)), (s1, tile(dtype, b)), ("dst", dst)]).expect("a result").numbers()
}

fn unary(op: Op, dtype: DType, a: &[f64]) -> Vec<f64> {
    let dst = tile(dtype, &vec![0.0; a.len()]);
    run(op, vec![("src", tile(dtype, a)), ("dst", dst)]).expect("a result").numbers()
}

fn with_scalar(op: Op, dtype: DType, a: &[f64], scalar: f64) -> Vec<f64> {
    let dst = tile(dtype, &vec![0.0; a.len()]);
    let given = vec![("src", tile(dtype, a)), (op.row().slots[1].name, Given::Scalar(dtype, scalar)), ("dst", dst)];
    run(op, given).expect("a result").numbers()
}

/// Equal with signs of zeros, and NaN equal to NaN.
fn same(found: &[f64], expected: &[f64]) {
    let bits = |x: &f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    let all = |list: &[f64]| list.iter().map(bits).collect::<Vec<_>>();
    assert_eq!(all(found), all(expected), "{found:?} is not {expected:?}");
}

#[test]
fn a_nan_wins_and_zeros_have_an_order() {
    let (a, b) = ([NAN, 1.0, 0.0, -0.0, -0.0, -INF, 2.0], [1.0, NAN, -0.0, 0.0, -0.0, 3.0, 2.0]);
    for dtype in [F32, F16, Bf16] {
        same(&binary(op::tmax, dtype, &a, &b), &[NAN, NAN, 0.0, 0.0, -0.0, 3.0, 2.0]);
        same(&binary(op::tmin, dtype, &a, &b), &[NAN, NAN, -0.0, -0.0, -0.0, -INF, 2.0]);
        same(&with_scalar(op::tmaxs, dtype, &[NAN, -0.0, 1.0], 0.0), &[NAN, 0.0, 1.0]);
        same(&with_scalar(op::tmins, dtype, &[NAN, 0.0, 1.0], -0.0), &[NAN, -0.0, -0.0]);
    }
    same(&binary(op::tmax, U8, &[200.0, 1.0], &[100.0, 2.0]), &[200.0, 2.0]);
    same(&binary(op::tmin, I8, &[-128.0, 1.0], &[127.0, 2.0]), &[-128.0, 1.0]);
}

#[test]
fn integers_wrap() {
    same(&binary(op::tadd, I8, &[127.0, -128.0], &[1.0, -1.0]), &[-128.0, 127.0]);
    same(&binary(op::tsub, U16, &[0.0], &[1.0]), &[65535.0]);
    same(&binary(op::tmul, I16, &[256.0, 300.0], &[256.0, 300.0]), &[0.0, 24464.0]);
    same(&unary(op::tneg, I32, &[-2147483648.0, 5.0]), &[-2147483648.0, -5.0]);
    same(&unary(op::tabs, I8, &[-128.0, -7.0]), &[-128.0, 7.0]);
    same(&with_scalar(op::tmuls, I8, &[100.0], 3.0), &[44.0]);
}

#[test]
fn division_of_integers() {
    same(&binary(op::tdiv, I32, &[-7.0, 7.0, -2147483648.0], &[2.0, -2.0, -1.0]), &[-3.0, -3.0, -2147483648.0]);
    same(&binary(op::tdiv, I8, &[-128.0], &[-1.0]), &[-128.0]);
    same(&unary(op::trecip, I16, &[1.0, -1.0, 2.0, -32768.0]), &[1.0, -1.0, 0.0, 0.0]);
    same(&unary(op::trecip, U8, &[1.0, 255.0]), &[1.0, 0.0]);
}

#[test]
fn a_zero_divisor_is_named_and_nothing_is_written() {
    let fault = |row, col| Some(Fault::DivisionByZero { row, col });
    let of = |op, given| run(op, given).err();
    let (ones, zeros) = ([1.0; 6], [1.0, 2.0, 3.0, 4.0, 0.0, 0.0]);
    let dst = || rows(I32, 2, &[9.0; 6]);
    for name in [op::tdiv, op::trem, op::tfmod] {
        let given = vec![("src0", rows(I32, 2, &ones)), ("src1", rows(I32, 2, &zeros)), ("dst", dst())];
        assert_eq!(of(name, given), fault(1, 1), "{name:?}");
    }
    assert_eq!(of(op::trecip, vec![("src", rows(I32, 2, &zeros)), ("dst", dst())]), fault(1, 1));
    let by_zero = vec![("src", rows(I32, 2, &ones)), ("scalar", Given::Scalar(I32, 0.0)), ("dst", dst())];
    assert_eq!(of(op::tfmods, by_zero), fault(0, 0));
    let of_tile = vec![("src0", Given::Scalar(I32, 5.0)), ("src1", rows(I32, 2, &zeros)), ("dst", dst())];
    assert_eq!(of(op::tdivs, of_tile), fault(1, 1));
    let by_row = vec![("src0", rows(I32, 2, &ones)), ("src1", column(I32, &[1.0, 0.0])), ("dst", dst())];
    assert_eq!(of(op::trowexpanddiv, by_row), fault(1, 0));
    let by_column = vec![("src0", rows(I32, 2, &ones)), ("src1", tile(I32, &[1.0, 0.0, 1.0])), ("dst", dst())];
    assert_eq!(of(op::tcolexpanddiv, by_column), fault(0, 1));
    // The scalar is cut to the element type first.
    let cut = vec![("src", rows(I8, 1, &[1.0])), ("scalar", Given::Scalar(I32, 256.0)), ("dst", rows(I8, 1, &[9.0]))];
    assert_eq!(of(op::trems, cut), fault(0, 0));
}

#[test]
fn division_of_floats() {
    same(&binary(op::tdiv, F32, &[1.0, -1.0, 0.0, 1.0], &[0.0, 0.0, 0.0, -0.0]), &[INF, -INF, NAN, -INF]);
    let given =
        vec![("src0", Given::Scalar(F16, 1.0)), ("src1", tile(F16, &[3.0, 0.0])), ("dst", tile(F16, &[0.0; 2]))];
    same(&run(op::tdivs, given).expect("a result").numbers(), &[0.33325195, INF].map(|x: f64| f64::from(x as f32)));
    let given =
        vec![("src0", tile(F32, &[3.0, 6.0])), ("src1", Given::Scalar(F32, 2.0)), ("dst", tile(F32, &[0.0; 2]))];
    same(&run(op::tdivs, given).expect("a result").numbers(), &[1.5, 3.0]);
}

#[test]
fn remainders_have_a_sign() {
    let (a, b) = ([-7.0, 7.0, -6.0, 6.0], [3.0, -3.0, 3.0, -3.0]);
    for dtype in [I8, I16, I32, I64] {
        same(&binary(op::trem, dtype, &a, &b), &[2.0, -2.0, 0.0, 0.0]);
        same(&binary(op::tfmod, dtype, &a, &b), &[-1.0, 1.0, 0.0, 0.0]);
        same(&with_scalar(op::trems, dtype, &a, 3.0), &[2.0, 1.0, 0.0, 0.0]);
    }
    for dtype in [F32, F16, Bf16] {
        same(&binary(op::trem, dtype, &a, &b), &[2.0, -2.0, -0.0, 0.0]);
        same(&binary(op::tfmod, dtype, &a, &b), &[-1.0, 1.0, -0.0, 0.0]);
    }
    same(&binary(op::trem, F32, &[1.0, -1e-8, -1.0, INF], &[0.0, 3.0, INF, 2.0]), &[NAN, 3.0, INF, NAN]);
    same(&binary(op::trem, I32, &[-2147483648.0], &[-1.0]), &[0.0]);
    same(&binary(op::trem, U8, &[200.0], &[7.0]), &[4.0]);
}

#[test]
fn shifts_move_every_bit_out() {
    same(&binary(op::tshl, I8, &[1.0, 1.0, 1.0, 3.0], &[7.0, 8.0, -1.0, 1.0]), &[-128.0, 0.0, 0.0, 6.0]);
    same(&binary(op::tshl, U32, &[1.0, 1.0], &[31.0, 32.0]), &[2147483648.0, 0.0]);
    same(&binary(op::tshr, I16, &[-8.0, -8.0, 8.0, -8.0], &[1.0, 16.0, 100.0, -1.0]), &[-4.0, -1.0, 0.0, -1.0]);
    same(&binary(op::tshr, U16, &[65535.0, 65535.0], &[15.0, 16.0]), &[1.0, 0.0]);
    let shifted = |count: f64| {
        let given = vec![("src", tile(I8, &[-3.0])), ("scalar", Given::Scalar(I32, count)), ("dst", tile(I8, &[0.0]))];
        run(op::tshrs, given).expect("a result").numbers()[0]
    };
    assert_eq!([shifted(1.0), shifted(8.0), shifted(256.0), shifted(-1.0)], [-2.0, -1.0, -1.0, -1.0]);
    same(&with_scalar(op::tshls, I16, &[1.0, -1.0], 15.0), &[-32768.0, -32768.0]);
}

#[test]
fn powers() {
    let (a, b) = ([3.0, 2.0, 0.0, -1.0, -1.0, 1.0, 5.0, 0.0], [25.0, 31.0, 0.0, -3.0, -2.0, -9.0, -1.0, -1.0]);
    same(&binary(op::tpow, I32, &a, &b), &[1180052131.0, -2147483648.0, 1.0, -1.0, 1.0, 1.0, 0.0, 0.0]);
    same(&with_scalar(op::tpows, U8, &[3.0, 2.0], 7.0), &[139.0, 128.0]);
    same(
        &binary(op::tpow, F32, &[2.0, -2.0, NAN, -8.0, 0.0], &[3.0, 3.0, 0.0, 0.5, -1.0]),
        &[8.0, -8.0, 1.0, NAN, INF],
    );
}

#[test]
fn relu_has_no_negative_zero() {
    for dtype in [F32, F16, Bf16] {
        same(&unary(op::trelu, dtype, &[-0.0, 0.0, -1.0, -INF, INF, NAN, 2.0]), &[0.0, 0.0, 0.0, 0.0, INF, NAN, 2.0]);
        same(&binary(op::tsubrelu, dtype, &[1.0, 2.0, INF], &[2.0, 1.0, INF]), &[0.0, 1.0, NAN]);
        same(&unary(op::tneg, dtype, &[0.0, -1.5, INF]), &[-0.0, 1.5, -INF]);
        same(&unary(op::tabs, dtype, &[-0.0, -1.5, -INF]), &[0.0, 1.5, INF]);
        same(&with_scalar(op::tlrelu, dtype, &[2.0, -2.0, -0.0], 0.5), &[2.0, -1.0, -0.0]);
        same(&binary(op::tprelu, dtype, &[2.0, -2.0, 0.0], &[9.0, 0.25, -1.0]), &[2.0, -0.5, -0.0]);
    }
    same(&unary(op::trelu, I32, &[-5.0, 5.0]), &[0.0, 5.0]);
}

#[test]
fn two_steps_round_twice_and_fused_ones_once() {
    // 2048 + 1 is a tie in half precision; the steps lose both ones, together they would count.
    let three = [2048.0, 1.0, 1.0].map(|v| tile(F16, &[v]));
    let given = ["src0", "src1", "src2", "dst"].into_iter().zip(three.into_iter().chain([tile(F16, &[0.0])]));
    same(&run(op::taddc, given.collect()).expect("a result").numbers(), &[2048.0]);
    let given = vec![
        ("src0", tile(F16, &[2048.0])),
        ("scalar", Given::Scalar(F16, 1.0)),
        ("src1", tile(F16, &[1.0])),
        ("dst", tile(F16, &[0.0])),
    ];
    same(&run(op::taddsc, given).expect("a result").numbers(), &[2048.0]);
    let fused = |dtype, a, b, c| {
        let given = vec![("src0", tile(dtype, &[a])), ("src1", tile(dtype, &[b])), ("dst", tile(dtype, &[c]))];
        run(op::tmuladddst, given).expect("a result").numbers()[0]
    };
    // (1 + 2⁻¹²)² needs more bits than an f32 has; only its lowest bit is left of the difference.
    let x = 1.0 + 2f64.powi(-12);
    assert_eq!(fused(F32, x, x, -(1.0 + 2f64.powi(-11))), 2f64.powi(-24));
    // The sums are just above a tie; rounding them to f32 first would make them ties.
    assert_eq!(fused(Bf16, 1.0625, 1.0625, 2f64.powi(-40)), 1.1328125);
    assert_eq!(fused(F16, 1.0, 2048.0, 1.0), 2048.0);
    assert_eq!(fused(F16, 1.03125, 1.015625, 2f64.powi(-24)), 1.046875 + 2f64.powi(-10));
    let given = vec![("src", tile(F16, &[3.0])), ("scalar", Given::Scalar(F16, 0.1)), ("dst", tile(F32, &[1.0]))];
    let tenth = f64::from(pto_num::F16::from_f32(0.1).to_f32());
    same(&run(op::taxpy, given).expect("a result").numbers(), &[f64::from((3.0 * tenth + 1.0) as f32)]);
}

#[test]
fn the_difference_is_rounded_before_the_exponential() {
    // 3 − 2⁻¹⁰ rounds to 3 in half precision.
    let given = vec![("src0", tile(F16, &[3.0])), ("src1", column(F16, &[2f64.powi(-11)])), ("dst", tile(F16, &[0.0]))];
    let e3 = f64::from(pto_num::F16::from_f32(3f32.exp()).to_f32());
    same(&run(op::trowexpandexpdif, given).expect("a result").numbers(), &[e3]);
    let given = vec![("src0", column(F32, &[1.0])), ("src1", tile(F32, &[1.0, INF])), ("dst", tile(F32, &[9.0; 2]))];
    same(&run(op::trowexpandexpdif, given).expect("a result").numbers(), &[1.0, 0.0]);
}

#[test]
fn conversions_saturate() {
    let convert = |op, src: DType, dst: DType, a: &[f64], b: &[f64]| {
        let zero = tile(dst, &vec![0.0; a.len()]);
        run(op, vec![("src0", tile(src, a)), ("src1", tile(src, b)), ("dst", zero)]).expect("a result").numbers()
    };
    let (a, b) = ([1.0, 60000.0, -5.0, NAN, INF], [2.0, 60000.0, 1.0, 0.0, 0.0]);
    same(&convert(op::taddreluconv, F32, F16, &a, &b), &[3.0, 65504.0, 0.0, NAN, 65504.0]);
    let (a, b) = ([1.5, 2.5, 200.0, -3.0, NAN, INF, 0.5], [0.0; 7]);
    same(&convert(op::tsubreluconv, F16, I8, &a, &b), &[2.0, 2.0, 127.0, 0.0, 0.0, 127.0, 0.0]);
    same(&convert(op::taddreluconv, I16, I8, &[100.0, 32767.0, 5.0], &[100.0, 1.0, -9.0]), &[127.0, 0.0, 0.0]);
    let scaled = |scale| {
        let (a, b) = (tile(I32, &[6.0, -3.0, 1e9]), tile(I32, &[4.0, 1.0, 0.0]));
        let given =
            vec![("src0", a), ("src1", b), ("deq_scale", Given::Scalar(F32, scale)), ("dst", tile(F16, &[0.0; 3]))];
        run(op::tadddeqrelu, given).expect("a result").numbers()
    };
    same(&scaled(0.5), &[5.0, 0.0, 65504.0]);
}

#[test]
fn either_operand_may_be_repeated() {
    let full = || rows(F32, 2, &[1.0, 2.0, 3.0, 10.0, 20.0, 30.0]);
    let dst = || rows(F32, 2, &[0.0; 6]);
    let sub =
        |op, a: Given, b: Given| run(op, vec![("src0", a), ("src1", b), ("dst", dst())]).expect("a result").numbers();
    same(&sub(op::trowexpandsub, full(), column(F32, &[1.0, 5.0])), &[0.0, 1.0, 2.0, 5.0, 15.0, 25.0]);
    same(&sub(op::trowexpandsub, column(F32, &[1.0, 5.0]), full()), &[0.0, -1.0, -2.0, -5.0, -15.0, -25.0]);
    same(&sub(op::tcolexpandsub, full(), tile(F32, &[1.0, 2.0, 3.0])), &[0.0, 0.0, 0.0, 9.0, 18.0, 27.0]);
    same(&sub(op::tcolexpandsub, tile(F32, &[1.0, 2.0, 3.0]), full()), &[0.0, 0.0, 0.0, -9.0, -18.0, -27.0]);
    let (wide, block): (Vec<f64>, Vec<f64>) = ((0..10).map(f64::from).collect(), (0..8).map(f64::from).collect());
    let expected = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0, 8.0];
    let blocks = |a, b| vec![("src0", a), ("src1", b), ("dst", tile(F32, &[9.0; 10]))];
    let found = run(op::trowexpandsub, blocks(tile(F32, &wide), tile(F32, &block))).expect("a result");
    same(&found.numbers(), &expected);
    let found = run(op::trowexpandsub, blocks(tile(F32, &block), tile(F32, &wide))).expect("a result");
    same(&found.numbers(), &expected.map(|x| 0.0 - x));
}

#[test]
fn copies_of_rows_and_columns() {
    let given = vec![("src", column(U8, &[1.0, 2.0])), ("dst", rows(U8, 2, &[0.0; 6]))];
    same(&run(op::trowexpand, given).expect("a result").numbers(), &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    let given = vec![("src", rows(I64, 2, &[1.0, 2.0, 3.0, 4.0])), ("dst", rows(I64, 2, &[0.0; 4]))];
    same(&run(op::trowexpand, given).expect("a result").numbers(), &[1.0, 1.0, 3.0, 3.0]);
    let given = vec![("src", tile(F16, &[1.0, 2.0])), ("dst", rows(F16, 3, &[0.0; 6]))];
    same(&run(op::tcolexpand, given).expect("a result").numbers(), &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
}

#[test]
fn parts_are_added_or_copied() {
    let add = |a: Given, b: Given| {
        let given = vec![("src0", a), ("src1", b), ("dst", rows(I32, 2, &[-1.0; 6]))];
        run(op::tpartadd, given).expect("a result").numbers()
    };
    let full = || rows(I32, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    same(&add(full(), tile(I32, &[10.0, 20.0])), &[11.0, 22.0, 3.0, 4.0, 5.0, 6.0]);
    same(&add(rows(I32, 2, &[10.0, 20.0]), full()), &[11.0, 2.0, 3.0, 24.0, 5.0, 6.0]);
    // A row and a column: what neither has stays.
    let found = add(tile(I32, &[1.0, 2.0, 3.0]), rows(I32, 2, &[10.0, 20.0]));
    same(&found, &[11.0, 2.0, 3.0, 20.0, -1.0, -1.0]);
}

#[test]
fn ties_and_nans_choose_a_side() {
    let run_arg = |op, numerics| {
        let (a, b) = ([1.0, 2.0, 3.0, NAN, 1.0, 0.0], [2.0, 1.0, 3.0, 1.0, NAN, -0.0]);
        let indices = |first: f64| tile(I16, &[first; 6]);
        let given = vec![
            ("src0_val", tile(F16, &a)),
            ("src1_val", tile(F16, &b)),
            ("src0_idx", indices(0.0)),
            ("src1_idx", indices(1.0)),
            ("dst_val", tile(F16, &[0.0; 6])),
            ("dst_idx", indices(9.0)),
        ];
        run_as(op, numerics, given).expect("a result").numbers()
    };
    same(&run_arg(op::tpartargmax, Numerics::Reference), &[1.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
    same(&run_arg(op::tpartargmax, Numerics::A2A3), &[1.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
    same(&run_arg(op::tpartargmax, Numerics::A5), &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    same(&run_arg(op::tpartargmin, Numerics::Reference), &[0.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    same(&run_arg(op::tpartargmin, Numerics::A5), &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
}
