//! What concerns other cores: signals, barriers, pipes, and transfers between ranks.

use super::build::{Builder, Built};
use super::roles::stated_kind;
use super::*;
use crate::kernels::{self, Prepared, Site};
use pto_ir::Attr;
use pto_isa::row::Core;
use pto_isa::rules::{Arg, AttrValue, Instance};
use pto_isa::table::op;
use pto_isa::{Dim, Loc, Op, Scalar, Type, ViewType, codes, enums};

/// Bytes that the slots of a pipe may have in one direction.
const MAX_RING_BYTES: u64 = 1 << 30;

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
    pub run: Option<Prepared>,
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
    pub load: Prepared,
    pub store: Prepared,
    /// Its stores add to what is there.
    pub atomic: bool,
    /// Combines the second stage into the first.
    pub combine: Option<Prepared>,
    pub bits: u32,
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
    fn link(&mut self, link: Link) -> Built<()> {
        self.plan.links.push(link);
        self.push(Step::Link(self.plan.links.len() as u32 - 1)).map(drop)
    }

    fn int_attr(&self, id: OpId, name: &str) -> Option<i64> {
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

    // ---- pipes ------------------------------------------------------------------------------------------------------

    pub fn link_op(&mut self, id: OpId) -> Built<()> {
        match self.module.op(id).op {
            op::aic_initialize_pipe | op::aiv_initialize_pipe | op::initialize_l2g2l_pipe | op::initialize_l2l_pipe => {
                self.open_pipe(id)
            }
            op::reserve_buffer => self.reserve(id),
            op::import_reserved_buffer => self.import(id),
            op::declare_tile | op::declare_global => self.result(id).and_then(|v| self.define(v)).map(drop),
            op::tpush | op::tpush_to_aiv | op::tpush_to_aic => {
                let mut push = self.pipe_op(id, op::tstore)?;
                self.convert_pushed(id, &mut push)?;
                self.link(Link::Push(push))
            }
            op::tpop | op::tpop_from_aic | op::tpop_from_aiv => {
                let pop = self.pipe_op(id, op::tload)?;
                self.fits_ring(&pop)?;
                self.link(Link::Pop(pop))
            }
            op::tfree | op::tfree_from_aic | op::tfree_from_aiv => {
                let free = self.pipe_op(id, op::tload)?;
                self.link(Link::Free(free))
            }
            op::talloc | op::talloc_to_aiv | op::talloc_to_aic => {
                let alloc = self.pipe_op(id, op::tstore)?;
                self.link(Link::Alloc(alloc))
            }
            _ => self.comm_op(id),
        }
    }

    /// Memory for slots. Where the planner would choose the place, it lies behind the memory spaces.
    fn reserve(&mut self, id: OpId) -> Built<()> {
        let loc = match self.choice(id, "location") {
            Some("mat") => Loc::Mat,
            _ => Loc::Vec,
        };
        let address = match self.int_attr(id, "base") {
            Some(base) => base as u64,
            None => self.own_bytes(self.int_attr(id, "size").unwrap_or(0) as u64)? - self.plan.spaces.start(loc),
        };
        let out = self.result_reg(id)?;
        self.plan.regs[out as usize] = address;
        self.reserved.push((out, self.int_attr(id, "size").unwrap_or(0) as u64));
        Ok(())
    }

    /// Popped tiles lie in memory that was reserved for them.
    fn fits_ring(&self, pop: &PipeOp) -> Built<()> {
        let end = &self.plan.ends[pop.end as usize];
        let Some(room) = end.room[usize::from(pop.way == Way::ToCube)] else { return Ok(()) };
        let tile = match pop.entry {
            Entry::Tile(_) => self.geometries[pop.geometry as usize].bytes(),
            _ => return Ok(()),
        };
        let need = u64::from(end.local_slots.max(1) - 1).saturating_mul(end.slot_size).saturating_add(tile);
        if need <= room {
            return Ok(());
        }
        let message = format!(
            "{} slots of {} bytes in a buffer of {room} bytes, for tiles of {tile}",
            end.local_slots, end.slot_size
        );
        Err(Diagnostic::new(codes::RUN_PIPE, self.place(), message)
            .legal(format!("at least {need} bytes"))
            .help("make the `size` of the `reserve_buffer` larger, or the pipe shorter"))
    }

    /// The address on another core. It tells a pipe where the other core's slots are, which the engine knows.
    fn import(&mut self, id: OpId) -> Built<()> {
        let name = self.module.attr(id, "name").cloned();
        let mut base = None;
        self.module.walk(self.module.top, &mut |other| {
            if self.module.op(other).op == op::reserve_buffer && self.module.attr(other, "name") == name.as_ref() {
                base = base.or(self.int_attr(other, "base"));
            }
        });
        let out = self.result_reg(id)?;
        self.plan.regs[out as usize] = base.unwrap_or(0) as u64;
        Ok(())
    }

    fn open_pipe(&mut self, id: OpId) -> Built<()> {
        let code = self.module.op(id).op;
        let both_ways = self.int_attr(id, "dir_mask") == Some(3);
        let slots = self.int_attr(id, "slot_num").unwrap_or(if both_ways { 4 } else { 8 }) as u32;
        let number = |name: &str| -> Built<Option<Reg>> {
            match self.operand(id, name).map(|v| self.slot(v)) {
                Some(Slot::Scalar(reg)) => Ok(Some(reg)),
                Some(_) => Err(self.unsupported("a ring that is not an address")),
                None => Ok(None),
            }
        };
        let local = match code {
            op::aic_initialize_pipe | op::aiv_initialize_pipe => {
                [number("c2v_consumer_buf")?, number("v2c_consumer_buf")?]
            }
            _ => {
                let (first, second) = (number("local_addr")?, number("peer_local_addr")?);
                if self.int_attr(id, "dir_mask") == Some(2) { [None, first] } else { [first, second] }
            }
        };
        let global = ["gm_slot_buffer", "gm_slot_tensor", "gm_addr"].into_iter().find_map(|n| self.operand(id, n));
        let global = global.map(|v| self.pointer(v)).transpose()?;
        let key = self.pipe_key(id);
        let local_slots = self.int_attr(id, "local_slot_num").map_or(slots, |n| n as u32);
        let slot_size = self.int_attr(id, "slot_size").unwrap_or(0) as u64;
        if slot_size.saturating_mul(slots.into()) > MAX_RING_BYTES {
            let message = format!("a pipe of {slots} slots with {slot_size} bytes");
            return Err(Diagnostic::new(codes::RUN_LIMIT, self.place(), message)
                .legal(format!("at most {} GiB in all", MAX_RING_BYTES >> 30)));
        }
        let flag_base = self.int_attr(id, "flag_base");
        let room = local.map(|reg| self.reserved.iter().find(|(r, _)| Some(*r) == reg).map(|(_, bytes)| *bytes));
        self.plan.ends.push(End {
            key,
            slot_size,
            slots,
            local_slots,
            global,
            local,
            room,
            both_ways,
            flag_base,
            init: id,
        });
        let end = self.plan.ends.len() as u32 - 1;
        if let Some(value) = self.module.results(id).next() {
            self.slots[value.index()] = Slot::End(end);
        }
        self.link(Link::Open(end))
    }

    /// The same number for both ends: ids and signals are shared, and the ends open their pipes in the same order.
    fn pipe_key(&self, id: OpId) -> u32 {
        let group = match (self.int_attr(id, "id"), self.int_attr(id, "flag_base")) {
            (_, Some(flag)) => 1 << 16 | flag as u32,
            (Some(pipe), None) => pipe as u32 & 0xffff,
            (None, None) => 0,
        };
        let earlier = self.plan.ends.iter().filter(|e| e.key & 0x00ff_ffff == group).count() as u32;
        earlier << 24 | group
    }

    fn pipe_op(&mut self, id: OpId, mover: Op) -> Built<PipeOp> {
        let end = self.end_of(id)?;
        let result = self.module.results(id).next();
        let value = result.or_else(|| self.operand(id, "tile")).or_else(|| self.operand(id, "entry"));
        let entry = match value {
            Some(v) if result.is_some() && self.module.tile(v).is_some() => {
                let Slot::Tile(tile) = self.define_handle(v)? else { return Err(self.unsupported("this entry")) };
                Entry::Tile(tile)
            }
            Some(v) => {
                let slot = if result.is_some() { self.define(v)? } else { self.slot(v) };
                match slot {
                    Slot::Tile(tile) => Entry::Tile(tile),
                    Slot::View(view) => Entry::Slot(view),
                    _ => return Err(self.unsupported("this entry")),
                }
            }
            None => Entry::Nothing,
        };
        let ty = value.and_then(|v| self.module.tile(v)).copied().map(|t| self.tile_type(&t));
        let valid = match &ty {
            Some(ty) => (
                self.extent(id, "valid_row", ty.valid_rows, ty.rows)?,
                self.extent(id, "valid_col", ty.valid_cols, ty.cols)?,
            ),
            None => (Extent::Fixed(0), Extent::Fixed(0)),
        };
        let bits = value.and_then(|v| self.module.value_type(v).elem()).map_or(8, |d| d.column_bits());
        if let (Entry::Slot(view), Some(Type::TensorView(v) | Type::PartitionView(v))) =
            (entry, value.map(|v| self.module.value_type(v)))
        {
            self.plan.views[view as usize] = packed_type(v);
        }
        Ok(PipeOp {
            end,
            way: self.way(id, ty.map(|t| t.loc)),
            entry,
            split: self.int_attr(id, "split").unwrap_or(0) as u8,
            subblock: self.operand(id, "aiv_subblockid").map(|v| self.scalar(v)).transpose()?,
            geometry: ty.map_or(0, |t| self.geometry(&t)),
            valid,
            bits,
            run: ty.map(|t| self.mover(mover, &t, &[])).transpose()?,
            scale: Scale::None,
        })
    }

    /// Accumulators that the fix pipe converts on their way, to the type that the other side pops.
    fn convert_pushed(&mut self, id: OpId, push: &mut PipeOp) -> Built<()> {
        let init = self.plan.ends[push.end as usize].init;
        let Some(Attr::Raw(text)) = self.module.attr(init, "acc_push_epilogue") else { return Ok(()) };
        let relu = self.module.names.text(*text).contains("normal_relu");
        let pipe = self.int_attr(id, "id").unwrap_or(0);
        let (Some(to), Some(from)) =
            (self.popped_type(pipe), self.operand(id, "tile").and_then(|v| self.module.tile(v)))
        else {
            return Err(self.unsupported("an epilogue without a pop that shows the type"));
        };
        let (to, from) = (to.dtype, self.tile_type(&from.clone()));
        let set = self.quants.iter().rev().find(|(of, ..)| *of == pipe);
        let table = set.and_then(|(_, _, table)| *table).map(|t| Type::TileBuf(self.tile_type(&t)));
        push.scale = set.map_or(Scale::None, |(_, scale, _)| *scale);
        let dims = vec![Dim::Dynamic, Dim::Dynamic].into_boxed_slice();
        let view = Type::TensorView(ViewType { dims, elem: Scalar::Elem(to) });
        let (tile, number) = (Type::TileBuf(from), Type::Scalar(Scalar::Elem(pto_isa::DType::F32)));
        let mut operands = vec![("src", &tile), ("dst", &view)];
        match (&push.scale, &table) {
            (Scale::Number(_), _) => operands.push(("pre_quant", &number)),
            (Scale::Table(_), Some(table)) => operands.push(("fp", table)),
            _ => {}
        }
        let mode = AttrValue::Enum(&enums::RELU_PRE_MODE, usize::from(relu));
        let code = if table.is_some() { op::tstore_fp } else { op::tstore };
        push.run = Some(self.code_for(code, &operands, &[("reluPreMode", mode)])?);
        push.bits = to.column_bits();
        Ok(())
    }

    /// The type that vector cores pop from a pipe.
    fn popped_type(&self, pipe: i64) -> Option<TileType> {
        let mut found = None;
        self.module.walk(self.module.top, &mut |id| {
            if self.module.op(id).op == op::tpop_from_aic && self.int_attr(id, "id").unwrap_or(0) == pipe {
                found = found.or_else(|| self.module.results(id).next().and_then(|v| self.module.tile(v)).copied());
            }
        });
        found
    }

    /// What the next pushes are scaled with.
    pub fn quant_op(&mut self, id: OpId) -> Built<()> {
        let (scale, table) = match self.operand(id, "scaling_tile") {
            Some(tile) => (Scale::Table(self.tile(tile)?), self.module.tile(tile).copied()),
            None => (Scale::Number(self.operand_reg(id, "scale")?), None),
        };
        let pipe = self.int_attr(id, "id").unwrap_or(0);
        self.quants.push((pipe, scale, table));
        self.order(Order::Other)
    }

    fn end_of(&self, id: OpId) -> Built<u32> {
        let found = match self.operand(id, "pipe_handle").map(|v| self.slot(v)) {
            Some(Slot::End(end)) => Some(end),
            Some(_) => None,
            None => {
                let wanted = self.int_attr(id, "id").unwrap_or(0) as u32;
                let at = self.plan.ends.iter().rposition(|e| e.key & 0x00ff_ffff == wanted);
                at.map(|at| at as u32)
            }
        };
        found.ok_or_else(|| self.unsupported("a pipe that this core has not opened"))
    }

    /// Which way an instruction's data flows: the operation says so, or the tile, or the function.
    fn way(&self, id: OpId, loc: Option<Loc>) -> Way {
        let code = self.module.op(id).op;
        let sends = matches!(code, op::tpush | op::talloc);
        match (code, loc) {
            (op::tpush_to_aiv | op::tpop_from_aic | op::tfree_from_aic | op::talloc_to_aiv, _) => Way::ToVector,
            (op::tpush_to_aic | op::tpop_from_aiv | op::tfree_from_aiv | op::talloc_to_aic, _) => Way::ToCube,
            (_, Some(Loc::Acc)) => Way::ToVector,
            (_, Some(Loc::Mat)) => Way::ToCube,
            _ => {
                let kind = self.calls.last().map_or(Core::Any, |f| stated_kind(self.module, *f));
                let on_cube = kind == Core::Cube || self.plan.role == Role::Cube;
                if on_cube == sends { Way::ToVector } else { Way::ToCube }
            }
        }
    }

    // ---- code that moves and combines tiles ----------------------------------------------------------------------------

    /// The code of a load or store between a tile and a row-major window.
    fn mover(&self, code: Op, ty: &TileType, attrs: &[(&str, AttrValue)]) -> Built<Prepared> {
        let dims = vec![Dim::Dynamic, Dim::Dynamic].into_boxed_slice();
        let view = Type::TensorView(ViewType { dims, elem: Scalar::Elem(ty.dtype) });
        let tile = Type::TileBuf(*ty);
        let (from, to) = if code == op::tload { (&view, &tile) } else { (&tile, &view) };
        self.code_for(code, &[("src", from), ("dst", to)], attrs)
    }

    fn code_for(&self, code: Op, operands: &[(&str, &Type)], attrs: &[(&str, AttrValue)]) -> Built<Prepared> {
        let row = code.row();
        let args: Vec<Arg> = operands
            .iter()
            .filter_map(|(name, ty)| Some(Arg { slot: row.slot(name)? as u8, ty, value: None }))
            .collect();
        let target = self.checked.info().target;
        let instance = Instance { row, target, manual: true, args: &args, attrs };
        let site = Site { instance, numerics: self.options.numerics, plain: self.options.plain, level: None };
        let prepared = kernels::find(code).and_then(|k| (k.prepare)(&site));
        prepared.ok_or_else(|| self.unsupported(&format!("a tile of type {}", operands[0].1)))
    }

    // ---- ranks --------------------------------------------------------------------------------------------------------

    fn comm_op(&mut self, id: OpId) -> Built<()> {
        let code = self.module.op(id).op;
        match code {
            op::comm_tnotify => {
                let (signal, value) = (self.operand_view(id, "signal")?, self.operand_reg(id, "value")?);
                let add = self.choice(id, "notifyOp") != Some("set");
                self.link(Link::Notify { signal, value, add })
            }
            op::comm_twait | op::comm_ttest => {
                let (signal, value) = (self.operand_view(id, "signal")?, self.operand_reg(id, "cmp_value")?);
                let name = self.choice(id, "cmp").unwrap_or("eq");
                let cmp = enums::WAIT_CMP.find(name).unwrap_or(0) as u8;
                if code == op::comm_twait {
                    return self.link(Link::WaitSignal { signal, value, cmp });
                }
                let out = self.result_reg(id)?;
                self.link(Link::TestSignal { signal, value, cmp, out })
            }
            op::comm_wait_async_event | op::comm_test_async_event => {
                // Transfers are complete as soon as they are started.
                let out = self.result_reg(id)?;
                self.plan.regs[out as usize] = 1;
                self.order(Order::AwaitBackground)
            }
            op::comm_build_async_session | op::make_prefetch_async_context | op::get_prefetch_async_session => {
                self.order(Order::Other)
            }
            _ => self.transfer_op(id),
        }
    }

    fn operand_view(&self, id: OpId, name: &str) -> Built<ViewId> {
        match self.operand(id, name) {
            Some(value) => self.view(value),
            None => Err(self.unsupported(&format!("it without `{name}`"))),
        }
    }

    fn transfer_op(&mut self, id: OpId) -> Built<()> {
        let code = self.module.op(id).op;
        let (kind, own, other, stage) = match code {
            op::comm_tput => (TransferKind::Put, "src", "dst", "ping"),
            op::comm_tget => (TransferKind::Get, "dst", "src", "ping"),
            op::comm_tgather => (TransferKind::Gather, "dst", "group", "ping"),
            op::comm_tscatter => (TransferKind::Scatter, "src", "group", "ping"),
            op::comm_tbroadcast => (TransferKind::Broadcast, "src", "group", "ping"),
            op::comm_treduce => (TransferKind::Reduce, "dst", "group", "recv_ping"),
            op::comm_tput_async => (TransferKind::Copy, "src", "dst", ""),
            op::comm_tget_async => (TransferKind::Copy, "src", "dst", ""),
            _ => return Err(self.unsupported("this instruction")),
        };
        let others = self.operands(id, other).iter().map(|v| self.view(*v)).collect::<Built<Vec<_>>>()?;
        let stage_value = self.operand(id, stage);
        let elem = self.operand(id, own).and_then(|v| self.module.value_type(v).elem());
        let Some(dtype) = elem else { return Err(self.unsupported("this element type")) };
        let ty = match stage_value.and_then(|v| self.module.tile(v)) {
            Some(ty) => self.tile_type(&ty.clone()),
            None => TileType::new(Loc::Vec, dtype, 1, 256),
        };
        let mut stages = Vec::new();
        for value in self.operand(id, "acc").into_iter().chain(stage_value) {
            stages.push(self.tile(value)?);
        }
        let adds = self.choice(id, "atomicType") == Some("atomic_add");
        let atomic = AttrValue::Enum(&enums::ATOMIC_TYPE, enums::ATOMIC_TYPE.find("atomic_add").unwrap_or(0));
        let atomic = [("atomicType", atomic)];
        let transfer = Transfer {
            kind,
            own: self.operand_view(id, own)?,
            others,
            root: self.int_attr(id, "root").unwrap_or(0) as u32,
            stages,
            load: self.mover(op::tload, &ty, &[])?,
            store: self.mover(op::tstore, &ty, if adds { &atomic } else { &[] })?,
            combine: if kind == TransferKind::Reduce { Some(self.combiner(id, &ty)?) } else { None },
            bits: dtype.column_bits(),
            atomic: adds,
        };
        self.link(Link::Transfer(transfer))
    }

    /// The code that combines a tile into another.
    fn combiner(&self, id: OpId, ty: &TileType) -> Built<Prepared> {
        let code = match self.choice(id, "reduceOp") {
            Some("max") => op::tmax,
            Some("min") => op::tmin,
            _ => op::tadd,
        };
        let tile = Type::TileBuf(*ty);
        self.code_for(code, &[("src0", &tile), ("src1", &tile), ("dst", &tile)], &[])
    }
}

/// A row-major view of a type; open extents are one.
fn packed_type(ty: &ViewType) -> View {
    let shape: Vec<u64> = ty.dims.iter().map(|d| d.fixed().unwrap_or(1)).collect();
    crate::run::packed(&shape)
}
