//! Executes a program in another order that a device could take, and compares the results.

use crate::Failure;
use crate::input::InputText;
use crate::program::{BoundParam, ProgramArgs, Stop};
use pto::data::{Comparison, Tolerance, compare, show_number};
use pto::isa::DType;
use pto::isa::text;
use pto::{Program, Target};
use serde::Serialize;

/// What came of it.
pub(crate) struct Shaken {
    pub(super) seed: u64,
    /// Memory that is not the same, or why the program did not come to its end.
    pub(super) changed: Result<Vec<Changed>, String>,
}

pub(super) struct Changed {
    name: String,
    dtype: DType,
    comparison: Comparison,
}

/// Runs the program twice on the same data: in program order, and as the seed says.
pub(super) fn shake(args: &ProgramArgs, source: &InputText, program: &Program, target: Target) -> Result<Shaken, Stop> {
    let mut first = args.ready("race", source, program, target)?;
    let mut second = args.ready("race", source, program, target)?;
    let (plan, mut arguments) = first.parts();
    args.launch(plan, 1).run(&mut arguments)?;
    let (plan, mut arguments) = second.parts();
    let outcome = args.launch(plan, 1).reordered(args.seed).run(&mut arguments);
    let changed = match outcome {
        Ok(_) => Ok(differences(&first.bound, &second.bound)?),
        Err(error) => Err(error.first().map_or_else(String::new, |d| d.message.clone())),
    };
    Ok(Shaken { seed: args.seed, changed })
}

fn differences(in_order: &[BoundParam], reordered: &[BoundParam]) -> Result<Vec<Changed>, Stop> {
    let exact = Tolerance { relative: 0.0, absolute: 0.0 };
    let mut changed = Vec::new();
    for (a, b) in in_order.iter().zip(reordered) {
        if let (Some(expected), Some(found)) = (a.data()?, b.data()?) {
            let comparison = compare(&found, &*expected, exact)?;
            if !comparison.matches() {
                changed.push(Changed { name: a.name.clone(), dtype: found.dtype(), comparison });
            }
        }
    }
    Ok(changed)
}

impl Shaken {
    /// One line for each difference.
    pub(super) fn text(&self) -> String {
        let head = text!("another order (seed {seed})", seed = self.seed);
        let changed = match &self.changed {
            Ok(changed) => changed,
            Err(problem) => return text!("{head}: it stops: {problem}\n", head, problem),
        };
        if changed.is_empty() {
            return text!("{head}: the results are the same\n", head);
        }
        changed.iter().map(|c| format!("{head}: {}\n", c.text())).collect()
    }

    /// True when the results are not the same.
    pub(super) fn differs(&self) -> bool {
        !matches!(&self.changed, Ok(changed) if changed.is_empty())
    }

    pub(super) fn json(&self) -> JsonShaken<'_> {
        let (changed, stopped) = match &self.changed {
            Ok(changed) => (changed.iter().map(JsonChanged::new).collect(), None),
            Err(problem) => (Vec::new(), Some(&**problem)),
        };
        JsonShaken { seed: self.seed, changed, stopped }
    }
}

impl Changed {
    fn text(&self) -> String {
        let Comparison { count, differing, first, .. } = &self.comparison;
        let first = first.as_ref().map_or_else(String::new, |d| {
            let (found, expected) = (show_number(self.dtype, d.found), show_number(self.dtype, d.expected));
            text!(
                "; first at {index}: {found} instead of {expected}",
                index = format_args!("{:?}", d.index),
                found,
                expected
            )
        });
        text!("`{name}` differs in {differing} of {count} numbers{first}", name = self.name, differing, count, first)
    }
}

#[derive(Serialize)]
pub(super) struct JsonShaken<'a> {
    seed: u64,
    changed: Vec<JsonChanged<'a>>,
    /// Why it did not come to its end.
    stopped: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonChanged<'a> {
    name: &'a str,
    numbers: u64,
    differing: u64,
    first: Option<&'a [u64]>,
}

impl<'a> JsonChanged<'a> {
    fn new(changed: &'a Changed) -> Self {
        let Comparison { count, differing, first, .. } = &changed.comparison;
        let first = first.as_ref().map(|d| &*d.index);
        Self { name: &changed.name, numbers: *count, differing: *differing, first }
    }
}

/// Nothing to reorder.
pub(super) fn not_manual() -> Failure {
    Failure(
        text!("--schedule adversarial: the toolchain orders the pipes of this program; there is nothing to reorder")
            .into(),
    )
}
