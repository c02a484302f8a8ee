//! The laws against measured points.

use pto_cost::{Use, errors, points};
use std::collections::BTreeMap;

#[test]
fn print_all() {
    let mut sets: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    let mut ops: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for p in points() {
        sets.entry((p.target.name(), p.set, p.role == Use::Fit)).or_default().push(p.error());
        ops.entry((p.target.name(), p.instance.op.row().name, p.set)).or_default().push(p.error());
    }
    for (k, v) in sets.iter().map(|(k, v)| (format!("{k:?}"), v)).chain(ops.iter().map(|(k, v)| (format!("{k:?}"), v)))
    {
        let e = errors(v.iter().copied()).unwrap();
        println!(
            "{k} n {} mean {:.2}% worst {:.1}% bias {:.2}%",
            e.count,
            e.mean * 100.0,
            e.worst * 100.0,
            e.bias * 100.0
        );
    }
}
