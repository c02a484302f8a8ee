//! Inserts flags and barriers into a program.

use super::caches::CacheCleans;
use super::{Edge, Means};
use pto_ir::{Attr, Module, Names, NewOp, OpId, Operand, Sym, ValueId};
use pto_isa::ordered::OrdMap;
use pto_isa::row::{Arith, FlagForm, SyncOp};
use pto_isa::{EnumDef, Op, Pipe, Span, enums};

/// What is inserted around an operation.
#[derive(Default)]
struct InsertedAround {
    /// Waits and barriers, then sets, then a clean of the data cache, before it.
    waits: Vec<OpId>,
    primes: Vec<OpId>,
    clean: Option<OpId>,
    /// Waits, then sets, after it.
    sets: Vec<OpId>,
    drains: Vec<OpId>,
}

/// The program with all insertions.
pub(super) fn insert(module: &Module, edges: &[Edge], cleans: &CacheCleans) -> Module {
    let mut out = module.clone();
    let mut numbers = ComputedIds { names: Names::new(module) };
    let mut around: OrdMap<OpId, InsertedAround> = OrdMap::new();
    for &id in &cleans.before {
        around.entry(id).or_default().clean = Some(clean_cache(&mut out, before(module, id)));
    }
    for &id in &cleans.after {
        let clean = clean_cache(&mut out, behind(module, id));
        around.entry(id).or_default().sets.push(clean);
    }
    for edge in edges {
        match edge.means {
            Means::Flag { src, dst, id } => {
                let (behind_it, before_it) = (behind(module, edge.after), before(module, edge.before));
                let (sets, waits) = match edge.numbered {
                    None => (
                        vec![flag(&mut out, SyncOp::SetFlag(FlagForm::Fixed), (src, dst, id), behind_it)],
                        vec![flag(&mut out, SyncOp::WaitFlag(FlagForm::Fixed), (src, dst, id), before_it)],
                    ),
                    Some(numbered) => (
                        numbers.flag(
                            &mut out,
                            SyncOp::SetFlag(FlagForm::Computed),
                            (src, dst, id),
                            numbered.set,
                            behind_it,
                        ),
                        numbers.flag(
                            &mut out,
                            SyncOp::WaitFlag(FlagForm::Computed),
                            (src, dst, id),
                            numbered.wait,
                            before_it,
                        ),
                    ),
                };
                around.entry(edge.after).or_default().sets.extend(sets);
                around.entry(edge.before).or_default().waits.extend(waits);
                for id in id..id + edge.numbered.map_or(1, |n| n.count) {
                    if let Some(around_loop) = edge.carried_by {
                        let prime = flag(
                            &mut out,
                            SyncOp::SetFlag(FlagForm::Fixed),
                            (src, dst, id),
                            before(module, around_loop),
                        );
                        around.entry(around_loop).or_default().primes.push(prime);
                    }
                    if let Some(around_loop) = edge.drained_by {
                        let drain = flag(
                            &mut out,
                            SyncOp::WaitFlag(FlagForm::Fixed),
                            (src, dst, id),
                            behind(module, around_loop),
                        );
                        around.entry(around_loop).or_default().drains.push(drain);
                    }
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

fn surrounded(id: OpId, around: Option<InsertedAround>) -> Vec<OpId> {
    let InsertedAround { waits, primes, clean, sets, drains } = around.unwrap_or_default();
    // Carried flags are cleared before they are used for something else.
    [waits, primes, clean.into_iter().chain([id]).collect(), drains, sets].concat()
}

fn choice(def: &'static EnumDef, name: &str) -> Attr {
    Attr::Enum(def, def.find(name).unwrap_or(0) as u8)
}

/// The position before an operation, so that comments stay where they are.
fn before(module: &Module, id: OpId) -> Span {
    let start = module.op(id).span.start;
    Span::new(start, start)
}

/// The position after an operation.
fn behind(module: &Module, id: OpId) -> Span {
    let end = module.op(id).span.end;
    Span::new(end, end)
}

fn flag(module: &mut Module, is: SyncOp, (src, dst, id): (Pipe, Pipe, u8), span: Span) -> OpId {
    let mut attrs = pipes(module, src, dst);
    attrs.push((module.names.intern("event_id"), Attr::Enum(&enums::EVENT, id)));
    module.new_op(Op::of(is), NewOp { attrs, span, ..NewOp::default() })
}

fn pipes(module: &mut Module, src: Pipe, dst: Pipe) -> Vec<(Sym, Attr)> {
    vec![
        (module.names.intern("src_pipe"), choice(&enums::PIPE, src.name())),
        (module.names.intern("dst_pipe"), choice(&enums::PIPE, dst.name())),
    ]
}

/// Ids that are computed.
struct ComputedIds {
    names: Names,
}

impl ComputedIds {
    /// A flag whose id is a constant plus the index of a tile.
    fn flag(
        &mut self,
        out: &mut Module,
        is: SyncOp,
        (src, dst, first): (Pipe, Pipe, u8),
        number: ValueId,
        span: Span,
    ) -> Vec<OpId> {
        let (code, mut ops) = (Op::of(is), Vec::new());
        let id = if first == 0 { number } else { self.sum(out, number, first, span, &mut ops) };
        let operand = Operand { value: id, slot: code.row().slot("event_id").unwrap_or(0) as u8, span };
        let attrs = pipes(out, src, dst);
        ops.push(out.new_op(code, NewOp { operands: vec![operand], attrs, span, ..NewOp::default() }));
        ops
    }

    fn sum(&mut self, out: &mut Module, number: ValueId, more: u8, span: Span, ops: &mut Vec<OpId>) -> ValueId {
        let ty = out.value(number).ty;
        let name = self.names.fresh(out, "first_flag");
        let base = out.new_constant(more.into(), ty, name, span);
        let name = self.names.fresh(out, "flag");
        let Some(first) = out.results(base).next() else { return number };
        let sum = out.new_with(Arith::Add, &[("lhs", number), ("rhs", first)], &[(ty, name)], span);
        ops.extend([base, sum]);
        out.results(sum).next().unwrap_or(number)
    }
}

/// Writes the data cache back and empties it.
fn clean_cache(module: &mut Module, span: Span) -> OpId {
    let attrs = vec![(module.names.intern("space"), choice(&enums::ADDRESS_SPACE, "gm"))];
    module.new_op(Op::of(SyncOp::CleanCache), NewOp { attrs, span, ..NewOp::default() })
}

/// A barrier on a pipe.
pub(crate) fn barrier(module: &mut Module, pipe: Pipe, span: Span) -> OpId {
    let attrs = vec![(module.names.intern("pipe"), choice(&enums::PIPE, pipe.name()))];
    module.new_op(Op::of(SyncOp::Barrier), NewOp { attrs, span, ..NewOp::default() })
}
