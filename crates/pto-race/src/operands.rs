//! Checks of the operands of a single instruction, regardless of other instructions.

use crate::findings::{Findings, InstrSite};
use pto_cpu::{Access, AddressSpace, DEVICE};
use pto_isa::text;
use pto_isa::{BLayout, Diagnostic, TileType, codes};

impl Findings<'_> {
    /// A computed id may be out of range.
    pub fn has_event(&self, id: i64) -> bool {
        (0..i64::from(self.target.profile().event_ids)).contains(&id)
    }

    pub fn no_such_event(&mut self, id: i64, site: InstrSite) {
        self.note(codes::EVENT_ID, site.op, None, |all| {
            Diagnostic::new(codes::EVENT_ID, all.span(site.op), text!("there is no event {id}", id))
                .legal(text!("0 to {all}", all = all.target.profile().event_ids - 1))
                .help(text!("alternate between a few events: iteration modulo their number"))
        });
    }

    /// Checks the operands of an instruction. What was in order is in order when it repeats.
    pub fn check_operands(&mut self, accesses: &[Access], site: InstrSite, repeats: bool) {
        if repeats && !self.wrong_operands.contains(&site.step) {
            return;
        }
        let before = self.noted;
        self.check_overlap(accesses, site);
        for access in accesses {
            self.check_alignment(access, site);
        }
        if self.noted != before {
            self.wrong_operands.insert(site.step);
        }
    }

    /// A result may replace an operand exactly, but must not overlap it partly: the instruction would overwrite elements
    /// before it reads them. Scratch memory must not overlap operands.
    fn check_overlap(&mut self, accesses: &[Access], site: InstrSite) {
        for work in accesses.iter().filter(|a| a.is_work_space()) {
            let beside = |a: &&Access| !a.is_work_space() && a.place == work.place;
            if let Some(other) = accesses.iter().filter(beside).find(|a| overlap(a, work)) {
                self.works_on_operand(other, work, site);
            }
        }
        let results = |a: &&Access| a.write && !a.is_work_space() && matches!(a.place, AddressSpace::Core(_));
        for write in accesses.iter().filter(results) {
            let beside = |r: &&Access| !r.write && r.place == write.place && r.start != write.start;
            if let Some(read) = accesses.iter().filter(beside).find(|r| overlap(r, write)) {
                self.overlapping(read, write, site);
            }
            let on =
                |r: &&Access| !r.write && r.place == write.place && r.start == write.start && r.value != write.value;
            for read in accesses.iter().filter(on).filter(|r| overlap(r, write)) {
                if self.must_be_apart(site.op, write.value, read.value) {
                    self.replaced_too_early(read, write, site);
                } else if self.outruns(read, write) {
                    self.runs_ahead(read, write, site);
                }
            }
        }
    }

    fn replaced_too_early(&mut self, read: &Access, write: &Access, site: InstrSite) {
        self.note(codes::ALIASING, site.op, None, |all| {
            let (own, other) = (all.name(write.value), all.name(read.value));
            let message = text!(
                "{own} overlaps {other}, which the instruction still reads after it has begun to write",
                own,
                other
            );
            Diagnostic::new(codes::ALIASING, all.span(site.op), message)
                .legal(text!("separate memory for the result on {target}", target = all.target))
                .help(text!("give the result another address"))
        });
    }

    /// True when lines of a result overlap lines of an operand that are read later, although both start at the same byte.
    fn outruns(&self, read: &Access, write: &Access) -> bool {
        let lines = |a: &Access| TileLines::of(a, self.tile(a.value?)?);
        let (Some(own), Some(other)) = (lines(write), lines(read)) else { return false };
        if own.order != other.order || own.unit != other.unit || own.count < 2 || other.count < 2 {
            return false;
        }
        let second = Access { start: write.start + own.pitch, rows: 1, row_bytes: own.bytes, stride: 0, ..*write };
        other.pitch < own.pitch && overlap(read, &second)
    }

    fn runs_ahead(&mut self, read: &Access, write: &Access, site: InstrSite) {
        self.note(codes::ALIASING, site.op, None, |all| {
            let (own, other) = (all.name(write.value), all.name(read.value));
            let message = text!("{own} starts at the address of {other} and has longer rows: its second row overlaps rows that are still to be read", own, other);
            Diagnostic::new(codes::ALIASING, all.span(site.op), message)
                .legal(text!("a result with the same row stride as the operand it overlaps, or no overlap"))
                .help(text!("give the result another address"))
        });
    }

    fn works_on_operand(&mut self, operand: &Access, work: &Access, site: InstrSite) {
        let hidden = work.tile == Some(DEVICE);
        let code = if hidden { codes::HIDDEN_MEMORY } else { codes::SCRATCH_OVERLAP };
        self.note(code, site.op, None, |all| {
            let name = all.name(operand.value);
            let message = if hidden {
                let end = work.start + work.row_bytes as i64;
                text!(
                    "{name} lies in bytes {start} to {end}, which the instruction itself uses here",
                    name,
                    start = format_args!("{:#x}", work.start),
                    end = format_args!("{:#x}", end)
                )
            } else {
                text!("the scratch tile {all} shares bytes with {name}", all = all.name(work.value), name)
            };
            Diagnostic::new(code, all.span(site.op), message)
                .legal(text!("scratch memory of an instruction must not overlap its operands"))
                .help(if hidden {
                    text!("give the tile another address, or the instruction a scratch tile")
                } else {
                    text!("give the scratch tile another address")
                })
        });
    }

    fn overlapping(&mut self, read: &Access, write: &Access, site: InstrSite) {
        self.note(codes::ALIASING, site.op, None, |all| {
            let (own, other) = (all.name(write.value), all.name(read.value));
            let message = match write.start - read.start {
                bytes if bytes > 0 => text!(
                    "{own} starts {bytes} bytes after the start of {other}, which is still being read",
                    own,
                    bytes,
                    other
                ),
                bytes => text!(
                    "{own} starts {bytes} bytes before the start of {other}, which is still being read",
                    own,
                    bytes = -bytes,
                    other
                ),
            };
            Diagnostic::new(codes::ALIASING, all.span(site.op), message)
                .legal(text!(
                    "a result at exactly the address of an operand, if the instruction allows that, or no overlap"
                ))
                .help(text!("give the result another address"))
        });
    }
}

