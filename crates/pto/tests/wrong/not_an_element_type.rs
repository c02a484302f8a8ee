// Tiles do not hold truth values.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let _t = Tile::<Vec, bool, 16, 32>::new();
    });
}
