//! `pto isa`

use super::{Outcome, Run, out};
use pto::isa::table;

#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Run {
    for op in table::isa() {
        out(&format!("{}\n", op.row().name))?;
    }
    Ok(Outcome::Clean)
}
