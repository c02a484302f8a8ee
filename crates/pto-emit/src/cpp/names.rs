//! Identifiers: names of the program where C++ takes them.

use crate::CppStyle;
use pto_isa::table;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// Words that mean something else in C++ or in the device headers.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "bfloat16_t",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "comm",
    "config",
    "const",
    "constexpr",
    "continue",
    "counter",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "event_t",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "half",
    "if",
    "inline",
    "limit",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "key",
    "long",
    "mutable",
    "namespace",
    "new",
    "not",
    "nullptr",
    "operator",
    "or",
    "private",
    "protected",
    "pto",
    "public",
    "register",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "std",
    "struct",
    "switch",
    "team",
    "template",
    "tensors",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
    "wide",
    "workspace",
    "xor",
    "main",
    "block_idx",
];

/// The names in use in one function.
#[derive(Default)]
pub(super) struct Identifiers {
    style: CppStyle,
    taken: HashSet<String>,
    next: HashMap<String, usize>,
    count: usize,
}

impl Identifiers {
    pub(super) fn new(style: CppStyle) -> Self {
        Self { style, ..Self::default() }
    }

    /// A new identifier, like the wanted one where that is possible.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        if self.style == CppStyle::Plain {
            self.count += 1;
            return format!("v{}", self.count);
        }
        let base = identifier(wanted);
        if self.taken.insert(base.clone()) {
            return base;
        }
        let next = self.next.entry(base.clone()).or_insert(2);
        loop {
            let name = format!("{base}_{next}");
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// The name of a function: its own, since launchers call it by it.
pub(super) fn function_name(wanted: &str) -> String {
    let name = spelled(wanted);
    if RESERVED.contains(&&*name) { name + "_" } else { name }
}

/// The nearest legal identifier for a value.
pub(super) fn identifier(wanted: &str) -> String {
    let mut name = spelled(wanted);
    // Two underscores belong to the compiler.
    while name.contains("__") {
        name = name.replace("__", "_");
    }
    if is_reserved(&name) { name + "_" } else { name }
}

/// Letters, digits and underscores, with a letter in front.
fn spelled(wanted: &str) -> String {
    let mut name: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.is_empty() || name == "_" {
        name = "v".to_string();
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'v');
    }
    // An underscore and a capital letter belong to the compiler.
    if name.starts_with('_') {
        name.insert(0, 'v');
    }
    name
}

/// Keywords, names of the headers that this crate writes, and everything in capitals, as macros are.
fn is_reserved(name: &str) -> bool {
    static FUNCTIONS: OnceLock<HashSet<&'static str>> = OnceLock::new();
    let functions = FUNCTIONS.get_or_init(|| table::all().map(|op| op.row().cpp.name).collect());
    let shouts = name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let type_like = name.starts_with(|c: char| c.is_ascii_uppercase()) && name.len() > 1;
    shouts || type_like || RESERVED.contains(&name) || functions.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        for (wanted, name) in [
            ("x", "x"),
            ("0", "v0"),
            ("a.b", "a_b"),
            ("x#1", "x_1"),
            ("int", "int_"),
            ("trap", "trap_"),
            ("TADD", "TADD_"),
            ("__x", "v_x"),
            ("", "v"),
            ("K", "K"),
        ] {
            assert_eq!(identifier(wanted), name);
        }
        assert_eq!(function_name("TADD_f32"), "TADD_f32");
        let mut names = Identifiers::new(CppStyle::Readable);
        assert_eq!(
            [names.fresh("a"), names.fresh("a"), names.fresh("a_2"), names.fresh("a")],
            ["a", "a_2", "a_2_2", "a_3"]
        );
        let mut names = Identifiers::new(CppStyle::Plain);
        assert_eq!([names.fresh("a"), names.fresh("b")], ["v1", "v2"]);
    }
}
