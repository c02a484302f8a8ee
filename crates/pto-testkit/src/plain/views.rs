//! Buffers, views, pointers, queries, and single elements of memory.

use super::memory::PlainAddress;
use super::value::{PlainTile, PlainView, Val};
use super::{PlainMachine, PlainResult, scalar};
use pto::ir::{Attr, OpId, ValueId};
use pto::isa::table::op;
use pto::isa::{Dim, GlobalLayout, Loc, MemrefType, PtrSpace, ScalarType, TileType, Type, codes};
use std::cell::RefCell;
use std::rc::Rc;

impl PlainMachine<'_> {
    pub fn view_op(&mut self, id: OpId) -> PlainResult<()> {
        let code = self.module.op(id).op;
        match code {
            op::alloc_tile | op::alloc_multi_tile => return self.allocate(id),
            op::set_validshape => return self.set_valid(id),
            op::store_scalar => return self.store(id, "ptr"),
            op::local_array_set | op::struct_set => {
                let (cells, at) = self.cell(id)?;
                cells.borrow_mut()[at] = self.need(id, "value").bits();
                return Ok(());
            }
            op::get_validshape => {
                let valid = self.need(id, "source").tile().borrow().valid;
                let results: Vec<ValueId> = self.module.results(id).collect();
                self.set(results[0], Val::Bits(valid.0));
                self.set(results[1], Val::Bits(valid.1));
                return Ok(());
            }
            op::tassign if self.module.results(id).next().is_none() => {
                let tile = self.need(id, "tile").tile();
                let moved = self.assigned(id, &tile.borrow())?;
                *tile.borrow_mut() = moved;
                return Ok(());
            }
            op::tsubview if self.module.results(id).next().is_none() => {
                let dst = self.need(id, "dst").tile();
                let ty = dst.borrow().ty;
                let window = self.rebound(id, &ty)?;
                *dst.borrow_mut() = window;
                return Ok(());
            }
            op::talias if self.module.results(id).next().is_none() => {
                let (src, dst) = (self.need(id, "src").tile(), self.need(id, "dst").tile());
                let shared = *src.borrow();
                *dst.borrow_mut() = shared;
                return Ok(());
            }
            _ => {}
        }
        let val = self.made(id)?;
        self.set(self.result(id), val);
        Ok(())
    }

    /// The result of an operation that has one.
    fn made(&mut self, id: OpId) -> PlainResult<Val> {
        let result = self.result(id);
        Ok(match self.module.op(id).op {
            op::multi_tile_get => {
                let Val::Tiles(tiles) = self.need(id, "source") else { panic!("not a multi-buffered tile") };
                let slot = usize::try_from(self.int_in(id, "slot")).map_err(|_| codes::RUN_BOUNDS)?;
                Val::Tile(Rc::clone(tiles.get(slot).ok_or(codes::RUN_BOUNDS)?))
            }
            op::tassign => {
                let tile = *self.need(id, "tile").tile().borrow();
                Val::new_tile(self.assigned(id, &tile)?)
            }
            op::treshape | op::bitcast => Val::new_tile(self.retyped(id)?),
            op::subview | op::subset => Val::new_tile(self.window(id)?),
            op::tsubview => {
                let ty = *self.ty(result).tile().expect("a tile");
                Val::new_tile(self.rebound(id, &ty)?)
            }
            op::talias => Val::new_tile(*self.need(id, "src").tile().borrow()),
            op::tile_valid_rows => Val::Bits(self.need(id, "src").tile().borrow().valid.0),
            op::tile_valid_cols => Val::Bits(self.need(id, "src").tile().borrow().valid.1),
            op::make_tensor_view => Val::View(self.make_view(id)?),
            op::partition_view => Val::View(self.partition(id)?),
            op::get_tensor_view_dim | op::get_tensor_view_stride => {
                let view = self.need(id, "tensor_view").view();
                let at = usize::try_from(self.int_in(id, "dim_index")).map_err(|_| codes::RUN_BOUNDS)?;
                let strides = self.module.op(id).op == op::get_tensor_view_stride;
                let list: Vec<u64> =
                    if strides { view.strides.iter().map(|s| *s as u64).collect() } else { view.shape };
                Val::Bits(*list.get(at).ok_or(codes::RUN_BOUNDS)?)
            }
            op::tensor_view_addr => Val::Pointer(self.need(id, "src").address()),
            op::tile_buf_addr => {
                let tile = *self.need(id, "src").tile().borrow();
                Val::Pointer(tile.place.moved((Self::bit(&tile, 0, 0) / 8) as i64))
            }
            op::addptr => {
                let ptr = self.operand(id, "ptr").expect("a pointer");
                let bits = self.int_in(id, "offset").wrapping_mul(i64::from(element_bits(self.ty(ptr))));
                if bits % 8 != 0 {
                    return Err(codes::RUN_VALUE);
                }
                Val::Pointer(self.get(ptr).address().moved(bits / 8))
            }
            op::castptr | op::inttoptr | op::ptrtoint => self.cast_pointer(id)?,
            op::load_scalar => self.load(id, "ptr")?,
            op::get_block_idx => Val::Bits(self.block.into()),
            op::get_block_num => Val::Bits(self.blocks.into()),
            op::get_subblock_idx => Val::Bits(0),
            op::get_subblock_num => Val::Bits(1),
            op::declare_local_array | op::declare_struct => new_cells(self.ty(result)),
            op::local_array_get | op::struct_get => {
                let (cells, at) = self.cell(id)?;
                let bits = cells.borrow()[at];
                Val::Bits(bits)
            }
            code @ (op::sbitset0 | op::sbitset1) => {
                let (bits, at) = (self.need(id, "first").bits(), self.int_in(id, "second"));
                let one = if (0..64).contains(&at) { 1 << at } else { 0 };
                Val::Bits(if code == op::sbitset0 { bits & !one } else { bits | one })
            }
            other => panic!("view operation {}", other.row().name),
        })
    }

    // ---- tiles --------------------------------------------------------------------------------------------------

    /// The valid extents of a new tile: of its type, or of the operands.
    fn given_extents(&self, id: OpId, ty: &TileType) -> PlainResult<(u64, u64)> {
        let extent = |slot: &str, dim: Dim, whole: u64| match (dim, self.operand(id, slot)) {
            (Dim::Fixed(n), _) => Ok(n),
            (Dim::Dynamic, None) => Ok(whole),
            (Dim::Dynamic, Some(v)) => u64::try_from(self.int(v)).ok().filter(|n| *n <= whole).ok_or(codes::RUN_VALID),
        };
        Ok((extent("valid_row", ty.valid_rows, ty.rows)?, extent("valid_col", ty.valid_cols, ty.cols)?))
    }

    fn allocate(&mut self, id: OpId) -> PlainResult<()> {
        let result = self.result(id);
        let (ty, count) = match self.ty(result) {
            Type::MultiTile(t, n) => (*t, *n),
            other => (*other.tile().expect("a tile"), 1),
        };
        let bytes = ty.bytes() * count;
        let place = match self.operand(id, "addr") {
            Some(addr) => self.in_space(ty.loc, self.int(addr), bytes)?,
            None => self.new_memory(bytes),
        };
        let valid = self.given_extents(id, &ty)?;
        let tile = |at: u64| PlainTile { valid, ..self.tile_at(place.moved((at * ty.bytes()) as i64), &ty) };
        let mut tiles: Vec<_> = (0..count).map(|at| Rc::new(RefCell::new(tile(at)))).collect();
        let multi = matches!(self.ty(result), Type::MultiTile(..));
        let val = if multi { Val::Tiles(tiles) } else { Val::Tile(tiles.remove(0)) };
        self.set(result, val);
        Ok(())
    }

    /// An address in a memory of the core with room for this many bytes.
    fn in_space(&mut self, loc: Loc, address: i64, bytes: u64) -> PlainResult<PlainAddress> {
        let memory = self.space(loc);
        let place = PlainAddress { memory, byte: address };
        self.range(place, bytes).map_err(|_| codes::RUN_ADDRESS)?;
        Ok(place)
    }

    fn assigned(&mut self, id: OpId, tile: &PlainTile) -> PlainResult<PlainTile> {
        let written = self.module.attr(id, "addr").and_then(Attr::int);
        let address = written.unwrap_or_else(|| self.int_in(id, "address"));
        let place = self.in_space(tile.ty.loc, address, tile.matrix.bytes())?;
        Ok(PlainTile { place, origin: (0, 0), ..*tile })
    }

    fn retyped(&mut self, id: OpId) -> PlainResult<PlainTile> {
        let source = *self.need(id, "src").tile().borrow();
        let ty = *self.ty(self.result(id)).tile().expect("a tile");
        let place = source.place.moved((Self::bit(&source, 0, 0) / 8) as i64);
        self.range(place, ty.bytes()).map_err(|_| codes::RUN_ADDRESS)?;
        let mut tile = self.tile_at(place, &ty);
        if ty.valid_rows == Dim::Dynamic {
            tile.valid.0 = source.valid.0.min(ty.rows);
        }
        if ty.valid_cols == Dim::Dynamic {
            tile.valid.1 = source.valid.1.min(ty.cols);
        }
        Ok(tile)
    }

    fn window(&mut self, id: OpId) -> PlainResult<PlainTile> {
        let source = *self.need(id, "source").tile().borrow();
        let ty = *self.ty(self.result(id)).tile().expect("a tile");
        let offsets = self.ints(id, "offsets");
        let window = self.window_at(&source, &ty, (offsets[0], offsets[1]))?;
        let inherits = self.module.op(id).op == op::subset;
        let valid = if inherits {
            let left = |valid: u64, offset: i64, size: u64| valid.saturating_sub(offset as u64).min(size);
            (left(source.valid.0, offsets[0], ty.rows), left(source.valid.1, offsets[1], ty.cols))
        } else {
            self.given_extents(id, &ty)?
        };
        Ok(PlainTile { valid, ..window })
    }

    fn window_at(&self, source: &PlainTile, ty: &TileType, (row, col): (i64, i64)) -> PlainResult<PlainTile> {
        let inside = |at: i64, size: u64, whole: u64| at >= 0 && i128::from(at) + i128::from(size) <= i128::from(whole);
        if !inside(row, ty.rows, source.ty.rows) || !inside(col, ty.cols, source.ty.cols) {
            return Err(codes::RUN_BOUNDS);
        }
        let (box_rows, box_cols) = source.ty.box_shape();
        if !(row as u64).is_multiple_of(box_rows) || !(col as u64).is_multiple_of(box_cols) {
            return Err(codes::RUN_BOUNDS);
        }
        let origin = (source.origin.0 + row as u64, source.origin.1 + col as u64);
        Ok(PlainTile { origin, ty: self.seen(ty), ..*source })
    }

    fn rebound(&mut self, id: OpId, ty: &TileType) -> PlainResult<PlainTile> {
        let source = *self.need(id, "src").tile().borrow();
        let at = (self.int_in(id, "row_idx"), self.int_in(id, "col_idx"));
        let valid = (ty.valid_rows.fixed().unwrap_or(ty.rows), ty.valid_cols.fixed().unwrap_or(ty.cols));
        let inside = TileType { rows: valid.0, cols: valid.1, ..*ty };
        Ok(PlainTile { valid, ty: self.seen(ty), ..self.window_at(&source, &inside, at)? })
    }

    fn set_valid(&mut self, id: OpId) -> PlainResult<()> {
        let tile = self.need(id, "source").tile();
        let mut tile = tile.borrow_mut();
        let extent = |n: i64, whole: u64| u64::try_from(n).ok().filter(|n| *n <= whole).ok_or(codes::RUN_VALID);
        let rows = extent(self.int_in(id, "valid_row"), tile.ty.rows)?;
        let cols = extent(self.int_in(id, "valid_col"), tile.ty.cols)?;
        tile.valid = (rows, cols);
        Ok(())
    }

    // ---- views --------------------------------------------------------------------------------------------------

    fn make_view(&mut self, id: OpId) -> PlainResult<PlainView> {
        let place = self.need(id, "ptr").address();
        let (shape, strides) = (self.ints(id, "shape"), self.ints(id, "strides"));
        if shape.iter().chain(&strides).any(|n| *n < 0) {
            return Err(codes::RUN_VALUE);
        }
        let (result, layouts) = (self.result(id), &self.checked.info().layouts);
        let bits = element_bits(self.ty(result));
        let shown = || {
            let shape: Vec<Option<u64>> = shape.iter().map(|n| Some(*n as u64)).collect();
            let strides: Vec<Option<i64>> = strides.iter().map(|n| Some(*n)).collect();
            GlobalLayout::unstated(&shape, &strides, bits, layouts.accepted(result)).expect("all is known")
        };
        let layout = layouts.of(result).unwrap_or_else(shown);
        Ok(PlainView { place, shape: shape.iter().map(|n| *n as u64).collect(), strides, layout })
    }

    fn partition(&mut self, id: OpId) -> PlainResult<PlainView> {
        let (offsets, sizes) = (self.ints(id, "offsets"), self.ints(id, "sizes"));
        let steps = vec![1; sizes.len()];
        let source = self.operand(id, "source").expect("a source");
        self.part(source, &offsets, &sizes, &steps)
    }

    /// A window of a view that lies inside it.
    fn part(&self, source: ValueId, offsets: &[i64], sizes: &[i64], steps: &[i64]) -> PlainResult<PlainView> {
        let bits = element_bits(self.ty(source));
        let mut view = self.get(source).view();
        let mut moved = 0;
        for k in 0..sizes.len() {
            if sizes[k] < 0 {
                return Err(codes::RUN_VALUE);
            }
            let past = i128::from(offsets[k]) + (i128::from(sizes[k]) - 1).max(0) * i128::from(steps[k]);
            let limit = i128::from(view.shape[k]) - i128::from(sizes[k] != 0);
            if offsets[k] < 0 || steps[k] < 0 || past > limit {
                return Err(codes::RUN_BOUNDS);
            }
            moved += offsets[k] * view.strides[k];
            view.shape[k] = sizes[k] as u64;
            view.strides[k] *= steps[k];
        }
        view.place = moved_by(view.place, moved, bits)?;
        Ok(view)
    }

    // ---- pointers and elements ------------------------------------------------------------------------------------

    fn cast_pointer(&mut self, id: OpId) -> PlainResult<Val> {
        let input = self.module.operands(id)[0].value;
        let (from, to) = (self.ty(input).clone(), self.ty(self.result(id)).clone());
        Ok(match (&from, &to) {
            (Type::Scalar(_), Type::Ptr(_, space)) => {
                let on = match space {
                    PtrSpace::On(loc) => Some(*loc),
                    _ => None,
                };
                Val::Pointer(self.pointer(self.int(input), on)?)
            }
            (_, Type::Scalar(s)) => {
                Val::Bits(super::convert::from_int(i128::from(self.number(self.get(input).address())), *s))
            }
            _ => Val::Pointer(self.get(input).address()),
        })
    }

    /// Where an element lies: one index for a pointer, one for each dimension of a view.
    fn element_place(&self, id: OpId, pointer: &str, bits: u32) -> PlainResult<PlainAddress> {
        let indices = [self.ints(id, "offset"), self.ints(id, "indices")].concat();
        let val = self.need(id, pointer);
        let element = match &val {
            Val::View(view) => {
                let mut sum = 0;
                for ((index, extent), stride) in indices.iter().zip(&view.shape).zip(&view.strides) {
                    if *index < 0 || *index as u64 >= *extent {
                        return Err(codes::RUN_BOUNDS);
                    }
                    sum += index * stride;
                }
                sum
            }
            _ => indices[0],
        };
        Ok(val.address().moved(element.wrapping_mul(i64::from(bits / 8))))
    }

    pub fn load(&mut self, id: OpId, pointer: &str) -> PlainResult<Val> {
        let s = scalar(self.ty(self.result(id)));
        let place = self.element_place(id, pointer, stored_bits(s))?;
        let bytes = self.read(place, u64::from(stored_bits(s) / 8))?;
        let raw = bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
        Ok(Val::Bits(if s == ScalarType::I1 { raw & 1 } else { raw }))
    }

    pub fn store(&mut self, id: OpId, pointer: &str) -> PlainResult<()> {
        let value = self.operand(id, "value").expect("a value");
        let bits = stored_bits(scalar(self.ty(value)));
        let place = self.element_place(id, pointer, bits)?;
        let raw = self.get(value).bits().to_le_bytes();
        self.write(place, &raw[..bits as usize / 8])
    }

    // ---- local scalars ----------------------------------------------------------------------------------------------

    /// A position in a local array or record.
    fn cell(&self, id: OpId) -> PlainResult<(Rc<RefCell<Vec<u64>>>, usize)> {
        let holder = self.operand(id, "array").or_else(|| self.operand(id, "s")).expect("an array or record");
        let Val::Cells(cells) = self.get(holder) else { panic!("not an array or record") };
        let at = match self.ty(holder) {
            Type::LocalArray(view) => {
                let mut at = 0;
                for (index, dim) in self.ints(id, "indices").iter().zip(&view.dims) {
                    let extent = dim.fixed().expect("a fixed extent");
                    let index = u64::try_from(*index).ok().filter(|n| *n < extent).ok_or(codes::RUN_BOUNDS)?;
                    at = at * extent + index;
                }
                at as usize
            }
            Type::EventIds(count) => {
                let index = u64::try_from(self.int_in(id, "index")).ok().filter(|n| n < count);
                index.ok_or(codes::RUN_BOUNDS)? as usize
            }
            ty => {
                let path = self.ints_attr(id, "path").into_iter().flatten().map(|n| n as usize);
                field(ty, &path.collect::<Vec<_>>())
            }
        };
        Ok((cells, at))
    }

    pub fn event_ids(&mut self, id: OpId) -> PlainResult<()> {
        let Some(result) = self.module.results(id).next() else {
            let (cells, at) = self.cell(id)?;
            cells.borrow_mut()[at] = self.need(id, "value").bits();
            return Ok(());
        };
        let val = if self.module.op(id).op == op::declare_eventid_array {
            new_cells(self.ty(result))
        } else {
            let (cells, at) = self.cell(id)?;
            let bits = cells.borrow()[at];
            Val::Bits(bits)
        };
        self.set(result, val);
        Ok(())
    }

    // ---- memrefs ------------------------------------------------------------------------------------------------------

    pub fn memref(&mut self, id: OpId) -> PlainResult<()> {
        let val = match self.module.op(id).op {
            op::memref_dealloc => return Ok(()),
            op::memref_store => return self.store(id, "memref"),
            op::memref_load => self.load(id, "memref")?,
            op::memref_alloc => Val::View(self.memref_alloc(id)?),
            op::memref_cast => self.get(self.module.operands(id)[0].value),
            op::memref_dim => {
                let view = self.need(id, "memref").view();
                let at = usize::try_from(self.int_in(id, "index")).map_err(|_| codes::RUN_BOUNDS)?;
                Val::Bits(*view.shape.get(at).ok_or(codes::RUN_BOUNDS)?)
            }
            op::memref_subview | op::memref_reinterpret_cast => Val::View(self.memref_window(id)?),
            other => panic!("memref operation {}", other.row().name),
        };
        self.set(self.result(id), val);
        Ok(())
    }

    fn memref_alloc(&mut self, id: OpId) -> PlainResult<PlainView> {
        let Type::Memref(MemrefType { view, .. }) = self.ty(self.result(id)).clone() else { panic!("not a memref") };
        let mut open = self.ints(id, "sizes").into_iter();
        let mut shape = Vec::new();
        for dim in &view.dims {
            let extent = match dim {
                Dim::Fixed(n) => *n as i64,
                Dim::Dynamic => open.next().expect("an extent"),
            };
            shape.push(u64::try_from(extent).map_err(|_| codes::RUN_VALUE)?);
        }
        let bytes = shape.iter().product::<u64>() * u64::from(stored_bits(view.elem)) / 8;
        Ok(PlainView::packed(self.new_memory(bytes), &shape))
    }

    fn memref_window(&mut self, id: OpId) -> PlainResult<PlainView> {
        let source = self.operand(id, "source").expect("a source");
        let [offsets, sizes, strides] = ["offsets", "sizes", "strides"].map(|slot| self.mixed(id, slot));
        if self.module.op(id).op == op::memref_subview {
            return self.part(source, &offsets, &sizes, &strides);
        }
        if sizes.iter().any(|n| *n < 0) {
            return Err(codes::RUN_VALUE);
        }
        let view = self.get(source).view();
        let place = moved_by(view.place, offsets[0], element_bits(self.ty(source)))?;
        Ok(PlainView { place, shape: sizes.iter().map(|n| *n as u64).collect(), strides, ..view })
    }

    /// Numbers that are partly written in the text and partly operands.
    fn mixed(&self, id: OpId, slot: &str) -> Vec<i64> {
        let mut open = self.ints(id, slot).into_iter();
        let written = self.ints_attr(id, &format!("static_{slot}"));
        written.into_iter().map(|n| n.unwrap_or_else(|| open.next().expect("an operand"))).collect()
    }
}

