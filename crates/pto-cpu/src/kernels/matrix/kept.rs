//! Factors that stay packed from one product to the next.
//!
//! A move into the memory of a factor only rearranges elements, and a product rearranges them again. So the engine leaves out such moves: a
//! product packs its factors straight from where they come from, and later products with the same factor find it packed. What a
//! factor is packed from may change afterwards; then it can be [unpacked](KeptFactor::restore) into its tile.

use super::blocked::{AlignedLine, WIDE};
use super::factor::Factor;
use super::pack::{PackedWord, is_raw, packed_left};
use super::strip::{COLUMNS, LINE};
use pto_isa::DType;
use pto_num::{Bf16, F16};
use pto_vector::TileRef;
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

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
    is_lost: AtomicBool,
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
        self.used = 0;
        self.find();
        self.parts.clear();
    }

    /// True when all of a factor with so many rows (columns) and this depth is packed in one format.
    pub fn is_whole(&self, across: usize, depth: usize) -> bool {
        let Some(first) = self.parts.first() else { return false };
        let same = self.parts.iter().filter(|part| part.format == first.format);
        same.map(|part| part.region.across.1 * part.region.k.1).sum::<usize>() == across * depth
    }

    /// Nothing else looks at the tile any more.
    pub fn find(&self) {
        self.is_lost.store(false, Relaxed);
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
    pub fn lose(&self) {
        self.is_lost.store(true, Relaxed);
    }

    /// Room for a part of so many words, which may be packed already. It is valid until room for another part is asked for.
    ///
    /// # Safety
    /// As [`Self::restore`].
    unsafe fn room(&mut self, factor: &Factor, format: KeptFormat, region: KeptRegion, words: usize) -> KeptRoom {
        if let Some(room) = self.packed(format, region) {
            return room;
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

    /// A part that was packed before.
    fn packed(&self, format: KeptFormat, region: KeptRegion) -> Option<KeptRoom> {
        let part = self.parts.iter().find(|part| part.format == format && part.region == region)?;
        Some(KeptRoom { at: self.at(part.start), packed: Some(part.least) })
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
    pub unsafe fn restore(&self, factor: &Factor) {
        if !self.is_lost.swap(false, Relaxed) {
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
            // Only those of the right factor are unsigned.
            (PackedWord::Bytes, _) if matches!(part.format, KeptFormat::Panels(..)) => {
                (bits >> (8 * inside) & 0xff) ^ 0x80
            }
            (PackedWord::Bytes | PackedWord::Signed, _) => bits >> (8 * inside) & 0xff,
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
pub(crate) unsafe fn restore_factor(kept: &KeptFactor, tile: &TileRef, is_left: bool) {
    // SAFETY: as the caller says.
    unsafe { kept.restore(&Factor::of_tile(tile, is_left)) }
}

/// Most products of a chain.
pub(crate) const MOST_CHAINED: usize = 8;

/// What a product does with its factors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ProductJob {
    /// It multiplies them.
    Multiply,
    /// It packs them, so that they can be multiplied later: the first product of a chain, or one that follows.
    PackFirst,
    PackNext,
    /// It multiplies all factors of a chain, which are packed.
    MultiplyChain,
}

/// A factor of the product that is going to be executed.
#[derive(Clone, Copy)]
enum FactorLoan {
    /// It is not kept.
    None,
    /// More of it may be packed.
    Own(*mut KeptFactor),
    /// Others use it, too.
    Shared(*const KeptFactor),
}

/// The factors of a product that follows another on the same sums.
#[derive(Clone, Copy)]
pub(crate) struct NextFactors<'a> {
    left: *const KeptFactor,
    right: *const KeptFactor,
    depth: usize,
    kept: PhantomData<&'a KeptFactor>,
}

impl<'a> NextFactors<'a> {
    /// Factors of this depth.
    pub fn new(left: &'a KeptFactor, right: &'a KeptFactor, depth: usize) -> Self {
        Self { left, right, depth, kept: PhantomData }
    }

    pub fn depth(&self) -> usize {
        self.depth
    }
}

/// What the product is told that this thread is about to execute.
#[derive(Clone, Copy)]
struct ProductOrder {
    job: ProductJob,
    factors: [FactorLoan; 2],
    next: (*const NextFactors<'static>, usize),
}

impl ProductOrder {
    const NONE: Self = Self { job: ProductJob::Multiply, factors: [FactorLoan::None; 2], next: (std::ptr::null(), 0) };
}

thread_local! {
    static ORDER: Cell<ProductOrder> = const { Cell::new(ProductOrder::NONE) };
    /// The words along `k` of the factors that were to be packed; 0 if they cannot be multiplied later.
    static CHAINS: Cell<usize> = const { Cell::new(0) };
}

/// Executes a product as ordered.
fn ordered<T>(order: ProductOrder, product: impl FnOnce() -> T) -> T {
    /// Takes back what the product did not take, also if it panics.
    struct TakeBack;
    impl Drop for TakeBack {
        fn drop(&mut self) {
            ORDER.set(ProductOrder::NONE);
        }
    }
    let _taken_back = TakeBack;
    ORDER.set(order);
    product()
}

/// Executes a product that keeps its left and right factor.
pub(crate) fn keeping<T>(factors: [Option<&mut KeptFactor>; 2], product: impl FnOnce() -> T) -> T {
    let factors = factors.map(|factor| factor.map_or(FactorLoan::None, |factor| FactorLoan::Own(factor)));
    ordered(ProductOrder { factors, ..ProductOrder::NONE }, product)
}

/// Packs the factors of a product for a chain instead of multiplying them: how many words they have along `k`, 0 if that is not possible.
/// Factors that others use are not changed.
pub(crate) fn packing(factors: [&mut Arc<KeptFactor>; 2], is_first: bool, product: impl FnOnce()) -> usize {
    let job = if is_first { ProductJob::PackFirst } else { ProductJob::PackNext };
    let factors = factors.map(|factor| match Arc::get_mut(factor) {
        Some(own) => FactorLoan::Own(own),
        None => FactorLoan::Shared(Arc::as_ptr(factor)),
    });
    CHAINS.set(0);
    ordered(ProductOrder { job, factors, ..ProductOrder::NONE }, product);
    CHAINS.replace(0)
}

/// Executes the first product of a chain, together with those that follow. All factors were [packed](packing).
pub(crate) fn chaining<T>(factors: [&KeptFactor; 2], next: &[NextFactors<'_>], product: impl FnOnce() -> T) -> T {
    let factors = factors.map(|factor| FactorLoan::Shared(factor));
    let next = (next.as_ptr().cast(), next.len());
    ordered(ProductOrder { job: ProductJob::MultiplyChain, factors, next }, product)
}

/// The factors of a product that are kept, while it is executed.
#[derive(Clone, Copy)]
pub struct KeptPair(ProductOrder);

impl KeptPair {
    /// Those that the caller of this product keeps. A factor that is not packed from its elements alone is not kept.
    ///
    /// # Safety
    /// The factors must be those of the call that is executed, as [`KernelFn`](pto_vector::KernelFn) says.
    pub unsafe fn of(a: &Factor, b: &Factor) -> Self {
        let mut pair = Self(ORDER.replace(ProductOrder::NONE));
        for (at, factor) in [a, b].into_iter().enumerate().filter(|(_, factor)| !is_raw(factor)) {
            // SAFETY: as the caller says.
            unsafe { pair.restore_one(at, factor) }
            pair.0.factors[at] = FactorLoan::None;
        }
        pair
    }

    /// Writes both into their tiles where they are nowhere else.
    ///
    /// # Safety
    /// As [`KeptFactor::restore`].
    pub unsafe fn restore(self, factors: [&Factor; 2]) {
        for (at, factor) in factors.into_iter().enumerate() {
            // SAFETY: as the caller says.
            unsafe { self.restore_one(at, factor) }
        }
    }

    /// # Safety
    /// As [`KeptFactor::restore`].
    unsafe fn restore_one(self, at: usize, factor: &Factor) {
        // SAFETY: the caller of the product lends it for the call that is executed, and no other reference to it is used.
        let kept = unsafe { self.kept(at) };
        if let Some(kept) = kept {
            // SAFETY: as the caller says.
            unsafe { kept.restore(factor) }
        }
    }

    /// # Safety
    /// No exclusive reference to the factor may be used as long as this one.
    unsafe fn kept<'a>(self, at: usize) -> Option<&'a KeptFactor> {
        match self.0.factors[at] {
            FactorLoan::None => None,
            // SAFETY: the caller of the product lends it for the call that is executed.
            FactorLoan::Own(kept) => unsafe { kept.as_ref() },
            // SAFETY: as above.
            FactorLoan::Shared(kept) => unsafe { kept.as_ref() },
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
        let kept = match self.0.factors[usize::from(!factor.is_left)] {
            // SAFETY: the caller of the product lends it for the call that is executed, and this is its only user.
            FactorLoan::Own(kept) => unsafe { &mut *kept },
            // SAFETY: the caller of the product lends it for the call that is executed.
            FactorLoan::Shared(kept) => match unsafe { (*kept).packed(format, region) } {
                Some(KeptRoom { at, packed }) => return (at, packed.unwrap_or(0)),
                None => {
                    self.cannot_chain();
                    return (other, pack(other));
                }
            },
            FactorLoan::None => return (other, pack(other)),
        };
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
        !matches!(self.0.factors[0], FactorLoan::None)
    }

    /// True when the factors are only to be packed. They can be multiplied later unless the product [says otherwise](Self::cannot_chain).
    pub fn packs(self) -> bool {
        matches!(self.0.job, ProductJob::PackFirst | ProductJob::PackNext)
    }

    /// True when the product that packs starts a chain.
    pub fn is_first(self) -> bool {
        self.0.job == ProductJob::PackFirst
    }

    /// True when all factors of a chain are multiplied.
    pub fn is_chain(self) -> bool {
        self.0.job == ProductJob::MultiplyChain
    }

    /// The factors that were to be packed, of so many words along `k`, can be multiplied later.
    pub fn can_chain(self, words: usize) {
        let is_kept = !self.0.factors.iter().any(|factor| matches!(factor, FactorLoan::None));
        CHAINS.set(if is_kept { words } else { 0 });
    }

    /// They cannot.
    pub fn cannot_chain(self) {
        CHAINS.set(0);
    }

    /// The factors of the products that follow.
    pub fn next<'a>(self) -> &'a [NextFactors<'a>] {
        let (first, count) = self.0.next;
        // SAFETY: `chaining` lends them for the call that is executed.
        if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(first.cast(), count) } }
    }
}

impl NextFactors<'_> {
    /// Where a part of the left or right factor is packed.
    pub fn part(&self, is_left: bool, format: KeptFormat, across: (usize, usize)) -> *const u32 {
        // SAFETY: they are lent for as long as this is.
        let kept = unsafe { &*if is_left { self.left } else { self.right } };
        let region = KeptRegion { across, k: (0, self.depth) };
        kept.packed(format, region).map_or(std::ptr::null(), |room| room.at.cast_const())
    }
}
