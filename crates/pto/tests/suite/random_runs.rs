//! Random programs give the same bits in the engine and in the plain interpreter.
//!
//! Every program runs with fast and with plain kernels, on one and on two threads, and observed. `RANDOM_PROGRAMS=100000`
//! runs more, `RANDOM_SEED=7` others; a seed that failed is run alone with `RANDOM_PROGRAMS=1`. `RANDOM_SHOW=1` shows
//! programs that are not legal and instructions that no program has.

use super::without_results::EventLog;
use pto::cpu::{Arg, Event, Numerics, Observer, Options, Plan, Uninitialised};
use pto::isa::fill::Filling;
use pto::isa::{Code, DType, Op, TileType, Type, codes, table};
use pto::{Checked, Program, Target, opt};
use pto_testkit::plain::PlainArgument;
use pto_testkit::random::Random;
use pto_testkit::{RunParam, Runnable, Runnables};
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Programs when nobody says how many.
const PROGRAMS: u64 = 150;
/// Programs that differ before there are enough of them.
const MOST_PROBLEMS: usize = 20;
/// In place of a number of threads: one, and somebody looks on.
const OBSERVED: usize = usize::MAX;
/// Statements of a program, about.
const LENGTH: usize = 24;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Integer divisions and gathers mostly end a program, since tiles of random numbers have zeros, and indices that name
/// nothing; a few are enough.
fn mostly_stops(filling: &Filling) -> bool {
    const DIVISIONS: [&str; 9] =
        ["tdiv", "tdivs", "trem", "trems", "tfmod", "tfmods", "trecip", "trowexpanddiv", "tcolexpanddiv"];
    let int = |(_, ty): &(u8, Type)| ty.tile().is_some_and(|t| t.dtype.is_int());
    let divides = DIVISIONS.contains(&filling.op.row().name) && filling.types.iter().any(int);
    divides || goes_by_place(filling)
}

/// Indices are places in a tile, whether they are valid or not.
fn goes_by_place(filling: &Filling) -> bool {
    ["tgather", "tgatherb"].contains(&filling.op.row().name)
}

/// The instruction reads elements that nothing wrote, so that there is no right result.
fn reads_anything(filling: &Filling) -> bool {
    let row = filling.op.row();
    let valid = |t: &TileType| t.valid_rows.fixed() == Some(t.rows) && t.valid_cols.fixed() == Some(t.cols);
    let partly =
        |(slot, ty): &(u8, Type)| row.slot_at(usize::from(*slot)).name == "src" && ty.tile().is_some_and(|t| !valid(t));
    goes_by_place(filling) && filling.types.iter().any(partly)
}

/// The instruction writes as much as its sources have, and what else is valid in `dst` holds anything; or it writes while it
/// reads, and a random program may have put its tiles over each other.
fn leaves_parts(filling: &Filling) -> bool {
    ["tconcat", "tconcatidx", "ttrans", "tinterleave", "tdeinterleave"].contains(&filling.op.row().name)
}

fn maker(target: Target) -> Runnables {
    let stops = Cell::new(0);
    Runnables::new(target, pto::cpu::runs, move |filling| {
        if mostly_stops(filling) {
            stops.set(stops.get() + 1);
        }
        let rare = mostly_stops(filling) && stops.get() % 6 != 0;
        !rare && !reads_anything(filling) && !leaves_parts(filling)
    })
}

// ---- data -----------------------------------------------------------------------------------------------------------

