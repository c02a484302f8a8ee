//! A whole decode step of a Qwen3-32B layer on this machine, from the 17 kernels that the public PTO assembler ships as
//! its sample `Qwen3DecodeA3` (or `Qwen3DecodeA5`):
//!
//! ```console
//! $ cargo run --release --example qwen3_decode -- DIR
//! ```
//!
//! DIR is your copy of the sample directory. The weights, the caches and the hidden states of 16 sequences are made up
//! (1.8 GB, the same in every run); the kernels hand their results to each other as in the model; and the result of every
//! stage is compared with a plain computation in this file.

use pto::cpu::Number;
use pto::{Arg, Options, Plan, Program, Target};
use pto_num::Bf16;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const BATCH: usize = 16;
const HIDDEN: usize = 8192;
const HEAD: usize = 128;
const KV_HEADS: usize = 8;
/// Query heads that share a key head; kernels pad them to `Q_ROWS` rows.
const SHARED: usize = 8;
const Q_ROWS: usize = 16;
const KV: usize = KV_HEADS * HEAD;
const INNER: usize = 25600;
const POSITIONS: usize = 4096;
/// Positions that the attention kernels take at a time.
const BLOCK: usize = 64;

/// Allowed error of a number: this much, or this part of it. A bf16 number has eight bits, so that is five roundings.
const TOLERANCE: f32 = 0.02;

/// What the kernels do, in the order of their numbers.
const FRAGMENTS: [&str; 17] = [
    "input norm",
    "q projection",
    "k and v projection",
    "clear the padding of q",
    "rotary embedding, caches",
    "q times k",
    "softmax of blocks",
    "weights times v",
    "join the blocks",
    "output projection",
    "first residual",
    "second norm",
    "gate projection",
    "up projection",
    "gate times up",
    "down projection",
    "second residual",
];

/// What is compared.
const STAGES: [&str; 9] =
    ["input norm", "q", "k", "v", "attention", "residual", "second norm", "gate times up", "result"];

