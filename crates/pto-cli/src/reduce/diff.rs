//! `--keeps diff`: results that are not those of a reference, or of another way to run the same program.

use super::{Args, program_of};
use crate::Failure;
use crate::input::{self, InputText};
use crate::program::{ArgContent, BoundParam, NumericsArg, ProgramArgs, Ready, Stop};
use crate::run::expect::{Expectation, ToleranceArgs, usual_size};
use pto::cpu::Uninitialised;
use pto::data::{Comparison, Tolerance, compare};
use pto::isa::ordered::OrdMap;
use pto::isa::text;
use pto::reduce::Candidate;
use pto::{Program, Target};
use std::path::Path;

/// What results are compared with.
#[derive(Clone)]
pub(super) enum Reference {
    /// The text of another program with the same parameters.
    Program(String),
    /// `NAME=VALUE`.
    Values(Vec<String>),
    /// The same program, after `pto lower`.
    Lowered,
    /// The same program, in another order that a device could take.
    Adversarial,
    /// The same program, with NaN in memory that nothing has written.
    Uninitialised,
    /// The same program, with the arithmetic of a device.
    Numerics(NumericsArg),
}

impl Reference {
    pub(super) fn new(args: &Args) -> Result<Self, Failure> {
        let Some(name) = &args.against else { return Ok(Self::Values(args.expect.clone())) };
        Ok(match name.as_str() {
            "lowered" => Self::Lowered,
            "adversarial" => Self::Adversarial,
            "uninitialised" => Self::Uninitialised,
            "a2a3" => Self::Numerics(NumericsArg::A2a3),
            "a5" => Self::Numerics(NumericsArg::A5),
            file if Path::new(file).extension().is_some_and(|e| e == "pto" || e == "ptobc") => {
                Self::Program(input::read(Path::new(file))?.text)
            }
            other => {
                let legal = text!("legal: FILE.pto, lowered, adversarial, uninitialised, a2a3, a5");
                return Err(Failure(text!("--against: `{other}` is no reference\n  {legal}", other, legal)));
            }
        })
    }

    /// Both runs are of the same program, so what an instruction does cancels out.
    fn is_same_program(&self) -> bool {
        !matches!(self, Self::Program(_) | Self::Values(_))
    }
}

/// A difference that the original has.
pub(super) struct KeptDifference {
    reference: Reference,
    limits: ToleranceArgs,
    /// The share of numbers that differ, by parameter.
    shares: OrdMap<String, f64>,
}

impl KeptDifference {
    /// The difference of the original, if it has one.
    pub(super) fn of_original(
        args: &Args,
        reference: Reference,
        program: &Program,
        target: Target,
        ready: &mut Ready,
    ) -> Result<Option<Self>, Stop> {
        let limits = ToleranceArgs { relative: args.rtol, absolute: args.atol };
        let mut difference = Self { reference, limits, shares: OrdMap::new() };
        let companion = difference.companion();
        difference.shares = difference.measured(&args.program, (program, companion.as_deref()), target, ready)?;
        let differs = difference.shares.values().any(|share| *share > 0.0);
        Ok(differs.then_some(difference))
    }

