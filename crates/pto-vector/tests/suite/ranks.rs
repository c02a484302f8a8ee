//! Where the largest and smallest elements are: found by integers that order like the elements.

use crate::probe::{Probe, Tile};
use pto_isa::DType::{self, I32};
use pto_isa::table::op;
use pto_num::F16;
use std::cmp::Ordering;

/// The order that the integers represent.
fn order(a: f32, b: f32) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[test]
fn half_precision_ranks_order_as_the_numbers_do() {
    let samples: Vec<F16> =
        (0..=u16::MAX).step_by(97).chain([0, 0x8000, 0x7c00, 0xfc00, 0x7c01, 0xfc01, 0xffff]).map(F16).collect();
    for &a in &samples {
        // The second row wins where its element is before that of the first; both orders of a pair are tried.
        let mut src = Tile::from_fn(2, samples.len(), |r, c| if r == 0 { a } else { samples[c] });
        for (op, sign) in [(op::tcolargmax, 1.0), (op::tcolargmin, -1.0)] {
            for plain in [false, true] {
                let mut values = Tile::new(DType::F16, 1, samples.len(), 0);
                let mut rows = Tile::new(I32, 1, samples.len(), 0);
                let probe = Probe::new(op).tile("src", &mut src).tile("dst_val", &mut values);
                probe.tile("dst_idx", &mut rows).plain(plain).run().expect("a kernel");
                for (row, b) in rows.values::<i32>().into_iter().zip(&samples) {
                    let (x, y) = (sign * a.to_f32(), sign * b.to_f32());
                    assert_eq!(row == 1, order(y, x) == Ordering::Greater, "{} of {x} {y}", op.row().name);
                }
            }
        }
    }
}
