//! Synchronisation: flags and events between pipes, barriers, buffer tokens, signals between cores.

use crate::text;
use super::hazards;
use crate::Type;
use crate::codes;
use crate::enums;
use crate::row::{AttrKind, AttrSpec, FixedType, FlagForm, Infer, SlotKind, LocalOp, Pipes, Row, SignalForm, SyncOp, When, attr, form, opt_attr};
use crate::rules::{AttrValue, Broken, Instance, Rule, Verdict};
use crate::shape::{SYNC, index_in, result, value_in};
use crate::{DType, Pipe, PtrSpace, ScalarType, Targets};

const PIPE: AttrKind = AttrKind::Enum(&enums::PIPE);
const EVENT_CLASS: AttrKind = AttrKind::EnumOr(&enums::PIPE_EVENT_TYPE, &enums::SYNC_OP_TYPE);
const SYNC_ALL_MODE: AttrKind = AttrKind::Enum(&enums::SYNC_ALL_MODE);
const SYNC_CORE_TYPE: AttrKind = AttrKind::Enum(&enums::SYNC_CORE_TYPE);
const FENCE_SCOPE: AttrKind = AttrKind::Enum(&enums::FENCE_SCOPE);

const SRC_PIPE: AttrSpec = attr("src_pipe", PIPE, "the pipe whose work must be done");
const DST_PIPE: AttrSpec = attr("dst_pipe", PIPE, "the pipe that waits");
const EVENT_ID: AttrSpec = attr("event_id", AttrKind::Enum(&enums::EVENT), "which of the eight events of this pair");

const FLAG_RULES: &[(Targets, Rule)] = &[(
    Targets::ALL,
    Rule::Named("src_pipe and dst_pipe are two different pipes, neither of them PIPE_ALL", flag_pipes),
)];

/// A flag between two pipes with an id known from the text.
const FLAG: Row = SYNC
    .attrs(&[SRC_PIPE, DST_PIPE, EVENT_ID])
    .pattern("[#src_pipe, #dst_pipe, #event_id] {}")
    .shape_rules(FLAG_RULES)
    .cpp_args(&["src_pipe", "dst_pipe", "event_id"]);

/// The same with an id computed at run time.
const FLAG_DYN: Row = SYNC
    .slots(&[index_in("event_id")])
    .attrs(&[SRC_PIPE, DST_PIPE])
    .pattern("[#src_pipe, #dst_pipe, $event_id] {}")
    .shape_rules(&[
        (
            Targets::ALL,
            Rule::Named("src_pipe and dst_pipe are two different pipes, neither of them PIPE_ALL", flag_pipes),
        ),
        (Targets::ALL, Rule::Named("event_id is one of the target's event ids", event_id_in_range)),
    ])
    .cpp_args(&["src_pipe", "dst_pipe", "event_id"]);

/// An event between two classes of operations.
const EVENT: Row = SYNC
    .attrs(&[
        attr("src_op", EVENT_CLASS, "the operations whose work must be done"),
        attr("dst_op", EVENT_CLASS, "the operations that wait"),
        EVENT_ID,
    ])
    .pattern("[#src_op, #dst_op, #event_id] {}")
    .example(
        "func.func @f() {\n  \
         pto.record_event[#pto.pipe_event_type<TLOAD>, #pto.pipe_event_type<TVEC>, #pto.event<EVENT_ID0>]\n  \
         pto.wait_event[#pto.pipe_event_type<TLOAD>, #pto.pipe_event_type<TVEC>, #pto.event<EVENT_ID0>]\n  \
         return\n}\n",
    );

const BUFFER_CLASS: AttrSpec = attr(
    "op_type",
    AttrKind::EnumOr(&enums::PIPE_EVENT_TYPE, &enums::PIPE),
    "the pipe, or the class of operations that runs on it",
);
const BUFFER_MODE: AttrSpec =
    opt_attr("mode", AttrKind::Int(0, i32::MAX as i64), "0", "how the hardware orders the holders");

/// A buffer token with an id known from the text.
const BUFFER: Row = SYNC
    .attrs(&[BUFFER_CLASS, attr("buf_id", AttrKind::Int(0, 31), "which of the 32 tokens"), BUFFER_MODE])
    .pattern("[#op_type, #buf_id] {}")
    .pipes(Pipes::Attr("op_type"))
    .shape_rules(&[(Targets::ALL, Rule::Named("op_type names one pipe, not PIPE_ALL", one_pipe))])
    .cpp_args(&["op_type", "buf_id", "mode"])
    .example(BUFFER_EXAMPLE);

/// The same with an id computed at run time.
const BUFFER_DYN: Row = SYNC
    .slots(&[index_in("buf_id")])
    .attrs(&[BUFFER_CLASS, BUFFER_MODE])
    .pattern("[#op_type, $buf_id] {}")
    .pipes(Pipes::Attr("op_type"))
    .shape_rules(&[
        (Targets::ALL, Rule::Named("op_type names one pipe, not PIPE_ALL", one_pipe)),
        (Targets::ALL, Rule::Named("buf_id is one of the target's buffer tokens", buffer_id_in_range)),
    ])
    .cpp_args(&["op_type", "buf_id", "mode"])
    .example(
        "func.func @f(%id: index) {\n  \
         pto.get_buf_dyn [#pto.pipe<PIPE_V>, %id]\n  \
         pto.rls_buf_dyn [#pto.pipe<PIPE_V>, %id]\n  \
         return\n}\n",
    );

