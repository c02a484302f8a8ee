//! One FIFO pipe in one function: its id, when it is opened, and the requirements of its users.

use super::LocatedProgram;
use super::pipes::{CoreCode, FifoEnd, FifoEnds, User, global_slots, handle, operand};
use crate::structure::head;
use pto_ir::OpId;
use pto_isa::hash::FastMap;
use pto_isa::row::{CoreKind, Direction, EndForm, Fifo};
use pto_isa::text;
use pto_isa::{Diagnostic, Dim, Op, Target, Type, ViewType, codes};

pub(super) fn check(program: &LocatedProgram, pipes: &FifoEnds, problems: &mut Vec<Diagnostic>) {
    unique_ids(program, pipes, problems);
    for user in &pipes.lost {
        problems.extend(lost(program, pipes, user));
    }
    for end in &pipes.ends {
        for user in &end.users {
            problems.extend(direction(program, end, user));
            problems.extend(opened(program, end, user));
            problems.extend(odd_split(program, end, user));
            problems.extend(entry(program, end, user));
        }
    }
}

fn unique_ids(program: &LocatedProgram, pipes: &FifoEnds, problems: &mut Vec<Diagnostic>) {
    let mut first: FastMap<(CoreCode, Option<i64>), OpId> = FastMap::default();
    for end in pipes.ends.iter().filter(|e| e.frontend) {
        let before = *first.entry((end.home, end.id)).or_insert(end.init);
        if before != end.init {
            let id = end.id.unwrap_or(0);
            let d =
                program.problem(codes::FIFO_SETUP, end.init, text!("a second pipe with id {id} in one function", id));
            let d =
                d.label(head(program.module, before), text!("the first one")).legal(text!("each id once per function"));
            problems.push(d.help(text!("give it a separate `id`, and use that `id` in its users")));
        }
    }
}

/// A user whose pipe is not opened in its function.
fn lost(program: &LocatedProgram, pipes: &FifoEnds, user: &User) -> Option<Diagnostic> {
    let function = program.site(user.id).function?;
    if let Some(value) = handle(program, user.id) {
        let message = text!(
            "the handle of `{program}` does not come from a pipe of this function",
            program = program.name(user.id)
        );
        let d = program.problem(codes::FIFO_SETUP, user.id, message);
        let known = program.module.definition(value).is_some_and(|o| opens(program, o));
        return (!known).then(|| d.legal(text!("the result of `initialize_l2l_pipe` or `initialize_l2g2l_pipe`")));
    }
    let id = program.module.int(user.id, "id").unwrap_or(0);
    let ids: Vec<String> =
        pipes.ends.iter().filter(|e| e.function == function).filter_map(|e| e.id).map(|n| n.to_string()).collect();
    let legal = if ids.is_empty() {
        text!("it opens none").to_string()
    } else {
        text!("ids it opens: {ids}", ids = ids.join(", "))
    };
    let core = match program.module.op(user.id).op.row().core {
        CoreKind::Vector => CoreKind::Vector,
        CoreKind::Cube | CoreKind::Any => CoreKind::Cube,
    };
    let init = Op::of(Fifo::Open(EndForm::Named(core))).row().name;
    Some(
        program
            .problem(
                codes::FIFO_SETUP,
                user.id,
                text!("`{program}` uses pipe {id}, which is not open", program = program.name(user.id), id),
            )
            .label(head(program.module, function), text!("this function opens no such pipe"))
            .legal(legal)
            .help(text!("open it with `pto.{init} {{id = {id}, …}}` first", init, id)),
    )
}

fn opens(program: &LocatedProgram, id: OpId) -> bool {
    matches!(program.module.fifo(id), Some(Fifo::Open(end)) if !end.is_named())
}

fn direction(program: &LocatedProgram, end: &FifoEnd, user: &User) -> Option<Diagnostic> {
    let wanted = user.direction.filter(|d| end.shape.dir_mask & d.bit() == 0)?;
    let mask = end.shape.dir_mask;
    let message = text!(
        "`{program}` needs a pipe from {wanted}, this one has dir_mask = {mask}",
        program = program.name(user.id),
        wanted = wanted.name(),
        mask
    );
    let d = program
        .problem(codes::FIFO_SETUP, user.id, message)
        .label(head(program.module, end.init), text!("opened here"));
    Some(d.legal(text!("dir_mask = {wanted} or 3", wanted = wanted.bit())))
}