/// Bits of an element: mostly ordinary, often at the edge of something.
fn element(dtype: DType, numbers: &mut Random) -> u64 {
    let n = numbers.next();
    let (kind, rest) = (n % 16, n >> 8);
    if dtype.is_int() {
        let bits = dtype.bits();
        return match kind {
            0..3 => rest,
            3 => 0,
            4 => u64::MAX,
            5 => 1 << (bits - 1),
            6 => (1 << (bits - 1)) - 1,
            7 => rest % 8,
            _ => 1 + rest % 100,
        };
    }
    let pick = |list: &[u32]| u64::from(list[rest as usize % list.len()]);
    match dtype {
        DType::F32 => match kind {
            0 => pick(&[0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffc0_1234, 0x7f80_0001]),
            1 => rest & 0x807f_ffff,
            2 => rest & 0xffff_ffff,
            3 => pick(&[0x7f7f_ffff, 0x0080_0000, 0x3f80_0000, 0xbf80_0000, 0x4f00_0000, 0x477f_e000]),
            4..8 => u64::from(((rest % 33) as f32 - 16.0).to_bits()),
            _ => u64::from(((rest % 4_000_001) as f32 / 65_536.0 - 30.0).to_bits()),
        },
        DType::F16 => match kind {
            0 => pick(&[0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01]),
            1 => rest & 0x83ff,
            2 => rest & 0xffff,
            _ => pick(&[0x3c00, 0xbc00, 0x4000, 0x3555, 0x4248, 0x5640, 0xd640, 0x2e66, 0x7bff, 0x0400]),
        },
        DType::Bf16 => match kind {
            0 => pick(&[0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81]),
            1 => rest & 0x807f,
            2 => rest & 0xffff,
            _ => pick(&[0x3f80, 0xbf80, 0x4000, 0x3eab, 0x4049, 0x42c8, 0xc2c8, 0x3dcd, 0x7f7f, 0x0080]),
        },
        _ => rest,
    }
}

/// Elements to take data from, by type: making them takes longer than running a program.
#[derive(Default)]
struct Pool(HashMap<DType, Vec<u8>>);

/// Elements of a type in the pool; more than an argument has, so that arguments differ.
const POOL_ELEMENTS: u64 = 20_000;

impl Pool {
    fn take(&mut self, dtype: DType, elements: u64, numbers: &mut Random) -> Vec<u8> {
        let bytes = dtype.bits().div_ceil(8) as usize;
        let all = self.0.entry(dtype).or_insert_with(|| {
            let mut numbers = Random(dtype as u64);
            (0..POOL_ELEMENTS)
                .flat_map(|_| element(dtype, &mut numbers).to_le_bytes().into_iter().take(bytes))
                .collect()
        });
        let (mut at, need) = ((numbers.next() % POOL_ELEMENTS) as usize * bytes, elements as usize * bytes);
        let mut taken = Vec::with_capacity(need);
        while taken.len() < need {
            let end = all.len().min(at + need - taken.len());
            taken.extend_from_slice(&all[at..end]);
            at = 0;
        }
        taken
    }
}

/// What one run starts with, or leaves behind.
#[derive(Clone)]
struct Memory(Vec<Vec<u8>>);

fn memory(program: &Runnable, seed: u64, pool: &mut Pool) -> Memory {
    let mut numbers = Random(seed ^ 0x5851_f42d_4c95_7f2d);
    let data = |p: &RunParam| match p {
        RunParam::Input(d, n) | RunParam::Output(d, n) => pool.take(*d, *n, &mut numbers),
        RunParam::Tensor(d, [rows, cols]) => pool.take(*d, rows * cols, &mut numbers),
        RunParam::Tile(ty, _) => pool.take(ty.dtype, ty.elements(), &mut numbers),
        RunParam::Int(_) | RunParam::Float(_) => Vec::new(),
    };
    Memory(program.params.iter().map(data).collect())
}

/// The first element that differs.
fn difference(program: &Runnable, expected: &Memory, found: &Memory) -> Option<String> {
    for (at, param) in program.params.iter().enumerate() {
        let dtype = match param {
            RunParam::Output(d, _) => d,
            RunParam::Tile(ty, _) => &ty.dtype,
            _ => continue,
        };
        let bytes = dtype.bits().div_ceil(8) as usize;
        let pairs = expected.0[at].chunks(bytes).zip(found.0[at].chunks(bytes));
        for (element, (e, f)) in pairs.enumerate() {
            if !pto_testkit::same::same(*dtype, e, f) {
                return Some(format!("%p{at} ({dtype}), element {element}: {f:02x?}, expected {e:02x?}"));
            }
        }
    }
    None
}

// ---- runs -----------------------------------------------------------------------------------------------------------

type Outcome = (Result<(), Code>, Memory);

