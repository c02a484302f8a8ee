//! What depends on the instructions of the processor, on each level below its own: a level is found once per process.

use pto_num::{CpuLevel, ProductUnit, cpu_level, most_product_unit};
use std::process::Command;

/// Modules whose tests compare kernels of the level with plain ones.
const MODULES: [&str; 4] = ["factors::", "products::", "strips::", "wanted::"];

#[test]
fn results_are_the_same() {
    let highest = CpuLevel::V4;
    let levels = CpuLevel::ALL.into_iter().filter(|level| *level < cpu_level()).map(CpuLevel::name);
    // Without such instructions for products, the name of a unit is empty: that is the level itself.
    let units = ProductUnit::ALL.into_iter().filter(|unit| cpu_level() == highest && *unit < most_product_unit());
    let units = units.map(|unit| if unit == ProductUnit::None { highest.name() } else { unit.name() });
    for name in levels.chain(units) {
        let mut run = Command::new(std::env::current_exe().expect("a test has a file"));
        let output = run.args(MODULES).env("PTO_CPU_LEVEL", name).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "at level {name}:\n{text}");
        assert!(MODULES.iter().all(|module| text.contains(&format!("test {module}"))), "a module has no test:\n{text}");
    }
}
