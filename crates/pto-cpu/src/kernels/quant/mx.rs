//! MX formats: groups of 32 numbers share an exponent.
//!
//! First what groups share: the largest magnitude, the exponent and the multiplier; then the codes, which read the exponents back.

use pto_isa::rules::AttrValue;
use pto_num::convert::narrow;
use pto_num::{Bf16, F4E2M1, F8E4M3, Level, Round, Saturate};
use pto_vector::elem::{Elem, by_type};
use pto_vector::{Body, Call, Fault, OpKernel, Prepared, Site, TileRef, WrittenPart, contiguous, read, write};
use std::marker::PhantomData;

const SLOTS: [&str; 6] = ["src", "dst", "exp", "exp_zz", "max", "scaling"];

pub(super) const QUANTISE: OpKernel = OpKernel::new(&SLOTS, prepare).writing(WrittenPart::Some);

/// Numbers of a group.
const GROUP: usize = 32;
/// Bits of an infinite f32.
const INFINITY: u32 = 0x7f80_0000;
/// The exponent of a group with a NaN.
const NAN: u8 = 255;

fn prepare(site: &Site) -> Option<Prepared<6>> {
    let choice = MxOptions {
        nv: site.attr("quantScaleAlg") == Some("nv"),
        down: site.attr("grpAxis") == Some("axis0"),
        interleave: site.instance.attr("interleave") == Some(AttrValue::Bool(true)),
        zz: site.attr("storeMode") == Some("nz"),
    };
    let fp4 = site.attr("quant_type") == Some("MXFP4_E2M1");
    let flat = contiguous(site, &SLOTS);
    let prepared = by_type!(site.tile("src")?.dtype, E in [F32 F16 Bf16] => match fp4 {
        true => Prepared::new::<MxKernel<E, true>>(site, flat),
        false => Prepared::new::<MxKernel<E, false>>(site, flat),
    })?;
    Some(prepared.with([choice.word(), 0]))
}

/// What the attributes say.
#[derive(Clone, Copy)]
struct MxOptions {
    nv: bool,
    /// Groups run along rows.
    down: bool,
    interleave: bool,
    /// The extra exponents are in ZZ order.
    zz: bool,
}

impl MxOptions {
    fn word(self) -> u64 {
        [self.nv, self.down, self.interleave, self.zz].iter().fold(0, |word, &bit| word << 1 | u64::from(bit))
    }

    fn of(word: u64) -> Self {
        let bit = |k: u64| word >> k & 1 == 1;
        Self { nv: bit(3), down: bit(2), interleave: bit(1), zz: bit(0) }
    }
}

/// The exponent for the largest magnitude of a group, given as the bits of an f32.
#[inline(always)]
fn exponent<const FP4: bool>(largest: u32, nv: bool) -> u8 {
    if largest > INFINITY {
        return NAN;
    }
    if !nv {
        return (largest >> 23).saturating_sub(if FP4 { 2 } else { 8 }) as u8;
    }
    if largest == INFINITY {
        return 254;
    }
    let scaled = (f32::from_bits(largest) * if FP4 { 1.0 / 6.0 } else { 1.0 / 448.0 }).to_bits();
    let (field, fraction) = (scaled >> 23, scaled & 0x7f_ffff);
    let up = if field == 0 { fraction > 0x40_0000 } else { fraction != 0 };
    (field + u32::from(up)) as u8
}

/// `2^(127 - exponent)`, NaN for the exponent of NaN.
#[inline(always)]
fn multiplier(exponent: u8) -> f32 {
    let bits = match exponent {
        NAN => 0x7fc0_0000,
        254 => 1 << 22,
        e => (254 - u32::from(e)) << 23,
    };
    f32::from_bits(bits)
}

#[inline(always)]
fn code<const FP4: bool>(x: f32) -> u8 {
    if FP4 {
        // The format has no NaN: devices write its largest number.
        let code = narrow::<F4E2M1>(x, Round::Rint, Saturate::On).0;
        if x.is_nan() { 7 } else { code }
    } else {
        let code = narrow::<F8E4M3>(x, Round::Rint, Saturate::On).0;
        if x.is_nan() { 0x7f } else { code }
    }
}

/// A tile with a number for each group.
struct Groups<'a> {
    tile: &'a TileRef<'a>,
    /// Rows and columns of groups.
    grid: (usize, usize),
    choice: MxOptions,
}

impl<'a> Groups<'a> {
    fn new(src: &TileRef, tile: &'a TileRef<'a>, choice: MxOptions) -> Self {
        let grid = if choice.down { (src.rows() / GROUP, src.cols()) } else { (src.rows(), src.cols() / GROUP) };
        Self { tile, grid, choice }
    }

    #[inline(always)]
    fn place(&self, row: usize, col: usize) -> (usize, usize) {
        if self.choice.interleave {
            (row / 2, 2 * col + row % 2)
        } else if (self.tile.rows(), self.tile.cols()) == self.grid {
            (row, col)
        } else {
            (0, row * self.grid.1 + col)
        }
    }

    /// # Safety
    /// The row and column lie inside of the groups.
    #[inline(always)]
    unsafe fn get(&self, row: usize, col: usize) -> u8 {
        // SAFETY: the row and column lie inside of the groups, which are a tile of a call.
        unsafe {
            let (r, c) = self.place(row, col);
            read(self.tile, r, c)
        }
    }

    /// # Safety
    /// The row and column lie inside of the groups.
    #[inline(always)]
    unsafe fn set<T: Elem>(&self, row: usize, col: usize, value: T) {
        // SAFETY: the row and column lie inside of the groups, which are a tile of a call.
        unsafe {
            let (r, c) = self.place(row, col);
            write(self.tile, r, c, value);
        }
    }

