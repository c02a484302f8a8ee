//! Predictions for whole programs.

use pto::cost::{
    Laws, Machine, Model, Options, OrderSource, PerfReport, Timeline, Trace, advise, record, record_run, simulate, view,
};
use pto::cpu::{Known, ParamKind};
use pto::isa::Pipe;
use pto::{Arg, Plan, Program, Target};
use std::path::Path;

/// Examples of one rank; those that depend on data are run by the tests of the command line.
fn examples() -> Vec<(String, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).expect("examples").flatten() {
        if entry.path().extension().is_some_and(|e| e == "pto") {
            let name = entry.file_name().to_string_lossy().into_owned();
            all.push((name, std::fs::read_to_string(entry.path()).expect("a file")));
        }
    }
    all.sort();
    all
}

fn plan(text: &str) -> (Plan, Target) {
    let program = Program::parse(text);
    let target = program.stated_target().unwrap_or(Target::A2A3);
    (program.plan(target, None, pto::Options::default()).expect("a legal program"), target)
}

/// Every number is 4096.
fn known(plan: &Plan) -> Vec<Known> {
    let of = |kind: &ParamKind| if matches!(kind, ParamKind::Scalar(_)) { Known::Int(4096) } else { Known::Nothing };
    plan.params().iter().map(|p| of(&p.kind)).collect()
}

fn predicted(plan: &Plan, target: Target, options: Options) -> (Trace, Timeline, PerfReport) {
    let laws = Laws::of(target);
    let trace = record(plan.launch(), &known(plan), options).expect("it can be followed");
    let line = simulate(&trace, &trace.charges, &Machine::of(laws)).expect("it has an end");
    let report = PerfReport::new(&trace, &line, laws);
    (trace, line, report)
}

#[test]
fn reports_of_examples_add_up() {
    for (name, text) in examples() {
        let (plan, target) = plan(&text);
        if plan.depends_on_data() {
            continue;
        }
        let (trace, line, report) = predicted(&plan, target, Options { touches: true, ..Options::default() });
        assert!(report.cycles > 0.0, "{name}");
        for pipe in &report.pipes {
            let waits: f64 = pipe.stalls.iter().map(|s| s.1).sum();
            assert!(pipe.busy + waits <= report.cycles * 1.0001, "{name}: {}", pipe.name());
        }
        let path: f64 = report.path.iter().map(|s| s.cycles).sum();
        assert!(path > 0.0 && path <= report.cycles * 1.0001, "{name}: a path of {path}");
        let shares: f64 = report.confidence.iter().map(|c| c.1).sum();
        assert!((shares - 1.0).abs() < 1e-6, "{name}");
        let names = view::OpNames::new(&name, &text, plan.checked().module());
        let shown = view::Shown { names: &names, trace: &trace, line: &line, report: &report, advice: &[] };
        let data: serde_json::Value = serde_json::from_str(&view::data(&shown)).expect("JSON");
        assert_eq!(data["cycles"].as_f64().map(f64::round), Some(report.cycles.round()), "{name}");
        let events: serde_json::Value = serde_json::from_str(&view::chrome_trace(&shown)).expect("JSON");
        let slices = events["traceEvents"].as_array().expect("a list").iter().filter(|e| e["ph"] == "X").count();
        assert_eq!(slices as u64, report.instructions, "{name}");
        let page = view::page(&shown);
        assert!(page.contains("\"lanes\":[{") && !page.contains("@DATA@"), "{name}");
    }
}

/// Following a program and running it show the same.
#[test]
fn following_is_running() {
    for example in ["matmul_manual.pto", "argmax_of_two.pto"] {
        let (_, text) = examples().into_iter().find(|e| e.0 == example).expect("an example");
        let (plan, _) = plan(&text);
        let measure = plan.launch().measure(&known(&plan)).expect("a size");
        let mut memory: Vec<Vec<u8>> =
            measure.extents.iter().map(|e| vec![0; e.as_ref().map_or(0, |e| e.elements as usize * 4)]).collect();
        let mut args: Vec<_> = memory.iter_mut().map(|m| Arg::write_bytes(m)).collect();
        let run = record_run(plan.launch(), &mut args, Options::default()).expect("it runs");
        let followed = record(plan.launch(), &known(&plan), Options::default()).expect("it can be followed");
        assert_eq!(run.items, followed.items, "{example}");
        assert_eq!(run.deps, followed.deps, "{example}");
        assert_eq!(run.charges, followed.charges, "{example}");
    }
}

/// The figures of the page: 14 to start, 19 to complete, 2 for each of 64 repeats.
#[test]
fn documented_figures() {
    let (plan, target) = plan(
        "func.func @largest(%a: !pto.tile_buf<vec, 64x64xf32>) {
           pto.tmax ins(%a, %a : !pto.tile_buf<vec, 64x64xf32>, !pto.tile_buf<vec, 64x64xf32>)
                    outs(%a : !pto.tile_buf<vec, 64x64xf32>)
           return
         }",
    );
    let documented = Options { model: Model::Documented, ..Options::default() };
    assert_eq!(predicted(&plan, target, documented).2.cycles, 161.0);
    assert_eq!(predicted(&plan, target, Options::default()).2.cycles, 152.0);
}

