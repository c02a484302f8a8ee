//! `pto sync`

use super::{FileArgs, ParsedFile};
use crate::files;
use crate::json::{self, JsonDiagnostic};
use crate::{CommandResult, Failure, Outcome, out, render};
use pto::ir::OpId;
use pto::isa::text;
use pto::opt::sync::{DependenceKind, Edge, Means, Reason};
use pto::opt::{self, SyncMode, Synced};
use pto::syntax::Lines;
use pto::{Diagnostic, Module};
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    file: FileArgs,
    /// How pipes are ordered
    #[arg(long, value_enum, default_value = "minimal")]
    mode: ModeArg,
    /// Say for each flag and barrier which two lines need it, instead of the program
    #[arg(long)]
    explain: bool,
    /// Where to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// One JSON object on standard output: what was inserted, and why
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum ModeArg {
    /// As few flags as are needed
    Minimal,
    /// A barrier over all pipes wherever something is needed
    Barriers,
    /// Nothing
    None,
}

impl From<ModeArg> for SyncMode {
    fn from(arg: ModeArg) -> Self {
        match arg {
            ModeArg::Minimal => Self::Minimal,
            ModeArg::Barriers => Self::Barriers,
            ModeArg::None => Self::None,
        }
    }
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let read = args.file.read()?;
    let checked = match read.check() {
        Ok(checked) => checked,
        Err(problems) if args.json => {
            print_json(&read, None, problems.diagnostics())?;
            return Ok(Outcome::Problems);
        }
        Err(problems) => return read.problems(problems),
    };
    let synced = opt::insert_sync(&checked, args.mode.into());
    if args.json {
        print_json(&read, Some((checked.module(), &synced)), checked.warnings())?;
    } else if args.explain {
        out(&explain(&read, checked.module(), &synced))?;
    } else {
        files::write(&args.output, read.print(&synced.module).as_bytes())?;
        if args.mode == ModeArg::Minimal {
            read.say_blanket(&synced.blanket(checked.module()));
        }
    }
    if !args.json {
        render::print(&read.source, checked.warnings())?;
    }
    Ok(Outcome::Clean)
}

/// One paragraph for each thing that was inserted.
fn explain(read: &ParsedFile, module: &Module, synced: &Synced) -> String {
    let lines = Lines::new(&read.source.text);
    let line = |id: OpId| lines.locate(module.op(id).span.start).0;
    let (flags, barriers) = synced.counts();
    let mut text = text!(
        "{name}: {flags} flags and {barriers} barriers inserted, {kept} operations of the program kept\n",
        name = read.source.name,
        flags,
        barriers,
        kept = synced.kept
    );
    for function in &synced.left {
        let line = line(*function);
        text += &text!("\nline {line}: left unchanged: it computes flag ids or uses buffer tokens\n", line);
    }
    for edge in &synced.edges {
        text += &format!("\n{}\n", place(edge, &line));
        for reason in &edge.reasons {
            text += &format!("  {}\n", why(module, reason, &line));
        }
    }
    text
}

/// What is inserted, and where.
fn place(edge: &Edge, line: &impl Fn(OpId) -> u32) -> String {
    let (after, before) = (line(edge.after), line(edge.before));
    if let (Means::Flag { src, dst, id }, Some(numbered)) = (edge.means, edge.numbered) {
        let last = id + numbered.count - 1;
        let iterations = edge.carried_by.map_or(String::new(), |around| {
            text!(", from one iteration of the loop in line {line} to the next with that tile", line = line(around))
        });
        return text!(
            "flags {id} to {last} from {src} to {dst}, one for each tile{iterations}: set after line {after}, wait before line {before}",
            id,
            last,
            src,
            dst,
            iterations,
            after,
            before
        );
    }
    match (edge.means, edge.carried_by) {
        (Means::Flag { src, dst, id }, None) => {
            let left =
                edge.drained_by.map_or(String::new(), |l| text!(" or after the loop in line {line}", line = line(l)));
            text!(
                "flag {id} from {src} to {dst}: set after line {after}, wait before line {before}{left}",
                id,
                src,
                dst,
                after,
                before,
                left
            )
        }
        (Means::Flag { src, dst, id }, Some(around)) => text!(
            "flag {id} from {src} to {dst}, from one iteration of the loop in line {line} to the next: set after line {after}, wait before line {before}",
            id,
            src,
            dst,
            line = line(around),
            after,
            before
        ),
        (Means::Barrier(pipe), _) => text!("barrier of {pipe} before line {before}", pipe, before),
        (Means::All(why), _) => text!("barrier of all pipes before line {before}: {why}", before, why),
    }
}