fn main() -> ExitCode {
    let Some(dir) = std::env::args_os().nth(1) else {
        eprintln!("usage: cargo run --release --example qwen3_decode -- DIR");
        eprintln!("DIR: the directory Qwen3DecodeA3 or Qwen3DecodeA5 of the public PTO assembler's samples");
        return ExitCode::from(2);
    };
    match Kernels::read(Path::new(&dir)).and_then(step) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(3),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// The whole step, what it took, and whether it was right.
fn step(mut kernels: Kernels) -> Result<bool, String> {
    println!("making up weights and caches …\n");
    let mut model = Model::new(&mut Rng(0));
    let found = decode(&mut kernels, &mut model)?;
    kernels.print_times();
    let bytes: Vec<u8> = found[STAGES.len() - 1].iter().flat_map(|x| x.to_le_bytes()).collect();
    println!("\ncrc32 of the result: {:08x}\n", crc32fast::hash(&bytes));
    Ok(compare(&found, &reference(&model)))
}

/// The prepared kernels, and how long they took.
struct Kernels {
    plans: Vec<Plan>,
    calls: [u32; FRAGMENTS.len()],
    times: [Duration; FRAGMENTS.len()],
}

impl Kernels {
    fn read(dir: &Path) -> Result<Self, String> {
        if !dir.is_dir() {
            return Err(format!("{} is not a directory", dir.display()));
        }
        let plans = (0..FRAGMENTS.len()).map(|at| {
            let path = dir.join(format!("qwen3_decode_incore_{at}.pto"));
            let text = std::fs::read_to_string(&path)
                .map_err(|e| format!("cannot read the kernel of the {}, {}: {e}", FRAGMENTS[at], path.display()))?;
            let program = Program::parse(&text);
            let target = program.stated_target().unwrap_or(Target::A2A3);
            program.plan(target, None, Options::default()).map_err(|problems| {
                let first = &problems.diagnostics()[0];
                format!("{}: {}: {}", path.display(), first.code, first.message)
            })
        });
        Ok(Self { plans: plans.collect::<Result<_, _>>()?, calls: Default::default(), times: Default::default() })
    }

    fn run(&mut self, at: usize, args: &mut [Arg<'_>]) -> Result<(), String> {
        let start = Instant::now();
        let done = self.plans[at].launch().run(args);
        self.times[at] += start.elapsed();
        self.calls[at] += 1;
        done.map(drop).map_err(|d| {
            format!("kernel {at} ({}): {}: {}", FRAGMENTS[at], d.diagnostics()[0].code, d.diagnostics()[0].message)
        })
    }

    fn print_times(&self) {
        println!("{:>6}  {:<24}  {:>5}  {:>10}", "kernel", "what it does", "calls", "time");
        for (at, what) in FRAGMENTS.iter().enumerate() {
            println!("{at:>6}  {what:<24}  {:>5}  {:>7.1} ms", self.calls[at], self.times[at].as_secs_f64() * 1e3);
        }
        let (calls, time): (u32, Duration) = (self.calls.iter().sum(), self.times.iter().sum());
        println!("{:>6}  {:<24}  {calls:>5}  {:>7.1} ms", "", "all", time.as_secs_f64() * 1e3);
    }
}

/// What a layer is given.
struct Model {
    hidden: Vec<Bf16>,
    input_norm: Vec<f32>,
    post_norm: Vec<f32>,
    wq: Vec<Bf16>,
    wk: Vec<Bf16>,
    wv: Vec<Bf16>,
    wo: Vec<Bf16>,
    w_gate: Vec<Bf16>,
    w_up: Vec<Bf16>,
    w_down: Vec<Bf16>,
    /// Sequence, key head, position, number.
    k_cache: Vec<Bf16>,
    v_cache: Vec<Bf16>,
    /// Positions of each sequence, with the new one.
    lengths: Vec<usize>,
}

impl Model {
    /// Numbers that keep everything near a variance of one.
    fn new(rng: &mut Rng) -> Self {
        let mut matrix = |rows: usize, cols: usize| rng.numbers(rows * cols, 1.0 / (rows as f32).sqrt());
        let (wq, wk, wv) = (matrix(HIDDEN, HIDDEN), matrix(HIDDEN, KV), matrix(HIDDEN, KV));
        let (wo, w_gate) = (matrix(HIDDEN, HIDDEN), matrix(HIDDEN, INNER));
        let (w_up, w_down) = (matrix(HIDDEN, INNER), matrix(INNER, HIDDEN));
        let mut gains = || rng.numbers(HIDDEN, 0.1).iter().map(|x| 1.0 + x.to_f32()).collect();
        let (input_norm, post_norm) = (gains(), gains());
        let cached = BATCH * KV_HEADS * POSITIONS * HEAD;
        let (k_cache, v_cache) = (rng.numbers(cached, 1.0), rng.numbers(cached, 1.0));
        let lengths = (0..BATCH).map(|_| rng.next() as usize % POSITIONS + 1).collect();
        let hidden = rng.numbers(BATCH * HIDDEN, 1.0);
        Self { hidden, input_norm, post_norm, wq, wk, wv, wo, w_gate, w_up, w_down, k_cache, v_cache, lengths }
    }

    /// Where the numbers of a key head at a position are in a cache.
    fn cached(sequence: usize, head: usize, position: usize) -> usize {
        ((sequence * KV_HEADS + head) * POSITIONS + position) * HEAD
    }
}

/// The splitmix64 generator.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Numbers with mean zero, evenly distributed.
    fn numbers(&mut self, count: usize, deviation: f32) -> Vec<Bf16> {
        let unit = deviation * 3.0f32.sqrt() / 32768.0;
        let mut numbers = Vec::with_capacity(count + 3);
        while numbers.len() < count {
            let bits = self.next();
            numbers.extend([0, 16, 32, 48].map(|at| Bf16::from_f32(f32::from((bits >> at) as i16) * unit)));
        }
        numbers.truncate(count);
        numbers
    }
}

/// The cosines and sines by which pairs of numbers turn at a position.
fn rotation(position: usize) -> (Vec<f32>, Vec<f32>) {
    let angle = |i: usize| position as f64 * 1e6f64.powf(-(i as f64) / (HEAD / 2) as f64);
    (0..HEAD / 2).map(|i| (angle(i).cos() as f32, angle(i).sin() as f32)).unzip()
}

fn zeros<T: Number + Default>(count: usize) -> Vec<T> {
    vec![T::default(); count]
}

fn read(numbers: &[Bf16]) -> Arg<'_> {
    Arg::read(numbers)
}

