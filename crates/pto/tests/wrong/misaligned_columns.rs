// Columns of 20 bytes in a column-major tile.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let _t = Tile::<Vector, f32, 5, 16, ColMajor>::new();
    });
}
