//! Scalars of a kernel: numbers that are known when it runs, and arithmetic on them.

use super::marks::{Element, Idx, ScalarKind};
use super::trace::{self, Handle, InstrCall, NumberLiteral, Ref, ResultHandle, with};
use crate::ir::ValueId;
use crate::isa::row::Arith;
use crate::isa::{Class, EnumDef, Op, ScalarType, Type, enums};
use pto_num::{Bf16, F8E4M3, F8E5M2, F16, Hif8};
use std::marker::PhantomData;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

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

/// An operation on two scalars, by the class of their type.
struct BinaryScalarOp {
    signed: Arith,
    unsigned: Arith,
    float: Arith,
    /// The same between known integers; none where it has no result.
    fold: fn(i64, i64) -> Option<i64>,
}

const fn class_of(ty: ScalarType) -> Class {
    match ty {
        ScalarType::Elem(d) => d.class(),
        ScalarType::Index => Class::Signed,
        ScalarType::I1 => Class::Unsigned,
        ScalarType::F64 => Class::Float,
    }
}

impl BinaryScalarOp {
    #[track_caller]
    fn apply<T: ScalarKind>(&self, a: Scalar<T>, b: Scalar<T>) -> Scalar<T> {
        if let Some(known) = self.folded(a, b) {
            return constant(NumberLiteral::Int(known));
        }
        let chosen = match class_of(T::SCALAR) {
            Class::Signed => self.signed,
            Class::Unsigned => self.unsigned,
            Class::Float => self.float,
        };
        let call = InstrCall::new(Op::of(chosen)).operand(0, a.value()).operand(1, b.value());
        Scalar::from_result(call.result(Type::Scalar(T::SCALAR)))
    }

    /// Only indices: other integers wrap at their width.
    fn folded<T: ScalarKind>(&self, a: Scalar<T>, b: Scalar<T>) -> Option<i64> {
        if T::SCALAR != ScalarType::Index {
            return None;
        }
        let (a, b) = with(|trace| Some((trace.number(a.value())?, trace.number(b.value())?)))?;
        (self.fold)(a, b)
    }
}

const ADD: BinaryScalarOp =
    BinaryScalarOp { signed: Arith::Add, unsigned: Arith::Add, float: Arith::AddFloat, fold: i64::checked_add };
const SUB: BinaryScalarOp =
    BinaryScalarOp { signed: Arith::Sub, unsigned: Arith::Sub, float: Arith::SubFloat, fold: i64::checked_sub };
const MUL: BinaryScalarOp =
    BinaryScalarOp { signed: Arith::Mul, unsigned: Arith::Mul, float: Arith::MulFloat, fold: i64::checked_mul };
const DIV: BinaryScalarOp = BinaryScalarOp {
    signed: Arith::DivSigned,
    unsigned: Arith::DivUnsigned,
    float: Arith::DivFloat,
    fold: i64::checked_div,
};
const REM: BinaryScalarOp = BinaryScalarOp {
    signed: Arith::RemSigned,
    unsigned: Arith::RemUnsigned,
    float: Arith::RemFloat,
    fold: i64::checked_rem,
};
const MIN: BinaryScalarOp = BinaryScalarOp {
    signed: Arith::MinSigned,
    unsigned: Arith::MinUnsigned,
    float: Arith::MinimumFloat,
    fold: |a, b| Some(a.min(b)),
};
const MAX: BinaryScalarOp = BinaryScalarOp {
    signed: Arith::MaxSigned,
    unsigned: Arith::MaxUnsigned,
    float: Arith::MaximumFloat,
    fold: |a, b| Some(a.max(b)),
};

macro_rules! bits {
    ($($name:ident = $signed:ident $unsigned:ident;)+) => {$(
        const $name: BinaryScalarOp =
            BinaryScalarOp { signed: Arith::$signed, unsigned: Arith::$unsigned, float: Arith::$signed, fold: |_, _| None };
    )+};
}

bits! {
    AND = And And;
    OR = Or Or;
    XOR = Xor Xor;
    SHL = ShiftLeft ShiftLeft;
    SHR = ShiftRightSigned ShiftRightUnsigned;
}

macro_rules! operators {
    ($($trait:ident $method:ident $pair:ident for $bound:ident;)+) => {$(
        impl<T: $bound, R: ScalarOf<T>> $trait<R> for Scalar<T> {
            type Output = Self;
            #[track_caller]
            fn $method(self, other: R) -> Self {
                $pair.apply(self, other.scalar())
            }
        }
    )+};
}

operators! {
    Add add ADD for Arithmetic;
    Sub sub SUB for Arithmetic;
    Mul mul MUL for Arithmetic;
    Div div DIV for Arithmetic;
    Rem rem REM for Arithmetic;
    BitAnd bitand AND for Bits;
    BitOr bitor OR for Bits;
    BitXor bitxor XOR for Bits;
    Shl shl SHL for Integer;
    Shr shr SHR for Integer;
}

impl<T: Arithmetic> Neg for Scalar<T> {
    type Output = Self;
    #[track_caller]
    fn neg(self) -> Self {
        if class_of(T::SCALAR) == Class::Float {
            let call = InstrCall::new(Op::of(Arith::NegFloat)).operand(0, self.value());
            return Self::from_result(call.result(Type::Scalar(T::SCALAR)));
        }
        SUB.apply(constant(NumberLiteral::Int(0)), self)
    }
}

