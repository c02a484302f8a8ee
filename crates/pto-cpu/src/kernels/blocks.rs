//! Copies of matrices from one layout to another.
//!
//! Where both layouts divide rows and columns evenly, the copy is one nest of loops, each with a stride on either side. Otherwise
//! it is cut where a layout has a seam, and every piece is a nest of two loops. A nest ends in runs of bytes or in a transposition.

#[cfg(target_arch = "x86_64")]
use super::cells::Cells;
use super::place::{Axis, CopyRegion, ElementMap, divided, pieces};
use super::stream::{self, Cache};
use super::transpose::{Transposition, transpose};
#[cfg(target_arch = "x86_64")]
use pto_num::CpuLevel;
use pto_num::Level;

/// Runs that are worked on together, so that the lines of memory that one box leaves half read are still in the cache for
/// the next.
const BAND: usize = 32;

/// The most loops of a copy: eight digits on each side, of which most agree.
const LOOPS: usize = 16;

/// A loop of a copy: how often, and the bytes from one iteration to the next on both sides.
#[derive(Clone, Copy, Default, Debug)]
struct CopyLoop {
    count: usize,
    from: usize,
    to: usize,
}

/// Loops, the innermost first.
#[derive(Clone, Copy)]
struct Nest {
    loops: [CopyLoop; LOOPS],
    count: usize,
}

impl Nest {
    const EMPTY: Self = Self { loops: [CopyLoop { count: 1, from: 0, to: 0 }; LOOPS], count: 0 };

    #[inline(always)]
    fn all(&self) -> &[CopyLoop] {
        &self.loops[..self.count]
    }

    /// Adds a loop. They are kept in the order of the destination, so that it is written from front to back.
    #[inline(always)]
    fn add(&mut self, new: CopyLoop) {
        if new.count <= 1 {
            return;
        }
        let mut at = self.count;
        while at > 0 && (self.loops[at - 1].to, self.loops[at - 1].from) > (new.to, new.from) {
            self.loops[at] = self.loops[at - 1];
            at -= 1;
        }
        self.loops[at] = new;
        self.count += 1;
    }

    /// Adds the loops of an index that runs to `count` in both places; false when it stops inside a box.
    #[inline(always)]
    fn add_axis(&mut self, from: &Axis, to: &Axis, count: usize, size: usize) -> bool {
        let (mut a, mut b) = (Digits::new(from, size), Digits::new(to, size));
        let mut left = count;
        while left > 1 {
            let step = a.extent.min(b.extent).min(left);
            let divides = |n: usize| n == usize::MAX || divided(n, step).1 == 0;
            let (over, inside) = divided(left, step);
            if self.count == LOOPS || inside != 0 || (step < left && !(divides(a.extent) && divides(b.extent))) {
                return false;
            }
            self.add(CopyLoop { count: step, from: a.stride, to: b.stride });
            left = over;
            a.advance(step);
            b.advance(step);
        }
        true
    }

    /// Joins loops that continue where the inner one ends, on both sides.
    #[inline(always)]
    fn join(&mut self) {
        let mut kept = 0;
        for at in 1..self.count {
            let (inner, outer) = (self.loops[kept], self.loops[at]);
            if outer.from == inner.count * inner.from && outer.to == inner.count * inner.to {
                self.loops[kept].count *= outer.count;
            } else {
                kept += 1;
                self.loops[kept] = outer;
            }
        }
        self.count = self.count.min(kept + 1);
    }

    /// Takes a loop out.
    #[inline(always)]
    fn take(&mut self, at: usize) -> CopyLoop {
        let taken = self.loops[at];
        self.count -= 1;
        // A copy of the slice would be a call.
        for k in at..self.count {
            self.loops[k] = self.loops[k + 1];
        }
        taken
    }
}

/// The digits of an axis, split where the other side requires it.
struct Digits<'a> {
    axis: &'a Axis,
    size: usize,
    at: usize,
    extent: usize,
    stride: usize,
}

impl<'a> Digits<'a> {
    #[inline(always)]
    fn new(axis: &'a Axis, size: usize) -> Self {
        let (extent, stride) = axis.digit(0);
        Self { axis, size, at: 0, extent, stride: stride * size }
    }

    #[inline(always)]
    fn advance(&mut self, step: usize) {
        if self.extent == step {
            self.at += 1;
            let (extent, stride) = self.axis.digit(self.at);
            (self.extent, self.stride) = (extent, stride * self.size);
        } else {
            self.stride *= step;
            self.extent = if self.extent == usize::MAX { usize::MAX } else { divided(self.extent, step).0 };
        }
    }
}

