//! One call of every function of the Python package, for its tests.

use crate::python::{PythonFunction, compare, name};
use pto_isa::call::CallPart;
use pto_isa::fill::{self, Filling};
use pto_isa::row::{AttrKind, AttrSpec, SlotCount, SlotKind};
use pto_isa::rules::AttrValue;
use pto_isa::{BLayout, DType, Dim, Op, SLayout, ScalarType, Target, TileType, Type, table};
use std::fmt::Write as _;

const HEAD: &str = r#""""One kernel for each instruction: its most ordinary use.

This file is made from the instruction table (``BLESS=1 cargo test -p pto-isa --test suite python``). In ``CALLS``: the kernel, a target that
has the instruction, and whether the instruction is legal without others.
"""

import pto
from pto import Gm, Scalar, bf16, f4e1m2, f4e2m1, f8e4m3, f8e5m2, f8e8m0, f16, f32, hif8, i4, i8, i16, i32, i64, u8, u16, u32, u64

CALLS = {}


def call(name, target, alone):
    """Notes a kernel."""

    def note(body):
        CALLS[name] = (pto.kernel(body), target, alone)
        return body

    return note
"#;

#[test]
fn python_calls_are_those_of_the_rows() {
    let mut text = HEAD.to_string();
    for op in table::isa() {
        let function = PythonFunction::new(op);
        text += &kernel(op, &function)
            .unwrap_or_else(|| format!("\n\n# {} takes more than one instruction.\n", function.name));
    }
    compare("tests/instruction_calls.py", &text);
}

/// The lines of a kernel; none where more than the instruction itself is needed.
fn kernel(op: Op, function: &PythonFunction) -> Option<String> {
    let row = op.row();
    let mut targets = Target::ALL.into_iter().filter(|t| row.targets.contains(*t));
    let (target, filling) = targets.find_map(|t| Some((t, ordinary(op, t)?)))?;
    let mut made = CallKernel::default();
    let mut args: Vec<String> = function.must.iter().map(|p| made.part(&filling, *p)).collect::<Option<_>>()?;
    args.extend(function.given.iter().map(|given| result(&filling, given)).collect::<Option<Vec<_>>>()?);
    // An argument the text may leave out stands for an option that it has instead.
    let complete = function.must.iter().all(|p| matches!(p, CallPart::Attr(_)) || is_given(&filling, *p));
    for part in function.may.iter().filter(|p| complete && is_given(&filling, **p)) {
        args.push(format!("{}={}", name(row, *part), made.part(&filling, *part)?));
    }
    let alone = if row.example.is_empty() { "True" } else { "False" };
    let mut text = format!("\n\n@call(\"{}\", \"{}\", {alone})\n", function.name, target.name());
    _ = writeln!(text, "def _({}):", made.params.join(", "));
    made.lines.iter().for_each(|line| _ = writeln!(text, "    {line}"));
    _ = writeln!(text, "    pto.{}({})", function.name, args.join(", "));
    Some(text)
}

fn ordinary(op: Op, target: Target) -> Option<Filling> {
    fill::data_types(op.row(), target).into_iter().take(3).find_map(|data| fill::filling(op, target, data, 50))
}

fn is_given(filling: &Filling, part: CallPart) -> bool {
    match part {
        CallPart::Slot(at) => filling.types.iter().any(|(slot, _)| usize::from(*slot) == at),
        CallPart::Attr(spec) => filling.attrs.iter().any(|(name, _)| *name == spec.name),
    }
}

/// What is said about the type of a result.
fn result(filling: &Filling, given: &(&str, &str)) -> Option<String> {
    let first = filling.op.row().slots.len();
    let ty = filling.types.iter().find(|(slot, _)| usize::from(*slot) == first).map(|(_, ty)| ty)?;
    match (given.0, ty) {
        ("ty", Type::Tile(tile) | Type::TileBuf(tile)) => Some(tile_type(tile)),
        ("shape", Type::TensorView(view) | Type::PartitionView(view)) => Some(format!(
            "[{}]",
            view.dims.iter().map(|d| d.fixed().unwrap_or(1).to_string()).collect::<Vec<_>>().join(", ")
        )),
        ("dtype", Type::TensorView(view) | Type::PartitionView(view)) => Some(element(view.elem.elem()?)),
        ("dtype", Type::Scalar(ScalarType::Elem(d)) | Type::Ptr(ScalarType::Elem(d), _)) => Some(element(*d)),
        _ => None,
    }
}

/// The parameters of a kernel and the lines before the instruction.
#[derive(Default)]
struct CallKernel {
    params: Vec<String>,
    lines: Vec<String>,
}

impl CallKernel {
    fn part(&mut self, filling: &Filling, part: CallPart) -> Option<String> {
        match part {
            CallPart::Slot(at) => self.operand(filling, at),
            CallPart::Attr(spec) => attribute(filling, spec),
        }
    }

    fn operand(&mut self, filling: &Filling, at: usize) -> Option<String> {
        let row = filling.op.row();
        let slot = &row.slots[at];
        let name = name(row, CallPart::Slot(at));
        let ty = filling.types.iter().find(|(s, _)| usize::from(*s) == at).map(|(_, ty)| ty.clone());
        let ty = ty.or_else(|| (slot.kind == SlotKind::Int).then_some(Type::Scalar(ScalarType::Index)))?;
        match (&ty, slot.count) {
            (Type::Scalar(ScalarType::Index), SlotCount::Many) => match slot.name {
                "shape" | "sizes" => Some("[32, 32]".to_string()),
                "strides" => Some("[32, 1]".to_string()),
                "offsets" => Some("[0, 0]".to_string()),
                _ => None,
            },
            (_, SlotCount::Many) => None,
            (Type::Tile(tile) | Type::TileBuf(tile), _) => {
                let open = tile.valid_rows == Dim::Dynamic || tile.valid_cols == Dim::Dynamic;
                let valid = if open { format!("({}, {})", tile.rows, tile.cols) } else { "()".to_string() };
                self.lines.push(format!("{name} = {}{valid}", tile_type(tile)));
                Some(name)
            }
            (Type::TensorView(view) | Type::PartitionView(view), _) => {
                let dims: Vec<String> = view.dims.iter().map(|d| d.fixed().unwrap_or(1).to_string()).collect();
                self.params.push(format!("{name}: Gm[{}]", element(view.elem.elem()?)));
                Some(format!("{name}.view({})", dims.join(", ")))
            }
            (Type::Ptr(elem, _), _) => {
                self.params.push(format!("{name}: Gm[{}]", element(elem.elem()?)));
                Some(name)
            }
            (Type::Scalar(scalar), _) if slot.kind == SlotKind::Any => {
                self.params.push(format!("{name}: Scalar[{}]", element(scalar.elem()?)));
                Some(name)
            }
            (Type::Scalar(scalar), _) => Some(number(*scalar).to_string()),
            _ => None,
        }
    }
}

fn number(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::I1 => "True",
        _ if scalar.is_float() => "1.0",
        _ => "0",
    }
}

fn attribute(filling: &Filling, spec: &AttrSpec) -> Option<String> {
    let given = filling.attrs.iter().find(|(name, _)| *name == spec.name).map(|(_, value)| *value);
    Some(match given {
        Some(AttrValue::Int(n)) => n.to_string(),
        Some(AttrValue::Bool(b)) => if b { "True" } else { "False" }.to_string(),
        Some(AttrValue::Str(text)) => format!("\"{text}\""),
        Some(AttrValue::Enum(def, at)) => format!("\"{}\"", def.value(at)),
        Some(AttrValue::Pair([first, second])) => format!("[{first}, {second}]"),
        Some(AttrValue::Other) | None if matches!(spec.kind, AttrKind::Ints) => "[32, 32]".to_string(),
        Some(AttrValue::Other) => return None,
        // An argument that the text may leave out.
        None => match spec.enumeration() {
            Some(def) => format!("\"{}\"", def.value(def.find(spec.default)?)),
            None => "0".to_string(),
        },
    })
}

/// The name of an element type in the package.
fn element(dtype: DType) -> String {
    dtype.name().replace("ui", "u")
}

/// A tile type; words that are the default of every memory are left out.
fn tile_type(tile: &TileType) -> String {
    let extent = |d: Dim| d.fixed().map_or("pto.DYN".to_string(), |n| n.to_string());
    let mut text =
        format!("pto.TileType({}, {}, {}, memory=\"{}\"", tile.rows, tile.cols, element(tile.dtype), tile.loc.name());
    if (tile.valid_rows, tile.valid_cols) != (Dim::Fixed(tile.rows), Dim::Fixed(tile.cols)) {
        _ = write!(text, ", valid=({}, {})", extent(tile.valid_rows), extent(tile.valid_cols));
    }
    let layout = if tile.blayout == BLayout::RowMajor { "row" } else { "col" };
    let inside = match tile.slayout {
        SLayout::NoneBox => "none",
        SLayout::RowMajor => "row",
        SLayout::ColMajor => "col",
    };
    _ = write!(text, ", layout=\"{layout}\", box=\"{inside}\", fractal={}", tile.fractal);
    if tile.pad.name() != "null" {
        _ = write!(text, ", pad=\"{}\"", tile.pad.name());
    }
    if tile.compact.name() != "null" {
        _ = write!(text, ", compact=\"{}\"", tile.compact.name());
    }
    text + ")"
}
