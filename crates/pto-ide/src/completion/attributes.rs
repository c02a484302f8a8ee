//! Attributes of an operation, and their values.

use super::{Completion, CompletionKind, CursorWord};
use crate::Document;
use crate::context::StatementAt;
use crate::template::StatementPart;
use pto::ir::Attr;
use pto::isa::enums::{Bracket, EnumDef};
use pto::isa::row::{AttrKind, AttrSpec};
use pto::isa::text::translate;

/// In `{…}`: the names of attributes, or the values of the one before `=`.
pub(super) fn in_dictionary(
    document: &Document,
    cursor: &CursorWord<'_>,
    statement: &StatementAt<'_>,
) -> Vec<Completion> {
    let index = document.index();
    let before = &index.tokens[..index.first_token(cursor.span.start)];
    let text = |n: usize| before.len().checked_sub(n).map_or("", |at| document.slice(before[at].span));
    let row = statement.op.row();
    if text(1) == "=" {
        return row.attr(text(2)).map_or_else(Vec::new, |spec| values(cursor, spec));
    }
    let here = |spec: &&AttrSpec| spec.targets.contains(document.target());
    let names = row.attrs.iter().filter(here).map(|spec| {
        let detail = format!("{} ({})", translate(spec.doc), spec.legal_values());
        let item = cursor.item(CompletionKind::Attribute, spec.name.to_string(), detail);
        let snippet = (!matches!(spec.kind, AttrKind::Unit)).then(|| format!("{} = ${{1}}", spec.name));
        Completion { snippet, rank: u32::from(!spec.required), ..item }
    });
    names.collect()
}

/// The values of an attribute, written in full.
fn values(cursor: &CursorWord<'_>, spec: &AttrSpec) -> Vec<Completion> {
    let choice = |text: String| cursor.item(CompletionKind::Choice, text, translate(spec.doc).to_string());
    match spec.kind {
        AttrKind::Enum(def) | AttrKind::EnumOr(def, _) => in_full(def).map(choice).collect(),
        AttrKind::Bool => ["true", "false"].map(|t| choice(t.to_string())).to_vec(),
        AttrKind::OneOf(list) => list.iter().map(|n| choice(n.to_string())).collect(),
        _ => Vec::new(),
    }
}

/// The values of an enumeration as attributes are written: `#pto.pipe<PIPE_V>`, `#pto<cmp eq>`.
fn in_full(def: &'static EnumDef) -> impl Iterator<Item = String> {
    def.values.iter().map(|(value, _)| match def.bracket {
        Bracket::Dotted => format!("#pto.{}<{value}>", def.name),
        Bracket::Spaced => format!("#pto<{} {value}>", def.name),
        Bracket::Bare => value.to_string(),
    })
}

/// In `<…>`: the values of the enumeration that is named before it, or of the attribute in this position.
pub(super) fn in_angles(cursor: &CursorWord<'_>, statement: &StatementAt<'_>) -> Vec<Completion> {
    let named = statement.bracket().word.strip_prefix("#pto.").and_then(pto::isa::enums::find);
    let def = named.or_else(|| attribute_here(statement)?.enumeration());
    let values = def.map_or(&[][..], |def| def.values);
    values.iter().map(|(value, _)| cursor.item(CompletionKind::Choice, value.to_string(), String::new())).collect()
}

fn attribute_here(statement: &StatementAt<'_>) -> Option<&'static AttrSpec> {
    match statement.part()? {
        StatementPart::Attr(at) => statement.op.row().attrs.get(at),
        _ => None,
    }
}

/// Values of an attribute that has a position in the pattern of the operation: `set_flag[<PIPE_V>, …]`.
pub(super) fn positional(cursor: &CursorWord<'_>, statement: &StatementAt<'_>) -> Vec<Completion> {
    let Some(spec) = attribute_here(statement) else { return Vec::new() };
    let Some(def) = spec.enumeration() else { return values(cursor, spec) };
    let value = |(value, _): &(&str, i64)| {
        let text = if def.bracket == Bracket::Bare { value.to_string() } else { format!("<{value}>") };
        cursor.item(CompletionKind::Choice, text, translate(spec.doc).to_string())
    };
    def.values.iter().map(value).collect()
}

/// Aliases of attributes, and the values of all enumerations of the statement.
pub(super) fn spelled(document: &Document, cursor: &CursorWord<'_>) -> Vec<Completion> {
    let aliases = document.module().aliases.iter().filter(|a| !matches!(a.value, Attr::Type(_)));
    let aliases = aliases.map(|a| cursor.item(CompletionKind::Attribute, a.name.to_string(), String::new()));
    let specs = cursor.statement.iter().flat_map(|s| s.op.row().attrs);
    let enums = specs.filter_map(AttrSpec::enumeration).flat_map(in_full);
    aliases.chain(enums.map(|text| cursor.item(CompletionKind::Choice, text, String::new()))).collect()
}
