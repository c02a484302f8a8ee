//! Quantisation and its inverse on the vector unit.

use crate::text;
use super::hazards;
use super::memory::broken;
use crate::DType::*;
use crate::Target::A2A3;
use crate::codes;
use crate::enums;
use crate::row::{Aliasing, AttrKind, AttrSpec, CostClass, Domain, ExtentFactor, From, Orders, Scratch, Slot, Uses, When, attr, form, opt_attr, region, whole};
use crate::rules::{Broken, Instance, Rule, Verdict};
use crate::shape::{tile_in, tile_out};
use crate::{DType, Dim, Order, Pipe, Row, Targets, TileType};

/// Elements that share one exponent in an MX format.
const GROUP: u64 = 32;

const INT8_ATTRS: &[AttrSpec] =
    &[attr("quant_type", AttrKind::Enum(&enums::QUANT_TYPE), "INT8_SYM: signed, no offset; INT8_ASYM: with an offset")
        .alias(&["quantType"])];

const MX_ATTRS: &[AttrSpec] = &[
    attr("quant_type", AttrKind::Enum(&enums::QUANT_TYPE), "MXFP8: e4m3 codes; MXFP4_E2M1: packed e2m1 codes")
        .alias(&["quantType"]),
    opt_attr("quantScaleAlg", AttrKind::Enum(&enums::QUANT_SCALE_ALG), "ocp", "how the exponent of a group is chosen"),
    opt_attr("storeMode", AttrKind::Enum(&enums::VEC_STORE_MODE), "", "order of the extra exponent tile"),
    opt_attr(
        "grpAxis",
        AttrKind::Enum(&enums::MX_GROUP_AXIS),
        "axis1",
        "groups run along columns (axis1) or rows (axis0)",
    ),
    opt_attr("interleave", AttrKind::Bool, "false", "pairs of exponent rows are interleaved (axis0)"),
];

/// A row-major tile without boxes in vector memory.
const fn nd(slot: Slot) -> Slot {
    slot.vec().order(Orders::ND)
}

fn asymmetric(i: &Instance) -> Verdict {
    match (i.attr_name("quant_type"), i.given("offset")) {
        (Some("INT8_SYM"), true) => {
            broken(i, codes::COMBINATION, "offset", "`offset` with INT8_SYM".to_string(), text!("no offset, or INT8_ASYM"))
        }
        (Some("INT8_ASYM"), false) => {
            broken(i, codes::COMBINATION, "offset", "INT8_ASYM without `offset`".to_string(), text!("an offset per row"))
        }
        (Some("INT8_SYM" | "INT8_ASYM") | None, _) => Verdict::Holds,
        (Some(other), _) => broken(
            i,
            codes::COMBINATION,
            "dst",
            text!("tquant with {other}", other),
            text!("INT8_SYM, INT8_ASYM; tquant.mx for the others"),
        ),
    }
}

/// Parameters lie in one column, one value per row.
fn row_parameters(i: &Instance) -> Verdict {
    let Some(dst) = i.tile("dst") else { return Verdict::Holds };
    let mut verdict = Verdict::Holds;
    for slot in ["fp", "offset"] {
        let Some(t) = i.tile(slot) else { continue };
        if i.target == A2A3 && t.order() == Order::Nd {
            return broken(i, codes::LAYOUT, slot, text!("`{slot}` is {t}", slot, t = t.order()), "DN");
        }
        match (t.valid_rows, dst.valid_rows) {
            (Dim::Fixed(n), Dim::Fixed(m)) if n < m => {
                return broken(i, codes::VALID_REGION, slot, text!("`{slot}` has {n} valid rows", slot, n), &format!("{m}"));
            }
            (Dim::Fixed(_), Dim::Fixed(_)) => {}
            _ => verdict = Verdict::Dynamic,
        }
    }
    verdict
}

fn scratch_shape(i: &Instance) -> Verdict {
    let (Some(src), Some(tmp)) = (i.tile("src"), i.tile("tmp")) else { return Verdict::Holds };
    Verdict::require((src.rows, src.cols) == (tmp.rows, tmp.cols), || {
        let found = text!("`tmp` is {rows}x{cols}", rows = tmp.rows, cols = tmp.cols);
        Broken::new(codes::SCRATCH, vec![i.at("tmp")], found, format!("{}x{}", src.rows, src.cols))
    })
}

