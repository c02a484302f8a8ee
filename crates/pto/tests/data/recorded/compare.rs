//! Results against recorded ones.

use super::arguments::{dtype, number, text};
use pto::isa::DType;
use pto_testkit::elements::{element, float, show};
use serde_json::Value;
use std::fmt::Write;

/// Every element within the tolerance of the check, absolute or relative; integers exactly.
pub fn compare(check: &Value, memory: &[u8], data: &[u8]) -> Result<(), String> {
    let d = dtype(&check["dtype"])?;
    let (off, len) = (number(&check["golden"]["off"])? as usize, number(&check["golden"]["len"])? as usize);
    let golden = data.get(off..off + len).ok_or("expected values outside the file")?;
    // Recorded one in a byte.
    let (packed, bits) = if d == DType::I4 { (pack(golden), 4) } else { (Vec::new(), 8 * d.unit_bytes() as usize) };
    let golden = if packed.is_empty() { golden } else { &packed };
    let start = if text(&check["buffer"]["space"]) == "gm" {
        check["buffer"]["addr"].as_u64().unwrap_or(0) as usize
    } else {
        0
    };
    let cut = rows_of_window(check, d, memory);
    let (memory, start) = cut.as_ref().map_or((memory, start), |rows| (rows.as_slice(), 0));
    let window = check["window"]["prefix_bytes"].as_u64().map_or(len, |n| n as usize);
    let count = (number(&check["elems"])? as usize).min(8 * window / bits).min(8 * golden.len() / bits);
    let got = memory.get(start..start + (count * bits).div_ceil(8)).ok_or("the buffer is too small")?;
    if count == 0 {
        return Err("nothing to compare".into());
    }
    let eps = check["eps"].as_f64().unwrap_or(0.0);
    let mut wrong = 0;
    let mut shown = String::new();
    for at in 0..count {
        let (is, want) = (element(d, got, at), element(d, golden, at));
        if near(d, is, want, eps) {
            continue;
        }
        wrong += 1;
        if wrong <= 4 {
            let _ = write!(shown, "; [{at}] {}, want {}", show(d, is), show(d, want));
        }
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} of {count} elements of type {d}{shown}")) }
}

/// Two numbers of four bits in a byte, the first one low.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(2).map(|pair| pair[0] & 15 | pair.get(1).map_or(0, |high| high << 4)).collect()
}

fn near(d: DType, is: u64, want: u64, eps: f64) -> bool {
    let (Some(x), Some(y)) = (float(d, is), float(d, want)) else { return is == want };
    let off = (x - y).abs();
    x == y || x.is_nan() && y.is_nan() || off <= eps || off <= eps * y.abs()
}

/// The rows that a check looks at, without what lies between them; `None` where it looks at all of its buffer.
fn rows_of_window(check: &Value, d: DType, memory: &[u8]) -> Option<Vec<u8>> {
    let part = |name: &str| check["window"][name].as_u64().map(|n| n as usize * d.unit_bytes() as usize);
    let (left, width, stride) = (part("col0")?, part("cols")?, part("row_stride")?);
    let (first, rows) = (check["window"]["row0"].as_u64()? as usize, check["window"]["rows"].as_u64()? as usize);
    let row = |r: usize| memory.get(r * stride + left..r * stride + left + width);
    (first..first + rows).map(row).collect::<Option<Vec<_>>>().map(|rows| rows.concat())
}
