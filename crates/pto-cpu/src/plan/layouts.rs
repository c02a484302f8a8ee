//! Layouts of views that are not stated, as far as the tiles they are moved to and from determine them.

use pto_ir::{Module, OpId, ValueId};
use pto_isa::row::{Meaning, Movement, Storage};
use pto_isa::{Loc, Order};
use std::collections::HashMap;

/// Which views are NZ because of their tiles.
///
/// No transfer changes the layout on the way to or from vector memory, so a window whose tile has boxes there has the
/// same boxes. Tiles that disagree decide nothing.
#[derive(Default)]
pub(super) struct Layouts(HashMap<ValueId, bool>);

impl Layouts {
    pub(super) fn new(module: &Module) -> Self {
        let mut layouts = Self::default();
        let mut origins = HashMap::new();
        for id in module.order() {
            match module.meaning(id) {
                Meaning::Storage(Storage::Partition) => {
                    let Some(source) = operand(module, id, "source") else { continue };
                    let origin = *origins.get(&source).unwrap_or(&source);
                    origins.extend(module.results(id).map(|part| (part, origin)));
                }
                Meaning::Movement(Movement::Load) => layouts.note(module, id, ("src", "dst"), &origins),
                Meaning::Movement(Movement::Store) => layouts.note(module, id, ("dst", "src"), &origins),
                _ => {}
            }
        }
        layouts
    }

    fn note(&mut self, module: &Module, id: OpId, (view, tile): (&str, &str), origins: &HashMap<ValueId, ValueId>) {
        let (Some(view), Some(tile)) = (operand(module, id, view), operand(module, id, tile)) else { return };
        let Some(tile) = module.tile(tile).filter(|t| t.loc == Loc::Vec) else { return };
        if module.attr(id, "layout").is_none() {
            let origin = *origins.get(&view).unwrap_or(&view);
            *self.0.entry(origin).or_insert(true) &= tile.order() == Order::Nz;
        }
    }

    /// The tiles of a view say that it is NZ.
    pub(super) fn is_nz(&self, view: ValueId) -> bool {
        self.0.get(&view) == Some(&true)
    }
}

/// The operand in a slot, or the result of the value form.
fn operand(module: &Module, id: OpId, name: &str) -> Option<ValueId> {
    let slot = module.op(id).op.row().slot(name)?;
    let result = || module.results(id).find(|v| usize::from(module.value(*v).slot) == slot);
    module.in_slot(id, slot).next().map(|o| o.value).or_else(result)
}