const BUFFER_EXAMPLE: &str = "func.func @f() {\n  \
     pto.get_buf[#pto.pipe_event_type<TVEC>, 0]\n  \
     pto.rls_buf[#pto.pipe_event_type<TVEC>, 0]\n  \
     return\n}\n";

const SIGNAL_PIPE: AttrSpec = attr("pipe", PIPE, "the pipe that sends, or that waits");
const SIGNAL_ID: AttrSpec = opt_attr("event_id", AttrKind::Int(0, 31), "", "which signal");
const FFTS_MODE: AttrSpec = opt_attr(
    "ffts_mode",
    AttrKind::Int(0, 2),
    "",
    "who is reached: 0 all cores of the kind, 1 the vector cores of a block, 2 the other kind in the block",
);

const SIGNAL_RULES: &[(Targets, Rule)] = &[
    (Targets::ALL, Rule::OneOf(&["event_id", "event_id_dyn"])),
    (Targets::ALL, Rule::NotBoth("event_id", "event_id_dyn")),
    (Targets::ALL, Rule::Named("the signal id is one the target has", signal_id_in_range)),
    (Targets::A5_CPU, Rule::Named("pipe is PIPE_FIX, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3 or PIPE_V", signal_pipe)),
];

/// A signal between cores.
const SIGNAL: Row = SYNC
    .slots(&[index_in("event_id_dyn").optional()])
    .attrs(&[SIGNAL_PIPE, SIGNAL_ID])
    .pattern("#pipe, (#event_id)?($event_id_dyn)? {}")
    .call(&["pipe", "event_id"])
    .pipes(Pipes::Attr("pipe"))
    .shape_rules(SIGNAL_RULES);

/// The kinds of memory barrier, by what must be done before what.
const MEM_BARS: [&str; 16] = [
    "VV_ALL", "VST_VLD", "VLD_VST", "VST_VST", "VS_ALL", "VST_LD", "VLD_ST", "VST_ST", "SV_ALL", "ST_VLD", "LD_VST",
    "ST_VST", "SS_ALL", "ST_LD", "LD_ST", "ST_ST",
];

/// 32-bit words a soft sync-all needs in global memory.
const SYNC_ALL_WORDS: u64 = 16;

