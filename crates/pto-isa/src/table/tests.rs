use super::*;
use crate::row::{ElemRule, Pipes, Syntax};
use crate::{DTypes, Target};
use std::collections::HashSet;

#[test]
fn names_and_aliases_are_unique() {
    let mut seen = HashSet::new();
    for op in all() {
        let row = op.row();
        for name in row.aliases.iter().chain([&row.name]) {
            assert!(seen.insert(*name), "{name} twice");
            assert_eq!(find(name), Some(op));
        }
    }
}

#[test]
fn constants_name_their_rows() {
    assert_eq!(op::tmax.row().name, "tmax");
    assert_eq!(op::scf_for.row().name, "scf.for");
    assert_eq!(op::tmatmul_acc.row().name, "tmatmul.acc");
}

/// A row with data operands has types wherever it exists.
#[test]
fn every_row_is_complete() {
    for op in isa() {
        let row = op.row();
        assert!(row.summary().len() > 8, "{}: needs a summary", row.name);
        let has_data = row.slots.iter().any(|s| s.elem == ElemRule::Data);
        for target in row.targets.iter().filter(|_| has_data) {
            assert_ne!(row.data_types(target), DTypes::NONE, "{} has no types on {target}", row.name);
        }
        let mut names = HashSet::new();
        for slot in row.slots.iter().chain(row.results) {
            assert!(names.insert(slot.name), "{}: slot {} twice", row.name, slot.name);
        }
        for attr in row.attrs {
            assert!(names.insert(attr.name), "{}: attribute {} twice", row.name, attr.name);
        }
    }
}

/// Rules, scratch and C++ arguments refer to slots or attributes that exist.
#[test]
fn rows_refer_to_their_own_operands() {
    for op in all() {
        let row = op.row();
        let known = |n: &str| row.slot(n).is_some() || row.attr(n).is_some();
        for name in row.cpp.args.iter().chain(row.cpp.templates) {
            assert!(known(name), "{}: C++ argument {name}", row.name);
        }
        if let Some(s) = &row.scratch {
            assert!(known(s.slot), "{}: scratch {}", row.name, s.slot);
        }
        for (_, rule) in row.shape_rules.iter().chain(row.rules) {
            for name in rule.names() {
                assert!(known(name), "{}: rule names {name}", row.name);
            }
        }
        if let Pipes::Attr(name) = row.pipe {
            assert!(known(name), "{}: pipe attribute {name}", row.name);
        }
        if let Syntax::Pattern(p) = row.syntax {
            for name in pattern_names(p) {
                assert!(known(name), "{}: pattern names {name}", row.name);
            }
        }
    }
}

fn pattern_names(pattern: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut names = Vec::new();
    for (at, sigil) in pattern.match_indices(['$', '#', ':']) {
        let rest = &pattern[at + sigil.len()..];
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        if end > 0 {
            names.push(&rest[..end]);
        }
    }
    names
}

#[test]
fn misspelled_names_find_their_neighbours() {
    assert!(similar("tmux").contains(&"tmax"));
    assert!(similar("pto.trowexpndmax").contains(&"trowexpandmax"));
    assert!(similar("completely_different_name").is_empty());
}

#[test]
fn seed_instructions_have_the_documented_types() {
    use crate::DType::*;
    let types = |op: Op, t| op.row().data_types(t);
    let a2a3 = DTypes::of(&[I32, I16, F16, F32]);
    let a5 = DTypes::of(&[U32, I32, U16, I16, U8, I8, F32, F16]);
    for op in [op::tmax, op::tmin] {
        assert_eq!(types(op, Target::A2A3), a2a3);
        assert_eq!(types(op, Target::A5), a5);
    }
    for target in [Target::A2A3, Target::A5] {
        assert_eq!(types(op::trowexpandmax, target), DTypes::of(&[F16, F32]));
    }
}

/// Only spellings of the same thing share a meaning, so that code which makes an operation by its meaning gets the one it wants.
#[test]
fn a_meaning_belongs_to_one_operation() {
    use crate::row::{AtomicMode, Fifo, Meaning, Storage};
    let shared = [
        Meaning::Plain,
        Meaning::Storage(Storage::Retype),
        Meaning::Fifo(Fifo::Declare),
        Meaning::Atomic(AtomicMode::Element),
    ];
    for op in all().filter(|op| !shared.contains(&op.row().meaning)) {
        assert_eq!(Op::of(op.row().meaning), op, "{op:?} is not the only one of {:?}", op.row().meaning);
    }
}
