//! Programs in memory, one operation after the other.

use crate::ir::{Attr, BlockId, Module, NewOp, Operand, RegionId, Successor, Sym, ValueId};
use crate::isa::{Op, Span, Type};

/// A function under construction; operations go to the end of the innermost open block.
pub(crate) struct Builder {
    pub(crate) module: Module,
    pub(crate) open: Vec<BlockId>,
    /// Where the operations that follow come from.
    pub(crate) span: Span,
}

impl Builder {
    pub(crate) fn new() -> Self {
        let mut module = Module::default();
        let body = module.new_block();
        Self { module, open: vec![body], span: Span::default() }
    }

    pub(crate) fn value_type(&self, value: ValueId) -> &Type {
        self.module.value_type(value)
    }

    pub(crate) fn innermost(&self) -> BlockId {
        self.open[self.open.len() - 1]
    }

    /// A parameter of the innermost block.
    pub(crate) fn param(&mut self, name: &str, ty: &Type) -> ValueId {
        let (ty, name) = (self.module.intern_type(ty.clone()), self.module.names.intern(name));
        self.module.add_arg(self.innermost(), ty, name, self.span)
    }

    /// A parameter of the function.
    pub(crate) fn function_param(&mut self, name: &str, ty: &Type) -> ValueId {
        let (ty, name) = (self.module.intern_type(ty.clone()), self.module.names.intern(name));
        self.module.add_arg(self.open[0], ty, name, self.span)
    }

    pub(crate) fn open_block(&mut self) {
        let block = self.module.new_block();
        self.open.push(block);
    }

    /// Ends the innermost block and makes it a region.
    pub(crate) fn close_block(&mut self) -> RegionId {
        let block = self.open.pop().expect("a block is open");
        self.module.new_region(vec![block])
    }

    pub(crate) fn attr(&mut self, name: &str, value: Attr) -> (Sym, Attr) {
        (self.module.names.intern(name), value)
    }

    /// A number of a type, as an attribute.
    pub(crate) fn int(&mut self, n: i64, ty: &Type) -> Attr {
        Attr::Int(n.into(), self.module.intern_type(ty.clone()))
    }

    pub(crate) fn float(&mut self, x: f64, ty: &Type) -> Attr {
        Attr::Float(x, self.module.intern_type(ty.clone()))
    }

    /// Appends an operation; operands and results come with their slots, results also with their names.
    pub(crate) fn op(
        &mut self,
        op: Op,
        operands: &[(u8, ValueId)],
        results: &[(u8, &str, Type)],
        rest: Rest,
    ) -> Vec<ValueId> {
        let span = self.span;
        let results = results
            .iter()
            .map(|(slot, name, ty)| (self.module.intern_type(ty.clone()), self.module.names.intern(name), *slot, span))
            .collect();
        let operands = operands.iter().map(|&(slot, value)| Operand { value, slot, span }).collect();
        let new = NewOp {
            operands,
            results,
            attrs: rest.attrs,
            regions: rest.regions,
            successors: rest.successors,
            span,
            name_span: span,
        };
        let id = self.module.append(self.innermost(), op, new);
        self.module.results(id).collect()
    }
}

/// What few operations have.
#[derive(Default)]
pub(crate) struct Rest {
    pub(crate) attrs: Vec<(Sym, Attr)>,
    pub(crate) regions: Vec<RegionId>,
    pub(crate) successors: Vec<Successor>,
}
