//! Fixes for tiles that overlap, are uninitialised, or start inside an element: another address, an initial value, a whole element.

use super::*;
use crate::slices::definition;
use pto_ir::TypeStyle;
use pto_ir::print::{attributes_text, type_text};
use pto_isa::row::{Arith, CostClass, EntryAction, Fifo, Storage};
use pto_isa::{Loc, TileType, Type, table};

/// Bytes of a page, and pages of the largest memory of a core.
const PAGE: u64 = 1024;
const PAGES: usize = 512;

/// Which pages of each memory of a core the run has touched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pages([[bool; PAGES]; Loc::ALL.len()]);

impl Default for Pages {
    fn default() -> Self {
        Self([[false; PAGES]; Loc::ALL.len()])
    }
}

impl Findings<'_> {
    /// Marks the pages that an instruction accesses.
    pub fn uses(&mut self, access: &Access) {
        let AddressSpace::Core(loc) = access.place else { return };
        let last = access.start + access.stride * (access.rows.max(1) - 1) as i64 + access.row_bytes as i64 - 1;
        let pages = &mut self.pages.0[loc as usize];
        let page = |byte: i64| byte.max(0) as usize / PAGE as usize;
        let (first, last) = (page(access.start), page(last).min(PAGES - 1));
        if first <= last {
            pages[first..=last].fill(true);
        }
    }

    /// An address range that nothing uses.
    fn free_place(&self, loc: Loc, bytes: u64) -> Option<u64> {
        let count = bytes.div_ceil(PAGE) as usize;
        let all = (self.target.profile().space(loc)?.bytes / PAGE) as usize;
        let pages = &self.pages.0[loc as usize][..all.min(PAGES)];
        let free = (0..=pages.len().checked_sub(count)?).find(|at| !pages[*at..*at + count].contains(&true))?;
        Some(free as u64 * PAGE)
    }

    /// The statement that gives a tile its address, and its type. Windows lie in their tile.
    fn home(&self, tile: ValueId) -> Option<(OpId, ValueId, &TileType)> {
        let mut tile = tile;
        loop {
            let id = definition(self.module, tile)?;
            match (self.module.storage(id), self.module.value_type(tile)) {
                (Some(Storage::Tile), Type::TileBuf(ty)) => return Some((id, tile, ty)),
                (Some(Storage::Window), _) => tile = self.module.operands(id).first()?.value,
                _ => return None,
            }
        }
    }

    fn slot_value(&self, id: OpId, name: &str) -> Option<ValueId> {
        let slot = self.module.op(id).op.row().slot(name)?;
        self.module.in_slot(id, slot).next().map(|o| o.value)
    }

    /// Which of two overlapping tiles to move: the one that is read, if it is written under its own name. A tile whose address
    /// changes in a loop stays.
    pub(super) fn in_the_way(&self, read: Option<ValueId>, lost: &Stamp, over: Option<ValueId>) -> Option<ValueId> {
        let stays = |tile: ValueId| {
            let home = self.home(tile).map(|(id, ..)| id);
            home.and_then(|id| self.text().block_of(id)).is_none_or(|block| self.text().loop_around(block).is_some())
        };
        read.filter(|tile| lost.value == Some(*tile) && !stays(*tile)).or(over)
    }

    /// Moves a tile to unused memory.
    pub(super) fn moved_away(&self, tile: ValueId) -> Option<Vec<Edit>> {
        let (id, tile, ty) = self.home(tile)?;
        self.slot_value(id, "addr")?;
        let place = self.free_place(ty.loc, ty.bytes())?;
        let address = self.fresh_name("free_at");
        let [new, old] = self.replaced(id, self.alloc_text(tile, &address, &self.valid_text(id)));
        let constant = format!("%{address} = arith.constant {place} : i64");
        Some(vec![Edit::before(self.span(id), constant), new, old])
    }

    /// Moves a pop after the last read of the entry whose slot it reuses.
    pub(super) fn popped_later(&self, pop: OpId, reader: OpId) -> Option<Vec<Edit>> {
        let text = self.text();
        let behind = text.block_of(pop) == text.block_of(reader) && text.position(pop) < text.position(reader);
        if self.module.fifo(pop) != Some(Fifo::Entry(EntryAction::Pop, None)) || !behind {
            return None;
        }
        let operands = self.module.operands(pop);
        let names: Vec<String> = operands.iter().map(|o| format!("%{}", self.module.value_name(o.value))).collect();
        let types: Vec<String> =
            operands.iter().map(|o| type_text(self.module.value_type(o.value), TypeStyle::Compact)).collect();
        let rest = attributes_text(self.module, pop, &[]);
        let statement = format!("pto.tpop({} : {}) {rest}", names.join(", "), types.join(", "));
        let at = self.span(reader);
        let barrier = || Edit::after(at, fixes::BARRIER_ALL);
        Some(vec![Edit::remove(self.span(pop)), barrier(), Edit::after(at, statement.trim_end()), barrier()])
    }

    /// Fills a tile with zeros where it gets its address, or starts a sum with its first term.
    pub(super) fn first_content(&self, tile: Option<ValueId>, reader: OpId) -> Option<Vec<Edit>> {
        self.first_term(tile?, reader).or_else(|| self.filled(tile?)).or_else(|| self.no_larger(tile?))
    }

    /// Uses the valid region of a tile of the same type at the same address.
    fn no_larger(&self, tile: ValueId) -> Option<Vec<Edit>> {
        let (id, tile, _) = self.home(tile)?;
        let like = |other: &OpId| {
            let same = |at: OpId| self.module.results(at).next().map(|r| self.module.value_type(r));
            *other != id && same(*other) == same(id) && self.slot_value(*other, "addr") == self.slot_value(id, "addr")
        };
        let mut others = Vec::new();
        self.module.walk(self.module.top, &mut |at| {
            others.extend(Some(at).filter(|at| self.module.storage(*at) == Some(Storage::Tile) && like(at)));
        });
        let [other] = others[..] else { return None };
        let valid = self.valid_text(other);
        let known = |slot| self.slot_value(other, slot).is_none_or(|v| self.text().is_known_at(v, id));
        let smaller = valid != self.valid_text(id) && known("valid_row") && known("valid_col");
        let address = self.module.value_name(self.slot_value(id, "addr").filter(|_| smaller)?);
        Some(self.replaced(id, self.alloc_text(tile, address, &valid)).into())
    }

    fn valid_text(&self, id: OpId) -> String {
        let valid = ["valid_row", "valid_col"].map(|slot| {
            let value = self.slot_value(id, slot);
            value.map_or(String::new(), |v| format!(" {slot} = %{}", self.module.value_name(v)))
        });
        valid.concat()
    }

    fn alloc_text(&self, tile: ValueId, address: &str, valid: &str) -> String {
        let ty = type_text(self.module.value_type(tile), TypeStyle::Compact);
        format!("%{module} = pto.alloc_tile addr = %{address}{valid} : {ty}", module = self.module.value_name(tile))
    }

    fn filled(&self, tile: ValueId) -> Option<Vec<Edit>> {
        let (id, tile, ty) = self.home(tile)?;
        let whole = self.slot_value(id, "valid_row").or(self.slot_value(id, "valid_col")).is_none();
        if ty.loc != Loc::Vec || !whole || self.shares_its_address(id) {
            return None;
        }
        let is_fill = |op: &Op| op.row().family == Family::TileScalar && op.row().cost == CostClass::VectorFill;
        let fill = table::isa().find(is_fill)?.row().name;
        let (name, zero) = (self.module.value_name(tile), self.fresh_name("nothing"));
        let (number, elem) = (if ty.dtype.is_int() { "0" } else { "0.0" }, ty.dtype);
        let text = type_text(self.module.value_type(tile), TypeStyle::Compact);
        let span = self.span(id);
        let mut edits = vec![
            Edit::after(span, format!("%{zero} = arith.constant {number} : {elem}")),
            Edit::after(span, format!("pto.{fill} ins(%{zero} : {elem}) outs(%{name} : {text})")),
        ];
        if self.slot_value(id, "addr").is_some() {
            edits.push(Edit::after(span, fixes::BARRIER_ALL));
        }
        Some(edits)
    }

    /// True when the text gives another tile the same address, or a computed one.
    fn shares_its_address(&self, id: OpId) -> bool {
        let Some(own) = self.slot_value(id, "addr") else { return false };
        let number = |value: ValueId| {
            let at = definition(self.module, value).filter(|at| self.module.arith(*at) == Some(Arith::Constant))?;
            self.module.attr(at, "value").and_then(pto_ir::Attr::int)
        };
        let mut shared = number(own).is_none();
        self.module.walk(self.module.top, &mut |other| {
            if other != id
                && self.module.storage(other) == Some(Storage::Tile)
                && let Some(addr) = self.slot_value(other, "addr")
            {
                let loc = |at: OpId| self.module.results(at).next().and_then(|r| self.module.tile(r)).map(|t| t.loc);
                shared |= loc(other) == loc(id) && (addr == own || number(addr) == number(own));
            }
        });
        shared
    }

    /// A product that accumulates into an uninitialised tile.
    fn first_term(&self, tile: ValueId, reader: OpId) -> Option<Vec<Edit>> {
        let [sum, left, right, to] = self.module.operands(reader) else { return None };
        let once = self.text().block_of(reader).is_some_and(|block| self.text().loop_around(block).is_none());
        let row = self.module.op(reader).op.row();
        let plain = row.name.strip_suffix(".acc").filter(|_| row.family == Family::Matrix)?;
        if sum.value != tile || !once {
            return None;
        }
        let name = |v: ValueId| format!("%{}", self.module.value_name(v));
        let ty = |v: ValueId| type_text(self.module.value_type(v), TypeStyle::Compact);
        let [left, right, to] = [left, right, to].map(|o| o.value);
        let text = format!(
            "pto.{plain} ins({left}, {right} : {ty}, {ty2}) outs({to} : {ty3})",
            left = name(left),
            right = name(right),
            ty = ty(left),
            ty2 = ty(right),
            to = name(to),
            ty3 = ty(to)
        );
        Some(self.replaced(reader, text).into())
    }

    /// Moves a pointer back to the start of an element.
    pub(super) fn whole_element(&self, view: Option<ValueId>, bytes: i64) -> Option<Vec<Edit>> {
        let mut value = view?;
        loop {
            let id = definition(self.module, value)?;
            let from = self.module.operands(id).first()?.value;
            if self.module.storage(id) == Some(Storage::Offset)
                && let Type::Ptr(elem, _) = self.module.value_type(value)
                && let unit = i64::from(elem.elem()?.unit_bytes())
                && bytes % unit == 0
            {
                let offset = self.slot_value(id, "offset")?;
                let [rest, whole] = ["inside", "whole"].map(|n| self.fresh_name(n));
                let [moved, from, offset] = [value, from, offset].map(|v| self.module.value_name(v));
                let ty = type_text(self.module.value_type(value), TypeStyle::Compact);
                let span = self.span(id);
                return Some(vec![
                    Edit::before(span, format!("%{rest} = arith.constant {unit} : index", unit = bytes / unit)),
                    Edit::before(span, format!("%{whole} = arith.subi %{offset}, %{rest} : index")),
                    Edit::before(span, format!("%{moved} = pto.addptr %{from}, %{whole} : {ty} -> {ty}")),
                    Edit::remove(span),
                ]);
            }
            value = from;
        }
    }
}
