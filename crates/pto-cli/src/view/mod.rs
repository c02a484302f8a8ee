//! `pto view`

mod collect;
mod html;
mod store;
mod summary;

use super::check;
use super::json;
use super::program::recorded::OpenedRecording;
use super::program::{ProgramArgs, Stop, VALUES_HELP};
use super::render;
use super::trace::byte_count;
use super::{CommandResult, Failure, Outcome, files, out, warn};
use pto::Diagnostic;
use pto::isa::text;
use pto::trace::{RecordOptions, Recording};
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

#[derive(clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Args {
    #[command(flatten)]
    program: ProgramArgs,
    /// Write an HTML page that shows the recording, with a slider over time
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Only these moments, counted from 1; either end may be left out
    #[arg(long, value_name = "FIRST:LAST")]
    moments: Option<MomentRange>,
    /// Only instructions that read or write these values
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// Largest page; moments that do not fit are left out. K, M and G may follow the number
    #[arg(long, value_name = "BYTES", default_value = "24M", value_parser = byte_count)]
    limit: u64,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Exit codes: 0 success, 1 problems in the program or an unreadable recording, 2 wrong usage or unusable data.

Examples:
  pto view run.ptotrace                              what a recording holds
  pto view run.ptotrace --html run.html              a page to step through it in a browser
  pto view kernel.pto x=x.npy --html run.html        record a program and write the page
  pto view run.ptotrace --moments 200:400 --html run.html    a part of a long run";

fn after_help() -> String {
    format!("{VALUES_HELP}\n\n{AFTER_HELP}")
}

/// Moments as a user counts them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct MomentRange {
    first: usize,
    last: usize,
}

impl FromStr for MomentRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || text!("not a range such as 10:20").to_string();
        let (first, last) = text.split_once(':').ok_or_else(wrong)?;
        let end =
            |part: &str, default: usize| if part.is_empty() { Ok(default) } else { part.parse().map_err(|_| wrong()) };
        let range = Self { first: end(first, 1)?, last: end(last, usize::MAX)? };
        if range.first == 0 || range.last < range.first { Err(wrong()) } else { Ok(range) }
    }
}

impl MomentRange {
    /// Positions, from 0.
    fn within(self, count: usize) -> Range<usize> {
        (self.first - 1).min(count)..self.last.min(count)
    }
}

pub(crate) fn run(args: &Args) -> CommandResult {
    if let Some(path) = &args.html {
        files::check(path)?;
    }
    let recorded = match args.program.recorded("view", RecordOptions::default()) {
        Ok(recorded) => recorded,
        Err(Stop::Failure(failure)) => return Err(failure),
        Err(Stop::Problems(problems)) => return report(args, problems),
    };
    let selection = PageSelection::of(args, &recorded.recording)?;
    if let Some(path) = &args.html {
        let page = html::page(&recorded.recording, &selection, args.limit);
        if let Some(note) = &page.note {
            let mark = format!("\u{1b}[1m{}\u{1b}[0m", text!("note"));
            warn(&format!("{mark}: {note}"));
        }
        files::write_report(path, &page.text)?;
    }
    show(args, &recorded)?;
    Ok(if recorded.recording.outcome().is_some() { Outcome::Problems } else { Outcome::Clean })
}

fn show(args: &Args, recorded: &OpenedRecording) -> Result<(), Failure> {
    let summary = summary::RecordingSummary::of(recorded);
    if args.json {
        return json::print(&summary);
    }
    // Standard output holds one thing: the page, or the summary.
    if args.html.as_ref().is_some_and(|path| files::is_stdout(path)) {
        return Ok(());
    }
    out(&summary.text())?;
    render::print(&recorded.source, recorded.recording.outcome().map(std::slice::from_ref).unwrap_or_default())
}

/// Reports what is wrong with the program.
fn report(args: &Args, problems: Vec<Diagnostic>) -> CommandResult {
    let (source, _, target) = args.program.read()?;
    if args.json {
        json::print(&json::problems(&source, target, &problems))?;
    } else {
        check::print_text(&[check::CheckReport { source, target, problems }])?;
    }
    Ok(Outcome::Problems)
}

/// The part of a recording that is shown.
struct PageSelection {
    moments: Range<usize>,
    /// Values that an instruction must touch, if any are named.
    only: Vec<pto::ir::ValueId>,
}

impl PageSelection {
    fn of(args: &Args, recording: &Recording) -> Result<Self, Failure> {
        let find = |name: &String| {
            let failure = |error: pto::Error| Failure(error.first().map_or_else(String::new, message_and_help));
            recording.find(name.trim()).map_err(failure)
        };
        let only = args.only.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let count = recording.len();
        let moments = args.moments.map_or(0..count, |range| range.within(count));
        if moments.is_empty() && count > 0 {
            return Err(Failure(text!("--moments: the recording has {count} moments", count)));
        }
        Ok(Self { moments, only })
    }
}

fn message_and_help(problem: &Diagnostic) -> String {
    match &problem.help {
        Some(help) => format!("{}\n  help: {help}", problem.message),
        None => problem.message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_moments() {
        let range = |text: &str| text.parse::<MomentRange>().map(|r| r.within(100));
        assert_eq!(range("10:20"), Ok(9..20));
        assert_eq!(range(":20"), Ok(0..20));
        assert_eq!(range("90:"), Ok(89..100));
        assert_eq!(range("1:1"), Ok(0..1));
        for wrong in ["", "5", "0:4", "6:5", "a:b"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
