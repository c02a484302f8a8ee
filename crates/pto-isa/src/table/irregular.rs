//! Sorting, gathering, generating, single elements, and debugging.

use crate::text;
use super::hazards;
use super::partial::{all, require_equal};
use crate::DType::*;
use crate::Target::{A2A3, A5, Cpu};
use crate::codes::Code;
use crate::row::{Aliasing, AttrKind, AttrSpec, CostClass, Domain, Effect, ExtentFactor, From, Infer, SlotKind, Movement, Orders, PipeCase, Pipes, Row, Scratch, Slot, Uses, When, attr, form, opt_attr, region, whole};
use crate::rules::{AttrValue, Broken, Instance, Rule, Verdict};
use crate::shape::{index_in, result, scalar_in, scratch, tile_in, tile_inout, tile_out, value_in, vec_in, vec_out};
use crate::{BLOCK_BYTES, DType, DTypes, Dim, Dir, Loc, Pipe, Targets, TileType, Type, codes, enums};

const VECTOR: Row = Row::EMPTY.pipe(Pipe::V).alias(Aliasing::None);

const INDEX: &[DType] = &[I16, U16, I32, U32];
const BYTES_1_2_4: &[DType] = &[I8, U8, I16, U16, I32, U32, F16, Bf16, F32];
const BYTES_2_4: &[DType] = &[I16, U16, I32, U32, F16, Bf16, F32];

const MASK: AttrSpec = opt_attr(
    "maskPattern",
    AttrKind::Enum(&enums::MASK_PATTERN),
    "",
    "which of 2 or 4 neighbouring elements are meant; the last digit is the first element",
);
const AXIS: AttrSpec = opt_attr(
    "axis",
    AttrKind::Str,
    "",
    "\"row\": the pattern runs along the columns of a row; \"col\": along the rows",
);

const CMP_MODE: AttrSpec =
    opt_attr("cmpMode", AttrKind::Enum(&enums::CMP), "", "comparison form: eq (also when not given) or gt");
const PRINT_FORMAT: AttrSpec =
    opt_attr("printFormat", AttrKind::Enum(&enums::PRINT_FORMAT), "width8_precision4", "width and digits of floats");

fn broken(i: &Instance, code: Code, slot: &str, found: impl Into<String>, legal: impl Into<String>) -> Verdict {
    Verdict::Broken(Broken::new(code, vec![i.at(slot)], found, legal))
}

/// None of the operands is given.
fn without(i: &Instance, slots: &[&str], form: &str) -> Verdict {
    match slots.iter().find(|s| i.given(s)) {
        Some(slot) => broken(i, codes::COMBINATION, slot, text!("`{slot}` in the {form} form", slot, form), "none"),
        None => Verdict::Holds,
    }
}

/// All of the operands that are given are row-major.
fn row_major(i: &Instance, slots: &[&str]) -> Verdict {
    for slot in slots {
        if let Some(t) = i.tile(slot)
            && !Orders::ROW_MAJOR.contains(t.order())
        {
            return broken(i, codes::LAYOUT, slot, text!("`{slot}` is {t}", slot, t = t.order()), text!("row-major"));
        }
    }
    Verdict::Holds
}

/// All of the operands that are given have one physical row.
fn one_row(i: &Instance, slots: &[&str]) -> Verdict {
    for slot in slots {
        if let Some(t) = i.tile(slot)
            && t.rows != 1
        {
            return broken(i, codes::SHAPE, slot, text!("`{slot}` has {rows} rows", slot, rows = t.rows), "1 row");
        }
    }
    Verdict::Holds
}

fn valid_cols_are(i: &Instance, slot: &str, got: Dim, want: Dim) -> Verdict {
    extent(i, slot, text!("valid columns"), got, want)
}

fn valid_rows_are(i: &Instance, slot: &str, got: Dim, want: Dim) -> Verdict {
    extent(i, slot, text!("valid rows"), got, want)
}

fn extent(i: &Instance, slot: &str, what: &str, got: Dim, want: Dim) -> Verdict {
    require_equal(got, want, || {
        Broken::new(codes::VALID_REGION, vec![i.at(slot)], text!("`{slot}` has {got} {what}", slot, got, what), want.to_string())
    })
}

/// No scratch memory is added to a program that places its tiles itself.
fn scratch_given(i: &Instance, needed: bool, why: &str) -> Verdict {
    let missing = needed && i.manual && i.target != Cpu && !i.given("tmp");
    Verdict::require(!missing, || {
        Broken::new(codes::SCRATCH, vec![i.at("tmp")], text!("no scratch tile `tmp` {why}", why), "one")
    })
}

/// How many elements a pattern takes one from.
fn pattern_period(i: &Instance) -> u64 {
    period(i.attr_name("maskPattern"))
}

fn period(pattern: Option<&str>) -> u64 {
    match pattern {
        Some("P1111") => 1,
        Some("P0101" | "P1010") => 2,
        _ => 4,
    }
}

/// The valid region of the wide side is that of the narrow side times the period of the pattern, along the axis.
fn pattern_regions(i: &Instance, narrow: (&str, &TileType), wide: (&str, &TileType)) -> Verdict {
    let times = |d: Dim| d.fixed().map_or(Dim::Dynamic, |n| Dim::Fixed(n * pattern_period(i)));
    let ((_, n), (slot, w)) = (narrow, wide);
    match i.attr("axis") {
        None | Some(AttrValue::Str("row")) => all([
            valid_rows_are(i, slot, w.valid_rows, n.valid_rows),
            valid_cols_are(i, slot, w.valid_cols, times(n.valid_cols)),
        ]),
        Some(AttrValue::Str("col")) => all([
            valid_rows_are(i, slot, w.valid_rows, times(n.valid_rows)),
            valid_cols_are(i, slot, w.valid_cols, n.valid_cols),
        ]),
        _ => broken(i, codes::ATTRIBUTE_VALUE, slot, text!("another axis"), text!("\"row\" or \"col\"")),
    }
}

fn gather(i: &Instance) -> Verdict {
    if i.given("maskPattern") {
        gather_by_pattern(i)
    } else if i.given("axis") {
        broken(i, codes::COMBINATION, "src", text!("axis without maskPattern"), text!("both or neither"))
    } else if i.given("k_value") || i.given("cdst") {
        gather_by_comparison(i)
    } else {
        gather_by_index(i)
    }
}

fn gather_by_index(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src"), i.tile("dst")) else { return Verdict::Holds };
    let Some(idx) = i.tile("indices") else {
        return Verdict::require(i.given("indices"), || {
            let legal = text!("indices, a maskPattern, or k_value with cdst");
            Broken::new(codes::COMBINATION, vec![i.at("src")], text!("no choice of elements"), legal)
        });
    };
    if src.dtype != dst.dtype {
        let found = text!("`dst` is {dtype}, `src` is {dtype2}", dtype = dst.dtype, dtype2 = src.dtype);
        return broken(i, codes::ELEM_MISMATCH, "dst", found, src.dtype.to_string());
    }
    let wide_only = i.target == A2A3 || src.dtype.bits() == 64;
    if wide_only && idx.dtype.bits() != 32 {
        return broken(i, codes::ELEM_TYPE, "indices", text!("`indices` is {dtype}", dtype = idx.dtype), "i32, ui32");
    }
    scratch_given(i, i.target == A2A3, text!("for the indices"))
}

