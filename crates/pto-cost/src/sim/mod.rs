//! Event simulation: pipes in order, each item when what it waits for is done, and global memory shared by all cores.
//!
//! It only determines when items start and end, and what delayed each. Reports and views are made from that.

mod pool;
mod pools;

use crate::laws::{Laws, ParamKey};
use crate::network::RankNetwork;
use crate::trace::{Cost, Dep, Misses, NONE, Trace, Why, misses, pipe_predecessors};
use pools::Pools;
use pto_ir::Module;
use pto_isa::cancel::poll;
use pto_isa::text;
use pto_isa::{Diagnostic, Error, Span, codes};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

/// Parameters of the device, apart from the costs of items.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Machine {
    /// Cycles between two instructions that the scalar unit issues.
    pub issue: f64,
    /// Cycles until another core sees a signal.
    pub signal: f64,
    /// Bytes per cycle that all cores together get from global memory.
    pub memory_rate: f64,
    /// Bytes of the cache in front of it.
    pub cache: f64,
    /// Share of repeated reads that miss where everything is larger than the cache, scaled with how much larger.
    pub thrash: f64,
    /// Cycles until a kernel is launched.
    pub launch: f64,
    /// Clock.
    pub mhz: f64,
}

impl Machine {
    /// The machine that laws describe.
    pub fn of(laws: &Laws) -> Self {
        Self {
            issue: laws.machine("issue", ParamKey::Cycles),
            signal: laws.machine("signal", ParamKey::Cycles),
            memory_rate: laws.machine("hbm", ParamKey::Rate),
            cache: laws.machine("l2", ParamKey::Bytes),
            thrash: laws.machine("l2", ParamKey::Thrash),
            launch: laws.machine("launch", ParamKey::Cycles),
            mhz: laws.machine("machine", ParamKey::Mhz),
        }
    }
}

/// When everything happens.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Timeline {
    /// Start of each item.
    pub start: Vec<f64>,
    /// End of each item.
    pub end: Vec<f64>,
    /// The item that was last to let it start, or [`NONE`].
    pub held_by: Vec<u32>,
    /// Why that one.
    pub why: Vec<Why>,
    /// Cycles that transfers were delayed by others that used global memory, by pipe.
    pub shared: Vec<f64>,
    /// The end of the last item.
    pub cycles: f64,
}

/// A deadlock: every remaining core waits for another.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Deadlock {
    /// The items at which cores wait, by position in the trace.
    pub items: Vec<u32>,
}

impl Deadlock {
    /// The waits that never end, in the program that was recorded.
    pub fn error(&self, module: &Module, trace: &Trace) -> Error {
        let span =
            |item: &u32| trace.items.get(*item as usize).map_or_else(Span::default, |i| module.op(i.op).name_span);
        let first = self.items.first().map_or_else(Span::default, span);
        let mut d =
            Diagnostic::new(codes::FLAG_UNSET, first, text!("this wait never ends, so the program has no last cycle"))
                .help(text!(
                    "every wait needs one set of the same flag that can execute before it; run `pto race` for details"
                ));
        for item in self.items.iter().skip(1).take(3) {
            d = d.label(span(item), text!("this wait never ends either"));
        }
        module.error(d)
    }
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(text!("deadlock: every core waits for another"))
    }
}

impl std::error::Error for Deadlock {}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SimEvent {
    Finish(u32),
    /// A transfer has what the cache had, and joins those that share global memory.
    Join(u32),
    /// The first of the transfers that share a pool may be done, unless the pool has changed since.
    Pool(u32, u32),
    Start(u32),
}

/// Simulates a trace, with costs that may differ from those it was recorded with.
///
/// # Errors
/// If items remain that can never start.
pub fn simulate(trace: &Trace, costs: &[Cost], machine: &Machine) -> Result<Timeline, Deadlock> {
    let mut sim = Sim::new(trace, costs, machine);
    sim.run();
    sim.finish()
}

struct Sim<'a> {
    trace: &'a Trace,
    costs: &'a [Cost],
    machine: &'a Machine,
    misses: Vec<Misses>,
    pending: Vec<u32>,
    ready: Vec<f64>,
    /// When all dependences of an item but its pipe are satisfied: a transfer can be requested from then on.
    asked: Vec<f64>,
    /// The maximum of the same over the items of a pipe so far, since a pipe executes in order.
    pipe_asked: Vec<f64>,
    /// The next item of the same pipe.
    next: Vec<u32>,
    /// Items that wait for an item, as ranges of a list.
    first_waiter: Vec<u32>,
    waiters: Vec<(u32, Why)>,
    pipe_end: Vec<f64>,
    /// Time in the order of its bits, which for positive numbers is the order of time.
    heap: BinaryHeap<Reverse<(u64, SimEvent)>>,
    pools: Pools,
    /// Items that end now.
    done: Vec<u32>,
    left: usize,
    line: Timeline,
}

