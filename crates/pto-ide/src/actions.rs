//! Changes that an editor offers: fixes of problems, other forms, addresses and flags.

use crate::Document;
use crate::edits::{Replacement, line_edits};
use crate::fixes::TrialShare;
use pto::isa::{Span, text};
use pto::opt::{self, SyncMode, plan};
use pto::{Diagnostic, Form, Target};

/// What a change is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ActionKind {
    /// It fixes a problem.
    Fix,
    /// It writes the program differently.
    Rewrite,
}

/// A change that is offered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfferedAction {
    /// What it does.
    pub title: String,
    /// What it is for.
    pub kind: ActionKind,
    /// The problem that it fixes.
    pub fixes: Option<Diagnostic>,
    /// The changes of the text.
    pub edits: Vec<Replacement>,
    /// The target to check the text for instead; nothing in the text changes then.
    pub target: Option<Target>,
}

impl Document {
    /// Fixes of the problems that a span touches: those of the document, and others that were found in this text (`pto race`).
    ///
    /// ```
    /// let text = "func.func @f(%tile: index) {\n  %b = arith.addi %tiel, %tile : index\n  return\n}\n";
    /// let document = pto_ide::Document::new(text, None);
    /// let actions = document.actions(document.diagnostics()[0].primary.span, &[]);
    /// assert_eq!(actions[0].title, "write `%tile`");
    /// ```
    pub fn actions(&self, span: Span, others: &[Diagnostic]) -> Vec<OfferedAction> {
        let touches = |d: &&Diagnostic| d.primary.span.start <= span.end && d.primary.span.end >= span.start;
        let problems: Vec<&Diagnostic> = self.diagnostics().iter().chain(others).filter(touches).collect();
        let among = problems.len();
        let mut found: Vec<OfferedAction> = Vec::new();
        for (before, problem) in problems.into_iter().enumerate() {
            found.extend(self.fixes(problem, TrialShare { before, among }));
        }
        found
    }

    /// The program in other forms, and with what the toolchain can add. Each is computed, so an editor asks for them on request.
    ///
    /// ```
    /// let text = "func.func @f() {\n  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n  return\n}\n";
    /// let titles: Vec<String> = pto_ide::Document::new(text, None).rewrites().into_iter().map(|a| a.title).collect();
    /// assert!(titles.contains(&"give tiles addresses and add flags (pto lower)".to_string()));
    /// ```
    pub fn rewrites(&self) -> Vec<OfferedAction> {
        let forms =
            [(Form::Level1, "level1"), (Form::Level2, "level2"), (Form::Asm, "asm"), (Form::Generic, "generic")];
        let forms = forms.into_iter().filter_map(|(form, name)| {
            let edits = self.converted(form).ok()?;
            Some((text!("write the program in the form `{name}`", name), edits))
        });
        let lowered = [(text!("give tiles addresses and add flags (pto lower)"), SyncMode::Minimal)];
        let lowered = lowered.into_iter().filter_map(|(title, mode)| Some((title.to_string(), self.lowered(mode)?)));
        let all = forms.chain(lowered).filter(|(_, edits)| !edits.is_empty());
        all.map(|(title, edits)| OfferedAction { title, kind: ActionKind::Rewrite, fixes: None, edits, target: None })
            .collect()
    }

    fn lowered(&self, mode: SyncMode) -> Option<Vec<Replacement>> {
        let checked = self.program().check(self.target()).ok()?;
        let lowered = opt::lower(&checked, plan::Options::default(), mode).ok()?;
        let text = pto::Program::of_module(lowered.program.into_module()).to_text(None);
        Some(line_edits(self.text(), &text))
    }
}
