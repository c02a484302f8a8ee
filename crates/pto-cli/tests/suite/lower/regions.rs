//! Results whose types leave the valid region open take it from their operands, as the row of the instruction says.

use super::{again, lowered, prepared};
use pto::opt::SyncMode;
use pto::{Arg, Plan, Program, Target};

/// A result and the extents of its valid region: what makes it, its rows, its columns.
struct Case(&'static str, &'static str, &'static str);

/// `NxM` is the region of `%a`; types spell extents as letters.
const CASES: &[Case] = &[
    Case("%r = pto.tmax %a, %a : (!a, !a) -> !pto.tile<16x16xf32, valid=NxM>", "%n", "%m"),
    Case("%r = tmax %a, %a : !a", "%n", "%m"),
    Case("%r = pto.tadds %a, %half : (!a, f32) -> !pto.tile<16x16xf32, valid=NxM>", "%n", "%m"),
    Case("%r = pto.tmov %a : (!a) -> !a", "%n", "%m"),
    Case("%r = pto.trowmax %a, %t : (!a, !t) -> !pto.tile<16x8xf32, valid=Nx1>", "%n", "%one"),
    Case("%r = pto.trowsum %a, %t : (!a, !t) -> !pto.tile<16x8xf32, valid=NxO>", "%n", "%one"),
    Case("%r = pto.tcolmax %a : (!a) -> !pto.tile<1x16xf32, valid=1xM>", "%one", "%m"),
    Case("%r = pto.ttrans %a, %t : (!a, !t) -> !pto.tile<16x16xf32, valid=MxN>", "%m", "%n"),
    Case(
        "%h = pto.tcvt %a : (!a) -> !pto.tile<16x16xf16, valid=NxM>
         %r = pto.tcvt %h : (!pto.tile<16x16xf16, valid=NxM>) -> !a",
        "%n",
        "%m",
    ),
    Case("%b = pto.texpands %half : (f32) -> !b  %r = pto.tpartadd %b, %a : (!b, !a) -> !a", "%n", "%m"),
    Case("%r = pto.tconcat %a, %a : (!a, !a) -> !pto.tile<16x16xf32, valid=NxC>", "%n", "%c"),
    Case(
        "%k = pto.trowmax %a, %t : (!a, !t) -> !pto.tile<16x8xf32, valid=Nx1>
         %r = pto.trowexpand %k : (!pto.tile<16x8xf32, valid=Nx1>) -> !pto.tile<16x16xf32, valid=Nx16>",
        "%n",
        "%side",
    ),
    Case(
        "%k = pto.tcmps %a, %half {cmpMode = #pto<cmp gt>} : (!a, f32) -> !pto.tile<16x32xui8, valid=NxB>
         %z = pto.tneg %a : (!a) -> !a
         %r = pto.tsel %k, %a, %z, %s : (!pto.tile<16x32xui8, valid=NxB>, !a, !a, !s) -> !a",
        "%n",
        "%m",
    ),
    // Nothing narrows what an instruction makes from numbers: all of the tile.
    Case("%r = pto.texpands %half : (f32) -> !pto.tile<8x16xf32, valid=PxW>", "%eight", "%side"),
    Case("%r = pto.ttri %none : (i32) -> !pto.tile<8x16xf32, valid=PxW>", "%eight", "%side"),
    Case(
        "%q = pto.tci %none : (i32) -> !pto.tile<1x16xi32, valid=OxW>
         %r = pto.tcvt %q : (!pto.tile<1x16xi32, valid=OxW>) -> !pto.tile<1x16xf32, valid=OxW>",
        "%one",
        "%side",
    ),
    Case(
        "%k = pto.tcolmax %a : (!a) -> !pto.tile<1x16xf32, valid=1xM>
         %r = pto.tcolexpand %k : (!pto.tile<1x16xf32, valid=1xM>) -> !pto.tile<8x16xf32, valid=PxM>",
        "%eight",
        "%m",
    ),
    Case(
        "%k = pto.textract %a, %zero, %zero : (!a, index, index) -> !pto.tile<8x16xf32, valid=NxM>
         %r = pto.tfillpad %k : (!pto.tile<8x16xf32, valid=NxM>) -> !pto.tile<8x16xf32, valid=PxW, pad=1>",
        "%eight",
        "%side",
    ),
    // What an index leaves, as far as the tile has room.
    Case("%r = pto.textract %a, %one, %zero : (!a, index, index) -> !pto.tile<8x16xf32, valid=LxM>", "%four", "%m"),
    Case("%r = pto.textract %a, %one32, %none : (!a, i32, i32) -> !pto.tile<8x16xf32, valid=LxM>", "%four", "%m"),
    Case("%r = pto.textract %a, %one, %zero : (!a, index, index) -> !pto.tile<2x16xf32, valid=TxM>", "%two", "%m"),
    Case("%r = pto.tsubview %a, %one, %zero : (!a, index, index) -> !pto.tile<8x16xf32, valid=LxM>", "%four", "%m"),
    // Columns by a factor.
    Case(
        "%o = pto.texpands %none32 : (ui32) -> !pto.tile<16x8xui32, valid=5x1>
         %r = pto.tgatherb %a, %o : (!a, !pto.tile<16x8xui32, valid=5x1>) -> !pto.tile<16x16xf32, valid=NxP>",
        "%n",
        "%eight",
    ),
    Case(
        "%i = pto.texpands %none32 : (ui32) -> !pto.tile<16x32xui32, valid=16x32>
         %k = pto.tsort32 %a, %i, %t : (!a, !pto.tile<16x32xui32, valid=16x32>, !t) -> !pto.tile<16x64xf32, valid=NxS>
         %r = pto.textract %k, %zero, %zero : (!pto.tile<16x64xf32, valid=NxS>, index, index) -> !pto.tile<16x16xf32, valid=NxW>",
        "%n",
        "%side",
    ),
    Case(
        "%r = pto.tscatter %a {maskPattern = #pto<mask_pattern P0101>, axis = \"row\"} : (!a) -> !pto.tile<16x16xf32, valid=NxC>",
        "%n",
        "%c",
    ),
    Case(
        "%i = pto.texpands %bytes : (i32) -> !pto.tile<16x8xi32, valid=5x1>
         %r = pto.tconcatidx %a, %a, %i, %i : (!a, !a, !pto.tile<16x8xi32, valid=5x1>, !pto.tile<16x8xi32, valid=5x1>) -> !pto.tile<16x16xf32, valid=NxC>",
        "%n",
        "%c",
    ),
    Case(
        "%k = pto.texpands %half : (f32) -> !pto.tile<8x16xf32>
         %r = pto.tinsert %k, %zero, %zero : (!pto.tile<8x16xf32>, index, index) -> !pto.tile<8x16xf32, valid=PxW>",
        "%eight",
        "%side",
    ),
    Case(
        "%k = pto.texpands %half : (f32) -> !pto.tile<16x16xf32>
         %r = pto.tgather %k {maskPattern = #pto<mask_pattern P0101>} : (!pto.tile<16x16xf32>) -> !pto.tile<16x8xf32, valid=WxP>",
        "%side",
        "%eight",
    ),
    Case(
        "%k = pto.texpands %half : (f32) -> !pto.tile<1x16xf32>
         %i = pto.tci %none : (i32) -> !pto.tile<1x16xi32>
         %r = pto.tscatter %k, %i : (!pto.tile<1x16xf32>, !pto.tile<1x16xi32>) -> !pto.tile<1x16xf32, valid=OxW>",
        "%one",
        "%side",
    ),
    Case(
        "%k = pto.texpands %half : (f32) -> !pto.tile<1x256xf32>
         %q = pto.tmrgsort %k, %records : (!pto.tile<1x256xf32>, i32) -> !pto.tile<1x256xf32, valid=OxZ>
         %r = pto.textract %q, %zero, %zero : (!pto.tile<1x256xf32, valid=OxZ>, index, index) -> !pto.tile<1x16xf32, valid=OxW>",
        "%one",
        "%side",
    ),
];

/// What only a5 has.
const CASES_OF_A5: &[Case] = &[Case(
    "%q = pto.trandom %none, %none, %none, %none, %none, %none : (i32, i32, i32, i32, i32, i32) -> !pto.tile<8x16xi32, valid=PxW>
     %r = pto.tcvt %q : (!pto.tile<8x16xi32, valid=PxW>) -> !pto.tile<8x16xf32, valid=PxW>",
    "%eight",
    "%side",
)];

const N: usize = 5;
const M: usize = 6;

/// The program around a case, with open or known extents.
fn program(Case(makes, rows, cols): &Case, open: bool) -> String {
    let extent = |letter: char| match letter {
        'N' => Some(N),
        'M' => Some(M),
        'C' => Some(2 * M),
        'B' => Some(M.div_ceil(8)),
        'O' => Some(1),
        'L' => Some(N - 1),
        'P' => Some(8),
        'S' => Some(64),
        'T' => Some(2),
        'W' => Some(16),
        'Z' => Some(256),
        _ => None,
    };
    let spelled = |text: &str| {
        let mut out = String::new();
        for (at, part) in text.split("valid=").enumerate() {
            let end = if at == 0 { 0 } else { part.find('>').unwrap_or(0) };
            let number = |c: char| extent(c).map_or(c.to_string(), |n| if open { "?".into() } else { n.to_string() });
            out += if at == 0 { "" } else { "valid=" };
            out += &part[..end].chars().map(number).collect::<String>();
            out += &part[end..];
        }
        out
    };
    spelled(&format!(
        "!a = !pto.tile<16x16xf32, valid=NxM>
         !b = !pto.tile<16x16xf32, valid=3x2>
         !t = !pto.tile_buf<vec, 16x16xf32>
         !s = !pto.tile_buf<vec, 1x8xi32>
         !xs = !pto.tensor_view<16x16xf32>
         !w = !pto.partition_tensor_view<?x?xf32>
         func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: index, %m: index, %c: index) {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %side = arith.constant 16 : index
           %half = arith.constant 0.5 : f32
           %two = arith.constant 2 : index
           %four = arith.constant 4 : index
           %eight = arith.constant 8 : index
           %none = arith.constant 0 : i32
           %one32 = arith.constant 1 : i32
           %none32 = arith.constant 0 : ui32
           %bytes = arith.constant 24 : i32
           %records = arith.constant 64 : i32
           %xs = pto.make_tensor_view %x, shape = [%side, %side], strides = [%side, %one] : !xs
           %ys = pto.make_tensor_view %y, shape = [%side, %side], strides = [%side, %one] : !xs
           %xw = pto.partition_view %xs, offsets = [%zero, %zero], sizes = [%n, %m] : !xs -> !w
           %yw = pto.partition_view %ys, offsets = [%zero, %zero], sizes = [{rows}, {cols}] : !xs -> !w
           %t = pto.alloc_tile : !t
           %s = pto.alloc_tile : !s
           %a = pto.tload %xw : (!w) -> !a
           {makes}
           pto.tstore %r, %yw
           return
         }}"
    ))
}

