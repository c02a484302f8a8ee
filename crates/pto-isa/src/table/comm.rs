//! Communication between ranks: transfers, signals, collectives, and background transfers.
//!
//! Memory of another rank is an ordinary view whose pointer the host set up. Rows carry the newer `comm.` names;
//! the older ones are aliases where a tile instruction does not own them.

use crate::text;
use super::hazards;
use crate::DType::{I8, I32, U8};
use crate::codes;
use crate::enums;
use crate::row::{AttrKind, AttrSpec, CommOp, CostClass, Effect, FixedType, Infer, SlotKind, Row, Slot, attr, form, opt_attr};
use crate::rules::{AttrValue, Broken, Instance, Rule, Verdict};
use crate::shape::{result, tile_in, value_in, view_in, view_out};
use crate::{Dim, Pipe, Targets, Type};

const ATOMIC: AttrKind = AttrKind::Enum(&enums::ATOMIC_TYPE);
const NOTIFY: AttrKind = AttrKind::Enum(&enums::NOTIFY_OP);
const WAIT_CMP: AttrKind = AttrKind::Enum(&enums::WAIT_CMP);
const REDUCE: AttrKind = AttrKind::Enum(&enums::REDUCE_OP);

const PING: Slot = tile_in("ping").vec();
const PONG: Slot = tile_in("pong").vec().optional();
const GROUP: Slot = view_in("group").many();
const ROOT: AttrSpec = attr("root", AttrKind::Int(0, i32::MAX as i64), "which member of the group runs it");

/// Blocks the core until its data has arrived; it drives several pipes itself.
const BLOCKING: Row = Row::EMPTY.cost(CostClass::Comm).pipe(Pipe::All);

/// A copy between two ranks through a staging tile.
const COPY: Row = BLOCKING
    .slots(&[view_out("dst"), view_in("src"), PING, PONG])
    .pattern("($dst, $src, buf($ping(, $pong)?) : :dst, :src, :ping(, :pong)?) {}")
    .shape_rules(&[
        (Targets::ALL, Rule::SameElem(&["dst", "src", "ping"])),
        (Targets::ALL, Rule::Named("dst and src have the same shape", same_views)),
        (Targets::ALL, Rule::Named("extents are positive, and open ones stand in partition views only", copy_extents)),
        (Targets::ALL, Rule::Named("ping and pong have the same type", twin_buffers)),
    ]);

const COLLECTIVE_RULES: &[(Targets, Rule)] = &[
    (Targets::ALL, Rule::Named("all members of the group have one type", equal_members)),
    (Targets::ALL, Rule::Named("root is a member of the group", root_is_member)),
    (Targets::ALL, Rule::Named("every view has fixed, positive extents", fixed_extents)),
    (Targets::ALL, Rule::Named("ping and pong have the same type", twin_buffers)),
];

/// A collective that spreads `src`.
const SPREAD: Row = BLOCKING
    .slots(&[view_in("src"), PING, PONG, GROUP])
    .attrs(&[ROOT])
    .pattern("($src, recv($ping(, $pong)?), group($group) : :src, :ping(, :pong)?, :group) {}")
    .shape_rules(COLLECTIVE_RULES)
    .cpp_args(&["group", "src", "ping", "pong"]);

/// A signal operation on the scalar unit.
const SIGNAL: Row = Row::EMPTY.effect(Effect::Sync).cost(CostClass::Comm).pipe(Pipe::S);

const SIGNAL_RULE: (Targets, Rule) = (Targets::ALL, Rule::Named("signal has fixed, positive extents", fixed_extents));

/// A comparison of a signal.
const CHECK: Row = SIGNAL
    .slots(&[view_in("signal").elem(&[I32]), value_in("cmp_value", SlotKind::Int).elem(&[I32])])
    .attrs(&[attr("cmp", WAIT_CMP, "how every element must compare with the value")])
    .cpp_args(&["signal", "cmp_value", "cmp"])
    .shape_rules(&[SIGNAL_RULE]);

