//! Pipes between the cube core and the vector cores: their ends, slots, pushes and pops.

use super::super::build::{PlanBuilder, PlanResult};
use super::super::roles::stated_kind;
use crate::prepared::*;
use pto_ir::{Attr, OpId};
use pto_isa::row::{CoreKind, Direction, EndForm, EntryAction, Fifo, Movement};
use pto_isa::rules::AttrValue;
use pto_isa::text;
use pto_isa::{Diagnostic, Dim, Loc, Op, ScalarType, TileType, Type, ViewType, codes, enums};

/// Bytes that the slots of a pipe may have in one direction.
const MAX_RING_BYTES: u64 = 1 << 30;

impl PlanBuilder<'_> {
    pub fn link_op(&mut self, id: OpId) -> PlanResult<()> {
        let Some(is) = self.module.fifo(id) else { return self.comm_op(id) };
        match is {
            Fifo::Open(end) => self.open_pipe(id, end),
            Fifo::Reserve => self.reserve(id),
            Fifo::Import => self.import(id),
            Fifo::Declare => self.result(id).and_then(|v| self.define(v)).map(drop),
            Fifo::Scale(_) => self.quant_op(id),
            Fifo::Entry(action, direction) => self.entry_op(id, action, direction),
        }
    }

    fn entry_op(&mut self, id: OpId, action: EntryAction, direction: Option<Direction>) -> PlanResult<()> {
        let mut entry = self.pipe_op(id, action, direction)?;
        match action {
            EntryAction::Push => {
                self.convert_pushed(id, &mut entry)?;
                self.link(Link::Push(entry))
            }
            EntryAction::Pop => {
                self.fits_ring(&entry)?;
                self.link(Link::Pop(entry))
            }
            EntryAction::Free => self.link(Link::Free(entry)),
            EntryAction::Alloc => self.link(Link::Alloc(entry)),
        }
    }

    /// Memory for slots. If the planner would choose the address, it lies after the memory spaces.
    fn reserve(&mut self, id: OpId) -> PlanResult<()> {
        let loc = match self.module.choice(id, "location") {
            Some("mat") => Loc::Mat,
            _ => Loc::Vec,
        };
        let address = match self.module.given_int(id, "base") {
            Some(base) => base as u64,
            None => {
                self.own_bytes(self.module.given_int(id, "size").unwrap_or(0) as u64)?
                    - self.plan.memory.spaces.start(loc)
            }
        };
        let out = self.result_reg(id)?;
        self.plan.start.scalars[out] = address;
        self.reserved.push((out, self.module.given_int(id, "size").unwrap_or(0) as u64));
        Ok(())
    }

    /// Popped tiles lie in memory that was reserved for them.
    fn fits_ring(&self, pop: &PipeOp) -> PlanResult<()> {
        let end = &self.plan.calls.ends[pop.end];
        let Some(room) = end.room[usize::from(pop.way == Direction::ToCube)] else { return Ok(()) };
        let tile = match pop.entry {
            PipeEntry::Tile(_) => self.plan.tiles.geometries[pop.geometry].bytes(),
            _ => return Ok(()),
        };
        let need = u64::from(end.local_slots.max(1) - 1).saturating_mul(end.slot_size).saturating_add(tile);
        if need <= room {
            return Ok(());
        }
        let message = text!(
            "{local_slots} slots of {slot_size} bytes in a buffer of {room} bytes, for tiles of {tile}",
            local_slots = end.local_slots,
            slot_size = end.slot_size,
            room,
            tile
        );
        Err(Diagnostic::new(codes::RUN_PIPE, self.place(), message)
            .legal(text!("at least {need} bytes", need))
            .help(text!("make the `size` of the `reserve_buffer` larger, or the pipe shorter")))
    }

    /// The address on another core. It tells a FIFO pipe where the slots of the other core are, which the engine already knows.
    fn import(&mut self, id: OpId) -> PlanResult<()> {
        let name = self.module.attr(id, "name").cloned();
        let mut base = None;
        self.module.walk(self.module.top, &mut |other| {
            if self.module.fifo(other) == Some(Fifo::Reserve) && self.module.attr(other, "name") == name.as_ref() {
                base = base.or(self.module.given_int(other, "base"));
            }
        });
        let out = self.result_reg(id)?;
        self.plan.start.scalars[out] = base.unwrap_or(0) as u64;
        Ok(())
    }

    fn open_pipe(&mut self, id: OpId, end: EndForm) -> PlanResult<()> {
        let both_ways = self.module.given_int(id, "dir_mask") == Some(3);
        let slots = self.module.int(id, "slot_num").unwrap_or(0) as u32;
        let number = |name: &str| -> PlanResult<Option<Reg>> {
            match self.module.operand(id, name).map(|v| self.slot(v)) {
                Some(ValueStorage::Scalar(reg)) => Ok(Some(reg)),
                Some(_) => Err(self.unsupported(text!("a ring that is not an address"))),
                None => Ok(None),
            }
        };
        let local = match end {
            EndForm::Named(_) => [number("c2v_consumer_buf")?, number("v2c_consumer_buf")?],
            EndForm::Local | EndForm::Global => {
                let (first, second) = (number("local_addr")?, number("peer_local_addr")?);
                if self.module.given_int(id, "dir_mask") == Some(2) { [None, first] } else { [first, second] }
            }
        };
        let global =
            ["gm_slot_buffer", "gm_slot_tensor", "gm_addr"].into_iter().find_map(|n| self.module.operand(id, n));
        let global = global.map(|v| self.pointer(v)).transpose()?;
        let key = self.pipe_key(id);
        let local_slots = self.module.int(id, "local_slot_num").map_or(slots, |n| n as u32);
        let slot_size = self.module.given_int(id, "slot_size").unwrap_or(0) as u64;
        if slot_size.saturating_mul(slots.into()) > MAX_RING_BYTES {
            let message = text!("a pipe of {slots} slots with {slot_size} bytes", slots, slot_size);
            return Err(Diagnostic::new(codes::RUN_LIMIT, self.place(), message)
                .legal(text!("at most {value} GiB in all", value = MAX_RING_BYTES >> 30)));
        }
        let flag_base = self.module.given_int(id, "flag_base");
        let room = local.map(|reg| self.reserved.iter().find(|(r, _)| Some(*r) == reg).map(|(_, bytes)| *bytes));
        let end = self.plan.calls.ends.push(PipeEnd {
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
        if let Some(value) = self.module.results(id).next() {
            self.keep_in(value, ValueStorage::End(end));
        }
        self.link(Link::Open(end))
    }

    /// The same number for both ends: ids and signals are shared, and the ends open their pipes in the same order.
    fn pipe_key(&self, id: OpId) -> u32 {
        let group = match (self.module.given_int(id, "id"), self.module.given_int(id, "flag_base")) {
            (_, Some(flag)) => 1 << 16 | flag as u32,
            (Some(pipe), None) => pipe as u32 & 0xffff,
            (None, None) => 0,
        };
        let earlier = self.plan.calls.ends.iter().filter(|e| e.key & 0x00ff_ffff == group).count() as u32;
        earlier << 24 | group
    }

    fn pipe_op(&mut self, id: OpId, action: EntryAction, direction: Option<Direction>) -> PlanResult<PipeOp> {
        let mover = if action.is_of_producer() { Movement::Store } else { Movement::Load };
        let end = self.end_of(id)?;
        let result = self.module.results(id).next();
        let value = result.or_else(|| self.module.operand(id, "tile")).or_else(|| self.module.operand(id, "entry"));
        let entry = match value {
            Some(v) if result.is_some() && self.module.tile(v).is_some() => {
                let ValueStorage::Tile(tile) = self.define_handle(v)? else {
                    return Err(self.unsupported(text!("this entry")));
                };
                PipeEntry::Tile(tile)
            }
            Some(v) => {
                let slot = if result.is_some() { self.define(v)? } else { self.slot(v) };
                match slot {
                    ValueStorage::Tile(tile) => PipeEntry::Tile(tile),
                    ValueStorage::View(view) => PipeEntry::Slot(view),
                    _ => return Err(self.unsupported(text!("this entry"))),
                }
            }
            None => PipeEntry::Nothing,
        };
        let ty = value.and_then(|v| self.module.tile(v)).copied().map(|t| self.tile_type(&t));
        let valid = match &ty {
            Some(ty) => (
                self.extent(id, "valid_row", ty.valid_rows, ty.rows)?,
                self.extent(id, "valid_col", ty.valid_cols, ty.cols)?,
            ),
            None => (ExtentValue::Fixed(0), ExtentValue::Fixed(0)),
        };
        let bits = value.and_then(|v| self.module.value_type(v).elem()).map_or(8, |d| d.column_bits());
        if let (PipeEntry::Slot(view), Some(value)) = (entry, value)
            && let Some(ty) = self.module.value_type(value).view()
        {
            self.plan.start.views[view] = ViewState { layout: self.layout_of(value), ..packed_type(ty) };
        }
        Ok(PipeOp {
            end,
            way: direction.unwrap_or_else(|| self.direction(action, ty.map(|t| t.loc))),
            entry,
            split: self.module.given_int(id, "split").unwrap_or(0) as u8,
            subblock: self.module.operand(id, "aiv_subblockid").map(|v| self.scalar(v)).transpose()?,
            geometry: ty.map_or(GeometryId(0), |t| self.geometry(&t)),
            valid,
            bits,
            run: ty.map(|t| self.mover(mover, &t, &[])).transpose()?,
            scale: Scale::None,
        })
    }

    /// Accumulators that the fix pipe converts on their way, to the type that the other side pops.
    fn convert_pushed(&mut self, id: OpId, push: &mut PipeOp) -> PlanResult<()> {
        let init = self.plan.calls.ends[push.end].init;
        let Some(Attr::Raw(text)) = self.module.attr(init, "acc_push_epilogue") else { return Ok(()) };
        let relu = self.module.names.text(*text).contains("normal_relu");
        let pipe = self.module.given_int(id, "id").unwrap_or(0);
        let (Some(to), Some(from)) =
            (self.popped_type(pipe), self.module.operand(id, "tile").and_then(|v| self.module.tile(v)))
        else {
            return Err(self.unsupported(text!("an epilogue without a pop that shows the type")));
        };
        let (to, from) = (to.dtype, self.tile_type(&from.clone()));
        let set = self.quants.iter().rev().find(|(of, ..)| *of == pipe);
        let table = set.and_then(|(_, _, table)| *table).map(|t| Type::TileBuf(self.tile_type(&t)));
        push.scale = set.map_or(Scale::None, |(_, scale, _)| *scale);
        let dims = vec![Dim::Dynamic, Dim::Dynamic].into_boxed_slice();
        let view = Type::TensorView(ViewType { dims, elem: ScalarType::Elem(to) });
        let (tile, number) = (Type::TileBuf(from), Type::Scalar(ScalarType::Elem(pto_isa::DType::F32)));
        let mut operands = vec![("src", &tile), ("dst", &view)];
        match (&push.scale, &table) {
            (Scale::Number(_), _) => operands.push(("pre_quant", &number)),
            (Scale::Table(_), Some(table)) => operands.push(("fp", table)),
            _ => {}
        }
        let mode = AttrValue::Enum(&enums::RELU_PRE_MODE, usize::from(relu));
        let code = Op::of(if table.is_some() { Movement::StoreScaled } else { Movement::Store });
        push.run = Some(self.code_for(code, &operands, &[("reluPreMode", mode)])?);
        push.bits = to.column_bits();
        Ok(())
    }

    /// The type that vector cores pop from a pipe.
    fn popped_type(&self, pipe: i64) -> Option<TileType> {
        let mut found = None;
        self.module.walk(self.module.top, &mut |id| {
            if self.module.fifo(id) == Some(Fifo::Entry(EntryAction::Pop, Some(Direction::ToVector)))
                && self.module.given_int(id, "id").unwrap_or(0) == pipe
            {
                found = found.or_else(|| self.module.results(id).next().and_then(|v| self.module.tile(v)).copied());
            }
        });
        found
    }

    /// What the next pushes are scaled with.
    pub fn quant_op(&mut self, id: OpId) -> PlanResult<()> {
        let (scale, table) = match self.module.operand(id, "scaling_tile") {
            Some(tile) => (Scale::Table(self.tile(tile)?), self.module.tile(tile).copied()),
            None => (Scale::Number(self.operand_reg(id, "scale")?), None),
        };
        let pipe = self.module.given_int(id, "id").unwrap_or(0);
        self.quants.push((pipe, scale, table));
        self.order(PipeOrder::Other)
    }

    fn end_of(&self, id: OpId) -> PlanResult<EndId> {
        let found = match self.module.operand(id, "pipe_handle").map(|v| self.slot(v)) {
            Some(ValueStorage::End(end)) => Some(end),
            Some(_) => None,
            None => {
                let wanted = self.module.given_int(id, "id").unwrap_or(0) as u32;
                let at = self.plan.calls.ends.iter().rposition(|e| e.key & 0x00ff_ffff == wanted);
                at.map(EndId::new)
            }
        };
        found.ok_or_else(|| self.unsupported(text!("a pipe that this core has not opened")))
    }

    /// Which way data flows where the operation does not say it: the tile does, or the function.
    fn direction(&self, action: EntryAction, loc: Option<Loc>) -> Direction {
        match loc {
            Some(Loc::Acc) => Direction::ToVector,
            Some(Loc::Mat) => Direction::ToCube,
            _ => {
                let kind = self.calls.last().map_or(CoreKind::Any, |f| stated_kind(self.module, *f));
                let on_cube = kind == CoreKind::Cube || self.plan.cores.role == Role::Cube;
                if on_cube == action.is_of_producer() { Direction::ToVector } else { Direction::ToCube }
            }
        }
    }
}

/// A row-major view of a type; open extents are one.
fn packed_type(ty: &ViewType) -> ViewState {
    let shape: Vec<u64> = ty.dims.iter().map(|d| d.fixed().unwrap_or(1)).collect();
    ViewState::packed(&shape)
}