/// A program with one buffer gets faster with two, and the advice says so with the cycles that a second one really brings.
#[test]
fn double_buffering_is_found() {
    let (_, text) = examples().into_iter().find(|e| e.0 == "softmax.pto").expect("an example");
    let (plan, target) = plan(&text);
    let options = Options::default();
    let (trace, _, report) = predicted(&plan, target, options);
    assert!(trace.by_data);
    let retrace = |options: Options, blocks: Option<u32>| {
        record(plan.launch().blocks(blocks.unwrap_or(1)), &known(&plan), options).ok()
    };
    let advice = advise(&trace, &report, Laws::of(target), options, &retrace);
    let found =
        advice.iter().find(|a| matches!(a.change, pto::cost::AdviceChange::DoubleBuffer(_))).expect("the advice");
    assert!(found.gain > 0.2 && found.cycles < report.cycles, "{found:?}");
    assert!(advice.windows(2).all(|w| w[0].gain >= w[1].gain));
}

/// Order by data never takes longer than the flags of the program, and pipes overlap.
#[test]
fn flags_are_at_least_as_slow_as_data() {
    let (_, text) = examples().into_iter().find(|e| e.0 == "matmul_manual.pto").expect("an example");
    let (plan, target) = plan(&text);
    let (trace, _, by_flags) = predicted(&plan, target, Options::default());
    assert!(!trace.by_data);
    let by_data = predicted(&plan, target, Options { order: Some(OrderSource::Data), ..Options::default() }).2;
    assert!(by_data.cycles <= by_flags.cycles);
    assert_eq!(by_flags.busiest().and_then(|p| p.pipe), Some(Pipe::Mte2));
}

/// More blocks than cores run one after the other.
#[test]
fn blocks_wait_for_cores() {
    let (_, text) = examples().into_iter().find(|e| e.0 == "matmul_manual.pto").expect("an example");
    let (plan, target) = plan(&text);
    let cycles = |blocks: u32, cores: u32| {
        let options = Options { cores: Some(cores), ..Options::default() };
        let trace = record(plan.launch().blocks(blocks), &[], options).expect("it can be followed");
        simulate(&trace, &trace.charges, &Machine::of(Laws::of(target))).expect("it has an end").cycles
    };
    let one = cycles(1, 1);
    assert_eq!(cycles(4, 4), one);
    assert_eq!(cycles(4, 2), one * 2.0);
}

/// Order by data is a good picture of what auto mode makes: flags and addresses take somewhat longer, never less.
#[test]
fn order_by_data_is_close_to_what_auto_mode_makes() {
    let mut compared = 0;
    for (name, text) in examples() {
        let (plan, target) = plan(&text);
        if plan.depends_on_data() || plan.orders_pipes() {
            continue;
        }
        let by_data = predicted(&plan, target, Options::default()).2.cycles;
        let buffers = pto::checks::check(pto::opt::to_buffers(plan.checked()).expect("buffers"), target);
        let placed = pto::opt::plan_memory(&buffers.expect("legal"), pto::opt::plan::Options::default());
        let placed = pto::checks::check(placed.expect("it fits").module, target).expect("legal");
        let synced = pto::opt::insert_sync(&placed, pto::opt::SyncMode::Minimal);
        let synced = pto::checks::check(synced.module, target).expect("legal");
        let lowered = Plan::new(&synced, Some(plan.name()), pto::Options::default()).expect("a plan");
        let by_flags = predicted(&lowered, target, Options::default()).2.cycles;
        let ratio = by_flags / by_data;
        println!("{name}: {by_data:.0} by data, {by_flags:.0} by flags, {ratio:.3}");
        assert!((0.995..1.5).contains(&ratio), "{name}: {by_data} by data, {by_flags} by flags");
        compared += 1;
    }
    assert!(compared >= 5);
}

/// Without memory behind it, a window may be of any extent and at any distance.
#[test]
fn windows_of_any_extent() {
    let text = |shape: &str, strides: &str, ty: &str| {
        format!(
            "func.func @f(%x: !pto.ptr<f32>) attributes {{pto.entry}} {{
               %eight = arith.constant 8 : index
               %huge = arith.constant 4611686018427387904 : index
               %v = pto.make_tensor_view %x, shape = [{shape}], strides = [{strides}] : !pto.tensor_view<{ty}xf32>
               %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
               pto.tload ins(%v : !pto.tensor_view<{ty}xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
               return
             }}"
        )
    };
    for text in [text("%eight, %eight", "%huge, %huge", "8x8"), text("%huge, %huge", "%huge, %huge", "?x?")] {
        let (plan, target) = plan(&text);
        predicted(&plan, target, Options::default());
    }
}
