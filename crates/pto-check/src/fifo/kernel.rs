//! Kinds of cores: which operations may stand in which kernel or section.

use super::LocatedProgram;
use crate::pipe_of;
use crate::structure::head;
use pto_ir::OpId;
use pto_isa::row::{CoreKind, SlotKind};
use pto_isa::text;
use pto_isa::{Diagnostic, Pipe, codes};

pub(super) fn check(program: &LocatedProgram, order: &[OpId], problems: &mut Vec<Diagnostic>) {
    let module = program.module;
    for &id in order {
        let row = module.op(id).op.row();
        let here = program.site(id).core;
        let uses_handle = row.slots.iter().any(|s| s.kind == SlotKind::Pipe);
        if here.is_none() && program.site(id).function.is_some() && (uses_handle || row.core != CoreKind::Any) {
            problems.push(unstated(program, id, row.core));
        }
        let pipe = pipe_of(module, id, program.info.target).filter(|_| row.core == CoreKind::Any);
        let wanted = pipe.map_or(row.core, core_of_pipe);
        if let Some(found) = here.filter(|&c| c != CoreKind::Any && wanted != CoreKind::Any && c != wanted) {
            problems.push(misplaced(program, id, pipe, wanted, found));
        }
    }
}

/// Only the cube core has the matrix unit, only vector cores have the vector unit.
fn core_of_pipe(pipe: Pipe) -> CoreKind {
    match pipe {
        Pipe::M => CoreKind::Cube,
        Pipe::V => CoreKind::Vector,
        _ => CoreKind::Any,
    }
}

fn unstated(program: &LocatedProgram, id: OpId, core: CoreKind) -> Diagnostic {
    let kind = if core == CoreKind::Any { text!("cube or vector") } else { core.name() };
    let message = text!("`{program}` where the program does not say which core runs it", program = program.name(id));
    let d = program.problem(codes::KERNEL_KIND, id, message).legal(text!("a {kind} kernel or section", kind));
    let kind = if core == CoreKind::Any { "cube" } else { core.name() };
    let d = d.help(text!("give the function `attributes {{pto.kernel_kind = #pto.kernel_kind<{kind}>}}`", kind));
    with_function(program, id, d)
}

fn misplaced(program: &LocatedProgram, id: OpId, pipe: Option<Pipe>, wanted: CoreKind, found: CoreKind) -> Diagnostic {
    let on_pipe = pipe.map_or(String::new(), |pipe| text!(" on {pipe}", pipe));
    let message = text!(
        "`{program}`{on_pipe} belongs on the {wanted} core, but this is {found} code",
        program = program.name(id),
        on_pipe,
        wanted = wanted.name(),
        found = found.name()
    );
    let d = program.problem(codes::KERNEL_KIND, id, message);
    let d = d.legal(text!("a {wanted} kernel or section", wanted = wanted.name()));
    let d = d.help(text!("move it into a kernel or `pto.section.{wanted}` of that kind", wanted = wanted.name()));
    with_function(program, id, d)
}

fn with_function(program: &LocatedProgram, id: OpId, d: Diagnostic) -> Diagnostic {
    match program.site(id).function {
        Some(f) => d.label(head(program.module, f), text!("the function it is in")),
        None => d,
    }
}
