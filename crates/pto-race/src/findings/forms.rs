//! The text of synchronisation statements, in the form of an existing one, with another id or for the other side.

use super::*;
use pto_ir::Attr;
use pto_ir::print::attributes_text;
use pto_isa::row::{FlagForm, SyncOp};

impl Findings<'_> {
    /// The pipe of an instruction that moves or computes data.
    pub(super) fn work_pipe(&self, id: OpId) -> Option<Pipe> {
        let works = self.module.op(id).op.row().family != Family::Sync;
        pto_check::pipe_of(self.module, id, self.target).filter(|_| works)
    }

    /// True when a statement, or one inside it, works on a pipe.
    pub(super) fn works_on(&self, statement: OpId, wanted: Pipe) -> bool {
        let mut found = self.work_pipe(statement) == Some(wanted);
        self.module.walk_inside(statement, &mut |id| found |= self.work_pipe(id) == Some(wanted));
        found
    }

    fn class(&self, id: OpId, names: [&str; 2]) -> Option<String> {
        match names.into_iter().find_map(|name| self.module.attr(id, name))? {
            Attr::Enum(def, at) if def.name == "pipe" => Some(format!("<{}>", def.value(usize::from(*at)))),
            Attr::Enum(def, at) => Some(format!("#pto.{}<{}>", def.name, def.value(usize::from(*at)))),
            _ => None,
        }
    }

    /// A set or a wait in the form of another statement: with flags or with events.
    pub(super) fn flag_text(&self, like: OpId, is_set: bool, event: Option<u32>) -> Option<String> {
        let form = match self.module.sync(like) {
            Some(SyncOp::SetFlag(form) | SyncOp::WaitFlag(form)) if form != FlagForm::Computed => form,
            _ => return None,
        };
        let name = Op::of(if is_set { SyncOp::SetFlag(form) } else { SyncOp::WaitFlag(form) }).row().name;
        let (src, dst) = (self.class(like, ["src_pipe", "src_op"])?, self.class(like, ["dst_pipe", "dst_op"])?);
        let (_, _, own) = pto_check::flag_of(self.module, like)?;
        let id = event.or(own.map(u32::from))?;
        Some(format!("pto.{name}[{src}, {dst}, <EVENT_ID{id}>]"))
    }

    /// A set or a wait with a computed id.
    pub(super) fn computed_text(&self, flag: Flag, is_set: bool, id: &str) -> String {
        let form = FlagForm::Computed;
        let name = Op::of(if is_set { SyncOp::SetFlag(form) } else { SyncOp::WaitFlag(form) }).row().name;
        format!("pto.{name}[<{}>, <{}>, %{id}]", flag.src, flag.dst)
    }

    /// Acquires or releases a token, for the pipe of another statement.
    pub(super) fn token_text(&self, like: OpId, takes: bool) -> Option<String> {
        let form = match self.module.sync(like) {
            Some(SyncOp::Acquire(form) | SyncOp::Release(form)) if form == FlagForm::Fixed => form,
            _ => return None,
        };
        let name = Op::of(if takes { SyncOp::Acquire(form) } else { SyncOp::Release(form) }).row().name;
        let (class, id) =
            (self.class(like, ["op_type", "op_type"])?, self.module.attr(like, "buf_id").and_then(Attr::int)?);
        let rest = attributes_text(self.module, like, &["op_type", "buf_id"]);
        Some(format!("pto.{name}[{class}, {id}] {rest}").trim_end().to_string())
    }

    /// A signal, or a wait for one, with another id.
    pub(super) fn signal_text(&self, like: OpId, id: i64) -> Option<String> {
        let name = self.module.op(like).op.row().name;
        let pipe = self.class(like, ["pipe", "pipe"])?;
        let rest = attributes_text(self.module, like, &["pipe", "event_id", "operandSegmentSizes"]);
        Some(format!("pto.{name} {pipe}, {id} {rest}").trim_end().to_string())
    }

    /// Replaces a statement.
    pub(super) fn replaced(&self, id: OpId, text: impl Into<String>) -> [Edit; 2] {
        [Edit::before(self.span(id), text), Edit::remove(self.span(id))]
    }

    /// The pipe of the nearest work after a statement, in its block and in those around it.
    pub(super) fn first_work_behind(&self, id: OpId) -> Option<Pipe> {
        self.text().behind(id).into_iter().find_map(|at| self.work_pipe(at))
    }

    /// The pipe of the nearest work before a statement in its block.
    pub(super) fn last_work_ahead(&self, id: OpId) -> Option<Pipe> {
        let block = self.text().block_of(id)?;
        let before = &self.module.block(block).ops[..self.text().position(id)];
        let last = |at: &OpId| {
            let mut last = self.work_pipe(*at);
            self.module.walk_inside(*at, &mut |id| last = self.work_pipe(id).or(last));
            last
        };
        before.iter().rev().find_map(last)
    }
}