/// Copies a matrix of elements of `size` bytes, which may be empty.
///
/// # Safety
/// Both places must have all the rows and columns, and must not overlap. The processor must have the level.
#[inline(always)]
pub(super) unsafe fn copy<L: Level>(
    from: &ElementMap,
    to: &ElementMap,
    rows: usize,
    cols: usize,
    size: usize,
    cache: Cache,
) {
    // SAFETY: the region lies in both places, which are those of operands of a call; the processor has the instructions
    // of this level.
    unsafe {
        if rows == 0 || cols == 0 {
            return;
        }
        let mut nest = Nest::EMPTY;
        if nest.add_axis(&from.rows, &to.rows, rows, size) && nest.add_axis(&from.cols, &to.cols, cols, size) {
            nest.join();
            run::<L>(&mut nest, from.start, to.start, size, cache);
        } else {
            let region = CopyRegion { rows, cols, from: (0, 0), to: (0, 0) };
            copy_pieces::<L>(from, to, region, size, cache);
        }
        if cache == Cache::To {
            stream::finish();
        }
    }
}

/// Copies a region of a matrix to another.
///
/// # Safety
/// As [`copy`], for the region.
#[inline(always)]
pub(super) unsafe fn copy_region<L: Level>(from: &ElementMap, to: &ElementMap, region: CopyRegion, size: usize) {
    // SAFETY: the region lies in both places, which are those of operands of a call; the processor has the instructions
    // of this level.
    unsafe {
        if (region.from, region.to) == ((0, 0), (0, 0)) {
            return copy::<L>(from, to, region.rows, region.cols, size, Cache::Ordinary);
        }
        match (from.part(region.from, size), to.part(region.to, size)) {
            (Some(from), Some(to)) => copy::<L>(&from, &to, region.rows, region.cols, size, Cache::Ordinary),
            _ => copy_pieces::<L>(from, to, region, size, Cache::Ordinary),
        }
    }
}

/// Every piece is a nest of two loops.
///
/// # Safety
/// The region must lie in both places, which are those of operands of a call; the processor must have the instructions of this
/// level.
#[inline(never)]
unsafe fn copy_pieces<L: Level>(from: &ElementMap, to: &ElementMap, region: CopyRegion, size: usize, cache: Cache) {
    // SAFETY: the region lies in both places, which are those of operands of a call; the processor has the instructions
    // of this level.
    unsafe {
        let strides = |from: &Axis, to: &Axis| (from.stride() * size, to.stride() * size);
        let (down, right) = (strides(&from.rows, &to.rows), strides(&from.cols, &to.cols));
        pieces(from, to, region, (BAND, usize::MAX), |at| {
            let mut nest = Nest::EMPTY;
            nest.add(CopyLoop { count: at.rows, from: down.0, to: down.1 });
            nest.add(CopyLoop { count: at.cols, from: right.0, to: right.1 });
            nest.join();
            run::<L>(
                &mut nest,
                from.start.wrapping_add(at.src * size),
                to.start.wrapping_add(at.dst * size),
                size,
                cache,
            );
        });
    }
}

/// Copies what a nest describes. Each level has one copy of the code, which is long, for all kernels.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `to`; the processor must have the
/// instructions of this level.
#[inline(always)]
unsafe fn run<L: Level>(nest: &mut Nest, from: *const u8, to: *mut u8, size: usize, cache: Cache) {
    // SAFETY: as the caller says.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        match L::CPU {
            CpuLevel::V4 => return run_v4(nest, from, to, size, cache),
            CpuLevel::V3 => return run_v3(nest, from, to, size, cache),
            CpuLevel::Baseline => {}
        }
        run_inlined::<L>(nest, from, to, size, cache);
    }
}

/// # Safety
/// As [`run`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
#[inline(never)]
unsafe fn run_v3(nest: &mut Nest, from: *const u8, to: *mut u8, size: usize, cache: Cache) {
    // SAFETY: as the caller says.
    unsafe { run_inlined::<pto_num::V3>(nest, from, to, size, cache) }
}

/// # Safety
/// As [`run`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
#[inline(never)]
unsafe fn run_v4(nest: &mut Nest, from: *const u8, to: *mut u8, size: usize, cache: Cache) {
    // SAFETY: as the caller says.
    unsafe { run_inlined::<pto_num::V4>(nest, from, to, size, cache) }
}

/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn run_inlined<L: Level>(nest: &mut Nest, from: *const u8, to: *mut u8, size: usize, cache: Cache) {
    // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this level.
    unsafe {
        let mut width = size;
        if nest.count > 0 && (nest.loops[0].from, nest.loops[0].to) == (size, size) {
            width = nest.take(0).count * size;
        }
        let starts = |side: fn(&CopyLoop) -> usize| nest.all().iter().position(|l| side(l) == width);
        match (starts(|l| l.from), starts(|l| l.to)) {
            (Some(right), Some(down)) if right != down && matches!(width, 1 | 2 | 4 | 8) => {
                let (down, right) = (nest.loops[down], nest.take(right));
                let down_at = nest.all().iter().position(|l| l.to == down.to).unwrap_or(0);
                nest.take(down_at);
                let mut job = Transposition {
                    from,
                    from_step: down.from,
                    to,
                    to_step: right.to,
                    rows: down.count,
                    cols: right.count,
                    ..Transposition::ONE
                };
                job.twin = twins(nest, down).unwrap_or(0);
                if nest.count > 0 {
                    let CopyLoop { count, from, to } = nest.take(0);
                    (job.count, job.from_next, job.to_next) = (count, from, to);
                }
                each(nest, from, to, |from, to| transpose::<L>(&Transposition { from, to, ..job }, width));
            }
            _ => runs::<L>(nest, from, to, width, cache),
        }
    }
}

