//! Matrix products on the cube unit.
//!
//! All products share their shape relation, memories and layouts; the forms differ in what the sum starts from
//! (nothing, an accumulator, a bias row) and in the block scales of the MX formats.

use crate::text;
use super::hazards;
use crate::DType::*;
use crate::codes;
use crate::enums;
use crate::row::{Aliasing, AttrKind, AttrSpec, CostClass, Domain, Effect, ExtentFactor, From, Orders, Slot, Sums, Uses, attr, opt_attr, region};
use crate::rules::{Broken, Instance, Rule, Verdict};
use crate::shape::{tile_in, tile_out};
use crate::{DType, Dim, Loc, Order, Pipe, Row, Targets, TileType};

/// The most rows, columns or depth of one product; none at all is a product of nothing.
const LIMIT: u64 = 4095;

/// Elements that share one scale in an MX format.
const BLOCK: u64 = 32;

const PHASE: &[AttrSpec] = &[opt_attr(
    "accPhase",
    AttrKind::Enum(&enums::ACC_PHASE),
    "unspecified",
    "unit-flag hand-over of the accumulator to the fix pipe",
)];

const MODE: &[AttrSpec] = &[
    attr("enable", AttrKind::Bool, "round f32 operands of later products"),
    opt_attr(
        "mode",
        AttrKind::Enum(&enums::ROUND_MODE),
        "ROUND",
        "ROUND: ties away from zero; RINT, CAST_RINT: ties to even",
    ),
];

/// Element types of `dst`, `a`, `b` on A2/A3.
const TRIPLES_A2A3: &[&[DType]] = &[&[I32, I8, I8], &[F32, F16, F16], &[F32, Bf16, Bf16], &[F32, F32, F32]];

const TRIPLES_A5: &[&[DType]] = &[
    &[I32, I8, I8],
    &[F32, F16, F16],
    &[F32, Bf16, Bf16],
    &[F32, F32, F32],
    &[F32, F8E4M3, F8E4M3],
    &[F32, F8E4M3, F8E5M2],
    &[F32, F8E5M2, F8E4M3],
    &[F32, F8E5M2, F8E5M2],
    &[F32, Hif8, Hif8],
];

const TRIPLES_MX: &[&[DType]] = &[
    &[F32, F8E4M3, F8E4M3],
    &[F32, F8E4M3, F8E5M2],
    &[F32, F8E5M2, F8E4M3],
    &[F32, F8E5M2, F8E5M2],
    &[F32, F4E1M2, F4E1M2],
    &[F32, F4E1M2, F4E2M1],
    &[F32, F4E2M1, F4E1M2],
    &[F32, F4E2M1, F4E2M1],
];

const A: Slot = tile_in("a").at(&[Loc::Left]);
const B: Slot = tile_in("b").at(&[Loc::Right]);
const DST: Slot = tile_out("dst").at(&[Loc::Acc]);
const ACC_IN: Slot = tile_in("acc_in").at(&[Loc::Acc]).like("dst");
const BIAS: Slot = tile_in("bias").at(&[Loc::Bias]).like("dst");
const A_SCALE: Slot = tile_in("a_scale").at(&[Loc::Scaling, Loc::ScaleLeft]).elem(&[F8E8M0, F16]);
const B_SCALE: Slot = tile_in("b_scale").at(&[Loc::Scaling, Loc::ScaleRight]).elem(&[F8E8M0, F16]);

/// Broken when both extents are known and differ.
fn agree(i: &Instance, slots: [&str; 2], what: &str, x: Dim, y: Dim) -> Verdict {
    match (x, y) {
        (Dim::Fixed(x), Dim::Fixed(y)) => Verdict::require(x == y, || {
            let found = text!("{what}: {x} in `{first}`, {y} in `{second}`", what, x, first = slots[0], y, second = slots[1]);
            let at = slots.iter().map(|s| i.at(s)).collect();
            Broken::new(codes::VALID_REGION, at, found, "a[M,K] b[K,N] dst[M,N]")
        }),
        _ => Verdict::Dynamic,
    }
}

/// The first broken verdict, else `Dynamic` when one is.
fn all(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    let mut sum = Verdict::Holds;
    for v in verdicts {
        match v {
            Verdict::Holds => {}
            Verdict::Dynamic => sum = Verdict::Dynamic,
            Verdict::Broken(_) => return v,
        }
    }
    sum
}

