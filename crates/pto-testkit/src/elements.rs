//! What the two tests that run recorded vectors share: types as text, elements, and comparison.

use pto::isa::{BLayout, Class, DType, Dim, SLayout, TileType};

/// A tile type in the dialect.
pub fn tile_text(t: &TileType) -> String {
    let dim = |d: Dim| d.to_string();
    format!(
        "!pto.tile_buf<loc={}, dtype={}, rows={}, cols={}, v_row={}, v_col={}, blayout={}, slayout={}, fractal={}, pad={}>",
        t.loc.name(),
        t.dtype.mlir(),
        t.rows,
        t.cols,
        dim(t.valid_rows),
        dim(t.valid_cols),
        t.blayout.name(),
        t.slayout.name(),
        t.fractal,
        t.pad as u8
    )
}

/// Box order and element order of a layout's usual name.
pub fn layout(order: &str) -> Option<(BLayout, SLayout)> {
    use BLayout::{ColMajor as BCol, RowMajor as BRow};
    use SLayout::{ColMajor as SCol, NoneBox, RowMajor as SRow};
    Some(match order {
        "ND" => (BRow, NoneBox),
        "DN" => (BCol, NoneBox),
        "NZ" => (BCol, SRow),
        "ZN" => (BRow, SCol),
        "ZZ" => (BRow, SRow),
        "NN" => (BCol, SCol),
        _ => return None,
    })
}

/// Bytes of all elements of a tile, without gaps: two i4 in a byte, and an fp4 column is a byte with two numbers in the
/// vector memory, half a byte elsewhere.
pub fn bytes(t: &TileType) -> usize {
    t.elements() as usize * t.column_bits() as usize / 8
}

/// The bits of an element.
pub fn element(d: DType, data: &[u8], at: usize) -> u64 {
    if d == DType::I4 {
        return u64::from(data[at / 2] >> (4 * (at % 2)) & 0xf);
    }
    let size = d.unit_bytes() as usize;
    data[at * size..][..size].iter().rev().fold(0, |bits, &b| bits << 8 | u64::from(b))
}

/// The value of a float of two or four bytes.
pub fn float(d: DType, bits: u64) -> Option<f64> {
    Some(match d {
        DType::F32 => f64::from(f32::from_bits(bits as u32)),
        DType::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
        DType::F16 => half(bits as u16),
        _ => return None,
    })
}

fn half(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let size = match exponent {
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        0 => mantissa * 2f64.powi(-24),
        e => (1.0 + mantissa / 1024.0) * 2f64.powi(e - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// An element as a reader wants to see it.
pub fn show(d: DType, bits: u64) -> String {
    let width = if d == DType::I4 { 4 } else { 8 * d.unit_bytes() };
    let digits = (width / 4) as usize;
    match (float(d, bits), d.class()) {
        (Some(x), _) => format!("{x:?} (0x{bits:0digits$x})"),
        (_, Class::Signed) => format!("{} (0x{bits:0digits$x})", (bits << (64 - width)) as i64 >> (64 - width)),
        (_, Class::Unsigned) => format!("{bits} (0x{bits:0digits$x})"),
        (_, Class::Float) => format!("0x{bits:0digits$x}"),
    }
}

/// How two results may differ.
#[derive(Clone, Copy, Debug)]
pub struct ElementTolerance {
    /// Units in the last place.
    pub ulp: u64,
    /// Payload and sign of a NaN count.
    pub exact_nan: bool,
}

/// Whether a result is what was expected.
pub fn agrees(d: DType, got: u64, want: u64, allowed: ElementTolerance) -> bool {
    if got == want {
        return true;
    }
    // Sign and payload of what is not a number mean nothing in the small formats either.
    let nan = |bits: u64| match d {
        DType::F8E4M3 => bits & 0x7f == 0x7f,
        DType::F8E5M2 => bits & 0x7f > 0x7c,
        _ => false,
    };
    if nan(got) && nan(want) {
        return !allowed.exact_nan;
    }
    let (Some(x), Some(y)) = (float(d, got), float(d, want)) else { return false };
    if x.is_nan() || y.is_nan() {
        return x.is_nan() && y.is_nan() && !allowed.exact_nan;
    }
    allowed.ulp > 0 && x.is_finite() && y.is_finite() && ordered(d, got).abs_diff(ordered(d, want)) <= allowed.ulp
}

/// Bits of a float as a number in the order of the floats.
fn ordered(d: DType, bits: u64) -> i64 {
    let sign = 1 << (8 * d.unit_bytes() - 1);
    let size = (bits & (sign - 1)) as i64;
    if bits & sign == 0 { size } else { -size }
}
