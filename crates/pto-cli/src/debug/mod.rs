//! `pto debug`: records a run, or loads a recording, and goes through it in both directions.
//!
//! A [`DebugSession`](session::DebugSession) executes commands and knows no terminal; [`tui`] shows it on one, [`batch`] prints what
//! commands give.

mod batch;
mod command;
mod condition;
mod evaluate;
mod index;
mod info;
mod lexer;
mod search;
mod session;
mod show;
mod stops;
mod travel;
mod tui;

use super::check;
use super::input::InputText;
use super::program::recorded::load_recording;
use super::program::{ProgramArgs, Stop, VALUES_HELP};
use super::trace::byte_count;
use super::{CommandResult, Failure, Outcome, host, render};
use batch::ScriptLine;
use pto::isa::text;
use pto::trace::{RecordOptions, Recording};
use session::DebugSession;
use std::io::IsTerminal;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Args {
    #[command(flatten)]
    program: ProgramArgs,
    /// Execute the commands of a file and print what they show; one in each line, `#` starts a comment
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Execute a command and print what it shows; may be given several times
    #[arg(long, value_name = "COMMAND")]
    command: Vec<String>,
    /// Bytes that the recording may take, with K, M or G
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = byte_count)]
    limit: u64,
}

const AFTER_HELP: &str = "\
Exit codes: 0 done, 1 problems in the program, before or during the run, 2 wrong usage, a wrong command or unusable data.

Examples:
  pto debug softmax.pto                                   go through a run in the terminal; ? shows the keys
  pto debug run.ptotrace                                  the same for a recording
  pto debug softmax.pto --command 'until any nan'         where does the first NaN come from?
  pto debug softmax.pto --script steps.txt                for tests; `help` is a command that lists all";

fn after_help() -> String {
    format!("{VALUES_HELP}\n\n{AFTER_HELP}")
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let commands = args.commands()?;
    let is_interactive =
        commands.is_none() && !host::is_memory() && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if is_interactive {
        tui::is_possible()?;
    }
    if commands.is_none() && args.program.file.as_os_str() == "-" {
        return Err(Failure(
            text!("the program comes from standard input, so commands need --command or --script").into(),
        ));
    }
    let Some(recording) = recording(args)? else { return Ok(Outcome::Problems) };
    let mut session = DebugSession::new(&recording);
    match commands {
        Some(commands) => batch::run(&mut session, commands.into_iter())?,
        None if is_interactive => tui::run(session)?,
        None => batch::run(&mut session, batch::stdin_lines())?,
    }
    Ok(if recording.outcome().is_some() { Outcome::Problems } else { Outcome::Clean })
}

/// Loads a recording, or makes one; `None` if the program has problems, which are printed then.
fn recording(args: &Args) -> Result<Option<Recording>, Failure> {
    if let Some((recording, _)) = load_recording(&args.program.file)? {
        let source = InputText::of_text(recording.source().name.clone(), recording.source().text.clone());
        render::print(&source, recording.outcome().map_or(&[], std::slice::from_ref))?;
        return Ok(Some(recording));
    }
    let (source, program, target) = args.program.read()?;
    let options = RecordOptions::default().limit(args.limit);
    match args.program.record("debug", &source, &program, target, options) {
        Ok(recording) => {
            render::print(&source, recording.plan().checked().warnings())?;
            render::print(&source, recording.outcome().map_or(&[], std::slice::from_ref))?;
            Ok(Some(recording))
        }
        Err(Stop::Failure(failure)) => Err(failure),
        Err(Stop::Problems(problems)) => {
            check::print_text(&[check::CheckReport { source, target, problems }])?;
            Ok(None)
        }
    }
}

impl Args {
    /// The commands to execute, if any are given.
    fn commands(&self) -> Result<Option<Vec<ScriptLine>>, Failure> {
        if self.script.is_none() && self.command.is_empty() {
            return Ok(None);
        }
        let mut all = Vec::new();
        if let Some(path) = &self.script {
            let name = path.display().to_string();
            let text = host::read(path)
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .map_err(|e| Failure(text!("cannot read {name}: {e}", name, e)))?;
            all.extend(batch::script_lines(&name, &text));
        }
        let given = (1..).zip(&self.command);
        all.extend(
            given
                .map(|(n, text): (usize, &String)| ScriptLine { origin: format!("--command {n}"), text: text.clone() }),
        );
        Ok(Some(all))
    }
}
