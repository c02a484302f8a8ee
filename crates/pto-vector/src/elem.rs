//! Element types as kernels see them: how they lie in memory, and what they are computed with.

use pto_isa::DType;
use pto_num::{Bf16, F16, Level};

/// An element type of whole bytes.
///
/// Kernels read and write elements as bytes and take zeroed memory for elements. The trait is sealed: its types are plain
/// numbers without padding, for which every pattern of bits is a value.
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy)]
/// struct Flag(bool);
/// impl pto_vector::elem::Elem for Flag {
///     type Wide = f32;
///     const DTYPE: pto_isa::DType = pto_isa::DType::U8;
///     fn load<L: pto_num::Level, const N: usize>(_: &[Self; N]) -> [f32; N] { [0.0; N] }
///     fn store<L: pto_num::Level, const N: usize>(_: &[f32; N]) -> [Self; N] { [Flag(true); N] }
///     fn widen(self) -> f32 { 0.0 }
///     fn narrow(_: f32) -> Self { Flag(true) }
///     fn scalar(_: u64) -> Self { Flag(true) }
/// }
/// ```
pub trait Elem: sealed::Plain + Copy + 'static {
    /// What it is computed with: `f32` for the 16-bit floats, itself for everything else.
    type Wide: Copy + Default + PartialEq + PartialOrd;
    /// The type.
    #[allow(dead_code, reason = "for kernels that look at the type")]
    const DTYPE: DType;

    /// Widens a run of elements.
    fn load<L: Level, const N: usize>(from: &[Self; N]) -> [Self::Wide; N];
    /// Rounds a run of results to nearest even.
    fn store<L: Level, const N: usize>(from: &[Self::Wide; N]) -> [Self; N];
    /// Widens a run of elements into an order of its own, the same for all runs of this length: enough where every
    /// element is treated alike, and cheaper for some types.
    #[inline(always)]
    fn unpack<L: Level, const N: usize>(from: &[Self; N]) -> [Self::Wide; N] {
        Self::load::<L, N>(from)
    }
    /// Rounds a run of results in the order of [`unpack`](Self::unpack) to nearest even.
    #[inline(always)]
    fn pack<L: Level, const N: usize>(from: &[Self::Wide; N]) -> [Self; N] {
        Self::store::<L, N>(from)
    }
    /// Widens one element.
    fn widen(self) -> Self::Wide;
    /// Rounds one result to nearest even.
    fn narrow(wide: Self::Wide) -> Self;
    /// A scalar operand, converted to this type as a device does: floats rounded, integers cut.
    fn scalar(bits: u64) -> Self;
}

mod sealed {
    /// Numbers without padding, for which every pattern of bits is a value.
    pub trait Plain {}
}

macro_rules! native {
    ($($type:ty, $dtype:ident, $bits:ident => $scalar:expr;)+) => {$(
        impl sealed::Plain for $type {}

        impl Elem for $type {
            type Wide = $type;
            const DTYPE: DType = DType::$dtype;
            #[inline(always)]
            fn load<L: Level, const N: usize>(from: &[Self; N]) -> [Self; N] {
                *from
            }
            #[inline(always)]
            fn store<L: Level, const N: usize>(from: &[Self; N]) -> [Self; N] {
                *from
            }
            #[inline(always)]
            fn widen(self) -> Self {
                self
            }
            #[inline(always)]
            fn narrow(wide: Self) -> Self {
                wide
            }
            #[inline(always)]
            fn scalar($bits: u64) -> Self {
                $scalar
            }
        }
    )+};
}

native! {
    i8, I8, bits => bits as i8;
    u8, U8, bits => bits as u8;
    i16, I16, bits => bits as i16;
    u16, U16, bits => bits as u16;
    i32, I32, bits => bits as i32;
    u32, U32, bits => bits as u32;
    i64, I64, bits => bits as i64;
    u64, U64, bits => bits;
    f32, F32, bits => f32::from_bits(bits as u32);
}

impl sealed::Plain for F16 {}

impl Elem for F16 {
    type Wide = f32;
    const DTYPE: DType = DType::F16;
    #[inline(always)]
    fn load<L: Level, const N: usize>(from: &[Self; N]) -> [f32; N] {
        let mut bits = [0; N];
        for i in 0..N {
            bits[i] = from[i].0;
        }
        let mut wide = [0.0; N];
        L::f16_to_f32(&bits, &mut wide);
        wide
    }
    #[inline(always)]
    fn store<L: Level, const N: usize>(from: &[f32; N]) -> [Self; N] {
        let mut bits = [0; N];
        L::f32_to_f16(from, &mut bits);
        // A loop: `map` of arrays does not become vector code.
        let mut out = [Self(0); N];
        for i in 0..N {
            out[i] = Self(bits[i]);
        }
        out
    }
    #[inline(always)]
    fn widen(self) -> f32 {
        self.to_f32()
    }
    #[inline(always)]
    fn narrow(wide: f32) -> Self {
        Self::from_f32(wide)
    }
    #[inline(always)]
    fn scalar(bits: u64) -> Self {
        Self::from_f32(f32::from_bits(bits as u32))
    }
}

impl sealed::Plain for Bf16 {}

