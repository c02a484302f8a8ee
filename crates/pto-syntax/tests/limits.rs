//! Texts that are too deep or too long for a naive reader.

use pto_isa::codes;
use pto_syntax::parse;

fn codes_of(source: &str) -> Vec<pto_isa::Code> {
    parse(source).1.iter().map(|d| d.code).collect()
}

#[test]
fn deep_regions_are_one_error() {
    let source = format!("func.func @f(%c: i1) {{\n{}", "scf.if %c {\n".repeat(10_000));
    assert_eq!(codes_of(&source).iter().filter(|c| **c == codes::TOO_DEEP).count(), 1);
}

#[test]
fn deep_attributes_and_types_are_one_error() {
    for open in ["[", "{a = "] {
        let source = format!("func.func @f() {{\n  pto.barrier <PIPE_V> {{x = {}", open.repeat(10_000));
        assert!(codes_of(&source).contains(&codes::TOO_DEEP), "{open}");
    }
    let function = "(".repeat(10_000);
    assert!(codes_of(&format!("func.func @f(%a: {function}")).contains(&codes::TOO_DEEP));
    let nested = format!("{}f32{}", "!pto.struct<".repeat(300), ">".repeat(300));
    assert!(!codes_of(&format!("func.func @f(%a: {nested}) {{ return }}")).is_empty());
}

#[test]
fn real_depth_is_fine() {
    let depth = 100;
    let source =
        format!("func.func @f(%c: i1) {{\n{}{}return\n}}\n", "scf.if %c {\n".repeat(depth), "}\n".repeat(depth));
    assert_eq!(codes_of(&source), []);
}

/// Text that never closes what it opens is read in time that grows with its length.
#[test]
fn unclosed_brackets_are_read_once() {
    for line in
        ["%a = pto.alloc_tile : !pto.tile_buf<\n", "!a<\n", "pto.x {a = \"\n", "(((\n", "%a, %b\n", "\"pto.tadd\"(\n"]
    {
        let source = format!("func.func @f() {{\n{}", line.repeat(20_000));
        assert!(!codes_of(&source).is_empty());
    }
}

/// Aliases that name the one before twice would stand for more than any machine can hold. E0023
#[test]
fn aliases_that_double_are_one_error() {
    let attributes: String = (1..200).map(|k| format!("#a{k} = [#a{0}, #a{0}]\n", k - 1)).collect();
    let types: String = (1..200).map(|k| format!("!a{k} = (!a{0}, !a{0}) -> !a{0}\n", k - 1)).collect();
    for source in [format!("#a0 = [1, 2]\n{attributes}"), format!("!a0 = (f32) -> f32\n{types}")] {
        let found = codes_of(&source);
        assert_eq!(found.iter().filter(|c| **c == codes::ALIASES_TOO_LARGE).count(), 1);
    }
}

#[test]
fn aliases_of_aliases_are_as_deep_as_what_they_stand_for() {
    let plain: String = (1..20_000).map(|k| format!("!a{k} = !a{0}\n#a{k} = #a{0}\n", k - 1)).collect();
    assert_eq!(codes_of(&format!("!a0 = f32\n#a0 = [1, 2]\n{plain}")), []);
    let nested: String = (1..20_000).map(|k| format!("#a{k} = [#a{0}]\n", k - 1)).collect();
    assert!(codes_of(&format!("#a0 = 1\n{nested}")).contains(&codes::TOO_DEEP));
    let nested: String = (1..20_000).map(|k| format!("!a{k} = (!a{0}) -> ()\n", k - 1)).collect();
    assert!(codes_of(&format!("!a0 = () -> ()\n{nested}")).contains(&codes::TOO_DEEP));
}

/// Of many misspelled names only some are compared with all others.
#[test]
fn suggestions_come_to_an_end() {
    let lines: String = (0..5000).map(|k| format!("  %value{k} = arith.addi %valeu{k}, %one : index\n")).collect();
    let source = format!("func.func @f() {{\n  %one = arith.constant 1 : index\n{lines}  return\n}}\n");
    let problems = parse(&source).1;
    assert_eq!(problems.len(), 5000);
    let suggested = |d: &&pto_isa::Diagnostic| d.help.as_ref().is_some_and(|h| h.contains("did you mean"));
    let count = problems.iter().filter(suggested).count();
    assert!((1..1000).contains(&count), "{count}");
}
