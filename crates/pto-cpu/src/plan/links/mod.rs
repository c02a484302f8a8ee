//! What concerns other cores: signals and barriers here, [pipes](pipes) and transfers between [ranks](ranks) beside.

mod pipes;
mod ranks;

use super::build::{Builder, Built};
use super::roles::stated_kind;
use super::*;
use crate::kernels::{self, Code, Site};
use pto_ir::Attr;
use pto_isa::row::Core;
use pto_isa::rules::{Arg, AttrValue, Instance};
use pto_isa::table::op;
use pto_isa::{Dim, Loc, Op, Scalar, Type, ViewType};

/// One end of a pipe.
#[derive(Clone, Debug)]
pub(crate) struct End {
    /// The same on both sides.
    pub key: u32,
    pub slot_size: u64,
    pub slots: u32,
    /// Slots of the consumer's local ring.
    pub local_slots: u32,
    /// Where slots in global memory start.
    pub global: Option<Pointer>,
    /// Local rings of the consumers: of the vector cores, of the cube core.
    pub local: [Option<Reg>; 2],
    /// Bytes that were reserved for them, where the program says so.
    pub room: [Option<u64>; 2],
    pub both_ways: bool,
    /// The first of the signals it uses, where that is stated.
    pub flag_base: Option<i64>,
    /// The operation that opens it.
    pub init: OpId,
}

/// Which way data flows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Way {
    ToVector,
    ToCube,
}

/// What goes through a pipe.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry {
    Tile(TileId),
    /// A slot in global memory.
    Slot(ViewId),
    Nothing,
}

/// An instruction on a pipe.
#[derive(Clone, Debug)]
pub(crate) struct PipeOp {
    pub end: u32,
    pub way: Way,
    pub entry: Entry,
    /// How the vector cores share a tile: 0 not, 1 and 3 by rows, 2 and 4 by columns.
    pub split: u8,
    /// The vector core it stands for, where that is stated.
    pub subblock: Option<Reg>,
    /// Geometry and valid region of a popped tile; bits of its elements.
    pub geometry: u32,
    pub valid: (Extent, Extent),
    pub bits: u32,
    /// Moves the tile to or from the slot.
    pub run: Option<Code>,
    /// What an accumulator is quantised with on its way.
    pub scale: Scale,
}

/// What the fix pipe scales accumulators with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scale {
    None,
    /// One number for all.
    Number(Reg),
    /// A number for each column.
    Table(TileId),
}

/// The cores that take part in a barrier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Set {
    /// The vector cores.
    Vector,
    /// The cube cores.
    Cube,
    /// All of them.
    All,
}

/// A transfer between ranks.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    pub kind: TransferKind,
    /// The view on this rank.
    pub own: ViewId,
    /// The other views, by rank.
    pub others: Vec<ViewId>,
    pub root: u32,
    /// The staging tile; where data is combined, the accumulator comes first.
    pub stages: Vec<TileId>,
    pub load: Code,
    pub store: Code,
    /// Its stores add to what is there.
    pub atomic: bool,
    /// Combines the second stage into the first.
    pub combine: Option<Code>,
    pub bits: u32,
    /// Where it works in the background.
    pub background: Option<Background>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TransferKind {
    /// From the other view to this one.
    Get,
    /// From this view to the other.
    Put,
    Gather,
    Scatter,
    Broadcast,
    Reduce,
    /// Flat, without a stage.
    Copy,
}

impl Transfer {
    /// The views it reads.
    pub fn sources(&self) -> Vec<ViewId> {
        match self.kind {
            TransferKind::Get | TransferKind::Gather | TransferKind::Reduce => self.others.clone(),
            _ => vec![self.own],
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Link {
    Open(u32),
    Push(PipeOp),
    Pop(PipeOp),
    Free(PipeOp),
    Alloc(PipeOp),
    Signal { id: Reg, mode: Option<u8> },
    Await { id: Reg },
    Barrier { set: Set, soft: bool, cores: Option<Reg> },
    Notify { signal: ViewId, value: Reg, add: bool },
    WaitSignal { signal: ViewId, value: Reg, cmp: u8 },
    TestSignal { signal: ViewId, value: Reg, cmp: u8, out: Reg },
    Transfer(Transfer),
}

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
        self.plan.links.push(link);
        self.push(Step::Link(self.plan.links.len() as u32 - 1)).map(drop)
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
