//! Code for single rows gives the bits of the whole instruction, and chains those of their steps.

use crate::probe::{Numbers, Probe, Tile};
use pto_isa::table::op;
use pto_isa::{DType, Op};
use pto_num::{CpuLevel, cpu_level};
use pto_vector::{
    ChainLink, FAMILIES, Fetch, OpKernel, RowCall, RowCode, RowFn, RowKind, TileRef, chain, difference_and_squares,
    sum_of_products,
};
use std::cell::Cell;
use std::collections::BTreeSet;

const ROWS: usize = 3;
const COLS: [usize; 6] = [1, 15, 64, 200, 256, 1031];

/// Which of the operands of an instruction is not as large as the others.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Shape {
    Same,
    /// A value for each row.
    Values(&'static str),
    /// A row for all rows.
    Row(&'static str),
    /// It is not a tile: there is a scalar.
    Scalar(&'static str),
}

const SHAPES: [Shape; 10] = [
    Shape::Same,
    Shape::Values("src"),
    Shape::Values("src0"),
    Shape::Values("src1"),
    Shape::Values("dst"),
    Shape::Row("src"),
    Shape::Row("src1"),
    Shape::Scalar(""),
    Shape::Scalar("src0"),
    Shape::Scalar("src1"),
];

impl Shape {
    /// True when an instruction may have such operands.
    fn suits(self, of: Op, kernel: &OpKernel) -> bool {
        let name = of.row().name;
        match self {
            Self::Values("dst") => name.starts_with("trow") && !name.starts_with("trowexpand"),
            Self::Values(slot) => name.starts_with("trowexpand") && kernel.tiles.contains(&slot),
            Self::Row(slot) => name.starts_with("tcolexpand") && kernel.tiles.contains(&slot),
            Self::Same => !["trow", "tcol"].iter().any(|family| name.starts_with(family)),
            Self::Scalar(slot) => kernel.scalars.contains(&slot) || slot.is_empty() && !kernel.scalars.is_empty(),
        }
    }
}

/// Numbers of all kinds, but few that make everything NaN.
fn number(n: &mut Numbers) -> f32 {
    let x = n.next();
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, f32::MAX, 1e-40, f32::MIN_POSITIVE];
    match x >> 54 {
        at @ 0..8 => special[at as usize],
        _ => f32::from_bits((x >> 20) as u32 & 0x807f_ffff | (120 + (x >> 60) as u32 % 12) << 23),
    }
}

fn tiles(kernel: &OpKernel, shape: Shape, cols: usize, n: &mut Numbers) -> Vec<(&'static str, Tile)> {
    let slots: BTreeSet<&str> = kernel.tiles.iter().copied().filter(|slot| !slot.is_empty()).collect();
    let tile = |slot: &'static str| match shape {
        Shape::Values(of) if of == slot => Tile::column(DType::F32, ROWS),
        Shape::Row(of) if of == slot => Tile::new(DType::F32, 1, cols, 0),
        _ => Tile::new(DType::F32, ROWS, cols, 1),
    };
    let is_tile = |slot: &&&'static str| shape != Shape::Scalar(slot);
    slots.iter().filter(is_tile).map(|slot| (*slot, tile(slot).filled(|_, _| number(n)))).collect()
}

