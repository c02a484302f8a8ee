//! Between computing and memory.

use crate::laws::{Laws, ParamKey};
use crate::sim::Timeline;
use crate::trace::Trace;
use pto_isa::Pipe;

/// Where a run stands.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Roofline {
    /// Operations on numbers.
    pub flops: f64,
    /// Bytes moved between global memory and the cores.
    pub bytes: f64,
    /// Operations per cycle it reaches.
    pub reached: f64,
    /// Operations per cycle that the units of its cores could do.
    pub compute_roof: f64,
    /// Operations per cycle that its bytes allow, if no byte came twice.
    pub memory_roof: f64,
}

impl Roofline {
    /// Operations per byte.
    pub fn intensity(&self) -> f64 {
        if self.bytes > 0.0 { self.flops / self.bytes } else { f64::INFINITY }
    }

    /// The lower roof.
    pub fn roof(&self) -> f64 {
        self.compute_roof.min(self.memory_roof)
    }

    /// True when the lower roof is that of memory.
    pub fn is_memory_bound(&self) -> bool {
        self.memory_roof < self.compute_roof
    }
}

/// Finds out where a run stands.
pub fn roofline(trace: &Trace, line: &Timeline, laws: &Laws) -> Roofline {
    let mut flops = 0.0;
    let mut bytes = 0.0;
    let mut cube = false;
    for (at, item) in trace.items.iter().enumerate() {
        let charge = &trace.charges[item.charge as usize].charge;
        flops += charge.flops;
        bytes += charge.global as f64;
        cube |= trace.pipe_of(at) == Some(Pipe::M);
    }
    let blocks = super::blocks(trace) as f64;
    let limit = laws.machine("machine", if cube { ParamKey::CubeCores } else { ParamKey::VectorCores });
    let cores = blocks.min(limit);
    // A vector unit works on 4-byte elements here; the cube on f16.
    let each = if cube {
        laws.machine("machine", ParamKey::FlopsF16)
    } else {
        laws.machine("machine", ParamKey::LanesBytes) / 4.0
    };
    let rate = laws
        .machine("hbm", ParamKey::Rate)
        .min(cores * laws.way("gm>vec").map_or(0.0, |w| w.get(ParamKey::Rate)) * 2.0);
    let distinct: f64 = trace.traffic.iter().map(|t| t.distinct() as f64).sum();
    let memory_roof = if distinct > 0.0 { flops / distinct * rate } else { f64::INFINITY };
    Roofline { flops, bytes, reached: flops / line.cycles.max(1.0), compute_roof: each * cores, memory_roof }
}