/// A background transfer.
const ASYNC: Row = Row::EMPTY
    .cost(CostClass::Comm)
    .pipe(Pipe::S)
    .slots(&[view_out("dst"), view_in("src"), value_in("session", SlotKind::Session)])
    .results(&[result("event", SlotKind::AsyncEvent).infer(Infer::Fixed(FixedType::AsyncEvent))])
    .pattern("($dst, $src, $session : :dst, :src, :session) {} -> :event")
    .shape_rules(&[
        (Targets::ALL, Rule::SameElem(&["dst", "src"])),
        (Targets::ALL, Rule::Named("dst and src are flat: fixed extents, all but the last 1", flat_views)),
        (Targets::ALL, Rule::Named("dst and src have the same shape", same_views)),
    ])
    .cpp_args(&["dst", "src", "session"])
    .example(ASYNC_EXAMPLE);

/// A question about a background transfer.
const ASYNC_QUERY: Row = Row::EMPTY
    .effect(Effect::Sync)
    .cost(CostClass::Comm)
    .pipe(Pipe::S)
    .slots(&[value_in("event", SlotKind::AsyncEvent), value_in("session", SlotKind::Session)])
    .results(&[result("completed", SlotKind::Bool).infer(Infer::Fixed(FixedType::I1))])
    .pattern("($event, $session : :event, :session) {} -> :completed")
    .page("docs/isa/comm/TPUT_ASYNC.md")
    .example(ASYNC_EXAMPLE);

const COPY_EXAMPLE: &str = "func.func @f(%remote: !pto.ptr<f32>, %local: !pto.ptr<f32>) {\n  \
     %zero = arith.constant 0 : index\n  \
     %one = arith.constant 1 : index\n  \
     %n = arith.constant 128 : index\n  \
     %there = pto.make_tensor_view %remote, shape = [%n], strides = [%one] : !pto.tensor_view<128xf32>\n  \
     %here = pto.make_tensor_view %local, shape = [%n], strides = [%one] : !pto.tensor_view<128xf32>\n  \
     %dst = pto.partition_view %there, offsets = [%zero], sizes = [%n] : !pto.tensor_view<128xf32> -> !pto.partition_tensor_view<128xf32>\n  \
     %src = pto.partition_view %here, offsets = [%zero], sizes = [%n] : !pto.tensor_view<128xf32> -> !pto.partition_tensor_view<128xf32>\n  \
     %tile = pto.alloc_tile : !pto.tile_buf<vec, 1x128xf32>\n  \
     pto.comm.tput(%dst, %src, buf(%tile) : !pto.partition_tensor_view<128xf32>, !pto.partition_tensor_view<128xf32>, !pto.tile_buf<vec, 1x128xf32>)\n  \
     pto.comm.tget(%src, %dst, buf(%tile) : !pto.partition_tensor_view<128xf32>, !pto.partition_tensor_view<128xf32>, !pto.tile_buf<vec, 1x128xf32>)\n  \
     return\n}\n";

const SIGNAL_EXAMPLE: &str = "func.func @f(%flags: !pto.ptr<i32>) {\n  \
     %zero = arith.constant 0 : index\n  \
     %one = arith.constant 1 : index\n  \
     %value = arith.constant 1 : i32\n  \
     %all = pto.make_tensor_view %flags, shape = [%one], strides = [%one] : !pto.tensor_view<1xi32>\n  \
     %signal = pto.partition_view %all, offsets = [%zero], sizes = [%one] : !pto.tensor_view<1xi32> -> !pto.partition_tensor_view<1xi32>\n  \
     pto.comm.tnotify(%signal, %value : !pto.partition_tensor_view<1xi32>, i32) {notifyOp = #pto<notify_op atomic_add>}\n  \
     pto.comm.twait(%signal, %value : !pto.partition_tensor_view<1xi32>, i32) {cmp = #pto<wait_cmp ge>}\n  \
     %done = pto.comm.ttest(%signal, %value : !pto.partition_tensor_view<1xi32>, i32) {cmp = #pto<wait_cmp eq>} -> i1\n  \
     return\n}\n";

