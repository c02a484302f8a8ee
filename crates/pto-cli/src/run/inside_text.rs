//! What was seen inside a run, for people.

use super::inside::{self, Distinctions, Inside, InsideReport};
use crate::Failure;
use crate::input::InputText;
use pto::data::{shape_text, show};
use pto::isa::text;
use pto::trace::FoundNumbers;

/// Values inside the run, and what `--find` found.
pub(super) fn inside(
    asked: &Inside,
    report: &InsideReport,
    source: &InputText,
    (blocks, ranks): (u32, usize),
) -> Result<String, Failure> {
    let has = Distinctions { blocks: blocks > 1, ranks: ranks > 1 };
    let width = crate::render::columns().unwrap_or(96).clamp(60, 110);
    let mut text = String::new();
    for value in report.values.iter().filter(|v| v.asked < asked.printed) {
        let (of, array) = (&asked.shown[value.asked], inside::array(&value.contents)?);
        let place = inside::place(&value.occurrence, &has);
        let place = if place.is_empty() { place } else { format!(", {place}") };
        let (name, file, line) = (&of.text, &source.name, of.line);
        let shape = if array.shape().is_empty() { String::new() } else { format!(" {}", shape_text(array.shape())) };
        text += &text!(
            "\n{name}: {dtype}{shape} after {file}:{line}{place}\n",
            name,
            dtype = value.contents.type_name(),
            shape,
            file,
            line,
            place
        );
        text += &match array.shape() {
            [] => format!("{}\n", value.contents.text(0, 0)),
            _ => format!("{}\n", show(&array, width)),
        };
    }
    for (value, more) in asked.shown.iter().zip(&report.more).take(asked.printed).filter(|(_, more)| **more > 0) {
        let help = text!("choose one: {value}[iteration=2]", value = value.text);
        text += &text!("\n{value}: {more} more times; {help}\n", value = value.text, more, help);
    }
    let mut instructions = report.instructions.iter();
    for found in &report.found {
        text += &found_text(found, &mut instructions, source, &has);
    }
    Ok(text)
}

/// What was found of one kind: the first maker in full, the others in a line each.
fn found_text<'a>(
    found: &FoundNumbers,
    instructions: &mut impl Iterator<Item = &'a String>,
    source: &InputText,
    has: &Distinctions,
) -> String {
    let kind = found.kind.name();
    let file = &source.name;
    let mut text = String::new();
    for (k, (maker, instruction)) in found.makers.iter().zip(instructions.by_ref()).enumerate() {
        let line = maker.line;
        if k == 0 {
            let occurrence = maker.occurrence();
            let place = inside::place(&occurrence, has);
            let place = if place.is_empty() { place } else { format!(", {place}") };
            text += &text!(
                "\n{kind}: first made by {instruction} at {file}:{line}{place}\n",
                kind,
                instruction,
                file,
                line,
                place
            );
            let (row, col) = maker.element;
            text += &format!("  %{}[{row}, {col}] = {}\n", maker.result, maker.number);
            for operand in &maker.operands {
                let (row, col) = operand.element;
                text += &text!(
                    "    from %{name}[{row}, {col}] = {number}\n",
                    name = operand.name,
                    row,
                    col,
                    number = operand.number
                );
            }
        }
        let (elements, executions) = (maker.elements, maker.executions);
        text += &text!(
            "  {file}:{line} {instruction}: {elements} elements in {executions} executions\n",
            file,
            line,
            instruction,
            elements,
            executions
        );
    }
    if found.makers.is_empty() {
        text += &text!("\n{kind}: no instruction made one\n", kind);
    }
    if found.inherited > 0 {
        text +=
            &text!("  {count} elements of later results come from operands that had some\n", count = found.inherited);
    }
    text
}
