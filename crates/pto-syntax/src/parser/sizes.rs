//! How large types and attributes become when the aliases in them are written out.
//!
//! An alias may name others, so that a few lines could stand for more than any machine can hold.

use super::{MAX_DEPTH, Parse, Parser};
use pto_ir::{Attr, TypeId};
use pto_isa::{Diagnostic, FnType, Span, Type, codes};
use std::collections::HashMap;

/// How deep something is nested, and how many parts it has.
#[derive(Clone, Copy)]
pub(super) struct NestingSize {
    depth: u32,
    parts: u64,
}

impl NestingSize {
    const ONE: Self = Self { depth: 1, parts: 1 };

    /// That of a type in whose fields there are others.
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

/// Those of types that have parts, and how much was written out so far.
#[derive(Default)]
pub(super) struct Sizes {
    types: HashMap<TypeId, NestingSize>,
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

/// So many parts may be written out in a file, and a few more for every byte it has.
const MANY_PARTS: u64 = 1 << 20;
const PARTS_PER_BYTE: u64 = 2;

impl Parser<'_> {
    /// Takes account of an alias that is written out, or reports that there is too much of it.
    pub(super) fn write_out(&mut self, extent: NestingSize, span: Span) -> Parse<()> {
        if self.depth + extent.depth > MAX_DEPTH {
            let message = format!("with its aliases expanded, this is nested more than {MAX_DEPTH} deep");
            self.error(codes::TOO_DEEP, span, message);
            return None;
        }
        self.sizes.written_out += extent.parts;
        if self.sizes.written_out <= MANY_PARTS + PARTS_PER_BYTE * self.source.len() as u64 {
            return Some(());
        }
        if !std::mem::replace(&mut self.sizes.reported, true) {
            let message = "the aliases of this file expand to too much";
            let d = Diagnostic::new(codes::ALIASES_TOO_LARGE, span, message)
                .legal(format!(
                    "at most {MANY_PARTS} parts in all, and {PARTS_PER_BYTE} more for every byte of the file"
                ))
                .help("write the types without aliases that double from line to line");
            self.report(d);
        }
        None
    }

    /// The type of functions that take and return these.
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
