//! The last accesses of every byte.
//!
//! A memory is divided into pages, and a page into segments of bytes with the same history. Tiles are long runs, so there
//! are few segments, and their bounds are exact.

use pto_cpu::Atomic;
use pto_ir::{OpId, ValueId};
use std::ops::Range;

/// Bytes of a page. Tiles have tens of KiB: smaller pages mean more visits, larger ones make splitting segments slow.
const PAGE: u64 = 16384;
/// The line of a memory that is not divided.
const WHOLE: u64 = u64::MAX;
/// Shorter lines would make pages of few bytes.
const SHORTEST_LINE: u64 = 64;

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
        is_tile(self.tile)
    }
}

fn is_tile(tile: u32) -> bool {
    !matches!(tile, ANY_TILE | NO_TILE | FREED)
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

    /// Replaces the write with one of this team and pipe. The first of a sequence by the same pipe stays.
    #[inline]
    pub fn replace_write(&mut self, (team, thread): (u32, u32), new: impl FnOnce() -> Stamp) {
        let same = |s: &Stamp| (s.team, s.thread) == (team, thread);
        if !(self.earlier.as_ref().is_some_and(same) && self.write.as_ref().is_some_and(same)) {
            self.earlier = self.write;
        }
        self.write = Some(new());
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
    #[inline]
    pub fn lose(&mut self, tile: u32) {
        if tile == ANY_TILE {
            return self.lost.clear();
        }
        self.lost.retain(|lost| lost.tile != tile);
        // No tile is listed twice: its own write has removed it from the list.
        self.lost.extend(self.write.filter(|old| old.is_tile() && is_tile(tile) && old.tile != tile));
    }
}

/// Lines with the same history, byte by byte.
#[derive(Clone, Debug)]
struct LineBand {
    /// First line in its page, and one past the last.
    start: u16,
    end: u16,
    segments: Vec<Segment>,
}

/// The history of one memory.
///
/// A memory is one long line at first. A matrix in global memory is accessed in windows whose rows are one row of the matrix apart: its
/// memory is divided into lines of that length, and a window is one segment instead of one for each of its rows.
#[derive(Debug)]
pub(crate) struct Shadow {
    /// Bytes of a line.
    line: u64,
    /// The pages of some lines, from left to right, then those of the lines below.
    pages: Vec<Vec<LineBand>>,
}

impl Default for Shadow {
    fn default() -> Self {
        Self { line: WHOLE, pages: Vec::new() }
    }
}

/// Lines, and bytes in each of them.
type Rectangle = (Range<u64>, Range<u64>);

impl Shadow {
    /// Memory used by the history.
    pub fn bytes(&self) -> u64 {
        let segment = |s: &Segment| {
            size_of::<Segment>() + (s.reads.capacity() + s.lost.capacity() + s.atomics.capacity()) * size_of::<Stamp>()
        };
        let band = |b: &LineBand| size_of::<LineBand>() + b.segments.iter().map(segment).sum::<usize>();
        let page = |p: &Vec<LineBand>| size_of::<Vec<LineBand>>() + p.iter().map(band).sum::<usize>();
        self.pages.iter().map(page).sum::<usize>() as u64
    }

    /// Visits the segments of a range, split at its ends, with the first byte of each and the distance to the end of its last.
    /// Creates histories for bytes without one.
    #[inline]
    pub fn visit(&mut self, start: u64, bytes: u64, mut each: impl FnMut(u64, u64, &mut Segment)) {
        match self.known(start, bytes) {
            Some(segment) => each(start, bytes, segment),
            None => self.visit_pieces(start, bytes, &mut each),
        }
    }

    /// The segment of exactly these bytes, if there is one: most accesses are those of a tile that was accessed before.
    #[inline]
    fn known(&mut self, start: u64, bytes: u64) -> Option<&mut Segment> {
        if self.line != WHOLE {
            return None;
        }
        let band = self.pages.get_mut((start / PAGE) as usize)?.first_mut()?;
        let (first, end) = (start % PAGE, start % PAGE + bytes);
        let at = match band.segments.as_slice() {
            [_] => 0,
            all => all.partition_point(|s| u64::from(s.end) <= first),
        };
        band.segments.get_mut(at).filter(|s| u64::from(s.start) == first && u64::from(s.end) == end)
    }

    #[inline(never)]
    fn visit_pieces(&mut self, start: u64, bytes: u64, each: &mut dyn FnMut(u64, u64, &mut Segment)) {
        for rectangle in rectangles(self.line, start, start + bytes).into_iter().flatten() {
            self.visit_rectangle(rectangle, &mut |at, line, segment| each(at.0, at.1 + line, segment));
        }
    }

    /// The same for rows that are `stride` bytes apart, which is more than they have.
    pub fn visit_rows(
        &mut self,
        (start, bytes): (u64, u64),
        (rows, stride): (u64, u64),
        each: &mut dyn FnMut(u64, u64, &mut Segment),
    ) {
        if self.line == WHOLE && stride >= SHORTEST_LINE {
            self.divide(stride);
        }
        if self.line != stride {
            return (0..rows).for_each(|row| self.visit_pieces(start + row * stride, bytes, each));
        }
        let (line, first) = (start / stride, start % stride);
        let mut visit = |lines: Range<u64>, bytes: Range<u64>| {
            self.visit_rectangle((lines, bytes), &mut |at, more, segment| each(at.0, at.1 + more, segment));
        };
        visit(line..line + rows, first..stride.min(first + bytes));
        if first + bytes > stride {
            visit(line + 1..line + 1 + rows, 0..first + bytes - stride);
        }
    }

    /// Visits every run of bytes in a range that has one history. A segment of several lines has several.
    pub fn each_run(&mut self, start: u64, bytes: u64, mut each: impl FnMut(u64, u64, &Segment)) {
        let line = self.line;
        for rectangle in rectangles(line, start, start + bytes).into_iter().flatten() {
            self.visit_rectangle(rectangle, &mut |(first, bytes), more, segment| {
                (0..=more / line).for_each(|k| each(first + k * line, bytes, segment));
            });
        }
    }

    /// Divides the memory into lines.
    fn divide(&mut self, line: u64) {
        let pages = std::mem::replace(self, Self { line, pages: Vec::new() }).pages;
        for (page, bands) in pages.into_iter().enumerate() {
            for old in bands.into_iter().flat_map(|band| band.segments) {
                let start = page as u64 * PAGE + u64::from(old.start);
                self.visit(start, u64::from(old.end - old.start), |_, _, new| {
                    *new = Segment { start: new.start, end: new.end, ..old.clone() };
                });
            }
        }
    }

    /// Visits a rectangle, with the first byte and the bytes of a line of each segment, and how far its last line is from its first.
    fn visit_rectangle(&mut self, (lines, bytes): Rectangle, each: &mut impl FnMut((u64, u64), u64, &mut Segment)) {
        let line = self.line;
        let (height, across) = if line == WHOLE { (1, 0) } else { (page_lines(line), line.div_ceil(PAGE)) };
        let mut top = lines.start;
        while top < lines.end {
            let row = if line == WHOLE { 0 } else { top / height };
            let bottom = lines.end.min((row + 1) * height);
            let mut left = bytes.start;
            while left < bytes.end {
                let column = left / PAGE;
                let right = bytes.end.min((column + 1) * PAGE);
                let page = (row * across + column) as usize;
                if self.pages.len() <= page {
                    self.pages.resize_with(page + 1, Vec::new);
                }
                let (above, before) = (row * height, column * PAGE);
                let inside =
                    ((top - above) as u16..(bottom - above) as u16, (left - before) as u16..(right - before) as u16);
                visit_bands(&mut self.pages[page], inside, &mut |lines, segment| {
                    let (start, end) = (u64::from(segment.start), u64::from(segment.end));
                    let down = if line == WHOLE { 0 } else { (above + u64::from(lines.start)) * line };
                    let more = if line == WHOLE { 0 } else { u64::from(lines.end - 1 - lines.start) * line };
                    each((down + before + start, end - start), more, segment);
                });
                left = right;
            }
            top = bottom;
        }
    }
}

/// Lines of a page: few enough to make room between them quickly, many enough for the rows of a window.
fn page_lines(line: u64) -> u64 {
    (4 * PAGE / line).max(64)
}

/// The rectangles that a range consists of: the rest of its first line, whole lines, and the start of its last line.
fn rectangles(line: u64, start: u64, end: u64) -> [Option<Rectangle>; 3] {
    if line == WHOLE {
        return [Some((0..1, start..end)), None, None];
    }
    let (first, last) = (start / line, end / line);
    let (left, right) = (start % line, end % line);
    if first == last {
        return [Some((first..last + 1, left..right)), None, None];
    }
    let whole = first + u64::from(left > 0);
    [
        (left > 0).then_some((first..first + 1, left..line)),
        (whole < last).then_some((whole..last, 0..line)),
        (right > 0).then_some((last..last + 1, 0..right)),
    ]
}

fn visit_bands(
    page: &mut Vec<LineBand>,
    (lines, bytes): (Range<u16>, Range<u16>),
    each: &mut impl FnMut(Range<u16>, &mut Segment),
) {
    let mut index = page.partition_point(|b| b.end <= lines.start);
    cut_band(page, index, lines.start);
    if page.get(index).is_some_and(|b| b.start < lines.start) {
        index += 1;
    }
    let mut at = lines.start;
    while at < lines.end {
        let next = page.get(index).map_or(lines.end, |b| b.start.min(lines.end));
        if at < next {
            page.insert(index, LineBand { start: at, end: next, segments: Vec::new() });
        } else {
            cut_band(page, index, lines.end);
        }
        let band = &mut page[index];
        let own = band.start..band.end;
        visit_line(&mut band.segments, bytes.start, bytes.end, &mut |segment| each(own.clone(), segment));
        at = own.end;
        index += 1;
    }
}

/// Splits a band, if the line lies inside it.
fn cut_band(page: &mut Vec<LineBand>, index: usize, at: u16) {
    let Some(band) = page.get_mut(index) else { return };
    if band.start < at && at < band.end {
        let rest = LineBand { start: at, ..band.clone() };
        band.end = at;
        page.insert(index + 1, rest);
    }
}

fn visit_line(line: &mut Vec<Segment>, start: u16, end: u16, each: &mut impl FnMut(&mut Segment)) {
    let mut index = line.partition_point(|s| s.end <= start);
    cut(line, index, start);
    if line.get(index).is_some_and(|s| s.start < start) {
        index += 1;
    }
    let mut at = start;
    while at < end {
        let next = line.get(index).map_or(end, |s| s.start.min(end));
        if at < next {
            line.insert(index, Segment::new(at, next));
        } else {
            cut(line, index, end);
        }
        each(&mut line[index]);
        at = line[index].end;
        index += 1;
    }
}

/// Splits a segment, if the byte lies inside it.
fn cut(line: &mut Vec<Segment>, index: usize, at: u16) {
    let Some(segment) = line.get_mut(index) else { return };
    if segment.start < at && at < segment.end {
        let mut rest = segment.clone();
        segment.end = at;
        rest.start = at;
        line.insert(index + 1, rest);
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

    fn stamp() -> Stamp {
        Stamp {
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
        }
    }

    fn random() -> impl FnMut(u64) -> u64 {
        let mut state = 1u64;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    fn note(shadow: &mut Shadow, start: u64, bytes: u64) {
        shadow.visit(start, bytes, |_, _, segment| segment.reads.push(stamp()));
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
    fn windows_of_a_matrix_are_segments_of_lines() {
        let mut shadow = Shadow::default();
        note(&mut shadow, 100, 200);
        let mut visited = 0;
        shadow.visit_rows((2048 + 64, 32), (100, 128), &mut |_, _, segment| {
            visited += 1;
            segment.reads.push(stamp());
        });
        assert_eq!((visited, shadow.line), (1, 128));
        assert_eq!(pieces(&mut shadow, 100, 200), [(100, 28, 1), (128, 128, 1), (256, 44, 1)]);
        let mut runs = Vec::new();
        shadow.each_run(2048, 256, |first, size, segment| runs.push((first, size, segment.reads.len())));
        let line = |first| [(first, 64, 0), (first + 64, 32, 1), (first + 96, 32, 0)];
        runs.sort_unstable();
        assert_eq!(runs, [line(2048), line(2176)].concat());
    }

    #[test]
    fn windows_have_the_history_of_a_plain_table() {
        let mut shadow = Shadow::default();
        let mut plain = vec![0usize; 40 * PAGE as usize];
        let mut random = random();
        for turn in 0..400 {
            let start = random(8 * PAGE);
            let (bytes, rows) = (1 + random(699), 1 + random(99));
            let stride = if turn % 3 == 0 { 1234 } else { 700 };
            shadow.visit_rows((start, bytes), (rows, stride), &mut |_, _, segment| segment.reads.push(stamp()));
            for row in 0..rows {
                let first = (start + row * stride) as usize;
                plain[first..first + bytes as usize].iter_mut().for_each(|n| *n += 1);
            }
        }
        let mut counted = 0;
        shadow.each_run(0, 40 * PAGE, |first, size, segment| {
            assert!(plain[first as usize..(first + size) as usize].iter().all(|n| *n == segment.reads.len()));
            counted += size;
        });
        assert_eq!(counted, 40 * PAGE);
    }

    #[test]
    fn every_byte_has_the_history_of_a_plain_table() {
        let mut shadow = Shadow::default();
        let mut plain = vec![0usize; 3 * PAGE as usize];
        let mut random = random();
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
