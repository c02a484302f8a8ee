//! Events between instructions, as flags between their pipes.

use super::Recorder;
use crate::ir::{Attr, BlockId, OpExtras, OpId};
use crate::isa::row::{FlagForm, SyncOp};
use crate::isa::{Diagnostic, Op, Pipe, Target, codes, enums};
use pto_isa::text;

/// Flags that events have taken.
#[derive(Default)]
pub(super) struct Events {
    /// In the order of the instructions that wait, so that those which matter are the last ones.
    taken: Vec<Taken>,
}

/// A flag between two instructions.
struct Taken {
    pipes: (Pipe, Pipe),
    id: u8,
    block: BlockId,
    /// Positions of the instructions in the order of recording.
    from: OpId,
    to: OpId,
}

/// Event ids between two pipes.
const IDS: u8 = 8;

impl Recorder {
    /// Lets an instruction wait for one before it.
    pub fn wait_for(&mut self, waiting: OpId, done: OpId) {
        let (Some(from), Some(to)) = (self.pipe(done), self.pipe(waiting)) else { return };
        let Some(block) = self.common_block(done, waiting) else { return };
        if from == to {
            self.insert(Op::of(SyncOp::Barrier), &[("pipe", from)], None, (block, waiting, false));
            return;
        }
        let flags = &self.events.taken;
        let flags = &flags[flags.partition_point(|t| t.to < done)..];
        // The pipe that waits has waited for this one before.
        if flags.iter().any(|t| t.pipes == (from, to) && t.from == done && t.to <= waiting) {
            return;
        }
        let overlaps = |t: &&Taken| t.pipes == (from, to) && t.block == block && t.to >= done;
        let Some(id) = (0..IDS).find(|id| !flags.iter().filter(overlaps).any(|t| t.id == *id)) else {
            let message = text!("more than {IDS} events between {from} and {to} are open here", IDS, from, to);
            self.problem(message, text!("wait for one of them earlier"));
            return;
        };
        let pipes = [("src_pipe", from), ("dst_pipe", to)];
        self.insert(Op::of(SyncOp::SetFlag(FlagForm::Fixed)), &pipes, Some(id), (block, done, true));
        self.insert(Op::of(SyncOp::WaitFlag(FlagForm::Fixed)), &pipes, Some(id), (block, waiting, false));
        let at = self.events.taken.partition_point(|t| t.to <= waiting);
        self.events.taken.insert(at, Taken { pipes: (from, to), id, block, from: done, to: waiting });
    }

    /// The pipe of an instruction, which must be the same on every device.
    fn pipe(&mut self, id: OpId) -> Option<Pipe> {
        let module = &self.builder.module;
        let row = module.op(id).op.row();
        let on = |t: Target| row.targets.contains(t).then(|| pto_check::pipe_of(module, id, t));
        let pipes: Vec<Option<Pipe>> = [Target::A2A3, Target::A5].into_iter().filter_map(on).collect();
        match pipes[..] {
            [Some(pipe)] => Some(pipe),
            [Some(a), Some(b)] if a == b => Some(a),
            _ => {
                let message = text!("`{name}` has no pipe, or not the same one on every target", name = row.name);
                self.problem(message, text!("order it with `set_flag` and `wait_flag`"));
                None
            }
        }
    }

    /// The block that both instructions stand in.
    fn common_block(&mut self, done: OpId, waiting: OpId) -> Option<BlockId> {
        let module = &self.builder.module;
        let holds = |b: &&BlockId| {
            let ops = &module.block(**b).ops;
            // Mostly they are among the last ones.
            [waiting, done].iter().all(|id| ops.iter().rev().any(|op| op == id))
        };
        let found = self.builder.open.iter().rev().find(holds).copied();
        if found.is_none() {
            self.problem(
                text!("the event comes from another loop, branch or function").to_string(),
                text!("wait where the event was recorded, or use `set_flag` and `wait_flag`"),
            );
        }
        found
    }

    fn problem(&mut self, message: String, help: &str) {
        let problem = Diagnostic::new(codes::EVENT_USE, self.builder.span, message).help(help);
        self.problems.push(problem);
    }

    /// Inserts an operation before or after an instruction.
    fn insert(&mut self, inserted: Op, pipes: &[(&str, Pipe)], id: Option<u8>, at: (BlockId, OpId, bool)) {
        let module = &mut self.builder.module;
        let mut attrs = Vec::new();
        for (name, pipe) in pipes {
            let at = enums::PIPE.find(pipe.name()).unwrap_or(0) as u8;
            attrs.push((module.names.intern(name), Attr::Enum(&enums::PIPE, at)));
        }
        if let Some(id) = id {
            attrs.push((module.names.intern("event_id"), Attr::Enum(&enums::EVENT, id)));
        }
        self.builder.op(inserted, &[], &[], OpExtras { attrs, ..OpExtras::default() });
        let (block, other, after) = at;
        self.move_last_before(block, other, after);
    }

    /// Puts an operation that is at the end of the innermost block to another place in it.
    fn move_last_before(&mut self, block: BlockId, other: OpId, after: bool) {
        let innermost = self.builder.innermost();
        let last = self.builder.module.block_mut(innermost).ops.pop().expect("it was just put there");
        let ops = &mut self.builder.module.block_mut(block).ops;
        let at = ops.iter().rposition(|op| *op == other).expect("it is in its block");
        ops.insert(at + usize::from(after), last);
    }
}
