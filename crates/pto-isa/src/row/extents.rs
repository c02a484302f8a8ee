//! Where the valid region of a result comes from when its type leaves it open.

use super::{Infer, Row, SlotKind};
use crate::rules::{AttrValue, Rule};
use crate::{Dir, TileType};

/// An extent of a valid region, by what the row says of it: a measure, divided (rounded up), multiplied and clipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegionExtent {
    /// What it is taken from.
    pub measure: OperandExtent,
    /// Divides the measure; 1 for nothing.
    pub per: u64,
    /// Multiplies the quotient; 1 for nothing.
    pub times: u64,
    /// It is not larger than this.
    pub at_most: Option<u64>,
}

/// A number that operands give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperandExtent {
    /// A number.
    Fixed(u64),
    /// The valid rows of the tile, or the extent before the last of the view, in this slot.
    Rows(usize),
    /// The valid columns of the tile, or the last extent of the view, in this slot.
    Cols(usize),
    /// The valid columns of the tiles in these slots, side by side.
    Sum([Option<usize>; 4]),
    /// The larger number of valid rows.
    MaxRows(usize, usize),
    /// The larger number of valid columns.
    MaxCols(usize, usize),
    /// The valid rows of the tile in the first slot from the row on that the second one names.
    RowsAfter(usize, usize),
    /// The valid columns of the tile in the first slot from the column on that the second one names.
    ColsAfter(usize, usize),
}

/// What a row says of a result whose valid region its rules do not give: rows and columns by slots. The first region of a
/// result counts whose operands are given.
#[derive(Clone, Copy, Debug)]
pub struct ResultRegion {
    /// The result.
    pub slot: &'static str,
    /// Its valid rows.
    pub rows: From,
    /// Its valid columns.
    pub cols: From,
}

/// An extent of another operand.
#[derive(Clone, Copy, Debug)]
pub enum From {
    /// The valid rows of this operand.
    Rows(&'static str),
    /// The valid columns of this operand.
    Cols(&'static str),
    /// The valid columns of these operands, side by side.
    Both(&'static str, &'static str),
    /// The valid columns of those of these operands that are given, side by side, as far as the tile has room.
    Room(&'static [&'static str]),
    /// The larger number of valid rows of these operands.
    MaxRows(&'static str, &'static str),
    /// The larger number of valid columns of these operands.
    MaxCols(&'static str, &'static str),
    /// What an index leaves of the valid rows of an operand, as far as the tile has room.
    RowsAfter(&'static str, &'static str),
    /// What an index leaves of the valid columns of an operand, as far as the tile has room.
    ColsAfter(&'static str, &'static str),
    /// The valid rows of this operand, by a factor; the region does not apply where there is none.
    ScaledRows(&'static str, fn(&Uses) -> Option<ExtentFactor>),
    /// The valid columns of this operand, by a factor; the region does not apply where there is none.
    ScaledCols(&'static str, fn(&Uses) -> Option<ExtentFactor>),
    /// A number.
    Fixed(u64),
    /// All that the tile has: the instruction defines every element, and nothing narrows it.
    Whole,
}

/// How an extent grows or shrinks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExtentFactor {
    /// Divides, rounded up.
    pub per: u64,
    /// Multiplies then.
    pub times: u64,
    /// As far as the tile has room.
    pub clipped: bool,
}

/// A use of a row, as far as valid regions of results depend on it.
#[derive(Clone, Copy)]
pub struct Uses<'a> {
    /// The row.
    pub row: &'static Row,
    /// True for slots whose operand has a valid region or extents.
    pub given: &'a dyn Fn(usize) -> bool,
    /// The type of the tile in a slot, results included.
    pub tile: &'a dyn Fn(usize) -> Option<TileType>,
    /// The value of an attribute that is given.
    pub attr: &'a dyn Fn(&str) -> Option<AttrValue<'a>>,
}

impl Uses<'_> {
    /// The type of the tile in a slot.
    pub fn tile(&self, slot: &str) -> Option<TileType> {
        (self.tile)(self.row.slot(slot)?)
    }
}

/// The valid region of a result.
pub const fn region(slot: &'static str, rows: From, cols: From) -> ResultRegion {
    ResultRegion { slot, rows, cols }
}