const COLLECTIVE_EXAMPLE: &str = "func.func @f(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>, %c: !pto.ptr<f32>) {\n  \
     %one = arith.constant 1 : index\n  \
     %n = arith.constant 128 : index\n  \
     %mine = pto.make_tensor_view %a, shape = [%n], strides = [%one] : !pto.tensor_view<128xf32>\n  \
     %r0 = pto.make_tensor_view %b, shape = [%n], strides = [%one] : !pto.tensor_view<128xf32>\n  \
     %r1 = pto.make_tensor_view %c, shape = [%n], strides = [%one] : !pto.tensor_view<128xf32>\n  \
     %acc = pto.alloc_tile : !pto.tile_buf<vec, 1x128xf32>\n  \
     %recv = pto.alloc_tile : !pto.tile_buf<vec, 1x128xf32>\n  \
     pto.comm.tbroadcast(%mine, recv(%recv), group(%r0, %r1) : !pto.tensor_view<128xf32>, !pto.tile_buf<vec, 1x128xf32>, !pto.tensor_view<128xf32>, !pto.tensor_view<128xf32>) {root = 0 : i32}\n  \
     pto.comm.tscatter(%mine, recv(%recv), group(%r0, %r1) : !pto.tensor_view<128xf32>, !pto.tile_buf<vec, 1x128xf32>, !pto.tensor_view<128xf32>, !pto.tensor_view<128xf32>) {root = 0 : i32}\n  \
     pto.comm.tgather(%mine, recv(%recv), group(%r0, %r1) : !pto.tensor_view<128xf32>, !pto.tile_buf<vec, 1x128xf32>, !pto.tensor_view<128xf32>, !pto.tensor_view<128xf32>) {root = 0 : i32}\n  \
     pto.comm.treduce(%mine, %acc, recv(%recv), group(%r0, %r1) : !pto.tensor_view<128xf32>, !pto.tile_buf<vec, 1x128xf32>, !pto.tile_buf<vec, 1x128xf32>, !pto.tensor_view<128xf32>, !pto.tensor_view<128xf32>) {reduceOp = #pto<reduce_op sum>, root = 0 : i32}\n  \
     return\n}\n";

const ASYNC_EXAMPLE: &str = "func.func @f(%remote: !pto.ptr<f32>, %local: !pto.ptr<f32>, %ws: !pto.ptr<i8>) {\n  \
     %one = arith.constant 1 : index\n  \
     %n = arith.constant 128 : index\n  \
     %dst = pto.make_tensor_view %remote, shape = [%n], strides = [%one] : !pto.tensor_view<128xf32>\n  \
     %src = pto.make_tensor_view %local, shape = [%n], strides = [%one] : !pto.tensor_view<128xf32>\n  \
     %scratch = pto.alloc_tile : !pto.tile_buf<vec, 1x256xi8>\n  \
     %session = pto.comm.build_async_session(%scratch, %ws : !pto.tile_buf<vec, 1x256xi8>, !pto.ptr<i8>) -> !pto.async_session\n  \
     %put = pto.comm.tput_async(%dst, %src, %session : !pto.tensor_view<128xf32>, !pto.tensor_view<128xf32>, !pto.async_session) -> !pto.async_event\n  \
     %ready = pto.comm.test_async_event(%put, %session : !pto.async_event, !pto.async_session) -> i1\n  \
     %get = pto.comm.tget_async(%src, %dst, %session : !pto.tensor_view<128xf32>, !pto.tensor_view<128xf32>, !pto.async_session) -> !pto.async_event\n  \
     %done = pto.comm.wait_async_event(%get, %session : !pto.async_event, !pto.async_session) -> i1\n  \
     return\n}\n";

const PREFETCH_EXAMPLE: &str = "func.func @f(%ws: !pto.ptr<i8>) {\n  \
     %ctx = pto.make_prefetch_async_context(%ws : !pto.ptr<i8>) -> !pto.prefetch_async_context\n  \
     %session = pto.get_prefetch_async_session %ctx : !pto.prefetch_async_context -> !pto.async_session\n  \
     return\n}\n";

