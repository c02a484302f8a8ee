//! Pipes between cores.
//!
//! In C++ a pipe is an object, and its parameters are part of its type. The frontend operations name a pipe by a number;
//! here each number of a function becomes the variable its `initialize` made.

use super::types::declaration;
use super::{EmitResult, Writer};
use pto_check::{Checked, LinkedPipe, linked_pipes};
use pto_ir::{Attr, Def, OpId, ValueId};
use pto_isa::row::{EndForm, Fifo};
use pto_isa::sort::SharedSort;
use pto_isa::text;
use pto_isa::{Target, Type};
use std::collections::HashMap;

/// What is known about the pipes of a program.
#[derive(Default)]
pub(super) struct FifoPipes {
    /// By initialising operation: no user splits its tiles.
    whole: HashMap<OpId, bool>,
    /// The first signal.
    flags: HashMap<OpId, i64>,
    /// Variable and type by initialising operation.
    opened: HashMap<OpId, (String, String)>,
    /// The name of what the fix pipe does, by initialising operation.
    pub(super) epilogues: HashMap<OpId, String>,
    /// The statement that sets its scale.
    pub(super) scales: HashMap<OpId, String>,
    /// The initialising operation of each number, of the function that is written.
    current: HashMap<i64, OpId>,
}

impl FifoPipes {
    pub(super) fn new(checked: &Checked) -> Self {
        let mut linked = linked_pipes(checked);
        linked.shared_sort_by_key(|pipe| pipe.id);
        let mut pipes = Self::default();
        let mut placed: Vec<(LinkedPipe, i64)> = Vec::new();
        for pipe in linked {
            let base = pipe.flag_base.unwrap_or_else(|| free_signals(&pipe, &placed));
            for end in &pipe.ends {
                pipes.flags.insert(*end, base);
                pipes.whole.insert(*end, pipe.whole);
            }
            placed.push((pipe, base));
        }
        pipes
    }

    /// What was opened by a number is not known in the next function.
    pub(super) fn leave_function(&mut self) {
        self.current.clear();
    }
}

/// The first signals that no other pipe of its functions has.
fn free_signals(pipe: &LinkedPipe, placed: &[(LinkedPipe, i64)]) -> i64 {
    let near = |other: &LinkedPipe| other.functions.iter().any(|f| pipe.functions.contains(f));
    let taken: Vec<(i64, i64)> =
        placed.iter().filter(|(other, _)| near(other)).map(|(other, base)| (*base, base + other.flags)).collect();
    let free = |base: &i64| taken.iter().all(|(first, end)| base + pipe.flags <= *first || *end <= *base);
    (0..).step_by(2).find(free).unwrap_or(0)
}

