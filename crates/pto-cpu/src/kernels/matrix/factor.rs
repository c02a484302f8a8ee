//! The two factors of a product: how their elements become numbers.

use super::super::place::{Axis, ElementMap};
use super::ProductCall;
use super::ProductForm;
use pto_isa::{DType, Order, TileType};
use pto_num::{Bf16, F4E1M2, F4E2M1, F8E4M3, F8E5M2, F8E8M0, F16, Hif8, Level, LevelKernel, dispatch};
use pto_vector::TileRef;
use std::sync::LazyLock;

/// Elements along `k` that share a scale.
pub const SCALED: usize = 32;

/// What scales the elements of a factor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Scaling {
    /// Nothing.
    None,
    /// A power of two for 32 elements, as its exponent.
    Exponents,
    /// A half-precision number for 32 elements.
    Factors,
    /// Cells of three levels of scales for 64 elements.
    Cells,
}

impl Scaling {
    /// By number.
    pub const ALL: [Self; 4] = [Self::None, Self::Exponents, Self::Factors, Self::Cells];
}

/// Rounding of f32 operands, a state of the core: 0 is none; otherwise the mantissa bits that stay, and in bit 8 whether
/// ties go to even instead of away from zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rounding(pub u64);

impl Rounding {
    /// The state that an instruction sets.
    pub const fn new(mantissa: u64, to_even: bool) -> Self {
        Self(mantissa | (to_even as u64) << 8)
    }

    /// Nothing is rounded.
    pub fn is_off(self) -> bool {
        self.0 == 0
    }

    /// Rounds a number. A carry goes into the exponent, so that what is too large becomes infinity.
    pub fn apply(self, x: f32) -> f32 {
        if self.is_off() || !x.is_finite() {
            return x;
        }
        let drop = 23 - (self.0 & 0xff).min(22) as u32;
        let (bits, half) = (x.to_bits(), 1u32 << (drop - 1));
        let add = if self.0 >> 8 & 1 == 1 { half - 1 + (bits >> drop & 1) } else { half };
        f32::from_bits((bits + add) >> drop << drop)
    }
}

/// True when elements of this type can be multiplied.
pub fn decodes(dtype: DType) -> bool {
    use DType::*;
    matches!(dtype, I8 | F32 | F16 | Bf16 | F8E4M3 | F8E5M2 | Hif8 | F4E1M2 | F4E2M1)
}

/// One factor of a product.
#[derive(Clone, Copy)]
pub struct Factor<'a> {
    pub tile: &'a TileRef<'a>,
    pub dtype: DType,
    pub scale: &'a TileRef<'a>,
    pub scaling: Scaling,
    pub rounding: Rounding,
    /// The numbers of elements of 8 bits.
    table: Option<&'static [f32; 256]>,
    /// Where elements and scales lie along rows (columns, for the right factor) and along `k`; nothing where those depend on
    /// each other.
    axes: Option<[Axis; 2]>,
    scale_axes: Option<[Axis; 2]>,
    /// The left one, whose columns are `k`; otherwise rows are.
    pub is_left: bool,
    /// Scale cells from one group of 16 rows to the next.
    cells: usize,
}

/// Groups of a block; see [`Factor::groups`].
const MOST_GROUPS: usize = 8;

/// Where groups of numbers, and their scales, lie along `k`.
pub struct FactorGroups {
    table: &'static [f32; 256],
    places: [(usize, usize); MOST_GROUPS],
}

/// Numbers of 8 bits that become numbers of 32.
struct ByteNumbers<'a> {
    bytes: &'a [u8; SCALED],
    dtype: DType,
    table: &'static [f32; 256],
    scale: f32,
    numbers: &'a mut [f32; SCALED],
}

impl LevelKernel for ByteNumbers<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self) {
        let Self { bytes, dtype, table, scale, numbers } = self;
        match dtype {
            // The patterns of infinities and NaN start there.
            DType::F8E4M3 if are_below(bytes, 0x7f) => compute::<3, 7>(bytes, scale, numbers),
            DType::F8E5M2 if are_below(bytes, 0x7c) => compute::<2, 15>(bytes, scale, numbers),
            _ => {
                for (number, byte) in numbers.iter_mut().zip(bytes) {
                    *number = table[usize::from(*byte)] * scale;
                }
            }
        }
    }
}

/// True when all patterns are below this one, without their signs. Eight are tested at a time: those that are not become negative.
#[inline(always)]
fn are_below(bytes: &[u8; SCALED], limit: u8) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let add = ONES * u64::from(0x80 - limit);
    let words = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
    words.fold(0, |all, word| all | ((word & (0x7f * ONES)) + add)) & (0x80 * ONES) == 0
}

