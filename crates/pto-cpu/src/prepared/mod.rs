//! A prepared program: what preparing hands to executing, and nothing but data.
//!
//! `plan` fills a [`Plan`], `run` executes one. Steps name registers and entries of tables by [typed numbers](ids).

mod calls;
mod ids;
mod links;
mod loops;
mod orders;
mod plan;
mod registers;
mod roles;
mod scalars;
mod sharing;
mod step;
mod tiles;
mod views;

pub(crate) use calls::*;
pub(crate) use ids::*;
pub use links::Set;
pub(crate) use links::*;
pub(crate) use loops::{IterationCount, PlanLoop};
pub use loops::{IterationKey, LoopIteration, LoopIterations};
pub(crate) use orders::*;
pub use plan::Plan;
pub(crate) use plan::{Cores, MemoryNeeds, PlanSource};
pub(crate) use registers::*;
pub use roles::{CoreId, Role};
pub(crate) use scalars::*;
pub(crate) use sharing::*;
pub(crate) use step::*;
pub(crate) use tiles::*;
pub(crate) use views::*;
