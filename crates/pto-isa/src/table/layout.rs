//! Moves between on-chip memories, and changes of layout inside the vector memory.

use crate::text;
use super::hazards;
use super::memory::{
    QUANT_WORDS, RELU, acc_move_types, broken, fix_pipe_options, scale_words, scale_words_of_part,
};
use crate::DType::*;
use crate::Target::{A2A3, A5};
use crate::codes;
use crate::enums;
use crate::row::{Aliasing, AttrKind, AttrSpec, CostClass, Domain, From, Infer, SlotKind, Movement, Orders, PipeCase, Pipes, ResultRegion, Scratch, Slot, When, form, opt_attr, region, whole};
use crate::rules::{Broken, Instance, Rule, Verdict};
use crate::shape::{scratch, tile_in, tile_inout, tile_out, value_in, vec_in, vec_out};
use crate::{DType, Dim, Loc, Order, Pad, Pipe, Row, Targets, TileType};

const ACC_TO_VEC: AttrSpec = opt_attr(
    "accToVecMode",
    AttrKind::Enum(&enums::ACC_TO_VEC_MODE),
    "",
    "which vector core receives an accumulator, or how the two share it",
);
const GROUP_AXIS: AttrSpec =
    opt_attr("grpAxis", AttrKind::Enum(&enums::MX_GROUP_AXIS), "", "axis of the blocks whose exponents become ZZ");
const MOVE_ATTRS: &[AttrSpec] = &[ACC_TO_VEC, RELU, GROUP_AXIS];
const EXTRACT_ATTRS: &[AttrSpec] = &[ACC_TO_VEC, RELU];
const INSERT_ATTRS: &[AttrSpec] = &[
    ACC_TO_VEC,
    RELU,
    opt_attr("tinsertMode", AttrKind::Enum(&enums::TINSERT_MODE), "", "split the source into 2 or 4 column groups")
        .on(Targets::A5_CPU),
];
const QUANT_ATTRS: &[AttrSpec] = &[RELU];
const FILL_ATTRS: &[AttrSpec] =
    &[opt_attr("padValue", AttrKind::Enum(&enums::PAD_VALUE), "", "repeats the pad value of `dst` for a tile in mat")];

const TAPS: AttrKind = AttrKind::Int(1, u8::MAX as i64);

/// The filter of a convolution, which the C++ call takes from its convolution tile.
const FILTER_ATTRS: &[AttrSpec] = &[
    opt_attr("filterH", TAPS, "1", "rows of the filter"),
    opt_attr("filterW", TAPS, "1", "columns of the filter"),
    opt_attr("strideH", TAPS, "1", "rows from one position to the next"),
    opt_attr("strideW", TAPS, "1", "columns from one position to the next"),
    opt_attr("dilationH", TAPS, "1", "rows from one element of the filter to the next"),
    opt_attr("dilationW", TAPS, "1", "columns from one element of the filter to the next"),
    opt_attr("channels", AttrKind::Int(1, u16::MAX as i64), "", "channels of an image; without it there is one image"),
];

/// What the cube's operand memories take.
const OPERANDS_A2A3: &[DType] = &[I8, F16, Bf16, F32];
const OPERANDS_A5: &[DType] = &[I8, Hif8, F8E5M2, F8E4M3, F16, Bf16, F32, F4E2M1, F4E1M2, F8E8M0];
/// What moves between vector memory and L1 on A5.
const VEC_TO_MAT: &[DType] = &[F16, Bf16, F32, I32, F8E4M3, F8E5M2, Hif8, I8, U8, F8E8M0, F4E2M1, F4E1M2];
/// Windows inside the vector memory.
const WINDOW_A2A3: &[DType] = &[I8, U8, I16, U16, I32, U32, F16, Bf16, F32];
const WINDOW_A5: &[DType] = &[F16, Bf16, F32, I32, I8, Hif8, F8E4M3, F8E5M2, F8E8M0, F4E2M1, F4E1M2];
const PLAIN: &[DType] = &[I8, U8, I16, U16, I32, U32, F16, Bf16, F32];
/// Everything of 1, 2 or 4 bytes.
const NARROW: &[DType] = &[I8, U8, I16, U16, I32, U32, F16, Bf16, F32, F8E4M3, F8E5M2, F8E8M0, Hif8];

const FP: Slot = tile_in("fp").at(&[Loc::Scaling]).elem(QUANT_WORDS);
const PRE_QUANT: Slot = value_in("pre_quant", SlotKind::Int).optional();
const ROW: Slot = value_in("index_row", SlotKind::Int);
const COL: Slot = value_in("index_col", SlotKind::Int);

const fn case(src: Loc, dst: Option<Loc>, pipe: Pipe) -> PipeCase {
    PipeCase { targets: Targets::ALL, src: Some(src), dst, pipe }
}

fn both<'a>(i: &Instance<'a>) -> Option<(&'a TileType, &'a TileType)> {
    Some((i.tile("src")?, i.tile("dst")?))
}

fn one_of(i: &Instance, slot: &str, found: DType, legal: &[DType]) -> Verdict {
    Verdict::require(legal.contains(&found), || {
        let names: Vec<_> = legal.iter().map(|d| d.name()).collect();
        Broken::new(codes::ELEM_TYPE, vec![i.at(slot)], text!("`{slot}` is {found}", slot, found), names.join(", "))
    })
}

fn same_type(i: &Instance, src: &TileType, dst: &TileType, legal: &[DType]) -> Verdict {
    if src.dtype != dst.dtype {
        let found = text!("`dst` is {dtype}, `src` is {dtype2}", dtype = dst.dtype, dtype2 = src.dtype);
        return Verdict::Broken(Broken::new(
            codes::ELEM_MISMATCH,
            vec![i.at("dst"), i.at("src")],
            found,
            src.dtype.name(),
        ));
    }
    one_of(i, "src", src.dtype, legal)
}

const fn by_target(i: &Instance, a2a3: &'static [DType], a5: &'static [DType]) -> &'static [DType] {
    match i.target {
        A2A3 => a2a3,
        A5 => a5,
        crate::Target::Cpu => &DType::ALL,
    }
}

fn move_types(i: &Instance) -> Verdict {
    let Some((src, dst)) = both(i) else { return Verdict::Holds };
    match (src.loc, dst.loc) {
        (Loc::Acc, _) => acc_move_types(i),
        (Loc::Mat, Loc::Left | Loc::Right) => same_type(i, src, dst, by_target(i, OPERANDS_A2A3, OPERANDS_A5)),
        (Loc::Mat, Loc::Bias) => bias_types(i, src.dtype, dst.dtype),
        (Loc::Mat, Loc::Scaling) if dst.fractal == 32 => same_type(i, src, dst, &[F8E8M0]),
        (Loc::Mat, Loc::Scaling) => same_type(i, src, dst, &[U64, I64]),
        (Loc::Mat, Loc::ScaleLeft | Loc::ScaleRight) => same_type(i, src, dst, &[F8E8M0]),
        (Loc::Vec, Loc::Mat) => same_type(i, src, dst, VEC_TO_MAT),
        _ => Verdict::require(src.dtype.bits() == dst.dtype.bits(), || {
            let found = text!("`dst` is {dtype}, `src` is {dtype2}", dtype = dst.dtype, dtype2 = src.dtype);
            Broken::new(codes::ELEM_MISMATCH, vec![i.at("dst"), i.at("src")], found, text!("elements of the same size"))
        }),
    }
}

/// The bias table holds results' types; half-width biases are widened on the way.
fn bias_types(i: &Instance, from: DType, to: DType) -> Verdict {
    let widened = from == F16 || (from == Bf16 && i.target != A2A3);
    let ok = (from == to && matches!(from, I32 | F32)) || (widened && to == F32);
    Verdict::require(ok, || {
        let legal = if i.target == A2A3 { "i32 i32; f32 f32; f16 f32" } else { "i32 i32; f32 f32; f16 f32; bf16 f32" };
        let found = text!("src, dst are {from} {to}", from, to);
        Broken::new(codes::ELEM_COMBINATION, vec![i.at("dst"), i.at("src")], found, legal)
    })
}

fn move_shapes(i: &Instance) -> Verdict {
    let Some((src, dst)) = both(i) else { return Verdict::Holds };
    let fixed = src.loc == Loc::Mat || (i.target == A2A3 && !i.given("fp"));
    let same = (src.rows, src.cols) == (dst.rows, dst.cols);
    Verdict::require(!fixed || same, || {
        let found = text!("`dst` is {rows}x{cols}, `src` is {rows2}x{cols2}", rows = dst.rows, cols = dst.cols, rows2 = src.rows, cols2 = src.cols);
        Broken::new(codes::SHAPE, vec![i.at("dst"), i.at("src")], found, text!("the same rows and columns"))
    })
}

