//! Loops and branches that yield tiles.

use super::anew::reached;
use super::{BufferPass, ValidRegion, is_open};
use crate::{BlockId, Def, NewOp, OpId, Operand, Sym, ValueId};
use pto_isa::row::Storage;
use pto_isa::text;
use pto_isa::{Dim, TileType, Type};

impl BufferPass {
    // ---- loops ------------------------------------------------------------------------------------------------------

    /// A loop that carries tiles: each is one buffer.
    pub(super) fn carrying_loop(&mut self, id: OpId, ops: &mut Vec<OpId>) {
        const BOUNDS: usize = 3;
        let results: Vec<ValueId> = self.out.results(id).collect();
        let inits: Vec<ValueId> = self.out.operands(id).iter().skip(BOUNDS).map(|o| o.value).collect();
        let [body] = self.blocks(id)[..] else { return self.refuse(id, text!("it does not have one block")) };
        let (args, yields) = (self.out.block(body).args.clone(), self.yields(body));
        if args.len() != results.len() + 1 || inits.len() != results.len() || yields.len() != results.len() {
            return self.refuse(id, text!("its values do not fit together"));
        }
        let carried: Vec<usize> = (0..results.len()).filter(|k| self.is_value(results[*k])).collect();
        for &k in &carried {
            let arg = args[k + 1];
            let buffer = self.carried_buffer(id, inits[k], arg, ops);
            self.buffers.insert(arg, buffer);
            self.buffers.insert(results[k], buffer);
            self.want(yields[k], Some(arg), buffer, body, &yields);
        }
        self.block(body);
        let handed: Vec<(ValueId, ValueId)> =
            carried.iter().map(|&k| (self.now(yields[k]), self.now(results[k]))).collect();
        self.hand_on(body, &handed);
        self.drop_yields(body, &carried);
        self.drop_args(body, &carried.iter().map(|k| k + 1).collect::<Vec<_>>());
        let new = self.without(id, &carried, &carried.iter().map(|k| k + BOUNDS).collect::<Vec<_>>());
        ops.push(new);
    }

    /// A loop with a condition: a buffer for each carried tile, and one for each that the condition passes and that is
    /// not one of those.
    pub(super) fn conditional(&mut self, id: OpId, ops: &mut Vec<OpId>) {
        let results: Vec<ValueId> = self.out.results(id).collect();
        let inits: Vec<ValueId> = self.out.operands(id).iter().map(|o| o.value).collect();
        let [before, after] = self.blocks(id)[..] else { return self.refuse(id, text!("it does not have two blocks")) };
        let (args, params) = (self.out.block(before).args.clone(), self.out.block(after).args.clone());
        // The first operand is the condition.
        let passed: Vec<ValueId> = self.yields(before).into_iter().skip(1).collect();
        let yields = self.yields(after);
        if inits.len() != args.len()
            || yields.len() != args.len()
            || passed.len() != results.len()
            || params.len() != results.len()
        {
            return self.refuse(id, text!("its values do not fit together"));
        }
        let round: Vec<usize> = (0..args.len()).filter(|k| self.is_value(args[*k])).collect();
        for &k in &round {
            let buffer = self.carried_buffer(id, inits[k], args[k], ops);
            self.buffers.insert(args[k], buffer);
        }
        let through: Vec<usize> = (0..results.len()).filter(|k| self.is_value(results[*k])).collect();
        let mut unchanged = vec![None; args.len()];
        for &k in &through {
            let own = args.iter().position(|arg| *arg == passed[k]).filter(|arg| unchanged[*arg].is_none());
            let buffer = match own {
                Some(arg) => {
                    unchanged[arg] = Some(params[k]);
                    self.now(args[arg])
                }
                None => {
                    let buffer = self.handed_buffer(id, results[k], ops);
                    self.want(passed[k], None, buffer, before, &passed);
                    buffer
                }
            };
            self.buffers.insert(params[k], buffer);
            self.buffers.insert(results[k], buffer);
        }
        self.block(before);
        let handed: Vec<(ValueId, ValueId)> =
            through.iter().map(|&k| (self.now(passed[k]), self.now(results[k]))).collect();
        self.hand_on(before, &handed);
        for &k in &round {
            self.want(yields[k], unchanged[k], self.now(args[k]), after, &yields);
        }
        self.block(after);
        let handed: Vec<(ValueId, ValueId)> = round.iter().map(|&k| (self.now(yields[k]), self.now(args[k]))).collect();
        self.hand_on(after, &handed);
        self.drop_yields(before, &through.iter().map(|k| k + 1).collect::<Vec<_>>());
        self.drop_yields(after, &round);
        self.drop_args(before, &round);
        self.drop_args(after, &through);
        let new = self.without(id, &through, &round);
        ops.push(new);
    }

