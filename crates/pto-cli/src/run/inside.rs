//! Values inside a run: `--show '%t@33'`, `--out '%t@33=t.npy'` and `--find nan`.

use crate::program::Ready;
use crate::program::recorded::check_name;
use crate::{Failure, progress, warn};
use pto::cpu::{CoreId, RunReport};
use pto::data::Array;
use pto::isa::sort::SharedSort;
use pto::isa::text;
use pto::trace::{
    Contents, ContentsKind, FindKind, FoundNumbers, Occurrence, Player, RecordOptions, RecordedSource, Recording,
    RunRecorder, core_name, find, record_with,
};
use std::ops::Range;
use std::sync::atomic::Ordering;

/// A value after a line: `%t[0:4, 8:16]@33[iteration=2,block=1,core=vec0,rank=3]`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ValueAt {
    /// As it was written.
    pub text: String,
    name: String,
    rows: Range<usize>,
    cols: Range<usize>,
    pub line: u32,
    /// Iterations of the innermost loops, the outermost of them first.
    iteration: Option<Vec<u32>>,
    block: Option<u32>,
    core: Option<String>,
    rank: Option<u32>,
}

impl ValueAt {
    /// True for a text that asks for a value after a line.
    pub fn is_meant(text: &str) -> bool {
        text.contains('@') && text.starts_with('%')
    }

    /// Reads the whole text.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        match Self::parse_first(text)? {
            (value, "") => Ok(value),
            (_, rest) => Err(wrong(text, &text!("`{rest}` is too much", rest))),
        }
    }

    /// Reads a value; what follows it is left.
    pub fn parse_first(text: &str) -> Result<(Self, &str), Failure> {
        let named = text.strip_prefix('%').unwrap_or(text);
        let end = named.find(|c: char| !(c.is_alphanumeric() || "_$.-#".contains(c))).unwrap_or(named.len());
        let (name, mut rest) = named.split_at(end);
        let all = 0..usize::MAX;
        let (mut rows, mut cols) = (all.clone(), all);
        if let Some((inner, after)) = bracket(rest) {
            let (first, second) = inner.split_once(',').unwrap_or((inner, ""));
            rows = range(first).ok_or_else(|| wrong(text, &text!("`{first}` is no range", first)))?;
            cols = range(second).ok_or_else(|| wrong(text, &text!("`{first}` is no range", first = second)))?;
            rest = after;
        }
        let Some(after) = rest.strip_prefix('@').filter(|_| !name.is_empty()) else {
            return Err(wrong(text, text!("there is no `@line`")));
        };
        let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let line = after[..end].parse().ok().filter(|line| *line > 0);
        let Some(line) = line else { return Err(wrong(text, text!("there is no line after `@`"))) };
        rest = &after[end..];
        let mut value = Self {
            text: String::new(),
            name: name.to_string(),
            rows,
            cols,
            line,
            iteration: None,
            block: None,
            core: None,
            rank: None,
        };
        if let Some((inner, after)) = bracket(rest) {
            inner.split(',').try_for_each(|part| value.place(part.trim()).map_err(|why| wrong(text, &why)))?;
            rest = after;
        }
        value.text = text[..text.len() - rest.len()].to_string();
        Ok((value, rest))
    }

    /// Reads `iteration=2`, `block=1`, `core=vec0` or `rank=3`.
    fn place(&mut self, part: &str) -> Result<(), String> {
        let bad = || text!("`{part}` is none of iteration=2, block=1, core=vec0 and rank=3", part);
        let (key, value) = part.split_once('=').ok_or_else(bad)?;
        let number = || value.trim().parse::<u32>().map_err(|_| bad());
        match key.trim() {
            "iteration" => {
                let numbers = value.trim().split('.').map(|n| n.parse().map_err(|_| bad()));
                self.iteration = Some(numbers.collect::<Result<_, _>>()?);
            }
            "block" => self.block = Some(number()?),
            "rank" => self.rank = Some(number()?),
            "core" if ["core", "cube", "vec0", "vec1"].contains(&value.trim()) => {
                self.core = Some(value.trim().to_string());
            }
            _ => return Err(bad()),
        }
        Ok(())
    }

    fn is_at(&self, occurrence: &Occurrence) -> bool {
        let core = occurrence.core;
        self.block.is_none_or(|block| block == core.block)
            && self.rank.is_none_or(|rank| rank == core.rank)
            && self.core.as_ref().is_none_or(|name| *name == core_name(core))
            && self.iteration.as_ref().is_none_or(|i| occurrence.iterations.ends_with(i))
    }
}

