//! c = a·b for f32 matrices, placed and synchronised by hand; the twin of `gemm.pto`: `cargo run --release --example gemm`.
//!
//! A block takes 128x256 parts of c; the left and the right half of a part have an accumulator each. Pieces of 128 columns of a
//! and 128 rows of b go through L1, slices of 64 through L0, where a slice of a serves both halves. Every buffer exists twice, so
//! that the next piece is loaded while this one is multiplied, and one half is stored while the other is finished. "Full"
//! goes forward, "free" goes back, and all are free at the start. Buffer n of a pair has event n; slices of a have 2 and 3.

use pto::tile::*;
use pto::{Arg, Form, Target};

/// Rows and columns of half a part of c, and the depth of a piece in L1.
const SIDE: usize = 128;
/// Columns of a part of c.
const WIDE: usize = 2 * SIDE;
/// Depth of a slice in L0.
const SHORT: usize = 64;

/// Bytes of a buffer in L1, in L0 and of an accumulator.
const A_SIZE: usize = SIDE * SIDE * 4;
const B_SIZE: usize = SIDE * WIDE * 4;
const L0_SIZE: usize = SIDE * SHORT * 4;
const ACC_SIZE: usize = SIDE * SIDE * 4;

/// What becomes free: the pipe that is done with two buffers, the one that may fill them again, and an event for each.
const FREE: [(Pipe, Pipe, [Event; 2]); 4] = [
    (Pipe::Mte1, Pipe::Mte2, [Event::Id0, Event::Id1]),
    (Pipe::M, Pipe::Mte1, [Event::Id0, Event::Id1]),
    (Pipe::M, Pipe::Mte1, [Event::Id2, Event::Id3]),
    (Pipe::Fix, Pipe::M, [Event::Id0, Event::Id1]),
];

/// The product of two matrices of N rows and N columns.
#[pto::kernel]
pub fn gemm<const N: usize>(a: Gm<f32>, b: Gm<f32>, c: Gm<f32>) {
    let [a, b, c] = [a, b, c].map(|matrix| matrix.view([N, N]));
    for (done, next, events) in FREE {
        for event in events {
            set_flag(done, next, event);
        }
    }

    let (block, blocks) = (get_block_idx().index(), get_block_num().index());
    let (down, across) = (N / SIDE, N / WIDE);
    for_range(block, down * across, blocks, |part| {
        let (row, col) = (part / across * SIDE, part % across * WIDE);

        for_range(0, N, SIDE, |k| {
            let l1 = k / SIDE % 2;
            let (mut a_l1, mut b_l1) = (TileMat::<f32, SIDE, SIDE>::new(), TileMat::<f32, SIDE, WIDE>::new());
            tassign(&mut a_l1, l1 * A_SIZE);
            tassign(&mut b_l1, l1 * B_SIZE + 2 * A_SIZE);
            wait_flag_dyn(Pipe::Mte1, Pipe::Mte2, l1);
            tload(&mut a_l1, &a.part((row, k), [SIDE, SIDE]));
            tload(&mut b_l1, &b.part((k, col), [SIDE, WIDE]));
            set_flag_dyn(Pipe::Mte2, Pipe::Mte1, l1);
            wait_flag_dyn(Pipe::Mte2, Pipe::Mte1, l1);

            for_range(0, SIDE, SHORT, |inner| {
                let slice = inner / SHORT;
                let mut a_l0 = TileLeft::<f32, SIDE, SHORT>::new();
                tassign(&mut a_l0, slice * L0_SIZE);
                wait_flag_dyn(Pipe::M, Pipe::Mte1, slice + 2);
                textract(&mut a_l0, &a_l1, 0, inner);
                let depth = k + inner;

                for_range(0, 2, 1, |half| {
                    let (mut b_l0, mut sum) = (TileRight::<f32, SHORT, SIDE>::new(), TileAcc::<f32, SIDE, SIDE>::new());
                    tassign(&mut b_l0, half * L0_SIZE);
                    tassign(&mut sum, half * ACC_SIZE);
                    wait_flag_dyn(Pipe::M, Pipe::Mte1, half);
                    textract(&mut b_l0, &b_l1, inner, half * SIDE);
                    set_flag_dyn(Pipe::Mte1, Pipe::M, half);
                    wait_flag_dyn(Pipe::Mte1, Pipe::M, half);
                    if_then(depth.eq(0), || {
                        wait_flag_dyn(Pipe::Fix, Pipe::M, half);
                        tmatmul(&mut sum, &a_l0, &b_l0);
                    })
                    .otherwise(|| {
                        tmatmul_acc(&mut sum, Same, &a_l0, &b_l0);
                    });
                    set_flag_dyn(Pipe::M, Pipe::Mte1, half);
                    if_then(depth.eq(N - SHORT), || {
                        set_flag_dyn(Pipe::M, Pipe::Fix, half);
                        wait_flag_dyn(Pipe::M, Pipe::Fix, half);
                        tstore(&mut c.part((row, col + half * SIDE), [SIDE, SIDE]), &sum);
                        set_flag_dyn(Pipe::Fix, Pipe::M, half);
                    });
                });
                set_flag_dyn(Pipe::M, Pipe::Mte1, slice + 2);
            });
            set_flag_dyn(Pipe::Mte1, Pipe::Mte2, l1);
        });
    });

    for (done, next, events) in FREE {
        for event in events {
            wait_flag(done, next, event);
        }
    }
}

/// Traces the kernel, checks it, runs it and compares.
pub fn main() {
    const N: usize = 512;
    let kernel = gemm::<N>();
    for target in [Target::A2A3, Target::A5] {
        kernel.check(target).expect("legal on both devices");
    }
    println!("gemm {N}x{N}x{N}: {} lines of PTO text", kernel.to_text(Form::Level2).lines().count());

    let numbers = |step: usize| (0..N * N).map(|i| (i * step % 1009) as f32 / 504.0 - 1.0).collect::<Vec<f32>>();
    let (a, b, mut c) = (numbers(7919), numbers(6577), vec![0.0f32; N * N]);
    let mut args = [Arg::read(&a), Arg::read(&b), Arg::write(&mut c)];
    let report = kernel.race(Target::A2A3, &mut args).expect("flags order every two instructions that meet");
    println!("ran {} instructions here: no race", report.instructions);

    // One sum per element, in order of depth, each step rounded once: so the results are the same to the bit.
    for (row, found) in c.chunks(N).enumerate().step_by(37) {
        for (col, found) in found.iter().enumerate() {
            let want = (0..N).fold(0.0f32, |sum, k| a[row * N + k].mul_add(b[k * N + col], sum));
            assert_eq!(found.to_bits(), want.to_bits(), "[{row}, {col}]");
        }
    }
    println!("the same bits as plain Rust");

    let cycles = kernel.perf(Target::A2A3).expect("it can be followed").cycles;
    println!("predicted for one core of an A2/A3: {cycles:.0} cycles");
}
