//! Colours, as many as the terminal has.

use crossterm::style::{Color, ContentStyle, Stylize};

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
const FEW: [Color; 5] = [Color::Blue, Color::DarkBlue, Color::Black, Color::DarkRed, Color::Red];

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

    fn colour(self, colour: Color) -> ContentStyle {
        if self.depth == Depth::None { ContentStyle::new() } else { ContentStyle::new().with(colour) }
    }

    pub(super) fn bar(self) -> ContentStyle {
        ContentStyle::new().reverse()
    }

    pub(super) fn title(self, is_focused: bool) -> ContentStyle {
        let style = self.colour(if is_focused { Color::DarkYellow } else { Color::Reset });
        if is_focused { style.bold() } else { style }
    }

    pub(super) fn border(self, is_focused: bool) -> ContentStyle {
        self.colour(if is_focused { Color::DarkYellow } else { Color::DarkGrey })
    }

    pub(super) fn dim(self) -> ContentStyle {
        if self.depth == Depth::None { ContentStyle::new().dim() } else { self.colour(Color::DarkGrey) }
    }

    pub(super) fn name(self) -> ContentStyle {
        self.colour(Color::DarkCyan)
    }

    pub(super) fn operation(self) -> ContentStyle {
        self.colour(Color::DarkYellow)
    }

    pub(super) fn breakpoint(self) -> ContentStyle {
        self.colour(Color::DarkRed).bold()
    }

    pub(super) fn arrow(self) -> ContentStyle {
        self.colour(Color::DarkGreen).bold()
    }

    /// The line that is next.
    pub(super) fn current(self) -> ContentStyle {
        match self.depth {
            Depth::None => ContentStyle::new().bold(),
            Depth::Sixteen => ContentStyle::new().on(Color::DarkBlue),
            Depth::Many => ContentStyle::new().on(Color::AnsiValue(24)),
        }
    }

    pub(super) fn cursor(self) -> ContentStyle {
        ContentStyle::new().underlined()
    }

    pub(super) fn error(self) -> ContentStyle {
        self.colour(Color::DarkRed).bold()
    }

    pub(super) fn written(self) -> ContentStyle {
        self.colour(Color::DarkRed).bold()
    }

    pub(super) fn read(self) -> ContentStyle {
        self.colour(Color::DarkGreen).bold()
    }

    pub(super) fn held(self) -> ContentStyle {
        self.colour(Color::DarkBlue)
    }

    pub(super) fn nan(self) -> ContentStyle {
        self.colour(Color::DarkMagenta).bold()
    }

    pub(super) fn infinite(self) -> ContentStyle {
        self.colour(Color::DarkYellow).bold()
    }

    /// The background for a number from -1 to 1; without colours there is none.
    pub(super) fn heat(self, share: f64) -> ContentStyle {
        let pick = |count: usize| {
            (((share.clamp(-1.0, 1.0) + 1.0) / 2.0 * (count - 1) as f64).round() as usize).min(count - 1)
        };
        match self.depth {
            Depth::None => ContentStyle::new(),
            Depth::Sixteen => ContentStyle::new().on(FEW[pick(FEW.len())]),
            Depth::Many => ContentStyle::new().on(Color::AnsiValue(RAMP[pick(RAMP.len())])),
        }
    }
}