fn outcome(plan: &Plan) -> Vec<f32> {
    let mut x: Vec<f32> = (0..256).map(|k| (k % 23) as f32 - 11.0).collect();
    let mut y = vec![-100.0f32; 256];
    let extents = [N, M, 2 * M].map(|n| Arg::Int(n as i64));
    let mut args: Vec<Arg> = [Arg::write(&mut x), Arg::write(&mut y)].into_iter().chain(extents).collect();
    plan.launch().run(&mut args).expect("it runs");
    // NaN equals itself here.
    y.into_iter().map(|v| if v.is_nan() { 99.0 } else { v }).collect()
}

#[test]
fn open_results_have_the_extents_of_their_operands() {
    let on = |target: Target| move |case| (target, case);
    let cases = CASES.iter().map(on(Target::A2A3)).chain(CASES_OF_A5.iter().map(on(Target::A5)));
    for (target, case) in cases {
        let (known_text, text) = (program(case, false), program(case, true));
        let known = outcome(&prepared(&Program::parse(&known_text), target, &known_text));
        assert!(known.contains(&-100.0) && known.iter().any(|v| *v != -100.0), "{known_text}");
        let open = Program::parse(&text);
        assert_eq!(outcome(&prepared(&open, target, &text)), known, "{text}");
        let checked = open.check(target).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let (low_text, low) = again(&lowered(&checked, false, SyncMode::Minimal));
        assert_eq!(outcome(&prepared(&low, target, &low_text)), known, "{low_text}");
        pto::emit::cpp(&checked, &pto::emit::Options::default()).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    }
}

