//! The debugger on a terminal.
//!
//! [`TuiApp`](app::TuiApp) is the state and what keys do, [`screen`] draws it, [`terminal`] brings it to the terminal. That is restored on
//! every way out: at the end, on errors, on signals, and by a hook on panics.

mod app;
mod heat;
mod keys;
mod panels;
mod prompt;
mod screen;
mod source;
mod terminal;
mod theme;
mod values;

use super::session::DebugSession;
use crate::Failure;
use app::TuiApp;
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use pto::isa::text;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use terminal::ScreenTerminal;

/// How long the debugger waits for a key before it looks for signals.
const PATIENCE: Duration = Duration::from_millis(200);

/// Refuses terminals that cannot place a cursor.
pub(crate) fn is_possible() -> Result<(), Failure> {
    let term = std::env::var("TERM").unwrap_or_default();
    if cfg!(windows) || !matches!(&*term, "" | "dumb" | "unknown") {
        return Ok(());
    }
    Err(Failure(text!(
        "this terminal cannot show the debugger (TERM={term})\n  help: print instead: --command 'until 34' --command 'print %t', or --script FILE",
        term
    )))
}

/// Shows the debugger until the user leaves it.
pub(crate) fn run(mut session: DebugSession<'_>) -> Result<(), Failure> {
    let ended = Arc::new(AtomicBool::new(false));
    end_on_signals(&ended)?;
    session.on_poll(wants_interrupt);
    let mut terminal = ScreenTerminal::start()?;
    show(&mut terminal, TuiApp::new(session), &ended)
}

fn show(terminal: &mut ScreenTerminal, mut app: TuiApp<'_>, ended: &AtomicBool) -> Result<(), Failure> {
    let mut is_changed = true;
    while !app.is_over && !ended.load(Ordering::Relaxed) {
        if is_changed {
            terminal.draw(|grid| screen::draw(&mut app, grid))?;
        }
        is_changed = event::poll(PATIENCE)?;
        if !is_changed {
            continue;
        }
        match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                if app.takes_long(&key) {
                    app.message = text!("searching; Ctrl-C stops it").to_string();
                    terminal.draw(|grid| screen::draw(&mut app, grid))?;
                }
                app.key(key);
            }
            // Others, such as a change of the size, are drawn.
            _ => {}
        }
    }
    Ok(())
}

/// True when the user pressed Ctrl-C or Esc during a search. Other keys are dropped.
fn wants_interrupt() -> bool {
    let mut is_wanted = false;
    while event::poll(Duration::ZERO).unwrap_or(false) {
        if let Ok(Event::Key(key)) = event::read() {
            is_wanted |= is_ctrl_c(&key) || key.code == KeyCode::Esc;
        }
    }
    is_wanted
}

fn is_ctrl_c(key: &KeyEvent) -> bool {
    key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL)
}

/// Signals that end the process set a flag instead, so that the terminal is restored.
#[cfg(unix)]
fn end_on_signals(ended: &Arc<AtomicBool>) -> Result<(), Failure> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(ended))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn end_on_signals(_: &Arc<AtomicBool>) -> Result<(), Failure> {
    Ok(())
}
