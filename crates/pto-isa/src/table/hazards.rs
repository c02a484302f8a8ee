//! What the published implementations do beyond what the instructions mean, from reading the device headers.
//!
//! Rows name one of these lists. Conditions read types, attributes and constants, and assume that an extent that is known only at
//! run time is as large as the tile allows. If tiles have no addresses (`manual` is false), a hazard that a scratch tile prevents
//! does not count: lowering adds the tile. State that no PTO instruction can read (a mask register, for example) is left out.

use super::partial::same_valid;
use crate::DType::*;
use crate::row::{Hazard, HiddenMemory, destroys, differs, fault, hidden, ignores, limit, writes_early};
use crate::rules::{AttrValue, Instance};
use crate::{BLOCK_BYTES, BLayout, DType, Dim, Loc, Order, Targets, TileType};

/// Elements that are sorted at once, and bytes of what becomes of one.
const SORTED: u64 = 32;
const RECORD: u64 = 8;

/// Bytes that the vector unit takes at once.
const REPEAT: u64 = 256;

// ---- what conditions ask ------------------------------------------------------------------------------------------

/// The destination holds floating-point numbers.
fn is_float(i: &Instance) -> bool {
    i.tile("dst").is_some_and(|t| t.dtype.is_float())
}

/// The destination holds integers.
fn is_integer(i: &Instance) -> bool {
    i.tile("dst").is_some_and(|t| t.dtype.is_int())
}

/// An operand has one of these element types.
fn has_elem(i: &Instance, slot: &str, types: &[DType]) -> bool {
    i.tile(slot).is_some_and(|t| types.contains(&t.dtype))
}

/// A comparison of 32-bit integers for order.
fn orders_words(i: &Instance) -> bool {
    let word = ["src", "src0"].iter().find_map(|s| i.tile(s)).is_some_and(|t| t.dtype == I32);
    word && !matches!(i.attr_name("cmpMode"), Some("eq" | "ne"))
}

fn rows(t: &TileType) -> u64 {
    t.valid_rows.fixed().unwrap_or(t.rows)
}

fn cols(t: &TileType) -> u64 {
    t.valid_cols.fixed().unwrap_or(t.cols)
}

fn size(t: &TileType) -> u64 {
    u64::from(t.dtype.unit_bytes())
}

/// The bytes or columns do not fill whole groups.
fn ends_inside(n: u64, group: u64) -> bool {
    !n.is_multiple_of(group)
}

fn row_bytes(t: &TileType) -> u64 {
    t.cols * size(t)
}

fn tiles<'a>(i: &'a Instance<'a>) -> impl Iterator<Item = &'a TileType> {
    i.args.iter().filter_map(|a| a.ty.tile())
}

fn first<'a>(i: &'a Instance<'a>, slots: &[&str]) -> Option<&'a TileType> {
    slots.iter().find_map(|s| i.tile(s))
}

fn is_wide(t: &TileType) -> bool {
    matches!(t.dtype, I64 | U64)
}

fn is_flag(i: &Instance, name: &str) -> bool {
    i.attr(name) == Some(AttrValue::Bool(true))
}

/// 64-bit elements in rows of more than one register.
fn wide_rows(i: &Instance) -> bool {
    tiles(i).any(|t| is_wide(t) && cols(t) > 64)
}

/// 64-bit elements in rows that end inside a chunk of 32, but not the first.
fn wide_tail(i: &Instance) -> bool {
    i.tile("dst").is_some_and(|t| is_wide(t) && cols(t) > 32 && ends_inside(cols(t), 32))
}

/// Some rows of the destination end before its columns do, and the type says so.
fn partial_rows(t: &TileType) -> bool {
    match t.blayout {
        BLayout::RowMajor => rows(t) > 1 && matches!(t.valid_cols, Dim::Fixed(c) if c < t.cols),
        BLayout::ColMajor => cols(t) > 1 && matches!(t.valid_rows, Dim::Fixed(r) if r < t.rows),
    }
}

// ---- lists that several rows share --------------------------------------------------------------------------------

const WIDE: Hazard = fault("computes only the first 64 columns of 64-bit elements")
    .on(Targets::A5)
    .when("64-bit elements, more than 64 columns", wide_rows);
const WIDE_TAIL: Hazard = fault("writes whole groups of 32 elements, past the valid columns")
    .on(Targets::A5)
    .when("64-bit elements, more than 32 columns and no multiple of 32", wide_tail);
const EVENT_0: Hazard = limit("sets and waits for event 0 between PIPE_V and PIPE_S: it must not be in use there");
const EVENT_0_A5: Hazard = EVENT_0.on(Targets::A5);
const SCALAR_PIPE: Hazard =
    limit("reads its operands on the scalar pipe: what a load has written needs a flag from PIPE_MTE2 to PIPE_S");
const WHOLE_BLOCKS: Hazard = limit("writes whole blocks of 32 bytes, also past the valid columns");

pub(super) const WIDE_ROWS: &[Hazard] = &[WIDE];
pub(super) const WIDE_BINARY: &[Hazard] = &[WIDE_TAIL];

