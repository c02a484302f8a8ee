//! The two ends of a FIFO pipe: both exist and agree, and all users split tiles alike.

use super::LocatedProgram;
use super::buffers::RingSource;
use super::pipes::{CoreCode, FifoEnd, FifoEnds, PipeLink, PipeShape, RingAddress, User};
use crate::structure::head;
use pto_ir::OpId;
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::row::Fifo;
use pto_isa::sort::SharedSort;
use pto_isa::text;
use pto_isa::{Diagnostic, Op, codes};

/// Signal ids that the FIFO pipes of one function share.
const FLAGS: i64 = 16;

pub(super) fn check(program: &LocatedProgram, pipes: &FifoEnds, problems: &mut Vec<Diagnostic>) {
    for end in &pipes.ends {
        problems.extend(untraceable(program, end));
        problems.extend(ownership(program, end, &pipes.ends));
    }
    for group in groups(&pipes.ends) {
        problems.extend(complete(program, &group).or_else(|| agree(program, &group)));
        problems.extend(split_use(program, &group).or_else(|| nosplit(program, &group)));
    }
    flags(program, &pipes.ends, problems);
}

/// The ends that are linked with each other, in text order.
pub(super) fn groups(ends: &[FifoEnd]) -> Vec<Vec<&FifoEnd>> {
    let mut by_link: FastMap<PipeLink, Vec<usize>> = FastMap::default();
    for (at, end) in ends.iter().enumerate() {
        for link in end.links() {
            by_link.entry(link).or_default().push(at);
        }
    }
    let mut seen = vec![false; ends.len()];
    let mut groups = Vec::new();
    for start in 0..ends.len() {
        let mut group = Vec::new();
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                group.push(at);
                open.extend(ends[at].links().iter().flat_map(|l| &by_link[l]));
            }
        }
        group.shared_sort();
        if !group.is_empty() {
            groups.push(group.into_iter().map(|at| &ends[at]).collect());
        }
    }
    groups
}

/// Without a reserved buffer it is unknown which end is the other one, and which signals they share.
fn untraceable(program: &LocatedProgram, end: &FifoEnd) -> Option<Diagnostic> {
    let opaque = !end.rings.is_empty() && end.rings.iter().all(|r| r.source == RingSource::Other);
    let address = end.rings.first()?.address;
    (opaque && program.module.int(end.init, "flag_base").is_none()).then(|| {
        let d = program.problem(codes::FIFO_SETUP, end.init, text!("the other end of this pipe cannot be found"));
        let d = d.label(address.span, text!("this address is not a reserved buffer"));
        let legal = text!("an address from `reserve_buffer` or `import_reserved_buffer`");
        if end.frontend {
            d.legal(legal).help(text!("reserve the buffer in the consumer and import it in the producer"))
        } else {
            d.legal(text!("{legal}, or a `flag_base` that both ends agree on", legal))
        }
    })
}

/// The ring lies in the consumer: it reserves the buffer, the producer imports it.
fn ownership(program: &LocatedProgram, end: &FifoEnd, ends: &[FifoEnd]) -> Option<Diagnostic> {
    let core = program.site(end.init).core.filter(|_| end.frontend)?;
    // A function for both cores reserves it for both.
    let is_shared = ends.iter().any(|e| e.function == end.function && e.home != end.home);
    if is_shared {
        return None;
    }
    let wrong = |r: &&RingAddress| match r.source {
        RingSource::Buffer(b) => (b.owner == end.function) != (core == r.direction.consumer()),
        RingSource::Unresolved | RingSource::Other => false,
    };
    let ring = end.rings.iter().find(wrong)?;
    let consumes = core == ring.direction.consumer();
    let legal = if consumes { Fifo::Reserve } else { Fifo::Import };
    let legal = Op::of(legal).row().name;
    let (found, legal) = match consumes {
        true => (
            text!("the consumer of this pipe imports its buffer"),
            text!("an address from `{legal}` in the consumer", legal),
        ),
        false => (
            text!("the producer of this pipe reserves its buffer"),
            text!("an address from `{legal}` in the producer", legal),
        ),
    };
    let d = program.problem(codes::FIFO_SETUP, end.init, found);
    let d = d.label(ring.address.span, text!("the buffer")).legal(legal);
    Some(d.help(text!("reserve the buffer in the function that pops, import it in the one that pushes")))
}

/// A FIFO pipe in local memory has two ends, in two functions or in the sections of one for different cores.
fn complete(program: &LocatedProgram, group: &[&FifoEnd]) -> Option<Diagnostic> {
    let first = group[0];
    if first.shape.global || first.links().is_empty() {
        return None;
    }
    let homes: FastSet<CoreCode> = group.iter().map(|e| e.home).collect();
    if group.len() == 2 && homes.len() == 2 {
        return None;
    }
    let message = match group.len() {
        1 => text!("the other end of this pipe is never opened").to_string(),
        2 => text!("two ends of this pipe are in one function").to_string(),
        n => text!("{n} ends share the buffers of this pipe", n),
    };
    let d = program.problem(codes::FIFO_SETUP, first.init, message);
    let d = group[1..].iter().fold(d, |d, e| d.label(head(program.module, e.init), text!("also on this buffer")));
    let d =
        d.legal(text!("two ends per pipe, in two functions or sections for different cores, with the same dir_mask"));
    Some(d.help(text!("open one end in the function that reserves the buffer, the other in the one that imports it")))
}

