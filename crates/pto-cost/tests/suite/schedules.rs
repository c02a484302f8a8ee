//! Schedules that were computed by hand. Costs are those of the test, so recalibration changes nothing here.

use pto_cost::{Charge, Cost, Dep, Item, Machine, NONE, PIPES, Trace, Traffic, Why, simulate};
use pto_cpu::{CoreId, Role};
use pto_ir::OpId;
use pto_isa::Pipe;

const MACHINE: Machine =
    Machine { issue: 0.0, signal: 20.0, memory_rate: 100.0, cache: 1e9, thrash: 0.0, launch: 0.0, mhz: 1000.0 };

/// A trace being written down, for the operation it is all about.
struct Sketch(Trace, OpId);

impl Sketch {
    fn new(cores: u32) -> Self {
        let core = |block| CoreId { rank: 0, block, role: Role::Whole, sub: 0 };
        let op = pto_syntax::parse("func.func @nothing() { return }").0.functions()[0];
        Self(Trace { cores: (0..cores).map(core).collect(), ..Trace::default() }, op)
    }

    fn item(&mut self, core: usize, pipe: Pipe, cost: Cost, deps: &[(u32, Why)]) -> u32 {
        let orders = cost.charge == Charge::FREE;
        self.0.charges.push(cost);
        let first = self.0.deps.len() as u32;
        self.0.deps.extend(deps.iter().map(|(on, why)| Dep { on: *on, why: *why }));
        self.0.items.push(Item {
            op: self.1,
            pipe: (core * PIPES + pipe as usize) as u32,
            charge: self.0.charges.len() as u32 - 1,
            deps: first,
            gate: NONE,
            issue: 0,
            fresh: false,
            orders,
        });
        self.0.items.len() as u32 - 1
    }

    fn work(&mut self, core: usize, pipe: Pipe, cycles: f64, deps: &[(u32, Why)]) -> u32 {
        self.item(
            core,
            pipe,
            Cost { charge: Charge { body: cycles, ..Charge::FREE }, buffer: NONE, writes: false, link: None },
            deps,
        )
    }

    /// A transfer of new bytes at 80 bytes per cycle.
    fn transfer(&mut self, core: usize, pipe: Pipe, cycles: f64, deps: &[(u32, Why)]) -> u32 {
        if self.0.traffic.is_empty() {
            self.0.traffic.push(Traffic::default());
        }
        let bytes = (cycles * 80.0) as u64;
        let at = self.0.traffic[0].read as i64;
        self.0.traffic[0].count(at, at + bytes as i64, bytes, false);
        self.item(
            core,
            pipe,
            Cost {
                charge: Charge { body: cycles, global: bytes, ..Charge::FREE },
                buffer: 0,
                writes: false,
                link: None,
            },
            deps,
        )
    }

    fn cycles(&self) -> f64 {
        self.ends().iter().copied().fold(0.0, f64::max)
    }

    fn ends(&self) -> Vec<f64> {
        simulate(&self.0, &self.0.charges, &MACHINE).expect("it comes to an end").end
    }
}

/// Load 100, compute 40, store 60, three times, each waiting for the one before: 3 · 200.
#[test]
fn serial() {
    let mut s = Sketch::new(1);
    let mut before = Vec::new();
    for _ in 0..3 {
        let load = s.work(0, Pipe::Mte2, 100.0, &before);
        let add = s.work(0, Pipe::V, 40.0, &[(load, Why::Flag)]);
        let store = s.work(0, Pipe::Mte3, 60.0, &[(add, Why::Flag)]);
        before = vec![(store, Why::Flag)];
    }
    assert_eq!(s.ends(), [100.0, 140.0, 200.0, 300.0, 340.0, 400.0, 500.0, 540.0, 600.0]);
}

/// The same with buffers for all: loads follow each other, the rest hides behind them. 3 · 100 + 40 + 60.
#[test]
fn overlapped() {
    let mut s = Sketch::new(1);
    for _ in 0..3 {
        let load = s.work(0, Pipe::Mte2, 100.0, &[]);
        let add = s.work(0, Pipe::V, 40.0, &[(load, Why::Flag)]);
        s.work(0, Pipe::Mte3, 60.0, &[(add, Why::Flag)]);
    }
    assert_eq!(s.ends(), [100.0, 140.0, 200.0, 200.0, 240.0, 300.0, 300.0, 340.0, 400.0]);
}

