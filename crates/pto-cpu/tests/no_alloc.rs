//! A running program allocates nothing: ten times the iterations of a loop need as many allocations as one.

#![expect(unsafe_code, reason = "an allocator that counts")]

use pto_cpu::{Arg, Options, ParamKind, Plan};
use pto_isa::Target;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with a count of what it was asked for.
struct Counting;

// Those of other threads, such as that of the test harness, do not count.
thread_local!(static ALLOCATIONS: Cell<usize> = const { Cell::new(0) });

fn count() {
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
}

// SAFETY: everything is the system allocator's doing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout is the one that the caller asks for.
        unsafe {
            count();
            System.alloc(layout)
        }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller answers for the elements at `ptr`.
        unsafe {
            System.dealloc(ptr, layout);
        }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller answers for the elements at `ptr`.
        unsafe {
            count();
            System.realloc(ptr, layout, size)
        }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Every iteration loads a window that lies elsewhere, computes on a valid region of its own, reduces, stores, and carries
/// numbers, tile values and buffers on.
const PROGRAM: &str = "
    func.func @f(%a: !pto.ptr<f32>, %c: !pto.ptr<f32>, %iterations: index) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %rows = arith.constant 4 : index
      %n = arith.constant 64 : index
      %places = arith.constant 60 : index
      %half = arith.constant 0.5 : f32
      %in = pto.make_tensor_view %a, shape = [%n, %n], strides = [%n, %one] : TENSOR
      %out = pto.make_tensor_view %c, shape = [%n, %n], strides = [%n, %one] : TENSOR
      %x = pto.alloc_tile : WHOLE
      %y = pto.alloc_tile : WHOLE
      %sums = pto.alloc_tile valid_row = %rows : COLUMN
      %first = pto.tmuls %x, %half : (WHOLE, f32) -> VALUE
      %r:4 = scf.for %i = %zero to %iterations step %one
          iter_args(%p = %x, %q = %y, %best = %first, %sum = %half) -> (WHOLE, WHOLE, VALUE, f32) {
        %start = arith.remui %i, %places : index
        %cut = arith.remui %i, %rows : index
        %height = arith.subi %rows, %cut : index
        %from = pto.partition_view %in, offsets = [%start, %zero], sizes = [%rows, %n] : TENSOR -> WINDOW
        pto.tload ins(%from : WINDOW) outs(%p : WHOLE)
        pto.tadd ins(%p, %q : WHOLE, WHOLE) outs(%q : WHOLE)
        %next = pto.tmax %q, %best : (WHOLE, VALUE) -> VALUE
        %part = pto.subview %q[%zero, %zero] sizes [4, 64] valid [%height, %n] : WHOLE -> PART
        %small = pto.alloc_tile valid_row = %height valid_col = %n : PART
        pto.texp ins(%part : PART) outs(%small : PART)
        pto.tmuls ins(%small, %sum : PART, f32) outs(%small : PART)
        pto.trowsum ins(%q : WHOLE) outs(%sums : COLUMN)
        pto.trowexpandmul ins(%q, %sums : WHOLE, COLUMN) outs(%q : WHOLE)
        %to = pto.partition_view %out, offsets = [%start, %zero], sizes = [%height, %n] : TENSOR -> OPEN
        pto.tstore ins(%small : PART) outs(%to : OPEN)
        %s = pto.load_scalar %a[%start] : !pto.ptr<f32> -> f32
        %t = arith.addf %s, %sum : f32
        scf.yield %q, %p, %next, %t : WHOLE, WHOLE, VALUE, f32
      }
      return
    }";

const TYPES: [(&str, &str); 7] = [
    ("TENSOR", "!pto.tensor_view<64x64xf32>"),
    ("WINDOW", "!pto.partition_tensor_view<4x64xf32>"),
    ("OPEN", "!pto.partition_tensor_view<?x64xf32>"),
    ("WHOLE", "!pto.tile_buf<vec, 4x64xf32>"),
    ("VALUE", "!pto.tile<vec, 4x64xf32>"),
    ("PART", "!pto.tile_buf<vec, 4x64xf32, valid=?x?>"),
    ("COLUMN", "!pto.tile_buf<vec, 8x1xf32, valid=?x1, blayout=col_major>"),
];

