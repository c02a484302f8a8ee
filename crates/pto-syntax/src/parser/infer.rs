//! Result types that follow from the operands.

use super::Parser;
use pto_ir::{Operand, TypeId};
use pto_isa::row::{FixedType, Infer};
use pto_isa::{DType, Row, Scalar, Token, Type, rules};

impl Parser<'_> {
    /// The type of a result slot, when the row says how it follows.
    pub(super) fn infer_result(&mut self, row: &'static Row, slot: usize, operands: &[Operand]) -> Option<TypeId> {
        let spec = row.slot_at(slot);
        let operand = |name: &str| {
            let at = row.slot(name)?;
            operands.iter().find(|o| usize::from(o.slot) == at).map(|o| self.module.value_type(o.value).clone())
        };
        let is_value = slot < row.slots.len();
        let ty = match spec.infer {
            Infer::No => return None,
            Infer::Like(name) => match operand(name)? {
                Type::TileBuf(t) if is_value => Type::Tile(t),
                Type::Unknown => return None,
                other => other,
            },
            Infer::MaskFor(name) => Type::Tile(rules::mask_type(operand(name)?.tile()?)),
            Infer::Fixed(fixed) => fixed_type(fixed),
        };
        Some(self.module.intern_type(ty))
    }
}

fn fixed_type(fixed: FixedType) -> Type {
    let elem = |d| Type::Scalar(Scalar::Elem(d));
    match fixed {
        FixedType::I1 => Type::Scalar(Scalar::I1),
        FixedType::I32 => elem(DType::I32),
        FixedType::I64 => elem(DType::I64),
        FixedType::Index => Type::Scalar(Scalar::Index),
        FixedType::Event => Type::Token(Token::Event),
        FixedType::Pipe => Type::Token(Token::Pipe),
        FixedType::AsyncSession => Type::Token(Token::AsyncSession),
        FixedType::AsyncEvent => Type::Token(Token::AsyncEvent),
    }
}