fn source_bytes(i: &Instance) -> Option<u64> {
    Some(i.tile("src")?.bytes())
}

/// The operands of an MX quantisation whose extents are all part of their types.
struct MxOperands<'a> {
    i: &'a Instance<'a>,
    src: &'a TileType,
    dst: &'a TileType,
    exp: &'a TileType,
    max: &'a TileType,
    scaling: &'a TileType,
    /// Valid rows and columns of the source.
    rows: u64,
    cols: u64,
    /// Groups along rows.
    along_rows: bool,
    fp4: bool,
    interleave: bool,
}

fn extent(t: &TileType) -> Option<(u64, u64)> {
    Some((t.valid_rows.fixed()?, t.valid_cols.fixed()?))
}

impl<'a> MxOperands<'a> {
    /// `None` when an operand is absent or an extent is not part of its type.
    fn new(i: &'a Instance<'a>) -> Option<Self> {
        let [src, dst, exp, max, scaling] = ["src", "dst", "exp", "max", "scaling"].map(|s| i.tile(s));
        let (src, dst, exp, max, scaling) = (src?, dst?, exp?, max?, scaling?);
        let (rows, cols) = extent(src)?;
        [dst, exp, max, scaling].into_iter().all(|t| extent(t).is_some()).then_some(Self {
            i,
            src,
            dst,
            exp,
            max,
            scaling,
            rows,
            cols,
            along_rows: i.attr_name("grpAxis") == Some("axis0"),
            fp4: i.attr_name("quant_type") == Some("MXFP4_E2M1"),
            interleave: matches!(i.attr("interleave"), Some(crate::rules::AttrValue::Bool(true))),
        })
    }

    fn wrong(&self, slot: &str, found: String, legal: String) -> Verdict {
        Verdict::Broken(Broken::new(codes::SHAPE, vec![self.i.at(slot)], found, legal))
    }

    /// Rows and columns of the exponents, one per group.
    fn groups(&self) -> (u64, u64) {
        if self.along_rows { (self.rows / GROUP, self.cols) } else { (self.rows, self.cols / GROUP) }
    }

    /// Exponents, maxima and scales have one element per group, in the grid of the groups or in one row.
    fn per_group(&self) -> Verdict {
        let (rows, cols) = self.groups();
        for (slot, t) in [("exp", self.exp), ("max", self.max), ("scaling", self.scaling)] {
            let found = extent(t);
            let interleaved = slot == "exp" && self.interleave;
            let want = if interleaved { (self.rows / 64, self.cols * 2) } else { (rows, cols) };
            let flat = !self.along_rows && found == Some((1, rows * cols));
            if found != Some(want) && !flat {
                let found = text!("`{slot}` has {valid_rows} × {valid_cols} valid elements", slot, valid_rows = t.valid_rows, valid_cols = t.valid_cols);
                return self.wrong(slot, found, format!("{} × {}", want.0, want.1));
            }
            if t.elements() < rows * cols {
                return self.wrong(
                    slot,
                    text!("`{slot}` holds {t} elements", slot, t = t.elements()),
                    text!("at least {cols}", cols = rows * cols),
                );
            }
        }
        Verdict::Holds
    }

    /// The device walks tiles by the strides of the source.
    fn strides(&self) -> Verdict {
        let pack = if self.fp4 { 2 } else { 1 };
        let want = self.src.cols / pack;
        if (self.fp4 || !self.along_rows) && self.dst.cols != want {
            return self.wrong("dst", text!("`dst` has {cols} columns", cols = self.dst.cols), want.to_string());
        }
        if self.dst.rows < self.rows {
            return self.wrong("dst", text!("`dst` has {rows} rows", rows = self.dst.rows), text!("at least {rows}", rows = self.rows));
        }
        let aligned = (self.src.cols * 2).next_multiple_of(32);
        for (slot, t) in [("exp", self.exp), ("max", self.max), ("scaling", self.scaling)] {
            let interleaved = slot == "exp" && self.interleave;
            let want = if interleaved { aligned } else { self.src.cols };
            if self.along_rows && t.cols != want {
                return self.wrong(slot, text!("`{slot}` has {cols} columns", slot, cols = t.cols), want.to_string());
            }
            if interleaved && t.rows != self.src.rows / 64 {
                return self.wrong(slot, text!("`{slot}` has {rows} rows", slot, rows = t.rows), (self.src.rows / 64).to_string());
            }
            let compact = t.valid_rows == Dim::Fixed(1) || t.valid_cols == Dim::Fixed(t.cols);
            if !self.along_rows && slot != "exp" && !compact {
                return self.wrong(
                    slot,
                    text!("rows of `{slot}` are not adjacent", slot),
                    text!("no columns outside the valid region").to_string(),
                );
            }
        }
        Verdict::Holds
    }

