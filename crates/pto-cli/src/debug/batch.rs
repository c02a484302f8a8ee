//! The debugger without a terminal: commands from a script, from the command line, or from standard input.

use super::command::Reply;
use super::session::DebugSession;
use crate::{Failure, out};
use pto::isa::text;
use std::io::BufRead;

/// A command and where it stands.
pub(crate) struct ScriptLine {
    pub(crate) origin: String,
    pub(crate) text: String,
}

/// The commands of a script: one in each line; `#` starts a comment.
pub(crate) fn script_lines(name: &str, text: &str) -> Vec<ScriptLine> {
    let lines = (1..).zip(text.lines()).map(|(number, line)| (number, without_comment(line).trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty());
    lines.map(|(number, line)| ScriptLine { origin: format!("{name}:{number}"), text: line.to_string() }).collect()
}

fn without_comment(line: &str) -> &str {
    line.split_once('#').map_or(line, |(before, _)| before)
}

/// Executes commands until one is wrong; the message names its line.
pub(crate) fn run(session: &mut DebugSession<'_>, lines: impl Iterator<Item = ScriptLine>) -> Result<(), Failure> {
    for line in lines {
        out(&format!("> {}\n", line.text))?;
        match session.execute(&line.text) {
            Ok(Reply::Text(text)) => out(&format!("{text}\n"))?,
            Ok(Reply::Quit) => break,
            Err(message) => {
                let origin = line.origin;
                return Err(Failure(text!("{origin}: {message}", origin, message)));
            }
        }
    }
    Ok(())
}

/// The lines of standard input, as they come.
pub(crate) fn stdin_lines() -> impl Iterator<Item = ScriptLine> {
    let lines = (1..).zip(std::io::stdin().lock().lines()).map_while(|(number, line)| Some((number, line.ok()?)));
    lines.flat_map(|(number, line): (usize, String)| {
        let mut commands = script_lines("<stdin>", &line);
        commands.iter_mut().for_each(|c| c.origin = format!("<stdin>:{number}"));
        commands
    })
}
