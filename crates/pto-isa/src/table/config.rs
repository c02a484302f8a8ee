//! Configuration: registers of the core that later instructions read.

use crate::text;
use super::hazards;
use crate::DType::{Bf16, F16, F32, I8, I64, U8, U64};
use crate::codes;
use crate::enums;
use crate::row::{AtomicMode, AttrKind, AttrSpec, Combine, Effect, Fifo, SlotKind, Row, ScaleForm, SyncOp, form, opt_attr};
use crate::rules::{AttrValue, Broken, Instance, Rule, Verdict};
use crate::shape::{tile_in, value_in};
use crate::{DTypes, Loc, Pipe, PtrSpace, Targets, Type};

const SPACE: AttrKind = AttrKind::Enum(&enums::ADDRESS_SPACE);

/// Written by the scalar unit, in program order with its other work.
const CONFIG: Row = Row::EMPTY.effect(Effect::Config).pipe(Pipe::S);

/// A switch without operands.
const SWITCH: Row = CONFIG.pattern("{}");

/// A register of one 64-bit word.
const WORD: Row = CONFIG.slots(&[value_in("value", SlotKind::Int).elem(&[I64])]).pattern("$value {} : :value");

/// A register that takes two numbers.
const TWO_WORDS: Row = CONFIG
    .slots(&[value_in("first", SlotKind::Int).elem(&[I64]), value_in("second", SlotKind::Int).elem(&[I64])])
    .pattern("$first, $second {} : :first, :second");

/// A register that is filled from the fields of a convolution tile.
const CONV: Row = CONFIG
    .slots(&[value_in("src", SlotKind::Any)])
    .attrs(&[FMATRIX_MODE])
    .shape_rules(&[
        (Targets::ALL, Rule::Named("src is a convolution tile in L1 or a configuration value", conv_source)),
        (Targets::ALL, Rule::Named("mode is one of the four", fmatrix_mode)),
    ])
    .cpp_templates(&["mode"])
    .cpp_args(&["src"])
    .example(
        "func.func @f(%map: !pto.tile_buf<mat, 64x16xf16>) {\n  \
         pto.setfmatrix ins(%map : !pto.tile_buf<mat, 64x16xf16>) {fmapH = 8, fmapW = 8, padTop = 1, padBottom = 1}\n  \
         pto.set_img2col_rpt ins(%map : !pto.tile_buf<mat, 64x16xf16>)\n  \
         pto.set_img2col_padding ins(%map : !pto.tile_buf<mat, 64x16xf16>)\n  \
         return\n}\n",
    );

/// A push whose accumulators are scaled on their way, and the pop at the other end: how it starts, the mode, the scale as a parameter, and what sets it.
macro_rules! scaled_push {
    ($head:literal, $quant:literal, $scale:literal, $set:literal) => {
        concat!(
            $head,
            "func.func @cube(%slots: !pto.ptr<f32>, %acc: !pto.tile_buf<acc, 16x16xi32, blayout=col_major, slayout=row_major, fractal=1024>, ",
            $scale,
            ") attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {\n  \
             %none = arith.constant 0 : i32\n  \
             %ring = pto.import_reserved_buffer {name = \"ring\", peer_func = @vector} -> i32\n  \
             pto.aic_initialize_pipe {id = 0, dir_mask = 1, slot_size = 512, nosplit = true, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = ",
            $quant,
            ", relu = no_relu>}(gm_slot_buffer = %slots : !pto.ptr<f32>, c2v_consumer_buf = %ring : i32, v2c_consumer_buf = %none : i32)\n  ",
            $set,
            "\n  \
             pto.tpush_to_aiv(%acc : !pto.tile_buf<acc, 16x16xi32, blayout=col_major, slayout=row_major, fractal=1024>) {id = 0, split = 0}\n  \
             return\n}\n\
             func.func @vector(%slots: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {\n  \
             %none = arith.constant 0 : i32\n  \
             %ring = pto.reserve_buffer {name = \"ring\", size = 4096, location = #pto.address_space<vec>, auto = true} -> i32\n  \
             pto.aiv_initialize_pipe {id = 0, dir_mask = 1, slot_size = 512, nosplit = true, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = ",
            $quant,
            ", relu = no_relu>}(gm_slot_buffer = %slots : !pto.ptr<f32>, c2v_consumer_buf = %ring : i32, v2c_consumer_buf = %none : i32)\n  \
             %got = pto.tpop_from_aic {id = 0, split = 0} -> !pto.tile_buf<vec, 16x16xf16>\n  \
             pto.tfree_from_aic {id = 0, split = 0}\n  \
             return\n}\n"
        )
    };
}