/// Parameters, the view that is loaded and stored, and its type; `%x` and `%y` are pointers unless they are parameters. The
/// view has 8 × 16 elements of 16 × 16.
struct Viewed {
    parameters: &'static str,
    view: &'static str,
    ty: &'static str,
}

const VIEWED: &[Viewed] = &[
    Viewed { parameters: "%xw: T, %yw: T", view: "", ty: "!pto.tensor_view<8x16xf32>" },
    Viewed { parameters: "%xw: T, %yw: T", view: "", ty: "!pto.tensor_view<2x4x16xf32>" },
    Viewed {
        parameters: "%x: !pto.ptr<f32>, %y: !pto.ptr<f32>",
        view: "%$w = pto.make_tensor_view %$, shape = [%n], strides = [%one] : T",
        ty: "!pto.tensor_view<?xf32>",
    },
    Viewed {
        parameters: "%x: !pto.ptr<f32>, %y: !pto.ptr<f32>",
        view: "%$w = pto.make_tensor_view %$, shape = [%two, %n, %side], strides = [%far, %side, %one] : T",
        ty: "!pto.tensor_view<2x?x16xf32>",
    },
    Viewed {
        parameters: "%x: !pto.ptr<f32>, %y: !pto.ptr<f32>",
        view: "%$all = pto.make_tensor_view %$, shape = [%two, %eight, %side], strides = [%far, %side, %one] : !pto.tensor_view<2x8x16xf32>
               %$w = pto.partition_view %$all, offsets = [%zero, %one, %zero], sizes = [%two, %n, %m] : !pto.tensor_view<2x8x16xf32> -> T",
        ty: "!pto.partition_tensor_view<2x?x?xf32>",
    },
    // Which of two views it is does not matter when both lie in memory in the same way.
    Viewed {
        parameters: "%x: !pto.ptr<f32>, %y: !pto.ptr<f32>",
        view: "%$all = pto.make_tensor_view %$, shape = [%two, %n, %m], strides = [%far, %side, %one] : T
               %$low = pto.make_tensor_view %$, shape = [%one, %n, %m], strides = [%far, %side, %one] : T
               %$is = arith.cmpi slt, %n, %m : index
               %$w = scf.if %$is -> T {
                 scf.yield %$low : T
               } else {
                 scf.yield %$all : T
               }",
        ty: "!pto.tensor_view<?x?x?xf32>",
    },
    Viewed {
        parameters: "%x: !pto.ptr<f32>, %y: !pto.ptr<f32>",
        view: "%$all = pto.make_tensor_view %$, shape = [%two, %n, %m], strides = [%far, %side, %one] : T
               %$made = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
               %$w, %$t = scf.for %$i = %zero to %two step %one iter_args(%$v = %$all, %$u = %$made) -> (T, !pto.tile_buf<vec, 16x16xf32>) {
                 scf.yield %$v, %$u : T, !pto.tile_buf<vec, 16x16xf32>
               }",
        ty: "!pto.tensor_view<?x?x?xf32>",
    },
    // Rows and columns of a transposed matrix.
    Viewed {
        parameters: "%x: !pto.ptr<f32>, %y: !pto.ptr<f32>",
        view: "%$w = pto.make_tensor_view %$, shape = [%one, %n, %m], strides = [%far, %one, %side] {layout = #pto.layout<dn>} : T",
        ty: "!pto.tensor_view<1x?x?xf32>",
    },
];

