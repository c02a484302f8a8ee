//! From shapes to the calls, repeats and masks of the vector unit.
//!
//! A repeat is 256 bytes. Which calls an instruction becomes depends on its tile: whole tiles are one run of repeats, narrow
//! ones a repeat for each row, others are cut into columns; a mask or a count is set wherever the last repeat is not full.

use super::{Execution, TileUse};
use crate::laws::{Law, ParamKey};
use pto_isa::Target;
use pto_isa::row::CostClass;

const REPEAT_BYTES: u64 = 256;
const MAX_REPEATS: u64 = 255;
/// Columns that a transposition takes at a time, by bytes of an element.
const STRIPS: [(u64, u64); 3] = [(1, 32), (2, 16), (4, 8)];

/// What an instruction makes the vector unit do.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Work {
    /// Repeats of 256 bytes.
    pub repeats: f64,
    /// A mask or a count is set.
    pub masked: bool,
    /// Rows that are handled one by one.
    pub rows: f64,
    /// Rows times further repeats of a row.
    pub folds: f64,
    /// Dependent steps.
    pub steps: f64,
    /// Calls with their own cost.
    pub calls: f64,
    /// Iterations of the outer and of the inner loop.
    pub nest: (u64, u64),
}

/// The tile whose valid region is worked on: the first one written, or the first one read where that is smaller than the work or
/// holds bits instead of numbers.
fn domain(instance: &Execution) -> Option<&TileUse> {
    let by_source = match instance.op.row().cost {
        CostClass::RowReduce
        | CostClass::ColReduce
        | CostClass::Sort
        | CostClass::Transpose
        | CostClass::VectorCompare => true,
        CostClass::Gather => instance.mode == "pattern",
        _ => false,
    };
    instance.tiles.iter().find(|t| t.write != by_source).or_else(|| instance.tiles.first())
}

pub(super) fn elements(instance: &Execution) -> u64 {
    domain(instance).map_or(0, |t| t.valid.0 * t.valid.1)
}

/// The work of an instruction under a law.
pub fn work(instance: &Execution, law: &Law) -> Work {
    let Some(tile) = domain(instance) else { return Work::default() };
    let bytes = widest(instance, tile);
    let per_repeat = (REPEAT_BYTES / bytes).max(1);
    let per_iteration = match law.get(ParamKey::Lanes) as u64 {
        0 => per_repeat,
        stated => stated,
    };
    let nest = nest(tile, per_iteration);
    let reads = instance.tiles.iter().filter(|t| !t.write).count();
    let (rows, cols) = tile.valid;
    let k = cols.div_ceil(per_repeat);
    let partly = !cols.is_multiple_of(per_repeat);
    let work = match instance.op.row().cost {
        CostClass::VectorScalar
        | CostClass::VectorFill
        | CostClass::VectorUnary
        | CostClass::VectorMath
        | CostClass::VectorConvert => merged(tile, per_repeat, instance.op.row().cost == CostClass::VectorScalar),
        CostClass::RowReduce => Work {
            rows: rows as f64,
            folds: (rows * k.saturating_sub(1)) as f64,
            steps: k.saturating_sub(1) as f64,
            masked: partly,
            ..Work::default()
        },
        CostClass::ColReduce => {
            let passes = if partly && k > 1 { law.get(ParamKey::Passes).max(1.0) } else { 1.0 };
            Work { rows: rows as f64 * passes, repeats: (rows * cols) as f64 / per_repeat as f64, ..Work::default() }
        }
        CostClass::RowExpand if reads < 2 => {
            Work { rows: rows as f64, folds: (rows * k.saturating_sub(1)) as f64, ..Work::default() }
        }
        CostClass::RowExpand => Work { steps: 1.0, ..by_columns(tile, per_repeat) },
        CostClass::ColExpand => by_columns(tile, per_repeat),
        CostClass::Transpose => {
            let strip = STRIPS.iter().find(|(size, _)| *size == bytes).map_or(8, |(_, cols)| *cols);
            let calls = cols.div_ceil(strip);
            Work { calls: calls as f64, repeats: (calls * rows.div_ceil(16)) as f64, ..Work::default() }
        }
        CostClass::Sort => {
            Work { rows: rows as f64, repeats: (rows * cols.div_ceil(per_iteration)) as f64, ..Work::default() }
        }
        CostClass::Gather => Work { rows: rows as f64, repeats: (rows * k) as f64, ..Work::default() },
        _ => small_or_merged(tile, per_repeat),
    };
    Work { nest, ..work }
}

