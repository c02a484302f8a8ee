//! Values that cross control flow: yields, returns, calls, branches, loop bounds.

use crate::structure::{Functions, function_type, head};
use pto_ir::{BlockId, Module, OpId, ValueId};
use pto_isa::row::Control;
use pto_isa::text;
use pto_isa::{Diagnostic, Span, Type, codes};

/// Checks the values that an operation exchanges with its regions, its function, or its targets.
pub(crate) fn check(module: &Module, id: OpId, functions: &Functions, problems: &mut Vec<Diagnostic>) {
    let cx = ControlOp { module, id };
    match module.control(id) {
        Some(Control::For) => cx.for_op(problems),
        Some(Control::If | Control::Execute | Control::IndexSwitch) => cx.yields_results(problems),
        Some(Control::Fusion) => cx.fusion(problems),
        Some(Control::While) => cx.while_op(problems),
        Some(Control::Function) => cx.returns(problems),
        Some(Control::Call) => cx.call(functions, problems),
        Some(Control::Switch) => cx.one_default(problems),
        // They pass no values, or the operation around them does.
        Some(
            Control::Module
            | Control::Section(_)
            | Control::Return
            | Control::Yield
            | Control::FusionYield
            | Control::Condition
            | Control::Branch
            | Control::CondBranch,
        )
        | None => {}
    }
    cx.branches(problems);
}

struct ControlOp<'a> {
    module: &'a Module,
    id: OpId,
}