/// Devices read on in memory behind offsets that are too few.
fn block_offsets(i: &Instance) -> Verdict {
    let (Some(offsets), Some(dst)) = (i.tile("offsets"), i.tile("dst")) else { return Verdict::Holds };
    let dims = [dst.valid_rows, dst.valid_cols, offsets.valid_rows, offsets.valid_cols];
    let [Some(rows), Some(cols), Some(r), Some(c)] = dims.map(Dim::fixed) else { return Verdict::Dynamic };
    let blocks = cols.saturating_mul(u64::from(dst.dtype.unit_bytes())).div_ceil(BLOCK_BYTES);
    Verdict::require(rows == 0 || (r >= rows && c >= blocks), || {
        let found = text!("`offsets` has {r} × {c} valid elements", r, c);
        let legal = text!("{rows} × {blocks}, one for each block of 32 bytes of `dst`", rows, blocks);
        Broken::new(codes::VALID_REGION, vec![i.at("offsets"), i.at("dst")], found, legal)
    })
}

fn gather_by_pattern(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src"), i.tile("dst")) else { return Verdict::Holds };
    let operands = all([without(i, &["indices", "k_value", "tmp", "cdst"], "pattern"), row_major(i, &["src", "dst"])]);
    if src.dtype.bits() != dst.dtype.bits() {
        let found = text!("`dst` is {dtype}, `src` is {dtype2}", dtype = dst.dtype, dtype2 = src.dtype);
        return broken(i, codes::ELEM_MISMATCH, "dst", found, text!("elements of the same size"));
    }
    let along_rows = i.attr("axis") == Some(AttrValue::Str("col"));
    if along_rows && src.dtype.bits() == 64 {
        return broken(i, codes::COMBINATION, "src", text!("8-byte elements and axis = \"col\""), text!("axis = \"row\""));
    }
    if !along_rows && dst.rows == 1 && i.given("axis") {
        return all([operands, one_row_regions(i, src, dst)]);
    }
    // Rows are packed one after the other, which needs a dst without gaps.
    let packed =
        if along_rows { Verdict::Holds } else { valid_cols_are(i, "dst", dst.valid_cols, Dim::Fixed(dst.cols)) };
    // The older assembler has no axis and leaves the shape of dst to the program.
    let regions = if i.given("axis") { pattern_regions(i, ("dst", dst), ("src", src)) } else { Verdict::Holds };
    all([operands, packed, regions])
}

/// One row is not packed behind another, so it may end anywhere; a last group that is not whole is left out.
fn one_row_regions(i: &Instance, src: &TileType, dst: &TileType) -> Verdict {
    let groups = src.valid_cols.fixed().map_or(Dim::Dynamic, |n| Dim::Fixed(n / pattern_period(i)));
    all([
        valid_rows_are(i, "src", src.valid_rows, dst.valid_rows),
        valid_cols_are(i, "dst", dst.valid_cols, groups),
    ])
}

fn gather_by_comparison(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src"), i.tile("dst")) else { return Verdict::Holds };
    let mode = i.attr_name("cmpMode").unwrap_or("eq");
    if !matches!(mode, "eq" | "gt") {
        return broken(i, codes::ATTRIBUTE_VALUE, "src", text!("cmpMode is {mode}", mode), text!("eq, gt"));
    }
    let legal = match i.target {
        A2A3 if mode == "eq" => DTypes::of(&[F16, F32, I32]),
        A2A3 => DTypes::of(&[F16, F32]),
        _ => DTypes::of(&[I8, U8, I16, U16, I32, U32, F16, F32]),
    };
    if !legal.contains(src.dtype) {
        return broken(i, codes::ELEM_TYPE, "src", text!("`src` is {dtype}", dtype = src.dtype), legal.to_string());
    }
    if !matches!(dst.dtype, I32 | U32) {
        return broken(i, codes::ELEM_TYPE, "dst", text!("`dst` is {dtype}", dtype = dst.dtype), "i32, ui32");
    }
    all([
        without(i, &["indices"], "comparison"),
        row_major(i, &["src", "dst", "cdst", "tmp"]),
        scratch_given(i, true, text!("for the comparison")),
    ])
}

fn scatter(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src"), i.tile("dst")) else { return Verdict::Holds };
    if i.given("maskPattern") {
        return all([
            without(i, &["indexes"], "pattern"),
            row_major(i, &["src", "dst"]),
            pattern_regions(i, ("src", src), ("dst", dst)),
        ]);
    }
    if i.given("axis") {
        return broken(i, codes::COMBINATION, "src", text!("axis without maskPattern"), text!("both or neither"));
    }
    let Some(idx) = i.tile("indexes") else {
        return Verdict::require(i.given("indexes"), || {
            Broken::new(codes::COMBINATION, vec![i.at("src")], text!("no choice of elements"), text!("indexes, or a maskPattern"))
        });
    };
    let want = if src.dtype.bits() <= 16 { 16 } else { 32 };
    Verdict::require(idx.dtype.bits() == want, || {
        let found = text!("`indexes` is {dtype}, `src` is {dtype2}", dtype = idx.dtype, dtype2 = src.dtype);
        let legal = if want == 16 { "i16, ui16" } else { "i32, ui32" };
        Broken::new(codes::ELEM_COMBINATION, vec![i.at("indexes"), i.at("src")], found, legal)
    })
}

/// A last block of fewer than 32 elements is completed in scratch memory.
fn sort_tail(i: &Instance) -> Verdict {
    let Some(src) = i.tile("src") else { return Verdict::Holds };
    match src.valid_cols {
        Dim::Fixed(cols) => scratch_given(i, cols % 32 != 0, text!("for a last block of fewer than 32 elements")),
        Dim::Dynamic if i.manual && !i.given("tmp") => Verdict::Dynamic,
        Dim::Dynamic => Verdict::Holds,
    }
}

/// Devices read an index for every valid number, regardless of the valid region of the indices.
fn sort_indices(i: &Instance) -> Verdict {
    let (Some(src), Some(idx)) = (i.tile("src"), i.tile("idx")) else { return Verdict::Holds };
    let (Dim::Fixed(numbers), Dim::Fixed(indices)) = (src.valid_cols, idx.valid_cols) else { return Verdict::Dynamic };
    Verdict::require(indices >= numbers, || {
        let found = text!("`idx` has {indices} valid columns, `src` has {numbers}", indices, numbers);
        Broken::new(codes::VALID_REGION, vec![i.at("idx"), i.at("src")], found, text!("at least {numbers}", numbers))
    })
}