fn viewed_program(Viewed { parameters, view, ty }: &Viewed) -> String {
    let col_major = if view.contains("dn>") { ", blayout=col_major" } else { "" };
    let views = format!("{}\n           {}", view.replace('$', "x"), view.replace('$', "y"));
    format!(
        "!t = !pto.tile<16x16xf32, valid=?x?{col_major}>
         func.func @f({parameters}, %n: index, %m: index) {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %two = arith.constant 2 : index
           %eight = arith.constant 8 : index
           %side = arith.constant 16 : index
           %far = arith.constant 128 : index
           {views}
           %a = pto.tload %xw : (T) -> !t
           %r = pto.tmov %a : (!t) -> !t
           pto.tstore %r, %yw
           return
         }}"
    )
    .replace('T', ty)
}

#[test]
fn what_is_loaded_has_the_extents_of_its_view_at_any_rank() {
    for case in VIEWED {
        let text = viewed_program(case);
        let outcome = |plan: &Plan| {
            let mut x: Vec<f32> = (0..256).map(|k| k as f32).collect();
            let mut y = vec![-1.0f32; 256];
            let length = if case.parameters.contains("%xw") { 128 } else { 256 };
            let mut args = vec![Arg::write(&mut x[..length]), Arg::write(&mut y[..length]), Arg::Int(4), Arg::Int(3)];
            plan.launch().run(&mut args).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
            y
        };
        let program = Program::parse(&text);
        let wanted = outcome(&prepared(&program, Target::A2A3, &text));
        let moved = wanted.iter().enumerate().filter(|(at, v)| **v == *at as f32).count();
        assert!(moved >= 4 && wanted.iter().all(|v| *v >= -1.0), "{moved} elements\n{text}");
        let checked = program.check(Target::A2A3).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let (low_text, low) = again(&lowered(&checked, false, SyncMode::Minimal));
        assert_eq!(outcome(&prepared(&low, Target::A2A3, &low_text)), wanted, "{low_text}");
        // C++ has no view that is one of two.
        if !case.view.contains("scf.if") {
            pto::emit::cpp(&checked, &pto::emit::Options::default()).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        }
    }
}

