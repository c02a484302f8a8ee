//! Reductions along rows and columns.

use crate::text;
use super::hazards;
use super::partial::{all, equal, is_nothing, require_equal};
use crate::DType::*;
use crate::Target::{A2A3, A5, Cpu};
use crate::row::{Aliasing, AttrKind, CostClass, Domain, From, Infer, Orders, Row, Scratch, Slot, Sums, form, opt_attr, region};
use crate::rules::{AttrValue, Broken, Instance, Rule, Verdict};
use crate::shape::{UNARY, scratch, tile_in, tile_out};
use crate::{BLOCK_BYTES, Dim, Order, Pipe, Targets, TileType, codes};

/// Bytes a vector instruction works on in one step.
const REPEAT_BYTES: u64 = 256;

const REDUCE: Row = Row::EMPTY.pipe(Pipe::V).domain(Domain::Valid("src")).alias(Aliasing::None);

const SRC: Slot = tile_in("src").vec().order(Orders::ND).data();

/// `dst[i,0] = f(src[i,0..])`
const ROW_REDUCE: Row = REDUCE
    .regions(&[region("dst", From::Rows("src"), From::Fixed(1))])
    .cost(CostClass::RowReduce)
    .slots(&[SRC, scratch("tmp"), tile_out("dst").vec().order(Orders::NONE_BOX).data()])
    .shape_rules(&[
        (Targets::A2A3, Rule::SameElem(&["src", "tmp"])),
        (Targets::ALL, Rule::Named(COLUMN, column)),
        (
            Targets::ALL,
            Rule::Named("dst: valid rows of src, one valid column; src not empty (dst 0x0: does nothing)", per_row),
        ),
    ])
    .types(A2A3, &[I32, I16, F16, F32])
    .any_number_on_cpu();

/// `dst_idx[i,0] = argf(src[i,0..])`, and the value when asked for.
const ROW_ARG: Row = REDUCE
    .cost(CostClass::RowReduce)
    .slots(&[
        SRC,
        scratch("tmp"),
        tile_out("dst_val").vec().order(Orders::NONE_BOX).data().optional(),
        tile_out("dst_idx").vec().order(Orders::NONE_BOX).elem(&[I16, U16, I32, U32]),
    ])
    .shape_rules(&[
        (Targets::A2A3, Rule::SameElem(&["src", "tmp"])),
        (Targets::ALL, Rule::NonEmpty(&["src"])),
        (Targets::ALL, Rule::SameValidRows(&["src", "dst_idx", "dst_val"])),
        (Targets::ALL, Rule::ValidCols("dst_idx", 1)),
        (Targets::ALL, Rule::ValidCols("dst_val", 1)),
        (Targets::ALL, Rule::Named(COLUMN, column)),
        (
            Targets::ALL,
            Rule::Named("dst_idx: i32 or ui32; with dst_val and 2-byte elements also i16 or ui16", row_index_type),
        ),
    ])
    .types(A2A3, &[I32, I16, F16, F32])
    .types(A5, &[I16, U16, I32, U32, F16, Bf16, F32])
    .any_number_on_cpu()
    .scratch(Scratch {
        slot: "tmp",
        required: Targets::A2A3,
        forbidden: Targets::NONE,
        ignored: Targets::NONE,
        rule: "a2a3: per row, the values and indices of every 256-byte step; nothing is kept there when a row is one step",
        bytes: Some(row_arg_bytes),
        written: None,
    })
    .cpp_args(&["dst_val", "dst_idx", "src", "tmp"]);

/// `dst[0,j] = f(src[0..,j])`
const COL_REDUCE: Row = REDUCE
    .regions(&[region("dst", From::Fixed(1), From::Cols("src"))])
    .cost(CostClass::ColReduce)
    .slots(&[SRC, tile_out("dst").vec().order(Orders::ND).data()])
    .shape_rules(&[(Targets::ALL, Rule::Named(PER_COLUMN, per_column))])
    .types(A2A3, &[I32, I16, F16, F32])
    .types(A5, &[I8, U8, I16, U16, I32, U32, I64, U64, F16, Bf16, F32]);

