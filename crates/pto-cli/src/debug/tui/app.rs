//! The state of the screen.

use super::prompt::Prompt;
use super::theme::Theme;
use crate::debug::command::Reply;
use crate::debug::index::before;
use crate::debug::session::DebugSession;
use pto::cpu::{Access, AddressSpace};
use pto::ir::ValueId;
use pto::isa::{text, text_key};
use pto::trace::Moment;

/// What the arrow keys move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pane {
    Source,
    Values,
    Panel,
}

/// What the lower part shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LowerPanel {
    Memory,
    Pipes,
    Cores,
    Stops,
    Output,
}

impl LowerPanel {
    pub(super) const ALL: [Self; 5] = [Self::Memory, Self::Pipes, Self::Cores, Self::Stops, Self::Output];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Memory => text_key!("memory"),
            Self::Pipes => text_key!("pipes and flags"),
            Self::Cores => text_key!("cores"),
            Self::Stops => text_key!("breakpoints"),
            Self::Output => text_key!("output"),
        }
    }
}

pub(super) struct TuiApp<'r> {
    pub(super) session: DebugSession<'r>,
    pub(super) theme: Theme,
    pub(super) pane: Pane,
    pub(super) panel: LowerPanel,
    /// The line of the program that keys act on, from 1.
    pub(super) cursor: u32,
    /// The first line and column of the program on the screen.
    pub(super) source_top: usize,
    pub(super) source_left: usize,
    /// The value that is shown; `None` for the one that was written last.
    pub(super) chosen: Option<ValueId>,
    pub(super) value_top: usize,
    pub(super) value_left: usize,
    pub(super) is_heat: bool,
    pub(super) panel_top: usize,
    pub(super) output: Vec<String>,
    pub(super) prompt: Prompt,
    pub(super) message: String,
    pub(super) is_error: bool,
    pub(super) has_help: bool,
    pub(super) is_over: bool,
    /// Rows of the pane that the arrow keys move, as drawn last.
    pub(super) page: usize,
}

/// Moments that are looked at to find what was written last.
const FARTHEST: usize = 256;
/// Lines of output that are kept.
const MOST_OUTPUT: usize = 2000;

impl<'r> TuiApp<'r> {
    pub(super) fn new(session: DebugSession<'r>) -> Self {
        let mut app = Self {
            session,
            theme: Theme::of_terminal(),
            pane: Pane::Source,
            panel: LowerPanel::Memory,
            cursor: 1,
            source_top: 0,
            source_left: 0,
            chosen: None,
            value_top: 0,
            value_left: 0,
            is_heat: false,
            panel_top: 0,
            output: Vec::new(),
            prompt: Prompt::default(),
            message: String::new(),
            is_error: false,
            has_help: false,
            is_over: false,
            page: 10,
        };
        app.message = app.session.recording.left_out().unwrap_or_else(|| text!("? shows the keys").to_string());
        if let Some(failure) = app.session.recording.outcome() {
            app.message = text!("the run fails at the end: {message}", message = failure.message);
        }
        app.moved();
        app
    }

    /// Executes a command and shows what it says.
    pub(super) fn execute(&mut self, command: &str) {
        let (position, core) = (self.session.position, self.session.core);
        let reply = self.session.execute(command);
        self.is_error = reply.is_err();
        match reply {
            Ok(Reply::Quit) => self.is_over = true,
            Ok(Reply::Text(text)) | Err(text) => self.say(command, &text),
        }
        if (position, core) != (self.session.position, self.session.core) {
            self.moved();
        }
    }

    /// One line goes below the panes, more into the output.
    fn say(&mut self, command: &str, text: &str) {
        self.output.push(format!("> {command}"));
        self.output.extend(text.lines().map(str::to_string));
        let excess = self.output.len().saturating_sub(MOST_OUTPUT);
        self.output.drain(..excess);
        // What searches say ends with where they stopped, which the panes show.
        self.message = text.lines().next().unwrap_or_default().to_string();
        let verb = command.split_whitespace().next().unwrap_or_default();
        let is_report =
            text.lines().count() > 1 && ["print", "p", "info", "i", "list", "l", "help", "h", "?"].contains(&verb);
        if is_report {
            self.panel = LowerPanel::Output;
            // The end of the output, so that the report starts at the top.
            self.panel_top = self.output.len() - text.lines().count();
        }
    }

    /// After a step, the line that is next is in sight.
    fn moved(&mut self) {
        let line = self.session.pending().or_else(|| self.session.last()).map_or(0, |m| m.line);
        if line > 0 {
            self.cursor = line;
        }
        if self.panel != LowerPanel::Output {
            self.panel_top = 0;
        }
    }

    /// The value to show: the chosen one, or what was written last, or what the next instruction reads.
    pub(super) fn value(&self) -> Option<ValueId> {
        if self.chosen.is_some() {
            return self.chosen;
        }
        let moments = self.session.own_moments();
        let done = &moments[..before(moments, self.session.position)];
        // Flags and barriers touch nothing.
        let written =
            done.iter().rev().take(FARTHEST).find_map(|m| shown_of(&self.session.recording.moment(*m as usize)));
        let next = self.session.pending();
        written.or_else(|| next?.accesses.iter().filter(|a| !a.write).find_map(|a| a.value))
    }

    /// Shows the next or the previous value that has a place here.
    pub(super) fn choose_value(&mut self, forward: bool) {
        let (core, at) = (self.session.core, self.session.at());
        let ids: Vec<ValueId> =
            self.session.recording.values().filter(|v| v.ty.elem().is_some()).map(|v| v.id).collect();
        let known: Vec<ValueId> =
            ids.into_iter().filter(|id| self.session.memory_of_value(core, *id, at).is_some()).collect();
        let now = self.value().and_then(|v| known.iter().position(|id| *id == v));
        let next = match (now, forward) {
            (None, _) => 0,
            (Some(at), true) => (at + 1) % known.len(),
            (Some(at), false) => (at + known.len() - 1) % known.len(),
        };
        self.chosen = known.get(next).copied();
        (self.value_top, self.value_left) = (0, 0);
        if self.chosen.is_none() {
            self.message = text!("no value is known here").to_string();
        }
    }
}

/// The operand of an instruction that is worth a look: a tile that it writes, or one that it stores.
fn shown_of(moment: &Moment<'_>) -> Option<ValueId> {
    let named = || moment.accesses.iter().filter(|a| a.value.is_some() && !a.is_work_space());
    let on_core = |a: &&Access| matches!(a.place, AddressSpace::Core(_));
    let written = named().filter(on_core).find(|a| a.write);
    written.or_else(|| named().find(on_core)).or_else(|| named().next()).and_then(|a| a.value)
}
