//! Instructions that broadcast one value per row, or one row, over a tile.

use crate::text;
use super::hazards;
use super::partial::{all, equal, is_empty, is_nothing, require_equal, same_valid, valid_text};
use crate::DType::*;
use crate::Target::{A2A3, A5};
use crate::row::{
    Aliasing, AttrKind, AttrSpec, CostClass, Domain, From, Infer, Orders, Row, Scratch, opt_attr, region,
};
use crate::rules::{AttrValue, Broken, Instance, Rule, Verdict};
use crate::shape::{scratch, tile_in, tile_out, vec_in, vec_out};
use crate::{BLOCK_BYTES, BLayout, DType, Dim, Pipe, Targets, TileType, codes, enums};

const EXPAND: Row = Row::EMPTY.pipe(Pipe::V).domain(Domain::Valid("dst"));

/// `dst[i,j] = src0[i,j] op b(i)`, where `b` comes from the per-row operand.
const ROW_EXPAND: Row = EXPAND
    .cost(CostClass::RowExpand)
    .alias(Aliasing::InPlace)
    .slots(&[
        tile_in("src0").vec().data(),
        tile_in("src1").vec().data(),
        scratch("tmp"),
        vec_out("dst").infer(Infer::Like("src0")),
    ])
    .attrs(ROW_HINTS)
    .advice(one_value_is_meant)
    .shape_rules(&[
        (
            Targets::ALL,
            Rule::Named(
                "one source, row-major, has the valid region of dst; the other has its valid rows and either one valid column (col-major) or 32 bytes of valid columns (row-major)",
                row_broadcast,
            ),
        ),
        (Targets::A2A3, Rule::Named("with tmp the per-row operand is col-major with one valid column", tmp_needs_values)),
        (Targets::A2A3, Rule::SameElem(&["dst", "tmp"])),
    ])
    .hazards(hazards::ROW_EXPAND)
    .scratch(Scratch {
        slot: "tmp",
        required: Targets::NONE,
        forbidden: Targets::NONE,
        ignored: Targets::A5,
        rule: "a2a3, one value per row: 256 bytes for every 8 valid rows of dst, and 7680 bytes from 256 rows on",
        bytes: Some(row_expand_bytes),
        written: None,
    });

/// `dst[i,j] = src0[i,j] op src1[0,j]`
const COL_EXPAND: Row = EXPAND
    .cost(CostClass::ColExpand)
    .alias(Aliasing::InPlace)
    .slots(&[vec_in("src0"), vec_in("src1"), vec_out("dst").infer(Infer::Like("src0"))])
    .hazards(hazards::COL_EXPAND)
    .shape_rules(&[(
        Targets::ALL,
        Rule::Named("one source has the valid region of dst, the other its valid columns", col_broadcast),
    )]);

const COPY: Row = EXPAND.alias(Aliasing::None);

const A2A3_TYPES: &[DType] = &[I32, I16, F16, F32];
const A5_TYPES: &[DType] = &[I8, U8, I16, U16, I32, U32, F16, Bf16, F32];
const RAW_A2A3: &[DType] = A5_TYPES;
const RAW_A5: &[DType] = &[I8, U8, I16, U16, I32, U32, I64, U64, F16, Bf16, F32];

/// Attributes that generators of public programs attach; no target reads them.
const ROW_HINTS: &[AttrSpec] = &[HINT_COL, HINT_FULL, HINT_PRECISION];
const HINT_COL: AttrSpec = opt_attr("src1Col", AttrKind::Any, "", "note of a program generator, without effect");
const HINT_FULL: AttrSpec = opt_attr("src0eqdst", AttrKind::Any, "", "note of a program generator, without effect");
const HINT_PRECISION: AttrSpec =
    opt_attr("highPrecision", AttrKind::Any, "", "note of a program generator, without effect");
const PRECISION: AttrSpec = opt_attr(
    "precisionType",
    AttrKind::Enum(&enums::DIV_PRECISION),
    "default",
    "accuracy of the division; only a5 has the high one",
);

