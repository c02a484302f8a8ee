//! Maps and sets in the order of their keys.
//!
//! They do what `BTreeMap` and `BTreeSet` do. Those are compiled again for every pair of types, some ten thousand lines of code each, and
//! were two fifths of what the compiler had to optimise in some crates. Here a map is a sorted list as long as it is short, which most
//! are, and a list of sorted lists when it grows, so little is compiled for each type.
//!
//! ```
//! use pto_isa::ordered::{OrdMap, OrdSet};
//! let mut lines: OrdMap<&str, OrdSet<u32>> = OrdMap::new();
//! lines.entry("tmax").or_default().insert(7);
//! lines.entry("tmax").or_default().insert(3);
//! lines.entry("tcmps").or_default().insert(5);
//! assert_eq!(lines.keys().copied().collect::<Vec<_>>(), ["tcmps", "tmax"]);
//! assert_eq!(lines["tmax"].iter().copied().collect::<Vec<_>>(), [3, 7]);
//! ```

mod iter;
mod map;
mod set;

pub use iter::{OrdIntoIter, OrdIter, OrdIterMut};
pub use map::{OrdEntry, OrdMap};
pub use set::OrdSet;

#[cfg(test)]
mod tests;
