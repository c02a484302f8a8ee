//! Reference pages from the instruction table.
//!
//! A page is made of what the row says and of programs that were checked; nothing about an instruction is written
//! here. The same content is set for the terminal ([`terminal_page`]), for editors ([`brief_page`]) and as a set of HTML files
//! ([`reference()`]).
//! [`coverage`] says what the toolchain can do with an instruction, found out by doing it.

mod content;
mod coverage;
mod example;
mod forms;
mod frame;
mod html;
mod layout;
mod markdown;
mod placed;
mod problems;
mod signature;
mod site;
mod terminal;
mod words;
mod wrap;

pub use coverage::{Coverage, coverage};
pub use frame::{PageFrame, SearchEntry, search_file, shared_files};
pub use html::{escape, inline};
pub use problems::FILE as DIAGNOSTICS_FILE;
pub use site::{File, INSTRUCTIONS_FILE, host_file, page_file, pages, reference, search_entries};
pub use wrap::{width, wrap};

use crate::isa::Op;

/// The page of an instruction for a terminal of this width, with ANSI styles.
///
/// ```
/// use pto::{doc, isa::table::op};
/// let page = doc::terminal_page(op::tmax, 80);
/// assert!(page.contains("Elementwise maximum of two tiles."));
/// assert!(page.contains("%dst = tmax %src0, %src1 : !pto.tile<...>"));
/// ```
pub fn terminal_page(op: Op, width: usize) -> String {
    terminal::render(&content::page(op), width)
}

/// What an instruction means, takes and costs, as Markdown: the page without programs, as editors show it beside the text.
///
/// ```
/// use pto::{doc, isa::table::op};
/// let page = doc::brief_page(op::tmax);
/// assert!(page.starts_with("**TMAX**: Elementwise maximum of two tiles."));
/// assert!(page.contains("| `src0` | read | tile |"));
/// ```
pub fn brief_page(op: Op) -> String {
    markdown::render(&content::brief(op))
}

/// A complete program that uses an instruction, as its page shows it; legal on the target that comes with it.
///
/// ```
/// use pto::{Program, doc, isa::table::op};
/// let example = doc::example(op::tmax).expect("an example");
/// assert!(example.text.starts_with("!tile = !pto.tile_buf<vec, 32x32xf32>"));
/// assert!(Program::parse(&example.text).check(example.target).is_ok());
/// ```
pub fn example(op: Op) -> Option<crate::sample::Sample> {
    let sample = crate::sample::first_program(op)?;
    Some(crate::sample::Sample { text: example::laid_out(&sample.text), ..sample })
}

/// What a page consists of, before it is set.
pub(crate) struct Page {
    title: String,
    summary: &'static str,
    /// Facts in a line under the title: family, targets, other names. Names here, and titles below, are English; they are
    /// translated where they are shown.
    facts: Vec<(&'static str, String)>,
    sections: Vec<Section>,
}

pub(crate) struct Section {
    title: &'static str,
    blocks: Vec<PageBlock>,
    /// It says what the public page does not: found out or decided here.
    ours: bool,
}

pub(crate) enum PageBlock {
    /// A paragraph; names in backquotes.
    Text(String),
    List(Vec<String>),
    /// Column titles and rows.
    Table(Vec<&'static str>, Vec<Vec<String>>),
    /// Program text, under a title that may be empty.
    Code(&'static str, String),
    /// A drawing with a title, and what it shows in words; a terminal has only these.
    Picture {
        svg: String,
        title: String,
        text: String,
    },
}

impl Section {
    /// A section, unless there is nothing in it.
    fn new(title: &'static str, blocks: Vec<PageBlock>) -> Option<Self> {
        (!blocks.is_empty()).then_some(Self { title, blocks, ours: false })
    }

    /// The section, marked as not from the public page.
    fn ours(self) -> Self {
        Self { ours: true, ..self }
    }

    /// The name to link to.
    fn anchor(&self) -> String {
        self.title.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "-")
    }
}
