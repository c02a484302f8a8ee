//! What one execution of an instruction costs, from its row, its operands and the laws of the target.

mod movement;
mod vector;

pub(crate) use movement::through_pipe;
pub use movement::way_between;
pub use vector::{Work, work};

use crate::laws::{Grade, Law, Laws, Model, ParamKey};
use pto_isa::row::CostClass;
use pto_isa::{DType, Loc, Op, Target};

/// A tile as an instruction uses it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TileUse {
    /// Its memory.
    pub loc: Loc,
    /// Its element type.
    pub dtype: DType,
    /// Physical rows and columns.
    pub size: (u64, u64),
    /// Valid rows and columns.
    pub valid: (u64, u64),
    /// The instruction writes it.
    pub write: bool,
}

impl TileUse {
    fn bytes(&self) -> f64 {
        (self.valid.0 * self.valid.1 * u64::from(self.dtype.column_bits())) as f64 / 8.0
    }
}

/// One execution of an instruction.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Execution {
    /// The instruction.
    pub op: Op,
    /// Its tiles, those it reads first.
    pub tiles: Vec<TileUse>,
    /// Bytes it reads from global memory.
    pub loaded: u64,
    /// Bytes it writes to global memory.
    pub stored: u64,
    /// A mode with its own law, such as `high_precision`.
    pub mode: &'static str,
}

/// What an execution costs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Charge {
    /// Cycles that are paid unless the instruction follows another of its pipe without a gap: filling and draining.
    pub head: f64,
    /// Cycles beyond that.
    pub body: f64,
    /// No two instructions of the pipe start closer than this.
    pub interval: f64,
    /// Bytes that come from or go to global memory; they take part of `body`.
    pub global: u64,
    /// Operations on numbers, for the roofline.
    pub flops: f64,
    /// How far the law can be trusted.
    pub grade: Grade,
}

impl Charge {
    /// Nothing.
    pub const FREE: Self =
        Self { head: 0.0, body: 0.0, interval: 0.0, global: 0, flops: 0.0, grade: Grade::Calibrated };

    /// Cycles of an instruction in isolation.
    pub fn cycles(&self) -> f64 {
        self.head + self.body
    }
}

/// Costs an execution.
///
/// ```
/// use pto_cost::{Execution, Laws, Model, TileUse, charge};
/// use pto_isa::{DType, Loc, Target, table::op};
///
/// let tile = |write| TileUse { loc: Loc::Vec, dtype: DType::F32, size: (64, 64), valid: (64, 64), write };
/// let tiles = vec![tile(false), tile(false), tile(true)];
/// let add = Execution { op: op::tadd, tiles, loaded: 0, stored: 0, mode: "" };
/// let cost = charge(&add, Laws::of(Target::A2A3), Model::Calibrated);
/// assert_eq!(cost.cycles().round(), 159.0); // a 910B3 needs 160
/// ```
pub fn charge(instance: &Execution, laws: &Laws, model: Model) -> Charge {
    let row = instance.op.row();
    match row.cost {
        CostClass::None | CostClass::Sync => Charge::FREE,
        CostClass::Load | CostClass::Store | CostClass::Move | CostClass::FixPipe | CostClass::Fifo => {
            movement::charge(instance, laws)
        }
        CostClass::Matmul => matmul(instance, laws),
        CostClass::Gather if instance.loaded + instance.stored > 0 => movement::charge(instance, laws),
        CostClass::Comm => transfer(instance, laws),
        CostClass::Scalar if instance.tiles.is_empty() => scalar(instance, laws),
        _ => vector_charge(instance, laws, model),
    }
}

fn law_of<'l>(instance: &Execution, laws: &'l Laws) -> Option<&'l Law> {
    laws.instruction(instance.op, &element_types(instance), instance.mode)
}

/// The type of the first tile read, and that of the first one written where it differs.
fn element_types(instance: &Execution) -> Vec<DType> {
    let read = instance.tiles.iter().find(|t| !t.write).map(|t| t.dtype);
    let written = instance.tiles.iter().find(|t| t.write).map(|t| t.dtype);
    let mut types: Vec<DType> = read.or(written).into_iter().collect();
    types.extend(written.filter(|w| Some(*w) != read && read.is_some()));
    types
}

fn vector_charge(instance: &Execution, laws: &Laws, model: Model) -> Charge {
    let Some(law) = law_of(instance, laws) else { return Charge::FREE };
    let elements = vector::elements(instance);
    let flops = elements as f64;
    let work = work(instance, law);
    let documented =
        instance.op.row().documented.filter(|_| model == Model::Documented && laws.target() == Target::A2A3);
    if let Some(page) = documented {
        let is_float = element_types(instance).first().is_none_or(|t| t.is_float());
        let completion = if is_float { page.completion_fp } else { page.completion_int };
        return Charge {
            head: f64::from(page.startup + completion),
            body: f64::from(page.per_repeat) * work.repeats,
            interval: f64::from(page.interval),
            global: 0,
            flops,
            grade: Grade::Derived,
        };
    }
    let (head, body) = vector::cycles(law, &work, laws.target());
    Charge { head: head.round(), body: body.round(), interval: 0.0, global: 0, flops, grade: law.grade }
}

/// Cycles of vector work in isolation under a law: what a fit compares with measurements.
pub fn cycles_under(law: &Law, instance: &Execution, target: Target) -> f64 {
    let (head, body) = vector::cycles(law, &work(instance, law), target);
    head + body
}

/// The cube multiplies boxes of 16x16 by 32 bytes, one a cycle or in several passes.
fn matmul(instance: &Execution, laws: &Laws) -> Charge {
    let tile = |loc: Loc| instance.tiles.iter().find(|t| t.loc == loc);
    let (Some(left), Some(right)) = (tile(Loc::Left), tile(Loc::Right)) else {
        return vector_charge(instance, laws, Model::Calibrated);
    };
    let Some(law) = laws.instruction(instance.op, &[left.dtype], "") else { return Charge::FREE };
    let ((m, k), n) = (left.valid, right.valid.1);
    let depth = (k * u64::from(left.dtype.column_bits())).div_ceil(256);
    let boxes = m.div_ceil(16) * depth * n.div_ceil(16);
    Charge {
        head: 0.0,
        body: (law.get(ParamKey::Fixed) + law.get(ParamKey::Slope) * boxes as f64).round(),
        interval: 0.0,
        global: 0,
        flops: 2.0 * (m * k * n) as f64,
        grade: law.grade,
    }
}

/// A transfer between ranks: software, and the bytes through a core.
fn transfer(instance: &Execution, laws: &Laws) -> Charge {
    let moved = movement::charge(instance, laws);
    let overhead = law_of(instance, laws).map_or(0.0, |law| law.get(ParamKey::Fixed));
    Charge { head: moved.head + overhead, grade: Grade::Assumed, ..moved }
}

/// The bytes of a transfer between ranks through a core, without its overhead.
pub(crate) fn moved(instance: &Execution, laws: &Laws) -> Charge {
    movement::charge(instance, laws)
}

fn scalar(instance: &Execution, laws: &Laws) -> Charge {
    let Some(law) = law_of(instance, laws) else { return Charge::FREE };
    Charge { body: law.get(ParamKey::Fixed), grade: law.grade, ..Charge::FREE }
}
