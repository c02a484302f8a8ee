//! Kernels: Rust functions that were traced, and what can be done with them.

use super::global::Gm;
use super::marks::ScalarKind;
use super::scalar::Scalar;
use super::trace::{self, ResultHandle, at, with};
use crate::{Arg, Checked, Error, Form, Options, Plan, Program, RunReport, Target};
use crate::{cost, emit, race};
use std::panic::Location;

/// A kernel: a program that a Rust function or closure described.
///
/// ```
/// use pto::tile::*;
/// use pto::{Arg, Form, Target};
///
/// #[pto::kernel]
/// fn largest(x: Gm<f32>, y: Gm<f32>, z: Gm<f32>) {
///     let (mut dst, mut src0, mut src1) = (TileT::new(), TileT::new(), TileT::new());
///     tload(&mut src0, &x.view([16, 16]));
///     tload(&mut src1, &y.view([16, 16]));
///     tmax(&mut dst, &src0, &src1);
///     tstore(&mut z.view([16, 16]), &dst);
/// }
/// type TileT = Tile<Vector, f32, 16, 16>;
///
/// let kernel = largest();
/// kernel.check(Target::A5).expect("legal on A5");
/// assert!(kernel.to_text(Form::Level2).contains("pto.tmax ins("));
///
/// let (x, y, mut z) = (vec![1.0f32; 256], vec![2.0f32; 256], vec![0.0f32; 256]);
/// kernel.run(Target::A5, &mut [Arg::read(&x), Arg::read(&y), Arg::write(&mut z)]).expect("it runs");
/// assert_eq!(z, y);
/// ```
#[derive(Clone, Debug)]
pub struct Kernel {
    program: Program,
}

impl Kernel {
    /// Calls `body` once and records what it does, as the function `name`. Its parameters are called `arg0`, `arg1`, ….
    ///
    /// # Panics
    /// When `body` does.
    #[track_caller]
    pub fn trace<A>(name: &str, body: impl TracedFn<A>) -> Self {
        Self::trace_named(name, &[], body)
    }

    /// The same with names for the parameters; this is what `#[pto::kernel]` calls.
    ///
    /// # Panics
    /// When `body` does.
    #[track_caller]
    pub fn trace_named<A>(name: &str, params: &[&str], body: impl TracedFn<A>) -> Self {
        let place = Location::caller();
        let recorder = trace::record(place, || {
            body.call(params);
            // What ends the kernel comes from its beginning.
            at(place, |_| ());
        });
        Self { program: recorder.finish(name) }
    }

    /// The program: all that can be done with one read from a text. Its errors show the Rust lines.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The program as text. It parses back to the same program.
    pub fn to_text(&self, form: Form) -> String {
        self.program.to_text(Some(form))
    }

    /// Checks the kernel for a target.
    ///
    /// # Errors
    /// Everything that is wrong, with the Rust lines.
    pub fn check(&self, target: Target) -> Result<Checked, Error> {
        self.program.check(target)
    }

    /// Prepares the kernel to be run any number of times, on any number of blocks.
    ///
    /// # Errors
    /// Everything that is wrong, with the Rust lines.
    pub fn plan(&self, target: Target, options: Options) -> Result<Plan, Error> {
        self.program.plan(target, None, options)
    }

    /// Runs the kernel once, as one block, on slices that are borrowed.
    ///
    /// # Errors
    /// Everything that is wrong, or what stopped the run, with the Rust lines.
    pub fn run(&self, target: Target, args: &mut [Arg<'_>]) -> Result<RunReport, Error> {
        self.program.run(target, args)
    }

    /// Runs the kernel and looks for instructions that touch the same bytes with nothing that orders them.
    ///
    /// # Errors
    /// Everything that is wrong, or what was found, with the Rust lines.
    pub fn race(&self, target: Target, args: &mut [Arg<'_>]) -> Result<race::RaceReport, Error> {
        self.program.race(target, args)
    }

    /// Predicts the cycles the kernel takes on a device, as one block. Its control flow must not depend on data.
    ///
    /// # Errors
    /// Everything that is wrong, or what cannot be predicted, with the Rust lines.
    pub fn perf(&self, target: Target) -> Result<cost::PerfReport, Error> {
        self.program.perf(target)
    }

    /// The kernel with an address for every tile, and the flags and barriers it needs.
    ///
    /// # Errors
    /// Everything that is wrong, and what does not fit, with the Rust lines.
    pub fn lower(&self, target: Target) -> Result<Self, Error> {
        self.program.lower(target).map(|program| Self { program })
    }

    /// C++ against the headers of the device. Comments name the Rust lines. A kernel without synchronisation gets flags and barriers;
    /// one with its own flags is emitted unchanged.
    ///
    /// # Errors
    /// Everything that is wrong, and what C++ cannot express, with the Rust lines.
    pub fn emit_cpp(&self, target: Target) -> Result<String, Error> {
        self.program.emit_cpp(target)
    }

    /// As [`Kernel::emit_cpp`], with a choice of what orders the pipes. Unordered accesses are in the result
    /// ([`emit::Emitted::warnings`]); [`Program::error`] gives them their Rust lines.
    ///
    /// # Errors
    /// Everything that is wrong, and what C++ cannot express, with the Rust lines.
    pub fn emit(&self, target: Target, sync: emit::InsertSync) -> Result<emit::Emitted, Error> {
        self.program.emit(target, sync)
    }
}

/// What a kernel can be given: [`Gm`] for memory, [`Scalar`] for a number.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot be given `{Self}`",
    note = "its parameters are `Gm<T>` for memory and `Index` or `Scalar<T>` for numbers"
)]
pub trait KernelParam: ResultHandle {}

impl<T: ScalarKind> KernelParam for Gm<T> {}
impl<T: ScalarKind> KernelParam for Scalar<T> {}

/// A function or closure that describes a kernel: its parameters are [`KernelParam`]s, at most twelve, and it gives nothing back.
#[diagnostic::on_unimplemented(
    message = "this is not a function that describes a kernel",
    note = "a kernel takes at most twelve parameters, each `Gm<T>`, `Index` or `Scalar<T>`, and gives nothing back"
)]
pub trait TracedFn<A> {
    #[doc(hidden)]
    fn call(self, names: &[&str]);
}

fn param<P: KernelParam>(names: &[&str], at: usize) -> P {
    with(|trace| {
        let stem = names.get(at).map_or_else(|| format!("arg{at}"), |name| (*name).to_string());
        P::from_result(trace.param(&stem, &P::ir_type()))
    })
}

macro_rules! kernel_functions {
    ($(($($name:ident $at:tt)*))+) => {$(
        impl<Fun: FnOnce($($name),*), $($name: KernelParam),*> TracedFn<($($name,)*)> for Fun {
            fn call(self, names: &[&str]) {
                let _ = names;
                self($(param::<$name>(names, $at)),*);
            }
        }
    )+};
}

kernel_functions! {
    () (A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) (A 0 B 1 C 2 D 3 E 4) (A 0 B 1 C 2 D 3 E 4 F 5)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6) (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7) (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9) (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11)
}
