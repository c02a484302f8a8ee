//! The picture of the debugger in the documents is what a terminal shows. `BLESS=1` draws it again.

use super::terminal::Terminal;
use std::fmt::Write;
use std::path::Path;
use vt100::Color;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// Sizes in pixels.
const CHARACTER: f64 = 8.0;
const LINE: f64 = 18.0;
const MARGIN: f64 = 14.0;
const BACKGROUND: &str = "#0d1117";
const PLAIN: &str = "#c9d1d9";

/// Text of one style in a row.
struct StyledRun {
    column: usize,
    text: String,
    colour: String,
    background: Option<String>,
    is_bold: bool,
}

fn colour(colour: Color) -> Option<String> {
    const BASIC: [&str; 16] = [
        "#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4", "#6e7681", "#ffa198",
        "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff",
    ];
    match colour {
        Color::Default => None,
        Color::Idx(index @ 0..=15) => Some(BASIC[usize::from(index)].to_string()),
        Color::Idx(index @ 16..=231) => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * u32::from(n) };
            let (r, g, b) = ((index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6);
            Some(format!("#{:02x}{:02x}{:02x}", level(r), level(g), level(b)))
        }
        Color::Idx(index) => {
            let grey = 8 + 10 * u32::from(index - 232);
            Some(format!("#{grey:02x}{grey:02x}{grey:02x}"))
        }
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
    }
}

fn runs(screen: &vt100::Screen, row: u16) -> Vec<StyledRun> {
    let mut runs: Vec<StyledRun> = Vec::new();
    for column in 0..screen.size().1.get() {
        let Some(cell) = screen.cell(row, column).filter(|c| !c.is_wide_continuation()) else { continue };
        let text = if cell.has_contents() { cell.contents() } else { " " };
        let (mut front, mut back) = (colour(cell.fgcolor()), colour(cell.bgcolor()));
        if cell.inverse() {
            (front, back) = (back.or(Some(BACKGROUND.into())), front.or(Some(PLAIN.into())));
        }
        let colour = front.unwrap_or_else(|| PLAIN.to_string());
        match runs.last_mut() {
            Some(last) if (&last.colour, &last.background, last.is_bold) == (&colour, &back, cell.bold()) => {
                last.text += text;
            }
            _ => runs.push(StyledRun {
                column: column.into(),
                text: text.to_string(),
                colour,
                background: back,
                is_bold: cell.bold(),
            }),
        }
    }
    runs
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace(' ', "&#160;")
}

/// A screen as a picture.
fn picture(screen: &vt100::Screen) -> String {
    let (rows, columns) = (screen.size().0.get(), screen.size().1.get());
    let (width, height) = (f64::from(columns) * CHARACTER + 2.0 * MARGIN, f64::from(rows) * LINE + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n\
         <g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, monospace\" font-size=\"13.3\">\n"
    );
    for row in 0..rows {
        let y = MARGIN + f64::from(row) * LINE;
        for run in runs(screen, row) {
            let (x, length) = (MARGIN + run.column as f64 * CHARACTER, run.text.chars().count() as f64 * CHARACTER);
            if let Some(background) = &run.background {
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{length:.0}\" height=\"{LINE:.0}\" fill=\"{background}\"/>"
                );
            }
            if run.text.trim().is_empty() {
                continue;
            }
            let bold = if run.is_bold { " font-weight=\"bold\"" } else { "" };
            let _ = writeln!(
                svg,
                "<text x=\"{x:.0}\" y=\"{:.0}\" fill=\"{}\"{bold} textLength=\"{length:.0}\">{}</text>",
                y + 13.0,
                run.colour,
                escaped(&run.text)
            );
        }
    }
    svg + "</g>\n</svg>\n"
}

fn check(terminal: &mut Terminal, name: &str) {
    terminal.settle();
    let (drawn, path) = (picture(terminal.screen()), Path::new(ROOT).join("docs/images").join(name));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &drawn).expect("it can be written");
    }
    let shown = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(shown == drawn, "docs/images/{name} is not what `pto debug` shows; BLESS=1 draws it again");
}

#[test]
fn the_pictures_of_the_debugger_are_what_a_terminal_shows() {
    let mut terminal = Terminal::start(&["debug", "examples/softmax.pto"], (30, 110), &[]);
    terminal.wait_for("moment 0 of 1536");
    terminal.keys("\x1b[B\x1b[B\x1b[B\x1b[Bb");
    terminal.wait_for("breakpoint 1 at line 37");
    terminal.keys("cc");
    terminal.wait_for("moment 10 of 1536");
    terminal.keys("v");
    terminal.wait_for("%xs");
    terminal.keys("a");
    terminal.wait_for("↻ %total");
    check(&mut terminal, "debug.svg");
    let mut terminal = Terminal::start(&["debug", "examples/matmul_manual.pto"], (30, 110), &[]);
    terminal.wait_for("moment 0 of 12");
    terminal.keys("2h:until 39\r");
    terminal.wait_for("moment 10 of 12");
    terminal.wait_for("a cell is");
    terminal.wait_for("PIPE_M → PIPE_FIX 0");
    check(&mut terminal, "debug_heat.svg");
    terminal.keys("q");
    assert_eq!(terminal.end(), Some(0));
}
