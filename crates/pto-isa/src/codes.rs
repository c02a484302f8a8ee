//! Stable diagnostic ids and their explanations.
//!
//! Ids never change meaning. `E00..` reading, `E01..` tile types, `E02..` instructions, `E03..` program
//! structure, `E04..` memory, `E05..` synchronisation, `E06..` pipes and FIFO, `E07..` running, `E08..` races,
//! `E09..` emitting and reducing.

use std::fmt;

/// The identity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(u16);

/// What is known about a code.
#[derive(Debug)]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// One line.
    pub title: &'static str,
    /// What it means, why it is an error, how to fix it.
    pub text: &'static str,
    /// A program that has it; empty where none is short enough.
    pub example: &'static str,
}

impl Code {
    /// The id as printed, `PTO-E0214` for example.
    pub fn id(self) -> String {
        format!("PTO-E{:04}", self.0)
    }

    /// The number alone.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// True for what stops a run.
    pub const fn is_run_error(self) -> bool {
        self.0 / 100 == 7
    }

    /// Title and explanation.
    pub fn entry(self) -> &'static Entry {
        CODES.iter().find(|e| e.code == self).expect("every code constant has an entry")
    }

    /// Reads an id: `PTO-E0214`, `E0214` or `0214`.
    ///
    /// ```
    /// use pto_isa::codes;
    /// assert_eq!(codes::Code::parse("pto-e0004"), Some(codes::UNKNOWN_OP));
    /// assert_eq!(codes::Code::parse("E9999"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let upper = text.trim().to_ascii_uppercase();
        let digits = upper.trim_start_matches("PTO-").trim_start_matches('E');
        let number = digits.parse().ok()?;
        CODES.iter().map(|e| e.code).find(|c| c.0 == number)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTO-E{:04}", self.0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

macro_rules! codes {
    ($($name:ident = $number:literal, $title:literal, $text:literal $(, $example:literal)?;)+) => {
        $(#[doc = $title] pub const $name: Code = Code($number);)+
        /// Every code, by number.
        pub static CODES: &[Entry] = &[$(Entry {
            code: $name, title: $title, text: $text, example: concat!($($example)?),
        }),+];
    };
}

include!("codes_list.rs");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_unique() {
        assert!(CODES.windows(2).all(|w| w[0].code < w[1].code));
        for e in CODES {
            assert_eq!(Code::parse(&e.code.id()), Some(e.code));
            assert!(e.text.len() > 40, "{} needs an explanation", e.code);
        }
    }
}
