//! The loads and stores among instructions that are executed strip by strip.
//!
//! A tile that nothing else uses need not be filled: what would read it reads the window that is loaded, and what would write it
//! writes the window that it is stored to.

#![expect(unsafe_code, reason = "windows take the place of tiles")]

use super::collected::Collected;
use super::strip_shape::{Footprint, StripShape, are_apart, size};
use crate::guard::{GuardLock, Guards, Touched};
use crate::kernels::{Fetch, FetchedRange, TileRef, ViewRef, ahead, check_window, copy_past, finish_past};
use crate::prepared::Plan;
use pto_isa::{GlobalLayout, Loc, Pad};
use std::ops::Range;

/// Most loads and stores that are executed together.
pub(super) const MOST_TRANSFERS: usize = 8;

/// Buffers of more bytes are not in the cache when they are read next: what is stored to them goes past it.
const HUGE_BUFFER: usize = 32 << 20;

/// The windows of a shape.
#[derive(Clone, Default)]
pub(super) struct StripWindows {
    transfers: Vec<StripTransfer>,
    /// Tiles that windows take the place of.
    replaced: Vec<Replaced>,
    /// What is fetched while the instructions are executed.
    ahead: Vec<Ahead>,
    /// Lines of each of them that are fetched for a span of a row.
    pace: usize,
    /// The locks of all windows are taken for all strips at once.
    locks_at_once: bool,
}

/// A load or a store.
#[derive(Clone, Copy)]
pub(super) struct StripTransfer {
    /// The number of its call.
    call: usize,
    /// The position of its tile.
    tile: usize,
    /// The first row outside.
    start: *mut u8,
    /// Bytes from one row to the next outside.
    stride: usize,
    /// Bytes of a row.
    bytes: usize,
    is_store: bool,
    /// What it stores goes past the cache, from the nearest of which it comes.
    is_past: bool,
    /// The same in the execution before.
    was_past: bool,
    /// There is code that makes it so.
    can_go_past: bool,
    /// Nothing but the instructions themselves may need the tile.
    may_be_direct: bool,
    /// The window takes the place of the tile.
    is_direct: bool,
    /// The stride of the execution before.
    old_stride: usize,
    /// Lines of a strip.
    lines: usize,
    /// From the window of the execution before to this one.
    onward: isize,
}

/// An operand of a call that is a window instead of a tile.
#[derive(Clone, Copy)]
struct Replaced {
    call: usize,
    tile: usize,
    transfer: usize,
}

impl StripWindows {
    /// Finds where the windows lie; false if they are not rows of contiguous elements, or if rows of one may depend on other rows of
    /// another.
    pub fn find(&mut self, plan: &Plan, all: &Collected<'_>, shape: &StripShape) -> bool {
        let mut count = 0;
        for number in (0..all.calls.len()).filter(|number| !all.calls[*number].views.is_empty()) {
            let transfer = transfer(plan, all, shape, number).filter(|_| count < MOST_TRANSFERS);
            let Some(transfer) = transfer else {
                self.transfers.clear();
                self.replaced.clear();
                return false;
            };
            match self.transfers.get_mut(count) {
                Some(before) => *before = transfer.after(before),
                None => self.transfers.push(transfer),
            }
            count += 1;
        }
        self.transfers.truncate(count);
        self.locks_at_once = self.are_dense_and_apart(all);
        self.choose_past(all);
        let mut footprints = [Footprint::NOWHERE; MOST_TRANSFERS];
        for (t, footprint) in self.transfers.iter().zip(&mut footprints) {
            *footprint = t.footprint();
        }
        are_apart(&footprints[..count], shape.count)
    }

    /// True when no window has gaps and none shares a buffer with another: then other threads hardly ever wait for the locks of all of them,
    /// and they are taken once for all strips. A lock waits for all stores before it, for which memory takes long.
    fn are_dense_and_apart(&self, all: &Collected<'_>) -> bool {
        let buffer = |t: &StripTransfer| all.calls[t.call].buffer;
        let is_apart = |at: usize, t: &StripTransfer| self.transfers[..at].iter().all(|o| buffer(o) != buffer(t));
        self.transfers.iter().enumerate().all(|(at, t)| t.stride == t.bytes && is_apart(at, t))
    }

