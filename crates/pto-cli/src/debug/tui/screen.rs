//! Draws the whole screen.

use super::app::{LowerPanel, Pane, TuiApp};
use super::keys::KEYS;
use super::{panels, source, values};
use crate::debug::session::iterations_text;
use pto::isa::text;
use pto::isa::text::translate;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

/// Below this height there is no lower part.
const LOWEST: u16 = 14;

pub(super) fn draw(app: &mut TuiApp<'_>, frame: &mut Frame<'_>) {
    let area = frame.area();
    let rows = [Constraint::Length(1), Constraint::Min(3), Constraint::Length(1), Constraint::Length(1)];
    let [title, body, message, hint] = Layout::vertical(rows).areas(area);
    frame.render_widget(Paragraph::new(title_text(app)).style(app.theme.bar()), title);
    let (upper, lower) = match body.height {
        height if height < LOWEST => (body, None),
        height => {
            let [upper, lower] =
                Layout::vertical([Constraint::Length(height * 11 / 20), Constraint::Min(4)]).areas(body);
            (upper, Some(lower))
        }
    };
    let [left, right] = Layout::horizontal([Constraint::Percentage(54), Constraint::Min(20)]).areas(upper);
    draw_source(app, frame, left);
    draw_values(app, frame, right);
    if let Some(lower) = lower {
        draw_panel(app, frame, lower);
    }
    draw_message(app, frame, message);
    let keys = text!("s step  S back  n over loop  c continue  b break  h heat map  : command  ? help  q quit");
    frame.render_widget(Paragraph::new(keys).style(app.theme.dim()), hint);
    if app.has_help {
        draw_help(app, frame, body);
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

/// A frame with a title around a pane.
fn frame_of<'t>(app: &TuiApp<'_>, pane: Pane, title: Line<'t>) -> Block<'t> {
    let is_focused = app.pane == pane;
    Block::bordered().border_style(app.theme.border(is_focused)).title(title).title_style(app.theme.title(is_focused))
}

fn draw_source(app: &mut TuiApp<'_>, frame: &mut Frame<'_>, area: Rect) {
    let block = frame_of(app, Pane::Source, Line::from(text!("program")));
    let inside = block.inner(area);
    if app.pane == Pane::Source {
        app.page = inside.height.max(1) as usize;
    }
    let lines = source::lines(app, inside.width as usize, inside.height as usize);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn draw_values(app: &mut TuiApp<'_>, frame: &mut Frame<'_>, area: Rect) {
    let inside = Block::bordered().inner(area);
    if app.pane == Pane::Values {
        app.page = inside.height.saturating_sub(2).max(1) as usize;
    }
    let (title, lines) = values::lines(app, inside.width as usize, inside.height as usize);
    let block = frame_of(app, Pane::Values, Line::from(title));
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn draw_panel(app: &mut TuiApp<'_>, frame: &mut Frame<'_>, area: Rect) {
    let titles: Vec<Span<'_>> = (1..)
        .zip(LowerPanel::ALL)
        .flat_map(|(number, panel): (usize, LowerPanel)| {
            let style = if panel == app.panel { app.theme.bar() } else { app.theme.dim() };
            [Span::styled(format!("{number} {}", translate(panel.title())), style), Span::raw(" ")]
        })
        .collect();
    let block = frame_of(app, Pane::Panel, Line::from(titles));
    let inside = block.inner(area);
    let height = inside.height as usize;
    if app.pane == Pane::Panel {
        app.page = height.max(1);
    }
    let lines = panels::lines(app, inside.width as usize);
    app.panel_top = app.panel_top.min(lines.len().saturating_sub(height.min(lines.len())));
    let shown: Vec<Line<'_>> = lines.into_iter().skip(app.panel_top).take(height).collect();
    frame.render_widget(Paragraph::new(shown).block(block), area);
}

fn draw_message(app: &TuiApp<'_>, frame: &mut Frame<'_>, area: Rect) {
    if let Some((text, cursor)) = app.prompt.text() {
        let width = area.width.saturating_sub(2) as usize;
        // The end of a long line is in sight.
        let skipped = cursor.saturating_sub(width);
        let shown: String = text.chars().skip(skipped).take(width + 1).collect();
        let before: String = text.chars().skip(skipped).take(cursor - skipped).collect();
        frame.render_widget(Paragraph::new(format!(":{shown}")), area);
        let column = area.x + 1 + Span::raw(before).width() as u16;
        frame.set_cursor_position(Position::new(column.min(area.right().saturating_sub(1)), area.y));
        return;
    }
    let style = if app.is_error { app.theme.error() } else { ratatui::style::Style::new() };
    frame.render_widget(Paragraph::new(app.message.as_str()).style(style), area);
}

fn draw_help(app: &TuiApp<'_>, frame: &mut Frame<'_>, body: Rect) {
    let lines: Vec<Line<'_>> = KEYS
        .iter()
        .map(|(key, what)| {
            Line::from(vec![Span::styled(format!(" {key:<8}"), app.theme.operation()), Span::raw(translate(what))])
        })
        .collect();
    let width = (lines.iter().map(Line::width).max().unwrap_or(0) as u16 + 3).min(body.width);
    let height = (lines.len() as u16 + 2).min(body.height);
    let at = Rect { x: body.x + (body.width - width) / 2, y: body.y + (body.height - height) / 2, width, height };
    frame.render_widget(Clear, at);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(text!("keys"))), at);
}
