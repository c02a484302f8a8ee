//! The `pto` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    pto_cli::main()
}
