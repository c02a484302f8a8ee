// Tiles do not hold truth values.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let _t = Tile::<Vector, bool, 16, 32>::new();
    });
}
