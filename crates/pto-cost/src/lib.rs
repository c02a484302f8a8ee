//! Predicts how many cycles a PTO program takes, where they go, and what would change that.
//!
//! Laws are data ([`Laws`]): numbers with their source and a [`Grade`]. [`charge`] turns a law and the operands of an
//! instruction into cycles.

mod accuracy;
mod cost;
mod laws;

pub use accuracy::{Errors, Point, Use, errors, points};
pub use cost::{Charge, Instance, TileUse, Work, charge, way_between, work};
pub use laws::{Grade, Key, Law, Laws, Model, Params, class_name};
