//! How large a program is.

use crate::InputNumber;
use pto_ir::{Attr, Module, OpId};
use pto_isa::row::Arith;
use pto_isa::{Dim, TileType, Type};

/// The size of a program. Of two, the one with fewer operations is smaller; then fewer that are not constants, smaller numbers, a
/// shorter text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[non_exhaustive]
pub struct ProgramSize {
    /// All operations, functions and constants included.
    pub operations: usize,
    /// Those that are not constants.
    pub computed: usize,
    /// The sum of all numbers: constants, extents, attributes, inputs.
    pub numbers: u128,
    /// Bytes of text.
    pub bytes: usize,
}

impl ProgramSize {
    /// The size of a module with inputs, without its text.
    pub(crate) fn of(module: &Module, inputs: &[InputNumber]) -> Self {
        let order = module.order();
        let computed = order.iter().filter(|id| module.arith(**id) != Some(Arith::Constant)).count();
        let mut numbers = 0u128;
        for_numbers(module, &order, &mut |n| numbers = numbers.saturating_add(n.unsigned_abs()));
        numbers = inputs.iter().fold(numbers, |sum, i| sum.saturating_add(i.value.unsigned_abs().into()));
        Self { operations: order.len(), computed, numbers, bytes: 0 }
    }
}

/// Visits the numbers of a program: extents in the types of values, and integers in attributes.
pub(crate) fn for_numbers(module: &Module, order: &[OpId], visit: &mut dyn FnMut(i128)) {
    for &id in order {
        module.attrs(id).iter().for_each(|(_, attr)| attr_numbers(attr, visit));
        for value in module.results(id) {
            type_numbers(module.value_type(value), visit);
        }
        let blocks = module.op_regions(id).iter().flat_map(|r| &module.region(*r).blocks);
        for arg in blocks.flat_map(|b| &module.block(*b).args) {
            type_numbers(module.value_type(*arg), visit);
        }
    }
}

fn attr_numbers(attr: &Attr, visit: &mut dyn FnMut(i128)) {
    match attr {
        Attr::Int(n, _) => visit(*n),
        // Zero and one are the simplest.
        Attr::Float(f, _) if *f != 0.0 => visit(if *f == 1.0 { 1 } else { 2 }),
        Attr::Array(items) => items.iter().for_each(|item| attr_numbers(item, visit)),
        Attr::Dict(entries) => entries.iter().for_each(|(_, item)| attr_numbers(item, visit)),
        _ => {}
    }
}

fn type_numbers(ty: &Type, visit: &mut dyn FnMut(i128)) {
    let mut fixed = |dim: Dim| dim.fixed().into_iter().for_each(|n| visit(n.into()));
    match ty {
        Type::Tile(t) | Type::TileBuf(t) | Type::MultiTile(t, _) => {
            let TileType { rows, cols, valid_rows, valid_cols, .. } = *t;
            [Dim::Fixed(rows), Dim::Fixed(cols), valid_rows, valid_cols].into_iter().for_each(&mut fixed);
        }
        other => other.extents().into_iter().flat_map(|v| &v.dims).for_each(|d| fixed(*d)),
    }
    if let Type::MultiTile(_, count) = ty {
        visit(i128::from(*count));
    }
}
