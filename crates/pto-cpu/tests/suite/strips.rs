//! Instructions that are executed together, strip by strip, give the same bits as one after the other.
//!
//! Plain kernels are never executed in strips. `STRIP_PROGRAMS=10000` runs more random programs, `STRIP_SEED=7` others.

use super::random::{Numbers, number};
use pto_cpu::{Arg, Options, Plan, Remains};
use pto_isa::Target;
use std::fmt::Write;

fn plan(text: &str, options: Options) -> Plan {
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{}\n{text}", problems[0].message);
    let checked = pto_check::check(module, Target::A5).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Plan::new(&checked, None, options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A program on windows of two matrices that are twice as wide as its tiles, and its sizes.
struct StripProgram {
    text: String,
    height: usize,
    width: usize,
}

/// Numbers of a buffer that is larger than caches are.
const LARGE: usize = 9 << 20;

const TILES: usize = 3;
const COLUMNS: usize = 2;

/// A loop of random instructions that work row by row. Tiles that are made before the loop keep what the iteration before left there.
fn random_program(n: &mut Numbers) -> StripProgram {
    let rows = n.pick(&[1, 8, 16, 24]);
    let cols = if rows == 1 { n.pick(&[4096, 4104, 8192]) } else { n.pick(&[512, 520, 1024, 1032, 2048]) };
    let (height, width) = (rows * (2 + n.below(3)), 2 * cols);
    let outside = n.below(3) == 0;
    let mut body = String::new();
    let mut outer = String::new();
    let tiles = if outside { &mut outer } else { &mut body };
    for t in 0..TILES {
        let _ = writeln!(tiles, "%t{t} = pto.alloc_tile : !tile");
    }
    // A column of a single number would not fill a block of memory.
    let columns = if rows == 1 { 0 } else { COLUMNS };
    for c in 0..columns {
        let _ = writeln!(tiles, "%c{c} = pto.alloc_tile : !column");
        let _ = writeln!(tiles, "%f{c} = pto.treshape %c{c} : !column -> !flat");
    }
    let _ = writeln!(tiles, "%scratch = pto.alloc_tile : !tile");
    let mut made = [outside; TILES];
    let mut counted = vec![outside; columns];
    if outside {
        for t in 0..TILES {
            let _ = writeln!(outer, "pto.tload ins(%first) outs(%t{t})");
        }
        for c in 0..columns {
            let _ = writeln!(outer, "pto.trowmax ins(%t0, %scratch) outs(%c{c})");
        }
    }
    for _ in 0..3 + n.below(9) {
        instruction(n, &mut body, &mut made, &mut counted);
    }
    let last = (0..TILES).find(|t| made[*t]).unwrap_or(0);
    if !made[last] {
        let _ = writeln!(body, "pto.tload ins(%x0) outs(%t{last})");
    }
    let _ = writeln!(body, "pto.tstore ins(%t{last}) outs(%{}{})", n.pick(&["x", "y"]), n.below(2));
    let column_types = if columns == 0 {
        String::new()
    } else {
        format!(
            "!column = !pto.tile_buf<vec, {rows}x1xf32, blayout=col_major>
             !flat = !pto.tile_buf<vec, 1x{rows}xf32>"
        )
    };
    let text = format!(
        "!tile = !pto.tile_buf<vec, {rows}x{cols}xf32>
         {column_types}
         !row = !pto.tile_buf<vec, 1x{cols}xf32>
         !matrix = !pto.tensor_view<{height}x{width}xf32>
         func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {{pto.entry}} {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %rows = arith.constant {rows} : index
           %cols = arith.constant {cols} : index
           %height = arith.constant {height} : index
           %width = arith.constant {width} : index
           %half = arith.constant 0.5 : f32
           %xs = pto.make_tensor_view %x, shape = [%height, %width], strides = [%width, %one] : !matrix
           %ys = pto.make_tensor_view %y, shape = [%height, %width], strides = [%width, %one] : !matrix
           %block64 = pto.get_block_idx
           %blocks64 = pto.get_block_num
           %block = arith.index_cast %block64 : i64 to index
           %blocks = arith.index_cast %blocks64 : i64 to index
           %start = arith.muli %block, %rows : index
           %stride = arith.muli %blocks, %rows : index
           %first = pto.partition_view %xs, offsets = [%start, %zero], sizes = [%rows, %cols]
           %weights = pto.partition_view %ys, offsets = [%start, %zero], sizes = [%one, %cols]
           %w = pto.alloc_tile : !row
           pto.tload ins(%weights) outs(%w)
           {outer}
           scf.for %at = %start to %height step %stride {{
             %x0 = pto.partition_view %xs, offsets = [%at, %zero], sizes = [%rows, %cols]
             %x1 = pto.partition_view %xs, offsets = [%at, %cols], sizes = [%rows, %cols]
             %y0 = pto.partition_view %ys, offsets = [%at, %zero], sizes = [%rows, %cols]
             %y1 = pto.partition_view %ys, offsets = [%at, %cols], sizes = [%rows, %cols]
             {body}
           }}
           return
         }}"
    );
    StripProgram { text, height, width }
}

/// One more instruction on what has been made.
fn instruction(n: &mut Numbers, body: &mut String, made: &mut [bool; TILES], counted: &mut [bool]) {
    let ready: Vec<usize> = (0..TILES).filter(|t| made[*t]).collect();
    let columns: Vec<usize> = (0..counted.len()).filter(|c| counted[*c]).collect();
    let window = format!("%{}{}", n.pick(&["x", "y"]), n.below(2));
    let to = n.below(TILES);
    let line = match (n.below(12), ready.is_empty(), columns.is_empty()) {
        (0 | 1, ..) | (_, true, _) => format!("pto.tload ins({window}) outs(%t{to})"),
        (2, ..) => {
            let _ = writeln!(body, "pto.tstore ins(%t{}) outs({window})", n.pick(&ready));
            return;
        }
        (3, ..) if !counted.is_empty() => {
            let (from, to) = (n.pick(&ready), n.below(counted.len()));
            counted[to] = true;
            let op = n.pick(&["trowmax", "trowsum", "trowmin"]);
            let _ = writeln!(body, "pto.{op} ins(%t{from}, %scratch) outs(%c{to})");
            return;
        }
        (4, _, false) => {
            let c = n.pick(&columns);
            let _ = writeln!(body, "pto.tmuls ins(%f{c}, %half) outs(%f{c})");
            return;
        }
        (5, _, false) => {
            let op = n.pick(&["trowexpandsub", "trowexpandmul", "trowexpandexpdif"]);
            format!("pto.{op} ins(%t{}, %c{}) outs(%t{to})", n.pick(&ready), n.pick(&columns))
        }
        (6, ..) => {
            format!("pto.{} ins(%t{}, %w) outs(%t{to})", n.pick(&["tcolexpandadd", "tcolexpandmul"]), n.pick(&ready))
        }
        (7, ..) => format!("pto.{} ins(%t{}) outs(%t{to})", n.pick(&["texp", "tabs", "trelu"]), n.pick(&ready)),
        (9, _, false) => {
            let steps = ["tcolexpandmul", n.pick(&["tcolexpandadd", "tcolexpandmul"])];
            let scaled = format!("pto.trowexpandmul ins(%t{}, %c{})", n.pick(&ready), n.pick(&columns));
            let count = 1 + n.below(2);
            return chain(n, body, made, (&scaled, "%w"), &steps[..count]);
        }
        (11, ..) => {
            let scaled = format!("pto.tmuls ins(%t{}, %half)", n.pick(&ready));
            let other = format!("%t{}", n.pick(&ready));
            let (steps, count) = (["tmul", "tadd"], 1 + n.below(2));
            return chain(n, body, made, (&scaled, &other), &steps[..count]);
        }
        (10, _, false) => {
            let (by, sum) = (n.pick(&columns), n.below(counted.len()));
            let (from, squares) = (n.pick(&ready), n.below(TILES));
            let _ = writeln!(body, "pto.trowexpandsub ins(%t{from}, %c{by}) outs(%t{to})");
            let _ = writeln!(body, "pto.tmul ins(%t{to}, %t{to}) outs(%t{squares})");
            (made[to], made[squares], counted[sum]) = (true, true, true);
            let _ = writeln!(body, "pto.trowsum ins(%t{squares}, %scratch) outs(%c{sum})");
            return;
        }
        _ => {
            let op = n.pick(&["tadd", "tmul", "tmax", "tsub"]);
            format!("pto.{op} ins(%t{}, %t{}) outs(%t{to})", n.pick(&ready), n.pick(&ready))
        }
    };
    made[to] = true;
    let _ = writeln!(body, "{line}");
}

/// Steps with another operand, each on the results of the one before: the first is given without its destination.
fn chain(n: &mut Numbers, body: &mut String, made: &mut [bool; TILES], (first, other): (&str, &str), steps: &[&str]) {
    let mut to = n.below(TILES);
    let _ = writeln!(body, "{first} outs(%t{to})");
    made[to] = true;
    for step in steps {
        let next = if n.below(2) == 0 { to } else { n.below(TILES) };
        let _ = writeln!(body, "pto.{step} ins(%t{to}, {other}) outs(%t{next})");
        (to, made[next]) = (next, true);
    }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    // Signs of NaN are no part of a result.
    numbers.iter().map(|x| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }).collect()
}

