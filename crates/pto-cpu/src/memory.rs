//! Memory: the spaces of a core, and global memory by address.

#![expect(unsafe_code, reason = "views of numbers as bytes, and raw access for kernels")]

use crate::args::Number;
use crate::written::WrittenBytes;
use pto_isa::{Loc, Target};
use std::alloc::{Layout, alloc_zeroed};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Numbers as the bytes they are made of.
pub(crate) fn bytes<T: Number>(data: &[T]) -> &[u8] {
    // SAFETY: `Number` is sealed, and its types are plain numbers without padding.
    unsafe { std::slice::from_raw_parts(data.as_ptr().cast(), size_of_val(data)) }
}

/// Numbers as the bytes they are made of, to write.
pub(crate) fn bytes_mut<T: Number>(data: &mut [T]) -> &mut [u8] {
    // SAFETY: as above, and every pattern of bits is a number.
    unsafe { std::slice::from_raw_parts_mut(data.as_mut_ptr().cast(), size_of_val(data)) }
}

/// The offsets of the spaces of a core in its memory. Tiles without an address follow them.
#[derive(Clone, Debug)]
pub(crate) struct Spaces {
    /// First byte and size by location.
    places: [(u64, u64); Loc::ALL.len()],
    /// One past the last byte of the spaces.
    pub end: u64,
}

impl Spaces {
    pub fn new(target: Target) -> Self {
        let mut places = [(0, 0); Loc::ALL.len()];
        let mut end = 0;
        for space in target.profile().spaces {
            places[space.loc as usize] = (end, space.bytes);
            end += space.bytes.next_multiple_of(64);
        }
        Self { places, end }
    }

    /// First byte of a space.
    pub fn start(&self, loc: Loc) -> u64 {
        self.places[loc as usize].0
    }

    /// Bytes of a space.
    pub fn size(&self, loc: Loc) -> u64 {
        self.places[loc as usize].1
    }
}

/// Spaces start at multiples of this: a line of the cache.
const LINE: usize = 64;

/// The memory of one core, zero at first.
#[derive(Debug)]
pub(crate) struct CoreMemory {
    /// With room to start at a line. Plain words, because the system hands out zeroed memory without touching it then.
    words: Vec<u64>,
    size: u64,
}

impl CoreMemory {
    /// `None` when there is not so much memory.
    pub fn new(size: u64) -> Option<Self> {
        let count = usize::try_from(size).ok()?.checked_add(LINE)?.div_ceil(8);
        let layout = Layout::array::<u64>(count).ok()?;
        // SAFETY: the layout is not empty; the vector gets memory of this layout, all of it zero.
        let words = unsafe {
            let start = alloc_zeroed(layout).cast::<u64>();
            if start.is_null() {
                return None;
            }
            Vec::from_raw_parts(start, count, count)
        };
        Some(Self { words, size })
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    pub fn ptr(&mut self) -> *mut u8 {
        let start = self.words.as_mut_ptr().cast::<u8>();
        start.wrapping_add(start.align_offset(LINE))
    }

    /// Copies bytes from one place to another; they may overlap.
    pub fn copy(&mut self, from: u64, to: u64, bytes: u64) {
        let all = self.part(0, self.size());
        all.copy_within(from as usize..(from + bytes) as usize, to as usize);
    }

    /// A part, as bytes.
    pub fn part(&mut self, start: u64, length: u64) -> &mut [u8] {
        assert!(start + length <= self.size());
        // SAFETY: the range was checked, and words are plain bytes.
        unsafe { std::slice::from_raw_parts_mut(self.ptr().add(start as usize), length as usize) }
    }
}

/// The memory of a core that has finished, as it was when the core was new.
#[derive(Debug)]
pub(crate) struct SpareMemory {
    pub memory: CoreMemory,
    pub written: WrittenBytes,
}

/// What cores that have finished leave to others of the same plan: memory that is there already need not be asked for again. The system
/// stops all threads when it takes memory back, which takes longer than a short run.
#[derive(Debug)]
pub(crate) struct Spare<T> {
    /// Nobody waits for a place: after a fork, the thread that holds the lock may be one that the child does not have.
    places: [Mutex<Option<SpareThing<T>>>; PLACES],
    /// Bytes of all of them.
    bytes: AtomicU64,
}

#[derive(Debug)]
struct SpareThing<T> {
    thing: T,
    bytes: u64,
}

/// Things that are kept at most.
const PLACES: usize = 128;

/// Where a thread looks first, so that it mostly finds what is in the cache of its processor. A block may have several cores of a plan.
fn own_place() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static OWN: usize = NEXT.fetch_add(4, Ordering::Relaxed));
    OWN.with(|own| *own)
}

