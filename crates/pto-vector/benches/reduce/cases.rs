//! The instructions, and the loops they are compared with.

use super::hand;
use super::work::{self, Work};
use pto_isa::rules::{AttrValue, Instance, RuleArg};
use pto_isa::{BLayout, DType, Loc, Op, Order, SLayout, ScalarType, Target, TileType, Type, enums, table::op};
use pto_vector::{Code, Numerics, Site, TileRef, find};
use std::time::Instant;

/// A tile with memory.
struct Tile {
    ty: TileType,
    memory: Vec<u64>,
}

impl Tile {
    fn new(dtype: DType, rows: u64, cols: u64) -> Self {
        Self::with_type(TileType::new(Loc::Vec, dtype, rows, cols))
    }

    fn column(dtype: DType, rows: u64) -> Self {
        Self::with_type(TileType::new(Loc::Vec, dtype, rows, 1).layout(BLayout::ColMajor, SLayout::NoneBox, 512))
    }

    /// Small numbers, of which no two neighbours are equal.
    fn with_type(ty: TileType) -> Self {
        let mut tile = Self { ty, memory: vec![0; ty.bytes() as usize / 8 + 16] };
        let mut state = 1u32;
        for i in 0..ty.elements() as usize {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = (state >> 20) as f32 / 64.0 - 20.0;
            let place = tile.ptr();
            // SAFETY: the element lies in the memory.
            unsafe {
                match ty.dtype {
                    DType::F32 => place.cast::<f32>().add(i).write_unaligned(value),
                    DType::F16 => place.cast::<pto_num::F16>().add(i).write_unaligned(pto_num::F16::from_f32(value)),
                    DType::Bf16 => place.cast::<pto_num::Bf16>().add(i).write_unaligned(pto_num::Bf16::from_f32(value)),
                    DType::I32 => place.cast::<i32>().add(i).write_unaligned(value as i32 * 1000),
                    DType::I16 => place.cast::<i16>().add(i).write_unaligned(value as i16 * 100),
                    _ => place.add(i).write(value as i8 as u8),
                }
            }
        }
        tile
    }

    /// Starts at a cache line, as tiles do.
    fn ptr(&mut self) -> *mut u8 {
        let start = self.memory.as_mut_ptr().cast::<u8>();
        start.wrapping_add(start.align_offset(64))
    }

    fn reference(&mut self) -> TileRef<'static> {
        // A few bytes for each case of the bench.
        let geometry: &'static TileType = Box::leak(Box::new(self.ty));
        let (rows, cols) = (self.ty.rows as usize, self.ty.cols as usize);
        let (row_stride, col_stride) = if self.ty.order() == Order::Dn { (1, rows) } else { (cols, 1) };
        let ptr = self.ptr();
        // SAFETY: the memory was made for the type; who keeps the reference keeps the tile.
        unsafe { TileRef::new(ptr, geometry, (rows, cols), (row_stride, col_stride)) }
    }
}

/// An instruction with its operands, ready to run.
struct Job {
    tiles: Vec<TileRef<'static>>,
    scalars: Vec<u64>,
    code: Code,
}

type Attrs<'a> = &'a [(&'static str, AttrValue<'static>)];

impl Job {
    fn new(op: Op, tiles: &mut [(&str, &mut Tile)], scalar: Option<(&str, DType, u64)>, attrs: Attrs) -> Self {
        let kernel = find(op).expect("a kernel");
        let row = op.row();
        let slot = |name: &str| row.slot(name).expect("a slot") as u8;
        let types: Vec<Type> = tiles.iter().map(|(_, t)| Type::TileBuf(t.ty)).collect();
        let scalar_type = scalar.map(|(_, d, _)| Type::Scalar(ScalarType::Elem(d)));
        let mut args: Vec<RuleArg> =
            tiles.iter().zip(&types).map(|((s, _), ty)| RuleArg { slot: slot(s), ty, value: None }).collect();
        if let (Some((name, ..)), Some(ty)) = (scalar, &scalar_type) {
            args.push(RuleArg { slot: slot(name), ty, value: None });
        }
        let instance = Instance { row, target: Target::Cpu, manual: false, args: &args, attrs };
        let site = Site { instance, numerics: Numerics::Reference, plain: false, level: None };
        let code = kernel.prepare(&site).expect("code for these types");
        let mut refs = vec![TileRef::ABSENT; kernel.tiles.len()];
        for (name, tile) in tiles {
            let reference = tile.reference();
            let same = kernel.tiles.iter().zip(&mut refs).filter(|(t, _)| *t == name);
            same.for_each(|(_, at)| *at = reference);
        }
        let value = |slot: &&str| scalar.filter(|(name, ..)| name == slot).map_or(0, |(.., bits)| bits);
        Self { tiles: refs, scalars: kernel.scalars.iter().map(value).collect(), code }
    }

