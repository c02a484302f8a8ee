//! PTO programs on any machine: read, check, format, run.
//!
//! This crate is the front door. A [`Program`] is a source text and what was read from it; the crates behind it
//! ([`isa`], [`ir`], [`syntax`], [`checks`], [`cpu`], [`emit`],
//! [`bytecode`]) are re-exported for those who need the parts.
//!
//! ```
//! use pto::{Program, Target};
//!
//! let program = Program::parse(
//!     "func.func @largest(%a: !pto.tile_buf<vec, 16x16xf32>, %b: !pto.tile_buf<vec, 16x16xf32>) {
//!        %m = tmax %a, %b : !pto.tile<...>
//!        return
//!      }",
//! );
//! let checked = program.check(Target::A2A3).expect("a legal program");
//! assert_eq!(checked.module().functions().len(), 1);
//! ```
//!
//! Programs run on slices that are borrowed, never copied; [`data`] brings NumPy files to them and back.
//!
//! ```
//! use pto::{Arg, Program, Target};
//!
//! let program = Program::parse(
//!     "func.func @twice(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {
//!        %one = arith.constant 1 : index
//!        %n = arith.constant 16 : index
//!        %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
//!        %ys = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
//!        %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
//!        pto.tload ins(%xs : !pto.tensor_view<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
//!        pto.tadd ins(%t, %t : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>)
//!                 outs(%t : !pto.tile_buf<vec, 16x16xf32>)
//!        pto.tstore ins(%t : !pto.tile_buf<vec, 16x16xf32>) outs(%ys : !pto.tensor_view<16x16xf32>)
//!        return
//!      }",
//! );
//! let x = vec![1.5f32; 256];
//! let mut y = vec![0.0f32; 256];
//! program.run(Target::A2A3, &mut [Arg::read(&x), Arg::write(&mut y)]).expect("it runs");
//! assert_eq!(y, vec![3.0; 256]);
//! ```

pub mod data;
pub mod doc;
pub mod sample;
pub mod tile;

pub use pto_bytecode as bytecode;
pub use pto_check as checks;
pub use pto_cost as cost;
pub use pto_cpu as cpu;
pub use pto_emit as emit;
pub use pto_ir as ir;
pub use pto_isa as isa;
pub use pto_opt as opt;
pub use pto_race as race;
pub use pto_syntax as syntax;

pub use pto_check::Checked;
pub use pto_cpu::{Arg, Launch, Options, Plan, Report};
pub use pto_ir::{Form, Module, TypeStyle};
pub use pto_isa::{Diagnostic, Target};
pub use pto_macros::kernel;

/// A source text and the program in it.
#[derive(Clone, Debug)]
pub struct Program {
    module: Module,
    problems: Vec<Diagnostic>,
}

impl Program {
    /// Reads a program. Reading never fails: see [`Program::problems`].
    pub fn parse(source: &str) -> Self {
        let (module, problems) = pto_syntax::parse(source);
        Self { module, problems }
    }

    /// What is wrong with the text, in source order.
    pub fn problems(&self) -> &[Diagnostic] {
        &self.problems
    }

    /// What was read.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The target the program says it is written for.
    pub fn stated_target(&self) -> Option<Target> {
        pto_check::stated_target(&self.module)
    }

    /// Checks the program for a target.
    ///
    /// # Errors
    /// Every problem of the text and of the program, in source order.
    pub fn check(&self, target: Target) -> Result<Checked, Vec<Diagnostic>> {
        if self.problems.iter().any(Diagnostic::is_error) {
            return Err(self.inspect(target));
        }
        pto_check::check(self.module.clone(), target)
    }

