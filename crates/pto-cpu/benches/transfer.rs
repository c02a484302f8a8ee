//! Loads, stores and moves that change the layout, against a plain copy of as many bytes, in one run.
//!
//! `cargo bench -p pto-cpu --bench transfer`. Each program moves the same window again and again; windows and tiles stay in the
//! cache, so that the work of changing the layout is what is measured.

use pto_cpu::{Arg, Options, Plan};
use pto_isa::{GlobalLayout, Target};
use std::fmt::Write;
use std::time::Instant;

const ITERATIONS: i64 = 200;
const ROWS: u64 = 128;

/// A transfer of a whole matrix of 128 rows.
struct Case {
    target: Target,
    elem: &'static str,
    bits: u64,
    cols: u64,
    /// The layout of the window.
    global: GlobalLayout,
    /// Box order and element order of the tile.
    tile: &'static str,
    way: Way,
}

/// Where the data goes.
#[derive(Clone, Copy)]
enum Way {
    Load,
    /// From a tile in this memory.
    Store(&'static str),
    /// From the tile to another, in this memory and of this order.
    Move(&'static str),
}
use Way::{Load, Move, Store};

impl Way {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Load => ("load", "to"),
            Store(_) => ("store", "from"),
            Move(to) => ("move", to),
        }
    }
}

const LEFT: &str = "left, blayout=col_major, slayout=row_major";
const RIGHT: &str = "right, blayout=row_major, slayout=col_major";

const ND: &str = "blayout=row_major, slayout=none_box";
const DN: &str = "blayout=col_major, slayout=none_box";
const NZ: &str = "blayout=col_major, slayout=row_major";
const ZN: &str = "blayout=row_major, slayout=col_major";
const ACC: &str = "blayout=col_major, slayout=row_major, fractal=1024";
const ZZ_SCALES: &str = "blayout=row_major, slayout=row_major, fractal=32";
const NN_SCALES: &str = "blayout=col_major, slayout=col_major, fractal=32";

const fn case(elem: &'static str, bits: u64, global: GlobalLayout, tile: &'static str, way: Way) -> Case {
    // A 4-bit number counts as a byte against the size of a memory.
    let cols = if matches!(way, Move(_)) && bits == 4 { 512 } else { 8 * 512 / bits };
    Case { target: Target::A5, elem, bits, cols, global, tile, way }
}

fn main() {
    use GlobalLayout::{Dn, MxAZz, MxAdn, MxAnd, MxBdn, MxBnd, MxBnn, Nd, Nz};
    let cases = [
        case("f32", 32, Nd, ND, Load),
        case("f32", 32, Dn, DN, Load),
        case("f16", 16, Nz, NZ, Load),
        case("i8", 8, Nd, NZ, Load),
        case("f16", 16, Nd, NZ, Load),
        case("f32", 32, Nd, NZ, Load),
        case("i8", 8, Dn, ZN, Load),
        case("f16", 16, Dn, ZN, Load),
        case("f32", 32, Dn, ZN, Load),
        case("i8", 8, Dn, NZ, Load),
        case("f16", 16, Dn, NZ, Load),
        case("f32", 32, Dn, NZ, Load),
        case("f4E2M1x2", 4, Nd, NZ, Load),
        case("f4E2M1x2", 4, Dn, ZN, Load),
        case("f4E2M1x2", 4, Dn, NZ, Load),
        case("f8E8M0FNU", 8, MxAZz, ZZ_SCALES, Load),
        case("f8E8M0FNU", 8, MxAnd, ZZ_SCALES, Load),
        case("f8E8M0FNU", 8, MxAdn, ZZ_SCALES, Load),
        case("f8E8M0FNU", 8, MxBnn, NN_SCALES, Load),
        case("f8E8M0FNU", 8, MxBnd, NN_SCALES, Load),
        case("f8E8M0FNU", 8, MxBdn, NN_SCALES, Load),
        case("f32", 32, Nd, ND, Store("mat")),
        case("f16", 16, Nz, NZ, Store("mat")),
        case("f16", 16, Nd, NZ, Store("mat")),
        case("i8", 8, Nd, ZN, Store("mat")),
        case("f16", 16, Nd, ZN, Store("mat")),
        case("i8", 8, Nd, NZ, Store("mat")),
        case("f32", 32, Nd, NZ, Store("mat")),
        case("i8", 8, Dn, NZ, Store("mat")),
        case("f16", 16, Dn, NZ, Store("mat")),
        case("f32", 32, Nd, ACC, Store("acc")),
        case("f32", 32, Nz, ACC, Store("acc")),
        case("i8", 8, Nd, NZ, Move(LEFT)),
        case("f16", 16, Nd, NZ, Move(LEFT)),
        case("f32", 32, Nd, NZ, Move(LEFT)),
        case("i8", 8, Nd, NZ, Move(RIGHT)),
        case("f16", 16, Nd, NZ, Move(RIGHT)),
        case("f32", 32, Nd, NZ, Move(RIGHT)),
        case("i8", 8, Nd, ZN, Move(RIGHT)),
        case("f16", 16, Nd, ZN, Move(RIGHT)),
        case("f4E2M1x2", 4, Nd, NZ, Move(LEFT)),
        case("f4E2M1x2", 4, Nd, NZ, Move(RIGHT)),
        case("f4E2M1x2", 4, Nd, ZN, Move(RIGHT)),
    ];
    println!("microseconds for 64 KiB (moves of 4-bit numbers: 32 KiB), best of several runs\n");
    println!("| transfer | engine | plain copy | ratio |\n|---|---|---|---|");
    for case in cases {
        let (engine, copy) = times(&case);
        let order = case.tile.replace("blayout=", "").replace("slayout=", "");
        let (verb, other) = case.way.words();
        let way = match case.way {
            Move(_) => format!("{order} to {}", other.replace("blayout=", "").replace("slayout=", "")),
            _ => format!("{} {other} {order}", case.global.name()),
        };
        println!("| {verb} {} {way} | {engine:.2} | {copy:.2} | {:.2} |", case.elem, engine / copy);
    }
}

