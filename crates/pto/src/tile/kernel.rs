//! Kernels: Rust functions that were traced, and what can be done with them.

use super::global::Gm;
use super::marks::ScalarKind;
use super::problems::{Problems, short};
use super::scalar::Scalar;
use super::trace::{self, Place, ResultHandle, at, with};
use crate::cost::{Laws, Machine};
use crate::ir::Attr;
use crate::{Arg, Checked, Diagnostic, Form, Launch, Module, Options, Plan, Program, Report, Target};
use crate::{cost, emit, opt, race};
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
/// type TileT = Tile<Vec, f32, 16, 16>;
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
    places: Vec<Place>,
}

impl Kernel {
    /// Calls `body` once and records what it does, as the function `name`. Its parameters are called `arg0`, `arg1`, ….
    ///
    /// # Panics
    /// When `body` does.
    #[track_caller]
    pub fn trace<A>(name: &str, body: impl KernelFn<A>) -> Self {
        Self::trace_named(name, &[], body)
    }

    /// The same with names for the parameters; this is what `#[pto::kernel]` calls.
    ///
    /// # Panics
    /// When `body` does.
    #[track_caller]
    pub fn trace_named<A>(name: &str, params: &[&str], body: impl KernelFn<A>) -> Self {
        let place = Location::caller();
        let (module, places, problems) = trace::record(place, || {
            body.call(params);
            at(place, |trace| trace.close_function(name, vec![("pto.entry", Attr::Unit)]));
        });
        Self { program: Program { module, problems }, places }
    }

    /// The program.
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
    pub fn check(&self, target: Target) -> Result<Checked, Problems> {
        self.program.check(target).map_err(|list| self.problems(list))
    }

    /// Prepares the kernel to be run any number of times.
    ///
    /// # Errors
    /// Everything that is wrong, with the Rust lines.
    pub fn plan(&self, target: Target, options: Options) -> Result<Plan, Problems> {
        self.program.plan(target, None, options).map_err(|list| self.problems(list))
    }

