//! The code of an instruction: compiled for each level of the processor, with as many operands as it takes.

use super::row::{ErasedRowVersions, RowCode, RowVersions};
use super::{AnyCall, Arity, Call, Fault, KernelFn, Site, TileRef, ViewRef};
use pto_num::{CpuLevel, Level};
use std::mem::transmute;

/// The code for one instruction of a program.
#[derive(Clone, Copy, Debug)]
pub struct Prepared<const T: usize, const V: usize = 0, const S: usize = 0> {
    /// The code.
    pub run: KernelFn<T, V, S>,
    /// Immediates of every call.
    pub imm: [u64; 2],
    /// Code for single rows, if there is some.
    rows: Option<(RowVersions<T, V, S>, CpuLevel)>,
}

/// [`Prepared`] code whose numbers of operands are a value: all code of a program has this type.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    run: unsafe fn(&AnyCall) -> Result<(), Fault>,
    imm: [u64; 2],
    arity: Arity,
    rows: Option<ErasedRowVersions>,
}

impl Code {
    /// How many operands it takes.
    pub fn arity(&self) -> Arity {
        self.arity
    }

    /// True when both do the same with the same operands.
    pub fn is_same(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.run, other.run) && self.imm == other.imm && self.arity == other.arity
    }

    /// Code for single rows of these operands; `None` if there is none.
    pub fn rows<'a>(&self, tiles: &'a [TileRef<'a>], scalars: &'a [u64]) -> Option<RowCode> {
        let rows = self.rows.as_ref()?;
        let bound = self.bind(tiles, &[], scalars).ok()?;
        rows.code(&bound.call)
    }

    /// The code with its operands.
    ///
    /// # Errors
    /// [`Fault::Operands`] when these are not as many operands as it takes.
    #[inline]
    pub fn bind<'a>(
        &self,
        tiles: &'a [TileRef<'a>],
        views: &'a [ViewRef],
        scalars: &'a [u64],
    ) -> Result<BoundCode<'a>, Fault> {
        let takes = self.arity;
        let fits = tiles.len() == usize::from(takes.tiles)
            && views.len() == usize::from(takes.views)
            && scalars.len() == usize::from(takes.scalars);
        if !fits {
            return Err(Fault::Operands { takes });
        }
        let (tiles, views, scalars) = (tiles.as_ptr(), views.as_ptr(), scalars.as_ptr());
        Ok(BoundCode { run: self.run, call: AnyCall { tiles, views, scalars, imm: self.imm } })
    }

    /// Executes it.
    ///
    /// # Errors
    /// What the instruction finds wrong, and [`Fault::Operands`] when these are not as many operands as it takes.
    ///
    /// # Safety
    /// As [`KernelFn`], but for the numbers of operands.
    #[inline]
    pub unsafe fn call<'a>(
        &self,
        tiles: &'a [TileRef<'a>],
        views: &'a [ViewRef],
        scalars: &'a [u64],
    ) -> Result<(), Fault> {
        // SAFETY: as the caller says.
        unsafe { self.bind(tiles, views, scalars)?.run() }
    }
}

/// [`Code`] with as many operands as it takes.
pub struct BoundCode<'a> {
    run: unsafe fn(&AnyCall) -> Result<(), Fault>,
    call: AnyCall<'a>,
}

impl BoundCode<'_> {
    /// Executes it.
    ///
    /// # Errors
    /// What the instruction finds wrong.
    ///
    /// # Safety
    /// As [`KernelFn`].
    #[inline]
    pub unsafe fn run(&self) -> Result<(), Fault> {
        // SAFETY: `run` was made from a function on a `Call` of the numbers that `Code::bind` checked, which has the same
        // layout: pointers to arrays of that many elements. The caller answers for the operands.
        unsafe { (self.run)(&self.call) }
    }
}

