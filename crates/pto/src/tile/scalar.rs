//! Scalars of a kernel: numbers that are known when it runs, and arithmetic on them.

use super::marks::{Element, Idx, ScalarKind};
use super::trace::{self, Handle, Ref, ResultHandle, at, with};
use crate::ir::ValueId;
use crate::isa::{ScalarType, Type};
use crate::record::{BinaryScalarOp, CompareOp, NumberLiteral};
use pto_num::{Bf16, F8E4M3, F8E5M2, F16, Hif8};
use std::marker::PhantomData;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};
use std::panic::Location;

/// A number of type `T` that the kernel computes, or that it is given.
///
/// Arithmetic on scalars becomes operations of the program, except between integers that are known while it is traced.
///
/// ```
/// use pto::tile::*;
///
/// let kernel = Kernel::trace("sizes", |x: Gm<f32>, n: Index| {
///     let half = n / 2;
///     let last = half.lt(8).select(half, 8);
///     x.store(last + 1, 0.5);
/// });
/// let text = kernel.to_text(pto::Form::Level2);
/// assert!(text.contains("arith.divsi") && text.contains("arith.select"));
/// ```
#[derive(Debug)]
pub struct Scalar<T> {
    value: Ref<ValueId>,
    kind: PhantomData<fn() -> T>,
}

/// A size, an offset or a loop counter.
pub type Index = Scalar<Idx>;

/// True or false.
pub type Bool = Scalar<bool>;

impl<T> Clone for Scalar<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Scalar<T> {}

impl<T> Handle for Scalar<T> {
    fn value(&self) -> ValueId {
        self.value.get()
    }
}

impl<T: ScalarKind> ResultHandle for Scalar<T> {
    fn ir_type() -> Type {
        Type::Scalar(T::SCALAR)
    }
    fn from_result(value: ValueId) -> Self {
        Self { value: Ref::new(value), kind: PhantomData }
    }
}

/// What can stand where a scalar of type `T` is wanted: one of the kernel, or a number.
#[diagnostic::on_unimplemented(
    message = "a scalar of `{T}` is needed here, and this is `{Self}`",
    label = "not a scalar of `{T}`",
    note = "give a number of that type or a `Scalar<{T}>`; `.cast()` changes the type of a scalar"
)]
pub trait ScalarOf<T> {
    /// The scalar.
    fn scalar(self) -> Scalar<T>;
}

impl<T> ScalarOf<T> for Scalar<T> {
    fn scalar(self) -> Scalar<T> {
        self
    }
}

fn constant<T: ScalarKind>(number: NumberLiteral) -> Scalar<T> {
    with(|trace| Scalar::from_result(trace.constant(T::SCALAR, number)))
}

macro_rules! numbers {
    ($($kind:ident from $($type:ty)|+ as $number:ident $wide:ty;)+) => {$($(
        impl ScalarOf<$kind> for $type {
            fn scalar(self) -> Scalar<$kind> {
                constant(NumberLiteral::$number(self as $wide))
            }
        }
    )+)+};
}

numbers! {
    i8 from i8 as Int i64;
    i16 from i16 as Int i64;
    i32 from i32 as Int i64;
    i64 from i64 as Int i64;
    u8 from u8 as Int i64;
    u16 from u16 as Int i64;
    u32 from u32 as Int i64;
    u64 from u64 as Int i64;
    f32 from f32 as Float f64;
    F16 from f32 as Float f64;
    Bf16 from f32 as Float f64;
    F8E4M3 from f32 as Float f64;
    F8E5M2 from f32 as Float f64;
    Hif8 from f32 as Float f64;
    f64 from f64 as Float f64;
    Idx from usize | i32 | i64 | u32 | u64 as Int i64;
    bool from bool as Int i64;
}

/// An integer scalar of any width, an [`Index`], or a Rust integer, which then is an index.
#[diagnostic::on_unimplemented(message = "an integer is needed here, and this is `{Self}`")]
pub trait AnyInt {
    #[doc(hidden)]
    fn int(self) -> ValueId;
}

/// A scalar of any type, or a Rust number.
#[diagnostic::on_unimplemented(message = "a scalar is needed here, and this is `{Self}`")]
pub trait AnyScalar {
    #[doc(hidden)]
    fn any(self) -> ValueId;
}

