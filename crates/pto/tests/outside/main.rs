//! A program of somebody who depends on the library and on nothing else.

use pto::tile::*;
use pto::{Arg, Options, Program, Target};
use std::error::Error;

const TEXT: &str = "
func.func @scale(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %by: f32) {
  %one = arith.constant 1 : index
  %n = arith.constant 16 : index
  %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
  %ys = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  pto.tload ins(%xs : !pto.tensor_view<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
  pto.tmuls ins(%t, %by : !pto.tile_buf<vec, 16x16xf32>, f32) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 16x16xf32>) outs(%ys : !pto.tensor_view<16x16xf32>)
  return
}";

#[pto::kernel]
fn scale(x: Gm<f32>, y: Gm<f32>, by: Scalar<f32>) {
    let mut t = Tile::<Vector, f32, 16, 16>::new();
    tload(&mut t, &x.view([16, 16]));
    tmuls(&mut t, Same, by);
    tstore(&mut y.view([16, 16]), &t);
}

/// Counts what pipes do.
#[derive(Default)]
struct Count(usize);

impl pto::cpu::Observer for Count {
    fn event(&mut self, event: &pto::cpu::Event<'_>) {
        self.0 += usize::from(event.pipe.is_some());
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let target = Target::A2A3;
    let program = Program::parse_named("scale.pto", TEXT);
    program.check(target)?;
    let x: Vec<f32> = (0..256).map(|i| i as f32).collect();
    let want: Vec<f32> = x.iter().map(|x| x * 0.5).collect();
    for program in [&program, scale().program()] {
        let mut y = vec![0.0f32; 256];
        let mut count = Count::default();
        let plan = program.plan(target, None, Options::default())?;
        let launch = plan.launch().blocks(2).threads(2);
        launch.run(&mut [Arg::read(&x), Arg::write(&mut y), Arg::Float(0.5)])?;
        assert_eq!(y, want);
        launch.observe(&mut count).run(&mut [Arg::read(&x), Arg::write(&mut y), Arg::Float(0.5)])?;
        assert_eq!(count.0, 6);
        pto::race::check(plan.launch(), &mut [Arg::read(&x), Arg::write(&mut y), Arg::Float(0.5)]).into_result()?;
        let lowered = program.lower(target)?;
        lowered.race(target, &mut [Arg::read(&x), Arg::write(&mut y), Arg::Float(0.5)])?;
        assert!(lowered.perf(target)?.cycles > 0.0);
        assert!(program.emit_cpp(target)?.contains("TMULS("));
        assert!(!program.to_bytecode()?.is_empty());
    }
    let wrong = program.run(target, &mut [Arg::read(&[1i32; 256]), Arg::read(&x), Arg::Float(0.5)]);
    let said = wrong.expect_err("integers are no floats").to_string();
    assert!(said.contains("a slice of i32 for a pointer to f32"), "{said}");
    println!("{} numbers", want.len());
    Ok(())
}
