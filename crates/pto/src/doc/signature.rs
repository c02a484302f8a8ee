//! The declaration of an instruction's C++ function, with the events that it takes and returns.

use crate::isa::row::{AttrKind, SlotCount, SlotKind};
use crate::isa::{Op, Row};

/// The header with the functions for tiles.
pub(super) const HEADER: &str = "include/pto/common/pto_instr.hpp";
/// The header with the enumerations.
pub(super) const TYPES: &str = "include/pto/common/type.hpp";

/// The declarations behind the calls of an instruction; template parameters are named after the operands.
pub(super) fn declarations(op: Op, calls: &[String]) -> Vec<String> {
    let row = op.row();
    let mut found: Vec<String> = Vec::new();
    for call in calls.iter().flat_map(|call| call.lines()) {
        let Some((name, arguments)) = call.split_once('(') else { continue };
        let Some(arguments) = arguments.strip_suffix(");") else { continue };
        let (name, templates) = name.split_once('<').map_or((name, ""), |(n, t)| (n, t.trim_end_matches('>')));
        if name != row.cpp.name {
            continue;
        }
        let arguments: Vec<&str> = arguments.split(", ").collect();
        let is_tmp = |a: &&str| {
            row.slots.iter().any(|s| s.name == *a && s.count == SlotCount::Optional && row.cpp.scratch.is_empty())
        };
        // A function with an optional operand is declared without it, too.
        let short: Vec<&str> = arguments.iter().copied().filter(|a| !is_tmp(a)).collect();
        for arguments in [short, arguments] {
            let declared = declaration(row, name, templates, &arguments);
            found.extend(declared.filter(|text| !found.contains(text)).into_iter().collect::<Vec<_>>());
        }
    }
    found
}

/// One declaration, unless an argument is not an operand or attribute by itself.
fn declaration(row: &Row, name: &str, templates: &str, arguments: &[&str]) -> Option<String> {
    let mut types: Vec<String> = templates.split(", ").filter(|t| !t.is_empty()).map(|t| format!("auto {t}")).collect();
    let mut parameters = Vec::new();
    for argument in arguments {
        let alike = row.cpp.alike.iter().find(|group| group.contains(argument)).and_then(|group| group.first());
        match (row.slots.iter().find(|s| s.name == *argument), row.attrs.iter().find(|a| a.name == *argument)) {
            (Some(slot), _) if slot.kind == SlotKind::Tile => {
                let ty = format!("TileData{}", camel(alike.unwrap_or(argument)));
                parameters.push(format!("{ty} &{argument}"));
                types.push(format!("typename {ty}"));
            }
            (Some(_), _) => {
                parameters.push(format!("T {argument}"));
                types.push("typename T".to_string());
            }
            (None, Some(attr)) => {
                let ty = match attr.kind {
                    AttrKind::Enum(def) | AttrKind::EnumOr(def, _) => def.cpp,
                    AttrKind::Bool | AttrKind::Unit => "bool",
                    _ => return None,
                };
                parameters.push(format!("{ty} {argument}"));
            }
            (None, None) => return None,
        }
    }
    let mut seen = Vec::new();
    types.retain(|t| {
        !seen.contains(t) && {
            seen.push(t.clone());
            true
        }
    });
    types.push("typename... WaitEvents".to_string());
    parameters.push("WaitEvents &...events".to_string());
    Some(format!("template <{}>\nPTO_INST RecordEvent {name}({});", types.join(", "), parameters.join(", ")))
}

/// `src0_val` becomes `Src0Val`.
fn camel(name: &str) -> String {
    let word = |w: &str| w.chars().take(1).flat_map(char::to_uppercase).chain(w.chars().skip(1)).collect::<String>();
    name.split('_').map(word).collect()
}
