//! Loops, branches, sections and functions of a kernel.
//!
//! Rust's own `for` and `if` work while a kernel is traced: loops unroll, branches choose what is recorded. What is here
//! becomes control flow of the program.

use super::global::Gm;
use super::marks::{Idx, ScalarKind};
use super::scalar::{Bool, Index, Scalar, ScalarOf};
use super::trace::{Handle, Ref, ResultHandle, at};
use crate::ir::ValueId;
use crate::isa::Type;
use crate::isa::row::CoreKind;
use crate::record::{OpenBranch, Recorder};
use std::marker::PhantomData;
use std::panic::Location;

/// Values that a loop carries or a branch yields: scalars, tuples of them, or nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be carried by a loop or returned from a branch",
    note = "scalars and tuples of scalars can; tiles are modified in place"
)]
pub trait Carry {
    #[doc(hidden)]
    fn values(&self) -> Vec<ValueId>;
    #[doc(hidden)]
    fn types() -> Vec<Type>;
    #[doc(hidden)]
    fn from_values(values: &mut dyn Iterator<Item = ValueId>) -> Self;
}

impl Carry for () {
    fn values(&self) -> Vec<ValueId> {
        Vec::new()
    }
    fn types() -> Vec<Type> {
        Vec::new()
    }
    fn from_values(_: &mut dyn Iterator<Item = ValueId>) -> Self {}
}

macro_rules! carried {
    ($($handle:ident)+) => {$(
        impl<T: ScalarKind> Carry for $handle<T> {
            fn values(&self) -> Vec<ValueId> {
                vec![self.value()]
            }
            fn types() -> Vec<Type> {
                vec![<Self as ResultHandle>::ir_type()]
            }
            fn from_values(values: &mut dyn Iterator<Item = ValueId>) -> Self {
                Self::from_result(values.next().expect("as many values as types"))
            }
        }
    )+};
}

carried!(Scalar Gm);

macro_rules! carry_tuples {
    ($(($($name:ident $at:tt)+))+) => {$(
        impl<$($name: Carry),+> Carry for ($($name,)+) {
            fn values(&self) -> Vec<ValueId> {
                [$(self.$at.values()),+].concat()
            }
            fn types() -> Vec<Type> {
                [$($name::types()),+].concat()
            }
            fn from_values(values: &mut dyn Iterator<Item = ValueId>) -> Self {
                ($($name::from_values(values),)+)
            }
        }
    )+};
}

carry_tuples! {
    (A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) (A 0 B 1 C 2 D 3 E 4) (A 0 B 1 C 2 D 3 E 4 F 5)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6) (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7)
}

/// The handles of values.
fn handles<C: Carry>(values: Vec<ValueId>) -> C {
    C::from_values(&mut values.into_iter())
}

/// A loop of the program: `body` is recorded once and runs for `lower`, `lower + step`, … below `upper`.
///
/// ```
/// use pto::tile::*;
///
/// let kernel = Kernel::trace("twice", |x: Gm<f32>, y: Gm<f32>| {
///     let (xs, ys) = (x.view([64, 64]), y.view([64, 64]));
///     for_range(0, 64, 16, |row| {
///         let mut t = Tile::<Vector, f32, 16, 64>::new();
///         tload(&mut t, &xs.part((row, 0), [16, 64]));
///         tadd(&mut t, Same, Same);
///         tstore(&mut ys.part((row, 0), [16, 64]), &t);
///     });
/// });
/// assert!(kernel.to_text(pto::Form::Level2).contains("scf.for"));
/// let (x, mut y) = (vec![1.5f32; 4096], vec![0.0f32; 4096]);
/// kernel.run(pto::Target::A2A3, &mut [pto::Arg::read(&x), pto::Arg::write(&mut y)]).expect("it runs");
/// assert_eq!(y, vec![3.0; 4096]);
/// ```
#[track_caller]
pub fn for_range(
    lower: impl ScalarOf<Idx>,
    upper: impl ScalarOf<Idx>,
    step: impl ScalarOf<Idx>,
    body: impl FnOnce(Index),
) {
    for_carry(lower, upper, step, (), |i, ()| body(i));
}

/// A loop that hands scalars from one iteration to the next, and gives what the last iteration gave.
///
/// ```
/// use pto::tile::*;
///
/// let kernel = Kernel::trace("sum", |x: Gm<f32>| {
///     let sum = for_carry(0, 8, 1, 0.0f32.scalar(), |i, sum| sum + x.load(i));
///     x.store(0, sum);
/// });
/// let mut x = vec![1.0f32; 8];
/// kernel.run(pto::Target::A2A3, &mut [pto::Arg::write(&mut x)]).expect("it runs");
/// assert_eq!(x[0], 8.0);
/// ```
#[track_caller]
pub fn for_carry<C: Carry>(
    lower: impl ScalarOf<Idx>,
    upper: impl ScalarOf<Idx>,
    step: impl ScalarOf<Idx>,
    init: C,
    body: impl FnOnce(Index, C) -> C,
) -> C {
    let bounds = [lower.scalar(), upper.scalar(), step.scalar()].map(|i| i.value());
    let (counter, args) = at(Location::caller(), |trace| trace.open_loop(&C::types()));
    let next = body(Index::from_result(counter), handles(args)).values();
    at(Location::caller(), |trace| handles(trace.close_loop(bounds, &init.values(), &next)))
}

