//! How much is tried, and what of it is stated.

use super::*;

/// Waits, each followed by what another core is told, and a deadlock at each of them.
fn deadlocks(count: usize) -> (String, RaceReport) {
    let wait = "    pto.sync.wait <PIPE_MTE2>, 3\n";
    let pair = format!("{wait}    pto.sync.set <PIPE_MTE3>, 4\n");
    let text = format!("func.func @f() {{\n  pto.section.vector {{\n{}  }}\n  return\n}}\n", pair.repeat(count));
    let spans =
        text.match_indices("pto.sync.wait").map(|(at, _)| Span::new(at as u32, (at + wait.trim().len()) as u32));
    let found = spans.map(|span| Diagnostic::new(codes::RUN_DEADLOCK, span, "deadlock")).collect::<Vec<_>>();
    (text, RaceReport::of_error(found.into()))
}

#[test]
fn few_changes_are_tried() {
    let (text, report) = deadlocks(200);
    let (module, problems) = pto_syntax::parse(&text);
    assert!(problems.is_empty(), "{problems:?}");
    let mut runs = 0;
    let report = report.with_tried_fixes(&module, &text, |_, limit| {
        assert!(limit <= LEAST_WORK);
        runs += 1;
        None
    });
    assert!(runs > 1 && runs <= TRIALS, "{runs}");
    assert!(report.findings.iter().all(|d| d.edits.is_empty()));
}

#[test]
fn what_removes_the_finding_is_stated() {
    let (text, report) = deadlocks(1);
    let (module, _) = pto_syntax::parse(&text);
    let clean = RaceReport::empty(crate::OrderedBy::Manual);
    let fixed = report.clone().with_tried_fixes(&module, &text, |_, _| Some(clean.clone()));
    let edits: Vec<&str> = fixed.findings[0].edits.iter().map(|e| &*e.text).collect();
    assert_eq!(edits, ["", "pto.sync.wait <PIPE_MTE2>, 3"], "the wait moves behind what is sent");
    // A change after which something else is found is none.
    let other = Diagnostic::new(codes::RACE_READ, Span::new(0, 1), "a race");
    let worse = RaceReport { findings: vec![other], ..clean };
    let left = report.with_tried_fixes(&module, &text, |_, _| Some(worse.clone()));
    assert!(left.findings[0].edits.is_empty());
}
