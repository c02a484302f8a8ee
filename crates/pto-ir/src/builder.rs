//! Builds programs in memory, one operation after the other.

use crate::{Attr, BlockId, Module, NewOp, Operand, RegionId, Style, Successor, Sym, TypeId, ValueId, print};
use pto_isa::fill::Filling;
use pto_isa::row::Control;
use pto_isa::rules::AttrValue;
use pto_isa::{FnType, Op, Span, Target, Type};

/// A function under construction; operations go to the end of the innermost open block.
///
/// ```
/// use pto_ir::{Builder, OpExtras};
/// use pto_isa::{DType, ScalarType, Type, table::op};
///
/// let mut builder = Builder::new();
/// let index = Type::Scalar(ScalarType::Index);
/// let n = builder.param("n", &index);
/// builder.op(op::arith_addi, &[(0, n), (1, n)], &[(2, "twice", index.clone())], OpExtras::default());
/// assert!(builder.finish("f", None).contains("%twice = arith.addi %n, %n : index"));
/// ```
#[derive(Debug)]
pub struct Builder {
    /// What was built so far.
    pub module: Module,
    /// The blocks that are not closed, innermost last.
    pub open: Vec<BlockId>,
    /// The span of following operations.
    pub span: Span,
}

impl Builder {
    /// A function without parameters and operations.
    pub fn new() -> Self {
        let mut module = Module::default();
        let body = module.new_block();
        Self { module, open: vec![body], span: Span::default() }
    }

    /// The type of a value.
    pub fn value_type(&self, value: ValueId) -> &Type {
        self.module.value_type(value)
    }

    /// The block that operations go to.
    pub fn innermost(&self) -> BlockId {
        self.open[self.open.len() - 1]
    }

    /// A parameter of the innermost block.
    pub fn param(&mut self, name: &str, ty: &Type) -> ValueId {
        let (ty, name) = (self.module.intern_type(ty.clone()), self.module.names.intern(name));
        self.module.add_arg(self.innermost(), ty, name, self.span)
    }

    /// A parameter of the function.
    pub fn function_param(&mut self, name: &str, ty: &Type) -> ValueId {
        let (ty, name) = (self.module.intern_type(ty.clone()), self.module.names.intern(name));
        self.module.add_arg(self.open[0], ty, name, self.span)
    }

    /// Opens a block inside the innermost one.
    pub fn open_block(&mut self) {
        let block = self.module.new_block();
        self.open.push(block);
    }

    /// Ends the innermost block and makes it a region.
    pub fn close_block(&mut self) -> RegionId {
        let block = self.open.pop().expect("a block is open");
        self.module.new_region(vec![block])
    }

    /// An attribute with its name.
    pub fn attr(&mut self, name: &str, value: Attr) -> (Sym, Attr) {
        (self.module.names.intern(name), value)
    }

    /// A number of a type, as an attribute.
    pub fn int(&mut self, n: i64, ty: &Type) -> Attr {
        Attr::Int(n.into(), self.module.intern_type(ty.clone()))
    }

    /// A float of a type, as an attribute.
    pub fn float(&mut self, x: f64, ty: &Type) -> Attr {
        Attr::Float(x, self.module.intern_type(ty.clone()))
    }

    /// Appends an operation; operands and results come with their slots, results also with their names.
    pub fn op(
        &mut self,
        op: Op,
        operands: &[(u8, ValueId)],
        results: &[(u8, &str, Type)],
        rest: OpExtras,
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

    /// Ends the function and prints it, inside a module that names its target if one is given.
    pub fn finish(mut self, name: &str, stated: Option<Target>) -> String {
        self.op(Op::of(Control::Return), &[], &[], OpExtras::default());
        let body = self.innermost();
        let inputs = self.module.block(body).args.iter().map(|&a| self.module.value_type(a).clone()).collect();
        let ty = self.module.intern_type(Type::Function(Box::new(FnType { inputs, results: Box::new([]) })));
        let name = Attr::Str(self.module.names.intern(name));
        let attrs = vec![self.attr("sym_name", name), self.attr("function_type", Attr::Type(ty))];
        let regions = vec![self.close_block()];
        self.open = vec![self.module.top];
        if let Some(target) = stated {
            self.open_block();
            self.op(Op::of(Control::Function), &[], &[], OpExtras { attrs, regions, ..OpExtras::default() });
            let arch = Attr::Str(self.module.names.intern(target.name()));
            let attrs = vec![self.attr("pto.target_arch", arch)];
            let regions = vec![self.close_block()];
            self.op(Op::of(Control::Module), &[], &[], OpExtras { attrs, regions, ..OpExtras::default() });
        } else {
            self.op(Op::of(Control::Function), &[], &[], OpExtras { attrs, regions, ..OpExtras::default() });
        }
        print(&self.module, Style::default())
    }

    /// Appends an instruction with existing operands; its results get the names of their slots.
    pub fn filling(
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
        self.op(filling.op, operands, results, OpExtras { attrs, ..OpExtras::default() })
    }

    fn attr_of(&mut self, value: AttrValue<'static>) -> Attr {
        match value {
            AttrValue::Int(n) => Attr::Int(n.into(), TypeId::UNKNOWN),
            AttrValue::Bool(b) => Attr::Bool(b),
            AttrValue::Str(s) => Attr::Str(self.module.names.intern(s)),
            AttrValue::Enum(def, at) => Attr::Enum(def, at as u8),
            AttrValue::Pair(pair) => Attr::Array(pair.map(|n| Attr::Int(n.into(), TypeId::UNKNOWN)).into()),
            AttrValue::Other => Attr::Unit,
        }
    }
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

/// Parts that few operations have.
#[derive(Default, Debug)]
pub struct OpExtras {
    /// Attributes by name.
    pub attrs: Vec<(Sym, Attr)>,
    /// Nested code.
    pub regions: Vec<RegionId>,
    /// The blocks a branch goes to.
    pub successors: Vec<Successor>,
}
