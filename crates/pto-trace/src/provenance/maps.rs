//! Where an element of a result comes from, as the table says it: by cost class, iteration domain, meaning, and the memories and types of
//! the operands. Nothing here depends on a mnemonic. What the table does not tell element by element comes from whole operands.

use super::SourceMap;
use super::axis::AxisMap;
use pto_ir::{Module, OpId, ValueId};
use pto_isa::row::{CostClass, Domain, From, Infer, Meaning, Movement, SlotKind};
use pto_isa::{BLayout, DType, Dir, Family, Loc, Row, TileType};

/// An operand of an instruction, as far as it matters here.
#[derive(Clone, Debug)]
pub(super) struct SourcePart {
    /// The slot it fills, over operands and results.
    pub slot: usize,
    pub value: Option<ValueId>,
    /// The access that reads or writes it.
    pub access: Option<usize>,
    pub tile: Option<TileType>,
    /// Rows and columns that count: of a tile the valid region, of a view all.
    pub size: (u64, u64),
    /// Of a scalar, what it is.
    pub number: Option<i64>,
}

/// Rows and columns of a source, and whether no other element of it matters.
pub(super) type ElementMaps = (AxisMap, AxisMap, bool);

/// An instruction and its operands.
pub(super) struct TracedInstruction<'a> {
    pub module: &'a Module,
    pub op: OpId,
    pub parts: &'a [SourcePart],
}