/// What a leading bracket holds, and what follows it.
fn bracket(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('[')?.split_once(']')
}

/// `2:4`, `2:`, `:4`, `2` or nothing.
fn range(text: &str) -> Option<Range<usize>> {
    let text = text.trim();
    let number = |text: &str, default: usize| match text.trim() {
        "" => Some(default),
        digits => digits.parse().ok(),
    };
    match text.split_once(':') {
        Some((first, last)) => Some(number(first, 0)?..number(last, usize::MAX)?),
        None if text.is_empty() => Some(0..usize::MAX),
        None => text.parse().ok().map(|n: usize| n..n.saturating_add(1)),
    }
}

fn wrong(text: &str, why: &str) -> Failure {
    let form =
        text!("a value inside a run is `%name@line`; rows and columns may follow the name, and a place the line");
    let form = format!("{form}: `%t[0:4, 8:16]@33[iteration=2,block=1,core=vec0,rank=3]`");
    Failure(text!("`{text}`: {why}\n  help: {form}", text, why, form))
}

/// A value as it was at some time.
pub(crate) struct ShownValue {
    /// Which of the values that were asked for.
    pub asked: usize,
    pub occurrence: Occurrence,
    pub contents: Contents,
}

/// What was asked for of the inside of a run.
pub(crate) struct Inside {
    pub shown: Vec<ValueAt>,
    /// So many of them are printed; the others go into files.
    pub printed: usize,
    pub kinds: Vec<FindKind>,
}

/// What was found there.
#[derive(Default)]
pub(crate) struct InsideReport {
    pub values: Vec<ShownValue>,
    /// For each value that was asked for, how many more there are.
    pub more: Vec<usize>,
    pub found: Vec<FoundNumbers>,
    /// The recording was too short for all.
    pub left_out: Option<String>,
    pub instructions: Vec<String>,
}

/// Times at which one value is shown.
const MOST_SHOWN: usize = 8;

impl Inside {
    pub fn is_wanted(&self) -> bool {
        !self.shown.is_empty() || !self.kinds.is_empty()
    }

    /// Names are looked up before anything runs.
    pub fn check_names(&self, ready: &Ready) -> Result<(), Failure> {
        self.shown.iter().try_for_each(|value| check_name(&ready.plan, &value.name))
    }

    /// Runs the program and looks inside. The report is there also if the run fails.
    pub fn run(
        &self,
        ready: &mut Ready,
        source: RecordedSource,
        (blocks, ranks): (u32, usize),
    ) -> (Result<RunReport, pto::Error>, Result<InsideReport, Failure>) {
        let work = ready.measure.work;
        let plan = ready.plan.clone();
        let mut args = ready.parts().1;
        let options = RecordOptions::default().scalar_lines(self.shown.iter().map(|v| v.line));
        let (ran, recording) = progress::watch(work, |counter| {
            let recorder = RunRecorder::new(&plan, options).on_progress(|work| {
                counter.fetch_add(work, Ordering::Relaxed);
                true
            });
            record_with(plan.clone(), source, recorder, blocks, ranks, &mut args)
        });
        let report = self.report(&recording);
        (ran, report)
    }