    /// Copies them to another tile, whose elements are counted row by row: in their own order, or in boxes of 16 rows and
    /// two columns.
    ///
    /// # Safety
    /// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named lie
    /// inside of them.
    unsafe fn copy(&self, other: &TileRef) {
        // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
        unsafe {
            let (height, width) = if self.choice.zz { (16, 2) } else { self.grid };
            let (rows, cols) = self.grid;
            let mut next = 0;
            for top in (0..rows).step_by(height.max(1)) {
                for left in (0..cols).step_by(width.max(1)) {
                    for row in top..rows.min(top + height) {
                        for col in left..cols.min(left + width) {
                            if next < other.rows() * other.cols() {
                                write(other, next / other.cols(), next % other.cols(), self.get(row, col));
                            }
                            next += 1;
                        }
                    }
                }
            }
        }
    }
}

struct MxKernel<E, const FP4: bool>(PhantomData<E>);

impl<E: Elem<Wide = f32>, const FP4: bool> MxKernel<E, FP4> {
    /// The largest magnitude of a group, as bits: a NaN is larger than everything.
    ///
    /// # Safety
    /// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named lie
    /// inside of them.
    unsafe fn largest(src: &TileRef, row: usize, col: usize, down: bool) -> u32 {
        // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
        unsafe {
            let number = |k: usize| if down { (row * GROUP + k, col) } else { (row, col * GROUP + k) };
            (0..GROUP).fold(0, |largest, k| {
                let (r, c) = number(k);
                largest.max(read::<E>(src, r, c).widen().to_bits() & 0x7fff_ffff)
            })
        }
    }

    /// The multiplier of a group, as the devices keep it: with 16 bits for 16-bit sources, a bf16 also for f16, which has too few
    /// exponents.
    ///
    /// # Safety
    /// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named lie
    /// inside of them.
    #[inline(always)]
    unsafe fn keep_multiplier(groups: &Groups, row: usize, col: usize, multiplier: f32) {
        // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
        unsafe {
            if size_of::<E>() == 2 {
                groups.set(row, col, Bf16::from_f32(multiplier).0);
            } else {
                groups.set(row, col, multiplier);
            }
        }
    }

    /// The codes of up to 32 numbers of a row.
    ///
    /// # Safety
    /// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this
    /// level.
    #[inline(always)]
    unsafe fn codes<L: Level>(from: *const E, count: usize, scales: &[f32; GROUP]) -> [u8; GROUP] {
        // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
        unsafe {
            let mut numbers = [E::narrow(0.0); GROUP];
            std::ptr::copy_nonoverlapping(from.cast::<u8>(), numbers.as_mut_ptr().cast(), count * size_of::<E>());
            let wide = E::load::<L, GROUP>(&numbers);
            let mut codes = [0; GROUP];
            for i in 0..GROUP {
                codes[i] = code::<FP4>(wide[i] * scales[i]);
            }
            codes
        }
    }

    /// Writes codes of a row from a column on, two to a byte in a format of four bits.
    ///
    /// # Safety
    /// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named lie
    /// inside of them.
    #[inline(always)]
    unsafe fn store(dst: &TileRef, row: usize, col: usize, count: usize, codes: &[u8; GROUP]) {
        // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
        unsafe {
            let to = dst.row::<u8>(row);
            if FP4 {
                for i in 0..count / 2 {
                    *to.add(col / 2 + i) = codes[2 * i] | codes[2 * i + 1] << 4;
                }
            } else {
                std::ptr::copy_nonoverlapping(codes.as_ptr(), to.add(col), count);
            }
        }
    }

    /// # Safety
    /// The operands must be as [`KernelFn`](pto_vector::KernelFn) says; the processor must have the instructions of this level.
    #[inline(always)]
    unsafe fn run<L: Level>(call: &Call<6>) {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [src, dst, exp, other, max, scaling] = call.tiles;
            let choice = MxOptions::of(call.imm[0]);
            let exponents = Groups::new(src, exp, choice);
            let [maxima, multipliers] =
                [max, scaling].map(|tile| Groups::new(src, tile, MxOptions { interleave: false, ..choice }));
            for row in 0..exponents.grid.0 {
                for col in 0..exponents.grid.1 {
                    let largest = Self::largest(src, row, col, choice.down);
                    let shared = exponent::<FP4>(largest, choice.nv);
                    exponents.set(row, col, shared);
                    maxima.set(row, col, E::narrow(f32::from_bits(largest)));
                    Self::keep_multiplier(&multipliers, row, col, multiplier(shared));
                }
            }
            for r in 0..src.rows() {
                for start in (0..src.cols()).step_by(GROUP) {
                    let count = GROUP.min(src.cols() - start);
                    let mut scales = [0.0; GROUP];
                    if choice.down {
                        for (i, scale) in scales.iter_mut().enumerate().take(count) {
                            *scale = multiplier(exponents.get(r / GROUP, start + i));
                        }
                    } else {
                        scales = [multiplier(exponents.get(r, start / GROUP)); GROUP];
                    }
                    let codes = Self::codes::<L>(src.row::<E>(r).add(start), count, &scales);
                    Self::store(dst, r, start, count, &codes);
                }
            }
            if other.is_present() {
                exponents.copy(other);
            }
        }
    }
}

impl<E: Elem<Wide = f32>, const FP4: bool> Body<6> for MxKernel<E, FP4> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<6>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            Self::run::<L>(call);
            Ok(())
        }
    }

    /// The rules allow no other layout than rows, so this is the same code without vector instructions.
    unsafe fn plain(call: &Call<6>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            Self::run::<pto_num::Baseline>(call);
            Ok(())
        }
    }
}