family! { Sync, "pto", sync;
    /// Raise an event from one pipe to another.
    ///
    /// When everything issued earlier on `src_pipe` has finished, event `event_id` of the ordered pair
    /// (`src_pipe`, `dst_pipe`) becomes set. A `wait_flag` with the same three values consumes it.
    ///
    /// Every set needs exactly one wait: setting an event that is still set loses one of the two, and an event
    /// left over disturbs the next kernel. To protect a buffer that is reused in a loop, set the reverse
    /// direction once before the loop and wait for it once after.
    set_flag: FLAG.sync(SyncOp::SetFlag(FlagForm::Fixed))
        .pipes(Pipes::Attr("src_pipe"))
        .cpp("set_flag")
        .page("docs/isa/scalar/ops/pipeline-sync/set-flag.md")
        .notes(&["One page speaks of 16 event ids; the devices have 8 per ordered pair of pipes."])
        .example(
            "func.func @f() {\n  \
             pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n  \
             pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n  \
             return\n}\n",
        );

    /// Stop a pipe until an event of another pipe is raised, and consume the event.
    ///
    /// Later instructions of `dst_pipe` start only after the matching `set_flag`. Other pipes go on.
    /// A wait whose event is never raised stops the core for good.
    wait_flag: FLAG.sync(SyncOp::WaitFlag(FlagForm::Fixed))
        .pipes(Pipes::Attr("dst_pipe"))
        .cpp("wait_flag")
        .page("docs/isa/scalar/ops/pipeline-sync/wait-flag.md")
        .example(
            "func.func @f() {\n  \
             pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID1>]\n  \
             pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID1>]\n  \
             return\n}\n",
        );

    /// Raise an event whose id is computed at run time.
    ///
    /// As `set_flag`, with the id in a value: 0 to 7. Loops that alternate between buffers keep the ids in an
    /// event-id array.
    set_flag_dyn: FLAG_DYN.sync(SyncOp::SetFlag(FlagForm::Computed))
        .pipes(Pipes::Attr("src_pipe"))
        .cpp("set_flag")
        .page("docs/isa/scalar/ops/pipeline-sync/set-flag.md")
        .example(
            "func.func @f(%id: index) {\n  \
             pto.set_flag_dyn[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, %id]\n  \
             pto.wait_flag_dyn[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, %id]\n  \
             return\n}\n",
        )
        .cpp_forms(&[form("set_flag(=src_pipe, =dst_pipe, static_cast<event_t>($event_id))")]);

    /// Wait for an event whose id is computed at run time.
    ///
    /// As `wait_flag`, with the id in a value: 0 to 7.
    wait_flag_dyn: FLAG_DYN.sync(SyncOp::WaitFlag(FlagForm::Computed))
        .pipes(Pipes::Attr("dst_pipe"))
        .cpp("wait_flag")
        .page("docs/isa/scalar/ops/pipeline-sync/wait-flag.md")
        .example(
            "func.func @f(%id: index) {\n  \
             pto.set_flag_dyn[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, %id]\n  \
             pto.wait_flag_dyn[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, %id]\n  \
             return\n}\n",
        )
        .cpp_forms(&[form("wait_flag(=src_pipe, =dst_pipe, static_cast<event_t>($event_id))")]);

    /// Raise an event between two classes of operations.
    ///
    /// As `set_flag`, but the pipes are named by what runs on them: TLOAD is PIPE_MTE2, TSTORE_VEC PIPE_MTE3,
    /// TSTORE_ACC PIPE_FIX, TMOV_M2L and TMOV_M2B PIPE_MTE1, TMOV_M2S, TMOV_V2M PIPE_FIX, TMATMUL PIPE_M,
    /// TVEC, TMOV_M2V and TVECWAIT_EVENT PIPE_V.
    record_event: EVENT.sync(SyncOp::SetFlag(FlagForm::Event))
        .pipes(Pipes::Attr("src_op"))
        .page("docs/isa/TSYNC.md")
        .notes(&["`sync_op_type` is the older name of `pipe_event_type`; both are read."])
        .cpp_forms(&[form("set_flag(=src_op, =dst_op, =event_id)")])
        .bytecode(0x1005, 0);

    /// Wait for an event between two classes of operations, and consume it.
    ///
    /// As `wait_flag`, with the pipes named by what runs on them; see `record_event`.
    wait_event: EVENT.sync(SyncOp::WaitFlag(FlagForm::Event))
        .pipes(Pipes::Attr("dst_op"))
        .page("docs/isa/TSYNC.md")
        .cpp_forms(&[form("wait_flag(=src_op, =dst_op, =event_id)")])
        .bytecode(0x1070, 0);

    /// Let one pipe finish all it has been given before it takes more.
    ///
    /// Orders instructions of the same pipe that touch the same memory, which a flag cannot do. `PIPE_ALL` waits
    /// for every pipe of the core and is the simplest, and slowest, synchronisation there is.
    barrier: SYNC.sync(SyncOp::Barrier)
        .attrs(&[attr("pipe", PIPE, "which pipe")])
        .pattern("#pipe {}")
        .pipes(Pipes::Attr("pipe"))
        .rules(&[(Targets::ALL, Rule::Named("pipe is one the target has a barrier for", barrier_pipe))])
        .alias_names(&["pipe_barrier"])
        .cpp("pipe_barrier")
        .cpp_args(&["pipe"])
        .page("docs/isa/scalar/ops/pipeline-sync/pipe-barrier.md")
        .notes(&[
            "The public assembler drops PIPE_V barriers on A5, where the vector unit orders its own memory accesses.",
            "The C++ form `TSYNC<Op>()` takes fewer pipes on A5: MTE2, MTE3 and ALL.",
        ])
        .example("func.func @f() {\n  pto.barrier #pto.pipe<PIPE_ALL>\n  return\n}\n")
        .cpp_forms(&[form("").on(Targets::A5).when(When::Attr("pipe", "PIPE_V")), form("pipe_barrier(=pipe)")])
        .bytecode(0x1002, 0);

    /// Let the pipe of a class of operations finish before it takes more.
    ///
    /// As `barrier`, with the pipe named by what runs on it; the C++ form is `TSYNC<Op>()`.
    barrier_sync: SYNC.sync(SyncOp::BarrierOf)
        .attrs(&[attr("op_type", EVENT_CLASS, "which operations")])
        .pattern("[#op_type] {}")
        .pipes(Pipes::Attr("op_type"))
        .page("docs/isa/TSYNC.md")
        .example("func.func @f() {\n  pto.barrier_sync [#pto.sync_op_type<TVEC>]\n  return\n}\n")
        .cpp_forms(&[
            form("").on(Targets::A5).when(When::Attr("op_type", "PIPE_V")),
            form("pipe_barrier(=op_type)"),
        ]);

    /// Wait until the named values are complete.
    ///
    /// Waits for each operand in turn: an event recorded earlier, or the last operation that writes the tile or
    /// view. Without operands it does nothing. Where the compiler inserts synchronisation it is not needed.
    tsync: SYNC.sync(SyncOp::Tiles)
        .slots(&[value_in("events", SlotKind::Any).many()])
        .pipe(Pipe::S)
        .cpp("TSYNC")
        .page("docs/isa/TSYNC.md")
        .notes(&[
            "Some pages use `TSYNC()` as a full barrier; in the headers the empty form does nothing.",
            "The public assembler takes tiles and views as operands, the C++ function takes Event objects.",
        ])
        .example(
            "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>) {\n  \
             pto.tsync ins(%a : !pto.tile_buf<vec, 16x16xf32>)\n  \
             return\n}\n",
        )
        .bytecode_counted(0x107D);

    /// Acquire a buffer token for a pipe.
    ///
    /// Later instructions of the pipe wait until no other pipe holds token `buf_id`; then this pipe holds it.
    /// All 32 tokens start free. A pipe must not acquire a token it already holds. With `rls_buf` this replaces
    /// pairs of flags around a shared buffer.
    get_buf: BUFFER.sync(SyncOp::Acquire(FlagForm::Fixed))
        .cpp("get_buf")
        .page("docs/isa/scalar/ops/pipeline-sync/get-buf.md")
        .notes(&["The public assembler speaks of an A5 instruction; the pages list A2 and A3 too."]);

    /// Release a buffer token.
    ///
    /// Once everything issued earlier on the pipe has finished, token `buf_id` becomes free. Never blocks; the
    /// same pipe must have acquired the token with `get_buf`.
    rls_buf: BUFFER.sync(SyncOp::Release(FlagForm::Fixed))
        .cpp("rls_buf")
        .page("docs/isa/scalar/ops/pipeline-sync/rls-buf.md");

    /// Acquire a buffer token whose id is computed at run time.
    ///
    /// As `get_buf`, with the id in a value: 0 to 31.
    get_buf_dyn: BUFFER_DYN.sync(SyncOp::Acquire(FlagForm::Computed))
        .cpp("get_buf")
        .page("docs/isa/scalar/ops/pipeline-sync/get-buf.md");

    /// Release a buffer token whose id is computed at run time.
    ///
    /// As `rls_buf`, with the id in a value: 0 to 31.
    rls_buf_dyn: BUFFER_DYN.sync(SyncOp::Release(FlagForm::Computed))
        .cpp("rls_buf")
        .page("docs/isa/scalar/ops/pipeline-sync/rls-buf.md");

    /// Send a signal to another core.
    ///
    /// When everything issued earlier on `pipe` has finished, signal `event_id` goes out. On A2/A3 it is an
    /// FFTS message with a mode: 0 reaches all cores of the kind, 1 the vector cores of the block, 2 the other
    /// kind of core in the block (the default); the signal counts up to 15. On A5 it reaches one core of the
    /// block, and the cube core adds 16 to the id to reach the second vector core. Answered by `sync.wait`.
    sync_set = "sync.set": SIGNAL.sync(SyncOp::Signal(SignalForm::Cores))
        .attrs(&[SIGNAL_PIPE, SIGNAL_ID, FFTS_MODE])
        .notes(&[
            "Ids 11 to 15 are used by `syncall` and must be left alone in programs that call it.",
            "On A2/A3 `set_ffts` must have run first.",
            "Assembler 0.27 takes only PIPE_FIX and PIPE_MTE3 on A5, and ids above 15; 0.60 takes five pipes and ids up to 15. Both are accepted.",
        ])
        .page("docs/isa/scalar/ops/pipeline-sync/set-cross-core.md")
        .example("func.func @f() {\n  pto.sync.set <PIPE_FIX>, 3\n  return\n}\n")
        .cpp_forms(&[
            form("ffts_cross_core_sync(=pipe, getFFTSMsg(FFTS_MODE_VAL, $event_id_dyn))").on(Targets::A2A3_CPU).when(When::Attr("ffts_mode", "2")),
            form("ffts_cross_core_sync(=pipe, getFFTSMsg(FFTS_MODE_VAL, #event_id))").on(Targets::A2A3_CPU).when(When::Attr("ffts_mode", "2")),
            form("ffts_cross_core_sync(=pipe, getFFTSMsg(#ffts_mode, $event_id_dyn))").on(Targets::A2A3_CPU),
            form("ffts_cross_core_sync(=pipe, getFFTSMsg(#ffts_mode, #event_id))").on(Targets::A2A3_CPU),
            form("ffts_cross_core_sync(=pipe, getFFTSMsg(FFTS_MODE_VAL, $event_id_dyn))").on(Targets::A2A3_CPU),
            form("ffts_cross_core_sync(=pipe, getFFTSMsg(FFTS_MODE_VAL, #event_id))").on(Targets::A2A3_CPU),
            form("set_intra_block(=pipe, $event_id_dyn);\nset_intra_block(=pipe, $event_id_dyn + 16)").on(Targets::A5).when(When::Attr("pipe", "PIPE_FIX")),
            form("set_intra_block(=pipe, #event_id);\nset_intra_block(=pipe, #event_id + 16)").on(Targets::A5).when(When::Attr("pipe", "PIPE_FIX")),
            form("set_intra_block(=pipe, $event_id_dyn)").on(Targets::A5),
            form("set_intra_block(=pipe, #event_id)").on(Targets::A5),
        ])
        .cpp_silent(&["ffts_mode"]);

    /// Wait for a signal from another core, and consume it.
    ///
    /// On A2/A3 the whole core stops until the counter of signal `event_id` is not zero, and counts it down by
    /// one. On A5 only `pipe` stops.
    sync_wait = "sync.wait": SIGNAL.sync(SyncOp::Await(SignalForm::Cores))
        .attrs(&[SIGNAL_PIPE, SIGNAL_ID, FFTS_MODE])
        .page("docs/isa/scalar/ops/pipeline-sync/wait-flag-dev.md")
        .example("func.func @f() {\n  pto.sync.wait <PIPE_V>, 3\n  return\n}\n")
        .cpp_forms(&[
            form("wait_flag_dev($event_id_dyn)").on(Targets::A2A3_CPU),
            form("wait_flag_dev(#event_id)").on(Targets::A2A3_CPU),
            form("wait_intra_block(=pipe, $event_id_dyn)").on(Targets::A5),
            form("wait_intra_block(=pipe, #event_id)").on(Targets::A5),
        ])
        .cpp_silent(&["pipe", "ffts_mode"]);

    /// Send a signal to one other core of the block.
    ///
    /// The A5 instruction behind `sync.set`. Ids are 0 to 31; from the cube core, ids from 16 on reach the second
    /// vector core. On A2/A3 it is built from an FFTS message and ids end at 15.
    set_intra_block: SIGNAL.sync(SyncOp::Signal(SignalForm::Block))
        .cpp("set_intra_block")
        .page("docs/isa/scalar/ops/pipeline-sync/set-intra-block.md")
        .notes(&["A page writes the offset of the second vector core as 15; examples and headers use 16."])
        .example("func.func @f() {\n  pto.set_intra_block <PIPE_MTE3>, 1\n  return\n}\n")
        .cpp_forms(&[form("set_intra_block(=pipe, $event_id_dyn)"), form("set_intra_block(=pipe, #event_id)")]);

    /// Stop one pipe until a signal from a core of the block arrives.
    ///
    /// The A5 instruction behind `sync.wait`: only the named pipe waits. On A2/A3 the core waits.
    wait_intra_block: SIGNAL.sync(SyncOp::Await(SignalForm::Block))
        .alias_names(&["wait_intra_core"])
        .cpp("wait_intra_block")
        .page("docs/isa/scalar/ops/pipeline-sync/wait-intra-core.md")
        .example("func.func @f() {\n  pto.wait_intra_block <PIPE_V>, 1\n  return\n}\n")
        .cpp_forms(&[
            form("wait_intra_block(=pipe, $event_id_dyn)"),
            form("wait_intra_block(=pipe, #event_id)"),
        ]);

    /// Send a signal to all cores of the same kind.
    ///
    /// FFTS mode 0: the signal counts as arrived when every core of the kind has sent it. Ids are 0 to 15.
    set_cross_block: SIGNAL.sync(SyncOp::Signal(SignalForm::Blocks))
        .attrs(&[
            SIGNAL_PIPE,
            opt_attr("event_id", AttrKind::Int(0, 15), "", "which signal"),
            opt_attr("ffts_mode", AttrKind::Int(0, 0), "0", "always 0: all cores of the kind"),
        ])
        .cpp("ffts_cross_core_sync")
        .page("docs/isa/scalar/ops/pipeline-sync/set-cross-core.md")
        .example("func.func @f() {\n  pto.set_cross_block <PIPE_FIX>, 0\n  return\n}\n")
        .cpp_forms(&[
            form("ffts_cross_core_sync(=pipe, getFFTSMsg(0, $event_id_dyn))"),
            form("ffts_cross_core_sync(=pipe, getFFTSMsg(0, #event_id))"),
        ]);

    /// Wait until all cores of the same kind have sent a signal.
    ///
    /// The counterpart of `set_cross_block`. Ids are 0 to 15.
    wait_cross_block: SIGNAL.sync(SyncOp::Await(SignalForm::Blocks))
        .attrs(&[SIGNAL_PIPE, opt_attr("event_id", AttrKind::Int(0, 15), "", "which signal")])
        .cpp("wait_flag_dev")
        .page("docs/isa/scalar/ops/pipeline-sync/wait-flag-dev.md")
        .example("func.func @f() {\n  pto.wait_cross_block <PIPE_MTE3>, 0\n  return\n}\n")
        .cpp_forms(&[form("wait_flag_dev($event_id_dyn)"), form("wait_flag_dev(#event_id)")])
        .cpp_silent(&["pipe"]);

    /// Send a signal between the cube core and the vector cores, in the spelling of the specification.
    ///
    /// Broadcasts signal `event_id` to the other kind of core in the block: the cube core reaches both vector
    /// cores, and the cube core sees the vector cores' signal when both have sent it. Write `sync.set` in
    /// programs for the assembler, which has no operation of this name.
    set_cross_core: SYNC.sync(SyncOp::Signal(SignalForm::Device))
        .slots(&[value_in("core_id", SlotKind::Int), value_in("event_id", SlotKind::Int)])
        .pattern("$core_id, $event_id {} : :core_id, :event_id")
        .pipe(Pipe::S)
        .cpp("ffts_cross_core_sync")
        .page("docs/isa/scalar/ops/pipeline-sync/set-cross-core.md")
        .notes(&["The page gives a core number as first operand although the signal is a broadcast; the C++ function takes a pipe."])
        .example(
            "func.func @f() {\n  \
             %core = arith.constant 0 : i64\n  \
             %id = arith.constant 3 : i64\n  \
             pto.set_cross_core %core, %id : i64, i64\n  \
             return\n}\n",
        )
        .cpp_missing("the C++ function takes a pipe where the instruction names a core");

    /// Stop the core until a signal from another core arrives, in the spelling of the specification.
    ///
    /// Waits until the counter of signal `event_id` is not zero and counts it down by one. All pipes of the core
    /// wait. Write `sync.wait` in programs for the assembler, which has no operation of this name.
    wait_flag_dev: SYNC.sync(SyncOp::Await(SignalForm::Device))
        .slots(&[value_in("core_id", SlotKind::Int).optional(), value_in("event_id", SlotKind::Int)])
        .pattern("($core_id, )?$event_id {} : (:core_id, )?:event_id")
        .pipe(Pipe::All)
        .cpp("wait_flag_dev")
        .cpp_args(&["event_id"])
        .page("docs/isa/scalar/ops/pipeline-sync/wait-flag-dev.md")
        .notes(&["The page says the wait ends when the counter is zero; the cross-core page and the headers imply the opposite."])
        .example(
            "func.func @f() {\n  \
             %id = arith.constant 3 : i64\n  \
             pto.wait_flag_dev %id : i64\n  \
             return\n}\n",
        )
        .cpp_silent(&["core_id"]);

    /// Wait until all cores of a set have arrived.
    ///
    /// Hard mode uses the signal hardware; soft mode counts in global memory and needs a zeroed workspace of at
    /// least 16 `i32`, and, when not all cores take part, how many do. `core_type` says whether vector cores,
    /// cube cores or both take part. All of them must call it equally often and in the same order.
    ///
    /// It orders arrival only. Data for other cores must be written out and fenced before.
    syncall: SYNC.sync(SyncOp::AllCores)
        .hazards(hazards::SYNCALL)
        .slots(&[value_in("gm_workspace", SlotKind::Any).optional(), value_in("used_cores", SlotKind::Int).optional()])
        .attrs(&[
            opt_attr("mode", SYNC_ALL_MODE, "hard", "how cores wait"),
            opt_attr("core_type", SYNC_CORE_TYPE, "aiv_only", "which cores take part"),
        ])
        .pattern("(($gm_workspace(, $used_cores)? : :gm_workspace(, :used_cores)?)?) mode = #mode, core_type = #core_type {}")
        .pipe(Pipe::All)
        .rules(&[
            (Targets::ALL, Rule::Named("hard mode has no operands; soft mode has a workspace", sync_all_form)),
            (Targets::ALL, Rule::Named("gm_workspace is a pointer to or a view of at least 16 i32 in global memory", sync_all_workspace)),
            (Targets::ALL, Rule::Named("used_cores is an i32", sync_all_cores)),
        ])
        .cpp("SYNCALL")
        .cpp_templates(&["mode", "core_type"])
        .page("docs/isa/SYNCALL.md")
        .notes(&[
            "On A2/A3 a binary with only cube code hangs in `aic_only`; build it as a mixed kernel.",
            "Soft mode gives up after a million polls and continues.",
        ])
        .example(
            "func.func @f(%ws: !pto.ptr<i32, gm>) {\n  \
             pto.syncall(%ws : !pto.ptr<i32, gm>) mode = #pto.sync_all_mode<soft>, core_type = #pto.sync_core_type<aiv_only>\n  \
             return\n}\n",
        )
        .cpp_forms(&[
            form("SYNCALL<=core_type>()"),
            form("{\n  GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>> workspace($gm_workspace);\n  SYNCALL<#mode, =core_type>(workspace);\n}").when(When::Pointer("gm_workspace")),
            form("{\n  GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>> workspace($gm_workspace);\n  SYNCALL<#mode, =core_type>(workspace, $used_cores);\n}").when(When::Pointer("gm_workspace")),
            form("SYNCALL<#mode, =core_type>($gm_workspace)"),
            form("SYNCALL<#mode, =core_type>($gm_workspace, $used_cores)"),
        ]);

    /// Make earlier memory accesses visible before later ones.
    ///
    /// `local_memory` orders accesses to on-chip memory, `gm` accesses to global memory, `all` both. Needed
    /// before another core is told that data is ready.
    fence_barrier_all = "fence.barrier_all": SYNC.sync(SyncOp::Fence)
        .attrs(&[attr("scope", FENCE_SCOPE, "which memory")])
        .pattern("#scope {}")
        .pipe(Pipe::S)
        .cpp("dsb")
        .cpp_args(&["scope"])
        .example("func.func @f() {\n  pto.fence.barrier_all #pto.fence_scope<gm>\n  return\n}\n")
        .cpp_forms(&[
            form("pipe_barrier(PIPE_ALL)").when(When::Attr("scope", "local_memory")),
            form("pipe_barrier(PIPE_ALL);\ndsb(DSB_DDR)").when(When::Attr("scope", "gm")),
            form("pipe_barrier(PIPE_ALL);\ndsb(DSB_DDR)").when(When::Attr("scope", "all")),
        ]);

    /// Order vector accesses to the unified buffer that may touch the same bytes.
    ///
    /// The kind says what waits for what: V is the vector unit, S the scalar unit, LD a load, ST a store, so
    /// `VST_VLD` makes vector loads wait for earlier vector stores. Tile instructions order themselves; this is
    /// for code that mixes in lower-level accesses.
    mem_bar: SYNC
        .attrs(&[attr("kind", AttrKind::Str, "what waits for what")])
        .pattern("#kind {}")
        .only(Targets::A5_CPU)
        .pipe(Pipe::V)
        .rules(&[(Targets::ALL, Rule::Named("kind is one of the memory barriers", mem_bar_kind))])
        .cpp("mem_bar")
        .page("docs/isa/scalar/ops/pipeline-sync/mem-bar.md")
        .notes(&["The page lists VV_ALL, VST_VLD and VLD_VST only."])
        .example("// target a5\nfunc.func @f() {\n  pto.mem_bar \"VST_VLD\"\n  return\n}\n")
        .cpp_forms(&[form("mem_bar(@kind)")]);

    /// Make room for event ids that are chosen at run time.
    ///
    /// The type says how many: `!pto.eventid_array<4>`. The entries are undefined until they are set.
    declare_eventid_array: SYNC.local(LocalOp::DeclareEventIds)
        .results(&[result("array", SlotKind::EventIds)])
        .pattern("{} -> :array")
        .example(EVENT_IDS_EXAMPLE);

    /// Read an entry of an event-id array.
    ///
    /// `result = array[index]`
    eventid_array_get: SYNC.local(LocalOp::GetEventId)
        .slots(&[value_in("array", SlotKind::EventIds), index_in("index")])
        .results(&[result("result", SlotKind::Index).infer(Infer::Fixed(FixedType::Index))])
        .pattern("$array[$index] {} : :array")
        .pipe(Pipe::S)
        .rules(&[(Targets::ALL, Rule::Named("index lies inside the array", event_index_in_range))])
        .example(EVENT_IDS_EXAMPLE)
        .cpp_forms(&[form("$array[$index]")]);

    /// Write an entry of an event-id array.
    ///
    /// `array[index] = value`; the value is an event id, 0 to 7.
    eventid_array_set: SYNC.local(LocalOp::SetEventId)
        .slots(&[value_in("array", SlotKind::EventIds), index_in("index"), index_in("value")])
        .pattern("$array[$index], $value {} : :array")
        .pipe(Pipe::S)
        .rules(&[
            (Targets::ALL, Rule::Named("index lies inside the array", event_index_in_range)),
            (Targets::ALL, Rule::Named("value is one of the target's event ids", event_value_in_range)),
        ])
        .example(EVENT_IDS_EXAMPLE)
        .cpp_forms(&[form("$array[$index] = $value")]);
}

