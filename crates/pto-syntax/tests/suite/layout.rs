//! Blanks and comments anywhere in types and attributes: one thing has one text.

use pto_syntax::{format, parse};

fn formatted(text: &str) -> String {
    let once = format(text, Default::default()).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    assert_eq!(format(&once, Default::default()), Ok(once.clone()), "formatting again changes nothing");
    once
}

/// The formatted text of a function with a parameter of this type.
fn with_type(ty: &str) -> String {
    formatted(&format!("func.func @f(%a: {ty}) {{\n  return\n}}\n"))
}

/// The formatted text of a module with this attribute.
fn with_attr(attr: &str) -> String {
    formatted(&format!("module attributes {{a = {attr}}} {{\n}}\n"))
}

#[test]
fn spellings_of_a_type_are_one() {
    for (spelled, plain) in [
        ("memref<16x16xf32, #pto.address_space<vec >>", "memref<16x16xf32, #pto.address_space<vec>>"),
        (
            "memref< 16x16xf32 ,strided<[ 16 , 1 ],offset :?>,   #pto.address_space< vec>>",
            "memref<16x16xf32, strided<[16, 1], offset: ?>, #pto.address_space<vec>>",
        ),
        ("!other.type<a = 1 ,b>", "!other.type<a=1, b>"),
        ("!pto.struct< i32,!pto.local_array< 4xf32 > >", "!pto.struct<i32, !pto.local_array<4xf32>>"),
    ] {
        assert_eq!(with_type(spelled), with_type(plain));
    }
}

#[test]
fn comments_stand_in_structures_too() {
    let text = with_type("!pto.struct<i32, // first, the number\n  !pto.struct<f32, # inner >\n    i64>>");
    assert!(text.contains("!pto.struct<i32, !pto.struct<f32, i64>>"), "{text}");
    assert!(text.contains("// first, the number\n") && text.contains("# inner >\n"), "{text}");
}

#[test]
fn spellings_of_an_attribute_are_one() {
    for (spelled, plain) in [
        ("#pto.acc_push_epilogue< relu = none ,layout=nz >", "#pto.acc_push_epilogue<relu=none, layout=nz>"),
        ("dense< [1,2] >: tensor< 2xi32 >", "dense<[1, 2]> : tensor<2xi32>"),
        ("affine_map<(d0,d1)->(d0)>", "affine_map<(d0, d1) -> (d0)>"),
    ] {
        assert_eq!(with_attr(spelled), with_attr(plain));
        assert!(with_attr(plain).contains(plain));
    }
    let text = with_attr("#pto.acc_push_epilogue<relu=none, // on the way\n layout=nz>");
    assert!(text.contains("<relu=none, layout=nz>") && text.contains("// on the way\n"), "{text}");
    assert!(with_attr("opaque<\"a  //  b\">").contains("\"a  //  b\""), "texts stay as they are");
}

#[test]
fn constants_with_a_type_stand_wherever_attributes_do() {
    let text = formatted(
        "#c = dense<1> : tensor<2xi32>\n\
         func.func @f(%a: i32 {x = dense<[1, 2]> : tensor<2xi8>}) attributes {y = [dense<1> : tensor<2xi32>, \
         dense<-2> : tensor<2xi8>], z = {k = dense<\"0xAB\"> : tensor<2x?xi8, #enc.x<a>>}} {\n  return\n}\n",
    );
    for part in ["dense<[1, 2]> : tensor<2xi8>", "[#c, dense<-2> : tensor<2xi8>]", "tensor<2x?xi8, #enc.x<a>>"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn results_of_functions_have_attributes() {
    for text in [
        "func.func @f(%a: i32) -> (i32 {x = 1, y}) {\n  return %a : i32\n}\n",
        "func.func private @g(i32) -> (i32, f32 {x})\n",
    ] {
        assert_eq!(formatted(text), text);
    }
}

#[test]
fn aliases_stand_for_elements_and_fields() {
    let aliases = "!e = f32\n!d = !e\n!s = !pto.struct<!d, i32>\n";
    let text = formatted(&format!(
        "{aliases}func.func @f(%a: !pto.tile_buf<vec, 16x16x!d>, %b: !pto.ptr<!e>, %c: !pto.struct<!s, !s>) {{\n  return\n}}\n"
    ));
    assert!(text.contains("16x16xf32") && text.contains("!pto.ptr<f32>"), "{text}");
    let (module, problems) = parse(&text);
    assert!(problems.is_empty() && module.functions().len() == 1);
}

/// A few lines of aliases do not stand for more than memory holds.
#[test]
fn structures_do_not_double_without_end() {
    let mut text = "!s0 = !pto.struct<i32, i32>\n".to_string();
    for k in 1..100 {
        text += &format!("!s{k} = !pto.struct<!s{}, !s{}>\n", k - 1, k - 1);
    }
    assert!(parse(&text).1.iter().any(|d| d.code == pto_isa::codes::ALIASES_TOO_LARGE));
}

/// Earlier versions of the dialect wrote some types in other ways; the help says how they are written now.
#[test]
fn types_of_earlier_versions_are_named() {
    let help = |text: &str| {
        let problems = parse(text).1;
        let [one] = &problems[..] else { panic!("{problems:?}") };
        one.help.clone().unwrap_or_default()
    };
    let of_type = |ty: &str| help(&format!("func.func @f(%a: {ty}) {{\n  return\n}}\n"));
    assert!(of_type("!pto.tile_view<32x32xf32>").contains("`!pto.partition_tensor_view<32x32xf32>`"));
    let tile = "`!pto.tile_buf<vec, 32x64xf32>`";
    assert!(of_type("!pto.tile_buf<32x64xf32, #pto.address_space<vec>>").contains(tile));
    assert!(of_type("<32x64xf32, strided<[64, 1]>, #pto.address_space<vec>>").contains(tile));
    assert!(of_type("<loc=vec, dtype=f32, rows=8, cols=8>").contains("`!pto.tile_buf`"));
    assert!(of_type("<8x8xf32>").contains("`!pto.tensor_view`"));
}