/// All of the tile.
pub const fn whole(slot: &'static str) -> ResultRegion {
    region(slot, From::Whole, From::Whole)
}

impl Row {
    /// Valid rows and columns of a result, where they follow from the operands that are given: from the tile that it
    /// changes, from the row's own statement, from the operand the result is like, from the rules that compare valid
    /// regions, or from the view that is read.
    ///
    /// ```
    /// use pto_isa::row::{RegionExtent, Uses};
    /// let row = pto_isa::table::find("trowmax").expect("a row").row();
    /// let (src, dst) = (row.slot("src").unwrap(), row.slot("dst").unwrap());
    /// let uses = Uses { row, given: &|slot| slot == src, tile: &|_| None, attr: &|_| None };
    /// assert_eq!(row.extents(dst, &uses), [Some(RegionExtent::rows(src)), Some(RegionExtent::fixed(1))]);
    /// ```
    pub fn extents(&self, slot: usize, uses: &Uses) -> [Option<RegionExtent>; 2] {
        let given = &|slot: usize| (uses.given)(slot);
        if self.slot_at(slot).dir == Dir::InOut && given(slot) {
            return [Some(RegionExtent::rows(slot)), Some(RegionExtent::cols(slot))];
        }
        let by_rules = [self.by_rules(slot, false, given), self.by_rules(slot, true, given)];
        let stated = self.stated(slot, uses);
        let whole = self.whole(slot, given).unwrap_or_default();
        std::array::from_fn(|i| stated[i].or(whole[i]).or(by_rules[i]))
    }

    fn stated(&self, slot: usize, uses: &Uses) -> [Option<RegionExtent>; 2] {
        let tile = (uses.tile)(slot);
        let (rows, cols) = (tile.map(|t| t.rows), tile.map(|t| t.cols));
        let of =
            |r: &ResultRegion| Some([Some(self.extent(r.rows, rows, uses)?), Some(self.extent(r.cols, cols, uses)?)]);
        self.regions.iter().filter(|r| self.slot(r.slot) == Some(slot)).find_map(of).unwrap_or_default()
    }

    fn extent(&self, from: From, own: Option<u64>, uses: &Uses) -> Option<RegionExtent> {
        let measure = match from {
            From::Rows(name) | From::ScaledRows(name, _) => OperandExtent::Rows(self.slot(name)?),
            From::Cols(name) | From::ScaledCols(name, _) => OperandExtent::Cols(self.slot(name)?),
            From::Both(a, b) => OperandExtent::Sum([Some(self.slot(a)?), Some(self.slot(b)?), None, None]),
            From::Room(names) => {
                let mut given = names.iter().filter_map(|n| self.slot(n)).filter(|s| (uses.given)(*s));
                OperandExtent::Sum(std::array::from_fn(|_| given.next()))
            }
            From::MaxRows(a, b) => OperandExtent::MaxRows(self.slot(a)?, self.slot(b)?),
            From::MaxCols(a, b) => OperandExtent::MaxCols(self.slot(a)?, self.slot(b)?),
            From::RowsAfter(name, index) => OperandExtent::RowsAfter(self.slot(name)?, self.slot(index)?),
            From::ColsAfter(name, index) => OperandExtent::ColsAfter(self.slot(name)?, self.slot(index)?),
            From::Fixed(n) => OperandExtent::Fixed(n),
            From::Whole => OperandExtent::Fixed(own?),
        };
        let factor = match from {
            From::ScaledRows(_, factor) | From::ScaledCols(_, factor) => factor(uses)?,
            From::Room(_) | From::RowsAfter(..) => ExtentFactor { per: 1, times: 1, clipped: true },
            From::ColsAfter(name, _) => ExtentFactor { clipped: true, ..uses.columns_of(name) },
            _ => ExtentFactor { per: 1, times: 1, clipped: false },
        };
        let extent = RegionExtent {
            measure,
            per: factor.per,
            times: factor.times,
            at_most: if factor.clipped { Some(own?) } else { None },
        };
        measure.slots().into_iter().flatten().all(uses.given).then_some(extent)
    }