const EVENT_IDS_EXAMPLE: &str = "func.func @f(%i: index) {\n  \
     %ids = pto.declare_eventid_array -> !pto.eventid_array<4>\n  \
     %one = arith.constant 1 : index\n  \
     pto.eventid_array_set %ids[%i], %one : !pto.eventid_array<4>\n  \
     %id = pto.eventid_array_get %ids[%i] : !pto.eventid_array<4>\n  \
     pto.set_flag_dyn[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, %id]\n  \
     pto.wait_flag_dyn[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, %id]\n  \
     return\n}\n";

/// A pipe attribute that names one executing pipe.
fn executing_pipe(name: &str) -> bool {
    Pipe::parse(name).is_some_and(|p| p != Pipe::All)
}

fn flag_pipes(i: &Instance) -> Verdict {
    let (Some(src), Some(dst)) = (i.attr_name("src_pipe"), i.attr_name("dst_pipe")) else { return Verdict::Holds };
    let found = text!("a flag from {src} to {dst}", src, dst);
    if src == dst {
        let help = text!("inside one pipe write `pto.barrier #pto.pipe<{src}>`", src);
        return Verdict::Broken(Broken::new(codes::FLAG_PIPES, vec![], found, text!("two different pipes")).help(help));
    }
    Verdict::require(executing_pipe(src) && executing_pipe(dst), || {
        let legal = "PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX";
        Broken::new(codes::FLAG_PIPES, vec![], found, legal)
    })
}

