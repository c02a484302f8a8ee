//! The Rust function of an instruction: what must be given are arguments, what may be given are methods of what it returns.

use crate::names;
use crate::types::Sets;
use crate::{enums, names::element};
use pto_isa::call::{self, CallPart, ElementGroups, ElementSource, ResultRule};
use pto_isa::row::{AttrKind, AttrSpec, ElemRule, SlotCount, SlotKind};
use pto_isa::rules::Rule;
use pto_isa::{DType, Op, Row, ScalarType, Slot, Target, Token, Type, table};
use std::fmt::Write as _;

/// An argument in Rust: its name, its type, and what it adds to the call.
pub struct RustArgument {
    name: String,
    ty: String,
    adds: Adds,
    /// The expression for what is added.
    value: String,
}

/// What an argument adds to a call.
enum Adds {
    Operand(usize),
    /// A tile that is read, or the one that is written.
    Source(usize),
    Operands(usize),
    Attr(&'static str),
    /// Nothing: it is part of a result's type.
    Nothing,
}

impl RustArgument {
    /// An argument that only says the type of a result.
    fn for_type(name: &str, ty: &str) -> Self {
        Self { name: name.to_string(), ty: ty.to_string(), adds: Adds::Nothing, value: String::new() }
    }
}

/// A function.
pub struct Signature {
    op: Op,
    pub args: Vec<RustArgument>,
    pub parts: Vec<CallPart>,
    pub optional: Vec<CallPart>,
    options: Vec<String>,
    generics: Vec<String>,
    bounds: Vec<String>,
    results: Vec<Returned>,
}

/// A result: its Rust type, the type in the program, and how the one becomes the other.
struct Returned {
    ty: String,
    ir: String,
    make: String,
}

impl Signature {
    pub fn new(op: Op, sets: &mut Sets) -> Self {
        let row = op.row();
        let (parts, optional) = call::parts(row);
        let mut writer = SignatureWriter::new(op, sets, &parts);
        let mut args: Vec<RustArgument> = parts.iter().map(|part| writer.argument(part)).collect();
        let results = writer.results(&parts, &mut args);
        let bounds = writer.combinations();
        let SignatureWriter { generics, .. } = writer;
        let options = optional.iter().map(|part| option(op, sets, part)).collect();
        Self { op, args, parts, optional, options, generics, bounds, results }
    }

    /// What the function returns.
    fn returns(&self) -> (String, String) {
        let marker =
            if self.optional.is_empty() { "()".to_string() } else { format!("ops::{}", call::function_name(self.op)) };
        let value = match &self.results[..] {
            [] if self.optional.is_empty() => return ("Issued".to_string(), String::new()),
            [] => return (format!("Issued<{marker}>"), String::new()),
            [one] => one.ty.clone(),
            several => format!("({})", several.iter().map(|r| r.ty.as_str()).collect::<Vec<_>>().join(", ")),
        };
        (if self.optional.is_empty() { value.clone() } else { format!("Issued<{marker}, {value}>") }, value)
    }

    /// True when the type of a result, or the extents of a view, are arguments.
    pub fn needs_type(&self) -> bool {
        self.args.iter().any(|a| matches!(a.adds, Adds::Nothing))
    }

    pub fn has_results(&self) -> bool {
        !self.results.is_empty()
    }