family! { Comm, "pto", comm;
    /// Copy local memory to memory of another rank.
    ///
    /// `dst[…] = src[…]`, or `dst[…] += src[…]` with `atomicType` add. The data passes through the staging tile in
    /// pieces of its valid rows and columns; with a second tile, loading and storing overlap. The instruction
    /// returns when the data is under way; tell the other rank with `comm.tnotify`.
    ///
    /// The valid rows and columns of the staging tile should divide the last two extents of the views.
    comm_tput = "comm.tput": COPY.comm(CommOp::Put)
        .hazards(hazards::TRANSFER)
        .alias_names(&["tput"])
        .attrs(&[opt_attr("atomicType", ATOMIC, "atomic_none", "store or add")])
        .cpp("comm::TPUT")
        .cpp_templates(&["atomicType"])
        .cpp_args(&["dst", "src", "ping", "pong"])
        .page("docs/isa/comm/TPUT.md")
        .notes(&["The public CPU simulator copies by the shape of dst, the devices by the shape of src."])
        .example(COPY_EXAMPLE);

    /// Copy memory of another rank to local memory.
    ///
    /// `dst[…] = src[…]`. The mirror image of `comm.tput`, without atomics.
    comm_tget = "comm.tget": COPY.comm(CommOp::Get)
        .hazards(hazards::TRANSFER)
        .alias_names(&["tget"])
        .cpp("comm::TGET")
        .cpp_args(&["dst", "src", "ping", "pong"])
        .page("docs/isa/comm/TGET.md")
        .example(COPY_EXAMPLE);

    /// Change a signal word of another rank.
    ///
    /// Stores `value` into the first element of `signal`, or adds it atomically. Everything the core wrote before
    /// is visible to a rank that sees the change. The element should be aligned to 4 bytes.
    comm_tnotify = "comm.tnotify": SIGNAL.comm(CommOp::Notify)
        .hazards(hazards::TNOTIFY)
        .alias_names(&["tnotify"])
        .slots(&[view_out("signal").elem(&[I32]), value_in("value", SlotKind::Int).elem(&[I32])])
        .attrs(&[attr("notifyOp", NOTIFY, "add or store").alias(&["op"])])
        .pattern("($signal, $value : :signal, :value) {}")
        .rules(&[SIGNAL_RULE])
        .cpp("comm::TNOTIFY")
        .cpp_args(&["signal", "value", "notifyOp"])
        .page("docs/isa/comm/TNOTIFY.md")
        .example(SIGNAL_EXAMPLE)
        .cpp_forms(&[form("comm::TNOTIFY($signal, $value, comm::=notifyOp)")]);

    /// Wait until local signal words compare as asked.
    ///
    /// Polls until `signal[k] cmp cmp_value` holds for every element of the view. The words are not changed. A
    /// comparison that never becomes true stops the core.
    comm_twait = "comm.twait": CHECK.comm(CommOp::Wait)
        .alias_names(&["twait"])
        .pattern("($signal, $cmp_value : :signal, :cmp_value) {}")
        .cpp("comm::TWAIT")
        .page("docs/isa/comm/TWAIT.md")
        .notes(&["The public CPU simulator gives up after about a second without an error."])
        .example(SIGNAL_EXAMPLE)
        .cpp_forms(&[form("comm::TWAIT($signal, $cmp_value, comm::=cmp)")]);

    /// Look once whether local signal words compare as asked.
    ///
    /// `result` is true when `signal[k] cmp cmp_value` holds for every element now. Never waits.
    comm_ttest = "comm.ttest": CHECK.comm(CommOp::Test)
        .alias_names(&["ttest"])
        .results(&[result("result", SlotKind::Bool).infer(Infer::Fixed(FixedType::I1))])
        .pattern("($signal, $cmp_value : :signal, :cmp_value) {} -> :result")
        .cpp("comm::TTEST")
        .page("docs/isa/comm/TTEST.md")
        .example(SIGNAL_EXAMPLE)
        .cpp_forms(&[form("comm::TTEST($signal, $cmp_value, comm::=cmp)")]);

    /// Collect the data of all ranks on one rank.
    ///
    /// Rank `r` of the group contributes rows `r·H` to `(r+1)·H` of `dst`, where `H` is the rows of one member.
    /// Only the root runs it; the members must already hold their data.
    comm_tgather = "comm.tgather": BLOCKING.comm(CommOp::Gather)
        .hazards(hazards::TRANSFER)
        .slots(&[view_out("dst"), PING, PONG, GROUP])
        .attrs(&[ROOT])
        .pattern("($dst, recv($ping(, $pong)?), group($group) : :dst, :ping(, :pong)?, :group) {}")
        .shape_rules(COLLECTIVE_RULES)
        .rules(&[(Targets::ALL, Rule::SameElem(&["dst", "ping", "group"]))])
        .cpp("comm::TGATHER")
        .cpp_args(&["group", "dst", "ping", "pong"])
        .page("docs/isa/comm/TGATHER.md")
        .notes(&["Not `tgather`, which gathers elements of a tile."])
        .example(COLLECTIVE_EXAMPLE)
        .cpp_forms(&[
            form("{\n  :group tensors[] = {$group};\n  comm::ParallelGroup<:group> team(tensors, +group, =root);\n  comm::TGATHER(team, $dst, $ping);\n}"),
            form("{\n  :group tensors[] = {$group};\n  comm::ParallelGroup<:group> team(tensors, +group, =root);\n  comm::TGATHER(team, $dst, $ping, $pong);\n}"),
        ]);

    /// Hand each rank its part of the data of one rank.
    ///
    /// Rank `r` of the group receives rows `r·H` to `(r+1)·H` of `src`. Only the root runs it.
    comm_tscatter = "comm.tscatter": SPREAD.comm(CommOp::Scatter)
        .hazards(hazards::TRANSFER)
        .rules(&[(Targets::ALL, Rule::SameElem(&["src", "ping", "group"]))])
        .cpp("comm::TSCATTER")
        .page("docs/isa/comm/TSCATTER.md")
        .notes(&["Not `tscatter`, which scatters elements of a tile."])
        .example(COLLECTIVE_EXAMPLE)
        .cpp_forms(&[
            form("{\n  :group tensors[] = {$group};\n  comm::ParallelGroup<:group> team(tensors, +group, =root);\n  comm::TSCATTER(team, $src, $ping);\n}"),
            form("{\n  :group tensors[] = {$group};\n  comm::ParallelGroup<:group> team(tensors, +group, =root);\n  comm::TSCATTER(team, $src, $ping, $pong);\n}"),
        ]);

    /// Copy the data of one rank to all ranks.
    ///
    /// Every member of the group becomes a copy of `src`. Only the root runs it.
    comm_tbroadcast = "comm.tbroadcast": SPREAD.comm(CommOp::Broadcast)
        .hazards(hazards::TRANSFER)
        .alias_names(&["tbroadcast"])
        .rules(&[
            (Targets::ALL, Rule::SameElem(&["src", "ping", "group"])),
            (Targets::ALL, Rule::Named("src has the shape of a member", broadcast_shape)),
        ])
        .cpp("comm::TBROADCAST")
        .page("docs/isa/comm/TBROADCAST.md")
        .example(COLLECTIVE_EXAMPLE)
        .cpp_forms(&[
            form("{\n  :group tensors[] = {$group};\n  comm::ParallelGroup<:group> team(tensors, +group, =root);\n  comm::TBROADCAST(team, $src, $ping);\n}"),
            form("{\n  :group tensors[] = {$group};\n  comm::ParallelGroup<:group> team(tensors, +group, =root);\n  comm::TBROADCAST(team, $src, $ping, $pong);\n}"),
        ]);

    /// Combine the data of all ranks elementwise on one rank.
    ///
    /// `acc` starts as the root's data; then, for the other ranks in ascending order, `acc = acc op rank`; then
    /// `dst = acc`. The order is fixed, so floating-point sums are reproducible. Only the root runs it and only
    /// the root has the result.
    comm_treduce = "comm.treduce": BLOCKING.comm(CommOp::Reduce)
        .hazards(hazards::TRANSFER)
        .alias_names(&["treduce"])
        .slots(&[view_out("dst"), tile_in("acc").vec(), tile_in("recv_ping").vec(), tile_in("recv_pong").vec().optional(), GROUP])
        .attrs(&[attr("reduceOp", REDUCE, "sum, maximum or minimum").alias(&["op"]), ROOT])
        .pattern("($dst, $acc, recv($recv_ping(, $recv_pong)?), group($group) : :dst, :acc, :recv_ping(, :recv_pong)?, :group) {}")
        .shape_rules(COLLECTIVE_RULES)
        .rules(&[
            (Targets::ALL, Rule::SameElem(&["dst", "acc", "recv_ping", "group"])),
            (Targets::ALL, Rule::Named("acc, recv_ping and recv_pong have the same type", reduce_buffers)),
        ])
        .cpp("comm::TREDUCE")
        .cpp_args(&["group", "dst", "acc", "recv_ping", "recv_pong", "reduceOp"])
        .page("docs/isa/comm/TREDUCE.md")
        .notes(&["A family page also lists a product and says all ranks have the result; the headers have neither."])
        .example(COLLECTIVE_EXAMPLE)
        .cpp_forms(&[
            form("{\n  :group tensors[] = {$group};\n  comm::ParallelGroup<:group> team(tensors, +group, =root);\n  comm::TREDUCE(team, $dst, $acc, $recv_ping, comm::=reduceOp);\n}"),
            form("{\n  :group tensors[] = {$group};\n  comm::ParallelGroup<:group> team(tensors, +group, =root);\n  comm::TREDUCE(team, $dst, $acc, $recv_ping, $recv_pong, comm::=reduceOp);\n}"),
        ]);

    /// Open a session for background transfers.
    ///
    /// `scratch` is a tile of vector memory of at least 8 bytes, `workspace` global memory the host prepared.
    /// A session belongs to one flow of execution and may be built again only when its transfers are complete.
    comm_build_async_session = "comm.build_async_session": Row::EMPTY.comm(CommOp::OpenSession)
        .alias_names(&["build_async_session"])
        .effect(Effect::Config)
        .cost(CostClass::Comm)
        .pipe(Pipe::S)
        .slots(&[tile_in("scratch").vec(), value_in("workspace", SlotKind::Ptr).elem(&[I8, U8])])
        .results(&[result("session", SlotKind::Session).infer(Infer::Fixed(FixedType::AsyncSession))])
        .attrs(&[
            opt_attr("sync_id", AttrKind::Int(0, 7), "", "event id the session uses"),
            opt_attr("block_bytes", AttrKind::Int(1, i64::MAX), "32768", "bytes of one piece of a transfer"),
            opt_attr("comm_block_offset", AttrKind::Int(0, i64::MAX), "", "where the session's part of the workspace starts"),
            opt_attr("queue_num", AttrKind::Int(1, i32::MAX as i64), "1", "queues to use"),
            opt_attr("channel_group_idx", AttrKind::Int(0, u32::MAX as i64), "", "channel group; chosen automatically when left out"),
        ])
        .pattern("($scratch, $workspace : :scratch, :workspace) {} -> :session")
        .rules(&[(Targets::ALL, Rule::Named("scratch has at least 8 bytes", session_scratch))])
        .cpp("comm::BuildAsyncSession")
        .page("docs/isa/comm/TPUT_ASYNC.md")
        .notes(&["Without block_bytes the header uses pieces of 1 MiB, the public assembler 32 KiB."])
        .example(ASYNC_EXAMPLE)
        .cpp_forms(&[
            form("{\n  comm::sdma::SdmaBaseConfig config = {=block_bytes, =comm_block_offset, =queue_num};\n  comm::BuildAsyncSession<comm::DmaEngine::SDMA>($scratch, (__gm__ uint8_t *)$workspace, $session, =sync_id, config, UINT32_MAX);\n}"),
            form("{\n  comm::sdma::SdmaBaseConfig config = {=block_bytes, =comm_block_offset, =queue_num};\n  comm::BuildAsyncSession<comm::DmaEngine::SDMA>($scratch, (__gm__ uint8_t *)$workspace, $session, =sync_id, config, #channel_group_idx);\n}"),
        ]);

    /// Start copying local memory to memory of another rank.
    ///
    /// Returns at once with an event; the data must not change before the event is complete. Source and
    /// destination are flat and contiguous. At most 64 transfers may be open.
    comm_tput_async = "comm.tput_async": ASYNC.comm(CommOp::PutAsync)
        .alias_names(&["tput_async"])
        .cpp("comm::TPUT_ASYNC")
        .page("docs/isa/comm/TPUT_ASYNC.md")
        .notes(&["On A5 the default engine copies through the scratch tile before it returns."])
        .cpp_forms(&[form("comm::TPUT_ASYNC<comm::DmaEngine::SDMA>($dst, $src, $session)")]);

    /// Start copying memory of another rank to local memory.
    ///
    /// The mirror image of `comm.tput_async`: `dst` holds the data once the event is complete.
    comm_tget_async = "comm.tget_async": ASYNC.comm(CommOp::GetAsync)
        .alias_names(&["tget_async"])
        .cpp("comm::TGET_ASYNC")
        .page("docs/isa/comm/TGET_ASYNC.md")
        .cpp_forms(&[form("comm::TGET_ASYNC<comm::DmaEngine::SDMA>($dst, $src, $session)")]);

    /// Wait for a background transfer.
    ///
    /// Returns when this transfer and all earlier ones of the session are complete; the result is true when they
    /// succeeded.
    comm_wait_async_event = "comm.wait_async_event": ASYNC_QUERY.comm(CommOp::WaitAsync)
        .alias_names(&["wait_async_event"])
        .cpp("Wait")
        .cpp_forms(&[form("$event.Wait($session)")]);

    /// Look whether a background transfer is complete.
    ///
    /// True when this transfer and all earlier ones of the session are complete. Never waits.
    comm_test_async_event = "comm.test_async_event": ASYNC_QUERY.comm(CommOp::TestAsync)
        .alias_names(&["test_async_event"])
        .cpp("Test")
        .cpp_forms(&[form("$event.Test($session)")]);

    /// Prepare for prefetching into the L2 cache.
    ///
    /// Builds the session and scratch memory `tprefetch_async` uses from a workspace the host prepared.
    make_prefetch_async_context: Row::EMPTY.comm(CommOp::PrefetchContext)
        .effect(Effect::Config)
        .cost(CostClass::Comm)
        .pipe(Pipe::S)
        .slots(&[value_in("workspace", SlotKind::Ptr).elem(&[I8, U8])])
        .results(&[result("ctx", SlotKind::Any)])
        .pattern("($workspace : :workspace) {} -> :ctx")
        .page("docs/isa/TPREFETCH_ASYNC.md")
        .example(PREFETCH_EXAMPLE)
        .cpp_forms(&[form("PrefetchAsyncContext((__gm__ uint8_t *)$workspace)")]);

    /// The session of a prefetch context.
    ///
    /// For `comm.wait_async_event` and `comm.test_async_event` on the events of `tprefetch_async`.
    get_prefetch_async_session: Row::EMPTY.comm(CommOp::PrefetchSession)
        .effect(Effect::View)
        .slots(&[value_in("ctx", SlotKind::Any)])
        .results(&[result("session", SlotKind::Session).infer(Infer::Fixed(FixedType::AsyncSession))])
        .pattern("$ctx {} : :ctx -> :session")
        .page("docs/isa/TPREFETCH_ASYNC.md")
        .example(PREFETCH_EXAMPLE)
        .cpp_forms(&[form("$ctx.session")]);
}