fn sort_bytes(i: &Instance) -> Option<u64> {
    let src = i.tile("src").filter(|_| i.target == A2A3)?;
    Some(src.valid_cols.fixed()? * u64::from(src.dtype.unit_bytes()))
}

const LISTS: [&str; 4] = ["src0", "src1", "src2", "src3"];

fn merge(i: &Instance) -> Verdict {
    let rows = one_row(i, &["src0", "src1", "src2", "src3", "tmp", "dst"]);
    let form = if i.given("block_len") { merge_blocks(i) } else { merge_lists(i) };
    all([rows, form])
}

fn merge_blocks(i: &Instance) -> Verdict {
    let lone = without(i, &["src1", "src2", "src3", "tmp", "executed"], "block");
    let (Some(src), Some(dst)) = (i.tile("src0"), i.tile("dst")) else { return lone };
    let length = match i.value("block_len") {
        Some(n) if n <= 0 || n % 64 != 0 => {
            broken(i, codes::SHAPE, "block_len", text!("`block_len` is {n}", n), text!("a positive multiple of 64"))
        }
        Some(_) => Verdict::Holds,
        None => Verdict::Dynamic,
    };
    let cols = Verdict::require(src.cols == dst.cols, || {
        let found = text!("`dst` has {cols} columns, `src0` has {cols2}", cols = dst.cols, cols2 = src.cols);
        Broken::new(codes::SHAPE, vec![i.at("dst"), i.at("src0")], found, src.cols.to_string())
    });
    all([lone, length, cols])
}

fn merge_lists(i: &Instance) -> Verdict {
    for slot in ["src1", "executed"] {
        if !i.given(slot) {
            let legal = text!("one list and block_len, or 2 to 4 lists and a vector of counts");
            return broken(i, codes::COMBINATION, slot, text!("no `{slot}`", slot), legal);
        }
    }
    let (Some(tmp), Some(dst)) = (i.tile("tmp"), i.tile("dst")) else {
        return scratch_given(i, true, text!("for the merged list"));
    };
    let lists: u64 = LISTS.iter().filter_map(|s| i.tile(s)).map(|t| t.cols).sum();
    let need = lists.max(dst.cols);
    Verdict::require(tmp.cols >= need, || {
        let found = text!("`tmp` has {cols} columns", cols = tmp.cols);
        Broken::new(codes::SCRATCH, vec![i.at("tmp")], found, text!("at least {need} columns", need))
    })
}

fn histogram(i: &Instance) -> Verdict {
    let (Some(src), Some(idx), Some(dst)) = (i.tile("src"), i.tile("idx"), i.tile("dst")) else {
        return Verdict::Holds;
    };
    let byte = match (i.attr("byte"), i.attr("isMSB")) {
        (Some(AttrValue::Int(b)), Some(AttrValue::Bool(msb))) if msb != (b == 1) => {
            return broken(i, codes::COMBINATION, "src", text!("byte = {b} and isMSB = {msb}", b, msb), text!("one of them"));
        }
        (Some(AttrValue::Int(b)), _) => b,
        (_, Some(AttrValue::Bool(false))) => 0,
        _ => 1,
    };
    let bins = match dst.valid_cols {
        Dim::Fixed(n @ 1..256) => {
            broken(i, codes::VALID_REGION, "dst", text!("`dst` has {n} valid columns", n), text!("at least 256"))
        }
        _ if dst.cols < 256 => {
            broken(i, codes::SHAPE, "dst", text!("`dst` has {cols} columns", cols = dst.cols), text!("at least 256"))
        }
        _ => Verdict::Holds,
    };
    let filter = if src.dtype == U16 { filter_per_row(i, src, idx, byte) } else { filter_bytes(i, src, idx, byte) };
    all([bins, valid_rows_are(i, "dst", dst.valid_rows, src.valid_rows), filter])
}

/// ui16: one filter byte per row, in a col-major column.
fn filter_per_row(i: &Instance, src: &TileType, idx: &TileType, byte: i64) -> Verdict {
    if byte > 1 {
        return broken(i, codes::ATTRIBUTE_VALUE, "src", text!("byte = {byte} with ui16 elements", byte), "0, 1");
    }
    if idx.order() != crate::Order::Dn || idx.cols != 1 {
        let found = text!("`idx` is {idx} with {cols} columns", idx = idx.order(), cols = idx.cols);
        return broken(i, codes::LAYOUT, "idx", found, text!("DN with one column"));
    }
    valid_rows_are(i, "idx", idx.valid_rows, src.valid_rows)
}

/// ui32: one row of filter bytes for every more significant byte.
fn filter_bytes(i: &Instance, src: &TileType, idx: &TileType, byte: i64) -> Verdict {
    if byte == 3 {
        return Verdict::Holds;
    }
    let rows = 3u64.saturating_sub(byte.unsigned_abs());
    let shape = Verdict::require(idx.rows == rows && idx.cols == src.cols, || {
        let found = text!("`idx` has {rows} rows and {cols} columns", rows = idx.rows, cols = idx.cols);
        Broken::new(codes::SHAPE, vec![i.at("idx")], found, text!("{rows} rows and {cols} columns", rows, cols = src.cols))
    });
    all([row_major(i, &["idx"]), shape])
}

/// A generated sequence fills one row.
fn sequence_row(i: &Instance) -> Verdict {
    one_row(i, &["dst"])
}

fn sequence_bytes(i: &Instance) -> Option<u64> {
    let dst = i.tile("dst").filter(|_| i.target == A2A3)?;
    Some(if dst.dtype.bits() == 16 { 1792 } else { 768 })
}

/// Element types that a device prints.
const PRINTED: &[DType] = &[I8, U8, I16, U16, I32, U32, I64, U64, F16, F32];

/// A window of global memory is printed as it is.
fn printed_directly(i: &Instance) -> Verdict {
    let is_view = i.ty("src").is_some_and(|t| SlotKind::View.accepts(t) && !SlotKind::Tile.accepts(t));
    if i.given("tmp") && is_view {
        return broken(i, codes::COMBINATION, "tmp", text!("`tmp` with a view"), "none");
    }
    Verdict::Holds
}

/// Devices print some types, and only what the scalar unit can read; other memories go through global memory. The host prints everything.
fn unprintable(i: &Instance) -> Option<Broken> {
    if i.target == Cpu {
        return None;
    }
    let new = |found: String, legal: String| Some(Broken::new(codes::UNPRINTABLE, vec![i.at("src")], found, legal));
    if let Some(dtype) = i.ty("src").and_then(Type::elem).filter(|dtype| !PRINTED.contains(dtype)) {
        return new(text!("`src` has elements of {dtype}", dtype), DTypes::of(PRINTED).to_string());
    }
    let tile = i.tile("src")?;
    let legal = match (i.given("tmp"), i.target) {
        (false, _) => text!("vec, or `tmp` for other memories"),
        (true, A5) => text!("vec, acc"),
        (true, _) => text!("vec, mat, acc"),
    };
    let is_printed = match tile.loc {
        Loc::Vec => true,
        Loc::Mat => i.given("tmp") && i.target == A2A3,
        Loc::Acc => i.given("tmp"),
        _ => false,
    };
    if is_printed { None } else { new(text!("`src` is in `{loc}`", loc = tile.loc), legal.to_string()) }
}

