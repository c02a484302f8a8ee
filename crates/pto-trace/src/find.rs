//! Which instruction made a number that should not be there.

use crate::contents::Contents;
use crate::moment::{Deed, Moment};
use crate::occurrences::Occurrence;
use crate::player::Player;
use crate::provenance::SourceMap;
use crate::recording::Recording;
use crate::writes::is_result;
use pto_cpu::CoreId;
use pto_ir::{OpId, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::sort::SharedSort;
use pto_isa::{Class, DType};

/// What to look for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum FindKind {
    /// Not a number.
    Nan,
    /// An infinity.
    Inf,
    /// A number too large for its type: an infinity from finite numbers, or a conversion that stops at the largest number.
    Overflow,
    /// A number so small that it has fewer digits.
    Subnormal,
    /// A sum or difference that is tiny beside its operands: most digits of it are lost.
    Cancellation,
}

impl FindKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Nan, Self::Inf, Self::Overflow, Self::Subnormal, Self::Cancellation];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nan => "nan",
            Self::Inf => "inf",
            Self::Overflow => "overflow",
            Self::Subnormal => "subnormal",
            Self::Cancellation => "cancellation",
        }
    }
}

/// An instruction that made such numbers from operands that had none.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Suspect {
    /// The operation.
    pub op: OpId,
    /// Its line, from 1; 0 if it has none.
    pub line: u32,
    /// The first moment at which it did.
    pub at: usize,
    /// The core, then.
    pub core: CoreId,
    /// The iterations of the loops around it, then.
    pub iterations: Vec<u32>,
    /// The name of the result.
    pub result: String,
    /// Row and column of the first such element, then.
    pub element: (usize, usize),
    /// The element as text.
    pub number: String,
    /// The elements that it came from.
    pub operands: Vec<SuspectOperand>,
    /// How often it made some.
    pub executions: u64,
    /// How many elements in all.
    pub elements: u64,
}

impl Suspect {
    /// When it made the first.
    pub fn occurrence(&self) -> Occurrence {
        Occurrence { at: self.at, core: self.core, iterations: self.iterations.clone() }
    }
}

/// An element of an operand.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SuspectOperand {
    /// The name of the operand.
    pub name: String,
    /// Row and column.
    pub element: (usize, usize),
    /// The element as text.
    pub number: String,
}

/// What was found of a kind.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundNumbers {
    /// The kind.
    pub kind: FindKind,
    /// The instructions that made some, the first first.
    pub makers: Vec<Suspect>,
    /// Instructions whose results had some because operands had: how many elements.
    pub inherited: u64,
}

/// Looks for numbers of these kinds in everything that a run wrote.
pub fn find(recording: &Recording, kinds: &[FindKind]) -> Vec<FoundNumbers> {
    let new = |kind: &FindKind| FoundNumbers { kind: *kind, makers: Vec::new(), inherited: 0 };
    let mut search = NumberSearch {
        player: Player::new(recording),
        found: kinds.iter().map(new).collect(),
        positions: FastMap::default(),
        // Going back for them costs more than reading them in time.
        reads_all: kinds.contains(&FindKind::Cancellation),
    };
    for at in 0..recording.len() {
        search.moment(at);
    }
    search.found
}

struct NumberSearch<'r> {
    player: Player<'r>,
    found: Vec<FoundNumbers>,
    /// The maker that an operation is, by kind.
    positions: FastMap<(FindKind, OpId), usize>,
    reads_all: bool,
}

