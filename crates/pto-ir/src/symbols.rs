//! Names of functions, and the call graph.

use crate::{Attr, Module, OpId, Sym};
use pto_isa::hash::FastMap;
use pto_isa::row::Control;

impl Module {
    /// The name that an attribute holds, as a symbol or as text: the dialect writes both.
    pub fn symbol(&self, id: OpId, attr: &str) -> Option<Sym> {
        match self.attr(id, attr)? {
            Attr::Str(s) | Attr::Symbol(s) => Some(*s),
            _ => None,
        }
    }

    /// The name of a function or module, without `@`; empty where it has none.
    pub fn symbol_name(&self, id: OpId) -> &str {
        self.symbol(id, "sym_name").map_or("", |s| self.names.text(s))
    }

    /// The name of the function that an operation calls.
    pub fn callee(&self, id: OpId) -> Option<Sym> {
        if self.control(id) == Some(Control::Call) { self.symbol(id, "callee") } else { None }
    }

    /// The function that an operation calls, if the program has it.
    pub fn called_function(&self, id: OpId) -> Option<OpId> {
        let name = self.callee(id)?;
        self.functions_by_name().get(&name).copied()
    }

    /// The callee of every call, if the program has it.
    pub fn calls(&self) -> FastMap<OpId, OpId> {
        let functions = self.functions_by_name();
        let mut calls = FastMap::default();
        self.walk(self.top, &mut |id| {
            calls.extend(self.callee(id).and_then(|name| functions.get(&name)).map(|function| (id, *function)));
        });
        calls
    }

    /// Functions by name; of two with one name the first, since the checker reports the second.
    pub fn functions_by_name(&self) -> FastMap<Sym, OpId> {
        let functions = self.functions();
        functions.iter().rev().filter_map(|f| Some((self.symbol(*f, "sym_name")?, *f))).collect()
    }
}
