//! Open results of instructions whose extents follow from other things than the region of one operand, and whose numbers
//! are of other types: what is stored and the regions themselves are those of a program that knows them.

use super::{again, lowered, prepared};
use pto::opt::SyncMode;
use pto::{Arg, Plan, Program, Target};

/// Columns of the memory that is loaded and stored.
const PITCH: usize = 256;
/// The region of `%a`.
const ROWS: usize = 5;
const COLS: usize = 64;

/// `valid={RxC}` is a region that is either spelled out or left open.
struct Case {
    target: Target,
    /// Element types of what is loaded as `%a` and of what is stored.
    elements: [&'static str; 2],
    /// The type of `%a`.
    loaded: &'static str,
    body: &'static str,
    /// Results with their types; the first is stored if it can be.
    results: &'static [(&'static str, &'static str)],
    stored: bool,
}

const CASES: &[Case] = &[
    Case {
        target: Target::A2A3,
        elements: ["f32", "f32"],
        loaded: "!pto.tile<8x64xf32, valid={5x64}>",
        body: "%r = pto.tsetval %three, %half : (index, f32) -> !pto.tile<8x16xf32, valid={8x16}>",
        results: &[("%r", "!pto.tile<8x16xf32, valid={8x16}>")],
        stored: false,
    },
    // Every element is greater than the number, so that every position is written.
    Case {
        target: Target::A2A3,
        elements: ["f32", "i32"],
        loaded: "!pto.tile<8x64xf32, valid={5x64}>",
        body: "%least = arith.constant -1.0 : f32
               %room = pto.alloc_tile : !pto.tile_buf<vec, 8x64xf32>
               %r, %s = pto.tgather %a, %least, %room {cmpMode = #pto<cmp gt>} : (!pto.tile<8x64xf32, valid={5x64}>, f32, !pto.tile_buf<vec, 8x64xf32>) -> (!pto.tile<8x64xi32, valid={5x64}>, !pto.tile<1x8xi32, valid={1x8}>)",
        results: &[("%r", "!pto.tile<8x64xi32, valid={5x64}>"), ("%s", "!pto.tile<1x8xi32, valid={1x8}>")],
        stored: true,
    },
    Case {
        target: Target::A5,
        elements: ["ui16", "ui32"],
        loaded: "!pto.tile<8x64xui16, valid={5x64}>",
        body: "%high = arith.constant 0 : ui8
               %i = pto.texpands %high : (ui8) -> !pto.tile<vec, 32x1xui8, blayout=col_major, valid=5x1>
               %r = pto.thistogram %a, %i {byte = 0 : i32} : (!pto.tile<8x64xui16, valid={5x64}>, !pto.tile<vec, 32x1xui8, blayout=col_major, valid=5x1>) -> !pto.tile<8x256xui32, valid={5x256}>",
        results: &[("%r", "!pto.tile<8x256xui32, valid={5x256}>")],
        stored: true,
    },
    Case {
        // Its scratch results are whole.
        target: Target::Cpu,
        elements: ["bf16", "ui8"],
        loaded: "!pto.tile<8x64xbf16, valid={5x64}>",
        body: "%q, %r, %max, %scaling = pto.tquant.hif4 %a : (!pto.tile<8x64xbf16, valid={5x64}>) -> (!pto.tile<8x64x!pto.f4E1M2x2, valid={5x64}>, !pto.tile<8x32xui8, valid={5x4}>, !pto.tile<8x16xbf16, valid={8x16}>, !pto.tile<8x16xbf16, valid={8x16}>)",
        results: &[
            ("%r", "!pto.tile<8x32xui8, valid={5x4}>"),
            ("%q", "!pto.tile<8x64x!pto.f4E1M2x2, valid={5x64}>"),
            ("%max", "!pto.tile<8x16xbf16, valid={8x16}>"),
            ("%scaling", "!pto.tile<8x16xbf16, valid={8x16}>"),
        ],
        stored: true,
    },
    Case {
        target: Target::A2A3,
        elements: ["f16", "f16"],
        loaded: "!pto.tile<mat, 8x64xf16, valid={5x64}>",
        body: "%map = pto.alloc_tile : !pto.tile_buf<mat, 64x16xf16>
               pto.setfmatrix ins(%map : !pto.tile_buf<mat, 64x16xf16>) {fmapH = 8, fmapW = 8}
               %r = pto.timg2col %map : (!pto.tile_buf<mat, 64x16xf16>) -> !pto.tile<left, 16x16xf16, slayout=row_major, valid={16x16}>",
        results: &[("%r", "!pto.tile<left, 16x16xf16, slayout=row_major, valid={16x16}>")],
        stored: false,
    },
    Case {
        target: Target::A5,
        elements: ["f8E4M3FN", "ui8"],
        loaded: "!pto.tile<mat, 16x64xf8E4M3FN, blayout=col_major, slayout=row_major, valid={5x64}>",
        body: "%l = pto.textract %a, %zero, %zero : (!pto.tile<mat, 16x64xf8E4M3FN, blayout=col_major, slayout=row_major, valid={5x64}>, index, index) -> !pto.tile<left, 16x64xf8E4M3FN, blayout=col_major, slayout=row_major, valid={5x64}>
               %r = pto.tget_scale_addr %l : (!pto.tile<left, 16x64xf8E4M3FN, blayout=col_major, slayout=row_major, valid={5x64}>) -> !pto.tile<scaling, 16x2x!pto.f8E8M0, slayout=row_major, fractal=32, valid={5x2}>",
        results: &[("%r", "!pto.tile<scaling, 16x2x!pto.f8E8M0, slayout=row_major, fractal=32, valid={5x2}>")],
        stored: false,
    },
];

impl Case {
    fn program(&self, open: bool) -> String {
        let [x, y] = self.elements;
        let results: String =
            self.results.iter().enumerate().map(|(k, (value, ty))| extents_to_memory(k, value, ty)).collect();
        let (value, ty) = self.results[0];
        let store = format!(
            "%r_, %k_ = pto.get_validshape {value} : {ty}
             %ys = pto.make_tensor_view %y, shape = [%r_, %k_], strides = [%pitch, %one] : !pto.tensor_view<?x?x{y}>
             pto.tstore {value}, %ys\n"
        );
        let text = format!(
            "func.func @f(%x: !pto.ptr<{x}>, %y: !pto.ptr<{y}>, %e: !pto.ptr<i32>, %n: index, %m: index) {{
               %zero = arith.constant 0 : index
               %one = arith.constant 1 : index
               %three = arith.constant 3 : index
               %pitch = arith.constant {PITCH} : index
               %half = arith.constant 0.5 : f32
               %xs = pto.make_tensor_view %x, shape = [%n, %m], strides = [%pitch, %one] : !pto.tensor_view<?x?x{x}>
               %a = pto.tload %xs : (!pto.tensor_view<?x?x{x}>) -> {}
               {}
               {}{results}return
             }}",
            self.loaded,
            self.body,
            if self.stored { &store } else { "" }
        );
        spelled(&text, open)
    }
}