/// Either source may be the full one; the usual reading, `src1` per row, is tried first.
fn row_broadcast(i: &Instance) -> Verdict {
    let (Some(a), Some(b), Some(d)) = (i.tile("src0"), i.tile("src1"), i.tile("dst")) else {
        return Verdict::Holds;
    };
    if is_empty(d) {
        return Verdict::Holds;
    }
    let usual = all([full(i, "src0", a, d), per_row(i, "src1", b, d)]);
    let swapped = all([full(i, "src1", b, d), per_row(i, "src0", a, d)]);
    match (usual, swapped) {
        (Verdict::Holds, _) | (_, Verdict::Holds) => Verdict::Holds,
        (Verdict::Dynamic, _) | (_, Verdict::Dynamic) => Verdict::Dynamic,
        (_, swapped) if same_valid(a, d) == Some(false) && same_valid(b, d) == Some(true) => swapped,
        (usual, _) => usual,
    }
}

/// The operand that has an element for every element of `dst`.
fn full(i: &Instance, slot: &str, t: &TileType, dst: &TileType) -> Verdict {
    if t.blayout != BLayout::RowMajor {
        let found = text!("`{slot}` is col-major", slot);
        return Verdict::Broken(Broken::new(codes::LAYOUT, vec![i.at(slot)], found, "row_major"));
    }
    same_valid(t, dst).map_or(Verdict::Dynamic, |same| {
        Verdict::require(same, || {
            let found = text!("`{slot}` has the valid region {valid_text}, `dst` has {valid_text2}", slot, valid_text = valid_text(t), valid_text2 = valid_text(dst));
            Broken::new(codes::VALID_REGION, vec![i.at(slot), i.at("dst")], found, valid_text(dst))
        })
    })
}

/// The operand that has one value, or one block of 32 bytes, for every row of `dst`.
fn per_row(i: &Instance, slot: &str, t: &TileType, dst: &TileType) -> Verdict {
    let rows = require_equal(t.valid_rows, dst.valid_rows, || {
        let found = text!("`{slot}` has {valid_rows} valid rows, `dst` has {valid_rows2}", slot, valid_rows = t.valid_rows, valid_rows2 = dst.valid_rows);
        Broken::new(codes::VALID_REGION, vec![i.at(slot), i.at("dst")], found, dst.valid_rows.to_string())
    });
    let block = BLOCK_BYTES / u64::from(t.dtype.unit_bytes());
    let (order, want) = match t.blayout {
        BLayout::ColMajor => (text!("col-major"), 1),
        BLayout::RowMajor => (text!("row-major"), block),
    };
    let cols = require_equal(t.valid_cols, Dim::Fixed(want), || {
        let found = text!("`{slot}` is {order} with {valid_cols} valid columns", slot, order, valid_cols = t.valid_cols);
        let legal = text!("1 valid column, col_major (one value per row); or {block}, row_major (32 bytes per row)", block);
        Broken::new(codes::VALID_REGION, vec![i.at(slot)], found, legal)
    });
    all([rows, cols])
}

/// A generator noted one value per row, and the tile repeats 32 bytes.
fn one_value_is_meant(i: &Instance) -> Option<Broken> {
    let (tile, noted) = (i.tile("src1")?, i.attr("src1Col")?);
    let is_per_row = same_valid(i.tile("src0")?, i.tile("dst")?) != Some(false);
    let repeats = is_per_row && tile.blayout == BLayout::RowMajor && tile.valid_cols != Dim::Fixed(1);
    (repeats && noted == AttrValue::Int(1)).then(|| {
        let found = text!("src1Col = 1, and a row-major `src1` repeats all {valid_cols} columns along each row", valid_cols = tile.valid_cols);
        let legal = text!("one value per row is {rows}x1, col_major", rows = tile.rows);
        Broken::new(codes::COMBINATION, vec![i.at("src1")], found, legal)
            .help(text!("make `src1` col_major with one column; without the attribute, 32 bytes per row are meant"))
    })
}

/// The form with scratch memory spreads one value per row; blocks of 32 bytes need none.
fn tmp_needs_values(i: &Instance) -> Verdict {
    let (Some(a), Some(b), Some(d)) = (i.tile("src0"), i.tile("src1"), i.tile("dst")) else {
        return Verdict::Holds;
    };
    if !i.given("tmp") || is_empty(d) {
        return Verdict::Holds;
    }
    let by_block = |t: &TileType| t.blayout == BLayout::RowMajor;
    Verdict::require(!(by_block(a) && by_block(b)), || {
        let found = text!("both sources are row-major, and `tmp` is given");
        let legal = text!("no `tmp`, or a per-row operand that is col_major with one valid column");
        Broken::new(codes::COMBINATION, vec![i.at("tmp"), i.at("src1")], found, legal)
    })
}

