//! The laws against measured points: some were used to fit them, others judge them.

use crate::cost::{Execution, TileUse, charge};
use crate::laws::{Law, Laws, Model};
use pto_isa::row::{SlotCount, SlotKind};
use pto_isa::{DType, Dir, Loc, Op, Target, table};

const TEXT: &str = include_str!("../data/points.tsv");

/// What a point is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointUse {
    /// Laws are fitted to it.
    Fit,
    /// Laws are judged by it.
    Judge,
}

impl PointUse {
    /// The word in the data.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fit => "fit",
            Self::Judge => "judge",
        }
    }

    /// Reads it.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Fit, Self::Judge].into_iter().find(|u| u.name() == text)
    }
}

/// A measured execution of an instruction.
#[derive(Clone, Debug)]
pub struct Point {
    /// The target.
    pub target: Target,
    /// Where it belongs, `910B3 goldens` for example.
    pub set: &'static str,
    /// What it is used for.
    pub role: PointUse,
    /// The execution.
    pub instance: Execution,
    /// What was measured.
    pub cycles: f64,
}

impl Point {
    /// What the laws say.
    pub fn predicted(&self) -> f64 {
        charge(&self.instance, Laws::of(self.target), Model::Calibrated).cycles()
    }

    /// How far off they are, as a share of what was measured.
    pub fn error(&self) -> f64 {
        (self.predicted() - self.cycles) / self.cycles
    }

    /// The law that it is about.
    pub fn law(&self) -> Option<&'static Law> {
        let read = self.instance.tiles.first()?.dtype;
        let written = self.instance.tiles.last()?.dtype;
        let types = if read == written { vec![read] } else { vec![read, written] };
        Laws::of(self.target).instruction(self.instance.op, &types, self.instance.mode)
    }
}

/// Every measured point of an instruction that the project has.
///
/// ```
/// assert!(pto_cost::points().len() > 1000);
/// ```
pub fn points() -> Vec<Point> {
    TEXT.lines().filter(|l| !l.starts_with('#')).filter_map(read).collect()
}

fn read(line: &'static str) -> Option<Point> {
    let fields: Vec<&'static str> = line.split('\t').collect();
    let [target, set, role, name, types, tile, valid, mode, cycles] = fields[..] else { return None };
    let role = PointUse::parse(role)?;
    let op = table::find(name)?;
    let mode = if mode == "high_precision" { mode } else { "" };
    let mut types = types.split("->").filter_map(DType::parse);
    let from = types.next()?;
    let instance = instance(op, (from, types.next().unwrap_or(from)), extents(tile)?, extents(valid)?, mode);
    Some(Point { target: Target::parse(target)?, set, role, instance, cycles: cycles.parse().ok()? })
}

fn extents(text: &str) -> Option<(u64, u64)> {
    let (rows, cols) = text.split_once('x')?;
    Some((rows.parse().ok()?, cols.parse().ok()?))
}

/// An execution on tiles of one size, as many as the row asks for.
fn instance(op: Op, types: (DType, DType), size: (u64, u64), valid: (u64, u64), mode: &'static str) -> Execution {
    let is_tile = |dir: Dir| {
        op.row().slots.iter().filter(|s| s.kind == SlotKind::Tile && s.dir == dir && s.count == SlotCount::One).count()
    };
    let tile = |dtype, write| TileUse { loc: Loc::Vec, dtype, size, valid, write };
    let read = std::iter::repeat_n(tile(types.0, false), is_tile(Dir::In));
    let written = std::iter::repeat_n(tile(types.1, true), is_tile(Dir::Out).max(1));
    Execution { op, tiles: read.chain(written).collect(), loaded: 0, stored: 0, mode }
}

/// The errors of a set of points.
#[derive(Clone, PartialEq, Debug)]
pub struct Errors {
    /// How many points.
    pub count: usize,
    /// The mean of the absolute errors, as a share.
    pub mean: f64,
    /// The largest.
    pub worst: f64,
    /// The mean of the errors with their sign.
    pub bias: f64,
}

/// Sums up errors.
///
/// ```
/// let errors = pto_cost::errors([0.1, -0.3]).expect("two of them");
/// assert!((errors.mean - 0.2).abs() < 1e-9 && (errors.bias + 0.1).abs() < 1e-9);
/// ```
pub fn errors(list: impl IntoIterator<Item = f64>) -> Option<Errors> {
    let all: Vec<f64> = list.into_iter().collect();
    if all.is_empty() {
        return None;
    }
    let count = all.len();
    Some(Errors {
        count,
        mean: all.iter().map(|e| e.abs()).sum::<f64>() / count as f64,
        worst: all.iter().map(|e| e.abs()).fold(0.0, f64::max),
        bias: all.iter().sum::<f64>() / count as f64,
    })
}
