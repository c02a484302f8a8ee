//! What orders pipes and cores, in programs: the same work with and without it.

use pto_cost::{Laws, Machine, Options, OrderSource, Trace, Why, record, simulate};
use pto_cpu::Plan;
use pto_isa::Target;

/// Two loads, each followed by an addition on the same tile, with something between them.
fn program(between: &str) -> String {
    let tile = "!pto.tile_buf<vec, 64x64xf32>";
    let window = "!pto.partition_tensor_view<64x64xf32>";
    let iteration = format!(
        "{between}
         pto.tload ins(%w : {window}) outs(%t : {tile})
         pto.tadd ins(%u, %u : {tile}, {tile}) outs(%u : {tile})"
    );
    format!(
        "func.func @f(%x: !pto.ptr<f32>) {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %n = arith.constant 64 : index
           %first = arith.constant 0 : i64
           %second = arith.constant 16384 : i64
           %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<64x64xf32>
           %w = pto.partition_view %xs, offsets = [%zero, %zero], sizes = [%n, %n] : !pto.tensor_view<64x64xf32> -> {window}
           %t = pto.alloc_tile addr = %first : {tile}
           %u = pto.alloc_tile addr = %second : {tile}
           {iteration}
           {iteration}
           return
         }}"
    )
}

fn trace(text: &str, target: Target, options: Options) -> Trace {
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{problems:?}");
    let checked = pto_check::check(module, target).expect("a legal program");
    let plan = Plan::new(&checked, None, pto_cpu::Options::default()).expect("one entry");
    record(plan.launch(), &[], options).expect("it can be followed")
}

/// Cycles in program order. Instructions are issued in order, one per cycle.
fn cycles(between: &str, target: Target) -> f64 {
    let by_program = Options { order: Some(OrderSource::Program), ..Options::default() };
    let trace = trace(&program(between), target, by_program);
    simulate(&trace, &trace.charges, &Machine::of(Laws::of(target))).expect("it has an end").cycles
}

/// Loads and additions are on different pipes: without order only the longer pipe counts, here the loads.
#[test]
fn pipes_overlap() {
    let one = trace(&program(""), Target::A2A3, Options { order: Some(OrderSource::Program), ..Options::default() });
    let load = one.charges[one.items[0].charge as usize].charge;
    assert_eq!(cycles("", Target::A2A3), load.head + 2.0 * load.body);
}

/// A barrier over all pipes lets the second load start only when the first addition is done.
#[test]
fn a_barrier_over_all_pipes_separates_iterations() {
    let both = cycles("pto.barrier #pto.pipe<PIPE_ALL>", Target::A2A3);
    assert!(both > cycles("", Target::A2A3) + 400.0, "{both}");
}

/// A barrier of one pipe makes the vector unit run empty: filling and draining count twice.
#[test]
fn a_barrier_of_a_pipe_costs_filling_and_draining() {
    let options = Options { order: Some(OrderSource::Program), ..Options::default() };
    let with = trace(&program("pto.barrier #pto.pipe<PIPE_V>"), Target::A2A3, options);
    let fresh = |t: &Trace| t.items.iter().filter(|i| !i.orders && i.fresh).count();
    assert!(fresh(&with) > fresh(&trace(&program(""), Target::A2A3, options)));
}

/// A flag from the additions to the loads, raised after each addition and awaited before each load but the first.
#[test]
fn a_flag_is_awaited() {
    let flag = "pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
                pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]";
    let options = Options { order: Some(OrderSource::Program), ..Options::default() };
    let trace = trace(&program(flag), Target::A2A3, options);
    let waits = trace.deps.iter().filter(|d| d.why == Why::Flag).count();
    assert_eq!(waits, 2);
    assert!(cycles(flag, Target::A2A3) >= cycles("", Target::A2A3));
}

/// A token that the vector unit holds while it adds and the loads need.
#[test]
fn a_token_is_passed_on() {
    let token = "pto.get_buf [#pto.pipe_event_type<TLOAD>, 0]
                 pto.rls_buf [#pto.pipe_event_type<TLOAD>, 0]
                 pto.get_buf [#pto.pipe_event_type<TVEC>, 0]
                 pto.rls_buf [#pto.pipe_event_type<TVEC>, 0]";
    let options = Options { order: Some(OrderSource::Program), ..Options::default() };
    let trace = trace(&program(token), Target::A5, options);
    assert!(trace.deps.iter().any(|d| d.why == Why::Token));
}

/// Order by data finds that the additions need nothing from the loads, and that each addition needs the one before.
#[test]
fn data_orders_what_it_has_to() {
    let trace = trace(&program(""), Target::A2A3, Options { order: Some(OrderSource::Data), ..Options::default() });
    assert!(trace.deps.is_empty(), "{:?}", trace.deps);
    let adds: Vec<bool> = trace.items.iter().skip(1).step_by(2).map(|i| i.fresh).collect();
    assert_eq!(adds, [true, true]);
}
