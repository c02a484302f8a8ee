//! Whether what is emitted is ordered.
//!
//! For a kernel without order, the text decides. A kernel with flags is run as `pto race` does, on generated data, if it is
//! short and takes no numbers; its text alone says less, because addresses, flags and branches may be computed.

use crate::program::made_up;
use pto::emit::Emitted;
use pto::ir::OpId;
use pto::isa::codes;
use pto::isa::text;
use pto::race::{self, OrderedBy};
use pto::{Checked, Diagnostic, Options, Plan, opt};
use std::collections::HashSet;

/// How many instructions and iterations are followed, and how many elements the parameters may have.
const SHORT: (u64, u64) = (20_000, 1 << 24);

/// A file with more kernels than this is not executed.
const MANY: usize = 64;

/// Warnings about accesses that nothing orders.
pub(super) fn warnings(emitted: &Emitted) -> Vec<Diagnostic> {
    if emitted.as_they_are.is_empty() || !opt::sync::states_order(emitted.program.module()) {
        return emitted.warnings();
    }
    match findings(&emitted.program, &emitted.as_they_are) {
        Some(findings) => findings.first().map(|first| warning(first, findings.len())).into_iter().collect(),
        None => emitted.warnings(),
    }
}

/// Races and mismatched flags, in the functions without callers. `None` if one of them cannot be run.
fn findings(program: &Checked, functions: &[OpId]) -> Option<Vec<Diagnostic>> {
    let module = program.module();
    let called: HashSet<_> = module.calls().into_values().collect();
    let kernels: Vec<OpId> = functions.iter().copied().filter(|f| !called.contains(f)).collect();
    if kernels.len() > MANY {
        return None;
    }
    let mut all = Vec::new();
    for function in kernels {
        let name = module.symbol_name(function);
        let plan = Plan::new(program, Some(name), Options::default()).ok()?;
        // The number of blocks is unknown.
        if plan.blocks_wait() {
            return None;
        }
        let mut bound = made_up(&plan, SHORT)?;
        let mut arguments: Vec<_> = bound.iter_mut().map(|b| b.arg()).collect();
        let check =
            race::Check::new(plan.launch()).without_results().sync(OrderedBy::Manual).all_paths().limit(SHORT.0);
        let report = check.run(&mut arguments);
        let stopped = report.stopped.is_some() || report.findings.iter().any(|d| d.code.is_run_error());
        let before = all.len();
        all.extend(report.findings.into_iter().filter(|d| d.is_error() && is_order(d)));
        if stopped && all.len() == before {
            return None;
        }
    }
    Some(all)
}

/// Findings about order, not about what memory holds or what stopped the run.
fn is_order(finding: &Diagnostic) -> bool {
    let other = matches!(finding.code, codes::RACE_UNWRITTEN | codes::GLOBAL_MISALIGNED);
    let of_race = codes::RACE_READ.number() / 100 == finding.code.number() / 100;
    of_race && !other
}

fn warning(first: &Diagnostic, count: usize) -> Diagnostic {
    let mut d = Diagnostic::new(codes::EMIT_UNORDERED, first.primary.span, first.message.clone()).warning();
    d.labels.clone_from(&first.labels);
    let d = match count {
        1 => d,
        2 => d.remark(text!("`pto race` reports one more finding")),
        n => d.remark(text!("`pto race` reports {n} more findings", n = n - 1)),
    };
    d.help(text!("run `pto race` for details; `pto sync` and `--sync auto` insert flags that are missing"))
}