/// Finite numbers with so many bits of mantissa and this bias. Compilers turn this into vector instructions; a table takes a load for each.
#[inline(always)]
fn compute<const MANTISSA: u32, const BIAS: u32>(bytes: &[u8; SCALED], scale: f32, numbers: &mut [f32; SCALED]) {
    for (number, byte) in numbers.iter_mut().zip(bytes) {
        let bits = u32::from(*byte);
        let exponent = (bits & 0x7f) >> MANTISSA;
        let mantissa = bits & ((1 << MANTISSA) - 1) | u32::from(exponent > 0) << MANTISSA;
        let power = f32::from_bits((exponent.max(1) + 127 - BIAS - MANTISSA) << 23);
        let magnitude = mantissa as i32 as f32 * power;
        *number = f32::from_bits(magnitude.to_bits() | (bits & 0x80) << 24) * scale;
    }
}

/// Both factors of a call.
pub fn factors<'a>(call: &ProductCall<'a>) -> (Factor<'a>, Factor<'a>) {
    let [_, a, b, _, _, a_scale, b_scale] = call.tiles;
    let form = ProductForm::from_call(call);
    let rounding = Rounding(call.scalars[0]);
    // Not by the memory of the tile: a factor may be read where it was moved from.
    let new = |is_left: bool, tile: &'a TileRef<'a>, dtype, scale, scaling| {
        let ty = tile.geometry();
        let depth = if is_left { ty.cols } else { ty.rows };
        let axes = |tile: &TileRef| {
            let ElementMap { rows, cols, .. } = ElementMap::of_tile(tile)?;
            Some(if is_left { [rows, cols] } else { [cols, rows] })
        };
        Factor {
            tile,
            dtype,
            scale,
            scaling,
            rounding,
            table: table(dtype),
            axes: if is_packed_by_boxes(ty, scaling) { None } else { axes(tile) },
            scale_axes: if scaling == Scaling::None { None } else { axes(scale) },
            is_left,
            cells: depth.div_ceil(64) as usize,
        }
    };
    (new(true, a, form.a, a_scale, form.a_scaling), new(false, b, form.b, b_scale, form.b_scaling))
}

/// True when hardly any element is looked up separately, so that an index of positions does not pay off.
fn is_packed_by_boxes(ty: &TileType, scaling: Scaling) -> bool {
    use DType::{Bf16, F16, F32, I8};
    let in_boxes = ty.fractal == 512 && matches!(ty.order(), Order::Nz | Order::Zz | Order::Zn);
    in_boxes && scaling == Scaling::None && matches!(ty.dtype, F32 | F16 | Bf16 | I8)
}

impl<'a> Factor<'a> {
    /// The elements of a tile, as they are.
    pub fn of_tile(tile: &'a TileRef<'a>, is_left: bool) -> Self {
        let (scaling, rounding) = (Scaling::None, Rounding(0));
        let dtype = tile.geometry().dtype;
        let (table, axes, scale_axes) = (None, None, None);
        Self { tile, dtype, scale: &TileRef::ABSENT, scaling, rounding, table, axes, scale_axes, is_left, cells: 0 }
    }
}