/// `dst_idx[0,j] = argf(src[0..,j])`, and the value when asked for.
const COL_ARG: Row = REDUCE
    .cost(CostClass::ColReduce)
    .slots(&[
        SRC,
        scratch("tmp"),
        tile_out("dst_val").vec().order(Orders::ND).data().optional(),
        tile_out("dst_idx").vec().order(Orders::ND).elem(&[I16, U16, I32, U32]),
    ])
    .shape_rules(&[
        (Targets::A2A3, Rule::SameElem(&["src", "tmp"])),
        (Targets::ALL, Rule::NonEmpty(&["src"])),
        (Targets::ALL, Rule::SameValidCols(&["src", "dst_idx", "dst_val"])),
        (Targets::ALL, Rule::ValidRows("dst_idx", 1)),
        (Targets::ALL, Rule::ValidRows("dst_val", 1)),
        (
            Targets::ALL,
            Rule::Named("dst_idx: i32 or ui32; with dst_val as wide as src, which then has 2 or 4 bytes", col_index_type),
        ),
    ])
    .types(A2A3, &[U16, U32, F16, F32])
    .types(A5, &[I8, U8, I16, U16, I32, U32, F16, Bf16, F32])
    .any_number_on_cpu()
    .scratch(Scratch {
        slot: "tmp",
        required: Targets::A2A3,
        forbidden: Targets::NONE,
        ignored: Targets::NONE,
        rule: "a2a3: two parts (three for 2-byte elements without dst_val) of one 256-byte step, or of the valid columns rounded up to 32 bytes if that is less",
        bytes: Some(col_arg_bytes),
        written: None,
    })
    .cpp_args(&["dst_val", "dst_idx", "src", "tmp"]);

const COLUMN: &str = "a col-major destination has one column";
const PER_COLUMN: &str = "dst: valid columns of src; on a5 src is not empty (dst 0x0: does nothing)";

/// A column vector may be stored column-major; a wider column-major tile may not.
fn column(i: &Instance) -> Verdict {
    for slot in ["dst", "dst_val", "dst_idx"] {
        if let Some(t) = i.tile(slot)
            && t.order() == Order::Dn
            && t.cols != 1
        {
            let found = text!("`{slot}` is col-major with {cols} columns", slot, cols = t.cols);
            let legal = text!("one column, or row_major");
            return Verdict::Broken(Broken::new(codes::LAYOUT, vec![i.at(slot)], found, legal));
        }
    }
    Verdict::Holds
}

fn per_row(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src"), i.tile("dst")) else { return Verdict::Holds };
    if is_nothing(dst) {
        return Verdict::Holds;
    }
    let rows = require_equal(dst.valid_rows, src.valid_rows, || {
        differ(i, text!("`dst` has {valid_rows} valid rows, `src` has {valid_rows2}", valid_rows = dst.valid_rows, valid_rows2 = src.valid_rows), src.valid_rows)
    });
    let cols = require_equal(dst.valid_cols, Dim::Fixed(1), || {
        differ(i, text!("`dst` has {valid_cols} valid columns", valid_cols = dst.valid_cols), Dim::Fixed(1))
    });
    all([not_empty(i, src), rows, cols])
}

fn per_column(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src"), i.tile("dst")) else { return Verdict::Holds };
    if is_nothing(dst) {
        return Verdict::Holds;
    }
    let filled = if i.target == A5 { not_empty(i, src) } else { Verdict::Holds };
    let cols = require_equal(dst.valid_cols, src.valid_cols, || {
        let found = text!("`dst` has {valid_cols} valid columns, `src` has {valid_cols2}", valid_cols = dst.valid_cols, valid_cols2 = src.valid_cols);
        differ(i, found, src.valid_cols)
    });
    all([filled, cols])
}

fn differ(i: &Instance, found: String, legal: Dim) -> Broken {
    Broken::new(codes::VALID_REGION, vec![i.at("dst"), i.at("src")], found, legal.to_string())
}

fn not_empty(i: &Instance, src: &TileType) -> Verdict {
    let zero = |d: Dim| equal(d, Dim::Fixed(0));
    match (zero(src.valid_rows), zero(src.valid_cols)) {
        (Some(true), _) | (_, Some(true)) => Verdict::Broken(Broken::new(
            codes::VALID_REGION,
            vec![i.at("src")],
            text!("`src` has an empty valid region"),
            text!("at least one row and column"),
        )),
        (Some(false), Some(false)) => Verdict::Holds,
        _ => Verdict::Dynamic,
    }
}

