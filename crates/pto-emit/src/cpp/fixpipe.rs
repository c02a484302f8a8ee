//! Pipes whose accumulators the fix pipe converts on their way.
//!
//! In C++ what it does is a type of its own, named at each push. Scales are kept in one register of the core, whatever pipe they are for, so
//! each push sets its own.

use super::types::scalar_type;
use super::{EmitResult, Writer};
use crate::place;
use pto_check::Epilogue;
use pto_ir::{Def, OpId, ValueId};
use pto_isa::row::{CoreKind, Direction, EndForm, EntryAction, Fifo};
use pto_isa::text;
use pto_isa::{DType, ScalarType};

impl Writer<'_> {
    /// Names what the fix pipe does, where the pipe is written to.
    pub(super) fn open_epilogue(&mut self, id: OpId, number: i64) {
        let reads = self.module.fifo(id) == Some(Fifo::Open(EndForm::Named(CoreKind::Vector)));
        let Some(epilogue) = Epilogue::of(self.module, id).filter(|_| !reads) else { return };
        // No value is called like a type.
        let name = format!("Pipe{number}FixpipeConfig");
        let [layout, quant, relu] = epilogue.cpp();
        self.line(&format!(
            "using {name} = FixpipeParams<LayoutMode_t::{layout}, QuantMode_t::{quant}, ReluPreMode::{relu}>;"
        ));
        self.pipes.epilogues.insert(id, name);
    }

    pub(super) fn push_through(&mut self, id: OpId, tile: ValueId, epilogue: &str) -> EmitResult<()> {
        let (pipe, pipe_type) = self.pipe(id)?;
        let (name, ty) = (self.text(tile)?, self.type_of(tile)?);
        if let Some(set) = self.pipes.scales.get(&self.opening(id)?).cloned() {
            self.line(&set);
        }
        self.line(&format!("TPUSH<{pipe_type}, {ty}, {epilogue}>({pipe}, {name});"));
        Ok(())
    }

    /// The scale of later pushes through a pipe: one for all, or a tile with one for each column.
    pub(super) fn set_scale(&mut self, id: OpId) -> EmitResult<()> {
        let Some(scale) = self.module.operands(id).first().map(|o| o.value) else {
            return Err(self.unsupported(text!("it without a scale")));
        };
        let (call, text) = (self.module.op(id).op.row().cpp.name, self.text(scale)?);
        let is_tile = self.module.tile(scale).is_some();
        let init = match self.opening(id) {
            Ok(init) => init,
            // The mode alone is enough.
            Err(_) if is_tile => {
                self.line(&format!("{call}({text});"));
                return Ok(());
            }
            Err(problem) => return Err(problem),
        };
        let set = if is_tile {
            format!("{call}({text});")
        } else {
            let Some(elem) = self.converted(init) else {
                return Err(self.unsupported(text!("a pipe whose tiles are not popped in this file")));
            };
            format!("{call}<{}>({text});", scalar_type(ScalarType::Elem(elem)))
        };
        self.pipes.scales.insert(init, set);
        Ok(())
    }

    /// The element type behind the epilogue of a pipe: the only one it can be, else that of the popped tiles.
    fn converted(&self, init: OpId) -> Option<DType> {
        let mut possible = Epilogue::of(self.module, init)?.results().iter();
        match (possible.next(), possible.next()) {
            (Some(only), None) => Some(only),
            _ => self.popped(init),
        }
    }

    /// The element type of tiles that the other end pops: it opens the pipe with the buffer that is imported here.
    fn popped(&self, init: OpId) -> Option<DType> {
        let Def::Result(import, _) = self.module.value(self.module.operand(init, "c2v_consumer_buf")?).def else {
            return None;
        };
        let reserved = self.peer_buffer(import)?;
        let buffer = self.module.results(reserved).next()?;
        let opens = |id: &&OpId| self.module.fifo(**id) == Some(Fifo::Open(EndForm::Named(CoreKind::Vector)));
        let number = self.module.int(*self.facts.uses[buffer.index()].iter().find(opens)?, "id").unwrap_or(0);
        let inside = place::inside(self.module, place::function_of(self.module, reserved)?);
        let pops = |id: &&OpId| {
            let own = self.module.int(**id, "id").unwrap_or(0) == number;
            self.module.fifo(**id) == Some(Fifo::Entry(EntryAction::Pop, Some(Direction::ToVector))) && own
        };
        let pop = inside.iter().find(pops)?;
        self.module.results(*pop).find_map(|v| self.module.tile(v)).map(|t| t.dtype)
    }
}
