//! Explicit addresses: alignment and range.

use crate::Info;
use pto_ir::{Module, OpId, ValueId};
use pto_isa::hash::FastSet;
use pto_isa::row::{Control, Storage};
use pto_isa::text;
use pto_isa::{Diagnostic, Loc, Space, Span, Target, TileType, Type, codes};

pub(crate) fn check(module: &Module, order: &[OpId], info: &Info, problems: &mut Vec<Diagnostic>) {
    let check = MemoryCheck { module, info };
    let binds = || order.iter().filter(|id| module.storage(**id) == Some(Storage::BindTile));
    let bound: FastSet<ValueId> = binds().filter_map(|id| Some(module.operands(*id).first()?.value)).collect();
    for &id in order {
        let storage = module.storage(id);
        if storage == Some(Storage::Assign) || storage.is_some_and(Storage::is_allocation) {
            check.placement(id, problems);
        }
        if storage.is_some_and(Storage::makes_buffer) {
            problems.extend(check.strides(id, &bound));
        }
        if module.control(id) == Some(Control::Function) {
            check.mixed_addresses(id, problems);
        }
    }
}

/// Operations whose result is a lowered buffer of its own, not a window of another.
fn is_own_buffer(storage: Storage) -> bool {
    storage.makes_buffer() && storage != Storage::BindTile
}

struct MemoryCheck<'a> {
    module: &'a Module,
    info: &'a Info,
}

impl MemoryCheck<'_> {
    fn addresses(&self, id: OpId) -> Vec<(Option<i64>, Span)> {
        addresses(self.module, self.info, id)
    }

    /// The tile that an allocation or assignment places, and its number of copies.
    fn placed_tile(&self, id: OpId) -> Option<(TileType, u64)> {
        let result = self.module.results(id).next();
        let value = result.or_else(|| self.module.operands(id).first().map(|o| o.value))?;
        match self.module.value_type(value) {
            Type::TileBuf(t) | Type::Tile(t) => Some((*t, 1)),
            Type::MultiTile(t, n) => Some((*t, *n)),
            Type::Memref(_) => self.module.buffer_tile(id, value).map(|t| (t, 1)),
            _ => None,
        }
    }

    fn placement(&self, id: OpId, problems: &mut Vec<Diagnostic>) {
        let Some((tile, copies)) = self.placed_tile(id) else { return };
        let target = self.info.target;
        let Some(space) = target.profile().space(tile.loc) else { return };
        let bytes = tile.bytes().saturating_mul(copies);
        let mut is_placed = false;
        for (addr, span) in self.addresses(id) {
            if let Some(addr) = addr {
                is_placed = true;
                problems.extend(place_problem(target, space, bytes, addr, span));
            }
        }
        if !is_placed && bytes > space.bytes {
            let message = text!(
                "the tile has {bytes} bytes, {name} of {target} has {bytes2}",
                bytes,
                name = space.name,
                target,
                bytes2 = space.bytes
            );
            let d = Diagnostic::new(codes::OUT_OF_MEMORY, self.module.op(id).name_span, message);
            let d = d.legal(text!("at most {bytes} KiB", bytes = space.bytes / 1024));
            // Other tools place the two small tables in more memory than the device has.
            let small = matches!(tile.loc, Loc::Bias | Loc::Scaling);
            problems.push(if small { d.warning() } else { d });
        }
    }

    /// Strides of a whole buffer that differ from those of its tile; the configuration of a `bound` buffer comes later.
    fn strides(&self, id: OpId, bound: &FastSet<ValueId>) -> Option<Diagnostic> {
        let value = self.module.results(id).next()?;
        if self.module.attr(id, "config").is_none() && bound.contains(&value) {
            return None;
        }
        let Type::Memref(buffer) = self.module.value_type(value) else { return None };
        if let Some(source) =
            self.module.operands(id).first().filter(|_| self.module.storage(id) == Some(Storage::BindTile))
        {
            // A window has the strides of its source.
            self.module.definition(source.value).filter(|id| self.module.storage(*id).is_some_and(is_own_buffer))?;
        }
        let (written, tile) = (buffer.strides()?, self.module.configured_tile(id, value)?);
        if buffer.has_strides_of(&tile) {
            return None;
        }
        let (name, dense) = (self.module.value_name(value), buffer.dense_strides(&tile));
        let order = tile.blayout.name();
        let message = text!(
            "`%{name}` has strides {written}, but it is a {order} tile of {rows}x{cols}",
            name,
            written = format_args!("{:?}", written),
            order,
            rows = tile.rows,
            cols = tile.cols
        );
        let d = Diagnostic::new(codes::LAYOUT, self.module.value(value).span, message);
        Some(
            d.legal(text!("strides of this tile: {dense}", dense = format_args!("{:?}", dense))).help(text!(
                "correct the strides or leave them out; for a part of a larger buffer use `memref.subview`"
            )),
        )
    }

    fn mixed_addresses(&self, function: OpId, problems: &mut Vec<Diagnostic>) {
        let (mut with, mut without) = (None, Vec::new());
        // Tiles that are assigned an address later.
        let mut assigned = FastSet::default();
        self.module.walk_inside(function, &mut |id| match self.module.storage(id) {
            Some(Storage::Tile) if self.addresses(id).is_empty() => without.push(id),
            Some(Storage::Tile) => _ = with.get_or_insert(id),
            Some(Storage::Assign) => assigned.extend(self.module.operands(id).first().map(|o| o.value)),
            _ => {}
        });
        let is_open = |id: &OpId| self.module.results(*id).all(|tile| !assigned.contains(&tile));
        let without = without.into_iter().find(is_open);
        if let (Some(with), Some(without)) = (with, without) {
            let span = |id: OpId| self.module.op(id).name_span;
            problems.push(
                Diagnostic::new(codes::MIXED_ADDRESSES, span(without), text!("this tile has no address"))
                    .label(span(with), text!("this one has"))
                    .help(text!("give every tile an address, or none")),
            );
        }
    }
}

