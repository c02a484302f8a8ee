//! `pto emit`

mod order;

use super::check::{self, CheckReport, target_parser};
use super::files;
use super::input::{self, InputText};
use super::render;
use super::{CommandResult, Outcome};
use pto::bytecode as encode;
use pto::emit::{self, CppStyle, Emitted, InsertSync, Options};
use pto::syntax::Lines;
use pto::{Diagnostic, Program, Target};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: EmitCommand,
}

#[derive(clap::Subcommand)]
enum EmitCommand {
    /// C++ against the public PTO headers
    Cpp(CppArgs),
    /// The public bytecode container, which every command reads
    Bytecode(BytecodeArgs),
}

#[derive(clap::Args)]
struct BytecodeArgs {
    /// A program, or `-` for standard input
    file: PathBuf,
    /// Output file; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Reject operations without an opcode in the container instead of storing them by name
    #[arg(long)]
    numbers_only: bool,
    /// Accepted for compatibility; operations without an opcode are always stored by name
    #[arg(long, hide = true, conflicts_with = "numbers_only")]
    generic: bool,
}

#[derive(clap::Args)]
struct CppArgs {
    /// A program, or `-` for standard input
    file: PathBuf,
    /// Output file; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Target; default: pto.target_arch of the file, else a2a3
    #[arg(long, value_parser = target_parser(), ignore_case = true)]
    target: Option<Target>,
    /// Require this level: 3 with addresses, 1 or 2 without; default: any
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=3))]
    level: Option<u8>,
    /// Which kernels get flags and barriers
    #[arg(long, value_enum, default_value = "unstated")]
    sync: InsertSyncArg,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum InsertSyncArg {
    /// Kernels without any; a kernel with flags, events, barriers or tokens is emitted unchanged
    Unstated,
    /// All kernels; in a kernel with flags, the missing ones are inserted
    Auto,
    /// No kernels; nothing is inserted
    None,
}

impl From<InsertSyncArg> for InsertSync {
    fn from(arg: InsertSyncArg) -> Self {
        match arg {
            InsertSyncArg::Unstated => Self::Unstated,
            InsertSyncArg::Auto => Self::Auto,
            InsertSyncArg::None => Self::None,
        }
    }
}

pub(crate) fn run(args: &Args) -> CommandResult {
    match &args.what {
        EmitCommand::Cpp(args) => cpp(args),
        EmitCommand::Bytecode(args) => bytecode(args),
    }
}

fn cpp(args: &CppArgs) -> CommandResult {
    let source = input::read(&args.file)?;
    let request = EmitRequest {
        target: args.target,
        level: args.level,
        sync: args.sync.into(),
        style: CppStyle::Readable,
        infer_layout: true,
    };
    match request.emit(&source) {
        Ok(emitted) => {
            files::write(&args.output, emitted.text.as_bytes())?;
            render::print(&source, emitted.program.warnings())?;
            render::print(&source, &order::warnings(&emitted))?;
            Ok(Outcome::Clean)
        }
        Err((target, problems)) => {
            check::print_text(&[CheckReport { source, target, problems }])?;
            Ok(Outcome::Problems)
        }
    }
}

/// Bytecode needs a program that parses. Its reader checks whether the program is legal for a target.
fn bytecode(args: &BytecodeArgs) -> CommandResult {
    let source = input::read(&args.file)?;
    let program = Program::parse(&source.text);
    let mut problems: Vec<Diagnostic> = source.unreadable.clone().into_iter().collect();
    problems.extend(program.problems().iter().filter(|d| d.is_error()).cloned());
    let options = encode::Options { generic: args.generic || !args.numbers_only, ..Default::default() };
    if problems.is_empty() {
        match encode::encode(program.module(), options) {
            Ok(bytes) => {
                files::write(&args.output, &bytes)?;
                return Ok(Outcome::Clean);
            }
            Err(found) => problems = found.into(),
        }
    }
    let target = program.stated_target().unwrap_or(Target::A2A3);
    check::print_text(&[CheckReport { source, target, problems }])?;
    Ok(Outcome::Problems)
}

/// What to emit.
pub(crate) struct EmitRequest {
    pub(crate) target: Option<Target>,
    pub(crate) level: Option<u8>,
    pub(crate) sync: InsertSync,
    pub(crate) style: CppStyle,
    pub(crate) infer_layout: bool,
}

impl EmitRequest {
    /// The C++, or the target it is not possible for and why.
    pub(crate) fn emit(&self, source: &InputText) -> Result<Emitted, (Target, Vec<Diagnostic>)> {
        if let Some(d) = source.unreadable.clone() {
            return Err((self.target.unwrap_or(Target::A2A3), vec![d]));
        }
        let program = Program::parse(&source.text);
        let target = self.target.or_else(|| program.stated_target()).unwrap_or(Target::A2A3);
        let lines = Lines::new(&source.text);
        let line = |at: u32| lines.locate(at).0;
        let options = Options {
            source: Path::new(&source.name).file_name().and_then(|n| n.to_str()).unwrap_or_default(),
            line: Some(&line),
            style: self.style,
            level: self.level,
            sync: self.sync,
            infer_layout: self.infer_layout,
        };
        let emitted = program.check(target).and_then(|checked| emit::emit(&checked, &options));
        emitted.map_err(|problems| (target, problems.into_diagnostics()))
    }
}
