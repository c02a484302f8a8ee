//! Instructions on a tile and a scalar.
//!
//! The iteration domain is the valid region of `dst`; `src` has the same one. On A2/A3 a mismatch makes most
//! of them do nothing. The scalar has the class of the elements; where its type differs it is converted.

use crate::text;
use super::hazards;
use super::elementwise::{

    ARITH_A2A3, ARITH_A5, BITS, COMPARISON, DIV_A5, DIV_PRECISION, FLOATS, FMOD_A5, INTS, MASK_A2A3, MASK_ANY, MUL_A5,
    POW_A2A3, POW_A5, POW_PRECISION, POW_RULES, POW_SCRATCH, SELECT_A2A3, a2a3_scratch, as_large_as_dst, mask_in,
    mask_out, scratch_covers_columns,
};
use crate::Target::{A2A3, A5, Cpu};
use crate::codes;
use crate::row::{
    Aliasing, CostClass, Domain, Infer, SlotKind, Orders, PipeCase, Pipes, Row, Slot, When, form, whole,
};
use crate::rules::{Broken, Instance, Rule, Verdict};
use crate::shape::{TILE_SCALAR, scalar_in, scratch, tile_in, tile_inout, tile_out, value_in, vec_in, vec_out};
use crate::{DType, DType::*, Loc, Pipe, Targets, Type};

/// With a scratch tile on some targets.
const WITH_SCRATCH: Row =
    TILE_SCALAR.slots(&[vec_in("src"), scalar_in("scalar"), scratch("tmp"), vec_out("dst").infer(Infer::Like("src"))]);

/// `dst = f(src0, scalar, src1)`
const TILE_SCALAR_TILE: Row = TILE_SCALAR
    .slots(&[vec_in("src0"), scalar_in("scalar"), vec_in("src1"), vec_out("dst").infer(Infer::Like("src0"))])
    .shape_rules(&[(Targets::ALL, Rule::SameValid(&["src0", "src1", "dst"]))]);

const AXPY_TYPES: &[&[DType]] = &[&[F16, F16], &[F32, F32], &[F16, F32]];
const AXPY_TYPES_CPU: &[&[DType]] = &[
    &[F16, F16],
    &[Bf16, Bf16],
    &[F32, F32],
    &[F16, F32],
    &[Bf16, F32],
    &[I8, I8],
    &[U8, U8],
    &[I16, I16],
    &[U16, U16],
    &[I32, I32],
    &[U32, U32],
    &[I64, I64],
    &[U64, U64],
];

const fn tile_or_scalar(name: &'static str) -> Slot {
    value_in(name, SlotKind::TileOrScalar).vec().order(Orders::ROW_MAJOR).data()
}

fn one_is_a_tile(i: &Instance) -> Verdict {
    let (Some(a), Some(b)) = (i.ty("src0"), i.ty("src1")) else { return Verdict::Holds };
    if [a, b].iter().any(|ty| matches!(ty, Type::Unknown)) {
        return Verdict::Holds;
    }
    let scalar = |ty: &Type| matches!(ty, Type::Scalar(_));
    Verdict::require(scalar(a) != scalar(b), || {
        let found = if scalar(a) { text!("two scalars") } else { text!("two tiles") };
        let slots = vec![i.at("src1"), i.at("src0")];
        Broken::new(codes::COMBINATION, slots, found, text!("a tile and a scalar, in either order")).help(text!("two tiles: tdiv"))
    })
}

fn count_is_not_negative(i: &Instance) -> Verdict {
    let count = i.value("scalar").unwrap_or(0);
    Verdict::require(count >= 0, || {
        Broken::new(codes::BOUNDS, vec![i.at("scalar")], text!("`scalar` is {count}", count), text!("a count of at least 0"))
    })
}

/// The page asks for the valid columns of `src`, and its example has a mask of one byte per eight.
fn mask_columns(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src"), i.tile("dst")) else { return Verdict::Holds };
    let (Some(cols), Some(found)) = (src.valid_cols.fixed(), dst.valid_cols.fixed()) else { return Verdict::Dynamic };
    let packed = cols.div_ceil(8);
    Verdict::require(found == cols || found == packed, || {
        let legal = text!("{packed} (a bit per column of `src`) or {cols}", packed, cols);
        let found = text!("`dst` has {found} valid columns, `src` has {cols}", found, cols);
        Broken::new(codes::VALID_REGION, vec![i.at("dst"), i.at("src")], found, legal)
    })
}

