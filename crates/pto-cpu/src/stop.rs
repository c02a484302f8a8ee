//! Stopping a run from outside.

use std::fmt;

/// A question that a run asks now and then, on each of its threads: should it stop? Once the answer was yes, it should stay yes.
///
/// ```
/// use pto_cpu::{Options, Plan, StopWhen};
///
/// # fn main() -> Result<(), pto_isa::Error> {
/// let (module, _) = pto_syntax::parse("func.func @f() { return }");
/// let checked = pto_check::check(module, pto_isa::Target::A2A3)?;
/// let plan = Plan::new(&checked, None, Options::default())?;
/// let stop = || true;
/// assert!(plan.launch().blocks(2).threads(1).stop_when(StopWhen::new(&stop)).run(&mut []).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct StopWhen<'a>(&'a (dyn Fn() -> bool + Sync));

impl<'a> StopWhen<'a> {
    /// A question.
    pub fn new(asked: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self(asked)
    }

    /// Asks it.
    pub fn is_asked_to(self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for StopWhen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StopWhen")
    }
}
