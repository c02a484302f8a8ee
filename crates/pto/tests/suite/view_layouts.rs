//! One rule for the layout of a view that does not state one: checks, runs and emitted programs agree.

use pto::{Arg, Error, Options, Plan, Program, Target};

/// Stores a tile of 16 rows and one column, or 8 rows and two, to a view of two times eight numbers.
fn stored(tile: &str, shape: [&str; 3], strides: [&str; 3], layout: &str) -> Program {
    let (shape, strides) = (shape.join(", "), strides.join(", "));
    Program::parse(&format!(
        "func.func @f(%y: !pto.ptr<f16>, %n: index) {{
           %one = arith.constant 1 : index
           %two = arith.constant 2 : index
           %eight = arith.constant 8 : index
           %eleven = arith.constant 11 : index
           %sixteen = arith.constant 16 : index
           %t = pto.alloc_tile : !pto.tile_buf<vec, {tile}>
           %x = arith.constant 1.0 : f16
           pto.texpands ins(%x : f16) outs(%t : !pto.tile_buf<vec, {tile}>)
           %v = pto.make_tensor_view %y, shape = [{shape}], strides = [{strides}]{layout} : !pto.tensor_view<?x?x?xf16>
           pto.tstore ins(%t : !pto.tile_buf<vec, {tile}>) outs(%v : !pto.tensor_view<?x?x?xf16>)
           return
         }}"
    ))
}

const COLUMN: &str = "48x1xf16, valid=16x1, blayout=col_major";
const COLUMNS: &str = "16x2xf16, valid=8x2, blayout=col_major";
const EIGHT_ROWS: [&str; 3] = ["%two", "%eight", "%one"];

/// The layout in the emitted program.
fn emitted(program: &Program) -> Result<String, Error> {
    let cpp = program.clone().emit_cpp(Target::A2A3)?;
    let at = cpp.find(", Layout::").expect("a tensor") + ", Layout::".len();
    Ok(cpp[at..at + 2].to_string())
}

/// Runs on 64 zeros, with a stride of 1 for the open one: the positions that were written.
fn written(program: &Program) -> Result<Vec<usize>, String> {
    let checked = program.clone().check(Target::A2A3).map_err(|e| e.to_string())?;
    let plan = Plan::new(&checked, None, Options::default()).map_err(|e| e.to_string())?;
    let mut memory = vec![0u8; 128];
    plan.launch().run(&mut [Arg::write_bytes(&mut memory), Arg::Int(1)]).map_err(|e| e.to_string())?;
    Ok((0..64).filter(|k| memory[2 * k + 1] != 0).collect())
}

#[test]
fn tiles_decide_where_both_of_the_last_strides_are_one() {
    let program = stored(COLUMNS, EIGHT_ROWS, ["%eleven", "%one", "%one"], "");
    assert_eq!(emitted(&program).expect("it is DN"), "DN");
    let two_columns: Vec<usize> = (0..8).chain(11..19).collect();
    assert_eq!(written(&program).expect("8 rows and two columns"), two_columns);
    // The device would store columns of eight, so 16 rows do not fit.
    let program = stored(COLUMN, EIGHT_ROWS, ["%eleven", "%one", "%one"], "");
    assert_eq!(emitted(&program).expect("it is DN"), "DN");
    assert!(written(&program).expect_err("8x2 is no 16x1").contains("PTO-E0711"));
    // Stated, it is what it says.
    let program = stored(COLUMN, EIGHT_ROWS, ["%eleven", "%one", "%one"], " {layout = #pto.layout<nd>}");
    assert_eq!(emitted(&program).expect("it is stated"), "ND");
    assert_eq!(written(&program).expect("16 rows"), two_columns);
}

#[test]
fn an_open_stride_counts_as_what_the_tile_needs() {
    let program = stored(COLUMNS, EIGHT_ROWS, ["%eleven", "%n", "%one"], "");
    assert_eq!(emitted(&program).expect("the tile says it"), "DN");
    assert_eq!(written(&program).expect("it runs").len(), 16);
}

#[test]
fn emission_asks_for_a_layout_that_only_a_run_shows() {
    // An accumulator goes to ND and to NZ windows; whether these are boxes depends on the stride.
    let program = |layout: &str| {
        let acc = "!pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>";
        Program::parse(&format!(
            "func.func @f(%y: !pto.ptr<f32>, %n: index, %a: {acc}) {{
               %one = arith.constant 1 : index
               %two = arith.constant 2 : index
               %eight = arith.constant 8 : index
               %sixteen = arith.constant 16 : index
               %v = pto.make_tensor_view %y, shape = [%two, %two, %two, %sixteen, %eight], strides = [%n, %n, %n, %eight, %one]{layout} : !pto.tensor_view<2x2x2x16x8xf32>
               pto.tstore ins(%a : {acc}) outs(%v : !pto.tensor_view<2x2x2x16x8xf32>)
               return
             }}"
        ))
    };
    let error = program("").emit_cpp(Target::A2A3).expect_err("it is not clear what it is").to_string();
    assert!(error.contains("PTO-E0901") && error.contains("layout = #pto.layout<nd>"), "{error}");
    let cpp = program(" {layout = #pto.layout<nz>}").emit_cpp(Target::A2A3).expect("it is stated");
    assert!(cpp.contains("Layout::NZ"), "{cpp}");
}
