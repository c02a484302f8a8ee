//! An example of an instruction: the most ordinary legal use, as a kernel.

use crate::enums;
use crate::names::{element, memory};
use crate::signature::Signature;
use pto_isa::call::{CallPart, argument_name, function_name, is_written};
use pto_isa::fill::{self, Filling};
use pto_isa::row::{AttrKind, AttrSpec, SlotCount, SlotKind};
use pto_isa::rules::AttrValue;
use pto_isa::{BLayout, Compact, Dim, Op, Pad, SLayout, ScalarType, Target, TileType, Type};

/// A kernel around one instruction.
pub struct Example {
    op: Op,
    /// A target it is for.
    target: Target,
    params: Vec<String>,
    lines: Vec<String>,
    /// The instruction is legal without others.
    alone: bool,
}

impl Example {
    /// The most ordinary use on the first target that has one; none where it takes more than the instruction itself.
    pub fn new(op: Op, signature: &Signature) -> Option<Self> {
        let row = op.row();
        let mut targets = Target::ALL.into_iter().filter(|t| row.targets.contains(*t));
        let (target, filling) = targets.find_map(|t| Some((t, ordinary(op, t)?)))?;
        let mut kernel = ExampleKernel::default();
        let args: Option<Vec<String>> = signature.parts.iter().map(|p| kernel.part(&filling, p)).collect();
        let mut call = format!("{}({})", function_name(op), args?.join(", "));
        // An argument the text may leave out stands for an option that it has instead.
        let complete = signature.parts.iter().all(|p| matches!(p, CallPart::Attr(_)) || is_given(&filling, p));
        for part in signature.optional.iter().filter(|p| complete && is_given(&filling, p)) {
            let value = kernel.part(&filling, part)?;
            call += &format!(".{}({value})", part_name(&filling, part));
        }
        if signature.has_results() {
            let get = if signature.optional.is_empty() { "" } else { ".get()" };
            call = format!("let result{} = {call}{get}", result_type(&filling, signature)?);
        }
        kernel.lines.push(format!("{call};"));
        // Where the row brings a whole program, the instruction is not legal alone.
        Some(Self { op, target, params: kernel.params, lines: kernel.lines, alone: row.example.is_empty() })
    }

    fn kernel(&self) -> Vec<String> {
        let mut lines = vec![format!("Kernel::trace(\"example\", |{}| {{", self.params.join(", "))];
        lines.extend(self.lines.iter().map(|line| format!("    {line}")));
        lines.push("})".to_string());
        lines
    }

    /// The lines of a documentation test.
    fn documentation(&self) -> Vec<String> {
        let mut lines = vec!["```".to_string(), "use pto::tile::*;".to_string(), String::new()];
        let mut kernel = self.kernel();
        kernel[0] = format!("let kernel = {}", kernel[0]);
        lines.extend(kernel);
        lines.last_mut().expect("it has lines").push(';');
        lines.push(if self.alone {
            format!("assert!(kernel.check(pto::Target::{:?}).is_ok());", self.target)
        } else {
            format!("assert!(kernel.to_text(pto::Form::Level2).contains(\"{}\"));", self.op.row().full_name())
        });
        lines.push("```".to_string());
        lines
    }

    /// A function for tests that makes the kernel.
    pub fn test(&self) -> String {
        let name = function_name(self.op);
        format!(
            "\nfn {name}_example() -> Example {{\n    Example {{ name: {name:?}, target: Target::{:?}, alone: {}, kernel: {} }}\n}}\n",
            self.target,
            self.alone,
            self.kernel().join("\n    ")
        )
    }
}

/// A list of the functions that make examples.
pub fn tests(examples: &[Example]) -> String {
    let names: Vec<String> = examples.iter().map(|e| format!("    {}_example,\n", function_name(e.op))).collect();
    let functions: String = examples.iter().map(Example::test).collect();
    format!("pub const ALL: &[fn() -> Example] = &[\n{}];\n{functions}", names.concat())
}

/// The lines of the section; text where Rust needs more than the instruction itself.
pub fn lines(op: Op, example: Option<&Example>) -> Vec<String> {
    let head = [String::new(), "# Example".to_string()];
    let body = example.map_or_else(|| text(op), Example::documentation);
    if body.is_empty() { body } else { head.into_iter().chain(body).collect() }
}