impl Factor<'_> {
    /// The number in row (column, for the right factor) `at` and at depth `k`.
    ///
    /// # Safety
    /// The place must lie in the tile.
    pub unsafe fn number(&self, at: usize, k: usize) -> f32 {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let (row, col) = if self.is_left { (at, k) } else { (k, at) };
            let value = decode(self.tile.ptr(), self.dtype, self.tile.index(row, col));
            match self.scaling {
                Scaling::None if self.dtype == DType::F32 => self.rounding.apply(value),
                Scaling::None => value,
                _ => value * self.factor(at, k),
            }
        }
    }

    /// Where groups of numbers of 8 bits lie along `k`, from a multiple of [`SCALED`] on; `None` if they do not lie side by side.
    pub fn groups(&self, k: (usize, usize)) -> Option<FactorGroups> {
        let table = self.table?;
        let [_, along] = self.axes?;
        let count = k.1.div_ceil(SCALED);
        let is_scaled = matches!(self.scaling, Scaling::Exponents | Scaling::Factors);
        if count > MOST_GROUPS || self.scaling == Scaling::Cells || is_scaled && self.scale_axes.is_none() {
            return None;
        }
        let mut groups = FactorGroups { table, places: [(0, 0); MOST_GROUPS] };
        for (at, place) in groups.places[..count].iter_mut().enumerate() {
            let (first, last) = (k.0 + at * SCALED, k.0 + k.1.min((at + 1) * SCALED) - 1);
            if along.at(last) != along.at(first) + last - first {
                return None;
            }
            let scale = self.scale_axes.filter(|_| is_scaled).map_or(0, |[_, along]| along.at(first / SCALED));
            *place = (along.at(first), scale);
        }
        Some(groups)
    }

    /// The numbers of a row (column, for the right factor), group by group: `put` gets the position of each.
    ///
    /// # Safety
    /// All places must lie in the tile, and `groups` must be those of `k`.
    #[inline(always)]
    pub unsafe fn in_groups(
        &self,
        groups: &FactorGroups,
        at: usize,
        depth: usize,
        mut put: impl FnMut(usize, &[f32; SCALED]),
    ) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let across = self.axes.map_or(0, |[across, _]| across.at(at));
            let scale_across = self.scale_axes.map_or(0, |[across, _]| across.at(at));
            let mut numbers = [0.0; SCALED];
            for (group, (place, scale_place)) in groups.places[..depth.div_ceil(SCALED)].iter().enumerate() {
                let scale = self.scale_at(scale_across + scale_place);
                let mut bytes = [0; SCALED];
                let count = (depth - group * SCALED).min(SCALED);
                std::ptr::copy_nonoverlapping(self.tile.ptr().add(across + place), bytes.as_mut_ptr(), count);
                dispatch(ByteNumbers {
                    bytes: &bytes,
                    dtype: self.dtype,
                    table: groups.table,
                    scale,
                    numbers: &mut numbers,
                });
                put(group, &numbers);
            }
        }
    }

    /// A run of numbers along `k`; each goes to `put` with its index.
    ///
    /// # Safety
    /// All places must lie in the tile.
    pub unsafe fn numbers(&self, at: usize, k: (usize, usize), mut put: impl FnMut(usize, f32)) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let mut done = 0;
            let mut numbers = [0.0; SCALED];
            while done < k.1 {
                let first = k.0 + done;
                let count = (SCALED - first % SCALED).min(k.1 - done);
                self.group(at, first, count, &mut numbers);
                numbers[..count].iter().enumerate().for_each(|(i, n)| put(done + i, *n));
                done += count;
            }
        }
    }

    /// Numbers along `k` that share a scale; those behind them are not changed, or zero.
    ///
    /// # Safety
    /// All places must lie in the tile.
    #[inline]
    pub unsafe fn group(&self, at: usize, first: usize, count: usize, numbers: &mut [f32; SCALED]) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            match (self.neighbours(at, first, count), self.table) {
                (Some((place, scale)), Some(table)) => {
                    let mut bytes = [0; SCALED];
                    std::ptr::copy_nonoverlapping(self.tile.ptr().add(place), bytes.as_mut_ptr(), count);
                    for (number, byte) in numbers.iter_mut().zip(bytes) {
                        *number = table[usize::from(byte)] * scale;
                    }
                }
                (Some((place, scale)), None) => {
                    for (i, number) in numbers[..count].iter_mut().enumerate() {
                        *number = decode(self.tile.ptr(), self.dtype, place + i) * scale;
                    }
                }
                (None, _) => {
                    for (i, number) in numbers[..count].iter_mut().enumerate() {
                        *number = self.number(at, first + i);
                    }
                }
            }
        }
    }

    /// Where numbers of one group lie, when they lie side by side, and what scales all of them.
    ///
    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them.
    unsafe fn neighbours(&self, at: usize, k: usize, count: usize) -> Option<(usize, f32)> {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            if self.scaling == Scaling::Cells || self.dtype == DType::F32 {
                return None;
            }
            let [across, along] = self.axes?;
            let first = along.at(k);
            let side_by_side = along.at(k + count - 1) == first + count - 1;
            side_by_side.then(|| (across.at(at) + first, self.factor(at, k)))
        }
    }

    /// The integer there.
    ///
    /// # Safety
    /// As [`Self::number`]; the elements must be i8.
    pub unsafe fn integer(&self, at: usize, k: usize) -> i32 {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let (row, col) = if self.is_left { (at, k) } else { (k, at) };
            i32::from(self.tile.ptr().cast::<i8>().add(self.tile.index(row, col)).read())
        }
    }

    /// Writes the bits of an element.
    ///
    /// # Safety
    /// As [`Self::number`], and the tile may be written.
    pub unsafe fn put_bits(&self, at: usize, k: usize, bits: u32) {
        // SAFETY: the place lies in the tile, as the caller says.
        unsafe {
            let (row, col) = if self.is_left { (at, k) } else { (k, at) };
            let (base, index) = (self.tile.ptr(), self.tile.index(row, col));
            match self.dtype.bits() {
                32 => base.cast::<u32>().add(index).write_unaligned(bits),
                16 => base.cast::<u16>().add(index).write_unaligned(bits as u16),
                _ => base.add(index).write(bits as u8),
            }
        }
    }

    /// What scales an element.
    ///
    /// # Safety
    /// As [`Self::number`].
    pub unsafe fn factor(&self, at: usize, k: usize) -> f32 {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            match self.scaling {
                Scaling::None => 1.0,
                Scaling::Exponents | Scaling::Factors => self.scale_at(self.scale_place(at, k / SCALED)),
                Scaling::Cells => self.cell_factor(at, k),
            }
        }
    }

    /// A scale, by its place in elements; 1 where there are none.
    ///
    /// # Safety
    /// The place must lie in the tile of scales.
    #[inline(always)]
    unsafe fn scale_at(&self, place: usize) -> f32 {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            match self.scaling {
                Scaling::Exponents => F8E8M0(self.scale.ptr().add(place).read()).to_f32(),
                Scaling::Factors => F16(self.scale.ptr().cast::<u16>().add(place).read_unaligned()).to_f32(),
                Scaling::None | Scaling::Cells => 1.0,
            }
        }
    }

    /// Where the scale of a group lies, in elements.
    fn scale_place(&self, at: usize, group: usize) -> usize {
        match &self.scale_axes {
            Some([across, along]) => across.at(at) + along.at(group),
            None if self.is_left => self.scale.index(at, group),
            None => self.scale.index(group, at),
        }
    }

    /// A cell has 64 bytes for 16 rows and 64 elements along `k`: pairs of a factor for all and bits for 8 elements each,
    /// then pairs of bytes with bits for 4 elements each.
    ///
    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them.
    unsafe fn cell_factor(&self, at: usize, k: usize) -> f32 {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let cell = self.scale.ptr().add((at / 16 * self.cells + k / 64) * 64);
            let (pair, inside) = (2 * (at % 16), k % 64);
            let (first, eighths) = (cell.add(pair).read(), cell.add(pair + 1).read());
            let quarters = u16::from_le_bytes([cell.add(32 + pair).read(), cell.add(33 + pair).read()]);
            let doublings = (eighths >> (inside / 8) & 1) as i32 + (quarters >> (inside / 4) & 1) as i32;
            let mantissa = 1.0 + f32::from(first & 3) / 4.0;
            mantissa * exp2(i32::from(first >> 2) - 48 + doublings)
        }
    }
}

