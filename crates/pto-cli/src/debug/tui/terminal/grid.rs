//! What a screen shows: a character and a style for each cell.
//!
//! A wide character has two cells; the second one is empty. If one of them is overwritten, the other becomes blank, as on a terminal.

use super::area::ScreenArea;
use super::styled::{StyledLine, patched};
use crossterm::style::ContentStyle;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A character with all that is drawn over it; empty for the second half of a wide one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ScreenCell {
    pub(super) text: String,
    pub(super) style: ContentStyle,
}

impl ScreenCell {
    fn blank() -> Self {
        Self { text: " ".into(), style: ContentStyle::new() }
    }
}

/// The cells of a screen, row by row.
pub(crate) struct ScreenGrid {
    area: ScreenArea,
    cells: Vec<ScreenCell>,
    /// Where the cursor is; hidden if nowhere.
    pub(crate) cursor: Option<(u16, u16)>,
}

impl ScreenGrid {
    pub(super) fn new(width: u16, height: u16) -> Self {
        let cells = vec![ScreenCell::blank(); usize::from(width) * usize::from(height)];
        Self { area: ScreenArea { width, height, ..ScreenArea::default() }, cells, cursor: None }
    }

    pub(crate) fn area(&self) -> ScreenArea {
        self.area
    }

    fn at(&mut self, x: u16, y: u16) -> Option<&mut ScreenCell> {
        let index = usize::from(y) * usize::from(self.area.width) + usize::from(x);
        self.cells.get_mut(index).filter(|_| x < self.area.width)
    }

    /// Cells that are not as in another grid of the same size, and where they are. Second halves come with the first.
    pub(super) fn changes<'g>(&'g self, shown: &'g Self) -> impl Iterator<Item = (u16, u16, &'g ScreenCell)> {
        let width = usize::from(self.area.width);
        let changed = self.cells.iter().zip(&shown.cells).enumerate().filter(|(_, (cell, old))| cell != old);
        let drawn = changed.filter(|(_, (cell, _))| !cell.text.is_empty());
        drawn.map(move |(n, (cell, _))| ((n % width) as u16, (n / width) as u16, cell))
    }

    /// Makes an area blank.
    pub(crate) fn clear(&mut self, area: ScreenArea) {
        for y in area.y..area.bottom() {
            self.separate(area.x, y);
            self.separate(area.right(), y);
        }
        self.each(area, |cell| *cell = ScreenCell::blank());
    }

    fn each(&mut self, area: ScreenArea, change: impl Fn(&mut ScreenCell)) {
        for (x, y) in (area.y..area.bottom()).flat_map(|y| (area.x..area.right()).map(move |x| (x, y))) {
            self.at(x, y).into_iter().for_each(&change);
        }
    }

    /// If a wide character lies across the start of a cell, blanks are there instead.
    fn separate(&mut self, x: u16, y: u16) {
        let Some(left) = x.checked_sub(1).filter(|_| self.at(x, y).is_some_and(|cell| cell.text.is_empty())) else {
            return;
        };
        for half in [left, x] {
            self.at(half, y).into_iter().for_each(|cell| cell.text = " ".into());
        }
    }

    /// Writes one character, with what is drawn over it.
    fn set(&mut self, (x, y): (u16, u16), text: &str, style: ContentStyle) {
        let width = text.width() as u16;
        self.separate(x, y);
        self.separate(x + width, y);
        for k in 0..width {
            if let Some(cell) = self.at(x + k, y) {
                cell.text = if k == 0 { text.into() } else { String::new() };
                cell.style = patched(cell.style, style);
            }
        }
    }

    /// Writes lines one below the other; what has no room is left out.
    pub(crate) fn write(&mut self, area: ScreenArea, lines: &[StyledLine]) {
        for (y, line) in (area.y..area.bottom()).zip(lines) {
            self.write_line(area, y, line);
        }
    }

    /// Writes a line whose style goes on to the end of the area.
    pub(crate) fn write_bar(&mut self, area: ScreenArea, line: &StyledLine) {
        self.each(area, |cell| cell.style = patched(cell.style, line.style));
        self.write(area, std::slice::from_ref(line));
    }

    fn write_line(&mut self, area: ScreenArea, y: u16, line: &StyledLine) {
        let mut x = area.x;
        for part in &line.texts {
            let style = patched(line.style, part.style);
            for character in Characters(&part.text) {
                let next = x.saturating_add(character.width() as u16);
                if next > area.right() {
                    return;
                }
                self.set((x, y), character, style);
                x = next;
            }
        }
    }

    /// Draws a border with a title into it.
    pub(crate) fn frame(&mut self, area: ScreenArea, title: &StyledLine, border: ContentStyle) {
        if area.width == 0 || area.height == 0 {
            return;
        }
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        for x in area.x + 1..right {
            self.set((x, area.y), "─", border);
            self.set((x, bottom), "─", border);
        }
        for y in area.y + 1..bottom {
            self.set((area.x, y), "│", border);
            self.set((right, y), "│", border);
        }
        // Where there is one column or row only, the first ones stay.
        let (lower, upper) =
            ([(right, bottom, "┘"), (area.x, bottom, "└")], [(right, area.y, "┐"), (area.x, area.y, "┌")]);
        for (x, y, corner) in lower.into_iter().chain(upper) {
            self.set((x, y), corner, border);
        }
        self.write_line(ScreenArea { x: area.x + 1, width: area.width.saturating_sub(2), ..area }, area.y, title);
    }
}

