//! A function and its callees, without the rest of a file.

use pto_ir::{Attr, BlockId, Module, OpId, Sym};
use pto_isa::Span;
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::row::Control;

/// The part of a file that a function needs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reach {
    /// The file without unrelated functions.
    pub module: Module,
    /// The spans of those.
    left_out: Vec<Span>,
}

impl Reach {
    /// True for a span in an unrelated function.
    pub fn leaves_out(&self, place: Span) -> bool {
        self.left_out.iter().any(|f| f.start <= place.start && place.end <= f.end)
    }
}

/// The function of a name and all that it needs: its callees, directly or not, and the other ends of its FIFO pipes.
/// `None` if there is no such function.
pub fn reach(module: &Module, name: &str) -> Option<Reach> {
    let functions = module.functions();
    let by_name = module.functions_by_name();
    let needs = needs(module, &functions, &by_name);
    let mut kept = FastSet::default();
    let mut open = vec![*by_name.get(&module.names.get(name)?)?];
    while let Some(function) = open.pop() {
        if kept.insert(function) {
            open.extend(needs.get(&function).into_iter().flatten());
        }
    }
    let dropped: FastSet<OpId> = functions.into_iter().filter(|f| !kept.contains(f)).collect();
    let left_out = dropped.iter().map(|f| module.op(*f).span).collect();
    let mut module = module.clone();
    let top = module.top;
    remove(&mut module, top, &dropped);
    Some(Reach { module, left_out })
}

/// The functions that each function needs. A call needs its callee; the ends of a FIFO pipe need each other.
fn needs(module: &Module, functions: &[OpId], by_name: &FastMap<Sym, OpId>) -> FastMap<OpId, Vec<OpId>> {
    let mut needs: FastMap<OpId, Vec<OpId>> = FastMap::default();
    for &function in functions {
        for block in blocks_of(module, function) {
            module.walk(block, &mut |id| {
                for (_, attr) in module.attrs(id) {
                    let Attr::Symbol(name) = attr else { continue };
                    let Some(&other) = by_name.get(name) else { continue };
                    needs.entry(function).or_default().push(other);
                    if module.control(id) != Some(Control::Call) {
                        needs.entry(other).or_default().push(function);
                    }
                }
            });
        }
    }
    needs
}

fn blocks_of(module: &Module, id: OpId) -> Vec<BlockId> {
    module.op_regions(id).iter().flat_map(|r| module.region(*r).blocks.iter().copied()).collect()
}

/// Takes functions out of a block and of the modules in it.
fn remove(module: &mut Module, block: BlockId, functions: &FastSet<OpId>) {
    module.block_mut(block).ops.retain(|id| !functions.contains(id));
    let modules = module.block(block).ops.iter().filter(|id| module.control(**id) == Some(Control::Module));
    let inside: Vec<BlockId> = modules.flat_map(|id| blocks_of(module, *id)).collect();
    for inner in inside {
        remove(module, inner, functions);
    }
}
