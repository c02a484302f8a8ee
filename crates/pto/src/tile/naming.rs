//! Names of variables for tiles: what `#[pto::kernel]` inserts after `let a = Tile::new();`.
//!
//! The attribute sees words, not types. So both traits have the method, and the compiler takes the first that fits: the one for
//! what a kernel has, or else, one reference further away, the one that does nothing.

use super::trace::Handle;

/// A variable that may be a tile.
#[derive(Debug)]
pub struct Variable<'a, T>(pub &'a T);

/// Variables that the text has a name for.
pub trait Named {
    /// Gives the value the name of the variable.
    fn suggest(&self, name: &str);
}

impl<T: Handle> Named for Variable<'_, T> {
    fn suggest(&self, name: &str) {
        super::name(self.0, name);
    }
}

/// All other variables.
pub trait Nameless {
    /// Nothing happens.
    fn suggest(&self, _name: &str) {}
}

impl<T> Nameless for &Variable<'_, T> {}
