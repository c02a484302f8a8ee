//! Programs that the engine once ran wrongly, as random programs found them.

use pto_cpu::{Arg, Options, Plan};
use pto_isa::Target;

/// The plan of a program, or why there is none.
fn plan(text: &str, target: Target) -> Result<Plan, String> {
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{}", problems[0].message);
    let checked = pto_check::check(module, target).map_err(|d| d.diagnostics()[0].message.clone())?;
    Plan::new(&checked, None, Options::default()).map_err(|d| d.diagnostics()[0].message.clone())
}

/// Loads two matrices into `%x` (ones) and `%y` (twos), runs some statements, and returns the matrix behind `%cv`.
fn run(body: &str) -> Vec<f32> {
    let text = PROGRAM.replace("BODY", body).replace("BUF", "!pto.tile_buf<vec, 8x8xf32>");
    let text = text.replace("OPEN", "!pto.tile_buf<vec, 8x8xf32, valid=?x?>");
    let text = text.replace("TILE", "!pto.tile<vec, 8x8xf32>").replace("VIEW", "!pto.tensor_view<8x8xf32>");
    let plan = plan(&text, Target::A2A3).unwrap_or_else(|problem| panic!("{problem}"));
    let (a, b, mut c) = (vec![1.0f32; 64], vec![2.0f32; 64], vec![0.0f32; 64]);
    let mut args = [Arg::read(&a), Arg::read(&b), Arg::write(&mut c)];
    plan.launch().run(&mut args).unwrap_or_else(|d| panic!("{d}"));
    c
}

const PROGRAM: &str = "
    func.func @f(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>, %c: !pto.ptr<f32>) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %n = arith.constant 8 : index
      %no = arith.constant false
      %k = arith.constant 1.0 : f32
      %av = pto.make_tensor_view %a, shape = [%n, %n], strides = [%n, %one] : VIEW
      %bv = pto.make_tensor_view %b, shape = [%n, %n], strides = [%n, %one] : VIEW
      %cv = pto.make_tensor_view %c, shape = [%n, %n], strides = [%n, %one] : VIEW
      %x = pto.alloc_tile : BUF
      pto.tload ins(%av : VIEW) outs(%x : BUF)
      %y = pto.alloc_tile : BUF
      pto.tload ins(%bv : VIEW) outs(%y : BUF)
      BODY
      return
    }";