/// Operation classes always stand for one pipe; a pipe name may not.
fn one_pipe(i: &Instance) -> Verdict {
    let Some(AttrValue::Enum(def, at)) = i.attr("op_type") else { return Verdict::Holds };
    let name = def.value(at);
    Verdict::require(*def != enums::PIPE || executing_pipe(name), || {
        Broken::new(codes::FLAG_PIPES, vec![], text!("a buffer token of {name}", name), text!("one pipe that executes"))
    })
}

fn barrier_pipe(i: &Instance) -> Verdict {
    let Some(name) = i.attr_name("pipe") else { return Verdict::Holds };
    let pipes = i.target.profile().barrier_pipes;
    Verdict::require(Pipe::parse(name).is_some_and(|p| pipes.contains(&p)), || {
        let legal: Vec<_> = pipes.iter().map(|p| p.name()).collect();
        Broken::new(codes::BARRIER_PIPE, vec![], text!("a barrier on {name}", name), legal.join(", "))
    })
}

/// The constant in a slot, if it has one, lies in `0..count`.
fn below(i: &Instance, slot: &str, count: u32, code: codes::Code) -> Verdict {
    let Some(value) = i.value(slot) else { return Verdict::Holds };
    Verdict::require((0..i64::from(count)).contains(&value), || {
        Broken::new(code, vec![i.at(slot)], text!("`{slot}` is {value}", slot, value), text!("0 or more, less than {count}", count))
    })
}

