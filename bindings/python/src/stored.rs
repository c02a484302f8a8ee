//! Which statement stored an element: a second run, on copies, that watches one byte.

use crate::bind::BoundCall;
use pto::Plan;
use pto::cpu::{Access, AddressSpace, Event, Observer};
use pto::ir::OpId;
use pto::isa::cancel::poll;

/// Watches a byte of the memory of a parameter.
struct LastStore {
    param: usize,
    byte: i64,
    op: Option<OpId>,
}

impl Observer for LastStore {
    fn goes_on(&mut self) -> bool {
        poll();
        true
    }

    fn event(&mut self, event: &Event<'_>) {
        let is_here = |a: &Access| a.write && a.place == AddressSpace::Global(self.param) && covers(a, self.byte);
        if event.accesses.iter().any(is_here) {
            self.op = Some(event.op);
        }
    }
}

/// True when a byte is one of those that an access touches.
fn covers(access: &Access, byte: i64) -> bool {
    let (offset, width) = (byte - access.start, access.row_bytes as i64);
    if offset < 0 || access.rows == 0 {
        return false;
    }
    let row = if access.stride > 0 { (offset / access.stride).min(access.rows as i64 - 1) } else { 0 };
    offset - row * access.stride < width
}

/// The last statement that stores a byte of a parameter, as `file:line: text`; `None` if none does, or if the second run stops.
pub(crate) fn stored_by(plan: &Plan, call: &BoundCall, blocks: u32, param: usize, byte: i64) -> Option<String> {
    let mut copies = call.copied();
    let (param, first) = copies.home(param);
    let mut watch = LastStore { param, byte: byte + first as i64, op: None };
    plan.launch().blocks(blocks).observe(&mut watch).run(&mut call.args_on(plan, &mut copies)).ok()?;
    let module = plan.checked().module();
    let (span, source) = (module.op(watch.op?).span, module.source.as_ref()?);
    let place = source.origin(span).or_else(|| source.location(span))?;
    let line = source.excerpt(span).map_or_else(String::new, |e| format!(": {}", e.text.trim()));
    Some(format!("{}:{}{line}", place.file, place.line))
}
