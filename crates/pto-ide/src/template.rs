//! How an operation is written: its text with a gap for each operand and attribute.

use pto::isa::row::Syntax;
use pto::isa::{Dir, Op, Row};

/// A part of the text of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum StatementPart {
    Text(String),
    /// The operand in a slot of the row.
    Slot(usize),
    /// An attribute, by its position in the row.
    Attr(usize),
}

/// The text of an operation in the form with buffers, optional parts left out of patterns.
pub(crate) fn parts(op: Op) -> Vec<StatementPart> {
    let row = op.row();
    match row.syntax {
        Syntax::InsOuts { .. } => ins_outs(row),
        Syntax::Pattern(pattern) => from_pattern(row, pattern),
        Syntax::Custom(_) => {
            let form = row.forms().pop().unwrap_or_default();
            let call = form.find(&row.full_name()).map_or(&*form, |at| &form[at + row.full_name().len()..]);
            vec![StatementPart::Text(call.to_string())]
        }
    }
}

fn ins_outs(row: &Row) -> Vec<StatementPart> {
    let side = |written: bool| {
        let fits = move |slot: &usize| (row.slots[*slot].dir != Dir::In) == written;
        (0..row.slots.len()).filter(fits).collect::<Vec<_>>()
    };
    let mut parts = Vec::new();
    for (word, slots) in [(" ins(", side(false)), (" outs(", side(true))] {
        if slots.is_empty() {
            continue;
        }
        list(&mut parts, word, slots.into_iter().map(StatementPart::Slot));
        parts.push(StatementPart::Text(")".to_string()));
    }
    let required: Vec<usize> = (0..row.attrs.len()).filter(|a| row.attrs[*a].required).collect();
    if !required.is_empty() {
        let mut open = " {".to_string();
        for attr in required {
            parts.push(StatementPart::Text(format!("{open}{} = ", row.attrs[attr].name)));
            parts.push(StatementPart::Attr(attr));
            open = ", ".to_string();
        }
        parts.push(StatementPart::Text("}".to_string()));
    }
    parts
}

fn list(parts: &mut Vec<StatementPart>, open: &str, items: impl Iterator<Item = StatementPart>) {
    let mut before = open;
    for item in items {
        parts.push(StatementPart::Text(before.to_string()));
        parts.push(item);
        before = ", ";
    }
}

/// The parts of a pattern (see [`Row::pattern`]) up to its types.
fn from_pattern(row: &Row, pattern: &str) -> Vec<StatementPart> {
    let kept = without_options(pattern);
    let kept = kept.split("{}").next().unwrap_or_default();
    let kept = kept.split(" : :").next().unwrap_or_default().trim_end();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut parts, mut rest) = (vec![StatementPart::Text(" ".to_string())], kept);
    while let Some(at) = rest.find(['$', '#']) {
        let name = rest[at + 1..].split(|c| !is_name(c)).next().unwrap_or_default();
        let part = match rest.as_bytes()[at] {
            b'$' => row.slot(name).map(StatementPart::Slot),
            _ => row.attrs.iter().position(|a| a.name == name).map(StatementPart::Attr),
        };
        parts.push(StatementPart::Text(rest[..at].to_string()));
        parts.extend(part);
        rest = &rest[at + 1 + name.len()..];
    }
    parts.push(StatementPart::Text(rest.to_string()));
    parts
}

/// A pattern without its groups `(…)?`.
fn without_options(pattern: &str) -> String {
    let mut out = String::new();
    let mut opened: Vec<usize> = Vec::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '(' => {
                opened.push(out.len());
                out.push(c);
            }
            ')' => {
                let from = opened.pop();
                match from.filter(|_| chars.peek() == Some(&'?')) {
                    Some(from) => {
                        chars.next();
                        out.truncate(from);
                    }
                    None => out.push(c),
                }
            }
            _ => out.push(c),
        }
    }
    out
}

/// Operands and attributes of a pattern in the order of the text, those in groups too.
pub(crate) fn pattern_order(row: &Row, pattern: &str) -> Vec<StatementPart> {
    let flat: String = pattern.replace(['(', ')', '?'], " ");
    let mut parts = from_pattern(row, &flat);
    parts.retain(|part| !matches!(part, StatementPart::Text(_)));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use pto::isa::table;

    fn text(name: &str) -> String {
        let op = table::find(name).expect("an operation");
        let part = |part: &StatementPart| match part {
            StatementPart::Text(text) => text.clone(),
            StatementPart::Slot(slot) => format!("%{}", op.row().slot_at(*slot).name),
            StatementPart::Attr(attr) => op.row().attrs[*attr].name.to_string(),
        };
        op.row().full_name() + &parts(op).iter().map(part).collect::<String>()
    }

    #[test]
    fn calls_are_written_as_the_row_says() {
        assert_eq!(text("tmax"), "pto.tmax ins(%src0, %src1) outs(%dst)");
        assert_eq!(text("set_flag"), "pto.set_flag [src_pipe, dst_pipe, event_id]");
        assert_eq!(text("partition_view"), "pto.partition_view %source, offsets = [%offsets], sizes = [%sizes]");
        assert_eq!(text("arith.addi"), "arith.addi %lhs, %rhs : T");
    }
}
