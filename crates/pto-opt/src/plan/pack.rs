//! Packs pieces with live ranges into one memory.

use pto_isa::cancel::poll;

/// A piece: its size and its live range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Bytes.
    pub bytes: u64,
    /// First time it is needed.
    pub start: u32,
    /// Last time.
    pub end: u32,
}

impl Piece {
    fn meets(&self, other: &Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

/// More pieces than this are packed in the order of time only: trying other orders is quadratic.
const FEW: usize = 3000;

/// The peak of live bytes: no packing needs less.
pub fn lower_bound(pieces: &[Piece]) -> u64 {
    let mut events: Vec<(u32, bool, u64)> = Vec::with_capacity(2 * pieces.len());
    for piece in pieces {
        events.push((piece.start, true, piece.bytes));
        events.push((piece.end.saturating_add(1), false, piece.bytes));
    }
    events.sort_unstable();
    let (mut now, mut most) = (0u64, 0u64);
    for (_, begins, bytes) in events {
        now = if begins { now + bytes } else { now - bytes };
        most = most.max(now);
    }
    most
}

/// One after the other, without sharing.
pub fn side_by_side(pieces: &[Piece], floor: u64) -> Vec<u64> {
    let mut next = floor;
    pieces
        .iter()
        .map(|piece| {
            let at = next;
            next += piece.bytes;
            at
        })
        .collect()
}

/// The end of the highest piece.
pub fn peak(pieces: &[Piece], places: &[u64]) -> u64 {
    pieces.iter().zip(places).map(|(piece, at)| at + piece.bytes).max().unwrap_or(0)
}

/// The best of several orders in which pieces take the lowest address that is free during their live range.
pub fn pack(pieces: &[Piece], floor: u64) -> Vec<u64> {
    let in_time = by_time(pieces, floor);
    if pieces.len() > FEW {
        return in_time;
    }
    let length = |p: &Piece| u64::from(p.end - p.start) + 1;
    let mut best = in_time;
    let others = meetings(pieces);
    let mut try_order = |key: &dyn Fn(usize) -> (u64, u64)| {
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        order.sort_by_key(|k| std::cmp::Reverse(key(*k)));
        let places = lowest(pieces, &others, &order, floor);
        if peak(pieces, &places) < peak(pieces, &best) {
            best = places;
        }
    };
    try_order(&|k| (pieces[k].bytes, length(&pieces[k])));
    try_order(&|k| (length(&pieces[k]), pieces[k].bytes));
    try_order(&|k| (pieces[k].bytes * length(&pieces[k]), 0));
    let crowd = crowding(pieces);
    try_order(&|k| (crowd[k], pieces[k].bytes));
    if peak(pieces, &best) > lower_bound(pieces) + floor { improved(pieces, &others, best, floor) } else { best }
}

/// Limit of attempts to improve an order.
const TRIES: usize = 100;

/// Repeatedly lets the highest piece choose first.
fn improved(pieces: &[Piece], others: &[Vec<u32>], mut best: Vec<u64>, floor: u64) -> Vec<u64> {
    let bound = lower_bound(pieces) + floor;
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|k| (best[*k], std::cmp::Reverse(pieces[*k].bytes)));
    for _ in 0..TRIES {
        let places = lowest(pieces, others, &order, floor);
        let top = peak(pieces, &places);
        if top < peak(pieces, &best) {
            best.clone_from(&places);
        }
        if top <= bound {
            break;
        }
        if let Some(at) = order.iter().position(|k| places[*k] + pieces[*k].bytes == top) {
            order[..=at].rotate_right(1);
        }
    }
    best
}

/// For each piece, the peak of live bytes during its live range: crowded pieces choose first.
fn crowding(pieces: &[Piece]) -> Vec<u64> {
    let at = |time: u32| pieces.iter().filter(|p| p.start <= time && time <= p.end).map(|p| p.bytes).sum::<u64>();
    let starts: Vec<(u32, u64)> = pieces.iter().map(|p| (p.start, at(p.start))).collect();
    let during = |p: &Piece| {
        poll();
        starts.iter().filter(|(t, _)| p.start <= *t && *t <= p.end).map(|(_, b)| *b).max()
    };
    pieces.iter().map(|p| during(p).unwrap_or(0)).collect()
}

/// For each piece, those whose live ranges overlap it.
fn meetings(pieces: &[Piece]) -> Vec<Vec<u32>> {
    let others = |(k, piece): (usize, &Piece)| {
        poll();
        let all = (0u32..).zip(pieces);
        all.filter(|(other, p)| *other as usize != k && p.meets(piece)).map(|(other, _)| other).collect()
    };
    pieces.iter().enumerate().map(others).collect()
}

/// Places pieces in an order, each at the lowest address that is free during its live range.
fn lowest(pieces: &[Piece], others: &[Vec<u32>], order: &[usize], floor: u64) -> Vec<u64> {
    const NOWHERE: u64 = u64::MAX;
    let mut places = vec![NOWHERE; pieces.len()];
    let mut busy: Vec<(u64, u64)> = Vec::new();
    for &k in order {
        poll();
        let placed = others[k].iter().map(|other| *other as usize).filter(|other| places[*other] != NOWHERE);
        busy.clear();
        busy.extend(placed.map(|other| (places[other], places[other] + pieces[other].bytes)));
        busy.sort_unstable();
        places[k] = first_gap(&busy, pieces[k].bytes, floor);
    }
    places
}

fn first_gap(busy: &[(u64, u64)], bytes: u64, floor: u64) -> u64 {
    let mut at = floor;
    for &(start, end) in busy {
        if at + bytes <= start {
            break;
        }
        at = at.max(end);
    }
    at
}

/// Places pieces in the order of their start; dead ones are freed.
fn by_time(pieces: &[Piece], floor: u64) -> Vec<u64> {
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|&k| (pieces[k].start, std::cmp::Reverse(pieces[k].bytes)));
    let mut places = vec![0; pieces.len()];
    // Sorted by address; few pieces are live at a time.
    let mut busy: Vec<(u64, u64, u32)> = Vec::new();
    for k in order {
        busy.retain(|(.., until)| *until >= pieces[k].start);
        let ranges: Vec<(u64, u64)> = busy.iter().map(|(start, end, _)| (*start, *end)).collect();
        let at = first_gap(&ranges, pieces[k].bytes, floor);
        let slot = busy.partition_point(|(start, ..)| *start < at);
        busy.insert(slot, (at, at + pieces[k].bytes, pieces[k].end));
        places[k] = at;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_pieces(count: usize, seed: u64) -> Vec<Piece> {
        let mut state = seed;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        (0..count)
            .map(|_| {
                let start = random(count as u64 * 2) as u32;
                Piece { bytes: 32 * (1 << random(8)), start, end: start + random(40) as u32 }
            })
            .collect()
    }

    #[test]
    fn pieces_that_are_needed_at_one_time_do_not_share_bytes() {
        for seed in 0..50 {
            let pieces = random_pieces(60, seed);
            let places = pack(&pieces, 64);
            for (a, x) in pieces.iter().enumerate() {
                assert!(places[a] >= 64);
                for (b, y) in pieces.iter().enumerate().skip(a + 1) {
                    let apart = places[a] + x.bytes <= places[b] || places[b] + y.bytes <= places[a];
                    assert!(apart || !x.meets(y));
                }
            }
        }
    }

    const SETS: u64 = 1000;

    #[test]
    fn packing_is_close_to_what_is_needed() {
        let (mut sum, mut worst) = (0.0, 1.0f64);
        for seed in 0..SETS {
            let pieces = random_pieces(20 + seed as usize % 80, seed);
            let ratio = peak(&pieces, &pack(&pieces, 0)) as f64 / lower_bound(&pieces) as f64;
            sum += ratio;
            worst = worst.max(ratio);
        }
        let average = sum / SETS as f64;
        println!("{average} on average, {worst} at worst");
        assert!(average <= 1.05 && worst <= 1.25, "{average} on average, {worst} at worst");
    }
}
