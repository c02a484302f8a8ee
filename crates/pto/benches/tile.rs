//! What kernels in Rust cost beside programs in text: run time of the twins under `examples/`, and the speed of tracing.
//! `cargo bench -p pto --bench tile`

#[path = "../../../examples/flash_attention.rs"]
#[allow(dead_code, reason = "the kernel is what is measured")]
mod flash_attention;
#[path = "../../../examples/gemm.rs"]
#[allow(dead_code, reason = "the kernel is what is measured")]
mod gemm;
#[path = "../../../examples/softmax.rs"]
#[allow(dead_code, reason = "the kernel is what is measured")]
mod softmax;

use pto::tile::{Kernel, Same, Tile, tadd};
use pto::{Arg, Options, Plan, Program, Target};
use std::path::Path;
use std::time::Instant;

const TARGET: Target = Target::A2A3;
const ROUNDS: usize = 31;

fn main() {
    println!("{:<18}{:>12}{:>12}{:>14}{:>14}", "example", "Rust ms", "text ms", "best/best", "middle ratio");
    twins("softmax", &softmax::softmax::<4096, 1024>(), &[1 << 24, 1 << 24]);
    twins("gemm", &gemm::gemm::<1024>(), &[1 << 22, 1 << 22, 1 << 22]);
    let attention = flash_attention::flash_attention::<1024>();
    twins("flash_attention", &attention, &[1 << 17, 1 << 17, 1 << 17, 1 << 18, 0, 0, 0]);

    println!("\n{:<18}{:>12}{:>18}", "traced operations", "ms", "operations/s");
    for operations in [1_000, 10_000, 100_000] {
        let time = pto_testkit::timing::best(5, || drop(unrolled(operations))).as_secs_f64();
        println!("{operations:<18}{:>12.2}{:>18.0}", time * 1e3, operations as f64 / time);
    }
}

/// Runs both twins in turns, so that whatever else the machine does meets both.
fn twins(name: &str, kernel: &Kernel, sizes: &[usize]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).with_extension("pto");
    let program = Program::parse(&std::fs::read_to_string(path).expect("an example"));
    let text = program.plan(TARGET, None, Options::default()).expect("a legal program");
    let rust = kernel.plan(TARGET, Options::default()).expect("a legal kernel");
    let mut memory: Vec<Vec<u8>> = sizes.iter().map(|bytes| vec![0; *bytes]).collect();
    let (mut of_rust, mut of_text, mut ratios) = (f64::MAX, f64::MAX, Vec::new());
    for round in 0..ROUNDS {
        // Who goes first changes from round to round.
        let (r, t) = if round % 2 == 0 {
            let r = time(&rust, &mut memory);
            (r, time(&text, &mut memory))
        } else {
            let t = time(&text, &mut memory);
            (time(&rust, &mut memory), t)
        };
        (of_rust, of_text) = (of_rust.min(r), of_text.min(t));
        ratios.push(r / t);
    }
    ratios.sort_by(f64::total_cmp);
    let middle = ratios[ROUNDS / 2];
    println!("{name:<18}{of_rust:>12.3}{of_text:>12.3}{:>14.3}{middle:>14.3}", of_rust / of_text);
}

/// Milliseconds of a run on one thread.
fn time(plan: &Plan, memory: &mut [Vec<u8>]) -> f64 {
    let mut args: Vec<Arg<'_>> = memory.iter_mut().map(|bytes| Arg::write_bytes(bytes)).collect();
    let start = Instant::now();
    plan.launch().threads(1).run(&mut args).expect("it runs");
    start.elapsed().as_secs_f64() * 1e3
}

/// A kernel whose loop is Rust's: every iteration is recorded.
fn unrolled(operations: usize) -> Kernel {
    Kernel::trace("unrolled", || {
        let (mut sum, part) =
            (Tile::<pto::tile::Vector, f32, 16, 16>::new(), Tile::<pto::tile::Vector, f32, 16, 16>::new());
        for _ in 0..operations {
            tadd(&mut sum, Same, &part);
        }
    })
}
