//! The plain versions of kernels with one result per element.
//!
//! What finds the elements is the same code for all types: instructions only bring a function of elements at equal distances.

use super::call::{Call, Fault, TileRef};
use super::cover::{BLOCK_BYTES, Cover, no_zero};
use super::elem::Elem;
use super::grid::ByRow;
use super::pairwise::Side;
use super::parts::plain_rest;

/// Elements at equal distances.
#[derive(Clone, Copy)]
pub struct Spaced {
    first: *mut u8,
    /// Bytes from one to the next; wraps around when it goes backwards.
    step: usize,
}

impl Spaced {
    /// An element.
    ///
    /// # Safety
    /// There must be more than `i` elements.
    #[inline(always)]
    pub unsafe fn read<E: Elem>(&self, i: usize) -> E {
        // SAFETY: the element is there, as the caller says.
        unsafe { self.first.wrapping_add(i.wrapping_mul(self.step)).cast::<E>().read_unaligned() }
    }

    /// Writes an element.
    ///
    /// # Safety
    /// There must be more than `i` elements.
    #[inline(always)]
    pub unsafe fn write<E: Elem>(&self, i: usize, value: E) {
        // SAFETY: the element is there, as the caller says.
        unsafe { self.first.wrapping_add(i.wrapping_mul(self.step)).cast::<E>().write_unaligned(value) }
    }
}

/// A function of the elements of `K` operands, one after the other.
///
/// # Safety
/// The operands must have that many elements, of the types it is for.
pub type PlainFn<const K: usize> = unsafe fn(&[Spaced; K], usize);

/// Where the elements of an operand are.
#[derive(Clone, Copy)]
pub enum PlainOperand<'a> {
    /// In a tile, each with so many bytes.
    Tile(&'a TileRef<'a>, usize, Cover),
    /// One for all.
    Value(*mut u8),
}

impl<'a> PlainOperand<'a> {
    /// A tile with an element for each of the destination.
    pub fn same<E: Elem>(tile: &'a TileRef<'a>) -> Self {
        Self::Tile(tile, size_of::<E>(), Cover::Same)
    }

    /// True when rows are not at equal distances.
    fn is_boxed(&self) -> bool {
        matches!(self, Self::Tile(tile, ..) if tile.geometry().is_boxed())
    }

    /// Elements of a row, from one that is a multiple of it, that are at equal distances: powers of two, or all.
    fn even(&self, cols: usize) -> usize {
        match self {
            Self::Tile(tile, ..) if self.is_boxed() => tile.geometry().box_shape().1 as usize,
            Self::Tile(_, size, Cover::Block) => BLOCK_BYTES / size,
            _ => cols,
        }
    }

    /// `n` elements of a row from a column on, or back to it.
    ///
    /// # Safety
    /// The operand must be one of a call, and the elements lie inside of it, at equal distances.
    #[inline(always)]
    unsafe fn spaced(&self, row: usize, col: usize, n: usize, back: bool) -> Spaced {
        match *self {
            Self::Tile(tile, size, cover) => {
                let place = |col| {
                    let (r, c) = cover.place(size, row, col);
                    tile.index(r, c) * size
                };
                let first = place(col);
                let step = if n > 1 { place(col + 1).wrapping_sub(first) } else { 0 };
                let (first, step) = if back {
                    (first.wrapping_add((n - 1).wrapping_mul(step)), step.wrapping_neg())
                } else {
                    (first, step)
                };
                Spaced { first: tile.ptr().wrapping_add(first), step }
            }
            Self::Value(first) => Spaced { first, step: 0 },
        }
    }
}

/// Calls a function for the elements of so many rows and columns.
///
/// `back` begins with the last one: a source that is repeated may start where the destination does, and is then overwritten last.
///
/// # Safety
/// The operands must be those of a call, with the types that the function is for, and have elements for the rows and columns.
pub unsafe fn walk<const K: usize>(
    operands: &[PlainOperand; K],
    (rows, cols): (usize, usize),
    back: bool,
    run: PlainFn<K>,
) {
    // Runs of elements at equal distances: whole rows, or what boxes and blocks make of them.
    let length = operands.iter().fold(cols, |length, o| length.min(o.even(cols)));
    if rows * length == 0 {
        return;
    }
    let runs = cols.div_ceil(length);
    // SAFETY: the caller answers for the operands.
    unsafe {
        if runs == 1 && !operands.iter().any(PlainOperand::is_boxed) {
            return whole_rows(operands, (rows, cols), back, run);
        }
        for i in 0..rows {
            for k in 0..runs {
                let (row, k) = if back { (rows - 1 - i, runs - 1 - k) } else { (i, k) };
                let col = k * length;
                let n = length.min(cols - col);
                run(&spaced(operands, (row, col), n, back), n);
            }
        }
    }
}