/// The rows, or columns, in which a tile lies in memory.
struct TileLines {
    order: BLayout,
    /// Bytes of an element.
    unit: u64,
    count: u64,
    /// Bytes of data in one.
    bytes: u64,
    /// Bytes from one to the next.
    pitch: i64,
}

impl TileLines {
    /// The lines that an access covers; `None` for boxed tiles and for elements smaller than a byte.
    fn of(access: &Access, ty: &TileType) -> Option<Self> {
        if ty.is_boxed() || ty.dtype.bits() < 8 {
            return None;
        }
        let (rows, cols) = (u64::from(access.valid.0), u64::from(access.valid.1));
        let (count, along, whole) = match ty.blayout {
            BLayout::RowMajor => (rows, cols, ty.cols),
            BLayout::ColMajor => (cols, rows, ty.rows),
        };
        let unit = u64::from(ty.dtype.unit_bytes());
        // Contiguous lines are reported as one run.
        let pitch = if access.rows > 1 { access.stride } else { i64::try_from(whole * unit).ok()? };
        Some(Self { order: ty.blayout, unit, count, bytes: along * unit, pitch })
    }
}

/// True when two rectangles have bytes in common.
fn overlap(a: &Access, b: &Access) -> bool {
    let end = |x: &Access| x.start + (x.rows as i64 - 1) * x.stride + x.row_bytes as i64;
    if a.rows == 0 || b.rows == 0 || end(a) <= b.start || end(b) <= a.start {
        return false;
    }
    (0..a.rows as i64).any(|row| {
        let first = a.start + row * a.stride;
        let behind = first + a.row_bytes as i64;
        // Only the last run of the other that begins before this one ends can reach into it.
        let steps = if b.stride > 0 { (behind - 1 - b.start).div_euclid(b.stride) } else { 0 };
        let at = b.start + steps.min(b.rows as i64 - 1) * b.stride;
        steps >= 0 && at < behind && at + b.row_bytes as i64 > first
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pto_isa::Loc;

    fn runs(start: i64, row_bytes: u64, rows: u64, stride: i64) -> Access {
        Access {
            place: AddressSpace::Core(Loc::Vec),
            start,
            row_bytes,
            rows,
            stride,
            write: false,
            atomic: pto_cpu::Atomic::No,
            origin: 0,
            value: None,
            tile: None,
            geometry: 0,
            valid: (0, 0),
        }
    }

    #[test]
    fn halves_of_a_tile_share_no_byte() {
        assert!(!overlap(&runs(0, 32, 4, 64), &runs(32, 32, 4, 64)));
        assert!(overlap(&runs(0, 33, 4, 64), &runs(32, 32, 4, 64)));
        assert!(overlap(&runs(0, 256, 1, 0), &runs(224, 256, 1, 0)));
        assert!(!overlap(&runs(0, 256, 1, 0), &runs(256, 256, 1, 0)));
        assert!(!overlap(&runs(64, 32, 2, 128), &runs(0, 32, 2, 128)));
        assert!(overlap(&runs(64, 32, 2, 128), &runs(0, 32, 3, 96)));
    }
}
