//! Programs with their arguments.

use super::best;
use super::by_hand::ByHand;
use super::cases::{self, Case, Param};
use pto::cpu::{Arg, Options, Plan, prefer_large_pages};
use pto::{Program, Target};
use std::path::Path;

/// A program on the engine, with the arguments of every rank.
pub struct Engine {
    case: &'static Case,
    plan: Plan,
    ranks: Vec<Vec<Vec<u8>>>,
}

impl Engine {
    pub fn new(case: &'static Case) -> Self {
        let bytes = |rank: usize| {
            case.params.iter().enumerate().map(move |(at, p)| in_large_pages(&p.bytes(at + 100 * rank))).collect()
        };
        Self { case, plan: plan(case), ranks: (0..case.ranks).map(bytes).collect() }
    }

    /// One block for each thread, if blocks share the work.
    pub fn run(&mut self, threads: u32) {
        let case = self.case;
        let mut args: Vec<Arg> = Vec::new();
        for (rank, memory) in self.ranks.iter_mut().enumerate() {
            let own = case.params.iter().zip(memory).map(|(param, bytes)| param.arg(bytes, rank));
            args.extend(own.chain(others(&self.plan, case.params.len())));
        }
        let blocks = if case.blocks { threads } else { 1 };
        let launch = self.plan.launch().blocks(blocks).threads(threads as usize).ranks(case.ranks);
        launch.run(&mut args).expect("it runs");
    }

    /// Writes everything to files, named by the program, the rank and the argument.
    pub fn save(&self, data: &Path) -> std::io::Result<()> {
        for (rank, memory) in self.ranks.iter().enumerate() {
            for (at, bytes) in memory.iter().enumerate() {
                let of = if self.ranks.len() > 1 { format!("@{rank}") } else { String::new() };
                std::fs::write(data.join(format!("{}{of}.{at}.bin", self.case.file)), bytes)?;
            }
        }
        Ok(())
    }
}

/// As arrays of this library and of NumPy are.
pub fn in_large_pages<T: Clone>(numbers: &[T]) -> Vec<T> {
    let mut room = Vec::with_capacity(numbers.len());
    prefer_large_pages(&room);
    room.extend_from_slice(numbers);
    room
}

fn plan(case: &Case) -> Plan {
    let (file, [from, to]) = case.made_of.unwrap_or((case.file, [""; 2]));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file).with_extension("pto");
    let text = std::fs::read_to_string(path).expect("the example is there");
    let program = Program::parse(&if from.is_empty() { text } else { text.replace(from, to) });
    let target = program.stated_target().unwrap_or(Target::A2A3);
    program.plan(target, None, Options::default()).expect("the example runs")
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

/// What loops take, in milliseconds.
pub fn by_hand_time(case: &Case, work: ByHand) -> f64 {
    let numbers = |(at, param): (usize, &Param)| match param {
        Param::F32(count, _) => cases::numbers(*count, at),
        Param::Out(bytes) => vec![0.0; bytes / 4],
        _ => Vec::new(),
    };
    let filled = case.params.iter().enumerate().map(numbers).filter(|n| !n.is_empty());
    let mut inputs: Vec<Vec<f32>> = filled.map(|n| in_large_pages(&n)).collect();
    let mut out = inputs.pop().unwrap_or_default();
    best(|| work(&inputs, std::hint::black_box(&mut out)))
}