impl Not for Bool {
    type Output = Self;
    #[track_caller]
    fn not(self) -> Self {
        XOR.apply(self, true.scalar())
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])+ $name:ident: $signed:literal $unsigned:literal $float:literal;)+) => {
        impl<T: Arithmetic> Scalar<T> {
            $($(#[$doc])+
            #[track_caller]
            pub fn $name(self, other: impl ScalarOf<T>) -> Bool {
                compare(self, other.scalar(), [$signed, $unsigned, $float])
            })+

            /// The smaller of two; NaN when one of them is.
            #[track_caller]
            pub fn min(self, other: impl ScalarOf<T>) -> Self {
                MIN.apply(self, other.scalar())
            }

            /// The larger of two; NaN when one of them is.
            #[track_caller]
            pub fn max(self, other: impl ScalarOf<T>) -> Self {
                MAX.apply(self, other.scalar())
            }

            /// The number as another type: integers are cut or extended by their sign, floats are rounded.
            #[track_caller]
            pub fn cast<U: Arithmetic>(self) -> Scalar<U> {
                Scalar::from_result(cast(self.value(), T::SCALAR, U::SCALAR))
            }
        }
    };
}

comparisons! {
    /// Equal.
    eq: "eq" "eq" "oeq";
    /// Not equal; also when one of them is NaN.
    ne: "ne" "ne" "une";
    /// Less.
    lt: "slt" "ult" "olt";
    /// Less or equal.
    le: "sle" "ule" "ole";
    /// Greater.
    gt: "sgt" "ugt" "ogt";
    /// Greater or equal.
    ge: "sge" "uge" "oge";
}

#[track_caller]
fn compare<T: ScalarKind>(a: Scalar<T>, b: Scalar<T>, names: [&str; 3]) -> Bool {
    let (chosen, list, name): (Arith, &'static EnumDef, &str) = match class_of(T::SCALAR) {
        Class::Signed => (Arith::CompareInt, &enums::CMPI_PREDICATE, names[0]),
        Class::Unsigned => (Arith::CompareInt, &enums::CMPI_PREDICATE, names[1]),
        Class::Float => (Arith::CompareFloat, &enums::CMPF_PREDICATE, names[2]),
    };
    let predicate = super::attrs::EnumChoice(list, list.find(name).expect("a predicate of the list") as u8);
    let call = InstrCall::new(Op::of(chosen)).operand(0, a.value()).operand(1, b.value()).attr("predicate", predicate);
    Bool::from_result(call.result(Type::Scalar(ScalarType::I1)))
}

impl Bool {
    /// The first where this is true, else the second.
    #[track_caller]
    pub fn select<T: ScalarKind, A: ScalarOf<T>, B: ScalarOf<T>>(self, yes: A, no: B) -> Scalar<T> {
        let (yes, no) = (yes.scalar(), no.scalar());
        let call = InstrCall::new(Op::of(Arith::Select))
            .operand(0, self.value())
            .operand(1, yes.value())
            .operand(2, no.value());
        Scalar::from_result(call.result(Type::Scalar(T::SCALAR)))
    }
}

const I64: ScalarType = ScalarType::Elem(crate::isa::DType::I64);

const fn width(ty: ScalarType) -> u32 {
    match ty {
        ScalarType::Elem(d) => d.bits(),
        ScalarType::I1 => 1,
        ScalarType::Index | ScalarType::F64 => 64,
    }
}

/// A change of type, in as many steps as the dialect needs.
#[track_caller]
fn cast(value: ValueId, from: ScalarType, to: ScalarType) -> ValueId {
    use Class::{Float, Signed, Unsigned};
    if from == to {
        return value;
    }
    let number = with(|trace| trace.number(value));
    if let (Some(n), true) = (number, to.is_int()) {
        return with(|trace| trace.constant(to, NumberLiteral::Int(n)));
    }
    let index = ScalarType::Index;
    let step = match (class_of(from), class_of(to)) {
        // An index becomes a float by way of an integer.
        (_, Float) if from == index => return cast(cast(value, from, I64), I64, to),
        (Float, _) if to == index => return cast(cast(value, from, I64), I64, to),
        (Signed, _) if from == index => Arith::IndexCast,
        (Unsigned, _) if from == index => Arith::IndexCastUnsigned,
        (Unsigned, _) if to == index => Arith::IndexCastUnsigned,
        (_, _) if to == index => Arith::IndexCast,
        (Float, Float) if width(from) < width(to) => Arith::ExtendFloat,
        (Float, Float) if width(from) > width(to) => Arith::TruncateFloat,
        // Two formats of one width: by way of a wider one.
        (Float, Float) => {
            let wide = ScalarType::Elem(crate::isa::DType::F32);
            return cast(cast(value, from, wide), wide, to);
        }
        (Float, Signed) => Arith::FloatToSigned,
        (Float, Unsigned) => Arith::FloatToUnsigned,
        (Signed, Float) => Arith::SignedToFloat,
        (Unsigned, Float) => Arith::UnsignedToFloat,
        (_, _) if width(from) > width(to) => Arith::Truncate,
        (_, _) if width(from) == width(to) => Arith::Bitcast,
        (Signed, _) => Arith::ExtendSigned,
        (Unsigned, _) => Arith::ExtendUnsigned,
    };
    InstrCall::new(Op::of(step)).operand(0, value).result(Type::Scalar(to))
}

impl<T: Integer> Scalar<T> {
    /// The number as an index.
    #[track_caller]
    pub fn index(self) -> Index {
        Scalar::from_result(cast(self.value(), T::SCALAR, ScalarType::Index))
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
