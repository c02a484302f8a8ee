//! The structure of the text: what is around a statement, and where a statement can go so that it executes equally often.

use pto_ir::{Attr, BlockId, Def, Module, OpId, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::row::{Arith, Control, CoreKind, CoreQuery, Meaning, SyncOp};
use pto_isa::{Family, Span};

/// The structure of a program, computed once.
#[derive(Debug)]
pub(crate) struct ProgramText<'a> {
    module: &'a Module,
    /// The block of each operation, and its position there.
    places: FastMap<OpId, (BlockId, usize)>,
    owners: FastMap<BlockId, OpId>,
    /// The only call of a function.
    calls: FastMap<OpId, Option<OpId>>,
}

/// Two statements, seen from the innermost block around both.
#[derive(Clone, Debug)]
pub(crate) struct StatementPair {
    pub block: BlockId,
    /// From the statement of that block down to the first statement, and to the second.
    pub first: Vec<OpId>,
    pub second: Vec<OpId>,
}

impl StatementPair {
    /// The statements of the block around both that contain them.
    pub fn ends(&self) -> (OpId, OpId) {
        (self.first[0], self.second[0])
    }
}

impl<'a> ProgramText<'a> {
    pub fn new(module: &'a Module) -> Self {
        let mut places = FastMap::default();
        for block in module.all_blocks() {
            let ops = module.block(block).ops.iter().enumerate();
            places.extend(ops.map(|(at, id)| (*id, (block, at))));
        }
        let mut calls: FastMap<OpId, Option<OpId>> = FastMap::default();
        for (call, function) in module.calls() {
            calls.entry(function).and_modify(|only| *only = None).or_insert(Some(call));
        }
        Self { module, places, owners: module.owners(), calls }
    }

    pub fn span(&self, id: OpId) -> Span {
        self.module.op(id).span
    }

    pub fn block_of(&self, id: OpId) -> Option<BlockId> {
        self.places.get(&id).map(|(block, _)| *block)
    }

    /// The operation that a block belongs to.
    pub fn owner(&self, block: BlockId) -> Option<OpId> {
        self.owners.get(&block).copied()
    }

    /// True for a function that no other one calls.
    pub fn is_entry(&self, function: OpId) -> bool {
        !self.calls.contains_key(&function)
    }

    /// The operation around another.
    pub fn parent(&self, id: OpId) -> Option<OpId> {
        self.owners.get(&self.block_of(id)?).copied()
    }

    /// The statements around one, innermost first, up to the function; with itself.
    pub fn around(&self, id: OpId) -> Vec<OpId> {
        let parents = std::iter::successors(Some(id), |at| self.parent(*at));
        parents.take_while(|at| self.module.control(*at) != Some(Control::Function)).collect()
    }

    pub fn function(&self, id: OpId) -> Option<OpId> {
        std::iter::successors(Some(id), |at| self.parent(*at))
            .find(|at| self.module.control(*at) == Some(Control::Function))
    }

    /// The statement itself, or the calls that lead to it, while there is only one.
    fn through_calls(&self, id: OpId) -> Vec<OpId> {
        let call = |at: &OpId| self.function(*at).and_then(|f| self.calls.get(&f).copied().flatten());
        std::iter::successors(Some(id), call).take(64).collect()
    }

    /// Two statements of one function, or the calls in it that lead to them.
    pub fn pair(&self, first: OpId, second: OpId) -> Option<StatementPair> {
        let (a, b) = (self.through_calls(first), self.through_calls(second));
        let together = |x: &&OpId| b.iter().any(|y| self.function(**x) == self.function(*y));
        let a = *a.iter().find(together)?;
        let b = *b.iter().find(|y| self.function(**y) == self.function(a))?;
        self.pair_in_function(a, b)
    }

    fn pair_in_function(&self, a: OpId, b: OpId) -> Option<StatementPair> {
        let (mut a, mut b) = (self.around(a), self.around(b));
        a.reverse();
        b.reverse();
        let block = |list: &[OpId], at: usize| list.get(at).and_then(|id| self.block_of(*id));
        let depth = (0..a.len().min(b.len())).take_while(|k| block(&a, *k) == block(&b, *k)).last()?;
        Some(StatementPair { block: block(&a, depth)?, first: a.split_off(depth), second: b.split_off(depth) })
    }

    /// True when a value is computed before a statement, in its block or in one around it.
    pub fn is_known_at(&self, value: ValueId, at: OpId) -> bool {
        let around = self.around(at);
        match self.module.value(value).def {
            Def::Result(id, _) => {
                around.iter().any(|a| self.block_of(*a) == self.block_of(id) && self.position(id) < self.position(*a))
            }
            Def::Arg(block, _) => around.iter().any(|a| self.block_of(*a) == Some(block)),
            Def::Missing => false,
        }
    }

    /// Where a statement stands in its block.
    pub fn position(&self, id: OpId) -> usize {
        self.places.get(&id).map_or(0, |(_, at)| *at)
    }