/// Both ends describe the same ring.
fn agree(program: &LocatedProgram, group: &[&FifoEnd]) -> Option<Diagnostic> {
    let first = group[0];
    let (other, (name, a, b)) = group[1..].iter().find_map(|e| Some((*e, difference(first.shape, e.shape)?)))?;
    let message = text!("the ends of this pipe disagree: {name} is {b} here, {a} at the other end", name, b, a);
    let d = program.problem(codes::FIFO_SETUP, other.init, message);
    Some(
        d.label(head(program.module, first.init), text!("the other end"))
            .legal(text!("the same direction and slots at both ends")),
    )
}

/// The first property in which two ends differ.
fn difference(a: PipeShape, b: PipeShape) -> Option<(&'static str, String, String)> {
    let place = |g: bool| if g { text!("global memory") } else { text!("local memory") };
    [
        ("dir_mask", a.dir_mask.to_string(), b.dir_mask.to_string()),
        ("slot_size", a.slot_size.to_string(), b.slot_size.to_string()),
        ("slot_num", a.slot_num.to_string(), b.slot_num.to_string()),
        ("local_slot_num", a.local_slot_num.to_string(), b.local_slot_num.to_string()),
        (text!("the memory of the entries"), place(a.global).to_string(), place(b.global).to_string()),
    ]
    .into_iter()
    .find(|(_, x, y)| x != y)
}

/// All users of a pipe split tiles, or none does.
fn split_use(program: &LocatedProgram, group: &[&FifoEnd]) -> Option<Diagnostic> {
    let whole = first_user(group, |s| s == 0)?;
    let cut = first_user(group, |s| s != 0)?;
    let split = cut.split.unwrap_or(1);
    let message = text!("split = {split} on a pipe that is also used with split = 0", split);
    let d = program.problem(codes::FIFO_SETUP, cut.id, message);
    let d = d
        .label(head(program.module, whole.id), text!("split = 0 here"))
        .legal(text!("split = 0 everywhere, or nowhere"));
    Some(d.help(text!("use the same split at both ends of the pipe")))
}

fn first_user<'a>(group: &[&'a FifoEnd], wanted: impl Fn(i64) -> bool) -> Option<&'a User> {
    group.iter().flat_map(|e| &e.users).find(|u| u.split.is_some_and(&wanted))
}

/// `nosplit` agrees with the users, at both ends.
fn nosplit(program: &LocatedProgram, group: &[&FifoEnd]) -> Option<Diagnostic> {
    let stated = |e: &&FifoEnd| program.flag(e.init, "nosplit").map(|n| (e.init, n));
    let mut all = group.iter().filter_map(stated);
    let (init, says) = all.next()?;
    if let Some((other, _)) = all.find(|(_, n)| *n != says) {
        let d = program.problem(codes::FIFO_SETUP, other, text!("`nosplit` differs between the ends of this pipe"));
        return Some(
            d.label(head(program.module, init), text!("the other end")).legal(text!("the same `nosplit` at both ends")),
        );
    }
    let user = first_user(group, |s| (s == 0) != says)?;
    let split = user.split.unwrap_or(0);
    let d = program.problem(
        codes::FIFO_SETUP,
        init,
        text!("`nosplit = {says}`, but a user has split = {split}", says, split),
    );
    let d = d.label(head(program.module, user.id), text!("this user"));
    Some(
        d.legal(text!("`nosplit = true` exactly when every split is 0"))
            .help(text!("leave `nosplit` out: it follows from the users")),
    )
}

/// The FIFO pipes of a function use different signal ids; there are few.
fn flags(program: &LocatedProgram, ends: &[FifoEnd], problems: &mut Vec<Diagnostic>) {
    let mut used: FastMap<CoreCode, Vec<(i64, i64, OpId)>> = FastMap::default();
    let base = |e: &FifoEnd| program.module.int(e.init, "flag_base");
    let (fixed, free): (Vec<&FifoEnd>, Vec<&FifoEnd>) = ends.iter().partition(|e| base(e).is_some());
    for end in fixed {
        let taken = used.entry(end.home).or_default();
        let start = base(end).unwrap_or(0);
        let clash = taken.iter().find(|(s, e, _)| start < *e && *s < start + end.flags());
        if let Some(&(_, _, other)) = clash {
            let d = program.problem(
                codes::FIFO_SETUP,
                end.init,
                text!("flag_base = {start} is taken by another pipe", start),
            );
            let d = d.label(head(program.module, other), text!("that pipe"));
            problems.push(d.legal(text!("two signal ids per direction, not shared between pipes of a function")));
        }
        taken.push((start, start + end.flags(), end.init));
    }
    for end in free {
        let taken = used.entry(end.home).or_default();
        let is_free = |s: &i64| taken.iter().all(|(a, b, _)| *b <= *s || s + end.flags() <= *a);
        match (0..=FLAGS - end.flags()).step_by(2).find(is_free) {
            Some(start) => taken.push((start, start + end.flags(), end.init)),
            None => problems.push(too_many(program, end, taken.len())),
        }
    }
}

fn too_many(program: &LocatedProgram, end: &FifoEnd, before: usize) -> Diagnostic {
    let message = text!("no signal ids are left for this pipe after {before} others in the function", before);
    program
        .problem(codes::FIFO_SETUP, end.init, message)
        .label(head(program.module, end.function), text!("the function"))
        .legal(text!("{FLAGS} signal ids per function: two per direction of a pipe", FLAGS))
        .help(text!("send several kinds of tiles through one pipe"))
}