/// Extents of a view of global memory, lowered or not.
fn dims(ty: &Type) -> Option<&[Dim]> {
    match ty {
        Type::TensorView(v) | Type::PartitionView(v) => Some(&v.dims),
        Type::Memref(m) => Some(&m.view.dims),
        _ => None,
    }
}

fn view_broken(i: &Instance, slot: usize, found: &str, legal: &str) -> Verdict {
    let name = i.row.slot_at(slot).name;
    Verdict::Broken(Broken::new(codes::VIEW_SHAPE, vec![slot], format!("`{name}` {found}"), legal))
}

/// Every view among the operands, with its slot.
fn views<'a>(i: &Instance<'a>) -> impl Iterator<Item = (usize, &'a Type, &'a [Dim])> {
    i.args.iter().filter_map(|a| Some((usize::from(a.slot), a.ty, dims(a.ty)?)))
}

fn same_views(i: &Instance) -> Verdict {
    let (Some(dst), Some(src)) = (i.ty("dst"), i.ty("src")) else { return Verdict::Holds };
    let (Some(a), Some(b)) = (dims(dst), dims(src)) else { return Verdict::Holds };
    if a == b {
        Verdict::Holds
    } else {
        view_broken(i, i.at("dst"), &text!("is a {dst}, `src` a {src}", dst, src), text!("equal shapes"))
    }
}

