//! Products that take their factors from where they would be moved from, or as they were packed before, give the same bits as if all were
//! loaded and moved.
//!
//! Plain kernels move everything. `FACTOR_PROGRAMS=10000` runs more random programs, `FACTOR_SEED=7` others.

use super::random::{Numbers, number};
use pto_cpu::{Arg, Number, Options, Plan, Remains, TileContents};
use pto_isa::Target;
use pto_num::{Bf16, F16};
use std::fmt::Write;

fn plan(text: &str, target: Target, options: Options) -> Plan {
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{}\n{text}", problems[0].message);
    let checked = pto_check::check(module, target).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Plan::new(&checked, None, options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Mostly moderate; in some programs one is so small that units for matrices must leave its block alone.
fn float(n: &mut Numbers, has_small: bool) -> f32 {
    let tiny = has_small && n.below(500) == 0;
    (n.below(4001) as f32 / 1000.0 - 2.0) * if tiny { 1e-38 } else { 1.0 }
}

/// Rows of all matrices, and their columns.
const SIDE: usize = 256;

/// A type of factors.
#[derive(Clone, Copy)]
struct FactorType {
    name: &'static str,
    sums: &'static str,
    /// Elements of a row of a box.
    unit: usize,
}

const TYPES: [FactorType; 4] = [
    FactorType { name: "f32", sums: "f32", unit: 8 },
    FactorType { name: "f16", sums: "f32", unit: 16 },
    FactorType { name: "bf16", sums: "f32", unit: 16 },
    FactorType { name: "i8", sums: "i32", unit: 32 },
];

/// What a program is made of: sizes of the product, and of the tiles that factors come from.
struct Sizes {
    rows: usize,
    cols: usize,
    depth: usize,
    /// How many times as large the tiles are in both directions.
    times: usize,
}

/// A loop of random loads, moves and products. Addresses of factors may be shared, so that one replaces a part of another.
fn random_program(n: &mut Numbers, ty: FactorType) -> String {
    let FactorType { name, sums, unit } = ty;
    let sizes = Sizes {
        rows: 16 * (1 + n.below(3)),
        cols: 16 * n.pick(&[1, 2, 3]).max(unit / 16),
        depth: unit.max(16) * n.pick(&[1, 2]),
        times: 1 + n.below(2),
    };
    let Sizes { rows, cols, depth, times } = sizes;
    let cols = cols.next_multiple_of(unit.max(16));
    let (tall, wide, deep) = (rows * times, cols * times, depth * times);
    let half = (rows / 2).next_multiple_of(16).min(rows);
    let some = 1 + n.below(rows);
    let shared = n.below(2) == 0;
    let place = |at: usize| if shared { format!(" addr = %place{at}") } else { String::new() };
    let places: String = (0..4).map(|at| format!("%place{at} = arith.constant {} : i64\n", at * 24576)).collect();
    let mut body = String::new();
    for _ in 0..6 + n.below(14) {
        instruction(n, &mut body, &sizes, (tall, wide, deep));
    }
    // Then what was loaded before is not what is there now.
    if name == sums && n.below(3) == 0 {
        let _ = writeln!(body, "             pto.tstore ins(%d) outs(%back)");
    }
    let back = if name == sums {
        "%back = pto.partition_view %xs, offsets = [%one, %one], sizes = [%rows, %cols]"
    } else {
        ""
    };
    format!(
        "!a_mat = !pto.tile_buf<mat, {tall}x{deep}x{name}, blayout=col_major, slayout=row_major>
         !a_top = !pto.tile_buf<mat, {tall}x{deep}x{name}, valid={rows}x{deep}, blayout=col_major, slayout=row_major>
         !b_mat = !pto.tile_buf<mat, {deep}x{wide}x{name}, blayout=col_major, slayout=row_major>
         !left = !pto.tile_buf<left, {rows}x{depth}x{name}, slayout=row_major>
         !short = !pto.tile_buf<left, {half}x{depth}x{name}, slayout=row_major>
         !some = !pto.tile_buf<left, {rows}x{depth}x{name}, valid={some}x{depth}, slayout=row_major>
         !right = !pto.tile_buf<right, {depth}x{cols}x{name}, slayout=col_major>
         !acc = !pto.tile_buf<acc, {rows}x{cols}x{sums}, blayout=col_major, slayout=row_major, fractal=1024>
         !short_acc = !pto.tile_buf<acc, {half}x{cols}x{sums}, blayout=col_major, slayout=row_major, fractal=1024>
         !some_acc = !pto.tile_buf<acc, {rows}x{cols}x{sums}, valid={some}x{cols}, blayout=col_major, slayout=row_major, fractal=1024>
         !matrix = !pto.tensor_view<{SIDE}x{SIDE}x{name}>
         !result = !pto.tensor_view<{SIDE}x{SIDE}x{sums}>
         func.func @f(%x: !pto.ptr<{name}>, %y: !pto.ptr<{sums}>) attributes {{pto.entry}} {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %side = arith.constant {SIDE} : index
           %rows = arith.constant {rows} : index
           %half = arith.constant {half} : index
           %some = arith.constant {some} : index
           %cols = arith.constant {cols} : index
           %depth = arith.constant {depth} : index
           %tall = arith.constant {tall} : index
           %wide = arith.constant {wide} : index
           %deep = arith.constant {deep} : index
           %two = arith.constant 2 : index
           %iterations = arith.constant 5 : index
           {places}
           %xs = pto.make_tensor_view %x, shape = [%side, %side], strides = [%side, %one] : !matrix
           %ys = pto.make_tensor_view %y, shape = [%side, %side], strides = [%side, %one] : !result
           %a0 = pto.alloc_tile{p0} : !a_mat
           %a1 = pto.alloc_tile{p1} : !a_mat
           %a2 = pto.alloc_tile{p0} : !a_top
           %b0 = pto.alloc_tile{p2} : !b_mat
           %b1 = pto.alloc_tile{p3} : !b_mat
           %l0 = pto.alloc_tile{p0} : !left
           %l1 = pto.alloc_tile{p1} : !left
           %short = pto.alloc_tile{p0} : !short
           %part = pto.alloc_tile{p1} : !some
           %r0 = pto.alloc_tile{p0} : !right
           %r1 = pto.alloc_tile{p1} : !right
           %c = pto.alloc_tile{p0} : !acc
           %d = pto.alloc_tile{p1} : !acc
           %short_c = pto.alloc_tile{p2} : !short_acc
           %part_c = pto.alloc_tile{p3} : !some_acc
           scf.for %i = %zero to %iterations step %one {{
             %turn = arith.remui %i, %two : index
             %at = arith.muli %turn, %rows : index
             %out = pto.partition_view %ys, offsets = [%at, %at], sizes = [%rows, %cols]
             %short_out = pto.partition_view %ys, offsets = [%at, %cols], sizes = [%half, %cols]
             %part_out = pto.partition_view %ys, offsets = [%cols, %at], sizes = [%some, %cols]
             %as = pto.partition_view %xs, offsets = [%turn, %one], sizes = [%tall, %deep]
             %bs = pto.partition_view %xs, offsets = [%one, %turn], sizes = [%deep, %wide]
             {back}
{body}
             pto.tstore ins(%c) outs(%out)
           }}
           return
         }}",
        p0 = place(0),
        p1 = place(1),
        p2 = place(2),
        p3 = place(3),
    )
}

/// One more instruction.
fn instruction(n: &mut Numbers, body: &mut String, sizes: &Sizes, (tall, wide, deep): (usize, usize, usize)) {
    let which = |n: &mut Numbers| n.below(2);
    let indent = "             ";
    let line = match n.below(12) {
        0 => format!("pto.tload ins(%as) outs(%a{})", which(n)),
        1 => format!("pto.tload ins(%bs) outs(%b{})", which(n)),
        2..=4 => {
            let (name, rows) =
                n.pick(&[("l0", sizes.rows), ("l1", sizes.rows), ("short", sizes.rows), ("part", sizes.rows)]);
            let (row, col) = (16 * n.below((tall - rows) / 16 + 1), sizes.depth * n.below(deep / sizes.depth));
            let count = if row == 0 { 3 } else { 2 };
            extract(n, body, ("a", count, name), (row, col));
            return;
        }
        5 | 6 => {
            let cols = wide / sizes.times;
            let at = (sizes.depth * n.below(deep / sizes.depth), cols * n.below(wide / cols));
            let name = n.pick(&["r0", "r1"]);
            extract(n, body, ("b", 2, name), at);
            return;
        }
        7 => "pto.tstore ins(%c) outs(%out)".to_owned(),
        8 => {
            let (left, acc) = n.pick(&[("short", "short_c"), ("part", "part_c")]);
            let _ = writeln!(body, "{indent}pto.tmatmul ins(%{left}, %r{}) outs(%{acc})", which(n));
            format!("pto.tstore ins(%{acc}) outs(%{})", if left == "short" { "short_out" } else { "part_out" })
        }
        9 | 10 => format!("pto.tmatmul.acc ins(%c, %l{}, %r{}) outs(%c)", which(n), which(n)),
        _ => format!("pto.tmatmul ins(%l{}, %r{}) outs(%{})", which(n), which(n), n.pick(&["c", "d"])),
    };
    let _ = writeln!(body, "{indent}{line}");
}

fn extract(n: &mut Numbers, body: &mut String, (from, count, to): (&str, usize, &str), (row, col): (usize, usize)) {
    let id = body.len();
    let _ = writeln!(
        body,
        "%row{id} = arith.constant {row} : index
         %col{id} = arith.constant {col} : index
         pto.textract ins(%{from}{}, %row{id}, %col{id}) outs(%{to})",
        n.below(count)
    );
}

fn run<T: Number, S: Number>(plan: &Plan, x: &[T], empty: S) -> Vec<S> {
    let (mut x, mut y) = (x.to_vec(), vec![empty; SIDE * SIDE]);
    plan.launch().run(&mut [Arg::write(&mut x), Arg::write(&mut y)]).unwrap_or_else(|e| panic!("{e}"));
    y
}

/// Runs a program as it is and plainly; what differs.
fn difference(text: &str, target: Target, ty: FactorType, n: &mut Numbers) -> Option<usize> {
    let fast = plan(text, target, Options::default());
    let plain = plan(text, target, Options::default().plain(true));
    let small = n.below(2) == 0;
    let count = SIDE * SIDE;
    let bits = |numbers: Vec<f32>| -> Vec<u32> {
        numbers.iter().map(|x| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }).collect()
    };
    macro_rules! compare {
        ($make:expr) => {{
            let x: Vec<_> = (0..count).map(|_| $make).collect();
            (bits(run(&fast, &x, 0f32)), bits(run(&plain, &x, 0f32)))
        }};
    }
    let (got, want) = match ty.name {
        "f32" => compare!(float(n, small)),
        "f16" => compare!(F16::from_f32(float(n, false))),
        "bf16" => compare!(Bf16::from_f32(float(n, small))),
        _ => {
            let x: Vec<i8> = (0..count).map(|_| n.below(256) as u8 as i8).collect();
            let words = |y: Vec<i32>| y.into_iter().map(|x| x as u32).collect();
            (words(run(&fast, &x, 0i32)), words(run(&plain, &x, 0i32)))
        }
    };
    got.iter().zip(&want).position(|(a, b)| a != b)
}