/// Bias rows and quantisation words travel as one row in bursts of 64 bytes (128 for words on A5).
fn move_rows(i: &Instance) -> Verdict {
    let Some((src, dst)) = both(i) else { return Verdict::Holds };
    let unit = match dst.loc {
        Loc::Bias => 64,
        Loc::Scaling if dst.is_boxed() => return Verdict::Holds,
        Loc::Scaling if i.target == A5 => 128,
        Loc::Scaling => 64,
        _ => return Verdict::Holds,
    };
    let bytes = if i.target == A5 { dst.bytes() } else { src.bytes() };
    if dst.rows != 1 {
        return broken(i, codes::SHAPE, "dst", text!("`dst` has {rows} rows", rows = dst.rows), "1");
    }
    Verdict::require(bytes % unit == 0, || {
        Broken::new(codes::SHAPE, vec![i.at("dst")], text!("a row of {bytes} bytes", bytes), text!("a multiple of {unit}", unit))
    })
}

/// Layouts on the way into the operand memories and out of the accumulator.
fn move_layout(i: &Instance) -> Verdict {
    let Some((src, dst)) = both(i) else { return Verdict::Holds };
    let wrong = |slot: &str, t: &TileType, legal: &str| {
        broken(i, codes::LAYOUT, slot, text!("`{slot}` is {i}", slot, i = i.order(t)), legal)
    };
    let boxed_rows = matches!(i.order(dst), Order::Zz | Order::Nz);
    match (src.loc, dst.loc) {
        (Loc::Mat, Loc::Left) if !boxed_rows => wrong("dst", dst, text!("boxes of rows (slayout=row_major)")),
        (Loc::Mat, Loc::Right) if dst.order() != Order::Zn => wrong("dst", dst, "ZN"),
        (Loc::Mat, Loc::Left | Loc::Right) if matches!(src.order(), Order::Dn | Order::Nn) => {
            wrong("src", src, "ND, NZ, ZN, ZZ")
        }
        (Loc::Acc, _) if src.order() != Order::Nz => wrong("src", src, "NZ"),
        (Loc::Acc, Loc::Mat) if i.target == A2A3 && (dst.order() != Order::Nz || dst.fractal != 512) => {
            wrong("dst", dst, text!("NZ with fractal=512"))
        }
        (Loc::Acc, _) if !matches!(dst.order(), Order::Nz | Order::Nd | Order::Dn) => wrong("dst", dst, "NZ, ND, DN"),
        _ => Verdict::Holds,
    }
}

/// Both vector cores share an accumulator only without quantisation and without transposition.
fn acc_to_vec(i: &Instance) -> Verdict {
    let (Some(mode), Some((src, dst))) = (i.attr("accToVecMode").and_then(|m| m.enum_name()), both(i)) else {
        return Verdict::Holds;
    };
    if (src.loc, dst.loc) != (Loc::Acc, Loc::Vec) {
        let found = text!("`accToVecMode` from `{loc}` to `{loc2}`", loc = src.loc, loc2 = dst.loc);
        return broken(i, codes::COMBINATION, "dst", found, text!("a move from acc to vec"));
    }
    let dual = mode.starts_with("dual");
    if dual && (i.given("fp") || i.given("pre_quant")) {
        return broken(
            i,
            codes::COMBINATION,
            "src",
            text!("quantisation with {mode}", mode),
            "single_mode_vec0, single_mode_vec1",
        );
    }
    if dual && dst.order() == Order::Dn {
        return broken(i, codes::LAYOUT, "dst", text!("a DN destination with {mode}", mode), "NZ, ND");
    }
    Verdict::Holds
}

/// A third tile in vector memory means that exponents are laid out in ZZ boxes.
fn zz_form(i: &Instance) -> Verdict {
    let tmp = i.tile("fp").filter(|t| t.loc == Loc::Vec);
    let (Some(tmp), Some((src, dst))) = (tmp, both(i)) else {
        if i.given("grpAxis") && i.ty("fp").is_none_or(|t| t.tile().is_some()) {
            return broken(
                i,
                codes::COMBINATION,
                "fp",
                text!("`grpAxis` without a scratch tile").to_string(),
                text!("a third tile in vec"),
            );
        }
        return Verdict::Holds;
    };
    if i.target == A2A3 {
        return broken(i, codes::NOT_ON_TARGET, "fp", text!("the ZZ form of tmov").to_string(), "A5");
    }
    if (src.loc, dst.loc) != (Loc::Vec, Loc::Vec) {
        return broken(i, codes::LOCATION, "fp", text!("a scratch tile in `vec`").to_string(), text!("src and dst in vec as well"));
    }
    if i.given("pre_quant") || i.given("accToVecMode") || i.attr_name("reluPreMode").is_some_and(|m| m != "no_relu") {
        return broken(i, codes::COMBINATION, "fp", text!("fix-pipe options in the ZZ form").to_string(), "none");
    }
    if src.dtype != dst.dtype || src.dtype != tmp.dtype {
        let found = text!("src, dst and the scratch tile are {dtype} {dtype2} {dtype3}", dtype = src.dtype, dtype2 = dst.dtype, dtype3 = tmp.dtype);
        return broken(i, codes::ELEM_MISMATCH, "dst", found, text!("one element type"));
    }
    if src.order() != Order::Nd || dst.order() != Order::Zz {
        return broken(i, codes::LAYOUT, "dst", format!("{} → {}", src.order(), dst.order()), "ND → ZZ");
    }
    match one_of(i, "src", src.dtype, &[U8, Hif8, F8E8M0]) {
        Verdict::Holds => zz_sizes(i, src, dst, tmp),
        bad => bad,
    }
}

fn zz_sizes(i: &Instance, src: &TileType, dst: &TileType, tmp: &TileType) -> Verdict {
    let shape = |t: &TileType| Some((t.valid_rows.fixed()?, t.valid_cols.fixed()?));
    let (Some((sr, sc)), Some((dr, dc))) = (shape(src), shape(dst)) else {
        return broken(
            i,
            codes::VALID_REGION,
            "dst",
            text!("a dynamic valid region").to_string(),
            text!("extents fixed in the type"),
        );
    };
    let bad = |slot: &str, found: String, legal: String| {
        Verdict::Broken(Broken::new(codes::SHAPE, vec![i.at(slot)], found, legal))
    };
    if sr.saturating_mul(sc) != dr.saturating_mul(dc) {
        return bad("dst", text!("{sr} × {sc} exponents into {dr} × {dc}", sr, sc, dr, dc), text!("as many in both").to_string());
    }
    if i.attr_name("grpAxis") == Some("axis0") {
        let ok = sr >= 2 && sr % 2 == 0 && sc % 16 == 0 && src.cols == sc && dst.bytes() >= sr.saturating_mul(sc);
        let legal = text!("an even number of rows, whole rows of a multiple of 16 columns").to_string();
        return if ok { Verdict::Holds } else { bad("src", text!("{sr} × {sc} exponents", sr, sc), legal) };
    }
    let (area, need) = (dr.next_multiple_of(16).saturating_mul(dc), 64 + dr.div_ceil(16).saturating_mul(dc));
    if dc % 2 != 0 || (sr != 1 && src.cols != sc) {
        return bad(
            "src",
            text!("{sr} × {sc} exponents", sr, sc),
            text!("one row or whole rows, to an even number of columns").to_string(),
        );
    }
    if src.bytes() < area || dst.bytes() < area {
        return bad(
            "dst",
            text!("{src} and {dst} bytes", src = src.bytes(), dst = dst.bytes()),
            text!("{area} bytes in src and dst", area),
        );
    }
    if tmp.bytes() < need {
        return bad("fp", text!("a scratch tile of {tmp} bytes", tmp = tmp.bytes()), text!("at least {need} bytes", need));
    }
    Verdict::Holds
}

/// The window at `(row, col)` of `size` lies inside a tile of `room`.
fn window(i: &Instance, size: (Dim, Dim), room: (u64, u64)) -> Verdict {
    let mut verdict = Verdict::Holds;
    for (slot, size, room) in [("index_row", size.0, room.0), ("index_col", size.1, room.1)] {
        match (i.value(slot), size) {
            (Some(at), _) if at < 0 => {
                return broken(i, codes::BOUNDS, slot, text!("`{slot}` is {at}", slot, at), text!("not negative"));
            }
            (Some(at), Dim::Fixed(n)) if at as u64 + n > room => {
                let legal = text!("at most {room}", room = room.saturating_sub(n));
                return broken(i, codes::BOUNDS, slot, text!("`{slot}` is {at}, the window has {n}", slot, at, n), &legal);
            }
            (Some(_), Dim::Fixed(_)) => {}
            _ => verdict = Verdict::Dynamic,
        }
    }
    verdict
}

