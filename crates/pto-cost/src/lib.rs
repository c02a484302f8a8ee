//! Predicts how many cycles a PTO program takes, where they go, and what would change that.
//!
//! Laws are data ([`Laws`]): numbers with their source and a [`Grade`]. [`charge`] turns a law and the operands of an
//! instruction into cycles.

mod accuracy;
mod cost;
mod kernels;
mod laws;
mod report;
mod sim;
mod trace;
pub mod view;

pub use accuracy::{Errors, Point, Use, errors, points};
pub use cost::{Charge, Instance, TileUse, Work, charge, cycles_under, way_between, work};
pub use kernels::{KernelPoint, kernels};
pub use laws::{Grade, Key, Law, Laws, Model, Params, is_costed, law_of_row};
pub use report::{
    Advice, Change, PathStep, PipeUse, Report, Retrace, Roofline, Stall, advise, blocks, critical_path, occupancy,
    on_path, reason,
};
pub use sim::{Machine, Stuck, Timeline, simulate};
pub use trace::{
    Cost, Dep, Item, LANES, NONE, Options, Order, Touch, Trace, Traffic, Why, core_name, pipe_name, record, record_run,
};
