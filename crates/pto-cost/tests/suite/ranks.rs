//! Several ranks: a few stand for all, links cost what was measured, and ranks that differ are noticed.

use pto_cost::{
    FollowedRank, Laws, Machine, Options, PerfReport, RankLink, RankNetwork, Trace, record_ranks, record_run, simulate,
};
use pto_cpu::{Arg, Plan};
use pto_isa::Target;

fn plan(body: &str, elements: u64) -> Plan {
    let text = format!(
        "!vector = !pto.tensor_view<{elements}xf32>
         !row = !pto.tile_buf<vec, 1x4096xf32>
         !word = !pto.tensor_view<1xi32>
         func.func @exchange(%x: !pto.ptr<f32>, %told: !pto.ptr<i32>, %next: !pto.ptr<f32>, %there: !pto.ptr<i32>) {{
           %n = arith.constant {elements} : index
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %three = arith.constant 3 : index
           %once = arith.constant 1 : i32
           %from = pto.make_tensor_view %x, shape = [%n], strides = [%one] : !vector
           %to = pto.make_tensor_view %next, shape = [%n], strides = [%one] : !vector
           %here = pto.make_tensor_view %told, shape = [%one], strides = [%one] : !word
           %tell = pto.make_tensor_view %there, shape = [%one], strides = [%one] : !word
           %stage = pto.alloc_tile : !row
           {body}
           return
         }}"
    );
    let (module, problems) = pto_syntax::parse(&text);
    assert!(problems.is_empty(), "{problems:?}");
    let checked = pto_check::check(module, Target::A2A3).expect("a legal program");
    Plan::new(&checked, None, pto_cpu::Options::default()).expect("one entry")
}

