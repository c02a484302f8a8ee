//! Whole programs: the examples on the engine, against NumPy and against loops written by hand, in one run.
//!
//! `cargo bench -p pto --bench programs`, or `… -- attention` for the programs whose names contain that. NumPy takes part when `python3` (or the interpreter in `PTO_PYTHON`) has it; then
//! the results of the engine are compared with its, on the same data, and the bench fails where they differ too much.
//! Times are the best of several runs; the ratios are what counts. The engine and NumPy take turns, because other users of the machine come and go.

mod by_hand;
mod cases;
mod overhead;

use by_hand::ByHand;
use cases::{CASES, Case, Param};
use pto::cpu::{Arg, Options, Plan};
use pto::{Program, Target};
use std::path::Path;
use std::process::{Command, ExitCode};

const ROWS: usize = 4096;
const COLS: usize = 1024;
const LENGTH: usize = 1 << 24;

const RUNS: u32 = 6;
/// How often the engine and NumPy take turns.
const ROUNDS: u32 = 8;

/// The shortest of several runs, in milliseconds.
fn best(run: impl FnMut()) -> f64 {
    pto_testkit::timing::best(RUNS, run).as_secs_f64() * 1e3
}

fn main() -> ExitCode {
    let data = tempfile::tempdir().expect("a place for data");
    let wanted = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    let cases: Vec<&Case> = CASES.iter().filter(|case| case.name.contains(&wanted)).collect();
    println!("milliseconds, best of several runs; `by hand`: plain Rust loops, one thread; NumPy: one thread\n");
    println!(
        "| program | 1 block | 2 blocks | by hand | NumPy | NumPy / 1 block | 1 block / 2 blocks | largest error | of |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut wrong = Vec::new();
    for case in cases {
        let (times, numpy) = in_turns(case, data.path());
        println!("{}", line(case, &times, numpy.as_ref()));
        wrong.extend(numpy.filter(|n| !n.close(case.tolerance)).map(|n| (case, n)));
    }
    if wanted.is_empty() {
        overhead::print();
    }
    for (case, numpy) in &wrong {
        eprintln!("{}: {:e} from NumPy, where numbers go up to {}", case.name, numpy.error, numpy.largest);
    }
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What a program takes, in milliseconds.
#[derive(Clone, Copy)]
struct Times {
    one: f64,
    two: Option<f64>,
    by_hand: Option<f64>,
}

impl Times {
    /// The shorter ones.
    fn or(self, other: Self) -> Self {
        let shorter = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a.min(b));
        Self {
            one: self.one.min(other.one),
            two: shorter(self.two, other.two),
            by_hand: shorter(self.by_hand, other.by_hand),
        }
    }
}

/// The engine and NumPy, the shortest times of each.
fn in_turns(case: &Case, data: &Path) -> (Times, Option<InNumPy>) {
    let turn = |_| (measure(case, data), in_numpy(data, case));
    let shorter = |(times, numpy): (Times, Option<InNumPy>), (next, again): (Times, Option<InNumPy>)| {
        (times.or(next), numpy.zip(again).map(|(a, b)| InNumPy { time: a.time.min(b.time), ..a }))
    };
    (0..ROUNDS).map(turn).reduce(shorter).expect("a round")
}

fn line(case: &Case, times: &Times, numpy: Option<&InNumPy>) -> String {
    let ms = |x: Option<f64>| x.map_or("–".to_string(), |x| format!("{x:.2}"));
    let small = |x: Option<f64>| x.map_or("–".to_string(), |x| if x == 0.0 { "0".into() } else { format!("{x:.1e}") });
    let ratio = ms(numpy.map(|n| n.time / times.one));
    let columns = [
        ms(Some(times.one)),
        ms(times.two),
        ms(times.by_hand),
        ms(numpy.map(|n| n.time)),
        ratio,
        ms(times.two.map(|two| times.one / two)),
        small(numpy.map(|n| n.error)),
        numpy.map_or("–".to_string(), |n| format!("{:.3}", n.largest)),
    ];
    format!("| {} | {} |", case.name, columns.join(" | "))
}

fn measure(case: &Case, data: &Path) -> Times {
    let plan = plan(case.file);
    let mut memory = Memory::new(case);
    let one = best(|| memory.run(&plan, 1));
    let two = case.blocks.then(|| best(|| memory.run(&plan, 2)));
    memory.save(data).expect("data can be written");
    Times { one, two, by_hand: case.by_hand.map(|work| by_hand_time(case, work)) }
}

fn by_hand_time(case: &Case, work: ByHand) -> f64 {
    let numbers = |(at, param): (usize, &Param)| match param {
        Param::F32(count, _) => cases::numbers(*count, at),
        Param::Out(bytes) => vec![0.0; bytes / 4],
        _ => Vec::new(),
    };
    let mut inputs: Vec<Vec<f32>> = case.params.iter().enumerate().map(numbers).filter(|n| !n.is_empty()).collect();
    let mut out = inputs.pop().unwrap_or_default();
    best(|| work(&inputs, std::hint::black_box(&mut out)))
}

fn plan(file: &str) -> Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file).with_extension("pto");
    let program = Program::parse(&std::fs::read_to_string(path).expect("the example is there"));
    let target = program.stated_target().unwrap_or(Target::A2A3);
    program.plan(target, None, Options::default()).expect("the example runs")
}

