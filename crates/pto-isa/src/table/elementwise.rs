//! Elementwise instructions on whole tiles.
//!
//! The iteration domain is the valid region of `dst`, and the sources have the same one. Elements of `dst`
//! outside it keep what they held. Element types follow the device headers; where the public assembler
//! disagrees, the row's notes say so.

use crate::text;
use super::hazards;
use crate::Target::{A2A3, A5, Cpu};
use crate::codes;
use crate::enums::{self, EnumDef};
use crate::row::{Aliasing, AttrKind, AttrSpec, Combine, CostClass, DocumentedCost, Domain, From, Infer, SlotKind, Orders, Row, Scratch, Slot, When, form, opt_attr, region};
use crate::rules::{Broken, Instance, Rule, Verdict};
use crate::shape::{BINARY, BINARY_SCRATCH, UNARY, scratch, tile_in, tile_inout, tile_out, value_in, vec_in, vec_out};
use crate::{BLOCK_BYTES, DType, DType::*, DTypes, Dim, Targets, TileType};

/// Arithmetic on A2/A3.
pub(super) const ARITH_A2A3: &[DType] = &[I32, I16, F16, F32];
/// Arithmetic on A5, all widths.
pub(super) const ARITH_A5: &[DType] = &[I8, U8, I16, U16, I32, U32, I64, U64, F16, Bf16, F32];
/// Multiplication on A5: no 8-bit elements.
pub(super) const MUL_A5: &[DType] = &[I16, U16, I32, U32, I64, U64, F16, Bf16, F32];
/// Division and remainder on A5.
pub(super) const DIV_A5: &[DType] = &[I16, U16, I32, U32, I64, U64, F16, F32];
/// Truncated remainder on A5.
pub(super) const FMOD_A5: &[DType] = &[I16, U16, I32, U32, F16, F32];
/// The floating-point types of the vector unit's special functions.
pub(super) const FLOATS: &[DType] = &[F16, F32];
/// Integers up to 32 bits: the bitwise instructions.
pub(super) const BITS: &[DType] = &[I8, U8, I16, U16, I32, U32];
/// All whole-byte integers: shifts on A5, and integer instructions on the host.
pub(super) const INTS: &[DType] = &[I8, U8, I16, U16, I32, U32, I64, U64];
/// Powers on A2/A3.
pub(super) const POW_A2A3: &[DType] = &[I8, U8, I16, U16, I32, U32, F32];
/// Powers on A5, of both accuracies together.
pub(super) const POW_A5: &[DType] = &[I8, U8, I16, U16, I32, U32, F16, Bf16, F32];
/// Selection on A2/A3: elements of two and four bytes.
pub(super) const SELECT_A2A3: &[DType] = &[I16, U16, F16, Bf16, I32, U32, F32];

/// Figures the pages of the two-operand arithmetic print for A2/A3.
const BINARY_FIGURES: DocumentedCost =
    DocumentedCost { startup: 14, completion_fp: 19, completion_int: 17, per_repeat: 2, interval: 18 };

/// Figures the page of the product prints for A2/A3.
const PRODUCT_FIGURES: DocumentedCost = DocumentedCost { completion_fp: 20, completion_int: 18, ..BINARY_FIGURES };

/// Figures of the pages of one-operand instructions for A2/A3; they do not distinguish integers.
const UNARY_FIGURES: DocumentedCost =
    DocumentedCost { startup: 13, completion_fp: 26, completion_int: 26, per_repeat: 1, interval: 18 };

const TERNARY: Row = BINARY
    .slots(&[vec_in("src0"), vec_in("src1"), vec_in("src2"), vec_out("dst").infer(Infer::Like("src0"))])
    .shape_rules(&[(Targets::ALL, Rule::SameValid(&["src0", "src1", "src2", "dst"]))]);

/// `dst` is read and written.
const ACCUMULATE: Row = BINARY.slots(&[vec_in("src0"), vec_in("src1"), data_inout("dst")]);

const fn data_inout(name: &'static str) -> Slot {
    tile_inout(name).vec().order(Orders::ROW_MAJOR).data()
}

/// `dst` has a narrower element type than the sources.
const NARROWING: Row = BINARY
    .slots(&[
        tile_in("src0").vec().order(Orders::ROW_MAJOR),
        tile_in("src1").vec().order(Orders::ROW_MAJOR).like("src0"),
        tile_out("dst").vec().order(Orders::ROW_MAJOR),
    ])
    .alias(Aliasing::None);

const NARROWING_TYPES: &[&[DType]] = &[&[F32, F16], &[F16, I8], &[I16, I8]];

const NARROWING_RULES: &[(Targets, Rule)] = &[(Targets::ALL, Rule::Elems(&["src0", "dst"], NARROWING_TYPES))];

/// A mask that is read: one bit per element, least significant first, in rows of whole bytes.
pub(super) const fn mask_in(name: &'static str) -> Slot {
    tile_in(name).vec()
}

/// A mask that is written; devices pack it regardless of its element type.
pub(super) const fn mask_out(name: &'static str, of: &'static str) -> Slot {
    tile_out(name).vec().infer(Infer::MaskFor(of))
}

/// Element types of a mask on A2/A3.
pub(super) const MASK_A2A3: DTypes = DTypes::of(&[U8, I8]);
/// Element types of a mask elsewhere.
pub(super) const MASK_ANY: DTypes = DTypes::of(INTS);

// Attribute lists are constants of their own: a list that refers to an enumeration lives only as long as the
// expression it stands in.

/// Which comparison a mask holds.
pub(super) const COMPARISON: &[AttrSpec] =
    &[opt_attr("cmpMode", AttrKind::Enum(&enums::CMP), "eq", "which comparison")];

const CONVERSION: &[AttrSpec] = &[
    opt_attr("rmode", AttrKind::Enum(&enums::ROUND_MODE), "CAST_RINT", "how to round"),
    opt_attr("sat_mode", AttrKind::Enum(&enums::SATURATION_MODE), "", "saturate or wrap when out of range")
        .alias(&["satmode", "satMode"]),
];

/// Accuracy of a division.
pub(super) const DIV_PRECISION: &[AttrSpec] = &[precision(&enums::DIV_PRECISION)];
/// Accuracy of a power.
pub(super) const POW_PRECISION: &[AttrSpec] = &[precision(&enums::POW_PRECISION)];
const EXP_PRECISION: &[AttrSpec] = &[precision(&enums::EXP_PRECISION)];
const LOG_PRECISION: &[AttrSpec] = &[precision(&enums::LOG_PRECISION)];
const SQRT_PRECISION: &[AttrSpec] = &[precision(&enums::SQRT_PRECISION)];
const RSQRT_PRECISION: &[AttrSpec] = &[precision(&enums::RSQRT_PRECISION)];
const RECIP_PRECISION: &[AttrSpec] = &[precision(&enums::RECIP_PRECISION)];
const REM_PRECISION: &[AttrSpec] = &[precision(&enums::REM_PRECISION)];
const FMOD_PRECISION: &[AttrSpec] = &[precision(&enums::FMOD_PRECISION)];

