//! `pto man`: a page for `pto` and one for each command, from the definition of the command line.

use super::{CommandResult, Outcome, files, out};
use std::path::Path;

pub(crate) fn write(command: clap::Command, dir: &Path) -> CommandResult {
    std::fs::create_dir_all(dir).map_err(|e| files::failed(dir, &e))?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = 0;
    pages += page(&command, "pto", dir)?;
    for inner in command.get_subcommands() {
        pages += page(inner, &format!("pto-{}", inner.get_name()), dir)?;
        for inmost in inner.get_subcommands() {
            pages += page(inmost, &format!("pto-{}-{}", inner.get_name(), inmost.get_name()), dir)?;
        }
    }
    out(&format!("wrote {pages} pages to {}\n", dir.display()))?;
    Ok(Outcome::Clean)
}

/// Writes a page; the result is the number of pages.
fn page(command: &clap::Command, name: &str, dir: &Path) -> Result<usize, super::Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone().display_name(name)).render(&mut text)?;
    files::write(&dir.join(format!("{name}.1")), &text)?;
    Ok(1)
}
