// Nothing is stored from the operands of products.
use pto::tile::*;

fn main() {
    let _ = Kernel::trace("wrong", || {
        let left = TileLeft::<F16, 32, 32>::new();
        let mut y: View<F16> = declare_global([32, 32]);
        tstore(&mut y, &left);
    });
}
