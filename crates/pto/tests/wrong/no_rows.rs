// A tile without rows.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let _t = Tile::<Vector, f32, 0, 16>::new();
    });
}
