//! What prepares products: the places of block scales, and the rounding of f32 operands.

use super::build::{PlanBuilder, PlanResult};
use crate::kernels::{ROUNDING, Rounding};
use crate::prepared::*;
use pto_ir::{Attr, OpId};
use pto_isa::table::op;
use pto_isa::text;

/// Mantissa bits of HF32 and TF32.
const HF32: u64 = 11;
const TF32: u64 = 10;

impl PlanBuilder<'_> {
    /// `tget_scale_addr`: no data moves.
    pub fn scale_address(&mut self, id: OpId) -> PlanResult<()> {
        let operand = self.operand_tile(id, "src")?;
        let dst = self.destination(id, "dst")?;
        let scale = match self.slot(dst) {
            ValueStorage::Tile(tile) => tile,
            _ => match self.define(dst)? {
                ValueStorage::Tile(tile) => tile,
                _ => return Err(self.unsupported(text!("this destination"))),
            },
        };
        self.push(Step::ScaleAddress { operand, scale })?;
        let is_result = self.module.results(id).any(|v| v == dst);
        if is_result { self.open_extents(id, dst) } else { Ok(()) }
    }

    /// `sethf32mode`, `settf32mode`: there is one mode, and the last instruction decides.
    pub fn product_rounding(&mut self, id: OpId) -> PlanResult<()> {
        let mantissa = if self.module.op(id).op == op::sethf32mode { HF32 } else { TF32 };
        let enabled = matches!(self.module.attr(id, "enable"), Some(Attr::Bool(true)));
        let mode = match self.module.attr(id, "mode") {
            Some(Attr::Enum(def, at)) => def.value(usize::from(*at)),
            _ => "ROUND",
        };
        let to_even = match mode {
            "ROUND" => false,
            "RINT" | "CAST_RINT" => true,
            _ => return Err(self.unsupported(text!("this rounding mode"))),
        };
        let state = if enabled { Rounding::new(mantissa, to_even).0 } else { 0 };
        let (from, to) = (self.constant(state), self.state(ROUNDING.trim_start_matches('$')));
        self.push(Step::Move { from, to }).map(drop)
    }
}
