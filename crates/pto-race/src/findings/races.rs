//! Races and uninitialised reads.

use super::*;
use pto_isa::text;

impl Findings<'_> {
    #[cold]
    pub fn read_too_early(&mut self, conflict: &Conflict, stamp: &Stamp) {
        self.race(codes::RACE_READ, conflict, stamp, (text!("writes"), text!("reads")), |what, first, second| {
            text!("{second} may read {what} before {first} has written it", second, what, first)
        });
    }

    #[cold]
    pub fn overwritten_too_early(&mut self, conflict: &Conflict, stamp: &Stamp) {
        self.race(codes::RACE_OVERWRITE, conflict, stamp, (text!("reads"), text!("writes")), |what, first, second| {
            text!("{second} may overwrite {what} before {first} has read it", second, what, first)
        });
    }

    #[cold]
    pub fn written_in_any_order(&mut self, conflict: &Conflict, stamp: &Stamp) {
        self.race(codes::RACE_WRITE, conflict, stamp, (text!("writes"), text!("writes")), |what, first, second| {
            text!("{first} and {second} write {what} in no defined order", first, second, what)
        });
    }

    fn race(
        &mut self,
        code: Code,
        conflict: &Conflict,
        stamp: &Stamp,
        verbs: (&str, &str),
        message: impl FnOnce(&str, &str, &str) -> String,
    ) {
        self.note_bytes(code, conflict.site.op, Some(conflict.other.op), conflict.reach(), |all| {
            let what = all.subject(code, conflict, stamp);
            let (first, second) = actors(conflict, all.actor(&conflict.other), all.actor(stamp));
            let repair = all.repair(code, conflict, stamp, &OrdSet::new());
            let mut d = Diagnostic::new(code, all.span(conflict.site.op), message(&what, &first, &second));
            let mut behind = String::new();
            if conflict.other.op == conflict.site.op {
                behind = text!("; {first} {verbs} them here before", first, verbs = verbs.0);
            } else {
                d = d.label(all.span(conflict.other.op), text!("{first} {verbs} them here", first, verbs = verbs.0));
            }
            let bytes = conflict.bytes(format!("{second} {} ", verbs.1), behind);
            for (op, text) in repair.labels {
                d = d.label(all.span(op), text);
            }
            d = d.legal(repair.legal).edits(repair.edits);
            d.help = repair.help;
            (d, Some(bytes))
        });
        self.note_ranks(code, conflict, stamp);
    }

    /// Elements of global memory lie at multiples of their size.
    pub fn check_alignment(&mut self, access: &Access, site: InstrSite) {
        let AddressSpace::Global(_) = access.place else { return self.uses(access) };
        let elem = access.value.and_then(|v| self.module.value_type(v).elem());
        let size = elem.map_or(1, |d| i64::from(d.unit_bytes()));
        if access.start.rem_euclid(size) == 0 {
            return;
        }
        self.note(codes::GLOBAL_MISALIGNED, site.op, None, |all| {
            let what = all.name(access.value);
            let message = text!(
                "{what} starts at byte {start} of its memory, and its elements have {size}",
                what,
                start = access.start,
                size
            );
            let edits = all.whole_element(access.value, access.start.rem_euclid(size));
            Diagnostic::new(codes::GLOBAL_MISALIGNED, all.span(site.op), message)
                .legal(text!("the first byte is a multiple of {size}", size))
                .help(text!("move the pointer by whole elements, before it is cast"))
                .edits(edits.unwrap_or_default())
        });
    }

    #[cold]
    pub fn unwritten(&mut self, access: &Access, first: u64, bytes: u64, site: InstrSite) {
        self.note_bytes(codes::RACE_UNWRITTEN, site.op, None, AccessDistance::Core, |all| {
            let what = all.name(access.value);
            let message = text!("{what} is read, but the memory is uninitialised", what);
            let bytes = TouchedBytes::new(access.place, (first, bytes), "", text!(" are uninitialised"));
            let d = Diagnostic::new(codes::RACE_UNWRITTEN, all.span(site.op), message)
                .legal(text!(
                    "memory of a core is uninitialised at the start; a load, a fill or a computation must write it"
                ))
                .help(text!("write the tile first, or make its valid region no larger than what was written"))
                .edits(all.first_content(access.value, site.op).unwrap_or_default());
            (d, Some(bytes))
        });
    }

    #[cold]
    pub fn taken(&mut self, conflict: &Conflict, lost: &Stamp, stamp: &Stamp) {
        if conflict.other.tile == DEVICE {
            return self.lost_to_the_device(conflict, lost, stamp);
        }
        if self.names.are_one_tile(lost, &conflict.other, conflict.site) {
            return;
        }
        self.note_bytes(codes::RACE_FOREIGN, conflict.site.op, Some(conflict.other.op), conflict.reach(), |all| {
            let (own, other) = (all.name(stamp.value), all.name(conflict.other.value));
            let message = text!("{own} is read, but {other} has overwritten it", own, other);
            let d = Diagnostic::new(codes::RACE_FOREIGN, all.span(conflict.site.op), message)
                .label(all.span(conflict.other.op), text!("{other} overwrites the bytes here", other))
                .label(all.span(lost.op), text!("{own} was written here", own))
                .legal(text!("tiles that are live at the same time must not overlap"))
                .help(text!("move one of them to another address, or use the first before the second is written"));
            (d, Some(conflict.bytes("reads ", "")))
        });
        let moved = self.in_the_way(stamp.value, lost, conflict.other.value);
        let key = (codes::RACE_FOREIGN, conflict.site.op, Some(conflict.other.op));
        if let Some(found) = self.found.get_mut(&key) {
            found.moved = found.moved.or(moved);
        }
    }

    /// The device itself has overwritten the bytes since they were written.
    fn lost_to_the_device(&mut self, conflict: &Conflict, lost: &Stamp, stamp: &Stamp) {
        let destroyed = conflict.other.value.is_some();
        let code = if destroyed { codes::DESTROYED } else { codes::HIDDEN_MEMORY };
        self.note_bytes(code, conflict.site.op, Some(conflict.other.op), conflict.reach(), |all| {
            let (own, by) = (all.name(stamp.value), all.module.op(conflict.other.op).op.row().name);
            let message = text!("{own} is read, but `{by}` has since used its memory as scratch", own, by);
            let d = Diagnostic::new(code, all.span(conflict.site.op), message)
                .label(all.span(conflict.other.op), text!("the content of {own} is lost here", own))
                .label(all.span(lost.op), text!("{own} was written here", own));
            let d = if destroyed {
                d.legal(text!("write a source that the device destroys again before reading it"))
                    .help(text!("copy the tile first"))
            } else {
                d.legal(text!("place tiles outside the memory that an instruction uses implicitly"))
                    .help(text!("give the tile another address, or the instruction a scratch tile"))
            };
            (d, Some(conflict.bytes("reads ", "")))
        });
    }

    #[cold]
    pub fn used_after_free(&mut self, conflict: &Conflict, access: &Access) {
        self.note(codes::PIPE_FREED, conflict.site.op, Some(conflict.other.op), |all| {
            let message = text!("{all} is read after its slot was freed", all = all.name(access.value));
            let d = Diagnostic::new(codes::PIPE_FREED, all.span(conflict.site.op), message)
                .remark(text!("the other core may be filling the slot"))
                .label(all.span(conflict.other.op), text!("freed here"));
            match all.freed_later(conflict.other.op, access.value) {
                Some(repair) => repair.applied(d),
                None => d.help(text!("move the `tfree` after the last use of the tile")),
            }
        });
    }
}
