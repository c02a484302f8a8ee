//! Auto mode: tiles get addresses, and pipes are synchronised.

mod apart;
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
use pto_isa::hash::FastSet;
use scratch::{keep_sources, provide_scratch};
pub use sync::{SyncMode, Synced, insert_sync};

use pto_check::Checked;
use pto_ir::{Module, OpId};
use pto_isa::row::Storage;
use pto_isa::{Error, Span, Targets};

/// Writes the tile values of a program as buffers, for its target.
///
/// # Errors
/// See [`pto_ir::buffers::to_buffers`].
pub fn to_buffers(checked: &Checked) -> Result<Module, Error> {
    pto_ir::buffers::to_buffers(checked.module(), Targets::of(&[checked.info().target]))
}

/// A point at which all pipes wait for each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Blanket {
    /// Where.
    pub span: Span,
    /// Why nothing better is known.
    pub reason: &'static str,
}

/// A program with addresses and flags.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Lowered {
    /// The program.
    pub program: Checked,
    /// Points at which all pipes wait for each other because nothing better is known, and why.
    pub blanket: Vec<Blanket>,
    /// Points at which a loop uses one of several tiles, and it is unknown which one an iteration uses: iterations wait for each other.
    pub untold: Vec<Span>,
    /// Functions without inserted flags: they synchronise themselves, or no synchronisation was requested.
    pub as_they_are: Vec<OpId>,
}

/// All passes: buffers and scratch tiles ([`prepare`]), addresses and synchronisation, each where the program leaves it open.
///
/// ```
/// use pto_opt::{SyncMode, lower, plan::Options};
/// let (module, _) = pto_syntax::parse("func.func @f() { return }");
/// let checked = pto_check::check(module, pto_isa::Target::A5).expect("legal");
/// assert!(lower(&checked, Options::default(), SyncMode::Minimal).is_ok());
/// ```
///
/// # Errors
/// What has no buffer form, and what does not fit.
pub fn lower(checked: &Checked, places: plan::Options, order: SyncMode) -> Result<Lowered, Error> {
    let target = checked.info().target;
    // Flags of the program do not account for tiles that share bytes.
    let as_it_is = matches!(order, SyncMode::None | SyncMode::Unstated) && sync::states_order(checked.module());
    let places = plan::Options { apart: places.apart || as_it_is, ..places };
    let planned = plan_memory(&prepare(checked)?, places)?;
    let placed = pto_check::check(planned.module, target)?;
    let as_they_are = sync::as_they_are(placed.module(), order);
    let synced = insert_sync(&placed, order);
    let blanket = if order == SyncMode::Barriers { Vec::new() } else { synced.blanket(placed.module()) };
    let untold = if order == SyncMode::Barriers { Vec::new() } else { untold(&placed, &as_they_are) };
    Ok(Lowered { program: pto_check::check(synced.module, target)?, blanket, untold, as_they_are })
}

/// The program with buffers for its tile values, copies of sources that a device would destroy, and omitted scratch tiles.
///
/// # Errors
/// What has no buffer form, and scratch tiles for which there is no room.
pub fn prepare(checked: &Checked) -> Result<Checked, Error> {
    let target = checked.info().target;
    let buffers = pto_check::check(to_buffers(checked)?, target)?;
    let buffers = match keep_sources(&buffers) {
        Some(module) => pto_check::check(module, target)?,
        None => buffers,
    };
    let apart = match apart::keep_apart(&buffers)? {
        Some(module) => pto_check::check(module, target)?,
        None => buffers,
    };
    match provide_scratch(&apart) {
        Some(module) => pto_check::check(module, target),
        None => Ok(apart),
    }
}

/// Points at which a loop uses one of several tiles whose index does not follow from the iteration, except in some functions.
fn untold(checked: &Checked, but: &[OpId]) -> Vec<Span> {
    let module = checked.module();
    let places = places::ValueMemory::new(checked);
    let order = order::OpPositions::new(module);
    let but: FastSet<OpId> = but.iter().copied().collect();
    let is_untold = |id: &OpId| {
        let number = module.operand(*id, "slot");
        module.storage(*id) == Some(Storage::Pick)
            && order.loop_around(*id).is_some()
            && number.is_some_and(|n| checked.info().constant(n).is_none())
            && module.results(*id).any(|tile| places.turned_slot(tile).is_none())
            && !order.around(*id).any(|outer| but.contains(&outer))
    };
    module.order().into_iter().filter(is_untold).map(|id| module.op(id).name_span).collect()
}
