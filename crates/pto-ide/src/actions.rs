//! Changes that an editor offers: fixes of problems, other forms, addresses and flags.

use crate::Document;
use crate::edits::{Replacement, line_edits, of_fix};
use crate::scope::visible;
use pto::isa::{Span, codes, table, text};
use pto::opt::{self, SyncMode, plan};
use pto::{Diagnostic, Form};

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
        let problems = self.diagnostics().iter().chain(others).filter(touches);
        problems.flat_map(|problem| self.fixes(problem)).collect()
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
        all.map(|(title, edits)| OfferedAction { title, kind: ActionKind::Rewrite, fixes: None, edits }).collect()
    }

    fn lowered(&self, mode: SyncMode) -> Option<Vec<Replacement>> {
        let checked = self.program().check(self.target()).ok()?;
        let lowered = opt::lower(&checked, plan::Options::default(), mode).ok()?;
        let text = pto::Program::of_module(lowered.program.into_module()).to_text(None);
        Some(line_edits(self.text(), &text))
    }

    fn fixes(&self, problem: &Diagnostic) -> Vec<OfferedAction> {
        let fix =
            |title: String, edits| OfferedAction { title, kind: ActionKind::Fix, fixes: Some(problem.clone()), edits };
        let span = problem.primary.span;
        let mut found = Vec::new();
        if !problem.edits.is_empty() {
            let id = problem.code.id();
            let title = problem.help.clone().unwrap_or_else(|| text!("apply the fix of {id}", id));
            found.push(fix(title, of_fix(self.text(), &problem.edits)));
        }
        for name in self.meant(problem) {
            found.push(fix(text!("write `{name}`", name), vec![Replacement::new(span, name)]));
        }
        found
    }

    /// The names that a misspelled one may stand for.
    fn meant(&self, problem: &Diagnostic) -> Vec<String> {
        let written = self.slice(problem.primary.span);
        if problem.code == codes::UNKNOWN_OP {
            let prefix = if written.starts_with("pto.") { "pto." } else { "" };
            return table::similar(written).into_iter().map(|name| format!("{prefix}{name}")).collect();
        }
        if problem.code != codes::UNDEFINED {
            return Vec::new();
        }
        let module = self.module();
        let name = written.trim_start_matches('%');
        let most = 1 + name.len() / 3;
        let names = visible(self, problem.primary.span.start).into_iter().map(|v| module.value_name(v));
        let near =
            names.map(|n| (table::distance(name, n), n)).filter(|(d, n)| (1..=most).contains(d) && !n.is_empty());
        let mut near: Vec<(usize, &str)> = near.collect();
        near.sort_unstable();
        near.dedup();
        near.into_iter().take(3).map(|(_, n)| format!("%{n}")).collect()
    }
}
