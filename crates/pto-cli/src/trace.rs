//! `pto trace`

use super::check;
use super::files::{self, Staged};
use super::program::recorded::check_name;
use super::program::{ProgramArgs, Stop, VALUES_HELP};
use super::{CommandResult, Failure, Outcome, counts, out, progress};
use pto::isa::text;
use pto::trace::{RecordOptions, Recording};
use serde::Serialize;
use std::io::{BufWriter, SeekFrom};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

#[derive(clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Args {
    #[command(flatten)]
    program: ProgramArgs,
    /// File for the recording
    #[arg(short, long = "output", value_name = "FILE", default_value = "run.ptotrace")]
    output: PathBuf,
    /// Record only instructions that touch these values, and what the values held
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// Record only instructions on these lines, and what they wrote
    #[arg(long, value_name = "FIRST:LAST", value_parser = line_range)]
    lines: Option<RangeInclusive<u32>>,
    /// End the recording at this size; the run goes on. K, M and G may follow the number
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = byte_count)]
    limit: u64,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Exit codes: 0 it ran, 1 problems in the program, 2 wrong usage or unusable data. A run that fails is recorded up to its failure.

Examples:
  pto trace softmax.pto -o run.ptotrace        record a run
  pto trace k.pto --only %t,%acc --limit 2G    only some values, and no more than this
  pto debug run.ptotrace                       step through it
  pto view run.ptotrace --html run.html        look at it in a browser";

fn after_help() -> String {
    format!("{VALUES_HELP}\n\n{AFTER_HELP}")
}

/// `30:60`, `30:`, `:60` or `30`.
pub(crate) fn line_range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let wrong = || text!("lines are given as FIRST:LAST, such as 30:60").to_string();
    let number =
        |text: &str, default: u32| if text.is_empty() { Ok(default) } else { text.parse().map_err(|_| wrong()) };
    let (first, last) = match text.split_once(':') {
        Some((first, last)) => (number(first, 1)?, number(last, u32::MAX)?),
        None => (number(text, 0)?, number(text, 0)?),
    };
    if first == 0 || first > last { Err(wrong()) } else { Ok(first..=last) }
}

/// `4096`, `64K`, `200M` or `2G`.
pub(crate) fn byte_count(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match &*text[digits.len()..].to_ascii_uppercase() {
        "" | "B" => Some(0),
        "K" | "KB" | "KIB" => Some(10),
        "M" | "MB" | "MIB" => Some(20),
        "G" | "GB" | "GIB" => Some(30),
        _ => None,
    };
    let bytes = shift.and_then(|shift| digits.parse::<u64>().ok()?.checked_mul(1 << shift));
    bytes.ok_or_else(|| text!("a size is a number, with K, M or G after it: 200M").to_string())
}

/// What was recorded.
#[derive(Serialize)]
struct TraceReport<'a> {
    file: &'a str,
    target: &'static str,
    recording: String,
    instructions: u64,
    cores: usize,
    memory_bytes: u64,
    file_bytes: u64,
    /// Why the run failed, if it did.
    failure: Option<&'a str>,
    /// What the recording does not have.
    left_out: Option<String>,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    files::check(&args.output)?;
    let (source, program, target) = args.program.read()?;
    let recording = match record(args, &source, &program, target) {
        Ok(recording) => recording,
        Err(Stop::Failure(failure)) => return Err(failure),
        Err(Stop::Problems(problems)) => {
            if args.json {
                super::json::print(&super::json::problems(&source, target, &problems))?;
            } else {
                check::print_text(&[check::CheckReport { source, target, problems }])?;
            }
            return Ok(Outcome::Problems);
        }
    };
    let file_bytes = save(args, &recording)?;
    let failure = recording.outcome();
    if args.json {
        super::json::print(&TraceReport {
            file: &source.name,
            target: target.name(),
            recording: args.output.display().to_string(),
            instructions: recording.len() as u64,
            cores: recording.cores().len(),
            memory_bytes: recording.bytes(),
            file_bytes,
            failure: failure.map(|d| &*d.message),
            left_out: recording.left_out(),
        })?;
    } else {
        report(args, &recording, file_bytes)?;
        if let Some(failure) = failure {
            super::render::print(&source, std::slice::from_ref(failure))?;
        }
    }
    Ok(if failure.is_some() { Outcome::Problems } else { Outcome::Clean })
}

fn record(
    args: &Args,
    source: &super::input::InputText,
    program: &pto::Program,
    target: pto::Target,
) -> Result<Recording, Stop> {
    let names = args.only.iter().map(|name| name.trim().trim_start_matches('%').to_string());
    let mut options = RecordOptions::default().only(names).limit(args.limit);
    options.lines = args.lines.clone();
    if !options.only.is_empty() {
        // A wrong name is an error before anything runs.
        let plan = args.program.recorded_source(source, target).plan()?;
        for name in &options.only {
            check_name(&plan, name)?;
        }
    }
    args.program.record("trace", source, program, target, options)
}

/// Writes the recording, and says how many bytes it has.
fn save(args: &Args, recording: &Recording) -> Result<u64, Failure> {
    let mut bytes = 0;
    let staged = progress::watch(recording.bytes(), |counter| {
        Staged::write(&args.output, |file| {
            recording.save(BufWriter::new(&mut *file), &mut |done, _| counter.store(done, Ordering::Relaxed))?;
            bytes = file.seek(SeekFrom::End(0))?;
            Ok(())
        })
    })?;
    staged.commit()?;
    Ok(bytes)
}

fn report(args: &Args, recording: &Recording, file_bytes: u64) -> Result<(), Failure> {
    let cores = recording.cores().len();
    let cores = if cores == 1 { text!("1 core").to_string() } else { text!("{count} cores", count = cores) };
    let line = text!(
        "recorded {instructions} on {cores}: {file} ({size})",
        instructions = counts::instructions(recording.len() as u64),
        cores,
        file = args.output.display(),
        size = files::size(file_bytes as usize)
    );
    out(&format!("{line}\n"))?;
    if let Some(left_out) = recording.left_out().filter(|_| recording.is_selective()) {
        out(&format!("{left_out}\n"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_lines_are_read() {
        assert_eq!(byte_count("2G"), Ok(2 << 30));
        assert_eq!(byte_count("64k"), Ok(64 << 10));
        assert!(byte_count("2X").is_err() && byte_count("").is_err() && byte_count("99999999999G").is_err());
        assert_eq!(line_range("30:60"), Ok(30..=60));
        assert_eq!(line_range("30"), Ok(30..=30));
        assert_eq!(line_range(":60"), Ok(1..=60));
        assert!(line_range("60:30").is_err() && line_range("0").is_err() && line_range("a:b").is_err());
    }
}
