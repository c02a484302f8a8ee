//! The example programs give what plain Rust gives.

use pto::cpu::{Arg, Options, Plan};
use pto::isa::DType;
use pto::{Program, Target};
use pto_num::{Bf16, F16};
use std::path::Path;

fn plan(file: &str) -> Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file);
    let program = Program::parse(&std::fs::read_to_string(path).expect("the example is there"));
    let target = program.stated_target().unwrap_or(Target::A2A3);
    program.plan(target, None, Options::default()).unwrap_or_else(|d| panic!("{file}: {}", d.diagnostics()[0].message))
}

fn run(file: &str, args: &mut [Arg<'_>], blocks: u32) {
    plan(file).launch().blocks(blocks).run(args).unwrap_or_else(|d| panic!("{file}: {d}"));
}

/// Numbers between -1 and 1, the same every time.
fn numbers(count: usize, salt: u64) -> Vec<f32> {
    let mut state = salt.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn products_of_matrices() {
    let (a, b, mut c) = (numbers(SIDE * SIDE, 1), numbers(SIDE * SIDE, 2), vec![0.0f32; SIDE * SIDE]);
    run("gemm.pto", &mut [Arg::read(&a), Arg::read(&b), Arg::write(&mut c)], 3);
    assert_product(&a, &b, &c);
}

#[test]
fn products_of_matrices_of_halves() {
    let [a, b] = [1, 2].map(|salt| numbers(SIDE * SIDE, salt).into_iter().map(Bf16::from_f32).collect::<Vec<Bf16>>());
    let mut c = vec![0.0f32; SIDE * SIDE];
    run("gemm_bf16.pto", &mut [Arg::read(&a), Arg::read(&b), Arg::write(&mut c)], 3);
    for row in SOME_ROWS {
        for col in 0..SIDE {
            let factors = |k: usize| (a[row * SIDE + k].to_f32(), b[k * SIDE + col].to_f32());
            assert_eq!(c[row * SIDE + col].to_bits(), sum_in_blocks(SIDE, factors).to_bits(), "[{row}, {col}]");
        }
    }
}

const SIDE: usize = 1024;
const SOME_ROWS: [usize; 7] = [0, 127, 128, 255, 256, 700, 1023];

/// One sum per element, in order of depth, each step rounded once; in some of the rows.
fn assert_product(a: &[f32], b: &[f32], c: &[f32]) {
    for row in SOME_ROWS {
        for col in 0..SIDE {
            let sum = (0..SIDE).fold(0.0f32, |sum, k| a[row * SIDE + k].mul_add(b[k * SIDE + col], sum));
            assert_eq!(c[row * SIDE + col].to_bits(), sum.to_bits(), "[{row}, {col}]");
        }
    }
}

/// One sum in blocks of 32, each of which sums its even and its odd steps.
fn sum_in_blocks(depth: usize, factors: impl Fn(usize) -> (f32, f32)) -> f32 {
    let part = |block: usize, parity: usize| {
        (0..16).map(|i| factors(32 * block + 2 * i + parity)).fold(0.0f32, |sum, (a, b)| a.mul_add(b, sum))
    };
    (0..depth / 32).fold(0.0, |sum, block| sum + (part(block, 0) + part(block, 1)))
}

fn attention(file: &str, d: usize) {
    const N: usize = 1024;
    let half = |salt| numbers(N * d, salt).iter().map(|x| Bf16::from_f32(x * 2.0)).collect::<Vec<Bf16>>();
    let (q, k, v) = (half(3), half(4), half(5));
    let (mut o, mut s_slots, mut p_slots, mut o_slots) = (vec![0.0f32; N * d], [0.0f32; 0], [Bf16(0); 0], [0.0f32; 0]);
    let mut args = [Arg::read(&q), Arg::read(&k), Arg::read(&v), Arg::write(&mut o)].into_iter().collect::<Vec<_>>();
    args.extend([Arg::write(&mut s_slots), Arg::write(&mut p_slots), Arg::write(&mut o_slots)]);
    run(file, &mut args, 5);
    let at = |m: &[Bf16], row: usize, col: usize| f64::from(m[row * d + col].to_f32());
    for row in [0, 63, 64, 500, 1023] {
        let score = |j: usize| (0..d).map(|c| at(&q, row, c) * at(&k, j, c)).sum::<f64>() / (d as f64).sqrt();
        let scores: Vec<f64> = (0..N).map(score).collect();
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|s| (s - largest).exp()).collect();
        let total: f64 = weights.iter().sum();
        for c in 0..d {
            let want = (0..N).map(|j| weights[j] * at(&v, j, c)).sum::<f64>() / total;
            let found = f64::from(o[row * d + c]);
            assert!((found - want).abs() < 5e-4, "{file} [{row}, {c}]: {found}, expected {want}");
        }
    }
}

#[test]
fn attention_over_pipes() {
    attention("flash_attention.pto", 64);
    attention("flash_attention_128.pto", 128);
}

#[test]
fn the_largest_numbers_with_their_places() {
    const ROWS: usize = 256;
    const WIDTH: usize = 2048;
    const K: usize = 64;
    // Few enough different numbers that many are equal: the first of them comes first.
    let x: Vec<f32> = numbers(ROWS * WIDTH, 6).iter().map(|x| (x * 500.0).round()).collect();
    let (mut largest, mut places) = (vec![0.0f32; ROWS * K], vec![0i32; ROWS * K]);
    run("top_k.pto", &mut [Arg::read(&x), Arg::write(&mut largest), Arg::write(&mut places)], 2);
    for row in 0..ROWS {
        let line = &x[row * WIDTH..(row + 1) * WIDTH];
        let mut order: Vec<usize> = (0..WIDTH).collect();
        order.sort_by(|a, b| line[*b].total_cmp(&line[*a]));
        for k in 0..K {
            assert_eq!(places[row * K + k], order[k] as i32, "row {row}, number {k}");
            assert_eq!(largest[row * K + k], line[order[k]]);
        }
    }
}

#[test]
fn every_rank_has_the_sum() {
    const N: usize = 4096;
    let plan = plan("all_reduce.pto");
    let names: Vec<String> = plan.params().iter().map(|p| p.name.clone()).collect();
    let x: Vec<Vec<f32>> = (0..4).map(|rank| numbers(N, 10 + rank)).collect();
    let mut y = vec![vec![0.0f32; N]; 4];
    let mut words = vec![[[0i32; 1]; 2]; 4];
    let mut all: Vec<Arg> = Vec::new();
    for (rank, (y, words)) in y.iter_mut().zip(&mut words).enumerate() {
        let [arrived, done] = words;
        let own = [Arg::Int(rank as i64), Arg::read(&x[rank]), Arg::write(y), Arg::write(arrived), Arg::write(done)];
        let mut args: Vec<Arg> = own.into_iter().collect();
        for name in &names[args.len()..] {
            let (of, number) = name.rsplit_once("_at_").expect("memory of another rank");
            let param = names.iter().position(|n| n == of).expect("a parameter");
            args.push(Arg::Remote { rank: number.parse().expect("a rank"), param });
        }
        all.extend(args);
    }
    plan.launch().ranks(4).run(&mut all).unwrap_or_else(|d| panic!("{d}"));
    drop(all);
    let want: Vec<f32> = (0..N).map(|i| ((x[0][i] + x[1][i]) + x[2][i]) + x[3][i]).collect();
    assert!(y.iter().all(|y| *y == want));
}

#[test]
fn quantised_products() {
    const N: usize = 512;
    const SCALE: f32 = 0.001;
    let bytes = |salt| numbers(N * N, salt).iter().map(|x| (x * 127.0) as i8).collect::<Vec<i8>>();
    let (a, b, mut y) = (bytes(20), bytes(21), vec![F16(0); N * N]);
    let scale = Arg::Int(i64::from(SCALE.to_bits()));
    run("int8_gemm.pto", &mut [Arg::read(&a), Arg::read(&b), scale, Arg::write(&mut y)], 3);
    for row in [0, 130, 511] {
        for col in 0..N {
            let sum: i32 = (0..N).map(|k| i32::from(a[row * N + k]) * i32::from(b[k * N + col])).sum();
            assert_eq!(y[row * N + col], F16::from_f32(sum as f32 * SCALE), "[{row}, {col}]");
        }
    }
}

#[test]
fn convolutions_as_products() {
    const SIDE: i64 = 32;
    let half = |count, salt| numbers(count, salt).iter().map(|x| F16::from_f32(*x)).collect::<Vec<F16>>();
    let (x, w, mut y) = (half(1024 * 16, 30), half(144 * 32, 31), vec![0.0f32; 1024 * 32]);
    run("conv2d.pto", &mut [Arg::read(&x), Arg::read(&w), Arg::write(&mut y)], 3);
    for (row, col, filter) in (0..SIDE).flat_map(|r| (0..SIDE).map(move |c| (r, c, (r * 7 + c) as usize % 32))) {
        let mut sum = 0.0f32;
        for tap in 0..9i64 {
            let (r, c) = (row + tap / 3 - 1, col + tap % 3 - 1);
            let inside = (0..SIDE).contains(&r) && (0..SIDE).contains(&c);
            for channel in 0..16 {
                let point = if inside { x[((r * SIDE + c) * 16) as usize + channel].to_f32() } else { 0.0 };
                sum = point.mul_add(w[(tap as usize * 16 + channel) * 32 + filter].to_f32(), sum);
            }
        }
        assert_eq!(y[(row * SIDE + col) as usize * 32 + filter], sum, "[{row}, {col}], filter {filter}");
    }
}

#[test]
fn products_of_scaled_bytes() {
    const N: usize = 256;
    let codes = |salt| numbers(N * N, salt).iter().map(|x| (x * 119.0) as i8 as u8 & 0xf7).collect::<Vec<u8>>();
    let powers = |salt| numbers(N * 8, salt).iter().map(|x| (127.0 + x * 6.0) as u8).collect::<Vec<u8>>();
    let (a, b, sa, sb, mut y) = (codes(40), codes(41), powers(42), powers(43), vec![0.0f32; N * N]);
    let (numbers, scales) = (DType::F8E4M3, DType::F8E8M0);
    let factors = [(&a, numbers), (&sa, scales), (&b, numbers), (&sb, scales)];
    let mut args: Vec<Arg> = factors.iter().map(|(bytes, dtype)| Arg::read(bytes).of(*dtype)).collect();
    args.push(Arg::write(&mut y));
    run("mxfp8_gemm.pto", &mut args, 3);
    let number = |code: u8, power: u8| {
        let exact = pto_num::Exact::decode(u32::from(code), pto_num::Format::F8E4M3).to_f32();
        exact * 2f32.powi(i32::from(power) - 127)
    };
    for (row, col) in (0..N).map(|row| (row, (row * 37 + 11) % N)) {
        let term =
            |k: usize| (number(a[row * N + k], sa[row * 8 + k / 32]), number(b[k * N + col], sb[col * 8 + k / 32]));
        assert_eq!(y[row * N + col], sum_in_blocks(N, term), "[{row}, {col}]");
    }
}

#[test]
fn a_pipe_from_the_cube_to_the_vector_cores() {
    let half = |count, salt| numbers(count, salt).iter().map(|x| F16::from_f32(*x)).collect::<Vec<F16>>();
    let (x, w, bias) = (half(512 * 256, 50), half(256 * 128, 51), numbers(128, 52));
    let (mut y, mut slots) = (vec![0.0f32; 512 * 128], [0.0f32; 0]);
    let mut args = vec![Arg::read(&x), Arg::read(&w), Arg::read(&bias), Arg::write(&mut y), Arg::write(&mut slots)];
    run("matmul_bias_relu.pto", &mut args, 1);
    for (row, col) in (0..512).map(|row| (row, (row * 29 + 5) % 128)) {
        let term = |k: usize| (x[row * 256 + k].to_f32(), w[k * 128 + col].to_f32());
        let sum = (0..256).map(term).fold(0.0f32, |sum, (x, w)| x.mul_add(w, sum));
        assert_eq!(y[row * 128 + col], (sum + bias[col]).max(0.0), "[{row}, {col}]");
    }
}

/// The parameters of `decoder_layer.pto`, and the layer as f64 arithmetic without any rounding in between.
struct Layer {
    x: Vec<f32>,
    norms: [Vec<f32>; 2],
    /// q, k, v, output, gate, up, down.
    weights: [Vec<Bf16>; 7],
    turns: [Vec<f32>; 2],
}

impl Layer {
    const TOKENS: usize = 128;
    const HIDDEN: usize = 256;
    const INNER: usize = 512;
    const HEAD: usize = 64;

    fn new() -> Self {
        let (hidden, inner, turns) = (Self::HIDDEN, Self::INNER, Self::HEAD / 2);
        let sizes = [hidden, hidden, hidden, hidden, inner, inner, inner];
        let weights = std::array::from_fn(|at| {
            let small = numbers(hidden * sizes[at], 60 + at as u64).into_iter().map(|x| Bf16::from_f32(x * 0.15));
            small.collect()
        });
        let angle = |at: usize| (at / turns) as f32 * 10_000f32.powf(-((at % turns) as f32) / turns as f32);
        let turned = |of: fn(f32) -> f32| (0..Self::TOKENS * turns).map(|at| of(angle(at))).collect();
        Self {
            x: numbers(2 * Self::TOKENS * hidden, 70),
            norms: [71, 72].map(|salt| numbers(hidden, salt).iter().map(|x| 1.0 + x / 4.0).collect()),
            weights,
            turns: [turned(f32::cos), turned(f32::sin)],
        }
    }

    fn norm(row: &[f64], weight: &[f32]) -> Vec<f64> {
        let mean = row.iter().map(|x| x * x).sum::<f64>() / row.len() as f64;
        let scale = 1.0 / (mean + 1e-5).sqrt();
        row.iter().zip(weight).map(|(x, w)| x * scale * f64::from(*w)).collect()
    }

    fn times(row: &[f64], weights: &[Bf16]) -> Vec<f64> {
        let width = weights.len() / row.len();
        let mut sums = vec![0.0; width];
        for (x, line) in row.iter().zip(weights.chunks_exact(width)) {
            sums.iter_mut().zip(line).for_each(|(sum, w)| *sum += x * f64::from(w.to_f32()));
        }
        sums
    }

    fn rotated(&self, mut row: Vec<f64>, position: usize) -> Vec<f64> {
        let half = Self::HEAD / 2;
        for head in row.chunks_exact_mut(Self::HEAD) {
            for c in 0..half {
                let [cos, sin] = [0, 1].map(|of: usize| f64::from(self.turns[of][position * half + c]));
                (head[c], head[c + half]) =
                    (head[c] * cos - head[c + half] * sin, head[c + half] * cos + head[c] * sin);
            }
        }
        row
    }

    /// Rows of the result for some tokens of a sequence.
    fn rows(&self, sequence: usize, wanted: &[usize]) -> Vec<Vec<f64>> {
        let [wq, wk, wv, wo, w_gate, w_up, w_down] = &self.weights;
        let row = |token: usize| {
            let at = (sequence * Self::TOKENS + token) * Self::HIDDEN;
            self.x[at..at + Self::HIDDEN].iter().map(|x| f64::from(*x)).collect::<Vec<f64>>()
        };
        let normed: Vec<Vec<f64>> = (0..Self::TOKENS).map(|t| Self::norm(&row(t), &self.norms[0])).collect();
        let k: Vec<Vec<f64>> = normed.iter().enumerate().map(|(t, a)| self.rotated(Self::times(a, wk), t)).collect();
        let v: Vec<Vec<f64>> = normed.iter().map(|a| Self::times(a, wv)).collect();
        let result = |token: &usize| {
            let q = self.rotated(Self::times(&normed[*token], wq), *token);
            let mixed = Self::times(&attended(&q, &k[..=*token], &v), wo);
            let sum: Vec<f64> = row(*token).iter().zip(&mixed).map(|(x, o)| x + o).collect();
            let b = Self::norm(&sum, &self.norms[1]);
            let silu = |g: &f64| g / (1.0 + (-g).exp());
            let gated: Vec<f64> =
                Self::times(&b, w_gate).iter().zip(Self::times(&b, w_up)).map(|(g, u)| silu(g) * u).collect();
            sum.iter().zip(Self::times(&gated, w_down)).map(|(x, d)| x + d).collect()
        };
        wanted.iter().map(result).collect()
    }
}

/// Attention of one query to the first keys, head by head.
fn attended(q: &[f64], k: &[Vec<f64>], v: &[Vec<f64>]) -> Vec<f64> {
    let head_of = |head: usize| head * Layer::HEAD..(head + 1) * Layer::HEAD;
    let one = |head: usize| {
        let score = |k: &Vec<f64>| q[head_of(head)].iter().zip(&k[head_of(head)]).map(|(q, k)| q * k).sum::<f64>();
        let weights: Vec<f64> = k.iter().map(|k| (score(k) / 8.0).exp()).collect();
        let total: f64 = weights.iter().sum();
        head_of(head).map(move |c| weights.iter().zip(v).map(|(w, v)| w * v[c]).sum::<f64>() / total)
    };
    (0..Layer::HIDDEN / Layer::HEAD).flat_map(one).collect()
}

#[test]
fn a_layer_of_a_decoder() {
    let layer = Layer::new();
    let size = 2 * Layer::TOKENS * Layer::HIDDEN;
    let (mut y, mut work16, mut work32) = (vec![0.0f32; size], vec![Bf16(0); 8 * size], vec![0.0f32; 10 * size]);
    let (mut s_slots, mut p_slots, mut o_slots) = ([0.0f32; 0], [Bf16(0); 0], [0.0f32; 0]);
    let [wq, wk, wv, wo, w_gate, w_up, w_down] = &layer.weights;
    let mut args = vec![Arg::read(&layer.x), Arg::read(&layer.norms[0]), Arg::read(wq), Arg::read(wk), Arg::read(wv)];
    args.extend(layer.turns.iter().map(|t| Arg::read(t)));
    args.extend([Arg::read(wo), Arg::read(&layer.norms[1]), Arg::read(w_gate), Arg::read(w_up), Arg::read(w_down)]);
    args.extend([Arg::write(&mut y), Arg::write(&mut work16), Arg::write(&mut work32)]);
    args.extend([Arg::write(&mut s_slots), Arg::write(&mut p_slots), Arg::write(&mut o_slots)]);
    run("decoder_layer.pto", &mut args, 2);
    drop(args);
    let wanted = [0, 1, 63, 64, 100, 127];
    for sequence in 0..2 {
        for (token, want) in wanted.iter().zip(layer.rows(sequence, &wanted)) {
            let at = (sequence * Layer::TOKENS + token) * Layer::HIDDEN;
            for (c, (found, want)) in y[at..at + Layer::HIDDEN].iter().zip(want).enumerate() {
                let error = (f64::from(*found) - want).abs();
                assert!(error < 0.1, "sequence {sequence}, token {token}, column {c}: {found}, expected {want}");
            }
        }
    }
}
