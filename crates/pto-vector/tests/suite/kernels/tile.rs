//! Tiles with memory, and awkward numbers to put into them.

use pto_isa::{BLayout, DType, TileType};
use pto_vector::TileRef;

/// A tile with its own memory.
#[derive(Clone)]
pub struct Tile {
    pub ty: TileType,
    pub bytes: Vec<u8>,
    /// Elements from one row (or column, in column-major tiles) to the next.
    stride: usize,
}

/// The valid region of a type.
pub fn valid(ty: &TileType) -> (usize, usize) {
    let fixed = |d: pto_isa::Dim| d.fixed().expect("a fixed extent") as usize;
    (fixed(ty.valid_rows), fixed(ty.valid_cols))
}

impl Tile {
    /// A tile of zeros, with a gap after each row.
    pub fn zeros(ty: TileType, gap: u64) -> Self {
        let (lines, length) = match ty.blayout {
            BLayout::RowMajor => (ty.rows, ty.cols),
            BLayout::ColMajor => (ty.cols, ty.rows),
        };
        let gap = if ty.is_boxed() { 0 } else { gap };
        let stride = (length + gap) as usize;
        let bytes = vec![0; lines as usize * stride * ty.dtype.unit_bytes() as usize];
        Self { ty, bytes, stride }
    }

    /// A tile of awkward numbers, with anything outside the valid region.
    pub fn random(ty: TileType, gap: u64, random: &mut Random) -> Self {
        let mut tile = Self::zeros(ty, gap);
        let size = ty.dtype.unit_bytes() as usize;
        for element in tile.bytes.chunks_exact_mut(size) {
            element.copy_from_slice(&random.bits(ty.dtype).to_le_bytes()[..size]);
        }
        tile
    }

    /// A tile of these numbers, row by row.
    pub fn of(dtype: DType, rows: usize, cols: usize, numbers: &[f64]) -> Self {
        let stored = (cols as u64).next_multiple_of(32 / u64::from(dtype.unit_bytes()));
        let ty = TileType::new(pto_isa::Loc::Vec, dtype, rows as u64, stored)
            .valid(pto_isa::Dim::Fixed(rows as u64), pto_isa::Dim::Fixed(cols as u64));
        let mut tile = Self::zeros(ty, 0);
        for (i, number) in numbers.iter().enumerate() {
            tile.set(i / cols, i % cols, from_number(dtype, *number));
        }
        tile
    }

    /// The valid numbers, row by row.
    pub fn numbers(&self) -> Vec<f64> {
        let (rows, cols) = valid(&self.ty);
        let number = |i: usize| to_number(self.ty.dtype, self.get(i / cols, i % cols));
        (0..rows * cols).map(number).collect()
    }

    /// The elements of the valid region as bits, in another tile of the same valid region.
    pub fn with_type(&self, ty: &TileType) -> Self {
        let mut tile = Self::zeros(*ty, 0);
        let (rows, cols) = valid(ty);
        for r in 0..rows {
            for c in 0..cols {
                tile.set(r, c, self.get(r, c));
            }
        }
        tile
    }

    pub fn tile_ref(&mut self) -> TileRef<'_> {
        let (rows, cols) = valid(&self.ty);
        let (row_stride, col_stride) = match self.ty.blayout {
            BLayout::RowMajor => (self.stride, 1),
            BLayout::ColMajor => (1, self.stride),
        };
        let ptr = self.bytes.as_mut_ptr();
        // SAFETY: the bytes were made for the type.
        unsafe { TileRef::new(ptr, &self.ty, (rows, cols), (row_stride, col_stride)) }
    }

    fn place(&self, row: usize, col: usize) -> usize {
        let index = match self.ty.blayout {
            _ if self.ty.is_boxed() => self.ty.offset(row as u64, col as u64) as usize,
            BLayout::RowMajor => row * self.stride + col,
            BLayout::ColMajor => col * self.stride + row,
        };
        index * self.ty.dtype.unit_bytes() as usize
    }

    /// An element as bits.
    pub fn get(&self, row: usize, col: usize) -> u64 {
        let (place, size) = (self.place(row, col), self.ty.dtype.unit_bytes() as usize);
        let mut bits = [0; 8];
        bits[..size].copy_from_slice(&self.bytes[place..place + size]);
        u64::from_le_bytes(bits)
    }

    /// Sets an element.
    pub fn set(&mut self, row: usize, col: usize, bits: u64) {
        let (place, size) = (self.place(row, col), self.ty.dtype.unit_bytes() as usize);
        self.bytes[place..place + size].copy_from_slice(&bits.to_le_bytes()[..size]);
    }

    /// True when one may stand in the place of the other.
    pub fn same_memory(&self, other: &Self) -> bool {
        let shape = |t: &Self| (t.ty.dtype, t.ty.rows, t.ty.cols, t.ty.order(), t.stride);
        shape(self) == shape(other)
    }

    /// A byte outside the first rows and columns that is not what it was.
    pub fn changed(&self, before: &Self, (rows, cols): (usize, usize)) -> Option<usize> {
        let mut inside = vec![false; self.bytes.len()];
        let size = self.ty.dtype.unit_bytes() as usize;
        for r in 0..rows {
            for c in 0..cols {
                let place = self.place(r, c);
                inside[place..place + size].fill(true);
            }
        }
        (0..self.bytes.len()).find(|&i| !inside[i] && self.bytes[i] != before.bytes[i])
    }

    /// A valid element that is not the same in both: place and bits.
    pub fn differs(&self, other: &Self, ty: &TileType) -> Option<(usize, usize, u64, u64)> {
        let (rows, cols) = valid(ty);
        let places = (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c)));
        let pairs = places.map(|(r, c)| (r, c, self.get(r, c), other.get(r, c)));
        let nan = |bits| to_number(ty.dtype, bits).is_nan();
        pairs.into_iter().find(|&(.., a, b)| a != b && !(nan(a) && nan(b)))
    }
}

