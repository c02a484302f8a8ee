//! Results that would overwrite an operand too early.
//!
//! Some instructions are several calls in C++: the first one writes the destination while a later one still reads a source. If both are the
//! same tile, the result goes to a scratch tile and is moved from there.

use crate::places::{Home, MemoryRegion, ValueMemory, memory_of};
use crate::plan::{fixed, reserved, used};
use crate::scratch;
use crate::sync::{barrier_on, stated};
use pto_check::Checked;
use pto_ir::{Module, Names, NewOp, OpId, Operand, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::ordered::OrdSet;
use pto_isa::row::When;
use pto_isa::text;
use pto_isa::{DType, Diagnostic, Dim, Dir, Error, Loc, Pipe, ScalarType, Span, TileType, Type, codes};

/// The program with scratch tiles for such results; `None` if it needs none.
///
/// # Errors
/// A program that places its tiles and leaves no room that is known to be free.
pub(crate) fn keep_apart(checked: &Checked) -> Result<Option<Module>, Error> {
    let module = checked.module();
    let is_candidate = |id: &OpId| module.op(*id).op.row().cpp.forms.iter().any(|f| matches!(f.when, When::Apart(..)));
    let candidates: Vec<OpId> = module.order().into_iter().filter(is_candidate).collect();
    if candidates.is_empty() {
        return Ok(None);
    }
    let mut places = ValueMemory::new(checked);
    let found: FastMap<OpId, Operand> =
        candidates.into_iter().filter_map(|id| Some((id, overwritten(checked, &mut places, id)?))).collect();
    if found.is_empty() {
        return Ok(None);
    }
    let mut pass = ApartPass { checked, out: module.clone(), names: Names::new(module), ends: FastMap::default() };
    let overlaps = checked.info().target.profile().overlapping_pipes.contains(&Pipe::V);
    let own_order = if overlaps { stated_ops(module, &found) } else { OrdSet::new() };
    let mut problems = Vec::new();
    for block in module.all_blocks() {
        let mut ops = Vec::new();
        for &id in &module.block(block).ops {
            match found.get(&id) {
                Some(dst) => match pass.through_scratch(id, *dst, own_order.contains(&id), &mut ops) {
                    Ok(()) => {}
                    Err(problem) => problems.push(*problem),
                },
                None => ops.push(id),
            }
        }
        pass.out.block_mut(block).ops = ops;
    }
    if problems.is_empty() { Ok(Some(pass.out)) } else { Err(module.error(problems)) }
}

/// The destination of an operation that shares memory with a source that the C++ calls need apart from it.
fn overwritten(checked: &Checked, places: &mut ValueMemory<'_>, id: OpId) -> Option<Operand> {
    let (module, target) = (checked.module(), checked.info().target);
    let row = module.op(id).op.row();
    let name = |o: &Operand| row.slots.get(usize::from(o.slot)).map_or("", |s| s.name);
    let is_written = |o: &&Operand| row.slots.get(usize::from(o.slot)).is_some_and(|s| s.dir != Dir::In);
    let operands = module.operands(id);
    let wanted = |dst: &Operand, src: &Operand| row.cpp.wants_apart(target, name(dst), name(src));
    let dst = operands.iter().filter(is_written).find(|dst| {
        operands.iter().any(|src| wanted(dst, src) && (dst.value == src.value || shares(places, dst.value, src.value)))
    });
    dst.copied()
}

/// True when two tiles share bytes. Tile parameters and tiles at computed addresses are assumed to be different if their names are.
fn shares(places: &mut ValueMemory<'_>, a: ValueId, b: ValueId) -> bool {
    let (a, b) = (places.of(a), places.of(b));
    let meets = |(x, y): (&MemoryRegion, &MemoryRegion)| {
        let known = !matches!(x.home, Home::Given(_)) && x.end.max(y.end) != u64::MAX;
        known && x.home == y.home && x.start < y.end && y.start < x.end
    };
    a.iter().flat_map(|x| b.iter().map(move |y| (x, y))).any(meets)
}

/// The operations in kernels that synchronise themselves: no barriers are inserted there.
fn stated_ops(module: &Module, found: &FastMap<OpId, Operand>) -> OrdSet<OpId> {
    let mut ops = OrdSet::new();
    for function in stated(module) {
        module.walk_inside(function, &mut |id| {
            if found.contains_key(&id) {
                ops.insert(id);
            }
        });
    }
    ops
}

struct ApartPass<'a> {
    checked: &'a Checked,
    out: Module,
    names: Names,
    /// Addresses of the next scratch tiles in programs that place their tiles.
    ends: FastMap<Loc, u64>,
}

