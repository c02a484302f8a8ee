//! The arenas, and how operations get into them.

use crate::{Attr, BlockId, Interner, OpId, RegionId, Spelling, Sym, TypeId, TypeVotes, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::row::{Control, Custom, RegionExtent, Uses};
use pto_isa::{Error, Op, Source, Span, TileType, Type};
use std::ops::Range;
use std::sync::Arc;

/// A whole source file.
#[derive(Clone, Debug)]
pub struct Module {
    /// Names of values, functions, attributes.
    pub names: Interner,
    types: Vec<Type>,
    type_ids: FastMap<Type, TypeId>,
    ops: Vec<OpData>,
    values: Vec<Value>,
    blocks: Vec<Block>,
    regions: Vec<Region>,
    operands: Vec<Operand>,
    attrs: Vec<(Sym, Attr)>,
    region_lists: Vec<RegionId>,
    successors: Vec<Successor>,
    /// The top level: a `module` operation, functions, or bare statements.
    pub top: BlockId,
    /// Comments of the source, in order.
    pub comments: Vec<Comment>,
    /// Names the source gives to types and attributes, in order.
    pub aliases: Vec<Alias>,
    /// How many tile types of the source have each spelling.
    pub type_votes: TypeVotes,
    pub(crate) spellings: FastMap<OpId, Spelling>,
    /// What spans are positions in, if known.
    pub source: Option<Arc<dyn Source>>,
}

/// `!name = type` or `#name = attribute` of the source.
#[derive(Clone, Debug)]
pub struct Alias {
    /// The name with its sigil.
    pub name: Box<str>,
    /// What it stands for: `Attr::Type` for types.
    pub value: Attr,
    /// Where it is defined.
    pub span: Span,
}

/// A comment of the source, with its marker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// Where it stands.
    pub span: Span,
    /// It follows code on its line.
    pub trailing: bool,
    /// Its text.
    pub text: Box<str>,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct OpData {
    /// Which one.
    pub op: Op,
    /// The whole text.
    pub span: Span,
    /// The mnemonic in the text.
    pub name_span: Span,
    /// `loc(…)` of the source, empty where there is none.
    pub location: Sym,
    operands: Range<u32>,
    results: Range<u32>,
    attrs: Range<u32>,
    regions: Range<u32>,
    successors: Range<u32>,
}

/// A use of a value in a slot of the row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// The value.
    pub value: ValueId,
    /// The slot it fills.
    pub slot: u8,
    /// Where it stands.
    pub span: Span,
}

/// A branch target with arguments.
#[derive(Clone, Debug)]
pub struct Successor {
    /// The block.
    pub block: BlockId,
    /// Values for its parameters.
    pub args: Box<[ValueId]>,
    /// Case value of a switch; `None` for plain branches and the default case.
    pub case: Option<i64>,
}

/// A value.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its type.
    pub ty: TypeId,
    /// Its name without `%`; members of a pack are `x#0`, `x#1`.
    pub name: Sym,
    /// What defines it.
    pub def: Def,
    /// The slot of the row it fills, for results.
    pub slot: u8,
    /// Where its name stands.
    pub span: Span,
}

/// What defines a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Def {
    /// The result of an operation at a position.
    Result(OpId, u32),
    /// The argument of a block at a position.
    Arg(BlockId, u32),
    /// Nothing: an error about it was reported.
    Missing,
}

/// A list of operations with parameters.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Parameters.
    pub args: Vec<ValueId>,
    /// Operations in order.
    pub ops: Vec<OpId>,
    /// Its label without `^`, empty for the first block of a region.
    pub label: Option<Sym>,
    /// It is the target of a branch, so its label must be written.
    pub is_target: bool,
    /// Where it ends: the closing brace, or the next label.
    pub end: u32,
}

/// A list of blocks; the first is entered.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Blocks in text order.
    pub blocks: Vec<BlockId>,
}

/// What an operation is made from.
#[derive(Clone, Debug, Default)]
pub struct NewOp {
    /// Operands with their slots.
    pub operands: Vec<Operand>,
    /// Attributes by canonical name.
    pub attrs: Vec<(Sym, Attr)>,
    /// Regions.
    pub regions: Vec<RegionId>,
    /// Branch targets.
    pub successors: Vec<Successor>,
    /// Types, names and slots of the results.
    pub results: Vec<(TypeId, Sym, u8, Span)>,
    /// The whole text.
    pub span: Span,
    /// The mnemonic.
    pub name_span: Span,
}

