//! Where numbers come from: which instruction wrote an element, and from which elements of which operands, one step at a time.
//!
//! [`Player::written_by`] finds the moment that wrote an element, [`Player::sources`] the elements that moment computed it from; each of those
//! was written by an earlier moment, or is an input. What an instruction computes from what is in the instruction table ([`maps`]); where
//! that does not tell single elements, the source is the whole operand and not [`exact`](SourceElements::exact).

mod axis;
mod maps;

use crate::contents::ContentsKind;
use crate::moment::{Deed, Moment};
use crate::player::Player;
use crate::recording::Recording;
use crate::writes::{MemoryId, is_result};
pub use axis::{AxisMap, AxisStart};
use maps::{SourcePart, TracedInstruction};
use pto_cpu::{Access, AddressSpace, Atomic, CoreId, ElementNumber, RegisterChange, TilePlace, ViewPlace};
use pto_ir::ValueId;
use pto_isa::{BLayout, TileType, Type};
use std::ops::Range;

/// Elements of an operand that an element of a result was computed from.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SourceElements {
    /// The operand; `None` for a tile that has no name, which a loop carries.
    pub value: Option<ValueId>,
    /// Its position among the accesses of the moment; `None` for a scalar.
    pub access: Option<usize>,
    /// Rows of the operand.
    pub rows: Range<u64>,
    /// Columns of the operand.
    pub cols: Range<u64>,
    /// No other element of the operand matters. Otherwise these are all of its elements, and the table does not say which ones matter.
    pub exact: bool,
}

/// The same for all elements of a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct SourceMap {
    /// The operand; `None` for a tile that has no name, which a loop carries.
    pub value: Option<ValueId>,
    /// Its position among the accesses of the moment; `None` for a scalar.
    pub access: Option<usize>,
    /// Rows of the operand, by the row and column of the result.
    pub rows: AxisMap,
    /// Columns of the operand, by the row and column of the result.
    pub cols: AxisMap,
    /// Rows and columns beyond this are none.
    pub size: (u64, u64),
    /// See [`SourceElements::exact`].
    pub exact: bool,
    /// It counts only where no other operand has an element: what lies outside of all sources stays as it was.
    pub otherwise: bool,
}

/// The instruction that wrote an element, and which element of its operand that is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ElementWrite {
    /// The moment.
    pub moment: usize,
    /// The operand, by its position among the accesses of the moment.
    pub access: usize,
    /// The row in that operand.
    pub row: u64,
    /// The column in that operand.
    pub col: u64,
}

impl SourceMap {
    /// The elements for one of the result; `None` if it does not come from this operand.
    pub fn elements(&self, row: u64, col: u64) -> Option<SourceElements> {
        let clip = |range: Range<u64>, most: u64| range.start..range.end.min(most);
        let rows = clip(self.rows.range_for(row, col), self.size.0);
        let cols = clip(self.cols.range_for(row, col), self.size.1);
        let is_empty = rows.is_empty() || cols.is_empty();
        (!is_empty).then_some(SourceElements { value: self.value, access: self.access, rows, cols, exact: self.exact })
    }
}

/// Elements that are compared one by one.
const MOST_COMPARED: u64 = 1 << 20;

/// Where an operand lies.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum OperandPlace {
    /// A tile and its type.
    Tile(TileType, TilePlace),
    /// A window of memory, and the bits of an element.
    View(u32, ViewPlace),
}

impl OperandPlace {
    /// The first byte of an element, and the first bit in it.
    pub fn element(&self, row: u64, col: u64) -> (i64, u64) {
        match self {
            Self::Tile(ty, place) => {
                let (first, _, shift) = place.element(ty, row, col);
                (first, shift)
            }
            Self::View(bits, place) => place.element(*bits, row, col),
        }
    }

    /// Rows and columns.
    pub fn extents(&self) -> (u64, u64) {
        match self {
            Self::Tile(ty, _) => (ty.rows, ty.cols),
            Self::View(_, place) => place.matrix_size(),
        }
    }

