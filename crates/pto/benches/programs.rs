//! Whole programs: the examples on the engine, against NumPy and against loops written by hand, in one run.
//!
//! `cargo bench -p pto --bench programs`. NumPy takes part when `python3` (or the interpreter in `PTO_PYTHON`) has it.
//! Times are the best of several runs; the ratios are what counts.

use pto::cpu::{Arg, Launch, Options, Plan};
use pto::{Checked, Program, Target};
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const ROWS: usize = 4096;
const COLS: usize = 1024;
const LENGTH: usize = 1 << 24;

/// A benchmark: a program, its inputs, and the same by hand.
struct Case {
    name: &'static str,
    file: &'static str,
    /// Elements of each argument; the last one is the result.
    sizes: &'static [usize],
    /// A last argument that is the length.
    length: Option<i64>,
    by_hand: fn(&[Vec<f32>], &mut [f32]),
}

const CASES: &[Case] = &[
    Case {
        name: "vector add, 16 Mi",
        file: "vector_add.pto",
        sizes: &[LENGTH, LENGTH, LENGTH],
        length: Some(LENGTH as i64),
        by_hand: add,
    },
    Case {
        name: "row softmax 4096x1024",
        file: "softmax.pto",
        sizes: &[ROWS * COLS, ROWS * COLS],
        length: None,
        by_hand: softmax,
    },
    Case {
        name: "RMSNorm 4096x1024",
        file: "rms_norm.pto",
        sizes: &[ROWS * COLS, COLS, ROWS * COLS],
        length: None,
        by_hand: rms_norm,
    },
    Case {
        name: "layer norm 4096x1024",
        file: "layer_norm.pto",
        sizes: &[ROWS * COLS, COLS, COLS, ROWS * COLS],
        length: None,
        by_hand: layer_norm,
    },
];

/// A program on the cube or with several element types, against NumPy alone: type and elements of each argument.
struct Model {
    name: &'static str,
    file: &'static str,
    args: &'static [(Kind, usize)],
}

#[derive(Clone, Copy)]
enum Kind {
    F32,
    F16,
    I32,
}

use Kind::{F16, F32, I32};

const SQUARE: usize = 1024 * 1024;
const MODELS: &[Model] = &[
    Model { name: "matrix product 1024", file: "gemm.pto", args: &[(F32, SQUARE), (F32, SQUARE), (F32, SQUARE)] },
    Model { name: "attention 1024x64", file: "flash_attention.pto", args: &attention(1024 * 64) },
    Model { name: "attention 1024x128", file: "flash_attention_128.pto", args: &attention(1024 * 128) },
    Model {
        name: "top 64 of 256x2048",
        file: "top_k.pto",
        args: &[(F32, 256 * 2048), (F32, 256 * 64), (I32, 256 * 64)],
    },
];

const fn attention(size: usize) -> [(Kind, usize); 7] {
    [(F16, size), (F16, size), (F16, size), (F32, size), (F32, 0), (F16, 0), (F32, 0)]
}

fn model_time(model: &Model, checked: &Checked, blocks: u32) -> f64 {
    let plan = Plan::new(checked, None, Options::default()).expect("it runs");
    let mut data: Vec<Vec<u8>> = model.args.iter().enumerate().map(|(k, (kind, n))| bytes(*kind, *n, k)).collect();
    best(|| {
        let mut args: Vec<Arg> = data.iter_mut().map(|d| Arg::InOut(d)).collect();
        plan.run(&mut args, Launch { blocks, threads: blocks as usize }).expect("it runs");
    })
}

fn bytes(kind: Kind, count: usize, salt: usize) -> Vec<u8> {
    let numbers = input(count, salt);
    match kind {
        F32 => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
        F16 => numbers.iter().flat_map(|x| pto_num::F16::from_f32(x / 4.0).0.to_le_bytes()).collect(),
        I32 => numbers.iter().flat_map(|x| (*x as i32).to_le_bytes()).collect(),
    }
}

fn models(numpy: &HashMap<String, f64>) {
    println!("\n| program | 1 block | 2 blocks | NumPy, one thread | NumPy / 1 block | 1 block / 2 blocks |");
    println!("|---|---|---|---|---|---|");
    for model in MODELS {
        let checked = checked(model.file);
        let (one, two) = (model_time(model, &checked, 1), model_time(model, &checked, 2));
        let numpy = numpy.get(model.name).copied();
        let show = |x: Option<f64>| x.map_or("–".to_string(), |x| format!("{x:.2}"));
        let ratio = numpy.map(|n| n / one);
        println!("| {} | {one:.2} | {two:.2} | {} | {} | {:.2} |", model.name, show(numpy), show(ratio), one / two);
    }
}

