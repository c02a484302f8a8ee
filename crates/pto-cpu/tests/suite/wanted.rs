//! Merged lists of which only the beginning is wanted give the same bits as whole ones.
//!
//! Plain kernels always merge whole lists. `WANTED_PROGRAMS=10000` runs more random programs, `WANTED_SEED=7` others.

use super::random::{Numbers, number};
use pto_cpu::{Arg, Options, Plan};
use pto_isa::{DType, Target};
use std::fmt::Write;

/// Numbers of a row, and rows.
const WIDTH: usize = 1024;
const ROWS: usize = 3;

/// Tiles of records.
const TILES: [&str; 3] = ["a", "b", "c"];

fn plan(text: &str, plain: bool) -> Plan {
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{}\n{text}", problems[0].message);
    let checked = pto_check::check(module, Target::Cpu).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Plan::new(&checked, None, Options::default().plain(plain)).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Sorts rows, merges in any order, and stores the first columns of tiles, or others.
fn random_program(n: &mut Numbers) -> String {
    let mut tiles = String::new();
    for tile in TILES {
        let _ = writeln!(tiles, "%{tile} = pto.alloc_tile : !records");
    }
    let outside = n.below(3) == 0;
    let (outer, inner) = if outside { (&*tiles, "") } else { ("", &*tiles) };
    let mut body = String::new();
    for tile in TILES {
        // What is kept from the row before is uninitialised for the first one, which is the same in both runs.
        if !outside || n.below(4) > 0 {
            let _ = writeln!(body, "pto.tsort32 ins(%t, %numbers) outs(%{tile})");
        }
    }
    for step in 0..2 + n.below(7) {
        let (from, other, length) = (n.below(3), 1 + n.below(2), n.pick(&[64, 128, 256, 512]));
        let (from, to, other) = (TILES[from], n.pick(&TILES), TILES[(from + other) % 3]);
        match n.below(10) {
            8 | 9 => sort_all(&mut body, n),
            0 => body.push_str("pto.tsort32 ins(%t, %numbers) outs(%a)\n"),
            1 => {
                let stops = n.pick(&["", " {exhausted = true}"]);
                let _ = writeln!(body, "pto.tmrgsort ins(%{from}, %{other}, %tmp{stops}) outs(%both, %taken)");
                store(&mut body, n, "both", step);
            }
            2 => store(&mut body, n, from, step),
            3 => {
                let _ = writeln!(body, "pto.tmov ins(%{from}) outs(%{other})");
            }
            _ => {
                let _ = writeln!(body, "pto.tmrgsort ins(%{from}, %l{length}) outs(%{to})");
            }
        }
    }
    let last = n.pick(&TILES);
    store(&mut body, n, last, 99);
    let mut lengths = String::new();
    for length in [64, 128, 256, 512, 1024] {
        let _ = writeln!(lengths, "%l{length} = arith.constant {length} : i32");
    }
    let (wide, all) = (2 * WIDTH, 4 * WIDTH);
    format!(
        "!row = !pto.tile_buf<vec, 1x{WIDTH}xf32>
         !index = !pto.tile_buf<vec, 1x{WIDTH}xui32>
         !records = !pto.tile_buf<vec, 1x{wide}xf32>
         !both = !pto.tile_buf<vec, 1x{all}xf32>
         func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {{pto.entry}} {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %rows = arith.constant {ROWS} : index
           %width = arith.constant {WIDTH} : index
           %wide = arith.constant {wide} : index
           %start = arith.constant 0 : ui32
           {lengths}
           %xs = pto.make_tensor_view %x, shape = [%rows, %width], strides = [%width, %one] : !pto.tensor_view<{ROWS}x{WIDTH}xf32>
           %numbers = pto.alloc_tile : !index
           pto.tci ins(%start) outs(%numbers)
           {outer}
           scf.for %at = %zero to %rows step %one {{
             %t = pto.alloc_tile : !row
             %both = pto.alloc_tile : !both
             %tmp = pto.alloc_tile : !both
             %taken = arith.constant dense<0> : vector<4xi16>
             {inner}
             %in = pto.partition_view %xs, offsets = [%at, %zero], sizes = [%one, %width] : !pto.tensor_view<{ROWS}x{WIDTH}xf32> -> !pto.partition_tensor_view<1x{WIDTH}xf32>
             pto.tload ins(%in) outs(%t)
             {body}
           }}
           return
         }}"
    )
}

