// One operand is f16.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let (a, h, mut d) = (Tile::<Vec, f32, 16, 16>::new(), Tile::<Vec, F16, 16, 16>::new(), Tile::<Vec, f32, 16, 16>::new());
        tmax(&mut d, &a, &h);
    });
}
