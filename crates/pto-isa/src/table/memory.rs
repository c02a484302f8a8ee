//! Transfers between global memory and on-chip tiles.
//!
//! The accumulator leaves its memory through the fix pipe, which may convert, quantise and clip on the way. The
//! rules of that path are shared with the moves in [`layout`](super::layout).

use crate::text;
use super::hazards;
use crate::DType::*;
use crate::Target::{A2A3, A5, Cpu};
use crate::codes::{self, Code};
use crate::enums;
use crate::row::{AttrKind, AttrSpec, CostClass, Domain, SlotKind, Movement, Orders, PipeCase, Pipes, When, attr, form, opt_attr};
use crate::rules::{Broken, Instance, Rule, Verdict};
use crate::shape::{result, tile_in, tile_out, value_in, view_in, view_out};
use crate::{DType, DTypes, Dim, GlobalLayout, GlobalLayouts, Loc, Locs, Order, Pad, Pipe, Row, Target, Targets, TileType, Token, Type};

/// What A2/A3 moves between global memory and tiles.
const TRANSFER: &[DType] = &[I8, U8, I16, U16, I32, U32, I64, U64, F16, Bf16, F32];

/// What a gather or scatter moves on A2/A3; A5 adds the 8-bit floats.
const SCATTERED: &[DType] = &[I8, U8, I16, U16, I32, U32, F16, Bf16, F32];
const SCATTERED_A5: &[DType] = &[I8, U8, I16, U16, I32, U32, F16, Bf16, F32, Hif8, F8E4M3, F8E5M2];

/// Element types of a quantisation-parameter tile: 64-bit words by the headers, others by public programs.
pub(super) const QUANT_WORDS: &[DType] = &[U64, I64, F32, F16];

/// The layout of the window in global memory, as lowered programs repeat it on transfers.
const LAYOUT: AttrSpec =
    opt_attr("layout", AttrKind::Enum(&enums::LAYOUT), "", "layout of the window in global memory");
/// ReLU on the fix pipe.
pub(super) const RELU: AttrSpec =
    opt_attr("reluPreMode", AttrKind::Enum(&enums::RELU_PRE_MODE), "no_relu", "ReLU applied to accumulator values");
const ATOMIC: AttrSpec =
    opt_attr("atomicType", AttrKind::Enum(&enums::ATOMIC_TYPE), "atomic_none", "add to what global memory holds");

const LOAD_ATTRS: &[AttrSpec] = &[
    opt_attr("pad_mode", AttrKind::Enum(&enums::PADMODE), "", "what a padded load writes around the data"),
    opt_attr("init_out_buffer", AttrKind::Bool, "false", "clear the destination first"),
    LAYOUT,
    opt_attr("cache_policy", AttrKind::Enum(&enums::LOAD_CACHE_POLICY), "default", "how the load uses the L2 cache; the data is the same"),
];
const STORE_ATTRS: &[AttrSpec] = &[
    opt_attr("stPhase", AttrKind::Enum(&enums::ST_PHASE), "unspecified", "unit-flag phase of an accumulator store"),
    ATOMIC,
    RELU,
    LAYOUT,
];
const GATHER_ATTRS: &[AttrSpec] = &[
    attr("coalesce", AttrKind::Enum(&enums::COALESCE), "an index names a row or an element"),
    opt_attr("gatherOob", AttrKind::Enum(&enums::GATHER_OOB), "undefined", "what an index outside the table does"),
];
const SCATTER_ATTRS: &[AttrSpec] = &[
    opt_attr("coalesce", AttrKind::Enum(&enums::COALESCE), "", "an index names a row or an element"),
    opt_attr("scatterAtomicOp", AttrKind::Enum(&enums::SCATTER_ATOMIC_OP), "none", "how a write combines with memory"),
    opt_attr("scatterOob", AttrKind::Enum(&enums::SCATTER_OOB), "undefined", "what an index outside the table does"),
    opt_attr(
        "scatterConflict",
        AttrKind::Enum(&enums::SCATTER_CONFLICT),
        "",
        "which of several writes to one place stays",
    )
    .on(Targets::A5_CPU),
];
const STORE_FP_ATTRS: &[AttrSpec] = &[ATOMIC, RELU, LAYOUT];

/// Which accumulator element types become which others.
type Conversions = &'static [(DType, &'static [DType])];

/// Stores without quantisation, on both devices.
const STORE_CAST: Conversions = &[(F32, &[I32, F32, F16, Bf16]), (I32, &[I32, F32, F16, Bf16])];
const STORE_QUANT_A2A3: Conversions = &[(F32, &[I8, U8, F16]), (I32, &[I8, U8, F16])];
const STORE_QUANT_A5: Conversions = &[(F32, &[I8, U8, F16, Bf16, F32, Hif8, F8E4M3]), (I32, &[I8, U8, F16, Bf16])];
const MOVE_CAST_A2A3: Conversions = &[(F32, &[F16, Bf16])];
const MOVE_CAST_A5: Conversions = &[(F32, &[F16, Bf16, F32]), (I32, &[I32])];
const MOVE_QUANT_A2A3: Conversions = &[(F32, &[I8]), (I32, &[I8, U8, F16, I16])];
const MOVE_QUANT_A5: Conversions =
    &[(F32, &[I8, U8, F16, Bf16, F32, Hif8, F8E4M3, F8E5M2]), (I32, &[I8, U8, F16, Bf16])];

/// A broken rule about `slot`.
pub(super) fn broken(i: &Instance, code: Code, slot: &str, found: String, legal: &str) -> Verdict {
    Verdict::Broken(Broken::new(code, vec![i.at(slot)], found, legal))
}

/// True when quantisation parameters are given; a third tile in vector memory is a scratch tile instead.
fn quantises(i: &Instance) -> bool {
    i.given("pre_quant") || i.tile("fp").is_some_and(|fp| fp.loc == Loc::Scaling)
}

