//! An example of an instruction: the most ordinary legal use, as a kernel.

use crate::enums;
use crate::names::{element, function, memory, snake};
use crate::signature::{Part, Signature};
use pto_isa::fill::{self, Filling};
use pto_isa::row::{AttrSpec, Count, Kind};
use pto_isa::rules::AttrValue;
use pto_isa::{BLayout, Compact, Dim, Dir, Op, Pad, SLayout, Scalar, Target, TileType, Type};

/// The lines of the section; text where Rust needs more than the instruction itself.
pub fn lines(op: Op, signature: &Signature) -> Vec<String> {
    let head = [String::new(), "# Example".to_string()];
    let body = rust(op, signature).unwrap_or_else(|| text(op));
    if body.is_empty() { body } else { head.into_iter().chain(body).collect() }
}

/// The program of the reference page.
fn text(op: Op) -> Vec<String> {
    let example = op.row().example.trim_end();
    if example.is_empty() {
        return Vec::new();
    }
    let fence = ["```text".to_string()];
    fence.into_iter().chain(example.lines().map(str::to_string)).chain(["```".to_string()]).collect()
}

fn rust(op: Op, signature: &Signature) -> Option<Vec<String>> {
    let row = op.row();
    let (target, filling) = Target::ALL
        .into_iter()
        .filter(|t| row.targets.contains(*t))
        .find_map(|t| Some((t, fill::first(op, t, |_| true)?)))?;
    let mut kernel = Kernel::default();
    let args: Option<Vec<String>> = signature.parts.iter().map(|p| kernel.part(&filling, p)).collect();
    let mut call = format!("{}({})", function(op), args?.join(", "));
    for part in signature.optional.iter().filter(|p| is_given(&filling, p)) {
        let value = kernel.part(&filling, part)?;
        call += &format!(".{}({value})", part_name(&filling, part));
    }
    if signature.has_results() {
        return None;
    }
    let params = kernel.params.join(", ");
    let mut lines = vec!["```".to_string(), "use pto::tile::*;".to_string(), String::new()];
    lines.push(format!("let kernel = Kernel::trace(\"example\", |{params}| {{"));
    lines.extend(kernel.lines.iter().map(|line| format!("    {line}")));
    lines.push(format!("    {call};"));
    lines.push("});".to_string());
    // Where the row brings a whole program, the instruction is not legal alone.
    if row.example.is_empty() {
        lines.push(format!("assert!(kernel.check(pto::Target::{target:?}).is_ok());"));
    } else {
        lines.push(format!("assert!(kernel.to_text(pto::Form::Level2).contains(\"{}\"));", row.full_name()));
    }
    lines.push("```".to_string());
    Some(lines)
}

fn part_name(filling: &Filling, part: &Part) -> String {
    match part {
        Part::Slot(at) => snake(filling.op.row().slots[*at].name),
        Part::Attr(spec) => snake(spec.name),
    }
}

fn is_given(filling: &Filling, part: &Part) -> bool {
    match part {
        Part::Slot(at) => filling.types.iter().any(|(slot, _)| usize::from(*slot) == *at),
        Part::Attr(spec) => filling.attrs.iter().any(|(name, _)| *name == spec.name),
    }
}

/// The parameters of a kernel and the lines before the instruction.
#[derive(Default)]
struct Kernel {
    params: Vec<String>,
    lines: Vec<String>,
}

impl Kernel {
    /// An argument; none where it takes more than a line to make it.
    fn part(&mut self, filling: &Filling, part: &Part) -> Option<String> {
        match part {
            Part::Slot(at) => self.operand(filling, *at),
            Part::Attr(spec) => attribute(filling, spec),
        }
    }

    fn operand(&mut self, filling: &Filling, at: usize) -> Option<String> {
        let row = filling.op.row();
        let slot = &row.slots[at];
        let name = snake(slot.name);
        let changes = row.call.iter().any(|n| n.strip_prefix("mut ") == Some(slot.name));
        let scratch = row.scratch.as_ref().is_some_and(|s| s.slot == slot.name);
        let written = slot.dir != Dir::In || changes || scratch;
        let ty = filling.types.iter().find(|(s, _)| usize::from(*s) == at).map(|(_, ty)| ty);
        let reference = if written { "&mut " } else { "&" };
        let ty = ty.cloned().or_else(|| (slot.kind == Kind::Int).then_some(Type::Scalar(Scalar::Index)))?;
        match (&ty, slot.count) {
            (_, Count::Many) => None,
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
                Kind::Any => None,
                _ => Some(number(*scalar).to_string()),
            },
            _ => None,
        }
    }
}

fn number(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I1 => "true",
        Scalar::F64 => "1.0",
        Scalar::Elem(d) if d.is_float() => "1.0",
        Scalar::Elem(_) | Scalar::Index => "0",
    }
}

fn attribute(filling: &Filling, spec: &AttrSpec) -> Option<String> {
    let given = filling.attrs.iter().find(|(name, _)| *name == spec.name).map(|(_, value)| *value);
    Some(match given {
        Some(AttrValue::Int(n)) => n.to_string(),
        Some(AttrValue::Bool(b)) => b.to_string(),
        Some(AttrValue::Str(text)) => format!("{text:?}"),
        Some(AttrValue::Enum(def, at)) => format!("{}::{}", enums::name(def), enums::variant(def, at)),
        Some(AttrValue::Other) => return None,
        // An argument that the text may leave out.
        None => match enums::of(spec.kind) {
            Some(def) => format!("{}::{}", enums::name(def), enums::variant(def, def.find(spec.default)?)),
            None => "0".to_string(),
        },
    })
}

/// A tile of a type; parameters that are the default are left out.
fn new_tile(tile: &TileType) -> String {
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
    let head = format!("Tile::<{}, {}, {}, {}{rest}>", memory(tile.loc), element(tile.dtype), tile.rows, tile.cols);
    match tile.valid_rows == Dim::Dynamic || tile.valid_cols == Dim::Dynamic {
        true => format!("{head}::with_valid({}, {})", tile.rows, tile.cols),
        false => format!("{head}::new()"),
    }
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
