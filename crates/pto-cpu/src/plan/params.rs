//! The entry of a program and its parameters.

use super::roles::{callees, stated_kind};
use crate::args::{Param, ParamKind};
use pto_ir::{BlockId, Module, OpId, ValueId};
use pto_isa::row::CoreKind;
use pto_isa::text;
use pto_isa::{Diagnostic, Loc, Span, TileType, Type, ViewType, codes};
use std::collections::HashSet;

/// What is to run.
pub(super) struct EntryPoint {
    pub name: String,
    /// `None` for statements outside functions, which are a program of their own.
    pub function: Option<OpId>,
    pub body: BlockId,
    /// The function for the vector cores, where the first is for the cube core only.
    pub partner: Option<(OpId, BlockId)>,
}

type EntryFunction = (String, OpId, BlockId);

/// The function of this name, the entry, the only function, or the two halves of a mixed kernel.
pub(super) fn entry_function(module: &Module, wanted: Option<&str>) -> Result<EntryPoint, Diagnostic> {
    let functions: Vec<EntryFunction> = module
        .functions()
        .into_iter()
        .filter_map(|f| Some((module.symbol_name(f).to_string(), f, body(module, f)?)))
        .collect();
    let found =
        |(n, f, b): &EntryFunction| Ok(EntryPoint { name: n.clone(), function: Some(*f), body: *b, partner: None });
    let names = || functions.iter().map(|(n, ..)| n.as_str()).collect::<Vec<_>>().join(", ");
    if let Some(wanted) = wanted {
        let wanted = wanted.trim_start_matches('@');
        return match functions.iter().find(|(n, ..)| n == wanted) {
            Some(f) => found(f),
            None => Err(no_entry(module, text!("there is no function `@{wanted}` with a body", wanted), &names())),
        };
    }
    let entries: Vec<_> = functions.iter().filter(|(_, f, _)| is_entry(module, *f)).collect();
    match (&entries[..], &functions[..]) {
        ([one], _) => found(one),
        ([], [one]) => found(one),
        ([], []) if !module.block(module.top).ops.is_empty() => {
            Ok(EntryPoint { name: String::new(), function: None, body: module.top, partner: None })
        }
        ([], []) => Err(no_entry(module, text!("the program has no function to run").to_string(), "")),
        ([], _) => match halves(module, &functions) {
            Some((cube, vector)) => found(cube).map(|e| EntryPoint { partner: Some((vector.1, vector.2)), ..e }),
            None => Err(no_entry(
                module,
                text!("the program has several functions and none is the entry").to_string(),
                &names(),
            )),
        },
        _ => {
            let marked = entries.iter().map(|(n, ..)| n.as_str()).collect::<Vec<_>>().join(", ");
            Err(no_entry(module, text!("the program has several entries").to_string(), &marked))
        }
    }
}

/// A function for the cube core and one for vector cores that are not called, and no other: a mixed kernel.
fn halves<'a>(module: &Module, functions: &'a [EntryFunction]) -> Option<(&'a EntryFunction, &'a EntryFunction)> {
    let called: HashSet<OpId> = callees(module).into_values().collect();
    let roots: Vec<_> = functions.iter().filter(|(_, f, _)| !called.contains(f)).collect();
    let [a, b] = roots[..] else { return None };
    match (stated_kind(module, a.1), stated_kind(module, b.1)) {
        (CoreKind::Cube, CoreKind::Vector) => Some((a, b)),
        (CoreKind::Vector, CoreKind::Cube) => Some((b, a)),
        _ => None,
    }
}

fn no_entry(module: &Module, message: String, names: &str) -> Diagnostic {
    let span = module.functions().first().map_or(Span::default(), |f| module.op(*f).name_span);
    let d = Diagnostic::new(codes::RUN_ENTRY, span, message);
    if names.is_empty() {
        d
    } else {
        d.legal(text!("functions: {names}", names))
            .help(text!("name one with --func, or mark it `attributes {pto.entry}`"))
    }
}

fn body(module: &Module, function: OpId) -> Option<BlockId> {
    let region = *module.op_regions(function).first()?;
    module.region(region).blocks.first().copied()
}

fn is_entry(module: &Module, function: OpId) -> bool {
    module.attr(function, "pto.entry").is_some() || module.attr(function, "hacc.entry").is_some()
}

/// What a parameter takes.
pub(super) fn param(module: &Module, value: ValueId) -> Param {
    let ty = module.value_type(value);
    let kind = match (ty, ty.elem()) {
        (Type::Ptr(..), Some(elem)) => ParamKind::Pointer(elem),
        (Type::TensorView(v) | Type::PartitionView(v), Some(elem)) => {
            ParamKind::Tensor(elem, v.dims.iter().map(|d| d.fixed()).collect())
        }
        (Type::Memref(m), Some(elem)) => ParamKind::Tensor(elem, m.view.dims.iter().map(|d| d.fixed()).collect()),
        (Type::Scalar(s), _) => ParamKind::Scalar(*s),
        (Type::Tile(t) | Type::TileBuf(t), _) => ParamKind::Tile(*t),
        (Type::Vector(v), _) => vector_tile(v).map_or_else(|| ParamKind::Other(ty.noun().to_string()), ParamKind::Tile),
        (other, _) => ParamKind::Other(other.noun().to_string()),
    };
    let per_column = if is_in_pairs(module, &kind) { 2 } else { 1 };
    Param { name: module.value_name(value).to_string(), kind, per_column }
}

/// Windows count what the tiles count that they are moved to and from.
fn is_in_pairs(module: &Module, kind: &ParamKind) -> bool {
    let pairs = |t: &TileType| t.dtype.bits() * 2 == t.column_bits();
    let has_pairs = |id: &OpId| {
        let mut types = module.operands(*id).iter().map(|o| module.value_type(o.value));
        types.clone().any(|t| t.tile().is_some_and(pairs))
            && types.any(|t| matches!(t, Type::TensorView(_) | Type::PartitionView(_) | Type::Memref(_)))
    };
    match kind {
        ParamKind::Tile(tile) => pairs(tile),
        ParamKind::Pointer(elem) | ParamKind::Tensor(elem, _) => {
            elem.bits() * 2 == elem.column_bits() && module.order().iter().any(has_pairs)
        }
        _ => false,
    }
}

/// A vector lies in memory like a tile of one row.
pub(super) fn vector_tile(v: &ViewType) -> Option<TileType> {
    let count = v.dims.iter().try_fold(1u64, |n, d| n.checked_mul(d.fixed()?))?;
    Some(TileType::new(Loc::Vec, v.elem.elem()?, 1, count))
}
