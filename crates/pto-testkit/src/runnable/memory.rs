//! Loads, stores, pointers and local memory.

use super::tiles::TileVar;
use super::{I64, INDEX, INPUT_ELEMENTS, ProgramMaker};
use pto::ir::{Attr, TypeId, ValueId};
use pto::isa::fill::Filling;
use pto::isa::row::Infer;
use pto::isa::table::{self, op};
use pto::isa::{
    BLOCK_BYTES, DType, Dim, GlobalLayout, GlobalLayouts, MemrefType, Op, PtrSpace, ScalarType, Target, TileType, Type,
    ViewType, enums,
};

/// A matrix in memory: extents and strides of a view, its layout, and how many elements it spans.
struct Matrix {
    shape: Vec<u64>,
    strides: Vec<u64>,
    layout: GlobalLayout,
}

impl Matrix {
    fn boxes((rows, cols): (u64, u64), c0: u64) -> Self {
        let strides = vec![rows * cols, rows * c0, 16 * c0, c0, 1];
        Self { shape: vec![1, cols / c0, rows / 16, 16, c0], strides, layout: GlobalLayout::Nz }
    }

    fn span(&self) -> u64 {
        1 + self.shape.iter().zip(&self.strides).map(|(n, s)| (n - 1) * s).sum::<u64>()
    }
}

