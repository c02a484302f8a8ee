//! What depends on the instructions of the processor, on each level below its own: a level is found once per process.

use pto_num::{CpuLevel, ProductUnit, cpu_level};
use std::process::Command;

/// Modules whose tests compare kernels of the level with plain ones.
const MODULES: [&str; 4] = ["factors::", "products::", "strips::", "wanted::"];

#[test]
fn results_are_the_same() {
    if std::env::var_os("PTO_CPU_LEVEL").is_some() {
        return;
    }
    let units = ProductUnit::ALL[..ProductUnit::ALL.len() - 1].iter().filter(|_| cpu_level() == CpuLevel::V4);
    let names = CpuLevel::ALL.into_iter().filter(|level| *level < cpu_level()).map(CpuLevel::name);
    let names =
        names.chain(units.map(|unit| if *unit == ProductUnit::None { cpu_level().name() } else { unit.name() }));
    for name in names {
        let mut run = Command::new(std::env::current_exe().expect("a test has a file"));
        let output = run.args(MODULES).env("PTO_CPU_LEVEL", name).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && !text.contains(" 0 passed"), "at level {name}:\n{text}");
    }
}
