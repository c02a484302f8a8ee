//! Fills, counts and triangles.

use crate::probe::{Probe, Tile};
use pto_isa::DType::{self, F16, F32, I8, I16, I32, U8};
use pto_isa::rules::AttrValue;
use pto_isa::table::op;
use pto_isa::{BLayout, Loc, SLayout, TileType};

fn both(run: impl Fn(bool) -> Tile) -> Tile {
    let (fast, plain) = (run(false), run(true));
    assert_eq!(fast, plain);
    fast
}

#[test]
fn a_scalar_fills_the_valid_region_only() {
    for (rows, cols, gap) in [(3, 8, 0), (2, 100, 1), (5, 1, 0), (0, 0, 0), (4, 64, 0)] {
        let tile = both(|plain| {
            let mut dst = Tile::new(I32, rows, cols, gap);
            let probe = Probe::new(op::texpands).scalar("scalar", I32, -5i64 as u64).tile("dst", &mut dst);
            probe.plain(plain).run().expect("a kernel");
            dst
        });
        assert_eq!(tile, Tile::new(I32, rows, cols, gap).filled(|_, _| -5i32));
    }
}

#[test]
fn a_scalar_takes_the_type_of_the_tile() {
    let mut dst = Tile::new(F16, 1, 3, 0);
    let bits = u64::from(2.5f32.to_bits());
    Probe::new(op::texpands).scalar("scalar", F32, bits).tile("dst", &mut dst).run().expect("a kernel");
    assert_eq!(dst.get::<u16>(0, 2), 0x4100);
    let mut dst = Tile::new(I8, 1, 3, 0);
    Probe::new(op::texpands).scalar("scalar", I32, 0x1ff).tile("dst", &mut dst).run().expect("a kernel");
    assert_eq!(dst.get::<i8>(0, 2), -1);
}

#[test]
fn cube_memory_is_filled_as_a_whole() {
    let ty = TileType::new(Loc::Mat, F16, 32, 32).layout(BLayout::ColMajor, SLayout::RowMajor, 512);
    let mut dst = Tile::with_type(ty.valid(pto_isa::Dim::Fixed(5), pto_isa::Dim::Fixed(7)));
    let probe = Probe::new(op::texpands).scalar("scalar", F16, 0).tile("dst", &mut dst);
    probe.run().expect("a kernel");
    assert!(dst.bytes.iter().all(|b| *b == 0));
}

#[test]
fn counting_wraps_and_goes_both_ways() {
    let count = |dtype: DType, start: u64, down: bool, cols: usize| {
        both(|plain| {
            let mut dst = Tile::new(dtype, 1, cols, 0);
            let probe = Probe::new(op::tci).scalar("start", dtype, start).tile("dst", &mut dst);
            probe.attr("descending", AttrValue::Bool(down)).plain(plain).run().expect("a kernel");
            dst
        })
    };
    assert_eq!(count(I16, 32766, false, 4).values::<i16>(), [32766, 32767, -32768, -32767]);
    assert_eq!(count(U8, 1, true, 3).values::<u8>(), [1, 0, 255]);
    let long = count(I32, 7, false, 300);
    assert!((0..300).all(|k| long.get::<i32>(0, k) == 7 + k as i32));
    let float = count(F32, u64::from(0.5f32.to_bits()), true, 70);
    assert_eq!((float.get::<f32>(0, 69), float.get::<f32>(0, 1)), (0.5 - 69.0, -0.5));
}

#[test]
fn triangles_have_ones_on_their_side() {
    for (rows, cols) in [(5, 7), (3, 130), (130, 3)] {
        for upper in [false, true] {
            for diagonal in [0i64, 2, -2, 1000, -1000, i64::MAX, i64::MIN] {
                let tile = both(|plain| {
                    let mut dst = Tile::new(F32, rows, cols, 1);
                    let probe = Probe::new(op::ttri).scalar("diagonal", I32, diagonal as u64);
                    let probe = probe.tile("dst", &mut dst).attr("upperOrLower", AttrValue::Int(i64::from(upper)));
                    probe.plain(plain).run().expect("a kernel");
                    dst
                });
                let edge = |r: usize| r as i128 + i128::from(diagonal);
                let one = |r, c: usize| if upper { c as i128 >= edge(r) } else { c as i128 <= edge(r) };
                assert_eq!(tile, Tile::new(F32, rows, cols, 1).filled(|r, c| f32::from(u8::from(one(r, c)))));
            }
        }
    }
}