/// The tile form compares with one element, which must be there.
fn has_first_element(i: &Instance) -> Verdict {
    let Some(tile) = i.tile("scalar") else { return Verdict::Holds };
    let (Some(rows), Some(cols)) = (tile.valid_rows.fixed(), tile.valid_cols.fixed()) else { return Verdict::Dynamic };
    Verdict::require(rows > 0 && cols > 0, || {
        let found = text!("`scalar` has {rows} × {cols} valid elements", rows, cols);
        Broken::new(codes::VALID_REGION, vec![i.at("scalar")], found, text!("a valid element [0, 0] to compare with"))
    })
}

fn wide_elements_by_row(i: &Instance) -> Verdict {
    let Some(dst) = i.tile("dst") else { return Verdict::Holds };
    let legal = dst.loc != Loc::Vec || dst.dtype.bits() < 64 || Orders::ROW_MAJOR.contains(i.order(dst));
    Verdict::require(legal, || {
        let found = text!("`dst` is {i} with {dtype}", i = i.order(dst), dtype = dst.dtype);
        Broken::new(codes::LAYOUT, vec![i.at("dst")], found, text!("row-major for 64-bit elements"))
    })
}

/// A row of `dst`.
fn row_of_dst(i: &Instance) -> Option<u64> {
    if i.target != A2A3 {
        return None;
    }
    let dst = i.tile("dst")?;
    Some(dst.cols.saturating_mul(u64::from(dst.dtype.unit_bytes())))
}