fn copy_extents(i: &Instance) -> Verdict {
    for (slot, ty, dims) in views(i) {
        if dims.contains(&Dim::Fixed(0)) {
            return view_broken(i, slot, &text!("is a {ty}", ty), text!("positive extents"));
        }
        if dims.contains(&Dim::Dynamic) && matches!(ty, Type::TensorView(_)) {
            return view_broken(i, slot, &text!("is a {ty}", ty), text!("fixed extents, or a partition view"));
        }
    }
    Verdict::Holds
}

fn fixed_extents(i: &Instance) -> Verdict {
    for (slot, ty, dims) in views(i) {
        if dims.iter().any(|d| matches!(d, Dim::Dynamic | Dim::Fixed(0))) {
            return view_broken(i, slot, &text!("is a {ty}", ty), text!("fixed, positive extents"));
        }
    }
    Verdict::Holds
}

fn flat_views(i: &Instance) -> Verdict {
    for (slot, ty, dims) in views(i) {
        let (last, outer) = dims.split_last().unzip();
        let fixed = last.is_some_and(|d| *d != Dim::Dynamic);
        if !fixed || outer.is_some_and(|o: &[Dim]| o.iter().any(|d| *d != Dim::Fixed(1))) {
            return view_broken(i, slot, &text!("is a {ty}", ty), text!("one row of fixed length"));
        }
    }
    Verdict::Holds
}

