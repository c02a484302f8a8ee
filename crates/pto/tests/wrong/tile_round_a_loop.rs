// Tiles do not go round a loop; they are changed where they are.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let _t = for_carry(0, 4, 1, Tile::<Vector, f32, 16, 16>::new(), |_, t| t);
    });
}