    /// Both extents of one operand.
    fn whole(&self, slot: usize, given: &impl Fn(usize) -> bool) -> Option<[Option<RegionExtent>; 2]> {
        let reads = |s: &usize| self.slots[*s].dir == Dir::In && given(*s);
        let of = |s: usize| [Some(RegionExtent::rows(s)), Some(RegionExtent::cols(s))];
        let first_tile = || {
            let tile = |s: &usize| matches!(self.slots[*s].kind, SlotKind::Tile | SlotKind::TileOrScalar);
            (0..self.slots.len()).filter(tile).find(reads)
        };
        match self.slot_at(slot).infer {
            // Where the operand may be a scalar, another one is the tile.
            Infer::Like(name) => self.slot(name).filter(|s| given(*s)).or_else(first_tile).map(of),
            Infer::MaskFor(name) => self
                .slot(name)
                .filter(|s| given(*s))
                .map(|s| [Some(RegionExtent::rows(s)), Some(RegionExtent { per: 8, ..RegionExtent::cols(s) })]),
            _ => (0..self.slots.len()).find(|s| reads(s) && self.slots[*s].kind == SlotKind::View).map(of),
        }
    }

    fn by_rules(&self, slot: usize, cols: bool, given: &impl Fn(usize) -> bool) -> Option<RegionExtent> {
        let is_result = |name: &&str| self.slot(name) == Some(slot);
        let other = |names: &[&str]| {
            let others = names.iter().any(&is_result).then_some(names)?.iter();
            let source =
                others.filter_map(|n| self.slot(n)).find(|s| *s != slot && self.slots[*s].dir == Dir::In && given(*s));
            source.map(|s| if cols { RegionExtent::cols(s) } else { RegionExtent::rows(s) })
        };
        self.shape_rules.iter().chain(self.rules).find_map(|(_, rule)| match rule {
            Rule::SameValid(names) => other(names),
            Rule::SameValidRows(names) if !cols => other(names),
            Rule::SameValidCols(names) if cols => other(names),
            Rule::ValidRows(name, n) if !cols && is_result(name) => Some(RegionExtent::fixed(*n)),
            Rule::ValidCols(name, n) if cols && is_result(name) => Some(RegionExtent::fixed(*n)),
            _ => None,
        })
    }
}

impl RegionExtent {
    const fn of(measure: OperandExtent) -> Self {
        Self { measure, per: 1, times: 1, at_most: None }
    }

    /// A number.
    pub const fn fixed(n: u64) -> Self {
        Self::of(OperandExtent::Fixed(n))
    }

    /// The valid rows of an operand.
    pub const fn rows(slot: usize) -> Self {
        Self::of(OperandExtent::Rows(slot))
    }

    /// The valid columns of an operand.
    pub const fn cols(slot: usize) -> Self {
        Self::of(OperandExtent::Cols(slot))
    }

    /// The extent for a value of its measure.
    pub fn scaled(self, measure: u64) -> u64 {
        let n = measure.div_ceil(self.per.max(1)).saturating_mul(self.times);
        self.at_most.map_or(n, |most| n.min(most))
    }
}

impl OperandExtent {
    /// The slots of the tiles and views it is taken from.
    pub const fn slots(self) -> [Option<usize>; 4] {
        match self {
            Self::Fixed(_) => [None; 4],
            Self::Rows(s) | Self::Cols(s) | Self::RowsAfter(s, _) | Self::ColsAfter(s, _) => {
                [Some(s), None, None, None]
            }
            Self::Sum(slots) => slots,
            Self::MaxRows(a, b) | Self::MaxCols(a, b) => [Some(a), Some(b), None, None],
        }
    }
}

impl Uses<'_> {
    /// Columns of an operand as its window counts them: packed 4-bit floats are pairs in the vector memory and numbers
    /// elsewhere.
    fn columns_of(&self, name: &str) -> ExtentFactor {
        let same = ExtentFactor { per: 1, times: 1, clipped: false };
        let (Some(of), Some(window)) = (self.tile(name), self.tile("dst")) else { return same };
        match (u64::from(of.column_bits()), u64::from(window.column_bits())) {
            (bits, other) if of.dtype == window.dtype && bits > other => ExtentFactor { times: bits / other, ..same },
            (bits, other) if of.dtype == window.dtype && bits < other => ExtentFactor { per: other / bits, ..same },
            _ => same,
        }
    }
}