fn interpret(program: &Runnable, checked: &Checked, start: &Memory, numerics: Numerics) -> Outcome {
    let argument = |(param, bytes): (&RunParam, &Vec<u8>)| match param {
        RunParam::Input(..) => PlainArgument::Buffer { bytes: bytes.clone(), writable: false },
        RunParam::Output(..) => PlainArgument::Buffer { bytes: bytes.clone(), writable: true },
        RunParam::Tensor(_, shape) => PlainArgument::Tensor { bytes: bytes.clone(), shape: shape.to_vec() },
        RunParam::Tile(_, extents) => PlainArgument::Tile { bytes: bytes.clone(), extents: *extents },
        RunParam::Int(n) => PlainArgument::Int(*n),
        RunParam::Float(x) => PlainArgument::Float(*x),
    };
    let mut args: Vec<PlainArgument> = program.params.iter().zip(&start.0).map(argument).collect();
    let done = pto_testkit::plain::run(checked, &mut args, program.blocks, numerics);
    let bytes = |arg: PlainArgument| match arg {
        PlainArgument::Buffer { bytes, .. }
        | PlainArgument::Tensor { bytes, .. }
        | PlainArgument::Tile { bytes, .. } => bytes,
        PlainArgument::Int(_) | PlainArgument::Float(_) => Vec::new(),
    };
    (done, Memory(args.into_iter().map(bytes).collect()))
}

/// Nobody, looking on.
struct Nobody;

