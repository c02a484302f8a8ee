//! Numbers, texts and parts of recordings as bytes.

use crate::checkpoint::Checkpoint;
use crate::moment::Deed;
use lz4_flex::frame::FrameEncoder;
use pto_cpu::{Access, AddressSpace, Atomic, CoreId, Flag, RegisterSnapshot, Role, Set, TilePlace, ViewPlace};
use pto_ir::ValueId;
use pto_isa::{Diagnostic, Error, GlobalLayout, Loc, Pipe, Span, codes, text};
use std::io::{self, Write};

/// The version of the format.
pub(crate) const VERSION: u32 = 1;

pub(crate) fn deed_words(deed: &Deed) -> [u64; 5] {
    let flag = |kind: u64, f: &Flag| [kind, f.src as u64, f.dst as u64, f.id as u64, 0];
    let number = |kind: u64, n: u64| [kind, n, 0, 0, 0];
    match deed {
        Deed::Work => number(0, 0),
        Deed::SetFlag(f) => flag(1, f),
        Deed::WaitFlag(f) => flag(2, f),
        Deed::Barrier => number(3, 0),
        Deed::GetToken(id) => number(4, *id as u64),
        Deed::ReleaseToken(id) => number(5, *id as u64),
        Deed::Signal(id) => number(6, *id as u64),
        Deed::Await(id) => number(7, *id as u64),
        Deed::Arrive(set) => number(8, set_number(*set)),
        Deed::Leave(set) => number(9, set_number(*set)),
        Deed::Open(key) => number(10, (*key).into()),
        Deed::Alloc(key) => number(11, (*key).into()),
        Deed::Push(key) => number(12, (*key).into()),
        Deed::Pop(key) => number(13, (*key).into()),
        Deed::Free(key) => number(14, (*key).into()),
        Deed::Notify => number(15, 0),
        Deed::Noticed => number(16, 0),
        Deed::Missed => number(17, 0),
        Deed::Copy => number(18, 0),
        Deed::Other => number(19, 0),
        Deed::Scalar => number(20, 0),
    }
}

fn set_number(set: Set) -> u64 {
    match set {
        Set::Vector => 0,
        Set::Cube => 1,
        Set::All => 2,
    }
}

/// Writes numbers as eight bytes, the lowest first, and texts as their length and UTF-8.
pub(crate) struct FileWriter<'a, W: Write> {
    pub to: FrameEncoder<W>,
    pub done: u64,
    pub all: u64,
    pub progress: &'a mut dyn FnMut(u64, u64),
}

impl<W: Write> FileWriter<'_, W> {
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        for part in bytes.chunks(1 << 20) {
            self.to.write_all(part)?;
            self.done += part.len() as u64;
            (self.progress)(self.done.min(self.all), self.all);
        }
        Ok(())
    }

    pub fn number(&mut self, number: u64) -> io::Result<()> {
        self.to.write_all(&number.to_le_bytes())
    }

    pub fn numbers<const N: usize>(&mut self, numbers: [u64; N]) -> io::Result<()> {
        numbers.iter().try_for_each(|n| self.number(*n))
    }

    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.number(text.len() as u64)?;
        self.to.write_all(text.as_bytes())
    }

    pub fn words(&mut self, words: &[u32]) -> io::Result<()> {
        self.number(words.len() as u64)?;
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.bytes(&bytes)
    }

    pub fn long_words(&mut self, words: &[u64]) -> io::Result<()> {
        self.number(words.len() as u64)?;
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.bytes(&bytes)
    }

    pub fn place(&mut self, place: AddressSpace) -> io::Result<()> {
        match place {
            AddressSpace::Core(loc) => self.numbers([0, loc as u64]),
            AddressSpace::Global(buffer) => self.numbers([1, buffer as u64]),
        }
    }

    pub fn access(&mut self, a: &Access) -> io::Result<()> {
        self.place(a.place)?;
        self.numbers([a.start as u64, a.row_bytes, a.rows, a.stride as u64, a.write.into(), a.atomic as u64])?;
        let optional = |n: Option<u64>| n.map_or(0, |n| n + 1);
        self.numbers([optional(a.value.map(|v| v.index() as u64)), optional(a.tile.map(Into::into))])?;
        self.numbers([a.origin as u64, a.geometry.into(), a.valid.0.into(), a.valid.1.into()])
    }
}