#[test]
fn random_programs_give_the_same_bits_without_moves() {
    let seed = number("FACTOR_SEED", 1);
    for number in 0..number("FACTOR_PROGRAMS", 40) {
        let mut n = Numbers(seed << 32 | number);
        let ty = TYPES[number as usize % TYPES.len()];
        let target = n.pick(&[Target::A2A3, Target::A5]);
        let text = random_program(&mut n, ty);
        let at = difference(&text, target, ty, &mut n);
        assert!(at.is_none(), "program {number} differs at {at:?} on {target:?}\n{text}");
    }
}

#[test]
fn factors_that_are_looked_at_after_the_run_are_moved() {
    let text = "!mat = !pto.tile_buf<mat, 16x16xf32, blayout=col_major, slayout=row_major>
         !left = !pto.tile_buf<left, 16x16xf32, slayout=row_major>
         !matrix = !pto.tensor_view<16x16xf32>
         func.func @f(%x: !pto.ptr<f32>) attributes {pto.entry} {
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %side = arith.constant 16 : index
           %xs = pto.make_tensor_view %x, shape = [%side, %side], strides = [%side, %one] : !matrix
           %in = pto.partition_view %xs, offsets = [%zero, %zero], sizes = [%side, %side]
           %a = pto.alloc_tile : !mat
           %l = pto.alloc_tile : !left
           pto.tload ins(%in) outs(%a)
           pto.tmov ins(%a) outs(%l)
           return
         }";
    let x: Vec<f32> = (0..256u16).map(f32::from).collect();
    let remains = Remains::of_tiles(|_| true);
    let plan = plan(text, Target::A5, Options::default());
    plan.launch().keep(&remains).run(&mut [Arg::read(&x)]).unwrap_or_else(|e| panic!("{e}"));
    let sum = |tile: &TileContents| -> f32 {
        tile.elements.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).sum()
    };
    let kept = remains.finish();
    assert_eq!(kept.tiles.iter().map(sum).collect::<Vec<_>>(), [x.iter().sum::<f32>(); 2]);
}