fn int(number: usize) -> Arg<'static> {
    Arg::Int(number as i64)
}

/// The step by the kernels. A call of a projection makes as many columns as its kernel is written for.
fn decode(kernels: &mut Kernels, model: &mut Model) -> Result<[Vec<f32>; STAGES.len()], String> {
    let mut normed = zeros(BATCH * HIDDEN);
    kernels.run(0, &mut [read(&model.hidden), Arg::read(&model.input_norm), Arg::write(&mut normed), int(0)])?;

    let (mut q, mut k, mut v) = (zeros(BATCH * HIDDEN), zeros(BATCH * KV), zeros(BATCH * KV));
    for part in 0..HIDDEN / 256 {
        kernels.run(1, &mut [read(&normed), Arg::write(&mut q), read(&model.wq), int(0), int(part)])?;
    }
    for part in 0..KV / 256 {
        let (wk, wv) = (read(&model.wk), read(&model.wv));
        kernels.run(2, &mut [Arg::write(&mut k), read(&normed), Arg::write(&mut v), wk, wv, int(0), int(part)])?;
    }

    let attention = attend(kernels, model, &q, &k, &v)?;

    let mut residual = zeros(BATCH * HIDDEN);
    let mut product = zeros(BATCH * 64);
    for column in (0..HIDDEN).step_by(64) {
        kernels.run(9, &mut [read(&attention), read(&model.wo), Arg::write(&mut product), int(0), int(column)])?;
        let sum = Arg::write(&mut residual);
        kernels.run(10, &mut [read(&model.hidden), Arg::read::<f32>(&product), sum, int(0), int(column)])?;
    }

    let mut post = zeros(BATCH * HIDDEN);
    kernels.run(11, &mut [Arg::write(&mut post), Arg::read(&model.post_norm), Arg::read::<f32>(&residual)])?;

    let mut mlp = zeros(BATCH * INNER);
    let (mut gate, mut up) = (zeros::<f32>(BATCH * 256), zeros::<f32>(BATCH * 256));
    for column in (0..INNER).step_by(256) {
        kernels.run(12, &mut [read(&post), read(&model.w_gate), Arg::write(&mut gate), int(column)])?;
        kernels.run(13, &mut [read(&post), read(&model.w_up), Arg::write(&mut up), int(column)])?;
        kernels.run(14, &mut [Arg::read(&gate), Arg::read(&up), Arg::write(&mut mlp[column..])])?;
    }

    let mut out = zeros(BATCH * HIDDEN);
    let mut product = zeros(BATCH * 128);
    for column in (0..HIDDEN).step_by(128) {
        kernels.run(15, &mut [read(&mlp), read(&model.w_down), Arg::write(&mut product), int(column)])?;
        let sum = Arg::write(&mut out);
        kernels.run(16, &mut [Arg::read::<f32>(&product), sum, Arg::read(&residual), int(0), int(column)])?;
    }
    Ok([wide(&normed), q, k, v, wide(&attention), residual, wide(&post), wide(&mlp), wide(&out)])
}

