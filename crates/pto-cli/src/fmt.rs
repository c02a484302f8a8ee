//! `pto fmt`

use super::input::{self, InputText};
use super::render;
use super::{CommandResult, Failure, Outcome, files, json, out};
use pto::isa::text;
use pto::syntax::{FormatOptions, format};
use pto::{Form, TypeStyle};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files or directories, formatted in place; `-` formats standard input to standard output
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// List files that are not formatted and exit with 1 if there are any; change nothing
    #[arg(long)]
    check: bool,
    /// Print the list as JSON
    #[arg(long, requires = "check")]
    json: bool,
    /// Write to standard output instead of the files
    #[arg(long, conflicts_with = "check")]
    stdout: bool,
    /// Write tile instructions in this form; default: unchanged
    #[arg(long, value_enum)]
    form: Option<FormArg>,
    /// Write tile types in this spelling; default: that of the file
    #[arg(long, value_enum)]
    types: Option<TypesArg>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum FormArg {
    /// `%d = pto.tmax %a, %b : (T, T) -> T`
    Level1,
    /// `pto.tmax ins(%a, %b : T, T) outs(%d : T)`
    Level2,
    /// `%d = tmax %a, %b : T`
    Asm,
    /// `"pto.tmax"(%a, %b, %d) : (T, T, T) -> ()`
    Generic,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum TypesArg {
    /// `!pto.tile_buf<loc=vec, dtype=f32, rows=16, …>`
    Keyed,
    /// `!pto.tile_buf<vec, 16x16xf32>`
    Compact,
}

/// What `--check` found.
#[derive(Serialize, Default)]
struct JsonFormat {
    not_formatted: Vec<String>,
    /// Files with problems that keep them from being formatted.
    unreadable: Vec<String>,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let (mut outcome, mut report) = (Outcome::Clean, JsonFormat::default());
    for path in input::expand(&args.files)? {
        let source = input::read(&path)?;
        let Some(text) = formatted(args, &source)? else {
            outcome = Outcome::Problems;
            report.unreadable.push(source.name);
            continue;
        };
        let changed = text != source.text;
        if source.is_bytecode && !args.stdout && !args.check {
            let help = text!("write its text elsewhere: pto fmt --stdout");
            return Err(Failure(text!(
                "{name} is bytecode and has no layout\n  help: {help}",
                name = source.name,
                help
            )));
        }
        if args.check {
            if changed {
                outcome = Outcome::Problems;
                if !args.json {
                    out(&format!("{}\n", source.name))?;
                }
                report.not_formatted.push(source.name);
            }
        } else if args.stdout || source.path.is_none() {
            out(&text)?;
        } else if changed {
            files::write(&path, text.as_bytes())?;
        }
    }
    if args.json {
        json::print(&report)?;
    }
    Ok(outcome)
}

fn formatted(args: &Args, source: &InputText) -> Result<Option<String>, Failure> {
    let options = FormatOptions {
        form: args.form.map(|f| match f {
            FormArg::Level1 => Form::Level1,
            FormArg::Level2 => Form::Level2,
            FormArg::Asm => Form::Asm,
            FormArg::Generic => Form::Generic,
        }),
        types: args.types.map(|t| match t {
            TypesArg::Keyed => TypeStyle::Keyed,
            TypesArg::Compact => TypeStyle::Compact,
        }),
    };
    let result = match &source.unreadable {
        Some(d) => Err(d.clone().into()),
        None => format(&source.text, options),
    };
    match result {
        Ok(text) => Ok(Some(text)),
        Err(problems) => {
            render::print(source, problems.diagnostics())?;
            writeln!(crate::host::stderr(), "{} is not formatted", source.name)?;
            Ok(None)
        }
    }
}
