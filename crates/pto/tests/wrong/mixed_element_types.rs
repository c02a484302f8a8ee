// One operand is f16.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let (a, h, mut d) = (Tile::<Vector, f32, 16, 16>::new(), Tile::<Vector, F16, 16, 16>::new(), Tile::<Vector, f32, 16, 16>::new());
        tmax(&mut d, &a, &h);
    });
}
