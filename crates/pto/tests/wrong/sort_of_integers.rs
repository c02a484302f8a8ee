// Only floats are sorted.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let (a, i, mut d) = (Tile::<Vector, i32, 1, 32>::new(), Tile::<Vector, u32, 1, 32>::new(), Tile::<Vector, i32, 1, 64>::new());
        tsort32(&mut d, &a, &i);
    });
}