/// Characters of a text, each with the marks, joiners and modifiers that change it without taking more room. Control characters, which a
/// terminal would obey, are left out, and marks without a character.
struct Characters<'t>(&'t str);

impl<'t> Iterator for Characters<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let start = self.0.find(|c: char| c.width().is_some_and(|width| width > 0))?;
        let rest = &self.0[start..];
        let mut end = 0;
        for c in rest.chars() {
            let longer = &rest[..end + c.len_utf8()];
            let joins = || rest[..end].ends_with('\u{200d}') || ('\u{1f3fb}'..='\u{1f3ff}').contains(&c);
            let is_part = match c.width() {
                None => false,
                Some(0) => true,
                Some(_) => end == 0 || joins() && longer.width() <= rest[..end].width(),
            };
            if !is_part {
                break;
            }
            end = longer.len();
        }
        let (character, after) = rest.split_at(end);
        self.0 = after;
        Some(character)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(grid: &ScreenGrid) -> Vec<String> {
        grid.cells.chunks(usize::from(grid.area.width)).map(|row| row.iter().map(|c| &*c.text).collect()).collect()
    }

    fn written(width: u16, texts: &[&str]) -> ScreenGrid {
        let mut grid = ScreenGrid::new(width, 1);
        for text in texts {
            grid.write(grid.area(), &[StyledLine::from(*text)]);
        }
        grid
    }

    #[test]
    fn characters_have_their_widths() {
        let characters = |text| Characters(text).collect::<Vec<_>>();
        assert_eq!(characters("ae\u{301}磁b"), ["a", "e\u{301}", "磁", "b"]);
        assert_eq!(characters("\u{301}a\x1b[31m\tb\n"), ["a", "[", "3", "1", "m", "b"]);
        assert_eq!(characters("👩\u{200d}💻x👍🏽🏽y"), ["👩\u{200d}💻", "x", "👍🏽", "🏽", "y"]);
        assert_eq!(written(5, &["磁带机"]).cells[3].text, "");
        assert_eq!(texts(&written(5, &["磁带机"])), ["磁带 "]);
        assert!(written(0, &["磁"]).cells.is_empty());
    }

    #[test]
    fn halves_of_wide_characters_do_not_stay() {
        assert_eq!(texts(&written(6, &["磁带机", "a"])), ["a 带机"]);
        assert_eq!(texts(&written(6, &["磁带机", "a带"])), ["a带 机"]);
        let mut grid = written(6, &["磁带机"]);
        grid.clear(ScreenArea { x: 1, y: 0, width: 2, height: 1 });
        assert_eq!(texts(&grid), ["    机"]);
    }

    #[test]
    fn only_changes_are_drawn() {
        let (old, new) = (written(6, &["a磁b"]), written(6, &["a带b"]));
        let changes: Vec<_> = new.changes(&old).map(|(x, y, cell)| (x, y, &*cell.text)).collect();
        assert_eq!(changes, [(1, 0, "带")]);
        assert_eq!(old.changes(&old).count(), 0);
        let narrow = written(6, &["axyb"]);
        assert_eq!(narrow.changes(&old).map(|c| c.0).collect::<Vec<_>>(), [1, 2]);
    }
}
