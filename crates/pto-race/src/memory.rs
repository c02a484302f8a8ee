//! The access histories of all memories, and the rules for two accesses to the same bytes.

use crate::findings::Findings;
use crate::now::Now;
use crate::shadow::{FREED, NO_TILE, Segment, Shadow, Stamp};
use pto_cpu::{Access, AddressSpace, Atomic};
use pto_isa::Loc;

#[derive(Default, Debug)]
pub(crate) struct Memories {
    /// By core and space.
    cores: Vec<[Shadow; Loc::ALL.len()]>,
    global: Vec<Shadow>,
}

impl Memories {
    #[inline]
    fn shadow(&mut self, core: usize, place: AddressSpace) -> &mut Shadow {
        match place {
            AddressSpace::Core(loc) => {
                if self.cores.len() <= core {
                    self.cores.resize_with(core + 1, Default::default);
                }
                &mut self.cores[core][loc as usize]
            }
            AddressSpace::Global(buffer) => {
                if self.global.len() <= buffer {
                    self.global.resize_with(buffer + 1, Shadow::default);
                }
                &mut self.global[buffer]
            }
        }
    }

    /// Memory used by the histories.
    pub fn bytes(&self) -> u64 {
        self.cores.iter().flatten().chain(&self.global).map(Shadow::bytes).sum()
    }

    /// Resets the memories of cores; global memory stays.
    pub fn forget_cores(&mut self) {
        self.cores.clear();
    }

    /// Visits the history of the bytes of an access.
    #[inline]
    pub fn visit(&mut self, core: usize, access: &Access, mut each: impl FnMut(u64, u64, &mut Segment)) {
        let shadow = self.shadow(core, access.place);
        let whole = access.stride == access.row_bytes as i64 || access.rows == 1;
        if whole {
            if let Ok(start) = u64::try_from(access.start) {
                // By reference: moving the closure would copy what was stored a moment ago, which stalls.
                shadow.visit(start, access.rows * access.row_bytes, &mut each);
            }
            return;
        }
        visit_rows(shadow, access, &mut each);
    }

    /// The last writers of bytes of global memory, with the bytes of each.
    pub fn writes_of_line(&mut self, buffer: usize, first: i64, bytes: u64) -> Vec<(Stamp, (i64, i64))> {
        let mut all = Vec::new();
        let Ok(start) = u64::try_from(first) else { return all };
        self.shadow(0, AddressSpace::Global(buffer)).each_run(start, bytes, |first, bytes, segment| {
            let range = (first as i64, (first + bytes) as i64);
            all.extend(segment.write.iter().chain(&segment.atomics).map(|write| (*write, range)));
        });
        all
    }

    pub fn read(&mut self, core: usize, access: &Access, now: &Now<'_>, findings: &mut Findings<'_>) {
        let on_chip = matches!(access.place, AddressSpace::Core(_));
        self.visit(core, access, |first, bytes, segment| {
            let conflict = |other: &Stamp| now.conflict(access, (first, bytes), other);
            match &segment.write {
                Some(write) if write.tile == FREED => findings.used_after_free(&conflict(write), access),
                Some(write) if now.missed(write, segment.earlier.as_ref()) => {
                    findings.overwritten_too_early(&conflict(write).seen_from(write, &now.stamp(access)), write);
                }
                Some(write) if !now.is_after(write) => findings.read_too_early(&conflict(write), &now.stamp(access)),
                None if on_chip && !access.tile.is_some_and(|t| now.given.contains(&t)) => {
                    findings.unwritten(access, first, bytes, now.site);
                }
                _ => {}
            }
            // A sum is complete when all of its atomic additions are done, not only the last.
            for part in segment.atomics.iter().filter(|part| !now.is_after(part)) {
                findings.read_too_early(&conflict(part), &now.stamp(access));
            }
            let tile = access.tile.unwrap_or(NO_TILE);
            if let Some(lost) = segment.lost.iter().find(|lost| lost.tile == tile)
                && let Some(write) = segment.write.as_ref().filter(|w| w.tile != FREED)
            {
                findings.taken(&conflict(write), lost, &now.stamp(access));
            }
            // Most bytes have one reader at a time.
            match segment.reads.as_mut_slice() {
                [] => return segment.reads.push(now.stamp(access)),
                [only] if now.is_after(only) => return *only = now.stamp(access),
                [_] => return segment.reads.push(now.stamp(access)),
                _ => {}
            }
            let same = |read: &Stamp| (read.team, read.thread) == (now.team, now.thread);
            // The instruction may also write here, so the last read that its own pipe has not finished is kept.
            let open = segment.reads.iter().filter(|read| same(read) && !now.is_after(read)).max_by_key(|r| r.time);
            let open = open.copied();
            // One read of earlier teams is enough: nothing orders any of them with later accesses.
            let mut gone = false;
            segment.reads.retain(|read| {
                !same(read) && !now.is_after(read) && (read.team == now.team || !std::mem::replace(&mut gone, true))
            });
            segment.reads.extend(open);
            segment.reads.push(now.stamp(access));
        });
    }