/// Sorts a row, merges until one list is left, and does something else now and then.
fn sort_all(body: &mut String, n: &mut Numbers) {
    let mut from = n.below(3);
    let _ = writeln!(body, "pto.tsort32 ins(%t, %numbers) outs(%{})", TILES[from]);
    for length in [64, 256, 1024] {
        let to = if n.below(12) == 0 { from } else { (from + 1 + n.below(2)) % 3 };
        match n.below(24) {
            0 => body.push_str("pto.tneg ins(%t) outs(%t)\n"),
            1 => {
                let _ = writeln!(body, "pto.tmov ins(%{}) outs(%{})", TILES[from], TILES[to]);
            }
            2 => body.push_str("pto.tload ins(%in) outs(%t)\n"),
            _ => {}
        }
        let length = if n.below(16) == 0 { 512 } else { length };
        let _ = writeln!(body, "pto.tmrgsort ins(%{}, %l{length}) outs(%{})", TILES[from], TILES[to]);
        from = to;
    }
    let (tile, count) = (TILES[from], n.pick(&[8, 64, 128, 512, 1024]));
    let step = 100 + body.len();
    store_part(body, tile, 2 * WIDTH, (0, count), step);
}

/// Stores the first columns of a tile of records, others, or all of them.
fn store(body: &mut String, n: &mut Numbers, tile: &str, step: usize) {
    let whole = if tile == "both" { 4 * WIDTH } else { 2 * WIDTH };
    let count = n.pick(&[8, 16, 40, 64, 128, 256, 512, 1024, whole]);
    let first = if n.below(4) == 0 { n.pick(&[8, 64, 512]) } else { 0 };
    let first = if first + count <= whole { first } else { 0 };
    store_part(body, tile, whole, (first, count), step);
}

/// Stores some columns of a tile with so many.
fn store_part(body: &mut String, tile: &str, whole: usize, (first, count): (usize, usize), step: usize) {
    let _ = writeln!(
        body,
        "%first{step} = arith.constant {first} : index
         %count{step} = arith.constant {count} : index
         %part{step} = pto.subview %{tile}[%zero, %first{step}] sizes [1, {count}] : !pto.tile_buf<vec, 1x{whole}xf32> -> !pto.tile_buf<vec, 1x{count}xf32>
         %o{step} = arith.constant {offset} : index
         %p{step} = pto.addptr %y, %o{step} : !pto.ptr<f32> -> !pto.ptr<f32>
         %ys{step} = pto.make_tensor_view %p{step}, shape = [%rows, %count{step}], strides = [%wide, %one] : !pto.tensor_view<{ROWS}x{count}xf32>
         %out{step} = pto.partition_view %ys{step}, offsets = [%at, %zero], sizes = [%one, %count{step}] : !pto.tensor_view<{ROWS}x{count}xf32> -> !pto.partition_tensor_view<1x{count}xf32>
         pto.tstore ins(%part{step}) outs(%out{step})",
        offset = step % 10 * ROWS * 4 * WIDTH,
    );
}

#[test]
fn the_beginning_of_lists_is_the_same() {
    let (count, seed) = (number("WANTED_PROGRAMS", 300), number("WANTED_SEED", 5));
    let mut numbers = Numbers(seed);
    for round in 0..count {
        let text = random_program(&mut numbers);
        let mut x = numbers.floats(ROWS * WIDTH);
        let run = |plain: bool, x: &mut [f32]| {
            let mut y = vec![0f32; 10 * ROWS * 4 * WIDTH];
            let mut args = [Arg::write(x), Arg::write(&mut y)];
            plan(&text, plain).launch().run(&mut args).unwrap_or_else(|e| panic!("{e}\n{text}"));
            y.iter().map(|y| y.to_bits()).collect::<Vec<u32>>()
        };
        let (whole, wanted) = (run(true, &mut x), run(false, &mut x));
        let different = whole.iter().zip(&wanted).position(|(a, b)| a != b);
        assert_eq!(different, None, "program {round}\n{text}");
    }
}

