//! The program, with the line that is next and the breakpoints.

use super::app::TuiApp;
use super::theme::Theme;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

pub(super) fn lines(app: &mut TuiApp<'_>, width: usize, height: usize) -> Vec<Line<'static>> {
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

fn line(app: &TuiApp<'_>, at: usize, current: u32, digits: usize, width: usize) -> Line<'static> {
    let (theme, number) = (app.theme, at as u32 + 1);
    let stop = if app.session.has_breakpoint(number) { "●" } else { " " };
    let arrow = if number == current { "▶" } else { " " };
    let mut spans = vec![
        Span::styled(stop, theme.breakpoint()),
        Span::styled(arrow, theme.arrow()),
        Span::styled(format!("{number:>digits$} "), theme.dim()),
    ];
    let text: String = app.session.lines[at].chars().skip(app.source_left).take(width).collect();
    spans.extend(coloured(theme, &text.replace('\t', "  ")));
    let used: usize = spans.iter().map(Span::width).sum();
    if number == current {
        spans.push(Span::raw(" ".repeat(width.saturating_sub(used))));
    }
    let line = Line::from(spans);
    let line = if number == current { line.style(theme.current()) } else { line };
    if number == app.cursor && number != current { line.patch_style(theme.cursor()) } else { line }
}

/// Names of values and operations, and comments.
fn coloured(theme: Theme, text: &str) -> Vec<Span<'static>> {
    let (code, comment) = text.split_at(text.find("//").unwrap_or(text.len()));
    let mut spans = Vec::new();
    let mut rest = code;
    while !rest.is_empty() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '%' | '_' | '.' | '@' | '!' | '$');
        let first = rest.chars().next().is_some_and(is_word);
        let end = rest.find(|c| is_word(c) != first).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        spans.push(Span::styled(word.to_string(), word_style(theme, word)));
        rest = after;
    }
    if !comment.is_empty() {
        spans.push(Span::styled(comment.to_string(), theme.dim()));
    }
    spans
}

fn word_style(theme: Theme, word: &str) -> Style {
    let is_operation =
        ["pto.", "arith.", "scf.", "func.", "cf.", "memref."].iter().any(|start| word.starts_with(start));
    match word.chars().next() {
        Some('%') => theme.name(),
        _ if is_operation => theme.operation(),
        _ => Style::new(),
    }
}
