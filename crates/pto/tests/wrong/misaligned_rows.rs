// Rows of 20 bytes.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let _t = Tile::<Vector, f32, 16, 5>::new();
    });
}
