//! Result types that follow from the operands.

use super::Parser;
use super::bind::Made;
use pto_ir::{Attr, Def, TypeId, ValueId};
use pto_isa::row::{Arith, Infer, SlotKind};
use pto_isa::{Dim, Row, ScalarType, TileType, Type, ViewType, rules};

impl Parser<'_> {
    /// The type of a result slot, if the row says how to infer it.
    pub(super) fn infer_result(&mut self, row: &'static Row, slot: usize, made: &Made) -> Option<TypeId> {
        let operand = |name: &str| Some(self.module.value_type(self.in_slot(row, made, name)?).clone());
        let is_value = slot < row.slots.len();
        let ty = match row.slot_at(slot).infer {
            Infer::No => return None,
            Infer::Like(name) => match self.like(row, made, slot, name)? {
                Type::TileBuf(t) if is_value => Type::Tile(t),
                Type::Unknown => return None,
                other => other,
            },
            Infer::MaskFor(name) => Type::Tile(rules::mask_type(operand(name)?.tile()?)),
            Infer::Window(name) => Type::TileBuf(self.window(row, made, operand(name)?.tile()?)?),
            Infer::Subset(name) => Type::TileBuf(self.subset(row, made, operand(name)?.tile()?)?),
            Infer::Partition(name) => self.partition(row, made, operand(name)?.view()?)?,
            Infer::ElementOf(name) => Type::Scalar(ScalarType::Elem(operand(name)?.elem()?)),
            Infer::SlotOf(name) => match operand(name)? {
                Type::MultiTile(t, _) => Type::TileBuf(t),
                _ => return None,
            },
            Infer::Fixed(fixed) => fixed.ty(),
        };
        Some(self.module.intern_type(ty))
    }

    /// The type of the named operand; for a tile, that of the first tile if the named operand is a scalar.
    fn like(&self, row: &Row, made: &Made, slot: usize, name: &str) -> Option<Type> {
        let named = self.module.value_type(self.in_slot(row, made, name)?);
        if row.slot_at(slot).kind != SlotKind::Tile || named.scalar().is_none() {
            return Some(named.clone());
        }
        let mut types = made.operands.iter().map(|o| self.module.value_type(o.value));
        types.find(|t| t.tile().is_some()).cloned()
    }

    fn in_slot(&self, row: &Row, made: &Made, name: &str) -> Option<ValueId> {
        let at = row.slot(name)?;
        made.operands.iter().find(|o| usize::from(o.slot) == at).map(|o| o.value)
    }

    /// The integer of a literal.
    fn literal(&self, value: ValueId) -> Option<u64> {
        let Def::Result(id, _) = self.module.value(value).def else { return None };
        if self.module.arith(id) != Some(Arith::Constant) {
            return None;
        }
        self.module.attr(id, "value")?.int().and_then(|n| u64::try_from(n).ok())
    }

    fn extent(&self, value: ValueId) -> Dim {
        self.literal(value).map_or(Dim::Dynamic, Dim::Fixed)
    }

    fn sizes(&self, made: &Made) -> Option<(u64, u64)> {
        let name = self.module.names.get("sizes")?;
        let (_, attr) = made.attrs.iter().find(|(n, _)| *n == name)?;
        let Attr::Array(items) = attr else { return None };
        let [rows, cols] = &items[..] else { return None };
        Some((u64::try_from(rows.int()?).ok()?, u64::try_from(cols.int()?).ok()?))
    }

    /// A window whose valid region is given by operands, or is the whole window.
    fn window(&self, row: &Row, made: &Made, source: &TileType) -> Option<TileType> {
        let (rows, cols) = self.sizes(made)?;
        let valid = |name, all| self.in_slot(row, made, name).map_or(Dim::Fixed(all), |v| self.extent(v));
        let (valid_rows, valid_cols) = (valid("valid_row", rows), valid("valid_col", cols));
        Some(TileType { rows, cols, valid_rows, valid_cols, ..*source })
    }

    /// A window with the rest of the valid region of the source; the region repeats over the source.
    fn subset(&self, row: &Row, made: &Made, source: &TileType) -> Option<TileType> {
        let (rows, cols) = self.sizes(made)?;
        let slot = row.slot("offsets")?;
        let offsets: Vec<Option<u64>> =
            made.operands.iter().filter(|o| usize::from(o.slot) == slot).map(|o| self.literal(o.value)).collect();
        let valid = |at: usize, size: u64, parent: Dim| match (parent, offsets.get(at).copied().flatten()) {
            (Dim::Fixed(0), _) => Dim::Fixed(0),
            (Dim::Fixed(p), Some(offset)) => Dim::Fixed(size.min(p - offset % p)),
            _ => Dim::Dynamic,
        };
        let (valid_rows, valid_cols) = (valid(0, rows, source.valid_rows), valid(1, cols, source.valid_cols));
        Some(TileType { rows, cols, valid_rows, valid_cols, ..*source })
    }

    fn partition(&self, row: &Row, made: &Made, source: &ViewType) -> Option<Type> {
        let slot = row.slot("sizes")?;
        let dims: Box<[Dim]> =
            made.operands.iter().filter(|o| usize::from(o.slot) == slot).map(|o| self.extent(o.value)).collect();
        (!dims.is_empty()).then_some(Type::PartitionView(ViewType { dims, elem: source.elem }))
    }
}