fn probe<'a>(of: Op, kernel: &OpKernel, shape: Shape, tiles: &'a mut [(&'static str, Tile)]) -> Probe<'a> {
    let present: Vec<&str> = tiles.iter().map(|(slot, _)| *slot).collect();
    let scalars = kernel.scalars.iter().filter(|slot| !slot.is_empty() && !present.contains(*slot));
    let scalars = scalars.filter(|_| matches!(shape, Shape::Scalar(_)));
    let probe = tiles.iter_mut().fold(Probe::new(of), |probe, (slot, tile)| probe.tile(slot, tile));
    scalars.fold(probe, |probe, slot| probe.scalar(slot, DType::F32, 1.7f32.to_bits().into()))
}

/// Bits, but for those of NaN, which are no part of a result.
fn bits(tile: &Tile) -> Vec<u32> {
    let words = tile.bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    words.map(|x| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }).collect()
}

/// Executes an instruction row by row, and gives the sums of the rows if the code makes them.
fn by_rows(code: &RowCode, run: RowFn, tiles: &[TileRef], scalars: &[u64]) -> [f32; ROWS] {
    let RowCode { operands, .. } = code;
    let row_of = |at: usize, r: usize| {
        let tile = &tiles[at];
        if tile.rows() == 1 { tile.row::<u8>(0) } else { tile.ptr().wrapping_add(4 * r * tile.row_stride()) }
    };
    let has_one_result = matches!(operands.kind, RowKind::Sum | RowKind::Reduction);
    let mut sums = [0.0; ROWS];
    for (r, sum) in sums.iter_mut().enumerate() {
        let other = operands.other.map_or(std::ptr::null(), |at| row_of(at, r).cast_const());
        let row = RowCall {
            src: row_of(operands.src, r),
            others: [other, std::ptr::null(), std::ptr::null()],
            dst: row_of(operands.dst, r),
            sum: (&raw mut *sum).cast(),
            count: tiles[if has_one_result { operands.src } else { operands.dst }].cols(),
            scalar: operands.scalar.map_or(0, |at| scalars[at]),
            fetch: &Cell::new(Fetch::NONE),
        };
        // SAFETY: the tiles have these rows, and the code was prepared for them.
        unsafe { run(&row) };
    }
    sums
}

fn levels() -> impl Iterator<Item = CpuLevel> {
    CpuLevel::ALL.into_iter().filter(|level| *level <= cpu_level())
}

/// The sum of each row of a tile, by the instruction.
fn row_sums(tile: &Tile) -> Vec<u32> {
    let mut src = tile.clone();
    let mut dst = Tile::column(DType::F32, ROWS);
    Probe::new(op::trowsum).tile("src", &mut src).tile("dst", &mut dst).run().expect("a kernel");
    dst.values::<f32>().into_iter().map(canonical).collect()
}

fn canonical(x: f32) -> u32 {
    if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }
}

/// Compares all code for rows that an instruction has with the instruction; false if it has none.
fn check(of: Op, kernel: &OpKernel, shape: Shape, cols: usize, level: CpuLevel) -> bool {
    let start = tiles(kernel, shape, cols, &mut Numbers::new(cols as u64));
    let name = format!("{} {shape:?} of {cols} columns at {}", of.row().name, level.name());
    let mut whole = start.clone();
    let found = probe(of, kernel, shape, &mut whole).level(level).with(None, |code, tiles, scalars| {
        let rows = code.rows(tiles, scalars)?;
        // SAFETY: the tiles have the memory their types say.
        unsafe { code.call(tiles, &[], scalars) }.expect("no fault");
        Some(rows)
    });
    let Some(code) = found.flatten() else { return false };
    let dst = |tiles: &[(&str, Tile)]| tiles.iter().find(|(slot, _)| *slot == "dst").map(|(_, tile)| tile.clone());
    let want = dst(&whole).expect("a destination");
    let versions = [(Some(code.run), false), (code.run_and_sum, true), (code.run_past, false)];
    for (run, sums) in versions.into_iter().filter_map(|(run, sums)| Some((run?, sums))) {
        let mut own = start.clone();
        let made = probe(of, kernel, shape, &mut own)
            .level(level)
            .with(None, |_, tiles, scalars| by_rows(&code, run, tiles, scalars))
            .expect("a kernel");
        assert_eq!(bits(&dst(&own).expect("a destination")), bits(&want), "{name}");
        if sums {
            assert_eq!(made.map(canonical).to_vec(), row_sums(&want), "sums of {name}");
        }
    }
    true
}

