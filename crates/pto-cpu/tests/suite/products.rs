//! Blocked products equal plain ones bit for bit, on every level of the processor; so do moves and conversions.

use pto_cpu::kernels::{Numerics, Site, SlotStart, apply};
use pto_isa::rules::{AttrValue, Instance, RuleArg};
use pto_isa::table::op;
use pto_isa::{BLayout, DType, Dim, Loc, Op, SLayout, Target, TileType, Type};
use pto_num::CpuLevel;

const NZ: (BLayout, SLayout) = (BLayout::ColMajor, SLayout::RowMajor);
const ZN: (BLayout, SLayout) = (BLayout::RowMajor, SLayout::ColMajor);
const ZZ: (BLayout, SLayout) = (BLayout::RowMajor, SLayout::RowMajor);
const NN: (BLayout, SLayout) = (BLayout::ColMajor, SLayout::ColMajor);
const ND: (BLayout, SLayout) = (BLayout::RowMajor, SLayout::NoneBox);
const DN: (BLayout, SLayout) = (BLayout::ColMajor, SLayout::NoneBox);

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

fn tile(loc: Loc, dtype: DType, rows: u64, cols: u64, layout: (BLayout, SLayout), fractal: u32) -> TileType {
    TileType::new(loc, dtype, rows, cols).layout(layout.0, layout.1, fractal)
}

fn valid(t: TileType, rows: u64, cols: u64) -> TileType {
    t.valid(Dim::Fixed(rows), Dim::Fixed(cols))
}

/// Any byte; but by the seed, the exponents of floats are moderate, large, or those of bf16 as small as they may be: units for
/// matrices compute only where nothing is subnormal.
fn random_byte(rng: &mut Rng, dtype: DType, seed: u64, at: u64) -> u8 {
    let byte = rng.next() as u8;
    match (seed % 5, at % 2) {
        // Sums start from something subnormal, and nothing is added.
        (4, _) if dtype != DType::F32 => 0,
        (4, _) if at % 4 >= 2 => byte & (0x80 >> (3 - at % 4)),
        (1, _) if dtype == DType::F8E8M0 => 120 + byte % 14,
        // Neither infinite nor NaN.
        (1, _) if matches!(dtype, DType::F8E4M3 | DType::F8E5M2) => byte & 0xf7,
        (1, 1) => byte & 0x8f | 0x30,
        (2, 1) => byte & 0x8f | 0x70,
        (3, 0) => byte | 0x80,
        (3, 1) => byte & 0x80 | 0x23,
        _ => byte,
    }
}

/// Memory after an instruction on tiles that lie one after the other.
fn after(
    target: Target,
    op: Op,
    tiles: &[(&str, TileType)],
    scalars: &[(&str, u64)],
    attrs: &[(&str, AttrValue)],
    how: (bool, Option<CpuLevel>),
    seed: u64,
) -> Vec<u8> {
    let row = op.row();
    let slot = |name: &str| row.slot(name).unwrap_or_else(|| panic!("{} has no {name}", row.name)) as u8;
    let types: Vec<Type> = tiles.iter().map(|(_, t)| Type::TileBuf(*t)).collect();
    let index = Type::Scalar(pto_isa::ScalarType::Index);
    let mut args: Vec<RuleArg> =
        tiles.iter().zip(&types).map(|((name, _), ty)| RuleArg { slot: slot(name), ty, value: None }).collect();
    let known = |name: &str, n: u64| name.starts_with("index").then_some(n as i64);
    args.extend(scalars.iter().map(|(name, n)| RuleArg { slot: slot(name), ty: &index, value: known(name, *n) }));
    let instance = Instance { row, target, manual: false, args: &args, attrs };
    let site = Site { instance, numerics: Numerics::Reference, plain: how.0, level: how.1 };
    let mut rng = Rng(seed);
    let mut memory = Vec::new();
    let mut places = Vec::new();
    for (name, t) in tiles {
        places.push(SlotStart { slot: slot(name), start: memory.len() });
        (0..t.bytes()).for_each(|at| memory.push(random_byte(&mut rng, t.dtype, seed, at)));
        memory.resize(memory.len().next_multiple_of(64), 0x5a);
    }
    let values: Vec<(u8, u64)> = scalars.iter().map(|(name, n)| (slot(name), *n)).collect();
    apply(op, &site, &mut memory, &places, &values)
        .unwrap_or_else(|| panic!("{} does not run on {tiles:?}", row.name))
        .unwrap_or_else(|f| panic!("{} on {tiles:?}: {f:?}", row.name));
    memory
}

