// Seventeen valid rows of sixteen.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let _t = Tile::<Vector, f32, 16, 16, RowMajor, 17, 16>::new();
    });
}