fn extract_window(i: &Instance) -> Verdict {
    let Some((src, dst)) = both(i) else { return Verdict::Holds };
    window(i, (Dim::Fixed(dst.rows), columns_as(Dim::Fixed(dst.cols), dst, src)), (src.rows, src.cols))
}

fn insert_window(i: &Instance) -> Verdict {
    let Some((src, dst)) = both(i) else { return Verdict::Holds };
    window(i, (src.valid_rows, columns_as(src.valid_cols, src, dst)), (dst.rows, dst.cols))
}

/// Columns of a tile as another counts them: packed 4-bit floats are pairs in the vector memory and numbers elsewhere.
fn columns_as(columns: Dim, of: &TileType, other: &TileType) -> Dim {
    let (bits, other_bits) = (u64::from(of.column_bits()), u64::from(other.column_bits()));
    match columns {
        Dim::Fixed(n) if of.dtype == other.dtype => Dim::Fixed(n.saturating_mul(bits).div_ceil(other_bits)),
        other => other,
    }
}

fn window_types(i: &Instance) -> Verdict {
    let Some((src, dst)) = both(i) else { return Verdict::Holds };
    match (src.loc, dst.loc) {
        (Loc::Acc, _) => acc_move_types(i),
        (Loc::Mat, Loc::Scaling | Loc::ScaleLeft | Loc::ScaleRight) => same_type(i, src, dst, &[F8E8M0, F16]),
        (Loc::Mat, _) => same_type(i, src, dst, by_target(i, OPERANDS_A2A3, OPERANDS_A5)),
        (Loc::Vec, Loc::Mat) => same_type(i, src, dst, VEC_TO_MAT),
        _ => same_type(i, src, dst, by_target(i, WINDOW_A2A3, WINDOW_A5)),
    }
}

fn window_layout(i: &Instance) -> Verdict {
    let Some((src, dst)) = both(i) else { return Verdict::Holds };
    let wrong = |slot: &str, t: &TileType, legal: &str| {
        broken(i, codes::LAYOUT, slot, text!("`{slot}` is {i}", slot, i = i.order(t)), legal)
    };
    let plain = |t: &TileType| matches!(t.order(), Order::Nd | Order::Nz);
    match (src.loc, dst.loc) {
        (Loc::Mat, Loc::Right) if i.target == A5 && !matches!(src.order(), Order::Zn | Order::Nz) => {
            wrong("src", src, "ZN, NZ")
        }
        (Loc::Mat, Loc::Left | Loc::Right) | (Loc::Acc, Loc::Mat) => move_layout(i),
        (Loc::Acc, Loc::Vec) if src.order() != Order::Nz => wrong("src", src, "NZ"),
        (Loc::Acc, Loc::Vec) if !plain(dst) => wrong("dst", dst, "ND, NZ"),
        (Loc::Vec, Loc::Mat) if !matches!(dst.order(), Order::Nz | Order::Zn) => wrong("dst", dst, "NZ, ZN"),
        (Loc::Vec, Loc::Vec) if src.order() != dst.order() || !plain(src) => {
            wrong("dst", dst, text!("the layout of src, ND or NZ"))
        }
        _ => Verdict::Holds,
    }
}

fn split_form(i: &Instance) -> Verdict {
    let Some((src, dst)) = both(i).filter(|_| i.given("tinsertMode")) else { return Verdict::Holds };
    if (src.loc, dst.loc) != (Loc::Vec, Loc::Mat) {
        let found = text!("`tinsertMode` from `{loc}` to `{loc2}`", loc = src.loc, loc2 = dst.loc);
        return broken(i, codes::COMBINATION, "dst", found, text!("a move from vec to mat"));
    }
    Verdict::require(src.order() == Order::Nz, || {
        Broken::new(codes::LAYOUT, vec![i.at("src")], text!("`src` is {src}", src = src.order()), "NZ with tinsertMode")
    })
}

fn quant_layout(i: &Instance) -> Verdict {
    let Some((src, dst)) = both(i) else { return Verdict::Holds };
    if src.order() != Order::Nz {
        return broken(i, codes::LAYOUT, "src", text!("`src` is {src}", src = src.order()), "NZ");
    }
    let ok = dst.order() == Order::Nz || (dst.loc == Loc::Vec && !dst.is_boxed());
    let fractal = i.target != A2A3 || dst.fractal == 512;
    Verdict::require(ok && fractal, || {
        let legal = text!("NZ with fractal=512; also ND and DN in vec");
        Broken::new(
            codes::LAYOUT,
            vec![i.at("dst")],
            text!("`dst` is {dst}, fractal={fractal}", dst = dst.order(), fractal = dst.fractal),
            legal,
        )
    })
}

fn fill_pad(i: &Instance) -> Verdict {
    match i.tile("dst") {
        Some(dst) if dst.pad == Pad::Null => {
            broken(i, codes::COMBINATION, "dst", text!("`dst` has no pad value").to_string(), text!("pad zero, max or min"))
        }
        _ => Verdict::Holds,
    }
}

fn fill_sizes(i: &Instance) -> Verdict {
    let Some((src, dst)) = both(i) else { return Verdict::Holds };
    Verdict::require(dst.rows >= src.rows && dst.cols >= src.cols, || {
        let found = text!("`dst` is {rows}x{cols}", rows = dst.rows, cols = dst.cols);
        Broken::new(codes::SHAPE, vec![i.at("dst")], found, text!("at least {rows}x{cols}", rows = src.rows, cols = src.cols))
    })
}

/// In L1 the instruction writes zeros around the data of one tile; there is no second tile to speak of.
fn fill_mat(i: &Instance) -> Verdict {
    let Some((src, dst)) = both(i) else { return Verdict::Holds };
    let given = i.attr("padValue").and_then(|p| p.enum_name());
    if src.loc != Loc::Mat && dst.loc != Loc::Mat {
        return Verdict::require(given.is_none(), || {
            Broken::new(codes::COMBINATION, vec![i.at("dst")], text!("`padValue` for a tile in vec"), text!("only for mat"))
        });
    }
    if src != dst {
        return broken(i, codes::COMBINATION, "dst", text!("two tile types in mat").to_string(), text!("the type of src"));
    }
    if i.target != crate::Target::Cpu && dst.order() != Order::Nz {
        return broken(i, codes::LAYOUT, "dst", text!("`dst` is {dst}", dst = dst.order()), "NZ");
    }
    Verdict::require(given.is_none_or(|p| p == dst.pad.name()), || {
        Broken::new(codes::COMBINATION, vec![i.at("dst")], text!("`padValue` differs from the tile's pad"), dst.pad.name())
    })
}

/// Neither headers nor assemblers check the size of `dst`, so this is checked at run time.
fn transposed(i: &Instance) -> Verdict {
    let Some((src, dst)) = both(i) else { return Verdict::Holds };
    let fits = |valid: Dim, physical: u64, room: u64| physical <= room || valid.fixed().is_some();
    let known = fits(src.valid_cols, src.cols, dst.rows) && fits(src.valid_rows, src.rows, dst.cols);
    if known { Verdict::Holds } else { Verdict::Dynamic }
}

fn transpose_bytes(i: &Instance) -> Option<u64> {
    let (src, dst) = both(i)?;
    let size = u64::from(src.dtype.unit_bytes());
    let stride = if size == 1 { 32 } else { 16 };
    let used = i.target == A2A3 && dst.cols % stride == 0 && src.cols * size % 32 == 0;
    Some(if used { src.bytes() } else { 32 })
}

fn concat_cols(i: &Instance) -> Verdict {
    let (Some(a), Some(b), Some(dst)) = (i.tile("src0"), i.tile("src1"), i.tile("dst")) else { return Verdict::Holds };
    let (Dim::Fixed(x), Dim::Fixed(y)) = (a.valid_cols, b.valid_cols) else { return Verdict::Dynamic };
    Verdict::require(x + y <= dst.cols, || {
        Broken::new(
            codes::SHAPE,
            vec![i.at("dst")],
            text!("`dst` has {cols} columns", cols = dst.cols),
            text!("at least {y}", y = x + y),
        )
    })
}

fn index_cols(i: &Instance) -> Verdict {
    for slot in ["src0_idx", "src1_idx"] {
        if i.tile(slot).is_some_and(|t| t.valid_cols == Dim::Fixed(0)) {
            return broken(i, codes::VALID_REGION, slot, text!("`{slot}` has no valid column", slot), text!("at least one"));
        }
    }
    Verdict::Holds
}

