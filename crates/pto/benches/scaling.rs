//! How time grows with the size of a problem, and what more threads bring.
//!
//! `cargo bench -p pto --bench scaling`, or with `-- --threads 16` (two, if it is not said). Programs for each size are made from the examples, or
//! here; as many blocks as threads share the work, or one block whose loops the threads share, on one thread and on all. `time / order` is the time divided by what the algorithm needs for
//! this size, where the smallest size is 1: it stays near 1 as long as time grows no faster than the algorithm says. The first table is what threads
//! bring that touch no memory and do not wait for each other: the limit of the machine.

use pto::cpu::{Arg, Options, Plan};
use pto::{Program, Target};
use pto_num::{Bf16, CpuLevel, Level, LevelKernel, dispatch};
use pto_testkit::timing::best;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

const RUNS: u32 = 15;

/// A problem that comes in sizes.
struct Problem {
    name: &'static str,
    /// The order of the algorithm, in words and as a function.
    order: (&'static str, fn(f64) -> f64),
    sizes: &'static [usize],
    /// There is one block, whatever the threads.
    one_block: bool,
    text: fn(usize) -> String,
    /// Bytes of each argument.
    memory: fn(usize) -> Vec<Vec<u8>>,
}

const PROBLEMS: [Problem; 4] = [
    Problem {
        name: "product of n x n matrices, f32",
        order: ("n³", |n| n * n * n),
        sizes: &[256, 512, 1024, 2048],
        one_block: false,
        text: product,
        memory: |n| vec![floats(n * n, 1), floats(n * n, 2), vec![0; n * n * 4]],
    },
    Problem {
        name: "product of n x n matrices, f32, one block",
        order: ("n³", |n| n * n * n),
        sizes: &[256, 512, 1024, 2048],
        one_block: true,
        text: product,
        memory: |n| vec![floats(n * n, 1), floats(n * n, 2), vec![0; n * n * 4]],
    },
    Problem {
        name: "attention of n tokens, heads of 64",
        order: ("n²", |n| n * n),
        sizes: &[512, 1024, 2048, 4096],
        one_block: false,
        text: attention,
        memory: |n| {
            let inputs = (1..4).map(|salt| halves(n * 64, salt));
            inputs.chain([vec![0; n * 64 * 4], Vec::new(), Vec::new(), Vec::new()]).collect()
        },
    },
    Problem {
        name: "sorting 64 rows of n numbers",
        order: ("n·log n", |n| n * n.log2()),
        sizes: &[128, 512, 2048, 8192],
        one_block: false,
        text: sort,
        memory: |n| vec![floats(ROWS * n, 1), vec![0; ROWS * n * 8]],
    },
];

fn main() -> ExitCode {
    // Cargo adds an argument of its own.
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let Some(many) = threads(&args) else {
        eprintln!("found `{}`; legal is `--threads N` with N from 1 to 1024", args.join(" "));
        return ExitCode::from(2);
    };
    println!("| multiply-adds in registers, f32 | 1 thread | {many} threads | {many} / 1 thread |\n|---|---|---|---|");
    let [one, all] = [1, many].map(arithmetic);
    println!("| billions of operations in a second | {one:.0} | {all:.0} | {:.2} |", all / one);
    for problem in &PROBLEMS {
        let (name, order) = (problem.name, problem.order.0);
        println!("\n| {name} | 1 thread | {many} threads | 1 / {many} threads | time / {order} |");
        println!("|---|---|---|---|---|");
        let mut smallest = None;
        for n in problem.sizes {
            let [one, all] = times(problem, *n, many);
            let unit = one / (problem.order.1)(*n as f64);
            let relative = unit / *smallest.get_or_insert(unit);
            println!("| {n} | {one:.2} ms | {all:.2} ms | {:.2} | {relative:.2} |", one / all);
        }
    }
    ExitCode::SUCCESS
}

/// How many threads the command line asks for, or two.
fn threads(args: &[String]) -> Option<u32> {
    match args {
        [] => Some(2),
        [option, count] if option == "--threads" => count.parse().ok().filter(|count| (1..=1024).contains(count)),
        _ => None,
    }
}

/// Milliseconds on one thread and on many.
fn times(problem: &Problem, n: usize, many: u32) -> [f64; 2] {
    let program = Program::parse(&(problem.text)(n));
    let plan: Plan = program.plan(Target::A2A3, None, Options::default()).expect("it runs");
    let mut memory = (problem.memory)(n);
    let blocks = if problem.one_block { 1 } else { many };
    [1, many].map(|threads| {
        let run = || {
            let mut args: Vec<Arg> = memory.iter_mut().map(|bytes| Arg::write_bytes(bytes)).collect();
            plan.launch().blocks(blocks).threads(threads as usize).run(&mut args).expect("it runs");
        };
        best(RUNS, run).as_secs_f64() * 1e3
    })
}

/// Multiply-adds whose operands stay in registers. The result is how many there were.
struct MultiplyAdds;

impl LevelKernel for MultiplyAdds {
    type Output = usize;

