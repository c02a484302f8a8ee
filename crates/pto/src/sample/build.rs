//! Programs in memory, printed when they are complete.

use super::Filling;
use crate::ir::{Attr, BlockId, Module, NewOp, Operand, RegionId, Style, Successor, Sym, ValueId, print};
use crate::isa::rules::AttrValue;
use crate::isa::table::op;
use crate::isa::{FnType, Op, Span, Target, Type};

/// A function under construction; operations go to the end of the innermost open block.
pub(super) struct Builder {
    pub(super) module: Module,
    pub(super) open: Vec<BlockId>,
}

impl Builder {
    pub(super) fn new() -> Self {
        let mut module = Module::default();
        let body = module.new_block();
        Self { module, open: vec![body] }
    }

    pub(super) fn value_type(&self, value: ValueId) -> &Type {
        self.module.value_type(value)
    }

    pub(super) fn innermost(&self) -> BlockId {
        self.open[self.open.len() - 1]
    }

    /// A parameter of the innermost block.
    pub(super) fn param(&mut self, name: &str, ty: &Type) -> ValueId {
        let (ty, name) = (self.module.intern_type(ty.clone()), self.module.names.intern(name));
        self.module.add_arg(self.innermost(), ty, name, Span::new(0, 0))
    }

    /// A parameter of the function.
    pub(super) fn function_param(&mut self, name: &str, ty: &Type) -> ValueId {
        let (ty, name) = (self.module.intern_type(ty.clone()), self.module.names.intern(name));
        self.module.add_arg(self.open[0], ty, name, Span::new(0, 0))
    }

    pub(super) fn open_block(&mut self) {
        let block = self.module.new_block();
        self.open.push(block);
    }

    /// Ends the innermost block and makes it a region.
    pub(super) fn close_block(&mut self) -> RegionId {
        let block = self.open.pop().expect("a block is open");
        self.module.new_region(vec![block])
    }

    pub(super) fn attr(&mut self, name: &str, value: Attr) -> (Sym, Attr) {
        (self.module.names.intern(name), value)
    }

    /// A number of a type, as an attribute.
    pub(super) fn int(&mut self, n: i64, ty: &Type) -> Attr {
        Attr::Int(n.into(), self.module.intern_type(ty.clone()))
    }

    pub(super) fn float(&mut self, x: f64, ty: &Type) -> Attr {
        Attr::Float(x, self.module.intern_type(ty.clone()))
    }

    /// Appends an operation; operands and results come with their slots, results also with their names.
    pub(super) fn op(
        &mut self,
        op: Op,
        operands: &[(u8, ValueId)],
        results: &[(u8, &str, Type)],
        rest: Rest,
    ) -> Vec<ValueId> {
        let span = Span::new(0, 0);
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
            ..NewOp::default()
        };
        let id = self.module.append(self.innermost(), op, new);
        self.module.results(id).collect()
    }

    /// Ends the function and prints it, inside a module that names its target if one is given.
    pub(super) fn finish(mut self, name: &str, stated: Option<Target>) -> String {
        self.op(op::func_return, &[], &[], Rest::default());
        let body = self.innermost();
        let inputs = self.module.block(body).args.iter().map(|&a| self.module.value_type(a).clone()).collect();
        let ty = self.module.intern_type(Type::Function(Box::new(FnType { inputs, results: Box::new([]) })));
        let name = Attr::Str(self.module.names.intern(name));
        let attrs = vec![self.attr("sym_name", name), self.attr("function_type", Attr::Type(ty))];
        let regions = vec![self.close_block()];
        self.open = vec![self.module.top];
        if let Some(target) = stated {
            self.open_block();
            self.op(op::func_func, &[], &[], Rest { attrs, regions, ..Rest::default() });
            let arch = Attr::Str(self.module.names.intern(target.name()));
            let attrs = vec![self.attr("pto.target_arch", arch)];
            let regions = vec![self.close_block()];
            self.op(op::builtin_module, &[], &[], Rest { attrs, regions, ..Rest::default() });
        } else {
            self.op(op::func_func, &[], &[], Rest { attrs, regions, ..Rest::default() });
        }
        print(&self.module, Style::default())
    }
}

/// What few operations have.
#[derive(Default)]
pub(super) struct Rest {
    pub(super) attrs: Vec<(Sym, Attr)>,
    pub(super) regions: Vec<RegionId>,
    pub(super) successors: Vec<Successor>,
}

impl Builder {
    /// Appends a use of an instruction to operands that exist; its results get the names of their slots.
    pub(super) fn filling(
        &mut self,
        filling: &Filling,
        operands: &[(u8, ValueId)],
        results: &[(u8, &str, Type)],
    ) -> Vec<ValueId> {
        let attrs = filling
            .attrs
            .iter()
            .map(|(name, value)| {
                let value = self.attr_of(*value);
                self.attr(name, value)
            })
            .collect();
        self.op(filling.op, operands, results, Rest { attrs, ..Rest::default() })
    }

    fn attr_of(&mut self, value: AttrValue<'static>) -> Attr {
        match value {
            AttrValue::Int(n) => Attr::Int(n.into(), crate::ir::TypeId::UNKNOWN),
            AttrValue::Bool(b) => Attr::Bool(b),
            AttrValue::Str(s) => Attr::Str(self.module.names.intern(s)),
            AttrValue::Enum(def, at) => Attr::Enum(def, at as u8),
            AttrValue::Other => Attr::Unit,
        }
    }
}

/// A function whose parameters are the operands of one instruction.
pub(super) fn program(filling: &Filling, stated: Option<Target>) -> String {
    let row = filling.op.row();
    let mut builder = Builder::new();
    let (mut operands, mut results) = (Vec::new(), Vec::new());
    for (slot, ty) in &filling.types {
        let name = row.slot_at(usize::from(*slot)).name;
        if usize::from(*slot) < row.slots.len() {
            operands.push((*slot, builder.param(name, ty)));
        } else {
            results.push((*slot, name, ty.clone()));
        }
    }
    builder.filling(filling, &operands, &results);
    builder.finish("example", stated)
}