impl ControlOp<'_> {
    fn results(&self) -> Vec<ValueId> {
        self.module.results(self.id).collect()
    }

    fn slot(&self, slot: usize) -> Vec<ValueId> {
        self.module.in_slot(self.id, slot).map(|o| o.value).collect()
    }

    fn first_block(&self, region: usize) -> Option<BlockId> {
        let region = *self.module.op_regions(self.id).get(region)?;
        self.module.region(region).blocks.first().copied()
    }

    fn types(&self, values: &[ValueId]) -> Vec<&Type> {
        values.iter().map(|&v| self.module.value_type(v)).collect()
    }

    /// Two lists of types must agree; unknown types were reported elsewhere.
    fn agree(&self, what: &str, span: Span, have: &[&Type], want: &[&Type], problems: &mut Vec<Diagnostic>) {
        if have.len() != want.len() {
            let message = text!("{what}: {have} values, {want} expected", what, have = have.len(), want = want.len());
            problems.push(Diagnostic::new(codes::RESULT_TYPES, span, message).label(head(self.module, self.id), ""));
            return;
        }
        for (at, (h, w)) in have.iter().zip(want).enumerate() {
            if !h.same_object(w) {
                let message = text!("{what}: value {at} is {h}, {w} expected", what, at = at + 1, h, w);
                problems
                    .push(Diagnostic::new(codes::RESULT_TYPES, span, message).label(head(self.module, self.id), ""));
            }
        }
    }

    /// The operands of the terminators of a kind in a region.
    fn terminators(&self, region: usize, kind: Control) -> Vec<(OpId, Vec<ValueId>)> {
        let Some(&region) = self.module.op_regions(self.id).get(region) else { return Vec::new() };
        let blocks = &self.module.region(region).blocks;
        blocks
            .iter()
            .filter_map(|&b| self.module.block(b).ops.last().copied())
            .filter(|&o| self.module.control(o) == Some(kind))
            .map(|o| (o, self.module.operands(o).iter().map(|x| x.value).collect()))
            .collect()
    }

    fn yields(&self, region: usize, want: &[ValueId], problems: &mut Vec<Diagnostic>) {
        for (o, values) in self.terminators(region, Control::Yield) {
            self.agree(text!("yielded"), head(self.module, o), &self.types(&values), &self.types(want), problems);
        }
    }

    fn for_op(&self, problems: &mut Vec<Diagnostic>) {
        let results = self.results();
        let inits = self.slot(3);
        let span = head(self.module, self.id);
        self.agree(text!("initial values of the loop"), span, &self.types(&inits), &self.types(&results), problems);
        self.yields(0, &results, problems);
        if let Some(block) = self.first_block(0) {
            let args = &self.module.block(block).args;
            if args.len() != inits.len() + 1 {
                let message = text!(
                    "the loop body has {args} parameters, {inits} expected",
                    args = args.len(),
                    inits = inits.len() + 1
                );
                problems.push(Diagnostic::new(codes::RESULT_TYPES, span, message));
            } else {
                self.agree(text!("carried values"), span, &self.types(&args[1..]), &self.types(&inits), problems);
            }
        }
        let bounds: Vec<ValueId> = (0..3).flat_map(|s| self.slot(s)).collect();
        if let Some(block) = self.first_block(0)
            && let Some(&counter) = self.module.block(block).args.first()
        {
            let want = vec![self.module.value_type(counter); bounds.len()];
            self.agree(text!("bounds of the loop"), span, &self.types(&bounds), &want, problems);
        }
        self.step(problems);
    }

    fn step(&self, problems: &mut Vec<Diagnostic>) {
        let Some(step) = self.module.in_slot(self.id, 2).next() else { return };
        if let Some(n) = self.module.literal(step.value).filter(|n| *n <= 0) {
            problems
                .push(Diagnostic::new(codes::STEP, step.span, text!("a step of {n}", n)).legal(text!("at least 1")));
        }
    }

    fn yields_results(&self, problems: &mut Vec<Diagnostic>) {
        let results = self.results();
        let regions = self.module.op_regions(self.id).len();
        if self.module.control(self.id) == Some(Control::If) && !results.is_empty() && regions < 2 {
            let span = head(self.module, self.id);
            let d = Diagnostic::new(codes::RESULT_TYPES, span, text!("`scf.if` with results has no `else`"));
            problems.push(d.help(text!("add an `else` that yields the other values")));
        }
        for region in 0..regions {
            self.yields(region, &results, problems);
        }
    }

    fn fusion(&self, problems: &mut Vec<Diagnostic>) {
        let results = self.results();
        for (o, values) in self.terminators(0, Control::FusionYield) {
            self.agree(text!("yielded"), head(self.module, o), &self.types(&values), &self.types(&results), problems);
        }
    }

    fn while_op(&self, problems: &mut Vec<Diagnostic>) {
        let (inits, results) = (self.slot(0), self.results());
        for (o, values) in self.terminators(0, Control::Condition) {
            let passed = values.get(1..).unwrap_or_default();
            self.agree(
                text!("values passed on"),
                head(self.module, o),
                &self.types(passed),
                &self.types(&results),
                problems,
            );
        }
        self.yields(1, &inits, problems);
        let span = head(self.module, self.id);
        if let Some(block) = self.first_block(1) {
            let args = self.module.block(block).args.clone();
            self.agree(text!("parameters of `do`"), span, &self.types(&args), &self.types(&results), problems);
        }
        if let Some(block) = self.first_block(0) {
            let args = self.module.block(block).args.clone();
            self.agree(text!("parameters of the loop"), span, &self.types(&args), &self.types(&inits), problems);
        }
    }

    fn returns(&self, problems: &mut Vec<Diagnostic>) {
        let Some(ty) = function_type(self.module, self.id) else { return };
        let want: Vec<&Type> = ty.results.iter().collect();
        for (o, values) in self.terminators(0, Control::Return) {
            self.agree(text!("returned"), head(self.module, o), &self.types(&values), &want, problems);
        }
        if let Some(block) = self.first_block(0) {
            let args = self.module.block(block).args.clone();
            let want: Vec<&Type> = ty.inputs.iter().collect();
            self.agree(text!("parameters"), head(self.module, self.id), &self.types(&args), &want, problems);
        }
    }

    fn call(&self, functions: &Functions, problems: &mut Vec<Diagnostic>) {
        let span = head(self.module, self.id);
        let Some(name) = self.module.symbol(self.id, "callee") else { return };
        let Some(callee) = functions.get(name) else {
            let text = self.module.names.text(name);
            let mut d = Diagnostic::new(codes::CALL, span, text!("there is no function `@{text}`", text));
            if let Some(near) = functions.similar(self.module, text) {
                d = d.help(text!("did you mean `@{near}`?", near));
            }
            problems.push(d);
            return;
        };
        let Some(ty) = function_type(self.module, callee) else { return };
        let args: Vec<ValueId> = self.module.operands(self.id).iter().map(|o| o.value).collect();
        let text = self.module.names.text(name);
        let pairs = [
            (text!("arguments"), self.types(&args), ty.inputs.iter().collect::<Vec<_>>()),
            (text!("results"), self.types(&self.results()), ty.results.iter().collect()),
        ];
        for (what, have, want) in pairs {
            let wrong = have.len() != want.len() || have.iter().zip(&want).any(|(h, w)| !h.same_object(w));
            if wrong {
                let message = text!("{what} of this call do not match `@{text}`", what, text);
                let list = |t: &[&Type]| t.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                problems.push(
                    Diagnostic::new(codes::CALL, span, message)
                        .label(head(self.module, callee), text!("declared here"))
                        .legal(text!("{what}: ({want}), given ({have})", what, want = list(&want), have = list(&have))),
                );
            }
        }
    }

    /// A switch always goes somewhere.
    fn one_default(&self, problems: &mut Vec<Diagnostic>) {
        let defaults = self.module.successors(self.id).iter().filter(|s| s.case.is_none()).count();
        if defaults != 1 {
            let message = match defaults {
                0 => text!("the switch has no default block"),
                _ => text!("the switch has more than one default block"),
            };
            let d = Diagnostic::new(codes::BRANCH, head(self.module, self.id), message);
            problems.push(d.help(text!("write `default: ^block` in front of the cases, once")));
        }
    }

    fn branches(&self, problems: &mut Vec<Diagnostic>) {
        for s in self.module.successors(self.id) {
            let params = &self.module.block(s.block).args;
            let (have, want) = (self.types(&s.args), self.types(params));
            if have.len() != want.len() || have.iter().zip(&want).any(|(h, w)| !h.same_object(w)) {
                let list = |t: &[&Type]| t.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let message = text!(
                    "the branch passes ({have}), the block takes ({want})",
                    have = list(&have),
                    want = list(&want)
                );
                problems.push(Diagnostic::new(codes::BRANCH, head(self.module, self.id), message));
            }
        }
    }
}