fn event_id_in_range(i: &Instance) -> Verdict {
    below(i, "event_id", i.target.profile().event_ids, codes::EVENT_ID)
}

fn event_value_in_range(i: &Instance) -> Verdict {
    below(i, "value", i.target.profile().event_ids, codes::EVENT_ID)
}

fn buffer_id_in_range(i: &Instance) -> Verdict {
    below(i, "buf_id", i.target.profile().buffer_ids, codes::BUFFER_ID)
}

fn event_index_in_range(i: &Instance) -> Verdict {
    match i.ty("array") {
        Some(Type::EventIds(n)) => below(i, "index", u32::try_from(*n).unwrap_or(u32::MAX), codes::BOUNDS),
        _ => Verdict::Holds,
    }
}

fn signal_id_in_range(i: &Instance) -> Verdict {
    let ids = i.target.profile().cross_core_ids;
    if let Some(AttrValue::Int(id)) = i.attr("event_id") {
        return Verdict::require((0..i64::from(ids)).contains(&id), || {
            Broken::new(codes::SIGNAL, vec![], text!("signal {id}", id), text!("0 to {ids}", ids = ids - 1))
        });
    }
    below(i, "event_id_dyn", ids, codes::SIGNAL)
}

fn signal_pipe(i: &Instance) -> Verdict {
    const LEGAL: [Pipe; 5] = [Pipe::Fix, Pipe::Mte1, Pipe::Mte2, Pipe::Mte3, Pipe::V];
    let Some(name) = i.attr_name("pipe") else { return Verdict::Holds };
    Verdict::require(Pipe::parse(name).is_some_and(|p| LEGAL.contains(&p)), || {
        Broken::new(codes::SIGNAL, vec![], text!("a signal of {name}", name), LEGAL.map(Pipe::name).join(", "))
    })
}

