//! Comparisons, and selection by their masks.

mod compare;
mod select;
mod test;

use super::call::{Numerics, OpKernel, Prepared, Site};
use super::elem::{by_bits, prepare, unsigned};
use compare::CompareOptions;
use pto_isa::DType;
use test::{GreaterEqual, LessEqual};

pub(super) use test::{Code, Equal, Greater, Lanes, Less, Right, Test, codes, word};

const COMPARE_TILES: &[&str; 3] = &["src0", "src1", "dst"];
/// The scalar may be a tile; it is listed as both, and the one that is not there is absent, or 0.
const COMPARE_SCALAR_TILES: &[&str; 3] = &["src", "scalar", "dst"];
const SELECT_TILES: &[&str; 4] = &["mask", "src0", "src1", "dst"];
const SELECT_SCALAR_TILES: &[&str; 3] = &["mask", "src", "dst"];

pub(super) const COMPARE: OpKernel = OpKernel::new(COMPARE_TILES, compare_tiles);
pub(super) const COMPARE_SCALAR: OpKernel = OpKernel::taking(COMPARE_SCALAR_TILES, &[], &["scalar"], compare_scalar);
pub(super) const SELECT: OpKernel = OpKernel::new(SELECT_TILES, |site| {
    let unsigned = unsigned(site.tile("dst")?.dtype)?;
    prepare!(site, SELECT_TILES, unsigned, E in [U8 U16 U32; U64] => select::Tiles<E>)
});
pub(super) const SELECT_SCALAR: OpKernel = OpKernel::taking(SELECT_SCALAR_TILES, &[], &["scalar"], |site| {
    let same_bits = by_bits(site.tile("dst")?.dtype);
    prepare!(site, SELECT_SCALAR_TILES, same_bits, E in [U8 U16 U32 F16 Bf16; U64] => select::Scalar<E>)
});

/// A comparison as one of those that have code: [`Equal`], [`Less`], [`LessEqual`], [`Greater`], [`GreaterEqual`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Mode {
    /// What an instruction asks for, and what the device makes of it.
    fn of(site: &Site, dtype: DType) -> Option<Self> {
        let mode = match site.attr("cmpMode")? {
            "eq" => Self::Equal,
            "ne" => Self::NotEqual,
            "lt" => Self::Less,
            "le" => Self::LessEqual,
            "gt" => Self::Greater,
            "ge" => Self::GreaterEqual,
            _ => return None,
        };
        let only_equal = site.numerics == Numerics::A2A3 && dtype == DType::I32 && mode != Self::NotEqual;
        Some(if only_equal { Self::Equal } else { mode })
    }

    /// The same with fewer kinds: integers are totally ordered, so a result may be negated.
    fn simplified(self, dtype: DType) -> (Self, CompareOptions) {
        let not = CompareOptions { not: true, ..CompareOptions::default() };
        match self {
            Self::NotEqual => (Self::Equal, not),
            Self::LessEqual if dtype.is_int() => (Self::Greater, not),
            Self::GreaterEqual if dtype.is_int() => (Self::Less, not),
            other => (other, CompareOptions::default()),
        }
    }

    /// The same with the operands in the other order.
    fn swapped(self) -> Self {
        match self {
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            same => same,
        }
    }
}

/// The body for a comparison, an element type and one of the listed modes.
macro_rules! by_mode {
    ($mode:expr, $dtype:expr, [$($mode_name:ident)+], $types:tt => $body:ident, $site:expr, $slots:expr) => {
        match $mode {
            $(Mode::$mode_name => prepare!($site, $slots, $dtype, E in $types => compare::$body<$mode_name, E>),)+
            _ => None,
        }
    };
}

fn compare_tiles(site: &Site) -> Option<Prepared<3>> {
    let dtype = site.tile("src0")?.dtype;
    let (mode, mut how) = Mode::of(site, dtype)?.simplified(dtype);
    how.swap = matches!(mode, Mode::Greater | Mode::GreaterEqual);
    let mode = if how.swap { mode.swapped() } else { mode };
    let prepared = if !dtype.is_int() {
        by_mode!(mode, dtype, [Equal Less LessEqual], [F16 Bf16 F32;] => Tiles, site, COMPARE_TILES)
    } else if mode == Mode::Equal {
        by_mode!(mode, unsigned(dtype)?, [Equal], [U8 U16 U32; U64] => Tiles, site, COMPARE_TILES)
    } else {
        by_mode!(mode, dtype, [Less], [I8 U8 I16 U16 I32 U32; I64 U64] => Tiles, site, COMPARE_TILES)
    };
    prepared.map(|p| p.with(how.imm()))
}

fn compare_scalar(site: &Site) -> Option<Prepared<3, 0, 1>> {
    let stored = site.tile("src")?.dtype;
    // The device has no instruction for 16-bit integers and takes the one for f16.
    let raw = site.numerics == Numerics::A2A3 && matches!(stored, DType::I16 | DType::U16);
    let dtype = if raw { DType::F16 } else { stored };
    let (mode, how) = Mode::of(site, dtype)?.simplified(dtype);
    let slots = &["src", "dst"];
    let prepared = if !dtype.is_int() {
        by_mode!(mode, dtype, [Equal Less LessEqual Greater GreaterEqual], [F16 Bf16 F32;] => Scalar, site, slots)
    } else if mode == Mode::Equal {
        by_mode!(mode, unsigned(dtype)?, [Equal], [U8 U16 U32; U64] => Scalar, site, slots)
    } else {
        by_mode!(mode, dtype, [Less Greater], [I8 U8 I16 U16 I32 U32; I64 U64] => Scalar, site, slots)
    };
    prepared.map(|p| p.with(CompareOptions { raw, ..how }.imm()))
}