/// The arguments of every rank.
struct Memory<'a> {
    case: &'a Case,
    ranks: Vec<Vec<Vec<u8>>>,
}

impl<'a> Memory<'a> {
    fn new(case: &'a Case) -> Self {
        let bytes = |rank: usize| case.params.iter().enumerate().map(move |(at, p)| p.bytes(at + 100 * rank)).collect();
        Self { case, ranks: (0..case.ranks).map(bytes).collect() }
    }

    fn run(&mut self, plan: &Plan, blocks: u32) {
        let case = self.case;
        let mut args: Vec<Arg> = Vec::new();
        for (rank, memory) in self.ranks.iter_mut().enumerate() {
            let own = case.params.iter().zip(memory).map(|(param, bytes)| param.arg(bytes, rank));
            args.extend(own.chain(others(plan, case.params.len())));
        }
        let launch = plan.launch().blocks(blocks).threads(blocks as usize).ranks(case.ranks);
        launch.run(&mut args).expect("it runs");
    }

    /// Writes everything to files, named by the program, the rank and the argument.
    fn save(&self, data: &Path) -> std::io::Result<()> {
        for (rank, memory) in self.ranks.iter().enumerate() {
            for (at, bytes) in memory.iter().enumerate() {
                let of = if self.ranks.len() > 1 { format!("@{rank}") } else { String::new() };
                std::fs::write(data.join(format!("{}{of}.{at}.bin", self.case.file)), bytes)?;
            }
        }
        Ok(())
    }
}

/// The memory of other ranks, which the parameters after the first ones name.
fn others(plan: &Plan, own: usize) -> Vec<Arg<'static>> {
    let names: Vec<&str> = plan.params().iter().map(|p| &*p.name).collect();
    let remote = |name: &&str| {
        let (of, rank) = name.rsplit_once("_at_").expect("memory of another rank");
        let param = names.iter().position(|n| *n == of).expect("a parameter");
        Arg::Remote { rank: rank.parse().expect("a rank"), param }
    };
    names[own..].iter().map(remote).collect()
}

/// A program in NumPy: its time, and how far the engine is from its result.
struct InNumPy {
    time: f64,
    error: f64,
    /// The largest number of the result.
    largest: f64,
}

impl InNumPy {
    fn close(&self, tolerance: f64) -> bool {
        self.error <= tolerance * self.largest
    }

    fn read(line: &str) -> Option<Self> {
        let mut parts = line.split('|').skip(1);
        let mut number = || parts.next()?.parse().ok();
        Some(Self { time: number()?, error: number()?, largest: number()? })
    }
}

/// What NumPy says, where there is one.
fn in_numpy(data: &Path, case: &Case) -> Option<InNumPy> {
    let python = std::env::var("PTO_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let mut command = Command::new(python);
    command.args(["-c", include_str!("in_numpy.py")]).arg(data).arg(case.file);
    let output = command.env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1").output();
    let output = output.ok()?;
    if !output.status.success() {
        eprintln!("without NumPy: {}", String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("no reason"));
    }
    String::from_utf8_lossy(&output.stdout).lines().find_map(InNumPy::read)
}
