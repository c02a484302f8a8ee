//! Small legal programs derived from the instruction table.

use crate::isa::{Op, Target};

/// A complete program that uses an instruction and is legal on a target.
pub fn program(op: Op, target: Target) -> Option<String> {
    let _ = (op, target);
    None
}