/// A selected tile is another name for one that the loop carries, which is written while it is still to be read.
#[test]
fn carried_tiles_change_places_by_other_names() {
    let stored = run("
      %p = pto.tmuls %x, %k : (BUF, f32) -> TILE
      %q = pto.tmuls %y, %k : (BUF, f32) -> TILE
      %r:2 = scf.for %i = %zero to %one step %one iter_args(%s = %p, %t = %q) -> (TILE, TILE) {
        %u = arith.select %no, %s, %t : TILE
        %v = arith.select %no, %t, %s : TILE
        scf.yield %u, %v : TILE, TILE
      }
      pto.tstore ins(%r#1 : TILE) outs(%cv : VIEW)");
    assert_eq!(stored, [1.0; 64]);
}

/// A block may stand before the one whose values it uses.
#[test]
fn blocks_stand_in_any_order() {
    let stored = run("
      scf.execute_region {
        cf.br ^first
      ^second:
        pto.tadd ins(%t, %sum : BUF, TILE) outs(%x : BUF)
        pto.tadds ins(%x, %ten : BUF, f32) outs(%x : BUF)
        scf.yield
      ^first:
        %ten = arith.constant 10.0 : f32
        %t = pto.alloc_tile : BUF
        pto.tload ins(%bv : VIEW) outs(%t : BUF)
        %sum = pto.tadd %x, %y : (BUF, BUF) -> TILE
        cf.br ^second
      }
      pto.tstore ins(%x : BUF) outs(%cv : VIEW)");
    assert_eq!(stored, [15.0; 64]);
}

/// Only the extents that the type leaves open have operands.
#[test]
fn memrefs_have_some_extents_in_their_type() {
    let stored = run("
      %m = memref.alloc(%n) : memref<2x?xf32>
      memref.store %k, %m[%one, %two] : memref<2x?xf32>
      %v = memref.load %m[%one, %two] : memref<2x?xf32>
      %d = memref.dim %m, %one : memref<2x?xf32>
      pto.store_scalar %v, %c[%d] : !pto.ptr<f32>, f32");
    assert_eq!(stored[8], 1.0);
}

/// A buffer that an iteration allocates stays what it is while the next iteration allocates another.
#[test]
fn buffers_made_in_a_loop_are_handed_on() {
    let stored = run("
      %r:2 = scf.for %i = %zero to %two step %one iter_args(%s = %x, %t = %y) -> (BUF, BUF) {
        %new = pto.alloc_tile : BUF
        pto.tadd ins(%s, %t : BUF, BUF) outs(%new : BUF)
        pto.tadd ins(%t, %t : BUF, BUF) outs(%t : BUF)
        scf.yield %new, %s : BUF, BUF
      }
      pto.tadd ins(%r#0, %r#1 : BUF, BUF) outs(%r#0 : BUF)
      pto.tmuls ins(%y, %k : BUF, f32) outs(%r#1 : BUF)
      pto.tadd ins(%r#0, %r#1 : BUF, BUF) outs(%r#0 : BUF)
      pto.tadd ins(%r#0, %x : BUF, BUF) outs(%r#0 : BUF)
      pto.tstore ins(%r#0 : BUF) outs(%cv : VIEW)");
    // 1, 2 → 3, 1 (and 4 in %y) → 4, 3 (and 2 in %x); 4 + 3, + 4, + 2
    assert_eq!(stored, [13.0; 64]);
}

/// The same between blocks.
#[test]
fn buffers_made_in_a_block_are_handed_on() {
    let stored = run("
      %r:2 = scf.execute_region -> (BUF, BUF) {
        cf.br ^iteration(%zero, %x, %y : index, BUF, BUF)
      ^iteration(%i: index, %s: BUF, %t: BUF):
        %new = pto.alloc_tile : BUF
        pto.tadd ins(%s, %t : BUF, BUF) outs(%new : BUF)
        %next = arith.addi %i, %one : index
        %more = arith.cmpi slt, %next, %two : index
        cf.cond_br %more, ^iteration(%next, %new, %s : index, BUF, BUF), ^end
      ^end:
        scf.yield %new, %s : BUF, BUF
      }
      pto.tadd ins(%r#0, %r#1 : BUF, BUF) outs(%x : BUF)
      pto.tstore ins(%x : BUF) outs(%cv : VIEW)");
    // 1, 2 → 3, 1 → 4, 3
    assert_eq!(stored, [7.0; 64]);
}

/// Numbers of types that no element has are converted to the type of the elements.
#[test]
fn scalars_of_other_types_are_numbers() {
    let stored = run("
      %wide = arith.constant 0.5 : f64
      pto.tadds ins(%x, %wide : BUF, f64) outs(%x : BUF)
      pto.tadds ins(%x, %two : BUF, index) outs(%x : BUF)
      pto.tstore ins(%x : BUF) outs(%cv : VIEW)");
    assert_eq!(stored, [3.5; 64]);
}

/// The valid region of a quotient is that of the tile, also where the tile is the divisor.
#[test]
fn a_quotient_is_valid_as_its_tile() {
    let stored = run("
      %open = pto.subview %y[%zero, %zero] sizes [8, 8] valid [%two, %n] : BUF -> OPEN
      %q = pto.tdivs %k, %open : (f32, OPEN) -> !pto.tile<vec, 8x8xf32, valid=?x?>
      %rows, %cols = pto.get_validshape %q : !pto.tile<vec, 8x8xf32, valid=?x?>
      %cut = pto.partition_view %cv, offsets = [%zero, %zero], sizes = [%rows, %cols] : VIEW -> !pto.partition_tensor_view<?x?xf32>
      pto.tstore ins(%q : !pto.tile<vec, 8x8xf32, valid=?x?>) outs(%cut : !pto.partition_tensor_view<?x?xf32>)");
    assert_eq!(stored[..16], [0.5; 16]);
    assert_eq!(stored[16..], [0.0; 48]);
}

/// A window in columns of 32 bytes has the layout of the boxed tile it is loaded into, although nobody says so.
#[test]
fn the_tile_decides_the_layout_of_its_window() {
    let text = "
    func.func @f(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>) {
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %eight = arith.constant 8 : index
      %n = arith.constant 16 : index
      %size = arith.constant 128 : index
      %av = pto.make_tensor_view %a, shape = [%two, %one, %n, %one, %eight],
        strides = [%size, %size, %eight, %eight, %one] : !pto.tensor_view<2x1x16x1x8xf32>
      %bv = pto.make_tensor_view %b, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
      %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32, blayout=col_major, slayout=row_major>
      pto.tload ins(%av : !pto.tensor_view<2x1x16x1x8xf32>)
        outs(%t : !pto.tile_buf<vec, 16x16xf32, blayout=col_major, slayout=row_major>)
      pto.tstore ins(%t : !pto.tile_buf<vec, 16x16xf32, blayout=col_major, slayout=row_major>)
        outs(%bv : !pto.tensor_view<16x16xf32>)
      return
    }";
    let plan = plan(text, Target::Cpu).unwrap_or_else(|problem| panic!("{problem}"));
    let a: Vec<f32> = (0u8..=255).map(f32::from).collect();
    let mut b = vec![0.0f32; 256];
    let mut args = [Arg::read(&a), Arg::write(&mut b)];
    plan.launch().run(&mut args).unwrap_or_else(|d| panic!("{d}"));
    for (at, found) in b.iter().enumerate() {
        let (row, col) = (at / 16, at % 16);
        assert_eq!(*found, a[col / 8 * 128 + row * 8 + col % 8], "[{row}, {col}]");
    }
}

/// A parameter whose columns do not fill its boxes has elements outside of it.
#[test]
fn boxes_that_are_not_filled_do_not_run() {
    let text = "func.func @f(%a: !pto.tile_buf<vec, 32x4xui8, slayout=row_major>) {\n  return\n}\n";
    let problem = plan(text, Target::A5).expect_err("no place for its elements");
    assert!(problem.contains("do not fill its boxes"), "{problem}");
}

/// Bytes that a buffer does not have cannot get another type.
#[test]
fn buffers_do_not_grow_with_another_type() {
    let text = |config: &str, from: &str, to: &str| {
        format!(
            "func.func @f() {{
               %addr = arith.constant 0 : i64
               %m = pto.pointer_cast(%addr) : memref<{from}>
               %t = pto.bind_tile %m {{config = #pto.tile_buf_config<{config}, pad=null>}} : memref<{from}> -> memref<{to}>
               %x = arith.constant 1.0 : f32
               pto.texpands ins(%x : f32) outs(%t : memref<{to}>)
               return
             }}"
        )
    };
    let plain = "blayout=row_major, slayout=none_box, s_fractal_size=512";
    let (small, large) = ("1x8xf32, #pto.address_space<vec>", "64x64xf32, #pto.address_space<vec>");
    assert!(plan(&text(plain, large, large), Target::A2A3).is_ok());
    let problem = plan(&text(plain, small, large), Target::A2A3).expect_err("it is larger");
    assert!(problem.contains("in the bytes of"), "{problem}");
    let boxed = "blayout=col_major, slayout=row_major, s_fractal_size=512";
    let (flat, thin) = ("1x8192xf32, #pto.address_space<vec>", "2048x4xf32, #pto.address_space<vec>");
    assert!(plan(&text(boxed, flat, thin), Target::A2A3).is_err(), "columns do not fill its boxes");
}

/// What a block or a launch leaves in the memory of a core is not there for the next.
#[test]
fn scalars_on_chip_are_gone_with_the_block() {
    let text = "func.func @f(%o: !pto.ptr<f32>) {
      %addr = arith.constant 4096 : i64
      %zero = arith.constant 0 : index
      %one = arith.constant 1.0 : f32
      %p = pto.castptr %addr : i64 -> !pto.ptr<f32, ub>
      %x = pto.load_scalar %p[%zero] : !pto.ptr<f32, ub> -> f32
      %y = arith.addf %x, %one : f32
      pto.store_scalar %y, %p[%zero] : !pto.ptr<f32, ub>, f32
      %block = pto.get_block_idx
      %at = arith.index_cast %block : i64 to index
      pto.store_scalar %y, %o[%at] : !pto.ptr<f32>, f32
      return
    }";
    let plan = plan(text, Target::A2A3).expect("legal");
    for _ in 0..2 {
        let mut found = [0.0f32; 4];
        plan.launch().blocks(4).threads(1).run(&mut [Arg::write(&mut found)]).unwrap_or_else(|d| panic!("{d}"));
        assert_eq!(found, [1.0; 4]);
    }
}

/// A filter that does not fit its map has no rows, and none are asked for.
#[test]
fn a_convolution_without_rows_does_nothing() {
    let text = "func.func @f(%n: index) {
      %zero = arith.constant 0 : index
      %cols = arith.constant 16 : index
      %map = pto.alloc_tile : !pto.tile_buf<mat, 16x16xf16>
      pto.setfmatrix ins(%map : !pto.tile_buf<mat, 16x16xf16>) {fmapH = 4, fmapW = 4}
      %d = pto.alloc_tile valid_row = %n valid_col = %cols : !pto.tile_buf<left, 16x16xf16, valid=?x?, slayout=row_major>
      pto.timg2col ins(%map, %zero, %zero : !pto.tile_buf<mat, 16x16xf16>, index, index)
        outs(%d : !pto.tile_buf<left, 16x16xf16, valid=?x?, slayout=row_major>) {filterH = 5, filterW = 5}
      return
    }";
    let plan = plan(text, Target::A2A3).expect("legal");
    plan.launch().run(&mut [Arg::Int(0)]).unwrap_or_else(|d| panic!("{d}"));
}

/// Matrices that are stored to one place: the last one stays.
#[test]
fn stores_at_a_distance_of_nothing_keep_the_last() {
    let tile = "!pto.tile_buf<vec, 16x32xf32, blayout=col_major, slayout=row_major>";
    let text = format!(
        "func.func @f(%x: !pto.ptr<f32>, %o: !pto.ptr<f32>) {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %four = arith.constant 4 : index
           %eight = arith.constant 8 : index
           %rows = arith.constant 16 : index
           %size = arith.constant 128 : index
           %in = pto.make_tensor_view %x, shape = [%one, %four, %one, %rows, %eight],
             strides = [%size, %size, %size, %eight, %one] {{layout = #pto.layout<nz>}} : !pto.tensor_view<1x4x1x16x8xf32>
           %out = pto.make_tensor_view %o, shape = [%one, %one, %four, %rows, %eight],
             strides = [%zero, %zero, %zero, %one, %rows] {{layout = #pto.layout<dn>}} : !pto.tensor_view<1x1x4x16x8xf32>
           %a = pto.alloc_tile : {tile}
           pto.tload ins(%in : !pto.tensor_view<1x4x1x16x8xf32>) outs(%a : {tile})
           pto.tstore ins(%a : {tile}) outs(%out : !pto.tensor_view<1x1x4x16x8xf32>)
           return
         }}"
    );
    let numbers: Vec<f32> = (0u16..512).map(f32::from).collect();
    let mut found = [0.0f32; 128];
    let mut args = [Arg::read(&numbers), Arg::write(&mut found)];
    plan(&text, Target::Cpu).expect("legal").launch().run(&mut args).unwrap_or_else(|d| panic!("{d}"));
    for (at, found) in found.iter().enumerate() {
        assert_eq!(*found, numbers[384 + at % 16 * 8 + at / 16], "{at}");
    }
}

/// Extents, strides and offsets near the end of their range are refused where they are used, or never matter.
#[test]
fn views_of_any_size() {
    let run = |offset: &str| {
        let text = "
    func.func @f(%x: !pto.ptr<f32>) {
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %rows = arith.constant 16 : index
      %wide = arith.constant 4611686018427387904 : index
      %at = arith.constant OFFSET : index
      %v = pto.make_tensor_view %x, shape = [%rows, %wide], strides = [%wide, %one] : !pto.tensor_view<?x?xf32>
      %w = pto.partition_view %v, offsets = [%one, %at], sizes = [%one, %two] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x2xf32>
      return
    }";
        let plan = plan(&text.replace("OFFSET", offset), Target::A2A3).unwrap_or_else(|problem| panic!("{problem}"));
        plan.launch().run(&mut [Arg::write(&mut [0.0f32; 8])]).map_err(|d| d.diagnostics()[0].message.clone())
    };
    run("0").expect("nothing is read or written");
    let problem = run("9223372036854775807").expect_err("behind the end");
    assert!(problem.contains("9223372036854775807"), "{problem}");
}

/// Of both the whole is valid, but the window is not the whole of its tile.
#[test]
fn whole_tiles_are_moved_to_windows() {
    whole_tile_is_moved_to_window("blayout=col_major, slayout=row_major");
    whole_tile_is_moved_to_window("blayout=row_major, slayout=col_major");
}

fn whole_tile_is_moved_to_window(layout: &str) {
    const ALL: &str = "!pto.tile_buf<right, 64x128xi8, blayout=row_major, slayout=col_major>";
    const PART: &str = "!pto.tile_buf<right, 64x64xi8, blayout=row_major, slayout=col_major>";
    let src = format!("!pto.tile_buf<mat, 64x64xi8, {layout}>");
    let text = format!(
        "func.func @f(%x: {src}, %y: {ALL}) {{
           %zero = arith.constant 0 : index
           %half = arith.constant 64 : index
           %w = pto.subview %y[%zero, %half] sizes [64, 64] : {ALL} -> {PART}
           pto.tmov ins(%x : {src}) outs(%w : {PART})
           return
         }}"
    );
    let run = |plain: bool| {
        let mut x: Vec<u8> = (0..64 * 64).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let mut y = vec![0u8; 64 * 128];
        let (module, problems) = pto_syntax::parse(&text);
        assert!(problems.is_empty(), "{problems:?}");
        let checked = pto_check::check(module, Target::Cpu).unwrap_or_else(|d| panic!("{d:?}"));
        let options = Options::default().plain(plain);
        let plan = Plan::new(&checked, None, options).unwrap_or_else(|d| panic!("{d}"));
        plan.launch()
            .run(&mut [Arg::write_bytes(&mut x).valid(64, 64), Arg::write_bytes(&mut y).valid(64, 128)])
            .unwrap_or_else(|d| panic!("{d}"));
        (x, y)
    };
    let (x, y) = run(false);
    let moved: Vec<u8> = y.chunks(128).flat_map(|row| row[64..].to_vec()).collect();
    assert_eq!(moved, x);
    assert_eq!((x, y), run(true));
}

/// Moves of nothing, at every level: what the processor can do must not matter.
#[test]
fn empty_regions_are_not_moved() {
    let with = |work: &str| {
        format!(
            "!all = !pto.tile_buf<vec, 8x8xf32>
             !part = !pto.tile_buf<vec, 8x8xf32, valid=?x?>
             func.func @f(%a: !all, %b: !all, %d: !all, %rows: index, %cols: index) {{
               %zero = arith.constant 0 : index
               %eight = arith.constant 8 : index
               %w = pto.subview %b[%zero, %zero] sizes [8, 8] valid [%rows, %cols] : !all -> !part
               %o = pto.subview %d[%zero, %zero] sizes [8, 8] valid [%rows, %cols] : !all -> !part
               {work}
               return
             }}"
        )
    };
    let works = [
        "pto.tmov ins(%w : !part) outs(%o : !part)",
        "pto.textract ins(%b, %zero, %zero : !all, index, index) outs(%o : !part)",
        "pto.tinsert ins(%w, %eight, %zero : !part, index, index) outs(%d : !all)",
        "pto.ttrans ins(%w, %a : !part, !all) outs(%d : !all)",
    ];
    for (work, (rows, cols)) in works.iter().flat_map(|w| [(0, 8), (8, 0), (0, 0)].map(|extents| (w, extents))) {
        if work.contains("tinsert") && rows != 0 {
            continue;
        }
        let (module, problems) = pto_syntax::parse(&with(work));
        assert!(problems.is_empty(), "{problems:?}");
        let checked = pto_check::check(module, Target::A5).unwrap_or_else(|d| panic!("{d:?}"));
        for plain in [false, true] {
            let options = Options::default().plain(plain);
            let plan = Plan::new(&checked, None, options).unwrap_or_else(|d| panic!("{d}"));
            let [mut a, mut b, mut d] = [1u8, 2, 0].map(|byte| vec![byte; 256]);
            let mut args =
                [&mut a, &mut b, &mut d].map(|t| Arg::write_bytes(t).valid(8, 8)).into_iter().collect::<Vec<_>>();
            args.extend([Arg::Int(rows), Arg::Int(cols)]);
            plan.launch().run(&mut args).unwrap_or_else(|d| panic!("{work}: {d}"));
            assert!(d.iter().all(|byte| *byte == 0), "{work} {rows}x{cols} plain: {plain}");
        }
    }
}

/// Rows of packed 4-bit floats in the cube's memories are half as many bytes as columns.
#[test]
fn a_window_of_4_bit_floats_starts_at_its_row() {
    let text = "
      !all = !pto.tile_buf<mat, 32x64x!pto.f4E2M1x2>
      !part = !pto.tile_buf<mat, 16x64x!pto.f4E2M1x2>
      !left = !pto.tile_buf<left, 16x64x!pto.f4E2M1x2, blayout=col_major, slayout=row_major>
      func.func @f(%a: !all, %b: !left) {
        %zero = arith.constant 0 : index
        %three = arith.constant 3 : index
        %w = pto.subview %a[%three, %zero] sizes [16, 64] : !all -> !part
        pto.tmov ins(%w : !part) outs(%b : !left)
        return
      }";
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{problems:?}");
    let checked = pto_check::check(module, Target::A5).unwrap_or_else(|d| panic!("{d:?}"));
    let plan = Plan::new(&checked, None, Options::default()).unwrap_or_else(|d| panic!("{d}"));
    let mut a: Vec<u8> = (0..32 * 32).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut b = vec![0u8; 16 * 32];
    let mut args = [Arg::write_bytes(&mut a).valid(32, 64), Arg::write_bytes(&mut b).valid(16, 64)];
    plan.launch().run(&mut args).unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(b, a[3 * 32..19 * 32]);
}

/// Who only wants to know what happens has no memory behind pointers.
#[test]
fn numbers_that_are_stored_are_followed() {
    struct Count(usize);
    impl pto_cpu::Observer for Count {
        fn event(&mut self, _: &pto_cpu::Event<'_>) {
            self.0 += 1;
        }
    }
    let text = "func.func @f(%x: !pto.ptr<f32>) {
                  %one = arith.constant 1.0 : f32
                  %at = arith.constant 9 : index
                  pto.store_scalar %one, %x[%at] : !pto.ptr<f32>, f32
                  return
                }";
    let plan = plan(text, Target::A2A3).unwrap_or_else(|problem| panic!("{problem}"));
    let mut count = Count(0);
    plan.launch().observe(&mut count).follow(&[]).unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(count.0, 1);
}

/// Words that scale columns were read from behind their tile where there are more columns than words.
#[test]
fn each_column_has_a_word_to_scale_it_with() {
    let text = |words: u32, index: &str| {
        format!(
            "!acc = !pto.tile_buf<acc, 16x64xi32, blayout=col_major, slayout=row_major, fractal=1024>
             !words = !pto.tile_buf<scaling, 1x{words}xui64, valid=?x?>
             !part = !pto.tile_buf<mat, 16x32xi8, blayout=col_major, slayout=row_major>
             func.func @f(%a: !acc, %b: !part, %w: !words, %at: index, %rows: index, %words: index) {{
               %zero = arith.constant 0 : index
               %last = arith.constant 32 : index
               pto.set_validshape %w, %rows, %words : !words
               pto.textract_fp ins(%a, %w, %zero, {index} : !acc, !words, index, index) outs(%b : !part)
               return
             }}"
        )
    };
    let refused = plan(&text(32, "%last"), Target::A5).map(|_| ()).expect_err("32 words for columns 32 to 63");
    assert!(refused.contains("`fp` has 32 words for 32 columns from column 32 on"), "{refused}");
    let plan = plan(&text(64, "%at"), Target::A5).unwrap_or_else(|problem| panic!("{problem}"));
    for (first, words, fits) in [(0, 32, true), (32, 64, true), (32, 63, false), (0, 31, false)] {
        let (mut a, mut b, mut w) = (vec![1u8; 16 * 64 * 4], vec![0u8; 16 * 32], vec![0u8; 64 * 8]);
        let mut args = vec![
            Arg::write_bytes(&mut a).valid(16, 64),
            Arg::write_bytes(&mut b).valid(16, 32),
            Arg::write_bytes(&mut w).valid(1, 64),
        ];
        args.extend([Arg::Int(first), Arg::Int(1), Arg::Int(words)]);
        let ran = plan.launch().run(&mut args);
        let said = ran.map(|_| ()).map_err(|d| d.diagnostics()[0].message.clone());
        assert_eq!(said.is_ok(), fits, "from {first} with {words} words: {said:?}");
    }
}

/// The same for the scales of a product, where their extents are open.
#[test]
fn scales_of_a_product_cover_its_blocks() {
    let text = "
      !a = !pto.tile_buf<left, 16x256xf8E4M3FN, blayout=col_major, slayout=row_major>
      !b = !pto.tile_buf<right, 256x32xf8E4M3FN, slayout=col_major>
      !sa = !pto.tile_buf<scale_left, 16x8x!pto.f8E8M0, slayout=row_major, fractal=32, valid=?x?>
      !sb = !pto.tile_buf<scale_right, 8x32x!pto.f8E8M0, blayout=col_major, slayout=col_major, fractal=32>
      !c = !pto.tile_buf<acc, 16x32xf32, blayout=col_major, slayout=row_major, fractal=1024>
      func.func @f(%a: !a, %b: !b, %sa: !sa, %sb: !sb, %c: !c, %m: index, %blocks: index) {
        pto.set_validshape %sa, %m, %blocks : !sa
        pto.tmatmul.mx ins(%a, %sa, %b, %sb : !a, !sa, !b, !sb) outs(%c : !c)
        return
      }";
    let plan = plan(text, Target::A5).unwrap_or_else(|problem| panic!("{problem}"));
    for (rows, blocks, fits) in [(16, 8, true), (16, 7, false), (15, 8, false)] {
        let mut tiles = [(16, 256, 1), (256, 32, 1), (16, 8, 1), (8, 32, 1), (16, 32, 4)]
            .map(|(rows, cols, size)| ((rows, cols), vec![0u8; (rows * cols * size) as usize]));
        let mut args: Vec<Arg> =
            tiles.iter_mut().map(|(shape, bytes)| Arg::write_bytes(bytes).valid(shape.0, shape.1)).collect();
        args.extend([Arg::Int(rows), Arg::Int(blocks)]);
        let said = plan.launch().run(&mut args).map(|_| ()).map_err(|d| d.diagnostics()[0].message.clone());
        assert_eq!(said.is_ok(), fits, "{rows} rows, {blocks} blocks: {said:?}");
    }
}

/// A left operand has the box order of the target, whatever its type says; a move into it has to know.
#[test]
fn a_left_operand_is_moved_into_the_order_of_the_target() {
    let text = "
      !mat = !pto.tile_buf<mat, 32x32xf32, blayout=col_major, slayout=row_major>
      !left = !pto.tile_buf<left, 32x32xf32, blayout=col_major, slayout=row_major>
      !right = !pto.tile_buf<right, 32x32xf32, slayout=col_major>
      !acc = !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>
      !view = !pto.tensor_view<32x32xf32>
      func.func @product(%a: !view, %b: !view, %c: !view) {
        %a1 = pto.alloc_tile : !mat
        %b1 = pto.alloc_tile : !mat
        %a0 = pto.alloc_tile : !left
        %b0 = pto.alloc_tile : !right
        %sum = pto.alloc_tile : !acc
        pto.tload ins(%a : !view) outs(%a1 : !mat)
        pto.tload ins(%b : !view) outs(%b1 : !mat)
        pto.tmov ins(%a1 : !mat) outs(%a0 : !left)
        pto.tmov ins(%b1 : !mat) outs(%b0 : !right)
        pto.tmatmul ins(%a0, %b0 : !left, !right) outs(%sum : !acc)
        pto.tstore ins(%sum : !acc) outs(%c : !view)
        return
      }";
    let a: Vec<f32> = (0..1024).map(|n| n as f32).collect();
    let unit: Vec<f32> = (0..1024).map(|n| if n % 33 == 0 { 1.0 } else { 0.0 }).collect();
    for target in [Target::A2A3, Target::A5] {
        let plan = plan(text, target).unwrap_or_else(|problem| panic!("{problem}"));
        let mut c = vec![0.0f32; 1024];
        plan.launch().run(&mut [Arg::read(&a), Arg::read(&unit), Arg::write(&mut c)]).unwrap_or_else(|d| panic!("{d}"));
        assert_eq!(c, a, "{target:?}");
    }
}