fn convertible(i: &Instance, a2a3: Conversions, a5: Conversions) -> Verdict {
    let (Some(from), Some(to)) = (i.ty("src").and_then(Type::elem), i.ty("dst").and_then(Type::elem)) else {
        return Verdict::Holds;
    };
    let tables: &[Conversions] = match i.target {
        A2A3 => &[a2a3],
        A5 => &[a5],
        Cpu => &[a2a3, a5],
    };
    let pairs = || tables.iter().flat_map(|t| t.iter());
    Verdict::require(pairs().any(|(f, list)| *f == from && list.contains(&to)), || {
        let show = |(f, list): &(DType, &[DType])| {
            format!("{f} → {}", list.iter().map(|d| d.name()).collect::<Vec<_>>().join(", "))
        };
        let legal: Vec<_> = pairs().map(show).collect();
        let slots = vec![i.at("dst"), i.at("src")];
        Broken::new(codes::ELEM_COMBINATION, slots, text!("`src` is {from} and `dst` is {to}", from, to), legal.join("; "))
    })
}

/// Element types of a move out of the accumulator.
pub(super) fn acc_move_types(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src"), i.tile("dst")) else { return Verdict::Holds };
    match src.loc {
        Loc::Acc if quantises(i) => convertible(i, MOVE_QUANT_A2A3, MOVE_QUANT_A5),
        Loc::Acc if dst.loc == Loc::Vec => convertible(i, MOVE_CAST_A5, MOVE_CAST_A5),
        Loc::Acc => convertible(i, MOVE_CAST_A2A3, MOVE_CAST_A5),
        _ => Verdict::Holds,
    }
}

/// Each column that is moved has its word.
pub(super) fn scale_words(i: &Instance) -> Verdict {
    words_for(i, 0)
}

/// The same for a part of an accumulator; words belong to columns of the whole.
pub(super) fn scale_words_of_part(i: &Instance) -> Verdict {
    if !i.given("fp") {
        return Verdict::Holds;
    }
    // What is negative breaks another rule.
    i.value("index_col").map_or(Verdict::Dynamic, |first| words_for(i, u64::try_from(first).unwrap_or(0)))
}

fn words_for(i: &Instance, first: u64) -> Verdict {
    let (Some(fp), Some(src)) = (i.tile("fp").filter(|t| t.loc == Loc::Scaling), i.tile("src")) else {
        return Verdict::Holds;
    };
    let columns = i.tile("dst").map_or(src.valid_cols, |dst| smaller(src.valid_cols, dst.valid_cols));
    let Dim::Fixed(columns) = columns else { return Verdict::Dynamic };
    // Words lie in the first row. Where its extent is open, there are at most as many as the row has room for.
    let (words, is_known) = match (fp.valid_rows, fp.valid_cols) {
        (Dim::Fixed(rows), Dim::Fixed(cols)) => (cols * rows.min(1), true),
        _ => (fp.cols, false),
    };
    if columns == 0 || first.saturating_add(columns) <= words {
        return if is_known { Verdict::Holds } else { Verdict::Dynamic };
    }
    let part = if first == 0 { String::new() } else { text!(" from column {first} on", first) };
    let found = text!("`fp` has {words} words for {columns} columns{part}", words, columns, part);
    let legal = text!("one word per column of src");
    Verdict::Broken(Broken::new(codes::VALID_REGION, vec![i.at("fp"), i.at("src")], found, legal))
}

fn smaller(a: Dim, b: Dim) -> Dim {
    a.fixed().zip(b.fixed()).map_or(Dim::Dynamic, |(a, b)| Dim::Fixed(a.min(b)))
}

/// Quantisation and ReLU belong to the fix pipe.
pub(super) fn fix_pipe_options(i: &Instance) -> Verdict {
    let Some(src) = i.tile("src") else { return Verdict::Holds };
    if src.loc == Loc::Acc {
        return Verdict::Holds;
    }
    let legal = text!("an accumulator source");
    if quantises(i) {
        let found = text!("quantisation of a tile in `{loc}`", loc = src.loc);
        return broken(i, codes::COMBINATION, "src", found, legal);
    }
    if i.attr_name("reluPreMode").is_some_and(|m| m != "no_relu") {
        return broken(i, codes::COMBINATION, "src", text!("ReLU on a tile in `{loc}`", loc = src.loc), legal);
    }
    Verdict::Holds
}

fn store_types(i: &Instance) -> Verdict {
    let (Some(src), Some(to)) = (i.tile("src"), i.ty("dst").and_then(Type::elem)) else { return Verdict::Holds };
    if src.loc == Loc::Acc {
        let cast = if quantises(i) { (STORE_QUANT_A2A3, STORE_QUANT_A5) } else { (STORE_CAST, STORE_CAST) };
        return convertible(i, cast.0, cast.1);
    }
    // Pairs of 4-bit floats are bytes, 4-bit integers stand alone.
    let sizes = |d: DType| (d.bits(), d.column_bits());
    Verdict::require(sizes(src.dtype) == sizes(to), || {
        let found = text!("`src` is {dtype}, `dst` is {to}", dtype = src.dtype, to);
        Broken::new(codes::ELEM_MISMATCH, vec![i.at("dst"), i.at("src")], found, text!("elements of the same size"))
    })
}

fn atomic_types(i: &Instance) -> Verdict {
    let add = i.attr_name("atomicType").is_some_and(|a| a != "atomic_none");
    let Some(to) = i.ty("dst").and_then(Type::elem).filter(|_| add) else { return Verdict::Holds };
    if [F16, Bf16, F32, I8, I16, I32].contains(&to) {
        return Verdict::Holds;
    }
    broken(i, codes::ELEM_TYPE, "dst", text!("an atomic store of {to}", to), "f16, bf16, f32, i8, i16, i32")
}