/// Where the views that may get somewhere lie in memory in different ways, or nothing says how one does, the help says what to
/// write.
#[test]
fn views_whose_rows_are_unclear_are_named() {
    let text = |layout: &str| {
        format!(
            "!v = !pto.tensor_view<?x?x?x16x8xf32>
             func.func @f(%p: !pto.ptr<f32>, %n: index, %s: index) {{
               %c1 = arith.constant 1 : index
               %c8 = arith.constant 8 : index
               %c16 = arith.constant 16 : index
               %v = pto.make_tensor_view %p, shape = [%n, %n, %n, %c16, %c8], strides = [%s, %s, %s, %c8, %c1]{layout} : !v
               %a = pto.tload %v : (!v) -> !pto.tile<mat, 64x16xf32, valid=?x?, blayout=col_major, slayout=row_major>
               return
             }}"
        )
    };
    let lower = |layout: &str| {
        let checked = Program::parse(&text(layout)).check(Target::A2A3).expect("a program");
        pto::opt::lower(&checked, pto::opt::plan::Options::default(), SyncMode::Minimal).map(|_| ())
    };
    assert!(lower(" {layout = #pto.layout<nd>}").is_ok());
    let problems = lower("").expect_err("rows and columns are not known");
    assert!(
        problems.diagnostics()[0].help.as_ref().is_some_and(|help| help.contains("#pto.layout<nd>")),
        "{problems:?}"
    );
}

/// A kernel takes pointers and numbers.
#[test]
fn views_without_extents_are_no_parameters_in_cpp() {
    let text = "func.func @f(%x: !pto.tensor_view<?x16xf32>) {
                  %a = pto.tload %x : (!pto.tensor_view<?x16xf32>) -> !pto.tile<16x16xf32, valid=?x16>
                  pto.tstore %a, %x
                  return
                }";
    let checked = Program::parse(text).check(Target::A2A3).expect("a program");
    let problems = pto::emit::cpp(&checked, &pto::emit::Options::default()).expect_err("no extents");
    let help = problems.diagnostics()[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("%x = pto.make_tensor_view %p, shape = [%n0, %n1], strides = [%s0, %s1]"), "{problems:?}");
}
