//! `pto lower`, `pto plan`, `pto sync`

mod map;
pub(crate) mod plan;
pub(crate) mod sync;

use super::check::{self, target_parser};
use super::files;
use super::input::{self, InputText};
use super::render;
use super::{CommandResult, Failure, Outcome, warn};
use pto::checks::{self, Checked};
use pto::ir::{Form, Style};
use pto::isa::Span;
use pto::isa::ordered::OrdSet;
use pto::isa::text;
use pto::opt::{self, Blanket};
use pto::syntax::Lines;
use pto::{Error, Module, Program, Target};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    file: FileArgs,
    /// Level of the output
    #[arg(long, value_enum, default_value = "level3")]
    to: OutputLevel,
    /// How to order pipes at level 3
    #[arg(long, value_enum, default_value = "minimal")]
    mode: sync::ModeArg,
    /// Share memory as much as possible, even if all tiles fit without sharing
    #[arg(long)]
    tight: bool,
    /// Output file; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

const AFTER_HELP: &str = "\
Exit codes: 0 done, 1 problems in the program, 2 wrong usage or an I/O error.

Examples:
  pto lower softmax.pto -o softmax3.pto       addresses and flags
  pto lower softmax.pto --to level2           buffers only
  pto lower softmax.pto | pto race -          no race is found";

/// A program and the target it is for.
#[derive(clap::Args)]
pub(crate) struct FileArgs {
    /// A program, or `-` for standard input
    file: PathBuf,
    /// Target; default: pto.target_arch of the file, else a2a3
    #[arg(long, value_parser = target_parser(), ignore_case = true)]
    target: Option<Target>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum OutputLevel {
    /// Buffers instead of values
    Level2,
    /// Addresses and flags
    Level3,
}

/// A parsed program.
pub(crate) struct ParsedFile {
    pub(crate) source: InputText,
    pub(crate) program: Program,
    pub(crate) target: Target,
}

impl FileArgs {
    fn read(&self) -> Result<ParsedFile, Failure> {
        let source = input::read(&self.file)?;
        let program = Program::parse(&source.text);
        let target = self.target.or_else(|| program.stated_target()).unwrap_or(Target::A2A3);
        Ok(ParsedFile { source, program, target })
    }
}

impl ParsedFile {
    fn check(&self) -> Result<Checked, Error> {
        match &self.source.unreadable {
            Some(problem) => Err(problem.clone().into()),
            None => self.program.check(self.target),
        }
    }

    /// The program as text, in the spelling of the file.
    fn print(&self, module: &Module) -> String {
        let types = self.program.module().type_votes.usual();
        let mut module = module.clone();
        // A type that a statement omitted may no longer be inferable.
        module.forget_spellings();
        pto::ir::print(&module, Style { form: Some(Form::Level2), types, source: Some(&self.source.text) })
    }

    /// Notes where all pipes wait for each other.
    fn say_blanket(&self, places: &[Blanket]) {
        let lines = Lines::new(&self.source.text);
        let mut said = OrdSet::new();
        for Blanket { span, reason, .. } in places {
            let line = lines.locate(span.start).0;
            if said.insert((line, reason)) {
                warn(&text!(
                    "note: {name}:{line}: all pipes wait for each other here: {reason}",
                    name = self.source.name,
                    line,
                    reason
                ));
            }
        }
    }

    /// Notes where iterations of a loop wait for each other unnecessarily.
    fn say_untold(&self, places: &[Span]) {
        let lines = Lines::new(&self.source.text);
        for span in places {
            let line = lines.locate(span.start).0;
            warn(&text!(
                "note: {name}:{line}: iterations wait for each other here: the tile is not a known function of the index of a loop with constant bounds",
                name = self.source.name,
                line
            ));
        }
    }

    fn problems(self, error: Error) -> CommandResult {
        let Self { source, target, .. } = self;
        let problems = error.into_diagnostics();
        check::print_text(&[check::CheckReport { source, target, problems }])?;
        Ok(Outcome::Problems)
    }
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let read = args.file.read()?;
    match lowered(args, &read) {
        Ok(lowered) => {
            files::write(&args.output, read.print(lowered.module()).as_bytes())?;
            render::print(&read.source, lowered.warnings())?;
            Ok(Outcome::Clean)
        }
        Err(problems) => read.problems(problems),
    }
}

/// The remaining warnings concern the result: lowering preserves sources that a device would destroy, if possible.
fn lowered(args: &Args, read: &ParsedFile) -> Result<Checked, Error> {
    let checked = read.check()?;
    match args.to {
        OutputLevel::Level2 => checks::check(opt::to_buffers(&checked)?, read.target),
        OutputLevel::Level3 => {
            let places = opt::plan::Options { tight: args.tight, ..Default::default() };
            let lowered = opt::lower(&checked, places, args.mode.into())?;
            read.say_blanket(&lowered.blanket);
            read.say_untold(&lowered.untold);
            Ok(lowered.program)
        }
    }
}
