//! The FIFO pipes of a program: their ends, and the operations that use them.

use super::LocatedProgram;
use super::buffers::{ReservedBuffer, ReservedBuffers, RingSource};
use pto_ir::{OpId, Operand, ValueId};
use pto_isa::Type;
use pto_isa::row::{CoreKind, Direction, EntryAction, Fifo, SlotKind};

/// An operation that moves, reserves or frees an entry.
#[derive(Clone, Copy)]
pub(super) struct User {
    pub(super) id: OpId,
    pub(super) action: EntryAction,
    pub(super) direction: Option<Direction>,
    pub(super) split: Option<i64>,
}

/// Where the entries of one direction lie.
#[derive(Clone, Copy)]
pub(super) struct RingAddress {
    pub(super) direction: Direction,
    pub(super) address: Operand,
    pub(super) source: RingSource,
}

/// What links two ends to one FIFO pipe.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum PipeLink {
    /// The same buffer, in the same direction.
    Ring(ReservedBuffer, Direction),
    /// Entries in global memory: the same id and directions.
    Global(i64, i64),
}

/// The properties that both ends of a FIFO pipe must agree on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct PipeShape {
    pub(super) dir_mask: i64,
    pub(super) slot_size: i64,
    pub(super) slot_num: i64,
    pub(super) local_slot_num: i64,
    pub(super) global: bool,
}

/// The code of one core in a function: the whole function, or its sections for that core.
pub(super) type CoreCode = (OpId, Option<&'static str>);

/// One end of a FIFO pipe: the operation that opens it, and its attributes.
pub(super) struct FifoEnd {
    pub(super) init: OpId,
    pub(super) function: OpId,
    pub(super) home: CoreCode,
    /// The id by which users name it.
    pub(super) id: Option<i64>,
    /// Users name the id rather than a handle.
    pub(super) frontend: bool,
    pub(super) shape: PipeShape,
    pub(super) rings: Vec<RingAddress>,
    pub(super) users: Vec<User>,
}

impl FifoEnd {
    /// Signal ids it takes.
    pub(super) const fn flags(&self) -> i64 {
        if self.shape.dir_mask == 3 { 4 } else { 2 }
    }

    pub(super) fn links(&self) -> Vec<PipeLink> {
        if self.shape.global {
            return self.id.map(|id| PipeLink::Global(id, self.shape.dir_mask)).into_iter().collect();
        }
        let link = |r: &RingAddress| match r.source {
            RingSource::Buffer(buffer) => Some(PipeLink::Ring(buffer, r.direction)),
            RingSource::Unresolved | RingSource::Other => None,
        };
        self.rings.iter().filter_map(link).collect()
    }

    pub(super) fn users_in(&self, action: EntryAction) -> impl Iterator<Item = &User> {
        self.users.iter().filter(move |u| u.action == action)
    }
}

/// All ends, and the users without one.
pub(super) struct FifoEnds {
    pub(super) ends: Vec<FifoEnd>,
    pub(super) lost: Vec<User>,
}

/// The attribute in which lowered programs keep the id of the frontend form.
const FRONTEND_ID: &str = "__pto.frontend_id";

impl FifoEnds {
    pub(super) fn collect(program: &LocatedProgram, buffers: &ReservedBuffers) -> Self {
        let module = program.module;
        let (mut ends, mut users) = (Vec::new(), Vec::new());
        module.walk(module.top, &mut |id| {
            ends.extend(end(program, buffers, id));
            if let Some(Fifo::Entry(action, direction)) = module.fifo(id) {
                users.push(User { id, action, direction, split: program.module.int(id, "split") });
            }
        });
        let mut pipes = Self { ends, lost: Vec::new() };
        for user in users {
            match pipes.end_of(program, user.id) {
                Some(at) => pipes.ends[at].users.push(user),
                None => pipes.lost.push(user),
            }
        }
        pipes
    }

    /// The end in the same function with this id; if there are several, the one of the same core.
    pub(super) fn by_id(&self, program: &LocatedProgram, user: OpId) -> Option<usize> {
        let wanted = program.module.int(user, "id").unwrap_or(0);
        let function = program.site(user).function;
        let core = program.site(user).core.map(CoreKind::name);
        let fits = |e: &&FifoEnd| Some(e.function) == function && e.id == Some(wanted);
        let best = self.ends.iter().filter(fits).min_by_key(|e| (e.home.1 != core, !e.frontend));
        best.and_then(|best| self.ends.iter().position(|e| e.init == best.init))
    }

    /// The end that an operation uses: that of its handle, else the one with its id.
    fn end_of(&self, program: &LocatedProgram, user: OpId) -> Option<usize> {
        if handle_slot(program, user).is_none() {
            return self.by_id(program, user);
        }
        let init = program.module.definition(handle(program, user)?)?;
        self.ends.iter().position(|e| e.init == init)
    }
}

fn handle_slot(program: &LocatedProgram, id: OpId) -> Option<usize> {
    program.module.op(id).op.row().slots.iter().position(|s| s.kind == SlotKind::Pipe)
}

/// The pipe handle an operation takes.
pub(super) fn handle(program: &LocatedProgram, id: OpId) -> Option<ValueId> {
    let slot = handle_slot(program, id)?;
    program.module.in_slot(id, slot).next().map(|o| o.value)
}

/// The operand in the slot of this name.
pub(super) fn operand(program: &LocatedProgram, id: OpId, slot: &str) -> Option<Operand> {
    program.module.named(id, slot).next().copied()
}

/// The operand of an end that holds its slots in global memory, with its type.
pub(super) fn global_slots<'a>(program: &'a LocatedProgram, init: OpId) -> Option<(Operand, &'a Type)> {
    let found = operand(program, init, "gm_slot_tensor").or_else(|| operand(program, init, "gm_addr"))?;
    Some((found, program.module.value_type(found.value)))
}

