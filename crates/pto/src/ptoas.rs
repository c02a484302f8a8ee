//! The `ptoas` command: the command line of the public assembler. It is `pto` under another name.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
