// Boxes of 16 columns in a tile of 24.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let _t = TileMat::<F16, 32, 24>::new();
    });
}