fn row_expand_bytes(i: &Instance) -> Option<u64> {
    let dst = i.tile("dst").filter(|_| i.target == A2A3)?;
    Some(match dst.valid_rows.fixed() {
        Some(rows) if rows >= 256 => 7680,
        Some(rows) => rows.div_ceil(8) * 256,
        // The most that any number of rows takes.
        None => dst.rows.min(255).div_ceil(8) * 256,
    })
}

/// `precisionType = high_precision` needs the form with scratch memory.
fn precise_needs_tmp(i: &Instance) -> Verdict {
    let precise = i.attr_name("precisionType") == Some("high_precision");
    Verdict::require(!precise || i.given("tmp"), || {
        Broken::new(codes::SCRATCH, vec![i.at("tmp")], "high_precision without `tmp`", text!("a scratch tile `tmp`"))
    })
}

/// Either source may be the full one; the other gives its row 0.
fn col_broadcast(i: &Instance) -> Verdict {
    let (Some(a), Some(b), Some(d)) = (i.tile("src0"), i.tile("src1"), i.tile("dst")) else {
        return Verdict::Holds;
    };
    if is_empty(d) {
        return Verdict::Holds;
    }
    let swapped = same_valid(a, d) == Some(false) && same_valid(b, d) != Some(false);
    if swapped {
        all([full(i, "src1", b, d), row_vector(i, "src0", a, d)])
    } else {
        all([full(i, "src0", a, d), row_vector(i, "src1", b, d)])
    }
}

fn row_vector(i: &Instance, slot: &str, t: &TileType, dst: &TileType) -> Verdict {
    require_equal(t.valid_cols, dst.valid_cols, || {
        let found = text!("`{slot}` has {valid_cols} valid columns, `dst` has {valid_cols2}", slot, valid_cols = t.valid_cols, valid_cols2 = dst.valid_cols);
        Broken::new(codes::VALID_REGION, vec![i.at(slot), i.at("dst")], found, dst.valid_cols.to_string())
    })
}

/// Rows agree and nothing is empty, unless nothing is valid at all.
fn rows_to_fill(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src"), i.tile("dst")) else { return Verdict::Holds };
    if is_nothing(dst) {
        return Verdict::Holds;
    }
    for (slot, t) in [("src", src), ("dst", dst)] {
        if [t.valid_rows, t.valid_cols].iter().any(|&d| equal(d, Dim::Fixed(0)) == Some(true)) {
            let found = text!("`{slot}` has the valid region {valid_text}", slot, valid_text = valid_text(t));
            let legal = text!("at least one row and column");
            return Verdict::Broken(Broken::new(codes::VALID_REGION, vec![i.at(slot)], found, legal));
        }
    }
    require_equal(src.valid_rows, dst.valid_rows, || {
        let found = text!("`src` has {valid_rows} valid rows, `dst` has {valid_rows2}", valid_rows = src.valid_rows, valid_rows2 = dst.valid_rows);
        Broken::new(codes::VALID_REGION, vec![i.at("src"), i.at("dst")], found, dst.valid_rows.to_string())
    })
}

/// Programs for the reference page: one value per row, and 32 bytes per row.
macro_rules! row_example {
    ($op:literal) => {
        concat!(
            "func.func @row_broadcast(%full: !pto.tile_buf<vec, 16x64xf32>, %value: !pto.tile_buf<vec, 16x1xf32, blayout=col_major>, %block: !pto.tile_buf<vec, 16x8xf32>, %dst: !pto.tile_buf<vec, 16x64xf32>) {\n  pto.",
            $op,
            " ins(%full, %value : !pto.tile_buf<vec, 16x64xf32>, !pto.tile_buf<vec, 16x1xf32, blayout=col_major>) outs(%dst : !pto.tile_buf<vec, 16x64xf32>)\n  pto.",
            $op,
            " ins(%full, %block : !pto.tile_buf<vec, 16x64xf32>, !pto.tile_buf<vec, 16x8xf32>) outs(%dst : !pto.tile_buf<vec, 16x64xf32>)\n  return\n}\n",
        )
    };
}

