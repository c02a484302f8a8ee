//! What an instruction costs besides its arithmetic.

use super::best;
use pto::cpu::{Arg, Options, Plan};
use pto::{Program, Target};

const TURNS: i64 = 100_000;

/// A loop of additions of 16x16 tiles on the engine, against the same additions as a plain loop.
pub fn print() {
    let each = |ms: f64| ms * 1e6 / (2 * TURNS) as f64;
    let (engine, plain) = (each(on_the_engine()), each(in_a_loop()));
    println!("\n16x16 f32 addition: {engine:.1} ns on the engine, {plain:.1} ns in a plain loop");
}

fn on_the_engine() -> f64 {
    let tile = "!pto.tile_buf<vec, 16x16xf32>";
    let text = format!(
        "func.func @main(%a: {tile}, %b: {tile}, %c: {tile}, %n: index) {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           scf.for %i = %zero to %n step %one {{
             pto.tadd ins(%a, %b : {tile}, {tile}) outs(%c : {tile})
             pto.tadd ins(%c, %b : {tile}, {tile}) outs(%a : {tile})
           }}
           return
         }}"
    );
    let checked = Program::parse(&text).check(Target::A2A3).expect("it is legal");
    let plan = Plan::new(&checked, None, Options::default()).expect("it runs");
    let mut tiles = vec![vec![1.0f32; 256]; 3];
    best(|| {
        let mut args: Vec<Arg> = tiles.iter_mut().map(|d| Arg::write(d)).collect();
        args.push(Arg::Int(TURNS));
        plan.launch().threads(1).run(&mut args).expect("it runs");
    })
}

fn in_a_loop() -> f64 {
    let (mut a, b, mut c) = ([1.0f32; 256], [1.0f32; 256], [0.0f32; 256]);
    best(|| {
        for _ in 0..TURNS {
            c.iter_mut().zip(&a).zip(&b).for_each(|((c, a), b)| *c = a + b);
            std::hint::black_box(&mut c);
            a.iter_mut().zip(&c).zip(&b).for_each(|((a, c), b)| *a = c + b);
            std::hint::black_box(&mut a);
        }
    })
}