/// The same bytes, whatever the level, and with all the processor has beyond it; only NaNs may have other bits.
fn same(
    target: Target,
    op: Op,
    tiles: &[(&str, TileType)],
    scalars: &[(&str, u64)],
    attrs: &[(&str, AttrValue)],
    seed: u64,
) {
    let want = after(target, op, tiles, scalars, attrs, (true, None), seed);
    for level in CpuLevel::ALL.map(Some).into_iter().chain([None]) {
        let got = after(target, op, tiles, scalars, attrs, (false, level), seed);
        let dst = tiles.iter().find(|(name, _)| *name == "dst").map(|(_, t)| t.dtype);
        let wrong = want.chunks(4).zip(got.chunks(4)).position(|(w, g)| w != g && !both_nan(dst, w, g));
        let level = level.map_or("all there is", CpuLevel::name);
        assert!(wrong.is_none(), "{} at {level} on {tiles:?}: word {wrong:?}", op.row().name);
    }
}

fn both_nan(dtype: Option<DType>, want: &[u8], got: &[u8]) -> bool {
    let halves = |b: &[u8]| [u16::from_le_bytes([b[0], b[1]]), u16::from_le_bytes([b[2], b[3]])];
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let all = |nan: fn(u16) -> bool| {
        let (w, g) = (halves(want), halves(got));
        (0..2).all(|i| w[i] == g[i] || nan(w[i]) && nan(g[i]))
    };
    match dtype {
        Some(DType::F32) => f32::from_bits(word(want)).is_nan() && f32::from_bits(word(got)).is_nan(),
        Some(DType::F16) => all(|h| h & 0x7fff > 0x7c00),
        Some(DType::Bf16) => all(|h| h & 0x7fff > 0x7f80),
        _ => false,
    }
}

/// Rows, columns and depth: whole boxes, tails of everything, single ones, and more than a block. Those from [`LARGE`] on take most
/// of the time.
const SHAPES: [(u64, u64, u64); 10] = [
    (16, 16, 32),
    (64, 48, 64),
    (1, 16, 32),
    (13, 40, 27),
    (31, 17, 1),
    (7, 1, 65),
    (33, 70, 100),
    (130, 33, 40),
    (9, 270, 300),
    (160, 64, 128),
];

/// The first of the large shapes.
const LARGE: usize = 6;

fn up(n: u64, to: u64) -> u64 {
    n.next_multiple_of(to)
}

#[test]
fn products_are_the_same_on_every_level() {
    let types = [DType::F32, DType::F16, DType::Bf16, DType::I8, DType::F8E4M3, DType::F8E5M2, DType::Hif8];
    for (i, dtype) in types.into_iter().enumerate() {
        for (j, (m, n, k)) in SHAPES.into_iter().flat_map(|shape| [shape; 5]).enumerate() {
            let seed = (i * 100 + j) as u64;
            let result = if dtype == DType::I8 { DType::I32 } else { DType::F32 };
            let target = if i < 4 && j % 2 == 0 { Target::A2A3 } else { Target::A5 };
            let a = valid(tile(Loc::Left, dtype, up(m, 16), up(k, 32), NZ, 512), m, k);
            let b = valid(tile(Loc::Right, dtype, up(k, 32), up(n, 16), ZN, 512), k, n);
            let dst = valid(tile(Loc::Acc, result, up(m, 16), up(n, 16), NZ, 1024), m, n);
            let bias = valid(tile(Loc::Bias, result, 1, up(n, 16), ND, 512), 1, n);
            let uses: [(Op, &[(&str, TileType)]); 3] = [
                (op::tmatmul, &[("a", a), ("b", b), ("dst", dst)]),
                (op::tmatmul_acc, &[("acc_in", dst), ("a", a), ("b", b), ("dst", dst)]),
                (op::tmatmul_bias, &[("a", a), ("b", b), ("bias", bias), ("dst", dst)]),
            ];
            // On large shapes, each kind of numbers with one of the instructions: five kinds, so every shape has all three.
            for (number, (op, tiles)) in uses.into_iter().enumerate() {
                if j / 5 < LARGE || (i + j) % 3 == number {
                    same(target, op, tiles, &[], &[], seed);
                }
            }
        }
    }
}

/// The host takes any layout; the accumulators of public programs have smaller boxes.
#[test]
fn products_do_not_depend_on_the_layout() {
    for (i, dtype) in [DType::F32, DType::F16, DType::Bf16, DType::I8].into_iter().enumerate() {
        let result = if dtype == DType::I8 { DType::I32 } else { DType::F32 };
        for (j, (left, right, acc)) in
            [(NZ, ZN, (NZ, 512)), (ND, ND, (ND, 512)), (DN, DN, (DN, 512)), (NZ, NZ, (ZN, 512)), (NZ, ZZ, (NN, 512))]
                .into_iter()
                .enumerate()
        {
            let (m, n, k) = (35, 45, 70);
            let a = valid(tile(Loc::Left, dtype, 64, 96, left, 512), m, k);
            let b = valid(tile(Loc::Right, dtype, 96, 64, right, 512), k, n);
            let dst = valid(tile(Loc::Acc, result, 64, 64, acc.0, acc.1), m, n);
            for seed in 0..5 {
                let seed = (1000 + i * 25 + j * 5 + seed) as u64;
                same(Target::Cpu, op::tmatmul, &[("a", a), ("b", b), ("dst", dst)], &[], &[], seed);
            }
        }
    }
}