const RING: &str = "scf.for %i = %zero to %three step %one {
    %count = arith.addi %i, %one : index
    %wanted = arith.index_cast %count : index to i32
    pto.comm.tput(%to, %from, buf(%stage) : !vector, !vector, !row)
    pto.comm.tnotify(%tell, %once : !word, i32) {notifyOp = #pto<notify_op atomic_add>}
    pto.comm.twait(%here, %wanted : !word, i32) {cmp = #pto<wait_cmp ge>}
  }";

/// The ranks of a ring that stand for all, without memory.
fn followed(plan: &Plan, network: RankNetwork) -> Trace {
    let of = |rank: u32| {
        let next = (rank + 1) % network.ranks;
        FollowedRank { rank, known: Vec::new(), remote: vec![None, None, Some((next, 0)), Some((next, 1))] }
    };
    let ranks: Vec<FollowedRank> = network.representatives().into_iter().map(of).collect();
    record_ranks(plan.launch(), &ranks, options(network)).expect("it can be followed")
}

/// All ranks of the ring, executed together.
fn executed(plan: &Plan, elements: usize, network: RankNetwork) -> Trace {
    let count = network.ranks as usize;
    let (mut data, mut words) = (vec![vec![1.0f32; elements]; count], vec![[0i32]; count]);
    let mut args = Vec::new();
    for (rank, (x, told)) in data.iter_mut().zip(&mut words).enumerate() {
        let next = (rank + 1) % count;
        args.extend([Arg::write(x), Arg::write(told)]);
        args.extend([Arg::Remote { rank: next, param: 0 }, Arg::Remote { rank: next, param: 1 }]);
    }
    record_run(plan.launch().ranks(count), &mut args, options(network)).expect("it runs")
}

fn options(network: RankNetwork) -> Options {
    Options { network: Some(network), ..Options::default() }
}

fn report(trace: &Trace) -> PerfReport {
    let laws = Laws::of(Target::A2A3);
    let line = simulate(trace, &trace.charges, &Machine::of(laws)).expect("it comes to an end");
    PerfReport::new(trace, &line, laws)
}

#[test]
fn some_ranks_predict_what_all_of_them_do() {
    let plan = plan(RING, 4096);
    for link in RankLink::names() {
        let network = RankNetwork::single(RankLink::named(link).unwrap(), 6);
        let (some, all) = (report(&followed(&plan, network)), report(&executed(&plan, 4096, network)));
        assert_eq!(some.cycles, all.cycles, "{link}");
        assert_eq!(some.ranks.unwrap().simulated.len(), 3);
        assert_eq!(all.ranks.unwrap().simulated.len(), 6);
    }
}

#[test]
fn a_step_of_a_ring_takes_its_bytes_and_a_latency() {
    let link = RankLink::named("roce").unwrap().with_bandwidth(10.0).with_latency(100.0);
    let trace = followed(&plan(RING, 4096), RankNetwork::single(link, 1000));
    let report = report(&trace);
    // 16 KiB at 10 GB/s, and twice the latency: of the transfer and of the signal.
    let least = 3.0 * (16384.0 / 10_000.0 + 200.0);
    assert!((least..least * 1.01).contains(&report.micros), "{} µs, expected {least}", report.micros);
    let ranks = report.ranks.unwrap();
    assert_eq!((ranks.bound(), ranks.simulated[0].near_bytes), (Some("roce"), 3 * 16384));
}

#[test]
fn the_border_of_a_server_is_another_link() {
    let network = RankNetwork::of(Target::A2A3, 1024);
    let ranks = report(&followed(&plan(RING, 4096), network)).ranks.unwrap();
    let bytes: Vec<_> = ranks.simulated.iter().map(|r| (r.rank, r.near_bytes > 0, r.far_bytes > 0)).collect();
    assert_eq!(bytes, [(0, true, false), (1, true, false), (7, false, true), (8, true, false), (1023, false, true)]);
}

/// Bytes, and counter ticks of 20 ns that a transfer between two 910B took: the README of `tget_bandwidth` in pto-isa.
const TGET: [(u64, f64); 6] = [
    (4 << 10, 36.28),
    (16 << 10, 149.98),
    (64 << 10, 579.62),
    (256 << 10, 2409.72),
    (1 << 20, 9317.93),
    (4 << 20, 37924.12),
];

#[test]
fn transfers_of_a_core_take_what_was_measured() {
    let get = "pto.comm.tget(%from, %to, buf(%stage) : !vector, !vector, !row)";
    for (bytes, ticks) in TGET {
        let trace = followed(&plan(get, bytes / 4), RankNetwork::of(Target::A2A3, 2));
        let (predicted, measured) = (report(&trace).micros, ticks * 0.02);
        // The start of the local store is visible where little is moved.
        let error = (predicted - measured).abs();
        assert!(error < measured * 0.06 + 0.4, "{bytes} bytes: {predicted:.2} µs, measured {measured:.2}");
    }
}

#[test]
fn ranks_that_wait_before_they_send_are_not_alike() {
    let chain = "pto.comm.twait(%here, %once : !word, i32) {cmp = #pto<wait_cmp ge>}
        pto.comm.tnotify(%tell, %once : !word, i32) {notifyOp = #pto<notify_op atomic_add>}";
    let trace = followed(&plan(chain, 4096), RankNetwork::of(Target::A2A3, 1024));
    assert_eq!(trace.unanswered.len(), 5, "one of each rank that is followed");
}

#[test]
fn a_rank_that_all_others_write_to_is_the_bottleneck() {
    let plan = plan("pto.comm.tput(%to, %from, buf(%stage) : !vector, !vector, !row)", 4096);
    let network = RankNetwork::of(Target::A2A3, 1024);
    let of = |rank: u32| FollowedRank { rank, known: Vec::new(), remote: vec![None, None, Some((0, 0)), Some((0, 1))] };
    let ranks: Vec<FollowedRank> = network.representatives().into_iter().map(of).collect();
    let trace = record_ranks(plan.launch(), &ranks, options(network)).expect("it can be followed");
    let report = report(&trace);
    let hot = report.ranks.as_ref().and_then(|r| r.hot).expect("rank 0 is");
    assert_eq!((hot.rank, hot.is_far), (0, true));
    // 1016 ranks of other servers, 16 KiB each, at 25 GB/s.
    assert_eq!(report.micros.round(), (1016.0f64 * 16384.0 / 25_000.0).round());
}