impl NumberSearch<'_> {
    fn moment(&mut self, at: usize) {
        let moment = self.player.recording().moment(at);
        if moment.deed != Deed::Work {
            return;
        }
        let mut operands = self.reads_all.then(|| ReadOperands::read(&mut self.player, at));
        for (access, written) in moment.accesses.iter().enumerate().filter(|(_, a)| is_result(a)) {
            let Some(result) = written.value.and_then(|v| self.player.value(moment.core, v, Some(at))) else {
                continue;
            };
            for k in 0..self.found.len() {
                let kind = self.found[k].kind;
                let candidates = candidates(&result, kind);
                if candidates.is_empty() {
                    continue;
                }
                let operands = operands.get_or_insert_with(|| ReadOperands::read(&mut self.player, at));
                let decides = matches!(kind, FindKind::Cancellation | FindKind::Overflow);
                if !decides && operands.any(kind) {
                    self.found[k].inherited += candidates.len() as u64;
                    continue;
                }
                let maps = self.player.source_maps(at, access);
                let mut made = candidates.into_iter().map(|(r, c, x)| (r, c, x, operands.sources(&maps, r, c)));
                let first = made.find(|(_, _, x, from)| !decides || is_made(kind, result.dtype, *x, from));
                if let Some((r, c, _, from)) = first {
                    let more = made.filter(|(_, _, x, from)| !decides || is_made(kind, result.dtype, *x, from)).count();
                    self.note(k, &moment, &result, (r, c), &from, 1 + more as u64);
                }
            }
        }
    }

    fn note(
        &mut self,
        k: usize,
        moment: &Moment<'_>,
        result: &Contents,
        (row, col): (usize, usize),
        from: &[SourceNumber],
        elements: u64,
    ) {
        let kind = self.found[k].kind;
        let makers = &mut self.found[k].makers;
        let position = *self.positions.entry((kind, moment.op)).or_insert_with(|| {
            makers.push(Suspect {
                op: moment.op,
                line: moment.line,
                at: moment.at,
                core: moment.core,
                iterations: moment.iterations.to_vec(),
                result: result.name.clone(),
                element: (row, col),
                number: result.text(row, col),
                operands: from.iter().map(SourceNumber::element).collect(),
                executions: 0,
                elements: 0,
            });
            makers.len() - 1
        });
        makers[position].executions += 1;
        makers[position].elements += elements;
    }
}

/// The elements of a result that may be of a kind.
fn candidates(result: &Contents, kind: FindKind) -> Vec<(usize, usize, f64)> {
    if !may_have(result.dtype, kind) {
        return Vec::new();
    }
    let all = result.valid_numbers().filter(|(_, _, x)| is_candidate(kind, result.dtype, *x));
    all.take(MOST_CANDIDATES).collect()
}

/// Elements of one result that are looked at.
const MOST_CANDIDATES: usize = 4096;

/// Whether elements of a type can be of a kind.
fn may_have(dtype: DType, kind: FindKind) -> bool {
    dtype.class() == Class::Float || kind == FindKind::Overflow
}

fn is_candidate(kind: FindKind, dtype: DType, x: f64) -> bool {
    match kind {
        FindKind::Nan => x.is_nan(),
        FindKind::Inf => x.is_infinite(),
        FindKind::Overflow => x.is_infinite() || x.abs() >= largest(dtype),
        FindKind::Subnormal => x != 0.0 && x.abs() < smallest_normal(dtype),
        FindKind::Cancellation => x.is_finite() && x != 0.0,
    }
}

/// Whether an element is of a kind because of this instruction.
fn is_made(kind: FindKind, dtype: DType, x: f64, from: &[SourceNumber]) -> bool {
    let finite = from.iter().all(|s| s.number.is_finite());
    match kind {
        FindKind::Overflow if x.is_infinite() => finite,
        // Only what is larger than the largest number of the result was cut.
        FindKind::Overflow => finite && from.iter().any(|s| s.number.abs() > largest(dtype)),
        FindKind::Cancellation => {
            let [a, b] = from else { return false };
            let (a, b) = (a.number, b.number);
            let size = a.abs().max(b.abs());
            let digits = significand_bits(dtype);
            let rounding = size * (-digits).exp2() * 2.0;
            let is_sum =
                (x - (a - b)).abs() <= rounding || (x - (a + b)).abs() <= rounding || (x - (b - a)).abs() <= rounding;
            let is_product = (x - a * b).abs() <= (a * b).abs() * 1e-3;
            finite && is_sum && !is_product && x.abs() < size * (-digits / 2.0).exp2()
        }
        _ => true,
    }
}

