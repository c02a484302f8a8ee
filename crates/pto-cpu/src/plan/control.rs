//! Functions, loops and branches as jumps.

use super::build::{PlanBuilder, PlanResult, Return};
use super::loops::BlockLoops;
use super::roles::stated_kind;
use crate::prepared::*;
use pto_ir::{Attr, BlockId, OpId, RegionId, ValueId};
use pto_isa::row::{Control, CoreKind};
use pto_isa::text;
use pto_isa::{Diagnostic, Type, codes};
use std::collections::{HashMap, HashSet};

impl PlanBuilder<'_> {
    pub fn control_op(&mut self, id: OpId) -> PlanResult<()> {
        let outside = self.inside;
        let done = self.control_steps(id);
        self.inside = outside;
        done
    }

    fn control_steps(&mut self, id: OpId) -> PlanResult<()> {
        let regions = self.module.op_regions(id).to_vec();
        match self.module.control(id) {
            Some(Control::Module) => self.region(regions[0]),
            // Functions run when they are called.
            Some(Control::Function) => Ok(()),
            Some(Control::Return) => self.return_op(id),
            Some(Control::Call) => self.call(id),
            Some(Control::For) => self.for_op(id, regions[0]),
            Some(Control::If) => self.if_op(id, &regions),
            Some(Control::While) => self.while_op(id, &regions),
            Some(Control::Execute | Control::Fusion) => self.run_once(id, regions[0]),
            Some(Control::IndexSwitch) => self.index_switch(id, &regions),
            Some(Control::Section(CoreKind::Cube)) => self.section(CoreKind::Cube, regions[0]),
            Some(Control::Section(CoreKind::Vector)) => self.section(CoreKind::Vector, regions[0]),
            // Ends of regions: the operation that has the region deals with them, except for branches.
            Some(Control::Yield | Control::FusionYield | Control::Condition) => Ok(()),
            Some(Control::Branch | Control::CondBranch | Control::Switch) => {
                Err(self.unsupported(text!("a branch outside a function or region")))
            }
            _ => Err(self.unsupported(text!("this operation"))),
        }
    }

    /// Code for one kind of core; the others skip it.
    fn section(&mut self, kind: CoreKind, region: RegionId) -> PlanResult<()> {
        if self.plan.cores.role.executes(kind) { self.region(region) } else { Ok(()) }
    }

    // ---- regions ----------------------------------------------------------------------------------------------

    /// The steps of a region, which ends in a return, or in nothing.
    pub fn region(&mut self, region: RegionId) -> PlanResult<()> {
        let blocks = self.module.region(region).blocks.clone();
        match blocks[..] {
            [] => Ok(()),
            [only] => self.block(only),
            _ => self.graph(&blocks, &[]),
        }
    }

    /// The steps of a region whose yielded values end up in `results`.
    fn yielding(&mut self, region: RegionId, results: &[ValueStorage]) -> PlanResult<()> {
        let blocks = self.module.region(region).blocks.clone();
        match blocks[..] {
            [] => Ok(()),
            [only] => {
                self.block(only)?;
                let yielded = self.yielded(only);
                self.move_values(&yielded, results)
            }
            _ => self.graph(&blocks, results),
        }
    }

    /// The values that a block yields.
    fn yielded(&self, block: BlockId) -> Vec<ValueStorage> {
        let Some(&last) = self.module.block(block).ops.last() else { return Vec::new() };
        match self.module.control(last) {
            Some(Control::Yield | Control::FusionYield) => {
                self.module.operands(last).iter().map(|o| self.slot(o.value)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Blocks that branch to each other; a yield leaves them.
    fn graph(&mut self, blocks: &[BlockId], results: &[ValueStorage]) -> PlanResult<()> {
        let outer = self.held.len();
        // A block that executes once allocates no tile while an older one of its own is held.
        let again = self.module.rounds(blocks);
        for &block in &blocks[1..] {
            for arg in self.module.block(block).args.clone() {
                self.define(arg)?;
                if again.contains(&block) {
                    self.hold(&[arg]);
                }
            }
        }
        let held = self.held.split_off(outer);
        let mut starts = HashMap::new();
        let mut jumps = Vec::new();
        let mut exits = Vec::new();
        let order = self.in_order(blocks);
        let loops = BlockLoops::new(&order, |block| self.next_blocks(block));
        let (outside, mut entered) = (self.inside, HashMap::new());
        for block in order {
            starts.insert(block, self.here());
            let around = |block: &BlockId| entered.get(block).map(|(id, _)| *id);
            self.inside = loops.innermost.get(&block).and_then(around).or(outside);
            if loops.innermost.get(&block) == Some(&block) {
                self.inside = loops.outer.get(&block).and_then(around).or(outside);
                let count = self.new_count();
                self.push(Step::EnterLoop(count))?;
                let first = self.module.block(block).ops.first().copied().unwrap_or(self.at);
                entered.insert(block, (self.enter_loop(first, IterationCount::Steps(count)), count));
            }
            if again.contains(&block) {
                self.held.extend(&held);
            }
            self.block_without_end(block)?;
            self.held.truncate(outer);
            let Some(&last) = self.module.block(block).ops.last() else { continue };
            self.at = last;
            match self.module.control(last) {
                Some(Control::Branch | Control::CondBranch | Control::Switch) => self.branch(last, &mut jumps)?,
                Some(Control::Yield | Control::FusionYield) => {
                    let yielded = self.yielded(block);
                    self.move_values(&yielded, results)?;
                    exits.push(self.push(Step::Jump(StepId(0)))?);
                }
                _ => {}
            }
        }
        self.inside = outside;
        let end = self.here();
        exits.into_iter().for_each(|j| self.plan.code.steps[j] = Step::Jump(end));
        for (step, target) in jumps {
            let start = starts.get(&target).copied().unwrap_or(end);
            self.plan.code.steps[step] = match entered.get(&target) {
                Some((_, count)) if start < step => Step::NextIteration { head: start.next(), count: *count },
                _ => Step::Jump(start),
            };
        }
        Ok(())
    }

    /// The blocks that can be reached, each after those that every way to it passes: in the text they may stand in any
    /// order, but a value must have its place before it is used.
    fn in_order(&self, blocks: &[BlockId]) -> Vec<BlockId> {
        let next = |block| self.next_blocks(block);
        let mut seen = HashSet::from([blocks[0]]);
        let mut open = vec![(blocks[0], next(blocks[0]))];
        let mut done = Vec::new();
        while let Some((block, left)) = open.last_mut() {
            match left.pop() {
                Some(to) if !seen.insert(to) => {}
                Some(to) => open.push((to, next(to))),
                None => {
                    done.push(*block);
                    open.pop();
                }
            }
        }
        done.reverse();
        done
    }

    /// The blocks that a block branches to.
    fn next_blocks(&self, block: BlockId) -> Vec<BlockId> {
        let last = self.module.block(block).ops.last();
        last.map_or(Vec::new(), |id| self.module.successors(*id).iter().map(|s| s.block).collect())
    }

    /// All of a block but a branch at its end.
    fn block_without_end(&mut self, block: BlockId) -> PlanResult<()> {
        let ops = &self.module.block(block).ops;
        let is_branch = |id: &OpId| self.module.control(*id).is_some_and(Control::is_branch);
        let keep = ops.len() - usize::from(ops.last().is_some_and(is_branch));
        for &id in &ops[..keep] {
            self.op(id)?;
        }
        Ok(())
    }

    /// A branch: values to the parameters of the block, and a jump that is filled in later.
    fn branch(&mut self, id: OpId, jumps: &mut Vec<(StepId, BlockId)>) -> PlanResult<()> {
        let successors = self.module.successors(id).to_vec();
        let head = self.push(Step::Jump(StepId(0)))?;
        let mut places = Vec::new();
        for s in &successors {
            places.push(self.here());
            let from: Vec<ValueStorage> = s.args.iter().map(|v| self.slot(*v)).collect();
            let to: Vec<ValueStorage> = self.module.block(s.block).args.iter().map(|v| self.slot(*v)).collect();
            let values: Vec<ValueId> = self.module.block(s.block).args.clone();
            self.pass_values(&from, &to, &values)?;
            jumps.push((self.push(Step::Jump(StepId(0)))?, s.block));
        }
        self.plan.code.steps[head] = match (self.module.control(id), &places[..]) {
            (Some(Control::CondBranch), [yes, no]) => {
                Step::Branch { condition: self.operand_reg(id, "condition")?, yes: *yes, no: *no }
            }
            (Some(Control::Switch), _) => {
                let on = self.operand_reg(id, "flag")?;
                let way = |block: BlockId| successors.iter().position(|s| s.block == block).unwrap_or(0) as u32;
                let all = successors.iter().zip(&places);
                let mut all =
                    all.map(|(s, to)| (s.case, SwitchCase { value: s.case.unwrap_or(0), to: *to, way: way(s.block) }));
                let nowhere = SwitchCase { value: 0, to: StepId(0), way: 0 };
                let default = all.clone().find(|(case, _)| case.is_none()).map_or(nowhere, |(_, way)| way);
                let cases = all.by_ref().filter(|(case, _)| case.is_some()).map(|(_, way)| way).collect();
                Step::Switch(self.plan.code.switches.push(Switch { on, cases, default }))
            }
            _ => Step::Jump(head.next()),
        };
        Ok(())
    }

    // ---- values that move ---------------------------------------------------------------------------------------

    /// Moves values to other places, all at once: a source may be another's destination.
    pub fn move_values(&mut self, from: &[ValueStorage], to: &[ValueStorage]) -> PlanResult<()> {
        let moves: Vec<(ValueStorage, ValueStorage)> =
            from.iter().copied().zip(to.iter().copied()).filter(|(f, t)| f != t).collect();
        let sources: HashSet<ValueStorage> = moves.iter().map(|(f, _)| *f).collect();
        let clash = moves.len() > 1 && moves.iter().any(|(_, t)| sources.contains(t));
        if !clash {
            return moves.into_iter().try_for_each(|(f, t)| self.move_value(f, t));
        }
        let mut held = Vec::new();
        for (f, t) in moves {
            let temporary = match f {
                ValueStorage::Scalar(_) => ValueStorage::Scalar(self.reg()),
                ValueStorage::Tile(_) => ValueStorage::Tile(self.handle()),
                ValueStorage::View(_) => ValueStorage::View(self.new_view()),
                other => other,
            };
            self.move_value(f, temporary)?;
            held.push((temporary, t));
        }
        held.into_iter().try_for_each(|(f, t)| self.move_value(f, t))
    }

    fn move_value(&mut self, from: ValueStorage, to: ValueStorage) -> PlanResult<()> {
        let step = match (from, to) {
            (ValueStorage::Scalar(from), ValueStorage::Scalar(to)) => Step::Move { from, to },
            (ValueStorage::Tile(from), ValueStorage::Tile(to)) => Step::MoveTile { from, to },
            (ValueStorage::View(from), ValueStorage::View(to)) => Step::MoveView { from, to },
            (ValueStorage::Nothing, _) | (_, ValueStorage::Nothing) => return Ok(()),
            _ => return Err(self.unsupported(text!("a value that changes its kind"))),
        };
        self.push(step).map(drop)
    }

    /// Hands values to the parameters of a block. Tile values are copied: the next iteration writes their old place again.
    fn pass_values(&mut self, from: &[ValueStorage], to: &[ValueStorage], params: &[ValueId]) -> PlanResult<()> {
        let mut handles = (Vec::new(), Vec::new());
        let mut copies = Vec::new();
        for ((f, t), &param) in from.iter().zip(to).zip(params) {
            match (f, t) {
                (ValueStorage::Tile(f), ValueStorage::Tile(t))
                    if matches!(self.module.value_type(param), Type::Tile(_)) =>
                {
                    copies.push((*f, *t));
                }
                _ => {
                    handles.0.push(*f);
                    handles.1.push(*t);
                }
            }
        }
        self.copy_tiles(&copies)?;
        self.move_values(&handles.0, &handles.1)
    }

    /// Copies the contents of tiles in parallel. A register without its own bytes may alias any other tile, also one
    /// that is written here.
    pub fn copy_tiles(&mut self, copies: &[(TileId, TileId)]) -> PlanResult<()> {
        let is_handle = |tile: TileId| self.plan.start.tiles[tile].base < self.plan.memory.spaces.end;
        let is_written = |tile: TileId| copies.iter().any(|(_, t)| *t == tile);
        let clash = copies.len() > 1 && copies.iter().any(|(f, _)| is_handle(*f) || is_written(*f));
        let mut late = Vec::new();
        for &(from, to) in copies.iter().filter(|(f, t)| f != t) {
            if clash {
                let ty = self.plan.tiles.geometries[self.plan.start.tiles[to].geometry];
                let held = self.new_tile(&ty)?;
                self.push(Step::CopyTile { from, to: held })?;
                late.push((held, to));
            } else {
                self.push(Step::CopyTile { from, to })?;
            }
        }
        late.into_iter().try_for_each(|(from, to)| self.push(Step::CopyTile { from, to }).map(drop))
    }

    // ---- structured control flow ----------------------------------------------------------------------------------

    fn results(&mut self, id: OpId) -> PlanResult<Vec<ValueStorage>> {
        self.module.results(id).map(|v| self.define_handle(v)).collect()
    }

    fn for_op(&mut self, id: OpId, region: RegionId) -> PlanResult<()> {
        let (lower, upper, step) =
            (self.operand_reg(id, "lower")?, self.operand_reg(id, "upper")?, self.operand_reg(id, "step")?);
        let Some(&body) = self.module.region(region).blocks.first() else { return Ok(()) };
        let args = self.module.block(body).args.clone();
        let counter = self.reg();
        self.keep_in(args[0], ValueStorage::Scalar(counter));
        self.push(Step::LoopBy(step))?;
        self.push(Step::Move { from: lower, to: counter })?;
        let inits: Vec<ValueStorage> = self.operands(id, "inits").into_iter().map(|v| self.slot(v)).collect();
        let outer = self.held.len();
        let carried = self.enter_carried(region, &args[1..], &inits)?;
        let head = self.here();
        self.enter_loop(id, IterationCount::By { counter, lower, step });
        let test = self.push(Step::LoopTest { counter, bound: upper, exit: StepId(0) })?;
        self.block(body)?;
        self.at = id;
        let yielded = self.yielded(body);
        self.next_carried(&carried, &yielded)?;
        self.push(Step::LoopNext { counter, step, head })?;
        let exit = self.here();
        self.plan.code.steps[test] = Step::LoopTest { counter, bound: upper, exit };
        for (result, arg) in self.module.results(id).zip(&args[1..]) {
            self.keep_in(result, self.slot(*arg));
        }
        self.held.truncate(outer);
        Ok(())
    }

    fn if_op(&mut self, id: OpId, regions: &[RegionId]) -> PlanResult<()> {
        let condition = self.operand_reg(id, "condition")?;
        let results = self.results(id)?;
        let branch = self.push(Step::Jump(StepId(0)))?;
        self.yielding(regions[0], &results)?;
        self.at = id;
        let over = self.push(Step::Jump(StepId(0)))?;
        let no = self.here();
        if let Some(&other) = regions.get(1) {
            self.yielding(other, &results)?;
            self.at = id;
        }
        self.plan.code.steps[branch] = Step::Branch { condition, yes: branch.next(), no };
        self.plan.code.steps[over] = Step::Jump(self.here());
        Ok(())
    }

    fn while_op(&mut self, id: OpId, regions: &[RegionId]) -> PlanResult<()> {
        let first = |r: RegionId| self.module.region(r).blocks.first().copied();
        let (Some(before), Some(after)) = (first(regions[0]), first(regions[1])) else { return Ok(()) };
        let inits: Vec<ValueStorage> = self.operands(id, "inits").into_iter().map(|v| self.slot(v)).collect();
        let args = self.module.block(before).args.clone();
        let outer = self.held.len();
        let carried = self.enter_carried(regions[1], &args, &inits)?;
        // The results are also the parameters of the body.
        let results = self.results(id)?;
        self.hold(&self.module.results(id).collect::<Vec<_>>());
        let count = self.new_count();
        self.push(Step::EnterLoop(count))?;
        self.enter_loop(id, IterationCount::Steps(count));
        let head = self.here();
        self.block(before)?;
        let Some(&last) = self.module.block(before).ops.last() else { return Ok(()) };
        let passed: Vec<ValueStorage> = self.operands(last, "args").into_iter().map(|v| self.slot(v)).collect();
        let condition = self.operand_reg(last, "condition")?;
        self.move_values(&passed, &results)?;
        for (arg, slot) in self.module.block(after).args.clone().into_iter().zip(&results) {
            self.keep_in(arg, *slot);
        }
        let branch = self.push(Step::Jump(StepId(0)))?;
        self.block(after)?;
        self.at = id;
        let yielded = self.yielded(after);
        self.next_carried(&carried, &yielded)?;
        self.push(Step::NextIteration { head, count })?;
        self.plan.code.steps[branch] = Step::Branch { condition, yes: branch.next(), no: self.here() };
        self.held.truncate(outer);
        Ok(())
    }

    fn run_once(&mut self, id: OpId, region: RegionId) -> PlanResult<()> {
        let results = self.results(id)?;
        self.yielding(region, &results)
    }

    fn index_switch(&mut self, id: OpId, regions: &[RegionId]) -> PlanResult<()> {
        let on = self.operand_reg(id, "arg")?;
        let results = self.results(id)?;
        let values: Vec<i64> = match self.module.attr(id, "cases") {
            Some(Attr::Array(items)) => items.iter().filter_map(Attr::int).collect(),
            _ => Vec::new(),
        };
        let head = self.push(Step::Jump(StepId(0)))?;
        let (mut starts, mut exits) = (Vec::new(), Vec::new());
        for &region in regions {
            starts.push(self.here());
            self.yielding(region, &results)?;
            self.at = id;
            exits.push(self.push(Step::Jump(StepId(0)))?);
        }
        let end = self.here();
        exits.into_iter().for_each(|j| self.plan.code.steps[j] = Step::Jump(end));
        // The default region is the first; the cases follow.
        let (default, rest) = (starts.first().copied().unwrap_or(end), starts.get(1..).unwrap_or_default());
        let default = SwitchCase { value: 0, to: default, way: 0 };
        let cases = values
            .into_iter()
            .zip(rest)
            .zip(1..)
            .map(|((value, to), way)| SwitchCase { value, to: *to, way })
            .collect();
        let at = self.plan.code.switches.push(Switch { on, cases, default });
        self.plan.code.steps[head] = Step::Switch(at);
        Ok(())
    }

    // ---- functions --------------------------------------------------------------------------------------------------

    fn return_op(&mut self, id: OpId) -> PlanResult<()> {
        let values: Vec<ValueStorage> = self.module.operands(id).iter().map(|o| self.slot(o.value)).collect();
        let results = self.returns.last().map_or_else(Vec::new, |r| r.results.clone());
        if results.len() == values.len() {
            self.move_values(&values, &results)?;
        }
        let jump = self.push(Step::Jump(StepId(0)))?;
        if let Some(r) = self.returns.last_mut() {
            r.jumps.push(jump);
        }
        Ok(())
    }

    /// A call is expanded in place.
    fn call(&mut self, id: OpId) -> PlanResult<()> {
        let Some(&callee) = self.callees.get(&id) else {
            return Err(self.unsupported(text!("a call of a function without a body")));
        };
        if !self.plan.cores.role.executes(stated_kind(self.module, callee)) {
            return Ok(());
        }
        if !self.open_calls.insert(callee) {
            let message = text!("a function that calls itself").to_string();
            return Err(Diagnostic::new(codes::RUN_UNSUPPORTED, self.place(), message)
                .help(text!("write a loop: device code has no stack")));
        }
        let region = self.module.op_regions(callee)[0];
        let Some(&body) = self.module.region(region).blocks.first() else { return Ok(()) };
        let given: Vec<ValueStorage> = self.module.operands(id).iter().map(|o| self.slot(o.value)).collect();
        for (param, slot) in self.module.block(body).args.clone().into_iter().zip(given) {
            self.keep_in(param, slot);
        }
        let results = self.results(id)?;
        self.calls.push(callee);
        self.returns.push(Return { jumps: Vec::new(), results });
        self.region(region)?;
        self.calls.pop();
        self.open_calls.remove(&callee);
        let end = self.here();
        if let Some(r) = self.returns.pop() {
            r.jumps.into_iter().for_each(|j| self.plan.code.steps[j] = Step::Jump(end));
        }
        Ok(())
    }
}
