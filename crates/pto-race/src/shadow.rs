//! The last accesses of every byte.
//!
//! A memory is divided into pages, and a page into segments of bytes with the same history. Tiles are long runs, so there
//! are few segments, and their bounds are exact.

use pto_cpu::Atomic;
use pto_ir::{OpId, ValueId};

/// Bytes of a page. Tiles have tens of KiB: smaller pages mean more visits, larger ones make splitting segments slow.
const PAGE: u64 = 16384;

/// Stands for every tile: the bytes were changed in place, under two names.
pub(crate) const ANY_TILE: u32 = u32::MAX;
/// Not a tile.
pub(crate) const NO_TILE: u32 = u32::MAX - 1;
/// The slot of a popped tile that was freed.
pub(crate) const FREED: u32 = u32::MAX - 2;

/// An access that is remembered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stamp {
    /// The cores that run together. Accesses of different teams are unordered.
    pub team: u32,
    /// The pipe, counted over the cores of the team.
    pub thread: u32,
    /// Its position in the pipe, from 1.
    pub time: u32,
    /// The time of the scalar unit of its core when it was issued.
    pub issued: u32,
    pub op: OpId,
    /// Its position among the steps of the core.
    pub step: u32,
    pub value: Option<ValueId>,
    /// The tile, for any window of it, and its first byte.
    pub tile: u32,
    pub origin: u32,
    pub atomic: Atomic,
}

impl Stamp {
    /// True when it is known which tile it touched.
    pub fn is_tile(&self) -> bool {
        !matches!(self.tile, ANY_TILE | NO_TILE | FREED)
    }
}

/// Bytes with one history.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// First byte in its page, and one past the last.
    start: u16,
    end: u16,
    pub write: Option<Stamp>,
    /// Atomic stores since then, the last of each pipe and kind. They may be unordered, so all are kept.
    pub atomics: Vec<Stamp>,
    /// The first write of a sequence by the same pipe, or the last write but one.
    pub earlier: Option<Stamp>,
    /// Reads since then that are unordered with each other.
    pub reads: Vec<Stamp>,
    /// Tiles that later writes have overwritten, each with its last own write.
    pub lost: Vec<Stamp>,
}

impl Segment {
    fn new(start: u16, end: u16) -> Self {
        let (reads, atomics, lost) = (Vec::new(), Vec::new(), Vec::new());
        Self { start, end, write: None, atomics, earlier: None, reads, lost }
    }

    /// The earlier write, once there is a new one.
    pub fn earlier_than(&self, new: &Stamp) -> Option<Stamp> {
        let same = |s: &Stamp| (s.team, s.thread) == (new.team, new.thread);
        match (self.earlier.filter(same), self.write) {
            (Some(first), Some(last)) if same(&last) => Some(first),
            (_, last) => last,
        }
    }

    /// Records an atomic store beside those of others. One of earlier teams is enough: nothing orders any of them with later
    /// accesses.
    pub fn combine(&mut self, new: &Stamp) {
        let mut gone = None;
        self.atomics.retain(|old| {
            if old.team == new.team {
                return (old.thread, old.atomic) != (new.thread, new.atomic);
            }
            let first = gone.is_none_or(|kind| kind != old.atomic);
            gone = Some(old.atomic);
            first
        });
        self.atomics.push(*new);
    }

    /// A write overwrites the data of the tile that was there.
    pub fn lose(&mut self, new: &Stamp) {
        if new.tile == ANY_TILE {
            return self.lost.clear();
        }
        self.lost.retain(|lost| lost.tile != new.tile);
        // No tile is listed twice: its own write has removed it from the list.
        self.lost.extend(self.write.filter(|old| old.is_tile() && new.is_tile() && old.tile != new.tile));
    }
}

/// The history of one memory.
#[derive(Default, Debug)]
pub(crate) struct Shadow {
    pages: Vec<Vec<Segment>>,
}

impl Shadow {
    /// Memory used by the history.
    pub fn bytes(&self) -> u64 {
        let segment = |s: &Segment| {
            size_of::<Segment>() + (s.reads.capacity() + s.lost.capacity() + s.atomics.capacity()) * size_of::<Stamp>()
        };
        let page = |p: &Vec<Segment>| size_of::<Vec<Segment>>() + p.iter().map(segment).sum::<usize>();
        self.pages.iter().map(page).sum::<usize>() as u64
    }

