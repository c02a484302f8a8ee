//! The programs and their data.

use super::{COLS, LENGTH, ROWS, by_hand};
use pto::cpu::Arg;
use pto_num as num;

/// A benchmark: a program and its arguments.
pub struct Case {
    pub name: &'static str,
    /// The file under `examples/`, without its ending; it has the same name among the programs of peers.
    pub file: &'static str,
    /// If there is no such file: the one that it is made of, and the element types that change places.
    pub made_of: Option<(&'static str, [&'static str; 2])>,
    pub params: &'static [Param],
    /// Blocks share the work.
    pub blocks: bool,
    pub ranks: usize,
    pub by_hand: Option<by_hand::ByHand>,
    /// The largest error, as a part of the largest number, that rounding explains.
    pub tolerance: f64,
}

/// An argument.
#[derive(Clone, Copy)]
pub enum Param {
    /// So many numbers, between minus and plus this.
    F32(usize, f32),
    F16(usize, f32),
    Bf16(usize, f32),
    I8(usize),
    /// Finite numbers of eight bits.
    F8E4M3(usize),
    /// Powers of two around one.
    F8E8M0(usize),
    /// Bytes to write the result to.
    Out(usize),
    /// Bytes that parts of the program hand over to each other.
    Scratch(usize),
    /// A signal word, zero before every run.
    Signal,
    Int(i64),
    Rank,
}

use Param::{Bf16, F8E4M3, F8E8M0, F16, F32, I8, Int, Out, Rank, Scratch, Signal};

impl Param {
    pub fn bytes(self, salt: usize) -> Vec<u8> {
        let codes = |count, low: i64, width| integers(count, salt).map(move |n| (low + n as i64 % width) as u8);
        match self {
            F32(count, size) => numbers(count, salt).iter().flat_map(|x| (x * size).to_le_bytes()).collect(),
            F16(count, size) => {
                numbers(count, salt).iter().flat_map(|x| num::F16::from_f32(x * size).0.to_le_bytes()).collect()
            }
            Bf16(count, size) => {
                numbers(count, salt).iter().flat_map(|x| num::Bf16::from_f32(x * size).0.to_le_bytes()).collect()
            }
            I8(count) => codes(count, -127, 255).collect(),
            F8E4M3(count) => codes(count, 0, 256).map(|code| code & 0xf7).collect(),
            F8E8M0(count) => codes(count, 124, 7).collect(),
            Out(bytes) | Scratch(bytes) => vec![0; bytes],
            Signal => vec![0; 4],
            Int(n) => n.to_le_bytes().to_vec(),
            Rank => Vec::new(),
        }
    }

    /// Bytes that must be read once.
    pub fn input_bytes(self) -> usize {
        match self {
            F32(count, _) => count * 4,
            F16(count, _) | Bf16(count, _) => count * 2,
            I8(count) | F8E4M3(count) | F8E8M0(count) => count,
            Out(_) | Scratch(_) | Signal | Int(_) | Rank => 0,
        }
    }

    /// Bytes that must be written once.
    pub fn output_bytes(self) -> usize {
        if let Out(bytes) = self { bytes } else { 0 }
    }

    pub fn arg(self, bytes: &mut [u8], rank: usize) -> Arg<'_> {
        match self {
            Int(n) => Arg::Int(n),
            Rank => Arg::Int(rank as i64),
            Out(_) | Scratch(_) => Arg::write_bytes(bytes),
            Signal => {
                bytes.fill(0);
                Arg::write_bytes(bytes)
            }
            _ => Arg::read_bytes(bytes),
        }
    }
}

fn integers(count: usize, salt: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |i| (i * 7919 + salt * 104_729) % 10_007)
}

/// Numbers between -1 and 1.
pub fn numbers(count: usize, salt: usize) -> Vec<f32> {
    integers(count, salt).map(|n| n as f32 / 5003.0 - 1.0).collect()
}

const CASE: Case =
    Case { name: "", file: "", made_of: None, params: &[], blocks: true, ranks: 1, by_hand: None, tolerance: 0.0 };

const MATRIX: usize = ROWS * COLS;
const SQUARE: usize = 1024 * 1024;