fn stored_elements(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src"), i.ty("dst").and_then(Type::view)) else { return Verdict::Holds };
    if i.given("fp") {
        return Verdict::Holds;
    }
    // With an open extent, the window only must cover the region, which the store itself checks.
    let (Dim::Fixed(rows), Dim::Fixed(cols), Some(window)) = (src.valid_rows, src.valid_cols, dst.elements()) else {
        return Verdict::Holds;
    };
    let region = rows.saturating_mul(cols);
    Verdict::require(region == 0 || region == window, || {
        let found = text!("`src` has {rows} × {cols} valid elements, `dst` has {window}", rows, cols, window);
        Broken::new(codes::VALID_REGION, vec![i.at("dst"), i.at("src")], found, text!("as many in both"))
    })
}

fn acc_columns(i: &Instance) -> Verdict {
    match i.tile("src") {
        Some(t) if t.loc == Loc::Acc && t.cols > 4095 => {
            broken(i, codes::SHAPE, "src", text!("`src` has {cols} columns", cols = t.cols), text!("at most 4095"))
        }
        _ => Verdict::Holds,
    }
}

fn default_phase(i: &Instance) -> Verdict {
    let phased = i.attr_name("stPhase").is_some_and(|p| p != "unspecified");
    if phased && i.given("fp") {
        return broken(i, codes::COMBINATION, "fp", text!("`fp` with a store phase").to_string(), text!("the default phase"));
    }
    Verdict::Holds
}

/// The layouts a transfer can give or read, by location.
fn transfer_layout(i: &Instance, slot: &str, stores: bool) -> Verdict {
    let Some(t) = i.tile(slot) else { return Verdict::Holds };
    let order = t.order();
    let scales = t.fractal == 32 && matches!(order, Order::Zz | Order::Nn) && i.target == A5;
    let (ok, legal) = match t.loc {
        Loc::Vec if t.dtype.bits() == 64 => (!t.is_boxed(), "ND, DN"),
        Loc::Vec => (matches!(order, Order::Nd | Order::Dn | Order::Nz), "ND, DN, NZ"),
        Loc::Mat if stores => (matches!(order, Order::Nd | Order::Dn | Order::Nz), "ND, DN, NZ"),
        Loc::Mat => (!matches!(order, Order::Zz | Order::Nn) || scales, "ND, DN, NZ, ZN"),
        _ => (true, ""),
    };
    Verdict::require(ok, || Broken::new(codes::LAYOUT, vec![i.at(slot)], text!("`{slot}` is {order}", slot, order), legal))
}

fn load_layout(i: &Instance) -> Verdict {
    transfer_layout(i, "dst", false)
}

/// A single row or column is stored as it lies, regardless of its layout.
fn store_layout(i: &Instance) -> Verdict {
    if i.tile("src").is_some_and(|t| t.rows == 1 || t.cols == 1) {
        return Verdict::Holds;
    }
    transfer_layout(i, "src", true)
}

/// The layouts of windows that a device moves to or from a tile.
fn moved_windows(t: &TileType, target: Target, stores: bool) -> GlobalLayouts {
    let layouts = t.window_layouts(stores);
    let one_line = t.rows == 1 || t.cols == 1;
    match (t.loc, t.order()) {
        (Loc::Vec | Loc::Mat, _) if stores && one_line && (target != A2A3 || t.dtype.bits() < 64) => GlobalLayouts::ALL,
        (Loc::Mat, Order::Nz) if !stores && target == A5 => layouts.or(GlobalLayouts::of(&[GlobalLayout::Dn])),
        (Loc::Acc, _) if target == A2A3 => layouts.or(GlobalLayouts::of(&[GlobalLayout::Nc1hwc0])),
        _ => layouts,
    }
}

/// The window has a layout that can be moved to or from the tile. Where only a run shows the layout, the device compiler decides.
fn window_layout(i: &Instance, (window, tile): (&str, &str), stores: bool) -> Verdict {
    let layout = i.attr_name("layout").and_then(|name| {
        GlobalLayout::ALL.into_iter().find(|layout| layout.name().eq_ignore_ascii_case(name))
    });
    let (Some(t), Some(layout)) = (i.tile(tile), layout) else { return Verdict::Holds };
    let legal = moved_windows(t, i.target, stores);
    Verdict::require(legal.contains(layout), || {
        let found = text!("the window `{window}` is {layout}, `{tile}` is {order} in `{loc}`", window, layout = layout.name(), tile, order = t.order(), loc = t.loc);
        let broken = Broken::new(codes::LAYOUT, vec![i.at(window), i.at(tile)], found, text!("a window that is {legal}", legal));
        match layout {
            GlobalLayout::Nd | GlobalLayout::Dn => broken.help(text!("exchange the last two extents and strides of the view, which gives the transposed matrix, and transpose the tile (`pto.ttrans`); or use a tile with the layout of the window")),
            _ => broken,
        }
    })
}

fn loaded_window(i: &Instance) -> Verdict {
    window_layout(i, ("src", "dst"), false)
}

fn stored_window(i: &Instance) -> Verdict {
    window_layout(i, ("dst", "src"), true)
}

fn wide_pad(i: &Instance) -> Verdict {
    match i.tile("dst") {
        Some(t) if t.dtype.bits() == 64 && !matches!(t.pad, Pad::Null | Pad::Zero) => {
            broken(i, codes::COMBINATION, "dst", text!("{dtype} with pad {t}", dtype = t.dtype, t = t.pad.name()), text!("pad null or zero"))
        }
        _ => Verdict::Holds,
    }
}