/// Wide rows of a tile that is not whole, in tiles of few rows: only the last piece of a row is computed.
const SKIPS: Hazard = fault("computes only the columns after the last whole 256 bytes of each row").when(
    "rows of more than 8160 bytes in tiles that are not whole or not alike, 64 (f16: 128) rows or fewer",
    |i| {
        let (Some(s), Some(d)) = (i.tile("src"), i.tile("dst")) else { return false };
        let whole = |t: &TileType| t.valid_rows == Dim::Fixed(t.rows) && t.valid_cols == Dim::Fixed(t.cols);
        let alike = s.lies_like(d) && whole(s) && whole(d);
        let long = row_bytes(s).max(row_bytes(d)) > 255 * BLOCK_BYTES;
        let repeats = d.cols * size(d) / REPEAT;
        !alike && long && d.rows > repeats && d.rows <= REPEAT / size(d) && cols(d) * size(d) >= REPEAT
    },
);

pub(super) const UNARY: &[Hazard] = &[SKIPS];

pub(super) const SHIFT_LEFT: &[Hazard] = &[
    WIDE_TAIL,
    fault("carries sign bits into the high word where bit 31 of the low word is set")
        .on(Targets::A5)
        .when("64-bit elements", |i| tiles(i).any(is_wide)),
    SCALAR_PIPE,
    EVENT_0,
];
pub(super) const SHIFT_RIGHT: &[Hazard] = &[WIDE_TAIL, SCALAR_PIPE, EVENT_0];

// ---- elementwise --------------------------------------------------------------------------------------------------

pub(super) const TREM: &[Hazard] = &[
    destroys("src0").when("i32", is_integer),
    destroys("src1").when("i32", is_integer),
    fault("computes in f32: exact only up to 2^24").when("i32", is_integer),
    fault("writes 256 bytes of mask after the first row of tmp, past its end")
        .when("a small tmp", |i| short_scratch(i, remainder_written)),
    WIDE,
    fault("gives the sign of the dividend").on(Targets::A5).when("64-bit elements", |i| tiles(i).any(is_wide)),
];

/// The scratch tile is smaller than what is written to it.
fn short_scratch(i: &Instance, written: fn(&Instance) -> Option<u64>) -> bool {
    i.tile("tmp").zip(written(i)).is_some_and(|(tmp, need)| tmp.bytes() < need)
}

/// A row of `dst`, and the mask after it, which is filled as a whole.
pub(super) fn remainder_written(i: &Instance) -> Option<u64> {
    let dst = i.tile("dst").filter(|_| i.target == crate::Target::A2A3)?;
    let mask = (8 * dst.cols.div_ceil(64)).max(if dst.dtype.is_int() { cols(dst) * 4 } else { REPEAT });
    Some(row_bytes(dst).saturating_add(mask))
}

pub(super) const POWER: &[Hazard] = &[
    SCALAR_PIPE,
    EVENT_0,
    limit("takes exponents of 2^31 and more for negative").when("ui32", |i| has_elem(i, "dst", &[U32])),
];

pub(super) const NARROWING: &[Hazard] = &[writes_early("dst", "src0"), writes_early("dst", "src1")];

pub(super) const TADDDEQRELU: &[Hazard] =
    &[destroys("src0"), destroys("src1"), writes_early("dst", "src0"), writes_early("dst", "src1")];

pub(super) const ORDERS_WORDS: Hazard =
    fault("compares i32 only for equality: lt, le, gt and ge give the answer of eq")
        .when("i32 and an order", orders_words);

pub(super) const TCMP: &[Hazard] = &[
    ORDERS_WORDS,
    fault("steps through each source by the row of the other: wrong from the second row on").on(Targets::A5).when(
        "32-bit elements and sources of different widths",
        |i| {
            let (Some(a), Some(b)) = (i.tile("src0"), i.tile("src1")) else { return false };
            size(a) == 4 && rows(a) > 1 && a.cols != b.cols && cols(a) > 64
        },
    ),
    WIDE,
    WHOLE_MASKS,
];

pub(super) const TCMPS: &[Hazard] = &[
    ORDERS_WORDS,
    fault("compares i16 and ui16 as if their bits were f16").when("i16, ui16", |i| has_elem(i, "src", &[I16, U16])),
    WHOLE_MASKS,
];

/// Sources are read in pieces of 256 bytes, regardless of how much of the last one is valid.
const WHOLE_MASKS: Hazard = limit(
    "writes the bits of whole 256 bytes of a row: mask bits after the columns are lost (`ne` inverts its whole rows)",
)
.on(Targets::DEVICES);

/// Rows of a mask that end before those of `dst`. In a tile stored by columns a row ends after one element.
const SHORT_MASK: Hazard = fault("takes bits that a row of the mask does not have from what lies behind it in memory")
    .when("a row of the mask with fewer bits than dst has columns", |i| {
        let (Some(mask), Some(dst)) = (i.tile("mask"), i.tile("dst")) else { return false };
        let elements = if mask.order() == Order::Dn { 1 } else { mask.cols };
        elements * size(mask) * 8 < cols(dst)
    });

