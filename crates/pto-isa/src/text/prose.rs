//! The fixed texts of the table and of the diagnostics.

use crate::codes::CODES;
use crate::ordered::OrdSet;
use crate::row::{Harm, Row};
use crate::rules::Rule;
use crate::table;

/// Every fixed text of the table and of the explanations of diagnostics: what pages and `pto explain` show in the language
/// of the reader. They are keys of the catalogue like the templates of `text!`.
pub fn prose() -> OrdSet<String> {
    let rows = table::all().flat_map(|op| of_row(op.row()));
    let codes = CODES.iter().flat_map(|e| [e.title.to_string(), e.text.to_string()]);
    rows.chain(codes).filter(|text| !text.is_empty()).collect()
}

fn of_row(row: &Row) -> Vec<String> {
    let mut texts = row.paragraphs();
    let mut add = |text: &str| texts.push(text.to_string());
    add(row.summary());
    row.notes.iter().for_each(|note| add(note));
    row.decided.iter().for_each(|text| add(text));
    row.attrs.iter().for_each(|attr| add(attr.doc));
    row.scratch.iter().for_each(|scratch| add(scratch.rule));
    add(row.cpp.missing);
    for (_, rule) in row.shape_rules.iter().chain(row.rules) {
        if let Rule::Named(text, _) = rule {
            add(text);
        }
    }
    for hazard in row.hazards {
        hazard.when.iter().for_each(|(words, _)| add(words));
        if let Harm::Fault(text) | Harm::Limit(text) | Harm::Differs(_, _, text) = hazard.harm {
            add(text);
        }
    }
    texts
}
