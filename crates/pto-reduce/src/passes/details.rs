//! Removes attributes, optional operands and aliases.

use crate::search::{Base, Shrinking};
use pto_ir::{OpId, Sym};
use pto_isa::row::Control;

/// Removes attributes that an operation can do without.
pub(super) fn attributes(s: &mut Shrinking<'_>) {
    let module = &s.base.module;
    let mut atoms: Vec<(OpId, Sym)> = Vec::new();
    for id in module.order() {
        let row = module.op(id).op.row();
        let needed =
            |name: &str| row.attr(name).is_some_and(|a| a.required) || name == "function_type" || name == "sym_name";
        atoms.extend(
            module.attrs(id).iter().map(|(name, _)| (id, *name)).filter(|(_, n)| !needed(module.names.text(*n))),
        );
    }
    s.sweep(atoms, &|base: &Base<'_>, atoms: &[(OpId, Sym)]| {
        let mut out = base.module.clone();
        atoms.iter().for_each(|(id, name)| out.remove_attr(*id, *name));
        Some(out.into())
    });
}

/// Removes operands that an instruction can do without, such as scratch tiles.
pub(super) fn operands(s: &mut Shrinking<'_>) {
    let module = &s.base.module;
    let mut atoms: Vec<(OpId, usize)> = Vec::new();
    for id in module.order() {
        let is_plain = module.control(id).is_none_or(|c| c == Control::Return);
        if is_plain && module.operands(id).len() > 1 {
            atoms.extend((0..module.operands(id).len()).map(|at| (id, at)));
        }
    }
    // Positions change with each removal, so they are tried one by one, the last first.
    for (id, at) in atoms.into_iter().rev() {
        s.first(&[(id, at)], &|base, (id, at)| {
            let mut out = base.module.clone();
            let mut operands = out.operands(*id).to_vec();
            if *at >= operands.len() {
                return None;
            }
            operands.remove(*at);
            out.set_operands(*id, operands);
            Some(out.into())
        });
    }
}

/// Removes names of types and attributes that nothing uses any more.
pub(super) fn aliases(s: &mut Shrinking<'_>) {
    let names: Vec<Box<str>> = s.base.module.aliases.iter().map(|a| a.name.clone()).collect();
    s.sweep(names, &|base: &Base<'_>, names: &[Box<str>]| {
        let mut out = base.module.clone();
        out.aliases.retain(|a| !names.contains(&a.name));
        Some(out.into())
    });
}