/// The address operands or the address attribute of an allocation or assignment.
pub(crate) fn addresses(module: &Module, info: &Info, id: OpId) -> Vec<(Option<i64>, Span)> {
    let row = module.op(id).op.row();
    let slot = ["addr", "address", "addrs"].iter().find_map(|name| row.slot(name));
    let operands = slot.into_iter().flat_map(|s| module.in_slot(id, s));
    let attr = module.attr(id, "addr").map(|a| (a.int(), module.op(id).name_span));
    operands.map(|o| (info.computed(o.value), o.span)).chain(attr).collect()
}

/// Problems of a constant address.
fn place_problem(target: Target, space: &Space, bytes: u64, addr: i64, span: Span) -> Option<Diagnostic> {
    if addr < 0 || !(addr as u64).is_multiple_of(space.align) {
        let last = space.bytes.saturating_sub(bytes) / space.align * space.align;
        let near = (addr.max(0) as u64).next_multiple_of(space.align).min(last);
        let written = if addr < 0 { addr.to_string() } else { format!("{addr:#x}") };
        let d =
            Diagnostic::new(codes::MISALIGNED, span, text!("address {written} in {name}", written, name = space.name));
        return Some(
            d.legal(text!("a multiple of {align} bytes", align = space.align))
                .help(text!("use {near}", near = format_args!("{:#x}", near))),
        );
    }
    let end = (addr as u64).saturating_add(bytes);
    (end > space.bytes).then(|| {
        let message = text!(
            "the tile ends at {end}, {name} of {target} ends at {bytes} ({bytes2} KiB)",
            end = format_args!("{:#x}", end),
            name = space.name,
            target,
            bytes = format_args!("{:#x}", space.bytes),
            bytes2 = space.bytes / 1024
        );
        let left = space.bytes.saturating_sub(addr as u64);
        let d = Diagnostic::new(codes::OUT_OF_MEMORY, span, message);
        d.legal(text!(
            "{left} bytes at most, counted from the address {addr}",
            left,
            addr = format_args!("{:#x}", addr)
        ))
    })
}