fn row_index_type(i: &Instance) -> Verdict {
    let (Some(src), Some(idx)) = (i.tile("src"), i.tile("dst_idx")) else { return Verdict::Holds };
    let narrow = i.given("dst_val") && src.dtype.bits() == 16;
    Verdict::require(idx.dtype.bits() == 32 || narrow, || index_broken(i, idx, "i32 or ui32"))
}

fn col_index_type(i: &Instance) -> Verdict {
    let (Some(src), Some(idx)) = (i.tile("src"), i.tile("dst_idx")) else { return Verdict::Holds };
    match (i.given("dst_val"), src.dtype.bits()) {
        (true, 16) => Verdict::require(idx.dtype.bits() == 16, || index_broken(i, idx, "i16 or ui16")),
        (true, 8) => {
            let found = text!("`src` is {dtype}, and `dst_val` is given", dtype = src.dtype);
            let legal = text!("elements of 2 or 4 bytes, or only the index");
            Verdict::Broken(Broken::new(codes::ELEM_COMBINATION, vec![i.at("src")], found, legal))
        }
        _ => Verdict::require(idx.dtype.bits() == 32, || index_broken(i, idx, "i32 or ui32")),
    }
}

fn index_broken(i: &Instance, idx: &TileType, legal: &str) -> Broken {
    let slots = vec![i.at("dst_idx"), i.at("src")];
    Broken::new(codes::ELEM_COMBINATION, slots, text!("`dst_idx` is {dtype}", dtype = idx.dtype), legal)
}

/// Properties of a source on a2a3: valid rows, valid columns, bytes of an element.
fn a2a3_source<'a>(i: &Instance<'a>) -> Option<(u64, u64, u64, &'a TileType)> {
    let src = i.tile("src").filter(|_| i.target == A2A3)?;
    Some((src.valid_rows.fixed()?, src.valid_cols.fixed()?, u64::from(src.dtype.unit_bytes()), src))
}

/// Half of the full steps of every row, at least one; rows of one step need nothing. Integers use one block.
fn row_sum_bytes(i: &Instance) -> Option<u64> {
    row_bytes(i, |steps| (steps / 2).max(1))
}

/// One step for every row; rows of one step need nothing. Integers use one block.
fn row_extreme_bytes(i: &Instance) -> Option<u64> {
    row_bytes(i, |_| 1)
}

fn row_bytes(i: &Instance, kept: fn(u64) -> u64) -> Option<u64> {
    let (rows, cols, size, src) = a2a3_source(i)?;
    if src.dtype.is_int() {
        return Some(BLOCK_BYTES);
    }
    let steps = cols * size / REPEAT_BYTES;
    Some(if cols * size <= REPEAT_BYTES { 0 } else { rows * kept(steps) * REPEAT_BYTES })
}

/// One block, reused for every row.
fn one_block(i: &Instance) -> Option<u64> {
    a2a3_source(i).map(|_| BLOCK_BYTES)
}

/// Value and index of every step, then of every step over those; each part in whole blocks.
fn row_arg_bytes(i: &Instance) -> Option<u64> {
    let (rows, cols, size, _) = a2a3_source(i)?;
    let (step, block) = (REPEAT_BYTES / size, BLOCK_BYTES / size);
    let blocks = |n: u64| n.next_multiple_of(block);
    let first = cols.div_ceil(step);
    let stride = if cols <= step {
        if i.given("dst_val") { 2 } else { 0 }
    } else if cols <= step * step {
        blocks(2 * first) + blocks(first)
    } else {
        let second = first.div_ceil(step);
        blocks(2 * first).max(blocks(first) + blocks(2 * second)) + 2
    };
    Some(rows * stride * size)
}

fn col_arg_bytes(i: &Instance) -> Option<u64> {
    let (_, cols, size, _) = a2a3_source(i)?;
    let part = (cols * size).next_multiple_of(BLOCK_BYTES).min(REPEAT_BYTES);
    let parts = if size == 2 && !i.given("dst_val") { 3 } else { 2 };
    Some(parts * part)
}

fn is_tree(i: &Instance) -> bool {
    i.attr("isBinary") == Some(AttrValue::Bool(true))
}

