//! Factors that stay packed from one product to the next.
//!
//! A move into the memory of a factor only rearranges elements, and a product rearranges them again. So the engine leaves out such moves: a
//! product packs its factors straight from where they come from, and later products with the same factor find it packed. What a
//! factor is packed from may change afterwards; then it can be [unpacked](KeptFactor::restore) into its tile.

use super::blocked::{AlignedLine, LINE, WIDE};
use super::factor::Factor;
use super::pack::{PackedWord, is_raw, packed_left};
use super::strip::COLUMNS;
use pto_isa::DType;
use pto_num::{Bf16, F16};
use pto_vector::TileRef;
use std::cell::Cell;

/// How the words of a part lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeptFormat {
    /// Columns in panels, the widest as wide as a strip of this many columns.
    Panels(PackedWord, usize),
    /// Rows, strip by strip.
    Rows(PackedWord),
    /// Sixteen rows at a time, as the unit for matrices takes them.
    LeftTiles(PackedWord),
    /// Sixteen columns at a time.
    RightTiles(PackedWord),
}

/// Some rows (columns, for the right factor) and some depth of a factor: the first, and how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeptRegion {
    pub across: (usize, usize),
    pub k: (usize, usize),
}

/// A part of a factor, packed.
#[derive(Clone, Copy, Debug)]
struct KeptPart {
    format: KeptFormat,
    region: KeptRegion,
    /// Where its words start, in lines.
    start: usize,
    /// The exponent of its smallest number, where the format needs it.
    least: u16,
}

/// A factor, as far as products have packed it.
#[derive(Default, Debug)]
pub(crate) struct KeptFactor {
    lines: Vec<AlignedLine>,
    used: usize,
    parts: Vec<KeptPart>,
    /// What it was packed from has changed, and its tile does not hold it either.
    is_lost: bool,
}

/// A factor that is used in more ways is packed anew.
const MOST_PARTS: usize = 32;

/// Room for a part of a factor.
#[derive(Clone, Copy)]
pub struct KeptRoom {
    pub at: *mut u32,
    /// What it holds, if it was packed before: the exponent of the smallest number.
    pub packed: Option<u16>,
}

impl KeptFactor {
    /// Forgets everything, but keeps the memory.
    pub fn clear(&mut self) {
        (self.used, self.is_lost) = (0, false);
        self.parts.clear();
    }

    /// True when all of a factor with so many rows (columns) and this depth is packed in one format.
    pub fn is_whole(&self, across: usize, depth: usize) -> bool {
        let Some(first) = self.parts.first() else { return false };
        let same = self.parts.iter().filter(|part| part.format == first.format);
        same.map(|part| part.region.across.1 * part.region.k.1).sum::<usize>() == across * depth
    }

    /// Nothing else looks at the tile any more.
    pub fn find(&mut self) {
        self.is_lost = false;
    }

    /// The bytes of its memory.
    pub fn capacity(&self) -> usize {
        self.lines.len() * size_of::<AlignedLine>()
    }

    /// The bytes of what is packed.
    pub fn bytes(&self) -> usize {
        self.used * size_of::<AlignedLine>()
    }

    /// What it was packed from changes. It must be [whole](Self::is_whole).
    pub fn lose(&mut self) {
        self.is_lost = true;
    }

    /// Room for a part of so many words, which may be packed already. It is valid until room for another part is asked for.
    ///
    /// # Safety
    /// As [`Self::restore`].
    unsafe fn room(&mut self, factor: &Factor, format: KeptFormat, region: KeptRegion, words: usize) -> KeptRoom {
        if let Some(part) = self.parts.iter().find(|part| part.format == format && part.region == region) {
            return KeptRoom { at: self.at(part.start), packed: Some(part.least) };
        }
        // SAFETY: as the caller says.
        unsafe { self.restore(factor) }
        if self.parts.len() == MOST_PARTS {
            self.clear();
        }
        let start = self.used;
        self.used += words.div_ceil(LINE);
        if self.lines.len() < self.used {
            self.lines.resize(self.used, AlignedLine::ZERO);
        }
        KeptRoom { at: self.at(start), packed: None }
    }

