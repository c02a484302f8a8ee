//! Whatever passes the rules stays inside its tiles.
//!
//! Legal uses of every instruction are changed at random: tiles become larger or smaller, and their valid regions are open or
//! what chance says. Rules may refuse that, before the program or while it runs. What they let pass must not reach behind a
//! tile, which kernels assert in builds with assertions, must not change what it only reads, and must give the same with and
//! without the fast ways through a tile.
//! `BOUNDS_USES=4 BOUNDS_ROUNDS=100 cargo test -p pto --test suite bounds` tries more, `BOUNDS_SEED` others.

use pto::cpu::ParamKind;
use pto::isa::fill::{Filling, data_types, several};
use pto::isa::row::Slot;
use pto::isa::{DType, Dim, Dir, Family, Op, Order, ScalarType, Target, TileType, Type, table};
use pto::{Arg, Options, Plan, Program, sample};
use pto_testkit::random::Random;
use pto_testkit::same::same;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Uses of an instruction on one element type (`BOUNDS_USES`), and how often each is changed.
const USES: u64 = 1;
const ROUNDS: u64 = 1;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn what_is_legal_stays_inside() {
    let (rounds, seed) = (setting("BOUNDS_ROUNDS", ROUNDS), setting("BOUNDS_SEED", 1));
    let rng = &mut Random(seed);
    let (mut ran, mut tried) = (0, 0);
    let mut wrong = Vec::new();
    for op in table::isa() {
        for target in Target::ALL.into_iter().filter(|t| op.row().targets.contains(*t)) {
            for filling in uses(op, target) {
                for _ in 0..rounds {
                    tried += 1;
                    match attempt(&changed(&filling, rng), target, rng) {
                        Ok(done) => ran += u64::from(done),
                        Err(problem) => wrong.push(problem),
                    }
                }
            }
        }
    }
    println!("{ran} of {tried} changed uses ran");
    assert!(ran > tried / 3, "hardly anything ran: {ran} of {tried}");
    assert!(wrong.is_empty(), "{} uses, the first ones:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
}

fn uses(op: Op, target: Target) -> Vec<Filling> {
    let types = data_types(op.row(), target);
    types.into_iter().flat_map(|data| several(op, target, data, 400, setting("BOUNDS_USES", USES) as usize)).collect()
}

/// The same instruction on other tiles.
fn changed(filling: &Filling, rng: &mut Random) -> Filling {
    let mut filling = filling.clone();
    for (_, ty) in &mut filling.types {
        if let Type::TileBuf(tile) = ty
            && !rng.once_in(3)
        {
            *tile = other_tile(tile, rng);
        }
    }
    filling
}

fn up_to(rng: &mut Random, most: u64) -> u64 {
    rng.next() % (most + 1)
}

fn other_tile(tile: &TileType, rng: &mut Random) -> TileType {
    let (high, wide) = tile.box_shape();
    let other = |n: u64, unit: u64, rng: &mut Random| match rng.below(5) {
        0 => (n / 2).max(unit),
        1 => n * 2,
        2 => unit,
        _ => n,
    };
    let mut new = *tile;
    new.rows = other(tile.rows, high, rng).next_multiple_of(high);
    new.cols = other(tile.cols, wide, rng).next_multiple_of(wide);
    match rng.below(3) {
        0 => new.valid(Dim::Fixed(new.rows), Dim::Fixed(new.cols)),
        1 => new.valid(Dim::Fixed(up_to(rng, new.rows)), Dim::Fixed(up_to(rng, new.cols))),
        _ => new.valid(Dim::Dynamic, Dim::Dynamic),
    }
}

/// Whether a use ran; what went wrong, if something did.
fn attempt(filling: &Filling, target: Target, rng: &mut Random) -> Result<bool, String> {
    let text = sample::around(filling);
    let Ok(checked) = Program::parse(&text).check(target) else { return Ok(false) };
    let mut results = Vec::new();
    let seed = rng.next();
    for plain in [false, true] {
        let Ok(plan) = Plan::new(&checked, None, Options::default().plain(plain)) else { return Ok(false) };
        let memory = &mut Memory::new(&plan, &mut Random(seed));
        let before = memory.bytes.clone();
        let done = catch_unwind(AssertUnwindSafe(|| memory.run(&plan).is_ok()));
        let told = |what: &str| format!("{what} on {target}, plain: {plain}, valid: {:?}\n{text}", memory.valid);
        let is_done = done.map_err(|cause| {
            let message = cause.downcast_ref::<String>().map_or("a panic", String::as_str);
            told(message)
        })?;
        if let Some(name) = only_read(filling).find(|n| memory.differs(&plan, &before, n)) {
            return Err(told(&format!("`{name}` is changed")));
        }
        results.push((is_done, std::mem::take(&mut memory.bytes)));
        if plain && !agree(&plan, &results[0], &results[1]) {
            return Err(told("another result"));
        }
    }
    Ok(results[0].0)
}

/// Both ended in the same way and left the same; one NaN is as good as another.
fn agree(plan: &Plan, a: &(bool, Vec<Vec<u8>>), b: &(bool, Vec<Vec<u8>>)) -> bool {
    let alike = |at: usize| {
        let (x, y) = (&a.1[at], &b.1[at]);
        let size = plan.params()[at].kind.elem().map_or(1, |d| d.unit_bytes() as usize);
        let same = |d| x.chunks(size).zip(y.chunks(size)).all(|(x, y)| same(d, x, y));
        x == y || plan.params()[at].kind.elem().is_some_and(same)
    };
    a.0 == b.0 && (0..a.1.len()).all(alike)
}

/// Tiles that an instruction only reads. Scratch is written, and so are the tiles that communication goes through.
fn only_read(filling: &Filling) -> impl Iterator<Item = &'static str> {
    let row = filling.op.row();
    let is_read = |s: &&Slot| s.dir == Dir::In && row.scratch.is_none_or(|of| of.slot != s.name);
    row.slots.iter().filter(is_read).filter(|_| row.family != Family::Comm).map(|s| s.name)
}