pub(super) const TSEL: &[Hazard] = &[
    fault("steps through the rows of the mask by elements as if they were bytes")
        .on(Targets::A5)
        .when("a mask of wider elements with several rows", |i| {
            i.tile("mask").is_some_and(|m| size(m) > 1 && rows(m) > 1)
        }),
    fault("takes the wrong bits of the mask from column 256 on")
        .on(Targets::A5)
        .when("8-bit elements, more than 256 columns", |i| {
            i.tile("dst").is_some_and(|t| size(t) == 1 && cols(t) > 256)
        }),
    SHORT_MASK,
    WIDE,
];
pub(super) const TSELS: &[Hazard] = &[
    SHORT_MASK,
    WIDE,
    limit(
        "stores the scalar to tmp on the scalar pipe without waiting for the vector pipe: give it a tmp that nothing else uses",
    ),
    EVENT_0,
];

pub(super) const TCVT: &[Hazard] = &[
    differs("dst", "src", "writes elements before it has read those that lie there").when(
        "elements become wider, or rows of several have a tail",
        |i| {
            let (Some(s), Some(d)) = (i.tile("src"), i.tile("dst")) else { return false };
            let tail = rows(d) > 1 && ends_inside(cols(d) * size(s).max(size(d)), REPEAT);
            size(d) > size(s) || size(d) < size(s) && tail
        },
    ),
    differs("dst", "src", "writes elements before it has read those that lie there").on(Targets::A5).when(
        "elements become wider, or f4",
        |i| {
            let (Some(s), Some(d)) = (i.tile("src"), i.tile("dst")) else { return false };
            d.column_bits() > s.column_bits() || d.dtype.column_bits() < 8
        },
    ),
    fault("saturates although sat_mode is OFF").when("sat_mode OFF without tmp", |i| {
        let (Some(s), Some(d)) = (i.tile("src"), i.tile("dst")) else { return false };
        let by_default = matches!((s.dtype, d.dtype), (F16, U8 | I8 | I16) | (F32, I16) | (I64, I32) | (I32, I16));
        i.attr_name("sat_mode") == Some("OFF")
            && i.manual
            && !i.given("tmp")
            && !by_default
            && can_overflow(s.dtype, d.dtype)
    }),
    fault("does not look at sat_mode").on(Targets::A5).when("sat_mode with 8-bit or 4-bit floats", |i| {
        let small = |slot| i.tile(slot).is_some_and(|t| t.dtype.is_float() && t.dtype.bits() <= 8);
        i.attr("sat_mode").is_some() && (small("src") || small("dst"))
    }),
    fault("rounds ties away from zero").on(Targets::A5).when("to hif8", |i| has_elem(i, "dst", &[Hif8])),
    fault("extends the sign of negative numbers")
        .on(Targets::A5)
        .when("i16 to ui32", |i| has_elem(i, "src", &[I16]) && has_elem(i, "dst", &[U32])),
    limit("gives other values for numbers out of range in tiles that are not whole")
        .on(Targets::A5)
        .when("f32 or f16 to i16, f16 to i8", |i| has_elem(i, "dst", &[I16, I8]) && has_elem(i, "src", &[F32, F16])),
];

/// Some numbers of the one type are none of the other.
fn can_overflow(from: DType, to: DType) -> bool {
    to.is_int() && (from.is_float() || from.bits() >= to.bits())
}

// ---- tile and scalar ----------------------------------------------------------------------------------------------

pub(super) const TDIVS: &[Hazard] = &[
    writes_early("dst", "src1").when("the scalar first, floats", is_float),
    differs("dst", "src0", "multiplies by the rounded reciprocal").when("floats", is_float),
    WIDE,
    SCALAR_PIPE.when("integers", is_integer),
    EVENT_0.when("integers", is_integer),
    EVENT_0_A5.when("integers of 16 and 32 bits", is_integer),
];

pub(super) const TRECIP: &[Hazard] = &[SKIPS, WIDE];

pub(super) const TSUBS: &[Hazard] = &[
    fault("negates the scalar as an f32, which cannot hold it").when("i32, a scalar beyond 2^24", |i| {
        has_elem(i, "dst", &[I32]) && i.value("scalar").is_some_and(|n| n.unsigned_abs() > 1 << 24)
    }),
    limit("negates the scalar as an f32: exact only up to 2^24").when("i32", is_integer),
    WIDE,
];

/// Filling a tile that is not whole fills as many elements in a row.
fn fills_in_a_row(i: &Instance) -> bool {
    ["dst", "tmp"].iter().any(|slot| i.tile(slot).is_some_and(|t| t.loc == Loc::Vec && partial_rows(t)))
}

const FILLS_IN_A_ROW: &str =
    "fills as many elements as are valid one after the other, not row by row: later rows get nothing, or too much";