/// The tile with the data of a gather (`dst`) or scatter (`src`).
fn scattered<'a>(i: &Instance<'a>) -> Option<&'a TileType> {
    i.tile("dst").or_else(|| i.tile("src"))
}

fn index_shape(i: &Instance) -> Verdict {
    let (Some(data), Some(idx)) = (scattered(i), i.tile("idx")) else { return Verdict::Holds };
    let dims = [data.valid_rows, data.valid_cols, idx.valid_rows, idx.valid_cols];
    let [Some(rows), Some(cols), Some(r), Some(c)] = dims.map(Dim::fixed) else { return Verdict::Dynamic };
    let by_row = rows == 0 || (r, c) == (1, rows) || (r, c) == (rows, 1);
    let by_elem = r == rows && c == cols;
    let (ok, legal) = match i.attr_name("coalesce") {
        Some("row") => (by_row, text!("1 × {rows} or {rows} × 1", rows)),
        Some("elem") => (by_elem, format!("{rows} × {cols}")),
        _ => (by_row || by_elem, text!("one per row ({rows}) or {rows} × {cols}", rows, cols)),
    };
    Verdict::require(ok, || {
        Broken::new(codes::VALID_REGION, vec![i.at("idx")], text!("`idx` has {r} × {c} valid elements", r, c), legal)
    })
}

/// A row of the tile is part of a row of the table.
fn table_row(i: &Instance) -> Verdict {
    let (Some(data), Some(table)) = (scattered(i), i.ty("mem").and_then(Type::view)) else { return Verdict::Holds };
    // With more dimensions the layout decides what a row is, and a type does not have it.
    let is_matrix = table.dims.iter().rev().skip(2).all(|d| *d == Dim::Fixed(1));
    let row = table.dims.last().filter(|_| is_matrix && i.attr_name("coalesce") == Some("row"));
    let Some(row) = row else { return Verdict::Holds };
    let (Some(row), Some(cols)) = (row.fixed(), data.valid_cols.fixed()) else { return Verdict::Dynamic };
    Verdict::require(cols <= row, || {
        let slot = if i.tile("dst").is_some() { "dst" } else { "src" };
        let found = text!("`{slot}` has {cols} valid columns, a row of `mem` has {row} elements", slot, cols, row);
        Broken::new(codes::VALID_REGION, vec![i.at(slot), i.at("mem")], found, text!("at most {row} valid columns", row))
    })
}

fn needs_coalesce(i: &Instance) -> Verdict {
    let plain = |name: &str, default: &str| i.attr_name(name).is_none_or(|v| v == default);
    let options = !plain("scatterOob", "undefined") || !plain("scatterAtomicOp", "none") || i.given("scatterConflict");
    if options && !i.given("coalesce") {
        return broken(
            i,
            codes::COMBINATION,
            "idx",
            text!("an option without `coalesce`").to_string(),
            text!("`coalesce` given as well"),
        );
    }
    Verdict::Holds
}

/// The form that gathers into L1 reads its indices from global memory; the other one reads a tile.
fn gather_form(i: &Instance) -> Verdict {
    let (Some(dst), Some(idx)) = (i.tile("dst"), i.ty("idx")) else { return Verdict::Holds };
    let problem = |slot: &str, found: &str, legal: &str| broken(i, codes::COMBINATION, slot, found.to_string(), legal);
    if dst.loc != Loc::Mat {
        if idx.view().is_some() {
            return problem("idx", text!("indices in global memory"), text!("a tile of indices, or `dst` in mat"));
        }
        if i.given("scratch") {
            return problem("scratch", text!("`scratch` with `dst` in vec"), text!("no scratch, or `dst` in mat"));
        }
        return gather_layout(i);
    }
    if idx.tile().is_some() {
        return problem("idx", text!("a tile of indices with `dst` in mat"), text!("indices in global memory"));
    }
    if dst.order() != Order::Nz || dst.fractal != 512 {
        return broken(i, codes::LAYOUT, "dst", text!("`dst` is {dst}", dst = dst.order()), text!("NZ with fractal=512"));
    }
    match (i.attr_name("coalesce"), i.given("scratch")) {
        (Some("elem"), false) => problem("scratch", "no `scratch`", text!("a scratch window in global memory")),
        (Some("row"), true) => problem("scratch", text!("`scratch` with coalesce = row"), text!("no scratch")),
        _ => Verdict::Holds,
    }
}

fn gather_layout(i: &Instance) -> Verdict {
    let (Some(slot), Some(tile)) = (["dst", "src"].into_iter().find(|s| i.tile(s).is_some()), scattered(i)) else {
        return Verdict::Holds;
    };
    let order = tile.order();
    let ok = match i.target {
        A2A3 => matches!(order, Order::Nd | Order::Nz),
        A5 => matches!(order, Order::Nd | Order::Dn),
        Cpu => true,
    };
    let legal = if i.target == A2A3 { "ND, NZ" } else { "ND, DN" };
    Verdict::require(ok, || Broken::new(codes::LAYOUT, vec![i.at(slot)], text!("`{slot}` is {order}", slot, order), legal))
}

fn scatter_atomics(i: &Instance) -> Verdict {
    let (Some(op), Some(src)) = (i.attr_name("scatterAtomicOp"), i.tile("src")) else { return Verdict::Holds };
    let legal: &[DType] = match (op, i.target) {
        ("none", _) => return Verdict::Holds,
        (_, Cpu) => &[I8, U8, I16, U16, I32, U32, I64, U64, F16, Bf16, F32],
        ("add", A2A3) => &[I8, I16, I32, F16, Bf16, F32],
        ("add", A5) => &[I32, U32, F32, F16, Bf16],
        (_, A2A3) => &[],
        (_, A5) => &[I32, U32, F32],
    };
    Verdict::require(legal.contains(&src.dtype), || {
        let names: Vec<_> = legal.iter().map(|d| d.name()).collect();
        let list = if names.is_empty() { text!("none on this target").to_string() } else { names.join(", ") };
        Broken::new(codes::ELEM_COMBINATION, vec![i.at("src")], text!("atomic {op} of {dtype}", op, dtype = src.dtype), list)
    })
}

