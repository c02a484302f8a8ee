//! What places and flags cost: time against the number of tiles and operations. `cargo bench -p pto --bench lower`

use pto::opt::{self, SyncMode, plan};
use pto::{Program, Target};
use pto_testkit::timing::best;
use std::fmt::Write;

fn main() {
    println!("places: tiles that are each needed for three operations");
    println!("{:>10}{:>14}{:>16}", "tiles", "ms", "peak/needed");
    for tiles in [1_000, 10_000, 40_000] {
        let checked = Program::parse(&chain(tiles)).check(Target::A5).expect("legal");
        let mut ratio = 0.0;
        let time = best(3, || {
            let planned =
                opt::plan_memory(&checked, plan::Options { tight: true, ..Default::default() }).expect("it fits");
            ratio = planned.spaces[0].peak as f64 / planned.spaces[0].needed as f64;
        });
        println!("{tiles:>10}{:>14.2}{ratio:>16.3}", time.as_secs_f64() * 1e3);
    }
    println!("\nflags: loads, computations and stores over 8 tiles, one behind the other");
    println!("{:>10}{:>14}{:>10}{:>10}", "operations", "ms", "flags", "barriers");
    for operations in [400, 1_600, 6_400, 25_600] {
        let checked = Program::parse(&straight(operations)).check(Target::A2A3).expect("legal");
        let mut counts = (0, 0);
        let time = best(3, || counts = opt::insert_sync(&checked, SyncMode::Minimal).counts());
        println!("{operations:>10}{:>14.2}{:>10}{:>10}", time.as_secs_f64() * 1e3, counts.0, counts.1);
    }
}

const HEAD: &str = "func.func @f(%x: !pto.ptr<f32>) {\n  %one = arith.constant 1 : index\n  %n = arith.constant 16 : index\n  \
%v = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>\n";
const TILE: &str = "!pto.tile_buf<vec, 16x16xf32>";

/// A tile is loaded, added to the one before, and used once more.
fn chain(tiles: usize) -> String {
    let mut text = HEAD.to_string();
    for k in 0..tiles {
        let _ = writeln!(text, "  %t{k} = pto.alloc_tile : {TILE}");
        let _ = writeln!(text, "  pto.tload ins(%v : !pto.tensor_view<16x16xf32>) outs(%t{k} : {TILE})");
        let before = k.saturating_sub(1);
        let _ = writeln!(text, "  pto.tadd ins(%t{k}, %t{before} : {TILE}, {TILE}) outs(%t{k} : {TILE})");
    }
    text + "  return\n}\n"
}

fn straight(operations: usize) -> String {
    let mut text = HEAD.to_string();
    for k in 0..8 {
        let _ = writeln!(
            text,
            "  %a{k} = arith.constant {} : i64\n  %t{k} = pto.alloc_tile addr = %a{k} : {TILE}",
            k * 1024
        );
    }
    for k in 0..operations {
        let (a, b) = (k % 8, (k * 5 + 3) % 8);
        let _ = match k % 4 {
            0 => writeln!(text, "  pto.tload ins(%v : !pto.tensor_view<16x16xf32>) outs(%t{a} : {TILE})"),
            3 => writeln!(text, "  pto.tstore ins(%t{a} : {TILE}) outs(%v : !pto.tensor_view<16x16xf32>)"),
            _ => writeln!(text, "  pto.tadd ins(%t{a}, %t{b} : {TILE}, {TILE}) outs(%t{a} : {TILE})"),
        };
    }
    text + "  return\n}\n"
}
