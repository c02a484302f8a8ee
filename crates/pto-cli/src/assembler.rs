//! `ptoas`: the command line of the public assembler, version 0.27.
//!
//! Flags, defaults and exit codes are its own; messages are those of `pto`, with the assembler's last line behind them.
//! One dash is as good as two, and a value may follow after `=` or as the next argument.

use super::check::{self, CheckReport};
use super::emit::EmitRequest;
use super::{Failure, files, input, out, render, warn};
use pto::Target;
use pto::emit::{CppStyle, InsertSync};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const VERSION: &str = "ptoas 0.27";

const HELP: &str = "\
USAGE: ptoas [options] <input file>

  -o <file>                       output; `-` is standard output (default)
  --pto-arch=<a3|a5>              target; default: pto.target_arch of the input, else a3
  --pto-level=<level1|level2|level3>
                                  level3: every tile has an address; others: none has (default: level2)
  --enable-insert-sync            insert flags and barriers; by default the output has only those of the input
  --disable-infer-layout          views that state no layout are ND
  --emit-addptr-trace             accepted, without effect
  --pto-insert-sync-debug=<0..3>  accepted, without effect
  --version, --help
";

/// The public assembler gives no warning here; its output deadlocks or computes wrong results on a device.
const NO_ORDER: &str =
    "ptoas: warning: the output needs flags or barriers and has none; --enable-insert-sync inserts them";

/// True when the program was called by this name.
pub(super) fn is_meant() -> bool {
    let name = std::env::args_os().next().unwrap_or_default();
    Path::new(&name).file_stem().is_some_and(|stem| stem == "ptoas")
}

pub(super) fn main() -> ExitCode {
    match Arguments::read(std::env::args().skip(1)).and_then(|asked| run(&asked)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            warn(&message);
            ExitCode::from(1)
        }
    }
}

/// What the command line asks for.
#[derive(Debug, PartialEq)]
enum CommandLine {
    Version,
    Help,
    Emit(Arguments),
}

#[derive(Debug, PartialEq)]
struct Arguments {
    input: PathBuf,
    output: PathBuf,
    target: Option<Target>,
    level: u8,
    insert_sync: bool,
    infer_layout: bool,
}

impl Arguments {
    fn read(arguments: impl Iterator<Item = String>) -> Result<CommandLine, String> {
        let mut asked = Self {
            input: PathBuf::from("-"),
            output: PathBuf::from("-"),
            target: None,
            level: 2,
            insert_sync: false,
            infer_layout: true,
        };
        let mut inputs = Vec::new();
        let mut rest = arguments;
        while let Some(argument) = rest.next() {
            let Some(flag) = argument.strip_prefix('-').filter(|f| !f.is_empty()) else {
                inputs.push(argument);
                continue;
            };
            let flag = flag.strip_prefix('-').unwrap_or(flag);
            let (name, value) = flag.split_once('=').map_or((flag, None), |(n, v)| (n, Some(v.to_string())));
            let mut needed = || {
                let next = value.clone().or_else(|| rest.next());
                next.ok_or_else(|| format!("ptoas: for the --{name} option: requires a value!"))
            };
            match name {
                "version" => return Ok(CommandLine::Version),
                "help" | "h" | "help-list" | "help-hidden" => return Ok(CommandLine::Help),
                "o" => asked.output = PathBuf::from(needed()?),
                "pto-arch" => asked.target = Some(arch(&needed()?)?),
                "pto-level" => asked.level = level(&needed()?)?,
                "enable-insert-sync" => asked.insert_sync = switch(name, value.as_deref())?,
                "disable-infer-layout" => asked.infer_layout = !switch(name, value.as_deref())?,
                "emit-addptr-trace" => drop(switch(name, value.as_deref())?),
                "pto-insert-sync-debug" => drop(needed()?),
                _ => return Err(format!("ptoas: Unknown command line argument '{argument}'.  Try: 'ptoas --help'")),
            }
        }
        match &inputs[..] {
            [] => {}
            [one] => asked.input = PathBuf::from(one),
            [_, second, ..] => {
                return Err(format!("ptoas: Too many positional arguments specified!  '{second}' is the second input"));
            }
        }
        Ok(CommandLine::Emit(asked))
    }
}

