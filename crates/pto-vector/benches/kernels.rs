//! Kernels against loops written by hand for the same instruction set.
//!
//! `cargo bench -p pto-vector --bench kernels [-- filter]` prints, for every instruction, element type and tile shape, the
//! time of the kernel per element, that of the loop, and how many times slower the kernel is. Both run alternately, on the
//! same memory; the figure is the fastest of many repetitions.

#![expect(unsafe_code, reason = "kernels and loops work on raw memory")]

#[cfg(target_arch = "x86_64")]
#[path = "kernels/hand.rs"]
mod hand;

#[cfg(not(target_arch = "x86_64"))]
fn main() {
    println!("the loops to compare with are written for x86-64");
}

#[cfg(target_arch = "x86_64")]
fn main() {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    if pto_num::cpu_level() != pto_num::CpuLevel::V4 {
        println!("the loops to compare with need AVX-512");
        return;
    }
    println!("{:<18} {:<5} {:>9} {:>10} {:>10} {:>7} {:>9}", "", "", "shape", "ns/elem", "by hand", "ratio", "ns/call");
    bench::main(&filter);
}

#[cfg(target_arch = "x86_64")]
mod bench {
    use super::hand;
    use pto_isa::rules::{Instance, RuleArg};
    use pto_isa::{BLayout, DType, Dim, Loc, Op, SLayout, ScalarType, Target, TileType, Type, table};
    use pto_vector::{self as kernels, Code, Numerics, Site, TileRef};
    use std::hint::black_box;
    use std::time::Instant;

    /// What stands in the slots of an instruction, after the destination.
    #[derive(Clone, Copy, PartialEq)]
    pub enum Form {
        Tile,
        /// One row.
        Row,
        /// One value for each row.
        Column,
        /// 32 bytes for each row.
        Block,
        Scalar,
    }

    /// Memory of a tile, aligned as the engine does it.
    struct Memory(Vec<[u64; 8]>);

    impl Memory {
        fn new(bytes: usize, dtype: DType) -> Self {
            let mut memory = Self(vec![[0; 8]; bytes.div_ceil(64)]);
            // Numbers near one in every format, so that nothing is slow for being special.
            let one: u64 = match dtype {
                DType::F32 => 0x3f80_0000_3f80_0000,
                DType::F16 => 0x3c00_3c00_3c00_3c00,
                DType::Bf16 => 0x3f80_3f80_3f80_3f80,
                _ => 0x0101_0101_0101_0101,
            };
            for (i, word) in memory.0.iter_mut().flatten().enumerate() {
                *word = one + (i as u64 % 7);
            }
            memory
        }
    }

    fn tile(dtype: DType, rows: u64, cols: u64, form: Form) -> TileType {
        let block = 32 / u64::from(dtype.unit_bytes());
        match form {
            Form::Row => TileType::new(Loc::Vec, dtype, 1, cols),
            Form::Column => {
                let stored = rows.next_multiple_of(block);
                TileType::new(Loc::Vec, dtype, stored, 1)
                    .layout(BLayout::ColMajor, SLayout::NoneBox, 512)
                    .valid(Dim::Fixed(rows), Dim::Fixed(1))
            }
            Form::Block => TileType::new(Loc::Vec, dtype, rows, block),
            _ => TileType::new(Loc::Vec, dtype, rows, cols),
        }
    }

