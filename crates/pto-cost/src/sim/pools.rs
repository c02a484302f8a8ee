//! What transfers share: the global memory of each rank, and links between ranks.

use super::Machine;
use super::pool::Pool;
use crate::network::LinkCharge;
use crate::trace::{Cost, NONE, Trace};
use std::collections::HashMap;

/// A link as an item uses it: rank, peer if it has a link of its own, whether it leaves the server, and its direction.
type LinkEnd = (u32, u32, bool, bool);

pub(super) struct Pools {
    all: Vec<Pool>,
    /// For each core, the memory of its rank.
    memory: Vec<u32>,
    /// For each cost, its link.
    links: Vec<u32>,
}

impl Pools {
    pub fn new(trace: &Trace, costs: &[Cost], machine: &Machine) -> Self {
        let mut all = Vec::new();
        let mut ranks: HashMap<u32, u32> = HashMap::new();
        let mut add = |rate: f64| {
            all.push(Pool::new(rate));
            all.len() as u32 - 1
        };
        let memory =
            trace.cores.iter().map(|c| *ranks.entry(c.rank).or_insert_with(|| add(machine.memory_rate))).collect();
        let mut ends: HashMap<LinkEnd, u32> = HashMap::new();
        let link = |cost: &Cost| {
            let (end, rate) = end_of(trace, cost.link.as_ref()?)?;
            // GB/s are 1000 bytes a microsecond, and MHz cycles a microsecond.
            Some(*ends.entry(end).or_insert_with(|| add(rate * 1000.0 / machine.mhz)))
        };
        let links = costs.iter().map(link).map(|at| at.unwrap_or(NONE)).collect();
        Self { all, memory, links }
    }

    /// The pool that an item uses.
    pub fn of(&self, trace: &Trace, item: u32) -> u32 {
        match self.links[trace.items[item as usize].charge as usize] {
            NONE => self.memory[trace.core_of(item as usize)],
            link => link,
        }
    }

    pub fn at(&mut self, pool: u32) -> &mut Pool {
        &mut self.all[pool as usize]
    }
}

/// The link that an item shares with others, and its rate in GB/s.
fn end_of(trace: &Trace, link: &LinkCharge) -> Option<(LinkEnd, f64)> {
    let network = trace.network.as_ref()?;
    let figures = if link.is_far { &network.far } else { &network.near };
    Some(match figures.is_mesh() && link.peer != NONE {
        true => ((link.rank, link.peer, link.is_far, link.leaves), figures.peer),
        false => ((link.rank, NONE, link.is_far, link.leaves), figures.npu),
    })
}
