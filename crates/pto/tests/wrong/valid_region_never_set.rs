// The valid region is state of the tile, and nobody sets it.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let _t = Tile::<Vector, u8, 16, 32, RowMajor, DYN, DYN>::new();
    });
}
