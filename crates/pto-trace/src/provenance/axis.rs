//! Rows or columns of a source as a formula of the row and column of a result.

use std::ops::Range;

/// What an [`AxisMap`] starts from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AxisStart {
    /// Zero: it does not depend on the element.
    Zero,
    /// The row of the element of the result.
    Row,
    /// The column of the element of the result.
    Col,
}

/// Rows or columns of a source: `len` of them from `(start * times / per) mod modulo + add` on.
///
/// ```
/// use pto_trace::AxisMap;
/// assert_eq!(AxisMap::ROW.range_for(3, 5), 3..4);
/// assert_eq!(AxisMap::COL.times(8).len(8).range_for(3, 5), 40..48);
/// assert_eq!(AxisMap::range(0, 64).range_for(3, 5), 0..64);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct AxisMap {
    /// What it starts from.
    pub start: AxisStart,
    /// Multiplies the start.
    pub times: u64,
    /// Divides the product, rounded down.
    pub per: u64,
    /// The quotient counts modulo this; 0 for no modulus.
    pub modulo: u64,
    /// What is added then.
    pub add: i64,
    /// How many rows or columns there are.
    pub len: u64,
}

impl AxisMap {
    /// The row of the result.
    pub const ROW: Self = Self { start: AxisStart::Row, times: 1, per: 1, modulo: 0, add: 0, len: 1 };
    /// The column of the result.
    pub const COL: Self = Self { start: AxisStart::Col, ..Self::ROW };

    /// The same rows or columns for every element.
    pub const fn range(first: i64, len: u64) -> Self {
        Self { start: AxisStart::Zero, add: first, len, ..Self::ROW }
    }

    /// Multiplies the start.
    #[must_use]
    pub const fn times(self, times: u64) -> Self {
        Self { times, ..self }
    }

    /// Divides the start.
    #[must_use]
    pub const fn per(self, per: u64) -> Self {
        Self { per, ..self }
    }

    /// Repeats after this many.
    #[must_use]
    pub const fn modulo(self, modulo: u64) -> Self {
        Self { modulo, ..self }
    }

    /// Shifts it.
    #[must_use]
    pub const fn add(self, add: i64) -> Self {
        Self { add, ..self }
    }

    /// How many rows or columns there are.
    #[must_use]
    pub const fn len(self, len: u64) -> Self {
        Self { len, ..self }
    }

    /// The rows or columns for an element of the result; before the first one there are none.
    pub fn range_for(&self, row: u64, col: u64) -> Range<u64> {
        let start = match self.start {
            AxisStart::Zero => 0,
            AxisStart::Row => row,
            AxisStart::Col => col,
        };
        let quotient = start.saturating_mul(self.times) / self.per.max(1);
        let first = if self.modulo > 0 { quotient % self.modulo } else { quotient } as i64 + self.add;
        let end = first.saturating_add(self.len as i64).max(0);
        first.max(0) as u64..end as u64
    }
}
