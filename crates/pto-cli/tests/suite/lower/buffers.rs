//! Programs whose tiles are plain buffers of the core.

use super::{again, generate::program, lowered, outcome, prepared, races};
use pto::cpu::Known;
use pto::isa::DType;
use pto::opt::SyncMode;
use pto::{Arg, Options, Plan, Program, Target, cost};

const PROGRAMS: u64 = 60;

/// A generated program as the public assembler lowers it: buffers instead of tiles.
fn with_buffers(text: &str) -> String {
    text.replace("!pto.tile_buf<vec, 16x32xf32>", "memref<16x32xf32, #pto.address_space<vec>>")
        .replace(
            "!pto.tile_buf<vec, 8x32xf32>",
            "memref<8x32xf32, strided<[32, 1], offset: ?>, #pto.address_space<vec>>",
        )
        .replace("pto.alloc_tile : ", "memref.alloc() : ")
        .replace("pto.subview", "memref.subview")
        .replace("%zero] sizes [8, 32] : !tile -> !half", "0] [8, 32] [1, 1] : !tile to !half")
}

/// Buffers instead of tiles: the same numbers, before and after lowering, and the same order.
#[test]
fn random_programs_with_buffers_compute_what_they_do_with_tiles() {
    for seed in 0..PROGRAMS {
        let (text, target) = (program(seed), if seed % 2 == 0 { Target::A2A3 } else { Target::A5 });
        let buffers = with_buffers(&text);
        let source = Program::parse(&buffers);
        let checked = source.check(target).unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{buffers}"));
        let tiles = prepared(&Program::parse(&text), target, &text);
        let plain = prepared(&source, target, &buffers);
        let (low_text, low) = again(&lowered(&checked, seed % 3 == 0, SyncMode::Minimal));
        let low = prepared(&low, target, &low_text);
        for given in [(0, 1, true, true), (3, 2, false, true), (2, 3, true, false)] {
            let expected = outcome(&tiles, given);
            assert_eq!(expected, outcome(&plain, given), "seed {seed}, {given:?}\n{buffers}");
            assert_eq!(expected, outcome(&low, given), "seed {seed}, {given:?}\n{low_text}");
            let found = races(&low, given);
            assert!(found.is_empty(), "seed {seed}, {given:?}, {target}: {found:#?}\n{low_text}");
        }
    }
}

/// A product, a window that is bound to a layout, a branch and a loop: what each writes.
fn numbers(text: &str, target: Target) -> (Vec<f32>, f64) {
    let plan = prepared(&Program::parse(text), target, text);
    let a: Vec<u16> = (0..256u16).map(|k| 0x3c00 + (k % 7) * 64).collect();
    let mut y = vec![0f32; 512];
    let halves = || Arg::read(&a).of(DType::F16);
    plan.launch().run(&mut [halves(), halves(), Arg::write(&mut y), Arg::Int(1)]).expect("it runs");
    (y, cycles(&plan, target))
}

fn cycles(plan: &Plan, target: Target) -> f64 {
    let known: Vec<Known> = plan.params().iter().map(|_| Known::Nothing).collect();
    let known = [&known[..3], &[Known::Int(1)]].concat();
    let trace = cost::record(plan.launch(), &known, cost::Options::default()).expect("it can be followed");
    let machine = cost::Machine::of(cost::Laws::of(target));
    cost::simulate(&trace, &trace.charges, &machine).expect("it has an end").cycles
}

