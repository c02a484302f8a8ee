//! Windows of global memory that a device moves as if the numbers of a row lay side by side.

use pto_ir::{Module, OpId, ValueId};
use pto_isa::row::{Meaning, Movement, Storage};
use pto_isa::{Diagnostic, Order, Target, codes, text};

/// A load or store whose window has gaps between the numbers of a row. Devices move rows in bursts of contiguous bytes and do not look at
/// the last stride, unless the window and the tile are stored by columns.
pub(crate) fn gaps(module: &Module, id: OpId, target: Target) -> Option<Diagnostic> {
    let moves = matches!(module.meaning(id), Meaning::Movement(Movement::Load | Movement::Store));
    if !moves || target == Target::Cpu {
        return None;
    }
    let operands = module.operands(id);
    let tile = operands.iter().find_map(|o| module.tile(o.value))?;
    let view = operands.iter().find(|o| module.value_type(o.value).view().is_some())?;
    if tile.order() == Order::Dn || tile.valid_cols.fixed().is_some_and(|cols| cols <= 1) {
        return None;
    }
    let stride = gap(module, view.value)?;
    let name = module.op(id).op.row().name;
    let message = text!(
        "`{name}` on {target}: the device ignores the distance of {stride} between the numbers of a row and moves contiguous ones",
        name,
        target,
        stride
    );
    let d = Diagnostic::new(codes::DEVICE_FAULT, module.op(id).name_span, message).warning();
    let d = d.label(view.span, text!("its last stride is {stride}", stride));
    Some(d.legal(text!("a stride of 1 in the last dimension")).page(name))
}

/// The distance between the numbers of a row, if it is known, is not 1, and the view is not stored by columns.
fn gap(module: &Module, view: ValueId) -> Option<i64> {
    let mut made = module.definition(view)?;
    while module.storage(made) == Some(Storage::Partition) {
        made = module.definition(module.operands(made).first()?.value)?;
    }
    if module.storage(made) != Some(Storage::View) || module.attr(made, "layout").is_some() {
        return None;
    }
    let back = |slot: &str, n: usize| {
        let list: Vec<ValueId> = module.named(made, slot).map(|o| o.value).collect();
        list.iter().rev().nth(n).and_then(|v| module.literal(*v))
    };
    let (last, rows) = (back("strides", 0)?, back("strides", 1));
    let is_row = last != 1 && rows != Some(1) && back("shape", 0) != Some(1);
    is_row.then_some(last)
}
