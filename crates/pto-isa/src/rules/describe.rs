//! Rules as text, and what they talk about.

use super::Rule;
use crate::{DType, Loc};

impl Rule {
    /// The rule as a line of documentation.
    pub fn describe(&self) -> String {
        let list = |slots: &[&str]| slots.join(", ");
        match *self {
            Self::SameValid(s) => format!("{}: same valid rows and columns", list(s)),
            Self::SameValidRows(s) => format!("{}: same valid rows", list(s)),
            Self::SameValidCols(s) => format!("{}: same valid columns", list(s)),
            Self::SameShape(s) => format!("{}: same rows and columns", list(s)),
            Self::ValidRows(s, n) => format!("{s}: {n} valid row{}", if n == 1 { "" } else { "s" }),
            Self::ValidCols(s, n) => format!("{s}: {n} valid column{}", if n == 1 { "" } else { "s" }),
            Self::NonEmpty(s) => format!("{}: valid region not empty", list(s)),
            Self::Inside(a, b) => format!("valid region of {a} inside that of {b}"),
            Self::Locs(s, l) => format!("{s} in {l}"),
            Self::Orders(s, o) => format!("{}: {o} layout", list(s)),
            Self::ElemIn(s, d) => format!("{s}: element type {d}"),
            Self::SameElem(s) => format!("{}: same element type", list(s)),
            Self::SameElemSize(s) => format!("{}: element types of the same size", list(s)),
            Self::ElemBytes(s, b) => {
                let sizes: Vec<_> = b.iter().map(u32::to_string).collect();
                format!("{}: elements of {} bytes", list(s), sizes.join(", "))
            }
            Self::Elems(s, combos) => {
                let show = |c: &&[DType]| c.iter().map(|d| d.name()).collect::<Vec<_>>().join(" ");
                format!("({}) element types: {}", list(s), combos.iter().map(show).collect::<Vec<_>>().join("; "))
            }
            Self::LocPairs(a, b, pairs) => {
                let show = |p: &(Loc, Loc)| format!("{} → {}", p.0, p.1);
                format!("{a} → {b}: {}", pairs.iter().map(show).collect::<Vec<_>>().join(", "))
            }
            Self::Fractal(s, n) => format!("{s}: fractal={n}"),
            Self::Together(a, b) => format!("{a} and {b}: both or neither"),
            Self::NotBoth(a, b) => format!("{a} and {b}: not both"),
            Self::OneOf(s) => format!("one of {}", list(s)),
            Self::Named(text, _) => text.to_string(),
        }
    }

    /// The operands and attributes a rule names.
    pub fn names(&self) -> Vec<&'static str> {
        match *self {
            Self::SameValid(s)
            | Self::SameValidRows(s)
            | Self::SameValidCols(s)
            | Self::SameShape(s)
            | Self::NonEmpty(s)
            | Self::Orders(s, _)
            | Self::SameElem(s)
            | Self::SameElemSize(s)
            | Self::ElemBytes(s, _)
            | Self::Elems(s, _)
            | Self::OneOf(s) => s.to_vec(),
            Self::Inside(a, b) | Self::LocPairs(a, b, _) | Self::Together(a, b) | Self::NotBoth(a, b) => vec![a, b],
            Self::ValidRows(s, _)
            | Self::ValidCols(s, _)
            | Self::Locs(s, _)
            | Self::ElemIn(s, _)
            | Self::Fractal(s, _) => {
                vec![s]
            }
            Self::Named(..) => Vec::new(),
        }
    }
}