    fn report(&self, recording: &Recording) -> Result<InsideReport, Failure> {
        let mut report = InsideReport { left_out: recording.left_out(), ..InsideReport::default() };
        if let Some(left_out) = &report.left_out {
            warn(&text!("{mark}: {left_out}", mark = format_args!("\u{1b}[1m{}\u{1b}[0m", text!("note")), left_out));
        }
        let mut player = Player::new(recording);
        for (asked, value) in self.shown.iter().enumerate() {
            report.more.push(show(&mut player, asked, value, &mut report.values)?);
        }
        if !self.kinds.is_empty() {
            report.found = find(recording, &self.kinds);
        }
        let name = |op| format!("pto.{}", recording.module().op(op).op.row().name);
        report.instructions = report.found.iter().flat_map(|f| &f.makers).map(|m| name(m.op)).collect();
        Ok(report)
    }
}

/// Adds what a value held, and says how many times were left out.
fn show(player: &mut Player<'_>, asked: usize, value: &ValueAt, into: &mut Vec<ShownValue>) -> Result<usize, Failure> {
    let recording = player.recording();
    let all = recording.occurrences(value.line);
    if all.is_empty() {
        return Err(Failure(never_executed(recording, value)));
    }
    let there: Vec<&Occurrence> = all.iter().filter(|o| value.is_at(o)).collect();
    if there.is_empty() {
        let times = all.len();
        return Err(Failure(text!(
            "`{value}`: line {line} was executed {times} times, but never there",
            value = value.text,
            line = value.line,
            times
        )));
    }
    let id = named_near(recording, value);
    let before = into.len();
    for occurrence in there.iter().take(MOST_SHOWN) {
        let (rows, cols) = (value.rows.clone(), value.cols.clone());
        if let Some(contents) = player.part(occurrence.core, id, Some(occurrence.at), rows, cols) {
            into.push(ShownValue { asked, occurrence: (*occurrence).clone(), contents });
        }
    }
    if into.len() == before {
        let name = &value.name;
        return Err(Failure(text!("`%{name}` has no value yet after line {line}", name, line = value.line)));
    }
    Ok(there.len().saturating_sub(MOST_SHOWN))
}

/// The value of the name that is defined last before the line: several functions may have the name.
fn named_near(recording: &Recording, value: &ValueAt) -> pto::ir::ValueId {
    let module = recording.module();
    let line = |id| {
        let span = module.value(id).span;
        module.source.as_ref().and_then(|s| s.location(span)).map_or(0, |l| l.line)
    };
    let named = recording.values().filter(|v| v.name == value.name);
    let before = named.map(|v| (line(v.id), v.id)).filter(|(line, _)| *line <= value.line);
    let nearest = before.max_by_key(|(line, _)| *line).map(|(_, id)| id);
    nearest.or_else(|| recording.find(&value.name).ok()).unwrap_or_else(|| pto::ir::ValueId::from_index(0))
}

fn never_executed(recording: &Recording, value: &ValueAt) -> String {
    let lines = recording.plan().step_origins(pto::cpu::Role::Whole).map(|op| recording.line(op));
    let mut lines: Vec<u32> = lines.filter(|line| *line > 0).collect();
    lines.shared_sort();
    lines.dedup();
    let near = lines.iter().min_by_key(|line| line.abs_diff(value.line));
    let text = text!("`{value}`: nothing on line {line} was executed", value = value.text, line = value.line);
    match near {
        Some(near) => text!("{text}\n  help: the nearest line with code is {near}", text, near),
        None => text,
    }
}

/// The rows and columns that are shown: those that are valid.
fn shown_region(contents: &Contents) -> (Range<usize>, Range<usize>) {
    let within = |range: &Range<usize>, valid: usize| range.start.min(valid)..range.end.min(valid);
    (within(&contents.row_range, contents.valid.0), within(&contents.col_range, contents.valid.1))
}

