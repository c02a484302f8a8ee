// Shifts are for integers.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let (a, b, mut d) = (Tile::<Vector, f32, 16, 16>::new(), Tile::<Vector, f32, 16, 16>::new(), Tile::<Vector, f32, 16, 16>::new());
        tshls(&mut d, &a, 2.0);
    });
}