pub(super) const TEXPANDS: &[Hazard] = &[
    fault(FILLS_IN_A_ROW)
        .when("several rows of fewer valid columns than the type has, fixed in the type", fills_in_a_row),
    fault("fills with alternating bytes").on(Targets::DEVICES).when("mat, i8, a scalar below -1", |i| {
        i.tile("dst").is_some_and(|t| t.loc == Loc::Mat && t.dtype == I8) && i.value("scalar").is_some_and(|n| n < -1)
    }),
    WIDE,
];
pub(super) const BY_FILLING: &[Hazard] =
    &[fault("spreads the scalar over as many elements as are valid one after the other, not row by row")
        .when("several rows of fewer valid columns than the type has, fixed in the type", fills_in_a_row)];

pub(super) const TREMS: &[Hazard] = &[
    destroys("src").when("i32", is_integer),
    fault("computes in f32: exact only up to 2^24").when("i32", is_integer),
    limit("corrects signs by those of the first 64 columns")
        .when("f32, more than 64 columns", |i| i.tile("dst").is_some_and(|t| t.dtype == F32 && cols(t) > 64)),
    writes_early("dst", "src").on(Targets::A5).when("ui64", |i| has_elem(i, "dst", &[U64])),
    WIDE,
    limit("may give the sign of the dividend").on(Targets::A5).when("floats", is_float),
];

pub(super) const TAXPY: &[Hazard] = &[
    writes_early("dst", "src")
        .on(Targets::DEVICES)
        .when("f16 into f32", |i| has_elem(i, "src", &[F16]) && has_elem(i, "dst", &[F32])),
    SKIPS,
];

// ---- reductions ---------------------------------------------------------------------------------------------------

/// Rows of the scratch tile that are narrower than what is kept of a row.
fn narrow_scratch(i: &Instance, kept: fn(u64) -> u64) -> bool {
    let (Some(s), Some(tmp)) = (i.tile("src"), i.tile("tmp")) else { return false };
    let bytes = cols(s) * size(s);
    s.dtype.is_float() && bytes > REPEAT && rows(s) > 1 && row_bytes(tmp) < kept(bytes / REPEAT) * REPEAT
}

const ODD_BYTES: Hazard = fault("includes a byte after the last column")
    .on(Targets::A5)
    .when("8-bit elements, an odd number of columns", |i| {
        i.tile("src").is_some_and(|t| size(t) == 1 && matches!(t.valid_cols, Dim::Fixed(c) if c % 2 == 1))
    });

pub(super) const ROW_EXTREME: &[Hazard] = &[
    fault("keeps rows on top of each other, or writes nothing")
        .when("rows of tmp of less than 256 bytes", |i| narrow_scratch(i, |_| 1)),
    ODD_BYTES,
    WIDE,
    EVENT_0.when("integers", is_integer),
];
pub(super) const ROW_SUM: &[Hazard] = &[
    fault("keeps rows on top of each other, or writes nothing")
        .when("rows of tmp of less than half a row of src", |i| narrow_scratch(i, |steps| (steps / 2).max(1))),
    WIDE,
    EVENT_0.when("integers", is_integer),
];
pub(super) const ROW_PRODUCT: &[Hazard] = &[EVENT_0];
pub(super) const ROW_ARG: &[Hazard] = &[
    fault("widens the indices over those of later rows: wrong from row 64 on").when(
        "f16 with values and 32-bit indices in columns, more than 64 rows",
        |i| {
            let column = |slot| i.tile(slot).is_some_and(|t| t.cols == 1);
            let (Some(s), Some(idx)) = (i.tile("src"), i.tile("dst_idx")) else { return false };
            let short = cols(s) * size(s) <= REPEAT;
            s.dtype == F16 && size(idx) == 4 && column("dst_idx") && column("dst_val") && rows(s) > 64 && short
        },
    ),
    EVENT_0,
];
pub(super) const COL_REDUCE: &[Hazard] = &[WIDE, WHOLE_BLOCKS];
pub(super) const COL_ARG: &[Hazard] = &[
    fault("compares ui16 and ui32 as if their bits were floats")
        .when("ui16, ui32", |i| has_elem(i, "src", &[U16, U32])),
    writes_early("dst_idx", "src"),
    writes_early("dst_val", "src"),
    writes_early("dst_idx", "src").on(Targets::A5).when("narrow elements, more than 256 bytes of columns", |i| {
        i.tile("src").is_some_and(|t| size(t) < 4 && cols(t) * size(t) > REPEAT)
    }),
    fault("steps through the source by its columns")
        .on(Targets::A5)
        .when("a column-major source", |i| i.tile("src").is_some_and(|t| t.order() == Order::Dn && t.cols > 1)),
];
pub(super) const TPAIRREDUCESUM: &[Hazard] = &[
    fault("packs the sums of all rows one after the other").on(Targets::A5).when("several whole rows", |i| {
        let whole = |slot| i.tile(slot).is_some_and(|t| t.rows > 1 && t.valid_cols == Dim::Fixed(t.cols));
        whole("src") && whole("dst")
    }),
    limit("leaves out an odd last column").on(Targets::DEVICES),
];

// ---- expansions ---------------------------------------------------------------------------------------------------

/// The memory that the a2a3 headers keep for themselves.
pub(super) const A2A3_RESERVED: HiddenMemory = HiddenMemory { loc: Loc::Vec, start: 184 << 10, end: 192 << 10 };

