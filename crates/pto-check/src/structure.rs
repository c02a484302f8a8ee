//! Where operations may stand, functions, entries and calls.

use crate::{control, dominance};
use pto_ir::{Attr, BlockId, Module, OpId, RegionId, Sym};
use pto_isa::hash::FastMap;
use pto_isa::row::{Control, Custom, Syntax};
use pto_isa::text;
use pto_isa::{Diagnostic, FnType, Span, Target, Type, codes, table};
use std::cell::Cell;

pub(crate) fn check(module: &Module, order: &[OpId], problems: &mut Vec<Diagnostic>) {
    let functions = Functions::collect(module, order, problems);
    for &id in order {
        placement(module, id, problems);
        control::check(module, id, &functions, problems);
    }
    known_target(module, problems);
    functions.entries(module, problems);
    functions.recursion(module, problems);
    dominance::check(module, order, problems);
}

/// A module with an unknown target would silently be checked for another one.
fn known_target(module: &Module, problems: &mut Vec<Diagnostic>) {
    for &id in &module.block(module.top).ops {
        let Some(name) = module.symbol(id, "pto.target_arch") else { continue };
        let text = module.names.text(name);
        if Target::parse(text).is_none() {
            let names: Vec<_> = Target::ALL.iter().map(|t| t.name()).collect();
            let message = text!("there is no target `{text}`", text);
            let d = Diagnostic::new(codes::ATTRIBUTE_VALUE, head(module, id), message).warning();
            problems.push(d.legal(text!("targets: {names}", names = names.join(", "))));
        }
    }
}

/// The functions of a file by name.
pub(crate) struct Functions {
    by_name: FastMap<Sym, OpId>,
    all: Vec<OpId>,
    /// How often a similar name was searched.
    suggestions: Cell<u32>,
}

/// Limit of searches for similar names: they are slow, and hundreds of suggestions help nobody.
const SUGGESTIONS: u32 = 20;

impl Functions {
    fn collect(module: &Module, order: &[OpId], problems: &mut Vec<Diagnostic>) -> Self {
        let mut by_name: FastMap<Sym, OpId> = FastMap::default();
        let all: Vec<OpId> =
            order.iter().copied().filter(|&id| module.control(id) == Some(Control::Function)).collect();
        let mut scope: FastMap<(Option<usize>, Sym), OpId> = FastMap::default();
        let parents = module_of(module, order);
        for &f in &all {
            let Some(name) = module.symbol(f, "sym_name") else { continue };
            by_name.entry(name).or_insert(f);
            if let Some(&first) = scope.get(&(parents.get(&f).copied(), name)) {
                let text = module.names.text(name);
                problems.push(
                    Diagnostic::new(
                        codes::DUPLICATE_SYMBOL,
                        head(module, f),
                        text!("a second function `@{text}`", text),
                    )
                    .label(head(module, first), text!("the first one")),
                );
            } else {
                scope.insert((parents.get(&f).copied(), name), f);
            }
        }
        Self { by_name, all, suggestions: Cell::new(0) }
    }

    pub(crate) fn get(&self, name: Sym) -> Option<OpId> {
        self.by_name.get(&name).copied()
    }

