//! Shared memory: instructions whose operands share some give the same on every level of the processor as element by element.

use pto_cpu::kernels::{Numerics, Site, SlotStart, apply};
use pto_cpu::{Options, Plan};
use pto_isa::rules::{Instance, RuleArg};
use pto_isa::table::op;
use pto_isa::{BLayout, DType, Loc, Op, SLayout, ScalarType, Target, TileType, Type};
use pto_num::CpuLevel;

/// An operand: its slot, its type, and where it lies.
type Operand = (&'static str, TileType, usize);

/// Memory after an instruction, on one level or plain.
fn after(op: Op, operands: &[Operand], scalars: &[(&str, u64)], memory: &[u8], level: Option<CpuLevel>) -> Vec<u8> {
    let row = op.row();
    let slot = |name: &str| row.slot(name).expect("the instruction has it") as u8;
    let types: Vec<Type> = operands.iter().map(|(_, ty, _)| Type::TileBuf(*ty)).collect();
    let number = Type::Scalar(ScalarType::Elem(DType::I32));
    let tiles = operands.iter().zip(&types).map(|((name, ..), ty)| RuleArg { slot: slot(name), ty, value: None });
    let numbers = scalars.iter().map(|(name, n)| RuleArg { slot: slot(name), ty: &number, value: Some(*n as i64) });
    let args: Vec<RuleArg> = tiles.chain(numbers).collect();
    let instance = Instance { row, target: Target::A2A3, manual: false, args: &args, attrs: &[] };
    let site = Site { instance, numerics: Numerics::Reference, plain: level.is_none(), level };
    let places: Vec<SlotStart> =
        operands.iter().map(|(name, _, start)| SlotStart { slot: slot(name), start: *start }).collect();
    let values: Vec<(u8, u64)> = scalars.iter().map(|(name, n)| (slot(name), *n)).collect();
    let mut memory = memory.to_vec();
    let done = apply(op, &site, &mut memory, &places, &values);
    done.expect("it has a kernel").expect("nothing is out of range");
    memory
}

fn same_on_every_level(op: Op, operands: &[Operand], scalars: &[(&str, u64)], memory: &[u8]) {
    let want = after(op, operands, scalars, memory, None);
    for level in CpuLevel::ALL {
        let places: Vec<usize> = operands.iter().map(|o| o.2).collect();
        assert!(after(op, operands, scalars, memory, Some(level)) == want, "{} at {places:?}", level.name());
    }
}

fn floats(count: usize) -> impl Iterator<Item = f32> {
    (0..count).map(|i| (i * 7919 % 1009) as f32 / 504.0 - 1.0)
}

/// Sums start from other sums of the same product.
#[test]
fn an_accumulator_that_lies_across_the_result() {
    let boxed =
        |loc, blayout, slayout, fractal| TileType::new(loc, DType::F32, 32, 32).layout(blayout, slayout, fractal);
    let a = boxed(Loc::Left, BLayout::RowMajor, SLayout::RowMajor, 512);
    let b = boxed(Loc::Right, BLayout::RowMajor, SLayout::ColMajor, 512);
    let sums = boxed(Loc::Acc, BLayout::ColMajor, SLayout::RowMajor, 1024);
    let memory: Vec<u8> = floats(5 * 1024).flat_map(f32::to_le_bytes).collect();
    for (acc, dst) in [(8192, 8192), (8192, 8192 + 64), (8192 + 64, 8192), (8192, 8192 + 1024), (8192 + 2048, 8192)] {
        let operands = [("a", a, 0), ("b", b, 4096), ("acc_in", sums, acc), ("dst", sums, dst)];
        same_on_every_level(op::tmatmul_acc, &operands, &[], &memory);
    }
}

/// Sorted lists of records, a number and an index each, that are merged to where they lie.
#[test]
fn a_merge_in_place() {
    for records in [32u64, 64] {
        let mut numbers: Vec<f32> = floats(4 * records as usize).collect();
        for list in numbers.chunks_mut(records as usize) {
            list.sort_by(|x, y| y.total_cmp(x));
        }
        let memory: Vec<u8> =
            numbers.iter().zip(0u32..).flat_map(|(x, i)| [x.to_le_bytes(), i.to_le_bytes()].concat()).collect();
        let row = TileType::new(Loc::Vec, DType::F32, 1, 8 * records);
        let operands = [("src0", row, 0), ("dst", row, 0)];
        let merged = after(op::tmrgsort, &operands, &[("block_len", 2 * records)], &memory, None);
        let keys: Vec<f32> =
            merged.chunks(8).map(|record| f32::from_le_bytes([record[0], record[1], record[2], record[3]])).collect();
        assert!(keys.is_sorted_by(|x, y| x >= y), "{keys:?}");
        same_on_every_level(op::tmrgsort, &operands, &[("block_len", 2 * records)], &memory);
    }
}

/// Every block fills a tile with its number and stores it to the same place, again and again, and loads what is there. Nothing
/// orders that, so any block may be the last. Without anything `BETWEEN` the two they are executed together.
const RACY: &str = "
    func.func @racy(%p: !pto.ptr<i32>, %q: !pto.ptr<i32>) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %rounds = arith.constant 50 : index
      %rows = arith.constant 64 : index
      %cols = arith.constant 128 : index
      %all = pto.make_tensor_view %p, shape = [%rows, %cols], strides = [%cols, %one] : !pto.tensor_view<64x128xi32>
      %block = pto.get_block_idx : i64
      %number = arith.trunci %block : i64 to i32
      %mine = pto.alloc_tile : !pto.tile_buf<vec, 64x128xi32>
      %seen = pto.alloc_tile : !pto.tile_buf<vec, 64x128xi32>
      pto.texpands ins(%number : i32) outs(%mine : !pto.tile_buf<vec, 64x128xi32>)
      scf.for %i = %zero to %rounds step %one {
        pto.tstore ins(%mine : !pto.tile_buf<vec, 64x128xi32>) outs(%all : !pto.tensor_view<64x128xi32>)
        BETWEEN
        pto.tload ins(%all : !pto.tensor_view<64x128xi32>) outs(%seen : !pto.tile_buf<vec, 64x128xi32>)
        pto.store_scalar %number, %q[%zero] : !pto.ptr<i32>, i32
        scf.yield
      }
      return
    }";

