//! A program, and everything that can be done with it.

use crate::cost::{Laws, Machine};
use crate::race::{self, Check};
use crate::{Arg, Checked, Diagnostic, Error, Form, Module, Options, Plan, RunReport, Target, TypeStyle};
use crate::{bytecode, cost, emit, opt, syntax};
use pto_isa::sort::SharedSort;
use pto_isa::{Source, Span};
use std::sync::Arc;

/// A program and what was wrong with its text.
///
/// ```
/// use pto::{Program, Target};
///
/// let program = Program::parse("func.func @f() { return }");
/// assert!(program.problems().is_empty());
/// assert!(program.check(Target::A5).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    module: Module,
    problems: Vec<Diagnostic>,
}

impl Program {
    /// Reads a program. Reading never fails: see [`Program::problems`].
    pub fn parse(source: &str) -> Self {
        Self::parse_named("", source)
    }

    /// As [`Program::parse`], with the name of the file for errors.
    ///
    /// ```
    /// use pto::{Program, Target};
    ///
    /// let program = Program::parse_named("tiny.pto", "func.func @f() {\n  pto.tmux\n  return\n}");
    /// let error = program.check(Target::A5).unwrap_err();
    /// let text = error.to_string();
    /// assert!(text.starts_with("error[PTO-E0004]: "), "{text}");
    /// assert!(text.contains("  --> tiny.pto:2:3\n    2 |   pto.tmux\n      |   ^^^^^^^^\n"), "{text}");
    /// assert_eq!(error.diagnostics()[0].code.id(), "PTO-E0004");
    /// ```
    pub fn parse_named(name: &str, source: &str) -> Self {
        let (mut module, problems) = syntax::parse(source);
        module.source = Some(Arc::new(syntax::SourceText::new(name, source)));
        Self { module, problems }
    }

    /// A program that was made otherwise, and what is known to be wrong with it.
    pub(crate) fn from_parts(module: Module, problems: Vec<Diagnostic>) -> Self {
        Self { module, problems }
    }

    /// A module that a pass or a front end has made.
    pub fn of_module(module: Module) -> Self {
        Self::from_parts(module, Vec::new())
    }