#[test]
fn rows_are_those_of_the_instruction() {
    let mut covered = BTreeSet::new();
    for (of, kernel) in FAMILIES.into_iter().flatten() {
        for shape in SHAPES.into_iter().filter(|shape| shape.suits(*of, kernel)) {
            for (cols, level) in COLS.into_iter().flat_map(|cols| levels().map(move |level| (cols, level))) {
                if check(*of, kernel, shape, cols, level) {
                    covered.insert(of.row().name);
                }
            }
        }
    }
    let floor = if cpu_level() == CpuLevel::Baseline && cfg!(target_arch = "x86_64") { 0 } else { 40 };
    assert!(covered.len() >= floor, "{covered:?}");
}

/// A row of numbers, and the bytes it lies in.
fn row(n: &mut Numbers, cols: usize) -> Vec<f32> {
    (0..cols).map(|_| number(n)).collect()
}

/// The result of code for a row, and the sum that it makes.
fn run(code: RowFn, src: &[f32], others: [&[f32]; 3]) -> (Vec<f32>, f32) {
    let (mut dst, mut sum) = (vec![7.0f32; src.len()], 7.0f32);
    let call = RowCall {
        src: src.as_ptr().cast(),
        others: others.map(|other| other.as_ptr().cast()),
        dst: dst.as_mut_ptr().cast(),
        sum: (&raw mut sum).cast(),
        count: src.len(),
        scalar: 0,
        fetch: &Cell::new(Fetch::NONE),
    };
    // SAFETY: all rows have as many elements, and values one.
    unsafe { code(&call) };
    (dst, sum)
}

fn sum_of(numbers: &[f32]) -> u32 {
    let tile = Tile::from_fn(ROWS, numbers.len(), |_, c| numbers[c]);
    row_sums(&tile)[0]
}

fn same(found: &[f32], want: impl Iterator<Item = f32>) -> bool {
    found.iter().copied().map(canonical).eq(want.map(canonical))
}

#[test]
fn chains_are_their_steps() {
    use ChainLink::{Add, Multiply, MultiplyValue};
    let n = &mut Numbers::new(3);
    for (cols, level) in COLS.into_iter().flat_map(|cols| levels().map(move |level| (cols, level))) {
        let (x, w, b, value) = (row(n, cols), row(n, cols), row(n, cols), [1.3f32]);
        for is_past in [false, true] {
            let Some(scaled) = chain(&[MultiplyValue, Multiply], level, is_past) else { continue };
            let (found, _) = run(scaled, &x, [&value, &w, &[]]);
            let products = || x.iter().zip(&w).map(|(x, w)| x * value[0] * w);
            assert!(same(&found, products()), "scaled, {cols} at {}", level.name());
            let shifted = chain(&[MultiplyValue, Multiply, Add], level, is_past).expect("the longer one");
            let (found, _) = run(shifted, &x, [&value, &w, &b]);
            assert!(same(&found, products().zip(&b).map(|(p, b)| p + b)), "shifted, {cols} at {}", level.name());
        }
        assert!(chain(&[Multiply, Multiply], level, false).is_none());
        let (Some(products), Some(squares)) = (sum_of_products(level), difference_and_squares(level)) else { continue };
        let (untouched, sum) = run(products, &x, [&w, &[], &[]]);
        let terms: Vec<f32> = x.iter().zip(&w).map(|(x, w)| x * w).collect();
        assert_eq!((canonical(sum), untouched.iter().all(|x| *x == 7.0)), (sum_of(&terms), true));
        let (found, sum) = run(squares, &x, [&value, &[], &[]]);
        assert!(same(&found, x.iter().map(|x| x - value[0])), "differences, {cols} at {}", level.name());
        let terms: Vec<f32> = found.iter().map(|d| d * d).collect();
        assert_eq!(canonical(sum), sum_of(&terms), "squares, {cols} at {}", level.name());
    }
}