/// Half of the rows, when the sum is a tree.
fn col_sum_bytes(i: &Instance) -> Option<u64> {
    let src = i.tile("src").filter(|_| is_tree(i))?;
    Some(src.valid_rows.fixed()?.div_ceil(2) * src.valid_cols.fixed()? * u64::from(src.dtype.unit_bytes()))
}

/// The tree and its memory come together; the memory is as wide as the source.
fn tree_scratch(i: &Instance) -> Verdict {
    let at = vec![i.at("tmp")];
    let Some(tmp) = i.tile("tmp") else {
        let missing = i.manual && is_tree(i) && i.target != Cpu;
        return Verdict::require(!missing, || {
            Broken::new(codes::SCRATCH, at, text!("isBinary = true without `tmp`"), text!("a scratch tile for half of the rows"))
        });
    };
    if i.attr("isBinary").is_none() {
        return Verdict::Broken(Broken::new(codes::COMBINATION, at, "`tmp` without isBinary", text!("both or neither")));
    }
    match i.tile("src").map(|src| src.valid_cols) {
        Some(Dim::Fixed(cols)) if is_tree(i) => Verdict::require(tmp.cols >= cols, || {
            let found = text!("`tmp` has {cols2} columns, `src` has {cols} valid columns", cols2 = tmp.cols, cols);
            Broken::new(codes::SCRATCH, at, found, text!("at least {cols} columns", cols))
        }),
        Some(Dim::Dynamic) if is_tree(i) => Verdict::Dynamic,
        _ => Verdict::Holds,
    }
}

/// Programs for the reference page.
macro_rules! row_example {
    ($op:literal, $dst:literal) => {
        concat!(
            "func.func @row_reduction(%src: !pto.tile_buf<vec, 16x64xf32>, %tmp: !pto.tile_buf<vec, 16x64xf32>, %dst: !pto.tile_buf<vec, 16x1x",
            $dst,
            ", blayout=col_major>) {\n  pto.",
            $op,
            " ins(%src, %tmp : !pto.tile_buf<vec, 16x64xf32>, !pto.tile_buf<vec, 16x64xf32>) outs(%dst : !pto.tile_buf<vec, 16x1x",
            $dst,
            ", blayout=col_major>)\n  return\n}\n",
        )
    };
}

macro_rules! col_arg_example {
    ($op:literal) => {
        concat!(
            "func.func @col_index(%src: !pto.tile_buf<vec, 16x64xf32>, %tmp: !pto.tile_buf<vec, 16x64xf32>, %dst: !pto.tile_buf<vec, 1x64xi32>) {\n  pto.",
            $op,
            " ins(%src, %tmp : !pto.tile_buf<vec, 16x64xf32>, !pto.tile_buf<vec, 16x64xf32>) outs(%dst : !pto.tile_buf<vec, 1x64xi32>)\n  return\n}\n",
        )
    };
}

macro_rules! col_example {
    ($op:literal) => {
        concat!(
            "func.func @col_reduction(%src: !pto.tile_buf<vec, 16x64xf32>, %dst: !pto.tile_buf<vec, 1x64xf32>) {\n  pto.",
            $op,
            " ins(%src : !pto.tile_buf<vec, 16x64xf32>) outs(%dst : !pto.tile_buf<vec, 1x64xf32>)\n  return\n}\n",
        )
    };
}

const A5_IGNORES_TMP: &str = "a5 takes a scratch tile and does not use it.";

