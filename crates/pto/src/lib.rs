//! PTO programs on any machine: read, check, format.
//!
//! This crate is the front door. A [`Program`] is a source text and what was read from it; the crates behind it
//! ([`isa`], [`ir`], [`syntax`], [`checks`]) are re-exported for those who need the parts.
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

pub mod doc;
pub mod sample;

pub use pto_check as checks;
pub use pto_ir as ir;
pub use pto_isa as isa;
pub use pto_syntax as syntax;

pub use pto_check::Checked;
pub use pto_ir::{Form, Module, TypeStyle};
pub use pto_isa::{Diagnostic, Target};

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

    /// Every problem of the text and, for a target, of the program.
    pub fn inspect(&self, target: Target) -> Vec<Diagnostic> {
        let mut all = self.problems.clone();
        // Where braces do not match, nothing is known about the structure.
        if all.iter().any(|d| d.code == pto_isa::codes::UNCLOSED) {
            return all;
        }
        all.extend(pto_check::inspect(&self.module, target).1);
        all.sort_by_key(|d| (d.primary.span, d.code));
        all
    }

    /// The program as text, in a form, or with each instruction in the form it has.
    pub fn to_text(&self, form: Option<Form>) -> String {
        pto_ir::print(&self.module, pto_ir::Style { form, ..pto_ir::Style::default() })
    }
}
