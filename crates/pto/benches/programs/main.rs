//! Whole programs: the examples on the engine, against what users would pick instead, in one run.
//!
//! ```text
//! cargo bench -p pto --bench programs                                   all programs, one thread and two
//! cargo bench -p pto --bench programs -- attention                      the programs whose names contain that
//! cargo bench -p pto --bench programs -- --threads 1 --level v3,v4 --peers numpy,torch
//! ```
//!
//! - `--threads 1,2` how many threads each of them uses; the engine gets as many blocks.
//! - `--level v3` limits the processor (`PTO_CPU_LEVEL`), also for peers that can be limited; several levels give a table each.
//! - `--peers numpy,onnxruntime,jax,torch,hand` who takes part; `hand` are loops in Rust on one thread.
//! - `--rounds 8` how often they take turns.
//!
//! Peers are packages of the Python interpreter in `PTO_PYTHON`, else `python3`. One that it does not have is a dash. Each is a process for each number of threads, which stays alive until the
//! end and keeps its arrays and compiled programs. It may know several ways to compute a program; the fastest counts. `copy` is the least that memory allows: it reads all inputs and
//! writes all outputs once.
//!
//! All take turns, because other users of the machine come and go. Times are the shortest of all turns, warm; the ratios are what counts. The results of peers
//! are compared with those of the engine, and the bench fails where they differ too much.

mod by_hand;
mod cases;
mod copy;
mod memory;
mod overhead;
mod peer;
mod request;
mod surroundings;
mod table;

use cases::{CASES, Case};
use copy::CopiedBytes;
use memory::Engine;
use peer::Peer;
use request::Request;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use table::{BenchResults, CaseTimes};

const ROWS: usize = 4096;
const COLS: usize = 1024;
const LENGTH: usize = 1 << 24;

/// A turn takes so many runs and so long, whichever is more; so does one of a peer.
const RUNS: u32 = 6;
const TURN: Duration = Duration::from_millis(30);

/// The shortest run of a turn, in milliseconds. The first one only warms the caches.
fn best(mut run: impl FnMut()) -> f64 {
    run();
    let start = Instant::now();
    let mut shortest = Duration::MAX;
    while shortest == Duration::MAX || start.elapsed() < TURN {
        shortest = shortest.min(pto_testkit::timing::best(RUNS, &mut run));
    }
    shortest.as_secs_f64() * 1e3
}

fn main() -> ExitCode {
    let request = match Request::parse(std::env::args().skip(1)) {
        Ok(request) => request,
        Err(wrong) => {
            eprintln!("{wrong}");
            return ExitCode::from(2);
        }
    };
    if request.levels.is_empty() { compare(&request) } else { at_each_level(&request) }
}

/// The engine finds its level once per process, so each level gets one.
fn at_each_level(request: &Request) -> ExitCode {
    let this = std::env::current_exe().expect("a bench has a file");
    let mut code = ExitCode::SUCCESS;
    for level in &request.levels {
        let ran = Command::new(&this).args(request.without_levels()).env("PTO_CPU_LEVEL", level).status();
        if !ran.is_ok_and(|status| status.success()) {
            code = ExitCode::FAILURE;
        }
    }
    code
}

fn compare(request: &Request) -> ExitCode {
    let data = tempfile::tempdir().expect("a place for data");
    let mut peers = Peer::start_all(request, data.path());
    let mut results = BenchResults::new(request, &peers);
    for case in CASES.iter().filter(|case| case.name.contains(&request.name)) {
        eprintln!("{} …", case.name);
        let times = in_turns(case, request, &mut peers, data.path());
        results.push(case, times);
    }
    results.print();
    if request.name.is_empty() {
        overhead::print();
    }
    if results.all_close() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Everybody's shortest times of one program.
fn in_turns(case: &'static Case, request: &Request, peers: &mut [Peer], data: &Path) -> CaseTimes {
    let mut engine = Engine::new(case);
    engine.run(1);
    engine.save(data).expect("data can be written");
    let mut copied = CopiedBytes::of(case);
    let mut times = CaseTimes::new(request, peers.len());
    for (peer, time) in peers.iter_mut().zip(&mut times.peers) {
        time.answer = peer.prepare(case.file, case.tolerance);
    }
    let by_hand = case.by_hand.filter(|_| request.by_hand);
    for _ in 0..request.rounds {
        for (at, &threads) in request.threads.iter().enumerate() {
            times.engine[at].shorten(best(|| engine.run(threads)));
            times.copy[at].shorten(copied.time(threads));
            if let Some(work) = by_hand.filter(|_| threads == 1) {
                times.by_hand.shorten(memory::by_hand_time(case, work));
            }
            for (peer, time) in peers.iter_mut().zip(&mut times.peers).filter(|(peer, _)| peer.threads == threads) {
                if let (Ok(_), Some((ms, way))) = (&time.answer, peer.turn()) {
                    time.shorten(ms, way);
                }
            }
        }
    }
    times
}
