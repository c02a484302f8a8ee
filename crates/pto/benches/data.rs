//! What surrounds a run: random data, its summary, comparisons.
//!
//! `cargo bench -p pto --bench data`. Arrays of 64 MiB on all cores, in nanoseconds for each number and gigabytes for each second.

use pto::data::{Array, Summary, Tolerance, compare};
use pto::isa::DType;
use std::hint::black_box;

const BYTES: u64 = 64 << 20;
const RUNS: u32 = 5;

fn main() {
    println!("| type | random | summary | comparison |");
    println!("|---|---|---|---|");
    for dtype in [DType::F32, DType::F16, DType::Bf16, DType::I32, DType::I8] {
        let count = BYTES * 8 / u64::from(dtype.bits());
        let array = Array::random(dtype, &[count], 0).expect("64 MiB");
        let tolerance = Tolerance::usual(dtype);
        let cell = |work: &dyn Fn()| {
            let seconds = pto_testkit::timing::best(RUNS, work).as_secs_f64();
            format!("{:.2} ns, {:.1} GB/s", seconds * 1e9 / count as f64, BYTES as f64 / seconds / 1e9)
        };
        let random = cell(&|| drop(black_box(Array::random(dtype, &[count], 0))));
        let summary = cell(&|| drop(black_box(Summary::of(&array))));
        let comparison = cell(&|| drop(black_box(compare(&array, &array, tolerance))));
        println!("| {dtype} | {random} | {summary} | {comparison} |");
    }
}
