//! Is this program legal, and on which target?
//!
//! What is checked, in this order:
//!
//! 1. **Structure** (`structure`): terminators, where operations may stand, yielded, returned and passed
//!    values, functions and calls, entries, branches, and that every use is reached by its definition.
//! 2. **Types** (`tiles`): the static rules of every tile type, and that the target has its memory.
//! 3. **Instructions** (`instructions`): attributes, operand kinds, element types, memories, layouts, valid
//!    regions, scratch tiles; all from the table.
//! 4. **Memory** (`memory`): alignment and range of explicit addresses; operands that overlap (`overlap`), through calls as well (`shared_arguments`); tiles that are read
//!    after a device has lost what they held (`clobber`).
//! 5. **Pipes** (`fifo`): kernel kinds, reserved buffers, and the two ends of every pipe.
//!
//! All problems are reported; warnings leave a program legal. Success gives a [`Checked`] module: engines and emitters accept nothing else.
//!
//! ```
//! use pto_isa::Target;
//! let (module, problems) = pto_syntax::parse("func.func @f() { return }");
//! assert!(problems.is_empty());
//! let checked = pto_check::check(module, Target::A5).expect("legal");
//! assert!(checked.info().dynamic.is_empty());
//! ```

mod cases;
mod clobber;
mod control;
mod dominance;
mod dominators;
mod fifo;
mod info;
mod instructions;
mod memory;
mod overlap;
mod places;
mod reach;
mod scratch;
mod shared_arguments;
mod structs;
mod structure;
mod tiles;
mod windows;

pub use clobber::lost_sources;
pub use fifo::{Epilogue, LinkedPipe, linked_pipes};
pub use info::{Info, flag_of, pipe_of};
pub use instructions::{recheck, widen};
pub use overlap::apart;
pub use reach::{Reach, reach};
pub use scratch::{WorkSpace, missing_scratch, scratch_left_out, work_space};

use pto_ir::{Attr, Module};
use pto_isa::sort::SharedSort;
use pto_isa::{Diagnostic, Error, Target};

/// A module that passed every check for a target.
#[derive(Clone, Debug)]
pub struct Checked {
    module: Module,
    info: Info,
    warnings: Vec<Diagnostic>,
}

impl Checked {
    /// The program.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Facts that the checks computed.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// Warnings, in source order.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Warnings about device behaviour that the program does not express: see [`pto_isa::row::Hazard`].
    pub fn hazards(&self) -> impl Iterator<Item = &Diagnostic> {
        self.warnings.iter().filter(|d| d.is_hazard())
    }

    /// Returns the program, unproven.
    pub fn into_module(self) -> Module {
        self.module
    }
}

/// Checks a program for a target.
///
/// # Errors
/// Every problem, in source order.
pub fn check(module: Module, target: Target) -> Result<Checked, Error> {
    let (info, problems) = inspect(&module, target);
    if problems.iter().any(Diagnostic::is_error) {
        return Err(module.error(problems));
    }
    Ok(Checked { module, info, warnings: problems })
}

/// Checks a program without consuming it; the facts are complete only if there are no problems.
pub fn inspect(module: &Module, target: Target) -> (Info, Vec<Diagnostic>) {
    let mut problems = Vec::new();
    // Walked once; the passes iterate over the list.
    let order = module.order();
    structure::check(module, &order, &mut problems);
    structs::check(module, &order, &mut problems);
    tiles::check(module, &order, target, &mut problems);
    let mut info = Info::new(module, &order, target);
    instructions::check(module, &order, &mut info, &mut problems);
    memory::check(module, &order, &info, &mut problems);
    let places = places::TileAddresses::new(module, &order, &info);
    overlap::check(module, &order, &info, &places, &mut problems);
    shared_arguments::check(module, &order, &info, &places, &mut problems);
    clobber::check(module, &order, &info, &places, &mut problems);
    fifo::check(module, &order, &info, &mut problems);
    problems.shared_sort_by_key(|d| (d.primary.span, d.code));
    problems.dedup();
    (info, problems)
}

/// The target the program says it is written for: `pto.target_arch` of its first module.
pub fn stated_target(module: &Module) -> Option<Target> {
    let name = module.names.get("pto.target_arch")?;
    module.block(module.top).ops.iter().find_map(|&op| {
        let attr = module.attrs(op).iter().find(|(n, _)| *n == name)?;
        match &attr.1 {
            Attr::Str(s) => Target::parse(module.names.text(*s)),
            _ => None,
        }
    })
}
