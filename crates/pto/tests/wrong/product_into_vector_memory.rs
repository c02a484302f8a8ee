// A product goes to the accumulator.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let (a, b, mut c) = (TileLeft::<F16, 32, 32>::new(), TileRight::<F16, 32, 32>::new(), Tile::<Vector, f32, 32, 32>::new());
        tmatmul(&mut c, &a, &b);
    });
}