    /// Chooses the stores that go past the cache. They have to be waited for before a lock is given back.
    fn choose_past(&mut self, all: &Collected<'_>) {
        let may_be_past = !all.is_shared || self.locks_at_once;
        for t in self.transfers.iter_mut().filter(|t| t.is_store) {
            t.is_past = may_be_past && all.views[all.calls[t.call].views.start].bytes() > HUGE_BUFFER;
        }
    }

    /// Locks for all strips, if they are taken at once.
    pub fn hold<'g>(&self, all: &Collected<'_>, guards: &'g Guards<'g>) -> Option<GuardLock<'g, MOST_TRANSFERS>> {
        let mut touched = [None; MOST_TRANSFERS];
        for (t, touched) in self.transfers.iter().zip(&mut touched) {
            *touched = all.touched[all.calls[t.call].views.start];
        }
        self.locks_at_once.then(|| guards.hold(touched))
    }

    /// Finds the stores whose data can go past the cache from where it is made.
    pub fn find_past(&mut self, plan: &Plan, all: &Collected<'_>, shape: &StripShape) {
        for t in self.transfers.iter_mut().filter(|t| t.is_store) {
            t.can_go_past = makers(all, shape, t).is_some_and(|makers| goes_past(plan, all, &makers));
        }
    }

    /// Finds the windows that may take the place of their tiles; true if they are not those of the execution before.
    pub fn choose_direct(&mut self, plan: &Plan, all: &Collected<'_>, shape: &StripShape) -> bool {
        let mut changed = false;
        for number in 0..self.transfers.len() {
            let t = self.transfers[number];
            let is_owned = plan.calls.kernels[all.calls[t.call].which].own_tiles & 1 != 0 && !all.keeps_tiles;
            let size = size(&all.tiles[t.tile]);
            let is_aligned = (t.start as usize).is_multiple_of(size) && t.stride.is_multiple_of(size);
            // Accesses of the same rows stay in the order of the program.
            let meets = |o: &StripTransfer| {
                let other = o.call != t.call && (o.is_store || t.is_store);
                other && o.footprint().overlaps(&t.footprint(), shape.count)
            };
            let goes_right = !t.is_past || t.can_go_past;
            let may_be_direct = is_owned && is_aligned && goes_right && !self.transfers.iter().any(meets);
            changed |= may_be_direct != t.may_be_direct || t.stride != t.old_stride || t.is_past != t.was_past;
            self.transfers[number].may_be_direct = may_be_direct;
        }
        changed
    }

    /// Finds the tiles that windows take the place of.
    pub fn redirect(&mut self, all: &Collected<'_>, shape: &StripShape) {
        self.replaced.clear();
        for (number, t) in self.transfers.iter_mut().enumerate() {
            let users = if t.is_store { makers(all, shape, t) } else { readers(all, shape, t) };
            let users = users.filter(|_| t.may_be_direct);
            t.is_direct = users.is_some();
            let replaced = |(call, tile)| Replaced { call, tile, transfer: number };
            self.replaced.extend(users.into_iter().flatten().map(replaced));
        }
    }

    /// True when windows take the place of all tiles that are loaded and stored.
    pub fn are_direct(&self) -> bool {
        self.transfers.iter().all(|t| t.is_direct)
    }

    /// Puts windows in the place of tiles.
    pub fn replace_tiles(&self, tiles: &mut [TileRef<'_>]) {
        for r in &self.replaced {
            let (t, tile) = (&self.transfers[r.transfer], &tiles[r.tile]);
            let strides = (t.stride / size(tile), 1);
            // SAFETY: the window was checked to have the rows and columns of the tile inside of its buffer, and instructions that
            // can be divided touch no others.
            tiles[r.tile] = unsafe { TileRef::new(t.start, tile.geometry(), (tile.rows(), tile.cols()), strides) };
        }
    }

    /// Bytes from one row of an operand to the next, if a window has taken its place.
    pub fn step_of(&self, tile: usize) -> Option<usize> {
        let replaced = self.replaced.iter().find(|r| r.tile == tile)?;
        Some(self.transfers[replaced.transfer].stride)
    }

    /// True when an operand is a window whose data goes past the cache.
    pub fn is_past(&self, tile: usize) -> bool {
        self.replaced.iter().any(|r| r.tile == tile && self.transfers[r.transfer].is_past)
    }

    /// True when a call touches a window.
    #[inline(always)]
    pub fn is_used_by(&self, call: usize) -> bool {
        self.copy_of(call).is_some() || self.replaced.iter().any(|r| r.call == call)
    }

    /// The load or store that a call is, if it is not done by other instructions.
    #[inline(always)]
    pub fn copy_of(&self, call: usize) -> Option<&StripTransfer> {
        self.transfers.iter().find(|t| t.call == call && !t.is_direct)
    }

    /// What of global memory some calls touch in a strip.
    pub fn touched(
        &self,
        calls: &Range<usize>,
        all: &Collected<'_>,
        first: usize,
        rows: usize,
    ) -> [Option<Touched>; MOST_TRANSFERS] {
        let mut touched = [None; MOST_TRANSFERS];
        for (number, (t, touched)) in self.transfers.iter().zip(&mut touched).enumerate() {
            let is_used = (calls.contains(&t.call) && !t.is_direct)
                || self.replaced.iter().any(|r| calls.contains(&r.call) && r.transfer == number);
            *touched =
                all.touched[all.calls[t.call].views.start].filter(|_| is_used).map(|whole| t.part(whole, first, rows));
        }
        touched
    }

    /// Begins to fetch: the rows that are loaded in the next strip, and those that are stored in this one.
    pub fn begin_fetching(
        &mut self,
        (count, per_strip): (usize, usize),
        (steps, spans): (usize, usize),
        is_wanted: bool,
    ) {
        self.ahead.clear();
        self.pace = 0;
        for t in self.transfers.iter().filter(|t| is_wanted && t.stride == t.bytes && !t.is_past) {
            let done = if t.is_store { 0 } else { (per_strip * t.bytes).min(count * t.bytes) };
            let (at, next) = (t.start.wrapping_add(done), t.start.wrapping_offset(t.onward));
            let lines = (count * t.bytes - done).div_ceil(ahead::LINE);
            let share = t.lines.div_ceil(steps.max(1));
            self.pace = self.pace.max(if spans > 0 { t.lines.div_ceil(spans) } else { 0 });
            self.ahead.push(Ahead { at, lines, per_strip: t.lines, share, next, to_write: t.is_store });
        }
        // One that is read and one that is written are worth most between the spans of rows.
        if let Some(written) = self.ahead.iter().position(|ahead| ahead.to_write).filter(|at| *at > 1) {
            self.ahead.swap(1, written);
        }
    }

    /// Before locks are given back, stores that went past the cache become visible to other threads. Otherwise that is done at the end: it
    /// waits for memory.
    pub fn finish(&self, all: &Collected<'_>) {
        if all.is_shared && self.transfers.iter().any(|t| t.is_past) {
            finish_past();
        }
    }

    /// What is fetched between the spans of rows while a strip is worked on.
    #[inline(always)]
    pub fn fetch_of_strip(&mut self) -> Fetch {
        let mut fetch = Fetch { pace: self.pace, ..Fetch::NONE };
        if self.pace > 0 {
            let mut reads = 0;
            for ahead in self.ahead.iter_mut().take(fetch.ranges.len()) {
                // What is written comes second, whichever instruction is first.
                let place = if ahead.to_write { 1 } else { reads };
                reads += usize::from(!ahead.to_write);
                fetch.claims |= ahead.to_write;
                fetch.ranges[place] = ahead.next_lines(ahead.per_strip);
            }
        }
        fetch
    }

    /// Fetches some of what is too much for that.
    #[inline(always)]
    pub fn fetch_some(&mut self) {
        let beside = if self.pace > 0 { Fetch::NONE.ranges.len() } else { 0 };
        self.ahead.iter_mut().skip(beside).for_each(Ahead::some);
    }
}