    /// What the published device code gets wrong or leaves out.
    fn device_limits(&self) -> Verdict {
        let half = self.src.dtype != F32;
        let groups = self.rows * self.cols / GROUP;
        if self.along_rows {
            if self.interleave && !half {
                return self.wrong("src", text!("f32 with interleave").to_string(), "f16, bf16".to_string());
            }
            if self.fp4 && self.src.dtype == F16 && !self.dst.cols.is_multiple_of(32) {
                return self.wrong(
                    "dst",
                    text!("rows of {cols} packed bytes from f16", cols = self.dst.cols),
                    text!("a multiple of 32").to_string(),
                );
            }
        } else if self.exp.rows == 1 {
            let nv = self.i.attr_name("quantScaleAlg") == Some("nv");
            if half && nv {
                return self.wrong(
                    "exp",
                    text!("exponents in one row for 16-bit data with nv").to_string(),
                    "ocp".to_string(),
                );
            }
            if self.src.cols != self.cols {
                return self.wrong(
                    "src",
                    text!("exponents in one row of a padded source").to_string(),
                    text!("all columns valid").to_string(),
                );
            }
            let unrolled = !half
                && self.src.elements() > 1024
                && self.src.elements().is_multiple_of(256)
                && (self.rows * self.src.cols).is_multiple_of(256);
            let scales = if unrolled { groups * 2 } else { groups };
            let need = if half { scales.next_multiple_of(128) * 2 } else { scales.next_multiple_of(64) * 4 };
            if self.scaling.bytes() < need {
                return self.wrong(
                    "scaling",
                    text!("`scaling` has {scaling} bytes", scaling = self.scaling.bytes()),
                    text!("at least {need}", need),
                );
            }
        } else if half {
            return self.wrong(
                "exp",
                text!("a grid of exponents for 16-bit data").to_string(),
                text!("exponents in one row").to_string(),
            );
        } else if self.exp.valid_rows == Dim::Fixed(1) && self.rows != 1 {
            return self.wrong("exp", text!("one valid row in {rows} rows", rows = self.exp.rows), text!("one row").to_string());
        }
        let padded = half && self.cols < self.src.cols && 128 % self.src.cols == 0;
        if padded && !(self.rows * self.src.cols).is_multiple_of(128) {
            return self.wrong(
                "src",
                text!("padding that ends inside a vector register").to_string(),
                text!("rows that fill whole registers").to_string(),
            );
        }
        Verdict::Holds
    }
}

fn first_broken(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    verdicts.into_iter().find(|v| *v != Verdict::Holds).unwrap_or(Verdict::Holds)
}

fn mx_options(i: &Instance) -> Verdict {
    let along_rows = i.attr_name("grpAxis") == Some("axis0");
    let interleave = matches!(i.attr("interleave"), Some(crate::rules::AttrValue::Bool(true)));
    let bad = |slot: &str, found: &str, legal: &str| broken(i, codes::COMBINATION, slot, found.to_string(), legal);
    if !matches!(i.attr_name("quant_type"), Some("MXFP8" | "MXFP4_E2M1") | None) {
        return bad("dst", text!("tquant.mx with an INT8 type"), text!("MXFP8, MXFP4_E2M1; tquant for INT8"));
    }
    if interleave && !along_rows {
        return bad("exp", text!("interleave along columns"), "grpAxis = axis0");
    }
    if i.given("exp_zz") && along_rows {
        return bad("exp_zz", text!("`exp_zz` along rows"), "grpAxis = axis1");
    }
    if i.given("storeMode") && i.attr_name("quantScaleAlg") != Some("ocp") {
        return bad("exp_zz", text!("`storeMode` with nv"), "ocp");
    }
    Verdict::Holds
}