impl<const T: usize, const V: usize, const S: usize> From<Prepared<T, V, S>> for Code {
    fn from(prepared: Prepared<T, V, S>) -> Self {
        // SAFETY: both are pointers to functions of one thin reference with the same result, so calls are compatible.
        // `BoundCode` is the only caller, and what its reference points to is a `Call` of these numbers.
        let run = unsafe { transmute::<KernelFn<T, V, S>, unsafe fn(&AnyCall) -> Result<(), Fault>>(prepared.run) };
        let arity = Arity { tiles: T as u8, views: V as u8, scalars: S as u8 };
        Self { run, imm: prepared.imm, arity, rows: prepared.rows.and_then(ErasedRowVersions::new) }
    }
}

/// The code of a kernel for one combination of element types: a fast version for tiles whose rows are contiguous, and a
/// plain one, element by element, that it must equal bit for bit.
pub trait Body<const T: usize, const V: usize = 0, const S: usize = 0> {
    /// Contiguous rows. Must be `#[inline(always)]` down to the arithmetic, to be compiled for each level.
    ///
    /// # Safety
    /// As [`KernelFn`]; rows are contiguous, and the processor must have the level.
    unsafe fn fast<L: Level>(call: &Call<T, V, S>) -> Result<(), Fault>;

    /// Any layout.
    ///
    /// # Safety
    /// As [`KernelFn`].
    unsafe fn plain(call: &Call<T, V, S>) -> Result<(), Fault>;

    /// Code for single rows, if there is some.
    const ROWS: Option<RowVersions<T, V, S>> = None;
}

impl<const T: usize, const V: usize, const S: usize> Prepared<T, V, S> {
    /// The code of a body for this processor. `contiguous` says whether the layouts suit the fast version.
    pub fn new<B: Body<T, V, S>>(site: &Site, contiguous: bool) -> Self {
        if site.plain || !contiguous {
            return Self::plain::<B>();
        }
        let level = site.cpu_level();
        let rows = B::ROWS.map(|versions| (versions, level));
        Self { rows, ..Self::of(fast::<B, T, V, S>(level), [0; 2]) }
    }

    /// This code, with these immediates.
    pub const fn of(run: KernelFn<T, V, S>, imm: [u64; 2]) -> Self {
        Self { run, imm, rows: None }
    }

    /// The plain version alone: for what is rare, or gains nothing from vector instructions. Every version costs time to
    /// compile.
    pub fn plain<B: Body<T, V, S>>() -> Self {
        Self::of(B::plain, [0; 2])
    }

    /// The fast version of a body.
    pub fn fast<B: Body<T, V, S>>(level: CpuLevel) -> KernelFn<T, V, S> {
        fast::<B, T, V, S>(level)
    }

    /// With something the code needs to know.
    #[must_use]
    pub fn with(mut self, imm: [u64; 2]) -> Self {
        self.imm = imm;
        self
    }
}

/// Processors without the vector instructions of 2013 are rare enough to run the plain version.
#[cfg(target_arch = "x86_64")]
fn fast<B: Body<T, V, S>, const T: usize, const V: usize, const S: usize>(level: CpuLevel) -> KernelFn<T, V, S> {
    match level {
        CpuLevel::V4 => v4::<B, T, V, S>,
        CpuLevel::V3 => v3::<B, T, V, S>,
        CpuLevel::Baseline => B::plain,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn fast<B: Body<T, V, S>, const T: usize, const V: usize, const S: usize>(_: CpuLevel) -> KernelFn<T, V, S> {
    B::fast::<pto_num::Baseline>
}

/// # Safety
/// As [`KernelFn`], and the processor must have these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
unsafe fn v3<B: Body<T, V, S>, const T: usize, const V: usize, const S: usize>(
    call: &Call<T, V, S>,
) -> Result<(), Fault> {
    // SAFETY: the caller answers for the operands, and these features are the level.
    unsafe { B::fast::<pto_num::V3>(call) }
}

/// # Safety
/// As [`KernelFn`], and the processor must have these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
unsafe fn v4<B: Body<T, V, S>, const T: usize, const V: usize, const S: usize>(
    call: &Call<T, V, S>,
) -> Result<(), Fault> {
    // SAFETY: the caller answers for the operands, and these features are the level.
    unsafe { B::fast::<pto_num::V4>(call) }
}
