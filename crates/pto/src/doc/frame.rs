//! What surrounds the pages of a site: one bar, search over everything, the other language, dark and light.

use super::html::escape;
use super::site::File;
use pto_isa::text;
use pto_isa::text::Language;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("site.js");
/// What the search box looks through, for pages in one language.
const SEARCH: &str = "search.js";

/// The bar of a site, and whether it has pages in several languages.
///
/// Pages are in [`text::language`]. With both languages, Chinese pages lie in `zh/`, under the names of the English ones, so that
/// a page can link to its counterpart.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PageFrame {
    links: Vec<BarLink>,
    both_languages: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct BarLink {
    title: String,
    file: String,
}

impl PageFrame {
    /// A frame without links.
    pub fn new() -> Self {
        Self::default()
    }

    /// The frame with a link to a page in its bar.
    #[must_use]
    pub fn link(mut self, title: &str, file: &str) -> Self {
        self.links.push(BarLink { title: title.to_string(), file: file.to_string() });
        self
    }

    /// The frame of a site with English and Chinese pages.
    #[must_use]
    pub fn both_languages(mut self) -> Self {
        self.both_languages = true;
        self
    }

    /// The folder that a page in the current language lies in, as the start of its path.
    pub fn folder(&self) -> &'static str {
        if self.both_languages && text::language() == Language::Chinese { "zh/" } else { "" }
    }

    /// The way from a page in the current language to the files that all languages share.
    pub fn root(&self) -> &'static str {
        if self.folder().is_empty() { "" } else { "../" }
    }

    /// A whole document: a bar, a column of links (to places of the page, then to other pages), and the page itself.
    pub fn document(&self, file: &str, title: &str, (here, more): (&str, &str), main: &str) -> String {
        let root = self.root();
        let title = if title == "pto" { title.to_string() } else { format!("{} · pto", escape(title)) };
        format!(
            "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n\
             <link rel=\"stylesheet\" href=\"{root}style.css\">\n<script src=\"{root}site.js\"></script>\n\
             <script src=\"{SEARCH}\" defer></script>\n</head>\n<body>\n\
             <header class=\"bar\">{}</header>\n<div class=\"columns\">\n<nav class=\"side\">\n\
             <div class=\"here\">\n{here}</div>\n<div class=\"more\">\n{more}</div>\n</nav>\n<main>\n{main}</main>\n</div>\n</body>\n</html>\n",
            text::language().tag(),
            self.bar(file),
        )
    }

    fn bar(&self, file: &str) -> String {
        let link = |l: &BarLink| {
            let current = if l.file == file { " aria-current=\"page\"" } else { "" };
            format!("<a href=\"{}\"{current}>{}</a>", escape(&l.file), escape(&l.title))
        };
        let links: String = self.links.iter().map(link).collect();
        let (search, none, theme) = (text!("Search"), text!("Nothing found."), text!("Dark or light"));
        format!(
            "<nav class=\"pages\">{links}</nav><span class=\"gap\"></span>\
             <div class=\"search\" role=\"search\"><input id=\"search\" type=\"search\" placeholder=\"{search}\" aria-label=\"{search}\" \
             autocomplete=\"off\"><div id=\"found\" data-none=\"{none}\" hidden></div></div>{}\
             <button id=\"theme\" type=\"button\" title=\"{theme}\" aria-label=\"{theme}\">◐</button>",
            self.other_language(file)
        )
    }

    /// A link to the same page in the other language.
    fn other_language(&self, file: &str) -> String {
        if !self.both_languages {
            return String::new();
        }
        let (to, tag, name) = match text::language() {
            Language::Chinese => ("../", Language::English.tag(), "English"),
            _ => ("zh/", Language::Chinese.tag(), "中文"),
        };
        format!("<a class=\"language\" lang=\"{tag}\" hreflang=\"{tag}\" href=\"{to}{}\">{name}</a>", escape(file))
    }
}

/// What pages in all languages share: the stylesheet and the script.
pub fn shared_files() -> Vec<File> {
    vec![File::new("style.css", STYLE.to_string()), File::new("site.js", SCRIPT.to_string())]
}

/// Something that the search box finds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchEntry {
    /// What it is called.
    pub title: String,
    /// Where it is from: a page, or what kind of thing it is.
    pub kind: String,
    /// What it is about; searched as well.
    pub summary: String,
    /// The page, with the place in it.
    pub link: String,
}

/// The data of the search box, in the order in which equally good results are shown.
pub fn search_file(entries: &[SearchEntry]) -> File {
    let quoted = |text: &str| {
        let mut out = String::from("\"");
        for c in text.chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                '<' => out.push_str("\\u003c"),
                c if c.is_control() => out.push(' '),
                c => out.push(c),
            }
        }
        out + "\""
    };
    let line = |e: &SearchEntry| {
        let parts = [&e.title, &e.kind, &e.summary, &e.link].map(|part| quoted(part));
        format!("[{}]", parts.join(","))
    };
    let lines: Vec<String> = entries.iter().map(line).collect();
    File::new(SEARCH, format!("window.ptoSearch = [\n{}\n];\n", lines.join(",\n")))
}
