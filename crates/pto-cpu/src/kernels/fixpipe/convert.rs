//! What the fix pipe makes of one number of an accumulator.

use pto_isa::DType;
use pto_num::convert::{narrow, to_hif8, to_int};
use pto_num::{Baseline, Bf16, CpuLevel, F8E4M3, F8E5M2, F16, Float, Hif8, Level, Round, Saturate};
use std::marker::PhantomData;

/// Numbers that are converted together: a row of a box.
pub const LANES: usize = 16;

/// How the columns of such a row are quantised.
#[derive(Clone, Copy, Debug)]
pub struct ColumnWords {
    pub scale: [f32; LANES],
    pub offset: [f32; LANES],
    /// The range of 8-bit results.
    pub low: [f32; LANES],
    pub high: [f32; LANES],
    /// For 16-bit integers.
    pub shift: [u32; LANES],
}

impl ColumnWords {
    pub const NONE: Self =
        Self { scale: [1.0; LANES], offset: [0.0; LANES], low: [0.0; LANES], high: [0.0; LANES], shift: [0; LANES] };

    /// One column: its scale, and the other fields of a quantisation word.
    pub fn set(&mut self, column: usize, scale: f32, word: u64, signed: bool) {
        self.scale[column] = scale;
        self.offset[column] = (word >> 37 & 0x1ff) as f32;
        (self.low[column], self.high[column]) = if signed { (-128.0, 127.0) } else { (0.0, 255.0) };
        self.shift[column] = (word >> 32 & 15) as u32 + 1;
    }
}

/// A conversion of accumulator bits to the bits of a result.
pub trait Convert {
    /// The result.
    type Out: Copy + Default;
    /// Without ReLU, results are the bits of the accumulator.
    const COPIES: bool = false;

    /// Converts a row of a box.
    fn row<L: Level>(bits: &[u32; LANES], words: &ColumnWords, relu: bool) -> [Self::Out; LANES];
}

/// Rows of at most [`LANES`] columns.
pub struct Band<'a> {
    pub src: *const u32,
    pub dst: *mut u8,
    pub rows: usize,
    pub cols: usize,
    /// Elements from one row to the next, and from one column to the next.
    pub src_strides: (usize, usize),
    pub dst_strides: (usize, usize),
    pub words: &'a ColumnWords,
    pub relu: bool,
}

/// Code that converts a band.
///
/// # Safety
/// All elements of the band must be readable at the source and writable at the destination; the processor must have the level
/// that the code is for.
pub type BandFn = unsafe fn(&Band);

/// The code of a conversion. Kernels call it for every band, so there is one copy for all of them.
pub struct FixpipeConversion {
    pub from: DType,
    pub to: DType,
    /// With a scale.
    pub quantised: bool,
    /// Without ReLU, results are the bits of the accumulator.
    pub copies: bool,
    baseline: BandFn,
    v3: BandFn,
    v4: BandFn,
}

impl FixpipeConversion {
    const fn of<C: Convert>(from: DType, to: DType, quantised: bool) -> Self {
        let baseline = band::<Baseline, C>;
        #[cfg(target_arch = "x86_64")]
        let (v3, v4): (BandFn, BandFn) = (band_v3::<C>, band_v4::<C>);
        #[cfg(not(target_arch = "x86_64"))]
        let (v3, v4): (BandFn, BandFn) = (baseline, baseline);
        Self { from, to, quantised, copies: C::COPIES, baseline, v3, v4 }
    }

    /// The number of the conversion of a pair of types in [`CONVERSIONS`].
    pub fn number(from: DType, to: DType, quantised: bool) -> Option<u64> {
        let is_it = |c: &Self| (c.from, c.to, c.quantised) == (from, to, quantised);
        CONVERSIONS.iter().position(is_it).map(|n| n as u64)
    }

    /// The code for a level.
    pub fn band(&self, level: CpuLevel) -> BandFn {
        match level {
            CpuLevel::Baseline => self.baseline,
            CpuLevel::V3 => self.v3,
            CpuLevel::V4 => self.v4,
        }
    }
}

macro_rules! conversions {
    ($($from:ident $to:ident $quantised:literal $convert:ty;)+) => {
        &[$(FixpipeConversion::of::<$convert>(DType::$from, DType::$to, $quantised)),+]
    };
}