/// The operand that is repeated along the rows of the other.
fn per_row<'a>(i: &'a Instance<'a>) -> Option<(&'a TileType, &'a TileType)> {
    let (a, b) = (i.tile("src0")?, i.tile("src1")?);
    Some(if is_spread(i, "src0", "src1") { (a, b) } else { (b, a) })
}

pub(super) const ROW_EXPAND: &[Hazard] = &[
    hidden(A2A3_RESERVED).when("without tmp, with one value per row", spreads_in_reserve),
    writes_early("dst", "src0").on(Targets::DEVICES).when("src0 per row", |i| is_spread(i, "src0", "src1")),
    writes_early("dst", "src1").on(Targets::DEVICES).when("src1 per row", |i| is_spread(i, "src1", "src0")),
    fault("computes up to 7 rows too many").when("one value per row, 256 rows and more, and 233 to 239 beyond a multiple of 240", |i| {
        let by_value = per_row(i).is_some_and(|(t, _)| t.blayout == BLayout::ColMajor);
        by_value && matches!(i.tile("dst").map(|t| t.valid_rows), Some(Dim::Fixed(r)) if r >= 256 && (233..240).contains(&(r % 240)))
    }),
    fault("reads consecutive blocks of 32 bytes, regardless of the columns of the tile")
        .on(Targets::DEVICES)
        .when("32 bytes per row in a tile of more columns", |i| {
            per_row(i).is_some_and(|(t, _)| t.blayout == BLayout::RowMajor && rows(t) > 1 && row_bytes(t) != BLOCK_BYTES)
        }),
    fault("steps through the source by the columns of dst")
        .on(Targets::A5)
        .when("whole rows of less than 256 bytes, and a source of other columns", |i| {
            let (Some(d), Some((_, full))) = (i.tile("dst"), per_row(i)) else { return false };
            row_bytes(d) < REPEAT && d.valid_cols == Dim::Fixed(d.cols) && full.cols != d.cols && rows(d) > 1
        }),
];

/// One value per row is spread to 32 bytes first, which takes memory.
fn spreads_in_reserve(i: &Instance) -> bool {
    let by_value = |slot| i.tile(slot).is_some_and(|t| t.blayout == BLayout::ColMajor);
    !i.given("tmp") && (by_value("src0") || by_value("src1"))
}

/// This operand is the one that is repeated along or down the other.
fn is_spread(i: &Instance, slot: &str, other: &str) -> bool {
    let (Some(t), Some(o), Some(d)) = (i.tile(slot), i.tile(other), i.tile("dst")) else { return false };
    same_valid(t, d) == Some(false) && same_valid(o, d) != Some(false)
}

pub(super) const COL_EXPAND: &[Hazard] = &[
    writes_early("dst", "src0").on(Targets::DEVICES).when("src0 one row for several", |i| is_spread(i, "src0", "src1")),
    writes_early("dst", "src1").on(Targets::DEVICES).when("src1 one row for several", |i| is_spread(i, "src1", "src0")),
    fault("counts rows, and blocks of a row, in 8 bits: rows are left out or written over each other").when(
        "whole columns, and more than 255 rows or rows of 8192 bytes",
        |i| {
            let Some(d) = i.tile("dst") else { return false };
            let normal = d.valid_cols == Dim::Fixed(d.cols) || d.rows == 1;
            normal && (rows(d) > 255 || rows(d) > 1 && row_bytes(d) >= 256 * BLOCK_BYTES)
        },
    ),
];

pub(super) const TROWEXPAND: &[Hazard] = &[
    writes_early("dst", "src").on(Targets::DEVICES).when("one value per row", |i| {
        i.tile("src").is_some_and(|t| t.blayout == BLayout::ColMajor || t.cols != i.tile("dst").map_or(0, |d| d.cols))
    }),
    WIDE,
    fault("reads 64-bit values at addresses that are not aligned")
        .on(Targets::A5)
        .when("64-bit elements in a column", |i| {
            i.tile("src").is_some_and(|t| is_wide(t) && t.blayout == BLayout::ColMajor)
        }),
    EVENT_0,
];
pub(super) const TCOLEXPAND: &[Hazard] = &[WIDE, WHOLE_BLOCKS];

// ---- partial ------------------------------------------------------------------------------------------------------

/// A source that is valid in fewer columns than the destination, which the other source is copied to first.
fn narrower(i: &Instance, slot: &str, dst: &str) -> bool {
    let (Some(s), Some(d)) = (i.tile(slot), i.tile(dst)) else { return false };
    matches!((s.valid_cols, d.valid_cols), (Dim::Fixed(a), Dim::Fixed(b)) if a < b)
}