/// What steps are made from.
#[derive(Clone, Copy)]
pub(super) struct StripFacts<'a, 'p> {
    pub all: &'a Collected<'p>,
    pub shape: &'a StripShape,
    pub windows: &'a StripWindows,
}

impl StripFacts<'_, '_> {
    /// True when a window has taken the place of a tile.
    pub fn is_window(&self, tile: usize) -> bool {
        self.windows.step_of(tile).is_some()
    }

    /// The bytes from one row of an operand to the next: within a strip, and for each row from strip to strip.
    pub fn distances(&self, tile: usize) -> (usize, usize) {
        let own = self.shape.rows[tile].step;
        let kept = if self.shape.reused[tile] { 0 } else { own };
        self.windows.step_of(tile).map_or((own, kept), |step| (step, step))
    }

    /// True when two tiles may share memory. Windows never lie in the memory of a core, and two that share bytes are not in the place of tiles.
    pub fn overlap(&self, one: usize, other: usize) -> bool {
        let is_inside = !self.is_window(one) && !self.is_window(other);
        is_inside && self.shape.rows[one].overlaps(&self.shape.rows[other], self.shape.count)
    }

    /// True when nothing needs what a tile holds after a call: every strip makes it anew, and no later call reads it.
    pub fn is_dead_after(&self, tile: usize, call: usize) -> bool {
        let Self { all, shape, windows } = *self;
        // A load or store that a window has taken the place of does not touch its tile.
        let is_direct = |number: usize| !all.calls[number].views.is_empty() && windows.copy_of(number).is_none();
        let later = (call + 1..all.calls.len()).filter(|number| !is_direct(*number));
        let mut touching = later.flat_map(|number| all.calls[number].tiles.clone());
        let reads = |at: usize| shape.rows[at].reads && shape.rows[at].overlaps(&shape.rows[tile], shape.count);
        shape.reused[tile] && !touching.any(reads)
    }
}

