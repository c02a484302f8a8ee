//! A program resolved once: kernels chosen, tiles placed, control flow as jumps, scalars in registers.
//!
//! Calls are expanded in place, so every value has one register. A tile without an address gets its own bytes after the
//! memory spaces; two such tiles never share bytes.

mod build;
mod carried;
mod config;
mod control;
mod factors;
mod fixed;
mod links;
mod loops;
mod lowered;
mod orders;
mod params;
mod polls;
mod prints;
mod products;
mod roles;
mod scalar;
mod selection;
mod sharing;
mod strips;
mod tiles;
mod views;
mod wanted;

pub(crate) use build::runs;
pub use polls::{asked_again, asked_again_in, loaded_tile, reads_element, sources};

use crate::args::Options;
use crate::prepared::Plan;
use pto_check::Checked;
use pto_isa::Error;

impl Plan {
    /// Resolves the entry of a program: the function of this name, the one marked `pto.entry`, or the only one.
    ///
    /// # Errors
    /// When there is no such entry, or the program uses something the engine does not run.
    pub fn new(checked: &Checked, entry: Option<&str>, options: Options) -> Result<Self, Error> {
        build::build(checked, entry, options)
    }
}