/// Reads what [`FileWriter`] writes.
pub(crate) struct FileReader<'a> {
    pub bytes: &'a [u8],
}

impl<'a> FileReader<'a> {
    pub fn bytes(&mut self, count: u64) -> Result<&'a [u8], Error> {
        let count = usize::try_from(count).map_err(|_| damaged())?;
        let (found, rest) = self.bytes.split_at_checked(count).ok_or_else(cut_off)?;
        self.bytes = rest;
        Ok(found)
    }

    pub fn number(&mut self) -> Result<u64, Error> {
        let bytes = self.bytes(8)?;
        Ok(bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b)))
    }

    /// A number of items of which each takes at least so many bytes.
    pub fn count(&mut self, each: usize) -> Result<usize, Error> {
        let count = self.number()?;
        let fits = usize::try_from(count).ok().filter(|n| n.saturating_mul(each) <= self.bytes.len());
        fits.ok_or_else(damaged)
    }

    pub fn text(&mut self) -> Result<String, Error> {
        let count = self.number()?;
        String::from_utf8(self.bytes(count)?.to_vec()).map_err(|_| damaged())
    }

    pub fn words(&mut self) -> Result<Vec<u32>, Error> {
        let count = self.count(4)?;
        let bytes = self.bytes(4 * count as u64)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
    }

    pub fn long_words(&mut self) -> Result<Vec<u64>, Error> {
        let count = self.count(8)?;
        let bytes = self.bytes(8 * count as u64)?;
        Ok(bytes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect())
    }

    pub fn loc(&mut self) -> Result<Loc, Error> {
        Loc::ALL.get(self.number()? as usize).copied().ok_or_else(damaged)
    }

    pub fn pipe(number: u64) -> Result<Pipe, Error> {
        let all = Pipe::REAL.iter().copied().chain([Pipe::All]);
        all.into_iter().find(|p| *p as u64 == number).ok_or_else(damaged)
    }

    pub fn place(&mut self) -> Result<AddressSpace, Error> {
        match self.number()? {
            0 => Ok(AddressSpace::Core(self.loc()?)),
            1 => Ok(AddressSpace::Global(self.number()? as usize)),
            _ => Err(damaged()),
        }
    }

    pub fn access(&mut self) -> Result<Access, Error> {
        let place = self.place()?;
        let (start, row_bytes, rows) = (self.number()? as i64, self.number()?, self.number()?);
        let (stride, write) = (self.number()? as i64, self.number()? != 0);
        let atomic = match self.number()? {
            0 => Atomic::No,
            1 => Atomic::Scratch,
            2 => Atomic::Add,
            3 => Atomic::Max,
            4 => Atomic::Min,
            _ => return Err(damaged()),
        };
        let optional = |n: u64| n.checked_sub(1);
        let value = optional(self.number()?).map(|v| ValueId::from_index(v as usize));
        let tile = optional(self.number()?).map(|t| t as u32);
        let (origin, geometry) = (self.number()? as i64, self.number()? as u32);
        let valid = (self.number()? as u32, self.number()? as u32);
        Ok(Access { place, start, row_bytes, rows, stride, write, atomic, value, tile, origin, geometry, valid })
    }

    pub fn tile_place(&mut self) -> Result<TilePlace, Error> {
        let (loc, start, origin) = (self.loc()?, self.number()? as i64, self.number()? as i64);
        let (valid, strides) =
            ((self.number()? as u32, self.number()? as u32), (self.number()? as u32, self.number()? as u32));
        Ok(TilePlace {
            loc,
            start,
            origin,
            valid,
            strides,
            geometry: self.number()? as u32,
            root: self.number()? as u32,
        })
    }

    pub fn view_place(&mut self) -> Result<ViewPlace, Error> {
        let (place, start, layout) = (self.place()?, self.number()? as i64, self.number()?);
        let layout = GlobalLayout::ALL.iter().copied().find(|l| *l as u64 == layout).ok_or_else(damaged)?;
        let (mut shape, mut strides) = ([0; 5], [0; 5]);
        for extent in &mut shape {
            *extent = self.number()?;
        }
        for stride in &mut strides {
            *stride = self.number()? as i64;
        }
        Ok(ViewPlace { place, start, shape, strides, layout })
    }

    pub fn core(&mut self) -> Result<CoreId, Error> {
        let (rank, block) = (self.number()? as u32, self.number()? as u32);
        let role = [Role::Whole, Role::Cube, Role::Vector].get(self.number()? as usize).copied().ok_or_else(damaged)?;
        Ok(CoreId { rank, block, role, sub: self.number()? as u32 })
    }

    pub fn checkpoint(&mut self, plan: &pto_cpu::Plan, role: Role) -> Result<Checkpoint, Error> {
        let (moments, time, changes) = (self.number()? as u32, self.number()? as u32, self.number()? as u32);
        let words = self.long_words()?;
        let registers = RegisterSnapshot::from_words(plan, role, &words).ok_or_else(damaged)?;
        let mut memory = Vec::new();
        for _ in 0..self.count(16)? {
            let (start, length) = (self.number()?, self.number()?);
            memory.push((start, self.bytes(length)?.to_vec()));
        }
        Ok(Checkpoint { moments, time, changes, registers, memory })
    }

    pub fn deed(&mut self) -> Result<Deed, Error> {
        let [kind, a, b, c, _] = [self.number()?, self.number()?, self.number()?, self.number()?, self.number()?];
        let flag = || Ok::<_, Error>(Flag { src: Self::pipe(a)?, dst: Self::pipe(b)?, id: c as i64 });
        let set = || [Set::Vector, Set::Cube, Set::All].get(a as usize).copied().ok_or_else(damaged);
        Ok(match kind {
            0 => Deed::Work,
            1 => Deed::SetFlag(flag()?),
            2 => Deed::WaitFlag(flag()?),
            3 => Deed::Barrier,
            4 => Deed::GetToken(a as i64),
            5 => Deed::ReleaseToken(a as i64),
            6 => Deed::Signal(a as i64),
            7 => Deed::Await(a as i64),
            8 => Deed::Arrive(set()?),
            9 => Deed::Leave(set()?),
            10 => Deed::Open(a as u32),
            11 => Deed::Alloc(a as u32),
            12 => Deed::Push(a as u32),
            13 => Deed::Pop(a as u32),
            14 => Deed::Free(a as u32),
            15 => Deed::Notify,
            16 => Deed::Noticed,
            17 => Deed::Missed,
            18 => Deed::Copy,
            19 => Deed::Other,
            20 => Deed::Scalar,
            _ => return Err(damaged()),
        })
    }
}

pub(crate) fn unreadable(why: &str) -> Error {
    let message = text!("the file is no recording that can be read: {why}", why);
    Diagnostic::new(codes::RECORDING_DAMAGED, Span::default(), message)
        .help(text!("`pto trace` makes recordings"))
        .into()
}

pub(crate) fn cut_off() -> Error {
    unreadable(text!("it is cut off"))
}

pub(crate) fn damaged() -> Error {
    unreadable(text!("its contents contradict each other"))
}

pub(crate) fn other_version(version: u32) -> Error {
    let message =
        text!("the recording has version {version} of the format, and this is version {VERSION}", version, VERSION);
    Diagnostic::new(codes::RECORDING_VERSION, Span::default(), message)
        .help(text!("record the program again with this version of `pto`"))
        .into()
}

pub(crate) fn other_program(made_by: &str) -> Error {
    let message = text!("version {made_by} of `pto` prepared the recorded program differently", made_by);
    Diagnostic::new(codes::RECORDING_VERSION, Span::default(), message)
        .help(text!("record the program again with this version of `pto`"))
        .into()
}