impl<T: Integer> AnyInt for Scalar<T> {
    fn int(self) -> ValueId {
        self.value()
    }
}

impl<T: ScalarKind> AnyScalar for Scalar<T> {
    fn any(self) -> ValueId {
        self.value()
    }
}

macro_rules! any_numbers {
    ($($type:ty)+) => {$(
        impl AnyInt for $type {
            fn int(self) -> ValueId {
                ScalarOf::<Idx>::scalar(self).value()
            }
        }
    )+};
}

any_numbers!(usize i32 i64 u32 u64);

macro_rules! any_scalars {
    ($($type:ty)+) => {$(
        impl AnyScalar for $type {
            fn any(self) -> ValueId {
                ScalarOf::<$type>::scalar(self).value()
            }
        }
    )+};
}

any_scalars!(i32 i64 f32);

/// A tile of `T` in vector memory, or a scalar of `T`.
#[diagnostic::on_unimplemented(
    message = "a tile of `{T}` in `Vector` or a scalar of `{T}` is needed here, and this is `{Self}`",
    note = "give `&tile`, a number, or a `Scalar<{T}>`"
)]
pub trait TileOrScalar<T> {
    #[doc(hidden)]
    fn either(self) -> ValueId;
}

impl<T: ScalarKind> TileOrScalar<T> for Scalar<T> {
    fn either(self) -> ValueId {
        self.value()
    }
}

macro_rules! either_numbers {
    ($($kind:ident from $type:ty;)+) => {$(
        impl TileOrScalar<$kind> for $type {
            fn either(self) -> ValueId {
                ScalarOf::<$kind>::scalar(self).value()
            }
        }
    )+};
}

either_numbers! {
    i8 from i8; i16 from i16; i32 from i32; i64 from i64; u8 from u8; u16 from u16; u32 from u32; u64 from u64;
    f32 from f32; F16 from f32; Bf16 from f32; F8E4M3 from f32; F8E5M2 from f32; Hif8 from f32;
}

/// One to five sizes, offsets or strides: `(row, 0)`, `[16, 32]`, or a slice of indices.
#[diagnostic::on_unimplemented(
    message = "a list of indices is needed here, and this is `{Self}`",
    note = "give a tuple like `(row, 0)`, an array like `[16, 32]`, or a slice of `Index`"
)]
pub trait IndexList {
    #[doc(hidden)]
    fn indices(self) -> Vec<Index>;
}

impl<I: ScalarOf<Idx>, const N: usize> IndexList for [I; N] {
    fn indices(self) -> Vec<Index> {
        self.into_iter().map(ScalarOf::scalar).collect()
    }
}

impl IndexList for &[Index] {
    fn indices(self) -> Vec<Index> {
        self.to_vec()
    }
}

macro_rules! index_tuples {
    ($(($($name:ident)+))+) => {$(
        impl<$($name: ScalarOf<Idx>),+> IndexList for ($($name,)+) {
            fn indices(self) -> Vec<Index> {
                #[expect(non_snake_case, reason = "the names of the types serve for the values")]
                let ($($name,)+) = self;
                vec![$($name.scalar()),+]
            }
        }
    )+};
}

index_tuples!((A) (A B) (A B C) (A B C D) (A B C D E));

/// Scalars that can be added, multiplied and compared: all but `bool`.
pub trait Arithmetic: ScalarKind {}

/// Integers and indices.
#[diagnostic::on_unimplemented(message = "this is for integers and indices, not for `{Self}`")]
pub trait Integer: ScalarKind {}

/// Integers, indices and `bool`.
pub trait Bits: ScalarKind {}

impl<T: Element> Arithmetic for T {}
impl Arithmetic for Idx {}
impl Arithmetic for f64 {}

macro_rules! integers {
    ($($type:ty)+) => {$(
        impl Integer for $type {}
        impl Bits for $type {}
    )+};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64 Idx);
impl Bits for bool {}

/// Records an operation on two scalars.
#[track_caller]
fn binary<T: ScalarKind>(op: BinaryScalarOp, a: Scalar<T>, b: Scalar<T>) -> Scalar<T> {
    let (a, b) = (a.value(), b.value());
    Scalar::from_result(at(Location::caller(), |trace| trace.binary(op, a, b)))
}

