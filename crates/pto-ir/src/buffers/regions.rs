//! Valid regions of buffers whose types leave them open.

use super::{BufferPass, ValidRegion};
use crate::{OpId, ValueId};
use pto_isa::row::{Arith, OperandExtent, RegionExtent, Storage};
use pto_isa::text;
use pto_isa::{Dim, ScalarType, Type};

impl BufferPass {
    /// The sources of the rows and columns of a result.
    fn sources(&self, id: OpId, value: ValueId) -> [Option<RegionExtent>; 2] {
        let has_region =
            |v: ValueId| matches!(self.out.value_type(v), Type::TileBuf(_) | Type::Tile(_)) || self.has_matrix(v);
        let given = |slot: usize| self.out.in_slot(id, slot).next().is_some_and(|o| has_region(o.value));
        self.out.region_extents(id, value, &given)
    }

    /// The operand whose whole valid region a result has.
    pub(super) fn like(&self, id: OpId, value: ValueId) -> Option<ValueId> {
        let [Some(rows_of), Some(cols_of)] = self.sources(id, value) else { return None };
        let (OperandExtent::Rows(rows), OperandExtent::Cols(cols)) = (rows_of.measure, cols_of.measure) else {
            return None;
        };
        if (rows_of, cols_of) != (RegionExtent::rows(rows), RegionExtent::cols(cols)) {
            return None;
        }
        let tile = self.out.in_slot(id, rows).next()?.value;
        (rows == cols && self.out.tile(tile).is_some()).then_some(tile)
    }

    /// Rows and columns of a result with an open extent. Without `all`, only the open ones are computed.
    pub(super) fn extents(&mut self, id: OpId, value: ValueId, all: bool, ops: &mut Vec<OpId>) -> Option<ValidRegion> {
        let ty = *self.out.tile(value)?;
        let [rows, cols] = self.sources(id, value);
        let mut extent = |dim: Dim, from: Option<RegionExtent>| match dim {
            Dim::Fixed(_) if !all => Some(ValueId::from_index(0)),
            Dim::Fixed(n) => Some(self.number(id, n, ops)),
            Dim::Dynamic => self.extent(id, from?, ops),
        };
        let found = extent(ty.valid_rows, rows).zip(extent(ty.valid_cols, cols));
        self.asked = None;
        if found.is_none() {
            match self.layout_help(id) {
                Some(help) => {
                    self.refuse_with(
                        id,
                        text!("which dimensions of the view are rows is known only at run time"),
                        help,
                    );
                }
                None => {
                    self.refuse(
                        id,
                        text!("the valid region of its result is known only at run time and follows from no tile"),
                    );
                }
            }
        }
        found
    }

    fn extent(&mut self, id: OpId, extent: RegionExtent, ops: &mut Vec<OpId>) -> Option<ValueId> {
        if let OperandExtent::Fixed(n) = extent.measure {
            return Some(self.number(id, extent.scaled(n), ops));
        }
        let mut value = self.measure(id, extent.measure, ops)?;
        for (code, n) in [(Arith::CeilDivUnsigned, extent.per), (Arith::Mul, extent.times)] {
            if n != 1 {
                let n = self.number(id, n, ops);
                value = self.computed(id, code, value, n, ops);
            }
        }
        let Some(most) = extent.at_most else { return Some(value) };
        let most = self.number(id, most, ops);
        Some(self.computed(id, Arith::MinSigned, value, most, ops))
    }

    fn measure(&mut self, id: OpId, measure: OperandExtent, ops: &mut Vec<OpId>) -> Option<ValueId> {
        Some(match measure {
            OperandExtent::Fixed(n) => self.number(id, n, ops),
            OperandExtent::Rows(slot) => self.region_in(id, slot, ops)?.0,
            OperandExtent::Cols(slot) => self.region_in(id, slot, ops)?.1,
            OperandExtent::Sum(slots) => {
                let mut sum = None;
                for slot in slots.into_iter().flatten() {
                    let cols = self.region_in(id, slot, ops)?.1;
                    sum = Some(sum.map_or(cols, |sum| self.computed(id, Arith::Add, sum, cols, ops)));
                }
                sum?
            }
            OperandExtent::MaxRows(a, b) => {
                let (a, b) = (self.region_in(id, a, ops)?.0, self.region_in(id, b, ops)?.0);
                self.computed(id, Arith::MaxSigned, a, b, ops)
            }
            OperandExtent::MaxCols(a, b) => {
                let (a, b) = (self.region_in(id, a, ops)?.1, self.region_in(id, b, ops)?.1);
                self.computed(id, Arith::MaxSigned, a, b, ops)
            }
            OperandExtent::RowsAfter(slot, index) => {
                let rows = self.region_in(id, slot, ops)?.0;
                self.after(id, rows, index, ops)?
            }
            OperandExtent::ColsAfter(slot, index) => {
                let cols = self.region_in(id, slot, ops)?.1;
                self.after(id, cols, index, ops)?
            }
        })
    }