/// The largest number of a type.
fn largest(dtype: DType) -> f64 {
    match dtype {
        DType::F32 => f32::MAX.into(),
        DType::F16 => 65504.0,
        DType::Bf16 => 3.389_531_389_251_535_5e38,
        DType::F8E4M3 => 448.0,
        DType::F8E5M2 => 57344.0,
        DType::Hif8 => 32768.0,
        DType::F4E2M1 => 6.0,
        DType::F4E1M2 => 1.75,
        DType::F8E8M0 => f64::MAX,
        other if other.class() == Class::Signed => (f64::from(other.bits()) - 1.0).exp2() - 1.0,
        other => f64::from(other.bits()).exp2() - 1.0,
    }
}

/// The smallest number with all digits.
fn smallest_normal(dtype: DType) -> f64 {
    match dtype {
        DType::F32 | DType::Bf16 => f32::MIN_POSITIVE.into(),
        DType::F16 => 6.103_515_625e-5,
        DType::F8E4M3 => 0.015_625,
        DType::F8E5M2 => 6.103_515_625e-5,
        DType::F4E2M1 | DType::F4E1M2 => 1.0,
        _ => 0.0,
    }
}

/// Bits of the significand.
fn significand_bits(dtype: DType) -> f64 {
    match dtype {
        DType::F32 => 24.0,
        DType::F16 => 11.0,
        DType::Bf16 => 8.0,
        _ => 4.0,
    }
}

/// An element that a result came from.
struct SourceNumber {
    name: String,
    row: usize,
    col: usize,
    number: f64,
    text: String,
}

impl SourceNumber {
    fn element(&self) -> SuspectOperand {
        SuspectOperand { name: self.name.clone(), element: (self.row, self.col), number: self.text.clone() }
    }
}

/// What an instruction read.
struct ReadOperands {
    list: Vec<(ValueId, Contents)>,
}

impl ReadOperands {
    fn read(player: &mut Player<'_>, at: usize) -> Self {
        let recording = player.recording();
        let moment = recording.moment(at);
        let mut values: Vec<ValueId> = moment.accesses.iter().filter(|a| !a.write).filter_map(|a| a.value).collect();
        values.extend(recording.module().operands(moment.op).iter().map(|o| o.value));
        values.shared_sort_by_key(|v| v.index());
        values.dedup();
        let list = values.into_iter().filter_map(|v| Some((v, player.operand(at, v)?))).collect();
        Self { list }
    }

    fn any(&self, kind: FindKind) -> bool {
        let has = |c: &Contents| c.valid_numbers().any(|(_, _, x)| is_candidate(kind, c.dtype, x));
        self.list.iter().any(|(_, c)| may_have(c.dtype, kind) && has(c))
    }

    /// The elements that an element of a result came from.
    fn sources(&self, maps: &[SourceMap], row: usize, col: usize) -> Vec<SourceNumber> {
        let mut numbers = Vec::new();
        let elements = |map: &SourceMap| map.elements(row as u64, col as u64);
        // What was there before counts only where nothing else does.
        let has_other = maps.iter().any(|map| !map.otherwise && map.access.is_some() && elements(map).is_some());
        for source in maps.iter().filter(|map| !(map.otherwise && has_other)).filter_map(elements) {
            let Some((_, contents)) = self.list.iter().find(|(v, _)| Some(*v) == source.value) else { continue };
            for r in (source.rows.start as usize..source.rows.end as usize).take(MOST_SOURCES) {
                for c in (source.cols.start as usize..source.cols.end as usize).take(MOST_SOURCES) {
                    let is_known =
                        numbers.iter().any(|n: &SourceNumber| (&n.name, n.row, n.col) == (&contents.name, r, c));
                    if is_known {
                        continue;
                    }
                    let (number, text) = (contents.number(r, c), contents.text(r, c));
                    numbers.push(SourceNumber { name: contents.name.clone(), row: r, col: c, number, text });
                }
            }
        }
        numbers
    }
}

/// Rows and columns of one operand that are looked at.
const MOST_SOURCES: usize = 4;