/// What a program is given, by parameter.
struct Memory {
    bytes: Vec<Vec<u8>>,
    numbers: Vec<i64>,
    valid: Vec<(u64, u64)>,
}

impl Memory {
    fn new(plan: &Plan, rng: &mut Random) -> Self {
        let (mut bytes, mut numbers, mut valid) = (Vec::new(), Vec::new(), Vec::new());
        for param in plan.params() {
            let mut region = (0, 0);
            let size = match &param.kind {
                ParamKind::Tile(t) => {
                    let open = |d: Dim, room: u64, rng: &mut Random| match d {
                        Dim::Fixed(n) => n,
                        Dim::Dynamic if !rng.once_in(3) => room,
                        Dim::Dynamic => up_to(rng, room),
                    };
                    region = (open(t.valid_rows, t.rows, rng), open(t.valid_cols, t.cols, rng));
                    (t.elements() * u64::from(t.column_bits())).div_ceil(8)
                }
                ParamKind::Tensor(d, dims) => {
                    dims.iter().map(|n| n.unwrap_or(1)).product::<u64>() * u64::from(d.unit_bytes())
                }
                ParamKind::Pointer(_) => 4096,
                _ => 0,
            };
            let small = rng.once_in(2);
            bytes.push((0..size).map(|_| if small { 0 } else { rng.below(256) as u8 }).collect());
            numbers.push(rng.below(40) as i64);
            valid.push(region);
        }
        Self { bytes, numbers, valid }
    }

    fn run(&mut self, plan: &Plan) -> Result<(), String> {
        let mut args = Vec::new();
        let shapes: Vec<Vec<u64>> = plan
            .params()
            .iter()
            .map(|p| match &p.kind {
                ParamKind::Tensor(_, dims) => dims.iter().map(|n| n.unwrap_or(1)).collect(),
                _ => Vec::new(),
            })
            .collect();
        for (((param, bytes), shape), (number, valid)) in
            plan.params().iter().zip(&mut self.bytes).zip(&shapes).zip(self.numbers.iter().zip(&self.valid))
        {
            args.push(match &param.kind {
                ParamKind::Tile(_) => Arg::write_bytes(bytes).valid(valid.0, valid.1),
                ParamKind::Tensor(..) => Arg::write_bytes(bytes).shape(shape),
                ParamKind::Pointer(_) => Arg::write_bytes(bytes),
                ParamKind::Scalar(s) if *s == ScalarType::F64 || s.elem().is_some_and(|d| d.is_float()) => {
                    Arg::Float(*number as f64)
                }
                _ => Arg::Int(*number),
            });
        }
        plan.launch().run(&mut args).map(|_| ()).map_err(|d| d.diagnostics()[0].message.clone())
    }

    fn differs(&self, plan: &Plan, before: &[Vec<u8>], name: &str) -> bool {
        let at = plan.params().iter().position(|p| p.name == name);
        // Which 4-bit integers share a byte of a box is not said anywhere.
        let is_said = |t: &TileType| t.dtype != DType::I4 || t.order() == Order::Nd;
        at.is_some_and(|at| {
            matches!(&plan.params()[at].kind, ParamKind::Tile(t) if is_said(t)) && self.bytes[at] != before[at]
        })
    }
}
