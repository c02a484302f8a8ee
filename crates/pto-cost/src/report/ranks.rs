//! Several ranks: how long each takes, what goes over links, and which link decides.

use crate::network::RankNetwork;
use crate::sim::Timeline;
use crate::trace::{NONE, Trace, pipe_predecessors};
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::sort::SharedSort;

/// One rank that was simulated. Times are in cycles.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct RankPrediction {
    /// Its number.
    pub rank: u32,
    /// The end of its last item.
    pub cycles: f64,
    /// Time in which a transfer over a link, or a wait for another rank, was under way.
    pub communication: f64,
    /// Bytes that it moves over the link inside its server.
    pub near_bytes: u64,
    /// Bytes that it moves over the link to other servers.
    pub far_bytes: u64,
    /// Time in which transfers over the link inside its server, or waits for signals over it, were under way.
    pub near: f64,
    /// The same for the link to other servers.
    pub far: f64,
}

/// A rank whose memory all others use.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct HotRank {
    /// Its number.
    pub rank: u32,
    /// Cycles that its link needs for all of them at least.
    pub cycles: f64,
    /// It is the link to other servers.
    pub is_far: bool,
}

/// What is said about several ranks.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct RanksReport {
    /// The links.
    pub network: RankNetwork,
    /// Those that were simulated, by number.
    pub simulated: Vec<RankPrediction>,
    /// A rank that all others use.
    pub hot: Option<HotRank>,
}

impl RanksReport {
    pub(super) fn new(trace: &Trace, line: &Timeline, mhz: f64) -> Option<Self> {
        let network = trace.network?;
        let ranks: OrdSet<u32> = trace.cores.iter().map(|c| c.rank).collect();
        let before = pipe_predecessors(trace);
        let simulated: Vec<RankPrediction> =
            ranks.iter().map(|r| of_rank(trace, line, &before, &network, *r)).collect();
        let hot = hottest(trace, &ranks, &network, mhz);
        Some(Self { network, simulated, hot })
    }

    /// The rank that takes longest.
    pub fn slowest(&self) -> Option<&RankPrediction> {
        self.simulated.iter().max_by(|a, b| a.cycles.total_cmp(&b.cycles).then(b.rank.cmp(&a.rank)))
    }

    /// Until the last rank is done, and a link that all of them use.
    pub fn cycles(&self) -> f64 {
        let simulated = self.slowest().map_or(0.0, |r| r.cycles);
        self.hot.map_or(simulated, |hot| hot.cycles.max(simulated))
    }

    /// The link that decides, if one does: communication takes more than half of the time.
    pub fn bound(&self) -> Option<&'static str> {
        let slowest = self.slowest()?;
        let hot = self.hot.filter(|hot| hot.cycles > slowest.cycles);
        let is_far = hot.map_or(slowest.far > slowest.near, |hot| hot.is_far);
        let name = if is_far { self.network.far.name } else { self.network.near.name };
        (hot.is_some() || slowest.communication > slowest.cycles / 2.0).then_some(name)
    }
}

type TimeSpans = Vec<(f64, f64)>;

fn of_rank(trace: &Trace, line: &Timeline, before: &[u32], network: &RankNetwork, rank: u32) -> RankPrediction {
    let (mut near, mut far): (TimeSpans, TimeSpans) = Default::default();
    let mut cycles: f64 = 0.0;
    for at in (0..trace.items.len()).filter(|at| trace.cores[trace.core_of(*at)].rank == rank) {
        let (start, end) = (line.start[at], line.end[at]);
        cycles = cycles.max(end);
        if let Some(link) = trace.cost_of(at).link {
            (if link.is_far { &mut far } else { &mut near }).push((start, end));
        } else if line.why[at].crosses_ranks() && line.held_by[at] != NONE {
            let since = if before[at] == NONE { 0.0 } else { line.end[before[at] as usize] };
            let is_far = line.why[at] == crate::trace::Why::Server;
            (if is_far { &mut far } else { &mut near }).push((since.min(start), start));
        }
    }
    let mut all: TimeSpans = near.iter().chain(&far).copied().collect();
    let bytes = |is_far: bool| {
        let of_rank = trace.between_ranks.iter().filter(|((from, _), _)| *from == rank);
        of_rank.filter(|((_, to), _)| network.is_far(rank, *to) == is_far).map(|(_, (r, w))| r + w).sum()
    };
    RankPrediction {
        rank,
        cycles,
        communication: covered(&mut all),
        near_bytes: bytes(false),
        far_bytes: bytes(true),
        near: covered(&mut near),
        far: covered(&mut far),
    }
}

/// The length of the union of spans.
fn covered(spans: &mut TimeSpans) -> f64 {
    spans.shared_sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut sum, mut until) = (0.0, 0.0f64);
    for (start, end) in spans.iter() {
        sum += (end - start.max(until)).max(0.0);
        until = until.max(*end);
    }
    sum
}

/// A rank that every simulated rank uses is used by all, one after the other: its link needs at least that time.
fn hottest(trace: &Trace, ranks: &OrdSet<u32>, network: &RankNetwork, mhz: f64) -> Option<HotRank> {
    let is_part = (ranks.len() as u32) < network.ranks;
    let mut targets: OrdMap<u32, Vec<(bool, u64)>> = OrdMap::new();
    for ((from, to), (read, written)) in &trace.between_ranks {
        targets.entry(*to).or_default().push((network.is_far(*from, *to), *read.max(written)));
    }
    let least = |(to, uses): (u32, Vec<(bool, u64)>)| {
        let others = ranks.iter().filter(|r| **r != to).count();
        // One neighbour is no crowd.
        if !is_part || others < 2 || uses.len() < others {
            return None;
        }
        let mean = uses.iter().map(|u| u.1 as f64).sum::<f64>() / uses.len() as f64;
        let inside = network.per_server.min(network.ranks);
        let (near, far) = (f64::from(inside.saturating_sub(1)), f64::from(network.ranks - inside));
        let micros = |count: f64, rate: f64| count * mean / (rate.max(1e-9) * 1000.0);
        let (near, far) = (micros(near, network.near.npu), micros(far, network.far.npu));
        Some(HotRank { rank: to, cycles: near.max(far) * mhz, is_far: far > near })
    };
    targets.into_iter().filter_map(least).max_by(|a, b| a.cycles.total_cmp(&b.cycles).then(b.rank.cmp(&a.rank)))
}

#[cfg(test)]
mod tests {
    use super::covered;

    #[test]
    fn spans_that_overlap_count_once() {
        assert_eq!(covered(&mut vec![(5.0, 9.0), (0.0, 2.0), (1.0, 3.0), (6.0, 7.0)]), 7.0);
    }
}
