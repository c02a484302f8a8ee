//! Which operations the custom grammars can write.
//!
//! A module may contain operations that are wrong (the checker reports them) or that have parts their grammar cannot
//! express. Those are written in the generic form, which can express anything.

use super::Printer;
use crate::{Attr, BlockId, OpId, TypeId, ValueId};
use pto_isa::row::Custom;
use pto_isa::{ScalarType, Type};

impl Printer<'_> {
    /// True when the custom grammar writes the operation so that it reads back the same.
    pub(super) fn is_writable(&self, op: OpId, custom: Custom) -> bool {
        let m = self.module;
        if !m.has_anatomy(op, custom) {
            return false;
        }
        match custom {
            Custom::Module => self.no_params(op) && matches!(m.attr(op, "sym_name"), None | Some(Attr::Symbol(_))),
            Custom::Func => self.func_is_writable(op),
            Custom::Call => matches!(m.attr(op, "callee"), Some(Attr::Symbol(_))),
            Custom::For => self.for_is_writable(op),
            Custom::If | Custom::Section | Custom::Fusion | Custom::ExecuteRegion => self.no_params(op),
            Custom::While => self.carries(op, 0, 0),
            Custom::IndexSwitch => self.no_params(op) && self.cases_are_writable(op),
            Custom::Branch | Custom::CondBranch => m.successors(op).iter().all(|s| s.case.is_none()),
            Custom::Switch => m.successors(op).iter().filter(|s| s.case.is_none()).count() == 1,
            Custom::Constant => self.constant_is_writable(op),
            Custom::Compare => self.compare_is_writable(op),
            Custom::Binary | Custom::Extended => self.ty(op, 0) == self.ty(op, 1) && self.result(op) == self.ty(op, 0),
            Custom::Unary => self.result(op) == self.ty(op, 0),
            Custom::Select => self.ty(op, 1) == self.ty(op, 2) && self.result(op) == self.ty(op, 1),
            Custom::MemrefView | Custom::MemrefRecast => self.view_is_writable(op),
            Custom::MemrefLoad => self.element(op, 0) == Some(m.value_type(self.first_result(op)).clone()),
            Custom::MemrefStore => self.element(op, 1).is_some(),
            Custom::MemrefDim => *m.value_type(self.first_result(op)) == Type::Scalar(ScalarType::Index),
            Custom::Return
            | Custom::Yield
            | Custom::FusionYield
            | Custom::Condition
            | Custom::Cast
            | Custom::MemrefCast
            | Custom::MemrefAlloc => true,
        }
    }

    fn ty(&self, op: OpId, at: usize) -> TypeId {
        self.module.value(self.module.operands(op)[at].value).ty
    }

    fn first_result(&self, op: OpId) -> ValueId {
        self.module.results(op).next().expect("counted before")
    }

    fn result(&self, op: OpId) -> TypeId {
        self.module.value(self.first_result(op)).ty
    }

    fn entry(&self, op: OpId, region: usize) -> Option<BlockId> {
        self.module.region(self.module.op_regions(op)[region]).blocks.first().copied()
    }

    /// The first block of each region has no parameters, since the grammar cannot express them.
    fn no_params(&self, op: OpId) -> bool {
        let plain = |r: usize| self.entry(op, r).is_none_or(|b| self.module.block(b).args.is_empty());
        (0..self.module.op_regions(op).len()).all(plain)
    }

    /// The parameters of the first region, after `skip` of its own, are the operands after `from`; the label of that
    /// block is not written.
    fn carries(&self, op: OpId, skip: usize, from: usize) -> bool {
        let m = self.module;
        let Some(block) = self.entry(op, 0) else { return false };
        let (params, inits) = (&m.block(block).args, &m.operands(op)[from..]);
        !m.block(block).is_target
            && params.len() == inits.len() + skip
            && params[skip..].iter().zip(inits).all(|(&p, i)| m.value(p).ty == m.value(i.value).ty)
    }

    fn for_is_writable(&self, op: OpId) -> bool {
        let m = self.module;
        let bounds = m.operands(op).iter().take(3).enumerate().all(|(i, o)| usize::from(o.slot) == i);
        let counter = self.entry(op, 0).and_then(|b| m.block(b).args.first().map(|&a| m.value(a).ty));
        let inits: Vec<TypeId> = m.operands(op)[3..].iter().map(|o| m.value(o.value).ty).collect();
        let results: Vec<TypeId> = m.results(op).map(|v| m.value(v).ty).collect();
        // The type of the counter is written once, for the bounds too.
        let one_type = counter.is_some() && (0..3).all(|i| Some(self.ty(op, i)) == counter);
        bounds && one_type && inits == results && self.carries(op, 1, 3)
    }

    fn func_is_writable(&self, op: OpId) -> bool {
        let m = self.module;
        let named = matches!(m.attr(op, "sym_name"), Some(Attr::Str(_)));
        let visible = match m.attr(op, "sym_visibility") {
            None => true,
            Some(Attr::Str(v)) => matches!(m.names.text(*v), "private" | "public" | "nested"),
            Some(_) => false,
        };
        let Some(Attr::Type(t)) = m.attr(op, "function_type") else { return false };
        let Type::Function(f) = m.ty(*t) else { return false };
        let params = match m.op_regions(op) {
            [] => true,
            _ => self.entry(op, 0).is_some_and(|b| {
                let args = &m.block(b).args;
                let types =
                    args.len() == f.inputs.len() && args.iter().zip(&f.inputs).all(|(&a, i)| m.value_type(a) == i);
                types && (args.is_empty() || !m.block(b).is_target)
            }),
        };
        let attrs_of_each = |name: &str, count: usize| match m.attr(op, name) {
            None => true,
            Some(Attr::Array(items)) => {
                let dicts = items.iter().all(|a| matches!(a, Attr::Dict(_)));
                let some = items.iter().any(|a| matches!(a, Attr::Dict(d) if !d.is_empty()));
                dicts && some && items.len() == count
            }
            Some(_) => false,
        };
        let attrs = attrs_of_each("arg_attrs", f.inputs.len()) && attrs_of_each("res_attrs", f.results.len());
        named && visible && params && attrs
    }

    fn cases_are_writable(&self, op: OpId) -> bool {
        let plain = |a: &Attr| matches!(a, Attr::Int(_, TypeId::UNKNOWN)) && a.int().is_some();
        match self.module.attr(op, "cases") {
            Some(Attr::Array(cases)) => cases.len() + 1 == self.module.op_regions(op).len() && cases.iter().all(plain),
            _ => false,
        }
    }

    fn constant_is_writable(&self, op: OpId) -> bool {
        let m = self.module;
        let ty = self.result(op);
        let scalar = m.ty(ty).scalar();
        match m.attr(op, "value") {
            Some(Attr::Bool(_)) => scalar == Some(ScalarType::I1),
            Some(Attr::Int(_, t)) => *t == ty && scalar.is_some_and(|s| s.is_int() && s != ScalarType::I1),
            Some(Attr::Float(x, t)) => *t == ty && x.is_finite() && scalar.is_some_and(ScalarType::is_float),
            Some(Attr::FloatBits(_, t)) => *t == ty && scalar.is_some_and(ScalarType::is_float),
            Some(Attr::Raw(text)) => m.names.text(*text).starts_with("dense<") && ty != TypeId::UNKNOWN,
            _ => false,
        }
    }

    fn compare_is_writable(&self, op: OpId) -> bool {
        let m = self.module;
        let wanted = m.op(op).op.row().attr("predicate").and_then(|a| a.enumeration());
        let predicate = matches!(m.attr(op, "predicate"), Some(Attr::Enum(d, _)) if Some(*d) == wanted);
        predicate && self.ty(op, 0) == self.ty(op, 1) && m.ty(self.result(op)).scalar() == Some(ScalarType::I1)
    }

    /// Each list holds integers, and one `unit` for each operand that stands in it.
    fn view_is_writable(&self, op: OpId) -> bool {
        let m = self.module;
        ["static_offsets", "static_sizes", "static_strides"].iter().enumerate().all(|(i, name)| {
            match m.attr(op, name) {
                Some(Attr::Array(items)) => {
                    let open = items.iter().filter(|a| matches!(a, Attr::Unit)).count();
                    let known = items.iter().filter(|a| matches!(a, Attr::Int(_, TypeId::UNKNOWN))).count();
                    open + known == items.len() && open == m.in_slot(op, i + 1).count()
                }
                _ => false,
            }
        })
    }

    /// The element type of the buffer an operand is.
    fn element(&self, op: OpId, at: usize) -> Option<Type> {
        match self.module.value_type(self.module.operands(op)[at].value) {
            Type::Memref(m) => Some(Type::Scalar(m.view.elem)),
            _ => None,
        }
    }
}
