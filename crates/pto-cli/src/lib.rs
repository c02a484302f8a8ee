//! The commands `pto` and `ptoas`: arguments and rendering, no logic. Here so that both are compiled once, and for the Python package, which runs them and
//! shows their [`reports`]; it is no interface for others.
//!
//! For WebAssembly, what needs a terminal, other processes or a disk is left out: `debug`, `lsp`, `reduce`, `completions`, `man`, and the site of `doc`.
//!
//! Exit codes: 0 clean, 1 diagnostics (or a file that is not formatted), 2 wrong usage or a file that cannot
//! be read or written, 3 results that differ from what was expected.

mod assembler;
mod check;
mod counts;
#[cfg(not(target_family = "wasm"))]
mod debug;
mod diff;
mod docs;
mod emit;
mod explain;
mod files;
mod fmt;
mod host;
mod input;
mod isa;
mod json;
mod language;
mod lower;
#[cfg(not(target_family = "wasm"))]
mod lsp;
#[cfg(not(target_family = "wasm"))]
mod manual;
mod npz;
mod perf;
mod program;
mod progress;
mod race;
#[cfg(not(target_family = "wasm"))]
mod reduce;
mod render;
pub mod reports;
mod run;
mod trace;
mod view;

pub use host::{MemoryFiles, MemoryOutcome, execute_in_memory};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use pto::isa::text;
use pto::isa::text::set_language;
use std::ffi::OsString;
use std::io::Write;
#[cfg(not(target_family = "wasm"))]
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Run, check, format and look up PTO tile programs on any machine.
#[derive(Parser)]
#[command(name = "pto", version, about, after_help = AFTER_HELP, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorArg,
    /// Language of messages, help and pages; JSON is always English
    ///
    /// Otherwise `PTO_LANG` or the locale decides.
    #[arg(long, global = true, value_name = "LANG", value_parser = ["en", "zh"])]
    lang: Option<String>,
}

