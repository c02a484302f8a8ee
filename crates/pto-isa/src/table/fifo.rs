//! Pipes between the cube core and the vector cores of a block: setting them up, pushing, popping, freeing.
//!
//! Two spellings exist. The frontend form (`tpush_to_aiv`, …) names the direction and finds the pipe by its id;
//! the handle form (`tpush`, …) takes the pipe as a value.

use crate::text;
use super::hazards;
use crate::codes;
use crate::enums;
use crate::row::{AttrKind, AttrSpec, CoreKind, CostClass, Direction, Effect, EntryAction, Fifo, FixedType, Infer, SlotKind, PipeCase, EndForm, Pipes, Row, Slot, attr, opt_attr};
use crate::rules::{AttrValue, Broken, Instance, Rule, Verdict};
use crate::shape::{index_in, result, value_in, view_out};
use crate::{Dim, Dir, Loc, Pipe, Targets};

const POSITIVE: AttrKind = AttrKind::Int(1, i32::MAX as i64);
const NOT_NEGATIVE: AttrKind = AttrKind::Int(0, i32::MAX as i64);
const SPACE: AttrKind = AttrKind::Enum(&enums::ADDRESS_SPACE);

const ID: AttrSpec = opt_attr("id", NOT_NEGATIVE, "0", "which pipe of the function");
const SPLIT: AttrSpec = attr(
    "split",
    AttrKind::Int(0, 4),
    "how the two vector cores share a tile: 0 not at all, 1 upper and lower half, 2 left and right half, 3 and 4 the same for odd extents",
);
const DIR_MASK: AttrSpec =
    attr("dir_mask", AttrKind::OneOf(&[1, 2, 3]), "1 cube to vector, 2 vector to cube, 3 both ways");
const SLOT_SIZE: AttrSpec = attr("slot_size", POSITIVE, "bytes of a slot: those of the tile before it is split, or in local memory the part for one vector core");
const NOSPLIT: AttrSpec = opt_attr("nosplit", AttrKind::Bool, "", "no user of the pipe splits tiles");
const EPILOGUE: AttrSpec =
    opt_attr("acc_push_epilogue", AttrKind::Any, "", "layout, quantisation and ReLU the fix pipe applies on the way");

/// Setting up one end of a pipe.
const INIT: Row = Row::EMPTY.effect(Effect::Config).cost(CostClass::Fifo).pipe(Pipe::S);

/// One end of a pipe in the frontend form.
const FRONTEND_INIT: Row = INIT
    .slots(&[
        value_in("gm_slot_buffer", SlotKind::Ptr).optional(),
        value_in("gm_slot_tensor", SlotKind::View).optional(),
        value_in("c2v_consumer_buf", SlotKind::Int).optional(),
        value_in("v2c_consumer_buf", SlotKind::Int).optional(),
    ])
    .attrs(&[
        ID,
        DIR_MASK,
        SLOT_SIZE,
        opt_attr("slot_num", POSITIVE, "", "slots of the ring; 8, or 4 each way when both directions are used")
            .computed(ring_slots),
        LOCAL_SLOT_NUM.on(Targets::A2A3_CPU),
        NOSPLIT,
        EPILOGUE,
    ])
    .pattern(
        "{}((gm_slot_buffer = $gm_slot_buffer : :gm_slot_buffer, )?(gm_slot_tensor = $gm_slot_tensor : :gm_slot_tensor, )?\
         (c2v_consumer_buf = $c2v_consumer_buf : :c2v_consumer_buf, )?(v2c_consumer_buf = $v2c_consumer_buf : :v2c_consumer_buf)?)",
    )
    .shape_rules(&[
        (Targets::ALL, Rule::NotBoth("gm_slot_buffer", "gm_slot_tensor")),
        (Targets::ALL, Rule::Named("each direction of dir_mask has its consumer buffer, unless gm_slot_tensor holds the slots", consumer_buffers)),
        (Targets::ALL, Rule::Named("local_slot_num is at most slot_num", local_slots)),
        (Targets::ALL, Rule::Named("acc_push_epilogue needs dir_mask = 1 and nosplit = true", epilogue)),
    ]);

const INTERNAL_RULES: &[(Targets, Rule)] = &[
    (Targets::ALL, Rule::Named("peer_local_addr is given exactly when dir_mask is 3", peer_address)),
    (Targets::ALL, Rule::Named("the flags from flag_base on fit into 16: two per direction", flags_fit)),
    (Targets::ALL, Rule::Named("local_slot_num is at most slot_num", local_slots)),
    (Targets::ALL, Rule::Named("acc_push_epilogue needs dir_mask = 1 and nosplit = true", epilogue)),
];
const FLAG_BASE: AttrSpec = opt_attr(
    "flag_base",
    AttrKind::Int(0, 15),
    "",
    "first of the pipe's signal ids; chosen by the compiler when left out",
);
// Where it is missing the default stands in, so that nothing else is reported.
const SLOT_NUM: AttrSpec = attr("slot_num", POSITIVE, "slots of the ring").computed(ring_slots);
const LOCAL_SLOT_NUM: AttrSpec =
    opt_attr("local_slot_num", POSITIVE, "", "slots of the consumer's local ring").computed(|other| other("slot_num"));
