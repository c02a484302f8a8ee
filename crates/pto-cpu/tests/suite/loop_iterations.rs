//! Observers are told which iterations an instruction belongs to.

use pto_cpu::{Event, LoopIteration, Observer, Options, Plan};
use pto_isa::Target;

/// The iterations of the instructions that work on tiles, and the depth of the loops that they name.
#[derive(Default)]
struct Noted(Vec<String>);

impl Observer for Noted {
    fn event(&mut self, event: &Event<'_>) {
        if !event.accesses.is_empty() {
            let loops: Vec<LoopIteration> = event.iterations.from_inside().collect();
            let names: std::collections::BTreeSet<_> = loops.iter().map(|of| of.op).collect();
            assert_eq!(names.len(), event.iterations.numbers().len(), "each number is that of another loop");
            self.0.push(event.iterations.to_string());
        }
    }
}

/// The iterations of the instructions of a function with this body. `%t` is a tile to work on.
fn iterations(body: &str) -> Vec<String> {
    let text = format!(
        "func.func @f() {{
           %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
           %x = arith.constant 1.0 : f32
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %two = arith.constant 2 : index
           %three = arith.constant 3 : index
           {}
         }}",
        body.replace("WORK", "pto.texpands ins(%x : f32) outs(%t : !pto.tile_buf<vec, 1x8xf32>)")
    );
    let (module, problems) = pto_syntax::parse(&text);
    assert!(problems.is_empty(), "{problems:?}");
    let checked = pto_check::check(module, Target::A5).expect("a legal program");
    let plan = Plan::new(&checked, None, Options::default()).expect("a plan");
    let mut noted = Noted::default();
    plan.launch().observe(&mut noted).run(&mut []).expect("it runs");
    noted.0
}

#[test]
fn counted_loops_have_the_numbers_of_their_iterations() {
    let found = iterations(
        "WORK
         scf.for %i = %one to %three step %one {
           WORK
           scf.for %j = %zero to %three step %two {
             WORK
           }
           WORK
         }
         WORK
         return",
    );
    assert_eq!(found, ["", "0", "0.0", "0.1", "0", "1", "1.0", "1.1", "1", ""]);
}

/// The condition of a loop belongs to the iteration that it decides about.
#[test]
fn loops_with_a_condition_count_from_where_they_are_entered() {
    let found = iterations(
        "scf.for %i = %zero to %two step %one {
           %end = scf.while (%n = %zero) : (index) -> index {
             WORK
             %again = arith.cmpi slt, %n, %two : index
             scf.condition(%again) %n : index
           } do {
           ^bb0(%k: index):
             %next = arith.addi %k, %one : index
             scf.yield %next : index
           }
           WORK
         }
         return",
    );
    assert_eq!(found, ["0.0", "0.1", "0.2", "0", "1.0", "1.1", "1.2", "1"]);
}

#[test]
fn blocks_that_are_branched_back_to_are_loops() {
    let found = iterations(
        "cf.br ^outer(%zero : index)
         ^outer(%i: index):
           cf.br ^inner(%zero : index)
         ^inner(%j: index):
           WORK
           %j1 = arith.addi %j, %one : index
           %more = arith.cmpi slt, %j1, %two : index
           cf.cond_br %more, ^inner(%j1 : index), ^last
         ^last:
           WORK
           %i1 = arith.addi %i, %one : index
           %again = arith.cmpi slt, %i1, %two : index
           cf.cond_br %again, ^outer(%i1 : index), ^end
         ^end:
           WORK
           return",
    );
    assert_eq!(found, ["0.0", "0.1", "0", "1.0", "1.1", "1", ""]);
}
