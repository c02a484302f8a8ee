//! Sizes that the tiles of a program have.

use super::ProgramMaker;
use super::memory::has_scalars;
use crate::random::Random;
use pto::isa::fill::{self, Filling};
use pto::isa::row::{ElemRule, SlotCount, SlotKind};
use pto::isa::rules::AttrValue;
use pto::isa::{
    BLOCK_BYTES, BLayout, DType, Dim, Loc, Op, Order, Row, SLayout, ScalarType, Slot, Target, TileType, Type,
};

/// The side of the tiles that the search works with.
const SIDE: u64 = 32;
/// Elements of a valid region; larger ones say nothing new and take longer.
const MOST_ELEMENTS: u64 = 2600;

/// A size: what the side of an ordinary tile becomes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SizeClass {
    pub(super) rows: u64,
    pub(super) cols: u64,
    /// Rows, and blocks of each row, beyond the valid ones.
    slack: (u64, u64),
    /// Rows are multiples of this many elements, for every type.
    unit: u64,
    /// The valid region is known only at run time.
    pub(super) open: bool,
}

impl SizeClass {
    pub(super) fn random(rng: &mut Random) -> Self {
        const ROWS: [u64; 14] = [1, 1, 2, 3, 4, 5, 8, 8, 13, 16, 17, 20, 32, 40];
        const COLS: [u64; 18] = [1, 2, 5, 8, 15, 16, 16, 17, 31, 32, 33, 40, 64, 64, 65, 100, 128, 130];
        let cols = COLS[rng.below(COLS.len())];
        let rows = ROWS[rng.below(ROWS.len())].min((MOST_ELEMENTS / cols).max(1));
        let slack = if rng.chance(50) { (0, 0) } else { (rng.below(3) as u64, rng.below(3) as u64) };
        let unit = if rng.chance(40) { SIDE } else { 1 };
        Self { rows, cols, slack, unit, open: rng.chance(35) }
    }

    /// A tile of the search with the extents of this class.
    fn resize(&self, t: &TileType) -> TileType {
        let block = BLOCK_BYTES / u64::from(t.dtype.unit_bytes());
        let scaled = |n: u64, side: u64| match n {
            0 | 1 => n,
            16 => side.div_ceil(2),
            SIDE => side,
            64 => 2 * side,
            _ if n == SIDE / 8 => side.div_ceil(8),
            _ => n,
        };
        // A block in each row stays one.
        let keeps_cols = t.cols == block && block < SIDE && t.rows != SIDE / 2;
        let rows_of = |n| scaled(n, self.rows);
        let cols_of = |n| if keeps_cols { n } else { scaled(n, self.cols) };
        let (valid_rows, valid_cols) = (self.extent(t.valid_rows, rows_of), self.extent(t.valid_cols, cols_of));
        let mut tile = TileType { valid_rows, valid_cols, ..*t };
        let (row_unit, col_unit) = match t.order() {
            Order::Nd => (1, block.max(if t.cols == 1 { 1 } else { self.unit })),
            Order::Dn => (block, 1),
            _ => t.box_shape(),
        };
        let whole = |n: u64, unit: u64, slack: u64| (n.max(1).next_multiple_of(unit)) + slack * unit;
        tile.rows = whole(rows_of(t.rows), row_unit, if t.rows == 1 { 0 } else { self.slack.0 });
        tile.cols = whole(cols_of(t.cols), col_unit, if t.cols == 1 || keeps_cols { 0 } else { self.slack.1 });
        if t.cols == 1 {
            tile.cols = 1;
        }
        tile
    }

    /// Extents that follow the class are open where it is.
    fn extent(&self, dim: Dim, scale: impl Fn(u64) -> u64) -> Dim {
        match dim {
            Dim::Fixed(SIDE) if self.open => Dim::Dynamic,
            Dim::Fixed(n) => Dim::Fixed(scale(n)),
            Dim::Dynamic => Dim::Dynamic,
        }
    }
}

/// True for instructions that take a tile and a scalar in either order.
pub(super) fn takes_either(row: &Row, target: Target) -> bool {
    let either = |s: &Slot| s.kind == SlotKind::TileOrScalar;
    row.targets.contains(target)
        && row.results.is_empty()
        && row.slots.iter().filter(|s| either(s)).count() == 2
        && row.slots.iter().all(|s| either(s) || s.kind == SlotKind::Tile)
}