fn twins(i: &Instance, a: &str, b: &str) -> Verdict {
    let (Some(x), Some(y)) = (i.tile(a), i.tile(b)) else { return Verdict::Holds };
    Verdict::require(x.same_object(y), || {
        Broken::new(codes::SHAPE, vec![i.at(b), i.at(a)], text!("`{b}` is {y}, `{a}` is {x}", b, y, a, x), text!("the same tile type"))
    })
}

fn twin_buffers(i: &Instance) -> Verdict {
    twins(i, "ping", "pong")
}

fn reduce_buffers(i: &Instance) -> Verdict {
    match twins(i, "acc", "recv_ping") {
        Verdict::Holds => twins(i, "recv_ping", "recv_pong"),
        other => other,
    }
}

/// The members of the group.
fn members<'a>(i: &Instance<'a>) -> Vec<&'a Type> {
    let slot = i.at("group");
    i.args.iter().filter(|a| usize::from(a.slot) == slot).map(|a| a.ty).collect()
}

fn equal_members(i: &Instance) -> Verdict {
    let members = members(i);
    let Some(first) = members.first() else {
        return Verdict::Broken(Broken::new(
            codes::OPERAND_COUNT,
            vec![i.at("group")],
            text!("an empty group"),
            text!("at least one member"),
        ));
    };
    match members.iter().find(|m| !m.same_object(first)) {
        None => Verdict::Holds,
        Some(other) => view_broken(i, i.at("group"), &text!("has a {other} and a {first}", other, first), text!("members of one type")),
    }
}

fn root_is_member(i: &Instance) -> Verdict {
    let Some(AttrValue::Int(root)) = i.attr("root") else { return Verdict::Holds };
    let count = members(i).len() as i64;
    Verdict::require((0..count).contains(&root), || {
        Broken::new(
            codes::ATTRIBUTE_VALUE,
            vec![i.at("group")],
            text!("root = {root}", root),
            text!("0 or more, less than {count}", count),
        )
    })
}

fn broadcast_shape(i: &Instance) -> Verdict {
    let (Some(src), Some(member)) = (i.ty("src"), members(i).first().copied()) else { return Verdict::Holds };
    if dims(src) == dims(member) {
        return Verdict::Holds;
    }
    view_broken(i, i.at("src"), &text!("is a {src}, a member a {member}", src, member), text!("the shape of a member"))
}

fn session_scratch(i: &Instance) -> Verdict {
    let Some(tile) = i.tile("scratch") else { return Verdict::Holds };
    Verdict::require(tile.bytes() >= 8, || {
        Broken::new(
            codes::SCRATCH,
            vec![i.at("scratch")],
            text!("`scratch` has {tile} bytes", tile = tile.bytes()),
            text!("at least 8 bytes"),
        )
    })
}
