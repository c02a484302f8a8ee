//! The examples of five instruction pages, run: every text form, in auto and in manual mode.
//!
//! A page shows only the instruction. Around it stand loads into its sources and stores of its results; in manual mode
//! every tile is bound to an address first, as the pages do it.

use pto::cpu::{Arg, Options, Plan};
use pto::{Program, Target};
use std::fmt::Write;

/// A tile of an example: name, element type, rows, columns, valid columns.
struct Tile(&'static str, &'static str, usize, usize, usize);

impl Tile {
    fn ty(&self) -> String {
        let Self(_, elem, rows, cols, valid) = self;
        let column = if *cols == 1 { ", blayout=col_major" } else { "" };
        let partly = if valid == cols { String::new() } else { format!(", valid={rows}x{valid}") };
        format!("!pto.tile_buf<vec, {rows}x{cols}x{elem}{partly}{column}>")
    }

    fn bytes(&self) -> usize {
        let size = match self.1 {
            "f32" | "i32" => 4,
            "f16" | "i16" => 2,
            _ => 1,
        };
        self.2 * self.4 * size
    }
}

/// The program around the lines of an example.
fn program(tiles: &[Tile], scalars: &str, lines: &str, manual: bool) -> String {
    let params: Vec<String> = tiles.iter().map(|t| format!("%p_{}: !pto.ptr<{}>", t.0, t.1)).collect();
    let mut text =
        format!("func.func @example({}) {{\n{scalars}\n%one = arith.constant 1 : index\n", params.join(", "));
    for (at, t) in tiles.iter().enumerate() {
        let Tile(name, elem, rows, _, valid) = t;
        let view = format!("!pto.tensor_view<{rows}x{valid}x{elem}>");
        writeln!(text, "%r_{name} = arith.constant {rows} : index\n%c_{name} = arith.constant {valid} : index")
            .unwrap();
        writeln!(text, "%v_{name} = pto.make_tensor_view %p_{name}, shape = [%r_{name}, %c_{name}], strides = [%c_{name}, %one] : {view}").unwrap();
        writeln!(text, "%{name} = pto.alloc_tile : {}", t.ty()).unwrap();
        if manual {
            writeln!(text, "pto.tassign %{name}, @tile({:#x})", (at + 1) * 0x1000).unwrap();
        }
        writeln!(text, "pto.tload ins(%v_{name} : {view}) outs(%{name} : {})", t.ty()).unwrap();
    }
    writeln!(text, "{lines}").unwrap();
    for t in tiles {
        let Tile(name, elem, rows, _, valid) = t;
        let view = format!("!pto.tensor_view<{rows}x{valid}x{elem}>");
        writeln!(text, "pto.tstore ins(%{name} : {}) outs(%v_{name} : {view})", t.ty()).unwrap();
    }
    text + "return\n}\n"
}

/// Runs the example in both modes on both devices; gives the contents of all tiles, the same each time.
fn run(tiles: &[Tile], scalars: &str, lines: &str, data: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut results: Vec<Vec<Vec<u8>>> = Vec::new();
    for target in [Target::A2A3, Target::A5] {
        for manual in [false, true] {
            let text = program(tiles, scalars, lines, manual);
            let checked = Program::parse(&text).check(target).unwrap_or_else(|p| panic!("{text}\n{p:#?}"));
            let plan = Plan::new(&checked, None, Options::default()).unwrap_or_else(|p| panic!("{text}\n{p:#?}"));
            let mut data = data.to_vec();
            data.iter().zip(tiles).for_each(|(d, t)| assert_eq!(d.len(), t.bytes(), "{}", t.0));
            let mut args: Vec<Arg> = data.iter_mut().map(|d| Arg::write_bytes(&mut d[..])).collect();
            plan.launch().run(&mut args).unwrap_or_else(|p| panic!("{text}\n{p:#?}"));
            results.push(data);
        }
    }
    assert!(results.windows(2).all(|w| w[0] == w[1]), "modes and targets agree");
    results.remove(0)
}

fn floats(f: impl Fn(usize) -> f32, count: usize) -> Vec<u8> {
    (0..count).flat_map(|i| f(i).to_le_bytes()).collect()
}

fn to_floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Awkward enough to tell the operands apart, with ties.
fn left(i: usize) -> f32 {
    (i * 37 % 101) as f32 - 50.0
}

fn right(i: usize) -> f32 {
    (i * 53 % 97) as f32 - 48.0
}

fn two_tiles(mnemonic: &str, f: impl Fn(f32, f32) -> f32) {
    let square = |name| Tile(name, "f32", 16, 16, 16);
    let tiles = [square("src0"), square("src1"), square("dst")];
    let data = [floats(left, 256), floats(right, 256), floats(|_| 7.0, 256)];
    let want: Vec<f32> = (0..256).map(|i| f(left(i), right(i))).collect();
    for lines in [
        "%dst = OP %src0, %src1 : !pto.tile<...>",
        "# Auto mode: compiler/runtime-managed placement and scheduling.\n\
         %dst = pto.OP %src0, %src1 : (!pto.tile<...>, !pto.tile<...>) -> !pto.tile<...>",
        "pto.OP ins(%src0, %src1 : !pto.tile_buf<...>, !pto.tile_buf<...>) outs(%dst : !pto.tile_buf<...>)",
    ] {
        let out = run(&tiles, "", &lines.replace("OP", mnemonic), &data);
        assert_eq!(to_floats(&out[2]), want, "{lines}");
        assert_eq!(out[..2], data[..2], "sources stay");
    }
}

