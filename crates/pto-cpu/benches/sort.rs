//! Sorting and merging, next to the standard library on the same data.
//!
//! `cargo bench -p pto-cpu --bench sort` prints millions of elements per second on one thread: of the instruction, run by the
//! engine again and again, and of `sort_unstable_by_key` on pairs of a value's key and an index. The goal is five times what
//! the public simulator reaches with `tsort32`.

use pto_cpu::{Arg, Options, Plan};
use pto_isa::Target;
use std::hint::black_box;
use std::time::Instant;

/// Five times 77 million elements per second.
const GOAL: f64 = 385.0;
/// How often the program repeats its instruction.
const ITERATIONS: usize = 800;
/// Elements of a tile.
const ELEMENTS: usize = 4096;

fn main() {
    println!("{:<28} {:>10} {:>10} {:>8} {:>8}", "Melem/s", "engine", "std sort", "ratio", "goal");
    for (dtype, columns) in [("f32", 2), ("f16", 4)] {
        for rows in [1, 64] {
            report(&format!("tsort32 {dtype} {rows}x{}", ELEMENTS / rows), &sorting(dtype, columns, rows), columns, 32);
        }
        for list in [32, 256, 1024] {
            report(&format!("tmrgsort {dtype} 4x{list}"), &merging(dtype, columns, list), columns, 4 * list);
        }
    }
}

/// A program that repeats one instruction.
fn program(params: &str, instruction: &str) -> Plan {
    let text = format!(
        "func.func @f({params}) {{
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : index
          %iterations = arith.constant {ITERATIONS} : index
          scf.for %i = %zero to %iterations step %one {{
            {instruction}
          }}
          return
        }}"
    );
    let (module, _) = pto_syntax::parse(&text);
    let checked = pto_check::check(module, Target::A2A3).unwrap_or_else(|p| panic!("{text}\n{p:#?}"));
    Plan::new(&checked, None, Options::default()).unwrap_or_else(|p| panic!("{p:#?}"))
}

fn tile(rows: usize, cols: usize, dtype: &str) -> String {
    format!("!pto.tile_buf<vec, {rows}x{cols}x{dtype}>")
}

fn sorting(dtype: &str, columns: usize, rows: usize) -> (Plan, Vec<Vec<u8>>) {
    let cols = ELEMENTS / rows;
    let (src, idx, dst) = (tile(rows, cols, dtype), tile(rows, cols, "ui32"), tile(rows, cols * columns, dtype));
    let plan = program(
        &format!("%src: {src}, %idx: {idx}, %dst: {dst}"),
        &format!("pto.tsort32 ins(%src, %idx : {src}, {idx}) outs(%dst : {dst})"),
    );
    let values = random().flat_map(|x| element(x, columns)).collect();
    (plan, vec![values, (0..ELEMENTS as u32).flat_map(u32::to_le_bytes).collect(), vec![0; ELEMENTS * 8]])
}

fn merging(dtype: &str, columns: usize, list: usize) -> (Plan, Vec<Vec<u8>>) {
    let row = tile(1, ELEMENTS * columns, dtype);
    let instruction = format!("pto.tmrgsort ins(%src, %len : {row}, i32) outs(%dst : {row})");
    let plan = program(
        &format!("%src: {row}, %dst: {row}"),
        &format!("%len = arith.constant {} : i32\n{instruction}", list * columns),
    );
    let mut values: Vec<f32> = random().collect();
    values.chunks_mut(list).for_each(|l| l.sort_unstable_by(|a, b| b.total_cmp(a)));
    let record = |(i, x): (usize, f32)| {
        let mut bytes = element(x, columns);
        bytes.resize(4, 0);
        bytes.extend((i as u32).to_le_bytes());
        bytes
    };
    (plan, vec![values.into_iter().enumerate().flat_map(record).collect(), vec![0; ELEMENTS * 8]])
}

fn element(x: f32, columns: usize) -> Vec<u8> {
    if columns == 2 { x.to_le_bytes().to_vec() } else { pto_num::F16::from_f32(x).0.to_le_bytes().to_vec() }
}

/// Numbers without order.
fn random() -> impl Iterator<Item = f32> {
    let mut state = 1u64;
    (0..ELEMENTS).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 1e5 - 80.0
    })
}

fn report(name: &str, (plan, memory): &(Plan, Vec<Vec<u8>>), columns: usize, group: usize) {
    let mut memory = memory.clone();
    let mut engine = f64::INFINITY;
    let mut standard = f64::INFINITY;
    let pairs = pairs(&memory[0], columns);
    // In iterations, so that both see the same machine.
    for _ in 0..100 {
        let mut args: Vec<Arg> = memory.iter_mut().map(|m| Arg::write_bytes(m)).collect();
        let start = Instant::now();
        plan.launch().threads(1).run(&mut args).expect("it runs");
        engine = engine.min(start.elapsed().as_secs_f64() / ITERATIONS as f64);
        let mut copy = pairs.clone();
        let start = Instant::now();
        copy.chunks_mut(group).for_each(|g| g.sort_unstable_by_key(|(key, _)| !key));
        standard = standard.min(start.elapsed().as_secs_f64());
        black_box(copy);
    }
    let rate = |seconds: f64| ELEMENTS as f64 / seconds / 1e6;
    let (engine, standard) = (rate(engine), rate(standard));
    let goal = if engine >= GOAL { "reached" } else { "missed" };
    println!("{name:<28} {engine:>10.0} {standard:>10.0} {:>7.1}x {goal:>8}", engine / standard);
}

/// Keys in rising order with their places.
fn pairs(bytes: &[u8], columns: usize) -> Vec<(u32, u32)> {
    let size = 8 / columns;
    let step = bytes.len() / ELEMENTS;
    let value = |i: usize| match size {
        4 => f32::from_le_bytes(bytes[i * step..i * step + 4].try_into().expect("four bytes")),
        _ => pto_num::F16(u16::from_le_bytes(bytes[i * step..i * step + 2].try_into().expect("two bytes"))).to_f32(),
    };
    let key = |x: f32| {
        let bits = x.to_bits();
        if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
    };
    (0..ELEMENTS).map(|i| (key(value(i)), i as u32)).collect()
}
