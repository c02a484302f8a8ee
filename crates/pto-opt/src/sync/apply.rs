//! Puts flags and barriers into a program.

use super::{Edge, Means};
use pto_ir::{Attr, Module, NewOp, OpId};
use pto_isa::table::op;
use pto_isa::{EnumDef, Op, Pipe, Span, enums};
use std::collections::BTreeMap;

/// What is inserted around an operation.
#[derive(Default)]
struct Around {
    /// Waits and barriers, then sets, in front of it.
    waits: Vec<OpId>,
    primes: Vec<OpId>,
    /// Waits, then sets, behind it.
    sets: Vec<OpId>,
    drains: Vec<OpId>,
}

/// The program with everything in its place.
pub(super) fn insert(module: &Module, edges: &[Edge]) -> Module {
    let mut out = module.clone();
    let mut around: BTreeMap<OpId, Around> = BTreeMap::new();
    for edge in edges {
        match edge.means {
            Means::Flag { src, dst, id } => {
                let set = flag(&mut out, op::set_flag, (src, dst, id), behind(module, edge.after));
                let wait = flag(&mut out, op::wait_flag, (src, dst, id), before(module, edge.before));
                around.entry(edge.after).or_default().sets.push(set);
                around.entry(edge.before).or_default().waits.push(wait);
                if let Some(turned) = edge.carried_by {
                    let prime = flag(&mut out, op::set_flag, (src, dst, id), before(module, turned));
                    around.entry(turned).or_default().primes.push(prime);
                }
                if let Some(turned) = edge.drained_by {
                    let drain = flag(&mut out, op::wait_flag, (src, dst, id), behind(module, turned));
                    around.entry(turned).or_default().drains.push(drain);
                }
            }
            Means::Barrier(pipe) => {
                let barrier = barrier(&mut out, pipe, before(module, edge.before));
                around.entry(edge.before).or_default().waits.push(barrier);
            }
            Means::All(_) => {
                let barrier = barrier(&mut out, Pipe::All, before(module, edge.before));
                around.entry(edge.before).or_default().waits.push(barrier);
                if edge.after == edge.before && edge.reasons.is_empty() {
                    let after = self::barrier(&mut out, Pipe::All, behind(module, edge.after));
                    around.entry(edge.after).or_default().sets.push(after);
                }
            }
        }
    }
    for block in module.all_blocks() {
        let ops = module.block(block).ops.clone();
        out.block_mut(block).ops = ops.into_iter().flat_map(|id| surrounded(id, around.remove(&id))).collect();
    }
    out
}

fn surrounded(id: OpId, around: Option<Around>) -> Vec<OpId> {
    let Around { waits, primes, sets, drains } = around.unwrap_or_default();
    // What a loop carried is taken down before its flags are used for something else.
    [waits, primes, vec![id], drains, sets].concat()
}

fn choice(def: &'static EnumDef, name: &str) -> Attr {
    Attr::Enum(def, def.find(name).unwrap_or(0) as u8)
}

/// The place in front of an operation, so that comments stay where they are.
fn before(module: &Module, id: OpId) -> Span {
    let start = module.op(id).span.start;
    Span::new(start, start)
}

/// The place behind an operation.
fn behind(module: &Module, id: OpId) -> Span {
    let end = module.op(id).span.end;
    Span::new(end, end)
}

fn flag(module: &mut Module, code: Op, (src, dst, id): (Pipe, Pipe, u8), span: Span) -> OpId {
    let attrs = vec![
        (module.names.intern("src_pipe"), choice(&enums::PIPE, src.name())),
        (module.names.intern("dst_pipe"), choice(&enums::PIPE, dst.name())),
        (module.names.intern("event_id"), Attr::Enum(&enums::EVENT, id)),
    ];
    module.new_op(code, NewOp { attrs, span, ..NewOp::default() })
}

fn barrier(module: &mut Module, pipe: Pipe, span: Span) -> OpId {
    let attrs = vec![(module.names.intern("pipe"), choice(&enums::PIPE, pipe.name()))];
    module.new_op(op::barrier, NewOp { attrs, span, ..NewOp::default() })
}