/// The program of the reference page.
fn text(op: Op) -> Vec<String> {
    let example = op.row().example.trim_end();
    if example.is_empty() {
        return Vec::new();
    }
    let mut lines = vec!["```".to_string(), "use pto::{Program, Target};".to_string(), String::new()];
    lines.push("let program = Program::parse(r#\"".to_string());
    lines.extend(example.lines().map(str::to_string));
    lines.push("\"#);".to_string());
    lines.push("assert!(Target::ALL.into_iter().any(|target| program.check(target).is_ok()));".to_string());
    lines.push("```".to_string());
    lines
}

/// A use that is found at once. What takes a long search is not ordinary, and every build would pay for it.
fn ordinary(op: Op, target: Target) -> Option<Filling> {
    let types = fill::data_types(op.row(), target).into_iter().take(3);
    types.into_iter().find_map(|data| fill::filling(op, target, data, 50))
}

fn part_name(filling: &Filling, part: &CallPart) -> String {
    match part {
        CallPart::Slot(at) => argument_name(filling.op.row().slots[*at].name),
        CallPart::Attr(spec) => argument_name(spec.name),
    }
}

/// What must be said about the type of a result; none where only text can say it.
fn result_type(filling: &Filling, signature: &Signature) -> Option<String> {
    let row = filling.op.row();
    let result = |at: usize| filling.types.iter().find(|(s, _)| usize::from(*s) == at).map(|(_, ty)| ty);
    match (row.results, result(row.slots.len())) {
        _ if signature.needs_type() => None,
        ([one], Some(Type::Tile(tile) | Type::TileBuf(tile))) if one.kind == SlotKind::Tile => {
            Some(format!(": {}", tile_type(tile).replacen("::<", "<", 1)))
        }
        ([one], Some(Type::Scalar(_))) if one.kind == SlotKind::Scalar => Some(String::new()),
        ([one], _) if matches!(one.kind, SlotKind::View | SlotKind::Index | SlotKind::Bool | SlotKind::Int) => {
            Some(String::new())
        }
        ([_, _], _) if row.results.iter().all(|r| r.kind == SlotKind::Index) => Some(String::new()),
        _ => None,
    }
}

fn is_given(filling: &Filling, part: &CallPart) -> bool {
    match part {
        CallPart::Slot(at) => filling.types.iter().any(|(slot, _)| usize::from(*slot) == *at),
        CallPart::Attr(spec) => filling.attrs.iter().any(|(name, _)| *name == spec.name),
    }
}

/// The parameters of a kernel and the lines before the instruction.
#[derive(Default)]
struct ExampleKernel {
    params: Vec<String>,
    lines: Vec<String>,
}

impl ExampleKernel {
    /// An argument; none where it takes more than a line to make it.
    fn part(&mut self, filling: &Filling, part: &CallPart) -> Option<String> {
        match part {
            CallPart::Slot(at) => self.operand(filling, *at),
            CallPart::Attr(spec) => attribute(filling, spec),
        }
    }

    fn operand(&mut self, filling: &Filling, at: usize) -> Option<String> {
        let row = filling.op.row();
        let slot = &row.slots[at];
        let name = argument_name(slot.name);
        let written = is_written(row, at);
        let ty = filling.types.iter().find(|(s, _)| usize::from(*s) == at).map(|(_, ty)| ty);
        let reference = if written { "&mut " } else { "&" };
        let ty = ty.cloned().or_else(|| (slot.kind == SlotKind::Int).then_some(Type::Scalar(ScalarType::Index)))?;
        match (&ty, slot.count) {
            (Type::Scalar(ScalarType::Index), SlotCount::Many) => indices(slot.name).map(str::to_string),
            (_, SlotCount::Many) => None,
            (Type::Tile(tile) | Type::TileBuf(tile), _) => {
                let kind = if written { "let mut" } else { "let" };
                self.lines.push(format!("{kind} {name} = {};", new_tile(tile)));
                Some(format!("{reference}{name}"))
            }
            (Type::TensorView(view) | Type::PartitionView(view), _) => {
                let dims: Vec<String> = view.dims.iter().map(|d| d.fixed().unwrap_or(1).to_string()).collect();
                self.params.push(format!("{name}: Gm<{}>", element(view.elem.elem()?)));
                Some(format!("{reference}{name}.view([{}])", dims.join(", ")))
            }
            (Type::Ptr(elem, _), _) => {
                self.params.push(format!("{name}: Gm<{}>", element(elem.elem()?)));
                Some(name)
            }
            (Type::Scalar(scalar), _) => match slot.kind {
                SlotKind::Any => None,
                _ => Some(number(*scalar).to_string()),
            },
            _ => None,
        }
    }
}