/// `n` elements of a row of each operand, from a column on, or back to it.
///
/// # Safety
/// As [`PlainOperand::spaced`].
#[inline(always)]
unsafe fn spaced<const K: usize>(
    operands: &[PlainOperand; K],
    (row, col): (usize, usize),
    n: usize,
    back: bool,
) -> [Spaced; K] {
    let mut all = [Spaced { first: std::ptr::null_mut(), step: 0 }; K];
    for k in 0..K {
        // SAFETY: the caller answers for the operands.
        all[k] = unsafe { operands[k].spaced(row, col, n, back) };
    }
    all
}

/// Does the same where all rows are at equal distances, and so are their elements.
///
/// # Safety
/// As [`walk`]; there must be rows and columns.
unsafe fn whole_rows<const K: usize>(
    operands: &[PlainOperand; K],
    (rows, cols): (usize, usize),
    back: bool,
    run: PlainFn<K>,
) {
    // SAFETY: the caller answers for the operands.
    unsafe {
        let row = |i: usize| if back { rows - 1 - i } else { i };
        let mut at = spaced(operands, (row(0), 0), cols, back);
        let next = spaced(operands, (row(1.min(rows - 1)), 0), cols, back);
        let mut steps = [0; K];
        for k in 0..K {
            steps[k] = next[k].first.addr().wrapping_sub(at[k].first.addr());
        }
        for _ in 0..rows {
            run(&at, cols);
            for k in 0..K {
                at[k].first = at[k].first.wrapping_add(steps[k]);
            }
        }
    }
}

/// A function of two elements of one type, as the plain versions take it.
pub struct PlainPair {
    size: usize,
    /// The operand that must not have zeros.
    divisor: Option<Side>,
    no_zero: unsafe fn(&TileRef, Cover, &TileRef) -> Result<(), Fault>,
    /// A scalar as an element.
    element: fn(u64) -> [u8; 8],
    run: PlainFn<3>,
}

/// A scalar as an element, in the first bytes.
fn element<E: Elem>(scalar: u64) -> [u8; 8] {
    let mut bytes = [0; 8];
    // SAFETY: an element has at most eight bytes.
    unsafe { bytes.as_mut_ptr().cast::<E>().write_unaligned(E::scalar(scalar)) }
    bytes
}

impl PlainPair {
    /// The function and its divisor.
    pub const fn new<E: Elem>(divisor: Option<Side>, run: PlainFn<3>) -> Self {
        Self { size: size_of::<E>(), divisor, no_zero: no_zero::<E>, element: element::<E>, run }
    }

    /// Two sources.
    ///
    /// # Safety
    /// As [`KernelFn`](super::KernelFn), for operands of the type.
    #[inline(never)]
    pub unsafe fn tiles(&self, call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let ([a, b, dst], cover) = (call.tiles, Cover::of(call.imm));
            let repeated = cover.repeated(a, b, dst);
            let cover_of = |this| if repeated == Some(this) { cover } else { Cover::Same };
            if let Some(divisor) = self.divisor {
                (self.no_zero)(if divisor == Side::First { a } else { b }, cover_of(divisor), dst)?;
            }
            let both = dst.clipped(a.rows().min(b.rows()), a.cols().min(b.cols()));
            let written = if cover == Cover::Part { &both } else { dst };
            let operands = [
                PlainOperand::Tile(a, self.size, cover_of(Side::First)),
                PlainOperand::Tile(b, self.size, cover_of(Side::Second)),
                PlainOperand::Tile(dst, self.size, Cover::Same),
            ];
            walk(&operands, (written.rows(), written.cols()), true, self.run);
            if cover == Cover::Part {
                plain_rest(a, b, dst, self.size);
            }
            Ok(())
        }
    }

    /// A source and values.
    ///
    /// # Safety
    /// As [`KernelFn`](super::KernelFn), for operands of the type.
    #[inline(never)]
    pub unsafe fn values(&self, call: &Call<3, 0, 2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let Some(ByRow { src, dst, values, scalar }) = ByRow::new(call) else { return Ok(()) };
            let mut value = (self.element)(scalar);
            match (self.divisor, values) {
                (None, _) => {}
                (Some(Side::First), _) => (self.no_zero)(src, Cover::Same, dst)?,
                (_, Some(values)) => (self.no_zero)(values, Cover::SecondValues, dst)?,
                // Only integers have divisors that must not be zero.
                _ if value == [0; 8] => return Err(Fault::DivisionByZero { row: 0, col: 0 }),
                _ => {}
            }
            let second = match values {
                Some(tile) => PlainOperand::Tile(tile, self.size, Cover::SecondValues),
                None => PlainOperand::Value(value.as_mut_ptr()),
            };
            let operands = [
                PlainOperand::Tile(src, self.size, Cover::Same),
                second,
                PlainOperand::Tile(dst, self.size, Cover::Same),
            ];
            walk(&operands, (dst.rows(), dst.cols()), true, self.run);
            Ok(())
        }
    }
}
