//! Rounding modes and what happens out of range.

/// How a value that the target cannot hold is rounded.
///
/// Functions that take a mode are meant to be inlined with a constant: everything the mode does not need folds away.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Round {
    /// To nearest, ties to even.
    Rint,
    /// To nearest, ties away from zero.
    Round,
    /// Towards negative infinity.
    Floor,
    /// Towards positive infinity.
    Ceil,
    /// Towards zero.
    Trunc,
    /// To odd: an inexact value goes to the neighbour whose last bit is set.
    Odd,
}

impl Round {
    /// Every mode.
    pub const ALL: [Self; 6] = [Self::Rint, Self::Round, Self::Floor, Self::Ceil, Self::Trunc, Self::Odd];

    /// Whether a value too large for the target becomes infinite, rather than the largest finite value.
    #[inline(always)]
    pub(crate) const fn overflows(self, negative: bool) -> bool {
        match self {
            Self::Rint | Self::Round => true,
            Self::Floor => negative,
            Self::Ceil => !negative,
            Self::Trunc | Self::Odd => false,
        }
    }

    /// Whether to step away from zero, from the neighbour of smaller magnitude.
    ///
    /// `odd` is the last bit of that neighbour; `rest` compares what was cut off with half a step and `inexact` says
    /// that something was.
    pub(crate) const fn steps(self, negative: bool, odd: bool, rest: std::cmp::Ordering, inexact: bool) -> bool {
        match self {
            Self::Rint => rest.is_gt() || (rest.is_eq() && odd),
            Self::Round => rest.is_ge(),
            Self::Floor => inexact && negative,
            Self::Ceil => inexact && !negative,
            Self::Trunc => false,
            Self::Odd => inexact && !odd,
        }
    }
}

/// What a conversion does with values out of the target's range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Saturate {
    /// Values out of range, infinities too, become the nearest finite value. NaN stays NaN where the target has one
    /// and is zero elsewhere.
    On,
    /// Floats overflow to infinity as the rounding mode says; a format without infinity has NaN instead, and one
    /// without either its largest value. Integers keep the low bits of the rounded value; infinities and NaN are zero.
    Off,
}