const PIPE_RESULT: Slot = result("pipe", SlotKind::Pipe).infer(Infer::Fixed(FixedType::Pipe));

/// Moves an entry through a pipe and signals the other side.
const TRANSFER: Row = Row::EMPTY.effect(Effect::Sync).cost(CostClass::Fifo);

const ENTRY_IN: Slot = value_in("tile", SlotKind::TileOrView);
const HANDLE: Slot = value_in("pipe_handle", SlotKind::Pipe);
const SUBBLOCK: Slot = value_in("aiv_subblockid", SlotKind::Int).optional();
const FREED: Slot = value_in("entry", SlotKind::TileOrView).optional();

/// The cube core pushes its accumulator through the fix pipe, a vector core its tile through MTE3.
const PUSH_PIPES: Pipes = Pipes::Cases(&[
    PipeCase { targets: Targets::ALL, src: Some(Loc::Acc), dst: None, pipe: Pipe::Fix },
    PipeCase { targets: Targets::ALL, src: None, dst: None, pipe: Pipe::Mte3 },
]);

/// A5 binds the tile to the slot; A2/A3 copies the slot into the tile.
const POP_PIPES: Pipes = Pipes::Cases(&[
    PipeCase { targets: Targets::A5, src: None, dst: None, pipe: Pipe::S },
    PipeCase { targets: Targets::ALL, src: None, dst: None, pipe: Pipe::Mte2 },
]);

const SUBBLOCK_RULE: (Targets, Rule) =
    (Targets::ALL, Rule::Named("aiv_subblockid is for split vector tiles only", subblock));
const PARITY_RULE: (Targets, Rule) = (
    Targets::ALL,
    Rule::Named("the split extent of the pushed tile is even for split 1 and 2, odd for 3 and 4", parity),
);
const ODD_ENTRY_RULE: (Targets, Rule) =
    (Targets::ALL, Rule::Named("split 3 and 4 are for tiles, not for global entries", odd_entry));

/// Pop in the frontend form: the popped entry is the result.
const FRONTEND_POP: Row =
    TRANSFER.results(&[result("tile", SlotKind::TileOrView)]).attrs(&[ID, SPLIT]).pipes(POP_PIPES).cpp("TPOP").shape_rules(
        &[
            (Targets::ALL, Rule::Together("valid_row", "valid_col")),
            (
                Targets::ALL,
                Rule::Named("valid_row and valid_col are for a tile whose type leaves both extents open", pop_valid),
            ),
            ODD_ENTRY_RULE,
            SUBBLOCK_RULE,
        ],
    );

const FRONTEND_FREE: Row = TRANSFER
    .slots(&[FREED])
    .attrs(&[ID, SPLIT])
    .pattern("(($entry : :entry) )?{}")
    .pipe(Pipe::S)
    .cpp("TFREE")
    .page("docs/isa/TFREE.md")
    .shape_rules(&[ODD_ENTRY_RULE]);

const FRONTEND_ALLOC: Row = TRANSFER
    .results(&[result("entry", SlotKind::View)])
    .attrs(&[ID, SPLIT])
    .pattern("{} -> :entry")
    .pipe(Pipe::S)
    .cpp("TALLOC")
    .page("docs/isa/TALLOC.md")
    .shape_rules(&[ODD_ENTRY_RULE])
    .example(GLOBAL_EXAMPLE);

const C2V_EXAMPLE: &str = "module {\n  \
     func.func @cube(%gm: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {\n    \
     %buf = pto.import_reserved_buffer {name = \"c2v\", peer_func = @vector} -> i32\n    \
     %none = arith.constant 0 : i32\n    \
     pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024} (gm_slot_buffer = %gm : !pto.ptr<f32>, c2v_consumer_buf = %buf : i32, v2c_consumer_buf = %none : i32)\n    \
     %acc = pto.alloc_tile : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>\n    \
     pto.tpush_to_aiv(%acc : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) {split = 0}\n    \
     return\n  }\n  \
     func.func @vector(%gm: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {\n    \
     %buf = pto.reserve_buffer {name = \"c2v\", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32\n    \
     %none = arith.constant 0 : i32\n    \
     pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 1024} (gm_slot_buffer = %gm : !pto.ptr<f32>, c2v_consumer_buf = %buf : i32, v2c_consumer_buf = %none : i32)\n    \
     %tile = pto.tpop_from_aic {split = 0} -> !pto.tile_buf<vec, 16x16xf32>\n    \
     pto.tneg ins(%tile : !pto.tile_buf<vec, 16x16xf32>) outs(%tile : !pto.tile_buf<vec, 16x16xf32>)\n    \
     pto.tfree_from_aic {split = 0}\n    \
     return\n  }\n}\n";

