//! Global memory: pointers that are kernel parameters, and views of their tensors.

use super::marks::{Element, Idx, ScalarKind};
use super::scalar::{Index, IndexList, Scalar, ScalarOf};
use super::tile::TileOrView;
use super::trace::{Handle, Ref, ResultHandle, at, with};
use super::{Layout, addptr, load_scalar, make_tensor_view, partition_view, store_scalar};
use crate::ir::ValueId;
use crate::isa::{PtrSpace, Type};
use crate::record::ViewKind;
use std::marker::PhantomData;
use std::panic::Location;

/// A pointer to elements of type `T` in global memory: what a kernel is given for a slice or an array.
#[derive(Debug)]
pub struct Gm<T> {
    value: Ref<ValueId>,
    kind: PhantomData<fn() -> T>,
}

/// A tensor in global memory, or a window of one.
#[derive(Debug)]
pub struct View<T> {
    value: Ref<ValueId>,
    kind: PhantomData<fn() -> T>,
}

macro_rules! handles {
    ($($name:ident)+) => {$(
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}
        impl<T> Handle for $name<T> {
            fn value(&self) -> ValueId {
                self.value.get()
            }
        }
    )+};
}

handles!(Gm View);

impl<T: ScalarKind> ResultHandle for Gm<T> {
    fn ir_type() -> Type {
        Type::Ptr(T::SCALAR, PtrSpace::Default)
    }
    fn from_result(value: ValueId) -> Self {
        Self { value: Ref::new(value), kind: PhantomData }
    }
}

impl<T: Element> TileOrView<T> for View<T> {}

impl<T> View<T> {
    pub(super) fn from_value(value: ValueId) -> Self {
        Self { value: Ref::new(value), kind: PhantomData }
    }
}

impl<T: Element> Gm<T> {
    /// The tensor of this shape that starts here, row after row.
    ///
    /// ```
    /// use pto::tile::*;
    ///
    /// let kernel = Kernel::trace("copy", |x: Gm<f32>, y: Gm<f32>| {
    ///     let mut t = Tile::<Vector, f32, 16, 64>::new();
    ///     tload(&mut t, &x.view([64, 64]).part([16, 0], [16, 64]));
    ///     tstore(&mut y.view([16, 64]), &t);
    /// });
    /// let x: std::vec::Vec<f32> = (0..4096).map(|i| i as f32).collect();
    /// let mut y = vec![0.0f32; 1024];
    /// kernel.run(pto::Target::A5, &mut [pto::Arg::read(&x), pto::Arg::write(&mut y)]).expect("it runs");
    /// assert_eq!(y, x[1024..2048]);
    /// ```
    #[track_caller]
    pub fn view(self, shape: impl IndexList) -> View<T> {
        let shape = shape.indices();
        let extents: Vec<ValueId> = shape.iter().map(Handle::value).collect();
        let strides = at(Location::caller(), |trace| trace.row_major_strides(&extents));
        let strides: Vec<Index> = strides.into_iter().map(Index::from_result).collect();
        make_tensor_view(self, shape.as_slice(), strides.as_slice()).get()
    }

    /// The tensor of this shape that starts here, with the distances from one element to the next along each dimension.
    #[track_caller]
    pub fn strided(self, shape: impl IndexList, strides: impl IndexList) -> View<T> {
        make_tensor_view(self, shape, strides).get()
    }

    /// The same in one of the layouts of the device: [`Layout::Dn`] for matrices that lie column after column.
    #[track_caller]
    pub fn laid_out(self, layout: Layout, shape: impl IndexList, strides: impl IndexList) -> View<T> {
        make_tensor_view(self, shape, strides).layout(layout).get()
    }

    /// A pointer to a later element.
    #[track_caller]
    #[must_use]
    pub fn offset(self, by: impl ScalarOf<Idx>) -> Self {
        addptr(self, by)
    }

    /// One element.
    #[track_caller]
    pub fn load(self, at: impl ScalarOf<Idx>) -> Scalar<T> {
        load_scalar(self, at)
    }

    /// Changes one element.
    #[track_caller]
    pub fn store(self, at: impl ScalarOf<Idx>, value: impl ScalarOf<T>) {
        store_scalar(self, value, at);
    }
}

impl<T: Element> View<T> {
    /// A window: where it starts and how large it is, along each dimension.
    #[track_caller]
    #[must_use]
    pub fn part(&self, offsets: impl IndexList, sizes: impl IndexList) -> Self {
        partition_view(self, offsets, sizes)
    }
}

/// The type of a view with these extents: part of the type where they are known now.
pub(super) fn view_type<T: Element>(kind: ViewKind, extents: &[Index]) -> Type {
    let extents: Vec<ValueId> = extents.iter().map(Handle::value).collect();
    with(|trace| trace.view_type(kind, T::SCALAR, &extents))
}