/// Stores the valid region of a value.
fn extents_to_memory(k: usize, value: &str, ty: &str) -> String {
    let (row, col) = (2 * k, 2 * k + 1);
    format!(
        "%r{k}, %k{k} = pto.get_validshape {value} : {ty}
         %r{k}_ = arith.index_cast %r{k} : index to i32
         %k{k}_ = arith.index_cast %k{k} : index to i32
         %at{row} = arith.constant {row} : index
         %at{col} = arith.constant {col} : index
         pto.store_scalar %r{k}_, %e[%at{row}] : !pto.ptr<i32>, i32
         pto.store_scalar %k{k}_, %e[%at{col}] : !pto.ptr<i32>, i32\n"
    )
}

fn spelled(text: &str, open: bool) -> String {
    let mut parts = text.split("valid={");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |out, part| {
        let (region, rest) = part.split_once('}').expect("a region");
        out + "valid=" + if open { "?x?" } else { region } + rest
    })
}

/// What was stored, and the regions.
fn outcome(plan: &Plan) -> (Vec<u8>, [i32; 8]) {
    // No byte has a sign or is a NaN in any of the types.
    let mut x: Vec<u8> = (0..8 * PITCH * 4).map(|k| (k % 29) as u8 + if k % 2 == 1 { 0x20 } else { 0 }).collect();
    let mut y = vec![0xEEu8; 8 * PITCH * 4];
    let mut regions = [-1i32; 8];
    let extents = [ROWS, COLS].map(|n| Arg::Int(n as i64));
    let memory = [Arg::write_bytes(&mut x), Arg::write_bytes(&mut y), Arg::write(&mut regions)];
    let mut args: Vec<Arg> = memory.into_iter().chain(extents).collect();
    plan.launch().run(&mut args).expect("it runs");
    (y, regions)
}

#[test]
fn open_results_are_those_of_programs_that_know_their_extents() {
    for case in CASES {
        let (known_text, text) = (case.program(false), case.program(true));
        let known = outcome(&prepared(&Program::parse(&known_text), case.target, &known_text));
        let regions = case.results.iter().flat_map(|(_, ty)| {
            let region = ty.split_once("valid={").and_then(|(_, rest)| rest.split_once('}')).expect("a region").0;
            region.split('x').map(|n| n.parse::<i32>().expect("a number"))
        });
        assert!(regions.eq(known.1.iter().copied().take(2 * case.results.len())), "{known_text}");
        assert_eq!(case.stored, known.0.iter().any(|b| *b != 0xEE), "{known_text}");
        let open = Program::parse(&text);
        assert_eq!(outcome(&prepared(&open, case.target, &text)), known, "{text}");
        let checked = open.check(case.target).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        if case.target == Target::Cpu {
            continue;
        }
        let (low_text, low) = again(&lowered(&checked, false, SyncMode::Minimal));
        assert_eq!(outcome(&prepared(&low, case.target, &low_text)), known, "{low_text}");
        pto::emit::cpp(&checked, &pto::emit::Options::default()).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    }
}