/// The load or store that a call is; `None` if it cannot be divided.
fn transfer(plan: &Plan, all: &Collected<'_>, shape: &StripShape, number: usize) -> Option<StripTransfer> {
    let call = &all.calls[number];
    let tile = call.tiles.start;
    let combines = all.scalars[call.scalars.clone()].iter().any(|s| *s != 0);
    if combines || call.views.len() != 1 {
        return None;
    }
    let window = window(&all.tiles[tile], &all.views[call.views.start], shape.by_columns[number])?;
    let is_store = plan.calls.kernels[call.which].views[0].writes;
    let lines = (shape.per_strip * window.bytes).div_ceil(ahead::LINE);
    Some(StripTransfer { call: number, tile, is_store, lines, ..window })
}

/// A window as rows of contiguous elements, for a tile.
fn window(tile: &TileRef, view: &ViewRef, by_columns: bool) -> Option<StripTransfer> {
    let [a, b, c, rows, _] = view.shape();
    let [.., down, right] = view.strides();
    let ty = tile.geometry();
    let is_plain = ty.loc == Loc::Vec && ty.pad == Pad::Null && view.layout() == GlobalLayout::Nd;
    let is_matrix = a * b * c == 1 && (right == 1 || tile.cols() == 1) && (down > 0 || rows == 1);
    let size = size(tile);
    if !is_plain || !is_matrix || check_window(tile, view, 8 * size).is_err() {
        return None;
    }
    let bytes = if by_columns { size } else { tile.cols() * size };
    let stride = if by_columns { size } else { usize::try_from(down).ok()?.checked_mul(size)? };
    (bytes <= stride).then_some(StripTransfer {
        call: 0,
        tile: 0,
        start: view.start(),
        stride,
        bytes,
        is_store: false,
        is_past: false,
        was_past: false,
        can_go_past: false,
        may_be_direct: false,
        is_direct: false,
        old_stride: 0,
        lines: 0,
        onward: 0,
    })
}

/// A call, and the position of one of its tiles.
type CallTile = (usize, usize);

/// Every tile of every call.
fn tiles_of<'a>(all: &'a Collected<'_>) -> impl DoubleEndedIterator<Item = CallTile> + 'a {
    all.calls.iter().enumerate().flat_map(|(number, call)| call.tiles.clone().map(move |tile| (number, tile)))
}

/// The operands that read what a load brings, up to the call that overwrites it. `None` if the tile itself is needed.
fn readers(all: &Collected<'_>, shape: &StripShape, load: &StripTransfer) -> Option<Vec<CallTile>> {
    let own = &shape.rows[load.tile];
    let mut readers = Vec::new();
    let mut overwritten = None;
    for (call, tile) in tiles_of(all).filter(|(call, _)| *call != load.call) {
        let other = &shape.rows[tile];
        if !other.overlaps(own, shape.count) || overwritten.is_some_and(|by| by < call) {
            continue;
        }
        let is_copied = !all.calls[call].views.is_empty();
        if call < load.call || !other.is_same(own) || (other.reads && (other.writes || is_copied)) {
            return None;
        }
        if other.reads {
            readers.push((call, tile));
        } else if other.writes {
            overwritten = Some(call);
        }
    }
    Some(readers)
}

