//! The `pto` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    pto::cli::main()
}