fn moved_by(place: PlainAddress, elements: i64, bits: u32) -> PlainResult<PlainAddress> {
    let bits = elements.wrapping_mul(i64::from(bits));
    if bits % 8 == 0 { Ok(place.moved(bits / 8)) } else { Err(codes::RUN_VALUE) }
}

/// Bits of the elements something leads to.
fn element_bits(ty: &Type) -> u32 {
    match ty {
        Type::Ptr(s, _) => stored_bits(*s),
        Type::TensorView(v) | Type::PartitionView(v) => stored_bits(v.elem),
        Type::Memref(m) => stored_bits(m.view.elem),
        other => panic!("{other} has no elements"),
    }
}

/// Bits a scalar takes in memory.
fn stored_bits(s: ScalarType) -> u32 {
    match s {
        ScalarType::I1 => 8,
        other => super::convert::width(other),
    }
}

fn cell_count(ty: &Type) -> usize {
    match ty {
        Type::LocalArray(v) => v.dims.iter().map(|d| d.fixed().expect("a fixed extent") as usize).product(),
        Type::EventIds(n) => *n as usize,
        Type::Struct(fields) => fields.iter().map(cell_count).sum(),
        _ => 1,
    }
}

fn new_cells(ty: &Type) -> Val {
    Val::Cells(Rc::new(RefCell::new(vec![1; cell_count(ty)])))
}

/// The position of a field, by field numbers from the outside in.
fn field(ty: &Type, path: &[usize]) -> usize {
    match (ty, path) {
        (Type::Struct(fields), [first, rest @ ..]) => {
            fields[..*first].iter().map(cell_count).sum::<usize>() + field(&fields[*first], rest)
        }
        _ => 0,
    }
}