    /// Visits the segments of a range, split at its ends, with the first byte and the size of each. Creates histories for
    /// bytes without one.
    pub fn visit(&mut self, start: u64, bytes: u64, mut each: impl FnMut(u64, u64, &mut Segment)) {
        let end = start + bytes;
        let mut at = start;
        while at < end {
            let page = (at / PAGE) as usize;
            let stop = end.min((page as u64 + 1) * PAGE);
            if self.pages.len() <= page {
                self.pages.resize_with(page + 1, Vec::new);
            }
            let base = page as u64 * PAGE;
            visit_page(&mut self.pages[page], (at - base) as u16, (stop - base) as u16, &mut |segment| {
                each(base + u64::from(segment.start), u64::from(segment.end - segment.start), segment);
            });
            at = stop;
        }
    }
}

fn visit_page(page: &mut Vec<Segment>, start: u16, end: u16, each: &mut impl FnMut(&mut Segment)) {
    let mut index = page.partition_point(|s| s.end <= start);
    cut(page, index, start);
    if page.get(index).is_some_and(|s| s.start < start) {
        index += 1;
    }
    let mut at = start;
    while at < end {
        let next = page.get(index).map_or(end, |s| s.start.min(end));
        if at < next {
            page.insert(index, Segment::new(at, next));
        } else {
            cut(page, index, end);
        }
        each(&mut page[index]);
        at = page[index].end;
        index += 1;
    }
}

/// Splits a segment, if the byte lies inside it.
fn cut(page: &mut Vec<Segment>, index: usize, at: u16) {
    let Some(segment) = page.get_mut(index) else { return };
    if segment.start < at && at < segment.end {
        let mut rest = segment.clone();
        segment.end = at;
        rest.start = at;
        page.insert(index + 1, rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(shadow: &mut Shadow, start: u64, bytes: u64) -> Vec<(u64, u64, usize)> {
        let mut list = Vec::new();
        shadow.visit(start, bytes, |first, size, segment| list.push((first, size, segment.reads.len())));
        list
    }

    fn note(shadow: &mut Shadow, start: u64, bytes: u64) {
        let stamp = Stamp {
            team: 0,
            thread: 0,
            time: 1,
            issued: 0,
            op: OpId::from_index(0),
            step: 0,
            value: None,
            tile: NO_TILE,
            origin: 0,
            atomic: Atomic::No,
        };
        shadow.visit(start, bytes, |_, _, segment| segment.reads.push(stamp));
    }

    #[test]
    fn ranges_are_cut_where_histories_differ() {
        let mut shadow = Shadow::default();
        note(&mut shadow, 100, 100);
        note(&mut shadow, 150, 100);
        assert_eq!(pieces(&mut shadow, 90, 170), [(90, 10, 0), (100, 50, 1), (150, 50, 2), (200, 50, 1), (250, 10, 0)]);
        assert_eq!(pieces(&mut shadow, 120, 10), [(120, 10, 1)]);
    }

    #[test]
    fn ranges_go_over_pages() {
        let mut shadow = Shadow::default();
        note(&mut shadow, PAGE - 8, 16);
        assert_eq!(pieces(&mut shadow, PAGE - 8, 16), [(PAGE - 8, 8, 1), (PAGE, 8, 1)]);
    }

    #[test]
    fn every_byte_has_the_history_of_a_plain_table() {
        let mut shadow = Shadow::default();
        let mut plain = vec![0usize; 3 * PAGE as usize];
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..500 {
            let start = random(3 * PAGE - 300);
            let bytes = 1 + random(299);
            note(&mut shadow, start, bytes);
            plain[start as usize..(start + bytes) as usize].iter_mut().for_each(|n| *n += 1);
        }
        for (first, size, reads) in pieces(&mut shadow, 0, 3 * PAGE) {
            assert!(plain[first as usize..(first + size) as usize].iter().all(|n| *n == reads));
        }
    }
}
