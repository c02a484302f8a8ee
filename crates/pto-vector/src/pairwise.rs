//! Functions of runs of elements, built from those of single ones.
//!
//! Most instructions apply one function to each element. Those of two steps round to the element type in between,
//! which for the 16-bit floats is done for a whole run.

use super::call::ChainLink;
use super::elem::Elem;
use super::ops;
use pto_num::Level;
use std::marker::PhantomData;

/// One of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    First,
    Second,
}

/// A function of two runs of elements.
pub trait Pairwise<E: Elem> {
    /// The operand that must not have zeros.
    const DIVISOR: Option<Side>;

    /// True where the results of a row are often added up: there is code that does both.
    const SUMMED: bool = false;

    /// What it is in a chain of steps: with a row, and with a value.
    const LINKS: [Option<ChainLink>; 2] = [None; 2];

    /// Its values.
    fn run<L: Level, const N: usize>(a: &[E::Wide; N], b: &[E::Wide; N]) -> [E::Wide; N];

    /// Precomputed data about a second element that many first ones share.
    #[inline(always)]
    fn known(b: E::Wide) -> E::Wide {
        b
    }

    /// Its values for one second element, with the precomputed data.
    #[inline(always)]
    fn by_value<L: Level, const N: usize>(a: &[E::Wide; N], b: E::Wide, _known: E::Wide) -> [E::Wide; N] {
        Self::run::<L, N>(a, &[b; N])
    }
}

/// Functions of single elements are functions of runs. One implementation for all of them would forbid the others.
macro_rules! each_element {
    ($($op:ident)+) => {$(
        impl<E: Elem> Pairwise<E> for ops::$op
        where
            ops::$op: ops::Binary<E::Wide>,
        {
            const DIVISOR: Option<Side> = if <Self as ops::Binary<E::Wide>>::DIVIDES { Some(Side::Second) } else { None };
            const SUMMED: bool = <Self as ops::Binary<E::Wide>>::SUMMED;
            const LINKS: [Option<ChainLink>; 2] = <Self as ops::Binary<E::Wide>>::LINKS;

            #[inline(always)]
            fn run<L: Level, const N: usize>(a: &[E::Wide; N], b: &[E::Wide; N]) -> [E::Wide; N] {
                let mut out = [E::Wide::default(); N];
                for i in 0..N {
                    out[i] = <Self as ops::Binary<E::Wide>>::apply::<L>(a[i], b[i]);
                }
                out
            }

            #[inline(always)]
            fn known(b: E::Wide) -> E::Wide {
                <Self as ops::Binary<E::Wide>>::known(b)
            }

            #[inline(always)]
            fn by_value<L: Level, const N: usize>(a: &[E::Wide; N], b: E::Wide, known: E::Wide) -> [E::Wide; N] {
                <Self as ops::Binary<E::Wide>>::by_value::<L, N>(a, b, known)
            }
        }
    )+};
}

each_element!(Add Sub Mul Div Fmod Rem Pow Max Min And Or Xor Shl Shr Prelu AddRelu SubRelu);

/// A function with its operands exchanged.
pub struct Swap<P>(PhantomData<P>);

impl<E: Elem, P: Pairwise<E>> Pairwise<E> for Swap<P> {
    const DIVISOR: Option<Side> = match P::DIVISOR {
        Some(Side::Second) => Some(Side::First),
        Some(Side::First) => Some(Side::Second),
        None => None,
    };

    #[inline(always)]
    fn run<L: Level, const N: usize>(a: &[E::Wide; N], b: &[E::Wide; N]) -> [E::Wide; N] {
        P::run::<L, N>(b, a)
    }
}

/// A function of one element after one of two, rounded in between.
pub struct Then<P, U>(PhantomData<(P, U)>);

impl<E: Elem, P: Pairwise<E>, U: ops::Unary<E::Wide>> Pairwise<E> for Then<P, U> {
    const DIVISOR: Option<Side> = P::DIVISOR;
    const SUMMED: bool = true;

    #[inline(always)]
    fn run<L: Level, const N: usize>(a: &[E::Wide; N], b: &[E::Wide; N]) -> [E::Wide; N] {
        U::run::<L, N>(&rounded::<L, E, N>(&P::run::<L, N>(a, b)))
    }
}

/// Results as if they had been written and read again.
#[inline(always)]
pub fn rounded<L: Level, E: Elem, const N: usize>(wide: &[E::Wide; N]) -> [E::Wide; N] {
    E::unpack::<L, N>(&E::pack::<L, N>(wide))
}