/// True when there is code for the operand that makes what is stored which writes past the cache.
fn goes_past(plan: &Plan, all: &Collected<'_>, makers: &[CallTile]) -> bool {
    let code = |number: usize| {
        let call = &all.calls[number];
        let code = &plan.calls.kernels[call.which].code;
        code.rows(&all.tiles[call.tiles.clone()], &all.scalars[call.scalars.clone()])?.run_past
    };
    makers.iter().all(|(call, _)| code(*call).is_some())
}

/// The operand that makes what is stored. `None` if the tile itself is needed.
fn makers(all: &Collected<'_>, shape: &StripShape, store: &StripTransfer) -> Option<Vec<CallTile>> {
    let own = &shape.rows[store.tile];
    let touching = |(_, tile): &CallTile| shape.rows[*tile].overlaps(own, shape.count);
    let mut touches: Vec<CallTile> = tiles_of(all).filter(touching).collect();
    if touches.iter().any(|(_, tile)| !shape.rows[*tile].is_same(own)) {
        return None;
    }
    // The first use must not read what an execution before left there.
    let is_fresh = touches.first().is_some_and(|(call, _)| {
        let mut uses = touches.iter().filter(|(other, _)| other == call);
        uses.all(|(_, tile)| !shape.rows[*tile].reads)
    });
    if !is_fresh || touches.pop().is_none_or(|(call, _)| call != store.call) {
        return None;
    }
    let last = touches.last()?.0;
    let mut made = touches.iter().filter(|(call, tile)| *call == last && shape.rows[*tile].writes);
    let maker = *made.next()?;
    let is_kernel = all.calls[last].views.is_empty();
    (is_kernel && made.next().is_none() && !shape.rows[maker.1].reads).then_some(vec![maker])
}

impl StripTransfer {
    /// With what is known of the execution before.
    fn after(self, before: &Self) -> Self {
        let onward = (self.start as isize).wrapping_sub(before.start as isize);
        let &Self { may_be_direct, is_direct, can_go_past, is_past: was_past, stride: old_stride, .. } = before;
        Self { onward, may_be_direct, is_direct, can_go_past, was_past, old_stride, ..self }
    }

    fn footprint(&self) -> Footprint {
        let (reads, writes) = (!self.is_store, self.is_store);
        Footprint { start: self.start as usize, step: self.stride, bytes: self.bytes, reads, writes }
    }

    fn part(&self, whole: Touched, first: usize, rows: usize) -> Touched {
        let start = whole.bytes.0 + (first * self.stride) as i64;
        Touched { bytes: (start, start + ((rows - 1) * self.stride + self.bytes) as i64), ..whole }
    }

    /// Copies rows between the window and the tile.
    pub fn copy(&self, tile: &TileRef, step: usize, first: usize, rows: usize) {
        let outside = self.start.wrapping_add(first * self.stride);
        // Rows that follow each other on both sides are one.
        let joined = self.stride == self.bytes && step == self.bytes;
        let (count, bytes) = if joined { (1, rows * self.bytes) } else { (rows, self.bytes) };
        for row in 0..count {
            let (on_chip, outside) = (tile.ptr().wrapping_add(row * step), outside.wrapping_add(row * self.stride));
            let (from, to) = if self.is_store { (on_chip, outside) } else { (outside, on_chip) };
            // SAFETY: the tile has these rows, the window lies in its buffer, as was checked, and a window is never in the memory of
            // a core.
            unsafe {
                if self.is_past {
                    copy_past(from, to, bytes);
                } else {
                    std::ptr::copy_nonoverlapping(from, to, bytes);
                }
            }
        }
    }
}

/// Lines that are fetched a few at a time: all at once would keep the processor waiting.
#[derive(Clone, Copy)]
struct Ahead {
    at: *const u8,
    /// How many are left of the window.
    lines: usize,
    /// How many belong to a strip.
    per_strip: usize,
    /// How many are fetched before each step, if not between the spans of rows.
    share: usize,
    /// Where the window of the next execution probably starts.
    next: *const u8,
    to_write: bool,
}

impl Ahead {
    /// Fetches a share of a strip.
    #[inline(always)]
    fn some(&mut self) {
        let FetchedRange { at, .. } = self.next_lines(self.share);
        ahead::fetch(at, self.share, self.to_write);
    }

    #[inline(always)]
    fn next_lines(&mut self, lines: usize) -> FetchedRange {
        if self.lines < lines {
            (self.at, self.lines) = (self.next, usize::MAX);
        }
        let at = self.at;
        self.at = at.wrapping_add(lines * ahead::LINE);
        self.lines -= lines;
        FetchedRange { at, end: self.at }
    }
}
