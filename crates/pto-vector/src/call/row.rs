//! Code for one row of an instruction's operands.
//!
//! Instructions that are executed together, a few rows at a time, are called so often that finding the rows of their tiles takes
//! longer than the work. So that is done once, and what is called again and again gets pointers.

use super::{AnyCall, Call};
use pto_num::{CpuLevel, Level};
#[cfg(target_arch = "x86_64")]
use std::arch::{
    asm,
    x86_64::{_MM_HINT_T0, _mm_prefetch},
};
use std::cell::Cell;
use std::mem::transmute;

/// One row of an instruction's operands.
#[derive(Clone, Copy, Debug)]
pub struct RowCall<'a> {
    /// The row of the source.
    pub src: *const u8,
    /// The row of the second source, or its value for this row; null if the scalar is the value. In a chain, each step has one.
    pub others: [*const u8; MOST_LINKS],
    /// The row of the destination, or its one element.
    pub dst: *mut u8,
    /// Where the sum of the results goes, if it is wanted.
    pub sum: *mut u8,
    /// Elements of the row.
    pub count: usize,
    /// The scalar operand.
    pub scalar: u64,
    /// Memory that is needed soon, which is fetched meanwhile.
    pub fetch: &'a Cell<Fetch>,
}

/// Most steps of a chain.
pub const MOST_LINKS: usize = 3;

/// Lines of memory that are fetched while a row is worked on, a few at a time: all at once would keep the processor waiting.
#[derive(Clone, Copy, Debug)]
pub struct Fetch {
    /// What is fetched.
    pub ranges: [FetchedRange; 2],
    /// The second range is going to be written: its lines are claimed.
    pub claims: bool,
    /// Lines of each range that are fetched for a span of a row.
    pub pace: usize,
}

/// Lines from one address to another. These need not be readable.
#[derive(Clone, Copy, Debug)]
pub struct FetchedRange {
    /// The next line.
    pub at: *const u8,
    /// The line after the last.
    pub end: *const u8,
}

impl FetchedRange {
    /// Nothing but a line that is always in the cache: without a test, something is fetched in any case.
    pub const NONE: Self = Self { at: HOT.0.as_ptr(), end: HOT.0.as_ptr() };

    #[inline(always)]
    fn advance(&mut self) {
        // Without a branch: at the end, the last line is fetched again.
        self.at = self.at.wrapping_add(LINE).min(self.end);
    }
}

impl Fetch {
    /// Nothing to fetch.
    pub const NONE: Self = Self { ranges: [FetchedRange::NONE; 2], claims: false, pace: 0 };

    /// Fetches as much as belongs to one span of a row.
    #[inline(always)]
    pub fn some(&mut self) {
        for _ in 0..self.pace {
            let [first, second] = &mut self.ranges;
            #[cfg(target_arch = "x86_64")]
            // SAFETY: these instructions never fault, wherever the address points; processors that do not know the second one ignore it.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(first.at.cast());
                if self.claims {
                    asm!("prefetchw [{0}]", in(reg) second.at, options(nostack, preserves_flags, readonly));
                } else {
                    _mm_prefetch::<_MM_HINT_T0>(second.at.cast());
                }
            }
            first.advance();
            second.advance();
        }
    }
}

/// A line that is read wherever there is nothing else to fetch.
#[repr(align(64))]
struct HotLine([u8; LINE]);
static HOT: HotLine = HotLine([0; LINE]);

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Code for one row.
///
/// # Safety
/// The source, the second source and the destination must have `count` elements of the types that the code was prepared for, or the
/// one element that is used of them, and lie where only this thread touches them. The sum must be writable if it is made. A destination may
/// be a source, but must not overlap it otherwise.
pub type RowFn = unsafe fn(&RowCall);

/// What a step does that may be part of a chain: some neighbours are often found together, and code for all of them keeps their results
/// in registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChainLink {
    /// Subtracts a value.
    SubtractValue,
    /// Multiplies by a value.
    MultiplyValue,
    /// Multiplies by a row.
    Multiply,
    /// Adds a row.
    Add,
}

/// Code for rows that is compiled for each level.
pub trait RowBody {
    /// # Safety
    /// As [`RowFn`], and the processor must have the level.
    unsafe fn run<L: Level>(row: &RowCall);
}

/// The code for a level of the processor.
#[cfg(target_arch = "x86_64")]
pub fn row_fn<R: RowBody>(level: CpuLevel) -> Option<RowFn> {
    match level {
        CpuLevel::V4 => Some(row_v4::<R>),
        CpuLevel::V3 => Some(row_v3::<R>),
        CpuLevel::Baseline => None,
    }
}

/// The code for a level of the processor.
#[cfg(not(target_arch = "x86_64"))]
pub fn row_fn<R: RowBody>(_: CpuLevel) -> Option<RowFn> {
    Some(R::run::<pto_num::Baseline>)
}