/// One input buffer: a load waits for the flag of the computation before it, but not for the store.
/// Loads end at 100, 240, 380; computations at 140, 280, 420; stores at 200, 340, 480.
#[test]
fn limited_by_a_flag() {
    let mut s = Sketch::new(1);
    let mut free = Vec::new();
    for _ in 0..3 {
        let load = s.work(0, Pipe::Mte2, 100.0, &free);
        let add = s.work(0, Pipe::V, 40.0, &[(load, Why::Flag)]);
        s.work(0, Pipe::Mte3, 60.0, &[(add, Why::Flag)]);
        free = vec![(add, Why::Flag)];
    }
    assert_eq!(s.ends(), [100.0, 140.0, 200.0, 240.0, 280.0, 340.0, 380.0, 420.0, 480.0]);
    let line = simulate(&s.0, &s.0.charges, &MACHINE).expect("it comes to an end");
    assert_eq!((line.held_by[3], line.why[3], line.start[3]), (1, Why::Flag, 140.0));
}

/// Two cores load 8000 bytes each at 80 bytes per cycle, and there are only 100 for both: 50 each. Both end at 160. Then
/// one loads 8000 more alone, at its own 80: 100 cycles, to 260.
#[test]
fn limited_by_bandwidth() {
    let mut s = Sketch::new(2);
    s.transfer(0, Pipe::Mte2, 100.0, &[]);
    s.transfer(1, Pipe::Mte2, 100.0, &[]);
    s.transfer(0, Pipe::Mte2, 100.0, &[]);
    assert_eq!(s.ends(), [160.0, 160.0, 260.0]);
    let line = simulate(&s.0, &s.0.charges, &MACHINE).expect("it comes to an end");
    assert_eq!(line.shared[Pipe::Mte2 as usize], 60.0);
}

/// A cube core makes entries in 100 cycles, a vector core uses them up in 150, and a pipe has two slots. Signals take 20.
///
/// Pushes end at 100, 200; the first pop starts at 120 and frees its slot at 270; the third push may start at 290 and ends
/// at 390. The vector core is busy from 120 to 420, so it takes the third entry at 420 and is done at 570.
#[test]
fn two_cores() {
    let mut s = Sketch::new(2);
    let first = s.work(0, Pipe::M, 100.0, &[]);
    let use_first = s.work(1, Pipe::V, 150.0, &[(first, Why::Entry)]);
    let second = s.work(0, Pipe::M, 100.0, &[]);
    s.work(1, Pipe::V, 150.0, &[(second, Why::Entry)]);
    let third = s.work(0, Pipe::M, 100.0, &[(use_first, Why::Slot)]);
    s.work(1, Pipe::V, 150.0, &[(third, Why::Entry)]);
    assert_eq!(s.ends(), [100.0, 270.0, 200.0, 420.0, 390.0, 570.0]);
    assert_eq!(s.cycles(), 570.0);
}

/// Filling and draining (24) count when the pipe stood still, not between items that follow each other.
#[test]
fn heads_count_once_in_a_run() {
    let mut s = Sketch::new(1);
    let charge = Charge { head: 24.0, body: 100.0, ..Charge::FREE };
    s.item(0, Pipe::V, Cost { charge, buffer: NONE, writes: false, link: None }, &[]);
    s.item(0, Pipe::V, Cost { charge, buffer: NONE, writes: false, link: None }, &[]);
    assert_eq!(s.cycles(), 224.0);
    s.0.items[1].fresh = true;
    assert_eq!(s.cycles(), 248.0);
}

/// A wait that nobody ends is found, not ignored.
#[test]
fn a_wait_without_end_is_an_error() {
    let mut s = Sketch::new(1);
    let wait = s.work(0, Pipe::V, 0.0, &[]);
    s.work(0, Pipe::V, 10.0, &[]);
    s.0.stuck.push(wait);
    let stuck = simulate(&s.0, &s.0.charges, &MACHINE).expect_err("deadlock");
    assert_eq!(stuck.items, [wait]);
}
