// A memory in the place of the layout.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let _t = Tile::<Vector, f32, 16, 16, Mat>::new();
    });
}
