//! The result of an instruction: an event, and methods for its optional arguments.

use super::trace::{self, Ref};
use crate::ir::OpId;
use std::marker::PhantomData;
use std::panic::Location;

/// An instruction that was recorded.
///
/// It is the *record event* of the instruction pages: later instructions can wait for it ([`Issued::after`]). Optional arguments are
/// methods: `trowexpandmax(&mut dst, &src0, &src1).tmp(&mut scratch)`.
///
/// `R` is what it gives back besides, for [`Issued::get`].
#[derive(Debug)]
pub struct Issued<I = (), R = ()> {
    op: Ref<OpId>,
    value: R,
    instruction: PhantomData<I>,
}

impl<I, R> Issued<I, R> {
    pub(super) fn new(op: OpId, value: R) -> Self {
        Self { op: Ref::new(op), value, instruction: PhantomData }
    }

    #[track_caller]
    pub(super) fn op(&self) -> OpId {
        self.op.get()
    }

    /// Lets the instruction wait until another one is done.
    ///
    /// If the two run on different pipes, this sets a flag after the other one and waits for it before this one; on one pipe it is a
    /// barrier.
    ///
    /// ```
    /// use pto::tile::*;
    ///
    /// let kernel = Kernel::trace("double", |x: Gm<f32>, y: Gm<f32>| {
    ///     let (xs, mut ys) = (x.view([16, 16]), y.view([16, 16]));
    ///     let mut t = Tile::<Vector, f32, 16, 16>::new();
    ///     tassign(&mut t, 0x1000);
    ///     let loaded = tload(&mut t, &xs);
    ///     let added = tadd(&mut t, Same, Same).after(&loaded);
    ///     tstore(&mut ys, &t).after(&added);
    /// });
    /// let (x, mut y) = (vec![1.0f32; 256], vec![0.0f32; 256]);
    /// kernel.race(pto::Target::A2A3, &mut [pto::Arg::read(&x), pto::Arg::write(&mut y)]).expect("ordered");
    /// assert_eq!(y, vec![2.0; 256]);
    /// ```
    #[track_caller]
    pub fn after<J, S>(self, other: &Issued<J, S>) -> Self {
        let (op, first) = (self.op(), other.op());
        trace::at(Location::caller(), |trace| trace.wait_for(op, first));
        self
    }

    /// What the instruction gives back.
    pub fn get(self) -> R {
        self.value
    }
}