    fn run(&self) {
        // SAFETY: the tiles outlive the job and have the types it was made for.
        unsafe { self.code.call(&self.tiles, &[], &self.scalars) }.expect("no fault");
    }
}

/// Nanoseconds of one run: the least of many batches.
fn nanoseconds(mut f: impl FnMut()) -> f64 {
    const BATCH: u32 = 64;
    let mut best = f64::INFINITY;
    for _ in 0..200 {
        let start = Instant::now();
        (0..BATCH).for_each(|_| f());
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(BATCH));
    }
    best
}

fn report(name: &str, bytes: u64, kernel: f64, hand: f64) {
    let rate = bytes as f64 / kernel;
    println!("{name:<34} {kernel:>9.0} ns {rate:>7.1} GB/s  hand {hand:>8.0} ns  ratio {:>5.2}", kernel / hand);
}

/// Tiles in the first cache, in the second, and with long rows.
const SHAPES: [(u64, u64); 4] = [(64, 64), (128, 128), (16, 512), (16, 4096)];

/// Types that only the permissive target takes run the plain version.
fn is_on_a_device(op: Op, dtype: DType) -> bool {
    [Target::A2A3, Target::A5].into_iter().any(|target| op.row().data_types(target).contains(dtype))
}

fn reductions(wanted: &dyn Fn(&str) -> bool) {
    use DType::{Bf16, F16, F32, I8, I16, I32};
    for ((rows, cols), dtype) in SHAPES.into_iter().flat_map(|s| [F32, F16, Bf16, I32, I16, I8].map(|d| (s, d))) {
        let ops = [
            (op::trowsum, Work::Sum),
            (op::trowprod, Work::Product),
            (op::trowmax, Work::Largest),
            (op::trowmin, Work::Largest),
            (op::trowargmax, Work::Place),
            (op::tcolsum, Work::Sum),
            (op::tcolprod, Work::Product),
            (op::tcolmax, Work::Largest),
            (op::tcolmin, Work::Largest),
            (op::tcolargmax, Work::Place),
        ];
        for (op, work) in ops.into_iter().filter(|(op, _)| is_on_a_device(*op, dtype)) {
            // Bytes have no product, in the instructions as in the processor.
            if work != Work::Product || dtype != I8 {
                reduction(wanted, op, work, dtype, rows, cols);
            }
        }
    }
}

fn reduction(wanted: &dyn Fn(&str) -> bool, op: Op, work: Work, dtype: DType, rows: u64, cols: u64) {
    let name = format!("{} {rows}x{cols} {dtype}", op.row().name);
    if !wanted(&name) {
        return;
    }
    let mut src = Tile::new(dtype, rows, cols);
    let (bytes, from) = (src.ty.bytes(), src.ptr().cast_const());
    let (slot, to) = if work == Work::Place { ("dst_idx", DType::I32) } else { ("dst", dtype) };
    let mut dst = if name.starts_with("trow") { Tile::column(to, rows.max(32)) } else { Tile::new(to, 1, cols) };
    let job = Job::new(op, &mut [("src", &mut src), (slot, &mut dst)], None, &[]);
    // SAFETY: the tile has so many bytes.
    let load = nanoseconds(|| unsafe { hand::load(from, bytes as usize) });
    // SAFETY: as above.
    let least = nanoseconds(|| unsafe { work::work(work, dtype, from, bytes as usize) });
    let kernel = nanoseconds(|| job.run());
    println!(
        "{name:<34} {kernel:>9.0} ns  load {load:>7.0} ns  least work {least:>7.0} ns {:>5.2}  ratio {:>5.2}",
        kernel / least,
        kernel / load
    );
}