pub(super) const PARTIAL: &[Hazard] = &[
    writes_early("dst", "src0").when("src0 of fewer columns", |i| narrower(i, "src0", "dst")),
    writes_early("dst", "src1").when("src1 of fewer columns", |i| narrower(i, "src1", "dst")),
    WIDE,
];
pub(super) const PARTIAL_ARG: &[Hazard] = &[
    writes_early("dst_val", "src0_val").when("src0 of fewer columns", |i| narrower(i, "src0_val", "dst_val")),
    writes_early("dst_val", "src1_val").when("src1 of fewer columns", |i| narrower(i, "src1_val", "dst_val")),
    limit("takes src0 where both are equal").on(Targets::DEVICES),
];

// ---- memory -------------------------------------------------------------------------------------------------------

pub(super) const TLOAD: &[Hazard] = &[
    fault("counts rows in 12 bits").when("4096 rows and more", |i| i.tile("dst").is_some_and(|t| t.rows >= 4096)),
    limit("without a pad value, leaves the rest of a last block of 32 bytes undefined").on(Targets::DEVICES),
    limit("counts strides in 32 bits of bytes").on(Targets::A5),
];
pub(super) const TSTORE: &[Hazard] = &[limit("resets the mode of atomic stores").on(Targets::DEVICES)];
pub(super) const TPREFETCH: &[Hazard] =
    &[limit("writes rows in whole blocks of 32 bytes, past the end of a smaller tile")];
pub(super) const INDEXED: &[Hazard] = &[
    limit("sets and waits for event 0 between several pipes: it must not be in use there").on(Targets::DEVICES),
    limit("does not wait for a load of the indices"),
    fault("reads consecutive indices, regardless of the rows of the tile")
        .on(Targets::A5)
        .when("one index per row in rows of 32 bytes", |i| {
            i.tile("idx").is_some_and(|t| t.blayout == BLayout::RowMajor && rows(t) > 1 && cols(t) == 1)
        }),
];
/// The first bytes of the vector memory, where a session without scratch memory works.
const SESSION: HiddenMemory = HiddenMemory { loc: Loc::Vec, start: 0, end: 256 };
pub(super) const TPREFETCH_ASYNC: &[Hazard] = &[hidden(SESSION).on(Targets::DEVICES)];

// ---- matrix -------------------------------------------------------------------------------------------------------

pub(super) const ACCUMULATE: &[Hazard] = &[ignores("acc_in", "dst").on(Targets::DEVICES)];
pub(super) const MATMUL: &[Hazard] =
    &[limit("computes 16 rows").when("one row", |i| i.tile("a").is_some_and(|t| rows(t) == 1))];

// ---- layout -------------------------------------------------------------------------------------------------------

pub(super) const TMOV: &[Hazard] = &[
    fault("steps through the source by the valid columns of dst").on(Targets::A5).when(
        "rows to column-major boxes of row-major elements, from a tile of more columns",
        |i| {
            let (Some(s), Some(d)) = (i.tile("src"), i.tile("dst")) else { return false };
            (s.loc, d.loc) == (Loc::Vec, Loc::Vec)
                && s.order() == Order::Nd
                && d.order() == Order::Zn
                && cols(d) != s.cols
        },
    ),
    limit("moves all rows of an accumulator, and whole blocks of columns")
        .on(Targets::DEVICES)
        .when("from acc", |i| i.tile("src").is_some_and(|t| t.loc == Loc::Acc)),
    WHOLE_BLOCKS.when("vec to vec", |i| i.tile("src").is_some_and(|t| t.loc == Loc::Vec)),
    limit("changes the feature map of a convolution that was set by hand")
        .when("mat to left or right", |i| i.tile("src").is_some_and(|t| t.loc == Loc::Mat)),
];

/// The elements of the window do not lie as far apart in a tile of dst's shape as in the source.
fn other_strides(i: &Instance) -> bool {
    let (Some(s), Some(d)) = (i.tile("src"), i.tile("dst")) else { return false };
    let far = [(rows(d).saturating_sub(1), 0), (0, cols(d).saturating_sub(1))];
    let layout = |t: &TileType| t.is_boxed().then_some((t.order(), t.fractal));
    layout(s) != layout(d) || far.iter().any(|(r, c)| s.offset(*r, *c) != d.offset(*r, *c))
}

/// The window starts after the first box in the direction in which boxes are contiguous.
fn starts_at_box(i: &Instance) -> bool {
    let Some(s) = i.tile("src").filter(|t| t.is_boxed()) else { return false };
    let along = if s.blayout == BLayout::ColMajor { "row_idx" } else { "col_idx" };
    i.value(along) != Some(0)
}

pub(super) const TSUBVIEW: &[Hazard] = &[
    fault("steps through the window by the rows and columns of dst, not by those of src").on(Targets::DEVICES).when(
        "a window of several rows in a tile of other columns, or of several columns in one of other rows",
        other_strides,
    ),
    fault("counts the start in elements, as in a tile without boxes")
        .on(Targets::DEVICES)
        .when("boxes, from another row (col-major boxes) or column (row-major boxes) than 0", starts_at_box),
];

