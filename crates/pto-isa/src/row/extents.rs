//! Where the valid region of a result comes from when its type leaves it open.

use super::{Infer, Kind, Row};
use crate::Dir;
use crate::rules::Rule;

/// An extent of a valid region, by what the row says of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegionExtent {
    /// A number.
    Fixed(u64),
    /// The valid rows of the tile, or the extent before the last of the view, in this slot.
    Rows(usize),
    /// The valid columns of the tile, or the last extent of the view, in this slot.
    Cols(usize),
    /// One bit for each valid column of the tile in this slot: an eighth, rounded up.
    Bits(usize),
    /// The valid columns of the tiles in these slots, side by side.
    Both(usize, usize),
    /// The larger number of valid rows.
    MaxRows(usize, usize),
    /// The larger number of valid columns.
    MaxCols(usize, usize),
}

/// What a row says of a result whose valid region its rules do not give: rows and columns by slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// The result.
    pub slot: &'static str,
    /// Its valid rows.
    pub rows: From,
    /// Its valid columns.
    pub cols: From,
}

/// An extent of another operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum From {
    /// The valid rows of this operand.
    Rows(&'static str),
    /// The valid columns of this operand.
    Cols(&'static str),
    /// The valid columns of these operands, side by side.
    Both(&'static str, &'static str),
    /// The larger number of valid rows of these operands.
    MaxRows(&'static str, &'static str),
    /// The larger number of valid columns of these operands.
    MaxCols(&'static str, &'static str),
    /// A number.
    Fixed(u64),
    /// It does not follow.
    Nothing,
}

/// The valid region of a result.
pub const fn region(slot: &'static str, rows: From, cols: From) -> Region {
    Region { slot, rows, cols }
}

impl Row {
    /// Valid rows and columns of a result, where they follow from the operands that are given: from the row's own
    /// statement, from the operand the result is like, from the rules that compare valid regions, or from the view that
    /// is read.
    ///
    /// ```
    /// use pto_isa::{row::RegionExtent, table::op};
    /// let row = op::trowmax.row();
    /// let (src, dst) = (row.slot("src").unwrap(), row.slot("dst").unwrap());
    /// assert_eq!(row.extents(dst, &|slot| slot == src), [Some(RegionExtent::Rows(src)), Some(RegionExtent::Fixed(1))]);
    /// ```
    pub fn extents(&self, slot: usize, given: &impl Fn(usize) -> bool) -> [Option<RegionExtent>; 2] {
        let by_rules = [self.by_rules(slot, false, given), self.by_rules(slot, true, given)];
        let stated = [self.stated(slot, false, given), self.stated(slot, true, given)];
        let whole = self.whole(slot, given).unwrap_or_default();
        std::array::from_fn(|i| stated[i].or(whole[i]).or(by_rules[i]))
    }

    fn stated(&self, slot: usize, cols: bool, given: &impl Fn(usize) -> bool) -> Option<RegionExtent> {
        let region = self.regions.iter().find(|r| self.slot(r.slot) == Some(slot))?;
        let extent = match if cols { region.cols } else { region.rows } {
            From::Rows(name) => RegionExtent::Rows(self.slot(name)?),
            From::Cols(name) => RegionExtent::Cols(self.slot(name)?),
            From::Both(a, b) => RegionExtent::Both(self.slot(a)?, self.slot(b)?),
            From::MaxRows(a, b) => RegionExtent::MaxRows(self.slot(a)?, self.slot(b)?),
            From::MaxCols(a, b) => RegionExtent::MaxCols(self.slot(a)?, self.slot(b)?),
            From::Fixed(n) => RegionExtent::Fixed(n),
            From::Nothing => return None,
        };
        extent.slots().into_iter().flatten().all(given).then_some(extent)
    }

    /// Both extents of one operand.
    fn whole(&self, slot: usize, given: &impl Fn(usize) -> bool) -> Option<[Option<RegionExtent>; 2]> {
        let reads = |s: &usize| self.slots[*s].dir == Dir::In && given(*s);
        let of = |s: usize| [Some(RegionExtent::Rows(s)), Some(RegionExtent::Cols(s))];
        let first_tile = || {
            let tile = |s: &usize| matches!(self.slots[*s].kind, Kind::Tile | Kind::TileOrScalar);
            (0..self.slots.len()).filter(tile).find(reads)
        };
        match self.slot_at(slot).infer {
            // Where the operand may be a scalar, another one is the tile.
            Infer::Like(name) => self.slot(name).filter(|s| given(*s)).or_else(first_tile).map(of),
            Infer::MaskFor(name) => self
                .slot(name)
                .filter(|s| given(*s))
                .map(|s| [Some(RegionExtent::Rows(s)), Some(RegionExtent::Bits(s))]),
            _ => (0..self.slots.len()).find(|s| reads(s) && self.slots[*s].kind == Kind::View).map(of),
        }
    }

    fn by_rules(&self, slot: usize, cols: bool, given: &impl Fn(usize) -> bool) -> Option<RegionExtent> {
        let is_result = |name: &&str| self.slot(name) == Some(slot);
        let other = |names: &[&str]| {
            let others = names.iter().any(&is_result).then_some(names)?.iter();
            let source =
                others.filter_map(|n| self.slot(n)).find(|s| *s != slot && self.slots[*s].dir == Dir::In && given(*s));
            source.map(|s| if cols { RegionExtent::Cols(s) } else { RegionExtent::Rows(s) })
        };
        self.shape_rules.iter().chain(self.rules).find_map(|(_, rule)| match rule {
            Rule::SameValid(names) => other(names),
            Rule::SameValidRows(names) if !cols => other(names),
            Rule::SameValidCols(names) if cols => other(names),
            Rule::ValidRows(name, n) if !cols && is_result(name) => Some(RegionExtent::Fixed(*n)),
            Rule::ValidCols(name, n) if cols && is_result(name) => Some(RegionExtent::Fixed(*n)),
            _ => None,
        })
    }
}

impl RegionExtent {
    /// The slots it is taken from.
    pub const fn slots(self) -> [Option<usize>; 2] {
        match self {
            Self::Fixed(_) => [None, None],
            Self::Rows(s) | Self::Cols(s) | Self::Bits(s) => [Some(s), None],
            Self::Both(a, b) | Self::MaxRows(a, b) | Self::MaxCols(a, b) => [Some(a), Some(b)],
        }
    }
}