fn product(i: &Instance) -> Verdict {
    let (Some(a), Some(b), Some(dst)) = (i.tile("a"), i.tile("b"), i.tile("dst")) else { return Verdict::Holds };
    all([
        covers(i, ["a", "dst"], text!("rows (M)"), a.valid_rows, dst.valid_rows),
        agree(i, ["a", "b"], text!("depth (K)"), a.valid_cols, b.valid_rows),
        covers(i, ["b", "dst"], text!("columns (N)"), b.valid_cols, dst.valid_cols),
    ])
}

/// `dst` may be valid in more than the product: devices take the extents from `a` and `b`.
fn covers(i: &Instance, slots: [&str; 2], what: &str, need: Dim, have: Dim) -> Verdict {
    match (need, have) {
        (Dim::Fixed(need), Dim::Fixed(have)) if have > need => Verdict::Holds,
        _ => agree(i, slots, what, need, have),
    }
}

fn limits(i: &Instance) -> Verdict {
    let (Some(a), Some(b)) = (i.tile("a"), i.tile("b")) else { return Verdict::Holds };
    let within = |slot: &str, what: &str, d: Dim| match d {
        Dim::Dynamic => Verdict::Dynamic,
        Dim::Fixed(n) => Verdict::require(n <= LIMIT, || {
            Broken::new(
                codes::SHAPE,
                vec![i.at(slot)],
                text!("`{slot}` has {n} valid {what}", slot, n, what),
                text!("at most {LIMIT}", LIMIT),
            )
        }),
    };
    all([within("a", "rows", a.valid_rows), within("a", "columns", a.valid_cols), within("b", "columns", b.valid_cols)])
}

fn bias_row(i: &Instance) -> Verdict {
    let (Some(bias), Some(b)) = (i.tile("bias"), i.tile("b")) else { return Verdict::Holds };
    if bias.rows != 1 {
        let found = text!("`bias` has {rows} rows", rows = bias.rows);
        return Verdict::Broken(Broken::new(codes::SHAPE, vec![i.at("bias")], found, "1"));
    }
    match b.valid_cols {
        Dim::Dynamic => Verdict::Dynamic,
        Dim::Fixed(n) => Verdict::require(bias.cols >= n, || {
            Broken::new(
                codes::SHAPE,
                vec![i.at("bias")],
                text!("`bias` has {cols} columns", cols = bias.cols),
                text!("at least {n}", n),
            )
        }),
    }
}

fn mx_depth(i: &Instance) -> Verdict {
    let Some(a) = i.tile("a") else { return Verdict::Holds };
    Verdict::require(a.cols % 64 == 0, || {
        Broken::new(codes::SHAPE, vec![i.at("a")], text!("`a` has {cols} columns", cols = a.cols), text!("a multiple of 64"))
    })
}

/// The scales that an operand needs: one for each block.
fn scales_of(t: &TileType, along_cols: bool) -> (Dim, Dim) {
    let blocks = |d: Dim| d.fixed().map_or(Dim::Dynamic, |n| Dim::Fixed(n.div_ceil(BLOCK)));
    if along_cols { (t.valid_rows, blocks(t.valid_cols)) } else { (blocks(t.valid_rows), t.valid_cols) }
}

/// As many scales as are needed; where they are not `exact`, more are no harm.
fn scales(i: &Instance, (scale, operand): (&str, &str), along_cols: bool, exact: bool) -> Verdict {
    let (Some(s), Some(t)) = (i.tile(scale), i.tile(operand)) else { return Verdict::Holds };
    let (rows, cols) = scales_of(t, along_cols);
    let fits = |is: u64, needed: u64| if exact { is == needed } else { is >= needed };
    let holds = |is: Dim, needed: Dim| is.fixed().zip(needed.fixed()).map(|(is, needed)| fits(is, needed));
    match (holds(s.valid_rows, rows), holds(s.valid_cols, cols)) {
        (Some(true), Some(true)) => Verdict::Holds,
        (Some(false), _) | (_, Some(false)) => {
            let found = text!("`{scale}` has {valid_rows} × {valid_cols} valid elements", scale, valid_rows = s.valid_rows, valid_cols = s.valid_cols);
            let legal = if exact { format!("{rows} × {cols}") } else { text!("at least {rows} × {cols}", rows, cols) };
            Verdict::Broken(Broken::new(codes::VALID_REGION, vec![i.at(scale), i.at(operand)], found, legal))
        }
        _ => Verdict::Dynamic,
    }
}

