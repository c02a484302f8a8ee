//! The documents that are pages of the site, as they are in the repository.

use pto::isa::text;
use pto::isa::text::Language;

/// A document.
pub(super) struct SiteDocument {
    /// The name of its page, without `.html`.
    pub(super) name: &'static str,
    /// The path of its English text.
    pub(super) path: &'static str,
    english: &'static str,
    /// The path and the text of its translation.
    chinese: Option<(&'static str, &'static str)>,
}

impl SiteDocument {
    pub(super) fn file(&self) -> String {
        format!("{}.html", self.name)
    }

    /// Its text in a language, with the path of that text. What is not translated is English.
    pub(super) fn text(&self, language: Language) -> (&'static str, &'static str) {
        match (language, self.chinese) {
            (Language::Chinese, Some(chinese)) => chinese,
            _ => (self.path, self.english),
        }
    }

    pub(super) fn is_translated(&self, language: Language) -> bool {
        language == Language::English || self.chinese.is_some()
    }

    /// The language of the text at a path, if it is of this document.
    pub(super) fn language_at(&self, path: &str) -> Option<Language> {
        let chinese = self.chinese.filter(|c| c.0 == path).map(|_| Language::Chinese);
        chinese.or_else(|| (self.path == path).then_some(Language::English))
    }
}

/// A document of the repository: the name of its page, its path, and that of its translation.
macro_rules! document {
    ($name:literal, $path:literal) => {
        SiteDocument { name: $name, path: $path, english: include_str!(concat!("../../../../", $path)), chinese: None }
    };
    ($name:literal, $path:literal, $chinese:literal) => {
        SiteDocument {
            chinese: Some(($chinese, include_str!(concat!("../../../../", $chinese)))),
            ..document!($name, $path)
        }
    };
}

/// Every document, in the order of the list beside each.
pub(super) const DOCUMENTS: [SiteDocument; 26] = [
    document!("index", "README.md", "README.zh.md"),
    document!("guide", "docs/guide/README.md", "docs/guide/README.zh.md"),
    document!("language", "docs/language.md", "docs/language.zh.md"),
    document!("tutorial", "docs/tutorial.md"),
    document!("python", "docs/python.md"),
    document!("commands", "docs/commands.md"),
    document!("run", "docs/run.md"),
    document!("race", "docs/race.md"),
    document!("lower", "docs/lower.md"),
    document!("perf", "docs/perf.md"),
    document!("emit", "docs/emit.md"),
    document!("debug", "docs/debug.md"),
    document!("editors", "docs/editors.md"),
    document!("playground", "docs/playground.md"),
    document!("json", "docs/json.md"),
    document!("decisions", "docs/decisions.md", "docs/decisions.zh.md"),
    document!("numerics", "docs/numerics.md", "docs/numerics.zh.md"),
    document!("hazards", "docs/hazards.md"),
    document!("soundness", "docs/soundness.md"),
    document!("speed", "docs/speed.md"),
    document!("words", "docs/words.md"),
    document!("architecture", "ARCHITECTURE.md"),
    document!("contributing", "CONTRIBUTING.md"),
    document!("dependencies", "docs/dependencies.md"),
    document!("build", "docs/build.md"),
    document!("changelog", "CHANGELOG.md"),
];

/// A picture of the repository: its path, and what is there.
macro_rules! picture {
    ($path:literal) => {
        ($path, include_bytes!(concat!("../../../../", $path)).as_slice())
    };
}

/// Pictures in documents.
pub(super) const PICTURES: [(&str, &[u8]); 10] = [
    picture!("docs/images/race.svg"),
    picture!("docs/images/perf.png"),
    picture!("docs/images/plan.png"),
    picture!("docs/images/race_report.png"),
    picture!("docs/images/debug.svg"),
    picture!("docs/images/debug_heat.svg"),
    picture!("docs/images/view.png"),
    picture!("docs/images/view_dark.png"),
    picture!("docs/images/playground.png"),
    picture!("docs/images/playground_narrow.png"),
];

/// The documents that the bar names, with their titles there.
pub(super) fn in_bar() -> [(&'static str, &'static str); 5] {
    [
        ("pto", "index"),
        (text!("Guide"), "guide"),
        (text!("Language"), "language"),
        (text!("Decisions"), "decisions"),
        (text!("Numerics"), "numerics"),
    ]
}
