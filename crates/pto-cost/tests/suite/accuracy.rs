//! The laws against measured points, and the data against the table.

use pto_cost::{
    Grade, KernelPoint, Law, Laws, Params, Point, PointUse, cycles_under, errors, is_costed, kernels, law_of_row,
    points,
};
use pto_isa::row::CostClass;
use pto_isa::{Target, table};
use std::collections::BTreeMap;

/// The mean error of the points that judge a set.
fn judged(set: &str, target: Target) -> f64 {
    let all = points();
    let of_set = all.iter().filter(|p| p.set == set && p.target == target && p.role == PointUse::Judge);
    errors(of_set.map(Point::error)).expect("points that judge").mean
}

#[test]
fn elementwise_on_a2a3() {
    assert!(judged("elementwise", Target::A2A3) <= 0.03);
}

#[test]
fn goldens_of_a_910b3() {
    assert!(judged("910B3 goldens", Target::A2A3) <= 0.03);
}

#[test]
fn vectors_on_a5() {
    assert!(judged("vector", Target::A5) <= 0.06);
}

#[test]
fn reductions_and_expansions() {
    for set in ["row reductions", "column reductions", "row expansion"] {
        assert!(judged(set, Target::A2A3) <= 0.03, "{set}");
    }
}

/// The two smaller sizes; `pto perf --accuracy` shows all.
#[test]
fn gemm_kernels() {
    let error = |k: &KernelPoint| (k.predicted().expect("it has an end") / k.micros - 1.0).abs();
    let all = kernels();
    let lines = include_str!("../../data/kernels.tsv").lines().filter(|l| !l.starts_with('#')).count();
    assert_eq!(all.len(), lines, "a line cannot be read");
    let errors: Vec<f64> = all.iter().filter(|k| k.set == "GEMM" && k.micros < 1000.0).map(error).collect();
    assert_eq!(errors.len(), 2);
    assert!(errors.iter().sum::<f64>() / 2.0 <= 0.05, "{errors:?}");
}

#[test]
fn the_instructions_of_the_seed_pages_have_costs_with_a_source() {
    for name in ["tmax", "tmin", "tpartargmax", "trowexpandmax", "tcmps"] {
        let op = table::find(name).expect("an instruction");
        for target in op.row().targets.iter().filter(|t| *t != Target::Cpu) {
            let law = law_of_row(op, target).expect("a law");
            assert!(!law.source.is_empty() && !law.params.is_empty(), "{name} on {target}");
        }
    }
}

#[test]
fn every_instruction_has_a_cost() {
    let without: Vec<&str> = table::isa().filter(|op| !is_costed(*op)).map(|op| op.row().name).collect();
    assert!(without.is_empty(), "no law for {without:?}");
}

/// Every line of the data is about something, and every number of it is read.
#[test]
fn laws_are_about_something() {
    let parts = ["machine", "issue", "launch", "signal", "l2", "hbm", "fifo", "way"];
    let classes: Vec<String> = table::all().map(|op| format!("{:?}", op.row().cost)).collect();
    for target in [Target::A2A3, Target::A5] {
        for law in Laws::of(target).all() {
            let name = law.subject.split('.').next().unwrap_or("");
            let known = parts.contains(&name) || name.contains('>') || classes.iter().any(|c| c == name);
            assert!(known || table::find(name).is_some(), "{} on {target}", law.subject);
            assert!(!law.params.is_empty() && !law.source.is_empty(), "{} on {target}", law.subject);
        }
    }
    let text = include_str!("../../data/laws.tsv");
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        assert_eq!(fields.len(), 6, "{line}");
        assert_eq!(Params::read(fields[3]).len(), fields[3].split_whitespace().count(), "{line}");
        assert!(Grade::ALL.iter().any(|g| g.name() == fields[4]), "{line}");
    }
    let lines = include_str!("../../data/points.tsv").lines().filter(|l| !l.starts_with('#')).count();
    assert_eq!(points().len(), lines, "a point that cannot be read");
}

/// The mean of the squared relative errors of a law.
fn loss(law: &Law, points: &[&Point]) -> f64 {
    let squares = points.iter().map(|p| (cycles_under(law, &p.instance, p.target) / p.cycles - 1.0).powi(2));
    squares.sum::<f64>() / points.len() as f64
}

/// Walks downhill along the axes with shrinking steps.
fn fitted(mut law: Law, points: &[&Point]) -> Law {
    let mut best = loss(&law, points);
    let mut step = 0.2;
    while step > 0.002 {
        let before = best;
        for at in 0..law.params.len() {
            for factor in [1.0 + step, 1.0 - step] {
                let mut other = law.clone();
                other.params.values_mut().skip(at).take(1).for_each(|x| *x *= factor);
                let found = loss(&other, points);
                if found < best {
                    (best, law) = (found, other);
                }
            }
        }
        if best >= before {
            step /= 2.0;
        }
    }
    law
}

/// Fitting the calibrated laws anew to the points that are for fitting brings next to nothing: the data file is current.
#[test]
fn calibrated_laws_are_fitted() {
    let all = points();
    let mut by_law: BTreeMap<(&str, &str, &str), (&Law, Vec<&Point>)> = BTreeMap::new();
    for p in all.iter().filter(|p| p.role == PointUse::Fit) {
        let law = p.law().expect("a law");
        by_law.entry((p.target.name(), law.subject, law.types)).or_insert((law, Vec::new())).1.push(p);
    }
    assert!(by_law.len() > 40);
    for (name, (law, points)) in by_law.iter().filter(|(_, (law, _))| law.grade == Grade::Calibrated) {
        let (now, better) = (loss(law, points).sqrt(), loss(&fitted((*law).clone(), points), points).sqrt());
        assert!(now <= better + 0.02, "{name:?}: error {now:.4}, and {better:.4} after a fit");
    }
}

/// Costs of data on its way have no class of their own.
#[test]
fn ways_are_known() {
    let laws = Laws::of(Target::A2A3);
    for way in ["gm>vec", "gm>mat", "vec>gm", "acc>gm", "mat>left", "mat>right"] {
        assert_eq!(laws.way(way).expect("a law").subject, way);
    }
    assert!(table::isa().any(|op| op.row().cost == CostClass::Load));
}