/// Operands are padded to whole blocks, and their scales with them.
fn a_scales(i: &Instance) -> Verdict {
    scales(i, ("a_scale", "a"), true, false)
}

fn b_scales(i: &Instance) -> Verdict {
    scales(i, ("b_scale", "b"), false, false)
}

fn bound_scales(i: &Instance) -> Verdict {
    scales(i, ("dst", "src"), i.tile("src").is_some_and(|t| t.loc == Loc::Left), true)
}

/// One scale for each 32 elements along k, which is the rows of a right tile and the columns of a left one.
fn scale_rows(uses: &Uses) -> Option<ExtentFactor> {
    let per = if uses.tile("src")?.loc == Loc::Right { 32 } else { 1 };
    Some(ExtentFactor { per, times: 1, clipped: false })
}

fn scale_cols(uses: &Uses) -> Option<ExtentFactor> {
    let per = if uses.tile("src")?.loc == Loc::Left { 32 } else { 1 };
    Some(ExtentFactor { per, times: 1, clipped: false })
}

fn cell_scales(i: &Instance) -> Verdict {
    let need = |operand: &str, depth: fn(&TileType) -> u64, width: fn(&TileType) -> u64| {
        i.tile(operand).map(|t| width(t) * depth(t).div_ceil(64) * 4)
    };
    let enough = |scale: &str, bytes: Option<u64>| match (i.tile(scale), bytes) {
        (Some(s), Some(n)) => Verdict::require(s.bytes() >= n, || {
            Broken::new(
                codes::SHAPE,
                vec![i.at(scale)],
                text!("`{scale}` has {s} bytes", scale, s = s.bytes()),
                text!("at least {n}", n),
            )
        }),
        _ => Verdict::Holds,
    };
    all([enough("a_scale", need("a", |t| t.cols, |t| t.rows)), enough("b_scale", need("b", |t| t.rows, |t| t.cols))])
}

const PRODUCT: Rule = Rule::Named("a[M,K] b[K,N] by valid extents, and dst valid in M,N at least", product);
const LIMITS: Rule = Rule::Named("M, K, N at most 4095", limits);
const BIAS_ROW: Rule = Rule::Named("bias: one row of at least N columns", bias_row);
const A_NZ: Rule = Rule::Orders(&["a"], Orders::NZ);
const B_ZN: Rule = Rule::Orders(&["b"], Orders::of(&[Order::Zn]));
const DST_NZ: Rule = Rule::Orders(&["dst"], Orders::NZ);
const BIAS_ND: Rule = Rule::Orders(&["bias"], Orders::ROW_MAJOR);
const SAME_ACC: Rule = Rule::SameShape(&["acc_in", "dst"]);
const ONE_ROW_A: Rule = Rule::ValidRows("a", 1);
const ONE_ROW_DST: Rule = Rule::ValidRows("dst", 1);
const SLOTS: &[&str] = &["dst", "a", "b"];

const CUBE: Row = Row::EMPTY
    .regions(&[region("dst", From::Rows("a"), From::Cols("b"))])
    .pipe(Pipe::M)
    .cost(CostClass::Matmul)
    .domain(Domain::Matmul)
    .sums(Sums::Row("a", Some("acc_in")))
    .attrs(PHASE);

const MATMUL: Row = CUBE.slots(&[A, B, DST]).shape_rules(&[
    (Targets::A2A3, Rule::Elems(SLOTS, TRIPLES_A2A3)),
    (Targets::A5_CPU, Rule::Elems(SLOTS, TRIPLES_A5)),
    (Targets::ALL, PRODUCT),
    (Targets::DEVICES, LIMITS),
    (Targets::A5, A_NZ),
    (Targets::A5, B_ZN),
    (Targets::A5, DST_NZ),
]);

