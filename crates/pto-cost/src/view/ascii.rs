//! A swimlane for the terminal.

use super::{Shown, cores_in_view, used_pipes};
use crate::report::on_path;
use crate::trace::{PIPES, core_name, pipe_name};
use pto_isa::Pipe;
use std::fmt::Write;

const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
/// Cores that fit on a screen.
const CORES: usize = 4;

/// Pipes over time, at the given width; darker means busier, and the last line marks the pipe of the critical path.
pub fn swimlanes(shown: &Shown<'_>, width: usize) -> String {
    let Shown { trace, line, .. } = *shown;
    let several = trace.cores.len() > 1;
    let title = |at: usize| {
        let pipe = pipe_name(Pipe::REAL.get(at % PIPES).copied());
        let core = trace.cores[at / PIPES];
        if several { format!("{} {pipe}", core_name(core, crate::report::blocks(trace) > 1)) } else { pipe.to_string() }
    };
    let list = used_pipes(trace, &cores_in_view(shown, CORES, usize::MAX));
    let names: Vec<String> = list.iter().map(|l| title(*l)).collect();
    let label = names.iter().map(|n| n.len()).max().unwrap_or(0);
    let columns = width.saturating_sub(label + 3).clamp(10, 400);
    let mut cells = vec![vec![0.0f64; columns]; list.len()];
    let scale = columns as f64 / line.cycles.max(1.0);
    let row_of = |pipe: u32| list.iter().position(|p| *p == pipe as usize);
    for (at, item) in trace.items.iter().enumerate() {
        if let Some(row) = row_of(item.pipe) {
            fill(&mut cells[row], line.start[at] * scale, line.end[at] * scale);
        }
    }
    let mut marks = vec![' '; columns];
    for item in on_path(trace, line) {
        let at = item as usize;
        if let Some(row) = row_of(trace.items[at].pipe) {
            let (from, to) = (line.start[at] * scale, line.end[at] * scale);
            let letter = char::from(b'a' + (row % 26) as u8);
            (from as usize..=(to as usize).min(columns - 1)).filter(|_| to > from).for_each(|c| marks[c] = letter);
        }
    }
    let mut text = String::new();
    for (row, name) in names.iter().enumerate() {
        let bar: String = cells[row].iter().map(|x| SHADES[((x * 4.0).ceil() as usize).min(4)]).collect();
        let _ = writeln!(text, "{} {name:label$} {bar}", char::from(b'a' + (row % 26) as u8));
    }
    let path: String = marks.into_iter().collect();
    let _ = writeln!(text, "  {:label$} {}", "path", path.trim_end());
    let end = format!("{:.0}", line.cycles);
    let _ = writeln!(text, "  {:label$} 0{end:>rest$}", "cycles", rest = columns - 1);
    let hidden = trace.cores.len().saturating_sub(CORES);
    if hidden > 0 {
        let _ = writeln!(text, "  ({hidden} more cores)");
    }
    text
}

/// Adds a stretch of time to the columns it covers.
fn fill(cells: &mut [f64], from: f64, to: f64) {
    let mut at = from;
    while at < to {
        let column = at as usize;
        let end = (column as f64 + 1.0).min(to);
        if let Some(cell) = cells.get_mut(column) {
            *cell += end - at;
        }
        at = end.max(at + 1e-9);
    }
}