/// An offset that the program fixes lies inside the tile.
fn offset_inside(i: &Instance) -> Verdict {
    let tile = i.tile("src").or_else(|| i.tile("dst"));
    let (Some(tile), Some(offset)) = (tile, i.value("offset")) else { return Verdict::Holds };
    let inside = u64::try_from(offset).is_ok_and(|o| o < tile.elements());
    Verdict::require(inside, || {
        let legal = text!("0 to {tile}", tile = tile.elements().saturating_sub(1));
        Broken::new(codes::BOUNDS, vec![i.at("offset")], text!("`offset` is {offset}", offset), legal)
    })
}

/// Records of 8 bytes, in whole blocks of 32.
fn sorted_records(uses: &Uses) -> Option<ExtentFactor> {
    let record = 64 / u64::from(uses.tile("src")?.dtype.bits()).max(1);
    Some(ExtentFactor { per: 32, times: 32 * record, clipped: true })
}

/// As many elements as a block of 32 bytes has.
fn block_elements(uses: &Uses) -> Option<ExtentFactor> {
    let size = u64::from(uses.tile("dst")?.dtype.unit_bytes()).max(1);
    Some(ExtentFactor { per: 1, times: 32 / size, clipped: true })
}

/// The period of the pattern along the axis of `along_rows`, else 1; `None` without a pattern.
fn axis_period(uses: &Uses, along_rows: bool) -> Option<u64> {
    let period = period((uses.attr)("maskPattern")?.enum_name());
    let is_col = matches!((uses.attr)("axis"), Some(AttrValue::Str("col")));
    Some(if is_col == along_rows { period } else { 1 })
}

fn kept_rows(uses: &Uses) -> Option<ExtentFactor> {
    Some(ExtentFactor { per: axis_period(uses, true)?, times: 1, clipped: false })
}

fn kept_cols(uses: &Uses) -> Option<ExtentFactor> {
    Some(ExtentFactor { per: axis_period(uses, false)?, times: 1, clipped: false })
}

fn spread_rows(uses: &Uses) -> Option<ExtentFactor> {
    Some(ExtentFactor { per: 1, times: axis_period(uses, true)?, clipped: false })
}

fn spread_cols(uses: &Uses) -> Option<ExtentFactor> {
    Some(ExtentFactor { per: 1, times: axis_period(uses, false)?, clipped: false })
}

const fn key(name: &'static str) -> Slot {
    value_in(name, SlotKind::Int).elem(&[I32, U32])
}

const fn count(name: &'static str) -> Slot {
    result(name, SlotKind::Int).elem(&[I16])
}

