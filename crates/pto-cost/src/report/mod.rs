//! What a simulated run says: where the cycles go, what holds them up, and what would change that.

mod advice;
mod memory;
mod path;
mod ranks;
mod roofline;
mod stalls;

pub use advice::{Advice, AdviceChange, Retrace, advise};
pub use memory::{Occupancy, occupancy};
pub use path::{PathStep, critical_path, on_path};
pub use ranks::{HotRank, RankPrediction, RanksReport};
pub use roofline::{Roofline, roofline};
pub use stalls::{Stall, reason};

use crate::laws::{Grade, Laws};
use crate::sim::{Machine, Timeline};
use crate::trace::{PIPES, Trace, Why, pipe_name};
use pto_cpu::Role;
use pto_isa::ordered::OrdMap;
use pto_isa::sort::SharedSort;
use pto_isa::text;
use pto_isa::{Loc, Pipe, Target};

/// How a pipe spent its time, as a mean over the cores that have it.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct PipeUse {
    /// The kind of core.
    pub role: Role,
    /// The pipe; `None` is the background.
    pub pipe: Option<Pipe>,
    /// Cores that use it.
    pub cores: usize,
    /// Instructions it executed, on all cores.
    pub instructions: u64,
    /// Cycles it worked.
    pub busy: f64,
    /// Cycles it waited, by reason, the longest first.
    pub stalls: Vec<(Why, f64)>,
    /// Cycles its transfers took longer because others used global memory too.
    pub shared: f64,
}

impl PipeUse {
    /// `vector`, or `cube MTE2` where cores differ.
    pub fn name(&self) -> String {
        let pipe = pipe_name(self.pipe);
        match self.role {
            Role::Whole => pipe.to_string(),
            Role::Cube => text!("cube core {pipe}", pipe),
            Role::Vector => text!("vector core {pipe}", pipe),
        }
    }
}

/// The answer to "how long, and why".
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct PerfReport {
    /// The target whose laws were used.
    pub target: Target,
    /// Cycles from the first item to the last.
    pub cycles: f64,
    /// The same in microseconds.
    pub micros: f64,
    /// Cycles of the launch, which are not part of `cycles`.
    pub launch: f64,
    /// Clock.
    pub mhz: f64,
    /// Blocks.
    pub blocks: usize,
    /// Instructions on all cores.
    pub instructions: u64,
    /// Order comes from data.
    pub by_data: bool,
    /// Pipes, busiest first.
    pub pipes: Vec<PipeUse>,
    /// Pairs of operations where one waits for the other, the longest first.
    pub stalls: Vec<Stall>,
    /// The chain of items that decides about the end, by operation, the longest first.
    pub path: Vec<PathStep>,
    /// Its position in the roofline model.
    pub roofline: Roofline,
    /// Share of busy cycles by grade of their law.
    pub confidence: [(Grade, f64); 3],
    /// Several ranks and the links between them.
    pub ranks: Option<RanksReport>,
    /// On-chip memories over time, where the trace says what was touched.
    pub memory: Vec<Occupancy>,
}

impl PerfReport {
    /// Sums up a simulated run.
    pub fn new(trace: &Trace, line: &Timeline, laws: &Laws) -> Self {
        let machine = Machine::of(laws);
        let ranks = RanksReport::new(trace, line, machine.mhz);
        let cycles = ranks.as_ref().map_or(line.cycles, |r| r.cycles());
        Self {
            target: laws.target(),
            cycles,
            micros: cycles / machine.mhz,
            launch: machine.launch,
            mhz: machine.mhz,
            blocks: blocks(trace),
            instructions: trace.items.iter().filter(|i| !i.orders).count() as u64,
            by_data: trace.by_data,
            pipes: pipes(trace, line),
            stalls: stalls::pairs(trace, line),
            path: critical_path(trace, line),
            roofline: roofline(trace, line, laws),
            confidence: confidence(trace, line),
            ranks,
            memory: occupancy(trace, line),
        }
    }

    /// The peak use of each memory in bytes, over all cores.
    pub fn peaks(&self) -> OrdMap<Loc, u64> {
        let mut peaks = OrdMap::new();
        for memory in &self.memory {
            let peak: &mut u64 = peaks.entry(memory.loc).or_default();
            *peak = (*peak).max(memory.peak());
        }
        peaks
    }

    /// The pipe that works most.
    pub fn busiest(&self) -> Option<&PipeUse> {
        self.pipes.first()
    }
}

/// How many blocks there are.
pub fn blocks(trace: &Trace) -> usize {
    let mut all: Vec<(u32, u32)> = trace.cores.iter().map(|c| (c.rank, c.block)).collect();
    all.shared_sort();
    all.dedup();
    all.len()
}

fn pipes(trace: &Trace, line: &Timeline) -> Vec<PipeUse> {
    let total = trace.cores.len() * PIPES;
    let mut busy = vec![0.0; total];
    let mut count = vec![0u64; total];
    let mut waits: Vec<OrdMap<Why, f64>> = vec![OrdMap::new(); total];
    stalls::each_gap(trace, line, |item, gap| {
        *waits[trace.items[item].pipe as usize].entry(reason(trace, line, item).0).or_default() += gap;
    });
    for (at, item) in trace.items.iter().enumerate() {
        busy[item.pipe as usize] += line.end[at] - line.start[at];
        count[item.pipe as usize] += u64::from(!item.orders);
    }
    let mut uses: OrdMap<(Role, usize), PipeUse> = OrdMap::new();
    for at in (0..total).filter(|at| count[*at] > 0 || busy[*at] > 0.0) {
        let (core, pipe) = (trace.cores[at / PIPES], at % PIPES);
        let pipe_of = Pipe::REAL.get(pipe).copied().filter(|p| *p != Pipe::All);
        let entry = uses.entry((core.role, pipe)).or_insert_with(|| PipeUse {
            role: core.role,
            pipe: pipe_of,
            cores: 0,
            instructions: 0,
            busy: 0.0,
            stalls: Vec::new(),
            shared: 0.0,
        });
        entry.cores += 1;
        entry.instructions += count[at];
        entry.busy += busy[at];
        entry.shared += line.shared[at];
        for (why, cycles) in &waits[at] {
            match entry.stalls.iter_mut().find(|s| s.0 == *why) {
                Some(stall) => stall.1 += cycles,
                None => entry.stalls.push((*why, *cycles)),
            }
        }
    }
    let mut list: Vec<PipeUse> = uses.into_values().map(PipeUse::averaged).collect();
    list.shared_sort_by(|a, b| b.busy.total_cmp(&a.busy));
    list
}

impl PipeUse {
    /// From sums to means.
    fn averaged(mut self) -> Self {
        let cores = self.cores as f64;
        self.busy /= cores;
        self.shared /= cores;
        self.stalls.iter_mut().for_each(|s| s.1 /= cores);
        self.stalls.shared_sort_by(|a, b| b.1.total_cmp(&a.1));
        self
    }
}

fn confidence(trace: &Trace, line: &Timeline) -> [(Grade, f64); 3] {
    let mut sums = [0.0; 3];
    for (at, item) in trace.items.iter().enumerate() {
        sums[trace.charges[item.charge as usize].charge.grade as usize] += line.end[at] - line.start[at];
    }
    let all: f64 = sums.iter().sum::<f64>().max(1e-9);
    Grade::ALL.map(|g| (g, sums[g as usize] / all))
}
