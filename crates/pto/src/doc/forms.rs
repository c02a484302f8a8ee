//! One instruction in each of the text forms, with the details of types left out.

use crate::ir::{Module, OpId, Value};
use crate::isa::Op;
use crate::{Form, Program};
use pto_isa::text_key;
use std::collections::HashSet;

/// Titles of the forms, in the order pages show them.
const FORMS: [(&str, Form); 4] = [
    (text_key!("Assembly"), Form::Asm),
    (text_key!("Level 1 (values)"), Form::Level1),
    (text_key!("Level 2 (buffers)"), Form::Level2),
    (GENERIC, Form::Generic),
];

pub(super) const GENERIC: &str = text_key!("Generic");
/// The title of a text that the other forms share.
pub(super) const ALL_BUT_GENERIC: &str = text_key!("Assembly, levels 1 and 2");

/// Types whose parameters are left out.
const SHORTENED: [&str; 5] =
    ["!pto.tile_buf<", "!pto.tile<", "!pto.multi_tile_buf<", "!pto.partition_tensor_view<", "!pto.tensor_view<"];

/// The line of an instruction in each form; forms with the same text share an entry.
pub(super) fn lines(op: Op, program: &str) -> Vec<(&'static str, String)> {
    let mut module = Program::parse(program).module().clone();
    name_by_slot(&mut module, op);
    let mut found: Vec<(&'static str, String)> = Vec::new();
    for (title, form) in FORMS {
        let Some(line) = line(&module, op, form) else { continue };
        match found.last_mut() {
            Some(last) if last.1 == line => last.0 = ALL_BUT_GENERIC,
            _ => found.push((title, line)),
        }
    }
    found
}

fn line(module: &Module, op: Op, form: Form) -> Option<String> {
    let text = crate::ir::print(module, crate::ir::Style { form: Some(form), ..Default::default() });
    let name = match form {
        Form::Generic => format!("\"{}\"", op.row().full_name()),
        Form::Asm => op.row().name.to_string(),
        Form::Level1 | Form::Level2 => op.row().full_name(),
    };
    let line = text.lines().map(str::trim).find(|l| mentions(l, &name))?;
    // What a value form names is a value; that the program keeps it in a buffer is beside the point here.
    let values = matches!(form, Form::Asm | Form::Level1) && op.row().has_result_slots();
    let line = if values { line.replace("!pto.tile_buf<", "!pto.tile<") } else { line.to_string() };
    Some(shorten(&line))
}

/// True when a line has this name as a word.
fn mentions(line: &str, name: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '@' | '%');
    let apart = |c: Option<char>| !c.is_some_and(is_name);
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].strip_suffix("pto.").unwrap_or(&line[..at]);
        apart(before.chars().next_back()) && apart(line[at + name.len()..].chars().next())
    })
}

/// `!pto.tile_buf<vec, 16x16xf32>` becomes `!pto.tile_buf<...>`.
fn shorten(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((at, open)) = SHORTENED.iter().filter_map(|s| Some((rest.find(s)?, s))).min() {
        let (before, body) = rest.split_at(at + open.len());
        out += before;
        out += "...>";
        rest = body.split_once('>').map_or("", |(_, after)| after);
    }
    out + rest
}

/// Gives the operands and results of the first use of an instruction the names of its slots. A program may pass one value
/// to several slots; here each slot has its own value.
fn name_by_slot(module: &mut Module, op: Op) {
    let Some(id) = first_use(module, op) else { return };
    let row = op.row();
    for value in module.results(id) {
        let slot = usize::from(module.value(value).slot);
        if slot < row.slots.len() + row.results.len() {
            let name = module.names.intern(row.slot_at(slot).name);
            module.value_mut(value).name = name;
        }
    }
    let operands = module.operands(id).to_vec();
    let entry = module.functions().first().and_then(|f| module.op_regions(*f).first().copied());
    let entry = entry.and_then(|r| module.region(r).blocks.first().copied());
    let mut taken = HashSet::new();
    for (at, o) in operands.iter().enumerate() {
        let value = match entry {
            Some(entry) if !taken.insert(o.value) => {
                let Value { ty, name, span, .. } = *module.value(o.value);
                let other = module.add_arg(entry, ty, name, span);
                module.set_operand(id, at, other);
                other
            }
            _ => o.value,
        };
        let all = operands.iter().filter(|p| p.slot == o.slot).count();
        let before = operands[..at].iter().filter(|p| p.slot == o.slot).count();
        let slot = row.slot_at(usize::from(o.slot)).name;
        let name = if all > 1 { format!("{slot}{before}") } else { slot.to_string() };
        let name = module.names.intern(&name);
        module.value_mut(value).name = name;
    }
}

pub(super) fn first_use(module: &Module, op: Op) -> Option<OpId> {
    let mut found = None;
    module.walk(module.top, &mut |id| {
        if found.is_none() && module.op(id).op == op {
            found = Some(id);
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_shortened_and_the_rest_is_kept() {
        let line = "pto.t ins(%a, %i : !pto.tile_buf<vec, 16x16xf32>, index) outs(%b : !pto.tile<vec, 1x8xf32>)";
        assert_eq!(shorten(line), "pto.t ins(%a, %i : !pto.tile_buf<...>, index) outs(%b : !pto.tile<...>)");
    }

    #[test]
    fn names_are_found_as_words() {
        assert!(mentions("%d = tmax %a, %b", "tmax"));
        assert!(mentions("pto.tmax ins(", "tmax"));
        assert!(!mentions("%tmax = pto.tmaxs %a", "tmax"));
    }
}
