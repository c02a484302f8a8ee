//! Pages for a terminal: plain text in columns, headings in bold.

use super::wrap::{width as columns_of, wrap};
use super::{Page, PageBlock};
use crate::isa::text::translate;

const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const TITLE: &str = "\u{1b}[1;36m";
const RESET: &str = "\u{1b}[0m";

/// Everything below a heading is set in by this much.
const INDENT: usize = 2;

/// No column of a table gets narrower than this.
const NARROWEST: usize = 9;

pub(super) fn render(page: &Page, width: usize) -> String {
    let width = width.clamp(40, 160);
    let mut out = heading(&page.title, page.summary, width);
    let facts: Vec<Vec<String>> = page.facts.iter().map(|(k, v)| vec![translate(k).to_string(), v.clone()]).collect();
    out += &table(&[], &facts, width);
    for section in &page.sections {
        let mark = if section.ours { format!("  {DIM}pto{RESET}") } else { String::new() };
        out += &format!("\n{BOLD}{}{RESET}{mark}\n", translate(section.title));
        for (at, block) in section.blocks.iter().enumerate() {
            let closely = matches!(
                (block, &section.blocks[at.saturating_sub(1)]),
                (PageBlock::Code(..), PageBlock::Code(..)) | (PageBlock::Picture { .. }, PageBlock::Picture { .. })
            );
            if at > 0 && !closely {
                out.push('\n');
            }
            out += &self::block(block, width);
        }
    }
    out
}

/// The title and, beside it, the summary.
fn heading(title: &str, summary: &str, width: usize) -> String {
    let beside = columns_of(title) + 2;
    let lines = wrap(summary, width.saturating_sub(beside));
    let below = " ".repeat(beside);
    let rest: String = lines[1..].iter().map(|line| format!("{below}{line}\n")).collect();
    format!("{TITLE}{title}{RESET}  {}\n{rest}\n", lines[0])
}

fn block(block: &PageBlock, width: usize) -> String {
    match block {
        PageBlock::Text(text) => indented(&wrap(text, width - INDENT), ""),
        PageBlock::List(items) => {
            items.iter().map(|item| indented(&wrap(item, width - INDENT - 2), "- ")).collect::<Vec<_>>().concat()
        }
        PageBlock::Table(head, rows) => table(head, rows, width),
        PageBlock::Picture { title, text, .. } => {
            indented(&wrap(&format!("{title}: {text}"), width - INDENT - 2), "- ")
        }
        PageBlock::Code(title, text) => code(title, text, width),
    }
}

/// Indented lines, the first after a mark.
fn indented(lines: &[String], mark: &str) -> String {
    let margin = " ".repeat(INDENT);
    let below = " ".repeat(mark.chars().count());
    let line = |(at, l): (usize, &String)| format!("{margin}{}{l}\n", if at == 0 { mark } else { &below });
    lines.iter().enumerate().map(line).collect()
}

/// Program text is set in, below its title if it has one; long lines are broken.
fn code(title: &str, text: &str, width: usize) -> String {
    let depth = if title.is_empty() { INDENT } else { 2 * INDENT };
    let margin = " ".repeat(depth);
    let folded: String = text.lines().map(|line| super::example::fold(line, width - depth)).collect();
    let lines: String = folded.lines().map(|line| format!("{margin}{line}\n")).collect();
    if title.is_empty() { lines } else { format!("  {DIM}{}{RESET}\n{lines}", translate(title)) }
}

/// Rows in columns; the widest columns give way until all fit.
fn table(head: &[&str], rows: &[Vec<String>], width: usize) -> String {
    // In a column, a name stands out without its quotes.
    let rows: Vec<Vec<String>> = rows.iter().map(|r| r.iter().map(|cell| cell.replace('`', "")).collect()).collect();
    let columns = rows.first().map_or(head.len(), Vec::len);
    let natural = |c: usize| {
        let cells = rows.iter().map(|r| columns_of(&r[c])).max().unwrap_or(0);
        cells.max(head.get(c).map_or(0, |h| columns_of(translate(h))))
    };
    let widths = fit((0..columns).map(natural).collect(), width.saturating_sub(INDENT));
    let mut out = String::new();
    if !head.is_empty() {
        let cells: Vec<Vec<String>> = head.iter().map(|h| vec![translate(h).to_string()]).collect();
        out += &set_row(&cells, &widths).lines().map(|l| format!("{DIM}{l}{RESET}\n")).collect::<String>();
    }
    for row in &rows {
        let cells: Vec<Vec<String>> = row.iter().zip(&widths).map(|(cell, w)| wrap(cell, *w)).collect();
        out += &set_row(&cells, &widths);
    }
    out
}

/// Takes from the widest column until the table is narrow enough.
fn fit(mut widths: Vec<usize>, available: usize) -> Vec<usize> {
    let gaps = 2 * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > available {
        match widths.iter_mut().max() {
            Some(widest) if *widest > NARROWEST => *widest -= 1,
            _ => break,
        }
    }
    widths
}

fn set_row(cells: &[Vec<String>], widths: &[usize]) -> String {
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = String::new();
    for line in 0..height {
        let mut text = " ".repeat(INDENT);
        for (cell, width) in cells.iter().zip(widths) {
            let part = cell.get(line).map_or("", String::as_str);
            text += part;
            text += &" ".repeat(width.saturating_sub(columns_of(part)) + 2);
        }
        out += text.trim_end();
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_tables_give_way_in_their_widest_column() {
        assert_eq!(fit(vec![10, 50, 12], 60), [10, 34, 12]);
        assert_eq!(fit(vec![5, 6], 60), [5, 6]);
    }
}