fn sync_all_form(i: &Instance) -> Verdict {
    let soft = i.attr_name("mode") == Some("soft");
    let given = i.given("gm_workspace");
    Verdict::require(soft == given, || {
        let (found, legal) = if soft {
            (text!("soft mode without a workspace"), text!("a workspace of 16 i32 in global memory"))
        } else {
            (text!("hard mode with operands"), text!("no operands"))
        };
        Broken::new(codes::COMBINATION, vec![i.at("gm_workspace")], found, legal)
    })
}

fn sync_all_workspace(i: &Instance) -> Verdict {
    let Some(ty) = i.ty("gm_workspace") else { return Verdict::Holds };
    let broken = |code, found: String| {
        let legal = text!("a pointer to or a view of at least 16 i32 in global memory");
        Verdict::Broken(Broken::new(code, vec![i.at("gm_workspace")], found, legal))
    };
    let words = match ty {
        Type::Unknown => return Verdict::Holds,
        Type::Ptr(_, PtrSpace::On(loc)) => return broken(codes::LOCATION, text!("a pointer into `{loc}`", loc)),
        Type::Ptr(..) => None,
        Type::TensorView(v) | Type::PartitionView(v) => v.elements(),
        other => return broken(codes::OPERAND_KIND, format!("a {}", other.noun())),
    };
    if !matches!(ty.elem(), Some(DType::I32 | DType::U32)) {
        return broken(codes::ELEM_TYPE, text!("`gm_workspace` is a {ty}", ty));
    }
    match words {
        Some(n) if n < SYNC_ALL_WORDS => broken(codes::VIEW_SHAPE, text!("`gm_workspace` has {n} elements", n)),
        _ => Verdict::Holds,
    }
}

