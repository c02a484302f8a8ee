//! The two sides that are compared.

use super::Args;
use super::arguments::arguments_for;
use crate::Failure;
use crate::input::InputText;
use crate::program::recorded::load_recording;
use crate::program::{BoundParam, ProgramArgs, Ready, Stop};
use pto::cpu::Plan;
use pto::isa::text;
use pto::trace::{RecordOptions, Recording};
use pto::{Program, Target};

/// A program as it runs on one side.
pub(super) struct DiffSide {
    /// The file, and what is special about this side.
    pub(super) name: String,
    pub(super) source: InputText,
    pub(super) target: Target,
    args: ProgramArgs,
    program: Program,
    /// The file is a recording.
    recording: Option<Box<Recording>>,
    is_lowered: bool,
}

/// Both sides, and what they did.
pub(super) struct RecordedSides {
    pub(super) sides: Vec<DiffSide>,
    pub(super) recordings: Vec<Recording>,
    pub(super) longest_sum: u64,
}

/// The sides that arguments ask for: one if the other is arrays.
pub(super) fn of(args: &Args) -> Result<Vec<DiffSide>, Failure> {
    let (first, second) = args.program.two_files()?;
    for (count, option) in [(args.targets.len(), "--targets"), (args.numerics_of.len(), "--numerics-of")] {
        if count != 0 && count != 2 {
            return Err(Failure(text!("{option} takes two, such as {option} a2a3,a5", option)));
        }
    }
    let is_varied = !args.targets.is_empty() || !args.numerics_of.is_empty() || args.levels || args.lowered;
    if args.against.is_some() && second.is_some() {
        return Err(Failure(text!("--against compares one program with arrays").to_string()));
    }
    if second.is_none() && !is_varied && args.against.is_none() {
        return Err(Failure(
            text!("there is nothing to compare with; give a second program, --targets, --numerics-of, --levels, --lowered or --against").to_string(),
        ));
    }
    let mut sides = vec![side(args, first.clone(), 0, None)?];
    if args.against.is_none() {
        let other = match second {
            Some(second) => side(args, second, 1, None)?,
            None => side(args, first, 1, sides.first())?,
        };
        sides.push(other);
    }
    Ok(sides)
}

/// A side; `same` is one of the same file, which is read only once: it may be standard input.
fn side(
    args: &Args,
    mut program_args: ProgramArgs,
    which: usize,
    same: Option<&DiffSide>,
) -> Result<DiffSide, Failure> {
    let mut words: Vec<String> = Vec::new();
    if let Some(target) = args.targets.get(which) {
        program_args = program_args.with_target(*target);
        words.push(target.name().to_string());
    }
    if let Some(numerics) = args.numerics_of.get(which) {
        program_args.numerics = *numerics;
        words.push(text!("numerics {name}", name = format!("{numerics:?}").to_lowercase()));
    }
    if args.levels && which == 1 {
        program_args.plain = true;
        words.push(text!("plain kernels").to_string());
    }
    let is_lowered = args.lowered && which == 1;
    if is_lowered {
        words.push(text!("lowered").to_string());
    }
    let recording = load_recording(&program_args.file)?.map(|(recording, _)| Box::new(recording));
    let (source, program, target) = match &recording {
        Some(recording) => {
            let source = recording.source();
            let text = InputText::of_text(source.name.clone(), source.text.clone());
            (text, Program::parse(&source.text), source.target)
        }
        None => match same {
            Some(same) => {
                let mut text = InputText::of_text(same.source.name.clone(), same.source.text.clone());
                text.unreadable.clone_from(&same.source.unreadable);
                let target = args.targets.get(which).copied().unwrap_or(same.target);
                (text, same.program.clone(), target)
            }
            None => program_args.read()?,
        },
    };
    let file = program_args.file.display().to_string();
    let name = if words.is_empty() { file } else { format!("{file} ({})", words.join(", ")) };
    Ok(DiffSide { name, source, target, args: program_args, program, recording, is_lowered })
}

impl DiffSide {
    /// Replaces the program by what `pto lower` makes of it.
    fn lower(&mut self) -> Result<(), Stop> {
        if self.is_lowered {
            let text = self.program.lower(self.target)?.to_text(None);
            self.program = Program::parse(&text);
            self.source = InputText::of_text(self.name.clone(), text);
        }
        Ok(())
    }
}

/// Runs the sides on the same data and records them. An error says on which side it is.
pub(super) fn record(args: &Args, sides: Vec<DiffSide>) -> Result<RecordedSides, (Box<DiffSide>, Stop)> {
    let recordings = sides.iter().filter(|s| s.recording.is_some()).count();
    let mut sides = sides.into_iter();
    let Some(a) = sides.next() else {
        return Ok(RecordedSides { sides: Vec::new(), recordings: Vec::new(), longest_sum: 1 });
    };
    let mut b = sides.next();
    if recordings > 0 {
        return loaded(args, a, b);
    }
    let options = RecordOptions::default().limit(args.limit);
    let mut ready = match a.args.ready("diff", &a.source, &a.program, a.target) {
        Ok(ready) => ready,
        Err(stop) => return Err((Box::new(a), stop)),
    };
    let longest_sum = ready.measure.longest_sum;
    let second = match b.as_mut().map(|b| prepare(b, &ready, &a.name)).transpose() {
        Ok(second) => second,
        Err(stop) => return Err((Box::new(b.unwrap_or(a)), stop)),
    };
    let work = ready.measure.work;
    let recorded = a.args.recorded_source(&a.source, a.target);
    let mut recordings = vec![a.args.record_bound(&ready.plan, &mut ready.bound, recorded, work, options.clone())];
    let mut sides = vec![a];
    if let (Some(b), Some((plan, mut bound))) = (b, second) {
        let recorded = b.args.recorded_source(&b.source, b.target);
        recordings.push(b.args.record_bound(&plan, &mut bound, recorded, work, options));
        sides.push(b);
    }
    Ok(RecordedSides { sides, recordings, longest_sum })
}

/// The second program, with the arguments of the first.
fn prepare(b: &mut DiffSide, ready: &Ready, first: &str) -> Result<(Plan, Vec<BoundParam>), Stop> {
    b.lower()?;
    let plan = b.args.plan(&b.source, &b.program, b.target)?;
    let bound = arguments_for(&plan, ready, (first, &b.name))?;
    Ok((plan, bound))
}

/// Recordings that were made before.
fn loaded(args: &Args, a: DiffSide, b: Option<DiffSide>) -> Result<RecordedSides, (Box<DiffSide>, Stop)> {
    let is_varied = args.lowered || args.levels || !args.targets.is_empty() || !args.numerics_of.is_empty();
    let mut sides = vec![a];
    sides.extend(b);
    if sides.iter().any(|s| s.recording.is_none()) || is_varied {
        let failure = Failure(text!("a recording is compared with another recording, or with arrays").to_string());
        return Err((Box::new(sides.swap_remove(0)), failure.into()));
    }
    let recordings = sides.iter_mut().filter_map(|s| s.recording.take()).map(|r| *r).collect();
    Ok(RecordedSides { sides, recordings, longest_sum: 1 })
}
