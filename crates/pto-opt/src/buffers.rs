//! Tile values become buffers.
//!
//! Every value gets a buffer of its own, except that what a loop or a branch hands on is written where it is wanted: the tile
//! that a loop carries is one buffer from turn to turn, and both sides of a branch fill the same one. Where the value cannot be
//! made there (it is used afterwards, or the instruction must not write over its operands), it is copied.

use pto_check::Checked;
use pto_ir::{BlockId, Def, Module, NewOp, OpId, Operand, ValueId};
use pto_isa::row::{Alias, Infer};
use pto_isa::table::op;
use pto_isa::{Diagnostic, Dim, Loc, Op, Scalar, Span, Target, TileType, Type, codes};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Writes tile values as buffers.
///
/// # Errors
/// What has no buffer form: tiles that functions return or `scf.while` carries, copies that the target cannot make.
pub fn to_buffers(checked: &Checked) -> Result<Module, Vec<Diagnostic>> {
    let module = checked.module();
    // A result may also be written with the type of a buffer.
    let has_values = module.order().iter().any(|id| module.is_value_form(*id))
        || (0..module.value_count()).any(|k| matches!(module.value_type(ValueId::from_index(k)), Type::Tile(_)));
    let mut this = Buffers {
        target: checked.info().target,
        out: module.clone(),
        buffers: HashMap::new(),
        wanted: BTreeMap::new(),
        names: (0..module.value_count()).map(|k| module.value_name(ValueId::from_index(k)).to_string()).collect(),
        problems: Vec::new(),
    };
    if has_values {
        this.block(module.top);
        let last = this.buffers.keys().map(|value| (*value, this.now(*value))).collect();
        this.out.resolve_uses(&last);
    }
    if this.problems.is_empty() { Ok(this.out) } else { Err(this.problems) }
}

struct Buffers {
    target: Target,
    out: Module,
    /// What stands for a value now.
    buffers: HashMap<ValueId, ValueId>,
    /// Where a value is to be made.
    wanted: BTreeMap<ValueId, ValueId>,
    names: HashSet<String>,
    problems: Vec<Diagnostic>,
}

impl Buffers {
    fn block(&mut self, block: BlockId) {
        let mut ops = Vec::new();
        for id in self.out.block(block).ops.clone() {
            self.op(id, &mut ops);
        }
        self.out.block_mut(block).ops = ops;
    }

    fn op(&mut self, id: OpId, ops: &mut Vec<OpId>) {
        let code = self.out.op(id).op;
        let carries = self.out.results(id).any(|v| self.is_value(v));
        match code {
            op::scf_for if carries => self.turned(id, ops),
            op::scf_if if carries => self.branched(id, ops),
            _ if self.out.op_regions(id).is_empty() && self.out.is_value_form(id) => self.instruction(id, ops),
            _ => {
                if carries {
                    self.refuse(id, "its tiles have no buffer form here");
                }
                for region in self.out.op_regions(id).to_vec() {
                    self.out.region(region).blocks.clone().into_iter().for_each(|b| self.block(b));
                }
                ops.push(id);
            }
        }
    }

    fn is_value(&self, value: ValueId) -> bool {
        matches!(self.out.value_type(value), Type::Tile(_))
    }

    fn refuse(&mut self, id: OpId, why: &str) {
        let data = self.out.op(id);
        let message = format!("`{}` cannot be written with buffers: {why}", data.op.row().name);
        self.problems.push(
            Diagnostic::new(codes::NOT_INFERRED, data.span, message)
                .help("write it with `pto.alloc_tile` and `outs(…)` yourself"),
        );
    }

