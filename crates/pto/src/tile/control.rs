//! Loops, branches, sections and functions of a kernel.
//!
//! Rust's own `for` and `if` work while a kernel is traced: loops unroll, branches choose what is recorded. What is here
//! becomes control flow of the program.

use super::attrs::{AttrArg, EnumChoice};
use super::global::Gm;
use super::marks::{Idx, ScalarKind};
use super::scalar::{Bool, Index, Scalar, ScalarOf};
use super::trace::{Handle, KernelTrace, ResultHandle, at, with};
use crate::ir::OpExtras;
use crate::ir::{RegionId, ValueId};
use crate::isa::row::{Control, CoreKind};
use crate::isa::{Op, Type, enums};
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

/// Records a region: its parameters, the calls of `body`, and a terminator that yields the result of `body`.
#[track_caller]
fn region<A: Carry, C: Carry>(counter: bool, end: Option<Op>, body: impl FnOnce(Option<Index>, A) -> C) -> RegionId {
    let (index, args) = at(Location::caller(), |trace| {
        trace.builder.open_block();
        let index = counter.then(|| Index::from_result(trace.param("i", &Type::Scalar(Idx::SCALAR))));
        let values: Vec<ValueId> = A::types().iter().map(|ty| trace.param("a", ty)).collect();
        (index, A::from_values(&mut values.into_iter()))
    });
    let given = body(index, args).values();
    with(|trace| {
        if let Some(end) = end {
            let operands: Vec<(u8, ValueId)> = given.into_iter().map(|v| (0, v)).collect();
            trace.builder.op(end, &operands, &[], OpExtras::default());
        }
        trace.builder.close_block()
    })
}

/// Records an operation with regions; its results are the values that they yield.
#[track_caller]
fn with_regions<C: Carry>(chosen: Op, operands: &[(u8, ValueId)], regions: Vec<RegionId>) -> C {
    at(Location::caller(), |trace| {
        let slot = chosen.row().slots.len() as u8;
        let named: Vec<(String, Type)> = C::types().into_iter().map(|ty| (trace.fresh("r"), ty)).collect();
        let results: Vec<(u8, &str, Type)> = named.iter().map(|(name, ty)| (slot, name.as_str(), ty.clone())).collect();
        let values = trace.builder.op(chosen, operands, &results, OpExtras { regions, ..OpExtras::default() });
        C::from_values(&mut values.into_iter())
    })
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
    let inside = region(true, Some(Op::of(Control::Yield)), |i, c| body(i.expect("a loop has a counter"), c));
    let inits = init.values().into_iter().map(|v| (3, v));
    let operands: Vec<(u8, ValueId)> = (0..3).zip(bounds).chain(inits).collect();
    with_regions(Op::of(Control::For), &operands, vec![inside])
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
    let before = region(false, None, |_, state: C| {
        let condition = go_on(&state);
        with(|trace| {
            let operands: Vec<(u8, ValueId)> =
                std::iter::once((0, condition.value())).chain(state.values().into_iter().map(|v| (1, v))).collect();
            trace.builder.op(Op::of(Control::Condition), &operands, &[], OpExtras::default());
        });
    });
    let after = region(false, Some(Op::of(Control::Yield)), |_, state: C| body(state));
    let operands: Vec<(u8, ValueId)> = init.values().into_iter().map(|v| (0, v)).collect();
    with_regions(Op::of(Control::While), &operands, vec![before, after])
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
    let then = region(false, Some(Op::of(Control::Yield)), |_, ()| then());
    with_regions::<()>(Op::of(Control::If), &[(0, condition.value())], vec![then]);
    Branch { condition, then, gives: PhantomData }
}

/// A branch that may get another side.
#[derive(Debug)]
pub struct Branch<C> {
    condition: Bool,
    then: RegionId,
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
        with(|trace| {
            let module = &mut trace.builder.module;
            let block = *trace.builder.open.last().expect("a block is open");
            let last = module.block(block).ops.last().copied();
            let is_this = last.is_some_and(|id| module.op_regions(id) == [self.then]);
            assert!(is_this, "`otherwise` must follow its `if_then` at once");
            // The branch with one side makes room for the one with two.
            module.block_mut(block).ops.pop();
        });
        let otherwise = region(false, Some(Op::of(Control::Yield)), |_, ()| otherwise());
        with_regions(Op::of(Control::If), &[(0, self.condition.value())], vec![self.then, otherwise])
    }
}

/// Code for the cube core.
#[track_caller]
pub fn on_cube(body: impl FnOnce()) {
    let inside = region(false, None, |_, ()| body());
    with_regions::<()>(Op::of(Control::Section(CoreKind::Cube)), &[], vec![inside]);
}

/// Code for the vector cores.
#[track_caller]
pub fn on_vector(body: impl FnOnce()) {
    let inside = region(false, None, |_, ()| body());
    with_regions::<()>(Op::of(Control::Section(CoreKind::Vector)), &[], vec![inside]);
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
    let params = at(place, |trace| {
        trace.open_function();
        let values: Vec<ValueId> = A::types().iter().map(|ty| trace.param("p", ty)).collect();
        A::from_values(&mut values.into_iter())
    });
    body(params);
    at(place, |trace| {
        let kind = enums::KERNEL_KIND.find(core.name()).expect("both kinds are in the list") as u8;
        let module = &mut trace.builder.module;
        let kind = EnumChoice(&enums::KERNEL_KIND, kind).attr(module);
        let private = "private".attr(module);
        trace.close_function(name, vec![("sym_visibility", private), ("pto.kernel_kind", kind)]);
        trace.call(name, &args.values());
    });
}

impl KernelTrace {
    fn param(&mut self, stem: &str, ty: &Type) -> ValueId {
        let name = self.fresh(stem);
        self.builder.param(&name, ty)
    }

    fn call(&mut self, name: &str, args: &[ValueId]) {
        let module = &mut self.builder.module;
        let attrs = vec![(module.names.intern("callee"), super::attrs::Symbol(name).attr(module))];
        let operands: Vec<(u8, ValueId)> = args.iter().map(|v| (0, *v)).collect();
        self.builder.op(Op::of(Control::Call), &operands, &[], OpExtras { attrs, ..OpExtras::default() });
    }
}
