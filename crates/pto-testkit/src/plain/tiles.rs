//! Tiles, and the instructions on them.

use super::transfer::TransferDirection;
use super::value::{PlainTile, Val};
use super::{PlainMachine, PlainResult, convert, scalar};
use pto::cpu::kernels::{Fault, Site, SlotStart, apply};
use pto::ir::{OpId, ValueId};
use pto::isa::row::{ElemRule, OperandExtent, RegionExtent, Row};
use pto::isa::rules::{Instance, RuleArg};
use pto::isa::table::op;
use pto::isa::{Code, DType, Dim, Dir, Loc, ScalarType, TileType, Type, codes};

impl PlainMachine<'_> {
    /// The type as the target sees it: the box order of left operands is the target's.
    pub fn seen(&self, ty: &TileType) -> TileType {
        match ty.loc {
            Loc::Left if ty.is_boxed() => TileType { blayout: self.checked.info().target.profile().left_order, ..*ty },
            _ => *ty,
        }
    }

    /// A tile in new memory, with the valid region of its type.
    pub fn new_tile(&mut self, ty: &TileType) -> PlainTile {
        let place = self.new_memory(ty.bytes());
        self.tile_at(place, ty)
    }

    pub fn tile_at(&self, place: super::memory::PlainAddress, ty: &TileType) -> PlainTile {
        let ty = self.seen(ty);
        let valid = (ty.valid_rows.fixed().unwrap_or(ty.rows), ty.valid_cols.fixed().unwrap_or(ty.cols));
        PlainTile { place, matrix: ty, origin: (0, 0), ty, valid }
    }

    // ---- contents -----------------------------------------------------------------------------------------------

    /// The offset of an element in bits from the address of the tile.
    pub fn bit(tile: &PlainTile, row: u64, col: u64) -> u64 {
        tile.matrix.offset(tile.origin.0 + row, tile.origin.1 + col) * u64::from(tile.ty.dtype.bits())
    }

    fn is_whole(tile: &PlainTile) -> bool {
        let shape = |t: &TileType| TileType { valid_rows: Dim::Dynamic, valid_cols: Dim::Dynamic, ..*t };
        tile.origin == (0, 0) && shape(&tile.matrix) == shape(&tile.ty)
    }

    /// The bytes a tile would have if it were alone.
    fn contents(&mut self, tile: &PlainTile) -> Vec<u8> {
        if Self::is_whole(tile) {
            return self.read(tile.place, tile.ty.bytes()).expect("a tile lies in its memory");
        }
        let alone = self.new_tile(&tile.ty);
        self.move_elements(tile, &alone, (tile.ty.rows, tile.ty.cols));
        self.memories.pop().expect("the memory of the copy").bytes
    }

    fn set_contents(&mut self, tile: &PlainTile, bytes: Vec<u8>) {
        if Self::is_whole(tile) {
            return self.write(tile.place, &bytes).expect("a tile lies in its memory");
        }
        let alone = self.new_tile(&tile.ty);
        self.memories[alone.place.memory].bytes = bytes;
        self.move_elements(&alone, tile, (tile.ty.rows, tile.ty.cols));
        self.memories.pop();
    }

    fn move_elements(&mut self, from: &PlainTile, to: &PlainTile, (rows, cols): (u64, u64)) {
        let bits = from.ty.dtype.bits();
        for (row, col) in (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))) {
            let element = self.peek(from.place, Self::bit(from, row, col), bits);
            self.poke(to.place, Self::bit(to, row, col), bits, element);
        }
    }

    /// A new tile with the same contents and valid region.
    pub fn copy_tile(&mut self, tile: &PlainTile, ty: &TileType) -> PlainTile {
        let bytes = self.contents(tile);
        let copy = PlainTile { valid: tile.valid, ..self.new_tile(ty) };
        self.memories[copy.place.memory].bytes = bytes;
        copy
    }

    // ---- single elements ------------------------------------------------------------------------------------------

    /// The bit at which an element starts, counted in memory order over the physical tile.
    fn numbered(tile: &PlainTile, offset: i64) -> PlainResult<u64> {
        if offset < 0 || offset as u64 >= tile.matrix.elements() {
            return Err(codes::RUN_BOUNDS);
        }
        Ok(Self::bit(tile, 0, 0) + offset as u64 * u64::from(tile.ty.dtype.bits()))
    }

    pub fn get_element(&mut self, id: OpId) -> PlainResult<()> {
        let tile = *self.need(id, "src").tile().borrow();
        let bit = Self::numbered(&tile, self.int_in(id, "offset"))?;
        let bits = self.peek(tile.place, bit, tile.ty.dtype.bits());
        self.set(self.result(id), Val::Bits(bits));
        Ok(())
    }

    pub fn set_element(&mut self, id: OpId) -> PlainResult<()> {
        let result = self.module.results(id).next();
        let tile = self.need(id, "dst").tile();
        let mut tile = *tile.borrow();
        if let Some(result) = result {
            let ty = tile.ty;
            tile = self.copy_tile(&tile, &ty);
            self.set(result, Val::new_tile(tile));
        }
        let bit = Self::numbered(&tile, self.int_in(id, "offset"))?;
        let value = self.need(id, "val").bits();
        self.poke(tile.place, bit, tile.ty.dtype.bits(), value);
        Ok(())
    }

    // ---- instructions ---------------------------------------------------------------------------------------------

    pub fn instruction(&mut self, id: OpId) -> PlainResult<()> {
        self.make_results(id)?;
        if self.checked.info().dynamic.contains(&id) {
            let facts: Vec<(Type, Option<i64>)> = self.parts(id).into_iter().map(|(_, v)| self.fact(v)).collect();
            if let Some(problem) = pto::checks::recheck(self.checked, id, &facts).filter(|d| d.is_error()) {
                return Err(problem.code);
            }
        }
        match self.module.op(id).op {
            op::tload => self.transfer(id, TransferDirection::Load),
            op::tstore => self.transfer(id, TransferDirection::Store),
            _ => self.compute(id),
        }
    }

    /// Operands and results with their slots.
    fn parts(&self, id: OpId) -> Vec<(u8, ValueId)> {
        let operands = self.module.operands(id).iter().map(|o| (o.slot, o.value));
        operands.chain(self.module.results(id).map(|v| (self.module.value(v).slot, v))).collect()
    }

    /// Destinations that are results are new tiles; what is also read starts as a copy.
    fn make_results(&mut self, id: OpId) -> PlainResult<()> {
        let row = self.module.op(id).op.row();
        for result in self.module.results(id) {
            let slot = usize::from(self.module.value(result).slot);
            let Some(ty) = self.ty(result).tile().copied().filter(|_| slot < row.slots.len()) else {
                panic!("a result of {} that is not a destination", row.name);
            };
            let read = self.module.in_slot(id, slot).next().map(|o| self.get(o.value).tile());
            let mut tile = match read {
                Some(read) => {
                    let read = *read.borrow();
                    self.copy_tile(&read, &ty)
                }
                None => self.new_tile(&ty),
            };
            if ty.valid_rows == Dim::Dynamic || ty.valid_cols == Dim::Dynamic {
                let open = self.followed(id, slot);
                tile.valid = (ty.valid_rows.fixed().unwrap_or(open.0), ty.valid_cols.fixed().unwrap_or(open.1));
                if tile.valid.0 > ty.rows || tile.valid.1 > ty.cols {
                    return Err(codes::RUN_VALID);
                }
            }
            self.set(result, Val::new_tile(tile));
        }
        Ok(())
    }

    /// The valid region a result has when its type leaves it open, by what its row says.
    fn followed(&self, id: OpId, slot: usize) -> (u64, u64) {
        let region = |slot: usize| {
            let operand = self.module.in_slot(id, slot).next()?;
            match self.get(operand.value) {
                Val::Tile(tile) => Some(tile.borrow().valid),
                Val::View(view) => Some(Self::matrix_size(&view)),
                _ => None,
            }
        };
        let of = |slot: usize| region(slot).expect("an operand with extents");
        let number = |slot: usize| {
            let operand = self.module.in_slot(id, slot).next().expect("an index");
            let Type::Scalar(s) = self.ty(operand.value).clone() else { panic!("an index that is no number") };
            let Val::Bits(bits) = self.get(operand.value) else { panic!("an index without a value") };
            u64::try_from(scalar::to_int(bits, s)).unwrap_or(u64::MAX)
        };
        let extent = |extent: Option<RegionExtent>| {
            let Some(extent) = extent else { return u64::MAX };
            extent.scaled(match extent.measure {
                OperandExtent::Fixed(n) => n,
                OperandExtent::Rows(s) => of(s).0,
                OperandExtent::Cols(s) => of(s).1,
                OperandExtent::Sum(slots) => slots.into_iter().flatten().map(|s| of(s).1).sum(),
                OperandExtent::MaxRows(a, b) => of(a).0.max(of(b).0),
                OperandExtent::MaxCols(a, b) => of(a).1.max(of(b).1),
                OperandExtent::RowsAfter(s, index) => of(s).0.saturating_sub(number(index)),
                OperandExtent::ColsAfter(s, index) => of(s).1.saturating_sub(number(index)),
            })
        };
        let result = self.module.results(id).find(|v| usize::from(self.module.value(*v).slot) == slot);
        let result = result.expect("a result");
        let [rows, cols] = self.module.region_extents(id, result, &|slot| region(slot).is_some());
        (extent(rows), extent(cols))
    }

    /// A type with the extents it has now, and the value of a number.
    fn fact(&self, value: ValueId) -> (Type, Option<i64>) {
        let ty = self.ty(value).clone();
        match (ty, self.get(value)) {
            (Type::Tile(t), Val::Tile(tile)) => (Type::Tile(now(&t, &tile.borrow())), None),
            (Type::TileBuf(t), Val::Tile(tile)) => (Type::TileBuf(now(&t, &tile.borrow())), None),
            (Type::TensorView(mut v), Val::View(view)) => {
                v.dims = view.shape.iter().map(|n| Dim::Fixed(*n)).collect();
                (Type::TensorView(v), None)
            }
            (Type::PartitionView(mut v), Val::View(view)) => {
                v.dims = view.shape.iter().map(|n| Dim::Fixed(*n)).collect();
                (Type::PartitionView(v), None)
            }
            (Type::Scalar(s), Val::Bits(bits)) if s.is_int() => (Type::Scalar(s), Some(scalar::to_int(bits, s) as i64)),
            (ty, _) => (ty, None),
        }
    }

    /// The element type of the row's data operands.
    fn data_type(&self, id: OpId) -> Option<DType> {
        let row = self.module.op(id).op.row();
        let is_data = |slot: u8| row.slot_at(usize::from(slot)).elem == ElemRule::Data;
        self.parts(id).into_iter().filter(|(slot, _)| is_data(*slot)).find_map(|(_, v)| Some(self.ty(v).tile()?.dtype))
    }

    /// Sources of elementwise instructions may be valid in more than the destination, which decides.
    fn take_the_region_of_dst(&self, row: &Row, types: &mut [(u8, Type)]) {
        let Some((names, dst)) = row.same_region(self.checked.info().target) else { return };
        let name = |slot: u8| row.slot_at(usize::from(slot)).name;
        let found = types.iter().find(|(slot, _)| name(*slot) == dst).and_then(|(_, ty)| ty.tile().copied());
        let Some(dst) = found else { return };
        for (_, ty) in types.iter_mut().filter(|(slot, _)| names.contains(&name(*slot))) {
            if let Type::Tile(t) | Type::TileBuf(t) = ty {
                *t = t.valid(dst.valid_rows, dst.valid_cols);
            }
        }
    }

    /// Everything is read, then computed, then written.
    fn compute(&mut self, id: OpId) -> PlainResult<()> {
        let code = self.module.op(id).op;
        let row = code.row();
        let (mut memory, mut placed, mut scalars) = (Vec::new(), Vec::new(), Vec::new());
        let mut tiles: Vec<(u8, PlainTile)> = Vec::new();
        let (mut types, mut values) = (Vec::new(), Vec::new());
        // A result stands before the operand that was copied into it.
        for (slot, value) in self.parts(id).into_iter().rev() {
            if types.iter().any(|(s, _)| *s == slot) {
                continue;
            }
            let (ty, number) = self.fact(value);
            // Rules that need not wait for run time are about the constants of the text.
            let info = self.checked.info();
            let number = if info.dynamic.contains(&id) { number } else { info.constant(value) };
            match self.get(value) {
                Val::Tile(tile) => {
                    let tile = *tile.borrow();
                    memory.resize(memory.len().next_multiple_of(64), 0u8);
                    placed.push(SlotStart { slot, start: memory.len() });
                    memory.extend(self.contents(&tile));
                    tiles.push((slot, tile));
                }
                Val::Bits(bits) => {
                    let elements =
                        if row.slot_at(usize::from(slot)).elem == ElemRule::Data { self.data_type(id) } else { None };
                    scalars.push((slot, for_kernel(bits, scalar(self.ty(value)), elements)));
                }
                other => panic!("{other:?} as an operand of {}", row.name),
            }
            types.push((slot, ty));
            values.push(number);
        }
        self.take_the_region_of_dst(row, &mut types);
        let args: Vec<RuleArg> =
            types.iter().zip(&values).map(|((slot, ty), value)| RuleArg { slot: *slot, ty, value: *value }).collect();
        let text = |s| self.module.names.text(s);
        let attrs: Vec<_> = self.module.attrs(id).iter().map(|(n, a)| (text(*n), a.for_rules(text))).collect();
        let info = self.checked.info();
        let instance =
            Instance { row, target: info.target, manual: info.manual[id.index()], args: &args, attrs: &attrs };
        let site = Site { instance, numerics: self.numerics, plain: true, level: None };
        let done = apply(code, &site, &mut memory, &placed, &scalars);
        let refused = || panic!("`{}` is not executed with {types:?}: {:?}", row.name, site.instance.check());
        done.unwrap_or_else(refused).map_err(code_of)?;
        for ((slot, tile), placed) in tiles.iter().zip(&placed) {
            if row.slots[usize::from(*slot)].dir != Dir::In {
                let end = placed.start + tile.ty.bytes() as usize;
                self.set_contents(tile, memory[placed.start..end].to_vec());
            }
        }
        Ok(())
    }
}

