//! Random programs that state no order get it: what is emitted for a device has no race, and computes the same.
//!
//! `RANDOM_EMITTED=10000` takes more programs, `RANDOM_SEED=7` others, `RANDOM_LENGTH=24` longer ones.

use pto::isa::{Code, DType, codes};
use pto::{Arg, Checked, Options, Plan, Program, Target, emit, opt, race};
use pto_testkit::random::Random;
use pto_testkit::{RunParam, Runnable, Runnables};

/// Programs for each device when nobody says how many.
const PROGRAMS: u64 = 50;
/// Statements of a program, about. Longer ones mostly have something that C++ does not.
const LENGTH: u64 = 8;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Bits of a number between 1 and 8, so that few programs stop.
fn element(dtype: DType, numbers: &mut Random) -> u64 {
    let n = 1 + numbers.next() % 8;
    match dtype {
        DType::F32 => u64::from((n as f32).to_bits()),
        DType::F16 => [0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800][n as usize - 1],
        DType::Bf16 => u64::from((n as f32).to_bits() >> 16),
        _ => n,
    }
}

fn memory(program: &Runnable, seed: u64) -> Vec<Vec<u8>> {
    let mut numbers = Random(seed);
    let mut make = |dtype: DType, elements: u64| {
        let bytes = dtype.bits().div_ceil(8) as usize;
        let one = |_| element(dtype, &mut numbers).to_le_bytes().into_iter().take(bytes).collect::<Vec<u8>>();
        (0..elements).flat_map(one).collect()
    };
    let data = |p: &RunParam| match p {
        RunParam::Input(d, n) | RunParam::Output(d, n) => make(*d, *n),
        RunParam::Tensor(d, [rows, cols]) => make(*d, rows * cols),
        RunParam::Tile(ty, _) => make(ty.dtype, ty.elements()),
        RunParam::Int(_) | RunParam::Float(_) => Vec::new(),
    };
    program.params.iter().map(data).collect()
}

fn arguments<'a>(program: &'a Runnable, memory: &'a mut [Vec<u8>]) -> Vec<Arg<'a>> {
    let one = |(param, bytes): (&'a RunParam, &'a mut Vec<u8>)| match param {
        RunParam::Int(n) => Arg::Int(*n),
        RunParam::Float(x) => Arg::Float(*x),
        RunParam::Input(..) => Arg::read_bytes(bytes),
        RunParam::Output(..) => Arg::write_bytes(bytes),
        RunParam::Tensor(_, shape) => Arg::write_bytes(bytes).shape(shape),
        RunParam::Tile(_, extents) => Arg::write_bytes(bytes).valid(extents.0, extents.1),
    };
    program.params.iter().zip(memory).map(one).collect()
}

/// What a program leaves in memory.
fn ran(program: &Runnable, checked: &Checked, start: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Code> {
    let plan = Plan::new(checked, None, Options::default()).map_err(|d| d.diagnostics()[0].code)?;
    let mut memory = start.to_vec();
    let launch = plan.launch().blocks(program.blocks).threads(1);
    launch.run(&mut arguments(program, &mut memory)).map_err(|d| d.diagnostics()[0].code)?;
    Ok(memory)
}

fn is_same(program: &Runnable, a: &[Vec<u8>], b: &[Vec<u8>]) -> bool {
    program.params.iter().enumerate().all(|(at, param)| {
        let RunParam::Output(dtype, _) = param else { return true };
        let bytes = dtype.bits().div_ceil(8) as usize;
        a[at].chunks(bytes).zip(b[at].chunks(bytes)).all(|(a, b)| pto_testkit::same::same(*dtype, a, b))
    })
}

/// What nothing orders. What a random program reads of tiles that nothing wrote, and where it puts tiles itself, is not the emitter's doing.
fn unordered(program: &Runnable, checked: &Checked, places_tiles: bool, start: &[Vec<u8>]) -> Vec<String> {
    let plan = Plan::new(checked, None, Options::default()).expect("it ran before");
    let mut memory = start.to_vec();
    // Blocks of a random program may write the same memory; that is the author's business.
    let check = race::Check::new(plan.launch()).sync(race::OrderedBy::Manual);
    let report = check.run(&mut arguments(program, &mut memory));
    let is_ours = |code: Code| match code {
        codes::RACE_UNWRITTEN | codes::GLOBAL_MISALIGNED => false,
        codes::RACE_FOREIGN => !places_tiles,
        _ => code.number() / 100 == codes::RACE_READ.number() / 100,
    };
    let findings = report.findings.iter().filter(|d| is_ours(d.code));
    findings.map(|d| format!("{}: {}", d.code, d.message)).collect()
}

fn emitted_in_order(target: Target) {
    let (count, first) = (number("RANDOM_EMITTED", PROGRAMS), number("RANDOM_SEED", 1));
    let mut maker = Runnables::new(target, pto::cpu::runs, |_| true);
    let (mut done, mut seed, mut wrong) = (0, first, Vec::new());
    while done < count && seed < first + 10 * count {
        seed += 1;
        let program = maker.program(seed, number("RANDOM_LENGTH", LENGTH) as usize);
        let Ok(checked) = Program::parse(&program.text).check(target) else { continue };
        if opt::sync::states_order(checked.module()) {
            continue;
        }
        // Tiles that do not fit, and operations without C++, have tests of their own.
        let Ok(emitted) = emit::emit(&checked, &emit::Options::default()) else { continue };
        let start = memory(&program, seed);
        let Ok(expected) = ran(&program, &checked, &start) else { continue };
        done += 1;
        let placed = Plan::new(&checked, None, Options::default()).is_ok_and(|plan| plan.places_tiles());
        let mut problems = unordered(&program, &emitted.program, placed, &start);
        if !ran(&program, &emitted.program, &start).is_ok_and(|found| is_same(&program, &expected, &found)) {
            problems.push("it computes something else".to_string());
        }
        problems.extend(emitted.warnings().iter().map(|d| d.message.clone()));
        if !problems.is_empty() {
            wrong.push(format!("seed {seed}: {}\n{}", problems.join("; "), program.text));
        }
    }
    assert!(wrong.is_empty(), "{} of {done} on {target}:\n{}", wrong.len(), wrong[0]);
    assert!(done == count, "only {done} of {count} programs could be emitted and run");
}

#[test]
fn random_programs_for_a2a3_are_emitted_in_order() {
    emitted_in_order(Target::A2A3);
}

#[test]
fn random_programs_for_a5_are_emitted_in_order() {
    emitted_in_order(Target::A5);
}