const FMATRIX_MODE: AttrSpec =
    opt_attr("mode", AttrKind::Str, "FMATRIX_A_MANUAL", "register A or B, set by hand or automatically");
const FMATRIX_MODES: [&str; 4] = ["FMATRIX_A_AUTO", "FMATRIX_B_AUTO", "FMATRIX_A_MANUAL", "FMATRIX_B_MANUAL"];

const EXTENT: AttrKind = AttrKind::Int(1, u16::MAX as i64);
const MARGIN: AttrKind = AttrKind::Int(0, u8::MAX as i64);

/// What the convolution tile of the C++ function carries.
const FMATRIX_ATTRS: &[AttrSpec] = &[
    FMATRIX_MODE,
    opt_attr("fmapH", EXTENT, "", "rows of the feature map"),
    opt_attr("fmapW", EXTENT, "", "columns of the feature map"),
    opt_attr("padLeft", MARGIN, "0", "columns in front of the map"),
    opt_attr("padRight", MARGIN, "0", "columns after the map"),
    opt_attr("padTop", MARGIN, "0", "rows above the map"),
    opt_attr("padBottom", MARGIN, "0", "rows below the map"),
];
const PADDING_ATTRS: &[AttrSpec] =
    &[FMATRIX_MODE, opt_attr("padValue", AttrKind::Int(0, u32::MAX as i64), "0", "the bits of the pad value")];

const PIPE_ID: AttrSpec = opt_attr("id", AttrKind::Int(0, i32::MAX as i64), "0", "which pipe of the function");

/// Atomic stores: kind and element type are switched separately.
const ATOMIC: Row = SWITCH.example(
    "func.func @f() {\n  \
     pto.set_atomic_f32\n  \
     pto.set_atomic_add\n  \
     pto.set_atomic_none\n  \
     return\n}\n",
);

