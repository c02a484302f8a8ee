//! Views of memory, and single elements.

use super::core::Core;
use super::fail::Fail;
use super::observe::Watch;
use crate::memory::{buffer_address, split_address};
use crate::plan::{
    Allocate, Extent, Local, MakeView, Partition, Pointer, ScalarAccess, ScalarElem, Step, Tile, TileId, View,
};
use pto_isa::{DType, GlobalLayout, Loc};

/// Rows and columns of the matrix a view describes.
pub(super) fn window_size(view: &View) -> (u64, u64) {
    let [a, b, c, d, e] = view.shape;
    match view.layout {
        GlobalLayout::Dn => (d, a * b * c * e),
        GlobalLayout::Nz => (c * d, a * b * e),
        _ => (a * b * c * d, e),
    }
}

/// A place for a scalar in memory: a buffer or a space, and the first byte.
pub(super) enum Target {
    Buffer(usize, i64),
    Space(Loc, i64),
}

impl Core<'_> {
    pub fn data<W: Watch>(&mut self, step: Step, at: usize, watch: &mut W) -> Result<(), Fail> {
        let plan = self.plan;
        match step {
            Step::MakeView(which) => self.make_view(&plan.make_views[which as usize], watch),
            Step::Partition(which) => self.partition(&plan.partitions[which as usize]),
            Step::ViewExtent { view, rank, strides, index, out } => self.view_extent(view, rank, strides, index, out),
            Step::ViewAddress { view, out } => {
                self.regs[out as usize] = self.views[view as usize].address;
                Ok(())
            }
            Step::TileAddress { tile, out } => {
                let tile = &self.tiles[tile as usize];
                let loc = plan.geometries[tile.geometry as usize].loc;
                self.regs[out as usize] = tile.base.wrapping_sub(plan.spaces.start(loc));
                Ok(())
            }
            Step::Offset { address, index, bits, out } => {
                let moved = self.int(index).wrapping_mul(i64::from(bits));
                if moved % 8 != 0 {
                    return Err(Fail::Unaligned);
                }
                self.regs[out as usize] = self.reg(address).wrapping_add((moved / 8) as u64);
                Ok(())
            }
            Step::StoreScalar(which) => self.store_scalar(&plan.accesses[which as usize], at, watch),
            Step::Allocate(which) => self.allocate(&plan.allocations[which as usize]),
            Step::LocalGet(which) => {
                let local = &plan.locals[which as usize];
                self.regs[local.value as usize] = self.reg(self.local(local)?);
                Ok(())
            }
            Step::LocalSet(which) => {
                let local = &plan.locals[which as usize];
                let place = self.local(local)?;
                self.regs[place as usize] = self.reg(local.value);
                Ok(())
            }
            Step::TileGet { tile, offset, out } => {
                let (start, elem) = self.tile_element(tile, self.int(offset))?;
                let bytes = (elem.bits() / 8) as usize;
                self.touched += 1;
                if W::OBSERVES {
                    self.say_element(tile, start, bytes, false, at, watch);
                }
                if W::FOLLOWS_WRITES {
                    self.follow_scalar_read(Some(tile), start, bytes as u64, at)?;
                }
                let raw = read_bytes(self.memory.part(start, bytes as u64));
                let value = from_memory(elem, raw);
                self.regs[out as usize] = if W::OBSERVES { watch.number(plan.origins[at], value) } else { value };
                if let Ok(which) = plan.element_reads.binary_search(&(at as u32)) {
                    self.spin.read(plan.accesses.len() + which, (usize::MAX, start as i64), raw);
                }
                Ok(())
            }
            Step::TileSet { tile, offset, value } => {
                let (start, elem) = self.tile_element(tile, self.int(offset))?;
                self.locals += 1;
                let bytes = (elem.bits() / 8) as usize;
                if W::OBSERVES {
                    self.say_element(tile, start, bytes, true, at, watch);
                }
                let raw = to_memory(elem, self.reg(value)).to_le_bytes();
                self.memory.part(start, bytes as u64).copy_from_slice(&raw[..bytes]);
                if W::FOLLOWS_WRITES {
                    self.bytes.add(start, bytes as u64);
                }
                Ok(())
            }
            Step::CopyTile { from, to } => {
                if W::COMPUTES && !W::MEASURES {
                    self.copy_tile(from, to);
                    self.bytes.version += 1;
                }
                if W::FOLLOWS_WRITES {
                    self.follow_copy(from, to);
                }
                Ok(())
            }
            Step::Print(which) => self.print(which as usize, at, watch),
            Step::Check(which) => {
                if W::MEASURES {
                    return Ok(());
                }
                self.check_rules(which as usize, at)
            }
            // `Core::steps` and `Core::place_tile` execute these, and hand on no others.
            Step::Jump(_)
            | Step::Branch { .. }
            | Step::Switch(_)
            | Step::LoopTest { .. }
            | Step::LoopNext { .. }
            | Step::LoopBy(_)
            | Step::Move { .. }
            | Step::MoveTile { .. }
            | Step::MoveView { .. }
            | Step::Int { .. }
            | Step::Float { .. }
            | Step::CompareInt { .. }
            | Step::CompareFloat { .. }
            | Step::Cast { .. }
            | Step::Select { .. }
            | Step::Extended { .. }
            | Step::BlockIndex(_)
            | Step::BlockCount(_)
            | Step::SubblockIndex(_)
            | Step::SubblockCount(_)
            | Step::Bind(_)
            | Step::Assign { .. }
            | Step::Window(_)
            | Step::Retype { .. }
            | Step::Pick { .. }
            | Step::SetValid { .. }
            | Step::ValidFromView { .. }
            | Step::ValidFromTile { .. }
            | Step::ValidFromTiles(_)
            | Step::GetValid { .. }
            | Step::ScaleAddress { .. }
            | Step::LoadScalar(_)
            | Step::Kernel(_)
            | Step::Order(_)
            | Step::Link(_)
            | Step::Trap
            | Step::End => Err(Fail::NotExecuted),
        }
    }

    // ---- views --------------------------------------------------------------------------------------------------

    fn base(&self, pointer: Pointer) -> (u64, Option<Loc>) {
        match pointer {
            Pointer::Scalar(reg, space) => (self.reg(reg), space),
            Pointer::View(view) => (self.views[view as usize].address, self.views[view as usize].space),
        }
    }

    fn make_view<W: Watch>(&mut self, make: &MakeView, watch: &mut W) -> Result<(), Fail> {
        let (address, space) = self.base(make.pointer);
        let mut view = View { address, space, shape: [1; 5], strides: [0; 5], layout: GlobalLayout::Nd };
        let skip = 5 - make.shape.len();
        for (k, (&extent, &stride)) in make.shape.iter().zip(&make.strides).enumerate() {
            let (extent, stride) = (self.int(extent), self.int(stride));
            if extent < 0 {
                return Err(Fail::Extent { what: "extent", dimension: k, value: extent });
            }
            if stride < 0 {
                return Err(Fail::Extent { what: "stride", dimension: k, value: stride });
            }
            view.shape[skip + k] = extent as u64;
            view.strides[skip + k] = stride;
        }
        view.layout = make.layout.unwrap_or_else(|| likely_layout(&view, make));
        if W::MEASURES && space.is_none() {
            let (buffer, first) = split_address(address);
            let last: i64 = view
                .shape
                .iter()
                .zip(&view.strides)
                .map(|(n, s)| (*n as i64 - 1).max(0).saturating_mul(*s))
                .fold(0, i64::saturating_add);
            let empty = view.shape.contains(&0);
            let end = if empty {
                first
            } else {
                first
                    .saturating_add((last.saturating_add(1)).saturating_mul(i64::from(make.bits)).saturating_add(7) / 8)
            };
            watch.view(buffer, first, end, &view.shape[skip..], &view.strides[skip..]);
        }
        self.views[make.out as usize] = view;
        Ok(())
    }

    fn partition(&mut self, p: &Partition) -> Result<(), Fail> {
        let source = self.views[p.from as usize];
        let mut view = source;
        let skip = 5 - p.sizes.len();
        if p.reinterpret {
            (view.shape, view.strides) = ([1; 5], [0; 5]);
        }
        let mut moved: i64 = 0;
        if p.reinterpret {
            moved = p.offsets.first().map_or(0, |o| self.int(*o));
        }
        for (k, &size) in p.sizes.iter().enumerate() {
            let at = skip + k;
            let size = self.int(size);
            if size < 0 {
                return Err(Fail::Extent { what: "size", dimension: k, value: size });
            }
            let step = p.steps.get(k).map_or(1, |s| self.int(*s));
            if p.reinterpret {
                view.strides[at] = step;
            } else {
                let offset = self.int(p.offsets[k]);
                let last = if size == 0 {
                    offset
                } else {
                    offset.saturating_add((size - 1).saturating_mul(step)).saturating_add(1)
                };
                if offset < 0 || step < 0 || last > source.shape[at] as i64 {
                    return Err(Fail::Partition { dimension: k, offset, size, extent: source.shape[at] });
                }
                moved = moved.wrapping_add(offset.wrapping_mul(source.strides[at]));
                view.strides[at] = source.strides[at].wrapping_mul(step);
            }
            view.shape[at] = size as u64;
        }
        let bits = moved.wrapping_mul(i64::from(p.bits));
        if bits % 8 != 0 {
            return Err(Fail::Unaligned);
        }
        view.address = source.address.wrapping_add((bits / 8) as u64);
        self.views[p.to as usize] = view;
        Ok(())
    }

    fn view_extent(&mut self, view: u32, rank: u8, strides: bool, index: u32, out: u32) -> Result<(), Fail> {
        let index = self.int(index);
        if !(0..i64::from(rank)).contains(&index) {
            return Err(Fail::Dimension { index, rank });
        }
        let at = 5 - usize::from(rank) + index as usize;
        let view = &self.views[view as usize];
        self.regs[out as usize] = if strides { view.strides[at] as u64 } else { view.shape[at] };
        Ok(())
    }

    fn allocate(&mut self, a: &Allocate) -> Result<(), Fail> {
        let mut view = View { address: 0, space: a.space, shape: [1; 5], strides: [0; 5], layout: GlobalLayout::Nd };
        let skip = 5 - a.sizes.len().min(5);
        let mut elements: u64 = 1;
        for (k, size) in a.sizes.iter().enumerate().rev() {
            let size = match size {
                Extent::Fixed(n) => i64::from(*n),
                Extent::Reg(reg) => self.int(*reg),
            };
            if size < 0 {
                return Err(Fail::Extent { what: "size", dimension: k, value: size });
            }
            view.shape[skip + k] = size as u64;
            view.strides[skip + k] = elements as i64;
            elements = elements.saturating_mul(size as u64);
        }
        let bytes = elements.saturating_mul(u64::from(a.bits)).div_ceil(8);
        if a.space.is_some() {
            view.address = a.own - a.space.map_or(0, |loc| self.plan.spaces.start(loc));
        } else {
            crate::machine::has_room(bytes, "the buffers that the program allocates", pto_isa::Span::default())
                .map_err(|problem| Fail::Memory(problem.message))?;
            let buffer = &mut self.allocated[a.buffer as usize];
            let words = bytes.div_ceil(8) as usize;
            buffer.clear();
            buffer.try_reserve(words).map_err(|_| Fail::NoMemory(bytes))?;
            buffer.resize(words, 0);
            view.address = buffer_address(self.plan.params.len() + a.buffer as usize);
        }
        self.views[a.out as usize] = view;
        Ok(())
    }

    // ---- single elements ------------------------------------------------------------------------------------------

    fn scalar_place(&self, access: &ScalarAccess) -> Result<Target, Fail> {
        let (address, space) = self.base(access.pointer);
        let elements = match access.pointer {
            Pointer::Scalar(..) => access.indices.first().map_or(0, |i| self.int(*i)),
            Pointer::View(view) => self.view_index(view, &access.indices)?,
        };
        let bytes = elements.wrapping_mul(i64::from(access.elem.bits() / 8));
        Ok(match space {
            Some(loc) => Target::Space(loc, (address as i64).wrapping_add(bytes)),
            None => {
                let (buffer, first) = split_address(address);
                Target::Buffer(buffer, first.wrapping_add(bytes))
            }
        })
    }

    /// One index counts elements; several name an element of a view.
    fn view_index(&self, view: u32, indices: &[u32]) -> Result<i64, Fail> {
        let view = &self.views[view as usize];
        let skip = 5 - indices.len().min(5);
        let mut sum: i64 = 0;
        for (k, &index) in indices.iter().enumerate() {
            let index = self.int(index);
            let extent = view.shape[skip + k];
            if index < 0 || index as u64 >= extent {
                return Err(Fail::Index { index, extent });
            }
            sum = sum.wrapping_add(index.wrapping_mul(view.strides[skip + k]));
        }
        Ok(sum)
    }

    pub fn load_scalar<W: Watch>(&mut self, which: usize, at: usize, watch: &mut W) -> Result<(), Fail> {
        self.touched += 1;
        let access = &self.plan.accesses[which];
        let place = self.scalar_place(access)?;
        let bytes = access.elem.bits() as usize / 8;
        if W::MEASURES {
            note(&place, bytes, watch);
            if let Target::Buffer(buffer, first) = place {
                watch.read(buffer);
                self.spin.read(which, (buffer, first), 0);
            }
            self.regs[access.value as usize] = 0;
            return Ok(());
        }
        let raw = match place {
            Target::Space(loc, first) => {
                let start = self.space_bytes(loc, first, bytes)?;
                if W::FOLLOWS_WRITES {
                    self.follow_scalar_read(None, start, bytes as u64, at)?;
                }
                read_bytes(self.memory.part(start, bytes as u64))
            }
            Target::Buffer(buffer, first) => {
                // Who only follows has no memory, and sees zeros.
                let raw = if W::COMPUTES { self.read_global(buffer, first, bytes)? } else { 0 };
                self.spin.read(which, (buffer, first), raw);
                raw
            }
        };
        if W::OBSERVES {
            self.say_scalar(&place, (bytes, raw), false, at, watch);
        }
        let value = from_memory(access.elem, raw);
        self.regs[access.value as usize] = if W::OBSERVES { watch.number(self.plan.origins[at], value) } else { value };
        Ok(())
    }

    fn store_scalar<W: Watch>(&mut self, access: &ScalarAccess, at: usize, watch: &mut W) -> Result<(), Fail> {
        let place = self.scalar_place(access)?;
        let bytes = access.elem.bits() as usize / 8;
        if W::MEASURES {
            note(&place, bytes, watch);
            return Ok(());
        }
        let raw = to_memory(access.elem, self.reg(access.value)).to_le_bytes();
        match place {
            Target::Space(loc, first) => {
                self.locals += 1;
                let start = self.space_bytes(loc, first, bytes)?;
                // Own tiles, behind the spaces, count as used anyway.
                let end = (first as u64).saturating_add(bytes as u64).min(self.plan.spaces.size(loc));
                self.used[loc as usize] = self.used[loc as usize].max(end);
                self.memory.part(start, bytes as u64).copy_from_slice(&raw[..bytes]);
                if W::FOLLOWS_WRITES {
                    self.bytes.add(start, bytes as u64);
                }
            }
            Target::Buffer(..) if !W::COMPUTES => {}
            Target::Buffer(buffer, first) => self.write_global(buffer, first, &raw[..bytes])?,
        }
        if W::OBSERVES {
            self.say_scalar(&place, (bytes, u64::from_le_bytes(raw)), true, at, watch);
        }
        Ok(())
    }

    /// The place in the core's memory of bytes of a space. Own tiles lie behind the spaces.
    fn space_bytes(&self, loc: Loc, first: i64, bytes: usize) -> Result<u64, Fail> {
        let start = self.plan.spaces.start(loc) as i64;
        let size = self.plan.spaces.size(loc);
        let at = start.wrapping_add(first);
        let end = at.wrapping_add(bytes as i64);
        let inside = first >= 0 && first as u64 + bytes as u64 <= size;
        let own = at >= self.plan.spaces.end as i64 && end as u64 <= self.memory.size() && end >= at;
        if inside || own {
            Ok(at as u64)
        } else {
            Err(Fail::SpaceBytes { loc, first, end: first.wrapping_add(bytes as i64), size })
        }
    }

    fn tile_element(&self, tile: TileId, offset: i64) -> Result<(u64, ScalarElem), Fail> {
        let tile = &self.tiles[tile as usize];
        let ty = &self.plan.geometries[tile.geometry as usize];
        if offset < 0 || offset as u64 >= ty.elements() {
            return Err(Fail::Index { index: offset, extent: ty.elements() });
        }
        let elem = elem_of(ty.dtype).ok_or(Fail::Unaligned)?;
        Ok((tile.base + offset as u64 * u64::from(elem.bits() / 8), elem))
    }

    fn local(&self, local: &Local) -> Result<u32, Fail> {
        let mut place = 0;
        for (&index, &extent) in local.indices.iter().zip(&local.dims) {
            let index = self.int(index);
            if !(0..i64::from(extent)).contains(&index) {
                return Err(Fail::Index { index, extent: extent.into() });
            }
            place = place * extent + index as u32;
        }
        Ok(local.array + place)
    }

    /// Copies a tile's physical contents and valid region; the two have the same type.
    fn copy_tile(&mut self, from: TileId, to: TileId) {
        let (source, target) = (self.tiles[from as usize], self.tiles[to as usize]);
        let ty = &self.plan.geometries[target.geometry as usize];
        let same_memory = source.geometry == target.geometry;
        if same_memory {
            let bytes = ty.bytes();
            self.memory.copy(source.base, target.base, bytes);
        } else {
            self.copy_elements(&source, &target);
        }
        let target = &mut self.tiles[to as usize];
        (target.rows, target.cols) = (source.rows, source.cols);
    }

    /// A window into a tile of its own: element by element.
    fn copy_elements(&mut self, source: &Tile, target: &Tile) {
        let from_type = &self.plan.geometries[source.geometry as usize];
        let to_type = &self.plan.geometries[target.geometry as usize];
        let bytes = u64::from(to_type.dtype.unit_bytes());
        let place = |t: &Tile, ty: &pto_isa::TileType, r: u64, c: u64| {
            let index =
                if ty.is_boxed() { ty.offset(r, c) } else { r * u64::from(t.row_stride) + c * u64::from(t.col_stride) };
            t.base + index * bytes
        };
        for r in 0..u64::from(source.rows) {
            for c in 0..u64::from(source.cols) {
                self.memory.copy(place(source, from_type, r, c), place(target, to_type, r, c), bytes);
            }
        }
    }
}