/// Elements in row-major order, each with its offset in the memory of the tile; both in bytes.
fn places(tile: &PlainTile) -> impl Iterator<Item = (usize, usize)> {
    let (ty, bytes) = (tile.ty, (tile.ty.dtype.bits() / 8) as usize);
    let all = (0..ty.rows).flat_map(move |r| (0..ty.cols).map(move |c| (r, c)));
    all.map(move |(r, c)| ((r * ty.cols + c) as usize * bytes, ty.offset(r, c) as usize * bytes))
}

/// The memory of a tile with these elements.
pub fn laid_out(tile: &PlainTile, elements: &[u8]) -> Vec<u8> {
    let bytes = (tile.ty.dtype.bits() / 8) as usize;
    let mut memory = vec![0; tile.ty.bytes() as usize];
    for (outside, inside) in places(tile) {
        memory[inside..inside + bytes].copy_from_slice(&elements[outside..outside + bytes]);
    }
    memory
}

/// The elements in the memory of a tile.
pub fn row_major(tile: &PlainTile, memory: &[u8]) -> Vec<u8> {
    let bytes = (tile.ty.dtype.bits() / 8) as usize;
    let mut elements = vec![0; memory.len()];
    for (outside, inside) in places(tile) {
        elements[outside..outside + bytes].copy_from_slice(&memory[inside..inside + bytes]);
    }
    elements
}

