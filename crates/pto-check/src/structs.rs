//! Structs: records of scalars that live in the function that declares them.

use crate::structure::{function_type, head};
use pto_ir::{Attr, Def, Module, OpId};
use pto_isa::row::{Control, LocalOp};
use pto_isa::text;
use pto_isa::{Diagnostic, ScalarType, Span, Type, codes};

pub(crate) fn check(module: &Module, order: &[OpId], problems: &mut Vec<Diagnostic>) {
    if !module.types().iter().any(|t| matches!(t, Type::Struct(_))) {
        return;
    }
    for &id in order {
        for value in module.results(id).chain(block_args(module, id)) {
            let v = module.value(value);
            if let Type::Struct(fields) = module.ty(v.ty) {
                provenance(module, v.def, v.span, problems);
                storable(fields, v.span, problems);
            }
        }
        if module.control(id) == Some(Control::Function)
            && function_type(module, id).is_some_and(|f| f.results.iter().any(is_struct))
        {
            problems.push(problem(head(module, id), text!("a function cannot return a struct")));
        }
        if matches!(module.local(id), Some(LocalOp::GetField | LocalOp::SetField)) {
            path(module, id, problems);
        }
    }
}

fn is_struct(ty: &Type) -> bool {
    matches!(ty, Type::Struct(_))
}

fn problem(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(codes::STRUCT, span, message)
}

fn block_args(module: &Module, id: OpId) -> impl Iterator<Item = pto_ir::ValueId> + use<'_> {
    let blocks = module.op_regions(id).iter().flat_map(|&r| &module.region(r).blocks);
    blocks.flat_map(|&b| module.block(b).args.iter().copied())
}

/// Only a declaration makes a struct; it cannot be passed, selected, yielded or returned.
fn provenance(module: &Module, def: Def, span: Span, problems: &mut Vec<Diagnostic>) {
    let declared = matches!(def, Def::Result(id, _) if module.local(id) == Some(LocalOp::DeclareStruct));
    if !declared && def != Def::Missing {
        let d = problem(span, text!("this struct is not declared here"));
        problems.push(
            d.legal(text!("structs come from `pto.declare_struct` and stay in its scope"))
                .help(text!("pass the fields one by one")),
        );
    }
}

/// Fields are scalars with a C++ type, or structs of such.
fn storable(fields: &[Type], span: Span, problems: &mut Vec<Diagnostic>) {
    for field in fields {
        match field {
            Type::Struct(inner) => storable(inner, span, problems),
            Type::Scalar(ScalarType::Elem(d)) if d.bits() >= 8 => {}
            Type::Scalar(ScalarType::Index | ScalarType::F64) => {}
            other => problems.push(
                problem(span, text!("a struct cannot hold {other}", other))
                    .legal(text!("scalars of whole bytes, and structs of them")),
            ),
        }
    }
}

/// Each index of the path is a field of the struct reached so far, and the last one is a scalar.
fn path(module: &Module, id: OpId, problems: &mut Vec<Diagnostic>) {
    let Some(Attr::Array(steps)) = module.attr(id, "path") else { return };
    let Some(first) = module.operands(id).first() else { return };
    let mut at = module.value_type(first.value);
    for step in steps.iter().filter_map(Attr::int) {
        let Type::Struct(fields) = at else {
            problems.push(problem(head(module, id), text!("the path continues after a scalar")));
            return;
        };
        match usize::try_from(step).ok().and_then(|i| fields.get(i)) {
            Some(field) => at = field,
            None => {
                let message = text!("there is no field {step}", step);
                problems.push(
                    problem(head(module, id), message)
                        .legal(text!("0 to {fields}", fields = fields.len().saturating_sub(1))),
                );
                return;
            }
        }
    }
}
