//! Structured control flow, and jumps.

use super::{Built, Writer};
use pto_ir::{Attr, OpId, ValueId};
use pto_isa::table::op;

impl Writer<'_> {
    /// A variable for a value that a region fills or changes.
    fn variable(&mut self, value: ValueId, init: &str) -> Built<String> {
        if self.module.value_type(value).view().is_some() {
            return Err(self.unsupported("a view that a region hands on"));
        }
        let ty = self.type_of(value)?;
        Ok(self.declare(value, &ty, init, false))
    }

    fn variables(&mut self, values: &[ValueId]) -> Built<Vec<String>> {
        values.iter().map(|&v| self.variable(v, "")).collect()
    }

    fn results(&self, id: OpId) -> Vec<ValueId> {
        self.module.results(id).collect()
    }

    fn name_all(&mut self, values: &[ValueId], names: &[String]) {
        for (value, name) in values.iter().zip(names) {
            self.texts[value.index()] = Some(name.clone());
        }
    }

    pub(super) fn for_op(&mut self, id: OpId) -> Built<()> {
        let [lower, upper, step] = ["lower", "upper", "step"].map(|n| self.operand_text(id, n));
        let (lower, upper, step) = (lower?, upper?, step?);
        let Some(&region) = self.module.op_regions(id).first() else { return Ok(()) };
        let Some(&body) = self.module.region(region).blocks.first() else { return Ok(()) };
        let args = self.module.block(body).args.clone();
        let Some((&counter, carried)) = args.split_first() else {
            return Err(self.unsupported("a loop without a counter"));
        };
        let (inits, results) = (self.operands(id, "inits"), self.results(id));
        let mut names = Vec::new();
        for (&result, &init) in results.iter().zip(&inits) {
            let init_text = self.text(init)?;
            if let (Some(tile), None) = (self.tile_of(init), self.tiles.get(&result)) {
                self.tiles.insert(result, tile);
            }
            names.push(self.variable(result, &init_text)?);
        }
        for (&arg, &result) in carried.iter().zip(&results) {
            if let Some(tile) = self.tile_of(result) {
                self.tiles.insert(arg, tile);
            }
        }
        self.name_all(carried, &names);
        let ty = self.type_of(counter)?;
        let i = self.names.fresh(self.module.value_name(counter));
        self.texts[counter.index()] = Some(i.clone());
        let next = if step == "1" { format!("++{i}") } else { format!("{i} += {step}") };
        self.open(&format!("for ({ty} {i} = {lower}; {i} < {upper}; {next}) {{"));
        self.yields.push(names);
        self.region_blocks(region);
        self.yields.pop();
        self.out.close("}");
        Ok(())
    }

    pub(super) fn if_op(&mut self, id: OpId) -> Built<()> {
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
                self.out.turn("} else {");
            }
            self.yields.push(names.clone());
            self.region_blocks(region);
            self.yields.pop();
        }
        self.out.close("}");
        Ok(())
    }

    pub(super) fn while_op(&mut self, id: OpId) -> Built<()> {
        let regions = self.module.op_regions(id).to_vec();
        let [before, after] = regions[..] else { return Err(self.unsupported("a loop without its two regions")) };
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
        self.conditions.push(handed);
        self.region_blocks(before);
        self.conditions.pop();
        self.yields.push(names);
        self.region_blocks(after);
        self.yields.pop();
        self.out.close("}");
        Ok(())
    }

    pub(super) fn condition(&mut self, id: OpId) -> Built<()> {
        let targets = self.conditions.last().cloned().unwrap_or_default();
        let values = self.operands(id, "args");
        self.hand_over(&targets, &values)?;
        let condition = self.operand_text(id, "condition")?;
        self.line(&format!("if (!{condition}) break;"));
        Ok(())
    }

    pub(super) fn yield_op(&mut self, id: OpId) -> Built<()> {
        let targets = self.yields.last().cloned().unwrap_or_default();
        let values: Vec<ValueId> = self.module.operands(id).iter().map(|o| o.value).collect();
        self.hand_over(&targets, &values)
    }

    /// Assigns values to variables as if at once: where one is read after it was written, all are copied first.
    fn hand_over(&mut self, targets: &[String], values: &[ValueId]) -> Built<()> {
        let texts: Vec<String> = values.iter().map(|v| self.text(*v)).collect::<Built<_>>()?;
        let pairs: Vec<(&String, String, ValueId)> = targets
            .iter()
            .zip(texts)
            .zip(values)
            .map(|((to, from), v)| (to, from, *v))
            .filter(|(to, from, _)| *to != from)
            .collect();
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
            let copy = self.names.fresh("next");
            match &mut self.hoisted {
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
    pub(super) fn region_op(&mut self, id: OpId) -> Built<()> {
        let results = self.results(id);
        let names = self.variables(&results)?;
        self.open("{");
        self.yields.push(names);
        for &region in self.module.op_regions(id) {
            self.region_blocks(region);
        }
        self.yields.pop();
        self.out.close("}");
        Ok(())
    }

    pub(super) fn index_switch(&mut self, id: OpId) -> Built<()> {
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
            self.out.open(&format!("{word}: {{"), None);
            self.yields.push(names.clone());
            self.region_blocks(region);
            self.yields.pop();
            self.out.line("break;", None);
            self.out.close("}");
        }
        self.out.close("}");
        Ok(())
    }

    /// `cf.br`, `cf.cond_br` and `cf.switch`.
    pub(super) fn jump(&mut self, id: OpId) -> Built<()> {
        let successors = self.module.successors(id).to_vec();
        let go = |w: &mut Self, s: &pto_ir::Successor| -> Built<()> {
            let Some((label, variables)) = w.labels.get(&s.block).cloned() else {
                return Err(w.unsupported("a jump out of its region"));
            };
            w.hand_over(&variables, &s.args)?;
            w.line(&format!("goto {label};"));
            Ok(())
        };
        match (self.module.op(id).op, &successors[..]) {
            (op::cf_br, [to]) => go(self, to),
            (op::cf_cond_br, [yes, no]) => {
                let condition = self.operand_text(id, "condition")?;
                self.open(&format!("if ({condition}) {{"));
                go(self, yes)?;
                self.out.close("}");
                go(self, no)
            }
            _ => {
                let flag = self.operand_text(id, "flag")?;
                self.open(&format!("switch ({flag}) {{"));
                for s in &successors {
                    let word = s.case.map_or("default".to_string(), |n| format!("case {n}"));
                    self.out.open(&format!("{word}: {{"), None);
                    go(self, s)?;
                    self.out.close("}");
                }
                self.out.close("}");
                Ok(())
            }
        }
    }
}