/// A loop that continues while `go_on` returns true; it is evaluated before each iteration.
///
/// ```
/// use pto::tile::*;
///
/// let kernel = Kernel::trace("halve", |x: Gm<i32>| {
///     let n = while_loop(x.load(0), |n| n.gt(100), |n| n / 2);
///     x.store(1, n);
/// });
/// let mut x = vec![900i32, 0];
/// kernel.run(pto::Target::A5, &mut [pto::Arg::write(&mut x)]).expect("it runs");
/// assert_eq!(x[1], 56);
/// ```
#[track_caller]
pub fn while_loop<C: Carry>(init: C, go_on: impl FnOnce(&C) -> Bool, body: impl FnOnce(C) -> C) -> C {
    let state: C = handles(at(Location::caller(), |trace| trace.open_while(&C::types())));
    let condition = go_on(&state).value();
    let (open, args) = at(Location::caller(), |trace| trace.open_while_body(condition, &state.values()));
    let next = body(handles(args)).values();
    at(Location::caller(), |trace| handles(trace.close_while(open, &init.values(), &next)))
}

/// A branch of the program; [`Branch::otherwise`] gives it another side.
///
/// ```
/// use pto::tile::*;
///
/// let kernel = Kernel::trace("positive", |x: Gm<f32>| {
///     if_then(x.load(0).lt(0.0), || x.store(0, 0.0));
/// });
/// let mut x = vec![-2.5f32];
/// kernel.run(pto::Target::A2A3, &mut [pto::Arg::write(&mut x)]).expect("it runs");
/// assert_eq!(x, [0.0]);
/// ```
#[track_caller]
pub fn if_then<C: Carry>(condition: Bool, then: impl FnOnce() -> C) -> Branch<C> {
    at(Location::caller(), Recorder::open_block);
    let given = then().values();
    let branch = at(Location::caller(), |trace| trace.close_then(condition.value(), &given));
    Branch { branch: Ref::new(branch), gives: PhantomData }
}

/// A branch that may get another side.
#[derive(Debug)]
pub struct Branch<C> {
    branch: Ref<OpenBranch>,
    gives: PhantomData<fn() -> C>,
}

impl<C: Carry> Branch<C> {
    /// What happens where the condition does not hold. What the sides give is what the branch gives.
    ///
    /// ```
    /// use pto::tile::*;
    ///
    /// let kernel = Kernel::trace("abs", |x: Gm<f32>| {
    ///     let v = x.load(0);
    ///     let size = if_then(v.lt(0.0), || -v).otherwise(|| v);
    ///     x.store(0, size);
    /// });
    /// let mut x = vec![-2.5f32];
    /// kernel.run(pto::Target::A2A3, &mut [pto::Arg::write(&mut x)]).expect("it runs");
    /// assert_eq!(x, [2.5]);
    /// ```
    ///
    /// # Panics
    /// When something was recorded since [`if_then`]: the sides of a branch belong together.
    #[track_caller]
    pub fn otherwise(self, otherwise: impl FnOnce() -> C) -> C {
        let branch = self.branch.get();
        let is_open = at(Location::caller(), |trace| trace.open_otherwise(branch));
        assert!(is_open, "`otherwise` must follow its `if_then` at once");
        let given = otherwise().values();
        at(Location::caller(), |trace| handles(trace.close_otherwise(branch, &given)))
    }
}

/// Code for the cube core.
#[track_caller]
pub fn on_cube(body: impl FnOnce()) {
    section(CoreKind::Cube, body);
}

/// Code for the vector cores.
#[track_caller]
pub fn on_vector(body: impl FnOnce()) {
    section(CoreKind::Vector, body);
}

#[track_caller]
fn section(core: CoreKind, body: impl FnOnce()) {
    at(Location::caller(), Recorder::open_block);
    body();
    at(Location::caller(), |trace| trace.close_section(core));
}

/// A function of the program that runs on the cube core, and a call of it with these arguments.
#[track_caller]
pub fn cube_function<A: Carry>(name: &str, args: A, body: impl FnOnce(A)) {
    function(name, CoreKind::Cube, args, body);
}

/// A function of the program that runs on the vector cores, and a call of it with these arguments.
#[track_caller]
pub fn vector_function<A: Carry>(name: &str, args: A, body: impl FnOnce(A)) {
    function(name, CoreKind::Vector, args, body);
}

#[track_caller]
fn function<A: Carry>(name: &str, core: CoreKind, args: A, body: impl FnOnce(A)) {
    let place = Location::caller();
    let params = at(place, |trace| trace.open_function(&A::types()));
    body(handles(params));
    at(place, |trace| {
        trace.close_function(name, core);
        trace.call_function(name, &args.values());
    });
}
