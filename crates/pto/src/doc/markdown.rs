//! Pages as Markdown, for editors.

use super::{Page, PageBlock, Section};
use crate::isa::text::translate;

/// The title and summary, then the sections.
pub(super) fn render(page: &Page) -> String {
    let mut out = format!("**{}**: {}\n", page.title, page.summary);
    let facts: Vec<String> = page.facts.iter().map(|(name, value)| format!("{}: {value}", translate(name))).collect();
    if !facts.is_empty() {
        out += &format!("\n{}\n", facts.join(" · "));
    }
    page.sections.iter().for_each(|s| out += &section(s));
    out
}

fn section(section: &Section) -> String {
    let blocks: Vec<String> = section.blocks.iter().map(block).filter(|text| !text.is_empty()).collect();
    if blocks.is_empty() {
        return String::new();
    }
    // What an instruction means needs no title.
    let title =
        if section.title == "Semantics" { String::new() } else { format!("\n**{}**\n", translate(section.title)) };
    format!("{title}\n{}\n", blocks.join("\n\n"))
}

fn block(block: &PageBlock) -> String {
    match block {
        PageBlock::Text(text) => text.clone(),
        PageBlock::List(items) => items.iter().map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n"),
        PageBlock::Table(head, rows) => table(head, rows),
        PageBlock::Code(_, text) => format!("```mlir\n{text}\n```"),
        PageBlock::Picture { title, text, .. } => format!("- {title}: {text}"),
    }
}

fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    if head.is_empty() {
        let line = |row: &Vec<String>| match &row[..] {
            [name, rest @ ..] => format!("- {name}: {}", rest.join(", ")),
            [] => String::new(),
        };
        return rows.iter().map(line).collect::<Vec<_>>().join("\n");
    }
    let line = |cells: Vec<String>| {
        let cells: Vec<String> = cells.into_iter().map(|c| c.replace('|', "\\|")).collect();
        format!("| {} |", cells.join(" | "))
    };
    let titles = line(head.iter().map(|h| translate(h).to_string()).collect());
    let rule = line(vec!["---".to_string(); head.len()]);
    let rows = rows.iter().map(|row| line(row.clone()));
    [titles, rule].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}