/// All conversions there are.
pub static CONVERSIONS: &[FixpipeConversion] = conversions! {
    F32 F32 false KeepFloats;
    F32 I32 false Cast<f32, i32>;
    F32 F16 false Cast<f32, F16>;
    F32 Bf16 false Cast<f32, Bf16>;
    I32 I32 false Keep;
    I32 F32 false Cast<i32, f32>;
    I32 F16 false Cast<i32, F16>;
    I32 Bf16 false Cast<i32, Bf16>;
    F32 I8 true Eighth<f32>;
    F32 U8 true Eighth<f32>;
    F32 F16 true Scaled<f32, F16>;
    F32 Bf16 true Scaled<f32, Bf16>;
    F32 F32 true Scaled<f32, f32>;
    F32 Hif8 true Scaled<f32, Hif8>;
    F32 F8E4M3 true Scaled<f32, F8E4M3>;
    F32 F8E5M2 true Scaled<f32, F8E5M2>;
    I32 I8 true Eighth<i32>;
    I32 U8 true Eighth<i32>;
    I32 F16 true Scaled<i32, F16>;
    I32 Bf16 true Scaled<i32, Bf16>;
    I32 I16 true Shifted;
};

/// # Safety
/// As [`BandFn`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
unsafe fn band_v3<C: Convert>(at: &Band) {
    // SAFETY: as the caller says.
    unsafe { band::<pto_num::V3, C>(at) }
}

/// # Safety
/// As [`BandFn`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
unsafe fn band_v4<C: Convert>(at: &Band) {
    // SAFETY: as the caller says.
    unsafe { band::<pto_num::V4, C>(at) }
}

/// # Safety
/// As [`BandFn`].
#[inline(always)]
unsafe fn band<L: Level, C: Convert>(at: &Band) {
    // SAFETY: the caller answers for the elements; the processor has the instructions of this level.
    unsafe {
        let contiguous = at.src_strides.1 == 1 && at.dst_strides.1 == 1 && at.cols == LANES;
        for r in 0..at.rows {
            let source = at.src.add(r * at.src_strides.0);
            let target = at.dst.cast::<C::Out>().add(r * at.dst_strides.0);
            let mut bits = [0; LANES];
            if contiguous {
                bits = source.cast::<[u32; LANES]>().read_unaligned();
            } else {
                for (c, bits) in bits[..at.cols].iter_mut().enumerate() {
                    *bits = source.add(c * at.src_strides.1).read_unaligned();
                }
            }
            let values = C::row::<L>(&bits, at.words, at.relu);
            if contiguous {
                target.cast::<[C::Out; LANES]>().write_unaligned(values);
            } else {
                for (c, value) in values[..at.cols].iter().enumerate() {
                    target.add(c * at.dst_strides.1).write_unaligned(*value);
                }
            }
        }
    }
}

/// A number of an accumulator.
pub trait AccNumber: Copy {
    /// To nearest even where it is not exact.
    fn to_f32(bits: u32) -> f32;
}

impl AccNumber for f32 {
    #[inline(always)]
    fn to_f32(bits: u32) -> f32 {
        Self::from_bits(bits)
    }
}

impl AccNumber for i32 {
    #[inline(always)]
    fn to_f32(bits: u32) -> f32 {
        bits as Self as f32
    }
}

/// A result made from an f32.
pub trait OutNumber: Copy + Default {
    /// Finite numbers stay in range when `saturate` is set.
    fn narrow<L: Level>(row: &[f32; LANES], saturate: bool) -> [Self; LANES];
}

/// Infinities stay; everything else goes no further than the largest number.
#[inline(always)]
fn bounded(x: f32, most: f32) -> f32 {
    if x.is_infinite() { x } else { x.clamp(-most, most) }
}

impl OutNumber for f32 {
    #[inline(always)]
    fn narrow<L: Level>(row: &[f32; LANES], saturate: bool) -> [Self; LANES] {
        let mut out = *row;
        if saturate {
            out.iter_mut().for_each(|x| *x = bounded(*x, Self::MAX));
        }
        out
    }
}

impl OutNumber for F16 {
    #[inline(always)]
    fn narrow<L: Level>(row: &[f32; LANES], saturate: bool) -> [Self; LANES] {
        let mut wide = *row;
        if saturate {
            wide.iter_mut().for_each(|x| *x = bounded(*x, 65504.0));
        }
        let mut bits = [0; LANES];
        L::f32_to_f16(&wide, &mut bits);
        let mut out = [Self(0); LANES];
        for i in 0..LANES {
            out[i] = Self(bits[i]);
        }
        out
    }
}

impl OutNumber for Bf16 {
    #[inline(always)]
    fn narrow<L: Level>(row: &[f32; LANES], saturate: bool) -> [Self; LANES] {
        let mut out = [Self(0); LANES];
        for i in 0..LANES {
            let x = if saturate { bounded(row[i], f32::from_bits(0x7f7f_0000)) } else { row[i] };
            out[i] = Self::from_f32(x);
        }
        out
    }
}

