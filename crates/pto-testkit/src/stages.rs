//! Everything that is done to a program before it runs, each from its text.

use pto::opt::{self, SyncMode};
use pto::syntax::{FormatOptions, format};
use pto::{Checked, Form, Options, Plan, Program, Target, emit};

/// A name, and a function of a text. Its success is not checked.
pub type Stage = (&'static str, fn(&str));

/// In the order in which they come.
pub const STAGES: &[Stage] = &[
    ("check", |text| drop(Program::parse(text).inspect(Target::A2A3))),
    ("format", |text| drop(format(text, FormatOptions::default()))),
    ("level 1", |text| written(text, Form::Level1)),
    ("level 2", |text| written(text, Form::Level2)),
    ("assembly", |text| written(text, Form::Asm)),
    ("generic", |text| written(text, Form::Generic)),
    ("plan", |text| {
        let prepared = checked(text).and_then(|c| opt::prepare(&c).ok());
        prepared.map(|c| opt::plan_memory(&c, opt::plan::Options::default()));
    }),
    ("sync", |text| drop(checked(text).map(|c| opt::insert_sync(&c, SyncMode::Minimal)))),
    ("lower", |text| drop(checked(text).map(|c| opt::lower(&c, opt::plan::Options::default(), SyncMode::Minimal)))),
    ("C++", |text| drop(checked(text).map(|c| emit::cpp(&c, &emit::Options::default())))),
    ("bytecode", |text| drop(checked(text).map(|c| pto::bytecode::encode(c.module(), Default::default())))),
    ("steps", |text| drop(checked(text).and_then(|c| Plan::new(&c, None, Options::default()).ok()))),
];

fn checked(text: &str) -> Option<Checked> {
    Program::parse(text).check(Target::A2A3).ok()
}

fn written(text: &str, form: Form) {
    drop(format(text, FormatOptions { form: Some(form), ..FormatOptions::default() }));
}