const V2C_EXAMPLE: &str = "module {\n  \
     func.func @cube(%gm: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {\n    \
     %buf = pto.reserve_buffer {name = \"v2c\", size = 8192, location = #pto.address_space<mat>, auto = true} -> i32\n    \
     %none = arith.constant 0 : i32\n    \
     pto.aic_initialize_pipe {dir_mask = 2, slot_size = 1024} (gm_slot_buffer = %gm : !pto.ptr<f32>, c2v_consumer_buf = %none : i32, v2c_consumer_buf = %buf : i32)\n    \
     %mat = pto.tpop_from_aiv {split = 0} -> !pto.tile_buf<mat, 16x16xf32, blayout=col_major, slayout=row_major>\n    \
     pto.tfree_from_aiv {split = 0}\n    \
     return\n  }\n  \
     func.func @vector(%gm: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {\n    \
     %buf = pto.import_reserved_buffer {name = \"v2c\", peer_func = @cube} -> i32\n    \
     %none = arith.constant 0 : i32\n    \
     pto.aiv_initialize_pipe {dir_mask = 2, slot_size = 1024} (gm_slot_buffer = %gm : !pto.ptr<f32>, c2v_consumer_buf = %none : i32, v2c_consumer_buf = %buf : i32)\n    \
     %tile = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32, blayout=col_major, slayout=row_major>\n    \
     pto.tpush_to_aic(%tile : !pto.tile_buf<vec, 16x16xf32, blayout=col_major, slayout=row_major>) {split = 0}\n    \
     return\n  }\n}\n";

const HANDLE_EXAMPLE: &str = "module {\n  \
     func.func @cube(%gm: !pto.ptr<f32>, %local: i32) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {\n    \
     %pipe = pto.initialize_l2g2l_pipe {dir_mask = 1, slot_size = 1024, slot_num = 8, local_slot_num = 8, flag_base = 0} (%gm : !pto.ptr<f32>, %local : i32) -> !pto.pipe\n    \
     %acc = pto.alloc_tile : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>\n    \
     pto.tpush(%acc, %pipe : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>, !pto.pipe) {split = 0}\n    \
     return\n  }\n  \
     func.func @vector(%gm: !pto.ptr<f32>, %local: i32) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {\n    \
     %pipe = pto.initialize_l2g2l_pipe {dir_mask = 1, slot_size = 1024, slot_num = 8, local_slot_num = 8, flag_base = 0} (%gm : !pto.ptr<f32>, %local : i32) -> !pto.pipe\n    \
     %tile = pto.declare_tile -> !pto.tile_buf<vec, 16x16xf32>\n    \
     pto.tpop(%tile, %pipe : !pto.tile_buf<vec, 16x16xf32>, !pto.pipe) {split = 0}\n    \
     pto.tfree(%pipe : !pto.pipe) {split = 0}\n    \
     return\n  }\n}\n";

const LOCAL_EXAMPLE: &str = "// target a5\nmodule {\n  \
     func.func @cube(%local: i32) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {\n    \
     %pipe = pto.initialize_l2l_pipe {dir_mask = 1, slot_size = 1024, slot_num = 8, flag_base = 0} (%local : i32) -> !pto.pipe\n    \
     %acc = pto.alloc_tile : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>\n    \
     pto.tpush(%acc, %pipe : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>, !pto.pipe) {split = 0}\n    \
     return\n  }\n}\n";

const GLOBAL_EXAMPLE: &str = "module {\n  \
     func.func @cube(%gm: !pto.ptr<f32>, %rows: index, %cols: index, %one: index) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {\n    \
     %slots = pto.make_tensor_view %gm, shape = [%rows, %cols], strides = [%cols, %one] : !pto.tensor_view<16x16xf32>\n    \
     pto.aic_initialize_pipe {id = 0, dir_mask = 3, slot_size = 1024} (gm_slot_tensor = %slots : !pto.tensor_view<16x16xf32>)\n    \
     %out = pto.talloc_to_aiv {id = 0, split = 0} -> !pto.tensor_view<16x16xf32>\n    \
     pto.tpush_to_aiv(%out : !pto.tensor_view<16x16xf32>) {id = 0, split = 0}\n    \
     return\n  }\n  \
     func.func @vector(%gm: !pto.ptr<f32>, %rows: index, %cols: index, %one: index) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {\n    \
     %slots = pto.make_tensor_view %gm, shape = [%rows, %cols], strides = [%cols, %one] : !pto.tensor_view<16x16xf32>\n    \
     pto.aiv_initialize_pipe {id = 0, dir_mask = 3, slot_size = 1024} (gm_slot_tensor = %slots : !pto.tensor_view<16x16xf32>)\n    \
     %back = pto.talloc_to_aic {id = 0, split = 0} -> !pto.tensor_view<16x16xf32>\n    \
     pto.tpush_to_aic(%back : !pto.tensor_view<16x16xf32>) {id = 0, split = 0}\n    \
     return\n  }\n}\n";