fn now(ty: &TileType, tile: &PlainTile) -> TileType {
    ty.valid(Dim::Fixed(tile.valid.0), Dim::Fixed(tile.valid.1))
}

/// Integers with their sign, floats as f32: as the elements are, where the scalar works on elements.
fn for_kernel(bits: u64, s: ScalarType, elements: Option<DType>) -> u64 {
    let f32 = ScalarType::Elem(DType::F32);
    let to_float = elements.map_or(s.is_float(), DType::is_float);
    match (s.is_float(), to_float) {
        (true, true) => convert::from_f64(convert::to_f64(bits, s), f32),
        (true, false) => convert::truncated(convert::to_f64(bits, s), ScalarType::Index, true),
        (false, true) => convert::from_int(scalar::to_int(bits, s), f32),
        (false, false) => scalar::to_int(bits, s) as u64,
    }
}

fn code_of(fault: Fault) -> Code {
    match fault {
        Fault::DivisionByZero { .. } => codes::RUN_DIVISION,
        Fault::OutsideBuffer { .. } => codes::RUN_OUTSIDE,
        Fault::WindowMismatch { .. } | Fault::TooFewScales { .. } => codes::RUN_VALID,
        Fault::IndexOutOfRange { .. } => codes::RUN_BOUNDS,
        Fault::Operands { .. } => codes::RUN_UNSUPPORTED,
    }
}