const MX: Row = CUBE.only(Targets::A5_CPU).slots(&[A, A_SCALE, B, B_SCALE, DST]).shape_rules(&[
    (Targets::ALL, Rule::Elems(SLOTS, TRIPLES_MX)),
    (Targets::ALL, PRODUCT),
    (Targets::DEVICES, LIMITS),
    (Targets::A5, A_NZ),
    (Targets::A5, B_ZN),
    (Targets::A5, DST_NZ),
    (Targets::ALL, Rule::Named("a_scale: at least M × K/32", a_scales)),
    (Targets::ALL, Rule::Named("b_scale: at least K/32 × N", b_scales)),
]);

const MX_DEPTH: Rule = Rule::Named("columns of a: a multiple of 64", mx_depth);

const SUM_NOTE: &str = "The order of the sum on a device is not specified. Here k ascends, each step a fused multiply-add in the type of dst.";
const SCALE_NOTE: &str = "The headers keep scales in scale_left and scale_right as f8e8m0; the assembler writes `loc=scaling` and its examples use f16.";

/// Operands of the examples.
macro_rules! tiles {
    (left) => {
        "!pto.tile_buf<left, 16x16xf16, slayout=row_major>"
    };
    (right) => {
        "!pto.tile_buf<right, 16x16xf16, slayout=col_major>"
    };
    (acc) => {
        "!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>"
    };
    (bias) => {
        "!pto.tile_buf<bias, 1x16xf32>"
    };
    (row_left) => {
        "!pto.tile_buf<left, 16x16xf16, valid=1x16, slayout=row_major>"
    };
    (row_acc) => {
        "!pto.tile_buf<acc, 16x16xf32, valid=1x16, blayout=col_major, slayout=row_major, fractal=1024>"
    };
    (mx_left) => {
        "!pto.tile_buf<left, 16x64xf8E4M3FN, blayout=col_major, slayout=row_major>"
    };
    (mx_row_left) => {
        "!pto.tile_buf<left, 16x64xf8E4M3FN, valid=1x64, blayout=col_major, slayout=row_major>"
    };
    (mx_right) => {
        "!pto.tile_buf<right, 64x16xf8E4M3FN, slayout=col_major>"
    };
    (left_scale) => {
        "!pto.tile_buf<scaling, 16x2x!pto.f8E8M0, slayout=row_major, fractal=32>"
    };
    (row_left_scale) => {
        "!pto.tile_buf<scaling, 1x2x!pto.f8E8M0, slayout=row_major, fractal=32>"
    };
    (right_scale) => {
        "!pto.tile_buf<scaling, 2x16x!pto.f8E8M0, blayout=col_major, slayout=col_major, fractal=32>"
    };
    (hif4_left) => {
        "!pto.tile_buf<left, 16x64x!pto.f4E1M2x2, blayout=col_major, slayout=row_major>"
    };
    (hif4_right) => {
        "!pto.tile_buf<right, 64x16x!pto.f4E1M2x2, slayout=col_major>"
    };
    (cells) => {
        "!pto.tile_buf<mat, 16x32xui8, valid=16x4>"
    };
}

/// A function that takes every operand as a parameter and uses one instruction.
macro_rules! example {
    ($op:literal; $($name:literal $tile:ident),+ => $out:ident) => {
        concat!(
            "func.func @f(", $("%", $name, ": ", tiles!($tile), ", ",)+ "%d: ", tiles!($out), ") {\n  ", $op, " ins(",
            example!(@names $($name),+), " : ", example!(@types $($tile),+), ") outs(%d : ", tiles!($out), ")\n  return\n}\n",
        )
    };
    (@names $first:literal $(, $name:literal)*) => { concat!("%", $first $(, ", %", $name)*) };
    (@types $first:ident $(, $tile:ident)*) => { concat!(tiles!($first) $(, ", ", tiles!($tile))*) };
}