    pub(super) fn companion(&self) -> Option<String> {
        match &self.reference {
            Reference::Program(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// True if a candidate still has it: nothing else differs. Compared with a fixed reference, a program that lacks an instruction differs too;
    /// so no parameter may have a larger share of wrong numbers than before.
    pub(super) fn remains(
        &self,
        args: &ProgramArgs,
        candidate: &Candidate<'_>,
        target: Target,
        ready: &mut Ready,
    ) -> bool {
        let program = program_of(candidate);
        let Ok(shares) = self.measured(args, (&program, candidate.companion), target, ready) else { return false };
        let old = |name: &String| self.shares.get(name).copied().unwrap_or(0.0);
        let most = |name: &String| if self.reference.is_same_program() && old(name) > 0.0 { 1.0 } else { old(name) };
        let differs = shares.values().any(|share| *share > 0.0);
        differs && shares.iter().all(|(name, share)| *share <= most(name))
    }

    /// The share of numbers that differ, by parameter.
    fn measured(
        &self,
        args: &ProgramArgs,
        (program, companion): (&Program, Option<&str>),
        target: Target,
        ready: &mut Ready,
    ) -> Result<OrdMap<String, f64>, Stop> {
        let mut other = match (&self.reference, companion) {
            (Reference::Values(texts), _) => return self.expected(args, texts, ready),
            (Reference::Program(_), Some(text)) => {
                let source = InputText::of_text(String::new(), text.to_string());
                let other = args.ready_again(&source, &Program::parse(text), target)?;
                share_inputs(&other.bound, &mut ready.bound)?;
                other
            }
            _ => self.again(args, program, target)?,
        };
        let terms = ready.measure.longest_sum.max(other.measure.longest_sum);
        let (plan, mut arguments) = ready.parts();
        args.launch(plan, 1).run(&mut arguments)?;
        let (plan, mut arguments) = other.parts();
        let launch = args.launch(plan, 1);
        let is_shaken = matches!(self.reference, Reference::Adversarial);
        let done = if is_shaken { launch.reordered(args.seed).run(&mut arguments) } else { launch.run(&mut arguments) };
        match done {
            Ok(_) => self.compared(&ready.bound, &other.bound, terms),
            // Pipes that wait for each other in another order.
            Err(_) if is_shaken => Ok([("stops".to_string(), 1.0)].into_iter().collect()),
            Err(error) => Err(error.into()),
        }
    }

    /// The same program with the same data, to be run in another way.
    fn again(&self, args: &ProgramArgs, program: &Program, target: Target) -> Result<Ready, Stop> {
        let source = InputText::of_text(String::new(), String::new());
        let mut args = args.clone();
        match self.reference {
            Reference::Lowered => return args.ready_again(&source, &program.lower(target)?, target),
            Reference::Uninitialised => args.uninitialised = (Uninitialised::Nan, false),
            Reference::Numerics(numerics) => args.numerics = numerics,
            _ => {}
        }
        args.ready_again(&source, program, target)
    }

    fn expected(&self, args: &ProgramArgs, texts: &[String], ready: &mut Ready) -> Result<OrdMap<String, f64>, Stop> {
        let terms = ready.measure.longest_sum;
        let expectation = |text: &String| Expectation::new(text, &ready.bound, self.limits, terms);
        let expected = texts.iter().map(expectation).collect::<Result<Vec<_>, _>>()?;
        let (plan, mut arguments) = ready.parts();
        args.launch(plan, 1).run(&mut arguments)?;
        let mut shares = OrdMap::new();
        for one in expected {
            shares.insert(ready.bound[one.param].name.clone(), share(&one.compare(&ready.bound)?));
        }
        Ok(shares)
    }

    fn compared(&self, ours: &[BoundParam], theirs: &[BoundParam], terms: u64) -> Result<OrdMap<String, f64>, Stop> {
        let mut shares = OrdMap::new();
        for a in ours {
            let Some(b) = theirs.iter().find(|b| b.name == a.name) else { continue };
            let (Some(found), Some(expected)) = (a.data()?, b.data()?) else { continue };
            let exact =
                matches!(self.reference, Reference::Lowered | Reference::Adversarial | Reference::Uninitialised);
            let usual = match exact {
                true => Tolerance { relative: 0.0, absolute: 0.0 },
                false => Tolerance::of_sums(found.dtype(), terms, usual_size(&*expected)),
            };
            let tolerance = Tolerance {
                relative: self.limits.relative.unwrap_or(usual.relative),
                absolute: self.limits.absolute.unwrap_or(usual.absolute),
            };
            shares.insert(a.name.clone(), share(&compare(&found, &*expected, tolerance)?));
        }
        Ok(shares)
    }
}

fn share(comparison: &Comparison) -> f64 {
    if comparison.count == 0 { 0.0 } else { comparison.differing as f64 / comparison.count as f64 }
}

/// The program gets the memory of the reference, parameter by parameter.
fn share_inputs(reference: &[BoundParam], program: &mut [BoundParam]) -> Result<(), Stop> {
    for param in program.iter_mut() {
        let Some(other) = reference.iter().find(|b| b.name == param.name) else { continue };
        let same = match (&mut param.content, &other.content) {
            (ArgContent::Memory(to), ArgContent::Memory(from))
            | (ArgContent::Tensor(to), ArgContent::Tensor(from))
            | (ArgContent::Tile(to, _), ArgContent::Tile(from, _)) => {
                let same = to.dtype() == from.dtype() && to.bytes().len() == from.bytes().len();
                if same {
                    to.bytes_mut().copy_from_slice(from.bytes());
                }
                same
            }
            (ArgContent::Int(..), ArgContent::Int(..)) | (ArgContent::Float(..), ArgContent::Float(..)) => true,
            (ArgContent::Remote(..), ArgContent::Remote(..)) => true,
            _ => false,
        };
        if !same {
            let name = &param.name;
            return Err(Failure(text!("`{name}` is not the same in the program and in its reference", name)).into());
        }
    }
    Ok(())
}
