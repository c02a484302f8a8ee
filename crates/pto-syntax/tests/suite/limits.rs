//! Texts that are too deep or too long for a naive reader.

use pto_isa::codes;
use pto_syntax::parse;

fn codes_of(source: &str) -> Vec<pto_isa::Code> {
    parse(source).1.iter().map(|d| d.code).collect()
}

#[test]
fn deep_regions_are_one_error() {
    let loops: String = (0..300).map(|k| format!("scf.for %i{k} = %n to %n step %n {{\n")).collect();
    let close = |text: &str| text.repeat(300);
    for source in [
        format!("func.func @f(%c: i1) {{\n{}", "scf.if %c {\n".repeat(10_000)),
        format!("func.func @f(%c: i1) {{\n{}{}return }}\n", "scf.if %c {\n".repeat(300), close("}\n")),
        format!("func.func @f(%n: index) {{\n{loops}{}return }}\nfunc.func @g() {{ return }}\n", close("}\n")),
        format!("func.func @f(%c: i1) {{\n{}{}", "\"scf.if\"(%c) ({\n".repeat(300), close("}) : (i1) -> ()\n")),
        format!("{}{}", "module {\n".repeat(300), close("}\n")),
    ] {
        assert_eq!(codes_of(&source), [codes::TOO_DEEP], "{}", &source[..60]);
    }
}

#[test]
fn deep_attributes_and_types_are_one_error() {
    for open in ["[", "{a = "] {
        let source = format!("func.func @f() {{\n  pto.barrier <PIPE_V> {{x = {}", open.repeat(10_000));
        assert_eq!(codes_of(&source), [codes::TOO_DEEP], "{open}");
    }
    let function = "(".repeat(10_000);
    assert_eq!(codes_of(&format!("func.func @f(%a: {function}")), [codes::TOO_DEEP]);
    let nested = format!("{}f32{}", "!pto.struct<".repeat(300), ">".repeat(300));
    assert_eq!(codes_of(&format!("func.func @f(%a: {nested}) {{ return }}")).len(), 1);
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

/// Other errors do not hide names that nothing defines, and names that they may hide are not reported.
#[test]
fn undefined_names_stand_beside_syntax_errors() {
    let undefined = |source: &str| {
        let problems = parse(source).1;
        assert!(problems.iter().any(|d| d.code != codes::UNDEFINED), "{problems:?}");
        let names = problems.into_iter().filter(|d| d.code == codes::UNDEFINED);
        names
            .map(|d| source[d.primary.span.start as usize..d.primary.span.end as usize].to_string())
            .collect::<Vec<_>>()
    };
    let add = |a: &str, b: &str| format!("  %r{a}{b} = arith.addi %{a}, %{b} : index\n");
    // A brace that is missing, one too many, a header, an open type, a stray word.
    let f = "func.func @f(%n: index) {\n";
    assert_eq!(undefined(&format!("{f}{}  return\n", add("n", "gone"))), ["%gone"]);
    assert_eq!(undefined(&format!("{f}{}  }}\n{}  return\n}}\n", add("n", "n"), add("n", "gone"))), ["%gone"]);
    let header = "  scf.for %i = %n to oops step %n {\n";
    assert_eq!(undefined(&format!("{f}{header}{}  }}\n  return\n}}\n", add("i", "gone"))), ["%gone"]);
    let open = "  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32\n";
    assert_eq!(undefined(&format!("{f}{open}{}  return\n}}\n", add("n", "gone"))), ["%gone"]);
    assert_eq!(undefined(&format!("{f}  pto.tabs ins(%n oops)\n{}  return\n}}\n", add("gone", "n"))), ["%gone"]);
    assert_eq!(undefined(&format!("func.func @f(%n: !oops) {{\n{}  return\n}}\n", add("n", "gone"))), ["%gone"]);
    // A comment is no definition.
    assert_eq!(undefined(&format!("// %gone\n{f}{}  return\n", add("n", "gone"))), ["%gone"]);
}

/// The dialect wants a point in front of an exponent; what is clear without is read.
#[test]
fn exponents_need_no_point() {
    for (text, value) in [("-1e30", -1e30), ("1E+3", 1e3), ("25e-1", 2.5), ("-1.5e3", -1.5e3)] {
        let source = format!("func.func @f() {{\n  %a = arith.constant {text} : f64\n  return\n}}\n");
        let (module, problems) = parse(&source);
        assert!(problems.is_empty(), "{text}: {problems:?}");
        let again = pto_syntax::format(&source, Default::default()).expect("it can be read");
        assert!(again.contains('.'), "{again}");
        let constant = module.order().into_iter().find_map(|id| module.attr(id, "value").cloned());
        assert!(matches!(constant, Some(pto_ir::Attr::Float(x, _)) if x == value), "{constant:?}");
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
    assert!((1..100).contains(&count), "{count}");
}
