//! Cards of names.

use super::marked;

fn card(text: &str) -> String {
    let (document, at) = marked(text);
    document.hover(at).map(|card| card.markdown).unwrap_or_default()
}

const KERNEL: &str = "!tile = !pto.tile_buf<vec, 16x64xf32>
func.func @scale(%x: !pto.tensor_view<16x64xf32>) {
  %t = pto.alloc_tile : !tile
  %two = arith.constant 2.0 : f32
  pto.tload ins(%x) outs(%t)
  pto.tmuls ins(%t, %two) outs(%t)
  pto.tstore ins(%t) outs(%x)
  return
}
";

fn at(word: &str) -> String {
    KERNEL.replacen(word, &format!("{}‸{}", &word[..1], &word[1..]), 1)
}

#[test]
fn an_instruction_shows_its_page_and_its_cost() {
    let card = card(&at("pto.tmuls"));
    assert!(card.starts_with("**TMULS**"), "{card}");
    assert!(card.contains("cycles on PIPE_V"), "{card}");
}

#[test]
fn a_tile_shows_type_address_and_uses() {
    let card = card(&at("%t = "));
    assert!(card.contains("%t: !pto.tile_buf<vec, 16x64xf32>"), "{card}");
    assert!(card.contains("4096 bytes"), "{card}");
    assert!(card.contains("address 0x0 in UB (vec) after planning"), "{card}");
    assert!(card.contains("used 4 times, lines 5 to 7"), "{card}");
}

#[test]
fn aliases_functions_and_attributes_have_cards() {
    assert!(card(&at("!tile\n")).contains("16 × 64"), "{}", card(&at("!tile\n")));
    assert!(card(&at("@scale")).contains("func.func @scale(%x: !pto.tensor_view<16x64xf32>)"));
    let compare = "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>, %m: !pto.tile_buf<vec, 16x32xi8>) {
  pto.tcmp ins(%a, %a {cmp‸Mode = #pto<cmp eq>}) outs(%m)
  return
}";
    assert!(card(compare).contains("eq, ne, lt"), "{}", card(compare));
}

#[test]
fn nothing_is_said_about_brackets_comments_and_unknown_names() {
    for text in ["func.func @f() ‸{ return }", "// a comm‸ent", "func.func @f() { pto.tmux‸ return }", ""] {
        let text = if text.is_empty() { "‸" } else { text };
        assert_eq!(card(text), "", "{text}");
    }
}