#[test]
fn scaled_products_are_the_same_on_every_level() {
    let pairs = [(DType::F8E4M3, DType::F8E5M2), (DType::F4E2M1, DType::F4E1M2)];
    for (i, (left, right)) in pairs.into_iter().enumerate() {
        for scale in [DType::F8E8M0, DType::F16] {
            for (seed, (m, n, k)) in [(16, 16, 64), (21, 35, 128), (5, 3, 192), (48, 64, 320)]
                .into_iter()
                .flat_map(|shape| [shape; 5])
                .enumerate()
            {
                let a = valid(tile(Loc::Left, left, up(m, 16), k, NZ, 512), m, k);
                let b = valid(tile(Loc::Right, right, k, up(n, 16), ZN, 512), k, n);
                let sa = valid(tile(Loc::Scaling, scale, up(m, 16), k / 32, ZZ, 32), m, k / 32);
                let sb = valid(tile(Loc::Scaling, scale, k / 32, up(n, 16), NN, 32), k / 32, n);
                let dst = valid(tile(Loc::Acc, DType::F32, up(m, 16), up(n, 16), NZ, 1024), m, n);
                let tiles = [("a", a), ("a_scale", sa), ("b", b), ("b_scale", sb), ("dst", dst)];
                same(Target::A5, op::tmatmul_mx, &tiles, &[], &[], (5 * 16 * i + seed) as u64);
            }
        }
    }
}

#[test]
fn moves_are_the_same_as_element_by_element() {
    let layouts = [ND, DN, NZ, ZN, ZZ, NN];
    for dtype in [DType::I8, DType::F16, DType::F32] {
        for (i, from) in layouts.into_iter().enumerate() {
            for (j, to) in layouts.into_iter().enumerate() {
                let seed = (i * 10 + j) as u64;
                let src = valid(tile(Loc::Vec, dtype, 64, 96, from, 512), 61, 93);
                let dst = valid(tile(Loc::Vec, dtype, 64, 96, to, 512), 50, 96);
                same(Target::Cpu, op::tmov, &[("src", src), ("dst", dst)], &[], &[], seed);
                let whole = [
                    ("src", tile(Loc::Vec, dtype, 64, 96, from, 512)),
                    ("dst", tile(Loc::Vec, dtype, 64, 96, to, 512)),
                ];
                same(Target::Cpu, op::tmov, &whole, &[], &[], seed);
                let small = valid(tile(Loc::Vec, dtype, 32, 32, to, 512), 29, 31);
                let at = [("index_row", 5), ("index_col", 33)];
                same(Target::Cpu, op::textract, &[("src", src), ("dst", small)], &at, &[], seed);
                same(Target::Cpu, op::tinsert, &[("src", small), ("dst", dst)], &at, &[], seed);
            }
        }
    }
}

#[test]
fn conversions_out_of_the_accumulator_are_the_same_on_every_level() {
    use DType::{Bf16, F8E4M3, F8E5M2, F16, F32, Hif8, I8, I16, I32, U8};
    let plain = [(F32, F32), (F32, F16), (F32, Bf16), (I32, I32)];
    let quantised = [
        (F32, I8),
        (F32, U8),
        (F32, F16),
        (F32, Bf16),
        (F32, F32),
        (F32, Hif8),
        (F32, F8E4M3),
        (F32, F8E5M2),
        (I32, I8),
        (I32, U8),
        (I32, F16),
        (I32, Bf16),
        (I32, I16),
    ];
    let word = u64::from(0.37f32.to_bits()) | 3 << 32 | 17 << 37 | 1 << 46;
    for to in [NZ, ND, DN] {
        for (seed, (from, into)) in plain.into_iter().chain(quantised).enumerate() {
            let src = valid(tile(Loc::Acc, from, 48, 64, NZ, 1024), 37, 61);
            let dst = valid(tile(Loc::Vec, into, 48, 64, to, 512), 37, 61);
            let scalars: &[(&str, u64)] = if seed < plain.len() { &[] } else { &[("pre_quant", word)] };
            same(Target::Cpu, op::tmov, &[("src", src), ("dst", dst)], scalars, &[], seed as u64);
            let small = valid(tile(Loc::Vec, into, 16, 32, to, 512), 11, 30);
            let mut at = vec![("index_row", 7), ("index_col", 18)];
            at.extend(scalars);
            same(Target::Cpu, op::textract, &[("src", src), ("dst", small)], &at, &[], seed as u64);
            if seed >= plain.len() {
                let fp = tile(Loc::Scaling, DType::U64, 1, 64, ND, 512);
                same(Target::Cpu, op::tmov_fp, &[("src", src), ("fp", fp), ("dst", dst)], &[], &[], seed as u64);
            }
        }
    }
}
