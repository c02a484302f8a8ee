//! Random programs whose cores, blocks and ranks talk to each other: none hangs, none panics, every deadlock is reported as
//! one, results are the same on every run, and programs that fit together give what was computed directly.
//!
//! `RANDOM_LINKS=100000` runs more of them, `RANDOM_SEED=7` others; a seed that failed is run alone with `RANDOM_LINKS=1`.

use super::links::{Case, Expected, Given, blocks, changes, pipes, ranks};
use pto::Program;
use pto::cpu::{Event, Observer, Options, Plan};
use pto_testkit::random::Random;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Programs when nobody says how many.
const PROGRAMS: u64 = 400;
/// Nobody waits longer for a program than this. They take milliseconds; a machine may be slow.
const PATIENCE: Duration = Duration::from_secs(60);

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn make(seed: u64) -> Case {
    let mut random = Random(seed);
    let mut case = match random.below(4) {
        0 | 1 => pipes::make(&mut random),
        2 => ranks::make(&mut random),
        _ => blocks::make(&mut random),
    };
    if random.once_in(3) {
        changes::change(&mut case, &mut random);
    }
    case
}

/// How a program ended: which problem it had, and what is in memory.
#[derive(PartialEq)]
struct Ended {
    code: Option<String>,
    memory: Vec<Vec<Vec<u8>>>,
}

/// Nobody, looking on.
struct Nobody;

impl Observer for Nobody {
    fn event(&mut self, _: &Event<'_>) {}
}

#[derive(Clone, Copy, Debug)]
enum How {
    Threads(usize),
    Observed,
}

fn run(case: &Case, plan: &Plan, how: How) -> Ended {
    let mut given = case.ranks.clone();
    let mut args: Vec<_> = given.iter_mut().flatten().map(Given::arg).collect();
    let launch = plan.launch().blocks(case.blocks).ranks(case.ranks.len());
    let done = match how {
        How::Threads(threads) => launch.threads(threads).run(&mut args),
        How::Observed => launch.observe(&mut Nobody).run(&mut args),
    };
    drop(args);
    let memory = |rank: Vec<Given>| {
        let bytes = rank.into_iter().filter_map(|g| if let Given::Memory(bytes) = g { Some(bytes) } else { None });
        bytes.collect()
    };
    Ended { code: done.err().map(|d| d.diagnostics()[0].code.id()), memory: given.into_iter().map(memory).collect() }
}

/// What became of a program: a word for the summary, or a problem.
fn judge(case: &Case) -> Result<String, String> {
    let program = Program::parse(&case.text);
    let plan = match program.plan(case.target, None, Options::default()) {
        Ok(plan) => plan,
        Err(found) => {
            let first = &found.diagnostics()[0];
            return match case.expected {
                Expected::Anything => Ok("not legal".into()),
                _ => Err(format!("not legal: {}: {}", first.code, first.message)),
            };
        }
    };
    let first = run(case, &plan, How::Threads(1));
    for how in [How::Threads(1), How::Threads(2), How::Observed] {
        let again = run(case, &plan, how);
        // When one block fails, others may have run or not.
        let comparable = first.code.is_none() || case.blocks == 1;
        if again.code != first.code || comparable && again.memory != first.memory {
            return Err(format!("{how:?}: ends with {:?} after {:?}, or differs", again.code, first.code));
        }
    }
    match (&case.expected, first.code.clone()) {
        (Expected::Values(..), Some(code)) => Err(format!("ends with {code}")),
        (Expected::Values(param, expected), None) => {
            let found = |rank: usize| &case_memory(case, &first, rank, *param)[..];
            match (0..expected.len()).find(|rank| found(*rank) != &expected[*rank][..]) {
                Some(rank) => Err(format!("wrong values on rank {rank}")),
                None => Ok("right values".into()),
            }
        }
        (Expected::Deadlock, Some(code)) if code == "PTO-E0712" => Ok("deadlock".into()),
        (Expected::Deadlock, code) => Err(format!("ends with {code:?} where nobody can go on")),
        (Expected::Anything, code) => Ok(code.unwrap_or("ran".into())),
    }
}

/// The memory of a parameter: only memory is kept, so parameters before it that are numbers do not count.
fn case_memory<'a>(case: &Case, ended: &'a Ended, rank: usize, param: usize) -> &'a Vec<u8> {
    let before = case.ranks[rank][..param].iter().filter(|g| matches!(g, Given::Memory(_))).count();
    &ended.memory[rank][before]
}

/// Judges a program on a thread of its own, so that one that hangs is noticed.
fn judged(case: Case) -> Result<String, String> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let verdict = catch_unwind(AssertUnwindSafe(|| judge(&case)));
        // Nobody listens any more when it took too long.
        let _ = send.send(verdict.unwrap_or_else(|_| Err("panics".into())));
    });
    receive.recv_timeout(PATIENCE).unwrap_or_else(|_| Err("hangs".into()))
}

#[test]
fn programs_that_talk_end_as_they_must() {
    let (count, first) = (number("RANDOM_LINKS", PROGRAMS), number("RANDOM_SEED", 1));
    let (mut ends, mut problems, mut longest) = (BTreeMap::new(), Vec::new(), (Duration::ZERO, 0));
    for seed in first..first + count {
        let (case, start) = (make(seed), Instant::now());
        let verdict = judged(case.clone());
        longest = longest.max((start.elapsed(), seed));
        match verdict {
            Ok(end) => *ends.entry(end).or_insert(0) += 1,
            Err(problem) => {
                let path = std::env::temp_dir().join(format!("random-links-{seed}.pto"));
                let place = match std::fs::write(&path, &case.text) {
                    Ok(()) => path.display().to_string(),
                    Err(_) => case.text.clone(),
                };
                println!("seed {seed}, {} blocks, {}: {problem}: {place}", case.blocks, case.target);
                problems.push(seed);
            }
        }
        if problems.len() >= 20 {
            break;
        }
    }
    println!("{ends:?}; the longest took {:.1?}, seed {}", longest.0, longest.1);
    assert!(problems.is_empty(), "seeds {problems:?}");
    let all: u64 = ends.values().sum();
    let told = ends.get("right values").unwrap_or(&0) + ends.get("deadlock").unwrap_or(&0);
    assert!(told * 3 >= all, "only {told} of {all} programs were compared with a result");
}