impl TracedInstruction<'_> {
    fn row(&self) -> &'static Row {
        self.module.op(self.op).op.row()
    }

    /// True for operands that are written.
    pub fn writes(&self, part: &SourcePart) -> bool {
        self.row().slot_at(part.slot).dir != Dir::In
    }

    /// What the elements of a destination take from an operand.
    pub fn source_map(&self, dst: &SourcePart, src: &SourcePart) -> Option<SourceMap> {
        let (value, access) = (src.value, src.access);
        if access.is_none() {
            // A scalar result is no source of its siblings.
            let one = AxisMap::range(0, 1);
            return (!self.writes(src)).then_some(SourceMap {
                value,
                access,
                rows: one,
                cols: one,
                size: (1, 1),
                exact: true,
                otherwise: false,
            });
        }
        if self.row().slot_at(src.slot).dir == Dir::Out {
            return None;
        }
        let (rows, cols, exact) = self.elements(dst, src)?;
        // What stays as it was may lie outside of the valid region.
        let size = if self.writes(src) { src.tile.map_or(src.size, |t| (t.rows, t.cols)) } else { src.size };
        Some(SourceMap { value, access, rows, cols, size, exact, otherwise: false })
    }

    /// True when elements of a destination may stay as they were, in whole or in part: a mask that has more bits than there are elements
    /// to compare.
    pub fn keeps(&self, dst: &SourcePart) -> bool {
        let (Infer::MaskFor(data), Some(mask)) = (self.row().slot_at(dst.slot).infer, dst.tile) else { return false };
        let bits = dst.size.1 * u64::from(mask.column_bits());
        self.part(data).is_some_and(|data| bits > data.size.1 || dst.size.0 > data.size.0)
    }

    /// True unless the instruction fills what its sources do not.
    pub fn may_miss(&self) -> bool {
        !matches!(self.row().domain, Domain::Whole(_))
    }

    /// What elements of a source an element of a destination comes from; `None` if it does not come from the source at all.
    fn elements(&self, dst: &SourcePart, src: &SourcePart) -> Option<ElementMaps> {
        let row = self.row();
        let slot = row.slot_at(src.slot);
        if row.scratch.is_some_and(|s| s.slot == slot.name) {
            return None;
        }
        if src.slot == dst.slot {
            return Some(same());
        }
        let relation = match row.family {
            Family::Matrix => self.product(src),
            Family::Elementwise | Family::TileScalar | Family::Partial => self.elementwise(dst, src),
            Family::Reduce => reduction(row, dst, src),
            Family::Expand => self.expansion(dst, src),
            Family::Memory | Family::Layout => self.moved(dst, src),
            Family::Quant => self.quantised(dst, src),
            _ => None,
        };
        Some(relation.unwrap_or_else(|| whole(src)))
    }

    fn part(&self, name: &str) -> Option<&SourcePart> {
        let slot = self.row().slot(name)?;
        self.parts.iter().find(|p| p.slot == slot)
    }

    fn gives(&self, attr: &str) -> bool {
        self.module.attr(self.op, attr).is_some()
    }

    /// By the memories that a factor may lie in.
    fn product(&self, src: &SourcePart) -> Option<ElementMaps> {
        let all = |n| AxisMap::range(0, n);
        let locs = self.row().slot_at(src.slot).locs;
        let may_lie = |list: [Loc; 2]| list.iter().any(|loc| locs.contains(*loc));
        match (may_lie([Loc::Left, Loc::ScaleLeft]), may_lie([Loc::Right, Loc::ScaleRight]), src.tile?.loc) {
            (true, false, _) => Some((AxisMap::ROW, all(src.size.1), true)),
            (false, true, _) => Some((all(src.size.0), AxisMap::COL, true)),
            (false, false, Loc::Bias) => Some((all(1), AxisMap::COL, true)),
            (false, false, Loc::Acc) => Some(same()),
            _ => None,
        }
    }

    fn elementwise(&self, dst: &SourcePart, src: &SourcePart) -> Option<ElementMaps> {
        let (row, tile) = (self.row(), src.tile?);
        let name = row.slot_at(src.slot).name;
        match (row.slot_at(dst.slot).infer, row.cost) {
            (Infer::MaskFor(data), _) => {
                // A tile that may stand for a scalar gives its first element.
                if name != data && row.slot_at(src.slot).kind == SlotKind::TileOrScalar {
                    return None;
                }
                let is_bytes = dst.tile?.column_bits() == 8;
                let cols = if is_bytes { AxisMap::COL.times(8).len(8) } else { AxisMap::range(0, src.size.1) };
                Some((AxisMap::ROW, cols, true))
            }
            // A select copies elements of its own type; the other operand is the mask.
            (_, CostClass::VectorSelect) if !is_data(row, src.slot) => {
                let is_bytes = tile.column_bits() == 8;
                let cols = if is_bytes { AxisMap::COL.per(8) } else { AxisMap::range(0, tile.cols) };
                Some((AxisMap::ROW, cols, true))
            }
            _ => Some(converted(dst, src)),
        }
    }

    /// One source has an element for each of the destination, the other one or a few for each row or column.
    fn expansion(&self, dst: &SourcePart, src: &SourcePart) -> Option<ElementMaps> {
        let row = self.row();
        let sources: Vec<&SourcePart> = self
            .parts
            .iter()
            .filter(|p| p.access.is_some() && is_data(row, p.slot) && row.slot_at(p.slot).dir == Dir::In)
            .collect();
        let is_full = |p: &SourcePart| p.size == dst.size;
        let spread = match sources[..] {
            [only] => only.slot,
            [a, b] if !is_full(a) && is_full(b) => a.slot,
            [_, b] => b.slot,
            _ => return None,
        };
        if src.slot != spread {
            return Some(same());
        }
        match row.cost {
            CostClass::ColExpand => Some((AxisMap::range(0, 1), AxisMap::COL, true)),
            CostClass::RowExpand if sources.len() > 1 && src.tile?.blayout == BLayout::RowMajor => {
                Some((AxisMap::ROW, AxisMap::COL.modulo(src.size.1), true))
            }
            CostClass::RowExpand => Some((AxisMap::ROW, AxisMap::range(0, 1), true)),
            _ => None,
        }
    }

    fn moved(&self, dst: &SourcePart, src: &SourcePart) -> Option<ElementMaps> {
        let row = self.row();
        let slot = row.slot_at(src.slot);
        if row.cost == CostClass::Transpose {
            return Some((AxisMap::COL, AxisMap::ROW, true));
        }
        // Halves for two cores, and groups of scales, lie elsewhere.
        if ["accToVecMode", "grpAxis"].iter().any(|attr| self.gives(attr)) {
            return None;
        }
        let is_word = slot.locs.contains(Loc::Scaling) && !slot.locs.contains(Loc::Acc);
        let (rows, cols) = self.window(dst)?;
        match row.meaning {
            Meaning::Movement(Movement::Load | Movement::Store | Movement::StoreScaled | Movement::Copy)
                if !is_word =>
            {
                let (_, cols, exact) = converted(dst, src);
                Some((AxisMap::ROW, cols, exact))
            }
            // A word of the fix pipe belongs to a column of its source.
            _ if is_word => Some((AxisMap::range(0, src.size.0), cols, true)),
            _ if row.cost == CostClass::FixPipe || self.part("index_row").is_some() => {
                is_unpacked(dst, src).then_some((rows, cols, true))
            }
            _ if matches!(row.domain, Domain::Whole(_)) || row.cost == CostClass::VectorConvert => {
                Some(converted(dst, src))
            }
            _ => self.beside(src),
        }
    }

    /// Rows and columns of the source of a window: those of the destination, shifted.
    fn window(&self, dst: &SourcePart) -> Option<(AxisMap, AxisMap)> {
        let shift = |name: &str| self.part(name).map_or(Some(0), |p| p.number);
        let (down, right) = (shift("index_row")?, shift("index_col")?);
        // What is inserted into the destination lies at the index there.
        let sign = if self.row().slot_at(dst.slot).dir == Dir::InOut { -1 } else { 1 };
        Some((AxisMap::ROW.add(sign * down), AxisMap::COL.add(sign * right)))
    }

    /// Operands that lie side by side in the result.
    fn beside(&self, src: &SourcePart) -> Option<ElementMaps> {
        let row = self.row();
        let (a, b) = row.regions.iter().find_map(|r| match r.cols {
            From::Both(a, b) => Some((a, b)),
            _ => None,
        })?;
        let name = row.slot_at(src.slot).name;
        let left = if name == b { self.part(a)?.size.1 as i64 } else { 0 };
        (name == a || name == b).then_some((AxisMap::ROW, AxisMap::COL.add(-left), true))
    }

    fn quantised(&self, dst: &SourcePart, src: &SourcePart) -> Option<ElementMaps> {
        let row = self.row();
        let results =
            row.slots.iter().filter(|s| s.dir != Dir::In && row.scratch.is_none_or(|of| of.slot != s.name)).count();
        // Groups share a scale, which is a result too.
        if results > 1 {
            return None;
        }
        let is_data = matches!(row.domain, Domain::Valid(data) if row.slot(data) == Some(src.slot));
        if is_data {
            return Some(converted(dst, src));
        }
        // Scales belong to rows.
        (src.size.0 >= dst.size.0).then_some((AxisMap::ROW, AxisMap::range(0, src.size.1), true))
    }
}