impl Default for Module {
    fn default() -> Self {
        let mut this = Self {
            names: Interner::default(),
            types: Vec::new(),
            type_ids: FastMap::default(),
            ops: Vec::new(),
            values: Vec::new(),
            blocks: Vec::new(),
            regions: Vec::new(),
            operands: Vec::new(),
            attrs: Vec::new(),
            region_lists: Vec::new(),
            successors: Vec::new(),
            top: BlockId::new(0),
            comments: Vec::new(),
            aliases: Vec::new(),
            type_votes: TypeVotes::default(),
            spellings: FastMap::default(),
            source: None,
        };
        this.intern_type(Type::Unknown);
        this.top = this.new_block();
        this
    }
}

fn extend<T>(pool: &mut Vec<T>, items: impl IntoIterator<Item = T>) -> Range<u32> {
    let start = pool.len() as u32;
    pool.extend(items);
    start..pool.len() as u32
}

#[inline]
fn range(r: &Range<u32>) -> Range<usize> {
    r.start as usize..r.end as usize
}

impl Module {
    /// Moves the spans of operations, operands and values, for a program that gets another source.
    pub fn map_spans(&mut self, moved: impl Fn(Span) -> Span) {
        for op in &mut self.ops {
            (op.span, op.name_span) = (moved(op.span), moved(op.name_span));
        }
        self.operands.iter_mut().for_each(|operand| operand.span = moved(operand.span));
        self.values.iter_mut().for_each(|value| value.span = moved(value.span));
    }

    /// Diagnostics about this program as an error with its source.
    pub fn error(&self, problems: impl Into<Error>) -> Error {
        problems.into().with_source(self.source.clone())
    }

    /// The id of a type, made on first use.
    pub fn intern_type(&mut self, ty: Type) -> TypeId {
        if let Some(id) = self.type_ids.get(&ty) {
            return *id;
        }
        let id = TypeId::new(self.types.len());
        self.types.push(ty.clone());
        self.type_ids.insert(ty, id);
        id
    }

    /// The id of a type that was used.
    pub fn type_id(&self, ty: &Type) -> Option<TypeId> {
        self.type_ids.get(ty).copied()
    }