    fn at(&self, start: usize) -> *mut u32 {
        self.lines.as_ptr().wrapping_add(start).cast_mut().cast()
    }

    /// Notes that the room that was given last is packed now.
    fn note(&mut self, format: KeptFormat, region: KeptRegion, at: *const u32, least: u16) {
        let start = (at.addr() - self.lines.as_ptr().addr()) / size_of::<AlignedLine>();
        self.parts.push(KeptPart { format, region, start, least });
    }

    /// Writes the elements into the tile of the factor, if they are nowhere else.
    ///
    /// # Safety
    /// The factor must be that of a call, as [`KernelFn`](pto_vector::KernelFn) says, its tile may be written, and it is the one that was packed.
    pub unsafe fn restore(&mut self, factor: &Factor) {
        if !std::mem::take(&mut self.is_lost) {
            return;
        }
        let Some(format) = self.parts.first().map(|part| part.format) else { return };
        for part in self.parts.iter().filter(|part| part.format == format) {
            let (rows, depth) = (part.region.across, part.region.k);
            for at in 0..rows.1 {
                for k in 0..depth.1 {
                    // SAFETY: the part was packed with these rows and this depth, which lie in the tile.
                    unsafe { factor.put_bits(rows.0 + at, depth.0 + k, self.element(part, factor.dtype, at, k)) };
                }
            }
        }
    }

    /// The bits of an element of a part.
    ///
    /// # Safety
    /// The part must have been packed with this row and depth.
    unsafe fn element(&self, part: &KeptPart, dtype: DType, at: usize, k: usize) -> u32 {
        let word = part.format.word();
        let place = part.format.place(&part.region, at, k / word.steps());
        // SAFETY: the caller says that it is there.
        let bits = unsafe { self.at(part.start).add(place).read() };
        let inside = (k % word.steps()) as u32;
        match (word, dtype) {
            (PackedWord::F32, DType::F16) => F16::from_f32(f32::from_bits(bits)).0.into(),
            (PackedWord::F32, DType::Bf16) => Bf16::from_f32(f32::from_bits(bits)).0.into(),
            (PackedWord::F32, _) => bits,
            (PackedWord::Halves, _) => bits >> (16 * inside) & 0xffff,
            (PackedWord::Pairs, _) => bits >> (16 * inside) & 0xff,
            (PackedWord::Bytes, _) => (bits >> (8 * inside) & 0xff) ^ 0x80,
            (PackedWord::Signed, _) => bits >> (8 * inside) & 0xff,
        }
    }
}

impl KeptFormat {
    fn word(self) -> PackedWord {
        match self {
            Self::Panels(word, _) | Self::Rows(word) | Self::LeftTiles(word) | Self::RightTiles(word) => word,
        }
    }

    /// Where a word lies in a part, by its row (column) and its position along `k`.
    fn place(self, region: &KeptRegion, at: usize, w: usize) -> usize {
        let words = region.k.1.div_ceil(self.word().steps()).next_multiple_of(COLUMNS);
        match self {
            Self::Panels(_, widest) => {
                let first = at / widest * widest;
                // What is left at the end may fit into a narrow panel.
                let is_narrow = widest == WIDE && region.across.1 - first <= COLUMNS;
                let width = if is_narrow { COLUMNS } else { widest };
                first * words + w * width + at - first
            }
            Self::Rows(word) => {
                let base = std::ptr::null_mut();
                let left = packed_left(word, region.k.1, base);
                let row = left.row(at).addr() / size_of::<u32>();
                row + w / super::strip::GROUP * left.step + w % super::strip::GROUP
            }
            Self::LeftTiles(_) => {
                at / COLUMNS * COLUMNS * words + w / COLUMNS * COLUMNS * COLUMNS + at % COLUMNS * COLUMNS + w % COLUMNS
            }
            Self::RightTiles(_) => at / COLUMNS * COLUMNS * words + w * COLUMNS + at % COLUMNS,
        }
    }
}

