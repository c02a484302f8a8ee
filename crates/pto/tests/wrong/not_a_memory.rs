// The memory and the element type are swapped.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let _t = Tile::<f32, Vec, 16, 16>::new();
    });
}