impl ProgramMaker<'_> {
    pub(super) fn class(&mut self) -> SizeClass {
        self.classes[self.rng.below(self.classes.len())]
    }

    /// A legal use of a random instruction, in one of the sizes of the program.
    pub(super) fn choose(&mut self) -> Option<(Filling, SizeClass)> {
        let target = self.set.target;
        let chosen = *self.rng.choose(&self.set.pool)?;
        let legal = fill::data_types(chosen.row(), target);
        let liked: Vec<DType> = legal.iter().copied().filter(|d| self.favoured.contains(d)).collect();
        let from = if !liked.is_empty() && self.rng.chance(85) { &liked } else { &legal };
        let data = *self.rng.choose(from)?;
        if takes_either(chosen.row(), target) {
            return self.either(chosen, data);
        }
        let uses = self.set.uses(chosen, data).len();
        if uses == 0 {
            return None;
        }
        let at = self.rng.below(uses);
        let plain = self.set.uses(chosen, data)[at].clone();
        let class = self.class();
        let mut filling = plain.clone();
        for (_, ty) in &mut filling.types {
            if let Type::TileBuf(tile) = ty {
                *tile = class.resize(tile);
            }
        }
        self.vary_scalars(&mut filling);
        let filling = if self.is_fine(&filling) { filling } else { plain };
        let varied = self.with_attrs(&filling);
        let filling = if self.is_fine(&varied) { varied } else { filling };
        self.is_fine(&filling).then_some((filling, class))
    }

    /// A tile and a scalar in one of the two orders.
    fn either(&mut self, op: Op, data: DType) -> Option<(Filling, SizeClass)> {
        let class = self.class();
        let tile = Type::TileBuf(class.resize(&TileType::new(Loc::Vec, data, SIDE, SIDE)));
        let (mut scalar_first, mut types) = (self.rng.chance(50), Vec::new());
        for (at, slot) in op.row().slots.iter().enumerate().filter(|(_, s)| s.count == SlotCount::One) {
            let scalar = slot.kind == SlotKind::TileOrScalar && scalar_first;
            scalar_first ^= slot.kind == SlotKind::TileOrScalar;
            types.push((at as u8, if scalar { Type::Scalar(ScalarType::Elem(data)) } else { tile.clone() }));
        }
        let filling = Filling { op, types, attrs: Vec::new() };
        self.is_fine(&filling).then_some((filling, class))
    }

    fn is_fine(&self, filling: &Filling) -> bool {
        let well_formed = |t: &TileType| t.broken_rules().is_empty();
        let known = |ty: &Type| ty.scalar().and_then(ScalarType::elem).is_none_or(has_scalars);
        // The bits of a float are nothing to decide by: those of NaN are not determined.
        let row = filling.op.row();
        let no_mask = |slot: u8, t: &TileType| row.slot_at(usize::from(slot)).name != "mask" || t.dtype.is_int();
        let tiles = |(slot, ty): &(u8, Type)| ty.tile().is_none_or(|t| well_formed(t) && no_mask(*slot, t));
        filling.types.iter().all(|part| tiles(part) && known(&part.1))
            && filling.is_legal_in(self.set.target, self.manual)
            && (self.set.accepts)(filling)
    }

    /// Attributes that the search leaves out.
    fn with_attrs(&mut self, filling: &Filling) -> Filling {
        let mut varied = filling.clone();
        for spec in filling.op.row().attrs {
            let values: Vec<AttrValue<'static>> = fill::values(spec);
            if let Some(value) = self.rng.choose(&values).copied().filter(|_| spec.targets.contains(self.set.target)) {
                varied.attrs.retain(|(name, _)| *name != spec.name);
                varied.attrs.push((spec.name, value));
            }
        }
        varied
    }

    /// A scalar may be of another type than the elements.
    fn vary_scalars(&mut self, filling: &mut Filling) {
        let row = filling.op.row();
        for (slot, ty) in &mut filling.types {
            let at = row.slot_at(usize::from(*slot));
            let is_scalar = matches!(at.kind, SlotKind::Scalar | SlotKind::TileOrScalar) && ty.scalar().is_some();
            if let (true, ElemRule::Data, Some(d)) = (is_scalar, at.elem, ty.elem())
                && self.rng.chance(20)
            {
                let elem = ScalarType::Elem;
                let floats =
                    [elem(DType::F32), elem(DType::F16), elem(DType::Bf16), ScalarType::F64, ScalarType::Index];
                let ints = [elem(DType::I32), elem(DType::I64), elem(DType::I8), ScalarType::Index, ScalarType::F64];
                let other = if d.is_float() { floats } else { ints };
                *ty = Type::Scalar(other[self.rng.below(5)]);
            }
        }
    }

    /// A vector tile of a class and type whose physical extents are all valid.
    pub(super) fn solid(&mut self, dtype: DType) -> TileType {
        let class = self.class();
        let block = BLOCK_BYTES / u64::from(dtype.unit_bytes());
        let (rows, cols) = (class.rows.next_multiple_of(2), class.cols.next_multiple_of(block));
        match self.rng.below(6) {
            0 => {
                let boxed = TileType::new(Loc::Vec, dtype, rows.next_multiple_of(16), cols.next_multiple_of(SIDE));
                boxed.layout(BLayout::ColMajor, SLayout::RowMajor, 512)
            }
            1 => TileType::new(Loc::Vec, dtype, rows.next_multiple_of(block), cols).layout(
                BLayout::ColMajor,
                SLayout::NoneBox,
                512,
            ),
            _ => TileType::new(Loc::Vec, dtype, rows, cols),
        }
    }
}
