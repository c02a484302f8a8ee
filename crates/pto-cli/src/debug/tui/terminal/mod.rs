//! The screen of a terminal.
//!
//! A [`ScreenTerminal`] takes over the terminal until it is dropped: no line is edited, keys are not shown, and what was there before
//! comes back at the end. Each time a whole [`ScreenGrid`] is filled; what differs from the one before is sent, in one piece.

mod area;
mod grid;
mod styled;

pub(super) use area::ScreenArea;
pub(super) use grid::ScreenGrid;
pub(super) use styled::{StyledLine, StyledText};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::style::{Colors, Print, ResetColor, SetAttributes, SetColors};
use crossterm::terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{execute, queue};
use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rows and columns that are used at most: some terminals have no size and say anything.
const LARGEST: u16 = 1000;

/// True while the terminal is not as it was found.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal, and what it shows.
pub(super) struct ScreenTerminal {
    output: BufWriter<Stdout>,
    shown: ScreenGrid,
}

impl ScreenTerminal {
    /// Takes over the terminal.
    pub(super) fn start() -> io::Result<Self> {
        restore_on_panic();
        terminal::enable_raw_mode()?;
        IS_TAKEN.store(true, Ordering::Relaxed);
        // From here on, dropping it restores the terminal.
        let mut this = Self { output: BufWriter::new(stdout()), shown: ScreenGrid::new(0, 0) };
        execute!(this.output, EnterAlternateScreen)?;
        Ok(this)
    }

    /// Shows what `fill` makes of a blank screen.
    pub(super) fn draw(&mut self, fill: impl FnOnce(&mut ScreenGrid)) -> io::Result<()> {
        let (width, height) = terminal::size()?;
        let mut next = ScreenGrid::new(width.min(LARGEST), height.min(LARGEST));
        fill(&mut next);
        queue!(self.output, Hide)?;
        if next.area() != self.shown.area() {
            self.shown = ScreenGrid::new(next.area().width, next.area().height);
            queue!(self.output, ResetColor, Clear(ClearType::All))?;
        }
        self.send(&next)?;
        if let Some((x, y)) = next.cursor {
            queue!(self.output, MoveTo(x, y), Show)?;
        }
        self.shown = next;
        self.output.flush()
    }

    /// Sends the cells that have changed.
    fn send(&mut self, next: &ScreenGrid) -> io::Result<()> {
        let (mut style, mut last) = (Default::default(), None);
        for (x, y, cell) in next.changes(&self.shown) {
            if last.is_none_or(|(before, row): (u16, u16)| (before + 1, row) != (x, y)) {
                queue!(self.output, MoveTo(x, y))?;
            }
            last = Some((x, y));
            if cell.style != style {
                style = cell.style;
                let colours = Colors { foreground: style.foreground_color, background: style.background_color };
                queue!(self.output, ResetColor, SetColors(colours), SetAttributes(style.attributes))?;
            }
            queue!(self.output, Print(&cell.text))?;
        }
        queue!(self.output, ResetColor)
    }
}

impl Drop for ScreenTerminal {
    fn drop(&mut self) {
        // If it fails, the terminal is gone.
        let _ = self.output.flush();
        let _ = restore();
    }
}

/// Gives the terminal back as it was found.
fn restore() -> io::Result<()> {
    if !IS_TAKEN.swap(false, Ordering::Relaxed) {
        return Ok(());
    }
    let raw = terminal::disable_raw_mode();
    execute!(stdout(), ResetColor, LeaveAlternateScreen, Show)?;
    raw
}

/// What a panic says is shown on the terminal as it was, and not on a screen that goes away.
fn restore_on_panic() {
    static IS_INSTALLED: Once = Once::new();
    IS_INSTALLED.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let _ = restore();
            report(panic);
        }));
    });
}