/// The pipe is opened before each user.
fn opened(program: &LocatedProgram, end: &FifoEnd, user: &User) -> Option<Diagnostic> {
    let home = program.site(end.init).block;
    let mut at = user.id;
    while program.site(at).block != home {
        match program.site(at).parent {
            Some(parent) => at = parent,
            None => return None,
        }
    }
    let late = program.module.op(at).span.start < program.module.op(end.init).span.start;
    late.then(|| {
        let d = program.problem(
            codes::FIFO_SETUP,
            user.id,
            text!("`{program}` before its pipe is open", program = program.name(user.id)),
        );
        d.label(head(program.module, end.init), text!("opened here"))
            .legal(text!("after the pipe is opened"))
            .help(text!("open the pipe first"))
    })
}

/// Odd splits need a copy through global memory, and only cube tiles are split.
fn odd_split(program: &LocatedProgram, end: &FifoEnd, user: &User) -> Option<Diagnostic> {
    let split = user.split.filter(|s| *s > 2)?;
    let to_vector = match user.direction {
        Some(d) => d == Direction::ToVector,
        None => {
            let producer = user.action.is_of_producer();
            program.site(user.id).core == Some(if producer { CoreKind::Cube } else { CoreKind::Vector })
        }
    };
    let legal = to_vector && end.shape.dir_mask == 1 && !end.shape.global && has_global_slots(program, end);
    (!legal).then(|| {
        let message = text!("split = {split} on a pipe that cannot cut a tile unevenly", split);
        let d = program
            .problem(codes::FIFO_SETUP, user.id, message)
            .label(head(program.module, end.init), text!("the pipe"));
        d.legal(text!("a pipe with dir_mask = 1, slots in global memory and a consumer buffer"))
            .help(text!("make the extent even and use split 1 or 2"))
    })
}

/// On A5 the plain buffer of a frontend pipe is not used.
fn has_global_slots(program: &LocatedProgram, end: &FifoEnd) -> bool {
    let buffer = operand(program, end.init, "gm_slot_buffer").is_some() && program.info.target != Target::A5;
    buffer || global_slots(program, end.init).is_some()
}

/// An entry in global memory has the type of the pipe's slots.
fn entry(program: &LocatedProgram, end: &FifoEnd, user: &User) -> Option<Diagnostic> {
    let entry = entry_view(program, user.id)?;
    let report = |found: String, legal: String| {
        let d = program.problem(codes::FIFO_SETUP, user.id, found).legal(legal);
        d.label(head(program.module, end.init), text!("the pipe"))
    };
    let Some((slots, ty)) = global_slots(program, end.init) else {
        let found = text!("`{program}` moves a view through a pipe of tiles", program = program.name(user.id));
        return Some(report(found, text!("a tile, or a pipe with `gm_slot_tensor`").into()));
    };
    let slot = ty.view()?;
    (!fits(entry, slot)).then(|| {
        let found = text!("the entry is {shown}, the slots are {shown2}", shown = shown(entry), shown2 = shown(slot));
        report(found, text!("entries with the element type and the extents of the slots").into())
            .label(slots.span, text!("the slots"))
    })
}

fn entry_view<'a>(program: &'a LocatedProgram, id: OpId) -> Option<&'a ViewType> {
    let module = program.module;
    let views = |t: &'a Type| if matches!(t, Type::TensorView(_)) { t.view() } else { None };
    let operands = module.operands(id).iter().map(|o| o.value);
    operands.chain(module.results(id)).find_map(|v| views(module.value_type(v)))
}

fn fits(entry: &ViewType, slot: &ViewType) -> bool {
    let same = |(a, b): (&Dim, &Dim)| a == b || *a == Dim::Dynamic || *b == Dim::Dynamic;
    entry.elem == slot.elem && entry.dims.len() == slot.dims.len() && entry.dims.iter().zip(&slot.dims).all(same)
}

fn shown(view: &ViewType) -> String {
    let dims: Vec<String> = view.dims.iter().map(ToString::to_string).collect();
    text!("{dims} of {view}", dims = dims.join("x"), view = view.elem.mlir())
}
