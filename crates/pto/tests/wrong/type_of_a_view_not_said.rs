// The type of a reshaped tile must be said.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let (a, b, mut d) = (Tile::<Vector, f32, 16, 16>::new(), Tile::<Vector, f32, 16, 16>::new(), Tile::<Vector, f32, 16, 16>::new());
        let _flat = treshape(&a);
    });
}
