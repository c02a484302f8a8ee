//! `pto plan`

use super::{FileArgs, ParsedFile, map};
use crate::json::{self, JsonDiagnostic};
use crate::{CommandResult, Outcome, files, out, render};
use pto::checks::Checked;
use pto::ir::OpId;
use pto::isa::text;
use pto::opt::plan::{Options, PlacedTile, PlannedSpace, Used};
use pto::opt::{self, Planned};
use pto::syntax::Lines;
use pto::{Diagnostic, Error, Module};
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    file: FileArgs,
    /// Share memory as far as possible, even where everything fits side by side
    #[arg(long)]
    tight: bool,
    /// Write an HTML map of the memories, address by program order
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let read = args.file.read()?;
    match planned(args.tight, &read) {
        Ok((program, planned)) => {
            let report = PlanReport { read: &read, module: program.module(), planned: &planned };
            if let Some(path) = &args.html {
                files::write_report(path, &report.page())?;
            }
            if args.json {
                json::print(&report.json(program.warnings()))?;
            } else {
                out(&report.text())?;
                render::print(&read.source, program.warnings())?;
            }
            Ok(Outcome::Clean)
        }
        Err(problems) if args.json => {
            json::print(&json_plan(&read, Default::default(), problems.diagnostics()))?;
            Ok(Outcome::Problems)
        }
        Err(problems) => read.problems(problems),
    }
}

/// The program with its scratch tiles and copies, which is what is placed.
pub(crate) fn planned(tight: bool, read: &ParsedFile) -> Result<(Checked, Planned), Error> {
    let checked = read.check()?;
    let buffers = opt::prepare(&checked)?;
    let planned = opt::plan_memory(&buffers, Options { tight, ..Options::default() })?;
    Ok((buffers, planned))
}

pub(crate) struct PlanReport<'a> {
    pub(crate) read: &'a ParsedFile,
    pub(crate) module: &'a Module,
    pub(crate) planned: &'a Planned,
}

impl<'a> PlanReport<'a> {
    pub(super) fn line(&self, lines: &Lines, id: OpId) -> u32 {
        lines.locate(self.module.op(id).span.start).0
    }

    /// A map of the memories.
    pub(crate) fn page(&self) -> String {
        map::page(self)
    }

    /// A table for each memory.
    pub(crate) fn text(&self) -> String {
        let lines = Lines::new(&self.read.source.text);
        let mut text = String::new();
        if self.planned.spaces.is_empty() {
            text += text!("every tile has an address already\n");
        }
        for space in &self.planned.spaces {
            let PlannedSpace { loc, capacity, peak, needed, .. } = space;
            let how = if space.shared { text!("sharing bytes") } else { text!("side by side") };
            text += &text!(
                "{loc}: {peak} of {capacity} bytes, {how}; {needed} needed at one time\n  {value} {value2}  {value3} tile\n",
                loc = loc.memory_and_name(),
                peak,
                capacity,
                how,
                needed,
                value = format_args!("{:>10}", "address"),
                value2 = format_args!("{:>10}", "bytes"),
                value3 = format_args!("{:<11}", "lines")
            );
            for tile in &space.tiles {
                text += &format!("  {}\n", self.row(&lines, tile));
            }
        }
        for used in &self.planned.used {
            let row = self.module.op(used.by).op.row();
            let line = self.line(&lines, used.by);
            text += &text!(
                "reserved: {memory}, used by `{name}` in line {line}\n",
                memory = used.memory,
                name = row.name,
                line
            );
        }
        text
    }

    fn row(&self, lines: &Lines, tile: &PlacedTile) -> String {
        let (first, last) = (self.line(lines, tile.first), self.line(lines, tile.last));
        let over = tile
            .takes_over
            .map_or_else(String::new, |v| text!(" (in place of %{module})", module = self.module.value_name(v)));
        let span = format!("{first}–{last}");
        format!("{:>#10x} {:>10}  {span:<11} %{}{over}", tile.address, tile.bytes, tile.name)
    }

    pub(crate) fn json(&self, warnings: &'a [Diagnostic]) -> JsonPlan<'a> {
        let lines = Lines::new(&self.read.source.text);
        let tile = |t: &PlacedTile| JsonTile {
            name: t.name.clone(),
            address: t.address,
            bytes: t.bytes,
            first_line: self.line(&lines, t.first),
            last_line: self.line(&lines, t.last),
            in_place_of: t.takes_over.map(|v| self.module.value_name(v).to_string()),
        };
        let space = |s: &PlannedSpace| JsonSpace {
            memory: s.loc.name(),
            capacity: s.capacity,
            peak: s.peak,
            needed: s.needed,
            shared: s.shared,
            tiles: s.tiles.iter().map(tile).collect(),
        };
        let reserved = |used: &Used| JsonReserved {
            memory: used.memory.loc.name(),
            address: used.memory.start,
            bytes: used.memory.end - used.memory.start,
            instruction: self.module.op(used.by).op.row().name,
            line: self.line(&lines, used.by),
        };
        let reserved = self.planned.used.iter().map(reserved).collect();
        json_plan(self.read, (self.planned.spaces.iter().map(space).collect(), reserved), warnings)
    }
}

fn json_plan<'a>(
    read: &'a ParsedFile,
    (memories, reserved): (Vec<JsonSpace>, Vec<JsonReserved>),
    problems: &'a [Diagnostic],
) -> JsonPlan<'a> {
    let lines = Lines::new(&read.source.text);
    JsonPlan {
        file: &read.source.name,
        target: read.target.name(),
        memories,
        reserved,
        diagnostics: problems.iter().map(|d| json::diagnostic(&read.source, &lines, d)).collect(),
    }
}

#[derive(Serialize)]
pub(crate) struct JsonPlan<'a> {
    file: &'a str,
    target: &'static str,
    memories: Vec<JsonSpace>,
    /// Memory that instructions use by themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reserved: Vec<JsonReserved>,
    diagnostics: Vec<JsonDiagnostic<'a>>,
}

#[derive(Serialize)]
struct JsonSpace {
    memory: &'static str,
    capacity: u64,
    peak: u64,
    needed: u64,
    shared: bool,
    tiles: Vec<JsonTile>,
}

#[derive(Serialize)]
struct JsonReserved {
    memory: &'static str,
    address: u64,
    bytes: u64,
    instruction: &'static str,
    line: u32,
}

#[derive(Serialize)]
struct JsonTile {
    name: String,
    address: u64,
    bytes: u64,
    first_line: u32,
    last_line: u32,
    in_place_of: Option<String>,
}