/// Rotary embedding, caches and attention by the kernels.
fn attend(kernels: &mut Kernels, model: &mut Model, q: &[f32], k: &[f32], v: &[f32]) -> Result<Vec<Bf16>, String> {
    let mut rotated = zeros::<Bf16>(BATCH * KV_HEADS * Q_ROWS * HEAD);
    kernels.run(3, &mut [Arg::write(&mut rotated)])?;
    for sequence in 0..BATCH {
        let position = model.lengths[sequence] - 1;
        let (cos, sin) = rotation(position);
        let (cos, sin) = (|| Arg::read(&cos), || Arg::read(&sin));
        let (keys, values) = (Arg::write(&mut model.k_cache), Arg::write(&mut model.v_cache));
        let (turned, k, q, v) = (Arg::write(&mut rotated), Arg::read(k), Arg::read(q), Arg::read(v));
        let (sequence, group, position) = (int(sequence), int(0), int(position));
        let mut args = [turned, cos(), cos(), keys, k, q, sin(), sin(), values, v, sequence, group, position];
        kernels.run(4, &mut args)?;
    }

    let rows = POSITIONS / BLOCK * Q_ROWS;
    let (mut scores, mut weights, mut parts) =
        (zeros::<f32>(rows * BLOCK), zeros::<Bf16>(rows * BLOCK), zeros::<f32>(rows * HEAD));
    let (mut sums, mut largest) = (zeros::<f32>(rows / 2), zeros::<f32>(rows / 2));
    let mut attention = zeros::<Bf16>(BATCH * HIDDEN);
    for (sequence, row) in attention.chunks_exact_mut(HIDDEN).enumerate() {
        let length = model.lengths[sequence];
        let blocks = length.div_ceil(BLOCK);
        for head in 0..KV_HEADS {
            let queries = &rotated[(sequence * KV_HEADS + head) * Q_ROWS * HEAD..][..Q_ROWS * HEAD];
            let (s, k, q) = (Arg::write(&mut scores), Arg::read(&model.k_cache), Arg::read(queries));
            kernels.run(5, &mut [s, k, q, int(sequence), int(blocks), int(head), int(0)])?;
            let (l, m, w) = (Arg::write(&mut sums), Arg::write(&mut largest), Arg::write(&mut weights));
            kernels.run(6, &mut [l, m, w, Arg::read(&scores), int(blocks), int(length), int(0)])?;
            let (w, p, v) = (Arg::read(&weights), Arg::write(&mut parts), Arg::read(&model.v_cache));
            kernels.run(7, &mut [w, p, v, int(sequence), int(blocks), int(head), int(0)])?;
            let (l, m, p) = (Arg::read(&sums), Arg::read(&largest), Arg::read(&parts));
            kernels.run(8, &mut [l, m, p, Arg::write(&mut *row), int(blocks), int(head * SHARED)])?;
        }
    }
    Ok(attention)
}

/// The step by plain loops. Numbers that kernels keep in bf16 are rounded to it here too.
fn reference(model: &Model) -> [Vec<f32>; STAGES.len()] {
    let hidden = wide(&model.hidden);
    let normed = norm(&hidden, &model.input_norm);
    let (q, k, v) = (product(&normed, &model.wq), product(&normed, &model.wk), product(&normed, &model.wv));
    let attention: Vec<f32> = (0..BATCH).flat_map(|sequence| attention_row(model, sequence, &q, &k, &v)).collect();
    let sum = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<f32>>();
    let residual = sum(&hidden, &product(&attention, &model.wo));
    let post = norm(&residual, &model.post_norm);
    let (gate, up) = (product(&post, &model.w_gate), product(&post, &model.w_up));
    let mlp: Vec<f32> = gate.iter().zip(&up).map(|(g, u)| narrow(g / (1.0 + (-g).exp()) * u)).collect();
    let out = sum(&residual, &product(&mlp, &model.w_down)).iter().map(|x| narrow(*x)).collect();
    [normed, q, k, v, attention, residual, post, mlp, out]
}

fn wide(numbers: &[Bf16]) -> Vec<f32> {
    numbers.iter().map(|x| x.to_f32()).collect()
}

fn narrow(x: f32) -> f32 {
    Bf16::from_f32(x).to_f32()
}

/// Rows divided by the root of their mean square, times gains.
fn norm(rows: &[f32], gains: &[f32]) -> Vec<f32> {
    let scaled = rows.chunks_exact(HIDDEN).flat_map(|row| {
        let square = row.iter().map(|x| f64::from(x * x)).sum::<f64>() / HIDDEN as f64;
        let factor = (1.0 / (square + 1e-6).sqrt()) as f32;
        row.iter().zip(gains).map(move |(x, gain)| narrow(x * factor * gain))
    });
    scaled.collect()
}