/// What the blocks leave.
fn after_a_race(between: &str) -> Vec<i32> {
    let (module, problems) = pto_syntax::parse(&RACY.replace("BETWEEN", between));
    assert!(problems.is_empty(), "{problems:#?}");
    let checked = pto_check::check(module, Target::A2A3).unwrap_or_else(|p| panic!("{p:#?}"));
    let plan = Plan::new(&checked, None, Options::default()).expect("one entry");
    let (mut all, mut last) = (vec![-1i32; 64 * 128], vec![-1i32; 1]);
    let args = &mut [pto_cpu::Arg::write(&mut all), pto_cpu::Arg::write(&mut last)];
    plan.launch().blocks(8).threads(4).run(args).expect("it runs");
    assert!((0..8).contains(&last[0]));
    all
}

#[test]
fn racy_blocks_give_the_result_of_one_of_them() {
    for _ in 0..20 {
        let all = after_a_race("pto.store_scalar %number, %q[%zero] : !pto.ptr<i32>, i32");
        assert!((0..8).contains(&all[0]));
        assert!(all.iter().all(|n| *n == all[0]), "a store of one block between those of another");
    }
}

/// Executed together with its neighbours, a store is divided into strips of rows, and these stay whole.
#[test]
fn racy_blocks_that_store_strips_give_rows_of_one_of_them() {
    for _ in 0..20 {
        for row in after_a_race("").chunks(128) {
            assert!((0..8).contains(&row[0]) && row.iter().all(|n| *n == row[0]), "{row:?}");
        }
    }
}
