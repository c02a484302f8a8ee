//! What concerns other cores: signals and barriers here, [pipes](pipes) and transfers between [ranks](ranks) beside.

mod pipes;
mod ranks;

use super::build::{PlanBuilder, PlanResult};
use crate::kernels::{self, Code, Site};
use crate::prepared::*;
use pto_ir::OpId;
use pto_isa::row::{Movement, SignalForm, SyncOp};
use pto_isa::rules::{AttrValue, Instance, RuleArg};
use pto_isa::text;
use pto_isa::{Dim, Op, ScalarType, TileType, Type, ViewType};

impl PlanBuilder<'_> {
    pub fn link(&mut self, link: Link) -> PlanResult<()> {
        let at = self.plan.calls.links.push(link);
        self.push(Step::Link(at)).map(drop)
    }

    // ---- signals --------------------------------------------------------------------------------------------------

    pub fn signal_op(&mut self, id: OpId, is: SyncOp) -> PlanResult<()> {
        if is == SyncOp::AllCores {
            return self.barrier_op(id);
        }
        let dynamic = self.module.operand(id, "event_id_dyn").or_else(|| self.module.operand(id, "event_id"));
        let signal = match (dynamic, self.module.given_int(id, "event_id")) {
            (Some(value), _) => self.scalar(value)?,
            (None, Some(n)) => self.constant(n as u64),
            (None, None) => return Err(self.unsupported(text!("it without an id"))),
        };
        let mode = match is {
            SyncOp::Signal(SignalForm::Blocks) => Some(0),
            _ => self.module.given_int(id, "ffts_mode").map(|m| m as u8),
        };
        match is {
            SyncOp::Signal(_) => self.link(Link::Signal { id: signal, mode }),
            _ => self.link(Link::Await { id: signal }),
        }
    }

    fn barrier_op(&mut self, id: OpId) -> PlanResult<()> {
        let set = match self.module.choice(id, "core_type") {
            Some("aic_only") => Set::Cube,
            Some("mix") => Set::All,
            _ => Set::Vector,
        };
        let cores = self.module.operand(id, "used_cores").map(|v| self.scalar(v)).transpose()?;
        self.link(Link::Barrier { set, soft: self.module.choice(id, "mode") == Some("soft"), cores })
    }

    /// The code of a load or store between a tile and a row-major window.
    fn mover(&self, is: Movement, ty: &TileType, attrs: &[(&str, AttrValue)]) -> PlanResult<Code> {
        let dims = vec![Dim::Dynamic, Dim::Dynamic].into_boxed_slice();
        let view = Type::TensorView(ViewType { dims, elem: ScalarType::Elem(ty.dtype) });
        let tile = Type::TileBuf(*ty);
        let (from, to) = if is == Movement::Load { (&view, &tile) } else { (&tile, &view) };
        self.code_for(Op::of(is), &[("src", from), ("dst", to)], attrs)
    }

    fn code_for(&self, code: Op, operands: &[(&str, &Type)], attrs: &[(&str, AttrValue)]) -> PlanResult<Code> {
        let row = code.row();
        let args: Vec<RuleArg> = operands
            .iter()
            .filter_map(|(name, ty)| Some(RuleArg { slot: row.slot(name)? as u8, ty, value: None }))
            .collect();
        let target = self.checked.info().target;
        let instance = Instance { row, target, manual: true, args: &args, attrs };
        let site = Site { instance, numerics: self.options.numerics, plain: self.options.plain, level: None };
        let prepared = kernels::find(code).and_then(|k| k.prepare(&site));
        prepared.ok_or_else(|| self.unsupported(&text!("a tile of type {operands}", operands = operands[0].1)))
    }
}