fn main() {
    let numpy = numpy_times();
    println!("milliseconds, best of several runs; `by hand`: plain Rust loops, one thread\n");
    println!("| program | 1 block | 2 blocks | by hand | NumPy | NumPy / 1 block | 1 block / 2 blocks |");
    println!("|---|---|---|---|---|---|---|");
    for case in CASES {
        let checked = checked(case.file);
        let one = engine_time(case, &checked, 1);
        let two = engine_time(case, &checked, 2);
        let by_hand = by_hand_time(case);
        let numpy = numpy.get(case.name).copied();
        let show = |x: Option<f64>| x.map_or("–".to_string(), |x| format!("{x:.2}"));
        println!(
            "| {} | {one:.2} | {two:.2} | {by_hand:.2} | {} | {} | {:.2} |",
            case.name,
            show(numpy),
            show(numpy.map(|n| n / one)),
            one / two
        );
    }
    models(&numpy);
    overhead();
}

/// What an instruction costs besides its arithmetic: a loop of additions of 16x16 tiles on the engine, against the same
/// additions as a plain loop.
fn overhead() {
    const TURNS: i64 = 100_000;
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
    let engine = best(|| {
        let mut args: Vec<Arg> = tiles.iter_mut().map(|d| Arg::write(d)).collect();
        args.push(Arg::Int(TURNS));
        plan.run(&mut args, Launch { blocks: 1, threads: 1 }).expect("it runs");
    });
    let (mut a, b, mut c) = ([1.0f32; 256], [1.0f32; 256], [0.0f32; 256]);
    let plain = best(|| {
        for _ in 0..TURNS {
            c.iter_mut().zip(&a).zip(&b).for_each(|((c, a), b)| *c = a + b);
            std::hint::black_box(&mut c);
            a.iter_mut().zip(&c).zip(&b).for_each(|((a, c), b)| *a = c + b);
            std::hint::black_box(&mut a);
        }
    });
    let each = |ms: f64| ms * 1e6 / (2 * TURNS) as f64;
    println!("\n16x16 f32 addition: {:.1} ns on the engine, {:.1} ns in a plain loop", each(engine), each(plain));
}

fn checked(file: &str) -> Checked {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file);
    let text = std::fs::read_to_string(path).expect("the example is there");
    Program::parse(&text).check(Target::A2A3).expect("the example is legal")
}

fn input(size: usize, salt: usize) -> Vec<f32> {
    (0..size).map(|i| ((i * 7919 + salt * 104_729) % 10_007) as f32 / 1000.0 - 5.0).collect()
}

fn inputs(case: &Case) -> Vec<Vec<f32>> {
    case.sizes.iter().enumerate().map(|(k, n)| input(*n, k)).collect()
}

/// The shortest of several runs, in milliseconds.
fn best(mut run: impl FnMut()) -> f64 {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..9).map(|_| time(&mut run)).fold(f64::INFINITY, f64::min)
}

fn engine_time(case: &Case, checked: &Checked, blocks: u32) -> f64 {
    let plan = Plan::new(checked, None, Options::default()).expect("it runs");
    let mut data = inputs(case);
    best(|| {
        let mut args: Vec<Arg> = data.iter_mut().map(|d| Arg::write(d)).collect();
        args.extend(case.length.map(Arg::Int));
        plan.run(&mut args, Launch { blocks, threads: blocks as usize }).expect("it runs");
    })
}

fn by_hand_time(case: &Case) -> f64 {
    let mut data = inputs(case);
    let mut out = data.pop().unwrap_or_default();
    best(|| (case.by_hand)(&data, std::hint::black_box(&mut out)))
}

fn add(inputs: &[Vec<f32>], out: &mut [f32]) {
    for ((z, x), y) in out.iter_mut().zip(&inputs[0]).zip(&inputs[1]) {
        *z = x + y;
    }
}

