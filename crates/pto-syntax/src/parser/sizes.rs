//! Sizes of types and attributes with expanded aliases.
//!
//! An alias may name others, so that a few lines could expand to more than any machine can hold.

use super::{MAX_DEPTH, Parse, Parser};
use pto_ir::{Attr, TypeId};
use pto_isa::hash::FastMap;
use pto_isa::text;
use pto_isa::{Diagnostic, FnType, Span, Type, codes};

/// The nesting depth and the number of parts.
#[derive(Clone, Copy)]
pub(super) struct NestingSize {
    depth: u32,
    parts: u64,
}

impl NestingSize {
    const ONE: Self = Self { depth: 1, parts: 1 };

    /// The size of a type with fields.
    pub(super) fn of_fields(ty: &Type) -> Self {
        match ty {
            Type::Struct(fields) => Self::around(fields.iter().map(Self::of_fields)),
            _ => Self::ONE,
        }
    }

    /// One level around others.
    fn around(inner: impl Iterator<Item = Self>) -> Self {
        inner.fold(Self::ONE, |all, one| Self { depth: all.depth.max(one.depth + 1), parts: all.parts + one.parts })
    }
}

/// The sizes of types with parts, and the total expanded so far.
#[derive(Default)]
pub(super) struct Sizes {
    types: FastMap<TypeId, NestingSize>,
    written_out: u64,
    reported: bool,
}

impl Sizes {
    fn of_type(&self, ty: TypeId) -> NestingSize {
        self.types.get(&ty).copied().unwrap_or(NestingSize::ONE)
    }

    pub(super) fn of_attr(&self, attr: &Attr) -> NestingSize {
        match attr {
            Attr::Array(items) => NestingSize::around(items.iter().map(|item| self.of_attr(item))),
            Attr::Dict(entries) => NestingSize::around(entries.iter().map(|(_, item)| self.of_attr(item))),
            _ => NestingSize::ONE,
        }
    }
}

/// Limit of expanded parts in a file, plus a few for every byte.
const MANY_PARTS: u64 = 1 << 20;
const PARTS_PER_BYTE: u64 = 2;

impl Parser<'_> {
    /// Accounts for an expanded alias, or reports that it is too large.
    pub(super) fn write_out(&mut self, extent: NestingSize, span: Span) -> Parse<()> {
        if self.depth + extent.depth > MAX_DEPTH {
            let message = text!("with its aliases expanded, this is nested more than {MAX_DEPTH} deep", MAX_DEPTH);
            self.error(codes::TOO_DEEP, span, message);
            return None;
        }
        self.sizes.written_out += extent.parts;
        if self.sizes.written_out <= MANY_PARTS + PARTS_PER_BYTE * self.source.len() as u64 {
            return Some(());
        }
        if !std::mem::replace(&mut self.sizes.reported, true) {
            let message = text!("the aliases of this file expand to too much");
            let d = Diagnostic::new(codes::ALIASES_TOO_LARGE, span, message)
                .legal(text!(
                    "at most {MANY_PARTS} parts in all, and {PARTS_PER_BYTE} more for every byte of the file",
                    MANY_PARTS,
                    PARTS_PER_BYTE
                ))
                .help(text!("write the types without aliases that double from line to line"));
            self.report(d);
        }
        None
    }

    /// The type of functions with these inputs and results.
    pub(super) fn function_of(&mut self, inputs: &[TypeId], results: &[TypeId], span: Span) -> Parse<TypeId> {
        let members = || inputs.iter().chain(results);
        let extent = NestingSize::around(members().map(|ty| self.sizes.of_type(*ty)));
        if members().any(|ty| self.sizes.types.contains_key(ty)) {
            self.write_out(extent, span)?;
        }
        let get = |ids: &[TypeId]| ids.iter().map(|ty| self.module.ty(*ty).clone()).collect();
        let function = FnType { inputs: get(inputs), results: get(results) };
        let id = self.module.intern_type(Type::Function(Box::new(function)));
        self.sizes.types.insert(id, extent);
        Some(id)
    }
}
