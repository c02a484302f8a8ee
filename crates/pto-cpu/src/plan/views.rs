//! Pointers, views, queries, and the scalar accesses around them.

use super::build::{PlanBuilder, PlanResult};
use crate::prepared::*;
use pto_ir::{Attr, OpId, ValueId};
use pto_isa::row::{Arith, CoreQuery, LocalOp, Meaning, Movement, Storage};
use pto_isa::text;
use pto_isa::{Dim, GlobalLayout, Loc, MemrefType, PtrSpace, ScalarType, Type};

impl PlanBuilder<'_> {
    pub fn new_view(&mut self) -> ViewId {
        self.plan.start.views.push(ViewState::EMPTY)
    }

    pub fn view_op(&mut self, id: OpId) -> PlanResult<()> {
        match self.module.meaning(id) {
            Meaning::Storage(is) => self.storage_op(id, is),
            Meaning::Movement(Movement::LoadScalar | Movement::StoreScalar) => {
                self.scalar_access(id, "ptr", &["offset"], "value")
            }
            Meaning::Query(is) => {
                let out = self.result_reg(id)?;
                let step = match is {
                    CoreQuery::BlockIndex => Step::BlockIndex(out),
                    CoreQuery::BlockCount => Step::BlockCount(out),
                    CoreQuery::SubblockIndex => Step::SubblockIndex(out),
                    CoreQuery::SubblockCount => Step::SubblockCount(out),
                };
                self.push(step).map(drop)
            }
            Meaning::Local(LocalOp::DeclareArray | LocalOp::DeclareStruct) => self.declare_local(id),
            Meaning::Local(LocalOp::GetElement | LocalOp::SetElement) => self.local_array(id),
            Meaning::Local(LocalOp::GetField | LocalOp::SetField) => self.struct_field(id),
            Meaning::Arith(Arith::ClearBit) => self.bit_op(id, IntOp::ClearBit),
            Meaning::Arith(Arith::SetBit) => self.bit_op(id, IntOp::SetBit),
            _ => Err(self.unsupported(text!("this operation"))),
        }
    }

    /// Operations that make, name or query memory; those of plain buffers come through [`PlanBuilder::memref_op`].
    fn storage_op(&mut self, id: OpId, is: Storage) -> PlanResult<()> {
        match is {
            Storage::Tile | Storage::Tiles | Storage::BufferAt => self.alloc(id),
            Storage::BindTile => self.rebind(id),
            Storage::OpenBuffer => self.result(id).and_then(|v| self.define(v)).map(drop),
            Storage::Pick => self.pick(id),
            Storage::Assign => self.assign(id),
            Storage::Retype => self.retype(id),
            Storage::Window | Storage::ClippedWindow => self.window(id),
            Storage::BindWindow => self.rebind_window(id),
            Storage::BindAlias => self.alias(id),
            Storage::SetValid => {
                let tile = self.operand_tile(id, "source")?;
                let (rows, cols) = (self.operand_reg(id, "valid_row")?, self.operand_reg(id, "valid_col")?);
                self.push(Step::SetValid { tile, rows, cols }).map(drop)
            }
            Storage::GetValid | Storage::ValidRows | Storage::ValidCols => self.valid_query(id, is),
            Storage::View => self.make_view(id),
            Storage::Partition => self.partition(id),
            Storage::ViewExtent | Storage::ViewStride => self.view_query(id),
            Storage::ViewAddress | Storage::TileAddress => self.address_of(id),
            Storage::Offset => self.move_pointer(id),
            Storage::CastPointer | Storage::ToPointer | Storage::FromPointer => self.cast_pointer(id),
            Storage::Buffer
            | Storage::Free
            | Storage::BufferCast
            | Storage::BufferWindow
            | Storage::BufferRecast
            | Storage::BufferExtent => self.memref_op(id),
        }
    }

    fn bit_op(&mut self, id: OpId, op: IntOp) -> PlanResult<()> {
        let (a, b) = (self.operand_reg(id, "first")?, self.operand_reg(id, "second")?);
        let out = self.result_reg(id)?;
        self.push(Step::Int { op, kind: IntType { bits: 64, unsigned: false }, a, b, out }).map(drop)
    }

    fn valid_query(&mut self, id: OpId, is: Storage) -> PlanResult<()> {
        let slot = if is == Storage::GetValid { "source" } else { "src" };
        let named = self.module.operand(id, slot).or_else(|| self.module.operands(id).first().map(|o| o.value));
        let Some(value) = named else { return Err(self.unsupported(text!("it without a tile"))) };
        let tile = self.tile(value)?;
        let mut outs = Vec::new();
        for value in self.module.results(id) {
            self.define(value)?;
            outs.push(self.scalar(value)?);
        }
        let (rows, cols) = match (is, &outs[..]) {
            (Storage::GetValid, [rows, cols]) => (*rows, *cols),
            (Storage::ValidRows, [rows]) => (*rows, self.reg()),
            (_, [cols]) => (self.reg(), *cols),
            _ => return Err(self.unsupported(text!("these results"))),
        };
        self.push(Step::GetValid { tile, rows, cols }).map(drop)
    }

    // ---- pointers -----------------------------------------------------------------------------------------------

    /// What an operand points to.
    pub fn pointer(&self, value: ValueId) -> PlanResult<Pointer> {
        match (self.slot(value), self.module.value_type(value)) {
            (ValueStorage::Scalar(reg), Type::Ptr(_, PtrSpace::On(loc))) => Ok(Pointer::Scalar(reg, Some(*loc))),
            (ValueStorage::Scalar(reg), _) => Ok(Pointer::Scalar(reg, None)),
            (ValueStorage::View(view), _) => Ok(Pointer::View(view)),
            _ => Err(self.unsupported(text!("this pointer"))),
        }
    }

    fn move_pointer(&mut self, id: OpId) -> PlanResult<()> {
        let value = self.module.operand(id, "ptr");
        let (Some(value), index) = (value, self.operand_reg(id, "offset")?) else {
            return Err(self.unsupported(text!("it without a pointer")));
        };
        let bits = self.elem_bits(value)?;
        let address = self.address_register(value)?;
        let out = self.result_reg(id)?;
        self.push(Step::Offset { address, index, bits, out }).map(drop)
    }

    fn cast_pointer(&mut self, id: OpId) -> PlanResult<()> {
        let Some(value) = self.module.operands(id).first().map(|o| o.value) else {
            return Err(self.unsupported(text!("it without an operand")));
        };
        let from = self.address_register(value)?;
        let to = self.result_reg(id)?;
        self.push(Step::Move { from, to }).map(drop)
    }

    /// The register that holds the address of a pointer or view.
    fn address_register(&mut self, value: ValueId) -> PlanResult<Reg> {
        match self.slot(value) {
            ValueStorage::Scalar(reg) => Ok(reg),
            ValueStorage::View(view) => {
                let out = self.reg();
                self.push(Step::ViewAddress { view, out })?;
                Ok(out)
            }
            _ => Err(self.unsupported(text!("this pointer"))),
        }
    }

    fn address_of(&mut self, id: OpId) -> PlanResult<()> {
        let Some(value) = self.module.operand(id, "src") else {
            return Err(self.unsupported(text!("it without an operand")));
        };
        let slot = self.slot(value);
        let result = self.result(id)?;
        if let (ValueStorage::View(from), ValueStorage::View(to)) = (slot, self.define(result)?) {
            return self.push(Step::MoveView { from, to }).map(drop);
        }
        let out = self.scalar(result)?;
        match slot {
            ValueStorage::View(view) => self.push(Step::ViewAddress { view, out }).map(drop),
            ValueStorage::Tile(tile) => self.push(Step::TileAddress { tile, out }).map(drop),
            _ => Err(self.unsupported(text!("this operand"))),
        }
    }

    /// Bits of the elements a pointer, view or memref leads to.
    fn elem_bits(&self, value: ValueId) -> PlanResult<u32> {
        let ty = self.module.value_type(value);
        match (ty.elem(), ty) {
            (Some(d), _) => Ok(d.column_bits()),
            (None, Type::Ptr(ScalarType::I1, _)) => Ok(8),
            (None, Type::Ptr(ScalarType::Index | ScalarType::F64, _)) => Ok(64),
            (None, Type::Memref(m)) => Ok(if m.view.elem == ScalarType::I1 { 8 } else { 64 }),
            _ => Err(self.unsupported(text!("a pointer to this type"))),
        }
    }

    // ---- views of global memory -----------------------------------------------------------------------------------

    fn regs(&self, values: &[ValueId]) -> PlanResult<Vec<Reg>> {
        values.iter().map(|v| self.scalar(*v)).collect()
    }

    /// The layout of a tensor that comes as a whole.
    pub fn layout_of(&self, view: ValueId) -> GlobalLayout {
        self.checked.info().layouts.of(view).unwrap_or(GlobalLayout::Nd)
    }

    fn make_view(&mut self, id: OpId) -> PlanResult<()> {
        let Some(ptr) = self.module.operand(id, "ptr") else {
            return Err(self.unsupported(text!("it without a pointer")));
        };
        let value = self.result(id)?;
        let make = MakeView {
            pointer: self.pointer(ptr)?,
            shape: self.regs(&self.operands(id, "shape"))?,
            strides: self.regs(&self.operands(id, "strides"))?,
            layout: self.checked.info().layouts.of(value),
            accepted: self.checked.info().layouts.accepted(value),
            bits: self.elem_bits(value)?,
            out: self.new_view(),
        };
        if make.shape.len() > 5 {
            return Err(self.unsupported(text!("a view with more than five dimensions")));
        }
        self.keep_in(value, ValueStorage::View(make.out));
        let at = self.plan.views.made.push(make);
        self.push(Step::MakeView(at)).map(drop)
    }

    fn partition(&mut self, id: OpId) -> PlanResult<()> {
        let Some(source) = self.module.operand(id, "source") else {
            return Err(self.unsupported(text!("it without a source")));
        };
        let (offsets, sizes) = (self.operands(id, "offsets"), self.operands(id, "sizes"));
        let partition = Partition {
            from: self.view(source)?,
            to: self.new_view(),
            offsets: self.regs(&offsets)?,
            sizes: self.regs(&sizes)?,
            steps: Vec::new(),
            bits: self.elem_bits(source)?,
            reinterpret: false,
            layout: None,
        };
        let value = self.result(id)?;
        self.keep_in(value, ValueStorage::View(partition.to));
        self.push_partition(partition)
    }

    pub(super) fn push_partition(&mut self, partition: Partition) -> PlanResult<()> {
        let at = self.plan.views.partitions.push(partition);
        self.push(Step::Partition(at)).map(drop)
    }

    fn view_query(&mut self, id: OpId) -> PlanResult<()> {
        let operands: Vec<ValueId> = self.module.operands(id).iter().map(|o| o.value).collect();
        let [source, index] = operands[..] else { return Err(self.unsupported(text!("these operands"))) };
        let rank = self.rank(source);
        let (view, index) = (self.view(source)?, self.scalar(index)?);
        let out = self.result_reg(id)?;
        let strides = self.module.storage(id) == Some(Storage::ViewStride);
        self.push(Step::ViewExtent { view, rank, strides, index, out }).map(drop)
    }

    fn rank(&self, value: ValueId) -> u8 {
        match self.module.value_type(value) {
            Type::TensorView(v) | Type::PartitionView(v) => v.dims.len() as u8,
            Type::Memref(m) => m.view.dims.len() as u8,
            _ => 0,
        }
    }

    // ---- scalar accesses --------------------------------------------------------------------------------------------

    /// A load or store of one element; the value is an operand of a store and the result of a load.
    pub fn scalar_access(&mut self, id: OpId, pointer: &str, indices: &[&str], value: &str) -> PlanResult<()> {
        let Some(ptr) = self.module.operand(id, pointer) else {
            return Err(self.unsupported(text!("it without a pointer")));
        };
        let places: Vec<ValueId> = indices.iter().flat_map(|n| self.operands(id, n)).collect();
        let stored = self.module.operand(id, value);
        let value = match stored {
            Some(v) => v,
            None => self.result(id)?,
        };
        let Some(elem) = scalar_elem(self.module.value_type(value)) else {
            return Err(self.unsupported(&text!("an access of {module}", module = self.module.value_type(value))));
        };
        if stored.is_none() {
            self.define(value)?;
        }
        let access = ScalarAccess {
            pointer: self.pointer(ptr)?,
            indices: self.regs(&places)?,
            elem,
            value: self.scalar(value)?,
        };
        let at = self.plan.views.accesses.push(access);
        self.push(if stored.is_some() { Step::StoreScalar(at) } else { Step::LoadScalar(at) }).map(drop)
    }

    // ---- local arrays and records -------------------------------------------------------------------------------------

    /// A register for each scalar.
    fn declare_local(&mut self, id: OpId) -> PlanResult<()> {
        let value = self.result(id)?;
        let count = local_size(self.module.value_type(value));
        if count > 1 << 20 {
            return Err(self.unsupported(text!("a local array of more than a million elements")));
        }
        let first = self.plan.start.scalars.extend_by(count as usize, 0);
        self.keep_in(value, ValueStorage::Array(first));
        Ok(())
    }

    fn local_array(&mut self, id: OpId) -> PlanResult<()> {
        let Some(array) = self.module.operand(id, "array") else {
            return Err(self.unsupported(text!("it without an array")));
        };
        let dims = match self.module.value_type(array) {
            Type::LocalArray(v) => v.dims.iter().map(|d| d.fixed().unwrap_or(0) as u32).collect(),
            Type::EventIds(n) => vec![*n as u32],
            _ => return Err(self.unsupported(text!("this array"))),
        };
        let indices = [self.operands(id, "indices"), self.operands(id, "index")].concat();
        self.local(id, array, dims, &indices)
    }

    pub fn event_ids_op(&mut self, id: OpId) -> PlanResult<()> {
        if self.module.local(id) == Some(LocalOp::DeclareEventIds) {
            return self.declare_local(id);
        }
        self.local_array(id)
    }

    fn local(&mut self, id: OpId, array: ValueId, dims: Vec<u32>, indices: &[ValueId]) -> PlanResult<()> {
        let ValueStorage::Array(first) = self.slot(array) else { return Err(self.unsupported(text!("this array"))) };
        let indices = self.regs(indices)?;
        let stored = self.module.operand(id, "value");
        let value = match stored {
            Some(v) => self.scalar(v)?,
            None => self.result_reg(id)?,
        };
        let at = self.plan.views.locals.push(Local { array: first, dims, indices, value });
        self.push(if stored.is_some() { Step::LocalSet(at) } else { Step::LocalGet(at) }).map(drop)
    }

    fn struct_field(&mut self, id: OpId) -> PlanResult<()> {
        let Some(record) = self.module.operand(id, "s") else {
            return Err(self.unsupported(text!("it without a record")));
        };
        let path: Vec<usize> = match self.module.attr(id, "path") {
            Some(Attr::Array(items)) => items.iter().filter_map(Attr::int).map(|n| n as usize).collect(),
            _ => Vec::new(),
        };
        let ValueStorage::Array(first) = self.slot(record) else { return Err(self.unsupported(text!("this record"))) };
        let field = first.plus(field_offset(self.module.value_type(record), &path) as u32);
        match self.module.operand(id, "value") {
            Some(v) => {
                let from = self.scalar(v)?;
                self.push(Step::Move { from, to: field }).map(drop)
            }
            None => {
                let to = self.result_reg(id)?;
                self.push(Step::Move { from: field, to }).map(drop)
            }
        }
    }

    // ---- memrefs --------------------------------------------------------------------------------------------------------

    pub fn memref_op(&mut self, id: OpId) -> PlanResult<()> {
        match self.module.meaning(id) {
            Meaning::Storage(Storage::Buffer) if self.module.results(id).any(|v| self.module.tile(v).is_some()) => {
                self.alloc(id)
            }
            Meaning::Storage(Storage::Buffer) => self.memref_alloc(id),
            Meaning::Storage(Storage::Free) => Ok(()),
            Meaning::Movement(Movement::LoadElement | Movement::StoreElement) => {
                match self.module.operand(id, "memref").map(|v| self.slot(v)) {
                    Some(ValueStorage::Tile(tile)) => self.buffer_element(id, tile),
                    _ => self.scalar_access(id, "memref", &["indices"], "value"),
                }
            }
            Meaning::Storage(Storage::BufferExtent) => self.memref_dim(id),
            Meaning::Storage(Storage::BufferCast) => {
                let value = self.result(id)?;
                let Some(from) = self.module.operands(id).first().map(|o| self.slot(o.value)) else { return Ok(()) };
                self.keep_in(value, from);
                Ok(())
            }
            Meaning::Storage(Storage::BufferWindow)
                if self.module.results(id).any(|v| self.module.tile(v).is_some()) =>
            {
                self.buffer_window(id)
            }
            Meaning::Storage(Storage::BufferWindow | Storage::BufferRecast) => self.memref_window(id),
            _ => Err(self.unsupported(text!("this operation"))),
        }
    }

    fn memref_alloc(&mut self, id: OpId) -> PlanResult<()> {
        let value = self.result(id)?;
        let Type::Memref(ty) = self.module.value_type(value) else { return Err(self.unsupported(text!("this type"))) };
        let ty = ty.clone();
        let mut open = self.operands(id, "sizes").into_iter();
        let mut sizes = Vec::new();
        for dim in &ty.view.dims {
            sizes.push(match dim {
                Dim::Fixed(n) => ExtentValue::Fixed(*n as u32),
                Dim::Dynamic => match open.next() {
                    Some(v) => ExtentValue::Reg(self.scalar(v)?),
                    None => return Err(self.unsupported(text!("an extent that is not given"))),
                },
            });
        }
        let bits = self.elem_bits(value)?;
        let space = memref_space(&ty);
        let elements: u64 = ty.view.dims.iter().map(|d| d.fixed().unwrap_or(0)).product();
        let own = if space.is_some() { self.own_bytes(elements * u64::from(bits) / 8)? } else { 0 };
        let out = self.new_view();
        self.keep_in(value, ValueStorage::View(out));
        let buffer = self.plan.views.allocations.next_id();
        self.plan.views.allocations.push(Allocate { sizes, bits, out, buffer, space, own });
        self.push(Step::Allocate(buffer)).map(drop)
    }

    fn memref_dim(&mut self, id: OpId) -> PlanResult<()> {
        let Some(source) = self.module.operand(id, "memref") else {
            return Err(self.unsupported(text!("it without a memref")));
        };
        let (view, rank) = match self.module.tile(source) {
            Some(tile) => (self.fixed_view([tile.rows, tile.cols]), 2),
            None => (self.view(source)?, self.rank(source)),
        };
        let index = self.operand_reg(id, "index")?;
        let out = self.result_reg(id)?;
        self.push(Step::ViewExtent { view, rank, strides: false, index, out }).map(drop)
    }

    fn memref_window(&mut self, id: OpId) -> PlanResult<()> {
        let Some(source) = self.module.operand(id, "source") else {
            return Err(self.unsupported(text!("it without a source")));
        };
        let value = self.result(id)?;
        let partition = Partition {
            from: self.view(source)?,
            to: self.new_view(),
            offsets: self.mixed(id, "offsets", "static_offsets")?,
            sizes: self.mixed(id, "sizes", "static_sizes")?,
            steps: self.mixed(id, "strides", "static_strides")?,
            bits: self.elem_bits(source)?,
            reinterpret: self.module.storage(id) == Some(Storage::BufferRecast),
            layout: self.checked.info().layouts.of(value),
        };
        self.keep_in(value, ValueStorage::View(partition.to));
        self.push_partition(partition)
    }

    /// A list that is partly written in the text and partly given by operands.
    pub(super) fn mixed(&mut self, id: OpId, slot: &str, attr: &str) -> PlanResult<Vec<Reg>> {
        let mut open = self.operands(id, slot).into_iter();
        let Some(Attr::Array(items)) = self.module.attr(id, attr).cloned() else { return Ok(Vec::new()) };
        let mut regs = Vec::new();
        for item in &items {
            regs.push(match item.int() {
                Some(i64::MIN) | None => match open.next() {
                    Some(v) => self.scalar(v)?,
                    None => return Err(self.unsupported(text!("an extent that is not given"))),
                },
                Some(n) => self.constant(n as u64),
            });
        }
        Ok(regs)
    }
}

/// The on-chip memory of a memref; `None` for global memory.
pub(super) fn memref_space(ty: &MemrefType) -> Option<Loc> {
    match ty.space() {
        Some(PtrSpace::On(loc)) => Some(loc),
        _ => None,
    }
}

fn local_size(ty: &Type) -> u64 {
    match ty {
        Type::LocalArray(v) => v.dims.iter().map(|d| d.fixed().unwrap_or(0)).fold(1, u64::saturating_mul),
        Type::EventIds(n) => *n,
        Type::Struct(fields) => fields.iter().map(local_size).fold(0, u64::saturating_add),
        _ => 1,
    }
}

fn field_offset(ty: &Type, path: &[usize]) -> u64 {
    let (Type::Struct(fields), [first, rest @ ..]) = (ty, path) else { return 0 };
    let before: u64 = fields.iter().take(*first).map(local_size).sum();
    before + fields.get(*first).map_or(0, |f| field_offset(f, rest))
}