    /// A type.
    #[inline]
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.index()]
    }

    /// All types, by id.
    pub fn types(&self) -> &[Type] {
        &self.types
    }

    /// An operation.
    #[inline]
    pub fn op(&self, id: OpId) -> &OpData {
        &self.ops[id.index()]
    }

    /// How many operations there are.
    pub fn op_count(&self) -> usize {
        self.ops.len()
    }

    /// How many values there are.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// A value.
    #[inline]
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    /// A value, to change.
    pub fn value_mut(&mut self, id: ValueId) -> &mut Value {
        &mut self.values[id.index()]
    }

    /// The type of a value.
    #[inline]
    pub fn value_type(&self, id: ValueId) -> &Type {
        self.ty(self.value(id).ty)
    }

    /// The name of a value without `%`.
    pub fn value_name(&self, id: ValueId) -> &str {
        self.names.text(self.value(id).name)
    }

    /// A block.
    #[inline]
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// A block, to change.
    pub fn block_mut(&mut self, id: BlockId) -> &mut Block {
        &mut self.blocks[id.index()]
    }

    /// A region.
    #[inline]
    pub fn region(&self, id: RegionId) -> &Region {
        &self.regions[id.index()]
    }

    /// A region, to change.
    pub fn region_mut(&mut self, id: RegionId) -> &mut Region {
        &mut self.regions[id.index()]
    }

    /// Operands of an operation.
    #[inline]
    pub fn operands(&self, id: OpId) -> &[Operand] {
        &self.operands[range(&self.op(id).operands)]
    }

    /// Results of an operation.
    #[inline]
    pub fn results(&self, id: OpId) -> impl ExactSizeIterator<Item = ValueId> + Clone + use<> {
        let Range { start, end } = self.op(id).results.clone();
        (start as usize..end as usize).map(ValueId::new)
    }

    /// Attributes of an operation.
    #[inline]
    pub fn attrs(&self, id: OpId) -> &[(Sym, Attr)] {
        &self.attrs[range(&self.op(id).attrs)]
    }

    /// The attribute of this name.
    pub fn attr(&self, id: OpId, name: &str) -> Option<&Attr> {
        // An operation has few attributes, if any: comparing is faster than looking the name up.
        self.attrs(id).iter().find(|(n, _)| self.names.text(*n) == name).map(|(_, a)| a)
    }

    /// Regions of an operation.
    #[inline]
    pub fn op_regions(&self, id: OpId) -> &[RegionId] {
        &self.region_lists[range(&self.op(id).regions)]
    }

    /// Branch targets of an operation.
    #[inline]
    pub fn successors(&self, id: OpId) -> &[Successor] {
        &self.successors[range(&self.op(id).successors)]
    }

    /// The operands in one slot.
    #[inline]
    pub fn in_slot(&self, id: OpId, slot: usize) -> impl Iterator<Item = &Operand> {
        self.operands(id).iter().filter(move |o| usize::from(o.slot) == slot)
    }

    /// The tile type of a value.
    #[inline]
    pub fn tile(&self, id: ValueId) -> Option<&TileType> {
        self.value_type(id).tile()
    }

    /// The source of the valid rows and columns of a destination, by the row of its operation; `given` is true for slots
    /// whose operand has a region.
    pub fn region_extents(
        &self,
        id: OpId,
        result: ValueId,
        given: &dyn Fn(usize) -> bool,
    ) -> [Option<RegionExtent>; 2] {
        let row = self.op(id).op.row();
        let own = usize::from(self.value(result).slot);
        let tile = |slot: usize| match self.in_slot(id, slot).next() {
            Some(operand) if slot != own => self.tile(operand.value).copied(),
            _ => {
                self.results(id).find(|v| usize::from(self.value(*v).slot) == slot).and_then(|v| self.tile(v).copied())
            }
        };
        let text = |s| self.names.text(s);
        let attr = |name: &str| self.attr(id, name).map(|a| a.for_rules(text));
        row.extents(own, &Uses { row, given, tile: &tile, attr: &attr })
    }

    /// True when a tile instruction stands in the value form: its destinations are results.
    pub fn is_value_form(&self, id: OpId) -> bool {
        let row = self.op(id).op.row();
        // A loop may have very many results, and code asks for each of them.
        row.has_result_slots() && self.results(id).any(|v| usize::from(self.value(v).slot) < row.slots.len())
    }

    /// True when an operation has as many parts as its grammar can write.
    pub fn has_anatomy(&self, id: OpId, custom: Custom) -> bool {
        let a = custom.anatomy();
        let within = |n: usize, (low, high): (usize, usize)| low <= n && n <= high;
        within(self.operands(id).len(), a.operands)
            && within(self.results(id).len(), a.results)
            && within(self.op_regions(id).len(), a.regions)
            && within(self.successors(id).len(), a.successors)
    }

    /// A new, empty block.
    pub fn new_block(&mut self) -> BlockId {
        self.blocks.push(Block::default());
        BlockId::new(self.blocks.len() - 1)
    }

    /// A new region with these blocks.
    pub fn new_region(&mut self, blocks: Vec<BlockId>) -> RegionId {
        self.regions.push(Region { blocks });
        RegionId::new(self.regions.len() - 1)
    }

    /// A new parameter of a block.
    pub fn add_arg(&mut self, block: BlockId, ty: TypeId, name: Sym, span: Span) -> ValueId {
        let at = self.block(block).args.len() as u32;
        let id = self.new_value(Value { ty, name, def: Def::Arg(block, at), slot: 0, span });
        self.block_mut(block).args.push(id);
        id
    }

    /// A value without a definition; the parser resolves it or reports it.
    pub fn new_value(&mut self, value: Value) -> ValueId {
        self.values.push(value);
        ValueId::new(self.values.len() - 1)
    }

    /// Makes an operation; it is not in a block yet.
    pub fn new_op(&mut self, op: Op, new: NewOp) -> OpId {
        let id = OpId::new(self.ops.len());
        let first = self.values.len() as u32;
        for (at, (ty, name, slot, span)) in new.results.into_iter().enumerate() {
            self.new_value(Value { ty, name, def: Def::Result(id, at as u32), slot, span });
        }
        let data = OpData {
            op,
            span: new.span,
            name_span: new.name_span,
            location: Sym::EMPTY,
            operands: extend(&mut self.operands, new.operands),
            results: first..self.values.len() as u32,
            attrs: extend(&mut self.attrs, new.attrs),
            regions: extend(&mut self.region_lists, new.regions),
            successors: extend(&mut self.successors, new.successors),
        };
        self.ops.push(data);
        id
    }

    /// Makes an operation and puts it at the end of a block.
    pub fn append(&mut self, block: BlockId, op: Op, new: NewOp) -> OpId {
        let id = self.new_op(op, new);
        self.block_mut(block).ops.push(id);
        id
    }

    /// Adds an operand to an operation, after those of the same slot and of earlier slots.
    pub fn add_operand(&mut self, id: OpId, operand: Operand) {
        // The source does not spell the new operand.
        self.spellings.remove(&id);
        let mut all = self.operands(id).to_vec();
        let at = all.partition_point(|o| o.slot <= operand.slot);
        all.insert(at, operand);
        self.ops[id.index()].operands = extend(&mut self.operands, all);
    }

    /// Replaces an operand of an operation.
    pub fn set_operand(&mut self, id: OpId, at: usize, value: ValueId) {
        let range = range(&self.op(id).operands);
        if let Some(operand) = self.operands[range].get_mut(at) {
            operand.value = value;
        }
    }

    /// Replaces all operands of an operation; they are sorted by slot.
    pub fn set_operands(&mut self, id: OpId, operands: Vec<Operand>) {
        self.spellings.remove(&id);
        self.ops[id.index()].operands = extend(&mut self.operands, operands);
    }

    /// Removes an attribute of an operation.
    pub fn remove_attr(&mut self, id: OpId, name: Sym) {
        let mut all = self.attrs(id).to_vec();
        all.retain(|(n, _)| *n != name);
        self.ops[id.index()].attrs = extend(&mut self.attrs, all);
    }

    /// Sets an attribute of an operation.
    pub fn set_attr(&mut self, id: OpId, name: Sym, value: Attr) {
        let mut all = self.attrs(id).to_vec();
        all.retain(|(n, _)| *n != name);
        all.push((name, value));
        self.ops[id.index()].attrs = extend(&mut self.attrs, all);
    }

    /// Sets the span of the mnemonic of an operation, for messages.
    pub fn set_name_span(&mut self, id: OpId, span: Span) {
        self.ops[id.index()].name_span = span;
    }

    /// Sets the `loc(…)` of an operation.
    pub fn set_location(&mut self, id: OpId, text: Sym) {
        self.ops[id.index()].location = text;
    }

    /// Replaces uses of values everywhere: resolves forward references.
    pub fn resolve_uses(&mut self, map: &FastMap<ValueId, ValueId>) {
        let swap = |v: &mut ValueId| {
            if let Some(new) = map.get(v) {
                *v = *new;
            }
        };
        self.operands.iter_mut().for_each(|o| swap(&mut o.value));
        self.successors.iter_mut().flat_map(|s| s.args.iter_mut()).for_each(swap);
    }

    /// Visits every operation below a block, outer before inner, in text order.
    pub fn walk(&self, block: BlockId, visit: &mut dyn FnMut(OpId)) {
        for &op in &self.block(block).ops {
            visit(op);
            for &region in self.op_regions(op) {
                for &inner in &self.region(region).blocks {
                    self.walk(inner, visit);
                }
            }
        }
    }

    /// Visits every operation inside another, outer before inner, in text order.
    pub fn walk_inside(&self, id: OpId, visit: &mut dyn FnMut(OpId)) {
        for block in self.op_regions(id).iter().flat_map(|r| &self.region(*r).blocks) {
            self.walk(*block, visit);
        }
    }

    /// Every block of the program, outer before inner, in text order.
    pub fn all_blocks(&self) -> Vec<BlockId> {
        let mut blocks = vec![self.top];
        self.walk(self.top, &mut |op| {
            blocks.extend(self.op_regions(op).iter().flat_map(|r| &self.region(*r).blocks));
        });
        blocks
    }

    /// The operation around each block, but for the top level.
    pub fn owners(&self) -> FastMap<BlockId, OpId> {
        let mut owners = FastMap::default();
        self.walk(self.top, &mut |op| {
            owners.extend(self.op_regions(op).iter().flat_map(|r| &self.region(*r).blocks).map(|b| (*b, op)));
        });
        owners
    }

    /// Every operation of the program, outer before inner, in text order.
    pub fn order(&self) -> Vec<OpId> {
        let mut order = Vec::with_capacity(self.ops.len());
        self.walk(self.top, &mut |id| order.push(id));
        order
    }

    /// All operations that have a symbol name and a body or declaration: the functions, in text order.
    pub fn functions(&self) -> Vec<OpId> {
        let mut found = Vec::new();
        self.walk(self.top, &mut |op| {
            if self.control(op) == Some(Control::Function) {
                found.push(op);
            }
        });
        found
    }
}