impl Writer<'_> {
    /// The object for a pipe.
    pub(super) fn open_pipe(&mut self, id: OpId) -> EmitResult<()> {
        let Some(Fifo::Open(end)) = self.module.fifo(id) else { return Err(self.unsupported(text!("it as a pipe"))) };
        let mask = self.module.int(id, "dir_mask").unwrap_or(1);
        let number = self.module.int(id, "id").unwrap_or(0);
        let slots = self.module.int(id, "slot_num").unwrap_or(0);
        let global = self.global_slots(id)?;
        if end.is_named() && self.input.target == Target::A2A3 && global.is_none() {
            return Err(self.unsupported(text!("a pipe without slots in global memory, which this target needs")));
        }
        let through_global = match end {
            EndForm::Global => true,
            EndForm::Local => false,
            EndForm::Named(_) => {
                self.input.target == Target::A2A3 || self.module.operand(id, "gm_slot_tensor").is_some()
            }
        };
        let local = match (through_global, self.module.given_int(id, "local_slot_num")) {
            (_, Some(n)) => n,
            (true, None) => slots,
            (false, None) => 2,
        };
        let flag = self.pipes.flags.get(&id).copied().unwrap_or(0);
        let nosplit = match self.module.attr(id, "nosplit") {
            Some(Attr::Bool(b)) => *b,
            _ => self.pipes.whole.get(&id).copied().unwrap_or(false),
        };
        let size = self.module.int(id, "slot_size").unwrap_or(0);
        let direction = self.direction(mask, through_global);
        let ty = format!("TPipe<{flag}, Direction::{direction}, {size}, {slots}, {local}, {nosplit}>");
        let [c2v, v2c] = self.rings(id, mask)?;
        let start = match (through_global, global) {
            (true, Some(pointer)) => pointer,
            _ => "(__gm__ void *)nullptr".to_string(),
        };
        let name = self.values.names.fresh("pipe");
        self.line(&format!("{} = {ty}({start}, {c2v}, {v2c});", declaration("auto", &name)));
        for result in self.module.results(id) {
            self.values.texts[result.index()] = Some(name.clone());
        }
        self.open_epilogue(id, number);
        self.pipes.opened.insert(id, (name, ty));
        if end.is_named() {
            self.pipes.current.insert(number, id);
        }
        Ok(())
    }

    /// The start of the slots in global memory.
    fn global_slots(&self, id: OpId) -> EmitResult<Option<String>> {
        for name in ["gm_slot_buffer", "gm_slot_tensor", "gm_addr"] {
            if let Some(value) = self.module.operand(id, name) {
                return match self.values.views.get(&value) {
                    Some(view) => Ok(Some(view.start())),
                    None => self.text(value).map(Some),
                };
            }
        }
        Ok(None)
    }

    const fn direction(&self, mask: i64, through_global: bool) -> &'static str {
        match (mask, through_global && matches!(self.input.target, Target::A5)) {
            (1, true) => "DIR_C2V_GM",
            (1, false) => "DIR_C2V",
            (2, true) => "DIR_V2C_GM",
            (2, false) => "DIR_V2C",
            _ => "DIR_BOTH",
        }
    }

    /// The local rings towards vector cores and towards the cube core; 0 if there is none.
    fn rings(&self, id: OpId, mask: i64) -> EmitResult<[String; 2]> {
        let text = |name: &str| self.module.operand(id, name).map_or(Ok("0".to_string()), |v| self.text(v));
        if matches!(self.module.fifo(id), Some(Fifo::Open(end)) if end.is_named()) {
            return Ok([text("c2v_consumer_buf")?, text("v2c_consumer_buf")?]);
        }
        let (own, peer) = (text("local_addr")?, text("peer_local_addr")?);
        Ok(match mask {
            1 => [own, "0".to_string()],
            2 => ["0".to_string(), own],
            _ => [own, peer],
        })
    }

    /// The address of a buffer that this function reserves, or that its peer does.
    pub(super) fn reserved(&mut self, id: OpId) -> EmitResult<()> {
        let holder = if self.module.fifo(id) == Some(Fifo::Reserve) { Some(id) } else { self.peer_buffer(id) };
        let Some(address) = holder.and_then(|h| crate::place::reserved(self.module, h)) else {
            return Err(self.unsupported(text!("a buffer that is never reserved")));
        };
        let value = self.result(id)?;
        self.values.literal[value.index()] = true;
        self.values.texts[value.index()] = Some(address.to_string());
        Ok(())
    }

    /// The reservation in the peer function that an import names.
    pub(super) fn peer_buffer(&self, id: OpId) -> Option<OpId> {
        let Some(Attr::Symbol(peer)) = self.module.attr(id, "peer_func") else { return None };
        let peer = self.module.names.text(*peer);
        let function = self.module.functions().into_iter().find(|f| self.module.symbol_name(*f) == peer)?;
        let wanted = self.module.attr(id, "name");
        let named = |id: &OpId| self.module.fifo(*id) == Some(Fifo::Reserve) && self.module.attr(*id, "name") == wanted;
        crate::place::inside(self.module, function).into_iter().rfind(named)
    }

    /// The pipe an operation uses: its handle, or the one of its number.
    pub(super) fn pipe(&self, id: OpId) -> EmitResult<(String, String)> {
        let init = self.opening(id)?;
        self.pipes
            .opened
            .get(&init)
            .cloned()
            .ok_or_else(|| self.unsupported(text!("a pipe that is opened in another function")))
    }

    /// The operation that opened the pipe which an operation uses.
    pub(super) fn opening(&self, id: OpId) -> EmitResult<OpId> {
        let init = match self.module.operand(id, "pipe_handle").map(|v| self.module.value(v).def) {
            Some(Def::Result(init, _)) => Some(init),
            Some(_) => None,
            None => self.pipes.current.get(&self.module.int(id, "id").unwrap_or(0)).copied(),
        };
        init.ok_or_else(|| self.unsupported(text!("a pipe that is opened in another function")))
    }

    /// The type of a pipe handle.
    pub(super) fn pipe_type(&self, value: ValueId) -> EmitResult<String> {
        let opened = match self.module.value(value).def {
            Def::Result(init, _) => self.pipes.opened.get(&init),
            Def::Arg(..) | Def::Missing => None,
        };
        opened
            .map(|(_, ty)| ty.clone())
            .ok_or_else(|| self.unsupported(text!("a pipe that is opened in another function")))
    }

    fn split(&self, id: OpId) -> EmitResult<&'static str> {
        Ok(match self.module.int(id, "split") {
            Some(0) => "TileSplitAxis::TILE_NO_SPLIT",
            Some(1) => "TileSplitAxis::TILE_UP_DOWN",
            Some(2) => "TileSplitAxis::TILE_LEFT_RIGHT",
            Some(3) => "TileSplitAxis::TILE_UP_DOWN_ODD",
            Some(4) => "TileSplitAxis::TILE_LEFT_RIGHT_ODD",
            _ => return Err(self.unsupported(text!("this split"))),
        })
    }

    /// The number of the vector core as a further argument, where the program gives it.
    fn subblock(&self, id: OpId) -> EmitResult<String> {
        match self.module.operand(id, "aiv_subblockid") {
            Some(value) => Ok(format!(", {}", self.text(value)?)),
            None => Ok(String::new()),
        }
    }

    pub(super) fn push(&mut self, id: OpId) -> EmitResult<()> {
        let Some(tile) = self.module.operand(id, "tile") else {
            return Err(self.unsupported(text!("it without a tile")));
        };
        match self.pipes.epilogues.get(&self.opening(id)?).cloned() {
            Some(epilogue) => self.push_through(id, tile, &epilogue),
            None => self.transfer(id, "TPUSH", tile),
        }
    }

    pub(super) fn pop(&mut self, id: OpId) -> EmitResult<()> {
        if let Some(tile) = self.module.operand(id, "tile") {
            return self.transfer(id, "TPOP", tile);
        }
        let value = self.result(id)?;
        self.declare_popped(id, value)?;
        self.transfer(id, "TPOP", value)
    }

    /// The variable a popped entry goes to; without extents, an open valid region is the whole tile.
    fn declare_popped(&mut self, id: OpId, value: ValueId) -> EmitResult<()> {
        if self.module.tile(value).is_none() {
            return self.view_entry(value);
        }
        let given = [self.module.operand(id, "valid_row"), self.module.operand(id, "valid_col")];
        let whole = self.module.tile(value).map(|t| [t.rows.to_string(), t.cols.to_string()]);
        match (given, whole) {
            ([None, None], Some([rows, cols])) => self.declare_tile_with(value, [Some(rows), Some(cols)]),
            _ => self.declare_tile(value, given),
        }
    }

    fn transfer(&mut self, id: OpId, call: &str, entry: ValueId) -> EmitResult<()> {
        let (pipe, pipe_type) = self.pipe(id)?;
        let (name, ty) = (self.text(entry)?, self.type_of(entry)?);
        let (split, subblock) = (self.split(id)?, self.subblock(id)?);
        self.line(&format!("{call}<{pipe_type}, {ty}, {split}>({pipe}, {name}{subblock});"));
        Ok(())
    }

    pub(super) fn free(&mut self, id: OpId) -> EmitResult<()> {
        if let Some(entry) = self.module.operand(id, "entry").filter(|e| self.module.tile(*e).is_none()) {
            return self.transfer(id, "TFREE", entry);
        }
        let (pipe, pipe_type) = self.pipe(id)?;
        let split = self.split(id)?;
        self.line(&format!("TFREE<{pipe_type}, {split}>({pipe});"));
        Ok(())
    }

    pub(super) fn alloc_entry(&mut self, id: OpId) -> EmitResult<()> {
        let entry = match self.module.operand(id, "entry") {
            Some(entry) => entry,
            None => {
                let value = self.result(id)?;
                self.view_entry(value)?;
                value
            }
        };
        self.transfer(id, "TALLOC", entry)
    }

    /// A tile or view that an operation will fill.
    pub(super) fn declare_entry(&mut self, id: OpId) -> EmitResult<()> {
        let value = self.result(id)?;
        if self.module.tile(value).is_some() {
            return self.declare_popped(id, value);
        }
        self.view_entry(value)
    }

    /// A view without a start: the pipe will give it one.
    fn view_entry(&mut self, value: ValueId) -> EmitResult<()> {
        let elem = match self.module.value_type(value) {
            Type::TensorView(v) | Type::PartitionView(v) => v.elem,
            _ => return Err(self.unsupported(text!("an entry of this type"))),
        };
        let null = format!("({})nullptr", super::types::pointer_type(elem, pto_isa::PtrSpace::Gm));
        self.view_parameter(value, &null)?;
        if self.values.texts[value.index()].is_none() {
            return Err(self.unsupported(text!("an entry that nothing uses")));
        }
        let name = self.text(value)?;
        self.rebase_view(value, &format!("{name}.data()"));
        Ok(())
    }
}
