//! What a recording consists of.

use crate::bytes::{DataAt, DataChunks};
use crate::checkpoint::Checkpoint;
use crate::moment::Deed;
use crate::moments::{KeptMoment, MomentTable};
use pto_cpu::{Access, CoreId, RegisterChange, TilePlace, ViewPlace};
use pto_isa::hash::FastMap;

/// Nothing, where a position is expected.
pub(crate) const NONE: u32 = u32::MAX;
/// A moment without a pipe.
pub(crate) const NO_PIPE: u8 = u8::MAX;

/// Bytes that an instruction wrote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredBytes {
    pub moment: u32,
    /// Which of its accesses.
    pub access: u32,
    pub at: DataAt,
}

/// What one core did.
#[derive(Clone, Debug)]
pub(crate) struct CoreStream {
    pub id: CoreId,
    /// Its moments.
    pub moments: Vec<u32>,
    /// RegisterSnapshot that changed; two bits above say of which kind.
    pub registers: Vec<u32>,
    /// What they changed to: a scalar, or the position of a place.
    pub values: Vec<u64>,
    pub checkpoints: Vec<Checkpoint>,
}

/// Bytes that a change of a register takes.
pub(crate) const CHANGE_BYTES: u64 = 12;

impl CoreStream {
    /// Notes a change of a register.
    #[inline]
    pub fn push(&mut self, key: RegisterKey, value: u64) {
        make_room(&mut self.registers);
        make_room(&mut self.values);
        self.registers.push(key.0);
        self.values.push(value);
    }
}

/// What a buffer of global memory held at the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FirstBytes {
    /// Zeros.
    Zero(u64),
    Bytes(Vec<u8>),
    /// It was not recorded: so many bytes.
    Unknown(u64),
}

impl FirstBytes {
    /// Bytes that are kept.
    pub fn kept(&self) -> u64 {
        if let Self::Bytes(bytes) = self { bytes.len() as u64 } else { 0 }
    }
}

#[derive(Clone, Default, Debug)]
pub(crate) struct Streams {
    pub cores: Vec<CoreStream>,
    pub moments: MomentTable,
    pub lists: Vec<Box<[Access]>>,
    /// What is no plain work; the first is unused.
    pub deeds: Vec<Deed>,
    pub iterations: Vec<u32>,
    pub tiles: Interned<TilePlace>,
    pub views: Interned<ViewPlace>,
    pub stored: Vec<StoredBytes>,
    pub data: DataChunks,
    pub buffers: Vec<FirstBytes>,
}

/// A list without duplicates.
#[derive(Clone, Debug)]
pub(crate) struct Interned<T> {
    pub list: Vec<T>,
    positions: FastMap<T, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self { list: Vec::new(), positions: FastMap::default() }
    }
}

impl<T: Copy + Eq + std::hash::Hash> Interned<T> {
    pub fn position(&mut self, item: T) -> u32 {
        let list = &mut self.list;
        *self.positions.entry(item).or_insert_with(|| {
            list.push(item);
            list.len() as u32 - 1
        })
    }

    pub fn of(list: Vec<T>) -> Self {
        Self { list, positions: FastMap::default() }
    }
}

const KIND_SHIFT: u32 = 30;
const NUMBER: u32 = (1 << KIND_SHIFT) - 1;

/// A register as it is kept, by kind and number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct RegisterKey(pub u32);

impl RegisterKey {
    pub fn scalar(reg: u32) -> Self {
        Self(reg)
    }
    pub fn tile(reg: u32) -> Self {
        Self(reg | 1 << KIND_SHIFT)
    }
    pub fn view(reg: u32) -> Self {
        Self(reg | 2 << KIND_SHIFT)
    }
}

impl Streams {
    /// Notes a change of a register.
    pub fn add_change(&mut self, core: usize, change: RegisterChange) {
        let (key, value) = match change {
            RegisterChange::Scalar(reg, bits) => (RegisterKey::scalar(reg), bits),
            RegisterChange::Tile(reg, place) => (RegisterKey::tile(reg), self.tiles.position(place).into()),
            RegisterChange::View(reg, place) => (RegisterKey::view(reg), self.views.position(place).into()),
            _ => return,
        };
        self.cores[core].push(key, value);
    }

    /// A change of a register of a core, by position.
    pub fn change(&self, core: usize, at: usize) -> Option<RegisterChange> {
        let stream = &self.cores[core];
        let (key, value) = (*stream.registers.get(at)?, *stream.values.get(at)?);
        let number = key & NUMBER;
        Some(match key >> KIND_SHIFT {
            0 => RegisterChange::Scalar(number, value),
            1 => RegisterChange::Tile(number, *self.tiles.list.get(value as usize)?),
            _ => RegisterChange::View(number, *self.views.list.get(value as usize)?),
        })
    }

    pub fn accesses(&self, moment: &KeptMoment) -> &[Access] {
        if moment.kind.list == NONE { &[] } else { &self.lists[moment.kind.list as usize] }
    }

    /// The iterations of a moment, the outermost first.
    pub fn iterations(&self, moment: &KeptMoment) -> Option<&[u32]> {
        if moment.iterations == NONE {
            return Some(&[]);
        }
        let (count, rest) = self.iterations.get(moment.iterations as usize..)?.split_first()?;
        rest.get(..*count as usize)
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        let per_core = |c: &CoreStream| {
            let checkpoints: u64 = c.checkpoints.iter().map(Checkpoint::bytes).sum();
            CHANGE_BYTES * c.registers.len() as u64 + 4 * c.moments.len() as u64 + checkpoints
        };
        self.data.len()
            + self.moments.bytes()
            + (size_of::<StoredBytes>() * self.stored.len()) as u64
            + 4 * self.iterations.len() as u64
            + self.cores.iter().map(per_core).sum::<u64>()
    }
}

/// Makes room for at least one more. Such a list may become long: it grows in large steps and large pages.
#[inline]
pub(crate) fn make_room<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        make_more_room(list);
    }
}

/// Memory that is not used costs nothing, and every step moves the list: a few are enough, up to a size that any machine has to spare.
#[cold]
fn make_more_room<T>(list: &mut Vec<T>) {
    let times = if size_of_val(&list[..]) < 4 << 20 { 15 } else { 1 };
    list.reserve(list.len().max(64) * times);
    pto_cpu::prefer_large_pages(list);
}

/// Bytes of an access.
pub(crate) fn access_bytes(access: &Access) -> u64 {
    access.rows.saturating_mul(access.row_bytes)
}