macro_rules! col_example {
    ($op:literal) => {
        concat!(
            "func.func @col_broadcast(%full: !pto.tile_buf<vec, 16x64xf32>, %row: !pto.tile_buf<vec, 1x64xf32>, %dst: !pto.tile_buf<vec, 16x64xf32>) {\n  pto.",
            $op,
            " ins(%full, %row : !pto.tile_buf<vec, 16x64xf32>, !pto.tile_buf<vec, 1x64xf32>) outs(%dst : !pto.tile_buf<vec, 16x64xf32>)\n  return\n}\n",
        )
    };
}

const TMP_A5: &str = "a5 takes tmp and does not use it; version 0.27 of the public assembler refuses it there.";
const TMP_A5_IGNORED: &str = "a5 takes tmp and does not use it.";

family! { Expand, "pto", expand;
    /// Spreads the first element of each row over the row.
    ///
    /// `dst[i,j] = src[i,0]` over the valid region of `dst`; a copy of bits. `src` is row-major or a col-major column
    /// and has as many valid rows as `dst`; only its column 0 is read.
    trowexpand: COPY
        .hazards(hazards::TROWEXPAND)
        .regions(&[region("dst", From::Rows("src"), From::Whole)])
        .cost(CostClass::RowExpand)
        .slots(&[tile_in("src").vec().order(Orders::NONE_BOX).data(), tile_out("dst").vec().order(Orders::ND).data()])
        .rules(&[(Targets::ALL, Rule::Named("src and dst: same valid rows, not empty (dst 0x0: does nothing)", rows_to_fill))])
        .types(A2A3, RAW_A2A3)
        .types(A5, RAW_A5)
        .any_bytes_on_cpu()
        .cpp("TROWEXPAND")
        .page("docs/isa/TROWEXPAND.md")
        .notes(&[
            "The a5 header wants a src with one valid column, or with valid columns set at run time; public programs for a5 also use wider ones.",
            "a2a3 reads a one-row src of M columns as a column when dst is M rows of 32 bytes.",
        ])
        .bytecode(0x104D, 2);

    /// Adds a value per row to a tile.
    ///
    /// `dst[i,j] = src0[i,j] + s(i,j)` over the valid region of `dst`. Integers wrap.
    ///
    /// `s` comes from `src1` in one of two forms. One value per row: `src1` is col-major with one valid column, and
    /// `s(i,j) = src1[i,0]`. 32 bytes per row: `src1` is row-major with `32 / element bytes` valid columns, packed, and
    /// `s(i,j) = src1[i, j mod (32 / element bytes)]`. `src1` has the valid rows of `dst`; `src0` has its valid region.
    /// The sources may change places; the order of the operation stays.
    trowexpandadd: ROW_EXPAND
        .types(A2A3, A2A3_TYPES)
        .types(A5, A5_TYPES)
        .cpp("TROWEXPANDADD")
        .cpp_args(&["dst", "src0", "src1", "tmp"])
        .page("docs/isa/TROWEXPANDADD.md")
        .example(row_example!("trowexpandadd"))
        .notes(&[TMP_A5_IGNORED])
        .cpp_silent(&["src1Col", "src0eqdst", "highPrecision"])
        .bytecode(0x104E, 3);

    /// Subtracts a value per row from a tile.
    ///
    /// `dst[i,j] = src0[i,j] - s(i,j)` over the valid region of `dst`. Integers wrap.
    ///
    /// `s` comes from `src1` in one of two forms. One value per row: `src1` is col-major with one valid column, and
    /// `s(i,j) = src1[i,0]`. 32 bytes per row: `src1` is row-major with `32 / element bytes` valid columns, packed, and
    /// `s(i,j) = src1[i, j mod (32 / element bytes)]`. `src1` has the valid rows of `dst`; `src0` has its valid region.
    /// The sources may change places; the order of the operation stays.
    trowexpandsub: ROW_EXPAND
        .types(A2A3, A2A3_TYPES)
        .types(A5, A5_TYPES)
        .cpp("TROWEXPANDSUB")
        .cpp_args(&["dst", "src0", "src1", "tmp"])
        .page("docs/isa/TROWEXPANDSUB.md")
        .example(row_example!("trowexpandsub"))
        .notes(&[TMP_A5_IGNORED])
        .cpp_silent(&["src1Col", "src0eqdst", "highPrecision"])
        .bytecode_counted(0x106B);

    /// Multiplies a tile with a value per row.
    ///
    /// `dst[i,j] = src0[i,j] * s(i,j)` over the valid region of `dst`. Integers wrap.
    ///
    /// `s` comes from `src1` in one of two forms. One value per row: `src1` is col-major with one valid column, and
    /// `s(i,j) = src1[i,0]`. 32 bytes per row: `src1` is row-major with `32 / element bytes` valid columns, packed, and
    /// `s(i,j) = src1[i, j mod (32 / element bytes)]`. `src1` has the valid rows of `dst`; `src0` has its valid region.
    /// The sources may change places; the order of the operation stays.
    trowexpandmul: ROW_EXPAND
        .types(A2A3, A2A3_TYPES)
        .types(A5, A5_TYPES)
        .cpp("TROWEXPANDMUL")
        .cpp_args(&["dst", "src0", "src1", "tmp"])
        .page("docs/isa/TROWEXPANDMUL.md")
        .example(row_example!("trowexpandmul"))
        .notes(&[TMP_A5_IGNORED])
        .cpp_silent(&["src1Col", "src0eqdst", "highPrecision"])
        .bytecode_counted(0x1074);

    /// Divides a tile by a value per row.
    ///
    /// `dst[i,j] = src0[i,j] / s(i,j)` over the valid region of `dst`. Rounding and division by zero as in `tdiv`.
    ///
    /// `s` comes from `src1` in one of two forms. One value per row: `src1` is col-major with one valid column, and
    /// `s(i,j) = src1[i,0]`. 32 bytes per row: `src1` is row-major with `32 / element bytes` valid columns, packed, and
    /// `s(i,j) = src1[i, j mod (32 / element bytes)]`. `src1` has the valid rows of `dst`; `src0` has its valid region.
    /// The sources may change places; the order of the operation stays.
    trowexpanddiv: ROW_EXPAND
        .attrs(&[PRECISION, HINT_COL, HINT_FULL, HINT_PRECISION])
        .rules(&[(Targets::ALL, Rule::Named("high_precision needs tmp", precise_needs_tmp))])
        .cpp_templates(&["precisionType"])
        .types(A2A3, &[F16, F32])
        .types(A5, A5_TYPES)
        .cpp("TROWEXPANDDIV")
        .cpp_args(&["dst", "src0", "src1", "tmp"])
        .page("docs/isa/TROWEXPANDDIV.md")
        .example(row_example!("trowexpanddiv"))
        .notes(&[TMP_A5_IGNORED, "a5 takes integers and bf16 here although its tdiv does not take all of them."])
        .cpp_silent(&["src1Col", "src0eqdst", "highPrecision"])
        .bytecode_counted(0x1073);

    /// Maximum of a tile and a value per row.
    ///
    /// `dst[i,j] = max(src0[i,j], s(i,j))` over the valid region of `dst`. NaN and signed zero as in `tmax`.
    ///
    /// `s` comes from `src1` in one of two forms. One value per row: `src1` is col-major with one valid column, and
    /// `s(i,j) = src1[i,0]`. 32 bytes per row: `src1` is row-major with `32 / element bytes` valid columns, packed, and
    /// `s(i,j) = src1[i, j mod (32 / element bytes)]`. `src1` has the valid rows of `dst`; `src0` has its valid region.
    /// The sources may change places; the order of the operation stays.
    trowexpandmax: ROW_EXPAND
        .types(A2A3, &[F16, F32])
        .types(A5, &[F16, F32])
        .cpp("TROWEXPANDMAX")
        .cpp_args(&["dst", "src0", "src1", "tmp"])
        .page("docs/isa/TROWEXPANDMAX.md")
        .example(row_example!("trowexpandmax"))
        .decided(&[
            "Forms of `src1`: a col-major tile with one valid column has one value per row; a row-major tile has 32 bytes \
             per row, which repeat along it. The page leaves the layouts to the headers.",
            "The sources may change places, as in the headers: the one with the valid region of `dst` is the tile.",
            "NaN and signed zero as in `tmax`.",
            "A region without rows or columns does nothing.",
        ])
        .notes(&["The page takes f16 and f32 only; newer device headers also take integers.", TMP_A5])
        .cpp_silent(&["src1Col", "src0eqdst", "highPrecision"])
        .bytecode_counted(0x1050);

    /// Minimum of a tile and a value per row.
    ///
    /// `dst[i,j] = min(src0[i,j], s(i,j))` over the valid region of `dst`. NaN and signed zero as in `tmin`.
    ///
    /// `s` comes from `src1` in one of two forms. One value per row: `src1` is col-major with one valid column, and
    /// `s(i,j) = src1[i,0]`. 32 bytes per row: `src1` is row-major with `32 / element bytes` valid columns, packed, and
    /// `s(i,j) = src1[i, j mod (32 / element bytes)]`. `src1` has the valid rows of `dst`; `src0` has its valid region.
    /// The sources may change places; the order of the operation stays.
    trowexpandmin: ROW_EXPAND
        .types(A2A3, A2A3_TYPES)
        .types(A5, A5_TYPES)
        .cpp("TROWEXPANDMIN")
        .cpp_args(&["dst", "src0", "src1", "tmp"])
        .page("docs/isa/TROWEXPANDMIN.md")
        .example(row_example!("trowexpandmin"))
        .notes(&[TMP_A5])
        .cpp_silent(&["src1Col", "src0eqdst", "highPrecision"])
        .bytecode_counted(0x1051);

    /// Exponential of the difference of a tile and a value per row.
    ///
    /// `dst[i,j] = exp(src0[i,j] - s(i,j))` over the valid region of `dst`. The difference is rounded to the element type first.
    ///
    /// `s` comes from `src1` in one of two forms. One value per row: `src1` is col-major with one valid column, and
    /// `s(i,j) = src1[i,0]`. 32 bytes per row: `src1` is row-major with `32 / element bytes` valid columns, packed, and
    /// `s(i,j) = src1[i, j mod (32 / element bytes)]`. `src1` has the valid rows of `dst`; `src0` has its valid region.
    /// The sources may change places; the order of the operation stays.
    trowexpandexpdif: ROW_EXPAND
        .types(A2A3, &[F16, F32])
        .types(A5, &[F16, F32])
        .cpp("TROWEXPANDEXPDIF")
        .cpp_args(&["dst", "src0", "src1", "tmp"])
        .page("docs/isa/TROWEXPANDEXPDIF.md")
        .example(row_example!("trowexpandexpdif"))
        .notes(&[TMP_A5])
        .cpp_silent(&["src1Col", "src0eqdst", "highPrecision"])
        .bytecode_counted(0x104F);

    /// Repeats the first row of a tile in every row of another.
    ///
    /// `dst[i,j] = src[0,j]` over the valid region of `dst`; a copy of bits. `src` and `dst` have the same valid columns.
    /// On a2a3 whole 32-byte blocks are copied, so elements of `dst` after its valid columns may change.
    tcolexpand: COPY
        .regions(&[region("dst", From::Whole, From::Cols("src"))])
        .hazards(hazards::TCOLEXPAND)
        .cost(CostClass::ColExpand)
        .slots(&[tile_in("src").vec().order(Orders::ND).data(), tile_out("dst").vec().order(Orders::ND).data()])
        .rules(&[(Targets::ALL, Rule::SameValidCols(&["src", "dst"]))])
        .types(A2A3, RAW_A2A3)
        .types(A5, RAW_A5)
        .any_bytes_on_cpu()
        .cpp("TCOLEXPAND")
        .page("docs/isa/TCOLEXPAND.md")
        .bytecode(0x1010, 2);

    /// Adds a row to every row of a tile.
    ///
    /// `dst[i,j] = src0[i,j] + src1[0,j]` over the valid region of `dst`. Integers wrap. Only row 0 of `src1` is read; it has the
    /// valid columns of `dst`, and `src0` has its valid region. On the devices the sources may change places: the one
    /// with the valid region of `dst` is the full one, and the order of the operation stays.
    tcolexpandadd: COL_EXPAND
        .types(A2A3, A2A3_TYPES)
        .types(A5, A5_TYPES)
        .cpp("TCOLEXPANDADD")
        .page("docs/isa/TCOLEXPANDADD.md")
        .example(col_example!("tcolexpandadd"))
        .notes(&["The public assembler and the host take only src1 as the row."])
        .bytecode(0x1011, 3);

    /// Subtracts a row from every row of a tile.
    ///
    /// `dst[i,j] = src0[i,j] - src1[0,j]` over the valid region of `dst`. Integers wrap. Only row 0 of `src1` is read; it has the
    /// valid columns of `dst`, and `src0` has its valid region. On the devices the sources may change places: the one
    /// with the valid region of `dst` is the full one, and the order of the operation stays.
    tcolexpandsub: COL_EXPAND
        .types(A2A3, A2A3_TYPES)
        .types(A5, A5_TYPES)
        .cpp("TCOLEXPANDSUB")
        .page("docs/isa/TCOLEXPANDSUB.md")
        .example(col_example!("tcolexpandsub"))
        .notes(&["The public assembler and the host take only src1 as the row."])
        .bytecode(0x1017, 3);

    /// Multiplies every row of a tile with a row.
    ///
    /// `dst[i,j] = src0[i,j] * src1[0,j]` over the valid region of `dst`. Integers wrap. Only row 0 of `src1` is read; it has the
    /// valid columns of `dst`, and `src0` has its valid region. On the devices the sources may change places: the one
    /// with the valid region of `dst` is the full one, and the order of the operation stays.
    tcolexpandmul: COL_EXPAND
        .types(A2A3, A2A3_TYPES)
        .types(A5, A5_TYPES)
        .cpp("TCOLEXPANDMUL")
        .page("docs/isa/TCOLEXPANDMUL.md")
        .example(col_example!("tcolexpandmul"))
        .notes(&["The public assembler and the host take only src1 as the row."])
        .bytecode(0x1016, 3);

    /// Divides every row of a tile by a row.
    ///
    /// `dst[i,j] = src0[i,j] / src1[0,j]` over the valid region of `dst`. Rounding and division by zero as in `tdiv`. Only row 0 of `src1` is read; it has the
    /// valid columns of `dst`, and `src0` has its valid region. On the devices the sources may change places: the one
    /// with the valid region of `dst` is the full one, and the order of the operation stays.
    tcolexpanddiv: COL_EXPAND
        .attrs(&[PRECISION])
        .cpp_templates(&["precisionType"])
        .types(A2A3, &[F16, F32])
        .types(A5, A5_TYPES)
        .cpp("TCOLEXPANDDIV")
        .page("docs/isa/TCOLEXPANDDIV.md")
        .example(col_example!("tcolexpanddiv"))
        .notes(&["The public assembler and the host take only src1 as the row."])
        .bytecode(0x1012, 3);

    /// Maximum of every row of a tile and a row.
    ///
    /// `dst[i,j] = max(src0[i,j], src1[0,j])` over the valid region of `dst`. NaN and signed zero as in `tmax`. Only row 0 of `src1` is read; it has the
    /// valid columns of `dst`, and `src0` has its valid region. On the devices the sources may change places: the one
    /// with the valid region of `dst` is the full one, and the order of the operation stays.
    tcolexpandmax: COL_EXPAND
        .types(A2A3, A2A3_TYPES)
        .types(A5, A5_TYPES)
        .cpp("TCOLEXPANDMAX")
        .page("docs/isa/TCOLEXPANDMAX.md")
        .example(col_example!("tcolexpandmax"))
        .notes(&["The public assembler and the host take only src1 as the row."])
        .bytecode(0x1014, 3);

    /// Minimum of every row of a tile and a row.
    ///
    /// `dst[i,j] = min(src0[i,j], src1[0,j])` over the valid region of `dst`. NaN and signed zero as in `tmin`. Only row 0 of `src1` is read; it has the
    /// valid columns of `dst`, and `src0` has its valid region. On the devices the sources may change places: the one
    /// with the valid region of `dst` is the full one, and the order of the operation stays.
    tcolexpandmin: COL_EXPAND
        .types(A2A3, A2A3_TYPES)
        .types(A5, A5_TYPES)
        .cpp("TCOLEXPANDMIN")
        .page("docs/isa/TCOLEXPANDMIN.md")
        .example(col_example!("tcolexpandmin"))
        .notes(&["The public assembler and the host take only src1 as the row."])
        .bytecode(0x1015, 3);

    /// Exponential of the difference of every row of a tile and a row.
    ///
    /// `dst[i,j] = exp(src0[i,j] - src1[0,j])` over the valid region of `dst`. The difference is rounded to the element type first. Only row 0 of `src1` is read; it has the
    /// valid columns of `dst`, and `src0` has its valid region. On the devices the sources may change places: the one
    /// with the valid region of `dst` is the full one, and the order of the operation stays.
    tcolexpandexpdif: COL_EXPAND
        .types(A2A3, &[F16, F32])
        .types(A5, &[F16, F32])
        .cpp("TCOLEXPANDEXPDIF")
        .page("docs/isa/TCOLEXPANDEXPDIF.md")
        .example(col_example!("tcolexpandexpdif"))
        .notes(&["The public assembler and the host take only src1 as the row."])
        .bytecode(0x1013, 3);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleArg;
    use crate::{Loc, SLayout, Type};

    fn column(d: DType, rows: u64) -> TileType {
        let stored = rows.next_multiple_of(16);
        TileType::new(Loc::Vec, d, stored, 1)
            .layout(BLayout::ColMajor, SLayout::NoneBox, 512)
            .valid(Dim::Fixed(rows), Dim::Fixed(1))
    }

    fn tile(d: DType, rows: u64, cols: u64) -> TileType {
        TileType::new(Loc::Vec, d, rows, cols)
    }

    /// The first diagnostic for `trowexpandmax`; `None` in `tmp` leaves it out.
    fn check(target: crate::Target, srcs: [TileType; 2], tmp: Option<TileType>, dst: TileType) -> Option<codes::Code> {
        let operands = [Some(srcs[0]), Some(srcs[1]), tmp, Some(dst)].map(|t| t.map(Type::TileBuf));
        let args: Vec<RuleArg> =
            (0u8..).zip(&operands).filter_map(|(slot, ty)| Some(RuleArg { slot, ty: ty.as_ref()?, value: None })).collect();
        let i = Instance { row: op::trowexpandmax.row(), target, manual: true, args: &args, attrs: &[] };
        i.check().0.first().map(|b| b.code)
    }

    #[test]
    fn one_value_or_32_bytes_per_row() {
        for target in crate::Target::ALL {
            for (d, block) in [(F16, 16), (F32, 8)] {
                let full = tile(d, 16, 64);
                assert_eq!(check(target, [full, column(d, 16)], None, full), None);
                assert_eq!(check(target, [full, tile(d, 16, block)], None, full), None);
                assert_eq!(check(target, [column(d, 16), full], None, full), None);
                assert_eq!(check(target, [full, tile(d, 16, 32)], None, full), Some(codes::VALID_REGION));
                assert_eq!(check(target, [full, column(d, 15)], None, full), Some(codes::VALID_REGION));
                assert_eq!(check(target, [tile(d, 16, 48), column(d, 16)], None, full), Some(codes::VALID_REGION));
            }
            let ints = tile(I32, 16, 64);
            assert_eq!(check(target, [ints, column(I32, 16)], None, ints), Some(codes::ELEM_TYPE));
        }
    }

    #[test]
    fn scratch_is_for_values_and_large_enough_on_a2a3() {
        let full = tile(F32, 16, 64);
        let srcs = [full, column(F32, 16)];
        assert_eq!(check(A2A3, srcs, Some(tile(F32, 1, 128)), full), None);
        assert_eq!(check(A2A3, srcs, Some(tile(F32, 1, 64)), full), Some(codes::SCRATCH));
        assert_eq!(check(A5, srcs, Some(tile(F32, 1, 8)), full), None);
        let blocks = [full, tile(F32, 16, 8)];
        assert_eq!(check(A2A3, blocks, Some(tile(F32, 1, 128)), full), Some(codes::COMBINATION));
    }
}
