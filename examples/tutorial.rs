//! The code of `docs/tutorial.md`, chapter by chapter: `cargo run --release --example tutorial` prints what is shown there.

use pto::tile::*;
use pto::{Arg, Form, Options, Target};

#[pto::kernel]
fn add(x: Gm<f32>, y: Gm<f32>, z: Gm<f32>) {
    let mut a = Tile::<Vector, f32, 64, 64>::new();
    let mut b = Tile::<Vector, f32, 64, 64>::new();
    tload(&mut a, &x.view([64, 64]));
    tload(&mut b, &y.view([64, 64]));
    tadd(&mut a, Same, &b);
    tstore(&mut z.view([64, 64]), &a);
}

fn first_kernel() -> String {
    let kernel = add();
    let (x, y, mut z) = (vec![1.0f32; 4096], vec![2.0f32; 4096], vec![0.0f32; 4096]);
    kernel.run(Target::A2A3, &mut [Arg::read(&x), Arg::read(&y), Arg::write(&mut z)]).expect("it runs");
    assert_eq!(z, vec![3.0; 4096]);

    kernel.to_text(Form::Level2)
}

const WIDTH: usize = 4096;

#[pto::kernel]
fn vector_add(x: Gm<f32>, y: Gm<f32>, z: Gm<f32>, n: Index) {
    let (xs, ys, zs) = (x.view([n]), y.view([n]), z.view([n]));
    let (block, blocks) = (get_block_idx().index(), get_block_num().index());
    for_range(block * WIDTH, n, blocks * WIDTH, |at| {
        let count = (n - at).min(WIDTH);
        let mut a = Tile::<Vector, f32, 1, WIDTH, RowMajor, 1, DYN>::with_valid(1, count);
        let mut b = Tile::<Vector, f32, 1, WIDTH, RowMajor, 1, DYN>::with_valid(1, count);
        tload(&mut a, &xs.part([at], [count]));
        tload(&mut b, &ys.part([at], [count]));
        tadd(&mut a, Same, &b);
        tstore(&mut zs.part([at], [count]), &a);
    });
}

fn any_length() -> String {
    let n = 10_000;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let mut z = vec![0.0f32; n];
    let mut args = [Arg::read(&x), Arg::read(&x), Arg::write(&mut z), Arg::Int(n as i64)];
    let plan = vector_add().plan(Target::A2A3, Options::default()).expect("legal on A2/A3");
    let report = plan.launch().blocks(2).run(&mut args).expect("it runs");
    assert!((0..n).all(|i| z[i] == 2.0 * i as f32));

    format!("{} instructions on two blocks", report.instructions)
}

#[pto::kernel]
fn largest(x: Gm<u8>, y: Gm<u8>, z: Gm<u8>) {
    let mut a = Tile::<Vector, u8, 16, 32>::new();
    let mut b = Tile::<Vector, u8, 16, 32>::new();
    tload(&mut a, &x.view([16, 32]));
    tload(&mut b, &y.view([16, 32]));
    tmax(&mut a, Same, &b);
    tstore(&mut z.view([16, 32]), &a);
}

fn a_mistake() -> String {
    largest().check(Target::A5).expect("A5 has it");
    let problems = largest().check(Target::A2A3).expect_err("A2/A3 has not");
    problems.to_string()
}

#[pto::kernel]
fn softmax(x: Gm<f32>, y: Gm<f32>) {
    let (xs, ys) = (x.view([256, 512]), y.view([256, 512]));
    for_range(0, 256, 16, |row| {
        let mut t = Tile::<Vector, f32, 16, 512>::new();
        let mut scratch = Tile::<Vector, f32, 16, 512>::new();
        let mut largest = Tile::<Vector, f32, 16, 1, ColMajor>::new();
        let mut total = Tile::<Vector, f32, 16, 1, ColMajor>::new();
        tload(&mut t, &xs.part((row, 0), [16, 512]));
        trowmax(&mut largest, &t).tmp(&mut scratch);
        trowexpandsub(&mut t, Same, &largest);
        texp(&mut t, Same);
        trowsum(&mut total, &t).tmp(&mut scratch);
        trowexpanddiv(&mut t, Same, &total);
        tstore(&mut ys.part((row, 0), [16, 512]), &t);
    });
}

fn softmax_in_auto_mode() -> String {
    let lowered = softmax().lower(Target::A2A3).expect("it fits");
    let cycles = lowered.perf(Target::A2A3).expect("it can be followed").cycles;

    let x: Vec<f32> = (0..256 * 512).map(|i| (i * 31 % 97) as f32 / 16.0).collect();
    let [mut before, mut after] = [vec![0.0f32; x.len()], vec![0.0f32; x.len()]];
    softmax().run(Target::A2A3, &mut [Arg::read(&x), Arg::write(&mut before)]).expect("it runs");
    lowered.race(Target::A2A3, &mut [Arg::read(&x), Arg::write(&mut after)]).expect("flags order the pipes");
    assert!(before == after && before.chunks(512).all(|row| (row.iter().sum::<f32>() - 1.0).abs() < 1e-5));

    format!("{}\n{cycles:.0} cycles", lowered.to_text(Form::Level2))
}

