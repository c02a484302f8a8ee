//! Programs around one instruction, printed when they are complete.

use crate::builder::{Builder, Rest};
use crate::ir::{Attr, Style, ValueId, print};
use crate::isa::fill::Filling;
use crate::isa::rules::AttrValue;
use crate::isa::table::op;
use crate::isa::{FnType, Target, Type};

impl Builder {
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