    fn tile_ref<'a>(memory: &mut Memory, ty: &'a TileType) -> TileRef<'a> {
        let fixed = |d: Dim| d.fixed().unwrap_or(0) as usize;
        let (row_stride, col_stride) = match ty.blayout {
            BLayout::RowMajor => (ty.cols as usize, 1),
            BLayout::ColMajor => (1, ty.rows as usize),
        };
        let (rows, cols) = (fixed(ty.valid_rows), fixed(ty.valid_cols));
        // SAFETY: the memory was made for the type, and outlives the measurement.
        unsafe { TileRef::new(memory.0.as_mut_ptr().cast(), ty, (rows, cols), (row_stride, col_stride)) }
    }

    /// The fastest of many repetitions of each of two, in nanoseconds per call.
    fn fastest(mut a: impl FnMut(), mut b: impl FnMut(), calls: usize) -> (f64, f64) {
        let time = |f: &mut dyn FnMut()| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64() * 1e9 / calls as f64
        };
        let mut best = (f64::MAX, f64::MAX);
        for _ in 0..40 {
            best.0 = best.0.min(time(&mut || (0..calls).for_each(|_| a())));
            best.1 = best.1.min(time(&mut || (0..calls).for_each(|_| b())));
        }
        best
    }

    fn prepare(op: Op, types: &[Type]) -> Code {
        let args: Vec<RuleArg> = types
            .iter()
            .enumerate()
            .map(|(i, ty)| {
                let slot = if i + 1 == types.len() { op.row().slot("dst").unwrap_or(i) } else { i };
                RuleArg { slot: slot as u8, ty, value: None }
            })
            .collect();
        let instance = Instance { row: op.row(), target: Target::Cpu, manual: false, args: &args, attrs: &[] };
        let site = Site { instance, numerics: Numerics::Reference, plain: false, level: None };
        kernels::find(op).expect("a kernel").prepare(&site).expect("code for these types")
    }

    /// Operands in the order of the kernel: the last tile is the destination, sources and scalars come in the order of the row.
    fn operands<'a>(op: Op, tiles: &[TileRef<'a>], scalars: &[u64]) -> (Vec<TileRef<'a>>, Vec<u64>) {
        let kernel = kernels::find(op).expect("a kernel");
        let (dst, sources) = tiles.split_last().expect("a destination");
        let (mut sources, mut scalars) = (sources.iter(), scalars.iter());
        let mut tile = |name: &&str| match *name {
            "dst" => *dst,
            kernels::NONE => TileRef::ABSENT,
            _ => *sources.next().expect("a source"),
        };
        let tiles = kernel.tiles.iter().map(&mut tile).collect();
        let mut scalar = |name: &&str| if *name == kernels::NONE { 0 } else { *scalars.next().expect("a scalar") };
        (tiles, kernel.scalars.iter().map(&mut scalar).collect())
    }

    fn measure(name: &str, dtype: DType, forms: &[Form], by_hand: hand::Loop, (rows, cols): (u64, u64)) {
        let op = table::find(name).expect("an instruction");
        let tiles: Vec<TileType> = forms
            .iter()
            .filter(|f| **f != Form::Scalar)
            .map(|f| tile(dtype, rows, cols, *f))
            .chain([tile(dtype, rows, cols, Form::Tile)])
            .collect();
        let mut memory: Vec<Memory> = tiles.iter().map(|t| Memory::new(t.bytes() as usize, dtype)).collect();
        let mut types: Vec<Type> = tiles.iter().map(|t| Type::TileBuf(*t)).collect();
        let scalars: &[u64] = if forms.contains(&Form::Scalar) { &[0x3fc0_0000] } else { &[] };
        if !scalars.is_empty() {
            types.insert(types.len() - 1, Type::Scalar(ScalarType::Elem(dtype)));
        }
        let prepared = prepare(op, &types);
        let refs: Vec<TileRef> = memory.iter_mut().zip(&tiles).map(|(m, t)| tile_ref(m, t)).collect();
        let (a, b, dst) = (refs[0].ptr(), refs[refs.len() - 2].ptr(), refs[refs.len() - 1].ptr());
        let (tiles, values) = operands(op, &refs, scalars);
        let bound = prepared.bind(&tiles, &[], &values).expect("as many operands as it takes");

        let elements = (rows * cols) as usize;
        let (ours, theirs) = fastest(
            || {
                // SAFETY: the tiles have the memory their types ask for.
                let _ = unsafe { black_box(&bound).run() };
            },
            // SAFETY: as above; the destination is memory of its own.
            || unsafe { by_hand(black_box(dst), black_box(a), black_box(b), rows as usize, cols as usize) },
            (400_000 / elements).max(20),
        );
        let per = |t: f64| t / elements as f64;
        let shape = format!("{rows}x{cols}");
        let ratio = ours / theirs;
        println!(
            "{name:<18} {:<5} {shape:>9} {:>10.4} {:>10.4} {ratio:>7.2} {ours:>9.1}",
            dtype.name(),
            per(ours),
            per(theirs)
        );
    }

    pub fn main(filter: &str) {
        for &(name, forms, loops) in hand::LOOPS {
            for &(dtype, by_hand) in loops {
                if !format!("{name} {}", dtype.name()).contains(filter) {
                    continue;
                }
                for shape in [(16, 16), (64, 64), (128, 128)] {
                    measure(name, dtype, forms, by_hand, shape);
                }
            }
        }
    }
}
