//! Orders of operands in the generic form.

use pto_ir::{Form, Style, print};

/// The dialect puts the tile first; texts and bytecode of earlier versions have it last.
#[test]
fn both_orders_of_tsetval_are_read() {
    let tile = "!pto.tile_buf<vec, 16x16xf32>";
    let text = |operands: &str, types: &str| {
        format!(
            "func.func @f(%t: {tile}, %i: index, %v: f32) {{\n  \"pto.tsetval\"({operands}) : ({types}) -> ()\n  return\n}}\n"
        )
    };
    let (now, problems) = pto_syntax::parse(&text("%t, %i, %v", &format!("{tile}, index, f32")));
    assert!(problems.is_empty(), "{problems:?}");
    let (before, problems) = pto_syntax::parse(&text("%i, %v, %t", &format!("index, f32, {tile}")));
    assert!(problems.is_empty(), "{problems:?}");
    assert!(pto_ir::same(&now, &before));
    let generic = print(&before, Style { form: Some(Form::Generic), ..Style::default() });
    assert!(generic.contains("\"pto.tsetval\"(%t, %i, %v)"), "{generic}");
}
