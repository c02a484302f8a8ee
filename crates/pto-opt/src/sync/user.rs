//! What the program orders itself.

use pto_ir::{Module, OpId};
use pto_isa::table::op;

/// Flags and barriers of the program itself.
pub(super) fn is_user_sync(module: &Module, id: OpId) -> bool {
    matches!(
        module.op(id).op,
        op::set_flag
            | op::wait_flag
            | op::set_flag_dyn
            | op::wait_flag_dyn
            | op::record_event
            | op::wait_event
            | op::barrier
            | op::barrier_sync
    )
}

/// True for functions whose flags cannot be followed: they compute the ids, or use buffer tokens.
pub(super) fn orders_itself(module: &Module, function: OpId) -> bool {
    let mut found = false;
    module.walk_inside(function, &mut |id| {
        found |= matches!(
            module.op(id).op,
            op::set_flag_dyn | op::wait_flag_dyn | op::get_buf | op::rls_buf | op::get_buf_dyn | op::rls_buf_dyn
        );
    });
    found
}