fn sync_all_cores(i: &Instance) -> Verdict {
    let Some(Type::Scalar(s)) = i.ty("used_cores") else { return Verdict::Holds };
    Verdict::require(*s == ScalarType::Elem(DType::I32), || {
        Broken::new(codes::ELEM_TYPE, vec![i.at("used_cores")], text!("`used_cores` is {s}", s), "i32")
    })
}

fn mem_bar_kind(i: &Instance) -> Verdict {
    let Some(AttrValue::Str(kind)) = i.attr("kind") else { return Verdict::Holds };
    Verdict::require(MEM_BARS.contains(&kind), || {
        Broken::new(codes::ATTRIBUTE_VALUE, vec![], format!("kind \"{kind}\""), MEM_BARS.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::op;
    use crate::rules::{AttrValue, Instance};
    use crate::{Op, Target, enums};

    fn pipe(name: &str) -> AttrValue<'static> {
        AttrValue::Enum(&enums::PIPE, enums::PIPE.find(name).expect("a pipe"))
    }

    fn legal(op: Op, target: Target, attrs: &[(&str, AttrValue)]) -> bool {
        let instance = Instance { row: op.row(), target, manual: false, args: &[], attrs };
        instance.is_legal()
    }

    #[test]
    fn flags_connect_two_executing_pipes() {
        let flag = |src, dst| legal(op::set_flag, Target::A5, &[("src_pipe", pipe(src)), ("dst_pipe", pipe(dst))]);
        assert!(flag("PIPE_MTE2", "PIPE_V"));
        assert!(!flag("PIPE_V", "PIPE_V"));
        assert!(!flag("PIPE_ALL", "PIPE_V"));
        assert!(!flag("PIPE_V", "PIPE_UNASSIGNED"));
    }

    #[test]
    fn signals_have_ids_and_pipes_of_the_target() {
        let signal =
            |target, name, id| legal(op::sync_set, target, &[("pipe", pipe(name)), ("event_id", AttrValue::Int(id))]);
        assert!(signal(Target::A5, "PIPE_FIX", 17));
        assert!(!signal(Target::A2A3, "PIPE_FIX", 17));
        assert!(signal(Target::A2A3, "PIPE_S", 3));
        assert!(!signal(Target::A5, "PIPE_S", 3));
        assert!(!legal(op::sync_set, Target::A5, &[("pipe", pipe("PIPE_FIX"))]));
    }

    #[test]
    fn buffer_tokens_belong_to_one_pipe() {
        assert!(legal(op::get_buf, Target::A5, &[("op_type", pipe("PIPE_V"))]));
        assert!(!legal(op::get_buf, Target::A5, &[("op_type", pipe("PIPE_ALL"))]));
    }
}
