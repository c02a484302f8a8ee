//! Programs of any length, of every shape that something could take too long for.
//!
//! A shape is made with about as many lines as asked for. Nothing here uses a crate, so that benches and tests share it.

mod broken;
mod choice;
mod control;
mod data;
mod names;

/// A way in which a program can be long.
pub struct Shape {
    /// What it is called.
    pub name: &'static str,
    /// Its text, with about this many lines.
    pub text: fn(usize) -> String,
    /// What is to be expected of it.
    pub kind: ShapeKind,
}

/// What is to be expected of a shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShapeKind {
    /// It runs.
    Runs,
    /// It is legal, but something about it does not fit or is not possible.
    Legal,
    /// It has an error wherever it can.
    Broken,
}

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Shape> {
    [control::SHAPES, data::SHAPES, choice::SHAPES, names::SHAPES, broken::SHAPES].into_iter().flatten()
}

/// The start of a function with two views of memory, two tiles and some numbers.
const HEAD: &str = "\
!t = !pto.tile_buf<vec, 16x64xf32>
!v = !pto.tensor_view<16x64xf32>
func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.entry} {
  %block = pto.get_block_idx
  %zero = arith.constant 0 : i64
  %c = arith.cmpi eq, %block, %zero : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %f = arith.constant 2.0 : f32
  %xs = pto.make_tensor_view %x, shape = [%c16, %c64], strides = [%c64, %c1] : !v
  %ys = pto.make_tensor_view %y, shape = [%c16, %c64], strides = [%c64, %c1] : !v
  %t = pto.alloc_tile : !t
  %u = pto.alloc_tile : !t
  pto.tload ins(%xs : !v) outs(%t : !t)
  pto.tload ins(%ys : !v) outs(%u : !t)
";

const LOAD: &str = "    pto.tload ins(%xs : !v) outs(%t : !t)\n";
const ADD: &str = "    pto.tadd ins(%t, %t : !t, !t) outs(%u : !t)\n";
const STORE: &str = "    pto.tstore ins(%u : !t) outs(%ys : !v)\n";
const END: &str = "  return\n}\n";

/// The start of the same function without tiles.
fn without_tiles() -> String {
    HEAD[..HEAD.find("  %t = ").unwrap_or(0)].to_string()
}

/// A function with this many pieces.
fn around(count: usize, piece: impl FnMut(usize) -> String) -> String {
    let mut text = HEAD.to_string();
    text.extend((0..count).map(piece));
    text + END
}

/// A program with small tiles, so that many fit.
fn small(text: &str) -> String {
    text.replace("16x64xf32", "1x8xf32").replace("constant 16 ", "constant 1 ").replace("constant 64 ", "constant 8 ")
}
