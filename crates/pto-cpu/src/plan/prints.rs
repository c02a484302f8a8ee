//! Instructions that print.

use super::build::{PlanBuilder, PlanResult};
use crate::prepared::*;
use pto_ir::OpId;
use pto_isa::Type;
use pto_isa::text;

impl PlanBuilder<'_> {
    /// A tile, or a window of global memory. What a device copies it to first does not matter.
    pub fn print_memory(&mut self, id: OpId) -> PlanResult<()> {
        let Some(value) = self.module.operand(id, "src") else {
            return Err(self.unsupported(text!("it without `src`")));
        };
        let style = match self.module.attr(id, "printFormat").and_then(|a| self.enum_name(a)) {
            Some("width8_precision2") => NumberStyle { width: 8, digits: 2 },
            Some("width10_precision6") => NumberStyle { width: 10, digits: 6 },
            _ => NumberStyle { width: 8, digits: 4 },
        };
        let name = self.module.value_name(value).to_string();
        let print = match (self.slot(value), self.module.value_type(value).elem()) {
            (ValueStorage::Tile(tile), _) => Print::Tile { tile, name, style },
            (ValueStorage::View(view), Some(dtype)) => Print::View { view, dtype, name, style },
            _ => return Err(self.unsupported(text!("this operand"))),
        };
        self.push_print(print)
    }

    pub fn print_scalar(&mut self, id: OpId) -> PlanResult<()> {
        let value = self.operand_reg(id, "scalar")?;
        let ty = self.module.operand(id, "scalar").map(|v| self.module.value_type(v).clone());
        let kind = match ty {
            Some(Type::Scalar(s)) => int_of(s).map(ScalarElem::Int).or_else(|| float_of(s).map(ScalarElem::Float)),
            _ => None,
        };
        let Some(kind) = kind else { return Err(self.unsupported(text!("this operand"))) };
        let format = self.module.attr(id, "format").map(|a| a.for_rules(|s| self.module.names.text(s)));
        let format = match format {
            Some(pto_isa::rules::AttrValue::Str(text)) => text.to_string(),
            _ => return Err(self.unsupported(text!("it without a format"))),
        };
        self.push_print(Print::Scalar { value, kind, format })
    }

    fn enum_name(&self, attr: &pto_ir::Attr) -> Option<&'static str> {
        attr.for_rules(|s| self.module.names.text(s)).enum_name()
    }

    fn push_print(&mut self, print: Print) -> PlanResult<()> {
        let at = self.plan.calls.prints.push(print);
        self.push(Step::Print(at)).map(drop)
    }
}
