// Floats and integers are multiplied.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let (a, b, mut c) = (TileLeft::<F16, 32, 32>::new(), TileRight::<i8, 32, 32>::new(), TileAcc::<f32, 32, 32>::new());
        tmatmul(&mut c, &a, &b);
    });
}
