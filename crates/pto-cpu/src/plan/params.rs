//! The entry of a program and its parameters.

use crate::args::{Param, ParamKind};
use pto_ir::{Attr, BlockId, Module, OpId, ValueId};
use pto_isa::{Diagnostic, Span, Type, codes};

/// Name, function and body of what is to run. Statements outside functions are a program of their own.
pub(super) fn entry_function(
    module: &Module,
    wanted: Option<&str>,
) -> Result<(String, Option<OpId>, BlockId), Diagnostic> {
    let functions: Vec<(String, OpId, BlockId)> =
        module.functions().into_iter().filter_map(|f| Some((name(module, f), f, body(module, f)?))).collect();
    let found = |(n, f, b): &(String, OpId, BlockId)| Ok((n.clone(), Some(*f), *b));
    let names = || functions.iter().map(|(n, ..)| n.as_str()).collect::<Vec<_>>().join(", ");
    if let Some(wanted) = wanted {
        let wanted = wanted.trim_start_matches('@');
        return match functions.iter().find(|(n, ..)| n == wanted) {
            Some(f) => found(f),
            None => Err(no_entry(module, format!("there is no function `@{wanted}` with a body"), &names())),
        };
    }
    let entries: Vec<_> = functions.iter().filter(|(_, f, _)| is_entry(module, *f)).collect();
    match (&entries[..], &functions[..]) {
        ([one], _) => found(one),
        ([], [one]) => found(one),
        ([], []) if !module.block(module.top).ops.is_empty() => Ok((String::new(), None, module.top)),
        ([], []) => Err(no_entry(module, "the program has no function to run".to_string(), "")),
        ([], _) => {
            Err(no_entry(module, "the program has several functions and none is the entry".to_string(), &names()))
        }
        _ => {
            let marked = entries.iter().map(|(n, ..)| n.as_str()).collect::<Vec<_>>().join(", ");
            Err(no_entry(module, "the program has several entries".to_string(), &marked))
        }
    }
}

fn no_entry(module: &Module, message: String, names: &str) -> Diagnostic {
    let span = module.functions().first().map_or(Span::default(), |f| module.op(*f).name_span);
    let d = Diagnostic::new(codes::RUN_ENTRY, span, message);
    if names.is_empty() {
        d
    } else {
        d.legal(format!("functions: {names}")).help("name one with --func, or mark it `attributes {pto.entry}`")
    }
}

fn name(module: &Module, function: OpId) -> String {
    match module.attr(function, "sym_name") {
        Some(Attr::Str(s) | Attr::Symbol(s)) => module.names.text(*s).to_string(),
        _ => String::new(),
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
        (other, _) => ParamKind::Other(other.noun().to_string()),
    };
    Param { name: module.value_name(value).to_string(), kind }
}
