//! Where a number comes from, tried out: an element that a result does not come from can be anything, and the result stays.
//!
//! Uses of every instruction are derived from the table, recorded, and asked where elements of their results come from. Then elements of
//! operands that were not named change, and the instruction runs again. `PROVENANCE_USES=4 PROVENANCE_ELEMENTS=20` tries more,
//! `PROVENANCE_SEED` others, `PROVENANCE_OP=tmov` one instruction.

use pto::cpu::{Arg, ParamKind, Plan, RegisterChange, ViewPlace};
use pto::isa::fill::{Filling, data_types, several};
use pto::isa::{DType, Dim, Op, Order, ScalarType, Target, Type, table};
use pto::{Program, sample};
use pto_testkit::random::Random;
use pto_testkit::same::same;
use pto_trace::{Player, RecordOptions, RecordedSource, Recording, SourceElements};
use std::collections::{BTreeMap, BTreeSet};

/// Uses of an instruction on a target, and elements of each result that are asked for.
const USES: u64 = 1;
const ELEMENTS: u64 = 2;
/// Elements of each operand that change one by one, for one of a result.
const CHANGES: usize = 2;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// The arguments of a use, by parameter.
#[derive(Clone)]
struct Given {
    bytes: Vec<Vec<u8>>,
    numbers: Vec<i64>,
    valid: Vec<(u64, u64)>,
    shapes: Vec<Vec<u64>>,
}

/// Bytes of an element: floats that are ordinary numbers, so that a sum does not hide what changed.
fn element(dtype: DType, rng: &mut Random) -> Vec<u8> {
    let small = rng.below(2001) as f32 / 100.0 - 10.0;
    match dtype {
        DType::F32 => small.to_le_bytes().to_vec(),
        DType::F16 => (0x3800 + rng.below(0x800) as u16).to_le_bytes().to_vec(),
        DType::Bf16 => ((small.to_bits() >> 16) as u16).to_le_bytes().to_vec(),
        _ => (0..dtype.unit_bytes()).map(|k| if k == 0 { rng.below(16) as u8 } else { 0 }).collect(),
    }
}

impl Given {
    fn new(plan: &Plan, rng: &mut Random) -> Self {
        let mut given = Self { bytes: Vec::new(), numbers: Vec::new(), valid: Vec::new(), shapes: Vec::new() };
        for param in plan.params() {
            let (mut region, mut shape) = ((0, 0), Vec::new());
            let (size, dtype) = match &param.kind {
                ParamKind::Tile(t) => {
                    let open = |d: Dim, room: u64| d.fixed().unwrap_or(room);
                    region = (open(t.valid_rows, t.rows), open(t.valid_cols, t.cols));
                    ((t.elements() * u64::from(t.column_bits())).div_ceil(8), t.dtype)
                }
                ParamKind::Tensor(d, dims) => {
                    shape = dims.iter().map(|n| n.unwrap_or(1)).collect();
                    (shape.iter().product::<u64>() * u64::from(d.unit_bytes()), *d)
                }
                ParamKind::Pointer(_) => (4096, DType::U8),
                _ => (0, DType::U8),
            };
            let mut bytes = Vec::new();
            while (bytes.len() as u64) < size {
                bytes.extend(element(dtype, rng));
            }
            bytes.truncate(size as usize);
            given.bytes.push(bytes);
            given.numbers.push(rng.below(3) as i64);
            given.valid.push(region);
            given.shapes.push(shape);
        }
        given
    }

    fn args(&mut self, plan: &Plan) -> Vec<Arg<'_>> {
        let parts = self.bytes.iter_mut().zip(&self.shapes).zip(self.numbers.iter().zip(&self.valid));
        let arg = |(param, ((bytes, shape), (number, valid))): (&pto::cpu::Param, _)| {
            let (bytes, shape, number, valid): (&mut Vec<u8>, &Vec<u64>, &i64, &(u64, u64)) =
                (bytes, shape, number, valid);
            match &param.kind {
                ParamKind::Tile(_) => Arg::write_bytes(bytes).valid(valid.0, valid.1),
                ParamKind::Tensor(..) => Arg::write_bytes(bytes).shape(shape),
                ParamKind::Pointer(_) => Arg::write_bytes(bytes),
                ParamKind::Scalar(s) if *s == ScalarType::F64 || s.elem().is_some_and(|d| d.is_float()) => {
                    Arg::Float(*number as f64)
                }
                _ => Arg::Int(*number),
            }
        };
        plan.params().iter().zip(parts).map(arg).collect()
    }
}

/// A use that ran, with what it was given.
struct Tried {
    recording: Recording,
    given: Given,
    /// The moment of the instruction.
    moment: usize,
}

