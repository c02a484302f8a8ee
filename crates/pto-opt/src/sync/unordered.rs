//! Unordered accesses, as far as the text shows them.

use super::{Reason, needed};
use crate::places::{Home, ValueMemory};
use pto_check::Checked;
use pto_ir::{Module, OpId};
use pto_isa::Family;
use pto_isa::sort::SharedSort;

/// Unordered accesses.
#[derive(Clone, Debug, Default)]
pub struct Unordered {
    /// Pairs of instructions of one core that touch the same bytes, in program order.
    pub pairs: Vec<Reason>,
    /// There may be more that only a run can show: computed addresses, computed flags, tokens, calls, or other cores.
    pub unclear: bool,
}

/// Finds unordered accesses in some functions of a program, without executing it: a branch counts as taken and as not taken, and a loop as skipped
/// and as repeated.
///
/// ```
/// use pto_isa::Target;
/// let (module, _) = pto_syntax::parse(
///     "func.func @f(%s: f32) {
///        %at = arith.constant 0 : i64
///        %a = pto.alloc_tile addr = %at : !pto.tile_buf<vec, 16x16xf32>
///        pto.texpands ins(%s : f32) outs(%a : !pto.tile_buf<vec, 16x16xf32>)
///        pto.trelu ins(%a : !pto.tile_buf<vec, 16x16xf32>) outs(%a : !pto.tile_buf<vec, 16x16xf32>)
///        return
///      }",
/// );
/// let checked = pto_check::check(module, Target::A2A3).expect("legal");
/// let functions = checked.module().functions();
/// assert_eq!(pto_opt::sync::unordered(&checked, &functions).pairs.len(), 1);
/// ```
pub fn unordered(checked: &Checked, functions: &[OpId]) -> Unordered {
    if functions.is_empty() {
        return Unordered::default();
    }
    let module = checked.module();
    let mut places = ValueMemory::new(checked);
    let (edges, left) = needed(checked, &mut places, functions, true);
    let mut unclear = !left.is_empty() || edges.iter().any(|edge| edge.reasons.is_empty());
    for &function in functions {
        module.walk_inside(function, &mut |id| unclear |= concerns_other_cores(module, id));
    }
    let mut pairs = Vec::new();
    for reason in edges.iter().flat_map(|edge| &edge.reasons) {
        let foreign = [reason.first, reason.second].iter().any(|id| concerns_other_cores(module, *id));
        if foreign || somewhere(&mut places, reason) {
            unclear = true;
        } else {
            pairs.push(*reason);
        }
    }
    let line = |id: OpId| module.op(id).span.start;
    pairs.shared_sort_by_key(|r| (line(r.second), line(r.first), *r));
    pairs.dedup();
    Unordered { pairs, unclear }
}

/// FIFO pipes, signals and transfers order more than the pipes of a core.
fn concerns_other_cores(module: &Module, id: OpId) -> bool {
    let row = module.op(id).op.row();
    matches!(row.family, Family::Fifo | Family::Comm)
        || (row.family == Family::Sync && !super::user::orders_pipes(module, id))
}

/// One of the two has an address that is known only at run time, or is a tile of the caller.
fn somewhere(places: &mut ValueMemory<'_>, reason: &Reason) -> bool {
    places.of(reason.value).iter().any(|region| matches!(region.home, Home::Space(_)) && region.end == u64::MAX)
}