fn run(plan: &Plan, data: &[Vec<f32>; 2], blocks: u32, threads: usize) -> [Vec<u32>; 2] {
    let mut data = data.clone();
    let [x, y] = &mut data;
    let done = plan.launch().blocks(blocks).threads(threads).run(&mut [Arg::write(x), Arg::write(y)]);
    done.unwrap_or_else(|e| panic!("{e}"));
    data.map(|d| bits(&d))
}

#[test]
fn random_programs_give_the_same_bits_in_strips() {
    let seed = number("STRIP_SEED", 1);
    for number in 0..number("STRIP_PROGRAMS", 30) {
        let mut n = Numbers(seed << 32 | number);
        let program = random_program(&mut n);
        let (fast, plain) =
            (plan(&program.text, Options::default()), plan(&program.text, Options::default().plain(true)));
        let mut data = [(); 2].map(|()| n.floats(program.height * program.width));
        if n.below(10) == 0 {
            // What is stored there goes past the cache.
            data[1].resize(LARGE, 0.0);
        }
        for (blocks, threads) in [(1, 1), (2, 1), (2, 2)] {
            let (fast, plain) = (run(&fast, &data, blocks, threads), run(&plain, &data, blocks, 1));
            let place = |k: usize| fast[k].iter().zip(&plain[k]).position(|(a, b)| a != b);
            for k in 0..2 {
                let at = place(k);
                assert!(at.is_none(), "program {number}, {blocks} blocks, matrix {k} at {at:?}\n{}", program.text);
            }
        }
    }
}

