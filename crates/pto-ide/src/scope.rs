//! The values that are visible at a position.

use crate::Document;
use pto::Module;
use pto::ir::{BlockId, Def, ValueId};
use pto::isa::Span;
use pto::isa::sort::SharedSort;

/// The values that a statement at a byte can use, in the order of the text.
pub(crate) fn visible(document: &Document, at: u32) -> Vec<ValueId> {
    let module = document.module();
    let mut found = Vec::new();
    collect(module, module.top, at, &mut found);
    // Results of statements that could not be read have names, too.
    if let Some((around, _)) = document.index().function_at(at) {
        let missing = (0..module.value_count()).map(ValueId::from_index).filter(|id| {
            let value = module.value(*id);
            let before = value.def == Def::Missing && around.start <= value.span.start && value.span.end < at;
            before && document.slice(Span::new(value.span.end, at)).contains('\n')
        });
        found.extend(missing);
    }
    found.shared_sort_by_key(|id| module.value(*id).span.start);
    found
}

fn collect(module: &Module, block: BlockId, at: u32, found: &mut Vec<ValueId>) {
    let block = module.block(block);
    found.extend(&block.args);
    let before = block.ops.partition_point(|id| module.op(*id).span.start < at);
    for &id in &block.ops[..before] {
        let op = module.op(id);
        if op.span.end <= at {
            found.extend(module.results(id));
            continue;
        }
        // Functions do not see what is around them.
        if module.control(id) == Some(pto::isa::row::Control::Function) {
            found.clear();
        }
        for &region in module.op_regions(id) {
            let blocks = &module.region(region).blocks;
            let begun = blocks.iter().filter(|b| starts_before(module, **b, at));
            // Blocks of one region see the earlier ones; other regions of an operation are closed.
            if begun.clone().next_back().is_some_and(|last| at <= module.block(*last).end) {
                begun.for_each(|inner| collect(module, *inner, at, found));
            }
        }
    }
}

/// True unless everything in a block is behind the position.
fn starts_before(module: &Module, block: BlockId, at: u32) -> bool {
    let block = module.block(block);
    let first = block.ops.first().map(|id| module.op(*id).span.start);
    let parameter = block.args.first().map(|id| module.value(*id).span.start);
    first.or(parameter).is_none_or(|start| parameter.unwrap_or(start).min(start) < at)
}