#[pto::kernel]
fn double_unordered(x: Gm<f32>, y: Gm<f32>) {
    let mut t = Tile::<Vector, f32, 16, 64>::new();
    tassign(&mut t, 0x1000);
    tload(&mut t, &x.view([16, 64]));
    tadd(&mut t, Same, Same);
    tstore(&mut y.view([16, 64]), &t);
}

fn a_race() -> String {
    let (x, mut y) = (vec![1.0f32; 1024], vec![0.0f32; 1024]);
    let mut args = [Arg::read(&x), Arg::write(&mut y)];
    let problems = double_unordered().race(Target::A2A3, &mut args).expect_err("nothing orders the pipes");
    problems.to_string()
}

#[pto::kernel]
fn double(x: Gm<f32>, y: Gm<f32>) {
    let mut t = Tile::<Vector, f32, 16, 64>::new();
    tassign(&mut t, 0x1000);
    let loaded = tload(&mut t, &x.view([16, 64]));
    let added = tadd(&mut t, Same, Same).after(&loaded);
    tstore(&mut y.view([16, 64]), &t).after(&added);
}

fn in_order() -> String {
    let (x, mut y) = (vec![1.0f32; 1024], vec![0.0f32; 1024]);
    double().race(Target::A2A3, &mut [Arg::read(&x), Arg::write(&mut y)]).expect("events order the pipes");
    assert_eq!(y, vec![2.0; 1024]);

    double().to_text(Form::Level2)
}

const DEPTH: usize = 1024;

/// c = a·b, 128 rows and columns, in pieces of 128; `BUFFERS` pieces are in L1 at a time.
#[pto::kernel]
fn matmul<const BUFFERS: usize>(a: Gm<F16>, b: Gm<F16>, c: Gm<f32>) {
    let (a, b) = (a.view([128, DEPTH]), b.view([DEPTH, 128]));
    let mut a_l1: [_; BUFFERS] = std::array::from_fn(|_| TileMat::<F16, 128, 128>::new());
    let mut b_l1: [_; BUFFERS] = std::array::from_fn(|_| TileMat::<F16, 128, 128>::new());
    let mut a_l0: [_; BUFFERS] = std::array::from_fn(|_| TileLeft::<F16, 128, 128>::new());
    let mut b_l0: [_; BUFFERS] = std::array::from_fn(|_| TileRight::<F16, 128, 128>::new());
    let mut sum = TileAcc::<f32, 128, 128>::new();
    for piece in 0..DEPTH / 128 {
        let (n, k) = (piece % BUFFERS, piece * 128);
        tload(&mut a_l1[n], &a.part([0, k], [128, 128]));
        tload(&mut b_l1[n], &b.part([k, 0], [128, 128]));
        tmov(&mut a_l0[n], &a_l1[n]);
        tmov(&mut b_l0[n], &b_l1[n]);
        if piece == 0 {
            tmatmul(&mut sum, &a_l0[n], &b_l0[n]);
        } else {
            tmatmul_acc(&mut sum, Same, &a_l0[n], &b_l0[n]);
        }
    }
    tstore(&mut c.view([128, 128]), &sum);
}

fn two_buffers() -> String {
    let a: Vec<F16> = (0..128 * DEPTH).map(|i| F16::from_f32((i % 7) as f32)).collect();
    let b: Vec<F16> = (0..DEPTH * 128).map(|i| F16::from_f32((i % 5) as f32)).collect();
    let cycles = |kernel: &Kernel| {
        let lowered = kernel.lower(Target::A2A3).expect("it fits");
        let mut c = vec![0.0f32; 128 * 128];
        let mut args = [Arg::read(&a), Arg::read(&b), Arg::write(&mut c)];
        lowered.race(Target::A2A3, &mut args).expect("flags order the pipes");
        let product = |i: usize, k: usize| a[i / 128 * DEPTH + k].to_f32() * b[k * 128 + i % 128].to_f32();
        assert!((0..128 * 128).step_by(37).all(|i| c[i] == (0..DEPTH).map(|k| product(i, k)).sum::<f32>()));
        lowered.perf(Target::A2A3).expect("it can be followed").cycles
    };
    format!("one buffer: {:.0} cycles\ntwo buffers: {:.0} cycles", cycles(&matmul::<1>()), cycles(&matmul::<2>()))
}

fn to_cpp() -> String {
    softmax().emit_cpp(Target::A2A3).expect("C++ can express it")
}

/// A title, and what makes the output.
pub type Chapter = (&'static str, fn() -> String);

/// The chapters, and what each prints.
pub const CHAPTERS: [Chapter; 8] = [
    ("A first kernel", first_kernel),
    ("Any length", any_length),
    ("A mistake", a_mistake),
    ("Softmax", softmax_in_auto_mode),
    ("A race", a_race),
    ("In order", in_order),
    ("Two buffers", two_buffers),
    ("C++", to_cpp),
];

/// Runs all chapters.
pub fn main() {
    for (title, chapter) in CHAPTERS {
        println!("== {title}\n\n{}\n", chapter());
    }
}
