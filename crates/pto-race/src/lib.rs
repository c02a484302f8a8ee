//! Finds what makes a PTO program wrong on a device: instructions on different pipes, cores or ranks that touch the same
//! bytes without anything that orders them, flags that do not match, and memory that holds nothing.
//!
//! A program is executed once, in program order; [`check`] listens and keeps, for every byte, who touched it last, and for
//! every pipe, what is known to be done before its next instruction starts. What it finds does not depend on the order in
//! which the engine happens to execute things: two accesses are reported when no flag, event, barrier, token, signal or
//! pipe between cores puts one before the other.
//!
//! ```
//! use pto_cpu::{Arg, Launch, Options, Plan};
//! use pto_isa::Target;
//!
//! let (module, _) = pto_syntax::parse("
//!     func.func @twice(%x: !pto.ptr<f32>) {
//!       %one = arith.constant 1 : index
//!       %n = arith.constant 16 : index
//!       %at = arith.constant 0 : i64
//!       %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
//!       %t = pto.alloc_tile addr = %at : !pto.tile_buf<vec, 16x16xf32>
//!       pto.tload ins(%xs : !pto.tensor_view<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
//!       pto.tadd ins(%t, %t : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>)
//!                outs(%t : !pto.tile_buf<vec, 16x16xf32>)
//!       return
//!     }");
//! let checked = pto_check::check(module, Target::A2A3).expect("a legal program");
//! let plan = Plan::new(&checked, None, Options::default()).expect("one entry");
//! let mut x = vec![1.0f32; 256];
//! let report = pto_race::check(&plan, &mut [vec![Arg::write(&mut x)]], Launch::default());
//! assert_eq!(report.findings[0].message, "PIPE_V may read `%t` before PIPE_MTE2 has written it");
//! ```

mod clock;
mod core;
mod detector;
mod findings;
mod links;
mod memory;
mod paths;
mod shadow;

use detector::{Detector, Setting};
use paths::Branches;
use pto_cpu::{Arg, Launch, Plan};
use pto_isa::Diagnostic;

/// Who orders the pipes of a core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sync {
    /// The program, with flags, events, barriers and tokens.
    Manual,
    /// The toolchain, later: the pipes of a core are taken to be in order.
    Auto,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Report {
    /// Worst first.
    pub findings: Vec<Diagnostic>,
    /// Who orders the pipes of a core, as the program looks.
    pub sync: Sync,
    /// Instructions executed.
    pub instructions: u64,
}

/// Executes a program and says what nothing orders. One list of arguments for each rank.
pub fn check(plan: &Plan, ranks: &mut [Vec<Arg<'_>>], launch: Launch) -> Report {
    let checked = plan.checked();
    let sync = sync_of(plan);
    let joint = plan.blocks_wait() || ranks.len() > 1;
    let setting = Setting { module: checked.module(), target: checked.info().target, sync, joint };
    let mut detector = Detector::new(setting, Branches::default());
    let outcome = match ranks {
        [only] => plan.run_observed(only, launch, &mut detector).map(|report| report.instructions),
        several => {
            plan.run_ranks_observed(several, launch, &mut detector).map(|all| all.iter().map(|r| r.instructions).sum())
        }
    };
    detector.end_team();
    let mut findings = detector.findings.finish();
    let instructions = match outcome {
        Ok(instructions) => instructions,
        Err(problem) => {
            findings.insert(0, problem);
            0
        }
    };
    Report { findings, sync, instructions }
}

/// A program that places its tiles, or orders its pipes in some place, orders them everywhere.
pub fn sync_of(plan: &Plan) -> Sync {
    if plan.places_tiles() || plan.orders_pipes() { Sync::Manual } else { Sync::Auto }
}
