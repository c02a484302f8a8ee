//! Prints name their line, iteration and core, and every memory can be printed.

use pto_cpu::{Options, Plan, RunReport};
use pto_isa::Target;

fn run(text: &str, target: Target, blocks: u32, ranks: usize) -> RunReport {
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{problems:?}");
    let checked = pto_check::check(module, target).unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::new(&checked, None, Options::default()).expect("a plan");
    plan.launch().blocks(blocks).ranks(ranks).run(&mut []).expect("it runs")
}

fn heads(report: &RunReport) -> Vec<String> {
    let head = |text: String| text.lines().next().unwrap_or_default().to_string();
    report.printed.iter().map(|p| head(p.to_string())).collect()
}

const LOOPS: &str = "func.func @f() {
  %n = arith.constant 7 : i32
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  pto.print ins(\"n = %d\\n\", %n : i32)
  scf.for %i = %zero to %two step %one {
    scf.for %j = %one to %two step %one {
      pto.print ins(\"n = %d\", %n : i32)
    }
  }
  return
}";

#[test]
fn a_head_has_what_is_not_clear() {
    assert_eq!(heads(&run(LOOPS, Target::A5, 1, 1)), ["n = 7", "iteration 0.0  n = 7", "iteration 1.0  n = 7"]);
    let two = heads(&run(LOOPS, Target::A5, 2, 1));
    assert_eq!(two[..3], ["block 0  n = 7", "iteration 0.0  block 0  n = 7", "iteration 1.0  block 0  n = 7"]);
    assert_eq!(two[3], "block 1  n = 7");
    assert_eq!(heads(&run(LOOPS, Target::A5, 1, 2))[3], "rank 1  n = 7");
}

#[test]
fn cores_of_a_block_are_named() {
    let text = "func.func @f() {
      %n = arith.constant 7 : i32
      pto.section.cube {
        pto.print ins(\"%d\", %n : i32)
        pto.sync.set <PIPE_FIX>, 3
      }
      pto.section.vector {
        pto.sync.wait <PIPE_V>, 3
        pto.print ins(\"%d\", %n : i32)
      }
      return
    }";
    let cores = heads(&run(text, Target::A2A3, 1, 1));
    assert_eq!(cores[..2], ["cube  7", "vector 0  7"], "{cores:?}");
    let last = heads(&run(text, Target::A2A3, 2, 1)).pop();
    assert!(last.is_some_and(|head| head.starts_with("block 1 vector ")));
}

/// A tile of every memory; what it holds does not matter, only that it is shown row by row.
#[test]
fn every_memory_is_printed() {
    for ty in [
        "vec, 16x16xf32",
        "vec, 1x32xi8",
        "vec, 16x16xbf16",
        "mat, 16x16xf16, blayout=col_major, slayout=row_major",
        "left, 16x16xf16, blayout=col_major, slayout=row_major",
        "right, 16x16xf16, blayout=row_major, slayout=col_major",
        "acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024",
        "bias, 1x16xf32",
        "scaling, 1x16xui64",
    ] {
        let text = format!(
            "func.func @f() {{\n%t = pto.alloc_tile : !pto.tile_buf<{ty}>\npto.tprint ins(%t : !pto.tile_buf<{ty}>)\nreturn\n}}"
        );
        let report = run(&text, Target::A5, 1, 1);
        let printed = &report.printed[0];
        let (memory, rest) = ty.split_once(", ").expect("a memory");
        assert!(printed.title.starts_with(&format!("%t  {memory} ")), "{}", printed.title);
        let rows: usize = rest.split('x').next().and_then(|n| n.parse().ok()).expect("rows");
        assert_eq!(printed.text.lines().count(), rows, "{ty}:\n{}", printed.text);
    }
}
