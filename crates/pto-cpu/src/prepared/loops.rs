//! The loops of a plan, and the iterations of them that a core is in.

use super::ids::{CountId, Id, LoopId, Reg, StepId, Table};
use super::plan::Plan;
use super::registers::RegisterFile;
use pto_ir::OpId;
use std::fmt;

/// A loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanLoop {
    /// The loop around it.
    pub outer: Option<LoopId>,
    /// The operation: a loop, or the first one of the block that is branched back to.
    pub op: OpId,
    pub counting: IterationCount,
}

/// What tells the iterations of a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) enum IterationCount {
    /// The number that the program counts by.
    By { counter: Reg, lower: Reg, step: Reg },
    /// Its steps count. Such a count is no scalar register: a loop that comes back to the same scalars is endless.
    Steps(CountId),
}

/// The loops of a plan.
#[derive(Clone, Default, Debug)]
pub(crate) struct LoopTable {
    pub loops: Table<LoopId, PlanLoop>,
    /// The innermost loop around each step.
    inside: Vec<Option<LoopId>>,
}

impl LoopTable {
    /// The next step is in this loop, or in none.
    pub fn mark(&mut self, at: StepId, inside: Option<LoopId>) {
        self.inside.resize(at.index() + 1, inside);
    }

    /// The innermost loop around a step.
    #[inline]
    pub fn innermost(&self, at: StepId) -> Option<LoopId> {
        self.inside.get(at.index()).copied().flatten()
    }

    /// The outermost loop around a step.
    pub fn outermost(&self, at: StepId) -> Option<LoopId> {
        std::iter::successors(self.innermost(at), |inner| self.loops[*inner].outer).last()
    }

    /// The loops around a step, the innermost first.
    fn around(&self, at: StepId) -> impl Iterator<Item = &PlanLoop> {
        let innermost = self.innermost(at);
        let details = move |id: Option<LoopId>| id.map(|id| &self.loops[id]);
        std::iter::successors(details(innermost), move |inner| details(inner.outer))
    }
}

/// The iterations of the loops around an instruction, as a core executes it.
///
/// They are computed from the registers of the core when they are asked for; before that, this is four words. Loops are those of the program:
/// `scf.for`, `scf.while`, and blocks that are branched back to. A function that is called has those around the call, too.
///
/// ```
/// use pto_cpu::{Event, Observer, Options, Plan};
///
/// /// Notes which iterations stores belong to.
/// #[derive(Default)]
/// struct Stores(Vec<String>);
/// impl Observer for Stores {
///     fn event(&mut self, event: &Event<'_>) {
///         self.0.push(event.iterations.to_string());
///     }
/// }
///
/// # fn main() -> Result<(), pto_isa::Error> {
/// let (module, _) = pto_syntax::parse("
///     func.func @f() {
///       %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
///       %from = arith.constant 4 : index
///       %to = arith.constant 8 : index
///       %by = arith.constant 2 : index
///       %x = arith.constant 1.0 : f32
///       scf.for %i = %from to %to step %by {
///         scf.for %j = %from to %to step %from {
///           pto.texpands ins(%x : f32) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
///         }
///       }
///       return
///     }");
/// let plan = Plan::new(&pto_check::check(module, pto_isa::Target::A5)?, None, Options::default())?;
/// let mut stores = Stores::default();
/// plan.launch().observe(&mut stores).run(&mut [])?;
/// assert_eq!(stores.0, ["0.0", "1.0"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct LoopIterations<'a> {
    plan: &'a Plan,
    regs: &'a RegisterFile,
    step: StepId,
    begun: u64,
}

/// Tells iterations of a core apart, without computing their numbers: as long as it stays the same, so do they.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IterationKey(u64, LoopId);

/// One of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct LoopIteration {
    /// The loop; of blocks, the first operation of the one that is branched back to.
    pub op: OpId,
    /// How many iterations came before, since the loop was entered.
    pub number: u64,
}

impl<'a> LoopIterations<'a> {
    /// For a core that has begun this many iterations.
    pub(crate) fn new(plan: &'a Plan, regs: &'a RegisterFile, step: StepId, begun: u64) -> Self {
        Self { plan, regs, step, begun }
    }

    /// The registers of the core.
    pub(crate) fn registers(self) -> &'a RegisterFile {
        self.regs
    }

    /// What tells them apart from others of the same core; `None` outside of loops.
    #[inline]
    pub fn key(self) -> Option<IterationKey> {
        let innermost = self.plan.code.loops.innermost(self.step)?;
        Some(IterationKey(self.begun, innermost))
    }

    /// The loops, the innermost first.
    pub fn from_inside(self) -> impl Iterator<Item = LoopIteration> + use<'a> {
        let number = move |counting: IterationCount| match counting {
            IterationCount::By { counter, lower, step } => {
                let [counter, lower, step] = [counter, lower, step].map(|reg| self.regs.scalars[reg]);
                counter.wrapping_sub(lower) / step.max(1)
            }
            IterationCount::Steps(count) => self.regs.counts[count],
        };
        let around = self.plan.code.loops.around(self.step);
        around.map(move |of| LoopIteration { op: of.op, number: number(of.counting) })
    }

    /// The numbers of the iterations, from the outermost loop to the innermost; none outside of loops.
    pub fn numbers(self) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.from_inside().map(|of| of.number).collect();
        numbers.reverse();
        numbers
    }
}

/// `2.0`: the first iteration of a loop in the third one of another; nothing outside of loops.
impl fmt::Display for LoopIterations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.numbers().iter().map(u64::to_string).collect();
        f.write_str(&numbers.join("."))
    }
}

impl fmt::Debug for LoopIterations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.numbers()).finish()
    }
}
