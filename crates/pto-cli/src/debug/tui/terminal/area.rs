//! Parts of the screen.

/// A rectangle of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ScreenArea {
    pub(crate) x: u16,
    pub(crate) y: u16,
    pub(crate) width: u16,
    pub(crate) height: u16,
}

impl ScreenArea {
    /// The column after the last.
    pub(crate) fn right(self) -> u16 {
        self.x.saturating_add(self.width)
    }

    /// The row after the last.
    pub(crate) fn bottom(self) -> u16 {
        self.y.saturating_add(self.height)
    }

    /// The first rows, as many as there are, and the others.
    pub(crate) fn split_rows(self, rows: u16) -> (Self, Self) {
        let upper = Self { height: rows.min(self.height), ..self };
        (upper, Self { y: upper.bottom(), height: self.height - upper.height, ..self })
    }

    /// The first columns, as many as there are, and the others.
    pub(crate) fn split_columns(self, columns: u16) -> (Self, Self) {
        let left = Self { width: columns.min(self.width), ..self };
        (left, Self { x: left.right(), width: self.width - left.width, ..self })
    }

    /// What a border leaves.
    pub(crate) fn inside(self) -> Self {
        let (x, y) = ((self.x + 1).min(self.right()), (self.y + 1).min(self.bottom()));
        Self { x, y, width: self.width.saturating_sub(2), height: self.height.saturating_sub(2) }
    }

    /// A smaller one in its middle.
    pub(crate) fn centred(self, width: u16, height: u16) -> Self {
        let (width, height) = (width.min(self.width), height.min(self.height));
        Self { x: self.x + (self.width - width) / 2, y: self.y + (self.height - height) / 2, width, height }
    }
}