/// The end an operation opens.
fn end(program: &LocatedProgram, buffers: &ReservedBuffers, init: OpId) -> Option<FifoEnd> {
    let Some(Fifo::Open(end)) = program.module.fifo(init) else { return None };
    let frontend = end.is_named();
    let addresses = if frontend { ["c2v_consumer_buf", "v2c_consumer_buf"] } else { ["local_addr", "peer_local_addr"] };
    let dir_mask = program.module.int(init, "dir_mask").filter(|m| (1..=3).contains(m))?;
    let rings = rings(program, buffers, init, frontend, dir_mask, addresses);
    let given = |name| program.module.int(init, name);
    let or_default = |name| program.module.int(init, name);
    let shape = PipeShape {
        dir_mask,
        slot_size: given("slot_size")?,
        slot_num: or_default("slot_num")?,
        local_slot_num: or_default("local_slot_num").or_else(|| or_default("slot_num"))?,
        global: rings.is_empty(),
    };
    let id = if frontend { or_default("id") } else { given(FRONTEND_ID) };
    let (function, core) = (program.site(init).function?, program.site(init).core);
    Some(FifoEnd {
        init,
        function,
        home: (function, core.map(CoreKind::name)),
        id,
        frontend,
        shape,
        rings,
        users: Vec::new(),
    })
}

/// The frontend form has an operand per direction; the handle form lists the rings of the directions it has.
fn rings(
    program: &LocatedProgram,
    buffers: &ReservedBuffers,
    init: OpId,
    frontend: bool,
    dir_mask: i64,
    addresses: [&str; 2],
) -> Vec<RingAddress> {
    let directions = [Direction::ToVector, Direction::ToCube];
    let used = directions.into_iter().filter(|d| dir_mask & d.bit() != 0);
    used.enumerate()
        .filter_map(|(at, direction)| {
            let name = addresses[if frontend { direction as usize } else { at }];
            let address = operand(program, init, name)?;
            Some(RingAddress { direction, address, source: buffers.source(address.value) })
        })
        .collect()
}