#[test]
fn tmax() {
    two_tiles("tmax", f32::max);
}

#[test]
fn tmin() {
    two_tiles("tmin", f32::min);
}

#[test]
fn tpartargmax() {
    let value = |name| Tile(name, "f32", 16, 16, 16);
    let index = |name| Tile(name, "i32", 16, 16, 16);
    let tiles =
        [value("src0Val"), value("src1Val"), index("src0Idx"), index("src1Idx"), value("dstVal"), index("dstIdx")];
    let numbers = |from: i32| (0..256).flat_map(|i| (from + i).to_le_bytes()).collect::<Vec<u8>>();
    let data = [floats(left, 256), floats(right, 256), numbers(0), numbers(1000), floats(|_| 0.0, 256), numbers(0)];
    for lines in [
        "%dstVal, %dstIdx = tpartargmax %src0Val, %src1Val, %src0Idx, %src1Idx : !pto.tile<...> -> (!pto.tile<...>, !pto.tile<...>)",
        "%dstVal, %dstIdx = pto.tpartargmax %src0Val, %src1Val, %src0Idx, %src1Idx : (!pto.tile<...>, !pto.tile<...>, !pto.tile<...>, !pto.tile<...>) -> (!pto.tile<...>, !pto.tile<...>)",
        "pto.tpartargmax ins(%src0Val, %src1Val, %src0Idx, %src1Idx : !pto.tile_buf<...>, !pto.tile_buf<...>, !pto.tile_buf<...>, !pto.tile_buf<...>) outs(%dstVal, %dstIdx : !pto.tile_buf<...>, !pto.tile_buf<...>)",
    ] {
        let out = run(&tiles, "", lines, &data);
        // A tie takes the second source.
        let first = |i: usize| left(i) > right(i);
        assert!((0..256).any(|i| left(i) == right(i)), "the data has ties");
        let values: Vec<f32> = (0..256).map(|i| if first(i) { left(i) } else { right(i) }).collect();
        let indices: Vec<u8> =
            (0..256).flat_map(|i| (i as i32 + if first(i) { 0 } else { 1000 }).to_le_bytes()).collect();
        assert_eq!(to_floats(&out[4]), values);
        assert_eq!(out[5], indices);
    }
}

#[test]
fn trowexpandmax() {
    let full = |name| Tile(name, "f32", 16, 16, 16);
    // One value for each row: a column, or a block of 32 bytes that is repeated.
    for (row, period) in [(Tile("src1", "f32", 16, 1, 1), 1), (Tile("src1", "f32", 16, 8, 8), 8)] {
        let data = [floats(left, 256), floats(right, 16 * row.4), floats(|_| 0.0, 256)];
        let tiles = [full("src0"), row, full("dst")];
        let want: Vec<f32> = (0..256).map(|i| left(i).max(right(i / 16 * period + i % 16 % period))).collect();
        for lines in [
            "%dst = trowexpandmax %src0, %src1 : !pto.tile<...>, !pto.tile<...> -> !pto.tile<...>",
            "%dst = pto.trowexpandmax %src0, %src1 : (!pto.tile<...>, !pto.tile<...>) -> !pto.tile<...>",
            "pto.trowexpandmax ins(%src0, %src1 : !pto.tile_buf<...>, !pto.tile_buf<...>) outs(%dst : !pto.tile_buf<...>)",
        ] {
            let out = run(&tiles, "", lines, &data);
            assert_eq!(to_floats(&out[2]), want, "{lines}");
        }
    }
}

#[test]
fn tcmps() {
    let tiles = [Tile("src", "f32", 16, 16, 16), Tile("dst", "ui8", 16, 32, 2)];
    let data = [floats(left, 256), vec![0xaa; 32]];
    for (mode, holds) in [
        ("eq", (|a, b| a == b) as fn(f32, f32) -> bool),
        ("ne", |a, b| a != b),
        ("lt", |a, b| a < b),
        ("le", |a, b| a <= b),
        ("gt", |a, b| a > b),
        ("ge", |a, b| a >= b),
    ] {
        let mut want = vec![0u8; 32];
        for i in 0..256 {
            want[i / 16 * 2 + i % 16 / 8] |= u8::from(holds(left(i), 0.0)) << (i % 8);
        }
        for lines in [
            "%dst = tcmps %src, %scalar {cmpMode = #pto.cmp<MODE>} : !pto.tile<...> -> !pto.tile<...>",
            "%dst = pto.tcmps %src, %scalar {cmpMode = #pto<cmp mode>} : (!pto.tile<...>, f32) -> !pto.tile<...>",
            "pto.tcmps ins(%src, %scalar{cmpMode = #pto<cmp mode>}: !pto.tile_buf<...>, f32) outs(%dst : !pto.tile_buf<...>)",
        ] {
            let lines = lines.replace("mode>", &format!("{mode}>")).replace("MODE", &mode.to_uppercase());
            let out = run(&tiles, "%scalar = arith.constant 0.0 : f32", &lines, &data);
            assert_eq!(out[1], want, "{lines}");
        }
    }
}
