//! Facts about a program that the emitter needs repeatedly.

use pto_ir::{BlockId, Module, OpId};
use pto_isa::row::Control;
use std::cell::OnceCell;
use std::collections::HashMap;

pub(super) struct Facts {
    /// The operations that use each value.
    pub uses: Vec<Vec<OpId>>,
    /// The loop that each body belongs to.
    pub loops: HashMap<BlockId, OpId>,
    /// How many functions have a body, once that was asked for.
    pub bodies: OnceCell<usize>,
    /// The first operation of the top level that states a kind of core.
    pub first_kind: OnceCell<Option<OpId>>,
}

impl Facts {
    pub fn new(module: &Module) -> Self {
        let mut uses = vec![Vec::new(); module.value_count()];
        let mut loops = HashMap::new();
        for id in module.order() {
            for operand in module.operands(id) {
                uses[operand.value.index()].push(id);
            }
            if module.control(id) == Some(Control::For) {
                let bodies = module.op_regions(id).iter().flat_map(|r| &module.region(*r).blocks);
                loops.extend(bodies.map(|b| (*b, id)));
            }
        }
        Self { uses, loops, bodies: OnceCell::new(), first_kind: OnceCell::new() }
    }
}