    /// The element that starts at a byte and bit.
    fn find(&self, at: (i64, u64)) -> Option<(u64, u64)> {
        let (rows, cols) = self.extents();
        let in_row = |row: u64| (0..cols).map(move |col| (row, col)).find(|(row, col)| self.element(*row, *col) == at);
        // Columns of a row usually lie between its first and its last.
        let is_around = |row: &u64| {
            let (first, last) = (self.element(*row, 0), self.element(*row, cols.saturating_sub(1)));
            (first.min(last)..=first.max(last)).contains(&at)
        };
        let is_small = rows.saturating_mul(cols) <= MOST_COMPARED;
        (0..rows)
            .filter(is_around)
            .find_map(in_row)
            .or_else(|| if is_small { (0..rows).find_map(in_row) } else { None })
    }
}

impl Recording {
    /// What an element of an operand that a moment wrote came from. A [`Player`] that is kept does the same faster.
    pub fn sources(&self, at: usize, access: usize, row: u64, col: u64) -> Vec<SourceElements> {
        Player::new(self).sources(at, access, row, col)
    }

    /// The instruction that wrote an element of a value last, up to and including a moment.
    pub fn written_by(&self, core: CoreId, value: ValueId, row: u64, col: u64, at: usize) -> Option<ElementWrite> {
        Player::new(self).written_by(core, value, row, col, at)
    }
}

