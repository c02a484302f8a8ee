//! Text for people, in the language they read.
//!
//! The key of a text is its English form. [`text!`](crate::text!) writes it with named placeholders and looks it up in
//! the catalogue of the current language; what the catalogue does not have stays English. A catalogue entry has the
//! same placeholders as its key, which a test asserts, so a translation can be missing but cannot lose a value.

mod catalogue;
mod prose;

pub use catalogue::{Translation, translations};
pub use prose::prose;

use std::fmt::{Display, Write};
use std::sync::atomic::{AtomicU8, Ordering};

/// A language that texts can have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Language {
    /// English, the language of the keys.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// The tag that selects it: `en`, `zh`.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }

    /// The language of a tag or a locale: `zh`, `zh_CN.UTF-8`, `en-GB`.
    ///
    /// ```
    /// use pto_isa::text::Language;
    /// assert_eq!(Language::of_locale("zh_CN.UTF-8"), Some(Language::Chinese));
    /// assert_eq!(Language::of_locale("C"), None);
    /// ```
    pub fn of_locale(locale: &str) -> Option<Self> {
        let tag = locale.split(['_', '-', '.', '@']).next().unwrap_or_default();
        Self::ALL.into_iter().find(|l| l.tag().eq_ignore_ascii_case(tag))
    }

    /// The text in this language; English where it has no translation.
    pub fn translate(self, english: &str) -> &str {
        match self {
            Self::English => english,
            Self::Chinese => catalogue::chinese(english).unwrap_or(english),
        }
    }

    /// The text in this language with values for its placeholders.
    pub fn fill(self, template: &str, values: &[(&str, &dyn Display)]) -> String {
        let mut out = String::with_capacity(template.len() + 16);
        for piece in pieces(self.translate(template)) {
            match piece {
                TemplatePiece::Literal(text) => out.push_str(text),
                TemplatePiece::Value(name) => {
                    let value = values.iter().find(|(n, _)| *n == name);
                    // Writing into a `String` cannot fail.
                    let _ = value.map_or(Ok(()), |(_, v)| write!(out, "{v}"));
                }
            }
        }
        out
    }
}

/// 0 for English, 1 for Chinese.
static CURRENT: AtomicU8 = AtomicU8::new(0);

/// The language that new texts have.
pub fn language() -> Language {
    match CURRENT.load(Ordering::Relaxed) {
        0 => Language::English,
        _ => Language::Chinese,
    }
}

/// Sets the language of the texts that this process makes from now on.
///
/// ```
/// use pto_isa::text::{Language, set_language};
/// set_language(Language::English);
/// let name = "tmux";
/// assert_eq!(pto_isa::text!("there is no operation `{name}`", name), "there is no operation `tmux`");
/// ```
pub fn set_language(language: Language) {
    CURRENT.store(u8::from(language != Language::English), Ordering::Relaxed);
}

/// A fixed text in the current language.
pub fn translate(english: &str) -> &str {
    language().translate(english)
}

/// A text with values in the current language; `text!` calls it.
#[doc(hidden)]
pub fn fill(template: &str, values: &[(&str, &dyn Display)]) -> String {
    language().fill(template, values)
}

/// A piece of a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TemplatePiece<'a> {
    Literal(&'a str),
    Value(&'a str),
}

/// Splits at placeholders; `{{` and `}}` are literal braces.
fn pieces(template: &str) -> Vec<TemplatePiece<'_>> {
    let (mut out, mut rest) = (Vec::new(), template);
    while let Some(at) = rest.find(['{', '}']) {
        let doubled = rest.as_bytes().get(at + 1) == Some(&rest.as_bytes()[at]);
        if doubled {
            out.push(TemplatePiece::Literal(&rest[..=at]));
            rest = &rest[at + 2..];
            continue;
        }
        out.push(TemplatePiece::Literal(&rest[..at]));
        let name = &rest[at + 1..];
        let end = name.find('}').unwrap_or(name.len());
        out.push(TemplatePiece::Value(&name[..end]));
        rest = name.get(end + 1..).unwrap_or_default();
    }
    out.push(TemplatePiece::Literal(rest));
    out
}

/// The names of the placeholders of a template, in order of appearance.
///
/// ```
/// assert_eq!(pto_isa::text::placeholders("{rows} rows in `{{{name}}}`"), ["rows", "name"]);
/// ```
pub fn placeholders(template: &str) -> Vec<&str> {
    let values = pieces(template).into_iter();
    values.filter_map(|p| if let TemplatePiece::Value(name) = p { Some(name) } else { None }).collect()
}

/// True if each placeholder of the template is a name of the list, and each name is a placeholder.
#[doc(hidden)]
pub const fn fits(template: &str, names: &[&str]) -> bool {
    let bytes = template.as_bytes();
    let (mut at, mut used) = (0, 0_u64);
    while at < bytes.len() {
        let byte = bytes[at];
        if byte != b'{' && byte != b'}' {
            at += 1;
            continue;
        }
        if at + 1 < bytes.len() && bytes[at + 1] == byte {
            at += 2;
            continue;
        }
        let start = at + 1;
        while at < bytes.len() && bytes[at] != b'}' {
            at += 1;
        }
        let Some(name) = position(bytes, start, at, names) else { return false };
        used |= 1 << name;
        at += 1;
    }
    used == (1 << names.len()) - 1
}

/// The name that stands in `bytes[start..end]`.
const fn position(bytes: &[u8], start: usize, end: usize, names: &[&str]) -> Option<usize> {
    let mut k = 0;
    while k < names.len() {
        let name = names[k].as_bytes();
        let mut same = name.len() + start == end;
        let mut i = 0;
        while same && i < name.len() {
            same = name[i] == bytes[start + i];
            i += 1;
        }
        if same {
            return Some(k);
        }
        k += 1;
    }
    None
}

/// A text in the current language, with the values of its named placeholders.
///
/// Without values it is a `&'static str`, with values a `String`. A placeholder without a value, or a value without a
/// placeholder, does not compile.
///
/// ```
/// use pto_isa::text;
/// let rows = 3;
/// assert_eq!(text!("{rows} rows, {legal} expected", rows, legal = 2 + 2), "3 rows, 4 expected");
/// assert_eq!(text!("no rows"), "no rows");
/// ```
///
/// ```compile_fail
/// let rows = 3;
/// pto_isa::text!("{row} rows", rows);
/// ```
#[macro_export]
macro_rules! text {
    ($template:literal $(,)?) => {
        $crate::text::translate($template)
    };
    ($template:literal $(, $name:ident $(= $value:expr)?)+ $(,)?) => {{
        const { assert!($crate::text::fits($template, &[$(stringify!($name)),+]), "placeholders and values differ") };
        $crate::text::fill($template, &[$((stringify!($name), &$crate::text!(@value $name $($value)?))),+])
    }};
    (@value $name:ident) => { $name };
    (@value $name:ident $value:expr) => { $value };
}

/// An English text that is translated where it is shown.
///
/// ```
/// assert_eq!(pto_isa::text_key!("Semantics"), "Semantics");
/// ```
#[macro_export]
macro_rules! text_key {
    ($english:literal) => {
        $english
    };
}
