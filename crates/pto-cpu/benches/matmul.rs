//! Products of square tiles on one core, against the `gemm` crate and OpenBLAS (through NumPy), in one run; and moves of
//! whole tiles against copies of the same bytes.
//!
//! `cargo bench -p pto-cpu --features peers --bench matmul`. Without the feature, `gemm` is not built and takes no part. NumPy takes
//! part when `python3` (or the interpreter in `PTO_PYTHON`) has it.
//! The best of several runs counts: the machine may be shared.

#![cfg_attr(feature = "peers", expect(unsafe_code, reason = "the call of another library"))]

use pto_cpu::{Arg, Options, Plan};
use pto_isa::{BLayout, DType, Loc, SLayout, Target, TileType};
use std::collections::HashMap;
use std::process::Command;
use std::time::Instant;

/// Runs, of which the fastest counts.
const REPEATS: usize = 100;

const SIZES: [u64; 3] = [64, 128, 256];

fn main() {
    products();
    moves();
}

/// Seconds of one call: the shortest of several batches.
fn best(mut run: impl FnMut(), calls: u32) -> f64 {
    let batch = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..calls).for_each(|_| run());
        start.elapsed().as_secs_f64() / f64::from(calls)
    };
    (0..REPEATS).map(|_| batch(&mut run)).fold(f64::INFINITY, f64::min)
}

// ---- products -----------------------------------------------------------------------------------------------------

fn products() {
    let blas = openblas();
    println!(
        "GFLOP/s (Gop/s for i8) of products of square tiles on one core; the ratio is to the better of the others in f32\n"
    );
    println!("| size | f32 | f16 | bf16 | i8 | gemm | OpenBLAS | f32 ratio | f16 ratio | bf16 ratio | i8 ratio |");
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for n in SIZES {
        let work = 2.0 * (n * n * n) as f64 / 1e9;
        let ours = [DType::F32, DType::F16, DType::Bf16, DType::I8].map(|d| work / product_time(n, d));
        let others = [gemm_time(n as usize), blas.get(&n).copied()].map(|t| t.map(|t| work / t));
        let most = others.iter().flatten().copied().fold(f64::NAN, f64::max);
        let number = |x: f64, digits: usize| if x.is_nan() { "–".to_string() } else { format!("{x:.digits$}") };
        let show = |list: [f64; 4], digits: usize| list.map(|x| number(x, digits)).join(" | ");
        let [gemm, blas] = others.map(|x| x.map_or("–".to_string(), |x| format!("{x:.0}")));
        println!("| {n} | {} | {gemm} | {blas} | {} |", show(ours, 0), show(ours.map(|x| x / most), 2));
    }
}

fn product_time(n: u64, dtype: DType) -> f64 {
    let result = if dtype == DType::I8 { DType::I32 } else { DType::F32 };
    let tiles = [
        TileType::new(Loc::Left, dtype, n, n).layout(BLayout::ColMajor, SLayout::RowMajor, 512),
        TileType::new(Loc::Right, dtype, n, n).layout(BLayout::RowMajor, SLayout::ColMajor, 512),
        TileType::new(Loc::Acc, result, n, n).layout(BLayout::ColMajor, SLayout::RowMajor, 1024),
    ];
    time("tmatmul", &tiles, (200_000_000 / (n * n * n)).max(40) as u32)
}

/// The time of an instruction on tiles that are parameters of a program, in the order of its slots. So many iterations of a loop that the first,
/// which finds nothing in the cache, does not count.
fn time(name: &str, tiles: &[TileType], iterations: u32) -> f64 {
    let types: Vec<String> = tiles.iter().map(tile_text).collect();
    let params: Vec<String> = types.iter().enumerate().map(|(i, ty)| format!("%t{i}: {ty}")).collect();
    let (last, ins) = (tiles.len() - 1, &types[..types.len() - 1]);
    let names: Vec<String> = (0..last).map(|i| format!("%t{i}")).collect();
    let text = format!(
        "func.func @f({}, %n: index) {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           scf.for %i = %zero to %n step %one {{
             pto.{name} ins({} : {}) outs(%t{last} : {})
           }}
           return
         }}",
        params.join(", "),
        names.join(", "),
        ins.join(", "),
        types[last],
    );
    let (module, problems) = pto_syntax::parse(&text);
    assert!(problems.is_empty(), "{}", problems[0].message);
    let checked = pto_check::check(module, Target::Cpu).unwrap_or_else(|d| panic!("{}", d.diagnostics()[0].message));
    let plan = Plan::new(&checked, None, Options::default()).unwrap_or_else(|d| panic!("{d}"));
    // Small numbers of every type: nothing overflows, nothing is subnormal.
    let fill = |i: usize| if i % 4 >= 2 { 0x3c + (i / 4 % 3) as u8 } else { 0 };
    let mut data: Vec<Vec<u8>> = tiles.iter().map(|t| (0..t.bytes() as usize).map(fill).collect()).collect();
    let mut run = |iterations: u32| {
        let mut args: Vec<Arg> = data.iter_mut().map(|d| Arg::write_bytes(d)).collect();
        args.push(Arg::Int(iterations.into()));
        let start = Instant::now();
        plan.launch().threads(1).run(&mut args).unwrap_or_else(|d| panic!("{d}"));
        start.elapsed().as_secs_f64()
    };
    // What a program costs whose loop does not iteration is not the instruction's.
    let both = (0..REPEATS).map(|_| (run(iterations), run(0)));
    let (some, none) = both.fold((f64::INFINITY, f64::INFINITY), |(a, b), (x, y)| (a.min(x), b.min(y)));
    (some - none) / f64::from(iterations)
}

