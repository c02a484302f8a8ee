//! Instructions that need not be executed again, for observers that look at what happens and not at numbers.

use super::core::Core;
use crate::prepared::{CallOperand, KernelId, KernelStep, Plan, TileId, TileState, ViewState};
use pto_ir::ValueId;

/// What decides whether an instruction fails, if its data does not.
#[derive(Clone, Default)]
pub(super) struct Succeeded {
    /// Where a tile lies does not matter.
    tiles: Vec<Option<TileState>>,
    views: Vec<Option<ViewState>>,
    scalars: Vec<u64>,
}

impl Plan {
    /// True when numbers in memory may decide what the program does, or whether it fails: it [depends on data](Self::depends_on_data), or
    /// instructions have integers, which may be indices or divisors.
    pub(super) fn decides_by_numbers(&self) -> bool {
        let is_integer = |value: Option<ValueId>| {
            let elem = value.and_then(|v| self.module().value_type(v).elem());
            elem.is_none_or(|e| e.is_int())
        };
        let has_integers = |step: &KernelStep| {
            let tiles = step.tiles.iter().filter(|o| o.register.is_some()).map(|o| o.value);
            let views = step.views.iter().filter(|o| o.register.is_some()).map(|o| o.value);
            tiles.chain(views).any(is_integer)
        };
        let by_kernel = || self.roles().any(|role| role.calls.kernels.iter().any(has_integers));
        self.depends_on_data() || self.uses_words() || by_kernel()
    }
}

impl Core<'_> {
    /// True when the instruction was executed before with tiles of the same shapes, the same windows and the same scalars.
    pub fn has_succeeded(&self, which: KernelId) -> bool {
        let Some(known) = &self.issue.succeeded[which] else { return false };
        let step = &self.plan.calls.kernels[which];
        let tiles = step.tiles.iter().map(|operand| self.tile_shape(operand));
        let views = step.views.iter().map(|operand| operand.register.map(|r| &self.regs.views[r]));
        tiles.eq(known.tiles.iter().copied())
            && views.eq(known.views.iter().map(Option::as_ref))
            && self.scalar_operands(step).eq(known.scalars.iter().copied())
    }

    /// The instruction was executed.
    pub fn note_success(&mut self, which: KernelId) {
        let step = &self.plan.calls.kernels[which];
        let mut known = self.issue.succeeded[which].take().unwrap_or_default();
        known.tiles.clear();
        known.tiles.extend(step.tiles.iter().map(|operand| self.tile_shape(operand)));
        known.views.clear();
        known.views.extend(step.views.iter().map(|operand| operand.register.map(|r| self.regs.views[r])));
        known.scalars.clear();
        known.scalars.extend(self.scalar_operands(step));
        self.issue.succeeded[which] = Some(known);
    }

    /// A tile as if it lay at the start of its memory.
    fn tile_shape(&self, operand: &CallOperand<TileId>) -> Option<TileState> {
        let shape = |r| TileState { base: 0, origin: 0, root: TileId(0), ..self.regs.tiles[r] };
        operand.register.map(shape)
    }

    /// The scalars of an instruction, and the place of a part of an operand.
    fn scalar_operands(&self, step: &KernelStep) -> impl Iterator<Item = u64> {
        let part = step.part.into_iter().flat_map(|p| [p.row, p.col]).map(|r| self.reg(r));
        step.scalars.iter().map(|s| s.map_or(0, |r| self.reg(r))).chain(part)
    }
}
