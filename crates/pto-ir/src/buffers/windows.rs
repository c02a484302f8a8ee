//! Rows and columns of what is loaded from a view.

use super::{BufferPass, ValidRegion};
use crate::{OpId, ValueId};
use pto_isa::row::{Arith, Storage};
use pto_isa::text;
use pto_isa::{Dim, GlobalLayout, MAX_RANK, ScalarType, Type, ViewType};

impl BufferPass {
    /// True for a view whose rows and columns are known apart.
    pub(super) fn has_matrix(&self, view: ValueId) -> bool {
        self.view_type(view).is_some() && self.matrix_layout(view).is_some()
    }

    /// Rows and columns of a view.
    pub(super) fn matrix(&mut self, id: OpId, view: ValueId, ops: &mut Vec<OpId>) -> Option<ValidRegion> {
        let layout = self.matrix_layout(view)?;
        let rank = self.view_type(view)?.dims.len();
        let lead = MAX_RANK - rank;
        // Missing dimensions of five are 1.
        let (rows, cols): (&[usize], &[usize]) = match layout {
            GlobalLayout::Dn => (&[3], &[0, 1, 2, 4]),
            GlobalLayout::Nz => (&[2, 3], &[0, 1, 4]),
            _ => (&[0, 1, 2, 3], &[4]),
        };
        let mut product = |dims: &[usize]| {
            let mut product = None;
            for at in dims.iter().filter_map(|d| d.checked_sub(lead)) {
                let extent = self.view_extent(id, view, at, ops)?;
                product = Some(product.map_or(extent, |all| self.computed(id, Arith::Mul, all, extent, ops)));
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

    /// The operands in one slot of the operation that creates a view.
    fn made_from(&self, view: ValueId, of: Storage, slot: &str) -> Option<Vec<ValueId>> {
        let made = self.out.definition(view).filter(|made| self.out.storage(*made) == Some(of))?;
        Some(self.out.named(made, slot).map(|o| o.value).collect())
    }

    fn view_extent(&mut self, id: OpId, view: ValueId, at: usize, ops: &mut Vec<OpId>) -> Option<ValueId> {
        let sizes = self.made_from(view, Storage::Partition, "sizes");
        if let Some(sizes) = sizes.or_else(|| self.made_from(view, Storage::View, "shape")) {
            return sizes.get(at).copied();
        }
        match *self.view_type(view)?.dims.get(at)? {
            Dim::Fixed(n) => Some(self.number(id, n, ops)),
            Dim::Dynamic => Some(self.queried_extent(id, view, at, ops)),
        }
    }

    fn queried_extent(&mut self, id: OpId, view: ValueId, at: usize, ops: &mut Vec<OpId>) -> ValueId {
        let dimension = self.number(id, at as u64, ops);
        let (span, ty) = (self.place(id), self.out.intern_type(Type::Scalar(ScalarType::Index)));
        let name = self.fresh("extent");
        let operands = [("tensor_view", view), ("dim_index", dimension)];
        let made = self.out.new_with(Storage::ViewExtent, &operands, &[(ty, name)], span);
        ops.push(made);
        self.out.results(made).next().unwrap_or(dimension)
    }

    /// The layout that says which dimensions are rows; `None` if only a run shows it.
    fn matrix_layout(&self, view: ValueId) -> Option<GlobalLayout> {
        if self.view_type(view)?.dims.len() <= 2 {
            return Some(GlobalLayout::Nd);
        }
        self.layouts.of(view)
    }

    /// Help for a view whose rows cannot be told from its columns.
    pub(super) fn layout_help(&self, id: OpId) -> Option<&'static str> {
        let unclear = |v: ValueId| self.view_type(v).is_some() && self.matrix_layout(v).is_none();
        let found = self.out.operands(id).iter().any(|o| unclear(o.value));
        found.then_some(
            text!("state the layout of the view where it is created: `pto.make_tensor_view … {layout = #pto.layout<nd>}`, the same for \
             every view that may get here"),
        )
    }
}
