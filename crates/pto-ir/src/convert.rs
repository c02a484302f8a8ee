//! The value form written with buffers.
//!
//! Printing a value-form program at level 2 needs a buffer for each tile value. [`to_buffers`] gives every
//! tile result an `alloc_tile` of its own in front of the instruction. Nothing is shared or planned; that is
//! what lowering is for.

use crate::{Def, Module, NewOp, OpId, Operand, TypeId, ValueId};
use pto_isa::table::op;
use pto_isa::{Diagnostic, Dim, Span, Type, codes};
use std::collections::HashMap;

/// Rewrites every tile value into a buffer of its own.
///
/// # Errors
/// One diagnostic for each tile value that crosses a region (a loop-carried tile, say) or whose valid region
/// is known only at run time: those need real lowering.
pub fn to_buffers(module: &Module) -> Result<Module, Vec<Diagnostic>> {
    let mut out = module.clone();
    let problems = unconvertible(module);
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut replaced = HashMap::new();
    for block in module.all_blocks() {
        let ops = module.block(block).ops.clone();
        let mut rewritten = Vec::with_capacity(ops.len());
        for id in ops {
            if module.is_value_form(id) {
                rewrite(&mut out, id, &mut rewritten, &mut replaced);
            } else {
                rewritten.push(id);
            }
        }
        out.block_mut(block).ops = rewritten;
    }
    out.resolve_uses(&replaced);
    Ok(out)
}

/// Puts an allocation per result in front of the instruction and the instruction in the buffer form.
fn rewrite(out: &mut Module, id: OpId, ops: &mut Vec<OpId>, replaced: &mut HashMap<ValueId, ValueId>) {
    let data = out.op(id).clone();
    let row = data.op.row();
    let mut operands: Vec<Operand> = out.operands(id).to_vec();
    let mut kept = Vec::new();
    let results: Vec<ValueId> = out.results(id).collect();
    for old in results {
        let value = out.value(old).clone();
        if usize::from(value.slot) >= row.slots.len() {
            kept.push((value.ty, value.name, value.slot, value.span));
            continue;
        }
        let ty = buffer_type(out, value.ty);
        let alloc = NewOp {
            results: vec![(ty, value.name, op::alloc_tile.row().slots.len() as u8, value.span)],
            span: Span::new(data.span.start, data.span.start),
            ..NewOp::default()
        };
        let alloc = out.new_op(op::alloc_tile, alloc);
        let new = out.results(alloc).next().expect("an allocation has a result");
        ops.push(alloc);
        replaced.insert(old, new);
        operands.push(Operand { value: new, slot: value.slot, span: value.span });
    }
    operands.sort_by_key(|o| o.slot);
    let new = NewOp {
        operands,
        attrs: out.attrs(id).to_vec(),
        results: kept,
        span: data.span,
        name_span: data.name_span,
        ..NewOp::default()
    };
    ops.push(out.new_op(data.op, new));
}

fn buffer_type(out: &mut Module, ty: TypeId) -> TypeId {
    match out.ty(ty).clone() {
        Type::Tile(t) => out.intern_type(Type::TileBuf(t)),
        _ => ty,
    }
}

fn unconvertible(module: &Module) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for at in 0..module.value_count() {
        let value = module.value(ValueId::new(at));
        let Type::Tile(tile) = module.ty(value.ty) else { continue };
        let problem = match value.def {
            Def::Result(op, _) if module.is_value_form(op) => {
                let dynamic = tile.valid_rows == Dim::Dynamic || tile.valid_cols == Dim::Dynamic;
                dynamic.then_some("its valid region is known only at run time")
            }
            Def::Missing => None,
            Def::Result(..) | Def::Arg(..) => Some("it crosses a region as a value"),
        };
        if let Some(why) = problem {
            let name = module.names.text(value.name);
            let message = format!("`%{name}` cannot be written as a buffer: {why}");
            problems.push(
                Diagnostic::new(codes::NOT_INFERRED, value.span, message)
                    .help("write it with `pto.alloc_tile` and `outs(…)` yourself"),
            );
        }
    }
    problems
}
