//! What keys do.

use super::app::{LowerPanel, Pane, TuiApp};
use super::is_ctrl_c;
use super::prompt::PromptKey;
use crate::debug::stops::StopOn;
use crossterm::event::{KeyCode, KeyEvent};
use pto::isa::{text, text_key};

/// Keys and what they do, for the help.
pub(super) const KEYS: [(&str, &str); 18] = [
    ("s  S", text_key!("step, step back")),
    ("n  N", text_key!("step over loops, and back")),
    ("f  F", text_key!("to the end of the loop, to its start")),
    ("c  C", text_key!("continue, and backwards")),
    ("u  U", text_key!("run to the line of the cursor, and back")),
    ("g  G", text_key!("to the start, to the end")),
    ("b", text_key!("set or delete a breakpoint at the cursor")),
    ("w", text_key!("watch the value that is shown")),
    ("v  V", text_key!("next value, previous value")),
    ("a", text_key!("show what was written last")),
    ("h", text_key!("numbers or heat map")),
    ("1-5", text_key!("memory, pipes, cores, breakpoints, output")),
    ("[  ]", text_key!("previous core, next core")),
    ("Tab", text_key!("choose what the arrow keys move")),
    ("arrows", text_key!("move; also PgUp, PgDn, Home, End")),
    (":", text_key!("type a command; `:help` lists them")),
    ("/", text_key!("run until a condition holds")),
    ("q", text_key!("quit; also Ctrl-C")),
];

impl TuiApp<'_> {
    /// True for keys that may start a search.
    pub(super) fn takes_long(&self, key: &KeyEvent) -> bool {
        match self.prompt.text() {
            Some(_) => key.code == KeyCode::Enter,
            None => matches!(key.code, KeyCode::Char('c' | 'C')) && !self.session.stops.is_empty(),
        }
    }

    pub(super) fn key(&mut self, key: KeyEvent) {
        if self.prompt.is_open() {
            self.message.clear();
            if let PromptKey::Entered(command) = self.prompt.key(key)
                && !command.is_empty()
            {
                self.execute(&command);
            }
            return;
        }
        if is_ctrl_c(&key) {
            self.is_over = true;
            return;
        }
        if std::mem::take(&mut self.has_help) {
            return;
        }
        self.is_error = false;
        match key.code {
            KeyCode::Char(c) => self.character(c),
            KeyCode::Tab => {
                self.pane = match self.pane {
                    Pane::Source => Pane::Values,
                    Pane::Values => Pane::Panel,
                    Pane::Panel => Pane::Source,
                };
            }
            KeyCode::Enter => self.execute("step"),
            KeyCode::Up => self.scroll(-1, 0),
            KeyCode::Down => self.scroll(1, 0),
            KeyCode::PageUp => self.scroll(-(self.page as isize), 0),
            KeyCode::PageDown => self.scroll(self.page as isize, 0),
            KeyCode::Left => self.scroll(0, -1),
            KeyCode::Right => self.scroll(0, 1),
            KeyCode::Home => self.scroll(isize::MIN / 2, isize::MIN / 2),
            KeyCode::End => self.scroll(isize::MAX / 2, 0),
            _ => {}
        }
    }

    fn character(&mut self, c: char) {
        match c {
            's' => self.execute("step"),
            'S' => self.execute("back"),
            'n' => self.execute("next"),
            'N' => self.execute("reverse-next"),
            'f' => self.execute("finish"),
            'F' => self.execute("reverse-finish"),
            'c' => self.execute("continue"),
            'C' => self.execute("reverse-continue"),
            'u' => self.execute(&format!("until {}", self.cursor)),
            'U' => self.execute(&format!("reverse-until {}", self.cursor)),
            'g' => self.execute("goto start"),
            'G' => self.execute("goto end"),
            'b' => self.toggle_breakpoint(),
            'w' => self.watch_shown(),
            'v' => self.choose_value(true),
            'V' => self.choose_value(false),
            'a' => {
                self.chosen = None;
                (self.value_top, self.value_left) = (0, 0);
            }
            'h' => self.is_heat = !self.is_heat,
            '1'..='5' => {
                self.panel = LowerPanel::ALL[c as usize - '1' as usize];
                self.panel_top = 0;
            }
            '[' => self.choose_core(false),
            ']' => self.choose_core(true),
            ':' => self.prompt.open(""),
            '/' => self.prompt.open("until "),
            '?' => self.has_help = true,
            'q' => self.is_over = true,
            _ => self.message = text!("? shows the keys").to_string(),
        }
    }

    fn toggle_breakpoint(&mut self) {
        let executed = self.session.index.executed_line(self.cursor);
        let is_here = |on: &StopOn| matches!(on, StopOn::Line { line, .. } if Some(*line) == executed);
        let found = self.session.stops.iter().find(|s| is_here(&s.on)).map(|s| s.number);
        match found {
            Some(number) => self.execute(&format!("delete {number}")),
            None => self.execute(&format!("break {}", self.cursor)),
        }
    }

    fn watch_shown(&mut self) {
        match self.value().map(|v| self.session.recording.module().value_name(v)).filter(|n| !n.is_empty()) {
            Some(name) => self.execute(&format!("watch %{name}")),
            None => self.message = text!("no value is shown").to_string(),
        }
    }

    fn choose_core(&mut self, forward: bool) {
        let cores = self.session.recording.cores();
        if let Some(at) = cores.iter().position(|c| *c == self.session.core) {
            let next = if forward { at + 1 } else { at + cores.len() - 1 };
            self.session.core = cores[next % cores.len()];
            self.message = self.session.here();
            self.cursor = self.session.pending().map_or(self.cursor, |m| m.line.max(1));
        }
    }

    /// Moves what the arrow keys move.
    fn scroll(&mut self, rows: isize, columns: isize) {
        let moved = |now: usize, by: isize| now.saturating_add_signed(by);
        match self.pane {
            Pane::Source => {
                let last = self.session.lines.len().max(1);
                self.cursor = moved(self.cursor as usize, rows).clamp(1, last) as u32;
                self.source_left = moved(self.source_left, columns * 8).min(1000);
            }
            Pane::Values => {
                self.value_top = moved(self.value_top, rows);
                self.value_left = moved(self.value_left, columns);
            }
            Pane::Panel => self.panel_top = moved(self.panel_top, rows),
        }
    }
}
