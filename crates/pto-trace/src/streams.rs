//! What a recording consists of.

use crate::bytes::{DataAt, DataChunks};
use crate::checkpoint::Checkpoint;
use crate::moment::Deed;
use pto_cpu::{Access, CoreId, RegisterChange, TilePlace, ViewPlace};
use pto_isa::hash::FastMap;

/// Nothing, where a position is expected.
pub(crate) const NONE: u32 = u32::MAX;

/// A moment as it is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptMoment {
    pub core: u32,
    pub step: u32,
    /// The list of accesses.
    pub list: u32,
    /// The number of register changes of its core up to and including it.
    pub changes: u32,
    /// Where its iterations lie: their number, then they, the outermost first.
    pub iterations: u32,
    pub pipe: u8,
    /// The deed; 0 is work.
    pub deed: u32,
}

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
    pub moments: Vec<KeptMoment>,
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
        let stream = &mut self.cores[core];
        make_room(&mut stream.registers);
        make_room(&mut stream.values);
        stream.registers.push(key.0);
        stream.values.push(value);
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
        if moment.list == NONE { &[] } else { &self.lists[moment.list as usize] }
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
            12 * c.registers.len() as u64 + 4 * c.moments.len() as u64 + checkpoints
        };
        self.data.len()
            + (size_of::<KeptMoment>() * self.moments.len()) as u64
            + (size_of::<StoredBytes>() * self.stored.len()) as u64
            + 4 * self.iterations.len() as u64
            + self.cores.iter().map(per_core).sum::<u64>()
    }
}

/// Makes room for at least one more. Such a list may become long: it grows in large steps and large pages.
pub(crate) fn make_room<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve(list.len().max(256) * 3);
        pto_cpu::prefer_large_pages(list);
    }
}

/// Bytes of an access.
pub(crate) fn access_bytes(access: &Access) -> u64 {
    access.rows.saturating_mul(access.row_bytes)
}
