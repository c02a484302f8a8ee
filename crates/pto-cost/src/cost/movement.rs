//! Data on its way between memories.

use super::{Charge, Execution, TileUse};
use crate::laws::{Law, Laws, ParamKey};
use pto_isa::{Loc, Target};

/// The name of a way in the data file; `None` is global memory.
///
/// ```
/// use pto_cost::way_between;
/// use pto_isa::Loc;
/// assert_eq!(way_between(None, Some(Loc::Vec)), "gm>vec");
/// ```
pub fn way_between(from: Option<Loc>, to: Option<Loc>) -> String {
    let name = |loc: Option<Loc>| loc.map_or("gm".to_string(), |l| l.to_string());
    format!("{}>{}", name(from), name(to))
}

pub(super) fn charge(instance: &Execution, laws: &Laws) -> Charge {
    let read = instance.tiles.iter().find(|t| !t.write);
    let written = instance.tiles.iter().find(|t| t.write);
    let tile = written.or(read);
    let from = if instance.loaded > 0 { None } else { read.or(tile).map(|t| t.loc) };
    let to = if instance.stored > 0 { None } else { written.map(|t| t.loc) };
    let global = instance.loaded.max(instance.stored);
    let Some(law) = laws.way(&way_between(from, to)) else { return Charge::FREE };
    let moved = tile.map_or(0.0, TileUse::bytes);
    let bytes = if global > 0 { global as f64 } else { moved };
    let rate = law.get(ParamKey::Rate).max(1e-9);
    let by_rate = bytes / rate;
    charged(law, read.filter(|t| t.loc == Loc::Acc), by_rate, global)
}

/// The latency of a transfer is hidden behind the one before it; what the fix pipe needs for each accumulator is not.
fn charged(law: &Law, acc: Option<&TileUse>, by_rate: f64, global: u64) -> Charge {
    let head = law.get(ParamKey::Head);
    let (head, body) = match acc {
        Some(acc) => (0.0, head + drained(acc, by_rate, law.get(ParamKey::Row), law.get(ParamKey::Odd))),
        None => (head, by_rate),
    };
    Charge { head, body: body.round(), interval: 0.0, global, flops: 0.0, grade: law.grade }
}

/// The fix pipe takes rows of the accumulator: each has a least time, and columns that are an odd number of boxes cost more.
fn drained(acc: &TileUse, by_rate: f64, least: f64, odd: f64) -> f64 {
    let (rows, cols) = (acc.valid.0 as f64, acc.valid.1);
    let boxes = (cols * u64::from(acc.dtype.column_bits()) / 8).div_ceil(32);
    let penalty = if boxes > 1 && boxes % 2 == 1 { odd } else { 0.0 };
    by_rate.max(rows * least) + rows * penalty
}

/// Pushing to and popping from a pipe between cores moves a tile: through global memory, or directly where the target can.
pub(crate) fn through_pipe(tile: &TileUse, pushes: bool, laws: &Laws) -> Charge {
    let direct = laws.target() == Target::A5;
    if direct && !pushes {
        return Charge::FREE;
    }
    let (from, to) = match (pushes, tile.loc) {
        (true, Loc::Acc) => (Some(Loc::Acc), direct.then_some(Loc::Vec)),
        (true, loc) => (Some(loc), direct.then_some(Loc::Mat)),
        (false, loc) => (None, Some(loc)),
    };
    let Some(law) = laws.way(&way_between(from, to)) else { return Charge::FREE };
    let by_rate = tile.bytes() / law.get(ParamKey::Rate).max(1e-9);
    let global = if direct { 0 } else { tile.bytes() as u64 };
    let charge = charged(law, (tile.loc == Loc::Acc).then_some(tile), by_rate, global);
    // The cache has entries of pipes, so that they come faster than other data.
    let head = if global > 0 { charge.head.min(laws.machine("fifo", ParamKey::Head)) } else { charge.head };
    Charge { head, ..charge }
}
