//! The instruction table as Python data: what layers that make classes from it need to know.

use pto::ir::TypeStyle;
use pto::ir::print::type_text;
use pto::isa::enums::{Bracket, ENUMS};
use pto::isa::row::{AttrKind, AttrSpec, Dir, Infer, Row, Slot, SlotCount, Syntax};
use pto::isa::table;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Every operation with its operands, attributes and results, and every enumeration. Operands are in the order of the generic form.
#[pyfunction]
pub(crate) fn instruction_table(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let rows = table::all().map(|op| row(py, op.row())).collect::<PyResult<Vec<_>>>()?;
    let enums = ENUMS.iter().map(|e| enumeration(py, e)).collect::<PyResult<Vec<_>>>()?;
    let all = PyDict::new(py);
    all.set_item("rows", rows)?;
    all.set_item("enums", enums)?;
    Ok(all)
}

fn row<'py>(py: Python<'py>, row: &Row) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("name", row.name)?;
    entry.set_item("dialect", row.dialect)?;
    entry.set_item("aliases", row.aliases)?;
    let slots = row.generic_slots().into_iter().map(|at| slot(py, &row.slots[at]));
    entry.set_item("slots", list(py, slots)?)?;
    entry.set_item("results", list(py, row.results.iter().map(|r| slot(py, r)))?)?;
    entry.set_item("attrs", list(py, row.attrs.iter().map(|a| attr(py, a)))?)?;
    let regions = match row.syntax {
        Syntax::Custom(custom) => custom.anatomy().regions.0,
        _ => 0,
    };
    entry.set_item("regions", regions)?;
    Ok(entry)
}

fn list<'py>(
    py: Python<'py>,
    items: impl Iterator<Item = PyResult<Bound<'py, PyDict>>>,
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)
}

fn slot<'py>(py: Python<'py>, slot: &Slot) -> PyResult<Bound<'py, PyDict>> {
    let count = match slot.count {
        SlotCount::One => "one",
        SlotCount::Optional => "optional",
        SlotCount::Many => "many",
    };
    let (infer, from) = inferred(slot.infer);
    let entry = PyDict::new(py);
    entry.set_item("name", slot.name)?;
    entry.set_item("dir", if slot.dir == Dir::In { "in" } else { "out" })?;
    entry.set_item("count", count)?;
    entry.set_item("kind", snake(&format!("{:?}", slot.kind)))?;
    entry.set_item("infer", infer)?;
    entry.set_item("infer_from", from)?;
    Ok(entry)
}

/// How the type of a result follows from the operands, and from which; for a fixed type, its text.
fn inferred(infer: Infer) -> (&'static str, String) {
    match infer {
        Infer::No => ("", String::new()),
        Infer::Like(slot) => ("like", slot.to_string()),
        Infer::Window(slot) => ("window", slot.to_string()),
        Infer::Subset(slot) => ("subset", slot.to_string()),
        Infer::Partition(slot) => ("partition", slot.to_string()),
        Infer::ElementOf(slot) => ("element", slot.to_string()),
        Infer::SlotOf(slot) => ("slot", slot.to_string()),
        Infer::MaskFor(slot) => ("mask", slot.to_string()),
        Infer::Fixed(fixed) => ("fixed", type_text(&fixed.ty(), TypeStyle::Compact)),
    }
}

fn attr<'py>(py: Python<'py>, spec: &AttrSpec) -> PyResult<Bound<'py, PyDict>> {
    let kind = match spec.kind {
        AttrKind::Enum(_) | AttrKind::EnumOr(..) => "enum",
        AttrKind::Int(..) | AttrKind::OneOf(_) => "int",
        AttrKind::Bool => "bool",
        AttrKind::Str => "str",
        AttrKind::Symbol => "symbol",
        AttrKind::Ints => "ints",
        AttrKind::Unit => "unit",
        AttrKind::Any => "any",
    };
    let entry = PyDict::new(py);
    entry.set_item("name", spec.name)?;
    entry.set_item("aliases", spec.aliases)?;
    entry.set_item("kind", kind)?;
    entry.set_item("enum", spec.enumeration().map(|e| e.name))?;
    entry.set_item("required", spec.required)?;
    Ok(entry)
}

fn enumeration<'py>(py: Python<'py>, def: &pto::isa::EnumDef) -> PyResult<Bound<'py, PyDict>> {
    let bracket = match def.bracket {
        Bracket::Dotted => "dotted",
        Bracket::Spaced => "spaced",
        Bracket::Bare => "bare",
    };
    let entry = PyDict::new(py);
    entry.set_item("name", def.name)?;
    entry.set_item("bracket", bracket)?;
    entry.set_item("values", def.values)?;
    Ok(entry)
}

fn snake(name: &str) -> String {
    let mut text = String::new();
    for (at, c) in name.char_indices() {
        if c.is_uppercase() && at > 0 {
            text.push('_');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}
