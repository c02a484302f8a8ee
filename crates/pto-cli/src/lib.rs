//! The commands `pto` and `ptoas`: arguments and rendering, no logic. Here so that both are compiled once; it is no interface for others.
//!
//! Exit codes: 0 clean, 1 diagnostics (or a file that is not formatted), 2 wrong usage or a file that cannot
//! be read or written, 3 results that differ from what was expected.

mod assembler;
mod check;
mod docs;
mod emit;
mod explain;
mod files;
mod fmt;
mod input;
mod isa;
mod json;
mod lower;
mod perf;
mod program;
mod progress;
mod race;
mod render;
mod run;

use clap::{CommandFactory, Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Run, check, format and look up PTO tile programs on any machine.
#[derive(Parser)]
#[command(name = "pto", version, about, after_help = AFTER_HELP, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Exit codes: 0 clean, 1 problems found, 2 wrong usage or unreadable file, 3 `run --expect` found differences.

Examples:
  pto run kernel.pto                    run it on random data and sum up what it wrote
  pto race kernel.pto                   find the missing flag before a device does
  pto perf kernel.pto                   cycles and bottleneck without a device
  pto check kernel.pto --target a5      every problem of a file, with a way out
  pto fmt --form level1 kernel.pto      the same program in another form
  pto emit cpp kernel.pto -o k.cpp      the same program for the device compiler
  pto doc TMAX                          what an instruction does and takes
  pto explain PTO-E0214                 what a diagnostic means";

#[derive(Subcommand)]
enum Command {
    /// Run a program on this machine
    Run(run::Args),
    /// Find what is wrong on a device: missing flags, races, memory without content
    Race(race::Args),
    /// Predict the cycles of a program and what holds it up
    Perf(perf::Args),
    /// Place tiles and order pipes: from tile values to addresses and flags
    Lower(lower::Args),
    /// Show where tiles lie, and when
    Plan(lower::plan::Args),
    /// Insert the flags and barriers that a program needs
    Sync(lower::sync::Args),
    /// Say everything that is wrong with programs
    Check(check::Args),
    /// Lay programs out, or write them in another form
    Fmt(fmt::Args),
    /// Write a program as C++ for a device, or as bytecode
    Emit(emit::Args),
    /// Explain a diagnostic
    Explain(explain::Args),
    /// Show the page of an instruction, or write the whole reference
    Doc(docs::Args),
    /// List the instructions
    Isa(isa::Args),
    /// Print a completion script for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// How a command ended.
pub(crate) enum Outcome {
    Clean,
    Problems,
    /// Results are not what was expected.
    Different,
}

/// A problem with the usage or the environment: exit code 2.
pub(crate) struct Failure(pub(crate) String);

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

pub(crate) type Run = Result<Outcome, Failure>;

/// The command `ptoas`.
pub fn assemble() -> ExitCode {
    assembler::main()
}

/// The command `pto`, or `ptoas` where it is called by that name.
pub fn main() -> ExitCode {
    if assembler::is_meant() {
        return assemble();
    }
    let result = match Cli::try_parse_from(std::env::args_os().map(as_number)) {
        Ok(cli) => run_command(cli.command),
        Err(e) if e.use_stderr() => e.exit(),
        Err(help) => out(&help.render().ansi().to_string()).map(|()| Outcome::Clean),
    };
    exit_code(result.and_then(flushed))
}

/// `-1e-7` as `-0.0000001`, `-1e+7` as `-1e7`, `-inf` as a number below all others: the reader of arguments takes a second
/// sign or a letter for an option. No option starts with a digit, and none is called like these.
fn as_number(arg: OsString) -> OsString {
    let Some(text) = arg.to_str().filter(|t| t.starts_with('-')) else { return arg };
    let starts_as_number = text[1..].starts_with(|c: char| c.is_ascii_digit() || c == '.');
    match text.parse::<f64>() {
        Ok(x) if x.is_nan() => "nan".into(),
        Ok(x) if x.is_infinite() => "-1e999".into(),
        Ok(_) if starts_as_number && text.contains('+') => text.replace('+', "").into(),
        Ok(x) if starts_as_number && text[1..].contains('-') => x.to_string().into(),
        _ => arg,
    }
}

fn run_command(command: Command) -> Run {
    match command {
        Command::Run(args) => run::run(&args),
        Command::Race(args) => race::run(&args),
        Command::Perf(args) => perf::run(&args),
        Command::Lower(args) => lower::run(&args),
        Command::Plan(args) => lower::plan::run(&args),
        Command::Sync(args) => lower::sync::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Emit(args) => emit::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Doc(args) => docs::run(&args),
        Command::Isa(args) => isa::run(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "pto", &mut script);
            files::write(Path::new("-"), &script)?;
            Ok(Outcome::Clean)
        }
    }
}

/// Results that never reached their reader are not a success.
fn flushed(outcome: Outcome) -> Run {
    std::io::stdout().flush().map_err(|e| stdout_failed(&e))?;
    Ok(outcome)
}

fn exit_code(result: Run) -> ExitCode {
    match result {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Problems) => ExitCode::from(1),
        Ok(Outcome::Different) => ExitCode::from(3),
        Err(Failure(message)) => {
            if !message.is_empty() {
                warn(&format!("\u{1b}[1;31merror\u{1b}[0m: {message}"));
            }
            ExitCode::from(2)
        }
    }
}

/// Writes to standard output; a reader that went away is not an error worth reporting.
pub(crate) fn out(text: &str) -> Result<(), Failure> {
    anstream::stdout().write_all(text.as_bytes()).map_err(|e| stdout_failed(&e))
}

/// A reader that has seen enough ends the command quietly; everything else is an error.
fn stdout_failed(error: &std::io::Error) -> Failure {
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    Failure(format!("cannot write standard output: {error}"))
}

/// Writes a line to standard error. If that is gone too there is nobody left to tell.
pub(crate) fn warn(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}