impl Observer for Nobody {
    fn event(&mut self, _: &Event<'_>) {}
}

fn run(program: &Runnable, plan: &Plan, start: &Memory, threads: usize) -> Outcome {
    let mut memory = start.clone();
    let mut args: Vec<Arg> = program.params.iter().zip(&mut memory.0).map(|(p, bytes)| argument(p, bytes)).collect();
    let launch = plan.launch().blocks(program.blocks);
    let done = match threads {
        OBSERVED => launch.observe(&mut Nobody).run(&mut args),
        _ => launch.threads(threads).shares_small_blocks().run(&mut args),
    };
    drop(args);
    (done.map(drop).map_err(|problem| problem.diagnostics()[0].code), memory)
}

fn argument<'a>(param: &'a RunParam, bytes: &'a mut [u8]) -> Arg<'a> {
    match param {
        RunParam::Int(n) => Arg::Int(*n),
        RunParam::Float(x) => Arg::Float(*x),
        RunParam::Input(..) => Arg::read_bytes(bytes),
        RunParam::Output(..) => Arg::write_bytes(bytes),
        RunParam::Tensor(_, shape) => Arg::write_bytes(bytes).shape(shape),
        RunParam::Tile(_, extents) => Arg::write_bytes(bytes).valid(extents.0, extents.1),
    }
}

/// How a program ended everywhere.
enum Verdict {
    Ran,
    Failed(Code),
}

const PANIC: &str = "the interpreter panicked";

fn compare(program: &Runnable, checked: &Checked, seed: u64, start: &Memory) -> Result<Verdict, String> {
    let numerics = [Numerics::Reference, Numerics::Reference, Numerics::A2A3, Numerics::A5][seed as usize % 4];
    let interpreted = catch_unwind(AssertUnwindSafe(|| interpret(program, checked, start, numerics)));
    let (mut expected, mut left) = interpreted.map_err(|_| PANIC.to_string())?;
    let plan = |plain| {
        Plan::new(checked, None, Options::default().numerics(numerics).plain(plain))
            .map_err(|d| format!("no plan: {}", d.diagnostics()[0].message))
    };
    let (fast, plain) = (plan(false)?, plan(true)?);
    // Devices go on where a source is valid in too little, and read what may be anything: then runs only agree with each other.
    if numerics != Numerics::Reference && expected == Err(codes::VALID_REGION) {
        (expected, left) = run(program, &fast, start, 1);
    }
    for (plan, kernels, threads) in
        [(&fast, "fast", 1), (&plain, "plain", 1), (&fast, "fast", 2), (&fast, "fast", OBSERVED)]
    {
        let threads_text = if threads == OBSERVED { "observed".to_string() } else { format!("{threads} threads") };
        let how = format!("{kernels} kernels, {threads_text}, {numerics:?}");
        let ran = catch_unwind(AssertUnwindSafe(|| run(program, plan, start, threads)));
        let (done, found) = ran.map_err(|_| format!("{how}: the engine panicked"))?;
        if done != expected {
            return Err(format!("{how}: ends with {done:?}, expected {expected:?}"));
        }
        // When one block fails, others may have run or not: on other threads, or in turns, of which an observer sees shorter ones.
        let in_turns = plan.launch().blocks(program.blocks).runs_together();
        let others_run = threads == 2 || threads == OBSERVED && in_turns;
        if (expected.is_ok() || !others_run)
            && let Some(difference) = difference(program, &left, &found)
        {
            return Err(format!("{how}: {difference}"));
        }
    }
    // Two more runs of each program would be most of the time.
    if seed.is_multiple_of(4) || number("RANDOM_PROGRAMS", PROGRAMS) > PROGRAMS {
        same_events(program, &fast, start)?;
    }
    if expected.is_ok() {
        same_when_lowered(program, checked, numerics, start, &left)?;
        same_whatever_memory_holds(program, checked, numerics, start, &left)?;
    }
    Ok(expected.map_or_else(Verdict::Failed, |()| Verdict::Ran))
}

/// Observers are told the same if numbers that decide nothing are not computed, and the run ends the same way.
fn same_events(program: &Runnable, plan: &Plan, start: &Memory) -> Result<(), String> {
    let told = |computes: bool| {
        let mut memory = start.clone();
        let mut args: Vec<Arg> =
            program.params.iter().zip(&mut memory.0).map(|(p, bytes)| argument(p, bytes)).collect();
        let mut events = EventLog::default();
        let launch = plan.launch().blocks(program.blocks).observe(&mut events);
        let done = if computes { launch.run(&mut args) } else { launch.run_without_results(&mut args) };
        (done.map(drop).map_err(|problem| problem.diagnostics()[0].clone()), events.0)
    };
    let (with, without) = (told(true), told(false));
    if with == without { Ok(()) } else { Err(format!("without results: {:?}, expected {:?}", without.0, with.0)) }
}

/// The same numbers with addresses and flags, where there is room for the tiles.
fn same_when_lowered(
    program: &Runnable,
    checked: &Checked,
    numerics: Numerics,
    start: &Memory,
    left: &Memory,
) -> Result<(), String> {
    let Ok(low) = opt::lower(checked, opt::plan::Options::default(), opt::SyncMode::Minimal) else { return Ok(()) };
    let plan = Plan::new(&low.program, None, Options::default().numerics(numerics))
        .map_err(|d| format!("lowered: {}", d.diagnostics()[0].message))?;
    let (done, found) = run(program, &plan, start, 1);
    match (done, difference(program, left, &found)) {
        (Ok(()), None) => Ok(()),
        (done, difference) => Err(format!("lowered: {done:?} {}", difference.unwrap_or_default())),
    }
}

/// A program that reads only what it has written, as far as the engine notices, computes the same when memory holds NaN at the start.
fn same_whatever_memory_holds(
    program: &Runnable,
    checked: &Checked,
    numerics: Numerics,
    start: &Memory,
    left: &Memory,
) -> Result<(), String> {
    let options = Options::default().numerics(numerics).uninitialised(Uninitialised::Nan);
    let plan = Plan::new(checked, None, options).map_err(|d| format!("no plan: {}", d.diagnostics()[0].message))?;
    let mut memory = start.clone();
    let mut args: Vec<Arg> = program.params.iter().zip(&mut memory.0).map(|(p, bytes)| argument(p, bytes)).collect();
    let done = plan.launch().blocks(program.blocks).threads(1).run(&mut args);
    drop(args);
    let strict = Plan::new(checked, None, options.strict(true))
        .map_err(|d| format!("no plan: {}", d.diagnostics()[0].message))?;
    let stops = run(program, &strict, start, 1).0 == Err(codes::RUN_UNWRITTEN);
    // What is anything may be an index or a divisor.
    let notices = done.as_ref().map_or(stops, |report| report.notes.iter().any(|n| n.code == codes::RUN_UNWRITTEN));
    match (notices, done) {
        _ if notices != stops => Err(format!("strict: stops {stops}, warns {notices}")),
        (true, _) => Ok(()),
        (false, Err(problem)) => Err(format!("with NaN in memory: {}", problem.diagnostics()[0].message)),
        (false, Ok(_)) => {
            difference(program, left, &memory).map_or(Ok(()), |d| Err(format!("with NaN in memory: {d}")))
        }
    }
}

/// Makes a failing program smaller.
fn reduced(program: &Runnable, target: Target, seed: u64, start: &Memory) -> Runnable {
    std::panic::set_hook(Box::new(|_| {}));
    let fails = |text: &str| {
        let smaller = Runnable { text: text.to_string(), ..program.clone() };
        let parsed = Program::parse(text);
        parsed.check(target).is_ok_and(|checked| compare(&smaller, &checked, seed, start).is_err_and(|e| e != PANIC))
    };
    let text = pto_testkit::plain::reduce::reduce(&program.text, fails);
    drop(std::panic::take_hook());
    Runnable { text, ..program.clone() }
}

fn report(program: &Runnable, target: Target, seed: u64, problem: &str) -> String {
    let path = std::env::temp_dir().join(format!("random-run-{target}-{seed}.pto"));
    let saved = std::fs::write(&path, &program.text).is_ok();
    let used = |at: &usize| program.text.matches(&format!("%p{at}")).count() > 1;
    let params: Vec<String> =
        (0..program.params.len()).filter(used).map(|at| format!("%p{at} = {:?}", program.params[at])).collect();
    let place = if saved { format!("saved to {}", path.display()) } else { program.text.clone() };
    format!("seed {seed} on {target}: {problem}\n{} blocks; {}\n{place}", program.blocks, params.join(", "))
}

/// Instructions that run and that no program had.
fn unused(seen: &HashSet<Op>) -> String {
    let names = table::isa().filter(|op| pto::cpu::runs(*op) && !seen.contains(op)).map(|op| op.row().name);
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn random_programs_run_as_the_plain_interpreter_says() {
    let (count, first) = (number("RANDOM_PROGRAMS", PROGRAMS), number("RANDOM_SEED", 1));
    let show = number("RANDOM_SHOW", 0) == 1;
    let mut makers: Vec<(Target, Runnables)> = Target::ALL.into_iter().map(|t| (t, maker(t))).collect();
    let (mut pool, mut seen) = (Pool::default(), HashSet::new());
    let (mut ran, mut failed, mut illegal, mut problems) = (0, BTreeMap::new(), 0, Vec::new());
    for seed in first..first + count {
        let (target, maker) = &mut makers[seed as usize % Target::ALL.len()];
        let program = maker.program(seed, LENGTH);
        let parsed = Program::parse(&program.text);
        let checked = match parsed.check(*target) {
            Ok(checked) => checked,
            Err(found) => {
                illegal += 1;
                if show {
                    println!(
                        "{}",
                        report(
                            &program,
                            *target,
                            seed,
                            &format!("{}: {}", found.diagnostics()[0].code, found.diagnostics()[0].message)
                        )
                    );
                }
                continue;
            }
        };
        seen.extend(checked.module().order().iter().map(|id| checked.module().op(*id).op));
        let start = memory(&program, seed, &mut pool);
        match compare(&program, &checked, seed, &start) {
            Ok(Verdict::Ran) => ran += 1,
            Ok(Verdict::Failed(code)) => *failed.entry(code.id()).or_insert(0) += 1,
            Err(problem) => {
                println!("{}", report(&reduced(&program, *target, seed, &start), *target, seed, &problem));
                problems.push(seed);
            }
        }
        if problems.len() >= MOST_PROBLEMS {
            break;
        }
    }
    println!("{ran} programs ran, {failed:?} failed as they should, {illegal} were not legal");
    if show {
        println!("not used: {}", unused(&seen));
    }
    assert!(problems.is_empty(), "seeds {problems:?} differ");
    assert!(illegal * 20 <= count, "{illegal} of {count} programs are not legal");
}
