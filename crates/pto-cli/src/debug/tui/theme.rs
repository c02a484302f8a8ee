//! Colours, as many as the terminal has.

use ratatui::style::{Color, Modifier, Style};

/// How many colours there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Depth {
    None,
    Sixteen,
    Many,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Theme {
    pub(super) depth: Depth,
}

/// Colours of the 256 from blue over dark grey to red, for numbers from -1 to 1.
const RAMP: [u8; 15] = [27, 33, 39, 31, 24, 23, 236, 235, 237, 52, 88, 124, 160, 196, 203];
const FEW: [Color; 5] = [Color::LightBlue, Color::Blue, Color::Black, Color::Red, Color::LightRed];

impl Theme {
    pub(super) fn of_terminal() -> Self {
        let set = |name: &str| std::env::var(name).is_ok_and(|value| !value.is_empty());
        let term = std::env::var("TERM").unwrap_or_default();
        let depth = match anstream::ColorChoice::global() {
            anstream::ColorChoice::Never => Depth::None,
            anstream::ColorChoice::Auto if set("NO_COLOR") => Depth::None,
            _ if term.contains("256color") || set("COLORTERM") => Depth::Many,
            _ => Depth::Sixteen,
        };
        Self { depth }
    }

    fn colour(self, colour: Color) -> Style {
        if self.depth == Depth::None { Style::new() } else { Style::new().fg(colour) }
    }

    pub(super) fn bar(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub(super) fn title(self, is_focused: bool) -> Style {
        let style = self.colour(if is_focused { Color::Yellow } else { Color::Reset });
        if is_focused { style.add_modifier(Modifier::BOLD) } else { style }
    }

    pub(super) fn border(self, is_focused: bool) -> Style {
        self.colour(if is_focused { Color::Yellow } else { Color::DarkGray })
    }

    pub(super) fn dim(self) -> Style {
        self.colour(Color::DarkGray).add_modifier(if self.depth == Depth::None {
            Modifier::DIM
        } else {
            Modifier::empty()
        })
    }

    pub(super) fn name(self) -> Style {
        self.colour(Color::Cyan)
    }

    pub(super) fn operation(self) -> Style {
        self.colour(Color::Yellow)
    }

    pub(super) fn breakpoint(self) -> Style {
        self.colour(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(super) fn arrow(self) -> Style {
        self.colour(Color::Green).add_modifier(Modifier::BOLD)
    }

    /// The line that is next.
    pub(super) fn current(self) -> Style {
        match self.depth {
            Depth::None => Style::new().add_modifier(Modifier::BOLD),
            Depth::Sixteen => Style::new().bg(Color::Blue),
            Depth::Many => Style::new().bg(Color::Indexed(24)),
        }
    }

    pub(super) fn cursor(self) -> Style {
        Style::new().add_modifier(Modifier::UNDERLINED)
    }

    pub(super) fn error(self) -> Style {
        self.colour(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(super) fn written(self) -> Style {
        self.colour(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(super) fn read(self) -> Style {
        self.colour(Color::Green).add_modifier(Modifier::BOLD)
    }

    pub(super) fn held(self) -> Style {
        self.colour(Color::Blue)
    }

    pub(super) fn nan(self) -> Style {
        self.colour(Color::Magenta).add_modifier(Modifier::BOLD)
    }

    pub(super) fn infinite(self) -> Style {
        self.colour(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    /// The background for a number from -1 to 1; without colours there is none.
    pub(super) fn heat(self, share: f64) -> Style {
        let pick = |count: usize| {
            (((share.clamp(-1.0, 1.0) + 1.0) / 2.0 * (count - 1) as f64).round() as usize).min(count - 1)
        };
        match self.depth {
            Depth::None => Style::new(),
            Depth::Sixteen => Style::new().bg(FEW[pick(FEW.len())]),
            Depth::Many => Style::new().bg(Color::Indexed(RAMP[pick(RAMP.len())])),
        }
    }
}