    /// Checks a function and those it calls for a target, whatever is wrong with others.
    ///
    /// ```
    /// use pto::{Program, Target};
    ///
    /// let program = Program::parse("func.func @good() { return } func.func @bad() { pto.nonsense return }");
    /// assert!(program.check(Target::A5).is_err());
    /// assert!(program.check_function(Target::A5, "good").is_ok());
    /// assert!(program.check_function(Target::A5, "bad").is_err());
    /// ```
    ///
    /// # Errors
    /// Every problem of the text and of these functions, in source order. Where there is no such function, every
    /// problem of the file.
    pub fn check_function(&self, target: Target, name: &str) -> Result<Checked, Vec<Diagnostic>> {
        let all = match self.check(target) {
            Ok(checked) => return Ok(checked),
            Err(all) => all,
        };
        // Where braces do not match, nobody knows where a function ends.
        let unclosed = self.problems.iter().any(hides_structure);
        let Some(reach) = pto_check::reach(&self.module, name.trim_start_matches('@')).filter(|_| !unclosed) else {
            return Err(all);
        };
        let mut problems = self.problems.clone();
        problems.retain(|d| !reach.leaves_out(d.primary.span));
        if !problems.iter().any(Diagnostic::is_error) {
            return pto_check::check(reach.module, target);
        }
        problems.extend(pto_check::inspect(&reach.module, target).1);
        problems.sort_by_key(|d| (d.primary.span, d.code));
        Err(problems)
    }

    /// Every problem of the text and, for a target, of the program.
    pub fn inspect(&self, target: Target) -> Vec<Diagnostic> {
        let mut all = self.problems.clone();
        // Where braces do not match, nothing is known about the structure.
        if all.iter().any(hides_structure) {
            return all;
        }
        all.extend(pto_check::inspect(&self.module, target).1);
        all.sort_by_key(|d| (d.primary.span, d.code));
        all
    }

    /// Checks the program for a target and prepares its entry function to be run any number of times: the one called
    /// `entry` or, without a name, the one marked `pto.entry`, or the only one. With a name, only that function and what
    /// it calls must be legal.
    ///
    /// ```
    /// use pto::{Launch, Options, Program, Target};
    ///
    /// let program = Program::parse("func.func @nothing(%n: index) attributes {pto.entry} { return }");
    /// let plan = program.plan(Target::A5, None, Options::default()).expect("a legal program with an entry");
    /// assert_eq!(plan.params()[0].name, "n");
    /// let eight = Launch { blocks: 8, ..Launch::default() };
    /// plan.run(&mut [pto::Arg::Int(3)], eight).expect("it runs");
    /// ```
    ///
    /// # Errors
    /// Every problem of the text and of what is to run, or that there is no such function.
    pub fn plan(&self, target: Target, entry: Option<&str>, options: Options) -> Result<Plan, Vec<Diagnostic>> {
        let checked = match entry {
            Some(name) => self.check_function(target, name)?,
            None => self.check(target)?,
        };
        Plan::new(&checked, entry, options).map_err(|d| vec![d])
    }

    /// Runs the entry function once, as a single block. [`Program::plan`] is for more runs and more choices.
    ///
    /// # Errors
    /// Every problem of the text and of the program, or what stopped the run.
    pub fn run(&self, target: Target, args: &mut [Arg<'_>]) -> Result<Report, Vec<Diagnostic>> {
        self.plan(target, None, Options::default())?.run(args, Launch::default()).map_err(|d| vec![d])
    }

    /// The program as text, in a form, or with each instruction in the form it has.
    pub fn to_text(&self, form: Option<Form>) -> String {
        pto_ir::print(&self.module, pto_ir::Style { form, ..pto_ir::Style::default() })
    }
}

/// True for a problem after which nobody knows where functions end.
fn hides_structure(d: &Diagnostic) -> bool {
    matches!(d.code, pto_isa::codes::UNCLOSED | pto_isa::codes::TOO_DEEP)
}

/// The text of a program in bytecode, laid out as people write it where that is possible.
///
/// ```
/// use pto::{Program, bytecode};
/// let program = Program::parse("func.func @f() { return }");
/// let bytes = bytecode::encode(program.module(), Default::default()).expect("bytecode can hold it");
/// assert!(pto::text_of_bytecode(&bytes).expect("whole bytecode").contains("func.func @f()"));
/// ```
///
/// # Errors
/// Bytes that are not bytecode, or not whole.
pub fn text_of_bytecode(bytes: &[u8]) -> Result<String, Box<Diagnostic>> {
    let generic = pto_bytecode::decode(bytes)?;
    let options = pto_syntax::FormatOptions { form: Some(Form::Level2), types: Some(TypeStyle::Compact) };
    Ok(pto_syntax::format(&generic, options).unwrap_or(generic))
}