/// A product reads sixteen columns at a time, of which only eight are valid here; the window of them starts between multiples of sixteen.
#[test]
fn a_window_between_multiples_of_sixteen_columns_is_a_factor() {
    let text = "!a_mat = !pto.tile_buf<mat, 16x16xf32, blayout=col_major, slayout=row_major>
         !b_mat = !pto.tile_buf<mat, 16x24xf32, blayout=col_major, slayout=row_major>
         !left = !pto.tile_buf<left, 16x16xf32, slayout=row_major>
         !right = !pto.tile_buf<right, 16x16xf32, valid=16x8, slayout=col_major>
         !acc = !pto.tile_buf<acc, 16x16xf32, valid=16x8, blayout=col_major, slayout=row_major, fractal=1024>
         !matrix = !pto.tensor_view<256x256xf32>
         func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.entry} {
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %side = arith.constant 256 : index
           %eight = arith.constant 8 : index
           %rows = arith.constant 16 : index
           %cols = arith.constant 24 : index
           %xs = pto.make_tensor_view %x, shape = [%side, %side], strides = [%side, %one] : !matrix
           %ys = pto.make_tensor_view %y, shape = [%side, %side], strides = [%side, %one] : !matrix
           %as = pto.partition_view %xs, offsets = [%zero, %zero], sizes = [%rows, %rows]
           %bs = pto.partition_view %xs, offsets = [%rows, %zero], sizes = [%rows, %cols]
           %out = pto.partition_view %ys, offsets = [%zero, %zero], sizes = [%rows, %eight]
           %a = pto.alloc_tile : !a_mat
           %l = pto.alloc_tile : !left
           %r = pto.alloc_tile : !right
           %c = pto.alloc_tile : !acc
           %b = pto.alloc_tile : !b_mat
           pto.tload ins(%as) outs(%a)
           pto.tload ins(%bs) outs(%b)
           pto.tmov ins(%a) outs(%l)
           pto.textract ins(%b, %zero, %eight) outs(%r)
           pto.tmatmul ins(%l, %r) outs(%c)
           pto.tstore ins(%c) outs(%out)
           return
         }";
    assert_eq!(difference(text, Target::A5, TYPES[0], &mut Numbers(3)), None);
}