fn tile_text(t: &TileType) -> String {
    format!(
        "!pto.tile_buf<loc={}, dtype={}, rows={}, cols={}, v_row={}, v_col={}, blayout={}, slayout={}, fractal={}, pad=0>",
        t.loc,
        t.dtype.mlir(),
        t.rows,
        t.cols,
        t.rows,
        t.cols,
        t.blayout.name(),
        t.slayout.name(),
        t.fractal
    )
}

#[cfg(not(feature = "peers"))]
fn gemm_time(_n: usize) -> Option<f64> {
    None
}

#[cfg(feature = "peers")]
fn gemm_time(n: usize) -> Option<f64> {
    let (a, b) = (vec![0.5f32; n * n], vec![0.25f32; n * n]);
    let mut c = vec![0.0f32; n * n];
    let step = n as isize;
    let run = || {
        // SAFETY: all three are n x n matrices, row by row.
        unsafe {
            gemm::gemm(
                n,
                n,
                n,
                c.as_mut_ptr(),
                1,
                step,
                false,
                a.as_ptr(),
                1,
                step,
                b.as_ptr(),
                1,
                step,
                0.0f32,
                1.0f32,
                false,
                false,
                false,
                gemm::Parallelism::None,
            );
        }
    };
    let calls = (10_000_000 / (n * n * n)).max(6) as u32;
    Some(best(run, calls))
}

const NUMPY: &str = r#"
import time
import numpy as np
for n in (64, 128, 256):
    a, b = np.random.default_rng(1).standard_normal((2, n, n), dtype=np.float32)
    c = np.empty_like(a)
    calls = max(6, 10_000_000 // n**3)
    times = []
    for _ in range(100):
        start = time.perf_counter()
        for _ in range(calls):
            np.matmul(a, b, out=c)
        times.append((time.perf_counter() - start) / calls)
    print(n, min(times))
"#;

/// Seconds of a product by size; empty where there is no NumPy.
fn openblas() -> HashMap<u64, f64> {
    let python = std::env::var("PTO_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let Ok(output) = Command::new(python).args(["-c", NUMPY]).env("OPENBLAS_NUM_THREADS", "1").output() else {
        return HashMap::new();
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |l: &str| l.split_once(' ').and_then(|(n, t)| Some((n.parse().ok()?, t.parse().ok()?)));
    text.lines().filter_map(line).collect()
}

// ---- moves --------------------------------------------------------------------------------------------------------

fn moves() {
    println!("\nns of a move of a whole 128x128 tile, and of a copy of the same bytes\n");
    println!("| move | f32 | f16 | i8 | copy f32 | copy f16 | copy i8 | ratios |");
    println!("|---|---|---|---|---|---|---|---|");
    let nz = (BLayout::ColMajor, SLayout::RowMajor, 512);
    let zn = (BLayout::RowMajor, SLayout::ColMajor, 512);
    let zz = (BLayout::RowMajor, SLayout::RowMajor, 512);
    let nd = (BLayout::RowMajor, SLayout::NoneBox, 512);
    let cases = [
        ("mat NZ → left NZ", Loc::Mat, nz, Loc::Left, nz),
        ("mat ZZ → left NZ", Loc::Mat, zz, Loc::Left, nz),
        ("mat ND → left NZ", Loc::Mat, nd, Loc::Left, nz),
        ("mat ZN → right ZN", Loc::Mat, zn, Loc::Right, zn),
        ("mat NZ → right ZN", Loc::Mat, nz, Loc::Right, zn),
        ("vec ND → mat NZ", Loc::Vec, nd, Loc::Mat, nz),
        ("vec ND → vec ND", Loc::Vec, nd, Loc::Vec, nd),
    ];
    for (name, from, (fb, fs, ff), to, (tb, ts, tf)) in cases {
        let types = [DType::F32, DType::F16, DType::I8];
        let ours = types.map(|d| {
            let src = TileType::new(from, d, 128, 128).layout(fb, fs, ff);
            1e9 * time("tmov", &[src, TileType::new(to, d, 128, 128).layout(tb, ts, tf)], 2000)
        });
        let copies = types.map(|d| 1e9 * copy_time(128 * 128 * d.unit_bytes() as usize));
        let show = |list: [f64; 3]| list.map(|x| format!("{x:.0}")).join(" | ");
        let ratios: Vec<String> = ours.iter().zip(copies).map(|(a, b)| format!("{:.1}", a / b)).collect();
        println!("| {name} | {} | {} | {} |", show(ours), show(copies), ratios.join(" "));
    }
}

fn copy_time(bytes: usize) -> f64 {
    let (from, mut to) = (vec![1u8; bytes], vec![0u8; bytes]);
    best(|| to.copy_from_slice(std::hint::black_box(&from)), 200)
}