    /// The rest of an extent after an index.
    fn after(&mut self, id: OpId, extent: ValueId, index: usize, ops: &mut Vec<OpId>) -> Option<ValueId> {
        let index = self.out.in_slot(id, index).next()?.value;
        let index = self.as_index(id, index, ops);
        let left = self.computed(id, Arith::Sub, extent, index, ops);
        let none = self.number(id, 0, ops);
        Some(self.computed(id, Arith::MaxSigned, left, none, ops))
    }

    /// An integer as an index.
    fn as_index(&mut self, id: OpId, value: ValueId, ops: &mut Vec<OpId>) -> ValueId {
        let (span, ty) = (self.place(id), self.out.intern_type(Type::Scalar(ScalarType::Index)));
        if *self.out.value_type(value) == Type::Scalar(ScalarType::Index) {
            return value;
        }
        let name = self.fresh("extent");
        let made = self.out.new_with(Arith::IndexCast, &[("in", value)], &[(ty, name)], span);
        ops.push(made);
        self.out.results(made).next().unwrap_or(value)
    }

    /// The valid region of the tile, or the extents of the view, in a slot.
    fn region_in(&mut self, id: OpId, slot: usize, ops: &mut Vec<OpId>) -> Option<ValidRegion> {
        let value = self.out.in_slot(id, slot).next()?.value;
        let value = self.now(value);
        // Requested once if both extents are needed.
        if let Some((op, asked, extents)) = self.asked
            && (op, asked) == (id, value)
        {
            return Some(extents);
        }
        let extents = match self.out.tile(value) {
            Some(_) => self.extents_of(id, value, ops),
            None => self.matrix(id, value, ops)?,
        };
        self.asked = Some((id, value, extents));
        Some(extents)
    }

    /// A number as a value.
    pub(super) fn number(&mut self, id: OpId, n: u64, ops: &mut Vec<OpId>) -> ValueId {
        let (span, ty) = (self.place(id), self.out.intern_type(Type::Scalar(ScalarType::Index)));
        let name = self.fresh("extent");
        let made = self.out.new_constant(n.into(), ty, name, span);
        ops.push(made);
        self.out.results(made).next().unwrap_or_else(|| ValueId::from_index(0))
    }

    pub(super) fn computed(&mut self, id: OpId, how: Arith, a: ValueId, b: ValueId, ops: &mut Vec<OpId>) -> ValueId {
        let (span, ty) = (self.place(id), self.out.intern_type(Type::Scalar(ScalarType::Index)));
        let name = self.fresh("extent");
        let made = self.out.new_with(how, &[("lhs", a), ("rhs", b)], &[(ty, name)], span);
        ops.push(made);
        self.out.results(made).next().unwrap_or_else(|| ValueId::from_index(0))
    }

    /// Rows and columns of a tile.
    pub(super) fn extents_of(&mut self, id: OpId, tile: ValueId, ops: &mut Vec<OpId>) -> ValidRegion {
        let span = self.place(id);
        let ty = self.out.intern_type(Type::Scalar(ScalarType::Index));
        let results = [(ty, self.fresh("rows")), (ty, self.fresh("cols"))];
        let query = self.out.new_with(Storage::GetValid, &[("source", tile)], &results, span);
        ops.push(query);
        let mut made = self.out.results(query);
        let nothing = ValueId::from_index(0);
        (made.next().unwrap_or(nothing), made.next().unwrap_or(nothing))
    }

    pub(super) fn set_extents(&mut self, id: OpId, tile: ValueId, (rows, cols): ValidRegion, ops: &mut Vec<OpId>) {
        let operands = [("source", tile), ("valid_row", rows), ("valid_col", cols)];
        let span = self.place(id);
        let new = self.out.new_with(Storage::SetValid, &operands, &[], span);
        ops.push(new);
    }
}
