//! What is offered at the cursor.

use super::marked;

fn labels(text: &str) -> Vec<String> {
    let (document, at) = marked(text);
    document.completions(at).into_iter().map(|c| c.label).collect()
}

fn in_kernel(line: &str) -> String {
    format!(
        "!tile = !pto.tile_buf<vec, 16x64xf32>
func.func @f(%x: !pto.tensor_view<16x64xf32>, %n: index, %s: f32) {{
  %t = pto.alloc_tile : !tile
  %left = pto.alloc_tile : !pto.tile_buf<left, 16x64xf16>
  {line}
  return
}}
"
    )
}

#[test]
fn values_fit_the_operand() {
    assert_eq!(labels(&in_kernel("pto.tload ins(‸)")), ["%x"]);
    assert_eq!(labels(&in_kernel("pto.tload ins(%x) outs(%‸)")), ["%t"]);
    assert_eq!(labels(&in_kernel("pto.tmuls ins(%t, ‸) outs(%t)")), ["%s", "%n"]);
    assert_eq!(labels(&in_kernel("pto.tmuls ins(‸, %s) outs(%t)")), ["%t"], "the left matrix is not in UB");
}

#[test]
fn operations_of_the_target_are_offered() {
    let all = labels(&in_kernel("pto.tm‸"));
    assert!(all.contains(&"pto.tmax".to_string()) && all.contains(&"arith.addi".to_string()));
    assert!(!all.contains(&"func.func".to_string()), "no functions in functions");
    assert!(labels("‸").contains(&"func.func".to_string()));
    let (document, at) = marked(&in_kernel("%a = ‸"));
    let found = document.completions(at);
    let max = found.iter().find(|c| c.label == "pto.tmax").expect("an operation");
    assert_eq!(max.snippet.as_deref(), Some("pto.tmax ins(${1:%src0}, ${2:%src1}) outs(${3:%dst})"));
}

#[test]
fn attributes_and_their_values_are_offered() {
    assert_eq!(labels(&in_kernel("pto.tcmp ins(%t, %t {‸}) outs(%t)")), ["cmpMode"]);
    let values = labels(&in_kernel("pto.tcmp ins(%t, %t {cmpMode = ‸}) outs(%t)"));
    assert!(values.contains(&"#pto<cmp eq>".to_string()), "{values:?}");
    let pipes = labels(&in_kernel("pto.set_flag[<‸"));
    assert!(pipes.contains(&"PIPE_V".to_string()), "{pipes:?}");
    let events = labels(&in_kernel("pto.set_flag[<PIPE_V>, <PIPE_MTE3>, ‸]"));
    assert!(events.contains(&"<EVENT_ID0>".to_string()), "{events:?}");
}

#[test]
fn types_of_operands_are_offered_together() {
    let types = labels(&in_kernel("pto.tmuls ins(%t, %s : ‸) outs(%t)"));
    assert_eq!(types[0], "!tile, f32");
}

#[test]
fn types_functions_and_blocks_are_offered() {
    assert_eq!(labels(&in_kernel("%u = pto.alloc_tile : !‸"))[0], "!tile");
    assert_eq!(labels(&in_kernel("func.call @‸() : () -> ()")), ["@f"]);
    assert_eq!(labels("func.func @f() {\n  cf.br ^‸\n^end:\n  return\n}"), ["^end"]);
    assert!(labels(&in_kernel("// pto.‸")).is_empty());
}

#[test]
fn names_of_other_functions_and_of_later_statements_are_not_visible() {
    let text = "func.func @g(%other: index) { return }
func.func @f(%a: index) {
  scf.for %i = %a to %a step %a {
    %inner = arith.addi %i, %a : index
  }
  %b = arith.addi ‸
  %late = arith.addi %a, %a : index
  return
}";
    assert_eq!(labels(text), ["%a"]);
}