macro_rules! operators {
    ($($trait:ident $method:ident $pair:ident for $bound:ident;)+) => {$(
        impl<T: $bound, R: ScalarOf<T>> $trait<R> for Scalar<T> {
            type Output = Self;
            #[track_caller]
            fn $method(self, other: R) -> Self {
                binary(BinaryScalarOp::$pair, self, other.scalar())
            }
        }
    )+};
}

operators! {
    Add add Add for Arithmetic;
    Sub sub Sub for Arithmetic;
    Mul mul Mul for Arithmetic;
    Div div Div for Arithmetic;
    Rem rem Rem for Arithmetic;
    BitAnd bitand And for Bits;
    BitOr bitor Or for Bits;
    BitXor bitxor Xor for Bits;
    Shl shl Shl for Integer;
    Shr shr Shr for Integer;
}

impl<T: Arithmetic> Neg for Scalar<T> {
    type Output = Self;
    #[track_caller]
    fn neg(self) -> Self {
        let value = self.value();
        Self::from_result(at(Location::caller(), |trace| trace.negate(value)))
    }
}

impl Not for Bool {
    type Output = Self;
    #[track_caller]
    fn not(self) -> Self {
        let value = self.value();
        Self::from_result(at(Location::caller(), |trace| trace.invert(value)))
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])+ $name:ident: $op:ident;)+) => {
        impl<T: Arithmetic> Scalar<T> {
            $($(#[$doc])+
            #[track_caller]
            pub fn $name(self, other: impl ScalarOf<T>) -> Bool {
                compare(CompareOp::$op, self, other.scalar())
            })+

            /// The smaller of two; NaN when one of them is.
            #[track_caller]
            pub fn min(self, other: impl ScalarOf<T>) -> Self {
                binary(BinaryScalarOp::Min, self, other.scalar())
            }

            /// The larger of two; NaN when one of them is.
            #[track_caller]
            pub fn max(self, other: impl ScalarOf<T>) -> Self {
                binary(BinaryScalarOp::Max, self, other.scalar())
            }

            /// The number as another type: integers are cut or extended by their sign, floats are rounded.
            #[track_caller]
            pub fn cast<U: Arithmetic>(self) -> Scalar<U> {
                Scalar::from_result(cast(self.value(), U::SCALAR))
            }
        }
    };
}

comparisons! {
    /// Equal.
    eq: Eq;
    /// Not equal; also when one of them is NaN.
    ne: Ne;
    /// Less.
    lt: Lt;
    /// Less or equal.
    le: Le;
    /// Greater.
    gt: Gt;
    /// Greater or equal.
    ge: Ge;
}

#[track_caller]
fn compare<T: ScalarKind>(op: CompareOp, a: Scalar<T>, b: Scalar<T>) -> Bool {
    let (a, b) = (a.value(), b.value());
    Bool::from_result(at(Location::caller(), |trace| trace.compare(op, a, b)))
}

impl Bool {
    /// The first where this is true, else the second.
    #[track_caller]
    pub fn select<T: ScalarKind, A: ScalarOf<T>, B: ScalarOf<T>>(self, yes: A, no: B) -> Scalar<T> {
        let (condition, yes, no) = (self.value(), yes.scalar().value(), no.scalar().value());
        Scalar::from_result(at(Location::caller(), |trace| trace.select(condition, yes, no)))
    }
}

#[track_caller]
fn cast(value: ValueId, to: ScalarType) -> ValueId {
    at(Location::caller(), |trace| trace.cast(value, to))
}

impl<T: Integer> Scalar<T> {
    /// The number as an index.
    #[track_caller]
    pub fn index(self) -> Index {
        Scalar::from_result(cast(self.value(), ScalarType::Index))
    }
}

impl Index {
    /// The number, when it is known while the kernel is traced.
    pub fn known(self) -> Option<i64> {
        with(|trace| trace.number(self.value()))
    }
}

impl From<usize> for Index {
    fn from(n: usize) -> Self {
        n.scalar()
    }
}

impl<T> Scalar<T> {
    /// The same scalar under another name in the kernel's text.
    #[track_caller]
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        trace::rename(self.value(), name);
        self
    }
}
