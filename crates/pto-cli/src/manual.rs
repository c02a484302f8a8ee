//! `pto man`: a page for `pto` and one for each command, from the definition of the command line.

use super::{CommandResult, Outcome, files, out};
use pto::isa::text;
use std::path::Path;

pub(crate) fn write(command: clap::Command, dir: &Path) -> CommandResult {
    std::fs::create_dir_all(dir).map_err(|e| files::failed(dir, &e))?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let pages = page(&command, "pto", dir)?;
    out(&text!("wrote {pages} pages to {dir}\n", pages, dir = dir.display()))?;
    Ok(Outcome::Clean)
}

/// Writes the pages of a command and of those below it; the result is how many.
fn page(command: &clap::Command, name: &str, dir: &Path) -> Result<usize, super::Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone().display_name(name)).render(&mut text)?;
    files::write(&dir.join(format!("{name}.1")), &text)?;
    let inner = command.get_subcommands().map(|c| page(c, &format!("{name}-{}", c.get_name()), dir));
    Ok(1 + inner.sum::<Result<usize, _>>()?)
}