family! { Reduce, "pto", reduce;
    /// Sum of each row.
    ///
    /// `dst[i,0] = sum over j of src[i,j]` over the valid region of `src`; one result per row, in column 0 of `dst`.
    /// `dst` is row-major, or a col-major tile with one column.
    ///
    /// The order of the additions differs between targets, so floating-point results may differ in the last bits:
    /// a2a3 adds steps of 256 bytes pairwise in the element type, a5 adds one step after the other, the host goes from
    /// left to right and accumulates f16 in f32. Integers wrap.
    trowsum: ROW_REDUCE
        .hazards(hazards::ROW_SUM)
        .sums(Sums::Row("src", None))
        .types(A5, &[I32, I16, F16, F32, I64, U64])
        .scratch(Scratch {
            slot: "tmp",
            required: Targets::A2A3,
            forbidden: Targets::NONE,
            ignored: Targets::NONE,
            rule: "a2a3: floats in rows of more than 256 bytes need half of the row, in whole 256-byte steps, for every row; integers one block of 32 bytes",
            bytes: Some(row_sum_bytes),
            written: None,
        })
        .cpp("TROWSUM")
        .page("docs/isa/TROWSUM.md")
        .example(row_example!("trowsum", "f32"))
        .notes(&[
            "a2a3 writes nothing when a row is longer than 256 bytes and the scratch tile is narrower than that; the page only says that a tile like src is safe.",
            A5_IGNORES_TMP,
        ])
        .cpp_scratch("src")
        .bytecode(0x1054, 3);

    /// Product of each row.
    ///
    /// `dst[i,0] = product over j of src[i,j]` over the valid region of `src`; one result per row, in column 0 of
    /// `dst`. `dst` is row-major, or a col-major tile with one column. The order of the multiplications differs between
    /// targets. Integers wrap.
    trowprod: ROW_REDUCE
        .hazards(hazards::ROW_PRODUCT)
        .types(A5, &[I32, I16, F16, F32])
        .scratch(Scratch {
            slot: "tmp",
            required: Targets::A2A3,
            forbidden: Targets::NONE,
            ignored: Targets::NONE,
            rule: "a2a3: one block of 32 bytes",
            bytes: Some(one_block),
            written: None,
        })
        .cpp("TROWPROD")
        .page("docs/isa/TROWPROD.md")
        .example(row_example!("trowprod", "f32"))
        .notes(&[A5_IGNORES_TMP])
        .cpp_scratch("src");

    /// Largest element of each row.
    ///
    /// `dst[i,0] = max over j of src[i,j]` over the valid region of `src`; one result per row, in column 0 of `dst`.
    /// `dst` is row-major, or a col-major tile with one column. What a NaN in the row gives is not documented for
    /// the devices.
    trowmax: ROW_REDUCE
        .hazards(hazards::ROW_EXTREME)
        .types(A5, &[I32, I16, F16, F32, I8, U8, I64, U64])
        .scratch(Scratch {
            slot: "tmp",
            required: Targets::A2A3,
            forbidden: Targets::NONE,
            ignored: Targets::NONE,
            rule: "a2a3: floats in rows of more than 256 bytes need 256 bytes for every row; integers one block of 32 bytes",
            bytes: Some(row_extreme_bytes),
            written: None,
        })
        .cpp("TROWMAX")
        .page("docs/isa/TROWMAX.md")
        .example(row_example!("trowmax", "f32"))
        .notes(&[
            "a2a3 writes nothing when a row is longer than 256 bytes and the scratch tile is narrower than that.",
            A5_IGNORES_TMP,
        ])
        .cpp_scratch("src")
        .bytecode(0x1052, 3);

    /// Smallest element of each row.
    ///
    /// `dst[i,0] = min over j of src[i,j]` over the valid region of `src`; one result per row, in column 0 of `dst`.
    /// `dst` is row-major, or a col-major tile with one column. What a NaN in the row gives is not documented for
    /// the devices.
    trowmin: ROW_REDUCE
        .hazards(hazards::ROW_EXTREME)
        .types(A5, &[I32, I16, F16, F32, I8, U8, I64, U64])
        .scratch(Scratch {
            slot: "tmp",
            required: Targets::A2A3,
            forbidden: Targets::NONE,
            ignored: Targets::NONE,
            rule: "a2a3: floats in rows of more than 256 bytes need 256 bytes for every row; integers one block of 32 bytes",
            bytes: Some(row_extreme_bytes),
            written: None,
        })
        .cpp("TROWMIN")
        .page("docs/isa/TROWMIN.md")
        .example(row_example!("trowmin", "f32"))
        .notes(&[
            "a2a3 writes nothing when a row is longer than 256 bytes and the scratch tile is narrower than that.",
            A5_IGNORES_TMP,
        ])
        .cpp_scratch("src")
        .bytecode(0x1053, 3);

    /// Column of the largest element of each row, and the element itself when `dst_val` is given.
    ///
    /// `dst_idx[i,0] = ` the smallest `j` with `src[i,j] = max over k of src[i,k]`, and `dst_val[i,0]` that element, over
    /// the valid region of `src`. Results are in column 0. Destinations are row-major, or col-major with one column.
    /// What a NaN in the row gives is not documented for the devices.
    trowargmax: ROW_ARG
        .hazards(hazards::ROW_ARG)
        .cpp("TROWARGMAX")
        .page("docs/isa/TROWARGMAX.md")
        .example(row_example!("trowargmax", "i32"))
        .notes(&["The public assembler has only the form without dst_val.", A5_IGNORES_TMP])
        .cpp_scratch("src")
        .bytecode(0x1079, 3);

    /// Column of the smallest element of each row, and the element itself when `dst_val` is given.
    ///
    /// `dst_idx[i,0] = ` the smallest `j` with `src[i,j] = min over k of src[i,k]`, and `dst_val[i,0]` that element, over
    /// the valid region of `src`. Results are in column 0. Destinations are row-major, or col-major with one column.
    /// What a NaN in the row gives is not documented for the devices.
    trowargmin: ROW_ARG
        .hazards(hazards::ROW_ARG)
        .cpp("TROWARGMIN")
        .page("docs/isa/TROWARGMIN.md")
        .example(row_example!("trowargmin", "i32"))
        .notes(&["The public assembler has only the form without dst_val.", A5_IGNORES_TMP])
        .cpp_scratch("src")
        .bytecode(0x107A, 3);

    /// Sum of each column.
    ///
    /// `dst[0,j] = sum over i of src[i,j]` over the valid region of `src`; the result is row 0 of `dst`. With
    /// `isBinary = true` rows are added as a tree in `tmp`, which is faster for many rows and rounds differently;
    /// without it rows are added one after the other (in pairs on a5). Integers wrap.
    ///
    /// On a2a3 row 0 of `dst` is written first, in whole 32-byte blocks, so `dst` must not share memory with later
    /// rows of `src`, and elements after the valid columns may change.
    tcolsum: COL_REDUCE
        .hazards(hazards::COL_REDUCE)
        .sums(Sums::Column("src"))
        .slots(&[SRC, scratch("tmp").order(Orders::ND).data(), tile_out("dst").vec().order(Orders::ND).data()])
        .attrs(&[opt_attr("isBinary", AttrKind::Bool, "false", "add the rows as a tree in `tmp`")])
        .attrs_in_ins()
        .rules(&[(Targets::ALL, Rule::Named("tmp comes with isBinary and is as wide as src", tree_scratch))])
        .scratch(Scratch {
            slot: "tmp",
            required: Targets::NONE,
            forbidden: Targets::NONE,
            ignored: Targets::NONE,
            rule: "with isBinary = true: half of the valid rows of src (rounded up), each at least as wide as its valid columns",
            bytes: Some(col_sum_bytes),
            written: None,
        })
        .cpp("TCOLSUM")
        .cpp_args(&["dst", "src", "tmp", "isBinary"])
        .page("docs/isa/TCOLSUM.md")
        .example(col_example!("tcolsum"))
        .notes(&["The host ignores isBinary and adds the rows in order."])
        .cpp_forms(&[form("TCOLSUM($dst, $src, $tmp, =isBinary)"), form("TCOLSUM($dst, $src)")])
        .cpp_silent(&["isBinary"])
        .bytecode(0x101B, 3);

    /// Product of each column.
    ///
    /// `dst[0,j] = product over i of src[i,j]` over the valid region of `src`; the result is row 0 of `dst`. Rows are
    /// multiplied in order (in pairs on a5). Integers wrap.
    ///
    /// On a2a3 row 0 of `dst` is written first, in whole 32-byte blocks, so `dst` must not share memory with later
    /// rows of `src`, and elements after the valid columns may change.
    tcolprod: COL_REDUCE
        .hazards(hazards::COL_REDUCE)
        .types(A5, &[I16, U16, I32, U32, F16, Bf16, F32])
        .any_number_on_cpu()
        .cpp("TCOLPROD")
        .page("docs/isa/TCOLPROD.md")
        .example(col_example!("tcolprod"))
        .bytecode(0x101A, 2);

    /// Largest element of each column.
    ///
    /// `dst[0,j] = max over i of src[i,j]` over the valid region of `src`; the result is row 0 of `dst`. What a NaN
    /// gives is not documented for the devices.
    ///
    /// On a2a3 row 0 of `dst` is written first, in whole 32-byte blocks, so `dst` must not share memory with later
    /// rows of `src`, and elements after the valid columns may change.
    tcolmax: COL_REDUCE
        .hazards(hazards::COL_REDUCE)
        .cpp("TCOLMAX")
        .page("docs/isa/TCOLMAX.md")
        .example(col_example!("tcolmax"))
        .bytecode(0x1018, 2);

    /// Smallest element of each column.
    ///
    /// `dst[0,j] = min over i of src[i,j]` over the valid region of `src`; the result is row 0 of `dst`. What a NaN
    /// gives is not documented for the devices.
    ///
    /// On a2a3 row 0 of `dst` is written first, in whole 32-byte blocks, so `dst` must not share memory with later
    /// rows of `src`, and elements after the valid columns may change.
    tcolmin: COL_REDUCE
        .hazards(hazards::COL_REDUCE)
        .any_number_on_cpu()
        .cpp("TCOLMIN")
        .page("docs/isa/TCOLMIN.md")
        .example(col_example!("tcolmin"))
        .bytecode(0x1019, 2);

    /// Row of the largest element of each column, and the element itself when `dst_val` is given.
    ///
    /// `dst_idx[0,j] = ` the smallest `i` with `src[i,j] = max over k of src[k,j]`, and `dst_val[0,j]` that element, over
    /// the valid region of `src`. Results are in row 0. With a NaN in the column a2a3 takes the later row.
    tcolargmax: COL_ARG
        .hazards(hazards::COL_ARG)
        .cpp("TCOLARGMAX")
        .page("docs/isa/TCOLARGMAX.md")
        .example(col_arg_example!("tcolargmax"))
        .notes(&[
            "a2a3 orders ui16 and ui32 by their bits read as f16 and f32.",
            "a2a3 counts rows of f16 in f16 when only the index is asked for, which is exact up to 2048 rows.",
            "The page asks for one part of scratch for 4-byte elements; the a2a3 header uses two.",
            A5_IGNORES_TMP,
        ])
        .cpp_scratch("src")
        .bytecode(0x107B, 3);

    /// Row of the smallest element of each column, and the element itself when `dst_val` is given.
    ///
    /// `dst_idx[0,j] = ` the smallest `i` with `src[i,j] = min over k of src[k,j]`, and `dst_val[0,j]` that element, over
    /// the valid region of `src`. Results are in row 0. With a NaN in the column a2a3 takes the later row.
    tcolargmin: COL_ARG
        .hazards(hazards::COL_ARG)
        .cpp("TCOLARGMIN")
        .page("docs/isa/TCOLARGMIN.md")
        .example(col_arg_example!("tcolargmin"))
        .notes(&[
            "a2a3 orders ui16 and ui32 by their bits read as f16 and f32.",
            "a2a3 counts rows of f16 in f16 when only the index is asked for, which is exact up to 2048 rows.",
            "The page asks for one part of scratch for 4-byte elements; the a2a3 header uses two.",
            A5_IGNORES_TMP,
        ])
        .cpp_scratch("src")
        .bytecode(0x107C, 3);

    /// Sums of neighbouring columns, packed into the left half of each row.
    ///
    /// `dst[i,k] = src[i,2k] + src[i,2k+1]` for `k < ceil(C/2)`, where `C` is the number of valid columns; the last
    /// element of an odd row counts as its own pair, and the rest of the valid row becomes 0. `src` and `dst` have the
    /// same valid region.
    tpairreducesum: UNARY
        .hazards(hazards::TPAIRREDUCESUM)
        .cost(CostClass::RowReduce)
        .alias(Aliasing::None)
        .slots(&[SRC, tile_out("dst").vec().order(Orders::ND).data().infer(Infer::Like("src"))])
        .types(A2A3, &[F16, F32])
        .types(A5, &[F16, F32])
        .any_number_on_cpu()
        .cpp("TPAIRREDUCESUM")
        .page("docs/isa/TPairReduceSum.md")
        .notes(&[
            "Both device headers drop the last element of an odd row and leave the right half of dst as it was.",
            "On a5 a tile whose columns are all valid gets its sums packed without gaps between rows.",
            "The public assembler does not have this instruction.",
        ]);
}