impl Player<'_> {
    /// What an element of an operand that a moment wrote came from: the elements of its operands, before the moment.
    pub fn sources(&mut self, at: usize, access: usize, row: u64, col: u64) -> Vec<SourceElements> {
        let mut list: Vec<SourceElements> = Vec::new();
        for map in self.source_maps(at, access) {
            let is_needed = !map.otherwise || list.iter().all(|e| e.access.is_none());
            list.extend(map.elements(row, col).filter(|e| is_needed && !list.contains(e)));
        }
        list
    }

    /// What the elements of an operand that a moment wrote came from.
    pub fn source_maps(&mut self, at: usize, access: usize) -> Vec<SourceMap> {
        let recording = self.recording();
        let moment = recording.moment(at);
        let Some(written) = moment.accesses.get(access).filter(|a| is_result(a)) else { return Vec::new() };
        if moment.deed == Deed::Copy {
            return self.copied(&moment);
        }
        let parts = self.parts(&moment);
        let instruction = TracedInstruction { module: recording.module(), op: moment.op, parts: &parts };
        let Some(dst) = parts.iter().find(|p| p.value == written.value && instruction.writes(p)) else {
            return Vec::new();
        };
        let mut maps: Vec<SourceMap> = parts.iter().filter_map(|src| instruction.source_map(dst, src)).collect();
        let combines = matches!(written.atomic, Atomic::Add | Atomic::Max | Atomic::Min);
        let is_vague = maps.iter().any(|m| !m.exact);
        let otherwise = !combines && !is_vague && !instruction.keeps(dst);
        if !otherwise || instruction.may_miss() && maps.iter().any(|m| m.access.is_some()) {
            let (rows, cols, size) = (AxisMap::ROW, AxisMap::COL, dst.size);
            maps.push(SourceMap { value: dst.value, access: Some(access), rows, cols, size, exact: true, otherwise });
        }
        maps
    }

    /// The instruction that wrote an element of a value last, up to and including a moment. `None` if it is an input, or uninitialised.
    pub fn written_by(&mut self, core: CoreId, value: ValueId, row: u64, col: u64, at: usize) -> Option<ElementWrite> {
        let place = self.operand_place(core, value, at)?;
        let (first, shift) = place.element(row, col);
        let memory = match place {
            OperandPlace::Tile(_, place) => MemoryId::Core(core, place.loc),
            OperandPlace::View(_, place) => memory_of(core, place.place),
        };
        let moment = self.recording().last_write(at, memory, first..first + 1)?;
        self.written_at(moment, memory, first, shift)
    }

    /// The element of an operand through which a moment wrote the one that starts at a byte and bit of a memory.
    fn written_at(&mut self, moment: usize, memory: MemoryId, first: i64, shift: u64) -> Option<ElementWrite> {
        let told = self.recording().moment(moment);
        for (access, written) in told.accesses.iter().enumerate() {
            if !is_result(written) || memory_of(told.core, written.place) != memory {
                continue;
            }
            let place = self.access_place(moment, written);
            if let Some((row, col)) = place.and_then(|place| place.find((first, shift))) {
                return Some(ElementWrite { moment, access, row, col });
            }
        }
        None
    }

    /// Where the operand of an access of a moment lies.
    pub fn access_place(&mut self, at: usize, access: &Access) -> Option<OperandPlace> {
        let core = self.recording().moment(at).core;
        let named = access.value.and_then(|value| self.operand_place(core, value, at));
        named.or_else(|| self.nameless_place(core, access))
    }

    /// Where a tile or view lies at a moment.
    fn operand_place(&mut self, core: CoreId, value: ValueId, at: usize) -> Option<OperandPlace> {
        match self.place(core, value, Some(at))? {
            RegisterChange::Tile(_, place) => {
                Some(OperandPlace::Tile(*self.recording().plan().tile_type(core.role, place.geometry)?, place))
            }
            RegisterChange::View(_, place) => {
                let bits = self.recording().module().value_type(value).elem().map_or(8, |d| d.column_bits());
                Some(OperandPlace::View(bits, place))
            }
            _ => None,
        }
    }

    /// A tile that no value stands for.
    fn nameless_place(&self, core: CoreId, access: &Access) -> Option<OperandPlace> {
        let AddressSpace::Core(loc) = access.place else { return None };
        access.tile?;
        let ty = *self.recording().plan().tile_type(core.role, access.geometry)?;
        let strides = match ty.blayout {
            BLayout::RowMajor => (ty.cols as u32, 1),
            BLayout::ColMajor => (1, ty.rows as u32),
        };
        let (start, origin, valid, geometry) = (access.start, access.origin, access.valid, access.geometry);
        Some(OperandPlace::Tile(ty, TilePlace { loc, start, origin, valid, strides, geometry, root: access.tile? }))
    }

    /// A tile that a loop carries is copied as it is.
    fn copied(&self, moment: &Moment<'_>) -> Vec<SourceMap> {
        let read = moment.accesses.iter().enumerate().find(|(_, a)| !a.write);
        let map = |(at, a): (usize, &Access)| SourceMap {
            value: a.value,
            access: Some(at),
            rows: AxisMap::ROW,
            cols: AxisMap::COL,
            size: (a.valid.0.into(), a.valid.1.into()),
            exact: true,
            otherwise: false,
        };
        read.map(map).into_iter().collect()
    }

    /// The operands and results of an instruction.
    fn parts(&mut self, moment: &Moment<'_>) -> Vec<SourcePart> {
        let module = self.recording().module();
        let operands = module.operands(moment.op).iter().map(|o| (o.value, usize::from(o.slot)));
        let results = module.results(moment.op).map(|v| (v, usize::from(module.value(v).slot)));
        operands.chain(results).filter_map(|(value, slot)| self.part_of(moment, value, slot)).collect()
    }

    fn part_of(&mut self, moment: &Moment<'_>, value: ValueId, slot: usize) -> Option<SourcePart> {
        let part = SourcePart { slot, value: Some(value), access: None, tile: None, size: (1, 1), number: None };
        if let Type::Scalar(_) = self.recording().module().value_type(value) {
            let held = self.value(moment.core, value, Some(moment.at));
            let number =
                held.filter(|h| matches!(h.kind, ContentsKind::Scalar(_))).and_then(|h| match h.element(0, 0)? {
                    ElementNumber::Int(n) => i64::try_from(n).ok(),
                    ElementNumber::Float(_) => None,
                });
            return Some(SourcePart { number, ..part });
        }
        let position = |write: bool| moment.accesses.iter().position(|a| a.value == Some(value) && a.write == write);
        let access = position(false).or_else(|| position(true))?;
        Some(match self.operand_place(moment.core, value, moment.at)? {
            OperandPlace::Tile(ty, place) => {
                let size = (place.valid.0.into(), place.valid.1.into());
                SourcePart { access: Some(access), tile: Some(ty), size, ..part }
            }
            OperandPlace::View(_, place) => SourcePart { access: Some(access), size: place.matrix_size(), ..part },
        })
    }
}

fn memory_of(core: CoreId, place: AddressSpace) -> MemoryId {
    match place {
        AddressSpace::Core(loc) => MemoryId::Core(core, loc),
        AddressSpace::Global(buffer) => MemoryId::Global(buffer),
    }
}