    /// A load of polled words. It may be unordered with stores that change such words, but not with other stores to the same bytes.
    pub fn ask(
        &mut self,
        core: usize,
        access: &Access,
        now: &Now<'_>,
        tells: impl Fn(&Stamp) -> bool,
        findings: &mut Findings<'_>,
    ) {
        self.visit(core, access, |first, bytes, segment| {
            let writes = segment.write.iter().chain(&segment.atomics);
            for write in writes.filter(|write| !now.is_after(write) && !tells(write)) {
                findings.read_too_early(&now.conflict(access, (first, bytes), write), &now.stamp(access));
            }
        });
    }

    /// Records a write, which counts as one of `tile`.
    pub fn write(&mut self, core: usize, (access, tile): (&Access, u32), now: &Now<'_>, findings: &mut Findings<'_>) {
        self.visit(core, access, |first, bytes, segment| {
            let conflict = |other: &Stamp| now.conflict(access, (first, bytes), other);
            let stamp = || now.stamp_as(access, tile);
            let mut reported = false;
            for read in segment.reads.iter().filter(|read| !now.is_after(read)) {
                // Nothing was written before: the other core wants this write, and only came first in this run.
                if segment.write.is_none() && now.is_another_core(read) {
                    findings.read_too_early(&conflict(read).seen_from(read, &stamp()), read);
                } else {
                    findings.overwritten_too_early(&conflict(read), &stamp());
                }
                reported = true;
            }
            if let Some(write) = &segment.write
                && write.tile != FREED
                && !reported
                && !now.is_after(write)
                && !(write.atomic == Atomic::Scratch && access.atomic == Atomic::Scratch)
            {
                findings.written_in_any_order(&conflict(write), &stamp());
                reported = true;
            }
            // Atomic additions may be unordered with each other, and so may atomic maxima; the order between the two kinds matters.
            let mut others =
                segment.atomics.iter().filter(|other| other.atomic != access.atomic && !now.is_after(other));
            if let Some(other) = others.rfind(|_| !reported) {
                findings.written_in_any_order(&conflict(other), &stamp());
            }
            if combines(access.atomic) {
                // Reads are kept: another atomic store may be unordered with them.
                return segment.combine(&stamp());
            }
            segment.atomics.clear();
            segment.lose(tile);
            segment.replace_write((now.team, now.thread), stamp);
            segment.reads.clear();
        });
    }
}

#[inline(never)]
fn visit_rows(shadow: &mut Shadow, access: &Access, each: &mut dyn FnMut(u64, u64, &mut Segment)) {
    if let Ok(start) = u64::try_from(access.start)
        && matches!(access.place, AddressSpace::Global(_))
        && access.stride > access.row_bytes as i64
    {
        return shadow.visit_rows((start, access.row_bytes), (access.rows, access.stride as u64), each);
    }
    for row in 0..access.rows as i64 {
        if let Ok(start) = u64::try_from(access.start + row * access.stride) {
            shadow.visit(start, access.row_bytes, &mut *each);
        }
    }
}

/// True for atomic writes that may be unordered with others of their kind.
fn combines(how: Atomic) -> bool {
    matches!(how, Atomic::Add | Atomic::Max | Atomic::Min)
}
