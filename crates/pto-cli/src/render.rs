//! Diagnostics for a terminal.

use super::Failure;
use super::input::{InputText, line_of_file};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use pto::isa::text;
use pto::isa::{Diagnostic, Label, Location, Severity, Span};
use pto::syntax::Lines;
use std::io::Write;

/// Labels this many lines apart get separate excerpts.
const NEAR: u32 = 40;

/// The most problems that are written to a terminal.
const SHOWN: usize = 100;

/// Writes the problems of a source to standard error: all of them, or the first ones and how many more there are. If there are too
/// many, errors come before warnings.
pub(crate) fn print(source: &InputText, problems: &[Diagnostic]) -> Result<(), Failure> {
    if problems.is_empty() {
        return Ok(());
    }
    let mut err = crate::host::stderr();
    let terminal = Terminal::new(source);
    let errors = problems.iter().filter(|d| d.is_error()).count();
    let mut left = [SHOWN.saturating_sub(errors), SHOWN];
    for d in problems {
        let left = &mut left[usize::from(d.is_error())];
        if *left > 0 {
            *left -= 1;
            writeln!(err, "{}\n", terminal.render(d))?;
        }
    }
    let hidden = problems.len().saturating_sub(SHOWN);
    if hidden > 0 {
        let name = &source.name;
        let more = match hidden {
            1 => text!("… and 1 more problem in {name}", name),
            _ => text!("… and {hidden} more problems in {name}", hidden, name),
        };
        writeln!(err, "{more}\n")?;
    }
    Ok(())
}

/// Turns diagnostics of one source into text.
pub(crate) struct Terminal<'s> {
    source: &'s InputText,
    lines: Lines,
    renderer: Renderer,
}

impl<'s> Terminal<'s> {
    pub(crate) fn new(source: &'s InputText) -> Self {
        let renderer = Renderer::styled().term_width(columns().unwrap_or(140));
        Self { source, lines: Lines::new(&source.text), renderer }
    }

    pub(crate) fn render(&self, d: &Diagnostic) -> String {
        let id = d.code.id();
        let level = match d.severity {
            Severity::Error => Level::ERROR.with_name(text!("error")),
            Severity::Warning => Level::WARNING.with_name(text!("warning")),
        };
        let mut group = Group::with_title(level.primary_title(&d.message).id(id));
        let (near, far): (Vec<&Label>, Vec<&Label>) =
            d.labels.iter().partition(|l| self.line(l.span).abs_diff(self.line(d.primary.span)) <= NEAR);
        group = group.element(self.snippet(Some(&d.primary), &near));
        for label in far {
            group = group.element(self.snippet(None, &[label]));
        }
        for place in self.origins(d) {
            group = match line_of_file(&place.file, place.line) {
                Some(line) => {
                    let start = line.char_indices().nth(place.column as usize).map_or(line.len(), |(at, _)| at);
                    let end = start + line[start..].trim_end().len();
                    let mark = AnnotationKind::Context.span(start..end).label(text!("made here"));
                    let snippet = Snippet::source(line).line_start(place.line as usize).path(place.file);
                    group.element(snippet.annotation(mark))
                }
                None => {
                    let column = place.column as usize;
                    group.element(Origin::path(place.file).line(place.line as usize).char_column(column))
                }
            };
        }
        for legal in &d.legal {
            group = group.element(Level::NOTE.no_name().message(legal));
        }
        let help = d.help_lines(|at| self.lines.locate(at).0);
        if !help.is_empty() {
            group = group.element(Level::HELP.with_name(text!("help")).message(help.join("\n")));
        }
        if let Some(page) = d.page {
            group = group.element(Level::NOTE.with_name(text!("page")).message(format!("pto doc {page}")));
        }
        self.renderer.render(&[group])
    }

    /// Where the statements of a diagnostic were made, each place once.
    fn origins(&self, d: &Diagnostic) -> Vec<Location> {
        let mut places: Vec<Location> = Vec::new();
        for label in std::iter::once(&d.primary).chain(&d.labels) {
            places.extend(self.source.origin(label.span).filter(|place| !places.contains(place)));
        }
        places
    }

    fn line(&self, span: Span) -> u32 {
        self.lines.locate(span.start).0
    }

    /// An excerpt of the lines with labels; only these go to the renderer, so that the cost
    /// of a diagnostic does not grow with the file.
    fn snippet<'a>(&'a self, primary: Option<&'a Label>, labels: &[&'a Label]) -> Snippet<'a, Annotation<'a>> {
        let text = &self.source.text;
        let spans = || primary.iter().map(|l| l.span).chain(labels.iter().map(|l| l.span));
        let first = spans().map(|s| s.start).min().unwrap_or(0) as usize;
        let last = spans().map(|s| s.end).max().unwrap_or(0) as usize;
        let start = text[..first.min(text.len())].rfind('\n').map_or(0, |at| at + 1);
        let rest = last.min(text.len());
        let end = text[rest..].find('\n').map_or(text.len(), |at| rest + at);
        let line = self.lines.locate(start as u32).0 as usize;
        let local = |s: Span| {
            let clamp = |p: u32| (p as usize).clamp(start, end) - start;
            let (a, b) = (clamp(s.start), clamp(s.end));
            a..b.max(a)
        };
        let excerpt = &text[start..end];
        let mut snippet = Snippet::source(excerpt).line_start(line).path(&self.source.name).fold(true);
        if let Some(p) = primary {
            let a = AnnotationKind::Primary.span(local(p.span));
            snippet = snippet.annotation(if p.text.is_empty() { a } else { a.label(&p.text) });
        }
        for l in labels {
            let a = AnnotationKind::Context.span(local(l.span));
            snippet = snippet.annotation(if l.text.is_empty() { a } else { a.label(&l.text) });
        }
        snippet
    }
}

/// The width to write for: `COLUMNS`, else that of the terminal, if there is one.
pub(crate) fn columns() -> Option<usize> {
    let stated = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).filter(|w| *w >= 40);
    stated.or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)))
}
