//! Words of Python calls that choose something.

use pto::cpu::{Numerics, Options, Uninitialised};
use pto::emit::InsertSync;
use pto::isa::Targets;
use pto::opt::SyncMode;
use pto::race::OrderedBy;
use pto::{Form, Target};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The choice of a word, or an error with the legal ones.
fn choice<T: Copy>(what: &str, word: &str, legal: &[(&str, T)]) -> PyResult<T> {
    let found = legal.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<String> = legal.iter().map(|(name, _)| format!("{name:?}")).collect();
        PyValueError::new_err(format!("{what} is {word:?}; legal: {}", names.join(", ")))
    })
}

/// The target of a name.
pub(crate) fn target(name: &str) -> PyResult<Target> {
    let legal = Target::ALL.map(|t| (t.name(), t));
    Target::parse(name).map_or_else(|| choice("target", name, &legal), Ok)
}

/// The names of the targets; with `devices` only those that stand for hardware.
#[pyfunction]
#[pyo3(signature = (devices=false))]
pub(crate) fn targets(devices: bool) -> Vec<&'static str> {
    let all = if devices { Targets::DEVICES } else { Targets::ALL };
    all.iter().map(Target::name).collect()
}

/// How a program is prepared.
pub(crate) fn prepared(
    numerics: Option<&str>,
    uninitialised: Option<&str>,
    strict: bool,
    open_windows: bool,
) -> PyResult<Options> {
    let reference = ("reference", Numerics::Reference);
    let numerics = choice(
        "numerics",
        numerics.unwrap_or("reference"),
        &[reference, ("a2a3", Numerics::A2A3), ("a5", Numerics::A5)],
    )?;
    let fills = [("zero", Uninitialised::Zero), ("nan", Uninitialised::Nan)];
    let fill = choice("uninitialised", uninitialised.unwrap_or("zero"), &fills)?;
    Ok(Options::default().numerics(numerics).uninitialised(fill).strict(strict).open_windows(open_windows))
}

/// The form of a text.
pub(crate) fn form(name: &str) -> PyResult<Form> {
    let legal = [("level1", Form::Level1), ("level2", Form::Level2), ("asm", Form::Asm), ("generic", Form::Generic)];
    choice("form", name, &legal)
}

/// How pipes are ordered.
pub(crate) fn sync_mode(name: &str) -> PyResult<SyncMode> {
    let legal = [("minimal", SyncMode::Minimal), ("barriers", SyncMode::Barriers), ("none", SyncMode::None)];
    choice("mode", name, &legal)
}

/// Which kernels get flags when they are emitted.
pub(crate) fn insert_sync(name: &str) -> PyResult<InsertSync> {
    let legal = [("unstated", InsertSync::Unstated), ("auto", InsertSync::Auto), ("none", InsertSync::None)];
    choice("sync", name, &legal)
}

/// Who orders the pipes of a core.
pub(crate) fn ordered_by(name: &str) -> PyResult<OrderedBy> {
    choice("sync", name, &[("manual", OrderedBy::Manual), ("auto", OrderedBy::Auto)])
}
