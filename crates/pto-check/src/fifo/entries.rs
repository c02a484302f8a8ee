//! Popped entries: each lies in a slot of the FIFO pipe until it is freed.
//!
//! If a pop copies the tile out of its slot (every target but A5), a late use still reads the copy until the ring wraps
//! around; such a program is legal there, but not portable.

use super::LocatedProgram;
use super::pipes::{FifoEnd, FifoEnds, User, operand};
use crate::structure::head;
use pto_ir::{OpId, ValueId};
use pto_isa::hash::FastSet;
use pto_isa::row::{Effect, EntryAction, Fifo};
use pto_isa::text;
use pto_isa::{Diagnostic, Target, codes};

pub(super) fn check(program: &LocatedProgram, pipes: &FifoEnds, problems: &mut Vec<Diagnostic>) {
    for end in &pipes.ends {
        for pop in end.users_in(EntryAction::Pop) {
            if let Some(free) = freed(program, end, pop) {
                problems.extend(used_after(program, pop, free));
            }
        }
    }
}

fn start(program: &LocatedProgram, id: OpId) -> u32 {
    program.module.op(id).span.start
}

/// The operation in the same block that frees the entry.
fn freed(program: &LocatedProgram, end: &FifoEnd, pop: &User) -> Option<OpId> {
    let same = |u: &&User| {
        program.site(u.id).block == program.site(pop.id).block
            && u.direction == pop.direction
            && start(program, u.id) > start(program, pop.id)
    };
    end.users_in(EntryAction::Free).find(same).map(|u| u.id)
}

/// The popped value: a result, or the operand that the handle form binds.
fn popped(program: &LocatedProgram, pop: &User) -> Option<ValueId> {
    let bound = operand(program, pop.id, "tile").map(|o| o.value);
    bound.or_else(|| program.module.results(pop.id).next())
}

/// The first use of the entry, or of a view of it, after it was freed and before it is bound again.
fn used_after(program: &LocatedProgram, pop: &User, free: OpId) -> Option<Diagnostic> {
    let module = program.module;
    let tile = popped(program, pop)?;
    let mut entry = FastSet::from_iter([tile]);
    let block = &module.block(program.site(pop.id).block).ops;
    let later = block.iter().copied().skip_while(|o| *o != pop.id).skip(1);
    let mut freed = false;
    for id in later {
        if id == free {
            freed = true;
            continue;
        }
        let mut first = None;
        visit(program, id, &mut |inner| {
            let operand = module.operands(inner).iter().find(|o| entry.contains(&o.value));
            if operand.is_some() && module.op(inner).op.row().effect == Effect::View {
                entry.extend(module.results(inner));
            }
            first = first.or(operand.filter(|_| freed).map(|o| (inner, o.span)));
        });
        if let Some((user, span)) = first {
            return (!rebinds(program, user, tile))
                .then(|| describe(program, pop, free, user).label(span, text!("the entry")));
        }
    }
    None
}

fn visit(program: &LocatedProgram, id: OpId, act: &mut impl FnMut(OpId)) {
    act(id);
    for block in crate::structure::blocks_of(program.module, id) {
        program.module.walk(block, act);
    }
}

fn rebinds(program: &LocatedProgram, id: OpId, tile: ValueId) -> bool {
    program.module.fifo(id).and_then(Fifo::action) == Some(EntryAction::Pop)
        && operand(program, id, "tile").is_some_and(|o| o.value == tile)
}

fn describe(program: &LocatedProgram, pop: &User, free: OpId, user: OpId) -> Diagnostic {
    let message = text!("`{program}` uses a FIFO entry after it was freed", program = program.name(user));
    let d = program
        .problem(codes::FIFO_ENTRY, user, message)
        .label(head(program.module, pop.id), text!("popped here"))
        .label(head(program.module, free), text!("freed here"))
        .legal(text!("uses between the pop and its free"))
        .help(text!("move `{program}` behind the last use", program = program.name(free)));
    let d = d.page(program.module.op(free).op.row().name);
    if in_slot(program, pop) { d } else { d.warning().legal(text!("an error on a5, where the tile lies in the slot")) }
}

/// The entry itself lies in the slot: always in global memory, tiles only on A5.
fn in_slot(program: &LocatedProgram, pop: &User) -> bool {
    let view = popped(program, pop).is_some_and(|v| program.module.value_type(v).view().is_some());
    view || program.info.target == Target::A5
}