pub const CASES: &[Case] = &[
    Case {
        name: "vector add, 16 Mi",
        file: "vector_add",
        params: &[F32(LENGTH, 5.0), F32(LENGTH, 5.0), Out(LENGTH * 4), Int(LENGTH as i64)],
        by_hand: Some(by_hand::add),
        ..CASE
    },
    Case {
        name: "row softmax 4096x1024",
        file: "softmax",
        params: &[F32(MATRIX, 5.0), Out(MATRIX * 4)],
        by_hand: Some(by_hand::softmax),
        tolerance: 1e-6,
        ..CASE
    },
    Case {
        name: "RMSNorm 4096x1024",
        file: "rms_norm",
        params: &[F32(MATRIX, 5.0), F32(COLS, 2.0), Out(MATRIX * 4)],
        by_hand: Some(by_hand::rms_norm),
        tolerance: 1e-6,
        ..CASE
    },
    Case {
        name: "layer norm 4096x1024",
        file: "layer_norm",
        params: &[F32(MATRIX, 5.0), F32(COLS, 2.0), F32(COLS, 1.0), Out(MATRIX * 4)],
        by_hand: Some(by_hand::layer_norm),
        tolerance: 1e-6,
        ..CASE
    },
    Case {
        name: "matrix product 1024, f32",
        file: "gemm",
        params: &[F32(SQUARE, 5.0), F32(SQUARE, 5.0), Out(SQUARE * 4)],
        tolerance: 1e-5,
        ..CASE
    },
    Case {
        name: "matrix product 1024, bf16 in, f32 out",
        file: "gemm_bf16",
        params: &[Bf16(SQUARE, 5.0), Bf16(SQUARE, 5.0), Out(SQUARE * 4)],
        tolerance: 1e-5,
        ..CASE
    },
    Case {
        name: "matrix product 1024, f16 in, f32 out",
        file: "gemm_f16",
        made_of: Some(("gemm_bf16", ["bf16", "f16"])),
        params: &[F16(SQUARE, 5.0), F16(SQUARE, 5.0), Out(SQUARE * 4)],
        tolerance: 1e-5,
        ..CASE
    },
    Case { name: "attention 1024x64, bf16", file: "flash_attention", params: &attention(64), tolerance: 2e-3, ..CASE },
    Case {
        name: "attention 1024x128, bf16",
        file: "flash_attention_128",
        params: &attention(128),
        tolerance: 2e-3,
        ..CASE
    },
    Case {
        name: "top 64 of 256x2048",
        file: "top_k",
        params: &[F32(256 * 2048, 5.0), Out(256 * 64 * 4), Out(256 * 64 * 4)],
        ..CASE
    },
    Case {
        name: "i8 product 512, to f16",
        file: "int8_gemm",
        // The bits of 0.001 as an f32.
        params: &[I8(512 * 512), I8(512 * 512), Int(0x3a83_126f), Out(512 * 512 * 2)],
        ..CASE
    },
    Case {
        name: "MXFP8 product 256",
        file: "mxfp8_gemm",
        params: &[F8E4M3(65536), F8E8M0(2048), F8E4M3(65536), F8E8M0(2048), Out(65536 * 4)],
        tolerance: 4e-6,
        ..CASE
    },
    Case {
        name: "convolution 32x32, 16 to 32 channels",
        file: "conv2d",
        params: &[F16(1024 * 16, 1.0), F16(144 * 32, 1.0), Out(1024 * 32 * 4)],
        tolerance: 4e-6,
        ..CASE
    },
    Case {
        name: "pipeline 512x256x128",
        file: "matmul_bias_relu",
        params: &[F16(512 * 256, 1.0), F16(256 * 128, 1.0), F32(128, 1.0), Out(512 * 128 * 4), Scratch(0)],
        blocks: false,
        tolerance: 4e-6,
        ..CASE
    },
    Case {
        name: "decoder layer, 2 x 128 tokens of 256, bf16",
        file: "decoder_layer",
        params: &[
            F32(2 * 128 * 256, 1.0),
            F32(256, 1.0),
            Bf16(256 * 256, 0.15),
            Bf16(256 * 256, 0.15),
            Bf16(256 * 256, 0.15),
            F32(128 * 32, 1.0),
            F32(128 * 32, 1.0),
            Bf16(256 * 256, 0.15),
            F32(256, 1.0),
            Bf16(256 * 512, 0.15),
            Bf16(256 * 512, 0.15),
            Bf16(512 * 256, 0.15),
            Out(2 * 128 * 256 * 4),
            Scratch(524_288 * 2),
            Scratch(655_360 * 4),
            Scratch(0),
            Scratch(0),
            Scratch(0),
        ],
        tolerance: 1.5e-2,
        ..CASE
    },
    Case {
        name: "all-reduce, 4 ranks x 4096",
        file: "all_reduce",
        params: &[Rank, F32(4096, 5.0), Out(4096 * 4), Signal, Signal],
        blocks: false,
        ranks: 4,
        ..CASE
    },
];

const fn attention(d: usize) -> [Param; 7] {
    let size = 1024 * d;
    [Bf16(size, 1.25), Bf16(size, 1.25), Bf16(size, 1.25), Out(size * 4), Scratch(0), Scratch(0), Scratch(0)]
}