/// The accuracy of a special function. One public corpus spells it `precision_mode`.
const fn precision(of: &'static EnumDef) -> AttrSpec {
    opt_attr("precisionType", AttrKind::Enum(of), "default", "accuracy; only A5 has a second algorithm")
        .alias(&["precision_mode"])
}

/// Bytes of `dst`, for scratch tiles that hold a copy of it on A2/A3.
pub(super) fn as_large_as_dst(i: &Instance) -> Option<u64> {
    if i.target != A2A3 {
        return None;
    }
    i.tile("dst").map(TileType::bytes)
}

/// One block, on the target that works in it.
fn one_block(i: &Instance) -> Option<u64> {
    (i.target == A2A3).then_some(BLOCK_BYTES)
}

/// The comparison mask of one repeat: 64 four-byte or 128 two-byte elements.
fn repeat_mask(i: &Instance) -> Option<u64> {
    if i.target != A2A3 {
        return None;
    }
    Some(if i.tile("dst")?.dtype.bits() == 16 { 16 } else { 8 })
}

/// A row of `dst` and the comparison mask after it.
fn remainder_scratch(i: &Instance) -> Option<u64> {
    if i.target != A2A3 {
        return None;
    }
    let dst = i.tile("dst")?;
    let elements = dst.cols.saturating_add(2 * dst.cols.div_ceil(64));
    Some(elements.saturating_mul(u64::from(dst.dtype.unit_bytes())))
}

/// A packed mask row for each row of `dst`, and one row more.
fn prelu_scratch(i: &Instance) -> Option<u64> {
    if i.target != A2A3 {
        return None;
    }
    let dst = i.tile("dst")?;
    let row = dst.valid_cols.fixed()?.div_ceil(8).next_multiple_of(BLOCK_BYTES).max(BLOCK_BYTES);
    Some(dst.valid_rows.fixed()?.saturating_add(1).saturating_mul(row))
}

fn prelu_mask_fits(i: &Instance) -> Verdict {
    let (Some(tmp), Some(dst)) = (i.tile("tmp"), i.tile("dst")) else { return Verdict::Holds };
    let rows = dst.valid_rows.fixed().map(|r| r.saturating_add(1));
    let bytes = dst.valid_cols.fixed().map(|c| c.div_ceil(8));
    match (rows, bytes, tmp.valid_cols.fixed()) {
        (Some(rows), ..) if tmp.rows < rows => too_small(i, text!("`tmp` has {rows} rows", rows = tmp.rows), rows, "rows"),
        (_, Some(bytes), Some(cols)) if cols < bytes => {
            too_small(i, text!("`tmp` has {cols} valid columns", cols), bytes, text!("valid columns"))
        }
        (Some(_), Some(_), Some(_)) => Verdict::Holds,
        _ => Verdict::Dynamic,
    }
}

/// `tmp` has at least the valid columns of `dst`.
pub(super) fn scratch_covers_columns(i: &Instance) -> Verdict {
    let (Some(tmp), Some(dst)) = (i.tile("tmp"), i.tile("dst")) else { return Verdict::Holds };
    match (tmp.valid_cols, dst.valid_cols) {
        (Dim::Fixed(have), Dim::Fixed(need)) if have < need => {
            too_small(i, text!("`tmp` has {have} valid columns", have), need, text!("valid columns"))
        }
        (Dim::Fixed(_), Dim::Fixed(_)) => Verdict::Holds,
        _ => Verdict::Dynamic,
    }
}

fn too_small(i: &Instance, found: String, need: u64, what: &str) -> Verdict {
    Verdict::Broken(Broken::new(codes::SCRATCH, vec![i.at("tmp")], found, text!("at least {need} {what}", need, what)))
}

fn high_precision(i: &Instance) -> bool {
    i.attr_name("precisionType") == Some("high_precision")
}

/// The accurate reciprocal root divides, and keeps the dividend in a scratch tile.
fn accurate_root_has_scratch(i: &Instance) -> Verdict {
    Verdict::require(!high_precision(i) || i.given("tmp"), || {
        Broken::new(
            codes::COMBINATION,
            vec![i.at("tmp")],
            "`high_precision` without `tmp`",
            text!("a scratch tile, or `default`"),
        )
    })
}

const POW_SCRATCH_RULE: &str = "floating point on A2/A3: element type and valid region of `dst`; integers: none";

/// Only floating-point powers have a scratch tile, and on A2/A3 they need it.
fn power_scratch(i: &Instance) -> Verdict {
    let Some(dst) = i.tile("dst") else { return Verdict::Holds };
    let found = match (dst.dtype.is_float(), i.given("tmp")) {
        (false, true) => text!("`tmp` with integers"),
        (true, false) if i.manual && i.target == A2A3 => text!("no scratch tile `tmp`"),
        _ => return Verdict::Holds,
    };
    Verdict::Broken(Broken::new(codes::SCRATCH, vec![i.at("tmp")], found, POW_SCRATCH_RULE))
}

/// The accurate power is for floating point on A5; only it takes bf16 there.
fn power_precision(i: &Instance) -> Verdict {
    let Some(dst) = i.tile("dst") else { return Verdict::Holds };
    let slots = vec![i.at("dst")];
    match (i.target, high_precision(i)) {
        (A2A3, true) => {
            let found = "`precisionType` is `high_precision`";
            Verdict::Broken(Broken::new(codes::ATTRIBUTE_VALUE, slots, found, "`default` on a2a3"))
        }
        (A5, true) => Verdict::require(dst.dtype.is_float(), || {
            let found = text!("`high_precision` with {dtype}", dtype = dst.dtype);
            Broken::new(codes::COMBINATION, slots, found, "f16, bf16 or f32")
        }),
        (A5, false) => Verdict::require(dst.dtype != Bf16, || {
            Broken::new(codes::COMBINATION, slots, text!("bf16 with the default precision"), "`high_precision` for bf16")
        }),
        _ => Verdict::Holds,
    }
}

/// What the two powers share.
pub(super) const POW_RULES: &[(Targets, Rule)] = &[
    (Targets::A2A3, Rule::SameElem(&["tmp", "dst"])),
    (Targets::A2A3, Rule::Orders(&["tmp"], Orders::ROW_MAJOR)),
    (Targets::A2A3, Rule::SameValid(&["tmp", "dst"])),
    (Targets::DEVICES, Rule::Named("tmp: for floating point only", power_scratch)),
    (
        Targets::DEVICES,
        Rule::Named("precisionType: high_precision on A5 only, for f16, bf16, f32; bf16 needs it", power_precision),
    ),
];

/// The scratch tile of the two powers. It depends on the element type, so a rule requires it.
pub(super) const POW_SCRATCH: Scratch = Scratch {
    slot: "tmp",
    required: Targets::NONE,
    forbidden: Targets::NONE,
    ignored: Targets::A5,
    rule: POW_SCRATCH_RULE,
    bytes: None,
    written: None,
};

/// A scratch tile that A2/A3 works in and the others ignore.
pub(super) const fn a2a3_scratch(rule: &'static str, bytes: Option<fn(&Instance) -> Option<u64>>) -> Scratch {
    Scratch { slot: "tmp", required: Targets::A2A3, forbidden: Targets::NONE, ignored: Targets::NONE, rule, bytes, written: None }
}