/// The records of the largest elements of a row, of a type whose records have so many columns.
fn largest(elem: &str, columns: usize, count: usize) -> String {
    let (all, wanted) = (columns * WIDTH, columns * count);
    let lengths: String =
        [32, 128, 512].iter().map(|n| format!("%l{n} = arith.constant {} : i32\n", n * columns)).collect();
    format!(
        "!row = !pto.tile_buf<vec, 1x{WIDTH}x{elem}>
         !index = !pto.tile_buf<vec, 1x{WIDTH}xui32>
         !records = !pto.tile_buf<vec, 1x{all}x{elem}>
         !best = !pto.tile_buf<vec, 1x{wanted}x{elem}>
         func.func @f(%x: !pto.ptr<{elem}>, %y: !pto.ptr<{elem}>) attributes {{pto.entry}} {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %width = arith.constant {WIDTH} : index
           %wanted = arith.constant {wanted} : index
           %start = arith.constant 7 : ui32
           {lengths}
           %xs = pto.make_tensor_view %x, shape = [%one, %width], strides = [%width, %one] : !pto.tensor_view<1x{WIDTH}x{elem}>
           %ys = pto.make_tensor_view %y, shape = [%one, %wanted], strides = [%wanted, %one] : !pto.tensor_view<1x{wanted}x{elem}>
           %numbers = pto.alloc_tile : !index
           %t = pto.alloc_tile : !row
           %a = pto.alloc_tile : !records
           %b = pto.alloc_tile : !records
           pto.tci ins(%start) outs(%numbers)
           pto.tload ins(%xs) outs(%t)
           pto.tsort32 ins(%t, %numbers) outs(%a)
           pto.tmrgsort ins(%a, %l32) outs(%b)
           pto.tmrgsort ins(%b, %l128) outs(%a)
           pto.tmrgsort ins(%a, %l512) outs(%b)
           %best = pto.subview %b[%zero, %zero] sizes [1, {wanted}] : !records -> !best
           pto.tstore ins(%best) outs(%ys)
           return
         }}"
    )
}

/// Equal numbers, both zeros, infinities and several NaN, so that the order among equals shows.
#[test]
fn the_largest_numbers_are_the_same() {
    const BITS: [u16; 12] = [0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0x0001, 0x8001, 0x3c01];
    let mut numbers = Numbers(11);
    for (elem, columns, bytes) in [("f32", 2, 4), ("f16", 4, 2)] {
        for (count, kinds) in [1, 4, 7, 64, 250, 256, 500].into_iter().flat_map(|n| [1, 4, 12, 99].map(|k| (n, k))) {
            // Of f32, the upper half has the bits.
            let mut element = || if kinds > 12 { numbers.below(1 << 16) as u16 } else { BITS[numbers.below(kinds)] };
            let mut x: Vec<u8> =
                (0..WIDTH).flat_map(|_| [vec![0; bytes - 2], element().to_le_bytes().to_vec()].concat()).collect();
            let text = largest(elem, columns, count);
            let mut run = |plain: bool| {
                let mut y = vec![0u8; columns * count * bytes];
                let dtype = if bytes == 4 { DType::F32 } else { DType::F16 };
                let mut args = [Arg::write(&mut x).of(dtype), Arg::write(&mut y).of(dtype)];
                plan(&text, plain).launch().run(&mut args).unwrap_or_else(|e| panic!("{e}\n{text}"));
                y
            };
            assert_eq!(run(true), run(false), "{count} of {kinds} kinds, {elem}");
        }
    }
}