impl Elem for Bf16 {
    type Wide = f32;
    const DTYPE: DType = DType::Bf16;
    #[inline(always)]
    fn load<L: Level, const N: usize>(from: &[Self; N]) -> [f32; N] {
        let mut wide = [0.0; N];
        for i in 0..N {
            wide[i] = from[i].to_f32();
        }
        wide
    }
    #[inline(always)]
    fn store<L: Level, const N: usize>(from: &[f32; N]) -> [Self; N] {
        let mut out = [Self(0); N];
        for i in 0..N {
            out[i] = Self::from_f32(from[i]);
        }
        out
    }
    /// One half of every 32-bit word, then the other half: no number has to be moved to its place.
    #[inline(always)]
    fn unpack<L: Level, const N: usize>(from: &[Self; N]) -> [f32; N] {
        if !N.is_multiple_of(2) {
            return Self::load::<L, N>(from);
        }
        let mut wide = [0.0; N];
        for i in 0..N / 2 {
            // SAFETY: half as many words as there are numbers.
            let word = unsafe { from.as_ptr().cast::<u32>().add(i).read_unaligned() };
            wide[i] = f32::from_bits(word << 16);
            wide[N / 2 + i] = f32::from_bits(word & 0xffff_0000);
        }
        wide
    }
    #[inline(always)]
    fn pack<L: Level, const N: usize>(from: &[f32; N]) -> [Self; N] {
        if !N.is_multiple_of(2) {
            return Self::store::<L, N>(from);
        }
        let mut bits = [Self(0); N];
        for i in 0..N / 2 {
            let (low, high) = (Self::from_f32(from[i]), Self::from_f32(from[N / 2 + i]));
            let word = u32::from(low.0) | u32::from(high.0) << 16;
            // SAFETY: half as many words as there are numbers.
            unsafe { bits.as_mut_ptr().cast::<u32>().add(i).write_unaligned(word) }
        }
        bits
    }
    #[inline(always)]
    fn widen(self) -> f32 {
        self.to_f32()
    }
    #[inline(always)]
    fn narrow(wide: f32) -> Self {
        Self::from_f32(wide)
    }
    #[inline(always)]
    fn scalar(bits: u64) -> Self {
        Self::from_f32(f32::from_bits(bits as u32))
    }
}

/// True for the types that have code for single rows: every version of it takes time to compile.
pub const fn has_rows<E: Elem>() -> bool {
    matches!(E::DTYPE, DType::F32)
}

/// The type whose code serves: arithmetic modulo a power of two is the same with and without a sign.
pub const fn modular(dtype: DType) -> DType {
    match dtype {
        DType::U8 => DType::I8,
        DType::U16 => DType::I16,
        DType::U32 => DType::I32,
        DType::U64 => DType::I64,
        other => other,
    }
}

/// The type whose code serves where a scalar is only copied: those as wide take the same bits of it, but for the 16-bit
/// floats, which are rounded from single precision.
pub const fn by_bits(dtype: DType) -> DType {
    match dtype {
        DType::I8 => DType::U8,
        DType::I16 => DType::U16,
        DType::I32 | DType::F32 => DType::U32,
        DType::I64 => DType::U64,
        other => other,
    }
}

/// Runs an expression with a type name standing for the element type, for the types listed; `None` for others.
///
/// `by_type!(dtype, E in [F32 F16 I32] => Prepared::new::<Binary<Add, E>>(site, true))`
#[macro_export]
macro_rules! by_type {
    ($dtype:expr, $e:ident in [$($name:ident)*] => $body:expr) => {
        match $dtype {
            $(pto_isa::DType::$name => { type $e = $crate::elem::rust::$name; Some($body) })*
            _ => None,
        }
    };
}
pub use by_type;

/// Prepares a body for the element types listed; for those after the semicolon only plainly, which saves code
/// where speed is not wanted or not to be had. `None` for other types.
///
/// `prepare!(site, &["src", "dst"], dtype, E in [F32 I32; I64] => Unary<Neg, E>)`
#[macro_export]
macro_rules! prepare {
    ($site:expr, $slots:expr, $dtype:expr, $e:ident in [$($name:ident)*; $($rare:ident)*] => $body:ty) => {{
        #[allow(unused_imports, reason = "not every list has common types")]
        use $crate::{Prepared, contiguous, elem::by_type};
        let dtype = $dtype;
        by_type!(dtype, $e in [$($name)*] => Prepared::new::<$body>($site, contiguous($site, $slots)))
            .or_else(|| by_type!(dtype, $e in [$($rare)*] => Prepared::plain::<$body>()))
    }};
}
pub use prepare;

/// The unsigned integer as wide as a type, for work on bits.
pub fn unsigned(dtype: DType) -> Option<DType> {
    match dtype.bits() {
        8 => Some(DType::U8),
        16 => Some(DType::U16),
        32 => Some(DType::U32),
        64 => Some(DType::U64),
        _ => None,
    }
}

/// The Rust types under the names of [`DType`].
#[allow(missing_docs, reason = "named in full")]
pub mod rust {
    pub type I8 = i8;
    pub type I16 = i16;
    pub type I32 = i32;
    pub type I64 = i64;
    pub type U8 = u8;
    pub type U16 = u16;
    pub type U32 = u32;
    pub type U64 = u64;
    pub type F16 = pto_num::F16;
    pub type Bf16 = pto_num::Bf16;
    pub type F32 = f32;
}