/// The third load brings what was packed after the first, so it is left out; but a tile of another shape looks at the same memory.
const THREE_LOADS: &str = "!mat = !pto.tile_buf<mat, 32x32xf32, blayout=col_major, slayout=row_major>
         !top = !pto.tile_buf<mat, 32x32xf32, valid=16x32, blayout=col_major, slayout=row_major>
         !left = !pto.tile_buf<left, 16x32xf32, slayout=row_major>
         !right = !pto.tile_buf<right, 32x32xf32, slayout=col_major>
         !acc = !pto.tile_buf<acc, 16x32xf32, blayout=col_major, slayout=row_major, fractal=1024>
         !matrix = !pto.tensor_view<256x256xf32>
         func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.entry} {
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %two = arith.constant 2 : index
           %three = arith.constant 3 : index
           %side = arith.constant 256 : index
           %rows = arith.constant 16 : index
           %cols = arith.constant 32 : index
           %place = arith.constant 0 : i64
           %behind = arith.constant 32768 : i64
           %xs = pto.make_tensor_view %x, shape = [%side, %side], strides = [%side, %one] : !matrix
           %ys = pto.make_tensor_view %y, shape = [%side, %side], strides = [%side, %one] : !matrix
           %bs = pto.partition_view %xs, offsets = [%cols, %cols], sizes = [%cols, %cols]
           %a = pto.alloc_tile addr = %place : !mat
           %top = pto.alloc_tile addr = %place : !top
           %b = pto.alloc_tile addr = %behind : !mat
           %l = pto.alloc_tile addr = %place : !left
           %r = pto.alloc_tile addr = %place : !right
           %c = pto.alloc_tile addr = %place : !acc
           pto.tload ins(%bs) outs(%b)
           pto.tmov ins(%b) outs(%r)
           scf.for %i = %zero to %three step %one {
             %turn = arith.remui %i, %two : index
             %at = arith.muli %turn, %cols : index
             %below = arith.muli %i, %cols : index
             %down = arith.addi %below, %rows : index
             %as = pto.partition_view %xs, offsets = [%at, %zero], sizes = [%cols, %cols]
             %out = pto.partition_view %ys, offsets = [%down, %zero], sizes = [%rows, %cols]
             pto.tload ins(%as) outs(%a)
             pto.textract ins(%a, %rows, %zero) outs(%l)
             pto.tmatmul ins(%l, %r) outs(%c)
             pto.textract ins(%top, %zero, %zero) outs(%l)
             pto.tmatmul.acc ins(%c, %l, %r) outs(%c)
             pto.tstore ins(%c) outs(%out)
           }
           return
         }";

