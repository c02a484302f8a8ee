//! The `pto` command: arguments and rendering, no logic.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