/// Bytes of the widest element that is read or written, as far as it is data.
fn widest(instance: &Execution, tile: &TileUse) -> u64 {
    let size = |t: &TileUse| u64::from(t.dtype.column_bits()).div_ceil(8);
    if instance.op.row().cost != CostClass::VectorConvert {
        return size(tile);
    }
    instance.tiles.iter().map(size).max().unwrap_or(1)
}

/// Two operands: tiles narrower than a repeat take one repeat for each row.
fn small_or_merged(tile: &TileUse, per_repeat: u64) -> Work {
    let (height, width) = tile.size;
    let (rows, cols) = tile.valid;
    if width < per_repeat && height <= MAX_REPEATS {
        return Work { repeats: rows as f64, masked: true, ..Work::default() };
    }
    if width == cols || rows == 1 {
        return run(rows * cols, width, per_repeat, true);
    }
    by_columns(tile, per_repeat)
}

/// One operand: whole tiles are one run, regardless of their width.
fn merged(tile: &TileUse, per_repeat: u64, aligned: bool) -> Work {
    let (height, width) = tile.size;
    let (rows, cols) = tile.valid;
    if width == cols || height == 1 {
        return run(rows * cols, width, per_repeat, aligned);
    }
    by_columns(tile, per_repeat)
}

/// A run of elements. Too many repeats, or rows that do not end with a repeat, are counted instead.
fn run(elements: u64, width: u64, per_repeat: u64, aligned: bool) -> Work {
    let repeats = elements.div_ceil(per_repeat);
    let unaligned = aligned && width > per_repeat && !width.is_multiple_of(per_repeat);
    let counts = unaligned || repeats > MAX_REPEATS;
    Work { repeats: repeats as f64, masked: counts || !elements.is_multiple_of(per_repeat), ..Work::default() }
}

/// A tile with unused columns: a run down the rows for each repeat of a row.
fn by_columns(tile: &TileUse, per_repeat: u64) -> Work {
    let (rows, cols) = tile.valid;
    let k = cols.div_ceil(per_repeat);
    Work { repeats: (rows * k) as f64, masked: !cols.is_multiple_of(per_repeat), ..Work::default() }
}

/// A5 has loops: one over everything where rows are whole, else one inside the other.
fn nest(tile: &TileUse, per_iteration: u64) -> (u64, u64) {
    let (rows, cols) = tile.valid;
    if cols == tile.size.1 || rows == 1 {
        (1, (rows * cols).div_ceil(per_iteration))
    } else {
        (rows, cols.div_ceil(per_iteration))
    }
}

/// Cycles: those that are paid once for filling and draining, and those of the work.
pub(super) fn cycles(law: &Law, work: &Work, target: Target) -> (f64, f64) {
    let get = |key| law.get(key);
    if target == Target::A5 && law.get(ParamKey::Start) > 0.0 {
        return (0.0, looped(law, work.nest));
    }
    let masked = if work.masked { get(ParamKey::Mask) } else { 0.0 };
    let body = get(ParamKey::Slope) * work.repeats
        + get(ParamKey::Row) * work.rows
        + get(ParamKey::Fold) * work.folds
        + get(ParamKey::Step) * work.steps
        + get(ParamKey::Call) * work.calls
        + masked;
    (get(ParamKey::Fixed), body)
}

/// The loop issues, the units work: the slower of the two counts.
fn looped(law: &Law, (outer, inner): (u64, u64)) -> f64 {
    let get = |key| law.get(key);
    let iterations = (outer * inner) as f64;
    let nested = outer > 1 && inner > 1;
    let row = if nested { get(ParamKey::Row) * outer as f64 } else { 0.0 };
    let rate = if nested { get(ParamKey::Nested) } else { get(ParamKey::Rate) };
    (get(ParamKey::Start) + row + get(ParamKey::Issue) * iterations).max(get(ParamKey::Drain) + rate * iterations)
}