const GLOBAL_HANDLE_EXAMPLE: &str = "func.func @cube(%gm: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {\n  \
     %pipe = pto.initialize_l2g2l_pipe {dir_mask = 1, slot_size = 1024, slot_num = 8, flag_base = 0} (%gm : !pto.ptr<f32>) -> !pto.pipe\n  \
     %slot = pto.declare_global -> !pto.tensor_view<16x16xf32>\n  \
     pto.talloc(%slot, %pipe : !pto.tensor_view<16x16xf32>, !pto.pipe) {split = 0}\n  \
     pto.tpush(%slot, %pipe : !pto.tensor_view<16x16xf32>, !pto.pipe) {split = 0}\n  \
     return\n}\n";

family! { Fifo, "pto", fifo;
    /// Open the cube core's end of a pipe to the vector cores of its block.
    ///
    /// A pipe is a ring of slots. The producer waits for a free slot, fills it and signals; the consumer waits for
    /// a full slot, uses it and frees it. `dir_mask` says which way data flows, `slot_size` how large a slot is.
    /// The consumer's end lies in its local memory, at an address from `reserve_buffer` (own) or
    /// `import_reserved_buffer` (peer); on A2/A3 data also passes through `gm_slot_buffer`. With
    /// `gm_slot_tensor` the entries themselves are windows of global memory.
    ///
    /// Both ends must give the same direction, slot size and slot count, and each id once per function.
    aic_initialize_pipe: FRONTEND_INIT.fifo(Fifo::Open(EndForm::Named(CoreKind::Cube)))
        .hazards(hazards::RING)
        .core(CoreKind::Cube)
        .cpp("TPipe")
        .page("docs/isa/TPUSH.md")
        .notes(&[
            "Assembler 0.27 needs both consumer buffers, and allows one pipe per function.",
        ])
        .example(C2V_EXAMPLE);

    /// Open a vector core's end of a pipe to the cube core of its block.
    ///
    /// The counterpart of `aic_initialize_pipe`, with the same meaning of all parts.
    aiv_initialize_pipe: FRONTEND_INIT.fifo(Fifo::Open(EndForm::Named(CoreKind::Vector)))
        .hazards(hazards::RING)
        .core(CoreKind::Vector)
        .cpp("TPipe")
        .page("docs/isa/TPUSH.md")
        .example(C2V_EXAMPLE);

    /// Open one end of a pipe whose slots lie in global memory.
    ///
    /// `gm_addr` is where the slots are; `local_addr` is the consumer's local ring and is left out when entries
    /// stay in global memory. `peer_local_addr` is the ring of the second direction. The pipe uses two signal ids
    /// per direction from `flag_base` on.
    initialize_l2g2l_pipe: INIT.fifo(Fifo::Open(EndForm::Global))
        .hazards(hazards::RING)
        .slots(&[
            value_in("gm_addr", SlotKind::Any),
            value_in("local_addr", SlotKind::Any).optional(),
            value_in("peer_local_addr", SlotKind::Any).optional(),
        ])
        .results(&[PIPE_RESULT])
        .attrs(&[
            DIR_MASK,
            SLOT_SIZE,
            SLOT_NUM,
            LOCAL_SLOT_NUM,
            FLAG_BASE,
            NOSPLIT,
            EPILOGUE,
        ])
        .pattern("{}($gm_addr : :gm_addr(, $local_addr : :local_addr)?(, $peer_local_addr : :peer_local_addr)?) -> :pipe")
        .rules(INTERNAL_RULES)
        .cpp("TPipe")
        .page("docs/isa/TPUSH.md")
        .example(HANDLE_EXAMPLE);

    /// Open one end of a pipe whose slots lie in the consumer's local memory.
    ///
    /// The direct path of A5: no detour through global memory. `local_addr` is the ring of the first direction,
    /// `peer_local_addr` that of the second. The pipe uses two signal ids per direction from `flag_base` on.
    initialize_l2l_pipe: INIT.fifo(Fifo::Open(EndForm::Local))
        .hazards(hazards::RING)
        .slots(&[value_in("local_addr", SlotKind::Any), value_in("peer_local_addr", SlotKind::Any).optional()])
        .results(&[PIPE_RESULT])
        .attrs(&[DIR_MASK, SLOT_SIZE, SLOT_NUM, FLAG_BASE, NOSPLIT, EPILOGUE])
        .pattern("{}($local_addr : :local_addr(, $peer_local_addr : :peer_local_addr)?) -> :pipe")
        .rules(INTERNAL_RULES)
        .cpp("TPipe")
        .page("docs/isa/TPUSH.md")
        .example(LOCAL_EXAMPLE);

    /// Put an entry into a pipe.
    ///
    /// Waits for a free slot, moves the tile into it, advances and signals the consumer. The cube core pushes an
    /// accumulator, a vector core a tile of vector memory. With `split` 1 or 2 the logical tile is shared between
    /// the two vector cores by rows or by columns. For an entry from `talloc` no data moves: it only signals.
    tpush: TRANSFER.fifo(Fifo::Entry(EntryAction::Push, None))
        .slots(&[ENTRY_IN, HANDLE, SUBBLOCK])
        .attrs(&[SPLIT])
        .pattern("($tile, $pipe_handle : :tile, :pipe_handle) {}( aiv_subblockid($aiv_subblockid))?")
        .pipes(PUSH_PIPES)
        .rules(&[
            (Targets::ALL, Rule::Named("tile is an accumulator or in vector memory", pushed_tile)),
            PARITY_RULE,
            ODD_ENTRY_RULE,
            SUBBLOCK_RULE,
        ])
        .cpp("TPUSH")
        .cpp_args(&["pipe_handle", "tile"])
        .cpp_templates(&["split"])
        .page("docs/isa/TPUSH.md")
        .notes(&[
            "Between neighbours of a core mesh the C++ headers have another form with a direction and a distance; no assembly spelling exists.",
            "On A5, cube to vector: elements of 32 bits, and a column split needs columns that are a multiple of 32.",
        ])
        .example(HANDLE_EXAMPLE);

    /// Take an entry out of a pipe.
    ///
    /// Waits for a full slot. On A2/A3 the slot is copied into the consumer's ring and freed at once, and the tile
    /// is overwritten after as many further pops as the ring has slots; on A5 the tile is bound to the slot until
    /// `tfree`. Portable programs free each entry exactly once and do not use it afterwards.
    tpop: TRANSFER.fifo(Fifo::Entry(EntryAction::Pop, None))
        .slots(&[Slot::new("tile", Dir::Out, SlotKind::TileOrView), HANDLE, SUBBLOCK])
        .attrs(&[SPLIT])
        .pattern("($tile, $pipe_handle : :tile, :pipe_handle) {}( aiv_subblockid($aiv_subblockid))?")
        .pipes(POP_PIPES)
        .rules(&[
            (Targets::ALL, Rule::Named("tile is in vector memory or in L1", popped_tile)),
            ODD_ENTRY_RULE,
            SUBBLOCK_RULE,
        ])
        .cpp("TPOP")
        .cpp_args(&["pipe_handle", "tile"])
        .cpp_templates(&["split"])
        .page("docs/isa/TPOP.md")
        .example(HANDLE_EXAMPLE);

    /// Give a popped slot back to the producer.
    ///
    /// Releases the entry popped last. On A2/A3 a popped tile has already been released and this does nothing, but
    /// an entry in global memory has not.
    tfree: TRANSFER.fifo(Fifo::Entry(EntryAction::Free, None))
        .slots(&[FREED, HANDLE])
        .attrs(&[SPLIT])
        .pattern("(($entry, )?$pipe_handle : (:entry, )?:pipe_handle) {}")
        .pipe(Pipe::S)
        .rules(&[ODD_ENTRY_RULE])
        .cpp("TFREE")
        .cpp_args(&["pipe_handle", "entry"])
        .cpp_templates(&["split"])
        .page("docs/isa/TFREE.md")
        .example(HANDLE_EXAMPLE);

    /// Reserve the next slot of a pipe in global memory.
    ///
    /// Waits for a free slot, makes `entry` a view of it and advances. No data moves and no core is signalled: write the
    /// slot with stores, then `tpush` the entry.
    talloc: TRANSFER.fifo(Fifo::Entry(EntryAction::Alloc, None))
        .slots(&[view_out("entry"), HANDLE])
        .attrs(&[SPLIT])
        .pattern("($entry, $pipe_handle : :entry, :pipe_handle) {}")
        .pipe(Pipe::S)
        .rules(&[ODD_ENTRY_RULE])
        .cpp("TALLOC")
        .cpp_args(&["pipe_handle", "entry"])
        .cpp_templates(&["split"])
        .page("docs/isa/TALLOC.md")
        .notes(&["The public assembler schedules it on PIPE_MTE3, with the stores that follow."])
        .example(GLOBAL_HANDLE_EXAMPLE);

    /// Send a tile from the cube core to the vector cores.
    ///
    /// The frontend form of `tpush`, cube side: the tile is an accumulator, or an entry from `talloc_to_aiv`. When
    /// the pipe has an `acc_push_epilogue` with a scale, `set_quant_scalar` or `set_quant_vector` comes first.
    tpush_to_aiv: TRANSFER.fifo(Fifo::Entry(EntryAction::Push, Some(Direction::ToVector)))
        .core(CoreKind::Cube)
        .slots(&[ENTRY_IN])
        .attrs(&[ID, SPLIT])
        .pattern("($tile : :tile) {}")
        .pipe(Pipe::Fix)
        .rules(&[PARITY_RULE, ODD_ENTRY_RULE])
        .cpp("TPUSH")
        .page("docs/isa/TPUSH.md")
        .example(C2V_EXAMPLE);

    /// Send a tile from a vector core to the cube core.
    ///
    /// The frontend form of `tpush`, vector side. The cube core pops it as a tile in L1, so the tile usually has
    /// the boxed layout the cube needs.
    tpush_to_aic: TRANSFER.fifo(Fifo::Entry(EntryAction::Push, Some(Direction::ToCube)))
        .core(CoreKind::Vector)
        .slots(&[ENTRY_IN, SUBBLOCK])
        .attrs(&[ID, SPLIT])
        .pattern("($tile : :tile) {}( aiv_subblockid($aiv_subblockid))?")
        .pipe(Pipe::Mte3)
        .rules(&[(Targets::ALL, Rule::Named("split is 0, 1 or 2", even_split)), SUBBLOCK_RULE])
        .cpp("TPUSH")
        .page("docs/isa/TPUSH.md")
        .example(V2C_EXAMPLE);

    /// Receive a tile of the cube core on a vector core.
    ///
    /// The frontend form of `tpop`, vector side; the result is the tile. `valid_row` and `valid_col` set its valid
    /// region when the type leaves both open; without them it is the whole tile.
    tpop_from_aic: FRONTEND_POP.fifo(Fifo::Entry(EntryAction::Pop, Some(Direction::ToVector)))
        .core(CoreKind::Vector)
        .slots(&[index_in("valid_row").optional(), index_in("valid_col").optional(), SUBBLOCK])
        .pattern("(($valid_row, $valid_col) )?{}( aiv_subblockid($aiv_subblockid))? -> :tile")
        .rules(&[(Targets::ALL, Rule::Named("split 3 and 4 need valid_row and valid_col", odd_pop))])
        .page("docs/isa/TPOP.md")
        .example(C2V_EXAMPLE);

    /// Receive a tile of a vector core on the cube core.
    ///
    /// The frontend form of `tpop`, cube side; the result is a tile in L1.
    tpop_from_aiv: FRONTEND_POP.fifo(Fifo::Entry(EntryAction::Pop, Some(Direction::ToCube)))
        .core(CoreKind::Cube)
        .slots(&[index_in("valid_row").optional(), index_in("valid_col").optional()])
        .pattern("(($valid_row, $valid_col) )?{} -> :tile")
        .rules(&[(Targets::ALL, Rule::Named("split is 0, 1 or 2", even_split))])
        .page("docs/isa/TPOP.md")
        .example(V2C_EXAMPLE);

    /// Give a slot popped with `tpop_from_aic` back to the cube core.
    ///
    /// The frontend form of `tfree`, vector side. Once per pop.
    tfree_from_aic: FRONTEND_FREE.fifo(Fifo::Entry(EntryAction::Free, Some(Direction::ToVector)))
        .core(CoreKind::Vector)
        .example(C2V_EXAMPLE);

    /// Give a slot popped with `tpop_from_aiv` back to the vector cores.
    ///
    /// The frontend form of `tfree`, cube side. Once per pop.
    tfree_from_aiv: FRONTEND_FREE.fifo(Fifo::Entry(EntryAction::Free, Some(Direction::ToCube)))
        .core(CoreKind::Cube)
        .rules(&[(Targets::ALL, Rule::Named("split is 0, 1 or 2", even_split))])
        .example(V2C_EXAMPLE);

    /// Reserve the next slot towards the vector cores.
    ///
    /// The frontend form of `talloc`, cube side; the result is a view of the slot in global memory.
    talloc_to_aiv: FRONTEND_ALLOC.fifo(Fifo::Entry(EntryAction::Alloc, Some(Direction::ToVector))).core(CoreKind::Cube);

    /// Reserve the next slot towards the cube core.
    ///
    /// The frontend form of `talloc`, vector side; the result is a view of the slot in global memory.
    talloc_to_aic: FRONTEND_ALLOC.fifo(Fifo::Entry(EntryAction::Alloc, Some(Direction::ToCube)))
        .core(CoreKind::Vector)
        .rules(&[(Targets::ALL, Rule::Named("split is 0, 1 or 2", even_split))]);

    /// Reserve local memory for the slots of a pipe.
    ///
    /// The consumer reserves, under a name; the producer imports the address with `import_reserved_buffer`. With
    /// `auto = true` the planner chooses the place, otherwise `base` is the address. Reserve slot size times slot
    /// count bytes. A name may be used once per function.
    reserve_buffer: Row::EMPTY.fifo(Fifo::Reserve)
        .effect(Effect::View)
        .results(&[result("addr", SlotKind::Int).infer(Infer::Fixed(FixedType::I32))])
        .attrs(&[
            attr("name", AttrKind::Str, "the name both sides use"),
            attr("size", POSITIVE, "bytes"),
            attr("location", SPACE, "vec or mat"),
            attr("auto", AttrKind::Bool, "the planner chooses the address").alias(&["autoAlloc"]),
            opt_attr("base", NOT_NEGATIVE, "", "the address, when auto is false"),
        ])
        .pattern("{} -> :addr")
        .rules(&[
            (Targets::ALL, Rule::Named("location is vec or mat", reserve_location)),
            (Targets::ALL, Rule::Named("base is given when auto is false", reserve_base)),
        ])
        .page("docs/isa/TPUSH.md")
        .notes(&["Assembler 0.27 allows one reserved and one imported buffer per function."])
        .example(C2V_EXAMPLE);

    /// The address of a buffer another function reserves.
    ///
    /// Names a `reserve_buffer` of `peer_func`; the value is its address on the other core. Each pair of name and
    /// function once per function.
    import_reserved_buffer: Row::EMPTY.fifo(Fifo::Import)
        .effect(Effect::View)
        .results(&[result("addr", SlotKind::Int).infer(Infer::Fixed(FixedType::I32))])
        .attrs(&[
            attr("name", AttrKind::Str, "the name both sides use"),
            attr("peer_func", AttrKind::Symbol, "the function that reserves it"),
        ])
        .pattern("{} -> :addr")
        .page("docs/isa/TPUSH.md")
        .example(C2V_EXAMPLE);

    /// A tile without memory of its own, to be bound by `tpop`.
    ///
    /// Gives a popped entry its type. Using the tile before a pop has bound it is an error.
    declare_tile: Row::EMPTY.fifo(Fifo::Declare)
        .effect(Effect::View)
        .results(&[result("tile", SlotKind::Tile)])
        .pattern("{} -> :tile")
        .example(HANDLE_EXAMPLE);

    /// A view without memory of its own, to be bound by `talloc` or `tpop`.
    ///
    /// Gives a slot in global memory its shape and element type.
    declare_global: Row::EMPTY.fifo(Fifo::Declare)
        .effect(Effect::View)
        .results(&[result("entry", SlotKind::View)])
        .pattern("{} -> :entry")
        .example(GLOBAL_HANDLE_EXAMPLE);
}

