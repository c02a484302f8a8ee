// The vector unit does not reach L1.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let (a, mut d) = (Tile::<Mat, f32, 16, 16>::new(), Tile::<Vector, f32, 16, 16>::new());
        tmax(&mut d, &a, &a);
    });
}
