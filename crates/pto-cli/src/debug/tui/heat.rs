//! A value as a heat map: blue for negative numbers, red for positive ones, as bright as they are large.

use super::terminal::{StyledLine, StyledText};
use super::theme::{Depth, Theme};
use crate::debug::show::{NumberSummary, short};
use crossterm::style::ContentStyle;
use pto::isa::text;
use pto::trace::Contents;
use std::ops::Range;

/// The most elements that are read for a map.
const MOST_ELEMENTS: usize = 1 << 17;
const MOST_COLUMNS: usize = 4096;
/// Without colours, larger numbers have denser characters.
const INK: [char; 10] = [' ', '.', ':', '-', '=', '+', '*', '%', '@', '#'];

/// The rows and columns that a map shows of a value of this size.
pub(super) fn region((rows, cols): (usize, usize), (top, left): (usize, usize)) -> (Range<usize>, Range<usize>) {
    let right = cols.min(left + MOST_COLUMNS);
    let bottom = rows.min(top + MOST_ELEMENTS / (right - left).max(1));
    (top..bottom.max(top), left..right)
}

/// A map of what was read; each cell stands for one element, or for several of which it shows the largest.
pub(super) fn lines(theme: Theme, contents: &Contents, width: usize, height: usize) -> Vec<StyledLine> {
    let (rows, cols) = (contents.row_range.clone(), contents.col_range.clone());
    let seen = NumberSummary::of(contents);
    let room = height.saturating_sub(2).max(1);
    // Small values get cells of several characters.
    let wide = if cols.len() * 2 <= width { 2 } else { 1 };
    let across = cols.len().div_ceil((width / wide).max(1)).max(1);
    let down = rows.len().div_ceil(room).max(1);
    let largest = seen.min.abs().max(seen.max.abs());
    let mut lines: Vec<StyledLine> = rows
        .clone()
        .step_by(down)
        .map(|r| {
            let cell = |c: usize| {
                let numbers = block(contents, r..(r + down).min(rows.end), c..(c + across).min(cols.end));
                let (text, style) = look(theme, numbers, largest);
                StyledText::new(text.to_string().repeat(wide), style)
            };
            StyledLine::from(cols.clone().step_by(across).map(cell).collect::<Vec<_>>())
        })
        .collect();
    let (min, max) = (short(seen.min), short(seen.max));
    let mut legend = vec![StyledText::new(min + " ", theme.dim())];
    legend.extend((-4..=4).map(|k| {
        let (text, style) = look(theme, Some(f64::from(k)), 4.0);
        StyledText::new(text.to_string(), style)
    }));
    legend.push(StyledText::new(format!(" {max}"), theme.dim()));
    if seen.nan > 0 {
        legend.push(StyledText::new(text!(", {count} NaN", count = seen.nan), theme.nan()));
    }
    if seen.inf > 0 {
        legend.push(StyledText::new(text!(", {count} infinite", count = seen.inf), theme.infinite()));
    }
    lines.push(StyledLine::from(legend));
    if across * down > 1 {
        lines.push(StyledLine::new(text!("a cell is {down}x{across} numbers", down, across), theme.dim()));
    }
    lines
}

/// The number that stands for a block: NaN and infinity first, then the largest; nothing if nothing was written.
fn block(contents: &Contents, rows: Range<usize>, cols: Range<usize>) -> Option<f64> {
    let mut found: Option<f64> = None;
    let weight = |x: f64| if x.is_nan() { f64::INFINITY } else { x.abs() };
    for r in rows {
        for c in cols.clone().filter(|c| contents.is_written(r, *c)) {
            let x = contents.number(r, c);
            if x.is_nan() {
                return Some(x);
            }
            if found.is_none_or(|f| weight(x) > weight(f)) {
                found = Some(x);
            }
        }
    }
    found
}

fn look(theme: Theme, number: Option<f64>, largest: f64) -> (char, ContentStyle) {
    let Some(x) = number else { return ('·', theme.dim()) };
    if x.is_nan() {
        return ('N', theme.nan());
    }
    if x.is_infinite() {
        return ('I', theme.infinite());
    }
    let share = if largest > 0.0 { x / largest } else { 0.0 };
    if theme.depth == Depth::None {
        let ink = (share.abs() * (INK.len() - 1) as f64).round() as usize;
        return (INK[ink.min(INK.len() - 1)], ContentStyle::new());
    }
    (' ', theme.heat(share))
}