/// Makes every two matrices that follow each other in the source one iteration of their loop; the result is how far apart they are in
/// the destination.
#[inline(always)]
fn twins(nest: &mut Nest, down: CopyLoop) -> Option<usize> {
    let at =
        nest.all().iter().position(|l| l.from == down.count * down.from && l.to > 0 && l.count.is_multiple_of(2))?;
    let CopyLoop { count, from, to } = nest.take(at);
    nest.add(CopyLoop { count: count / 2, from: 2 * from, to: 2 * to });
    Some(to)
}

/// Runs of `width` bytes.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `to`; the processor must have the
/// instructions of this level.
#[inline(always)]
unsafe fn runs<L: Level>(nest: &mut Nest, from: *const u8, to: *mut u8, width: usize, cache: Cache) {
    // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this level.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if let Some(cells) = cells::<L>(nest, width) {
            return each(nest, from, to, |from, to| cells.copy(from, to));
        }
        let mut inner = if nest.count > 0 { nest.take(0) } else { CopyLoop { count: 1, from: 0, to: 0 } };
        if nest.count > 0 && nest.count < LOOPS && inner.count > BAND && inner.count.is_multiple_of(BAND) {
            let band = CopyLoop { count: inner.count / BAND, from: inner.from * BAND, to: inner.to * BAND };
            inner.count = BAND;
            // Outermost, regardless of its stride.
            nest.loops[nest.count] = band;
            nest.count += 1;
        }
        if cache != Cache::Ordinary && width >= stream::LONG_RUN {
            each(nest, from, to, |from, to| row(inner, from, to, |from, to| stream::copy::<L>(from, to, width, cache)));
            return;
        }
        // The rows of boxes, without a call for each.
        match width {
            1 => each(nest, from, to, |from, to| row(inner, from, to, fixed::<1>)),
            2 => each(nest, from, to, |from, to| row(inner, from, to, fixed::<2>)),
            4 => each(nest, from, to, |from, to| row(inner, from, to, fixed::<4>)),
            8 => each(nest, from, to, |from, to| row(inner, from, to, fixed::<8>)),
            16 => each(nest, from, to, |from, to| row(inner, from, to, fixed::<16>)),
            32 => each(nest, from, to, |from, to| row(inner, from, to, fixed::<32>)),
            64 => each(nest, from, to, |from, to| row(inner, from, to, fixed::<64>)),
            _ => each(nest, from, to, |from, to| {
                row(inner, from, to, |from, to| std::ptr::copy_nonoverlapping(from, to, width));
            }),
        }
    }
}

/// Takes out the two loops over the rows of boxes, which follow each other along one on one side and along the other on the
/// other side.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn cells<L: Level>(nest: &mut Nest, width: usize) -> Option<Cells> {
    let per_line = Cells::per_line(width).filter(|_| matches!(L::CPU, CpuLevel::V4))?;
    let fits = |l: &CopyLoop, step: usize| step == width && l.count.is_multiple_of(per_line);
    let x = nest.all().iter().position(|l| fits(l, l.from))?;
    let y = nest.all().iter().position(|l| fits(l, l.to)).filter(|y| *y != x)?;
    let (along_from, along_to) = (nest.loops[x], nest.loops[y]);
    nest.take(x.max(y));
    nest.take(x.min(y));
    Some(Cells {
        width,
        columns: along_from.count,
        rows: along_to.count,
        from_row: along_to.from,
        to_row: along_from.to,
    })
}

/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `to`.
#[inline(always)]
unsafe fn row(inner: CopyLoop, from: *const u8, to: *mut u8, copy: impl Fn(*const u8, *mut u8)) {
    for k in 0..inner.count {
        copy(from.wrapping_add(k * inner.from), to.wrapping_add(k * inner.to));
    }
}

#[inline(always)]
fn fixed<const N: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: as `copy` requires.
    unsafe { to.cast::<[u8; N]>().write_unaligned(from.cast::<[u8; N]>().read_unaligned()) }
}

/// Calls `work` for every combination of iterations.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `to`.
#[inline(always)]
unsafe fn each(nest: &Nest, mut from: *const u8, mut to: *mut u8, work: impl Fn(*const u8, *mut u8)) {
    let mut counters = [0; LOOPS];
    loop {
        work(from, to);
        let mut at = 0;
        loop {
            if at == nest.count {
                return;
            }
            let l = &nest.loops[at];
            counters[at] += 1;
            (from, to) = (from.wrapping_add(l.from), to.wrapping_add(l.to));
            if counters[at] < l.count {
                break;
            }
            (from, to) = (from.wrapping_sub(l.from * l.count), to.wrapping_sub(l.to * l.count));
            counters[at] = 0;
            at += 1;
        }
    }
}
