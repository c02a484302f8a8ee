//! Attribute values.

use crate::{Sym, TypeId};
use pto_isa::EnumDef;
use pto_isa::rules::AttrValue;

/// The value of an attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum Attr {
    /// Present, without a value.
    Unit,
    /// `true` or `false`.
    Bool(bool),
    /// An integer, with its type where one was written.
    Int(i128, TypeId),
    /// A decimal floating-point number, with its type where one was written.
    Float(f64, TypeId),
    /// A floating-point number written as bits.
    FloatBits(u64, TypeId),
    /// Text.
    Str(Sym),
    /// `@name`.
    Symbol(Sym),
    /// A value of an enumeration, by position.
    Enum(&'static EnumDef, u8),
    /// A type.
    Type(TypeId),
    /// A list.
    Array(Box<[Self]>),
    /// A dictionary.
    Dict(Box<[(Sym, Self)]>),
    /// Anything else the host dialects allow (`dense<…>`, `affine_map<…>`, `#x.y<…>`), as written.
    Raw(Sym),
}

impl Attr {
    /// The integer, if it is one.
    pub fn int(&self) -> Option<i64> {
        match self {
            Self::Int(n, _) => i64::try_from(*n).ok(),
            _ => None,
        }
    }

    /// The attribute as rules see it; `text` resolves names.
    pub fn for_rules<'a>(&self, text: impl Fn(Sym) -> &'a str) -> AttrValue<'a> {
        match self {
            Self::Bool(b) => AttrValue::Bool(*b),
            Self::Int(n, _) => i64::try_from(*n).map_or(AttrValue::Other, AttrValue::Int),
            Self::Str(s) | Self::Symbol(s) => AttrValue::Str(text(*s)),
            Self::Enum(def, at) => AttrValue::Enum(def, usize::from(*at)),
            Self::Array(items) => match &items[..] {
                [first, second] => first
                    .int()
                    .zip(second.int())
                    .map_or(AttrValue::Other, |(first, second)| AttrValue::Pair([first, second])),
                _ => AttrValue::Other,
            },
            _ => AttrValue::Other,
        }
    }
}