fn tried(op: Op, filling: &Filling, target: Target, rng: &mut Random) -> Option<Tried> {
    let text = sample::around(filling);
    Program::parse(&text).check(target).ok()?;
    let source = RecordedSource::new("use.pto", &text, target);
    let plan = source.plan().ok()?;
    let given = Given::new(&plan, rng);
    let mut after = given.clone();
    let (ran, recording) = pto_trace::record(source, RecordOptions::default(), 1, 1, &mut after.args(&plan)).ok()?;
    ran.ok()?;
    let is_it = |at: &usize| recording.module().op(recording.moment(*at).op).op == op;
    let moment = (0..recording.len()).find(is_it)?;
    Some(Tried { recording, given, moment })
}

/// An element of a parameter: which, and the bytes and bits of it.
#[derive(Clone, Copy)]
struct Cell {
    param: usize,
    first: usize,
    bytes: usize,
    shift: u64,
    bits: u32,
}

/// Where the elements of a parameter lie in its argument.
enum Lies {
    /// An argument has the elements of a tile row by row, whatever its layout.
    Rows(u64, u32),
    View(ViewPlace, u32),
}

impl Lies {
    fn cell(&self, param: usize, row: u64, col: u64) -> Cell {
        let (first, shift, bits) = match self {
            Self::Rows(cols, bits) => {
                let bit = (row * cols + col) * u64::from(*bits);
                (bit as i64 / 8, bit % 8, *bits)
            }
            Self::View(place, bits) => {
                let (first, shift) = place.element(*bits, row, col);
                (first, shift, *bits)
            }
        };
        Cell { param, first: first as usize, bytes: bits.div_ceil(8) as usize, shift, bits }
    }
}

impl Tried {
    /// Where the elements of an operand lie that is a parameter.
    fn lies(&self, player: &mut Player<'_>, param: usize) -> Option<Lies> {
        let (recording, moment) = (&self.recording, self.recording.moment(self.moment));
        let value = recording.find(&recording.plan().params()[param].name).ok()?;
        match player.place(moment.core, value, Some(self.moment))? {
            RegisterChange::Tile(_, place) => {
                let ty = recording.plan().tile_type(moment.core.role, place.geometry)?;
                // Which 4-bit integers share a byte is only said of plain rows.
                let is_said = ty.dtype != DType::I4 || ty.order() == Order::Nd;
                is_said.then(|| Lies::Rows(ty.cols, ty.column_bits()))
            }
            RegisterChange::View(_, place) => {
                Some(Lies::View(place, recording.module().value_type(value).elem()?.column_bits()))
            }
            _ => None,
        }
    }