family! { Matrix, "pto", matrix;
    /// Matrix product into an accumulator.
    ///
    /// `dst[m,n] = Σ_k a[m,k] · b[k,n]`, with M and K the valid extents of `a` and N the valid columns of `b`. The sum is
    /// kept in the type of `dst`: f32 for floating-point operands, i32 (wrapping) for 8-bit integers.
    /// The valid rows of `b` must be K and the valid region of `dst` M × N. Every extent is at most 4095.
    ///
    /// `accPhase` couples the cube with the fix pipe through unit flags (`partial`, then `final`) so that a store may
    /// start while the product runs; it changes no value. f32 operands are rounded first when a rounding mode is on.
    tmatmul: MATMUL
        .hazards(hazards::MATMUL)
        .cpp("TMATMUL")
        .cpp_templates(&["accPhase"])
        .page("docs/isa/TMATMUL.md")
        .notes(&[
            SUM_NOTE,
            "Older assemblers compare the physical shapes, newer ones the valid extents; the headers compare neither.",
            "A2/A3 turns M = 1 into 16 rows so that the vector-matrix mode is not entered; the extra rows of dst are garbage.",
        ])
        .example(example!("pto.tmatmul"; "a" left, "b" right => acc))
        .bytecode_variant(0x1032, 0, 3);

    /// Matrix product added to an accumulator.
    ///
    /// `dst[m,n] = acc_in[m,n] + Σ_k a[m,k] · b[k,n]`. Extents as in `tmatmul`; `acc_in` has the type of `dst`.
    /// Use it for every slice of K but the first.
    tmatmul_acc = "tmatmul.acc": MATMUL
        .hazards(hazards::ACCUMULATE)
        .alias(Aliasing::InPlace)
        .alias_names(&["tmatmul_acc"])
        .slots(&[ACC_IN, A, B, DST])
        .rules(&[(Targets::ALL, SAME_ACC)])
        .cpp("TMATMUL_ACC")
        .cpp_alike(&[&["dst", "acc_in"]])
        .cpp_templates(&["accPhase"])
        .page("docs/isa/TMATMUL_ACC.md")
        .notes(&["The public simulator sums the products first and then adds `acc_in`; here the sum starts from `acc_in`."])
        .example(example!("pto.tmatmul.acc"; "c" acc, "a" left, "b" right => acc))
        .bytecode_variant(0x1032, 1, 4);

    /// Matrix product plus a row of biases.
    ///
    /// `dst[m,n] = bias[0,n] + Σ_k a[m,k] · b[k,n]`. `bias` is one row in the bias table with the element type of `dst`.
    tmatmul_bias = "tmatmul.bias": MATMUL
        .hazards(hazards::MATMUL)
        .alias_names(&["tmatmul_bias"])
        .slots(&[A, B, BIAS, DST])
        .rules(&[(Targets::ALL, BIAS_ROW), (Targets::A5, BIAS_ND)])
        .cpp("TMATMUL_BIAS")
        .cpp_templates(&["accPhase"])
        .page("docs/isa/TMATMUL_BIAS.md")
        .notes(&["Pages show an f16 bias with an f32 result; the headers do not take it. Widen it with tmov (mat to bias)."])
        .example(example!("pto.tmatmul.bias"; "a" left, "b" right, "bias" bias => acc))
        .bytecode_variant(0x1032, 2, 4);

    /// Matrix product of block-scaled operands (MX formats).
    ///
    /// `dst[m,n] = Σ_k a[m,k]·2^(sa-127) · b[k,n]·2^(sb-127)` with `sa = a_scale[m, k/32]` and `sb = b_scale[k/32, n]`, the
    /// codes of the f8e8m0 scales. Operands are both 8-bit floats or both 4-bit floats; the result is f32.
    /// K is the valid columns of `a`; the columns of `a` are a multiple of 64. Columns of 4-bit tiles count elements.
    tmatmul_mx = "tmatmul.mx": MX
        .alias_names(&["tmatmul_mx"])
        .rules(&[(Targets::DEVICES, MX_DEPTH)])
        .cpp("TMATMUL_MX")
        .cpp_templates(&["accPhase"])
        .page("docs/isa/TMATMUL_MX.md")
        .notes(&[SCALE_NOTE, "The public simulator forms each product in double precision; here a factor times its scale is an f32, then the sum is that of `tmatmul`."])
        .example(example!("pto.tmatmul.mx"; "a" mx_left, "sa" left_scale, "b" mx_right, "sb" right_scale => acc))
        .bytecode_variant(0x1033, 0, 5);

    /// Block-scaled matrix product added to an accumulator.
    ///
    /// As `tmatmul.mx`, starting from `acc_in[m,n]`.
    tmatmul_mx_acc = "tmatmul.mx.acc": MX
        .hazards(hazards::ACCUMULATE)
        .alias(Aliasing::InPlace)
        .alias_names(&["tmatmul_mx_acc"])
        .slots(&[ACC_IN, A, A_SCALE, B, B_SCALE, DST])
        .rules(&[(Targets::ALL, SAME_ACC), (Targets::DEVICES, MX_DEPTH)])
        .cpp("TMATMUL_MX")
        .cpp_alike(&[&["dst", "acc_in"]])
        .cpp_templates(&["accPhase"])
        .page("docs/isa/TMATMUL_MX.md")
        .notes(&[SCALE_NOTE])
        .example(example!("pto.tmatmul.mx.acc"; "c" acc, "a" mx_left, "sa" left_scale, "b" mx_right, "sb" right_scale => acc))
        .bytecode_variant(0x1033, 1, 6);

    /// Block-scaled matrix product plus a row of biases.
    ///
    /// As `tmatmul.mx`, starting from `bias[0,n]`, one row of f32.
    tmatmul_mx_bias = "tmatmul.mx.bias": MX
        .alias_names(&["tmatmul_mx_bias"])
        .slots(&[A, A_SCALE, B, B_SCALE, BIAS, DST])
        .rules(&[(Targets::ALL, BIAS_ROW), (Targets::A5, BIAS_ND), (Targets::DEVICES, MX_DEPTH)])
        .cpp("TMATMUL_MX")
        .cpp_templates(&["accPhase"])
        .page("docs/isa/TMATMUL_MX.md")
        .notes(&[SCALE_NOTE])
        .example(example!("pto.tmatmul.mx.bias"; "a" mx_left, "sa" left_scale, "b" mx_right, "sb" right_scale, "bias" bias => acc))
        .bytecode_variant(0x1033, 2, 6);

    /// Matrix product of HiFloat4 operands with three levels of scales.
    ///
    /// `dst[m,n] = Σ_k dec(a[m,k]) · dec(b[k,n])` with `dec(x) = x · Ea · 2^Eb · 2^Ec`: `x` is an e1m2 nibble, `Ea` an unsigned
    /// e6m2 number `(1 + m/4)·2^(e-48)` shared by 64 elements along k, `Eb` one bit per 8 and `Ec` one bit per 4 elements.
    ///
    /// A scale cell covers 16 rows (columns of `b`) and 64 elements along k in 64 bytes: 16 pairs `(Ea, Eb)`, then
    /// 16 pairs `(Ec low, Ec high)`, bits from the least significant. The accumulator is f32.
    /// Only a later device has this instruction; here it runs on the host.
    tmatmul_mx_hif4 = "tmatmul.mx.hif4": CUBE
        .only(Targets::CPU)
        .slots(&[
            tile_in("a").at(&[Loc::Left]).elem(&[F4E1M2]),
            tile_in("a_scale").elem(&[U8]),
            tile_in("b").at(&[Loc::Right]).elem(&[F4E1M2]),
            tile_in("b_scale").elem(&[U8]),
            tile_out("dst").at(&[Loc::Acc]).elem(&[F32]),
        ])
        .rules(&[
            (Targets::ALL, PRODUCT),
            (Targets::ALL, MX_DEPTH),
            (Targets::ALL, Rule::Named("scales: 4 bytes per row (column of b) and 64 elements along k", cell_scales)),
        ])
        .cpp("TMATMUL_MX")
        .page("docs/isa/TMATMUL_MX_HIF4.md")
        .notes(&[
            "No assembly form exists; the mnemonic is ours. In C++ it is the TMATMUL_MX overload for hifloat4x2_t.",
            "The page gives no decoding; bias and bit order are those of the public tests.",
        ])
        .example(example!("pto.tmatmul.mx.hif4"; "a" hif4_left, "sa" cells, "b" hif4_right, "sb" cells => acc))
        .cpp_missing("no device of the headers has it");

    /// Row vector times matrix.
    ///
    /// `dst[0,n] = Σ_k a[0,k] · b[k,n]`: `a` and `dst` have one valid row, K is the valid rows of `b`. The cube streams the
    /// vector without padding it to 16 rows.
    tgemv: MATMUL
        .rules(&[(Targets::ALL, ONE_ROW_A), (Targets::ALL, ONE_ROW_DST)])
        .cpp("TGEMV")
        .cpp_templates(&["accPhase"])
        .page("docs/isa/TGEMV.md")
        .notes(&["The assembler's manual describes matrix times column vector; everyone else, its own checks included, row vector times matrix."])
        .example(example!("pto.tgemv"; "a" row_left, "b" right => row_acc))
        .bytecode_variant(0x102A, 0, 3);

    /// Row vector times matrix, added to an accumulator.
    ///
    /// `dst[0,n] = acc_in[0,n] + Σ_k a[0,k] · b[k,n]`.
    tgemv_acc = "tgemv.acc": MATMUL
        .hazards(hazards::ACCUMULATE)
        .alias(Aliasing::InPlace)
        .alias_names(&["tgemv_acc"])
        .slots(&[ACC_IN, A, B, DST])
        .rules(&[(Targets::ALL, SAME_ACC), (Targets::ALL, ONE_ROW_A), (Targets::ALL, ONE_ROW_DST)])
        .cpp("TGEMV_ACC")
        .cpp_alike(&[&["dst", "acc_in"]])
        .cpp_templates(&["accPhase"])
        .page("docs/isa/TGEMV_ACC.md")
        .example(example!("pto.tgemv.acc"; "c" row_acc, "a" row_left, "b" right => row_acc))
        .bytecode_variant(0x102A, 1, 4);

    /// Row vector times matrix, plus a row of biases.
    ///
    /// `dst[0,n] = bias[0,n] + Σ_k a[0,k] · b[k,n]`; `bias` has the element type of `dst`.
    tgemv_bias = "tgemv.bias": MATMUL
        .alias_names(&["tgemv_bias"])
        .slots(&[A, B, BIAS, DST])
        .rules(&[(Targets::ALL, BIAS_ROW), (Targets::A5, BIAS_ND), (Targets::ALL, ONE_ROW_A), (Targets::ALL, ONE_ROW_DST)])
        .cpp("TGEMV_BIAS")
        .cpp_templates(&["accPhase"])
        .page("docs/isa/TGEMV_BIAS.md")
        .example(example!("pto.tgemv.bias"; "a" row_left, "b" right, "bias" bias => row_acc))
        .bytecode_variant(0x102A, 2, 4);

    /// Row vector times matrix with block scales (MX formats).
    ///
    /// As `tmatmul.mx` with one valid row in `a` and `dst`.
    tgemv_mx = "tgemv.mx": MX
        .alias_names(&["tgemv_mx"])
        .rules(&[(Targets::ALL, ONE_ROW_A), (Targets::ALL, ONE_ROW_DST)])
        .cpp("TGEMV_MX")
        .cpp_templates(&["accPhase"])
        .page("docs/isa/TGEMV_MX.md")
        .notes(&[SCALE_NOTE])
        .example(example!("pto.tgemv.mx"; "a" mx_row_left, "sa" row_left_scale, "b" mx_right, "sb" right_scale => row_acc))
        .bytecode_variant(0x102A, 3, 5);

    /// Block-scaled row vector times matrix, added to an accumulator.
    ///
    /// As `tgemv.mx`, starting from `acc_in[0,n]`.
    tgemv_mx_acc = "tgemv.mx.acc": MX
        .hazards(hazards::ACCUMULATE)
        .alias(Aliasing::InPlace)
        .alias_names(&["tgemv_mx_acc"])
        .slots(&[ACC_IN, A, A_SCALE, B, B_SCALE, DST])
        .rules(&[(Targets::ALL, SAME_ACC), (Targets::ALL, ONE_ROW_A), (Targets::ALL, ONE_ROW_DST)])
        .cpp("TGEMV_MX")
        .cpp_alike(&[&["dst", "acc_in"]])
        .cpp_templates(&["accPhase"])
        .page("docs/isa/TGEMV_MX.md")
        .notes(&[SCALE_NOTE])
        .example(example!("pto.tgemv.mx.acc"; "c" row_acc, "a" mx_row_left, "sa" row_left_scale, "b" mx_right, "sb" right_scale => row_acc))
        .bytecode_variant(0x102A, 4, 6);

    /// Block-scaled row vector times matrix, plus a row of biases.
    ///
    /// As `tgemv.mx`, starting from `bias[0,n]`, one row of f32.
    tgemv_mx_bias = "tgemv.mx.bias": MX
        .alias_names(&["tgemv_mx_bias"])
        .slots(&[A, A_SCALE, B, B_SCALE, BIAS, DST])
        .rules(&[(Targets::ALL, BIAS_ROW), (Targets::A5, BIAS_ND), (Targets::ALL, ONE_ROW_A), (Targets::ALL, ONE_ROW_DST)])
        .cpp("TGEMV_MX")
        .cpp_templates(&["accPhase"])
        .page("docs/isa/TGEMV_MX.md")
        .notes(&[SCALE_NOTE])
        .example(example!("pto.tgemv.mx.bias"; "a" mx_row_left, "sa" row_left_scale, "b" mx_right, "sb" right_scale, "bias" bias => row_acc))
        .bytecode_variant(0x102A, 5, 6);

    /// Binds a scale tile to the scale memory that belongs to a left or right tile.
    ///
    /// The cube finds the block scales of an operand by the operand's own address: `address(dst) = address(src) >> 4`.
    /// No data moves. Load the scales into `dst` afterwards. `dst` has one entry per 32 elements along k.
    tget_scale_addr: Row::EMPTY
        .regions(&[region("dst", From::ScaledRows("src", scale_rows), From::ScaledCols("src", scale_cols))])
        .only(Targets::A5_CPU)
        .alias_names(&["get_scale_addr"])
        .slots(&[
            tile_in("src").at(&[Loc::Left, Loc::Right]),
            tile_out("dst").at(&[Loc::Scaling, Loc::ScaleLeft, Loc::ScaleRight]),
        ])
        .pipe(Pipe::S)
        .effect(Effect::View)
        .cost(CostClass::Scalar)
        .rules(&[(Targets::ALL, Rule::Named("dst: M × K/32 for a left tile, K/32 × N for a right one", bound_scales))])
        .cpp("TGET_SCALE_ADDR")
        .page("docs/isa/TGET_SCALE_ADDR.md")
        .notes(&[
            "One page says the address is shifted by 2; the headers shift by 4. The public simulator does not shift.",
            "Older assemblers gave scale tiles the shape of their operand; newer ones and the headers do not.",
        ])
        .example(example!("pto.tget_scale_addr"; "a" mx_left => left_scale))
        .bytecode(0x1078, 2);

    /// Turns rounding of f32 operands to HF32 on or off for later products.
    ///
    /// HF32 keeps the sign, 8 exponent bits and 11 mantissa bits. The mode stays until it is changed.
    /// Documented only: no device header and no assembler has it, so it exists on the host alone.
    sethf32mode: Row::EMPTY
        .only(Targets::CPU)
        .attrs(MODE)
        .pattern("{}")
        .pipe(Pipe::S)
        .effect(Effect::Config)
        .cost(CostClass::Scalar)
        .cpp("SETHF32MODE")
        .cpp_templates(&["enable", "mode"])
        .page("docs/isa/tile/ops/sync-and-config/sethf32mode.md")
        .notes(&["In the headers the mode is set with Tile::SetMadTF32Mode and reset with Tile::ResetMadMode."])
        .example("func.func @f() {\n  pto.sethf32mode {enable = true}\n  return\n}\n")
        .cpp_missing("the device headers have no such function");

    /// Turns rounding of f32 operands to TF32 on or off for later products.
    ///
    /// TF32 keeps the sign, 8 exponent bits and 10 mantissa bits (A2/A3 would keep 11). The mode stays until it is changed.
    /// Documented only: no device header and no assembler has it, so it exists on the host alone.
    settf32mode: Row::EMPTY
        .only(Targets::CPU)
        .attrs(MODE)
        .pattern("{}")
        .pipe(Pipe::S)
        .effect(Effect::Config)
        .cost(CostClass::Scalar)
        .cpp("SETTF32MODE")
        .cpp_templates(&["enable", "mode"])
        .page("docs/isa/tile/ops/sync-and-config/settf32mode.md")
        .notes(&["The page speaks of a 7-bit mantissa on A5; the headers of 10 bits."])
        .example("func.func @f() {\n  pto.settf32mode {enable = true}\n  return\n}\n")
        .cpp_missing("the device headers have no such function");
}
