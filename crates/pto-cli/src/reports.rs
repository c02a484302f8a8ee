//! The reports of the commands as texts, for front ends that are not a command line. A report is about a program that was read
//! from a text: its name and the text say which lines it shows.

use crate::input::InputText;
use crate::lower::{ParsedFile, plan};
use crate::{json, race};
use pto::checks::Checked;
use pto::opt::Planned;
use pto::race::RaceReport;
use pto::{Diagnostic, Error, Program, Target};

fn input(name: &str, text: &str) -> InputText {
    InputText::of_text(name.into(), text.into())
}

/// Diagnostics as the JSON of `pto check`, one file.
pub fn diagnostics_json(name: &str, text: &str, target: Target, problems: &[Diagnostic]) -> String {
    let source = input(name, text);
    json::text(&json::problems(&source, target, problems))
}

/// The JSON of `pto race`.
pub fn race_json(name: &str, text: &str, target: Target, report: &RaceReport) -> String {
    let source = input(name, text);
    json::text(&race::json_report(&source, target, (report, &[]), None))
}

/// The page of `pto race --html`.
pub fn race_page(name: &str, text: &str, target: Target, report: &RaceReport) -> String {
    race::page(&input(name, text), target, report)
}

/// JSON of the version of all reports: an object that a view has written, with the version before its fields.
pub fn with_version(object: &str) -> String {
    json::with_version(object)
}

/// The addresses and lifetimes of tiles: `pto plan`.
pub struct MemoryPlan {
    read: ParsedFile,
    program: Checked,
    planned: Planned,
}

impl MemoryPlan {
    /// Places the tiles of a program; `tight` shares memory even where everything fits side by side.
    ///
    /// # Errors
    /// Every problem of the program, and what does not fit.
    pub fn new(name: &str, text: &str, program: &Program, target: Target, tight: bool) -> Result<Self, Error> {
        let read = ParsedFile { source: input(name, text), program: program.clone(), target };
        let (program, planned) = plan::planned(tight, &read)?;
        Ok(Self { read, program, planned })
    }

    fn report(&self) -> plan::PlanReport<'_> {
        plan::PlanReport { read: &self.read, module: self.program.module(), planned: &self.planned }
    }

    /// A table for each memory.
    pub fn text(&self) -> String {
        self.report().text()
    }

    /// The JSON of `pto plan`.
    pub fn json(&self) -> String {
        json::text(&self.report().json(self.program.warnings()))
    }

    /// The page of `pto plan --html`.
    pub fn page(&self) -> String {
        self.report().page()
    }
}