#[test]
fn a_tile_that_a_function_takes_is_one_tile_under_two_names() {
    let text = on_matrices(
        "pto.tload ins(%xw) outs(%a)
         func.call @twice(%a, %b) : (!tile, !tile) -> ()
         pto.tadd ins(%a, %b) outs(%a)
         func.call @twice(%a, %b) : (!tile, !tile) -> ()
         pto.tstore ins(%b) outs(%yw)",
    );
    let data = [Numbers(5).floats(16 * 1024), vec![0.0; 16 * 1024]];
    let (fast, plain) = (plan(&text, Options::default()), plan(&text, Options::default().plain(true)));
    assert_eq!(run(&fast, &data, 1, 1), run(&plain, &data, 1, 1));
}

/// Instructions on windows of two matrices of 16x1024, `%xw` and `%yw`, and on two tiles, `%a` and `%b`.
fn on_matrices(instructions: &str) -> String {
    format!(
        "!tile = !pto.tile_buf<vec, 16x1024xf32>
         !matrix = !pto.tensor_view<16x1024xf32>
         func.func private @twice(%t: !tile, %u: !tile) {{
           pto.tadd ins(%t, %t) outs(%u)
           return
         }}
         func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {{pto.entry}} {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %rows = arith.constant 16 : index
           %cols = arith.constant 1024 : index
           %xs = pto.make_tensor_view %x, shape = [%rows, %cols], strides = [%cols, %one] : !matrix
           %ys = pto.make_tensor_view %y, shape = [%rows, %cols], strides = [%cols, %one] : !matrix
           %xw = pto.partition_view %xs, offsets = [%zero, %zero], sizes = [%rows, %cols]
           %yw = pto.partition_view %ys, offsets = [%zero, %zero], sizes = [%rows, %cols]
           %a = pto.alloc_tile : !tile
           %b = pto.alloc_tile : !tile
           {instructions}
           return
         }}"
    )
}

const DOUBLE: &str = "pto.tload ins(%xw) outs(%a)
    pto.tadd ins(%a, %a) outs(%b)
    pto.tstore ins(%b) outs(%yw)";