impl ProgramMaker<'_> {
    /// True when a tile of this type can be filled from memory.
    pub(super) fn can_load(&self, ty: &TileType) -> bool {
        self.is_transfer(op::tload, ty, "dst", "src")
    }

    fn can_store(&self, ty: &TileType) -> bool {
        self.is_transfer(op::tstore, ty, "src", "dst")
    }

    fn is_transfer(&self, op: Op, ty: &TileType, tile: &str, view: &str) -> bool {
        let dims = [ty.valid_rows, ty.valid_cols];
        let window = Type::PartitionView(ViewType { dims: dims.into(), elem: ScalarType::Elem(ty.dtype) });
        let mut types = vec![(self.slot(op, tile), Type::TileBuf(*ty)), (self.slot(op, view), window)];
        types.sort_by_key(|(slot, _)| *slot);
        let filling = Filling { op, types, attrs: Vec::new() };
        // Windows of boxes are whole boxes.
        let c0 = BLOCK_BYTES / u64::from(ty.dtype.unit_bytes());
        let is_whole = |dim: Dim, unit: u64| dim.fixed().is_some_and(|n| n % unit == 0);
        let boxes = is_whole(ty.valid_rows, 16) && is_whole(ty.valid_cols, c0);
        let fits = boxes || self.windows(ty, op == op::tstore) != GlobalLayouts::of(&[GlobalLayout::Nz]);
        // Pairs of numbers share a byte; windows of them start anywhere.
        fits && ty.dtype.bits() >= 8 && filling.is_legal(self.set.target) && (self.set.accepts)(&filling)
    }

    // ---- windows of global memory -------------------------------------------------------------------------------------

    /// The layouts of windows that may be moved to or from a tile.
    fn windows(&self, ty: &TileType, stores: bool) -> GlobalLayouts {
        if self.set.target == Target::Cpu { GlobalLayouts::ALL } else { ty.window_layouts(stores) }
    }

    /// A way for a matrix to lie in memory, in one of these layouts.
    fn matrix(&mut self, dtype: DType, (rows, cols): (u64, u64), layouts: GlobalLayouts) -> Matrix {
        let any = self.any_matrix(dtype, (rows, cols));
        let c0 = BLOCK_BYTES / u64::from(dtype.unit_bytes());
        if layouts.contains(any.layout) {
            any
        } else if layouts.contains(GlobalLayout::Nd) {
            Matrix { shape: vec![rows, cols], strides: vec![cols, 1], layout: GlobalLayout::Nd }
        } else if layouts.contains(GlobalLayout::Dn) {
            Matrix { shape: vec![rows, cols], strides: vec![1, rows], layout: GlobalLayout::Dn }
        } else {
            Matrix::boxes((rows, cols), c0)
        }
    }

    fn any_matrix(&mut self, dtype: DType, (rows, cols): (u64, u64)) -> Matrix {
        let slack = self.rng.below(3) as u64;
        let c0 = BLOCK_BYTES / u64::from(dtype.unit_bytes());
        match self.rng.below(8) {
            0 => Matrix { shape: vec![rows, cols], strides: vec![1, rows + slack], layout: GlobalLayout::Dn },
            1 if rows % 16 == 0 && cols % c0 == 0 => Matrix::boxes((rows, cols), c0),
            2 if rows % 2 == 0 => Matrix {
                shape: vec![2, rows / 2, cols],
                strides: vec![(rows / 2) * (cols + slack) + 3, cols + slack, 1],
                layout: GlobalLayout::Nd,
            },
            3 => Matrix {
                shape: vec![1, 1, 1, rows, cols],
                strides: vec![0, 7, 1, cols + slack, 1],
                layout: GlobalLayout::Nd,
            },
            4 => Matrix { shape: vec![rows, cols], strides: vec![2 * cols + slack, 2], layout: GlobalLayout::Nd },
            5 if rows == 1 => Matrix { shape: vec![cols], strides: vec![1], layout: GlobalLayout::Nd },
            _ => Matrix { shape: vec![rows, cols], strides: vec![cols + slack, 1], layout: GlobalLayout::Nd },
        }
    }

    /// An extent or stride: a constant, or a number the checks do not know.
    fn extent(&mut self, n: u64) -> (ValueId, Dim) {
        if self.rng.chance(70) {
            (self.index_constant(n as i64), Dim::Fixed(n))
        } else {
            (self.known(n as i64), Dim::Dynamic)
        }
    }

    fn view_type(dims: &[Dim], dtype: DType) -> ViewType {
        ViewType { dims: dims.into(), elem: ScalarType::Elem(dtype) }
    }

    /// A view of a matrix at a pointer, for a tile that accepts some layouts. Sometimes it is a window of a larger one that starts earlier.
    fn view(&mut self, (pointer, room): (ValueId, u64), dtype: DType, matrix: &Matrix, tile: GlobalLayouts) -> ValueId {
        let windowed = self.rng.chance(40) && matrix.layout == GlobalLayout::Nd && room > 0;
        let (mut shape, mut dims, mut strides, mut known) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        // The tensor that a window is cut from has a column more in front.
        let last = matrix.shape.len() - 1;
        let grown = |k: usize| u64::from(windowed && k == last);
        for (k, (n, stride)) in matrix.shape.iter().zip(&matrix.strides).enumerate() {
            let (value, dim) = self.extent(n + grown(k));
            shape.push(("shape", value));
            dims.push(dim);
            let (value, dim) = self.extent(*stride);
            strides.push(("strides", value));
            known.push(dim.fixed().map(|n| n as i64));
        }
        let operands: Vec<(&str, ValueId)> = std::iter::once(("ptr", pointer)).chain(shape).chain(strides).collect();
        let layout = Attr::Enum(&enums::LAYOUT, layout_value(matrix.layout));
        // The layout may be left out if it is what everybody infers, before the run and in it.
        let extents: Vec<Option<u64>> = dims.iter().map(|d| d.fixed()).collect();
        let full: Vec<Option<u64>> = matrix.shape.iter().enumerate().map(|(k, n)| Some(n + grown(k))).collect();
        let all: Vec<Option<i64>> = matrix.strides.iter().map(|n| Some(*n as i64)).collect();
        let bits = dtype.column_bits();
        let before = GlobalLayout::unstated(&extents, &known, bits, tile);
        let inferred = before.or_else(|| GlobalLayout::unstated(&full, &all, bits, tile));
        let stated = self.rng.chance(60) || inferred != Some(matrix.layout);
        let attrs = if stated { vec![("layout", layout)] } else { vec![] };
        let ty = Type::TensorView(Self::view_type(&dims, dtype));
        let tensor = self.emit_with(op::make_tensor_view, &operands, ("result", ty), attrs);
        if windowed { self.window(tensor, dtype, matrix) } else { tensor }
    }

    fn window(&mut self, tensor: ValueId, dtype: DType, matrix: &Matrix) -> ValueId {
        let last = matrix.shape.len() - 1;
        let (mut offsets, mut sizes, mut dims) = (Vec::new(), Vec::new(), Vec::new());
        for (k, n) in matrix.shape.iter().enumerate() {
            let at = if k == last { 1 } else { 0 };
            offsets.push(("offsets", self.extent(at).0));
            let (value, dim) = self.extent(*n);
            sizes.push(("sizes", value));
            dims.push(dim);
        }
        let operands: Vec<(&str, ValueId)> = std::iter::once(("source", tensor)).chain(offsets).chain(sizes).collect();
        let ty = Type::PartitionView(Self::view_type(&dims, dtype));
        self.emit(op::partition_view, &operands, ("result", ty))
    }

    /// A pointer to another element.
    fn moved(&mut self, pointer: ValueId, dtype: DType, by: u64) -> ValueId {
        let ptr = Type::Ptr(ScalarType::Elem(dtype), PtrSpace::Default);
        if by == 0 && self.rng.chance(80) {
            return pointer;
        }
        if self.rng.chance(10) {
            // By way of an integer.
            let number = self.emit(op::ptrtoint, &[("ptr", pointer)], ("result", I64));
            let bytes = self.builder.int((by * u64::from(dtype.bits()) / 8) as i64, &I64);
            let bytes = self.emit_with(op::arith_constant, &[], ("result", I64), vec![("value", bytes)]);
            let sum = self.emit(op::arith_addi, &[("lhs", number), ("rhs", bytes)], ("result", I64));
            return self.emit(op::castptr, &[("input", sum)], ("result", ptr));
        }
        let (offset, _) = self.extent(by);
        self.emit(op::addptr, &[("ptr", pointer), ("offset", offset)], ("result", ptr))
    }

    // ---- tiles ------------------------------------------------------------------------------------------------------

    /// Fills the valid region of a tile.
    pub(super) fn load(&mut self, tile: &TileVar) {
        let dtype = tile.ty.dtype;
        let (rows, cols) = tile.valid();
        if rows == 0 || cols == 0 {
            return;
        }
        if self.frame.main && self.rng.chance(6) {
            let view = self.tensor_param(dtype, [rows, cols]);
            return self.emit_plain(op::tload, &[("src", view), ("dst", tile.value)]);
        }
        let layouts = self.windows(&tile.ty, false);
        let matrix = self.matrix(dtype, (rows, cols), layouts);
        let room = INPUT_ELEMENTS.saturating_sub(matrix.span() + 16);
        let pointer = self.input(dtype);
        // Rarely there is too little memory.
        let at = if self.rng.below(1500) == 0 { INPUT_ELEMENTS } else { self.rng.below(room as usize + 1) as u64 };
        let pointer = self.moved(pointer, dtype, at);
        let view = self.view((pointer, room), dtype, &matrix, tile.ty.window_layouts(false));
        self.emit_plain(op::tload, &[("src", view), ("dst", tile.value)]);
    }

    /// A whole matrix that is a parameter.
    fn tensor_param(&mut self, dtype: DType, shape: [u64; 2]) -> ValueId {
        let rows = if self.rng.chance(50) { Dim::Fixed(shape[0]) } else { Dim::Dynamic };
        let ty = Type::TensorView(Self::view_type(&[rows, Dim::Fixed(shape[1])], dtype));
        self.param(super::Purpose::Tensor(dtype, shape), &ty)
    }

    pub(super) fn store(&mut self, tile: &TileVar) {
        let dtype = tile.ty.dtype;
        let (rows, cols) = tile.valid();
        if !self.frame.main || rows == 0 || cols == 0 || !self.can_store(&tile.ty) {
            return;
        }
        let layouts = self.windows(&tile.ty, true);
        let matrix = self.matrix(dtype, (rows, cols), layouts);
        let base = self.output(dtype);
        let at = self.used.get(&dtype).copied().unwrap_or(0);
        self.used.insert(dtype, at + matrix.span() + 2);
        let pointer = self.moved(base, dtype, at);
        let view = self.view((pointer, 1), dtype, &matrix, tile.ty.window_layouts(true));
        self.emit_plain(op::tstore, &[("src", tile.value), ("dst", view)]);
    }

    // ---- scalars ----------------------------------------------------------------------------------------------------

    pub(super) fn load_scalar(&mut self, ty: &Type) -> ValueId {
        let Some(ScalarType::Elem(dtype)) = ty.scalar() else { return self.constant(ty) };
        let (mut pointer, at) = (self.input(dtype), self.small_index(INPUT_ELEMENTS));
        if self.rng.chance(10) {
            let number = self.emit(op::ptrtoint, &[("ptr", pointer)], ("result", I64));
            let ptr = Type::Ptr(ScalarType::Elem(dtype), PtrSpace::Default);
            pointer = self.emit(op::inttoptr, &[("addr", number)], ("result", ptr));
        }
        self.emit(op::load_scalar, &[("ptr", pointer), ("offset", at)], ("value", ty.clone()))
    }

    fn store_scalar(&mut self, value: ValueId) {
        let (value, dtype) = match self.builder.value_type(value).scalar() {
            Some(ScalarType::Elem(d)) if d.bits() >= 8 => (value, d),
            Some(ScalarType::Index) => (self.emit(op::arith_index_cast, &[("in", value)], ("result", I64)), DType::I64),
            Some(ScalarType::I1) => (self.emit(op::arith_extui, &[("in", value)], ("result", I64)), DType::I64),
            Some(ScalarType::F64) => {
                let f32 = Type::Scalar(ScalarType::Elem(DType::F32));
                (self.emit(op::arith_truncf, &[("in", value)], ("result", f32)), DType::F32)
            }
            _ => return,
        };
        if !self.frame.main {
            return;
        }
        let pointer = self.output(dtype);
        let at = self.used.get(&dtype).copied().unwrap_or(0);
        self.used.insert(dtype, at + 1);
        let (offset, _) = self.extent(at);
        self.emit_plain(op::store_scalar, &[("value", value), ("ptr", pointer), ("offset", offset)]);
    }

    // ---- statements -------------------------------------------------------------------------------------------------

    pub(super) fn store_something(&mut self) {
        let tiles: Vec<TileVar> = self.visible().cloned().collect();
        match self.rng.choose(&tiles).cloned() {
            Some(tile) if self.rng.chance(75) => self.store(&tile),
            _ => {
                if let Some(value) = self.rng.choose(&self.frame.scalars).copied() {
                    self.store_scalar(value);
                }
            }
        }
    }

    /// What a program has computed goes to memory.
    pub(super) fn store_everything(&mut self) {
        let tiles: Vec<TileVar> = self.visible().cloned().collect();
        tiles.iter().rev().take(12).for_each(|tile| self.store(tile));
        let scalars: Vec<ValueId> = self.frame.scalars.iter().rev().take(12).copied().collect();
        scalars.into_iter().for_each(|value| self.store_scalar(value));
    }

    pub(super) fn memory_statement(&mut self) {
        match self.rng.below(6) {
            0 => self.local_array(),
            1 => self.record(),
            2 => self.memref(),
            3 => self.tile_element(),
            4 => self.tile_pointer(),
            _ => self.view_queries(),
        }
    }

    /// Reads an element of a tile.
    fn tile_element(&mut self) {
        let reads = |op: &Op| matches!(op.row().results, [only] if matches!(only.infer, Infer::ElementOf("src")));
        let Some(get) = table::isa().find(reads) else { return };
        let solid: Vec<TileVar> = self.visible().filter(|t| t.solid).cloned().collect();
        let Some(tile) = self.rng.choose(&solid).cloned() else { return };
        if !has_scalars(tile.ty.dtype) {
            return;
        }
        let offset = self.small_index(tile.ty.elements());
        let ty = Type::Scalar(ScalarType::Elem(tile.ty.dtype));
        let value = self.emit(get, &[("src", tile.value), ("offset", offset)], ("dst", ty));
        self.frame.scalars.push(value);
    }

    /// Reads or writes a tile through a pointer.
    fn tile_pointer(&mut self) {
        let solid: Vec<TileVar> = self.visible().filter(|t| t.solid && !t.is_value).cloned().collect();
        let Some(tile) = self.rng.choose(&solid).cloned() else { return };
        if !has_scalars(tile.ty.dtype) {
            return;
        }
        let scalar = ScalarType::Elem(tile.ty.dtype);
        let ptr = Type::Ptr(scalar, PtrSpace::On(tile.ty.loc));
        let pointer = self.emit(op::tile_buf_addr, &[("src", tile.value)], ("dst", ptr));
        let offset = self.small_index(tile.ty.elements());
        if tile.exposed || self.rng.chance(50) {
            let place = [("ptr", pointer), ("offset", offset)];
            let value = self.emit(op::load_scalar, &place, ("value", Type::Scalar(scalar)));
            self.frame.scalars.push(value);
        } else {
            let value = self.scalar(&Type::Scalar(scalar));
            self.emit_plain(op::store_scalar, &[("value", value), ("ptr", pointer), ("offset", offset)]);
        }
    }

    fn view_queries(&mut self) {
        let pointer = self.input(DType::F32);
        let matrix = self.matrix(DType::F32, (16, 8), GlobalLayouts::ALL);
        let view = self.view((pointer, 1), DType::F32, &matrix, GlobalLayouts::ALL);
        let at = self.small_index(matrix.shape.len() as u64);
        for query in [op::get_tensor_view_dim, op::get_tensor_view_stride] {
            let value = self.emit(query, &[("tensor_view", view), ("dim_index", at)], ("result", INDEX));
            self.frame.scalars.push(value);
        }
        let (f32, gm) = (ScalarType::Elem(DType::F32), PtrSpace::Gm);
        let start = self.emit(op::tensor_view_addr, &[("src", view)], ("dst", Type::Ptr(f32, gm)));
        let at = self.small_index(8);
        let value = self.emit(op::load_scalar, &[("ptr", start), ("offset", at)], ("value", Type::Scalar(f32)));
        self.frame.scalars.push(value);
    }

    fn local_array(&mut self) {
        let ty = self.scalar_type();
        let Some(elem) = ty.scalar() else { return };
        let dims = [1 + self.rng.below(3) as u64, 1 + self.rng.below(3) as u64];
        let view = ViewType { dims: dims.iter().map(|n| Dim::Fixed(*n)).collect(), elem };
        let array = self.emit(op::declare_local_array, &[], ("array", Type::LocalArray(view)));
        for (i, j) in (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |j| (i, j))) {
            let value = self.scalar(&ty);
            let (i, j) = (self.extent(i).0, self.extent(j).0);
            let operands = [("array", array), ("indices", i), ("indices", j), ("value", value)];
            self.emit_plain(op::local_array_set, &operands);
        }
        let (i, j) = (self.small_index(dims[0]), self.small_index(dims[1]));
        let value = self.emit(op::local_array_get, &[("array", array), ("indices", i), ("indices", j)], ("result", ty));
        self.frame.scalars.push(value);
    }

    fn record(&mut self) {
        let (outer, inner) = (self.scalar_type(), self.scalar_type());
        let nested = Type::Struct([inner.clone(), outer.clone()].into());
        let record = self.emit(op::declare_struct, &[], ("s", Type::Struct([outer.clone(), nested].into())));
        let path = |list: &[i64]| Attr::Array(list.iter().map(|n| Attr::Int((*n).into(), TypeId::UNKNOWN)).collect());
        let fields: [(&[i64], &Type); 3] = [(&[0], &outer), (&[1, 0], &inner), (&[1, 1], &outer)];
        for (at, ty) in fields {
            let value = self.scalar(ty);
            let attrs = vec![self.builder.attr("path", path(at))];
            let operands = [(self.slot(op::struct_set, "s"), record), (self.slot(op::struct_set, "value"), value)];
            let rest = pto::ir::OpExtras { attrs, ..Default::default() };
            self.builder.op(op::struct_set, &operands, &[], rest);
        }
        let (at, ty) = fields[self.rng.below(3)];
        let value = self.emit_with(op::struct_get, &[("s", record)], ("value", ty.clone()), vec![("path", path(at))]);
        self.frame.scalars.push(value);
    }

    /// A buffer of scalars, a window of it, and elements of both.
    fn memref(&mut self) {
        let ty = self.scalar_type();
        let Some(elem) = ty.scalar() else { return };
        let (rows, cols) = (2 + self.rng.below(3) as u64, 2 + self.rng.below(3) as u64);
        let ((height, rows_dim), (width, cols_dim)) = (self.extent(rows), self.extent(cols));
        let memref = |dims: &[Dim], rest: &str| {
            Type::Memref(MemrefType { view: ViewType { dims: dims.into(), elem }, rest: rest.into() })
        };
        let open = [(rows_dim, height), (cols_dim, width)];
        let sizes: Vec<(&str, ValueId)> =
            open.iter().filter(|(d, _)| *d == Dim::Dynamic).map(|(_, v)| ("sizes", *v)).collect();
        let buffer = self.emit(op::memref_alloc, &sizes, ("result", memref(&[rows_dim, cols_dim], "")));
        for (i, j) in (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j))) {
            let value = self.scalar(&ty);
            let (i, j) = (self.extent(i).0, self.extent(j).0);
            let operands = [("value", value), ("memref", buffer), ("indices", i), ("indices", j)];
            self.emit_plain(op::memref_store, &operands);
        }
        let window = self.memref_window(buffer, (rows, cols), &memref);
        let (i, j) = (self.small_index(rows - 1), self.small_index(cols - 1));
        let value = self.emit(op::memref_load, &[("memref", window), ("indices", i), ("indices", j)], ("result", ty));
        self.frame.scalars.push(value);
        let at = self.small_index(2);
        let extent = self.emit(op::memref_dim, &[("memref", window), ("index", at)], ("result", INDEX));
        self.frame.scalars.push(extent);
    }

    fn memref_window(
        &mut self,
        buffer: ValueId,
        (rows, cols): (u64, u64),
        memref: &dyn Fn(&[Dim], &str) -> Type,
    ) -> ValueId {
        let int = |n: u64| Attr::Int(n.into(), TypeId::UNKNOWN);
        let list = |items: Vec<Attr>| Attr::Array(items.into());
        let first = self.small_index(2);
        let sizes = list(vec![int(rows - 1), int(cols - 1)]);
        let dims = [Dim::Fixed(rows - 1), Dim::Fixed(cols - 1)];
        let whole = self.rng.chance(50);
        let (code, offsets, strides, operands) = if whole {
            // The transposed corner.
            (op::memref_reinterpret_cast, vec![int(1)], vec![int(1), int(rows - 1)], vec![("source", buffer)])
        } else {
            let operands = vec![("source", buffer), ("offsets", first)];
            (op::memref_subview, vec![Attr::Unit, int(1)], vec![int(1), int(1)], operands)
        };
        let layout = if whole {
            format!("strided<[1, {}], offset: 1>", rows - 1)
        } else {
            format!("strided<[{cols}, 1], offset: ?>")
        };
        let attrs = vec![("static_offsets", list(offsets)), ("static_sizes", sizes), ("static_strides", list(strides))];
        self.emit_with(code, &operands, ("result", memref(&dims, &layout)), attrs)
    }
}

/// The scalar unit supports elements of this type.
pub(super) fn has_scalars(d: DType) -> bool {
    d.is_int() && d.bits() >= 8 || matches!(d, DType::F32 | DType::F16 | DType::Bf16)
}

/// The position of a layout in the dialect's list.
fn layout_value(layout: GlobalLayout) -> u8 {
    let is_it = |name: &str| name.eq_ignore_ascii_case(layout.name());
    (0..enums::LAYOUT.values.len()).position(|at| is_it(enums::LAYOUT.value(at))).unwrap_or(0) as u8
}
