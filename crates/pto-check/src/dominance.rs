//! Every use is reached by its definition.
//!
//! In structured code the reader's scopes guarantee most of it; what is left is order within a block, and
//! blocks joined by branches, where a definition must lie on every path to the use.

use crate::dominators::Dominators;
use pto_ir::{BlockId, Def, Module, OpId, RegionId, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::text;
use pto_isa::{Diagnostic, Span, codes};

pub(crate) fn check(module: &Module, order: &[OpId], problems: &mut Vec<Diagnostic>) {
    let places = OpBlocks::collect(module, order);
    let mut dominators = FastMap::default();
    for &id in order {
        let operands = module.operands(id).iter().map(|o| (o.value, o.span));
        let passed = module.successors(id).iter().flat_map(|s| s.args.iter().map(|&v| (v, module.op(id).name_span)));
        for (value, span) in operands.chain(passed) {
            if !places.reaches(module, value, id, &mut dominators) {
                report(module, value, span, problems);
            }
        }
    }
}

fn report(module: &Module, value: ValueId, span: Span, problems: &mut Vec<Diagnostic>) {
    let name = module.value_name(value);
    problems.push(
        Diagnostic::new(codes::DOMINANCE, span, text!("`%{name}` is used where its definition may not have run", name))
            .label(module.value(value).span, text!("defined here"))
            .help(text!("move the definition before this use")),
    );
}

/// The position of each operation, and the owner of each block.
struct OpBlocks {
    op: Vec<(BlockId, u32)>,
    region: FastMap<BlockId, (RegionId, OpId)>,
}

impl OpBlocks {
    fn collect(module: &Module, order: &[OpId]) -> Self {
        let mut places = Self { op: vec![(module.top, u32::MAX); module.op_count()], region: FastMap::default() };
        places.block(module, module.top);
        for &id in order {
            for &region in module.op_regions(id) {
                for &block in &module.region(region).blocks {
                    places.region.insert(block, (region, id));
                    places.block(module, block);
                }
            }
        }
        places
    }

    fn block(&mut self, module: &Module, block: BlockId) {
        for (at, &op) in module.block(block).ops.iter().enumerate() {
            self.op[op.index()] = (block, at as u32);
        }
    }

    fn reaches(
        &self,
        module: &Module,
        value: ValueId,
        user: OpId,
        dominators: &mut FastMap<RegionId, Dominators>,
    ) -> bool {
        let (home, before) = match module.value(value).def {
            Def::Missing => return true,
            Def::Arg(block, _) => (block, None),
            Def::Result(op, _) => (self.op[op.index()].0, Some(self.op[op.index()].1)),
        };
        let (mut block, mut at) = self.op[user.index()];
        loop {
            if block == home {
                return before.is_none_or(|b| b < at);
            }
            let same_region = self.region.get(&block).zip(self.region.get(&home)).filter(|(x, y)| x.0 == y.0);
            if let Some((&(region, _), _)) = same_region {
                return dominators
                    .entry(region)
                    .or_insert_with(|| Dominators::of(module, region))
                    .dominates(home, block);
            }
            match self.region.get(&block) {
                Some(&(_, parent)) => (block, at) = self.op[parent.index()],
                None => return false,
            }
        }
    }
}