/// Writes a factor into its tile, if its elements are nowhere else.
///
/// # Safety
/// The tile must be as [`KernelFn`](pto_vector::KernelFn) says, and the one whose elements were packed.
pub(crate) unsafe fn restore_factor(kept: &mut KeptFactor, tile: &TileRef, is_left: bool) {
    // SAFETY: as the caller says.
    unsafe { kept.restore(&Factor::of_tile(tile, is_left)) }
}

thread_local! {
    /// The factors that are kept of the product that this thread is about to execute.
    static KEPT: Cell<[*mut KeptFactor; 2]> = const { Cell::new([std::ptr::null_mut(); 2]) };
}

/// Executes a product that keeps its left and right factor.
pub(crate) fn keeping<T>(factors: [Option<&mut KeptFactor>; 2], product: impl FnOnce() -> T) -> T {
    /// Takes back what the product did not take, also if it panics.
    struct TakeBack;
    impl Drop for TakeBack {
        fn drop(&mut self) {
            KEPT.set([std::ptr::null_mut(); 2]);
        }
    }
    let _taken_back = TakeBack;
    KEPT.set(factors.map(|factor| factor.map_or(std::ptr::null_mut(), std::ptr::from_mut)));
    product()
}

/// The factors of a product that are kept, while it is executed.
#[derive(Clone, Copy)]
pub struct KeptPair([*mut KeptFactor; 2]);

impl KeptPair {
    /// Those that the caller of this product keeps. A factor that is not packed from its elements alone is not kept.
    ///
    /// # Safety
    /// The factors must be those of the call that is executed, as [`KernelFn`](pto_vector::KernelFn) says.
    pub unsafe fn of(a: &Factor, b: &Factor) -> Self {
        let mut all = KEPT.replace([std::ptr::null_mut(); 2]);
        for (kept, factor) in all.iter_mut().zip([a, b]).filter(|(_, factor)| !is_raw(factor)) {
            // SAFETY: `keeping` lends it for the call that is executed.
            if let Some(kept) = unsafe { std::mem::replace(kept, std::ptr::null_mut()).as_mut() } {
                // SAFETY: as the caller says.
                unsafe { kept.restore(factor) }
            }
        }
        Self(all)
    }

    /// Writes both into their tiles where they are nowhere else.
    ///
    /// # Safety
    /// As [`KeptFactor::restore`].
    pub unsafe fn restore(self, factors: [&Factor; 2]) {
        for (kept, factor) in self.0.into_iter().zip(factors) {
            // SAFETY: `keeping` lends it for the call that is executed, and this is its only user.
            if let Some(kept) = unsafe { kept.as_mut() } {
                // SAFETY: as the caller says.
                unsafe { kept.restore(factor) }
            }
        }
    }

    /// A part of a factor: packed into its own memory, or into `other` if it is not kept. `pack` gives the exponent of the smallest number.
    ///
    /// # Safety
    /// As [`KeptFactor::restore`]; `other` has room for as many words.
    pub unsafe fn part(
        self,
        factor: &Factor,
        format: KeptFormat,
        region: KeptRegion,
        words: usize,
        other: *mut u32,
        pack: impl FnOnce(*mut u32) -> u16,
    ) -> (*mut u32, u16) {
        let side = usize::from(!factor.is_left);
        // SAFETY: `keeping` lends it for the call that is executed, and this is its only user.
        let Some(kept) = (unsafe { self.0[side].as_mut() }) else { return (other, pack(other)) };
        // SAFETY: as the caller says.
        let room = unsafe { kept.room(factor, format, region, words) };
        let least = room.packed.unwrap_or_else(|| {
            let least = pack(room.at);
            kept.note(format, region, room.at, least);
            least
        });
        (room.at, least)
    }

    /// True when the left factor is kept.
    pub fn keeps_left(self) -> bool {
        !self.0[0].is_null()
    }
}
