//! Functions, loops and branches.

use super::value::Val;
use super::{PlainMachine, PlainResult};
use pto::ir::{BlockId, OpId, RegionId, ValueId};
use pto::isa::table::op;
use pto::isa::{Family, Type, codes};

/// How a block ended.
enum BlockEnd {
    /// At its last operation.
    Fell,
    Branch(BlockId, Vec<Val>),
    /// With a yield.
    Yield(Vec<Val>),
    Condition(bool, Vec<Val>),
    Return(Vec<Val>),
}

impl BlockEnd {
    fn yielded(self) -> Vec<Val> {
        match self {
            Self::Yield(values) => values,
            Self::Fell => Vec::new(),
            _ => panic!("the region does not yield"),
        }
    }
}

/// Turns of one loop; random programs have short ones.
const MAX_TURNS: usize = 100_000;

impl PlainMachine<'_> {
    /// Calls a function.
    pub fn function(&mut self, function: OpId, args: Vec<Val>) -> PlainResult<Vec<Val>> {
        match self.region(self.module.op_regions(function)[0], args)? {
            BlockEnd::Return(values) => Ok(values),
            _ => Ok(Vec::new()),
        }
    }

    /// Runs the blocks of a region from the first, until one does not branch.
    fn region(&mut self, region: RegionId, args: Vec<Val>) -> PlainResult<BlockEnd> {
        let Some(&first) = self.module.region(region).blocks.first() else { return Ok(BlockEnd::Fell) };
        let (mut block, mut args) = (first, args);
        for _ in 0..MAX_TURNS {
            match self.block(block, args)? {
                BlockEnd::Branch(next, values) => (block, args) = (next, values),
                end => return Ok(end),
            }
        }
        panic!("a region that does not end");
    }

    fn block(&mut self, block: BlockId, args: Vec<Val>) -> PlainResult<BlockEnd> {
        let data = self.module.block(block);
        for (&param, value) in data.args.iter().zip(args) {
            self.set(param, value);
        }
        for &id in &data.ops {
            if self.module.op(id).op.row().family != Family::Control {
                self.execute(id)?;
            } else if let Some(end) = self.control(id)? {
                return Ok(end);
            }
        }
        Ok(BlockEnd::Fell)
    }

    /// A control operation; something when it ends its block.
    fn control(&mut self, id: OpId) -> PlainResult<Option<BlockEnd>> {
        let regions = self.module.op_regions(id);
        let results = match self.module.op(id).op {
            op::scf_yield | op::fusion_yield => return Ok(Some(BlockEnd::Yield(self.all(id)))),
            op::func_return => return Ok(Some(BlockEnd::Return(self.all(id)))),
            op::scf_condition => {
                let passed = self.operands(id, "args").into_iter().map(|v| self.get(v)).collect();
                return Ok(Some(BlockEnd::Condition(self.need(id, "condition").truth(), passed)));
            }
            op::cf_br => return Ok(Some(self.jump(id, 0))),
            op::cf_cond_br => {
                let taken = usize::from(!self.need(id, "condition").truth());
                return Ok(Some(self.jump(id, taken)));
            }
            op::cf_switch => {
                let flag = self.int_in(id, "flag");
                let cases = self.module.successors(id);
                let taken = cases.iter().position(|s| s.case == Some(flag));
                let default = cases.iter().position(|s| s.case.is_none()).expect("a default");
                return Ok(Some(self.jump(id, taken.unwrap_or(default))));
            }
            op::builtin_module | op::section_cube | op::section_vector => {
                self.region(regions[0], Vec::new())?;
                Vec::new()
            }
            op::func_func => Vec::new(),
            op::func_call => self.call(id)?,
            op::scf_for => self.for_loop(id)?,
            op::scf_while => self.while_loop(id)?,
            op::scf_if => {
                let side = usize::from(!self.need(id, "condition").truth());
                match regions.get(side) {
                    Some(&region) => self.region(region, Vec::new())?.yielded(),
                    None => Vec::new(),
                }
            }
            op::scf_execute_region | op::fusion_region => self.region(regions[0], Vec::new())?.yielded(),
            op::scf_index_switch => {
                let on = self.int_in(id, "arg");
                let case = self.ints_attr(id, "cases").iter().position(|c| *c == Some(on));
                self.region(regions[case.map_or(0, |c| c + 1)], Vec::new())?.yielded()
            }
            other => panic!("control operation {}", other.row().name),
        };
        for (value, val) in self.module.results(id).zip(results) {
            self.set(value, val);
        }
        Ok(None)
    }

    fn all(&self, id: OpId) -> Vec<Val> {
        self.module.operands(id).iter().map(|o| self.get(o.value)).collect()
    }

    fn jump(&mut self, id: OpId, at: usize) -> BlockEnd {
        let successor = &self.module.successors(id)[at];
        let params = &self.module.block(successor.block).args;
        let values = successor.args.iter().map(|v| self.get(*v)).collect();
        BlockEnd::Branch(successor.block, self.handed_on(params, values))
    }

    /// Values as the next iteration receives them: a tile value is copied, a buffer stays the same buffer.
    fn handed_on(&mut self, params: &[ValueId], values: Vec<Val>) -> Vec<Val> {
        let mut all = Vec::new();
        for (&param, val) in params.iter().zip(values) {
            all.push(match (self.ty(param).clone(), val) {
                (Type::Tile(ty), Val::Tile(tile)) => {
                    let tile = *tile.borrow();
                    Val::new_tile(self.copy_tile(&tile, &ty))
                }
                (_, val) => val,
            });
        }
        all
    }

    fn call(&mut self, id: OpId) -> PlainResult<Vec<Val>> {
        let function = self.module.called_function(id).expect("the function");
        let args = self.all(id);
        self.function(function, args)
    }

    fn for_loop(&mut self, id: OpId) -> PlainResult<Vec<Val>> {
        let region = self.module.op_regions(id)[0];
        let params = &self.module.block(self.module.region(region).blocks[0]).args;
        let (lower, upper, step) = (self.int_in(id, "lower"), self.int_in(id, "upper"), self.int_in(id, "step"));
        if step <= 0 {
            return Err(codes::RUN_VALUE);
        }
        let inits = self.operands(id, "inits").into_iter().map(|v| self.get(v)).collect();
        let mut carried = self.handed_on(&params[1..], inits);
        let counter_type = super::scalar(self.ty(params[0]));
        let mut counter = i128::from(lower);
        while counter < i128::from(upper) {
            let number = Val::Bits(super::convert::from_int(counter, counter_type));
            let args = std::iter::once(number).chain(carried).collect();
            let yielded = self.region(region, args)?.yielded();
            carried = self.handed_on(&params[1..], yielded);
            counter += i128::from(step);
        }
        Ok(carried)
    }

    fn while_loop(&mut self, id: OpId) -> PlainResult<Vec<Val>> {
        let [before, after] = self.module.op_regions(id) else { panic!("two regions") };
        let params = &self.module.block(self.module.region(*before).blocks[0]).args;
        let inits = self.operands(id, "inits").into_iter().map(|v| self.get(v)).collect();
        let mut carried = self.handed_on(params, inits);
        for _ in 0..MAX_TURNS {
            match self.region(*before, carried)? {
                BlockEnd::Condition(true, passed) => {
                    let yielded = self.region(*after, passed)?.yielded();
                    carried = self.handed_on(params, yielded);
                }
                BlockEnd::Condition(false, passed) => return Ok(passed),
                _ => panic!("no condition"),
            }
        }
        panic!("a loop that does not end");
    }
}
