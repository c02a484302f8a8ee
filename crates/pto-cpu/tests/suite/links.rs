//! Cores that talk to each other: signals, pipes, barriers, ranks, and what is said when nobody can go on.

use pto_cpu::{Arg, Options, Plan};
use pto_isa::{Diagnostic, Target};

fn plan(text: &str, target: Target) -> Plan {
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{}", problems[0].message);
    let checked = pto_check::check(module, target).unwrap_or_else(|r| panic!("{:?}", r));
    Plan::new(&checked, None, Options::default()).unwrap_or_else(|d| panic!("{d}"))
}

/// Vector cores pass tiles to the cube core, which passes them back negated twice: here only movement, no arithmetic.
fn round_trip(count: u32, split: u32) -> String {
    let rows = if split == 1 { 8 } else { 16 };
    let columns = if split == 2 { 8 } else { 16 };
    format!(
        "module {{
  func.func @main(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %gm: !pto.ptr<f32>) attributes {{pto.entry}} {{
    func.call @cube(%y, %gm) : (!pto.ptr<f32>, !pto.ptr<f32>) -> ()
    func.call @vector(%x, %gm) : (!pto.ptr<f32>, !pto.ptr<f32>) -> ()
    return
  }}
  func.func private @cube(%y: !pto.ptr<f32>, %gm: !pto.ptr<f32>) attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{
    %none = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %n = arith.constant {count} : index
    %all = arith.muli %n, %c16 : index
    %buf = pto.reserve_buffer {{name = \"v2c\", size = 8192, location = #pto.address_space<mat>, auto = true}} -> i32
    pto.aic_initialize_pipe {{dir_mask = 2, slot_size = 1024}} (gm_slot_buffer = %gm : !pto.ptr<f32>, c2v_consumer_buf = %none : i32, v2c_consumer_buf = %buf : i32)
    %view = pto.make_tensor_view %y, shape = [%all, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
    scf.for %i = %c0 to %n step %c1 {{
      %at = arith.muli %i, %c16 : index
      %mat = pto.tpop_from_aiv {{split = {split}}} -> !pto.tile_buf<mat, 16x16xf32>
      %to = pto.partition_view %view, offsets = [%at, %c0], sizes = [%c16, %c16] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x16xf32>
      pto.tstore ins(%mat : !pto.tile_buf<mat, 16x16xf32>) outs(%to : !pto.partition_tensor_view<16x16xf32>)
      pto.tfree_from_aiv {{split = {split}}}
    }}
    return
  }}
  func.func private @vector(%x: !pto.ptr<f32>, %gm: !pto.ptr<f32>) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %none = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %rows = arith.constant {rows} : index
    %columns = arith.constant {columns} : index
    %n = arith.constant {count} : index
    %all = arith.muli %n, %c16 : index
    %sub64 = pto.get_subblock_idx
    %sub = arith.index_cast %sub64 : i64 to index
    %down = arith.constant {down} : index
    %right = arith.constant {right} : index
    %row = arith.muli %sub, %down : index
    %column = arith.muli %sub, %right : index
    %buf = pto.import_reserved_buffer {{name = \"v2c\", peer_func = @cube}} -> i32
    pto.aiv_initialize_pipe {{dir_mask = 2, slot_size = 1024}} (gm_slot_buffer = %gm : !pto.ptr<f32>, c2v_consumer_buf = %none : i32, v2c_consumer_buf = %buf : i32)
    %tile = pto.alloc_tile : !pto.tile_buf<vec, {rows}x{columns}xf32>
    %view = pto.make_tensor_view %x, shape = [%all, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
    scf.for %i = %c0 to %n step %c1 {{
      %first = arith.muli %i, %c16 : index
      %at = arith.addi %first, %row : index
      %from = pto.partition_view %view, offsets = [%at, %column], sizes = [%rows, %columns] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<{rows}x{columns}xf32>
      pto.tload ins(%from : !pto.partition_tensor_view<{rows}x{columns}xf32>) outs(%tile : !pto.tile_buf<vec, {rows}x{columns}xf32>)
      pto.tpush_to_aic(%tile : !pto.tile_buf<vec, {rows}x{columns}xf32>) {{split = {split}}}
    }}
    return
  }}
}}",
        down = if split == 1 { 8 } else { 0 },
        right = if split == 2 { 8 } else { 0 },
    )
}

/// More entries than slots, whole tiles and halves by rows and by columns.
#[test]
fn tiles_go_through_pipes() {
    for target in [Target::A2A3, Target::Cpu] {
        for split in 0..3 {
            let plan = plan(&round_trip(20, split), target);
            let x: Vec<f32> = (0..20 * 256).map(|i| i as f32).collect();
            let (mut y, mut slots) = (vec![0.0f32; 20 * 256], vec![0.0f32; 8 * 256]);
            plan.launch()
                .run(&mut [Arg::read(&x), Arg::write(&mut y), Arg::write(&mut slots)])
                .unwrap_or_else(|d| panic!("{target} split {split}: {}", d.diagnostics()[0].message));
            assert!(x == y, "{target} split {split}");
        }
    }
}

/// A part of a tile takes as much of a slot as a tile of its own size.
#[test]
fn parts_of_tiles_go_through_pipes() {
    let part = "%whole = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>
    %tile = pto.subview %whole[%c0, %c16] sizes [16, 16] : !pto.tile_buf<vec, 16x32xf32> -> !pto.tile_buf<vec, 16x16xf32>";
    let text = round_trip(20, 0).replace("%tile = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>", part);
    assert!(text.contains("subview"));
    let x: Vec<f32> = (0..20 * 256).map(|i| i as f32).collect();
    let (mut y, mut slots) = (vec![0.0f32; 20 * 256], vec![0.0f32; 8 * 256]);
    plan(&text, Target::A2A3)
        .launch()
        .run(&mut [Arg::read(&x), Arg::write(&mut y), Arg::write(&mut slots)])
        .unwrap_or_else(|d| panic!("{d}"));
    assert!(x == y);
}

/// Without a split only the tiles of the first vector core count; the second may come when all have been taken.
/// A slot is as new for every run, whatever the run before left there.
#[test]
fn slots_of_an_earlier_run_are_empty() {
    let open = "!pto.tile_buf<vec, 8x16xf32, valid=?x16>";
    let text = round_trip(1, 1)
        .replace("%gm: !pto.ptr<f32>)", "%gm: !pto.ptr<f32>, %valid: index)")
        .replace(
            "(%y, %gm) : (!pto.ptr<f32>, !pto.ptr<f32>)",
            "(%y, %gm, %valid) : (!pto.ptr<f32>, !pto.ptr<f32>, index)",
        )
        .replace(
            "(%x, %gm) : (!pto.ptr<f32>, !pto.ptr<f32>)",
            "(%x, %gm, %valid) : (!pto.ptr<f32>, !pto.ptr<f32>, index)",
        )
        .replace(
            "pto.alloc_tile : !pto.tile_buf<vec, 8x16xf32>",
            "pto.alloc_tile valid_row = %valid : !pto.tile_buf<vec, 8x16xf32>",
        )
        .replace("!pto.tile_buf<vec, 8x16xf32>", open)
        .replace("sizes = [%rows, %columns]", "sizes = [%valid, %columns]")
        .replace("!pto.partition_tensor_view<8x16xf32>", "!pto.partition_tensor_view<?x16xf32>");
    let plan = plan(&text, Target::A2A3);
    let x: Vec<f32> = (1..=256).map(|n| n as f32).collect();
    for valid in [8, 3, 8, 5] {
        let (mut y, mut gm) = (vec![-1f32; 256], vec![0f32; 2048]);
        let mut args = [Arg::read(&x), Arg::write(&mut y), Arg::write(&mut gm), Arg::Int(valid)];
        plan.launch().run(&mut args).unwrap_or_else(|d| panic!("{d}"));
        let expected = |n: usize| if (n / 16 % 8) < valid as usize { x[n] } else { 0.0 };
        assert_eq!(y, (0..256).map(expected).collect::<Vec<_>>(), "{valid} valid rows of a half");
    }
}

#[test]
fn a_producer_that_does_not_count_may_be_late() {
    let wait = "%second = arith.cmpi eq, %sub, %c1 : index
    scf.if %second {
      pto.sync.wait <PIPE_MTE2>, 8
    }
    %tile = pto.alloc_tile";
    let text = round_trip(5, 0).replace("%tile = pto.alloc_tile", wait).replacen(
        "    return\n  }\n  func.func private @vector",
        "    pto.sync.set <PIPE_FIX>, 8\n    return\n  }\n  func.func private @vector",
        1,
    );
    assert!(text.contains("sync.wait") && text.contains("sync.set"));
    let x: Vec<f32> = (0..5 * 256).map(|i| i as f32).collect();
    let (mut y, mut slots) = (vec![0.0f32; 5 * 256], vec![0.0f32; 8 * 256]);
    plan(&text, Target::A2A3)
        .launch()
        .run(&mut [Arg::read(&x), Arg::write(&mut y), Arg::write(&mut slots)])
        .unwrap_or_else(|d| panic!("{d}"));
    assert!(x == y);
}

const SECTIONS: &str = "
func.func @main(%x: !pto.ptr<i32>) attributes {pto.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 10 : index
  %one = arith.constant 1 : i32
  pto.section.vector {
    scf.for %i = %c0 to %n step %c1 {
      pto.sync.wait <PIPE_V>, 3
      %old = pto.load_scalar %x[%c0] : !pto.ptr<i32> -> i32
      %new = arith.addi %old, %old : i32
      pto.store_scalar %new, %x[%c0] : !pto.ptr<i32>, i32
      pto.sync.set <PIPE_MTE3>, 4
    }
  }
  pto.section.cube {
    scf.for %i = %c0 to %n step %c1 {
      %old = pto.load_scalar %x[%c0] : !pto.ptr<i32> -> i32
      %new = arith.addi %old, %one : i32
      pto.store_scalar %new, %x[%c0] : !pto.ptr<i32>, i32
      pto.sync.set <PIPE_FIX>, 3
      pto.sync.wait <PIPE_FIX>, 4
    }
  }
  return
}";

/// The cube core adds one, the vector core doubles, in turns.
#[test]
fn signals_order_the_cores_of_a_block() {
    let mut x = [0i32];
    plan(SECTIONS, Target::A2A3).launch().run(&mut [Arg::write(&mut x)]).unwrap();
    assert_eq!(x[0], (0..10).fold(0, |x, _| (x + 1) * 2));
}

fn stuck(text: &str, target: Target) -> Diagnostic {
    let mut x = [0i32; 64];
    plan(text, target).launch().run(&mut [Arg::write(&mut x)]).expect_err("deadlock").into_diagnostics().remove(0)
}

#[test]
fn a_deadlock_says_who_waits_for_whom() {
    let text = SECTIONS.replace("pto.sync.set <PIPE_FIX>, 3", "pto.sync.set <PIPE_FIX>, 5");
    let problem = stuck(&text, Target::A2A3);
    assert_eq!(problem.code.id(), "PTO-E0712");
    assert_eq!(problem.message, "deadlock: the cube core waits for signal 4 of the vector cores");
    assert_eq!(problem.labels[0].text, "vector core 0 waits for signal 3 of the cube core");
}

/// Every core has steps of its own; times belong to the operations of the text.
#[test]
fn instructions_of_all_cores_are_timed() {
    let plan = plan(&round_trip(20, 1), Target::A2A3);
    let (x, mut y, mut slots) = (vec![0.0f32; 20 * 256], vec![0.0f32; 20 * 256], vec![0.0f32; 8 * 256]);
    let mut args = [Arg::read(&x), Arg::write(&mut y), Arg::write(&mut slots)];
    let times = plan.launch().timed().run(&mut args).unwrap().timings;
    let counts: Vec<(&str, u64)> = times.iter().map(|t| (&*t.name, t.count)).collect();
    assert_eq!(counts, [("tpop_from_aiv", 20), ("tstore", 20), ("tload", 40), ("tpush_to_aic", 40)]);
}

/// On the device the counter of a signal has four bits.
#[test]
fn signals_that_nobody_takes_are_counted() {
    let text = SECTIONS.replace("pto.sync.wait <PIPE_V>, 3", "").replace("pto.sync.wait <PIPE_FIX>, 4", "");
    let problem = stuck(&text.replace("arith.constant 10 : index", "arith.constant 16 : index"), Target::A2A3);
    assert_eq!(problem.code.id(), "PTO-E0713", "{}", problem.message);
}

#[test]
fn a_consumer_that_never_comes_is_a_deadlock() {
    let text = round_trip(20, 0).replace("pto.tpush_to_aic(%tile : !pto.tile_buf<vec, 16x16xf32>) {split = 0}", "");
    let plan = plan(&text, Target::A2A3);
    let (x, mut y, mut slots) = (vec![0.0f32; 20 * 256], vec![0.0f32; 20 * 256], vec![0.0f32; 8 * 256]);
    let problem =
        plan.launch().run(&mut [Arg::read(&x), Arg::write(&mut y), Arg::write(&mut slots)]).expect_err("stuck");
    assert_eq!(
        problem.diagnostics()[0].message,
        "deadlock: the cube core waits for an entry: the vector cores must push one"
    );
    assert!(problem.diagnostics()[0].legal[0].contains("vector core 0"), "{:?}", problem.diagnostics()[0].legal);
}

/// Block 0 reads a word until another block has written it, at most `%most` times.
const READS_AGAIN: &str = "
func.func @main(%word: !pto.ptr<i32>, %most: i32) attributes {pto.entry} {
  %at = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = STEP
  %block = pto.get_block_idx
  %me = arith.trunci %block : i64 to i32
  %first = arith.cmpi eq, %me, %zero : i32
  scf.if %first {
    %iterations = scf.while (%n = %zero) : (i32) -> i32 {
      %found = pto.load_scalar %word[%at] : !pto.ptr<i32> -> i32
      %nothing = arith.cmpi eq, %found, %zero : i32
      %more = arith.cmpi slt, %n, %most : i32
      %waits = arith.andi %nothing, %more : i1
      scf.condition(%waits) %n : i32
    } do {
    ^bb0(%n: i32):
      %next = arith.addi %n, %step : i32
      scf.yield %next : i32
    }
  } else {
    pto.store_scalar %one, %word[%at] : !pto.ptr<i32>, i32
  }
  return
}";

#[test]
fn a_word_that_is_read_again_and_again_lets_others_go_on() {
    let run = |count: u32, step: &str, threads: usize| {
        let mut word = [0i32];
        let plan = plan(&READS_AGAIN.replace("STEP", step), Target::A2A3);
        let launch = plan.launch().blocks(count).threads(threads);
        launch.run(&mut [Arg::write(&mut word), Arg::Int(1_200_000)]).map(|_| word[0])
    };
    let (counts, stays) = ("arith.constant 1 : i32", "arith.constant 0 : i32");
    assert_eq!(run(2, stays, 1), Ok(1));
    assert_eq!(run(5, stays, 2), Ok(1));
    // Who counts comes to an end; who does not, never.
    assert_eq!(run(1, counts, 1), Ok(0));
    let problem = run(1, stays, 1).expect_err("nobody writes the word");
    assert_eq!(problem.diagnostics()[0].code.id(), "PTO-E0712");
    assert!(
        problem.diagnostics()[0].message.ends_with("that it polls; its value is 0"),
        "{}",
        problem.diagnostics()[0].message
    );
}

/// Without memory the word is never written.
#[test]
fn a_word_that_is_read_again_and_again_is_not_followed_for_ever() {
    struct Nobody;
    impl pto_cpu::Observer for Nobody {
        fn event(&mut self, _: &pto_cpu::Event<'_>) {}
    }
    let plan = plan(&READS_AGAIN.replace("STEP", "arith.constant 0 : i32"), Target::A2A3);
    let known = [pto_cpu::Known::Nothing, pto_cpu::Known::Int(5)];
    let problem = plan.launch().observe(&mut Nobody).follow(&known).expect_err("it goes in circles");
    assert_eq!(problem.diagnostics()[0].code.id(), "PTO-E0712");
}

/// Tiles are given back wherever the cores that have them run.
#[test]
fn tiles_of_cores_that_wait_are_given_back() {
    let text = "
!t = !pto.tile_buf<vec, 1x8xf32>
func.func @main(%a: !t) attributes {pto.entry} {
  %two = arith.constant 2.0 : f32
  pto.tmuls ins(%a, %two : !t, f32) outs(%a : !t)
  pto.syncall() core_type = #pto.sync_core_type<aiv_only>
  return
}";
    let plan = plan(text, Target::A2A3);
    let mut tiles = [[1.0f32; 8], [3.0f32; 8]];
    let mut ranks: Vec<Arg> = tiles.iter_mut().map(|t| Arg::write(t)).collect();
    let report = plan.launch().ranks(2).run(&mut ranks).unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(report.written, [true, true]);
    plan.launch().blocks(2).run(&mut [Arg::write(&mut tiles[0])]).unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(tiles, [[4.0; 8], [6.0; 8]]);
}

/// Each block writes its number, all wait, and each reads what its neighbour wrote.
const RING: &str = "
func.func @main(%x: !pto.ptr<i32>, %y: !pto.ptr<i32>) attributes {pto.entry} {
  %one = arith.constant 1 : index
  %block64 = pto.get_block_idx
  %count64 = pto.get_block_num
  %block = arith.index_cast %block64 : i64 to index
  %count = arith.index_cast %count64 : i64 to index
  %number = arith.index_cast %block : index to i32
  pto.store_scalar %number, %x[%block] : !pto.ptr<i32>, i32
  pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aiv_only>
  %next = arith.addi %block, %one : index
  %neighbour = arith.remsi %next, %count : index
  %seen = pto.load_scalar %x[%neighbour] : !pto.ptr<i32> -> i32
  pto.store_scalar %seen, %y[%block] : !pto.ptr<i32>, i32
  return
}";

#[test]
fn all_blocks_arrive_before_any_goes_on() {
    let (mut x, mut y) = ([-1i32; 7], [-1i32; 7]);
    let plan = plan(RING, Target::A2A3);
    plan.launch().blocks(7).run(&mut [Arg::write(&mut x), Arg::write(&mut y)]).unwrap();
    assert_eq!(y, [1, 2, 3, 4, 5, 6, 0]);
}

/// Rank 0 waits until all others have told it, then adds up what they have.
const REDUCE: &str = "
!vector = !pto.tensor_view<128xf32>
!row = !pto.tile_buf<vec, 1x32xf32>
!word = !pto.tensor_view<1xi32>
func.func @main(%rank: i32, %x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %x1: !pto.ptr<f32>, %x2: !pto.ptr<f32>, %told: !pto.ptr<i32>) attributes {pto.entry} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : index
  %once = arith.constant 1 : i32
  %others = arith.constant 2 : i32
  %n = arith.constant 128 : index
  %mine = pto.make_tensor_view %x, shape = [%n], strides = [%one] : !vector
  %out = pto.make_tensor_view %y, shape = [%n], strides = [%one] : !vector
  %first = pto.make_tensor_view %x1, shape = [%n], strides = [%one] : !vector
  %second = pto.make_tensor_view %x2, shape = [%n], strides = [%one] : !vector
  %signal = pto.make_tensor_view %told, shape = [%one], strides = [%one] : !word
  %acc = pto.alloc_tile : !row
  %recv = pto.alloc_tile : !row
  %root = arith.cmpi eq, %rank, %zero : i32
  scf.if %root {
    pto.comm.twait(%signal, %others : !word, i32) {cmp = #pto<wait_cmp ge>}
    pto.comm.treduce(%out, %acc, recv(%recv), group(%mine, %first, %second) : !vector, !row, !row, !vector, !vector, !vector) {reduceOp = #pto<reduce_op sum>, root = 0 : i32}
  } else {
    %tile = pto.alloc_tile : !pto.tile_buf<vec, 1x128xf32>
    pto.tload ins(%mine : !vector) outs(%tile : !pto.tile_buf<vec, 1x128xf32>)
    pto.tadd ins(%tile, %tile : !pto.tile_buf<vec, 1x128xf32>, !pto.tile_buf<vec, 1x128xf32>) outs(%tile : !pto.tile_buf<vec, 1x128xf32>)
    pto.tstore ins(%tile : !pto.tile_buf<vec, 1x128xf32>) outs(%mine : !vector)
    pto.comm.tnotify(%signal, %once : !word, i32) {notifyOp = #pto<notify_op atomic_add>}
  }
  return
}";

#[test]
fn ranks_reach_each_others_memory() {
    let plan = plan(REDUCE, Target::A2A3);
    let mut x: Vec<Vec<f32>> = (0..3).map(|r| (0..128).map(|i| (i * 10 + r) as f32).collect()).collect();
    let mut y = vec![vec![0.0f32; 128]; 3];
    let mut told = vec![vec![0i32; 1]; 3];
    let mut args: Vec<Arg> = Vec::new();
    for (rank, ((x, y), told)) in x.iter_mut().zip(&mut y).zip(&mut told).enumerate() {
        let signal = if rank == 0 { Arg::write(told) } else { Arg::Remote { rank: 0, param: 5 } };
        let remote = |rank| Arg::Remote { rank, param: 1 };
        args.extend([Arg::Int(rank as i64), Arg::write(x), Arg::write(y), remote(1), remote(2), signal]);
    }
    plan.launch().ranks(3).run(&mut args).unwrap_or_else(|d| panic!("{d}"));
    drop(args);
    let want: Vec<f32> =
        (0..128).map(|i| (i * 10) as f32 + 2.0 * (i * 10 + 1) as f32 + 2.0 * (i * 10 + 2) as f32).collect();
    assert_eq!(y[0], want);
    assert_eq!(y[1], [0.0; 128]);
}

#[test]
fn a_rank_that_is_never_told_is_a_deadlock() {
    let plan = plan(&REDUCE.replace("arith.constant 2 : i32", "arith.constant 9 : i32"), Target::A2A3);
    let mut x = vec![vec![0.0f32; 128]; 3];
    let mut told = [0i32];
    let mut args: Vec<Arg> = Vec::new();
    let mut signal = Some(&mut told);
    for (rank, x) in x.iter_mut().enumerate() {
        let (x, y) = x.split_at_mut(128);
        let signal = signal.take().map_or(Arg::Remote { rank: 0, param: 5 }, |t| Arg::write(t));
        let remote = |rank| Arg::Remote { rank, param: 1 };
        args.extend([Arg::Int(rank as i64), Arg::write(x), Arg::write(y), remote(1), remote(2), signal]);
    }
    let problem = plan.launch().ranks(3).run(&mut args).expect_err("nobody tells it");
    assert_eq!(problem.diagnostics()[0].code.id(), "PTO-E0712", "{}", problem.diagnostics()[0].message);
}

/// A rank that asks again and again is stuck where it asks.
#[test]
fn polling_for_ever_is_a_deadlock() {
    let text = "
!word = !pto.tensor_view<1xi32>
func.func @main(%calls: !pto.ptr<i32>) attributes {pto.entry} {
  %one = arith.constant 1 : index
  %go = arith.constant true
  %two = arith.constant 2 : i32
  %told = pto.make_tensor_view %calls, shape = [%one], strides = [%one] : !word
  %end = scf.while (%a = %go) : (i1) -> (i1) {
    scf.condition(%a) %a : i1
  } do {
  ^bb0(%again: i1):
    %there = pto.comm.ttest(%told, %two : !word, i32) {cmp = #pto<wait_cmp ge>} -> i1
    %not = arith.xori %there, %go : i1
    scf.yield %not : i1
  }
  return
}";
    let mut word = [-7i32];
    let problem = plan(text, Target::A2A3).launch().blocks(50).run(&mut [Arg::write(&mut word)]).expect_err("for ever");
    assert_eq!(
        problem.diagnostics()[0].message,
        "deadlock: the core of block 0 waits for a signal word of at least 2; it is -7"
    );
    assert_eq!(&text[problem.diagnostics()[0].primary.span.start as usize..][..14], "pto.comm.ttest");
}

/// Somebody pushes more than others pop: the run ends, and the report says so.
#[test]
fn entries_that_nobody_pops_are_noted() {
    let text = round_trip(5, 0).replacen("%n = arith.constant 5 : index", "%n = arith.constant 3 : index", 1);
    let (x, mut y, mut slots) = (vec![0.0f32; 20 * 256], vec![0.0f32; 20 * 256], vec![0.0f32; 8 * 256]);
    let mut args = [Arg::read(&x), Arg::write(&mut y), Arg::write(&mut slots)];
    let report = plan(&text, Target::A2A3).launch().blocks(2).run(&mut args).unwrap_or_else(|d| panic!("{d}"));
    let notes: Vec<&str> = report.notes.iter().map(|n| &*n.message).collect();
    assert_eq!(notes, ["2 entries were pushed into this pipe and not popped"]);
}

fn refused(text: &str) -> Diagnostic {
    let (module, _) = pto_syntax::parse(text);
    let checked = pto_check::check(module, Target::A2A3).unwrap_or_else(|d| panic!("{}", d.diagnostics()[0].message));
    Plan::new(&checked, None, Options::default()).expect_err("it cannot run").into_diagnostics().remove(0)
}

/// Popped tiles would lie over other memory.
#[test]
fn a_ring_is_as_large_as_its_slots() {
    let problem = refused(&round_trip(20, 0).replace("size = 8192", "size = 8000"));
    assert_eq!(problem.code.id(), "PTO-E0713", "{}", problem.message);
    assert_eq!(problem.legal, ["at least 8192 bytes"]);
}

#[test]
fn a_slot_is_as_large_as_its_tiles() {
    let text = round_trip(20, 0).replace("slot_size = 1024", "slot_size = 512");
    let (x, mut y, mut slots) = (vec![0.0f32; 20 * 256], vec![0.0f32; 20 * 256], vec![0.0f32; 8 * 256]);
    let mut args = [Arg::read(&x), Arg::write(&mut y), Arg::write(&mut slots)];
    let problem = plan(&text, Target::A2A3).launch().run(&mut args).expect_err("half a tile");
    assert_eq!(problem.diagnostics()[0].code.id(), "PTO-E0713", "{}", problem.diagnostics()[0].message);
    assert_eq!(problem.diagnostics()[0].legal, ["slot_size = 1024 or more, at both ends of the pipe"]);
}

/// What a program asks for may be more than there is.
#[test]
fn too_much_memory_is_refused() {
    let text = round_trip(20, 0).replace("slot_size = 1024}", "slot_size = 1073741824}");
    let (module, _) = pto_syntax::parse(&text);
    let checked = pto_check::check(module, Target::A2A3).expect("it is legal");
    let problem = Plan::new(&checked, None, Options::default()).expect_err("8 GiB of slots");
    assert_eq!(problem.diagnostics()[0].code.id(), "PTO-E0708", "{}", problem.diagnostics()[0].message);

    let (mut x, mut y) = ([0i32; 8], [0i32; 8]);
    let problem = plan(RING, Target::A2A3).launch().blocks(u32::MAX).run(&mut [Arg::write(&mut x), Arg::write(&mut y)]);
    assert_eq!(problem.expect_err("4 billion cores at once").diagnostics()[0].code.id(), "PTO-E0708");
}
