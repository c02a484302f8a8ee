//! FIFO pipes with both ends, for emitters.

use super::LocatedProgram;
use super::buffers::ReservedBuffers;
use super::ends::groups;
use super::pipes::{FifoEnd, FifoEnds};
use crate::Checked;
use pto_ir::OpId;
use pto_isa::Family;

/// A FIFO pipe: all operations that open an end of it.
#[derive(Clone, Debug)]
pub struct LinkedPipe {
    /// The operations, in text order.
    pub ends: Vec<OpId>,
    /// Their functions.
    pub functions: Vec<OpId>,
    /// The id in the program; ends may have different ones, and this is the smallest.
    pub id: i64,
    /// The number of signals it uses.
    pub flags: i64,
    /// The first signal, if the program states it.
    pub flag_base: Option<i64>,
    /// It has users, and none of them splits its tiles.
    pub whole: bool,
}

/// The pipes of a program, in text order.
///
/// ```
/// let (module, _) = pto_syntax::parse("func.func @f() { return }");
/// let checked = pto_check::check(module, pto_isa::Target::A5).expect("legal");
/// assert!(pto_check::linked_pipes(&checked).is_empty());
/// ```
pub fn linked_pipes(checked: &Checked) -> Vec<LinkedPipe> {
    let (module, info) = (checked.module(), checked.info());
    if module.order().iter().all(|id| module.op(*id).op.row().family != Family::Fifo) {
        return Vec::new();
    }
    let program = LocatedProgram { module, info, sites: super::site::collect(module) };
    let pipes = FifoEnds::collect(&program, &ReservedBuffers::collect(&program));
    let linked = |group: Vec<&FifoEnd>| {
        let splits: Vec<i64> = group.iter().flat_map(|e| &e.users).filter_map(|u| u.split).collect();
        LinkedPipe {
            ends: group.iter().map(|e| e.init).collect(),
            functions: group.iter().map(|e| e.function).collect(),
            id: group.iter().filter_map(|e| e.id).min().unwrap_or(0),
            flags: group.iter().map(|e| e.flags()).max().unwrap_or(2),
            flag_base: group.iter().find_map(|e| program.module.int(e.init, "flag_base")),
            whole: !splits.is_empty() && splits.iter().all(|s| *s == 0),
        }
    };
    groups(&pipes.ends).into_iter().map(linked).collect()
}