    /// The buffer that a loop carries, initialised.
    fn carried_buffer(&mut self, id: OpId, init: ValueId, arg: ValueId, ops: &mut Vec<OpId>) -> ValueId {
        let start = self.now(init);
        if self.uses.get(&init) == Some(&1)
            && matches!(self.out.value(init).def, Def::Result(..))
            && self.buffers.contains_key(&init)
            && self.out.tile(start).is_none_or(|t| !is_open(t) || both_open(t) == *t)
        {
            return start;
        }
        let name = self.out.value(arg).name;
        let Some(buffer) = self.new_buffer(id, arg, name, Some(start), ops) else { return start };
        self.copy(id, start, buffer, ops);
        buffer
    }

    /// A buffer for what blocks yield.
    fn handed_buffer(&mut self, id: OpId, value: ValueId, ops: &mut Vec<OpId>) -> ValueId {
        let name = self.out.value(value).name;
        self.new_buffer(id, value, name, None, ops).unwrap_or(value)
    }

    /// A buffer of the type of a value. Open extents are those of another buffer, or the whole tile.
    fn new_buffer(
        &mut self,
        id: OpId,
        like: ValueId,
        name: Sym,
        valid: Option<ValueId>,
        ops: &mut Vec<OpId>,
    ) -> Option<ValueId> {
        if matches!(self.out.value_type(like), Type::Memref(_)) {
            return self.new_lowered(id, like, name, ops);
        }
        let tile = self.out.tile(like).copied()?;
        let extents = is_open(&tile).then(|| match valid {
            Some(other) => self.extents_of(id, other, ops),
            None => self.whole(id, &tile, ops),
        });
        Some(self.new_tile(both_open(&tile), name, self.place(id), extents, ops))
    }

    /// A lowered buffer of the type of another.
    fn new_lowered(&mut self, id: OpId, like: ValueId, name: Sym, ops: &mut Vec<OpId>) -> Option<ValueId> {
        if self.out.value_type(like).local_tile().is_none() {
            self.refuse(id, text!("it yields a window of a buffer that every iteration creates anew"));
            return None;
        }
        let (ty, span) = (self.out.value(like).ty, self.place(id));
        let made = self.out.new_with(Storage::Buffer, &[], &[(ty, name)], span);
        ops.push(made);
        self.out.results(made).next()
    }

    /// All rows and columns of a tile.
    fn whole(&mut self, id: OpId, tile: &TileType, ops: &mut Vec<OpId>) -> ValidRegion {
        (self.number(id, tile.rows, ops), self.number(id, tile.cols, ops))
    }

    /// Lets a value be computed in a buffer, if it is computed in this block and the old content of the buffer is not needed any more.
    fn want(&mut self, value: ValueId, old: Option<ValueId>, buffer: ValueId, block: BlockId, yields: &[ValueId]) {
        let Def::Result(maker, _) = self.out.value(value).def else { return };
        let ops = &self.out.block(block).ops;
        let Some(at) = ops.iter().position(|id| *id == maker) else { return };
        let once = yields.iter().filter(|y| **y == value).count() == 1;
        if !once || !self.out.is_value_form(maker) || self.wanted.contains_key(&value) {
            return;
        }
        let uses = |id: OpId| self.out.operands(id).iter().any(|o| Some(o.value) == old) || self.uses_inside(id, old);
        let later = ops[at + 1..].iter().any(|id| uses(*id));
        // The new valid region must not replace that of the old content before it is read.
        let keeps_extents = !self.out.tile(buffer).is_some_and(is_open) || self.like(maker, value) == old;
        let in_place = keeps_extents && self.may_overwrite(maker, value, old);
        if !later && (in_place || !uses(maker)) {
            self.wanted.insert(value, buffer);
        }
    }

