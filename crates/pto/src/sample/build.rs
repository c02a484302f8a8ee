//! Programs around one instruction, printed when they are complete.

use crate::ir::Builder;
use crate::isa::Target;
use crate::isa::fill::Filling;

/// A function whose parameters are the operands of one instruction.
pub(super) fn program(filling: &Filling, stated: Option<Target>) -> String {
    let row = filling.op.row();
    let mut builder = Builder::new();
    let (mut operands, mut results) = (Vec::new(), Vec::new());
    for (slot, ty) in &filling.types {
        let name = row.slot_at(usize::from(*slot)).name;
        if usize::from(*slot) < row.slots.len() {
            operands.push((*slot, builder.param(name, ty)));
        } else {
            results.push((*slot, name, ty.clone()));
        }
    }
    builder.filling(filling, &operands, &results);
    builder.finish("example", stated)
}