    /// Runs the kernel once, as one block, on slices that are borrowed.
    ///
    /// # Errors
    /// Everything that is wrong, or what stopped the run, with the Rust lines.
    pub fn run(&self, target: Target, args: &mut [Arg<'_>]) -> Result<Report, Problems> {
        self.launch(target, Launch::default(), args)
    }

    /// Runs the kernel as several blocks.
    ///
    /// # Errors
    /// Everything that is wrong, or what stopped the run, with the Rust lines.
    pub fn launch(&self, target: Target, launch: Launch, args: &mut [Arg<'_>]) -> Result<Report, Problems> {
        self.plan(target, Options::default())?.run(args, launch).map_err(|d| self.problems(vec![d]))
    }

    /// Runs the kernel and looks for instructions that touch the same bytes with nothing that orders them.
    ///
    /// # Errors
    /// Everything that is wrong, or what was found, with the Rust lines.
    pub fn race(&self, target: Target, args: &mut [Arg<'_>]) -> Result<race::Report, Problems> {
        let plan = self.plan(target, Options::default())?;
        let mut ranks = [args.iter_mut().map(reborrow).collect::<Vec<_>>()];
        let report = race::check(&plan, &mut ranks, Launch::default());
        match report.findings.is_empty() {
            true => Ok(report),
            false => Err(self.problems(report.findings)),
        }
    }

    /// Predicts the cycles the kernel takes on a device, as one block. Its control flow must not depend on data.
    ///
    /// # Errors
    /// Everything that is wrong, or what cannot be predicted, with the Rust lines.
    pub fn perf(&self, target: Target) -> Result<cost::Report, Problems> {
        let one = |d: Diagnostic| self.problems(vec![d]);
        let plan = self.plan(target, Options::default())?;
        let trace = cost::record(&plan, &[], Launch::default(), cost::Options::default()).map_err(one)?;
        let laws = Laws::of(target);
        let line = cost::simulate(&trace, &trace.charges, &Machine::of(laws)).map_err(|stuck| {
            let span = self.program.module.functions().first().map(|f| self.program.module.op(*f).span);
            let message = format!("the kernel does not come to an end: {stuck:?}");
            one(Diagnostic::new(crate::isa::codes::RUN_DEADLOCK, span.unwrap_or_default(), message))
        })?;
        Ok(cost::Report::new(&trace, &line, laws))
    }

    /// The kernel with an address for every tile, and the flags and barriers it needs.
    ///
    /// # Errors
    /// Everything that is wrong, and what does not fit, with the Rust lines.
    pub fn lower(&self, target: Target) -> Result<Self, Problems> {
        let lowered = || -> Result<Module, Vec<Diagnostic>> {
            let checked = self.program.check(target)?;
            Ok(opt::lower(&checked, opt::plan::Options::default(), opt::Mode::Minimal)?.program.into_module())
        };
        let module = lowered().map_err(|list| self.problems(list))?;
        Ok(Self { program: Program { module, problems: Vec::new() }, places: self.places.clone() })
    }

    /// C++ against the headers of the device. Comments name the Rust lines. A kernel that states no order gets its flags and barriers;
    /// one with flags of its own is emitted as it is.
    ///
    /// # Errors
    /// Everything that is wrong, and what C++ cannot express, with the Rust lines.
    pub fn emit_cpp(&self, target: Target) -> Result<String, Problems> {
        self.emit(target, emit::Sync::default()).map(|emitted| emitted.text)
    }

    /// As [`Kernel::emit_cpp`], with a choice of who orders the pipes. What nothing orders is in the result
    /// ([`emit::Emitted::warnings`]); [`Kernel::problems`] gives it its Rust lines.
    ///
    /// # Errors
    /// Everything that is wrong, and what C++ cannot express, with the Rust lines.
    pub fn emit(&self, target: Target, sync: emit::Sync) -> Result<emit::Emitted, Problems> {
        let line = |at: u32| self.places.get(at as usize).map_or(0, |place| place.line());
        let source = self.places.first().map_or(String::new(), |place| short(place.file()));
        let options = emit::Options { source: &source, line: Some(&line), sync, ..emit::Options::default() };
        emit::emit(&self.check(target)?, &options).map_err(|list| self.problems(list))
    }

    /// Problems that some part of the toolchain found in this kernel, with their Rust lines.
    pub fn problems(&self, list: Vec<Diagnostic>) -> Problems {
        Problems::new(list, &self.places)
    }
}

/// The same memory for a shorter time.
fn reborrow<'a>(arg: &'a mut Arg<'_>) -> Arg<'a> {
    match arg {
        Arg::Int(n) => Arg::Int(*n),
        Arg::Float(x) => Arg::Float(*x),
        Arg::In(data) => Arg::In(data),
        Arg::InOut(data) => Arg::InOut(data),
        Arg::Tensor(data, shape) => Arg::Tensor(data, shape),
        Arg::Tile(data, valid) => Arg::Tile(data, *valid),
        Arg::Remote { rank, param } => Arg::Remote { rank: *rank, param: *param },
    }
}

/// What a kernel can be given: [`Gm`] for memory, [`Scalar`] for a number.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot be given `{Self}`",
    note = "its parameters are `Gm<T>` for memory and `Index` or `Scalar<T>` for numbers"
)]
pub trait Param: ResultHandle {}

impl<T: ScalarKind> Param for Gm<T> {}
impl<T: ScalarKind> Param for Scalar<T> {}

/// A function or closure that describes a kernel: its parameters are [`Param`]s, at most twelve, and it gives nothing back.
#[diagnostic::on_unimplemented(
    message = "this is not a function that describes a kernel",
    note = "a kernel takes at most twelve parameters, each `Gm<T>`, `Index` or `Scalar<T>`, and gives nothing back"
)]
pub trait KernelFn<A> {
    #[doc(hidden)]
    fn call(self, names: &[&str]);
}

fn param<P: Param>(names: &[&str], at: usize) -> P {
    with(|trace| {
        let stem = names.get(at).map_or_else(|| format!("arg{at}"), |name| (*name).to_string());
        let name = trace.fresh(&stem);
        P::from_result(trace.builder.param(&name, &P::ir_type()))
    })
}

macro_rules! kernel_functions {
    ($(($($name:ident $at:tt)*))+) => {$(
        impl<Fun: FnOnce($($name),*), $($name: Param),*> KernelFn<($($name,)*)> for Fun {
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
