//! Rows and columns of what is loaded from a view.

use super::{Buffers, Extents};
use crate::{Attr, BlockId, Def, Module, OpId, ValueId};
use pto_isa::table::op;
use pto_isa::{Dim, GlobalLayout, MAX_RANK, Scalar, Type, ViewType};
use std::collections::BTreeSet;

/// The first blocks of functions that nobody calls.
pub(super) fn entries(module: &Module) -> BTreeSet<BlockId> {
    let called: BTreeSet<OpId> = module.calls().into_values().collect();
    let started = module.functions().into_iter().filter(|f| !called.contains(f));
    started.filter_map(|f| module.region(*module.op_regions(f).first()?).blocks.first().copied()).collect()
}

impl Buffers {
    /// True for a view whose rows and columns can be told apart.
    pub(super) fn has_matrix(&self, view: ValueId) -> bool {
        self.view_type(view).is_some() && self.matrix_layout(view).is_some()
    }

    /// Rows and columns of a view.
    pub(super) fn matrix(&mut self, id: OpId, view: ValueId, ops: &mut Vec<OpId>) -> Option<Extents> {
        let layout = self.matrix_layout(view)?;
        let rank = self.view_type(view)?.dims.len();
        let lead = MAX_RANK - rank;
        // Of five dimensions, those that a view lacks are 1.
        let (rows, cols): (&[usize], &[usize]) = match layout {
            GlobalLayout::Dn => (&[3], &[0, 1, 2, 4]),
            GlobalLayout::Nz => (&[2, 3], &[0, 1, 4]),
            _ => (&[0, 1, 2, 3], &[4]),
        };
        let mut product = |dims: &[usize]| {
            let mut product = None;
            for at in dims.iter().filter_map(|d| d.checked_sub(lead)) {
                let extent = self.view_extent(id, view, at, ops)?;
                product = Some(product.map_or(extent, |all| self.computed(id, op::arith_muli, all, extent, ops)));
            }
            Some(product.unwrap_or_else(|| self.number(id, 1, ops)))
        };
        product(rows).zip(product(cols))
    }

    fn view_type(&self, view: ValueId) -> Option<&ViewType> {
        match self.out.value_type(view) {
            Type::TensorView(ty) | Type::PartitionView(ty) if ty.dims.len() <= MAX_RANK => Some(ty),
            _ => None,
        }
    }

    /// The operands of the operation that makes a view, from one slot.
    fn made_from(&self, view: ValueId, of: pto_isa::Op, slot: &str) -> Option<Vec<ValueId>> {
        let Def::Result(made, _) = self.out.value(view).def else { return None };
        let slot = of.row().slot(slot)?;
        (self.out.op(made).op == of).then(|| self.out.in_slot(made, slot).map(|o| o.value).collect())
    }

    fn view_extent(&mut self, id: OpId, view: ValueId, at: usize, ops: &mut Vec<OpId>) -> Option<ValueId> {
        let sizes = self.made_from(view, op::partition_view, "sizes");
        if let Some(sizes) = sizes.or_else(|| self.made_from(view, op::make_tensor_view, "shape")) {
            return sizes.get(at).copied();
        }
        match *self.view_type(view)?.dims.get(at)? {
            Dim::Fixed(n) => Some(self.number(id, n, ops)),
            Dim::Dynamic => Some(self.queried_extent(id, view, at, ops)),
        }
    }

    fn queried_extent(&mut self, id: OpId, view: ValueId, at: usize, ops: &mut Vec<OpId>) -> ValueId {
        let dimension = self.number(id, at as u64, ops);
        let (span, ty) = (self.place(id), self.out.intern_type(Type::Scalar(Scalar::Index)));
        let first = op::get_tensor_view_dim.row().slots.len() as u8;
        let results = vec![(ty, self.fresh("extent"), first, span)];
        let operands = [("tensor_view", view), ("dim_index", dimension)];
        let made = self.with_operands(op::get_tensor_view_dim, &operands, results, span);
        ops.push(made);
        self.out.results(made).next().unwrap_or(dimension)
    }

    /// The layout that says which dimensions are rows; `None` where only a run shows it.
    fn matrix_layout(&self, view: ValueId) -> Option<GlobalLayout> {
        if self.view_type(view)?.dims.len() <= 2 {
            return Some(GlobalLayout::Nd);
        }
        let mut origin = view;
        while let Some(source) = self.made_from(origin, op::partition_view, "source") {
            origin = *source.first()?;
        }
        match self.out.value(origin).def {
            Def::Result(made, _) if self.out.op(made).op == op::make_tensor_view => self.made_layout(made, origin),
            // What a program is started with is a whole tensor, packed; a call may give anything.
            Def::Arg(block, _) if self.entries.contains(&block) => Some(GlobalLayout::Nd),
            _ => None,
        }
    }

    /// As `run` takes it: what is stated, or what the strides show.
    fn made_layout(&self, made: OpId, view: ValueId) -> Option<GlobalLayout> {
        if let Some(Attr::Enum(def, at)) = self.out.attr(made, "layout") {
            let name = def.value(usize::from(*at));
            return GlobalLayout::ALL.into_iter().find(|l| l.name().eq_ignore_ascii_case(name));
        }
        let shape = self.made_from(view, op::make_tensor_view, "shape")?;
        let strides = self.made_from(view, op::make_tensor_view, "strides")?;
        let back = |list: &[ValueId], n: usize| list.iter().rev().nth(n).and_then(|v| self.known(*v));
        let one = back(&strides, 0)? == 1;
        if !one {
            let dn = back(&strides, 1)? == 1;
            return Some(if dn { GlobalLayout::Dn } else { GlobalLayout::Nd });
        }
        if shape.len() < MAX_RANK {
            return Some(GlobalLayout::Nd);
        }
        // Five dimensions with 32 bytes in the last may be boxes.
        let cols = back(&shape, 0)?;
        let bits = i64::from(self.out.value_type(view).elem()?.column_bits());
        if cols.saturating_mul(bits) != 256 {
            return Some(GlobalLayout::Nd);
        }
        let boxes = back(&shape, 1)? == 16 && back(&strides, 1)? == cols && back(&strides, 2)? == 16 * cols;
        boxes.then_some(GlobalLayout::Nz)
    }

    fn known(&self, value: ValueId) -> Option<i64> {
        let Def::Result(made, _) = self.out.value(value).def else { return None };
        (self.out.op(made).op == op::arith_constant).then(|| self.out.attr(made, "value")?.int())?
    }
}