fn plan(program: &str, types: &[(&str, &str)]) -> Plan {
    let text = types.iter().fold(program.to_string(), |text, (name, ty)| text.replace(name, ty));
    let (module, problems) = pto_syntax::parse(&text);
    assert!(problems.is_empty(), "{}", problems[0].message);
    let checked = pto_check::check(module, Target::A5).unwrap_or_else(|d| panic!("{}", d.diagnostics()[0].message));
    Plan::new(&checked, None, Options::default()).unwrap_or_else(|d| panic!("{d}"))
}

/// Allocations of a run with so many iterations.
fn allocations(plan: &Plan, iterations: i64) -> usize {
    let a: Vec<f32> = (0..4096).map(|n| n as f32 / 4096.0).collect();
    // One program stores floats, the other halves.
    let ParamKind::Pointer(element) = plan.params()[1].kind else { panic!("a pointer is written") };
    let mut c = vec![0u8; 4 * 4096];
    let mut args = [Arg::read(&a), Arg::write(&mut c).of(element), Arg::Int(iterations)];
    let before = ALLOCATIONS.get();
    let report = plan.launch().threads(1).run(&mut args).unwrap_or_else(|d| panic!("{d}"));
    let after = ALLOCATIONS.get();
    assert!(report.instructions >= 5 * iterations as u64);
    after - before
}

/// Every iteration moves two tiles to the cube, multiplies them onto an accumulator, and stores that as halves.
const PRODUCTS: &str = "
    func.func @f(%a: !pto.ptr<f32>, %c: !pto.ptr<f16>, %iterations: index) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %n = arith.constant 64 : index
      %in = pto.make_tensor_view %a, shape = [%n, %n], strides = [%n, %one] : TENSOR
      %out = pto.make_tensor_view %c, shape = [%n, %n], strides = [%n, %one] : HALVES
      %x = pto.alloc_tile : MAT
      %l = pto.alloc_tile : LEFT
      %r = pto.alloc_tile : RIGHT
      %s = pto.alloc_tile : ACC
      pto.tload ins(%in : TENSOR) outs(%x : MAT)
      scf.for %i = %zero to %iterations step %one {
        pto.tmov ins(%x : MAT) outs(%l : LEFT)
        pto.tmov ins(%x : MAT) outs(%r : RIGHT)
        pto.tmatmul ins(%l, %r : LEFT, RIGHT) outs(%s : ACC)
        pto.tmatmul.acc ins(%s, %l, %r : ACC, LEFT, RIGHT) outs(%s : ACC)
        pto.tstore ins(%s : ACC) outs(%out : HALVES)
      }
      return
    }";

const CUBE_TYPES: [(&str, &str); 6] = [
    ("TENSOR", "!pto.tensor_view<64x64xf32>"),
    ("HALVES", "!pto.tensor_view<64x64xf16>"),
    ("MAT", "!pto.tile_buf<mat, 64x64xf32, blayout=col_major, slayout=row_major>"),
    ("LEFT", "!pto.tile_buf<left, 64x64xf32, blayout=col_major, slayout=row_major>"),
    ("RIGHT", "!pto.tile_buf<right, 64x64xf32, slayout=col_major>"),
    ("ACC", "!pto.tile_buf<acc, 64x64xf32, blayout=col_major, slayout=row_major, fractal=1024>"),
];

#[test]
fn loops_allocate_nothing() {
    for plan in [plan(PROGRAM, &TYPES), plan(PRODUCTS, &CUBE_TYPES)] {
        // What is made once per process is made now.
        allocations(&plan, 1);
        let (few, many) = (allocations(&plan, 30), allocations(&plan, 300));
        assert_eq!(few, many, "allocations for 30 and for 300 iterations");
        println!("{few} allocations in a run");
    }
}
