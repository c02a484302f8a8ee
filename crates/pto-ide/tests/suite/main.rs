//! The tests of this crate, in one binary: linking takes longer than most of them.

mod actions;
mod completion;
mod fuzz;
mod helps;
mod hints;
mod hover;
mod names;

use pto_ide::Document;
use pto_testkit::corpus::corpus;

/// A document and the byte of the mark `‸` in its text, which is taken out.
fn marked(text: &str) -> (Document, u32) {
    let at = text.find('‸').expect("a mark");
    (Document::new(&text.replace('‸', ""), None), at as u32)
}

/// The texts of the programs in this repository.
fn programs() -> Vec<String> {
    corpus().iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}