    /// A recorded program with spans in the text of its source file, for reports that show a text; the file and its text. None for
    /// a program that was not recorded, or whose text is not at hand.
    pub fn in_source(&self) -> Option<(Self, String, String)> {
        let source = self.module.source.clone()?;
        let (name, text) = source.recorded_text()?;
        let mut module = self.module.clone();
        module.map_spans(|span| source.recorded_span(span).unwrap_or_default());
        module.source = Some(Arc::new(syntax::SourceText::new(name, text)));
        Some((Self { module, problems: Vec::new() }, name.to_string(), text.to_string()))
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

    /// Checks the program for a target. Warnings leave it legal: [`Checked::warnings`].
    ///
    /// ```
    /// use pto::{Program, Target};
    ///
    /// fn legal(text: &str) -> Result<(), Box<dyn std::error::Error>> {
    ///     Program::parse(text).check(Target::A2A3)?;
    ///     Ok(())
    /// }
    /// assert!(legal("func.func @f() { return }").is_ok());
    /// assert!(legal("func.func @f() { pto.tmux return }").unwrap_err().to_string().contains("PTO-E0004"));
    /// ```
    ///
    /// # Errors
    /// Every problem of the text and of the program, in source order.
    pub fn check(&self, target: Target) -> Result<Checked, Error> {
        if self.problems.iter().any(Diagnostic::is_error) {
            return Err(self.error(self.inspect(target)));
        }
        pto_check::check(self.module.clone(), target)
    }

    /// Checks a function and its callees for a target, regardless of problems in others.
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
    pub fn check_function(&self, target: Target, name: &str) -> Result<Checked, Error> {
        let all = match self.check(target) {
            Ok(checked) => return Ok(checked),
            Err(all) => all,
        };
        // If braces do not match, the ends of functions are unknown.
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
        problems.shared_sort_by_key(|d| (d.primary.span, d.code));
        Err(self.error(problems))
    }

    /// Every problem of the text and, for a target, of the program: errors and warnings.
    #[must_use]
    pub fn inspect(&self, target: Target) -> Vec<Diagnostic> {
        let mut all = self.problems.clone();
        // Where braces do not match, nothing is known about the structure.
        if all.iter().any(hides_structure) {
            return all;
        }
        all.extend(pto_check::inspect(&self.module, target).1);
        all.shared_sort_by_key(|d| (d.primary.span, d.code));
        all
    }

    /// Diagnostics that some part of the toolchain found in this program, as an error that shows its lines.
    pub fn error(&self, problems: Vec<Diagnostic>) -> Error {
        self.module.error(problems)
    }

    /// Checks the program for a target and prepares its entry function to be run any number of times: the one called
    /// `entry` or, without a name, the one marked `pto.entry`, or the only one. With a name, only that function and what
    /// it calls must be legal.
    ///
    /// ```
    /// use pto::{Arg, Options, Program, Target};
    ///
    /// # fn main() -> Result<(), pto::Error> {
    /// let program = Program::parse("func.func @nothing(%n: index) attributes {pto.entry} { return }");
    /// let plan = program.plan(Target::A5, None, Options::default())?;
    /// assert_eq!(plan.params()[0].name, "n");
    /// plan.launch().blocks(8).run(&mut [Arg::Int(3)])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Every problem of the text and of what is to run, or that there is no such function.
    pub fn plan(&self, target: Target, entry: Option<&str>, options: Options) -> Result<Plan, Error> {
        let checked = match entry {
            Some(name) => self.check_function(target, name)?,
            None => self.check(target)?,
        };
        Plan::new(&checked, entry, options)
    }

    /// Runs the entry function once, as a single block. [`Program::plan`] is for more runs and more choices.
    ///
    /// ```
    /// use pto::{Arg, Program, Target};
    ///
    /// let program = Program::parse("func.func @f(%x: !pto.ptr<f32>, %n: i32) { return }");
    /// assert!(program.run(Target::A5, &mut [Arg::read(&[1.0f32]), Arg::Int(7)]).is_ok());
    ///
    /// // Numbers are never read as others.
    /// let error = program.run(Target::A5, &mut [Arg::read(&[1i32]), Arg::Int(7)]).unwrap_err();
    /// assert!(error.to_string().contains("argument `x`: a slice of i32 for a pointer to f32"));
    /// ```
    ///
    /// # Errors
    /// Every problem of the text and of the program, an argument that does not fit, or what stopped the run.
    pub fn run(&self, target: Target, args: &mut [Arg<'_>]) -> Result<RunReport, Error> {
        self.plan(target, None, Options::default())?.launch().run(args)
    }

    /// Runs the entry function once and looks for instructions that touch the same bytes with nothing that orders them.
    /// [`race::Check`] has more choices.
    ///
    /// # Errors
    /// Every problem of the text and of the program, or what was found.
    pub fn race(&self, target: Target, args: &mut [Arg<'_>]) -> Result<race::RaceReport, Error> {
        let plan = self.plan(target, None, Options::default())?;
        Check::new(plan.launch()).run(args).into_result()
    }

    /// Predicts the cycles the entry function takes on a device, as one block. Its control flow must not depend on data; [`cost`]
    /// has more choices.
    ///
    /// ```
    /// use pto::{Program, Target};
    ///
    /// # fn main() -> Result<(), pto::Error> {
    /// let program = Program::parse(
    ///     "func.func @twice(%t: !pto.tile_buf<vec, 64x64xf32>) {
    ///        pto.tadd ins(%t, %t : !pto.tile_buf<vec, 64x64xf32>, !pto.tile_buf<vec, 64x64xf32>)
    ///                 outs(%t : !pto.tile_buf<vec, 64x64xf32>)
    ///        return
    ///      }",
    /// );
    /// assert_eq!(program.perf(Target::A2A3)?.cycles, 159.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Every problem of the text and of the program, or what cannot be predicted.
    pub fn perf(&self, target: Target) -> Result<cost::PerfReport, Error> {
        let plan = self.plan(target, None, Options::default())?;
        let trace = cost::record(plan.launch(), &[], cost::Options::default())?;
        let laws = Laws::of(target);
        let line = cost::simulate(&trace, &trace.charges, &Machine::of(laws));
        let line = line.map_err(|stuck| stuck.error(plan.checked().module(), &trace))?;
        Ok(cost::PerfReport::new(&trace, &line, laws))
    }

    /// The program with an address for every tile, and the flags and barriers it needs. [`opt::lower`] has more choices.
    ///
    /// ```
    /// use pto::{Program, Target};
    ///
    /// # fn main() -> Result<(), pto::Error> {
    /// let program = Program::parse(
    ///     "func.func @f() { %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32> return }",
    /// );
    /// assert!(program.lower(Target::A2A3)?.to_text(None).contains("addr = "));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Every problem of the text and of the program, and what does not fit.
    pub fn lower(&self, target: Target) -> Result<Self, Error> {
        let checked = self.check(target)?;
        let lowered = opt::lower(&checked, opt::plan::Options::default(), opt::SyncMode::Minimal)?;
        Ok(Self { module: lowered.program.into_module(), problems: Vec::new() })
    }

    /// C++ against the headers of the device. Comments name the lines of the source. A kernel without synchronisation gets flags and barriers;
    /// one with its own flags is emitted unchanged.
    ///
    /// # Errors
    /// Every problem of the text and of the program, and what C++ cannot express.
    pub fn emit_cpp(&self, target: Target) -> Result<String, Error> {
        self.emit(target, emit::InsertSync::default()).map(|emitted| emitted.text)
    }

    /// As [`Program::emit_cpp`], with a choice of what orders the pipes. Unordered accesses are in the result
    /// ([`emit::Emitted::warnings`]).
    ///
    /// # Errors
    /// Every problem of the text and of the program, and what C++ cannot express.
    pub fn emit(&self, target: Target, sync: emit::InsertSync) -> Result<emit::Emitted, Error> {
        let checked = self.check(target)?;
        let source = self.module.source.clone();
        let place = |at: u32| source.as_deref().and_then(|s: &dyn Source| s.location(Span::new(at, at)));
        let line = |at: u32| place(at).map_or(0, |place| place.line);
        let file = place(0).map_or_else(String::new, |place| place.file);
        emit::emit(&checked, &emit::Options { source: &file, line: Some(&line), sync, ..emit::Options::default() })
    }

    /// The program as text, in a form, or with each instruction in the form it has. It reads back to the same program.
    ///
    /// ```
    /// let program = pto::Program::parse("func.func   @f( ) { return }");
    /// assert_eq!(program.to_text(None), "func.func @f() {\n  return\n}\n");
    /// ```
    pub fn to_text(&self, form: Option<Form>) -> String {
        pto_ir::print(&self.module, pto_ir::Style { form, ..pto_ir::Style::default() })
    }

    /// The program in the public bytecode container. [`Program::from_bytecode`] reads it.
    ///
    /// ```
    /// use pto::Program;
    ///
    /// # fn main() -> Result<(), pto::Error> {
    /// let bytes = Program::parse("func.func @f() { return }").to_bytecode()?;
    /// assert!(Program::from_bytecode(&bytes)?.to_text(None).contains("func.func @f()"));
    /// assert!(Program::from_bytecode(&bytes[..8]).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A text with errors, and everything that the container cannot hold.
    pub fn to_bytecode(&self) -> Result<Vec<u8>, Error> {
        if self.problems.iter().any(Diagnostic::is_error) {
            return Err(self.error(self.problems.clone()));
        }
        bytecode::encode(&self.module, bytecode::Options::default())
    }

    /// Reads a program from bytecode. Errors about it show the text that the bytes stand for.
    ///
    /// # Errors
    /// Bytes that are not bytecode, or not whole.
    pub fn from_bytecode(bytes: &[u8]) -> Result<Self, Error> {
        text_of_bytecode(bytes).map(|text| Self::parse_named("<bytecode>", &text))
    }
}

/// True for a problem after which the ends of functions are unknown.
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
pub fn text_of_bytecode(bytes: &[u8]) -> Result<String, Error> {
    let generic = bytecode::decode(bytes)?;
    let options = syntax::FormatOptions { form: Some(Form::Level2), types: Some(TypeStyle::Compact) };
    Ok(syntax::format(&generic, options).unwrap_or(generic))
}
