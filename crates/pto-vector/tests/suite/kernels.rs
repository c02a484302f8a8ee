//! Every kernel against its plain version: all instructions, element types, shapes and levels.

mod legal;
mod tile;
mod values;

use legal::{Operand, Operands, Shape};
use pto_isa::row::{Aliasing, Dir, ElemRule};
use pto_isa::rules::Instance;
use pto_isa::{DType, Family, Op, Order, Target, Targets, table};
use pto_num::{CpuLevel, cpu_level};
use pto_vector::{Code, Fault, Numerics, OpKernel, Site, TileRef};
use tile::{Random, Tile};

/// Shapes of the destination: valid region, and columns of the tile.
const SHAPES: [Shape; 7] = [
    Shape { rows: 8, cols: 64, stored: 64, gap: 0 },
    Shape { rows: 3, cols: 115, stored: 128, gap: 0 },
    Shape { rows: 1, cols: 37, stored: 64, gap: 0 },
    Shape { rows: 16, cols: 1, stored: 32, gap: 0 },
    Shape { rows: 7, cols: 131, stored: 160, gap: 32 },
    Shape { rows: 5, cols: 32, stored: 32, gap: 32 },
    Shape { rows: 2, cols: 15, stored: 32, gap: 0 },
];

/// Operands with memory. Tiles that share memory have the same number in `memory`.
#[derive(Clone)]
struct Bound {
    op: Op,
    operands: Operands,
    memory: Vec<Tile>,
    /// For each slot of a tile, its memory.
    tiles: Vec<(usize, usize)>,
    scalars: Vec<(usize, u64)>,
}

impl Bound {
    fn new(op: Op, operands: &Operands, gap: u64, random: &mut Random) -> Self {
        let mut bound =
            Self { op, operands: operands.clone(), memory: Vec::new(), tiles: Vec::new(), scalars: Vec::new() };
        for &(slot, operand) in &operands.list {
            match operand {
                Operand::Tile(ty) => {
                    bound.tiles.push((slot, bound.memory.len()));
                    bound.memory.push(Tile::random(ty, gap, random));
                }
                Operand::Scalar(dtype) => bound.scalars.push((slot, random.scalar(dtype))),
            }
        }
        bound
    }

    fn kernel(&self) -> &'static OpKernel {
        pto_vector::find(self.op).expect("has a kernel")
    }

    /// The code for these operands: the plain version, or the fast one of a level.
    fn prepare(&self, numerics: Numerics, level: Option<CpuLevel>) -> Option<Code> {
        self.operands.with_instance(self.op, Target::Cpu, |instance: Instance| {
            self.kernel().prepare(&Site { instance, numerics, plain: level.is_none(), level })
        })
    }

    fn run(&mut self, prepared: Code) -> Result<(), Fault> {
        let row = self.op.row();
        let kernel = self.kernel();
        let refs: Vec<TileRef> = self.memory.iter_mut().map(Tile::tile_ref).collect();
        let types: Vec<_> = self.operands.tiles().collect();
        let find = |name: &str| {
            let slot = row.slot(name)?;
            let (_, memory) = self.tiles.iter().find(|(s, _)| *s == slot)?;
            let (_, ty) = types.iter().find(|(s, _)| *s == slot)?;
            // Memory may be shared by tiles with different valid regions.
            let memory = &refs[*memory];
            let strides = (memory.row_stride(), memory.col_stride());
            // SAFETY: the memory is as large as each of these types says.
            Some(unsafe { TileRef::new(memory.ptr(), ty, tile::valid(ty), strides) })
        };
        let tiles: Vec<TileRef> = kernel.tiles.iter().map(|name| find(name).unwrap_or(TileRef::ABSENT)).collect();
        let scalar = |name: &&str| self.scalars.iter().find(|(s, _)| row.slot(name) == Some(*s)).map_or(0, |s| s.1);
        let scalars: Vec<u64> = kernel.scalars.iter().map(scalar).collect();
        // SAFETY: every tile is as large as its type says.
        unsafe { prepared.call(&tiles, &[], &scalars) }
    }

    /// The slots that are written, with their memory.
    fn written(&self) -> Vec<(usize, usize)> {
        let written = |s: usize| self.op.row().slot_at(s).dir != Dir::In;
        self.tiles.iter().copied().filter(|(s, _)| written(*s)).collect()
    }

    /// The same operands with a destination in the place of a source, for every source where that is possible.
    fn in_place(&self) -> Vec<Self> {
        let row = self.op.row();
        if !matches!(row.alias, Aliasing::InPlace) && !matches!(row.alias, Aliasing::Distinct(t) if t != Targets::ALL) {
            return Vec::new();
        }
        // Where no source has an element, the destination keeps what it held: that of the source then.
        let region = |s: usize| tile::valid(self.operands.tile(s).0);
        let is_covered = |dst| self.tiles.iter().any(|(s, _)| *s != dst && region(*s) == region(dst));
        let mut all = Vec::new();
        for (dst, dst_memory) in self.written().into_iter().filter(|(s, _)| row.slot_at(*s).dir == Dir::Out) {
            if row.family == Family::Partial && !is_covered(dst) {
                continue;
            }
            // Masks may have any type; a result never overwrites one in place.
            let is_data = |s: usize| row.slot_at(s).dir == Dir::In && row.slot_at(s).elem != ElemRule::Any;
            for &(src, memory) in self.tiles.iter().filter(|(s, _)| is_data(*s)) {
                let used = self.kernel().tiles.contains(&row.slot_at(src).name);
                if used && self.memory[memory].same_memory(&self.memory[dst_memory]) {
                    let mut bound = self.clone();
                    bound.tiles.iter_mut().filter(|(s, _)| *s == dst).for_each(|t| t.1 = memory);
                    all.push(bound);
                }
            }
        }
        all
    }
}