family! { Config, "pto", config;
    /// Describe the feature map of a convolution.
    ///
    /// Fills the register `timg2col` reads: width and height of the feature map and the padding on its four sides,
    /// taken from the convolution tile. There is one register for each matmul operand, A and B; in the automatic
    /// modes it is filled by `timg2col` itself and this does nothing.
    setfmatrix: CONV
        .alias_names(&["SETFMATRIX"])
        .attrs(FMATRIX_ATTRS)
        .cpp("SETFMATRIX")
        .page("docs/isa/SETFMATRIX.md")
        .notes(&[
            "One page takes a `!pto.fmatrix_config`, another a tile; the C++ function takes a ConvTile. No public assembler has it.",
            "Neither a configuration value nor a tile says how large the map is, so the attributes do.",
        ]);

    /// Set how `timg2col` repeats.
    ///
    /// Repeat stride, count and mode from the convolution tile, and on A5 also the stride and position of the
    /// destination. Must come before the `timg2col` it is meant for.
    set_img2col_rpt: CONV
        .cpp("SET_IMG2COL_RPT")
        .page("docs/isa/SET_IMG2COL_RPT.md");

    /// Set what `timg2col` writes outside the feature map.
    ///
    /// The pad value of the convolution tile; 8-bit values fill both bytes of the 16-bit register.
    set_img2col_padding: CONV
        .attrs(PADDING_ATTRS)
        .cpp("SET_IMG2COL_PADDING")
        .page("docs/isa/SET_IMG2COL_PADDING.md");

    /// Set one scale for the next pushes of accumulators.
    ///
    /// For pipes whose `acc_push_epilogue` quantises with a scalar. Must come before the `tpush_to_aiv` of the
    /// same pipe, in the same block.
    set_quant_scalar: CONFIG.fifo(Fifo::Scale(ScaleForm::Scalar))
        .hazards(hazards::SET_QUANT_SCALAR)
        .slots(&[value_in("scale", SlotKind::Scalar).elem(&[F32])])
        .attrs(&[PIPE_ID])
        .pattern("($scale : :scale) {}")
        .cpp("SET_QUANT_SCALAR")
        .cpp_args(&["scale"])
        .page("docs/isa/SET_QUANT_SCALAR.md")
        .notes(&["On A5 a negative scale also sets the offset and sign fields of the register."])
        .example(scaled_push!("", "deqf16_scalar", "%scale: f32", "pto.set_quant_scalar(%scale : f32) {id = 0}"));

    /// Set a scale per column for the next pushes of accumulators.
    ///
    /// For pipes whose `acc_push_epilogue` quantises with a vector. The table is a tile in the fix-pipe buffer and
    /// must stay there until the push is done; its address counts in units of 128 bytes.
    set_quant_vector: CONFIG.fifo(Fifo::Scale(ScaleForm::Vector))
        .slots(&[tile_in("scaling_tile").at(&[Loc::Scaling])])
        .attrs(&[PIPE_ID])
        .pattern("($scaling_tile : :scaling_tile) {}")
        .rules(&[
            (Targets::A2A3, Rule::ElemIn("scaling_tile", DTypes::of(&[I64, U64]))),
            (Targets::A5, Rule::ElemIn("scaling_tile", DTypes::of(&[F16, Bf16, F32]))),
        ])
        .cpp("SET_QUANT_VECTOR")
        .cpp_args(&["scaling_tile"])
        .page("docs/isa/SET_QUANT_VECTOR.md")
        .notes(&["The header documents 64-bit words on all devices; assembler 0.60 wants floating-point scales on A5, and is followed."])
        .example(scaled_push!(
            "// target a2a3\n",
            "deqf16_vec",
            "%table: !pto.tile_buf<scaling, 1x16xui64>",
            "pto.set_quant_vector(%table : !pto.tile_buf<scaling, 1x16xui64>) {id = 0}"
        ));

    /// Tell the core where the signal hardware keeps its counters.
    ///
    /// Needed once at the start of a kernel on A2/A3 before any signal between cores; the runtime passes the
    /// address to the kernel.
    set_ffts: CONFIG
        .effect(Effect::View)
        .slots(&[value_in("ffts", SlotKind::Ptr).elem(&[I64, U64, I8, U8])])
        .pattern("$ffts {} : :ffts")
        .cpp("set_ffts_base_addr")
        .example("func.func @f(%base: !pto.ptr<i64>) {\n  pto.set_ffts %base : !pto.ptr<i64>\n  return\n}\n")
        .cpp_forms(&[form("set_ffts_base_addr((uint64_t)$ffts)")]);

    /// Make later stores to global memory add to what is there.
    ///
    /// Stays in force until `set_atomic_none`; the element type is set by `set_atomic_f32` and its relatives.
    set_atomic_add: ATOMIC.atomic(AtomicMode::Combine(Combine::Add)).cpp("set_atomic_add");

    /// Make later stores to global memory keep the larger value.
    ///
    /// Stays in force until `set_atomic_none`.
    set_atomic_max: ATOMIC.atomic(AtomicMode::Combine(Combine::Max)).cpp("set_atomic_max");

    /// Make later stores to global memory keep the smaller value.
    ///
    /// Stays in force until `set_atomic_none`.
    set_atomic_min: ATOMIC.atomic(AtomicMode::Combine(Combine::Min)).cpp("set_atomic_min");

    /// Make later stores to global memory ordinary ones again.
    ///
    /// Ends `set_atomic_add`, `set_atomic_max` and `set_atomic_min`.
    set_atomic_none: ATOMIC.atomic(AtomicMode::Overwrite).cpp("set_atomic_none");

    /// Atomic stores work on `f32`.
    ///
    /// Chooses the element type; the kind of store is set by `set_atomic_add`, `set_atomic_max` or `set_atomic_min`.
    set_atomic_f32: ATOMIC.atomic(AtomicMode::Element).cpp("set_atomic_f32");

    /// Atomic stores work on `f16`.
    ///
    /// See `set_atomic_f32`.
    set_atomic_f16: ATOMIC.atomic(AtomicMode::Element).cpp("set_atomic_f16");

    /// Atomic stores work on `bf16`.
    ///
    /// See `set_atomic_f32`.
    set_atomic_bf16: ATOMIC.atomic(AtomicMode::Element).cpp("set_atomic_bf16");

    /// Atomic stores work on signed 32-bit integers.
    ///
    /// See `set_atomic_f32`.
    set_atomic_s32: ATOMIC.atomic(AtomicMode::Element).cpp("set_atomic_s32");

    /// Atomic stores work on signed 16-bit integers.
    ///
    /// See `set_atomic_f32`.
    set_atomic_s16: ATOMIC.atomic(AtomicMode::Element).cpp("set_atomic_s16");

    /// Atomic stores work on signed 8-bit integers.
    ///
    /// See `set_atomic_f32`.
    set_atomic_s8: ATOMIC.atomic(AtomicMode::Element).cpp("set_atomic_s8");

    /// Write the whole configuration word of atomic stores.
    ///
    /// Kind and element type in one word, as an earlier read of the register gave it.
    set_store_atomic_cfg: WORD.cpp("set_store_atomic_cfg");

    /// Write the fix-pipe parameter register.
    ///
    /// Address and options of the quantisation table in the fix-pipe buffer; what `set_quant_vector` writes.
    set_fpc: WORD.cpp("set_fpc");

    /// Write the scalar quantisation register.
    ///
    /// The low 32 bits are the scale as `f32`; bit 46 marks signed 8-bit output. What `set_quant_scalar` writes.
    set_quant_pre: WORD.cpp("set_quant_pre");

    /// Write the slope of the fix pipe's leaky ReLU.
    ///
    /// Read by stores and moves of accumulators with a scalar ReLU.
    set_relu_alpha: WORD.cpp("set_relu_alpha");

    /// Write the limit of the fix pipe's clipping ReLU.
    ///
    /// Read by stores and moves of accumulators that clip.
    set_fix_clip_relu: WORD.cpp("set_fix_clip_relu");

    /// Forget cached copies of global memory.
    ///
    /// With an address, the cache line that holds it; without, the whole scalar cache. Needed before
    /// `load_scalar` reads what another core or a tile store wrote.
    cmo_cacheinvalid = "cmo.cacheinvalid": CONFIG.sync(SyncOp::CleanCache)
        .slots(&[value_in("addr", SlotKind::Any).optional()])
        .attrs(&[opt_attr("space", SPACE, "gm", "which memory")])
        .pattern("($addr single_cache_line {} : :addr)?(all #space {})?")
        .rules(&[
            (Targets::ALL, Rule::OneOf(&["addr", "space"])),
            (Targets::ALL, Rule::Named("global memory only", cache_space)),
        ])
        .cpp("dcci")
        .example(
            "func.func @f(%p: !pto.ptr<i32>) {\n  \
             pto.cmo.cacheinvalid %p single_cache_line : !pto.ptr<i32>\n  \
             pto.cmo.cacheinvalid all #pto.address_space<gm>\n  \
             return\n}\n",
        )
        .cpp_forms(&[
            form("dcci((__gm__ void *)$addr, SINGLE_CACHE_LINE)"),
            form("dcci((__gm__ void *)0, cache_line_t::ENTIRE_DATA_CACHE)"),
        ])
        .cpp_silent(&["space"]);

    /// Strides of the inner loop of copies from global memory to the unified buffer.
    ///
    /// After each round the source moves by the first number of bytes and the destination by the second.
    set_loop1_stride_outtoub: TWO_WORDS
        .cpp("set_loop1_stride_outtoub")
        .page("docs/isa/scalar/ops/dma-copy/set-loop1-stride-outtoub.md");

    /// Strides of the outer loop of copies from global memory to the unified buffer.
    ///
    /// As `set_loop1_stride_outtoub`, for the loop around it.
    set_loop2_stride_outtoub: TWO_WORDS
        .cpp("set_loop2_stride_outtoub")
        .page("docs/isa/scalar/ops/dma-copy/set-loop2-stride-outtoub.md");

    /// Loop counts of copies from global memory to the unified buffer.
    ///
    /// Rounds of the inner loop and of the outer loop; 1 and 1 for a plain copy.
    set_loop_size_outtoub: TWO_WORDS
        .cpp("set_loop_size_outtoub")
        .page("docs/isa/scalar/ops/dma-copy/set-loop-size-outtoub.md");

    /// Strides of the inner loop of copies from the unified buffer to global memory.
    ///
    /// After each round the source moves by the first number of bytes and the destination by the second.
    set_loop1_stride_ubtoout: TWO_WORDS
        .cpp("set_loop1_stride_ubtoout")
        .page("docs/isa/scalar/ops/dma-copy/set-loop1-stride-ubtoout.md");

    /// Strides of the outer loop of copies from the unified buffer to global memory.
    ///
    /// As `set_loop1_stride_ubtoout`, for the loop around it.
    set_loop2_stride_ubtoout: TWO_WORDS
        .cpp("set_loop2_stride_ubtoout")
        .page("docs/isa/scalar/ops/dma-copy/set-loop2-stride-ubtoout.md");

    /// Loop counts of copies from the unified buffer to global memory.
    ///
    /// Rounds of the inner loop and of the outer loop; 1 and 1 for a plain copy.
    set_loop_size_ubtoout: TWO_WORDS
        .cpp("set_loop_size_ubtoout")
        .page("docs/isa/scalar/ops/dma-copy/set-loop-size-ubtoout.md");

    /// Strides of the inner loop of copies from global memory to L1, packed into one word.
    ///
    /// Source and destination stride of the loop in the fields of the register.
    set_loop1_stride_outtol1: WORD.cpp("set_loop1_stride_outtol1");

    /// Strides of the outer loop of copies from global memory to L1, packed into one word.
    ///
    /// As `set_loop1_stride_outtol1`, for the loop around it.
    set_loop2_stride_outtol1: WORD.cpp("set_loop2_stride_outtol1");

    /// Loop counts of copies from global memory to L1, packed into one word.
    ///
    /// Rounds of the inner and the outer loop in the fields of the register.
    set_loop_size_outtol1: WORD.cpp("set_loop_size_outtol1");

    /// Parameters of the third loop of copies out of the accumulator.
    ///
    /// Two words: the count of matrices and their strides on both sides.
    set_loop3_para: TWO_WORDS.cpp("set_loop3_para");

    /// Channel parameters of copies out of the accumulator.
    ///
    /// Two words with the loop and stride fields of the channel dimension.
    set_channel_para: TWO_WORDS.cpp("set_channel_para");

    /// Parameters of copies that turn rows into boxes on the way into L1.
    ///
    /// One word with matrix count and strides.
    set_mte2_nz_para: WORD.cpp("set_mte2_nz_para");

    /// What copies from global memory to L1 write where there is no source.
    ///
    /// The bit pattern of the element, in the low bits of the word.
    set_pad_val_outtol1: WORD.cpp("set_pad_val_outtol1");

    /// What padded copies into the unified buffer write where there is no source.
    ///
    /// An integer or floating-point value of the element's size; its bits are stored.
    set_mov_pad_val: CONFIG
        .slots(&[value_in("value", SlotKind::Scalar)])
        .pattern("$value {} : :value")
        .cpp("set_mov_pad_val")
        .example("func.func @f(%pad: i32) {\n  pto.set_mov_pad_val %pad : i32\n  return\n}\n");
}

