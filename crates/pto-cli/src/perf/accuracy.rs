//! The laws against every measured point of the project.

use crate::{CommandResult, Failure, Outcome, out};
use pto::cost::{Errors, PointUse, errors, kernels, points};
use pto::isa::ordered::{OrdMap, OrdSet};

/// A group of points, and whether laws were fitted to them.
type PointGroup = (&'static str, &'static str, bool);

pub(super) fn run() -> CommandResult {
    let mut text = format!(
        "\u{1b}[1m{:6}  {:18}  {:6}  {:>6}  {:>7}  {:>7}  {:>7}  instructions\u{1b}[0m\n",
        "target", "points", "use", "points", "mean", "worst", "bias"
    );
    let mut groups: OrdMap<PointGroup, (Vec<f64>, OrdSet<&str>)> = OrdMap::new();
    for point in points() {
        let group = groups.entry((point.target.name(), point.set, point.role == PointUse::Fit)).or_default();
        group.0.push(point.error());
        group.1.insert(point.instance.op.row().name);
    }
    for (group, (list, names)) in &groups {
        let Some(e) = errors(list.iter().copied()) else { continue };
        text += &line(*group, &e, &names.iter().copied().collect::<Vec<_>>().join(" "));
    }
    out(&text)?;
    kernel_table()
}

fn line((target, set, fit): PointGroup, e: &Errors, what: &str) -> String {
    let percent = |x: f64| format!("{:.1} %", x * 100.0);
    format!(
        "{target:6}  {set:18}  {:6}  {:>6}  {:>7}  {:>7}  {:>7}  {what}\n",
        if fit { "fit" } else { "judge" },
        e.count,
        percent(e.mean),
        percent(e.worst),
        format!("{:+.1} %", e.bias * 100.0)
    )
}

/// Kernels take a moment each, so a line appears as soon as it is known.
fn kernel_table() -> CommandResult {
    out(&format!(
        "\n\u{1b}[1m{:15}  {:9}  {:6}  {:>6}  {:>11}  {:>12}  {:>7}\u{1b}[0m\n",
        "kernel", "numbers", "use", "blocks", "measured µs", "predicted µs", "error"
    ))?;
    let mut sets: OrdMap<(&str, &str, bool), Vec<f64>> = OrdMap::new();
    for k in kernels() {
        let predicted = k.predicted().map_err(|e| Failure(format!("{} {}: {e}", k.set, k.numbers)))?;
        let error = predicted / k.micros - 1.0;
        sets.entry((k.target.name(), k.set, k.role == PointUse::Fit)).or_default().push(error);
        let role = k.role.name();
        out(&format!(
            "{:15}  {:9}  {role:6}  {:>6}  {:>11.1}  {predicted:>12.1}  {:>5.1} %\n",
            k.set,
            k.numbers,
            k.blocks,
            k.micros,
            error * 100.0
        ))?;
    }
    let mut text = String::from("\n");
    for (group, list) in sets {
        if let Some(e) = errors(list) {
            text += &line(group, &e, "");
        }
    }
    out(&text)?;
    Ok(Outcome::Clean)
}
