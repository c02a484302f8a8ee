//! Removes parameters that nothing uses.

use crate::edit::use_counts;
use crate::search::{Base, Shrinking};
use pto_ir::{Attr, Module, OpId, ValueId};
use pto_isa::{FnType, Type};

/// Removes unused parameters of functions, and what calls give for them.
pub(super) fn unused(s: &mut Shrinking<'_>) {
    let module = &s.base.module;
    let counts = use_counts(module);
    let mut atoms: Vec<(OpId, ValueId)> = Vec::new();
    for function in module.functions() {
        let entry = module.op_regions(function).first().and_then(|r| module.region(*r).blocks.first());
        let args = entry.map_or(&[][..], |b| &module.block(*b).args);
        atoms.extend(args.iter().filter(|v| !counts.contains_key(v)).map(|v| (function, *v)));
    }
    s.sweep(atoms, &|base: &Base<'_>, atoms: &[(OpId, ValueId)]| {
        let mut out = base.module.clone();
        for &(function, value) in atoms {
            without_parameter(&mut out, function, value)?;
        }
        Some(out.into())
    });
}

fn without_parameter(module: &mut Module, function: OpId, value: ValueId) -> Option<()> {
    let entry = *module.region(*module.op_regions(function).first()?).blocks.first()?;
    let at = module.block(entry).args.iter().position(|v| *v == value)?;
    let Some(Attr::Type(ty)) = module.attr(function, "function_type") else { return None };
    let Type::Function(old) = module.ty(*ty).clone() else { return None };
    let mut inputs = old.inputs.to_vec();
    if at >= inputs.len() {
        return None;
    }
    inputs.remove(at);
    let ty = Type::Function(Box::new(FnType { inputs: inputs.into(), results: old.results }));
    let ty = module.intern_type(ty);
    let name = module.names.intern("function_type");
    module.set_attr(function, name, Attr::Type(ty));
    if let Some(Attr::Array(items)) = module.attr(function, "arg_attrs") {
        let mut items = items.to_vec();
        if at < items.len() {
            items.remove(at);
        }
        let name = module.names.intern("arg_attrs");
        let has_some = items.iter().any(|item| !matches!(item, Attr::Dict(entries) if entries.is_empty()));
        if has_some {
            module.set_attr(function, name, Attr::Array(items.into()));
        } else {
            module.remove_attr(function, name);
        }
    }
    module.block_mut(entry).args.remove(at);
    let calls: Vec<OpId> = module.calls().into_iter().filter(|(_, f)| *f == function).map(|(call, _)| call).collect();
    for call in calls {
        let mut operands = module.operands(call).to_vec();
        if at < operands.len() {
            operands.remove(at);
            module.set_operands(call, operands);
        }
    }
    Some(())
}
