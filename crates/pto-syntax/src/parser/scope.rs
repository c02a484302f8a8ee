//! Scopes of names, and names that are used before they are defined.

use pto_ir::{Def, Module, Sym, TypeId, Value, ValueId};
use pto_isa::Span;
use pto_isa::hash::FastMap;
use pto_isa::sort::SharedSort;

/// The visible names: a table from symbol to value with an undo log, so that a scope costs only what it defines.
#[derive(Default)]
pub(crate) struct Scopes {
    /// The value of each name, and its function: functions do not see outer names.
    visible: Vec<Option<(u32, ValueId)>>,
    undo: Vec<(Sym, Option<(u32, ValueId)>)>,
    marks: Vec<ScopeMark>,
    /// The current function, and the number of functions so far.
    function: u32,
    functions: u32,
    /// Placeholders with a definition.
    resolved: FastMap<ValueId, ValueId>,
}

#[derive(Default)]
struct ScopeMark {
    undo: usize,
    /// Names used in this scope without a definition yet.
    pending: FastMap<Sym, ValueId>,
    /// The enclosing function, if the scope is that of a function.
    outer: u32,
}

impl Scopes {
    pub(crate) fn enter(&mut self) {
        self.marks.push(ScopeMark { undo: self.undo.len(), ..ScopeMark::default() });
    }

    pub(crate) fn leave(&mut self) {
        let Some(mark) = self.marks.pop() else { return };
        self.unwind(mark.undo);
        if let Some(outer) = self.marks.last_mut() {
            for (name, value) in mark.pending {
                match outer.pending.get(&name) {
                    Some(&first) => {
                        self.resolved.insert(value, first);
                    }
                    None => {
                        outer.pending.insert(name, value);
                    }
                }
            }
        }
    }

    pub(crate) fn enter_function(&mut self) {
        self.marks.push(ScopeMark { undo: self.undo.len(), outer: self.function, ..ScopeMark::default() });
        self.functions += 1;
        self.function = self.functions;
    }

    /// Ends a function; returns the placeholders without a definition.
    pub(crate) fn leave_function(&mut self, module: &mut Module) -> Vec<ValueId> {
        let Some(mark) = self.marks.pop() else { return Vec::new() };
        self.unwind(mark.undo);
        self.function = mark.outer;
        // Once for the whole file: this visits every use.
        if self.marks.is_empty() && !self.resolved.is_empty() {
            let resolved = std::mem::take(&mut self.resolved);
            let last = |mut v: ValueId| {
                while let Some(&next) = resolved.get(&v) {
                    v = next;
                }
                v
            };
            let map = resolved.keys().map(|&v| (v, last(v))).collect();
            module.resolve_uses(&map);
        }
        let mut left: Vec<ValueId> = mark.pending.into_values().collect();
        left.shared_sort();
        left
    }

    fn unwind(&mut self, to: usize) {
        while self.undo.len() > to {
            if let Some((name, before)) = self.undo.pop() {
                self.visible[name.index()] = before;
            }
        }
    }

    pub(crate) fn get(&self, name: Sym) -> Option<ValueId> {
        let meaning = self.visible.get(name.index()).copied().flatten();
        meaning.filter(|(function, _)| *function == self.function).map(|(_, value)| value)
    }

    /// Defines a name from here on, and resolves pending uses.
    pub(crate) fn define(&mut self, name: Sym, value: ValueId) {
        if self.visible.len() <= name.index() {
            self.visible.resize(name.index() + 1, None);
        }
        self.undo.push((name, self.visible[name.index()]));
        self.visible[name.index()] = Some((self.function, value));
        if let Some(mark) = self.marks.last_mut()
            && let Some(placeholder) = mark.pending.remove(&name)
        {
            self.resolved.insert(placeholder, value);
        }
    }

    /// The value of a name; a placeholder if it has no definition yet.
    pub(crate) fn use_name(&mut self, module: &mut Module, name: Sym, span: Span, ty: TypeId) -> ValueId {
        if let Some(value) = self.get(name) {
            return value;
        }
        let Some(mark) = self.marks.last_mut() else { unreachable!("a file is a scope") };
        *mark
            .pending
            .entry(name)
            .or_insert_with(|| module.new_value(Value { ty, name, def: Def::Missing, slot: 0, span }))
    }
}
