//! The `ptoas` command: the command line of the public assembler. It calls nothing that runs or predicts programs, so that the
//! linker leaves the engine out: the file is small, and so is its memory.

use std::process::ExitCode;

fn main() -> ExitCode {
    pto_cli::assemble()
}