fn even_cols(i: &Instance) -> Verdict {
    match i.tile("src0").map(|t| t.valid_cols) {
        None => Verdict::Holds,
        Some(Dim::Dynamic) => Verdict::Dynamic,
        Some(Dim::Fixed(n)) => Verdict::require(n % 2 == 0, || {
            Broken::new(
                codes::VALID_REGION,
                vec![i.at("src0")],
                text!("`src0` has {n} valid columns", n),
                text!("an even number"),
            )
        }),
    }
}

fn split_cols(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src0"), i.tile("dst0")) else { return Verdict::Holds };
    let (Dim::Fixed(from), Dim::Fixed(to)) = (src.valid_cols, dst.valid_cols) else { return Verdict::Dynamic };
    let want = if i.given("src1") { from } else { from / 2 };
    Verdict::require(to == want, || {
        Broken::new(codes::VALID_REGION, vec![i.at("dst0")], text!("`dst0` has {to} valid columns", to), want.to_string())
    })
}

fn narrowing(i: &Instance) -> Verdict {
    let Some((src, dst)) = both(i) else { return Verdict::Holds };
    let are_ints = src.dtype.is_int() && dst.dtype.is_int();
    let fit = src.dtype.bits() > dst.dtype.bits() && dst.dtype.bits() >= 8 && src.dtype.bits() <= 32;
    Verdict::require(are_ints && fit, || {
        let (found, legal) = (format!("{} → {}", src.dtype, dst.dtype), text!("integers, 4 → 2, 4 → 1 or 2 → 1 bytes"));
        Broken::new(codes::ELEM_COMBINATION, vec![i.at("dst"), i.at("src")], found, legal)
    })
}

/// Accumulator to L1 or vector memory with one quantisation word per column.
const FIX: Row = Row::EMPTY.pipe(Pipe::Fix).cost(CostClass::FixPipe).attrs(QUANT_ATTRS).shape_rules(&[
    (Targets::A2A3, Rule::LocPairs("src", "dst", &[(Loc::Acc, Loc::Mat)])),
    (Targets::ALL, Rule::Named("a conversion of the fix pipe", acc_move_types)),
    (Targets::ALL, Rule::Named("src NZ; dst NZ with fractal=512, or ND, DN in vec", quant_layout)),
]);

/// What the source has from the indices on.
const EXTRACTED: &[ResultRegion] =
    &[region("dst", From::RowsAfter("src", "index_row"), From::ColsAfter("src", "index_col"))];

const FILL: Row = Row::EMPTY
    .pipe(Pipe::V)
    .cost(CostClass::Move)
    .domain(Domain::Whole("dst"))
    .regions(&[whole("dst")])
    .alias(Aliasing::InPlace)
    .slots(&[
        tile_in("src").vec().order(Orders::ROW_MAJOR),
        tile_out("dst").vec().order(Orders::ROW_MAJOR).infer(Infer::No),
    ])
    .shape_rules(&[
        (Targets::ALL, Rule::SameElemSize(&["src", "dst"])),
        (Targets::ALL, Rule::ElemBytes(&["dst"], &[1, 2, 4])),
        (Targets::ALL, Rule::Named("dst has a pad value", fill_pad)),
    ]);

const PAD_NOTE: &str = "Devices fill all columns of the source's rows, then rows up to the valid rows of dst; the public simulator fills the whole tile, and so do we.";
const FP_NOTE: &str = "The headers take 64-bit words in `fp`; the assembler also takes f32 and f16 tiles.";

