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

/// The text after the first fix of its first problem.
fn fixed(text: &str) -> (String, String) {
    let document = Document::new(text, None);
    let problem = document.diagnostics().first().expect("a problem");
    let actions = document.actions(problem.primary.span, &[]);
    let fix = actions.first().unwrap_or_else(|| panic!("no fix of {problem:?}"));
    (fix.title.clone(), applied(text, &fix.edits))
}

#[test]
fn missing_ends_wrong_types_and_attributes_are_fixed() {
    let (title, text) = fixed("func.func @f() {\n}\n");
    assert_eq!((&*title, &*text), ("end the block with `return`", "func.func @f() {\n  return\n}\n"));
    let (_, text) = fixed("func.func @f() { }\n");
    assert_eq!(text, "func.func @f() { return }\n");
    let wrong = "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>) {
  pto.tadd ins(%a, %a : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x32xf32>) outs(%a : !pto.tile_buf<vec, 16x16xf32>)
  return
}
";
    let (title, text) = fixed(wrong);
    assert_eq!(title, "write `!pto.tile_buf<vec, 16x16xf32>`");
    assert!(Document::new(&text, None).diagnostics().is_empty(), "{text}");
    let compare = "func.func @f(%a: !pto.tile_buf<vec, 16x64xf32>, %m: !pto.tile_buf<vec, 16x32xi8>) {
  pto.tcmp ins(%a, %a {cmpmod = #pto<cmp gt>}) outs(%m)
  return
}
";
    let (title, text) = fixed(compare);
    assert_eq!(title, "write `cmpMode`");
    assert!(Document::new(&text, None).diagnostics().iter().all(|d| !d.is_error()), "{text}");
}

#[test]
fn another_target_is_offered() {
    let text = "func.func @f(%a: !pto.tile_buf<vec, 16x64xui8>) {\n  pto.tmax ins(%a, %a) outs(%a)\n  return\n}\n";
    let document = Document::new(text, Some(Target::A2A3));
    let actions = document.actions(document.diagnostics()[0].primary.span, &[]);
    assert_eq!(actions.last().and_then(|a| a.target), Some(Target::A5));
}

#[test]
fn formatting_keeps_line_breaks() {
    let text = "func.func @f() {\r\n  // x\r\n     return\r\n}\r\n";
    let document = Document::new(text, None);
    let edits = document.format().expect("a readable program");
    assert_eq!(edits.len(), 1);
    assert_eq!(applied(text, &edits), "func.func @f() {\r\n  // x\r\n  return\r\n}\r\n");
    let second = document.format_range(Span::new(0, 5)).expect("a readable program");
    assert!(second.is_empty(), "another line changes");
}

/// Applies the fix of the first problem with this title.
fn applied_fix(text: &str, title: &str) -> String {
    let document = Document::new(text, None);
    let problem = &document.diagnostics()[0];
    let actions = document.actions(problem.primary.span, &[]);
    let titles: Vec<&str> = actions.iter().map(|a| a.title.as_str()).collect();
    let fix = actions.iter().find(|a| a.title == title).unwrap_or_else(|| panic!("{titles:?}"));
    let fixed = applied(text, &fix.edits);
    assert_eq!(Document::new(&fixed, None).diagnostics(), [], "{fixed}");
    fixed
}

#[test]
fn an_operand_of_another_element_type_is_converted() {
    let text = "func.func @f() {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  %h = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf16>
  pto.tadd ins(%a, %h) outs(%a)
  return
}
";
    let fixed = applied_fix(text, "convert `%h` to f32");
    assert!(fixed.contains(
        "  %h_f32 = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  pto.tcvt ins(%h) outs(%h_f32)
  pto.tadd ins(%a, %h_f32) outs(%a)
"
    ));
    let result = text.replace("ins(%a, %h) outs(%a)", "ins(%a, %a) outs(%h)");
    let fixed = applied_fix(&result, "convert `%h` to f32");
    assert!(fixed.contains(
        "  pto.tadd ins(%a, %a) outs(%h_f32)
  pto.tcvt ins(%h_f32) outs(%h)
"
    ));
}