impl ApartPass<'_> {
    /// The operation with a scratch tile as its destination, and a move to the real one.
    fn through_scratch(
        &mut self,
        id: OpId,
        dst: Operand,
        barriers: bool,
        ops: &mut Vec<OpId>,
    ) -> Result<(), Box<Diagnostic>> {
        let Some(tile) = self.checked.module().tile(dst.value).copied() else {
            ops.push(id);
            return Ok(());
        };
        let span = Span::new(self.out.op(id).span.start, self.out.op(id).span.start);
        let dynamic = tile.valid_rows == Dim::Dynamic || tile.valid_cols == Dim::Dynamic;
        let (tile, mut operands) = if dynamic {
            let extents = scratch::extents(&mut self.out, dst.value, &mut self.names, span, ops);
            (tile.valid(Dim::Dynamic, Dim::Dynamic), extents)
        } else {
            (tile, Vec::new())
        };
        if self.checked.info().manual[id.index()] {
            operands.push(("addr", self.address(id, &tile, span, ops)?));
        }
        let name = self.names.fresh(&mut self.out, "tmp");
        let alloc = self.out.new_tile(tile, name, span, &operands);
        ops.push(alloc);
        let Some(scratch) = self.out.results(alloc).next() else { return Ok(()) };
        let barrier = |out: &mut Module, ops: &mut Vec<OpId>| {
            if barriers {
                ops.push(barrier_on(out, Pipe::V, span));
            }
        };
        barrier(&mut self.out, ops);
        ops.push(self.with_destination(id, dst, scratch));
        barrier(&mut self.out, ops);
        ops.push(self.moved(id, scratch, dst));
        Ok(())
    }

    fn with_destination(&mut self, id: OpId, dst: Operand, scratch: ValueId) -> OpId {
        let data = self.out.op(id).clone();
        let replace = |o: &Operand| Operand { value: if o.slot == dst.slot { scratch } else { o.value }, ..*o };
        let operands = self.out.operands(id).iter().map(replace).collect();
        let attrs = self.out.attrs(id).to_vec();
        let new = NewOp { operands, attrs, span: data.span, name_span: data.name_span, ..NewOp::default() };
        self.out.new_op(data.op, new)
    }

    fn moved(&mut self, id: OpId, from: ValueId, dst: Operand) -> OpId {
        let data = self.out.op(id).clone();
        let copy = self.out.new_copy(from, dst.value, data.span);
        self.out.set_name_span(copy, data.name_span);
        copy
    }

    /// An address after everything that the program places.
    fn address(
        &mut self,
        id: OpId,
        tile: &TileType,
        span: Span,
        ops: &mut Vec<OpId>,
    ) -> Result<ValueId, Box<Diagnostic>> {
        let space = self.checked.info().target.profile().space(tile.loc);
        let align = space.map_or(1, |s| s.align.max(1));
        let end = match self.ends.get(&tile.loc) {
            Some(end) => Some(*end),
            None => end_of_placed(self.checked, tile.loc),
        };
        let hidden = used(self.checked);
        let is_free = |at: &u64| {
            let end = at + tile.bytes();
            let taken = hidden.iter().map(|u| u.memory).any(|m| m.loc == tile.loc && *at < m.end && m.start < end);
            !taken && space.is_some_and(|s| end <= s.bytes)
        };
        let at = end.map(|end| end.next_multiple_of(align)).filter(is_free);
        let Some(at) = at else { return Err(Box::new(self.no_room(id, tile))) };
        self.ends.insert(tile.loc, at + tile.bytes());
        let ty = self.out.intern_type(Type::Scalar(ScalarType::Elem(DType::I64)));
        let name = self.names.fresh(&mut self.out, "tmp_at");
        let constant = self.out.new_constant(at.into(), ty, name, span);
        ops.push(constant);
        Ok(self.out.results(constant).next().unwrap_or_else(|| ValueId::from_index(0)))
    }

    fn no_room(&self, id: OpId, tile: &TileType) -> Diagnostic {
        let module = self.checked.module();
        let row = module.op(id).op.row();
        let message =
            text!("`{row}` in place needs a scratch tile here, and no free memory is known", row = row.full_name());
        Diagnostic::new(codes::EMIT_SCRATCH, module.op(id).name_span, message)
            .legal(text!(
                "{tile} bytes of `{loc}` behind tiles whose addresses are constants",
                tile = tile.bytes(),
                loc = tile.loc
            ))
            .help(text!("write the result to a separate tile, and move it from there with `tmov`"))
    }
}

/// The end of everything that the program places in a memory; `None` if an address is computed.
fn end_of_placed(checked: &Checked, loc: Loc) -> Option<u64> {
    let module = checked.module();
    let mut end = Some(reserved(module, loc));
    module.walk(module.top, &mut |id| {
        let Some((tile, at)) = fixed::given(checked, id) else { return };
        let Some((_, bytes)) = memory_of(checked, tile).filter(|(l, _)| *l == loc) else { return };
        end = end.zip(at).map(|(end, at)| end.max(at.saturating_add(bytes)));
    });
    end
}