family! { Irregular, "pto", irregular;
    /// Sorts every 32 elements of a row, largest first, and keeps their indices.
    ///
    /// In every row, each block of 32 elements of `src` becomes 32 records of 8 bytes in `dst`, sorted by falling value;
    /// equal values keep their order. A record is `[value f32][index ui32]` or `[value f16][2 bytes of zero][index ui32]`,
    /// so `dst` needs 2 times (f32) or 4 times (f16) the columns of `src`, rounded up to whole blocks. The index of an
    /// element comes from `idx`; an `idx` with one valid row serves all rows.
    ///
    /// NaN comes after all numbers, and +0 equals -0. A last block of fewer than 32 elements is completed in `tmp` with
    /// NaN records of index 0. Records for which the valid region of `dst` has no room are not written.
    tsort32: VECTOR
        .hazards(hazards::TSORT32)
        .regions(&[region("dst", From::Rows("src"), From::ScaledCols("src", sorted_records))])
        .cost(CostClass::Sort)
        .domain(Domain::Valid("src"))
        .slots(&[vec_in("src"), vec_in("idx").elem(&[U32]), scratch("tmp").order(Orders::ROW_MAJOR), vec_out("dst")])
        .rules(&[
            (Targets::ALL, Rule::Named("tmp for a last block of fewer than 32 elements", sort_tail)),
            (Targets::ALL, Rule::Named("idx has at least the valid columns of src", sort_indices)),
        ])
        .types(A2A3, &[F16, F32])
        .types(A5, &[F16, F32])
        .scratch(Scratch {
            slot: "tmp",
            required: Targets::NONE,
            forbidden: Targets::NONE,
            ignored: Targets::NONE,
            rule: "one row of src, when its valid columns are not a multiple of 32",
            bytes: Some(sort_bytes),
            written: None,
        })
        .cpp("TSORT32")
        .cpp_args(&["dst", "src", "idx", "tmp"])
        .page("docs/isa/TSORT32.md")
        .example("func.func @sort(%src: !pto.tile_buf<vec, 1x64xf32>, %idx: !pto.tile_buf<vec, 1x64xui32>, %dst: !pto.tile_buf<vec, 1x128xf32>) {\n  pto.tsort32 ins(%src, %idx : !pto.tile_buf<vec, 1x64xf32>, !pto.tile_buf<vec, 1x64xui32>) outs(%dst : !pto.tile_buf<vec, 1x128xf32>)\n  return\n}\n")
        .notes(&[
            "Nothing checks that dst is large enough for the records; public programs exist where it is not.",
            "The page calls the filling of a last block -inf; the headers write the bits of a negative NaN.",
        ])
        .bytecode_counted(0x1063);

    /// Merges sorted lists of records.
    ///
    /// Records are those of `tsort32`; all tiles have one row. Block form: `src0` holds sorted lists of `block_len`
    /// elements (values and indices counted alike, so 32 records of f32 are 64), and each group of four lists becomes
    /// one sorted list in `dst`; the valid columns are a multiple of `4 * block_len`, at most 255 times.
    ///
    /// List form: 2 to 4 sorted lists are merged into `dst` by way of `tmp`. With `exhausted = true` merging stops as
    /// soon as one list is empty, and `executed` receives how many records were taken from each list. Larger values
    /// come first; of equal values, that of the lower list. NaN comes last. Of the merged list, as much is written as the
    /// valid region of `dst` has room for.
    tmrgsort: VECTOR
        .hazards(hazards::TMRGSORT)
        .regions(&[region("dst", From::Rows("src0"), From::Room(&["src0", "src1", "src2", "src3"]))])
        .cost(CostClass::Sort)
        .domain(Domain::Valid("dst"))
        .slots(&[
            vec_in("src0"),
            vec_in("src1").optional(),
            vec_in("src2").optional(),
            vec_in("src3").optional(),
            value_in("block_len", SlotKind::Int).optional(),
            vec_in("tmp").optional(),
            vec_out("dst"),
            Slot::new("executed", Dir::Out, SlotKind::Vector).optional(),
        ])
        .attrs(&[opt_attr("exhausted", AttrKind::Bool, "false", "stop when a list is empty")])
        .attrs_in_ins()
        .rules(&[(
            Targets::ALL,
            Rule::Named(
                "one row each; src0 and block_len (a multiple of 64, dst as wide as src0), or 2 to 4 lists with executed and a tmp as wide as all of them",
                merge,
            ),
        )])
        .types(A2A3, &[F16, F32])
        .types(A5, &[F16, F32])
        .scratch(Scratch {
            slot: "tmp",
            required: Targets::NONE,
            forbidden: Targets::NONE,
            ignored: Targets::NONE,
            rule: "list form: one row of all lists together, and at least of dst",
            bytes: None,
            written: None,
        })
        .cpp("TMRGSORT")
        .cpp_args(&["dst", "executed", "tmp", "src0", "src1", "src2", "src3", "block_len"])
        .cpp_templates(&["exhausted"])
        .page("docs/isa/TMRGSORT.md")
        .example("func.func @merge(%src: !pto.tile_buf<vec, 1x256xf32>, %dst: !pto.tile_buf<vec, 1x256xf32>) {\n  %len = arith.constant 64 : i32\n  pto.tmrgsort ins(%src, %len : !pto.tile_buf<vec, 1x256xf32>, i32) outs(%dst : !pto.tile_buf<vec, 1x256xf32>)\n  return\n}\n")
        .notes(&[
            "Of three or more tiles in ins, the last is tmp, unless the word no_tmp follows them.",
            "The devices write executed only when exhausted = true.",
            "The C++ form takes exhausted only in the list form.",
        ])
        .cpp_forms(&[
            form("TMRGSORT($dst, $src0, $block_len)"),
            form("TMRGSORT<:dst, :tmp, :src0, :src1, =exhausted>($dst, $executed, $tmp, $src0, $src1)"),
            form("TMRGSORT<:dst, :tmp, :src0, :src1, :src2, =exhausted>($dst, $executed, $tmp, $src0, $src1, $src2)"),
            form("TMRGSORT<:dst, :tmp, :src0, :src1, :src2, :src3, =exhausted>($dst, $executed, $tmp, $src0, $src1, $src2, $src3)"),
        ])
        .bytecode_counted(0x103A);

    /// Collects elements by index, by pattern, or by comparison.
    ///
    /// Index form: `dst[i,j] = src[indices[i,j]]` over the valid region of `dst`, where an index counts the elements of
    /// the physical `src` row by row. An index outside `src` is undefined on the devices.
    ///
    /// Pattern form (`maskPattern`): of every 2 or 4 neighbouring elements the marked ones are kept. Along a row they are
    /// packed one after the other, over all rows, so all columns of `dst` are valid unless it has one row; along the rows
    /// (`axis = "col"`) whole rows are kept.
    ///
    /// Comparison form (`k_value`, `cdst`): for each row, the positions (plus `offset`) of the elements that are equal
    /// to (`cmpMode` eq, also when not given) or greater than (gt) `k_value` go to that row of `dst`, and their number to
    /// `cdst`, whose elements are counted row by row. A position counts the elements of the physical `src` row by row.
    tgather: VECTOR
        .hazards(hazards::TGATHER)
        .regions(&[
            region("dst", From::Rows("indices"), From::Cols("indices")),
            region("dst", From::ScaledRows("src", kept_rows), From::ScaledCols("src", kept_cols)),
            region("dst", From::Rows("src"), From::Room(&["src"])),
            whole("cdst"),
        ])
        .generic_order(&["src", "dst", "cdst", "indices", "tmp", "k_value"])
        .cost(CostClass::Gather)
        .domain(Domain::Valid("dst"))
        .slots(&[
            tile_in("src").vec().data(),
            tile_in("indices").vec().elem(INDEX).optional(),
            value_in("k_value", SlotKind::Scalar).optional(),
            scratch("tmp"),
            tile_out("dst").vec(),
            tile_out("cdst").vec().like("dst").optional(),
        ])
        .attrs(&[
            MASK,
            AXIS,
            CMP_MODE,
            opt_attr("offset", AttrKind::Int(i32::MIN as i64, i32::MAX as i64), "", "comparison form: added to every position"),
        ])
        .attrs_in_ins()
        .rules(&[
            (Targets::ALL, Rule::Together("k_value", "cdst")),
            (Targets::ALL, Rule::SameElem(&["src", "k_value"])),
            (Targets::A2A3, Rule::SameElem(&["indices", "tmp"])),
            (Targets::A2A3, Rule::SameValid(&["indices", "tmp"])),
            (Targets::ALL, Rule::Inside("dst", "indices")),
            (Targets::ALL, Rule::Named("exactly one of the three forms, with its element types and layouts", gather)),
        ])
        .types(A2A3, BYTES_2_4)
        .types(A5, &[I8, U8, I16, U16, I32, U32, I64, U64, F16, Bf16, F32, F8E4M3, F8E5M2, Hif8])
        .any_bytes_on_cpu()
        .scratch(Scratch {
            slot: "tmp",
            required: Targets::NONE,
            forbidden: Targets::NONE,
            ignored: Targets::A5,
            rule: "index form on a2a3: a tile like indices; comparison form: any",
            bytes: None,
            written: None,
        })
        .cpp("TGATHER")
        .cpp_args(&["dst", "src", "indices", "k_value", "cdst", "tmp", "offset"])
        .cpp_templates(&["maskPattern", "axis", "cmpMode"])
        .page("docs/isa/TGATHER.md")
        .example("func.func @gather(%src: !pto.tile_buf<vec, 16x16xf32>, %idx: !pto.tile_buf<vec, 16x16xi32>, %tmp: !pto.tile_buf<vec, 16x16xi32>, %dst: !pto.tile_buf<vec, 16x16xf32>) {\n  pto.tgather ins(%src, %idx, %tmp : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xi32>, !pto.tile_buf<vec, 16x16xi32>) outs(%dst : !pto.tile_buf<vec, 16x16xf32>)\n  return\n}\n")
        .notes(&[
            "In C++ the value of the comparison form is a tile.",
            "Version 0.60 of the public assembler wants an axis with every maskPattern, written after the type: `ins(%src, {maskPattern = …} : T, \"row\")`; 0.27 has none and means \"row\".",
            "a5 keeps one count over all rows in the comparison form, and compares floats as integers.",
            "On a2a3 the pattern form along the rows writes more rows than dst has valid.",
        ])
        .cpp_forms(&[
            form("TGATHER($dst, $src, $indices, $tmp)"),
            form("{\n  :k_value limit = $k_value;\n  TGATHER<:dst, :src, :k_value, :cdst, :tmp, =cmpMode>($dst, $src, limit, $cdst, $tmp, =offset);\n}"),
            form("TGATHER<:dst, :src, #maskPattern, GatherAxis::GATHER_COL>($dst, $src)").when(When::Attr("axis", "col")),
            form("TGATHER<:dst, :src, #maskPattern>($dst, $src)").when(When::Attr("axis", "row")),
            form("TGATHER<:dst, :src, #maskPattern>($dst, $src)"),
            form("TGATHER($dst, $src, $indices, $indices)").on(Targets::A5_CPU),
        ])
        .bytecode_counted(0x1028);

    /// Collects blocks of 32 bytes by byte offset.
    ///
    /// The valid row `i` of `dst` is cut into blocks of 32 bytes; block `b` is the 32 bytes of `src` that start at the
    /// byte offset `offsets[i,b]`. There is one offset per block, not per element.
    tgatherb: VECTOR
        .hazards(hazards::TGATHERB)
        .regions(&[region("dst", From::Rows("offsets"), From::ScaledCols("offsets", block_elements))])
        .cost(CostClass::Gather)
        .domain(Domain::Valid("dst"))
        .slots(&[tile_in("src").vec(), tile_in("offsets").vec().elem(&[U32, I32]), tile_out("dst").vec().data()])
        .rules(&[
            (Targets::A2A3, Rule::Orders(&["dst"], Orders::ROW_MAJOR)),
            (Targets::ALL, Rule::Named("offsets: one for each block of 32 bytes of dst", block_offsets)),
        ])
        .types(A2A3, BYTES_1_2_4)
        .types(A5, BYTES_1_2_4)
        .any_bytes_on_cpu()
        .cpp("TGATHERB")
        .page("docs/isa/TGATHERB.md")
        .example("func.func @gather_blocks(%src: !pto.tile_buf<vec, 16x64xf32>, %offsets: !pto.tile_buf<vec, 16x8xui32>, %dst: !pto.tile_buf<vec, 16x64xf32>) {\n  pto.tgatherb ins(%src, %offsets : !pto.tile_buf<vec, 16x64xf32>, !pto.tile_buf<vec, 16x8xui32>) outs(%dst : !pto.tile_buf<vec, 16x64xf32>)\n  return\n}\n")
        .notes(&["The formula of the page has one offset per element; the headers and tests use one per block."])
        .bytecode(0x1029, 3);

    /// Distributes elements by index or by pattern.
    ///
    /// Index form: `dst[indexes[i,j]] = src[i,j]` over the valid region of `indexes`, where an index counts the elements
    /// of the physical `dst` row by row. The devices first set all of `dst` to zero; the host leaves the other elements
    /// alone. When two elements go to one place, the last wins on a2a3 and the host; a5 does not say. Indices have 2
    /// bytes for elements of 1 and 2 bytes, else 4.
    ///
    /// Pattern form (`maskPattern`), the inverse of that of `tgather`: the marked elements of every 2 or 4 of `dst` receive
    /// those of `src` in order, the others become 0. The valid region of `dst` is 2 or 4 times that of `src` along the
    /// columns, or along the rows with `axis = "col"`.
    tscatter: VECTOR
        .hazards(hazards::TSCATTER)
        .regions(&[
            region("dst", From::ScaledRows("src", spread_rows), From::ScaledCols("src", spread_cols)),
            whole("dst"),
        ])
        .generic_order(&["src", "dst", "indexes"])
        .cost(CostClass::Gather)
        .pipes(Pipes::Cases(&[
            PipeCase { targets: Targets::A2A3, src: None, dst: None, pipe: Pipe::S },
            PipeCase { targets: Targets::A5_CPU, src: None, dst: None, pipe: Pipe::V },
        ]))
        .domain(Domain::Valid("src"))
        .slots(&[
            tile_in("src").vec().data(),
            tile_in("indexes").vec().elem(INDEX).optional(),
            tile_out("dst").vec().data(),
        ])
        .attrs(&[MASK, AXIS])
        .attrs_in_ins()
        .rules(&[
            (Targets::ALL, Rule::SameValid(&["src", "indexes"])),
            (Targets::ALL, Rule::Named("indexes of the right size, or a maskPattern with a dst of the right size", scatter)),
        ])
        .types(A2A3, BYTES_1_2_4)
        .types(A5, &[I8, U8, I16, U16, I32, U32, I64, U64, F16, Bf16, F32])
        .any_bytes_on_cpu()
        .cpp("TSCATTER")
        .cpp_args(&["dst", "src", "indexes"])
        .cpp_templates(&["maskPattern", "axis"])
        .page("docs/isa/TSCATTER.md")
        .example("func.func @scatter(%src: !pto.tile_buf<vec, 16x16xf32>, %idx: !pto.tile_buf<vec, 16x16xi32>, %dst: !pto.tile_buf<vec, 16x16xf32>) {\n  pto.tscatter ins(%src, %idx : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xi32>) outs(%dst : !pto.tile_buf<vec, 16x16xf32>)\n  return\n}\n")
        .notes(&[
            "The formula of the page reads an index as a row; every implementation reads it as an element number.",
            "On a2a3 the index form is a loop of the scalar unit; the pattern form runs on the vector pipe.",
            "Version 0.27 of the public assembler has only the index form.",
        ])
        .cpp_forms(&[
            form("TSCATTER($dst, $src, $indexes)"),
            form("TSCATTER<#maskPattern, ScatterAxis::SCATTER_COL>($dst, $src)").when(When::Attr("axis", "col")),
            form("TSCATTER<#maskPattern>($dst, $src)").when(When::Attr("axis", "row")),
            form("TSCATTER<#maskPattern>($dst, $src)"),
        ])
        .bytecode(0x1056, 3);

    /// Cumulative histogram of one byte of each element, for every row.
    ///
    /// `dst[i,b]` is the number of elements in row `i` of `src` whose chosen byte is at most `b`, for `b` from 0 to 255.
    /// `byte` counts from the least significant one. ui16: byte 1 counts all elements; byte 0 counts those whose high
    /// byte is `idx[i,0]`. ui32: byte 3 counts all; byte `k` counts those whose more significant bytes are the first
    /// elements of the `3 - k` rows of `idx`, most significant first, the same for all rows of `src`.
    thistogram: VECTOR
        .hazards(hazards::THISTOGRAM)
        .regions(&[region("dst", From::Rows("src"), From::Fixed(256))])
        .only(Targets::A5_CPU)
        .cost(CostClass::Gather)
        .domain(Domain::Valid("src"))
        .slots(&[
            tile_in("src").vec().order(Orders::ND).elem(&[U16, U32]),
            tile_in("idx").vec().order(Orders::NONE_BOX).elem(&[U8]),
            tile_out("dst").vec().order(Orders::ND).elem(&[U32]),
        ])
        .attrs(&[
            opt_attr("byte", AttrKind::Int(0, 3), "1", "which byte is counted; 0 is the least significant"),
            opt_attr("isMSB", AttrKind::Bool, "", "older spelling for ui16: true is byte 1, false is byte 0"),
        ])
        .rules(&[(
            Targets::ALL,
            Rule::Named(
                "dst: 256 columns and the valid rows of src; idx: a col-major column (ui16), or 3 - byte rows as wide as src (ui32)",
                histogram,
            ),
        )])
        .cpp("THISTOGRAM")
        .cpp_templates(&["byte"])
        .page("docs/isa/THISTOGRAM.md")
        .example("// target a5\nfunc.func @histogram(%src: !pto.tile_buf<vec, 32x32xui16>, %idx: !pto.tile_buf<vec, 32x1xui8, blayout=col_major>, %dst: !pto.tile_buf<vec, 32x256xui32>) {\n  pto.thistogram ins(%src, %idx : !pto.tile_buf<vec, 32x32xui16>, !pto.tile_buf<vec, 32x1xui8, blayout=col_major>) outs(%dst : !pto.tile_buf<vec, 32x256xui32>) {byte = 1 : i32}\n  return\n}\n")
        .notes(&[
            "The page describes plain counts and a filter per row for ui32; the headers count cumulatively and use one filter.",
            "Version 0.27 of the public assembler takes only ui16, with isMSB.",
        ])
        .cpp_forms(&[
            form("THISTOGRAM<HistByte::BYTE_1>($dst, $src, $idx)").when(When::Attr("isMSB", "true")),
            form("THISTOGRAM<HistByte::BYTE_0>($dst, $src, $idx)").when(When::Attr("isMSB", "false")),
            form("THISTOGRAM<HistByte::BYTE_=byte>($dst, $src, $idx)"),
        ])
        .bytecode(0x1077, 3);

    /// Fills a row with consecutive numbers.
    ///
    /// `dst[0,k] = start + k`, or `start - k` with `descending`, for every valid column `k`; integers wrap. `dst` has one
    /// row, and `start` has exactly its element type.
    tci: VECTOR
        .hazards(hazards::TCI)
        .regions(&[whole("dst")])
        .pipe(Pipe::S)
        .cost(CostClass::VectorFill)
        .domain(Domain::Valid("dst"))
        .slots(&[scalar_in("start"), scratch("tmp"), tile_out("dst").vec().data()])
        .attrs(&[opt_attr("descending", AttrKind::Bool, "false", "count downwards")])
        .attrs_in_ins()
        .rules(&[
            (Targets::ALL, Rule::SameElem(&["start", "dst"])),
            (Targets::ALL, Rule::Named("dst has one row", sequence_row)),
            (Targets::A2A3, Rule::ElemBytes(&["tmp"], &[4])),
        ])
        .types(A2A3, BYTES_2_4)
        .types(A5, &[I16, U16, I32, U32])
        .any_number_on_cpu()
        .scratch(Scratch {
            slot: "tmp",
            required: Targets::NONE,
            forbidden: Targets::NONE,
            ignored: Targets::A5,
            rule: "a2a3: 768 bytes for 4-byte elements, 1792 bytes for 2-byte elements",
            bytes: Some(sequence_bytes),
            written: Some(hazards::sequence_written),
        })
        .cpp("TCI")
        .cpp_args(&["dst", "start", "tmp"])
        .cpp_templates(&["descending"])
        .page("docs/isa/TCI.md")
        .example("func.func @count(%dst: !pto.tile_buf<vec, 1x64xi32>) {\n  %zero = arith.constant 0 : i32\n  pto.tci ins(%zero {descending = false} : i32) outs(%dst : !pto.tile_buf<vec, 1x64xi32>)\n  return\n}\n")
        .notes(&[
            "Without tmp, a2a3 writes the numbers one by one; with it, the vector pipe does.",
            "The C++ template arguments start with the types of the tile, of tmp if given, and of start.",
            "Version 0.60 of the public assembler wants tmp on a2a3 where it does not place tiles itself; its own samples leave it out.",
        ])
        .cpp_forms(&[
            form("TCI<:dst, :start, 1>($dst, $start)").when(When::Attr("descending", "true")),
            form("TCI<:dst, :tmp, :start, 1>($dst, $start, $tmp)").when(When::Attr("descending", "true")),
            form("TCI<:dst, :start, 0>($dst, $start)"),
            form("TCI<:dst, :tmp, :start, 0>($dst, $start, $tmp)"),
        ])
        .bytecode(0x100D, 2);

    /// Fills a tile with a triangle of ones.
    ///
    /// Over the valid region of `dst`: lower (`upperOrLower = 0`): `dst[i,j] = 1` where `j <= i + diagonal`, else 0;
    /// upper (`upperOrLower = 1`): `dst[i,j] = 1` where `j >= i + diagonal`, else 0.
    ttri: VECTOR
        .hazards(hazards::TTRI)
        .regions(&[whole("dst")])
        .cost(CostClass::VectorFill)
        .domain(Domain::Valid("dst"))
        .slots(&[value_in("diagonal", SlotKind::Int), vec_out("dst")])
        .attrs(&[opt_attr("upperOrLower", AttrKind::OneOf(&[0, 1]), "0", "0: lower triangle, 1: upper triangle")
            .alias(&["isUpperOrLower"])])
        .attrs_in_ins()
        .types(A2A3, &[I32, I16, U32, U16, F16, F32])
        .types(A5, &[I64, U64, I32, U32, I16, U16, I8, U8, F16, F32, Bf16])
        .cpp("TTRI")
        .cpp_args(&["dst", "diagonal"])
        .cpp_templates(&["upperOrLower"])
        .page("docs/isa/TTRI.md")
        .notes(&["The C++ template arguments start with the type of the tile."])
        .cpp_forms(&[form("TTRI<:dst, =upperOrLower>($dst, $diagonal)")])
        .bytecode(0x106D, 2);

    /// Fills a tile with random 32-bit integers that follow from a key and a counter.
    ///
    /// Philox4x32 with a key of 2 and a counter of 4 words, and `rounds` rounds. Lane `l` of 64 uses the counter plus `l`,
    /// its four words are four consecutive elements, and the counter advances by 64 for every 256 elements of a row, by
    /// `(columns - 1) mod 64 + 1` for the last ones. The same key and counter give the same numbers.
    trandom: VECTOR
        .hazards(hazards::TRANDOM)
        .regions(&[whole("dst")])
        .only(Targets::A5_CPU)
        .cost(CostClass::VectorFill)
        .domain(Domain::Valid("dst"))
        .slots(&[
            key("key0"),
            key("key1"),
            key("counter0"),
            key("counter1"),
            key("counter2"),
            key("counter3"),
            vec_out("dst"),
        ])
        .attrs(&[opt_attr("rounds", AttrKind::OneOf(&[7, 10]), "10", "rounds of the generator")])
        .attrs_in_ins()
        .types(A5, &[I32, U32])
        .cpp("TRANDOM")
        .cpp_templates(&["rounds"])
        .page("docs/isa/TRANDOM.md")
        .example("// target a5\nfunc.func @random(%key: i32, %count: i32, %dst: !pto.tile_buf<vec, 4x256xi32>) {\n  pto.trandom ins(%key, %key, %count, %count, %count, %count {rounds = 10 : i32} : i32, i32, i32, i32, i32, i32) outs(%dst : !pto.tile_buf<vec, 4x256xi32>)\n  return\n}\n")
        .notes(&[
            "In C++ the key and the counter are arrays of 2 and 4 words; the page shows them as tiles.",
            "The page names another generator; the code is Philox4x32.",
            "The host puts the numbers in another order than a5.",
        ])
        .cpp_forms(&[
            form("{\n  TRandomKey key = {static_cast<uint32_t>($key0), static_cast<uint32_t>($key1)};\n  TRandomCounter counter = {static_cast<uint32_t>($counter0), static_cast<uint32_t>($counter1), static_cast<uint32_t>($counter2), static_cast<uint32_t>($counter3)};\n  TRANDOM<=rounds>($dst, key, counter);\n}"),
        ]);

    /// Prints a tile or a window of global memory.
    ///
    /// For debugging: text output only. Floats are printed with the chosen decimals, integers as decimals; every column is as wide as its widest
    /// number, and at least as wide as `printFormat` says. A device prints the whole tile and marks the edge of the valid region; the host
    /// prints the valid region of a tile in any memory, row by row, with the line, the iteration and the core. A device copies tiles outside
    /// vector memory to `tmp`, a window of global memory, first.
    tprint: Row::EMPTY
        .pipe(Pipe::V)
        .effect(Effect::Debug)
        .slots(&[value_in("src", SlotKind::TileOrView), value_in("tmp", SlotKind::View).optional()])
        .attrs(&[PRINT_FORMAT])
        .rules(&[(Targets::ALL, Rule::Named("no tmp with a view", printed_directly))])
        .advice(unprintable)
        .cpp("TPRINT")
        .cpp_args(&["src", "tmp"])
        .cpp_templates(&["printFormat"])
        .page("docs/isa/TPRINT.md")
        .example("func.func @show(%src: !pto.tile_buf<vec, 16x16xf32>) {\n  pto.tprint ins(%src : !pto.tile_buf<vec, 16x16xf32>)\n  return\n}\n")
        .notes(&["The device waits for all pipes before it prints, and prints only in debug builds."])
        .bytecode(0x1071, 1);

    /// Reads one element of a tile.
    ///
    /// `dst = src[offset]`, where `offset` counts the elements of the physical tile in the order in which they lie in
    /// memory; the valid region does not matter. Runs on the scalar unit, so everything that wrote the tile must have
    /// finished.
    tgetval: Row::EMPTY.movement(Movement::GetElement)
        .pipe(Pipe::S)
        .cost(CostClass::Scalar)
        .slots(&[tile_in("src").vec(), index_in("offset")])
        .results(&[result("dst", SlotKind::Scalar).infer(Infer::ElementOf("src"))])
        .pattern("ins($src, $offset : :src, :offset) outs : :dst {}")
        .rules(&[
            (Targets::ALL, Rule::SameElem(&["src", "dst"])),
            (Targets::ALL, Rule::Named("offset inside the tile", offset_inside)),
        ])
        .cpp("GetValue")
        .cpp_args(&["src", "offset"])
        .page("docs/PTO_IR_manual.md")
        .example("func.func @first(%src: !pto.tile_buf<vec, 16x16xf32>) {\n  %zero = arith.constant 0 : index\n  %v = pto.tgetval ins(%src, %zero : !pto.tile_buf<vec, 16x16xf32>, index) outs : f32\n  return\n}\n")
        .notes(&["In C++ a member of the tile: `src.GetValue(offset)`."])
        .cpp_forms(&[form("$src.GetValue($offset)")])
        .bytecode(0x102B, 2);

    /// Writes one element of a tile.
    ///
    /// `dst[offset] = val`, where `offset` counts the elements of the physical tile in the order in which they lie in
    /// memory; the valid region does not matter, and all other elements stay. Runs on the scalar unit.
    tsetval: Row::EMPTY.movement(Movement::SetElement)
        .regions(&[whole("dst")])
        .pipe(Pipe::S)
        .cost(CostClass::Scalar)
        .generic_order(&["dst", "offset", "val"])
        .slots(&[index_in("offset"), value_in("val", SlotKind::Scalar), tile_inout("dst").vec()])
        .rules(&[
            (Targets::ALL, Rule::SameElem(&["dst", "val"])),
            (Targets::ALL, Rule::Named("offset inside the tile", offset_inside)),
        ])
        .cpp("SetValue")
        .cpp_args(&["dst", "offset", "val"])
        .page("docs/PTO_IR_manual.md")
        .example("func.func @set_first(%dst: !pto.tile_buf<vec, 16x16xf32>, %v: f32) {\n  %zero = arith.constant 0 : index\n  pto.tsetval ins(%zero, %v : index, f32) outs(%dst : !pto.tile_buf<vec, 16x16xf32>)\n  return\n}\n")
        .notes(&["In C++ a member of the tile: `dst.SetValue(offset, val)`."])
        .cpp_forms(&[form("$dst.SetValue($offset, $val)")])
        .bytecode(0x105E, 3);

    /// Prints a scalar.
    ///
    /// For debugging: `format` is a `printf` format with one conversion that fits the scalar.
    print: Row::EMPTY
        .pipe(Pipe::S)
        .effect(Effect::Debug)
        .slots(&[value_in("scalar", SlotKind::Scalar)])
        .attrs(&[attr("format", AttrKind::Str, "printf format with one conversion")])
        .pattern("ins(#format, $scalar : :scalar) {}")
        .cpp("cce::printf")
        .cpp_args(&["format", "scalar"])
        .page("docs/PTO_IR_manual.md")
        .example("func.func @show(%v: f32) {\n  pto.print ins(\"%f\", %v : f32)\n  return\n}\n")
        .cpp_forms(&[form("cce::printf(=format, $scalar)")]);

    /// Stops the program.
    ///
    /// For debugging: execution ends here with an error.
    trap: Row::EMPTY
        .pipe(Pipe::S)
        .effect(Effect::Control)
        .pattern("{}")
        .cpp("trap")
        .page("docs/PTO_IR_manual.md")
        .example("func.func @stop() {\n  pto.trap\n  return\n}\n");

    /// Reads how many records the last merge took from each list.
    ///
    /// After a merge that stopped because a list was empty, `list0` to `list3` are the numbers of records taken from the
    /// four lists: the four 16-bit fields of a status register, lowest first.
    get_vms4_sr: Row::EMPTY
        .pipe(Pipe::S)
        .cost(CostClass::Scalar)
        .results(&[count("list0"), count("list1"), count("list2"), count("list3")])
        .pattern("{} : :list0, :list1, :list2, :list3")
        .page("docs/isa/micro-isa/13-dsa-sfu-ops.md")
        .example("func.func @counts() {\n  %a, %b, %c, %d = pto.get_vms4_sr : i16, i16, i16, i16\n  return\n}\n")
        .notes(&["Only in version 0.60 of the public assembler, next to its vector-register instructions."])
        .cpp_missing("the register has no function in the device headers; the merge that writes it gives the same list");
}
