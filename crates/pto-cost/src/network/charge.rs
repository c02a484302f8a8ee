//! What bytes of another rank cost.

use super::RankNetwork;
use crate::cost::Charge;
use crate::laws::Grade;
use crate::trace::NONE;

/// The part of a cost that a link takes.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct LinkCharge {
    /// The rank whose core asks.
    pub rank: u32,
    /// The other rank; [`NONE`]: several.
    pub peer: u32,
    /// Most of the time is that of the link between servers.
    pub is_far: bool,
    /// Bytes leave the rank.
    pub leaves: bool,
    /// Bytes over the link inside a server.
    pub near_bytes: u64,
    /// Bytes over the link between servers.
    pub far_bytes: u64,
    /// Cycles in which bytes move, if nothing else uses the link; part of the body of the cost.
    pub cycles: f64,
}

/// Bytes of an instruction in memory of another rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RemoteBytes {
    pub peer: u32,
    pub bytes: u64,
    pub write: bool,
}

/// The cost of an instruction with bytes of other ranks: what it costs here, and on links one peer after the other. The first number of `local` is
/// the share of its bytes that is on this rank.
pub(crate) fn charge_of(
    (share, local): (f64, Charge),
    remote: &[RemoteBytes],
    (rank, in_background): (u32, bool),
    network: &RankNetwork,
    mhz: f64,
) -> (Charge, LinkCharge) {
    let (mut start, mut near, mut far) = (0.0, 0.0, 0.0);
    let mut link = LinkCharge {
        rank,
        peer: remote.first().map_or(NONE, |r| r.peer),
        is_far: false,
        leaves: remote.iter().any(|r| r.write),
        near_bytes: 0,
        far_bytes: 0,
        cycles: 0.0,
    };
    let mut grade = if share > 0.0 { local.grade } else { Grade::Calibrated };
    for part in remote {
        let is_far = network.is_far(rank, part.peer);
        let figures = network.between(rank, part.peer);
        let (rate, latency, of_rate) = match in_background {
            true => (figures.dma, figures.dma_start, figures.grades.1),
            false => (figures.core, figures.start, figures.grades.0),
        };
        // GB/s are 1000 bytes a microsecond, and MHz cycles a microsecond.
        let cycles = part.bytes as f64 / (rate.min(figures.peer).max(1e-9) * 1000.0) * mhz;
        *(if is_far { &mut far } else { &mut near }) += cycles;
        *(if is_far { &mut link.far_bytes } else { &mut link.near_bytes }) += part.bytes;
        start += latency * mhz;
        grade = grade.max(of_rate);
        if part.peer != link.peer {
            link.peer = NONE;
        }
    }
    link.is_far = far > near;
    link.cycles = far.max(near);
    let body = local.body * share + start + near + far;
    let head = if share > 0.0 { local.head } else { 0.0 };
    (Charge { head, body: body.round(), global: 0, grade, ..local }, link)
}
