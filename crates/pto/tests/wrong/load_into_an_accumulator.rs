// Loads go to vector memory, L1 or the fix-pipe buffer.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let mut acc = TileAcc::<f32, 32, 32>::new();
        let x: View<f32> = declare_global([32, 32]);
        tload(&mut acc, &x);
    });
}