fn masks(wanted: &dyn Fn(&str) -> bool) {
    let value = |def: &'static enums::EnumDef, name: &str| AttrValue::Enum(def, def.find(name).expect("a value"));
    for (n, dtype) in
        [64u64, 128].into_iter().flat_map(|n| [DType::F32, DType::F16, DType::I16, DType::I8].map(|d| (n, d)))
    {
        let (mut a, mut b, mut dst) = (Tile::new(dtype, n, n), Tile::new(dtype, n, n), Tile::new(dtype, n, n));
        let mut mask = Tile::new(DType::U8, n, 32);
        let (x, y, m, d) = (a.ptr(), b.ptr(), mask.ptr(), dst.ptr());
        let bytes = a.ty.bytes();
        let name = format!("tcmp lt {n}x{n} {dtype}");
        if wanted(&name) {
            let attrs = [("cmpMode", value(&enums::CMP, "lt"))];
            let job = Job::new(op::tcmp, &mut [("src0", &mut a), ("src1", &mut b), ("dst", &mut mask)], None, &attrs);
            // SAFETY: the tiles have these extents.
            let by_hand = nanoseconds(|| unsafe { hand::compare(dtype, x, y, m, n as usize) });
            report(&name, 2 * bytes, nanoseconds(|| job.run()), by_hand);
        }
        let name = format!("tcmps gt {n}x{n} {dtype}");
        if wanted(&name) {
            let attrs = [("cmpMode", value(&enums::CMP, "gt"))];
            let mut tiles = [("src", &mut a), ("dst", &mut mask)];
            let job = Job::new(op::tcmps, &mut tiles, Some(("scalar", dtype, 0)), &attrs);
            // SAFETY: the tiles have these extents.
            let by_hand = nanoseconds(|| unsafe { hand::compare_zero(dtype, x, m, n as usize) });
            report(&name, bytes, nanoseconds(|| job.run()), by_hand);
        }
        let name = format!("tsel {n}x{n} {dtype}");
        if wanted(&name) {
            let mut tiles = [("mask", &mut mask), ("src0", &mut a), ("src1", &mut b), ("dst", &mut dst)];
            let job = Job::new(op::tsel, &mut tiles, None, &[]);
            // SAFETY: the tiles have these extents.
            let by_hand = nanoseconds(|| unsafe { hand::select(dtype, m, x, y, d, n as usize) });
            report(&name, 3 * bytes, nanoseconds(|| job.run()), by_hand);
        }
    }
}

fn conversions(wanted: &dyn Fn(&str) -> bool) {
    use DType::{Bf16, F16, F32, I8, I16, I32};
    let value = |def: &'static enums::EnumDef, name: &str| AttrValue::Enum(def, def.find(name).expect("a value"));
    let pairs = [
        (F32, F16),
        (F32, Bf16),
        (F32, I32),
        (F32, I16),
        (F32, I8),
        (F32, F32),
        (F16, F32),
        (F16, I8),
        (F16, I16),
        (F16, I32),
        (Bf16, F32),
        (I32, F32),
        (I32, I16),
        (I16, F16),
        (I8, F16),
    ];
    for ((src, dst), n) in pairs.into_iter().flat_map(|p| [(p, 64), (p, 128)]) {
        for mode in ["RINT", "TRUNC", "ROUND", "FLOOR", "CEIL"] {
            let exact = !src.is_float() && (dst.is_int() || src == I8) || src.bits() < dst.bits() && dst.is_float();
            if exact && mode != "RINT" {
                continue;
            }
            let name = format!("tcvt {src} {dst} {mode} {n}x{n}");
            if !wanted(&name) {
                continue;
            }
            let (mut a, mut b) = (Tile::new(src, n, n), Tile::new(dst, n, n));
            let (x, y) = (a.ptr(), b.ptr());
            let bytes = a.ty.bytes() + b.ty.bytes();
            let attrs = [("rmode", value(&enums::ROUND_MODE, mode))];
            let job = Job::new(op::tcvt, &mut [("src", &mut a), ("dst", &mut b)], None, &attrs);
            // SAFETY: the tiles have so many elements.
            let by_hand = nanoseconds(|| unsafe { hand::convert(src, dst, mode, x, y, (n * n) as usize) });
            report(&name, bytes, nanoseconds(|| job.run()), by_hand);
        }
    }
}

/// Everything whose name contains the filter.
pub fn run(filter: &str) {
    let wanted = |name: &str| name.contains(filter);
    reductions(&wanted);
    masks(&wanted);
    conversions(&wanted);
}