fn conv_source(i: &Instance) -> Verdict {
    let Some(ty) = i.ty("src") else { return Verdict::Holds };
    let ok = match ty {
        Type::Tile(t) | Type::TileBuf(t) => t.loc == Loc::Mat,
        Type::Token(crate::Token::FmatrixConfig) | Type::Unknown | Type::Opaque(_) => true,
        _ => false,
    };
    Verdict::require(ok, || {
        let legal = text!("a tile in mat, or a !pto.fmatrix_config");
        Broken::new(codes::OPERAND_KIND, vec![i.at("src")], text!("`src` is a {ty}", ty), legal)
    })
}

fn fmatrix_mode(i: &Instance) -> Verdict {
    let Some(AttrValue::Str(mode)) = i.attr("mode") else { return Verdict::Holds };
    Verdict::require(FMATRIX_MODES.contains(&mode), || {
        Broken::new(codes::ATTRIBUTE_VALUE, vec![], format!("mode \"{mode}\""), FMATRIX_MODES.join(", "))
    })
}

fn cache_space(i: &Instance) -> Verdict {
    let gm_space = i.attr_name("space").is_none_or(|s| matches!(s, "gm" | "zero"));
    let gm_operand = match i.ty("addr") {
        None | Some(Type::Unknown | Type::TensorView(_) | Type::PartitionView(_)) => true,
        Some(Type::Ptr(_, space)) => !matches!(space, PtrSpace::On(_)),
        Some(_) => false,
    };
    Verdict::require(gm_space && gm_operand, || {
        let legal = text!("a pointer to or a view of global memory");
        Broken::new(codes::LOCATION, vec![i.at("addr")], text!("cache maintenance of another memory"), legal)
    })
}