fn prefetch_context(i: &Instance) -> Verdict {
    match i.ty("ctx") {
        None | Some(Type::Token(Token::PrefetchAsyncContext) | Type::Unknown) => Verdict::Holds,
        Some(other) => {
            broken(i, codes::OPERAND_KIND, "ctx", text!("`ctx` is a {other}", other = other.noun()), text!("a prefetch context"))
        }
    }
}

fn flat_window(i: &Instance) -> Verdict {
    let Some(view) = i.ty("src").and_then(Type::view) else { return Verdict::Holds };
    let long = view.dims.iter().filter(|d| **d != Dim::Fixed(1)).count();
    Verdict::require(long <= 1, || {
        Broken::new(codes::VIEW_SHAPE, vec![i.at("src")], text!("`src` is {view}", view), text!("one dimension longer than 1"))
    })
}

const LOAD: Row = Row::EMPTY.pipe(Pipe::Mte2).cost(CostClass::Load).types(A2A3, TRANSFER).types(A5, &DType::ALL);

/// A store from any memory; only accumulators pass the fix pipe.
const STORE: Row = Row::EMPTY.domain(Domain::Valid("src")).cost(CostClass::Store).pipes(Pipes::Cases(&[
    PipeCase { targets: Targets::ALL, src: Some(Loc::Acc), dst: None, pipe: Pipe::Fix },
    PipeCase { targets: Targets::ALL, src: None, dst: None, pipe: Pipe::Mte3 },
]));

const INDEXED: Row = Row::EMPTY.cost(CostClass::Gather).types(A2A3, SCATTERED).types(A5, SCATTERED_A5);

