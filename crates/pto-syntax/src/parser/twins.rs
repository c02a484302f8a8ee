//! Operations that are another spelling of one: `pto.divi %a, %b signed : i32` becomes `arith.divsi %a, %b : i32`.

use super::statement::Head;
use super::{Parse, Parser};
use pto_ir::{Attr, NewOp, Operand, TypeId};
use pto_isa::row::{Arith, Twin};
use pto_isa::table::Op;
use pto_isa::text;
use pto_isa::{Diagnostic, EnumDef, ScalarType, codes, enums};

impl Parser<'_> {
    /// The operation that a statement means. Attributes that only choose it are dropped.
    pub(super) fn twin(&mut self, head: &Head, new: &mut NewOp, results: &[(TypeId, u8)]) -> Parse<Op> {
        let Some(twin) = head.op.row().twin else { return Some(head.op) };
        Some(Op::of(match twin {
            Twin::Is(is) => is,
            Twin::Scalars(is) => {
                let scalar = |o: &Operand| self.module.value_type(o.value).scalar().is_some();
                if !new.operands.iter().all(scalar) {
                    return Some(head.op);
                }
                is
            }
            Twin::Signed(signed, unsigned) => {
                if self.unsigned(head, new)? {
                    unsigned
                } else {
                    signed
                }
            }
            Twin::CompareInt => {
                let prefix = if self.unsigned(head, new)? { 'u' } else { 's' };
                self.change_predicate(head, new, &enums::CMPI_PREDICATE, prefix)?;
                Arith::CompareInt
            }
            Twin::CompareFloat => {
                self.change_predicate(head, new, &enums::CMPF_PREDICATE, 'o')?;
                Arith::CompareFloat
            }
            Twin::FloatWidth => {
                let operand = new.operands.first().map(|o| self.module.value(o.value).ty);
                let bits = |ty: Option<TypeId>| self.width_of_float(ty);
                if bits(operand) < bits(results.first().map(|r| r.0)) {
                    Arith::ExtendFloat
                } else {
                    Arith::TruncateFloat
                }
            }
        }))
    }

    fn width_of_float(&self, ty: Option<TypeId>) -> u32 {
        match ty.and_then(|ty| self.module.ty(ty).scalar()) {
            Some(ScalarType::Elem(d)) => d.bits(),
            Some(ScalarType::F64) => 64,
            _ => 0,
        }
    }

    /// Takes an attribute out of a statement.
    fn choosing_attr(&mut self, head: &Head, new: &mut NewOp, name: &str) -> Parse<(&'static EnumDef, u8)> {
        let sym = self.intern(name);
        match new.attrs.iter().position(|(n, _)| *n == sym).map(|at| new.attrs.remove(at).1) {
            Some(Attr::Enum(def, at)) => Some((def, at)),
            _ => {
                let row = head.op.row();
                let message = text!("`{op}` has no `{name}`", op = row.full_name(), name);
                let legal = row.attr(name).map_or(String::new(), |spec| spec.legal_values());
                let d = Diagnostic::new(codes::MISSING_ATTRIBUTE, head.name_span, message);
                self.report(d.legal(text!("legal: {def}", def = legal)).page(row.name));
                None
            }
        }
    }

    fn unsigned(&mut self, head: &Head, new: &mut NewOp) -> Parse<bool> {
        let (def, at) = self.choosing_attr(head, new, "signedness")?;
        Some(def.value(usize::from(at)) == "unsigned")
    }

    /// A predicate in the words of another list; a short one gets the prefix that makes it one of the list.
    fn change_predicate(&mut self, head: &Head, new: &mut NewOp, to: &'static EnumDef, prefix: char) -> Parse<()> {
        let (def, at) = self.choosing_attr(head, new, "predicate")?;
        let word = def.value(usize::from(at));
        let Some(found) = to.find(&format!("{prefix}{word}")).or_else(|| to.find(word)) else {
            let message = text!("{found} is not a predicate", found = format!("`{word}`"));
            let d = Diagnostic::new(codes::ATTRIBUTE_VALUE, head.name_span, message);
            self.report(d.legal(text!("legal: {def}", def = "eq, ne, lt, le, gt, ge")));
            return None;
        };
        new.attrs.insert(0, (self.intern("predicate"), Attr::Enum(to, found as u8)));
        Some(())
    }
}