const A2A3_CONVERSIONS: &[&[DType]] = &[
    &[F32, F32],
    &[F32, F16],
    &[F32, Bf16],
    &[F32, I64],
    &[F32, I32],
    &[F32, I16],
    &[F16, F32],
    &[F16, I32],
    &[F16, I16],
    &[F16, I8],
    &[F16, U8],
    &[F16, I4],
    &[Bf16, F32],
    &[Bf16, I32],
    &[I64, F32],
    &[I64, I32],
    &[I32, F32],
    &[I32, F16],
    &[I32, I64],
    &[I32, I16],
    &[I16, F32],
    &[I16, F16],
    &[I8, F16],
    &[U8, F16],
    &[I4, F16],
];

const A5_CONVERSIONS: &[&[DType]] = &[
    &[F32, F32],
    &[F32, F16],
    &[F32, Bf16],
    &[F32, I64],
    &[F32, I32],
    &[F32, I16],
    &[F32, F8E4M3],
    &[F32, F8E5M2],
    &[F32, Hif8],
    &[F16, F32],
    &[F16, I32],
    &[F16, I16],
    &[F16, I8],
    &[F16, U8],
    &[F16, Hif8],
    &[Bf16, F32],
    &[Bf16, F16],
    &[Bf16, I32],
    &[Bf16, F4E1M2],
    &[Bf16, F4E2M1],
    &[I64, F32],
    &[I64, I32],
    &[I32, F32],
    &[I32, I64],
    &[I32, I16],
    &[I32, U8],
    &[I32, U16],
    &[U32, I16],
    &[U32, U8],
    &[U32, U16],
    &[I16, F32],
    &[I16, F16],
    &[I16, I32],
    &[I16, U32],
    &[I16, U8],
    &[I8, F16],
    &[I8, I32],
    &[I8, I16],
    &[U8, F16],
    &[U8, U16],
    &[F8E4M3, F32],
    &[F8E5M2, F32],
    &[Hif8, F32],
    &[F4E1M2, Bf16],
    &[F4E2M1, Bf16],
];

/// Valid columns in numbers: a column of an fp4 tile is a pair.
fn numbers_per_row(t: &TileType) -> Option<u64> {
    let per_column = if matches!(t.dtype, F4E1M2 | F4E2M1) { 2 } else { 1 };
    t.valid_cols.fixed().map(|c| c.saturating_mul(per_column))
}

fn same_numbers_per_row(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src"), i.tile("dst")) else { return Verdict::Holds };
    let (Some(have), Some(got)) = (numbers_per_row(src), numbers_per_row(dst)) else { return Verdict::Dynamic };
    Verdict::require(have == got, || {
        let found = text!("`dst` has valid columns for {got} numbers, `src` has {have}", got, have);
        let legal = text!("equal valid columns; half as many in an fp4 tile, whose columns are pairs");
        Broken::new(codes::VALID_REGION, vec![i.at("dst"), i.at("src")], found, legal)
    })
}

/// A2/A3 narrows through `tmp` when asked to wrap: the element types for which it does.
fn wraps_through_scratch<'a>(i: &Instance<'a>) -> Option<(&'a TileType, &'a TileType)> {
    let off = i.attr("sat_mode").and_then(|v| v.enum_name()) == Some("OFF");
    let (src, dst) = (i.tile("src")?, i.tile("dst")?);
    let narrows = matches!((src.dtype, dst.dtype), (F32 | F16, I16) | (F16, I8));
    (i.target == A2A3 && off && narrows).then_some((src, dst))
}

fn conversion_scratch(i: &Instance) -> Option<u64> {
    let (src, dst) = wraps_through_scratch(i)?;
    let (rows, cols) = (dst.valid_rows.fixed()?, dst.valid_cols.fixed()?);
    if rows == 0 || cols == 0 {
        return None;
    }
    let chunk = cols.min(64);
    let blocks = match (src.dtype, dst.dtype) {
        (F32, _) => {
            let tail = rows.min(255).saturating_sub(1) * (src.cols / 8) + (cols % 64).div_ceil(8);
            (8 * (cols / 64).min(255)).max(if cols % 64 == 0 { 0 } else { tail })
        }
        (_, I8) => chunk.div_ceil(8).max(4 + chunk.div_ceil(16)),
        _ => chunk.div_ceil(8),
    };
    Some(blocks * BLOCK_BYTES)
}

fn wrapping_has_scratch(i: &Instance) -> Verdict {
    let missing = i.manual && !i.given("tmp") && wraps_through_scratch(i).is_some();
    Verdict::require(!missing, || {
        let legal = text!("a scratch tile, or saturation left on");
        Broken::new(codes::SCRATCH, vec![i.at("tmp")], text!("wrapping conversion without `tmp`"), legal)
    })
}