family! { Memory, "pto", memory;
    /// Copies a window of global memory into a tile.
    ///
    /// `dst[r,c] = src[map(r,c)]` for every valid element of `dst`. The map follows from the layout of the tensor (ND, DN,
    /// NZ, …) and the place in the tile from the layout of the tile, so a load can change the layout: ND → NZ and
    /// DN → ZN into L1, the same layout everywhere else (A5 also DN → NZ, and block scales to ZZ and NN).
    /// Bits are copied; element types need only have the same size.
    ///
    /// The valid region must describe the window exactly: devices take the number of rows from the window and their
    /// length from the tile. Outside the valid region a device writes at most the rest of the last 32-byte block of
    /// each row (with the tile's pad value); everything beyond keeps its old contents. Do not rely on either.
    tload: LOAD.movement(Movement::Load)
        .hazards(hazards::TLOAD)
        .slots(&[
            view_in("src"),
            tile_out("dst").at(&[Loc::Vec, Loc::Mat, Loc::Scaling]).data(),
            value_in("pad_value", SlotKind::Scalar).optional(),
            value_in("left_padding_num", SlotKind::Int).optional(),
            value_in("right_padding_num", SlotKind::Int).optional(),
            value_in("init_condition", SlotKind::Scalar).optional(),
        ])
        .attrs(LOAD_ATTRS)
        .domain(Domain::Valid("dst"))
        .rules(&[
            (Targets::A2A3, Rule::Locs("dst", Locs::of(&[Loc::Vec, Loc::Mat]))),
            (Targets::A2A3, Rule::ElemIn("src", DTypes::of(TRANSFER))),
            (Targets::ALL, Rule::SameElemSize(&["src", "dst"])),
            (Targets::DEVICES, Rule::Named("dst: ND, DN or NZ in vec; also ZN in mat, and ZZ or NN for block scales", load_layout)),
            (Targets::DEVICES, Rule::Named("src has the layout of dst; in mat also ND for NZ, DN for ZN, and DN for NZ on A5", loaded_window)),
            (Targets::DEVICES, Rule::Named("dst: 64-bit elements need pad null or zero", wide_pad)),
        ])
        .pattern(
            "ins($src : :src) outs($dst : :dst) {}( pad_mode = #pad_mode)?( pad_value = $pad_value : :pad_value)?\
             ( left_padding_num = $left_padding_num : :left_padding_num)?( init_out_buffer = #init_out_buffer)?\
             ( right_padding_num = $right_padding_num : :right_padding_num)?\
             ( init_condition = $init_condition : :init_condition)?",
        )
        .cpp("TLOAD")
        .cpp_args(&["dst", "src"])
        .page("docs/isa/TLOAD.md")
        .notes(&[
            "The pad operands and attributes are accepted and have no effect: the device headers know only the pad value of the tile.",
            "The assembler takes a destination in `scaling` on A5 (its examples use it); the headers load only into vec and mat.",
            "The public simulator fills the whole tile with the pad value before it copies.",
        ])
        .example(
            "func.func @f(%p: !pto.ptr<f32>) {\n  %c1 = arith.constant 1 : index\n  %c16 = arith.constant 16 : index\n  \
             %t = pto.make_tensor_view %p, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>\n  \
             %c0 = arith.constant 0 : index\n  \
             %w = pto.partition_view %t, offsets = [%c0, %c0], sizes = [%c16, %c16] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x16xf32>\n  \
             %a = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n  \
             pto.tload ins(%w : !pto.partition_tensor_view<16x16xf32>) outs(%a : !pto.tile_buf<vec, 16x16xf32>)\n  return\n}\n",
        )
        .cpp_silent(&["pad_value", "left_padding_num", "right_padding_num", "init_condition", "pad_mode", "init_out_buffer", "layout", "cache_policy"])
        .cpp_forms(&[
            form("TLOAD<TLoadL2Hint::NotAllocKeep>($dst, $src)").when(When::Attr("cache_policy", "l2_bypass")),
            form("TLOAD($dst, $src)"),
        ])
        .bytecode(0x102F, 2);

    /// Copies the valid region of a tile to global memory.
    ///
    /// `dst[map(r,c)] = src[r,c]` over the valid region of `src`, with the maps of `tload`; nothing else is written.
    /// From vec and mat, bits are copied. An accumulator passes the fix pipe: f32 or i32 is cast, or with `pre_quant`
    /// multiplied by the scale in its low 32 bits (8-bit results add the offset in bits 45..37, round to nearest even
    /// and saturate; bit 46 selects a signed result), then clipped by the ReLU mode. With `fp` each column has its own
    /// word. `atomicType = atomic_add` adds to memory in the destination's element type.
    ///
    /// The window has exactly as many elements as the valid region. `stPhase` hands the accumulator over to the cube
    /// unit by unit flags and changes no value.
    tstore: STORE.movement(Movement::Store)
        .hazards(hazards::TSTORE)
        .generic_order(&["src", "dst", "fp", "pre_quant"])
        .slots(&[
            tile_in("src").at(&[Loc::Vec, Loc::Mat, Loc::Acc]).data(),
            tile_in("fp").at(&[Loc::Scaling]).elem(QUANT_WORDS).optional(),
            value_in("pre_quant", SlotKind::Int).optional(),
            view_out("dst"),
        ])
        .attrs(STORE_ATTRS)
        .types(A2A3, TRANSFER)
        .types(A5, &DType::ALL)
        .rules(&[
            (Targets::A5, Rule::Locs("src", Locs::of(&[Loc::Vec, Loc::Acc]))),
            (Targets::A2A3, Rule::ElemIn("dst", DTypes::of(TRANSFER))),
            (Targets::ALL, Rule::NotBoth("fp", "pre_quant")),
            (Targets::ALL, Rule::Named("quantisation and ReLU only from an accumulator", fix_pipe_options)),
            (Targets::ALL, Rule::Named("fp: default store phase", default_phase)),
            (Targets::ALL, Rule::Named("fp: one word per column of src", scale_words)),
            (Targets::ALL, Rule::Named("vec, mat: elements of equal size; acc: a conversion of the fix pipe", store_types)),
            (Targets::ALL, Rule::Named("dst has as many elements as the valid region of src", stored_elements)),
            (Targets::DEVICES, Rule::Named("atomic add: f16, bf16, f32, i8, i16, i32", atomic_types)),
            (Targets::DEVICES, Rule::Named("acc: at most 4095 columns", acc_columns)),
            (Targets::DEVICES, Rule::Named("src: ND, DN or NZ in vec and mat; any with one row or column", store_layout)),
            (Targets::DEVICES, Rule::Named("dst has the layout of src, or any for one row or column; from acc ND or NZ, on A2/A3 also NC1HWC0", stored_window)),
        ])
        .pattern("ins($src : :src( fp $fp : :fp)?(, $pre_quant : :pre_quant)?) outs($dst : :dst) {}")
        .cpp("TSTORE")
        .cpp_args(&["dst", "src", "fp", "pre_quant"])
        .cpp_templates(&["stPhase", "atomicType", "reluPreMode"])
        .page("docs/isa/TSTORE.md")
        .notes(&[
            "A5 cannot store from mat.",
            "On A2/A3 f32 → f16 with `fp` is accepted by the assembler only; the headers quantise f32 to 8 bits there.",
            "The C++ name is TSTORE_FP when `fp` is given.",
        ])
        .example(
            "func.func @f(%p: !pto.ptr<f32>, %a: !pto.tile_buf<vec, 16x16xf32>) {\n  %c0 = arith.constant 0 : index\n  \
             %c1 = arith.constant 1 : index\n  %c16 = arith.constant 16 : index\n  \
             %t = pto.make_tensor_view %p, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>\n  \
             %w = pto.partition_view %t, offsets = [%c0, %c0], sizes = [%c16, %c16] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x16xf32>\n  \
             pto.tstore ins(%a : !pto.tile_buf<vec, 16x16xf32>) outs(%w : !pto.partition_tensor_view<16x16xf32>)\n  return\n}\n",
        )
        .cpp_forms(&[
            form("TSTORE($dst, $src)"),
            form("TSTORE<#stPhase>($dst, $src)"),
            form("TSTORE<:src, :dst, #atomicType>($dst, $src)"),
            form("TSTORE<#stPhase, :src, :dst, #atomicType>($dst, $src)"),
            form("TSTORE<:src, :dst, =atomicType, #reluPreMode>($dst, $src)"),
            form("TSTORE<#stPhase, :src, :dst, =atomicType, #reluPreMode>($dst, $src)"),
            form("TSTORE<:src, :dst, =atomicType, =reluPreMode>($dst, $src, static_cast<uint64_t>($pre_quant))"),
            form("TSTORE<#stPhase, :src, :dst, =atomicType, =reluPreMode>($dst, $src, static_cast<uint64_t>($pre_quant))"),
            form("TSTORE_FP($dst, $src, $fp)"),
            form("TSTORE_FP<:src, :dst, :fp, =atomicType, =reluPreMode>($dst, $src, $fp)"),
        ])
        .cpp_silent(&["layout"])
        .bytecode_counted(0x1065);

    /// Stores an accumulator with one quantisation word per column.
    ///
    /// `dst[map(r,c)] = relu(quant(src[r,c], fp[c]))` over the valid region of `src`. A word of `fp` holds the scale as a
    /// 19-bit float (1 sign, 8 exponent, 10 mantissa bits) in bits 31..13, an offset in bits 45..37 and, in bit 46,
    /// whether the result is signed. 8-bit results round to nearest even and saturate.
    /// The address of `fp` is used in units of 128 bytes.
    tstore_fp: STORE.movement(Movement::StoreScaled)
        .alias_names(&["tstore.fp"])
        .slots(&[
            tile_in("src").at(&[Loc::Acc]).elem(&[F32, I32]),
            tile_in("fp").at(&[Loc::Scaling]).elem(QUANT_WORDS),
            view_out("dst"),
        ])
        .attrs(STORE_FP_ATTRS)
        .pipe(Pipe::Fix)
        .rules(&[
            (Targets::ALL, Rule::Named("a conversion of the fix pipe", store_types)),
            (Targets::ALL, Rule::Named("fp: one word per column of src", scale_words)),
            (Targets::DEVICES, Rule::Named("atomic add: f16, bf16, f32, i8, i16, i32", atomic_types)),
            (Targets::DEVICES, Rule::Named("at most 4095 columns", acc_columns)),
            (Targets::DEVICES, Rule::Named("dst is ND or NZ, on A2/A3 also NC1HWC0", stored_window)),
        ])
        .cpp("TSTORE_FP")
        .cpp_args(&["dst", "src", "fp"])
        .cpp_templates(&["atomicType", "reluPreMode"])
        .page("docs/isa/TSTORE_FP.md")
        .notes(&[
            "Newer assemblers write this as `pto.tstore ins(%src : T fp %fp : T)`.",
            "The headers take 64-bit words; the assembler also takes f32 and f16 tiles.",
            "The public simulator picks the word by row instead of by column.",
        ])
        .example(
            "func.func @f(%p: !pto.ptr<i8>, %a: !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>, %q: !pto.tile_buf<scaling, 1x16xui64>) {\n  \
             %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c16 = arith.constant 16 : index\n  \
             %t = pto.make_tensor_view %p, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xi8>\n  \
             %w = pto.partition_view %t, offsets = [%c0, %c0], sizes = [%c16, %c16] : !pto.tensor_view<?x?xi8> -> !pto.partition_tensor_view<16x16xi8>\n  \
             pto.tstore_fp ins(%a, %q : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>, !pto.tile_buf<scaling, 1x16xui64>) outs(%w : !pto.partition_tensor_view<16x16xi8>)\n  return\n}\n",
        )
        .cpp_forms(&[
            form("TSTORE_FP($dst, $src, $fp)"),
            form("TSTORE_FP<:src, :dst, :fp, =atomicType, =reluPreMode>($dst, $src, $fp)"),
        ])
        .cpp_silent(&["layout"]);

    /// Brings a window of global memory near, as a hint.
    ///
    /// The window is copied through the tile in chunks, so that the cache holds it afterwards. The contents of `dst`
    /// after the instruction mean nothing; treat it as scratch. A program is correct without it.
    tprefetch: LOAD
        .hazards(hazards::TPREFETCH)
        .slots(&[view_in("src"), tile_out("dst").at(&[Loc::Vec, Loc::Mat]).data()])
        .domain(Domain::Whole("dst"))
        .rules(&[
            (Targets::A2A3, Rule::ElemIn("src", DTypes::of(TRANSFER))),
            (Targets::ALL, Rule::SameElemSize(&["src", "dst"])),
        ])
        .cpp("TPREFETCH")
        .page("docs/isa/TPREFETCH.md")
        .notes(&["Devices leave the last chunk in `dst`; the public simulator copies one tile from the start of the window, ignoring strides."])
        .example(
            "func.func @f(%p: !pto.ptr<f32>, %a: !pto.tile_buf<vec, 16x16xf32>) {\n  %c0 = arith.constant 0 : index\n  \
             %c1 = arith.constant 1 : index\n  %c16 = arith.constant 16 : index\n  \
             %t = pto.make_tensor_view %p, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>\n  \
             %w = pto.partition_view %t, offsets = [%c0, %c0], sizes = [%c16, %c16] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x16xf32>\n  \
             pto.tprefetch ins(%w : !pto.partition_tensor_view<16x16xf32>) outs(%a : !pto.tile_buf<vec, 16x16xf32>)\n  return\n}\n",
        )
        .bytecode(0x1045, 2);

    /// Asks the system DMA to bring a flat range of global memory into the L2 cache.
    ///
    /// The request is queued in the session of `ctx` and runs beside the core; the event says when it is done. No tile
    /// is written and no value changes, so a program is correct without it. The window must be contiguous: at most one
    /// of its dimensions is longer than 1.
    tprefetch_async: Row::EMPTY
        .hazards(hazards::TPREFETCH_ASYNC)
        .slots(&[view_in("src"), value_in("ctx", SlotKind::Any)])
        .results(&[result("event", SlotKind::AsyncEvent)])
        .pipe(Pipe::S)
        .cost(CostClass::Comm)
        .rules(&[
            (Targets::ALL, Rule::Named("ctx is a prefetch context", prefetch_context)),
            (Targets::ALL, Rule::Named("src has one dimension longer than 1", flat_window)),
        ])
        .pattern("($src, $ctx : :src, :ctx) {} -> :event")
        .cpp("TPREFETCH_ASYNC")
        .page("docs/isa/TPREFETCH_ASYNC.md")
        .notes(&["A host run returns an event that is already complete."])
        .example(
            "func.func @f(%v: !pto.tensor_view<1024xf32>, %ctx: !pto.prefetch_async_context) {\n  \
             %e = pto.tprefetch_async(%v, %ctx : !pto.tensor_view<1024xf32>, !pto.prefetch_async_context) -> !pto.async_event\n  return\n}\n",
        );

    /// Gathers rows or elements of a table in global memory.
    ///
    /// `coalesce = row`: `dst[r,:] = mem[idx[r],:]`, one index per row. `coalesce = elem`: `dst[r,c] = mem[idx[r,c]]` with
    /// the table taken as one flat list. Indices count rows or elements, not bytes. `gatherOob` says what an index
    /// outside the table does: nothing is promised (`undefined`), the last one is taken (`clamp`), the index is taken
    /// modulo the size (`wrap`), or zeros are read (`zero`).
    ///
    /// Into L1 (`dst` in mat, NZ) the indices are a window of global memory, and `elem` needs a window `scratch` of at
    /// least as many elements as `dst`. Elements outside the valid region keep their contents.
    mgather: INDEXED
        .hazards(hazards::INDEXED)
        .generic_order(&["mem", "idx", "dst", "scratch"])
        .slots(&[
            view_in("mem").data(),
            value_in("idx", SlotKind::TileOrView).elem(&[I32, U32]).at(&[Loc::Vec]).order(Orders::NONE_BOX),
            view_in("scratch").data().optional(),
            tile_out("dst").at(&[Loc::Vec, Loc::Mat]).data(),
        ])
        .attrs(GATHER_ATTRS)
        .domain(Domain::Valid("dst"))
        .pipes(Pipes::Cases(&[
            PipeCase { targets: Targets::A5, src: None, dst: Some(Loc::Vec), pipe: Pipe::V },
            PipeCase { targets: Targets::ALL, src: None, dst: None, pipe: Pipe::Mte2 },
        ]))
        .rules(&[
            (Targets::ALL, Rule::Named("indices: a tile for vec, global memory for mat (NZ, scratch for elem)", gather_form)),
            (Targets::ALL, Rule::Named("one index per row of dst, or one per element", index_shape)),
            (Targets::ALL, Rule::Named("row: no more columns than a row of mem has", table_row)),
        ])
        .cpp("MGATHER")
        .cpp_args(&["dst", "mem", "idx", "scratch"])
        .cpp_templates(&["coalesce", "gatherOob"])
        .page("docs/isa/MGATHER.md")
        .notes(&[
            "`coalesce` must be given: without it the headers gather rows and the public simulator elements. Older assemblers did not have it.",
            "A5 runs the vec form on its vector unit; A2/A3 elements are read one by one by the scalar unit.",
        ])
        .example(
            "func.func @f(%w: !pto.partition_tensor_view<64x32xf32>, %i: !pto.tile_buf<vec, 16x32xi32>, %d: !pto.tile_buf<vec, 16x32xf32>) {\n  \
             pto.mgather ins(%w, %i : !pto.partition_tensor_view<64x32xf32>, !pto.tile_buf<vec, 16x32xi32>) outs(%d : !pto.tile_buf<vec, 16x32xf32>) {coalesce = #pto<coalesce elem>}\n  return\n}\n",
        )
        .bytecode(0x1003, 3);

    /// Scatters rows or elements of a tile into a table in global memory.
    ///
    /// `coalesce = row`: `mem[idx[r],:] = src[r,:]`. `coalesce = elem`: `mem[idx[r,c]] = src[r,c]` with the table taken as
    /// one flat list. `scatterAtomicOp` combines with what memory holds. `scatterOob` treats an index outside the
    /// table: nothing is promised, the write is skipped, or the index is clamped or wrapped.
    ///
    /// Several writes to one place: the last in row-major order of `src` wins; on A5 only with
    /// `scatterConflict = last` or without the attribute, while `default` promises nothing.
    mscatter: INDEXED
        .hazards(hazards::INDEXED)
        .slots(&[
            tile_in("src").vec().data(),
            tile_in("idx").vec().order(Orders::NONE_BOX).elem(&[I32, U32]),
            view_out("mem").data(),
        ])
        .attrs(SCATTER_ATTRS)
        .domain(Domain::Valid("src"))
        .pipes(Pipes::Cases(&[
            PipeCase { targets: Targets::A5, src: None, dst: None, pipe: Pipe::V },
            PipeCase { targets: Targets::ALL, src: None, dst: None, pipe: Pipe::Mte3 },
        ]))
        .rules(&[
            (Targets::ALL, Rule::Named("src: ND; also NZ on A2/A3 and DN on A5", gather_layout)),
            (Targets::ALL, Rule::Named("one index per row of src, or one per element", index_shape)),
            (Targets::ALL, Rule::Named("row: no more columns than a row of mem has", table_row)),
            (Targets::ALL, Rule::Named("the scatter options need coalesce", needs_coalesce)),
            (Targets::ALL, Rule::Named("atomics: add on A2/A3 (i8 i16 i32 f16 bf16 f32) and A5 (i32 ui32 f32 f16 bf16); max, min on A5 (i32 ui32 f32); on cpu all of these types, i64, ui64, ui8 and ui16", scatter_atomics)),
        ])
        .cpp("MSCATTER")
        .cpp_args(&["mem", "src", "idx"])
        .cpp_templates(&["coalesce", "scatterAtomicOp", "scatterOob", "scatterConflict"])
        .page("docs/isa/MSCATTER.md")
        .notes(&[
            "The assembler allows fewer atomic types than the headers (no bf16).",
            "Without `coalesce` the shape of `idx` decides. Older assemblers have neither `coalesce` nor `scatterConflict`.",
            "The public simulator's row form of atomic max and min is wrong.",
        ])
        .example(
            "func.func @f(%w: !pto.partition_tensor_view<64x32xf32>, %i: !pto.tile_buf<vec, 16x32xi32>, %s: !pto.tile_buf<vec, 16x32xf32>) {\n  \
             pto.mscatter ins(%s, %i : !pto.tile_buf<vec, 16x32xf32>, !pto.tile_buf<vec, 16x32xi32>) outs(%w : !pto.partition_tensor_view<64x32xf32>) {coalesce = #pto<coalesce elem>}\n  return\n}\n",
        )
        .bytecode(0x1004, 3);
}
