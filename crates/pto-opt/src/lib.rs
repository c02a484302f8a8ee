//! Auto mode: tiles get their places, and pipes their order.

mod effects;
mod order;
mod places;
pub mod plan;
mod ranges;
mod scratch;
mod slots;
pub mod sync;
mod tree;

pub use plan::{Planned, plan_memory};
pub use scratch::provide_scratch;
pub use sync::{Mode, Synced, insert_sync};

use pto_check::Checked;
use pto_ir::Module;
use pto_isa::{Diagnostic, Span, Targets};

/// Writes the tile values of a program as buffers, for its target.
///
/// # Errors
/// See [`pto_ir::buffers::to_buffers`].
pub fn to_buffers(checked: &Checked) -> Result<Module, Vec<Diagnostic>> {
    pto_ir::buffers::to_buffers(checked.module(), Targets::of(&[checked.info().target]))
}

/// A program with addresses and flags.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: Checked,
    /// Where all pipes wait for each other because nothing better is known, and why.
    pub blanket: Vec<(Span, &'static str)>,
}

/// Everything: buffers, scratch tiles that are left out, places, and order.
///
/// ```
/// use pto_opt::{Mode, lower, plan::Options};
/// let (module, _) = pto_syntax::parse("func.func @f() { return }");
/// let checked = pto_check::check(module, pto_isa::Target::A5).expect("legal");
/// assert!(lower(&checked, Options::default(), Mode::Minimal).is_ok());
/// ```
///
/// # Errors
/// What has no buffer form, and what does not fit.
pub fn lower(checked: &Checked, places: plan::Options, order: Mode) -> Result<Lowered, Vec<Diagnostic>> {
    let target = checked.info().target;
    let checked = with_scratch(pto_check::check(to_buffers(checked)?, target)?)?;
    let planned = plan_memory(&checked, places)?;
    let checked = pto_check::check(planned.module, target)?;
    let synced = insert_sync(&checked, order);
    let blanket = if order == Mode::Minimal { synced.blanket(checked.module()) } else { Vec::new() };
    Ok(Lowered { program: pto_check::check(synced.module, target)?, blanket })
}

/// The program with the scratch tiles that it leaves out.
///
/// # Errors
/// None are known; the program is checked again.
pub fn with_scratch(checked: Checked) -> Result<Checked, Vec<Diagnostic>> {
    match provide_scratch(&checked) {
        Some(module) => pto_check::check(module, checked.info().target),
        None => Ok(checked),
    }
}

/// True when [`to_buffers`] changes a program.
pub fn needs_buffers(checked: &Checked) -> bool {
    pto_ir::buffers::are_needed(checked.module(), Targets::of(&[checked.info().target]))
}