/// Two directions share the eight slots of a pipe.
fn ring_slots(other: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    Some(if other("dir_mask")? == 3 { 4 } else { 8 })
}

/// An attribute that is given.
fn int(i: &Instance, name: &str) -> Option<i64> {
    match i.attr(name) {
        Some(AttrValue::Int(n)) => Some(n),
        _ => None,
    }
}

fn setup(found: impl Into<String>, legal: impl Into<String>) -> Broken {
    Broken::new(codes::FIFO_SETUP, vec![], found, legal)
}

/// Signal ids of a core that pipes may use.
const PIPE_FLAGS: i64 = 16;

fn consumer_buffers(i: &Instance) -> Verdict {
    let Some(mask) = int(i, "dir_mask") else { return Verdict::Holds };
    let (c2v, v2c) = (i.given("c2v_consumer_buf"), i.given("v2c_consumer_buf"));
    if i.given("gm_slot_tensor") {
        return Verdict::require(!v2c && (mask == 1 || !c2v), || {
            setup(text!("gm_slot_tensor with consumer buffers"), text!("none, or c2v_consumer_buf alone with dir_mask = 1"))
        });
    }
    for (bit, given, name) in [(1, c2v, "c2v_consumer_buf"), (2, v2c, "v2c_consumer_buf")] {
        if mask & bit != 0 && !given {
            return Verdict::Broken(setup(text!("dir_mask = {mask} without `{name}`", mask, name), text!("`{name}` given", name)));
        }
    }
    Verdict::Holds
}

