//! Structured control flow, and jumps.

use super::{EmitResult, Writer};
use pto_ir::{Attr, BlockId, Def, OpId, ValueId};
use pto_isa::row::Control;
use pto_isa::text;
use std::collections::HashMap;

/// Where control flow puts values, and how blocks are reached.
#[derive(Default)]
pub(super) struct Flow {
    /// Where `yield` puts its values, the innermost region last.
    pub yields: Vec<Vec<String>>,
    /// Where `condition` puts its values, the innermost loop last.
    pub conditions: Vec<Vec<String>>,
    /// The types of variables that regions fill.
    pub variable_types: HashMap<String, String>,
    /// Declarations for the head of the region, while its blocks are reached by jumps.
    pub hoisted: Option<Vec<String>>,
    /// Labels of blocks that are reached by jumps, with the variables for their arguments.
    pub labels: HashMap<BlockId, (String, Vec<String>)>,
}

impl Writer<'_> {
    /// A variable for a value that a region fills or changes; nothing for views, which have no variable.
    fn variable(&mut self, value: ValueId, init: &str) -> EmitResult<String> {
        if self.module.value_type(value).view().is_some() {
            return Ok(String::new());
        }
        let ty = self.type_of(value)?;
        let name = self.declare(value, &ty, init, false);
        self.flow.variable_types.insert(name.clone(), ty);
        Ok(name)
    }

    fn variables(&mut self, values: &[ValueId]) -> EmitResult<Vec<String>> {
        values.iter().map(|&v| self.variable(v, "")).collect()
    }

    /// Views that come out of a region, or go around a loop, are those that went in.
    fn pass_views(&mut self, values: &[ValueId]) -> EmitResult<()> {
        for &value in values.iter().filter(|v| self.module.value_type(**v).view().is_some()) {
            let same = self.view_root(value, 0).filter(|root| *root != value);
            let Some(view) = same.and_then(|root| self.values.views.get(&root)).cloned() else {
                let d = *self.unsupported(text!("a region result that is not always the same view"));
                return Err(Box::new(d.help(
                    text!("yield the pointer and the extents that differ, and create the view with `pto.make_tensor_view` behind the region"),
                )));
            };
            self.define_view(value, view);
        }
        Ok(())
    }

    /// The view that a value always is, through branches and loops.
    fn view_root(&self, value: ValueId, depth: u32) -> Option<ValueId> {
        // Programs do not nest deeper than the reader lets them.
        if depth > 500 {
            return None;
        }
        let yielded = |region: pto_ir::RegionId, at: usize| {
            let &last = self.module.region(region).blocks.last()?;
            let &end = self.module.block(last).ops.last()?;
            self.module.operands(end).get(at).map(|o| o.value)
        };
        match self.module.value(value).def {
            Def::Result(id, at) => {
                let regions = self.module.op_regions(id);
                match self.module.control(id) {
                    Some(Control::If | Control::Execute) => {
                        let mut roots = regions.iter().map(|r| self.view_root(yielded(*r, at as usize)?, depth + 1));
                        let first = roots.next()??;
                        roots.all(|r| r == Some(first)).then_some(first)
                    }
                    Some(Control::For) => self.loop_root(id, at as usize, depth),
                    _ => Some(value),
                }
            }
            Def::Arg(block, at) => match self.facts.loops.get(&block) {
                Some(&id) if at > 0 => self.loop_root(id, at as usize - 1, depth),
                _ => Some(value),
            },
            Def::Missing => None,
        }
    }

    /// The carried value is the initial one if the body yields its own argument or the same view.
    fn loop_root(&self, id: OpId, at: usize, depth: u32) -> Option<ValueId> {
        let &init = self.operands(id, "inits").get(at)?;
        let root = self.view_root(init, depth + 1)?;
        let &region = self.module.op_regions(id).first()?;
        let &body = self.module.region(region).blocks.first()?;
        let &end = self.module.block(body).ops.last()?;
        let next = self.module.operands(end).get(at)?.value;
        let own = self.module.block(body).args.get(at + 1) == Some(&next);
        (own || next == root || self.passes_through(next, body, at, root, depth)).then_some(root)
    }

    /// The value is the loop's argument, or the view itself, behind branches of the body.
    fn passes_through(&self, value: ValueId, body: BlockId, at: usize, root: ValueId, depth: u32) -> bool {
        if self.module.block(body).args.get(at + 1) == Some(&value) || value == root {
            return true;
        }
        let Def::Result(id, k) = self.module.value(value).def else { return false };
        if depth > 500 || !matches!(self.module.control(id), Some(Control::If | Control::For)) {
            return false;
        }
        let inner = self.module.op_regions(id).iter().all(|r| {
            let end = self.module.region(*r).blocks.last().and_then(|b| self.module.block(*b).ops.last());
            let handed = end.and_then(|e| self.module.operands(*e).get(k as usize));
            let carried = |v: ValueId| self.module.value(v).def == self.carried(*r, k as usize);
            handed.is_some_and(|o| carried(o.value) || self.passes_through(o.value, body, at, root, depth + 1))
        });
        let inits = self.operands(id, "inits");
        inner && inits.get(k as usize).is_none_or(|v| self.passes_through(*v, body, at, root, depth + 1))
    }

    /// The argument of a loop's body for its n-th carried value.
    fn carried(&self, region: pto_ir::RegionId, at: usize) -> Def {
        self.module.region(region).blocks.first().map_or(Def::Missing, |b| Def::Arg(*b, at as u32 + 1))
    }

    fn results(&self, id: OpId) -> Vec<ValueId> {
        self.module.results(id).collect()
    }

    fn name_all(&mut self, values: &[ValueId], names: &[String]) {
        for (value, name) in values.iter().zip(names).filter(|(_, n)| !n.is_empty()) {
            self.values.texts[value.index()] = Some(name.clone());
        }
    }

    pub(super) fn for_op(&mut self, id: OpId) -> EmitResult<()> {
        let [lower, upper, step] = ["lower", "upper", "step"].map(|n| self.operand_text(id, n));
        let (lower, upper, step) = (lower?, upper?, step?);
        let Some(&region) = self.module.op_regions(id).first() else { return Ok(()) };
        let Some(&body) = self.module.region(region).blocks.first() else { return Ok(()) };
        let args = self.module.block(body).args.clone();
        let Some((&counter, carried)) = args.split_first() else {
            return Err(self.unsupported(text!("a loop without a counter")));
        };
        let (inits, results) = (self.operands(id, "inits"), self.results(id));
        let mut names = Vec::new();
        for (&result, &init) in results.iter().zip(&inits) {
            if self.module.value_type(result).view().is_some() {
                names.push(String::new());
                continue;
            }
            let init_text = self.text(init)?;
            if let (Some(tile), None) = (self.tile_of(init), self.values.tiles.get(&result)) {
                self.values.tiles.insert(result, tile);
            }
            names.push(self.variable(result, &init_text)?);
        }
        for (&arg, &result) in carried.iter().zip(&results) {
            if let Some(tile) = self.tile_of(result) {
                self.values.tiles.insert(arg, tile);
            }
        }
        self.name_all(carried, &names);
        let ty = self.type_of(counter)?;
        let i = self.values.names.fresh(self.module.value_name(counter));
        self.values.texts[counter.index()] = Some(i.clone());
        let next = if step == "1" { format!("++{i}") } else { format!("{i} += {step}") };
        self.open(&format!("for ({ty} {i} = {lower}; {i} < {upper}; {next}) {{"));
        self.pass_views(carried)?;
        self.flow.yields.push(names);
        self.region_blocks(region);
        self.flow.yields.pop();
        self.output.text.close("}");
        self.pass_views(&results)
    }

    pub(super) fn if_op(&mut self, id: OpId) -> EmitResult<()> {
        let condition = self.operand_text(id, "condition")?;
        let results = self.results(id);
        let names = self.variables(&results)?;
        let regions = self.module.op_regions(id).to_vec();
        self.open(&format!("if ({condition}) {{"));
        for (at, &region) in regions.iter().enumerate() {
            if at > 0 {
                if self.module.region(region).blocks.iter().all(|b| self.module.block(*b).ops.is_empty()) {
                    continue;
                }
                self.output.text.close_and_open("} else {");
            }
            self.flow.yields.push(names.clone());
            self.region_blocks(region);
            self.flow.yields.pop();
        }
        self.output.text.close("}");
        self.pass_views(&results)
    }

    pub(super) fn while_op(&mut self, id: OpId) -> EmitResult<()> {
        let regions = self.module.op_regions(id).to_vec();
        let [before, after] = regions[..] else {
            return Err(self.unsupported(text!("a loop without its two regions")));
        };
        let first = |w: &Self, r| w.module.region(r).blocks.first().map(|b| w.module.block(*b).args.clone());
        let (before_args, after_args) =
            (first(self, before).unwrap_or_default(), first(self, after).unwrap_or_default());
        let mut names = Vec::new();
        for (&arg, init) in before_args.iter().zip(self.operands(id, "inits")) {
            let text = self.text(init)?;
            names.push(self.variable(arg, &text)?);
        }
        let results = self.results(id);
        let handed = self.variables(&results)?;
        self.name_all(&after_args, &handed);
        self.open("while (true) {");
        self.flow.conditions.push(handed);
        self.region_blocks(before);
        self.flow.conditions.pop();
        self.flow.yields.push(names);
        self.region_blocks(after);
        self.flow.yields.pop();
        self.output.text.close("}");
        Ok(())
    }

    pub(super) fn condition(&mut self, id: OpId) -> EmitResult<()> {
        let targets = self.flow.conditions.last().cloned().unwrap_or_default();
        let values = self.operands(id, "args");
        self.hand_over(&targets, &values)?;
        let condition = self.operand_text(id, "condition")?;
        self.line(&format!("if (!{condition}) break;"));
        Ok(())
    }

    pub(super) fn yield_op(&mut self, id: OpId) -> EmitResult<()> {
        let targets = self.flow.yields.last().cloned().unwrap_or_default();
        let values: Vec<ValueId> = self.module.operands(id).iter().map(|o| o.value).collect();
        self.hand_over(&targets, &values)
    }

    /// Assigns values to variables as if at once: where one is read after it was written, all are copied first.
    fn hand_over(&mut self, targets: &[String], values: &[ValueId]) -> EmitResult<()> {
        let mut pairs: Vec<(&String, String, ValueId)> = Vec::new();
        for (to, &value) in targets.iter().zip(values).filter(|(to, _)| !to.is_empty()) {
            let from = self.text(value)?;
            if self
                .flow
                .variable_types
                .get(to)
                .cloned()
                .is_some_and(|ty| self.type_of(value).is_ok_and(|own| own != ty))
            {
                return Err(
                    self.unsupported(text!("tiles of different C++ types in one place, a window and a whole tile say"))
                );
            }
            if *to != from {
                pairs.push((to, from, value));
            }
        }
        let clash = pairs.iter().enumerate().any(|(at, (_, from, _))| pairs[..at].iter().any(|(to, ..)| *to == from));
        if !clash {
            for (to, from, _) in pairs {
                self.line(&format!("{to} = {from};"));
            }
            return Ok(());
        }
        let mut copies = Vec::new();
        for (to, from, value) in pairs {
            let ty = self.type_of(value)?;
            let copy = self.values.names.fresh("next");
            match &mut self.flow.hoisted {
                Some(list) => {
                    list.push(format!("{};", super::types::declaration(&ty, &copy)));
                    self.line(&format!("{copy} = {from};"));
                }
                None => self.line(&format!("{} = {from};", super::types::declaration(&ty, &copy))),
            }
            copies.push(format!("{to} = {copy};"));
        }
        copies.iter().for_each(|c| self.line(c));
        Ok(())
    }

    /// A region that runs once.
    pub(super) fn region_op(&mut self, id: OpId) -> EmitResult<()> {
        let results = self.results(id);
        let names = self.variables(&results)?;
        self.open("{");
        self.flow.yields.push(names);
        for &region in self.module.op_regions(id) {
            self.region_blocks(region);
        }
        self.flow.yields.pop();
        self.output.text.close("}");
        self.pass_views(&results)
    }

    pub(super) fn index_switch(&mut self, id: OpId) -> EmitResult<()> {
        let arg = self.operand_text(id, "arg")?;
        let results = self.results(id);
        let names = self.variables(&results)?;
        let cases: Vec<i64> = match self.module.attr(id, "cases") {
            Some(Attr::Array(items)) => items.iter().filter_map(Attr::int).collect(),
            _ => Vec::new(),
        };
        self.open(&format!("switch ({arg}) {{"));
        for (at, &region) in self.module.op_regions(id).to_vec().iter().enumerate() {
            // The default comes first among the regions.
            let word =
                if at == 0 { "default".to_string() } else { format!("case {}", cases.get(at - 1).unwrap_or(&0)) };
            self.output.text.open(&format!("{word}: {{"), None);
            self.flow.yields.push(names.clone());
            self.region_blocks(region);
            self.flow.yields.pop();
            self.output.text.line("break;", None);
            self.output.text.close("}");
        }
        self.output.text.close("}");
        Ok(())
    }

    /// `cf.br`, `cf.cond_br` and `cf.switch`.
    pub(super) fn jump(&mut self, id: OpId) -> EmitResult<()> {
        let successors = self.module.successors(id).to_vec();
        let go = |w: &mut Self, s: &pto_ir::Successor| -> EmitResult<()> {
            let Some((label, variables)) = w.flow.labels.get(&s.block).cloned() else {
                return Err(w.unsupported(text!("a jump out of its region")));
            };
            w.hand_over(&variables, &s.args)?;
            w.line(&format!("goto {label};"));
            Ok(())
        };
        match (self.module.control(id), &successors[..]) {
            (Some(Control::Branch), [to]) => go(self, to),
            (Some(Control::CondBranch), [yes, no]) => {
                let condition = self.operand_text(id, "condition")?;
                self.open(&format!("if ({condition}) {{"));
                go(self, yes)?;
                self.output.text.close("}");
                go(self, no)
            }
            _ => {
                let flag = self.operand_text(id, "flag")?;
                self.open(&format!("switch ({flag}) {{"));
                for s in &successors {
                    let word = s.case.map_or("default".to_string(), |n| format!("case {n}"));
                    self.output.text.open(&format!("{word}: {{"), None);
                    go(self, s)?;
                    self.output.text.close("}");
                }
                self.output.text.close("}");
                Ok(())
            }
        }
    }
}