    /// True when an instruction may write a value over its operand.
    fn may_overwrite(&self, maker: OpId, value: ValueId, old: Option<ValueId>) -> bool {
        let (row, Some(made)) = (self.out.op(maker).op.row(), self.out.tile(value)) else { return false };
        let to = (usize::from(self.out.value(value).slot), made);
        let same = self.out.operands(maker).iter().filter(|o| Some(o.value) == old);
        let from = same.filter_map(|o| Some((usize::from(o.slot), self.out.tile(o.value)?)));
        from.into_iter().all(|from| row.may_overwrite(self.targets, from, to))
    }

    fn uses_inside(&self, id: OpId, value: Option<ValueId>) -> bool {
        let mut found = false;
        self.out.walk_inside(id, &mut |inner| {
            found |= self.out.operands(inner).iter().any(|o| Some(o.value) == value);
        });
        found
    }

    /// Copies what a block yields to its buffers, each before it is overwritten. If buffers are exchanged, one is copied to
    /// a temporary first.
    fn hand_on(&mut self, block: BlockId, pairs: &[(ValueId, ValueId)]) {
        let mut moves: Vec<(ValueId, ValueId)> = pairs.iter().copied().filter(|(from, to)| from != to).collect();
        let mut ops = self.out.block(block).ops.clone();
        let Some(last) = ops.pop().filter(|_| !moves.is_empty()) else { return };
        while !moves.is_empty() {
            let blocks = |m: usize, k: usize| m != k && self.may_be(moves[m].0, moves[k].1);
            let free = (0..moves.len()).find(|k| !(0..moves.len()).any(|m| blocks(m, *k)));
            match free {
                Some(at) => {
                    let (from, to) = moves.remove(at);
                    self.copy(last, from, to, &mut ops);
                }
                None => {
                    let at = (0..moves.len()).find(|m| blocks(*m, 0)).unwrap_or(0);
                    let Some(held) = self.held(last, moves[at].0, &mut ops) else {
                        return self.refuse(last, text!("it exchanges buffers that cannot be copied"));
                    };
                    // The temporary is in no other copy's way.
                    moves[at].0 = held;
                }
            }
        }
        ops.push(last);
        self.out.block_mut(block).ops = ops;
    }

    /// True when a value is a buffer, or may be an alias of it.
    fn may_be(&self, value: ValueId, buffer: ValueId) -> bool {
        let all = reached([value], |v| self.others.get(&v).into_iter().flatten().copied().collect());
        all.into_iter().any(|v| self.now(v) == buffer)
    }

    /// A copy of a buffer, if it can be made.
    fn held(&mut self, id: OpId, from: ValueId, ops: &mut Vec<OpId>) -> Option<ValueId> {
        let name = self.fresh("held");
        let held = self.new_buffer(id, from, name, Some(from), ops)?;
        self.copy(id, from, held, ops);
        Some(held)
    }

    // ---- branches -----------------------------------------------------------------------------------------------------

    /// A branch that yields tiles: all sides fill the same buffer.
    pub(super) fn branched(&mut self, id: OpId, ops: &mut Vec<OpId>) {
        let results: Vec<ValueId> = self.out.results(id).collect();
        let made: Vec<usize> = (0..results.len()).filter(|k| self.is_value(results[*k])).collect();
        let blocks = self.blocks(id);
        let fits = |b: &BlockId| self.yields(*b).len() == results.len();
        if blocks.len() != self.out.op_regions(id).len() || !blocks.iter().all(fits) {
            return self.refuse(id, text!("its values do not fit together"));
        }
        for &k in &made {
            let buffer = self.handed_buffer(id, results[k], ops);
            self.buffers.insert(results[k], buffer);
        }
        for block in blocks {
            let yields = self.yields(block);
            for &k in &made {
                self.want(yields[k], None, self.now(results[k]), block, &yields);
            }
            self.block(block);
            let handed: Vec<(ValueId, ValueId)> =
                made.iter().map(|&k| (self.now(yields[k]), self.now(results[k]))).collect();
            self.hand_on(block, &handed);
            self.drop_yields(block, &made);
        }
        let new = self.without(id, &made, &[]);
        ops.push(new);
    }

