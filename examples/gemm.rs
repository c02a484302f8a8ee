//! c = a·b for f32 matrices, placed and synchronised by hand; the twin of `gemm.pto`: `cargo run --release --example gemm`.
//!
//! A block takes 128x128 parts of c. Pieces of 256 columns of a and 256 rows of b go through L1, of 64 through L0; every buffer
//! exists twice, so that the next piece is loaded while this one is multiplied, and a finished part is stored while the next
//! one is begun. Buffer n of a pair has event n: "full" goes forward, "free" goes back, and all are free at the start.

use pto::tile::*;
use pto::{Arg, Form, Target};

/// Rows and columns of a part of c.
const SIDE: usize = 128;
/// Depth of a piece in L1, and in L0.
const LONG: usize = 256;
const SHORT: usize = 64;

/// Bytes of a buffer in L1, in L0 and of an accumulator.
const L1_SIZE: usize = SIDE * LONG * 4;
const L0_SIZE: usize = SIDE * SHORT * 4;
const ACC_SIZE: usize = SIDE * SIDE * 4;

/// What becomes free: the pipe that is done with a buffer, and the one that may fill it again.
const FREE: [(Pipe, Pipe); 3] = [(Pipe::Mte1, Pipe::Mte2), (Pipe::M, Pipe::Mte1), (Pipe::Fix, Pipe::M)];

/// The product of two matrices of N rows and N columns.
#[pto::kernel]
pub fn gemm<const N: usize>(a: Gm<f32>, b: Gm<f32>, c: Gm<f32>) {
    let [a, b, c] = [a, b, c].map(|matrix| matrix.view([N, N]));
    for (done, next) in FREE {
        set_flag(done, next, Event::Id0);
        set_flag(done, next, Event::Id1);
    }

    let (block, blocks) = (get_block_idx().index(), get_block_num().index());
    let across = N / SIDE;
    for_carry(block, across * across, blocks, Index::from(0), |part, turn| {
        let (row, col) = (part / across * SIDE, part % across * SIDE);
        let which = turn % 2;
        let mut sum = TileAcc::<f32, SIDE, SIDE>::new();
        tassign(&mut sum, which * ACC_SIZE);
        wait_flag_dyn(Pipe::Fix, Pipe::M, which);

        for_range(0, N, LONG, |k| {
            let l1 = k / LONG % 2;
            let (mut a_l1, mut b_l1) = (TileMat::<f32, SIDE, LONG>::new(), TileMat::<f32, LONG, SIDE>::new());
            tassign(&mut a_l1, l1 * L1_SIZE);
            tassign(&mut b_l1, l1 * L1_SIZE + 2 * L1_SIZE);
            wait_flag_dyn(Pipe::Mte1, Pipe::Mte2, l1);
            tload(&mut a_l1, &a.part((row, k), [SIDE, LONG]));
            tload(&mut b_l1, &b.part((k, col), [LONG, SIDE]));
            set_flag_dyn(Pipe::Mte2, Pipe::Mte1, l1);
            wait_flag_dyn(Pipe::Mte2, Pipe::Mte1, l1);

            for_range(0, LONG, SHORT, |inner| {
                let l0 = inner / SHORT % 2;
                let (mut a_l0, mut b_l0) = (TileLeft::<f32, SIDE, SHORT>::new(), TileRight::<f32, SHORT, SIDE>::new());
                tassign(&mut a_l0, l0 * L0_SIZE);
                tassign(&mut b_l0, l0 * L0_SIZE);
                wait_flag_dyn(Pipe::M, Pipe::Mte1, l0);
                textract(&mut a_l0, &a_l1, 0, inner);
                textract(&mut b_l0, &b_l1, inner, 0);
                set_flag_dyn(Pipe::Mte1, Pipe::M, l0);
                wait_flag_dyn(Pipe::Mte1, Pipe::M, l0);
                if_then((k + inner).eq(0), || {
                    tmatmul(&mut sum, &a_l0, &b_l0);
                })
                .otherwise(|| {
                    tmatmul_acc(&mut sum, Same, &a_l0, &b_l0);
                });
                set_flag_dyn(Pipe::M, Pipe::Mte1, l0);
            });
            set_flag_dyn(Pipe::Mte1, Pipe::Mte2, l1);
        });

        set_flag_dyn(Pipe::M, Pipe::Fix, which);
        wait_flag_dyn(Pipe::M, Pipe::Fix, which);
        tstore(&mut c.part((row, col), [SIDE, SIDE]), &sum);
        set_flag_dyn(Pipe::Fix, Pipe::M, which);
        turn + 1
    });

    for (done, next) in FREE {
        wait_flag(done, next, Event::Id0);
        wait_flag(done, next, Event::Id1);
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

    let numbers =
        |step: usize| (0..N * N).map(|i| (i * step % 1009) as f32 / 504.0 - 1.0).collect::<std::vec::Vec<f32>>();
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
