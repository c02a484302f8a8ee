//! Definitions, references and new names.

use super::{marked, programs};
use pto::Program;
use pto::isa::row::Control;
use pto_ide::{Document, applied};

fn renamed(text: &str, new: &str) -> Result<String, String> {
    let (document, at) = marked(text);
    document.rename(at, new).map(|edits| applied(document.text(), &edits))
}

#[test]
fn names_of_sibling_regions_are_different_values() {
    let text = "func.func @f(%a: index, %c: i1) {
  scf.if %c {
    %x‸ = arith.addi %a, %a : index
    %y = arith.addi %x, %x : index
  } else {
    %x = arith.muli %a, %a : index
    %z = arith.addi %x, %a : index
  }
  return
}";
    let new = renamed(text, "first").expect("a new name");
    assert_eq!(new.matches("%first").count(), 3);
    assert_eq!(new.matches("%x").count(), 2);
}

#[test]
fn packs_blocks_functions_and_aliases_are_renamed() {
    let pack = "func.func @f(%a: index, %c: i1) {
  %p‸:2 = scf.if %c -> (index, index) {
    scf.yield %a, %a : index, index
  } else {
    scf.yield %a, %a : index, index
  }
  %s = arith.addi %p#0, %p#1 : index
  return
}";
    assert!(renamed(pack, "q").expect("a new name").contains("%s = arith.addi %q#0, %q#1 : index"));
    let block = "func.func @f(%n: index) {\n  cf.br ^b‸b1(%n : index)\n^bb1(%m: index):\n  return\n}";
    let new = renamed(block, "^end").expect("a new name");
    assert!(new.contains("cf.br ^end(%n : index)\n^end(%m: index):"), "{new}");
    let argument = block.replace('‸', "").replacen("(%n :", "(%n‸ :", 1);
    assert!(renamed(&argument, "k").expect("a new name").contains("cf.br ^bb1(%k : index)"));
    let call = "func.func private @g‸()\nfunc.func @f() {\n  func.call @g() : () -> ()\n  return\n}";
    assert_eq!(renamed(call, "h").expect("a new name").matches("@h()").count(), 2);
    let alias = "!t‸ = !pto.tile_buf<vec, 16x16xf32>\nfunc.func @f(%a: !t, %b: !t) { return }";
    assert_eq!(renamed(alias, "tile").expect("a new name").matches("!tile").count(), 3);
}

#[test]
fn bad_and_taken_names_are_refused() {
    let text = "func.func @f(%a‸: index, %b: index) { return }";
    for bad in ["b", "%b", "", "a b", "x#1", "@g", "é"] {
        assert!(renamed(text, bad).is_err(), "{bad}");
    }
    assert!(renamed("func.func @f() ‸ { return }", "x").is_err());
}

/// A new name for every value changes nothing else: the program stays what it was.
#[test]
fn renaming_keeps_programs_legal() {
    let programs = programs();
    for text in programs.iter().step_by(41).filter(|t| t.len() < 4000) {
        let document = Document::new(text, None);
        let before: Vec<_> = document.diagnostics().iter().map(|d| d.code).collect();
        for definition in definitions(&document).into_iter().step_by(7) {
            let Ok(edits) = document.rename(definition, "fresh_name") else { continue };
            let new = document.edited(&edits);
            let after: Vec<_> = new.diagnostics().iter().map(|d| d.code).collect();
            assert_eq!(before, after, "{}", new.text());
        }
    }
}

fn definitions(document: &Document) -> Vec<u32> {
    let module = document.program().module();
    let mut found = Vec::new();
    for id in module.order() {
        if module.control(id) != Some(Control::Function) {
            found.extend(module.results(id).map(|v| module.value(v).span.start));
        }
    }
    found
}

#[test]
fn every_use_in_the_corpus_leads_to_its_definition() {
    for text in programs().iter().step_by(17).filter(|t| t.len() < 8000) {
        let program = Program::parse(text);
        let document = Document::new(text, None);
        let module = program.module();
        for id in module.order() {
            for operand in module.operands(id) {
                assert_eq!(document.definition(operand.span.start), Some(module.value(operand.value).span), "{text}");
            }
        }
    }
}
