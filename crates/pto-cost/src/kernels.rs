//! Measured kernels: programs of the project that do what was measured, and the times.

use crate::accuracy::PointUse;
use crate::laws::Laws;
use crate::sim::{Machine, simulate};
use crate::trace::{Options, record};
use pto_cpu::{Known, Plan};
use pto_isa::{Error, Target};

const TEXT: &str = include_str!("../data/kernels.tsv");
const PROGRAMS: [(&str, &str); 3] = [
    ("gemm", include_str!("../data/kernels/gemm.pto")),
    ("top_k", include_str!("../data/kernels/top_k.pto")),
    ("flash_attention", include_str!("../data/kernels/flash_attention.pto")),
];

/// A measured run of a kernel.
#[derive(Clone, Debug)]
pub struct KernelPoint {
    /// Where it belongs.
    pub set: &'static str,
    /// What it is used for.
    pub role: PointUse,
    /// The target.
    pub target: Target,
    /// The program.
    pub program: &'static str,
    /// Its numbers, `n=1536` for example.
    pub numbers: &'static str,
    /// Blocks.
    pub blocks: u32,
    /// What was measured, in microseconds.
    pub micros: f64,
}

/// Every measured kernel that the project has.
///
/// ```
/// assert!(pto_cost::kernels().iter().any(|k| k.set == "GEMM"));
/// ```
pub fn kernels() -> Vec<KernelPoint> {
    TEXT.lines().filter(|l| !l.starts_with('#')).filter_map(read).collect()
}

fn read(line: &'static str) -> Option<KernelPoint> {
    let fields: Vec<&'static str> = line.split('\t').collect();
    let [set, role, kernel, target, numbers, blocks, micros] = fields[..] else { return None };
    Some(KernelPoint {
        set,
        role: PointUse::parse(role)?,
        target: Target::parse(target)?,
        program: PROGRAMS.iter().find(|p| p.0 == kernel)?.1,
        numbers,
        blocks: blocks.parse().ok()?,
        micros: micros.parse().ok()?,
    })
}

impl KernelPoint {
    /// What the model says, with the launch, in microseconds.
    ///
    /// # Errors
    /// When the program is not legal or comes to no end.
    pub fn predicted(&self) -> Result<f64, Error> {
        let (module, _) = pto_syntax::parse(self.program);
        let checked = pto_check::check(module, self.target)?;
        let plan = Plan::new(&checked, None, pto_cpu::Options::default())?;
        let of = |name: &str| {
            let number = self.numbers.split(' ').filter_map(|p| p.split_once('=')).find(|p| p.0 == name)?.1;
            number.parse().ok().map(Known::Int)
        };
        let known: Vec<Known> = plan.params().iter().map(|p| of(&p.name).unwrap_or_default()).collect();
        let trace = record(plan.launch().blocks(self.blocks), &known, Options::default())?;
        let machine = Machine::of(Laws::of(self.target));
        let line = simulate(&trace, &trace.charges, &machine);
        let line = line.map_err(|stuck| stuck.error(plan.checked().module(), &trace))?;
        Ok((line.cycles + machine.launch) / machine.mhz)
    }
}