/// A matrix with a row for each sequence times a matrix of weights, some columns at a time.
fn product(rows: &[f32], weights: &[Bf16]) -> Vec<f32> {
    const STRIP: usize = 512;
    let inner = rows.len() / BATCH;
    let cols = weights.len() / inner;
    let mut sums = vec![0.0; BATCH * cols];
    for first in (0..cols).step_by(STRIP) {
        for (at, line) in weights.chunks_exact(cols).enumerate() {
            let line = wide(&line[first..first + STRIP]);
            for sequence in 0..BATCH {
                let factor = rows[sequence * inner + at];
                let strip = &mut sums[sequence * cols + first..][..STRIP];
                strip.iter_mut().zip(&line).for_each(|(sum, weight)| *sum += factor * weight);
            }
        }
    }
    sums
}

/// The attention of a sequence: all its heads, one after the other.
fn attention_row(model: &Model, sequence: usize, q: &[f32], k: &[f32], v: &[f32]) -> Vec<f32> {
    let last = model.lengths[sequence] - 1;
    let mut row = Vec::with_capacity(HIDDEN);
    for head in 0..KV_HEADS * SHARED {
        let key_head = head / SHARED;
        let own = sequence * KV + key_head * HEAD..sequence * KV + (key_head + 1) * HEAD;
        let at = |position| Model::cached(sequence, key_head, position);
        let query = rotate(&q[sequence * HIDDEN + head * HEAD..][..HEAD], last);
        let mut keys: Vec<Vec<f32>> = (0..last).map(|p| wide(&model.k_cache[at(p)..][..HEAD])).collect();
        keys.push(rotate(&k[own.clone()], last));
        let mut values: Vec<Vec<f32>> = (0..last).map(|p| wide(&model.v_cache[at(p)..][..HEAD])).collect();
        values.push(v[own].iter().map(|x| narrow(*x)).collect());

        let dot = |key: &Vec<f32>| query.iter().zip(key).map(|(a, b)| a * b).sum::<f32>() / (HEAD as f32).sqrt();
        let scores: Vec<f32> = keys.iter().map(dot).collect();
        let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f32> = scores.iter().map(|s| (s - largest).exp()).collect();
        let all: f32 = weights.iter().sum();
        let mean = |i: usize| weights.iter().zip(&values).map(|(w, value)| w * value[i]).sum::<f32>() / all;
        row.extend((0..HEAD).map(|i| narrow(mean(i))));
    }
    row
}

/// A head with its pairs of numbers turned.
fn rotate(head: &[f32], position: usize) -> Vec<f32> {
    let (cos, sin) = rotation(position);
    let (low, high) = head.split_at(HEAD / 2);
    let lows = (0..HEAD / 2).map(|i| narrow(low[i] * cos[i] - high[i] * sin[i]));
    let highs = (0..HEAD / 2).map(|i| narrow(high[i] * cos[i] + low[i] * sin[i]));
    lows.chain(highs).collect()
}

/// Prints the largest error of each stage; true when all are within the tolerance.
fn compare(found: &[Vec<f32>], expected: &[Vec<f32>]) -> bool {
    println!("{:<14}  {:>13}  {:>16}", "stage", "largest error", "largest expected");
    let mut right = true;
    for ((name, found), expected) in STAGES.iter().zip(found).zip(expected) {
        let errors = || found.iter().zip(expected).map(|(f, e)| ((f - e).abs(), e.abs()));
        let wrong = errors().filter(|(error, size)| error.is_nan() || *error > TOLERANCE * size.max(1.0)).count();
        let (error, size) = errors().fold((0.0f32, 0.0f32), |all, one| (all.0.max(one.0), all.1.max(one.1)));
        let verdict = if wrong == 0 { String::new() } else { format!("  {wrong} of {} wrong", found.len()) };
        println!("{name:<14}  {error:>13.2e}  {size:>16.3}{verdict}");
        right &= wrong == 0;
    }
    println!("tolerance: {TOLERANCE}, or {TOLERANCE} of the number: {}", if right { "all right" } else { "exceeded" });
    right
}