/// Rows of bytes that are cut out of one tile and put into boxes of another.
fn widens_in_reserve(i: &Instance) -> bool {
    let (Some(s), Some(d)) = (i.tile("src"), i.tile("dst")) else { return false };
    let boxes = (s.loc, d.loc) == (Loc::Vec, Loc::Vec) && s.order() == Order::Nd && d.order() == Order::Nz;
    boxes
        && size(s) == 1
        && cols(d) % 2 == 1
        && i.value("index_col").is_none_or(|c| c.unsigned_abs().is_multiple_of(BLOCK_BYTES))
}

pub(super) const TEXTRACT: &[Hazard] = &[
    hidden(A2A3_RESERVED).when("vec rows of bytes to boxes, an odd number of columns", widens_in_reserve),
    writes_early("dst", "src").on(Targets::DEVICES).when("vec to vec", |i| {
        first(i, &["src"]).is_some_and(|t| t.loc == Loc::Vec) && i.tile("dst").is_some_and(|t| t.loc == Loc::Vec)
    }),
    limit("rounds indices down to whole boxes")
        .on(Targets::DEVICES)
        .when("mat to left or right", |i| i.tile("src").is_some_and(|t| t.loc == Loc::Mat)),
    EVENT_0.on(Targets::DEVICES).when("one element", |i| i.tile("dst").is_some_and(|t| rows(t) == 1 && cols(t) == 1)),
];

pub(super) const TINSERT: &[Hazard] =
    &[fault("writes all rows of the source and whole blocks of columns, over what lies around the window")
        .on(Targets::DEVICES)
        .when("from acc, not all of the tile valid", |i| {
            let from = i.tile("src").filter(|t| t.loc == Loc::Acc);
            from.is_some_and(|t| t.valid_rows != Dim::Fixed(t.rows) || ends_inside(cols(t) * 4, BLOCK_BYTES))
        })];

pub(super) const FILL: &[Hazard] = &[
    fault("leaves rows without their padding").when("more than 510 rows with a last block that is not whole", |i| {
        let (Some(s), Some(d)) = (i.tile("src"), i.tile("dst")) else { return false };
        s.loc == Loc::Vec && rows(s) > 510 && ends_inside(cols(s) * size(d), BLOCK_BYTES)
    }),
    limit("pads on the scalar pipe, and no flag says when that is done")
        .when("8-bit elements", |i| i.tile("dst").is_some_and(|t| size(t) == 1)),
];

pub(super) const CONCAT: &[Hazard] = &[
    fault("counts the elements of src1 in 8 bits").on(Targets::A5).when("8-bit elements, more than 256", |i| {
        i.tile("dst").is_some_and(|t| size(t) == 1 && t.rows * t.cols > 256)
    }),
    limit(
        "writes the columns of src1 on the scalar pipe where they do not start at a block, and no flag says when that is done",
    ),
    EVENT_0,
];
pub(super) const CONCAT_INDEXED: &[Hazard] = &[
    limit("copies 64 KiB for a count of 0"),
    fault("counts the elements of src1 in 8 bits").on(Targets::A5).when("8-bit elements, more than 256", |i| {
        i.tile("dst").is_some_and(|t| size(t) == 1 && t.rows * t.cols > 256)
    }),
    EVENT_0,
];
pub(super) const TTRANS: &[Hazard] = &[
    limit("writes whole blocks past the columns of each row of dst"),
    limit("runs on without end for a source without rows or columns").on(Targets::A5),
];

// ---- quantisation -------------------------------------------------------------------------------------------------

pub(super) const TQUANT: &[Hazard] = &[
    destroys("src"),
    fault("has no form without tmp").when("without tmp", |i| i.manual && !i.given("tmp")),
    fault("reads consecutive scales, regardless of the rows of the tile")
        .on(Targets::A5)
        .when("row-major parameters", |i| {
            i.tile("fp").is_some_and(|t| t.blayout == BLayout::RowMajor && rows(t) > 1 && cols(t) == 1)
        }),
];
pub(super) const TQUANT_MX: &[Hazard] = &[
    limit("clears the columns of src after the valid ones")
        .on(Targets::A5)
        .when("16-bit elements", |i| i.tile("src").is_some_and(|t| size(t) == 2)),
    limit("replaces the control register of the core, and with it how later conversions saturate").on(Targets::A5),
];
pub(super) const TDEQUANT: &[Hazard] = &[
    fault("writes whole groups of 64 elements, past the valid columns")
        .on(Targets::A5)
        .when("more than 64 columns and no multiple of 64", |i| {
            i.tile("dst").is_some_and(|t| cols(t) > 64 && ends_inside(cols(t), 64))
        }),
    EVENT_0,
    SCALAR_PIPE,
];

// ---- irregular ----------------------------------------------------------------------------------------------------

fn by_index(i: &Instance) -> bool {
    i.given("indices") || i.given("indexes")
}