/// What a transfer takes, and a copy of as many bytes.
fn times(case: &Case) -> (f64, f64) {
    let (module, _) = pto_syntax::parse(&program(case));
    let target = if matches!(case.way, Store("mat")) { Target::Cpu } else { case.target };
    let checked = pto_check::check(module, target).unwrap_or_else(|d| panic!("{d:?}"));
    let plan = Plan::new(&checked, None, Options::default()).unwrap_or_else(|d| panic!("{d:?}"));
    let bytes = (ROWS * case.cols * case.bits / 8) as usize;
    let mut data = vec![1u8; bytes];
    let (from, mut to) = (vec![1u8; bytes], vec![0u8; bytes]);
    let (mut engine, mut copy) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..15 {
        engine = engine.min(time(|| {
            let mut args = [Arg::write_bytes(&mut data), Arg::Int(ITERATIONS)];
            plan.launch().threads(1).run(&mut args).expect("it runs");
        }));
        copy = copy.min(time(|| {
            for _ in 0..ITERATIONS {
                std::hint::black_box(&mut to).copy_from_slice(std::hint::black_box(&from));
            }
        }));
    }
    (engine, copy)
}

/// Microseconds for one iteration.
fn time(mut run: impl FnMut()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e6 / ITERATIONS as f64
}

/// A loop around one transfer.
fn program(case: &Case) -> String {
    let Case { elem, cols, global, tile, .. } = case;
    let dtype = pto_isa::DType::parse(elem).expect("an element type");
    let (shape, strides) = global.packed(ROWS, *cols, dtype).expect("it divides");
    let mut text = format!("func.func @main(%p: !pto.ptr<{elem}>, %n: index) {{\n");
    for (k, (extent, stride)) in shape.iter().zip(strides).enumerate() {
        let _ = writeln!(text, "  %d{k} = arith.constant {extent} : index\n  %s{k} = arith.constant {stride} : index");
    }
    let list = |stem: &str| (0..5).map(|k| format!("%{stem}{k}")).collect::<Vec<_>>().join(", ");
    let dims = shape.map(|n| n.to_string()).join("x");
    let view = format!("!pto.tensor_view<{dims}x{elem}>");
    let memory = if let Store(memory) = case.way { memory } else { "mat" };
    let tile = format!("!pto.tile_buf<{memory}, {ROWS}x{cols}x{elem}, {tile}>");
    let layout = global.name().to_ascii_lowercase();
    let mut other = String::new();
    let work = match case.way {
        Load => format!("pto.tload ins(%v : {view}) outs(%t : {tile})"),
        Store(_) => format!("pto.tstore ins(%t : {tile}) outs(%v : {view})"),
        Move(to) => {
            let (memory, order) = to.split_once(", ").expect("a memory and an order");
            let to = format!("!pto.tile_buf<{memory}, {ROWS}x{cols}x{elem}, {order}>");
            let _ = writeln!(other, "  %o = pto.alloc_tile : {to}");
            format!("pto.tmov ins(%t : {tile}) outs(%o : {to})")
        }
    };
    let _ = write!(
        text,
        "  %v = pto.make_tensor_view %p, shape = [{}], strides = [{}] {{layout = #pto.layout<{layout}>}} : {view}\n  \
         %t = pto.alloc_tile : {tile}\n{other}  %zero = arith.constant 0 : index\n  %one = arith.constant 1 : index\n  \
         scf.for %i = %zero to %n step %one {{\n    {work}\n  }}\n  return\n}}\n",
        list("d"),
        list("s"),
    );
    text
}
