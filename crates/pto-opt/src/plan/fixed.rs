//! Tiles that the program has placed itself, next to tiles without an address.

use super::live::LiveTile;
use crate::places::memory_of;
use pto_check::Checked;
use pto_ir::{OpId, ValueId};
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::Storage;
use pto_isa::text;
use pto_isa::{Diagnostic, Loc, codes};

/// The end of the tiles that the program places in this memory, in functions related by calls to those of the open tiles: open
/// tiles go after them.
///
/// # Errors
/// A computed address: then it is unknown what is free.
pub(super) fn end(checked: &Checked, loc: Loc, open: &[&LiveTile]) -> Result<u64, Box<Diagnostic>> {
    let module = checked.module();
    let mut end = 0;
    for function in related(checked, open) {
        let mut placed = Vec::new();
        module.walk_inside(function, &mut |id| placed.extend(given(checked, id).map(|(tile, at)| (id, tile, at))));
        for (id, tile, at) in placed {
            let Some((_, bytes)) = memory_of(checked, tile).filter(|(l, _)| *l == loc) else { continue };
            let Some(at) = at else { return Err(Box::new(unknown(checked, open[0].alloc, id))) };
            end = end.max(at.saturating_add(bytes));
        }
    }
    Ok(end)
}

/// The tile that an operation gives an address, and the address if it is known.
pub(crate) fn given(checked: &Checked, id: OpId) -> Option<(ValueId, Option<u64>)> {
    let module = checked.module();
    let address = |name: &str| Some(module.in_slot(id, module.op(id).op.row().slot(name)?).next()?.value);
    let known = |value: ValueId| checked.info().constant(value).and_then(|at| u64::try_from(at).ok());
    match module.storage(id) {
        Some(Storage::Tile) => Some((module.results(id).next()?, known(address("addr")?))),
        Some(Storage::Assign) => {
            let in_text = || module.attr(id, "addr")?.int().and_then(|at| u64::try_from(at).ok());
            Some((module.operands(id).first()?.value, address("address").map_or_else(in_text, known)))
        }
        _ => None,
    }
}

/// The functions of the open tiles, their callees and their callers.
fn related(checked: &Checked, open: &[&LiveTile]) -> OrdSet<OpId> {
    let module = checked.module();
    let calls = module.calls();
    let tiles: OrdSet<OpId> = open.iter().map(|tile| tile.alloc).collect();
    let mut related = OrdSet::new();
    let mut neighbours: OrdMap<OpId, Vec<OpId>> = OrdMap::new();
    for function in module.functions() {
        module.walk_inside(function, &mut |id| {
            if tiles.contains(&id) {
                related.insert(function);
            }
            if let Some(callee) = calls.get(&id) {
                neighbours.entry(function).or_default().push(*callee);
                neighbours.entry(*callee).or_default().push(function);
            }
        });
    }
    let mut open: Vec<OpId> = related.iter().copied().collect();
    while let Some(function) = open.pop() {
        let next = neighbours.remove(&function).unwrap_or_default();
        open.extend(next.into_iter().filter(|other| related.insert(*other)));
    }
    related
}

fn unknown(checked: &Checked, open: OpId, placed: OpId) -> Diagnostic {
    let span = |id: OpId| checked.module().op(id).name_span;
    Diagnostic::new(codes::MIXED_ADDRESSES, span(open), text!("this tile has no address"))
        .label(span(placed), text!("the address of this one is known only at run time"))
        .help(text!("give every tile an address, or none"))
}