/// The numbers of a value as an array.
pub(crate) fn array(contents: &Contents) -> Result<Array, Failure> {
    let (rows, cols) = shown_region(contents);
    let is_scalar = !matches!(contents.kind, ContentsKind::Tile(..) | ContentsKind::View(_));
    let bits = contents.dtype.bits();
    let mut bytes = Vec::new();
    // Scalars are kept wider than their type, and packed numbers narrower than a byte.
    let dtype = if is_scalar || bits < 8 { wide(contents) } else { contents.dtype };
    for r in rows.clone() {
        for c in cols.clone() {
            let raw = contents.bits(r, c).unwrap_or(0);
            if dtype == contents.dtype && !is_scalar {
                bytes.extend_from_slice(&raw.to_le_bytes()[..bits as usize / 8]);
            } else if dtype == pto::isa::DType::F32 {
                bytes.extend_from_slice(&(contents.number(r, c) as f32).to_le_bytes());
            } else {
                bytes.extend_from_slice(&raw.to_le_bytes());
            }
        }
    }
    let shape: &[u64] = if is_scalar { &[] } else { &[rows.len() as u64, cols.len() as u64] };
    Array::new(dtype, shape, bytes).map_err(|e| Failure(e.to_string()))
}

fn wide(contents: &Contents) -> pto::isa::DType {
    use pto::isa::{Class, DType, ScalarType};
    match contents.kind {
        ContentsKind::Scalar(ScalarType::Elem(d)) if d.class() == Class::Float => DType::F32,
        ContentsKind::Scalar(ScalarType::F64) => DType::F32,
        ContentsKind::Scalar(_) | ContentsKind::Address => DType::I64,
        _ if contents.dtype.class() == Class::Float => DType::F32,
        _ => DType::I64,
    }
}

/// ` iteration 2.0, block 1, vec0, rank 3`: what distinguishes this time from others.
pub(crate) fn place(occurrence: &Occurrence, has: &Distinctions) -> String {
    let mut parts = Vec::new();
    if !occurrence.iterations.is_empty() {
        let iteration = occurrence.iterations.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        parts.push(text!("iteration {iteration}", iteration));
    }
    parts.extend(has.core(occurrence.core));
    parts.join(", ")
}

/// What there are several of.
pub(crate) struct Distinctions {
    pub blocks: bool,
    pub ranks: bool,
}

impl Distinctions {
    fn core(&self, core: CoreId) -> Vec<String> {
        let mut parts = Vec::new();
        if self.blocks {
            parts.push(text!("block {block}", block = core.block));
        }
        if core.role != pto::cpu::Role::Whole {
            parts.push(core_name(core));
        }
        if self.ranks {
            parts.push(text!("rank {rank}", rank = core.rank));
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let read = |text: &str| ValueAt::parse(text).map_err(|Failure(why)| why).expect("a value");
        let plain = read("%t@33");
        assert_eq!((&*plain.name, plain.line, &plain.rows), ("t", 33, &(0..usize::MAX)));
        let part = read("%t[0:4, 8:16]@33[iteration=2.0,block=1,core=vec0,rank=3]");
        assert_eq!((part.rows, part.cols), (0..4, 8..16));
        assert_eq!((part.iteration, part.block, part.rank), (Some(vec![2, 0]), Some(1), Some(3)));
        assert_eq!(part.core.as_deref(), Some("vec0"));
        assert_eq!(read("%t[3]@7").rows, 3..4);
        assert_eq!(read("%t[3:, :2]@7").cols, 0..2);
        let (first, rest) = ValueAt::parse_first("%t@33[iteration=2]=t.npy").map_err(|Failure(why)| why).expect("one");
        assert_eq!((&*first.text, rest), ("%t@33[iteration=2]", "=t.npy"));
        for bad in ["%t@", "%t@0", "%@3", "%t@3[x=1]", "%t@3[core=vec9]", "%t[a:b]@3", "%t@3 more", "%t[1@3"] {
            assert!(ValueAt::parse(bad).is_err(), "{bad}");
        }
    }
}
