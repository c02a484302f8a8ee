//! Views of memory, and single elements.

use super::core::Core;
use super::fail::Fail;
use super::observe::Watched;
use crate::memory::{buffer_address, split_address};
use crate::prepared::{
    AccessId, Allocate, ExtentValue, FloatType, Id, IntType, Local, MakeView, Partition, Pointer, Reg, ScalarAccess,
    ScalarElem, StepId, TileId, TileState, ViewId, ViewState,
};
use pto_isa::text;
use pto_isa::{DType, GlobalLayout, Loc};

/// The address of a scalar: a buffer or a space, and the first byte.
pub(super) enum ScalarAddress {
    Buffer(usize, i64),
    Space(Loc, i64),
}

impl Core<'_> {
    // ---- views --------------------------------------------------------------------------------------------------

    fn base(&self, pointer: Pointer) -> (u64, Option<Loc>) {
        match pointer {
            Pointer::Scalar(reg, space) => (self.reg(reg), space),
            Pointer::View(view) => (self.regs.views[view].address, self.regs.views[view].space),
        }
    }

    #[inline(never)]
    pub fn make_view<W: Watched + ?Sized>(&mut self, make: &MakeView, watch: &mut W) -> Result<(), Fail> {
        let (address, space) = self.base(make.pointer);
        let mut view = ViewState { address, space, ..ViewState::EMPTY };
        let skip = 5 - make.shape.len();
        for (k, (&extent, &stride)) in make.shape.iter().zip(&make.strides).enumerate() {
            let (extent, stride) = (self.int(extent), self.int(stride));
            if extent < 0 {
                return Err(Fail::Extent { what: text!("extent"), dimension: k, value: extent });
            }
            if stride < 0 {
                return Err(Fail::Extent { what: text!("stride"), dimension: k, value: stride });
            }
            view.shape[skip + k] = extent as u64;
            view.strides[skip + k] = stride;
        }
        view.layout = make.layout.unwrap_or_else(|| shown_layout(&view, make));
        if self.mode::<W>().measures && space.is_none() {
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
        self.regs.views[make.out] = view;
        Ok(())
    }

    #[inline(never)]
    pub fn partition(&mut self, p: &Partition) -> Result<(), Fail> {
        let source = self.regs.views[p.from];
        let scalars = &self.regs.scalars;
        let int = |reg: Reg| scalars[reg] as i64;
        // Written where it is kept: a copy would wait for all of its parts.
        let view = &mut self.regs.views[p.to];
        *view = source;
        let skip = 5 - p.sizes.len();
        let open = self.plan.source.options.open_windows;
        if p.reinterpret {
            (view.shape, view.strides) = ([1; 5], [0; 5]);
        }
        let mut moved: i64 = 0;
        if p.reinterpret {
            moved = p.offsets.first().map_or(0, |o| int(*o));
        }
        for (k, &size) in p.sizes.iter().enumerate() {
            let at = skip + k;
            let size = int(size);
            if size < 0 {
                return Err(Fail::Extent { what: text!("size"), dimension: k, value: size });
            }
            let step = p.steps.get(k).map_or(1, |s| int(*s));
            if p.reinterpret {
                view.strides[at] = step;
            } else {
                let offset = int(p.offsets[k]);
                let last = if size == 0 {
                    offset
                } else {
                    offset.saturating_add((size - 1).saturating_mul(step)).saturating_add(1)
                };
                if !open && (offset < 0 || step < 0 || last > source.shape[at] as i64) {
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
        view.layout = p.layout.unwrap_or(view.layout);
        Ok(())
    }

    /// An extent or a stride of a view.
    #[inline(never)]
    pub fn view_extent(&self, view: ViewId, rank: u8, strides: bool, index: Reg) -> Result<u64, Fail> {
        let index = self.int(index);
        if !(0..i64::from(rank)).contains(&index) {
            return Err(Fail::Dimension { index, rank });
        }
        let at = 5 - usize::from(rank) + index as usize;
        let view = &self.regs.views[view];
        Ok(if strides { view.strides[at] as u64 } else { view.shape[at] })
    }

    #[inline(never)]
    pub fn allocate(&mut self, a: &Allocate) -> Result<(), Fail> {
        let mut view = ViewState { space: a.space, ..ViewState::EMPTY };
        let skip = 5 - a.sizes.len().min(5);
        let mut elements: u64 = 1;
        for (k, size) in a.sizes.iter().enumerate().rev() {
            let size = match size {
                ExtentValue::Fixed(n) => i64::from(*n),
                ExtentValue::Reg(reg) => self.int(*reg),
            };
            if size < 0 {
                return Err(Fail::Extent { what: text!("size"), dimension: k, value: size });
            }
            view.shape[skip + k] = size as u64;
            view.strides[skip + k] = elements as i64;
            elements = elements.saturating_mul(size as u64);
        }
        let bytes = elements.saturating_mul(u64::from(a.bits)).div_ceil(8);
        if a.space.is_some() {
            view.address = a.own - a.space.map_or(0, |loc| self.plan.memory.spaces.start(loc));
        } else {
            crate::machine::has_room(bytes, text!("the buffers that the program allocates"), pto_isa::Span::default())
                .map_err(|problem| Fail::Memory(problem.message))?;
            let buffer = &mut self.global.allocated[a.buffer];
            let words = bytes.div_ceil(8) as usize;
            buffer.clear();
            buffer.try_reserve(words).map_err(|_| Fail::NoMemory(bytes))?;
            buffer.resize(words, 0);
            view.address = buffer_address(self.plan.source.params.len() + a.buffer.index());
        }
        self.regs.views[a.out] = view;
        Ok(())
    }

    // ---- single elements ------------------------------------------------------------------------------------------

    fn scalar_place(&self, access: &ScalarAccess) -> Result<ScalarAddress, Fail> {
        let (address, space) = self.base(access.pointer);
        let elements = match access.pointer {
            Pointer::Scalar(..) => access.indices.first().map_or(0, |i| self.int(*i)),
            Pointer::View(view) => self.view_index(view, &access.indices)?,
        };
        let bytes = elements.wrapping_mul(i64::from(access.elem.bits() / 8));
        Ok(match space {
            Some(loc) => ScalarAddress::Space(loc, (address as i64).wrapping_add(bytes)),
            None => {
                let (buffer, first) = split_address(address);
                ScalarAddress::Buffer(buffer, first.wrapping_add(bytes))
            }
        })
    }

    /// One index counts elements; several name an element of a view.
    fn view_index(&self, view: ViewId, indices: &[Reg]) -> Result<i64, Fail> {
        let view = &self.regs.views[view];
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

    #[inline(never)]
    pub fn load_scalar<W: Watched + ?Sized>(&mut self, which: AccessId, at: StepId, watch: &mut W) -> Result<(), Fail> {
        self.progress.deeds.touched += 1;
        let access = &self.plan.views.accesses[which];
        let place = self.scalar_place(access)?;
        let bytes = access.elem.bits() as usize / 8;
        if self.mode::<W>().measures {
            note(&place, bytes, watch);
            if let ScalarAddress::Buffer(buffer, first) = place {
                watch.read(buffer);
                self.progress.spin.read(which.index(), (buffer, first), 0);
            }
            self.regs.scalars[access.value] = 0;
            return Ok(());
        }
        let raw = match place {
            ScalarAddress::Space(loc, first) => {
                let start = self.space_bytes(loc, first, bytes)?;
                self.make_all_moves()?;
                if self.mode::<W>().follows_writes {
                    self.follow_scalar_read(None, start, bytes as u64, at)?;
                }
                read_bytes(self.local.memory.part(start, bytes as u64))
            }
            ScalarAddress::Buffer(buffer, first) => {
                // A run that only follows has no memory, and reads zeros.
                let raw = if self.mode::<W>().computes { self.read_global(buffer, first, bytes)? } else { 0 };
                self.progress.spin.read(which.index(), (buffer, first), raw);
                raw
            }
        };
        if self.mode::<W>().observes {
            self.say_scalar(&place, (bytes, raw), false, at, watch);
        }
        let value = access.elem.in_register(raw);
        self.regs.scalars[access.value] = value;
        if self.mode::<W>().observes {
            self.regs.scalars[access.value] = watch.number(self.plan.code.origins[at], value);
            self.follow_load(access.value, access.elem, at, watch);
        }
        Ok(())
    }

    #[inline(never)]
    pub fn store_scalar<W: Watched + ?Sized>(
        &mut self,
        access: &ScalarAccess,
        at: StepId,
        watch: &mut W,
    ) -> Result<(), Fail> {
        let place = self.scalar_place(access)?;
        let bytes = access.elem.bits() as usize / 8;
        if self.mode::<W>().measures {
            note(&place, bytes, watch);
            return Ok(());
        }
        let raw = to_memory(access.elem, self.reg(access.value)).to_le_bytes();
        match place {
            ScalarAddress::Space(loc, first) => {
                self.progress.deeds.locals += 1;
                let start = self.space_bytes(loc, first, bytes)?;
                self.make_all_moves()?;
                // Tiles without an address, after the spaces, count as used anyway.
                let end = (first as u64).saturating_add(bytes as u64).min(self.plan.memory.spaces.size(loc));
                self.local.use_up_to(loc, end);
                self.local.memory.part(start, bytes as u64).copy_from_slice(&raw[..bytes]);
                if self.mode::<W>().follows_writes {
                    self.local.written.bytes.add(start, bytes as u64);
                }
            }
            ScalarAddress::Buffer(..) if !self.mode::<W>().computes => {}
            ScalarAddress::Buffer(buffer, first) => self.write_global(buffer, first, &raw[..bytes])?,
        }
        if self.mode::<W>().observes {
            self.say_scalar(&place, (bytes, u64::from_le_bytes(raw)), true, at, watch);
        }
        Ok(())
    }

    /// The offset in the memory of the core of bytes of a space. Tiles without an address lie after the spaces.
    pub(super) fn space_bytes(&self, loc: Loc, first: i64, bytes: usize) -> Result<u64, Fail> {
        let start = self.plan.memory.spaces.start(loc) as i64;
        let size = self.plan.memory.spaces.size(loc);
        let at = start.wrapping_add(first);
        let end = at.wrapping_add(bytes as i64);
        let inside = first >= 0 && first as u64 + bytes as u64 <= size;
        let own = at >= self.plan.memory.spaces.end as i64 && end as u64 <= self.local.memory.size() && end >= at;
        if inside || own {
            Ok(at as u64)
        } else {
            Err(Fail::SpaceBytes { loc, first, end: first.wrapping_add(bytes as i64), size })
        }
    }

    /// The address of a tile in its space.
    pub fn tile_address(&self, tile: TileId) -> u64 {
        let tile = &self.regs.tiles[tile];
        let loc = self.plan.tiles.geometries[tile.geometry].loc;
        tile.base.wrapping_sub(self.plan.memory.spaces.start(loc))
    }

    /// An address plus a number of elements.
    #[inline(never)]
    pub fn moved_address(&self, address: Reg, index: Reg, bits: u32) -> Result<u64, Fail> {
        let moved = self.int(index).wrapping_mul(i64::from(bits));
        if moved % 8 != 0 {
            return Err(Fail::Unaligned);
        }
        Ok(self.reg(address).wrapping_add((moved / 8) as u64))
    }

    #[inline(never)]
    pub fn get_element<W: Watched + ?Sized>(
        &mut self,
        tile: TileId,
        offset: Reg,
        out: Reg,
        at: StepId,
        watch: &mut W,
    ) -> Result<(), Fail> {
        let plan = self.plan;
        let (start, elem) = self.tile_element(tile, self.int(offset))?;
        let bytes = (elem.bits() / 8) as usize;
        self.progress.deeds.touched += 1;
        self.make_all_moves()?;
        if self.mode::<W>().observes {
            self.say_element(tile, start, bytes, false, at, watch);
        }
        if self.mode::<W>().follows_writes {
            self.follow_scalar_read(Some(tile), start, bytes as u64, at)?;
        }
        let raw = read_bytes(self.local.memory.part(start, bytes as u64));
        let value = elem.in_register(raw);
        self.regs.scalars[out] = value;
        if self.mode::<W>().observes {
            self.regs.scalars[out] = watch.number(plan.code.origins[at], value);
            self.follow_load(out, elem, at, watch);
        }
        if let Ok(which) = plan.code.element_reads.binary_search(&at) {
            self.progress.spin.read(plan.views.accesses.len() + which, (usize::MAX, start as i64), raw);
        }
        Ok(())
    }

    #[inline(never)]
    pub fn set_element<W: Watched + ?Sized>(
        &mut self,
        tile: TileId,
        offset: Reg,
        value: Reg,
        at: StepId,
        watch: &mut W,
    ) -> Result<(), Fail> {
        let (start, elem) = self.tile_element(tile, self.int(offset))?;
        self.progress.deeds.locals += 1;
        self.make_all_moves()?;
        let bytes = (elem.bits() / 8) as usize;
        if self.mode::<W>().observes {
            self.say_element(tile, start, bytes, true, at, watch);
        }
        let raw = to_memory(elem, self.reg(value)).to_le_bytes();
        self.local.memory.part(start, bytes as u64).copy_from_slice(&raw[..bytes]);
        if self.mode::<W>().follows_writes {
            self.local.written.bytes.add(start, bytes as u64);
        }
        Ok(())
    }

    fn tile_element(&self, tile: TileId, offset: i64) -> Result<(u64, ScalarElem), Fail> {
        let tile = &self.regs.tiles[tile];
        let ty = &self.plan.tiles.geometries[tile.geometry];
        if offset < 0 || offset as u64 >= ty.elements() {
            return Err(Fail::Index { index: offset, extent: ty.elements() });
        }
        let elem = elem_of(ty.dtype).ok_or(Fail::Unaligned)?;
        Ok((tile.base + offset as u64 * u64::from(elem.bits() / 8), elem))
    }

    /// The register of an element of a local array.
    pub fn local(&self, local: &Local) -> Result<Reg, Fail> {
        let mut place = 0;
        for (&index, &extent) in local.indices.iter().zip(&local.dims) {
            let index = self.int(index);
            if !(0..i64::from(extent)).contains(&index) {
                return Err(Fail::Index { index, extent: extent.into() });
            }
            place = place * extent + index as u32;
        }
        Ok(local.array.plus(place))
    }

    /// Copies a tile, and follows what of it was written.
    #[inline(never)]
    pub fn copy<W: Watched + ?Sized>(&mut self, from: TileId, to: TileId) {
        if self.mode::<W>().computes && !self.mode::<W>().measures {
            self.copy_tile(from, to);
            self.local.written.version += 1;
        }
        if self.mode::<W>().follows_writes {
            self.follow_copy(from, to);
        }
    }

    /// Copies a tile's physical contents and valid region; the two have the same type.
    fn copy_tile(&mut self, from: TileId, to: TileId) {
        let (source, target) = (self.regs.tiles[from], self.regs.tiles[to]);
        let ty = &self.plan.tiles.geometries[target.geometry];
        let same_memory = source.geometry == target.geometry;
        if same_memory {
            let bytes = ty.bytes();
            self.local.memory.copy(source.base, target.base, bytes);
        } else {
            self.copy_elements(&source, &target);
        }
        let target = &mut self.regs.tiles[to];
        (target.rows, target.cols) = (source.rows, source.cols);
    }

    /// Copies a window into its own tile, element by element.
    fn copy_elements(&mut self, source: &TileState, target: &TileState) {
        let from_type = &self.plan.tiles.geometries[source.geometry];
        let to_type = &self.plan.tiles.geometries[target.geometry];
        let bytes = u64::from(to_type.dtype.unit_bytes());
        let place = |t: &TileState, ty: &pto_isa::TileType, r: u64, c: u64| {
            let index =
                if ty.is_boxed() { ty.offset(r, c) } else { r * u64::from(t.row_stride) + c * u64::from(t.col_stride) };
            t.base + index * bytes
        };
        for r in 0..u64::from(source.rows) {
            for c in 0..u64::from(source.cols) {
                self.local.memory.copy(place(source, from_type, r, c), place(target, to_type, r, c), bytes);
            }
        }
    }
}

fn note<W: Watched + ?Sized>(place: &ScalarAddress, bytes: usize, watch: &mut W) {
    if let ScalarAddress::Buffer(buffer, first) = *place {
        watch.view(buffer, first, first.saturating_add(bytes as i64), &[], &[]);
    }
}

/// The layout of a view that nothing before the run determines.
fn shown_layout(view: &ViewState, make: &MakeView) -> GlobalLayout {
    let (shape, strides) = (view.shape.map(Some), view.strides.map(Some));
    let skip = shape.len() - make.shape.len();
    GlobalLayout::unstated(&shape[skip..], &strides[skip..], make.bits, make.accepted).unwrap_or(GlobalLayout::Nd)
}

pub(super) fn read_bytes(bytes: &[u8]) -> u64 {
    let mut raw = [0; 8];
    raw[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(raw)
}

impl ScalarElem {
    /// What a register holds, given the bits in memory.
    pub fn in_register(self, raw: u64) -> u64 {
        match self {
            Self::Int(int) => int.keep(raw),
            Self::Float(float) => float.of_bits(raw),
        }
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
    Some(match dtype {
        DType::F32 => ScalarElem::Float(FloatType::F32),
        DType::F16 => ScalarElem::Float(FloatType::F16),
        DType::Bf16 => ScalarElem::Float(FloatType::Bf16),
        d if d.is_int() && d.bits() >= 8 => {
            ScalarElem::Int(IntType { bits: d.bits() as u8, unsigned: d.class() == pto_isa::Class::Unsigned })
        }
        _ => return None,
    })
}