fn local_slots(i: &Instance) -> Verdict {
    let (Some(local), Some(slots)) = (int(i, "local_slot_num"), i.int("slot_num")) else { return Verdict::Holds };
    Verdict::require(local <= slots, || {
        setup(format!("local_slot_num = {local}"), text!("at most {slots}, the slot count", slots))
    })
}

fn epilogue(i: &Instance) -> Verdict {
    if !i.given("acc_push_epilogue") {
        return Verdict::Holds;
    }
    let nosplit = i.attr("nosplit") == Some(AttrValue::Bool(true));
    Verdict::require(int(i, "dir_mask") == Some(1) && nosplit, || {
        setup(text!("acc_push_epilogue on a pipe that is split or not cube to vector"), text!("dir_mask = 1 and nosplit = true"))
    })
}

fn peer_address(i: &Instance) -> Verdict {
    let Some(mask) = int(i, "dir_mask") else { return Verdict::Holds };
    let two_rings = mask == 3 && i.given("local_addr");
    Verdict::require(two_rings == i.given("peer_local_addr"), || {
        let found =
            if two_rings { "dir_mask = 3 without `peer_local_addr`" } else { text!("`peer_local_addr` on a one-way pipe") };
        setup(found, text!("both rings for dir_mask = 3, one ring otherwise"))
    })
}

