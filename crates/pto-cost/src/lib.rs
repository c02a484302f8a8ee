//! Predicts how many cycles a PTO program takes, where they go, and what would change that.
//!
//! Laws are data ([`Laws`]): numbers with their source and a [`Grade`]. [`charge`] turns a law and the operands of an
//! instruction into cycles. [`record`] follows a program and writes down what the pipes of its cores do and what each item waits
//! for; [`simulate`] says when everything happens. A [`PerfReport`] sums that up, [`advise`] tries changes, and [`view`] shows it.
//!
//! ```
//! use pto_cost::{Laws, Machine, Options, PerfReport, record, simulate};
//! use pto_cpu::Plan;
//! use pto_isa::Target;
//!
//! let (module, _) = pto_syntax::parse("
//!     func.func @twice(%t: !pto.tile_buf<vec, 64x64xf32>) {
//!       pto.tadd ins(%t, %t : !pto.tile_buf<vec, 64x64xf32>, !pto.tile_buf<vec, 64x64xf32>)
//!                outs(%t : !pto.tile_buf<vec, 64x64xf32>)
//!       return
//!     }");
//! let checked = pto_check::check(module, Target::A2A3).expect("a legal program");
//! let plan = Plan::new(&checked, None, pto_cpu::Options::default()).expect("one entry");
//!
//! let laws = Laws::of(Target::A2A3);
//! let trace = record(plan.launch(), &[], Options::default()).expect("it can be followed");
//! let line = simulate(&trace, &trace.charges, &Machine::of(laws)).expect("it comes to an end");
//! let report = PerfReport::new(&trace, &line, laws);
//! assert_eq!(report.cycles, 159.0);
//! assert!(report.by_data, "the program has no flags");
//! ```
//!
//! The crate does no IO, starts no threads and depends on nothing outside the workspace.

mod accuracy;
mod cost;
mod kernels;
mod laws;
mod network;
mod report;
mod sim;
mod trace;
pub mod view;

pub use accuracy::{Errors, Point, PointUse, errors, points};
pub use cost::{Charge, Execution, TileUse, Work, charge, cycles_under, way_between, work};
pub use kernels::{KernelPoint, kernels};
pub use laws::{Grade, Law, Laws, Model, ParamKey, Params, is_costed, law_of_row};
pub use network::{FigureStatus, LinkCharge, LinkFigure, RankLink, RankNetwork, link_figures};
pub use report::{
    Advice, AdviceChange, HotRank, PathStep, PerfReport, PipeUse, RankPrediction, RanksReport, Retrace, Roofline,
    Stall, advise, blocks, critical_path, occupancy, on_path, reason,
};
pub use sim::{Deadlock, Machine, Timeline, simulate};
pub use trace::{
    Cost, Dep, FollowedRank, Item, NONE, Options, OrderSource, PIPES, RankTraffic, Touch, Trace, Traffic, Why,
    core_name, pipe_name, record, record_ranks, record_run,
};
