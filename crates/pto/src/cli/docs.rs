//! `pto doc`

use super::{Failure, Run};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Mnemonic, in any case: `TMAX`, `pto.tmax`
    name: Option<String>,
}

pub(crate) fn run(args: &Args) -> Run {
    Err(Failure(format!("no page yet for {:?}", args.name)))
}
