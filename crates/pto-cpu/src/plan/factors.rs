//! Instructions that move and multiply factors of products.

use super::build::PlanBuilder;
use crate::kernels::{FactorUse, OpKernel, holds_factor, keeps_factor};
use pto_ir::OpId;

impl PlanBuilder<'_> {
    /// What an instruction does with factors, as far as runs that nobody observes care.
    pub fn factor_use(&self, id: OpId, kernel: &OpKernel) -> FactorUse {
        match kernel.factors {
            FactorUse::Loads if !self.loads_factor(id) => FactorUse::None,
            FactorUse::Moves if !self.moves_kept_factor(id) => FactorUse::None,
            _ if self.options.plain => FactorUse::None,
            found => found,
        }
    }

    /// A load of all elements of one type, and nothing else, into a tile that factors are moved from.
    fn loads_factor(&self, id: OpId) -> bool {
        let dst = self.destination(id, "dst").ok();
        let tile = dst.and_then(|value| self.module.value_type(value).tile()).map(|t| self.tile_type(t));
        let elem = self.module.operand(id, "src").and_then(|value| self.module.value_type(value).elem());
        self.module.attrs(id).is_empty() && tile.is_some_and(|t| holds_factor(&t) && elem == Some(t.dtype))
    }

    fn moves_kept_factor(&self, id: OpId) -> bool {
        let only_moves = ["fp", "pre_quant"].iter().all(|slot| self.module.operand(id, slot).is_none());
        let tile = |value| self.module.value_type(value).tile().map(|t| self.tile_type(t));
        let (src, dst) = (self.module.operand(id, "src"), self.destination(id, "dst").ok());
        let is_kept = |(src, dst)| keeps_factor(&src, &dst);
        only_moves
            && self.module.attrs(id).is_empty()
            && src.and_then(tile).zip(dst.and_then(tile)).is_some_and(is_kept)
    }
}
