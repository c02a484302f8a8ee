//! From tiles to repeats and masks on a2a3: cases that were worked out by hand from how the device headers cut tiles.

use pto_cost::{Execution, Laws, TileUse, Work, work};
use pto_isa::{DType, Loc, Target, table};

/// The work of an instruction on tiles of one size.
fn work_of(name: &str, dtype: DType, size: (u64, u64), valid: (u64, u64)) -> Work {
    let op = table::find(name).expect("an instruction");
    let reads = if name.ends_with('s') || op.row().slots.len() < 3 { 1 } else { 2 };
    let tile = |write| TileUse { loc: Loc::Vec, dtype, size, valid, write };
    let mut tiles = vec![tile(false); reads];
    tiles.push(tile(true));
    let instance = Execution { op, tiles, loaded: 0, stored: 0, mode: "" };
    work(&instance, Laws::of(Target::A2A3).instruction(op, &[dtype], "").expect("a law"))
}

fn check(name: &str, dtype: DType, size: (u64, u64), valid: (u64, u64), repeats: f64, masked: bool) {
    let work = work_of(name, dtype, size, valid);
    assert_eq!((work.repeats, work.masked), (repeats, masked), "{name} {dtype} {size:?} valid {valid:?}");
}

#[test]
fn whole_tiles_are_one_run() {
    check("tadd", DType::F32, (64, 64), (64, 64), 64.0, false);
    check("tadd", DType::F16, (16, 256), (16, 256), 32.0, false);
    check("texp", DType::F16, (64, 64), (64, 64), 32.0, false);
}

/// Two operands in rows narrower than a repeat take a repeat for each row; one operand does not care.
#[test]
fn narrow_tiles() {
    check("tadd", DType::I16, (64, 64), (64, 64), 64.0, true);
    check("tadd", DType::F32, (32, 32), (32, 32), 32.0, true);
    check("tadds", DType::F32, (32, 32), (32, 32), 16.0, false);
}

/// More than 255 repeats, or rows that do not end with one, are counted.
#[test]
fn counted_runs() {
    check("tadd", DType::F32, (128, 128), (128, 128), 256.0, true);
    check("tadd", DType::F32, (32, 96), (32, 96), 48.0, true);
    check("tadds", DType::F16, (32, 144), (32, 144), 36.0, true);
}

/// Unused columns cut a tile into columns of repeats; the last is masked where it is not full.
#[test]
fn tiles_with_unused_columns() {
    check("tadd", DType::F32, (64, 128), (64, 100), 128.0, true);
    check("tadd", DType::F32, (20, 512), (16, 200), 64.0, true);
    check("tmuls", DType::F32, (64, 128), (64, 64), 64.0, false);
}

#[test]
fn reductions_fold_rows() {
    let rows = work_of("trowmax", DType::F32, (32, 240), (32, 240));
    assert_eq!((rows.rows, rows.folds, rows.steps, rows.masked), (32.0, 96.0, 3.0, true));
    // A remainder takes a second pass over the rows, except in a sum.
    assert_eq!(work_of("tcolmax", DType::F32, (32, 96), (32, 96)).rows, 64.0);
    assert_eq!(work_of("tcolmax", DType::F32, (32, 128), (32, 128)).rows, 32.0);
    assert_eq!(work_of("tcolsum", DType::F32, (32, 96), (32, 96)).rows, 32.0);
}

/// A5 loops over everything at once where rows are whole, and over rows and repeats otherwise.
#[test]
fn nests_of_loops() {
    assert_eq!(work_of("tadd", DType::F32, (20, 128), (20, 128)).nest, (1, 40));
    assert_eq!(work_of("tadd", DType::F32, (20, 160), (20, 128)).nest, (20, 2));
}
