//! The lines of the source that diagnostics of a recorded program are about.

use crate::isa::{Excerpt, Location, Source, Span};
use std::sync::{Arc, OnceLock};

/// The place of a call in a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallSite {
    /// The number that [`Recorder::file`](super::Recorder::file) gave.
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The line of the first file that led here, if this is another file and the line is known; else 0.
    pub caller: u32,
}

/// The places that a program was recorded at; spans of its operations are positions in the list.
#[derive(Debug, Default)]
pub(super) struct CallSites {
    files: Vec<SourceFile>,
    sites: Vec<CallSite>,
    /// The lines of the first file, without the space around them.
    lines: OnceLock<Vec<Span>>,
}

/// A file that calls come from.
#[derive(Debug)]
struct SourceFile {
    name: String,
    /// The text, if it is at hand; otherwise the file is read when a line is asked for.
    text: Option<Arc<str>>,
}

impl CallSites {
    /// The number of a file.
    pub fn file(&mut self, name: &str, text: Option<Arc<str>>) -> u32 {
        // Most calls come from the file of the call before.
        let last = self.sites.last().map(|site| site.file).filter(|at| self.files[*at as usize].name == name);
        let known = last.or_else(|| self.files.iter().position(|file| file.name == name).map(|at| at as u32));
        known.unwrap_or_else(|| {
            self.files.push(SourceFile { name: name.to_string(), text });
            self.files.len() as u32 - 1
        })
    }

    /// Appends a place; its position is the span of what is recorded there. So spans are in the order of the program, as they
    /// are in a text, also where one line is called many times.
    pub fn push(&mut self, site: CallSite) -> Span {
        let at = self.sites.len() as u32;
        self.sites.push(site);
        Span::new(at, at)
    }

    /// The file that the program begins in.
    fn main(&self) -> Option<(u32, &SourceFile)> {
        let at = self.sites.first()?.file;
        Some((at, self.files.get(at as usize)?))
    }

    fn find(&self, span: Span) -> Option<(&SourceFile, CallSite)> {
        let site = *self.sites.get(span.start as usize)?;
        Some((self.files.get(site.file as usize)?, site))
    }
}

impl Source for CallSites {
    fn location(&self, span: Span) -> Option<Location> {
        let (file, site) = self.find(span)?;
        Some(Location::new(short(&file.name), site.line, site.column))
    }

    /// The line itself, where the source is at hand. Paths are those the compiler was given: mostly from the root of the
    /// workspace, while programs and tests start somewhere below it.
    fn excerpt(&self, span: Span) -> Option<Excerpt> {
        let (file, site) = self.find(span)?;
        let line = |text: &str| text.lines().nth((site.line as usize).checked_sub(1)?).map(str::to_string);
        let text = match &file.text {
            Some(text) => line(text)?,
            None => {
                let here = std::env::current_dir().ok()?;
                line(&here.ancestors().find_map(|dir| std::fs::read_to_string(dir.join(&file.name)).ok())?)?
            }
        };
        // Where a call ends is not known.
        Some(Excerpt { text, width: 0 })
    }

    fn recorded_text(&self) -> Option<(&str, &str)> {
        let (_, file) = self.main()?;
        Some((&file.name, file.text.as_deref()?))
    }

    /// The whole line. What comes from another file is shown at the line that led there, or where the program begins.
    fn recorded_span(&self, span: Span) -> Option<Span> {
        let (main, file) = self.main()?;
        let lines = self.lines.get_or_init(|| lines(file.text.as_deref().unwrap_or_default()));
        let at = |line: u32| lines.get((line as usize).checked_sub(1)?).copied();
        let site = self.sites.get(span.start as usize)?;
        let here = at(if site.file == main { site.line } else { site.caller });
        here.or_else(|| at(self.sites.first()?.line))
    }
}

/// The lines of a text, without the space around them.
fn lines(text: &str) -> Vec<Span> {
    let mut at = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start().len());
        lines.push(Span::new(start as u32, (start + line.trim().len()) as u32));
        at += line.len();
    }
    lines
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