/// The value of some bits; 0 for types whose bits are only moved.
pub fn to_number(dtype: DType, bits: u64) -> f64 {
    match dtype {
        DType::F32 => f64::from(f32::from_bits(bits as u32)),
        DType::F16 => f64::from(pto_num::F16(bits as u16).to_f32()),
        DType::Bf16 => f64::from(pto_num::Bf16(bits as u16).to_f32()),
        DType::I8 => f64::from(bits as i8),
        DType::I16 => f64::from(bits as i16),
        DType::I32 => f64::from(bits as i32),
        DType::U8 | DType::U16 | DType::U32 => bits as f64,
        DType::I64 => bits as i64 as f64,
        DType::U64 => bits as f64,
        _ => 0.0,
    }
}

/// The bits of a number, rounded to the type.
pub fn from_number(dtype: DType, number: f64) -> u64 {
    match dtype {
        DType::F32 => u64::from((number as f32).to_bits()),
        DType::F16 => u64::from(pto_num::F16::from_f32(number as f32).0),
        DType::Bf16 => u64::from(pto_num::Bf16::from_f32(number as f32).0),
        DType::U64 => number as u64,
        _ => number as i64 as u64,
    }
}

/// A small generator of awkward numbers.
pub struct Random {
    state: u64,
    /// Integers may be zero.
    pub zeros: bool,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678, zeros: true }
    }

    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn pick(&mut self, from: &[f64]) -> f64 {
        from[self.next() as usize % from.len()]
    }

    /// An element: special values, small numbers, which are often equal, or any bits at all.
    pub fn bits(&mut self, dtype: DType) -> u64 {
        const FLOATS: [f64; 16] = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            0.0,
            -0.0,
            1.0,
            -1.0,
            6e-8,
            -6e-8,
            1e-40,
            -1e-40,
            65504.0,
            3e38,
            -3e38,
            0.5,
            88.5,
        ];
        const INTEGERS: [f64; 10] =
            [0.0, 1.0, -1.0, 127.0, -128.0, 32767.0, -32768.0, 255.0, 2147483647.0, -2147483648.0];
        let kind = self.next() % 4;
        let special = if dtype.is_float() { self.pick(&FLOATS) } else { self.pick(&INTEGERS) };
        let small = (self.next() % 19) as f64 - 9.0;
        let bits = match kind {
            0 => from_number(dtype, special),
            1 | 2 if dtype.is_float() => from_number(dtype, small / 2.0),
            1 | 2 => from_number(dtype, small),
            _ => self.next(),
        };
        let bits = bits & (u64::MAX >> (64 - 8 * dtype.unit_bytes()));
        if bits == 0 && !self.zeros && !dtype.is_float() { 3 } else { bits }
    }

    /// A scalar operand: integers sign-extended, floats as the bits of an `f32`.
    pub fn scalar(&mut self, dtype: DType) -> u64 {
        let bits = self.bits(dtype);
        if dtype.is_float() {
            return u64::from((to_number(dtype, bits) as f32).to_bits());
        }
        let unused = 64 - 8 * dtype.unit_bytes();
        ((bits << unused) as i64 >> unused) as u64
    }
}