/// # Safety
/// As [`RowFn`], and the processor must have these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
unsafe fn row_v3<R: RowBody>(row: &RowCall) {
    // SAFETY: the caller answers for the operands, and these features are the level.
    unsafe { R::run::<pto_num::V3>(row) }
}

/// # Safety
/// As [`RowFn`], and the processor must have these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
unsafe fn row_v4<R: RowBody>(row: &RowCall) {
    // SAFETY: the caller answers for the operands, and these features are the level.
    unsafe { R::run::<pto_num::V4>(row) }
}

/// What code for rows does with one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowKind {
    /// Each result depends on the elements at its place only, and perhaps on the scalar: rows without gaps are one long row.
    Elements,
    /// The second source has one value for each row.
    Values,
    /// A row has one result, which is the sum of its elements.
    Sum,
    /// A row has one result.
    Reduction,
}

/// The operands of a [`RowCall`], as positions among the tiles of a call.
#[derive(Clone, Copy, Debug)]
pub struct RowOperands {
    /// What happens to a row.
    pub kind: RowKind,
    /// The source.
    pub src: usize,
    /// The second source, if that is a tile.
    pub other: Option<usize>,
    /// The destination.
    pub dst: usize,
    /// The scalar, as a position among those of a call.
    pub scalar: Option<usize>,
}

impl RowOperands {
    /// A source and a destination, of which the elements at the same place belong together.
    pub const UNARY: Self = Self { kind: RowKind::Elements, src: 0, other: None, dst: 1, scalar: None };
    /// Two sources and a destination.
    pub const BINARY: Self = Self { kind: RowKind::Elements, src: 0, other: Some(1), dst: 2, scalar: None };
}

/// Code for single rows, and where it finds its operands.
#[derive(Clone, Copy, Debug)]
pub struct RowCode {
    /// The operands.
    pub operands: RowOperands,
    /// What it is in a chain.
    pub link: Option<ChainLink>,
    /// The level that it was compiled for.
    pub level: CpuLevel,
    /// The code.
    pub run: RowFn,
    /// The same, and the sum of the results.
    pub run_and_sum: Option<RowFn>,
    /// The same, but the results go past the cache. A fence must follow.
    pub run_past: Option<RowFn>,
}

/// Finds the operands of rows; `None` if a call has none.
pub type RowLayout<const T: usize, const V: usize = 0, const S: usize = 0> = fn(&Call<T, V, S>) -> Option<RowOperands>;

/// Code for the rows of calls, for each level of the processor.
#[derive(Clone, Copy, Debug)]
pub struct RowVersions<const T: usize, const V: usize = 0, const S: usize = 0> {
    /// Finds the operands.
    pub layout: RowLayout<T, V, S>,
    /// What a row is in a chain of steps.
    pub link: Option<ChainLink>,
    /// One row, with the same bits as the whole instruction.
    pub run: RowFnAt,
    /// One row and the sum of its results, with the bits of the instruction that adds up rows.
    pub run_and_sum: Option<RowFnAt>,
    /// One row that is written past the cache.
    pub run_past: Option<RowFnAt>,
}

/// Code for rows for a level of the processor, if it has some.
pub type RowFnAt = fn(CpuLevel) -> Option<RowFn>;

impl<const T: usize, const V: usize, const S: usize> RowVersions<T, V, S> {
    /// This code alone.
    pub const fn new(layout: RowLayout<T, V, S>, run: RowFnAt) -> Self {
        Self { layout, link: None, run, run_and_sum: None, run_past: None }
    }
}

/// [`RowVersions`] for one level, whose numbers of operands the type does not say.
#[derive(Clone, Copy, Debug)]
pub struct ErasedRowVersions {
    layout: fn(&AnyCall) -> Option<RowOperands>,
    link: Option<ChainLink>,
    level: CpuLevel,
    run: RowFn,
    run_and_sum: Option<RowFn>,
    run_past: Option<RowFn>,
}

impl ErasedRowVersions {
    /// The code for a level; `None` if there is none.
    pub(super) fn new<const T: usize, const V: usize, const S: usize>(
        (rows, level): (RowVersions<T, V, S>, CpuLevel),
    ) -> Option<Self> {
        // SAFETY: both are pointers to functions of one thin reference with the same result. `Code::rows` is the only caller, and binds as
        // many operands as the type of the code says.
        let layout = unsafe { transmute::<RowLayout<T, V, S>, fn(&AnyCall) -> Option<RowOperands>>(rows.layout) };
        let at_level = |code: Option<RowFnAt>| code?(level);
        let (run_and_sum, run_past) = (at_level(rows.run_and_sum), at_level(rows.run_past));
        Some(Self { layout, link: rows.link, level, run: (rows.run)(level)?, run_and_sum, run_past })
    }

    /// The code for a call, which must have as many operands as the code was made for.
    pub(super) fn code(&self, call: &AnyCall) -> Option<RowCode> {
        let operands = (self.layout)(call)?;
        let &Self { link, level, run, run_and_sum, run_past, .. } = self;
        Some(RowCode { operands, link, level, run, run_and_sum, run_past })
    }
}
