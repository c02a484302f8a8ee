//! What is recorded, and of which program.

use crate::streams::{FirstBytes, NONE};
use pto_check::Checked;
use pto_cpu::{Arg, Options, Plan, Role};
use pto_ir::{Module, OpId, ValueId};
use pto_isa::hash::FastSet;
use pto_isa::{Error, Target};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A program as it was recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RecordedSource {
    /// The name of its file.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The target it ran for.
    pub target: Target,
    /// The function that ran, if one was chosen.
    pub entry: Option<String>,
    /// How it ran.
    pub options: Options,
}

/// What is recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RecordOptions {
    /// Only instructions that touch these values, and what these values held; names without `%`. Empty: all.
    pub only: Vec<String>,
    /// Only instructions on these lines, and what they wrote.
    pub lines: Option<RangeInclusive<u32>>,
    /// Lines whose scalar code is recorded too: every step of it is a moment.
    pub scalar_lines: Vec<u32>,
    /// The recording ends when it has this many bytes; the run goes on.
    pub limit: u64,
}

impl Default for RecordOptions {
    fn default() -> Self {
        Self { only: Vec::new(), lines: None, scalar_lines: Vec::new(), limit: 1 << 30 }
    }
}

impl RecordOptions {
    /// Records only instructions that touch these values.
    #[must_use]
    pub fn only(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { only: names.into_iter().map(Into::into).collect(), ..self }
    }

    /// Records only instructions on these lines.
    #[must_use]
    pub fn lines(self, lines: RangeInclusive<u32>) -> Self {
        Self { lines: Some(lines), ..self }
    }

    /// Records the scalar code on these lines too.
    #[must_use]
    pub fn scalar_lines(self, lines: impl IntoIterator<Item = u32>) -> Self {
        Self { scalar_lines: lines.into_iter().collect(), ..self }
    }

    /// Ends the recording when it has this many bytes.
    #[must_use]
    pub fn limit(self, bytes: u64) -> Self {
        Self { limit: bytes, ..self }
    }

    pub(crate) fn is_selective(&self) -> bool {
        !self.only.is_empty() || self.lines.is_some()
    }
}

impl RecordedSource {
    /// A program with one entry, and default options.
    pub fn new(name: impl Into<String>, text: impl Into<String>, target: Target) -> Self {
        Self { name: name.into(), text: text.into(), target, entry: None, options: Options::default() }
    }

    /// Chooses the function.
    #[must_use]
    pub fn entry(self, entry: Option<String>) -> Self {
        Self { entry, ..self }
    }

    /// Chooses how it runs.
    #[must_use]
    pub fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// Reads and checks the program, and prepares it to run.
    ///
    /// # Errors
    /// As [`Plan::new`], and if the program is not legal.
    pub fn plan(&self) -> Result<Plan, Error> {
        Plan::new(&self.checked()?, self.entry.as_deref(), self.options)
    }

    fn checked(&self) -> Result<Checked, Error> {
        let (mut module, problems) = pto_syntax::parse(&self.text);
        module.source = Some(Arc::new(pto_syntax::SourceText::new(&self.name, &self.text)));
        let is_read = !problems.iter().any(pto_isa::Diagnostic::is_error);
        let whole = if is_read { pto_check::check(module.clone(), self.target) } else { Err(Error::new(problems)) };
        match (whole, &self.entry) {
            // Errors in other functions do not matter.
            (Err(all), Some(entry)) => match pto_check::reach(&module, entry.trim_start_matches('@')) {
                Some(reach) => pto_check::check(reach.module, self.target).map_err(|_| all),
                None => Err(all),
            },
            (whole, _) => whole,
        }
    }
}

/// The lines and values that are recorded.
pub(crate) struct Selection {
    values: FastSet<ValueId>,
    /// For each role, whether a step is on a line that is recorded.
    steps: [Vec<bool>; 3],
}

impl Selection {
    /// `None`: all of them.
    pub fn of(plan: &Plan, options: &RecordOptions) -> Option<Self> {
        if !options.is_selective() {
            return None;
        }
        let module = plan.checked().module();
        let is_wanted = |v: &ValueId| options.only.iter().any(|name| name == module.value_name(*v));
        let values = (0..module.value_count()).map(ValueId::from_index).filter(is_wanted).collect();
        let line = |op| match &options.lines {
            None => false,
            Some(lines) => lines.contains(&line_of(module, op)),
        };
        let steps = [Role::Whole, Role::Cube, Role::Vector].map(|role| plan.step_origins(role).map(line).collect());
        Some(Self { values, steps })
    }

    pub fn has_value(&self, value: ValueId) -> bool {
        self.values.contains(&value)
    }

    pub fn has_line(&self, role: usize, step: u32) -> bool {
        step != NONE && self.steps[role].get(step as usize).is_some_and(|has| *has)
    }
}

/// What an argument holds, if the program may change it. The others are the same after the run.
pub(crate) fn before_run(arg: &Arg<'_>, is_selective: bool) -> FirstBytes {
    let Arg::Memory(memory) = arg else { return FirstBytes::Zero(0) };
    let bytes = memory.bytes();
    if is_selective || !memory.is_written() {
        return FirstBytes::Unknown(bytes.len() as u64);
    }
    // Piece by piece without leaving a piece early, which the compiler turns into vector instructions.
    let is_zero = bytes.chunks(4096).all(|piece| piece.iter().fold(0, |all, byte| all | byte) == 0);
    if is_zero { FirstBytes::Zero(bytes.len() as u64) } else { FirstBytes::Bytes(bytes.to_vec()) }
}

/// The line of an operation in the text, from 1; 0 if it has none.
pub(crate) fn line_of(module: &Module, op: OpId) -> u32 {
    let span = module.op(op).span;
    let location = module.source.as_ref().and_then(|source| source.location(span));
    location.map_or(0, |l| l.line)
}
