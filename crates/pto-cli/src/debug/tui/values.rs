//! A value as numbers.

use super::app::TuiApp;
use super::heat;
use super::terminal::{StyledLine, StyledText};
use crate::debug::show::element;
use crossterm::style::ContentStyle;
use pto::isa::text;
use pto::trace::Contents;

/// The title of the pane, and its lines.
pub(super) fn lines(app: &mut TuiApp<'_>, width: usize, height: usize) -> (String, Vec<StyledLine>) {
    let Some(value) = app.value() else {
        return (text!("value").to_string(), vec![StyledLine::from(text!("nothing was written yet"))]);
    };
    let (core, at) = (app.session.core, app.session.at());
    let name = app.session.recording.module().value_name(value).to_string();
    let mode = if app.chosen.is_some() { "" } else { "↻ " };
    let title = format!("{mode}%{name}");
    let size = app.session.player.part(core, value, at, 0..1, 0..1).map(|c| (c.rows, c.cols));
    let Some((rows, cols)) = size else { return (title, vec![StyledLine::from(app.session.unknown(&name))]) };
    app.value_top = app.value_top.min(rows.saturating_sub(1));
    app.value_left = app.value_left.min(cols.saturating_sub(1));
    let (top, left) = (app.value_top, app.value_left);
    let room = if app.is_heat {
        heat::region((rows, cols), (top, left))
    } else {
        // A number has at least two characters.
        (top..(top + height).min(rows), left..(left + width / 2).min(cols))
    };
    let Some(contents) = app.session.player.part(core, value, at, room.0, room.1) else { return (title, Vec::new()) };
    let mut all = description(app, value, &contents, width);
    let left_over = height.saturating_sub(all.len());
    all.extend(if app.is_heat {
        heat::lines(app.theme, &contents, width, left_over)
    } else {
        numbers(app, &contents, width, left_over)
    });
    (title, all)
}

fn description(app: &mut TuiApp<'_>, value: pto::ir::ValueId, contents: &Contents, width: usize) -> Vec<StyledLine> {
    let text = app.session.describe(value, contents);
    let text = text.trim_end();
    let text = text.split_once(": ").map_or(text, |(_, rest)| rest).to_string();
    let (mut lines, mut line) = (Vec::new(), String::new());
    for part in text.split(", ") {
        if !line.is_empty() && line.chars().count() + part.chars().count() + 2 > width {
            lines.push(StyledLine::new(std::mem::take(&mut line) + ",", app.theme.dim()));
        }
        if !line.is_empty() {
            line += ", ";
        }
        line += part;
    }
    lines.push(StyledLine::new(line, app.theme.dim()));
    lines
}

/// A cell and how it looks: numbers that were not written, or are outside of the valid region, are dim.
fn cell(app: &TuiApp<'_>, contents: &Contents, row: usize, col: usize) -> (String, ContentStyle) {
    let theme = app.theme;
    if !contents.is_written(row, col) {
        return ("·".to_string(), theme.dim());
    }
    let (text, number) = (element(contents, row, col), contents.number(row, col));
    let style = if row >= contents.valid.0 || col >= contents.valid.1 {
        theme.dim()
    } else if number.is_nan() {
        theme.nan()
    } else if number.is_infinite() {
        theme.infinite()
    } else {
        ContentStyle::new()
    };
    (text, style)
}

fn numbers(app: &TuiApp<'_>, contents: &Contents, width: usize, height: usize) -> Vec<StyledLine> {
    let first = contents.row_range.start;
    let rows = first..contents.row_range.end.min(first + height.saturating_sub(1));
    let label = rows.end.to_string().len();
    let (mut columns, mut used) = (Vec::new(), label + 1);
    for col in contents.col_range.clone() {
        let cells: Vec<(String, ContentStyle)> = rows.clone().map(|row| cell(app, contents, row, col)).collect();
        let lengths = cells.iter().map(|(text, _)| text.chars().count());
        let wide = lengths.chain([col.to_string().len()]).max().unwrap_or(1);
        if used + wide + 1 > width && !columns.is_empty() {
            break;
        }
        used += wide + 1;
        columns.push((col, wide, cells));
    }
    let mut header = vec![StyledText::plain(" ".repeat(label + 1))];
    header.extend(columns.iter().map(|(col, wide, _)| StyledText::new(format!(" {col:>wide$}"), app.theme.dim())));
    let row = |k: usize, row: usize| {
        let mut spans = vec![StyledText::new(format!("{row:>label$}:"), app.theme.dim())];
        for (_, wide, cells) in &columns {
            let (text, style) = &cells[k];
            spans.push(StyledText::plain(" ".repeat(1 + wide - text.chars().count())));
            spans.push(StyledText::new(text.clone(), *style));
        }
        StyledLine::from(spans)
    };
    std::iter::once(StyledLine::from(header)).chain(rows.clone().enumerate().map(|(k, r)| row(k, r))).collect()
}