family! { TileScalar, "pto", tile_scalar;
    /// Sum of a tile and a scalar.
    ///
    /// `dst[i,j] = src[i,j] + scalar`. Integers wrap modulo 2 to the width; floating point rounds to nearest
    /// even.
    tadds: TILE_SCALAR
        .hazards(hazards::WIDE_ROWS)
        .types(A2A3, ARITH_A2A3)
        .types(A5, ARITH_A5)
        .any_number_on_cpu()
        .cpp("TADDS")
        .page("docs/isa/TADDS.md")
        .notes(&["The public assembler does not take 64-bit integers on A5, although the header does."])
        .bytecode(0x1009, 3);

    /// Difference of a tile and a scalar.
    ///
    /// `dst[i,j] = src[i,j] - scalar`. Integers wrap modulo 2 to the width. Devices add the negated scalar.
    tsubs: TILE_SCALAR
        .hazards(hazards::TSUBS)
        .types(A2A3, ARITH_A2A3)
        .types(A5, ARITH_A5)
        .any_number_on_cpu()
        .cpp("TSUBS")
        .page("docs/isa/TSUBS.md")
        .notes(&["The public assembler does not take 64-bit integers on A5, although the header does."])
        .bytecode(0x1069, 3);

    /// Product of a tile and a scalar.
    ///
    /// `dst[i,j] = src[i,j] * scalar`. Integers keep the low half of the product; floating point rounds to
    /// nearest even. There is no 8-bit product on a device.
    tmuls: TILE_SCALAR
        .hazards(hazards::WIDE_ROWS)
        .types(A2A3, ARITH_A2A3)
        .types(A5, MUL_A5)
        .any_number_on_cpu()
        .cpp("TMULS")
        .page("docs/isa/TMULS.md")
        .notes(&["The public assembler takes i8 on A5, which the header rejects."])
        .bytecode(0x103C, 3);

    /// Quotient of a tile and a scalar, or of a scalar and a tile.
    ///
    /// `dst[i,j] = src0[i,j] / src1` when the tile stands first, `dst[i,j] = src0 / src1[i,j]` when the scalar
    /// does. Integers truncate towards zero; a zero divisor has no defined integer result.
    ///
    /// In place is safe only with the tile first. On A2/A3 floating point then multiplies by the rounded
    /// reciprocal, so the last bit may differ from the result in other memory; with the scalar first the device
    /// fills `dst` before it reads the tile.
    tdivs: TILE_SCALAR
        .hazards(hazards::TDIVS)
        .slots(&[tile_or_scalar("src0"), tile_or_scalar("src1"), vec_out("dst").infer(Infer::Like("src0"))])
        .shape_rules(&[(Targets::ALL, Rule::SameValid(&["src0", "src1", "dst"]))])
        .types(A2A3, ARITH_A2A3)
        .types(A5, DIV_A5)
        .any_number_on_cpu()
        .attrs(DIV_PRECISION)
        .rules(&[(Targets::ALL, Rule::Named("src0, src1: a tile and a scalar, in either order", one_is_a_tile))])
        .cpp("TDIVS")
        .cpp_templates(&["precisionType"])
        .page("docs/isa/TDIVS.md")
        .notes(&[
            "The page says A5 multiplies by the reciprocal; its header divides. 64-bit division by zero gives 0.",
            "The public assembler takes i8 on A5, which the header rejects.",
            "high_precision is ignored on A2/A3.",
        ])
        .example(
            "func.func @example(%a: !pto.tile_buf<vec, 16x16xf32>, %s: f32, %d: !pto.tile_buf<vec, 16x16xf32>) {\n  \
             pto.tdivs ins(%a, %s : !pto.tile_buf<vec, 16x16xf32>, f32) outs(%d : !pto.tile_buf<vec, 16x16xf32>)\n  \
             pto.tdivs ins(%s, %a : f32, !pto.tile_buf<vec, 16x16xf32>) outs(%d : !pto.tile_buf<vec, 16x16xf32>)\n  \
             return\n}\n",
        )
        .bytecode(0x101E, 3);

    /// Maximum of a tile and a scalar.
    ///
    /// `dst[i,j] = max(src[i,j], scalar)`. NaN as for `tmax`.
    tmaxs: TILE_SCALAR
        .hazards(hazards::WIDE_ROWS)
        .types(A2A3, ARITH_A2A3)
        .types(A5, ARITH_A5)
        .any_number_on_cpu()
        .cpp("TMAXS")
        .page("docs/isa/TMAXS.md")
        .notes(&["Version 0.27 of the public assembler takes no bf16 on A5; 0.60 and the header do."])
        .bytecode(0x1035, 3);

    /// Minimum of a tile and a scalar.
    ///
    /// `dst[i,j] = min(src[i,j], scalar)`. NaN as for `tmin`.
    tmins: TILE_SCALAR
        .hazards(hazards::WIDE_ROWS)
        .types(A2A3, ARITH_A2A3)
        .types(A5, ARITH_A5)
        .any_number_on_cpu()
        .cpp("TMINS")
        .page("docs/isa/TMINS.md")
        .notes(&["The public assembler does not take 64-bit integers on A5, although the header does."])
        .bytecode(0x1037, 3);

    /// Bitwise and with a scalar.
    ///
    /// `dst[i,j] = src[i,j] & scalar`. A2/A3 fills `dst` with the scalar first, so it must not be `src` there.
    tands: TILE_SCALAR
        .hazards(hazards::BY_FILLING)
        .types(A2A3, BITS)
        .types(A5, BITS)
        .types(Cpu, INTS)
        .alias(Aliasing::Distinct(Targets::A2A3))
        .cpp("TANDS")
        .page("docs/isa/TANDS.md")
        .notes(&[
            "The page and the public assembler forbid in-place use on A5 too; its header does not need that.",
            "The public assembler takes no 32-bit elements on A2/A3, although the header does.",
        ])
        .bytecode(0x100C, 3);

    /// Bitwise or with a scalar.
    ///
    /// `dst[i,j] = src[i,j] | scalar`. A2/A3 fills `dst` with the scalar first, so it must not be `src` there.
    tors: TILE_SCALAR
        .hazards(hazards::BY_FILLING)
        .types(A2A3, BITS)
        .types(A5, BITS)
        .types(Cpu, INTS)
        .alias(Aliasing::Distinct(Targets::A2A3))
        .cpp("TORS")
        .page("docs/isa/TORS.md")
        .notes(&[
            "The page and the public assembler forbid in-place use on A5 too; its header does not need that.",
            "The public assembler takes no 32-bit elements on A2/A3, although the header does.",
        ])
        .bytecode(0x1040, 3);

    /// Bitwise exclusive or with a scalar.
    ///
    /// `dst[i,j] = src[i,j] ^ scalar`. A2/A3 needs `tmp`, and `dst`, `src` and `tmp` must be different memory
    /// there; A5 ignores `tmp`.
    txors: WITH_SCRATCH
        .hazards(hazards::BY_FILLING)
        .types(A2A3, BITS)
        .types(A5, BITS)
        .types(Cpu, INTS)
        .rules(&[
            (Targets::A2A3, Rule::SameElem(&["tmp", "dst"])),
            (Targets::A2A3, Rule::Orders(&["tmp"], Orders::ROW_MAJOR)),
        ])
        .scratch(a2a3_scratch("element type and size of dst", Some(as_large_as_dst)))
        .alias(Aliasing::Distinct(Targets::A2A3))
        .cpp("TXORS")
        .page("docs/isa/TXORS.md")
        .notes(&[
            "The page writes the instruction without tmp; version 0.27 of the public assembler demands it.",
            "The public assembler takes no 32-bit elements on A2/A3, although the header does.",
        ])
        .cpp_scratch("dst")
        .bytecode(0x106F, 4);

    /// Shift left by a scalar count.
    ///
    /// `dst[i,j] = src[i,j] << scalar`; zeros come in from the right. The count is at least 0; one that is not
    /// below the width of the element has no defined result.
    tshls: TILE_SCALAR
        .hazards(hazards::WIDE_ROWS)
        .types(A2A3, &[I16, U16, I32, U32])
        .types(A5, INTS)
        .rules(&[(Targets::ALL, Rule::Named("scalar: at least 0", count_is_not_negative))])
        .cpp("TSHLS")
        .page("docs/isa/TSHLS.md")
        .notes(&["The public assembler takes 8-bit elements on A2/A3, which the header rejects."])
        .bytecode(0x1060, 3);

    /// Shift right by a scalar count.
    ///
    /// `dst[i,j] = src[i,j] >> scalar`: arithmetic for signed elements, logical for unsigned ones. The count is
    /// at least 0; one that is not below the width of the element has no defined result.
    tshrs: TILE_SCALAR
        .hazards(hazards::WIDE_ROWS)
        .types(A2A3, &[I16, U16, I32, U32])
        .types(A5, INTS)
        .cpp("TSHRS")
        .page("docs/isa/TSHRS.md")
        .bytecode(0x1062, 3);

    /// Remainder by a scalar, with the sign of the divisor.
    ///
    /// `dst[i,j] = src[i,j] - floor(src[i,j] / scalar) * scalar`. A zero divisor has no defined result.
    ///
    /// A2/A3 needs `tmp`, and `dst` must differ from `src` there; A5 ignores `tmp`.
    trems: WITH_SCRATCH
        .hazards(hazards::TREMS)
        .types(A2A3, &[I32, F32])
        .types(A5, DIV_A5)
        .any_number_on_cpu()
        .rules(&[
            (Targets::A2A3, Rule::SameElem(&["tmp", "dst"])),
            (Targets::A2A3, Rule::Orders(&["tmp"], Orders::ROW_MAJOR)),
            (Targets::A2A3, Rule::NonEmpty(&["tmp"])),
            (Targets::A2A3, Rule::Named("tmp: at least the valid columns of dst", scratch_covers_columns)),
        ])
        .scratch(a2a3_scratch("element type of dst; one row of dst", Some(row_of_dst)))
        .alias(Aliasing::Distinct(Targets::A2A3))
        .cpp("TREMS")
        .page("docs/isa/TREMS.md")
        .cpp_scratch("dst")
        .bytecode(0x104B, 4);

    /// Remainder by a scalar, with the sign of the dividend, as C's `fmod`.
    ///
    /// `dst[i,j] = src[i,j] - trunc(src[i,j] / scalar) * scalar`. A2/A3 fills `dst` with the scalar first, so it
    /// must not be `src` there.
    tfmods: TILE_SCALAR
        .types(A2A3, &[F32])
        .types(A5, FMOD_A5)
        .any_number_on_cpu()
        .alias(Aliasing::Distinct(Targets::A2A3))
        .cpp("TFMODS")
        .page("docs/isa/TFMODS.md")
        .notes(&[
            "The introduction of the page says floor; the code truncates.",
            "The public assembler takes i32, i16 and f16 on A2/A3, which the header rejects.",
        ])
        .bytecode(0x1027, 3);

    /// Power with a scalar exponent.
    ///
    /// `dst[i,j] = src[i,j] ^ scalar`, with the rules of `tpow`.
    ///
    /// Floating point on A2/A3 needs `tmp`, and `dst` must be memory of its own. Integers take no `tmp`.
    tpows: WITH_SCRATCH
        .hazards(hazards::POWER)
        .generic_order(&["src", "scalar", "dst", "tmp"])
        .types(A2A3, POW_A2A3)
        .types(A5, POW_A5)
        .any_number_on_cpu()
        .attrs(POW_PRECISION)
        .rules(POW_RULES)
        .scratch(POW_SCRATCH)
        .alias(Aliasing::Distinct(Targets::A2A3))
        .cost(CostClass::VectorMath)
        .cpp("TPOWS")
        .cpp_templates(&["precisionType"])
        .page("docs/isa/TPOWS.md")
        .notes(&[
            "The C++ interface always takes tmp; the public assembler rejects it for integers.",
            "The public simulator computes integer powers in double precision and saturates; tpow wraps.",
        ])
        .cpp_scratch("dst");

    /// Rectified linear unit with one slope.
    ///
    /// `dst[i,j] = src[i,j] > 0 ? src[i,j] : src[i,j] * slope`. NaN stays NaN.
    tlrelu: TILE_SCALAR
        .slots(&[vec_in("src"), scalar_in("slope"), vec_out("dst").infer(Infer::Like("src"))])
        .types(A2A3, FLOATS)
        .types(A5, FLOATS)
        .any_number_on_cpu()
        .cpp("TLRELU")
        .page("docs/isa/TLRELU.md")
        .notes(&["The public assembler wants an f32 slope for f16 tiles too; C++ takes the type of the tile."])
        .bytecode(0x1031, 3);

    /// Scaled tile added to the destination.
    ///
    /// `dst[i,j] = scalar * src[i,j] + dst[i,j]`. `src` and `dst` have one type, or an f16 source accumulates
    /// into f32. Devices round once; the public simulator rounds the product and the sum.
    taxpy: TILE_SCALAR
        .hazards(hazards::TAXPY)
        .slots(&[
            tile_in("src").vec().order(Orders::ROW_MAJOR),
            value_in("scalar", SlotKind::Scalar).like("src"),
            tile_inout("dst").vec().order(Orders::ROW_MAJOR),
        ])
        .rules(&[
            (Targets::DEVICES, Rule::Elems(&["src", "dst"], AXPY_TYPES)),
            (Targets::CPU, Rule::Elems(&["src", "dst"], AXPY_TYPES_CPU)),
        ])
        .cpp("TAXPY")
        .page("docs/isa/TAXPY.md")
        .notes(&["The public assembler takes bf16 on A5, which the header rejects."])
        .example(
            "func.func @example(%a: !pto.tile_buf<vec, 16x16xf16>, %s: f16, %d: !pto.tile_buf<vec, 16x16xf32>) {\n  \
             pto.taxpy ins(%a, %s : !pto.tile_buf<vec, 16x16xf16>, f16) outs(%d : !pto.tile_buf<vec, 16x16xf32>)\n  \
             return\n}\n",
        )
        .bytecode(0x1076, 3);

    /// Sum of a tile, a scalar, and another tile.
    ///
    /// `dst[i,j] = (src0[i,j] + scalar) + src1[i,j]`, rounded or wrapped after each step.
    taddsc: TILE_SCALAR_TILE
        .types(A2A3, ARITH_A2A3)
        .types(A5, ARITH_A5)
        .any_number_on_cpu()
        .cpp("TADDSC")
        .page("docs/isa/TADDSC.md")
        .notes(&[
            "No device header implements it; the public assembler emits TADDS and TADD.",
            "The page lists only i32, i16, f16 and f32 on A5.",
        ])
        .cpp_forms(&[
            form("TADDS($dst, $src0, $scalar);\npipe_barrier(PIPE_V);\nTADD($dst, $dst, $src1)").on(Targets::A2A3).when(When::Apart("dst", "src1")),
            form("TADDS($dst, $src0, $scalar);\nTADD($dst, $dst, $src1)").on(Targets::A5).when(When::Apart("dst", "src1")),
            form("TADDSC($dst, $src0, $scalar, $src1)").on(Targets::CPU),
        ])
        .bytecode(0x100A, 4);

    /// Difference of a tile and a scalar, plus another tile.
    ///
    /// `dst[i,j] = (src0[i,j] - scalar) + src1[i,j]`, rounded or wrapped after each step.
    tsubsc: TILE_SCALAR_TILE
        .types(A2A3, ARITH_A2A3)
        .types(A5, ARITH_A5)
        .any_number_on_cpu()
        .cpp("TSUBSC")
        .page("docs/isa/TSUBSC.md")
        .notes(&[
            "No device header implements it; the public assembler emits TSUBS and TADD.",
            "The page lists only i32, i16, f16 and f32 on A5.",
        ])
        .cpp_forms(&[
            form("TSUBS($dst, $src0, $scalar);\npipe_barrier(PIPE_V);\nTADD($dst, $dst, $src1)").on(Targets::A2A3).when(When::Apart("dst", "src1")),
            form("TSUBS($dst, $src0, $scalar);\nTADD($dst, $dst, $src1)").on(Targets::A5).when(When::Apart("dst", "src1")),
            form("TSUBSC($dst, $src0, $scalar, $src1)").on(Targets::CPU),
        ])
        .bytecode(0x106A, 4);

    /// Tile filled with a scalar.
    ///
    /// `dst[i,j] = scalar`, a copy of bits. In vector memory it fills the valid region, in any order of the
    /// elements; in cube memory (`mat`) it fills the whole physical tile, on the load pipe.
    texpands: TILE_SCALAR
        .regions(&[whole("dst")])
        .hazards(hazards::TEXPANDS)
        .slots(&[scalar_in("scalar"), tile_out("dst").at(&[Loc::Vec, Loc::Mat]).data()])
        .shape_rules(&[])
        .types(A2A3, &[I8, U8, I16, U16, I32, U32, F16, Bf16, F32])
        .types(A5, ARITH_A5)
        .any_number_on_cpu()
        .rules(&[(Targets::A5, Rule::Named("dst: row-major for 64-bit elements in vec", wide_elements_by_row))])
        .alias(Aliasing::None)
        .pipes(Pipes::Cases(&[
            PipeCase { targets: Targets::ALL, src: None, dst: Some(Loc::Mat), pipe: Pipe::Mte2 },
            PipeCase { targets: Targets::ALL, src: None, dst: None, pipe: Pipe::V },
        ]))
        .cost(CostClass::VectorFill)
        .cpp("TEXPANDS")
        .page("docs/isa/TEXPANDS.md")
        .notes(&[
            "The public assembler takes only row-major vector tiles on A2/A3, and fewer element types; the headers \
             take what is listed here.",
            "The public assembler puts it on the vector pipe also for mat; the headers use the load pipe.",
        ])
        .bytecode(0x1020, 2);

    /// Comparison of a tile with a scalar into a packed mask.
    ///
    /// Bit `(i,j)` of `dst` is `src[i,j] OP scalar` over the valid region of `dst`, whose valid columns are bytes of
    /// the mask. Element `(i,j)` is bit `j % 8`, least significant first, of byte `j / 8` of mask row `i`; 1 means true.
    /// A NaN compares false, except for `ne`. Mask rows and bytes for which `src` has no valid element stay as they are.
    ///
    /// A tile in place of the scalar stands for its element `[0,0]`, whatever its size and layout.
    ///
    /// A mask for 16 columns has 2 valid columns of `u8`. A2/A3 writes whole repeats, so bits behind the valid
    /// columns are arbitrary there; A5 clears them.
    tcmps: TILE_SCALAR
        .hazards(hazards::TCMPS)
        .slots(&[
            tile_in("src").vec().data(),
            value_in("scalar", SlotKind::TileOrScalar).vec().data(),
            mask_out("dst", "src").order(Orders::ROW_MAJOR),
        ])
        .shape_rules(&[])
        .types(A2A3, &[I16, U16, I32, F16, F32])
        .types(A5, &[I8, U8, I16, U16, I32, U32, F16, Bf16, F32])
        .any_number_on_cpu()
        .attrs(COMPARISON)
        .call(&["dst", "src", "scalar", "cmpMode"])
        .attrs_in_ins()
        .domain(Domain::Mask("dst", "src"))
        .rules(&[
            (Targets::A2A3, Rule::ElemIn("dst", MASK_A2A3)),
            (Targets::A5_CPU, Rule::ElemIn("dst", MASK_ANY)),
            (Targets::A2A3, Rule::SameValidRows(&["src", "dst"])),
            (
                Targets::A2A3,
                Rule::Named("dst: valid columns of src, or one for each eight of them", mask_columns),
            ),
            (Targets::ALL, Rule::Named("scalar: a scalar, or a tile with a valid element [0, 0]", has_first_element)),
        ])
        .alias(Aliasing::None)
        .cost(CostClass::VectorCompare)
        .cpp("TCMPS")
        .page("docs/isa/TCMPS.md")
        .decided(&[
            "Mask: the page leaves its encoding to the implementation. Here it is one bit per element, least significant \
             first, in rows of the mask tile; 1 means true, and bits after the last valid column of a written byte are 0.",
            "Region: the valid region of `dst` decides, in bytes of eight columns. On A2/A3 its rows are those of `src`, its \
             columns those of `src` or an eighth of them, since the page asks for equal columns and shows an eighth. On A5 \
             nothing is asked, and what has no source element stays as it is.",
            "Default: a text without `cmpMode` means eq, as in the public assembler; the C++ function has no default.",
            "NaN: compares false, except for ne.",
        ])
        .notes(&[
            "The page asks for equal valid columns on A2/A3, while its example has 2 for 16; both are taken.",
            "The page says that A5 checks no shapes; its header asserts equal valid rows in debug builds.",
            "The C++ function has no default for cmpMode; a text without it means eq, as in the public assembler.",
            "The A5 header also compiles for 64-bit integers, which the page does not include.",
            "The page has no form with a tile in place of the scalar; the headers do, and compare with element [0, 0].",
        ])
        .example(
            "func.func @example(%a: !pto.tile_buf<vec, 16x16xf32>, %s: f32, \
             %m: !pto.tile_buf<vec, 16x32xui8, valid=16x2>) {\n  \
             pto.tcmps ins(%a, %s {cmpMode = #pto<cmp gt>} : !pto.tile_buf<vec, 16x16xf32>, f32) \
             outs(%m : !pto.tile_buf<vec, 16x32xui8, valid=16x2>)\n  return\n}\n",
        )
        .bytecode(0x100F, 3);

    /// Selection between a tile and a scalar by a packed mask.
    ///
    /// `dst[i,j] = bit(mask,i,j) ? src[i,j] : scalar`, a copy of bits. The mask is laid out as `tcmps` writes
    /// it, whatever its element type.
    ///
    /// A2/A3 keeps the scalar in `tmp`; A5 ignores it.
    tsels: TILE_SCALAR
        .hazards(hazards::TSELS)
        .slots(&[
            mask_in("mask"),
            vec_in("src"),
            scratch("tmp"),
            scalar_in("scalar"),
            vec_out("dst").infer(Infer::Like("src")),
        ])
        .types(A2A3, SELECT_A2A3)
        .types(A5, &[I8, U8, I16, U16, I32, U32, I64, U64, F16, F32])
        .any_number_on_cpu()
        .rules(&[
            (Targets::A2A3, Rule::SameElem(&["tmp", "src"])),
            (Targets::A2A3, Rule::Orders(&["tmp"], Orders::ROW_MAJOR)),
            (Targets::A5, Rule::Orders(&["mask"], Orders::ROW_MAJOR)),
        ])
        .scratch(a2a3_scratch("element type of src; at least one element", None))
        .cost(CostClass::VectorSelect)
        .cpp("TSELS")
        .page("docs/isa/TSELS.md")
        .notes(&[
            "The page writes the instruction without tmp; version 0.27 of the public assembler demands it.",
            "Version 0.60 of the public assembler asks for a tmp as wide as a row of src; the header uses one element.",
            "A5 takes bf16 in tsel but not here. The public assembler takes no bf16 on A2/A3 and no 64-bit integers.",
        ])
        .example(
            "func.func @example(%m: !pto.tile_buf<vec, 16x32xui8, valid=16x4>, %a: !pto.tile_buf<vec, 16x32xf32>, \
             %t: !pto.tile_buf<vec, 1x32xf32>, %s: f32, %d: !pto.tile_buf<vec, 16x32xf32>) {\n  \
             pto.tsels ins(%m, %a, %t, %s : !pto.tile_buf<vec, 16x32xui8, valid=16x4>, \
             !pto.tile_buf<vec, 16x32xf32>, !pto.tile_buf<vec, 1x32xf32>, f32) \
             outs(%d : !pto.tile_buf<vec, 16x32xf32>)\n  return\n}\n",
        )
        .cpp_scratch("dst")
        .bytecode(0x1058, 5);
}