    pub fn function(&self, doc: &str) -> String {
        let mut text = format!("\n{doc}#[track_caller]\n");
        if self.has_results() {
            text += "#[must_use]\n";
        }
        if self.args.len() > 7 {
            text += "#[expect(clippy::too_many_arguments, reason = \"the instruction has as many\")]\n";
        }
        let generics = if self.generics.is_empty() { String::new() } else { format!("<{}>", self.generics.join(", ")) };
        let args: Vec<String> = self.args.iter().map(|a| format!("{}: {}", a.name, a.ty)).collect();
        let bounds = if self.bounds.is_empty() {
            String::new()
        } else {
            format!("\nwhere\n    {},\n", self.bounds.join(",\n    "))
        };
        let name = call::function_name(self.op);
        let _ = write!(text, "pub fn {name}{generics}({}) -> {}{bounds} ", args.join(", "), self.returns().0);
        let _ = writeln!(text, "{{\n    let call = InstrCall::new(OPS[{}]);", position(self.op));
        for RustArgument { name, ty, adds, value } in &self.args {
            // Lists of indices are read twice: for the call, and for the type of a view.
            if ty == "impl IndexList" {
                let _ = writeln!(text, "    let {name}_list = {name}.indices();");
            }
            let added = match adds {
                Adds::Operand(slot) => format!("operand({slot}, {value})"),
                Adds::Source(slot) => format!("source({slot}, {value})"),
                Adds::Operands(slot) => format!("operands({slot}, {value})"),
                Adds::Attr(attr) => format!("attr({attr:?}, {value})"),
                Adds::Nothing => continue,
            };
            let _ = writeln!(text, "    let call = call.{added};");
        }
        text + &self.finish() + "}\n"
    }

    fn finish(&self) -> String {
        if self.results.is_empty() {
            return "    call.issue()\n".to_string();
        }
        let types: Vec<&str> = self.results.iter().map(|r| r.ir.as_str()).collect();
        let makes: Vec<String> =
            self.results.iter().enumerate().map(|(i, r)| r.make.replace('$', &format!("values[{i}]"))).collect();
        let value = if let [one] = &makes[..] { one.clone() } else { format!("({})", makes.join(", ")) };
        let (op, value) =
            if self.optional.is_empty() { ("_", value) } else { ("op", format!("Issued::new(op, {value})")) };
        format!("    let ({op}, values) = call.record(&[{}]);\n    {value}\n", types.join(", "))
    }

    /// The methods for what may be given.
    pub fn options(&self) -> String {
        if self.options.is_empty() {
            return String::new();
        }
        let name = call::function_name(self.op);
        format!("\n/// What `{name}` may be told.\nimpl<R> Issued<ops::{name}, R> {{\n{}}}\n", self.options.join("\n"))
    }
}

/// The instructions in the order of the table. A constant of the table in a generic function would be evaluated again for each of
/// them, which takes longer than everything else in the crate; in a static it is evaluated once.
pub fn constants() -> String {
    let names: String = table::isa().map(|op| format!("    op::{},\n", call::function_name(op))).collect();
    format!("static OPS: &[crate::isa::Op] = {{\n    use crate::isa::table::op;\n    &[\n{names}]\n}};\n")
}

/// Where an instruction stands among them.
fn position(op: Op) -> usize {
    table::isa().position(|other| other == op).expect("an instruction of the table")
}

/// The types that tell the methods of one instruction from those of another.
pub fn markers() -> String {
    let mut text = "/// Names of instructions that may be told more than they must be.\n\
                    #[expect(non_camel_case_types, reason = \"they are named like the instructions\")]\npub mod ops {\n"
        .to_string();
    for op in table::isa().filter(|op| !call::parts(op.row()).1.is_empty()) {
        let name = call::function_name(op);
        let _ =
            writeln!(text, "    /// See [`{name}`](super::{name}()).\n    #[derive(Debug)]\n    pub enum {name} {{}}");
    }
    text + "}\n"
}

/// Writes the types of one function.
struct SignatureWriter<'a> {
    op: Op,
    row: &'static Row,
    sets: &'a mut Sets,
    groups: ElementGroups,
    generics: Vec<String>,
    /// The element type of a group, once it has been asked for.
    elements: Vec<Option<String>>,
}

impl<'a> SignatureWriter<'a> {
    fn new(op: Op, sets: &'a mut Sets, parts: &[CallPart]) -> Self {
        let row = op.row();
        let groups = ElementGroups::new(row, parts);
        let elements = vec![None; groups.count()];
        Self { op, row, sets, groups, generics: Vec::new(), elements }
    }

