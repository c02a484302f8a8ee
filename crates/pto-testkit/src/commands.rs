//! Programs that tests start.

use std::process::Command;

/// A command that answers in English, whatever the locale of the machine is.
pub fn english(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env("PTO_LANG", "en");
    command
}