    // ---- operations that lose their tiles -------------------------------------------------------------------------------

    /// The blocks of regions that have one each.
    fn blocks(&self, id: OpId) -> Vec<BlockId> {
        let blocks = self.out.op_regions(id).iter().map(|r| &self.out.region(*r).blocks);
        blocks.filter(|blocks| blocks.len() == 1).flatten().copied().collect()
    }

    fn yields(&self, block: BlockId) -> Vec<ValueId> {
        let last = self.out.block(block).ops.last();
        last.map_or_else(Vec::new, |id| self.out.operands(*id).iter().map(|o| o.value).collect())
    }

    /// The last operation of a block without some of its operands.
    fn drop_yields(&mut self, block: BlockId, which: &[usize]) {
        let Some(last) = self.out.block_mut(block).ops.pop() else { return };
        let data = self.out.op(last).clone();
        let all = self.out.operands(last).iter().enumerate();
        let (lost, operands): (Vec<_>, Vec<_>) = all.partition(|(k, _)| which.binary_search(k).is_ok());
        let lost: Vec<ValueId> = lost.into_iter().map(|(_, o)| o.value).collect();
        let operands = operands.into_iter().map(|(_, o)| *o).collect();
        lost.into_iter().for_each(|value| self.lose_use(value));
        let attrs = self.out.attrs(last).to_vec();
        let new = NewOp { operands, attrs, span: data.span, name_span: data.name_span, ..NewOp::default() };
        self.out.append(block, data.op, new);
    }

    fn drop_args(&mut self, block: BlockId, which: &[usize]) {
        let args = self.out.block(block).args.clone();
        let kept: Vec<ValueId> =
            args.into_iter().enumerate().filter(|(k, _)| which.binary_search(k).is_err()).map(|(_, v)| v).collect();
        for (at, value) in kept.iter().enumerate() {
            self.out.value_mut(*value).def = Def::Arg(block, at as u32);
        }
        self.out.block_mut(block).args = kept;
    }

    /// The same operation without some of its results and operands.
    fn without(&mut self, id: OpId, results: &[usize], operands: &[usize]) -> OpId {
        let data = self.out.op(id).clone();
        let all = self.out.operands(id).to_vec().into_iter().enumerate();
        let (kept, lost): (Vec<_>, Vec<_>) = all.partition(|(k, _)| operands.binary_search(k).is_err());
        let kept: Vec<Operand> = kept.into_iter().map(|(_, o)| o).collect();
        self.drop_uses(lost.into_iter().map(|(_, o)| o.value));
        let left: Vec<ValueId> = self
            .out
            .results(id)
            .enumerate()
            .filter(|(k, _)| results.binary_search(k).is_err())
            .map(|(_, v)| v)
            .collect();
        let types = left.iter().map(|v| self.out.value(*v).clone()).map(|v| (v.ty, v.name, v.slot, v.span)).collect();
        let new = NewOp {
            operands: kept,
            attrs: self.out.attrs(id).to_vec(),
            regions: self.out.op_regions(id).to_vec(),
            results: types,
            span: data.span,
            name_span: data.name_span,
            ..NewOp::default()
        };
        let new = self.out.new_op(data.op, new);
        self.out.set_location(new, data.location);
        self.buffers.extend(left.into_iter().zip(self.out.results(new)));
        new
    }
}

/// A tile whose valid region can be set: where one extent is open, both are.
fn both_open(tile: &TileType) -> TileType {
    if is_open(tile) { TileType { valid_rows: Dim::Dynamic, valid_cols: Dim::Dynamic, ..*tile } } else { *tile }
}