    /// The element type of a slot in Rust.
    fn element(&mut self, slot: usize) -> String {
        let group = self.groups.of(slot);
        if let Some(known) = &self.elements[group] {
            return known.clone();
        }
        let legal = self.groups.legal(group);
        let list: Vec<DType> = legal.iter().collect();
        let name = if let [only] = list[..] {
            element(only)
        } else {
            let bound = self.sets.elements(legal);
            self.generic("T", &bound)
        };
        self.elements[group] = Some(name.clone());
        name
    }

    /// A new type parameter.
    fn generic(&mut self, stem: &str, bound: &str) -> String {
        let known = self.generics.iter().filter(|g| g.starts_with(stem)).count();
        let name = if known == 0 { stem.to_string() } else { format!("{stem}{known}") };
        self.generics.push(format!("{name}: {bound}"));
        name
    }

    fn memory(&mut self, slot: &Slot) -> String {
        match self.sets.memories(slot.locs) {
            Ok(bound) => self.generic("L", &bound),
            Err(only) => names::memory(only),
        }
    }

    fn argument(&mut self, part: &CallPart) -> RustArgument {
        match part {
            CallPart::Slot(slot) => self.operand(*slot),
            CallPart::Attr(spec) => attribute(spec),
        }
    }

    fn operand(&mut self, at: usize) -> RustArgument {
        let slot = self.row.slot_at(at);
        let name = call::argument_name(slot.name);
        let written = call::is_written(self.row, at);
        let reference = if written { "&mut" } else { "&" };
        if slot.count == SlotCount::Many {
            return self.several(at, name);
        }
        let (ty, how) = match slot.kind {
            SlotKind::Tile => {
                let memory = self.memory(slot);
                let element = self.element(at);
                if !written {
                    let value = format!("{name}.source()");
                    return RustArgument {
                        name,
                        ty: format!("impl SourceTile<{memory}, {element}>"),
                        adds: Adds::Source(at),
                        value,
                    };
                }
                (format!("&mut impl TileOf<{memory}, {element}>"), "value()")
            }
            SlotKind::TileOrScalar => (format!("impl TileOrScalar<{}>", self.element(at)), "either()"),
            SlotKind::View => (format!("{reference} View<{}>", self.element(at)), "value()"),
            SlotKind::TileOrView => (format!("{reference} impl TileOrView<{}>", self.element(at)), "value()"),
            SlotKind::Scalar if slot.elem == ElemRule::Any && self.groups.is_alone(at) => {
                ("impl AnyScalar".to_string(), "any()")
            }
            SlotKind::Scalar => scalar(&self.element(at)),
            SlotKind::Int if self.groups.legal(self.groups.of(at)).iter().count() == 1 => scalar(&self.element(at)),
            SlotKind::Int => ("impl AnyInt".to_string(), "int()"),
            SlotKind::Float => ("impl AnyScalar".to_string(), "any()"),
            SlotKind::Index => scalar("Idx"),
            SlotKind::Bool => scalar("bool"),
            SlotKind::Ptr => (format!("Gm<{}>", self.element(at)), "value()"),
            SlotKind::Pipe => (format!("{reference} PipeHandle"), "value()"),
            SlotKind::Event => (format!("{reference} EventToken"), "value()"),
            SlotKind::Session => (format!("{reference} Session"), "value()"),
            SlotKind::AsyncEvent => (format!("{reference} AsyncEvent"), "value()"),
            SlotKind::MultiTile | SlotKind::EventIds | SlotKind::Vector | SlotKind::Any => {
                (format!("{reference} impl Handle"), "value()")
            }
        };
        RustArgument { value: format!("{name}.{how}"), name, ty, adds: Adds::Operand(at) }
    }

