// Boxes of 16 bytes.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let _t = Tile::<Mat, F16, 32, 32, ColMajor, 32, 32, RowMajor, 16>::new();
    });
}
