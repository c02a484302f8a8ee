//! Hints between the lines.

use pto_ide::{Document, HintKind};

#[test]
fn types_addresses_and_cycles_are_shown() {
    let text = "func.func @f(%a: !pto.tile_buf<vec, 16x64xf32>) {
  %m = tmax %a, %a : !pto.tile<...>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
  pto.tadd ins(%a, %a) outs(%t)
  return
}
";
    let document = Document::new(text, None);
    assert!(document.diagnostics().is_empty(), "{:?}", document.diagnostics());
    let hints = document.hints(None);
    let of = |kind: HintKind| hints.iter().filter(|h| h.kind == kind).map(|h| h.label.as_str()).collect::<Vec<_>>();
    assert_eq!(of(HintKind::Type), [": !pto.tile<16x64xf32>"]);
    assert_eq!(of(HintKind::Address).len(), 1);
    assert!(of(HintKind::Cost).iter().all(|label| label.starts_with("PIPE_V · ")), "{hints:?}");
}