    /// A function whose name is close to a misspelled one.
    pub(crate) fn similar<'m>(&self, module: &'m Module, name: &str) -> Option<&'m str> {
        self.suggestions.set(self.suggestions.get() + 1);
        if self.suggestions.get() > SUGGESTIONS {
            return None;
        }
        let names = self.all.iter().filter_map(|&f| module.symbol(f, "sym_name")).map(|s| module.names.text(s));
        names.filter(|n| table::distance(n, name) <= 2).min_by_key(|n| table::distance(n, name))
    }

    /// A kernel entry returns nothing.
    fn entries(&self, module: &Module, problems: &mut Vec<Diagnostic>) {
        for &f in &self.all {
            let marked = module.attr(f, "pto.entry").is_some() || module.attr(f, "hacc.entry").is_some();
            let Some(ty) = function_type(module, f).filter(|t| marked && !t.results.is_empty()) else { continue };
            let message = text!("the entry function returns {ty} value(s)", ty = ty.results.len());
            problems.push(
                Diagnostic::new(codes::ENTRY_RETURNS, head(module, f), message)
                    .help(text!("store the result in global memory, or remove `pto.entry`")),
            );
        }
    }

    /// No function reaches itself through calls.
    fn recursion(&self, module: &Module, problems: &mut Vec<Diagnostic>) {
        let mut calls: FastMap<OpId, Vec<(OpId, OpId)>> = FastMap::default();
        for &f in &self.all {
            for block in blocks_of(module, f) {
                module.walk(block, &mut |id| {
                    let callee = module.symbol(id, "callee").and_then(|name| self.get(name));
                    if let (true, Some(g)) = (module.control(id) == Some(Control::Call), callee) {
                        calls.entry(f).or_default().push((g, id));
                    }
                });
            }
        }
        let mut state: FastMap<OpId, bool> = FastMap::default();
        for &f in &self.all {
            let mut stack: Vec<(OpId, usize)> = Vec::new();
            if let std::collections::hash_map::Entry::Vacant(e) = state.entry(f) {
                e.insert(true);
                stack.push((f, 0));
            }
            while let Some((g, at)) = stack.last_mut() {
                let Some(&(callee, call)) = calls.get(g).and_then(|c| c.get(*at)) else {
                    state.insert(*g, false);
                    stack.pop();
                    continue;
                };
                *at += 1;
                match state.get(&callee) {
                    Some(true) => {
                        let name = module.symbol(callee, "sym_name").map_or("", |s| module.names.text(s));
                        let d = Diagnostic::new(
                            codes::RECURSION,
                            head(module, call),
                            text!("`@{name}` calls itself", name),
                        );
                        problems.push(d.help(text!("write a loop")));
                    }
                    Some(false) => {}
                    None => {
                        state.insert(callee, true);
                        stack.push((callee, 0));
                    }
                }
            }
        }
    }
}

/// The module operation that directly holds each function, if any.
fn module_of(module: &Module, order: &[OpId]) -> FastMap<OpId, usize> {
    let mut parents = FastMap::default();
    for &id in order {
        if module.control(id) == Some(Control::Module) {
            for block in blocks_of(module, id) {
                parents.extend(module.block(block).ops.iter().map(|&inner| (inner, id.index())));
            }
        }
    }
    parents
}

pub(crate) fn head(module: &Module, id: OpId) -> Span {
    module.op(id).name_span
}

pub(crate) fn blocks_of(module: &Module, id: OpId) -> Vec<BlockId> {
    module.op_regions(id).iter().flat_map(|&r| module.region(r).blocks.iter().copied()).collect()
}

pub(crate) fn function_type(module: &Module, id: OpId) -> Option<&FnType> {
    match module.attr(id, "function_type")? {
        Attr::Type(t) => match module.ty(*t) {
            Type::Function(f) => Some(f),
            _ => None,
        },
        _ => None,
    }
}

fn custom(module: &Module, id: OpId) -> Option<Custom> {
    match module.op(id).op.row().syntax {
        Syntax::Custom(c) => Some(c),
        Syntax::InsOuts { .. } | Syntax::Pattern(_) => None,
    }
}

/// How a block of an operation's region may end.
fn terminators(parent: Option<Custom>) -> &'static [Custom] {
    use Custom::*;
    match parent {
        Some(Func) => &[Return, Branch, CondBranch, Switch],
        Some(For | If | IndexSwitch) => &[Yield],
        Some(ExecuteRegion) => &[Yield, Branch, CondBranch, Switch],
        Some(While) => &[Condition, Yield],
        Some(Fusion) => &[FusionYield],
        _ => &[],
    }
}

const fn is_terminator(c: Custom) -> bool {
    use Custom::*;
    matches!(c, Return | Yield | FusionYield | Condition | Branch | CondBranch | Switch)
}

