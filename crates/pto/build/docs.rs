//! The documentation of a function, from its row.

use crate::example::{self, Example};
use crate::signature::Signature;
use pto_isa::call::{CallPart, argument_name};
use pto_isa::row::{ElemRule, Pipes};
use pto_isa::{DTypes, Op, Row, Target};

/// The comment above a function.
pub fn function(op: Op, signature: &Signature, example: Option<&Example>) -> String {
    let row = op.row();
    let mut lines: Vec<String> = row.doc.iter().map(|line| line.trim().to_string()).collect();
    lines.push(String::new());
    lines.push(facts(row));
    lines.extend(section("Arguments", signature.parts.iter().map(|p| part(row, p)).collect()));
    lines.extend(section("It may be told", signature.optional.iter().map(|p| part(row, p)).collect()));
    lines.extend(section("Element types", element_types(row)));
    lines.extend(section("Rules", rules(row)));
    lines.extend(section("Notes", row.notes.iter().map(|n| (*n).to_string()).collect()));
    lines.extend(example::lines(op, example));
    let comment = |line: &String| if line.is_empty() { "///\n".to_string() } else { format!("/// {line}\n") };
    lines.iter().map(comment).collect()
}

fn section(title: &str, list: Vec<String>) -> Vec<String> {
    if list.is_empty() {
        return Vec::new();
    }
    let head = [String::new(), format!("# {title}")];
    head.into_iter().chain(list.into_iter().map(|line| format!("- {}", escape(&line)))).collect()
}

/// Brackets and angle brackets of rules are not links and tags.
fn escape(line: &str) -> String {
    if line.contains('`') {
        line.to_string()
    } else {
        line.replace('[', "\\[").replace(']', "\\]").replace('<', "&lt;")
    }
}

fn facts(row: &Row) -> String {
    let targets: Vec<&str> = row.targets.iter().map(Target::name).collect();
    let pipe = match row.pipe {
        Pipes::One(pipe) => format!("; pipe {}", pipe.name()),
        Pipes::None | Pipes::Cases(_) | Pipes::Attr(_) => String::new(),
    };
    format!("Text: `{}`; targets: {}{pipe}.", row.full_name(), targets.join(", "))
}

fn part(row: &Row, part: &CallPart) -> String {
    match part {
        CallPart::Slot(at) => {
            let slot = &row.slots[*at];
            format!("`{}`: {}", argument_name(slot.name), slot.kind.noun())
        }
        CallPart::Attr(spec) => format!("`{}`: {} ({})", argument_name(spec.name), spec.doc, spec.legal_values()),
    }
}

fn element_types(row: &Row) -> Vec<String> {
    if !row.slots.iter().chain(row.results).any(|s| s.elem == ElemRule::Data) {
        return Vec::new();
    }
    let types = |t: Target| if row.targets.contains(t) { row.data_types(t) } else { DTypes::NONE };
    let line = |t: Target| {
        format!("{}: {}", t.name(), if types(t).is_empty() { "–".to_string() } else { types(t).to_string() })
    };
    Target::ALL.into_iter().map(line).collect()
}

fn rules(row: &Row) -> Vec<String> {
    let everywhere = row.targets.iter().count();
    let mut list = Vec::new();
    for (targets, rule) in row.shape_rules.iter().chain(row.rules) {
        let on: Vec<&str> = row.targets.iter().filter(|t| targets.contains(*t)).map(Target::name).collect();
        match on.len() {
            0 => {}
            n if n == everywhere => list.push(rule.describe()),
            _ => list.push(format!("{} ({})", rule.describe(), on.join(", "))),
        }
    }
    list.extend(row.scratch.as_ref().map(|s| format!("scratch `{}`: {}", s.slot, s.rule)));
    list
}
