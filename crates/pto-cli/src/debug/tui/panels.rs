//! The lower part: memory, pipes and flags, cores, breakpoints, output.

use super::app::{LowerPanel, TuiApp};
use super::terminal::{StyledLine, StyledText};
use crate::debug::info::TileInMemory;
use crate::debug::stops::{bytes_of, memory_of};
use crossterm::style::{ContentStyle, Stylize};
use pto::isa::{Loc, text};
use pto::trace::MemoryId;
use std::ops::Range;

pub(super) fn lines(app: &mut TuiApp<'_>, width: usize) -> Vec<StyledLine> {
    match app.panel {
        LowerPanel::Memory => memory(app, width),
        LowerPanel::Pipes => {
            let mut lines = table(&app.session.info_pipes());
            lines.push(StyledLine::default());
            lines.extend(table(&app.session.info_flags()));
            lines
        }
        LowerPanel::Cores => table(&app.session.info_cores()),
        LowerPanel::Stops => table(&app.session.info_stops()),
        LowerPanel::Output => app.output.iter().map(|line| output_line(app, line)).collect(),
    }
}

/// A table whose first line is a title.
fn table(text: &str) -> Vec<StyledLine> {
    let has_title = text.lines().count() > 1;
    (0..)
        .zip(text.lines())
        .map(|(k, line): (usize, &str)| {
            let is_title = k == 0 && has_title;
            let style = if is_title { ContentStyle::new().bold() } else { ContentStyle::new() };
            StyledLine::new(line.to_string(), style)
        })
        .collect()
}

fn output_line(app: &TuiApp<'_>, line: &str) -> StyledLine {
    let style = if line.starts_with("> ") { app.theme.dim() } else { ContentStyle::new() };
    StyledLine::new(line.to_string(), style)
}

/// Bytes of a memory that are drawn as one bar.
struct MemoryBar {
    loc: Loc,
    label: String,
    bytes: Range<i64>,
}

/// A map of every memory that holds tiles, and the tiles.
fn memory(app: &mut TuiApp<'_>, width: usize) -> Vec<StyledLine> {
    let tiles = app.session.placed_tiles();
    if tiles.is_empty() {
        return vec![StyledLine::from(text!("no tile has a place yet"))];
    }
    let bars = bars(app, &tiles);
    let label = bars.iter().map(|b| b.label.chars().count()).max().unwrap_or(0);
    let room = width.saturating_sub(label + 1).max(8);
    let mut lines: Vec<StyledLine> = bars
        .iter()
        .map(|bar| {
            let mut spans = vec![StyledText::plain(format!("{:<label$} ", bar.label))];
            spans.extend(cells(app, bar, &tiles, room));
            StyledLine::from(spans)
        })
        .collect();
    lines.push(legend(app));
    lines.extend(tiles.iter().map(|tile| tile_line(app, tile)));
    lines
}

/// One bar for each memory, and one for tiles without an address, which lie after its end.
fn bars(app: &TuiApp<'_>, tiles: &[TileInMemory]) -> Vec<MemoryBar> {
    let mut bars = Vec::new();
    for loc in Loc::ALL {
        let capacity = app.session.capacity(loc);
        let of_loc = || tiles.iter().filter(|t| t.loc == loc);
        if of_loc().any(|t| t.bytes.start < capacity) {
            let label = format!("{} {}K", loc.memory(), capacity >> 10);
            bars.push(MemoryBar { loc, label, bytes: 0..capacity });
        }
        let outside = || of_loc().filter(|t| t.bytes.start >= capacity);
        if let (Some(first), Some(last)) =
            (outside().map(|t| t.bytes.start).min(), outside().map(|t| t.bytes.end).max())
        {
            let label = text!("{name}, no address", name = loc.memory());
            bars.push(MemoryBar { loc, label, bytes: first..last });
        }
    }
    bars
}

/// The cells of a bar: what the last instruction wrote and read, tiles, and free memory.
fn cells(app: &TuiApp<'_>, bar: &MemoryBar, tiles: &[TileInMemory], room: usize) -> Vec<StyledText> {
    let theme = app.theme;
    let here = MemoryId::Core(app.session.core, bar.loc);
    let last = app.session.last();
    let accesses = last.iter().flat_map(|m| m.accesses.iter().map(|a| (memory_of(m.core, a), a)));
    let touched: Vec<(Range<i64>, bool)> = accesses
        .filter(|(memory, a)| *memory == here && !a.is_work_space())
        .map(|(_, a)| (bytes_of(a), a.write))
        .collect();
    let held: Vec<(Range<i64>, bool)> =
        tiles.iter().filter(|t| t.loc == bar.loc).map(|t| (t.bytes.clone(), t.writer.is_some())).collect();
    let size = bar.bytes.end - bar.bytes.start;
    let byte = |cell: usize| bar.bytes.start + (size as i128 * cell as i128 / room as i128) as i64;
    let state = |cell: usize| {
        let bytes = byte(cell)..byte(cell + 1).max(byte(cell) + 1);
        let has = |list: &[(Range<i64>, bool)], is_write: bool| {
            list.iter().any(|(r, write)| *write == is_write && r.start < bytes.end && bytes.start < r.end)
        };
        if has(&touched, true) {
            ('W', theme.written())
        } else if has(&touched, false) {
            ('R', theme.read())
        } else if has(&held, true) {
            ('▓', theme.held())
        } else if has(&held, false) {
            ('░', theme.dim())
        } else {
            ('·', theme.dim())
        }
    };
    (0..room).map(state).map(|(c, style)| StyledText::new(c.to_string(), style)).collect()
}

fn legend(app: &TuiApp<'_>) -> StyledLine {
    let theme = app.theme;
    let mark = |sign: &'static str, style: ContentStyle, what: &str| {
        [StyledText::new(sign, style), StyledText::plain(format!(" {what}  "))]
    };
    let marks = [
        mark("W", theme.written(), text!("written last")),
        mark("R", theme.read(), text!("read last")),
        mark("▓", theme.held(), text!("holds data")),
        mark("░", theme.dim(), text!("not written yet")),
    ];
    StyledLine::from(marks.concat())
}

fn tile_line(app: &TuiApp<'_>, tile: &TileInMemory) -> StyledLine {
    let theme = app.theme;
    let writer = match tile.writer {
        Some(at) => {
            let line = app.session.recording.moment(at).line;
            text!("written by moment {writer}, line {line}", writer = at, line)
        }
        None => text!("not written yet").to_string(),
    };
    let place = app.session.memory_and_room(tile.loc, tile.bytes.start);
    let bytes = format!("{:#x}:{:#x}", tile.bytes.start, tile.bytes.end);
    StyledLine::from(vec![
        StyledText::new(format!("%{:<12}", tile.name), theme.name()),
        StyledText::plain(format!(" {:<14} {place} {bytes}  ", tile.shape)),
        StyledText::new(writer, theme.dim()),
    ])
}
