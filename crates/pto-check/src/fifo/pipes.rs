//! The pipes of a program: their ends, and the operations that use them.

use super::Program;
use super::buffers::{Buffer, Buffers, Source};
use pto_ir::{OpId, Operand, ValueId};
use pto_isa::Type;
use pto_isa::row::{Core, Direction, EntryAction, Fifo, SlotKind};

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
pub(super) struct Ring {
    pub(super) direction: Direction,
    pub(super) address: Operand,
    pub(super) source: Source,
}

/// What makes two ends the ends of one pipe.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Link {
    /// The same buffer, in the same direction.
    Ring(Buffer, Direction),
    /// Entries in global memory: the same id and directions.
    Global(i64, i64),
}

/// What both ends of a pipe must say alike.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) dir_mask: i64,
    pub(super) slot_size: i64,
    pub(super) slot_num: i64,
    pub(super) local_slot_num: i64,
    pub(super) global: bool,
}

/// The code of one core in a function: of all of it, or of its sections for that core.
pub(super) type Home = (OpId, Option<&'static str>);

/// One end of a pipe: the operation that opens it, and what it says.
pub(super) struct End {
    pub(super) init: OpId,
    pub(super) function: OpId,
    pub(super) home: Home,
    /// The number users find it by.
    pub(super) id: Option<i64>,
    /// Users name the id rather than a handle.
    pub(super) frontend: bool,
    pub(super) shape: Shape,
    pub(super) rings: Vec<Ring>,
    pub(super) users: Vec<User>,
}

impl End {
    /// Signal ids it takes.
    pub(super) const fn flags(&self) -> i64 {
        if self.shape.dir_mask == 3 { 4 } else { 2 }
    }

    pub(super) fn links(&self) -> Vec<Link> {
        if self.shape.global {
            return self.id.map(|id| Link::Global(id, self.shape.dir_mask)).into_iter().collect();
        }
        let link = |r: &Ring| match r.source {
            Source::Buffer(buffer) => Some(Link::Ring(buffer, r.direction)),
            Source::Unresolved | Source::Other => None,
        };
        self.rings.iter().filter_map(link).collect()
    }

    pub(super) fn users_in(&self, action: EntryAction) -> impl Iterator<Item = &User> {
        self.users.iter().filter(move |u| u.action == action)
    }
}

/// All ends, and the users that found none.
pub(super) struct Pipes {
    pub(super) ends: Vec<End>,
    pub(super) lost: Vec<User>,
}

/// The attribute by which lowered programs remember the id of the frontend form.
const FRONTEND_ID: &str = "__pto.frontend_id";

impl Pipes {
    pub(super) fn collect(program: &Program, buffers: &Buffers) -> Self {
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

    /// The end in the same function with this id: for the same core, where there are several.
    pub(super) fn by_id(&self, program: &Program, user: OpId) -> Option<usize> {
        let wanted = program.module.int(user, "id").unwrap_or(0);
        let function = program.site(user).function;
        let core = program.site(user).core.map(Core::name);
        let fits = |e: &&End| Some(e.function) == function && e.id == Some(wanted);
        let best = self.ends.iter().filter(fits).min_by_key(|e| (e.home.1 != core, !e.frontend));
        best.and_then(|best| self.ends.iter().position(|e| e.init == best.init))
    }

    /// The end an operation works on: that of its handle, else the one with its id.
    fn end_of(&self, program: &Program, user: OpId) -> Option<usize> {
        if handle_slot(program, user).is_none() {
            return self.by_id(program, user);
        }
        let init = program.module.definition(handle(program, user)?)?;
        self.ends.iter().position(|e| e.init == init)
    }
}

fn handle_slot(program: &Program, id: OpId) -> Option<usize> {
    program.module.op(id).op.row().slots.iter().position(|s| s.kind == SlotKind::Pipe)
}

/// The pipe handle an operation takes.
pub(super) fn handle(program: &Program, id: OpId) -> Option<ValueId> {
    let slot = handle_slot(program, id)?;
    program.module.in_slot(id, slot).next().map(|o| o.value)
}

/// The operand in the slot of this name.
pub(super) fn operand(program: &Program, id: OpId, slot: &str) -> Option<Operand> {
    program.module.named(id, slot).next().copied()
}

/// The operand of an end that holds its slots in global memory, with its type.
pub(super) fn global_slots<'a>(program: &'a Program, init: OpId) -> Option<(Operand, &'a Type)> {
    let found = operand(program, init, "gm_slot_tensor").or_else(|| operand(program, init, "gm_addr"))?;
    Some((found, program.module.value_type(found.value)))
}

/// The end an operation opens.
fn end(program: &Program, buffers: &Buffers, init: OpId) -> Option<End> {
    let Some(Fifo::Open(end)) = program.module.fifo(init) else { return None };
    let frontend = end.is_named();
    let addresses = if frontend { ["c2v_consumer_buf", "v2c_consumer_buf"] } else { ["local_addr", "peer_local_addr"] };
    let dir_mask = program.module.int(init, "dir_mask").filter(|m| (1..=3).contains(m))?;
    let rings = rings(program, buffers, init, frontend, dir_mask, addresses);
    let given = |name| program.module.int(init, name);
    let or_default = |name| program.module.int(init, name);
    let shape = Shape {
        dir_mask,
        slot_size: given("slot_size")?,
        slot_num: or_default("slot_num")?,
        local_slot_num: or_default("local_slot_num").or_else(|| or_default("slot_num"))?,
        global: rings.is_empty(),
    };
    let id = if frontend { or_default("id") } else { given(FRONTEND_ID) };
    let (function, core) = (program.site(init).function?, program.site(init).core);
    Some(End { init, function, home: (function, core.map(Core::name)), id, frontend, shape, rings, users: Vec::new() })
}

/// The frontend form has an operand per direction; the handle form lists the rings of the directions it has.
fn rings(
    program: &Program,
    buffers: &Buffers,
    init: OpId,
    frontend: bool,
    dir_mask: i64,
    addresses: [&str; 2],
) -> Vec<Ring> {
    let directions = [Direction::ToVector, Direction::ToCube];
    let used = directions.into_iter().filter(|d| dir_mask & d.bit() != 0);
    used.enumerate()
        .filter_map(|(at, direction)| {
            let name = addresses[if frontend { direction as usize } else { at }];
            let address = operand(program, init, name)?;
            Some(Ring { direction, address, source: buffers.source(address.value) })
        })
        .collect()
}
