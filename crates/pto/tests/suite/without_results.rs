//! Runs that compute only what decides something: observers are told the same.

use pto::cpu::{Event, Observer, ParamKind};
use pto::{Arg, Options, Plan, Program, Target};
use std::path::Path;

/// The events of a run.
#[derive(Default, PartialEq, Debug)]
pub struct EventLog(pub Vec<String>);

impl Observer for EventLog {
    fn event(&mut self, event: &Event<'_>) {
        self.0.push(format!("{event:?}"));
    }
}

fn plan(text: &str) -> Plan {
    let program = Program::parse(text);
    let target = program.stated_target().unwrap_or(Target::A2A3);
    program.plan(target, None, Options::default()).expect("a legal program")
}

/// How a run on memory of this many bytes ends, and what it tells.
fn told(plan: &Plan, bytes: usize, computes: bool) -> (Result<(), String>, Vec<String>) {
    let mut memory = vec![vec![0u8; bytes]; plan.params().len()];
    let is_scalar = |at: usize| matches!(plan.params()[at].kind, ParamKind::Scalar(_));
    let mut args = Vec::new();
    for (at, bytes) in memory.iter_mut().enumerate() {
        args.push(if is_scalar(at) { Arg::Int(1 << 20) } else { Arg::write_bytes(bytes) });
    }
    let mut events = EventLog::default();
    let launch = plan.launch().observe(&mut events);
    let done = if computes { launch.run(&mut args) } else { launch.run_without_results(&mut args) };
    (done.map(drop).map_err(|problem| format!("{:?}", problem.diagnostics())), events.0)
}

fn same(plan: &Plan, bytes: usize) -> (Result<(), String>, Vec<String>) {
    let (with, without) = (told(plan, bytes, true), told(plan, bytes, false));
    assert_eq!(with.0, without.0);
    assert!(with.1 == without.1, "other events");
    without
}

#[test]
fn examples_tell_the_same() {
    for name in ["softmax", "rms_norm", "vector_add", "flash_attention", "matmul_bias_relu", "conv2d", "top_k"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).with_extension("pto");
        let (done, events) = same(&plan(&std::fs::read_to_string(path).expect("an example")), 1 << 24);
        assert!(done.is_ok() && events.len() > 4, "{name}: {done:?}");
    }
}

/// A loop over windows of 16 rows; `between` computes something.
fn windows(dtype: &str, between: &str) -> String {
    format!(
        "func.func @windows(%x: !pto.ptr<{dtype}>) {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %n = arith.constant 16 : index
           %rows = arith.constant 128 : index
           %v = pto.make_tensor_view %x, shape = [%rows, %n], strides = [%n, %one] : !pto.tensor_view<128x16x{dtype}>
           %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16x{dtype}>
           scf.for %i = %zero to %rows step %n {{
             %p = pto.partition_view %v, offsets = [%i, %zero], sizes = [%n, %n] : !pto.tensor_view<128x16x{dtype}> -> !pto.partition_tensor_view<16x16x{dtype}>
             pto.tload ins(%p : !pto.partition_tensor_view<16x16x{dtype}>) outs(%t : !pto.tile_buf<vec, 16x16x{dtype}>)
             {between}
             pto.tstore ins(%t : !pto.tile_buf<vec, 16x16x{dtype}>) outs(%p : !pto.partition_tensor_view<16x16x{dtype}>)
           }}
           return
         }}"
    )
}

#[test]
fn a_window_that_leaves_its_buffer_later_is_an_error() {
    let text = windows("f32", "");
    let (done, events) = same(&plan(&text), 64 * 16 * 4);
    assert!(done.is_err_and(|problem| problem.contains("703")));
    assert_eq!(events.len(), 8);
    assert!(same(&plan(&text), 128 * 16 * 4).0.is_ok());
}

#[test]
fn a_zero_divisor_is_an_error() {
    let tile = "!pto.tile_buf<vec, 16x16xi32>";
    let divide = format!("pto.tdiv ins(%t, %t : {tile}, {tile}) outs(%t : {tile})");
    let program = Program::parse(&windows("i32", &divide));
    let plan = program.plan(Target::A5, None, Options::default()).expect("a legal program");
    assert!(same(&plan, 128 * 16 * 4).0.is_err_and(|problem| problem.contains("704")));
}

#[test]
fn numbers_that_decide_nothing_are_not_computed() {
    let tile = "!pto.tile_buf<vec, 16x16xf32>";
    let double = format!("pto.tadd ins(%t, %t : {tile}, {tile}) outs(%t : {tile})");
    let plan = plan(&windows("f32", &double));
    let results = |computes: bool| {
        let mut x = vec![1.0f32; 128 * 16];
        let launch = plan.launch();
        let (mut events, mut args) = (EventLog::default(), [Arg::write(&mut x)]);
        let launch = launch.observe(&mut events);
        if computes { launch.run(&mut args) } else { launch.run_without_results(&mut args) }.expect("it runs");
        x
    };
    assert!(results(true).iter().all(|x| *x == 2.0));
    assert!(results(false).iter().any(|x| *x != 2.0));
}
