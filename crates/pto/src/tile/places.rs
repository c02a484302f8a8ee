//! The lines of the Rust source that diagnostics of a kernel are about.

use super::trace::CallSite;
use crate::isa::{Excerpt, Location, Source, Span};

/// The places that a kernel was traced at; spans of its operations are positions in the list.
#[derive(Debug)]
pub(super) struct CallSites(Vec<CallSite>);

impl CallSites {
    pub fn new(places: Vec<CallSite>) -> Self {
        Self(places)
    }

    fn place(&self, span: Span) -> Option<CallSite> {
        self.0.get(span.start as usize).copied()
    }
}

impl Source for CallSites {
    fn location(&self, span: Span) -> Option<Location> {
        let place = self.place(span)?;
        Some(Location::new(short(place.file()), place.line(), place.column()))
    }

    /// The line itself, where the source is at hand. Paths are those the compiler was given: mostly from the root of the
    /// workspace, while programs and tests start somewhere below it.
    fn excerpt(&self, span: Span) -> Option<Excerpt> {
        let place = self.place(span)?;
        let here = std::env::current_dir().ok()?;
        let text = here.ancestors().find_map(|dir| std::fs::read_to_string(dir.join(place.file())).ok())?;
        let line = text.lines().nth(place.line() as usize - 1)?;
        // Where a call ends is not known.
        Some(Excerpt { text: line.to_string(), width: 0 })
    }
}

/// The path without ways down and up again: targets of a package may lie outside of it.
fn short(path: &str) -> String {
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
