//! Tiles.

use super::marks::{
    Acc, Bias, BoxOrder, ColMajor, CompactNull, Element, ElementOrder, Left, Mat, Memory, NoneBox, Packing, PadNull,
    Padding, Right, RowMajor, Scaling, Vector,
};
use super::scalar::{Index, ScalarOf, TileOrScalar};
use super::trace::{self, Handle, InstrCall, Ref, ResultHandle};
use crate::ir::ValueId;
use crate::isa::row::Storage;
use crate::isa::{Dim, Op, TileRule, TileType, Type};
use std::marker::PhantomData;

/// A number of valid rows or columns that is known only when the program runs.
pub const DYN: usize = usize::MAX;

/// A tile: `ROWS × COLS` elements of type `T` in a memory `L`.
///
/// The other parameters have the defaults of the device headers: boxes in `B` order, `VALID_ROWS × VALID_COLS` valid elements
/// ([`DYN`]: known only at run time), elements of a box in `S` order, boxes of `FRACTAL` bytes, what fills the rest, and how
/// it is packed.
///
/// The static rules of a tile type hold at compile time: what makes a tile does not build for a type that breaks one.
///
/// ```
/// use pto::tile::*;
///
/// let kernel = Kernel::trace("tiles", || {
///     let full = Tile::<Vector, f32, 16, 16>::new();
///     let tail = Tile::<Vector, f32, 16, 16, RowMajor, 12, 16>::new();
///     let mask = Tile::<Vector, u8, 16, 32, RowMajor, DYN, DYN>::with_valid(16, 2);
///     let left = TileLeft::<F16, 64, 64>::new();
/// });
/// assert!(kernel.check(pto::Target::A2A3).is_ok());
/// ```
#[derive(Debug)]
pub struct Tile<
    L: Memory,
    T: Element,
    const ROWS: usize,
    const COLS: usize,
    B: BoxOrder = RowMajor,
    const VALID_ROWS: usize = ROWS,
    const VALID_COLS: usize = COLS,
    S: ElementOrder = NoneBox,
    const FRACTAL: u32 = 512,
    P: Padding = PadNull,
    K: Packing = CompactNull,
> {
    value: Ref<ValueId>,
    kind: PhantomData<(L, T, B, S, P, K)>,
}

/// The left operand of a product.
pub type TileLeft<T, const M: usize, const K: usize, const VM: usize = M, const VK: usize = K> =
    Tile<Left, T, M, K, RowMajor, VM, VK, RowMajor>;

/// The right operand of a product.
pub type TileRight<T, const K: usize, const N: usize, const VK: usize = K, const VN: usize = N> =
    Tile<Right, T, K, N, RowMajor, VK, VN, ColMajor>;

/// An accumulator.
pub type TileAcc<T, const M: usize, const N: usize, const VM: usize = M, const VN: usize = N> =
    Tile<Acc, T, M, N, ColMajor, VM, VN, RowMajor, 1024>;

/// A matrix in L1, in the layout products read.
pub type TileMat<T, const R: usize, const C: usize, const VR: usize = R, const VC: usize = C> =
    Tile<Mat, T, R, C, ColMajor, VR, VC, RowMajor>;

/// A bias: one row, added to each row of a product.
pub type TileBias<T, const N: usize, const VN: usize = N> = Tile<Bias, T, 1, N, RowMajor, 1, VN>;

/// Quantisation parameters: one row.
pub type TileScaling<T, const N: usize, const VN: usize = N> = Tile<Scaling, T, 1, N, RowMajor, 1, VN>;

const fn valid(extent: usize) -> Dim {
    if extent == DYN { Dim::Dynamic } else { Dim::Fixed(extent as u64) }
}

impl<
    L: Memory,
    T: Element,
    const ROWS: usize,
    const COLS: usize,
    B: BoxOrder,
    const VALID_ROWS: usize,
    const VALID_COLS: usize,
    S: ElementOrder,
    const FRACTAL: u32,
    P: Padding,
    K: Packing,
