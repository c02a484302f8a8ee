//! Operations, and the words of their grammar.

use super::{Completion, CompletionKind, CursorWord};
use crate::Document;
use crate::context::StatementAt;
use crate::template::{StatementPart, parts};
use pto::isa::row::{AttrKind, Control, SlotCount, Syntax};
use pto::isa::text::translate;
use pto::isa::{Dir, Op, table};

/// The operations that the target has.
pub(super) fn all(document: &Document, cursor: &CursorWord<'_>) -> Vec<Completion> {
    let target = document.target();
    let in_function = document.index().function_at(cursor.at).is_some();
    let bare = !cursor.prefix.is_empty() && !cursor.prefix.contains('.');
    let fits = |op: &Op| {
        let outside = matches!(op.control(), Some(Control::Function | Control::Module));
        op.row().targets.contains(target) && outside != in_function && op.row().twin.is_none()
    };
    table::all().filter(fits).map(|op| item(cursor, op, bare)).collect()
}

fn item(cursor: &CursorWord<'_>, op: Op, bare: bool) -> Completion {
    let row = op.row();
    let name = row.full_name();
    let mut item = cursor.item(CompletionKind::Operation, name.clone(), translate(row.summary()).to_string());
    item.filter = if bare { row.name.to_string() } else { name };
    item.snippet = snippet(op);
    item.rank = u32::from(!row.family.is_isa());
    item
}

/// The operation with a gap for every operand and attribute that must be given.
fn snippet(op: Op) -> Option<String> {
    let row = op.row();
    if matches!(row.syntax, Syntax::Custom(_)) {
        return None;
    }
    let mut text = row.full_name();
    let mut gap = 0;
    let mut next = |name: &str| {
        gap += 1;
        format!("${{{gap}:{name}}}")
    };
    for part in parts(op) {
        text += &match part {
            StatementPart::Text(text) => text.replace('$', "\\$").replace('}', "\\}"),
            StatementPart::Slot(slot) => next(&format!("%{}", row.slot_at(slot).name)),
            StatementPart::Attr(attr) => {
                let spec = &row.attrs[attr];
                let first = spec.enumeration().map_or(spec.name, |e| e.value(0));
                let angles = matches!(spec.kind, AttrKind::Enum(_) | AttrKind::EnumOr(..));
                let gap = next(first);
                if angles && matches!(row.syntax, Syntax::Pattern(_)) { format!("<{gap}>") } else { gap }
            }
        };
    }
    let optional = row.slots.iter().any(|s| s.count == SlotCount::Optional && s.dir == Dir::In);
    Some(if optional { text } else { text.trim_end().to_string() })
}

/// `ins(`, `outs(` and the words of a pattern that the statement does not have yet.
pub(super) fn keywords(cursor: &CursorWord<'_>, statement: &StatementAt<'_>) -> Vec<Completion> {
    let row = statement.op.row();
    let words: Vec<String> = match row.syntax {
        Syntax::InsOuts { .. } => ["ins", "outs"].map(str::to_string).to_vec(),
        Syntax::Pattern(pattern) => words_of(pattern),
        Syntax::Custom(_) => Vec::new(),
    };
    words.into_iter().map(|word| cursor.item(CompletionKind::Keyword, word, String::new())).collect()
}

/// The words of a pattern that stand for themselves.
fn words_of(pattern: &str) -> Vec<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = Vec::new();
    let mut before = ' ';
    for word in pattern.split_inclusive(|c| !is_name(c)) {
        let name: String = word.chars().filter(|c| is_name(*c)).collect();
        if !name.is_empty() && !matches!(before, '$' | '#' | ':') {
            words.push(name);
        }
        before = word.chars().last().unwrap_or(' ');
    }
    words
}
