//! Fixes that are offered.

use super::marked;
use pto::Target;
use pto::isa::Span;
use pto_ide::{Document, applied};

#[test]
fn misspelled_operations_and_values_are_fixed() {
    let text = "func.func @f(%tile: !pto.tile_buf<vec, 16x16xf32>) {
  pto.tmaxx‸ ins(%tile, %tile) outs(%tile)
  return
}
";
    let (document, at) = marked(text);
    let fix = &document.actions(Span::new(at, at), &[])[0];
    assert_eq!(fix.title, "write `pto.tmax`");
    assert!(document.edited(&fix.edits).diagnostics().is_empty());
}

/// The fix of a race, applied as an editor does, removes the finding.
#[test]
fn findings_of_races_are_fixed() {
    let text = include_str!("../../../../docs/guide/scale.pto");
    let document = Document::new(text, Some(Target::A2A3));
    let (x, mut y) = (vec![1.0f32; 256 * 64], vec![0.0f32; 256 * 64]);
    let mut race = |text: &str| {
        let program = pto::Program::parse(text);
        match program.race(Target::A2A3, &mut [pto::Arg::read(&x), pto::Arg::write(&mut y)]) {
            Ok(_) => Vec::new(),
            Err(error) => error.into_diagnostics(),
        }
    };
    let findings = race(text);
    assert_eq!(findings.len(), 1);
    let actions = document.actions(findings[0].primary.span, &findings);
    let fixed = applied(text, &actions[0].edits);
    assert!(race(&fixed).is_empty(), "{fixed}");
    assert_eq!(pto::syntax::format(&fixed, Default::default()).as_deref(), Ok(&*fixed), "it is laid out");
}

#[test]
fn programs_are_rewritten_in_other_forms() {
    let text = include_str!("../../../../examples/softmax.pto");
    let document = Document::new(text, None);
    let rewrites = document.rewrites();
    assert!(rewrites.len() >= 4, "{:?}", rewrites.iter().map(|r| &r.title).collect::<Vec<_>>());
    for rewrite in rewrites {
        assert!(document.edited(&rewrite.edits).diagnostics().is_empty(), "{}", rewrite.title);
    }
}
