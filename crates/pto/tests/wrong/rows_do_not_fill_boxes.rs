// Boxes of 16 rows in a tile of 24.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let _t = TileLeft::<F16, 24, 32>::new();
    });
}
