//! The functions of the Python package, one for each instruction: `BLESS=1 cargo test -p pto-isa --test suite python` writes them anew.

use pto_isa::call::{self, CallPart, ElementGroups, ElementSource, ResultRule};
use pto_isa::row::{AttrKind, Pipes, SlotCount, SlotKind};
use pto_isa::{EnumDef, Op, Row, ScalarType, Target, Type, enums, table};
use std::fmt::Write as _;
use std::path::Path;

const HEAD: &str = r#""""The instructions, one function each: what is written comes first, then what is read.

This file is made from the instruction table (``BLESS=1 cargo test -p pto-isa --test suite python``). Every call is recorded; it
returns what the instruction gives, or else something that later instructions can wait for (``after=``).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Union

from ._core import Handle, Issued
from ._core import Instruction as _op
from ._core import issue as _issue
from .scalars import Bool, BoolLike, DType, Index, IndexLike, Scalar, ScalarLike
from .tiles import Gm, Tile, TileType, Token, View

#: What an instruction can wait for: what others returned.
After = Union[Issued, Handle, Sequence[Union[Issued, Handle]], None]
"#;

/// The text must be that of the file.
pub fn compare(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bindings/python").join(file);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).expect("it can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "bindings/python/{file} is not what the rows say; BLESS=1 writes it anew");
}

#[test]
fn the_functions_are_those_of_the_rows() {
    let used: Vec<&EnumDef> = enums::ENUMS.iter().copied().filter(|def| is_used(def)).collect();
    let mut text = HEAD.to_string();
    let functions: Vec<PythonFunction> = table::isa().map(PythonFunction::new).collect();
    let names = used.iter().map(|def| enum_name(def)).chain(functions.iter().map(|f| f.name.clone()));
    text += "\n__all__ = [\n";
    names.for_each(|name| _ = writeln!(text, "    \"{name}\","));
    text += "]\n";
    used.iter().for_each(|def| text += &enumeration(def));
    functions.iter().for_each(|function| text += &function.text());
    compare("python/pto/instructions.py", &text);
}

fn is_used(def: &EnumDef) -> bool {
    table::isa().any(|op| op.row().attrs.iter().any(|a| a.enumeration() == Some(def)))
}

/// The name of C++ where there is one.
pub fn enum_name(def: &EnumDef) -> String {
    let word = |word: &str| word.get(..1).unwrap_or("").to_uppercase() + word.get(1..).unwrap_or("");
    if def.cpp.is_empty() { def.name.split('_').map(word).collect() } else { def.cpp.to_string() }
}

fn enumeration(def: &EnumDef) -> String {
    let prefix = format!("{}_", def.name.to_uppercase());
    let mut text = format!(
        "\n\nclass {}(str, Enum):\n    \"\"\"Values of the attribute ``{}`` of the dialect.\"\"\"\n\n",
        enum_name(def),
        def.name
    );
    for at in 0..def.values.len() {
        let value = def.value(at);
        let upper = value.to_uppercase();
        let name = upper.strip_prefix(&prefix).unwrap_or(&upper);
        let start = if name.starts_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
        _ = writeln!(text, "    {start}{name} = \"{value}\"");
    }
    text
}

/// A function of the package.
pub struct PythonFunction {
    pub op: Op,
    pub name: String,
    pub must: Vec<CallPart>,
    pub may: Vec<CallPart>,
    /// What the types of results need.
    pub given: Vec<(&'static str, &'static str)>,
    returns: String,
}

impl PythonFunction {
    pub fn new(op: Op) -> Self {
        let (must, may) = call::parts(op.row());
        let rules = ElementGroups::new(op.row(), &must).results(&must);
        let mut given = Vec::new();
        let returned: Vec<String> = rules.iter().map(|rule| returned(rule, &mut given)).collect();
        let returns = match &returned[..] {
            [] => "Issued".to_string(),
            [one] => one.clone(),
            several => format!("tuple[{}]", several.join(", ")),
        };
        Self { op, name: call::function_name(op), must, may, given, returns }
    }

    fn text(&self) -> String {
        let row = self.op.row();
        let mut params: Vec<String> =
            self.must.iter().map(|p| format!("{}: {}", name(row, *p), kind(row, *p))).collect();
        params.extend(self.given.iter().map(|(name, ty)| format!("{name}: {ty}")));
        params.push("*".to_string());
        let option = |p: &CallPart| format!("{}: {} | None = None", name(row, *p), kind(row, *p));
        params.extend(self.may.iter().map(option));
        params.push("after: After = None".to_string());
        let mut args: Vec<String> = self.must.iter().chain(&self.may).map(|p| name(row, *p)).collect();
        args.extend(self.given.iter().map(|(name, _)| (*name).to_string()));
        let args: String = args.iter().map(|a| format!(", {a}")).collect();
        let (function, returns) = (&self.name, &self.returns);
        let mut text = format!("\n\n_{function} = _op(\"{}\")\n\n\ndef {function}(\n", row.name);
        params.iter().for_each(|param| _ = writeln!(text, "    {param},"));
        _ = writeln!(text, ") -> {returns}:");
        text += &self.doc();
        let call = format!("_issue(_{function}, after{args})");
        // What the recorder gives is known to it alone.
        _ = writeln!(text, "    return {call}");
        text
    }