pub(super) const TGATHER: &[Hazard] = &[
    writes_early("dst", "src").on(Targets::DEVICES).when("index form", by_index),
    writes_early("dst", "src").on(Targets::DEVICES).when("comparison form", |i| i.given("k_value")),
    WIDE,
    fault("compares for equality").on(Targets::A5).when("ui16 and gt", |i| {
        i.given("k_value") && has_elem(i, "src", &[U16]) && i.attr_name("cmpMode") == Some("gt")
    }),
    limit("uses memory after tmp: as large as src in i32, and more").when("comparison form", |i| i.given("k_value")),
    EVENT_0.when("comparison form", |i| i.given("k_value")),
];
pub(super) const TGATHERB: &[Hazard] = &[
    writes_early("dst", "src").on(Targets::DEVICES),
    writes_early("dst", "offsets").on(Targets::DEVICES),
    fault("writes whole 256 bytes of each row, and takes 8 offsets for them").when(
        "several rows that are no multiple of 256 bytes",
        |i| {
            i.tile("dst")
                .is_some_and(|t| rows(t) > 1 && ends_inside(cols(t) * size(t), REPEAT) && cols(t) * size(t) > REPEAT)
        },
    ),
];
pub(super) const TSCATTER: &[Hazard] = &[
    writes_early("dst", "src").on(Targets::DEVICES),
    writes_early("dst", "indexes").on(Targets::DEVICES),
    fault("clears the elements that no index names").on(Targets::DEVICES).when("index form", by_index),
    WIDE,
    EVENT_0,
];
pub(super) const THISTOGRAM: &[Hazard] = &[fault("takes rows of dst to have 256 columns")
    .on(Targets::A5)
    .when("several rows of other columns", |i| i.tile("dst").is_some_and(|t| rows(t) > 1 && t.cols != 256))];
pub(super) const TSORT32: &[Hazard] = &[
    writes_early("dst", "src").on(Targets::DEVICES),
    fault("writes 32 records, 256 bytes, for every 32 elements of a row, also past the end of dst")
        .on(Targets::DEVICES)
        .when("dst has no room for them in its last row", |i| {
            let (Some(s), Some(d)) = (i.tile("src"), i.tile("dst")) else { return false };
            let records = cols(s).div_ceil(SORTED) * SORTED * RECORD;
            rows(d).saturating_sub(1) * row_bytes(d) + records > d.bytes()
        }),
];
pub(super) const TMRGSORT: &[Hazard] = &[
    writes_early("dst", "src0").on(Targets::DEVICES).when("block form", |i| i.given("block_len")),
    EVENT_0.on(Targets::DEVICES).when("exhausted", |i| is_flag(i, "exhausted")),
];
pub(super) const TCI: &[Hazard] = &[
    fault("gives the negative of start + i").when("tmp and descending, unless start is 0", |i| {
        i.given("tmp") && is_flag(i, "descending") && i.value("start") != Some(0)
    }),
    fault("leaves the mask of the vector unit changed: the next vector instruction computes a part of its elements")
        .when("tmp, and rows of less than 256 bytes, not whole, or descending", |i| {
            let Some(d) = i.tile("dst").filter(|_| i.given("tmp")) else { return false };
            let bytes = cols(d) * size(d);
            bytes < REPEAT || ends_inside(bytes, REPEAT) || is_flag(i, "descending")
        }),
    fault("writes 2560 bytes of tmp, and tmp is shorter")
        .when("4-byte elements, 64 columns and more", |i| i.given("tmp") && short_scratch(i, sequence_written)),
    limit("stores on the scalar pipe without a flag before or after it")
        .on(Targets::DEVICES)
        .when("without tmp", |i| !i.given("tmp")),
];
/// What the vector form writes of its scratch tile.
pub(super) fn sequence_written(i: &Instance) -> Option<u64> {
    let dst = i.tile("dst").filter(|_| i.target == crate::Target::A2A3)?;
    (size(dst) == 4 && cols(dst) >= 64).then_some(2560)
}
pub(super) const TTRI: &[Hazard] = &[
    fault("writes past the columns of dst").on(Targets::A5).when("more rows and diagonal than columns", |i| {
        i.tile("dst").is_some_and(|t| rows(t) as i64 + i.value("diagonal").unwrap_or(0) > t.cols as i64)
    }),
    WIDE,
];
pub(super) const TRANDOM: &[Hazard] = &[limit("starts rows at counters that earlier rows have used").on(Targets::A5)];

// ---- pipes, signals, configuration --------------------------------------------------------------------------------

pub(super) const RING: &[Hazard] = &[fault("fills slots again before they are known to be free").when(
    "an odd number of slots from 5 on",
    |i| matches!(i.attr("slot_num"), Some(AttrValue::Int(n)) if n >= 5 && n % 2 == 1),
)];
pub(super) const TNOTIFY: &[Hazard] =
    &[limit("does not wait for stores that are under way: order them before").on(Targets::DEVICES)];
pub(super) const TRANSFER: &[Hazard] = &[
    limit("sets and waits for events 0 and 1 between PIPE_MTE2 and PIPE_MTE3").on(Targets::DEVICES),
    limit("orders nothing on the scalar pipe: a signal may overtake the data").on(Targets::DEVICES),
];
pub(super) const SET_QUANT_SCALAR: &[Hazard] =
    &[limit("sets all upper bits of the register for a negative scale").on(Targets::DEVICES)];
pub(super) const SYNCALL: &[Hazard] = &[limit("uses signals 11 to 14 between cores").on(Targets::DEVICES)];
