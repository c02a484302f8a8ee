//! Creates operations by their meaning, and names for new values.

use crate::{Attr, Module, NewOp, OpId, Operand, Sym, TypeId, ValueId};
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::row::{Arith, Meaning, Movement, Storage};
use pto_isa::sort::SharedSort;
use pto_isa::{Op, Span, TileType, Type};

/// The names of values in use.
///
/// ```
/// let mut module = pto_ir::Module::default();
/// let mut names = pto_ir::Names::new(&module);
/// let made = [names.fresh(&mut module, "tmp"), names.fresh(&mut module, "tmp")];
/// assert_eq!(made.map(|name| module.names.text(name).to_string()), ["tmp", "tmp_1"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Names {
    taken: FastSet<String>,
    /// The number to try for the next name with a prefix.
    next: FastMap<String, usize>,
}

impl Names {
    /// Those of a program.
    pub fn new(module: &Module) -> Self {
        let name = |k: usize| module.value_name(ValueId::from_index(k)).to_string();
        Self { taken: (0..module.value_count()).map(name).collect(), next: FastMap::default() }
    }

    /// A name that no value has: the wanted one, or that with a number.
    pub fn fresh(&mut self, module: &mut Module, wanted: &str) -> Sym {
        let mut name = wanted.to_string();
        while !self.taken.insert(name.clone()) {
            let number = self.next.entry(wanted.to_string()).or_insert(1);
            name = format!("{wanted}_{number}");
            *number += 1;
        }
        module.names.intern(&name)
    }
}

impl Module {
    /// A new operation, in no block yet: operands by the names of their slots, and results that are not destinations.
    ///
    /// ```
    /// use pto_ir::Module;
    /// use pto_isa::row::Arith;
    /// use pto_isa::{ScalarType, Span, Type};
    ///
    /// let mut module = Module::default();
    /// let index = module.intern_type(Type::Scalar(ScalarType::Index));
    /// let names = ["four", "eight"].map(|name| module.names.intern(name));
    /// let four = module.new_constant(4, index, names[0], Span::default());
    /// let four = module.results(four).next().expect("a result");
    /// let sum = module.new_with(Arith::Add, &[("lhs", four), ("rhs", four)], &[(index, names[1])], Span::default());
    /// assert_eq!(module.operand(sum, "rhs"), Some(four));
    /// ```
    pub fn new_with(
        &mut self,
        is: impl Into<Meaning>,
        operands: &[(&str, ValueId)],
        results: &[(TypeId, Sym)],
        span: Span,
    ) -> OpId {
        let op = Op::of(is);
        let row = op.row();
        let operand = |&(name, value): &(&str, ValueId)| Some(Operand { value, slot: row.slot(name)? as u8, span });
        let mut operands: Vec<Operand> = operands.iter().filter_map(operand).collect();
        operands.shared_sort_by_key(|o| o.slot);
        let first = row.slots.len() as u8;
        let new = NewOp {
            operands,
            results: (first..).zip(results).map(|(slot, &(ty, name))| (ty, name, slot, span)).collect(),
            span,
            name_span: span,
            ..NewOp::default()
        };
        self.new_op(op, new)
    }

    /// A new integer constant, in no block yet.
    pub fn new_constant(&mut self, n: i128, ty: TypeId, name: Sym, span: Span) -> OpId {
        let id = self.new_with(Arith::Constant, &[], &[(ty, name)], span);
        let value = self.names.intern("value");
        self.set_attr(id, value, Attr::Int(n, ty));
        id
    }

    /// A new copy of a tile to another, in no block yet.
    pub fn new_copy(&mut self, from: ValueId, to: ValueId, span: Span) -> OpId {
        self.new_with(Movement::Copy, &[("src", from), ("dst", to)], &[], span)
    }

    /// A new tile, in no block yet; its operands are the extents that the type leaves open, and its address.
    pub fn new_tile(&mut self, tile: TileType, name: Sym, span: Span, operands: &[(&str, ValueId)]) -> OpId {
        let ty = self.intern_type(Type::TileBuf(tile));
        self.new_with(Storage::Tile, operands, &[(ty, name)], span)
    }
}