fn levels() -> impl Iterator<Item = CpuLevel> {
    CpuLevel::ALL.into_iter().filter(|l| *l <= cpu_level())
}

/// Runs the plain version, then all others; they must do the same.
fn check(start: &Bound, plain: Code, numerics: Numerics) {
    let mut expected = start.clone();
    let outcome = expected.run(plain);
    let what = || format!("{:?} {}", start.op, start.operands);
    for (slot, memory) in start.tiles.iter().copied() {
        let (ty, _) = start.operands.tile(slot);
        let written = start.written().contains(&(slot, memory)) && outcome.is_ok();
        let changed =
            expected.memory[memory].changed(&start.memory[memory], if written { tile::valid(ty) } else { (0, 0) });
        assert_eq!(changed, None, "plain {}: slot {slot} changed outside its valid region", what());
    }
    let same = |bound: &mut Bound, prepared: Code, name: &str| {
        assert_eq!(bound.run(prepared), outcome, "{name} {}", what());
        for (slot, memory) in start.written() {
            let place = bound.tiles.iter().find(|(s, _)| *s == slot).expect("has a place").1;
            let (ty, in_place) = (start.operands.tile(slot).0, place != memory);
            // In place of a source nothing is known about what lies outside, except that it does not change.
            let before = &start.memory[place];
            let outside = bound.memory[place].changed(before, tile::valid(ty));
            assert_eq!(outside, None, "{name} {}: slot {slot} changed outside its valid region", what());
            let found = if in_place && outcome.is_err() { &expected.memory[memory] } else { &bound.memory[place] };
            let differs = found.differs(&expected.memory[memory], ty);
            assert_eq!(differs, None, "{name} {}: slot {slot}", what());
        }
    };
    for level in levels() {
        let prepared = start.prepare(numerics, Some(level)).expect("has a fast version");
        same(&mut start.clone(), prepared, level.name());
        for mut bound in start.in_place() {
            same(&mut bound, prepared, &format!("{} in place", level.name()));
        }
    }
    for mut bound in start.in_place() {
        same(&mut bound, plain, "plain in place");
    }
}

/// All kernels that work on tiles and scalars alone.
fn kernels() -> impl Iterator<Item = (Op, &'static OpKernel)> {
    let on_tiles = |k: &OpKernel| !k.tiles.is_empty() && k.views.is_empty();
    table::isa().filter_map(move |op| pto_vector::find(op).filter(|k| on_tiles(k)).map(|k| (op, k)))
}

