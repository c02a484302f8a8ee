//! Small legal programs derived from the instruction table.
//!
//! [`program`] shows one instruction: the reference prints it, and tests run it through every part of the toolchain. The
//! rows and their rules decide what is legal ([`Instance`](crate::isa::rules::Instance)); nothing here depends on a
//! mnemonic.
//!
//! ```
//! use pto::{Program, Target, isa::table::op, sample};
//!
//! let text = sample::program(op::tmax, Target::A2A3).expect("a2a3 has it");
//! assert!(text.contains("pto.tmax ins(%src0, %src1 : "));
//! assert!(Program::parse(&text).check(Target::A2A3).is_ok());
//! ```

mod build;

use crate::Program;
use crate::isa::fill::{self, Filling};
use crate::isa::{Op, Row, Target};

/// Fillings that keep every rule but fail as a program before the search gives up.
const ATTEMPTS: usize = 40;

/// A complete program that uses an operation and is legal on a target; `None` where the target lacks the
/// operation, and where no program was found.
///
/// The row's own example comes first, when it is legal on the target; otherwise the operands of an instruction become
/// parameters of a function, with the first types that keep every rule.
pub fn program(op: Op, target: Target) -> Option<String> {
    let row = op.row();
    if !row.targets.contains(target) {
        return None;
    }
    // Host operations hold regions and symbols; what they need does not follow from their rows.
    example(op, target).or_else(|| row.family.is_isa().then(|| derived(op, target))?)
}

/// A program made of the operands of one instruction.
fn derived(op: Op, target: Target) -> Option<String> {
    let text = |f: &Filling| build::program(f, stated(op.row(), target));
    let mut left = ATTEMPTS;
    let found = fill::first(op, target, |f| {
        left = left.saturating_sub(1);
        left == 0 || is_legal(&text(f), target)
    });
    found.map(|f| text(&f)).filter(|text| is_legal(text, target))
}

/// A function whose parameters are the operands of one instruction, filled in this way, legal or not.
///
/// ```
/// use pto::{Target, isa::{DType, fill, table::op}, sample};
/// let filling = fill::filling(op::tmax, Target::A5, DType::F32, 100).expect("a use on f32");
/// assert!(sample::around(&filling).contains("pto.tmax"));
/// ```
pub fn around(filling: &Filling) -> String {
    build::program(filling, None)
}

/// The program to show if no target is given, and a target it is legal on: the first that has one.
///
/// ```
/// use pto::{Target, isa::table::op, sample};
/// let sample = sample::first_program(op::tmatmul_mx).expect("a program");
/// assert_eq!(sample.target, Target::A5);
/// assert!(sample.text.contains("pto.tmatmul.mx"));
/// ```
pub fn first_program(op: Op) -> Option<Sample> {
    Target::ALL.into_iter().find_map(|target| Some(Sample { target, text: program(op, target)? }))
}

/// A program that shows an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Sample {
    /// A target it is legal on.
    pub target: Target,
    /// The program.
    pub text: String,
}

/// True when a text reads and checks without a problem.
fn is_legal(text: &str, target: Target) -> bool {
    Program::parse(text).inspect(target).iter().all(crate::Diagnostic::is_hazard)
}

/// The row's example, without the line that names its target; families share examples, so it may not be about
/// this instruction at all.
fn example(op: Op, target: Target) -> Option<String> {
    let mut text = op.row().example.trim_start();
    if let Some(rest) = text.strip_prefix("// target ") {
        text = rest.split_once('\n').map_or("", |(_, program)| program);
    }
    (uses(text, op) && is_legal(text, target)).then(|| text.trim_end().to_string() + "\n")
}

/// True when a program has an instruction in it. Another spelling of one is not in the program that was read.
fn uses(text: &str, op: Op) -> bool {
    if op.row().twin.is_some() && text.contains(&format!("{} ", op.row().full_name())) {
        return true;
    }
    let program = Program::parse(text);
    let module = program.module();
    let mut found = false;
    module.walk(module.top, &mut |id| found |= module.op(id).op == op);
    found
}

/// The target a program must name to be checked for it by default.
fn stated(row: &Row, target: Target) -> Option<Target> {
    (!row.targets.contains(Target::A2A3)).then_some(target)
}
