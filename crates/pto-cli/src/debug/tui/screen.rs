//! Draws the whole screen.

use super::app::{LowerPanel, Pane, TuiApp};
use super::keys::KEYS;
use super::terminal::{ScreenArea, ScreenGrid, StyledLine, StyledText};
use super::{panels, source, values};
use crate::debug::session::iterations_text;
use crossterm::style::ContentStyle;
use pto::isa::text;
use pto::isa::text::translate;

/// Below this height there is no lower part.
const LOWEST: u16 = 14;
/// The right part has at least this width.
const NARROWEST: u16 = 20;

/// The title, the panes, the message and the hint; the panes keep three rows if there are few.
fn rows(area: ScreenArea) -> [ScreenArea; 4] {
    let spare = area.height.saturating_sub(3);
    let (title, rest) = area.split_rows(spare.min(1));
    let (body, rest) = rest.split_rows(rest.height - spare.saturating_sub(1).min(2));
    let (message, hint) = rest.split_rows(1);
    [title, body, message, hint]
}

/// The program has 54 % of the width, unless too little is left.
fn columns(area: ScreenArea) -> (ScreenArea, ScreenArea) {
    let share = (u32::from(area.width) * 54 + 50) / 100;
    area.split_columns((share as u16).min(area.width.saturating_sub(NARROWEST)))
}

pub(super) fn draw(app: &mut TuiApp<'_>, grid: &mut ScreenGrid) {
    let [title, body, message, hint] = rows(grid.area());
    grid.write_bar(title, &StyledLine::new(title_text(app), app.theme.bar()));
    let (upper, lower) = match body.height {
        height if height < LOWEST => (body, None),
        height => {
            let (upper, lower) = body.split_rows(height * 11 / 20);
            (upper, Some(lower))
        }
    };
    let (left, right) = columns(upper);
    draw_source(app, grid, left);
    draw_values(app, grid, right);
    if let Some(lower) = lower {
        draw_panel(app, grid, lower);
    }
    draw_message(app, grid, message);
    let keys = text!("s step  S back  n over loop  c continue  b break  h heat map  : command  ? help  q quit");
    grid.write_bar(hint, &StyledLine::new(keys, app.theme.dim()));
    if app.has_help {
        draw_help(app, grid, body);
    }
}

fn title_text(app: &TuiApp<'_>) -> String {
    let session = &app.session;
    let source = session.recording.source();
    let name = source.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let (position, count) = (session.position, session.recording.len());
    let mut parts = vec![format!("{name} {}", source.target), text!("moment {position} of {count}", position, count)];
    match session.pending() {
        Some(moment) => {
            parts.push(text!("line {line}", line = moment.line));
            parts.extend(Some(iterations_text(&moment)).filter(|t| !t.is_empty()));
            parts.extend(Some(moment.deed.describe()).filter(|t| !t.is_empty()));
        }
        None if session.recording.outcome().is_some() => parts.push(text!("failed").to_string()),
        None => parts.push(text!("finished").to_string()),
    }
    if session.recording.cores().len() > 1 {
        parts.push(session.core_name(session.core));
    }
    format!(" {}", parts.join(" │ "))
}

/// Draws a frame with a title around a pane.
fn draw_frame(app: &TuiApp<'_>, grid: &mut ScreenGrid, area: ScreenArea, pane: Pane, title: StyledLine) {
    let is_focused = app.pane == pane;
    grid.frame(area, &title.with_style(app.theme.title(is_focused)), app.theme.border(is_focused));
}

fn draw_source(app: &mut TuiApp<'_>, grid: &mut ScreenGrid, area: ScreenArea) {
    let inside = area.inside();
    if app.pane == Pane::Source {
        app.page = inside.height.max(1) as usize;
    }
    draw_frame(app, grid, area, Pane::Source, text!("program").into());
    let lines = source::lines(app, inside.width as usize, inside.height as usize);
    grid.write(inside, &lines);
}

fn draw_values(app: &mut TuiApp<'_>, grid: &mut ScreenGrid, area: ScreenArea) {
    let inside = area.inside();
    if app.pane == Pane::Values {
        app.page = inside.height.saturating_sub(2).max(1) as usize;
    }
    let (title, lines) = values::lines(app, inside.width as usize, inside.height as usize);
    draw_frame(app, grid, area, Pane::Values, title.into());
    grid.write(inside, &lines);
}

fn draw_panel(app: &mut TuiApp<'_>, grid: &mut ScreenGrid, area: ScreenArea) {
    let titles: Vec<StyledText> = (1..)
        .zip(LowerPanel::ALL)
        .flat_map(|(number, panel): (usize, LowerPanel)| {
            let style = if panel == app.panel { app.theme.bar() } else { app.theme.dim() };
            [StyledText::new(format!("{number} {}", translate(panel.title())), style), StyledText::plain(" ")]
        })
        .collect();
    draw_frame(app, grid, area, Pane::Panel, titles.into());
    let inside = area.inside();
    let height = inside.height as usize;
    if app.pane == Pane::Panel {
        app.page = height.max(1);
    }
    let lines = panels::lines(app, inside.width as usize);
    app.panel_top = app.panel_top.min(lines.len().saturating_sub(height.min(lines.len())));
    grid.write(inside, &lines[app.panel_top..]);
}

fn draw_message(app: &TuiApp<'_>, grid: &mut ScreenGrid, area: ScreenArea) {
    if let Some((text, cursor)) = app.prompt.text() {
        let width = area.width.saturating_sub(2) as usize;
        // The end of a long line is in sight.
        let skipped = cursor.saturating_sub(width);
        let shown: String = text.chars().skip(skipped).take(width + 1).collect();
        let before: String = text.chars().skip(skipped).take(cursor - skipped).collect();
        grid.write_bar(area, &format!(":{shown}").into());
        let column = area.x + 1 + StyledText::plain(before).width() as u16;
        grid.cursor = Some((column.min(area.right().saturating_sub(1)), area.y));
        return;
    }
    let style = if app.is_error { app.theme.error() } else { ContentStyle::new() };
    grid.write_bar(area, &StyledLine::new(app.message.lines().next().unwrap_or_default(), style));
}

fn draw_help(app: &TuiApp<'_>, grid: &mut ScreenGrid, body: ScreenArea) {
    let lines: Vec<StyledLine> = KEYS
        .iter()
        .map(|(key, what)| {
            let key = StyledText::new(format!(" {key:<8}"), app.theme.operation());
            vec![key, StyledText::plain(translate(what))].into()
        })
        .collect();
    let width = lines.iter().map(StyledLine::width).max().unwrap_or(0) as u16 + 3;
    let at = body.centred(width, lines.len() as u16 + 2);
    grid.clear(at);
    grid.frame(at, &text!("keys").into(), ContentStyle::new());
    grid.write(at.inside(), &lines);
}