#[test]
fn a_load_that_is_left_out_is_made_for_another_tile() {
    assert_eq!(difference(THREE_LOADS, Target::A5, TYPES[0], &mut Numbers(3)), None);
}

/// Its first store changes what it loaded first.
#[test]
#[expect(unsafe_code, reason = "arguments that overlap are held by address")]
fn memory_that_is_written_under_another_name_is_loaded_again() {
    let mut n = Numbers(5);
    let start: Vec<f32> = (0..SIDE * SIDE).map(|_| float(&mut n, false)).collect();
    let results = [true, false].map(|plain| {
        let plan = plan(THREE_LOADS, Target::A5, Options::default().plain(plain));
        let mut data = start.clone();
        let (ptr, bytes) = (data.as_mut_ptr().cast(), 4 * data.len());
        // SAFETY: the memory lives until the run ends, and nothing else uses it.
        let args = &mut unsafe { [Arg::held(ptr, bytes, false), Arg::held(ptr, bytes, true)] };
        plan.launch().run(args).unwrap_or_else(|e| panic!("{e}"));
        data
    });
    assert_eq!(results[0], results[1]);
}

/// The unit for matrices flushes subnormal sums, also those that products of moderate numbers start from.
#[test]
fn chains_of_products_keep_subnormal_sums() {
    let text = "!mat = !pto.tile_buf<mat, 32x32xbf16, blayout=col_major, slayout=row_major>
         !left = !pto.tile_buf<left, 32x32xbf16, slayout=row_major>
         !right = !pto.tile_buf<right, 32x32xbf16, slayout=col_major>
         !acc = !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>
         !matrix = !pto.tensor_view<256x256xbf16>
         !result = !pto.tensor_view<256x256xf32>
         func.func @f(%x: !pto.ptr<bf16>, %y: !pto.ptr<f32>) attributes {pto.entry} {
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %side = arith.constant 256 : index
           %size = arith.constant 32 : index
           %xs = pto.make_tensor_view %x, shape = [%side, %side], strides = [%side, %one] : !matrix
           %ys = pto.make_tensor_view %y, shape = [%side, %side], strides = [%side, %one] : !result
           %small = pto.partition_view %xs, offsets = [%zero, %zero], sizes = [%size, %size]
           %usual = pto.partition_view %xs, offsets = [%size, %zero], sizes = [%size, %size]
           %out = pto.partition_view %ys, offsets = [%zero, %zero], sizes = [%size, %size]
           %a = pto.alloc_tile : !mat
           %b = pto.alloc_tile : !mat
           %l = pto.alloc_tile : !left
           %r = pto.alloc_tile : !right
           %m = pto.alloc_tile : !left
           %n = pto.alloc_tile : !right
           %c = pto.alloc_tile : !acc
           pto.tload ins(%small) outs(%a)
           pto.tload ins(%usual) outs(%b)
           pto.tmov ins(%a) outs(%l)
           pto.tmov ins(%a) outs(%r)
           pto.tmov ins(%b) outs(%m)
           pto.tmov ins(%b) outs(%n)
           pto.tmatmul ins(%l, %r) outs(%c)
           pto.tmatmul.acc ins(%c, %m, %n) outs(%c)
           pto.tmatmul.acc ins(%c, %m, %n) outs(%c)
           pto.tstore ins(%c) outs(%out)
           return
         }";
    // The squares of the first 32 rows are subnormal; the others are 1 on a diagonal that leaves most sums alone.
    let x: Vec<Bf16> = (0..SIDE * SIDE)
        .map(|at| {
            Bf16::from_f32(if at < 32 * SIDE {
                1e-20
            } else {
                f32::from(u8::from(at % (SIDE + 1) == 32 * SIDE % (SIDE + 1)))
            })
        })
        .collect();
    let results = [true, false].map(|plain| {
        run(&plan(text, Target::A5, Options::default().plain(plain)), &x, 0f32).into_iter().map(f32::to_bits)
    });
    let [plain, fast] = results.map(Vec::from_iter);
    assert!(plain.iter().any(|bits| f32::from_bits(*bits).is_subnormal()) && plain == fast);
}