fn flags_fit(i: &Instance) -> Verdict {
    let (Some(mask), Some(base)) = (int(i, "dir_mask"), int(i, "flag_base")) else { return Verdict::Holds };
    let flags = if mask == 3 { 4 } else { 2 };
    Verdict::require(base + flags <= PIPE_FLAGS, || {
        setup(text!("flag_base = {base} with {flags} flags", base, flags), text!("at most {flags}", flags = PIPE_FLAGS - flags))
    })
}

/// The tile that goes through the pipe, as operand or as result.
fn located(i: &Instance, legal: &[Loc]) -> Verdict {
    let Some(tile) = i.tile("tile") else { return Verdict::Holds };
    Verdict::require(legal.contains(&tile.loc), || {
        let list: Vec<_> = legal.iter().map(|l| l.name()).collect();
        Broken::new(codes::LOCATION, vec![i.at("tile")], text!("`tile` is in `{loc}`", loc = tile.loc), list.join(", "))
    })
}

fn pushed_tile(i: &Instance) -> Verdict {
    located(i, &[Loc::Acc, Loc::Vec])
}

fn popped_tile(i: &Instance) -> Verdict {
    located(i, &[Loc::Vec, Loc::Mat])
}

/// Only a tile of the cube core is cut on its way; a vector core pushes its own half.
fn parity(i: &Instance) -> Verdict {
    let (Some(split), Some(tile)) = (int(i, "split"), i.tile("tile")) else { return Verdict::Holds };
    if split == 0 || tile.loc != Loc::Acc {
        return Verdict::Holds;
    }
    let (what, extent) =
        if split % 2 == 1 { (text!("valid rows"), tile.valid_rows) } else { (text!("valid columns"), tile.valid_cols) };
    let Some(n) = extent.fixed() else { return Verdict::Dynamic };
    let odd = split > 2;
    Verdict::require((n % 2 == 1) == odd, || {
        let legal = if odd { text!("an odd number for split = {split}", split) } else { text!("an even number for split = {split}", split) };
        Broken::new(codes::VALID_REGION, vec![i.at("tile")], text!("`tile` has {n} {what}", n, what), legal)
    })
}