fn mx_types(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.tile("src"), i.tile("dst")) else { return Verdict::Holds };
    let (from, to): (&[DType], &[DType]) = match i.attr_name("quant_type") {
        Some("MXFP4_E2M1") => (&[F16, Bf16], &[F4E2M1]),
        _ => (&[F32, F16, Bf16], &[I8, U8]),
    };
    Verdict::require(from.contains(&src.dtype) && to.contains(&dst.dtype), || {
        let show = |list: &[DType]| list.iter().map(|d| d.name()).collect::<Vec<_>>().join(", ");
        let found = text!("src, dst are {dtype} {dtype2}", dtype = src.dtype, dtype2 = dst.dtype);
        let legal = format!("{} → {}", show(from), show(to));
        Broken::new(codes::ELEM_COMBINATION, vec![i.at("dst"), i.at("src")], found, legal)
    })
}

fn mx_shapes(i: &Instance) -> Verdict {
    let tiles = ["src", "dst", "exp", "max", "scaling", "exp_zz"].map(|s| (s, i.tile(s)));
    if let Some((slot, _)) = tiles.iter().find(|(_, t)| t.is_some_and(|t| extent(t).is_none())) {
        return broken(
            i,
            codes::VALID_REGION,
            slot,
            text!("`{slot}` has a dynamic valid region", slot),
            text!("extents fixed in the type"),
        );
    }
    let Some(mx) = MxOperands::new(i) else { return Verdict::Holds };
    let along = if mx.along_rows { mx.rows } else { mx.cols };
    let unit = if mx.interleave { 64 } else { GROUP };
    let whole = along > 0 && along % unit == 0 && (!mx.interleave || mx.src.rows % 64 == 0);
    if !whole {
        return mx.wrong(
            "src",
            text!("`src` has {rows} × {cols} valid elements", rows = mx.rows, cols = mx.cols),
            text!("whole groups of {unit}", unit),
        );
    }
    let out = if mx.fp4 { mx.cols / 2 } else { mx.cols };
    if extent(mx.dst) != Some((mx.rows, out)) || (mx.fp4 && mx.src.cols % 2 != 0) {
        let found = text!("`dst` has {valid_rows} × {valid_cols} valid elements", valid_rows = mx.dst.valid_rows, valid_cols = mx.dst.valid_cols);
        return mx.wrong("dst", found, format!("{} × {out}", mx.rows));
    }
    let zz = i.tile("exp_zz").and_then(extent);
    if zz.is_some_and(|(r, c)| r * c != mx.rows * mx.cols / GROUP) {
        return mx.wrong("exp_zz", text!("another number of exponents").to_string(), text!("one per group").to_string());
    }
    first_broken([mx.per_group(), mx.strides()])
}

fn mx_limits(i: &Instance) -> Verdict {
    MxOperands::new(i).map_or(Verdict::Holds, |mx| mx.device_limits())
}

fn hif4_groups(i: &Instance) -> Verdict {
    match i.tile("src").map(|t| t.valid_cols) {
        None => Verdict::Holds,
        Some(Dim::Dynamic) => Verdict::Dynamic,
        Some(Dim::Fixed(n)) => Verdict::require(n % 64 == 0, || {
            Broken::new(
                codes::VALID_REGION,
                vec![i.at("src")],
                text!("`src` has {n} valid columns", n),
                text!("a multiple of 64"),
            )
        }),
    }
}

/// 4 bytes for each group of 64.
fn hif4_cells(_: &Uses) -> Option<ExtentFactor> {
    Some(ExtentFactor { per: 64, times: 4, clipped: false })
}

const QUANT: Row = Row::EMPTY.pipe(Pipe::V).cost(CostClass::VectorConvert).domain(Domain::Valid("src"));

