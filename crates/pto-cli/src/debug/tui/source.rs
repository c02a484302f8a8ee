//! The program, with the line that is next and the breakpoints.

use super::app::TuiApp;
use super::terminal::{StyledLine, StyledText};
use super::theme::Theme;
use crossterm::style::ContentStyle;

pub(super) fn lines(app: &mut TuiApp<'_>, width: usize, height: usize) -> Vec<StyledLine> {
    let count = app.session.lines.len();
    keep_cursor_in_sight(app, height, count);
    let current = app.session.pending().map_or(0, |m| m.line);
    let digits = count.to_string().len();
    let last = (app.source_top + height).min(count);
    (app.source_top..last).map(|at| line(app, at, current, digits, width)).collect()
}

fn keep_cursor_in_sight(app: &mut TuiApp<'_>, height: usize, count: usize) {
    let cursor = (app.cursor as usize).saturating_sub(1);
    let margin = (height / 4).min(3);
    let highest = (cursor + margin + 1).saturating_sub(height);
    let lowest = cursor.saturating_sub(margin);
    app.source_top = app.source_top.clamp(highest.min(lowest), lowest).min(count.saturating_sub(height.min(count)));
}

fn line(app: &TuiApp<'_>, at: usize, current: u32, digits: usize, width: usize) -> StyledLine {
    let (theme, number) = (app.theme, at as u32 + 1);
    let stop = if app.session.has_breakpoint(number) { "●" } else { " " };
    let arrow = if number == current { "▶" } else { " " };
    let mut spans = vec![
        StyledText::new(stop, theme.breakpoint()),
        StyledText::new(arrow, theme.arrow()),
        StyledText::new(format!("{number:>digits$} "), theme.dim()),
    ];
    let text: String = app.session.lines[at].chars().skip(app.source_left).take(width).collect();
    spans.extend(coloured(theme, &text.replace('\t', "  ")));
    let used: usize = spans.iter().map(StyledText::width).sum();
    if number == current {
        spans.push(StyledText::plain(" ".repeat(width.saturating_sub(used))));
    }
    let line = StyledLine::from(spans);
    match number {
        _ if number == current => line.with_style(theme.current()),
        _ if number == app.cursor => line.with_style(theme.cursor()),
        _ => line,
    }
}

/// Names of values and operations, and comments.
fn coloured(theme: Theme, text: &str) -> Vec<StyledText> {
    let (code, comment) = text.split_at(text.find("//").unwrap_or(text.len()));
    let mut spans = Vec::new();
    let mut rest = code;
    while !rest.is_empty() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '%' | '_' | '.' | '@' | '!' | '$');
        let first = rest.chars().next().is_some_and(is_word);
        let end = rest.find(|c| is_word(c) != first).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        spans.push(StyledText::new(word.to_string(), word_style(theme, word)));
        rest = after;
    }
    if !comment.is_empty() {
        spans.push(StyledText::new(comment.to_string(), theme.dim()));
    }
    spans
}

fn word_style(theme: Theme, word: &str) -> ContentStyle {
    let is_operation =
        ["pto.", "arith.", "scf.", "func.", "cf.", "memref."].iter().any(|start| word.starts_with(start));
    match word.chars().next() {
        Some('%') => theme.name(),
        _ if is_operation => theme.operation(),
        _ => ContentStyle::new(),
    }
}