family! { Layout, "pto", layout;
    /// Moves a tile to another on-chip memory.
    ///
    /// `dst[r,c] = f(src[r,c])`. The two memories select the path: mat → left, right (a source in the opposite box order is
    /// transposed box by box), mat → bias, scaling (one row; half-width biases widen to f32), vec → vec,
    /// vec → mat (A5), acc → mat and acc → vec through the fix pipe. `f` is the identity except from acc, where it casts,
    /// or quantises by `pre_quant` or per column by `fp`, and applies ReLU. On A5 `accToVecMode` chooses the
    /// vector core, or splits rows (`dual_mode_split_m`) or columns (`dual_mode_split_n`) between the two.
    ///
    /// With a third tile in vec, the exponents of an MX quantisation are laid out in ZZ boxes of 16 × 2 for the cube:
    /// `grpAxis = axis1` reads them row by row, `axis0` as written by a quantisation along rows. The third tile is scratch.
    tmov: Row::EMPTY.movement(Movement::Copy)
        .hazards(hazards::TMOV)
        .regions(&[region("dst", From::Rows("src"), From::Cols("src"))])
        .generic_order(&["src", "dst", "fp", "pre_quant"])
        .slots(&[
            tile_in("src").at(&[Loc::Mat, Loc::Vec, Loc::Acc]),
            tile_in("fp").at(&[Loc::Scaling, Loc::Vec]).optional(),
            PRE_QUANT,
            tile_out("dst"),
        ])
        .attrs(MOVE_ATTRS)
        .domain(Domain::Valid("dst"))
        .alias(Aliasing::InPlace)
        .cost(CostClass::Move)
        .pipes(Pipes::Cases(&[
            case(Loc::Acc, None, Pipe::Fix),
            case(Loc::Mat, Some(Loc::Scaling), Pipe::Fix),
            case(Loc::Mat, None, Pipe::Mte1),
            case(Loc::Vec, Some(Loc::Mat), Pipe::Fix),
            case(Loc::Vec, None, Pipe::V),
        ]))
        .rules(&[
            (Targets::A2A3, Rule::LocPairs("src", "dst", &[
                (Loc::Mat, Loc::Left), (Loc::Mat, Loc::Right), (Loc::Mat, Loc::Bias), (Loc::Mat, Loc::Scaling),
                (Loc::Vec, Loc::Vec), (Loc::Acc, Loc::Mat), (Loc::Acc, Loc::Vec),
            ])),
            (Targets::A5_CPU, Rule::LocPairs("src", "dst", &[
                (Loc::Mat, Loc::Left), (Loc::Mat, Loc::Right), (Loc::Mat, Loc::Bias), (Loc::Mat, Loc::Scaling),
                (Loc::Mat, Loc::ScaleLeft), (Loc::Mat, Loc::ScaleRight), (Loc::Vec, Loc::Vec), (Loc::Vec, Loc::Mat),
                (Loc::Acc, Loc::Mat), (Loc::Acc, Loc::Vec),
            ])),
            (Targets::ALL, Rule::NotBoth("fp", "pre_quant")),
            (Targets::ALL, Rule::Named("quantisation and ReLU only from an accumulator", fix_pipe_options)),
            (Targets::ALL, Rule::Named("equal element types, or a conversion of the path", move_types)),
            (Targets::ALL, Rule::Named("fp: one word per column of src", scale_words)),
            (Targets::ALL, Rule::Named("equal shapes from mat, and everywhere on A2/A3", move_shapes)),
            (Targets::DEVICES, Rule::Named("bias, scaling: one row of whole 64-byte bursts (128 for scaling on A5)", move_rows)),
            (Targets::DEVICES, Rule::Named("left: boxes of rows; right: ZN; from acc: NZ, to NZ with fractal=512 on A2/A3", move_layout)),
            (Targets::ALL, Rule::Named("accToVecMode from acc to vec only; dual modes without quantisation", acc_to_vec)),
            (Targets::ALL, Rule::Named("ZZ form: vec tiles of ui8, hif8 or f8e8m0, src ND, dst ZZ, scratch of 64 + rows/16 · columns bytes", zz_form)),
        ])
        .pattern("ins($src : :src(, $fp : :fp)?(, $pre_quant : :pre_quant)?) outs($dst : :dst) {}")
        .cpp("TMOV")
        .cpp_args(&["dst", "src", "fp", "pre_quant"])
        .cpp_templates(&["grpAxis", "accToVecMode", "reluPreMode"])
        .page("docs/isa/TMOV.md")
        .notes(&[
            "acc → vec on A2/A3 is accepted by the assembler; the A2/A3 headers do not have it.",
            "vec → vec: devices copy the smaller of the two valid regions.",
            "mat → scaling runs on the fix pipe; block scales (f8e8m0) run on MTE1.",
            "With `fp` the C++ name is TMOV_FP unless `accToVecMode` is given.",
            FP_NOTE,
        ])
        .example(
            "func.func @f(%a: !pto.tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major>, %b: !pto.tile_buf<left, 16x16xf16, slayout=row_major>) {\n  \
             pto.tmov ins(%a : !pto.tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major>) outs(%b : !pto.tile_buf<left, 16x16xf16, slayout=row_major>)\n  return\n}\n",
        )
        .cpp_forms(&[
            form("TMOV($dst, $src)"),
            form("TMOV<:dst, :src, #reluPreMode>($dst, $src)"),
            form("TMOV<:dst, :src, #accToVecMode, =reluPreMode>($dst, $src)"),
            form("TMOV_FP<:dst, :src, :fp>($dst, $src, $fp)").when(When::In("fp", Loc::Scaling)),
            form("TMOV_FP<:dst, :src, :fp, #reluPreMode>($dst, $src, $fp)").when(When::In("fp", Loc::Scaling)),
            form("TMOV<:dst, :src, :fp, #accToVecMode, =reluPreMode>($dst, $src, $fp)").when(When::In("fp", Loc::Scaling)),
            form("TMOV<:dst, :src>($dst, $src, static_cast<uint64_t>($pre_quant))"),
            form("TMOV<:dst, :src, #reluPreMode>($dst, $src, static_cast<uint64_t>($pre_quant))"),
            form("TMOV<:dst, :src, #accToVecMode, =reluPreMode>($dst, $src, static_cast<uint64_t>($pre_quant))"),
            form("TMOV($dst, $src, $fp)"),
            form("TMOV<#grpAxis>($dst, $src, $fp)"),
        ])
        .bytecode(0x1038, 2);

    /// Moves an accumulator with one quantisation word per column.
    ///
    /// `dst[r,c] = relu(quant(src[r,c], fp[c]))`, with the words of `tstore_fp`: 8-bit results round to nearest even and
    /// saturate. `dst` is in mat; on A5 also in vec. The address of `fp` counts in units of 128 bytes.
    tmov_fp = "tmov.fp": FIX
        .regions(&[region("dst", From::Rows("src"), From::Cols("src"))])
        .alias_names(&["tmov_fp"])
        .slots(&[tile_in("src").at(&[Loc::Acc]).elem(&[F32, I32]), FP, tile_out("dst").at(&[Loc::Mat, Loc::Vec])])
        .domain(Domain::Valid("src"))
        .rules(&[(Targets::ALL, Rule::Named("fp: one word per column of src", scale_words))])
        .cpp("TMOV_FP")
        .cpp_args(&["dst", "src", "fp"])
        .cpp_templates(&["reluPreMode"])
        .page("docs/isa/TMOV_FP.md")
        .notes(&[FP_NOTE, "Newer assemblers write this as tmov with a second operand in scaling."])
        .example(
            "func.func @f(%a: !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>, %q: !pto.tile_buf<scaling, 1x32xui64>, %d: !pto.tile_buf<mat, 32x32xi8, blayout=col_major, slayout=row_major>) {\n  \
             pto.tmov.fp ins(%a, %q : !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>, !pto.tile_buf<scaling, 1x32xui64>) outs(%d : !pto.tile_buf<mat, 32x32xi8, blayout=col_major, slayout=row_major>)\n  return\n}\n",
        )
        .cpp_forms(&[
            form("TMOV_FP<:dst, :src, :fp>($dst, $src, $fp)"),
            form("TMOV_FP<:dst, :src, :fp, #reluPreMode>($dst, $src, $fp)"),
        ])
        .bytecode(0x1039, 3);

    /// Copies a window of a tile into another tile.
    ///
    /// `dst[i,j] = f(src[index_row + i, index_col + j])` over the valid region of `dst`. The whole of `dst` must lie inside
    /// `src` at that place. Paths and `f` are those of `tmov`: mat → left, right and block scales (transposing a source in
    /// the opposite box order), acc → mat and, on A5, acc → vec, vec → vec, and vec → mat on A5.
    /// Into left and right, use indices that are multiples of the source's box: a device drops what is left over.
    textract: Row::EMPTY
        .hazards(hazards::TEXTRACT)
        .regions(EXTRACTED)
        .generic_order(&["src", "index_row", "index_col", "dst", "fp", "pre_quant"])
        .slots(&[
            tile_in("src").at(&[Loc::Mat, Loc::Vec, Loc::Acc]),
            ROW,
            COL,
            PRE_QUANT,
            tile_in("fp").at(&[Loc::Scaling]).elem(QUANT_WORDS).optional(),
            tile_out("dst"),
        ])
        .attrs(EXTRACT_ATTRS)
        .domain(Domain::Valid("dst"))
        .cost(CostClass::Move)
        .alias(Aliasing::None)
        .pipes(Pipes::Cases(&[
            case(Loc::Acc, None, Pipe::Fix),
            case(Loc::Mat, None, Pipe::Mte1),
            case(Loc::Vec, Some(Loc::Mat), Pipe::Fix),
            case(Loc::Vec, None, Pipe::V),
        ]))
        .rules(&[
            (Targets::A2A3, Rule::LocPairs("src", "dst", &[
                (Loc::Mat, Loc::Left), (Loc::Mat, Loc::Right), (Loc::Acc, Loc::Mat), (Loc::Vec, Loc::Vec),
            ])),
            (Targets::A5_CPU, Rule::LocPairs("src", "dst", &[
                (Loc::Mat, Loc::Left), (Loc::Mat, Loc::Right), (Loc::Mat, Loc::ScaleLeft), (Loc::Mat, Loc::ScaleRight),
                (Loc::Mat, Loc::Scaling), (Loc::Acc, Loc::Mat), (Loc::Acc, Loc::Vec), (Loc::Vec, Loc::Vec), (Loc::Vec, Loc::Mat),
            ])),
            (Targets::ALL, Rule::NotBoth("fp", "pre_quant")),
            (Targets::ALL, Rule::Named("quantisation and ReLU only from an accumulator", fix_pipe_options)),
            (Targets::ALL, Rule::Named("equal element types, or a conversion of the fix pipe", window_types)),
            (Targets::ALL, Rule::Named("dst lies inside src at the indices", extract_window)),
            (Targets::ALL, Rule::Named("fp: one word per column of src", scale_words_of_part)),
            (Targets::DEVICES, Rule::Named("left: boxes of rows; right: ZN; vec: ND or NZ, the same in both; from acc: NZ", window_layout)),
            (Targets::ALL, Rule::Named("accToVecMode from acc to vec only; dual modes without quantisation", acc_to_vec)),
        ])
        .pattern(
            "ins($src, $index_row, $index_col(, $pre_quant)? : :src, :index_row, :index_col(, :pre_quant)?( fp $fp : :fp)?) \
             outs($dst : :dst) {}",
        )
        .cpp("TEXTRACT")
        .cpp_args(&["dst", "src", "fp", "pre_quant", "index_row", "index_col"])
        .cpp_templates(&["accToVecMode", "reluPreMode"])
        .page("docs/isa/TEXTRACT.md")
        .notes(&[
            "The C++ form with two destinations (one ND source into two NZ tiles) has no assembly form.",
            "With `fp` the C++ name is TEXTRACT_FP unless `accToVecMode` is given.",
            "The assembler also takes f16 scales on A5 (mat to scaling); the headers take f8e8m0.",
        ])
        .example(
            "func.func @f(%a: !pto.tile_buf<vec, 32x32xf32>, %b: !pto.tile_buf<vec, 16x16xf32>) {\n  %c16 = arith.constant 16 : index\n  \
             pto.textract ins(%a, %c16, %c16 : !pto.tile_buf<vec, 32x32xf32>, index, index) outs(%b : !pto.tile_buf<vec, 16x16xf32>)\n  return\n}\n",
        )
        .cpp_forms(&[
            form("TEXTRACT($dst, $src, $index_row, $index_col)"),
            form("TEXTRACT<:dst, :src, #reluPreMode>($dst, $src, $index_row, $index_col)"),
            form("TEXTRACT<:dst, :src, #accToVecMode, =reluPreMode>($dst, $src, $index_row, $index_col)"),
            form("TEXTRACT<:dst, :src, =reluPreMode>($dst, $src, static_cast<uint64_t>($pre_quant), $index_row, $index_col)"),
            form("TEXTRACT<:dst, :src, #accToVecMode, =reluPreMode>($dst, $src, static_cast<uint64_t>($pre_quant), $index_row, $index_col)"),
            form("TEXTRACT_FP($dst, $src, $fp, $index_row, $index_col)"),
            form("TEXTRACT_FP<:dst, :src, :fp, #reluPreMode>($dst, $src, $fp, $index_row, $index_col)"),
            form("TEXTRACT<:dst, :src, :fp, #accToVecMode, =reluPreMode>($dst, $src, $fp, $index_row, $index_col)"),
        ])
        .bytecode(0x1021, 4);

    /// Copies a window of an accumulator with one quantisation word per column.
    ///
    /// `dst[i,j] = relu(quant(src[index_row + i, index_col + j], fp[index_col + j]))`: words belong to columns of `src`.
    textract_fp: FIX
        .regions(EXTRACTED)
        .slots(&[tile_in("src").at(&[Loc::Acc]).elem(&[F32, I32]), FP, ROW, COL, tile_out("dst").at(&[Loc::Mat, Loc::Vec])])
        .domain(Domain::Valid("dst"))
        .rules(&[
            (Targets::ALL, Rule::Named("dst lies inside src at the indices", extract_window)),
            (Targets::ALL, Rule::Named("fp: one word per column of src", scale_words_of_part)),
        ])
        .cpp("TEXTRACT_FP")
        .cpp_args(&["dst", "src", "fp", "index_row", "index_col"])
        .cpp_templates(&["reluPreMode"])
        .page("docs/isa/TEXTRACT_FP.md")
        .notes(&[FP_NOTE, "Newer assemblers write this as textract with `fp %fp : T`."])
        .example(
            "func.func @f(%a: !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>, %q: !pto.tile_buf<scaling, 1x32xui64>, %d: !pto.tile_buf<mat, 16x32xi8, blayout=col_major, slayout=row_major>) {\n  \
             %c0 = arith.constant 0 : index\n  %c16 = arith.constant 16 : index\n  \
             pto.textract_fp ins(%a, %q, %c16, %c0 : !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>, !pto.tile_buf<scaling, 1x32xui64>, index, index) outs(%d : !pto.tile_buf<mat, 16x32xi8, blayout=col_major, slayout=row_major>)\n  return\n}\n",
        )
        .cpp_forms(&[
            form("TEXTRACT_FP($dst, $src, $fp, $index_row, $index_col)"),
            form("TEXTRACT_FP<:dst, :src, :fp, #reluPreMode>($dst, $src, $fp, $index_row, $index_col)"),
        ])
        .bytecode(0x1022, 5);

    /// Writes a tile into a window of a larger tile.
    ///
    /// `dst[index_row + i, index_col + j] = f(src[i,j])` over the valid region of `src`; the rest of `dst` keeps its value. Paths:
    /// acc → mat and, on A5, acc → vec through the fix pipe (`f` as in `tmov`), vec → vec, and vec → mat on A5.
    /// `tinsertMode` splits an NZ source into 2 or 4 groups of columns on the way to mat.
    tinsert: Row::EMPTY
        .hazards(hazards::TINSERT)
        .regions(&[whole("dst")])
        .generic_order(&["src", "index_row", "index_col", "dst", "fp", "pre_quant"])
        .slots(&[
            tile_in("src").at(&[Loc::Vec, Loc::Acc]),
            ROW,
            COL,
            tile_in("fp").at(&[Loc::Scaling]).elem(QUANT_WORDS).optional(),
            PRE_QUANT,
            tile_inout("dst").at(&[Loc::Mat, Loc::Vec]),
        ])
        .attrs(INSERT_ATTRS)
        .domain(Domain::Valid("src"))
        .cost(CostClass::Move)
        .alias(Aliasing::Distinct(Targets::DEVICES))
        .pipes(Pipes::Cases(&[
            case(Loc::Acc, None, Pipe::Fix),
            case(Loc::Vec, Some(Loc::Mat), Pipe::Mte3),
            case(Loc::Vec, None, Pipe::V),
        ]))
        .rules(&[
            (Targets::A2A3, Rule::LocPairs("src", "dst", &[(Loc::Acc, Loc::Mat), (Loc::Vec, Loc::Vec)])),
            (Targets::A5_CPU, Rule::LocPairs("src", "dst", &[
                (Loc::Acc, Loc::Mat), (Loc::Acc, Loc::Vec), (Loc::Vec, Loc::Vec), (Loc::Vec, Loc::Mat),
            ])),
            (Targets::ALL, Rule::NotBoth("fp", "pre_quant")),
            (Targets::ALL, Rule::Named("quantisation and ReLU only from an accumulator", fix_pipe_options)),
            (Targets::ALL, Rule::Named("equal element types, or a conversion of the fix pipe", window_types)),
            (Targets::ALL, Rule::Named("the valid region of src lies inside dst at the indices", insert_window)),
            (Targets::ALL, Rule::Named("fp: one word per column of src", scale_words)),
            (Targets::DEVICES, Rule::Named("vec: ND or NZ, the same in both; to mat: NZ or ZN; from acc: NZ", window_layout)),
            (Targets::ALL, Rule::Named("accToVecMode from acc to vec only; dual modes without quantisation", acc_to_vec)),
            (Targets::ALL, Rule::Named("tinsertMode from vec (NZ) to mat only", split_form)),
        ])
        .pattern(
            "ins($src, $index_row, $index_col : :src, :index_row, :index_col( fp $fp : :fp)?( pre_quant $pre_quant : :pre_quant)?) \
             outs($dst : :dst) {}",
        )
        .cpp("TINSERT")
        .cpp_args(&["dst", "src", "fp", "pre_quant", "index_row", "index_col"])
        .cpp_templates(&["tinsertMode", "accToVecMode", "reluPreMode"])
        .page("docs/isa/TINSERT.md")
        .notes(&[
            "The value form names no old destination, so it cannot say what the rest of the result is; use the buffer form.",
            "With `fp` the C++ name is TINSERT_FP unless `accToVecMode` is given.",
        ])
        .example(
            "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>, %b: !pto.tile_buf<vec, 32x32xf32>) {\n  %c16 = arith.constant 16 : index\n  \
             pto.tinsert ins(%a, %c16, %c16 : !pto.tile_buf<vec, 16x16xf32>, index, index) outs(%b : !pto.tile_buf<vec, 32x32xf32>)\n  return\n}\n",
        )
        .cpp_forms(&[
            form("TINSERT($dst, $src, $index_row, $index_col)"),
            form("TINSERT<:dst, :src, #reluPreMode>($dst, $src, $index_row, $index_col)"),
            form("TINSERT<:dst, :src, #accToVecMode, =reluPreMode>($dst, $src, $index_row, $index_col)"),
            form("TINSERT<:dst, :src, =reluPreMode>($dst, $src, static_cast<uint64_t>($pre_quant), $index_row, $index_col)"),
            form("TINSERT<:dst, :src, #accToVecMode, =reluPreMode>($dst, $src, static_cast<uint64_t>($pre_quant), $index_row, $index_col)"),
            form("TINSERT_FP($dst, $src, $fp, $index_row, $index_col)"),
            form("TINSERT_FP<:dst, :src, :fp, #reluPreMode>($dst, $src, $fp, $index_row, $index_col)"),
            form("TINSERT<:dst, :src, :fp, #accToVecMode, =reluPreMode>($dst, $src, $fp, $index_row, $index_col)"),
            form("TINSERT<#tinsertMode>($dst, $src, $index_row, $index_col)"),
        ])
        .bytecode(0x102D, 4);

    /// Writes an accumulator into a window with one quantisation word per column.
    ///
    /// `dst[index_row + i, index_col + j] = relu(quant(src[i,j], fp[j]))` over the valid region of `src`: words belong to columns
    /// of `src`. The rest of `dst` keeps its value.
    tinsert_fp: FIX
        .regions(&[whole("dst")])
        .slots(&[tile_in("src").at(&[Loc::Acc]).elem(&[F32, I32]), FP, ROW, COL, tile_inout("dst").at(&[Loc::Mat, Loc::Vec])])
        .domain(Domain::Valid("src"))
        .rules(&[
            (Targets::ALL, Rule::Named("the valid region of src lies inside dst at the indices", insert_window)),
            (Targets::ALL, Rule::Named("fp: one word per column of src", scale_words)),
        ])
        .cpp("TINSERT_FP")
        .cpp_args(&["dst", "src", "fp", "index_row", "index_col"])
        .cpp_templates(&["reluPreMode"])
        .page("docs/isa/TINSERT_FP.md")
        .notes(&[FP_NOTE, "Newer assemblers write this as tinsert with `fp %fp : T`."])
        .example(
            "func.func @f(%a: !pto.tile_buf<acc, 16x32xf32, blayout=col_major, slayout=row_major, fractal=1024>, %q: !pto.tile_buf<scaling, 1x32xui64>, %d: !pto.tile_buf<mat, 32x32xi8, blayout=col_major, slayout=row_major>) {\n  \
             %c0 = arith.constant 0 : index\n  %c16 = arith.constant 16 : index\n  \
             pto.tinsert_fp ins(%a, %q, %c16, %c0 : !pto.tile_buf<acc, 16x32xf32, blayout=col_major, slayout=row_major, fractal=1024>, !pto.tile_buf<scaling, 1x32xui64>, index, index) outs(%d : !pto.tile_buf<mat, 32x32xi8, blayout=col_major, slayout=row_major>)\n  return\n}\n",
        )
        .cpp_forms(&[
            form("TINSERT_FP($dst, $src, $fp, $index_row, $index_col)"),
            form("TINSERT_FP<:dst, :src, :fp, #reluPreMode>($dst, $src, $fp, $index_row, $index_col)"),
        ])
        .bytecode(0x102E, 5);

    /// Transposes a tile.
    ///
    /// `dst[c,r] = src[r,c]` over the valid region of `src`. Bits are copied. Elements of `dst` outside the transposed
    /// region keep their contents or become garbage; do not read them.
    ttrans: Row::EMPTY
        .hazards(hazards::TTRANS)
        .regions(&[region("dst", From::Cols("src"), From::Rows("src"))])
        .slots(&[
            tile_in("src").vec().order(Orders::ROW_MAJOR).data(),
            scratch("tmp").like("src"),
            tile_out("dst").vec().data(),
        ])
        .types(A2A3, NARROW)
        .types(A5, NARROW)
        .any_bytes_on_cpu()
        .pipe(Pipe::V)
        .cost(CostClass::Transpose)
        .domain(Domain::Valid("src"))
        .alias(Aliasing::Distinct(Targets::ALL))
        .scratch(Scratch {
            slot: "tmp",
            required: Targets::A2A3,
            forbidden: Targets::NONE,
            ignored: Targets::NONE,
            rule: "as many bytes as src where its rows and the columns of dst are whole blocks, else 32 bytes",
            bytes: Some(transpose_bytes),
            written: None,
        })
        .rules(&[(Targets::ALL, Rule::Named("the transposed valid region of src fits into dst", transposed))])
        .cpp("TTRANS")
        .cpp_args(&["dst", "src", "tmp"])
        .page("docs/isa/TTRANS.md")
        .notes(&[
            "A5 ignores the scratch tile, but its C++ call still wants one.",
            "The C++ call also converts between convolution layouts; those tiles have no assembly form.",
        ])
        .cpp_scratch("src")
        .bytecode(0x106C, 3);

    /// Copies a tile and fills the rest with its pad value.
    ///
    /// `dst[r,c] = src[r,c]` where both are inside the valid region of `src`, else the pad value of `dst`: zero, or the
    /// largest (`max`) or smallest (`min`) value of the element type, infinities for floats. `dst` may be larger than
    /// `src`, and may be `src` itself, of which then only the padding is written.
    ///
    /// In mat, `src` and `dst` have one type (NZ); only zeros can be filled in, in whole boxes.
    tfillpad: FILL
        .hazards(hazards::FILL)
        .slots(&[tile_in("src").at(&[Loc::Vec, Loc::Mat]), tile_out("dst").at(&[Loc::Vec, Loc::Mat])])
        .attrs(FILL_ATTRS)
        .pipes(Pipes::Cases(&[case(Loc::Mat, None, Pipe::Mte2), case(Loc::Vec, None, Pipe::V)]))
        .rules(&[
            (Targets::ALL, Rule::LocPairs("src", "dst", &[(Loc::Vec, Loc::Vec), (Loc::Mat, Loc::Mat)])),
            (Targets::ALL, Rule::Named("dst at least as large as src", fill_sizes)),
            (Targets::ALL, Rule::Named("mat: src and dst of one NZ type; padValue, if given, is the tile's", fill_mat)),
        ])
        .cpp("TFILLPAD")
        .cpp_args(&["dst", "src"])
        .page("docs/isa/TFILLPAD.md")
        .notes(&[
            PAD_NOTE,
            "A larger dst is TFILLPAD_EXPAND in C++, a shared one TFILLPAD_INPLACE.",
            "In mat the device fills on MTE2 by the headers, on MTE1 by the assembler.",
        ])
        .example(
            "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32, valid=10x12>, %b: !pto.tile_buf<vec, 16x16xf32, pad=1>) {\n  \
             pto.tfillpad ins(%a : !pto.tile_buf<vec, 16x16xf32, valid=10x12>) outs(%b : !pto.tile_buf<vec, 16x16xf32, pad=1>)\n  return\n}\n",
        )
        .cpp_forms(&[
            form("TFILLPAD_EXPAND($dst, $src)").when(When::Larger("dst", "src")),
            form("TFILLPAD_INPLACE($dst, $src)").when(When::Same("dst", "src")),
            form("TFILLPAD($dst, $src)"),
            form("TFILLPAD<:dst, #padValue>($dst, $src)").when(When::In("dst", Loc::Mat)),
            form("TFILLPAD($dst, $src)").when(When::In("dst", Loc::Vec)),
        ])
        .cpp_silent(&["padValue"])
        .bytecode(0x1023, 2);

    /// Fills the padding of a tile in place.
    ///
    /// As `tfillpad` where `dst` is `src` under another type: the data stay, the rest becomes the pad value of `dst`.
    tfillpad_inplace: FILL
        .hazards(hazards::FILL)
        .rules(&[(Targets::ALL, Rule::SameShape(&["src", "dst"]))])
        .cpp("TFILLPAD_INPLACE")
        .cpp_forms(&[
            form("TFILLPAD_INPLACE($dst, $src)").when(When::Same("dst", "src")),
            form("TFILLPAD($dst, $src)"),
        ])
        .page("docs/isa/TFILLPAD_INPLACE.md")
        .notes(&[PAD_NOTE, "Newer assemblers have only tfillpad and choose this form by the addresses."])
        .example(
            "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32, valid=10x12, pad=1>) {\n  \
             pto.tfillpad_inplace ins(%a : !pto.tile_buf<vec, 16x16xf32, valid=10x12, pad=1>) outs(%a : !pto.tile_buf<vec, 16x16xf32, valid=10x12, pad=1>)\n  return\n}\n",
        )
        .bytecode(0x1025, 2);

    /// Copies a tile into a larger one and fills the rest.
    ///
    /// As `tfillpad`, with a destination of at least the rows and columns of `src`.
    tfillpad_expand: FILL
        .hazards(hazards::FILL)
        .alias(Aliasing::Distinct(Targets::DEVICES))
        .rules(&[(Targets::ALL, Rule::Named("dst at least as large as src", fill_sizes))])
        .cpp("TFILLPAD_EXPAND")
        .page("docs/isa/TFILLPAD_EXPAND.md")
        .notes(&[PAD_NOTE, "Newer assemblers have only tfillpad and choose this form by the shapes."])
        .example(
            "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32, valid=10x12>, %b: !pto.tile_buf<vec, 32x32xf32, pad=1>) {\n  \
             pto.tfillpad_expand ins(%a : !pto.tile_buf<vec, 16x16xf32, valid=10x12>) outs(%b : !pto.tile_buf<vec, 32x32xf32, pad=1>)\n  return\n}\n",
        )
        .bytecode(0x1024, 2);

    /// Puts two tiles side by side.
    ///
    /// Each row of `dst` is the row of `src0` followed by the row of `src1`, as far as their valid columns go.
    /// All three have the same valid rows, and the columns of `dst` hold both.
    tconcat: Row::EMPTY
        .hazards(hazards::CONCAT)
        .regions(&[region("dst", From::Rows("src0"), From::Both("src0", "src1"))])
        .slots(&[
            tile_in("src0").vec().data(),
            tile_in("src1").vec().data(),
            tile_out("dst").vec().data(),
        ])
        .types(A2A3, PLAIN)
        .types(A5, PLAIN)
        .pipe(Pipe::V)
        .cost(CostClass::Move)
        .domain(Domain::Valid("dst"))
        .alias(Aliasing::Distinct(Targets::ALL))
        .rules(&[
            (Targets::ALL, Rule::SameValidRows(&["src0", "src1", "dst"])),
            (Targets::ALL, Rule::Named("dst has room for the columns of both", concat_cols)),
            (Targets::A5, Rule::Orders(&["src0", "src1", "dst"], Orders::ROW_MAJOR)),
        ])
        .cpp("TCONCAT")
        .page("docs/isa/TCONCAT.md")
        .notes(&["A5 asserts that the valid columns of dst are exactly the sum; set them so."])
        .example(
            "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>, %b: !pto.tile_buf<vec, 16x16xf32>, %d: !pto.tile_buf<vec, 16x32xf32>) {\n  \
             pto.tconcat ins(%a, %b : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>) outs(%d : !pto.tile_buf<vec, 16x32xf32>)\n  return\n}\n",
        );

    /// Puts the first elements of each row of two tiles side by side.
    ///
    /// Row r of `dst` is the first n0 elements of `src0` followed by the first n1 of `src1`, with
    /// `n = idx[r,0] / sizeof(element of idx)`: the index tiles hold byte counts in units of their own element.
    /// What does not fit into the valid columns of `dst` is dropped; what is not reached keeps its contents.
    tconcatidx: Row::EMPTY
        .hazards(hazards::CONCAT_INDEXED)
        .regions(&[region("dst", From::Rows("src0"), From::Room(&["src0", "src1"]))])
        .slots(&[
            tile_in("src0").vec().data(),
            tile_in("src1").vec().data(),
            tile_in("src0_idx").vec().elem(&[I8, U8, I16, U16, I32, U32]),
            tile_in("src1_idx").vec().like("src0_idx"),
            tile_out("dst").vec().data(),
        ])
        .types(A2A3, PLAIN)
        .types(A5, PLAIN)
        .pipe(Pipe::V)
        .cost(CostClass::Move)
        .domain(Domain::Valid("dst"))
        .alias(Aliasing::Distinct(Targets::ALL))
        .rules(&[
            (Targets::ALL, Rule::SameValidRows(&["src0", "src1", "src0_idx", "src1_idx", "dst"])),
            (Targets::ALL, Rule::Named("index tiles have a valid column", index_cols)),
            (Targets::A5, Rule::Orders(&["src0", "src1", "src0_idx", "src1_idx", "dst"], Orders::ROW_MAJOR)),
        ])
        .cpp("TCONCAT")
        .page("docs/isa/TCONCAT.md")
        .notes(&[
            "The C++ form that also writes the resulting counts has no assembly form.",
            "The public simulator does not drop what does not fit.",
        ])
        .example(
            "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>, %i: !pto.tile_buf<vec, 16x8xi32, valid=16x1>, %d: !pto.tile_buf<vec, 16x32xf32>) {\n  \
             pto.tconcatidx ins(%a, %a, %i, %i : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x8xi32, valid=16x1>, !pto.tile_buf<vec, 16x8xi32, valid=16x1>) outs(%d : !pto.tile_buf<vec, 16x32xf32>)\n  return\n}\n",
        );

    /// Interleaves two tiles.
    ///
    /// Each row becomes the sequence `src0[0], src1[0], src0[1], src1[1], …`; its first half goes to `dst0`, the second to
    /// `dst1`. All four tiles have the same valid region with an even number of columns.
    tinterleave: Row::EMPTY
        .only(Targets::A5_CPU)
        .slots(&[
            vec_in("src0"),
            vec_in("src1"),
            vec_out("dst0").infer(Infer::Like("src0")),
            vec_out("dst1").infer(Infer::Like("src0")),
        ])
        .types(A5, PLAIN)
        .any_bytes_on_cpu()
        .pipe(Pipe::V)
        .cost(CostClass::Move)
        .domain(Domain::Valid("dst0"))
        .alias(Aliasing::Distinct(Targets::ALL))
        .rules(&[
            (Targets::ALL, Rule::SameValid(&["src0", "src1", "dst0", "dst1"])),
            (Targets::ALL, Rule::Named("an even number of valid columns", even_cols)),
        ])
        .cpp("TINTERLEAVE")
        .cpp_alike(&[&["dst0", "dst1"], &["src0", "src1"]])
        .cpp_args(&["dst1", "dst0", "src1", "src0"])
        .page("docs/isa/TINTERLEAVE.md")
        .notes(&["The page's first paragraph speaks of even and odd outputs; its formula and the code give halves."]);

    /// Separates interleaved elements.
    ///
    /// With two sources, the rows of `src0` and `src1` one after the other form a sequence; `dst0` takes its even, `dst1` its
    /// odd positions, and all tiles have the same valid region. With one source, `dst0[r,j] = src0[r,2j]` and
    /// `dst1[r,j] = src0[r,2j+1]`, and the destinations have half of its valid columns.
    tdeinterleave: Row::EMPTY
        .only(Targets::A5_CPU)
        .slots(&[
            vec_in("src0"),
            vec_in("src1").optional(),
            vec_out("dst0").infer(Infer::Like("src0")),
            vec_out("dst1").infer(Infer::Like("src0")),
        ])
        .types(A5, PLAIN)
        .any_bytes_on_cpu()
        .pipe(Pipe::V)
        .cost(CostClass::Move)
        .domain(Domain::Valid("dst0"))
        .alias(Aliasing::Distinct(Targets::ALL))
        .rules(&[
            (Targets::ALL, Rule::SameValid(&["src0", "src1"])),
            (Targets::ALL, Rule::SameValid(&["dst0", "dst1"])),
            (Targets::ALL, Rule::SameValidRows(&["src0", "dst0"])),
            (Targets::ALL, Rule::Named("an even number of valid columns", even_cols)),
            (Targets::ALL, Rule::Named("dst: the columns of src, half of them with one source", split_cols)),
        ])
        .cpp("TDEINTERLEAVE")
        .cpp_alike(&[&["dst0", "dst1"], &["src0", "src1"]])
        .cpp_args(&["dst1", "dst0", "src1", "src0"])
        .page("docs/isa/TDEINTERLEAVE.md")
        .notes(&["The public simulator's one-source form needs a multiple of four columns."]);

    /// Narrows the elements of a tile.
    ///
    /// `dst[r,c]` is the integer `src[r,c]` in a type of fewer bytes, without its high bits. The device rule, and what it does to floats, is not
    /// published.
    /// The valid regions agree.
    tpack: Row::EMPTY
        .only(Targets::A5_CPU)
        .slots(&[
            tile_in("src").vec().order(Orders::ROW_MAJOR),
            tile_out("dst").vec().order(Orders::ROW_MAJOR),
        ])
        .pipe(Pipe::V)
        .cost(CostClass::VectorConvert)
        .domain(Domain::Valid("dst"))
        .alias(Aliasing::Distinct(Targets::DEVICES))
        .rules(&[
            (Targets::ALL, Rule::SameValid(&["src", "dst"])),
            (Targets::ALL, Rule::Named("integers, 4 → 2, 4 → 1 or 2 → 1 bytes", narrowing)),
        ])
        .cpp("TPACK")
        .cpp_missing("the device headers have no such function")
        .page("docs/isa/tile/ops/layout-and-rearrangement/tpack.md")
        .notes(&["Documented and known to the assembler, but in no device header; whether hardware saturates is unknown."])
        .example(
            "func.func @f(%a: !pto.tile_buf<vec, 16x16xi32>, %b: !pto.tile_buf<vec, 16x16xi16>) {\n  \
             pto.tpack ins(%a : !pto.tile_buf<vec, 16x16xi32>) outs(%b : !pto.tile_buf<vec, 16x16xi16>)\n  return\n}\n",
        )
        .bytecode(0x1075, 2);

    /// Expands a window of the im2col matrix of a feature map.
    ///
    /// Row m = pos_m + r of the matrix is an output position `(n, d, oh, ow)` with `ow` fastest; column k = pos_k + c is
    /// `(c1, kh, kw, c0)` with `c0` fastest. `ih = oh·strideH + kh·dilationH − padTop`, `iw` likewise, and
    /// `dst[r,c] = src[n,d,c1,ih,iw,c0]`, or the pad value where `ih` or `iw` lies outside the map.
    ///
    /// `src` holds the map in L1 as NC1HWC0 (or NDC1HWC0): one row per `(n,c1,h,w)`, C0 elements of 32 bytes. The map and
    /// the convolution are described by `setfmatrix`, `set_img2col_rpt` and `set_img2col_padding`.
    timg2col: Row::EMPTY
        .regions(&[whole("dst")])
        .slots(&[
            tile_in("src").at(&[Loc::Mat]).data(),
            value_in("pos_m", SlotKind::Int).optional(),
            value_in("pos_k", SlotKind::Int).optional(),
            tile_out("dst").at(&[Loc::Left]).data(),
        ])
        .attrs(FILTER_ATTRS)
        .types(A2A3, OPERANDS_A2A3)
        .types(A5, PLAIN)
        .any_unpaired_on_cpu()
        .pipe(Pipe::Mte1)
        .cost(CostClass::Move)
        .domain(Domain::Valid("dst"))
        .cpp("TIMG2COL")
        .cpp_args(&["dst", "src", "pos_m", "pos_k"])
        .page("docs/isa/TIMG2COL.md")
        .notes(&[
            "The assembly on the page has no positions; they default to 0. No assembler knows the instruction.",
            "In C++ the source is a ConvTile, which carries the description itself; here attributes of this instruction and of `setfmatrix` do.",
        ])
        .example(
            "func.func @f(%a: !pto.tile_buf<mat, 64x16xf16>, %b: !pto.tile_buf<left, 16x16xf16, slayout=row_major>) {\n  \
             pto.setfmatrix ins(%a : !pto.tile_buf<mat, 64x16xf16>) {fmapH = 8, fmapW = 8}\n  \
             pto.timg2col ins(%a : !pto.tile_buf<mat, 64x16xf16>) outs(%b : !pto.tile_buf<left, 16x16xf16, slayout=row_major>)\n  return\n}\n",
        )
        .bytecode(0x102C, 2);
}
