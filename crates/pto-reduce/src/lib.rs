//! Makes a program with a fault smaller: fewer operations, shorter loops, smaller tiles and constants, fewer functions and
//! parameters, smaller inputs. What counts as the fault is a predicate of the caller ([`Interesting`]).
//!
//! A [`Reducer`] changes the program in many small ways (the modules of `passes`), from large pieces to single operations, and keeps
//! each change after which the predicate still holds. It repeats all passes until none of them helps.
//!
//! - A candidate is always text that reads back, and it has no problem that the original does not have.
//! - The result depends only on the program, the inputs and the predicate: not on threads, nor on time.
//! - Every accepted candidate is smaller than the one before, so the search ends.
//! - A text that cannot be read completely is reduced line by line (`lines`).
//!
//! ```
//! use pto_isa::Target;
//! use pto_reduce::{Candidate, Reducer};
//!
//! let text = "
//!     func.func @other() { return }
//!     func.func @f(%n: index) {
//!       %zero = arith.constant 0 : index
//!       %one = arith.constant 1 : index
//!       scf.for %i = %zero to %n step %one {
//!         %twice = arith.muli %i, %i : index
//!         pto.barrier <PIPE_V>
//!       }
//!       return
//!     }";
//! let has_barrier = |candidate: &Candidate| candidate.text.contains("pto.barrier");
//! let reduced = Reducer::new(text, Target::A2A3).run(&has_barrier).expect("the text has a barrier");
//! assert_eq!(reduced.text, "func.func @f() {\n  pto.barrier <PIPE_V>\n  return\n}\n");
//! assert_eq!((reduced.before.operations, reduced.after.operations), (10, 3));
//! ```

mod edit;
mod judge;
mod lines;
mod passes;
mod scope;
mod search;
mod size;

pub use judge::{Candidate, Interesting};
pub use size::ProgramSize;

use judge::Judge;
use pto_isa::Target;
use search::Shrinking;
use std::fmt;

/// An integer that belongs to the inputs of a program: the value of a parameter, an extent of an array, a number of blocks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InputNumber {
    /// Its name, for the predicate.
    pub name: String,
    /// The number.
    pub value: i64,
    /// It never becomes smaller than this.
    pub least: i64,
}

impl InputNumber {
    /// A number that becomes zero if possible.
    pub fn new(name: impl Into<String>, value: i64) -> Self {
        Self { name: name.into(), value, least: 0 }
    }

    /// A number that stays positive.
    pub fn positive(name: impl Into<String>, value: i64) -> Self {
        Self { least: 1, ..Self::new(name, value) }
    }
}

/// How far a reduction is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Standing<'a> {
    /// The best candidate so far.
    pub best: &'a Reduced,
    /// It was found just now.
    pub is_new: bool,
}

/// A reduced program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reduced {
    /// Its text.
    pub text: String,
    /// The text of the [companion](Reducer::companion).
    pub companion: Option<String>,
    /// The inputs, in the order in which they were given.
    pub inputs: Vec<InputNumber>,
    /// The size of the original.
    pub before: ProgramSize,
    /// The size of the result.
    pub after: ProgramSize,
    /// Candidates that the predicate was asked about.
    pub tried: usize,
    /// The search was stopped before it was complete.
    pub stopped: bool,
}

/// The predicate does not hold for the original program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotInteresting;

impl fmt::Display for NotInteresting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the program does not have the fault")
    }
}

impl std::error::Error for NotInteresting {}

/// A program to be reduced, and how.
#[must_use = "nothing is reduced before `run` is called"]
pub struct Reducer<'a> {
    text: String,
    companion: Option<String>,
    target: Target,
    inputs: Vec<InputNumber>,
    threads: usize,
    watch: Option<&'a dyn Fn(&Standing<'_>)>,
    stop: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl<'a> Reducer<'a> {
    /// Reduces a text; candidates are checked for the target.
    pub fn new(text: impl Into<String>, target: Target) -> Self {
        Self { text: text.into(), companion: None, target, inputs: Vec::new(), threads: 1, watch: None, stop: None }
    }

    /// Numbers of the inputs, which become smaller too.
    pub fn inputs(self, inputs: Vec<InputNumber>) -> Self {
        Self { inputs, ..self }
    }

    /// A second program, such as a reference. It keeps its operations, but where a size of the first changes, it changes here too, so
    /// that both still take the same inputs.
    pub fn companion(self, text: impl Into<String>) -> Self {
        Self { companion: Some(text.into()), ..self }
    }

    /// Asks about this many candidates at a time. The result does not depend on it.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }

    /// Calls a function after every candidate.
    pub fn watch(self, watch: &'a dyn Fn(&Standing<'_>)) -> Self {
        Self { watch: Some(watch), ..self }
    }

    /// Stops once the answer is yes; the result is the best candidate so far.
    pub fn stop_when(self, stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Reduces the program.
    ///
    /// # Errors
    /// When the predicate does not hold for the program as it is.
    pub fn run(self, interesting: &dyn Interesting) -> Result<Reduced, NotInteresting> {
        let judge = Judge::new(interesting, self.target, &self.text);
        let mut shrinking = Shrinking::new(self, judge)?;
        shrinking.run();
        Ok(shrinking.finish())
    }
}