/// What the patterns of a type of 8 bits stand for.
fn table(dtype: DType) -> Option<&'static [f32; 256]> {
    static TABLES: LazyLock<[[f32; 256]; 2]> = LazyLock::new(|| {
        [DType::F8E4M3, DType::F8E5M2].map(|dtype| {
            // SAFETY: the number of one byte is read.
            std::array::from_fn(|bits| unsafe { decode(&(bits as u8), dtype, 0) })
        })
    });
    match dtype {
        DType::F8E4M3 => Some(&TABLES[0]),
        DType::F8E5M2 => Some(&TABLES[1]),
        DType::Hif8 => Some(Hif8::VALUES),
        _ => None,
    }
}

/// A power of two that is a normal number.
fn exp2(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// The number at a place of a tile of the cube, in elements.
///
/// # Safety
/// The place must lie in memory that can be read.
pub unsafe fn decode(base: *const u8, dtype: DType, at: usize) -> f32 {
    // SAFETY: the caller answers for the elements at `base`.
    unsafe {
        let nibble = || base.add(at / 2).read() >> (at % 2 * 4) & 15;
        match dtype {
            DType::F32 => base.cast::<f32>().add(at).read_unaligned(),
            DType::F16 => F16(base.cast::<u16>().add(at).read_unaligned()).to_f32(),
            DType::Bf16 => Bf16(base.cast::<u16>().add(at).read_unaligned()).to_f32(),
            DType::F8E4M3 => F8E4M3(base.add(at).read()).to_f32(),
            DType::F8E5M2 => F8E5M2(base.add(at).read()).to_f32(),
            DType::Hif8 => Hif8(base.add(at).read()).to_f32(),
            DType::F4E1M2 => F4E1M2(nibble()).to_f32(),
            DType::F4E2M1 => F4E2M1(nibble()).to_f32(),
            _ => 0.0,
        }
    }
}