    #[inline(always)]
    fn run<L: Level>(self) -> usize {
        match L::CPU {
            CpuLevel::V4 => multiply_add::<256>(),
            _ => multiply_add::<96>(),
        }
    }
}

/// So many sums, which do not wait for each other.
#[inline(always)]
fn multiply_add<const SUMS: usize>() -> usize {
    const STEPS: usize = 2 << 20;
    let (a, b) = (black_box(0.999), black_box(0.001));
    let mut sums = [1.0f32; SUMS];
    for _ in 0..STEPS {
        for sum in &mut sums {
            *sum = sum.mul_add(a, b);
        }
    }
    black_box(sums);
    STEPS * SUMS
}

/// Billions of additions and multiplications in a second on so many threads.
fn arithmetic(threads: u32) -> f64 {
    let turn = || {
        let start = Instant::now();
        let done: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| dispatch(MultiplyAdds))).collect();
            threads.into_iter().map(|thread| thread.join().expect("it does not fail")).sum()
        });
        2.0 * done as f64 / start.elapsed().as_secs_f64() / 1e9
    };
    (0..5).map(|_| turn()).fold(0.0, f64::max)
}

fn numbers(count: usize, salt: usize) -> impl Iterator<Item = f32> {
    (0..count).map(move |i| ((i * 7919 + salt * 104_729) % 10_007) as f32 / 5003.0 - 1.0)
}

fn floats(count: usize, salt: usize) -> Vec<u8> {
    numbers(count, salt).flat_map(f32::to_le_bytes).collect()
}

fn halves(count: usize, salt: usize) -> Vec<u8> {
    numbers(count, salt).flat_map(|x| Bf16::from_f32(x).0.to_le_bytes()).collect()
}

/// A text with other numbers in it.
fn with(text: &str, changes: &[(&str, String)]) -> String {
    changes.iter().fold(text.to_string(), |text, (from, to)| {
        assert!(text.contains(from), "the example has `{from}`");
        text.replace(from, to)
    })
}

fn product(n: usize) -> String {
    let (down, across) = (n / 128, n / 256);
    with(
        include_str!("../../../examples/gemm.pto"),
        &[
            ("<1024x1024x", format!("<{n}x{n}x")),
            ("%n = arith.constant 1024", format!("%n = arith.constant {n}")),
            ("%last_slice = arith.constant 960", format!("%last_slice = arith.constant {}", n - 64)),
            ("%across = arith.constant 4", format!("%across = arith.constant {across}")),
            ("%parts = arith.constant 32", format!("%parts = arith.constant {}", down * across)),
        ],
    )
}

fn attention(n: usize) -> String {
    with(
        include_str!("../../../examples/flash_attention.pto"),
        &[
            ("<1024x64x", format!("<{n}x64x")),
            ("<64x1024x", format!("<64x{n}x")),
            ("%n = arith.constant 1024", format!("%n = arith.constant {n}")),
        ],
    )
}

const ROWS: usize = 64;

/// Every 32 numbers are sorted, then four lists at a time are merged until there is one.
fn sort(n: usize) -> String {
    let mut merges = String::new();
    let (mut from, mut to) = ("%a", "%b");
    let mut list = 32;
    while list < n {
        // Lengths of lists count words, and a record has two.
        merges += &format!(
            "%list_{list} = arith.constant {} : i32
             pto.tmrgsort ins({from}, %list_{list} : !records, i32) outs({to} : !records)\n",
            2 * list
        );
        (from, to) = (to, from);
        list *= 4;
    }
    format!(
        "!matrix = !pto.tensor_view<{ROWS}x{n}xf32>
         !in = !pto.partition_tensor_view<1x{n}xf32>
         !sorted = !pto.tensor_view<{ROWS}x{words}xf32>
         !out = !pto.partition_tensor_view<1x{words}xf32>
         !row = !pto.tile_buf<vec, 1x{n}xf32>
         !index = !pto.tile_buf<vec, 1x{n}xui32>
         !records = !pto.tile_buf<vec, 1x{words}xf32>
         func.func @sort(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {{pto.entry}} {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %rows = arith.constant {ROWS} : index
           %n = arith.constant {n} : index
           %words = arith.constant {words} : index
           %start = arith.constant 0 : ui32
           %xs = pto.make_tensor_view %x, shape = [%rows, %n], strides = [%n, %one] : !matrix
           %ys = pto.make_tensor_view %y, shape = [%rows, %words], strides = [%words, %one] : !sorted
           %numbers = pto.alloc_tile : !index
           %t = pto.alloc_tile : !row
           %a = pto.alloc_tile : !records
           %b = pto.alloc_tile : !records
           pto.tci ins(%start : ui32) outs(%numbers : !index)
           %block64 = pto.get_block_idx
           %blocks64 = pto.get_block_num
           %block = arith.index_cast %block64 : i64 to index
           %blocks = arith.index_cast %blocks64 : i64 to index
           scf.for %at = %block to %rows step %blocks {{
             %in = pto.partition_view %xs, offsets = [%at, %zero], sizes = [%one, %n] : !matrix -> !in
             %out = pto.partition_view %ys, offsets = [%at, %zero], sizes = [%one, %words] : !sorted -> !out
             pto.tload ins(%in : !in) outs(%t : !row)
             pto.tsort32 ins(%t, %numbers : !row, !index) outs(%a : !records)
             {merges}
             pto.tstore ins({from} : !records) outs(%out : !out)
           }}
           return
         }}",
        words = 2 * n
    )
}
