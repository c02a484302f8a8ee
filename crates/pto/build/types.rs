//! Sets of element types, memories and combinations of element types, as traits: what is not in them does not compile.

use crate::names::{element, memory, pascal};
use pto_isa::{DType, DTypes, Loc, Locs};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The sets that signatures need.
#[derive(Default)]
pub struct Sets {
    elements: BTreeMap<String, Vec<DType>>,
    memories: BTreeMap<String, Vec<Loc>>,
    combinations: BTreeMap<String, Vec<Vec<DType>>>,
}

impl Sets {
    /// The bound for elements of a set.
    pub fn elements(&mut self, set: DTypes) -> String {
        if set == DTypes::ALL {
            return "Element".to_string();
        }
        let list: Vec<DType> = set.iter().collect();
        let name = format!("Elem{}", list.iter().map(|d| format!("{d:?}")).collect::<String>());
        self.elements.insert(name.clone(), list);
        format!("sets::{name}")
    }

    /// The bound for memories of a set; `Err` is the only member.
    pub fn memories(&mut self, set: Locs) -> Result<String, Loc> {
        let list: Vec<Loc> = set.iter().collect();
        match list[..] {
            [only] => return Err(only),
            _ if list.len() == Loc::ALL.len() => return Ok("Memory".to_string()),
            _ => {}
        }
        let name = format!("In{}", list.iter().map(|l| memory(*l)).collect::<String>());
        self.memories.insert(name.clone(), list);
        Ok(format!("sets::{name}"))
    }

    /// The bound for combinations of element types, named after an instruction that has it.
    pub fn combinations(&mut self, instruction: &str, list: Vec<Vec<DType>>) -> String {
        let known = self.combinations.iter().find(|(_, other)| **other == list).map(|(name, _)| name.clone());
        let name = known.unwrap_or_else(|| format!("TypesOf{}", pascal(instruction)));
        self.combinations.insert(name.clone(), list);
        format!("sets::{name}")
    }

    /// The traits.
    pub fn traits(&self) -> String {
        let mut text = "\n/// What the operands of instructions may be, where that is neither one thing nor anything.\npub mod sets {\n    \
                        use super::*;\n"
            .to_string();
        for (name, list) in &self.elements {
            let words: Vec<String> = list.iter().map(|d| element(*d)).collect();
            let message = "this instruction does not take elements of `{Self}` on any target";
            declare(&mut text, name, "Element", message, &format!("it takes {}", words.join(", ")));
            words.iter().for_each(|word| implement(&mut text, name, word));
        }
        for (name, list) in &self.memories {
            let words: Vec<String> = list.iter().map(|l| memory(*l)).collect();
            let message = "this instruction does not take a tile in `{Self}` here";
            declare(&mut text, name, "Memory", message, &format!("it takes tiles in {}", words.join(", ")));
            words.iter().for_each(|word| implement(&mut text, name, word));
        }
        for (name, list) in &self.combinations {
            let tuple =
                |types: &Vec<DType>| format!("({})", types.iter().map(|d| element(*d)).collect::<Vec<_>>().join(", "));
            let words: Vec<String> = list.iter().map(tuple).collect();
            let message = "this instruction does not take the element types `{Self}` together on any target";
            declare(&mut text, name, "", message, &format!("it takes {}", words.join(", ")));
            words.iter().for_each(|word| implement(&mut text, name, word));
        }
        text + "}\n"
    }
}

fn declare(text: &mut String, name: &str, above: &str, message: &str, note: &str) {
    let above = if above.is_empty() { String::new() } else { format!(": {above}") };
    let doc = note.replace("it takes ", "");
    let _ = writeln!(
        text,
        "\n    /// One of {doc}.\n    #[diagnostic::on_unimplemented(message = \"{message}\", note = \"{note}\")]\n    pub trait {name}{above} {{}}"
    );
}

fn implement(text: &mut String, name: &str, what: &str) {
    let _ = writeln!(text, "    impl {name} for {what} {{}}");
}