macro_rules! small {
    ($($type:ty, $narrow:expr;)+) => {$(
        impl OutNumber for $type {
            #[inline(always)]
            fn narrow<L: Level>(row: &[f32; LANES], saturate: bool) -> [Self; LANES] {
                let mut out = [Self::from_bits(0); LANES];
                for i in 0..LANES {
                    let mode = if saturate && !row[i].is_infinite() { Saturate::On } else { Saturate::Off };
                    out[i] = $narrow(row[i], mode);
                }
                out
            }
        }
    )+};
}
small! {
    F8E4M3, |x, mode| narrow::<Self>(x, Round::Rint, mode);
    F8E5M2, |x, mode| narrow::<Self>(x, Round::Rint, mode);
    // Ties away from zero, the only rounding of the format.
    Hif8, to_hif8;
}

/// Nearest even, saturating; NaN is 0.
impl OutNumber for i32 {
    #[inline(always)]
    fn narrow<L: Level>(row: &[f32; LANES], _: bool) -> [Self; LANES] {
        let mut out = [0; LANES];
        for i in 0..LANES {
            out[i] = to_int(row[i], Round::Rint, Saturate::On);
        }
        out
    }
}

/// The larger of a number and +0; NaN stays.
#[inline(always)]
fn positive(x: f32) -> f32 {
    if x > 0.0 || x.is_nan() { x } else { 0.0 }
}

/// Without quantisation.
pub struct Cast<S, D>(PhantomData<(S, D)>);

impl<S: AccNumber, D: OutNumber> Convert for Cast<S, D> {
    type Out = D;

    #[inline(always)]
    fn row<L: Level>(bits: &[u32; LANES], _: &ColumnWords, relu: bool) -> [D; LANES] {
        let mut row = [0.0; LANES];
        for i in 0..LANES {
            let x = S::to_f32(bits[i]);
            row[i] = if relu { positive(x) } else { x };
        }
        D::narrow::<L>(&row, false)
    }
}

/// Floats that stay floats.
pub struct KeepFloats;

impl Convert for KeepFloats {
    type Out = f32;
    const COPIES: bool = true;

    #[inline(always)]
    fn row<L: Level>(bits: &[u32; LANES], words: &ColumnWords, relu: bool) -> [f32; LANES] {
        Cast::<f32, f32>::row::<L>(bits, words, relu)
    }
}

/// Integers that stay integers.
pub struct Keep;

impl Convert for Keep {
    type Out = i32;
    const COPIES: bool = true;

    #[inline(always)]
    fn row<L: Level>(bits: &[u32; LANES], _: &ColumnWords, relu: bool) -> [i32; LANES] {
        let mut out = [0; LANES];
        for i in 0..LANES {
            out[i] = (bits[i] as i32).max(if relu { 0 } else { i32::MIN });
        }
        out
    }
}

/// Times a scale.
pub struct Scaled<S, D>(PhantomData<(S, D)>);

impl<S: AccNumber, D: OutNumber> Convert for Scaled<S, D> {
    type Out = D;

    #[inline(always)]
    fn row<L: Level>(bits: &[u32; LANES], words: &ColumnWords, relu: bool) -> [D; LANES] {
        let mut row = [0.0; LANES];
        for i in 0..LANES {
            let x = S::to_f32(bits[i]) * words.scale[i];
            row[i] = if relu { positive(x) } else { x };
        }
        D::narrow::<L>(&row, true)
    }
}

/// Times a scale, plus an offset, to 8 bits.
pub struct Eighth<S>(PhantomData<S>);

impl<S: AccNumber> Convert for Eighth<S> {
    type Out = u8;

    #[inline(always)]
    fn row<L: Level>(bits: &[u32; LANES], words: &ColumnWords, relu: bool) -> [u8; LANES] {
        let mut out = [0; LANES];
        for i in 0..LANES {
            let x = S::to_f32(bits[i]) * words.scale[i] + words.offset[i];
            let low = if relu { 0.0 } else { words.low[i] };
            // Bounds are integers, so it does not matter that they are applied before rounding. NaN is 0.
            let x = if x.is_nan() { 0.0 } else { x.clamp(low, words.high[i]) };
            out[i] = to_int::<i32>(x, Round::Rint, Saturate::On) as u8;
        }
        out
    }
}

/// An arithmetic shift to 16 bits.
pub struct Shifted;

impl Convert for Shifted {
    type Out = i16;

    #[inline(always)]
    fn row<L: Level>(bits: &[u32; LANES], words: &ColumnWords, relu: bool) -> [i16; LANES] {
        let mut out = [0; LANES];
        for i in 0..LANES {
            let x = bits[i] as i32 >> words.shift[i];
            let low = if relu { 0 } else { i32::from(i16::MIN) };
            out[i] = x.clamp(low, i32::from(i16::MAX)) as i16;
        }
        out
    }
}
