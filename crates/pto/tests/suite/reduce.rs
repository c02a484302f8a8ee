//! The reducer: what it proposes is legal, whatever is kept, and its result depends on nothing else.

use pto::isa::codes;
use pto::reduce::{Candidate, InputNumber, NotInteresting, Reduced, Reducer};
use pto::{Program, Target};
use pto_testkit::corpus::corpus;
use pto_testkit::random_program;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How often each problem occurs.
fn problems(program: &Program, target: Target) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    program.inspect(target).iter().for_each(|d| *counts.entry(d.code.id()).or_default() += 1);
    counts
}

/// Reduces a program with a predicate that follows no rule. So all changes are made, in every combination.
fn fickle(text: &str, target: Target, threads: usize) -> Reduced {
    let allowed = problems(&Program::parse(text), target);
    let holds = |candidate: &Candidate<'_>| {
        let read = Program::parse(candidate.text);
        for (code, count) in problems(&read, target) {
            let most = allowed.get(&code).copied().unwrap_or(0);
            assert!(count <= most, "{code} {count} times in\n{}\nmade of\n{text}", candidate.text);
        }
        let mut hasher = DefaultHasher::new();
        candidate.text.hash(&mut hasher);
        candidate.text == text || hasher.finish().is_multiple_of(3)
    };
    Reducer::new(text, target).threads(threads).run(&holds).expect("it holds for the original")
}

/// `REDUCE_ALL=1` takes all programs of the repository.
#[test]
fn candidates_are_legal() {
    let all = std::env::var_os("REDUCE_ALL").is_some();
    let mut tried = 0;
    for (at, path) in corpus().into_iter().enumerate() {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if !all && (at % 5 != 0 || text.len() > 6_000) {
            continue;
        }
        let target = Program::parse(&text).stated_target().unwrap_or(Target::A2A3);
        let reduced = fickle(&text, target, 1);
        assert!(reduced.after <= reduced.before, "{}", path.display());
        tried += reduced.tried;
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn results_do_not_depend_on_threads() {
    for seed in 0..3 {
        let text = random_program(seed, Target::A5, 40);
        let [one, two, five] = [1, 2, 5].map(|threads| fickle(&text, Target::A5, threads));
        assert_eq!((&one.text, one.tried), (&two.text, two.tried), "{text}");
        assert_eq!((&one.text, one.tried), (&five.text, five.tried), "{text}");
        assert!(one.after.operations < one.before.operations);
    }
}

fn reduced(text: &str, holds: impl Fn(&Candidate<'_>) -> bool + Sync) -> Reduced {
    Reducer::new(text, Target::A2A3).run(&holds).expect("it holds for the original")
}

#[test]
fn loops_branches_and_calls_are_unwrapped() {
    let text = "
        func.func private @twice(%n: index, %unused: f32) -> index {
          %sum = arith.addi %n, %n : index
          return %sum : index
        }
        func.func @f(%a: index, %c: i1) attributes {pto.entry} {
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : index
          %f = arith.constant 1.0 : f32
          %s = scf.for %i = %zero to %a step %one iter_args(%t = %zero) -> (index) {
            %u = scf.if %c -> (index) {
              %v = func.call @twice(%i, %f) : (index, f32) -> index
              scf.yield %v : index
            } else {
              scf.yield %t : index
            }
            scf.yield %u : index
          }
          %w = arith.addi %s, %one : index
          return
        }";
    let small = reduced(text, |c| {
        let used = pto::checks::reach(c.module, "f");
        used.is_some_and(|r| Program::of_module(r.module).to_text(None).contains("%sum = arith.addi"))
    });
    assert!(!["scf", "call", "twice"].iter().any(|word| small.text.contains(word)), "{}", small.text);
    assert!(small.after.operations <= 4, "{}", small.text);
}

#[test]
fn blocks_are_joined() {
    let text = "
        func.func @f(%c: i1) {
          cf.cond_br %c, ^a, ^b
        ^a:
          pto.barrier <PIPE_V>
          cf.br ^end
        ^b:
          pto.barrier <PIPE_M>
          cf.br ^end
        ^end:
          return
        }";
    let small = reduced(text, |c| c.text.contains("PIPE_V"));
    assert_eq!(small.text, "func.func @f() {\n  pto.barrier <PIPE_V>\n  return\n}\n");
}

#[test]
fn numbers_that_belong_together_shrink_together() {
    let text = "
        func.func @f(%x: !pto.ptr<f32>, %n: index) {
          %one = arith.constant 1 : index
          %w = arith.constant 64 : index
          %v = pto.make_tensor_view %x, shape = [%n, %w], strides = [%w, %one] : !pto.tensor_view<?x64xf32>
          %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
          %z = arith.constant 0 : index
          %s = arith.constant 16 : index
          %p = pto.partition_view %v, offsets = [%z, %z], sizes = [%s, %w] : !pto.tensor_view<?x64xf32> -> !pto.partition_tensor_view<16x64xf32>
          pto.tload ins(%p : !pto.partition_tensor_view<16x64xf32>) outs(%t : !pto.tile_buf<vec, 16x64xf32>)
          return
        }";
    let holds = |c: &Candidate<'_>| c.text.contains("pto.tload") && c.input("n").is_some_and(|n| n >= 3);
    let reducer = Reducer::new(text, Target::A2A3).inputs(vec![InputNumber::new("n", 4096)]);
    let small = reducer.run(&holds).expect("it holds for the original");
    assert_eq!(small.inputs[0].value, 4);
    assert!(small.text.contains("!pto.tile_buf<vec, 1x8xf32>"), "{}", small.text);
    assert!(small.after.numbers < 60, "{}\n{}", small.after.numbers, small.text);
}

#[test]
fn text_that_cannot_be_read_becomes_short_too() {
    let mut text = String::from("func.func @f(%a: index) {\n");
    for n in 0..50 {
        text += &format!("  %v{n} = arith.addi %a, %a : index\n");
        if n == 20 {
            text += "  %bad = arith.addi %a, : index )\n";
        }
    }
    text += "  return\n}\nfunc.func @g() {\n  return\n}\n";
    let broken = Program::parse(&text).problems().first().map(|d| d.code).expect("an error");
    let small = reduced(&text, |c| c.has(broken));
    assert_eq!(small.text.lines().count(), 4, "{}", small.text);
}

#[test]
fn an_original_without_the_fault_is_refused() {
    let done = Reducer::new("func.func @f() { return }", Target::A5).run(&|c: &Candidate<'_>| c.has(codes::UNKNOWN_OP));
    assert!(matches!(done, Err(NotInteresting)));
}

#[test]
fn a_search_can_be_stopped() {
    let text = random_program(7, Target::A5, 60);
    let stop = || true;
    let done = Reducer::new(&*text, Target::A5).stop_when(&stop).run(&|_: &Candidate<'_>| true);
    let done = done.expect("it holds for the original");
    assert!(done.stopped && done.text == text && done.tried == 1);
}