impl<T> Spare<T> {
    /// More bytes than this are given back.
    const MOST: u64 = 256 << 20;

    pub fn take(&self) -> Option<T> {
        if self.bytes() == 0 {
            return None;
        }
        let SpareThing { thing, bytes } = self.places().find_map(|mut place| place.take())?;
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        Some(thing)
    }

    /// Bytes that are kept.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether this many more bytes would be kept.
    pub fn has_room(&self, bytes: u64) -> bool {
        self.bytes().saturating_add(bytes) <= Self::MOST
    }

    /// Keeps memory of so many bytes, as the next core expects it, if there is any and room for it.
    pub fn keep(&self, thing: T, bytes: u64) {
        if bytes == 0 || !self.has_room(bytes) {
            return;
        }
        if let Some(mut place) = self.places().find(|place| place.is_none()) {
            *place = Some(SpareThing { thing, bytes });
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// The places that nobody else is at, the own one first.
    fn places(&self) -> impl Iterator<Item = MutexGuard<'_, Option<SpareThing<T>>>> {
        let own = own_place();
        (0..PLACES).filter_map(move |at| match self.places[(own + at) % PLACES].try_lock() {
            Ok(place) => Some(place),
            Err(TryLockError::Poisoned(place)) => Some(place.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        })
    }
}

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Self { places: [const { Mutex::new(None) }; PLACES], bytes: AtomicU64::new(0) }
    }
}

/// Another plan starts without.
impl<T> Clone for Spare<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A buffer of global memory. Several threads may hold it. Blocks that touch the same bytes, one of them writing, are a race in
/// the program, as on the device; [`Guards`](crate::guard::Guards) keep it from being one in Rust.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub ptr: *mut u8,
    pub bytes: usize,
    pub writable: bool,
    /// Nothing writes it during the run, under any name.
    pub is_fixed: bool,
}

// SAFETY: the caller lends the memory for the whole run. Threads of a run on several threads touch a buffer that may be written
// only while they hold its guards (`Core::hold`).
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    pub const NONE: Self = Self { ptr: std::ptr::null_mut(), bytes: 0, writable: false, is_fixed: false };

    pub fn read(data: &[u8]) -> Self {
        Self { ptr: data.as_ptr().cast_mut(), bytes: data.len(), writable: false, is_fixed: false }
    }

    pub fn write(data: &mut [u8]) -> Self {
        Self { ptr: data.as_mut_ptr(), bytes: data.len(), writable: true, is_fixed: false }
    }
}

/// Addresses of global memory: the buffer in the high bits, the byte in the low ones.
pub(crate) const BUFFER_SHIFT: u32 = 40;

/// The address of the first byte of a buffer.
pub(crate) fn buffer_address(buffer: usize) -> u64 {
    (buffer as u64 + 1) << BUFFER_SHIFT
}

/// The buffer an address lies in, and the byte there.
///
/// An address a little before a buffer belongs to it, with a negative byte: views may start there as long as nothing is
/// touched.
pub(crate) fn split_address(address: u64) -> (usize, i64) {
    let half = 1 << (BUFFER_SHIFT - 1);
    let number = address.wrapping_add(half) >> BUFFER_SHIFT;
    let byte = address.wrapping_sub(number << BUFFER_SHIFT) as i64;
    ((number as usize).wrapping_sub(1), byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_memory_is_kept_up_to_a_size() {
        let spare = Spare::default();
        assert!(spare.take().is_none());
        spare.keep("first", 10);
        spare.keep("second", 20);
        assert!(spare.has_room(Spare::<&str>::MOST - 30) && !spare.has_room(Spare::<&str>::MOST - 29));
        std::thread::scope(|scope| {
            let other = scope.spawn(|| spare.take());
            assert!(other.join().expect("no panics").is_some(), "threads find what others have left");
        });
        assert!(spare.take().is_some() && spare.take().is_none());
        assert_eq!(spare.bytes(), 0);
        (0..2 * PLACES).for_each(|_| spare.keep("one of many", 1));
        assert_eq!(spare.bytes(), PLACES as u64);
    }

    #[test]
    fn addresses_split() {
        assert_eq!(split_address(buffer_address(3) + 17), (3, 17));
        assert_eq!(split_address(buffer_address(3) - 4), (3, -4));
        assert_eq!(split_address(0).0, usize::MAX);
    }
}