fn arch(text: &str) -> Result<Target, String> {
    match text.to_ascii_lowercase().as_str() {
        "a2" | "a3" => Ok(Target::A2A3),
        "a5" => Ok(Target::A5),
        _ => Err(format!("Error: invalid --pto-arch='{text}'. Expected 'a3' or 'a5'.")),
    }
}

fn level(text: &str) -> Result<u8, String> {
    match text.to_ascii_lowercase().as_str() {
        "level1" => Ok(1),
        "level2" => Ok(2),
        "level3" => Ok(3),
        _ => Err(format!("Error: invalid --pto-level='{text}'. Expected 'level1', 'level2' or 'level3'.")),
    }
}

/// A flag without a value, or with a truth value.
fn switch(name: &str, value: Option<&str>) -> Result<bool, String> {
    match value {
        None | Some("" | "true" | "1" | "TRUE" | "True") => Ok(true),
        Some("false" | "0" | "FALSE" | "False") => Ok(false),
        Some(other) => Err(format!("ptoas: for the --{name} option: '{other}' is invalid value for boolean argument!")),
    }
}

fn run(asked: &CommandLine) -> Result<(), String> {
    let failed = |f: Failure| f.0;
    let arguments = match asked {
        CommandLine::Version => {
            return out(&format!("{VERSION}\n")).map_err(failed);
        }
        CommandLine::Help => {
            return out(HELP).map_err(failed);
        }
        CommandLine::Emit(arguments) => arguments,
    };
    let source = input::read(&arguments.input)
        .map_err(|f| format!("{}\nError: Could not open input file: {}", f.0, arguments.input.display()))?;
    let request = EmitRequest {
        target: arguments.target,
        level: Some(arguments.level),
        sync: if arguments.insert_sync { InsertSync::Auto } else { InsertSync::None },
        style: CppStyle::Plain,
        infer_layout: arguments.infer_layout,
    };
    match request.emit(&source) {
        Ok(emitted) => {
            files::write(&arguments.output, emitted.text.as_bytes()).map_err(failed)?;
            render::print(&source, emitted.program.warnings()).map_err(failed)?;
            if emitted.has_no_order() {
                warn(NO_ORDER);
            }
            Ok(())
        }
        Err((target, problems)) => {
            let read = problems.iter().any(|d| d.code.number() < 900);
            check::print_text(&[CheckReport { source, target, problems }]).map_err(failed)?;
            Err(if read { "Error: Failed to parse MLIR." } else { "Error: Failed to emit C++." }.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<CommandLine, String> {
        Arguments::read(line.split_whitespace().map(str::to_string))
    }

    fn emit(line: &str) -> Arguments {
        match read(line) {
            Ok(CommandLine::Emit(arguments)) => arguments,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn flags_are_read_as_the_assembler_reads_them() {
        let plain = emit("in.pto -o out.cpp");
        assert_eq!((plain.input, plain.output), (PathBuf::from("in.pto"), PathBuf::from("out.cpp")));
        assert_eq!((plain.level, plain.target, plain.insert_sync, plain.infer_layout), (2, None, false, true));
        assert_eq!(emit("").input, PathBuf::from("-"));
        let full = emit("--pto-arch a5 -pto-level=LEVEL3 --enable-insert-sync --disable-infer-layout - -o=-");
        assert_eq!((full.level, full.target), (3, Some(Target::A5)));
        assert!(full.insert_sync && !full.infer_layout);
        assert_eq!(read("--version x.pto"), Ok(CommandLine::Version));
    }

    #[test]
    fn what_is_unknown_is_named() {
        assert_eq!(read("--pto-arch=a9"), Err("Error: invalid --pto-arch='a9'. Expected 'a3' or 'a5'.".to_string()));
        assert!(read("--pto-backend=vpto").is_err_and(|e| e.contains("'--pto-backend=vpto'")));
        assert!(read("a.pto b.pto").is_err_and(|e| e.contains("'b.pto'")));
        assert!(read("-o").is_err_and(|e| e.contains("requires a value")));
    }
}