    /// The innermost loop around a block. `None` if a section for one kind of core lies in between: the other kind would execute what is
    /// put outside.
    pub fn loop_around(&self, block: BlockId) -> Option<OpId> {
        let mut at = self.owners.get(&block).copied();
        while let Some(id) = at {
            match self.module.control(id) {
                Some(Control::For | Control::While) => return Some(id),
                Some(Control::If | Control::Execute | Control::IndexSwitch) => at = self.parent(id),
                _ => return None,
            }
        }
        None
    }

    pub fn is_loop(&self, id: OpId) -> bool {
        self.module.control(id).is_some_and(Control::is_loop)
    }

    pub fn is_section(&self, id: OpId) -> bool {
        matches!(self.module.control(id), Some(Control::Section(_)))
    }

    /// True if only cube cores execute a statement, false if only vector cores do; `None` if the text does not say.
    pub fn is_for_cube(&self, id: OpId) -> Option<bool> {
        let around = self.through_calls(id).into_iter().flat_map(|at| self.around(at));
        around.filter_map(|at| self.module.control(at)).find_map(|is| match is {
            Control::Section(core) => Some(core == CoreKind::Cube),
            _ => None,
        })
    }

    /// The statement with a span.
    pub fn at(&self, span: Span) -> Option<OpId> {
        let is = |id: &OpId| self.span(*id) == span || self.module.op(*id).name_span == span;
        self.places.keys().copied().filter(is).min()
    }

    /// True when every core of a kind executes a block equally often: nothing around it depends on more than the arguments.
    pub fn is_uniform(&self, block: BlockId) -> bool {
        let (mut at, mut block) = (self.owners.get(&block).copied(), block);
        while let Some(id) = at {
            // To other blocks, branches lead.
            let mut regions = self.module.op_regions(id).iter();
            if !regions.any(|r| self.module.region(*r).blocks.first() == Some(&block)) {
                return false;
            }
            match self.module.control(id) {
                Some(Control::Function) => return true,
                Some(Control::Section(CoreKind::Cube) | Control::Section(CoreKind::Vector) | Control::Execute) => {}
                Some(Control::For) if self.bounds(id).into_iter().all(|v| self.is_fixed(v)) => {}
                _ => return false,
            }
            let Some(outer) = self.block_of(id) else { return true };
            (at, block) = (self.parent(id), outer);
        }
        true
    }

    /// True for constants, parameters of the entry, the number of cores, and values computed from them.
    fn is_fixed(&self, value: ValueId) -> bool {
        self.is_fixed_within(value, 64)
    }

    fn is_fixed_within(&self, value: ValueId, depth: usize) -> bool {
        match self.module.value(value).def {
            Def::Result(id, _) => match self.module.meaning(id) {
                Meaning::Arith(Arith::Constant) | Meaning::Query(CoreQuery::BlockCount | CoreQuery::SubblockCount) => {
                    true
                }
                _ if self.module.op(id).op.row().family == Family::Arith && depth > 0 => {
                    self.module.operands(id).iter().all(|o| self.is_fixed_within(o.value, depth / 2))
                }
                _ => false,
            },
            Def::Arg(block, _) => self
                .owners
                .get(&block)
                .is_some_and(|id| self.module.control(*id) == Some(Control::Function) && !self.calls.contains_key(id)),
            _ => false,
        }
    }

    fn bounds(&self, id: OpId) -> Vec<ValueId> {
        self.module.operands(id).iter().take(3).map(|o| o.value).collect()
    }

    /// Two loops with the same bounds.
    pub fn same_loops(&self, a: OpId, b: OpId) -> bool {
        let counted = |id: OpId| self.module.control(id) == Some(Control::For);
        let same = |x: &ValueId, y: &ValueId| x == y || self.constant(*x).is_some_and(|n| self.constant(*y) == Some(n));
        counted(a) && counted(b) && self.bounds(a).iter().zip(&self.bounds(b)).all(|(x, y)| same(x, y))
    }

    fn constant(&self, value: ValueId) -> Option<i64> {
        let Def::Result(id, _) = self.module.value(value).def else { return None };
        let constant = self.module.arith(id) == Some(Arith::Constant);
        constant.then(|| self.module.attr(id, "value").and_then(Attr::int)).flatten()
    }

    /// A statement, or the one after it that writes its stores back from the data cache.
    pub fn written_back(&self, id: OpId) -> OpId {
        let Some((block, position)) = self.places.get(&id) else { return id };
        let behind = &self.module.block(*block).ops[position + 1..];
        let writes_back = |at: &&OpId| matches!(self.module.sync(**at), Some(SyncOp::CleanCache | SyncOp::Fence));
        behind.iter().take_while(writes_back).last().copied().unwrap_or(id)
    }

    /// Statements after one, in its block and in those around it, in the order of execution.
    pub fn behind(&self, id: OpId) -> Vec<OpId> {
        let mut all = Vec::new();
        for at in self.around(id) {
            let Some((block, position)) = self.places.get(&at) else { continue };
            all.extend(&self.module.block(*block).ops[position + 1..]);
        }
        all
    }

    /// Statements before one, in its block and in those around it.
    pub fn ahead(&self, id: OpId) -> Vec<OpId> {
        let mut all = Vec::new();
        for at in self.around(id) {
            let Some((block, position)) = self.places.get(&at) else { continue };
            all.extend(&self.module.block(*block).ops[..*position]);
        }
        all
    }
}
