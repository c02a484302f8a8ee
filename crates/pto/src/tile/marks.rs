//! What the parameters of a tile type can be: memories, element types, layouts, pads.

use crate::isa::{BLayout, Compact, DType, Loc, Pad, SLayout, ScalarType};
use pto_num::{Bf16, F4E1M2, F4E2M1, F8E4M3, F8E5M2, F8E8M0, F16, Hif8, I4};

/// Keeps the traits of this module to the types of this module.
pub(super) mod sealed {
    /// Implemented here only.
    pub trait Sealed {}
}

use sealed::Sealed;

/// A memory that tiles live in.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a memory of the core",
    note = "tiles live in `Vector`, `Mat`, `Left`, `Right`, `Acc`, `Bias`, `Scaling`, `ScaleLeft`, `ScaleRight` or `Ctrl`"
)]
pub trait Memory: Sealed + 'static {
    /// Its value in the tile type.
    const LOC: Loc;
}

macro_rules! memories {
    ($($(#[$doc:meta])+ $name:ident = $loc:ident)+) => {$(
        $(#[$doc])+
        #[derive(Debug)]
        pub enum $name {}
        impl Sealed for $name {}
        impl Memory for $name {
            const LOC: Loc = Loc::$loc;
        }
    )+};
}

memories! {
    /// The unified buffer of a vector core; `vec` in text. Rust's vectors keep their name.
    Vector = Vec
    /// L1 of a cube core.
    Mat = Mat
    /// L0A: the left operand of a product.
    Left = Left
    /// L0B: the right operand of a product.
    Right = Right
    /// L0C: the accumulator.
    Acc = Acc
    /// The bias table of the cube core.
    Bias = Bias
    /// The buffer of the fix pipe, for quantisation parameters.
    Scaling = Scaling
    /// Block scales of the left operand (A5).
    ScaleLeft = ScaleLeft
    /// Block scales of the right operand (A5).
    ScaleRight = ScaleRight
    /// Control words of the scalar unit.
    Ctrl = Ctrl
}

/// The type of a scalar: an element type, [`Idx`], `bool` or `f64`.
pub trait ScalarKind: Sealed + Copy + 'static {
    /// Its value in the scalar type.
    const SCALAR: ScalarType;
}

/// The type of an element of a tile or of global memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type",
    note = "elements are `i8` to `i64`, `u8` to `u64`, `f32`, `F16`, `Bf16`, `F8E4M3`, `F8E5M2`, `F8E8M0`, `Hif8`, `F4E1M2`, `F4E2M1` or `I4`"
)]
pub trait Element: ScalarKind {
    /// Its value in the tile type.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($type:ident $dtype:ident),+ $(,)?) => {$(
        impl Sealed for $type {}
        impl Element for $type {
            const DTYPE: DType = DType::$dtype;
        }
        impl ScalarKind for $type {
            const SCALAR: ScalarType = ScalarType::Elem(DType::$dtype);
        }
    )+};
}

elements!(
    i8 I8, i16 I16, i32 I32, i64 I64, u8 U8, u16 U16, u32 U32, u64 U64, f32 F32, F16 F16, Bf16 Bf16, F8E4M3 F8E4M3,
    F8E5M2 F8E5M2, F8E8M0 F8E8M0, Hif8 Hif8, F4E1M2 F4E1M2, F4E2M1 F4E2M1, I4 I4,
);

/// Sizes, offsets and loop counters.
#[derive(Clone, Copy, Debug)]
pub enum Idx {}

macro_rules! scalars {
    ($($type:ty => $scalar:ident),+) => {$(
        impl Sealed for $type {}
        impl ScalarKind for $type {
            const SCALAR: ScalarType = ScalarType::$scalar;
        }
    )+};
}

scalars!(Idx => Index, bool => I1, f64 => F64);

/// The order of the boxes of a tile, or of its elements where there are none: [`RowMajor`] or [`ColMajor`].
#[diagnostic::on_unimplemented(message = "`{Self}` is not an order of boxes", note = "it is `RowMajor` or `ColMajor`")]
pub trait BoxOrder: Sealed + 'static {
    /// Its value in the tile type.
    const BLAYOUT: BLayout;
}

/// The order of the elements in a box: [`NoneBox`], [`RowMajor`] or [`ColMajor`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an order inside a box",
    note = "it is `NoneBox`, `RowMajor` or `ColMajor`"
)]
pub trait ElementOrder: Sealed + 'static {
    /// Its value in the tile type.
    const SLAYOUT: SLayout;
}

/// Rows follow each other.
#[derive(Debug)]
pub enum RowMajor {}

/// Columns follow each other.
#[derive(Debug)]
pub enum ColMajor {}

/// The tile is not cut into boxes.
#[derive(Debug)]
pub enum NoneBox {}

impl Sealed for RowMajor {}
impl Sealed for ColMajor {}
impl Sealed for NoneBox {}

impl BoxOrder for RowMajor {
    const BLAYOUT: BLayout = BLayout::RowMajor;
}
impl BoxOrder for ColMajor {
    const BLAYOUT: BLayout = BLayout::ColMajor;
}
impl ElementOrder for NoneBox {
    const SLAYOUT: SLayout = SLayout::NoneBox;
}
impl ElementOrder for RowMajor {
    const SLAYOUT: SLayout = SLayout::RowMajor;
}
impl ElementOrder for ColMajor {
    const SLAYOUT: SLayout = SLayout::ColMajor;
}

/// What fills a tile outside its valid region: [`PadNull`], [`PadZero`], [`PadMax`] or [`PadMin`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a pad value",
    note = "it is `PadNull`, `PadZero`, `PadMax` or `PadMin`"
)]
pub trait Padding: Sealed + 'static {
    /// Its value in the tile type.
    const PAD: Pad;
}

/// How a tile is packed whose valid region is smaller than the tile: [`CompactNull`], [`CompactNormal`],
/// [`CompactRowPlusOne`] or [`CompactRowAligned`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a packing",
    note = "it is `CompactNull`, `CompactNormal`, `CompactRowPlusOne` or `CompactRowAligned`"
)]
pub trait Packing: Sealed + 'static {
    /// Its value in the tile type.
    const COMPACT: Compact;
}

macro_rules! constants {
    ($trait:ident $const:ident: $enum:ident; $($(#[$doc:meta])+ $name:ident = $value:ident)+) => {$(
        $(#[$doc])+
        #[derive(Debug)]
        pub enum $name {}
        impl Sealed for $name {}
        impl $trait for $name {
            const $const: $enum = $enum::$value;
        }
    )+};
}

constants! { Padding PAD: Pad;
    /// Nothing in particular.
    PadNull = Null
    /// Zeros.
    PadZero = Zero
    /// The largest number of the element type.
    PadMax = Max
    /// The smallest number of the element type.
    PadMin = Min
}

constants! { Packing COMPACT: Compact;
    /// Not packed.
    CompactNull = Null
    /// The valid region is packed.
    CompactNormal = Normal
    /// Rows have one block more than they need.
    CompactRowPlusOne = RowPlusOne
    /// Rows are padded to whole blocks.
    CompactRowAligned = RowAlignedPadding
}
