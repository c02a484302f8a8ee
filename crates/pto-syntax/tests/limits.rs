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