#[test]
fn a_tile_gets_a_layout_that_is_legal() {
    let text = "func.func @f() {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  %c = pto.alloc_tile : !pto.tile_buf<vec, 16x1xf32>
  pto.trowmax ins(%a, %a) outs(%c)
  return
}
";
    let fixed = applied_fix(text, "write `!pto.tile_buf<vec, 16x1xf32, blayout=col_major>`");
    assert!(fixed.contains("blayout=col_major"));
}

/// The titles of the fixes of the first problem.
fn titles(text: &str) -> Vec<String> {
    let document = Document::new(text, None);
    let problem = document.diagnostics().first().expect("a problem");
    document.actions(problem.primary.span, &[]).into_iter().map(|action| action.title).collect()
}

#[test]
fn missing_values_are_filled_in_with_each_choice() {
    let text = "func.func @f(%a: index, %b: index) -> index {\n  return\n}\n";
    let offered = titles(text);
    assert_eq!(offered, ["write `return %b : index`", "write `return %a : index`", "let `@f` return nothing"]);
    assert_eq!(applied_fix(text, &offered[0]), text.replace("return\n", "return %b : index\n"));
    assert_eq!(applied_fix(text, &offered[2]), text.replace(" -> index", ""));
    let text = "func.func @f(%c: i1, %n: index) {
  %b = scf.if %c -> (index) {
    scf.yield %n : index
  }
  return
}
";
    let fixed = applied_fix(text, "insert `else { scf.yield %n : index }`");
    assert!(fixed.contains("  } else {\n    scf.yield %n : index\n  }\n"), "{fixed}");
    let text = "func.func @f(%a: index) {\n  %b = arith.addi\n  return\n}\n";
    assert_eq!(titles(text), ["write `arith.addi %a, %a : index`"]);
}

#[test]
fn calls_get_the_declared_arguments_or_a_function() {
    let text = "func.func @f(%n: index) {\n  func.call @g(%n, %n) : (index, index) -> ()\n  return\n}
func.func private @g(%n: index) {\n  return\n}\n";
    let fixed = applied_fix(text, "write `@g(%n)`");
    assert!(fixed.contains("func.call @g(%n) : (index) -> ()"), "{fixed}");
    let text = "func.func @f(%n: index) {\n  %x = func.call @other(%n) : (index) -> i32\n  return\n}\n";
    let fixed = applied_fix(text, "add a function `@other`");
    assert!(fixed.contains("func.func private @other(%arg0: index) -> (i32) {"), "{fixed}");
}

#[test]
fn structs_are_passed_field_by_field() {
    let text = "func.func @f(%s: !pto.struct<f32, i8>) {\n  return\n}\n";
    let fixed = applied_fix(text, "pass the fields of `%s` one by one");
    assert!(fixed.starts_with("func.func @f(%s_0: f32, %s_1: i8) {\n  %s = pto.declare_struct -> "), "{fixed}");
}

/// A statement is removed only where nothing else helps, and the rest of its line stays.
#[test]
fn removal_is_the_last_resort() {
    assert_eq!(titles("func.func @f() {\n  pto.nonsense\n  return\n}\n"), ["remove line 2"]);
    let text = "func.func @f() { func.call @f() : () -> () return }\n";
    assert_eq!(applied_fix(text, "remove line 1"), "func.func @f() {  return }\n");
}

#[test]
fn tiles_that_do_not_fit_get_fewer_rows_or_columns() {
    let text = "func.func @f() {\n  %a = pto.alloc_tile : !pto.tile_buf<vec, 1024x1024xf32>\n  return\n}\n";
    let offered = titles(text);
    assert_eq!(offered, ["write `!pto.tile_buf<vec, 32x1024xf32>`", "write `!pto.tile_buf<vec, 1024x32xf32>`"]);
    offered.iter().for_each(|title| drop(applied_fix(text, title)));
}

