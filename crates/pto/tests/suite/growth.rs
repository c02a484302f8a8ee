//! Long programs of every shape go through everything that is done before a program runs, within the time of an ordinary test.
//!
//! No time is asserted: something whose time grows with the square of the program would take longer than all other tests. `cargo bench -p pto --bench
//! growth` has figures; `GROWTH_LINES=20000` makes the programs that go through one stage longer.

use pto::cost::{Laws, Machine, PerfReport, record, simulate};
use pto::{Arg, Options, Program, Target};
use pto_testkit::shapes::{ShapeKind, all};
use pto_testkit::stages::STAGES;

/// What goes through everything.
const LINES: usize = 500;
/// What goes through one stage, unless `GROWTH_LINES` says otherwise.
const MANY_LINES: usize = 4_000;

fn many_lines() -> usize {
    std::env::var("GROWTH_LINES").ok().and_then(|n| n.parse().ok()).unwrap_or(MANY_LINES)
}

/// Shapes are what they say: otherwise nothing but the reader would see them.
#[test]
fn shapes_are_legal_or_broken_as_they_say() {
    let mut wrong = Vec::new();
    for shape in all() {
        let program = Program::parse(&(shape.text)(LINES));
        let errors: Vec<_> = program.inspect(Target::A2A3).into_iter().filter(|d| d.is_error()).collect();
        if errors.is_empty() == (shape.kind == ShapeKind::Broken) {
            wrong.push((shape.name, errors.into_iter().next()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_shape_goes_through_every_stage() {
    for shape in all() {
        // Broken ones are long enough to be broken, and do not come far.
        let text = (shape.text)(if shape.kind == ShapeKind::Broken { LINES } else { LINES * 2 / 5 });
        STAGES.iter().for_each(|(_, stage)| stage(&text));
    }
}

/// Shapes for which a stage once took the square of their length, or more.
const ONCE_SLOW: &[(&str, &str)] = &[
    ("errors: one list of operands", "check"),
    ("loops in a row", "plan"),
    ("blocks in a row", "plan"),
    ("blocks with arguments", "level 2"),
    ("blocks in a round", "plan"),
    ("blocks in a round", "lower"),
    ("blocks in a round, one of two tiles", "plan"),
    ("blocks in a round, one of two tiles", "lower"),
    ("parts of tiles", "plan"),
    ("carried tiles", "sync"),
    ("tiles in turn", "sync"),
    ("tiles that move", "sync"),
    ("tiles all at once", "plan"),
    ("tiles from branch to branch", "plan"),
    ("tiles from branch to branch", "lower"),
    ("tiles from branch to branch, used", "plan"),
    ("tiles from branch to branch, used", "sync"),
    ("tiles from branch to branch, used", "lower"),
    ("selected tiles", "sync"),
    ("carried tile values", "sync"),
    ("small carried tile values", "lower"),
    ("tiles at a computed address", "sync"),
    ("copies from loop to loop", "plan"),
    ("copies of one tile", "plan"),
    ("copies in a loop", "plan"),
    ("copies that one loop carries", "plan"),
    ("tiles from block to block", "plan"),
    ("one of two tiles from block to block", "plan"),
    ("tiles from branch to branch in a loop", "level 2"),
    ("functions", "steps"),
    ("functions with copies", "level 2"),
    ("functions calling functions", "steps"),
    ("kernels in a file", "check"),
    ("aliases", "format"),
    ("aliases of aliases", "format"),
    ("attribute aliases", "format"),
    ("blocks that leave", "check"),
    ("errors: undefined names", "check"),
    ("errors: names that are nearly right", "check"),
    ("errors: calls of nobody", "check"),
];

#[test]
fn long_programs_go_through_what_was_slow() {
    for (shape, stage) in ONCE_SLOW {
        let shape = all().find(|s| s.name == *shape).expect("a shape");
        let (_, stage) = STAGES.iter().find(|(name, _)| name == stage).expect("a stage");
        stage(&(shape.text)(many_lines()));
    }
}

#[test]
fn every_shape_that_runs_is_followed() {
    for shape in all().filter(|s| s.kind == ShapeKind::Runs) {
        let text = (shape.text)(LINES);
        let plan = Program::parse(&text).plan(Target::A2A3, None, Options::default());
        let plan = plan.unwrap_or_else(|problems| panic!("{}: {:?}", shape.name, problems.first()));
        if plan.depends_on_data() {
            continue;
        }
        let trace = record(plan.launch(), &[], Default::default()).expect("it can be followed");
        let laws = Laws::of(Target::A2A3);
        // Flags of a shape need not fit together.
        if let Ok(line) = simulate(&trace, &trace.charges, &Machine::of(laws)) {
            assert!(PerfReport::new(&trace, &line, laws).cycles >= 0.0, "{}", shape.name);
        }
    }
}

/// Every line of this program has a finding of its own.
#[test]
fn many_findings_are_described() {
    let shape = all().find(|s| s.name == "barriers").expect("a shape");
    let program = Program::parse(&(shape.text)(MANY_LINES));
    let plan = program.plan(Target::A2A3, None, Options::default()).expect("it is legal");
    let (x, mut y) = (vec![0.0f32; 16 * 64], vec![0.0f32; 16 * 64]);
    let report = pto::race::check(plan.launch(), &mut [Arg::read(&x), Arg::write(&mut y)]);
    assert!(report.findings.len() > MANY_LINES / 4, "{}", report.findings.len());
}

/// Each clean of the data cache is for the lines since the last one, not for all lines of the program.
#[test]
fn many_cleans_of_the_cache_are_followed() {
    let line = |n: usize| {
        let store =
            format!("%i{n} = arith.constant {} : index\npto.store_scalar %v, %p[%i{n}] : !pto.ptr<i32>, i32", n * 16);
        format!("{store}\npto.cmo.cacheinvalid all #pto.address_space<gm>\n")
    };
    let body: String = (0..MANY_LINES / 3).map(line).collect();
    let text = format!("func.func @f(%p: !pto.ptr<i32>) {{\n%v = arith.constant 1 : i32\n{body}return\n}}");
    let plan = Program::parse(&text).plan(Target::A2A3, None, Options::default()).expect("it is legal");
    let report = pto::race::check(plan.launch(), &mut [Arg::write(&mut vec![0i32; MANY_LINES * 6])]);
    assert!(report.findings.is_empty(), "{:?}", report.findings.first());
}
