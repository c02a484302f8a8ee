//! A tile and a block of 32 bytes for each of its rows.

use crate::probe::{Numbers, Probe, Sample, Tile};
use pto_isa::Op;
use pto_isa::table::op;
use pto_num::F16;

fn run(op: Op, sources: [&Tile; 2], dst: &Tile, plain: bool) -> Tile {
    let ([mut a, mut b], mut dst) = (sources.map(Tile::clone), dst.clone());
    let probe = Probe::new(op).tile("src0", &mut a).tile("src1", &mut b).tile("dst", &mut dst);
    probe.plain(plain).run().expect("a kernel");
    dst
}

fn agree<E: Sample>(op: Op) {
    let mut numbers = Numbers::new(5);
    for (rows, cols, gap) in [(3, 64, 0), (5, 128, 1), (2, 7, 0), (4, 100, 2), (1, 200, 0), (9, 33, 0)] {
        let tile = Tile::new(E::DTYPE, rows, cols, gap).filled(|_, _| E::sample(&mut numbers));
        let blocks = Tile::new(E::DTYPE, rows, 32 / size_of::<E>(), gap).filled(|_, _| E::sample(&mut numbers));
        let dst = Tile::new(E::DTYPE, rows, cols, 0);
        for sources in [[&tile, &blocks], [&blocks, &tile]] {
            let (fast, plain) = (run(op, sources, &dst, false), run(op, sources, &dst, true));
            let same = fast.values::<E>().iter().zip(plain.values::<E>()).all(|(a, b)| a.same(b));
            assert!(same, "{} {:?}", op.row().name, tile.ty);
        }
    }
}

#[test]
fn fast_and_plain_agree_whichever_source_has_the_blocks() {
    agree::<f32>(op::trowexpandsub);
    agree::<F16>(op::trowexpandsub);
    agree::<i8>(op::trowexpandsub);
    agree::<f32>(op::trowexpandmax);
}
