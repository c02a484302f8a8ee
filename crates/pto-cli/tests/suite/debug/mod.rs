//! `pto debug` in a terminal: keys are typed, and the screen is looked at.

mod picture;
mod recordings;
mod terminal;

use terminal::Terminal;

const SOFTMAX: &str = "examples/softmax.pto";

fn started(size: (u16, u16)) -> Terminal {
    let mut terminal = Terminal::start(&["debug", SOFTMAX], size, &[]);
    terminal.wait_for("moment 0 of 1536");
    terminal
}

/// The sequence that leaves the second screen of a terminal.
const LEAVES: &[u8] = b"\x1b[?1049l";

fn has_left(terminal: &Terminal) -> bool {
    terminal.bytes.windows(LEAVES.len()).any(|w| w == LEAVES) && !terminal.screen().hide_cursor()
}

#[test]
fn keys_step_forwards_and_backwards() {
    let mut terminal = started((24, 80));
    terminal.wait("the line that is next", |s| s.lines().any(|l| l.contains("▶33") && l.contains("pto.tload")));
    terminal.keys("s");
    terminal.wait_for("moment 1 of 1536");
    terminal.wait_for("%t");
    terminal.keys("ss");
    terminal.wait_for("moment 3 of 1536 │ line 36 │ iteration 0");
    terminal.keys("S");
    terminal.wait_for("moment 2 of 1536");
    terminal.keys("G");
    terminal.wait_for("moment 1536 of 1536 │ finished");
    terminal.keys("F");
    terminal.keys("S");
    terminal.wait_for("moment 1535 of 1536 │ line 38 │ iteration 255");
    terminal.keys("F");
    terminal.wait_for("moment 0 of 1536");
    terminal.keys("q");
    assert_eq!(terminal.end(), Some(0));
    assert!(has_left(&terminal));
}

#[test]
fn breakpoints_watchpoints_and_conditions_stop_it() {
    let mut terminal = started((30, 100));
    // The cursor goes to line 36.
    terminal.keys("\x1b[B\x1b[B\x1b[Bb");
    terminal.wait_for("breakpoint 1 at line 36");
    terminal.wait("a mark", |screen| screen.lines().any(|l| l.contains("● 36")));
    terminal.keys("c");
    terminal.wait_for("moment 3 of 1536");
    terminal.keys("c");
    terminal.wait_for("moment 9 of 1536 │ line 36 │ iteration 1");
    terminal.keys("C");
    terminal.wait_for("moment 3 of 1536");
    terminal.keys("b");
    terminal.wait_for("no breakpoints or watchpoints");
    terminal.keys(":watch %largest\r");
    terminal.wait_for("watchpoint 2: writes to %largest");
    terminal.keys("c");
    terminal.wait_for("watchpoint 2: %largest is written by moment 7");
    terminal.keys(":delete\r");
    terminal.wait_for("no breakpoints");
    terminal.keys("/%t.max() > 3.5\r");
    terminal.wait_for("line 34 │ iteration ");
    // The prompt remembers what was typed.
    terminal.keys(":\x1b[A\x1b[A");
    terminal.wait_for(":delete");
    terminal.keys("\x1b");
    terminal.wait("no prompt", |screen| !screen.contains(":delete"));
    terminal.keys("4");
    terminal.wait_for("no breakpoints or watchpoints");
    terminal.keys("q");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn panes_show_numbers_heat_memory_and_help() {
    let mut terminal = started((24, 80));
    terminal.keys("s");
    terminal.wait_for("1.43542");
    terminal.keys("\t\x1b[B\x1b[C");
    // Scrolled by a row and a column.
    terminal.wait("the next row", |screen| !screen.contains("1.43542") && screen.contains("-1.00058"));
    terminal.keys("h");
    terminal.wait_for("a cell is");
    let coloured = (0..24).flat_map(|row| (0..80).map(move |col| (row, col)));
    let colours: std::collections::BTreeSet<String> = coloured
        .filter_map(|(r, c)| terminal.screen().cell(r, c))
        .map(|cell| format!("{:?}", cell.bgcolor()))
        .collect();
    assert!(colours.len() > 5, "{colours:?}");
    terminal.wait_for("WWWW");
    terminal.keys("s");
    terminal.wait_for("RRRR");
    terminal.keys("2");
    terminal.wait_for("PIPE_MTE2");
    terminal.keys("3");
    terminal.wait_for("* core");
    terminal.keys(":print %t[0:2, 0:3]\r");
    terminal.wait_for("> print %t[0:2, 0:3]");
    terminal.keys(":stpe\r");
    terminal.wait_for("there is no command `stpe`; did you mean `step`?");
    terminal.keys("?");
    terminal.wait_for("step over loops, and back");
    terminal.keys("x");
    terminal.wait("no help", |screen| !screen.contains("step over loops, and back"));
    terminal.resize(40, 120);
    terminal.wait("the larger screen", |screen| screen.lines().count() >= 38);
    terminal.resize(10, 40);
    terminal.wait_for("moment 2 of 1536");
    terminal.keys("\x03");
    assert_eq!(terminal.end(), Some(0));
    assert!(has_left(&terminal));
}

#[test]
fn without_colours_there_are_characters() {
    let mut terminal = Terminal::start(&["debug", SOFTMAX], (24, 80), &[("NO_COLOR", "1")]);
    terminal.wait_for("moment 0 of 1536");
    terminal.keys("sh");
    terminal.wait_for("a cell is");
    let cells = (0..24).flat_map(|row| (0..80).map(move |col| (row, col)));
    let has_colour = |(r, c)| {
        let cell = terminal.screen().cell(r, c).expect("a cell");
        cell.fgcolor() != vt100::Color::Default || cell.bgcolor() != vt100::Color::Default
    };
    assert!(!cells.into_iter().any(has_colour));
    terminal.keys("q");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn a_signal_restores_the_terminal() {
    let mut terminal = started((24, 80));
    let id = terminal.id().to_string();
    let sent = std::process::Command::new("kill").args(["-TERM", &id]).status().expect("kill runs");
    assert!(sent.success());
    assert_eq!(terminal.end(), Some(0));
    assert!(has_left(&terminal));
}

#[test]
fn plain_terminals_are_refused_with_a_hint() {
    let mut terminal = Terminal::start(&["debug", SOFTMAX], (24, 80), &[("TERM", "dumb")]);
    terminal.wait_for("--script FILE");
    assert_eq!(terminal.end(), Some(2));
}

/// Without a terminal, commands come from standard input.
#[test]
fn commands_come_from_standard_input() {
    use std::io::Write;
    let mut command = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"));
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let piped = std::process::Stdio::piped;
    let mut child = command
        .args(["debug", SOFTMAX])
        .current_dir(root)
        .stdin(piped())
        .stdout(piped())
        .stderr(piped())
        .spawn()
        .expect("pto starts");
    child.stdin.take().expect("a pipe").write_all(b"step # once\n\nwhere\nstpe\n").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("> where\nmoment 1 of 1536, softmax.pto:34"), "{}", text(&output.stdout));
    let error = "error: <stdin>:4: there is no command `stpe`; did you mean `step`?\n";
    assert_eq!(text(&output.stderr), error);
}
