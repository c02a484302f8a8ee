//! New tiles, and names for new values.

use crate::{Module, NewOp, OpId, Operand, Sym, ValueId};
use pto_isa::table::op;
use pto_isa::{Span, TileType, Type};
use std::collections::{HashMap, HashSet};

/// The names of values that are taken.
///
/// ```
/// let mut module = pto_ir::Module::default();
/// let mut names = pto_ir::Names::new(&module);
/// let made = [names.fresh(&mut module, "tmp"), names.fresh(&mut module, "tmp")];
/// assert_eq!(made.map(|name| module.names.text(name).to_string()), ["tmp", "tmp_1"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Names {
    taken: HashSet<String>,
    /// The number that the next name of a kind is tried with.
    next: HashMap<String, usize>,
}

impl Names {
    /// Those of a program.
    pub fn new(module: &Module) -> Self {
        let name = |k: usize| module.value_name(ValueId::from_index(k)).to_string();
        Self { taken: (0..module.value_count()).map(name).collect(), next: HashMap::new() }
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
    /// A new `alloc_tile`, in no block yet; its operands are the extents that the type leaves open.
    pub fn new_tile(&mut self, tile: TileType, name: Sym, span: Span, operands: Vec<Operand>) -> OpId {
        let ty = self.intern_type(Type::TileBuf(tile));
        let results = vec![(ty, name, op::alloc_tile.row().slots.len() as u8, span)];
        self.new_op(op::alloc_tile, NewOp { operands, results, span, ..NewOp::default() })
    }
}
