//! Diagnostics of a kernel, with the lines of the Rust source they are about.

use super::trace::Place;
use crate::isa::{Diagnostic, Span};
use std::fmt;
use std::panic::Location;

/// What is wrong with a kernel.
///
/// Printed, it shows each problem with its stable id, the Rust line, what is legal and how to fix it.
#[derive(Clone)]
pub struct Problems {
    list: Vec<Diagnostic>,
    places: Vec<Place>,
}

impl Problems {
    pub(super) fn new(list: Vec<Diagnostic>, places: &[Place]) -> Self {
        Self { list, places: places.to_vec() }
    }

    /// The problems: the same as for text. Their spans are not places in a text; [`Problems::place`] says where they are.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.list
    }

    /// The Rust line a span is about.
    pub fn place(&self, span: Span) -> Option<&'static Location<'static>> {
        self.places.get(span.start as usize).copied()
    }

    fn write_one(&self, f: &mut fmt::Formatter<'_>, problem: &Diagnostic) -> fmt::Result {
        writeln!(f, "{}[{}]: {}", problem.severity.name(), problem.code.id(), problem.message)?;
        for (at, (place, remarks)) in self.marked(problem).into_iter().enumerate() {
            let arrow = if at == 0 { "  -->" } else { "  :::" };
            let colon = if remarks.is_empty() { "" } else { ": " };
            writeln!(f, "{arrow} {}:{}:{}{colon}{remarks}", short(place.file()), place.line(), place.column())?;
            if let Some(line) = source_line(place) {
                writeln!(f, "{:>5} | {}", place.line(), line.trim_end())?;
            }
        }
        for legal in &problem.legal {
            writeln!(f, "   = {legal}")?;
        }
        let line = |at: u32| self.place(Span::new(at, at)).map_or(0, |place| place.line());
        if let Some(help) = problem.help_text(line) {
            writeln!(f, "   = help: {help}")?;
        }
        Ok(())
    }

    /// The places a problem is about, each once, with what is said about it.
    fn marked(&self, problem: &Diagnostic) -> Vec<(Place, String)> {
        let mut marked: Vec<(Place, String)> = Vec::new();
        for label in std::iter::once(&problem.primary).chain(&problem.labels) {
            let Some(place) = self.place(label.span) else { continue };
            let Some((_, remarks)) = marked.iter_mut().find(|(known, _)| *known == place) else {
                marked.push((place, label.text.to_string()));
                continue;
            };
            let comma = if remarks.is_empty() || label.text.is_empty() { "" } else { ", " };
            *remarks += comma;
            *remarks += &label.text;
        }
        marked
    }
}

/// The path without ways down and up again: targets of a package may lie outside of it.
pub(super) fn short(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        if part == ".." && parts.last().is_some_and(|last| *last != "..") {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// The line itself, where the source is at hand. Paths are those the compiler was given: mostly from the root of the
/// workspace, while programs and tests start somewhere below it.
fn source_line(place: Place) -> Option<String> {
    let here = std::env::current_dir().ok()?;
    let text = here.ancestors().find_map(|dir| std::fs::read_to_string(dir.join(place.file())).ok())?;
    text.lines().nth(place.line() as usize - 1).map(str::to_string)
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.list {
            self.write_one(f, problem)?;
        }
        Ok(())
    }
}

/// As printed: this is what `expect` shows.
impl fmt::Debug for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Problems {}