family! { Elementwise, "pto", elementwise;
    /// Elementwise sum of two tiles.
    ///
    /// `dst[i,j] = src0[i,j] + src1[i,j]` over the valid region of `dst`. Integers wrap modulo 2 to the
    /// width; floating point rounds to nearest even.
    tadd: BINARY.combines(Combine::Add)
        .hazards(hazards::WIDE_BINARY)
        .types(A2A3, ARITH_A2A3)
        .types(A5, ARITH_A5)
        .any_number_on_cpu()
        .documented(BINARY_FIGURES)
        .cpp("TADD")
        .page("docs/isa/TADD.md")
        .notes(&["The public assembler does not take 64-bit integers on A5, although the header does."])
        .bytecode(0x1007, 3);

    /// Elementwise difference of two tiles.
    ///
    /// `dst[i,j] = src0[i,j] - src1[i,j]` over the valid region of `dst`. Integers wrap modulo 2 to the
    /// width; floating point rounds to nearest even.
    tsub: BINARY
        .hazards(hazards::WIDE_BINARY)
        .types(A2A3, ARITH_A2A3)
        .types(A5, ARITH_A5)
        .any_number_on_cpu()
        .documented(BINARY_FIGURES)
        .cpp("TSUB")
        .page("docs/isa/TSUB.md")
        .notes(&["The public assembler takes neither bf16 nor 64-bit integers on A5, although the header does."])
        .bytecode(0x1067, 3);

    /// Elementwise product of two tiles.
    ///
    /// `dst[i,j] = src0[i,j] * src1[i,j]` over the valid region of `dst`. Integers keep the low half of the
    /// product; floating point rounds to nearest even. There is no 8-bit product on a device.
    tmul: BINARY
        .hazards(hazards::WIDE_BINARY)
        .types(A2A3, ARITH_A2A3)
        .types(A5, MUL_A5)
        .any_number_on_cpu()
        .documented(PRODUCT_FIGURES)
        .cpp("TMUL")
        .page("docs/isa/TMUL.md")
        .notes(&["The public assembler takes neither bf16 nor 64-bit integers on A5, although the header does."])
        .bytecode(0x103B, 3);

    /// Elementwise quotient of two tiles.
    ///
    /// `dst[i,j] = src0[i,j] / src1[i,j]` over the valid region of `dst`. Floating point: `x/0` is an infinity
    /// with the sign of the quotient, `0/0` is NaN. Integers (A5 only) truncate towards zero.
    tdiv: BINARY
        .hazards(hazards::WIDE_ROWS)
        .types(A2A3, FLOATS)
        .types(A5, DIV_A5)
        .any_number_on_cpu()
        .attrs(DIV_PRECISION)
        .documented(BINARY_FIGURES)
        .cpp("TDIV")
        .cpp_templates(&["precisionType"])
        .page("docs/isa/TDIV.md")
        .notes(&[
            "An integer divided by zero is not documented on A5; the 64-bit software division gives 0.",
            "high_precision is ignored on A2/A3.",
        ])
        .bytecode(0x101D, 3);

    /// Elementwise maximum of two tiles.
    ///
    /// `dst[i,j] = max(src0[i,j], src1[i,j])` over the valid region of `dst`.
    tmax: BINARY.combines(Combine::Max)
        .types(A2A3, &[I32, I16, F16, F32])
        .types(A5, &[U32, I32, U16, I16, U8, I8, F32, F16])
        .any_number_on_cpu()
        .documented(BINARY_FIGURES)
        .cpp("TMAX")
        .page("docs/isa/TMAX.md")
        .decided(&[
            "NaN: a NaN in either operand gives NaN, and `max(+0, -0)` is +0. Public sources differ, so a \
             program for devices should not depend on it.",
            "Valid regions: the page assumes that they fit and asks for equal ones at run time. Here regions that differ are \
             an error, in the checks if they are known there, else when the program runs.",
        ])
        .notes(&[
            "NaN: the vector unit's page says that a NaN operand gives NaN; the formal specification drops it; \
             the public simulator keeps src0 unless src1 is larger.",
            "The A5 header also compiles for bf16 and 64-bit integers, which the page does not list.",
        ])
        .bytecode(0x1034, 3);

    /// Elementwise minimum of two tiles.
    ///
    /// `dst[i,j] = min(src0[i,j], src1[i,j])` over the valid region of `dst`.
    tmin: BINARY.combines(Combine::Min)
        .types(A2A3, &[I32, I16, F16, F32])
        .types(A5, &[U32, I32, U16, I16, U8, I8, F32, F16])
        .any_number_on_cpu()
        .documented(BINARY_FIGURES)
        .cpp("TMIN")
        .page("docs/isa/TMIN.md")
        .decided(&[
            "NaN: a NaN in either operand gives NaN, and `min(+0, -0)` is -0. Public sources differ, so a \
             program for devices should not depend on it.",
            "Valid regions: the page assumes that they fit and asks for equal ones at run time. Here regions that differ are \
             an error, in the checks if they are known there, else when the program runs.",
        ])
        .notes(&[
            "NaN: the vector unit's page says that a NaN operand gives NaN; the formal specification drops it; \
             the public simulator keeps src0 unless src1 is smaller.",
            "The A5 header also compiles for bf16 and 64-bit integers, which the page does not list.",
        ])
        .bytecode(0x1036, 3);

    /// Absolute value of each element.
    ///
    /// `dst[i,j] = |src[i,j]|`. The most negative integer stays as it is. Signed zero and the sign of a NaN
    /// differ between sources.
    tabs: UNARY
        .hazards(hazards::UNARY)
        .types(A2A3, FLOATS)
        .types(A5, &[I8, I16, I32, F16, F32])
        .types(Cpu, &[I8, I16, I32, F16, Bf16, F32])
        .documented(UNARY_FIGURES)
        .cpp("TABS")
        .page("docs/isa/TABS.md")
        .notes(&["The public assembler takes only f16 and f32, also on A5."])
        .bytecode(0x1006, 2);

    /// Natural exponential of each element.
    ///
    /// `dst[i,j] = exp(src[i,j])`; overflow gives infinity. The accuracy of the device's default algorithm is
    /// not stated anywhere.
    texp: UNARY
        .hazards(hazards::UNARY)
        .types(A2A3, FLOATS)
        .types(A5, FLOATS)
        .types(Cpu, &[F16, Bf16, F32])
        .attrs(EXP_PRECISION)
        .cost(CostClass::VectorMath)
        .documented(DocumentedCost { per_repeat: 2, ..UNARY_FIGURES })
        .cpp("TEXP")
        .cpp_templates(&["precisionType"])
        .page("docs/isa/TEXP.md")
        .notes(&[
            "The documented figures are those of f32; the page prints completion 28 and 4 cycles per repeat for f16.",
            "high_precision is ignored on A2/A3.",
        ])
        .bytecode(0x101F, 2);

    /// Natural logarithm of each element.
    ///
    /// `dst[i,j] = ln(src[i,j])`. The documentation leaves zero and negative inputs to the target; the public
    /// simulator gives minus infinity and NaN.
    tlog: UNARY
        .hazards(hazards::UNARY)
        .types(A2A3, FLOATS)
        .types(A5, FLOATS)
        .types(Cpu, &[F16, Bf16, F32])
        .attrs(LOG_PRECISION)
        .cost(CostClass::VectorMath)
        .documented(UNARY_FIGURES)
        .cpp("TLOG")
        .cpp_templates(&["precisionType"])
        .page("docs/isa/TLOG.md")
        .notes(&["high_precision is ignored on A2/A3."])
        .bytecode(0x1030, 2);

    /// Square root of each element.
    ///
    /// `dst[i,j] = sqrt(src[i,j])`. A negative input gives NaN in the public simulator; the documentation
    /// leaves it to the target.
    tsqrt: UNARY
        .hazards(hazards::UNARY)
        .types(A2A3, FLOATS)
        .types(A5, FLOATS)
        .types(Cpu, &[F16, Bf16, F32])
        .attrs(SQRT_PRECISION)
        .cost(CostClass::VectorMath)
        .documented(UNARY_FIGURES)
        .cpp("TSQRT")
        .cpp_templates(&["precisionType"])
        .page("docs/isa/TSQRT.md")
        .notes(&["high_precision is ignored on A2/A3."])
        .bytecode(0x1064, 2);

    /// Reciprocal square root of each element.
    ///
    /// `dst[i,j] = 1 / sqrt(src[i,j])`. Positive zero gives infinity, a negative input NaN.
    ///
    /// On A2/A3 the form without `tmp` is the approximate instruction; with `tmp` it is a square root and a
    /// division. A5 always computes the latter and ignores `tmp`.
    trsqrt: UNARY
        .hazards(hazards::UNARY)
        .generic_order(&["src", "dst", "tmp"])
        .slots(&[vec_in("src"), scratch("tmp"), vec_out("dst").infer(Infer::Like("src"))])
        .types(A2A3, FLOATS)
        .types(A5, FLOATS)
        .attrs(RSQRT_PRECISION)
        .rules(&[(Targets::DEVICES, Rule::Named("high_precision: only with tmp", accurate_root_has_scratch))])
        .scratch(Scratch {
            slot: "tmp",
            required: Targets::NONE,
            forbidden: Targets::NONE,
            ignored: Targets::A5,
            rule: "at least 32 bytes of the data's element type, apart from src and dst",
            bytes: Some(one_block),
            written: None,
        })
        .cost(CostClass::VectorMath)
        .cpp("TRSQRT")
        .cpp_templates(&["precisionType"])
        .page("docs/isa/TRSQRT.md")
        .notes(&["The page describes the form without tmp as a root and a division; the A2/A3 header approximates."])
        .bytecode_counted(0x1055);

    /// Reciprocal of each element.
    ///
    /// `dst[i,j] = 1 / src[i,j]`, with the rules of `tdivs` for a scalar 1. Integers truncate: 1, -1, or 0.
    /// On A2/A3 `dst` is filled with ones first, so it must not be `src`.
    trecip: UNARY
        .hazards(hazards::TRECIP)
        .types(A2A3, ARITH_A2A3)
        .types(A5, DIV_A5)
        .any_number_on_cpu()
        .attrs(RECIP_PRECISION)
        .alias(Aliasing::Distinct(Targets::A2A3))
        .cost(CostClass::VectorMath)
        .documented(UNARY_FIGURES)
        .cpp("TRECIP")
        .cpp_templates(&["precisionType"])
        .page("docs/isa/TRECIP.md")
        .notes(&[
            "The public assembler takes only f16 and f32; the headers also take integers, one at a time on A2/A3.",
            "high_precision is ignored on A2/A3.",
        ])
        .bytecode(0x1048, 2);

    /// Negation of each element.
    ///
    /// `dst[i,j] = -src[i,j]`; integers wrap, so the most negative one stays. Devices multiply by -1, so the
    /// sign of a NaN is not defined.
    tneg: UNARY
        .hazards(hazards::WIDE_ROWS)
        .types(A2A3, ARITH_A2A3)
        .types(A5, MUL_A5)
        .any_number_on_cpu()
        .documented(UNARY_FIGURES)
        .cpp("TNEG")
        .page("docs/isa/TNEG.md")
        .notes(&["The public assembler takes i8 on A5, which the header rejects."])
        .bytecode(0x103D, 2);

    /// Bitwise complement of each element.
    ///
    /// `dst[i,j] = ~src[i,j]`.
    ///
    /// A2/A3 works on 16-bit lanes: with 8-bit elements and an odd number of valid columns it also inverts
    /// the byte behind each row.
    tnot: UNARY
        .hazards(hazards::UNARY)
        .types(A2A3, BITS)
        .types(A5, BITS)
        .types(Cpu, INTS)
        .documented(UNARY_FIGURES)
        .cpp("TNOT")
        .page("docs/isa/TNOT.md")
        .notes(&["The public assembler takes only 16-bit elements on A2/A3; the header takes 8, 16 and 32 bits."])
        .bytecode(0x103E, 2);

    /// Bitwise and of two tiles.
    ///
    /// `dst[i,j] = src0[i,j] & src1[i,j]`.
    ///
    /// A2/A3 works on 16-bit lanes: with 8-bit elements and an odd number of valid columns it also writes the
    /// byte behind each row.
    tand: BINARY
        .types(A2A3, BITS)
        .types(A5, BITS)
        .types(Cpu, INTS)
        .documented(BINARY_FIGURES)
        .cpp("TAND")
        .page("docs/isa/TAND.md")
        .notes(&["Version 0.27 of the public assembler takes no 32-bit elements on A2/A3; 0.60 and the header do."])
        .bytecode(0x100B, 3);

    /// Bitwise or of two tiles.
    ///
    /// `dst[i,j] = src0[i,j] | src1[i,j]`.
    ///
    /// A2/A3 works on 16-bit lanes: with 8-bit elements and an odd number of valid columns it also writes the
    /// byte behind each row.
    tor: BINARY
        .types(A2A3, BITS)
        .types(A5, BITS)
        .types(Cpu, INTS)
        .documented(BINARY_FIGURES)
        .cpp("TOR")
        .page("docs/isa/TOR.md")
        .notes(&["Version 0.27 of the public assembler takes no 32-bit elements on A2/A3; 0.60 and the header do."])
        .bytecode(0x103F, 3);

    /// Bitwise exclusive or of two tiles.
    ///
    /// `dst[i,j] = src0[i,j] ^ src1[i,j]`.
    ///
    /// A2/A3 has no such instruction and builds it from or, and, not with `tmp`; `dst`, the sources and `tmp`
    /// must be different memory there. A5 ignores `tmp`.
    txor: BINARY_SCRATCH
        .types(A2A3, BITS)
        .types(A5, BITS)
        .types(Cpu, INTS)
        .rules(&[
            (Targets::A2A3, Rule::SameElem(&["tmp", "dst"])),
            (Targets::A2A3, Rule::Orders(&["tmp"], Orders::ROW_MAJOR)),
            (Targets::A2A3, Rule::SameValid(&["tmp", "dst"])),
        ])
        .scratch(a2a3_scratch("element type and valid region of dst", None))
        .alias(Aliasing::Distinct(Targets::A2A3))
        .cpp("TXOR")
        .page("docs/isa/TXOR.md")
        .notes(&[
            "The page writes the instruction without tmp; version 0.27 of the public assembler demands it.",
            "Version 0.27 of the public assembler takes no 32-bit elements on A2/A3; 0.60 and the header do.",
        ])
        .cpp_scratch("dst")
        .bytecode(0x106E, 4);

    /// Shift left by a count per element.
    ///
    /// `dst[i,j] = src0[i,j] << src1[i,j]`; zeros come in from the right. A count that is negative or not
    /// below the width of the element has no defined result. A2/A3 computes one element at a time.
    tshl: BINARY
        .hazards(hazards::SHIFT_LEFT)
        .types(A2A3, BITS)
        .types(A5, INTS)
        .documented(BINARY_FIGURES)
        .cpp("TSHL")
        .page("docs/isa/TSHL.md")
        .notes(&["The formal specification uses only the low bits of the count; the C++ rules apply elsewhere."])
        .bytecode(0x105F, 3);

    /// Shift right by a count per element.
    ///
    /// `dst[i,j] = src0[i,j] >> src1[i,j]`: arithmetic for signed elements, logical for unsigned ones. A count
    /// that is negative or not below the width of the element has no defined result. A2/A3 computes one
    /// element at a time.
    tshr: BINARY
        .hazards(hazards::SHIFT_RIGHT)
        .types(A2A3, BITS)
        .types(A5, INTS)
        .documented(BINARY_FIGURES)
        .cpp("TSHR")
        .page("docs/isa/TSHR.md")
        .notes(&["The formal specification uses only the low bits of the count; the C++ rules apply elsewhere."])
        .bytecode(0x1061, 3);

    /// Remainder with the sign of the divisor.
    ///
    /// `dst[i,j] = src0[i,j] - floor(src0[i,j] / src1[i,j]) * src1[i,j]`: -7 rem 3 is 2, 7 rem -3 is -2.
    /// A zero divisor has no defined result.
    ///
    /// A2/A3 needs `tmp`, and `dst` must differ from both sources there; A5 ignores `tmp`.
    trem: BINARY_SCRATCH
        .hazards(hazards::TREM)
        .types(A2A3, &[I32, F32])
        .types(A5, DIV_A5)
        .any_number_on_cpu()
        .attrs(REM_PRECISION)
        .rules(&[
            (Targets::A2A3, Rule::SameElem(&["tmp", "dst"])),
            (Targets::A2A3, Rule::Orders(&["tmp"], Orders::ROW_MAJOR)),
            (Targets::A2A3, Rule::NonEmpty(&["tmp"])),
            (Targets::A2A3, Rule::Named("tmp: at least the valid columns of dst", scratch_covers_columns)),
        ])
        .scratch(a2a3_scratch(
            "element type of dst; cols(dst) + 2 * ceil(cols(dst) / 64) elements, which two rows of dst hold",
            Some(remainder_scratch),
        ).writes(hazards::remainder_written))
        .alias(Aliasing::Distinct(Targets::A2A3))
        .documented(BINARY_FIGURES)
        .cpp("TREM")
        .cpp_templates(&["precisionType"])
        .page("docs/isa/TREM.md")
        .notes(&[
            "Version 0.27 of the public assembler accepts a tmp of one row, too small for the header's mask.",
        ])
        .cpp_scratch("dst")
        .bytecode(0x104A, 4);

    /// Remainder with the sign of the dividend, as C's `fmod`.
    ///
    /// `dst[i,j] = src0[i,j] - trunc(src0[i,j] / src1[i,j]) * src1[i,j]`. A2/A3 divides, truncates, multiplies
    /// and subtracts in f32, so large quotients lose precision, and `dst` must differ from both sources.
    tfmod: BINARY
        .types(A2A3, &[F32])
        .types(A5, FMOD_A5)
        .any_number_on_cpu()
        .attrs(FMOD_PRECISION)
        .alias(Aliasing::Distinct(Targets::A2A3))
        .documented(BINARY_FIGURES)
        .cpp("TFMOD")
        .cpp_templates(&["precisionType"])
        .page("docs/isa/TFMOD.md")
        .notes(&[
            "The introduction of the page says floor; its formula and the code truncate.",
            "The public assembler takes i32, i16 and f16 on A2/A3, which the header rejects.",
        ])
        .bytecode(0x1026, 3);

    /// Power with an exponent per element.
    ///
    /// `dst[i,j] = base[i,j] ^ exp[i,j]`, where anything to the power 0 is 1. A negative base needs an integral
    /// exponent, otherwise the result is NaN. Integers wrap; a negative exponent gives 0 unless the base is 1
    /// or -1.
    ///
    /// Floating point on A2/A3 needs `tmp`, and `dst` must be memory of its own. Integers take no `tmp`.
    tpow: BINARY
        .hazards(hazards::POWER)
        .generic_order(&["base", "exp", "dst", "tmp"])
        .slots(&[vec_in("base"), vec_in("exp"), scratch("tmp"), vec_out("dst").infer(Infer::Like("base"))])
        .shape_rules(&[(Targets::ALL, Rule::SameValid(&["base", "exp", "dst"]))])
        .types(A2A3, POW_A2A3)
        .types(A5, POW_A5)
        .any_number_on_cpu()
        .attrs(POW_PRECISION)
        .rules(POW_RULES)
        .scratch(POW_SCRATCH)
        .alias(Aliasing::Distinct(Targets::A2A3))
        .cost(CostClass::VectorMath)
        .cpp("TPOW")
        .cpp_templates(&["precisionType"])
        .page("docs/isa/TPOW.md")
        .notes(&[
            "The C++ interface always takes tmp; the public assembler rejects it for integers.",
            "The page lists bf16 for the default precision on A5; the header takes it only with high_precision.",
            "In place on A2/A3 would be safe for integers; the table asks for distinct memory for all types.",
        ])
        .cpp_scratch("dst");

    /// Rectified linear unit.
    ///
    /// `dst[i,j] = max(src[i,j], 0)`. NaN and the sign of a zero result differ between sources.
    trelu: UNARY
        .hazards(hazards::UNARY)
        .types(A2A3, &[I32, F16, F32])
        .types(A5, &[I32, F16, F32])
        .any_number_on_cpu()
        .documented(UNARY_FIGURES)
        .cpp("TRELU")
        .page("docs/isa/TRELU.md")
        .bytecode(0x1049, 2);

    /// Rectified linear unit with a slope per element.
    ///
    /// `dst[i,j] = src0[i,j] > 0 ? src0[i,j] : src0[i,j] * src1[i,j]`. NaN stays NaN.
    ///
    /// A2/A3 compares into `tmp` and selects; `dst`, the sources and `tmp` must be different memory there.
    /// A5 ignores `tmp`.
    tprelu: BINARY_SCRATCH
        .types(A2A3, FLOATS)
        .types(A5, FLOATS)
        .any_number_on_cpu()
        .rules(&[
            (Targets::A2A3, Rule::ElemIn("tmp", MASK_A2A3)),
            (Targets::A2A3, Rule::Orders(&["tmp"], Orders::ROW_MAJOR)),
            (
                Targets::A2A3,
                Rule::Named("tmp: one row more than dst has valid rows, a bit per valid column", prelu_mask_fits),
            ),
        ])
        .scratch(a2a3_scratch("ui8; one packed mask row per valid row of dst, and one row more", Some(prelu_scratch)))
        .alias(Aliasing::Distinct(Targets::A2A3))
        .cpp("TPRELU")
        .page("docs/isa/TPRELU.md")
        .notes(&[
            "The page writes the instruction without tmp; version 0.27 of the public assembler demands it, and \
             demands that it have the shape of dst.",
        ])
        .cpp_scratch("dst")
        .bytecode(0x1046, 4);

    /// Sum of three tiles.
    ///
    /// `dst[i,j] = (src0[i,j] + src1[i,j]) + src2[i,j]`, rounded or wrapped after each step.
    taddc: TERNARY
        .types(A2A3, ARITH_A2A3)
        .types(A5, ARITH_A5)
        .any_number_on_cpu()
        .documented(BINARY_FIGURES)
        .cpp("TADDC")
        .page("docs/isa/TADDC.md")
        .notes(&["No device header implements it; the public assembler emits two calls of TADD."])
        .cpp_forms(&[
            form("TADD($dst, $src0, $src1);\npipe_barrier(PIPE_V);\nTADD($dst, $dst, $src2)").on(Targets::A2A3).when(When::Apart("dst", "src2")),
            form("TADD($dst, $src0, $src1);\nTADD($dst, $dst, $src2)").on(Targets::A5).when(When::Apart("dst", "src2")),
            form("TADDC($dst, $src0, $src1, $src2)").on(Targets::CPU),
        ])
        .bytecode(0x1008, 4);

    /// Difference of two tiles plus a third.
    ///
    /// `dst[i,j] = (src0[i,j] - src1[i,j]) + src2[i,j]`, rounded or wrapped after each step.
    tsubc: TERNARY
        .types(A2A3, ARITH_A2A3)
        .types(A5, ARITH_A5)
        .any_number_on_cpu()
        .documented(BINARY_FIGURES)
        .cpp("TSUBC")
        .page("docs/isa/TSUBC.md")
        .notes(&["No device header implements it; the public assembler emits TSUB and TADD."])
        .cpp_forms(&[
            form("TSUB($dst, $src0, $src1);\npipe_barrier(PIPE_V);\nTADD($dst, $dst, $src2)").on(Targets::A2A3).when(When::Apart("dst", "src2")),
            form("TSUB($dst, $src0, $src1);\nTADD($dst, $dst, $src2)").on(Targets::A5).when(When::Apart("dst", "src2")),
            form("TSUBC($dst, $src0, $src1, $src2)").on(Targets::CPU),
        ])
        .bytecode(0x1068, 4);

    /// Product added to the destination.
    ///
    /// `dst[i,j] = src0[i,j] * src1[i,j] + dst[i,j]`. Devices round once; the public simulator rounds the
    /// product and the sum.
    tmuladddst: ACCUMULATE
        .types(A2A3, FLOATS)
        .types(A5, FLOATS)
        .any_number_on_cpu()
        .cpp("TMULADDDST")
        .page("docs/isa/TMULADDDST.md")
        .notes(&["Not in the public assembler."]);

    /// Destination times one tile plus another.
    ///
    /// `dst[i,j] = src0[i,j] * dst[i,j] + src1[i,j]`. Whether the device rounds the product is not stated.
    tfusedmuladd: ACCUMULATE
        .types(A2A3, FLOATS)
        .types(A5, FLOATS)
        .any_number_on_cpu()
        .cpp("TFUSEDMULADD")
        .page("docs/isa/TFUSEDMULADD.md")
        .notes(&["Not in the public assembler."]);

    /// Destination times one tile plus another, then ReLU.
    ///
    /// `dst[i,j] = max(src0[i,j] * dst[i,j] + src1[i,j], 0)`. NaN gives 0 in the public simulator.
    tfusedmuladdrelu: ACCUMULATE
        .types(A2A3, FLOATS)
        .types(A5, FLOATS)
        .any_number_on_cpu()
        .cpp("TFUSEDMULADDRELU")
        .page("docs/isa/TFUSEDMULADDRELU.md")
        .notes(&["Not in the public assembler."]);

    /// Sum of two tiles, then ReLU.
    ///
    /// `dst[i,j] = max(src0[i,j] + src1[i,j], 0)`. The instruction comes with version 0.60 of the public
    /// assembler, for A2/A3 only; no header has a C++ function for it.
    taddrelu: BINARY
        .only(Targets::A2A3_CPU)
        .types(A2A3, &[I16, F16, F32])
        .cpp_forms(&[form("TADD($dst, $src0, $src1);\npipe_barrier(PIPE_V);\nTMAXS($dst, $dst, 0)")]);

    /// Difference of two tiles, then ReLU.
    ///
    /// `dst[i,j] = max(src0[i,j] - src1[i,j], 0)`. NaN gives 0 in the public simulator, unlike `trelu`.
    tsubrelu: BINARY
        .types(A2A3, FLOATS)
        .types(A5, FLOATS)
        .any_number_on_cpu()
        .cpp("TSUBRELU")
        .page("docs/isa/TSUBRELU.md")
        .notes(&["Not in the public assembler."]);

    /// Sum of two tiles, ReLU, then conversion to a narrower type.
    ///
    /// `dst[i,j] = convert(max(src0[i,j] + src1[i,j], 0))`: f32 to f16, f16 to i8, or i16 to i8. The sum is
    /// not widened. A5 rounds to nearest even, and clamps i16 sums to 0 through 127; rounding and saturation of the
    /// A2/A3 instruction are not documented.
    taddreluconv: NARROWING
        .hazards(hazards::NARROWING)
        .rules(NARROWING_RULES)
        .cpp("TADDRELUCONV")
        .page("docs/isa/TADDReluConv.md")
        .notes(&["Not in the public assembler."])
        .example(
            "func.func @example(%a: !pto.tile_buf<vec, 16x32xf32>, %b: !pto.tile_buf<vec, 16x32xf32>, \
             %d: !pto.tile_buf<vec, 16x32xf16>) {\n  \
             pto.taddreluconv ins(%a, %b : !pto.tile_buf<vec, 16x32xf32>, !pto.tile_buf<vec, 16x32xf32>) \
             outs(%d : !pto.tile_buf<vec, 16x32xf16>)\n  return\n}\n",
        );

    /// Difference of two tiles, ReLU, then conversion to a narrower type.
    ///
    /// `dst[i,j] = convert(max(src0[i,j] - src1[i,j], 0))`: f32 to f16, f16 to i8, or i16 to i8. Rounding and
    /// saturation as for `taddreluconv`.
    tsubreluconv: NARROWING
        .hazards(hazards::NARROWING)
        .rules(NARROWING_RULES)
        .cpp("TSUBRELUCONV")
        .notes(&["It has no page of its own and is not in the public assembler; the headers define it."])
        .example(
            "func.func @example(%a: !pto.tile_buf<vec, 16x32xf32>, %b: !pto.tile_buf<vec, 16x32xf32>, \
             %d: !pto.tile_buf<vec, 16x32xf16>) {\n  \
             pto.tsubreluconv ins(%a, %b : !pto.tile_buf<vec, 16x32xf32>, !pto.tile_buf<vec, 16x32xf32>) \
             outs(%d : !pto.tile_buf<vec, 16x32xf16>)\n  return\n}\n",
        );

    /// Integer sum, scaled to floating point, then ReLU.
    ///
    /// `dst[i,j] = f16(max((src0[i,j] + src1[i,j]) * deq_scale, 0))` for i32 sources. The sum wraps; the
    /// product is computed in f32.
    ///
    /// On A2/A3 both sources serve as scratch memory: their contents are destroyed.
    tadddeqrelu: BINARY
        .hazards(hazards::TADDDEQRELU)
        .slots(&[
            vec_in("src0").elem(&[I32]),
            vec_in("src1").elem(&[I32]),
            value_in("deq_scale", SlotKind::Scalar).elem(&[F32]),
            scratch("tmp").elem(&[I32]),
            vec_out("dst").elem(&[F16]),
        ])
        .only(Targets::A2A3_CPU)
        .rules(&[
            (Targets::A2A3, Rule::Orders(&["tmp"], Orders::ROW_MAJOR)),
            (Targets::A2A3, Rule::Inside("dst", "tmp")),
        ])
        .scratch(a2a3_scratch("i32, at least the valid region of dst", None))
        .alias(Aliasing::None)
        .cpp("TADDDEQRELU")
        .page("docs/isa/TAddDeqRelu.md")
        .notes(&[
            "Not in the public assembler. A5 has a header for it that nothing includes.",
            "The page promises saturation; the public simulator gives infinity above 65504.",
        ])
        .cpp_scratch("dst");

    /// Comparison of two tiles into a packed mask.
    ///
    /// Bit `(i,j)` of `dst` is `src0[i,j] OP src1[i,j]` over the valid region of the sources. Element `(i,j)`
    /// is bit `j % 8`, least significant first, of byte `j / 8` of mask row `i`; 1 means true. A NaN compares
    /// false, except for `ne`.
    ///
    /// A2/A3 writes whole repeats, so bits behind the valid columns are arbitrary there; A5 clears them.
    tcmp: BINARY
        .hazards(hazards::TCMP)
        .slots(&[
            tile_in("src0").vec().data(),
            tile_in("src1").vec().data(),
            mask_out("dst", "src0"),
        ])
        .shape_rules(&[])
        .types(A2A3, &[I32, F16, F32])
        .types(A5, ARITH_A5)
        .attrs(COMPARISON)
        .call(&["dst", "src0", "src1", "cmpMode"])
        .attrs_in_ins()
        .domain(Domain::Valid("src0"))
        .rules(&[
            (Targets::A2A3, Rule::ElemIn("dst", MASK_A2A3)),
            (Targets::A5_CPU, Rule::ElemIn("dst", MASK_ANY)),
            (Targets::A5, Rule::Orders(&["src0", "src1", "dst"], Orders::ROW_MAJOR)),
            (Targets::ALL, Rule::SameValid(&["src0", "src1"])),
            (Targets::ALL, Rule::SameValidRows(&["src0", "dst"])),
        ])
        .alias(Aliasing::None)
        .cost(CostClass::VectorCompare)
        .cpp("TCMP")
        .page("docs/isa/TCMP.md")
        .notes(&[
            "The page says ui32 for the mask on A5 and equal valid columns; no header checks either.",
        ])
        .example(
            "func.func @example(%a: !pto.tile_buf<vec, 16x32xf32>, %b: !pto.tile_buf<vec, 16x32xf32>, \
             %m: !pto.tile_buf<vec, 16x32xui8, valid=16x4>) {\n  \
             pto.tcmp ins(%a, %b {cmpMode = #pto<cmp lt>} : !pto.tile_buf<vec, 16x32xf32>, \
             !pto.tile_buf<vec, 16x32xf32>) outs(%m : !pto.tile_buf<vec, 16x32xui8, valid=16x4>)\n  return\n}\n",
        )
        .bytecode(0x100E, 3);

    /// Selection between two tiles by a packed mask.
    ///
    /// `dst[i,j] = bit(mask,i,j) ? src0[i,j] : src1[i,j]`, a copy of bits. The mask is laid out as `tcmp`
    /// writes it, whatever its element type.
    ///
    /// A2/A3 keeps the mask of the current repeat in `tmp`; A5 ignores it.
    tsel: BINARY
        .hazards(hazards::TSEL)
        .slots(&[
            mask_in("mask"),
            vec_in("src0"),
            vec_in("src1"),
            scratch("tmp"),
            vec_out("dst").infer(Infer::Like("src0")),
        ])
        .types(A2A3, SELECT_A2A3)
        .types(A5, ARITH_A5)
        .any_unpaired_on_cpu()
        .rules(&[(Targets::A2A3, Rule::ElemBytes(&["tmp"], &[4]))])
        .scratch(a2a3_scratch("ui32; 8 bytes for four-byte data, 16 for two-byte data", Some(repeat_mask)))
        .cost(CostClass::VectorSelect)
        .cpp("TSEL")
        .cpp_alike(&[&["dst", "src0", "src1"]])
        .cpp_unlike("TSEL_IMPL")
        .page("docs/isa/TSEL.md")
        .notes(&[
            "The page writes the instruction without tmp; version 0.27 of the public assembler demands it.",
            "On A5 8-bit data wider than 256 columns uses a wrong mask stride.",
            "The public assembler does not take 64-bit integers on A5, although the header does.",
        ])
        .example(
            "func.func @example(%m: !pto.tile_buf<vec, 16x32xui8, valid=16x4>, %a: !pto.tile_buf<vec, 16x32xf32>, \
             %b: !pto.tile_buf<vec, 16x32xf32>, %t: !pto.tile_buf<vec, 1x16xui32>, \
             %d: !pto.tile_buf<vec, 16x32xf32>) {\n  \
             pto.tsel ins(%m, %a, %b, %t : !pto.tile_buf<vec, 16x32xui8, valid=16x4>, \
             !pto.tile_buf<vec, 16x32xf32>, !pto.tile_buf<vec, 16x32xf32>, !pto.tile_buf<vec, 1x16xui32>) \
             outs(%d : !pto.tile_buf<vec, 16x32xf32>)\n  return\n}\n",
        )
        .cpp_scratch("dst")
        .bytecode(0x1057, 5);

    /// Conversion to another element type.
    ///
    /// `dst[i,j] = convert(src[i,j])` with a rounding mode. A mode a pair of types does not have, or `NONE`,
    /// means truncation from floating point to integer and nearest even otherwise. `ODD` exists for f32 to
    /// f16 only. f32 to f32 rounds to an integral value.
    ///
    /// Out of range, the result saturates or wraps. Left out, `sat_mode` is that of the pair: off for f16 to
    /// ui8, i8 and i16, f32 to i16, i64 to i32 and i32 to i16; on for the others.
    ///
    /// A column of an fp4 tile is a pair of numbers, so it has half the valid columns of its bf16 partner. An
    /// i4 tile has one column per number.
    tcvt: UNARY
        .hazards(hazards::TCVT)
        .regions(&[region("dst", From::Rows("src"), From::Cols("src"))])
        .slots(&[tile_in("src").vec(), scratch("tmp"), tile_out("dst").vec()])
        .shape_rules(&[])
        .attrs(CONVERSION)
        .call(&["dst", "src", "rmode"])
        .attrs_in_ins()
        .rules(&[
            (Targets::A2A3, Rule::Elems(&["src", "dst"], A2A3_CONVERSIONS)),
            (Targets::A5, Rule::Elems(&["src", "dst"], A5_CONVERSIONS)),
            (Targets::ALL, Rule::SameValidRows(&["src", "dst"])),
            (
                Targets::ALL,
                Rule::Named("src, dst: same valid columns; a column of an fp4 tile is a pair", same_numbers_per_row),
            ),
            (
                Targets::A2A3,
                Rule::Named("f32 to i16, f16 to i16 or i8 with sat_mode OFF: tmp in manual mode", wrapping_has_scratch),
            ),
        ])
        .scratch(Scratch {
            slot: "tmp",
            required: Targets::NONE,
            forbidden: Targets::NONE,
            ignored: Targets::A5,
            rule: "A2/A3, sat_mode OFF, f32 to i16 and f16 to i16 or i8 only: room for a chunk of the source as i32",
            bytes: Some(conversion_scratch),
            written: None,
        })
        .alias(Aliasing::None)
        .cost(CostClass::VectorConvert)
        .cpp("TCVT")
        .page("docs/isa/TCVT.md")
        .notes(&[
            "A pair A2/A3 does not have compiles against its header and does nothing.",
            "Version 0.27 of the public assembler does not check element types; 0.60 checks those of 8 bits and fewer.",
            "The C++ headers count the columns of an fp4 tile in numbers, the public assembler in pairs.",
            "Public programs convert in place (src and dst at one address).",
        ])
        .example(
            "func.func @example(%a: !pto.tile_buf<vec, 16x32xf32>, %d: !pto.tile_buf<vec, 16x32xf16>) {\n  \
             pto.tcvt ins(%a {rmode = #pto<round_mode RINT>} : !pto.tile_buf<vec, 16x32xf32>) \
             outs(%d : !pto.tile_buf<vec, 16x32xf16>)\n  return\n}\n",
        )
        .bytecode(0x101C, 2);
}