#[test]
fn fast_equals_plain() {
    let mut checked = 0;
    for (op, _) in kernels() {
        let mut random = Random::new(op.index() as u64);
        for operands in legal::all(op, &SHAPES) {
            let (shape, awkward) = (operands.shape, checked % 4 != 0);
            random.zeros = awkward;
            let start = Bound::new(op, &operands, shape.gap, &mut random);
            let numerics = [Numerics::Reference, Numerics::A2A3, Numerics::A5][checked % 3];
            if let Some(plain) = start.prepare(numerics, None) {
                check(&start, plain, numerics);
            }
            checked += 1;
        }
    }
    assert!(checked > 5000, "only {checked} cases");
}

#[test]
fn nothing_valid_does_nothing() {
    let empty = [Shape { rows: 0, cols: 0, stored: 64, gap: 0 }];
    for (op, _) in kernels() {
        let mut random = Random::new(0);
        for operands in legal::all(op, &empty) {
            let start = Bound::new(op, &operands, 0, &mut random);
            if let Some(plain) = start.prepare(Numerics::Reference, None) {
                check(&start, plain, Numerics::Reference);
            }
        }
    }
}

/// What a device runs, the host runs too.
#[test]
fn every_type_of_a_device_has_code() {
    for (op, _) in kernels() {
        for target in [Target::A2A3, Target::A5] {
            for operands in legal::on(op, &SHAPES[..1], target) {
                let code = operands.with_instance(op, target, |instance: Instance| {
                    let site = Site { instance, numerics: Numerics::Reference, plain: false, level: None };
                    pto_vector::find(op).expect("has a kernel").prepare(&site).is_some()
                });
                assert!(code, "{op:?} {operands}");
            }
        }
    }
}

/// Rows of boxes are rare and always computed by the plain version: here it must agree with tiles without boxes.
#[test]
fn boxes_change_nothing_but_the_places() {
    let shape = [Shape { rows: 13, cols: 40, stored: 64, gap: 0 }];
    for op in [table::op::tadd, table::op::texp, table::op::tmaxs, table::op::tpartmin, table::op::tcolexpandsub] {
        for operands in legal::all(op, &shape).into_iter().filter(|o| o.dtype() == Some(DType::F32)) {
            let mut random = Random::new(1);
            let start = Bound::new(op, &operands, 0, &mut random);
            let (mut plain, mut boxed) = (start.clone(), start.clone());
            boxed.operands.boxed();
            for (slot, memory) in start.tiles.iter().copied() {
                boxed.memory[memory] = start.memory[memory].with_type(boxed.operands.tile(slot).0);
            }
            let prepared = boxed.prepare(Numerics::Reference, Some(cpu_level())).expect("boxes have code");
            let _ = boxed.run(prepared);
            let _ = plain.run(plain.prepare(Numerics::Reference, None).expect("has code"));
            for (slot, memory) in start.written() {
                assert_eq!(boxed.operands.tile(slot).0.order(), Order::Zz);
                let back = boxed.memory[memory].with_type(operands.tile(slot).0);
                assert_eq!(back.differs(&plain.memory[memory], operands.tile(slot).0), None, "{op:?} {operands}");
            }
        }
    }
}

/// A call with the wrong number of operands executes nothing and returns an error.
#[test]
fn other_numbers_of_operands_are_an_error() {
    for (op, kernel) in kernels() {
        for operands in legal::on(op, &SHAPES[..1], Target::Cpu) {
            let code = operands.with_instance(op, Target::Cpu, |instance: Instance| {
                kernel.prepare(&Site { instance, numerics: Numerics::Reference, plain: true, level: None })
            });
            let Some(code) = code else { continue };
            let arity = code.arity();
            let takes = [arity.tiles, arity.views, arity.scalars].map(usize::from);
            assert_eq!(takes, [kernel.tiles.len(), kernel.views.len(), kernel.scalars.len()], "{op:?}");
            let (tiles, scalars) = (vec![TileRef::ABSENT; takes[0] + 1], vec![0; takes[2] + 1]);
            for (tiles, scalars) in [(&tiles[..takes[0] - 1], &scalars[..takes[2]]), (&tiles[..takes[0]], &scalars[..])]
            {
                // SAFETY: the numbers of operands are wrong, so nothing is executed.
                let outcome = unsafe { code.call(tiles, &[], scalars) };
                assert_eq!(outcome, Err(Fault::Operands { takes: arity }), "{op:?}");
            }
        }
    }
}
