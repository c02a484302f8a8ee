//! What needs more than one operation: kernel kinds, reserved buffers, and the pipes between cube and vector cores.
//!
//! 1. **Cores** ([`kernel`]): an operation of one kind of core stands in a kernel or section of that kind.
//! 2. **Buffers** ([`buffers`]): reserved names are unique, placed the way the function places its tiles, and every
//!    imported buffer is reserved by exactly one function that can be meant.
//! 3. **Pipes** ([`setup`]): one pipe per id, opened before its users, with the direction and the entries they need.
//! 4. **Ends** ([`ends`]): the two ends of a pipe exist and agree, all users split or none does, and the pipes of a
//!    function fit into the signal ids.
//! 5. **Fix-pipe epilogues** ([`fixpipe`]): both ends name the same one, its scale is set before each push, and the
//!    element types, the layout and the slot fit.
//! 6. **Entries** ([`entries`]): a popped entry is not used after its slot was given back.
//!
//! Whether a pipe deadlocks, or whether every pop has its free, is not decided here: that needs the values of loop
//! bounds.

mod buffers;
mod ends;
mod entries;
mod epilogue;
mod fixpipe;
mod kernel;
mod linked;
mod pipes;
mod setup;
mod site;

use crate::Info;
use crate::structure::head;
use buffers::ReservedBuffers;
pub use epilogue::Epilogue;
pub use linked::{LinkedPipe, linked_pipes};
use pipes::FifoEnds;
use pto_ir::{Attr, Module, OpId};
use pto_isa::{Code, Diagnostic, Family};
use site::OpSite;

pub(crate) fn check(module: &Module, order: &[OpId], info: &Info, problems: &mut Vec<Diagnostic>) {
    let program = LocatedProgram { module, info, sites: site::collect(module) };
    kernel::check(&program, order, problems);
    if order.iter().all(|&id| module.op(id).op.row().family != Family::Fifo) {
        return;
    }
    let buffers = ReservedBuffers::collect(&program);
    buffers.check(problems);
    let pipes = FifoEnds::collect(&program, &buffers);
    setup::check(&program, &pipes, problems);
    ends::check(&program, &pipes, problems);
    fixpipe::check(&program, &pipes, problems);
    entries::check(&program, &pipes, problems);
}

/// A program with the place of every operation.
struct LocatedProgram<'a> {
    module: &'a Module,
    info: &'a Info,
    sites: Vec<OpSite>,
}

impl LocatedProgram<'_> {
    fn site(&self, id: OpId) -> OpSite {
        self.sites[id.index()]
    }

    fn flag(&self, id: OpId, attr: &str) -> Option<bool> {
        match self.module.attr(id, attr) {
            Some(Attr::Bool(b)) => Some(*b),
            _ => None,
        }
    }

    fn name(&self, id: OpId) -> &'static str {
        self.module.op(id).op.row().name
    }

    /// A problem with one operation.
    fn problem(&self, code: Code, id: OpId, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, head(self.module, id), message).page(self.module.op(id).op.row().name)
    }
}
