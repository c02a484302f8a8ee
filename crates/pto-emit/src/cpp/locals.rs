//! Arrays and records of a core.

use super::types::scalar_type;
use super::{EmitResult, Writer};
use pto_ir::{Attr, OpId};
use pto_isa::text;
use pto_isa::{Type, ViewType};

impl Writer<'_> {
    /// An array or record, zeroed.
    pub(super) fn declare_local(&mut self, id: OpId) -> EmitResult<()> {
        let value = self.result(id)?;
        let name = self.values.names.fresh(self.module.value_name(value));
        let text = match self.module.value_type(value) {
            Type::EventIds(n) => format!("int32_t {name}[{n}] = {{}};"),
            ty => format!("{} = {{}};", field(ty, &name).ok_or_else(|| self.unsupported(text!("this type")))?),
        };
        self.values.texts[value.index()] = Some(name);
        match &mut self.flow.hoisted {
            Some(list) => list.push(text),
            None => self.line(&text),
        }
        Ok(())
    }

    /// Reads or writes a field by its path.
    pub(super) fn struct_field(&mut self, id: OpId) -> EmitResult<()> {
        let mut place = self.operand_text(id, "s")?;
        let Some(Attr::Array(path)) = self.module.attr(id, "path") else {
            return Err(self.unsupported(text!("it without a path")));
        };
        for step in path {
            place.push_str(&format!(".f{}", step.int().unwrap_or(0)));
        }
        if let Some(value) = self.module.operand(id, "value") {
            let text = self.text(value)?;
            self.line(&format!("{place} = {text};"));
            return Ok(());
        }
        let value = self.result(id)?;
        let ty = self.type_of(value)?;
        self.declare(value, &ty, &place, true);
        Ok(())
    }
}

/// The declaration of a field, an array or a record.
fn field(ty: &Type, name: &str) -> Option<String> {
    match ty {
        Type::Scalar(s) => Some(format!("{} {name}", scalar_type(*s))),
        Type::LocalArray(ViewType { dims, elem }) => {
            let extents: Option<String> = dims.iter().map(|d| d.fixed().map(|n| format!("[{n}]"))).collect();
            Some(format!("{} {name}{}", scalar_type(*elem), extents?))
        }
        Type::Struct(fields) => {
            let inner: Option<String> =
                fields.iter().enumerate().map(|(at, f)| Some(format!("{}; ", field(f, &format!("f{at}"))?))).collect();
            Some(format!("struct {{ {}}} {name}", inner?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pto_isa::{DType, Dim, ScalarType};

    #[test]
    fn records_are_declared_with_their_fields() {
        let f32_ = Type::Scalar(ScalarType::Elem(DType::F32));
        let array = Type::LocalArray(ViewType { dims: [Dim::Fixed(4)].into(), elem: ScalarType::Index });
        let record = Type::Struct([f32_, array].into());
        assert_eq!(field(&record, "s").as_deref(), Some("struct { float f0; int64_t f1[4]; } s"));
    }
}
