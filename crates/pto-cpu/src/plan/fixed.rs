//! Parameters whose memory a program only loads from.

use pto_ir::{Module, OpId, ValueId};
use pto_isa::Type;
use pto_isa::hash::FastMap;
use pto_isa::row::{Dir, Meaning, Movement, Storage};

/// For each parameter: true if the program does nothing with its memory but load from it. Who hands a pointer on may do anything.
pub(super) fn only_loaded(module: &Module, params: &[ValueId]) -> Vec<bool> {
    let mut only_loaded = vec![true; params.len()];
    let mut param_of: FastMap<ValueId, usize> = params.iter().enumerate().map(|(at, value)| (*value, at)).collect();
    for id in module.order() {
        if makes_pointer(module, id) {
            return vec![false; params.len()];
        }
        let escapes = module.successors(id).iter().flat_map(|s| &s.args).filter_map(|arg| param_of.get(arg));
        escapes.for_each(|at| only_loaded[*at] = false);
        for operand in module.operands(id) {
            let Some(&at) = param_of.get(&operand.value) else { continue };
            match use_of(module, id, operand.slot.into()) {
                PointerUse::Loads => {}
                PointerUse::Derives => param_of.extend(module.results(id).map(|result| (result, at))),
                PointerUse::Escapes => only_loaded[at] = false,
            }
        }
    }
    only_loaded
}

/// What an operation does with a pointer or view.
enum PointerUse {
    Loads,
    /// The results lead to the same memory.
    Derives,
    /// Anything else.
    Escapes,
}

fn use_of(module: &Module, id: OpId, slot: usize) -> PointerUse {
    let row = module.op(id).op.row();
    let is_read = row.slots.get(slot).is_some_and(|slot| slot.dir == Dir::In);
    match row.meaning {
        Meaning::Storage(Storage::View | Storage::Partition | Storage::Offset | Storage::CastPointer) => {
            PointerUse::Derives
        }
        Meaning::Storage(Storage::ViewExtent | Storage::ViewStride) => PointerUse::Loads,
        Meaning::Plain | Meaning::Movement(Movement::Load | Movement::LoadScalar) if is_read => PointerUse::Loads,
        _ => PointerUse::Escapes,
    }
}

/// True when an operation makes a pointer of something else: it may lead anywhere.
fn makes_pointer(module: &Module, id: OpId) -> bool {
    let is_pointer = |value: ValueId| {
        matches!(
            module.value_type(value),
            Type::Ptr(..) | Type::TensorView(_) | Type::PartitionView(_) | Type::Memref(_)
        )
    };
    module.results(id).any(is_pointer) && !module.operands(id).iter().any(|operand| is_pointer(operand.value))
}
