//! The site: documents, reference, diagnostics and search, in every language.

use super::markdown::{Converted, Heading, Links, convert};
use super::pages::{DOCUMENTS, PICTURES, SiteDocument, in_bar};
use pto::doc::{self, PageFrame, SearchEntry, escape};
use pto::isa::text::Language;
use pto::isa::{codes, table, text};
use pulldown_cmark::HeadingLevel;

/// A file of the site.
pub(super) struct SiteFile {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

impl From<doc::File> for SiteFile {
    fn from(file: doc::File) -> Self {
        Self { name: file.name, bytes: file.text.into_bytes() }
    }
}

/// Every file of the site. Nothing outside the set is referred to, except on other hosts.
pub(super) fn files() -> Vec<SiteFile> {
    let before = text::language();
    let mut files: Vec<SiteFile> = doc::shared_files().into_iter().map(SiteFile::from).collect();
    for (path, bytes) in PICTURES {
        files.push(SiteFile { name: picture(path), bytes: bytes.to_vec() });
    }
    for language in Language::ALL {
        text::set_language(language);
        files.extend(in_language(language));
    }
    text::set_language(before);
    files
}

fn picture(path: &str) -> String {
    format!("images/{}", path.rsplit('/').next().unwrap_or(path))
}

/// The pages in the current language.
fn in_language(language: Language) -> Vec<SiteFile> {
    let frame = frame();
    let all: Vec<(&SiteDocument, Converted)> = DOCUMENTS.iter().map(|d| (d, converted(d, language, &frame))).collect();
    let mut files = doc::pages(&frame);
    for (document, converted) in &all {
        let (here, more) = (headings(converted), documents(&all, document));
        let main = main(document, converted, language);
        let title = if document.name == "index" { "pto" } else { converted.title() };
        files.push(doc::File::new(&document.file(), frame.document(&document.file(), title, (&here, &more), &main)));
    }
    let mut entries = doc::search_entries();
    entries.extend(all.iter().flat_map(|(document, converted)| search_entries(document, converted)));
    files.push(doc::search_file(&entries));
    let folder = frame.folder();
    files.into_iter().map(|file| doc::File::new(&format!("{folder}{}", file.name), file.text).into()).collect()
}

/// The bar that every page has.
fn frame() -> PageFrame {
    let mut frame = PageFrame::new().both_languages();
    for (title, name) in in_bar() {
        frame = frame.link(title, &format!("{name}.html"));
        if name == "language" {
            frame = frame.link(text!("Instructions"), doc::INSTRUCTIONS_FILE);
            frame = frame.link(text!("Diagnostics"), doc::DIAGNOSTICS_FILE);
        }
    }
    frame
}

fn converted(document: &SiteDocument, language: Language, frame: &PageFrame) -> Converted {
    let (path, text) = document.text(language);
    // The bar has a link to the other language.
    let is_switch = |line: &&str| {
        (line.starts_with("[English](") || line.starts_with("[中文](")) && line.find(')') == line.len().checked_sub(1)
    };
    let text: Vec<&str> = text.lines().filter(|line| !is_switch(line)).collect();
    convert(&text.join("\n"), &SiteLinks { from: path, language, frame })
}

/// Where the links of a document lead.
struct SiteLinks<'a> {
    /// The path of the document.
    from: &'a str,
    language: Language,
    frame: &'a PageFrame,
}

impl Links for SiteLinks<'_> {
    fn resolve(&self, link: &str) -> Option<String> {
        resolve(self.from, link, self.language, self.frame)
    }

    fn about(&self, word: &str) -> Option<String> {
        if codes::CODES.iter().any(|entry| entry.code.id() == word) {
            return Some(format!("{}#{word}", doc::DIAGNOSTICS_FILE));
        }
        let name = word.to_lowercase();
        let op = table::find(&name).filter(|op| op.row().family.is_isa())?;
        Some(doc::page_file(op))
    }
}

/// Where a link in a document leads on the site; `None` for files of the repository that are no page.
fn resolve(from: &str, link: &str, language: Language, frame: &PageFrame) -> Option<String> {
    if link.contains("://") || link.starts_with('#') {
        return Some(link.to_string());
    }
    let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
    let path = normalised(from, file);
    let fragment = if fragment.is_empty() { String::new() } else { format!("#{fragment}") };
    if PICTURES.iter().any(|(p, _)| *p == path) {
        return Some(format!("{}{}", frame.root(), picture(&path)));
    }
    let (document, written_in) = DOCUMENTS.iter().find_map(|d| Some((d, d.language_at(&path)?)))?;
    // A translated document that is named in another language is meant in that language.
    let folder = match (language, written_in) {
        (Language::English, Language::Chinese) => "zh/",
        (Language::Chinese, Language::English) if document.is_translated(language) => "../",
        _ => "",
    };
    Some(format!("{folder}{}{fragment}", document.file()))
}

/// The path of a file that is named in another.
fn normalised(from: &str, to: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in to.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Links to the headings of a document.
fn headings(converted: &Converted) -> String {
    let link = |h: &Heading| format!("<a href=\"#{}\">{}</a>\n", escape(&h.anchor), escape(&h.text));
    let shown = converted.headings.iter().filter(|h| h.level == HeadingLevel::H2);
    format!("<h2>{}</h2>\n{}", text!("On this page"), shown.map(link).collect::<String>())
}

/// Links to all documents.
fn documents(all: &[(&SiteDocument, Converted)], this: &SiteDocument) -> String {
    let link = |(d, c): &(&SiteDocument, Converted)| {
        let current = if d.name == this.name { " aria-current=\"page\"" } else { "" };
        format!("<a href=\"{}\"{current}>{}</a>\n", d.file(), escape(c.title()))
    };
    format!("<h2>{}</h2>\n{}", text!("Documents"), all.iter().map(link).collect::<String>())
}

fn main(document: &SiteDocument, converted: &Converted, language: Language) -> String {
    let html = &converted.html;
    if document.is_translated(language) {
        return format!("<article class=\"prose\">\n{html}</article>\n");
    }
    let link = format!("<a href=\"../{}\">{}</a>", document.file(), text!("the English page"));
    let notice = text!("This page has no translation yet; what follows is {link}.", link);
    format!("<p class=\"notice\">{notice}</p>\n<article class=\"prose\" lang=\"en\">\n{html}</article>\n")
}

/// The headings of a document, for the search box.
fn search_entries(document: &SiteDocument, converted: &Converted) -> Vec<SearchEntry> {
    let entry = |h: &Heading| SearchEntry {
        title: h.text.clone(),
        kind: converted.title().to_string(),
        summary: String::new(),
        link: format!("{}#{}", document.file(), h.anchor),
    };
    converted.headings.iter().map(entry).collect()
}