/// Checks the blocks of an operation: how they end, and what must not be in them.
fn placement(module: &Module, id: OpId, problems: &mut Vec<Diagnostic>) {
    let parent = custom(module, id);
    if let Some(c) = parent.filter(|&c| !module.has_anatomy(id, c)) {
        let a = c.anatomy();
        let name = module.op(id).op.row().full_name();
        let range = |(low, high): (usize, usize)| match high {
            usize::MAX => text!("{low} or more", low),
            _ if low == high => low.to_string(),
            _ => text!("{low} to {high}", low, high),
        };
        let d = Diagnostic::new(codes::PARTS, head(module, id), text!("`{name}` has the wrong number of parts", name));
        problems.push(d.legal(text!(
            "operands: {range}; results: {range2}; regions: {range3}; branch targets: {range4}",
            range = range(a.operands),
            range2 = range(a.results),
            range3 = range(a.regions),
            range4 = range(a.successors)
        )));
    }
    for (index, &region) in module.op_regions(id).iter().enumerate() {
        for &block in &module.region(region).blocks {
            block_placement(module, id, parent, index, block, problems);
        }
        single_block(module, id, parent, region, problems);
    }
}

fn block_placement(
    module: &Module,
    id: OpId,
    parent: Option<Custom>,
    region: usize,
    block: BlockId,
    problems: &mut Vec<Diagnostic>,
) {
    let ops = &module.block(block).ops;
    let mut legal = terminators(parent);
    if parent == Some(Custom::While) {
        legal = if region == 0 { &[Custom::Condition] } else { &[Custom::Yield] };
    }
    for (at, &inner) in ops.iter().enumerate() {
        let kind = custom(module, inner);
        let last = at + 1 == ops.len();
        let name = module.op(inner).op.row().full_name();
        match kind {
            Some(k) if is_terminator(k) && !last => {
                let d = Diagnostic::new(
                    codes::NOT_HERE,
                    head(module, inner),
                    text!("`{name}` before the end of its block", name),
                );
                problems.push(d.help(text!("operations after it never run; remove them or move it")));
            }
            Some(k) if is_terminator(k) && !legal.contains(&k) => {
                let outer = module.op(id).op.row().full_name();
                let d = Diagnostic::new(
                    codes::NOT_HERE,
                    head(module, inner),
                    text!("`{name}` cannot end a block of `{outer}`", name, outer),
                );
                problems.push(d);
            }
            Some(Custom::Func | Custom::Module) if !matches!(parent, Some(Custom::Module)) => {
                problems.push(Diagnostic::new(
                    codes::NOT_HERE,
                    head(module, inner),
                    text!("`{name}` inside code", name),
                ));
            }
            Some(Custom::Section) if parent == Some(Custom::Section) => {
                problems.push(Diagnostic::new(
                    codes::NOT_HERE,
                    head(module, inner),
                    text!("a section inside a section"),
                ));
            }
            _ => {}
        }
    }
    let ends = ops.last().and_then(|&o| custom(module, o)).is_some_and(is_terminator);
    if !legal.is_empty() && !ends {
        let end = module.block(block).end;
        let outer = module.op(id).op.row().full_name();
        let wanted = match parent {
            Some(Custom::Func) => "return",
            Some(Custom::Fusion) => "pto.yield",
            _ => "scf.yield",
        };
        let d = Diagnostic::new(
            codes::NO_TERMINATOR,
            Span::new(end, end + 1),
            text!("this block of `{outer}` has no end", outer),
        );
        problems.push(
            d.help(text!("end it with `{wanted}`", wanted)).label(head(module, id), text!("the block belongs to this")),
        );
    }
}

/// Only functions and `scf.execute_region` have more than one block.
fn single_block(module: &Module, id: OpId, parent: Option<Custom>, region: RegionId, problems: &mut Vec<Diagnostic>) {
    let many = module.region(region).blocks.len() > 1;
    if many && !matches!(parent, Some(Custom::Func | Custom::ExecuteRegion)) {
        let name = module.op(id).op.row().full_name();
        problems.push(Diagnostic::new(
            codes::NOT_HERE,
            head(module, id),
            text!("`{name}` has more than one block", name),
        ));
    }
}