    fn extents(&self, param: usize) -> Option<(u64, u64)> {
        match &self.recording.plan().params()[param].kind {
            ParamKind::Tile(t) => Some((t.rows, t.cols)),
            ParamKind::Tensor(_, _) => {
                let moment = self.recording.moment(self.moment);
                let value = self.recording.find(&self.recording.plan().params()[param].name).ok()?;
                match Player::new(&self.recording).place(moment.core, value, Some(self.moment))? {
                    RegisterChange::View(_, place) => Some(place.matrix_size()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn read(given: &Given, cell: &Cell) -> Vec<u8> {
        let bytes = given.bytes[cell.param].get(cell.first..cell.first + cell.bytes).unwrap_or(&[]);
        if cell.bits < 8 { bytes.iter().map(|b| b >> cell.shift & 15).collect() } else { bytes.to_vec() }
    }

    fn change(given: &mut Given, cell: &Cell, rng: &mut Random) {
        if cell.first + cell.bytes > given.bytes[cell.param].len() {
            return;
        }
        if cell.bits < 8 {
            given.bytes[cell.param][cell.first] ^= (1 + rng.below(15) as u8) << cell.shift;
        } else {
            given.bytes[cell.param][cell.first..][..cell.bytes].iter_mut().for_each(|b| *b = rng.below(256) as u8);
        }
    }
}

/// What came of an instruction on a target.
#[derive(Default)]
struct Findings {
    /// The first wrong answer of each instruction.
    wrong: BTreeMap<&'static str, String>,
    /// Instructions of which every source was exact, and those of which one was not.
    exact: BTreeSet<&'static str>,
    vague: BTreeSet<&'static str>,
    changes: u64,
    ran: BTreeMap<&'static str, u64>,
}

fn attempt(op: Op, filling: &Filling, target: Target, rng: &mut Random, findings: &mut Findings) {
    let Some(tried) = tried(op, filling, target, rng) else { return };
    *findings.ran.entry(op.row().name).or_default() += 1;
    let recording = &tried.recording;
    let mut player = Player::new(recording);
    let moment = recording.moment(tried.moment);
    let plan = recording.plan();
    for (at, access) in moment.accesses.iter().enumerate().filter(|(_, a)| a.write && !a.is_work_space()) {
        let Some(value) = access.value else { continue };
        let name = recording.module().value_name(value);
        let Some(dst) = plan.params().iter().position(|p| p.name == name) else { continue };
        let Some((rows, cols)) = tried.extents(dst) else { continue };
        let is_tile = matches!(recording.module().value_type(value), Type::TileBuf(_) | Type::Tile(_));
        let (rows, cols) = if is_tile {
            (u64::from(access.valid.0).min(rows), u64::from(access.valid.1).min(cols))
        } else {
            (rows, cols)
        };
        if access.tile == Some(pto::cpu::DEVICE) || rows * cols == 0 {
            continue;
        }
        for _ in 0..setting("PROVENANCE_ELEMENTS", ELEMENTS) {
            let (row, col) = (rng.next() % rows, rng.next() % cols);
            let sources = player.sources(tried.moment, at, row, col);
            let is_exact = sources.iter().all(|s| s.exact);
            if is_exact { &mut findings.exact } else { &mut findings.vague }.insert(op.row().name);
            check(&tried, &mut player, (dst, row, col), &sources, rng, findings, target);
        }
    }
}

fn check(
    tried: &Tried,
    player: &mut Player<'_>,
    (dst, row, col): (usize, u64, u64),
    sources: &[SourceElements],
    rng: &mut Random,
    findings: &mut Findings,
    target: Target,
) {
    let recording = &tried.recording;
    let plan = recording.plan();
    let Some(result) = tried.lies(player, dst).map(|lies| lies.cell(dst, row, col)) else { return };
    let run = |given: &mut Given| plan.launch().run(&mut given.args(plan)).is_ok();
    let mut first = tried.given.clone();
    assert!(run(&mut first), "it ran before");
    let expected = Tried::read(&first, &result);
    let dtype = plan.params()[dst].kind.elem().unwrap_or(DType::U8);
    for (param, about) in plan.params().iter().enumerate() {
        let Some((rows, cols)) = tried.extents(param) else { continue };
        let claims: Vec<&SourceElements> = sources
            .iter()
            .filter(|s| s.value.is_some_and(|v| recording.module().value_name(v) == about.name))
            .collect();
        let Some(lies) = tried.lies(player, param).filter(|_| claims.iter().all(|c| c.exact)) else { continue };
        let others: Vec<(u64, u64)> = (0..rows * cols)
            .map(|k| (k / cols, k % cols))
            .filter(|(r, c)| !claims.iter().any(|s| s.rows.contains(r) && s.cols.contains(c)))
            .collect();
        // All of them at once; one by one where that makes data which the instruction refuses.
        let single = (0..CHANGES).filter_map(|_| rng.choose(&others).map(|one| vec![*one])).collect::<Vec<_>>();
        for changed in [others].into_iter().chain(single) {
            let mut other = tried.given.clone();
            for (r, c) in &changed {
                Tried::change(&mut other, &lies.cell(param, *r, *c), rng);
            }
            if !run(&mut other) {
                continue;
            }
            findings.changes += changed.len() as u64;
            let found = Tried::read(&other, &result);
            if !same(dtype, &expected, &found) {
                let claims: Vec<String> = claims.iter().map(|s| format!("{:?} {:?}", s.rows, s.cols)).collect();
                let op = recording.module().op(recording.moment(tried.moment).op).op;
                findings.wrong.entry(op.row().name).or_insert_with(|| {
                    format!(
                        "{target}: `{}`[{row}, {col}] depends on other elements of `{}` than {claims:?}\n{}",
                        plan.params()[dst].name,
                        about.name,
                        recording.source().text
                    )
                });
                return;
            }
        }
    }
}

#[test]
fn results_come_from_the_elements_that_are_named() {
    let rng = &mut Random(setting("PROVENANCE_SEED", 1));
    let wanted = std::env::var("PROVENANCE_OP").ok();
    let mut findings = Findings::default();
    for op in table::isa().filter(|op| wanted.as_ref().is_none_or(|name| name == op.row().name)) {
        for target in Target::ALL.into_iter().filter(|t| op.row().targets.contains(*t)) {
            for _ in 0..setting("PROVENANCE_USES", USES) {
                let types = data_types(op.row(), target);
                let Some(data) = rng.choose(&types) else { continue };
                let uses = several(op, target, *data, 200, 6);
                let Some(filling) = rng.choose(&uses) else { continue };
                attempt(op, filling, target, rng, &mut findings);
            }
        }
    }
    let vague: Vec<_> = findings.vague.iter().copied().collect();
    println!("{} instructions ran, {} changes; not exact: {}", findings.ran.len(), findings.changes, vague.join(" "));
    let wrong: Vec<String> = findings.wrong.into_values().collect();
    assert!(wrong.is_empty(), "{} instructions are wrong:\n{}", wrong.len(), wrong.join("\n"));
    if wanted.is_none() {
        let exact = findings.exact.difference(&findings.vague).count();
        assert!(exact > 90, "only {exact} instructions say exactly where their results come from");
    }
}