fn why(module: &Module, reason: &Reason, line: &impl Fn(OpId) -> u32) -> String {
    let (first, second) = (line(reason.first), line(reason.second));
    let name = module.value_name(reason.value);
    match reason.hazard {
        DependenceKind::ReadAfterWrite => {
            text!("line {second} reads `%{name}`, which line {first} writes", second, name, first)
        }
        DependenceKind::WriteAfterRead => {
            text!("line {second} overwrites `%{name}`, which line {first} reads", second, name, first)
        }
        DependenceKind::WriteAfterWrite => {
            text!("line {second} writes `%{name}` over what line {first} writes", second, name, first)
        }
    }
}

#[derive(Serialize)]
struct JsonSync<'a> {
    file: &'a str,
    target: &'static str,
    flags: usize,
    barriers: usize,
    kept: usize,
    /// Lines of functions that are left as they are.
    left: Vec<u32>,
    inserted: Vec<JsonEdge>,
    diagnostics: Vec<JsonDiagnostic<'a>>,
}

#[derive(Serialize)]
struct JsonEdge {
    means: &'static str,
    source: Option<&'static str>,
    destination: Option<&'static str>,
    id: Option<u8>,
    /// How many ids from that one on: one for each tile that a loop rotates through.
    ids: Option<u8>,
    after_line: u32,
    before_line: u32,
    loop_line: Option<u32>,
    reasons: Vec<String>,
}

fn print_json(read: &ParsedFile, done: Option<(&Module, &Synced)>, problems: &[Diagnostic]) -> Result<(), Failure> {
    let lines = Lines::new(&read.source.text);
    let (flags, barriers) = done.map_or((0, 0), |(_, synced)| synced.counts());
    let object = JsonSync {
        file: &read.source.name,
        target: read.target.name(),
        flags,
        barriers,
        kept: done.map_or(0, |(_, synced)| synced.kept),
        left: done.map_or_else(Vec::new, |(module, synced)| {
            synced.left.iter().map(|f| lines.locate(module.op(*f).span.start).0).collect()
        }),
        inserted: done.map_or_else(Vec::new, |(module, synced)| {
            synced.edges.iter().map(|e| json_edge(module, &lines, e)).collect()
        }),
        diagnostics: problems.iter().map(|d| json::diagnostic(&read.source, &lines, d)).collect(),
    };
    json::print(&object)
}

fn json_edge(module: &Module, lines: &Lines, edge: &Edge) -> JsonEdge {
    let line = |id: OpId| lines.locate(module.op(id).span.start).0;
    let (means, source, destination, id) = match edge.means {
        Means::Flag { src, dst, id } => ("flag", Some(src.name()), Some(dst.name()), Some(id)),
        Means::Barrier(pipe) => ("barrier", Some(pipe.name()), None, None),
        Means::All(_) => ("barrier", Some("PIPE_ALL"), None, None),
    };
    JsonEdge {
        means,
        source,
        destination,
        id,
        ids: id.map(|_| edge.numbered.map_or(1, |n| n.count)),
        after_line: line(edge.after),
        before_line: line(edge.before),
        loop_line: edge.carried_by.map(line),
        reasons: edge.reasons.iter().map(|r| why(module, r, &line)).collect(),
    }
}