    fn several(&mut self, at: usize, name: String) -> RustArgument {
        let (ty, list) = match self.row.slot_at(at).kind {
            SlotKind::Index => ("impl IndexList".to_string(), format!("{name}_list")),
            SlotKind::View => (format!("&[View<{}>]", self.element(at)), name.clone()),
            SlotKind::Int => ("&[Scalar<i64>]".to_string(), name.clone()),
            _ => ("&[&dyn Handle]".to_string(), name.clone()),
        };
        RustArgument { value: format!("{list}.iter().map(|v| v.value())"), name, ty, adds: Adds::Operands(at) }
    }

    /// Results that are always there. A result whose type the text must state takes one more argument.
    fn results(&mut self, parts: &[CallPart], args: &mut Vec<RustArgument>) -> Vec<Returned> {
        let rules = self.groups.results(parts);
        let always = (0..self.row.results.len()).filter(|i| self.row.results[*i].count != SlotCount::Optional);
        let first = self.row.slots.len();
        always.zip(rules).map(|(i, rule)| self.result(first + i, &rule, args)).collect()
    }

    fn result(&mut self, at: usize, rule: &ResultRule, args: &mut Vec<RustArgument>) -> Returned {
        let handle = |ty: String| Returned {
            ir: format!("<{ty} as ResultHandle>::ir_type()"),
            make: format!("<{ty} as ResultHandle>::from_result($)"),
            ty,
        };
        match rule {
            ResultRule::Type(ty) => handle(fixed_type(ty)),
            ResultRule::Tile => {
                let memory = self.memory(self.row.slot_at(at));
                let element = self.element(at);
                let bound = format!("ResultHandle + TileOf<{memory}, {element}>");
                handle(self.generic("R", &bound))
            }
            ResultRule::View { extents, is_window, .. } => {
                let element = self.element(at);
                if extents.is_none() {
                    args.push(RustArgument::for_type("shape", "impl IndexList"));
                }
                let (kind, list) = if *is_window { ("Partition", "sizes_list") } else { ("Tensor", "shape_list") };
                Returned {
                    ty: format!("View<{element}>"),
                    ir: format!("view_type::<{element}>(ViewKind::{kind}, &{list})"),
                    make: "View::from_value($)".to_string(),
                }
            }
            ResultRule::Scalar(source) => handle(format!("Scalar<{}>", self.result_element(at, *source))),
            ResultRule::Ptr(source) => handle(format!("Gm<{}>", self.result_element(at, *source))),
            ResultRule::Text => {
                args.push(RustArgument::for_type("ty", "&str"));
                Returned {
                    ty: "Opaque".to_string(),
                    ir: "trace::type_of(ty)".to_string(),
                    make: "Opaque::from_value($)".to_string(),
                }
            }
        }
    }

    fn result_element(&mut self, at: usize, source: ElementSource) -> String {
        match source {
            ElementSource::Only(one) => element(one),
            ElementSource::Group(group) => self.element(group),
            ElementSource::Given => self.element(at),
        }
    }

    /// Bounds on element types that are only legal together.
    fn combinations(&mut self) -> Vec<String> {
        let row = self.row;
        let lists = |target: Target| {
            row.rules_on(target).filter_map(|rule| match rule {
                Rule::Elems(slots, list) => Some((*slots, *list)),
                _ => None,
            })
        };
        let mut bounds = Vec::new();
        let all: Vec<_> = row.targets.iter().flat_map(lists).collect();
        let mut seen: Vec<&[&str]> = Vec::new();
        for (slots, _) in &all {
            let everywhere = row.targets.iter().all(|t| lists(t).any(|(s, _)| s == *slots));
            let asked = slots.iter().all(|s| row.slot(s).is_some_and(|at| self.elements[self.groups.of(at)].is_some()));
            if seen.contains(slots) || !everywhere || !asked {
                continue;
            }
            seen.push(slots);
            let mut legal: Vec<Vec<DType>> = Vec::new();
            for (_, list) in all.iter().filter(|(s, _)| s == slots) {
                let new: Vec<Vec<DType>> =
                    list.iter().map(|types| types.to_vec()).filter(|types| !legal.contains(types)).collect();
                legal.extend(new);
            }
            let types: Vec<String> = slots.iter().map(|s| self.element(row.slot(s).expect("a slot"))).collect();
            let bound = self.sets.combinations(&call::function_name(self.op), legal);
            bounds.push(format!("({}): {bound}", types.join(", ")));
        }
        bounds
    }
}

