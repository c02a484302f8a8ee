//! The vectors on each level below that of the processor: a level is found once per process.

use libtest_mimic::{Failed, Trial};
use pto_num::{CpuLevel, cpu_level};
use std::process::Command;

pub fn trials() -> Vec<Trial> {
    let levels = CpuLevel::ALL.into_iter().filter(|level| *level < cpu_level()).map(CpuLevel::name);
    // The level of the processor, without its instructions for products of matrices.
    let plain = [CpuLevel::V4.name()].into_iter().filter(|_| cpu_level() == CpuLevel::V4);
    levels.chain(plain).map(|name| Trial::test(format!("vectors at level {name}"), move || run_vectors(name))).collect()
}

fn run_vectors(level: &str) -> Result<(), Failed> {
    let mut run = Command::new(std::env::current_exe()?);
    let output = run.arg("ops/").env("PTO_CPU_LEVEL", level).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || !text.contains("test ops/tadd ") {
        return Err(format!("at level {level}:\n{text}").into());
    }
    Ok(())
}