/// The definition of the command line, for tests of its texts.
#[doc(hidden)]
pub fn command_texts() -> Vec<String> {
    let mut command = Cli::command();
    command.build();
    language::texts(&command)
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ColorArg {
    /// In a terminal, unless `NO_COLOR` is set
    Auto,
    Always,
    Never,
}

impl ColorArg {
    fn apply(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

const AFTER_HELP: &str = "\
Exit codes: 0 success, 1 problems found, 2 wrong usage or unreadable file, 3 `run --expect` or `diff` found differences.

Examples:
  pto run kernel.pto                    run it on random data and summarise the results
  pto race kernel.pto                   catch missing flags before the hardware does
  pto debug kernel.pto                  go through a run, forwards and backwards
  pto diff good.pto kernel.pto          name the first instruction whose result differs
  pto perf kernel.pto                   predict cycles and bottleneck, without a device
  pto check kernel.pto --target a5      report all problems of a file, with fixes
  pto fmt --form level1 kernel.pto      convert the program to another form
  pto emit cpp kernel.pto -o k.cpp      emit C++ for the device compiler
  pto doc TMAX                          show the page of an instruction
  pto explain PTO-E0214                 explain a diagnostic";

#[derive(Subcommand)]
enum Command {
    /// Run a program on this machine
    Run(run::Args),
    /// Record a run, to step through it or look at it later
    Trace(trace::Args),
    /// Look at a recording, or at a run of a program, in a browser
    View(view::Args),
    /// Find data races, deadlocks, missing flags and reads of uninitialised memory
    Race(race::Args),
    /// Go through a run step by step, forwards and backwards
    #[cfg(not(target_family = "wasm"))]
    Debug(debug::Args),
    /// Find the first instruction whose result differs between two runs
    Diff(diff::Args),
    /// Predict the cycles of a program and find its bottleneck
    Perf(perf::Args),
    /// Lower a program: from tile values to addresses and flags
    Lower(lower::Args),
    /// Show the addresses and lifetimes of tiles
    Plan(lower::plan::Args),
    /// Insert the flags and barriers that a program needs
    Sync(lower::sync::Args),
    /// Make a program with a fault smaller
    #[cfg(not(target_family = "wasm"))]
    Reduce(reduce::Args),
    /// Report all problems of programs
    Check(check::Args),
    /// Format programs, or convert them to another form
    Fmt(fmt::Args),
    /// Write a program as C++ for a device, or as bytecode
    Emit(emit::Args),
    /// Serve an editor: problems, hover, completion, fixes
    #[cfg(not(target_family = "wasm"))]
    Lsp(lsp::Args),
    /// Explain a diagnostic
    Explain(explain::Args),
    /// Show the page of an instruction, or write the whole reference
    Doc(docs::Args),
    /// List the instructions
    Isa(isa::Args),
    /// Print a completion script for a shell
    #[cfg(not(target_family = "wasm"))]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages
    #[cfg(not(target_family = "wasm"))]
    Man {
        /// Directory for the pages; created if it does not exist
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
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

impl Failure {
    /// Tells the user; nothing if that was done already.
    fn say(&self) {
        if !self.0.is_empty() {
            warn(&format!("\u{1b}[1;31m{}\u{1b}[0m: {}", text!("error"), self.0));
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

pub(crate) type CommandResult = Result<Outcome, Failure>;

/// The command `ptoas`.
pub fn assemble() -> ExitCode {
    assembler::main()
}

/// The command `pto`, or `ptoas` if called by that name.
pub fn main() -> ExitCode {
    if assembler::is_meant() { assemble() } else { ExitCode::from(execute(std::env::args_os())) }
}

/// Executes the command `pto` with arguments, the first of which is its name; returns the exit code.
pub fn execute(args: impl Iterator<Item = OsString>) -> u8 {
    let args: Vec<OsString> = args.map(as_number).collect();
    set_language(language::chosen(&args));
    let matches = language::localised(Cli::command()).try_get_matches_from(args);
    let result = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => {
            cli.color.apply();
            known_level().and_then(|()| run_command(cli.command))
        }
        Err(e) if e.use_stderr() => match language::usage_error(&e) {
            Some(message) => {
                warn(&message);
                return 2;
            }
            None => {
                let _ = write!(host::stderr(), "{}", e.render().ansi());
                return 2;
            }
        },
        Err(help) => out(&help.render().ansi().to_string()).map(|()| Outcome::Clean),
    };
    exit_code(result.and_then(flushed))
}

/// Rewrites `-1e-7` as `-0.0000001`, `-1e+7` as `-1e7` and `-inf` as the smallest number: the argument parser takes a second
/// sign or a letter for an option. No option starts with a digit or has one of these names.
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

/// A name that is no level would leave the processor as it is, and nobody would notice.
fn known_level() -> Result<(), Failure> {
    let Some(found) = pto_num::unknown_level() else { return Ok(()) };
    Err(Failure(text!(
        "PTO_CPU_LEVEL is `{found}`, which is no level of processors; legal are baseline, v3, v4, vnni and amx",
        found
    )))
}

fn run_command(command: Command) -> CommandResult {
    match command {
        Command::Run(args) => run::run(&args),
        Command::Trace(args) => trace::run(&args),
        Command::View(args) => view::run(&args),
        Command::Race(args) => race::run(&args),
        #[cfg(not(target_family = "wasm"))]
        Command::Debug(args) => debug::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Perf(args) => perf::run(&args),
        Command::Lower(args) => lower::run(&args),
        Command::Plan(args) => lower::plan::run(&args),
        Command::Sync(args) => lower::sync::run(&args),
        #[cfg(not(target_family = "wasm"))]
        Command::Reduce(args) => reduce::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Emit(args) => emit::run(&args),
        #[cfg(not(target_family = "wasm"))]
        Command::Lsp(args) => lsp::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Doc(args) => docs::run(&args),
        Command::Isa(args) => isa::run(&args),
        #[cfg(not(target_family = "wasm"))]
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut language::localised(Cli::command()), "pto", &mut script);
            files::write(Path::new("-"), &script)?;
            Ok(Outcome::Clean)
        }
        #[cfg(not(target_family = "wasm"))]
        Command::Man { out } => manual::write(language::localised(Cli::command()), &out),
    }
}

/// A failed write of the results is not a success.
fn flushed(outcome: Outcome) -> CommandResult {
    host::stdout().flush().map_err(|e| stdout_failed(&e))?;
    Ok(outcome)
}

fn exit_code(result: CommandResult) -> u8 {
    match result {
        Ok(Outcome::Clean) => 0,
        Ok(Outcome::Problems) => 1,
        Ok(Outcome::Different) => 3,
        Err(failure) => {
            failure.say();
            2
        }
    }
}

/// Writes to standard output. A closed pipe is not an error.
pub(crate) fn out(text: &str) -> Result<(), Failure> {
    host::stdout().write_all(text.as_bytes()).map_err(|e| stdout_failed(&e))
}

/// A closed pipe ends the command quietly; every other error is reported.
fn stdout_failed(error: &std::io::Error) -> Failure {
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    Failure(text!("cannot write standard output: {error}", error))
}

/// True in processes that leave reports to another one.
static IS_MUTE: AtomicBool = AtomicBool::new(false);

/// From now on, nothing is written to standard error.
#[cfg(unix)]
pub(crate) fn mute() {
    IS_MUTE.store(true, Ordering::Relaxed);
}

/// Writes a line to standard error. Errors are ignored: there is nowhere left to report them.
pub(crate) fn warn(text: &str) {
    if IS_MUTE.load(Ordering::Relaxed) {
        return;
    }
    let _ = writeln!(host::stderr(), "{text}");
}