impl<'a> Sim<'a> {
    fn new(trace: &'a Trace, costs: &'a [Cost], machine: &'a Machine) -> Self {
        let count = trace.items.len();
        let pipes = trace.cores.len() * crate::trace::PIPES;
        let mut sim = Self {
            trace,
            costs,
            machine,
            misses: misses(&trace.traffic, machine.cache, machine.thrash),
            pending: vec![0; count],
            ready: vec![0.0; count],
            asked: vec![0.0; count],
            pipe_asked: vec![0.0; pipes],
            next: vec![NONE; count],
            first_waiter: vec![0; count + 1],
            waiters: Vec::new(),
            pipe_end: vec![-1.0; pipes],
            heap: BinaryHeap::new(),
            pools: Pools::new(trace, costs, machine),
            done: Vec::new(),
            left: count,
            line: Timeline {
                start: vec![0.0; count],
                end: vec![0.0; count],
                held_by: vec![NONE; count],
                why: vec![Why::Issue; count],
                shared: vec![0.0; pipes],
                cycles: 0.0,
            },
        };
        sim.connect(pipes);
        sim
    }

    /// Everything an item waits for except its pipe.
    fn waits(trace: &'a Trace, item: usize) -> impl Iterator<Item = Dep> + 'a {
        let gate = trace.items[item].gate;
        let issued = (gate != NONE).then_some(Dep { on: gate, why: Why::Issue });
        trace.deps_of(item).iter().copied().chain(issued)
    }

    /// Turns "waits for" around.
    fn connect(&mut self, pipes: usize) {
        let trace = self.trace;
        let mut counts = vec![0u32; trace.items.len() + 1];
        let mut last = vec![NONE; pipes];
        for (at, item) in trace.items.iter().enumerate() {
            poll();
            for dep in Self::waits(trace, at) {
                counts[dep.on as usize] += 1;
                self.pending[at] += 1;
            }
            let before = std::mem::replace(&mut last[item.pipe as usize], at as u32);
            if before != NONE {
                self.next[before as usize] = at as u32;
                self.pending[at] += 1;
            }
            if item.gate == NONE {
                self.ready[at] = f64::from(item.issue) * self.machine.issue;
                self.asked[at] = self.ready[at];
            }
        }
        for (item, dep) in &trace.late {
            counts[dep.on as usize] += 1;
            self.pending[*item as usize] += 1;
        }
        trace.stuck.iter().for_each(|item| self.pending[*item as usize] += 1);
        let mut sum = 0;
        for (first, count) in self.first_waiter.iter_mut().zip(&counts) {
            *first = sum;
            sum += count;
        }
        self.waiters = vec![(NONE, Why::Pipe); sum as usize];
        let mut place = self.first_waiter.clone();
        let mut put = |on: u32, item: u32, why: Why| {
            self.waiters[place[on as usize] as usize] = (item, why);
            place[on as usize] += 1;
        };
        for at in 0..trace.items.len() {
            Self::waits(trace, at).for_each(|dep| put(dep.on, at as u32, dep.why));
        }
        trace.late.iter().for_each(|(item, dep)| put(dep.on, *item, dep.why));
    }

    fn at(&mut self, time: f64, event: SimEvent) {
        self.heap.push(Reverse((time.to_bits(), event)));
    }

    fn run(&mut self) {
        for item in 0..self.trace.items.len() as u32 {
            if self.pending[item as usize] == 0 {
                self.at(self.ready[item as usize], SimEvent::Start(item));
            }
        }
        while let Some(Reverse((bits, event))) = self.heap.pop() {
            poll();
            let now = f64::from_bits(bits);
            match event {
                SimEvent::Finish(item) => self.done.push(item),
                SimEvent::Start(item) => self.start(item, now),
                SimEvent::Join(item) => self.join(item, now),
                SimEvent::Pool(pool, epoch) => {
                    if let Some(item) = self.pools.at(pool).leave(epoch, now) {
                        self.done.push(item);
                        self.wait_for_pool(pool, now);
                    }
                }
            }
            while let Some(item) = self.done.pop() {
                self.end(item, now);
            }
        }
    }

    fn start(&mut self, item: u32, now: f64) {
        let at = item as usize;
        let data = &self.trace.items[at];
        self.line.start[at] = now;
        let cost = &self.costs[data.charge as usize];
        let charge = &cost.charge;
        let pipe = data.pipe as usize;
        let asked = self.pipe_asked[pipe].max(self.asked[at]);
        self.pipe_asked[pipe] = asked;
        let head = if charge.global > 0 {
            // The latency of a transfer runs from its request, beside the transfer before it.
            (asked + charge.head - now).clamp(0.0, charge.head)
        } else if !data.fresh && self.pipe_end[pipe] == now {
            0.0
        } else {
            charge.head
        };
        let whole = (head + charge.body).max(charge.interval);
        let shared = self.shared_cycles(cost);
        if shared > 0.0 {
            self.at(now + whole - shared, SimEvent::Join(item));
        } else if whole > 0.0 {
            self.at(now + whole, SimEvent::Finish(item));
        } else {
            self.done.push(item);
        }
    }

    /// Cycles of an item in which it shares global memory, or a link between ranks, with others.
    fn shared_cycles(&self, cost: &Cost) -> f64 {
        cost.link.map_or_else(|| cost.charge.body * self.miss(cost), |link| link.cycles.min(cost.charge.body))
    }

    /// The share of a transfer that the cache does not have.
    fn miss(&self, cost: &Cost) -> f64 {
        if cost.buffer == NONE || cost.charge.global == 0 {
            return 0.0;
        }
        let misses = &self.misses[cost.buffer as usize];
        if cost.writes { misses.written } else { misses.read }
    }

    /// The part of a transfer that the cache does not have.
    fn join(&mut self, item: u32, now: f64) {
        let cost = &self.costs[self.trace.items[item as usize].charge as usize];
        let rate = match cost.link {
            Some(link) => (if link.is_far { link.far_bytes } else { link.near_bytes }) as f64 / link.cycles,
            None => cost.charge.global as f64 / cost.charge.body,
        };
        let (pool, cycles) = (self.pools.of(self.trace, item), self.shared_cycles(cost));
        self.pools.at(pool).join(item, cycles, rate, now);
        self.wait_for_pool(pool, now);
    }

    fn wait_for_pool(&mut self, pool: u32, now: f64) {
        if let Some((time, epoch)) = self.pools.at(pool).next(now) {
            self.at(time, SimEvent::Pool(pool, epoch));
        }
    }

    fn end(&mut self, item: u32, now: f64) {
        let at = item as usize;
        let pipe = self.trace.items[at].pipe as usize;
        self.line.end[at] = now;
        self.line.cycles = self.line.cycles.max(now);
        self.pipe_end[pipe] = now;
        let pool = self.pools.of(self.trace, item);
        self.line.shared[pipe] += self.pools.at(pool).delay_of(item);
        self.left -= 1;
        let range = self.first_waiter[at] as usize..self.first_waiter[at + 1] as usize;
        for k in range {
            let (waiter, why) = self.waiters[k];
            let delay = match why {
                Why::Issue => f64::from(self.trace.items[waiter as usize].issue) * self.machine.issue,
                Why::Rank => self.latency(|network| network.near.signal),
                Why::Server => self.latency(|network| network.far.signal),
                why if why.crosses() => self.machine.signal,
                _ => 0.0,
            };
            self.release(waiter, item, why, now, delay);
        }
        let next = self.next[at];
        if next != NONE {
            self.release(next, item, Why::Pipe, now, 0.0);
        }
    }

    /// Cycles that a signal between ranks is on its way.
    fn latency(&self, micros: impl Fn(&RankNetwork) -> f64) -> f64 {
        self.trace.network.as_ref().map_or(0.0, |network| (micros(network) * self.machine.mhz).round())
    }

    /// One thing less to wait for.
    fn release(&mut self, item: u32, by: u32, why: Why, now: f64, delay: f64) {
        let at = item as usize;
        let time = now + delay;
        if why != Why::Pipe {
            self.asked[at] = self.asked[at].max(time);
        }
        // Where two come at once, the reason that says more counts.
        if time > self.ready[at] || time == self.ready[at] && why != Why::Pipe {
            self.ready[at] = time;
            (self.line.held_by[at], self.line.why[at]) = (by, why);
        }
        self.pending[at] -= 1;
        if self.pending[at] > 0 {
            return;
        }
        if self.ready[at] <= now {
            self.start(item, now);
        } else {
            self.at(self.ready[at], SimEvent::Start(item));
        }
    }

    fn finish(self) -> Result<Timeline, Deadlock> {
        if self.left == 0 {
            return Ok(self.line);
        }
        let before = pipe_predecessors(self.trace);
        let behind = |i: usize| before[i] != NONE && self.pending[before[i] as usize] > 0;
        let waits = |i: &usize| self.pending[*i] > 0 && !behind(*i);
        let stuck = (0..self.trace.items.len()).filter(waits).take(8).map(|i| i as u32);
        Err(Deadlock { items: stuck.collect() })
    }
}