/// Lists of indices for two dimensions.
fn indices(name: &str) -> Option<&'static str> {
    match name {
        "shape" | "sizes" => Some("[32, 32]"),
        "strides" => Some("[32, 1]"),
        "offsets" => Some("[0, 0]"),
        _ => None,
    }
}

fn number(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::I1 => "true",
        ScalarType::F64 => "1.0",
        ScalarType::Elem(d) if d.is_float() => "1.0",
        ScalarType::Elem(_) | ScalarType::Index => "0",
    }
}

fn attribute(filling: &Filling, spec: &AttrSpec) -> Option<String> {
    let given = filling.attrs.iter().find(|(name, _)| *name == spec.name).map(|(_, value)| *value);
    Some(match given {
        Some(AttrValue::Int(n)) => n.to_string(),
        Some(AttrValue::Bool(b)) => b.to_string(),
        Some(AttrValue::Str(text)) => format!("{text:?}"),
        Some(AttrValue::Enum(def, at)) => format!("{}::{}", enums::name(def), enums::variant(def, at)),
        Some(AttrValue::Pair([first, second])) => format!("&[{first}, {second}]"),
        Some(AttrValue::Other) if matches!(spec.kind, AttrKind::Ints) => "&[32, 32]".to_string(),
        Some(AttrValue::Other) => return None,
        // An argument that the text may leave out.
        None if matches!(spec.kind, AttrKind::Ints) => "&[32, 32]".to_string(),
        None => match spec.enumeration() {
            Some(def) => format!("{}::{}", enums::name(def), enums::variant(def, def.find(spec.default)?)),
            None => "0".to_string(),
        },
    })
}

/// A tile of a type.
fn new_tile(tile: &TileType) -> String {
    match tile.valid_rows == Dim::Dynamic || tile.valid_cols == Dim::Dynamic {
        true => format!("{}::with_valid({}, {})", tile_type(tile), tile.rows, tile.cols),
        false => format!("{}::new()", tile_type(tile)),
    }
}

/// The type; parameters that are the default are left out.
fn tile_type(tile: &TileType) -> String {
    let extent = |d: Dim| d.fixed().map_or("DYN".to_string(), |n| n.to_string());
    let order = |b: BLayout| format!("{b:?}");
    let inside = |s: SLayout| format!("{s:?}");
    let all = [
        order(tile.blayout),
        extent(tile.valid_rows),
        extent(tile.valid_cols),
        inside(tile.slayout),
        tile.fractal.to_string(),
        pad(tile.pad).to_string(),
        compact(tile.compact).to_string(),
    ];
    let usual = [
        "RowMajor".to_string(),
        tile.rows.to_string(),
        tile.cols.to_string(),
        "NoneBox".to_string(),
        "512".to_string(),
        "PadNull".to_string(),
        "CompactNull".to_string(),
    ];
    let said = (0..all.len()).rev().find(|i| all[*i] != usual[*i]).map_or(0, |i| i + 1);
    let rest: String = all[..said].iter().map(|p| format!(", {p}")).collect();
    format!("Tile::<{}, {}, {}, {}{rest}>", memory(tile.loc), element(tile.dtype), tile.rows, tile.cols)
}

fn pad(pad: Pad) -> &'static str {
    match pad {
        Pad::Null => "PadNull",
        Pad::Zero => "PadZero",
        Pad::Max => "PadMax",
        Pad::Min => "PadMin",
    }
}

fn compact(compact: Compact) -> &'static str {
    match compact {
        Compact::Null => "CompactNull",
        Compact::Normal => "CompactNormal",
        Compact::RowPlusOne => "CompactRowPlusOne",
        Compact::RowAlignedPadding => "CompactRowAligned",
    }
}
