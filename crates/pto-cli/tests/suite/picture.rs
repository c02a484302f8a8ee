//! The picture of the README is what a terminal shows. `BLESS=1` draws it again.

use std::fmt::Write;
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const COMMAND: [&str; 4] = ["race", "docs/guide/scale.pto", "--color", "always"];
/// Sizes in pixels.
const CHARACTER: f64 = 8.0;
const LINE: usize = 19;
const MARGIN: usize = 18;

/// Text of one style.
struct Run {
    text: String,
    is_bold: bool,
    colour: &'static str,
}

/// Splits a line with control sequences for colours.
fn runs(line: &str) -> Vec<Run> {
    let (mut runs, mut is_bold, mut colour) = (Vec::new(), false, PLAIN);
    for (at, piece) in line.split("\u{1b}[").enumerate() {
        let (codes, text) = if at == 0 { ("", piece) } else { piece.split_once('m').expect("a whole sequence") };
        for code in codes.split(';').filter(|c| !c.is_empty()) {
            match code {
                "0" => (is_bold, colour) = (false, PLAIN),
                "1" => is_bold = true,
                "31" | "91" => colour = "#ff7b72",
                "33" | "93" => colour = "#e3b341",
                "32" | "92" => colour = "#7ee787",
                "34" | "94" => colour = "#79c0ff",
                "36" | "96" => colour = "#76e3ea",
                other => panic!("no colour for {other}"),
            }
        }
        if !text.is_empty() {
            runs.push(Run { text: text.to_string(), is_bold, colour });
        }
    }
    runs
}

const PLAIN: &str = "#c9d1d9";

/// Ordinary spaces at the start would be dropped.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace(' ', "&#160;")
}

/// A terminal as a picture.
fn picture(lines: &[&str]) -> String {
    let parsed: Vec<Vec<Run>> = lines.iter().map(|l| runs(l)).collect();
    let length = |runs: &Vec<Run>| runs.iter().map(|r| r.text.chars().count()).sum::<usize>();
    let widest = parsed.iter().map(length).max().unwrap_or(0);
    let (width, height) = (widest as f64 * CHARACTER + 2.0 * MARGIN as f64, lines.len() * LINE + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height}\" viewBox=\"0 0 {width:.0} {height}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n\
         <g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, monospace\" font-size=\"13.3\">\n"
    );
    for (at, line) in parsed.iter().enumerate() {
        let (y, mut column) = (MARGIN + at * LINE + 14, 0);
        for run in line {
            let (x, count) = (MARGIN as f64 + column as f64 * CHARACTER, run.text.chars().count());
            let bold = if run.is_bold { " font-weight=\"bold\"" } else { "" };
            // The length keeps columns in line with any font.
            let _ = writeln!(
                svg,
                "<text x=\"{x:.0}\" y=\"{y}\" fill=\"{}\"{bold} textLength=\"{:.0}\">{}</text>",
                run.colour,
                count as f64 * CHARACTER,
                escaped(&run.text)
            );
            column += count;
        }
    }
    svg + "</g>\n</svg>\n"
}

#[test]
fn the_picture_of_the_readme_is_what_a_terminal_shows() {
    let mut command = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"));
    let output = command.args(COMMAND).current_dir(ROOT).env("COLUMNS", "120").output().expect("it runs");
    let text = String::from_utf8(output.stderr).expect("text") + &String::from_utf8(output.stdout).expect("text");
    let prompt = format!("$ pto {}", COMMAND[..2].join(" "));
    let lines: Vec<&str> = std::iter::once(prompt.as_str()).chain(text.trim_end().lines()).collect();
    let (drawn, path) = (picture(&lines), Path::new(ROOT).join("docs/images/race.svg"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &drawn).expect("it can be written");
    }
    let shown = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(shown == drawn, "docs/images/race.svg is not what `pto race` shows; BLESS=1 draws it again");
}