/// The first column, or row, of the result takes all; the others stay as they were. A result like its source has one of several columns in
/// each of its own.
fn reduction(row: &Row, dst: &SourcePart, src: &SourcePart) -> Option<ElementMaps> {
    let (rows, cols) = src.size;
    match (row.cost, row.slot_at(dst.slot).infer) {
        (CostClass::RowReduce, Infer::Like(_)) => Some((AxisMap::ROW, AxisMap::range(0, cols), true)),
        (CostClass::RowReduce, _) => Some((AxisMap::ROW, AxisMap::COL.times(cols).len(cols), true)),
        (CostClass::ColReduce, _) => Some((AxisMap::ROW.times(rows).len(rows), AxisMap::COL, true)),
        _ => None,
    }
}

fn is_data(row: &Row, slot: usize) -> bool {
    row.slot_at(slot).elem == pto_isa::row::ElemRule::Data
}

const fn same() -> ElementMaps {
    (AxisMap::ROW, AxisMap::COL, true)
}

/// All of an operand: it is not known which elements matter.
fn whole(src: &SourcePart) -> ElementMaps {
    (AxisMap::range(0, src.size.0), AxisMap::range(0, src.size.1), false)
}

/// The element of the same row and column; of packed numbers, the row.
fn converted(dst: &SourcePart, src: &SourcePart) -> ElementMaps {
    if is_unpacked(dst, src) { same() } else { (AxisMap::ROW, AxisMap::range(0, src.size.1), true) }
}

/// Columns of both operands are whole numbers.
fn is_unpacked(dst: &SourcePart, src: &SourcePart) -> bool {
    let packed = |d: DType| d.per_byte() > 1;
    ![dst, src].iter().filter_map(|p| p.tile).any(|t| packed(t.dtype))
}
