//! The other tests on each level below that of the processor: a level is found once per process.

use pto_num::{CpuLevel, cpu_level};
use std::process::Command;

#[test]
fn kernels_are_the_same() {
    // Without vector instructions there are only the plain versions that others are compared with.
    let lower = |level: &CpuLevel| *level < cpu_level() && *level > CpuLevel::Baseline;
    for level in CpuLevel::ALL.into_iter().filter(lower).map(CpuLevel::name) {
        let mut run = Command::new(std::env::current_exe().expect("a test has a file"));
        let output = run.args(["--skip", "lower_levels::"]).env("PTO_CPU_LEVEL", level).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("test kernels::"), "at level {level}:\n{text}");
    }
}