    fn doc(&self) -> String {
        let row = self.op.row();
        let mut lines: Vec<String> = row.doc.iter().map(|line| line.trim().to_string()).collect();
        lines.push(String::new());
        lines.push(facts(row));
        let arguments = self.must.iter().chain(&self.may).map(|p| argument(row, *p));
        lines.extend(section("Arguments", arguments.collect()));
        lines.extend(section("Element types", call::element_types(row)));
        lines.extend(section("Rules", call::rules(row)));
        lines.extend(section("Notes", row.notes.iter().map(|n| (*n).to_string()).collect()));
        let text = lines.join("\n").replace('\\', "\\\\").replace("\"\"\"", "'''");
        let mut doc = String::new();
        for (at, line) in text.trim_end().lines().enumerate() {
            let start = if at == 0 { "    \"\"\"" } else { "    " };
            doc += format!("{start}{line}").trim_end();
            doc += "\n";
        }
        if doc.lines().count() == 1 { doc.trim_end().to_string() + "\"\"\"\n" } else { doc + "    \"\"\"\n" }
    }
}

/// The name of an argument.
pub fn name(row: &'static Row, part: CallPart) -> String {
    call::argument_name(part.name(row))
}

/// What a result is, and what must be given for it.
fn returned(rule: &ResultRule, given: &mut Vec<(&'static str, &'static str)>) -> String {
    let mut element = |source: &ElementSource| {
        if *source == ElementSource::Given {
            given.push(("dtype", "type[DType]"));
        }
    };
    match rule {
        ResultRule::Type(Type::Scalar(ScalarType::Index)) => "Index",
        ResultRule::Type(Type::Scalar(ScalarType::I1)) => "Bool",
        ResultRule::Type(Type::Scalar(_)) => "Scalar[Any]",
        ResultRule::Type(_) => "Token",
        ResultRule::Tile => {
            given.push(("ty", "TileType"));
            "Tile"
        }
        ResultRule::Text => {
            given.push(("ty", "str"));
            "Any"
        }
        ResultRule::Scalar(source) => {
            element(source);
            "Scalar[Any]"
        }
        ResultRule::Ptr(source) => {
            element(source);
            "Gm[Any]"
        }
        ResultRule::View { extents, element: source, .. } => {
            if extents.is_none() {
                given.push(("shape", "Sequence[IndexLike]"));
            }
            if *source == ElementSource::Given {
                given.push(("dtype", "type[DType]"));
            }
            "View"
        }
    }
    .to_string()
}

/// The type of an argument.
fn kind(row: &'static Row, part: CallPart) -> String {
    let at = match part {
        CallPart::Slot(at) => at,
        CallPart::Attr(spec) => {
            return match spec.kind {
                AttrKind::Enum(def) | AttrKind::EnumOr(def, _) => format!("{} | str", enum_name(def)),
                AttrKind::Int(..) | AttrKind::OneOf(_) => "int".to_string(),
                AttrKind::Bool | AttrKind::Unit => "bool".to_string(),
                AttrKind::Str | AttrKind::Symbol => "str".to_string(),
                AttrKind::Ints => "Sequence[int]".to_string(),
                AttrKind::Any => "Any".to_string(),
            };
        }
    };
    let one = match row.slots[at].kind {
        SlotKind::Tile => "Tile",
        SlotKind::TileOrScalar => "Tile | ScalarLike",
        SlotKind::View => "View",
        SlotKind::TileOrView => "Tile | View",
        SlotKind::Scalar | SlotKind::Float => "ScalarLike",
        SlotKind::Int => "Scalar[Any] | int",
        SlotKind::Index => "IndexLike",
        SlotKind::Bool => "BoolLike",
        SlotKind::Ptr => "Gm[Any]",
        SlotKind::Pipe | SlotKind::Event | SlotKind::Session | SlotKind::AsyncEvent => "Token",
        SlotKind::MultiTile | SlotKind::EventIds | SlotKind::Vector | SlotKind::Any => "Handle",
    };
    if row.slots[at].count == SlotCount::Many { format!("Sequence[{one}]") } else { one.to_string() }
}

fn facts(row: &Row) -> String {
    let targets: Vec<&str> = row.targets.iter().map(Target::name).collect();
    let pipe = match row.pipe {
        Pipes::One(pipe) => format!("; pipe {}", pipe.name()),
        Pipes::None | Pipes::Cases(_) | Pipes::Attr(_) => String::new(),
    };
    format!("Text: ``{}``; targets: {}{pipe}.", row.full_name(), targets.join(", "))
}

fn argument(row: &'static Row, part: CallPart) -> String {
    let name = name(row, part);
    match part {
        CallPart::Slot(at) => {
            let slot = &row.slots[at];
            let scratch = row.scratch.as_ref().is_some_and(|s| s.slot == slot.name);
            let how = if scratch { "scratch " } else { "" };
            format!("{name}: {how}{}", slot.kind.noun())
        }
        CallPart::Attr(spec) => {
            let default = if spec.default.is_empty() { String::new() } else { format!("; else {}", spec.default) };
            format!("{name}: {} ({}{default})", spec.doc, spec.legal_values())
        }
    }
}

fn section(title: &str, list: Vec<String>) -> Vec<String> {
    if list.is_empty() {
        return Vec::new();
    }
    let head = [String::new(), format!("{title}:")];
    head.into_iter().chain(list.into_iter().map(|line| format!("- {line}"))).collect()
}
