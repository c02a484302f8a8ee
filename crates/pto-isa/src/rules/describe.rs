//! Rules as text, and what they talk about.

use super::Rule;
use crate::text;
use crate::{DType, Loc};

impl Rule {
    /// The rule as a line of documentation.
    pub fn describe(&self) -> String {
        let list = |slots: &[&str]| slots.join(", ");
        match *self {
            Self::SameValid(s) => text!("{s}: same valid rows and columns", s = list(s)),
            Self::SameValidRows(s) => text!("{s}: same valid rows", s = list(s)),
            Self::SameValidCols(s) => text!("{s}: same valid columns", s = list(s)),
            Self::SameShape(s) => text!("{s}: same rows and columns", s = list(s)),
            Self::ValidRows(s, 1) => text!("{s}: 1 valid row", s),
            Self::ValidRows(s, n) => text!("{s}: {n} valid rows", s, n),
            Self::ValidCols(s, 1) => text!("{s}: 1 valid column", s),
            Self::ValidCols(s, n) => text!("{s}: {n} valid columns", s, n),
            Self::NonEmpty(s) => text!("{s}: valid region not empty", s = list(s)),
            Self::Inside(a, b) => text!("valid region of {a} inside that of {b}", a, b),
            Self::Locs(s, l) => text!("{s} in {l}", s, l),
            Self::Orders(s, o) => text!("{s}: {o} layout", s = list(s), o),
            Self::ElemIn(s, d) => text!("{s}: element type {d}", s, d),
            Self::SameElem(s) => text!("{s}: same element type", s = list(s)),
            Self::SameElemSize(s) => text!("{s}: element types of the same size", s = list(s)),
            Self::ElemBytes(s, b) => {
                let sizes: Vec<_> = b.iter().map(u32::to_string).collect();
                text!("{s}: elements of {sizes} bytes", s = list(s), sizes = sizes.join(", "))
            }
            Self::Elems(s, combos) => {
                let show = |c: &&[DType]| c.iter().map(|d| d.name()).collect::<Vec<_>>().join(" ");
                text!(
                    "({s}) element types: {combos}",
                    s = list(s),
                    combos = combos.iter().map(show).collect::<Vec<_>>().join("; ")
                )
            }
            Self::LocPairs(a, b, pairs) => {
                let show = |p: &(Loc, Loc)| format!("{} → {}", p.0, p.1);
                format!("{a} → {b}: {}", pairs.iter().map(show).collect::<Vec<_>>().join(", "))
            }
            Self::Fractal(s, n) => format!("{s}: fractal={n}"),
            Self::Together(a, b) => text!("{a} and {b}: both or neither", a, b),
            Self::NotBoth(a, b) => text!("{a} and {b}: not both", a, b),
            Self::OneOf(s) => text!("one of {s}", s = list(s)),
            Self::Named(text, _) => text::translate(text).to_string(),
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
