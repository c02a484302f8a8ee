//! Row softmax in Rust, the twin of `softmax.pto`: `cargo run --release --example softmax`.
//!
//! ```text
//! y[i, j] = exp(x[i, j] - max_j x[i, j]) / sum_j exp(x[i, j] - max_j x[i, j])
//! ```

use pto::tile::*;
use pto::{Arg, Form, Target};

/// Rows that are in a tile at a time. Each row of the matrix is one row of a tile.
const ROWS: usize = 16;

type Rows<const WIDTH: usize> = Tile<Vector, f32, ROWS, WIDTH>;
type Column = Tile<Vector, f32, ROWS, 1, ColMajor>;

/// Softmax of the rows of a matrix. Blocks take turns.
#[pto::kernel]
pub fn softmax<const HEIGHT: usize, const WIDTH: usize>(x: Gm<f32>, y: Gm<f32>) {
    let (xs, ys) = (x.view([HEIGHT, WIDTH]), y.view([HEIGHT, WIDTH]));
    let (block, blocks) = (get_block_idx().index(), get_block_num().index());
    for_range(block * ROWS, HEIGHT, blocks * ROWS, |row| {
        let (mut t, mut scratch) = (Rows::<WIDTH>::new(), Rows::<WIDTH>::new());
        let (mut largest, mut total) = (Column::new(), Column::new());

        tload(&mut t, &xs.part((row, 0), [ROWS, WIDTH]));
        trowmax(&mut largest, &t).tmp(&mut scratch);
        trowexpandexpdif(&mut t, Same, &largest);
        trowsum(&mut total, &t).tmp(&mut scratch);
        trowexpanddiv(&mut t, Same, &total);
        tstore(&mut ys.part((row, 0), [ROWS, WIDTH]), &t);
    });
}

/// The same in plain Rust.
fn reference(row: &[f32]) -> impl Iterator<Item = f32> {
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = row.iter().map(|x| (x - largest).exp()).sum();
    row.iter().map(move |x| (x - largest).exp() / total)
}

/// Traces the kernel, checks it, runs it and compares.
pub fn main() {
    const HEIGHT: usize = 4096;
    const WIDTH: usize = 1024;
    let kernel = softmax::<HEIGHT, WIDTH>();
    for target in [Target::A2A3, Target::A5] {
        kernel.check(target).expect("legal on both devices");
    }
    println!("softmax {HEIGHT}x{WIDTH}: {} lines of PTO text", kernel.to_text(Form::Level2).lines().count());

    let x: Vec<f32> = (0..HEIGHT * WIDTH).map(|i| (i * 7919 % 2003) as f32 / 250.0).collect();
    let mut y = vec![0.0f32; x.len()];
    let report = kernel.run(Target::A2A3, &mut [Arg::read(&x), Arg::write(&mut y)]).expect("it runs");
    println!("ran {} instructions here", report.instructions);

    let mut error = 0.0f32;
    for (found, row) in y.chunks(WIDTH).zip(x.chunks(WIDTH)) {
        error = found.iter().zip(reference(row)).fold(error, |e, (y, want)| e.max((y - want).abs() / want));
    }
    println!("largest relative error against plain Rust: {error:.1e}");
    assert!(error < 1e-5);

    let lowered = kernel.lower(Target::A2A3).expect("it fits");
    let cycles = lowered.perf(Target::A2A3).expect("it can be followed").cycles;
    println!("predicted for one core of an A2/A3: {cycles:.0} cycles");
}
