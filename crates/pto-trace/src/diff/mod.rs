//! Finds the first difference between two runs, or between a run and arrays that were recorded elsewhere.
//!
//! [`diff`] pairs what the instructions of two recordings wrote ([`align`]), compares each pair ([`compare`]), and says for the first one that
//! differs by more than is allowed whether that instruction is to blame, or what went into it ([`blame`]). What the parameters hold at the
//! end is compared too ([`outputs`]), so that a difference is found also if nothing can be paired. [`against`] compares with arrays.

mod against;
mod align;
mod blame;
mod compare;
mod lines;
mod operands;
mod outputs;
mod report;

use crate::player::Player;
use crate::recording::Recording;
pub use against::{ArrayName, NamedArray, against};
use align::{Alignment, ResultPair};
use blame::Blame;
use compare::{Compared, compare};
use lines::LineErrors;
use outputs::differing_outputs;
use pto_cpu::{CoreId, RegisterChange};
use pto_ir::ValueId;
use pto_isa::DType;
pub use report::{
    DefinedAt, DiffCause, DiffReport, Divergence, DivergenceKind, ElementError, ElementErrors, InstructionAt,
    LineError, OperandElements, OutputError, UnmatchedLine,
};

/// How far a number may be from the one of the first run: `absolute + relative * |number|`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AllowedError {
    /// Share of the number.
    pub relative: f64,
    /// In any case.
    pub absolute: f64,
}

/// What counts as a difference.
pub struct DiffOptions<'a> {
    /// Every bit counts. NaN equals NaN.
    pub exact: bool,
    /// What is allowed for elements of a type whose usual size is this.
    pub allowed: &'a dyn Fn(DType, f64) -> AllowedError,
}

impl DiffOptions<'_> {
    fn allowed(&self, dtype: DType, size: f64) -> AllowedError {
        if self.exact { AllowedError { relative: 0.0, absolute: 0.0 } } else { (self.allowed)(dtype, size) }
    }
}

/// Worst elements that are shown.
const SHOWN: usize = 5;

/// Compares two runs; the first one is what the other should be. `progress` is told how many pairs of how many were compared.
pub fn diff(a: &Recording, b: &Recording, options: &DiffOptions<'_>, progress: &mut dyn FnMut(u64, u64)) -> DiffReport {
    let (mut pa, mut pb) = (Player::new(a), Player::new(b));
    let alignment = Alignment::of(&mut pa, &mut pb);
    let mut lines = LineErrors::default();
    // The first pair whose numbers differ, and the first that differs only in what it covers.
    let (mut values, mut shapes) = (FirstPair::default(), FirstPair::default());
    let total = alignment.pairs.len() as u64;
    for (done, pair) in alignment.pairs.iter().enumerate() {
        progress(done as u64, total);
        let Some(compared) = compared(&mut pa, &mut pb, pair, options) else { continue };
        lines.add(a, b, pair, &compared);
        if compared.errors.beyond > 0 && !alignment.is_elsewhere(pair) {
            values.offer(pair, DivergenceKind::Values);
        }
        if compared.valid.0 != compared.valid.1 {
            let (a, b) = compared.valid;
            shapes.offer(pair, DivergenceKind::ValidRegion { a, b });
        }
        if alignment.is_elsewhere(pair) {
            shapes.offer(pair, DivergenceKind::StoredElsewhere);
        }
    }
    progress(total, total);
    let both_ended = a.outcome().is_none() && b.outcome().is_none();
    let outputs = if both_ended { differing_outputs(&mut pa, &mut pb, &alignment, options) } else { Vec::new() };
    let output_differs = outputs.iter().any(|o| o.errors.beyond > 0);
    // Tiles that are split otherwise are no difference as long as the numbers are the same.
    let is_different = values.pair.is_some() || output_differs || !both_ended;
    let first = if is_different { values.earlier(shapes) } else { None };
    let mut blame = Blame { a: pa, b: pb, alignment: &alignment, options };
    let first = match first {
        Some((pair, kind)) => blame.divergence(&pair, kind),
        None => outputs.iter().find(|o| o.errors.beyond > 0).and_then(|output| blame.output_divergence(output)),
    };
    DiffReport {
        first,
        lines: lines.list(),
        results: lines.results,
        elements: lines.elements,
        differing: lines.differing,
        unmatched: alignment.unmatched_lines(a, b),
        outputs,
        is_array: false,
    }
}

/// The earliest pair of a kind.
#[derive(Clone, Copy, Default)]
struct FirstPair {
    pair: Option<(ResultPair, DivergenceKind)>,
}

impl FirstPair {
    fn offer(&mut self, pair: &ResultPair, kind: DivergenceKind) {
        if self.pair.as_ref().is_none_or(|(first, _)| pair.a.at < first.a.at) {
            self.pair = Some((*pair, kind));
        }
    }

    fn earlier(self, other: Self) -> Option<(ResultPair, DivergenceKind)> {
        match (self.pair, other.pair) {
            (Some(mine), Some(others)) => Some(if others.0.a.at < mine.0.a.at { others } else { mine }),
            (mine, others) => mine.or(others),
        }
    }
}

/// Compares what the instructions of a pair wrote; `None` if that is not known, or not comparable.
fn compared(
    pa: &mut Player<'_>,
    pb: &mut Player<'_>,
    pair: &ResultPair,
    options: &DiffOptions<'_>,
) -> Option<Compared> {
    let found_a = pa.value(pair.core, pair.a.value, Some(pair.a.at))?;
    let found_b = pb.value(pair.core, pair.b.value, Some(pair.b.at))?;
    // A tile of another shape has another meaning.
    ((found_a.rows, found_a.cols) == (found_b.rows, found_b.cols)).then(|| compare(&found_a, &found_b, options, 0))
}

/// Rows and columns of a tile or view that hold data, right after a moment.
fn valid_of(player: &mut Player<'_>, core: CoreId, value: ValueId, at: usize) -> Option<(usize, usize)> {
    match player.place(core, value, Some(at))? {
        RegisterChange::Tile(_, place) => Some((place.valid.0 as usize, place.valid.1 as usize)),
        RegisterChange::View(_, place) => {
            let (rows, cols) = place.matrix_size();
            Some((rows as usize, cols as usize))
        }
        _ => None,
    }
}