    /// What a value is called now, through all steps.
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
            let buffer = match self.wanted.get(&value) {
                Some(buffer) => *buffer,
                None => self.allocate(id, value, ops),
            };
            self.buffers.insert(value, buffer);
            operands.push(Operand { value: buffer, slot: result.slot, span: result.span });
        }
        operands.sort_by_key(|o| o.slot);
        let attrs = self.out.attrs(id).to_vec();
        let new =
            NewOp { operands, attrs, results: kept, span: data.span, name_span: data.name_span, ..NewOp::default() };
        let new = self.out.new_op(data.op, new);
        self.buffers.extend(old.into_iter().zip(self.out.results(new)));
        ops.push(new);
    }

    /// A buffer for the result of an instruction.
    fn allocate(&mut self, id: OpId, value: ValueId, ops: &mut Vec<OpId>) -> ValueId {
        let open = |d: Dim| d == Dim::Dynamic;
        let Some(tile) = self.out.tile(value).copied() else { return value };
        let extents = if open(tile.valid_rows) || open(tile.valid_cols) { self.extents(id, value, ops) } else { None };
        let (name, place) = (self.out.value(value).name, self.out.op(id).span.start);
        self.new_tile(tile, name, Span::new(place, place), extents, ops)
    }

    fn new_tile(
        &mut self,
        tile: TileType,
        name: pto_ir::Sym,
        span: Span,
        extents: Option<(ValueId, ValueId)>,
        ops: &mut Vec<OpId>,
    ) -> ValueId {
        let row = op::alloc_tile.row();
        let ty = self.out.intern_type(Type::TileBuf(tile));
        let mut operands = Vec::new();
        let given = extents.map_or([None, None], |(r, c)| [Some(r), Some(c)]);
        for ((slot, dim), value) in
            [("valid_row", tile.valid_rows), ("valid_col", tile.valid_cols)].into_iter().zip(given)
        {
            if let (Dim::Dynamic, Some(value), Some(slot)) = (dim, value, row.slot(slot)) {
                operands.push(Operand { value, slot: slot as u8, span });
            }
        }
        let results = vec![(ty, name, row.slots.len() as u8, span)];
        let id = self.out.new_op(op::alloc_tile, NewOp { operands, results, span, ..NewOp::default() });
        ops.push(id);
        self.out.results(id).next().unwrap_or_else(|| ValueId::from_index(0))
    }

    /// Rows and columns of a result whose type leaves them open: those of the operand it is like.
    fn extents(&mut self, id: OpId, value: ValueId, ops: &mut Vec<OpId>) -> Option<(ValueId, ValueId)> {
        let row = self.out.op(id).op.row();
        let infer = row.slot_at(usize::from(self.out.value(value).slot)).infer;
        let like = match infer {
            Infer::Like(name) => row.slot(name).and_then(|s| self.out.in_slot(id, s).next()).map(|o| o.value),
            _ => None,
        };
        let tile = like.into_iter().chain(self.out.operands(id).iter().map(|o| o.value));
        let source = tile.into_iter().find(|v| self.out.tile(*v).is_some());
        match source {
            Some(source) => {
                let source = self.now(source);
                let row = op::get_validshape.row();
                Some(self.query(op::get_validshape, vec![(source, row.slot("source")?)], ["rows", "cols"], id, ops))
            }
            None => {
                self.refuse(id, "the valid region of its result is known only at run time and follows from no tile");
                None
            }
        }
    }

    /// An operation with two indices as results.
    fn query(
        &mut self,
        code: Op,
        operands: Vec<(ValueId, usize)>,
        names: [&str; 2],
        before: OpId,
        ops: &mut Vec<OpId>,
    ) -> (ValueId, ValueId) {
        let place = self.out.op(before).span.start;
        let span = Span::new(place, place);
        let ty = self.out.intern_type(Type::Scalar(Scalar::Index));
        let first = code.row().slots.len() as u8;
        let results = names.iter().enumerate().map(|(k, name)| (ty, self.fresh(name), first + k as u8, span)).collect();
        let operands = operands.into_iter().map(|(value, slot)| Operand { value, slot: slot as u8, span }).collect();
        let id = self.out.new_op(code, NewOp { operands, results, span, ..NewOp::default() });
        ops.push(id);
        let mut made = self.out.results(id);
        let nothing = ValueId::from_index(0);
        (made.next().unwrap_or(nothing), made.next().unwrap_or(nothing))
    }

    fn fresh(&mut self, base: &str) -> pto_ir::Sym {
        let mut name = base.to_string();
        let mut count = 0;
        while !self.names.insert(name.clone()) {
            count += 1;
            name = format!("{base}_{count}");
        }
        self.out.names.intern(&name)
    }

    // ---- loops ------------------------------------------------------------------------------------------------------

    /// A loop that carries tiles: each is one buffer.
    fn turned(&mut self, id: OpId, ops: &mut Vec<OpId>) {
        let region = self.out.op_regions(id)[0];
        let Some(&body) = self.out.region(region).blocks.first() else { return };
        let args = self.out.block(body).args.clone();
        let inits: Vec<Operand> = self.out.operands(id)[3..].to_vec();
        let yields = self.yields(body);
        let results: Vec<ValueId> = self.out.results(id).collect();
        let carried: Vec<usize> = (0..results.len()).filter(|k| self.is_value(results[*k])).collect();
        for &k in &carried {
            let arg = args[k + 1];
            let buffer = self.carried_buffer(id, inits[k].value, arg, ops);
            self.buffers.insert(arg, buffer);
            self.buffers.insert(results[k], buffer);
            self.want(yields[k], Some(arg), buffer, body, &yields);
        }
        self.block(body);
        let handed: Vec<(ValueId, ValueId)> =
            carried.iter().map(|&k| (self.now(yields[k]), self.now(results[k]))).collect();
        self.hand_on(id, body, &handed);
        self.drop_yields(body, &carried);
        self.drop_args(body, &carried.iter().map(|k| k + 1).collect::<Vec<_>>());
        let new = self.without(id, &carried, 3);
        ops.push(new);
    }

    /// The buffer that a loop carries, with what it starts with.
    fn carried_buffer(&mut self, id: OpId, init: ValueId, arg: ValueId, ops: &mut Vec<OpId>) -> ValueId {
        let start = self.now(init);
        if self.uses(init) == 1
            && matches!(self.out.value(init).def, Def::Result(..))
            && self.buffers.contains_key(&init)
        {
            return start;
        }
        let Some(tile) = self.out.tile(arg).copied() else { return start };
        let place = self.out.op(id).span.start;
        let span = Span::new(place, place);
        let extents = self.extents_of(start, &tile, id, ops);
        let buffer = self.new_tile(tile, self.out.value(arg).name, span, extents, ops);
        self.copy(id, start, buffer, span, ops);
        buffer
    }

    fn extents_of(
        &mut self,
        source: ValueId,
        tile: &TileType,
        id: OpId,
        ops: &mut Vec<OpId>,
    ) -> Option<(ValueId, ValueId)> {
        if tile.valid_rows != Dim::Dynamic && tile.valid_cols != Dim::Dynamic {
            return None;
        }
        let slot = op::get_validshape.row().slot("source")?;
        Some(self.query(op::get_validshape, vec![(source, slot)], ["rows", "cols"], id, ops))
    }

    /// How often the program uses a value.
    fn uses(&self, value: ValueId) -> usize {
        let mut count = 0;
        self.out
            .walk(self.out.top, &mut |id| count += self.out.operands(id).iter().filter(|o| o.value == value).count());
        count
    }

    /// Lets a value be made in a buffer, if it is made in this block and the buffer's old content is not needed by then.
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
        let in_place = may_alias(self.out.op(maker).op.row().alias, self.target);
        if !later && (in_place || !uses(maker)) {
            self.wanted.insert(value, buffer);
        }
    }

    fn uses_inside(&self, id: OpId, value: Option<ValueId>) -> bool {
        let mut found = false;
        for region in self.out.op_regions(id) {
            for block in &self.out.region(*region).blocks {
                self.out.walk(*block, &mut |inner| {
                    found |= self.out.operands(inner).iter().any(|o| Some(o.value) == value);
                });
            }
        }
        found
    }

    /// Copies what a block yields to where it is wanted. Where buffers change places, through others.
    fn hand_on(&mut self, id: OpId, block: BlockId, pairs: &[(ValueId, ValueId)]) {
        let moves: Vec<(ValueId, ValueId)> = pairs.iter().copied().filter(|(from, to)| from != to).collect();
        if moves.is_empty() {
            return;
        }
        let mut ops = self.out.block(block).ops.clone();
        let last = ops.pop();
        let place = last.map_or(0, |l| self.out.op(l).span.start);
        let span = Span::new(place, place);
        let crossing = moves.iter().any(|(from, _)| moves.iter().any(|(_, to)| to == from));
        let mut ready = moves.clone();
        if crossing {
            for (from, _) in &mut ready {
                let Some(tile) = self.out.tile(*from).copied() else { continue };
                let name = self.fresh("held");
                let extents = self.extents_of(*from, &tile, id, &mut ops);
                let held = self.new_tile(tile, name, span, extents, &mut ops);
                self.copy(id, *from, held, span, &mut ops);
                *from = held;
            }
        }
        for (from, to) in ready {
            self.copy(id, from, to, span, &mut ops);
        }
        ops.extend(last);
        self.out.block_mut(block).ops = ops;
    }

    fn copy(&mut self, id: OpId, from: ValueId, to: ValueId, span: Span, ops: &mut Vec<OpId>) {
        if self.out.tile(to).is_some_and(|t| t.loc != Loc::Vec) {
            self.refuse(id, "it would have to copy a tile, which is possible in the vector memory only");
        }
        let row = op::tmov.row();
        let operands = [("src", from), ("dst", to)]
            .into_iter()
            .filter_map(|(name, value)| Some(Operand { value, slot: row.slot(name)? as u8, span }));
        let operands = operands.collect();
        let new = self.out.new_op(op::tmov, NewOp { operands, span, ..NewOp::default() });
        ops.push(new);
    }

    // ---- branches -----------------------------------------------------------------------------------------------------

    /// A branch that results in tiles: both sides fill one buffer each.
    fn branched(&mut self, id: OpId, ops: &mut Vec<OpId>) {
        let results: Vec<ValueId> = self.out.results(id).collect();
        let made: Vec<usize> = (0..results.len()).filter(|k| self.is_value(results[*k])).collect();
        let blocks: Vec<BlockId> =
            self.out.op_regions(id).iter().filter_map(|r| self.out.region(*r).blocks.first().copied()).collect();
        for &k in &made {
            let Some(tile) = self.out.tile(results[k]).copied() else { continue };
            if tile.valid_rows == Dim::Dynamic || tile.valid_cols == Dim::Dynamic {
                self.refuse(id, "the valid region of its result is known only at run time");
                continue;
            }
            let (name, place) = (self.out.value(results[k]).name, self.out.op(id).span.start);
            let buffer = self.new_tile(tile, name, Span::new(place, place), None, ops);
            self.buffers.insert(results[k], buffer);
        }
        for block in blocks {
            let yields = self.yields(block);
            for &k in &made {
                if let Some(buffer) = self.buffers.get(&results[k]).copied() {
                    self.want(yields[k], None, buffer, block, &yields);
                }
            }
            self.block(block);
            let handed: Vec<(ValueId, ValueId)> =
                made.iter().map(|&k| (self.now(yields[k]), self.now(results[k]))).collect();
            self.hand_on(id, block, &handed);
            self.drop_yields(block, &made);
        }
        let new = self.without(id, &made, usize::MAX);
        ops.push(new);
    }

    // ---- operations that lose their tiles -------------------------------------------------------------------------------

    fn yields(&self, block: BlockId) -> Vec<ValueId> {
        let last = self.out.block(block).ops.last();
        last.map_or_else(Vec::new, |id| self.out.operands(*id).iter().map(|o| o.value).collect())
    }

    /// The last operation of a block without some of its operands.
    fn drop_yields(&mut self, block: BlockId, which: &[usize]) {
        let Some(last) = self.out.block_mut(block).ops.pop() else { return };
        let data = self.out.op(last).clone();
        let all = self.out.operands(last).iter().enumerate();
        let operands = all.filter(|(k, _)| !which.contains(k)).map(|(_, o)| *o).collect();
        let attrs = self.out.attrs(last).to_vec();
        let new = NewOp { operands, attrs, span: data.span, name_span: data.name_span, ..NewOp::default() };
        self.out.append(block, data.op, new);
    }

    fn drop_args(&mut self, block: BlockId, which: &[usize]) {
        let args = self.out.block(block).args.clone();
        let kept: Vec<ValueId> =
            args.into_iter().enumerate().filter(|(k, _)| !which.contains(k)).map(|(_, v)| v).collect();
        for (at, value) in kept.iter().enumerate() {
            self.out.value_mut(*value).def = Def::Arg(block, at as u16);
        }
        self.out.block_mut(block).args = kept;
    }

    /// The same operation without some of its results, and without the operands that belong to them.
    fn without(&mut self, id: OpId, which: &[usize], first_operand: usize) -> OpId {
        let data = self.out.op(id).clone();
        let gone = |k: usize| k >= first_operand && which.contains(&(k - first_operand));
        let operands = self.out.operands(id).iter().enumerate().filter(|(k, _)| !gone(*k)).map(|(_, o)| *o).collect();
        let left: Vec<ValueId> =
            self.out.results(id).enumerate().filter(|(k, _)| !which.contains(k)).map(|(_, v)| v).collect();
        let results = left.iter().map(|v| self.out.value(*v).clone()).map(|v| (v.ty, v.name, v.slot, v.span)).collect();
        let regions = self.out.op_regions(id).to_vec();
        let attrs = self.out.attrs(id).to_vec();
        let new =
            NewOp { operands, attrs, regions, results, span: data.span, name_span: data.name_span, ..NewOp::default() };
        let new = self.out.new_op(data.op, new);
        self.buffers.extend(left.into_iter().zip(self.out.results(new)));
        new
    }
}

/// True when an instruction may write where it reads.
pub(crate) fn may_alias(alias: Alias, target: Target) -> bool {
    match alias {
        Alias::InPlace => true,
        Alias::Distinct(targets) => !targets.contains(target),
        Alias::None => false,
    }
}
