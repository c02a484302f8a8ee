//! Instructions that set the state of a core for later ones.

use super::build::{PlanBuilder, PlanResult};
use crate::prepared::*;
use pto_ir::{Attr, OpId};
use pto_isa::row::AtomicMode;

impl PlanBuilder<'_> {
    fn set_state(&mut self, name: &str, bits: u64) -> PlanResult<()> {
        let (from, to) = (self.constant(bits), self.state(name));
        self.push(Step::Move { from, to }).map(drop)
    }

    fn number(&self, id: OpId, name: &str) -> u64 {
        self.module.int(id, name).unwrap_or(0) as u64
    }

    /// Rows, columns and margins of the feature map: the register of the left operand. In the automatic modes of the
    /// device the tile instruction fills it; here a program must set it.
    pub fn feature_map(&mut self, id: OpId) -> PlanResult<()> {
        let extents =
            [("fmapH", 0), ("fmapW", 16), ("padLeft", 32), ("padRight", 40), ("padTop", 48), ("padBottom", 56)];
        let word = extents.iter().map(|(name, shift)| self.number(id, name) << shift).sum();
        let is_right =
            matches!(self.module.attr(id, "mode"), Some(Attr::Str(s)) if self.module.names.text(*s).contains("_B_"));
        self.set_state(if is_right { "fmatrix_b" } else { "fmatrix" }, word)
    }

    pub fn image_padding(&mut self, id: OpId) -> PlanResult<()> {
        let bits = self.number(id, "padValue");
        self.set_state("img2col_padding", bits)
    }

    /// Says how later stores combine with memory. Their own element type is the one that counts, so the switches for types
    /// change nothing.
    pub fn atomic_switch(&mut self, mode: AtomicMode) -> PlanResult<()> {
        match mode {
            AtomicMode::Combine(how) => self.set_state("atomic", how.code()),
            AtomicMode::Overwrite => self.set_state("atomic", 0),
            AtomicMode::Element => self.order(PipeOrder::Other),
        }
    }
}
