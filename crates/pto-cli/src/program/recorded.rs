//! Recordings: from a file, or of a program that runs now.

use super::{BoundParam, ProgramArgs, Stop};
use crate::input::InputText;
use crate::{Failure, host, progress, warn};
use pto::cpu::{Arg, Plan};
use pto::isa::{Diagnostic, text};
use pto::trace::{RecordOptions, RecordedSource, Recording, RunRecorder, find_value};
use pto::{Options, Target};
use std::path::Path;
use std::sync::atomic::Ordering;

/// A recording, and where it comes from.
pub(crate) struct OpenedRecording {
    pub(crate) recording: Recording,
    pub(crate) source: InputText,
    /// Bytes of its file, if it comes from one.
    pub(crate) file_bytes: Option<u64>,
}

impl ProgramArgs {
    /// The recording that the file is, or one of the program in it, which runs now. A run that fails is recorded up to there.
    pub(crate) fn recorded(&self, verb: &str, options: RecordOptions) -> Result<OpenedRecording, Stop> {
        if let Some((recording, file_bytes)) = load_recording(&self.file)? {
            let (name, text) = (recording.source().name.clone(), recording.source().text.clone());
            let source = InputText::of_text(name, text);
            return Ok(OpenedRecording { recording, source, file_bytes: Some(file_bytes) });
        }
        let (source, program, target) = self.read()?;
        let recording = self.record(verb, &source, &program, target, options)?;
        Ok(OpenedRecording { recording, source, file_bytes: None })
    }

    /// Runs a program and records it.
    pub(crate) fn record(
        &self,
        verb: &str,
        source: &InputText,
        program: &pto::Program,
        target: Target,
        options: RecordOptions,
    ) -> Result<Recording, Stop> {
        let mut ready = self.ready(verb, source, program, target)?;
        let recorded = self.recorded_source(source, target);
        let work = ready.measure.work;
        Ok(self.record_bound(&ready.plan, &mut ready.bound, recorded, work, options))
    }

    /// Runs a plan on its arguments and records it.
    pub(crate) fn record_bound(
        &self,
        plan: &Plan,
        bound: &mut [BoundParam],
        recorded: RecordedSource,
        work: u64,
        options: RecordOptions,
    ) -> Recording {
        let mut args: Vec<Arg<'_>> = bound.iter_mut().map(BoundParam::arg).collect();
        let recording = progress::watch(work, |counter| {
            let mut recorder = RunRecorder::new(plan, options).on_progress(|work| {
                counter.fetch_add(work, Ordering::Relaxed);
                true
            });
            recorder.start(&args);
            let ran = self.launch(plan, 1).observe(&mut recorder).run(&mut args);
            recorder.finish(plan.clone(), recorded, self.blocks, ran.as_ref().err())
        });

        if let Some(left_out) = recording.left_out().filter(|_| !recording.is_selective()) {
            warn(&text!("{mark}: {left_out}", mark = format_args!("\u{1b}[1m{}\u{1b}[0m", text!("note")), left_out));
        }
        recording
    }

    /// The program as a recording keeps it.
    pub(crate) fn recorded_source(&self, source: &InputText, target: Target) -> RecordedSource {
        RecordedSource::new(&source.name, &source.text, target).entry(self.func.clone()).options(self.options())
    }

    pub(super) fn options(&self) -> Options {
        let (uninitialised, strict) = self.uninitialised;
        Options::default().numerics(self.numerics.into()).uninitialised(uninitialised).strict(strict).plain(self.plain)
    }
}

/// The recording in a file that is one, or is called one, and the bytes of the file.
pub(crate) fn load_recording(path: &Path) -> Result<Option<(Recording, u64)>, Failure> {
    let Some(bytes) = recording_bytes(path)? else { return Ok(None) };
    let unusable = |error: pto::Error| {
        let (problem, help) = first_problem(error);
        Failure(format!("{}: {} ({}){help}", path.display(), problem.message, problem.code.id()))
    };
    Ok(Some((Recording::load(&bytes).map_err(unusable)?, bytes.len() as u64)))
}

/// The bytes of a file that is a recording, or is called one.
fn recording_bytes(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    if path == Path::new("-") {
        return Ok(None);
    }
    let is_called_one = path.extension().is_some_and(|e| e == "ptotrace");
    let begins = || -> std::io::Result<bool> {
        if let Some(bytes) = host::read_memory(path) {
            return Ok(Recording::is_recording(&bytes?));
        }
        let mut first = Vec::new();
        std::io::Read::read_to_end(&mut std::io::Read::take(std::fs::File::open(path)?, 16), &mut first)?;
        Ok(Recording::is_recording(&first))
    };
    // A file that cannot be opened is reported by the one who reads it as a program.
    if !is_called_one && !begins().unwrap_or(false) {
        return Ok(None);
    }
    let name = path.display();
    host::read(path).map(Some).map_err(|e| Failure(text!("cannot read {name}: {e}", name, e)))
}

/// An error for a value that the program does not have.
pub(crate) fn check_name(plan: &Plan, name: &str) -> Result<(), Failure> {
    let wrong = |error: pto::Error| {
        let (problem, help) = first_problem(error);
        Failure(format!("{}{help}", problem.message))
    };
    find_value(plan, name).map(drop).map_err(wrong)
}

/// The first problem of an error, and its help on a line of its own.
fn first_problem(error: pto::Error) -> (Diagnostic, String) {
    let problem = error.into_diagnostics().swap_remove(0);
    let help = problem.help.as_ref().map_or(String::new(), |help| format!("\n  {}: {help}", text!("help")));
    (problem, help)
}
