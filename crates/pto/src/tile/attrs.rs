//! Attribute values as Rust values.

use crate::ir::{Attr, Module, TypeId};
use crate::isa::EnumDef;

/// What an attribute can be given as.
#[diagnostic::on_unimplemented(message = "an attribute cannot be `{Self}`")]
pub trait AttrArg {
    #[doc(hidden)]
    fn attr(self, module: &mut Module) -> Attr;
}

impl AttrArg for bool {
    fn attr(self, _: &mut Module) -> Attr {
        Attr::Bool(self)
    }
}

impl AttrArg for i64 {
    fn attr(self, _: &mut Module) -> Attr {
        Attr::Int(self.into(), TypeId::UNKNOWN)
    }
}

impl AttrArg for &str {
    fn attr(self, module: &mut Module) -> Attr {
        Attr::Str(module.names.intern(self))
    }
}

impl AttrArg for &[i64] {
    fn attr(self, _: &mut Module) -> Attr {
        Attr::Array(self.iter().map(|n| Attr::Int((*n).into(), TypeId::UNKNOWN)).collect())
    }
}

/// The name of a function.
pub(super) struct Symbol<'a>(pub &'a str);

impl AttrArg for Symbol<'_> {
    fn attr(self, module: &mut Module) -> Attr {
        Attr::Symbol(module.names.intern(self.0))
    }
}

/// A value of an enumeration, by position.
pub(super) struct EnumChoice(pub &'static EnumDef, pub u8);

impl AttrArg for EnumChoice {
    fn attr(self, _: &mut Module) -> Attr {
        Attr::Enum(self.0, self.1)
    }
}
