//! What concerns other cores: signals and barriers here, [pipes](pipes) and transfers between [ranks](ranks) beside.

mod pipes;
mod ranks;

use super::build::{Builder, Built};
use crate::kernels::{self, Code, Site};
use crate::prepared::*;
use pto_ir::{Attr, OpId};
use pto_isa::rules::{Arg, AttrValue, Instance};
use pto_isa::table::op;
use pto_isa::{Dim, Op, Scalar, TileType, Type, ViewType};

/// True for synchronisation that reaches other cores.
pub(super) fn is_signal(code: Op) -> bool {
    matches!(
        code,
        op::sync_set
            | op::sync_wait
            | op::set_intra_block
            | op::wait_intra_block
            | op::set_cross_block
            | op::wait_cross_block
            | op::set_cross_core
            | op::wait_flag_dev
            | op::syncall
    )
}

impl Builder<'_> {
    pub fn link(&mut self, link: Link) -> Built<()> {
        let at = self.plan.calls.links.push(link);
        self.push(Step::Link(at)).map(drop)
    }

    pub fn int_attr(&self, id: OpId, name: &str) -> Option<i64> {
        self.module.attr(id, name).and_then(Attr::int)
    }

    /// The number of an enumeration attribute's value.
    pub fn choice(&self, id: OpId, name: &str) -> Option<&'static str> {
        match self.module.attr(id, name) {
            Some(Attr::Enum(def, at)) => Some(def.value(usize::from(*at))),
            _ => None,
        }
    }

    // ---- signals --------------------------------------------------------------------------------------------------

    pub fn signal_op(&mut self, id: OpId) -> Built<()> {
        let code = self.module.op(id).op;
        if code == op::syncall {
            return self.barrier_op(id);
        }
        let dynamic = self.operand(id, "event_id_dyn").or_else(|| self.operand(id, "event_id"));
        let signal = match (dynamic, self.int_attr(id, "event_id")) {
            (Some(value), _) => self.scalar(value)?,
            (None, Some(n)) => self.constant(n as u64),
            (None, None) => return Err(self.unsupported("it without an id")),
        };
        let mode = match code {
            op::set_cross_block => Some(0),
            _ => self.int_attr(id, "ffts_mode").map(|m| m as u8),
        };
        match code {
            op::sync_set | op::set_intra_block | op::set_cross_block | op::set_cross_core => {
                self.link(Link::Signal { id: signal, mode })
            }
            _ => self.link(Link::Await { id: signal }),
        }
    }

    fn barrier_op(&mut self, id: OpId) -> Built<()> {
        let set = match self.choice(id, "core_type") {
            Some("aic_only") => Set::Cube,
            Some("mix") => Set::All,
            _ => Set::Vector,
        };
        let cores = self.operand(id, "used_cores").map(|v| self.scalar(v)).transpose()?;
        self.link(Link::Barrier { set, soft: self.choice(id, "mode") == Some("soft"), cores })
    }

    /// The code of a load or store between a tile and a row-major window.
    fn mover(&self, code: Op, ty: &TileType, attrs: &[(&str, AttrValue)]) -> Built<Code> {
        let dims = vec![Dim::Dynamic, Dim::Dynamic].into_boxed_slice();
        let view = Type::TensorView(ViewType { dims, elem: Scalar::Elem(ty.dtype) });
        let tile = Type::TileBuf(*ty);
        let (from, to) = if code == op::tload { (&view, &tile) } else { (&tile, &view) };
        self.code_for(code, &[("src", from), ("dst", to)], attrs)
    }

    fn code_for(&self, code: Op, operands: &[(&str, &Type)], attrs: &[(&str, AttrValue)]) -> Built<Code> {
        let row = code.row();
        let args: Vec<Arg> = operands
            .iter()
            .filter_map(|(name, ty)| Some(Arg { slot: row.slot(name)? as u8, ty, value: None }))
            .collect();
        let target = self.checked.info().target;
        let instance = Instance { row, target, manual: true, args: &args, attrs };
        let site = Site { instance, numerics: self.options.numerics, plain: self.options.plain, level: None };
        let prepared = kernels::find(code).and_then(|k| k.prepare(&site));
        prepared.ok_or_else(|| self.unsupported(&format!("a tile of type {}", operands[0].1)))
    }
}
