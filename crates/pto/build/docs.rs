//! The documentation of a function, from its row.

use crate::example::{self, Example};
use crate::signature::Signature;
use pto_isa::call::{self, CallPart, argument_name};
use pto_isa::row::Pipes;
use pto_isa::{Op, Row, Target};

/// The comment above a function.
pub fn function(op: Op, signature: &Signature, example: Option<&Example>) -> String {
    let row = op.row();
    let mut lines: Vec<String> = row.doc.iter().map(|line| line.trim().to_string()).collect();
    lines.push(String::new());
    lines.push(facts(row));
    lines.extend(section("Arguments", signature.parts.iter().map(|p| part(row, p)).collect()));
    lines.extend(section("It may be told", signature.optional.iter().map(|p| part(row, p)).collect()));
    lines.extend(section("Element types", call::element_types(row)));
    lines.extend(section("Rules", call::rules(row)));
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