const TILES: &str = "
  !mat = !pto.tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major>
  !left = !pto.tile_buf<left, 16x16xf16, blayout=col_major, slayout=row_major>
  !right = !pto.tile_buf<right, 16x16xf16, slayout=col_major>
  !acc = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
  !vec = !pto.tile_buf<vec, 16x16xf32>
  !part = !pto.tile_buf<vec, 16x16xf32, valid=?x?>
  !square = !pto.tensor_view<16x16xf16>
  !from = !pto.partition_tensor_view<16x16xf16>
  !rows = !pto.tensor_view<32x16xf32>
  !to = !pto.partition_tensor_view<16x16xf32>
  !small = !pto.partition_tensor_view<?x?xf32>
  func.func @f(%a: !pto.ptr<f16>, %b: !pto.ptr<f16>, %y: !pto.ptr<f32>, %flag: i1) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %eight = arith.constant 8 : index
    %side = arith.constant 16 : index
    %height = arith.constant 32 : index
    %as = pto.make_tensor_view %a, shape = [%side, %side], strides = [%side, %one] : !square
    %bs = pto.make_tensor_view %b, shape = [%side, %side], strides = [%side, %one] : !square
    %ys = pto.make_tensor_view %y, shape = [%height, %side], strides = [%side, %one] : !rows
    %aw = pto.partition_view %as, offsets = [%zero, %zero], sizes = [%side, %side] : !square -> !from
    %bw = pto.partition_view %bs, offsets = [%zero, %zero], sizes = [%side, %side] : !square -> !from
    %yw = pto.partition_view %ys, offsets = [%zero, %zero], sizes = [%side, %side] : !rows -> !to
    %yv = pto.partition_view %ys, offsets = [%side, %zero], sizes = [%eight, %eight] : !rows -> !small
    %am = ALLOC : !mat
    %bm = ALLOC : !mat
    %al = ALLOC : !left
    %br = ALLOC : !right
    %c = ALLOC : !acc
    pto.tload ins(%aw : !from) outs(%am : !mat)
    pto.tload ins(%bw : !from) outs(%bm : !mat)
    pto.tmov ins(%am : !mat) outs(%al : !left)
    pto.tmov ins(%bm : !mat) outs(%br : !right)
    pto.tmatmul ins(%al, %br : !left, !right) outs(%c : !acc)
    pto.tstore ins(%c : !acc) outs(%yw : !to)
    %u = ALLOC : !vec
    %v = ALLOC : !vec
    %half = arith.constant 0.5 : f32
    pto.texpands ins(%half : f32) outs(%u : !vec)
    pto.texpands ins(%half : f32) outs(%v : !vec)
    %w = scf.if %flag -> (!vec) {
      scf.yield %u : !vec
    } else {
      scf.yield %v : !vec
    }
    %last = scf.for %i = %zero to %two step %one iter_args(%t = %w) -> (!vec) {
      pto.tadd ins(%t, %u : !vec, !vec) outs(%v : !vec)
      scf.yield %v : !vec
    }
    PART
    pto.tstore ins(%part : !part) outs(%yv : !small)
    return
  }";