#[test]
fn windows_end_where_the_tile_ends() {
    let text = "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>) {
  %zero = arith.constant 0 : index
  %far = arith.constant 12 : index
  %w = pto.subview %a[%far, %zero] sizes [8, 16] : !pto.tile_buf<vec, 16x16xf32>
  return
}
";
    let fixed = applied_fix(text, "write `%c8`");
    assert!(fixed.contains("  %c8 = arith.constant 8 : index\n  %w = pto.subview %a[%c8, %zero]"), "{fixed}");
    assert!(applied_fix(text, "make the window 4 long").contains("sizes [4, 16]"));
}

#[test]
fn views_get_the_strides_that_the_tile_needs() {
    let text = "func.func @f(%x: !pto.ptr<f32>) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %v = pto.make_tensor_view %x, shape = [%c16, %c16], strides = [%c1, %c16] : !pto.tensor_view<16x16xf32>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  pto.tload ins(%v) outs(%t)
  return
}
";
    let fixed = applied_fix(text, "give `%v` the strides `%c16, %c1`");
    assert!(fixed.contains("strides = [%c16, %c1]"), "{fixed}");
    let fixed = applied_fix(text, "use another view with the strides `%c16, %c1` here");
    assert!(fixed.contains("  pto.tload ins(%v_2) outs(%t)"), "{fixed}");
}

/// What a device computes differently is written in a way that it computes as it is defined.
#[test]
fn faults_of_devices_are_avoided() {
    let text = "func.func @f(%s: f32) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32, valid=16x50>
  pto.texpands ins(%s) outs(%t)
  return
}
";
    let fixed = applied_fix(text, "state the valid columns of `%t` at run time");
    assert!(fixed.contains("alloc_tile valid_col = %t_cols : !pto.tile_buf<vec, 16x64xf32, valid=16x?>"), "{fixed}");
    let text = "func.func @f(%a: !pto.tile_buf<vec, 16x64xi32>) {
  %large = arith.constant 16777217 : i32
  pto.tsubs ins(%a, %large) outs(%a)
  return
}
";
    let fixed = applied_fix(text, "fill a tile with `%large` and use `tsub`");
    assert!(
        fixed.contains("  pto.texpands ins(%large) outs(%large_tile)\n  pto.tsub ins(%a, %large_tile) outs(%a)\n"),
        "{fixed}"
    );
    let text =
        "func.func @f(%a: !pto.tile_buf<vec, 16x64xi16>, %s: i16, %m: !pto.tile_buf<vec, 16x32xui8, valid=16x8>) {
  pto.tcmps ins(%a, %s {cmpMode = #pto<cmp gt>}) outs(%m)
  return
}
";
    let fixed = applied_fix(text, "convert all operands of i16 to f32");
    assert!(fixed.contains("  %s_f32 = arith.sitofp %s : i16 to f32\n"), "{fixed}");
}

/// Changes of a long text are tried in the function of the problem, so many are: it has the fixes of a short text.
#[test]
fn long_texts_have_the_fixes_of_short_ones() {
    let wrong = "
func.func @wrong(%s: f32) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
  %u = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf16>
  func.call @softmax_700(%s) : (f32) -> ()
  pto.tadd ins(%t, %u) outs(%t)
  return
}
";
    let example = include_str!("../../../../examples/softmax.pto");
    let (head, function) = example.split_at(example.find("func.func").expect("a function"));
    let functions = (0..200).map(|n| function.replace("@softmax", &format!("@softmax_{n}")));
    let long = format!("{head}{wrong}{}", functions.collect::<String>());
    let offered = |text: &str| {
        let document = Document::new(text, None);
        let is_wanted = |d: &&pto::Diagnostic| d.code == pto::isa::codes::ELEM_MISMATCH;
        let problem = document.diagnostics().iter().find(is_wanted).expect("a problem").clone();
        let actions = document.actions(problem.primary.span, &[]).into_iter();
        actions.filter(|a| a.fixes.as_ref() == Some(&problem)).map(|a| (a.title, a.edits)).collect::<Vec<_>>()
    };
    let short = offered(&format!("{head}{wrong}"));
    assert_eq!(short.len(), 3, "{short:?}");
    assert_eq!(offered(&long), short);
}
