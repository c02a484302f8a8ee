//! The laws against every measured point of the project.

use crate::cli::{Outcome, Run, out};
use pto::cost::{Use, errors, points};
use std::collections::BTreeMap;

pub(super) fn run() -> Run {
    let mut text = String::from(
        "\u{1b}[1mtarget  points                 instructions  use     count   mean  worst    bias\u{1b}[0m\n",
    );
    let mut sets: BTreeMap<(&str, &str, bool), (Vec<f64>, std::collections::BTreeSet<&str>)> = BTreeMap::new();
    for point in points() {
        let entry = sets.entry((point.target.name(), point.set, point.role == Use::Fit)).or_default();
        entry.0.push(point.error());
        entry.1.insert(point.instance.op.row().name);
    }
    for ((target, set, fit), (list, names)) in &sets {
        let Some(e) = errors(list.iter().copied()) else { continue };
        let role = if *fit { "fitted" } else { "judged" };
        text += &format!(
            "{target:6}  {set:21}  {:12}  {role:6}  {:5}  {:4.1} %  {:4.1} %  {:+5.1} %\n",
            names.len(),
            e.count,
            e.mean * 100.0,
            e.worst * 100.0,
            e.bias * 100.0
        );
    }
    out(&text)?;
    Ok(Outcome::Clean)
}
