//! Converts tile values to buffers.
//!
//! Every value gets its own buffer, except that what a loop or a branch yields is computed in place: a carried tile is one buffer for
//! all iterations, and all sides of a branch fill the same one. If a value cannot be computed there (it is used afterwards, or the
//! instruction must not overwrite its operands), it is copied.
//!
//! A buffer with an open valid region gets it from the operands that the row of the instruction names, whenever it is
//! written.

mod anew;
mod control;
mod lost;
mod origins;
mod regions;
mod rounds;
mod timeline;
mod uses;
mod windows;

use anew::{Ways, all_contents, are_needed};
use lost::{losing_loops, other_names};
use pto_isa::hash::FastMap;
use pto_isa::sort::SharedSort;
use pto_isa::text;
use rounds::is_made_early;

use crate::{BlockId, Module, Names, NewOp, OpId, Operand, Sym, ValueId, ViewLayouts};
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::Control;
use pto_isa::{Diagnostic, Dim, Error, Loc, Span, Targets, TileType, Type, codes};

/// Writes tile values as buffers, legal on all of some targets.
///
/// ```
/// use pto_ir::{Module, buffers::to_buffers};
/// use pto_isa::Targets;
///
/// assert!(to_buffers(&Module::default(), Targets::ALL).is_ok());
/// ```
///
/// # Errors
/// What has no buffer form: tiles that functions return, copies that no instruction makes, valid regions that follow from nothing.
pub fn to_buffers(module: &Module, targets: Targets) -> Result<Module, Error> {
    let ways = Ways::of(module);
    let contents = all_contents(module, targets, &ways);
    let early: Vec<OpId> = module.order().into_iter().filter(|id| is_made_early(module, targets, &ways, *id)).collect();
    if early.is_empty() && !are_needed(module, &contents) {
        return Ok(module.clone());
    }
    let mut this = BufferPass {
        targets,
        out: module.clone(),
        buffers: FastMap::default(),
        wanted: OrdMap::new(),
        losing: losing_loops(module, &contents),
        others: other_names(module, &contents),
        contents,
        names: Names::new(module),
        asked: None,
        uses: uses(module),
        layouts: ViewLayouts::new(module),
        dropped: Vec::new(),
        problems: Vec::new(),
    };
    for id in early {
        this.refuse(
            id,
            text!(
                "its blocks pass on a buffer that they create, and create it again while the old one is still in use"
            ),
        );
    }
    this.block(module.top);
    let last = this.buffers.keys().map(|value| (*value, this.now(*value))).collect();
    this.out.resolve_uses(&last);
    if this.problems.is_empty() { Ok(this.out) } else { Err(module.error(this.problems)) }
}

struct BufferPass {
    targets: Targets,
    out: Module,
    /// The current replacement of each value.
    buffers: FastMap<ValueId, ValueId>,
    /// The buffer in which a value is to be computed.
    wanted: OrdMap<ValueId, ValueId>,
    /// Buffers that stand for their contents.
    contents: OrdSet<ValueId>,
    /// The values that a value may be an alias of.
    others: OrdMap<ValueId, OrdSet<ValueId>>,
    /// Loops that would lose a write.
    losing: OrdSet<OpId>,
    names: Names,
    /// The tile or view whose region was requested last, and the result.
    asked: Option<(OpId, ValueId, ValidRegion)>,
    /// Layouts of views.
    layouts: ViewLayouts,
    /// The number of uses of each value.
    uses: FastMap<ValueId, usize>,
    /// Uses that end with the enclosing blocks, innermost last.
    dropped: Vec<Vec<ValueId>>,
    problems: Vec<Diagnostic>,
}

fn uses(module: &Module) -> FastMap<ValueId, usize> {
    let mut uses = FastMap::default();
    for operand in module.order().iter().flat_map(|id| module.operands(*id)) {
        *uses.entry(operand.value).or_default() += 1;
    }
    uses
}

