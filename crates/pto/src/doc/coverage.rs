//! What the toolchain can do with an instruction, found out by doing it.

use crate::isa::{Op, Target};
use crate::{Form, Program, ir, sample};

/// What works for one instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Coverage {
    /// Its sample reads, and reads back as the same program from every text form.
    pub parse: bool,
    /// Targets whose sample passes every check.
    pub check: Vec<Target>,
    /// The engine can execute it.
    pub run: bool,
    /// It has a cost.
    pub cost: bool,
    /// C++ can be written for its sample, on every device that has it.
    pub emit: bool,
}

/// Tries everything there is on the samples of an instruction.
///
/// ```
/// use pto::{Target, doc, isa::table::op};
/// let tmax = doc::coverage(op::tmax);
/// assert!(tmax.parse);
/// assert_eq!(tmax.check, Target::ALL);
/// ```
pub fn coverage(op: Op) -> Coverage {
    let samples: Vec<(Target, Program)> =
        Target::ALL.into_iter().filter_map(|t| Some((t, Program::parse(&sample::program(op, t)?)))).collect();
    Coverage {
        parse: !samples.is_empty() && samples.iter().all(|(_, p)| reads_back(p)),
        check: samples
            .iter()
            .filter(|(t, p)| p.inspect(*t).iter().all(crate::Diagnostic::is_hazard))
            .map(|(t, _)| *t)
            .collect(),
        run: pto_cpu::runs(op),
        cost: pto_cost::is_costed(op),
        emit: emits(&samples),
    }
}

/// True when a program reads without a problem and every form of it reads back as the same program.
fn reads_back(program: &Program) -> bool {
    let forms = [Form::Level1, Form::Level2, Form::Asm, Form::Generic];
    let same = |form| {
        let again = Program::parse(&program.to_text(Some(form)));
        again.problems().is_empty() && ir::same(program.module(), again.module())
    };
    program.problems().is_empty() && forms.into_iter().all(same)
}

/// True when C++ can be written for the samples of all devices.
fn emits(samples: &[(Target, Program)]) -> bool {
    let mut devices = samples.iter().filter(|(t, _)| *t != Target::Cpu).peekable();
    let emits = |(t, p): &(Target, Program)| p.check(*t).is_ok_and(|c| pto_emit::cpp(&c, &Default::default()).is_ok());
    devices.peek().is_some() && devices.all(emits)
}