#[test]
fn tiles_that_are_looked_at_after_the_run_are_filled() {
    let plan = plan(&on_matrices(DOUBLE), Options::default());
    let (x, mut y) = (vec![1.5f32; 16 * 1024], vec![0.0f32; 16 * 1024]);
    let remains = Remains::of_tiles(|_| true);
    plan.launch().keep(&remains).run(&mut [Arg::read(&x), Arg::write(&mut y)]).unwrap_or_else(|e| panic!("{e}"));
    assert!(y.iter().all(|y| *y == 3.0));
    let kept = remains.finish();
    let first = |k: usize| f32::from_le_bytes(kept.tiles[k].elements[..4].try_into().expect("four bytes"));
    assert_eq!((first(0), first(1)), (1.5, 3.0));
}

/// What goes to large buffers goes past the cache, in whole lines.
#[test]
fn large_buffers_get_the_same_bits() {
    let chain = "pto.tload ins(%xw) outs(%a)
        pto.tmuls ins(%a, %half : !tile, f32) outs(%b)
        pto.texp ins(%b) outs(%a)
        pto.tadd ins(%a, %b) outs(%a)
        pto.tstore ins(%a) outs(%yw)";
    let x = Numbers(1).floats(16 * 1024);
    for instructions in [DOUBLE, chain] {
        let text = on_matrices(instructions).replace("%one =", "%half = arith.constant 0.5 : f32\n%one =");
        let (fast, plain) = (plan(&text, Options::default()), plan(&text, Options::default().plain(true)));
        let mut expected = vec![0.0f32; x.len()];
        plain.launch().run(&mut [Arg::read(&x), Arg::write(&mut expected)]).unwrap_or_else(|e| panic!("{e}"));
        for start in [0, 1, 3, 8, 15] {
            let mut y = vec![0.0f32; LARGE];
            fast.launch().run(&mut [Arg::read(&x), Arg::write(&mut y[start..])]).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(bits(&y[start..start + x.len()]), bits(&expected), "from {start}");
            assert!(y[..start].iter().chain(&y[start + x.len()..]).all(|n| *n == 0.0), "from {start}");
        }
    }
}

#[test]
fn a_window_that_leaves_its_buffer_is_still_an_error() {
    let plan = plan(&on_matrices(DOUBLE), Options::default());
    let (x, mut y) = (vec![1.5f32; 16 * 1024], vec![0.0f32; 15 * 1024]);
    let error = plan.launch().run(&mut [Arg::read(&x), Arg::write(&mut y)]).expect_err("the window is too large");
    assert!(error.to_string().contains("tstore"), "{error}");
}

/// What waits for its group is executed before a later step fails, and is what fails if it cannot be executed.
#[test]
fn a_step_that_fails_comes_after_those_before_it() {
    let text = |rows: usize| {
        format!(
            "!tile = !pto.tile_buf<vec, 16x256xf32, valid=?x?>
             func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: index) attributes {{pto.entry}} {{
               %zero = arith.constant 0 : index
               %one = arith.constant 1 : index
               %rows = arith.constant {rows} : index
               %cols = arith.constant 256 : index
               %xs = pto.make_tensor_view %x, shape = [%n, %cols], strides = [%cols, %one] : !pto.tensor_view<?x256xf32>
               %ys = pto.make_tensor_view %y, shape = [%rows, %cols], strides = [%cols, %one] : !pto.tensor_view<{rows}x256xf32>
               %a = pto.alloc_tile valid_row = %n valid_col = %cols : !tile
               %b = pto.alloc_tile valid_row = %one valid_col = %cols : !tile
               pto.tload ins(%xs) outs(%a)
               pto.tstore ins(%a) outs(%ys)
               pto.tadd ins(%a, %a) outs(%b)
               pto.tadd ins(%b, %b) outs(%a)
               return
             }}"
        )
    };
    for (rows, code) in [(16, "PTO-E0218"), (8, "PTO-E0711")] {
        let run = |options: Options| {
            let (x, mut y) = ([1.0_f32; 16 * 256], [0.0_f32; 16 * 256]);
            let plan = plan(&text(rows), options);
            let failed = plan.launch().run(&mut [Arg::read(&x), Arg::write(&mut y), Arg::Int(16)]);
            let problem = failed.expect_err("the last additions do not fit").to_string();
            assert!(problem.contains(code), "{problem}");
            (problem, y)
        };
        assert!(run(Options::default()) == run(Options::default().plain(true)), "{code}");
    }
}