fn note<W: Watch>(place: &Target, bytes: usize, watch: &mut W) {
    if let Target::Buffer(buffer, first) = *place {
        watch.view(buffer, first, first.saturating_add(bytes as i64), &[], &[]);
    }
}

/// The layout a view most likely has when its maker does not say: boxes of 16 rows and 32 bytes are NZ, and so are
/// several columns of 32 bytes for tiles with boxes; a contiguous dimension before the last is DN.
fn likely_layout(view: &View, make: &MakeView) -> GlobalLayout {
    let [a, b, _, d, e] = view.shape;
    let [_, _, sc, sd, se] = view.strides;
    let rank = make.shape.len();
    let block = rank == 5 && e.saturating_mul(make.bits.into()) == 256 && se == 1;
    let boxes = || d == 16 && sd == e as i64 && sc == 16 * e as i64;
    let columns = make.boxed && (a > 1 || b > 1);
    if block && (boxes() || columns) {
        GlobalLayout::Nz
    } else if rank >= 2 && se != 1 && sd == 1 {
        GlobalLayout::Dn
    } else {
        GlobalLayout::Nd
    }
}

pub(super) fn read_bytes(bytes: &[u8]) -> u64 {
    let mut raw = [0; 8];
    raw[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(raw)
}

fn from_memory(elem: ScalarElem, raw: u64) -> u64 {
    match elem {
        ScalarElem::Int(int) => int.keep(raw),
        ScalarElem::Float(float) => float.of_bits(raw),
    }
}

fn to_memory(elem: ScalarElem, value: u64) -> u64 {
    match elem {
        ScalarElem::Int(_) => value,
        ScalarElem::Float(float) => float.to_bits(value),
    }
}

/// How an element of a tile is kept in a register.
fn elem_of(dtype: DType) -> Option<ScalarElem> {
    use crate::plan::{Float, Int};
    Some(match dtype {
        DType::F32 => ScalarElem::Float(Float::F32),
        DType::F16 => ScalarElem::Float(Float::F16),
        DType::Bf16 => ScalarElem::Float(Float::Bf16),
        d if d.is_int() && d.bits() >= 8 => {
            ScalarElem::Int(Int { bits: d.bits() as u8, unsigned: d.class() == pto_isa::Class::Unsigned })
        }
        _ => return None,
    })
}