/// Every part in both forms, on both devices; the cycles are the same too.
#[test]
fn buffers_are_tiles() {
    let part = "%part = pto.alloc_tile valid_row = %eight valid_col = %eight : !part
    pto.tmov ins(%last : !vec) outs(%part : !part)";
    let tiles = TILES.replace("ALLOC", "pto.alloc_tile").replace("PART", part);
    let buffer = |loc: &str, elem: &str| format!("memref<16x16x{elem}, #pto.address_space<{loc}>>");
    let mut buffers = TILES.replace("ALLOC", "memref.alloc()");
    for (name, loc, elem) in [
        ("!mat", "mat", "f16"),
        ("!left", "left", "f16"),
        ("!right", "right", "f16"),
        ("!acc", "acc", "f32"),
        ("!vec", "vec", "f32"),
        ("!part", "vec", "f32"),
    ] {
        let start = buffers.find(&format!("{name} = ")).expect("the type");
        let end = start + buffers[start..].find('\n').expect("a line");
        buffers.replace_range(start..end, &format!("{name} = {}", buffer(loc, elem)));
    }
    let bound = "%room = memref.alloc() : !part
    %part = pto.bind_tile %room, %eight, %eight {config = #pto.tile_buf_config<blayout=row_major, slayout=none_box, s_fractal_size=512, pad=null>} : !part -> !part
    pto.tmov ins(%last : !vec) outs(%part : !part)";
    let buffers = buffers.replace("PART", bound);
    for target in [Target::A2A3, Target::A5] {
        let (expected, cycles) = numbers(&tiles, target);
        assert!(expected[..256].iter().any(|n| *n > 16.0) && expected[256 + 3] == 1.5, "{expected:?}");
        assert_eq!((expected.clone(), cycles), numbers(&buffers, target), "{target}");
        let checked = Program::parse(&buffers).check(target).expect("legal");
        let (low, _) = again(&lowered(&checked, false, SyncMode::Minimal));
        assert!(low.contains("pto.pointer_cast(") && !low.contains("memref.alloc"), "{low}");
        assert_eq!(expected, numbers(&low, target).0, "{target}\n{low}");
    }
}

/// Single elements and extents of a buffer that instructions use too.
#[test]
fn elements_of_buffers() {
    let text = "
      !t = memref<4x8xf32, #pto.address_space<vec>>
      func.func @f(%y: !pto.ptr<f32>) {
        %two = arith.constant 2 : index
        %one = arith.constant 1 : index
        %k = arith.constant 2.5 : f32
        %at = arith.constant 4096 : i64
        %a = pto.pointer_cast(%at) : !t
        pto.texpands ins(%k : f32) outs(%a : !t)
        %width = memref.dim %a, %one : !t
        %last = arith.subi %width, %one : index
        %n = arith.index_cast %width : index to i32
        %f = arith.sitofp %n : i32 to f32
        memref.store %f, %a[%two, %last] : !t
        %v = memref.load %a[%two, %last] : !t
        %w = memref.load %a[%one, %last] : !t
        %s = arith.addf %v, %w : f32
        pto.store_scalar %s, %y[%one] : !pto.ptr<f32>, f32
        return
      }";
    let plan = prepared(&Program::parse(text), Target::A2A3, text);
    let mut y = [0f32; 2];
    plan.launch().run(&mut [Arg::write(&mut y)]).expect("it runs");
    assert_eq!(y[1], 8.0 + 2.5);
}

const CONSTANTS: &str = "
  !t = memref<16x16xf32, #pto.address_space<vec>>
  !w = memref<8x8xf32, strided<[16, 1], offset: ?>, #pto.address_space<vec>>
  func.func @f(%y: !pto.ptr<f32>, %n: index, %flag: i1) attributes {pto.entry} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %side = arith.constant 16 : index
    %k = arith.constant 2.5 : f32
    %ys = pto.make_tensor_view %y, shape = [%side, %side], strides = [%side, %one] : !pto.tensor_view<16x16xf32>
    %m = memref.alloc() : !t
";

/// What a program with buffers writes, or why it does not run.
fn written(body: &str, more: &str, n: i64) -> Result<Vec<f32>, String> {
    let text = format!("{CONSTANTS}{body}    return\n  }}\n{more}");
    let plan = Program::parse(&text).plan(Target::A2A3, None, Options::default());
    let plan = plan.map_err(|problems| problems.diagnostics()[0].message.clone())?;
    let mut y = vec![0f32; 256];
    let ran = plan.launch().run(&mut [Arg::write(&mut y), Arg::Int(n), Arg::Int(1)]);
    ran.map(|_| y).map_err(|problem| problem.diagnostics()[0].message.clone())
}

/// The rows of a window are as far apart as those of its buffer, and an element is inside its window.
#[test]
fn elements_of_windows() {
    let body = "    pto.texpands ins(%k : f32) outs(%m : !t)
    %w = memref.subview %m[%one, 2] [8, 8] [1, 1] : !t to !w
    %old = memref.load %w[%one, %n] : !w
    %new = arith.addf %old, %k : f32
    memref.store %new, %w[%one, %n] : !w
    pto.tstore ins(%m : !t) outs(%ys : !pto.tensor_view<16x16xf32>)
";
    let y = written(body, "", 3).expect("it runs");
    assert!(y.iter().enumerate().all(|(k, v)| *v == if k == 2 * 16 + 5 { 5.0 } else { 2.5 }), "{y:?}");
    assert!(written(body, "", 8).is_err(), "behind the last column of the window");
    assert!(written(body, "", -1).is_err(), "before its first column");
    let whole = body.replace("%w[%one", "%m[%one").replace(", %n] : !w", ", %n] : !t");
    assert!(written(&whole, "", 15).is_ok());
    assert!(written(&whole, "", 16).is_err_and(|why| why.contains("16x16")), "behind the last column of the buffer");
}

/// As the public assembler prints them: a valid region behind the address, and strides that say what the configuration says.
#[test]
fn buffers_with_strides_and_a_valid_region() {
    let body = "    %at = arith.constant 2048 : i64
    %rows = arith.constant 4 : index
    %c = pto.pointer_cast(%at) %rows, %rows {config = #pto.tile_buf_config<blayout=#pto.blayout<row_major>, slayout=#pto.slayout<none_box>, s_fractal_size=512, pad=#pto.pad_value<null>, compact=#pto.compact_mode<null>>} : !s
    %b = pto.bind_tile %c, %rows, %rows {config = #pto.tile_buf_config<blayout=#pto.blayout<row_major>, slayout=#pto.slayout<none_box>, s_fractal_size=512, pad=#pto.pad_value<null>, compact=#pto.compact_mode<null>>} : !s -> !s
    pto.texpands ins(%k : f32) outs(%b : !s)
    %part = pto.partition_view %ys, offsets = [%zero, %zero], sizes = [%rows, %rows] : !pto.tensor_view<16x16xf32> -> !pto.partition_tensor_view<4x4xf32>
    pto.tstore ins(%b : !s) outs(%part : !pto.partition_tensor_view<4x4xf32>)
"
    .replace("!s", "memref<16x16xf32, strided<[16, 1], offset: ?>, #pto.address_space<vec>>");
    let y = written(&body, "", 0).expect("it runs");
    assert!(y.iter().enumerate().all(|(k, v)| *v == if k % 16 < 4 && k < 64 { 2.5 } else { 0.0 }), "{y:?}");
}

/// Buffers with strides lie where others do.
#[test]
fn buffers_with_strides_are_placed_and_ordered() {
    let text = "
  !v = !pto.partition_tensor_view<16x16xf32>
  !s = memref<16x16xf32, strided<[16, 1]>, #pto.address_space<vec>>
  !t = memref<16x16xf32, #pto.address_space<vec>>
  func.func @f(%x: !v, %y: !v, %flag: i1) {
    %k = arith.constant 1.0 : f32
    %at = arith.constant 0 : i64
    MADE
    pto.tload ins(%x : !v) outs(%s : !s)
    pto.tstore ins(%s : !s) outs(%y : !v)
    pto.texpands ins(%k : f32) outs(%t : !t)
    pto.tstore ins(%t : !t) outs(%x : !v)
    return
  }";
    let fixed = "%s = pto.pointer_cast(%at) : !s\n    %t = pto.pointer_cast(%at) : !t";
    let open = "%s = memref.alloc() : !s\n    %t = memref.alloc() : !t";
    let low = |made: &str| {
        let text = text.replace("MADE", made);
        let checked = Program::parse(&text).check(Target::A2A3).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        again(&lowered(&checked, false, SyncMode::Minimal)).0
    };
    assert!(low(fixed).contains("pto.wait_flag[<PIPE_MTE3>, <PIPE_V>"), "{}", low(fixed));
    assert!(!low(open).contains("memref.alloc"), "{}", low(open));
    let wrong = text.replace("MADE", fixed).replace("strided<[16, 1]>", "strided<[32, 1]>");
    assert!(
        Program::parse(&wrong).plan(Target::A2A3, None, Options::default()).is_err(),
        "rows that are further apart"
    );
}

/// Functions take and return buffers as tiles.
#[test]
fn functions_take_buffers() {
    let body = "    %r = func.call @g(%m) : (!t) -> !t
    pto.tstore ins(%r : !t) outs(%ys : !pto.tensor_view<16x16xf32>)
";
    let function = "  func.func private @g(%p: !t) -> !t {
    %two = arith.constant 2.0 : f32
    pto.texpands ins(%two : f32) outs(%p : !t)
    return %p : !t
  }
";
    assert_eq!(written(body, function, 0), Ok(vec![2.0; 256]));
}

/// What would have to be guessed is refused by name.
#[test]
fn unclear_buffers_are_refused() {
    let columns = "{config = #pto.tile_buf_config<blayout=col_major, slayout=none_box, s_fractal_size=512, pad=null>}";
    let two = format!(
        "    %b = pto.bind_tile %m {columns} : !t -> !t
    %o = memref.alloc() : !t
    %s = arith.select %flag, %o, %b : !t
    pto.texpands ins(%k : f32) outs(%s : !t)
"
    );
    let bound = format!(
        "    %b = pto.bind_tile %m {columns} : !t -> !t
    memref.store %k, %b[%one, %zero] : !t
"
    );
    let deep = "    %d = memref.alloc() : memref<2x8x16xf32, #pto.address_space<vec>>
    pto.texpands ins(%k : f32) outs(%d : memref<2x8x16xf32, #pto.address_space<vec>>)
    %e = memref.dim %d, %zero : memref<2x8x16xf32, #pto.address_space<vec>>
";
    for (body, why) in [(&two[..], "may be"), (&bound, "column by column"), (deep, "3 dimensions")] {
        let refused = written(body, "", 0).expect_err(body);
        assert!(refused.contains(why), "{refused}\n{body}");
    }
}