family! { Quant, "pto", quant;
    /// Quantises f32 to 8-bit integers with one scale per row.
    ///
    /// INT8_SYM: `dst[r,c] = sat(rint(src[r,c] · fp[r]))` to i8. INT8_ASYM: `dst[r,c] = sat(rint(src[r,c] · fp[r] + offset[r]))`
    /// to ui8. Ties round to even; results saturate. `fp` holds multipliers (the reciprocals of the steps), one f32 per
    /// valid row. The domain is the valid region of `src`, which `dst` shares.
    ///
    /// A2/A3 works in `src` and in its scratch tile: do not read `src` afterwards.
    tquant: QUANT
        .hazards(hazards::TQUANT)
        .regions(&[region("tmp", From::Rows("src"), From::Cols("src"))])
        .slots(&[
            tile_in("src").vec().elem(&[F32]),
            tile_in("fp").vec().elem(&[F32]),
            tile_in("offset").vec().elem(&[F32]).optional(),
            tile_out("dst").vec().elem(&[I8, U8]),
            tile_out("tmp").vec().elem(&[F32]).optional(),
        ])
        .attrs(INT8_ATTRS)
        .alias(Aliasing::Distinct(Targets::DEVICES))
        .scratch(Scratch {
            slot: "tmp",
            required: Targets::NONE,
            forbidden: Targets::NONE,
            ignored: Targets::A5,
            rule: "as large as src on A2/A3",
            bytes: Some(source_bytes),
            written: None,
        })
        .rules(&[
            (Targets::ALL, Rule::SameValid(&["src", "dst"])),
            (Targets::A2A3, Rule::Orders(&["src", "dst", "tmp"], Orders::ROW_MAJOR)),
            (Targets::ALL, Rule::Named("offset exactly for INT8_ASYM", asymmetric)),
            (Targets::ALL, Rule::Named("fp, offset: one value per row of dst; a column (DN) on A2/A3", row_parameters)),
            (Targets::A2A3, Rule::Named("tmp: the rows and columns of src", scratch_shape)),
        ])
        .cpp("TQUANT")
        .cpp_alike(&[&["fp", "offset"]])
        .cpp_args(&["dst", "src", "fp", "tmp", "offset"])
        .cpp_templates(&["quant_type"])
        .page("docs/isa/TQUANT.md")
        .notes(&[
            "The page divides by the scale and adds the offset after rounding; the device code multiplies and adds before.",
            "The headers want i8 for INT8_SYM and ui8 for INT8_ASYM; the assembler takes either, and the bits are the same codes.",
            "The scratch tile stands in outs(…), after dst. The number of a quant_type differs between C++ and the assembler.",
            "Older assemblers take row-major parameters on A2/A3; newer ones reject them.",
        ])
        .example(
            "func.func @f(%s: !pto.tile_buf<vec, 32x32xf32>, %q: !pto.tile_buf<vec, 32x1xf32, blayout=col_major>, %d: !pto.tile_buf<vec, 32x32xi8>) {\n  \
             pto.tquant ins(%s, %q : !pto.tile_buf<vec, 32x32xf32>, !pto.tile_buf<vec, 32x1xf32, blayout=col_major>) outs(%d : !pto.tile_buf<vec, 32x32xi8>) {quant_type = #pto<quant_type INT8_SYM>}\n  return\n}\n",
        )
        .cpp_forms(&[
            form("TQUANT<=quant_type, :dst, :src, :fp>($dst, $src, $fp)"),
            form("TQUANT<=quant_type, :dst, :src, :fp>($dst, $src, $fp, &$offset)"),
            form("TQUANT<=quant_type, :dst, :src, :fp, :tmp>($dst, $src, $fp, $tmp)"),
            form("TQUANT<=quant_type, :dst, :src, :fp, :tmp>($dst, $src, $fp, $tmp, &$offset)"),
        ])
        .bytecode_counted(0x1047);

    /// Quantises to an MX format: groups of 32 share one exponent.
    ///
    /// Groups run along columns (`grpAxis = axis1`) or rows (`axis0`). With m the largest |x| of a group and e its biased f32
    /// exponent, `ocp` chooses `E = max(0, e − emax)` with emax 8 (MXFP8) or 2 (MXFP4); `nv` takes `d = m/448` (or m/6) and
    /// `E = exponent(d)`, one more when d has mantissa bits. `dst = cast(x · 2^(127−E))` to e4m3 or e2m1, to nearest even,
    /// saturating. `exp` receives E, `max` receives m and `scaling` `2^(127−E)` (as a bf16 number where `src` has 16 bits).
    ///
    /// A group with a NaN gets E = 255 and NaN codes (0x7f, or 7 in e2m1), an infinite one 255 − emax (`ocp`) or 254 (`nv`). Exponents form an M × N/32 grid (M/32 × N along
    /// rows), or one row of them; `interleave` writes pairs of exponent rows element by element. `exp_zz` with `storeMode`
    /// is an older form that also writes them in ZZ order; use `tmov` with a scratch tile instead.
    /// MXFP4 packs two codes to a byte, so `dst` has half the columns.
    tquant_mx = "tquant.mx": QUANT
        .hazards(hazards::TQUANT_MX)
        .alias_names(&["tquant_mx"])
        .only(Targets::A5_CPU)
        .slots(&[
            nd(tile_in("src")).elem(&[F32, F16, Bf16]),
            nd(tile_out("dst")).elem(&[I8, U8, F4E2M1]),
            nd(tile_out("exp")).elem(&[I8, U8]),
            nd(tile_out("max")).like("src"),
            nd(tile_out("scaling")).like("src"),
            nd(tile_out("exp_zz")).elem(&[I8, U8]).optional(),
        ])
        .attrs(MX_ATTRS)
        .alias(Aliasing::Distinct(Targets::DEVICES))
        .rules(&[
            (Targets::ALL, Rule::Together("exp_zz", "storeMode")),
            (Targets::ALL, Rule::Named("MXFP8 or MXFP4_E2M1; interleave along rows only; exp_zz along columns only", mx_options)),
            (Targets::ALL, Rule::Named("MXFP8: f32, f16, bf16 → i8, ui8; MXFP4_E2M1: f16, bf16 → f4e2m1", mx_types)),
            (Targets::ALL, Rule::Named("fixed extents; whole groups of 32 (64 with interleave); one exponent, maximum and scale per group", mx_shapes)),
            (Targets::A5, Rule::Named("combinations the device code carries out", mx_limits)),
        ])
        .cpp("TQUANT")
        .cpp_alike(&[&["exp", "exp_zz"]])
        .cpp_args(&["dst", "src", "exp", "max", "scaling", "exp_zz"])
        .cpp_templates(&["quant_type", "quantScaleAlg", "storeMode", "grpAxis", "interleave"])
        .page("docs/isa/TQUANT.md")
        .notes(&[
            "The page gives emax = 1 for e2m1 and speaks of stochastic rounding; the device code uses 2 and rounds to nearest even.",
            "The public simulator leaves NaN elements out of the maximum and codes them 0x7f.",
            "C++ chooses by template: TQUANT<type, alg>, TQUANT<type, store mode> with exp_zz, or TQUANT<axis, alg, interleave>.",
        ])
        .example(
            "func.func @f(%s: !pto.tile_buf<vec, 16x64xf32>, %d: !pto.tile_buf<vec, 16x64xui8>, %e: !pto.tile_buf<vec, 1x32xui8>, %m: !pto.tile_buf<vec, 1x32xf32>, %x: !pto.tile_buf<vec, 1x64xf32, valid=1x32>) {\n  \
             pto.tquant.mx ins(%s : !pto.tile_buf<vec, 16x64xf32>) outs(%d, %e, %m, %x : !pto.tile_buf<vec, 16x64xui8>, !pto.tile_buf<vec, 1x32xui8>, !pto.tile_buf<vec, 1x32xf32>, !pto.tile_buf<vec, 1x64xf32, valid=1x32>) {quant_type = #pto<quant_type MXFP8>}\n  return\n}\n",
        )
        .cpp_forms(&[
            form("TQUANT<=quant_type, :dst, :src, :exp, :max, :scaling>($dst, $src, &$exp, &$max, &$scaling)"),
            form("TQUANT<=quant_type, :dst, :src, :exp, :max, :scaling, #quantScaleAlg>($dst, $src, &$exp, &$max, &$scaling)"),
            form("TQUANT<=quant_type, VecStoreMode::NZ, :dst, :src, :exp, :max, :scaling>($dst, $src, &$exp, &$max, &$scaling, &$exp_zz)").when(When::Attr("storeMode", "nz")),
            form("TQUANT<=quant_type, VecStoreMode::ND, :dst, :src, :exp, :max, :scaling>($dst, $src, &$exp, &$max, &$scaling, &$exp_zz)").when(When::Attr("storeMode", "nd")),
        ]);

    /// Quantises bf16 to HiFloat4: groups of 64 along columns with three levels of scales.
    ///
    /// All in bf16. Ma, Mb, Mc are the largest |x| of 64, 8 and 4 elements. `Ea` is the e6m2 code of `Ma/7`, value
    /// `(1 + m/4)·2^(e−48)`, nearest even, at most 0xFE. `rA = bf16(1/Ea)`; `Eb = (Mb·rA ≥ 4)`; `Ec = (Mc·rA·2^−Eb ≥ 2)`;
    /// `dst = e1m2(x·rA·2^−Eb·2^−Ec)`, nearest, ties to even, at most 1.75. A group of zeros has code 0.
    ///
    /// `exp` receives the cells described at `tmatmul.mx.hif4`: 4 bytes per row and group. `max` and `scaling` are scratch.
    /// Only a later device has this instruction; here it runs on the host.
    tquant_hif4 = "tquant.hif4": QUANT
        .regions(&[
            region("dst", From::Rows("src"), From::Cols("src")),
            region("exp", From::Rows("src"), From::ScaledCols("src", hif4_cells)),
            whole("max"),
            whole("scaling"),
        ])
        .only(Targets::CPU)
        .slots(&[
            nd(tile_in("src")).elem(&[Bf16]),
            nd(tile_out("dst")).elem(&[F4E1M2]),
            nd(tile_out("exp")).elem(&[U8]),
            nd(tile_out("max")).elem(&[Bf16]),
            nd(tile_out("scaling")).elem(&[Bf16]),
        ])
        .rules(&[
            (Targets::ALL, Rule::SameValidRows(&["src", "dst"])),
            (Targets::ALL, Rule::Named("whole groups of 64 columns", hif4_groups)),
        ])
        .cpp("TQUANT")
        .cpp_args(&["dst", "src", "exp", "max", "scaling"])
        .page("docs/isa/TQUANT_HIF4.md")
        .notes(&[
            "No assembly form exists; the mnemonic is ours. In C++ it is TQUANT<1, MxQuantAlg::Hif4>.",
            "The page describes Ea as a power of two; the public tests and code use the e6m2 form given here.",
        ])
        .example(
            "func.func @f(%s: !pto.tile_buf<vec, 16x64xbf16>, %d: !pto.tile_buf<vec, 16x64x!pto.f4E1M2x2>, %e: !pto.tile_buf<vec, 16x32xui8, valid=16x4>, %m: !pto.tile_buf<vec, 16x16xbf16, valid=16x1>) {\n  \
             pto.tquant.hif4 ins(%s : !pto.tile_buf<vec, 16x64xbf16>) outs(%d, %e, %m, %m : !pto.tile_buf<vec, 16x64x!pto.f4E1M2x2>, !pto.tile_buf<vec, 16x32xui8, valid=16x4>, !pto.tile_buf<vec, 16x16xbf16, valid=16x1>, !pto.tile_buf<vec, 16x16xbf16, valid=16x1>)\n  return\n}\n",
        )
        .cpp_missing("no device of the headers has it");

    /// Turns 8- or 16-bit integers back into f32 with one scale and offset per row.
    ///
    /// `dst[r,c] = (f32(src[r,c]) − offset[r]) · scale[r]`: a subtraction and a multiplication, each rounded to f32. `scale` and
    /// `offset` hold one value per valid row of `dst`, in their first column.
    tdequant: QUANT
        .hazards(hazards::TDEQUANT)
        .slots(&[
            tile_in("src").vec().order(Orders::ROW_MAJOR).elem(&[I8, I16]),
            tile_in("scale").vec().elem(&[F32]),
            tile_in("offset").vec().elem(&[F32]),
            tile_out("dst").vec().order(Orders::ROW_MAJOR).elem(&[F32]),
        ])
        .alias(Aliasing::Distinct(Targets::DEVICES))
        .rules(&[
            (Targets::ALL, Rule::SameValid(&["src", "dst"])),
            (Targets::ALL, Rule::SameValidRows(&["scale", "offset", "dst"])),
        ])
        .cpp("TDEQUANT")
        .cpp_alike(&[&["scale", "offset"]])
        .page("docs/isa/TDEQUANT.md")
        .notes(&["Devices spread a parameter over a 32-byte block, so fill the first block of each row with it."])
        .example(
            "func.func @f(%s: !pto.tile_buf<vec, 16x32xi8>, %q: !pto.tile_buf<vec, 16x8xf32>, %o: !pto.tile_buf<vec, 16x8xf32>, %d: !pto.tile_buf<vec, 16x32xf32>) {\n  \
             pto.tdequant ins(%s, %q, %o : !pto.tile_buf<vec, 16x32xi8>, !pto.tile_buf<vec, 16x8xf32>, !pto.tile_buf<vec, 16x8xf32>) outs(%d : !pto.tile_buf<vec, 16x32xf32>)\n  return\n}\n",
        )
        .cpp_forms(&[form("TDEQUANT<:dst, :src, :scale>($dst, $src, $scale, $offset)")]);
}