fn even_split(i: &Instance) -> Verdict {
    let Some(split) = int(i, "split") else { return Verdict::Holds };
    Verdict::require(split <= 2, || setup(text!("split = {split} towards the cube core", split), "0, 1 or 2"))
}

fn odd_entry(i: &Instance) -> Verdict {
    let global = ["tile", "entry"].iter().any(|s| i.ty(s).is_some_and(|t| t.view().is_some()));
    Verdict::require(!(global && int(i, "split").is_some_and(|s| s > 2)), || {
        setup(text!("an odd split of an entry in global memory"), text!("split 0, 1 or 2"))
    })
}

fn odd_pop(i: &Instance) -> Verdict {
    let odd = int(i, "split").is_some_and(|s| s > 2);
    Verdict::require(!odd || i.given("valid_row"), || {
        let found = text!("an odd split without valid_row and valid_col");
        Broken::new(codes::VALID_OPERANDS, vec![i.at("valid_row")], found, text!("the extents of this core's part"))
    })
}

fn pop_valid(i: &Instance) -> Verdict {
    let Some(ty) = i.ty("tile").filter(|_| i.given("valid_row")) else { return Verdict::Holds };
    let open = ty.tile().is_none_or(|t| t.valid_rows == Dim::Dynamic && t.valid_cols == Dim::Dynamic);
    Verdict::require(open && ty.view().is_none(), || {
        let found = text!("valid_row and valid_col for a {ty}", ty);
        Broken::new(codes::VALID_OPERANDS, vec![i.at("valid_row")], found, text!("a tile whose type says `valid=?x?`"))
    })
}

fn subblock(i: &Instance) -> Verdict {
    if i.row.slot("aiv_subblockid").is_none() || !i.given("aiv_subblockid") {
        return Verdict::Holds;
    }
    let vec = i.tile("tile").is_none_or(|t| t.loc == Loc::Vec) && i.ty("tile").is_none_or(|t| t.view().is_none());
    Verdict::require(vec && int(i, "split") != Some(0), || {
        let found = text!("aiv_subblockid without a split, or on an entry that is no vector tile");
        Broken::new(codes::COMBINATION, vec![i.at("aiv_subblockid")], found, text!("a split tile in vector memory"))
    })
}

fn reserve_location(i: &Instance) -> Verdict {
    let Some(space) = i.attr_name("location") else { return Verdict::Holds };
    Verdict::require(matches!(space, "vec" | "mat"), || {
        Broken::new(codes::FIFO_RESERVE, vec![], text!("location {space}", space), text!("vec or mat"))
    })
}

fn reserve_base(i: &Instance) -> Verdict {
    let manual = i.attr("auto") == Some(AttrValue::Bool(false));
    Verdict::require(!manual || i.given("base"), || {
        Broken::new(codes::FIFO_RESERVE, vec![], text!("auto = false without base"), text!("base = the address"))
    })
}