/// Rows and columns.
type ValidRegion = (ValueId, ValueId);

impl BufferPass {
    fn block(&mut self, block: BlockId) {
        let mut ops = Vec::new();
        self.dropped.push(Vec::new());
        for id in self.out.block(block).ops.clone() {
            self.op(id, &mut ops);
        }
        self.out.block_mut(block).ops = ops;
        for value in self.dropped.pop().unwrap_or_default() {
            self.lose_use(value);
        }
    }

    fn lose_use(&mut self, value: ValueId) {
        if let Some(count) = self.uses.get_mut(&value) {
            *count = count.saturating_sub(1);
        }
    }

    fn op(&mut self, id: OpId, ops: &mut Vec<OpId>) {
        let regions = self.out.op_regions(id).to_vec();
        if regions.is_empty() && self.out.is_value_form(id) {
            return self.instruction(id, ops);
        }
        if self.losing.contains(&id) {
            self.refuse(
                id,
                text!("every iteration creates a buffer and yields it, so that the loop carries copies, and what is written to a copy or to the \
                 buffer it was made from is used under the other's name"),
            );
        }
        let args =
            regions.iter().flat_map(|r| self.out.region(*r).blocks.first()).flat_map(|b| &self.out.block(*b).args);
        let carries = self.out.results(id).chain(args.copied()).any(|v| self.is_value(v));
        match self.out.control(id) {
            Some(Control::For) if carries => self.carrying_loop(id, ops),
            Some(Control::While) if carries => self.conditional(id, ops),
            Some(Control::If | Control::IndexSwitch | Control::Execute | Control::Fusion) if carries => {
                self.branched(id, ops);
            }
            _ => {
                if self.out.results(id).any(|v| self.is_value(v)) {
                    self.refuse(id, text!("its tiles have no buffer form here"));
                }
                for region in regions {
                    self.out.region(region).blocks.clone().into_iter().for_each(|b| self.block(b));
                }
                ops.push(id);
            }
        }
    }

    /// These have one use less after the block that is being converted.
    fn drop_uses(&mut self, values: impl Iterator<Item = ValueId>) {
        if let Some(dropped) = self.dropped.last_mut() {
            dropped.extend(values);
        }
    }

    fn is_value(&self, value: ValueId) -> bool {
        matches!(self.out.value_type(value), Type::Tile(_)) || self.contents.contains(&value)
    }

    fn refuse(&mut self, id: OpId, why: &str) {
        self.refuse_with(id, why, text!("write it with `pto.alloc_tile` and `outs(…)` yourself"));
    }

    fn refuse_with(&mut self, id: OpId, why: &str, help: &str) {
        let data = self.out.op(id);
        let message = text!("`{data}` cannot be written with buffers: {why}", data = data.op.row().name, why);
        self.problems.push(Diagnostic::new(codes::NOT_INFERRED, data.span, message).help(help));
    }

    /// The current name of a value, through all replacements.
    fn now(&self, mut value: ValueId) -> ValueId {
        while let Some(next) = self.buffers.get(&value) {
            value = *next;
        }
        value
    }

    // ---- instructions -----------------------------------------------------------------------------------------------