> Tile<L, T, ROWS, COLS, B, VALID_ROWS, VALID_COLS, S, FRACTAL, P, K>
{
    /// The type in the rest of the toolchain.
    pub const TYPE: TileType = TileType {
        loc: L::LOC,
        dtype: T::DTYPE,
        rows: ROWS as u64,
        cols: COLS as u64,
        valid_rows: valid(VALID_ROWS),
        valid_cols: valid(VALID_COLS),
        blayout: B::BLAYOUT,
        slayout: S::SLAYOUT,
        fractal: FRACTAL,
        pad: P::PAD,
        compact: K::COMPACT,
    };

    /// The static rules, checked when the program is built.
    const IS_LEGAL: () = {
        let t = Self::TYPE;
        assert!(!t.breaks(TileRule::Empty), "a tile must have at least one row and one column");
        assert!(
            !t.breaks(TileRule::ValidExceeds),
            "the valid rows and columns of a tile must not exceed its rows and columns"
        );
        assert!(!t.breaks(TileRule::Fractal), "the boxes of a tile must have 512, 1024 or 32 bytes");
        assert!(
            !t.breaks(TileRule::RowBytes),
            "a row of a tile (a column, when it is column-major) must be a multiple of 32 bytes"
        );
        assert!(!t.breaks(TileRule::BoxCols), "the columns of a tile must be a multiple of the columns of its boxes");
        assert!(!t.breaks(TileRule::BoxRows), "the rows of a tile must be a multiple of the rows of its boxes");
    };

    /// A new tile, without an address. All of its valid region is part of the type; see [`Tile::with_valid`].
    #[track_caller]
    #[expect(clippy::new_without_default, reason = "it takes memory of the core that is traced")]
    pub fn new() -> Self {
        const {
            let () = Self::IS_LEGAL;
            assert!(
                VALID_ROWS != DYN && VALID_COLS != DYN,
                "a tile whose valid region is part of its state needs one: use `Tile::with_valid`"
            );
        };
        Self::from_value(InstrCall::new(Op::of(Storage::Tile)).result(Type::TileBuf(Self::TYPE)))
    }

    /// A new tile whose valid rows and columns are set now. Those that are part of the type must be what the type says.
    #[track_caller]
    pub fn with_valid(rows: impl ScalarOf<super::Idx>, cols: impl ScalarOf<super::Idx>) -> Self {
        const { Self::IS_LEGAL };
        let mut call = InstrCall::new(Op::of(Storage::Tile));
        let (rows, cols) = (rows.scalar(), cols.scalar());
        // Extents in the type are not passed again.
        if VALID_ROWS == DYN {
            call = call.named("valid_row", rows.value());
        }
        if VALID_COLS == DYN {
            call = call.named("valid_col", cols.value());
        }
        Self::from_value(call.result(Type::TileBuf(Self::TYPE)))
    }

    /// The valid rows, as they are now.
    #[track_caller]
    pub fn valid_rows(&self) -> Index {
        super::tile_valid_rows(self)
    }

    /// The valid columns, as they are now.
    #[track_caller]
    pub fn valid_cols(&self) -> Index {
        super::tile_valid_cols(self)
    }

    fn from_value(value: ValueId) -> Self {
        Self { value: Ref::new(value), kind: PhantomData }
    }
}

macro_rules! for_every_tile {
    ($(impl<$($memory:ident)?> $trait:ty as $self:ty { $($body:tt)* })+) => {$(
        impl<
            $($memory: Memory,)?
            T: Element,
            const R: usize,
            const C: usize,
            B: BoxOrder,
            const VR: usize,
            const VC: usize,
            S: ElementOrder,
            const F: u32,
            P: Padding,
            K: Packing,
        > $trait for $self { $($body)* }
    )+};
}

for_every_tile! {
    impl<L> Handle as Tile<L, T, R, C, B, VR, VC, S, F, P, K> {
        fn value(&self) -> ValueId {
            self.value.get()
        }
    }
    impl<L> ResultHandle as Tile<L, T, R, C, B, VR, VC, S, F, P, K> {
        fn ir_type() -> Type {
            const { Self::IS_LEGAL };
            Type::TileBuf(Self::TYPE)
        }
        fn from_result(value: ValueId) -> Self {
            Self::from_value(value)
        }
    }
    impl<L> TileOf<L, T> as Tile<L, T, R, C, B, VR, VC, S, F, P, K> {}
    impl<L> SourceTile<L, T> as &Tile<L, T, R, C, B, VR, VC, S, F, P, K> {
        fn source(&self) -> Option<ValueId> {
            Some(self.value())
        }
    }
    impl<L> TileOrView<T> as Tile<L, T, R, C, B, VR, VC, S, F, P, K> {}
    impl<> TileOrScalar<T> as &Tile<Vector, T, R, C, B, VR, VC, S, F, P, K> {
        fn either(self) -> ValueId {
            self.value()
        }
    }
}

/// A tile with elements of type `T` in the memory `L`.
#[diagnostic::on_unimplemented(
    message = "a tile of `{T}` in `{L}` is needed here, and this is `{Self}`",
    label = "not a tile of `{T}` in `{L}`"
)]
pub trait TileOf<L, T>: Handle {}

/// What an instruction can read as a tile with elements of type `T` in the memory `L`: a reference to one, or [`Same`].
#[diagnostic::on_unimplemented(
    message = "a tile of `{T}` in `{L}` is needed here, and this is `{Self}`",
    label = "not a tile of `{T}` in `{L}`",
    note = "give a reference to a tile, `&tile`, or `Same` for the tile that is written"
)]
pub trait SourceTile<L, T> {
    #[doc(hidden)]
    fn source(&self) -> Option<ValueId>;
}

/// Reads the tile that the instruction writes: `tadd(&mut sum, Same, &part)`.
#[derive(Clone, Copy, Debug)]
pub struct Same;

impl<L, T> SourceTile<L, T> for Same {
    fn source(&self) -> Option<ValueId> {
        None
    }
}

/// A tile or a view of global memory, with elements of type `T`.
#[diagnostic::on_unimplemented(
    message = "a tile or a view of global memory with elements of `{T}` is needed here, and this is `{Self}`"
)]
pub trait TileOrView<T>: Handle {}

/// Names a tile in the text of its kernel.
#[track_caller]
pub fn name(handle: &impl Handle, name: &str) {
    trace::rename(handle.value(), name);
}
