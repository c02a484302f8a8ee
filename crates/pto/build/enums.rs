//! Enumerations of attributes as Rust enumerations.

use crate::names::pascal;
use pto_isa::EnumDef;
use pto_isa::enums::ENUMS;
use pto_isa::table;
use std::fmt::Write as _;

/// The Rust name: that of C++ where there is one.
pub fn name(def: &EnumDef) -> String {
    if def.cpp.is_empty() { pascal(def.name) } else { def.cpp.to_string() }
}

/// The Rust name of a value; `PIPE_V` of the pipes is `V`.
pub fn variant(def: &EnumDef, at: usize) -> String {
    let value = def.value(at);
    let prefix = format!("{}_", def.name.to_ascii_uppercase());
    pascal(value.strip_prefix(&prefix).unwrap_or(value))
}

pub fn all() -> String {
    let used = |def: &EnumDef| {
        table::isa().any(|op| op.row().attrs.iter().any(|a| a.enumeration().is_some_and(|used| used == def)))
    };
    ENUMS.iter().filter(|def| used(def)).map(|def| one(def)).collect()
}

fn one(def: &EnumDef) -> String {
    let mut text = String::new();
    let name = name(def);
    let _ = writeln!(
        text,
        "\n/// Values of the attribute `{}` of the dialect.\n#[derive(Clone, Copy, PartialEq, Eq, Debug)]\npub enum {name} {{",
        def.name
    );
    for at in 0..def.values.len() {
        let _ = writeln!(text, "    /// `{}`\n    {},", def.value(at), variant(def, at));
    }
    let _ = writeln!(
        text,
        "}}\n\nimpl AttrArg for {name} {{\n    fn attr(self, module: &mut crate::ir::Module) -> crate::ir::Attr {{\n        \
         let def = crate::isa::enums::find({:?}).expect(\"an enumeration of the table\");\n        \
         EnumChoice(def, self as u8).attr(module)\n    }}\n}}",
        def.name
    );
    text
}