fn softmax(inputs: &[Vec<f32>], out: &mut [f32]) {
    for (y, x) in out.chunks_exact_mut(COLS).zip(inputs[0].chunks_exact(COLS)) {
        let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut total = 0.0;
        for (y, x) in y.iter_mut().zip(x) {
            *y = (x - largest).exp();
            total += *y;
        }
        y.iter_mut().for_each(|y| *y /= total);
    }
}

fn rms_norm(inputs: &[Vec<f32>], out: &mut [f32]) {
    for (y, x) in out.chunks_exact_mut(COLS).zip(inputs[0].chunks_exact(COLS)) {
        let mean = x.iter().map(|x| x * x).sum::<f32>() / COLS as f32;
        let scale = 1.0 / (mean + 1e-5).sqrt();
        for ((y, x), w) in y.iter_mut().zip(x).zip(&inputs[1]) {
            *y = x * scale * w;
        }
    }
}

fn layer_norm(inputs: &[Vec<f32>], out: &mut [f32]) {
    for (y, x) in out.chunks_exact_mut(COLS).zip(inputs[0].chunks_exact(COLS)) {
        let mean = x.iter().sum::<f32>() / COLS as f32;
        let variance = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / COLS as f32;
        let scale = 1.0 / (variance + 1e-5).sqrt();
        for (((y, x), w), b) in y.iter_mut().zip(x).zip(&inputs[1]).zip(&inputs[2]) {
            *y = (x - mean) * scale * w + b;
        }
    }
}

/// The same programs in NumPy, each as its users write it, with the result in memory that exists already where NumPy
/// allows that.
const NUMPY: &str = r#"
import time
import numpy as np

def best(f):
    times = []
    for _ in range(9):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3

rng = np.random.default_rng(1)
a, b = rng.standard_normal((2, 1 << 24), dtype=np.float32)
c = np.empty_like(a)
print("vector add, 16 Mi", best(lambda: np.add(a, b, out=c)), sep="|")

x = rng.standard_normal((4096, 1024), dtype=np.float32)
w, bias = rng.standard_normal((2, 1024), dtype=np.float32)
y = np.empty_like(x)

def softmax():
    np.subtract(x, x.max(axis=1, keepdims=True), out=y)
    np.exp(y, out=y)
    np.divide(y, y.sum(axis=1, keepdims=True), out=y)

def rms_norm():
    np.multiply(x, x, out=y)
    scale = 1 / np.sqrt(y.mean(axis=1, keepdims=True) + np.float32(1e-5))
    np.multiply(x, scale, out=y)
    np.multiply(y, w, out=y)

def layer_norm():
    np.subtract(x, x.mean(axis=1, keepdims=True), out=y)
    variance = (y * y).mean(axis=1, keepdims=True)
    np.multiply(y, 1 / np.sqrt(variance + np.float32(1e-5)), out=y)
    np.multiply(y, w, out=y)
    np.add(y, bias, out=y)

print("row softmax 4096x1024", best(softmax), sep="|")
print("RMSNorm 4096x1024", best(rms_norm), sep="|")
print("layer norm 4096x1024", best(layer_norm), sep="|")

a, b = rng.standard_normal((2, 1024, 1024), dtype=np.float32)
c = np.empty_like(a)
print("matrix product 1024", best(lambda: np.matmul(a, b, out=c)), sep="|")

def attention(q, k, v):
    s = q @ k.T
    s *= np.float32(1 / np.sqrt(q.shape[1]))
    s -= s.max(axis=1, keepdims=True)
    np.exp(s, out=s)
    s /= s.sum(axis=1, keepdims=True)
    return s @ v

for d in (64, 128):
    q, k, v = rng.standard_normal((3, 1024, d), dtype=np.float32)
    print(f"attention 1024x{d}", best(lambda: attention(q, k, v)), sep="|")

rows = rng.standard_normal((256, 2048), dtype=np.float32)

def top():
    places = np.argsort(-rows, axis=1, kind="stable")[:, :64]
    return np.take_along_axis(rows, places, axis=1), places

print("top 64 of 256x2048", best(top), sep="|")
"#;

/// What NumPy needs, by name; empty where there is none.
fn numpy_times() -> HashMap<String, f64> {
    let python = std::env::var("PTO_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let Ok(output) =
        Command::new(python).args(["-c", NUMPY]).env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1").output()
    else {
        return HashMap::new();
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter_map(|l| l.split_once('|')).filter_map(|(n, t)| Some((n.to_string(), t.parse().ok()?))).collect()
}