    fn instruction(&mut self, id: OpId, ops: &mut Vec<OpId>) {
        let data = self.out.op(id).clone();
        let row = data.op.row();
        let mut operands: Vec<Operand> = self.out.operands(id).to_vec();
        let mut kept = Vec::new();
        let mut old = Vec::new();
        for value in self.out.results(id) {
            let result = self.out.value(value).clone();
            if usize::from(result.slot) >= row.slots.len() {
                kept.push((result.ty, result.name, result.slot, result.span));
                old.push(value);
                continue;
            }
            let buffer = match self.wanted.get(&value).copied() {
                Some(buffer) => self.resized(id, value, buffer, ops),
                None => self.allocate(id, value, ops),
            };
            // The operand that it changes is given: the result is a copy of it.
            let given = operands.iter().position(|o| o.slot == result.slot).map(|at| operands.remove(at));
            self.drop_uses(given.iter().map(|o| o.value));
            if let Some(given) = given.map(|o| self.now(o.value)).filter(|from| *from != buffer) {
                self.copy(id, given, buffer, ops);
            }
            self.buffers.insert(value, buffer);
            operands.push(Operand { value: buffer, slot: result.slot, span: result.span });
        }
        operands.shared_sort_by_key(|o| o.slot);
        let spelling = self.out.spelling_with_buffers(id, &operands);
        let attrs = self.out.attrs(id).to_vec();
        let new =
            NewOp { operands, attrs, results: kept, span: data.span, name_span: data.name_span, ..NewOp::default() };
        let new = self.out.new_op(data.op, new);
        self.out.set_spelling(new, spelling);
        self.out.set_location(new, data.location);
        self.buffers.extend(old.into_iter().zip(self.out.results(new)));
        ops.push(new);
    }

    /// A buffer for the result of an instruction.
    fn allocate(&mut self, id: OpId, value: ValueId, ops: &mut Vec<OpId>) -> ValueId {
        let Some(tile) = self.out.tile(value).copied() else { return value };
        let extents = if is_open(&tile) { self.extents(id, value, false, ops) } else { None };
        let name = self.out.value(value).name;
        self.new_tile(tile, name, self.place(id), extents, ops)
    }

    /// A buffer for a value, with the valid region of the value.
    fn resized(&mut self, id: OpId, value: ValueId, buffer: ValueId, ops: &mut Vec<OpId>) -> ValueId {
        let same = self.like(id, value).is_some_and(|like| self.now(like) == buffer);
        if self.out.tile(buffer).is_some_and(is_open)
            && !same
            && let Some(extents) = self.extents(id, value, true, ops)
        {
            self.set_extents(id, buffer, extents, ops);
        }
        buffer
    }

    /// The span before an operation.
    fn place(&self, id: OpId) -> Span {
        let start = self.out.op(id).span.start;
        Span::new(start, start)
    }

    fn new_tile(
        &mut self,
        tile: TileType,
        name: Sym,
        span: Span,
        extents: Option<ValidRegion>,
        ops: &mut Vec<OpId>,
    ) -> ValueId {
        let mut operands = Vec::new();
        let given = extents.map_or([None, None], |(r, c)| [Some(r), Some(c)]);
        for ((slot, dim), value) in
            [("valid_row", tile.valid_rows), ("valid_col", tile.valid_cols)].into_iter().zip(given)
        {
            if let (Dim::Dynamic, Some(value)) = (dim, value) {
                operands.push((slot, value));
            }
        }
        let id = self.out.new_tile(tile, name, span, &operands);
        ops.push(id);
        self.out.results(id).next().unwrap_or_else(|| ValueId::from_index(0))
    }

    fn fresh(&mut self, base: &str) -> Sym {
        self.names.fresh(&mut self.out, base)
    }

    /// Copies a tile, with its valid region if that may differ.
    fn copy(&mut self, id: OpId, from: ValueId, to: ValueId, ops: &mut Vec<OpId>) {
        if self.out.value_type(to).local_tile().is_some_and(|t| t.loc != Loc::Vec) {
            self.refuse(id, text!("it would have to copy a tile, which is possible in the vector memory only"));
        }
        if self.out.tile(to).is_some_and(is_open) {
            let extents = self.extents_of(id, from, ops);
            self.set_extents(id, to, extents, ops);
        }
        let span = self.place(id);
        ops.push(self.out.new_copy(from, to, span));
    }
}

/// True when the valid region is known only at run time.
fn is_open(tile: &TileType) -> bool {
    tile.valid_rows == Dim::Dynamic || tile.valid_cols == Dim::Dynamic
}