fn scalar(element: &str) -> (String, &'static str) {
    (format!("impl ScalarOf<{element}>"), "scalar().value()")
}

/// The Rust type of a result whose type is always the same.
fn fixed_type(ty: &Type) -> String {
    let name = match ty {
        Type::Scalar(ScalarType::I1) => "Bool",
        Type::Scalar(ScalarType::Index) => "Index",
        Type::Scalar(ScalarType::Elem(d)) => return format!("Scalar<{}>", element(*d)),
        Type::Token(Token::Pipe) => "PipeHandle",
        Type::Token(Token::AsyncSession) => "Session",
        Type::Token(Token::AsyncEvent) => "AsyncEvent",
        _ => "EventToken",
    };
    name.to_string()
}

/// An attribute as an argument.
fn attribute(spec: &'static AttrSpec) -> RustArgument {
    let name = call::argument_name(spec.name);
    let (ty, value) = match spec.kind {
        AttrKind::Enum(_) | AttrKind::EnumOr(..) => {
            (spec.enumeration().map(enums::name).unwrap_or_default(), name.clone())
        }
        AttrKind::Int(..) | AttrKind::OneOf(_) => ("i64".to_string(), name.clone()),
        AttrKind::Bool => ("bool".to_string(), name.clone()),
        AttrKind::Str => ("&str".to_string(), name.clone()),
        AttrKind::Symbol => ("&str".to_string(), format!("Symbol({name})")),
        AttrKind::Ints => ("&[i64]".to_string(), name.clone()),
        AttrKind::Unit => panic!("no instruction has an attribute without a value: {}", spec.name),
        AttrKind::Any => ("impl AttrArg".to_string(), name.clone()),
    };
    RustArgument { name, ty, adds: Adds::Attr(spec.name), value }
}

/// A method for something that may be given.
fn option(op: Op, sets: &mut Sets, part: &CallPart) -> String {
    let row = op.row();
    let mut writer = SignatureWriter::new(op, sets, &[]);
    let arg = writer.argument(part);
    let value = &arg.value;
    let (doc, body) = match part {
        CallPart::Slot(at) => {
            let value = if matches!(arg.adds, Adds::Source(_)) { value.clone() } else { format!("Some({value})") };
            let scratch = row.scratch.as_ref().is_some_and(|s| s.slot == row.slots[*at].name);
            let what =
                if scratch { "A scratch tile".to_string() } else { format!("The operand `{}`", row.slots[*at].name) };
            (what, format!("trace::add_operand(self.op(), {at}, {value});"))
        }
        CallPart::Attr(spec) => {
            let default =
                if spec.default.is_empty() { String::new() } else { format!(" Else it is `{}`.", spec.default) };
            let doc = format!("The attribute `{}`: {}; {}.{default}", spec.name, spec.doc, spec.legal_values());
            (doc, format!("trace::add_attr(self.op(), {:?}, {value});", spec.name))
        }
    };
    let generics = if writer.generics.is_empty() { String::new() } else { format!("<{}>", writer.generics.join(", ")) };
    let end = if doc.ends_with('.') { "" } else { "." };
    format!(
        "    /// {doc}{end}\n    pub fn {}{generics}(self, {}: {}) -> Self {{\n        {body}\n        self\n    }}\n",
        arg.name, arg.name, arg.ty
    )
}
